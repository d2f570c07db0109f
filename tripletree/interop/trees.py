"""Trees of linked nodes: ete3, ete4, DendroPy, scikit-bio and Biopython, walked node by node, never through Newick.

`to_tree` and `from_tree` are called by users. A `_Library` describes once how a library stores a tree. The line of each
library in `_LIBRARIES` is all that a new one needs.

ete3 has no unknown lengths: a node without a length has ``dist`` 1.0. A node whose length a hierarchy does not know
therefore keeps ete3's own default and gets the feature ``unknown_dist``. It counts as unknown again on the way back as
long as its ``dist`` has not been changed. In any other ete3 tree, a 1.0 that was filled in looks like one that was
given. `from_tree` takes such numbers as they stand, or leaves them out with ``lengths=False``. Support is alike: it is
1.0 where it is not known. A node whose support a hierarchy does not know gets the feature ``unknown_support``. In other
trees of ete3 a 1.0 counts as unknown at the root, if all inner nodes have it, or if others have more.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from math import isfinite
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from tripletree.core.checks import check_choice
from tripletree.core.confidence import SUPPORT_KEYS, noted_numbers, number_in, says_open
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.placeholders import Placeholders
from tripletree.errors import MissingDependencyError
from tripletree.interop.nodes import OPEN, NodeLists, assembled, is_set, node_lists, walked

Library = Literal["ete3", "ete4", "dendropy", "skbio", "biopython"]

#: ete3 does not declare its dependencies.
_ETE3_NEEDS = {"cgi": "legacy-cgi (the module cgi, which Python 3.13 and later no longer have)", "six": "six"}


class _Library(NamedTuple):
    """How a library stores a tree. The functions that read a node return None if it has no such value."""

    title: str
    module: str
    package: str
    extra: str
    root: dict[str, Callable[[Any], Any]]
    """The classes that `from_tree` takes, and how to get the root from an object of each."""
    make: Callable[[Any, NodeLists, Any], Any]
    """Make a tree: (the library's module, the nodes as lists, a namespace of taxa or None)."""
    children: Callable[[Any], Iterable[Any]]
    label: Callable[[Any], Any]
    length: Callable[[Any], float | None]
    height: Callable[[Any], float | None]
    rank: Callable[[Any], str | None]
    supports: Callable[[list[Any]], list[Any]]
    """The support of each of the nodes below and at a root, the root first."""
    opened: Callable[[Any], bool]
    rooted: Callable[[Any], bool | None]
    """Whether a tree or node that `from_tree` takes has a root. None if nothing tells."""

    def load(self) -> Any:
        """Return the library's module."""
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

    def root_of(self, tree: Any) -> Any:
        """Return the root of a tree of this library, None for anything else."""
        module = sys.modules.get(self.module)  # its trees exist only if it has been imported
        for name, root in self.root.items() if module else ():
            if isinstance(tree, attrgetter(name)(module)):
                return root(tree)
        return None


def _itself(node: Any) -> Any:
    return node


def _or_none(name: str) -> Callable[[Any], Any]:
    """Return an attribute that only some nodes have."""
    return lambda node: getattr(node, name, None)


def _property(name: str) -> Callable[[Any], Any]:
    """Return a property of an ete4 node."""
    return lambda node: node.props.get(name)


def _each(support: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """Return the support of nodes by that of one."""
    return lambda nodes: [support(x) for x in nodes]


def _noted(get: Callable[[str], Any]) -> float | None:
    """Return the number under the first usual name of support that a node has."""
    for key in SUPPORT_KEYS:
        value = get(key)
        if isinstance(value, str):
            value = number_in(value)
        if isinstance(value, (int, float)) and isfinite(value):
            return float(value)
    return None


def _set(made: list[Any], name: str, values: list[Any] | None) -> None:
    """Set an attribute of the nodes that have a value."""
    for node, value in zip(made, values or [], strict=False):
        if value is not None:
            setattr(node, name, value)


# ---------------------------------------------------------------------- how each library makes a tree


def _make_ete3(ete3: Any, lists: NodeLists, _: Any) -> Any:
    made = [ete3.TreeNode(dist=x, name=name) for name, x in zip(lists.labels, lists.lengths, strict=True)]
    if lists.lengths[-1] is None:
        made[-1].dist = 0.0
    unknown = [node.dist if x is None else None for node, x in zip(made, lists.lengths, strict=True)]
    for feature, values in (("unknown_dist", unknown), ("node_height", lists.heights), ("rank", lists.ranks)):
        for node, value in zip(made, values or [], strict=False):
            if value is not None:
                node.add_feature(feature, value)
    if any(x is not None for x in lists.support):
        for node, value in zip(made, lists.support, strict=True):
            if value is None:
                node.add_feature("unknown_support", node.support)
            else:
                node.support = value
    for u in lists.opened:
        made[u].add_feature(OPEN, 1)
    if not lists.rooted:
        made[-1].add_feature("rooted", False)
    for u, p in lists.links:
        made[p].add_child(made[u])
    return made[-1]


def _ete3_supports(nodes: list[Any]) -> list[Any]:
    """Features of NHX first, then the attribute, but where its 1.0 stands for nothing."""
    keys = [key for key in SUPPORT_KEYS if key != "support"]
    noted = [_noted({key: getattr(x, key, None) for key in keys}.get) for x in nodes]
    marked = any(hasattr(x, "unknown_support") for x in nodes)
    inner = [x.support for x in nodes if x.children and isinstance(x.support, (int, float))]
    filled = not marked and (all(y == 1.0 for y in inner) or any(y > 1.0 for y in inner))
    return [
        y if y is not None
        else None if getattr(x, "unknown_support", None) == x.support
        else None if x.support == 1.0 and (filled or (not marked and k == 0))
        else x.support
        for k, (x, y) in enumerate(zip(nodes, noted, strict=True))
    ]  # fmt: skip


def _make_ete4(ete4: Any, lists: NodeLists, _: Any) -> Any:
    none = [None] * len(lists.labels)
    made = []
    columns = (lists.labels, lists.lengths, lists.heights or none, lists.ranks or none, lists.support)
    for values in zip(*columns, strict=True):
        properties = zip(("name", "dist", "node_height", "rank", "support"), values, strict=True)
        made.append(ete4.Tree({key: x for key, x in properties if x is not None}))
    for u in lists.opened:
        made[u].props[OPEN] = 1
    if not lists.rooted:
        made[-1].props["rooted"] = False
    for u, p in lists.links:
        made[p].add_child(made[u])
    return made[-1]


def _make_dendropy(dendropy: Any, lists: NodeLists, taxon_namespace: Any) -> Any:
    space = dendropy.TaxonNamespace() if taxon_namespace is None else taxon_namespace
    known = {taxon.label: taxon for taxon in space}
    inner = {p for _, p in lists.links}
    made = []
    for u, (label, x) in enumerate(zip(lists.labels, lists.lengths, strict=True)):
        if u in inner:
            made.append(dendropy.Node(label=label, edge_length=x))
            continue
        taxon = known.get(label)
        if taxon is None:
            taxon = dendropy.Taxon(label=label)
            space.add_taxon(taxon)
        made.append(dendropy.Node(taxon=taxon, edge_length=x))
    _set(made, "age", lists.heights)
    for node, rank in zip(made, lists.ranks or [], strict=False):
        if rank is not None:
            node.annotations.add_new("rank", rank)
    for node, value in zip(made, lists.support, strict=True):
        if value is not None:
            node.annotations.add_new("support", value)
    for u in lists.opened:
        made[u].annotations.add_new(OPEN, 1)
    for u, p in lists.links:
        # add_child would look through all children for each new one: quadratic for a node with many
        made[p]._child_nodes.append(made[u])
        made[u]._parent_node = made[p]
    tree = dendropy.Tree(seed_node=made[-1], taxon_namespace=space)
    tree.is_rooted = lists.rooted
    return tree


def _make_skbio(skbio: Any, lists: NodeLists, _: Any) -> Any:
    made = [skbio.TreeNode(name=name, length=x) for name, x in zip(lists.labels, lists.lengths, strict=True)]
    _set(made, "node_height", lists.heights)
    _set(made, "rank", lists.ranks)
    _set(made, "support", lists.support)
    for u in lists.opened:
        setattr(made[u], OPEN, 1)
    if not lists.rooted:
        made[-1].rooted = False
    for u, p in lists.links:
        # append would clear caches up to the root each time: quadratic for a ladder
        made[u].parent = made[p]
        made[p].children.append(made[u])
    return made[-1]


def _make_biopython(phylo: Any, lists: NodeLists, _: Any) -> Any:
    Clade = phylo.BaseTree.Clade
    made = [
        Clade(branch_length=x, name=name, confidence=y)
        for name, x, y in zip(lists.labels, lists.lengths, lists.support, strict=True)
    ]
    _set(made, "node_height", lists.heights)
    _set(made, "rank", lists.ranks)
    for u in lists.opened:
        made[u].comment = f"&{OPEN}=1"
    for u, p in lists.links:
        made[p].clades.append(made[u])
    return phylo.BaseTree.Tree(root=made[-1], rooted=lists.rooted)


def _dendropy_label(node: Any) -> Any:
    """Return the taxon's label of a leaf, the own label of an inner node. Either stands in if the other is missing."""
    taxon = None if node.taxon is None else node.taxon.label
    first, second = (node.label, taxon) if node._child_nodes else (taxon, node.label)
    return second if first is None else first


def _biopython_rank(node: Any) -> Any:
    """Return the node's own rank, or the rank in the taxonomy of a PhyloXML clade."""
    rank = getattr(node, "rank", None)
    if rank is None and getattr(node, "taxonomies", None):
        return node.taxonomies[0].rank
    return rank


def _biopython_supports(nodes: list[Any]) -> list[Any]:
    """Of a comment, ``[&prob=0.98]`` or ``[98]`` but at the root, then of the clade's confidences."""
    found = []
    for k, node in enumerate(nodes):
        ranked = sorted(noted_numbers(getattr(node, "comment", None) or ""))
        noted = [value for rank, value in ranked if rank < len(SUPPORT_KEYS) or k]
        if noted or not hasattr(node, "confidences"):
            found.append(noted[0] if noted else node.confidence)
        else:  # of PhyloXML
            found.append(next((float(x.value) for x in node.confidences), None))
    return found


def _biopython_open(node: Any) -> bool:
    """By a comment of Newick or a property of PhyloXML."""
    given = getattr(node, "properties", None) or ()
    return says_open(getattr(node, "comment", None) or "") or any(
        x.ref == f"tripletree:{OPEN}" and is_set(x.value) for x in given
    )


def _biopython_rooted(tree: Any) -> bool | None:
    """Tell whether a tree is rooted. Biopython says "not" of trees from Newick and NeXML, whatever the file says."""
    rooted = getattr(tree, "rooted", None)
    by_default = type(tree).__module__.rpartition(".")[2] in ("Newick", "NeXML")
    return None if by_default and not rooted else rooted


def _dendropy_note(node: Any, key: str) -> Any:
    return node.annotations.get_value(key) if node.has_annotations else None


_LIBRARIES: dict[str, _Library] = {
    "ete3": _Library(
        *("ete3", "ete3", "ete3", "ete"),
        root={"TreeNode": _itself},
        make=_make_ete3,
        children=attrgetter("children"),
        label=attrgetter("name"),
        length=lambda node: None if getattr(node, "unknown_dist", None) == node.dist else node.dist,
        height=_or_none("node_height"),
        rank=_or_none("rank"),
        supports=_ete3_supports,
        opened=lambda node: is_set(getattr(node, OPEN, None)),
        rooted=_or_none("rooted"),
    ),
    "ete4": _Library(
        *("ete4", "ete4", "ete4", "ete4"),
        root={"Tree": _itself},
        make=_make_ete4,
        children=attrgetter("children"),
        label=_property("name"),
        length=_property("dist"),
        height=_property("node_height"),
        rank=_property("rank"),
        supports=_each(lambda node: _noted(node.props.get)),
        opened=lambda node: is_set(node.props.get(OPEN)),
        rooted=_property("rooted"),
    ),
    "dendropy": _Library(
        *("DendroPy", "dendropy", "DendroPy", "interop"),
        root={"Tree": attrgetter("seed_node"), "Node": _itself},
        make=_make_dendropy,
        children=lambda node: node.child_node_iter(),
        label=_dendropy_label,
        length=lambda node: node.edge.length,
        height=attrgetter("age"),
        rank=lambda node: _dendropy_note(node, "rank"),
        supports=_each(lambda node: _noted(partial(_dendropy_note, node)) if node.has_annotations else None),
        opened=lambda node: is_set(_dendropy_note(node, OPEN)),
        rooted=_or_none("is_rooted"),
    ),
    "skbio": _Library(
        *("scikit-bio", "skbio", "scikit-bio", "interop"),
        root={"TreeNode": _itself},
        make=_make_skbio,
        children=attrgetter("children"),
        label=attrgetter("name"),
        length=attrgetter("length"),
        height=_or_none("node_height"),
        rank=_or_none("rank"),
        supports=_each(_or_none("support")),
        opened=lambda node: is_set(getattr(node, OPEN, None)),
        rooted=_or_none("rooted"),
    ),
    "biopython": _Library(
        *("Biopython", "Bio.Phylo", "biopython", "interop"),
        root={"BaseTree.Tree": attrgetter("root"), "BaseTree.Clade": _itself},
        make=_make_biopython,
        children=attrgetter("clades"),
        label=attrgetter("name"),
        length=attrgetter("branch_length"),
        height=_or_none("node_height"),
        rank=_biopython_rank,
        supports=_biopython_supports,
        opened=_biopython_open,
        rooted=_biopython_rooted,
    ),
}


# ---------------------------------------------------------------------- the two functions


def to_tree(hierarchy: Any, library: Library = "ete3", *, taxon_namespace: Any = None) -> Any:
    """Make a tree of another library, of a hierarchy or a clustering.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
    library : {"ete3", "ete4", "dendropy", "skbio", "biopython"}
        Whose tree to make, by the table below.
    taxon_namespace : dendropy.TaxonNamespace, optional
        For "dendropy" only: trees that are to be compared must share one. Taxa that it lacks are added. By default a
        new one is made, with the taxa in the order of the leaves.

    Returns
    -------
    ete3.TreeNode, ete4.Tree, dendropy.Tree, skbio.TreeNode or Bio.Phylo.BaseTree.Tree
        The root, or the rooted tree. Children stand in the order of their smallest leaf.

        =============  ==============================  =====================  ==================================
        library        label of a leaf, name           length of the branch   height; rank
        =============  ==============================  =====================  ==================================
        ``ete3``       ``name``                        ``dist``               features ``node_height``, ``rank``
        ``ete4``       ``name``                        ``dist``               properties ``node_height``, ``rank``
        ``dendropy``   ``taxon.label``, ``label``      ``edge.length``        ``age``; annotation ``rank``
        ``skbio``      ``name``                        ``length``             ``node_height``, ``rank``
        ``biopython``  ``name``                        ``branch_length``      ``node_height``, ``rank``
        =============  ==============================  =====================  ==================================

        =============  =======================  ==================================  ==============================
        library        support                  open node                           unrooted tree
        =============  =======================  ==================================  ==============================
        ``ete3``       ``support``              feature ``incertae_sedis``          feature ``rooted`` of the root
        ``ete4``       ``support``              property ``incertae_sedis``         property ``rooted``
        ``dendropy``   annotation ``support``   annotation ``incertae_sedis``       ``is_rooted``
        ``skbio``      ``support``              attribute ``incertae_sedis``        attribute ``rooted``
        ``biopython``  ``confidence``           ``comment``, ``&incertae_sedis=1``  ``rooted``
        =============  =======================  ==================================  ==============================

    Raises
    ------
    InvalidHierarchyError
        If a leaf's label is None or empty: these libraries take both for no name. ``.node`` is the leaf.

    See Also
    --------
    from_tree : the inverse.
    to_networkx, to_edge_table, to_dot, to_children : other forms.

    Notes
    -----
    Unknown values are left out. ete3 has no unknown lengths and no unknown support: its default of 1.0 (0.0 for the
    length at the root) stands there, and the features ``unknown_dist`` and ``unknown_support`` tell `from_tree`. Of
    several numbers of support, ``94.3/99``, the first goes along.

    This function does not recurse, some of the libraries do: copies of ete3, and readers, writers and searches of
    DendroPy and Biopython fail from about 1,000 levels on, and ete4 ends the process on trees of some 10,000 levels.
    scikit-bio writes names that are strings only.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    >>> to_tree(h).get_common_ancestor("human", "chimp").get_leaf_names()
    ['human', 'chimp']
    >>> [tip.name for tip in to_tree(h, "skbio").lca(["human", "chimp"]).tips()]
    ['human', 'chimp']
    >>> to_tree(h, "biopython").common_ancestor("human", "chimp").count_terminals()
    2
    """
    check_choice(library, "library", tuple(_LIBRARIES))
    if taxon_namespace is not None and library != "dendropy":
        msg = f"taxon_namespace is for trees of DendroPy, not for library={library!r}; leave it out"
        raise ValueError(msg)
    peer = _LIBRARIES[library]
    module = peer.load()
    return peer.make(module, node_lists(check_hierarchy(hierarchy), peer.title), taxon_namespace)


def from_tree(
    tree: Any, *, lengths: bool = True, placeholders: bool | str | Iterable[str] = True, rooted: bool | None = None
) -> Hierarchy:
    """Make a hierarchy from a tree of another library, or from the part of it below a node.

    Parameters
    ----------
    tree : ete3.TreeNode, ete4.Tree, dendropy.Tree or Node, skbio.TreeNode, Bio.Phylo.BaseTree.Tree or Clade
        The tree, its root or any node, subclasses included.
    lengths : bool
        If True, take the lengths of branches. ete3 fills in 1.0 (0.0 at the root) if a text has no length, and does not
        remember it: give False for such trees.
    placeholders : bool, str or iterable of str
        Names of inner nodes that are not taxa, as in `tripletree.read_newick`: such nodes are contracted.
    rooted : bool, optional
        Whether the tree has a root. By default as the tree tells, see the notes.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. Labels, lengths, heights, ranks, support and open nodes are read from the
        attributes that `to_tree` lists, and the rank from the taxonomy of a PhyloXML clade, too. A leaf of DendroPy
        without a taxon is called by its own label. Colours and the like are left behind.

    Raises
    ------
    InvalidHierarchyError
        If a leaf has no name or a node is met twice. ``.node`` is its number.

    See Also
    --------
    to_tree : the inverse.

    Notes
    -----
    Support is also what a file said in comments, if the library keeps them: annotations of DendroPy, features of NHX of
    ete3 and ete4, comments of Biopython, the confidences of PhyloXML. And numbers that stand as names of inner nodes,
    as `tripletree.read_newick` takes them. ete3 fills in 1.0: it counts as unknown if all inner nodes have it, if
    others have more, and at the root.

    A tree of DendroPy is unrooted if ``is_rooted`` is False (None says nothing), one of Biopython if ``rooted`` is
    False, unless Biopython read it from Newick, NEXUS or NeXML, where that is the default. ete3, ete4 and scikit-bio
    forget what a file said of the root: give ``rooted=False`` for such trees, or root the result by
    `Hierarchy.reroot`.

    Examples
    --------
    >>> import dendropy
    >>> from_tree(dendropy.Tree.get(data="((human,chimp),gorilla);", schema="newick"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    >>> tree = to_tree(Hierarchy.from_nested([("human", "chimp"), "gorilla"]), "ete3")
    >>> from_tree(tree.children[0]).leaves
    LeafIndex(['human', 'chimp'])
    """
    for peer in _LIBRARIES.values():
        root = peer.root_of(tree)
        if root is not None:
            break
    else:
        advice = "; for Newick text use parse_newick" if isinstance(tree, str) else ""
        msg = f"expected a tree of ete3, ete4, DendroPy, scikit-bio or Biopython, not {type(tree).__name__}{advice}"
        raise TypeError(msg)
    if rooted is not None and not isinstance(rooted, bool):
        msg = f"rooted must be True, False or None (as the tree tells), not {rooted!r}"
        raise TypeError(msg)
    fillers = Placeholders.of(placeholders)
    nodes, above = walked(root, peer.children, peer.label)
    found = assembled(
        above,
        [peer.label(x) for x in nodes],
        peer=f"{peer.title} tree",
        lengths=[peer.length(x) if lengths else None for x in nodes],
        heights=[peer.height(x) for x in nodes],
        ranks=[peer.rank(x) for x in nodes],
        support=peer.supports(nodes),
        opened=[peer.opened(x) for x in nodes],
        rooted=peer.rooted(tree) is not False if rooted is None else bool(rooted),
    )
    return fillers.contracted(found)
