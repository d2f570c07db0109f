"""Condensed distances under must-links and cannot-links: groups as one, shortest paths, what must not meet on top."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen

__all__ = ["Propagated", "propagated"]

_WORK = 1_000_000_000  # steps of a kernel between two looks at the interrupt


class Propagated(NamedTuple):
    """Distances of groups after propagation.

    Attributes
    ----------
    condensed : ndarray of float64, shape (N * (N - 1) / 2,)
        Distances of the N groups; where a cannot-link keeps two apart it is added to `top`.
    n_groups : int
    top : float
        The largest distance of any two samples, plus 1.
    """

    condensed: np.ndarray
    n_groups: int
    top: float


def propagated(condensed: np.ndarray, component: np.ndarray, cannot: np.ndarray) -> Propagated:
    """Impose and propagate constraints on condensed distances, which are overwritten.

    Parameters
    ----------
    condensed : ndarray of float64, shape (n * (n - 1) / 2,)
    component : ndarray of int32, shape (n,)
        The must-link component of each sample, 0..N-1 in the order of their first samples.
    cannot : ndarray of int, shape (k, 2)
        Components that are kept apart.

    Returns
    -------
    Propagated
        On the same memory.

    Notes
    -----
    Distances of cannot-links are ``top + d`` in the place of ``top``, d what they are without the cannot-link: all are
    above every other, and those of near groups come first, where a tie of all would go by index.
    """
    top = above(condensed)
    size = np.bincount(component)
    n, n_groups = component.size, size.size
    if n_groups < n:
        group = frozen(component, np.int32)
        step = max(1, _WORK // n)
        for low in range(0, n, step):
            _kernels.propagation.contract(condensed, group, n_groups, low, min(low + step, n))
        condensed = condensed[: n_groups * (n_groups - 1) // 2]
        _shortest_paths(condensed, n_groups, np.flatnonzero(size > 1))
    if len(cannot):
        a, b = np.sort(np.asarray(cannot, np.int64), axis=1).T
        condensed[a * n_groups - a * (a + 1) // 2 + b - a - 1] += top
    return Propagated(condensed, n_groups, top)


def above(condensed: np.ndarray) -> float:
    """The largest distance plus 1, or the next number where 1 is lost in rounding."""
    largest = float(condensed.max(initial=0.0))
    return max(largest + 1.0, float(np.nextafter(largest, np.inf)))


def _shortest_paths(condensed: np.ndarray, n: int, linked: np.ndarray) -> None:
    """Paths between n groups that pass only through linked ones, in the place of their distances."""
    kernels, q = _kernels.propagation, linked.size
    direct = kernels.gather(condensed, n, freeze(linked.astype(np.int64)))
    between = np.ascontiguousarray(direct[:, linked])
    step = max(1, _WORK // (q * q))
    for low in range(0, q, step):
        kernels.shorten(between, low, min(low + step, q))
    entry, count, step = [], [], max(1, min(n, _WORK // (100 * q)))
    for low in range(0, n, step):
        block = np.ascontiguousarray(direct[:, low : low + step].T)
        found, number = np.empty(block.shape, np.int32), np.empty(len(block), np.int64)
        kernels.enter(block, np.argsort(block, axis=1, kind="stable"), between, found, number)
        direct[:, low : low + step] = block.T
        entry.append(found[np.arange(q) < number[:, None]])
        count.append(number)
    entries, start = np.concatenate(entry), np.concatenate([[0], *count]).cumsum()
    low = 0
    while low < n:
        # as many rows as come to so much work
        high = min(n, max(low + 1, int(np.searchsorted(start, start[low] + _WORK // n, side="right")) - 1))
        kernels.relax(condensed, n, direct, entries, start, low, high)
        low = high
