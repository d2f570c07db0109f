"""Source trees as leaf sequences, and counts that can be read off them without listing a triplet.

A collection of trees is one sequence: the taxa of each tree in depth-first order. Beside each taxon stands the number
of its last common ancestor with the next one, or END at the last leaf of a tree. Greater numbers are higher up, and
equal numbers are one node. A tree restricted to some taxa is a part of its sequence, with the greatest of the numbers
passed over: no tree is built for that, and all parts of a division come out of one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.disjoint_set import find, unite
from tripletree.kernels.jit import Integers, allocating, inner, njit
from tripletree.kernels.rooted_tree import range_maximum

#: The gap after the last leaf of a tree.
END = np.int32(2**31 - 1)


@njit
def parts(taxon, gap, n):
    """Which taxa the first splits of the trees tie together.

    taxon, gap : int32[S], the trees
    n : number of taxa
    Returns part : int32[n], numbered by the smallest taxon of each part. Oracle: ``vote_components_definition``.
    """
    S = taxon.shape[0]
    up = np.arange(n).astype(np.int32)
    begin = 0
    while begin < S:
        # the greatest gap of a tree is its root: leaves on either side of it are below different children
        top = np.int32(-1)
        end = begin
        while gap[end] != END:
            top = max(top, gap[end])
            end += 1
        for i in range(begin, end):
            if gap[i] != top:
                unite(up, taxon[i], taxon[i + 1])
        begin = end + 1
    # the root of a part is its smallest taxon
    part = np.empty(n, np.int32)
    count = np.int32(0)
    for x in range(n):
        r = find(up, np.int32(x))
        if r == x:
            part[x] = count
            count += 1
        else:
            part[x] = part[r]
    return part


@inner
def _greatest_since(at, value, size, i):
    """The greatest gap at position i or later: `at` and `value` hold the gaps that no later one exceeds."""
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if at[middle] >= i:
            high = middle
        else:
            low = middle + 1
    return value[low]


@njit
def divide(taxon, gap, tree, part, k):
    """The trees restricted to each of k parts of the taxa. Those left with fewer than three leaves are dropped.

    taxon, gap, tree : int32[S], the trees, and the number of each leaf's tree
    part : int32[n], or -1 for none
    Returns start : int64[k + 1], taxon, gap, tree : int32[S']. Part j is positions start[j]..start[j + 1] - 1.
    """
    S = taxon.shape[0]
    size = np.zeros(k + 1, np.int64)
    for i in range(S):
        if part[taxon[i]] >= 0:
            size[part[taxon[i]] + 1] += 1
    for j in range(k):
        size[j + 1] += size[j]
    head = size[:k].copy()  # where the next leaf of each part is written
    first = size[:k].copy()  # where the current tree begins in each part
    last = np.empty(k, np.int64)  # position of the part's latest leaf
    owner = np.full(k, -1, np.int32)  # its tree
    out_taxon = np.empty(S, np.int32)
    out_gap = np.empty(S, np.int32)
    out_tree = np.empty(S, np.int32)
    # a stack of the gaps of this tree that no later one exceeds, as `_greatest_since` needs, for all parts at once
    at = np.empty(S, np.int64)
    value = np.empty(S, np.int32)
    depth = 0
    for i in range(S):
        j = part[taxon[i]]
        if j >= 0:
            if owner[j] == tree[i]:
                # the part's last leaf of this tree and this one meet at the greatest of the gaps passed over
                out_gap[head[j] - 1] = _greatest_since(at, value, depth, last[j])
            else:
                if head[j] - first[j] < 3:  # the tree before has no triplet in this part: written over
                    head[j] = first[j]
                owner[j] = tree[i]
                first[j] = head[j]
            out_taxon[head[j]] = taxon[i]
            out_gap[head[j]] = END
            out_tree[head[j]] = tree[i]
            head[j] += 1
            last[j] = i
        if gap[i] == END:
            depth = 0
        else:
            while depth > 0 and value[depth - 1] <= gap[i]:
                depth -= 1
            at[depth] = i
            value[depth] = gap[i]
            depth += 1
    start = np.zeros(k + 1, np.int64)
    for j in range(k):
        if head[j] - first[j] < 3:
            head[j] = first[j]
        start[j + 1] = start[j]
        for i in range(size[j], head[j]):
            out_taxon[start[j + 1]] = out_taxon[i]
            out_gap[start[j + 1]] = out_gap[i]
            out_tree[start[j + 1]] = out_tree[i]
            start[j + 1] += 1
    total = start[k]
    return start, out_taxon[:total].copy(), out_gap[:total].copy(), out_tree[:total].copy()


@njit
def nodes(gap):
    """The nodes of the trees: leaves 0..S-1 as they come, then inner nodes, tree by tree.

    gap : int32[S]
    Returns parent : int32[N], parent[u] > u or -1 at the root of a tree, and leaves, inners : int64[k + 1], where the
    leaves and the inner nodes of each tree begin.
    """
    S = gap.shape[0]
    k = 0
    for i in range(S):
        if gap[i] == END:
            k += 1
    leaves = np.zeros(k + 1, np.int64)
    inners = np.zeros(k + 1, np.int64)
    # a node is opened before those below it are closed: numbered as they are closed, parents come last
    up = np.full(2 * S, -1, np.int32)  # parents, by the numbers of opening
    number = np.arange(2 * S).astype(np.int32)  # the number of closing
    stack = np.empty(S + 1, np.int32)
    rank = np.empty(S + 1, np.int32)
    size, opened, closed, t = 0, S, S, 0
    inners[0] = S
    for i in range(S):
        u = np.int32(i)
        while size > 0 and rank[size - 1] < gap[i]:
            v = stack[size - 1]
            up[u] = v
            number[v] = closed
            closed += 1
            u = v
            size -= 1
        if gap[i] == END:
            t += 1
            leaves[t] = i + 1
            inners[t] = closed
        else:
            if size == 0 or rank[size - 1] > gap[i]:
                stack[size] = opened
                rank[size] = gap[i]
                size += 1
                opened += 1
            up[u] = stack[size - 1]
    parent = np.full(closed, -1, np.int32)
    for u in range(opened):
        if up[u] >= 0:
            parent[number[u]] = number[up[u]]
    return parent, leaves, inners


@njit
def number_of_triplets(parent, leaves, inners):
    """How many triplets each tree displays.

    parent : int32[N]
    leaves, inners : int64[k + 1], all from `nodes`
    Returns total : int64[k].
    """
    N = parent.shape[0]
    k = leaves.shape[0] - 1
    below = np.zeros(N, np.int64)
    for u in range(leaves[k]):
        below[u] = 1
    for u in range(N):
        if parent[u] >= 0:
            below[parent[u]] += below[u]
    total = np.zeros(k, np.int64)
    for t in range(k):
        for u in range(inners[t], inners[t + 1]):
            if parent[u] >= 0:
                total[t] += below[u] * (below[u] - 1) // 2 * (below[parent[u]] - below[u])
    return total


# ----------------------------------------------------------------------
# Votes between two sets of taxa P and Q: source triplets pp'|q, qq'|p and pq|p', counted in one scan of each tree.
#
# A tree is a leaf sequence (see above). A scan keeps the open nodes on a stack, each with its leaves in P and in Q
# and the pairs below one child: no triplet is listed, and no tree is built. A triplet is counted where its third leaf
# meets the other two, when the later one of the two children that hold them is added.


class Sources(NamedTuple):
    """k source trees on taxa 0..n-1, with S leaves and N nodes in all."""

    taxon: np.ndarray  #: int32[S], the leaves of each tree in depth-first order
    gap: np.ndarray  #: int32[S], where each leaf meets the next, END at the last one of a tree
    tree: np.ndarray  #: int32[S], the number of each leaf's tree
    weight: np.ndarray  #: float64[k], of one triplet of each tree
    parent: np.ndarray  #: int32[N], as `nodes` returns it: leaves first, then the inner nodes tree by tree
    leaves: np.ndarray  #: int64[k + 1], where the leaves of each tree begin
    inners: np.ndarray  #: int64[k + 1], where its inner nodes begin. Its root is the last of them
    occurs: np.ndarray  #: int64[n + 1], where the list of each taxon begins in `occurrence`
    occurrence: np.ndarray  #: int32[S], the leaves that are this taxon


class OpenNodes(NamedTuple):
    """The stack of a scan: the nodes of a source tree that may get more children. All fields are int64."""

    rank: Integers  #: the number of the node, which is the number of the gaps at which its children meet
    p: Integers  #: leaves in P among the children finished so far
    q: Integers  #: leaves in Q
    pp: Integers  #: pairs pp' below one of these children
    qq: Integers  #: pairs qq' below one
    pq: Integers  #: pairs pq below one


class Scan(NamedTuple):
    """Work space of a scan."""

    side: np.ndarray  #: int8[n], P or Q for the taxa in these sets, else NEITHER
    open: OpenNodes
    n_leaves: Integers  #: int64[k], leaves of each tree in P, or in P and Q, zeros between two uses
    touched: Integers  #: int64[k], the trees that have some


class Clades(NamedTuple):
    """The hierarchy whose edges are voted on, with n leaves and M nodes. The leaves below a node are an interval."""

    start: np.ndarray  #: int32[M], first place of the node's leaves in `order`
    stop: np.ndarray  #: int32[M], one past the last
    order: np.ndarray  #: int32[n], the leaves in depth-first order
    child_start: np.ndarray  #: int32[M + 1], where the list of each node begins in `child`
    child: np.ndarray  #: int32[M - 1]


#: The sets of a scan.
NEITHER, P, Q = np.int8(0), np.int8(1), np.int8(2)


@allocating
def _new_scan(sources):
    n, k, size = len(sources.occurs) - 1, len(sources.weight), 2 + len(sources.taxon)
    stack = OpenNodes(
        *(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)),
        *(np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)),
    )
    return Scan(np.zeros(n, np.int8), stack, np.zeros(k, np.int64), np.empty(k, np.int64))


@inner
def _hang_child(stack, v, p, q):
    """Add a finished child with p leaves in P and q in Q to the open node in row v.

    Returns the triplets pp'|q, pq|p' and qq'|p that this child has with the earlier ones: it holds either the pair or
    the third leaf.
    """
    pp = p * (p - 1) // 2
    qq = q * (q - 1) // 2
    near = pp * stack.q[v] + q * stack.pp[v]
    cross = p * q * stack.p[v] + p * stack.pq[v]
    far = qq * stack.p[v] + p * stack.qq[v]
    stack.p[v] += p
    stack.q[v] += q
    stack.pp[v] += pp
    stack.qq[v] += qq
    stack.pq[v] += p * q
    return near, cross, far


@inner
def _scan(taxon, gap, side, stack):
    """How many triplets pp'|q, pq|p' and qq'|p a tree displays, given its part of the sequence."""
    near, cross, far = np.int64(0), np.int64(0), np.int64(0)
    size = 0
    # Leaves outside P and Q are passed over: two leaves that remain meet at the greatest of the gaps between them.
    passed = np.int64(-1)
    p, q = np.int64(0), np.int64(0)  # the leaves of the node that was finished last, at first a leaf
    for i in range(len(taxon)):
        c = side[taxon[i]]
        if c != NEITHER:
            if p + q > 0:
                # nodes lower than where the two leaves meet get no more children
                while size > 0 and stack.rank[size - 1] < passed:
                    size -= 1
                    more_near, more_cross, more_far = _hang_child(stack, size, p, q)
                    near, cross, far = near + more_near, cross + more_cross, far + more_far
                    p, q = stack.p[size], stack.q[size]
                if size == 0 or stack.rank[size - 1] > passed:
                    stack.rank[size] = passed
                    stack.p[size] = stack.q[size] = stack.pp[size] = stack.qq[size] = stack.pq[size] = 0
                    size += 1
                more_near, more_cross, more_far = _hang_child(stack, size - 1, p, q)
                near, cross, far = near + more_near, cross + more_cross, far + more_far
            p, q = np.int64(c == P), np.int64(c == Q)
            passed = np.int64(-1)
        if gap[i] > passed:
            passed = np.int64(gap[i])
    while size > 0:
        size -= 1
        more_near, more_cross, more_far = _hang_child(stack, size, p, q)
        near, cross, far = near + more_near, cross + more_cross, far + more_far
        p, q = stack.p[size], stack.q[size]
    return near, cross, far


@inner
def _scan_tree(sources, t, scan):
    begin, end = sources.leaves[t], sources.leaves[t + 1]
    return _scan(sources.taxon[begin:end], sources.gap[begin:end], scan.side, scan.open)


@inner
def _count_leaves(sources, taxa, scan):
    """Count the leaves of each tree among the taxa. Returns the number of trees with any, listed in `scan.touched`."""
    n_touched = 0
    for x in taxa:
        for o in range(sources.occurs[x], sources.occurs[x + 1]):
            t = sources.tree[sources.occurrence[o]]
            if scan.n_leaves[t] == 0:
                scan.touched[n_touched] = t
                n_touched += 1
            scan.n_leaves[t] += 1
    return n_touched


@inner
def _put(scan, taxa, where):
    """Put all these taxa into P, Q or NEITHER."""
    for x in taxa:
        scan.side[x] = where


@inner
def _take_away(sources, taxa, scan, of_tree):
    """Take the triples with p and p' below one child away, given its taxa: an edge further down decides them, too."""
    _put(scan, taxa, P)
    for j in range(_count_leaves(sources, taxa, scan)):
        t = scan.touched[j]
        # fewer than two leaves below the child make no pair p, p'. Silence on w is silence on its child
        if scan.n_leaves[t] > 1 and of_tree[t, 0] + of_tree[t, 1] > 0:
            near, cross, _ = _scan_tree(sources, t, scan)
            of_tree[t, 2] -= near
            of_tree[t, 3] -= cross
        scan.n_leaves[t] = 0
    _put(scan, taxa, NEITHER)


@allocating
def _longer(entry):
    """Twice as many rows."""
    out = np.empty((2 * entry.shape[0], entry.shape[1]), np.int64)
    for i in range(entry.shape[0]):
        for j in range(entry.shape[1]):
            out[i, j] = entry[i, j]
    return out


@njit
def edge_votes(clades, sources, low, high):
    """The votes of each tree on the triples that the edges of a hierarchy below its nodes low..high-1 decide.

    clades : Clades
    sources : Sources
    Returns entry : int64[E, 6], for each edge from a node u to an inner node w below and each tree that says anything:
    w, tree, triplets pp'|q and pq|p' with p, p' below w, and q below u but not w, and those of them with p and p'
    below different children of w, which no other edge decides. Oracle: ``edge_votes_definition``.
    """
    start, stop, order = clades.start, clades.stop, clades.order
    n, k = len(order), len(sources.weight)
    scan, inside = _new_scan(sources), _new_scan(sources)
    # `_take_away` looks at the same sets, but counts leaves apart: the trees that say something of w are still listed
    inside = Scan(scan.side, scan.open, inside.n_leaves, inside.touched)
    of_tree = np.zeros((k, 4), np.int64)  # the last four columns of an entry
    entry = np.empty((256, 6), np.int64)
    size = 0
    for u in range(max(low, n), high):
        below_u = order[start[u] : stop[u]]
        _put(scan, below_u, Q)
        for d in range(clades.child_start[u], clades.child_start[u + 1]):
            w = clades.child[d]
            if w < n:
                continue
            below_w = order[start[w] : stop[w]]
            _put(scan, below_w, P)
            n_touched = _count_leaves(sources, below_w, scan)
            for j in range(n_touched):
                t = scan.touched[j]
                near, cross = np.int64(0), np.int64(0)
                if scan.n_leaves[t] > 1:
                    near, cross, _ = _scan_tree(sources, t, scan)
                of_tree[t, 0], of_tree[t, 1] = near, cross
                of_tree[t, 2], of_tree[t, 3] = near, cross
                scan.n_leaves[t] = 0
            _put(scan, below_w, NEITHER)
            for e in range(clades.child_start[w], clades.child_start[w + 1]):
                x = clades.child[e]
                if x >= n:
                    _take_away(sources, order[start[x] : stop[x]], inside, of_tree)
            for j in range(n_touched):
                t = scan.touched[j]
                if of_tree[t, 0] + of_tree[t, 1] > 0:
                    if size == entry.shape[0]:
                        entry = _longer(entry)
                    entry[size, 0], entry[size, 1] = w, t
                    for a in range(4):
                        entry[size, 2 + a] = of_tree[t, a]
                    size += 1
            _put(scan, below_w, Q)
        _put(scan, below_u, NEITHER)
    return entry[:size].copy()


@njit
def split_votes(split, order, sources):
    """The weight of the source triplets that splits of sets of taxa in two display.

    split : int64[K, 4], a set and one side of it, as intervals of `order`
    order : int32[L], taxa
    sources : Sources
    Returns vote : float64[K].
    """
    scan = _new_scan(sources)
    vote = np.zeros(split.shape[0], np.float64)
    for s in range(split.shape[0]):
        taxa = order[split[s, 0] : split[s, 1]]
        _put(scan, taxa, Q)
        _put(scan, order[split[s, 2] : split[s, 3]], P)
        for j in range(_count_leaves(sources, taxa, scan)):
            t = scan.touched[j]
            if scan.n_leaves[t] > 2:
                near, _, far = _scan_tree(sources, t, scan)
                vote[s] += sources.weight[t] * (near + far)
            scan.n_leaves[t] = 0
        _put(scan, taxa, NEITHER)
    return vote


# ----------------------------------------------------------------------
# Votes on a hierarchy that displays all triplets of all trees: nothing has to be counted.


@njit
def agreeing_trees(sources, copies, rank, hierarchy):
    """How many trees have triplets that the edge above each node of a hierarchy alone decides.

    Each tree is the hierarchy on its leaves with some edges contracted. So a node of a tree is the hierarchy's node w
    where its leaves meet, and the tree has triplets for the edge above w exactly if it has other leaves below the
    parent of w. Leaves of one node of a tree stand together in the hierarchy's order, too, so neighbours tell.

    sources : Sources, on n taxa
    copies : int64[k], how many trees each stands for
    rank : int32[S], a place for each leaf of the sources, tree by tree, in the order of each hierarchy
    hierarchy : its parents, int32[M], and the position and table of `common_ancestors`
    Returns n_trees : int64[M]. O(S + N). Oracle: `edge_votes`.
    """
    parent, position, table = hierarchy
    up = sources.parent
    S, N = rank.shape[0], up.shape[0]
    place = np.empty(S, np.int32)
    n_trees = np.zeros(parent.shape[0], np.int64)
    low, high = np.full(N, S, np.int32), np.full(N, -1, np.int32)
    for leaf in range(S):
        place[rank[leaf]] = position[sources.taxon[leaf]]
        low[leaf] = high[leaf] = rank[leaf]
    for u in range(N):  # children come before their parents
        if up[u] >= 0:
            low[up[u]] = min(low[up[u]], low[u])
            high[up[u]] = max(high[up[u]], high[u])
    for t in range(copies.shape[0]):
        begin, end = sources.leaves[t], sources.leaves[t + 1]
        for u in range(sources.inners[t], sources.inners[t + 1] - 1):
            w = range_maximum(table, place[low[u]], place[high[u]])
            nearest = parent.shape[0]  # the lowest node with these leaves and others of the tree
            if low[u] > begin:
                nearest = min(nearest, range_maximum(table, place[low[u] - 1], place[low[u]]))
            if high[u] + 1 < end:
                nearest = min(nearest, range_maximum(table, place[high[u]], place[high[u] + 1]))
            if nearest == parent[w]:
                n_trees[w] += copies[t]
    return n_trees


# ----------------------------------------------------------------------
# Prune and regraft by votes that are counted, never listed: where in a binary tree a branch is displayed best.
#
# A source triplet changes its state only if one of its leaves, x, is in the branch that moves, and two, y and z, are
# not. Seen from x, the leaves of a source tree hang off the path from x to its root: say y at level l(y). It says xy|z
# if l(y) < l(z), and yz|x if y and z hang from one child of a node of the path, else nothing. For each node v of the
# rest of the hierarchy and y, z below its two children, xy|z is displayed where the branch hangs above y's child of v
# or above any node below it, yz|x where it does not hang below v. Both are counted for all nodes at once: on the
# way up each heavy path the leaves of the light children are asked against counts by level of the leaves passed so
# far. Time for one leaf x: O(m log(m)**2) for each tree of m leaves that has it, and one look at each leaf of the
# hierarchy.

#: Gains below this share of the votes at stake are rounding.
SMALLEST = 1e-9


class BinaryTree(NamedTuple):
    """The tree that grows and changes: leaves 0..n-1, inner nodes from n on."""

    up: np.ndarray  #: int32[2n - 1], the node above, -1 above the root, and above leaves that are not in the tree
    child: np.ndarray  #: int32[2n - 1, 2], -1 below leaves
    root: Integers  #: one entry, -1 for no tree yet
    fresh: Integers  #: one entry, the next free inner node


class DepthFirst(NamedTuple):
    """The binary tree in depth-first order, renewed after each move. All fields are int32."""

    order: np.ndarray  #: [n], the leaves
    gap: np.ndarray  #: [n], the node where a leaf of `order` meets the next
    start: np.ndarray  #: [2n], of each node: the first place of its leaves in `order`
    stop: np.ndarray  #: [2n], one past the last
    depth: np.ndarray  #: [2n]
    ahead: np.ndarray  #: [2n], the nodes, parents first


class SeenFromLeaf(NamedTuple):
    """A source tree as one of its leaves sees it."""

    on_path: np.ndarray  #: bool[N], whether a node is above the leaf, all False between two uses
    level: np.ndarray  #: int32[N], the number, from the leaf up, of the node of the path where a node hangs off
    branch: np.ndarray  #: int32[N], the child of that node that it is below
    place: np.ndarray  #: int32[n], the leaf of the tree that is this taxon, -1 for none, and between two uses


class Passed(NamedTuple):
    """Counts of the leaves passed on the way up a heavy path. All are int64[N + 2], and zeros between two uses."""

    fenwick: Integers  #: sums of `at_level`, as a Fenwick tree
    at_level: Integers
    in_branch: Integers


class Common(NamedTuple):
    """The m leaves that a source tree shares with the hierarchy, in its order. All are int32[n], m entries in use.

    The hierarchy on these leaves needs no nodes: the i-th is where leaves i and i + 1 meet.
    """

    place: np.ndarray  #: of each leaf: its place in the source tree
    node: np.ndarray  #: the node of the hierarchy where leaves i and i + 1 meet
    depth: np.ndarray  #: its depth
    left: np.ndarray  #: the first leaf below it
    right: np.ndarray  #: the last one
    stack: np.ndarray


class PlaceSearch(NamedTuple):
    """The state of the search of a place."""

    layout: DepthFirst
    seen: SeenFromLeaf
    passed: Passed
    common: Common
    change: np.ndarray  #: float64[2n], by how much the votes of the places below a node differ from those above it
    score: np.ndarray  #: float64[2n], the votes of the place above a node


@allocating
def _new_search(n, N):
    return PlaceSearch(
        DepthFirst(
            *(np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(2 * n, np.int32)),
            *(np.zeros(2 * n, np.int32), np.zeros(2 * n, np.int32), np.empty(2 * n, np.int32)),
        ),
        SeenFromLeaf(*(np.zeros(N, np.bool_), np.zeros(N, np.int32), np.zeros(N, np.int32), np.full(n, -1, np.int32))),
        Passed(np.zeros(N + 2, np.int64), np.zeros(N + 2, np.int64), np.zeros(N + 2, np.int64)),
        Common(
            *(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)),
            *(np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)),
        ),
        np.zeros(2 * n, np.float64),
        np.zeros(2 * n, np.float64),
    )


