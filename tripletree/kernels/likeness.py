"""Markov chain Monte Carlo over rooted binary trees whose heights say how surely people tell the odd one of three.

If a and b meet at height g below the node where c joins them, a person names c with the chance of a softmax,
1 / (1 + 2 exp(-g)), and a or b otherwise. A share of lapses, where all three are named alike, bounds that chance. So
answers about things that are nearly as alike as the others count for less, as they do with people, and answers that
err at a constant rate are the other end of the model. Heights are exponential, as in a Yule tree, and their rate is
integrated out. Steps are accepted by the rule of Metropolis and Hastings. All random numbers are handed in.

Nodes are numbered: n leaves, then inner nodes in any order. Heights grow strictly towards the root. For each trio the
nodes where its pairs meet are kept, so a step takes the size of the clade that moves, its trios, and the depth of the
other leaves in these. The caller is ``algorithms/likeness.py``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import inner, njit

_REGRAFT = 0.6  # share of proposals that regraft a clade; the others change a height
_UP = 0.35  # chance to take the clade one level higher
_WIDE, _SCALE, _SLIP = 1.0, 0.3, 1.5  # width of the logarithm: of one height, of all heights, of the lapses
_LEAST, _MOST = 1e-4, 0.9  # share of lapses
_TRIES = 9.0  # lapses have the prior Beta(1, 9)

# entries of `AnswerWalk.state`
LENGTH = 0  # the sum of all heights
FIT = 1  # log-likelihood of the answers
LAPSES = 2  # share of answers that name any of the three
STEP = 3  # steps so far


class AnswerWalk(NamedTuple):
    """The state of a chain: a tree and its answers, changed in place."""

    parent: np.ndarray  #: int32[2 n - 1], -1 above the root
    child: np.ndarray  #: int32[2 n - 1, 2], -1 below leaves
    height: np.ndarray  #: float64[2 n - 1]
    size: np.ndarray  #: int32[2 n - 1], leaves below
    rows: np.ndarray  #: int32[m, 3]: trios
    votes: np.ndarray  #: float64[m, 3]: weight of the answers that name each of the three
    meet: np.ndarray  #: int32[m, 3]: the node where the two others meet
    log: np.ndarray  #: float64[m]: log-likelihood of the answers to a trio
    start: np.ndarray  #: int32[n + 1]: the trios that name leaf i are told[start[i]:start[i + 1]]
    told: np.ndarray  #: int32[3 m]
    stamp: np.ndarray  #: int64[m]: the step at which a trio was last looked at
    state: np.ndarray  #: float64[4]: the entries LENGTH, FIT, ... above


# ---------------------------------------------------------------------- likelihood and prior


@inner
def _fit(votes, t, odd, gap, lapses):
    """Log-likelihood of the answers to a trio whose odd one hangs by a gap above the node of the others."""
    far = math.exp(-gap)
    right = (1.0 - lapses) / (1.0 + 2.0 * far) + lapses / 3.0
    wrong = (1.0 - lapses) * far / (1.0 + 2.0 * far) + lapses / 3.0
    agree = votes[t, odd]
    return agree * math.log(right) + (votes[t, 0] + votes[t, 1] + votes[t, 2] - agree) * math.log(wrong)


@inner
def _fit_of(votes, t, height, one, two, three, lapses):
    """The same, given where the pairs meet: of the three nodes two are equal, and the other is below them."""
    if one == two:
        return _fit(votes, t, 2, height[one] - height[three], lapses)
    if one == three:
        return _fit(votes, t, 1, height[one] - height[two], lapses)
    return _fit(votes, t, 0, height[two] - height[one], lapses)


@inner
def _all_fits(w, lapses, log):
    total = 0.0
    for t in range(w.rows.shape[0]):
        log[t] = _fit_of(w.votes, t, w.height, w.meet[t, 0], w.meet[t, 1], w.meet[t, 2], lapses)
        total += log[t]
    return total


@inner
def _prior(length, n):
    """Logarithm of the prior of the heights, up to a constant: exponential, the rate itself exponential."""
    return -n * math.log(1.0 + length)


# ---------------------------------------------------------------------- the tree


@inner
def _meeting(w, a, b):
    """The last common ancestor."""
    while a != b:
        if w.height[a] <= w.height[b] and w.parent[a] >= 0:
            a = w.parent[a]
        else:
            b = w.parent[b]
    return a


@inner
def _leaves_below(w, u, stack, out):
    """Write the leaves below a node. Returns their number."""
    n, k, top = w.start.shape[0] - 1, 0, 1
    stack[0] = u
    while top > 0:
        top -= 1
        v = stack[top]
        if v < n:
            out[k] = v
            k += 1
        else:
            stack[top], stack[top + 1] = w.child[v, 0], w.child[v, 1]
            top += 2
    return k


@inner
def _resize(w, u, by):
    while u >= 0:
        w.size[u] += by
        u = w.parent[u]


@inner
def _hang(w, above, old, new):
    """Let `new` be a child of a node, or the root, in place of `old`."""
    if above >= 0:
        w.child[above, np.int64(w.child[above, 1] == old)] = new
    w.parent[new] = above


@inner
def _regraft(w, i, sister, beside):
    """Move the clade i, with the node above it, beside a node; its height is changed elsewhere."""
    u = w.parent[i]
    above = np.int64(w.parent[u])
    _hang(w, above, u, sister)
    _resize(w, above, -w.size[i])
    above = np.int64(w.parent[beside])
    _hang(w, above, beside, u)
    w.parent[beside] = u
    w.child[u, 0], w.child[u, 1] = i, beside
    w.size[u] = w.size[beside] + w.size[i]
    _resize(w, above, w.size[i])


@inner
def _sister(w, i):
    u = w.parent[i]
    return np.int64(w.child[u, np.int64(w.child[u, 0] == i)])


# ---------------------------------------------------------------------- the walk


@njit
def begin(w):
    """Compute sizes, where pairs meet, the likelihood and the sum of the heights; ``state[LAPSES]`` is given.

    w : AnswerWalk
    """
    n = w.start.shape[0] - 1
    w.size[:] = 0
    for i in range(n):
        _resize(w, i, 1)
    for t in range(w.rows.shape[0]):
        a, b, c = w.rows[t, 0], w.rows[t, 1], w.rows[t, 2]
        w.meet[t, 0], w.meet[t, 1], w.meet[t, 2] = _meeting(w, b, c), _meeting(w, a, c), _meeting(w, a, b)
    w.state[LENGTH] = w.height.sum()
    w.state[FIT] = _all_fits(w, w.state[LAPSES], w.log)


@njit
def rescale(w, draws):
    """Propose to multiply all heights, and then the share of lapses.

    w : AnswerWalk; draws : float64[2, 2], uniform
    """
    n = w.start.shape[0] - 1
    log = np.empty(w.rows.shape[0])
    step = (draws[0, 0] - 0.5) * _SCALE
    factor, length = math.exp(step), w.state[LENGTH]
    for u in range(n, 2 * n - 1):
        w.height[u] *= factor
    fit = _all_fits(w, w.state[LAPSES], log)
    gain = (n - 1) * step + _prior(length * factor, n) - _prior(length, n)
    if math.log(1.0 - draws[0, 1]) < gain + fit - w.state[FIT]:
        w.state[FIT], w.state[LENGTH] = fit, length * factor
        w.log[:] = log
    else:
        for u in range(n, 2 * n - 1):
            w.height[u] /= factor
    step = (draws[1, 0] - 0.5) * _SLIP
    before, lapses = w.state[LAPSES], w.state[LAPSES] * math.exp(step)
    if _LEAST < lapses < _MOST:
        fit = _all_fits(w, lapses, log)
        gain = step + (_TRIES - 1.0) * (math.log(1.0 - lapses) - math.log(1.0 - before))
        if math.log(1.0 - draws[1, 1]) < gain + fit - w.state[FIT]:
            w.state[FIT], w.state[LAPSES] = fit, lapses
            w.log[:] = log


@njit
def walk(w, draws):
    """Take one step for each row of draws.

    A step regrafts a clade beside another node at a new height, or changes the height of a node. The clade is some
    levels above a random leaf, its new place is above another random leaf.

    w : AnswerWalk; draws : float64[steps, 6], uniform in [0, 1)
    Returns how many steps were accepted : int.
    """
    n, m = w.start.shape[0] - 1, w.rows.shape[0]
    N = 2 * n - 1
    stack, leaves, inside = np.empty(N + 2, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    on_path = np.full(N, -1, np.int64)  # the step at which a node was above the new place
    asked, found = np.full(n, -1, np.int64), np.empty(n, np.int64)  # where leaves meet the new place, and when asked
    touched, log, meet = np.empty(m, np.int64), np.empty(m), np.empty((m, 3), np.int32)
    prior, taken = _prior(w.state[LENGTH], n), 0
    for step in range(draws.shape[0]):
        draw = draws[step]
        w.state[STEP] += 1
        now = np.int64(w.state[STEP])
        count, gain, change, i, j, sister = 0, 0.0, 0.0, -1, -1, -1
        if draw[0] < _REGRAFT:
            # node i moves, together with the node u above it, beside node j at a new height
            i = np.int64(draw[1] * n)
            for _ in range(int(math.log(1.0 - draw[2]) / math.log(_UP))):
                if w.parent[i] >= 0:
                    i = np.int64(w.parent[i])
            u = np.int64(w.parent[i])
            if u < 0:
                continue
            old = w.height[u]
            new = old * math.exp((draw[4] - 0.5) * _WIDE)
            if new <= w.height[i]:
                continue
            k = _leaves_below(w, i, stack, leaves)
            # leaves below i are inside. A place below i is no place for i
            for e in range(k):
                inside[leaves[e]] = True
            j = np.int64(draw[3] * n)
            if inside[j]:
                for e in range(k):
                    inside[leaves[e]] = False
                continue
            sister = _sister(w, i)
            # beside the last node above leaf j that is not above the new height, in the tree without i and u
            p = np.int64(w.parent[j])
            while True:
                if p == u:
                    p = np.int64(w.parent[u])
                if p < 0 or w.height[p] > new:
                    break
                j, p = p, np.int64(w.parent[p])
            # nodes above the new place, without u: where leaves outside of the clade will meet those inside
            while p >= 0:
                on_path[p] = step
                p = np.int64(w.parent[p])
                if p == u:
                    p = np.int64(w.parent[u])
            v = u  # i may hang below j
            while v >= 0 and w.height[v] < w.height[j]:
                v = np.int64(w.parent[v])
            # the reverse step starts from the sister, which is chosen by as many leaves as it holds
            held = w.size[j] - (w.size[i] if v == j else 0)
            gain = math.log(w.size[sister] / held) + math.log(new / old)
            w.height[u] = new
            # only answers about a leaf inside change, each is looked at once
            for e in range(k):
                for f in range(w.start[leaves[e]], w.start[leaves[e] + 1]):
                    t = w.told[f]
                    if w.stamp[t] == now:
                        continue
                    w.stamp[t] = now
                    a, b, c = w.rows[t, 0], w.rows[t, 1], w.rows[t, 2]
                    if inside[a] and inside[b] and inside[c]:  # they meet below i, which moves as a whole
                        continue
                    for s in range(3):
                        x, y = w.rows[t, (s + 1) % 3], w.rows[t, (s + 2) % 3]
                        if inside[x] == inside[y]:
                            meet[count, s] = w.meet[t, s]
                            continue
                        z = y if inside[x] else x
                        # the outer leaf z meets the clade at its first node on the path, or at u if it is below j
                        if asked[z] != step:
                            asked[z] = step
                            v = np.int64(z)
                            while v != j and on_path[v] != step:
                                v = np.int64(w.parent[v])
                            found[z] = u if v == j else v
                        meet[count, s] = found[z]
                    log[count] = _fit_of(
                        w.votes, t, w.height, meet[count, 0], meet[count, 1], meet[count, 2], w.state[LAPSES]
                    )
                    change += log[count] - w.log[t]
                    touched[count] = t
                    count += 1
            for e in range(k):
                inside[leaves[e]] = False
        else:
            u = n + np.int64(draw[1] * (n - 1))
            a, b = w.child[u, 0], w.child[u, 1]
            low, old = max(w.height[a], w.height[b]), w.height[u]
            if w.parent[u] < 0:
                gain = (draw[2] - 0.5) * _WIDE
                new = low + (old - low) * math.exp(gain)
            else:
                new = low + draw[2] * (w.height[w.parent[u]] - low)
            if not new > low:
                continue
            w.height[u] = new
            # an answer that has two leaves meet in u has a leaf below either child: the smaller child is enough
            k = _leaves_below(w, a if w.size[a] < w.size[b] else b, stack, leaves)
            for e in range(k):
                for f in range(w.start[leaves[e]], w.start[leaves[e] + 1]):
                    t = w.told[f]
                    if w.stamp[t] == now:
                        continue
                    w.stamp[t] = now
                    if w.meet[t, 0] == u or w.meet[t, 1] == u or w.meet[t, 2] == u:
                        log[count] = _fit_of(
                            w.votes, t, w.height, w.meet[t, 0], w.meet[t, 1], w.meet[t, 2], w.state[LAPSES]
                        )
                        change += log[count] - w.log[t]
                        touched[count] = t
                        count += 1
        length = w.state[LENGTH] + new - old
        after = _prior(length, n)
        # accept or reject (Metropolis, Hastings): the change of the posterior and of the chances of both steps
        if math.log(1.0 - draw[5]) < gain + change + after - prior:
            w.state[LENGTH], prior = length, after
            w.state[FIT] += change
            if i >= 0:
                if j != sister:
                    _regraft(w, i, sister, j)
                for e in range(count):
                    for s in range(3):
                        w.meet[touched[e], s] = meet[e, s]
            for e in range(count):
                w.log[touched[e]] = log[e]
            taken += 1
        else:
            w.height[u] = old
    return taken
