// SPDX-License-Identifier: BSD-2-Clause
// make pictures: the README's pictures of pages, anew, from mktrace's web server. Look at them before committing.

import {join} from 'node:path';
import {drawn, here, needBrowser, open, preferColours} from './browser.mjs';
import {pageOf, symbols, traceOf} from './pages.mjs';

const docs = join(here, '../../docs');
const browser = await needBrowser();

try {
	const web = traceOf(browser.folder, 'web'), tab = await browser.newTab({width: 1000, height: 560});

	await open(tab, pageOf(browser.folder, web, '--flamegraph', ...symbols));
	await drawn(tab);
	await tab.screenshot({path: join(docs, 'flamegraph.png')});

	await tab.setViewport({width: 1000, height: 740});
	await preferColours(tab, 'dark');
	await open(tab, pageOf(browser.folder, web, '--heatmap', ...symbols), 'time=30-40');
	await drawn(tab);
	await tab.screenshot({path: join(docs, 'heatmap.png')});
} finally {
	await browser.end();
}
