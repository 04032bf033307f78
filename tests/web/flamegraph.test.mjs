// SPDX-License-Identifier: BSD-2-Clause
// --flamegraph in a real browser: what a user does, and what hostile names do not.

/* global page: the page's own state, in functions that the browser runs */

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {click, fragment, here, open, preferColours, press, text} from './browser.mjs';
import {
	browserTests, clickFrame, folded, hostile, pageOf, pixel, shares, shown, spot, symbols, traceOf,
} from './pages.mjs';

const {folder, tabTest} = await browserTests('flamegraph');
const web = traceOf(folder, 'web');
const file = pageOf(folder, web, '--flamegraph', ...symbols);
const stacks = folded(web, ...symbols);
const FULL = 1168;    // the graph's width in pixels

const focus = tab => tab.evaluate('page.graph.focus.label');
const labels = (tab, frames) => tab.evaluate(`${frames}.map(frame => frame.label).join()`);
const chosen = tab => tab.evaluate('page.chosen.label');
const paper = tab => tab.evaluate('getComputedStyle(document.body).backgroundColor');

// A test of the web server's page, opened anew.
function pageTest(name, run) {
	tabTest(name, async tab => {
		await open(tab, file);
		await run(tab);
	});
}

// --- the page ------------------------------------------------------------------------------------------------------

pageTest('the page tells what was measured', async tab => {
	assert.equal(await text(tab, 'h1'), 'web1', 'the domain is the title');
	assert.match(await text(tab, '#figures'),
		/4,613 samples.*60\.0 s recorded.*3 lost.*2\.2% of stacks broken.*239\.6 ms paused, 0\.4% of the time/s);
});

pageTest('a frame is as wide as its share', async tab => {
	assert.equal(await shown(tab, 'all'), FULL, 'the root is as wide as the page');
	const share = await tab.evaluate(() => {
		const {whole, profile} = page;

		return whole.total[profile.name.indexOf(profile.names.indexOf('tls_handshake'))] / whole.total[0];
	});

	assert.ok(share > 0.1);
	assert.ok(Math.abs(await shown(tab, 'tls_handshake') / FULL - share) < 0.002);
});

tabTest('shares are of all samples, or of those that names keep', async tab => {
	for (const [percentage, share] of [['absolute', '23.4%'], ['relative', '100.0%']]) {
		const kept = ['--focus', '^tls', '--percentage', percentage];

		await open(tab, pageOf(folder, web, '--flamegraph', ...kept, ...symbols), 'q=tls_handshake');
		assert.equal(await text(tab, '#frame-figures'), `1,079 samples · ${share} of all`, percentage);
		assert.equal(await text(tab, '#found'), `${share} matched, in 1 name`, percentage);
	}
});

tabTest('the trace is identified', async tab => {
	const small = traceOf(folder, 'small');

	await open(tab, pageOf(folder, small, '--flamegraph', '-s', join(here, '../cli/report.syms')));
	await click(tab, 'summary');
	assert.match(await text(tab, '#facts'),
		/0102030405060708090a0b0c0d0e0f10.*dom0.*12345678-9abc-def0-0102-030405060708/s);
});

tabTest('an empty trace says so', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'empty'), '--flamegraph'));
	assert.equal(await text(tab, '#nothing'), 'No samples were counted.');
});

tabTest('several domains are roots', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'domains'), '--flamegraph'));
	assert.equal(await labels(tab, 'page.root.children'), 'db\\x1b[31m,web1', 'escapes shown');
	assert.match(await tab.title(), /^web1, db\\x1b\[31m/);
});

// --- zoom ----------------------------------------------------------------------------------------------------------

pageTest('a click zooms', async tab => {
	await clickFrame(tab, 'tls_handshake');
	assert.equal(await focus(tab), 'tls_handshake');
	assert.equal(await shown(tab, 'tls_handshake'), FULL, 'it fills the width');
	assert.equal(await shown(tab, 'http_handle_connection'), FULL, 'and so do its callers');
	assert.equal(await shown(tab, 'lwip_poll'), 0, 'nothing else is there');
	assert.match(await text(tab, '#frame-figures'), /^[\d,]+ samples · \d+\.\d% of all · \d+\.\d% of its caller/);
});

pageTest('back, forward, Backspace and reset', async tab => {
	await clickFrame(tab, 'tls_handshake');
	await clickFrame(tab, 'mbedtls_ecp_mul');
	assert.equal(await focus(tab), 'mbedtls_ecp_mul', 'deeper');
	await tab.goBack();
	assert.equal(await focus(tab), 'tls_handshake', 'back');
	await tab.goBack();
	assert.equal(await focus(tab), 'all', 'back to all');
	await tab.goForward();
	assert.equal(await focus(tab), 'tls_handshake', 'forward');
	await press(tab, 'Backspace');
	assert.equal(await focus(tab), 'http_handle_connection', 'Backspace zooms out by one');
	await click(tab, '#reset');
	assert.equal(await focus(tab), 'all', 'reset');
	assert.equal(await fragment(tab), '', 'also of the address');
});

