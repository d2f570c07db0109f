"""Soft pairs: assigning samples to clusters so that distances and violated pairs together cost little.

Samples that are in pairs are numbered 0..m-1, pairs 0..e-1: first the must-links, then the cannot-links. Labels are
int32[m], changed in place. A label of -1 is a sample without cluster, whose pairs cost nothing.

A move is made where it lowers the sum of all costs by more than its rounding. Oracle: ``pair_costs`` of
``tests/pck_oracle.py``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import RealTable, allocating, inlined, inner, njit

#: Savings of so small a part of the costs are rounding.
_ROUNDING = 1e-12


class PricedLinks(NamedTuple):
    """Pairs of samples and their costs. All arrays are read-only."""

    base: RealTable  #: [m, k], the cost of a sample by itself in each cluster, only read for samples that are looked at
    pay: RealTable
    """[e, k]; a must-link e between clusters g and h costs pay[e, g] + pay[e, h], a cannot-link within cluster h costs
    pay[e, h]."""
    start: np.ndarray  #: int32[m + 1], links of sample i are start[i]..start[i + 1] - 1
    other: np.ndarray  #: int32[2 e], for each link the sample at its far end
    pair: np.ndarray  #: int32[2 e], the number of its pair
    n_must: int


class LinkGroups(NamedTuple):
    """Groups of samples. Must-links join only members of one group."""

    member: np.ndarray  #: int32[m], group by group
    first: np.ndarray  #: int32, where the members of each group begin, and the end
    of: np.ndarray  #: int32[m], the group of each sample


class Chains(NamedTuple):
    """Samples that pairs chain together within two clusters."""

    seen: np.ndarray  #: uint8[m, k], whether the chain of the sample within its cluster and another was looked at
    queue: np.ndarray  #: int32[m], the samples of the chain at hand


@inlined
def _add_links(i, links, label, cost):
    """Add to cost[h] the cost of the pairs of sample i with it in cluster h."""
    pay, k = links.pay, len(cost)
    for p in range(links.start[i], links.start[i + 1]):
        there = label[links.other[p]]
        if there < 0:
            continue
        e = links.pair[p]
        if e >= links.n_must:
            cost[there] += pay[e, there]
            continue
        for h in range(k):
            if h != there:
                cost[h] += pay[e, h] + pay[e, there]


@inner
def _least(cost, here):
    """The cluster of least cost, the present one unless another saves more than rounding."""
    best = 0
    for h in range(1, len(cost)):
        if cost[h] < cost[best]:
            best = h
    if here >= 0 and cost[here] - cost[best] <= _ROUNDING * (abs(cost[here]) + abs(cost[best])):
        return here
    return best


@njit
def restless(start, other, pair, n_must, part, label, nearest):
    """The samples that a move could improve, in ascending order: int32.

    If all samples of a part are in the cluster that is cheapest for them alone, and no pair of it is violated, nothing
    costs less.

    start, other, pair : int32, read-only, the links of each sample, see `PricedLinks`
    part : int32[m], read-only. Pairs join samples of one part only
    label, nearest : int32[m], read-only
    """
    m = len(label)
    moving = np.zeros(m, np.bool_)  # by part: these are no more than samples
    for i in range(m):
        if label[i] != nearest[i]:
            moving[part[i]] = True
        for p in range(start[i], start[i + 1]):
            if (label[i] == label[other[p]]) == (pair[p] >= n_must):
                moving[part[i]] = True
    found, count = np.empty(m, np.int32), 0
    for i in range(m):
        if moving[part[i]]:
            found[count] = i
            count += 1
    return found[:count].copy()


@njit
def settle(order, large, some, part, groups, links, label, rounds):
    """Move samples until none can be, then groups and chains, and so on. Returns whether nothing can be moved any more.

    order, large : int32, both read-only, all samples and groups in the order in which they are looked at
    some : int32, read-only, the samples that may move, whole parts in ascending order, the order for chains
    part : int32[m], read-only. Pairs join samples of one part only
    rounds : int, of moves of all samples, or of groups and chains, after which to return

    Time O(e k) for the first round, after which only samples at the far ends of links of those moved are looked at. A
    part of which neither sample nor group nor chain could be moved is done with: nothing else changes its costs.
    """
    stale, moving = np.zeros(len(part), np.bool_), np.zeros(len(part), np.bool_)
    for i in some:
        moving[part[i]] = stale[i] = True
    left, turns = some.copy(), large.copy()
    n_left, n_turns = len(left), _keep_moving(turns, len(turns), groups, part, moving)
    before = label.copy()
    for _ in range(rounds):
        if _move_samples(order, links, label, stale) > 0:
            continue
        for i in left[:n_left]:
            before[i] = label[i]
        if move_groups(turns[:n_turns], groups, links, label) + _move_chains(left[:n_left], links, label) == 0:
            return True
        moving[:] = False
        for i in left[:n_left]:
            if label[i] != before[i]:
                moving[part[i]] = True
        count = 0
        for i in left[:n_left]:
            if moving[part[i]]:
                left[count] = i
                stale[i] = True
                count += 1
        n_left, n_turns = count, _keep_moving(turns, n_turns, groups, part, moving)
    return False


@inner
def _keep_moving(turns, n_turns, groups, part, moving):
    """Keep the groups whose parts move, in their order. Returns how many these are."""
    count = 0
    for c in turns[:n_turns]:
        if moving[part[groups.member[groups.first[c]]]]:
            turns[count] = c
            count += 1
    return count


@allocating
def _move_samples(order, links, label, stale):
    """Move sample after sample to the cluster of least cost. Returns how many moved.

    stale : bool[m], whether the costs of a sample may have changed since it was looked at
    """
    base = links.base
    k = base.shape[1]
    cost = np.empty(k)
    moves = 0
    for i in order:
        if not stale[i]:
            continue
        stale[i] = False
        for h in range(k):
            cost[h] = base[i, h]
        _add_links(i, links, label, cost)
        best = _least(cost, label[i])
        if best != label[i]:
            label[i] = best
            for p in range(links.start[i], links.start[i + 1]):
                stale[links.other[p]] = True
            moves += 1
    return moves


@njit
def move_groups(order, groups, links, label):
    """Move groups as a whole to the cluster of least cost, wherever their members are now. Returns how many moved.

    order : int32, read-only, numbers of groups
    groups : LinkGroups
    links : PricedLinks
    """
    base, pay, n_must = links.base, links.pay, links.n_must
    member, first, group = groups.member, groups.first, groups.of
    k = base.shape[1]
    cost = np.empty(k)
    moves = 0
    for c in order:
        now = 0.0  # the cost of the group with its members in their present clusters
        size = 0.0  # of the costs that are added up: their rounding
        placed = True
        for h in range(k):
            cost[h] = 0.0
        for p in range(first[c], first[c + 1]):
            i = member[p]
            here = label[i]
            if here < 0:
                placed = False
            else:
                now += base[i, here]
                size += abs(base[i, here])
            for h in range(k):
                cost[h] += base[i, h]
            for q in range(links.start[i], links.start[i + 1]):
                j, e = links.other[q], links.pair[q]
                there = label[j]
                if group[j] == c:
                    if j > i:
                        continue  # each pair within once
                    # together again, the group keeps its must-links, and violates its cannot-links
                    if e >= n_must:
                        for h in range(k):
                            cost[h] += pay[e, h]
                    if here >= 0 and there >= 0:
                        now += _price(e, here, there, n_must, pay)
                elif there >= 0:  # a cannot-link: must-links do not leave the group
                    cost[there] += pay[e, there]
                    if here == there:
                        now += pay[e, there]
        best = 0
        for h in range(1, k):
            if cost[h] < cost[best]:
                best = h
        if placed and now - cost[best] <= _ROUNDING * (size + abs(now) + abs(cost[best])):
            continue
        for p in range(first[c], first[c + 1]):
            if label[member[p]] != best:
                label[member[p]] = best
                moves += 1
    return moves


@inner
def _price(e, g, h, n_must, pay):
    """The cost of a pair with its samples in clusters g and h."""
    if e < n_must:
        return 0.0 if g == h else pay[e, g] + pay[e, h]
    return pay[e, g] if g == h else 0.0


@allocating
def _move_chains(some, links, label):
    """For each two clusters, let samples that pairs chain together within the two change places, if that pays.

    Returns how many moved.
    All samples of a chain go over to the other cluster of the two, so no pair becomes violated that was not. No label
    is -1. A chain saves the sum of the savings of its samples, so it is looked at only if one of them saves something.
    """
    m, k = links.base.shape
    chains = Chains(np.zeros((m, k), np.uint8), np.empty(m, np.int32))
    saving = np.empty(k)
    moves = 0
    for i in some:
        here = label[i]
        _find_savings(i, links, label, saving)
        for h in range(k):
            if h != here and saving[h] > 0 and chains.seen[i, h] == 0:
                turned = _turn_chain(i, h, links, label, chains)
                if turned > 0:
                    moves += turned
                    break  # the savings are out of date
    return moves


@inner
def _find_savings(i, links, label, saving):
    """Put into saving[h] the saving if sample i goes over to cluster h with its chain, a pair within counted half."""
    base, pay, here = links.base, links.pay, label[i]
    for h in range(len(saving)):
        saving[h] = base[i, here] - base[i, h]
    for p in range(links.start[i], links.start[i + 1]):
        e, far = links.pair[p], label[links.other[p]]
        if e >= links.n_must:
            if far == here:  # the other end counts the other half
                for h in range(len(saving)):
                    saving[h] += 0.5 * (pay[e, here] - pay[e, h])
        elif far != here:
            # violated before and after, at another price. With `far` in the chain, the prices change places
            for h in range(len(saving)):
                if h != far:
                    saving[h] += pay[e, here] - pay[e, h]


@inner
def _saving(i, there, links, label):
    """`_find_savings` for one cluster."""
    base, pay, here = links.base, links.pay, label[i]
    saving = base[i, here] - base[i, there]
    for p in range(links.start[i], links.start[i + 1]):
        e, far = links.pair[p], label[links.other[p]]
        if e >= links.n_must:
            if far == here:
                saving += 0.5 * (pay[e, here] - pay[e, there])
        elif far != here and far != there:
            saving += pay[e, here] - pay[e, there]
    return saving


@inner
def _turn_chain(root, h, links, label, chains):
    """Exchange the chain of a sample within its cluster and h between the two, if that pays. Returns how many moved."""
    seen, queue = chains.seen, chains.queue
    g = label[root]
    seen[root, h] = 1
    queue[0] = root
    end = 1
    gain, size = 0.0, 0.0
    done = 0
    while done < end:
        i = queue[done]
        done += 1
        saving = _saving(i, g + h - label[i], links, label)  # g + h less one of the two is the other
        gain += saving
        size += abs(saving) + abs(links.base[i, label[i]])
        for p in range(links.start[i], links.start[i + 1]):
            j = links.other[p]
            if (label[j] == g or label[j] == h) and seen[j, g + h - label[j]] == 0:
                seen[j, g + h - label[j]] = 1
                queue[end] = j
                end += 1
    if gain <= _ROUNDING * size:
        return 0
    for p in range(end):
        j = queue[p]
        seen[j, label[j]] = 1  # back again would undo it
        label[j] = g + h - label[j]
    return end