@inner
def _walk(tree, layout):
    """Lay out the binary tree. Returns the number of its nodes."""
    up, child = tree.up, tree.child
    n, root = len(layout.order), tree.root[0]
    n_leaves, n_nodes = 0, 0
    # The node that the walk came from determines the next one, so no stack is needed, however deep the tree is.
    before, u = up[root], root
    while u >= 0:
        if before == up[u]:
            layout.ahead[n_nodes] = u
            n_nodes += 1
            layout.start[u] = n_leaves
            layout.depth[u] = 0 if u == root else layout.depth[up[u]] + 1
            if u < n:
                layout.order[n_leaves] = u
                n_leaves += 1
                layout.stop[u] = n_leaves
                after = up[u]
            else:
                after = child[u, 0]
        elif before == child[u, 0]:
            layout.gap[n_leaves - 1] = u
            after = child[u, 1]
        else:
            layout.stop[u] = n_leaves
            after = up[u]
        before, u = u, after
    return n_nodes


@inner
def _find_levels(sources, t, leaf, seen):
    """Find the nodes at which source tree t hangs off the way from a leaf to the root. Returns the number of levels."""
    parent, on_path, level, branch = sources.parent, seen.on_path, seen.level, seen.branch
    n_levels = 0
    u = parent[leaf]
    while u >= 0:
        n_levels += 1
        on_path[u] = True
        level[u] = n_levels
        u = parent[u]
    root = sources.inners[t + 1] - 1
    for u in range(root - 1, sources.inners[t] - 1, -1):  # parents first
        if not on_path[u]:
            p = parent[u]
            level[u] = level[p]
            branch[u] = u if on_path[p] else branch[p]
    for u in range(sources.leaves[t], sources.leaves[t + 1]):
        p = parent[u]
        level[u] = level[p]
        branch[u] = u if on_path[p] else branch[p]
    u = parent[leaf]
    while u >= 0:
        on_path[u] = False
        u = parent[u]
    return n_levels


