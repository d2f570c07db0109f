"""The worst input known for each method beside an ordinary one of the same size, each with its target.

The ratio is what counts: what a user waits longer than the size of the input suggests.
"""

import io
import itertools
import warnings

import numpy as np
from _data import load
from _harness import Table, cpu_seconds
from examples import caterpillar, star, yule

import tripletree as tt
from tripletree.algorithms.merges import merge_points
from tripletree.cluster import CVQE, COPKMeans, MPCKMeans, PCKMeans, ReCon
from tripletree.io import read_newick, write_newick

rng = np.random.default_rng(0)


def recon_cases():
    X, y = load("letter")
    rng = np.random.default_rng(0)  # the same data, whatever ran before
    for n in (2_000, 8_000, 20_000):
        pick = rng.permutation(len(X))[:n]
        samples, classes = np.ascontiguousarray(X[pick]), y[pick]
        none = np.empty((0, 3), np.int32)
        of_classes, unrelated = (
            tt.sample_class_triplets(c, n, random_state=1).rows for c in (classes, rng.permutation(classes))
        )
        equal = np.zeros_like(samples)

        def recon(samples, rows):
            return lambda: merge_points(samples, rows, "centroid")

        yield "ReCon", "unrelated triplets", n, recon(samples, of_classes), recon(samples, unrelated), 4
        yield "ReCon", "equal points", n, recon(samples, of_classes), recon(equal, of_classes), 4
        yield "ReCon", "equal, no triplets", n, recon(samples, none), recon(equal, none), 4


def tree_cases():
    n = 100_000
    ordinary, other = yule(n, rng), yule(n, rng)
    for shape, worst in (("caterpillar", caterpillar(n)), ("star", star(n))):
        if shape == "caterpillar":  # a star displays no triplets
            usual, deep = tt.decompose(ordinary), tt.decompose(worst)
            yield "one_tree", shape, n, lambda t=usual: tt.one_tree(t), lambda t=deep: tt.one_tree(t), 4
            yield (
                *("sample_triplets", shape, n, lambda: tt.sample_triplets(ordinary, n, random_state=0)),
                *(lambda w=worst: tt.sample_triplets(w, n, random_state=0), 4),
            )
            few = 10_000
            usual, deep = (tt.decompose(h) for h in (yule(few, rng), caterpillar(few)))
            yield "describe", shape, few, lambda t=usual: tt.describe(t), lambda t=deep: tt.describe(t), 4
        yield "decompose", shape, n, lambda: tt.decompose(ordinary), lambda w=worst: tt.decompose(w), 4
        yield "Newick", shape, n, newick(ordinary), newick(worst), 4
        yield (
            *("triplet_distance", shape, n, lambda: tt.triplet_distance(ordinary, other)),
            *(lambda w=worst: tt.triplet_distance(w, other), 4),
        )


def newick(hierarchy):
    def there_and_back():
        file = io.StringIO()
        write_newick(hierarchy, file)
        file.seek(0)
        return read_newick(file)

    return there_and_back


def fits(estimator, samples, pairs):
    def fit():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few iterations: the time of one is at stake
            estimator().fit(samples, pairs=pairs)

    return fit


def pair_cases():
    n, k, size = 20_000, 10, 900
    group = rng.integers(0, 2 * k, n)
    samples = rng.normal(size=(2 * k, 10))[group] * 4 + rng.normal(size=(n, 10))
    few = {"n_init": 1, "max_iter": 10, "random_state": 0}
    soft = {
        "CVQE": lambda: CVQE(k, **few),
        "LCVQE": lambda: CVQE(k, variant="lcvqe", **few),
        "PCKMeans": lambda: PCKMeans(k, **few),
        "MPCKMeans": lambda: MPCKMeans(k, **few),
    }
    clique = np.array(list(itertools.combinations(range(size), 2)))
    scattered = rng.integers(0, n, (2 * len(clique), 2))
    scattered = scattered[group[scattered[:, 0]] != group[scattered[:, 1]]][: len(clique)]
    usual, worst = (tt.PairwiseConstraints([], x, n) for x in (scattered, clique))
    for name, estimator in soft.items():
        yield name, f"clique of {size}", n, fits(estimator, samples, usual), fits(estimator, samples, worst), 2
    # n / 2 must-links: between one sample and its neighbour in the list of its class, or all in one group
    order = np.argsort(group, kind="stable")
    two = order.reshape(-1, 2)
    two = two[group[two[:, 0]] == group[two[:, 1]]]
    chain = np.stack([np.arange(len(two)), np.arange(len(two)) + 1], axis=1)
    usual, worst = (tt.PairwiseConstraints(x, [], n) for x in (two, chain))
    hard = {"COPKMeans": lambda: COPKMeans(k, **few), "ReCon": lambda: ReCon(n_clusters=k)}
    for name, estimator in {**soft, **hard}.items():
        yield name, "one large group", n, fits(estimator, samples, usual), fits(estimator, samples, worst), 4


def main():
    columns = [
        ("method", 16),
        ("worst case", 20),
        ("n", 7),
        ("usual s", 8),
        ("worst s", 8),
        ("ratio", 6),
        ("target", 6),
    ]
    parts = {"pairs": pair_cases, "trees": tree_cases, "recon": recon_cases}
    table = Table("Worst cases beside ordinary input of the same size", columns, tuple(parts))
    chosen = [table.options.only] if table.options.only else parts
    for method, case, n, usual, worst, target in itertools.chain.from_iterable(parts[x]() for x in chosen):
        usual()  # compile
        small, large = (cpu_seconds(run, repeat=3, budget=10)[0] for run in (usual, worst))
        table.add(method, case, n, small, large, large / small, target)
    table.done()


if __name__ == "__main__":
    main()
