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

from tripletree.kernels.jit import inner, njit

__all__ = [
    "begin_mending",
    "exchange",
    "fold",
    "greedy",
    "improve",
    "large_clique",
    "mend",
    "peel",
    "ready",
    "search",
    "unfold",
]


# ----------------------------------------------------------------------
# A graph of nodes that must not be alike: what can be taken off it, greedy assignments, cliques.
#
#     start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
#     cost : float64[m, k], read-only: of node v in cluster c
#
# Oracle: every assignment, in turn.


@njit
def peel(start, near, least):
    """Nodes with fewer than `least` neighbours, taken away again and again, int32[count] in that order.

    Also, for each, the lowest neighbour that was left (-1 for none), int32[count].
    """
    m = len(start) - 1
    degree = np.empty(m, np.int32)
    order, parent = np.empty(m, np.int32), np.full(m, -1, np.int32)
    gone = np.zeros(m, np.bool_)
    count = 0
    for v in range(m):
        degree[v] = start[v + 1] - start[v]
        if degree[v] < least:
            order[count] = v
            gone[v] = True
            count += 1
    done = 0
    taken = np.zeros(m, np.bool_)  # its turn has come
    while done < count:
        v = order[done]
        taken[v] = True
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if taken[w]:
                continue
            if parent[done] < 0 or w < parent[done]:
                parent[done] = w
            degree[w] -= 1
            if degree[w] < least and not gone[w]:
                order[count] = w
                gone[w] = True
                count += 1
        done += 1
    return order[:count].copy(), parent[:count].copy()


@njit
def fold(cost, order, parent):
    """Costs in which each node of the order, from `peel` with least 2, is paid for by its parent: float64[m, k].

    Also the two cheapest clusters of those nodes, int32[2, count].
    """
    k = cost.shape[1]
    out = cost.copy()
    two = np.empty((2, len(order)), np.int32)
    for i in range(len(order)):
        v = order[i]
        first, second = -1, -1
        for c in range(k):
            if first < 0 or out[v, c] < out[v, first]:
                second = first
                first = c
            elif second < 0 or out[v, c] < out[v, second]:
                second = c
        two[0, i], two[1, i] = first, second
        up = parent[i]
        if up >= 0:
            for c in range(k):
                out[up, c] += out[v, second] if c == first else out[v, first]
    return out, two


@njit
def unfold(label, order, parent, two):
    """The labels with those of the folded nodes filled in, int32[m]."""
    out = label.copy()
    for i in range(len(order) - 1, -1, -1):
        clash = parent[i] >= 0 and out[parent[i]] == two[0, i]
        out[order[i]] = two[1, i] if clash else two[0, i]
    return out


@njit
def greedy(start, near, cost, order, label):
    """Label the nodes of the order, each with its cheapest cluster that no neighbour has: int32[m].

    Also the first node for which there is none (-1 where all went well); it and others like it are passed over. Nodes
    with a label >= 0 keep it.
    """
    k = cost.shape[1]
    out, failed = label.copy(), -1
    barred = np.full(k, -1, np.int32)
    for i in range(len(order)):
        v = order[i]
        for e in range(start[v], start[v + 1]):
            if out[near[e]] >= 0:
                barred[out[near[e]]] = v
        best = -1
        for c in range(k):
            if barred[c] != v and (best < 0 or cost[v, c] < cost[v, best]):
                best = c
        if best >= 0:
            out[v] = best
        elif failed < 0:
            failed = v
    return out, failed


@njit
def large_clique(start, near, size, work):
    """Nodes that are all neighbours of each other, up to `size` of them: int32[count].

    The most that were found by going from each node on to those with the most neighbours; no node is begun with after
    `work` neighbours were looked at.
    """
    m = len(start) - 1
    most, clique = np.empty(0, np.int32), np.empty(max(size, 1), np.int32)
    known = np.zeros(m, np.int32)  # how many of the clique are neighbours
    looks = 0
    for seed in range(m):
        if looks > work:
            break
        count = 0
        v = seed
        while v >= 0:
            clique[count] = v
            count += 1
            if count == size:
                break
            for e in range(start[v], start[v + 1]):
                known[near[e]] += 1
            looks += start[v + 1] - start[v] + start[seed + 1] - start[seed]
            v = -1
            for e in range(start[seed], start[seed + 1]):
                w = near[e]
                if known[w] == count and (v < 0 or start[w + 1] - start[w] > start[v + 1] - start[v]):
                    v = w
        if count > len(most):
            most = clique[:count].copy()
            if count == size:
                break
        for i in range(count):
            for e in range(start[clique[i]], start[clique[i] + 1]):
                known[near[e]] = 0
    return most


