"""Definitions about graphs whose terms have several parents: every choice of parents, every path, one at a time.

A graph is a dict from each term to the set of its parents. Terms without parents are roots. Nothing here shares code
with the package.
"""

from itertools import combinations, permutations, product

from oracles import one_tree_definition


def leaf_terms(graph):
    """The terms that are nobody's parent, sorted."""
    inner = set().union(*graph.values())
    return sorted(term for term in graph if term not in inner)


def descendants_definition(graph, term):
    """The term and all below it, by adding children until none is new."""
    found = {term}
    while True:
        more = {x for x, parents in graph.items() if parents & found} - found
        if not more:
            return found
        found |= more


def spanning_trees(graph):
    """Every choice of one parent for each term, as dicts. None stands above the roots."""
    terms = sorted(graph)
    for choice in product(*(sorted(graph[term]) or [None] for term in terms)):
        yield dict(zip(terms, choice, strict=True))


def tree_displays(tree, a, b, c):
    """True if a and b meet below the place where c comes in, by their paths to the top."""

    def path(term):
        found = [term]
        while found[-1] is not None:
            found.append(tree[found[-1]])
        return found

    meeting = next(x for x in path(a) if x in path(b))
    return meeting not in path(c)


def trios(leaves):
    """Every possible triplet (a, b, c) with a < b."""
    return [(a, b, c) for trio in combinations(sorted(leaves), 3) for a, b, c in permutations(trio) if a < b]


def tree_triplets(tree, leaves):
    """The triplets that one choice of parents displays."""
    return {t for t in trios(leaves) if tree_displays(tree, *t)}


def certain_definition(graph):
    """The triplets that every choice of parents displays."""
    leaves = leaf_terms(graph)
    certain = set(trios(leaves))
    for tree in spanning_trees(graph):
        certain = {t for t in certain if tree_displays(tree, *t)}
    return certain


def dominators_definition(graph, term):
    """The terms that every path from a root down to `term` passes, itself among them: leave one out, and look."""

    def comes_from_a_root(without):
        found, todo = set(), [term]
        while todo:
            x = todo.pop()
            if x == without or x in found:
                continue
            found.add(x)
            todo += graph[x]
        return any(not graph[x] for x in found)

    return {x for x in graph if not comes_from_a_root(x)}


def frontiers_definition(graph, term):
    """The terms with a parent that `term` dominates, and that it does not dominate itself (other than as itself)."""
    dominated = {x for x in graph if term in dominators_definition(graph, x)}
    return {x for x in graph if graph[x] & dominated and (x not in dominated or x == term)}


def certain_by_dominators(graph):
    """The condition of the theorem: c is not below the lowest term that dominates both a and b."""
    leaves = leaf_terms(graph)
    over = {x: dominators_definition(graph, x) for x in graph}
    below = {x: descendants_definition(graph, x) for x in graph}
    found = set()
    for a, b, c in trios(leaves):
        common = over[a] & over[b]
        if common and c not in below[max(common, key=lambda x: len(over[x]))]:
            found.add((a, b, c))
    return found


def implied_definition(triplets, leaves):
    """Every triplet that follows from a consistent set: neither other one on its leaves can be added to it."""
    triplets = sorted(triplets)
    known = set(triplets)
    found = set()
    for a, b, c in trios(leaves):
        others = [(*sorted((a, c)), b), (*sorted((b, c)), a)]
        if (a, b, c) in known or (
            not known & set(others) and all(one_tree_definition([*triplets, other], leaves) is None for other in others)
        ):
            found.add((a, b, c))
    return found


def leaf_count_definition(graph, term):
    """How many leaf terms are at or below a term."""
    return len(descendants_definition(graph, term) & set(leaf_terms(graph)))


def level_definition(graph, term):
    """Number of edges on the longest path from a root, by following every path."""
    return max((1 + level_definition(graph, x) for x in graph[term]), default=0)


def small_graphs(n):
    """Every graph on terms 0..n-1 in which the parents of a term have smaller numbers: 2 ** (n (n - 1) / 2) of them."""
    choices = [[set(c) for k in range(term + 1) for c in combinations(range(term), k)] for term in range(n)]
    for parents in product(*choices):
        yield dict(enumerate(parents))


def random_graph(rng, n, *, roots=1, several=0.3, near=6):
    """A graph on terms 0..n-1: most have one parent, a share two or three, among smaller numbers, mostly near ones."""
    graph = {}
    for term in range(n):
        k = 0 if term < roots else 1 if rng.random() >= several else int(rng.integers(2, 4))
        low = max(0, term - near) if rng.random() < 0.8 else 0
        graph[term] = set((low + rng.permutation(term - low)[:k]).tolist())
    return graph
