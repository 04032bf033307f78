// SPDX-License-Identifier: BSD-2-Clause
// tree.js - frames as they are shown: from the roots up, from the leaves down, or a vCPU at a time. Frames are made when
// they are looked at, so that what nobody sees costs nothing.
'use strict';

/* global KIND_GROUP */

// One box. now and old are what it weighs in the run and in the one compared with; selfNow is what ends in it now.
class Frame {
	constructor(tree, parent, key, at) {
		this.tree = tree;
		this.parent = parent;
		this.key = key; // of a function: its name's number; tells siblings apart
		this.at = at;   // the tree's own
		this.depth = parent ? parent.depth + 1 : 0;
		this.now = this.old = this.selfNow = 0;
		this.made = null;
	}

	get children() {
		this.made ??= this.tree.childrenOf(this);
		return this.made;
	}

	get label() { return this.tree.label(this.key); }
	get kind() { return this.key < 0 ? KIND_GROUP : this.tree.profile.kinds[this.key]; }

	// From the root to this frame.
	get path() {
		const path = [];

		for (let frame = this; frame; frame = frame.parent)
			path.unshift(frame);
		return path;
	}

	// The frame at the end of a path of keys from here, as far as it is there.
	follow(keys) {
		let frame = this;

		for (const key of keys) {
			const next = frame.children.find(child => child.key === key);

			if (!next)
				break;
			frame = next;
		}
		return frame;
	}
}

class Tree {
	constructor(profile) {
		this.profile = profile;
	}

	label(key) {
		return key === -1 ? 'all' : key < 0 ? this.profile.data.vcpus[-2 - key] : this.profile.names[key];
	}
}

// From the roots up. weight, old: of each stack, old may be null; vcpu: -1 for all of them.
class TopDown extends Tree {
	constructor(profile, weight, old, vcpu = -1) {
		super(profile);
		[this.self, this.total] = this.sum(weight, vcpu);
		[this.selfOld, this.totalOld] = old ? this.sum(old, vcpu) : [null, null];
		this.root = this.frame(null, 0);
	}

	sum(weight, vcpu) {
		const {count, parent, stackNode, stackVcpu} = this.profile;
		const self = new Float64Array(count);

		for (let i = 0; i < weight.length; i++)
			if (vcpu < 0 || stackVcpu[i] === vcpu)
				self[stackNode[i]] += weight[i];
		const total = self.slice();

		for (let i = count - 1; i > 0; i--)
			total[parent[i]] += total[i];
		return [self, total];
	}

	frame(parent, node) {
		const frame = new Frame(this, parent, this.profile.name[node], node);

		frame.now = this.total[node];
		frame.selfNow = this.self[node];
		frame.old = this.totalOld?.[node] ?? 0;
		return frame;
	}

	childrenOf(frame) {
		const {end} = this.profile, children = [];

		for (let node = frame.at + 1; node < end[frame.at]; node = end[node])
			if (this.total[node] > 0 || this.totalOld?.[node] > 0)
				children.push(this.frame(frame, node));
		return children;
	}

	// What stacks weigh that have a marked name; each counts once.
	matched(marks) {
		const {count, name, end} = this.profile;
		let weight = 0;

		for (let i = 1; i < count;) {
			const found = marks[name[i]];

			weight += found ? this.total[i] : 0;
			i = found ? end[i] : i + 1;
		}
		return weight;
	}
}

// From the leaves down: a frame stands for all places where its path of callers ends in the frames before it. at: two
// arrays, the leaf of each such stack and how far up from there it has come.
class BottomUp extends Tree {
	constructor(topDown) {
		super(topDown.profile);
		this.topDown = topDown;
		const leaves = [];

		for (let node = 1; node < this.profile.count; node++)
			if (topDown.self[node] > 0 || topDown.selfOld?.[node] > 0)
				leaves.push(node);
		this.root = new Frame(this, null, -1, {leaf: Int32Array.from(leaves), node: Int32Array.from(leaves)});
		this.root.now = topDown.root.now;
		this.root.old = topDown.root.old;
	}

	childrenOf(frame) {
		const {leaf, node} = frame.at, {name, parent} = this.profile;
		const byName = new Map();

		for (let i = 0; i < node.length; i++) {
			if (node[i] <= 0)
				continue;
			const key = name[node[i]];
			let child = byName.get(key);

			if (!child) {
				child = new Frame(this, frame, key, {leaf: [], node: []});
				byName.set(key, child);
			}
			child.at.leaf.push(leaf[i]);
			child.at.node.push(parent[node[i]]);
			this.count(child, leaf[i], frame.at === this.root.at);
		}
		return [...byName.values()].sort((a, b) => a.key - b.key);
	}

	count(child, leaf, isLeaf) {
		const now = this.topDown.self[leaf], old = this.topDown.selfOld?.[leaf] ?? 0;

		child.now += now;
		child.old += old;
		if (isLeaf)
			child.selfNow += now;
	}
}

// Each vCPU's tree as a child of one root; keys of vCPUs are below -1.
class ByVcpu extends Tree {
	constructor(profile, trees) {
		super(profile);
		this.trees = trees;
		this.root = new Frame(this, null, -1, null);
		for (const tree of trees) {
			this.root.now += tree.root.now;
			this.root.old += tree.root.old;
		}
	}

	childrenOf(root) {
		return this.trees.map((tree, vcpu) => {
			const frame = new Frame(tree, root, -2 - vcpu, tree.root.at);

			frame.now = tree.root.now;
			frame.old = tree.root.old;
			return frame;
		}).filter(frame => frame.now > 0 || frame.old > 0);
	}
}