# ----------------------------------------------------------------------
# Assignments of nodes to k clusters in which no neighbours share one, by mending the clashes of one (tabu search).
#
#     start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
#     label : int32[m]
#     beside : int32[m, k], how many neighbours of v are in c; until : int64[m, k], v may not go to c before that step
#     crowd : int32[2, m]: the nodes that clash, and the place of each there (-1 for none)
#     where : int64[4]: clashing edges, length of the crowd, steps done, the state of the random numbers
#
# Oracle: no edge joins nodes of one label.

EDGES, CROWD, STEP, RANDOM = range(4)

#: Steps that a node may not go back: so many, drawn at random, and this part of the number of nodes that clash.
_TENURE, _SHARE = 10, 0.6


@njit
def begin_mending(start, near, label, k, seed):
    """The state of the search: beside, until, crowd, where."""
    m = len(label)
    beside, until = np.zeros((m, k), np.int32), np.zeros((m, k), np.int64)
    crowd, where = np.full((2, m), -1, np.int32), np.zeros(4, np.int64)
    where[RANDOM] = seed
    for v in range(m):
        for e in range(start[v], start[v + 1]):
            beside[v, label[near[e]]] += 1
    for v in range(m):
        where[EDGES] += beside[v, label[v]]
        _stand(label, beside, crowd, where, v)
    where[EDGES] //= 2
    return beside, until, crowd, where


@inner
def _stand(label, beside, crowd, where, v):
    """Put v into the crowd if it clashes, else take it out."""
    place = crowd[1, v]
    if beside[v, label[v]] > 0:
        if place < 0:
            crowd[0, where[CROWD]] = v
            crowd[1, v] = where[CROWD]
            where[CROWD] += 1
    elif place >= 0:
        where[CROWD] -= 1
        last = crowd[0, where[CROWD]]
        crowd[0, place] = last
        crowd[1, last] = place
        crowd[1, v] = -1


@inner
def _random(where):
    """A number in [0, 1), and the next state."""
    where[RANDOM] = (where[RANDOM] * 1103515245 + 12345) % 2147483648
    return where[RANDOM] / 2147483648.0


@njit
def mend(start, near, label, beside, until, crowd, where, limit):
    """Move clashing nodes, the best way each time, but not back at once, for `limit` steps: the clashing edges left."""
    k = beside.shape[1]
    fewest = where[EDGES]
    for _ in range(limit):
        if where[EDGES] == 0:
            break
        where[STEP] += 1
        best, ties, node, cluster = 0, 0, -1, -1
        for i in range(where[CROWD]):
            v = crowd[0, i]
            now = beside[v, label[v]]
            for c in range(k):
                change = beside[v, c] - now
                if c == label[v] or (node >= 0 and change > best):
                    continue
                if until[v, c] > where[STEP] and where[EDGES] + change >= fewest:
                    continue
                if node < 0 or change < best:
                    best, ties = change, 0
                    node = -1
                ties += 1
                if node < 0 or _random(where) * ties < 1.0:
                    node, cluster = v, c
        if node < 0:
            continue  # all are waiting
        old = label[node]
        until[node, old] = where[STEP] + int(_random(where) * _TENURE) + int(_SHARE * where[CROWD]) + 1
        label[node] = cluster
        where[EDGES] += best
        for e in range(start[node], start[node + 1]):
            w = near[e]
            beside[w, old] -= 1
            beside[w, cluster] += 1
            _stand(label, beside, crowd, where, w)
        _stand(label, beside, crowd, where, node)
        fewest = min(fewest, where[EDGES])
    return where[EDGES]


# ----------------------------------------------------------------------
# Make a feasible assignment cheaper by exchanging two clusters on a connected part that has only these (Kempe chains).
#
# Neighbours that differ go on differing, so the assignment stays feasible.
#
#     start : int32[m + 1], near : int32[2 e], read-only: the neighbours of v are near[start[v]:start[v + 1]]
#     cost : float64[m, k], read-only
#     label : int32[m], changed; lists : int32[4, m], pairs : int32[3, k], scratch
#
# Oracle: every assignment, in turn.

NEXT, STAMP, QUEUE, MEMBER = range(4)
FIRST, CHANGED, USING = range(3)

#: What sums may differ by and still be the same, as a part of them.
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
