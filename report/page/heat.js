// SPDX-License-Identifier: BSD-2-Clause
// heat.js - the heat map: a column of a round time, its parts from top to bottom; a range of time is chosen on it.
'use strict';

/* global Colours */

const CELL_HEIGHT = [4, 16];      // pixels, at least and at most
const CELL_WIDTH = [3, 48];
const HEAT_MARGIN = {left: 52, bottom: 20};
const HEAT_STEPS = 24;
const ROUND_SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];

class HeatMap {
	// element holds the canvas; on: {choose(from, to), hover(cell or -1, event)}; cells are numbered in the order of time.
	constructor(element, heat, colours, on) {
		this.element = element;
		this.canvas = element.querySelector('canvas');
		this.heat = heat;
		this.colours = colours;
		this.on = on;
		this.columns = Math.max(1, Math.ceil(heat.cells / heat.rows));
		this.weight = new Float64Array(this.columns * heat.rows);
		for (let i = 0; i < heat.cell.length; i++)
			this.weight[heat.cell[i]] += heat.weight[i];
		this.most = this.weight.reduce((a, b) => Math.max(a, b), 1);
		this.marked = null; // what the search finds in each cell
		this.chosen = null; // {from, to}: cells from up to to, without to
		this.cursor = 0;
		this.listen();
	}

	get columnSeconds() { return this.heat.rows * this.heat.cellSeconds; }

	listen() {
		const {canvas} = this;

		canvas.addEventListener('pointerdown', event => {
			const cell = this.cellAt(event);

			if (cell < 0 || event.button !== 0)
				return;
			canvas.setPointerCapture(event.pointerId);
			this.start = event.shiftKey && this.chosen ? this.chosen.from : cell;
			this.select(cell);
		});
		canvas.addEventListener('pointermove', event => {
			const cell = this.cellAt(event);

			this.on.hover(cell, event);
			if (this.start !== undefined && cell >= 0)
				this.select(cell);
		});
		canvas.addEventListener('pointerup', () => this.finish());
		canvas.addEventListener('pointercancel', () => this.finish());
		canvas.addEventListener('pointerleave', event => this.on.hover(-1, event));
		this.element.addEventListener('keydown', event => this.key(event));
		new ResizeObserver(() => this.draw()).observe(this.element);
	}

	// The range from where the choice began to this cell.
	select(cell) {
		this.cursor = cell;
		this.chosen = {from: Math.min(this.start, cell), to: Math.max(this.start, cell) + 1};
		this.draw();
	}

	finish() {
		if (this.start === undefined)
			return;
		this.start = undefined;
		this.on.choose(this.chosen.from, this.chosen.to);
	}