pageTest('the address brings the zoom back', async tab => {
	await clickFrame(tab, 'tls_handshake');
	const zoomed = await fragment(tab);

	await click(tab, '#reset');
	await open(tab, file, zoomed);
	await tab.waitForFunction('page.graph.focus.label === "tls_handshake"');
	await tab.reload();
	assert.equal(await focus(tab), 'tls_handshake', 'when the page is loaded');
});

tabTest('an address of nonsense does no harm', async tab => {
	await open(tab, file, 'zoom=99999.5.-3&view=nonsense&q=%28&time=1-2&theme=x&by=%00');
	assert.equal(await focus(tab), 'all');
});

// --- search --------------------------------------------------------------------------------------------------------

pageTest('a search marks what it finds', async tab => {
	await press(tab, '/');
	await tab.type('#search', '^mbedtls_(mpi|ecp)');
	const {all, matched} = shares(stacks, name => /^mbedtls_(mpi|ecp)/.test(name));
	const percent = (100 * matched / all).toFixed(1);

	assert.equal(await text(tab, '#found'), `${percent}% matched, in 3 names`, 'the folded stacks\' share');
	const found = await spot(tab, 'mbedtls_ecp_mul'), other = await spot(tab, 'lwip_poll');

	assert.deepEqual(await pixel(tab, found.x + 100, found.y - 6), [132, 48, 206], 'what matches is marked');
	assert.deepEqual(await pixel(tab, other.x, other.y - 7), [232, 234, 237], 'the rest stands back');
	assert.match(await fragment(tab), /q=/, 'the address has the search');
	const steps = await tab.evaluate('history.length');

	await press(tab, 'x');
	assert.match(await tab.$eval('#search', search => search.value), /x$/);
	assert.equal(await tab.evaluate('history.length'), steps, 'letters are no steps in the history');
});

pageTest('a wrong expression is said', async tab => {
	await press(tab, '/');
	await tab.type('#search', '(');
	assert.match(await text(tab, '#found'), /^not a regular expression: /);
	assert.ok(await tab.$('#search[aria-invalid=true]'), 'for screen readers as well');
	await press(tab, 'Escape');
	assert.equal(await text(tab, '#found'), '', 'Esc ends the search');
});

pageTest('capitals tell cases apart', async tab => {
	await press(tab, '/');
	await tab.type('#search', 'TLS_hand');
	assert.equal(await text(tab, '#found'), 'no match');
	await press(tab, 'Escape', '/');
	await tab.type('#search', 'tls_hand');
	assert.match(await text(tab, '#found'), /matched, in 1 name$/);
});

// --- the other ways round ------------------------------------------------------------------------------------------

pageTest('inverted, the root is at the top', async tab => {
	await press(tab, 'i');
	assert.equal(await tab.evaluate('page.graph.top(0)'), 0);
	await click(tab, '#invert');
	assert.ok(await tab.evaluate('page.graph.top(0)') > 100, 'and at the bottom again');
});

pageTest('bottom-up: leaves merged', async tab => {
	const leaves = {};

	for (const [names, samples] of stacks)
		leaves[names.at(-1)] = (leaves[names.at(-1)] ?? 0) + samples;
	await click(tab, '#bottom-up');
	const merged = await tab.evaluate('page.root.children.map(frame => [frame.label, frame.now])');

	assert.deepEqual(Object.fromEntries(merged), leaves);
	await clickFrame(tab, 'memcpy_erms');
	assert.equal(await labels(tab, 'page.graph.focus.children'), 'ramfs_read', 'their callers below them');
	const samples = await tab.evaluate(() => {
		const {focus} = page.graph;

		return focus.follow(focus.children.map(frame => frame.key)).now;
	});

	assert.equal(samples, leaves.memcpy_erms, 'with all of it');
});

pageTest('each vCPU by itself', async tab => {
	await click(tab, '#by-vcpu');
	assert.equal(await labels(tab, 'page.root.children'), 'vCPU 0,vCPU 1');
	assert.equal(await tab.evaluate('page.root.children.reduce((a, f) => a + f.now, 0)'), 4613, 'none is lost');
	await clickFrame(tab, 'vCPU 1');
	assert.equal(await focus(tab), 'vCPU 1', 'zoomed into');
	const zoomed = await fragment(tab);

	await click(tab, '#reset');
	assert.equal(await focus(tab), 'all');
	await open(tab, file, zoomed);
	await tab.reload();
	assert.equal(await focus(tab), 'vCPU 1', 'the address brings it back');
});

// --- keys, screen readers ------------------------------------------------------------------------------------------

