"""Votes by the book: every source triplet is listed, and every tree tried."""

import numpy as np
from oracles import all_triplets_definition, components

from tripletree.algorithms.induce import all_triplets


def nested(h):
    """A hierarchy as nested tuples."""
    made = [h.leaves[u] if u < h.n_leaves else [] for u in range(h.n_nodes)]
    for u in range(h.n_nodes - 1):
        made[h.parent[u]].append(made[u])
    return as_tuples(made[-1])


def as_tuples(lists):
    """Lists in lists as tuples in tuples."""
    return tuple(map(as_tuples, lists)) if isinstance(lists, list) else lists


def triplets_of(h):
    """All triplets of a hierarchy as (frozenset of two, third)."""
    return {(frozenset((a, b)), c) for a, b, c in all_triplets(h)}


def displayed_definition(nested_tree, sources):
    """The number of source triplets that a tree displays."""
    own = all_triplets_definition(nested_tree)
    return sum(len(triplets_of(h) & {(frozenset((a, b)), c) for a, b, c in own}) for h in sources)


def vote_components_definition(sources, taxa):
    """Groups of taxa that triplets of the sources tie together."""
    edges = [tuple(pair) for h in sources for pair, _ in triplets_of(h)]
    return {frozenset(x) for x in components(taxa, edges)}


def edge_votes_definition(h, sources):
    """Per inner node: triplets for and against its edge alone, and all displayed and contradicted triplets."""
    agree, oppose = np.zeros(h.n_nodes), np.zeros(h.n_nodes)
    shown = against = 0
    for source in sources:
        for pair, c in triplets_of(source):
            a, b = pair
            meet = {x: h.common_ancestor(y) for x, y in ((c, (a, b)), (a, (b, c)), (b, (a, c)))}
            low, high = min(meet.values()), max(meet.values())
            if low == high:
                continue
            right = meet[c] == low
            shown, against = shown + right, against + (not right)
            if h.parent[low] == high:
                (agree if right else oppose)[low] += 1
    return agree, oppose, shown, against


def regraft_definition(tree, leaf, sources):
    """The most source triplets displayed by any tree in which the leaf hangs elsewhere."""
    hung = [leaf]

    def places(node):
        yield (node, *hung)
        if isinstance(node, tuple):
            for i, part in enumerate(node):
                for place in places(part):
                    yield (*node[:i], place, *node[i + 1 :])

    return max(displayed_definition(t, sources) for t in places(tree))


def without(node, leaf):
    """Nested tuples without a leaf, and without nodes of one child."""
    if not isinstance(node, (tuple, list)):
        return None if node == leaf else node
    kept = [x for x in (without(y, leaf) for y in node) if x is not None]
    return tuple(kept) if len(kept) > 1 else kept[0] if kept else None
