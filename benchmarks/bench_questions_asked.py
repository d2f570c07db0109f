"""Clusters by answers to questions: odd-one-out and pair questions, COBRAS, ActiveClustering, random trios, nothing.

All questions are answered from known classes, some of them wrongly: a wrong reply is any of the other four to three
samples, the other one to two. F is over all pairs of samples; "unseen" is that over the samples never shown. Features
have mean 0 and deviation 1, categories are columns of 0 and 1; of larger sets 1,000 samples are drawn. One setting for
all sets. Only k-means and MPCKMeans are told the number of classes.

Rows that are in the CSV file already are not run again, so a run can be interrupted, and more sets or seeds added:

    python benchmarks/bench_questions_asked.py benchmarks/results/questions_asked.csv --sets iris,wine --seeds 2
    python benchmarks/bench_questions_asked.py benchmarks/results/questions_asked.csv --tables
    python benchmarks/bench_questions_asked.py --large

COBRAS: `pip install --no-deps cobras-ts dtaidistance`; what it draws with is not needed.
"""

import argparse
import contextlib
import csv
import io
import resource
import sys
import time
import warnings
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from _data import FOLDERS, load, load_seeds, standardized
from _kinds import carnivora, debian
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from tripletree import pairwise_f_score
from tripletree.cluster import ActiveClustering, MPCKMeans, OddOneOutClustering

AT = (25, 50, 100, 200)
#: A reply about three samples is one of five, about two one of two: pairs with the bits of 25, 50 and 100 trios.
PAIRS_OF_SAME_BITS = {25: 58, 50: 116, 100: 232}
MOST = 1000

#: Constants were chosen on these.
DEVELOPMENT = ("iris", "ionosphere", "glass", "digits", "letters-IJLT", "letters-26", "led7digit")
#: These were run with the constants as they are.
REPORTING = (
    *("wine", "wdbc", "seeds", "ecoli", "sonar", "segment", "balance", "parkinsons", "transfusion"),
    *("crabs", "digits-389", "pendigits", "optdigits"),
    *("tic-tac-toe", "soybean", "mushroom"),
)
CATEGORIES = ("tic-tac-toe", "soybean", "mushroom")
#: Other kinds, with the constants as they are: texts in uneven sections, families of species, 40 classes of ten samples
#: (as many as there are people in the Olivetti faces), and classes each half as large as the one before.
KINDS = ("packages", "families", "forty", "halving")


# ---------------------------------------------------------------------- data


def data_set(name):
    """Features and classes as numbers."""
    X, y = _raw(name)
    y = np.unique(y, return_inverse=True)[1]
    rows = np.random.default_rng(0).permutation(len(X))[:MOST] if len(X) > MOST else np.arange(len(X))
    return np.asarray(X)[rows] if name in CATEGORIES else standardized(np.asarray(X, float)[rows]), y[rows]


def _raw(name):
    known = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer, "digits": load_digits}
    if name in known:
        return known[name](return_X_y=True)
    if name == "seeds":
        return load_seeds()
    if name in KINDS:
        return another_kind(name)
    if name == "led7digit":
        return led_display()
    if name in ("parkinsons", "transfusion", "crabs"):
        return table(name)
    if name in CATEGORIES:
        return load_categories(name)
    source, some = {
        "letters-26": ("letter", None),
        "letters-IJLT": ("letter", "IJLT"),
        "digits-389": ("pendigits", "389"),
        "balance": ("balance.scale", None),
    }.get(name, (name, None))
    X, y = load(source)
    rows = slice(None) if some is None else np.isin(y, list(some))
    return X[rows], y[rows]


def another_kind(name):
    if name in ("packages", "families"):
        data = debian(200, 0) if name == "packages" else carnivora(None, 0)
        return data.X, data.y
    rng = np.random.default_rng(0)
    sizes = [10] * 40 if name == "forty" else [160, 80, 40, 20, 10, 5]
    y = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(len(y), 20)) + rng.normal(0, 0.8, (len(sizes), 20))[y], y


def led_display(n=1000):
    """The LED display domain of Breiman et al. (1984): seven segments of ten digits, each wrong in a tenth of cases."""
    rng = np.random.default_rng(0)
    shown = [
        "1110111",
        "0010010",
        "1011101",
        "1011011",
        "0111010",
        "1101011",
        "1101111",
        "1010010",
        "1111111",
        "1111011",
    ]
    y = rng.integers(0, 10, n)
    return np.array([[int(x) for x in row] for row in shown])[y] ^ (rng.random((n, 7)) < 0.1), y


