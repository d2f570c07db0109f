"""tralda, the nearest peer: BUILD, triples of a tree, minimal identifying sets, last common ancestors."""

import numpy as np
import pytest
from examples import caterpillar, contracted, uniform_binary, yule, zoo
from oracles import clades_of_hierarchy

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, count_triplets, sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

pytest.importorskip("tralda")
from tralda.datastructures.last_common_ancestor import LCA
from tralda.datastructures.tree import Tree, TreeNode
from tralda.supertree.build import Build, minimal_identifying_triple_set

SMALL_ZOO = [pytest.param(h, id=name) for name, h in zoo() if h.n_leaves <= 130]


def tralda_tree(h):
    """The hierarchy as tralda's Tree, made node by node."""
    nodes = [TreeNode(**({"label": h.leaves[u]} if u < h.n_leaves else {})) for u in range(h.n_nodes)]
    for u in range(h.n_nodes - 1):
        nodes[h.parent[u]].add_child(nodes[u])
    return Tree(nodes[h.root])


def clades_of_tralda(tree):
    return {frozenset(clade) for clade in tree.get_hierarchy() if len(clade) > 1}


def tralda_build(t):
    """tralda's verdict and clades. It empties the sets that it is given."""
    tree = Build(list(t), set(t.leaves)).build_tree()
    return None if tree is None else clades_of_tralda(tree)


def as_set(triplets):
    return {(frozenset((a, b)), c) for a, b, c in triplets}


@pytest.mark.parametrize("n", [3, 4, 6, 10, 25])
def test_tralda__build_gives_the_same_hierarchy_and_verdict(n, rng):
    verdicts = []
    for _ in range(40):
        h = contracted(yule(n, rng), 0.3, rng)
        size = min(count_triplets(h), int(rng.integers(0, 4 * n)))
        rows = sample_triplets(h, size, random_state=rng).rows.copy()
        if rng.random() < 0.4 and size:
            k = rng.integers(size)
            rows[k] = rng.permutation(rows[k])
        t = TripletSet(rows, n)
        theirs = tralda_build(t)
        verdicts.append(theirs is not None)
        assert is_consistent(t) == (theirs is not None)
        if theirs is not None:
            assert set(clades_of_hierarchy(one_tree(t))) == theirs
    assert any(verdicts)
    assert n < 5 or not all(verdicts)


@pytest.mark.parametrize("n", [4, 5, 7])
def test_tralda__build_agrees_on_triplets_out_of_nowhere(n, rng):
    for _ in range(80):
        rows = np.array([rng.permutation(n)[:3] for _ in range(rng.integers(1, n + 1))])
        t = TripletSet(rows, n)
        theirs = tralda_build(t)
        assert is_consistent(t) == (theirs is not None)
        assert theirs is None or set(clades_of_hierarchy(one_tree(t))) == theirs


@pytest.mark.parametrize("h", SMALL_ZOO)
def test_tralda__minimal_identifying_sets_have_the_same_size_and_strength(h):
    theirs = list(minimal_identifying_triple_set(tralda_tree(h)))
    ours = decompose(h)
    assert len(ours) == len(theirs)
    if theirs:
        assert one_tree(TripletSet.from_labels(theirs, h.leaves)) == h
        assert tralda_build(ours) == set(clades_of_hierarchy(h))


@pytest.mark.parametrize("n", [5, 12, 40])
def test_tralda__minimal_identifying_sets_of_random_hierarchies(n, rng):
    for _ in range(25):
        h = contracted(uniform_binary(n, rng), rng.random(), rng)
        assert len(decompose(h)) == len(list(minimal_identifying_triple_set(tralda_tree(h))))


@pytest.mark.parametrize("h", [h for h in SMALL_ZOO if h.values[0].n_leaves <= 90])
def test_tralda__all_triplets_are_the_same(h):
    assert as_set(all_triplets(h)) == as_set(tralda_tree(h).get_triples(label_only=True))


def test_tralda__last_common_ancestors_have_the_same_clades(rng):
    h = contracted(yule(60, rng), 0.4, rng)
    tree = tralda_tree(h)
    lca, below = LCA(tree), tree.leaf_dict()
    for _ in range(300):
        a, b = rng.integers(0, 60, 2).tolist()
        theirs = {leaf.label for leaf in below[lca(a, b)]} if a != b else {a}
        assert set(h.clade(h.common_ancestor([a, b]))) == theirs


def test_tralda__a_caterpillar_that_it_can_still_recurse_on():
    h = caterpillar(300)
    assert tralda_build(decompose(h)) == set(clades_of_hierarchy(h))


def test_tralda__triplets_of_a_binary_hierarchy_with_unary_nodes():
    h = Hierarchy.from_nested([[["a", "b"]], ["c", [["d"]]]])
    assert as_set(all_triplets(h)) == as_set(tralda_tree(h.suppress_unary()).get_triples(label_only=True))
