"""Definitions, slow and plain, that the fast code is compared with.

Nothing here shares code with the package: hierarchies are nested tuples or sets of clades, triplets are tuples.
"""

from functools import cache
from itertools import combinations, permutations


def leaves_of(nested):
    """The leaf labels of nested tuples, in order."""
    return [x for child in nested for x in leaves_of(child)] if isinstance(nested, tuple) else [nested]


def nested_of(parent, leaves, n):
    """Nested tuples of some of n leaves, from the parents of the nodes."""
    below = [[] for _ in parent]
    for u in [*leaves, *range(n, len(parent) - 1)]:
        below[parent[u]].append(u if u < n else tuple(below[u]))
    return tuple(below[-1])


@cache
def clades_of(nested):
    """The clades of all inner nodes, as a set of frozensets."""
    if not isinstance(nested, tuple):
        return frozenset()
    return frozenset({frozenset(leaves_of(nested))}).union(*map(clades_of, nested))


def clades_of_hierarchy(h):
    """The clades of a Hierarchy's inner nodes, by following the parents of each leaf."""
    below = {u: set() for u in range(h.n_nodes)}
    for i, label in enumerate(h.leaves):
        u = i
        while u >= 0:
            below[u].add(label)
            u = int(h.parent[u])
    return [frozenset(below[u]) for u in range(h.n_leaves, h.n_nodes)]


def displayed(clades, a, b, c):
    """True if ab|c is displayed: some clade holds a and b but not c."""
    return any(a in x and b in x and c not in x for x in clades)


def all_triplets_definition(nested):
    """Every displayed triplet (a, b, c) with a < b."""
    clades = clades_of(nested)
    return {
        (a, b, c)
        for trio in combinations(sorted(leaves_of(nested)), 3)
        for a, b, c in permutations(trio)
        if a < b and displayed(clades, a, b, c)
    }


def components(vertices, edges):
    """Connected components, as a list of sets."""
    beside = {x: set() for x in vertices}
    for a, b in edges:
        beside[a].add(b)
        beside[b].add(a)
    rest, found = set(vertices), []
    while rest:
        group = [rest.pop()]
        for x in group:  # which grows
            near = beside[x] & rest
            group += near
            rest -= near
        found.append(set(group))
    return found


def one_tree_definition(triplets, leaves):
    """BUILD as printed by Aho et al. (1981): nested tuples, or None if a set of leaves does not split."""
    leaves = set(leaves)
    if len(leaves) == 1:
        return next(iter(leaves))
    inside = [t for t in triplets if t[0] in leaves and t[1] in leaves and t[2] in leaves]
    parts = components(leaves, [(a, b) for a, b, _ in inside])
    if len(parts) == 1:
        return None
    children = [one_tree_definition(inside, part) for part in parts]
    return None if any(child is None for child in children) else tuple(children)


def is_irreducible_conflict(triplets):
    """True if the triplets are inconsistent, and dropping any one of them is enough."""
    triplets = list(triplets)
    leaves = {x for t in triplets for x in t}
    if one_tree_definition(triplets, leaves) is not None:
        return False
    return all(one_tree_definition(triplets[:k] + triplets[k + 1 :], leaves) is not None for k in range(len(triplets)))


def all_hierarchies(leaves):
    """Every hierarchy without unary nodes on the leaves, as nested tuples: 1, 4, 26, 236, 2752 for 2..6 leaves.

    Each comes once: the last leaf is hung in every possible place of every hierarchy on the others.
    """
    leaves = list(leaves)
    if len(leaves) == 1:
        yield leaves[0]
        return
    for smaller in all_hierarchies(leaves[:-1]):
        yield from _hung_everywhere(smaller, leaves[-1])


def _hung_everywhere(nested, leaf):
    yield (nested, leaf)
    if isinstance(nested, tuple):
        yield (*nested, leaf)
        for k, child in enumerate(nested):
            for grown in _hung_everywhere(child, leaf):
                yield (*nested[:k], grown, *nested[k + 1 :])


def consistent_by_enumeration(triplets, leaves, hierarchies):
    """True if some hierarchy (given as clade sets) displays all triplets: no algorithm at all."""
    return any(all(displayed(clades, *t) for t in triplets) for clades in hierarchies)


