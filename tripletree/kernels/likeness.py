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

from tripletree.kernels.jit import allocating, inner, njit

_REGRAFT = 0.6  # share of proposals that regraft a clade; the others change a height
_UP = 0.35  # chance to take the clade one level higher
_WIDE, _SCALE, _SLIP = 1.0, 0.3, 1.5  # width of the logarithm: of one height, of all heights, of the lapses
_LEAST, _MOST = 1e-4, 0.9  # share of lapses
_TRIES = 9.0  # lapses have the prior Beta(1, 9)
_KEPT = 1024  # slots of `Logs`, a power of two

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


class Logs(NamedTuple):
    """Logarithms of the chances of a reply by the nodes that they depend on, kept for the trios that share these.

    A step changes hundreds of trios, but few pairs of nodes.
    """

    key: np.ndarray  #: int64[_KEPT]: which tree and pair of nodes has the slot
    right: np.ndarray  #: float64[_KEPT]: the answer that the tree displays
    wrong: np.ndarray  #: float64[_KEPT]: either other answer


@allocating
def _no_logs():
    return Logs(np.full(_KEPT, -1, np.int64), np.empty(_KEPT), np.empty(_KEPT))


@inner
def _fit_of(w, logs, tree, t, one, two, three, lapses):
    """Log-likelihood of the answers to a trio, given where its pairs meet. The tree has a number, for `logs`.

    Of the three nodes two are equal, and the other is below them.
    """
    if one == two:
        odd, upper, lower = np.int64(2), np.int64(one), np.int64(three)
    elif one == three:
        odd, upper, lower = np.int64(1), np.int64(one), np.int64(two)
    else:
        odd, upper, lower = np.int64(0), np.int64(two), np.int64(one)
    N = w.height.shape[0]
    slot, key = (37 * upper + lower) & (_KEPT - 1), (tree * N + upper) * N + lower
    if logs.key[slot] != key:
        far = math.exp(w.height[lower] - w.height[upper])
        logs.key[slot] = key
        logs.right[slot] = math.log((1.0 - lapses) / (1.0 + 2.0 * far) + lapses / 3.0)
        logs.wrong[slot] = math.log((1.0 - lapses) * far / (1.0 + 2.0 * far) + lapses / 3.0)
    agree = w.votes[t, odd]
    return agree * logs.right[slot] + (w.votes[t, 0] + w.votes[t, 1] + w.votes[t, 2] - agree) * logs.wrong[slot]


@inner
def _all_fits(w, logs, tree, lapses, log):
    total = 0.0
    for t in range(w.rows.shape[0]):
        log[t] = _fit_of(w, logs, tree, t, w.meet[t, 0], w.meet[t, 1], w.meet[t, 2], lapses)
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
    w.state[FIT] = _all_fits(w, _no_logs(), np.int64(0), w.state[LAPSES], w.log)


@njit
def rescale(w, draws):
    """Propose to multiply all heights, and then the share of lapses.

    w : AnswerWalk; draws : float64[2, 2], uniform
    """
    n = w.start.shape[0] - 1
    log, logs = np.empty(w.rows.shape[0]), _no_logs()
    step = (draws[0, 0] - 0.5) * _SCALE
    factor, length = math.exp(step), w.state[LENGTH]
    for u in range(n, 2 * n - 1):
        w.height[u] *= factor
    fit = _all_fits(w, logs, np.int64(0), w.state[LAPSES], log)
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
        fit = _all_fits(w, logs, np.int64(1), lapses, log)
        gain = step + (_TRIES - 1.0) * (math.log(1.0 - lapses) - math.log(1.0 - before))
        if math.log(1.0 - draws[1, 1]) < gain + fit - w.state[FIT]:
            w.state[FIT], w.state[LAPSES] = fit, lapses
            w.log[:] = log


class Workspace(NamedTuple):
    """Arrays of `walk` that live through all steps, so that a step clears nothing."""

    stack: np.ndarray  #: int64[2 n + 1]
    leaves: np.ndarray  #: int64[n]: the leaves of the clade at hand
    inside: np.ndarray  #: bool[n]: whether a leaf is in the clade that moves, False between steps
    on_path: np.ndarray  #: int64[2 n - 1]: the step at which a node was above the new place
    asked: np.ndarray  #: int64[n]: the step at which a leaf was asked where it meets the clade
    found: np.ndarray  #: int64[n]: the answer
    trio: np.ndarray  #: int64[m]: the trios that the step changes
    log: np.ndarray  #: float64[m]: their log-likelihoods after it
    meet: np.ndarray  #: int32[m, 3]: where their pairs meet after it, if a clade moves
    logs: Logs  #: of the tree after the step, whose number is the step