@inner
def _count_in(passed, level, branch, one, n_levels):
    """Count a leaf of this level and branch, or (one = -1) no longer."""
    passed.at_level[level] += one
    passed.in_branch[branch] += one
    while level <= n_levels:
        passed.fenwick[level] += one
        level += level & -level


@inner
def _climb(m, n_levels, weight, child, search):
    """Go up the heavy paths of the m common leaves, and count the votes of light leaves with all below the paths."""
    common, seen, passed = search.common, search.seen, search.passed
    place, left, right, depth = common.place, common.left, common.right, common.depth
    level, branch = seen.level, seen.branch
    for j in range(m):
        first, last = j, j  # the leaves below the node that was reached
        while last - first + 1 < m:
            # the parent is the deeper one of the two gaps around
            v = last
            if last == m - 1 or (first > 0 and depth[first - 1] > depth[last]):
                v = first - 1
            ours = last - first + 1
            others = right[v] - left[v] + 1 - ours
            # the side with more leaves, or the left one, goes on: so a leaf is light at most log2(m) times
            if ours < others or (ours == others and v < first):
                break
            # most leaves are light at once, and cost nothing: the first is only counted when its path goes on
            if first == last:
                _count_in(passed, level[place[j]], branch[place[j]], np.int64(1), n_levels)
            near, far, same = np.int64(0), np.int64(0), np.int64(0)
            begin, end = (last + 1, right[v] + 1) if v == last else (left[v], first)
            for z in range(begin, end):
                own = level[place[z]]
                lower = np.int64(0)
                i = own - 1
                while i > 0:
                    lower += passed.fenwick[i]
                    i -= i & -i
                near += lower
                far += ours - lower - passed.at_level[own]
                same += passed.in_branch[branch[place[z]]]
            for z in range(begin, end):
                _count_in(passed, level[place[z]], branch[place[z]], np.int64(1), n_levels)
            # yz|x is not displayed where the branch hangs below v, on either side
            heavy, light = (0, 1) if v == last else (1, 0)
            search.change[child[common.node[v], heavy]] += weight * (near - same)
            search.change[child[common.node[v], light]] += weight * (far - same)
            first, last = left[v], right[v]
        if last > first:
            for z in range(first, last + 1):
                _count_in(passed, level[place[z]], branch[place[z]], np.int64(-1), n_levels)


