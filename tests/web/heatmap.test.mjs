// SPDX-License-Identifier: BSD-2-Clause
// --heatmap in a real browser: a range is chosen, and the flame graph below is of that range alone.

/* global page: the page's own state, in functions that the browser runs */

import assert from 'node:assert/strict';
import {join} from 'node:path';
import {click, drag, drawn, fragment, here, open, press, text} from './browser.mjs';
import {browserTests, clickFrame, folded, hostile, pageOf, pixel, shares, spot, symbols, traceOf} from './pages.mjs';

const {folder, tabTest} = await browserTests('heatmap');
const web = traceOf(folder, 'web');
const file = pageOf(folder, web, '--heatmap', ...symbols);
const ALL = 4613;    // samples

const total = tab => tab.evaluate('page.whole.root.now');

// A test of the web server's page, opened anew.
function pageTest(name, run) {
	tabTest(name, async tab => {
		await open(tab, file);
		await run(tab);
	});
}

// Samples of that time in the folded stacks: all, and those with tls_handshake.
function samplesOf(time) {
	return shares(folded(web, '--time', time, ...symbols), name => name === 'tls_handshake');
}

// The middle of a cell of the map, in pixels of the page.
function cell(tab, second, part) {
	return tab.evaluate((second, part) => {
		const {heat} = page, at = heat.canvas.getBoundingClientRect(), {rows} = heat.heat;
		const [x, y] = heat.corner(second * rows + Math.floor(part * rows));

		return [at.x + x + heat.cellWidth / 2, at.y + y + heat.cellHeight / 2];
	}, second, part);
}

// From 30 s to 40 s, when TLS hands are shaken.
async function dragBurst(tab) {
	await drag(tab, ...await cell(tab, 30, 0), ...await cell(tab, 39, 0.999));
}

// --- the page ------------------------------------------------------------------------------------------------------

pageTest('a map of sixty seconds', async tab => {
	assert.equal(await tab.evaluate('page.heat.columnSeconds'), 1, 'a column is a second');
	assert.equal(await tab.evaluate('page.heat.columns'), 60);
	assert.equal(await tab.evaluate('page.heat.weight.reduce((a, b) => a + b)'), ALL, 'every sample is in a cell');
	assert.equal(await total(tab), ALL, 'the flame graph is of all of them');
	assert.ok(await spot(tab, 'uk_boot'), 'and drawn');
});

pageTest('a burst is darker', async tab => {
	const darkness = async second => {
		const [x] = await cell(tab, second, 0.5);

		return tab.evaluate(x => {
			const at = page.heat.canvas.getBoundingClientRect();
			const one = document.createElement('canvas').getContext('2d', {willReadFrequently: true});

			one.drawImage(page.heat.canvas, -(x - at.x), 0);
			return one.getImageData(0, 0, 1, 200).data.reduce((dark, part) => dark + 255 - part, 0);
		}, Math.trunc(x));
	};

	await spot(tab, 'all');
	const burst = await darkness(35), quiet = await darkness(5);

	assert.ok(burst > 1.2 * quiet, `${burst} beside ${quiet}`);
});

// Columns, rows, seconds a column, first and last time of a map.
function shape(tab) {
	return tab.evaluate('[page.heat.columns, page.heat.heat.rows, page.heat.columnSeconds, from.value, to.value].join()');
}

// How much of the room for it a picture has taken.
async function filled(tab) {
	await drawn(tab);
	return tab.evaluate('page.heat.canvas.clientWidth / page.heat.element.clientWidth');
}

for (const [name, samples, want] of [['five seconds', 500, '50,5,0.1,0,5'], ['an hour', 360000, '120,50,30,0,3600']])
	tabTest(`${name} fill the map`, async tab => {
		await open(tab, pageOf(folder, traceOf(folder, 'many', String(samples), '50', '6'), '--heatmap'));
		assert.equal(await shape(tab), want);
		for (const width of [1000, 2000]) {
			await tab.setViewport({width, height: 700});
			assert.ok(await filled(tab) > 0.97, `all of ${width} pixels`);
		}
	});

tabTest('labels of the axis are whole', async tab => {
	await tab.setViewport({width: 1000, height: 700}); // there is no room for the last one
	await open(tab, pageOf(folder, web, '--heatmap', '--time', '0,40.02', ...symbols));
	const [labels, beyond] = await tab.evaluate(() => {
		const pen = page.heat.canvas.getContext('2d'), labels = [];

		pen.fillText = (text, x) => pen.textAlign === 'left' && labels.push([text, x + pen.measureText(text).width]);
		page.heat.draw();
		return [labels.map(([text]) => text), labels.filter(([, end]) => end > page.heat.width)];
	});

	assert.ok(labels.includes('35 s'), `labels: ${labels}`);
	assert.deepEqual(beyond, []);
});

tabTest('a map begins where the range of time does', async tab => {
	await open(tab, pageOf(folder, web, '--heatmap', '--time', '25,45', ...symbols));
	assert.equal(await shape(tab), '40,25,0.5,25,45');
	assert.equal(await tab.evaluate('page.heat.weight.reduce((a, b) => a + b)'), samplesOf('25,45').all);
	await tab.evaluate('from.value = "30"; to.value = "40"; to.dispatchEvent(new Event("change"))');
	assert.equal(await total(tab), samplesOf('30,40').all, 'times are of the recording');
	await tab.evaluate('from.value = "0"; to.value = "1"; to.dispatchEvent(new Event("change"))');
	assert.equal(await total(tab), samplesOf('25,25.02').all, 'what is before it: its first cell');
});

