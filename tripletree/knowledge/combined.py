"""Here pairs join triplets: `combine_constraints` reduces both to must-linked groups, `check_consistent` tests them.

Samples that must-links tie together are merged before all others, so each such group becomes a clade: ab|x holds for
all a, b in it and all x outside, and with that every triplet that `reduce_pairs` gives. Triplets and pairs can both
hold if no triplet ac|b has a and b in one group and c outside it, and the others are consistent: triplets inside each
group, and triplets between groups, with each group instead of its samples. Cannot-links contradict no triplet. They
act on the order of the merges and on the cut. Without pairs every sample is a group of its own, and all triplets are
between groups. ``plan`` calls this for `ReCon`. `DivisiveReCon` does if its constraints are hard.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

import numpy as np

from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.conflict import conflict_inside
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pair_closure import PairClosure, shortest_violation
from tripletree.core.pairs import PairwiseConstraints, find_rows
from tripletree.core.provenance import phrase
from tripletree.core.triplets import TripletSet
from tripletree.errors import SHOWN, InconsistentTripletsError


@dataclass(frozen=True, eq=False)
class CombinedConstraints:
    """Triplets and pairs over the same samples, reduced to groups.

    Attributes
    ----------
    triplets : TripletSet
    pairs : PairwiseConstraints
        May be empty.
    closure : PairClosure
        The groups that must-links tie together, single samples included, and which of them are kept apart.
    inside : ndarray of int32, shape (k, 3)
        Triplets on the samples of one group.
    between : ndarray of int32, shape (m, 3)
        Triplets on three groups, each once.
    """

    triplets: TripletSet
    pairs: PairwiseConstraints
    closure: PairClosure
    inside: np.ndarray
    between: np.ndarray


def combine_constraints(triplets: TripletSet, pairs: PairwiseConstraints) -> CombinedConstraints:
    """Reduce triplets and pairs to groups. It is not tested here whether all of them can hold.

    Parameters
    ----------
    triplets : TripletSet
    pairs : PairwiseConstraints
        Over the same leaves.

    Returns
    -------
    CombinedConstraints
    """
    closure = pairs.closure()
    if closure.n_components == len(triplets.leaves):
        return CombinedConstraints(triplets, pairs, closure, np.empty((0, 3), np.int32), triplets.rows)
    a, b, c = closure.component[triplets.rows].T
    inside = np.ascontiguousarray(triplets.rows[(a == b) & (a == c)])
    between = TripletSet(closure.component[triplets.rows[_between(a, b, c)]], closure.n_components).rows
    return CombinedConstraints(triplets, pairs, closure, inside, between)


def _between(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Which triplets are on three groups, given the groups of their samples. With a, b in one group ab|c holds."""
    return (a != b) & (a != c) & (b != c)


def check_consistent(combined: CombinedConstraints, stated: PairwiseConstraints | None = None) -> Hierarchy:
    """Test whether all triplets and pairs can hold.

    Parameters
    ----------
    combined : CombinedConstraints
    stated : PairwiseConstraints, optional
        The pairs that were given as such, if others are of one class.

    Returns
    -------
    Hierarchy
        The hierarchy of the triplets alone, as `one_tree` gives it.

    Raises
    ------
    InconsistentTripletsError
        If no hierarchy displays the triplets and has each group as a clade. ``.conflict`` is irreducible over the
        triplets and the triplets of must-links. ``.pairs`` are the must-links behind the latter, or None.

    Notes
    -----
    Time and memory as `one_tree`. The conflict is searched for only if there is an error.
    """
    triplets, component = combined.triplets, combined.closure.component
    tree = one_tree(triplets)  # a contradiction among triplets alone is not blamed on pairs
    if combined.closure.n_components == component.size:
        return tree
    a, b, c = component[triplets.rows].T
    crossing = np.flatnonzero((a != b) & ((a == c) | (b == c)))
    if crossing.size:
        _raise_contradiction(combined, triplets.subset(crossing[:1]), stated)
    failed = build_aho_tree(combined.between, combined.closure.n_components).failed
    if failed.size:
        groups = TripletSet(combined.between, combined.closure.n_components)
        on_groups = conflict_inside(groups, failed).triplets.rows.tolist()
        candidates = np.flatnonzero(_between(a, b, c))
        sides = np.sort(component[triplets.rows[candidates, :2]], axis=1)
        rows = np.column_stack([sides, c[candidates]]).tolist()
        _raise_contradiction(combined, triplets.subset(np.sort(candidates[[rows.index(x) for x in on_groups]])), stated)
    return tree


