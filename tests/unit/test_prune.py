"""Hierarchy.prune, and ranks in all that makes one hierarchy of another."""

import inspect
import pickle

import numpy as np
import pytest
from examples import caterpillar, small_world
from hypothesis import given
from hypothesis import strategies as st
from oracles import shape_of, shape_of_hierarchy
from strategies import nested

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, UnknownLeafError
from tripletree.io import parse_newick, write_newick


@pytest.fixture
def apes():
    """Ranks by hand. Gibbon has a genus above it, gorilla none, orang hangs from the root."""
    h = parse_newick("(((human,chimp)hominini,gorilla)hominidae,(gibbon)hylobatidae,orang)apes;")
    rank = {
        "human": "species",
        "chimp": "species",
        "gorilla": "species",
        "gibbon": "species",
        "orang": None,
        "hominini": "tribe",
        "hominidae": "family",
        "hylobatidae": "family",
        "apes": "superfamily",
    }
    return Hierarchy(h.parent, h.leaves, names=h.names, ranks=[rank[h.label(u)] for u in range(h.n_nodes)])


def named(tree):
    """The hierarchy of nested tuples over leaves 0..n-1, inner node u called "u"."""
    g = Hierarchy.from_nested(tree)
    return Hierarchy(g.parent, g.leaves, names=[str(u) for u in range(g.n_leaves, g.n_nodes)])


def with_numbers(h):
    """Nested pairs (label, children) of a Hierarchy."""
    done = {}
    for u in range(h.n_nodes):
        done[u] = (h.label(u), tuple(done[v] for v in h.children(u).tolist()))
    return done[h.root]


def cut_definition(node, is_cut, depth=0):
    """Nested tuples with everything below a cut gone, by the book."""
    label, children = node
    if is_cut(label, depth) or not children:
        return label
    return tuple(cut_definition(child, is_cut, depth + 1) for child in children)


# ---------------------------------------------------------------------- the definition


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_prune__by_depth_agrees_with_the_definition_on_every_small_tree(n):
    for tree in small_world(n):
        h = named(tree)
        for depth in range(n + 1):
            wanted = cut_definition(with_numbers(h), lambda _, d, depth=depth: d == depth)
            pruned = h.prune(depth=depth)
            assert shape_of_hierarchy(pruned) == shape_of(wanted)
            assert pruned.depth.max() <= depth


@given(nested(max_leaves=9, unary=True), st.data())
def test_prune__by_rank_agrees_with_the_definition(tree, data):
    h = named(tree if isinstance(tree, tuple) else (tree,))
    ranks = data.draw(st.lists(st.sampled_from(["genus", "family", None]), min_size=h.n_nodes, max_size=h.n_nodes))
    ranked = Hierarchy(h.parent, h.leaves, names=h.names, ranks=ranks)
    rank = {ranked.label(u): ranks[u] for u in range(h.n_nodes)}
    if "genus" not in ranks:
        with pytest.raises((UnknownLeafError, InvalidHierarchyError)):
            ranked.prune(rank="genus")
        return
    wanted = cut_definition(with_numbers(h), lambda label, _: rank[label] == "genus")
    pruned = ranked.prune(rank="genus")
    assert shape_of_hierarchy(pruned) == shape_of(wanted)
    assert all(pruned.ranks[u] == rank[pruned.label(u)] for u in range(pruned.n_nodes))
    only = ranked.prune(rank="genus", keep="cut")
    assert set(only.leaves) == {x for x in pruned.leaves if rank[x] == "genus"}
    assert only == pruned.restrict(only.leaves, keep_unary=True)


# ---------------------------------------------------------------------- by hand


def test_prune__by_depth(apes):
    assert write_newick(apes.prune(depth=3)) == write_newick(apes)
    assert write_newick(apes.prune(depth=99)) == write_newick(apes)
    assert write_newick(apes.prune(depth=2)) == "((hominini,gorilla)hominidae,(gibbon)hylobatidae,orang)apes;"
    assert write_newick(apes.prune(depth=1)) == "(hominidae,hylobatidae,orang)apes;"
    assert write_newick(apes.prune(depth=np.int8(0))) == "apes;"
    assert write_newick(apes.prune(depth=2, keep="cut")) == "((hominini,gorilla)hominidae,(gibbon)hylobatidae)apes;"
    assert write_newick(apes.prune(depth=3, keep="cut")) == "(((human,chimp)hominini)hominidae)apes;"