@inner
def _list_common(layout, moving, n_placed, place, common):
    """List the leaves that a source tree shares with the hierarchy, without those that move. Returns their number.

    moving : first place, and one past the last, of the leaves that move in the hierarchy's order
    n_placed : its number of leaves
    place : where each taxon is in the source tree, -1 for nowhere
    """
    order, gap, depth = layout.order, layout.gap, layout.depth
    m = 0
    highest = -1  # the highest of the nodes passed since the last common leaf: where that one and the next meet
    for i in range(n_placed):
        o = place[order[i]]
        if o >= 0 and (i < moving[0] or i >= moving[1]):
            if m > 0:
                common.node[m - 1] = highest
                common.depth[m - 1] = depth[highest]
            common.place[m] = o
            m += 1
            highest = -1
        if m > 0 and i < n_placed - 1 and (highest < 0 or depth[gap[i]] < depth[highest]):
            highest = gap[i]
    # the leaves below a node reach to the next higher ones on either side: found with a stack of the open nodes
    stack, size = common.stack, 0
    for i in range(m - 1):
        while size > 0 and common.depth[stack[size - 1]] > common.depth[i]:
            common.right[stack[size - 1]] = i
            size -= 1
        common.left[i] = stack[size - 1] + 1 if size > 0 else 0
        stack[size] = i
        size += 1
    while size > 0:
        common.right[stack[size - 1]] = m - 1
        size -= 1
    return m


