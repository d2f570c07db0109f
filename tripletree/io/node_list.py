"""From nodes as a file lists them to a Hierarchy: shared by the readers of XML and JSON trees."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from tripletree.core.confidence import apart
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import SHOWN, InvalidHierarchyError, ParseError

#: A branch length that is not known.
UNKNOWN_LENGTH = re.compile(r"\s*(?:na|n/a|null|none|\?|[-+]?(?:nan|inf|infinity))\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")


def branch_length(text: str | None) -> float | None:
    """Return a branch length as written, NaN for an empty text, nan, NA or inf. None if it is not a number."""
    text = (text or "").strip()
    if not text or UNKNOWN_LENGTH.fullmatch(text):
        return math.nan
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def listed_hierarchy(
    parent: Sequence[int],
    labels: Sequence[Hashable],
    *,
    lengths: Sequence[float],
    ranks: Sequence[str | None] | None = None,
    opened: Sequence[bool] | None = None,
    rooted: bool = True,
    support: np.ndarray | None = None,
    rated: bool = False,
    missing: str,
    error: Callable[[str, int], ParseError],
) -> Hierarchy:
    """Make a hierarchy of nodes listed in any order.

    Parameters
    ----------
    parent : sequence of int
        Position of each node's parent in the list, -1 for the one root.
    labels : sequence of hashable
        Names of leaves and inner nodes alike, or None.
    lengths : sequence of float
        Length of the branch above each node, NaN if unknown.
    ranks : sequence of str or None, optional
    opened : sequence of bool, optional
        The open nodes.
    rooted : bool
    support : ndarray of float, shape (N, k), optional
        Of all nodes.
    rated : bool
        True if numbers in the names of inner nodes are support.
    missing : str
        The message for a leaf without a label.
    error : callable
        Makes the ParseError for a message and the position of the node that it is about.

    Returns
    -------
    Hierarchy
        Leaves in the order of the list.
    """
    up = np.array(parent, np.int32)
    N = up.size
    childless = np.bincount(up[up >= 0], minlength=N) == 0
    # leaves as listed. Inner nodes backwards: where parents are listed first, that puts children first
    old = np.concatenate([np.flatnonzero(childless), np.flatnonzero(~childless)[::-1]])
    n = int(childless.sum())
    at = old.tolist()
    _check_labels(at[:n], labels, missing, error)
    number = np.full(N + 1, -1, np.int32)  # the last entry serves -1: no parent
    number[old] = np.arange(N, dtype=np.int32)
    length = np.array(lengths, np.float64)[old]
    names: list[str | None] | None = [None if labels[u] is None else str(labels[u]) for u in at[n:]]
    given = None if support is None else support[old[n:]]
    found = apart(names) if rated and names is not None else None
    if found is not None:
        names = found[0]
        given = found[1] if given is None else np.where(np.isnan(given[:, :1]), found[1][:, :1], given)
    try:
        return Hierarchy(
            number[up[old]],
            [labels[u] for u in at[:n]],
            length=None if np.isnan(length).all() else length,
            names=names,
            ranks=None if ranks is None else [ranks[u] for u in at],
            incertae_sedis=None if opened is None else [opened[u] and parent[u] >= 0 for u in at],
            rooted=rooted,
            support=given,
        )
    except InvalidHierarchyError as problem:
        if problem.node is None:
            raise
        raise error(
            "this is not a tree: its parents run in a cycle, of which this node is a part", at[problem.node]
        ) from None


def _check_labels(
    leaves: list[int], labels: Sequence[Hashable], missing: str, error: Callable[[str, int], ParseError]
) -> None:
    """Refuse a leaf without a label, and a label that two leaves have, at the second one."""
    seen: set[Hashable] = set()
    for u in leaves:
        label = labels[u]
        if label is None or label == "":
            raise error(missing, u)
        if label in seen:
            raise error(f"the leaf label {label!r} has occurred before; every leaf needs a label of its own", u)
        seen.add(label)


def selected(names: Sequence[str | None], tree: str | int | None, *, path: str | None) -> int:
    """Position of the tree asked for among the trees of a file.

    Parameters
    ----------
    names : sequence of str or None
        The trees in the order of the file.
    tree : str, int or None
        A name, a position (from 0, negative ones from the end), or None for the only tree.
    path : str or None
        The file, for messages.

    Returns
    -------
    int
    """
    if tree is not None and (isinstance(tree, bool) or not isinstance(tree, (str, int))):
        msg = f"tree must be a name, a position from 0, or None for the only tree, not {tree!r}"
        raise TypeError(msg)
    if isinstance(tree, str):
        found = [k for k, x in enumerate(names) if x == tree]
    elif tree is not None:
        found = [tree % len(names)] if names and -len(names) <= tree < len(names) else []
    else:
        found = list(range(len(names)))
    if len(found) == 1:
        return found[0]
    if not names:
        msg = "no tree in it"
    else:
        shown = ", ".join(f"{k}: {x!r}" if x else f"{k}" for k, x in list(enumerate(names))[:SHOWN])
        shown += ", ..." if len(names) > SHOWN else ""
        have = f"{len(names)} {'tree' if len(names) == 1 else 'trees'} in it ({shown})"
        if tree is None:
            msg = f"{have} where one is expected: choose one with tree=0, or use read_hierarchies"
        elif found:
            msg = f"{len(found)} trees are named {tree!r}: choose one by its position; {have}"
        else:
            msg = f"there is no tree {tree!r}; {have}"
    raise ParseError(msg, path=path)
