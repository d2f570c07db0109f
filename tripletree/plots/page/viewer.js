/* The page: pointer, keys, zoom and search. */

const AT_START = 90; // rows if the hierarchy has more leaves than ALL
const ALL = 600;
const AT_ONCE = 30; // rows that unfolding one clade adds at most
const LISTED = 100; // triplets in the panel
const MEMBERS = 12; // leaves of a clade in the panel

function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return made;
}

class Viewer {
  constructor(data) {
    const get = (id) => document.getElementById(id);
    this.tree = new Tree(data);
    this.view = get("view");
    this.panel = get("panel");
    this.current = get("current");
    this.status = get("status");
    this.find = get("find");
    this.below = get("below");
    this.drawing = new Drawing(this.tree, get("picture"), this.view, get("space"));
    this.found = { text: "", nodes: [], at: -1 };
    this.pending = false;
    this.frame = 0; // milliseconds that the last frame took
    this.draws = 0;
    this.port = null; // to the widget that shows this page in a notebook
    this.told = null; // the node that the widget knows to be selected
    this.picked = false; // whether somebody has selected a node: the root is selected at first
    if (this.tree.leafAt.length > ALL) {
      this.tree.foldAll();
      this.tree.unfold(0, AT_START);
    }
    this.listen(get);
    this.legend(get("legend"));
    this.rearrange();
    this.startZoom();
    this.select(0, false);
    this.picked = false;
  }

  // ------------------------------------------------------------------ state

  /** Show all rows if all labels are legible then, else rows of a comfortable height. */
  startZoom() {
    const fitting = this.drawing.fittingHeight();
    this.zoomTo(fitting < FINEST ? 18 : Math.min(fitting, 30));
    this.startHeight = this.drawing.rowHeight;
  }