	key(event) {
		const step = {ArrowLeft: -this.heat.rows, ArrowRight: this.heat.rows, ArrowUp: -1, ArrowDown: 1}[event.key];

		if (event.key === 'Enter') {
			this.on.choose(this.chosen?.from ?? this.cursor, this.chosen?.to ?? this.cursor + 1);
		} else if (step) {
			const anchor = this.anchor ?? this.cursor;

			this.cursor = Math.min(Math.max(this.cursor + step, 0), this.heat.cells - 1);
			this.anchor = event.shiftKey ? anchor : this.cursor;
			this.start = this.anchor;
			this.select(this.cursor);
			this.start = undefined;
			this.on.hover(this.cursor, null);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	show(chosen) {
		this.chosen = chosen;
		this.draw();
	}

	mark(marked) {
		this.marked = marked;
		this.draw();
	}

	measure() {
		const room = this.element.clientWidth - HEAT_MARGIN.left - 2;
		const fit = (most, [low, high]) => Math.min(Math.max(most, low), high);

		this.cellWidth = fit(room / this.columns, CELL_WIDTH);
		this.cellHeight = fit(Math.floor(200 / this.heat.rows), CELL_HEIGHT);
		this.width = Math.round(HEAT_MARGIN.left + this.columns * this.cellWidth + 2);
		this.height = this.heat.rows * this.cellHeight + HEAT_MARGIN.bottom;
	}

	cellAt(event) {
		const column = Math.floor((event.offsetX - HEAT_MARGIN.left) / this.cellWidth);
		const row = Math.floor(event.offsetY / this.cellHeight), cell = column * this.heat.rows + row;

		return column < 0 || column >= this.columns || row < 0 || row >= this.heat.rows || cell >= this.heat.cells ? -1 : cell;
	}

	// From the start of the recording.
	seconds(cell) {
		return this.heat.origin + cell * this.heat.cellSeconds;
	}

	// --- drawing --------------------------------------------------------------------------------------------------------

	draw() {
		this.measure();
		const pen = this.colours.startDrawing(this.canvas, this.width, this.height);

		pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
		this.drawCells(pen);
		this.drawChosen(pen);
		this.drawAxes(pen);
		this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
	}

	drawCells(pen) {
		const {cells} = this.heat, c = this.colours;
		const steps = Array.from({length: HEAT_STEPS + 1}, (_, i) => i * 2 < HEAT_STEPS ?
			Colours.mix(c['heat-low'], c['heat-middle'], i * 2 / HEAT_STEPS) :
			Colours.mix(c['heat-middle'], c['heat-high'], i * 2 / HEAT_STEPS - 1));

		const gapX = this.cellWidth < 6 ? 0 : 1, gapY = this.cellHeight < 6 ? 0 : 1;

		for (let cell = 0; cell < cells; cell++) {
			const weight = this.weight[cell], found = this.marked?.[cell];

			pen.fillStyle = this.marked ? Colours.mix(c.dim, c.match, found ? 0.25 + 0.75 * found / this.most : 0) :
				weight ? steps[Math.round(weight / this.most * HEAT_STEPS)] : c.dim;
			pen.fillRect(...this.corner(cell), this.widthAt(cell) - gapX, this.cellHeight - gapY);
		}
	}

	left(column) {
		return Math.round(HEAT_MARGIN.left + column * this.cellWidth);
	}

	corner(cell) {
		return [this.left(Math.floor(cell / this.heat.rows)), cell % this.heat.rows * this.cellHeight];
	}

	widthAt(cell) {
		const column = Math.floor(cell / this.heat.rows);

		return this.left(column + 1) - this.left(column);
	}

	// What is not chosen is veiled.
	drawChosen(pen) {
		const {rows} = this.heat;

		if (!this.chosen)
			return;
		pen.fillStyle = this.colours.paper;
		pen.globalAlpha = 0.62;
		this.fillRange(pen, 0, this.chosen.from);
		this.fillRange(pen, this.chosen.to, this.columns * rows);
		pen.globalAlpha = 1;
	}

	fillRange(pen, from, to) {
		const {rows} = this.heat;

		for (let cell = from; cell < to;) {
			const next = Math.min(to, (Math.floor(cell / rows) + 1) * rows);

			pen.fillRect(...this.corner(cell), this.widthAt(cell), (next - cell) * this.cellHeight);
			cell = next;
		}
	}

	drawAxes(pen) {
		const every = this.labelEvery(), bottom = this.heat.rows * this.cellHeight;

		pen.fillStyle = this.colours.faint;
		pen.textAlign = 'right';
		pen.textBaseline = 'top';
		pen.fillText('0', HEAT_MARGIN.left - 8, 0);
		pen.textBaseline = 'middle';
		pen.fillText(HeatMap.short(this.columnSeconds / 2), HEAT_MARGIN.left - 8, bottom / 2);
		pen.textBaseline = 'bottom';
		pen.fillText(HeatMap.short(this.columnSeconds), HEAT_MARGIN.left - 8, bottom);
		pen.textAlign = 'left';
		pen.textBaseline = 'top';
		for (let column = 0; column < this.columns; column += every) {
			const x = this.left(column), label = this.clock(this.heat.origin + column * this.columnSeconds);

			pen.fillRect(x, bottom, 1, 4);
			if (x + 3 + pen.measureText(label).width <= this.width)
				pen.fillText(label, x + 3, bottom + 4);
		}
	}

	// 12.5 s; 1:05:00 where the last label would have many digits.
	clock(seconds) {
		const two = n => String(n).padStart(2, '0'), whole = Math.round(seconds);

		if (this.seconds(this.heat.cells) < 600)
			return `${+seconds.toFixed(2)} s`;
		return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
	}

	static short(seconds) {
		return seconds < 1 ? `${+(seconds * 1000).toPrecision(3)} ms` : `${+seconds.toPrecision(3)} s`;
	}

	// Columns between labels, which are then at round times.
	labelEvery() {
		const least = 64 / this.cellWidth * this.columnSeconds, every = ROUND_SECONDS.find(seconds => seconds >= least &&
			Math.abs(seconds / this.columnSeconds - Math.round(seconds / this.columnSeconds)) < 1e-6);

		return every ? Math.round(every / this.columnSeconds) : Math.ceil(64 / this.cellWidth);
	}
}
