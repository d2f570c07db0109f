// The page of the leader of a study. It asks for the overview every few seconds. All text goes into text nodes.

const EVERY = 3000;
const root = document.getElementById("watch");
let busy = false;

async function fetched(address, options = {}) {
  let response;
  try {
    response = await fetch(address, { credentials: "omit", redirect: "error", ...options });
  } catch {
    throw new Error("The server does not answer: it was stopped, or is being started again. This page goes on by itself.");
  }
  const body = await response.json().catch(() => ({ error: `The server says ${response.status}` }));
  if (!response.ok) throw new Error(body.error);
  return body;
}

function control(wanted) {
  return fetched("control", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: wanted }) });
}

function percent([part, whole]) {
  return whole ? `${Math.round((100 * part) / whole)} %` : "–";
}

function facts(known) {
  const { people, answers, planned, minute, kappa, pairs } = known;
  const right = people.reduce((sum, x) => sum + x.known[0], 0), caught = people.reduce((sum, x) => sum + x.known[1], 0);
  const told = [
    ["people here", `${people.filter((x) => x.where === "here").length} of ${people.length}`],
    ["finished", people.filter((x) => x.where === "finished").length],
    ["answers", `${answers} of ${planned}`],
    ["answers a minute", minute.toFixed(1)],
    ["catch trials right", caught ? `${right} of ${caught}` : "–"],
    ["agreement beyond chance", kappa === null ? "–" : kappa.toFixed(2), `kappa, of ${pairs} pairs of answers to the same question`],
  ];
  return make("dl", { class: "tt-facts" }, ...told.map(([key, value, title]) =>
    make("div", { title: title ?? null }, make("dt", { text: key }), make("dd", { text: value }))));
}

function table({ people }) {
  const head = ["person", "where", "answers", "left", "catch trials right", "equal to others", "equal to itself", "left, middle, right", "seconds", "too quick"];
  const order = { here: 0, away: 1, finished: 2 };
  const sorted = [...people].sort((x, y) => order[x.where] - order[y.where] || y.answers - x.answers);
  const rows = sorted.map((x) => {
    const all = x.places.reduce((a, b) => a + b, 0);
    const cells = [x.answers, x.left, x.known[1] ? `${x.known[0]} of ${x.known[1]}` : "–", percent(x.others), percent(x.itself)];
    cells.push(all ? x.places.map((n) => Math.round((100 * n) / all)).join(" / ") + " %" : "–");
    cells.push(x.seconds === null ? "–" : x.seconds.toFixed(1), x.quick);
    const who = make("td", {}, make("bdi", { text: x.who ?? "(no name)" }));
    return make("tr", {}, who, make("td", { class: `tt-${x.where}`, text: x.where }), ...cells.map((text) => make("td", { text })));
  });
  const line = make("tr", {}, ...head.map((text) => make("th", { scope: "col", text })));
  return make("div", { class: "tt-table" }, make("table", {}, make("thead", {}, line), make("tbody", {}, ...rows)));
}

