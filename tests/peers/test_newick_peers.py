"""Newick beside scikit-bio and DendroPy, on made and on collected trees."""

import io
import re
import warnings

import numpy as np
import pytest
from examples import uniform_binary, zoo

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import ParseError
from tripletree.io import parse_newick, read_hierarchies, write_newick
from tripletree.io.source import read_text

REFUSED = {
    # a leaf label twice
    **dict.fromkeys(
        ["bacteria", "falc_families", "multi_newtree", "newtree.rn", "plusminus", "uniq"], "occurred before"
    ),
    "hiv_redundant": "occurred before",
    # leaves without labels
    **dict.fromkeys(["def", "dist_meth_xpl", "nolbl_ingrp", "tetrapoda_pure_topol"], "label is missing"),
    "completely_labeled": "ends without the ';'",  # holds the name of another file
}


def newicks(source):
    """Every tree of a Newick file."""
    return [h for _, h in read_hierarchies(source, format="newick")]


def clades(h):
    """Names and lengths of all clades: {leaves: [(name, length), ...]}, several where nodes have one child."""
    length = np.full(h.n_nodes, np.nan) if h.length is None else h.length
    found = {}
    for u in range(h.n_nodes):
        x = float(length[u])
        found.setdefault(frozenset(h.clade(u)), []).append((h.label(u) or "", None if np.isnan(x) else x))
    return {k: sorted(v, key=str) for k, v in found.items()}


def skbio_clades(text):
    skbio = pytest.importorskip("skbio")
    tree = skbio.TreeNode.read(io.StringIO(text), format="newick", convert_underscores=False)
    found, below = {}, {}
    for node in tree.postorder(include_self=True):
        below[id(node)] = (
            frozenset([node.name]) if node.is_tip() else frozenset().union(*(below[id(x)] for x in node.children))
        )
        found.setdefault(below[id(node)], []).append((node.name or "", node.length))
    return {k: sorted(v, key=str) for k, v in found.items()}


def dendropy_clades(text):
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(
        data=text, schema="newick", preserve_underscores=True, suppress_internal_node_taxa=True, rooting="force-rooted"
    )
    found, below = {}, {}
    for node in tree.postorder_node_iter():
        name = node.taxon.label if node.is_leaf() else node.label
        below[id(node)] = (
            frozenset([name]) if node.is_leaf() else frozenset().union(*(below[id(x)] for x in node.child_node_iter()))
        )
        found.setdefault(below[id(node)], []).append((name or "", node.edge.length))
    return {k: sorted(v, key=str) for k, v in found.items()}


TEXTS = [
    "((a,b),c);",
    "(a:1,(b:2.5,c:1e-3)in:0.25)root:7;",
    "((a,b,c,d),(e),((f)));",
    "('it''s','two words',(c_d,'(x)'))'a name';",
    "[&R] (a[x],b[y]:1);",
]


def dressed(h, rng):
    """The hierarchy with lengths, labels that need quotes, and some names."""
    labels = [f"it's, [leaf] {i}" if i % 3 else f"leaf_{i}" for i in range(h.n_leaves)]
    names = [f"node {u}" if u % 2 else None for u in range(h.n_leaves, h.n_nodes)]
    return Hierarchy(h.parent, labels, length=rng.exponential(size=h.n_nodes), names=names)


@pytest.mark.parametrize("peer", [skbio_clades, dendropy_clades])
@pytest.mark.parametrize("text", TEXTS)
def test_newick_peers__read_alike(peer, text):
    assert clades(parse_newick(text)) == peer(text)


@pytest.mark.parametrize("peer", [skbio_clades, dendropy_clades])
def test_newick_peers__what_is_written_is_read_alike(peer, rng):
    trees = [h for _, h in zoo() if 1 < h.n_leaves <= 200 and h.depth.max() < 300]
    assert len(trees) >= 3
    for h in [*trees, uniform_binary(150, rng)]:
        h = dressed(h, rng)
        assert peer(write_newick(h)) == clades(h)


