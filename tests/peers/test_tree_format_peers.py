"""NEXUS, PhyloXML, NeXML, JSON and linkages beside DendroPy, Biopython, commonnexus, json and scipy."""

import io
import json

import numpy as np
import pytest
from examples import uniform_binary, zoo

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import ParseError
from tripletree.io import read_hierarchies
from tripletree.io.linkage_files import read_linkage, write_linkage
from tripletree.io.nested_json import read_json, write_json
from tripletree.io.nexus import read_nexus, write_nexus, write_nexus_all


def clades(h):
    """Names and lengths of all clades: {leaves: [(name, length), ...]}, several where nodes have one child."""
    length = np.full(h.n_nodes, np.nan) if h.length is None else h.length
    found = {}
    for u in range(h.n_nodes):
        x = float(length[u])
        found.setdefault(frozenset(h.clade(u)), []).append((h.label(u) or "", None if np.isnan(x) else x))
    return {k: sorted(v, key=str) for k, v in found.items()}


def collected(nodes, children, name, length):
    """The same of a peer's nodes, children before parents."""
    found, below = {}, {}
    for node in nodes:
        kids = children(node)
        below[id(node)] = frozenset().union(*(below[id(x)] for x in kids)) if kids else frozenset([name(node)])
        found.setdefault(below[id(node)], []).append((name(node) or "", length(node)))
    return {k: sorted(v, key=str) for k, v in found.items()}


def dendropy_clades(tree):
    return collected(
        tree.postorder_node_iter(),
        lambda x: list(x.child_node_iter()),
        lambda x: x.taxon.label if x.taxon is not None else x.label,
        lambda x: x.edge.length,
    )


def bio_clades(tree):
    def name(x):
        return x.name if x.name is not None else None if x.confidence is None else f"{x.confidence:g}"

    return collected(
        tree.find_clades(order="postorder"), lambda x: list(x.clades), name, lambda x: x.branch_length
    )  # fmt: skip


@pytest.fixture(scope="module")
def trees():
    """Trees with lengths, labels that need quotes, and some names. None too deep for the peers."""
    rng = np.random.default_rng(7)
    shapes = [h for _, h in zoo() if 1 < h.n_leaves <= 200 and h.depth.max() < 200]
    shapes.append(uniform_binary(150, rng))
    made = []
    for h in shapes:
        labels = [f"it's, [leaf] {i}" if i % 3 else f"leaf_{i}" for i in range(h.n_leaves)]
        names = [f"node {u}_" if u % 2 else None for u in range(h.n_leaves, h.n_nodes)]
        made.append(Hierarchy(h.parent, labels, length=rng.exponential(size=h.n_nodes), names=names))
    assert len(made) > 3
    return made


# ---------------------------------------------------------------------- NEXUS


@pytest.mark.parametrize("preserve", [True, False])
def test_tree_format_peers__dendropy_reads_our_nexus_alike(trees, preserve):
    dendropy = pytest.importorskip("dendropy")
    for h in trees:
        peer = dendropy.Tree.get(
            data=write_nexus(h), schema="nexus", preserve_underscores=preserve, suppress_internal_node_taxa=True
        )
        assert peer.is_rooted
        assert dendropy_clades(peer) == clades(h)


def test_tree_format_peers__commonnexus_reads_our_nexus_alike(trees):
    commonnexus = pytest.importorskip("commonnexus")
    for h in trees[:4]:
        block = commonnexus.Nexus(write_nexus(h)).TREES
        peer = block.translate(block.trees[0])
        found = collected(
            list(peer.walk(mode="postorder")),
            lambda x: x.descendants,
            lambda x: x.unquoted_name,
            lambda x: None if x._length is None else float(x._length),
        )
        assert {k: [x for _, x in v] for k, v in found.items()} == {k: [x for _, x in v] for k, v in clades(h).items()}


def test_tree_format_peers__we_read_dendropys_nexus_alike(trees):
    dendropy = pytest.importorskip("dendropy")
    taxa = dendropy.TaxonNamespace()
    peers = dendropy.TreeList(taxon_namespace=taxa)
    for h in trees:
        text = write_nexus(h)
        peers.append(
            dendropy.Tree.get(data=text, schema="nexus", taxon_namespace=taxa, suppress_internal_node_taxa=True)
        )
    for options in ({}, {"translate_tree_taxa": True}, {"unquoted_underscores": False, "simple": True}):
        read = read_hierarchies(io.StringIO(peers.as_string(schema="nexus", **options)))
        assert [clades(h) for _, h in read] == [clades(h) for h in trees]


def test_tree_format_peers__we_read_biopythons_nexus_alike(trees):
    phylo = pytest.importorskip("Bio.Phylo")
    for h in trees:
        plain = Hierarchy(h.parent, [f"t{i}" for i in range(h.n_leaves)], length=np.round(h.length, 3))
        (peer,) = phylo.parse(io.StringIO(write_nexus(plain)), "nexus")
        assert bio_clades(peer).keys() == clades(plain).keys()
        out = io.StringIO()
        phylo.write([peer], out, "nexus")
        read = read_nexus(io.StringIO(out.getvalue()))
        assert clades(read).keys() == clades(plain).keys()
        assert np.allclose(np.sort(read.length[:-1]), np.sort(plain.length[:-1]), atol=1e-4)