def compatible_by_enumeration(labels, triplets, hierarchies):
    """True if some hierarchy (given as clade sets) displays all triplets and has every cluster as a clade."""
    clusters = [frozenset(i for i, x in enumerate(labels) if x == c) for c in set(labels)]
    large = {cluster for cluster in clusters if len(cluster) > 1}
    return any(large <= clades and all(displayed(clades, *t) for t in triplets) for clades in hierarchies)


def implied_by_enumeration(triplets, n, hierarchies):
    """The triplets on leaves 0..n-1 that every hierarchy displays which displays the given ones."""
    models = [clades for clades in hierarchies if all(displayed(clades, *t) for t in triplets)]
    rows = [(a, b, c) for a, b in combinations(range(n), 2) for c in range(n) if c not in (a, b)]
    return [row for row in rows if all(displayed(clades, *row) for clades in models)]


def induced_odd_definition(h, triple):
    """The position of the odd one out in a triple of leaf indices, -1 if unresolved, by ancestor sets."""

    def ancestors(u):
        path = []
        while u >= 0:
            path.append(u)
            u = int(h.parent[u])
        return path

    def depth_of_meeting(x, y):
        above = set(ancestors(x))
        meeting = next(u for u in ancestors(y) if u in above)
        return len(ancestors(meeting))

    x, y, z = triple
    depth = [depth_of_meeting(y, z), depth_of_meeting(x, z), depth_of_meeting(x, y)]
    best = max(depth)
    return depth.index(best) if depth.count(best) == 1 else -1


def shape_of(nested):
    """The value that `==` of hierarchies compares: nested frozensets, unary nodes included, children in no order."""
    return frozenset(shape_of(child) for child in nested) if isinstance(nested, tuple) else nested


def shape_of_hierarchy(h):
    """`shape_of` read off a Hierarchy, children before parents."""
    below = {u: h.leaves[u] if u < h.n_leaves else set() for u in range(h.n_nodes)}
    for u in range(h.n_nodes):
        below[u] = frozenset(below[u]) if u >= h.n_leaves else below[u]
        if h.parent[u] >= 0:
            below[int(h.parent[u])].add(below[u])
    return below[h.n_nodes - 1]


def without_unary(nested):
    """Nested tuples with every tuple of one child replaced by that child."""
    if not isinstance(nested, tuple):
        return nested
    return without_unary(nested[0]) if len(nested) == 1 else tuple(without_unary(child) for child in nested)


def path_to_root(parent, u):
    """The node u and its ancestors, root last."""
    path = []
    while u >= 0:
        path.append(u)
        u = int(parent[u])
    return path


def common_ancestor_definition(parent, *nodes):
    """The first common entry of the nodes' paths to the root."""
    paths = [path_to_root(parent, u) for u in nodes]
    return next(u for u in paths[0] if all(u in path for path in paths))


def decomposition_sizes(nested):
    """Sizes of the smallest sets that identify and rebuild, summed over the inner edges (u, w) as in the theory."""
    identify = rebuild = 0
    todo = [nested] if isinstance(nested, tuple) else []
    while todo:
        u = todo.pop()
        for w in u:
            if isinstance(w, tuple):
                identify += (len(u) - 1) * (len(w) - 1)
                rebuild += len(w) - 1
                todo.append(w)
    return {"identify": identify, "rebuild": rebuild}


def binary_hierarchies(leaves):
    """Every binary hierarchy as nested pairs: the last leaf is hung in each place of each one on the others."""
    if len(leaves) == 1:
        yield leaves[0]
        return
    for smaller in binary_hierarchies(leaves[:-1]):
        yield from hung_everywhere(smaller, leaves[-1])


def hung_everywhere(nested, leaf):
    yield (nested, leaf)
    if isinstance(nested, tuple):
        yield from ((grown, nested[1]) for grown in hung_everywhere(nested[0], leaf))
        yield from ((nested[0], grown) for grown in hung_everywhere(nested[1], leaf))


def triplets_of(nested):
    """(leaves, displayed triplets) of nested pairs."""
    if not isinstance(nested, tuple):
        return [nested], set()
    (left, x), (right, y) = map(triplets_of, nested)
    here = {(*sorted(pair), c) for p, q in ((left, right), (right, left)) for pair in combinations(p, 2) for c in q}
    return left + right, x | y | here
