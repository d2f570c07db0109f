// Cards and clusters. All text goes into text nodes: names and texts of samples are never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";
const FEW = 12; // up to so many columns have a row each
const SPOKEN = 300; // the most characters of a text that are read out

/** Make an element with attributes (or "text") and children. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Draw shapes, each given as [tag, attributes]. */
function draw(width, height, className, shapes) {
  const svg = document.createElementNS(SVG, "svg");
  const size = { viewBox: `0 0 ${width} ${height}`, class: className, "aria-hidden": "true" };
  for (const [name, value] of Object.entries(size)) svg.setAttribute(name, value);
  for (const [tag, attributes] of shapes) {
    const shape = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
    svg.append(shape);
  }
  return svg;
}

function numberText(value, texts) {
  if (value === null) return "–";
  return value.toLocaleString(texts.language, { maximumSignificantDigits: 4, useGrouping: false });
}

/** The place of a value between the lowest and the highest of its column, from 0 to 1. */
function share(value, column) {
  const span = column.high - column.low;
  return value === null || !(span > 0) ? 0.5 : (value - column.low) / span;
}

/** For few columns: a row for each, with the place of the value among the values of all samples. */
function numberRows(values, columns, texts) {
  const table = make("div", { class: "tt-numbers" });
  values.forEach((value, k) => {
    const column = columns[k];
    const strip = make("span", { class: "tt-strip", "aria-hidden": "true" });
    for (const [kind, x] of [["tt-middle", column.middle], ["tt-dot", value]]) {
      if (x === null) continue;
      const mark = make("span", { class: kind });
      mark.style.left = `${100 * share(x, column)}%`;
      strip.append(mark);
    }
    table.append(
      make("span", { class: "tt-column", text: column.name, title: column.name }),
      strip,
      make("span", { class: "tt-value", text: numberText(value, texts) }),
    );
  });
  return table;
}

/** For many columns: a profile of the values, in front of the medians of all samples. */
function profile(values, columns) {
  const line = (numbers) =>
    numbers
      .map((value, k) => `${(3 + (194 * k) / (numbers.length - 1)).toFixed(1)},${(97 - 94 * share(value, columns[k])).toFixed(1)}`)
      .join(" ");
  return draw(200, 100, "tt-profile", [
    ["polyline", { points: line(columns.map((column) => column.middle)), class: "tt-medians" }],
    ["polyline", { points: line(values) }],
  ]);
}

/** The picture of a sample, or its name if the picture cannot be loaded. */
function picture(sample, called, transport, className) {
  const image = make("img", { class: className, alt: called, decoding: "async", "data-pending": true });
  image.onload = () => image.removeAttribute("data-pending");
  Promise.resolve(transport.image(sample.row)).then((address) => {
    image.onerror = () => image.replaceWith(make("span", { class: "tt-noimage", text: called }));
    image.src = address;
  });
  return image;
}

/** The name of a sample, or the place of its picture if names are not shown. */
function nameOf(sample, place, texts) {
  return sample.name ?? texts.say("picture", { place });
}

/** The content of a card below its key. If `pictures`, a sample without a picture says so. */
function cardContent(sample, called, columns, transport, pictures, texts) {
  const parts = [];
  if (sample.image) parts.push(picture(sample, called, transport, "tt-picture"));
  else if (pictures) parts.push(make("span", { class: "tt-noimage", text: texts.say("noPicture") }));
  if (sample.text !== undefined) {
    // keys only scroll a region that can have the focus
    const label = texts.say("textOf", { sample: called });
    const region = { class: "tt-text", dir: "auto", tabindex: "0", role: "region", "aria-label": label };
    parts.push(make("div", { ...region, text: sample.text }));
  }
  if (sample.values) {
    parts.push(sample.values.length > FEW ? profile(sample.values, columns) : numberRows(sample.values, columns, texts));
  }
  if (sample.name !== undefined) {
    const name = make("div", { class: "tt-name", dir: "auto", text: called, title: called });
    name.style.setProperty("--longest", Math.max(...called.split(/[\s-]+/).map((word) => word.length)));
    parts.push(name);
  }
  return parts;
}

