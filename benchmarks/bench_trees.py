"""Reading trees in every format beside scikit-bio, DendroPy, Biopython and ete3, each in a process of its own.

Seconds are CPU seconds of the call, memory is the peak of the process; a peer's row without figures says why.
"""

import tempfile
from pathlib import Path

import numpy as np
from _harness import Table, measured
from examples import caterpillar, yule

import tripletree as tt
from tripletree.algorithms.linkage import from_linkage
from tripletree.io import write_json, write_linkage, write_newick, write_nexus

rng = np.random.default_rng(1)
OURS = "import tripletree as tt; tt.parse_newick('(a,b);').depth; from tripletree.io import {function}"
PEERS = {
    "newick": [
        ("scikit-bio", "import skbio", "skbio.TreeNode.read({path!r}, convert_underscores=False)", "0"),
        ("DendroPy", "import dendropy", "dendropy.Tree.get(path={path!r}, schema='newick')", "0"),
        ("ete3", "import ete3", "ete3.Tree({path!r}, format=1)", "0"),
    ],
    "nexus": [("DendroPy", "import dendropy", "dendropy.Tree.get(path={path!r}, schema='nexus')", "0")],
    "phyloxml": [("Biopython", "from Bio import Phylo", "Phylo.read({path!r}, 'phyloxml')", "0")],
}


def written(h, kind, folder):
    """A file with the hierarchy."""
    path = Path(folder) / f"tree.{kind}"
    if kind == "phyloxml":
        path.write_text(phyloxml(h))
    else:
        {"newick": write_newick, "nexus": write_nexus, "json": write_json}[kind](h, path)
    return str(path)


def phyloxml(h):
    """The hierarchy as PhyloXML; the package does not write it."""
    start, stop, leaf = h.leaf_intervals
    order = np.lexsort((-np.arange(h.n_nodes), -stop, start))  # parents first, depth first
    parts, opened = ['<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true">'], []
    for u in order.tolist():
        while opened and stop[opened[-1]] <= start[u]:
            opened.pop()
            parts.append("</clade>")
        if u < h.n_leaves:
            parts.append(f"<clade><name>{h.leaves[u]}</name></clade>")
        else:
            parts.append("<clade>")
            opened.append(u)
    return "".join(parts) + "</clade>" * len(opened) + "</phylogeny></phyloxml>"


def main():
    columns = [("format", 10), ("shape", 11), ("leaves", 9), ("reader", 10), ("seconds", 8), ("MB", 6), ("file MB", 7)]
    table = Table("Trees in files", [*columns, ("or why not", 40)])
    large = table.options.large
    sizes = {"newick": 2_000_000 if large else 100_000}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("newick", "nexus", "json", "phyloxml"):
            n = sizes.get(kind, 1_000_000 if large else 100_000)
            for shape, make in (("yule", lambda n: yule(n, rng)), ("caterpillar", caterpillar)):
                h = tt.Hierarchy(make(n).parent, [f"leaf_{i}" for i in range(n)])
                path = written(h, kind, folder)
                size = Path(path).stat().st_size / 2**20
                ours = (
                    "tripletree",
                    OURS.format(function=f"read_{kind}"),
                    f"read_{kind}({{path!r}})",
                    "result.n_leaves",
                )
                for name, setup, call, count in (ours, *PEERS.get(kind, ())):
                    seconds, peak, found = measured(setup, call.format(path=path), count)
                    assert name != "tripletree" or found == n, found
                    why = found if seconds is None else None
                    table.add(kind, shape, n, name, seconds, peak, size, str(why or ""))
        n = 1_000_000 if large else 100_000
        Z = np.column_stack([np.arange(n - 1) * 0.0, np.arange(n - 1) * 0.0, np.arange(n - 1), np.arange(2, n + 1)])
        Z[:, 0], Z[:, 1] = np.r_[0, np.arange(n, 2 * n - 2)], np.r_[1, np.arange(2, n)]
        for suffix in ("npy", "txt"):
            path = str(Path(folder) / f"linkage.{suffix}")
            write_linkage(from_linkage(Z), path)
            setup = OURS.format(function="read_linkage")
            seconds, peak, found = measured(setup, f"read_linkage({path!r})", "result.n_leaves")
            assert found == n, found
            table.add("linkage", suffix, n, "tripletree", seconds, peak, Path(path).stat().st_size / 2**20, "")
    table.done()


if __name__ == "__main__":
    main()
