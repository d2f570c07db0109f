"""To DendroPy, scikit-bio and Biopython and back, compared with their own queries of the trees."""

import io
import sys
from functools import partial

import numpy as np
import pytest
from examples import star, zoo
from hypothesis import given, settings
from interop_cases import dressed, everything, large, odd_labels

from tripletree import interop
from tripletree.core.hierarchy import Hierarchy, peer_converter
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError, MissingDependencyError
from tripletree.interop import from_tree, to_tree
from tripletree.io import parse_newick, write_newick

WAYS = {
    "dendropy": (partial(to_tree, library="dendropy"), from_tree),
    "skbio": (partial(to_tree, library="skbio"), from_tree),
    "Bio.Phylo": (partial(to_tree, library="biopython"), from_tree),
}
ZOO = [pytest.param(h, id=name) for name, h in zoo() if h.n_leaves > 1]
TEXT = "((a:1,b:2.5)'a b':3,(c:4)x:0.5,d:6)top;"
named = odd_labels.filter(lambda x: x != "")


@pytest.fixture(params=WAYS)
def peer(request):
    return request.param, pytest.importorskip(request.param), *WAYS[request.param]


@pytest.mark.parametrize("name", WAYS)
@given(h=dressed(named))
@settings(max_examples=60)
def test_phylogenetics__there_and_back(name, h):
    pytest.importorskip(name)
    out, back = WAYS[name]
    before = everything(h)
    again = back(out(h))
    assert again == h
    assert everything(again) == before == everything(h)


@pytest.mark.parametrize(
    ("package", "kind", "converter"),
    [
        ("Bio.Phylo.BaseTree", "Clade", "from_tree"),
        ("Bio.Phylo.BaseTree", "Tree", "from_tree"),
        ("dendropy", "Node", "from_tree"),
        ("dendropy", "Tree", "from_tree"),
        ("ete3", "PhyloTree", "from_tree"),
        ("ete3", "Tree", "from_tree"),
        ("ete4", "Tree", "from_tree"),
        ("networkx", "DiGraph", "from_networkx"),
        ("networkx", "MultiDiGraph", "from_networkx"),
        ("skbio", "TreeNode", "from_tree"),
    ],
)
def test_phylogenetics__where_a_hierarchy_is_wanted_they_are_converted(package, kind, converter):
    base = getattr(pytest.importorskip(package, exc_type=ImportError), kind)
    for value in (base(), type("Mine", (base,), {})()):
        assert peer_converter(value) is getattr(interop, converter)


def test_phylogenetics__other_values_get_the_general_hint():
    class Tree:
        pass

    for value in (Tree(), "((a,b),c);", None):
        with pytest.raises(TypeError, match=r"make one with read_newick\(path\)"):
            write_newick(value)


def their_clades(name, tree):
    """The leaves below each node, as the library's own functions list them."""
    if name == "dendropy":
        return [frozenset(x.taxon.label for x in node.leaf_iter()) for node in tree.preorder_node_iter()]
    if name == "skbio":
        return [frozenset(x.name for x in node.tips(include_self=True)) for node in tree.preorder(include_self=True)]
    return [frozenset(x.name for x in node.get_terminals()) for node in tree.find_clades()]


@pytest.mark.parametrize("h", ZOO)
def test_phylogenetics__their_clades_are_ours(peer, h):
    name, library, out, back = peer
    h = Hierarchy(h.parent, [f"leaf {i}" for i in range(h.n_leaves)], length=np.arange(1.0, h.n_nodes + 1))
    tree = out(h)
    theirs = their_clades(name, tree)
    assert len(theirs) == h.n_nodes
    assert set(theirs) == {frozenset(h.clade(u)) for u in range(h.n_nodes)}
    total = {
        "dendropy": lambda: tree.length(),
        "skbio": lambda: sum(x.length for x in tree.traverse(include_self=True)),
        "Bio.Phylo": lambda: tree.total_branch_length(),
    }
    assert total[name]() == h.length.sum()


def test_phylogenetics__what_they_read_themselves(peer):
    name, library, _, back = peer
    tree = {
        "dendropy": lambda: library.Tree.get(data=TEXT, schema="newick"),
        "skbio": lambda: library.TreeNode.read(io.StringIO(TEXT)),
        "Bio.Phylo": lambda: library.read(io.StringIO(TEXT), "newick"),
    }[name]()
    h = back(tree)
    assert everything(h) == everything(parse_newick(TEXT))
    assert list(h.leaves) == ["a", "b", "c", "d"]
    part = {
        "dendropy": lambda: tree.seed_node.child_nodes()[0],
        "skbio": lambda: tree.children[0],
        "Bio.Phylo": lambda: tree.root.clades[0],
    }[name]()
    assert back(part) == Hierarchy.from_nested(["a", "b"])
    assert back(part).length[-1] == 3


def test_phylogenetics__what_they_write_is_read_alike(peer):
    name, library, out, _ = peer
    h = parse_newick(TEXT)
    tree = out(h)
    stream = io.StringIO()
    text = {
        "dendropy": lambda: tree.as_string(schema="newick", suppress_rooting=True),
        "skbio": lambda: str(tree),
        "Bio.Phylo": lambda: library.write(tree, stream, "newick", format_branch_length="%r") and stream.getvalue(),
    }[name]()
    again = parse_newick(text, underscores="blank")
    assert again == h
    assert set(again.names) == set(h.names)


