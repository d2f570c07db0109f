/* Draws the tree as a circle: the root in the middle, the rows around it, clockwise from the top. */

const OPENING = 0.03; // part of the circle that is left open at the top, for the height axis
const HOLE = 0.06; // part of the radius before the root
const ARC = 0.04; // radians of the pieces of which arcs consist
const AROUND = 14; // pixels outside of everything

Object.assign(Drawing.prototype, {
  /** The radius at which leaves are, in a window of this size: that of the window, or what the rows need. */
  findRadius(width, height) {
    const most = Math.min(width, height) / 2 - this.labelRoom - this.tiled - AROUND;
    return Math.max(most, 40, (this.tree.rows * this.rowHeight) / (2 * Math.PI * (1 - OPENING)));
  },

  fitRoundSpace() {
    const { clientWidth, clientHeight } = this.view;
    this.labelRoom = 0.3 * Math.min(clientWidth, clientHeight);
    for (let k = 0; k < 4; k++) {
      this.radius = this.findRadius(clientWidth, clientHeight);
      this.labelRoom = Math.min(this.wantedRound(), 0.3 * Math.min(clientWidth, clientHeight));
    }
    this.radius = this.findRadius(clientWidth, clientHeight);
    this.side = 2 * (this.radius + this.labelRoom + this.tiled + AROUND);
    const { style } = this.space;
    style.minWidth = "";
    style.width = `${Math.floor(Math.max(this.side, clientWidth))}px`;
    style.height = `${Math.floor(Math.max(this.side, clientHeight))}px`;
    this.width = this.view.clientWidth;
    this.height = this.view.clientHeight;
    this.middle = [Math.max(this.side, this.width) / 2, Math.max(this.side, this.height) / 2];
  },

  /** The room that labels want around a circle: that of texts alone, in the size that they are written in. */
  wantedRound() {
    const room = this.wanted - this.tiled - (this.bracketing ? this.bracketed : 0);
    return (room * this.roundFont()) / 13;
  },

  /** The size of labels around the circle. */
  roundFont() {
    return Math.min(13, Math.max(FINEST - 1, 0.8 * this.rowHeightRound()));
  },

  /** Row height at which the circle is in the window: the least of all. */
  roundFit() {
    return 40 / this.tree.rows;
  },

  /** The direction of a place among the rows, and the distance of a height from the middle. */
  turn(row) {
    return 2 * Math.PI * (OPENING / 2 + ((1 - OPENING) * (row + 0.5)) / this.tree.rows) - Math.PI / 2;
  },

  far(up) {
    return this.radius * (HOLE + (1 - HOLE) * ((this.tree.top - up) / this.tree.span));
  },

  polar(turn, far) {
    return [this.middle[0] + far * Math.cos(turn), this.middle[1] + far * Math.sin(turn)];
  },

  spot(u) {
    return this.polar(this.turn(this.tree.y[u]), this.far(this.tree.up[u]));
  },

  /** Draw an arc in pieces, which SVG takes, too. */
  arcTo(path, from, to, far, begin = true) {
    const steps = Math.max(1, Math.ceil(Math.abs(to - from) / ARC));
    for (let i = 0; i <= steps; i++) path[i || !begin ? "lineTo" : "moveTo"](...this.polar(from + ((to - from) * i) / steps, far));
  },

  /** The outline of a part of a ring. */
  sector(from, to, inner, outer) {
    const { ctx } = this;
    ctx.beginPath();
    this.arcTo(ctx, from, to, inner);
    this.arcTo(ctx, to, from, outer, false);
    ctx.closePath();
  },

  roundHit(px, py) {
    const { tree } = this;
    const [x, y] = [px + this.view.scrollLeft, py + this.view.scrollTop];
    let best = -1;
    let near = 10;
    const [dx, dy] = [x - this.middle[0], y - this.middle[1]];
    const share = ((Math.atan2(dy, dx) + Math.PI / 2 + 2 * Math.PI) % (2 * Math.PI)) / (2 * Math.PI);
    const row = Math.floor(((share - OPENING / 2) / (1 - OPENING)) * tree.rows);
    if (row < 0 || row >= tree.rows) return -1;
    for (let v = tree.shown[row]; v >= 0; v = tree.parent[v]) {
      const [vx, vy] = this.spot(v);
      if (Math.hypot(vx - x, vy - y) < near) [best, near] = [v, Math.hypot(vx - x, vy - y)];
    }
    const far = Math.hypot(dx, dy);
    if (best >= 0) return best;
    return far > this.far(tree.up[tree.shown[row]]) && far < this.radius + this.tiled + this.labelRoom ? tree.shown[row] : -1;
  },

  drawRound() {
    const { ctx, tree } = this;
    [this.from, this.to] = [-1, tree.rows + 1];
    this.drawRoundClades();
    this.drawRings();
    const seen = this.drawRoundLines();
    this.drawRoundRows();
    const marked = this.rowHeightRound() >= 4 ? this.drawMarks(seen) : [];
    if (this.hasSupport()) {
      ctx.font = `9px ${this.font}`;
      ctx.textAlign = "center";
      ctx.textBaseline = "middle";
      ctx.fillStyle = this.colour.faint;
      for (const u of marked) if (u && tree.support(u) !== null) ctx.fillText(shareText(tree.support(u)), this.x(u), this.y(u) - 9);
      ctx.textAlign = "left";
    }
  },

  /** Pixels from row to row along the leaves. */
  rowHeightRound() {
    return (2 * Math.PI * (1 - OPENING) * this.radius) / this.tree.rows;
  },

  drawRoundLines() {
    const { ctx, tree } = this;
    const paths = new Map();
    const seen = [];
    const fine = this.rowHeightRound() < 4;
    for (let u = 0; u < tree.size; u = tree.isRow(u) ? tree.end[u] : u + 1) {
      const code = tree.clusters ? tree.common(tree.clusters, u) : -1;
      const key = 2 * code + (tree.open.has(u) ? 1 : 0);
      if (!paths.has(key)) paths.set(key, ctx instanceof SvgContext ? new SvgPath() : new Path2D());
      const path = paths.get(key);
      const turn = this.turn(tree.y[u]);
      if (u > 0) {
        path.moveTo(...this.polar(turn, this.far(tree.up[tree.parent[u]])));
        path.lineTo(...this.polar(turn, this.far(tree.up[u])));
      }
      if (tree.isRow(u)) continue;
      this.arcTo(path, this.turn(tree.y[u + 1]), this.turn(tree.y[tree.last[u]]), this.far(tree.up[u]));
      if (!fine) seen.push(u);
    }
    ctx.lineWidth = fine ? 0.8 : 1.3;
    for (const [key, path] of paths) {
      const code = Math.floor(key / 2);
      ctx.strokeStyle = code < 0 ? this.colour.line : this.shade(tree.clusters, code);
      ctx.setLineDash(key % 2 ? DOTS : code < 0 || fine ? [] : DASHES[tree.clusters.style[code] % DASHES.length]);
      ctx.stroke(path);
    }
    ctx.setLineDash([]);
    return seen;
  },

  /** Draw the ends of the rows: wedges, shapes of classes, tiles, and labels that are turned outwards. */
  drawRoundRows() {
    const { ctx, tree } = this;
    const step = this.rowHeightRound();
    const size = this.roundFont();
    const every = Math.ceil((size + 1) / step);
    const skip = Math.max(1, Math.floor(1 / step)); // of rows finer than a pixel one is drawn for each pixel
    const half = skip * Math.PI * ((1 - OPENING) / tree.rows);
    const outside = this.radius + this.tiled + 8;
    ctx.textBaseline = "middle";
    for (let row = 0; row < tree.rows; row += skip) {
      const u = tree.shown[row];
      const turn = this.turn(row + (skip - 1) / 2);
      const chosen = u === this.selected || u === this.hovered;
      if (!tree.isLeaf(u)) {
        ctx.beginPath();
        ctx.moveTo(...this.spot(u));
        this.arcTo(ctx, turn - 0.8 * half, turn + 0.8 * half, this.far(tree.low[u]), false);
        ctx.closePath();
        ctx.fillStyle = this.colour.faint;
        ctx.globalAlpha = 0.4;
        ctx.fill();
        ctx.globalAlpha = 1;
      } else if (tree.classes && step >= 4) this.drawClass(tree.classes, tree.classes.codes[tree.before[u]], ...this.spot(u));
      this.columns.forEach((column, k) => this.drawRoundTile(column, u, turn, half, this.radius + 6 + k * TILE));
      if (every > SPARSEST || row % every) continue;
      ctx.font = `${chosen ? "bold " : ""}${size}px ${this.font}`;
      ctx.fillStyle = tree.isLeaf(u) || chosen ? this.colour.ink : this.colour.faint;
      const left = Math.cos(turn) < 0;
      ctx.textAlign = left ? "right" : "left";
      const degrees = (turn * 180) / Math.PI + (left ? 180 : 0);
      turnedText(ctx, this.roundText(u), ...this.polar(turn, this.tiled ? outside : this.far(tree.low[u]) + 8), degrees);
    }
    ctx.textAlign = "left";
  },

  /** The text of a row, shortened to the room around the circle. */
  roundText(u) {
    let text = this.rowText(u, false);
    for (let most = text.length - 1; most > 4 && this.ctx.measureText(text).width > this.labelRoom - 8; most -= 2) text = shortened(text, most);
    return text;
  },

  /** What a legend says of the order of the columns in a circle. */
  ringsText() {
    return this.round && this.columns.length > 1 ? `rings outwards: ${this.columns.map((x) => shortened(x.name, 30)).join(", ")}` : "";
  },

  drawRoundTile(column, u, turn, half, far) {
    const { ctx } = this;
    const fill = (from, to, colour) => {
      this.sector(from, to, far, far + TILED);
      ctx.fillStyle = colour;
      ctx.fill();
    };
    if (column.data.values) {
      const mean = column.mean(u);
      if (mean !== null) fill(turn - half, turn + half, column.colour(mean));
      return;
    }
    let from = turn - half;
    for (const [code, share] of column.shares(u)) {
      const { style } = column.data;
      fill(from, from + 2 * half * share, this.palette[style[code] % this.palette.length]);
      from += 2 * half * share;
    }
  },

  drawRoundClades() {
    const { ctx, tree } = this;
    const order = this.clades.map((_, k) => k).sort((a, b) => this.levels[b] - this.levels[a]);
    for (const k of order) {
      const clade = this.clades[k];
      const u = tree.visible(clade.node);
      const inner = u === 0 ? 0 : (this.far(tree.up[u]) + this.far(tree.up[tree.parent[u]])) / 2;
      ctx.globalAlpha = 0.15;
      ctx.fillStyle = this.cladeColour(clade);
      for (const [low, high] of this.rowsOf(clade)) {
        this.sector(this.turn(low - 0.5), this.turn(high + 0.5), inner, this.radius + this.tiled + this.labelRoom);
        ctx.fill();
      }
      ctx.globalAlpha = 1;
      this.nameRoundClade(clade);
    }
  },

  /** Write the name of a clade along the rim, if it is not longer than its arc. */
  nameRoundClade(clade) {
    const { ctx } = this;
    const [low, high] = this.rowsOf(clade).reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a)); // its longest run
    const [from, to] = [this.turn(low - 0.5), this.turn(high + 0.5)];
    const far = this.radius + this.tiled + this.labelRoom - 7;
    const text = shortened(plain(clade.name), CLADE_NAME);
    ctx.font = `bold 11px ${this.font}`;
    if (ctx.measureText(text).width > (to - from) * far) return;
    const turn = (from + to) / 2;
    const below = Math.sin(turn) > 0;
    ctx.fillStyle = this.cladeColour(clade);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    turnedText(ctx, text, ...this.polar(turn, far), (turn * 180) / Math.PI + (below ? -90 : 90));
    ctx.textAlign = "left";
  },

  /** Rings at round heights, with their numbers in the opening. */
  drawRings() {
    const { ctx, tree } = this;
    if (tree.top === tree.bottom) return;
    const step = tickStep(tree.span, this.radius / 60, tree.axis.measured);
    ctx.font = `10px ${this.font}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineWidth = 0.8;
    for (let k = Math.ceil(tree.bottom / step - 1e-9); k * step < tree.top - 1e-9 * tree.span; k++) {
      const far = this.far(k * step);
      ctx.beginPath();
      this.arcTo(ctx, this.turn(-0.5), this.turn(tree.rows - 0.5), far);
      ctx.setLineDash(DOTS);
      ctx.strokeStyle = this.colour.edge || this.colour.faint;
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillStyle = this.colour.faint;
      ctx.fillText(tickText(k * step || 0, step), this.middle[0], this.middle[1] - far);
    }
    ctx.fillText(tree.axis.name, this.middle[0], this.middle[1] - this.radius - this.tiled - this.labelRoom - 2);
    ctx.textAlign = "left";
  },
});