def load_categories(name):
    """A column of 0 and 1 for each value of each attribute; a missing value is in none of its columns."""
    cells, y = load(name, str)
    columns = [column == value for column in cells.T for value in np.unique(column) if value != "?"]
    return np.array(columns, float).T, y


def table(name):
    path = next(
        Path(x) / file for x in FOLDERS if x for file in (f"{name}.data", f"{name}.csv") if (Path(x) / file).exists()
    )
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:]
    if name == "parkinsons":
        return [row[1:17] + row[18:] for row in rows], [row[17] for row in rows]
    if name == "crabs":
        return [row[3:] for row in rows], [row[0] + row[1] for row in rows]
    return [row[:-1] for row in rows], [row[-1].strip() for row in rows]


# ---------------------------------------------------------------------- people and methods


class Person:
    """Answers from classes, now and then wrongly; knows which samples were shown."""

    def __init__(self, y, wrong, seed):
        self.y, self.wrong, self.rng, self.shown = y, wrong, np.random.default_rng(seed), set()
        self.seed = seed

    def reply(self, *samples):
        """One of the samples, "alike" or "different"."""
        self.shown.update(samples)
        kinds = [self.y[i] for i in samples]
        if len(set(kinds)) == 1:
            right = "alike"
        elif len(set(kinds)) == len(kinds):
            right = "different"
        else:
            right = next(i for i, kind in zip(samples, kinds, strict=True) if kinds.count(kind) == 1)
        if self.rng.random() >= self.wrong:
            return right
        odd = samples if len(samples) == 3 else ()
        others = [x for x in (*odd, "alike", "different") if x != right]
        return others[self.rng.integers(len(others))]

    def together(self, a, b):
        return self.reply(int(a), int(b)) == "alike"


def odd_one_out(X, person, at, questions="trios", chosen=None):
    """Labels after some numbers of questions; `chosen` draws the questions in place of the model."""
    model = OddOneOutClustering(questions=questions).start(X)
    for q in range(1, at[-1] + 1):
        question = model.next_question() if chosen is None else chosen()
        if question is not None:
            model.answer(person.reply(*question), question)
        if q in at:
            yield q, model.labels_


def pairs(X, person, at):
    return odd_one_out(X, person, at, questions="pairs")


def random_trios(X, person, at):
    rng = np.random.default_rng(person.rng.integers(2**31))
    return odd_one_out(X, person, at, chosen=lambda: tuple(rng.choice(len(X), 3, replace=False).tolist()))


def forced(X, person, at):
    """One of the three must be named: of three classes, or of one, any."""
    model = OddOneOutClustering().start(X)
    for q in range(1, at[-1] + 1):
        question = model.next_question()
        if question is not None:
            said = person.reply(*question)
            odd = said not in ("alike", "different")
            model.answer(said if odd else question[person.rng.integers(3)], question)
        if q in at:
            yield q, model.labels_


def labels_asked(X, person, at):
    """Names of classes in place of comparisons: of the sample whose class logistic regression is least sure of."""
    known = []
    for q in range(1, at[-1] + 1):
        model = None
        if len(set(person.y[known])) > 1:
            model = LogisticRegression(max_iter=1000).fit(X[known], person.y[known])
        rest = np.setdiff1d(np.arange(len(X)), known)
        doubt = model.predict_proba(X[rest]).max(axis=1) if model and rest.size else person.rng.random(rest.size)
        if rest.size:
            known.append(int(rest[doubt.argmin()]))
            person.shown.add(known[-1])
        if q in at:
            labels = np.full(len(X), person.y[known[0]]) if model is None else model.predict(X)
            labels[known] = person.y[known]
            yield q, labels


def cobras(X, person, at):
    np.int = int  # noqa: NPY001 (as numpy had it until 1.24; without it every fit fails)
    for name, thing in (
        ("visualquerier", "VisualQuerier"),
        ("visualquerier_images", "VisualImageQuerier"),
    ):  # they draw
        sys.modules.setdefault(f"cobras_ts.querier.{name}", SimpleNamespace(**{thing: None}))
    np.random.seed(person.rng.integers(2**31))  # noqa: NPY002 (it draws from there)
    querier = import_module("cobras_ts.labelquerier").LabelQuerier(person.y)
    history = []

    def query(a, b):
        history.append(set(person.shown))
        return person.together(a, b)

    querier.query_points = query
    with contextlib.redirect_stdout(io.StringIO()):
        _, found, *_ = import_module("cobras_ts.cobras_kmeans").COBRAS_kmeans(X, querier, at[-1]).cluster()
    for q in at:  # it ends early where nothing is left to ask
        person.shown = history[q] if q < len(history) else person.shown
        yield q, np.asarray(found[min(q, len(found)) - 1])


