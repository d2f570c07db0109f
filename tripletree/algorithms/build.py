"""TripletSet -> Hierarchy: OneTree, known as BUILD, and the question whether a set is consistent at all."""

from __future__ import annotations

import numpy as np

from tripletree import kernels
from tripletree.algorithms.aho import split_down
from tripletree.algorithms.conflict import conflict_inside
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InconsistentTripletsError, InvalidHierarchyError
from tripletree.kernels import freeze

__all__ = [
    "is_consistent",
    "one_tree",
]


def one_tree(triplets: TripletSet) -> Hierarchy:
    """Build a hierarchy that displays every triplet (OneTree, known as BUILD).

    The inner nodes are as unresolved as the triplets allow at each split; leaves that occur in no triplet hang from
    the root. It is one of the hierarchies that display the set, not their common core, and not always the one with
    the fewest inner nodes.

    Parameters
    ----------
    triplets : TripletSet
        m triplets over n leaves, at least one leaf.

    Returns
    -------
    Hierarchy
        Over ``triplets.leaves``; ``displays(h, triplets).all()`` holds.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays them all; ``.leaves`` is a group that cannot be split, ``.conflict`` an irreducible
        inconsistent subset.
    InvalidHierarchyError
        If there are no leaves.

    See Also
    --------
    is_consistent : the same test without the tree.
    find_conflict : what makes a set inconsistent.
    decompose : the inverse: ``one_tree(decompose(h)) == h``.

    Notes
    -----
    The leaves are split into the components of the graph with an edge ab for each triplet ab|c whose three leaves
    are at hand, and each component again [1]_. Where the components hardly shrink from level to level, they are kept
    up to date under deletions instead, after the scheme of Even and Shiloach [2]_: near-linear in n + m on every
    shape, caterpillars included. Memory O(n + m).

    References
    ----------
    .. [1] Aho, Sagiv, Szymanski, Ullman (1981), Inferring a tree from lowest common ancestors with an application to
       the optimization of relational expressions, SIAM Journal on Computing 10(3), 405-421.
    .. [2] Even, Shiloach (1981), An on-line edge-deletion problem, Journal of the ACM 28(1), 1-4.

    Examples
    --------
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla"), ("human", "gorilla", "gibbon")])
    >>> h = one_tree(t)
    >>> h
    <Hierarchy: 4 leaves, 3 inner nodes, binary, depth 3>
    >>> h == Hierarchy.from_nested([[["human", "chimp"], "gorilla"], "gibbon"])
    True
    """
    n = len(check_triplets(triplets).leaves)
    if n == 0:
        msg = "there are no leaves: a hierarchy needs at least one"
        raise InvalidHierarchyError(msg)
    parent, failed = split_down(triplets.rows, n)
    if failed.size:
        leaves = [triplets.leaves[i] for i in np.sort(failed).tolist()]
        raise InconsistentTripletsError(leaves, conflict_inside(triplets, failed))
    return Hierarchy(freeze(kernels.rooted_tree.canonical_parent(freeze(parent), n)), triplets.leaves)


def is_consistent(triplets: TripletSet) -> bool:
    """Tell whether some hierarchy displays all of the triplets.

    Parameters
    ----------
    triplets : TripletSet

    Returns
    -------
    bool

    See Also
    --------
    one_tree : the hierarchy itself. find_conflict : the reason why not.

    Notes
    -----
    Time and memory as `one_tree`.

    Examples
    --------
    >>> is_consistent(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")]))
    True
    >>> is_consistent(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")]))
    False
    """
    if len(check_triplets(triplets)) == 0:
        return True
    return split_down(triplets.rows, len(triplets.leaves))[1].size == 0
