"""Triplet and Robinson-Foulds distances of two hierarchies: beside tqDist and scikit-bio.

The second hierarchy has the leaves of the first in random order; "close" is the first one with a tenth of its inner
nodes removed. tqDist's times need ``pip install tqdist`` and include its reading of two Newick texts; ours include two
new hierarchies of given parent arrays. tqDist gets ladders of up to 10,000 leaves, scikit-bio 1,000 leaves.
"""

import numpy as np
from _harness import Table, cpu_seconds, exponent
from examples import balanced, caterpillar, contracted, star, two_level, uniform_binary, yule
from skbio import TreeNode

import tripletree as tt
from tripletree.algorithms.compare import compare_triplets, robinson_foulds

try:
    import tqdist
except ImportError:
    tqdist = None

rng = np.random.default_rng(1)
MAKERS = {
    "yule": lambda n: yule(n, rng),
    "uniform": lambda n: uniform_binary(n, rng),
    "balanced": balanced,
    "caterpillar": caterpillar,
    "polytomies": lambda n: contracted(yule(n, rng), 0.5, rng),
    "bushes": lambda n: contracted(uniform_binary(n, rng), 0.7, rng),
    "two levels": lambda n: two_level(n, int(n**0.5)),
}
SHAPES = {
    **{name: (make, make) for name, make in MAKERS.items()},
    "ladder, yule": (MAKERS["caterpillar"], MAKERS["yule"]),
    "yule, ladder": (MAKERS["yule"], MAKERS["caterpillar"]),
    "balanced, uniform": (MAKERS["balanced"], MAKERS["uniform"]),
    "bushes, star": (MAKERS["bushes"], star),
}


def drawn(shape, n):
    """A pair of hierarchies; neither has anything computed already."""
    if shape == "close":
        one = yule(n, rng)
        return one, contracted(one, 0.1, rng)
    one, two = (make(n) for make in SHAPES[shape])
    return one, tt.Hierarchy(two.parent, rng.permutation(n).tolist())


def fresh(h):
    return tt.Hierarchy(h.parent, h.leaves)


def triplet_rows(table, sizes):
    for shape in [*SHAPES, "close"]:
        last = None
        for n in sizes:
            one, two = drawn(shape, n)
            seconds, found = cpu_seconds(lambda a=one, b=two: compare_triplets(fresh(a), fresh(b)))
            peer = None
            deep = "ladder" in shape or shape == "caterpillar"
            if tqdist is not None and n <= (10_000 if deep else 100_000):
                texts = tt.write_newick(one), tt.write_newick(two)
                peer, fraction = cpu_seconds(lambda t=texts: tqdist.triplet_distance_raw(*t), repeat=1)
                assert abs(fraction - found.fraction) < 1e-12
            growth = exponent(last, (n, seconds)) if last else None
            table.add("triplets", shape, n, found.fraction, seconds, growth, peer, peer and peer / seconds)
            last = (n, seconds)


def clade_rows(table, sizes):
    for shape in ("yule", "caterpillar", "polytomies", "close"):
        last = None
        for n in sizes:
            one, two = drawn(shape, n)
            seconds, found = cpu_seconds(lambda a=one, b=two: robinson_foulds(fresh(a), fresh(b), normalized=True))
            peer = None
            if n <= 1_000:
                trees = [TreeNode.read([tt.write_newick(h)]) for h in (one, two)]
                peer, _ = cpu_seconds(lambda t=trees: t[0].compare_rfd(t[1], rooted=True), repeat=1)
            growth = exponent(last, (n, seconds)) if last else None
            table.add("clades", shape, n, found, seconds, growth, peer, peer and peer / seconds)
            last = (n, seconds)


def main():
    columns = [("work", 9), ("shape", 18), ("n", 8), ("fraction", 9), ("seconds", 9), ("exponent", 8)]
    table = Table("Comparing hierarchies", [*columns, ("peer s", 9), ("ratio", 7)])
    warm = contracted(yule(100, rng), 0.5, rng)
    compare_triplets(warm, warm)
    robinson_foulds(warm, warm)
    sizes = [1_000, 10_000, 100_000] + ([1_000_000] if table.options.large else [])
    triplet_rows(table, sizes)
    clade_rows(table, sizes)
    table.done()


if __name__ == "__main__":
    main()
