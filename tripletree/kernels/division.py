"""Division from the top: a base tree is split in two again and again, by votes of triplets under a prior on the tree.

At a set of leaves each gets a label, 0 or 1. Triplets inside the set vote: `reward` where the split displays ab|c,
`-penalty` where it parts a and b, 0 where all three stay together and a later split decides. The prior is a Markov
field on the base tree, restricted to the set: along an edge the label changes with probability `change`, and the two
children of the root know nothing of each other. So a whole subtree changes sides for the price of one edge.

Labels are found by mean field for the votes and exact sums on the tree, from the splits that the top of the tree shows.
Leaves that must stay together (hard triplets, must-links) move as one. Hard triplets hold in the end whatever the
split. So they do not vote each, but each block of leaves votes to be parted from those that it is told from (`_told`):
how often a clade is told from its siblings depends on how a hierarchy is written down.

A binary tree on k leaves is an array child[k - 1, 2]: row i makes node k + i of two nodes before it. The last is the
root. Rows stand in the order of heights, so the top of the tree is at the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import allocating, inner, njit

_SWEEPS = 20  # of mean field, at most
_STARTS = 7  # splits to begin with
_SURE = 30.0  # log-odds of a label that is certain


class Division(NamedTuple):
    """The state of `divide`. Sets of leaves that wait on the stack are intervals of `order`, with their triplets."""

    order: np.ndarray  # int32[n]: the leaves. Each set that waits is an interval
    place: np.ndarray  # int32[n]: where in `order` a leaf stands
    child: np.ndarray  # int32[n, 2]: the base tree restricted to order[l:h] is child[l:h-1], leaves numbered from 0
    rows: np.ndarray  # int32[m, 3]: triplets, those inside a set in an interval
    weight: np.ndarray  # float64[m]
    links: np.ndarray  # int32[c, 2]: cannot-links, likewise
    group: np.ndarray  # int32[n]: of must-linked leaves, by its first member, alone if it is the leaf itself
    stack: np.ndarray  # int32[n + 1, 7]: begin and end of the set, of its triplets and of its links, then its parent
    parent: np.ndarray  # int32[2 n - 1]: the tree that is made
    count: np.ndarray  # int64[3]: height of the stack, nodes not yet used, leaves that have their parent


class LeavesToSplit(NamedTuple):
    """A set of leaves that is to be split. They are numbered from 0."""

    child: np.ndarray  # int32[k - 1, 2]: the base tree restricted to it
    rows: np.ndarray  # int32[m, 3]: the triplets inside
    weight: np.ndarray  # float64[m]
    links: np.ndarray  # int32[c, 2]: the cannot-links inside
    group: np.ndarray  # int32[k]: the first member of each leaf's must-linked group


class SplitVotes(NamedTuple):
    """Notes on a set of leaves, numbered from 0."""

    rows: np.ndarray  # int32[m, 3]
    weight: np.ndarray  # float64[m]
    links: np.ndarray  # int32[c, 2]
    block: np.ndarray  # int32[n]: leaves of one block stay together
    size: np.ndarray  # int64[b], of the blocks
    reward: float
    penalty: float


class Field(NamedTuple):
    """Odds of label 1, and logarithms of such."""

    p: np.ndarray  # float64[n]: the probability at each leaf
    votes: np.ndarray  # float64[n]: log-odds by the votes
    sums: np.ndarray  # float64[b]: over blocks
    up: np.ndarray  # float64[2 n - 1]: odds of each node by the leaves below it
    message: np.ndarray  # float64[2 n - 1]: the same at the other end of the edge above
    odds: np.ndarray  # float64[2 n - 1]: by everything


# ---------------------------------------------------------------------- the field on the tree


@inner
def _through(odds, stay):
    """The odds of a label at the other end of an edge. (1 + stay) / 2 is the probability of no change."""
    return ((1.0 + stay) * odds + 1.0 - stay) / ((1.0 - stay) * odds + 1.0 + stay)


@inner
def _marginals(child, stay, at_root, up, message, odds):
    """Odds of label 1 at all nodes. On entry up[:n] holds the odds that each leaf has by itself."""
    n = child.shape[0] + 1
    for v in range(n - 1):
        message[v] = _through(up[v], stay[v])
    message[n - 1] = _through(up[n - 1], stay[n - 1])
    for v in range(n, 2 * n - 2):
        up[v] = message[child[v - n, 0]] * message[child[v - n, 1]]
        message[v] = _through(up[v], stay[v])
    a, b = child[n - 2, 0], child[n - 2, 1]
    odds[a] = up[a] * _through(up[b], at_root)
    odds[b] = up[b] * _through(up[a], at_root)
    for v in range(2 * n - 3, n - 1, -1):
        for s in range(2):
            w = child[v - n, s]
            odds[w] = up[w] * _through(odds[v] / message[w], stay[w])


@inner
def _price(child, side, is_top, price, best):
    """The least price of the changes of label on the tree whose leaves have these labels. The top costs nothing."""
    n = child.shape[0] + 1
    for v in range(2 * n - 2):
        if v < n:
            best[v, 0] = np.inf if side[v] else 0.0
            best[v, 1] = 0.0 if side[v] else np.inf
        else:
            a, b = child[v - n, 0], child[v - n, 1]
            for k in range(2):
                best[v, k] = min(best[a, k], best[a, 1 - k] + price) + min(best[b, k], best[b, 1 - k] + price)
    a, b = child[n - 2, 0], child[n - 2, 1]
    same = min(best[a, 0] + best[b, 0], best[a, 1] + best[b, 1])
    differ = min(best[a, 0] + best[b, 1], best[a, 1] + best[b, 0])
    return min(same, differ) if is_top else min(same, differ + price)


# ---------------------------------------------------------------------- one split


@inner
def _vote(known, p, votes):
    """Log-odds that the labels of the others give each leaf."""
    votes[:] = 0.0
    for t in range(known.rows.shape[0]):
        a, b, c = known.rows[t, 0], known.rows[t, 1], known.rows[t, 2]
        reward, penalty = known.weight[t] * known.reward, known.weight[t] * known.penalty
        votes[a] += (p[b] - p[c]) * reward + (2.0 * p[b] - 1.0) * penalty
        votes[b] += (p[a] - p[c]) * reward + (2.0 * p[a] - 1.0) * penalty
        votes[c] += (1.0 - p[a] - p[b]) * reward
    for t in range(known.links.shape[0]):
        a, b = known.links[t, 0], known.links[t, 1]
        votes[a] += (1.0 - 2.0 * p[b]) * known.reward
        votes[b] += (1.0 - 2.0 * p[a]) * known.reward


@inner
def _score(known, side):
    """The votes on a split."""
    total = 0.0
    for t in range(known.rows.shape[0]):
        a, b, c = side[known.rows[t, 0]], side[known.rows[t, 1]], side[known.rows[t, 2]]
        if a != b:
            total -= known.weight[t] * known.penalty
        elif a != c:
            total += known.weight[t] * known.reward
    for t in range(known.links.shape[0]):
        if side[known.links[t, 0]] != side[known.links[t, 1]]:
            total += known.reward
    return total


@inner
def _by_majority(known, sums, side):
    """Give each block of leaves the label that most of its leaves have. Returns whether both labels occur then."""
    n = side.shape[0]
    sums[:] = 0.0
    for i in range(n):
        sums[known.block[i]] += 1.0 if side[i] else -1.0
    ones = 0
    for i in range(n):
        side[i] = sums[known.block[i]] > 0.0
        ones += side[i]
    return 0 < ones < n


@inner
def _settle(child, stay, at_root, known, field):
    """Mean field from the probabilities p, annealed. The labels that come out are odds > 1."""
    p, votes, sums, odds = field.p, field.votes, field.sums, field.odds
    block, size = known.block, known.size
    n = p.shape[0]
    for sweep in range(_SWEEPS):
        beta = min(1.0, 0.3 + 0.7 * sweep / (0.6 * _SWEEPS))
        _vote(known, p, votes)
        # a block has the votes of all its leaves
        sums[:] = 0.0
        for i in range(n):
            sums[block[i]] += votes[i]
        for i in range(n):
            votes[i] = max(-_SURE, min(_SURE, sums[block[i]] * beta))
            field.up[i] = math.exp(votes[i])
        _marginals(child, stay, at_root, field.up, field.message, odds)
        # and how the tree judges each of them
        sums[:] = 0.0
        for i in range(n):
            if size[block[i]] > 1:
                sums[block[i]] += math.log(odds[i]) - votes[i]
        change = 0.0
        for i in range(n):
            if size[block[i]] > 1:
                odds[i] = math.exp(max(-_SURE, min(_SURE, votes[i] + sums[block[i]])))
            new = odds[i] / (1.0 + odds[i])
            change = max(change, abs(new - p[i]))
            p[i] = 0.5 * (p[i] + new)
        if change < 1e-4 and beta >= 1.0:
            break


@allocating
def _heard(child, wanted):
    """The tree on the wanted leaves alone: child, edges above each node, these leaves, whether the root is the same."""
    k = wanted.shape[0]
    number, above = np.full(2 * k - 1, -1, np.int32), np.zeros(2 * k - 1, np.int32)
    leaf = np.flatnonzero(wanted).astype(np.int32)
    u = leaf.shape[0]
    small, edges = np.empty((u - 1, 2), np.int32), np.zeros(2 * u - 1, np.int32)
    for i in range(u):
        number[leaf[i]] = i
    new = u
    for v in range(k, 2 * k - 1):
        left, right = child[v - k, 0], child[v - k, 1]
        a, b = number[left], number[right]
        if a >= 0 and b >= 0:
            small[new - u, 0], small[new - u, 1] = a, b
            edges[a], edges[b] = above[left] + 1, above[right] + 1
            number[v] = new
            new += 1
        elif a >= 0 or b >= 0:
            number[v], above[v] = (a, above[left] + 1) if a >= 0 else (b, above[right] + 1)
    return small, edges, leaf, above[2 * k - 2] == 0


@allocating
def _below(child, v, stack, side):
    """Mark the leaves below v."""
    n = side.shape[0]
    side[:] = False
    stack[0], top = v, 1
    while top > 0:
        top -= 1
        u = stack[top]
        if u < n:
            side[u] = True
        else:
            stack[top], stack[top + 1] = child[u - n, 0], child[u - n, 1]
            top += 2


@allocating
def _starts(child):
    """Nodes whose clades are splits to begin with: a child of the root, the highest inner nodes and their children."""
    n = child.shape[0] + 1
    nodes = np.empty(_STARTS + 2, np.int32)
    nodes[0], k = child[n - 2, 0], 1
    for v in range(2 * n - 3, n - 1, -1):
        for s in range(3):
            w = v if s == 0 else np.int64(child[v - n, s - 1])
            seen = w < n
            for i in range(k):
                seen = seen or nodes[i] == w
            if not seen and k < _STARTS:
                nodes[k] = w
                k += 1
        if k == _STARTS:
            break
    return nodes[:k]


@allocating
def _best_split(child, edges, is_top, known, change):
    """Labels of the leaves: the best of votes less price that is found. They are all alike only below the top."""
    n = child.shape[0] + 1
    stay = np.empty(2 * n - 1)
    for v in range(2 * n - 1):
        stay[v] = math.pow(1.0 - 2.0 * change, edges[v])
    a, b = child[n - 2, 0], child[n - 2, 1]
    at_root = 0.0 if is_top else stay[a] * stay[b]
    price = math.log((1.0 - change) / change)
    N, n_blocks = 2 * n - 1, known.size.shape[0]
    field = Field(np.empty(n), np.empty(n), np.empty(n_blocks), np.empty(N), np.empty(N), np.empty(N))
    least, stack = np.empty((N, 2)), np.empty(n + 1, np.int32)
    side, best = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    top = -np.inf if is_top else 0.0
    for v in _starts(child):
        _below(child, np.int64(v), stack, side)
        for i in range(n):
            field.p[i] = 0.85 if side[i] else 0.15
        for attempt in range(2):
            if attempt == 1:
                _settle(child, stay, at_root, known, field)
                for i in range(n):
                    side[i] = field.odds[i] > 1.0
            if _by_majority(known, field.sums, side):
                value = _score(known, side) - _price(child, side, is_top, price, least)
                if value > top + 1e-9:
                    top = value
                    best[:] = side
    if top == -np.inf:
        # every start was one-sided: the block goes that most triplets see outside, for its size
        tally = np.zeros(n_blocks)
        for t in range(known.rows.shape[0]):
            tally[known.block[known.rows[t, 2]]] += known.weight[t]
        tally /= known.size
        tally[np.argmax(known.size)] = -1.0
        chosen = np.argmax(tally)
        for i in range(best.shape[0]):
            best[i] = known.block[i] == chosen
    return best


@allocating
def _labelled(child, leaf, label, change):
    """Labels of all leaves, given some of them: the labels that are likely on the tree.

    A branch without any of them goes with its parent. Below the root it goes against the other branch.
    """
    k = child.shape[0] + 1
    stay = np.full(2 * k - 1, 1.0 - 2.0 * change)
    up, message, odds = np.ones(2 * k - 1), np.empty(2 * k - 1), np.empty(2 * k - 1)
    has = np.zeros(2 * k - 1, np.bool_)
    for i in range(leaf.shape[0]):
        up[leaf[i]] = math.exp(_SURE) if label[i] else math.exp(-_SURE)
        has[leaf[i]] = True
    for v in range(k, 2 * k - 1):
        has[v] = has[child[v - k, 0]] or has[child[v - k, 1]]
    _marginals(child, stay, 0.0, up, message, odds)
    side = odds > 1.0
    for v in range(2 * k - 2, k - 1, -1):
        a, b = child[v - k, 0], child[v - k, 1]
        if not has[a]:
            side[a] = side[v] if v < 2 * k - 2 else not side[b]
        if not has[b]:
            side[b] = side[v] if v < 2 * k - 2 else not side[a]
    side[leaf] = label
    return side[:k]


@allocating
def _highest_without(child, wanted):
    """Mark the leaves of the highest clade that has no wanted one."""
    k = wanted.shape[0]
    has, side = np.zeros(2 * k - 1, np.bool_), np.zeros(k, np.bool_)
    has[:k] = wanted
    top = np.int64(-1)
    for v in range(2 * k - 1):
        if v >= k:
            has[v] = has[child[v - k, 0]] or has[child[v - k, 1]]
        if not has[v]:
            top = v
    _below(child, top, np.empty(k + 1, np.int32), side)
    return side


@allocating
def _told(rows, block, size):
    """One triplet for each two blocks of which the one is told from the other, and what it weighs.

    The triplets of a block weigh its size less 1 in all, the fewest that tie it together, and name its first leaves. So
    they are the same for all sets of triplets that imply the same.
    """
    m, n_blocks = rows.shape[0], size.shape[0]
    first, second = np.full(n_blocks, -1, np.int32), np.full(n_blocks, -1, np.int32)
    for i in range(block.shape[0]):
        x = block[i]
        if first[x] < 0:
            first[x] = i
        elif second[x] < 0:
            second[x] = i
    start = np.zeros(n_blocks + 1, np.int64)
    for t in range(m):
        start[block[rows[t, 0]] + 1] += 1
    for x in range(n_blocks):
        start[x + 1] += start[x]
    place, other = start[:-1].copy(), np.empty(m, np.int32)
    for t in range(m):
        x = block[rows[t, 0]]
        other[place[x]] = block[rows[t, 2]]
        place[x] += 1
    out, weight, seen, count = np.empty((m, 3), np.int32), np.empty(m), np.full(n_blocks, -1, np.int32), 0
    for x in range(n_blocks):
        begin = count
        for e in range(start[x], start[x + 1]):
            y = other[e]
            if y != x and seen[y] != x:
                seen[y] = x
                out[count, 0], out[count, 1], out[count, 2] = first[x], second[x], first[y]
                count += 1
        for e in range(begin, count):
            weight[e] = (size[x] - 1.0) / (count - begin)
    return out[:count], weight[:count]


@allocating
def _split(leaves, hard, reward, penalty, change):
    """Labels of the leaves of a set, False or True for the two sides."""
    child, rows, weight, links, group = leaves
    k = child.shape[0] + 1
    up = np.arange(k).astype(np.int32)
    wanted = np.zeros(k, np.bool_)
    for i in range(k):
        if unite(up, i, np.int64(group[i])):
            wanted[i] = wanted[group[i]] = True
    for t in range(rows.shape[0]):
        for i in range(3):
            wanted[rows[t, i]] = True
        if hard:
            unite(up, np.int64(rows[t, 0]), np.int64(rows[t, 1]))
    for t in range(links.shape[0]):
        wanted[links[t, 0]] = wanted[links[t, 1]] = True
    small, edges, leaf, is_top = _heard(child, wanted)
    number, first = np.empty(k, np.int32), np.full(k, -1, np.int32)
    block, n_blocks = np.empty(leaf.shape[0], np.int32), 0
    for i in range(leaf.shape[0]):
        number[leaf[i]] = i
        x = find(up, leaf[i])
        if first[x] < 0:
            first[x] = n_blocks
            n_blocks += 1
        block[i] = first[x]
    if n_blocks == 1:
        return _highest_without(child, wanted)
    if is_top and n_blocks == 2:
        # the only split there is: on deep hierarchies nearly all are of this kind
        return _labelled(child, leaf, block == 1, change)
    inside, apart = np.empty_like(rows), np.empty_like(links)
    for t in range(rows.shape[0]):
        for i in range(3):
            inside[t, i] = number[rows[t, i]]
    for t in range(links.shape[0]):
        apart[t, 0], apart[t, 1] = number[links[t, 0]], number[links[t, 1]]
    size = np.bincount(block, minlength=n_blocks)
    if hard:
        inside, weight = _told(inside, block, size)
    known = SplitVotes(inside, weight, apart, block, size, reward, penalty)
    label = _best_split(small, edges, is_top, known, change)
    return _labelled(child, leaf, label, change)


# ---------------------------------------------------------------------- all splits


@allocating
def _restrict(child, side):
    """The trees on the leaves of either side, first the side that is False. Leaves are numbered in order."""
    k = side.shape[0]
    number = np.full((2, 2 * k - 1), -1, np.int32)
    size = np.zeros(2, np.int32)
    for i in range(k):
        s = np.int64(side[i])
        number[s, i] = size[s]
        size[s] += 1
    out = np.empty((k, 2), np.int32)
    for s in range(2):
        begin, new = s * size[0], size[s]
        for v in range(k, 2 * k - 1):
            a, b = number[s, child[v - k, 0]], number[s, child[v - k, 1]]
            if a >= 0 and b >= 0:
                out[begin + new - size[s], 0], out[begin + new - size[s], 1] = a, b
                number[s, v] = new
                new += 1
            else:
                number[s, v] = max(a, b)
    return out


@allocating
def _sorted_in(table, begin, end, side_of):
    """Order table[begin:end]: rows all on side 0, all on side 1, the others.

    Returns the order, counted from `begin`, and two ends.
    """
    at, count = np.empty(end - begin, np.int64), np.zeros(3, np.int64)
    for t in range(begin, end):
        s = np.int64(side_of[table[t, 0]])
        for i in range(1, table.shape[1]):
            if side_of[table[t, i]] != s:
                s = 2
        at[t - begin] = s
        count[s] += 1
    sort, place = np.empty(end - begin, np.int64), np.zeros(3, np.int64)
    place[1], place[2] = count[0], count[0] + count[1]
    for t in range(end - begin):
        sort[place[at[t]]] = t
        place[at[t]] += 1
    return sort, begin + count[0], begin + count[0] + count[1]


@inner
def _whole(group, order, low, high):
    """Whether one group of must-linked leaves holds all of the set, or none holds two of them."""
    first, several = group[order[low]], False
    for i in range(low, high):
        if group[order[i]] != first:
            several = True
    return not several


@njit
def divide(task, hard, reward, penalty, change, leaves):
    """Split sets of leaves until about so many leaves were looked at. Returns whether all is done.

    task : Division
    hard : every triplet keeps its a and b together, until c is gone
    """
    order, place, parent, count, stack = task.order, task.place, task.parent, task.count, task.stack
    side_of = np.zeros(order.shape[0], np.bool_)
    while count[0] > 0 and leaves > 0:
        count[0] -= 1
        low, high, t_low, t_high, c_low, c_high, above = stack[count[0]]
        k = high - low
        leaves -= k
        if k == 1:
            parent[order[low]] = above
            count[2] += 1
            continue
        child = task.child[low : high - 1].copy()
        group = np.arange(k).astype(np.int32)
        tied = False
        if not _whole(task.group, order, low, high):
            for i in range(k):
                group[i] = place[task.group[order[low + i]]] - low
                tied = tied or group[i] != i
        if t_low == t_high and c_low == c_high and not tied:
            # nothing is known inside: as the base tree has it
            nodes = np.empty(2 * k - 1, np.int32)
            for i in range(k):
                nodes[i] = order[low + i]
            for v in range(2 * k - 2, k - 1, -1):
                count[1] -= 1
                nodes[v] = count[1]
            parent[nodes[2 * k - 2]] = above
            for v in range(k - 1):
                parent[nodes[child[v, 0]]] = parent[nodes[child[v, 1]]] = nodes[k + v]
            count[2] += k
            continue
        count[1] -= 1
        node = count[1]
        parent[node] = above
        rows, links = np.empty((t_high - t_low, 3), np.int32), np.empty((c_high - c_low, 2), np.int32)
        for t in range(t_low, t_high):
            for i in range(3):
                rows[t - t_low, i] = place[task.rows[t, i]] - low
        for t in range(c_low, c_high):
            for i in range(2):
                links[t - c_low, i] = place[task.links[t, i]] - low
        whole = LeavesToSplit(child, rows, task.weight[t_low:t_high], links, group)
        side = _split(whole, hard, reward, penalty, change)
        for i in range(k):
            side_of[order[low + i]] = side[i]
        below = _restrict(child, side)
        for i in range(k):
            task.child[low + i, 0], task.child[low + i, 1] = below[i, 0], below[i, 1]
        here = order[low:high].copy()
        mid = low
        for s in range(2):
            for i in range(k):
                if side[i] == s:
                    order[mid], place[here[i]] = here[i], mid
                    mid += 1
            if s == 0:
                middle = mid
            mid = middle
        sort, t_first, t_second = _sorted_in(task.rows, t_low, t_high, side_of)
        rows, weight = task.rows[t_low:t_high].copy(), task.weight[t_low:t_high].copy()
        for t in range(t_low, t_high):
            task.weight[t] = weight[sort[t - t_low]]
            for i in range(3):
                task.rows[t, i] = rows[sort[t - t_low], i]
        sort, c_first, c_second = _sorted_in(task.links, c_low, c_high, side_of)
        links = task.links[c_low:c_high].copy()
        for t in range(c_low, c_high):
            for i in range(2):
                task.links[t, i] = links[sort[t - c_low], i]
        top = count[0]
        stack[top, 0], stack[top, 1], stack[top, 6] = low, middle, node
        stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5] = t_low, t_first, c_low, c_first
        top += 1
        stack[top, 0], stack[top, 1], stack[top, 6] = middle, high, node
        stack[top, 2], stack[top, 3], stack[top, 4], stack[top, 5] = t_first, t_second, c_first, c_second
        count[0] = top + 1
    return count[0] == 0


# ---------------------------------------------------------------------- trees of distances


@njit
def link(distance, size, ward):
    """Merge by the chain of nearest neighbours (Murtagh 1983): Ward's linkage of distances, or average linkage.

    distance : float64[n, n], overwritten
    size : float64[n], the samples that each row stands for
    Returns ends : int32[n - 1, 2], the least sample of the two clusters of each merge in the order of the chain, and
    height : float64[n - 1], for Ward's linkage squared. `in_order` makes a tree of them.
    """
    n = distance.shape[0]
    size = size.copy()
    for i in range(n):
        for j in range(n):
            if ward:
                distance[i, j] *= distance[i, j] * 2.0 * size[i] * size[j] / (size[i] + size[j])
        distance[i, i] = np.inf
    ends, height = np.empty((n - 1, 2), np.int32), np.empty(n - 1)
    chain, top = np.empty(n, np.int32), 0
    first = 0
    for step in range(n - 1):
        if top == 0:
            while size[first] == 0:
                first += 1
            chain[0], top = first, 1
        while True:
            x = chain[top - 1]
            y, near = -1, np.inf
            if top > 1:  # ties go to the previous one, else the chain could run in a circle
                y = chain[top - 2]
                near = distance[x, y]
            row = distance[x]
            for z in range(n):
                if row[z] < near and size[z] > 0:
                    y, near = z, row[z]
            if top > 1 and y == chain[top - 2]:  # x and y are the nearest of each other
                break
            chain[top] = y
            top += 1
        top -= 2  # the rest of the chain stays valid, as these linkages bring no cluster nearer
        ends[step, 0], ends[step, 1], height[step] = min(x, y), max(x, y), near
        x, y = ends[step]
        a, b = size[x], size[y]
        for z in range(n):
            c = size[z]
            if c > 0 and z != x and z != y:
                if ward:
                    d = ((a + c) * distance[x, z] + (b + c) * distance[y, z] - c * near) / (a + b + c)
                else:
                    d = (a * distance[x, z] + b * distance[y, z]) / (a + b)
                distance[x, z] = distance[z, x] = d
        size[x], size[y] = a + b, 0.0
    return ends, height


@njit
def in_order(ends, sort):
    """Number the merges of `link` by their heights.

    sort : int64[n - 1], a stable order of the heights (numba takes seconds to compile one)
    Returns child : int32[n - 1, 2].
    """
    n = ends.shape[0] + 1
    up, node = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32)
    child = np.empty((n - 1, 2), np.int32)
    for step in range(n - 1):
        x, y = find(up, ends[sort[step], 0]), find(up, ends[sort[step], 1])
        child[step, 0], child[step, 1] = node[x], node[y]
        unite(up, x, y)
        node[min(x, y)] = n + step
    return child


@inner
def _append(head, tail, after, u, v):
    """Append the list of leaves of v to the list of u."""
    if head[u] < 0:
        head[u] = head[v]
    else:
        after[tail[u]] = head[v]
    tail[u] = tail[v]


@njit
def add_sizes(parent, size, weight, total):
    """Add to total[i, j], i < j, the weighted square root of the size of the smallest clade that holds both leaves.

    parent : int32[2 n - 1]
    size : float64[n], of the leaves
    weight : float
    total : float64[n, n]
    """
    N = parent.shape[0]
    n = (N + 1) // 2
    head, tail, after = np.full(N, -1, np.int32), np.full(N, -1, np.int32), np.full(n, -1, np.int32)
    inside = np.zeros(N)
    for v in range(n):
        head[v] = tail[v] = v
        inside[v] = size[v]
    for v in range(N - 1):
        u = parent[v]
        if head[u] >= 0:
            value = weight * math.sqrt(inside[u] + inside[v])
            i = head[u]
            while i >= 0:
                j = head[v]
                while j >= 0:
                    if i < j:
                        total[i, j] += value
                    else:
                        total[j, i] += value
                    j = after[j]
                i = after[i]
        _append(head, tail, after, u, v)
        inside[u] += inside[v]


@njit
def heights_by_distance(parent, distance):
    """The mean distance of the two sides of each inner node (average linkage). Returns float64[2 n - 1]."""
    N = parent.shape[0]
    n = (N + 1) // 2
    head, tail, after = np.full(N, -1, np.int32), np.full(N, -1, np.int32), np.full(n, -1, np.int32)
    size, height = np.zeros(N), np.zeros(N)
    for v in range(n):
        head[v] = tail[v] = v
        size[v] = 1.0
    for v in range(N - 1):
        u = parent[v]
        if head[u] >= 0:  # the second child: every pair of leaves is looked at once, at its common ancestor
            i = head[u]
            while i >= 0:
                j = head[v]
                while j >= 0:
                    height[u] += distance[i, j]
                    j = after[j]
                i = after[i]
            height[u] /= size[u] * size[v]
        _append(head, tail, after, u, v)
        size[u] += size[v]
    return height


@njit
def heights_by_mean(parent, points):
    """Ward's distance of the two sides of each inner node. Returns float64[2 n - 1]."""
    N = parent.shape[0]
    n, d = points.shape
    mean, size, height = np.zeros((N, d)), np.zeros(N), np.zeros(N)
    for v in range(n):
        mean[v] = points[v]
        size[v] = 1.0
    for v in range(N - 1):
        u = parent[v]
        if size[u] == 0.0:
            mean[u] = mean[v]
        else:
            a, b, square = size[u], size[v], 0.0
            for k in range(d):
                gap = mean[u, k] - mean[v, k]
                square += gap * gap
                mean[u, k] -= gap * (b / (a + b))
            height[u] = np.sqrt(2.0 * a * b / (a + b) * square)
        size[u] += size[v]
    return height


# ---------------------------------------------------------------------- a kernel of low rank


@njit
def columns(distance, scale, rank):
    """Rows that stand for the samples: their products are about exp(-distance[i, j]^2 / (scale[i] scale[j])).

    Cholesky's decomposition with the greatest rest as pivot, the first of equals, without BLAS, whose rounding depends
    on the number of threads.
    Returns float64[n, r], r at most `rank`.
    """
    n = distance.shape[0]
    out, rest = np.zeros((min(rank, n), n)), np.ones(n)
    for k in range(out.shape[0]):
        pivot = np.argmax(rest)
        if rest[pivot] < 1e-3:
            return np.ascontiguousarray(out[:k].T)
        row = out[k]
        for i in range(n):
            row[i] = math.exp(-distance[pivot, i] * distance[pivot, i] / (scale[pivot] * scale[i]))
        for j in range(k):
            x = out[j, pivot]
            for i in range(n):
                row[i] -= x * out[j, i]
        root = np.sqrt(rest[pivot])
        for i in range(n):
            row[i] /= root
            rest[i] -= row[i] * row[i]
        rest[pivot] = 0.0
    return np.ascontiguousarray(out.T)
