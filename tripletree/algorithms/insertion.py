"""How many binary hierarchies display some triplets, estimated: leaves are inserted one by one, at random.

Each binary hierarchy comes of exactly one series of insertions, so the number is the sum over all series of the product
of the numbers of places that the triplets allow. Many hierarchies grow side by side (sequential Monte Carlo), each
leaf goes to a place that violates no triplet of the leaves so far, and hierarchies with few places are replaced by
copies of hierarchies with many. The estimate of the number is unbiased. `tripletree.algorithms.information_content`
uses it where the exact sum is too long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Row = tuple[int, int, int]

#: 1,000 hierarchies grow side by side, in each of 4 independent batches.
_GROWN, _BATCHES = 1000, 4
#: Bytes for the ancestors of all nodes of a batch, and the fewest hierarchies that it is to have.
_BYTES, _FEWEST = 100_000_000, 100


def estimated_bits(rows: Sequence[Row]) -> tuple[float, float] | None:
    """Estimate the base-2 logarithm of the number of binary hierarchies of the leaves in some triplets.

    Parameters
    ----------
    rows : sequence of (a, b, c)
        Consistent triplets of integers.

    Returns
    -------
    (float, float) or None
        The logarithm, and its standard error by independent batches. None where there are too many leaves, or all
        hierarchies came to a dead end in more than half of the batches.
    """
    order = _in_order(rows)
    grown = min(_GROWN, _BYTES // (2 * len(order) - 1) ** 2)
    if grown < _FEWEST:
        return None
    logs = np.array([_grow(rows, order, grown, np.random.default_rng(seed)) for seed in range(_BATCHES)]) / np.log(2)
    if 2 * np.isfinite(logs).sum() < _BATCHES:
        return None
    share = np.exp2(logs - logs.max())
    error = share.std(ddof=1) / np.sqrt(_BATCHES) / share.mean() / np.log(2)
    return float(logs.max() + np.log2(share.mean())), float(error)


def _in_order(rows: Sequence[Row]) -> list[int]:
    """The leaves, next always the one that completes most triplets, then the one that most have begun with."""
    has: dict[int, list[int]] = {}
    for k, row in enumerate(rows):
        for x in row:
            has.setdefault(x, []).append(k)
    placed, order, left = [0] * len(rows), [], dict.fromkeys(has)
    while left:
        best = max(left, key=lambda x: (sum(placed[k] == 2 for k in has[x]), sum(placed[k] == 1 for k in has[x]), -x))
        order.append(best)
        del left[best]
        for k in has[best]:
            placed[k] += 1
    return order


def _grow(rows: Sequence[Row], order: list[int], grown: int, rng: np.random.Generator) -> float:
    """The natural logarithm of the estimate of one batch, -inf where all came to a dead end."""
    node = {x: max(2 * i - 1, 0) for i, x in enumerate(order)}  # leaf i comes with the inner node after it
    place = {x: i for i, x in enumerate(order)}
    complete: list[list[Row]] = [[] for _ in order]
    for row in rows:
        complete[max(place[x] for x in row)].append(row)
    each, nodes = np.arange(grown), 2 * len(order) - 1
    above = np.zeros((grown, nodes, nodes), np.bool_)  # [g, u, v]: v is u or an ancestor of it
    size = np.zeros((grown, nodes), np.int32)  # leaves at or below
    above[:, 0, 0], size[:, 0] = True, 1
    logs, total = np.zeros(grown), 0.0
    for i, x in enumerate(order[1:], 1):
        leaf, inner = 2 * i - 1, 2 * i
        free = np.zeros((grown, nodes), np.bool_)
        free[:, :leaf] = True
        for a, b, c in complete[i]:
            if x == c:  # not inside the smallest clade of a and b
                both = above[:, node[a], :leaf] & above[:, node[b], :leaf]
                low = np.where(both, size[:, :leaf], np.iinfo(np.int32).max).argmin(axis=1)
                inside = above[each, :, low]
                inside[each, low] = False
                free &= ~inside
            else:  # inside the largest clade of the other one without c, or beside it
                mate = above[:, node[b if x == a else a], :leaf] & ~above[:, node[c], :leaf]
                high = np.where(mate, size[:, :leaf], -1).argmax(axis=1)
                free &= above[each, :, high]
        count = free.sum(axis=1)
        if not count.any():
            return -np.inf
        with np.errstate(divide="ignore"):
            logs = logs + np.log(count)
        chosen = (
            np.cumsum(free, axis=1) > (rng.random(grown) * np.maximum(count, 1)).astype(np.int64)[:, None]
        ).argmax(1)
        up = above[each, chosen]
        up[each, chosen] = False
        above[:, :, inner] = above[each, :, chosen]
        above[:, inner], above[:, leaf] = up, up
        above[:, inner, inner] = above[:, leaf, inner] = above[:, leaf, leaf] = True
        size[:, inner], size[:, leaf] = size[each, chosen] + 1, 1
        size += up
        share = np.exp(logs - logs.max())
        if share.sum() ** 2 < 0.5 * grown * (share**2).sum():
            total += float(logs.max() + np.log(share.mean()))
            ends = np.cumsum(share) / share.sum()
            kept = np.minimum(np.searchsorted(ends, (rng.random() + each) / grown), grown - 1)
            above, size, logs = above[kept], size[kept], np.zeros(grown)
    return total + float(logs.max() + np.log(np.exp(logs - logs.max()).mean()))