@inner
def _add_votes(x, moving, n_placed, tree, sources, search):
    """Add up the votes of the trees on the places of taxon x. Returns whether there are any.

    moving, n_placed : as for `_list_common`
    """
    place, common = search.seen.place, search.common
    said = False
    for k in range(sources.occurs[x], sources.occurs[x + 1]):
        leaf = sources.occurrence[k]
        t = sources.tree[leaf]
        for u in range(sources.leaves[t], sources.leaves[t + 1]):
            place[sources.taxon[u]] = u
        # x is not among the common leaves: it moves, or it is not in the hierarchy yet
        m = _list_common(search.layout, moving, n_placed, place, common)
        if m > 1:
            said = True
            n_levels = _find_levels(sources, t, leaf, search.seen)
            _climb(m, n_levels, sources.weight[t], tree.child, search)
        for u in range(sources.leaves[t], sources.leaves[t + 1]):
            place[sources.taxon[u]] = -1
    return said


@inner
def _best_place(q, beside, n_nodes, tree, search):
    """The node above which the branch q hangs best, or `beside` where it hangs now (-1 if it is not in the tree)."""
    layout, score = search.layout, search.score
    above = tree.up[q] if beside >= 0 else -1
    root = layout.ahead[0]
    score[root] = 0.0
    largest = 0.0
    best = beside if beside >= 0 else root
    for j in range(1, n_nodes):
        u = layout.ahead[j]
        score[u] = score[tree.up[u]] + search.change[u]
        largest = max(largest, abs(score[u]))
    for j in range(n_nodes):
        u = layout.ahead[j]
        # neither above a node of the branch itself, nor above its parent, which goes when the branch is taken out
        inside = beside >= 0 and layout.start[u] >= layout.start[q] and layout.stop[u] <= layout.stop[q]
        if u != above and not inside and score[u] > score[best] + SMALLEST * largest:
            best = u
    return best


