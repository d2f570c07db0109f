"""Trees of linked nodes: ete3, ete4, DendroPy, scikit-bio and Biopython, walked node by node, never through Newick.

How a library stores a tree is described once, in a `_Library`; the readers share one walk over it.

ete3 has no unknown lengths: a node without a length given has ``dist`` 1.0. A node whose length a hierarchy does not
know therefore gets the feature ``unknown_dist`` beside ete3's own default, and counts as unknown again on the way back
for as long as its ``dist`` has not been changed. In a tree from elsewhere a 1.0 that was filled in looks like one that
was given: the numbers are taken as they stand, or left out with ``lengths=False``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import MissingDependencyError
from tripletree.interop.nodes import assembled, node_lists, walked

if TYPE_CHECKING:
    import dendropy
    import ete3
    import ete4
    import skbio
    from Bio.Phylo import BaseTree


class _Library(NamedTuple):
    """How a library stores a tree: what each function gives of a node, None where the node has no such value."""

    title: str
    module: str
    package: str
    extra: str
    expected: str
    """What a reader takes, for messages."""
    node: str
    """The class of its nodes."""
    children: Callable[[Any], Iterable[Any]]
    label: Callable[[Any], Any]
    length: Callable[[Any], float | None]
    height: Callable[[Any], float | None]
    rank: Callable[[Any], str | None]

    def load(self) -> Any:
        """The library's module."""
        if sys.modules.get(self.module) is not None:
            return sys.modules[self.module]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # ete3 warns about its own syntax
                return import_module(self.module)
        except ImportError as error:
            missing = getattr(error, "name", None)
            if self.module == "ete3" and missing in _ETE3_NEEDS:
                raise MissingDependencyError(_ETE3_NEEDS[missing], "ete", "importing ete3") from error
            raise MissingDependencyError(self.package, self.extra, f"converting {self.title} trees") from error

    def read(self, tree: Any, root: Any) -> Hierarchy:
        """The hierarchy at and below a node; `tree` is what the user gave."""
        if not isinstance(root, attrgetter(self.node)(self.load())):
            advice = "; for Newick text use parse_newick" if isinstance(tree, str) else ""
            msg = f"expected {self.expected}, not {type(tree).__name__}{advice}"
            raise TypeError(msg)
        nodes, above = walked(root, self.children, self.label)
        values = ([get(x) for x in nodes] for get in (self.label, self.length, self.height, self.rank))
        labels, lengths, heights, ranks = values
        return assembled(above, labels, peer=f"{self.title} tree", lengths=lengths, heights=heights, ranks=ranks)


def _or_none(name: str) -> Callable[[Any], Any]:
    """An attribute that only some nodes have."""
    return lambda node: getattr(node, name, None)


def _property(name: str) -> Callable[[Any], Any]:
    """A property of an ete4 node."""
    return lambda node: node.props.get(name)


def _set(made: list[Any], name: str, values: list[Any] | None) -> None:
    """Set an attribute of the nodes that have a value."""
    for node, value in zip(made, values or [], strict=False):
        if value is not None:
            setattr(node, name, value)


# ---------------------------------------------------------------------- ete3

#: ete3 declares none of its dependencies.
_ETE3_NEEDS = {"cgi": "legacy-cgi (the module cgi, which Python 3.13 and later no longer have)", "six": "six"}
_ETE3 = _Library(
    *("ete3", "ete3", "ete3", "ete", "an ete3.TreeNode", "TreeNode"),
    children=attrgetter("children"),
    label=attrgetter("name"),
    length=lambda node: None if getattr(node, "unknown_dist", None) == node.dist else node.dist,
    height=_or_none("node_height"),
    rank=_or_none("rank"),
)


