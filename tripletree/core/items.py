"""What a user may give to say which item belongs under which node: mappings, tables of two columns, pairs."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tripletree.core.leaves import LeafIndex
from tripletree.errors import SHOWN, DuplicateLeafError, InvalidHierarchyError, NotATreeError, UnknownLeafError

__all__ = [
    "UNKNOWN_NODES",
    "check_choice",
    "item_pairs",
    "items_and_leaves",
    "listed",
    "node_called",
    "one_node_each",
    "check_only_leaves",
]

#: What `attach` says of nodes that are unknown, in a hierarchy and in an ontology.
UNKNOWN_NODES = {"raise": "missing='ignore' leaves them out", "ignore": "missing='ignore' leaves no item"}


def check_choice(value: Any, what: str, choices: Sequence[str]) -> None:
    """Refuse what is none of some words."""
    if value not in choices:
        msg = f"{what} must be {' or '.join(map(repr, choices))}, not {value!r}"
        raise ValueError(msg)


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


def listed(things: Sequence[Any]) -> str:
    """The first things of a list as text, and how many more there are."""
    shown = ", ".join(repr(x) for x in things[:SHOWN])
    return shown + (f" and {len(things) - SHOWN} more" if len(things) > SHOWN else "")


def one_node_each(
    items: list[Any],
    nodes: list[Any],
    leaves: LeafIndex,
    names: Sequence[str | None] | None,
    parent: np.ndarray,
    *,
    missing: str = "raise",
) -> tuple[LeafIndex, np.ndarray]:
    """The different items, and the number of the one node of each, in a tree."""
    if not items:
        msg = "no item is given, and a hierarchy needs at least one leaf"
        raise InvalidHierarchyError(msg)
    wanted = dict.fromkeys(nodes)
    advice = "hang the items under nodes whose names occur once, such as ids"
    number = _numbers(
        wanted, leaves, names, parent, partly=missing == "ignore", hint=UNKNOWN_NODES[missing], advice=advice
    )
    if len(number) < len(wanted):
        known = [k for k, x in enumerate(nodes) if x in number]
        items, nodes = [items[k] for k in known], [nodes[k] for k in known]
    only = dict(zip(items, nodes, strict=True))
    if len(only) < len(items):
        _check_one_node(items, nodes)
    at = np.fromiter(map(number.__getitem__, only.values()), np.int32, len(only))
    return LeafIndex(only), at


def items_and_leaves(items: LeafIndex, leaves: list[Any]) -> LeafIndex:
    """The items, then the leaves that stay."""
    clash = [x for x in leaves if x in items]
    if clash:
        raise DuplicateLeafError(clash, where=", as an item and as a leaf that keep='all' keeps")
    return LeafIndex([*items, *leaves])


def node_called(node: Any, leaves: LeafIndex, names: Sequence[str | None] | None, parent: np.ndarray) -> int:
    """The number of one node, which may be given as such where it cannot be a label."""
    numbers = not isinstance(leaves.labels, range) and not any(isinstance(x, int) for x in leaves)
    if isinstance(node, (int, np.integer)) and not isinstance(node, bool) and numbers:
        if not 0 <= node < parent.size:
            msg = f"there is no node {node}: nodes are 0..{parent.size - 1}, the root is {parent.size - 1}"
            raise IndexError(msg)
        return int(node)
    advice = "give the number of the one that you mean" if numbers else "make the names different"
    return next(iter(_numbers({node: None}, leaves, names, parent, advice=advice).values()))


def check_only_leaves(unknown: list[Any], leaves: LeafIndex, names: Sequence[str | None] | None) -> None:
    """Refuse labels that are no leaves in other words where some of them are names of inner nodes."""
    named = set(names or ())
    inner = [x for x in unknown if x in named]
    if not inner:
        return
    if len(inner) == 1:
        hint = f"{inner[0]!r} is an inner node: attach({{{inner[0]!r}: {inner[0]!r}}}) makes it a leaf, or prune"
    else:
        hint = f"{len(inner)} of them are inner nodes: attach({{x: x for x in labels}}) makes them leaves, or prune"
    notes = dict.fromkeys(inner, "an inner node")
    raise UnknownLeafError(unknown, leaves.labels, notes=notes, hint=hint) from None


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
    wanted: dict[Any, None],
    leaves: LeafIndex,
    names: Sequence[str | None] | None,
    parent: np.ndarray,
    *,
    partly: bool = False,
    hint: str = "",
    advice: str,
) -> dict[Any, int]:
    """The node that each label or name stands for, which must be one; `partly` if some, not all, may stand for none."""
    n = len(leaves)
    plain = isinstance(leaves.labels, range)  # looks long for what is no number
    found = {x: leaves.index(x) for x in wanted if not (plain and isinstance(x, str)) and x in leaves}
    twice: dict[Any, list[int]] = {}
    for u, name in enumerate(names or (), n):
        if name in wanted and name is not None and found.setdefault(name, u) != u:
            twice.setdefault(name, [found[name]]).append(u)
    if len(found) < len(wanted) and not (partly and found):
        known = [*leaves, *dict.fromkeys(x for x in names or () if x is not None)]
        what = "nodes" if names is not None else "nodes (the inner nodes of this hierarchy have no names)"
        raise UnknownLeafError([x for x in wanted if x not in found], known, what=what, hint=hint)
    if twice:
        ambiguous = [x for x in wanted if x in twice]
        shown = [f"{x!r} ({_places(twice[x], names or (), n, parent)})" for x in ambiguous[:SHOWN]]
        more = f" and {len(twice) - SHOWN} more" if len(twice) > SHOWN else ""
        one = len(twice) == 1
        stand = "1 name stands" if one else f"{len(twice)} names stand"
        msg = f"{stand} for several nodes each: {', '.join(shown)}{more}; {advice}"
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
    return _check_pairs(mapping)


def _check_pairs(pairs: Iterable[Any]) -> Iterator[tuple[Hashable, Any]]:
    for k, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, (Sequence, np.ndarray)) or len(pair) != 2:
            msg = f"entry {k} is {pair!r:.80}: a pair of an item and its node is wanted"
            raise ValueError(msg)
        yield pair[0], pair[1]
