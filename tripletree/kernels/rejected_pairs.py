"""Pairs of clusters known to be blocked, as bits, kept true while clusters merge.

A blocked pair stays blocked until one of its clusters merges, and the new cluster then stays blocked with the other
one, unless the blocking pair (A, B) has shrunk to one cluster against one. So a bit is inherited, and for each blocking
pair found two clusters of one side are watched: when they merge, the pair is tested again.

    bits : uint64[c, words], a row for each slot that triplets name (row[x] tells which), a bit for each slot
    apart : of the shape of bits, those of cannot-links, which are never forgiven; no rows where there are none
    gone : uint64[words], the slots that are empty now; row : int64[n], -1 for slots that no triplet names
    watch : int64[3, W], two clusters p, q of one side and one of the other; chain : int64[2 W], rings of the entries
        2 w (p) and 2 w + 1 (q); held : int64[2, n], an entry of each slot's ring and how many it has
A bit may name a slot that is gone: it then stands for the cluster that holds that slot's samples.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.aho_forest import cluster_of
from tripletree.kernels.jit import inner

__all__ = [
    "forbid",
    "forgive",
    "inherit",
    "is_rejected",
    "keep_watch",
    "paint",
    "watched",
]

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_BYTE = np.uint64(255)
_EIGHT = np.uint64(8)


@inner
def _get(bits, r, x):
    return (bits[r, x >> 6] >> np.uint64(x & 63)) & _ONE != _NONE


@inner
def _set(bits, r, x):
    bits[r, x >> 6] |= _ONE << np.uint64(x & 63)


@inner
def is_rejected(bits, row, x, y):
    """Whether the pair of live clusters is known to be blocked."""
    r, s = row[x], row[y]
    if r < 0 or s < 0:
        return False
    return _get(bits, r, y) or _get(bits, s, x)


@inner
def paint(bits, mask, row, side, left, right):
    """Reject all pairs between side[0, :left] and side[1, :right] (mask : scratch)."""
    words = bits.shape[1]
    for one in range(2):
        other = 1 - one
        for w in range(words):
            mask[w] = _NONE
        low, high = words, 0
        for k in range(right if one == 0 else left):
            x = side[other, k]
            w = x >> 6
            mask[w] |= _ONE << np.uint64(x & 63)
            low = min(low, w)
            high = max(high, w + 1)
        for k in range(left if one == 0 else right):
            r = row[side[one, k]]
            for w in range(low, high):
                bits[r, w] |= mask[w]


@inner
def _renew(bits, gone, slot, r):
    """Replace the bits of empty slots in a row by those of the clusters that hold their samples."""
    for w in range(bits.shape[1]):
        dead = bits[r, w] & gone[w]
        if dead != _NONE:
            bits[r, w] &= ~gone[w]
            b = 0
            while dead != _NONE:
                while dead & _BYTE == _NONE:
                    dead >>= _EIGHT
                    b += 8
                if dead & _ONE != _NONE:
                    _set(bits, r, cluster_of(slot, w * 64 + b))
                dead >>= _ONE
                b += 1


@inner
def inherit(bits, gone, row, slot, x, y):
    """Give the rejections of x to y, which it has merged into (slot says so already)."""
    gone[x >> 6] |= _ONE << np.uint64(x & 63)
    if row[x] >= 0:
        if row[y] < 0:
            row[y] = row[x]
        else:
            r, s = row[x], row[y]
            for w in range(bits.shape[1]):
                bits[s, w] |= bits[r, w]
    if row[y] >= 0:
        _renew(bits, gone, slot, row[y])


@inner
def _forget(bits, gone, row, slot, x, y):
    _renew(bits, gone, slot, row[x])
    bits[row[x], y >> 6] &= ~(_ONE << np.uint64(y & 63))


@inner
def forgive(bits, gone, row, slot, x, y):
    """Forget that x and y are blocked."""
    _forget(bits, gone, row, slot, x, y)
    _forget(bits, gone, row, slot, y, x)


@inner
def forbid(bits, apart, row, x, y):
    """Reject x and y if they are apart (the bits of x there are up to date: it is new)."""
    if _get(apart, row[x], y):
        _set(bits, row[x], y)
        _set(bits, row[y], x)


@inner
def _hang(chain, held, x, e):
    """Add an entry to the ring of x."""
    if held[1, x] == 0:
        chain[e] = e
        held[0, x] = e
    else:
        chain[e] = chain[held[0, x]]
        chain[held[0, x]] = e
    held[1, x] += 1


@inner
def keep_watch(watch, chain, held, w, side, left, right):
    """Make watch w of a blocking pair: two clusters of the side that has two, one of the other."""
    one = 0 if left >= right else 1
    watch[0, w], watch[1, w], watch[2, w] = side[one, 0], side[one, 1], side[1 - one, 0]
    _hang(chain, held, watch[0, w], 2 * w)
    _hang(chain, held, watch[1, w], 2 * w + 1)


@inner
def watched(watch, chain, held, slot, x, y, due):
    """Join the rings of x and y, which have merged into y; list in `due` the watches on just these two. Returns count.

    Entries of watches that are over (p is -1) are dropped on the way.
    """
    small, large = (x, y) if held[1, x] <= held[1, y] else (y, x)
    count, kept = 0, 0
    before = held[0, small]
    for _ in range(held[1, small]):
        e = chain[before]
        w = e >> 1
        over = watch[0, w] < 0
        if not over and cluster_of(slot, watch[1 - (e & 1), w]) == y:
            due[count] = w
            count += 1
            watch[0, w] = -1
            over = True
        if over:
            chain[before] = chain[e]
        else:
            before = e
            kept += 1
    held[1, small] = kept
    held[0, small] = before
    if kept > 0:
        if held[1, large] > 0:
            p, q = held[0, small], held[0, large]
            chain[p], chain[q] = chain[q], chain[p]
        else:
            held[0, large] = before
    total = kept + held[1, large]
    ring = held[0, large]
    held[0, y], held[1, y] = ring, total
    held[1, x] = 0
    return count