  schedule() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.paint();
    });
  }

  paint() {
    const from = performance.now();
    this.drawing.draw();
    this.frame = performance.now() - from;
    this.draws += 1;
  }

  rearrange() {
    this.tree.arrange();
    this.drawing.fitLabels();
    this.drawing.fitSpace();
    this.schedule();
  }

  /** Fold or unfold a node. It keeps its place in the window. */
  toggle(u, fold, whole) {
    const { tree, drawing, view } = this;
    if (tree.isLeaf(u)) return;
    const at = drawing.y(u) - view.scrollTop;
    if (fold) tree.fold(u);
    else if (whole) tree.unfoldAll(u);
    else tree.unfold(u, AT_ONCE);
    this.selectVisible();
    this.rearrange();
    view.scrollTop = drawing.y(u) - at;
    this.announce(drawing.selected);
    this.describe();
    this.say(`${tree.called(u)} ${fold ? "folded" : "unfolded"}, ${number(tree.rows)} rows`);
  }

  foldEverything(fold) {
    if (fold) {
      this.tree.foldAll();
      this.tree.folded[0] = 0;
    } else this.tree.unfoldAll(0);
    this.below.value = "";
    this.afterFolding(fold ? "all clades folded" : "everything unfolded");
  }

  /** Fold clades that are not sure: see Tree.foldBelow. */
  foldBelow(support) {
    if (!(support > 0)) {
      this.tree.unfoldAll(0);
      this.afterFolding("everything unfolded");
      return;
    }
    this.tree.foldBelow(support);
    this.tree.arrange();
    const folded = this.tree.shown.subarray(0, this.tree.rows).filter((u) => !this.tree.isLeaf(u)).length;
    this.afterFolding(`${number(folded)} clade${folded === 1 ? "" : "s"} with support below ${shareText(support)} folded`);
  }

  /** Update the page after many clades have been folded or unfolded at once. */
  afterFolding(said) {
    this.selectVisible();
    this.rearrange();
    if (this.picked) this.drawing.show(this.drawing.selected, false); // what somebody has chosen stays in the window
    this.announce(this.drawing.selected);
    this.describe();
    this.say(`${said}, ${number(this.tree.rows)} rows`);
  }

  selectVisible() {
    const { drawing, tree } = this;
    const u = tree.visible(drawing.selected);
    drawing.hovered = -1;
    if (u === drawing.selected) return;
    drawing.selected = u;
    this.tell(u);
  }

  select(u, scroll = true) {
    this.drawing.selected = u;
    this.picked = true;
    this.tell(u);
    if (scroll) this.drawing.show(u, false);
    this.announce(u);
    this.describe();
    this.schedule();
  }

  /** Unfold what hides a node, select it, and bring it to the middle. */
  goTo(u) {
    this.tree.reveal(u);
    this.rearrange();
    this.drawing.hovered = -1;
    if (this.drawing.rowHeight < 15) this.zoomTo(18);
    this.drawing.show(u, true);
    this.select(u, false);
  }

  /** Tell the widget of a notebook, if this page is in one, which node is selected. */
  tell(u) {
    if (!this.port || u === this.told) return;
    this.told = u;
    this.port.postMessage({ node: u });
  }

  /** Take the port of a widget. Its messages have the node to go to, or null, or the theme of the notebook. */
  connect(port) {
    this.port = port;
    port.onmessage = ({ data: { node, theme } }) => {
      if (theme) {
        document.documentElement.dataset.theme = theme;
        this.recolour();
      }
      if (node === undefined) return;
      this.told = node;
      if (node !== null && node !== this.drawing.selected) this.goTo(node);
    };
  }

  recolour() {
    this.drawing.readColours();
    this.legend(document.getElementById("legend"));
    this.describe();
    this.schedule();
  }

  say(text) {
    this.status.textContent = text;
  }

  /** Tell assistive technology which node is current: one tree item stands for all. */
  announce(u) {
    const { tree, current } = this;
    const folded = tree.isLeaf(u) ? null : String(!tree.folded[u]);
    current.textContent = this.sentence(u);
    current.setAttribute("aria-level", tree.depth[u] + 1);
    if (folded === null) current.removeAttribute("aria-expanded");
    else current.setAttribute("aria-expanded", folded);
  }

  sentence(u) {
    const { tree } = this;
    const words = [tree.called(u)];
    if (tree.second(u)) words.push(tree.second(u));
    if (tree.note(u)) words.push("has a note");
    if (!tree.isLeaf(u) && tree.label(u)) words.push(`${number(tree.leaves(u))} leaves`);
    if (tree.support(u) !== null) words.push(`support ${shareText(tree.support(u))}`);
    if (tree.data.triplets) {
      const count = tree.triplets(u).length;
      words.push(`${number(count)} triplet${count === 1 ? "" : "s"}`);
    }
    return words.join(", ");
  }

  // ------------------------------------------------------------------ zoom

  /** Give rows so many pixels. The place at `anchor` pixels from the top of the window stays. */
  zoomTo(rowHeight, anchor) {
    const { drawing, view, tree } = this;
    if (drawing.round) {
      const at = [view.scrollLeft + view.clientWidth / 2, view.scrollTop + view.clientHeight / 2];
      const before = drawing.middle ? [at[0] - drawing.middle[0], at[1] - drawing.middle[1]] : [0, 0];
      const was = drawing.radius || 1;
      const shown = drawing.middle ? drawing.rowHeightRound() : rowHeight; // rows are as far apart as the window allows
      const wanted = rowHeight > drawing.rowHeight ? Math.max(rowHeight, (shown * rowHeight) / drawing.rowHeight) : rowHeight;
      drawing.rowHeight = Math.min(Math.max(wanted, drawing.roundFit()), 48);
      drawing.fitSpace();
      const grown = drawing.radius / was;
      const [x, y] = [0, 1].map((i) => drawing.middle[i] + before[i] * grown);
      view.scrollTo(x - view.clientWidth / 2, y - view.clientHeight / 2);
      this.schedule();
      return;
    }
    const pin = anchor === undefined ? (view.clientHeight - AXIS) / 2 : anchor;
    const row = (view.scrollTop + pin - drawing.above) / drawing.rowHeight;
    const least = Math.min(drawing.fittingHeight(), 18);
    drawing.rowHeight = Math.min(Math.max(rowHeight, least), 48, Math.max(1.5e7 / tree.rows, least));
    drawing.fitSpace();
    view.scrollTop = row * drawing.rowHeight - pin + drawing.above;
    this.schedule();
  }

  /** Draw the tree as a circle, or as before. */
  turnRound(button) {
    const { drawing } = this;
    drawing.round = !drawing.round;
    button.setAttribute("aria-pressed", drawing.round);
    this.legend(document.getElementById("legend"));
    drawing.hovered = -1;
    drawing.stretch = 1;
    this.fit();
    drawing.show(drawing.selected, false);
    this.say(drawing.round ? "drawn as a circle" : "drawn in rows");
  }

  stretchBy(factor, anchor) {
    const { drawing, view } = this;
    if (drawing.round) return;
    const pin = anchor === undefined ? view.clientWidth / 2 : anchor;
    const at = (view.scrollLeft + pin - LEFT) / drawing.across;
    drawing.stretch = Math.min(Math.max(drawing.stretch * factor, 1), 200);
    drawing.fitSpace();
    view.scrollLeft = at * drawing.across + LEFT - pin;
    this.schedule();
  }

  fit() {
    this.drawing.stretch = 1;
    this.zoomTo(Math.min(this.drawing.fittingHeight(), 30));
  }

  // ------------------------------------------------------------------ events

  listen(get) {
    const { view, drawing } = this;
    const click = (id, act) => get(id).addEventListener("click", act);
    click("closer", () => this.zoomTo(drawing.rowHeight * 1.4));
    click("farther", () => this.zoomTo(drawing.rowHeight / 1.4));
    click("wider", () => this.stretchBy(1.5));
    click("narrower", () => this.stretchBy(1 / 1.5));
    click("fit", () => this.fit());
    click("round", () => this.turnRound(get("round")));
    click("fold", () => this.foldEverything(true));
    click("unfold", () => this.foldEverything(false));
    this.below.parentNode.hidden = !this.tree.data.support;
    if (this.tree.surest && this.tree.surest[0] <= 1) this.below.step = "0.05";
    this.below.addEventListener("change", () => {
      if (this.below.value !== "") this.foldBelow(Number(this.below.value));
    });
    const axis = get("axis");
    this.tree.axes.forEach(({ name }, k) => axis.append(element("option", name, { value: k })));
    axis.hidden = axis.length < 2;
    axis.addEventListener("change", () => {
      this.tree.measure(Number(axis.value));
      this.legend(get("legend"));
      this.rearrange();
    });
    view.addEventListener("scroll", () => this.schedule(), { passive: true });
    view.addEventListener("keydown", (event) => this.key(event));
    view.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.listenToPointer();
    this.listenToSaving(get);
    this.find.addEventListener("input", () => this.search());
    this.find.addEventListener("keydown", (event) => {
      if (event.key === "Escape") view.focus();
    });
    get("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.step(1);
    });
    this.find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.shiftKey) return;
      event.preventDefault();
      this.step(-1);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target === this.find || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.find.focus();
      this.find.select();
    });
    new ResizeObserver(() => {
      drawing.measure();
      // a frame may learn its size after it has loaded
      if (window.parent !== window && drawing.rowHeight === this.startHeight) this.startZoom();
      this.paint(); // at once, or a frame would show the old picture in the new size
    }).observe(view);
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    get("more").addEventListener("click", () => {
      const open = get("more").parentNode.classList.toggle("open");
      get("more").setAttribute("aria-expanded", open);
    });
  }

  listenToPointer() {
    const { view, drawing } = this;
    let held = null; // where the button went down
    let apart = 0; // pixels between two fingers
    const spread = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    view.addEventListener("touchstart", ({ touches }) => {
      if (touches.length !== 2) return;
      held = null;
      apart = spread(touches);
    });
    const pinch = (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const [a, b] = event.touches;
      const middle = (a.clientY + b.clientY) / 2 - view.getBoundingClientRect().top;
      this.zoomTo((drawing.rowHeight * spread(event.touches)) / apart, middle);
      apart = spread(event.touches);
    };
    view.addEventListener("touchmove", pinch, { passive: false });
    const place = (event) => {
      const box = view.getBoundingClientRect();
      return [event.clientX - box.left - view.clientLeft, event.clientY - box.top - view.clientTop];
    };
    view.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      if (event.button || x > view.clientWidth || y > view.clientHeight) return;
      held = { x, y, left: view.scrollLeft, top: view.scrollTop, moved: false };
    });
    view.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (held && event.pointerType === "mouse" && event.buttons) {
        if (Math.hypot(x - held.x, y - held.y) > 4) held.moved = true;
        if (held.moved) view.scrollTo(held.left + held.x - x, held.top + held.y - y);
      }
      this.hover(held && held.moved ? -1 : drawing.hit(x, y));
    });
    view.addEventListener("pointerleave", () => this.hover(-1));
    view.addEventListener("pointercancel", () => (held = null));
    view.addEventListener("pointerup", (event) => {
      const [x, y] = place(event);
      const clicked = held && !held.moved;
      held = null;
      const u = clicked ? drawing.hit(x, y) : -1;
      if (u < 0) return;
      const again = this.picked && u === drawing.selected; // the first click picks, the next one folds
      this.select(u, false);
      if (this.tree.isLeaf(u) || event.shiftKey) return;
      if (again || event.altKey) this.toggle(u, !this.tree.folded[u], event.altKey);
    });
  }

  hover(u) {
    if (u === this.drawing.hovered) return;
    this.drawing.hovered = u;
    this.view.classList.toggle("pointing", u >= 0 && !this.tree.isLeaf(u));
    this.describe();
    this.schedule();
  }

  wheel(event) {
    const box = this.view.getBoundingClientRect();
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016));
    if (event.ctrlKey || event.metaKey) this.zoomTo(this.drawing.rowHeight * factor, event.clientY - box.top);
    else if (event.altKey) this.stretchBy(factor, event.clientX - box.left);
    else return;
    event.preventDefault();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this;
    const u = this.drawing.selected;
    const to = (v) => v >= 0 && v < tree.size && this.select(v);
    const acts = {
      ArrowDown: () => to(tree.isRow(u) ? tree.end[u] : u + 1),
      ArrowUp: () => u > 0 && to(tree.visible(u - 1)),
      ArrowRight: () => {
        if (tree.folded[u]) this.toggle(u, false, false);
        else if (!tree.isLeaf(u)) to(u + 1);
      },
      ArrowLeft: () => (tree.isRow(u) ? to(tree.parent[u]) : this.toggle(u, true, false)),
      Enter: () => this.toggle(u, !tree.folded[u], false),
      " ": () => this.toggle(u, !tree.folded[u], false),
      "*": () => this.toggle(u, false, true),
      Home: () => to(0),
      End: () => to(tree.shown[tree.rows - 1]),
      "+": () => this.zoomTo(this.drawing.rowHeight * 1.4),
      "=": () => this.zoomTo(this.drawing.rowHeight * 1.4),
      "-": () => this.zoomTo(this.drawing.rowHeight / 1.4),
      0: () => this.fit(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // ------------------------------------------------------------------ search

  search() {
    const text = this.find.value;
    this.found = { text, nodes: this.tree.search(text), at: -1 };
    const count = this.found.nodes.length;
    if (!text.trim()) this.say("");
    else if (!count) this.say("nothing has that name");
    else this.say(`${number(count)} found: press Enter`);
  }

  step(by) {
    if (this.found.text !== this.find.value) this.search();
    const { nodes } = this.found;
    if (!nodes.length) return;
    this.found.at = (this.found.at + by + (this.found.at < 0 && by < 0 ? 1 : 0) + nodes.length) % nodes.length;
    const u = nodes[this.found.at];
    this.goTo(u);
    this.say(`${number(this.found.at + 1)} of ${number(nodes.length)}: ${this.tree.called(u)}`);
  }
}
