"""BUILD (also OneTree): the hierarchy that displays a set of triplets, or the proof that no hierarchy does.

BUILD (Aho, Sagiv, Szymanski, Ullman 1981) for triplets ab|c over a set of leaves:

1. Draw the Aho graph: a vertex for each leaf, an edge ab for each triplet ab|c.
2. Its components are the children of the root. In every hierarchy that displays the triplets, a and b of an edge lie
   below the same child, so leaves of one component cannot be separated here. If there is just one component (and more
   than one leaf), no hierarchy exists: the set is inconsistent.
3. Go on with each component and the triplets whose three leaves all lie in it. The other triplets are settled: their
   edge ab is inside a component and c is outside.

`build_aho_tree` does these steps on integers (``aho.py``, with the compiled loops in ``_core/build.hpp`` and
``_core/build_deep.hpp``). This file gives it the labels, and turns a failure into an error with a conflict:
triplets inside the group that could not be split, each of them needed for the contradiction (``conflict.py``).
"""

from __future__ import annotations

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.errors import InconsistentTripletsError, InvalidHierarchyError


def one_tree(triplets: TripletSet) -> Hierarchy:
    """Build a hierarchy that displays every triplet (OneTree, known as BUILD).

    Each split has as many parts as the triplets allow, and leaves that occur in no triplet are children of the root.
    The result is one of the hierarchies that display the set. It is not their common part, nor always the
    one with the fewest inner nodes.

    Parameters
    ----------
    triplets : TripletSet
        m triplets over n leaves, at least one leaf.

    Returns
    -------
    Hierarchy
        Over ``triplets.leaves``. ``displays(h, triplets).all()`` holds.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays them all. ``.leaves`` is a group that cannot be split, ``.conflict`` an inconsistent
        subset that is consistent without any one of its triplets.

    See Also
    --------
    is_consistent : the same test without the tree.
    find_conflict : why a set is inconsistent.
    decompose : the inverse: ``one_tree(decompose(h)) == h``.

    Notes
    -----
    The algorithm is BUILD [1]_, described at the top of this module's source. Groups that hardly shrink from
    level to level are not split from scratch each time. Their components are kept up to date under deletions, after
    Even and Shiloach [2]_. So time is near-linear in n + m on every shape, caterpillars included. Memory O(n + m).

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
        msg = "there are no leaves; a hierarchy needs at least one"
        raise InvalidHierarchyError(msg)
    parent, failed = build_aho_tree(triplets.rows, n)
    if failed.size:
        leaves = [triplets.leaves[i] for i in np.sort(failed).tolist()]
        raise InconsistentTripletsError(leaves, conflict_inside(triplets, failed))
    # the order of inner nodes depends on how the loops went. In canonical order equal trees have equal arrays
    parent = engine.rooted_tree.canonical_parent(freeze(parent), n)
    return Hierarchy(freeze(parent), triplets.leaves)


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
    one_tree : the hierarchy itself. find_conflict : why a set is inconsistent.

    Notes
    -----
    Time and memory as for `one_tree`.

    Examples
    --------
    >>> is_consistent(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")]))
    True
    >>> is_consistent(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")]))
    False
    """
    if len(check_triplets(triplets)) == 0:
        return True
    return build_aho_tree(triplets.rows, len(triplets.leaves)).failed.size == 0
