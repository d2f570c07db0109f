"""Triplets and pairs together: one test whether both can hold, and one conflict where they cannot.

Samples that must-links tie together are merged before any others: each such group becomes a clade, that is, ab|x holds
for all a, b in it and x outside. (So all triplets hold that `reduce_pairs` gives.) Triplets and pairs can both hold if
the triplets inside each group are consistent, those between groups are, with a group in the place of each sample, and
no triplet ac|b has a and b in one group and c outside it. Cannot-links contradict no triplet: they act on the
order of the merges and on the cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.core.pair_closure import PairClosure, broken
from tripletree.core.pairs import PairwiseConstraints, places
from tripletree.core.provenance import phrase
from tripletree.core.triplets import TripletSet
from tripletree.errors import SHOWN, InconsistentTripletsError

__all__ = [
    "Joint",
    "joined",
    "check_beside_pairs",
]


@dataclass(frozen=True, eq=False)
class Joint:
    """What triplets and pairs say together.

    Attributes
    ----------
    closure : PairClosure
        The groups of samples that must-links tie together, single ones included, and which are kept apart.
    first : ndarray of int64
        The first sample of each group, ascending.
    between : ndarray of int32, shape (m, 3)
        Triplets on groups, each once.
    inside : ndarray of int32, shape (k, 3)
        Triplets on the samples of one group.
    """

    closure: PairClosure
    first: np.ndarray
    between: np.ndarray
    inside: np.ndarray


def check_beside_pairs(on_conflict: str, penalty: Any, micro_clusters: Any) -> None:
    """Refuse parameters that have no meaning where pairs are given.

    Raises
    ------
    ValueError
    """
    wrong = {
        "on_conflict='repair'": on_conflict == "repair",
        f"penalty={penalty!r}": penalty is not None,
    }
    for what, is_given in wrong.items():
        if is_given:
            msg = (
                f"{what} cannot go with pairs, which always hold: drop the parameter; PCKMeans takes pairs "
                "that may be violated (pairs.to_triplets() would lose much of them)"
            )
            raise ValueError(msg)
    if micro_clusters is not None and micro_clusters != "auto":
        msg = f"micro_clusters={micro_clusters!r} cannot go with pairs: take micro_clusters=None"
        raise ValueError(msg)


def joined(triplets: TripletSet, pairs: PairwiseConstraints) -> Joint:
    """Test whether triplets and pairs can all hold.

    Parameters
    ----------
    triplets : TripletSet
    pairs : PairwiseConstraints
        Over the same leaves.

    Returns
    -------
    Joint

    Raises
    ------
    InconsistentPairsError
        If must-links connect the ends of a cannot-link.
    InconsistentTripletsError
        If no hierarchy displays the triplets and has each group as a clade. ``.conflict`` is irreducible over the
        triplets and those that say the latter; ``.pairs`` are the must-links behind these, None if there are none.

    Notes
    -----
    Time and memory as `one_tree`; what is said in an error is found only then.
    """
    closure = pairs.closure()
    first = closure.order[np.cumsum(closure.sizes) - closure.sizes]
    a, b, c = closure.component[triplets.rows].T
    crossing = (a != b) & ((a == c) | (b == c))
    inside = (a == b) & (a == c)
    outside = (a != b) & ~crossing
    on_groups = closure.component[triplets.rows[outside]]
    groups = TripletSet(on_groups, closure.n_components)
    found = Joint(closure, first, groups.rows, np.ascontiguousarray(triplets.rows[inside]))
    if crossing.any():
        _tell(triplets, pairs, triplets.subset(np.flatnonzero(crossing)[:1]))
    if len(found.inside) and build_aho_tree(found.inside, len(triplets.leaves)).failed.size:
        one_tree(triplets)  # no pair is to blame
    if len(groups):
        failed = build_aho_tree(groups.rows, closure.n_components).failed
        if failed.size:
            rows = conflict_inside(groups, failed).triplets.rows.tolist()
            ordered = [(min(x, y), max(x, y), z) for x, y, z in on_groups.tolist()]
            which = np.flatnonzero(outside)[[ordered.index((x, y, z)) for x, y, z in rows]]
            _tell(triplets, pairs, triplets.subset(np.sort(which)))
    return found


def _tell(triplets: TripletSet, pairs: PairwiseConstraints, some: TripletSet) -> None:
    """Raise the error, where some triplets contradict the groups; if they contradict each other, without the pairs."""
    one_tree(triplets)
    component = pairs.closure().component
    used = some.used_leaves.tolist()
    said = TripletSet(
        [
            (a, b, x)
            for a, b in combinations(used, 2)
            if component[a] == component[b]
            for x in used
            if component[x] != component[a]
        ],
        triplets.leaves,
    )
    both = some | (said - some)
    failed = build_aho_tree(both.rows, len(triplets.leaves)).failed
    error = InconsistentTripletsError(
        [triplets.leaves[i] for i in np.sort(failed).tolist()], conflict_inside(both, failed)
    )
    blamed = (error.conflict.triplets - triplets).rows[:, :2].tolist()
    rows, phrases = set(), []
    for a, b in sorted(set(map(tuple, blamed))):
        path = broken(pairs.must_link, np.array([[a, b]]), len(triplets.leaves))[1]
        steps = np.sort(np.stack([path[:-1], path[1:]], axis=1), axis=1)
        own = places(steps, pairs.must_link).tolist()
        rows |= set(own)
        phrases.append(_said(pairs, path, own))
    error.pairs = pairs.subset(must_link=sorted(rows), cannot_link=[])
    more = f" and {len(phrases) - SHOWN} more" if len(phrases) > SHOWN else ""
    k, m = len(blamed), len(error.conflict)
    noun = "it" if k == 1 else "they"
    error.args = (
        f"{error.args[0]}; {k} of these {m} {'is' if k == 1 else 'are'} not among the triplets given: {noun} say"
        f"{'s' if k == 1 else ''} that must-linked samples are merged before all others, by "
        f"{'; '.join(phrases[:SHOWN])}{more}",
    )
    raise error


def _said(pairs: PairwiseConstraints, path: list[int], rows: list[int]) -> str:
    """The must-links along a path, and where they were read."""
    names = [str(pairs.leaves[i]) for i in path]
    if len(names) > SHOWN:
        names[SHOWN // 2 : -SHOWN // 2] = [f"({len(names) - SHOWN:,} more)"]
    read = [] if pairs.must_origins is None else [pairs.must_origins[r] for r in rows]
    known = phrase([x for x in read if x is not None])
    return f"the must-link{'s' if len(rows) > 1 else ''} {' - '.join(names)}{f' ({known})' if known else ''}"
