"""Supertrees: the share of the sources' triplets displayed, time and memory, beside sc-supertree and tralda.

Every row is a process of its own; seconds are CPU seconds and do not include reading the trees, or imports. Ours is
given with `min_support` 0 (as many triplets as possible) and 0.5 (the default, which leaves open what has no majority).
sc-supertree and tralda need ``pip install sc-supertree tralda``; tralda has nothing for whole trees that contradict
each other, so its greedy BUILD and best-pair-merge-first get the triplets that identify each source (small sets only).

Simulated sets: restrictions of a random binary tree to some leaves, a twentieth of them exchanged; two halves of the
leaves of a caterpillar, which agree. With the environment variable TRIPLETREE_DATA, also from its folder supertrees/:
OpenTree's prob-1 with the answer that otcetera expects, SuperTriplets' simulated set with the true tree, and Purvis'
primates, each column of each matrix a source.
"""

import os
import tempfile
from pathlib import Path

import _harness
import numpy as np
from _harness import Table, measured
from examples import caterpillar, yule

import tripletree as tt

_harness.PATIENCE = 900
FOLDER = Path(os.environ.get("TRIPLETREE_DATA", "")) / "supertrees"

OURS = """
import tripletree as tt
from tripletree.algorithms.supertree import supertree
lines = open({path!r}).read().split()
warm = [tt.parse_newick(x) for x in ("((a,b),(c,(d,e)));", "((a,c),(b,(d,f)));")]
supertree(warm)
sources = [tt.parse_newick(x) for x in lines]
"""
SPECTRAL = """
from cogent3 import make_tree
from sc_supertree import construct_supertree
import numpy as np
sources = [make_tree(x) for x in open({path!r}).read().split()]
"""
TRALDA = """
from tralda.datastructures.tree import Tree
from tralda.supertree.build import best_pair_merge_first, greedy_build, tree_profile_to_triples
sources = [Tree.parse_newick(x) for x in open({path!r}).read().split()]
"""
#: What a subprocess says of its result, as a Newick text.
SHARES = "__import__('bench_supertree').shares({path!r}, {text}, {true!r})"
WORK = {
    "ours, min_support 0": (OURS, "supertree(sources, min_support=0.0)", "tt.write_newick(result.hierarchy)"),
    "ours": (OURS, "supertree(sources)", "tt.write_newick(result.hierarchy)"),
    "ours, votes tree": (
        *(OURS, "supertree(sources, votes='tree', min_support=0.0)"),
        "tt.write_newick(result.hierarchy)",
    ),
    "sc-supertree": (
        *(SPECTRAL, "construct_supertree(sources, random_state=np.random.RandomState(0))"),
        "result.get_newick(semicolon=True)",
    ),
    "tralda, greedy": (TRALDA, "greedy_build(*tree_profile_to_triples(sources)[::-1])", "result.to_newick()"),
    "tralda, best pair": (
        *(TRALDA, "best_pair_merge_first(*tree_profile_to_triples(sources)[::-1])"),
        "result.to_newick()",
    ),
}

#: Characters of all sources up to which a method is waited for.
MOST = {"sc-supertree": 1_000_000, "tralda, greedy": 10_000, "tralda, best pair": 50_000}


def shares(path, text, true=""):
    """Displayed and contradicted, of all triplets and as the mean over the trees; triplet distance to the true tree."""
    from tripletree.algorithms.compare import compare_triplets, triplet_distance

    sources = [tt.parse_newick(x) for x in Path(path).read_text().split()]
    found = tt.parse_newick(text)
    total = [tt.count_triplets(h) for h in sources]
    each = [compare_triplets(found, h, leaves="common") for h, k in zip(sources, total, strict=True) if k]
    per_tree = np.mean([c.alike / k for c, k in zip(each, filter(None, total), strict=True)])
    far = None
    if true:
        far = triplet_distance(found, tt.parse_newick(true).restrict(list(found.leaves)), normalized=True)
    return [sum(c.alike for c in each) / sum(total), sum(c.different for c in each) / sum(total), per_tree, far]


def simulated(n, k, m, rng):
    """Newick texts of k sources of m leaves, and of the true tree of n leaves."""
    true = yule(n, rng)
    true = tt.Hierarchy(true.parent, [f"t{i}" for i in range(n)])
    texts = []
    for _ in range(k):
        h = true.restrict([true.leaves[i] for i in rng.choice(n, m, replace=False)])
        labels = np.array(list(h.leaves), object)
        some = rng.choice(m, max(2, m // 20), replace=False)
        labels[some] = labels[rng.permutation(some)]
        texts.append(tt.write_newick(tt.Hierarchy(h.parent, labels.tolist())))
    return texts, tt.write_newick(true)


def columns(path):
    """Each column of an MRP matrix as a tree: the taxa with a 1 are a clade of those that have no question mark."""
    text = path.read_text().split("matrix", 1)[1].split(";", 1)[0]
    rows = [line.split() for line in text.splitlines() if line.split()]
    cells = [("".join(row[1:]), row[0]) for row in rows]
    out = []
    for j in range(min(len(x) for x, _ in cells)):
        inside = [name for x, name in cells if x[j] == "1"]
        outside = [name for x, name in cells if x[j] == "0"]
        if len(inside) > 1 and outside:
            out.append(f"(({','.join(inside)}),{','.join(outside)});")
    return out


def collections(large):
    """(name, Newick texts, true tree or "", expected answer or "")."""
    rng = np.random.default_rng(1)
    for n, k, m in [(100, 20, 50), (1_000, 30, 200)] + ([(20_000, 100, 500)] if large else []):
        yield f"simulated {n}", *simulated(n, k, m, rng), ""
    for n in (200, 40_000):
        true = tt.Hierarchy(caterpillar(2 * n).parent, [f"t{i}" for i in range(2 * n)])
        halves = [true.restrict([true.leaves[i] for i in rng.choice(2 * n, n, replace=False)]) for _ in range(2)]
        yield f"caterpillars {n}", [tt.write_newick(h) for h in halves], "", ""
    if not FOLDER.is_dir():
        return
    folder = FOLDER / "supertriplets"
    true = (folder / "supertriplets_expected.tre").read_text()
    yield "SuperTriplets", (folder / "supertriplets_source.tre").read_text().split(), true, true
    texts = [x for path in sorted((FOLDER / "primates_purvis_mrp").glob("*.nex")) for x in columns(path)]
    yield "primates", texts, "", ""
    folder = FOLDER / "otcetera"
    yield "prob-1", (folder / "prob-1.tre").read_text().split(), "", (folder / "prob-1.expected.tre").read_text()


def main():
    table = Table(
        "Supertrees",
        [
            *(("sources", 16), ("method", 20), ("displayed", 9), ("against", 9), ("per tree", 9), ("distance", 9)),
            *(("seconds", 9), ("MB", 7)),
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "sources.nwk")
        for name, texts, true, expected in collections(table.options.large):
            Path(path).write_text("\n".join(texts), encoding="utf-8")
            if expected:
                table.add(name, "the answer known", *shares(path, expected, true), None, None)
            for method, (setup, call, text) in WORK.items():
                if sum(map(len, texts)) > MOST.get(method, np.inf):
                    continue
                seconds, peak, found = measured(
                    setup.format(path=path), call, SHARES.format(path=path, text=text, true=true)
                )
                row = found if isinstance(found, list) else [None] * 4
                table.add(name, method, *row, seconds, peak if seconds is not None else str(found)[:7])
    table.done()


if __name__ == "__main__":
    main()
