"""Make a feasible assignment cheaper by exchanging two clusters on a connected part that has only these (Kempe chains).

Neighbours that differ go on differing, so the assignment stays feasible.

    start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
    cost : float64[m, k], read-only
    label : int32[m], changed; lists : int32[4, m], pairs : int32[3, k], scratch

Oracle: every assignment, in turn.
"""

from __future__ import annotations

from tripletree._kernels._jit import inner

__all__ = ["exchange"]

NEXT, STAMP, QUEUE, MEMBER = range(4)
FIRST, CHANGED, USING = range(3)

#: What sums may differ by and still be the same, as a part of them.
_ROUNDING = 1e-12
#: Rounds over all pairs of clusters, at most.
_ROUNDS = 100


@inner
def exchange(start, near, cost, lo, hi, label, lists, pairs, work):
    """Exchange two clusters on connected parts that have only these, where that is cheaper, until it nowhere is.

    Returns how many costs and neighbours were looked at; it ends after `work` of them.
    """
    k = cost.shape[1]
    for c in range(k):
        pairs[FIRST, c] = -1
        pairs[CHANGED, c] = 0
    for v in range(hi - 1, lo - 1, -1):
        lists[STAMP, v] = -1
        lists[NEXT, v] = pairs[FIRST, label[v]]
        pairs[FIRST, label[v]] = v
    looks, stamp = hi - lo + k, 0
    for now in range(1, _ROUNDS):
        using, again = 0, False
        for c in range(k):
            if pairs[FIRST, c] >= 0:
                pairs[USING, using] = c
                using += 1
        for i in range(using):
            a = pairs[USING, i]
            for b in range(k):
                looks += 1
                if looks > work:
                    return looks
                if b == a or (b < a and pairs[FIRST, b] >= 0) or max(pairs[CHANGED, a], pairs[CHANGED, b]) < now - 1:
                    continue
                stamp += 1
                seen, changed = _exchange_pair(start, near, cost, a, b, label, lists, pairs, stamp)
                looks += seen
                if changed:
                    again = True
                    pairs[CHANGED, a] = pairs[CHANGED, b] = now
        if not again:
            break
    return looks


@inner
def _exchange_pair(start, near, cost, a, b, label, lists, pairs, stamp):
    """Try the connected parts that have only clusters a and b; how many were looked at, and whether any changed."""
    size, looks, ever = 0, 0, False
    for side in range(2):
        v = pairs[FIRST, b if side else a]
        while v >= 0:
            lists[MEMBER, size] = v
            size += 1
            v = lists[NEXT, v]
    for i in range(size):  # a part that gets cheaper has a node that does
        v = lists[MEMBER, i]
        if lists[STAMP, v] != stamp and cost[v, a + b - label[v]] < cost[v, label[v]]:
            seen, changed = _exchange_part(start, near, cost, v, a, b, label, lists, stamp)
            looks += seen
            ever |= changed
    if ever:
        pairs[FIRST, a] = pairs[FIRST, b] = -1
        for i in range(size - 1, -1, -1):
            v = lists[MEMBER, i]
            lists[NEXT, v] = pairs[FIRST, label[v]]
            pairs[FIRST, label[v]] = v
    return looks + size, ever


@inner
def _exchange_part(start, near, cost, seed, a, b, label, lists, stamp):
    count, done, looks = 1, 0, 0
    lists[QUEUE, 0] = seed
    lists[STAMP, seed] = stamp
    change, size = 0.0, 0.0
    while done < count:
        v = lists[QUEUE, done]
        done += 1
        other = a + b - label[v]
        change += cost[v, other] - cost[v, label[v]]
        size += abs(cost[v, other]) + abs(cost[v, label[v]])
        looks += start[v + 1] - start[v]
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if lists[STAMP, w] != stamp and (label[w] == a or label[w] == b):
                lists[STAMP, w] = stamp
                lists[QUEUE, count] = w
                count += 1
    if change >= -_ROUNDING * size:
        return looks, False
    for i in range(count):
        label[lists[QUEUE, i]] = a + b - label[lists[QUEUE, i]]
    return looks, True
