// SPDX-License-Identifier: BSD-2-Clause
// graph.js - a tree of frames drawn as a flame graph on a canvas as large as what is seen of it, with a list of the widest
// frames beside it for screen readers.
'use strict';

const ROW = 19;          // pixels of a row of frames
const TEXT_FROM = 26;    // narrower frames bear no name
const SEEN_FROM = 0.8;   // what is narrower is drawn as one grey strip with its neighbours
const LISTED = 300;      // frames in the list

// The colours that are drawn in; the style sheet has those that are not the names' own.
class Colours {
	constructor(data) {
		this.data = data;
		this.read();
	}

	// Anew after light turned dark.
	read() {
		const style = getComputedStyle(document.documentElement);

		this.names = document.documentElement.dataset.theme === 'dark' ? this.data.dark : this.data.light;
		for (const key of ['paper', 'ink', 'frame-ink', 'dim', 'dim-ink', 'tiny', 'match', 'match-ink', 'same', 'more', 'less',
			'faint', 'heat-low', 'heat-middle', 'heat-high'])
			this[key] = style.getPropertyValue(`--${key}`).trim();
		this.groups = this.names[this.names.length - 1];
	}

	of(frame) {
		return frame.key < 0 ? this.groups : this.names[this.data.colours[frame.key]];
	}

	// Makes the canvas so large, in pixels of the style sheet, and empty; what draws on it.
	startDrawing(canvas, width, height) {
		const ratio = window.devicePixelRatio || 1, pen = canvas.getContext('2d', {alpha: false});

		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		pen.scale(ratio, ratio);
		pen.fillStyle = this.paper;
		pen.fillRect(0, 0, width, height);
		return pen;
	}

	// From a at 0 to b at 1; both as #rrggbb.
	static mix(a, b, share) {
		const part = i => {
			const from = parseInt(a.slice(i, i + 2), 16), to = parseInt(b.slice(i, i + 2), 16);

			return Math.round(from + (to - from) * share).toString(16).padStart(2, '0');
		};

		return `#${part(1)}${part(3)}${part(5)}`;
	}
}

class Graph {
	// element holds #sheet with the canvas, and #items; on: {choose(frame), zoom(frame), hover(frame, event)}.
	constructor(element, colours, on) {
		this.element = element;
		this.sheet = element.querySelector('#sheet');
		this.canvas = element.querySelector('canvas');
		this.items = element.querySelector('#items');
		this.colours = colours;
		this.on = on;
		this.rows = [];
		this.listen();
	}

	listen() {
		this.element.addEventListener('scroll', () => this.drawSoon());
		this.canvas.addEventListener('pointermove', event => this.on.hover(this.frameAt(event), event));
		this.canvas.addEventListener('pointerleave', event => this.on.hover(null, event));
		this.canvas.addEventListener('click', event => {
			const frame = this.frameAt(event);

			if (frame)
				this.on.zoom(frame);
		});
		this.items.addEventListener('click', event => this.on.zoom(this.listed[[...this.items.children].indexOf(event.target)]));
		new ResizeObserver(() => this.show({})).observe(this.element);
	}

	// What changed of: focus (the frame that fills the width), down (roots at the top), marks (found names, or null), chosen,
	// byOld (widths), shade (frame -> -1 to 1 in a comparison, or null).
	show(changes) {
		const moved = 'focus' in changes && changes.focus !== this.focus || 'down' in changes && changes.down !== this.down;

		Object.assign(this, changes);
		this.element.classList.toggle('down', Boolean(this.down));
		if (!this.focus)
			return;
		this.layOut();
		if (moved)
			this.element.scrollTop = this.down ? 0 : this.sheet.offsetHeight;
		this.drawSoon();
		clearTimeout(this.listing);
		this.listing = setTimeout(() => this.list(), 60);
	}

	value(frame) {
		return this.byOld ? frame.old : frame.now;
	}

