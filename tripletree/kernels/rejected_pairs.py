"""Pairs of clusters known to be incompatible, as bits, kept true while clusters merge.

A rejected pair stays rejected until one of its clusters merges, and the new cluster then stays incompatible with the
other one, unless the blocking pair (A, B) has shrunk to one cluster against one. So a bit is inherited, and for each
blocking pair found two clusters of one side are watched: when they merge, the pair is tested again. (One watch is
enough: while they are two clusters, the blocking pair has at least three.)

It is enough that one of the two clusters has the bit. `renew` brings a row up to date before its cluster searches. A
bit may name a cluster id that is empty by now: it then stands for the cluster that holds that one's samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find
from tripletree.kernels.jit import Bits, BitTable, Integers, IntegerTable, inner

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_BYTE = np.uint64(255)
_EIGHT = np.uint64(8)


class RejectedPairs(NamedTuple):
    """The bits, and the watches with a circular list of entries for each cluster.

    Entries 2 w and 2 w + 1 of watch w belong to its first and its second cluster on the same side.
    """

    bits: BitTable  #: a row for each cluster that a triplet or a cannot-link names, a bit for each cluster id
    cannot_linked: BitTable  #: the bits that are never cleared, no rows if there are none
    row: Integers  #: row of bits of each cluster, -1 if it has none
    empty: Bits  #: the cluster ids that are empty now
    mask: Bits  #: scratch
    same_side: IntegerTable  #: [2, w]: two clusters of one side of a blocking pair. The first is -1 once it is over
    other_side: Integers  #: [w]: one of the other side
    next: Integers  #: of each entry
    last: Integers  #: of each cluster: an entry of its list
    n_entries: Integers  #: of each cluster
    found_at: Integers  #: of each cluster: one more than the merges done when it was last tested again
    due: Integers  #: [w]: scratch


def new_rejected_pairs(bits, cannot_linked, row, room):
    """The state with these bits and no watches, and room for so many."""
    n = len(row)
    words = bits.shape[1]
    return RejectedPairs(
        bits,
        cannot_linked,
        row,
        np.zeros(words, np.uint64),
        np.empty(words, np.uint64),
        np.empty((2, room), np.int64),
        np.empty(room, np.int64),
        np.empty(2 * room, np.int64),
        *np.zeros((3, n), np.int64),
        np.empty(room, np.int64),
    )


def with_room(rejected, room):
    """The same state with room for so many watches, more than before."""
    more = new_rejected_pairs(rejected.bits, rejected.cannot_linked, rejected.row, room)
    old = len(rejected.other_side)
    more.same_side[:, :old], more.other_side[:old] = rejected.same_side, rejected.other_side
    more.next[: 2 * old] = rejected.next
    return rejected._replace(same_side=more.same_side, other_side=more.other_side, next=more.next, due=more.due)


# ---------------------------------------------------------------------- bits


@inner
def _get(bits, r, x):
    return (bits[r, x >> 6] >> np.uint64(x & 63)) & _ONE != _NONE


@inner
def _set(bits, r, x):
    bits[r, x >> 6] |= _ONE << np.uint64(x & 63)


@inner
def is_rejected(rejected, x, y):
    """Whether the pair of live clusters is known to be incompatible."""
    r, s = rejected.row[x], rejected.row[y]
    if r < 0 or s < 0:
        return False
    # either may have learnt of it after the other was last brought up to date
    return _get(rejected.bits, r, y) or _get(rejected.bits, s, x)


@inner
def is_found_rejected(rejected, x, y):
    """`is_rejected` for a search of x: bits that only y has are noted with x, whose row is at hand when it searches."""
    r, s = rejected.row[x], rejected.row[y]
    if r < 0 or s < 0:
        return False
    if _get(rejected.bits, r, y):
        return True
    if _get(rejected.bits, s, x):
        _set(rejected.bits, r, y)
        return True
    return False


@inner
def mark(rejected, sides, left, right):
    """Reject all pairs between sides[0, :left] and sides[1, :right]: the blocking pair blocks all of them.

    Only the rows of the smaller side are marked: one side often has a few clusters and the other most of them. A
    cluster of the larger one may forget the rejection when it merges, and is then tested once more.
    """
    if left <= right:
        _mark_side(rejected, sides[0, :left], sides[1, :right])
    else:
        _mark_side(rejected, sides[1, :right], sides[0, :left])


@inner
def _mark_side(rejected, side, others):
    """Set the bits of the others in the rows of one side: bit by bit where these are few, else by words."""
    bits, mask = rejected.bits, rejected.mask
    words = bits.shape[1]
    if 8 * len(others) < words:
        for k in range(len(side)):
            r = rejected.row[side[k]]
            for x in others:
                _set(bits, r, x)
        return
    for w in range(words):
        mask[w] = _NONE
    for x in others:
        mask[x >> 6] |= _ONE << np.uint64(x & 63)
    for k in range(len(side)):
        r = rejected.row[side[k]]
        for w in range(words):
            bits[r, w] |= mask[w]


@inner
def _renew(bits, empty, into, r):
    """Replace the bits of empty cluster ids in a row by bits of the clusters that hold their samples."""
    for w in range(bits.shape[1]):
        dead = bits[r, w] & empty[w]  # ids whose samples are in other clusters by now
        if dead != _NONE:
            bits[r, w] &= ~empty[w]
            b = 0
            while dead != _NONE:
                while dead & _BYTE == _NONE:  # eight zeros at a time
                    dead >>= _EIGHT
                    b += 8
                if dead & _ONE != _NONE:
                    _set(bits, r, find(into, w * 64 + b))
                dead >>= _ONE
                b += 1


@inner
def renew(rejected, into, x):
    """Bring the rejections that x has in its own row up to date."""
    if rejected.row[x] >= 0:
        _renew(rejected.bits, rejected.empty, into, rejected.row[x])


@inner
def _take_over(bits, rejected, into, x, y):
    r, s = rejected.row[x], rejected.row[y]
    if r >= 0 and r != s:
        for w in range(bits.shape[1]):
            bits[s, w] |= bits[r, w]
    if s >= 0:
        _renew(bits, rejected.empty, into, s)


@inner
def inherit(rejected, into, x, y):
    """Give the rejections of x to y, which it has merged into (`into` knows it already)."""
    rejected.empty[x >> 6] |= _ONE << np.uint64(x & 63)
    if rejected.row[y] < 0:
        rejected.row[y] = rejected.row[x]  # x needs it no more
    _take_over(rejected.bits, rejected, into, x, y)
    if len(rejected.cannot_linked) > 0:
        _take_over(rejected.cannot_linked, rejected, into, x, y)


@inner
def _clear(rejected, into, x, y):
    # brought up to date first: the bit may stand at the id of a cluster that y has swallowed
    r = rejected.row[x]
    _renew(rejected.bits, rejected.empty, into, r)
    rejected.bits[r, y >> 6] &= ~(_ONE << np.uint64(y & 63))


@inner
def clear(rejected, into, x, y):
    """Let x and y be compatible, as far as is known."""
    _clear(rejected, into, x, y)
    _clear(rejected, into, y, x)


@inner
def mark_cannot_linked(rejected, x, y):
    """Reject x and y if they are cannot-linked (the bits of x there are up to date: it is new)."""
    if len(rejected.cannot_linked) > 0 and _get(rejected.cannot_linked, rejected.row[x], y):
        _set(rejected.bits, rejected.row[x], y)
        _set(rejected.bits, rejected.row[y], x)


# ---------------------------------------------------------------------- watches


@inner
def _add_entry(rejected, x, e):
    last = rejected.last[x]
    if rejected.n_entries[x] == 0:
        rejected.next[e] = e
        rejected.last[x] = e
    else:
        rejected.next[e] = rejected.next[last]
        rejected.next[last] = e
    rejected.n_entries[x] += 1


@inner
def watch(rejected, w, sides, left, right):
    """Make watch w of a blocking pair: two clusters of the side that has two, one of the other.

    The first and the last one of the side are in different components of it, if it has several: they merge late.
    """
    one = 0 if left >= right else 1
    p, q = sides[one, 0], sides[one, max(left, right) - 1]
    rejected.same_side[0, w], rejected.same_side[1, w], rejected.other_side[w] = p, q, sides[1 - one, 0]
    _add_entry(rejected, p, 2 * w)
    _add_entry(rejected, q, 2 * w + 1)


@inner
def due_watches(rejected, into, x, y):
    """Join the lists of x and y, which have merged into y. Lists in `due` the watches on just these two. Returns count.

    Entries of watches that are over are dropped on the way. Only the shorter list is gone through: a watch on just
    these two has an entry in each.
    """
    last, n_entries, after = rejected.last, rejected.n_entries, rejected.next
    small, large = (x, y) if n_entries[x] <= n_entries[y] else (y, x)
    count, kept = 0, 0
    before = last[small]
    for _ in range(n_entries[small]):
        e = after[before]
        w = e >> 1
        over = rejected.same_side[0, w] < 0
        if not over and find(into, rejected.same_side[1 - (e & 1), w]) == y:
            rejected.due[count] = w
            count += 1
            rejected.same_side[0, w] = -1
            over = True
        if over:
            after[before] = after[e]
        else:
            before = e
            kept += 1
    n_entries[small] = kept
    last[small] = before
    if kept > 0:
        if n_entries[large] > 0:
            p, q = last[small], last[large]
            after[p], after[q] = after[q], after[p]  # swapping two successors makes one circle of two
        else:
            last[large] = before
    total = kept + n_entries[large]
    last[y], n_entries[y] = last[large], total
    n_entries[x] = 0
    return count
