"""DendroPy, scikit-bio and Biopython: trees of linked nodes, walked one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import MissingDependencyError
from tripletree.interop.nodes import assembled, node_lists, walked

if TYPE_CHECKING:
    import dendropy
    import skbio
    from Bio.Phylo import BaseTree

__all__ = [
    "from_biopython",
    "from_dendropy",
    "from_skbio",
    "to_biopython",
    "to_dendropy",
    "to_skbio",
]

# ---------------------------------------------------------------------- DendroPy


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
    MissingDependencyError
        If DendroPy is not installed.
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
    dendropy = _dendropy()
    said = node_lists(hierarchy, "DendroPy")
    n = hierarchy.n_leaves
    space = dendropy.TaxonNamespace() if taxon_namespace is None else taxon_namespace
    known = {taxon.label: taxon for taxon in space}
    Node = dendropy.Node
    made = []
    for u, (label, x) in enumerate(zip(said.labels, said.lengths, strict=True)):
        if u >= n:
            made.append(Node(label=label, edge_length=x))
            continue
        taxon = known.get(label)
        if taxon is None:
            taxon = dendropy.Taxon(label=label)
            space.add_taxon(taxon)
        made.append(Node(taxon=taxon, edge_length=x))
    for node, age in zip(made, said.heights or [], strict=False):
        node.age = age
    for node, rank in zip(made, said.ranks or [], strict=False):
        if rank is not None:
            node.annotations.add_new("rank", rank)
    for u, p in said.links:
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
        Its seed node is taken as the root, whatever ``is_rooted`` says: DendroPy calls a tree unrooted unless told
        otherwise.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order, named by their taxon, or by their own label where they have no taxon; inner nodes
        the other way round. Edge lengths, ages (as heights) and annotations named rank are taken; other annotations and
        comments are left behind.

    Raises
    ------
    TypeError
        If `tree` is neither tree nor node.
    InvalidHierarchyError
        If a leaf has no name.
    DuplicateLeafError
        If two leaves have one name.

    See Also
    --------
    to_dendropy : the inverse.

    Examples
    --------
    >>> import dendropy
    >>> from_dendropy(dendropy.Tree.get(data="((human,chimp),gorilla);", schema="newick"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    dendropy = _dendropy()
    root = tree.seed_node if isinstance(tree, dendropy.Tree) else tree
    if not isinstance(root, dendropy.Node):
        raise _no_tree(tree, "a dendropy.Tree or dendropy.Node")
    nodes, above = walked(root, lambda x: x.child_node_iter(), _dendropy_label)
    return assembled(
        above,
        [_dendropy_label(x) for x in nodes],
        peer="DendroPy tree",
        lengths=[x.edge.length for x in nodes],
        heights=[x.age for x in nodes],
        ranks=[x.annotations.get_value("rank") if x.has_annotations else None for x in nodes],
    )


def _dendropy_label(node: Any) -> Any:
    """A leaf's taxon speaks for it, an inner node for itself; each for the other where it is silent."""
    taxon = None if node.taxon is None else node.taxon.label
    first, second = (node.label, taxon) if node._child_nodes else (taxon, node.label)
    return second if first is None else first


def _dendropy() -> Any:
    """The module dendropy."""
    try:
        import dendropy
    except ImportError as error:
        raise MissingDependencyError("DendroPy", "interop", "converting DendroPy trees") from error
    return dendropy


# ---------------------------------------------------------------------- scikit-bio


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
    MissingDependencyError
        If scikit-bio is not installed.
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
    TreeNode = _skbio().TreeNode
    said = node_lists(hierarchy, "scikit-bio")
    made = [TreeNode(name=name, length=x) for name, x in zip(said.labels, said.lengths, strict=True)]
    _dress(made, said.heights, said.ranks)
    for u, p in said.links:
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
    TypeError
        If `tree` is no node.
    InvalidHierarchyError
        If a leaf has no name.
    DuplicateLeafError
        If two leaves have one name.

    See Also
    --------
    to_skbio : the inverse.

    Examples
    --------
    >>> import skbio
    >>> from_skbio(skbio.TreeNode.read(["((human,chimp),gorilla);"]))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    if not isinstance(tree, _skbio().TreeNode):
        raise _no_tree(tree, "an skbio.TreeNode")
    return _from_attributes(tree, lambda x: x.children, "length", "scikit-bio tree")


def _skbio() -> Any:
    """The module skbio."""
    try:
        import skbio
    except ImportError as error:
        raise MissingDependencyError("scikit-bio", "interop", "converting scikit-bio trees") from error
    return skbio


# ---------------------------------------------------------------------- Biopython


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
    MissingDependencyError
        If Biopython is not installed.
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
    base = _biopython()
    Clade = base.Clade
    said = node_lists(hierarchy, "Biopython")
    made = [Clade(branch_length=x, name=name) for name, x in zip(said.labels, said.lengths, strict=True)]
    _dress(made, said.heights, said.ranks)
    for u, p in said.links:
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
    TypeError
        If `tree` is neither tree nor clade.
    InvalidHierarchyError
        If a leaf has no name.
    DuplicateLeafError
        If two leaves have one name.

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
    base = _biopython()
    root = tree.root if isinstance(tree, base.Tree) else tree
    if not isinstance(root, base.Clade):
        raise _no_tree(tree, "a tree or clade of Bio.Phylo.BaseTree")
    return _from_attributes(root, lambda x: x.clades, "branch_length", "Biopython tree")


def _biopython() -> Any:
    """The module Bio.Phylo.BaseTree."""
    try:
        from Bio.Phylo import BaseTree
    except ImportError as error:
        raise MissingDependencyError("biopython", "interop", "converting Biopython trees") from error
    return BaseTree


# ---------------------------------------------------------------------- shared


def _dress(made: list[Any], heights: list[float] | None, ranks: list[str | None] | None) -> None:
    """Set the attributes that only some nodes have."""
    for node, height in zip(made, heights or [], strict=False):
        node.node_height = height
    for node, rank in zip(made, ranks or [], strict=False):
        if rank is not None:
            node.rank = rank


def _from_attributes(root: Any, children: Callable[[Any], Iterable[Any]], length: str, peer: str) -> Hierarchy:
    """The hierarchy of nodes that carry their values as attributes."""
    nodes, above = walked(root, children, lambda x: x.name)
    return assembled(
        above,
        [x.name for x in nodes],
        peer=peer,
        lengths=[getattr(x, length) for x in nodes],
        heights=[getattr(x, "node_height", None) for x in nodes],
        ranks=[_rank(x) for x in nodes],
    )


def _rank(node: Any) -> Any:
    """The node's own rank, or that of a PhyloXML clade's taxonomy."""
    rank = getattr(node, "rank", None)
    if rank is None and getattr(node, "taxonomies", None):
        return node.taxonomies[0].rank
    return rank


def _no_tree(tree: Any, wanted: str) -> TypeError:
    """The error for what is no tree of that library."""
    advice = "; for Newick text use parse_newick" if isinstance(tree, str) else ""
    return TypeError(f"expected {wanted}, not {type(tree).__name__}{advice}")
