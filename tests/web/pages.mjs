// SPDX-License-Identifier: BSD-2-Clause
// pages.mjs - pages of uniprof-report for tests, made from mktrace's traces, and where things lie on them.

/* global page: the page's own state, in functions that the browser runs */

import {execFileSync} from 'node:child_process';
import {closeSync, existsSync, openSync} from 'node:fs';
import {after, test} from 'node:test';
import assert from 'node:assert/strict';
import {join} from 'node:path';
import {build, complaints, drawn, here, needBrowser} from './browser.mjs';

export const symbols = ['-s', join(here, 'web.syms')];
export const hostile = ['-s', join(here, 'hostile.syms')];

// --- files ---------------------------------------------------------------------------------------------------------

export function report(...options) {
	return execFileSync(join(build, 'uniprof-report'), ['-q', ...options], {encoding: 'utf8', maxBuffer: 1 << 28});
}

// The trace of mktrace with these words, which is made once a folder.
export function traceOf(folder, ...kind) {
	const trace = join(folder, `${kind.join(' ')}.upf`);

	if (existsSync(trace))
		return trace;
	const out = openSync(trace, 'w');

	execFileSync(join(build, 'tests/tools/mktrace'), kind, {stdio: ['ignore', out, 'inherit']});
	closeSync(out);
	return trace;
}

// The file that uniprof-report makes of a trace with these options, the first of which names the view.
export function pageOf(folder, trace, view, ...options) {
	const extension = view === '--svg' ? 'svg' : 'html';
	let path, n = 0;

	do
		path = join(folder, `${++n}.${extension}`);
	while (existsSync(path));
	report(view, ...options, '-o', path, trace);
	return path;
}

// The folded stacks: [[names from the root on], samples].
export function folded(trace, ...options) {
	const lines = report('--folded', ...options, trace).matchAll(/^(.*) (\d+)$/mg);

	return [...lines].map(([, stack, samples]) => [stack.split(';'), Number(samples)]);
}

// The samples of all stacks, and of those that have a name for which is() is true.
export function shares(stacks, is) {
	const sum = some => some.reduce((all, [, samples]) => all + samples, 0);

	return {all: sum(stacks), matched: sum(stacks.filter(([names]) => names.some(is)))};
}

// --- tests ---------------------------------------------------------------------------------------------------------

// A browser for the tests of a file about @what, and node's test() for them: each test is handed a new tab, in which
// nothing may complain but what is harmless.
export async function browserTests(what, {harmless = /^$/} = {}) {
	// browser.test.mjs warns, once for all.
	const browser = await needBrowser({warn: () => {}});

	after(() => browser.end());
	return {folder: browser.folder, tabTest: (name, run) => test(`${what}: ${name}`, async t => {
		const tab = await browser.newTab();
		const complain = async () => (await complaints(tab)).filter(said => !harmless.test(said));

		try {
			await run(tab, t);
		} catch (error) {
			(await complain().catch(() => [])).forEach(said => t.diagnostic(said));
			throw error;
		}
		assert.deepEqual(await complain(), [], 'no complaint');
		await tab.close();
	})};
}

// --- places --------------------------------------------------------------------------------------------------------

// The middle of the widest frame of this name in pixels of the page, and its width, once it is drawn; null if there
// is none.
export async function spot(tab, name) {
	await drawn(tab);
	return tab.evaluate(name => {
		const {graph} = page, at = graph.canvas.getBoundingClientRect();
		const boxes = graph.rows.flatMap(row => row.boxes).filter(({frame}) => frame.label === name);
		const box = boxes.sort((a, b) => b.width - a.width)[0];

		if (!box)
			return null;
		const y = at.y + graph.top(box.frame.depth) - graph.element.scrollTop + 9;

		return {x: at.x + box.x + box.width / 2, y, width: box.width};
	}, name);
}

// The colour [red, green, blue] of the flame graph, or of the heat map ('heat'), there, in pixels of the page.
export function pixel(tab, x, y, of = 'graph') {
	return tab.evaluate((x, y, of) => {
		const one = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
		const {canvas} = page[of], at = canvas.getBoundingClientRect();

		one.drawImage(canvas, -Math.trunc(x - at.x), -Math.trunc(y - at.y));
		return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
	}, x, y, of);
}

export async function clickFrame(tab, name) {
	const at = await spot(tab, name);

	assert.ok(at, `a frame ${name}`);
	await tab.mouse.click(at.x, at.y);
}

// The width of the widest frame of this name, in whole pixels; 0 if there is none.
export async function shown(tab, name) {
	return Math.trunc((await spot(tab, name))?.width ?? 0);
}