def active(strategy):
    def labels_at(X, person, at):
        kept = {}

        def note(model, part):
            kept[part.n_asked] = np.asarray(model.labels_), set(person.shown)

        estimator = MPCKMeans(len(set(person.y)))
        model = ActiveClustering(estimator, strategy, n_queries=at[-1], block_size=5, random_state=person.seed)
        model.fit(X, oracle=person.together, callback=note)
        for q in at:
            labels, person.shown = kept[max(x for x in kept if x <= q)]
            yield q, labels

    return labels_at


def nothing_asked(X, person, at):
    yield 0, OddOneOutClustering().start(X).labels_


def k_means(X, person, at):
    yield 0, KMeans(len(set(person.y)), n_init=10, random_state=person.seed).fit(X).labels_


METHODS = {
    "nothing asked": nothing_asked,
    "k-means": k_means,
    "odd one out": odd_one_out,
    "pairs": pairs,
    "COBRAS": cobras,
    "random walk + MPCKMeans": active("random-walk"),
    "border + MPCKMeans": active("border"),
    "random trios": random_trios,
    "one must be named": forced,
    "labels": labels_asked,
}
TRIOS = ("odd one out", "random trios", "one must be named", "labels")
#: Methods that ask nobody; and those that draw nothing where no answer is wrong.
NO_QUESTIONS = ("nothing asked", "k-means")
ALONE = ("nothing asked", "odd one out", "pairs")


def run(name, method, wrong, seed):
    """Rows of results."""
    X, y = data_set(name)
    person = Person(y, wrong, seed)
    at = AT if method in TRIOS else tuple(sorted({*AT, *PAIRS_OF_SAME_BITS.values()}))
    start = time.process_time()
    for q, labels in METHODS[method](X, person, at):
        took = time.process_time() - start
        rest = np.setdiff1d(np.arange(len(y)), list(person.shown))
        unseen = pairwise_f_score(y[rest], labels[rest]) if rest.size > 1 else np.nan
        yield [name, method, wrong, seed, q, f"{pairwise_f_score(y, labels):.4f}", f"{unseen:.4f}", f"{took:.2f}"]


# ---------------------------------------------------------------------- the file


HEADER = ["set", "method", "wrong", "seed", "questions", "f", "unseen", "seconds"]


def read(path):
    """Results by (set, method, wrong, questions): lists over seeds of (f, unseen, seconds)."""
    found = {}
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = row["set"], row["method"], float(row["wrong"]), int(row["questions"])
                found.setdefault(key, {})[int(row["seed"])] = tuple(float(row[x]) for x in ("f", "unseen", "seconds"))
    return found


def cells(options):
    """What is to be run: one seed of what draws nothing."""
    for name in options.sets.split(","):
        for method in options.methods.split(","):
            for wrong in map(float, options.wrong.split(",")):
                if wrong and method in NO_QUESTIONS:
                    continue
                alone = wrong == 0 and method in ALONE
                for seed in range(1 if alone else options.seeds):
                    yield name, method, wrong, seed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path", type=Path, nargs="?", help="CSV file of results, which grows")
    parser.add_argument("--sets", default=",".join(DEVELOPMENT + REPORTING))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--wrong", default="0,0.05,0.1", help="shares of wrong answers")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tables", action="store_true", help="only print the tables")
    parser.add_argument("--large", action="store_true", help="time and memory on 100,000 samples, and nothing else")
    options = parser.parse_args()
    if options.large:
        with threadpool_limits(limits=1):
            large()
        return
    if options.path is None:
        parser.error("give the CSV file of results, or --large")
    if not options.tables:
        warnings.simplefilter("ignore")
        done = {(name, method, wrong, seed) for (name, method, wrong, _), x in read(options.path).items() for seed in x}
        for cell in cells(options):
            if cell in done:
                continue
            with threadpool_limits(limits=1):
                rows = list(run(*cell))
            fresh = not options.path.exists()
            with options.path.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([HEADER, *rows] if fresh else rows)
            print(*cell, *(row[5] for row in rows), rows[-1][-1] + " s", flush=True)
    tables(read(options.path))


# ---------------------------------------------------------------------- many samples


