/* Draws what stands beside the leaves: columns of tiles, shaded clades with their names. */

const TILE = 13; // pixels from one column to the next
const TILED = 10; // width of a tile
const HEAD_FONT = 11; // pixels of the names of columns
const LONGEST_HEAD = 110; // pixels that these take at most, upright above the first row
const CLADE_NAME = 28; // most letters of the name of a clade
const BESIDE = 0.65; // most part of the window that labels may take with the brackets of clades
const BRACKET = 9; // pixels from labels to the brackets of clades, from one to the next, and to their names
/* Colour maps of columns of numbers, from the least to the greatest. The first is cividis, the others have one hue each. */
const RAMPS = [
  ["#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#fee838"],
  ["#d4d4e8", "#9e9ac8", "#6a51a3", "#3f007d"],
  ["#c7e9c0", "#74c476", "#238b45", "#00441b"],
  ["#fdd0a2", "#fd8d3c", "#d94801", "#7f2704"],
  ["#d9d9d9", "#969696", "#525252", "#111111"],
];

/** A colour of a ramp, from 0 to 1. */
function rampColour(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const k = Math.min(Math.floor(at), ramp.length - 2);
  const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(ramp[k], i) + (at - k) * (part(ramp[k + 1], i) - part(ramp[k], i))));
  return `rgb(${mixed.join(", ")})`;
}

/** A number in few digits. */
function shortNumber(x) {
  return String(Number(x.toPrecision(3)));
}