def test_phylogenetics__changed_lengths_overrule_heights(peer):
    name, _, out, back = peer
    h = Hierarchy([3, 3, 4, 4, -1], ["a", "b", "c"], height=[5.0, 4.0, 1.0, 2.0, 3.0])
    assert back(out(h)).height.tolist() == h.height.tolist()
    tree = out(h)
    if name == "dendropy":
        tree.find_node_with_taxon_label("c").edge.length = 9.0
    elif name == "skbio":
        tree.find("c").length = 9.0
    else:
        next(tree.find_clades(name="c")).branch_length = 9.0
    again = back(tree)
    assert again.length[again.leaves.index("c")] == 9.0


def test_dendropy__trees_over_one_namespace_can_be_compared():
    dendropy = pytest.importorskip("dendropy")
    from dendropy.calculate import treecompare

    one = to_tree(Hierarchy.from_nested([["a", "b"], ["c", "d"]]), "dendropy")
    other = to_tree(Hierarchy.from_nested([["c", "b"], ["a", "d"]]), "dendropy", taxon_namespace=one.taxon_namespace)
    same = to_tree(Hierarchy.from_nested([["d", "c"], ["b", "a"]]), "dendropy", taxon_namespace=one.taxon_namespace)
    assert [x.label for x in one.taxon_namespace] == ["a", "b", "c", "d"]
    assert treecompare.symmetric_difference(one, same) == 0
    assert treecompare.symmetric_difference(one, other) > 0
    assert one.is_rooted
    assert isinstance(one, dendropy.Tree)


def test_dendropy__names_that_differ_in_case_only():
    pytest.importorskip("dendropy")
    h = Hierarchy.from_nested([["A", "a"], "aa"])
    assert from_tree(to_tree(h, "dendropy")) == h


def test_biopython__ranks_of_phyloxml():
    pytest.importorskip("Bio.Phylo")
    from Bio import Phylo

    text = """<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true"><clade><name>Pan</name>
      <taxonomy><rank>genus</rank></taxonomy>
      <clade><name>chimp</name><taxonomy><rank>species</rank></taxonomy></clade>
      <clade><name>bonobo</name></clade></clade></phylogeny></phyloxml>"""
    h = from_tree(Phylo.read(io.StringIO(text), "phyloxml"))
    assert h.names == ("Pan",)
    assert h.ranks == ("species", None, "genus")


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in large()] + [pytest.param(star(5000), id="star")])
def test_phylogenetics__deeper_and_wider_than_most(peer, h):
    *_, out, back = peer
    again = back(out(h))
    assert again == h
    if h.length is not None:
        assert np.array_equal(again.length[: h.n_leaves], h.length[h.leaves.indices(again.leaves)])


def test_phylogenetics__what_is_refused(peer):
    name, library, out, back = peer
    with pytest.raises(TypeError, match=r"expected an? .*not str; for Newick text use parse_newick"):
        back("(a,b);")
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        out("(a,b);")
    with pytest.raises(InvalidHierarchyError, match="leaf 1 has the label None, which .* takes for no name"):
        out(Hierarchy.from_nested(["a", None]))
    tree = out(Hierarchy.from_nested([["a", "b"], "c"]))
    leaf = {
        "dendropy": lambda: tree.leaf_nodes()[0],
        "skbio": lambda: next(tree.tips()),
        "Bio.Phylo": lambda: tree.get_terminals()[0],
    }[name]()
    setattr(*((leaf, "taxon", None) if name == "dendropy" else (leaf, "name", None)))
    with pytest.raises(InvalidHierarchyError, match="leaf 0 of this .* tree, counted from 0, has no name"):
        back(tree)
    setattr(leaf, "label" if name == "dendropy" else "name", "c")
    with pytest.raises(DuplicateLeafError, match="'c'"):
        back(tree)
    setattr(leaf, "label" if name == "dendropy" else "name", "a")
    length = {"dendropy": (leaf.edge if name == "dendropy" else leaf, "length"), "skbio": (leaf, "length")}
    setattr(*length.get(name, (leaf, "branch_length")), "long")
    with pytest.raises(InvalidHierarchyError, match="the length of the node 'a' in this .* tree is 'long'"):
        back(tree)
    setattr(*length.get(name, (leaf, "branch_length")), np.inf)
    with pytest.raises(InvalidHierarchyError, match="the length of the node 'a' in this .* tree is inf"):
        back(tree)


def test_phylogenetics__the_extra_is_named(peer, monkeypatch):
    name, _, out, back = peer
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'tripletree\[interop\]'"):
        out(Hierarchy.from_nested(["a", "b"]))
    with pytest.raises(TypeError, match="ete3, ete4, DendroPy, scikit-bio or Biopython, not NoneType"):
        back(None)


def test_trees__wrong_arguments_are_named():
    h = Hierarchy.from_nested(["a", "b"])
    with pytest.raises(ValueError, match="library must be one of 'ete3', 'ete4', 'dendropy', .* not 'toytree'"):
        to_tree(h, "toytree")
    with pytest.raises(ValueError, match="taxon_namespace is for trees of DendroPy, not for library='skbio'"):
        to_tree(h, "skbio", taxon_namespace=[])
