"""Reading triplets off hierarchies, and decomposing them: beside tralda where it has the function."""

import numpy as np
from _harness import Table, cpu_seconds, exponent
from examples import balanced, caterpillar, contracted, two_level, uniform_binary, yule
from tralda.datastructures import Tree
from tralda.supertree.build import minimal_identifying_triple_set

import tripletree as tt

rng = np.random.default_rng(1)


def peer_tree(h):
    return Tree.parse_newick(tt.write_newick(h))


def induce_rows(table, sizes):
    for n in sizes:
        h = yule(n, rng)
        triples = rng.integers(0, n, (3_000_000, 3)).astype(np.int32)
        a, b, c = triples.T
        triples = np.ascontiguousarray(triples[(a != b) & (a != c) & (b != c)])
        triples.setflags(write=False)
        build, _ = cpu_seconds(lambda h=h: tt.Hierarchy(h.parent).ancestor_table)
        h.ancestor_table  # noqa: B018
        seconds, _ = cpu_seconds(lambda h=h, t=triples: tt.induce(h, t))
        table.add("induce", "yule", n, len(triples), seconds, len(triples) / seconds / 1e6, None, None, None)
        table.add("  its table", "yule", n, n, build, n / build / 1e6, None, None, None)


def all_rows(table):
    h = yule(200, rng)
    seconds, listed = cpu_seconds(lambda: tt.algorithms.all_triplets(h))
    tree = peer_tree(h)
    peer, _ = cpu_seconds(lambda: tree.get_triples(), repeat=1)
    table.add(
        "all triplets", "yule", 200, len(listed), seconds, len(listed) / seconds / 1e6, None, peer, peer / seconds
    )


def decompose_rows(table, sizes):
    shapes = {
        "yule": lambda n: yule(n, rng),
        "caterpillar": caterpillar,
        "balanced": balanced,
        "uniform": lambda n: uniform_binary(n, rng),
        "polytomies": lambda n: contracted(yule(n, rng), 0.5, rng),
        "two levels": lambda n: two_level(n, 10),
    }
    for shape, make in shapes.items():
        last = None
        for n in sizes:
            h = make(n)
            h.leaf_intervals  # noqa: B018
            seconds, out = cpu_seconds(lambda h=h: tt.decompose(h))
            peer = None
            if n <= 10_000 and shape != "caterpillar":
                tree = peer_tree(h)
                peer, _ = cpu_seconds(lambda t=tree: list(minimal_identifying_triple_set(t)), repeat=1)
            growth = None if last is None else exponent(last, (len(out), seconds))
            rate = len(out) / seconds / 1e6
            table.add(
                "decompose", shape, n, len(out), seconds, rate, growth, peer, None if peer is None else peer / seconds
            )
            last = (len(out), seconds)


def main():
    columns = [("work", 18), ("shape", 12), ("n", 9), ("m", 10), ("seconds", 9), ("M/s", 8), ("exponent", 8)]
    table = Table("Hierarchies", [*columns, ("tralda s", 9), ("ratio", 7)])
    warm = yule(100, rng)
    tt.induce(warm, np.array([[0, 1, 2]]))
    sizes = [1_000, 10_000, 100_000] + ([1_000_000] if table.options.large else [])
    induce_rows(table, sizes)
    all_rows(table)
    decompose_rows(table, sizes)
    table.done()


if __name__ == "__main__":
    main()
