// SPDX-License-Identifier: BSD-2-Clause
// speedscope's own page, from its npm package, opens what it can of the files for other programs, and shows the flat
// profile's figures. tests/cli/export.t has the other readers.

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {open, press, readers} from './browser.mjs';
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
	const lines = report(...symbols, ...options, web).matchAll(/^ *[\d.]+% +([\d,]+) +[\d.]+% +([\d,]+) {2}(.*)$/mg);

	return Object.fromEntries([...lines].map(([, self, total, name]) => [name, [number(self), number(total)]]));
}

// Has speedscope show a file in its sandwich view, a table of functions: the profile's title, and {function: [self, total]} in
// seconds or samples.
async function shown(tab, path) {
	await open(tab, SPEEDSCOPE);
	await (await tab.waitForSelector('input[type=file]')).uploadFile(path);
	await tab.waitForFunction('document.body.innerText.includes("Sandwich")');
	await press(tab, '3');
	await tab.waitForFunction('document.body.innerText.includes("Symbol Name")');
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
	const wrong = profile.filter(([name, samples]) =>
		!(Math.abs(functions[name][0] - samples[0] * PERIOD) + Math.abs(functions[name][1] - samples[1] * PERIOD) <= 0.011));

	assert.deepEqual(wrong, [], 'every function takes the flat profile\'s time');
});

tabTest('speedscope: one of two vCPUs', async tab => {
	const {title} = await shown(tab, exported('--speedscope', 'two.speedscope.json'));

	assert.equal(title, 'web1 vCPU 0 (1/2)');
});

for (const [view, name] of [['--callgrind', 'callgrind.out'], ['--pprof', 'run.pb.gz'], ['--folded', 'run.folded']]) {
	tabTest(`${view.slice(2)}: the flat profile's samples`, async tab => {
		const {functions} = await shown(tab, exported(view, name)), profile = flat();

		assert.ok(Object.keys(profile).length > 20);
		assert.deepEqual(Object.fromEntries(Object.keys(profile).map(name => [name, functions[name]])), profile);
	});
}

// Of perf's text it takes times, not samples, and has no end for the last one.
tabTest('perf-script: a profile of each vCPU', async tab => {
	const {title, functions} = await shown(tab, exported('--perf-script', 'perf.txt'));

	assert.equal(title, 'web1:vcpu0 pid: 3 (1/2)');
	assert.deepEqual(Object.keys(functions).sort(), Object.keys(flat('--vcpu', '0')).sort(), 'and its functions');
});
