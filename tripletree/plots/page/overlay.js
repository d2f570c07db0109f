/** The step between ticks of an axis with so many of them at most. */
function tickStep(span, most, measured) {
  const raw = span / Math.max(2, Math.min(8, most));
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((x) => x * unit >= raw * 0.999);
  return measured ? step : Math.max(1, Math.round(step));
}

/** A number at a tick, with as many digits as the step has. */
function tickText(value, step) {
  const small = step < 1e-4 || Math.abs(value) >= 1e6;
  if (value && small) return String(Number(value.toPrecision(2)));
  return number(value, Math.max(0, Math.min(10, -Math.floor(Math.log10(step) + 1e-9))));
}

/* Draws over the tree: the paths of a triplet, the support of clades, the height axis. */

Object.assign(Drawing.prototype, {
  /** Draw the paths from a, b and c of a triplet to the node in which they meet. */
  drawPath() {
    const { tree, ctx } = this;
    const leaves = this.path.map((rank) => tree.leafAt[rank]);
    const top = tree.meet(tree.meet(leaves[0], leaves[1]), leaves[2]);
    leaves.forEach((leaf, i) => {
      ctx.beginPath();
      let u = tree.visible(leaf);
      const end = u;
      ctx.moveTo(this.x(u), this.y(u));
      while (u > top) {
        const p = tree.parent[u];
        ctx.lineTo(this.x(p), this.y(u));
        ctx.lineTo(this.x(p), this.y(p));
        u = p;
      }
      ctx.strokeStyle = i < 2 ? this.colour.accent : this.colour.missed;
      ctx.setLineDash(i < 2 ? [] : [6, 3]);
      ctx.lineWidth = 3;
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.font = `bold 13px ${this.font}`;
      ctx.fillStyle = ctx.strokeStyle;
      ctx.textAlign = "right";
      ctx.fillText("abc"[i], this.x(end) - 5, this.y(end) - 8);
      ctx.textAlign = "left";
    });
  },

  /** Whether the support of clades is drawn. It needs rows that are high enough for labels. */
  hasSupport() {
    return Boolean(this.tree.data.support) && this.rowHeight >= FINEST;
  },

  /** Draw the support of each clade above its branch, if the branch is long enough. */
  drawSupport(nodes) {
    const { ctx, tree } = this;
    if (!this.hasSupport()) return;
    ctx.font = `${this.rowHeight < 12 ? 8 : this.rowHeight < 15 ? 9 : 10}px ${this.font}`;
    const above = this.rowHeight < 12 ? 5 : 6;
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    ctx.fillStyle = this.colour.faint;
    for (const u of nodes) {
      if (u === 0 || tree.support(u) === null) continue;
      const text = shareText(tree.support(u));
      const room = this.x(u) - this.x(tree.parent[u]) - 10;
      if (ctx.measureText(text).width <= room) ctx.fillText(text, this.x(u) - 8, this.y(u) - above);
    }
    ctx.textAlign = "left";
  },

  /** Draw the height axis at the foot of the window. */
  drawAxis() {
    const { ctx, tree } = this;
    const y = this.height - AXIS;
    ctx.fillStyle = this.colour.ground;
    ctx.fillRect(0, y, this.width, AXIS);
    if (tree.top === tree.bottom) return;
    const step = tickStep(tree.span, this.across / 90, tree.axis.measured);
    ctx.strokeStyle = ctx.fillStyle = this.colour.faint;
    ctx.lineWidth = 1;
    ctx.font = `11px ${this.font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "center";
    const place = (value) => LEFT + ((tree.top - value) / tree.span) * this.across - this.view.scrollLeft;
    ctx.beginPath();
    ctx.moveTo(place(tree.top), y + 0.5);
    ctx.lineTo(place(tree.bottom), y + 0.5);
    for (let k = Math.ceil(tree.bottom / step - 1e-9); k * step <= tree.top + 1e-9 * tree.span; k++) {
      const x = place(k * step);
      if (x < -40 || x > this.width + 40) continue;
      ctx.moveTo(x, y);
      ctx.lineTo(x, y + 5);
      ctx.fillText(tickText(k * step || 0, step), x, y + 13); // 0 instead of -0
    }
    ctx.stroke();
    ctx.textAlign = "left";
    const last = this.width - ctx.measureText(tree.axis.name).width - 4;
    ctx.fillText(tree.axis.name, Math.max(Math.min(place(tree.bottom) + 12, last), 4), y + 13);
  },
});
