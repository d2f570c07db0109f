"""A binary heap of the numbers 0..k-1 by a key each: greatest key first, then smaller number first.

    heap : int32[k], the numbers, those that are left in the first places
    place : int32[k], where each stands, -1 once it is out
    key : float64[k]

Oracle: ``heapq``.
"""

from __future__ import annotations

import numpy as np

from tripletree.kernels.jit import inner


@inner
def _before(key, x, y):
    """Whether x goes before y."""
    return key[x] > key[y] or (key[x] == key[y] and x < y)


@inner
def _sink(heap, size, place, key, i):
    """Move the number at place i down until no child goes before it."""
    x = heap[i]
    while True:  # place i is free, and all above it is in order
        j = 2 * i + 1
        if j >= size:
            break
        if j + 1 < size and _before(key, heap[j + 1], heap[j]):
            j += 1  # the child that goes first
        if not _before(key, heap[j], x):
            break
        heap[i] = heap[j]
        place[heap[i]] = i
        i = j
    heap[i] = x
    place[x] = i


@inner
def heapify(heap, place, key):
    """Put all numbers in."""
    k = heap.shape[0]
    for i in range(k):
        heap[i] = i
        place[i] = i
    for i in range(k // 2 - 1, -1, -1):  # from the last parent up: the heaps below are made already
        _sink(heap, k, place, key, i)


@inner
def pop(heap, size, place, key):
    """Take out the first of `size` numbers."""
    x = heap[0]
    last = heap[size - 1]
    place[x] = -1
    if size > 1:
        heap[0] = last
        place[last] = 0
        _sink(heap, size - 1, place, key, np.int64(0))
    return x


@inner
def renew(heap, size, place, key, x):
    """Move a number that is in to where it belongs after its key has changed."""
    i = place[x]
    while i > 0:  # up, if the key has grown
        j = (i - 1) // 2
        if not _before(key, x, heap[j]):
            break
        heap[i] = heap[j]
        place[heap[i]] = i
        i = j
    heap[i] = x
    place[x] = i
    _sink(heap, size, place, key, i)  # down, if it has become less