class Proposal(NamedTuple):
    """A step to be accepted or not. The node has its new height already, the clade still hangs at its old place."""

    node: int  #: the node whose height changes, -1 if the step changes nothing
    old: float  #: its height before
    clade: int  #: the child of the node that moves with it, -1 for none
    beside: int  #: the node at the new place
    gain: float  #: logarithm of the chance of the step back over the chance of this step
    change: float  #: of the log-likelihood
    n_trios: int  #: how many trios it changes, the first ones in `Workspace`


@inner
def _nothing():
    return Proposal(np.int64(-1), 0.0, np.int64(-1), np.int64(-1), 0.0, 0.0, np.int64(0))


@inner
def _list_trios(w, work, k, now):
    """List the trios that name any of the first k of `leaves`, each once. Returns their number."""
    count = np.int64(0)
    for e in range(k):
        for f in range(w.start[work.leaves[e]], w.start[work.leaves[e] + 1]):
            t = w.told[f]
            if w.stamp[t] != now:
                w.stamp[t] = now
                work.trio[count] = t
                count += 1
    return count


@inner
def _refit(w, work, step, place, t, one, two, three):
    """Make trio t the one at this place of the changed ones. Returns the change of its log-likelihood."""
    work.trio[place] = t
    work.log[place] = _fit_of(w, work.logs, step, t, one, two, three, w.state[LAPSES])
    return work.log[place] - w.log[t]


@inner
def _clade_above(w, leaf, draw):
    """The clade that holds a leaf, a random number of levels up."""
    i = leaf
    for _ in range(int(math.log(1.0 - draw) / math.log(_UP))):
        if w.parent[i] >= 0:
            i = np.int64(w.parent[i])
    return i


@inner
def _new_place(w, work, step, u, leaf, new):
    """The last node above a leaf that is not above the new height, in the tree without node u.

    The nodes above are noted: there the leaves outside of the clade will meet those inside.
    """
    j, p = leaf, np.int64(w.parent[leaf])
    while True:
        if p == u:
            p = np.int64(w.parent[u])
        if p < 0 or w.height[p] > new:
            break
        j, p = p, np.int64(w.parent[p])
    while p >= 0:
        work.on_path[p] = step
        p = np.int64(w.parent[p])
        if p == u:
            p = np.int64(w.parent[u])
    return j


@inner
def _is_above(w, j, u):
    """Whether node j is u or above it."""
    while u >= 0 and w.height[u] < w.height[j]:
        u = np.int64(w.parent[u])
    return u == j


@inner
def _meets_at(w, work, step, u, j, leaf):
    """Where a leaf outside meets the clade: at its first node on the path, or at u if it is below j."""
    if work.asked[leaf] != step:
        work.asked[leaf] = step
        v = np.int64(leaf)
        while v != j and work.on_path[v] != step:
            v = np.int64(w.parent[v])
        work.found[leaf] = u if v == j else v
    return work.found[leaf]


@inner
def _refit_moved(w, work, k, step, now, u, j):
    """Work out the trios that change if the clade of the first k of `leaves` moves. Returns the change, and how many.

    Only answers about a leaf inside change, and not if all three are inside: they meet in the clade, which stays whole.
    """
    inside, meet = work.inside, work.meet
    change, count = 0.0, np.int64(0)
    for e in range(_list_trios(w, work, k, now)):
        t = work.trio[e]
        if inside[w.rows[t, 0]] and inside[w.rows[t, 1]] and inside[w.rows[t, 2]]:
            continue
        for s in range(3):
            x, y = w.rows[t, (s + 1) % 3], w.rows[t, (s + 2) % 3]
            if inside[x] == inside[y]:
                meet[count, s] = w.meet[t, s]
            else:
                meet[count, s] = _meets_at(w, work, step, u, j, np.int64(y if inside[x] else x))
        change += _refit(w, work, step, count, t, meet[count, 0], meet[count, 1], meet[count, 2])
        count += 1
    return change, count