def test_prune__by_rank(apes):
    assert write_newick(apes.prune(rank="family")) == "(hominidae,hylobatidae,orang)apes;"
    assert write_newick(apes.prune(rank="family", keep="cut")) == "(hominidae,hylobatidae)apes;"
    assert write_newick(apes.prune(rank="tribe")) == ("((hominini,gorilla)hominidae,(gibbon)hylobatidae,orang)apes;")
    assert write_newick(apes.prune(rank="tribe", keep="cut")) == "((hominini)hominidae)apes;"
    assert write_newick(apes.prune(rank="species", keep="cut")) == (
        "(((human,chimp)hominini,gorilla)hominidae,(gibbon)hylobatidae)apes;"
    )
    assert apes.prune(rank="superfamily").parent.tolist() == [-1]


def test_prune__leaves_stand_in_the_order_of_the_first_leaf_below_each():
    h = Hierarchy([5, 6, 5, 6, 7, 7, 7, -1], list("abcde"), names=["ac", "bd", "all"])
    assert list(h.prune(depth=1).leaves) == ["ac", "bd", "e"]
    h = Hierarchy([6, 5, 6, 5, 7, 7, 7, -1], list("abcde"), names=["bd", "ac", "all"])
    assert list(h.prune(depth=1).leaves) == ["ac", "bd", "e"]


def test_prune__heights_lengths_names_and_ranks_go_with_their_nodes():
    h = parse_newick("(((a:1,b:2)ab:4,c:8)abc:16,d:32)r;")
    g = h.prune(depth=2)
    assert {g.label(u): g.length[u] for u in range(4)} == {"ab": 4, "c": 8, "d": 32, "abc": 16}
    ranks = ["species"] * 4 + ["genus", "family", "order"]
    high = Hierarchy(h.parent, h.leaves, names=h.names, height=[0, 0, 0, 0, 3, 5, 9], ranks=ranks)
    g = high.prune(rank="genus")
    assert {g.label(u): (g.height[u], g.ranks[u]) for u in range(5)} == {
        "ab": (3, "genus"),
        "c": (0, "species"),
        "d": (0, "species"),
        "abc": (5, "family"),
        "r": (9, "order"),
    }


def test_prune__nodes_without_a_name_are_refused_or_numbered():
    h = parse_newick("(((a,b),c),(d,e)de,f);")
    with pytest.raises(InvalidHierarchyError, match="1 of the 3 new leaves are inner nodes at depth 1") as caught:
        h.prune(depth=1)
    node = h.common_ancestor(["a", "c"])
    assert caught.value.node == node
    assert f"such as node {node}; unnamed='number' labels them 'node {node}'" in str(caught.value)
    assert list(h.prune(depth=1, unnamed="number").leaves) == [f"node {node}", "de", "f"]
    bare = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"], "f"])
    assert list(bare.prune(depth=1, unnamed="number").leaves) == ["node 8", "node 6", "f"]


def test_prune__new_leaves_with_one_name_are_refused():
    h = parse_newick("(((a,b)x,c)p,((d,e)x,f)q);")
    with pytest.raises(DuplicateLeafError, match="once the nodes at depth 2 are leaves .*: 'x'") as caught:
        h.prune(depth=2)
    assert caught.value.labels == ["x"]
    assert list(h.prune(depth=1).leaves) == ["p", "q"]