def test_tree_format_peers__numbers_of_taxa_as_dendropy_has_it():
    dendropy = pytest.importorskip("dendropy")
    text = "#NEXUS begin taxa; dimensions ntax=3; taxlabels a b c; end; begin trees; tree x = ((3,a),2); end;"
    assert dendropy_clades(dendropy.Tree.get(data=text, schema="nexus")) == clades(read_nexus(io.StringIO(text)))


# ---------------------------------------------------------------------- XML


def test_tree_format_peers__we_read_biopythons_phyloxml_alike(trees):
    phylo = pytest.importorskip("Bio.Phylo")
    peers = [phylo.read(io.StringIO(f"({','.join('abc')});"), "newick")]
    for h in trees:
        nodes = [phylo.BaseTree.Clade(branch_length=float(h.length[u]), name=h.label(u)) for u in range(h.n_nodes)]
        for u in range(h.n_nodes - 1):
            nodes[h.parent[u]].clades.append(nodes[u])
        peers.append(phylo.BaseTree.Tree(nodes[-1], rooted=True))
    out = io.StringIO()
    phylo.write(peers, out, "phyloxml", encoding="unicode")
    read = read_hierarchies(io.StringIO(out.getvalue()))
    again = list(phylo.parse(io.StringIO(out.getvalue()), "phyloxml"))
    assert [clades(h) for _, h in read[1:]] == [clades(h) for h in trees]
    assert [clades(h) for _, h in read] == [bio_clades(x) for x in again]


def test_tree_format_peers__we_read_dendropys_nexml_alike(trees):
    dendropy = pytest.importorskip("dendropy")
    peers = dendropy.TreeList()
    for h in trees:
        peers.append(
            dendropy.Tree.get(
                data=write_nexus(h),
                schema="nexus",
                suppress_internal_node_taxa=True,
                taxon_namespace=peers.taxon_namespace,
            )
        )
    read = read_hierarchies(io.StringIO(peers.as_string(schema="nexml")))
    assert [clades(h) for _, h in read] == [clades(h) for h in trees]


# ---------------------------------------------------------------------- JSON and linkages


def test_tree_format_peers__json_as_objects_of_the_standard_library(trees):
    for h in trees:
        root = json.loads(write_json(h))
        nodes, todo = [], [root]
        while todo:
            node = todo.pop()
            nodes.append(node)
            todo += node.get("children", [])
        peer = collected(nodes[::-1], lambda x: x.get("children"), lambda x: x.get("name"), lambda x: x.get("length"))
        assert peer == clades(h)
        assert clades(read_json(io.StringIO(json.dumps(root, indent=1)))) == clades(h)


def test_tree_format_peers__networkx_tree_data():
    networkx = pytest.importorskip("networkx")
    graph = networkx.DiGraph([("r", "x"), ("x", "a"), ("x", "b"), ("r", "c")])
    h = read_json(io.StringIO(json.dumps(networkx.tree_data(graph, "r"))))
    assert h == Hierarchy.from_nested([["a", "b"], "c"])
    assert h.names == ("x", "r")


def test_tree_format_peers__linkages_as_scipy_has_them(rng, tmp_path):
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    Z = hierarchy.linkage(rng.random((40, 3)), "complete")
    np.savetxt(tmp_path / "Z.txt", Z)
    h = read_linkage(tmp_path / "Z.txt")
    tree = hierarchy.to_tree(Z, rd=True)[1]
    assert [sorted(h.clade(u)) for u in range(h.n_nodes)] == [sorted(x.pre_order()) for x in tree]
    back = np.loadtxt(io.StringIO(write_linkage(h)))
    assert hierarchy.is_valid_linkage(back, throw=True)
    assert np.array_equal(back, Z)


# ---------------------------------------------------------------------- files from the field


def outcome(path):
    """The trees of a Newick file, or None, the message that refuses it, and the place that the error names."""
    try:
        return [h for _, h in read_hierarchies(path, format="newick")], "", ""
    except ParseError as error:
        return None, str(error), f"line {error.line}, column {error.column}"


@pytest.mark.shared
def test_tree_format_peers__collected_newick_is_read_or_refused_with_its_place(shared):
    folder = shared / "nasty_newick"
    files = sorted(p for p in folder.iterdir() if ".nw" in p.name)
    assert len(files) > 50
    read, refused = 0, 0
    for path in files:
        trees, message, place = outcome(path)
        if trees is None:
            refused += 1
            assert message.startswith(f"{path}, {place}: "), path.name
            assert message.endswith("^"), "the line and a caret"
            continue
        read += 1
        assert trees
        named = [(f"{path.name} {k}", h) for k, h in enumerate(trees)]
        # the other formats hold all that Newick can
        assert read_hierarchies(io.StringIO(write_nexus_all(named))) == named, path.name
        for _, h in named:
            for g in (read_nexus(io.StringIO(write_nexus(h))), read_json(io.StringIO(write_json(h)))):
                assert clades(g) == clades(h), path.name
    assert (read, refused) == (48, 12)
