"""Hierarchies of 10^5 leaves and tables of 10^5 rows, each task in a process of its own (with --large 10^6, too)."""

import tempfile
from itertools import chain
from pathlib import Path

import numpy as np
from _harness import Table, measured

import tripletree as tt
from tripletree.io import write_edges, write_json, write_newick

SIZES, LARGE = (100_000,), (1_000_000,)

_OF_TREE = (
    "import matplotlib; matplotlib.use('agg'); import numpy, tripletree as tt, tripletree.io as tio; "
    "from bench_million import hierarchy_of; h = hierarchy_of({n})"
)
TREE = {
    "write_newick": "tio.write_newick(h, {folder!r} + '/new.nwk')",
    "read_newick": "tio.read_newick({folder!r} + '/tree.nwk')",
    "read_hierarchy": "tt.read_hierarchy({folder!r} + '/tree.nwk')",
    "write_edges": "tio.write_edges(h, {folder!r} + '/new.csv')",
    "read_edges": "tio.read_edges({folder!r} + '/tree.csv')",
    "write_json": "tio.write_json(h, {folder!r} + '/new.json')",
    "read_json": "tio.read_json({folder!r} + '/tree.json')",
    "read_taxdump": "tio.read_taxdump({folder!r}, labels='id')",
    "count_triplets": "tt.count_triplets(h)",
    "sample_triplets, 100,000": "tt.sample_triplets(h, 100_000, random_state=0)",
    "decompose": "tt.decompose(h)",
    "displays, 1,000,000": "tt.displays(h, tt.sample_triplets(h, 1_000_000, random_state=1)).all()",
    "decompose and one_tree": "tt.one_tree(tt.decompose(h, guarantee='rebuild'))",
    "cut, 50 clusters": "tt.cut(h, 50)",
    "robinson_foulds": "tt.robinson_foulds(h, h)",
    "triplet_distance": "tt.triplet_distance(h, h)",
    "to_linkage": "tt.to_linkage(h)",
    "plot_dendrogram": "tt.plot_dendrogram(h)",
    "write_html": "tt.write_html(h, {folder!r} + '/new.html')",
    "match_names, 1,000": "tt.match_names(list(h.leaves)[:1000], h)",
}

_OF_ROWS = (
    "import tripletree as tt; from tripletree.cluster import *; from bench_million import samples_of; "
    "X, y = samples_of({n}); t = tt.sample_class_triplets(y, 100_000, random_state=0); "
    "p = tt.sample_class_pairs(y, 100_000, random_state=0)"
)
ROWS = {
    "ReCon, triplets": "ReCon(20).fit(X, triplets=t)",
    "ReCon, 200,000 triplets": "ReCon(20).fit(X, triplets=tt.sample_class_triplets(y, 200_000, random_state=0))",
    "ReCon, pairs": "ReCon(20).fit(X, pairs=p)",
    "COPKMeans": "COPKMeans(20, n_init=1, random_state=0).fit(X, pairs=p)",
    "PCKMeans": "PCKMeans(20, n_init=1, random_state=0).fit(X, pairs=p)",
    "MPCKMeans": "MPCKMeans(20, n_init=1, random_state=0).fit(X, pairs=p)",
    "CVQE": "CVQE(20, n_init=1, random_state=0).fit(X, pairs=p)",
    "BoostedConstrainedKMeans": "BoostedConstrainedKMeans(20, n_rounds=5, n_init=1, random_state=0).fit(X, pairs=p)",
    "ConstrainedCompleteLink": "ConstrainedCompleteLink(20).fit(X, pairs=p)",
    "OddOneOutClustering": "OddOneOutClustering(n_questions=0).fit(X)",
    "evaluate_knowledge": "tt.evaluate_knowledge(X, triplets=t, estimator=ReCon(20))",
    "DivisiveReCon": "DivisiveReCon(20).fit(X, triplets=t)",
}


def hierarchy_of(n):
    """A binary hierarchy of n leaves, whose nodes were joined two and two, level by level."""
    parent, ids, new = np.full(2 * n - 1, -1), np.arange(n), n
    while ids.size > 1:
        half = ids.size // 2
        above = np.arange(new, new + half)
        parent[ids[0 : 2 * half : 2]] = parent[ids[1 : 2 * half : 2]] = above
        ids, new = np.r_[above, ids[2 * half :]], new + half
    return tt.Hierarchy(parent, leaves=[f"s{i}" for i in range(n)])


def samples_of(n):
    """n samples of ten features in 20 classes, and the classes."""
    rng = np.random.default_rng(1)
    y, centres = rng.integers(0, 20, n), rng.normal(size=(20, 10)) * 4
    return centres[y] + rng.normal(size=(n, 10)), y


def write_files(h, folder):
    """The hierarchy as each of the files that are read, a taxdump among them."""
    write_newick(h, folder / "tree.nwk")
    write_edges(h, folder / "tree.csv")
    write_json(h, folder / "tree.json")
    above = np.where(h.parent < 0, np.arange(h.parent.size), h.parent)  # the root is its own parent there
    number = h.parent.size - np.arange(h.parent.size)
    lines = (f"{a}\t|\t{b}\t|\tno rank\t|\n" for a, b in zip(number.tolist(), number[above].tolist(), strict=True))
    (folder / "nodes.dmp").write_text("".join(lines), encoding="utf-8")


def main():
    columns = [("task", 24), ("size", 9), ("seconds", 8), ("MB", 6), ("or why not", 10)]
    table = Table("Hierarchies of many leaves, and tables of many rows of ten features", columns, ("tree", "rows"))
    for n in chain(SIZES, LARGE if table.options.large else ()):
        with tempfile.TemporaryDirectory() as folder:
            if table.options.only != "rows":
                write_files(hierarchy_of(n), Path(folder))
            for kind, setup, tasks in (("tree", _OF_TREE, TREE), ("rows", _OF_ROWS, ROWS)):
                for task, call in tasks.items() if table.options.only in (None, kind) else ():
                    seconds, peak, why = measured(setup.format(n=n), call.format(folder=folder), "''", patience=200)
                    table.add(task, n, seconds, peak, why)
    table.done()


if __name__ == "__main__":
    main()
