/* The panel beside the picture: details of the node under the pointer or the selected node, and the legend. */

Object.assign(Viewer.prototype, {
  describe() {
    const { tree, drawing, panel } = this;
    const u = drawing.hovered >= 0 ? drawing.hovered : drawing.selected;
    drawing.path = null;
    const title = element("h2");
    title.append(element("bdi", tree.called(u)));
    panel.replaceChildren(title, this.facts(u));
    if (tree.note(u)) {
      const part = element("section");
      part.append(element("h3", "note"), element("p", tree.note(u), { class: "note" }));
      panel.append(part);
    }
    for (const groups of [tree.clusters, tree.classes]) {
      if (groups && !tree.isLeaf(u)) panel.append(this.composition(groups, u));
    }
    if (!tree.isLeaf(u)) {
      panel.append(this.members(u));
      const button = element("button", tree.folded[u] ? "Unfold" : "Fold", { type: "button" });
      button.addEventListener("click", () => this.toggle(u, !tree.folded[u], false));
      panel.append(button);
    }
    if (tree.data.triplets) panel.append(this.tripletList(u));
  },

  facts(u) {
    const { tree } = this;
    const list = element("dl");
    const add = (term, value) => {
      const description = element("dd");
      description.append(element("bdi", value));
      list.append(element("dt", term), description);
    };
    if (!tree.isLeaf(u)) {
      add("leaves", number(tree.leaves(u)));
      add("children", number(tree.kids[u]));
    }
    if (tree.second(u)) add("also", tree.second(u));
    if (tree.support(u) !== null) add("support", shareText(tree.support(u)));
    if (tree.heights) add("height", String(Number(tree.heights[u].toPrecision(4))));
    add("level", number(tree.level[u]));
    if (tree.isLeaf(u)) {
      for (const groups of [tree.clusters, tree.classes]) {
        if (!groups) continue;
        const code = groups.codes[tree.before[u]];
        add(groups.one, code < 0 ? "none" : groups.names[code]);
      }
    }
    for (const column of this.drawing.columns) add(shortened(column.name, 24), column.told(u));
    return list;
  },

  /** The clusters or classes in a clade, the largest first. */
  composition(groups, u) {
    const { tree } = this;
    const list = element("ul", null, { class: "shares" });
    const shares = tree.shares(groups, u);
    for (const [code, count] of shares.slice(0, 6)) {
      const item = element("li");
      item.append(this.sample(groups, code), element("bdi", shortened(groups.names[code], 40)));
      item.append(element("small", `${number(count)} · ${percent(count, tree.leaves(u))}%`));
      list.append(item);
    }
    if (shares.length > 6) list.append(element("li", `and ${number(shares.length - 6)} more`));
    if (!shares.length) list.append(element("li", `no ${groups.one}`));
    const part = element("section");
    part.append(element("h3", groups.many), list);
    return part;
  },

  members(u) {
    const { tree } = this;
    const text = element("p", null, { class: "members" });
    const ranks = [];
    for (let r = tree.before[u]; r < tree.before[tree.end[u]] && ranks.length < MEMBERS; r++) ranks.push(r);
    ranks.forEach((r, i) => text.append(i ? ", " : "", element("bdi", shortened(tree.called(tree.leafAt[r]), 40))));
    if (tree.leaves(u) > MEMBERS) text.append(`, and ${number(tree.leaves(u) - MEMBERS)} more`);
    const part = element("section");
    part.append(element("h3", "leaves"), text);
    return part;
  },

  tripletList(u) {
    const { tree } = this;
    const numbers = tree.triplets(u);
    const missed = numbers.filter((k) => tree.data.triplets.at[k] < 0).length;
    const part = element("section", null, { id: "triplets" });
    const where = tree.isLeaf(u) ? "that name it" : tree.folded[u] ? "that act here or below" : "that act here";
    part.append(element("h3", `Triplets ${where}`));
    const held = numbers.length - missed;
    part.append(element("p", numbers.length ? `${number(held)} displayed, ${number(missed)} not` : "none"));
    const list = element("ul", null, { class: "triplets" });
    const ordered = [...numbers.filter((k) => tree.data.triplets.at[k] < 0), ...numbers.filter((k) => tree.data.triplets.at[k] >= 0)];
    for (const k of ordered.slice(0, LISTED)) list.append(this.tripletItem(k));
    part.append(list);
    if (numbers.length > LISTED) part.append(element("p", `and ${number(numbers.length - LISTED)} more`));
    return part;
  },

  /** A button for a triplet. Its paths are drawn while it is pointed at. A click unfolds its leaves. */
  tripletItem(k) {
    const { tree } = this;
    const { rows, at, weights } = tree.data.triplets;
    const three = [rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]];
    const shown = at[k] >= 0;
    const button = element("button", null, { type: "button", class: shown ? "held" : "missed" });
    const name = (rank) => element("bdi", tree.called(tree.leafAt[rank]));
    button.append(element("span", shown ? "●" : "✕", { "aria-hidden": "true" }), " ");
    button.append(name(three[0]), " ", name(three[1]), " | ", name(three[2]));
    if (weights) button.append(element("small", ` weight ${weights[k]}`));
    if (!shown) button.append(element("small", " not displayed"));
    const point = (path) => () => {
      this.drawing.path = path;
      this.schedule();
    };
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, point(three));
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, point(null));
    button.addEventListener("click", () => {
      three.forEach((rank) => tree.reveal(tree.leafAt[rank]));
      this.goTo(tree.meet(tree.meet(tree.leafAt[three[0]], tree.leafAt[three[1]]), tree.leafAt[three[2]]));
      this.drawing.path = three;
    });
    const item = element("li");
    item.append(button);
    return item;
  },

  // ------------------------------------------------------------------ legend

  /** A small picture of a cluster's line or a class's shape. */
  sample(groups, code) {
    return this.swatch(26, (ctx) => {
      ctx.fillStyle = ctx.strokeStyle = this.drawing.shade(groups, code);
      ctx.beginPath();
      if (groups.one === "class") {
        shapePath(ctx, SHAPES[groups.style[code] % SHAPES.length], 13, 6, 4.2);
        ctx.fill();
      } else {
        ctx.setLineDash(DASHES[groups.style[code] % DASHES.length]);
        ctx.lineWidth = 2;
        ctx.moveTo(0, 6);
        ctx.lineTo(26, 6);
        ctx.stroke();
      }
    });
  },

  /** A small canvas, so many pixels wide, on which something is drawn. */
  swatch(wide, draw) {
    const canvas = element("canvas", null, { "aria-hidden": "true" });
    const scale = window.devicePixelRatio || 1;
    canvas.width = wide * scale;
    canvas.height = 12 * scale;
    canvas.style.width = `${wide}px`;
    canvas.style.height = "12px";
    const ctx = canvas.getContext("2d");
    ctx.scale(scale, scale);
    draw(ctx);
    return canvas;
  },

  legend(place) {
    const { tree } = this;
    place.replaceChildren();
    for (const groups of [tree.clusters, tree.classes]) {
      if (!groups) continue;
      const list = element("ul", null, { class: "shares", "aria-label": groups.many });
      const listed = countListed(groups);
      groups.names.slice(0, listed).forEach((name, code) => {
        const item = element("li");
        item.append(this.sample(groups, code), element("bdi", shortened(name, 40)), element("small", number(groups.sizes[code]) + apart(groups, code)));
        list.append(item);
      });
      if (groups.names.length > listed) list.append(element("li", `and ${number(groups.names.length - listed)} more`));
      place.append(element("span", groups.many), list);
    }
    for (const column of this.drawing.columns) this.legendOfColumn(place, column);
    if (this.drawing.clades.length) {
      const list = element("ul", null, { class: "shares", "aria-label": "shaded clades" });
      for (const clade of this.drawing.clades) {
        const item = element("li");
        const tile = (ctx) => {
          ctx.fillStyle = this.drawing.cladeColour(clade);
          ctx.globalAlpha = 0.35;
          ctx.fillRect(0, 0, 12, 12);
        };
        item.append(this.swatch(12, tile), element("bdi", shortened(plain(clade.name), 40)));
        list.append(item);
      }
      place.append(element("span", "shaded"), list);
    }
    if (this.drawing.ringsText()) place.append(element("span", this.drawing.ringsText()));
    if (tree.data.notes) place.append(element("span", NOTE));
    if (tree.data.support) place.append(element("span", SUPPORT));
    if (tree.open.size) place.append(element("span", OPEN));
    if (tree.axis.unit !== tree.axis.name) {
      place.append(element("span", tree.axis.measured ? `▽ ${tree.axis.unit}` : tree.axis.unit));
    }
    place.hidden = !place.childElementCount;
  },
});