def to_ete3(hierarchy: Hierarchy) -> ete3.TreeNode:
    """Make an ete3 tree.

    Parameters
    ----------
    hierarchy : Hierarchy

    Returns
    -------
    ete3.TreeNode
        The root. ``name`` is the label of a leaf, as it is, or the name of an inner node; ``dist`` is the length of the
        branch above, where known. Features beside them, where the hierarchy has such: ``rank``, ``node_height``, and
        ``unknown_dist`` on nodes without a length (their ``dist`` is ete3's 1.0, and 0.0 at the root).

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty: ete3 takes both for no name.

    See Also
    --------
    from_ete3 : the inverse.

    Notes
    -----
    Children stand in the order of their smallest leaf. Some of ete3's own functions recurse (copying, for one) or
    expect names to be strings; a hierarchy with other labels comes back unchanged all the same.

    Examples
    --------
    >>> tree = to_ete3(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> tree.get_common_ancestor("human", "chimp").get_leaf_names()
    ['human', 'chimp']
    """
    TreeNode = _ETE3.load().TreeNode
    lists = node_lists(hierarchy, "ete3")
    made = [TreeNode(dist=x, name=name) for name, x in zip(lists.labels, lists.lengths, strict=True)]
    if lists.lengths[-1] is None:
        made[-1].dist = 0.0
    unknown = [node.dist if x is None else None for node, x in zip(made, lists.lengths, strict=True)]
    for feature, values in (("unknown_dist", unknown), ("node_height", lists.heights), ("rank", lists.ranks)):
        for node, value in zip(made, values or [], strict=False):
            if value is not None:
                node.add_feature(feature, value)
    for u, p in lists.links:
        made[p].add_child(made[u])
    return made[-1]


def from_ete3(tree: ete3.TreeNode, *, lengths: bool = True) -> Hierarchy:
    """Make a hierarchy from an ete3 tree, or from the part of it below a node.

    Parameters
    ----------
    tree : ete3.TreeNode
        The root, or any node; also a PhyloTree or ClusterTree.
    lengths : bool
        Whether to take ``dist``. ete3 fills in 1.0 (0.0 at the root) where a text has none and does not remember
        it: give False for trees without lengths.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. ``name``, ``dist`` and the features ``rank``, ``node_height`` and ``unknown_dist``
        (see `to_ete3`) are taken; ``support``, which a hierarchy does not hold, and other features are left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name.

    See Also
    --------
    to_ete3 : the inverse.

    Examples
    --------
    >>> tree = to_ete3(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> from_ete3(tree.children[0]).leaves
    LeafIndex(['human', 'chimp'])
    """
    library = _ETE3 if lengths else _ETE3._replace(length=lambda node: None)
    return library.read(tree, tree)


# ---------------------------------------------------------------------- ete4

_ETE4 = _Library(
    *("ete4", "ete4", "ete4", "ete4", "an ete4.Tree", "Tree"),
    children=attrgetter("children"),
    label=_property("name"),
    length=_property("dist"),
    height=_property("node_height"),
    rank=_property("rank"),
)


def to_ete4(hierarchy: Hierarchy) -> ete4.Tree:
    """Make an ete4 tree.

    Parameters
    ----------
    hierarchy : Hierarchy

    Returns
    -------
    ete4.Tree
        The root. The properties of a node: ``name``, the label of a leaf, as it is, or the name of an inner node;
        ``dist``, the length of the branch above; ``rank`` and ``node_height``; each where there is one.

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty: ete4 takes both for no name.

    See Also
    --------
    from_ete4 : the inverse.

    Notes
    -----
    Children stand in the order of their smallest leaf. Functions of ete4 that recurse end the whole process on trees of
    some 10,000 levels; this one and `from_ete4` do not recurse.

    Examples
    --------
    >>> tree = to_ete4(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))  # doctest: +SKIP
    >>> tree.write(parser=9)  # doctest: +SKIP
    '((human,chimp),gorilla);'
    """
    Tree = _ETE4.load().Tree
    lists = node_lists(hierarchy, "ete4")
    none = [None] * len(lists.labels)
    made = []
    for values in zip(lists.labels, lists.lengths, lists.heights or none, lists.ranks or none, strict=True):
        properties = zip(("name", "dist", "node_height", "rank"), values, strict=True)
        made.append(Tree({key: x for key, x in properties if x is not None}))
    for u, p in lists.links:
        made[p].add_child(made[u])
    return made[-1]


