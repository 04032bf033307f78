// SPDX-License-Identifier: BSD-2-Clause
// page.js - what the user asked for, kept in the address's fragment, and the page that shows it. Every text that comes
// from a trace goes through textContent or a canvas: it is never read as HTML.
'use strict';

/* global KIND_INLINED, Profile, TopDown, BottomUp, ByVcpu, Colours, Graph, HeatMap */

const byId = id => document.getElementById(id);

// --- texts ----------------------------------------------------------------------------------------------------------

const count = n => n.toLocaleString('en-US');

function share(part, whole) {
	const percent = whole > 0 ? 100 * part / whole : 0;

	return `${percent !== 0 && Math.abs(percent) < 0.1 ? percent.toPrecision(1) : percent.toFixed(1)}%`;
}

function time(us) {
	if (us < 1e3)
		return `${Math.round(us)} µs`;
	if (us < 1e6)
		return `${(us / 1e3).toFixed(1)} ms`;
	return us < 600e6 ? `${(us / 1e6).toFixed(1)} s` :
		`${Math.floor(us / 3600e6)} h ${String(Math.floor(us / 60e6) % 60).padStart(2, '0')} min`;
}

function element(tag, text, className) {
	const made = document.createElement(tag);

	made.textContent = text;
	if (className)
		made.className = className;
	return made;
}

// --- what is asked for ----------------------------------------------------------------------------------------------

// The fragment's keys and their values when they are not there. zoom: keys of frames from below the root; time:
// seconds.
const NOTHING_ASKED = {view: 'top-down', roots: 'bottom', by: '', width: 'new', q: '', zoom: '', time: '', theme: ''};

