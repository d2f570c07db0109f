"""The closest pairs of clusters by single linkage, from a table of distances of which rows are read, hardly columns.

The distance of two clusters is the least one of their samples. So when y merges into x, the distance of (z, y), z < y,
can stay in row z: place y from then on stands for the cluster that holds sample y. Only the row of y goes into the row
of x. The distance of two clusters is the least entry in the row of either that stands for the other one. Entries inside
a cluster are infinite.

Ties go by the ids of clusters. So the pairs at the least distance must be known by these, in the row of the smaller id,
and a row is *settled* when this is true of all its entries that equal its bound. Rows are settled once the least bound
reaches theirs, and merges keep them so: only for this is a column read. A row is searched as a whole when no entry at
its bound is left, or when a pair becomes compatible again.

All merges take O(n^2) without rejections, and O(n) more for each search. (A table that is up to date in all places, as
in ``distance_table``, takes the entries of two columns for each merge: every one is read from memory.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find
from tripletree.kernels.distance_table import BLOCK, EMPTY, any_below, least_of_block, row_start
from tripletree.kernels.jit import Integers, Reals, inner
from tripletree.kernels.rejected_pairs import is_rejected, renew

#: Phases of a row: not listed among the settled ones, settled, and listed but no longer settled.
_UNLISTED, _SETTLED, _OVER = 0, 1, 2


class SingleLinkageTable(NamedTuple):
    """The distances between places. Live clusters stand at the places of their ids."""

    distances: Reals  #: in scipy's condensed order
    far: Reals  #: one entry: the largest number, left where an entry has been moved
    bound: Reals  #: of each place: at most the distance of every pair in its row that is not rejected
    least: Reals  #: of each block of places: the least bound
    settled: Reals  #: one entry: all rows with this bound are settled, infinity for none
    nearest: Integers  #: of each place: no pair at its bound comes earlier if it is settled, EMPTY without a cluster
    phase: Integers  #: of each row
    listed: Integers  #: the rows that are settled, and some that have been
    n_listed: Integers  #: one entry


def new_single_linkage_table(distances, n):
    """The table of n samples that have not searched. The distances are used, not copied."""
    real = distances.dtype
    far, settled = np.full(1, np.finfo(real).max, real), np.full(1, np.inf, real)
    bound, least = np.full(n, np.inf, real), np.full((n + BLOCK - 1) // BLOCK, np.inf, real)
    return SingleLinkageTable(distances, far, bound, least, settled, *np.zeros((3, n), np.int64), np.zeros(1, np.int64))


@inner
def _any_equal(values, value):
    count = 0
    for j in range(len(values)):
        if values[j] == value:
            count += 1
    return count > 0


@inner
def _move(table, x, z, y):
    """Move the distance of places x and z, x < z, to the pair of x and y, in the row of the smaller one."""
    n = len(table.bound)
    at = row_start(n, x) + z
    to = row_start(n, min(x, y)) + max(x, y)
    table.distances[to] = min(table.distances[to], table.distances[at])
    table.distances[at] = table.far[0]


@inner
def _end_phase(table, x):
    if table.phase[x] == _SETTLED:
        table.phase[x] = _OVER


@inner
def search(table, x, into, rejected):
    """Find the least distance in row x that is not rejected."""
    n = len(table.bound)
    renew(rejected, into, x)
    best = table.bound.dtype.type(np.inf)
    start = row_start(n, x)
    for lo in range(x + 1, n, BLOCK):
        values = table.distances[start + lo : start + min(lo + BLOCK, n)]
        if not any_below(values, best):
            continue
        for j in range(len(values)):
            if values[j] >= best:
                continue
            y = find(into, lo + j)
            if not is_rejected(rejected, x, y):
                best = values[j]
            elif y != lo + j:
                _move(table, x, lo + j, y)  # a cluster is then looked up once, not once for each of its samples
    table.bound[x] = best
    least_of_block(table, n, x)
    _end_phase(table, x)
    table.settled[0] = np.inf


@inner
def _settle_row(table, x, into, rejected):
    """Move the entries of row x at its bound to the clusters they stand for. Returns whether any stay."""
    n = len(table.bound)
    low = table.bound[x]
    start = row_start(n, x)
    first = n
    for lo in range(x + 1, n, BLOCK):
        values = table.distances[start + lo : start + min(lo + BLOCK, n)]
        if not _any_equal(values, low):
            continue
        for j in range(len(values)):
            if values[j] != low:
                continue
            y = find(into, lo + j)
            if is_rejected(rejected, x, y):
                continue
            if y != lo + j:
                _move(table, x, lo + j, y)
            if y > x:
                first = min(first, y)
            elif table.bound[y] == low:  # the entry went to row y: it is one of the ties there
                table.nearest[y] = min(table.nearest[y], x)
            else:
                table.bound[y] = low
                table.least[y // BLOCK] = low
                _end_phase(table, y)
    table.nearest[x] = first
    return first < n


@inner
def settle(table, low, most, into, rejected):
    """Settle the rows whose bound is `low`, the least one, at most so many. Returns whether all are settled."""
    bound, phase = table.bound, table.phase
    count = 0
    again = True
    while again:
        again = False
        for block in range(len(table.least)):
            if table.least[block] != low:
                continue
            for x in range(block * BLOCK, min((block + 1) * BLOCK, len(bound))):
                if bound[x] != low or phase[x] == _SETTLED:
                    continue
                if count == most:
                    return False
                count += 1
                again = True  # an earlier row may have got an entry
                renew(rejected, into, x)
                if not _settle_row(table, x, into, rejected):
                    search(table, x, into, rejected)
                    continue
                if phase[x] == _UNLISTED:
                    table.listed[table.n_listed[0]] = x
                    table.n_listed[0] += 1
                phase[x] = _SETTLED
    table.settled[0] = low
    return True


@inner
def next_tied(table, x, rejected):
    """The first cluster in settled row x that is at its bound and not rejected. Returns -1 if there is none."""
    n = len(table.bound)
    low = table.bound[x]
    start = row_start(n, x)
    for lo in range(table.nearest[x], n, BLOCK):
        values = table.distances[start + lo : start + min(lo + BLOCK, n)]
        if not _any_equal(values, low):
            continue
        for j in range(len(values)):
            if values[j] == low and table.nearest[lo + j] != EMPTY and not is_rejected(rejected, x, lo + j):
                table.nearest[x] = lo + j
                return lo + j
    return -1


@inner
def unite(table, x, y):
    """Merge place y into place x < y, the closest pair. Rows that are settled stay so, row x among them."""
    n = len(table.bound)
    distances, bound, nearest, phase = table.distances, table.bound, table.nearest, table.phase
    bound[y] = np.inf
    least_of_block(table, n, y)
    nearest[y] = EMPTY
    _end_phase(table, y)
    kept = 0
    for k in range(table.n_listed[0]):
        z = table.listed[k]
        if phase[z] == _OVER:
            phase[z] = _UNLISTED
            continue
        table.listed[kept] = z
        kept += 1
        if z < y and z != x and distances[row_start(n, z) + y] == bound[z]:
            _move(table, z, y, x)
            first, second = min(x, z), max(x, z)
            nearest[first] = min(nearest[first], second)
    table.n_listed[0] = kept
    start = row_start(n, x)
    distances[start + y] = np.inf
    to = distances[start + y + 1 : start + n]
    row = distances[row_start(n, y) + y + 1 : row_start(n, y) + n]
    inside = distances.dtype.type(np.inf)
    for k in range(len(row)):
        lower, higher = (to[k], row[k]) if to[k] < row[k] else (row[k], to[k])
        to[k] = higher if higher == inside else lower
