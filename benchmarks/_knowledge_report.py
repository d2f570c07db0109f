"""What the cells of bench_knowledge.py say: means, cells below the plain tree, ranks, what is wanted, and curves."""

import csv
from collections import defaultdict

import numpy as np
from scipy.stats import rankdata

KEY = ("set", "n", "amount", "wrong", "seed", "method")
BASE, FLAT = "plain ward", "k-means"
PLAIN = (BASE, "plain average", FLAT)  # they know nothing, so no amount and no wrong triplet changes them
MEASURES = ("unseen", "purity", "f", "ari", "f_unnamed", "ari_unnamed")
SUMMARY = ("unseen", "purity", "f", "f_unnamed")
HEADER = [text for measure in SUMMARY for text in (measure, "wrong")]  # of clean cells, and of those with some wrong
GROUPS = {"tables": "triplets of classes", "uci": "triplets of classes", "labels": "class labels"}
HIERARCHIES = "triplets of hierarchies"
ROLES = ("development", "reporting")


def read_cells(paths, columns):
    """Rows of the files; of equal cells the last one counts, and a line cut short by a crash does not."""
    cells = {}
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.reader(file)
            header = next(reader, None)
            if header != columns:
                raise SystemExit(f"{path}: expected the columns {','.join(columns)}, got {','.join(header or [])}")
            for values in reader:
                if len(values) == len(columns):
                    row = dict(zip(columns, values, strict=True))
                    cells[tuple(row[x] for x in KEY)] = row
    return list(cells.values())


class Results:
    """Scores by cell (set, share wrong, amount), method, measure and seed."""

    def __init__(self, rows):
        self.at, self.failed, self.group, self.role = defaultdict(dict), defaultdict(int), {}, {}
        self.tried = defaultdict(set)
        for row in rows:
            cell = row["set"], float(row["wrong"]), float(row["amount"])
            self.group[row["set"]], self.role[row["set"]] = GROUPS.get(row["kind"], HIERARCHIES), row["role"]
            self.tried[cell].add(row["method"])
            self.failed[(*cell, row["method"])] += bool(row["error"])
            for measure in MEASURES:
                if row[measure]:
                    self.at[(*cell, row["method"], measure)][int(row["seed"])] = float(row[measure])
        self.methods = list(dict.fromkeys(row["method"] for row in rows))
        self.sets = list(dict.fromkeys(row["set"] for row in rows))
        self.amounts = sorted({a for _, _, a in self.tried})
        self.shares = sorted({e for _, e, _ in self.tried})

    def mean(self, cell, method, measure):
        """Mean over seeds and its standard error (NaN from one seed)."""
        return mean_and_error(list(self.at.get((*cell, method, measure), {}).values()))

    def difference(self, cell, method, other, measure, other_cell=None):
        """Mean difference of two methods on the same seeds, and its standard error; None where there is none."""
        mine = self.at.get((*cell, method, measure), {})
        yours = self.at.get((*(other_cell or cell), other, measure), {})
        seeds = sorted(set(mine) & set(yours))
        return mean_and_error([mine[s] - yours[s] for s in seeds]) if seeds else None

    def cells(self, role=None, group=None):
        return [
            cell for cell in self.tried if role in (None, self.role[cell[0]]) and group in (None, self.group[cell[0]])
        ]

    def average(self, cells, method, measure):
        """Mean over sets of the means over seeds, its standard error, and the fits that failed."""
        parts = [self.mean(cell, method, measure) for cell in cells if (*cell, method, measure) in self.at]
        failed = sum(self.failed.get((*cell, method), 0) for cell in cells)
        if not parts:
            return np.nan, np.nan, failed
        means, errors = np.array(parts).T
        return means.mean(), np.sqrt((errors**2).sum()) / len(parts), failed


def mean_and_error(values):
    if not values:
        return np.nan, np.nan
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def worse(difference):
    """Whether a difference is more than two standard errors below 0; from one seed, below -.02."""
    mean, error = difference
    return mean < (-0.02 if np.isnan(error) else -2 * error - 1e-9)


