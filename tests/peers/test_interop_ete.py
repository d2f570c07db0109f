"""To ete3 and ete4 and back, compared with their own queries of the trees."""

import copy
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from examples import zoo
from hypothesis import given, settings
from interop_cases import dressed, everything, large, odd_labels

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, MissingDependencyError
from tripletree.interop import from_tree, to_tree

WAYS = {name: (partial(to_tree, library=name), from_tree) for name in ("ete3", "ete4")}
named = odd_labels.filter(lambda x: x != "")


def library_named(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ete3 warns about its own syntax
        return pytest.importorskip(name)


@pytest.fixture
def ete3():
    return library_named("ete3")


@pytest.fixture(params=["ete3", "ete4"])
def peer(request):
    return request.param, library_named(request.param), *WAYS[request.param]


@pytest.mark.parametrize("name", WAYS)
@given(h=dressed(named))
@settings(max_examples=60)
def test_ete__there_and_back(name, h):
    library_named(name)
    out, back = WAYS[name]
    before = everything(h)
    again = back(out(h))
    assert again == h
    assert everything(again) == before == everything(h)


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in zoo() if h.n_leaves > 1])
def test_ete__its_own_clades_and_distances_are_ours(peer, h):
    name, library, out, back = peer
    h = Hierarchy(h.parent, [f"leaf {i}" for i in range(h.n_leaves)], length=np.arange(1.0, h.n_nodes + 1))
    tree = out(h)
    tips = (lambda x: x.get_leaf_names()) if name == "ete3" else (lambda x: list(x.leaf_names()))
    theirs = {frozenset(tips(x)) for x in tree.traverse()}
    assert theirs == {frozenset(h.clade(u)) for u in range(h.n_nodes)}
    below = {id(x): x for x in tree.traverse()}
    assert len(below) == h.n_nodes
    assert sum(x.dist for x in below.values()) == h.length.sum()
    assert back(tree).leaves.labels == tuple(tips(tree))


def test_ete__what_it_reads_itself(peer):
    name, library, _, back = peer
    text = "((a:1,b:2)ab:3,(c:4)x:5,d:6)top;"
    tree = library.Tree(text, format=1) if name == "ete3" else library.Tree(text, parser=1)
    h = back(tree)
    assert h == Hierarchy.from_nested([["a", "b"], ["c"], "d"])
    assert list(h.leaves) == ["a", "b", "c", "d"]
    assert set(h.names) == {"ab", "x", "top"}
    assert {h.label(u): x for u, x in enumerate(h.length.tolist()) if u != h.root} == {
        "a": 1, "b": 2, "ab": 3, "c": 4, "x": 5, "d": 6,
    }  # fmt: skip
    assert list(back(tree.children[0]).leaves) == ["a", "b"]  # a part of it


def test_ete3__unknown_lengths_stay_unknown_until_changed(ete3):
    out, back = WAYS["ete3"]
    tree = out(Hierarchy.from_nested([["a", "b"], "c"]))
    assert {x.dist for x in tree.traverse() if x.up} == {1.0}  # its own default
    assert back(tree).length is None
    (tree & "a").dist = 2.5
    h = back(tree)
    assert np.isnan(h.length).sum() == h.n_nodes - 1
    assert h.length[h.leaves.index("a")] == 2.5
    ones = Hierarchy.from_nested([["a", "b"], "c"])
    ones = Hierarchy(ones.parent, ones.leaves, length=[1.0] * 5)
    assert back(out(ones)).length.tolist() == [1.0] * 5


def test_ete3__filled_in_lengths_can_be_left_out(ete3):
    back, tree = from_tree, ete3.Tree("((a,b),c);")
    assert sorted(back(tree).length.tolist()) == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert back(tree, lengths=False).length is None


def test_ete__changed_lengths_overrule_heights(peer):
    *_, out, back = peer
    h = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=[5.0, 4.0, 1.0, 2.0, 3.0])
    assert back(out(h)).height.tolist() == h.height.tolist()
    tree = out(h)
    next(x for x in tree.traverse() if x.name == "c").dist = 9.0
    assert back(tree).length[2] == 9.0


def test_ete__the_tree_is_left_as_it_was(peer):
    name, library, out, back = peer
    tree = out(large(50)[1][1])
    seen = [(id(x), copy.copy(x.__dict__ if name == "ete3" else x.props), list(x.children)) for x in tree.traverse()]
    back(tree)
    assert seen == [(id(x), x.__dict__ if name == "ete3" else x.props, list(x.children)) for x in tree.traverse()]


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in large()])
def test_ete__deeper_than_the_stack(peer, h):
    *_, out, back = peer
    again = back(out(h))
    assert again == h
    assert np.array_equal(again.length[: h.n_leaves], h.length[h.leaves.indices(again.leaves)])


def test_ete__what_is_refused(peer):
    name, library, out, back = peer
    with pytest.raises(TypeError, match="expected a tree of ete3, ete4.*parse_newick"):
        back("(a,b);")
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        out("(a,b);")
    with pytest.raises(InvalidHierarchyError, match="leaf 1 has the label '', which ete"):
        out(Hierarchy.from_nested(["a", ""]))
    with pytest.raises(DuplicateLeafError, match="'a'"):
        back(library.Tree("(a,(a,b));"))
    tree = library.Tree("(a,(b,c));")
    next(x for x in tree.traverse() if x.name == "b").name = ""
    with pytest.raises(InvalidHierarchyError, match="leaf 1 of this ete. tree, counted from 0.*has no name"):
        back(tree)


def test_ete__a_node_below_two_others_is_refused(ete3):
    tree = to_tree(Hierarchy.from_nested([["a", "b"], ["c", "d"]]), "ete3")
    tree.children[1].children.append(tree.children[0].children[0])
    with pytest.raises(InvalidHierarchyError, match="the node named 'a' is met twice"):
        from_tree(tree)
    tree = to_tree(Hierarchy.from_nested([["a", "b"], "c"]), "ete3")
    tree.children[0].children.append(tree)
    with pytest.raises(InvalidHierarchyError, match="is met twice"):
        from_tree(tree)


@pytest.mark.parametrize(
    ("missing", "said"),
    [("ete3", "converting ete3 trees needs ete3"), ("six", "importing ete3 needs six"), ("cgi", "legacy-cgi.*3.13")],
)
def test_ete3__what_it_lacks_is_said(monkeypatch, missing, said):
    monkeypatch.delitem(sys.modules, "ete3", raising=False)

    def import_module(name):  # as the import of ete3 ends
        raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)

    monkeypatch.setattr("tripletree.interop.trees.import_module", import_module)
    with pytest.raises(MissingDependencyError, match=rf"{said}.*pip install 'tripletree\[ete\]'"):
        to_tree(Hierarchy.from_nested(["a", "b"]), "ete3")


def test_ete__the_hint_serves_in_a_clone_too():
    text = str(MissingDependencyError("ete3", "ete", "converting ete3 trees"))
    assert text.endswith(
        "needs ete3, which is not installed: pip install 'tripletree[ete]' (in a clone: pip install '.[ete]')"
    )


def test_ete4__its_extra_is_named(monkeypatch):
    def import_module(name):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("tripletree.interop.trees.import_module", import_module)
    with pytest.raises(MissingDependencyError, match=r"ete4.*pip install 'tripletree\[ete4\]'"):
        to_tree(Hierarchy.from_nested(["a", "b"]), "ete4")
