"""Nodes that must not share a cluster with their neighbours: cliques, colourings, and the cheapest assignment.

Deciding if k clusters are enough is graph colouring, and finding the cheapest assignment is at least as hard, so both
end after a given amount of work. In the order of this file:

* easy cases: nodes with few neighbours wait until the others have their clusters (`peel`), trees are solved from
  their leaves on (`fold`, `unfold`), nodes choose in turn (`greedy`), and a clique says that clusters are too few
  (`large_clique`).
* tabu search (`mend`) finds colourings that backtracking misses, but proves nothing.
* exchanges of two clusters (`exchange`, Kempe chains) make a feasible assignment cheaper.
* branch and bound (`search`) finds the cheapest assignment, or proves that there is none. The node with the fewest
  clusters left comes next (DSATUR). Among several such nodes it is the one that loses most without its best cluster.
  Its clusters are tried from the cheapest on. The bound: each open node has its best cluster, and for every edge whose
  ends both want the same one, the cheapest way out for one of them is added.
* `improve` puts the last two together.

    cost : float64[m, k], read-only: of node v in cluster c

Oracle: every assignment, in turn. Functions with `lo, hi` work on nodes lo..hi-1, a connected part that has only its
own edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inner, njit

#: Sums that differ by less than this part of them count as equal.
_ROUNDING = 1e-12


class Graph(NamedTuple):
    """Nodes 0..m-1 and which of them must not be alike. All arrays are read-only."""

    start: np.ndarray  #: int32[m + 1]: the neighbours of v are near[start[v]:start[v + 1]]
    near: np.ndarray  #: int32[2 e]


class AssignmentProblem(NamedTuple):
    """The assignment problem. All arrays are read-only."""

    graph: Graph
    cost: np.ndarray  #: float64[m, k]: of node v in cluster c
    priority: np.ndarray  #: float64[m]: of nodes alike in all else, the greater comes first


# ---------------------------------------------------------------------- easy cases


@njit
def peel(graph, least):
    """Nodes with fewer than `least` neighbours, taken away again and again, int32[count] in that order.

    Also, for each, the lowest neighbour that was left (-1 for none), int32[count].
    """
    start, near = graph
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
    """The labels, with the folded nodes filled in, int32[m]."""
    out = label.copy()
    for i in range(len(order) - 1, -1, -1):
        clash = parent[i] >= 0 and out[parent[i]] == two[0, i]
        out[order[i]] = two[1, i] if clash else two[0, i]
    return out


@njit
def greedy(graph, cost, order, label):
    """Label the nodes of the order, each with its cheapest cluster that no neighbour has: int32[m].

    Also the first node without such a clique, or -1. It and nodes like it are passed over. Nodes
    with a label >= 0 keep it.
    """
    start, near = graph
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
def large_clique(graph, size, work):
    """Nodes that are all neighbours of each other, up to `size` of them: int32[count].

    The most that were found by going from each node on to those with the most neighbours. No node is begun with after
    `work` neighbours were looked at.
    """
    start, near = graph
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


# ---------------------------------------------------------------------- tabu search
#
# Here neighbours may share a cluster. One node moves at a time until no two neighbours share one.
# Oracle: no edge joins nodes of one label.

#: Steps that a node may not go back: so many, drawn at random, and this part of the number of nodes that clash.
_TENURE, _SHARE = 10, 0.6


class Mending(NamedTuple):
    """The clashes of the labels, kept up while nodes move."""

    beside: np.ndarray  #: int32[m, k]: how many neighbours of v are in c
    until: np.ndarray  #: int64[m, k]: v may not go to c before that step
    crowd: np.ndarray  #: int32[m]: the nodes that clash, the first n_crowd entries
    place: np.ndarray  #: int32[m]: place of each node in the crowd, -1 for none
    change: np.ndarray  #: int32[m]: of the crowd, in the same order: how the clashes change by the best moves of each
    wait: np.ndarray  #: int64[m]: of the crowd: none of these moves is allowed before that step
    n_crowd: np.ndarray  #: int64[1]
    n_edges: np.ndarray  #: int64[1]: clashing edges
    step: np.ndarray  #: int64[1]: steps done
    random: np.ndarray  #: int64[1]: the state of the random numbers. Kernels share no generator with numpy


@njit
def begin_mending(graph, label, k, seed):
    """The state for these labels, int32[m], and k clusters, at least 2."""
    start, near = graph
    m = len(label)
    beside, until = np.zeros((m, k), np.int32), np.zeros((m, k), np.int64)
    crowd, place, change = np.full(m, -1, np.int32), np.full(m, -1, np.int32), np.zeros(m, np.int32)
    wait, n_crowd = np.zeros(m, np.int64), np.zeros(1, np.int64)
    n_edges, step = np.zeros(1, np.int64), np.zeros(1, np.int64)
    state = Mending(beside, until, crowd, place, change, wait, n_crowd, n_edges, step, np.full(1, seed, np.int64))
    for v in range(m):
        for e in range(start[v], start[v + 1]):
            beside[v, label[near[e]]] += 1
    for v in range(m):
        n_edges[0] += beside[v, label[v]]
        _enter_or_leave(label, state, v)
    n_edges[0] //= 2  # each was seen from both ends
    return state


@inner
def _enter_or_leave(label, state, v):
    """Put v into the crowd if it clashes, with its best moves, else take it out."""
    beside, until, place, own = state.beside, state.until, state.place[v], label[v]
    if beside[v, own] > 0:
        if place < 0:
            place = np.int32(state.n_crowd[0])
            state.crowd[place], state.place[v] = v, place
            state.n_crowd[0] += 1
        best = 1 if own == 0 else 0
        for c in range(best + 1, beside.shape[1]):
            fewer = beside[v, c] - beside[v, best]
            if c != own and (fewer < 0 or (fewer == 0 and until[v, c] < until[v, best])):
                best = c
        state.change[place] = beside[v, best] - beside[v, own]
        state.wait[place] = until[v, best]
    elif place >= 0:
        state.n_crowd[0] -= 1
        end = state.n_crowd[0]
        last = state.crowd[end]
        state.crowd[place], state.change[place], state.wait[place] = last, state.change[end], state.wait[end]
        state.place[last] = place
        state.place[v] = -1


@inner
def _draw(state):
    """A number in [0, 1)."""
    state.random[0] = (state.random[0] * 1103515245 + 12345) % 2147483648
    return state.random[0] / 2147483648.0


@inner
def _move(graph, label, state, node, cluster):
    """Move a node to another cluster."""
    start, near = graph
    beside, old = state.beside, label[node]
    state.n_edges[0] += beside[node, cluster] - beside[node, old]
    label[node] = cluster
    for e in range(start[node], start[node + 1]):
        w = near[e]
        beside[w, old] -= 1
        beside[w, cluster] += 1
        _enter_or_leave(label, state, w)
    _enter_or_leave(label, state, node)


@njit
def descend(graph, label, state):
    """Move node after node to the cluster of fewest clashes until none has fewer elsewhere: the clashing edges left.

    From labels at random, where nearly all nodes clash, `mend` would look at all of these for each move.
    """
    beside = state.beside
    m, k = beside.shape
    again = True
    while again:
        again = False
        for v in range(m):
            best = label[v]
            for c in range(k):
                if beside[v, c] < beside[v, best]:
                    best = c
            if best != label[v]:
                _move(graph, label, state, v, best)
                again = True
    return state.n_edges[0]


@njit
def mend(graph, label, state, limit):
    """Move clashing nodes, the best way each time, but not back at once, for `limit` steps: the clashing edges left."""
    beside, until, step, n_edges = state.beside, state.until, state.step, state.n_edges
    k = beside.shape[1]
    fewest = n_edges[0]
    for _ in range(limit):
        if n_edges[0] == 0:
            break
        step[0] += 1
        best, ties, node, cluster = 0, 0, -1, -1
        for i in range(state.n_crowd[0]):
            if node >= 0 and state.change[i] > best:
                continue
            if node >= 0 and state.change[i] == best and state.wait[i] > step[0] and n_edges[0] + best >= fewest:
                continue
            v = state.crowd[i]
            now = beside[v, label[v]]
            for c in range(k):
                change = beside[v, c] - now
                if c == label[v] or (node >= 0 and change > best):
                    continue
                # going back is forbidden for a while, unless it leads to fewer clashes than ever before
                if until[v, c] > step[0] and n_edges[0] + change >= fewest:
                    continue
                if node < 0 or change < best:
                    best, ties = change, 0
                    node = -1
                ties += 1
                # the last of t ties replaces the others with chance 1 / t: all are equally likely in the end
                if node < 0 or _draw(state) * ties < 1.0:
                    node, cluster = v, c
        if node < 0:
            continue  # all are waiting
        until[node, label[node]] = step[0] + int(_draw(state) * _TENURE) + int(_SHARE * state.n_crowd[0]) + 1
        _move(graph, label, state, node, cluster)
        fewest = min(fewest, n_edges[0])
    return n_edges[0]


# ---------------------------------------------------------------------- exchanges
#
# Two clusters change places on a connected part that has only these (a Kempe chain). Neighbours that differ go on
# differing, so the assignment stays feasible.

#: Rounds over all pairs of clusters, at most.
_ROUNDS = 100


class Exchanges(NamedTuple):
    """The members of each cluster as a list, and scratch."""

    next: np.ndarray  #: int32[m]: the next member of the same cluster, -1 for none
    first: np.ndarray  #: int32[k]: the first member, -1 for none
    changed: np.ndarray  #: int32[k]: the round in which each cluster last changed
    used: np.ndarray  #: int32[k]: the clusters that have members, in this round
    seen: np.ndarray  #: int32[m]: when each node was last visited, by `clock`
    clock: np.ndarray  #: int64[1]
    queue: np.ndarray  #: int32[m]: scratch
    members: np.ndarray  #: int32[m]: scratch


@njit
def begin_exchanges(m, k):
    """Room for m nodes in k clusters."""
    first, changed, used = np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, np.int32)
    seen, queue, members = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int32)
    return Exchanges(np.empty(m, np.int32), first, changed, used, seen, np.zeros(1, np.int64), queue, members)


@inner
def exchange(problem, lo, hi, label, state, work):
    """Exchange two clusters on connected parts that have only these, where that is cheaper, until it nowhere is.

    Returns how many costs and neighbours were looked at. It ends after `work` of them.
    """
    k = problem.cost.shape[1]
    for c in range(k):
        state.first[c] = -1
        state.changed[c] = 0
    for v in range(hi - 1, lo - 1, -1):
        state.seen[v] = -1
        state.next[v] = state.first[label[v]]
        state.first[label[v]] = v
    state.clock[0] = 0
    looks = hi - lo + k
    for now in range(1, _ROUNDS):
        using, again = 0, False
        for c in range(k):
            if state.first[c] >= 0:
                state.used[using] = c
                using += 1
        for i in range(using):
            a = state.used[i]
            for b in range(k):
                looks += 1
                if looks > work:
                    return looks
                if b == a or (b < a and state.first[b] >= 0):
                    continue  # the pair has had its turn, as (b, a)
                if max(state.changed[a], state.changed[b]) < now - 1:
                    continue  # nothing is new since it was last tried
                state.clock[0] += 1
                cost, changed = _exchange_clusters(problem, a, b, label, state)
                looks += cost
                if changed:
                    again = True
                    state.changed[a] = state.changed[b] = now
        if not again:
            break
    return looks


@inner
def _exchange_clusters(problem, a, b, label, state):
    """Try the connected parts that have only clusters a and b. Returns how many were looked at, and if any changed."""
    cost, members = problem.cost, state.members
    size, looks, ever = 0, 0, False
    for side in range(2):
        v = state.first[b if side else a]
        while v >= 0:
            members[size] = v
            size += 1
            v = state.next[v]
    for i in range(size):  # a part that gets cheaper has a node that does
        v = members[i]
        if state.seen[v] != state.clock[0] and cost[v, a + b - label[v]] < cost[v, label[v]]:
            looked, changed = _exchange_part(problem, v, a, b, label, state)
            looks += looked
            ever |= changed
    if ever:
        state.first[a] = state.first[b] = -1
        for i in range(size - 1, -1, -1):
            v = members[i]
            state.next[v] = state.first[label[v]]
            state.first[label[v]] = v
    return looks + size, ever


@inner
def _exchange_part(problem, seed, a, b, label, state):
    """Exchange a and b on the part of `seed` if that is cheaper by more than rounding."""
    start, near = problem.graph
    cost, queue, now = problem.cost, state.queue, state.clock[0]
    count, done, looks = 1, 0, 0
    queue[0] = seed
    state.seen[seed] = now
    change, size = 0.0, 0.0
    while done < count:
        v = queue[done]
        done += 1
        other = a + b - label[v]
        change += cost[v, other] - cost[v, label[v]]
        size += abs(cost[v, other]) + abs(cost[v, label[v]])
        looks += start[v + 1] - start[v]
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if state.seen[w] != now and (label[w] == a or label[w] == b):
                state.seen[w] = now
                queue[count] = w
                count += 1
    if change >= -_ROUNDING * size:
        return looks, False
    for i in range(count):
        label[queue[i]] = a + b - label[queue[i]]
    return looks, True


# ---------------------------------------------------------------------- branch and bound


class AssignmentSearch(NamedTuple):
    """The state of a search. The `depth` nodes that were chosen are closed, the others are open."""

    value: np.ndarray  #: int32[m]: the cluster that a closed node has now, -1 for none yet
    is_closed: np.ndarray  #: int32[m]
    n_taken: np.ndarray  #: int32[m, k]: how many closed neighbours of v are in c
    n_free: np.ndarray  #: int32[m]: clusters left to an open node
    least: np.ndarray  #: float64[m]: the cost of the cheapest of these, infinite for none
    second: np.ndarray  #: float64[m]: and the cheapest but one
    chosen: np.ndarray  #: int32[m]: from lo on, the closed nodes in their order
    bound: np.ndarray  #: float64[m]: from lo on, a lower bound for the cost of the first so many and all open ones
    n_used: np.ndarray  #: int32[m]: from lo on, how many clusters the first so many closed nodes have opened
    forced: np.ndarray  #: int32[m]: nodes that were seen to have one cluster left, the first n_forced entries
    wanted: np.ndarray  #: int32[m]: scratch
    loss: np.ndarray  #: float64[m]: scratch
    best: np.ndarray  #: int32[m]: the best assignment found, -1 as long as there is none
    best_cost: np.ndarray  #: float64[1]: the cost that must be undercut
    depth: np.ndarray  #: int64[1]
    descends: np.ndarray  #: int64[1]: whether to choose the next node, or to go on with the last one
    n_forced: np.ndarray  #: int64[1]
    steps: np.ndarray  #: int64[1]: nodes chosen so far


#: Costs and neighbours that the search of each part may look at, whatever the others took.
_LEAST = 10_000


@njit
def begin_search(cost, n_taken):
    """The state of a search over all nodes, before the first step.

    n_taken : int32[m, k], becomes part of the state: how many neighbours outside the problem each node has in each
        cluster
    """
    m = cost.shape[0]
    state = AssignmentSearch(
        np.full(m, -1, np.int32),
        np.zeros(m, np.int32),
        n_taken,
        np.zeros(m, np.int32),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m, np.int32),
        np.zeros(m),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros(m),
        np.full(m, -1, np.int32),
        np.full(1, np.inf),
        np.zeros(1, np.int64),
        np.ones(1, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )
    for v in range(m):
        _look(cost, state, v)
    return state


@njit
def begin_part(state, best_cost):
    """Begin with another connected part, where this cost must be undercut. Parts share no node: arrays are as new."""
    state.depth[0] = state.n_forced[0] = state.steps[0] = 0
    state.descends[0] = 1
    state.best_cost[0] = best_cost


@inner
def _look(cost, state, v):
    """Note how many clusters are left to v, and the costs of the two cheapest."""
    count = 0
    least, second = np.inf, np.inf
    for c in range(cost.shape[1]):
        if state.n_taken[v, c] == 0:
            count += 1
            if cost[v, c] < least:
                second = least
                least = cost[v, c]
            elif cost[v, c] < second:
                second = cost[v, c]
    state.n_free[v], state.least[v], state.second[v] = count, least, second


@inner
def _put(problem, u, c, state):
    """Give u cluster c. Returns the rise of the open neighbours' bound, infinite if one has no cluster left."""
    start, near = problem.graph
    rise = 0.0
    for e in range(start[u], start[u + 1]):
        v = np.int64(near[e])
        if state.is_closed[v]:
            continue
        state.n_taken[v, c] += 1
        if state.n_taken[v, c] == 1:
            before = state.least[v]
            _look(problem.cost, state, v)
            if state.n_free[v] == 0:
                rise = np.inf
            else:
                rise += state.least[v] - before
                # a full list loses nothing but the hint: `_next_node` finds such nodes, too
                if state.n_free[v] == 1 and state.n_forced[0] < len(state.forced):
                    state.forced[state.n_forced[0]] = v
                    state.n_forced[0] += 1
    return rise


