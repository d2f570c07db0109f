"""The cheapest assignment of nodes to k clusters in which no two neighbours share one: cost[v, c], v in cluster c.

Branch and bound (`search`): the node with the fewest clusters left comes next (DSATUR; of several, that which loses
most without its best one), its clusters from the cheapest on. Bound: each open node at its best cluster, and for every
edge whose ends both want the same one, what one of them has to lose. Before that, a feasible assignment is improved
by exchanges of clusters; both end after so much work (`improve`).

    start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
    cost : float64[m, k], read-only
    whole : int32[8, m], real : float64[4, m], taken : int32[m, k], where : int64[4]: a search's state, from `ready`

Oracle: every assignment, in turn. Works on nodes lo..hi-1, a connected part with nothing but its own edges.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner, njit
from tripletree._kernels.cluster_exchange import exchange

__all__ = ["improve", "ready", "search"]

VALUE, HELD, FREE, BEST, CHOSEN, USED, FORCED, MARK = range(8)
LEAST, SECOND, BOUND, REST = range(4)
DEPTH, MODE, WAITING, STEPS = range(4)
_DESCEND, _ADVANCE = 0, 1

#: What sums may differ by and still be the same, as a part of them.
_ROUNDING = 1e-12
#: Costs and neighbours that the search of each part may look at, whatever the others took.
_LEAST = 10_000


@njit
def ready(cost):
    """The state of a search over all nodes, before the first step: whole, real, taken, where."""
    m, k = cost.shape
    whole, real = np.zeros((8, m), np.int32), np.zeros((4, m))
    taken, where = np.zeros((m, k), np.int32), np.zeros(4, np.int64)
    for v in range(m):
        whole[BEST, v] = -1
        whole[VALUE, v] = -1
        _look(cost, taken, v, whole, real)
    return whole, real, taken, where


@inner
def _look(cost, taken, v, whole, real):
    """Note how many clusters are left to v, and what the two cheapest of them cost."""
    count = 0
    least, second = np.inf, np.inf
    for c in range(cost.shape[1]):
        if taken[v, c] == 0:
            count += 1
            if cost[v, c] < least:
                second = least
                least = cost[v, c]
            elif cost[v, c] < second:
                second = cost[v, c]
    whole[FREE, v], real[LEAST, v], real[SECOND, v] = count, least, second


@inner
def _put(start, near, cost, u, c, whole, real, taken, where):
    """Give u cluster c; by how much that raises the bound of the open neighbours, infinite where one has none left."""
    rise = 0.0
    for e in range(start[u], start[u + 1]):
        v = near[e]
        if whole[HELD, v]:
            continue
        taken[v, c] += 1
        if taken[v, c] == 1:
            before = real[LEAST, v]
            _look(cost, taken, v, whole, real)
            if whole[FREE, v] == 0:
                rise = np.inf
            else:
                rise += real[LEAST, v] - before
                if whole[FREE, v] == 1 and where[WAITING] < whole.shape[1]:
                    whole[FORCED, where[WAITING]] = v
                    where[WAITING] += 1
    return rise


@inner
def _take_back(start, near, cost, u, c, whole, real, taken):
    for e in range(start[u], start[u + 1]):
        v = near[e]
        if not whole[HELD, v]:
            taken[v, c] -= 1
            if taken[v, c] == 0:
                _look(cost, taken, v, whole, real)


@inner
def _forced(whole, where):
    """An open node that has one cluster left, of those that were seen to become so; -1 for none."""
    while where[WAITING] > 0:
        where[WAITING] -= 1
        v = whole[FORCED, where[WAITING]]
        if not whole[HELD, v] and whole[FREE, v] == 1:
            return v
    return -1


@inner
def _next_node(priority, lo, hi, whole, real):
    """The open node with the fewest clusters left, then the greatest loss, then the greatest priority."""
    best = -1
    for v in range(lo, hi):
        if whole[HELD, v]:
            continue
        if best >= 0:
            if whole[FREE, v] > whole[FREE, best]:
                continue
            if whole[FREE, v] == whole[FREE, best]:
                mine, other = real[SECOND, v] - real[LEAST, v], real[SECOND, best] - real[LEAST, best]
                if mine < other or (mine == other and priority[v] <= priority[best]):
                    continue
        best = v
    return best


@inner
def _clashes(start, near, cost, taken, lo, hi, whole, real):
    """What is lost at least because neighbours want the same cluster: no node's loss is counted twice."""
    for v in range(lo, hi):
        real[REST, v] = 0.0
        whole[MARK, v] = -1
        if not whole[HELD, v]:
            real[REST, v] = real[SECOND, v] - real[LEAST, v]
            for c in range(cost.shape[1]):
                if taken[v, c] == 0 and cost[v, c] == real[LEAST, v]:
                    whole[MARK, v] = c
                    break
    total = 0.0
    for v in range(lo, hi):
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if whole[MARK, v] < 0 or w < v or whole[MARK, w] != whole[MARK, v]:
                continue
            loss = min(real[REST, v], real[REST, w])
            if loss == np.inf:
                return np.inf
            total += loss
            real[REST, v] -= loss
            real[REST, w] -= loss
    return total


