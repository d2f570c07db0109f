"""How much triplets say: the number of binary hierarchies that still display them all, and its share of all."""

from __future__ import annotations

import math

from tripletree._binary_counts import all_binary, count_displaying
from tripletree._checks import expect_count, expect_triplets
from tripletree.errors import InvalidHierarchyError
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["count_hierarchies", "informativeness"]

#: First splits beyond which `count_hierarchies` refuses unless told otherwise.
DEFAULT_WORK = 50_000
#: Half the bits that are kept of large integers before their quotient is taken.
_BITS = 128


def count_hierarchies(triplets: TripletSet, *, max_work: int | None = DEFAULT_WORK) -> int:
    """Count the binary hierarchies that display all of the triplets.

    Parameters
    ----------
    triplets : TripletSet
        m triplets over n leaves, at least one leaf. Weights play no part.
    max_work : int or None
        Refuse beyond this many first splits to visit; None for no limit.

    Returns
    -------
    int
        Exact, of any size: (2n - 3)!! without triplets, 0 for an inconsistent set.

    Raises
    ------
    LimitExceededError
        If more than `max_work` first splits were to be visited; told before the sum that goes beyond. ``.size`` is
        the work up to the end of that sum.
    InvalidHierarchyError
        If there are no leaves.

    See Also
    --------
    informativeness : the same as a share of all binary hierarchies, in bits.
    one_tree : one of the hierarchies that display the set, not always a binary one.

    Notes
    -----
    A binary hierarchy that displays the set splits its leaves in two sides, each a union of components of the graph
    with an edge ab for each triplet ab|c. The number is the sum over all such splits of the product of the sides'
    numbers [1]_: 2**(r - 1) - 1 terms for r components. Much of it needs no sum:

    - a leaf in no triplet can be put in 2k - 1 places of a binary hierarchy of k leaves; a triplet whose leaves occur
      in no other holds in a third of all hierarchies, whatever the other triplets say;
    - two components are a forced split;
    - a component that is a clade of every hierarchy that displays the set is counted by itself and stands for one
      leaf in the rest. The set of ``decompose(h)`` takes no sum at all;
    - leaves that can change places are counted once, with a binomial coefficient; a problem met again, under
      whatever names, is looked up in most cases.

    What is left is exponential in the number of components that the triplets tie loosely: sparse random sets are
    refused from some tens of leaves on. Each first split takes time in proportion to the triplets at hand.

    References
    ----------
    .. [1] Constantinescu, Sankoff (1995), An efficient algorithm for supertrees, Journal of Classification 12,
       101-112.

    Examples
    --------
    >>> count_hierarchies(TripletSet.from_labels([("a", "b", "c"), ("c", "d", "e")]))
    9
    >>> count_hierarchies(TripletSet([], 10)) == 1 * 3 * 5 * 7 * 9 * 11 * 13 * 15 * 17
    True
    >>> count_hierarchies(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")]))
    0
    """
    n = len(expect_triplets(triplets).leaves)
    if max_work is not None:
        max_work = expect_count(max_work, "max_work")
    if n == 0:
        msg = "there are no leaves: a hierarchy needs at least one"
        raise InvalidHierarchyError(msg)
    if len(triplets) == 0:
        return all_binary(n)
    parent, failed = split_down(triplets.rows, n)
    if failed.size:
        return 0
    if parent.size == 2 * n - 1:  # every split is in two, and so forced
        return 1
    return count_displaying(map(tuple, triplets.rows.tolist()), n, max_work)


def informativeness(triplets: TripletSet, *, max_work: int | None = DEFAULT_WORK) -> float:
    """Tell how many bits the triplets say about a binary hierarchy.

    Parameters
    ----------
    triplets : TripletSet
    max_work : int or None
        As in `count_hierarchies`.

    Returns
    -------
    float
        The negative base-2 logarithm of the share of all (2n - 3)!! binary hierarchies that display the set: 0
        without triplets, log2(3) for one triplet, log2((2n - 3)!!) where one hierarchy remains, infinity for an
        inconsistent set. Dividing by log2((2n - 3)!!) gives a share of all there is to say.

    Raises
    ------
    LimitExceededError, InvalidHierarchyError
        As `count_hierarchies`.

    See Also
    --------
    count_hierarchies : the number itself.

    Notes
    -----
    This is the information of Shannon in the event that a binary hierarchy, all of them equally likely, displays the
    set. It grows with every triplet that the others do not imply, and not with one that they do; two sets that share
    no leaf need not add up. The quotient of the two integers is taken before the logarithm: no digits cancel.

    Examples
    --------
    >>> round(informativeness(TripletSet.from_labels([("a", "b", "c")])), 3)
    1.585
    >>> round(2 ** -informativeness(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])) * 15, 9)
    1.0
    """
    remaining = count_hierarchies(triplets, max_work=max_work)
    if remaining == 0:
        return math.inf
    everything = all_binary(len(triplets.leaves))
    if remaining == everything:
        return 0.0
    # the leading bits of each are enough, and the integers may be far beyond any float
    cut, cut_all = (max(x.bit_length() - 2 * _BITS, 0) for x in (remaining, everything))
    quotient = ((everything >> cut_all) << 4 * _BITS) // (remaining >> cut)
    whole = quotient.bit_length() - 1
    return math.log2((quotient >> (whole - _BITS)) / 2**_BITS) + (whole + cut_all - cut - 4 * _BITS)