pageTest('a search marks the cells in which it finds something', async tab => {
	const weights = () => tab.evaluate(() => [...page.heat.marked ?? []]);
	const sum = (cells, from, to) => cells.slice(from * 50, to * 50).reduce((a, b) => a + b, 0);
	const purple = async second => {
		const [red, green] = await pixel(tab, ...await cell(tab, second, 0.01), 'heat');

		return red - green;
	};

	assert.deepEqual(await weights(), []);
	await tab.evaluate('page.ask({q: "^tls_handshake$"})');
	const found = await weights();

	assert.equal(sum(found, 30, 40), samplesOf('30,40').matched, 'its samples');
	assert.equal(sum(found, 0, 60), samplesOf('0,60').matched);
	await drawn(tab);
	assert.ok(await purple(35) > 30, 'a cell that has some');
	assert.ok(Math.abs(await purple(found.findIndex((weight, at) => at % 50 === 0 && weight === 0) / 50)) < 10, 'one that has none');
	await tab.evaluate('page.ask({q: ""})');
	assert.deepEqual(await weights(), [], 'no search, no marks');
});

pageTest('a narrow window has all of it', async tab => {
	await tab.setViewport({width: 400, height: 700});
	await drawn(tab);
	assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 400);
});

tabTest('an empty trace says so', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'empty'), '--heatmap'));
	assert.equal(await text(tab, '#nothing'), 'No samples were counted.');
});

tabTest('a script for a name is text', async tab => {
	await open(tab, pageOf(folder, traceOf(folder, 'small'), '--heatmap', ...hostile));
	assert.ok(await spot(tab, '<script>alert(1)</script>'));
});

tabTest('each address space has its own samples', async tab => {
	const names = ['-s', join(here, '../cli/report.syms')];

	await open(tab, pageOf(folder, traceOf(folder, 'spaces'), '--heatmap', '--by', 'space', ...names));
	const [shown, mapped] = await tab.evaluate(() =>
		[page.profile.weight, page.profile.weightWithin(0, page.profile.heat.cells)].map(weights => [...weights]));

	assert.equal(shown.length, 5);
	assert.deepEqual(mapped, shown);
});

// --- a range -------------------------------------------------------------------------------------------------------

pageTest('a range that is dragged over', async tab => {
	const {all, matched} = samplesOf('30,40');

	await dragBurst(tab);
	assert.equal(await total(tab), all, 'its samples');
	const shaking = await tab.evaluate(() => {
		const {whole, profile} = page;

		return whole.total[profile.name.indexOf(profile.names.indexOf('tls_handshake'))];
	});

	assert.equal(shaking, matched, 'those of a function in it');
	assert.ok(matched / all > 0.5, 'which is a burst');
	assert.match(await fragment(tab), /time=30-40/, 'the address has the range');
	assert.equal(await tab.evaluate('[from.value, to.value].join()'), '30,40', 'the fields as well');
	const said = `${all.toLocaleString('en-US')} samples of 4,613 samples`;

	assert.equal(await text(tab, '#chosen'), said, 'and it is said');
});

pageTest('zoomed within a range', async tab => {
	await dragBurst(tab);
	await clickFrame(tab, 'tls_handshake');
	assert.equal(await tab.evaluate('page.graph.focus.label'), 'tls_handshake');
	assert.equal(await tab.evaluate('page.graph.focus.now'), samplesOf('30,40').matched, 'to its samples');
	await tab.goBack();
	await tab.goBack();
	assert.equal(await total(tab), ALL, 'back, and back to all of the time');
});

pageTest('the address brings the range back', async tab => {
	await dragBurst(tab);
	const burst = await fragment(tab);

	await click(tab, '#all-time');
	assert.equal(await total(tab), ALL, 'all of it');
	await open(tab, file, burst);
	await tab.reload();
	assert.equal(await total(tab), samplesOf('30,40').all);
	await click(tab, '#all-time');
	assert.equal(await total(tab), ALL, 'all of it again');
});

tabTest('shares in a range are of all samples in it', async tab => {
	const {all, matched} = samplesOf('30,40'), share = (100 * matched / all).toFixed(1);

	await open(tab, pageOf(folder, web, '--heatmap', '--focus', '^tls_handshake$', ...symbols), 'time=30-40');
	assert.equal(await text(tab, '#frame-figures'), `${matched.toLocaleString('en-US')} samples · ${share}% of all`);
	await click(tab, '#all-time');
	assert.equal(await text(tab, '#frame-figures'), '1,079 samples · 23.4% of all', 'and in all of the time');
});

pageTest('a range that is typed', async tab => {
	await tab.evaluate('from.value = "7"; to.value = "7.5"; to.dispatchEvent(new Event("change"))');
	assert.equal(await total(tab), samplesOf('7,7.5').all);
});

pageTest('keys choose a cell', async tab => {
	await tab.focus('#map');
	await press(tab, 'ArrowRight', 'Enter');
	const [, from, to] = /time=([\d.]+)-([\d.]+)/.exec(await fragment(tab));

	assert.ok(Math.abs(to - from - 0.02) < 1e-6, `${from} to ${to}`);
	assert.equal(await total(tab), samplesOf(`${from},${to}`).all, 'its samples');
	await press(tab, 'Escape', 'Escape', 'Escape');
	assert.equal(await total(tab), ALL, 'Esc ends it');
});

tabTest('a time after the end does no harm', async tab => {
	await open(tab, file, 'time=90-99');
	assert.equal(await tab.evaluate('page.heat.columns'), 60);
});
