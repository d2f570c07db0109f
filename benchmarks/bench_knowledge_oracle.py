"""How much of what can be known do methods find? Seven samples, and the Bayesian posterior over all their trees.

Worlds are drawn from a model: a random binary tree, traits of a normal distribution whose covariance between two
samples is 1 - log(size of the smallest clade of both) / log(n), and noise; triplets of the tree, some of them wrong.
The oracle knows the model. It weighs all 10,395 rooted binary trees by the likelihood of traits and triplets,
and answers with the tree that displays most triplets in expectation. No method can do better in the mean.

    python benchmarks/bench_knowledge_oracle.py [worlds]
"""

import sys
import warnings
from itertools import combinations

import numpy as np

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon

N, FEATURES, NOISE = 7, 3, 0.3
AMOUNTS, WRONG = (0, 2, 5, 10, 20), (0, 0.2)
TRIOS = np.array(list(combinations(range(N), 3)))


def all_trees(n):
    """The clades of each rooted binary tree, as a bit mask for each inner node: int64[trees, n - 1]."""
    trees = [[0b11]]
    for new in range(2, n):
        bit, grown = 1 << new, []
        for clades in trees:
            for edge in [*clades, *(1 << leaf for leaf in range(new))]:
                grown.append([c | bit if c & edge == edge and c != edge else c for c in clades] + [edge | bit])
        trees = grown
    return np.array(trees)


def smallest_clades(clades):
    """The size of the smallest clade that holds i and j, for each tree: int64[trees, n, n]."""
    size = np.bitwise_count(clades).astype(np.int64)
    out = np.ones((len(clades), N, N), np.int64)
    for i, j in combinations(range(N), 2):
        both = (1 << i) | (1 << j)
        out[:, i, j] = out[:, j, i] = np.where(clades & both == both, size, N + 1).min(axis=1)
    return out


def resolutions(size):
    """Which of the three leaves of each trio is apart, for each tree: int8[trees, trios]."""
    a, b, c = TRIOS.T
    return np.argmin([size[:, b, c], size[:, a, c], size[:, a, b]], axis=0).astype(np.int8)


class Oracle:
    def __init__(self):
        size = smallest_clades(all_trees(N))
        self.apart = resolutions(size)
        covariance = 1 - np.log(size) / np.log(N) + NOISE**2 * np.eye(N)
        self.root = np.linalg.cholesky(covariance)
        self.log_det = 2 * np.log(np.diagonal(self.root, axis1=1, axis2=2)).sum(axis=1)

    def world(self, rng):
        """The number of a tree, and traits."""
        tree = int(rng.integers(len(self.apart)))
        return tree, self.root[tree] @ rng.normal(size=(N, FEATURES))

    def answer(self, X, at, said, wrong):
        """Number of the best tree for traits, and triplets that say which leaf of trios `at` is apart."""
        white = np.linalg.solve(self.root, np.broadcast_to(X, (len(self.root), *X.shape)))
        log = -((white**2).sum(axis=(1, 2)) + FEATURES * self.log_det) / 2
        right = (self.apart[:, at] == said).sum(axis=1)
        log += right * np.log(1 - wrong) + (len(at) - right) * np.log(wrong / 2)
        chance = np.exp(log - log.max())
        share = np.stack([chance @ (self.apart == k) for k in range(3)])
        return int(share[self.apart, np.arange(len(TRIOS))].sum(axis=1).argmax())


def apart_in(hierarchy):
    """Which leaf of each trio is apart in a hierarchy; 3 where none is."""
    out = np.full(len(TRIOS), 3, np.int8)
    for k in range(3):
        a, b = (TRIOS[:, i] for i in range(3) if i != k)
        t = tt.TripletSet(np.column_stack([a, b, TRIOS[:, k]]), range(N))
        shown = set(t.subset(tt.displays(hierarchy, t)))
        rows = np.column_stack([np.minimum(a, b), np.maximum(a, b), TRIOS[:, k]]).tolist()
        out[[tuple(row) in shown for row in rows]] = k
    return out


def rows_of(at, said):
    """Triplets of trios, given which leaf is apart."""
    others = np.array([[1, 2, 0], [0, 2, 1], [0, 1, 2]])
    return np.take_along_axis(TRIOS[at], others[said], axis=1)


METHODS = {
    "plain": lambda rows: DivisiveReCon(2),
    "ReCon, repaired": lambda rows: ReCon(2, linkage="ward", on_conflict="repair"),
    "ReCon, penalty": lambda rows: ReCon(2, linkage="ward", penalty="auto"),
    "DivisiveReCon": lambda rows: DivisiveReCon(2),
    "DivisiveReCon, hard": lambda rows: DivisiveReCon(2, constraints="hard"),
}


def main(worlds=100):
    warnings.simplefilter("ignore")
    oracle = Oracle()
    names = [*METHODS, "oracle"]
    print("share of the triplets that were not given which the tree displays: mean (standard error)")
    print(f"{'given':<16}" + "".join(f"{name:>21}" for name in names))
    for wrong in WRONG:
        for m in AMOUNTS if not wrong else AMOUNTS[1:]:
            found = np.full((worlds, len(names)), np.nan)
            for seed in range(worlds):
                rng = np.random.default_rng(seed)
                tree, X = oracle.world(rng)
                at = rng.permutation(len(TRIOS))[:m]
                truth = oracle.apart[tree]
                said = truth[at].copy()
                slips = rng.random(m) < wrong
                said[slips] = (said[slips] + rng.integers(1, 3, slips.sum())) % 3
                rest = np.setdiff1d(np.arange(len(TRIOS)), at)
                given = tt.TripletSet(rows_of(at, said), range(N)) if m else None
                for k, (name, make) in enumerate(METHODS.items()):
                    if name.endswith("hard") and m and not tt.is_consistent(given):
                        continue
                    model = make(given).fit(X, triplets=given if name != "plain" else None)
                    found[seed, k] = (apart_in(model.hierarchy_)[rest] == truth[rest]).mean()
                best = oracle.answer(X, at, said, max(wrong, 1e-6))
                found[seed, -1] = (oracle.apart[best][rest] == truth[rest]).mean()
            there = (~np.isnan(found)).sum(axis=0)
            mean, error = np.nanmean(found, axis=0), np.nanstd(found, axis=0) / np.sqrt(there)
            row = [f"{x:.3f} ({e:.3f})" if t == worlds else "-" for x, e, t in zip(mean, error, there, strict=True)]
            print(f"{f'{m} of 35, {wrong:.0%} wrong':<20}"[:20] + "".join(f"{x:>20}" for x in row), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