def from_ete4(tree: ete4.Tree) -> Hierarchy:
    """Make a hierarchy from an ete4 tree, or from the part of it below a node.

    Parameters
    ----------
    tree : ete4.Tree
        The root, or any node.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. The properties ``name``, ``dist``, ``rank`` and ``node_height`` (see `to_ete4`) are
        taken; ``support`` and others are left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name.

    See Also
    --------
    to_ete4 : the inverse.

    Examples
    --------
    >>> import ete4  # doctest: +SKIP
    >>> from_ete4(ete4.Tree("((human,chimp),gorilla);"))  # doctest: +SKIP
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    return _ETE4.read(tree, tree)


# ---------------------------------------------------------------------- DendroPy


def _dendropy_label(node: Any) -> Any:
    """A leaf is called by its taxon, an inner node by its own label; by the other of these where it has none."""
    taxon = None if node.taxon is None else node.taxon.label
    first, second = (node.label, taxon) if node._child_nodes else (taxon, node.label)
    return second if first is None else first


_DENDROPY = _Library(
    *("DendroPy", "dendropy", "DendroPy", "interop", "a dendropy.Tree or dendropy.Node", "Node"),
    children=lambda node: node.child_node_iter(),
    label=_dendropy_label,
    length=lambda node: node.edge.length,
    height=attrgetter("age"),
    rank=lambda node: node.annotations.get_value("rank") if node.has_annotations else None,
)


def to_dendropy(hierarchy: Hierarchy, *, taxon_namespace: dendropy.TaxonNamespace | None = None) -> dendropy.Tree:
    """Make a DendroPy tree.

    Parameters
    ----------
    hierarchy : Hierarchy
    taxon_namespace : dendropy.TaxonNamespace, optional
        Trees that are to be compared must share one. Taxa that it lacks are added; by default a new one is made, with
        the taxa in the order of the leaves.

    Returns
    -------
    dendropy.Tree
        Rooted. Each leaf has a taxon whose ``label`` is the leaf's; each inner node's ``label`` is its name. Edges have
        lengths, nodes have ``age`` (the height) and an annotation ``rank``, where the hierarchy has such.

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty.

    See Also
    --------
    from_dendropy : the inverse.

    Notes
    -----
    Children stand in the order of their smallest leaf. DendroPy's own readers, writers and copies recurse, and stop at
    about 1,000 levels; this function does not.

    Examples
    --------
    >>> tree = to_dendropy(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> tree.mrca(taxon_labels=["human", "chimp"]).leaf_nodes()[0].taxon.label
    'human'
    """
    dendropy = _DENDROPY.load()
    lists = node_lists(hierarchy, "DendroPy")
    n = hierarchy.n_leaves
    space = dendropy.TaxonNamespace() if taxon_namespace is None else taxon_namespace
    known = {taxon.label: taxon for taxon in space}
    Node = dendropy.Node
    made = []
    for u, (label, x) in enumerate(zip(lists.labels, lists.lengths, strict=True)):
        if u >= n:
            made.append(Node(label=label, edge_length=x))
            continue
        taxon = known.get(label)
        if taxon is None:
            taxon = dendropy.Taxon(label=label)
            space.add_taxon(taxon)
        made.append(Node(taxon=taxon, edge_length=x))
    _set(made, "age", lists.heights)
    for node, rank in zip(made, lists.ranks or [], strict=False):
        if rank is not None:
            node.annotations.add_new("rank", rank)
    for u, p in lists.links:
        # add_child would look through all children for each new one: quadratic for a node with many
        made[p]._child_nodes.append(made[u])
        made[u]._parent_node = made[p]
    tree = dendropy.Tree(seed_node=made[-1], taxon_namespace=space)
    tree.is_rooted = True
    return tree


def from_dendropy(tree: dendropy.Tree | dendropy.Node) -> Hierarchy:
    """Make a hierarchy from a DendroPy tree, or from the part of it below a node.

    Parameters
    ----------
    tree : dendropy.Tree or dendropy.Node
        Its seed node is taken as the root, whatever ``is_rooted`` is: DendroPy calls a tree unrooted unless told
        otherwise.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order, named by their taxon, or by their own label where they have no taxon; inner nodes
        the other way round. Edge lengths, ages (as heights) and annotations named rank are taken; other annotations and
        comments are left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name.

    See Also
    --------
    to_dendropy : the inverse.

    Examples
    --------
    >>> import dendropy
    >>> from_dendropy(dendropy.Tree.get(data="((human,chimp),gorilla);", schema="newick"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    dendropy = _DENDROPY.load()
    return _DENDROPY.read(tree, tree.seed_node if isinstance(tree, dendropy.Tree) else tree)


# ---------------------------------------------------------------------- scikit-bio

_SKBIO = _Library(
    *("scikit-bio", "skbio", "scikit-bio", "interop", "an skbio.TreeNode", "TreeNode"),
    children=attrgetter("children"),
    label=attrgetter("name"),
    length=attrgetter("length"),
    height=_or_none("node_height"),
    rank=_or_none("rank"),
)


def to_skbio(hierarchy: Hierarchy) -> skbio.TreeNode:
    """Make a scikit-bio tree.

    Parameters
    ----------
    hierarchy : Hierarchy

    Returns
    -------
    skbio.TreeNode
        The root. ``name`` is the label of a leaf, as it is, or the name of an inner node; ``length`` is the length of
        the branch above or None. Attributes ``rank`` and ``node_height`` beside them, where the hierarchy has such
        (``height`` is a method there).

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty.

    See Also
    --------
    from_skbio : the inverse.

    Notes
    -----
    Children stand in the order of their smallest leaf. scikit-bio writes names that are strings only.

    Examples
    --------
    >>> tree = to_skbio(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> [tip.name for tip in tree.lca(["human", "chimp"]).tips()]
    ['human', 'chimp']
    """
    TreeNode = _SKBIO.load().TreeNode
    lists = node_lists(hierarchy, "scikit-bio")
    made = [TreeNode(name=name, length=x) for name, x in zip(lists.labels, lists.lengths, strict=True)]
    _set(made, "node_height", lists.heights)
    _set(made, "rank", lists.ranks)
    for u, p in lists.links:
        # append would clear caches up to the root each time: quadratic for a ladder
        made[u].parent = made[p]
        made[p].children.append(made[u])
    return made[-1]


def from_skbio(tree: skbio.TreeNode) -> Hierarchy:
    """Make a hierarchy from a scikit-bio tree, or from the part of it below a node.

    Parameters
    ----------
    tree : skbio.TreeNode
        The root, or any node.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. ``name``, ``length`` and the attributes ``rank`` and ``node_height`` (see
        `to_skbio`) are taken; ``support`` and others are left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name.

    See Also
    --------
    to_skbio : the inverse.

    Examples
    --------
    >>> import skbio
    >>> from_skbio(skbio.TreeNode.read(["((human,chimp),gorilla);"]))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    return _SKBIO.read(tree, tree)


# ---------------------------------------------------------------------- Biopython


def _biopython_rank(node: Any) -> Any:
    """The node's own rank, or that of a PhyloXML clade's taxonomy."""
    rank = getattr(node, "rank", None)
    if rank is None and getattr(node, "taxonomies", None):
        return node.taxonomies[0].rank
    return rank


_BIOPYTHON = _Library(
    *("Biopython", "Bio.Phylo", "biopython", "interop", "a tree or clade of Bio.Phylo.BaseTree", "BaseTree.Clade"),
    children=attrgetter("clades"),
    label=attrgetter("name"),
    length=attrgetter("branch_length"),
    height=_or_none("node_height"),
    rank=_biopython_rank,
)


def to_biopython(hierarchy: Hierarchy) -> BaseTree.Tree:
    """Make a Biopython tree.

    Parameters
    ----------
    hierarchy : Hierarchy

    Returns
    -------
    Bio.Phylo.BaseTree.Tree
        Rooted. The ``name`` of a clade is the label of a leaf, as it is, or the name of an inner node;
        ``branch_length`` is the length of the branch above or None. Attributes ``rank`` and ``node_height`` beside
        them, where the hierarchy has such.

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty.

    See Also
    --------
    from_biopython : the inverse.

    Notes
    -----
    Children stand in the order of their smallest leaf. Biopython's own searches, readers and writers recurse, and stop
    at about 1,000 levels; this function does not.

    Examples
    --------
    >>> tree = to_biopython(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> tree.common_ancestor("human", "chimp").count_terminals()
    2
    """
    base = _BIOPYTHON.load().BaseTree
    Clade = base.Clade
    lists = node_lists(hierarchy, "Biopython")
    made = [Clade(branch_length=x, name=name) for name, x in zip(lists.labels, lists.lengths, strict=True)]
    _set(made, "node_height", lists.heights)
    _set(made, "rank", lists.ranks)
    for u, p in lists.links:
        made[p].clades.append(made[u])
    return base.Tree(root=made[-1], rooted=True)


def from_biopython(tree: BaseTree.Tree | BaseTree.Clade) -> Hierarchy:
    """Make a hierarchy from a Biopython tree, or from a clade of it.

    Parameters
    ----------
    tree : Bio.Phylo.BaseTree.Tree or Bio.Phylo.BaseTree.Clade
        As the readers of Bio.Phylo give them, those of PhyloXML, NeXML and CDAO included.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. ``name``, ``branch_length`` and the attributes ``rank`` and ``node_height`` (see
        `to_biopython`) are taken, and the rank of a PhyloXML clade's taxonomy; ``confidence``, colours and others are
        left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name.

    See Also
    --------
    to_biopython : the inverse.

    Examples
    --------
    >>> import io
    >>> from Bio import Phylo
    >>> from_biopython(Phylo.read(io.StringIO("((human,chimp),gorilla);"), "newick"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    base = _BIOPYTHON.load().BaseTree
    return _BIOPYTHON.read(tree, tree.root if isinstance(tree, base.Tree) else tree)