def test_prune__refuses_what_is_no_cut(apes):
    for choice in ({}, {"depth": 1, "rank": "family"}):
        with pytest.raises(ValueError, match="give exactly one of depth and rank"):
            apes.prune(**choice)
    for depth in (-1, 1.0, "1", True, np.bool_(True)):
        with pytest.raises(ValueError, match="depth must be a whole number of edges from the root"):
            apes.prune(depth=depth)
    with pytest.raises(ValueError, match="keep must be 'all' or 'cut', not 'items'"):
        apes.prune(depth=1, keep="items")
    with pytest.raises(ValueError, match="unnamed must be 'error' or 'number', not None"):
        apes.prune(depth=1, unnamed=None)
    with pytest.raises(InvalidHierarchyError, match="there are no nodes at depth 7, so keep='cut' leaves no leaf"):
        apes.prune(depth=7, keep="cut")
    with pytest.raises(InvalidHierarchyError, match="this hierarchy has no ranks"):
        parse_newick("((a,b)x,c);").prune(rank="genus")


def test_prune__an_unknown_rank_is_told_with_those_that_there_are(apes):
    with pytest.raises(UnknownLeafError, match="the 4 known ones are 'superfamily', ") as caught:
        apes.prune(rank="famly")
    assert caught.value.labels == ["famly"]
    assert caught.value.suggestions["famly"][0] == "family"


def test_prune__of_a_long_chain():
    h = caterpillar(100_000)
    g = h.prune(depth=1_000, unnamed="number")
    assert g.n_leaves == 1_001
    assert g.depth.max() == 1_000


def test_prune__nothing_of_the_hierarchy_changes(apes):
    before = pickle.dumps(apes)
    apes.prune(depth=1)
    apes.prune(rank="family", keep="cut")
    assert pickle.dumps(apes) == before


# ---------------------------------------------------------------------- ranks elsewhere


def ranks_by_label(h):
    return {h.label(u): h.ranks[u] for u in range(h.n_nodes)}


def test_hierarchy__ranks_are_renumbered_with_the_nodes():
    h = Hierarchy(
        [6, 6, 5, 5, -1, 4, 4],
        ["a", "b", "c", "d"],
        names=["root", "cd", "ab"],
        ranks=["ra", "", "rc", None, "rroot", "rcd", "rab"],
    )
    assert ranks_by_label(h) == {"a": "ra", "b": None, "c": "rc", "d": None, "root": "rroot", "cd": "rcd", "ab": "rab"}


def test_hierarchy__ranks_are_kept_by_what_makes_another(apes):
    given = ranks_by_label(apes)
    part = apes.restrict(["chimp", "gibbon", "human"])
    assert ranks_by_label(part) == {x: given[x] for x in ("chimp", "gibbon", "human", "hominini", "apes")}
    full = apes.restrict(["gibbon", "human"], keep_unary=True)
    assert ranks_by_label(full) == {
        x: given[x] for x in ("human", "gibbon", "hominini", "hominidae", "hylobatidae", "apes")
    }
    assert ranks_by_label(apes.reindex(LeafIndex(list(apes.leaves)[::-1]))) == given
    assert ranks_by_label(apes.suppress_unary()) == {x: given[x] for x in given if x != "hylobatidae"}
    again = pickle.loads(pickle.dumps(apes))
    assert again.ranks == apes.ranks
    assert again == apes


def test_hierarchy__ranks_do_not_count_in_a_comparison(apes):
    bare = Hierarchy(apes.parent, apes.leaves)
    assert bare.ranks is None
    assert bare == apes
    assert hash(bare) == hash(apes)


def test_hierarchy__ranks_must_fit_the_nodes():
    with pytest.raises(InvalidHierarchyError, match="ranks must have one entry for each of the 3 nodes, leaves inclu"):
        Hierarchy([2, 2, -1], ranks=["genus"])
    assert Hierarchy([2, 2, -1], ranks=["", None, ""]).ranks is None
    assert Hierarchy([2, 2, -1], ranks=[1, None, "x"]).ranks == ("1", None, "x")


# ---------------------------------------------------------------------- by name


