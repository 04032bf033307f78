// SPDX-License-Identifier: BSD-2-Clause
// pictures.mjs two|exits TRACE OPTION...: the README's pictures of pages that uniprof-report makes of the trace with
// these options: a flame graph and a heat map, or a flame graph that is low.
// make pictures calls it.

import {join} from 'node:path';
import {drawn, here, needBrowser, open, preferColours} from './browser.mjs';
import {pageOf, report} from './pages.mjs';

const [what, trace, ...options] = process.argv.slice(2);
const docs = join(here, '../../docs');
const BURST = 3;    // seconds

// The BURST seconds with the most samples, as the page's fragment has them.
function busiest() {
	const rows = report('--csv', '--sort', 'time', ...options, trace).matchAll(/^"(\d+)-\d+ s",(\d+),/mg);
	const samples = [];

	for (const [, second, count] of rows)
		samples[second] = Number(count);
	const sum = from => samples.slice(from, from + BURST).reduce((all, n) => all + (n ?? 0), 0);
	const from = [...samples.keys()].reduce((best, at) => sum(at) > sum(best) ? at : best, 0);

	return `time=${from}-${from + BURST}`;
}

const browser = await needBrowser();

async function picture(tab, name, page, fragment) {
	await open(tab, page, fragment);
	await drawn(tab);
	await tab.screenshot({path: join(docs, name)});
}

try {
	const graph = pageOf(browser.folder, trace, '--flamegraph', ...options);
	const tab = await browser.newTab({width: 1000, height: what === 'exits' ? 820 : 560});

	await picture(tab, what === 'exits' ? 'exits.png' : 'flamegraph.png', graph);
	if (what === 'two') {
		await tab.setViewport({width: 1000, height: 740});
		await preferColours(tab, 'dark');
		await picture(tab, 'heatmap.png', pageOf(browser.folder, trace, '--heatmap', ...options), busiest());
	}
} finally {
	await browser.end();
}