pageTest('buttons are reached by Tab', async tab => {
	await click(tab, '#search');
	await press(tab, 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
	assert.equal(await tab.evaluate('document.activeElement.id'), 'help');
	await press(tab, 'Enter');
	assert.ok(await tab.$eval('#keys', keys => keys.open), 'and pressed: the list of keys');
	await press(tab, 'Escape');
	assert.ok(!await tab.$eval('#keys', keys => keys.open), 'which Esc closes');
});

pageTest('arrows go from frame to frame', async tab => {
	await tab.focus('#graph');
	await press(tab, 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp');
	assert.equal(await chosen(tab), 'http_handle_connection', 'up: the widest frame above');
	await press(tab, 'ArrowRight');
	assert.equal(await chosen(tab), 'lwip_poll', 'right: the one beside it');
	await press(tab, 'ArrowDown');
	assert.equal(await chosen(tab), 'nginx_worker', 'down: its caller');
	assert.equal(await focus(tab), 'all', 'which zooms into nothing');
	await press(tab, 'ArrowUp', 'Enter');
	assert.equal(await focus(tab), 'http_handle_connection', 'Enter does');
	await press(tab, 'Escape');
	assert.equal(await focus(tab), 'all', 'Esc ends the zoom');
});

pageTest('screen readers hear the chosen frame', async tab => {
	await tab.focus('#graph');
	await press(tab, 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter');
	// The list follows the picture after a moment.
	await tab.waitForFunction(() => {
		const selected = document.querySelector('#items [aria-selected=true]');

		return selected?.textContent.startsWith(page.chosen.label);
	});
	const active = await tab.$eval('#graph', graph => graph.getAttribute('aria-activedescendant'));

	assert.match(await tab.$eval(`#${active}`, item => item.textContent),
		/^http_handle_connection: [\d,]+ samples, \d+\.\d% of all, \d+\.\d% of its caller$/);
	assert.ok(await tab.$('#items [aria-selected=true][aria-level="5"]'), 'and its level');
	assert.ok((await tab.$$('#items [role=treeitem]')).length > 5, 'among others');
});

// --- tooltip, copying ----------------------------------------------------------------------------------------------

pageTest('a tooltip', async tab => {
	const {x, y} = await spot(tab, 'caml_gc_slice');

	await tab.mouse.move(x, y);
	assert.match(await text(tab, '#tip'),
		/^caml_gc_slice\n[\d,]+ samples\n\d+\.\d% of all\n\d+\.\d% of its caller$/);
});

pageTest('copies the name', async tab => {
	await clickFrame(tab, 'caml_gc_slice');
	await tab.evaluate('navigator.clipboard.writeText = async text => { window.copied = text; }');
	await press(tab, 'c');
	assert.equal(await tab.evaluate('window.copied'), 'caml_gc_slice');
});

// --- colours, widths -----------------------------------------------------------------------------------------------

pageTest('light and dark', async tab => {
	assert.equal(await paper(tab), 'rgb(255, 255, 255)', 'light');
	await preferColours(tab, 'dark');
	assert.equal(await paper(tab), 'rgb(20, 23, 27)', 'dark where the system is');
	await spot(tab, 'all');
	const {x, y} = await tab.$eval('#graph canvas', canvas => canvas.getBoundingClientRect().toJSON());

	assert.deepEqual(await pixel(tab, x + 1, y + 1), [20, 23, 27], 'the graph, too');
	await click(tab, '#theme');
	assert.equal(await paper(tab), 'rgb(255, 255, 255)', 'light where it was asked for');
	assert.match(await fragment(tab), /theme=light/, 'and kept');
});

tabTest('a narrow window has all of it', async tab => {
	await tab.setViewport({width: 360, height: 640});
	await open(tab, file);
	assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 360);
	assert.ok(await shown(tab, 'all') >= 340, 'the graph as well');
});

// --- hostile names -------------------------------------------------------------------------------------------------

tabTest('hostile names are text', async tab => {
	const script = '<script>alert(1)</script>';

	await open(tab, pageOf(folder, traceOf(folder, 'small'), '--flamegraph', ...hostile));
	assert.equal(await shown(tab, 'all'), FULL, 'the page is drawn');
	await clickFrame(tab, script);
	assert.equal(await text(tab, '#frame-name'), script, 'a script for a name');
	const odd = 'a"quote\'&amp;{{DATA}}\\u003c/script>';

	assert.ok(await shown(tab, odd), 'quotes, entities, escapes and marks are as they were');
	assert.equal(await tab.$('img'), null, 'no element came of a name');
	assert.equal(await tab.evaluate('document.scripts.length'), 6, 'no script but ours');
	const {x, y} = await spot(tab, script);

	await tab.mouse.move(x, y);
	assert.equal(await text(tab, '#tip b'), script, 'in the tooltip as well');
});
