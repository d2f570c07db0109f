/* What is shown as SVG or PNG, and the selected clade as Newick, into files of the reader's. */

const WIDEST = 16000; // pixels of a canvas along either side that every browser can make
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

/** The part of a canvas' context that Drawing uses, written down as SVG; texts are measured by a canvas. */
class SvgContext {
  constructor(probe) {
    Object.assign(this, { probe, parts: [], path: new SvgPath(), dash: [], globalAlpha: 1, lineWidth: 1 });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", font: "13px sans-serif", textAlign: "left", textBaseline: "middle" });
  }

  setTransform() {}

  translate() {}

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

  fillText(text, x, y) {
    const [, weight, size, family] = /^(bold )?([\d.]+)px (.*)$/.exec(this.font);
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const font = `font-size="${size}" font-family="${escaped(family)}"${weight ? ' font-weight="bold"' : ""}`;
    const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" dominant-baseline="central"`;
    this.parts.push(`<text ${place} ${font}${this.look("fill", this.fillStyle)}>${escaped(text)}</text>`);
  }
}

/** A drawing like this one, of all rows and without what is selected. */
function wholeDrawing(drawing, ctx, scale) {
  const width = Math.ceil(LEFT + drawing.across + drawing.labelRoom);
  const height = Math.ceil(ABOVE + drawing.tree.rows * drawing.rowHeight + AXIS + BELOW / 2);
  const view = { scrollLeft: 0, scrollTop: 0, clientWidth: width, clientHeight: height };
  const own = { ctx, view, width, height, hovered: -1, selected: -1, path: null, fitCanvas: () => scale };
  return Object.assign(Object.create(drawing), own);
}

Object.assign(Viewer.prototype, {
  listenToSaving(get) {
    const name = () => document.title.replace(/[^\p{L}\p{N}]+/gu, "_").slice(0, 60) || "hierarchy";
    get("save-svg").addEventListener("click", () => this.download(`${name()}.svg`, new Blob([this.svg()], { type: "image/svg+xml" })));
    get("save-newick").addEventListener("click", () => this.download(`${name()}.nwk`, new Blob([this.newick()], { type: "text/plain" })));
    get("save-png").addEventListener("click", () => this.pngCanvas().toBlob((blob) => this.download(`${name()}.png`, blob), "image/png"));
  },

  download(name, blob) {
    const link = element("a", null, { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.say(`${name} saved`);
  },

  svg() {
    const ctx = new SvgContext(this.drawing.ctx);
    const whole = wholeDrawing(this.drawing, ctx, 1);
    whole.draw();
    const size = `width="${whole.width}" height="${whole.height}" viewBox="0 0 ${whole.width} ${whole.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<title>${escaped(document.title)}</title>\n${ctx.parts.join("\n")}\n</svg>\n`;
  },

  /** Two pixels for each of the screen's, or as many as fit. */
  pngCanvas() {
    const canvas = document.createElement("canvas");
    const ctx = canvas.getContext("2d");
    const { width, height } = wholeDrawing(this.drawing, ctx, 1);
    const scale = Math.min(2, WIDEST / Math.max(width, height));
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    wholeDrawing(this.drawing, ctx, scale).draw();
    return canvas;
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
