/* Shapes, dashes and short texts of the picture. */

const SPARSEST = 10; // no labels at all if fewer than one in this many rows would get one
const DASHES = [[], [6, 2], [2, 2], [7, 2, 2, 2]];
const DOTS = [1, 3]; // the branch above an open node
const OPEN = "dotted branch: open, at that node or below it";
const SUPPORT = "number at a branch: support of the clade";
const NOTE = "∗ has a note";
const MOST_LISTED = 14; // clusters or classes in a legend
const SHAPES = ["circle", "square", "up", "diamond", "down", "plus", "cross", "star"];

/** How many clusters or classes a legend lists: all if there is just one more, as "and 1 more" takes the same room. */
function countListed({ names }) {
  return names.length <= MOST_LISTED + 1 ? names.length : MOST_LISTED;
}

/** What a legend says of a cluster whose leaves are not all leaves below one node. */
function apart(groups, code) {
  return groups.isClade[code] ? "" : ", not a clade";
}

function number(x, digits = 0) {
  return x.toLocaleString("en", { maximumFractionDigits: digits });
}

/** A share as text: two digits behind the point and no zero before it. Percents are rounded to two digits. */
function shareText(x) {
  return Math.abs(x) <= 1 ? x.toFixed(2).replace(/^(-?)0/, "$1") : number(x, 2);
}

/** A text without control characters, such as those that change the direction of the text around them. */
function plain(text) {
  return text.replace(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function shortened(text, most) {
  const line = Array.from(text.replace(/\s+/g, " ").trim());
  if (line.length <= most) return line.join("");
  const half = Math.floor((most - 1) / 2);
  return `${line.slice(0, half).join("")}…${line.slice(-half).join("")}`;
}

/** A share in rounded percent. Only the whole is 100. */
function percent(part, all) {
  return part === all ? 100 : Math.min(Math.floor((100 * part) / all + 0.5), 99);
}

/** Add one of the shapes around a place to the path. */
function shapePath(ctx, name, x, y, r) {
  const corners = (angles, radii) => {
    angles.forEach((a, i) => {
      const q = radii[i % radii.length] * r;
      ctx[i ? "lineTo" : "moveTo"](x + q * Math.cos(a), y + q * Math.sin(a));
    });
    ctx.closePath();
  };
  const turns = (k, from) => Array.from({ length: k }, (_, i) => ((from + i / k) * 2 - 0.5) * Math.PI);
  if (name === "circle") ctx.arc(x, y, r, 0, 2 * Math.PI);
  else if (name === "square") ctx.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r);
  else if (name === "up") corners(turns(3, 0), [1.25]);
  else if (name === "down") corners(turns(3, 0.5), [1.25]);
  else if (name === "diamond") corners(turns(4, 0), [1.25]);
  else if (name === "star") corners(turns(10, 0), [1.35, 0.6]);
  else {
    const turn = name === "cross" ? 0.125 : 0;
    const arm = turns(12, 0).map((_, i) => (Math.floor(i / 3) / 4 + turn + [-0.05, 0.05, 0.125][i % 3]) * 2 * Math.PI);
    corners(arm, [1.25, 1.25, 0.5]);
  }
}
