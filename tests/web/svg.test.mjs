// SPDX-License-Identifier: BSD-2-Clause
// --svg as a browser reads it: well-formed whatever names hold, without a script, each frame with its figures.

import assert from 'node:assert/strict';
import {open} from './browser.mjs';
import {browserTests, hostile, pageOf, symbols, traceOf} from './pages.mjs';

const {folder, tabTest} = await browserTests('svg');

const titles = tab => tab.$$eval('g > title', all => all.map(title => title.textContent));
const numberOf = (tab, css) => tab.$$eval(css, all => all.length);

tabTest('figures of every frame', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'web'), '--svg', ...symbols));
	assert.equal(await tab.evaluate('document.documentElement.nodeName'), 'svg', 'well-formed');
	assert.equal(await numberOf(tab, 'parsererror, script'), 0, 'and without a script');
	const found = await titles(tab);

	assert.ok(found.some(title => /^all\b.*4,613 samples/s.test(title)), 'the root has all samples');
	assert.ok(found.some(title => /^tls_handshake\b.*1,079 samples.*23\.4%/s.test(title)), 'a frame has its own');
	assert.match(await tab.evaluate('document.documentElement.textContent'),
		/3 lost, 2\.2% of stacks broken, 239\.6 ms paused/, 'what it rests on');
});

tabTest('hostile names', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'small'), '--svg', ...hostile));
	assert.equal(await numberOf(tab, 'parsererror, script, img'), 0, 'well-formed, no element came of one');
	const found = await titles(tab);

	assert.ok(found.some(title => title.startsWith('<script>alert(1)</script>')), 'a script for a name is text');
});
