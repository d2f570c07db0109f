import numpy as np
import pytest
from examples import zoo
from oracles import common_ancestor_definition
from scipy.cluster.hierarchy import is_valid_linkage

from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError


def random_linkage(n, rng, monotone=False):
    """Random merges at random heights, as constraints can force them."""
    live, size, rows = list(range(n)), [1] * n, []
    heights = rng.random(n - 1)
    for k, height in enumerate(np.sort(heights) if monotone else heights):
        a, b = sorted(live.pop(rng.integers(len(live))) for _ in range(2))
        size.append(size[a] + size[b])
        live.append(n + k)
        rows.append([a, b, height, size[-1]])
    return np.array(rows, float).reshape(n - 1, 4)


# ------------------------------------------------------------------ from_linkage


def test_from_linkage__row_i_is_node_n_plus_i():
    h = from_linkage([[1, 3, 2.0, 2], [0, 2, 0.5, 2], [4, 5, 1.0, 4]], ["a", "b", "c", "d"])
    assert h == Hierarchy.from_nested([["b", "d"], ["a", "c"]])
    assert h.parent.tolist() == [5, 4, 5, 4, 6, 6, -1]
    assert h.height.tolist() == [0, 0, 0, 0, 2.0, 0.5, 1.0]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 500])
def test_from_linkage__round_trip_is_exact(n, rng):
    Z = random_linkage(n, rng)
    given_Z = Z.copy()
    back = to_linkage(from_linkage(Z))
    assert back.shape == (n - 1, 4)
    assert back.dtype == np.float64
    np.testing.assert_array_equal(back, Z)
    np.testing.assert_array_equal(Z, given_Z)


def test_from_linkage__default_leaves_are_rows():
    assert list(from_linkage([[0, 1, 1.0, 2]]).leaves) == [0, 1]


@pytest.mark.parametrize(
    ("Z", "row", "message"),
    [
        ([[0, 1, 1, 2], [0, 2, 2, 3]], 1, "merges cluster 0, which row 0 has merged already"),
        ([[0, 0, 1, 2]], 0, "merges cluster 0 with itself"),
        ([[0, 1, 1, 2], [2, 4, 2, 3]], 1, "not formed yet; those before it are 0..3"),
        ([[0, 1.5, 1, 2]], 0, "integers"),
        ([[-1, 1, 1, 2]], 0, "integers from 0"),
        ([[0, np.nan, 1, 2]], 0, "integers"),
        ([[0, 1, np.nan, 2]], 0, "heights must be finite"),
        ([[0, 1, 1, 2], [2, 3, np.inf, 3]], 1, "heights must be finite"),
        ([[0, 1, 1, 2], [2, 3, 2, 4]], 1, "says that the new cluster has 4 leaves, but it has 3"),
    ],
)
def test_from_linkage__names_the_bad_row(Z, row, message):
    with pytest.raises(InvalidHierarchyError, match=message) as caught:
        from_linkage(Z)
    assert f"row {row} of the linkage" in str(caught.value)
    assert caught.value.node == len(Z) + 1 + row
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "Z", [[], [0, 1, 1, 2], [[0, 1, 1]], [[0, 1, 1, 2], [1]], [["0", "1", "1", "2"]], [[None] * 4]]
)
def test_from_linkage__refuses_what_is_no_matrix_of_four_columns(Z):
    with pytest.raises(InvalidHierarchyError, match="linkage"):
        from_linkage(Z)


def test_from_linkage__refuses_labels_that_do_not_fit():
    with pytest.raises(InvalidHierarchyError, match="3 leaf labels for a linkage of 1 merges, which has 2 leaves"):
        from_linkage([[0, 1, 1, 2]], ["a", "b", "c"])
    with pytest.raises(DuplicateLeafError):
        from_linkage([[0, 1, 1, 2]], ["a", "a"])


# ------------------------------------------------------------------ to_linkage


def test_to_linkage__bare_topology_gets_levels():
    h = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
    level = {frozenset("ab"): 1, frozenset("de"): 1, frozenset("abc"): 2, frozenset("abcde"): 3}
    for i, row in enumerate(to_linkage(h)):
        clade = frozenset(h.clade(5 + i))
        assert row[2] == level[clade]
        assert row[3] == len(clade)


