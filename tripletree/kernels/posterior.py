"""Markov chain Monte Carlo over rooted binary trees: features evolve along the branches, and triplets vote.

Each feature is a Brownian motion along the tree, with noise at the leaves. Its differences between sister clades
(contrasts, Felsenstein 1973) are then independent, and a change of the tree changes those on the paths to the root
only. Heights have the prior of a Yule tree or of a coalescent one, half each, whose rates are integrated out. Steps
are accepted by the rule of Metropolis and Hastings. All random numbers are handed in, so the chain is the same whether
it is compiled or not, and however it is cut into parts.

A triplet is worth 1 if the tree displays it, else 0 (``state[SHARPNESS]`` is infinite). Or it is the reply of a person
who tells the odd one of three less surely the closer the heights are at which the three meet. Two leaves that meet at
height h are alike by 1 / h^s, where s is the sharpness, and a pair is named as the one that stays together in
proportion to its likeness (Luce 1959). A share of the replies is wrong whatever the heights are. Then the triplet is
worth the logarithm of the chance of the reply.

Nodes are numbered: n leaves, then inner nodes in any order. Heights grow strictly towards the root. A step takes
O(depth * d) time, plus the nodes that a height passes, plus the triplets that name a leaf of a clade that moves, if the
step may still be accepted. The caller is ``cluster/posterior.py``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inner, njit

_REGRAFT, _SWAP = 0.5, 0.65  # of proposals, up to here: regraft a clade; swap it with its uncle; else change a height
_UP = 0.4  # chance to take the clade one level higher
_FAR = 0.1  # chance to regraft beside any leaf instead of a near one
_WIDE, _SCALE, _BLUR = 1.0, 0.1, 1.0  # width of the logarithm: of the height of a regraft, all heights, noise


# entries of `Walk.state`
LENGTH = 0  # the sum of all heights, the root's twice: for the prior of a Yule tree
PAIRS = 1  # the integral of the number of pairs of lineages over height: for the prior of a coalescent tree
FIT = 2  # log-likelihood of the features
VOTES = 3  # weighted sum of the worth of the triplets
NOISE = 4  # variance at the leaves
STEP = 5  # steps so far
SHAPE = 6  # log((n - 1)! / 2^(n - 1)), by which the constant of the coalescent's prior exceeds that of Yule's
SHARPNESS = 7  # of people; infinite if only the order of the heights counts
WRONG = 8  # share of replies that are wrong whatever the heights are, if the sharpness is finite


class Walk(NamedTuple):
    """The state of a chain: a tree and what is known of it; changed in place."""

    parent: np.ndarray  #: int32[2 n - 1], -1 above the root
    child: np.ndarray  #: int32[2 n - 1, 2], -1 below leaves
    height: np.ndarray  #: float64[2 n - 1]
    order: np.ndarray  #: int32[n - 1], the inner nodes by height
    place: np.ndarray  #: int32[2 n - 1], where an inner node stands there
    size: np.ndarray  #: int32[2 n - 1], leaves below
    mean: np.ndarray  #: float64[2 n - 1, d]: of each feature at a node, given the leaves below
    variance: np.ndarray  #: float64[2 n - 1], of these means
    log: np.ndarray  #: float64[2 n - 1], the log-likelihood of a node's contrasts
    rows: np.ndarray  #: int32[m, 3]: triplets
    weight: np.ndarray  #: float64[m]
    worth: np.ndarray  #: float64[m]: of each triplet in the tree
    start: np.ndarray  #: int32[n + 1]: the triplets that name leaf i are told[start[i]:start[i + 1]]
    told: np.ndarray  #: int32[3 m]
    near: np.ndarray  #: int32[n, k]: leaves near each
    stamp: np.ndarray  #: int64[m]: the step at which a triplet was last looked at
    state: np.ndarray  #: float64[9]: the entries LENGTH, PAIRS, ... below


# ---------------------------------------------------------------------- likelihood and prior


@inner
def _contrast(w, u):
    """Mean, variance and likelihood at an inner node, from its children."""
    a, b = w.child[u, 0], w.child[u, 1]
    one, other = w.variance[a] + w.height[u] - w.height[a], w.variance[b] + w.height[u] - w.height[b]
    both, square = one + other, 0.0
    share = other / both
    for j in range(w.mean.shape[1]):
        gap = w.mean[a, j] - w.mean[b, j]
        square += gap * gap
        w.mean[u, j] = w.mean[b, j] + share * gap
    w.log[u] = -0.5 * (w.mean.shape[1] * math.log(both) + square / both)
    w.variance[u] = one * share


@inner
def _all_contrasts(w, noise):
    """Compute the contrasts of all nodes. Returns the log-likelihood."""
    n = w.near.shape[0]
    for i in range(n):
        w.variance[i] = noise
    total = 0.0
    for r in range(n - 1):
        u = np.int64(w.order[r])
        _contrast(w, u)
        total += w.log[u]
    return total


@inner
def _prior(length, pairs, n, shape):
    """Logarithm of the prior of the heights, up to a constant: Yule and coalescent trees, half each.

    length : the sum of all heights, the root's twice; pairs : the integral of the number of pairs of lineages
    shape : log((n - 1)! / 2^(n - 1)), by which the coalescent's constant exceeds Yule's
    """
    yule = -(n - 1) * math.log(length)
    coalescent = shape - (n - 1) * math.log(pairs)
    most = max(yule, coalescent)
    return most + math.log(math.exp(yule - most) + math.exp(coalescent - most))


@inner
def _more_pairs(w, u, new):
    """By how much `pairs` of the prior changes if node u gets a new height: the sum of min over pairs of heights.

    Nodes below both heights count for nothing. O(nodes between the two).
    """
    end, old, r = w.order.shape[0], w.height[u], np.int64(w.place[u])
    total, above = new - old, end - 1 - r
    if new > old:
        while above > 0 and w.height[w.order[end - above]] < new:
            total += w.height[w.order[end - above]] - old
            above -= 1
    else:
        while r > 0 and w.height[w.order[r - 1]] > new:
            r -= 1
            total += new - w.height[w.order[r]]
    return total + above * (new - old)


@inner
def _reorder(w, u):
    """Put node u, whose height has changed, in its place among the others."""
    end, r, height = w.order.shape[0], np.int64(w.place[u]), w.height[u]
    while r + 1 < end and w.height[w.order[r + 1]] < height:
        w.order[r] = w.order[r + 1]
        w.place[w.order[r]] = r
        r += 1
    while r > 0 and w.height[w.order[r - 1]] > height:
        w.order[r] = w.order[r - 1]
        w.place[w.order[r]] = r
        r -= 1
    w.order[r], w.place[u] = u, r


# ---------------------------------------------------------------------- walking up the tree


@inner
def _meet(w, a, b):
    """The last common ancestor."""
    while a != b:
        if w.height[a] <= w.height[b] and w.parent[a] >= 0:
            a = np.int64(w.parent[a])
        else:
            b = np.int64(w.parent[b])
    return a


@inner
def _relation(w, t):
    """Whether a triplet is displayed, and the lower height at which its leaves meet, divided by the upper one."""
    a, b, c = np.int64(w.rows[t, 0]), np.int64(w.rows[t, 1]), np.int64(w.rows[t, 2])
    near = _meet(w, a, b)
    top = _meet(w, near, c)
    displayed = near != top
    if not displayed:  # then c meets a or b below the node where a and b meet
        near = _meet(w, a, c)
        if near == top:
            near = _meet(w, b, c)
    return displayed, w.height[near] / w.height[top]


@inner
def _worth(w, t):
    """The worth of a triplet in the tree."""
    sharpness = w.state[SHARPNESS]
    if sharpness == np.inf:
        return 1.0 if _displays(w, t) else 0.0
    displayed, ratio = _relation(w, t)
    return math.log(_reply_chance(displayed, ratio, sharpness, w.state[WRONG]))


@inner
def _displays(w, t):
    near = _meet(w, np.int64(w.rows[t, 0]), np.int64(w.rows[t, 1]))
    return _meet(w, near, np.int64(w.rows[t, 2])) != near


@inner
def _reply_chance(right, ratio, sharpness, wrong):
    """The chance that a person names one of three as the odd one.

    right : whether it is the odd one in the tree; ratio : the lower of the two heights at which the three meet, divided
    by the upper one; wrong : share of replies that are wrong at any heights
    """
    other = ratio**sharpness  # the likeness of the odd one to either, if the others are alike by 1
    named = (1.0 if right else other) / (1.0 + 2.0 * other)
    return (1.0 - 1.5 * wrong) * named + 0.5 * wrong


@inner
def _lineage(w, leaf, height):
    """The highest node above a leaf, or itself, that is not above a height."""
    while w.parent[leaf] >= 0 and w.height[w.parent[leaf]] <= height:
        leaf = np.int64(w.parent[leaf])
    return leaf


@inner
def _is_below(w, u, above):
    while u >= 0 and w.height[u] <= w.height[above]:
        if u == above:
            return True
        u = np.int64(w.parent[u])
    return False


@inner
def _hang(w, above, old, new):
    """Let `new` be a child of a node in place of `old`."""
    w.child[above, np.int64(w.child[above, 1] == old)] = new
    w.parent[new] = above


@inner
def _resize(w, u, by):
    while u >= 0:
        w.size[u] += by
        u = np.int64(w.parent[u])


# ---------------------------------------------------------------------- proposals


@inner
def _regraft(w, i, beside):
    """Move the clade i, with the node above it, beside a node; its height is changed elsewhere."""
    p, size = np.int64(w.parent[i]), np.int64(w.size[i])
    sister, above = np.int64(w.child[p, np.int64(w.child[p, 0] == i)]), np.int64(w.parent[p])
    _hang(w, above, p, sister)
    _resize(w, above, -size)
    _hang(w, np.int64(w.parent[beside]), beside, p)
    _hang(w, p, sister, beside)
    w.size[p] = w.size[beside] + size
    _resize(w, np.int64(w.parent[p]), size)


@inner
def _swap(w, i, j):
    """Exchange two clades, the first below the sister of the second."""
    p, above = np.int64(w.parent[i]), np.int64(w.parent[j])
    _hang(w, p, i, j)
    _hang(w, above, j, i)
    w.size[p] += w.size[j] - w.size[i]


@inner
def _target(w, i, x, far, pick, height):
    """The node beside which a clade goes at a height, without itself, or -1."""
    n = w.near.shape[0]
    y = np.int64(pick * n) if far < _FAR else np.int64(w.near[x, np.int64(pick * w.near.shape[1])])
    if _is_below(w, y, i):
        return -1
    return _beside(w, i, y, height)


@inner
def _beside(w, i, y, height):
    p = w.parent[i]
    j = _lineage(w, y, height)
    return np.int64(w.child[p, np.int64(w.child[p, 0] == i)]) if j == p else np.int64(j)


@inner
def _chance(w, i, x, j, height):
    """The chance that a clade goes beside a node at a height."""
    n, k, hits = w.near.shape[0], w.near.shape[1], 0
    for c in range(k):
        y = np.int64(w.near[x, c])
        if not _is_below(w, y, i) and _beside(w, i, y, height) == j:
            hits += 1
    size = w.size[j] - (w.size[i] if _is_below(w, i, j) else 0)
    return _FAR * size / n + (1.0 - _FAR) * hits / k


@inner
def _named(w, i, stack, named, count):
    """Append the triplets with a leaf below i, each once a step. Returns their number."""
    n, step = w.near.shape[0], w.state[STEP]
    stack[0], top = i, 1
    while top > 0:
        top -= 1
        u = stack[top]
        if u >= n:
            stack[top], stack[top + 1] = w.child[u, 0], w.child[u, 1]
            top += 2
        else:
            for e in range(w.start[u], w.start[u + 1]):
                t = w.told[e]
                if w.stamp[t] != step:
                    w.stamp[t] = step
                    named[count] = t
                    count += 1
    return count


@inner
def _gain(price, votes):
    """The change of the logarithm of the posterior by a change of the votes."""
    return price * votes if votes != 0.0 else 0.0


@inner
def _turned(w, named, count, fresh, price, needed):
    """Keep the triplets whose worth has changed, and write their new worth. Returns their number, the change of votes.

    The rest is left out when the step is sure to be rejected: its triplets cannot be worth what is needed.
    """
    kept, votes = 0, 0.0  # as if all that have not been looked at were worth most
    most = 1.0 if w.state[SHARPNESS] == np.inf else 0.0
    for e in range(count):
        votes += w.weight[named[e]] * (most - w.worth[named[e]])
    for e in range(count):
        if _gain(price, votes) <= needed:
            break
        t = named[e]
        worth = _worth(w, t)
        votes -= w.weight[t] * (most - worth)
        if worth != w.worth[t]:
            named[kept], fresh[kept] = t, worth
            kept += 1
    return kept, votes


@inner
def _update(w, one, other, path, mean, variance, log):
    """Contrasts from two nodes up to the root, the old ones kept; number of nodes, change of the log-likelihood."""
    k, change = 0, 0.0
    while one >= 0 or other >= 0:
        if one == other:
            other = -1
        if other < 0 or (one >= 0 and w.height[one] < w.height[other]):
            u, one = one, np.int64(w.parent[one])
        else:
            u, other = other, np.int64(w.parent[other])
        path[k], variance[k], log[k] = u, w.variance[u], w.log[u]
        for j in range(mean.shape[1]):
            mean[k, j] = w.mean[u, j]
        _contrast(w, u)
        change += w.log[u] - log[k]
        k += 1
    return k, change


# ---------------------------------------------------------------------- the walk


@njit
def relations(w, displayed, ratio):
    """Write of each triplet whether it is displayed, and the ratio of the heights at which the three meet. O(m depth).

    w : Walk; displayed : bool[m]; ratio : float64[m]
    """
    for t in range(w.rows.shape[0]):
        displayed[t], ratio[t] = _relation(w, t)


@njit
def begin(w):
    """Compute sizes, the worth of the triplets, the likelihood and the sums of the prior; ``state[NOISE]`` is given.

    w : Walk
    """
    n = w.near.shape[0]
    w.size[:] = 0
    for i in range(n):
        _resize(w, np.int64(i), np.int64(1))
    w.state[VOTES] = 0.0
    for t in range(w.rows.shape[0]):
        w.worth[t] = _worth(w, t)
        w.state[VOTES] += w.weight[t] * w.worth[t]
    w.state[LENGTH], w.state[PAIRS] = w.height[w.order[n - 2]], 0.0
    for r in range(n - 1):
        w.state[LENGTH] += w.height[w.order[r]]
        w.state[PAIRS] += w.height[w.order[r]] * (n - 1 - r)
    w.state[FIT] = _all_contrasts(w, w.state[NOISE])


@njit
def rescale(w, power, draws):
    """Propose to multiply all heights, and then the noise.

    w : Walk; power : as in `walk`; draws : float64[2, 2], uniform
    """
    n = w.near.shape[0]
    for what in range(2):
        step = (draws[what, 0] - 0.5) * (_SCALE if what == 0 else _BLUR)
        factor, noise = math.exp(step), w.state[NOISE]
        gain = step
        if what == 0:
            for u in range(n, 2 * n - 1):
                w.height[u] *= factor
            before = _prior(w.state[LENGTH], w.state[PAIRS], n, w.state[SHAPE])
            after = _prior(w.state[LENGTH] * factor, w.state[PAIRS] * factor, n, w.state[SHAPE])
            gain = (n - 1) * step + after - before
        else:
            noise *= factor
        log = _all_contrasts(w, noise)
        if math.log(1.0 - draws[what, 1]) < gain + power * (log - w.state[FIT]):
            w.state[FIT], w.state[NOISE] = log, noise
            if what == 0:
                w.state[LENGTH] *= factor
                w.state[PAIRS] *= factor
        else:
            if what == 0:
                for u in range(n, 2 * n - 1):
                    w.height[u] /= factor
            w.state[FIT] = _all_contrasts(w, w.state[NOISE])


@njit
def walk(w, power, price, draws):
    """Take one step for each row of draws.

    Half of the steps regraft a clade: a random leaf, then some levels up, beside a leaf near to it or any. Others swap
    a clade with its uncle, or change the height of a node.

    w : Walk; power : exponent of the likelihood of the features; price : log-odds of a triplet that is displayed,
    infinite if all must hold (they do at first), 1 if the sharpness is finite
    draws : float64[steps, 8], uniform in [0, 1)
    Returns how many steps were accepted : int.
    """
    n, d = w.near.shape[0], w.mean.shape[1]
    N, m = 2 * n - 1, w.rows.shape[0]
    path, stack, named = np.empty(N, np.int64), np.empty(N + 2, np.int64), np.empty(m, np.int64)
    mean, variance, log, fresh = np.empty((N, d)), np.empty(N), np.empty(N), np.empty(m)
    graded = w.state[SHARPNESS] != np.inf
    prior, taken = _prior(w.state[LENGTH], w.state[PAIRS], n, w.state[SHAPE]), 0
    root = _lineage(w, np.int64(0), np.inf)
    for step in range(draws.shape[0]):
        draw = draws[step]
        w.state[STEP] += 1
        kind = 0 if draw[0] < _REGRAFT else 1 if draw[0] < _SWAP else 2
        gain, i, j, sister, moved = 0.0, 0, 0, 0, False
        if kind == 2:  # node u gets another height between its children and its parent
            u = n + np.int64(draw[1] * (n - 1))
            low, old = max(w.height[w.child[u, 0]], w.height[w.child[u, 1]]), w.height[u]
            if u == root:
                gain = (draw[2] - 0.5) * _WIDE
                new = low + (old - low) * math.exp(gain)
            else:
                new = low + draw[2] * (w.height[w.parent[u]] - low)
            if not new > low:
                continue
            one, other = u, -1
        elif kind == 1:  # clade i and its uncle j change places
            i = np.int64(draw[1] * N)
            u = np.int64(w.parent[i])
            if u < 0 or u == root:
                continue
            above = w.parent[u]
            j = np.int64(w.child[above, np.int64(w.child[above, 0] == u)])
            if w.height[j] >= w.height[u]:
                continue
            one, other, old = u, -1, w.height[u]
            new = old
        else:  # clade i moves, with the node u above it, beside j, at the height of u or at another one
            x = np.int64(draw[1] * n)
            i = x
            for _ in range(int(math.log(1.0 - draw[2]) / math.log(_UP))):
                if w.parent[i] >= 0:
                    i = np.int64(w.parent[i])
            u = np.int64(w.parent[i])
            if u < 0 or u == root:
                continue
            old = new = w.height[u]
            if draw[3] < 0.5:
                gain = (draw[4] - 0.5) * _WIDE
                new = old * math.exp(gain)
                if new <= w.height[i] or new >= w.height[root]:
                    continue
            sister = np.int64(w.child[u, np.int64(w.child[u, 0] == i)])
            j = _target(w, i, x, draw[5], draw[6], new)
            if j < 0 or (j == sister and new == old):
                continue
            there, back = _chance(w, i, x, j, new), _chance(w, i, x, sister, old)
            if there <= 0.0 or back <= 0.0:
                continue
            gain += math.log(back / there)
            one, other = u, -1
            if j != sister:
                other = np.int64(w.parent[u])
        # the step is taken on trial: the tree and the contrasts above `one` and `other` change, the old ones are kept
        length, pairs, after = w.state[LENGTH], w.state[PAIRS], prior
        if new != old:
            length += (new - old) * (2.0 if u == root else 1.0)
            pairs += _more_pairs(w, u, new)
            after = _prior(length, pairs, n, w.state[SHAPE])
        if kind == 0 and j != sister:
            _regraft(w, i, j)
            moved = True
        elif kind == 1:
            _swap(w, i, j)
            moved = True
        w.height[u] = new
        k, more = _update(w, one, other, path, mean, variance, log)
        gain += power * more + after - prior
        # Only triplets with a leaf in a moved clade, or with three leaves that meet at a new height, can change. They
        # must be worth `needed` for the step to stay. Leaves that meet at u are on either side of it: one is enough.
        count, votes, needed = np.int64(0), 0.0, math.log(1.0 - draw[7]) - gain
        if m > 0 and (moved or graded):
            if kind == 2:
                a, b = w.child[u, 0], w.child[u, 1]
                i = np.int64(a if w.size[a] < w.size[b] else b)
            count = _named(w, i, stack, named, count)
            if kind == 1:
                count = _named(w, j, stack, named, count)
            count, votes = _turned(w, named, count, fresh, price, needed)
        if needed < _gain(price, votes):
            w.state[LENGTH], w.state[PAIRS], prior = length, pairs, after
            w.state[FIT] += more
            w.state[VOTES] += votes
            for e in range(count):
                w.worth[named[e]] = fresh[e]
            if new != old:
                _reorder(w, u)
            taken += 1
        else:  # undo
            for e in range(k):
                v = path[e]
                w.variance[v], w.log[v] = variance[e], log[e]
                for c in range(d):
                    w.mean[v, c] = mean[e, c]
            if kind == 0 and moved:
                _regraft(w, i, sister)
            elif kind == 1:
                _swap(w, j, i)
            w.height[u] = old
    return taken


# ---------------------------------------------------------------------- the relation of three leaves in trees


@inner
def _sisters(parent, a, b):
    """The children of the last common ancestor of two leaves that hold them. Parents come after their children."""
    while parent[a] != parent[b]:
        if parent[a] < parent[b]:
            a = np.int64(parent[a])
        else:
            b = np.int64(parent[b])
    return a, b


@njit
def odd_ones(parents, heights, trios):
    """Find which of three leaves is the odd one in each tree, how clearly, and how much of the tree depends on it.

    The odd one of a, b, c is c if ab|c. Then all triplets between the largest clades around a, b and c that hold none
    of the other two are of the same kind; their number is the product of the three sizes. O(t q depth).

    parents : int32[t, 2 n - 1], after their children; heights : float64[t, n - 1], of the inner nodes
    trios : int32[q, 3], different leaves
    Returns the odd ones as 0, 1, 2 : int8[t, q]; the lower of the two heights at which the three meet, divided by the
    upper one : float64[t, q]; these products : float64[t, q].
    """
    t, N = parents.shape
    n, q = (N + 1) // 2, trios.shape[0]
    odd, ratio, hanging = np.empty((t, q), np.int8), np.empty((t, q)), np.empty((t, q))
    size = np.empty(N)
    for i in range(t):
        parent, height = parents[i], heights[i]
        size[:n], size[n:] = 1.0, 0.0
        for v in range(N - 1):
            size[parent[v]] += size[v]
        for k in range(q):
            a, b, c = np.int64(trios[k, 0]), np.int64(trios[k, 1]), np.int64(trios[k, 2])
            ab, ba = _sisters(parent, a, b)
            ac, ca = _sisters(parent, a, c)
            low, high = parent[ab], parent[ac]
            if low < high:
                odd[i, k], hanging[i, k] = 2, size[ab] * size[ba] * size[ca]
            elif high < low:
                odd[i, k], hanging[i, k] = 1, size[ac] * size[ca] * size[ba]
                low, high = high, low
            else:
                bc, cb = _sisters(parent, b, c)
                odd[i, k], hanging[i, k] = 0, size[bc] * size[cb] * size[ab]
                low = parent[bc]
            ratio[i, k] = height[low - n] / height[high - n]
    return odd, ratio, hanging
