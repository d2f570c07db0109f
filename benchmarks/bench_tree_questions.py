"""Questions for a tree: how much of it do 50 to 400 answers tell, asked by the model and at random?

Somebody who knows a hierarchy answers which of three samples is the odd one, at random where the hierarchy does not
tell, and gives another one for a share of the questions. Rows: the share of 3,000 triplets of the hierarchy that the
model's tree displays. "exchanged": the person knows another order of the samples, so the answers are worth nothing.
Of 1,000 samples up to 10,000 answers are heard, to chosen questions only; the last column of the results is the time
from an answer to the next question.

    python benchmarks/bench_tree_questions.py [first seed] [seeds] [kinds] [methods] > results.csv
    python benchmarks/bench_tree_questions.py table results.csv

People who see degrees of likeness must name one of three, and choose by dot products of sparse vectors. How well do the
trees predict their choices, and how good are the clusters, beside a model that asks nothing?

    python benchmarks/bench_tree_questions.py degrees [first seed] [seeds]
"""

import collections
import csv
import sys
import time

import numpy as np
from _kinds import carnivora, debian, generator, people, simulated
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import tripletree as tt
from tripletree.algorithms.induce import displayed, displays
from tripletree.cluster import OddOneOutClustering

N, AT = 100, (50, 100, 200, 400)
LARGE, AT_LARGE = 1_000, (500, 1_000, 2_000, 4_000, 7_000, 10_000)

METHODS = ("asked", "random", "exchanged", "no features", "no features, random")

KINDS = {
    "coalescent": lambda seed: simulated("coalescent", N, 3, 0.5, seed),
    "yule": lambda seed: simulated("yule", N, 4, 0.25, seed),
    "coalescent strong": lambda seed: simulated("coalescent", N, 8, 0.1, seed),
    "packages": lambda seed: debian(N, seed),
    "carnivora": lambda seed: carnivora(N, seed),
    "categories": lambda seed: people("A", N, seed),
    "coalescent large": lambda seed: simulated("coalescent", LARGE, 3, 0.5, seed),
}


class Person:
    """Knows a hierarchy, errs for a share of the questions."""

    def __init__(self, truth, wrong, rng):
        self.common, self.wrong, self.rng = _common(truth), wrong, rng

    def __call__(self, *trio):
        a, b, c = trio
        near = np.array([self.common[b, c], self.common[a, c], self.common[a, b]])
        odd = self.rng.choice(np.flatnonzero(near == near.min()))
        if self.rng.random() < self.wrong:
            odd = (odd + 1 + self.rng.integers(2)) % 3
        return trio[odd]


def _common(truth):
    """The size of the smallest clade of two leaves."""
    n = truth.n_leaves
    size = np.zeros((n, n), int)
    for u in range(truth.n_nodes - 1, n - 1, -1):
        inside = truth.leaves.indices(truth.clade(u))
        size[np.ix_(inside, inside)] = len(inside)
    return size


def run(kind, seed, wrong, method):
    data = KINDS[kind](seed)
    rng = generator("questions", kind, seed, wrong, method)
    n, test = len(data.X), tt.sample_triplets(data.truth, 3_000, random_state=generator("unseen", kind, seed))
    person, order = Person(data.truth, wrong, rng), rng.permutation(n)
    start = {"X": None, "sample_names": range(n)} if "no features" in method else {"X": data.X}
    model = OddOneOutClustering(target="auto", random_state=seed).start(**start)
    if method == "asked":
        yield 0, displays(plain_tree(data.X), test).mean(), 0.0
    checked, seconds, before = AT_LARGE if n == LARGE else AT, 0.0, 0
    for q in range(1, checked[-1] + 1):
        begin = time.perf_counter()
        trio = model.next_question() if "random" not in method else tuple(rng.choice(n, 3, replace=False).tolist())
        if trio is None:  # the trees agree on all
            yield from ((at, share, 0.0) for at in checked if at >= q)
            return
        said = person(*trio) if method != "exchanged" else trio[trio_place(person, order, trio)]
        model.answer(said, trio)
        seconds += time.perf_counter() - begin
        if q in checked:
            share = displays(model.hierarchy_, test).mean()
            yield q, share, seconds / (q - before)
            seconds, before = 0.0, q


def degrees(seed, n=120, kinds=8, d=24):
    """Features, kinds and dot products of things whose vectors are sparse. Each kind has two dimensions of its own.

    Products are scaled so that the true chances predict 70 % of choices. Features are the vectors and as much noise.
    """
    rng = generator("degrees", seed)
    y = np.sort(rng.integers(0, kinds, n))
    vectors = rng.gamma(0.3, 0.5, (n, d)) * (rng.random((n, d)) < 0.3)
    for k in range(kinds):
        vectors[np.ix_(y == k, rng.choice(d, 2, replace=False))] += rng.gamma(4, 0.3, ((y == k).sum(), 2))
    likeness = vectors @ vectors.T
    trios = np.argsort(rng.random((4_000, n)), axis=1)[:, :3]
    scales = np.geomspace(0.01, 20, 200)
    scale = next((x for x in scales if chances(x * likeness, trios).max(axis=1).mean() > 0.7), scales[-1])
    return vectors + rng.normal(0, vectors.std(), vectors.shape), y, scale * likeness, trios, rng


