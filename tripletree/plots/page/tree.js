/* The hierarchy behind the page: nodes in depth-first order, so that the clade of node u is u .. end[u] - 1. */

class Tree {
  constructor(data) {
    const N = data.children.length;
    this.data = data;
    this.size = N;
    this.kids = Int32Array.from(data.children);
    this.parent = new Int32Array(N).fill(-1);
    this.end = new Int32Array(N);
    this.last = new Int32Array(N).fill(-1); // last child
    this.depth = new Int32Array(N);
    this.before = new Int32Array(N + 1); // leaves before each node, so a leaf's own rank
    this.leafAt = new Int32Array(data.labels.length);
    this.nest();
    this.level = this.levels();
    this.axes = data.axes.map((axis) => this.readAxis(axis));
    const measured = this.axes.find((axis) => axis.measured);
    this.heights = measured ? measured.up : null;
    this.folded = new Uint8Array(N);
    this.y = new Float64Array(N);
    this.first = new Int32Array(N); // first and last row of the clade, where it is shown
    this.final = new Int32Array(N);
    this.shown = new Int32Array(data.labels.length); // node of each row
    this.rows = 0;
    this.open = new Set(data.open); // nodes of uncertain place at or below their parents
    this.clusters = this.grouped(data.clusters);
    this.classes = this.grouped(data.classes);
    this.actsFrom = this.counted();
    this.surest = data.support ? this.surestIn() : null;
    this.measure(0);
  }

  nest() {
    const open = [];
    const left = [];
    let leaves = 0;
    for (let u = 0; u < this.size; u++) {
      if (open.length) {
        const p = open[open.length - 1];
        this.parent[u] = p;
        this.depth[u] = this.depth[p] + 1;
        this.last[p] = u;
        left[left.length - 1] -= 1;
      }
      this.before[u] = leaves;
      if (this.kids[u]) {
        open.push(u);
        left.push(this.kids[u]);
        continue;
      }
      this.leafAt[leaves++] = u;
      this.end[u] = u + 1;
      while (open.length && left[left.length - 1] === 0) {
        this.end[open.pop()] = u + 1;
        left.pop();
      }
    }
    this.before[this.size] = leaves;
  }

  levels() {
    const level = new Float64Array(this.size);
    for (let u = this.size - 1; u > 0; u--) {
      const p = this.parent[u];
      level[p] = Math.max(level[p], level[u] + 1);
    }
    return level;
  }

  /** A height axis: heights, the order of merging, or levels, which are counted here. */
  readAxis({ unit, up }) {
    const [name] = unit.split(" (");
    return { unit, name, measured: name === "height", up: up ? Float64Array.from(up) : this.level };
  }

  /** Take one of the height axes. */
  measure(number) {
    this.axis = this.axes[number];
    this.up = this.axis.up;
    this.low = this.up.map((up, u) => (this.kids[u] ? Infinity : up)); // lowest leaf of each clade
    this.top = this.bottom = this.up[0];
    for (let u = this.size - 1; u > 0; u--) {
      const p = this.parent[u];
      this.low[p] = Math.min(this.low[p], this.low[u]);
      this.top = Math.max(this.top, this.up[u]);
      this.bottom = Math.min(this.bottom, this.up[u]);
    }
    this.span = this.top - this.bottom || 1;
  }

  /** Whether the parent of u is lower than u: the height is inverted. */
  pointsDown(u) {
    return u > 0 && this.up[this.parent[u]] < this.up[u];
  }

  /** Clusters or classes with counts of changes along the leaves: whether a clade has just one group takes constant time. */
  grouped(groups) {
    if (!groups) return null;
    const changes = new Int32Array(groups.codes.length);
    for (let r = 1; r < changes.length; r++) {
      changes[r] = changes[r - 1] + (groups.codes[r] !== groups.codes[r - 1] ? 1 : 0);
    }
    return { ...groups, names: groups.names.map(plain), changes };
  }

  counted() {
    const at = this.data.triplets ? this.data.triplets.at : [];
    const from = new Int32Array(this.size + 1);
    for (const node of at) from[(node < 0 ? ~node : node) + 1] += 1;
    for (let u = 0; u < this.size; u++) from[u + 1] += from[u];
    return from;
  }

  /** How sure a clade is: a number, or null if nothing is known. */
  support(u) {
    return this.data.support && !this.isLeaf(u) ? this.data.support[u - this.before[u]] : null;
  }

  /** The highest support in each clade, its own included. */
  surestIn() {
    const surest = new Float64Array(this.size).fill(-Infinity);
    for (let u = this.size - 1; u >= 0; u--) {
      surest[u] = Math.max(surest[u], this.support(u) ?? -Infinity);
      if (u > 0) surest[this.parent[u]] = Math.max(surest[this.parent[u]], surest[u]);
    }
    return surest;
  }

  leaves(u) {
    return this.before[this.end[u]] - this.before[u];
  }

  isLeaf(u) {
    return this.kids[u] === 0;
  }

  /** Whether a node takes one row: a leaf or a folded clade. */
  isRow(u) {
    return this.kids[u] === 0 || this.folded[u] === 1;
  }

  children(u) {
    const found = [];
    for (let v = u + 1; v < this.end[u]; v = this.end[v]) found.push(v);
    return found;
  }

  /** Label of a leaf, name of an inner node or null. */
  label(u) {
    if (this.isLeaf(u)) return this.data.labels[this.before[u]];
    return this.data.names ? this.data.names[u - this.before[u]] : null;
  }

  /** The second name of a leaf, or null. */
  second(u) {
    const { seconds } = this.data;
    return seconds && this.isLeaf(u) && seconds[this.before[u]] !== null ? plain(seconds[this.before[u]]) : null;
  }