@inner
def _take_back(problem, u, c, state):
    """Undo `_put`. The same neighbours are open as then: nodes are opened again in reverse order."""
    start, near = problem.graph
    for e in range(start[u], start[u + 1]):
        v = np.int64(near[e])
        if not state.is_closed[v]:
            state.n_taken[v, c] -= 1
            if state.n_taken[v, c] == 0:
                _look(problem.cost, state, v)


@inner
def _next_forced(state):
    """An open node with one cluster left, among those that were seen to become so. Returns -1 for none."""
    while state.n_forced[0] > 0:
        state.n_forced[0] -= 1
        v = np.int64(state.forced[state.n_forced[0]])
        if not state.is_closed[v] and state.n_free[v] == 1:  # else out of date
            return v
    return -1


@inner
def _next_node(problem, lo, hi, state):
    """The open node with the fewest clusters left, then the greatest loss, then the greatest priority."""
    priority, best = problem.priority, -1
    for v in range(lo, hi):
        if state.is_closed[v]:
            continue
        if best >= 0:
            if state.n_free[v] > state.n_free[best]:
                continue
            if state.n_free[v] == state.n_free[best]:
                mine, other = state.second[v] - state.least[v], state.second[best] - state.least[best]
                if mine < other or (mine == other and priority[v] <= priority[best]):
                    continue
        best = v
    return best