def can_all_hold(triplets: TripletSet, pairs: PairwiseConstraints) -> bool:
    """Whether `check_consistent` would pass, found without looking for a conflict."""
    if not pairs.is_consistent:
        return False
    combined = combine_constraints(triplets, pairs)
    n_groups = combined.closure.n_components
    a, b, c = combined.closure.component[triplets.rows].T
    if n_groups < len(triplets.leaves) and ((a != b) & ((a == c) | (b == c))).any():
        return False
    between = build_aho_tree(combined.between, n_groups)
    inside = build_aho_tree(combined.inside, len(triplets.leaves))
    return not between.failed.size and not inside.failed.size


def _raise_contradiction(
    combined: CombinedConstraints, some: TripletSet, stated: PairwiseConstraints | None
) -> NoReturn:
    """Raise the error for some triplets, consistent by themselves, that contradict the must-linked groups."""
    triplets, pairs, component = combined.triplets, combined.pairs, combined.closure.component
    used = some.used_leaves.tolist()
    implied = TripletSet(
        [
            (a, b, x)
            for a, b in combinations(used, 2)
            if component[a] == component[b]
            for x in used
            if component[x] != component[a]
        ],
        triplets.leaves,
    )
    both = some | (implied - some)
    failed = build_aho_tree(both.rows, len(triplets.leaves)).failed
    error = InconsistentTripletsError(
        [triplets.leaves[i] for i in np.sort(failed).tolist()], conflict_inside(both, failed)
    )
    blamed = (error.conflict.triplets - triplets).rows[:, :2].tolist()
    rows, phrases = set(), []
    for a, b in sorted(set(map(tuple, blamed))):
        path = shortest_violation(pairs.must_link, np.array([[a, b]]), len(triplets.leaves))[1]
        steps = np.sort(np.stack([path[:-1], path[1:]], axis=1), axis=1)
        own = find_rows(steps, pairs.must_link).tolist()
        rows |= set(own)
        told = np.ones(len(own), np.bool_) if stated is None else find_rows(steps, stated.must_link) >= 0
        phrases += _path_phrases(pairs, path, own, told)
    error.pairs = pairs.subset(must_link=sorted(rows), cannot_link=[])
    more = f" and {len(phrases) - SHOWN} more" if len(phrases) > SHOWN else ""
    k, m = len(blamed), len(error.conflict)
    of_pairs = [x.startswith("the must-link") for x in phrases]
    tied = "must-linked samples" if any(of_pairs) else "samples of one class"
    tied += ", and those of one class," if any(of_pairs) and not all(of_pairs) else ""
    verb, it_follows = ("is", "it follows") if k == 1 else ("are", "they follow")
    error.args = (
        f"{error.args[0]}; {k} of these {m} {verb} not among the triplets given: {it_follows} from the rule that "
        f"{tied} are merged before all others, by {'; '.join(phrases[:SHOWN])}{more}",
    )
    raise error


def _path_phrases(pairs: PairwiseConstraints, path: list[int], rows: list[int], told: np.ndarray) -> list[str]:
    """Return the must-links along a path in words. Some may be told by a class alone."""
    if told.all():
        return [_path_phrase(pairs, path, rows)]
    names = [str(pairs.leaves[i]) for i in path]
    return [
        _path_phrase(pairs, path[k : k + 2], [row]) if given else f"the class of {names[k]} and {names[k + 1]}"
        for k, (row, given) in enumerate(zip(rows, told.tolist(), strict=True))
    ]


def _path_phrase(pairs: PairwiseConstraints, path: list[int], rows: list[int]) -> str:
    """The must-links along a path, and where they were read."""
    names = [str(pairs.leaves[i]) for i in path]
    if len(names) > SHOWN:
        names[SHOWN // 2 : -SHOWN // 2] = [f"({len(names) - SHOWN:,} more)"]
    read = [] if pairs.must_origins is None else [pairs.must_origins[r] for r in rows]
    origin = phrase([x for x in read if x is not None])
    return f"the must-link{'s' if len(rows) > 1 else ''} {' - '.join(names)}{f' ({origin})' if origin else ''}"
