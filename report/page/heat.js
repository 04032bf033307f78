// SPDX-License-Identifier: BSD-2-Clause
// heat.js - the heat map: a column a second (or longer), its parts from top to bottom; a range of time is chosen on it.
'use strict';

/* global Colours */

const CELL_HEIGHT = [4, 6];       // pixels, at least and at most
const CELL_WIDTH = [3, 22];
const HEAT_MARGIN = {left: 52, bottom: 20};
const HEAT_STEPS = 24;

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

	measure() {
		const room = this.element.clientWidth - HEAT_MARGIN.left - 2;
		const fit = (most, [low, high]) => Math.min(Math.max(Math.floor(most), low), high);

		this.cellWidth = fit(room / this.columns, CELL_WIDTH);
		this.cellHeight = fit(200 / this.heat.rows, CELL_HEIGHT);
		this.width = HEAT_MARGIN.left + this.columns * this.cellWidth + 2;
		this.height = this.heat.rows * this.cellHeight + HEAT_MARGIN.bottom;
	}

	cellAt(event) {
		const column = Math.floor((event.offsetX - HEAT_MARGIN.left) / this.cellWidth);
		const row = Math.floor(event.offsetY / this.cellHeight), cell = column * this.heat.rows + row;

		return column < 0 || column >= this.columns || row < 0 || row >= this.heat.rows || cell >= this.heat.cells ? -1 : cell;
	}

	seconds(cell) {
		return cell * this.heat.cellSeconds;
	}

	// --- drawing --------------------------------------------------------------------------------------------------------

	draw() {
		const ratio = window.devicePixelRatio || 1, pen = this.canvas.getContext('2d', {alpha: false});

		this.measure();
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = `${this.width}px`;
		this.canvas.style.height = `${this.height}px`;
		pen.scale(ratio, ratio);
		pen.fillStyle = this.colours.paper;
		pen.fillRect(0, 0, this.width, this.height);
		pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
		this.drawCells(pen);
		this.drawChosen(pen);
		this.drawAxes(pen);
		this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
	}

	drawCells(pen) {
		const {rows, cells} = this.heat, c = this.colours;
		const steps = Array.from({length: HEAT_STEPS + 1}, (_, i) => i * 2 < HEAT_STEPS ?
			Colours.mix(c['heat-low'], c['heat-middle'], i * 2 / HEAT_STEPS) :
			Colours.mix(c['heat-middle'], c['heat-high'], i * 2 / HEAT_STEPS - 1));

		for (let cell = 0; cell < cells; cell++) {
			const weight = this.weight[cell];

			pen.fillStyle = weight ? steps[Math.round(weight / this.most * HEAT_STEPS)] : c.dim;
			pen.fillRect(...this.corner(cell), this.cellWidth - 1, this.cellHeight - 1);
		}
	}

	corner(cell) {
		return [HEAT_MARGIN.left + Math.floor(cell / this.heat.rows) * this.cellWidth, cell % this.heat.rows * this.cellHeight];
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

			pen.fillRect(...this.corner(cell), this.cellWidth, (next - cell) * this.cellHeight);
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
			const x = HEAT_MARGIN.left + column * this.cellWidth;

			pen.fillRect(x, bottom, 1, 4);
			pen.fillText(`${column * this.columnSeconds} s`, x + 3, bottom + 4);
		}
	}

	static short(seconds) {
		return seconds < 1 ? `${+(seconds * 1000).toPrecision(3)} ms` : `${+seconds.toPrecision(3)} s`;
	}

	// Columns between labels: 1, 2 or 5 times a power of ten.
	labelEvery() {
		for (let every = 1; ; every *= 10)
			for (const times of [1, 2, 5])
				if (every * times * this.cellWidth >= 56)
					return every * times;
	}
}
