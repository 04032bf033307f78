// SPDX-License-Identifier: BSD-2-Clause
// --flamegraph --diff in a real browser: colours tell what grew and what shrank, figures by how much. mktrace
// web-after is web with http_parse twice as fast and tls_handshake twice as slow.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {build, click, fragment, open, text} from './browser.mjs';
import {browserTests, clickFrame, folded, pageOf, pixel, shares, spot, symbols, traceOf} from './pages.mjs';

const {folder, tabTest} = await browserTests('diff');
const old = traceOf(folder, 'web'), after = traceOf(folder, 'web-after');
const file = pageOf(folder, after, '--flamegraph', '--diff', old, ...symbols);

// A frame's colour, left of its name.
async function colour(tab, name) {
	const {x, y, width} = await spot(tab, name);

	return pixel(tab, x - width / 2 + 3, y - 6);
}

// A function's share of all samples in percent, by its folded stacks.
function share(trace, name) {
	const {all, matched} = shares(folded(trace, ...symbols), other => other === name);

	return 100 * matched / all;
}

tabTest('what grew is red, what shrank is blue', async tab => {
	await open(tab, file);
	const slower = await colour(tab, 'tls_handshake'), faster = await colour(tab, 'http_parse');

	assert.ok(slower[0] > slower[2] + 20, `grown: ${slower}`);
	assert.ok(faster[2] > faster[0] + 20, `shrunk: ${faster}`);
	assert.match(await text(tab, '#legend'),
		/less than before.*−\d+\.\d.*0\.0.*\+\d+\.\d.*grey: not significant/s, 'the legend says by how much');
});

tabTest('the notes on the old run have its name', async tab => {
	const noted = join(folder, 'noted.html');

	execFileSync(join(build, 'uniprof-report'), ['--flamegraph', '--diff', old, '-o', noted, after]);
	await open(tab, noted);
	const terms = await tab.$$eval('#trust dt', all => all.map(term => term.textContent));

	assert.ok(terms.includes('Old run') && terms.includes('Samples'), terms.join());
});

tabTest('what may be chance is grey', async tab => {
	await open(tab, file);
	const [red, green, blue] = await colour(tab, 'mark_slice');

	assert.ok(Math.max(red, green, blue) - Math.min(red, green, blue) < 12, `grey: ${[red, green, blue]}`);
	await clickFrame(tab, 'mark_slice');
	assert.match(await text(tab, '#frame-figures'), /±\d+\.\d points, not significant/, 'and without colours');
	await open(tab, file);
	await clickFrame(tab, 'tls_handshake');
	assert.doesNotMatch(await text(tab, '#frame-figures'), /not significant/);
});

tabTest('two runs that differ by chance alone', async tab => {
	await open(tab, pageOf(folder, old, '--flamegraph', '--diff', old, ...symbols));
	assert.match(await text(tab, '#legend'), /no significant change/);
});

tabTest('by how much', async tab => {
	const change = (share(after, 'tls_handshake') - share(old, 'tls_handshake')).toFixed(1);

	assert.ok(change > 5, 'it did grow');
	await open(tab, file);
	await clickFrame(tab, 'tls_handshake');
	assert.ok((await text(tab, '#frame-figures')).includes(`+${change}`), change);
});

tabTest('by how much of all samples', async tab => {
	const change = (share(after, 'tls_handshake') - share(old, 'tls_handshake')).toFixed(1);

	await open(tab, pageOf(folder, after, '--flamegraph', '--diff', old, '--focus', '^tls_handshake$', ...symbols));
	await clickFrame(tab, 'tls_handshake');
	assert.ok((await text(tab, '#frame-figures')).includes(`+${change}`), change);
});

tabTest('widths of the old run', async tab => {
	await open(tab, file);
	const {width} = await spot(tab, 'http_parse');

	await click(tab, '#by-old');
	assert.ok((await spot(tab, 'http_parse')).width > 1.3 * width);
	assert.match(await fragment(tab), /width=old/, 'kept in the address');
});