@inner
def _cost_of_clashes(problem, lo, hi, state):
    """The least loss because neighbours want the same cluster. No node's loss is counted twice."""
    start, near = problem.graph
    cost, wanted, loss = problem.cost, state.wanted, state.loss
    for v in range(lo, hi):
        loss[v] = 0.0
        wanted[v] = -1
        if not state.is_closed[v]:
            loss[v] = state.second[v] - state.least[v]  # the price of not getting the cheapest cluster
            for c in range(cost.shape[1]):
                if state.n_taken[v, c] == 0 and cost[v, c] == state.least[v]:
                    wanted[v] = c
                    break
    total = 0.0
    for v in range(lo, hi):
        for e in range(start[v], start[v + 1]):
            w = near[e]
            if wanted[v] < 0 or w < v or wanted[w] != wanted[v]:
                continue
            least = min(loss[v], loss[w])
            if least == np.inf:
                return np.inf
            total += least  # one of the two has to give way
            loss[v] -= least
            loss[w] -= least
    return total


@inner
def _next_cluster(cost, state, u, most):
    """The cluster of u after its present one in the order of (cost, number), below `most`. Returns -1 for none."""
    best, last = -1, state.value[u]
    for c in range(most):
        if state.n_taken[u, c] > 0 or c == last:
            continue
        if last >= 0 and (cost[u, c] < cost[u, last] or (cost[u, c] == cost[u, last] and c < last)):
            continue
        if best < 0 or cost[u, c] < cost[u, best]:
            best = c
    return best