Object.assign(Viewer.prototype, {
  /** The categories of a column, or the colours of its least and greatest number. */
  legendOfColumn(place, column) {
    const list = element("ul", null, { class: "shares", "aria-label": column.name });
    const add = (wide, draw, name, more) => {
      const item = element("li");
      item.append(this.swatch(wide, draw), element("bdi", name), element("small", more));
      list.append(item);
    };
    if (column.names) {
      const listed = countListed(column);
      column.names.slice(0, listed).forEach((name, code) => {
        const tile = (ctx) => this.drawing.fillTile.call({ ...this.drawing, ctx }, column.data.style[code], 0, 1, 12, 10);
        add(12, tile, shortened(name, 40), number(column.data.sizes[code]));
      });
      if (column.names.length > listed) list.append(element("li", `and ${number(column.names.length - listed)} more`));
    } else {
      const ramp = (ctx) => {
        for (let k = 0; k < 40; k++) {
          ctx.fillStyle = rampColour(column.ramp, k / 39);
          ctx.fillRect(k, 1, 1, 10);
        }
      };
      add(40, ramp, `${shortNumber(column.low)} to ${shortNumber(column.high)}`, "");
    }
    place.append(element("span", shortened(column.name, 30)), list);
  },
});

const viewer = new Viewer(JSON.parse(document.getElementById("data").textContent));