@inner
def _next_cluster(cost, taken, u, last, most):
    """The cluster of u that comes after `last` in the order of (cost, number), below number `most`; -1 for none."""
    best = -1
    for c in range(most):
        if taken[u, c] > 0 or c == last:
            continue
        if last >= 0 and (cost[u, c] < cost[u, last] or (cost[u, c] == cost[u, last] and c < last)):
            continue
        if best < 0 or cost[u, c] < cost[u, best]:
            best = c
    return best


@inner
def _bound_at(depth, lo, hi, real):
    """What the first `depth` nodes chosen cost, and the others at least; nothing else is given a cluster at depth 0."""
    if depth > 0:
        return real[BOUND, lo + depth - 1]
    total = 0.0
    for v in range(lo, hi):
        total += real[LEAST, v]
    return total


@njit
def search(start, near, cost, priority, lo, hi, symmetric, limit, best, whole, real, taken, where):
    """Go on with a search for an assignment cheaper than `best`, for `limit` more nodes.

    Returns the cost of the best one so far, in whole[BEST], and whether the search is over: then it is the cheapest
    (or, where whole[BEST] was never set, there is none cheaper than `best`).

    priority : float64[m], read-only; symmetric : bool, clusters are alike, so that new ones are opened in their order
    """
    k = cost.shape[1]
    depth, mode = where[DEPTH], where[MODE]
    steps = 0
    while True:
        if mode == _DESCEND:
            if steps == limit:
                where[DEPTH], where[MODE] = depth, mode
                return best, False
            steps += 1
            where[STEPS] += 1
            bound = _bound_at(depth, lo, hi, real)
            mode = _ADVANCE
            if bound >= best - _ROUNDING * abs(best):
                continue
            if depth == hi - lo:
                best = bound
                for v in range(lo, hi):
                    whole[BEST, v] = whole[VALUE, v]
                continue
            u = _forced(whole, where)
            if u < 0:
                bound += _clashes(start, near, cost, taken, lo, hi, whole, real)
                if bound >= best - _ROUNDING * abs(best) or bound == np.inf:
                    continue
                u = _next_node(priority, lo, hi, whole, real)
            whole[HELD, u] = 1
            whole[CHOSEN, lo + depth] = u
            depth += 1
        elif depth == 0:
            return best, True
        else:
            u = whole[CHOSEN, lo + depth - 1]
            last = whole[VALUE, u]
            if last >= 0:
                _take_back(start, near, cost, u, last, whole, real, taken)
            used = whole[USED, lo + depth - 2] if depth > 1 else 0
            c = _next_cluster(cost, taken, u, last, min(k, used + 1) if symmetric else k)
            whole[VALUE, u] = c
            if c < 0:
                whole[HELD, u] = 0
                depth -= 1
                continue
            bound = _bound_at(depth - 1, lo, hi, real) - real[LEAST, u] + cost[u, c]
            if bound >= best - _ROUNDING * abs(best):  # so will the dearer ones be
                whole[VALUE, u] = -1
                whole[HELD, u] = 0
                depth -= 1
                continue
            bound += _put(start, near, cost, u, c, whole, real, taken, where)
            real[BOUND, lo + depth - 1] = bound
            whole[USED, lo + depth - 1] = max(used, c + 1)
            mode = _ADVANCE if bound == np.inf else _DESCEND