@inner
def _bound_at(depth, lo, hi, state):
    """The cost of the first `depth` chosen nodes plus the least of the others. At depth 0 no node has a cluster."""
    if depth > 0:
        return state.bound[lo + depth - 1]
    total = 0.0
    for v in range(lo, hi):
        total += state.least[v]
    return total


@njit
def search(problem, lo, hi, state, limit, symmetric):
    """Continue a search for an assignment cheaper than `best_cost`, for `limit` more nodes. Returns whether it is over.

    The best one so far and its cost are in the state. Once the search is over, it is the cheapest (or, where `best` was
    never set, there is none cheaper than `best_cost` was).

    symmetric : bool, clusters are alike, so that new ones are opened in their order
    """
    cost = problem.cost
    k, depth, descends = cost.shape[1], state.depth[0], state.descends[0]
    steps = 0
    while True:
        enough = state.best_cost[0]  # an assignment of this cost is no improvement
        if enough < np.inf:
            enough -= _ROUNDING * abs(enough)
        if descends:
            if steps == limit:
                state.depth[0], state.descends[0] = depth, descends
                return False
            steps += 1
            state.steps[0] += 1
            bound = _bound_at(depth, lo, hi, state)
            descends = 0
            if bound >= enough:
                continue
            if depth == hi - lo:
                state.best_cost[0] = bound
                for v in range(lo, hi):
                    state.best[v] = state.value[v]
                continue
            u = _next_forced(state)
            if u < 0:
                # clashes cost nothing where clusters are alike, and nothing is too dear for a first assignment
                if not symmetric and enough < np.inf:
                    bound += _cost_of_clashes(problem, lo, hi, state)
                if bound >= enough or bound == np.inf:
                    continue
                u = _next_node(problem, lo, hi, state)
            state.is_closed[u] = 1
            state.chosen[lo + depth] = u
            depth += 1
        elif depth == 0:
            return True
        else:
            u = np.int64(state.chosen[lo + depth - 1])
            last = state.value[u]
            if last >= 0:
                _take_back(problem, u, last, state)
            used = state.n_used[lo + depth - 2] if depth > 1 else 0
            c = _next_cluster(cost, state, u, min(k, used + 1) if symmetric else k)
            state.value[u] = c
            if c < 0:
                state.is_closed[u] = 0
                depth -= 1
                continue
            bound = _bound_at(depth - 1, lo, hi, state) - state.least[u] + cost[u, c]
            if bound >= enough:  # so will the dearer ones be
                state.value[u] = -1
                state.is_closed[u] = 0
                depth -= 1
                continue
            bound += _put(problem, u, c, state)
            state.bound[lo + depth - 1] = bound
            state.n_used[lo + depth - 1] = max(used, c + 1)
            descends = 0 if bound == np.inf else 1


