/* Draws the part of the tree that is in the window. Clades that are smaller than a pixel are drawn as one block. */

const LEFT = 26; // pixels before the root
const ABOVE = 10; // pixels above the first row
const AXIS = 30; // pixels of the height axis below
const BELOW = 8; // pixels between the last row and the axis
const NARROWEST = 160; // pixels from the root to the leaves
const LEAST_LABELS = 110; // pixels that labels keep in the narrowest windows
const FINEST = 10; // rows of at least so many pixels all have a label

class Drawing {
  constructor(tree, canvas, view, space) {
    Object.assign(this, { tree, canvas, view, space });
    this.ctx = canvas.getContext("2d");
    this.rowHeight = 20;
    this.round = false; // whether the tree is drawn as a circle
    this.stretch = 1;
    this.selected = 0;
    this.hovered = -1;
    this.path = null; // leaves a, b, c of the triplet pointed at
    const groups = tree.classes || tree.clusters;
    this.longest = groups ? groups.names.reduce((a, b) => (b.length > a.length ? b : a), "") : "";
    this.readColours();
    this.readBeside();
  }

  readColours() {
    Object.assign(this, this.findColours());
  }

  findColours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    const names = ["ground", "ink", "faint", "line", "band", "hover", "accent", "missed"];
    const colour = Object.fromEntries(names.map((x) => [x, get(x)]));
    return { colour, palette: get("palette").split(/\s+/), font: get("font") };
  }

  /** The colours of a light page, also if this page is dark: files and paper are white. */
  lightColours() {
    const { dataset } = document.documentElement;
    const { theme } = dataset;
    dataset.theme = "light";
    const found = this.findColours();
    if (theme === undefined) delete dataset.theme;
    else dataset.theme = theme;
    return found;
  }

  shade(groups, code) {
    return this.palette[groups.style[code] % this.palette.length];
  }

  // ------------------------------------------------------------------ places

  /** Find the room for the texts beyond the rows. Only the longest texts are measured. */
  fitLabels() {
    const { tree, ctx } = this;
    ctx.font = `13px ${this.font}`;
    const longest = [];
    for (let row = 0; row < tree.rows; row++) {
      const text = this.rowText(tree.shown[row], true);
      if (longest.length < 12 || text.length > longest[0].length) {
        longest.push(text);
        longest.sort((a, b) => a.length - b.length);
        if (longest.length > 12) longest.shift();
      }
    }
    const room = Math.max(125, ...longest.map((x) => ctx.measureText(x).width)); // 125 for the axis' name
    this.wanted = Math.ceil(room) + 24 + this.tiled;
    this.bracketing = this.clades.length > 0 && this.wanted + this.bracketed <= BESIDE * this.view.clientWidth;
    if (this.bracketing) this.wanted += this.bracketed;
  }

  /** Reserve the space that rows and labels need. CSS adapts it to the window, so a resized window causes no second resize. */
  fitSpace() {
    if (this.round) {
      this.fitRoundSpace();
      return;
    }
    const { style } = this.space;
    const least = LEFT + LEAST_LABELS + this.tiled;
    const beside = `min(${LEFT + this.wanted}px, max(${least}px, 100% - ${NARROWEST}px))`;
    style.width = `calc(${beside} + (100% - ${beside}) * ${this.stretch})`;
    style.minWidth = `${least + Math.ceil(NARROWEST * this.stretch)}px`;
    style.height = `${Math.floor(this.above + this.tree.rows * this.rowHeight + AXIS + BELOW / 2)}px`;
    this.measure();
  }

  /** The size of the window without its scrollbars, and how far it is from the root to the leaves in it. */
  measure() {
    if (this.round) {
      this.fitRoundSpace();
      return;
    }
    this.width = this.view.clientWidth;
    this.height = this.view.clientHeight;
    this.labelRoom = Math.min(this.wanted, Math.max(LEAST_LABELS + this.tiled, this.width - LEFT - NARROWEST));
    this.across = Math.max(NARROWEST, this.width - LEFT - this.labelRoom) * this.stretch;
  }

  /** Row height at which all rows are in the window. */
  fittingHeight() {
    if (this.round) return this.roundFit();
    return (this.view.clientHeight - this.above - AXIS - BELOW) / this.tree.rows;
  }

  x(u) {
    if (this.round) return this.spot(u)[0];
    return LEFT + ((this.tree.top - this.tree.up[u]) / this.tree.span) * this.across;
  }

  xLow(u) {
    return LEFT + ((this.tree.top - this.tree.low[u]) / this.tree.span) * this.across;
  }

  y(u) {
    if (this.round) return this.spot(u)[1];
    return this.above + (this.tree.y[u] + 0.5) * this.rowHeight;
  }

  wedgeHalf(u) {
    return Math.min(0.42 * this.rowHeight, 2 + 1.2 * Math.log2(this.tree.leaves(u)));
  }

  /** The text beyond the end of a row. */
  rowText(u, quick) {
    const { tree } = this;
    if (tree.isLeaf(u)) return shortened(tree.called(u), 44) + this.after(u);
    const name = tree.label(u) && plain(tree.label(u));
    const size = `${number(tree.leaves(u))} leaves`;
    const head = name ? `${shortened(name, 34)} · ${size}` : size;
    const groups = tree.classes || tree.clusters;
    if (!groups) return name ? head : `${head}: ${this.ends(u)}`;
    if (quick) return `${head} · 100% ${groups.one} ${shortened(this.longest, 20)}`;
    const [most] = tree.shares(groups, u);
    if (!most) return head;
    return `${head} · ${percent(most[1], tree.leaves(u))}% ${groups.one} ${shortened(groups.names[most[0]], 20)}`;
  }

  /** The second name of a leaf, and a star if it has a note. */
  after(u) {
    const second = this.tree.second(u);
    return (second ? ` (${shortened(second, 34)})` : "") + (this.tree.note(u) ? " ∗" : "");
  }

  /** The first and the last leaf of a clade. */
  ends(u) {
    const { tree } = this;
    const some = [tree.before[u], tree.before[u] + tree.leaves(u) - 1];
    return some.map((rank) => shortened(tree.called(tree.leafAt[rank]), 18)).join(" to ");
  }

  /** A text in the current font, shortened if it is wider than the room for labels. */
  fitted(text) {
    const room = this.labelRoom - 14 - this.tiled - (this.hasBrackets() ? this.bracketed : 0);
    let most = Array.from(text).length;
    let found = text;
    while (this.labelRoom < this.wanted && most > 4) {
      const wide = this.ctx.measureText(found).width;
      if (wide <= room) break;
      most = Math.min(most - 1, Math.floor((most * room) / wide));
      found = shortened(text, most);
    }
    return found;
  }

  /** The node under a place in the window, or -1. */
  hit(px, py) {
    if (this.round) return this.roundHit(px, py);
    const { tree } = this;
    const x = px + this.view.scrollLeft;
    const y = py + this.view.scrollTop;
    if (py > this.height - AXIS || (this.tiled && py < this.above - 2)) return -1;
    const row = Math.floor((y - this.above) / this.rowHeight);
    let best = -1;
    let near = 10;
    for (let r = Math.max(row - 1, 0); r <= Math.min(row + 1, tree.rows - 1); r++) {
      for (let v = tree.shown[r]; v >= 0; v = tree.parent[v]) {
        const far = Math.hypot(this.x(v) - x, this.y(v) - y);
        if (far < near) [best, near] = [v, far];
      }
    }
    if (best >= 0 || row < 0 || row >= tree.rows) return best;
    const end = tree.shown[row];
    const edge = this.tiled ? LEFT + this.across : this.xLow(end);
    if (x >= this.x(end)) return x < edge + this.labelRoom ? end : -1;
    for (let v = end; v >= 0; v = tree.parent[v]) {
      const from = tree.parent[v] < 0 ? this.x(v) : this.x(tree.parent[v]);
      if (Math.abs(this.y(v) - y) < 5 && (x - from) * (x - this.x(v)) <= 0) return v;
      if (!tree.isRow(v) && Math.abs(this.x(v) - x) < 4) return v;
    }
    return -1;
  }

  /** Scroll so that a node is in the window. */
  show(u, centre) {
    const { view, tree } = this;
    if (this.round) {
      const [x, y] = this.spot(u);
      const inside = x > view.scrollLeft && x < view.scrollLeft + this.width && y > view.scrollTop && y < view.scrollTop + this.height;
      if (centre || !inside) view.scrollTo(x - this.width / 2, y - this.height / 2);
      return;
    }
    const y = this.y(u);
    const low = this.height - AXIS;
    if (centre || y < view.scrollTop + 12 || y > view.scrollTop + low - 12) view.scrollTop = y - low / 2;
    const x = this.x(u);
    const right = (tree.isRow(u) ? (this.tiled ? LEFT + this.across : this.xLow(u)) + this.labelRoom : x + 60) - this.width;
    if (x < view.scrollLeft + 20 || right > view.scrollLeft) view.scrollLeft = Math.min(Math.max(right, 0), x - 20);
  }

  // ------------------------------------------------------------------ drawing

  /** Give the canvas the size of the window and return the scale. A new size clears the canvas, so only `draw` calls this. */
  fitCanvas() {
    const { canvas } = this;
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(this.width * scale), Math.round(this.height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${this.width}px`;
      canvas.style.height = `${this.height}px`;
    }
    return scale;
  }

  draw() {
    const { ctx, tree, view } = this;
    const scale = this.fitCanvas();
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.fillStyle = this.colour.ground;
    ctx.fillRect(0, 0, this.width, this.height);
    ctx.translate(-view.scrollLeft, -view.scrollTop);
    if (this.round) {
      this.drawRound();
      this.ring(this.hovered, 1);
      this.ring(this.selected, 2);
      ctx.setTransform(scale, 0, 0, scale, 0, 0);
      return;
    }
    const rows = (y) => (y - this.above) / this.rowHeight;
    this.from = Math.floor(rows(view.scrollTop)) - 1;
    this.to = Math.ceil(rows(view.scrollTop + this.height)) + 1;
    this.band(this.hovered, this.colour.hover);
    this.band(this.selected, this.colour.band);
    this.drawClades();
    const seen = this.drawLines();
    this.drawRows();
    this.drawColumns();
    this.drawBrackets();
    if (this.path) this.drawPath();
    const marked = this.drawMarks(seen);
    this.drawSupport(marked);
    this.ring(this.hovered, 1);
    this.ring(this.selected, 2);
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    this.drawHeads();
    this.drawAxis();
  }

  band(u, colour) {
    if (u <= 0 || !this.inView(u)) return; // the root would get a band over everything
    const { tree, ctx } = this;
    ctx.fillStyle = colour;
    const from = Math.max(this.x(u) - 8, this.view.scrollLeft);
    const top = Math.max(tree.first[u], this.from);
    const low = Math.min(tree.final[u] + 1, this.to);
    const y = this.above + top * this.rowHeight;
    ctx.fillRect(from, y, this.view.scrollLeft + this.width - from, Math.max((low - top) * this.rowHeight, 2));
  }

  inView(u) {
    return this.tree.final[u] >= this.from && this.tree.first[u] <= this.to;
  }

  ring(u, width) {
    if (u < 0 || !this.inView(u)) return;
    this.ctx.beginPath();
    this.ctx.arc(this.x(u), this.y(u), 8, 0, 2 * Math.PI);
    this.ctx.lineWidth = width;
    this.ctx.strokeStyle = this.colour.accent;
    this.ctx.stroke();
  }

  /** Draw all lines, gathered by colour and dashes. Returns the inner nodes that are large enough for a mark. */
  drawLines() {
    const { tree, ctx } = this;
    const paths = new Map();
    const blocks = [];
    const seen = [];
    const [PALE, OPENED] = [1, 2];
    const stroke = (code, kind) => {
      const key = 3 * code + kind;
      if (!paths.has(key)) paths.set(key, this.ctx instanceof SvgContext ? new SvgPath() : new Path2D());
      return paths.get(key);
    };
    const fine = this.rowHeight < 1.5; // rows overlap: their ends are pale, and each pixel is drawn once
    const [above, below] = [this.view.scrollTop - 9, this.view.scrollTop + this.height + 9];
    const down = [];
    let lastPixel = -1;
    let lastMark = [-99, -99];
    for (let u = 0; u < tree.size; ) {
      const skip = tree.isRow(u) ? tree.end[u] : u + 1;
      if (!this.inView(u)) {
        u = tree.end[u];
        continue;
      }
      const code = tree.clusters ? tree.common(tree.clusters, u) : -1;
      const high = (tree.final[u] - tree.first[u]) * this.rowHeight;
      const [x, y] = [this.x(u), this.y(u)];
      if (fine && !tree.isRow(u) && high < 1.5) {
        blocks.push([code, u]);
        u = tree.end[u];
        continue;
      }
      const crowded = fine && tree.isRow(u) && Math.round(y) === lastPixel;
      const outside = y < above || y > below;
      if (u > 0 && !crowded && !outside) {
        const path = stroke(code, fine && tree.isRow(u) ? PALE : tree.open.has(u) ? OPENED : 0);
        path.moveTo(this.x(tree.parent[u]), y);
        path.lineTo(x, y);
        if (tree.isRow(u)) lastPixel = Math.round(y);
        if (tree.pointsDown(u) && this.rowHeight >= 4) down.push(u);
      }
      if (!tree.isRow(u)) {
        const path = stroke(code, 0);
        path.moveTo(x, Math.max(this.y(u + 1), above));
        path.lineTo(x, Math.min(this.y(tree.last[u]), below));
        const far = Math.abs(x - lastMark[0]) + Math.abs(y - lastMark[1]) > 2;
        if (!outside && far && (high >= 12 || this.rowHeight >= 12)) {
          seen.push(u);
          lastMark = [x, y];
        }
      }
      u = skip;
    }
    ctx.lineWidth = this.rowHeight < 4 ? 0.8 : 1.3;
    for (const [key, path] of paths) {
      const code = Math.floor(key / 3);
      const kind = key - 3 * code;
      ctx.globalAlpha = kind === PALE ? 0.45 : 1;
      ctx.strokeStyle = code < 0 ? this.colour.line : this.shade(tree.clusters, code);
      const dashes = code < 0 || fine ? [] : DASHES[tree.clusters.style[code] % DASHES.length];
      ctx.setLineDash(kind === OPENED ? DOTS : dashes);
      ctx.stroke(path);
    }
    ctx.setLineDash([]);
    ctx.globalAlpha = 0.45;
    for (const [code, u] of blocks) {
      ctx.fillStyle = code < 0 ? this.colour.line : this.shade(tree.clusters, code);
      const from = Math.min(this.x(tree.parent[u]), this.x(u));
      ctx.fillRect(from, this.y(u) - 0.5, Math.max(this.xLow(u) - from, 1), 1);
    }
    ctx.globalAlpha = 1;
    this.drawInversions(down);
    return seen;
  }

  /** A small hollow wedge on every branch that points down. */
  drawInversions(nodes) {
    const { ctx, tree } = this;
    const size = Math.min(Math.max(0.3 * this.rowHeight, 1.5), 3.2);
    ctx.fillStyle = this.colour.ground;
    ctx.strokeStyle = this.colour.line;
    ctx.lineWidth = 1;
    for (const u of nodes) {
      ctx.beginPath();
      shapePath(ctx, "down", (this.x(u) + this.x(tree.parent[u])) / 2, this.y(u), size);
      ctx.fill();
      ctx.stroke();
    }
  }

  /** Draw the ends of the rows: wedges of folded clades, shapes of classes, and labels if there is room. */
  drawRows() {
    const { tree, ctx } = this;
    const size = Math.min(13, Math.max(FINEST - 1, 0.68 * this.rowHeight));
    const every = Math.ceil((size + 1) / this.rowHeight);
    ctx.font = `${size}px ${this.font}`;
    ctx.textBaseline = "middle";
    const shapes = this.rowHeight >= 4;
    if (tree.classes && !shapes) this.drawStrip(tree.classes);
    for (let row = Math.max(this.from, 0); row < Math.min(this.to, tree.rows); row++) {
      const u = tree.shown[row];
      let end = this.x(u);
      if (!tree.isLeaf(u)) {
        this.drawWedge(u);
        end = this.xLow(u);
      } else if (tree.classes && shapes) this.drawClass(tree.classes, tree.classes.codes[tree.before[u]], end, this.y(u));
      if (this.tiled && shapes && end < LEFT + this.across - 14) this.drawLeader(end + 9, this.y(u));
      if (every > SPARSEST || row % every) continue;
      const chosen = u === this.selected || u === this.hovered;
      if (chosen) ctx.font = `bold ${size}px ${this.font}`;
      ctx.fillStyle = tree.isLeaf(u) || chosen ? this.colour.ink : this.colour.faint;
      ctx.fillText(this.fitted(this.rowText(u, false)), this.labelX(end), this.y(u));
      if (chosen) ctx.font = `${size}px ${this.font}`;
    }
  }

  /** Draw a faint dotted line from a row's end to the columns. */
  drawLeader(x, y) {
    const { ctx } = this;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(LEFT + this.across, y);
    ctx.setLineDash(DOTS);
    ctx.lineWidth = 0.8;
    ctx.strokeStyle = this.colour.faint;
    ctx.stroke();
    ctx.setLineDash([]);
  }

  /** Draw classes as a strip of colours beyond the leaves, for rows that are too low for shapes. */
  drawStrip(groups) {
    const { ctx, tree, view } = this;
    const x = LEFT + this.across + 8;
    for (let py = 0; py < this.height; py++) {
      const row = Math.floor((py + view.scrollTop - this.above) / this.rowHeight);
      if (row < 0 || row >= tree.rows) continue;
      const code = tree.common(groups, tree.shown[row]);
      if (code < 0) continue;
      ctx.fillStyle = this.shade(groups, code);
      ctx.fillRect(x + 3 * (groups.style[code] % SHAPES.length), py + view.scrollTop, 3, 1);
    }
  }

  drawWedge(u) {
    const { ctx, tree } = this;
    const half = Math.max(this.wedgeHalf(u), 0.5);
    const groups = tree.clusters || tree.classes;
    const code = groups ? tree.common(groups, u) : -1;
    const y = this.y(u);
    const from = Math.min(this.x(u), this.xLow(u) - 10);
    ctx.beginPath();
    ctx.moveTo(from, y);
    ctx.lineTo(this.xLow(u), y - half);
    ctx.lineTo(this.xLow(u), y + half);
    ctx.closePath();
    ctx.fillStyle = ctx.strokeStyle = code < 0 ? this.colour.line : this.shade(groups, code);
    ctx.globalAlpha = 0.28;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
    ctx.stroke();
  }

  drawClass(groups, code, x, y) {
    if (code < 0) return;
    const { ctx } = this;
    ctx.beginPath();
    shapePath(ctx, SHAPES[groups.style[code] % SHAPES.length], x, y, Math.min(4.2, 0.4 * this.rowHeight));
    ctx.fillStyle = this.shade(groups, code);
    ctx.fill();
  }

  /** Draw a mark at each node: a dot for displayed triplets, a cross for others, a small dot without triplets. Returns the nodes. */
  drawMarks(seen) {
    const { tree, ctx } = this;
    const folded = [];
    for (let row = Math.max(this.from, 0); row < Math.min(this.to, tree.rows); row++) {
      if (!tree.isLeaf(tree.shown[row]) && this.rowHeight >= 6) folded.push(tree.shown[row]);
    }
    const marked = [...seen, ...folded];
    for (const u of marked) {
      const [held, missed] = tree.data.triplets ? tree.marks(u) : [0, 0];
      const [x, y] = [this.x(u), this.y(u)];
      const grown = (k) => Math.min(6.5, 3 + 0.9 * Math.log2(k));
      ctx.beginPath();
      if (missed) {
        shapePath(ctx, "cross", x, y, grown(missed) + (held ? 3.2 : 1.5));
        ctx.fillStyle = this.colour.missed;
        ctx.fill();
        ctx.beginPath();
      }
      if (held || !missed) {
        ctx.arc(x, y, held ? grown(held) : 2.6, 0, 2 * Math.PI);
        ctx.fillStyle = held ? this.colour.ink : this.colour.ground;
        ctx.strokeStyle = held ? this.colour.ground : this.colour.line;
        ctx.lineWidth = 1.1;
        ctx.fill();
        ctx.stroke();
      }
    }
    return marked;
  }
}