def large(n=100_000, d=10, k=20, questions=100):
    """What a question costs where there are many samples: CPU seconds of one thread."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) + 2.0 * rng.normal(size=(k, d))[y]
    before = peak()
    _ = OddOneOutClustering().start(X[:12_000]).hierarchy_  # compile
    for kind in ("trios", "pairs"):
        start = time.process_time()
        model = OddOneOutClustering(questions=kind).start(X)
        question = model.next_question()
        begun, person, took = time.process_time(), Person(y, 0.0, 0), []
        for _ in range(questions):
            tick = time.process_time()
            model.answer(person.reply(*question), question)
            question = model.next_question()
            labels = model.labels_
            took.append(time.process_time() - tick)
        tick = time.process_time()
        hierarchy = model.hierarchy_
        print(
            f"{n:,} samples, {kind}: start and first question {begun - start:.1f} s; an answer, all labels and the "
            f"next question {np.mean(took):.3f} s, at most {max(took):.3f}; hierarchy of {len(hierarchy.leaves):,} "
            f"leaves {time.process_time() - tick:.1f} s; F after {questions} {pairwise_f_score(y, labels):.3f}; "
            f"{peak() - before:.2f} GB more than the samples so far",
            flush=True,
        )


def peak():
    """The most memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


# ---------------------------------------------------------------------- tables


def mean(found, *key, column=0):
    values = [x[column] for x in found.get(key, {}).values()]
    return float(np.nanmean(values)) if values and not np.isnan(values).all() else np.nan


def over_sets(found, names, method, wrong, q, column):
    """The mean over sets and seeds, and the standard error over the seeds that all sets have; *: some sets lack it."""
    runs = []
    for name in names:
        by_seed = {seed: x[column] for seed, x in found.get((name, method, wrong, q), {}).items()}
        runs.append({seed: x for seed, x in by_seed.items() if not np.isnan(x)})
    told = [x for x in runs if x]
    if not told:
        return ""
    means = [np.mean([x[seed] for x in told]) for seed in set.intersection(*map(set, told))]
    error = f" ({np.std(means, ddof=1) / np.sqrt(len(means)):.3f})" if len(means) > 1 else ""
    return f"{np.mean([np.mean(list(x.values())) for x in told]):.3f}{error}" + ("*" if len(told) < len(runs) else "")


def tables(found):
    for role, names in (("development", DEVELOPMENT), ("reporting", REPORTING)):
        for wrong in sorted({key[2] for key in found}):
            summary(found, role, [x for x in names if (x, "COBRAS", wrong, 25) in found], wrong)


def summary(found, role, names, wrong):
    """Means over sets, and how often odd-one-out questions are ahead of COBRAS."""
    if not names:
        return
    print(f"\n{role}, {wrong:.0%} wrong: {len(names)} sets: {', '.join(names)}")
    columns = (0, *AT)
    print("mean F, standard error over seeds".ljust(36) + "".join(f"{q:>15}" for q in columns))
    for method in METHODS:
        told = 0.0 if method in NO_QUESTIONS else wrong
        for what, column in (("", 0),) if method in NO_QUESTIONS else (("", 0), (", unseen", 1)):
            row = [over_sets(found, names, method, told, q, column) for q in columns]
            if any(row):
                print((method + what).ljust(36) + "".join(cell.rjust(15) for cell in row))
    for method in ("odd one out", "pairs"):
        leads = [
            np.array([mean(found, x, method, wrong, q) - mean(found, x, "COBRAS", wrong, q) for x in names]) for q in AT
        ]
        row = [f"{x.mean():+.3f} ({np.std(x, ddof=1) / np.sqrt(x.size):.3f})" for x in leads if x.size > 1]
        if "nan" not in "".join(row):
            print(f"{method}, lead on COBRAS (over sets)".ljust(51) + "".join(cell.rjust(15) for cell in row))
    against = {
        "ahead of COBRAS": [(q, q) for q in AT],
        "ahead with half the questions": [(q // 2, q) for q in AT[1:]],
        "ahead at the same bits": list(PAIRS_OF_SAME_BITS.items()),
    }
    for method in ("odd one out", "pairs"):
        for title, columns in against.items():
            if method == "pairs" and "bits" in title:
                continue
            behind, of = defaultdict(list), 0
            for name in names:
                for mine, theirs in columns:
                    lead = mean(found, name, method, wrong, mine) - mean(found, name, "COBRAS", wrong, theirs)
                    of += not np.isnan(lead)
                    if lead < -1e-9:
                        behind[name].append(f"{mine}: {lead:+.3f}")
            lost = sum(map(len, behind.values()))
            print(f"{method}: {title} in {of - lost} of {of} columns")
            for name, where in behind.items():
                print(f"    behind: {name} {', '.join(where)}")


if __name__ == "__main__":
    main()