/** The tree with the support of its clades in percent. */
function tree({ nodes, rows }) {
  const high = 22, step = Math.max(14, Math.min(46, 420 / Math.max(1, depth(nodes))));
  const level = nodes.map(() => 0), y = nodes.map(() => 0), first = nodes.map(() => Infinity), last = nodes.map(() => -Infinity);
  nodes.forEach((node, u) => (level[u] = node.parent < 0 ? 0 : level[node.parent] + 1));
  const right = step * (Math.max(...level) + 1);
  const x = (u) => (nodes[u].row === null ? 10 + step * level[u] : right);
  for (let u = nodes.length - 1; u >= 0; u--) {
    y[u] = nodes[u].row === null ? (first[u] + last[u]) / 2 : high * (nodes[u].row + 0.5);
    const p = nodes[u].parent;
    if (p < 0) continue;
    first[p] = Math.min(first[p], y[u]);
    last[p] = Math.max(last[p], y[u]);
  }
  let path = "";
  const texts = [];
  nodes.forEach((node, u) => {
    if (node.row === null) path += `M${x(u)} ${first[u]}V${last[u]}`;
    if (node.parent >= 0) path += `M${x(node.parent)} ${y[u]}H${x(u)}`;
    if (typeof node.support === "number") {
      texts.push([x(u) - 3, y[u] - 8, "tt-support", `${Math.round(100 * node.support)}`]);
    }
    if (node.row !== null) {
      const { items, size } = rows[node.row];
      const text = items.join(", ") + (size > items.length ? ` and ${size - items.length} more` : "");
      texts.push([right + 6, y[u], "", text.length > 60 ? `${text.slice(0, 59)}…` : text]);
    }
  });
  const wide = right + 14 + 7.2 * Math.max(...texts.filter((t) => !t[2]).map((t) => t[3].length));
  const svg = draw(wide, high * rows.length, "tt-tree", [["path", { d: path }], ...texts.map(([tx, ty, className]) => ["text", { x: tx, y: ty, class: className }])]);
  svg.querySelectorAll("text").forEach((element, k) => (element.textContent = texts[k][3]));
  svg.setAttribute("width", wide);
  svg.removeAttribute("aria-hidden");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `the hierarchy of ${rows.length} rows, with the support of its clades in percent`);
  return svg;
}

function depth(nodes) {
  const level = [];
  nodes.forEach((node, u) => (level[u] = node.parent < 0 ? 0 : level[node.parent] + 1));
  return Math.max(...level);
}

function switches(paused) {
  const button = (text, wanted, ask) => {
    const element = make("button", { type: "button", id: `tt-${wanted}`, text });
    element.addEventListener("click", () => (!ask || confirm(ask)) && act(wanted));
    return element;
  };
  return make("div", { class: "tt-switches" }, paused ? button("Go on", "resume") : button("Pause", "pause"),
    button("Stop", "stop", "Stop the server? All answers are saved. The same command starts it again, at the same address."));
}

async function act(wanted) {
  try {
    await control(wanted);
  } catch (error) {
    return show(null, error);
  }
  await look();
}

let known = null;
function show(state, error) {
  if (state) known = state;
  const parts = [];
  if (error) parts.push(make("p", { class: "tt-wrong", role: "alert", text: error.message }));
  if (known) {
    if (known.paused) parts.push(make("p", { class: "tt-wrong", text: "Paused: answers are refused, and people see that they should wait." }));
    parts.push(facts(known), make("h2", { text: "People" }), known.people.length ? table(known) : make("p", { class: "tt-faint", text: "Nobody has come yet." }));
    parts.push(make("h2", { text: "The tree so far" }));
    if (known.tree) {
      parts.push(make("p", { class: "tt-faint", text: `After ${known.tree.answers} answers, with the support of clades in percent.` }), tree(known.tree));
    } else parts.push(make("p", { class: "tt-faint", text: "It comes with the answers, if a model learns from them." }));
    const links = known.files.map((file) => make("a", { href: `export/${file}`, download: file, text: file }));
    parts.push(make("h2", { text: "Save" }), make("p", { class: "tt-exports" }, ...links));
  }
  const title = make("span", { class: "tt-title", dir: "auto", text: known?.title ?? "" });
  const head = make("header", { class: "tt-header" }, title, ...(known ? [switches(known.paused)] : []));
  const held = document.activeElement?.id;
  root.replaceChildren(head, make("div", { class: "tt-watch-body" }, ...parts));
  if (held) document.getElementById(held)?.focus({ preventScroll: true });
}

async function look() {
  if (busy) return;
  busy = true;
  try {
    show(await fetched("overview"));
  } catch (error) {
    show(null, error);
  }
  busy = false;
}

look();
setInterval(() => document.visibilityState === "visible" && look(), EVERY);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
