"""Files with several trees, and trees without a root: the options `tree`, `join`, `outgroup`, `rooted`, `placeholders`.

The readers of Newick, NEXUS, PhyloXML and NeXML give a `TreeFile`. The functions here make of it the one tree that is
asked for, and `tripletree.io.registry` all of them, or one with its support.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tripletree.core.confidence import SUPPORT_KEYS
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.core.placeholders import Placeholders
from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.io.node_list import selected

_log = logging.getLogger("tripletree.io")

#: An option of the readers of trees: names of inner nodes that are not taxa.
PlaceholderNames = bool | str | Iterable[str]


class TreeFile:
    """The trees of a file, each read when it is asked for.

    Attributes
    ----------
    path : str or None
        The file, for messages.
    """

    path: str | None = None

    def tells_root(self, k: int) -> bool:
        """Tell whether the file says whether the tree number k, which has been read, has a root."""
        raise NotImplementedError

    @property
    def names(self) -> Sequence[str | None]:
        """The name of each tree."""
        raise NotImplementedError

    def read(self, k: int, *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False) -> Hierarchy:
        """Read the tree number k with the support of its inner nodes.

        Parameters
        ----------
        k : int
        keys : sequence of str
            Names of support in comments and the like.
        sure : bool
            True takes each number behind an inner node for support, though it may be the number of a node.
        """
        raise NotImplementedError

    def check_single(self) -> None:
        """Refuse a file with several trees if that needs more words than `selected` has."""


def one_of(
    file: TreeFile,
    *,
    tree: str | int | None = None,
    join: bool = False,
    outgroup: Any = None,
    rooted: bool | None = None,
    placeholders: PlaceholderNames = True,
    **how: Any,
) -> Hierarchy:
    """Read the tree of a file that is asked for.

    Parameters
    ----------
    file : TreeFile
    tree : str, int or None
        A name, a position, or None for the only tree.
    join : bool
        True for all trees below one root.
    outgroup, rooted
        As `as_rooted` takes them.
    placeholders
        As `Placeholders.of` takes them.
    **how
        For `TreeFile.read`.
    """
    if not isinstance(join, (bool, np.bool_)):
        msg = f"join must be True or False, not {join!r}"
        raise TypeError(msg)
    fillers = Placeholders.of(placeholders)
    if not join:
        if tree is None:
            file.check_single()
        k = selected(file.names, tree, path=file.path)
        found = file.read(k, **how)
        if outgroup is None and rooted is None and found.rooted and not file.tells_root(k) and _trifurcates(found):
            note("root", "a root of three children: read as written, though programs write unrooted trees so")
        return fillers.contracted(as_rooted(found, outgroup, rooted))
    if tree is not None:
        msg = "tree= chooses one tree, and join=True takes all of them: give one of the two"
        raise ValueError(msg)
    names = file.names
    if not names:
        raise ParseError("no tree in it", path=file.path)
    trees = [as_rooted(file.read(k, **how), None, rooted) for k in range(len(names))]
    _log.info("%s: %d trees, joined under one root", file.path or "<string>", len(trees))
    if len(trees) > 1:
        note("a joined forest", f"{len(trees)} trees joined under one root, which is not a taxon")
    return fillers.contracted(as_rooted(join_hierarchies(trees, names=names), outgroup, None))


def _trifurcates(hierarchy: Hierarchy) -> bool:
    """Tell whether the root has three children and all other inner nodes have two."""
    degree = hierarchy.n_children[hierarchy.n_leaves :]
    return degree.size > 1 and int(degree[-1]) == 3 and bool((degree[:-1] == 2).all())


def each_of(
    file: TreeFile, *, outgroup: Any = None, rooted: bool | None = None, placeholders: PlaceholderNames = True
) -> list[tuple[str | None, Hierarchy]]:
    """Read every tree of a file, with its name. Parameters as of `one_of`."""
    fillers = Placeholders.of(placeholders)
    return [(name, fillers.contracted(as_rooted(file.read(k), outgroup, rooted))) for k, name in enumerate(file.names)]


def as_rooted(hierarchy: Hierarchy, outgroup: Any, rooted: bool | None) -> Hierarchy:
    """Root a tree as its reader was asked to.

    Parameters
    ----------
    hierarchy : Hierarchy
    outgroup : hashable, list, or "midpoint", optional
        As `Hierarchy.reroot` takes it. Whole numbers match labels that are texts.
    rooted : bool, optional
        True takes the tree as rooted where it is written, False as unrooted. By default as the file says.
    """
    if rooted is not None and not isinstance(rooted, (bool, np.bool_)):
        msg = f"rooted must be True, False or None (as the file says), not {rooted!r}"
        raise TypeError(msg)
    if outgroup is not None:
        if rooted is not None and not rooted:
            msg = "rooted=False leaves a tree without a root, and outgroup= gives it one: give one of the two"
            raise ValueError(msg)
        given = list(outgroup) if isinstance(outgroup, (list, set, frozenset)) else [outgroup]
        if outgroup == "midpoint":
            return hierarchy.reroot("midpoint")
        return hierarchy.reroot([str(x) if type(x) is int and x not in hierarchy.leaves else x for x in given])
    if rooted is None or bool(rooted) == hierarchy.rooted:
        return hierarchy
    return hierarchy._but(rooted=bool(rooted))


def join_hierarchies(hierarchies: Sequence[Hierarchy], *, names: Sequence[str | None] | None = None) -> Hierarchy:
    """Join hierarchies that share no leaves, such as language families, as the children of one root.

    Parameters
    ----------
    hierarchies : sequence of Hierarchy
    names : sequence of str or None, optional
        A name for each hierarchy, for roots without one.

    Returns
    -------
    Hierarchy
        Each hierarchy is a clade of it. The root says only that the hierarchies differ: it has no name.

    Raises
    ------
    DuplicateLeafError
        If two hierarchies share a leaf. `tripletree.supertree` combines such.

    Examples
    --------
    >>> from tripletree import parse_newick, write_newick
    >>> write_newick(join_hierarchies([parse_newick("((a,b),c);"), parse_newick("(d,e);")]))
    '(((a,b),c),(d,e));'
    """
    trees = [check_rooted(h) for h in hierarchies]
    if not trees:
        msg = "there are no hierarchies to join; give at least one"
        raise ValueError(msg)
    called = [None] * len(trees) if names is None else list(names)
    labels = [x for h in trees for x in h.leaves]
    try:
        index = LeafIndex(labels)
    except DuplicateLeafError as error:
        first, second = [k for k, h in enumerate(trees) if error.labels[0] in h.leaves][:2]
        where = f": {error.labels[0]!r} is in trees {first} and {second}. Only trees without common leaves are joined; "
        raise DuplicateLeafError(error.labels, where=where + "supertree combines the others") from None
    n, root = len(labels), sum(h.n_nodes for h in trees)
    parts: list[tuple[np.ndarray, np.ndarray]] = []  # of each tree, the parents of leaves and of inner nodes
    of_inner: list[str | None] = []
    leaf_at, inner_at = 0, n
    for h, name in zip(trees, called, strict=True):
        number = np.concatenate(
            [np.arange(leaf_at, leaf_at + h.n_leaves), np.arange(inner_at, inner_at + h.n_nodes - h.n_leaves)]
        )
        up = np.append(number, root)[h.parent]  # -1 is the last entry: the new root
        parts.append((up[: h.n_leaves], up[h.n_leaves :]))
        own = list(h.names or [None] * (h.n_nodes - h.n_leaves))
        if own and own[-1] is None:
            own[-1] = name
        of_inner += own
        leaf_at, inner_at = leaf_at + h.n_leaves, inner_at + h.n_nodes - h.n_leaves

    def joined(values: Callable[[Hierarchy], Any], none: Any) -> np.ndarray | None:
        """Return values of the nodes of all trees, in the new order."""
        found = [values(h) for h in trees]
        if all(x is None for x in found):
            return None
        found = [np.full(h.n_nodes, none) if x is None else np.asarray(x) for x, h in zip(found, trees, strict=True)]
        leaves = [x[: h.n_leaves] for x, h in zip(found, trees, strict=True)]
        inner = [x[h.n_leaves :] for x, h in zip(found, trees, strict=True)]
        return np.concatenate([*leaves, *inner, np.array([none])])

    width = max((h._support.shape[1] for h in trees if h._support is not None), default=0)
    ranks = joined(lambda h: None if h.ranks is None else np.array(h.ranks, object), None)
    return Hierarchy(
        np.concatenate([*(x for x, _ in parts), *(y for _, y in parts), [-1]]),
        index,
        length=joined(lambda h: h.length, np.nan),
        names=[*of_inner, None],
        ranks=None if ranks is None else ranks.tolist(),
        incertae_sedis=joined(lambda h: h.incertae_sedis, False),
        synonyms={x: y for h in trees for x, y in h.synonyms.items()},
        support=np.concatenate([*(_supports(h, width) for h in trees), np.full((1, width), np.nan)]) if width else None,
    )


def _supports(hierarchy: Hierarchy, width: int) -> np.ndarray:
    """Return the support of the inner nodes in `width` columns."""
    found = np.full((hierarchy.n_nodes - hierarchy.n_leaves, width), np.nan)
    if hierarchy._support is not None:
        found[:, : hierarchy._support.shape[1]] = hierarchy._support
    return found