def chances(likeness, trios):
    """The chance that each of three is named: those that are alike stay together."""
    a, b, c = trios.T
    share = np.exp(np.stack([likeness[b, c], likeness[a, c], likeness[a, b]], axis=1))
    return share / share.sum(axis=1, keepdims=True)


def predicted(hierarchy, trios, chance):
    """The share of choices that a hierarchy predicts, a third of those where it does not tell."""
    share = np.full(len(trios), 1 / 3)
    for k, order in enumerate(((1, 2, 0), (0, 2, 1), (0, 1, 2))):
        shown = displayed(hierarchy, trios[:, order].astype(np.int32))
        share[shown] = chance[shown, k]
    return share.mean()


def by_degrees(seed, at=(25, 50, 100, 200)):
    X, y, likeness, trios, rng = degrees(seed)
    chance = chances(likeness, trios)
    D = likeness.max() - likeness
    np.fill_diagonal(D, 0)
    limit = predicted(tt.from_linkage(linkage(squareform(D, checks=False), "average")), trios, chance)
    for method in ("asked", "random"):
        model = OddOneOutClustering(random_state=seed).start(X)
        yield method, 0, tt.pairwise_f_score(y, model.labels_), predicted(plain_tree(X), trios, chance), 1.0, limit
        for q in range(1, at[-1] + 1):
            trio = model.next_question() if method == "asked" else tuple(rng.choice(len(X), 3, replace=False).tolist())
            model.answer(trio[rng.choice(3, p=chances(likeness, np.array([trio]))[0])], trio)
            if q in at:
                found = tt.pairwise_f_score(y, model.labels_), predicted(model.hierarchy_, trios, chance)
                yield method, q, *found, model.trust_, limit


def trio_place(person, order, trio):
    """The place of the odd one among the samples that have exchanged places with these."""
    other = tuple(order[list(trio)].tolist())
    return other.index(person(*other))


def plain_tree(X):
    return tt.cluster.DivisiveReCon().fit(X).hierarchy_


def table(path):
    cells, seconds, columns = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(set)
    with open(path, encoding="utf-8") as file:
        for kind, _, wrong, method, at, share, time_taken in csv.reader(file):
            cells[kind, wrong, method, int(at)].append(float(share))
            seconds[kind, wrong, method].append(float(time_taken))
            columns[kind].add(int(at))
    for shown in sorted({tuple(sorted(at)) for at in columns.values()}):
        print("| hierarchy | wrong | questions | " + " | ".join(f"{at:,}" for at in shown) + " | seconds |")
        print("|---|---|---|" + "---|" * (1 + len(shown)))
        for kind, wrong, method in sorted(seconds):
            if tuple(sorted(columns[kind])) != shown:
                continue
            line = []
            for at in shown:
                x = np.array(cells.get((kind, wrong, method, at), []))
                error = x.std(ddof=1) / np.sqrt(len(x)) if len(x) > 1 else np.nan
                line.append(f"{x.mean():.3f}({1000 * error:.0f})" if len(x) > 1 else f"{x[0]:.3f}" if len(x) else "")
            print(f"| {kind} | {wrong} | {method} | {' | '.join(line)} | {max(seconds[kind, wrong, method]):.2f} |")
        print()


if __name__ == "__main__":
    if sys.argv[1:2] == ["table"]:
        table(sys.argv[2])
        sys.exit()
    if sys.argv[1:2] == ["degrees"]:
        for seed in range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3])):
            for method, q, f, share, trust, limit in by_degrees(seed):
                print(f"{seed},{method},{q},{f:.3f},{share:.3f},{trust:.3f},{limit:.3f}", flush=True)
        sys.exit()
    first, number = [int(x) for x in sys.argv[1:3]] or (100, 3)
    seeds = range(first, first + number)
    kinds = sys.argv[3].split(",") if len(sys.argv) > 3 else [kind for kind in KINDS if not kind.endswith("large")]
    methods = sys.argv[4].split(",") if len(sys.argv) > 4 else METHODS
    for seed in seeds:
        for kind in kinds:
            for wrong in (0, 0.1):
                for method in methods:
                    if method not in ("asked", "random") and wrong or method != "asked" and "large" in kind:
                        continue
                    for at, share, seconds in run(kind, seed, wrong, method):
                        print(f'{kind},{seed},{wrong},"{method}",{at},{share:.4f},{seconds:.4f}', flush=True)
