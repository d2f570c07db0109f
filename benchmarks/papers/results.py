"""What the cells of a paper say together: values by experiment, set, method and number of constraints."""

import csv
from collections import defaultdict
from typing import NamedTuple

import numpy as np

#: What is said of a claim, in the order of the table of counts.
VERDICTS = ("yes", "partly", "no", "cannot be tested")

#: What decides where a claim does not hold in all cases.
CAUSES = {
    "paper": "in the paper's own setting it does not hold: listings written anew after its text agree with ours",
    "reading": "the text leaves open what matters (a scale, a threshold, a rival's program, how much is much)",
    "data": "the data are not to be had, or it holds on some of the sets only",
    "draws": "the difference is as small as its error: more draws, or another criterion, would decide",
}

#: The level of all tests.
LEVEL = 0.05

#: Of two scores, the second is comparable to the first where it is at most this much lower, and not significantly.
COMPARABLE = 0.02

#: Differences of scores up to this are small ("little", "flat", "marginal"). Those above are large ("much",
#: "substantial") if they are significant, too.
LITTLE = 0.05


class Claim(NamedTuple):
    """A claim of a paper beside what was found: `verdict` is one of `VERDICTS`, or "not run".

    Where `place` (a section, figure or slide) is "-", it is no claim of the paper's, and not counted among them. What
    decides where it does not hold in all cases is in `DECIDED` of its module.
    """

    text: str
    place: str
    theirs: str
    ours: str
    verdict: str
    why: str = ""


class Verdict(str):
    """A verdict that knows in how many of its cases a claim holds, and, of several readings, that of the one shown."""

    __slots__ = ("cases", "shown")

    def __new__(cls, text, cases, shown=None):
        made = super().__new__(cls, text)
        made.cases, made.shown = cases, shown
        return made


def verdict(right, total, *, most=False):
    """Of so many cases in which a claim could hold, it held in `right`; all must, or more than half if it says `most`.

    It holds partly in at least half as many.
    """
    if total == 0:
        return "not run"
    needed = total // 2 + 1 if most else total
    text = "yes" if right >= needed else "partly" if 2 * right >= needed else "no"
    return Verdict(text, f"{int(right)} of {int(total)}")


class Gain(NamedTuple):
    """How much higher values of the same runs are: the mean difference, its standard error and the one-sided p value.

    `p` is that of a t-test by pairs, against the difference being 0 or less; `less` that against 0 or more.
    """

    mean: float
    error: float
    p: float
    less: float

    @property
    def higher(self):
        """Whether significantly above 0."""
        return self.mean > 0 and self.p < LEVEL

    @property
    def lower(self):
        """Whether significantly below 0."""
        return self.mean < 0 and self.less < LEVEL

    @property
    def large(self):
        """Whether significantly above 0, and more than a little."""
        return self.higher and self.mean > LITTLE

    @property
    def comparable(self):
        """Whether better, or at most a little lower and not significantly."""
        return self.mean >= -COMPARABLE and not self.lower

    def __str__(self):
        return f"{self.mean:+.3f}({round(1000 * self.error)})"


def gain(mine, theirs):
    """The `Gain` of one array over another, run by run; None where there are fewer than two runs of both."""
    if mine.size != theirs.size or mine.size < 2:
        return None
    return _tested(mine - theirs)


def _tested(difference):
    from scipy.stats import t

    mean, error = float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(difference.size))
    if error == 0:  # every run says the same
        return Gain(mean, 0.0, 0.0 if mean > 0 else 1.0, 0.0 if mean < 0 else 1.0)
    score = mean / error
    return Gain(mean, error, float(t.sf(score, difference.size - 1)), float(t.cdf(score, difference.size - 1)))


def gains(rows):
    """name +0.012(3), ..."""
    return ", ".join(f"{name} {g}" for name, g in rows)


def whole_runs(records):
    """Records without those of runs that an interrupt cut, by experiment and set: methods are compared run by run.

    A run is whole that has all cells of any other one; run 0 may have more, of methods without chance. Where none is
    whole, all count.
    """
    runs = defaultdict(lambda: defaultdict(set))
    for cell in records:
        runs[cell.part, cell.set][cell.run].add((cell.method, cell.m))
    whole = {}
    for key, found in runs.items():
        repeated = set().union(*(cells for run, cells in found.items() if run > 0))
        whole[key] = {run for run, cells in found.items() if repeated <= cells} or set(found)
    return {cell: record for cell, record in records.items() if cell.run in whole[cell.part, cell.set]}


