/* Saves the tree that is shown as SVG or PNG, and the selected clade as Newick. */

const WIDEST = 16000; // pixels of a canvas along either side that every browser can make
const COARSEST = 0.5; // pixels of a PNG for each pixel of the screen: with fewer nothing can be read
const LINE = 19; // pixels from line to line of the legend
// For paper: width and height of a page in pixels, height of the title, height of a row if a tree takes several pages, most pages.
const PAGE = [720, 900];
const HEAD = 70;
const PRINTED_ROW = 13;
const PAGES = 40;
const QUOTED = /[\s()[\]{}\/\\,;:='"<>]|^$/;

/** A path for `SvgContext.stroke`, as Path2D is one for a canvas. */
class SvgPath {
  constructor() {
    this.d = "";
  }

  moveTo(x, y) {
    this.d += `M${round(x)} ${round(y)}`;
  }

  lineTo(x, y) {
    this.d += `L${round(x)} ${round(y)}`;
  }
}

function round(x) {
  return Math.round(x * 100) / 100;
}

function escaped(text) {
  const sound = plain(text).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  return sound.replace(/[\ufffe\uffff]/g, "\ufffd").replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/** Has the methods of a canvas' context that Drawing uses, and writes SVG. A canvas measures the texts. */
class SvgContext {
  constructor(probe) {
    Object.assign(this, { probe, parts: [], path: new SvgPath(), dash: [], globalAlpha: 1, lineWidth: 1 });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", font: "13px sans-serif", textAlign: "left", textBaseline: "middle" });
  }

  /** Back to where the picture begins. */
  setTransform() {
    if (this.moved) this.parts.push("</g>");
    this.moved = false;
  }

  translate(dx, dy) {
    if (!dx && !dy) return;
    this.parts.push(`<g transform="translate(${round(dx)} ${round(dy)})">`);
    this.moved = true;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  measureText(text) {
    this.probe.font = this.font;
    return this.probe.measureText(text);
  }

  beginPath() {
    this.path = new SvgPath();
  }

  moveTo(x, y) {
    this.path.moveTo(x, y);
  }

  lineTo(x, y) {
    this.path.lineTo(x, y);
  }

  closePath() {
    this.path.d += "Z";
  }

  rect(x, y, w, h) {
    this.path.d += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`;
  }

  /** Whole circles only. */
  arc(x, y, r) {
    const two = round(2 * r);
    this.path.d += `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${two} 0a${round(r)} ${round(r)} 0 1 0 ${-two} 0Z`;
  }

  look(name, colour) {
    const alpha = this.globalAlpha < 1 ? ` ${name}-opacity="${this.globalAlpha}"` : "";
    return ` ${name}="${escaped(String(colour))}"${alpha}`;
  }

  fill() {
    if (this.path.d) this.parts.push(`<path d="${this.path.d}"${this.look("fill", this.fillStyle)}/>`);
  }

  stroke(path = this.path) {
    if (!path.d) return;
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const line = `${this.look("stroke", this.strokeStyle)} stroke-width="${this.lineWidth}"${dash}`;
    this.parts.push(`<path d="${path.d}" fill="none"${line}/>`);
  }

  fillRect(x, y, w, h) {
    const size = `width="${round(w)}" height="${round(h)}"`;
    this.parts.push(`<rect x="${round(x)}" y="${round(y)}" ${size}${this.look("fill", this.fillStyle)}/>`);
  }

  fillText(text, x, y, turn = 0) {
    const [, weight, size, family] = /^(bold )?([\d.]+)px (.*)$/.exec(this.font);
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const font = `font-size="${size}" font-family="${escaped(family)}"${weight ? ' font-weight="bold"' : ""}`;
    const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" dominant-baseline="central"${turn ? ` transform="rotate(${round(turn)} ${round(x)} ${round(y)})"` : ""}`;
    this.parts.push(`<text ${place} ${font}${this.look("fill", this.fillStyle)}>${escaped(text)}</text>`);
  }
}

/** A copy of a drawing on white, without selection. It has all rows unless `own` says otherwise. */
function drawingOn(drawing, ctx, scale, own = {}) {
  const plain = { ctx, hovered: -1, selected: -1, path: null, labelRoom: drawing.wanted, fitCanvas: () => scale };
  const made = Object.assign(Object.create(drawing), plain, drawing.lightColours(), own);
  if (made.round) {
    made.labelRoom = drawing.labelRoom;
    made.width = made.height = Math.ceil(made.side);
    made.middle = [made.side / 2, made.side / 2];
    made.view = { scrollLeft: 0, scrollTop: 0, clientWidth: made.width, clientHeight: made.height };
    return made;
  }
  made.width = Math.ceil(LEFT + made.across + made.labelRoom);
  made.height = own.height ?? Math.ceil(made.above + made.tree.rows * made.rowHeight + AXIS + BELOW / 2);
  made.view = { scrollLeft: 0, scrollTop: own.top ?? 0, clientWidth: made.width, clientHeight: made.height };
  return made;
}

function svgOf(width, height, parts) {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<title>${escaped(document.title)}</title>\n${parts.join("\n")}\n</svg>\n`;
}

Object.assign(Viewer.prototype, {
  listenToSaving(get) {
    const name = () => document.title.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "hierarchy";
    get("save-svg").addEventListener("click", () => this.download(`${name()}.svg`, new Blob([this.svg()], { type: "image/svg+xml" })));
    get("save-newick").addEventListener("click", () => this.download(`${name()}.nwk`, new Blob([this.newick()], { type: "text/plain" })));
    get("save-png").addEventListener("click", () => {
      const save = (blob) => (blob ? this.download(`${name()}.png`, blob) : this.refusePng());
      const canvas = this.pngCanvas();
      if (canvas) canvas.toBlob(save, "image/png");
      else this.refusePng();
    });
    window.addEventListener("beforeprint", () => document.querySelector(".printed").replaceChildren(...this.pages()));
  },

  download(name, blob) {
    const link = element("a", null, { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.say(`${name} saved`);
  },

  refusePng() {
    this.say(`${number(this.tree.rows)} rows are too high for a PNG: save SVG or Newick, fold clades, or press Fit first`);
  },

  svg() {
    const ctx = new SvgContext(this.drawing.ctx);
    const whole = drawingOn(this.drawing, ctx, 1);
    whole.draw();
    const below = this.drawLegend(whole, whole.height);
    return svgOf(whole.width, whole.height + below, ctx.parts);
  },

  /** A canvas with two pixels for each pixel of the screen, or as many as fit. Null if too few fit. */
  pngCanvas() {
    const canvas = document.createElement("canvas");
    const ctx = canvas.getContext("2d");
    const { width, height } = drawingOn(this.drawing, ctx, 1);
    const high = height + this.drawLegend(drawingOn(this.drawing, ctx, 1), height, false);
    const scale = Math.min(2, WIDEST / Math.max(width, high));
    if (scale < COARSEST) return null;
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(high * scale);
    const whole = drawingOn(this.drawing, ctx, scale);
    whole.draw();
    this.drawLegend(whole, height);
    return canvas;
  },

  /** The entries of the legend: a function that draws the sign at a place, or null, and its text. */
  legendEntries(drawing) {
    const { tree } = this;
    const { ctx, colour } = drawing;
    const entries = [];
    const shape = (name, fill, stroke) => (x, y) => {
      ctx.beginPath();
      shapePath(ctx, name, x, y, 4.2);
      ctx.fillStyle = fill;
      ctx.fill();
      if (!stroke) return;
      ctx.strokeStyle = stroke;
      ctx.lineWidth = 1;
      ctx.stroke();
    };
    for (const groups of [tree.clusters, tree.classes]) {
      if (!groups) continue;
      const line = (code) => (x, y) => {
        ctx.setLineDash(DASHES[groups.style[code] % DASHES.length]);
        ctx.strokeStyle = drawing.shade(groups, code);
        ctx.lineWidth = 2;
        ctx.beginPath();
        ctx.moveTo(x - 13, y);
        ctx.lineTo(x + 13, y);
        ctx.stroke();
        ctx.setLineDash([]);
      };
      const listed = countListed(groups);
      entries.push([null, `${groups.many}:`]);
      groups.names.slice(0, listed).forEach((name, code) => {
        const dot = shape(SHAPES[groups.style[code] % SHAPES.length], drawing.shade(groups, code));
        entries.push([groups.one === "class" ? dot : line(code), `${shortened(name, 30)} (${number(groups.sizes[code])})${apart(groups, code)}`]);
      });
      if (groups.names.length > listed) entries.push([null, `and ${number(groups.names.length - listed)} more ${groups.many}`]);
    }
    for (const column of drawing.columns) {
      if (!column.names) {
        const ramp = (x, y) => {
          for (let k = 0; k < 13; k++) {
            ctx.fillStyle = rampColour(column.ramp, k / 12);
            ctx.fillRect(x - 13 + 2 * k, y - 4, 2, 8);
          }
        };
        entries.push([ramp, `${column.name}: ${shortNumber(column.low)} to ${shortNumber(column.high)}`]);
        continue;
      }
      const listed = countListed(column);
      entries.push([null, `${column.name}:`]);
      column.names.slice(0, listed).forEach((name, code) => {
        const tile = (x, y) => drawing.fillTile(column.data.style[code], x - 6, y - 5, 12, 10);
        entries.push([tile, `${shortened(name, 30)} (${number(column.data.sizes[code])})`]);
      });
      if (column.names.length > listed) entries.push([null, `and ${number(column.names.length - listed)} more`]);
    }
    if (drawing.ringsText()) entries.push([null, drawing.ringsText()]);
    if (drawing.clades.length && !drawing.hasBrackets()) {
      entries.push([null, "shaded:"]);
      for (const clade of drawing.clades) {
        const tile = (x, y) => drawing.fillTile(clade.style % drawing.palette.length % 7, x - 6, y - 5, 12, 10);
        entries.push([tile, shortened(plain(clade.name), 40)]);
      }
    }
    if (tree.data.triplets) {
      const missed = tree.data.triplets.at.filter((node) => node < 0).length;
      const held = tree.data.triplets.at.length - missed;
      if (held) entries.push([shape("circle", colour.ink), `${number(held)} triplet${held === 1 ? "" : "s"} displayed`]);
      if (missed) entries.push([shape("cross", colour.missed), `${number(missed)} not displayed`]);
    }
    if (drawing.hasSupport()) entries.push([null, SUPPORT]);
    if (this.tree.open.size) entries.push([null, OPEN]);
    if (tree.up.some((_, u) => tree.pointsDown(u))) entries.push([shape("down", colour.ground, colour.line), "inverted height"]);
    return entries;
  },

  /** Draw the legend in lines from a height down; returns the pixels that it takes. */
  drawLegend(drawing, top, drawn = true) {
    const { ctx, width } = drawing;
    const entries = this.legendEntries(drawing);
    if (!entries.length) return 0;
    ctx.font = `12px ${drawing.font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    const places = [];
    let [x, line] = [LEFT, 0];
    for (const [mark, text] of entries) {
      const wide = (mark ? 34 : 0) + ctx.measureText(text).width + 18;
      if (x > LEFT && x + wide > width) [x, line] = [LEFT, line + 1];
      places.push([x, top + (line + 0.5) * LINE]);
      x += wide;
    }
    const high = (line + 1) * LINE + 6;
    if (!drawn) return high;
    ctx.fillStyle = drawing.colour.ground;
    ctx.fillRect(0, top, width, high);
    entries.forEach(([mark, text], k) => {
      const [left, y] = places[k];
      if (mark) mark(left + 13, y);
      ctx.fillStyle = drawing.colour.ink;
      ctx.fillText(text, left + (mark ? 34 : 0), y);
    });
    return high;
  },

  /** The legend and the rows that are shown, as SVG elements for paper, each no higher than a page. */
  pages() {
    const { drawing, tree } = this;
    const [wide, high] = PAGE;
    const found = [];
    const labelRoom = Math.min(drawing.wanted, wide / 2);
    const own = { labelRoom, across: wide - LEFT - labelRoom, round: false };
    const add = (height, parts) => {
      const { documentElement } = new DOMParser().parseFromString(svgOf(wide, height, parts), "image/svg+xml");
      found.push(document.importNode(documentElement, true));
    };
    const legend = new SvgContext(drawing.ctx);
    const room = high - AXIS - drawing.above;
    own.rowHeight = Math.min(PRINTED_ROW, (PAGES * room) / tree.rows);
    const below = this.drawLegend(drawingOn(drawing, legend, 1, own), 0);
    if (below) add(below, legend.parts);
    const first = room - HEAD - below;
    const one = first / tree.rows; // the height of a row if all are to be on one page
    if (one >= FINEST) own.rowHeight = Math.min(one, 22);
    const { rowHeight } = own;
    const each = Math.max(Math.floor(room / rowHeight), 1);
    for (let row = 0; row < tree.rows; ) {
      const count = Math.min(tree.rows - row, row ? each : Math.max(Math.floor(first / rowHeight), 1));
      const ctx = new SvgContext(drawing.ctx);
      const top = row ? drawing.above + row * rowHeight : 0;
      const height = Math.ceil(drawing.above + (row + count) * rowHeight - top + AXIS);
      drawingOn(drawing, ctx, 1, { ...own, height, top }).draw();
      add(height, ctx.parts);
      row += count;
    }
    return found;
  },

  /** The selected clade, whatever is folded, with lengths of branches where there are heights. */
  newick() {
    const { tree } = this;
    const root = this.drawing.selected;
    const parts = [];
    const close = (u) => {
      const label = tree.label(u);
      if (label !== null) parts.push(QUOTED.test(label) || label.includes("_") ? `'${label.replace(/'/g, "''")}'` : label);
      if (tree.heights && u !== root) parts.push(`:${Number((tree.heights[tree.parent[u]] - tree.heights[u]).toPrecision(7))}`);
    };
    const open = [];
    for (let u = root; u < tree.end[root]; u++) {
      while (open.length && tree.end[open[open.length - 1]] <= u) {
        parts.push(")");
        close(open.pop());
      }
      if (u > root && tree.parent[u] + 1 !== u) parts.push(",");
      if (tree.kids[u]) {
        parts.push("(");
        open.push(u);
      } else close(u);
    }
    while (open.length) {
      parts.push(")");
      close(open.pop());
    }
    return `${parts.join("")};\n`;
  },
});
