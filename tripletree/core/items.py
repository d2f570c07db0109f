"""What `attach` takes to say which item belongs under which node: mappings, tables of two columns, pairs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.errors import SHOWN, InvalidHierarchyError

__all__ = ["UNKNOWN_NODES", "item_pairs", "listed"]

#: What `attach` says of nodes that are unknown, in a hierarchy and in an ontology.
UNKNOWN_NODES = {"raise": "missing='ignore' leaves them out", "ignore": "missing='ignore' leaves no item"}


def item_pairs(
    mapping: Any, known: Any = (), *, missing: str = "raise", noun: str = "node"
) -> tuple[list[Any], list[Any]]:
    """All pairs of an item and a node, in order: the items, and the node of each, as they are called.

    A list, tuple, set or array in the place of a node stands for several nodes, but for a tuple that is in `known`.
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
            f"say where {'it belongs' if one else 'they belong'}, or leave {'it' if one else 'them'} out"
        )
        raise InvalidHierarchyError(msg)
    return items, nodes


def _pairs(mapping: Any) -> Iterable[tuple[Any, Any]]:
    """Pairs of an item and what is said about its node."""
    if isinstance(mapping, (str, bytes, os.PathLike)):
        msg = (
            f"a mapping from items to nodes is wanted, not the text {str(mapping)!r:.80}; "
            "where that is a file, read it first, with read_annotations"
        )
        raise TypeError(msg)
    if isinstance(mapping, Mapping):
        return mapping.items()
    if type(mapping).__name__ == "DataFrame" and hasattr(mapping, "columns"):
        columns = list(mapping.columns)
        if len(columns) != 2:
            names = ", ".join(map(repr, columns[:8]))
            msg = f"a table of two columns is wanted, the item and its node; this one has {len(columns)}: {names}"
            raise ValueError(msg)
        # by position: the names may be equal
        first, second = (mapping.iloc[:, k] if hasattr(mapping, "iloc") else mapping[columns[k]] for k in (0, 1))
        return zip(first.to_list(), second.to_list(), strict=True)
    if type(mapping).__name__ == "Series" and hasattr(mapping, "index"):
        return zip(mapping.index.to_list(), mapping.to_list(), strict=True)
    if not hasattr(mapping, "__iter__"):
        msg = f"a mapping from items to nodes is wanted, or pairs of both, not {type(mapping).__name__}"
        raise TypeError(msg)
    return _check_pairs(mapping)


def _check_pairs(pairs: Iterable[Any]) -> Iterator[tuple[Hashable, Any]]:
    for k, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
            msg = f"entry {k} is {pair!r:.80}: a pair of an item and its node is wanted"
            raise ValueError(msg)
        yield pair[0], pair[1]


def _several(node: Any, known: Any) -> Sequence[Any]:
    """The nodes that one entry names: none where it is missing."""
    if isinstance(node, np.ndarray):
        return node.ravel().tolist()
    if isinstance(node, list):
        return node
    if isinstance(node, (set, frozenset)):
        return sorted(node, key=repr)
    if isinstance(node, tuple):
        return [node] if node in known else node
    missing = node is None or type(node).__name__ == "NAType" or bool(node != node)
    return [] if missing and node not in known else [node]


def listed(things: Sequence[Any]) -> str:
    """The first things of a list as text, and how many more there are."""
    shown = ", ".join(repr(x) for x in things[:SHOWN])
    return shown + (f" and {len(things) - SHOWN} more" if len(things) > SHOWN else "")
