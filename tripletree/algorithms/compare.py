"""Distances between two hierarchies, by triplets or by clades."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Literal

from tripletree._core import engine
from tripletree.algorithms.induce import count_triplets
from tripletree.core.checks import check_choice
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, split_tree
from tripletree.errors import InvalidHierarchyError, LimitExceededError, UnknownLeafError, warn_user

#: With more leaves, the number of triples exceeds 64 bits.
_MOST_LEAVES = 3_810_779


@dataclass(frozen=True)
class TripletComparison:
    """How two hierarchies resolve the triples of their leaves: five counts, made by `compare_triplets`.

    Attributes
    ----------
    n_leaves : int
        The leaves that were compared.
    alike : int
        Triples on which both display the same triplet.
    different : int
        Triples on which both display a triplet, not the same one.
    first_only, second_only : int
        Triples that only the first, or only the second hierarchy resolves.
    unresolved : int
        Triples that neither resolves.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("a", "b"), "c", "d"])
    >>> compare_triplets(h, Hierarchy.from_nested([("a", "b", "c"), "d"])).distance
    3
    """

    n_leaves: int
    alike: int
    different: int
    first_only: int
    second_only: int
    unresolved: int

    @property
    def total(self) -> int:
        """All triples of leaves: n (n - 1) (n - 2) / 6."""
        return comb(self.n_leaves, 3)

    @property
    def distance(self) -> int:
        """Triples on which the two differ: resolved differently, or by one of them only."""
        return self.different + self.first_only + self.second_only

    @property
    def fraction(self) -> float:
        """The share of the triples on which the two differ. 0.0 for fewer than three leaves."""
        return self.distance / self.total if self.total else 0.0


def compare_triplets(
    first: Hierarchy, second: Hierarchy, *, leaves: Literal["same", "common"] = "same"
) -> TripletComparison:
    """Count how two hierarchies resolve each triple of leaves: alike, differently, only one of them, or neither.

    Parameters
    ----------
    first, second : Hierarchy
        Nodes may have any number of children. Nodes with one child do not matter. Leaves are matched by label, in any
        order.
    leaves : {"same", "common"}
        How to proceed if the leaves differ: raise an error, or compare on those that both have.

    Returns
    -------
    TripletComparison
        The five exact counts, and ``.distance`` and ``.fraction`` from them.

    Raises
    ------
    UnknownLeafError
        If `leaves` is "same" and they differ. ``.labels`` holds all leaves that only one has.
    LimitExceededError
        If there are over 3,810,779 leaves: the counts exceed 64 bits.

    See Also
    --------
    triplet_distance : one number.
    robinson_foulds : by clades.
    induce : single triples.

    Notes
    -----
    The first hierarchy is walked along its heavy paths [1]_. For each of them the second one is contracted to the
    leaves below, as in CPDT [2]_. A leaf is counted at most log2(n) times, each time along the heavy paths above it in
    the contracted hierarchy, with a Fenwick tree over each path. Memory is O(n). Time is O(n log n) for two
    caterpillars, about O(n log**2 n) for bushy hierarchies, O(n log**3 n) in the worst case. It is faster if one of the
    two is binary: then only the triples resolved alike need to be counted.

    References
    ----------
    .. [1] Sand, Holt, Johansen, Fagerberg, Brodal, Pedersen, Mailund (2013), Algorithms for computing the triplet and
       quartet distances for binary and general trees, Biology 2(4), 1189-1209.
    .. [2] Jansson, Rajaby (2017), A more practical algorithm for the rooted triplet distance, Journal of
       Computational Biology 24(2), 106-126.

    Examples
    --------
    >>> h1 = Hierarchy.from_nested([[("human", "chimp"), "gorilla"], "gibbon"])
    >>> h2 = Hierarchy.from_nested([("human", "chimp", "gorilla"), "gibbon"])
    >>> compare_triplets(h1, h2)
    TripletComparison(n_leaves=4, alike=3, different=0, first_only=1, second_only=0, unresolved=0)
    >>> compare_triplets(h1, h2).fraction
    0.25
    """
    one, two = _matched(first, second, leaves)
    n = one.n_leaves
    if n > _MOST_LEAVES:
        msg = (
            f"the hierarchies have {n:,} leaves, more than the limit of {_MOST_LEAVES:,}: the number of triples would "
            "exceed 64 bits; restrict them to fewer leaves, or compare a sample with sample_triplets and displays"
        )
        raise LimitExceededError(msg, size=n, limit=_MOST_LEAVES)
    in_one, in_two = count_triplets(one), count_triplets(two)
    if n < 3:
        return TripletComparison(n, 0, 0, 0, 0, 0)
    every = comb(n, 3)
    both = in_one < every and in_two < every
    alike, resolved = engine.compare.agreement(one.parent, two.parent, n, both)
    resolved = resolved if both else min(in_one, in_two)
    return TripletComparison(
        n_leaves=n,
        alike=alike,
        different=resolved - alike,
        first_only=in_one - resolved,
        second_only=in_two - resolved,
        unresolved=every - in_one - in_two + resolved,
    )


def triplet_distance(
    first: Hierarchy, second: Hierarchy, *, normalized: bool = False, leaves: Literal["same", "common"] = "same"
) -> float:
    """Count the triples of leaves that two hierarchies resolve differently.

    Parameters
    ----------
    first, second : Hierarchy
        As in `compare_triplets`.
    normalized : bool
        Divide by the number of all triples.
    leaves : {"same", "common"}
        How to proceed if the leaves differ: raise an error, or compare on those that both have.

    Returns
    -------
    float
        0.0 exactly if the two are equal up to nodes with one child. Counts from 2**53 on (over 378,000 leaves)
        are rounded: ``compare_triplets(...).distance`` is exact.

    See Also
    --------
    compare_triplets : how they differ, exactly.

    Examples
    --------
    >>> h1 = Hierarchy.from_nested([[("human", "chimp"), "gorilla"], "gibbon"])
    >>> h2 = Hierarchy.from_nested([("human", "chimp"), ("gorilla", "gibbon")])
    >>> triplet_distance(h1, h2), triplet_distance(h1, h2, normalized=True)
    (2.0, 0.5)
    """
    found = compare_triplets(first, second, leaves=leaves)
    return found.fraction if normalized else float(found.distance)


def robinson_foulds(
    first: Hierarchy, second: Hierarchy, *, normalized: bool = False, leaves: Literal["same", "common"] = "same"
) -> float:
    """Count the clades that only one of two hierarchies has (the Robinson-Foulds distance).

    Unrooted trees are compared by their splits: the two sides into which a branch parts the leaves.

    Parameters
    ----------
    first, second : Hierarchy
        As in `compare_triplets`, of any size. If only one of them is rooted, its root is left aside, with a warning.
    normalized : bool
        Divide by the number of clades of both that could differ: clades of two leaves or more but not all leaves.
        In unrooted trees splits with two leaves or more on both sides.
    leaves : {"same", "common"}
        How to proceed if the leaves differ: raise an error, or compare on those that both have.

    Returns
    -------
    float
        A whole number. Normalized, between 0 and 1, and 0.0 if neither has a clade that could differ. A clade
        counts once, however many nodes with one child are above it.

    See Also
    --------
    triplet_distance : by triples, less sensitive to one leaf that moves far.

    Notes
    -----
    O(n): in the depth-first order of the one hierarchy its clades are intervals [2]_.

    References
    ----------
    .. [1] Robinson, Foulds (1981), Comparison of phylogenetic trees, Mathematical Biosciences 53, 131-147.
    .. [2] Day (1985), Optimal algorithms for comparing trees with labeled leaves, Journal of Classification 2, 7-28.

    Examples
    --------
    >>> h1 = Hierarchy.from_nested([[("human", "chimp"), "gorilla"], "gibbon"])
    >>> h2 = Hierarchy.from_nested([("human", "chimp"), ("gorilla", "gibbon")])
    >>> robinson_foulds(h1, h2), robinson_foulds(h1, h2, normalized=True)
    (2.0, 0.5)

    Two writings of one unrooted tree:

    >>> from tripletree import parse_newick
    >>> robinson_foulds(parse_newick("[&U] (a,b,(c,d));"), parse_newick("[&U] (c,(a,b),d);"))
    0.0
    """
    one, two = _matched(first, second, leaves)
    n = one.n_leaves
    trivial = n + 1 if n > 1 else 1
    if not (one.rooted and two.rooted):
        if one.rooted or two.rooted:
            warn_user("only one of the trees is rooted, so both are compared as unrooted ones", UserWarning)
        one, two = split_tree(one), split_tree(two)
        trivial += n > 2
    shared = engine.compare.shared_clades(one.parent, two.parent, n)
    apart = one.n_nodes + two.n_nodes - 2 * shared
    if not normalized:
        return float(apart)
    most = one.n_nodes + two.n_nodes - 2 * trivial
    return apart / most if most else 0.0


def _matched(first: Any, second: Any, leaves: str) -> tuple[Hierarchy, Hierarchy]:
    """Return the two hierarchies over one leaf index, without nodes that have one child."""
    one, two = check_hierarchy(first), check_hierarchy(second)
    check_choice(leaves, "leaves", ("same", "common"))
    if one.leaves != two.leaves:
        of_one = [x for x in one.leaves if x not in two.leaves]
        of_two = [x for x in two.leaves if x not in one.leaves]
        if leaves == "same" and (of_one or of_two):
            raise _different_leaves(one, of_one, of_two)
        if len(of_one) == one.n_leaves:
            msg = "the two hierarchies have no leaf in common, so there is nothing to compare"
            raise InvalidHierarchyError(msg)
        if of_one:
            dropped = set(of_one)
            one = one.restrict([x for x in one.leaves if x not in dropped])
        two = two.restrict(one.leaves) if of_two else two.reindex(one.leaves)
    return one.suppress_unary(), two.suppress_unary()


def _different_leaves(one: Hierarchy, of_one: list[Any], of_two: list[Any]) -> UnknownLeafError:
    """Return the error that lists the leaves of one hierarchy that the other lacks, first ten of either kind."""
    labels = [*of_one[:10], *of_two[:10], *of_one[10:], *of_two[10:]]
    notes = {**dict.fromkeys(of_one, "only in the first"), **dict.fromkeys(of_two, "only in the second")}
    alone = set(of_one)
    return UnknownLeafError(
        labels,
        [x for x in one.leaves if x not in alone],
        what="leaves of the two hierarchies, which must be the same",
        notes=notes,
        hint="leaves='common' compares them on those that both have",
    )