def printed(mean, error, failed=0):
    """.812(3): the mean and the standard error in its last digit; x: some fits failed."""
    if np.isnan(mean):
        return "failed" if failed else "-"
    text = f"{mean:.3f}".replace("0.", ".", 1)
    return text + ("" if np.isnan(error) else f"({round(1000 * error)})") + ("x" if failed else "")


def table(title, header, lines):
    widths = [max(len(row[k]) for row in [header, *lines]) for k in range(len(header))]
    print(f"\n{title}")
    for first, *rest in [header, *lines]:
        print(
            "  ".join([first.ljust(widths[0]), *(x.rjust(w) for x, w in zip(rest, widths[1:], strict=True))]).rstrip()
        )


def percent(share):
    return f"{share:.0%} wrong".replace("%", " %") if share else "clean"


# ---------------------------------------------------------------------- tables


def tables(rows, detail=False):
    """Means, cells below the plain tree, and mean ranks, for the sets of development and of reporting."""
    results = Results(rows)
    seeds = {row["seed"] for row in rows}
    print(f"\n{len(results.sets)} sets, {len(seeds)} seeds")
    print(".812(3): mean and standard error, 0.003; x: with failures, which are left out of the mean")
    for role in ROLES:
        sets = [x for x in results.sets if results.role[x] == role]
        if sets:
            print(f"\n==== {role}: {', '.join(sets)}")
            for group in dict.fromkeys(results.group[x] for x in sets):
                means(results, role, group, MEASURES if detail else ("unseen", "f"))
            for base in (BASE, FLAT):
                below(results, role, base)
            for group in dict.fromkeys(results.group[x] for x in sets):
                ranks(results, role, group)
    if detail:
        for name in results.sets:
            by_set(results, name)


def means(results, role, group, measures):
    cells = results.cells(role, group)
    amounts = sorted({a for _, _, a in cells})
    for measure in measures:
        blank = [""] * (len(amounts) - 1)
        plain = [(m, results.average([c for c in cells if c[2] == 0], m, measure)) for m in PLAIN]
        lines = [[method, printed(*x), *blank] for method, x in plain if not np.isnan(x[0])]
        for share in results.shares:
            part = []
            for method in [m for m in results.methods if m not in PLAIN]:
                row = [
                    results.average([c for c in cells if c[2] == a and c[1] == (share if a else 0)], method, measure)
                    for a in amounts
                ]
                if not all(np.isnan(x[0]) for x in row):
                    part.append([method, *(printed(*x) for x in row)])
            lines += [[percent(share), "", *blank], *part] if part else []
        if lines:
            title = f"{measure}, {group}, {role}: how much is known, over n"
            table(title, ["", *(f"{a:g}" for a in amounts)], lines)


def by_set(results, name):
    cells = [c for c in results.tried if c[0] == name]
    amounts = sorted({a for _, _, a in cells})
    for measure in SUMMARY:
        lines = []
        for share in results.shares:
            for method in results.methods:
                row = [results.average([(name, share if a else 0.0, a)], method, measure) for a in amounts]
                if not all(np.isnan(x[0]) for x in row):
                    lines.append([f"{percent(share)}: {method}", *(printed(*x) for x in row)])
        if lines:
            table(f"{measure}, {name} ({results.role[name]})", ["", *(f"{a:g}" for a in amounts)], lines)


def below(results, role, base):
    """How many cells are more than two standard errors below a method (in brackets: below by more than .02)."""
    lines = []
    for method in results.methods:
        row = [method]
        for measure, cells in by_measure(results, role):
            found = [x for x in (results.difference(c, method, base, measure) for c in cells) if x]
            count, clear = sum(map(worse, found)), sum(x[0] < -0.02 for x in found)
            row.append(f"{count} ({clear}) of {len(found)}" if found else "-")
        if method != base:
            lines.append(row)
    table(f"cells more than two standard errors (more than .02) below {base}, {role}", ["", *HEADER], lines)


def ranks(results, role, group):
    """Mean rank among all methods that were run in a cell; those that failed are last."""
    found = [mean_ranks(results, cells, measure) for measure, cells in by_measure(results, role, group)]
    lines = [[m, *(f"{x[m]:.2f}" if m in x else "-" for x in found)] for m in results.methods]
    table(f"mean rank, {group}, {role}", ["", *HEADER], [x for x in lines if set(x[1:]) != {"-"}])