@inner
def _hang(q, v, fresh, tree):
    """Hang the branch q above node v, from the inner node `fresh`."""
    up, child = tree.up, tree.child
    p = up[v]
    up[fresh] = p
    if p >= 0:
        child[p, 0 if child[p, 0] == v else 1] = fresh
    else:
        tree.root[0] = fresh
    child[fresh, 0], child[fresh, 1] = v, q
    up[v], up[q] = fresh, fresh


@inner
def _prune(q, tree):
    """Take the branch q out, with the node that it hangs from. Returns that node."""
    up, child = tree.up, tree.child
    p = up[q]
    s = child[p, 0] + child[p, 1] - q
    g = up[p]
    up[s] = g
    if g >= 0:
        child[g, 0 if child[g, 0] == p else 1] = s
    else:
        tree.root[0] = s
    return p


@njit
def regraft(tree, todo, sources):
    """Move branches of a binary tree, one after the other, to where most of their source triplets are displayed.

    tree : BinaryTree, changed in place
    todo : int32[K], the nodes whose branches are tried, leaves that are not in the tree among them
    sources : Sources
    Returns the number of branches that moved. Oracle: ``regraft_definition``.
    """
    up, child, root = tree.up, tree.child, tree.root
    n = len(sources.occurs) - 1
    search = _new_search(n, len(sources.parent))
    layout = search.layout
    n_nodes, moves = 0, 0
    if root[0] >= 0:
        n_nodes = _walk(tree, layout)
    for q in todo:
        inside = q == root[0] or up[q] >= 0
        if q == root[0] or (q >= n and not inside):
            continue
        if root[0] < 0:  # the first leaf is the tree
            root[0] = q
            n_nodes = _walk(tree, layout)
            continue
        moving, beside = (0, 0), -1
        if inside:
            moving = (layout.start[q], layout.stop[q])
            beside = child[up[q], 0] + child[up[q], 1] - q
        for i in range(n_nodes):
            search.change[layout.ahead[i]] = 0.0
        n_placed, said = (n_nodes + 1) // 2, False
        if inside:
            for i in range(moving[0], moving[1]):
                if _add_votes(layout.order[i], moving, n_placed, tree, sources, search):
                    said = True
        else:
            said = _add_votes(q, moving, n_placed, tree, sources, search)
        if inside and not said:
            continue
        best = _best_place(q, beside, n_nodes, tree, search)
        if best == beside:
            continue
        if inside:
            fresh = _prune(q, tree)
        else:
            fresh = tree.fresh[0]
            tree.fresh[0] += 1
        _hang(q, best, fresh, tree)
        n_nodes = _walk(tree, layout)
        moves += 1
    return moves