/* The page tells which node is selected only through a port that the window around it hands over, as the widget does. */
window.addEventListener("message", ({ source, data, ports }) => {
  if (window.parent === window || source !== window.parent) return;
  if (data && data.tripletree === "clade" && ports.length === 1) viewer.connect(ports[0]);
});

/* For pages and tests that drive the picture: nodes are numbered depth first, the root is 0. */
window.tripletree = {
  find: (text) => viewer.tree.search(text),
  goTo: (node) => viewer.goTo(node),
  fold: (node) => viewer.toggle(node, true, false),
  unfold: (node, whole = false) => viewer.toggle(node, false, whole),
  state: () => ({
    rows: viewer.tree.rows,
    selected: viewer.drawing.selected,
    folded: Array.from(viewer.tree.folded.keys()).filter((u) => viewer.tree.folded[u]),
    rowHeight: viewer.drawing.rowHeight,
    frame: viewer.frame,
    draws: viewer.draws,
  }),
  /* What the buttons save. */
  svg: () => viewer.svg(),
  newick: () => viewer.newick(),
  png: () => viewer.pngCanvas()?.toDataURL("image/png") ?? null,
  /* Whether no folded clade hides a node, and where it is in the window. */
  isShown: (node) => viewer.tree.visible(node) === node,
  place: (node) => {
    const box = viewer.view.getBoundingClientRect();
    const { drawing, view } = viewer;
    return [box.left + drawing.x(node) - view.scrollLeft, box.top + drawing.y(node) - view.scrollTop];
  },
};
