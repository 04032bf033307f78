// SPDX-License-Identifier: BSD-2-Clause
// What a browser does for a flame graph of 200,000 unique stacks: it opens, and its work grows with the number of
// stacks, not with its square. The executions of each block of the page's scripts are counted, so neither the machine
// nor its load matters. bench/page.mjs has the times.

import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {open} from './browser.mjs';
import {browserTests, pageOf, traceOf} from './pages.mjs';

const {folder, tabTest} = await browserTests('speed');
const TIMES = 10, MOST = 15;    // sorting is a little worse than linear; the square would be 100 times
const ACTIONS = {
	'zoom': 'page.ask({zoom: String(page.root.children[0].key)})',
	'search': 'page.ask({q: "1"})',
	'bottom-up': 'page.turn()',
};

const pageOfStacks = stacks => pageOf(folder, traceOf(folder, 'many', 5 * stacks, stacks, 20), '--flamegraph');

// What was asked for is drawn in the next frame. If that changes the graph's size, it is drawn once more in the frame
// after that. 60 ms later its frames are listed for the keyboard: timers end in the order of their times.
const settled = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))';

// {action: executions of blocks until all is done that was asked for}.
async function measure(tab, file) {
	const client = await tab.createCDPSession(), work = {};
	const lap = async action => {
		const {result} = await client.send('Profiler.takePreciseCoverage');
		const ranges = result.flatMap(script => script.functions.flatMap(one => one.ranges));

		work[action] = ranges.reduce((sum, {count}) => sum + count, 0);
	};

	await client.send('Profiler.enable');
	await client.send('Profiler.startPreciseCoverage', {callCount: true, detailed: true});
	await open(tab, file);
	await tab.evaluate(settled);
	await lap('open');
	for (const [action, does] of Object.entries(ACTIONS)) {
		await tab.evaluate(`${does}; ${settled}`);
		await lap(action);
	}
	await client.detach();
	return work;
}

tabTest('200,000 stacks', async (tab, t) => {
	const file = pageOfStacks(200000), {size} = statSync(file);

	t.diagnostic(`${(size / 1e6).toFixed(1)} MB`);
	assert.ok(size < 20e6, 'the page is small enough to be sent');
	await open(tab, file);
	assert.ok(await tab.evaluate('page.profile.weight.filter(w => w > 0).length') >= 190000, 'all its stacks');
});

tabTest(`${TIMES} times the stacks`, async (tab, t) => {
	const few = await measure(tab, pageOfStacks(2000)), many = await measure(tab, pageOfStacks(2000 * TIMES));

	for (const action of Object.keys(few)) {
		const figures = `${action}: ${few[action]} executions of blocks, ` +
			`${many[action]} for ${TIMES} times the stacks`;

		t.diagnostic(figures);
		assert.ok(few[action] > 0 && many[action] < MOST * few[action], figures);
	}
});
