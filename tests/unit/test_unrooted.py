"""Unrooted trees: functions whose answer depends on the root refuse them, those on splits compare them by splits."""

import numpy as np
import pytest

import tripletree as tt
from tripletree.algorithms import clade_support, consensus_tree, match_clades, merge_copies
from tripletree.errors import InvalidHierarchyError
from tripletree.metrics import taxonomy_linkage


def splits(tree):
    """The sides of the branches with two leaves or more on each, by the definition."""
    every = frozenset(tree.leaves)
    sides = (frozenset(tree.clade(u)) for u in range(tree.n_nodes))
    return {frozenset((x, every - x)) for x in sides if 1 < len(x) < len(every) - 1}


def unrooted(rng, n):
    """A random tree of n leaves, with nodes of several children and perhaps of one, its leaves in any order."""
    parent = np.full(2 * n, -1)
    live = list(range(n))
    for u in range(n, 2 * n - 1):
        k = min(len(live), int(rng.integers(1, 4)))
        if k == len(live) and len(live) > 1:
            k = len(live) - 1
        taken = [live.pop(int(rng.integers(len(live)))) for _ in range(k)]
        parent[taken] = u
        live.append(u)
    top = 2 * n - 1
    parent[live] = top
    tree = tt.Hierarchy(parent, n, rooted=False)
    return tree.reindex(rng.permutation(n).tolist())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13])
def test_robinson_foulds__of_unrooted_trees_counts_splits(n, rng):
    for _ in range(25):
        one, two = unrooted(rng, n), unrooted(rng, n)
        of_one, of_two = splits(one), splits(two)
        apart, most = len(of_one ^ of_two), len(of_one) + len(of_two)
        assert tt.robinson_foulds(one, two) == apart
        assert tt.robinson_foulds(one, two, normalized=True) == (apart / most if most else 0)
        assert tt.robinson_foulds(one, one) == 0


def test_robinson_foulds__the_root_of_one_tree_is_left_aside(rng):
    one = unrooted(rng, 9)
    with pytest.warns(UserWarning, match="only one of the trees is rooted"):
        assert tt.robinson_foulds(one, one.reroot([3])) == 0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_consensus_and_support__of_unrooted_trees_go_by_splits(n, rng):
    for least in (0.5, 1):
        trees = [unrooted(rng, n) for _ in range(5)]
        of = [splits(x) for x in trees]
        found = consensus_tree(trees, min_support=least)
        share = {x: sum(x in y for y in of) / 5 for y in of for x in y}
        assert splits(found.hierarchy) == {x for x, y in share.items() if y == 1 or y > least}
        assert not found.hierarchy.rooted
        every = frozenset(range(n))
        tree = trees[0]
        sides = [frozenset(tree.clade(u)) for u in range(n, tree.n_nodes)]
        expected = [share.get(frozenset((x, every - x)), 1.0) for x in sides]
        assert clade_support(tree, trees).tolist() == pytest.approx(expected)
        tree = found.hierarchy
        sides = [frozenset(tree.clade(u)) for u in range(n, tree.n_nodes)]
        expected = [share.get(frozenset((x, every - x)), 1.0) for x in sides]
        assert found.support.tolist() == pytest.approx(expected)


def test_clade_support__a_rooted_tree_by_unrooted_ones():
    trees = [tt.parse_newick(x) for x in ("[&U] (a,(c,d),b);", "[&U] (c,(a,b),d);", "[&U] (a,c,(b,d));")]
    assert clade_support(tt.parse_newick("((a,b),(c,d));"), trees).tolist() == pytest.approx([2 / 3, 2 / 3, 1])


def test_unrooted__what_depends_on_the_root_is_refused():
    h = tt.parse_newick("[&U] ((a,b),(c,d),e);")
    rooted = tt.parse_newick("((a,b),(c,d),e);")
    X = np.arange(5.0)[:, None]
    for ask in (
        lambda: tt.cut(h, 2),
        lambda: tt.cut(h, height=1),
        lambda: tt.suggest_n_clusters(h, X),
        lambda: tt.dendrogram_purity(h, list("xxyyy")),
        lambda: match_clades(h, rooted),
        lambda: match_clades(rooted, h),
        lambda: merge_copies(h, dict.fromkeys("abcde", "x")),
        lambda: taxonomy_linkage(X, tt.parse_newick("[&U] ((0,1),(2,3),4);")),
        lambda: tt.cluster.ReCon(2).fit(X, hierarchy=h),
    ):
        with pytest.raises(InvalidHierarchyError, match=r"unrooted, .* has no clades until it has a root: h.reroot"):
            ask()
