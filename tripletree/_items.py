"""What a user may give to say which item belongs under which node: mappings, tables of two columns, pairs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tripletree.errors import SHOWN, InvalidHierarchyError, NotATreeError, UnknownLeafError
from tripletree.leaves import LeafIndex

__all__ = ["item_pairs", "listed", "one_node_each"]


def item_pairs(mapping: Any, known: Any = ()) -> tuple[list[Any], list[Any]]:
    """All pairs of an item and a node, in order: the items, and the node of each, as they are called.

    A list, tuple, set or array in the place of a node stands for several nodes, but for a tuple that is in `known`.
    """
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
    if nodeless:
        one = len(nodeless) == 1
        msg = (
            f"{len(nodeless)} {'item has' if one else 'items have'} no node: {listed(nodeless)}; "
            f"say where {'it belongs' if one else 'they belong'}, or leave {'it' if one else 'them'} out"
        )
        raise InvalidHierarchyError(msg)
    if not items:
        msg = "no item is given, and a hierarchy needs at least one leaf"
        raise InvalidHierarchyError(msg)
    return items, nodes


def listed(things: Sequence[Any]) -> str:
    """The first things of a list as text, and how many more there are."""
    shown = ", ".join(repr(x) for x in things[:SHOWN])
    return shown + (f" and {len(things) - SHOWN} more" if len(things) > SHOWN else "")


def one_node_each(
    items: list[Any], nodes: list[Any], leaves: LeafIndex, names: Sequence[str | None] | None, parent: np.ndarray
) -> tuple[LeafIndex, np.ndarray]:
    """The different items, and the number of the one node of each, in a tree."""
    number = _numbers(dict.fromkeys(nodes), leaves, names, parent)
    only = dict(zip(items, nodes, strict=True))
    if len(only) < len(items):
        _check_one_node(items, nodes)
    at = np.fromiter(map(number.__getitem__, only.values()), np.int32, len(only))
    return LeafIndex(only), at


def _check_one_node(items: list[Any], nodes: list[Any]) -> None:
    """Refuse items that have several different nodes."""
    first: dict[Any, Any] = {}
    several: dict[Any, dict[Any, None]] = {}
    for item, node in zip(items, nodes, strict=True):
        other = first.setdefault(item, node)
        if other != node:
            several.setdefault(item, {other: None})[node] = None
    if several:
        item, found = next(iter(several.items()))
        others = len(several) - 1
        more = f", and {others} more {'item has' if others == 1 else 'items have'} several" if others else ""
        msg = (
            f"item {item!r} has {len(found)} nodes{more}: {listed(list(found))}; in a tree an item has one: choose one "
            "of them, or hang the items under an Ontology, whose attach takes several"
        )
        raise NotATreeError(msg, node=item, parents=list(found))


def _numbers(
    wanted: dict[Any, None], leaves: LeafIndex, names: Sequence[str | None] | None, parent: np.ndarray
) -> dict[Any, int]:
    """The node that each label or name stands for, which must be one."""
    n = len(leaves)
    plain = isinstance(leaves.labels, range)  # looks long for what is no number
    found = {x: leaves.index(x) for x in wanted if not (plain and isinstance(x, str)) and x in leaves}
    twice: dict[Any, list[int]] = {}
    for u, name in enumerate(names or (), n):
        if name in wanted and name is not None and found.setdefault(name, u) != u:
            twice.setdefault(name, [found[name]]).append(u)
    if len(found) < len(wanted):
        known = [*leaves, *dict.fromkeys(x for x in names or () if x is not None)]
        what = "nodes" if names is not None else "nodes (the inner nodes of this hierarchy have no names)"
        raise UnknownLeafError([x for x in wanted if x not in found], known, what=what)
    if twice:
        ambiguous = [x for x in wanted if x in twice]
        shown = [f"{x!r} ({_places(twice[x], names or (), n, parent)})" for x in ambiguous[:SHOWN]]
        more = f" and {len(twice) - SHOWN} more" if len(twice) > SHOWN else ""
        one = len(twice) == 1
        msg = (
            f"{len(twice)} {'name stands' if one else 'names stand'} for several nodes each: {', '.join(shown)}{more}; "
            "hang the items under nodes whose names occur once, such as ids"
        )
        raise InvalidHierarchyError(msg, node=twice[ambiguous[0]][1])
    return found


def _places(nodes: Sequence[int], names: Sequence[str | None], n: int, parent: np.ndarray) -> str:
    """Where some nodes are: their numbers, and the next name above each."""
    shown = []
    for u in nodes[:4]:
        v = int(parent[u])
        while v >= 0 and names[v - n] is None:
            v = int(parent[v])
        shown.append(f"node {u}" + (f" in {names[v - n]!r}" if v >= 0 else ""))
    return ", ".join(shown) + (f" and {len(nodes) - 4} more" if len(nodes) > 4 else "")


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
    return _checked_pairs(mapping)


def _checked_pairs(pairs: Iterable[Any]) -> Iterator[tuple[Hashable, Any]]:
    for k, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
            msg = f"entry {k} is {pair!r:.80}: a pair of an item and its node is wanted"
            raise ValueError(msg)
        yield pair[0], pair[1]
