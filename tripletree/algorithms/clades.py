"""Matching clades: where the named clades of a reference hierarchy are in another tree, and how whole they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.errors import UnknownLeafError


@dataclass(frozen=True, eq=False)
class CladeMatches:
    """For each named clade of a reference the clade of a tree that is most like it. The result of `match_clades`.

    Attributes
    ----------
    names : tuple of str
        The names of inner nodes of the reference with two leaves in the tree or more, from its root downwards. If a
        name stands several times, or several nodes have the same leaves, each has its entry.
    nodes : ndarray of int32, shape (n_names,)
        The node of the tree whose leaves are most like the leaves of the named one.
    jaccard : ndarray of float64, shape (n_names,)
        The leaves that both have, over the leaves that either has: 1 if the clade is the same.
    tree : Hierarchy
        The tree, its inner nodes named: ``"Felidae"`` where the leaves are the same, ``"Felidae ~0.83"`` where more
        than half of them are. A node that several names fit has the one that fits best, of equal ones that farthest
        from the root. A name that the tree had already stays.
    """

    names: tuple[str, ...]
    nodes: np.ndarray
    jaccard: np.ndarray
    tree: Hierarchy

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        whole = int((self.jaccard == 1).sum())
        return f"{len(self)} named clades: {whole} whole, {int((self.jaccard > 0.5).sum()) - whole} more than half"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns name, node, jaccard."""
        import pandas as pd

        return pd.DataFrame({"name": self.names, "node": self.nodes, "jaccard": self.jaccard})


def match_clades(reference: Hierarchy, tree: Hierarchy) -> CladeMatches:
    """Find the clade of a tree that is most like each named clade of a reference hierarchy.

    Parameters
    ----------
    reference : Hierarchy
        Such as a taxonomy, with names of inner nodes. Only its leaves that the tree has count.
    tree : Hierarchy
        Such as the result of a clustering. Its leaves that the reference lacks count for nothing.

    Returns
    -------
    CladeMatches

    See Also
    --------
    tripletree.robinson_foulds : how many clades two hierarchies have in common.

    Notes
    -----
    The likeness is the Jaccard index of the two sets of leaves. Ties go to the smaller clade. For a named
    clade of s leaves only the s - 1 ancestors of neighbouring ones can be best, and the leaves themselves: on the way
    up from there, nothing of it is gained. Time: O(s log s) for each name.

    Examples
    --------
    >>> from tripletree import parse_newick
    >>> taxonomy = parse_newick("((cat,lion,tiger)Felidae,(dog,fox)Canidae);")
    >>> found = match_clades(taxonomy, parse_newick("((cat,(lion,(tiger,fox))),dog);"))
    >>> list(zip(found.names, found.jaccard.tolist()))
    [('Canidae', 0.5), ('Felidae', 0.75)]
    >>> found.tree.names
    (None, None, 'Felidae ~0.75', None)
    """
    reference, tree = check_rooted(reference), check_rooted(tree)
    common = [x for x in tree.leaves if x in reference.leaves]
    if not common:
        raise UnknownLeafError(list(reference.leaves), tree.leaves, what="leaves of the tree")
    known = reference.restrict(common, keep_unary=True)
    start, stop, order = tree.leaf_intervals
    position, table = tree.ancestor_table
    is_common = np.zeros(len(tree.leaves), np.int64)
    leaf_of = np.asarray(tree.leaves.indices(common))
    is_common[leaf_of] = 1
    below = np.concatenate([[0], np.cumsum(is_common[order])])  # common leaves before each position
    size = below[stop] - below[start]
    first, last, known_order = known.leaf_intervals
    places = position[leaf_of[known_order]]  # in the tree, of the leaves of the reference one after another
    inner = known.names or ()
    sizes = last - first
    named = [(u, x) for u, x in enumerate(inner, known.n_leaves) if x is not None and sizes[u] > 1][::-1]
    nodes, jaccard = np.empty(len(named), np.int32), np.empty(len(named))
    for k, (u, _) in enumerate(named):
        place = np.sort(places[first[u] : last[u]])
        leaves = freeze(order[place])
        found = np.concatenate(
            [leaves[:1], engine.rooted_tree.common_ancestors(leaves[:-1], leaves[1:], position, table)]
        )
        both = np.searchsorted(place, stop[found]) - np.searchsorted(place, start[found])
        index = both / (size[found] + place.size - both)
        best = np.lexsort((size[found], -index))[0]
        nodes[k], jaccard[k] = found[best], index[best]
    nodes, jaccard = freeze(nodes), freeze(jaccard)
    names = tuple(name for _, name in named)
    return CladeMatches(names, nodes, jaccard, _named(tree, names, nodes, jaccard))


def _named(tree: Hierarchy, names: tuple[str, ...], nodes: np.ndarray, jaccard: np.ndarray) -> Hierarchy:
    """Return the tree with its inner nodes named by the best matches."""
    n = tree.n_leaves
    best: dict[int, int] = {}
    for k, u in enumerate(nodes.tolist()):
        if u >= n and jaccard[k] > 0.5 and (u not in best or jaccard[k] >= jaccard[best[u]]):
            best[u] = k
    given = list(tree.names or [None] * (tree.n_nodes - n))
    for u, k in best.items():
        if given[u - n] is None:
            given[u - n] = names[k] if jaccard[k] == 1 else f"{names[k]} ~{jaccard[k]:.2f}"
    return tree._but(names=given)