class Results:
    """Values of all measures in whole runs, whatever the order of the records; sets stand in the order given."""

    def __init__(self, records, order=()):
        self.order = list(order)
        self.values = defaultdict(lambda: defaultdict(dict))
        self.failed = defaultdict(list)
        for cell, record in sorted(whole_runs(records).items()):
            if record["failed"]:
                self.failed[cell[1:5]].append(record["failed"])
            for row in record["rows"]:
                row = dict(row)
                key = cell.part, cell.set, row.pop("method", cell.method), row.pop("m", cell.m)
                for measure, value in row.items():
                    self.values[key][measure][cell.run] = value

    def of(self, part, name, method, m, measure):
        """The values of all runs, by run; nothing where there are none."""
        found = self.values.get((part, name, method, m), {}).get(measure, {})
        return np.array([found[run] for run in sorted(found)], float)

    def area(self, part, name, method, measure):
        """The mean over the numbers of constraints in each run that has them all: the areas under its curves."""
        sizes = sorted(k[3] for k in self.values if k[:3] == (part, name, method) and measure in self.values[k])
        found = [self.values[part, name, method, m][measure] for m in sizes]
        runs = sorted(set.intersection(*(set(x) for x in found))) if found else []
        return np.array([np.mean([x[run] for x in found]) for run in runs], float)

    def gain(self, mine, theirs):
        """The `gain` of one (part, set, method, m, measure) over another in the runs that have both."""
        found = [self.values.get(key[:4], {}).get(key[4], {}) for key in (mine, theirs)]
        runs = sorted(found[0].keys() & found[1].keys())
        return gain(*(np.array([x[run] for run in runs], float) for x in found))

    def mean(self, *key):
        found = self.of(*key)
        return float(found.mean()) if found.size else np.nan

    def median(self, *key):
        found = self.of(*key)
        return float(np.median(found)) if found.size else np.nan

    def sets(self, part):
        found = dict.fromkeys(key[1] for key in self.values if key[0] == part)
        return sorted(found, key=lambda name: self.order.index(name) if name in self.order else len(self.order))

    def methods(self, part, name):
        return list(dict.fromkeys(key[2] for key in self.values if key[:2] == (part, name)))

    def curve(self, part, name, method, measure):
        """Numbers of constraints, and the mean at each."""
        sizes = sorted(k[3] for k in self.values if k[:3] == (part, name, method) and measure in self.values[k])
        return sizes, [self.mean(part, name, method, m, measure) for m in sizes]

    def runs(self, part=None):
        """The least and the most runs that a value is the mean of."""
        sizes = [len(x) for key, c in self.values.items() if part in (None, key[0]) for x in c.values()]
        return (min(sizes), max(sizes)) if sizes else (0, 0)

    def n_failed(self, method=None):
        return sum(len(x) for key, x in self.failed.items() if method in (None, key[2]))

    def write_csv(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            head = ["experiment", "set", "method", "constraints", "measure", "runs", "mean", "deviation"]
            writer.writerow([*head, "least", "most"])
            for key in sorted(self.values):
                for measure in sorted(self.values[key]):
                    x = self.of(*key, measure)
                    figures = [f"{v:.6g}" for v in (x.mean(), x.std(), x.min(), x.max())]
                    writer.writerow([*key, measure, x.size, *figures])


def needed(sizes, means, target):
    """The number of constraints at which a curve first reaches a target, between its points; nan if it never does."""
    for k, (m, value) in enumerate(zip(sizes, means, strict=True)):
        if value >= target:
            if k == 0:
                return float(m)
            before, low = sizes[k - 1], means[k - 1]
            return float(before + (m - before) * (target - low) / (value - low))
    return np.nan


def share(x):
    """0.987 as 98.7 %."""
    return "-" if np.isnan(x) else f"{100 * x:.1f} %"


def listed(pairs, form="{:.2f}"):
    """name value, name value."""
    return ", ".join(f"{name} {form.format(value)}" for name, value in pairs)