/** A sample in words for screen readers: its name, and its text or numbers unless they are too long. */
function spoken(sample, called, columns, texts) {
  const words = [called];
  if (sample.text !== undefined) words.push(sample.text.length > SPOKEN ? `${sample.text.slice(0, SPOKEN)}…` : sample.text);
  else if (sample.values && sample.values.length <= FEW) {
    words.push(
      ...sample.values.map((value, k) =>
        value === null
          ? texts.say("missingValue", { column: columns[k].name })
          : `${columns[k].name} ${numberText(value, texts)}`,
      ),
    );
  } else if (sample.values) words.push(texts.say("drawnNumbers", { n: sample.values.length }));
  return words.join(", ");
}

// ---------------------------------------------------------------------- the hierarchy down to its clusters

const ROW = 52, ACROSS = 64;
// Colour-blind readers can tell these colours apart. Each comes in six shapes, so there are more than rows.
const PALETTE = 7, SHAPES = 6;

/** Brackets that join the rows, with a step for each level. */
function brackets({ nodes, rows }) {
  const level = nodes.map(() => 0), first = nodes.map(() => Infinity), last = nodes.map(() => -Infinity);
  const height = nodes.map(() => 0);
  for (let u = nodes.length - 1; u >= 0; u--) {
    height[u] = nodes[u].row === null ? (first[u] + last[u]) / 2 : ROW * (nodes[u].row + 0.5);
    const p = nodes[u].parent;
    if (p < 0) continue;
    level[p] = Math.max(level[p], level[u] + 1);
    first[p] = Math.min(first[p], height[u]);
    last[p] = Math.max(last[p], height[u]);
  }
  const step = (ACROSS - 10) / Math.max(level[0], 1);
  const x = (u) => ACROSS - step * level[u];
  let path = `M${(x(0) - 8).toFixed(1)} ${height[0].toFixed(1)}H${x(0).toFixed(1)}`;
  nodes.forEach((node, u) => {
    if (node.row === null) path += `M${x(u).toFixed(1)} ${first[u].toFixed(1)}V${last[u].toFixed(1)}`;
    if (node.parent >= 0) path += `M${x(node.parent).toFixed(1)} ${height[u].toFixed(1)}H${x(u).toFixed(1)}`;
  });
  const svg = draw(ACROSS, ROW * rows.length, "tt-brackets", [["path", { d: path }]]);
  svg.setAttribute("width", ACROSS);
  svg.setAttribute("height", ROW * rows.length);
  return svg;
}

function swatch(cluster) {
  const shape = Math.floor(cluster / PALETTE) % SHAPES;
  return make("span", { class: `tt-swatch tt-colour-${cluster % PALETTE} tt-shape-${shape}`, "aria-hidden": "true" });
}

/** A row of the outline: a cluster, a part of one, or several clusters that are too many to show apart. */
function outlineRow(row, known, transport, texts) {
  const [cluster] = row.clusters[0];
  const several = row.clusters.length + row.more;
  const title = make("div", { class: "tt-row-title" });
  if (several > 1) {
    title.append(...row.clusters.slice(0, 4).map(([other]) => swatch(other)), make("b", { text: texts.say("clusters", { n: several }) }));
  } else {
    title.append(swatch(cluster), make("b", { text: texts.say("cluster", { number: cluster + 1 }) }));
  }
  const part = several === 1 && row.size < known.sizes[cluster];
  const size = part ? texts.say("partOf", { part: row.size, n: known.sizes[cluster] }) : texts.say("samples", { n: row.size });
  title.append(make("span", { class: "tt-faint", text: size }));
  if (several === 1) {
    const sure = Math.round(100 * known.sure[cluster]);
    const bar = make("span", { class: "tt-bar", title: texts.say("sure", { percent: sure }) }, make("span"));
    bar.firstChild.style.width = `${sure}%`;
    title.append(make("span", { class: "tt-sure" }, bar, `${sure} %`));
  }
  const items = make("div", { class: "tt-items" });
  row.items.forEach((sample, k) => {
    const called = nameOf(sample, k + 1, texts);
    if (sample.image) {
      const image = picture(sample, called, transport, "tt-thumb");
      image.title = called;
      items.append(image);
    } else {
      const text = sample.text ?? called;
      items.append(make("bdi", { text, title: text }));
    }
  });
  return make("li", {}, title, items);
}

function outlineOf(known, transport, texts) {
  const list = make("ul", { class: "tt-rows" }, ...known.rows.map((row) => outlineRow(row, known, transport, texts)));
  return make("div", { class: "tt-outline" }, brackets(known), list);
}