def by_measure(results, role=None, group=None):
    """Each measure with the cells that have only true knowledge, and with the others."""
    cells = [c for c in results.cells(role, group) if c[2] > 0]
    for measure in SUMMARY:
        for wrong in (False, True):
            yield measure, [c for c in cells if (c[1] > 0) == wrong]


def mean_ranks(results, cells, measure):
    having = {m for c in cells for m in results.methods if (*c, m, measure) in results.at}
    collected = defaultdict(list)
    for cell in cells:
        methods = [m for m in results.methods if m in having and m in results.tried[cell] and not variant(m)]
        values = [results.mean(cell, m, measure)[0] for m in methods]
        if any(not np.isnan(x) for x in values):
            for method, rank in zip(methods, rankdata([np.inf if np.isnan(x) else -x for x in values]), strict=True):
                collected[method].append(rank)
    return {method: np.mean(x) for method, x in collected.items()}


def variant(method):
    """Whether it is a form of the method under test, which would take ranks from it."""
    return method.startswith("DivisiveReCon ")


# ---------------------------------------------------------------------- what is wanted


def checks(rows, method):
    """Whether knowledge helps with a method, point by point, with the cells where it does not."""
    results = Results(rows)
    if method not in results.methods:
        raise SystemExit(f"no cells of {method}; there are {', '.join(results.methods)}")
    print(f"\n==== What is wanted of {method}")
    told = [c for c in results.tried if c[2] > 0]

    def point(text, bad, of, what="cells"):
        verdict = "NO" if bad else "yes" if of else "-"
        print(f"{verdict:>3}  {text}: {len(bad)} of {of} {what} fail")
        for line in bad:
            print(f"       {line}")

    zero = [c for c in results.tried if c[2] == 0]
    found = [(c, m, results.difference(c, method, BASE, m)) for c in zero for m in ("unseen", "purity", "f")]
    found = [x for x in found if x[2]]
    point(f"without knowledge the same as {BASE}", [named(*x) for x in found if abs(x[2][0]) > 1e-9], len(found))
    for measure in SUMMARY:
        found = [(c, measure, results.difference(c, method, BASE, measure)) for c in told]
        found = [x for x in found if x[2]]
        bad = [named(*x) for x in found if worse(x[2])]
        point(f"{measure} not more than two standard errors below {BASE}", bad, len(found))
    for measure in ("unseen", "f"):
        falls, steps = [], 0
        for name in results.sets:
            for share in results.shares:
                row = [(name, share if a else 0.0, a) for a in results.amounts]
                row = [c for c in row if (*c, method, measure) in results.at]
                for before, after in zip(row, row[1:], strict=False):
                    fall = results.difference(after, method, method, measure, before)
                    steps += 1
                    if worse(fall):
                        falls.append(f"{named(after, measure, fall)} from {before[2]:g}")
        point(f"mean {measure} rises with knowledge", falls, steps, "steps")
    few, bad = 0, []
    for cell in [c for c in told if c[1:] == (0.0, 1.0)]:
        gain, start = results.difference(cell, method, BASE, "unseen"), results.mean(cell, BASE, "unseen")[0]
        if gain and start < 0.7:
            few += 1
            bad += [f"{named(cell, 'unseen', gain)}, plain {start:.3f}"] * (gain[0] < 0.2)
    point("n true triplets show .2 more of the unseen where the plain tree shows less than .7", bad, few, "sets")
    found = [(c, "unseen", results.difference(c, method, "ReCon hard", "unseen")) for c in told if c[1:] == (0.0, 3.0)]
    found = [x for x in found if x[2]]
    point("3 n true triplets: not behind hard ReCon", [named(*x) for x in found if worse(x[2])], len(found), "sets")
    for rival in ("COPKMeans", "MPCKMeans"):
        mine = [c for c in told if results.group[c[0]] == "class labels"]
        found = [(c, "f", results.difference(c, method, rival, "f")) for c in mine]
        found = [x for x in found if x[2]]
        point(f"class labels: F not behind {rival}", [named(*x) for x in found if worse(x[2])], len(found))
    bad, of = [], 0
    for group in dict.fromkeys(results.group.values()):
        for k, (measure, cells) in enumerate(by_measure(results, None, group)):
            found = mean_ranks(results, cells, measure)
            if method in found:
                of += 1
                first = min(found, key=found.get)
                if found[first] < found[method] - 1e-9:
                    where = f"{measure}, {group}, {'some wrong' if k % 2 else 'clean'}"
                    bad.append(f"{where}: {found[method]:.2f}, {first} {found[first]:.2f}")
    point("first in mean rank", bad, of, "columns")