def test_prune__says_how_it_is_called(apes):
    for value in (1, "family"):
        with pytest.raises(TypeError, match=r"^Hierarchy\.prune\(\) takes 1 positional argument but 2 were given"):
            apes.prune(value)
    with pytest.raises(TypeError, match=r"^Hierarchy\.prune\(\) got an unexpected keyword argument 'level'"):
        apes.prune(level=3)
    with pytest.raises(TypeError, match=r"^Hierarchy\.restrict\(\) takes 2 positional arguments"):
        apes.restrict(["human"], True)
    assert list(inspect.signature(Hierarchy.prune).parameters) == ["self", "depth", "rank", "keep", "unnamed"]
    assert pickle.loads(pickle.dumps(Hierarchy.prune)) is Hierarchy.prune
    assert pickle.loads(pickle.dumps(apes.restrict))(["human"]).n_leaves == 1


# ---------------------------------------------------------------------- subtrees


@pytest.mark.parametrize("n", [2, 3, 4])
def test_subtree__is_what_is_below_on_every_small_tree(n):
    for tree in small_world(n):
        h = named(tree)
        for u in range(h.n_nodes):
            g = h.subtree(h.label(u))
            assert list(g.leaves) == [x for x in h.leaves if x in h.clade(u)]
            assert shape_of_hierarchy(g) == shape_of(nested_below(h, u))
            assert g.label(g.root) == h.label(u)


def nested_below(h, u):
    """Nested tuples of the values at and below a node."""
    done = {}
    for v in range(h.n_nodes):
        done[v] = h.label(v) if v < h.n_leaves else tuple(done[w] for w in h.children(v).tolist())
    return done[u]


def test_subtree__keeps_unary_nodes_names_ranks_and_lengths(apes):
    g = apes.subtree("hylobatidae")
    assert (list(g.leaves), g.parent.tolist(), g.names) == (["gibbon"], [1, -1], ("hylobatidae",))
    assert g.ranks == ("species", "family")
    assert apes.subtree("apes") == apes
    assert apes.subtree("orang").ranks is None
    h = parse_newick("((a:1,b:2)x:4,(((c:8)y:16)z:32)w:64)r;")
    g = h.subtree("z")
    assert write_newick(g) == "((c:8)y:16)z:32;"
    assert write_newick(h.subtree("y")) == "(c:8)y:16;"
    high = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=[0, 0, 0, 1, 5], names=["x", "y"]).subtree("x")
    assert high.height.tolist() == [0, 0, 1]


def test_subtree__by_number(apes):
    for u in range(apes.n_nodes):
        assert (
            apes.subtree(u).leaves
            == apes.subtree(np.int32(u)).leaves
            == LeafIndex([x for x in apes.leaves if x in apes.clade(u)])
        )
    assert Hierarchy.from_nested([["a", "b"], "c"]).subtree(3) == Hierarchy.from_nested(["a", "b"])
    for u in (-1, apes.n_nodes):
        with pytest.raises(IndexError, match=f"there is no node {u}: nodes are 0..{apes.n_nodes - 1}"):
            apes.subtree(u)
    # integers that are labels are labels
    h = Hierarchy([3, 3, 4, 4, -1], [30, 10, 20])
    assert list(h.subtree(20).leaves) == [20]
    with pytest.raises(UnknownLeafError):
        h.subtree(3)
    with pytest.raises(UnknownLeafError):
        Hierarchy([3, 3, 4, 4, -1]).subtree(3)


def test_subtree__refuses_what_is_none_or_several(apes):
    with pytest.raises(UnknownLeafError, match="'hominid' .did you mean 'hominidae'") as caught:
        apes.subtree("hominid")
    assert caught.value.labels == ["hominid"]
    h = parse_newick("((a,b)x,(c,d)x,(a2,e)a)r;")
    with pytest.raises(
        InvalidHierarchyError, match=r"'x' \(node . in 'r', node . in 'r'\); give the number of the node"
    ):
        h.subtree("x")
    with pytest.raises(InvalidHierarchyError, match="'a'"):
        h.subtree("a")


def test_subtree__of_a_long_chain():
    n = 20_000
    h = caterpillar(n)
    named = Hierarchy(h.parent, [f"leaf {k}" for k in range(n)])
    middle = named.subtree(n + n // 2)
    assert middle.n_leaves == n // 2 + 2
    assert set(middle.leaves) == set(named.clade(n + n // 2))