# ---------------------------------------------------------------------- all together


@inner
def _dive(problem, lo, hi, label, state):
    """Give each node, in the order of the search, its cheapest cluster left. Returns the cost, infinite without any.

    Takes time O(e + s (s + k^2)) for s nodes and e edges. The state is then the one before a search.
    """
    cost = problem.cost
    total = 0.0
    state.n_forced[0] = 0
    for v in range(lo, hi):
        label[v] = -1
    while True:
        u = _next_forced(state)
        if u < 0:
            u = _next_node(problem, lo, hi, state)
        if u < 0:
            break
        c = _next_cluster(cost, state, u, cost.shape[1])
        label[u], state.is_closed[u] = c, 1
        total += cost[u, c]
        if _put(problem, u, c, state) == np.inf:
            total = np.inf
            break
    for v in range(lo, hi):
        state.is_closed[v] = 0
        for c in range(cost.shape[1]):
            state.n_taken[v, c] = 0
        _look(cost, state, v)
    state.n_forced[0] = 0
    return total


@inner
def _sum(cost, lo, hi, label):
    """The cost of a part, infinite if a node has no cluster."""
    total = 0.0
    for v in range(lo, hi):
        if label[v] < 0:
            return np.inf
        total += cost[v, label[v]]
    return total


@njit
def improve(problem, blocks, label, other, exchanging, searching):
    """Make a feasible assignment cheaper, connected part by connected part: int32[m].

    Also for how many parts no assignment is cheaper.

    blocks : int32[count + 1], read-only, the first node of each part, and m
    other : int32[m], read-only, another one, if it is cheaper, -1 in parts if there is none
    exchanging, searching : int, costs and neighbours looked at in the exchanges and in the searches of all parts, at
        most. Work that the first parts leave goes to the others. In searches each part gets 10,000 at least
    """
    start, cost = problem.graph.start, problem.cost
    m, k = cost.shape
    out, tried = label.copy(), label.copy()
    state, exchanges = begin_search(cost, np.zeros((m, k), np.int32)), begin_exchanges(m, k)
    least = min(searching, _LEAST)
    proved, count = 0, len(blocks) - 1
    for p in range(count):
        lo, hi = np.int64(blocks[p]), np.int64(blocks[p + 1])
        share = exchanging // (count - p)
        total, others = _sum(cost, lo, hi, out), _sum(cost, lo, hi, other)
        if others < total - _ROUNDING * abs(total):
            for v in range(lo, hi):
                out[v] = other[v]
            total = others
        size = hi - lo
        if size * (size + k * k) <= share:  # a dive, if its time fits
            exchanging -= size * (size + k * k)
            others = _dive(problem, lo, hi, tried, state)
            if others < total - _ROUNDING * abs(total):
                for v in range(lo, hi):
                    out[v] = tried[v]
        exchanging -= exchange(problem, lo, hi, out, exchanges, share)
        # branch and bound, to beat the best so far
        begin_part(state, _sum(cost, lo, hi, out))
        step = size * k + start[hi] - start[lo]
        limit = max(1, max(searching // (count - p), least) // step)
        over = search(problem, lo, hi, state, limit, np.False_)
        searching = max(0, searching - state.steps[0] * step)
        if over:
            proved += 1
        if state.best[lo] >= 0:
            for v in range(lo, hi):
                out[v] = state.best[v]
            if not over:
                exchanging -= exchange(problem, lo, hi, out, exchanges, exchanging // (count - p))
    return out, proved
