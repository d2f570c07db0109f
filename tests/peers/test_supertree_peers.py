"""tralda on collections of trees: BuildST and BUILD agree with ours on whether there is a supertree, and which."""

import numpy as np
import pytest
from examples import contracted, yule

from tripletree.algorithms.compare import compare_triplets
from tripletree.algorithms.supertree import supertree
from tripletree.core.hierarchy import Hierarchy

pytest.importorskip("tralda")
from tralda.datastructures.tree import Tree, TreeNode
from tralda.supertree.build import build_supertree
from tralda.supertree.build_st import build_st


def tralda_tree(h):
    """The hierarchy as tralda's Tree, made node by node."""
    nodes = [TreeNode(**({"label": h.leaves[u]} if u < h.n_leaves else {})) for u in range(h.n_nodes)]
    for u in range(h.n_nodes - 1):
        nodes[h.parent[u]].add_child(nodes[u])
    return Tree(nodes[h.root])


def clades(tree):
    return {frozenset(clade) for clade in tree.get_hierarchy() if len(clade) > 1}


def clades_of(h):
    return {frozenset(h.clade(u)) for u in range(h.n_leaves, h.n_nodes)}


@pytest.mark.parametrize("seed", range(10))
def test_tralda__the_same_supertree_of_consistent_sources(seed):
    rng = np.random.default_rng(seed)
    true = contracted(yule(30, rng), 0.3, rng)
    sources = [true.restrict(rng.permutation(30)[:12].tolist()) for _ in range(8)]
    found = supertree(sources)
    assert clades(build_supertree(map(tralda_tree, sources))) == clades_of(found.hierarchy)
    assert found.consistent
    # BuildST may resolve less or more: it has to display the sources, as ours does
    parts = build_st([tralda_tree(h) for h in sources])
    assert {x.label for x in parts.leaves()} == set(found.hierarchy.leaves)


@pytest.mark.parametrize("seed", range(20))
def test_tralda__none_where_the_sources_contradict_each_other(seed):
    rng = np.random.default_rng(100 + seed)
    sources = [Hierarchy(contracted(yule(5, rng), 0.4, rng).parent, rng.permutation(7)[:5].tolist()) for _ in range(3)]
    found = supertree(sources)
    trees = [tralda_tree(h) for h in sources]
    assert (build_supertree(trees) is not None) == found.consistent
    if found.consistent:
        assert all(compare_triplets(found.hierarchy, h, leaves="common").different == 0 for h in sources)


@pytest.mark.shared
def test_supertree__displays_more_of_the_sources_than_the_true_tree_does(shared):
    from tripletree.io import parse_newick

    folder = shared / "supertrees" / "supertriplets"
    lines = (folder / "supertriplets_source.tre").read_text().split()
    true = parse_newick((folder / "supertriplets_expected.tre").read_text())
    sources = [parse_newick(line) for line in lines[:3]]
    found = supertree(sources, min_support=0.0, n_starts=1)
    by_truth = [compare_triplets(true, h, leaves="common") for h in sources]
    share = sum(c.alike for c in by_truth) / sum(c.alike + c.different for c in by_truth)
    assert found.displayed >= share
    assert found.displayed + found.contradicted == pytest.approx(1)
