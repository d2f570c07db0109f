"""The parts of ``aho_forest`` that know nothing of clusters: nodes, their triplets, and the levels at which they fuse.

The leaves are nodes 0..n-1, the root is the last one of 2 n + 2. The children of an inner node are the components of
the graph with an edge ab for each triplet ab|c inside it. A triplet ab|c belongs to the node that separates c from a
and b: the last common ancestor of all three.

The tree changes in one way: some children of a node become one, level by level. At a level there
are *current nodes*, whose children (a leaf is its own) are the *blocks*, and triplets *at hand*, each of them inside
the current nodes but not inside one of them. The blocks that these triplets touch fuse into *sets*. A set of two blocks
or more is a level of its own, with all triplets inside it, and waits on a stack.

``dynamic_build`` changes its tree in the same way, but has its state in few wide tables, and copies of its own: see
there. Functions here take any state that has the parts named below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, inlined, inner


class Tree(NamedTuple):
    """The nodes, with an entry for each in every array. An entry of -1 stands for no node."""

    parent: Integers  #: of a free inner node: the next free one
    first_child: Integers  #: inner children come before leaves
    next_sibling: Integers
    previous_sibling: Integers  #: of a first child: the last one
    n_children: Integers
    n_leaves: Integers  #: below the node
    n_triplets: Integers  #: that belong to the node, or did when they died
    free: Integers  #: one entry: the first free inner node


class TripletLists(NamedTuple):
    """The triplets of each node as circular lists: entry t < m is triplet t, those from m on are heads of lists."""

    next: Integers
    previous: Integers


class Blocks(NamedTuple):
    """Notes on nodes that hold for one level, an entry for each.

    It is void unless `touched` (or `hit`) has the stamp of the level, so that nothing needs to be cleared.
    """

    touched: Integers  #: stamp of the level at which the node was last touched (or met on a way up)
    set: Integers  #: disjoint set of touched blocks
    set_size: Integers  #: of the representative of a set: its number of blocks
    group: Integers  #: of the representative of a set: place on the stack, or -1
    hit: Integers  #: of a current node: stamp, some of its children are touched
    n_hits: Integers  #: how many
    largest: Integers  #: the one of them with most leaves
    hit_leaves: Integers  #: leaves below them all
    stamp: Integers  #: one entry: the last stamp given out


class Work(NamedTuple):
    """Lists of triplets."""

    at_hand: Integers
    kept: Integers  #: a copy of those at hand at the first level
    found: Integers  #: those inside one set of this level
    found_in: Integers  #: the representative of that set
    rest: Integers  #: those that were at hand and belong to the new node of this level
    n_rest: Integers  #: one entry
    waiting: Integers  #: the nodes of the levels on the stack


class Stack(NamedTuple):
    """Lists of nodes, and the levels that wait."""

    current: Integers
    touched: Integers  #: the touched blocks of this level
    waiting: Integers  #: the current nodes of the levels on the stack
    node_begin: Integers  #: of each level: where its nodes begin in `waiting`
    n_nodes: Integers
    triplet_begin: Integers  #: of each level: where its triplets begin in ``Work.waiting``
    n_triplets: Integers
    above: Integers  #: of each level: the node below which its own is to stand
    has_pair: Integers  #: of each level: whether it holds the two clusters that merge


def _empty(kind, *lengths):
    return kind(*(np.zeros(length, np.int64) for length in lengths))


def empty_parts(n, m):
    """The parts described here, for n leaves and m triplets."""
    nodes = 2 * n + 2
    return (
        _empty(Tree, *[nodes] * 7, 1),
        _empty(TripletLists, m + nodes, m + nodes),
        _empty(Blocks, *[nodes] * 8, 1),
        _empty(Work, *[m] * 5, 1, m),
        _empty(Stack, *[nodes] * 9),
    )


# ---------------------------------------------------------------------- nodes


@inner
def is_leaf(tree, u):
    return 2 * u + 2 < len(tree.parent)


@inner
def clear(tree):
    """Make all nodes free, for `attach` to put some to use."""
    for u in range(len(tree.parent)):
        tree.parent[u] = tree.first_child[u] = tree.next_sibling[u] = tree.previous_sibling[u] = -1
        tree.n_children[u] = tree.n_leaves[u] = tree.n_triplets[u] = 0


@inner
def free_nodes(tree, begin):
    """The nodes from `begin` on, but the root, are free."""
    tree.free[0] = -1
    for u in range(begin, len(tree.parent) - 1):
        tree.parent[u] = tree.free[0]
        tree.free[0] = u


@inner
def attach(tree, p, u):
    """Make u a child of p: the first one if it is an inner node, the last one if it is a leaf."""
    tree.parent[u] = p
    first = tree.first_child[p]
    if first < 0:
        tree.next_sibling[u], tree.previous_sibling[u] = -1, u
        tree.first_child[p] = u
    else:
        last = tree.previous_sibling[first]
        tree.previous_sibling[u], tree.previous_sibling[first] = last, u
        if is_leaf(tree, u):
            tree.next_sibling[u], tree.next_sibling[last] = -1, u
        else:
            tree.next_sibling[u], tree.first_child[p] = first, u
    tree.n_children[p] += 1


@inner
def detach(tree, u):
    """Take u from its parent."""
    p, after, before = tree.parent[u], tree.next_sibling[u], tree.previous_sibling[u]
    first = tree.first_child[p]
    if u == first:
        tree.first_child[p] = after
    else:
        tree.next_sibling[before] = after
    if after >= 0:
        tree.previous_sibling[after] = before
    elif u != first:
        tree.previous_sibling[first] = before
    tree.n_children[p] -= 1
    tree.parent[u] = -1


@inner
def first_leaf(tree, u):
    """The first leaf below a node."""
    while not is_leaf(tree, u):
        u = tree.first_child[u]
    return u


@inner
def next_leaf(tree, u, top):
    """The leaf after leaf u below node `top`, -1 after the last."""
    while u != top:
        if tree.next_sibling[u] >= 0:
            return first_leaf(tree, tree.next_sibling[u])
        u = tree.parent[u]
    return np.int64(-1)


# ---------------------------------------------------------------------- triplets


@inner
def list_triplet(lists, t, head):
    """Put triplet t into the list that begins at `head`."""
    after = lists.next[head]
    lists.next[head], lists.previous[after] = t, t
    lists.next[t], lists.previous[t] = after, head


@inner
def unlist_triplet(lists, t):
    """Take triplet t out of its list."""
    after, before = lists.next[t], lists.previous[t]
    lists.next[before], lists.previous[after] = after, before


# ---------------------------------------------------------------------- sets of touched blocks


@inner
def set_of(blocks, u):
    """The representative of the set that a touched block is in (with path halving)."""
    while blocks.set[u] != u:
        blocks.set[u] = blocks.set[blocks.set[u]]
        u = blocks.set[u]
    return u


@inner
def touch(blocks, stack, u, n_touched):
    """Make u a set of its own unless it is touched already. Returns the number of touched blocks."""
    if blocks.touched[u] != blocks.stamp[0]:
        blocks.touched[u] = blocks.stamp[0]
        blocks.set[u] = u
        blocks.set_size[u] = 1
        stack.touched[n_touched] = u
        n_touched += 1
    return n_touched


@inner
def unite(blocks, u, w):
    u = set_of(blocks, u)
    w = set_of(blocks, w)
    if u != w:
        blocks.set[w] = u
        blocks.set_size[u] += blocks.set_size[w]


# ---------------------------------------------------------------------- the stack


@inlined
def deal_out(forest, n_touched, n_found, above, height, pair):
    """Put every set of two blocks or more on the stack with its triplets. Its component is to hang below `above`.

    height : levels on the stack, nodes and triplets in the lists that these share
    pair : the sets that hold the two clusters that merge: the one that becomes a single leaf, which is left out, and
    the one that stays a level. Either is -1 if there is none
    Returns the new height. The blocks still have to be taken from their parents: those with a `group` of 0 or more.
    """
    blocks, work, stack = forest.blocks, forest.work, forest.stack
    levels, n_nodes, n_triplets = height
    left_out, with_pair = pair
    for k in range(n_touched):
        blocks.group[set_of(blocks, stack.touched[k])] = -1
    base = levels
    for k in range(n_touched):
        s = set_of(blocks, stack.touched[k])
        if s != left_out and blocks.set_size[s] >= 2 and blocks.group[s] < 0:
            blocks.group[s] = levels
            stack.node_begin[levels], stack.n_nodes[levels] = n_nodes, 0
            n_nodes += blocks.set_size[s]
            stack.n_triplets[levels], stack.above[levels] = 0, above
            stack.has_pair[levels] = 1 if s == with_pair else 0
            levels += 1
    for k in range(n_touched):
        u = stack.touched[k]
        g = blocks.group[set_of(blocks, u)]
        if g >= 0:
            stack.waiting[stack.node_begin[g] + stack.n_nodes[g]] = u
            stack.n_nodes[g] += 1
    # a counting sort of the triplets by their sets
    for k in range(n_found):
        g = blocks.group[work.found_in[k]]
        if g >= 0:
            stack.n_triplets[g] += 1
    for g in range(base, levels):
        stack.triplet_begin[g] = n_triplets
        n_triplets += stack.n_triplets[g]
        stack.n_triplets[g] = 0
    for k in range(n_found):
        g = blocks.group[work.found_in[k]]
        if g >= 0:
            work.waiting[stack.triplet_begin[g] + stack.n_triplets[g]] = work.found[k]
            stack.n_triplets[g] += 1
    return levels, n_nodes, n_triplets


@inner
def next_level(forest, levels):
    """Take the topmost level from the stack: its nodes are current, its triplets at hand. Returns the new height."""
    work, stack = forest.work, forest.stack
    levels -= 1
    nodes, triplets = stack.node_begin[levels], stack.triplet_begin[levels]
    for k in range(stack.n_nodes[levels]):
        stack.current[k] = stack.waiting[nodes + k]
    for k in range(stack.n_triplets[levels]):
        work.at_hand[k] = work.waiting[triplets + k]
    return levels, nodes, triplets
