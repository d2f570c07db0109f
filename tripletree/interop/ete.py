"""ete3 and ete4: nodes walked one by one, never through a Newick text.

ete3 cannot say that a length is unknown: a node that is told nothing has ``dist`` 1.0. A node whose length a hierarchy
does not know therefore gets the feature ``unknown_dist`` beside ete3's own default, and counts as unknown again on the
way back for as long as its ``dist`` has not been changed. Of a tree that comes from elsewhere nobody can tell whether
1.0 was said or filled in: the numbers are taken as they stand, or left out with ``lengths=False``.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import MissingDependencyError
from tripletree.interop.nodes import assembled, node_lists, walked

if TYPE_CHECKING:
    import ete3
    import ete4

__all__ = [
    "from_ete3",
    "from_ete4",
    "to_ete3",
    "to_ete4",
]

_NEEDS = {"cgi": "legacy-cgi (the module cgi, which Python 3.13 and later no longer have)", "six": "six"}


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
    MissingDependencyError
        If ete3 is not installed, or lacks what it needs: six, and on Python 3.13 and later legacy-cgi.
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
    TreeNode = _ete3().TreeNode
    said = node_lists(hierarchy, "ete3")
    made = [TreeNode(dist=x, name=name) for name, x in zip(said.labels, said.lengths, strict=True)]
    root = made[-1]
    if said.lengths[-1] is None:
        root.dist = 0.0
    for node, x in zip(made, said.lengths, strict=True):
        if x is None:
            node.add_feature("unknown_dist", node.dist)
    for feature, values in (("node_height", said.heights), ("rank", said.ranks)):
        for node, value in zip(made, values or [], strict=False):
            if value is not None:
                node.add_feature(feature, value)
    for u, p in said.links:
        made[p].add_child(made[u])
    return root


def from_ete3(tree: ete3.TreeNode, *, lengths: bool = True) -> Hierarchy:
    """Make a hierarchy from an ete3 tree, or from the part of it below a node.

    Parameters
    ----------
    tree : ete3.TreeNode
        The root, or any node; also a PhyloTree or ClusterTree.
    lengths : bool
        Whether to take ``dist``. ete3 fills in 1.0 (0.0 at the root) where a text says nothing and does not remember
        it: say False for trees without lengths.

    Returns
    -------
    Hierarchy
        Leaves in depth-first order. ``name``, ``dist`` and the features ``rank``, ``node_height`` and ``unknown_dist``
        (see `to_ete3`) are taken; ``support``, which a hierarchy does not hold, and other features are left behind.

    Raises
    ------
    TypeError
        If `tree` is no ete3 node.
    InvalidHierarchyError
        If a leaf has no name.
    DuplicateLeafError
        If two leaves have one name.

    See Also
    --------
    to_ete3 : the inverse.

    Examples
    --------
    >>> tree = to_ete3(Hierarchy.from_nested([("human", "chimp"), "gorilla"]))
    >>> from_ete3(tree.children[0]).leaves
    LeafIndex(['human', 'chimp'])
    """
    if not isinstance(tree, _ete3().TreeNode):
        raise _not_a_node(tree, "ete3.TreeNode")
    nodes, above = walked(tree, attrgetter("children"), attrgetter("name"))
    dists = None
    if lengths:
        dists = [None if getattr(x, "unknown_dist", None) == x.dist else x.dist for x in nodes]
    return assembled(
        above,
        [x.name for x in nodes],
        peer="ete3 tree",
        lengths=dists,
        heights=[getattr(x, "node_height", None) for x in nodes],
        ranks=[getattr(x, "rank", None) for x in nodes],
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
    MissingDependencyError
        If ete4 is not installed.
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
    Tree = _ete4().Tree
    said = node_lists(hierarchy, "ete4")
    made = []
    none = [None] * len(said.labels)
    values = zip(said.labels, said.lengths, said.heights or none, said.ranks or none, strict=True)
    for value in values:
        properties = zip(("name", "dist", "node_height", "rank"), value, strict=True)
        made.append(Tree({key: x for key, x in properties if x is not None}))
    for u, p in said.links:
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
    TypeError
        If `tree` is no ete4 tree.
    InvalidHierarchyError
        If a leaf has no name.
    DuplicateLeafError
        If two leaves have one name.

    See Also
    --------
    to_ete4 : the inverse.

    Examples
    --------
    >>> import ete4  # doctest: +SKIP
    >>> from_ete4(ete4.Tree("((human,chimp),gorilla);"))  # doctest: +SKIP
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    """
    if not isinstance(tree, _ete4().Tree):
        raise _not_a_node(tree, "ete4.Tree")
    nodes, above = walked(tree, attrgetter("children"), attrgetter("name"))
    said = [x.props for x in nodes]
    return assembled(
        above,
        [x.get("name") for x in said],
        peer="ete4 tree",
        lengths=[x.get("dist") for x in said],
        heights=[x.get("node_height") for x in said],
        ranks=[x.get("rank") for x in said],
    )


def _not_a_node(tree: Any, wanted: str) -> TypeError:
    """The error for what is no tree of that library."""
    advice = "; for Newick text use parse_newick" if isinstance(tree, str) else ""
    return TypeError(f"expected an {wanted}, not {type(tree).__name__}{advice}")


def _ete3() -> Any:
    """The module ete3; it declares none of its needs, and warns about its own syntax when imported."""
    if "ete3" in sys.modules:
        return sys.modules["ete3"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("ete3")
    except ModuleNotFoundError as error:
        if error.name in _NEEDS:
            raise MissingDependencyError(_NEEDS[error.name], "ete", "importing ete3") from error
        raise MissingDependencyError(error.name or "ete3", "ete", "converting ete3 trees") from error


def _ete4() -> Any:
    """The module ete4."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module("ete4")
    except ModuleNotFoundError as error:
        raise MissingDependencyError(error.name or "ete4", "ete4", "converting ete4 trees") from error