@inner
def _dive(start, near, cost, priority, lo, hi, label, whole, real, taken, where):
    """Give each node, in the order of the search, its cheapest cluster left: what that costs, infinite if one has none.

    Takes time O(e + s (s + k^2)) for s nodes and e edges. The state is then that of a search not begun.
    """
    total = 0.0
    where[WAITING] = 0
    for v in range(lo, hi):
        label[v] = -1
    while True:
        u = _forced(whole, where)
        if u < 0:
            u = _next_node(priority, lo, hi, whole, real)
        if u < 0:
            break
        c = _next_cluster(cost, taken, u, -1, cost.shape[1])
        label[u], whole[HELD, u] = c, 1
        total += cost[u, c]
        if _put(start, near, cost, u, c, whole, real, taken, where) == np.inf:
            total = np.inf
            break
    for v in range(lo, hi):
        whole[HELD, v] = 0
        for c in range(cost.shape[1]):
            taken[v, c] = 0
        _look(cost, taken, v, whole, real)
    where[WAITING] = 0
    return total


@inner
def _sum(cost, lo, hi, label):
    """What a part costs; infinite where a node has no cluster."""
    total = 0.0
    for v in range(lo, hi):
        if label[v] < 0:
            return np.inf
        total += cost[v, label[v]]
    return total


@njit
def improve(start, near, cost, priority, blocks, label, other, exchanging, searching):
    """Make a feasible assignment cheaper, connected part by connected part: int32[m].

    Also for how many parts no assignment is cheaper.

    blocks : int32[count + 1], read-only, the first node of each part, and m
    other : int32[m], read-only, another one, where it is cheaper; -1 in parts where there is none
    exchanging, searching : int, costs and neighbours looked at in the exchanges and in the searches of all parts, at
        most; what the first parts leave of their shares goes to the others. In searches each part gets 10,000 at least
    """
    m, k = cost.shape
    out, tried = label.copy(), label.copy()
    whole, real, taken, where = ready(cost)
    lists, pairs = np.empty((4, m), np.int32), np.empty((3, k), np.int32)
    least = min(searching, _LEAST)
    proved, count = 0, len(blocks) - 1
    for p in range(count):
        lo, hi = blocks[p], blocks[p + 1]
        share = exchanging // (count - p)
        total, others = _sum(cost, lo, hi, out), _sum(cost, lo, hi, other)
        if others < total - _ROUNDING * abs(total):
            for v in range(lo, hi):
                out[v] = other[v]
            total = others
        size = hi - lo
        if size * (size + k * k) <= share:
            exchanging -= size * (size + k * k)
            others = _dive(start, near, cost, priority, lo, hi, tried, whole, real, taken, where)
            if others < total - _ROUNDING * abs(total):
                for v in range(lo, hi):
                    out[v] = tried[v]
        exchanging -= exchange(start, near, cost, lo, hi, out, lists, pairs, share)
        for i in range(len(where)):
            where[i] = 0
        step = size * k + start[hi] - start[lo]
        limit = max(1, max(searching // (count - p), least) // step)
        best = _sum(cost, lo, hi, out)
        _, over = search(start, near, cost, priority, lo, hi, False, limit, best, whole, real, taken, where)
        searching = max(0, searching - where[STEPS] * step)
        if over:
            proved += 1
        if whole[BEST, lo] >= 0:
            for v in range(lo, hi):
                out[v] = whole[BEST, v]
            if not over:
                exchanging -= exchange(start, near, cost, lo, hi, out, lists, pairs, exchanging // (count - p))
    return out, proved
