"""Shortest paths through must-linked groups, on condensed distances: the input of ``ConstrainedCompleteLink``.

Samples that are must-linked stand as one: N groups, q of them of two and more samples ("linked"). A path may pass only
through linked groups, so only their q x N distances take part. Distances between linked groups come first, by Floyd and
Warshall. Then, for each group, the *entries*: linked groups that are reached from it directly, no longer way through
another one. Each path begins with an entry, hence the distance of i and j is the least over the few entries b of i of
(i to b) + (b to j). Time O(q^3 + N q e + N^2 e) with e entries a group on average: few of q in few dimensions, nearly
all where distances hardly differ.

All loops come in slices of rows, between which Python can be interrupted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import njit


class Entries(NamedTuple):
    """The entries of all groups, one group after another."""

    entry: np.ndarray  #: int32[...], places among the linked groups
    start: np.ndarray  #: int64[N + 1], where the entries of each group begin, and the end


#: Columns that are relaxed at a time: so many distances of some hundred linked groups fit in the cache.
BLOCK = 1024


@njit
def contract(condensed, component, n_groups, low, high):
    """Shrink condensed distances of n samples to distances of groups, the least of any two members, in place.

    The place of a group is never behind the places of its members, so nothing is overwritten before it is read.

    condensed : float64[n * (n - 1) / 2], its first N * (N - 1) / 2 entries are the result
    component : int32[n], read-only, the group of each sample, numbered by their first samples
    low, high : rows i with low <= i < high are done. All rows before must have been
    """
    n = component.shape[0]
    newest = np.int64(-1)  # the last group whose first sample has been passed
    for i in range(low):
        newest = max(newest, component[i])
    for i in range(low, high):
        a = np.int64(component[i])
        row_is_first = a > newest  # i is the first sample of its group, as groups are numbered by their first samples
        newest = max(newest, a)
        seen = newest
        place = i * n - i * (i + 1) // 2
        for j in range(i + 1, n):
            value = condensed[place]
            place += 1
            b = np.int64(component[j])
            first = row_is_first and b > seen  # no distance of these two groups has been written yet
            seen = max(seen, b)
            if a == b:  # distances inside a group are gone
                continue
            x, y = min(a, b), max(a, b)
            target = x * n_groups - x * (x + 1) // 2 + y - x - 1
            if first or value < condensed[target]:
                condensed[target] = value


@njit
def gather(condensed, n_groups, linked):
    """Distances of the linked groups to all. Returns float64[q, N].

    condensed : float64[N * (N - 1) / 2]
    linked : int64[q], read-only
    """
    direct = np.zeros((linked.shape[0], n_groups))
    for k in range(linked.shape[0]):
        a = linked[k]
        for j in range(a):
            direct[k, j] = condensed[j * n_groups - j * (j + 1) // 2 + a - j - 1]
        start = a * n_groups - a * (a + 1) // 2
        for j in range(a + 1, n_groups):
            direct[k, j] = condensed[start + j - a - 1]
    return direct


@njit
def shorten(between, low, high):
    """Floyd and Warshall: allow the groups low <= k < high on the way, in place.

    between : float64[q, q], distances of linked groups
    """
    q = between.shape[0]
    for k in range(low, high):
        # row k itself stays as it is: a way from k over k is no shorter
        for i in range(q):
            leg = between[i, k]
            for j in range(q):
                way = leg + between[k, j]
                between[i, j] = way if way < between[i, j] else between[i, j]


@njit
def enter(block, order, between, found, count):
    """Entries of some groups, and their shortest distances to the linked ones instead of the direct ones.

    block : float64[r, q], direct distances of r groups to the linked ones. Becomes the shortest
    order : int64[r, q], the linked groups of each row by their direct distance
    between : float64[q, q], shortest distances of linked groups
    found : int32[r, q], becomes the entries of each row, the first `count` of them
    count : int64[r], becomes their numbers
    """
    q = between.shape[0]
    reached = np.empty(q)
    for r in range(block.shape[0]):
        for c in range(q):
            reached[c] = np.inf
        e = 0
        for s in range(q):  # the nearest first, so an entry is never reached through a later one
            b = order[r, s]
            leg = block[r, b]
            if reached[b] <= leg:  # b is reached through an earlier entry: it is none itself
                continue
            found[r, e] = b
            e += 1
            for c in range(q):
                way = leg + between[b, c]
                reached[c] = way if way < reached[c] else reached[c]
        count[r] = e
        for c in range(q):
            block[r, c] = reached[c]


@njit
def relax(condensed, n_groups, reach, entries, low, high):
    """Replace distances by the lengths of shorter paths, in place. Oracle: `propagated_definition`.

    Columns come in blocks that stay in the cache, entries four at a time.

    condensed : float64[N * (N - 1) / 2]
    reach : float64[q, N], shortest distances of the linked groups to all
    entries : Entries
    low, high : rows i with low <= i < high are done
    """
    entry, start = entries
    for begin in range(low + 1, n_groups, BLOCK):
        stop = min(begin + BLOCK, n_groups)
        for i in range(low, min(high, stop - 1)):
            left = max(begin, i + 1)  # only columns behind i are stored
            place = i * n_groups - i * (i + 1) // 2 - i - 1
            row = condensed[place + left : place + stop]
            s, end = start[i], start[i + 1]
            while s + 4 <= end:
                a, b, c, d = entry[s], entry[s + 1], entry[s + 2], entry[s + 3]
                to_a, to_b, to_c, to_d = reach[a, i], reach[b, i], reach[c, i], reach[d, i]
                of_a, of_b = reach[a, left:stop], reach[b, left:stop]
                of_c, of_d = reach[c, left:stop], reach[d, left:stop]
                for j in range(row.shape[0]):
                    x, y, z, w = to_a + of_a[j], to_b + of_b[j], to_c + of_c[j], to_d + of_d[j]
                    x = x if x < y else y
                    z = z if z < w else w
                    x = x if x < z else z
                    row[j] = x if x < row[j] else row[j]
                s += 4
            while s < end:
                leg = reach[entry[s], i]
                onward = reach[entry[s], left:stop]
                for j in range(row.shape[0]):
                    way = leg + onward[j]
                    row[j] = way if way < row[j] else row[j]
                s += 1


@njit
def farthest(condensed, n_groups, part, n_parts):
    """The greatest distance between the members of any two parts. Returns float64[r, r], zero on the diagonal.

    condensed : float64[N * (N - 1) / 2], read-only
    part : int64[N], read-only, the part of each group, 0..r-1
    """
    out = np.zeros((n_parts, n_parts))
    place = 0
    for i in range(n_groups - 1):
        a = part[i]
        for j in range(i + 1, n_groups):
            b = part[j]
            if a != b and condensed[place] > out[a, b]:
                out[a, b] = out[b, a] = condensed[place]
            place += 1
    return out