# ---------------------------------------------------------------------- for programs that keep quotes in labels


def ete3_clades(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ete3 warns about its own syntax
        ete3 = pytest.importorskip("ete3")
    # 1: inner names. Ete3 has no "unknown length", so all branches have one here
    return gathered(ete3.Tree(text, format=1).traverse("postorder"), lambda x: x.children, lambda x: (x.name, x.dist))


def bio_clades(text):
    phylo = pytest.importorskip("Bio.Phylo")
    tree = phylo.read(io.StringIO(text), "newick")
    return gathered(tree.find_clades(order="postorder"), lambda x: x.clades, lambda x: (x.name, x.branch_length))


def ape_clades(text):
    """The reading of R's ape, by the rules of its read.tree, version 5.2.

    All blanks and quotes go, then comments (from a '[' to the next ']'), then underscores at both ends of the text.
    A label is any text before ':', ',' or ')'.
    """
    text = re.sub(r"\[[^]]*\]", "", re.sub(r"[ \t']", "", text)).strip("_")
    stack, found = [[]], {}
    for before, label, length in re.findall(r"([(,)])([^(),:;]*)(?::([^(),;]*))?", text):
        if before == "(":
            stack.append([])
        if before == ")":
            below = frozenset().union(*stack.pop())
        elif not label:
            continue  # a bracket opens next
        else:
            below = frozenset([label])
        stack[-1].append(below)
        found.setdefault(below, []).append((label, float(length) if length else None))
    return {k: sorted(v, key=str) for k, v in found.items()}


def gathered(nodes, children, said):
    found, below = {}, {}
    for node in nodes:
        name, length = said(node)
        kids = children(node)
        below[id(node)] = frozenset().union(*(below[id(x)] for x in kids)) if kids else frozenset([name])
        found.setdefault(below[id(node)], []).append((name or "", length))
    return {k: sorted(v, key=str) for k, v in found.items()}


PEERS = [skbio_clades, dendropy_clades, ete3_clades, bio_clades, ape_clades]


def inverted(h, rng):
    """The hierarchy with heights that go up and down, labels and names with blanks."""
    labels = [f"leaf no {i}" for i in range(h.n_leaves)]
    names = [f"clade {u}" for u in range(h.n_leaves, h.n_nodes)]
    return Hierarchy(h.parent, labels, height=rng.normal(size=h.n_nodes), names=names)


@pytest.mark.parametrize("peer", PEERS)
def test_newick_peers__underscores_and_monotone_lengths_are_read_alike(peer, rng):
    trees = [h for _, h in zoo() if 1 < h.n_leaves <= 200 and h.depth.max() < 200 and not h.has_unary]
    assert len(trees) >= 3
    for h in [*trees, uniform_binary(100, rng)]:
        text = write_newick(inverted(h, rng), blanks="underscore")
        found, expected = peer(text), clades(parse_newick(text))
        whole = max(found, key=len)
        for said in (found, expected):  # programs differ in the length of the root, which has none
            said[whole] = [(name, None) for name, _ in said[whole]]
        assert found == expected
        assert all(length >= 0 for below, ((_, length),) in found.items() if below != whole)
        assert all("_" in name and " " not in name and "'" not in name for ((name, _),) in found.values())


def test_newick_peers__what_the_same_labels_come_to_in_quotes():
    text = write_newick(Hierarchy.from_nested([["leaf one", "leaf two"], "c"]))
    assert max(ape_clades(text), key=len) == {"leafone", "leaftwo", "c"}
    assert max(bio_clades(text), key=len) == {"leaf one", "leaf two", "c"}
    # ete3 3.1 keeps the quotes
    assert max(ete3_clades(text.replace(",", ":1,").replace(")", ":1)")), key=len) == {"'leaf one'", "'leaf two'", "c"}


def test_newick_peers__support_in_its_place(rng):
    """Values written as support are support to DendroPy, Biopython and ete3, as their own rules have it."""
    h = uniform_binary(30, rng)
    support = np.round(rng.random(h.n_nodes - h.n_leaves), 3)
    expected = {frozenset(map(str, h.clade(h.n_leaves + u))): x for u, x in enumerate(support.tolist())}
    text = write_newick(h, support=support)
    phylo = pytest.importorskip("Bio.Phylo")
    tree = phylo.read(io.StringIO(text), "newick")
    found = {frozenset(x.name for x in c.get_terminals()): c.confidence for c in tree.get_nonterminals()}
    assert found == expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ete3 = pytest.importorskip("ete3")
    nodes = [x for x in ete3.Tree(text, format=0).traverse() if x.children]
    assert {frozenset(x.get_leaf_names()): x.support for x in nodes} == expected
    # beside names, in a comment: DendroPy reads it as an annotation
    named = Hierarchy(h.parent, h.leaves, names=[f"n{u}" for u in range(support.size)])
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(
        data=write_newick(named, support=support),
        schema="newick",
        suppress_internal_node_taxa=True,
        extract_comment_metadata=True,
        rooting="force-rooted",
    )
    for node in tree.preorder_internal_node_iter():
        below = frozenset(x.taxon.label for x in node.leaf_iter())
        assert float(node.annotations.get_value("support")) == expected[below]


def without_numbers(found):
    """Clades whose names are not numbers: these are support, which scikit-bio leaves in the name."""
    return {
        clade: [("" if re.fullmatch(r"[-\d./eE]+", name) else name, length) for name, length in some]
        for clade, some in found.items()
    }


@pytest.mark.shared
def test_newick_peers__collected_trees(shared):
    pytest.importorskip("skbio")
    files = sorted(p for p in (shared / "nasty_newick").iterdir() if ".nw" in p.name)
    assert len(files) > 50
    compared = 0
    for path in files:
        name = path.name.removesuffix(".xz").removesuffix(".nw")
        if name in REFUSED:
            with pytest.raises(ParseError, match=REFUSED[name]) as error:
                newicks(path)
            assert error.value.line >= 1
            continue
        hierarchies = newicks(path)
        text = read_text(path)[0]
        pieces = [x + ";" for x in text.split(";")[:-1]]  # no label here has a semicolon
        assert len(hierarchies) == len(pieces), name
        for h, piece in list(zip(hierarchies, pieces, strict=True))[:30]:
            assert clades(parse_newick(write_newick(h))) == clades(h), name
            if name == "slash_and_space":
                continue  # scikit-bio refuses blanks in labels without quotes
            assert without_numbers(clades(h)) == without_numbers(skbio_clades(piece)), name
            compared += 1
    assert compared > 100


@pytest.mark.shared
def test_newick_peers__collected_trees_by_hand(shared):
    folder = shared / "nasty_newick"
    assert list(newicks(folder / "apos.nw")[0].leaves) == [
        "al'Thor", "Tel'Aran'Rhiod", "'many''apos'", "O'Hara", "O'Sullivan", "O'Donnelly",
    ]  # fmt: skip
    spaced = newicks(folder / "slash_and_space.nw")[0]
    assert "B/Washington/05/2009 gi_255529494 gb_GQ451489" in spaced.leaves
    assert "A 29" in spaced.names
    assert 89.0 in spaced.support.tolist()
    partly = newicks(folder / "part_def.nw")[0]
    assert np.isnan(partly.length).tolist() == [False, True] * 4 + [False, True, False, False, True, True, True]
    assert [h.n_leaves for h in newicks(folder / "comments.nw")] == [5, 5, 5, 5, 5, 5, 8]
    text = read_text(folder / "def.nw")[0]
    rest = "".join(x for x in text.splitlines(keepends=True) if ",," not in x)
    assert [h.n_leaves for h in newicks(io.StringIO(rest))] == [5, 5, 8, 7, 7, 1, 4, 4, 4, 4, 4, 4]
