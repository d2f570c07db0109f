"""Hierarchies to other libraries' trees and back, beside the way through a Newick text."""

import io
import warnings
from functools import partial

import numpy as np
from _harness import Table, cpu_seconds
from examples import caterpillar, star, yule

import tripletree as tt
from tripletree import interop

warnings.simplefilter("ignore")  # ete3 warns about its own syntax

PEERS = ["networkx", "edge_table", "dot", "ete3", "ete4", "dendropy", "skbio", "biopython", "children"]


def by_text(peer, h):
    """The same tree through Newick: ours written, theirs read; None where they recurse or have no such reader."""
    text = tt.write_newick(h)
    if peer == "ete3":
        import ete3

        return lambda: ete3.Tree(text, format=1)
    if peer == "ete4":
        import ete4

        return lambda: ete4.Tree(text, parser=1)
    if peer == "dendropy":
        import dendropy

        return lambda: dendropy.Tree.get(data=text, schema="newick")
    if peer == "skbio":
        import skbio

        return lambda: skbio.TreeNode.read(io.StringIO(text))
    if peer == "biopython":
        from Bio import Phylo

        return lambda: Phylo.read(io.StringIO(text), "newick")
    return None


def main():
    columns = [("peer", 10), ("shape", 11), ("leaves", 8), ("out s", 7), ("in s", 7), ("Newick s", 8), ("ratio", 6)]
    table = Table("Interop (Newick: the time the peer takes to read the same tree as text)", columns)
    rng = np.random.default_rng(1)
    n = 1_000_000 if table.options.large else 100_000
    for shape, make in (("yule", lambda n: yule(n, rng)), ("caterpillar", caterpillar), ("star", star)):
        bare = make(n)
        labels = [f"leaf_{i}" for i in range(n)]
        h = tt.Hierarchy(bare.parent, labels, length=rng.exponential(size=bare.n_nodes))
        for peer in PEERS:
            out, back = partial(interop.to_tree, library=peer), interop.from_tree
            if hasattr(interop, f"to_{peer}"):
                out, back = getattr(interop, f"to_{peer}"), getattr(interop, f"from_{peer}")
            if peer == "children":
                if shape == "star":
                    continue
                out, back = (lambda h: interop.to_children(h)[0]), partial(interop.from_children, leaves=h.leaves)
            try:
                write, tree = cpu_seconds(lambda out=out, h=h: out(h), repeat=2)
            except tt.errors.MissingDependencyError as error:
                print(f"skipped: {error}")
                continue
            read, again = cpu_seconds(lambda back=back, tree=tree: back(tree), repeat=2)
            assert again == h
            text = by_text(peer, h) if shape == "yule" else None
            seconds = None if text is None else cpu_seconds(text, repeat=1)[0]
            table.add(peer, shape, n, write, read, seconds, None if seconds is None else seconds / write)
            del tree, again
    table.done()


if __name__ == "__main__":
    main()