function asked(fragment) {
	const given = new URLSearchParams(fragment.replace(/^#/, ''));

	return Object.fromEntries(Object.entries(NOTHING_ASKED).map(([key, none]) => [key, given.get(key) ?? none]));
}

function fragmentOf(state) {
	const kept = Object.entries(state).filter(([key, value]) => value !== NOTHING_ASKED[key]);

	return `#${new URLSearchParams(kept)}`;
}

// As the strongest change: there is none.
const NO_CHANGE = 1e-9;

// Lost samples and broken stacks stand out from this share on.
const NOTABLE = 0.05;

// --- the page -------------------------------------------------------------------------------------------------------

class Page {
	constructor(data) {
		this.data = data;
		this.profile = new Profile(data);
		this.dark = matchMedia('(prefers-color-scheme: dark)');
		this.state = asked(location.hash);
		this.setTheme();
		this.colours = new Colours(data);
		this.graph = new Graph(byId('graph'), this.colours, {
			zoom: frame => this.zoom(frame), hover: (frame, event) => this.tip(frame && this.tipOfFrame(frame), event),
			say: frame => `${frame.label}: ${this.figures(frame).join(', ')}`,
		});
		if (this.profile.heat)
			this.addHeatMap();
		this.fillIn();
		this.listen();
		this.apply();
	}

	addHeatMap() {
		byId('heat').hidden = false;
		this.heat = new HeatMap(byId('map'), this.profile.heat, this.colours, {
			choose: (from, to) => this.ask({
				time: `${this.round(this.heat.seconds(from))}-${this.round(this.heat.seconds(to))}`,
			}),
			hover: (cell, event) => this.tip(cell >= 0 && this.tipOfCell(cell), event),
		});
	}

	// Seconds without the noise of binary fractions.
	round(seconds) {
		return +seconds.toFixed(6);
	}

	// --- what the trace is --------------------------------------------------------------------------------------

	fillIn() {
		const {data} = this;

		byId('title').textContent = data.title || 'profile';
		byId('figures').replaceChildren(...this.headline());
		byId('by-vcpu').hidden = data.vcpus.length < 2;
		byId('by-old').hidden = byId('legend').hidden = !this.profile.old;
		byId('trust').replaceChildren(...Page.terms(Page.paragraphs(data.trust ?? '')));
		byId('facts').replaceChildren(...Page.terms(data.facts));
	}

	headline() {
		const f = this.data.figures, stacks = f.whole + f.truncated + f.broken, items = [];
		const add = (number, what, bad) => {
			const item = element('li', '', bad ? 'bad' : '');

			item.append(element('b', number), ` ${what}`);
			items.push(item);
		};

		add(count(f.samples), 'samples');
		add(time(f.duration_us), 'recorded');
		add(count(f.lost), 'lost', f.lost > NOTABLE * f.samples);
		add(share(f.broken, stacks), 'of stacks broken', f.broken > NOTABLE * stacks);
		if (f.truncated > 0)
			add(share(f.truncated, stacks), 'truncated');
		add(time(f.paused_us), `paused, ${share(f.paused_us, f.guests_us)} of the time`);
		if (!f.sound)
			add('Incomplete:', 'the trace is damaged or cut', true);
		return items;
	}

	static sum(numbers) {
		return numbers.reduce((a, b) => a + b, 0);
	}

	// The report's paragraphs: a label, two blanks or more, then text that may go on in indented lines.
	static paragraphs(text) {
		return text.replace(/\n\s+/g, ' ').split('\n').map(line => /^(.*?) {2,}(.*)$/.exec(line)).filter(Boolean)
			.map(found => [found[1], found[2]]);
	}

	static terms(pairs) {
		return pairs.flatMap(([term, text]) => [element('dt', term), element('dd', text)]);
	}

	drawLegend() {
		const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');

		canvas.width = 240;
		canvas.height = 12;
		for (let x = 0; x < canvas.width; x++) {
			pen.fillStyle = this.graph.shadeOf(x / canvas.width * 2 - 1);
			pen.fillRect(x, 0, 1, canvas.height);
		}
		const scale = element('div', '', 'scale'), numbers = element('div', '');

		// Where the colours are a half of the strongest, the change is a quarter: shadeOf().
		numbers.replaceChildren(...[-1, -0.25, 0, 0.25, 1].map(part => element('span', Page.points(part * this.mostChange))));
		scale.replaceChildren(canvas, numbers);
		byId('legend').replaceChildren(element('span', 'less than before'), scale,
			element('span', 'more, in percentage points'),
			element('span', this.mostChange > NO_CHANGE ? 'grey: not significant' : 'no significant change', 'none'));
	}

	static points(change) {
		const points = 100 * change;

		return `${points < 0 ? '−' : points > 0 ? '+' : ''}${Math.abs(points).toFixed(Math.abs(points) < 9.95 ? 1 : 0)}`;
	}

	// --- state --------------------------------------------------------------------------------------------------

	// Changes the state; a step in the browser's history unless it is typed letter by letter.
	ask(changes, step = true) {
		this.state = {...this.state, ...changes};
		const fragment = fragmentOf(this.state);

		if (fragment !== fragmentOf(asked(location.hash)))
			history[step ? 'pushState' : 'replaceState'](null, '', fragment);
		this.apply();
	}

	apply() {
		const {state} = this;

		this.setTheme();
		this.chooseTime();
		this.chooseTree();
		this.find();
		byId('bottom-up').setAttribute('aria-pressed', String(state.view === 'bottom-up'));
		byId('invert').setAttribute('aria-pressed', String(state.roots === 'top'));
		byId('by-vcpu').setAttribute('aria-pressed', String(state.by === 'vcpu'));
		byId('by-old').setAttribute('aria-pressed', String(state.width === 'old'));
		if (document.activeElement !== byId('search'))
			byId('search').value = state.q;
		const focus = this.root.follow(state.zoom === '' ? [] : state.zoom.split('.').map(Number));

		if (this.graph.focus !== focus)
			this.chosen = focus;
		this.graph.show({
			focus, down: state.roots === 'top', marks: this.marks, byOld: state.width === 'old' && Boolean(this.profile.old),
			shade: this.profile.old ? frame => this.isNoise(frame) ? 0 : this.change(frame) / this.mostChange : null, chosen: this.chosen,
		});
		this.describe();
	}

	setTheme() {
		const theme = this.state.theme || (this.dark.matches ? 'dark' : 'light');

		if (document.documentElement.dataset.theme === theme)
			return;
		document.documentElement.dataset.theme = theme;
		this.colours?.read();
		this.heat?.draw();
		if (this.profile.old && this.graph)
			this.drawLegend();
	}

	// --- the range of time --------------------------------------------------------------------------------------

	// The cells that the state's time covers, or null for all.
	range() {
		const given = /^(\d+(?:\.\d*)?)-(\d+(?:\.\d*)?)$/.exec(this.state.time);

		if (!this.heat || !given)
			return null;
		const {origin, cellSeconds, cells} = this.profile.heat;
		const from = Math.max(Math.min(Math.floor((given[1] - origin) / cellSeconds + 1e-6), cells - 1), 0);

		return {from, to: Math.min(Math.max(Math.ceil((given[2] - origin) / cellSeconds - 1e-6), from + 1), cells)};
	}

	chooseTime() {
		const range = this.range(), key = range ? `${range.from}-${range.to}` : '';

		if (this.weight && key === this.timeKey)
			return;
		this.timeKey = key;
		this.weight = range ? this.profile.weightWithin(range.from, range.to) : this.profile.weight;
		this.whole = new TopDown(this.profile, this.weight, this.profile.old);
		this.all = {now: range ? this.profile.wholeWithin(range.from, range.to) : this.data.whole, old: this.data.old_whole};
		this.treeKey = undefined;
		if (this.profile.old) {
			this.mostChange = this.strongestChange();
			this.drawLegend();
		}
		this.heat?.show(range);
		if (this.heat)
			this.describeTime(range);
	}

	describeTime(range) {
		const {cells} = this.profile.heat, {from, to} = range ?? {from: 0, to: cells};

		byId('from').value = String(this.round(this.heat.seconds(from)));
		byId('to').value = String(this.round(this.heat.seconds(to)));
		byId('all-time').disabled = !range;
		byId('chosen').textContent = range ?
			`${this.amount(this.whole.root.now)} of ${this.amount(Page.sum(this.profile.weight))}` :
			'drag over the map to choose a range';
	}

	// --- the tree and what is marked in it ----------------------------------------------------------------------

	chooseTree() {
		const {view, by} = this.state, key = `${view} ${by}`;

		if (key === this.treeKey)
			return;
		this.treeKey = key;
		const turned = tree => view === 'bottom-up' ? new BottomUp(tree) : tree;
		const vcpus = this.data.vcpus.map((_, vcpu) => vcpu);

		this.root = by !== 'vcpu' ? turned(this.whole).root : new ByVcpu(this.profile, vcpus.map(vcpu =>
			turned(new TopDown(this.profile, this.weight, this.profile.old, vcpu)))).root;
	}

	// In parts of all samples that count, the growth from the old run to now.
	change(frame) {
		const {now, old} = this.all;

		return (now ? frame.now / now : 0) - (old ? frame.old / old : 0);
	}

	// Half of Wilson's interval of 95 %, as report/profile/noise.c has it.
	static error(share, samples) {
		const z2 = 1.959964 ** 2;

		return samples > 0 ? Math.sqrt(z2) / (1 + z2 / samples) *
			Math.sqrt(share * (1 - share) / samples + z2 / (4 * samples ** 2)) : 0.5;
	}

	// How far a change may be off by chance, of 1.
	changeError({now, old}) {
		return Math.hypot(Page.error(this.all.now ? now / this.all.now : 0, this.data.independent),
			Page.error(this.all.old ? old / this.all.old : 0, this.data.old_independent));
	}

	isNoise(frame) {
		return Math.abs(this.change(frame)) <= this.changeError(frame);
	}

	// Of those that are significant.
	strongestChange() {
		const {total, totalOld} = this.whole;
		let most = NO_CHANGE;

		for (let node = 1; node < total.length; node++) {
			const frame = {now: total[node], old: totalOld[node]};

			if (!this.isNoise(frame))
				most = Math.max(most, Math.abs(this.change(frame)));
		}
		return most;
	}

	// Marks the names that the search finds, and says what share of the samples goes through them.
	find() {
		const {q} = this.state, found = byId('found');

		if (q !== this.sought) {
			this.sought = q;
			this.marks = null;
			this.wrong = '';
			try {
				const pattern = q && new RegExp(q, /\p{Lu}/u.test(q) ? 'u' : 'iu');

				this.marks = q ? Uint8Array.from(this.profile.names, name => pattern.test(name)) : null;
			} catch (error) {
				this.wrong = `not a regular expression: ${error.message.replace(/^.*: /, '')}`;
			}
			this.heat?.mark(this.marks && this.profile.markedByCell(this.marks, this.profile.heat.cells));
		}
		byId('search').setAttribute('aria-invalid', String(this.wrong !== ''));
		found.className = this.wrong ? 'bad' : '';
		found.textContent = this.wrong || (this.marks ? this.matchedText() : '');
	}

	matchedText() {
		const names = Page.sum(this.marks);

		return names === 0 ? 'no match' :
			`${share(this.whole.matched(this.marks), this.all.now)} matched, in ${count(names)} name${names === 1 ? '' : 's'}`;
	}

	// --- frames -------------------------------------------------------------------------------------------------

	zoom(frame) {
		this.chosen = frame;
		this.tip(null);
		this.ask({zoom: frame.path.slice(1).map(step => step.key).join('.')});
	}

	choose(frame) {
		this.chosen = frame;
		this.graph.show({chosen: frame});
		this.graph.scrollTo(frame);
		this.describe();
	}

	amount(weight) {
		return this.data.unit_ns > 0 ? time(weight * this.data.unit_ns / 1e3) : `${count(weight)} sample${weight === 1 ? '' : 's'}`;
	}

	figures(frame) {
		const {now} = this.all, {parent} = frame, texts = [];

		texts.push(this.amount(frame.now), `${share(frame.now, now)} of all`);
		if (parent?.parent)
			texts.push(`${share(frame.now, parent.now)} of ${this.state.view === 'bottom-up' ? 'the callee' : 'its caller'}`);
		if (frame.selfNow > 0)
			texts.push(`${share(frame.selfNow, now)} itself`);
		if (frame.kind === KIND_INLINED)
			texts.push('inlined');
		if (this.profile.old)
			texts.push(this.changeText(frame));
		return texts;
	}

	changeText(frame) {
		const points = 100 * this.change(frame), before = `${share(frame.old, this.all.old)} before`;

		const noise = this.isNoise(frame) ? ', not significant' : '', error = (100 * this.changeError(frame)).toFixed(1);

		if (frame.old === 0)
			return `new${noise}`;
		if (frame.now === 0)
			return `gone, ${before}${noise}`;
		return `${points < 0 ? '−' : '+'}${Math.abs(points).toFixed(1)} ±${error} points${noise}, ${before}`;
	}

	describe() {
		const {chosen} = this, nothing = this.whole.root.now === 0 && this.whole.root.old === 0;

		byId('graph').hidden = byId('frame').hidden = nothing;
		byId('nothing').hidden = !nothing;
		byId('nothing').textContent = this.state.time ? 'No samples in this range.' : 'No samples were counted.';
		byId('frame-name').textContent = chosen.label;
		byId('frame-figures').textContent = this.figures(chosen).join(' · ');
	}

	// --- beside the mouse ---------------------------------------------------------------------------------------

	tipOfFrame(frame) {
		return [element('b', frame.label), ...this.figures(frame).map(text => element('span', text))];
	}

	tipOfCell(cell) {
		const {heat} = this;

		return [element('b', `${this.round(heat.seconds(cell))} to ${this.round(heat.seconds(cell + 1))} s`),
			element('span', this.amount(heat.weight[cell])),
			...heat.marked ? [element('span', `${share(heat.marked[cell], heat.weight[cell])} of it found`)] : []];
	}

	tip(content, event) {
		const tip = byId('tip');

		tip.hidden = !content || !event;
		if (tip.hidden)
			return;
		tip.replaceChildren(...content);
		const {width, height} = tip.getBoundingClientRect(), beyond = event.clientX + 16 + width > innerWidth;

		tip.style.left = `${Math.max(4, beyond ? event.clientX - width - 12 : event.clientX + 16)}px`;
		tip.style.top = `${event.clientY + 18 + height > innerHeight ?
			Math.max(4, event.clientY - height - 10) : event.clientY + 18}px`;
	}

	// --- what the user does -------------------------------------------------------------------------------------

	listen() {
		const toggle = (key, value) => () => this.ask({[key]: this.state[key] === value ? NOTHING_ASKED[key] : value});

		this.does = {
			'i': toggle('roots', 'top'),
			'b': () => this.turn(),
			'v': () => this.data.vcpus.length > 1 && this.ask({by: this.state.by ? '' : 'vcpu', zoom: ''}),
			'o': () => this.profile.old && toggle('width', 'old')(),
			't': () => this.ask({theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'}),
			'r': () => this.ask({...NOTHING_ASKED, theme: this.state.theme}),
			'c': () => this.copy(),
			'?': () => byId('keys').showModal(),
			'/': () => byId('search').select(),
			'Escape': () => this.leave(),
			'Backspace': () => this.zoom(this.graph.focus.parent ?? this.root),
			'Enter': () => this.zoom(this.chosen),
		};
		for (const [id, key] of [['invert', 'i'], ['bottom-up', 'b'], ['by-vcpu', 'v'], ['by-old', 'o'],
			['theme', 't'], ['reset', 'r'], ['copy', 'c'], ['help', '?']])
			byId(id).addEventListener('click', this.does[key]);
		byId('search').addEventListener('input', event => this.ask({q: event.target.value}, false));
		byId('all-time')?.addEventListener('click', () => this.ask({time: ''}));
		for (const id of ['from', 'to'])
			byId(id).addEventListener('change', () => this.ask({time: `${byId('from').value}-${byId('to').value}`}));
		addEventListener('popstate', () => this.restore());
		addEventListener('hashchange', () => this.restore());
		addEventListener('keydown', event => this.key(event));
		this.dark.addEventListener('change', () => this.apply());
	}

	restore() {
		this.state = asked(location.hash);
		this.apply();
	}

	// What is found at the top of one view is somewhere else in the other.
	turn() {
		this.ask({view: this.state.view === 'bottom-up' ? 'top-down' : 'bottom-up', zoom: ''});
	}

	leave() {
		const last = ['q', 'zoom', 'time'].find(key => this.state[key]);

		if (last === 'q')
			byId('search').value = '';
		if (last)
			this.ask({[last]: ''});
	}

	key(event) {
		const typing = event.target instanceof HTMLInputElement;

		if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open || (typing && event.key !== 'Escape'))
			return;
		if (event.target instanceof HTMLButtonElement && event.key === 'Enter')
			return;
		if (event.key.startsWith('Arrow') && byId('graph').contains(event.target))
			this.choose(this.graph.neighbour(event.key));
		else if (this.does[event.key])
			this.does[event.key]();
		else
			return;
		if (typing)
			event.target.blur();
		event.preventDefault();
	}

	// Where the clipboard is closed to pages from disk, the name is selected.
	async copy() {
		try {
			await navigator.clipboard.writeText(this.chosen.label);
			byId('copy').textContent = 'Copied';
			setTimeout(() => { byId('copy').textContent = 'Copy'; }, 1200);
		} catch {
			getSelection().selectAllChildren(byId('frame-name'));
		}
	}
}

const page = new Page(JSON.parse(byId('data').textContent));