def test_to_linkage__branch_lengths_become_heights():
    h = Hierarchy([3, 3, 4, 4, -1], length=[1.0, 2.0, 4.0, 0.5, np.nan])
    assert to_linkage(h).tolist() == [[0, 1, 3.5, 2], [2, 3, 4.0, 3]]
    partly = Hierarchy([3, 3, 4, 4, -1], length=[1.0, np.nan, 4.0, 0.5, np.nan])
    assert to_linkage(partly)[:, 2].tolist() == [1, 2]


def test_to_linkage__monotone_is_the_highest_merge_below(rng):
    for n in (2, 3, 30, 200):
        Z = random_linkage(n, rng)
        Z[:, 2] -= 0.2  # some below the leaves
        h = from_linkage(Z)
        raised = to_linkage(h, monotone=True)
        np.testing.assert_array_equal(raised[:, [0, 1, 3]], Z[:, [0, 1, 3]])
        for i in range(n - 1):
            below = [j for j in range(n - 1) if set(h.clade(n + j)) <= set(h.clade(n + i))]
            assert raised[i, 2] == max(0.0, Z[below, 2].max())
        assert is_valid_linkage(raised, throw=True)


def test_to_linkage__scipy_accepts_every_binary_hierarchy():
    shapes = [(name, h) for name, h in zoo() if h.is_binary and h.n_leaves > 1]
    assert len(shapes) >= 4
    for name, h in shapes:
        assert is_valid_linkage(to_linkage(h), throw=True, name=name)
        assert from_linkage(to_linkage(h), h.leaves) == h


def test_to_linkage__one_leaf_has_no_rows():
    assert to_linkage(Hierarchy([-1])).shape == (0, 4)


def test_to_linkage__refuses_other_than_two_children():
    with pytest.raises(InvalidHierarchyError, match="node 4 has 3 children: a linkage merges two") as caught:
        to_linkage(Hierarchy([4, 4, 4, 5, 5, -1]))
    assert caught.value.node == 4
    with pytest.raises(InvalidHierarchyError, match=r"node 2 \('genus'\) has 1 child: .*suppress_unary"):
        to_linkage(Hierarchy([2, 3, 3, -1], names=["genus", None]))


def below(h, u):
    """The nodes of a subtree, the top one included."""
    return [u, *(x for v in h.children(u) for x in below(h, v))]


@pytest.mark.parametrize("monotone", [False, True])
def test_to_linkage__resolved_nodes_keep_the_height_of_every_two_leaves(monotone):
    for _, h in zoo():
        Z = to_linkage(h, resolve=True, monotone=monotone)
        assert len(Z) == h.n_leaves - 1
        if h.is_binary:
            assert np.array_equal(Z, to_linkage(h, monotone=monotone))
        if len(Z) < 1 or h.n_leaves > 60:
            continue
        assert is_valid_linkage(Z)
        tree = from_linkage(Z, h.leaves)  # refuses wrong sizes and numbers
        plain = h.suppress_unary()
        height = plain.height
        if height is None:
            height = [0.0] * plain.n_leaves
            for u in range(plain.n_leaves, plain.n_nodes):
                height.append(1.0 + max(height[v] for v in plain.children(u)))
        for a in range(h.n_leaves):
            for b in range(a):
                u = common_ancestor_definition(plain.parent, a, b)
                inner = [x for x in below(plain, u) if x >= plain.n_leaves]
                wanted = max(height[x] for x in inner) if monotone else height[u]
                assert tree.height[common_ancestor_definition(tree.parent, a, b)] == wanted


def test_to_linkage__advice_for_polytomies_works():
    h = Hierarchy.from_nested([["a", "b", "c"], "d"])
    with pytest.raises(InvalidHierarchyError, match=r"node 4 has 3 children.*; to_linkage\(hierarchy, resolve=True\)"):
        to_linkage(h)
    assert to_linkage(h, resolve=True).tolist() == [[0, 1, 1, 2], [2, 4, 1, 3], [3, 5, 2, 4]]
