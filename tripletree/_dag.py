"""What the terms and edges of an ontology must satisfy, and the lists made from them; used by `Ontology`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.errors import DuplicateLeafError, InvalidHierarchyError
from tripletree.leaves import LeafIndex

__all__ = [
    "Links",
    "Numbered",
    "checked_edges",
    "checked_relations",
    "checked_terms",
    "checked_texts",
    "first_edges",
    "first_pairs",
    "links",
    "numbered",
]


class Links(NamedTuple):
    """Parents and children of N terms as concatenated lists, each pair once, in the order of the edges.

    Attributes
    ----------
    up_start, up : int32[N + 1], int32[p]
        The parents of term t are ``up[up_start[t]:up_start[t + 1]]``.
    down_start, down : int32[N + 1], int32[p]
        Its children, likewise.
    order : int32[N]
        The terms, parents before children.
    level : int32[N]
        Number of edges on the longest path from a root to each term.
    """

    up_start: np.ndarray
    up: np.ndarray
    down_start: np.ndarray
    down: np.ndarray
    order: np.ndarray
    level: np.ndarray


class Numbered(NamedTuple):
    """The terms numbered children first, those without children before all others.

    Attributes
    ----------
    term, number : int32[t]
        The term of each number, the number of each term.
    start, up : int32[t + 1], int32[p]
        The parents of number u are ``up[start[u]:start[u + 1]]``, all of them greater than u.
    size : int
        t, or t + 1 where several roots need one above them; ``size - 1`` is the root.
    """

    term: np.ndarray
    number: np.ndarray
    start: np.ndarray
    up: np.ndarray
    size: int


def checked_terms(terms: LeafIndex | Iterable[Hashable]) -> LeafIndex:
    """The terms as a LeafIndex, at least one."""
    if not isinstance(terms, LeafIndex):
        try:
            terms = LeafIndex(terms)
        except DuplicateLeafError as error:
            raise DuplicateLeafError(error.labels, where=" among the terms") from None
    if len(terms) == 0:
        msg = "an ontology needs at least one term, and none is given"
        raise InvalidHierarchyError(msg)
    return terms


def checked_edges(edges: Any, terms: LeafIndex) -> np.ndarray:
    """The edges as read-only int32 of shape (m, 2), in range, none from a term to itself."""
    try:
        array = np.asarray(edges)
    except ValueError:
        msg = "edges must be an array of shape (m, 2), rows (child, parent); these rows differ in length"
        raise InvalidHierarchyError(msg) from None
    if array.size == 0 and (array.ndim < 2 or array.shape[-1] == 2):
        return freeze(np.empty((0, 2), np.int32))
    if array.ndim != 2 or array.shape[1] != 2:
        msg = f"edges must be an array of shape (m, 2), rows (child, parent); this one has shape {array.shape}"
        raise InvalidHierarchyError(msg)
    if array.dtype.kind not in "iu":
        msg = f"edges must hold integers, positions of terms, not {array.dtype}"
        raise InvalidHierarchyError(msg)
    N = len(terms)
    bad = np.flatnonzero(((array < 0) | (array >= N)).any(axis=1))
    if bad.size:
        k = int(bad[0])
        msg = f"edge {k} is {tuple(array[k].tolist())}, but terms are 0..{N - 1}"
        raise InvalidHierarchyError(msg)
    loops = np.flatnonzero(array[:, 0] == array[:, 1])
    if loops.size:
        t = int(array[loops[0], 0])
        msg = f"edge {int(loops[0])} makes term {terms[t]!r} its own parent; {loops.size} such in all: leave them out"
        raise InvalidHierarchyError(msg, node=t)
    return frozen(array)


def checked_texts(values: Any, what: str, N: int) -> tuple[str | None, ...] | None:
    """Names or ranks, one for each term; None when there are none at all."""
    if values is None:
        return None
    texts = tuple(None if x is None or x == "" else str(x) for x in values)
    if len(texts) != N:
        msg = f"{what} must have one entry for each of the {N} terms, not {len(texts)}"
        raise InvalidHierarchyError(msg)
    return texts if any(x is not None for x in texts) else None


def checked_relations(relations: Sequence[str] | None, m: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """The type of each edge as a code (int32[m]), and the types in order of first use."""
    if relations is None:
        return np.zeros(m, np.int32), ("is_a",)
    if isinstance(relations, str):
        msg = f"relations must be a sequence of str, one for each of the {m} edges, not the string {relations!r}"
        raise InvalidHierarchyError(msg)
    number: dict[str, int] = {}
    codes = [number.setdefault(str(x), len(number)) for x in relations]
    if len(codes) != m:
        msg = f"relations must have one entry for each of the {m} edges, not {len(codes)}"
        raise InvalidHierarchyError(msg)
    return np.array(codes, np.int32), tuple(number)


def first_pairs(edges: np.ndarray, N: int) -> np.ndarray:
    """Which edges join a pair (child, parent) that no earlier edge joins."""
    start, place = _kernels.dag.grouped(frozen(edges[:, 0]), N)
    first = np.ones(len(edges), np.bool_)
    first[place[_kernels.dag.repeated(freeze(start), freeze(edges[place, 1]))]] = False
    return first


def first_edges(edges: np.ndarray, codes: np.ndarray, N: int, kinds: int) -> np.ndarray:
    """Numbers of the edges that differ from every earlier one, in order."""
    key = (edges[:, 0].astype(np.int64) * N + edges[:, 1]) * max(kinds, 1) + codes
    return np.sort(np.unique(key, return_index=True)[1])


def links(pairs: np.ndarray, terms: LeafIndex) -> Links:
    """The lists of parents and children of different pairs (child, parent); a cycle is refused by name."""
    child, parent = pairs.T
    up_start, place = _kernels.dag.grouped(frozen(child), len(terms))
    up = freeze(parent[place])
    down_start, place = _kernels.dag.grouped(frozen(parent), len(terms))
    down = freeze(child[place])
    freeze(up_start), freeze(down_start)
    order, level = _kernels.dag.top_down(up_start, down_start, down)
    if order.size < len(terms):
        _refuse_cycle(up_start, up, order, terms)
    return Links(up_start, up, down_start, down, freeze(order), freeze(level))


def numbered(lists: Links) -> Numbered:
    """Number the terms children first, those without children before all others, one root last."""
    childless = np.diff(lists.down_start) == 0
    backward = lists.order[::-1]
    term = np.concatenate([np.flatnonzero(childless).astype(np.int32), backward[~childless[backward]]])
    number = np.empty(term.size, np.int32)
    number[term] = np.arange(term.size, dtype=np.int32)
    size = np.diff(lists.up_start)[term]
    start = np.concatenate([np.zeros(1, np.int32), np.cumsum(size, dtype=np.int32)])
    place = np.repeat(lists.up_start[term] - start[:-1], size) + np.arange(start[-1], dtype=np.int32)
    extra = int((size == 0).sum() > 1)
    up = freeze(number[lists.up[place]])
    return Numbered(freeze(term), freeze(number), freeze(start), up, term.size + extra)


def _refuse_cycle(up_start: np.ndarray, up: np.ndarray, order: np.ndarray, terms: LeafIndex) -> None:
    """Name a cycle: from a term that no order reaches, up through parents that none reaches either."""
    rest = np.ones(len(terms), np.bool_)
    rest[order] = False
    t = int(np.flatnonzero(rest)[0])
    seen: dict[int, int] = {}
    while t not in seen:
        seen[t] = len(seen)
        above = up[up_start[t] : up_start[t + 1]]
        t = int(above[rest[above]][0])
    cycle = [terms[u] for u in list(seen)[seen[t] :]]
    shown = " -> ".join(map(repr, [*cycle[:8], "..."] if len(cycle) > 8 else [*cycle, cycle[0]]))
    msg = f"the parents run in a cycle of {len(cycle)} terms: {shown}; one of these edges must go"
    raise InvalidHierarchyError(msg, node=t)
