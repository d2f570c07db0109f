"""The argument `items` of `attach`: mappings, tables of two columns, or pairs that assign items to nodes."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tripletree.core.checks import check_choice, is_missing
from tripletree.errors import SHOWN, InvalidHierarchyError

#: Advice of `attach` where nodes are unknown, by its argument `missing`.
UNKNOWN_NODES = {"raise": "missing='ignore' leaves them out", "ignore": "leaving them out leaves no item"}


def item_pairs(
    mapping: Any, known: Any = (), *, missing: str = "raise", noun: str = "node"
) -> tuple[list[Any], list[Any]]:
    """Return all pairs of an item and a node as two parallel lists, in order.

    A list, tuple, set or array instead of a node means several nodes, unless it is a tuple in `known`.
    """
    check_choice(missing, "missing", ("raise", "ignore"))
    items: list[Any] = []
    nodes: list[Any] = []
    nodeless: list[Any] = []
    for item, node in _pairs(mapping):
        if isinstance(node, str):
            items.append(item)
            nodes.append(node)
            continue
        several = _several(node, known)
        if not several:
            nodeless.append(item)
        items.extend([item] * len(several))
        nodes.extend(several)
    if nodeless and (missing == "raise" or not items):
        one = len(nodeless) == 1
        msg = (
            f"{len(nodeless)} {'item has' if one else 'items have'} no {noun}: {listed(nodeless)}; "
            f"give {'it' if one else 'them'} a {noun}, or leave {'it' if one else 'them'} out"
        )
        raise InvalidHierarchyError(msg)
    return items, nodes


def _pairs(mapping: Any) -> Iterable[tuple[Any, Any]]:
    """Iterate over pairs of an item and the entry for its nodes."""
    if isinstance(mapping, (str, bytes, os.PathLike)):
        msg = (
            f"expected a mapping from items to nodes, got the text {str(mapping)!r:.80}; "
            "if that is a file, read it first, with read_annotations"
        )
        raise TypeError(msg)
    if isinstance(mapping, Mapping):
        return mapping.items()
    if type(mapping).__name__ == "DataFrame" and hasattr(mapping, "columns"):
        columns = list(mapping.columns)
        if len(columns) != 2:
            names = ", ".join(map(repr, columns[:8]))
            msg = f"expected a table of two columns, the item and its node, got {len(columns)}: {names}"
            raise ValueError(msg)
        # by position, as both columns may have the same name
        first, second = (mapping.iloc[:, k] if hasattr(mapping, "iloc") else mapping[columns[k]] for k in (0, 1))
        return zip(first.to_list(), second.to_list(), strict=True)
    if type(mapping).__name__ == "Series" and hasattr(mapping, "index"):
        return zip(mapping.index.to_list(), mapping.to_list(), strict=True)
    if not hasattr(mapping, "__iter__"):
        msg = f"expected a mapping from items to nodes, or pairs (item, node), got {type(mapping).__name__}"
        raise TypeError(msg)
    return _check_pairs(mapping)


def _check_pairs(pairs: Iterable[Any]) -> Iterator[tuple[Hashable, Any]]:
    for k, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
            msg = f"entry {k} is {pair!r:.80}; expected a pair (item, node)"
            raise ValueError(msg)
        yield pair[0], pair[1]


def _several(node: Any, known: Any) -> Sequence[Any]:
    """Return the nodes of one entry, an empty list for a missing value."""
    if isinstance(node, np.ndarray):
        return node.ravel().tolist()
    if isinstance(node, list):
        return node
    if isinstance(node, (set, frozenset)):
        return sorted(node, key=repr)
    if isinstance(node, tuple):
        return [node] if node in known else node
    return [] if is_missing(node) and node not in known else [node]


def listed(things: Sequence[Any]) -> str:
    """Format the first entries of a list, and how many more there are."""
    shown = ", ".join(repr(x) for x in things[:SHOWN])
    return shown + (f" and {len(things) - SHOWN} more" if len(things) > SHOWN else "")