@inner
def _propose_place(w, work, step, now, draw):
    """Propose to move a clade i, together with the node u above it, beside a node j at a new height."""
    n = w.start.shape[0] - 1
    i = _clade_above(w, np.int64(draw[1] * n), draw[2])
    u = np.int64(w.parent[i])
    if u < 0:
        return _nothing()
    old = w.height[u]
    new = old * math.exp((draw[4] - 0.5) * _WIDE)
    if new <= w.height[i]:
        return _nothing()
    k = _leaves_below(w, i, work.stack, work.leaves)
    for e in range(k):
        work.inside[work.leaves[e]] = True
    leaf, proposal = np.int64(draw[3] * n), _nothing()
    if not work.inside[leaf]:  # a place below i is no place for i
        j = _new_place(w, work, step, u, leaf, new)
        # the step back starts from the sister, which is chosen by as many leaves as it holds
        held = w.size[j] - (w.size[i] if _is_above(w, j, u) else 0)
        gain = math.log(w.size[_sister(w, i)] / held) + math.log(new / old)
        w.height[u] = new
        change, count = _refit_moved(w, work, k, step, now, u, j)
        proposal = Proposal(u, old, i, j, gain, change, count)
    for e in range(k):
        work.inside[work.leaves[e]] = False
    return proposal


@inner
def _propose_height(w, work, step, now, draw):
    """Propose another height of an inner node, between its children and its parent."""
    n = w.start.shape[0] - 1
    u = n + np.int64(draw[1] * (n - 1))
    a, b = np.int64(w.child[u, 0]), np.int64(w.child[u, 1])
    low, old, gain = max(w.height[a], w.height[b]), w.height[u], 0.0
    if w.parent[u] < 0:
        gain = (draw[2] - 0.5) * _WIDE
        new = low + (old - low) * math.exp(gain)
    else:
        new = low + draw[2] * (w.height[w.parent[u]] - low)
    if not new > low:
        return _nothing()
    w.height[u] = new
    # an answer that has two leaves meet in u has a leaf below either child: the smaller child is enough
    k = _leaves_below(w, a if w.size[a] < w.size[b] else b, work.stack, work.leaves)
    change, count = 0.0, np.int64(0)
    for e in range(_list_trios(w, work, k, now)):
        t = work.trio[e]
        if w.meet[t, 0] == u or w.meet[t, 1] == u or w.meet[t, 2] == u:
            change += _refit(w, work, step, count, t, w.meet[t, 0], w.meet[t, 1], w.meet[t, 2])
            count += 1
    return Proposal(u, old, np.int64(-1), np.int64(-1), gain, change, count)


@inner
def _accept(w, work, proposal):
    """Take over the place of the clade, and what is new about the trios. The height is there already."""
    if proposal.clade >= 0:
        sister = _sister(w, proposal.clade)
        if proposal.beside != sister:
            _regraft(w, proposal.clade, sister, proposal.beside)
        for e in range(proposal.n_trios):
            for s in range(3):
                w.meet[work.trio[e], s] = work.meet[e, s]
    for e in range(proposal.n_trios):
        w.log[work.trio[e]] = work.log[e]
    w.state[FIT] += proposal.change


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
    work = Workspace(
        *(np.empty(N + 2, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_), np.full(N, -1, np.int64)),
        *(np.full(n, -1, np.int64), np.empty(n, np.int64)),
        *(np.empty(m, np.int64), np.empty(m), np.empty((m, 3), np.int32), _no_logs()),
    )
    prior, taken = _prior(w.state[LENGTH], n), 0
    for step in range(draws.shape[0]):
        draw = draws[step]
        w.state[STEP] += 1
        now = np.int64(w.state[STEP])
        if draw[0] < _REGRAFT:
            proposal = _propose_place(w, work, step, now, draw)
        else:
            proposal = _propose_height(w, work, step, now, draw)
        if proposal.node < 0:
            continue
        length = w.state[LENGTH] + w.height[proposal.node] - proposal.old
        after = _prior(length, n)
        # accept or reject (Metropolis, Hastings): the change of the posterior and of the chances of both steps
        if math.log(1.0 - draw[5]) < proposal.gain + proposal.change + after - prior:
            w.state[LENGTH], prior = length, after
            _accept(w, work, proposal)
            taken += 1
        else:
            w.height[proposal.node] = proposal.old
    return taken