def named(cell, measure, difference):
    name, share, amount = cell
    mean, error = difference
    around = "" if np.isnan(error) else f" (standard error {error:.3f})"
    return f"{name}, {amount:g} n, {percent(share)}, {measure}: {mean:+.3f}{around}"


# ---------------------------------------------------------------------- pictures

STYLE = {
    "plain ward": ("#888888", "--"),
    "k-means": ("#888888", ":"),
    "ReCon hard": ("#D55E00", "-"),
    "ReCon penalty": ("#E69F00", "-"),
    "metric + ReCon penalty": ("#CC79A7", "-"),
    "COPKMeans": ("#56B4E9", "-"),
    "MPCKMeans": ("#009E73", "-"),
    "DivisiveReCon": ("#0072B2", "-"),
}
TITLES = {
    "unseen": "share of other true triplets displayed",
    "purity": "dendrogram purity",
    "f": "pairwise F",
    "f_unnamed": "pairwise F of samples of which nothing is known",
}


def curves(rows, folder):
    """Write a picture for each measure, clean and with 10 % wrong: a panel for each set, means and standard errors."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    results = Results(rows)
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "tripletree", "svg.fonttype": "none", "font.size": 9})
    for measure, title in TITLES.items():
        for share in [e for e in results.shares if e in (0.0, 0.1)]:
            fig = drawn(plt, results, measure, share, title)
            if fig is not None:
                stem = f"knowledge_{measure}{'_wrong' if share else ''}"
                for ending, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                    fig.savefig(folder / f"{stem}.{ending}", metadata=metadata, dpi=120)
                    print(f"wrote {folder / stem}.{ending}")
                plt.close(fig)


def drawn(plt, results, measure, share, title):
    sets = [x for x in results.sets if any(c[0] == x and c[1] == share and c[2] > 0 for c in results.tried)]
    sets.sort(key=lambda x: (list(ROLES).index(results.role[x]), results.sets.index(x)))
    if not sets:
        return None
    columns = min(4, len(sets))
    lines = -(-len(sets) // columns)
    fig, axes = plt.subplots(
        lines, columns, figsize=(2.7 * columns, 2.1 * lines + 0.6), sharey=True, squeeze=False, layout="constrained"
    )
    place = {a: k for k, a in enumerate(results.amounts)}
    shown = {}
    for ax, name in zip(axes.flat, sets, strict=False):
        for method, (colour, line) in STYLE.items():
            cells = [(name, share if a else 0.0, a) for a in results.amounts]
            points = [(place[c[2]], *results.mean(c, method, measure)) for c in cells]
            points = np.array([p for p in points if not np.isnan(p[1])])
            if len(points) > 1:
                x, y, error = points.T
                wide = 2.2 if method == "DivisiveReCon" else 1.2
                shown[method] = ax.plot(x, y, line, color=colour, linewidth=wide, marker="o", markersize=2)[0]
                error = np.nan_to_num(error)
                ax.fill_between(x, y - error, y + error, color=colour, alpha=0.15, linewidth=0)
        ax.set_title(f"{name} ({results.role[name]})", fontsize=8)
        ax.set_xticks(list(place.values()), [f"{a:g}" for a in place], fontsize=7)
    for ax in axes.flat[len(sets) :]:
        ax.set_axis_off()
    what = percent(share)
    fig.suptitle(f"{title}, by triplets (or labels) over samples; {what}", fontsize=10)
    fig.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return fig