	// --- where frames lie -----------------------------------------------------------------------------------------------

	layOut() {
		const width = this.element.clientWidth;

		this.rows = [];
		this.width = width;
		for (const frame of this.focus.path)
			this.put(frame, 0, width);
		this.layOutBelow(this.focus, width);
		this.sheet.style.height = `${this.rows.length * ROW}px`;
	}

	put(frame, x, width) {
		const row = this.rows[frame.depth] ??= {boxes: [], strips: []};

		row.boxes.push({frame, x, width});
	}

	// Without recursion, as stacks may be deep.
	layOutBelow(focus, width) {
		const scale = this.value(focus) > 0 ? width / this.value(focus) : 0;
		const open = [{frame: focus, x: 0}];

		for (let at = open.pop(); at; at = open.pop()) {
			let x = at.x;

			for (const child of at.frame.children) {
				const wide = this.value(child) * scale;

				if (wide >= SEEN_FROM) {
					this.put(child, x, wide);
					open.push({frame: child, x});
				} else if (wide > 0) {
					this.strip(child.depth, x, x + wide);
				}
				x += wide;
			}
		}
		for (const row of this.rows)
			row.boxes.sort((a, b) => a.x - b.x);
	}

	strip(depth, from, to) {
		const {strips} = this.rows[depth] ??= {boxes: [], strips: []};
		const last = strips[strips.length - 1];

		if (last && Math.abs(last.to - from) < 0.01)
			last.to = to;
		else
			strips.push({from, to});
	}

	top(depth) {
		return (this.down ? depth : this.rows.length - 1 - depth) * ROW;
	}

	frameAt(event) {
		const x = event.offsetX, y = Math.floor((event.offsetY + this.element.scrollTop) / ROW);
		const row = this.rows[this.down ? y : this.rows.length - 1 - y];
		const box = row?.boxes[Graph.lastNotAfter(row.boxes, x)];

		return box && x < Math.max(box.x + box.width, box.x + 1) ? box.frame : null;
	}

	static lastNotAfter(boxes, x) {
		let from = 0, to = boxes.length;

		while (from < to) {
			const middle = (from + to) >> 1;

			if (boxes[middle].x <= x)
				from = middle + 1;
			else
				to = middle;
		}
		return from - 1;
	}

	boxOf(frame) {
		return this.rows[frame?.depth]?.boxes.find(box => box.frame === frame) ?? null;
	}

	// --- drawing --------------------------------------------------------------------------------------------------------

	drawSoon() {
		this.frameRequest ??= requestAnimationFrame(() => {
			this.frameRequest = null;
			this.draw();
		});
	}

	draw() {
		const height = Math.min(this.element.clientHeight, this.rows.length * ROW);
		const pen = this.colours.startDrawing(this.canvas, this.width, height);

		pen.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
		pen.textBaseline = 'middle';
		this.letter = pen.measureText('x').width;
		this.rows.forEach((row, depth) => {
			const y = this.top(depth) - this.element.scrollTop;

			if (y > -ROW && y < height)
				this.drawRow(pen, row, y);
		});
		this.drawChosen(pen);
		this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
	}

	drawRow(pen, row, y) {
		pen.fillStyle = this.colours.tiny;
		for (const {from, to} of row.strips)
			pen.fillRect(from, y, Math.max(to - from, 0.5), ROW - 1);
		for (const box of row.boxes)
			this.drawBox(pen, box, y);
	}

	drawBox(pen, {frame, x, width}, y) {
		const from = Math.round(x), to = Math.max(Math.round(x + width), from + 1);
		const [fill, ink] = this.coloursOf(frame);

		pen.fillStyle = fill;
		pen.fillRect(from, y, to - from > 3 ? to - from - 1 : to - from, ROW - 1);
		if (to - from < TEXT_FROM)
			return;
		pen.fillStyle = ink;
		pen.fillText(Graph.cut(frame.label, Math.floor((to - from - 8) / this.letter)), from + 4, y + ROW / 2, to - from - 8);
	}