/** Write a text that is turned by so many degrees around its place. */
function turnedText(ctx, text, x, y, turn) {
  if (ctx instanceof SvgContext) {
    ctx.fillText(text, x, y, turn);
    return;
  }
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate((turn * Math.PI) / 180);
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/** A column of the data, with the ends of its numbers and the entries of folded clades, which are counted once. */
class Column {
  constructor(data, tree, ramp) {
    Object.assign(this, { data, tree, ramp, name: plain(data.name), known: new Map() });
    this.names = data.names ? data.names.map(plain) : null;
    const given = data.values ? data.values.filter((x) => x !== null) : [];
    this.low = given.reduce((a, b) => Math.min(a, b), Infinity);
    this.high = given.reduce((a, b) => Math.max(a, b), -Infinity);
  }

  /** The mean of the numbers in a clade, or null. */
  mean(u) {
    if (!this.known.has(u)) {
      const some = this.data.values.slice(this.tree.before[u], this.tree.before[this.tree.end[u]]).filter((x) => x !== null);
      this.known.set(u, some.length ? some.reduce((a, b) => a + b, 0) / some.length : null);
    }
    return this.known.get(u);
  }

  /** The categories in a clade: [code, share of all leaves], the largest first. */
  shares(u) {
    if (!this.known.has(u)) {
      const all = this.tree.leaves(u);
      this.known.set(u, this.tree.shares(this.data, u).map(([code, count]) => [code, count / all]));
    }
    return this.known.get(u);
  }

  colour(value) {
    return rampColour(this.ramp, this.high > this.low ? (value - this.low) / (this.high - this.low) : 0.5);
  }

  /** What the panel says of a node. */
  told(u) {
    if (this.data.values) {
      const mean = this.mean(u);
      return mean === null ? "none" : this.tree.isLeaf(u) ? shortNumber(mean) : `${shortNumber(mean)} (mean)`;
    }
    const shares = this.shares(u);
    if (!shares.length) return "none";
    if (this.tree.isLeaf(u)) return this.names[shares[0][0]];
    const some = shares.slice(0, 3).map(([code, share]) => `${shortened(this.names[code], 24)} ${Math.round(100 * share)}%`);
    return some.join(", ") + (shares.length > 3 ? ", …" : "");
  }
}

/** Rising numbers moved as little as they must, by least squares, to be so far apart. */
function keptApart(places, gap) {
  const blocks = []; // of neighbours that touch: [sum of their places less the gaps before them, their number]
  places.forEach((x, k) => {
    blocks.push([x - k * gap, 1]);
    for (let last; blocks.length > 1; blocks[blocks.length - 1] = [blocks.at(-1)[0] + last[0], blocks.at(-1)[1] + last[1]]) {
      if (blocks.at(-2)[0] / blocks.at(-2)[1] <= blocks.at(-1)[0] / blocks.at(-1)[1]) break;
      last = blocks.pop();
    }
  });
  return blocks.flatMap(([sum, size]) => new Array(size).fill(sum / size)).map((x, k) => x + k * gap);
}

/** How far out each of some intervals stands, so that those inside others come first and none meet. */
function levelsOf(intervals) {
  const order = intervals.map((_, k) => k).sort((a, b) => intervals[a][1] - intervals[a][0] - (intervals[b][1] - intervals[b][0]));
  const taken = [];
  const level = new Array(intervals.length).fill(0);
  for (const k of order) {
    const [low, high] = intervals[k];
    while (taken[level[k]] && taken[level[k]].some(([a, b]) => low <= b && a <= high)) level[k] += 1;
    (taken[level[k]] ??= []).push([low, high]);
  }
  return level;
}

Object.assign(Drawing.prototype, {
  /** Read columns and clades. */
  readBeside() {
    const { data } = this.tree;
    let numbers = 0;
    this.columns = (data.columns || []).map((x) => new Column(x, this.tree, RAMPS[(x.values ? numbers++ : 0) % RAMPS.length]));
    this.clades = data.clades || [];
    this.levels = levelsOf(this.clades.map(({ runs }) => [runs[0][0], runs[runs.length - 1][1]]));
    this.ctx.font = `${HEAD_FONT}px ${this.font}`;
    const heads = this.columns.map((x) => this.ctx.measureText(shortened(x.name, 30)).width);
    this.above = ABOVE + Math.min(Math.max(0, ...heads) + (heads.length ? 8 : 0), LONGEST_HEAD);
    this.tiled = this.columns.length ? this.columns.length * TILE + 6 : 0;
    this.ctx.font = `bold 12px ${this.font}`;
    const names = this.clades.map(({ name }) => this.ctx.measureText(shortened(plain(name), CLADE_NAME)).width);
    this.bracketed = Math.ceil(BRACKET * (Math.max(0, ...this.levels) + 2) + Math.max(0, ...names));
  },

  /** Where the label of a row begins, given where its branch or its wedge ends. Beside columns all begin alike. */
  labelX(end) {
    return this.tiled ? LEFT + this.across + this.tiled + 9 : end + 9;
  },

  cladeColour({ style }) {
    return this.palette[style % this.palette.length];
  },

  /** The first and last row of each run of a clade that is shown: [row, row]. A folded clade is one row. */
  rowsOf({ runs }) {
    const { tree } = this;
    const row = (rank) => tree.first[tree.visible(tree.leafAt[rank])];
    return runs.map(([low, high]) => [row(low), row(high)]);
  },

  /** Shade the clades that are named, the larger ones below the others. */
  drawClades() {
    const { ctx, tree } = this;
    const order = this.clades.map((_, k) => k).sort((a, b) => this.levels[b] - this.levels[a]);
    const right = LEFT + this.across + this.labelRoom - (this.hasBrackets() ? this.bracketed : 0);
    for (const k of order) {
      const clade = this.clades[k];
      const u = tree.visible(clade.node);
      const from = u === 0 ? this.x(0) - 6 : (this.x(u) + this.x(tree.parent[u])) / 2;
      ctx.globalAlpha = 0.15;
      ctx.fillStyle = this.cladeColour(clade);
      for (const [low, high] of this.rowsOf(clade)) {
        const [top, stop] = [Math.max(low, this.from), Math.min(high + 1, this.to)];
        if (top < stop) ctx.fillRect(from, this.above + top * this.rowHeight, right - from, (stop - top) * this.rowHeight);
      }
      ctx.globalAlpha = 1;
    }
  },

  /** Whether there is room for the brackets: in narrow windows the legend alone names the clades. */
  hasBrackets() {
    return this.bracketing && this.labelRoom >= this.wanted;
  },

  /** Draw a bracket beside each shaded clade, the inner ones first, and its name beyond all of them. */
  drawBrackets() {
    if (!this.hasBrackets()) return;
    const { ctx } = this;
    const start = LEFT + this.across + this.labelRoom - this.bracketed + BRACKET / 2;
    const names = start + BRACKET * (Math.max(...this.levels) + 1);
    const written = [];
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    this.clades.forEach((clade, k) => {
      const x = start + BRACKET * this.levels[k];
      const rows = this.rowsOf(clade);
      ctx.strokeStyle = this.cladeColour(clade);
      ctx.lineWidth = 3;
      ctx.beginPath();
      for (const [low, high] of rows) {
        ctx.moveTo(x, this.above + low * this.rowHeight + 0.5);
        ctx.lineTo(x, this.above + (high + 1) * this.rowHeight - 0.5);
      }
      ctx.stroke();
      const [low, high] = [Math.max(rows[0][0], this.from), Math.min(rows[rows.length - 1][1] + 1, this.to)];
      if (low < high) written.push([this.above + ((low + high) / 2) * this.rowHeight, clade]);
    });
    written.sort((a, b) => a[0] - b[0]);
    const places = keptApart(written.map(([y]) => y), 14);
    ctx.font = `bold 12px ${this.font}`;
    written.forEach(([, clade], i) => {
      ctx.fillStyle = this.cladeColour(clade);
      ctx.fillText(shortened(plain(clade.name), CLADE_NAME), names, places[i]);
    });
  },

  /** Draw the tiles of all rows. Of rows lower than a pixel one is drawn for each pixel. */
  drawColumns() {
    const { tree } = this;
    if (!this.columns.length) return;
    const step = Math.max(1, Math.floor(1 / this.rowHeight));
    const high = Math.max(this.rowHeight * step, 1);
    for (let row = Math.max(this.from, 0); row < Math.min(this.to, tree.rows); row += step) {
      const y = this.above + row * this.rowHeight;
      this.columns.forEach((column, k) => this.drawTile(column, tree.shown[row], LEFT + this.across + 6 + k * TILE, y, high));
    }
  },

  /** Draw a tile. That of a folded clade is divided by the shares of its categories, or has the colour of the mean. */
  drawTile(column, u, x, y, high) {
    const { ctx } = this;
    const gap = high >= 6 ? 1 : 0;
    if (column.data.values) {
      const mean = column.mean(u);
      if (mean === null) return;
      ctx.fillStyle = column.colour(mean);
      ctx.fillRect(x, y + gap / 2, TILED, high - gap);
      return;
    }
    let top = y + gap / 2;
    for (const [code, share] of column.shares(u)) {
      this.fillTile(column.data.style[code], x, top, TILED, (high - gap) * share);
      top += (high - gap) * share;
    }
  },

  /** Fill a tile with the colour of a category. Beyond the first seven colours, stripes tell more. */
  fillTile(style, x, y, wide, high) {
    const { ctx } = this;
    ctx.fillStyle = this.palette[style % this.palette.length];
    ctx.fillRect(x, y, wide, high);
    if (style < 7 || high < 4) return;
    ctx.strokeStyle = this.colour.ground;
    ctx.lineWidth = 1.3;
    ctx.beginPath();
    const kind = (style - 7) % 3;
    if (kind !== 1) {
      ctx.moveTo(x + 1, y + high - 1);
      ctx.lineTo(x + wide - 1, y + 1);
    }
    if (kind !== 0) {
      ctx.moveTo(x + 1, y + 1);
      ctx.lineTo(x + wide - 1, y + high - 1);
    }
    ctx.stroke();
  },

  /** Write the names of the columns above them, at the top of the window. */
  drawHeads() {
    if (!this.columns.length) return;
    const { ctx } = this;
    const left = LEFT + this.across + 2 - this.view.scrollLeft;
    ctx.fillStyle = this.colour.ground;
    ctx.fillRect(left, 0, this.tiled + 4, this.above - 2);
    ctx.font = `${HEAD_FONT}px ${this.font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.fillStyle = this.colour.ink;
    this.columns.forEach(({ name }, k) => {
      let text = shortened(name, 30);
      for (let most = 29; most > 3 && ctx.measureText(text).width > this.above - 8; most--) text = shortened(name, most);
      turnedText(ctx, text, left + 4 + k * TILE + TILED / 2, this.above - 6, -90);
    });
  },
});
