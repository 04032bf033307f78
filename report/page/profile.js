// SPDX-License-Identifier: BSD-2-Clause
// profile.js - the profile that the page carries, in arrays: frames depth first, stacks, and when they were seen.
// page_data.c writes it; DATA_VERSION is there.
'use strict';

const KIND_GROUP = 2, KIND_INLINED = 3; // enum fold_kind

class Profile {
	constructor(data) {
		this.data = data;
		this.names = data.names;
		this.kinds = data.kinds;
		this.readNodes(data.up, data.name);
		this.readStacks(data.stacks);
		this.heat = data.heat ? Profile.readHeat(data.heat) : null;
	}

	// Node 0 is the root of all; end is the first node that is not below.
	readNodes(up, name) {
		const count = up.length + 1;

		this.count = count;
		this.parent = new Int32Array(count);
		this.name = new Int32Array(count);
		this.end = new Int32Array(count);
		this.name[0] = this.parent[0] = -1;
		for (let i = 1; i < count; i++) {
			let above = i - 1;

			for (let n = up[i - 1]; n > 0; n--) {
				this.end[above] = i;
				above = this.parent[above];
			}
			this.parent[i] = above;
			this.name[i] = name[i - 1];
		}
		for (let i = count - 1; i >= 0 && this.end[i] === 0; i = this.parent[i])
			this.end[i] = count;
	}

	readStacks(stacks) {
		this.stackNode = Profile.summed(stacks.node);
		this.stackVcpu = Int32Array.from(stacks.vcpu);
		this.weight = Float64Array.from(stacks.weight); // each of data.unit_ns, 0: samples
		this.old = stacks.old ? Float64Array.from(stacks.old) : null;
	}

	static readHeat(heat) {
		return {
			origin: heat.origin_us / 1e6, cellSeconds: heat.cell_us / 1e6, rows: heat.rows, cells: heat.cells, stack: Int32Array.from(heat.stack),
			...Profile.readCells(heat), leftOut: Profile.readCells(heat.left_out),
		};
	}

	static readCells({cell, weight}) {
		return {cell: Profile.summed(cell), weight: Float64Array.from(weight)};
	}

	static summed(differences) {
		const sums = Int32Array.from(differences);

		for (let i = 1; i < sums.length; i++)
			sums[i] += sums[i - 1];
		return sums;
	}

	// What each stack weighs in cells from, ..., to - 1 of the heat map.
	weightWithin(from, to) {
		const weight = new Float64Array(this.weight.length), heat = this.heat;

		for (let i = 0; i < heat.cell.length; i++)
			if (heat.cell[i] >= from && heat.cell[i] < to)
				weight[heat.stack[i]] += heat.weight[i];
		return weight;
	}

	// What stacks with a marked name weigh in each of that many cells.
	markedByCell(marks, cells) {
		const {parent, name, count, stackNode, heat} = this, marked = new Uint8Array(count), weight = new Float64Array(cells);

		for (let node = 1; node < count; node++)
			marked[node] = marked[parent[node]] || marks[name[node]];
		for (let i = 0; i < heat.cell.length; i++)
			if (marked[stackNode[heat.stack[i]]])
				weight[heat.cell[i]] += heat.weight[i];
		return weight;
	}

	// What shares are of in cells from, ..., to - 1: with what filters by name leave out, unless --percentage is relative.
	wholeWithin(from, to) {
		let sum = 0;

		for (const {cell, weight} of [this.heat, this.heat.leftOut])
			for (let i = 0; i < cell.length; i++)
				if (cell[i] >= from && cell[i] < to)
					sum += weight[i];
		return sum;
	}
}
