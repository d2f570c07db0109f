"""Clades that many trees have: how often they have the clades of one tree, and strict and majority consensus trees.

A clade is known by a random number of 64 bits: the exclusive or of the numbers of its leaves. So no sets of leaves are
compared. `aggregate_answers` (of answers) and `DivisiveReCon` count the clades of their samples of trees here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.checks import check_real, counted
from tripletree.core.hierarchy import Hierarchy, check_hierarchies, check_hierarchy, split_tree
from tripletree.errors import UnknownLeafError


@dataclass(frozen=True, eq=False)
class ConsensusTree:
    """The clades that most of many trees have. The result of `consensus_tree`.

    Attributes
    ----------
    hierarchy : Hierarchy
        The leaves are in the order of the first tree's.
    support : ndarray of float64, shape (inner nodes,)
        The share of the trees that have each clade. Entry ``u - n_leaves`` belongs to node u. The last, of the root,
        is 1.
    n_trees : int
        Number of trees.
    """

    hierarchy: Hierarchy
    support: np.ndarray
    n_trees: int

    def __repr__(self) -> str:
        h = self.hierarchy
        clades = max(h.n_nodes - h.n_leaves - 1, 0)
        what = f"{counted(h.n_leaves, 'leaf', 'leaves')}, {counted(clades, 'clade')}, {counted(self.n_trees, 'tree')}"
        return f"<ConsensusTree: {what}>"


def clade_support(hierarchy: Hierarchy, trees: Iterable[Hierarchy]) -> np.ndarray:
    """Tell how many of some trees have each clade of a hierarchy: bootstrap values, or posterior probabilities.

    Parameters
    ----------
    hierarchy : Hierarchy
    trees : iterable of Hierarchy
        Over the same leaves, in any order: trees of resampled data, ``DivisiveReCon.sampled_trees_``, or all of a
        file (``tripletree.io.read_hierarchies``).

    Returns
    -------
    ndarray of float64, shape (inner nodes,)
        The share of the trees that have the clade of each inner node. Entry ``u - n_leaves`` is that of node u; the
        last, of the root, is 1. ``write_newick(hierarchy, support=...)`` and ``plot_dendrogram(hierarchy,
        node_labels=...)`` take it.

    Raises
    ------
    UnknownLeafError
        If a tree has other leaves.

    See Also
    --------
    consensus_tree : the clades that most trees have.
    tripletree.robinson_foulds : how many clades two hierarchies have in common.

    Notes
    -----
    O(n) for each tree. Nodes with one child have the clade of this child. Where the hierarchy or a tree is unrooted,
    the branch above a node counts as found if a branch of the tree parts the leaves in the same way.

    Examples
    --------
    >>> from tripletree import parse_newick
    >>> trees = [parse_newick(x) for x in ("((a,b),(c,d));", "(((a,b),c),d);", "((a,b),(d,c));", "((a,c),(b,d));")]
    >>> clade_support(trees[0], trees).tolist()
    [0.75, 0.5, 1.0]
    """
    hierarchy = check_hierarchy(hierarchy)
    key = _keys_of_leaves(hierarchy.n_leaves)
    wanted = _clade_keys(hierarchy, key)
    found, k = np.zeros(wanted.size), 0
    every = np.bitwise_xor.reduce(key)
    for tree in _over_same_leaves(trees, hierarchy):
        own = _clade_keys(tree, key)
        if hierarchy.rooted and tree.rooted:
            found += np.isin(wanted, own)
        else:
            own = np.concatenate([own, key])  # a leaf is a side, too
            found += np.isin(np.minimum(wanted, wanted ^ every), np.minimum(own, own ^ every))
        k += 1
    return freeze(found / k)


def consensus_tree(trees: Iterable[Hierarchy], *, min_support: float = 0.5) -> ConsensusTree:
    """Make the tree of the clades that most of some trees have: the majority-rule or the strict consensus.

    Parameters
    ----------
    trees : iterable of Hierarchy
        Over the same leaves: trees of resampled data, ``DivisiveReCon.sampled_trees_``, or all of a file
        (``tripletree.io.read_hierarchies``). Heights and names are not used. If one is unrooted, all are taken as
        unrooted, and so is the result: its clades are the sides of branches that do not hold the first leaf.
    min_support : float
        Clades that more than this share of the trees have are kept: from 0.5, the majority rule [1]_, to 1, the strict
        consensus of the clades that all trees have. Clades of less support could contradict each other.

    Returns
    -------
    ConsensusTree
        ``.hierarchy``, ``.support``, ``.n_trees``. Only the order of leaves depends on the order of trees.

    See Also
    --------
    clade_support : the same shares for the clades of one tree.
    tripletree.supertree : trees on different leaves, and votes of triplets, which a leaf that moves far spoils less.
    tripletree.aggregate_answers : from answers of people.

    Notes
    -----
    O(n log n) for each tree.

    References
    ----------
    .. [1] Margush, McMorris (1981), Consensus n-trees, Bulletin of Mathematical Biology 43, 239-244.

    Examples
    --------
    >>> from tripletree import parse_newick, write_newick
    >>> trees = [parse_newick(x) for x in ("((a,b),(c,d));", "(((a,b),c),d);", "((a,b),(d,c));", "((a,c),(b,d));")]
    >>> found = consensus_tree(trees)
    >>> write_newick(found.hierarchy, support=found.support)
    '((a,b)0.75,c,d)1;'
    >>> write_newick(consensus_tree(trees, min_support=1).hierarchy)
    '(a,b,c,d);'
    """
    least = check_real(min_support, "min_support", least=0.5, most=1.0)
    given = list(_over_same_leaves(trees))
    rooted = all(tree.rooted for tree in given)
    same = [tree.suppress_unary() if rooted else split_tree(tree) for tree in given]
    leaves, n, k = same[0].leaves, same[0].n_leaves, len(same)
    key = _keys_of_leaves(n)
    keys = [_clade_keys(tree, key) for tree in same]
    found, at, count = np.unique(np.concatenate(keys), return_index=True, return_counts=True)
    kept = count == k if least == 1 else count > least * k
    found, at, count = found[kept], at[kept], count[kept]
    size = np.concatenate([np.subtract(*tree.leaf_intervals[1::-1])[n:] for tree in same])[at]
    by_size = np.lexsort((found, size))
    node = np.empty(found.size, np.int64)  # of each clade in the result, smaller ones first
    node[by_size] = np.arange(n, n + found.size)

    # Two clades that more than half of the trees have are both in some tree. So the smallest clade around another one
    # is the nearest above it in some tree, and no nearer one is in any.
    parent = np.full(n + found.size, n + found.size, np.int32)
    for tree, own in zip(same, keys, strict=True):
        place = np.minimum(np.searchsorted(found, own), found.size - 1)
        new = np.concatenate([np.arange(n), np.where(found[place] == own, node[place], -1)])  # of each node
        above = np.where(new >= 0, np.arange(new.size), tree.parent)  # the nearest kept node, itself or an ancestor
        while (new[above] < 0).any():
            above = above[above]
        inside = np.flatnonzero((new >= 0) & (tree.parent >= 0))
        np.minimum.at(parent, new[inside], new[above[tree.parent[inside]]].astype(np.int32))
    parent[-1] = -1
    support = count[by_size] / k
    if not rooted and n > 2:  # the root next to the first leaf goes, and all leaves meet in the node below it
        parent, support = parent[:-1], np.delete(support, -2)
        parent[0], parent[-1] = parent.size - 1, -1
    return ConsensusTree(Hierarchy(freeze(parent), leaves, rooted=rooted), freeze(support), k)


def _clade_keys(hierarchy: Hierarchy, key: np.ndarray) -> np.ndarray:
    """Return a number for each inner node, equal for equal sets of leaves, else almost surely different (uint64)."""
    start, stop, order = hierarchy.leaf_intervals
    until = np.concatenate([np.zeros(1, np.uint64), np.bitwise_xor.accumulate(key[order])])
    n = hierarchy.n_leaves
    return until[stop[n:]] ^ until[start[n:]]


def _keys_of_leaves(n: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 2**64, n, dtype=np.uint64)


def _over_same_leaves(trees: Any, first: Hierarchy | None = None) -> Iterator[Hierarchy]:
    """The trees over the leaf index of the first, or of the hierarchy given."""
    k = -1
    for k, tree in enumerate(check_hierarchies(trees, "tree")):
        first = first or tree
        extra = [x for x in tree.leaves if x not in first.leaves] if tree.leaves != first.leaves else []
        missing = [x for x in first.leaves if x not in tree.leaves] if tree.leaves != first.leaves else []
        if extra or missing:
            raise UnknownLeafError(
                [*extra[:10], *missing[:10], *extra[10:], *missing[10:]],
                first.leaves,
                what=f"leaves of tree {k}, which must be the same as of the others",
                notes={**dict.fromkeys(extra, "not in the others"), **dict.fromkeys(missing, "not in this one")},
                hint="tripletree.supertree combines trees on different leaves",
            )
        yield tree.reindex(first.leaves)
    if k < 0:
        msg = "there are no trees; give at least one"
        raise ValueError(msg)
