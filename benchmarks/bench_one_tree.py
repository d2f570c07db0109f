"""OneTree on every shape, beside tralda's Build, with the exponent of growth."""

import numpy as np
from _harness import Table, cpu_seconds, exponent
from examples import balanced, caterpillar, contracted, star, uniform_binary, yule
from tralda.supertree import Build

import tripletree as tt

SIZES = [1_000, 10_000, 100_000]
PEER_LIMIT = {"caterpillar": 900}  # tralda recurses: RecursionError on a caterpillar of 1,000
rng = np.random.default_rng(1)


def shuffled(triplets):
    """The triplets with the leaves in random order."""
    order = rng.permutation(len(triplets.leaves))
    return tt.TripletSet(order[triplets.rows], len(triplets.leaves))


def minimal(h):
    return tt.decompose(h, random_state=0)


def random_10n(h):
    return tt.sample_triplets(h, min(10 * h.n_leaves, tt.count_triplets(h)), random_state=0)


def mixed(h):
    return minimal(h) | random_10n(h)


def banded(h):
    """Caterpillar only: every triplet of close neighbours, deep and redundant."""
    n = h.n_leaves
    i = np.repeat(np.arange(2, n - 9), 8)
    j = i - 1 - np.tile(np.arange(8), n - 11) % np.maximum(i - 1, 1)
    return tt.TripletSet(np.stack([i - 2, np.where(j == i - 2, i - 1, j), i + 1 + i % 7], axis=1), n)


def with_conflict(h):
    t = minimal(h)
    a, b, c = (int(x) for x in t.rows[-1])
    return t | tt.TripletSet([[b, c, a]], t.leaves)


SHAPES = {
    "yule": lambda n: yule(n, rng),
    "uniform": lambda n: uniform_binary(n, rng),
    "caterpillar": caterpillar,
    "balanced": balanced,
    "ternary": lambda n: balanced(n, 3),
    "polytomies": lambda n: contracted(yule(n, rng), 0.5, rng),
}
CASES = [
    *((shape, minimal) for shape in SHAPES),
    *((shape, random_10n) for shape in ("yule", "uniform", "caterpillar", "balanced")),
    ("uniform", mixed),
    ("caterpillar", mixed),
    ("caterpillar", banded),
    ("yule", with_conflict),
    ("caterpillar", with_conflict),
]


def main():
    columns = [("shape", 12), ("triplets", 14), ("n", 9), ("m", 10), ("seconds", 9), ("us/row", 8), ("exponent", 8)]
    table = Table("OneTree", [*columns, ("tralda s", 9), ("ratio", 7)])
    tt.is_consistent(minimal(caterpillar(300)))  # compile
    sizes = [*SIZES, 1_000_000] if table.options.large else SIZES
    for shape, make in CASES:
        last = None
        for n in sizes:
            triplets = shuffled(make(SHAPES[shape](n)))
            work = tt.is_consistent if make is with_conflict else tt.one_tree
            seconds, _ = cpu_seconds(lambda t=triplets, work=work: work(t))
            peer = None
            if n <= min(10_000, PEER_LIMIT.get(shape, 10_000)):
                peer, _ = cpu_seconds(lambda t=triplets: Build(list(t), list(t.leaves)).build_tree(), repeat=1)
            growth = None if last is None else exponent(last, (len(triplets), seconds))
            ratio = None if peer is None else peer / seconds
            per_row = 1e6 * seconds / max(len(triplets), 1)
            table.add(shape, make.__name__, n, len(triplets), seconds, per_row, growth, peer, ratio)
            last = (len(triplets), seconds)
    seconds, _ = cpu_seconds(lambda: tt.one_tree(tt.TripletSet(np.empty((0, 3), int), star(sizes[-1]).leaves)))
    table.add("star", "none", sizes[-1], 0, seconds, None, None, None, None)
    table.done()


if __name__ == "__main__":
    main()