	coloursOf(frame) {
		const c = this.colours, above = frame.depth < this.focus.depth;

		if (this.marks)
			return frame.key >= 0 && this.marks[frame.key] ? [c.match, c['match-ink']] : [c.dim, c['dim-ink']];
		if (this.shade)
			return [this.shadeOf(this.shade(frame)), c['frame-ink']];
		return above ? [c.dim, c['dim-ink']] : [c.of(frame), c['frame-ink']];
	}

	// The root stands for how strong the strongest change is: small ones are to be seen as well.
	shadeOf(change) {
		return Colours.mix(this.colours.same, change > 0 ? this.colours.more : this.colours.less, Math.sqrt(Math.abs(change)));
	}

	static cut(text, letters) {
		return text.length <= letters ? text : `${text.slice(0, Math.max(letters - 1, 1))}…`;
	}

	drawChosen(pen) {
		const box = this.boxOf(this.chosen);

		if (!box)
			return;
		pen.strokeStyle = this.colours.ink;
		pen.lineWidth = 2;
		pen.strokeRect(Math.round(box.x) + 1, this.top(this.chosen.depth) - this.element.scrollTop + 1,
			Math.max(Math.round(box.width) - 3, 2), ROW - 3);
	}

	// --- moving by keys -------------------------------------------------------------------------------------------------

	// The frame beside, above or below the chosen one: what is seen there.
	neighbour(key) {
		const from = this.boxOf(this.chosen) ?? this.boxOf(this.focus);
		const outwards = (key === 'ArrowDown') === Boolean(this.down);

		if (key === 'ArrowLeft' || key === 'ArrowRight') {
			const {boxes} = this.rows[from.frame.depth];

			return boxes[boxes.indexOf(from) + (key === 'ArrowRight' ? 1 : -1)]?.frame ?? from.frame;
		}
		if (!outwards)
			return from.frame.parent ?? from.frame;
		return this.widestBelow(from.frame) ?? from.frame;
	}

	// On the way to what is zoomed into there is one frame below another.
	widestBelow(frame) {
		const below = (this.rows[frame.depth + 1]?.boxes ?? []).filter(box => box.frame.parent === frame);

		return below.reduce((a, b) => a && a.width >= b.width ? a : b, null)?.frame;
	}

	scrollTo(frame) {
		const y = this.top(frame.depth), {scrollTop, clientHeight} = this.element;

		if (y < scrollTop)
			this.element.scrollTop = y;
		else if (y + ROW > scrollTop + clientHeight)
			this.element.scrollTop = y + ROW - clientHeight;
	}

	// --- for screen readers ---------------------------------------------------------------------------------------------

	// The widest frames, and the chosen one, callers before callees.
	list() {
		const boxes = this.rows.flatMap(row => row.boxes).sort((a, b) => b.width - a.width || a.frame.depth - b.frame.depth);
		const chosen = this.boxOf(this.chosen), shown = boxes.slice(0, LISTED);

		if (chosen && !shown.includes(chosen))
			shown.push(chosen);
		shown.sort((a, b) => a.x - b.x || a.frame.depth - b.frame.depth);
		this.listed = shown.map(box => box.frame);
		this.items.replaceChildren(...shown.map((box, i) => this.item(box.frame, i)));
		this.element.dataset.listed = String(shown.length);
	}

	item(frame, i) {
		const item = document.createElement('div');

		item.id = `frame-${i}`;
		item.setAttribute('role', 'treeitem');
		item.setAttribute('aria-level', String(frame.depth + 1));
		item.setAttribute('aria-selected', String(frame === this.chosen));
		item.textContent = this.on.say(frame);
		if (frame === this.chosen)
			this.element.setAttribute('aria-activedescendant', item.id);
		return item;
	}
}
