"""Step 1 of `report`: the knowledge is brought to the samples, by names that may be written otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.conflict import Conflict, find_conflicts
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.names import NameMatches, match_names
from tripletree.algorithms.pair_conflict import Contradiction, find_contradictions
from tripletree.core.answers import AnswerSet, check_answers
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.labels import KnownClasses, aligned_codes, class_codes, classes_or_none
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import on_labels
from tripletree.core.ontology import Ontology
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidLabelsError, NotATreeError, UnknownLeafError
from tripletree.knowledge.value import Knowledge, check_knowledge

#: Conflicts that are looked for.
CONFLICTS = 5


class Matched(NamedTuple):
    """Knowledge over the samples, and the account of what was given and what was lost on the way.

    Attributes
    ----------
    known : Knowledge
        Of one kind.
    kind : str
        As the argument of `report` is called.
    n_given, n_used, known_samples, names, conflicts
        As in `Report`.
    answers : AnswerSet or None
        Answers of people that `known` has as triplets.
    """

    known: Knowledge
    kind: str
    n_given: int
    n_used: int
    known_samples: int
    names: NameMatches | None = None
    conflicts: tuple[Conflict | Contradiction, ...] = ()
    answers: AnswerSet | None = None


def given_by_kind(knowledge: Knowledge | None, **given: Any) -> dict[str, Any]:
    """What is known, by the kinds of `report`. Answers beside triplets count as the triplets that they say."""
    inside = () if knowledge is None else check_knowledge(knowledge).kinds
    twice = [kind for kind in inside if given[kind] is not None]
    if twice:
        msg = f"{twice[0]} are given twice, by {twice[0]}= and in knowledge=: knowledge | Knowledge.of({twice[0]}=...)"
        raise ValueError(f"{msg} joins them")
    found = {x: y if x not in inside else getattr(knowledge, x) for x, y in given.items()}
    if found["answers"] is not None and found["triplets"] is not None:
        found["triplets"] = _as_triplets(found["triplets"]) | check_answers(found["answers"]).triplets()
        found["answers"] = None
    found = {kind: value for kind, value in found.items() if value is not None}
    if not found:
        msg = f"nothing is known: give at least one of {', '.join(given)}, knowledge"
        raise ValueError(msg)
    return found


def matched(kind: str, given: Any, names: LeafIndex, synonyms: Any, *, parent: str, missing: Any) -> Matched:
    """One kind of knowledge on the samples. `parent` is for ontologies, `missing` for classes."""
    if kind == "hierarchy":
        return _matched_hierarchy(given, names, synonyms, parent)
    if kind == "classes":
        return _matched_classes(given, names, synonyms, missing)
    return _MATCHED[kind](given, names, synonyms)


def _over(names: LeafIndex, **parts: Any) -> Knowledge:
    return replace(Knowledge.of(names), **parts)


def _matched_hierarchy(hierarchy: Any, names: LeafIndex, synonyms: Any, parent: str) -> Matched:
    """The hierarchy on the samples, each at its taxon. An ontology gives a tree, or the certain triplets."""
    taxa = hierarchy if isinstance(hierarchy, Ontology) else check_hierarchy(hierarchy)
    found = None
    if isinstance(taxa, Ontology) or not all(x in taxa.leaves for x in names):
        found = match_names(names, taxa, synonyms=synonyms)
    both = list(names)
    if found is not None:
        both = [x for x, match in zip(found.names, found.matches, strict=True) if match is not None]
    if len(both) < 3:
        offered = [str(x) for some in (found.suggestions if found else ()) for x in some][:3]
        near = f"; the most similar names are {', '.join(offered)}" if offered else ""
        msg = (
            f"the hierarchy has {len(both)} of the {len(names)} samples, but says nothing of fewer than 3: its "
            f"leaves are {_first(taxa.leaves)}, the samples {_first(names)}{near}{on_labels(taxa)}"
        )
        raise ValueError(msg)
    otherwise = None if found is None or set(found.kinds) == {"exact"} else found
    counts = len(taxa.leaves), len(both), len(both), otherwise
    if found is None:
        return Matched(
            _over(names, hierarchy=check_hierarchy(taxa).restrict(both, keep_unary=True)), "hierarchy", *counts
        )
    if isinstance(taxa, Ontology) and parent == "certain":
        triplets = decompose(found.on_positions())
        if not len(triplets):
            msg = "no triplet of the samples holds for every choice of parents; choose one: parent='deepest'"
            raise ValueError(msg)
        number = np.array([k for (k,) in triplets.leaves], np.int64)
        return Matched(_over(names, triplets=TripletSet(number[triplets.rows], names)), "hierarchy", *counts)
    try:
        mine = found.to_hierarchy(parent=parent)
    except NotATreeError as error:
        ways = "parent='deepest', 'first' or 'smallest', or parent='certain' for the triplets that hold for all of them"
        msg = f"{str(error).partition('; choose with')[0]}; choose with {ways}"
        raise NotATreeError(msg, node=error.node, parents=error.parents) from None
    return Matched(_over(names, hierarchy=mine.restrict(both, keep_unary=True)), "hierarchy", *counts)


def _first(labels: Iterable[Any]) -> str:
    shown = [repr(x) for _, x in zip(range(4), labels, strict=False)]
    return ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")


def _matched_labels(
    labels: Iterable[Any], names: LeafIndex, synonyms: Any
) -> tuple[dict[Any, Any], NameMatches | None]:
    """Which sample each label in the knowledge means. Only the same name otherwise written, or misspelt, is it."""
    labels = list(labels)
    unknown = [x for x in labels if x not in names]
    same = {x: x for x in labels if x in names}
    if not unknown:
        return same, None
    n = len(names)
    if n == 1:
        return same, None
    flat = Hierarchy([n] * n + [-1], list(names))
    found = match_names([*same, *unknown], flat, synonyms=synonyms).without(same)
    vague = {
        x: None
        for x, match, kind in zip(found.names, found.matches, found.kinds, strict=True)
        if match is not None and (kind in ("genus", "species") or match not in names)
    }
    found = found.choose(vague)
    meant = {x: match for x, match in zip(found.names, found.matches, strict=True) if match is not None}
    return same | meant, found


def _numbers(leaves: LeafIndex, used: np.ndarray, meant: dict[Any, Any], names: LeafIndex) -> np.ndarray:
    """Return the sample of each leaf, -1 for leaves that are not samples."""
    number = np.full(len(leaves) + 1, -1, np.int64)  # the last: an item of answers that is not there
    for i in used.tolist():
        match = meant.get(leaves[i])
        if match is not None:
            number[i] = names.index(match)
    return number


def _as_triplets(triplets: Any) -> TripletSet:
    return triplets if isinstance(triplets, TripletSet) else TripletSet.from_labels(triplets)


def _matched_triplets(triplets: Any, names: LeafIndex, synonyms: Any) -> Matched:
    given = _as_triplets(triplets)
    used = given.used_leaves
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    number = _numbers(given.leaves, used, meant, names)
    a, b, c = number[given.rows].T
    kept = (number[given.rows] >= 0).all(axis=1) & (a != b) & (a != c) & (b != c)
    mine = given.subset(kept).over(number, names)
    _check_some(int(kept.sum()), len(given), "triplets", [given.leaves[i] for i in used.tolist()], names)
    conflicts = () if is_consistent(mine) else tuple(find_conflicts(mine, CONFLICTS))
    return Matched(
        _over(names, triplets=mine), "triplets", len(given), int(kept.sum()), mine.used_leaves.size, found, conflicts
    )


def _check_some(n_used: int, n_given: int, what: str, labels: list[Any], names: LeafIndex) -> None:
    if n_given == 0:
        msg = f"no {what} are given: a report needs knowledge about the samples"
        raise ValueError(msg)
    if n_used == 0:
        hint = f"none of the {n_given:,} {what} names samples only; the samples are called {_first(names)}"
        raise UnknownLeafError([x for x in labels if x not in names] or labels, names, what="samples", hint=hint)


def _matched_pairs(pairs: Any, names: LeafIndex, synonyms: Any) -> Matched:
    from tripletree.knowledge.alignment import is_frame_of_pairs

    given = pairs
    if is_frame_of_pairs(pairs):
        from tripletree.io import read_pairs

        given = read_pairs(pairs)
    elif not isinstance(pairs, PairwiseConstraints):
        given = PairwiseConstraints.from_labels(*pairs)
    used = given.used_leaves
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    number = _numbers(given.leaves, used, meant, names)
    must, cannot = (number[x[:, 0]] != number[x[:, 1]] for x in (given.must_link, given.cannot_link))
    mine = given.subset(must_link=must, cannot_link=cannot).over(number, names)
    _check_some(len(mine), len(given), "pairs", [given.leaves[i] for i in used.tolist()], names)
    n_used, known = len(mine), mine.used_leaves.size
    conflicts = tuple(find_contradictions(mine))
    if conflicts:
        broken = {frozenset(x.cannot_link) for x in conflicts}
        apart = [frozenset((names[a], names[b])) not in broken for a, b in mine.cannot_link.tolist()]
        mine = mine.subset(cannot_link=np.array(apart, bool))
    return Matched(_over(names, pairs=mine), "pairs", len(given), n_used, known, found, conflicts)


def _matched_comparisons(comparisons: Any, names: LeafIndex, synonyms: Any) -> Matched:
    from tripletree.knowledge.alignment import as_comparisons

    given = as_comparisons(comparisons)
    used = given.used_leaves
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    mine = given.over(_numbers(given.leaves, used, meant, names), names)
    m = len(mine.rows)
    _check_some(m, len(given.rows), "comparisons", [given.leaves[i] for i in used.tolist()], names)
    return Matched(_over(names, comparisons=mine), "comparisons", len(given.rows), m, mine.used_leaves.size, found)


def _matched_answers(answers: Any, names: LeafIndex, synonyms: Any) -> Matched:
    given = check_answers(answers)
    used = np.unique(given.rows[given.rows >= 0])
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    number = _numbers(given.leaves, used, meant, names)
    rows = number[given.rows]
    a, b, c = rows.T
    kept = (a >= 0) & (b >= 0) & ((c >= 0) == (given.rows[:, 2] >= 0)) & (a != b) & (a != c) & (b != c)
    people = [*given.people, None]
    mine = AnswerSet.from_columns(
        rows[kept],
        given.replies[kept],
        names,
        who=[people[k] for k in given.person[kept].tolist()],
        when=[given.when[k] for k in np.flatnonzero(kept).tolist()],
        seconds=given.seconds[kept],
        origins=None if given.origins is None else given.origins.take(kept),
    )
    _check_some(len(mine), len(given), "answers", [given.leaves[i] for i in used.tolist()], names)
    triplets = mine.triplets()
    if len(triplets) == 0:
        msg = f"{counted(len(given), 'answer')}, and none names an odd one, so they give no triplet"
        raise ValueError(msg)
    conflicts = () if is_consistent(triplets) else tuple(find_conflicts(triplets, CONFLICTS))
    n_used = int((mine.replies < 3).sum())
    return Matched(
        _over(names, triplets=triplets),
        "answers",
        len(given),
        n_used,
        triplets.used_leaves.size,
        found,
        conflicts,
        mine,
    )


def _matched_classes(classes: Any, names: LeafIndex, synonyms: Any, missing: Any) -> Matched:
    from tripletree.cluster.base import warn_of_silent_classes
    from tripletree.knowledge.alignment import by_label_or_row

    classes = by_label_or_row(classes, None if names == LeafIndex(len(names)) else list(names))
    found, n_given = None, None
    if isinstance(classes, Mapping):
        given = classes_or_none(*class_codes(list(classes.values()), "classes", missing))
        known = {x: y for x, y in zip(classes, given, strict=True) if y is not None}
        n_given = len(known)
        meant, found = _matched_labels(known, names, synonyms)
        mine = {meant[x]: y for x, y in known.items() if x in meant}
        classes = KnownClasses(mine.get(x) for x in names)
    codes, called = aligned_codes(classes, names, "classes", partial(class_codes, missing=missing))
    n_used = int((codes >= 0).sum())
    if len(called) < 2:
        msg = f"the classes of {counted(n_used, 'sample')} are known, {len(called)} different: at least two are needed"
        raise InvalidLabelsError(msg)
    if n_used == len(called):
        warn_of_silent_classes(codes, "two samples of one class and one of another")
    on_samples = _over(names, codes=codes, class_names=tuple(called))
    return Matched(on_samples, "classes", n_used if n_given is None else n_given, n_used, n_used, found)


_MATCHED = {
    "triplets": _matched_triplets,
    "pairs": _matched_pairs,
    "comparisons": _matched_comparisons,
    "answers": _matched_answers,
}
