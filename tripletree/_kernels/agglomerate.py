"""Agglomeration under triplets: always the closest merge that keeps the triplets satisfiable (ReCon).

`agglomerate` is the engine; everything else serves it. Time O(n^2) for the distances, and O(live triplets) for each
level that a compatibility test descends; memory n^2 float64, and n^2 int32 where pairs are rejected.

Order of ties: distance, then the node number of the one cluster, then that of the other, smaller node number first
(samples are nodes 0..n-1, the k-th merge makes node n + k). Each pair belongs to the row of its smaller node, so that
a new cluster, whose number is the greatest, has no row of its own until a newer one appears.

The oracle is the literal listing in ``tests/recon_oracle.py``.
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import njit

__all__ = ["LINKAGES", "SQUARED", "agglomerate", "blocking_rows"]

#: A linkage's place here is its number in the kernels.
LINKAGES = ("single", "complete", "average", "weighted", "centroid", "median", "ward")

#: Linkages that are updated on squared distances.
SQUARED = frozenset({"centroid", "median", "ward"})

# Rows of the table that has one column for each slot: the cluster's node (-1 where the slot is empty), its samples, the
# slot of its nearest greater node (-1 unknown), its number of live triplets, the slot that it merged into (itself while
# it lives); the last three are working space.
NODE, SIZE, NEAREST, DEGREE, HOME, UP, SIDE, MEMBER = range(8)
# entries of the counters
MERGES, LIVE, TESTS, REJECTIONS = range(4)

#: Merges between two returns to Python, so that an interrupt is heard.
_CHUNK = 100


@njit
def _find(up, v):
    while up[v] != v:
        up[v] = up[up[v]]
        v = up[v]
    return v


@njit
def blocking_rows(rows, live, i, j, up):
    """How many triplets block the merge of clusters i and j; 0 if it is compatible (the paper's TestCompatibility).

    X is all clusters at first, then again and again the component of i and j in the graph on X with an edge ab for
    each triplet ab|c inside X, and the edge ij. No triplet inside X is left: compatible. The same ones stay: blocked.

    rows : int32[m, 3], the first `live` are looked at and reordered, with those that block in front; up : int32[n],
    overwritten: after a rejection the forest of the two components that block each other, without the edge ij
    Returns count : int. Oracle: ``compatible_definition``.
    """
    count = live
    while count > 0:
        up[i] = i
        up[j] = j
        for t in range(count):
            for k in range(3):
                up[rows[t, k]] = rows[t, k]
        for t in range(count):
            a = _find(up, rows[t, 0])
            b = _find(up, rows[t, 1])
            if a != b:
                up[max(a, b)] = min(a, b)
        root_i = _find(up, i)
        root_j = _find(up, j)
        kept = 0
        for t in range(count):
            inside = True
            for k in range(3):
                root = _find(up, rows[t, k])
                if root != root_i and root != root_j:
                    inside = False
            if inside:
                for k in range(3):
                    rows[t, k], rows[kept, k] = rows[kept, k], rows[t, k]
                kept += 1
        if kept == count:
            return count
        count = kept
    return 0


@njit
def _reject(a, b, witness, node, rejected):
    if node[a] < node[b]:
        rejected[a, b] = witness + 1
    else:
        rejected[b, a] = witness + 1


@njit
def _witness(a, b, node, rejected):
    """The slot that witnesses that clusters a and b are incompatible, -1 where none is known."""
    return (rejected[a, b] if node[a] < node[b] else rejected[b, a]) - 1


@njit
def _reject_rectangle(rows, count, i, j, table, rejected):
    """Note that the pairs between the two components that block each other, of i and of j, are incompatible.

    Components A and B keep blocking all of A x B whatever merges follow, until nothing is left of them but two
    clusters. A third one in either of them is the witness of a pair: as long as it has not joined the pair, the
    pair is blocked.

    rows : int32[m, 3], of which the first `count` block; table : int32[8, n], its UP row as `blocking_rows` left it;
    rejected : int32[n, n], set at [slot of the smaller node, slot of the greater node]
    """
    node, up, side, member = table[NODE], table[UP], table[SIDE], table[MEMBER]
    n = node.shape[0]
    root = _find(up, i)
    head, tail = 0, n  # component A fills `member` from the front, B from the back
    for t in range(count):
        for k in range(3):
            v = rows[t, k]
            if side[v] == 0:
                side[v] = 1
                if _find(up, v) == root:
                    member[head] = v
                    head += 1
                else:
                    tail -= 1
                    member[tail] = v
    other = tail + 1 if member[tail] == j and tail + 1 < n else tail
    for p in range(head):
        a = member[p]
        side[a] = 0
        # most of a rectangle was noted before, from other pairs of it: then only i's row and j's column are new
        known = a != i and _witness(a, member[other], node, rejected) >= 0
        for q in range(tail, n):
            b = member[q]
            if known and b != j:
                continue
            third = member[0 if p > 0 else 1] if head > 1 else member[tail if q > tail else tail + 1]
            _reject(a, b, third, node, rejected)
    for q in range(tail, n):
        side[member[q]] = 0


@njit
def _contract(rows, live, x, y, degree):
    """Make cluster x a part of cluster y in the live triplets; those whose a and b have met are dropped.

    rows : int32[m, 3]; degree : int32[n], live triplets of each slot
    Returns live : int, the number that is left, at the front of `rows`.
    """
    if degree[x] == 0:
        return live
    degree[y] += degree[x]
    degree[x] = 0
    kept = 0
    for t in range(live):
        a, b, c = rows[t, 0], rows[t, 1], rows[t, 2]
        if a == x:
            a = y
        if b == x:
            b = y
        if c == x:
            c = y
        if a == b:
            degree[a] -= 2
            degree[c] -= 1
        else:
            rows[kept, 0], rows[kept, 1], rows[kept, 2] = a, b, c
            kept += 1
    return kept


@njit
def _updated(linkage, d_x, d_y, d_xy, n_x, n_y, n_k):
    """Lance-Williams: the distance of cluster k from the union of x and y (squared for the last three linkages)."""
    if linkage == 0:
        return min(d_x, d_y)
    if linkage == 1:
        return max(d_x, d_y)
    if linkage == 2:
        return (n_x * d_x + n_y * d_y) / (n_x + n_y)
    if linkage == 3:
        return (d_x + d_y) / 2.0
    if linkage == 4:
        d = (n_x * d_x + n_y * d_y - n_x * n_y * d_xy / (n_x + n_y)) / (n_x + n_y)
    elif linkage == 5:
        d = (d_x + d_y) / 2.0 - d_xy / 4.0
    else:
        d = ((n_x + n_k) * d_x + (n_y + n_k) * d_y - n_k * d_xy) / (n_x + n_y + n_k)
    return max(d, 0.0)  # rounding can take a squared distance below zero


@njit
def _scan(x, distances, rejected, node, nearest, bound):
    """Find the nearest cluster of slot x among greater nodes, pairs known to be incompatible left out.

    Sets nearest[x] (-1: none) and bound[x], its distance (infinity: none).
    """
    best = np.inf
    y = -1
    for s in range(node.shape[0]):
        if node[s] > node[x] and rejected[x, s] == 0:
            d = distances[x, s]
            if d < best or (d == best and y >= 0 and node[s] < node[y]):
                best = d
                y = s
    nearest[x] = y
    bound[x] = best


@njit
def _lowest(bound, node):
    """The slot with the lowest bound, the smaller node first; -1 if none is finite."""
    best = np.inf
    x = -1
    for s in range(node.shape[0]):
        if bound[s] < best or (bound[s] == best and x >= 0 and node[s] < node[x]):
            best = bound[s]
            x = s
    return x


@njit
def _join(x, y, fresh, linkage, distances, rejected, table, bound):
    """Move cluster x into the slot of cluster y, as node `fresh`: distances, rejections, nearest neighbours.

    A row whose neighbour is gone keeps its bound, which still holds for all but the new cluster.
    """
    node, size, nearest, home = table[NODE], table[SIZE], table[NEAREST], table[HOME]
    d_xy = distances[x, y]
    n_x, n_y = float(size[x]), float(size[y])
    home[x] = y
    for k in range(node.shape[0]):
        if node[k] < 0 or k == x or k == y:  # noqa: SIM109 (numba: x and y differ in type)
            continue
        d = _updated(linkage, distances[x, k], distances[y, k], d_xy, n_x, n_y, float(size[k]))
        distances[y, k] = d
        distances[k, y] = d
        witness = _witness(x, k, node, rejected)
        if witness < 0 or _find(home, witness) == y:
            witness = _witness(y, k, node, rejected)
            if witness >= 0 and _find(home, witness) == y:
                witness = -1
        rejected[k, y] = witness + 1
        if nearest[k] == x or nearest[k] == y:
            nearest[k] = -1
        if witness < 0 and d < bound[k]:
            bound[k] = d
            nearest[k] = y
    node[x] = -1
    bound[x] = np.inf
    node[y] = fresh
    size[y] += size[x]
    bound[y] = np.inf
    nearest[y] = -1


@njit
def _run(linkage, distances, rejected, rows, table, bound, merges, counts, last):
    """Merge until `last` merges are done, or no pair is left.

    Invariants: bound[x] is at most every distance of row x that is not known to be incompatible, and equal to the
    least one where nearest[x] >= 0; rejected pairs are incompatible.

    distances : float64[n, n], symmetric, updated; rejected : int32[n, n]; rows : int32[m, 3], slots;
    table : int32[8, n]; bound : float64[n]; merges : float64[n - 1, 4], filled; counts : int64[4]
    """
    node, nearest, degree = table[NODE], table[NEAREST], table[DEGREE]
    n = node.shape[0]
    while counts[MERGES] < last:
        x = _lowest(bound, node)
        if x < 0:
            return
        y = nearest[x]
        if y < 0 or rejected[x, y] != 0:
            _scan(x, distances, rejected, node, nearest, bound)
            continue
        if degree[x] > 0 and degree[y] > 0:  # a cluster in no live triplet goes with every other one
            counts[TESTS] += 1
            count = blocking_rows(rows, counts[LIVE], x, y, table[UP])
            if count > 0:
                counts[REJECTIONS] += 1
                _reject_rectangle(rows, count, x, y, table, rejected)
                continue
        k = counts[MERGES]
        merges[k, 0], merges[k, 1], merges[k, 2] = node[x], node[y], distances[x, y]
        merges[k, 3] = table[SIZE, x] + table[SIZE, y]
        counts[LIVE] = _contract(rows, counts[LIVE], x, y, degree)
        _join(x, y, n + k, linkage, distances, rejected, table, bound)
        counts[MERGES] += 1


def agglomerate(distances: np.ndarray, rows: np.ndarray, linkage: str) -> tuple[np.ndarray, int, int]:
    """Merge n clusters down to one, always the closest pair that keeps the triplets consistent.

    distances : float64[n, n], symmetric, squared for the linkages in `SQUARED`; overwritten
    rows : int32[m, 3], consistent triplets ab|c of 0..n-1; linkage : one of `LINKAGES`
    Returns merges : float64[n - 1, 4], scipy's linkage matrix in merge order with the raw heights (a later one may be
    lower), the smaller node first; n_tests, n_rejections : int. Fewer than n - 1 merges are filled, with the node
    numbers of the others 0, only if the triplets are inconsistent or a distance is not finite.
    """
    n = distances.shape[0]
    table = np.zeros((8, n), np.int32)
    table[NODE] = table[HOME] = np.arange(n)
    table[SIZE] = 1
    table[NEAREST] = -1
    table[DEGREE] = np.bincount(rows.ravel(), minlength=n)
    bound = np.zeros(n)  # no row has been looked at
    merges = np.zeros((n - 1, 4))
    counts = np.zeros(4, np.int64)
    counts[LIVE] = rows.shape[0]
    live = np.array(rows, np.int32, order="C")
    rejected = np.zeros((n, n), np.int32)  # not a page of it is touched without triplets
    code = LINKAGES.index(linkage)
    for last in range(_CHUNK, n - 1 + _CHUNK, _CHUNK):
        _run(code, distances, rejected, live, table, bound, merges, counts, min(last, n - 1))
    if linkage in SQUARED:
        np.sqrt(merges[:, 2], out=merges[:, 2])
    return merges, int(counts[TESTS]), int(counts[REJECTIONS])
