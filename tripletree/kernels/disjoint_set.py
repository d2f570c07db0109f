"""Disjoint sets in one int32 array: ``up[x]`` is x's parent, roots point at themselves.

Path halving, the smaller index becomes the root: O(log n) amortised a call, near constant in practice. Oracle:
``scipy.cluster.hierarchy.DisjointSet``.
"""

from __future__ import annotations

from tripletree.kernels.jit import njit


@njit
def find(up, x):
    """The root of x, halving the path to it."""
    while up[x] != x:
        up[x] = up[up[x]]  # every other node of the path now skips its parent
        x = up[x]
    return x


@njit
def unite(up, x, y):
    """Join the sets of x and y. Returns whether they were two."""
    x = find(up, x)
    y = find(up, y)
    if x == y:
        return False
    if x < y:  # the smaller number stays the root, so a root is the least of its set
        up[y] = x
    else:
        up[x] = y
    return True
