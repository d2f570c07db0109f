"""Hierarchies from the root down: leaves split by their triplets, and by a rule where these tie them together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.errors import LimitExceededError
from tripletree.hierarchy import Hierarchy

__all__ = ["MOST_EXACT", "Rule", "Tick", "exact_rule", "exact_split", "ladder", "shown_by", "split_all"]

#: Leaves beyond which a group is not split exactly: 3**15 splits are looked at.
MOST_EXACT = 15
#: Leaves up to which plain Python will do for that.
_FEW = 7

#: Triplets inside a group of leaves 0..k-1, their weights, and k -> the side of each leaf, 0 or 1, both occurring; None
#: to have them split off one by one.
Rule = Callable[[np.ndarray, np.ndarray, int], "np.ndarray | None"]
#: Told how many leaves have found their place.
Tick = Callable[[int], object]


def split_all(rows: np.ndarray, weight: np.ndarray, k: int, rule: Rule, tick: Tick | None = None) -> Hierarchy:
    """Make a binary hierarchy from the root down.

    Leaves are split into the components of the graph with an edge ab for each triplet ab|c among them: no triplet
    is lost by that. What is connected is split by the rule.

    Parameters
    ----------
    rows : ndarray of int32, shape (m, 3), read-only
    weight : ndarray of float64, shape (m,), read-only
    k : int
        Number of leaves, at least 2.
    rule : callable
    tick : callable, optional

    Returns
    -------
    Hierarchy
        Over the leaves 0..k-1.

    Examples
    --------
    >>> rows, weight = np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0])
    >>> split_all(rows, weight, 3, exact_split).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    up = np.full(2 * k - 1, -1, np.int32)
    number = np.empty(k, np.int32)
    fresh = iter(range(k, 2 * k - 1))
    groups = deque([(np.arange(k, dtype=np.int32), np.arange(len(rows)), next(fresh))])
    while groups:
        leaves, inside, v = groups.popleft()
        number[leaves] = np.arange(leaves.size, dtype=np.int32)
        own, w = freeze(number[rows[inside]]), freeze(weight[inside])
        label = _first_split(own, w, leaves.size, rule)
        if label is None:
            _hang_ladder(leaves[_kernels.bisection.peel(own, w, leaves.size)], v, fresh, up)
            size = leaves.size
        else:
            ends = label[own]
            at = np.where((ends[:, 0] == ends[:, 1]) & (ends[:, 0] == ends[:, 2]), ends[:, 0], -1)
            parts = _parts(leaves, label, inside, at)
            items = [int(x[0]) if x.size == 1 else next(fresh) for x, _ in parts]
            _hang_balanced(items, v, fresh, up)
            groups.extend((*part, u) for part, u in zip(parts, items, strict=True) if part[0].size > 1)
            size = sum(part[0].size == 1 for part in parts)
        if tick is not None:
            tick(size)
    return Hierarchy(up, k)


def _first_split(own: np.ndarray, w: np.ndarray, k: int, rule: Rule) -> np.ndarray | None:
    """A part for each leaf, at least two parts; None where the leaves are to be split off one by one."""
    if len(own) == 0:
        return np.arange(k)
    label, parts = _kernels.bisection.components(own, k)
    return label if parts > 1 else rule(own, w, k)


def _parts(
    leaves: np.ndarray, label: np.ndarray, inside: np.ndarray, at: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The leaves of each part, with the triplets that lie inside it (`at` says in which, -1 for none)."""
    size = np.bincount(label)
    grouped = np.split(leaves[np.argsort(label, kind="stable")], np.cumsum(size)[:-1])
    count = np.bincount(at + 1, minlength=size.size + 1)
    rest = np.split(inside[np.argsort(at, kind="stable")], np.cumsum(count)[:-1])[1:]
    return list(zip(grouped, rest, strict=True))


def _hang_balanced(items: list[int], v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Hang nodes below v, two and two first where there are more than two."""
    waiting = deque(items)
    while len(waiting) > 2:
        u = next(fresh)
        up[waiting.popleft()] = up[waiting.popleft()] = u
        waiting.append(u)
    for u in waiting:
        up[u] = v


def _hang_ladder(order: np.ndarray, v: int, fresh: Iterator[int], up: np.ndarray) -> None:
    """Hang leaves below v, each beside all that come after it."""
    for x in order[:-2].tolist():
        u = next(fresh)
        up[x], up[u] = v, v
        v = u
    up[order[-2:]] = v


def ladder(rows: np.ndarray, weight: np.ndarray, k: int) -> Hierarchy:
    """Make the hierarchy that splits the leaves off one by one: it displays at least a third of the weight.

    Examples
    --------
    >>> ladder(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3).parent.tolist()
    [3, 3, 4, 4, -1]
    """
    up = np.full(2 * k - 1, -1, np.int32)
    _hang_ladder(_kernels.bisection.peel(rows, weight, k), k, iter(range(k + 1, 2 * k - 1)), up)
    return Hierarchy(up, k)


def shown_by(hierarchy: Hierarchy, rows: np.ndarray) -> np.ndarray:
    """Tell for each row whether the hierarchy, over the same leaf numbers, displays it.

    Examples
    --------
    >>> shown_by(Hierarchy([3, 3, 4, 4, -1]), np.array([[0, 1, 2], [1, 2, 0]], np.int32)).tolist()
    [True, False]
    """
    return _kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table) == 2


def exact_split(rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """The first split of a hierarchy that displays the greatest weight; a `Rule` for a few leaves.

    Examples
    --------
    >>> exact_split(np.array([[0, 1, 2], [1, 2, 0]], np.int32), np.array([2.0, 1.0]), 3).tolist()
    [1, 1, 0]
    """
    kernels = _kernels.fast("subsets") if k > _FEW else _kernels.subsets
    return kernels.best_split(rows, weight, k)


def exact_rule(rows: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """`exact_split`, refused for more than `MOST_EXACT` leaves.

    Raises
    ------
    LimitExceededError
    """
    if k > MOST_EXACT:
        msg = (
            f"the triplets tie {k:,} leaves together, more than the {MOST_EXACT} up to which repair(method='exact') "
            "goes (its time triples with each leaf); take method='auto', which is exact where groups are small"
        )
        raise LimitExceededError(msg, size=k, limit=MOST_EXACT)
    return exact_split(rows, weight, k)
