// SPDX-License-Identifier: BSD-2-Clause
// speedscope's own page, from its npm package, opens what it can of the files for other programs, and shows the flat
// profile's figures. tests/cli/export.t has the other readers.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {drawn, open, press, readers} from './browser.mjs';
import {browserTests, report, symbols, traceOf} from './pages.mjs';

const {folder, tabTest} = await browserTests('export', {harmless: /WebGL/});
const web = traceOf(folder, 'web');
const SPEEDSCOPE = join(readers, 'node_modules/speedscope/dist/release/index.html');
const PERIOD = 1 / 99.5;    // seconds a sample of the trace stands for
const UNITS = {'': 1, 's': 1, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9};

const number = digits => Number(digits.replaceAll(',', ''));

function exported(view, name, ...options) {
	const path = join(folder, name);

	report(view, ...symbols, '-o', path, ...options, web);
	return path;
}

// The flat profile: {function: [self, total]} in samples.
function flat(...options) {
	const text = report(...symbols, ...options, web);
	const lines = text.matchAll(/^ *[\d.]+% +([\d,]+) +[\d.]+% +([\d,]+) {2}(.*)$/mg);

	return Object.fromEntries([...lines].map(([, self, total, name]) => [name, [number(self), number(total)]]));
}

// Has speedscope show a file in its sandwich view, a table of functions: the profile's title, and
// {function: [self, total]} in seconds or samples.
async function shown(tab, path) {
	await open(tab, SPEEDSCOPE);
	await (await tab.waitForSelector('input[type=file]')).uploadFile(path);
	await tab.waitForFunction('document.body.innerText.includes("Sandwich")');
	await press(tab, '3');
	await tab.waitForFunction('/Symbol Name[^]*%\\)/.test(document.body.innerText)');
	await drawn(tab);
	const text = await tab.evaluate('document.body.innerText');
	const rows = text.matchAll(/^([\d.,]+)(\D*) \([^)]*%\)\n\s*([\d.,]+)(\D*) \([^)]*%\)\n\s*(\S.*)$/mg);

	return {
		title: /Sandwich\n(.*)/.exec(text)?.[1],
		functions: Object.fromEntries([...rows].map(([, total, totalUnit, self, selfUnit, name]) =>
			[name, [number(self) * UNITS[selfUnit], number(total) * UNITS[totalUnit]]])),
	};
}

tabTest('speedscope: a profile of the vCPU', async tab => {
	const {title, functions} = await shown(tab, exported('--speedscope', 'run.speedscope.json', '--vcpu', '0'));
	const profile = Object.entries(flat('--vcpu', '0'));

	assert.equal(title, 'web1 vCPU 0');
	assert.ok(profile.length > 20);
	// It shows two digits behind the point, of seconds or milliseconds.
	for (const [name, samples] of profile) {
		const [self, total] = samples.map((n, i) => Math.abs(functions[name][i] - n * PERIOD));

		assert.ok(self + total <= 0.011, `${name} takes the flat profile's time`);
	}
});

tabTest('speedscope: one of two vCPUs', async tab => {
	const {title} = await shown(tab, exported('--speedscope', 'two.speedscope.json'));

	assert.equal(title, 'web1 vCPU 0 (1/2)');
});

for (const [view, name] of [['--callgrind', 'callgrind.out'], ['--pprof', 'run.pb.gz'], ['--folded', 'run.folded']]) {
	tabTest(`${view.slice(2)}: the flat profile's samples`, async tab => {
		const profile = flat(), names = Object.keys(profile);
		const {functions} = await shown(tab, exported(view, name));

		assert.ok(names.length > 20);
		assert.deepEqual(Object.fromEntries(names.map(name => [name, functions[name]])), profile);
	});
}

// Of perf's text it takes times, not samples, and has no end for the last one.
tabTest('perf-script: a profile of each vCPU', async tab => {
	const {title, functions} = await shown(tab, exported('--perf-script', 'perf.txt'));

	assert.equal(title, 'web1:vcpu0 pid: 3 (1/2)');
	assert.deepEqual(Object.keys(functions).sort(), Object.keys(flat('--vcpu', '0')).sort(), 'and its functions');
});