  /** The note of a leaf, or null. */
  note(u) {
    const { notes } = this.data;
    return notes && this.isLeaf(u) && notes[this.before[u]] !== null ? plain(notes[this.before[u]]) : null;
  }

  /** What to call a node in words. */
  called(u) {
    const label = this.label(u);
    if (label === null) return `clade of ${this.leaves(u).toLocaleString("en")} leaves`;
    return label.trim() === "" ? "(blank label)" : plain(label);
  }

  /** The one cluster or class of all leaves below u, or -1. */
  common(groups, u) {
    const a = this.before[u];
    const b = this.before[this.end[u]] - 1;
    return groups.changes[a] === groups.changes[b] ? groups.codes[a] : -1;
  }

  /** How many leaves below u have each cluster or class: [code, count], largest first. */
  shares(groups, u) {
    const count = new Map();
    for (let r = this.before[u]; r < this.before[this.end[u]]; r++) {
      const code = groups.codes[r];
      if (code >= 0) count.set(code, (count.get(code) || 0) + 1);
    }
    return [...count].sort((x, y) => y[1] - x[1] || x[0] - y[0]);
  }

  /** Numbers of the triplets that act at u, or in u if it is folded. For a leaf, the triplets that name it. */
  triplets(u) {
    if (!this.data.triplets) return [];
    const found = [];
    if (this.isLeaf(u)) {
      const { rows } = this.data.triplets;
      const rank = this.before[u];
      for (let k = 0; k < rows.length; k += 3) {
        if (rows[k] === rank || rows[k + 1] === rank || rows[k + 2] === rank) found.push(k / 3);
      }
      return found;
    }
    for (let k = this.actsFrom[u]; k < this.actsFrom[this.folded[u] ? this.end[u] : u + 1]; k++) found.push(k);
    return found;
  }

  /** Numbers of triplets displayed and not displayed that a mark at u stands for. */
  marks(u) {
    const from = this.actsFrom[u];
    const stop = this.actsFrom[this.folded[u] ? this.end[u] : u + 1];
    let missed = 0;
    for (let k = from; k < stop; k++) if (this.data.triplets.at[k] < 0) missed += 1;
    return [stop - from - missed, missed];
  }

  /** The last common ancestor. */
  meet(u, v) {
    while (!(u <= v && v < this.end[u])) u = this.parent[u];
    return u;
  }

  // ------------------------------------------------------------------ folding

  fold(u) {
    if (!this.isLeaf(u)) this.folded[u] = 1;
  }

  foldAll() {
    for (let u = 1; u < this.size; u++) this.folded[u] = this.kids[u] ? 1 : 0;
  }

  /** Fold the clades in which no clade, themselves included, has so much support. Unfold all others. */
  foldBelow(support) {
    for (let u = 1; u < this.size; u++) this.folded[u] = this.kids[u] && this.surest[u] < support ? 1 : 0;
    this.folded[0] = 0;
  }

  unfoldAll(u) {
    this.folded.fill(0, u, this.end[u]);
  }

  /** Unfold u and then the largest clades in it, as long as there are at most so many rows. */
  unfold(u, most) {
    const wasOpen = this.children(u).some((v) => this.kids[v] && !this.folded[v]);
    this.folded[u] = 0;
    if (wasOpen) return; // it is unfolded as it was before
    let rows = this.kids[u];
    const heap = [];
    const offer = (v) => {
      for (const w of this.children(v)) if (this.kids[w] && rows <= most) heap.push(w);
      heap.sort((a, b) => this.leaves(a) - this.leaves(b) || b - a);
    };
    offer(u);
    while (heap.length) {
      const v = heap.pop();
      if (rows + this.kids[v] - 1 > most) continue;
      rows += this.kids[v] - 1;
      this.folded[v] = 0;
      offer(v);
    }
  }

  /** Unfold whatever hides a node. */
  reveal(u) {
    for (let v = this.parent[u]; v >= 0; v = this.parent[v]) this.folded[v] = 0;
  }

  /** The node itself, or the folded clade that hides it. */
  visible(u) {
    let seen = u;
    for (let v = this.parent[u]; v >= 0; v = this.parent[v]) if (this.folded[v]) seen = v;
    return seen;
  }

  /** Give every node that is shown its row. */
  arrange() {
    const inner = [];
    let row = 0;
    for (let u = 0; u < this.size; ) {
      if (!this.isRow(u)) {
        inner.push(u++);
        continue;
      }
      this.first[u] = this.final[u] = this.y[u] = row;
      this.shown[row++] = u;
      u = this.end[u];
    }
    for (let i = inner.length - 1; i >= 0; i--) {
      const u = inner[i];
      const z = this.last[u];
      this.first[u] = this.first[u + 1];
      this.final[u] = this.final[z];
      this.y[u] = (this.y[u + 1] + this.y[z]) / 2;
    }
    this.rows = row;
  }

  /** Nodes with a label or name that contains a text, whatever the case: equal ones first, then those that begin with it. */
  search(text) {
    const sought = text.trim().toLocaleLowerCase();
    if (!sought) return [];
    const found = [[], [], [], []];
    for (let u = 0; u < this.size; u++) {
      const label = this.label(u);
      if (label === null) continue;
      const at = label.toLocaleLowerCase().indexOf(sought);
      if (at < 0) {
        const second = this.second(u);
        if (second && second.toLocaleLowerCase().includes(sought)) found[second.trim().length === sought.length ? 1 : 2].push(u);
        continue;
      }
      const whole = label.trim().length === sought.length;
      found[this.kids[u] && !whole ? 3 : whole ? 0 : at === 0 ? 1 : 2].push(u);
    }
    return found.flat();
  }
}
