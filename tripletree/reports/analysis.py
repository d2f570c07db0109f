"""`report`: names, consistency, the gain by the knowledge, clusters and doubts, of one table.

In the order of this file: the knowledge is brought to the samples, the result is measured, `report` does both. The
values are in ``reports/values.py``, the `Report` with its words and its page in ``reports/page.py``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.clades import match_clades
from tripletree.algorithms.conflict import Conflict, find_conflicts
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets, displayed, displays
from tripletree.algorithms.names import NameMatches, match_names
from tripletree.algorithms.pair_conflict import Contradiction, find_contradictions
from tripletree.core.answers import AnswerSet, check_answers
from tripletree.core.arrays import freeze
from tripletree.core.checks import check_count, counted, described
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.labels import KnownClasses, aligned_codes, class_codes, classes_or_none
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import doubts, on_labels
from tripletree.core.ontology import Ontology
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidLabelsError, NotATreeError, UnknownLeafError
from tripletree.evaluation.knowledge import KnowledgeReport, check_fit, evaluate_knowledge
from tripletree.knowledge.value import Knowledge, check_knowledge
from tripletree.reports.page import Report
from tripletree.reports.values import CladeSupport, ClusterProfile, Doubt, FeatureContrast, PersonShare, TaxonFit

if TYPE_CHECKING:
    from tripletree.cluster.gower import MixedColumns

#: The part of the samples that each further fit has, to see which clades and clusters stay.
PART = 0.8
#: The share of the steps in which `DivisiveReCon` samples trees, for the fits to parts. All steps would change the
#: stability by less than other parts do.
EFFORT = 0.2
#: Clades whose stability is measured: the largest.
CLADES = 200
#: Values on each side of a cluster with which a feature is compared at least, or half of the samples.
FEWEST = 3
#: Features kept for each cluster, and conflicts that are looked for.
FEATURES, CONFLICTS = 12, 5
#: A sample is doubtful if at least 5 held-out triplets name it, and at least half of them fail.
TESTED, FAILING = 5, 0.5


# ---------------------------------------------------------------------- constraints on the samples


class _Brought(NamedTuple):
    """Knowledge on the samples: `argument` of fit and its value, and the losses on the way."""

    kind: str
    argument: str
    value: Any
    n_given: int
    n_used: int
    known_samples: int
    names: NameMatches | None = None
    conflicts: tuple[Conflict | Contradiction, ...] = ()
    answers: AnswerSet | None = None

    def part(self, samples: Sequence[Any], rows: np.ndarray) -> dict[str, Any]:
        """The arguments of fit for some of the samples."""
        if self.argument == "classes":
            return {"classes": [self.value[i] for i in rows.tolist()]}
        if self.argument == "hierarchy":
            both = [x for x in samples if x in self.value.leaves]
            return {"hierarchy": self.value.restrict(both, keep_unary=True)} if len(both) > 2 else {}
        return {self.argument: self.value.restrict(samples)}


def _matched_hierarchy(hierarchy: Any, names: LeafIndex, synonyms: Any, parent: str = "error") -> _Brought:
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
        return _Brought("hierarchy", "hierarchy", check_hierarchy(taxa).restrict(both, keep_unary=True), *counts)
    if isinstance(taxa, Ontology) and parent == "certain":
        triplets = decompose(found.on_positions())
        if not len(triplets):
            msg = "no triplet of the samples holds for every choice of parents; choose one: parent='deepest'"
            raise ValueError(msg)
        number = np.array([k for (k,) in triplets.leaves], np.int64)
        return _Brought("hierarchy", "triplets", TripletSet(number[triplets.rows], names), *counts)
    try:
        mine = found.to_hierarchy(parent=parent)
    except NotATreeError as error:
        ways = "parent='deepest', 'first' or 'smallest', or parent='certain' for the triplets that hold for all of them"
        msg = f"{str(error).partition('; choose with')[0]}; choose with {ways}"
        raise NotATreeError(msg, node=error.node, parents=error.parents) from None
    return _Brought("hierarchy", "hierarchy", mine.restrict(both, keep_unary=True), *counts)


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


def _matched_triplets(triplets: Any, names: LeafIndex, synonyms: Any) -> _Brought:
    given = triplets if isinstance(triplets, TripletSet) else TripletSet.from_labels(triplets)
    used = given.used_leaves
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    number = _numbers(given.leaves, used, meant, names)
    a, b, c = number[given.rows].T
    kept = (number[given.rows] >= 0).all(axis=1) & (a != b) & (a != c) & (b != c)
    mine = given.subset(kept).over(number, names)
    _check_some(int(kept.sum()), len(given), "triplets", [given.leaves[i] for i in used.tolist()], names)
    conflicts = () if is_consistent(mine) else tuple(find_conflicts(mine, CONFLICTS))
    return _Brought("triplets", "triplets", mine, len(given), int(kept.sum()), mine.used_leaves.size, found, conflicts)


def _check_some(n_used: int, n_given: int, what: str, labels: list[Any], names: LeafIndex) -> None:
    if n_given == 0:
        msg = f"no {what} are given: a report needs knowledge about the samples"
        raise ValueError(msg)
    if n_used == 0:
        hint = f"none of the {n_given:,} {what} names samples only; the samples are called {_first(names)}"
        raise UnknownLeafError([x for x in labels if x not in names] or labels, names, what="samples", hint=hint)


def _matched_pairs(pairs: Any, names: LeafIndex, synonyms: Any) -> _Brought:
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
    return _Brought("pairs", "pairs", mine, len(given), n_used, known, found, conflicts)


def _matched_comparisons(comparisons: Any, names: LeafIndex, synonyms: Any) -> _Brought:
    from tripletree.knowledge.alignment import as_comparisons

    given = as_comparisons(comparisons)
    used = given.used_leaves
    meant, found = _matched_labels((given.leaves[i] for i in used.tolist()), names, synonyms)
    mine = given.over(_numbers(given.leaves, used, meant, names), names)
    m = len(mine.rows)
    _check_some(m, len(given.rows), "comparisons", [given.leaves[i] for i in used.tolist()], names)
    return _Brought("comparisons", "comparisons", mine, len(given.rows), m, mine.used_leaves.size, found)


def _matched_answers(answers: Any, names: LeafIndex, synonyms: Any) -> _Brought:
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
    return _Brought(
        "answers", "triplets", triplets, len(given), n_used, triplets.used_leaves.size, found, conflicts, mine
    )


def _matched_classes(classes: Any, names: LeafIndex, synonyms: Any, missing: Any = None) -> _Brought:
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
    value = classes_or_none(codes, called)
    return _Brought("classes", "classes", value, n_used if n_given is None else n_given, n_used, n_used, found)


_MATCHED = {
    "triplets": _matched_triplets,
    "pairs": _matched_pairs,
    "comparisons": _matched_comparisons,
    "hierarchy": _matched_hierarchy,
    "answers": _matched_answers,
}


# ---------------------------------------------------------------------- properties of the result


def _contrasts(points: np.ndarray, features: Sequence[str], inside: np.ndarray) -> tuple[FeatureContrast, ...]:
    """Return the features that differ most surely, without features with too few values on one side."""
    known = ~np.isnan(points)
    enough = [known[side].sum(axis=0) >= min(FEWEST, -(-max(int(side.sum()), 1) // 2)) for side in (inside, ~inside)]
    some = np.flatnonzero(enough[0] & enough[1])
    if some.size == 0:
        return ()
    one, other = points[inside][:, some], points[~inside][:, some]
    numbers = [known[side][:, some].sum(axis=0) for side in (inside, ~inside)]
    means, others = np.nanmean(one, axis=0), np.nanmean(other, axis=0)
    squares = np.nansum((one - means) ** 2, axis=0) + np.nansum((other - others) ** 2, axis=0)
    deviation = np.sqrt((squares + np.nanvar(points[:, some], axis=0, ddof=1)) / (sum(numbers) - 1))
    varies = np.nanmin(points[:, some], axis=0) < np.nanmax(points[:, some], axis=0)
    effect = np.divide(means - others, deviation, out=np.zeros(some.size), where=varies)
    found = [
        FeatureContrast(features[j], *values)
        for j, *values in zip(some.tolist(), *(x.tolist() for x in (means, others, effect, *numbers)), strict=True)
    ]
    return tuple(sorted(found, key=lambda x: (-max(x.at_least, 0.0), -abs(x.effect)))[:FEATURES])


def _typical(points: np.ndarray, rows: np.ndarray, is_matrix: bool) -> int:
    """The row of a cluster that is nearest to its mean."""
    if is_matrix:
        far = points[np.ix_(rows, rows)].mean(axis=1)
    else:
        known = ~np.isnan(points[rows])
        mean = np.nansum(points[rows], axis=0) / np.maximum(known.sum(axis=0), 1)
        far = np.nansum((points[rows] - mean) ** 2, axis=1) / np.maximum(known.sum(axis=1), 1)
    return int(rows[np.argmin(far)])


def _taxa_of_clusters(labels: np.ndarray, names: LeafIndex, taxonomy: Hierarchy) -> dict[int, tuple[str, float]]:
    """The named taxon most like each cluster of two samples or more, and the Jaccard index."""
    n, k = len(names), int(labels.max()) + 1
    called = taxonomy.names or ()
    clusters = [c for c in range(k) if (labels == c).sum() > 1]
    if not any(called) or not clusters:
        return {}
    node = {c: n + i for i, c in enumerate(clusters)}
    root = n + len(clusters)
    parent = [node.get(c, root) for c in labels.tolist()] + [root] * len(clusters) + [-1]
    flat = Hierarchy(parent, names, names=[*(str(c) for c in clusters), None])
    found = match_clades(flat, taxonomy)
    inner = taxonomy.n_leaves
    best: dict[int, tuple[str, float]] = {}
    for cluster, u, jaccard in zip(found.names, found.nodes.tolist(), found.jaccard.tolist(), strict=True):
        name = called[u - inner] if u >= inner else None
        if name is not None:
            best[int(cluster)] = (name, jaccard)
    return best


class _Stability(NamedTuple):
    """Means of Jaccard indices over fits to parts of the samples."""

    clades: dict[int, float]
    clusters: np.ndarray


def _stability(
    model: Any, shown: Any, known: _Brought | None, X: Any, names: LeafIndex, n_resamples: int, rng: Any, verbose: Any
) -> _Stability:
    """Fit to parts of the samples, and find the clade and the cluster most like each one shown."""
    from tripletree.cluster.validation import alike

    tree, labels = shown.hierarchy_, np.asarray(shown.labels_)
    n, k = tree.n_leaves, int(labels.max()) + 1
    start, stop, _ = tree.leaf_intervals
    size = stop - start
    inner = np.arange(n, tree.n_nodes - 1)
    large = inner[size[inner] > 2]
    large = large[np.argsort(-size[large], kind="stable")][:CLADES]
    chosen = set(large.tolist())
    called = [str(u) if u in chosen else None for u in range(n, tree.n_nodes)]
    numbered = Hierarchy(tree.parent, tree.leaves, names=called)
    total, times = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    of_clusters, seen = np.zeros(k), np.zeros(k)
    is_matrix = getattr(model, "metric", None) == "precomputed"
    part = max(min(n, 4), round(PART * n))
    with progress_bar(verbose, n_resamples, "stability", "fits") as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(n_resamples):
            rows = np.sort(rng.choice(n, part, replace=False))
            some = [names[i] for i in rows.tolist()]
            given = {} if known is None else known.part(some, rows)
            points = X[np.ix_(rows, rows)] if is_matrix else X[rows]
            fitted = alike(model, verbose=False).fit(points, sample_names=some, **given)
            found = match_clades(numbered, fitted.hierarchy_)
            for name, jaccard in zip(found.names, found.jaccard.tolist(), strict=True):
                total[int(name)] += jaccard
                times[int(name)] += 1
            jaccards = _cluster_jaccards(labels[rows], np.asarray(fitted.labels_), k)
            of_clusters += np.nan_to_num(jaccards)
            seen += ~np.isnan(jaccards)
            if tell:
                tell(1)
    with np.errstate(invalid="ignore"):
        means = total / times
        return _Stability({u: float(means[u]) for u in large.tolist()}, of_clusters / seen)


def _cluster_jaccards(labels: np.ndarray, others: np.ndarray, k: int) -> np.ndarray:
    """For each of k clusters the Jaccard index with the most similar other one. NaN if it has no sample."""
    table = np.zeros((k, int(others.max()) + 1))
    np.add.at(table, (labels, others), 1)
    either = table.sum(axis=1, keepdims=True) + table.sum(axis=0) - table
    best = (table / np.maximum(either, 1)).max(axis=1)
    return np.where(table.sum(axis=1) > 0, best, np.nan)


def _support(tree: Hierarchy, triplets: TripletSet) -> tuple[np.ndarray, np.ndarray]:
    """Return for each node the triplets that speak for its clade, and the triplets that it violates.

    A triplet speaks for all clades from where a and b meet to below where all three meet. One that is not displayed is
    violated by the clades from where c meets one of a and b to below where all three meet.
    """
    rows = tree.leaves.indices(triplets.leaves)[triplets.rows].astype(np.int32)
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in rows.T)
    meet = engine.rooted_tree.common_ancestors
    ab, ac, bc = (meet(x, y, *tree.ancestor_table) for x, y in ((a, b), (a, c), (b, c)))
    top = np.maximum(np.maximum(ab, ac), bc)
    counts = []
    for low in (ab, np.minimum(ac, bc)):
        count = np.zeros(tree.n_nodes, np.int64)
        np.add.at(count, low, 1)
        np.add.at(count, top, -1)
        for u, p in enumerate(tree.parent[:-1].tolist()):
            count[p] += count[u]
        counts.append(count)
    return counts[0], counts[1]


def _holds_in(model: Any, constraints: TripletSet | PairwiseConstraints | Comparisons) -> np.ndarray:
    """Which constraints hold in a result: triplets in the tree, pairs in the clusters, comparisons if not denied."""
    tree = model.hierarchy_
    if isinstance(constraints, TripletSet):
        return displays(tree, constraints)
    if isinstance(constraints, Comparisons):
        return ~displayed(tree, tree.leaves.indices(constraints.leaves)[constraints.rows[:, [0, 2, 1]]])
    labels = np.asarray(model.labels_)
    must, cannot = labels[constraints.must_link], labels[constraints.cannot_link]
    return np.concatenate([must[:, 0] == must[:, 1], cannot[:, 0] != cannot[:, 1]])


def _doubts(
    model: Any,
    constraints: TripletSet | PairwiseConstraints | Comparisons,
    measured: KnowledgeReport | None,
    who: dict[Any, Any],
    taxa: list[str | None],
) -> tuple[Doubt, ...]:
    """The constraints that do not hold, or that fail both without the others and with all of them."""
    holds = _holds_in(model, constraints)
    kept = np.full(holds.size, -1) if measured is None else measured.holds.sum(axis=0)
    lost = ~holds
    if measured is not None:
        lost = lost | ~(measured.holds[0] | measured.holds[-1])
    names, found = constraints.leaves, []
    for k in np.flatnonzero(lost)[np.lexsort((kept[lost], holds[lost]))].tolist():
        if isinstance(constraints, TripletSet):
            kind, row, origins, i = "triplet", constraints.rows[k], constraints.origins, k
        elif isinstance(constraints, Comparisons):
            kind, row, origins, i = "comparison", constraints.rows[k], constraints.origins, k
        elif k < constraints.n_must:
            kind, row, origins, i = "must-link", constraints.must_link[k], constraints.must_origins, k
        else:
            i = k - constraints.n_must
            kind, row, origins = "cannot-link", constraints.cannot_link[i], constraints.cannot_origins
        labels, origin = tuple(names[j] for j in row.tolist()), None if origins is None else origins[i]
        said = who.get(tuple(row.tolist()), ())
        found.append(Doubt(kind, labels, bool(holds[k]), int(kept[k]), origin, said, taxa[k]))
    return tuple(found)


def _doubtful_samples(measured: KnowledgeReport | None) -> tuple[tuple[Any, int, int], ...]:
    """The samples whose held-out triplets mostly fail though all others are known."""
    if measured is None or isinstance(measured.constraints, PairwiseConstraints):
        return ()
    n = len(measured.constraints.leaves)
    rows, fails = measured.constraints.rows, ~measured.holds[-1]
    tested = np.bincount(rows.ravel(), minlength=n)
    failed = np.bincount(rows[fails].ravel(), minlength=n)
    share = failed / np.maximum(tested, 1)
    some = np.flatnonzero((tested >= TESTED) & (share >= FAILING))
    order = some[np.lexsort((-tested[some], -share[some]))]
    names = measured.constraints.leaves
    return tuple((names[i], int(tested[i]), int(failed[i])) for i in order.tolist())


def _people(
    known: _Brought, measured: KnowledgeReport | None
) -> tuple[tuple[PersonShare, ...], dict[Any, tuple[str, ...]]]:
    """How many of each person's answers hold where they are held out, and who said each triplet or comparison."""
    if isinstance(known.value, Comparisons):
        return _people_who_compared(known.value, measured)
    answers = known.answers
    if answers is None or not answers.people:
        return (), {}
    place: dict[tuple[int, int, int], set[str]] = {}
    told: dict[str, list[tuple[int, int, int]]] = {}
    for row, reply, person in zip(
        answers.rows.tolist(), answers.replies.tolist(), answers.person.tolist(), strict=True
    ):
        if reply > 2 or person < 0:
            continue
        a, b = sorted(x for k, x in enumerate(row) if k != reply)
        place.setdefault((a, b, row[reply]), set()).add(answers.people[person])
        told.setdefault(answers.people[person], []).append((a, b, row[reply]))
    who = {row: tuple(sorted(names)) for row, names in place.items()}
    if measured is None or len(told) < 2 or not isinstance(measured.constraints, TripletSet):
        return (), who
    kept = dict(zip(map(tuple, measured.constraints.rows.tolist()), measured.holds[-1].tolist(), strict=True))
    shares = [PersonShare(x, len(rows), float(np.mean([kept[row] for row in rows]))) for x, rows in told.items()]
    return tuple(sorted(shares, key=lambda x: (x.share, x.who))), who


def _people_who_compared(
    said: Comparisons, measured: KnowledgeReport | None
) -> tuple[tuple[PersonShare, ...], dict[Any, tuple[str, ...]]]:
    """The same of comparisons."""
    place: dict[tuple[int, ...], set[str]] = {}
    held: dict[str, list[bool]] = {}
    holds = [True] * len(said.rows) if measured is None else measured.holds[-1].tolist()
    for row, person, kept in zip(said.rows.tolist(), said.who, holds, strict=True):
        if person is not None:
            place.setdefault(tuple(row), set()).add(person)
            held.setdefault(person, []).append(kept)
    who = {row: tuple(sorted(some)) for row, some in place.items()}
    if measured is None or len(held) < 2:
        return (), who
    shares = [PersonShare(x, len(kept), float(np.mean(kept))) for x, kept in held.items()]
    return tuple(sorted(shares, key=lambda x: (x.share, x.who))), who


def _taxa(hierarchy: Any, plain: Any, informed: Any, soft: Any) -> tuple[TaxonFit, ...]:
    """How whole the named groups are in the trees, the largest first."""
    if not isinstance(hierarchy, Hierarchy) or hierarchy.names is None:
        return ()
    start, stop, order = hierarchy.leaf_intervals
    n, size = hierarchy.n_leaves, stop - start
    kept = [name if 2 < size[u] < n else None for u, name in enumerate(hierarchy.names, n)]
    if not any(kept):
        return ()
    reference = Hierarchy(hierarchy.parent, hierarchy.leaves, names=kept)
    nodes = [u for u, name in enumerate(kept, n) if name is not None][::-1]
    without, given = (match_clades(reference, x.hierarchy_) for x in (plain, informed))
    looked_at = without if soft is None else match_clades(reference, soft.hierarchy_)
    tree = (plain if soft is None else soft).hierarchy_
    rows = []
    for k, u in enumerate(nodes):
        mine = [hierarchy.leaves[i] for i in order[start[u] : stop[u]].tolist()]
        best = [x for x in tree.clade(int(looked_at.nodes[k])) if x in hierarchy.leaves]
        inside, found = set(mine), set(best)
        rows.append(
            TaxonFit(
                without.names[k],
                len(mine),
                float(without.jaccard[k]),
                float(given.jaccard[k]),
                float("nan") if soft is None else float(looked_at.jaccard[k]),
                tuple(x for x in mine if x in found),
                tuple(x for x in mine if x not in found),
                tuple(x for x in best if x not in inside),
            )
        )
    return tuple(sorted(rows, key=lambda x: -x.size))


def _taxa_of_triplets(hierarchy: Any, triplets: Any) -> list[str | None]:
    """For each triplet ab|c the smallest named group of the hierarchy that has a and b, and not c."""
    if not isinstance(hierarchy, Hierarchy) or not isinstance(triplets, TripletSet) or not any(hierarchy.names or ()):
        return [None] * len(triplets.rows if isinstance(triplets, Comparisons) else triplets)
    number = np.zeros(len(triplets.leaves), np.int32)
    used = triplets.used_leaves
    number[used] = hierarchy.leaves.indices(triplets.leaves[i] for i in used.tolist())
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in number[triplets.rows].T)
    meet = engine.rooted_tree.common_ancestors
    low, high = (meet(a, x, *hierarchy.ancestor_table).tolist() for x in (b, c))
    n, parent, names = hierarchy.n_leaves, hierarchy.parent.tolist(), hierarchy.names or ()
    up = [-1] * hierarchy.n_nodes  # the nearest named node, itself or above
    for u in range(hierarchy.n_nodes - 1, n - 1, -1):
        up[u] = u if names[u - n] is not None else up[parent[u]] if parent[u] >= 0 else -1
    return [None if up[u] < 0 or up[u] >= v else names[up[u] - n] for u, v in zip(low, high, strict=True)]


def _soft(model: Any, known: _Brought, points: Any, names: LeafIndex) -> Any:
    """The estimator fitted so that the data may outvote a hierarchy. None without names, or if it cannot be."""
    from tripletree.cluster.validation import alike

    hierarchy = known.value
    if not isinstance(hierarchy, Hierarchy) or not any(hierarchy.names or ()):
        return None
    if "constraints" not in model.get_params(deep=False):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        soft = alike(model, verbose=False, constraints="soft")
        return soft.fit(points, sample_names=list(names), hierarchy=hierarchy)


# ---------------------------------------------------------------------- the whole


def report(
    X: Any,
    *,
    triplets: Any = None,
    comparisons: Any = None,
    pairs: Any = None,
    hierarchy: Hierarchy | Ontology | None = None,
    classes: Any = None,
    answers: AnswerSet | None = None,
    knowledge: Knowledge | None = None,
    missing: Any = None,
    sample_names: Any = None,
    feature_names: Sequence[str] | None = None,
    second_names: Any = None,
    synonyms: Any = None,
    parent: str = "error",
    standardize: bool = False,
    metric: str | None = None,
    estimator: Any = None,
    n_folds: int = 5,
    n_resamples: int = 10,
    random_state: Any = 0,
    verbose: bool | int = False,
) -> Report:
    """Do the whole job: match names, check consistency, measure whether the knowledge helps, cluster, look for doubts.

    Parameters
    ----------
    X : array_like or DataFrame, shape (n_samples, n_features)
        The samples.
    triplets, comparisons, pairs, hierarchy, classes, answers : optional
        Exactly one of them: the knowledge about some samples. `classes` is a list parallel to X, None if not known,
        or a mapping by name. `answers` are people's answers (`tripletree.io.read_answers`), and `comparisons` those to
        "which of two is more like the first?" (`tripletree.io.read_comparisons`).
    knowledge : Knowledge, optional
        One of the kinds above as a value: of several choose one (`Knowledge.only`).
    missing : value or collection of values, optional
        The values in `classes` that mark samples without one, as in `triplets_from_classes`.
    sample_names : sequence, shape (n_samples,), optional
        By default the index of a DataFrame, else row numbers.
    feature_names : sequence of str, optional
        By default the columns of a DataFrame, else numbers.
    second_names : sequence or mapping, optional
        Another name of some samples, in the order of the rows or by their names, such as a product behind an id. The
        page shows it in brackets. It is matched with nothing.
    synonyms : mapping, optional
        Other names, as for `match_names`.
    parent : {"error", "deepest", "first", "smallest", "certain"}
        The parent that counts if a term of an ontology has several, as for `Ontology.to_hierarchy`, or the
        triplets that hold whichever it is ("certain").
    standardize : bool
        If True, give every feature mean 0 and standard deviation 1 before clustering. Means are reported as given.
    metric : str, optional
        How samples are compared: "nan_euclidean" (X has NaN), "gower" (X has text or gaps beside numbers), a metric of
        scipy, or "precomputed" (X holds distances). If the estimator does not take it itself, it is given the matrix of
        distances (``metric="precomputed"``). By default as the estimator does it.
    estimator : estimator, optional
        With ``hierarchy_`` and ``labels_``. By default ``DivisiveReCon()``, which also chooses the number of clusters.
    n_folds : int
        Parts of the knowledge that are held out in turn.
    n_resamples : int
        Fits to 80 % of the samples, for the stability of clades and clusters. 0: not measured. The mean over 10 of them
        moves with `random_state`: by some .02 for stable clusters, by some .07 for unstable ones.
    random_state : int, Generator, RandomState or None
        Equal values give equal reports.
    verbose : bool or int
        If True, show progress bars.

    Returns
    -------
    Report
        ``print`` tells it in words, ``.write_html(path)`` writes a page.

    Raises
    ------
    NotATreeError
        If a term of an ontology has several parents and `parent` does not choose one.

    See Also
    --------
    evaluate_knowledge : only whether it helps.
    tripletree.cluster.DivisiveReCon : only the clusters.

    Notes
    -----
    Names are the same except for case, underscores and accents, or one misspelt. Names without a match are left out and
    listed in ``.names``. The gain by the knowledge is measured as in `evaluate_knowledge`. If it hurts, the clusters
    shown are made without it.

    Stability is as in Hennig [1]_: clusterings of parts of the samples, each with the knowledge about these, compared
    by the Jaccard index. `DivisiveReCon` samples their trees in a fifth of its steps. Effect sizes describe clusters
    that were made from the same features: they are not tests.

    With a hierarchy whose inner nodes have names, one more fit lets the data outvote it (``constraints="soft"``), and
    tells which of its groups are whole then (``.taxa``).

    About ``3 n_folds + n_resamples + 4`` fits.

    References
    ----------
    .. [1] Hennig (2007), Cluster-wise assessment of cluster stability, Comput. Stat. Data Anal. 52, 258-271.

    Examples
    --------
    >>> X = [[0.0], [0.3], [0.4], [5.0], [5.1], [5.5]]
    >>> names = ["ant", "bee", "wasp", "cat", "dog", "fox"]
    >>> found = report(X, classes={"Ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal"},
    ...                sample_names=names, n_resamples=5)
    >>> found.labels.tolist(), found.names.matches
    ([0, 0, 0, 1, 1, 1], ('ant',))
    """
    from sklearn.metrics import adjusted_rand_score

    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.distance_matrix import as_distance_matrix
    from tripletree.cluster.gower import MixedColumns
    from tripletree.cluster.validation import alike

    given = {"triplets": triplets, "comparisons": comparisons, "pairs": pairs}
    given |= {"hierarchy": hierarchy, "classes": classes, "answers": answers}
    kinds = [kind for kind, value in given.items() if value is not None]
    if knowledge is not None:
        kinds += check_knowledge(knowledge).kinds
        given |= {kind: getattr(knowledge, kind) for kind in knowledge.kinds}
    if len(kinds) != 1:
        only = "; knowledge.only(kind) has one kind of several" if knowledge is not None and kinds else ""
        msg = f"give exactly one of {', '.join(given)}; got {', '.join(kinds) or 'none of them'}{only}"
        raise ValueError(msg)
    if knowledge is not None and "classes" in knowledge.kinds:
        missing = []  # words for no class are gone from it
    hierarchy, classes, comparisons = (given[kind] for kind in ("hierarchy", "classes", "comparisons"))
    check_count(n_folds, "n_folds", 2)
    check_count(n_resamples, "n_resamples")
    rng = generator(random_state)
    model = DivisiveReCon() if estimator is None else estimator
    if not hasattr(model, "get_params"):
        msg = f"estimator must be an estimator such as DivisiveReCon(), not {described(estimator)}"
        raise TypeError(msg)
    if comparisons is not None:  # few estimators take them
        check_fit(model, "comparisons", None)
    columns = MixedColumns.of(X) if metric == "gower" else None
    values, names, features = _table(X, sample_names, feature_names, columns)
    if hierarchy is not None:
        hierarchy = hierarchy if isinstance(hierarchy, Ontology) else check_hierarchy(hierarchy)
        known = _matched_hierarchy(hierarchy, names, synonyms, parent)
    elif classes is not None:
        known = _matched_classes(classes, names, synonyms, missing)
    else:
        known = _MATCHED[kinds[0]](given[kinds[0]], names, synonyms)
    seconds = _second_names(second_names, names)
    model, points, table = _measured_by(metric, model, values, features, standardize, columns)
    is_matrix = getattr(model, "metric", None) == "precomputed"
    if is_matrix and np.isfinite(points).all():
        points = as_distance_matrix(points, X)  # here once, as a part of them may not show what rounding is

    plain = alike(model, verbose=False).fit(points, sample_names=list(names))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*names are exchanged")  # the report measures it
        informed = alike(model, verbose=False).fit(points, sample_names=list(names), **{known.argument: known.value})
    for name in ("hierarchy_", "labels_"):
        if not hasattr(informed, name):
            msg = f"a report needs a hierarchy and flat clusters, and {type(model).__name__} has no {name}"
            raise TypeError(msg)
    measured = _measured(model, points, known, names, n_folds, rng, verbose)
    uses = measured is None or measured.verdict != "hurts"
    shown = informed if uses else plain
    constraints = measured.constraints if measured is not None else _constraints_of(known, informed)
    stability = None
    if n_resamples:
        stability = _stability(_brief(model), shown, known if uses else None, points, names, n_resamples, rng, verbose)
    people, who = _people(known, measured)
    scales = table is not None and columns is None  # which Gower's distance makes equal
    shares = shares_of_variance(standardized(values) if standardize else values) if scales else np.empty(0)
    return Report(
        kind=known.kind,
        samples=tuple(names),
        features=() if table is None else features,
        n_given=known.n_given,
        n_used=known.n_used,
        known_samples=known.known_samples,
        names=known.names,
        conflicts=known.conflicts,
        knowledge=measured,
        informed=informed,
        plain=plain,
        uses_knowledge=uses,
        agreement=float(adjusted_rand_score(plain.labels_, informed.labels_)),
        clusters=_profiles(shown, table, points, names, stability, known, is_matrix),
        clades=_clades(shown, informed, stability),
        taxa=_taxa(known.value, plain, informed, _soft(model, known, points, names)),
        doubts=_doubts(shown, constraints, measured, who, _taxa_of_triplets(known.value, constraints)),
        doubtful_samples=_doubtful_samples(measured),
        people=people,
        shares_of_variance=shares,
        n_resamples=n_resamples,
        standardized=bool(standardize),
        constraints=constraints,
        second_names=seconds,
        notes=_told(hierarchy, known.value) + _understood(given[kinds[0]]),
    )


def _second_names(given: Any, names: LeafIndex) -> dict[Any, str]:
    """Other names of samples, by their names."""
    if given is None:
        return {}
    codes, known = aligned_codes(given, names, "second_names")
    return {x: str(known[code]) for x, code in zip(names, codes.tolist(), strict=True) if code >= 0}


def _told(hierarchy: Hierarchy | Ontology | None, brought: Any) -> tuple[str, ...]:
    """What the hierarchy leaves open, as ``tripletree info`` tells it, and how many of the samples are open."""
    if hierarchy is None:
        return ()
    opened = brought.open_leaves if isinstance(brought, Hierarchy) else ()
    text = f"{len(opened):,} of the samples known to an inner node only (open), as {opened[0]!r}" if opened else ""
    some = [text] if set(opened) - set(hierarchy.open_leaves) else []
    return (*doubts(hierarchy), *some)


def _understood(given: Any) -> tuple[str, ...]:
    """How a table of answers or comparisons was understood, if that had to be found out."""
    text = getattr(given, "reading", None)
    return (text,) if isinstance(text, str) and text else ()


def _brief(model: Any) -> Any:
    """The estimator for the fits to parts of the samples: trees are sampled in fewer steps."""
    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.validation import alike

    return alike(model, effort=EFFORT * model.effort) if isinstance(model, DivisiveReCon) else model


def shares_of_variance(values: np.ndarray) -> np.ndarray:
    """The part of the variance of all columns that each has: float64[n_features], 0 where nothing varies."""
    variance = np.nan_to_num(_column_variances(values))
    return variance / variance.sum() if variance.sum() > 0 else variance


def standardized(values: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1 (0 if they are constant), of the cells that are not NaN."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(All-NaN|Mean of empty|Degrees of freedom).*")
        varies = np.nanmax(values, axis=0) > np.nanmin(values, axis=0)  # deviations of constants are rounded, too
        deviation = np.where(varies, np.nanstd(values, axis=0), 1.0)
        found = np.where(varies, values - np.nanmean(values, axis=0), 0.0) / deviation
    found[np.isnan(values)] = np.nan
    return found


class _Described(NamedTuple):
    """The numbers by which clusters are described, whatever they were made from."""

    values: np.ndarray
    features: tuple[str, ...]


def _measured_by(
    metric: str | None,
    model: Any,
    values: np.ndarray,
    features: tuple[str, ...],
    standardize: bool,
    columns: MixedColumns | None,
) -> tuple[Any, np.ndarray, _Described | None]:
    """The estimator, its input (samples, or their distances under a metric), and the values that describe clusters."""
    from scipy.spatial.distance import squareform
    from sklearn.base import clone

    from tripletree.cluster.distances import METRICS, WITH_MISSING, condensed_distances, metric_parameters

    if metric is None and getattr(model, "metric", None) == "precomputed":
        return model, values, None
    points = standardized(values) if standardize else values
    if metric is None:
        return model, points, _Described(values, features)
    known = (*METRICS, *WITH_MISSING, "precomputed")
    if metric not in known:
        msg = f"metric={metric!r} is not known; choose one of {', '.join(known)}"
        raise ValueError(msg)
    if "metric" not in model.get_params():
        msg = f"{type(model).__name__} takes no metric: leave metric={metric!r} out, or give another estimator"
        raise TypeError(msg)
    if metric == "precomputed":
        if standardize:
            msg = "metric='precomputed' takes distances as they are: leave out standardize=True"
            raise ValueError(msg)
        return clone(model).set_params(metric=metric), values, None
    if columns is not None and standardize:
        msg = "metric='gower' divides numbers by their range itself: leave out standardize=True"
        raise ValueError(msg)
    if metric not in WITH_MISSING and np.isnan(points).any():
        msg = (
            f"X holds NaN, which metric={metric!r} does not take: fill the gaps in, or take 'nan_euclidean' or 'gower'"
        )
        raise ValueError(msg)
    if metric in ("euclidean", "cosine"):
        return clone(model).set_params(metric=metric), points, _Described(values, features)
    distances = squareform(condensed_distances(points, metric, metric_parameters(points, metric, columns)))
    described = _Described(values, features) if columns is None else _described(values, features, columns)
    return clone(model).set_params(metric="precomputed"), distances, described


def _described(coded: np.ndarray, features: tuple[str, ...], columns: MixedColumns) -> _Described:
    """Columns of numbers as they are, and for each category of the others whether a sample is of it."""
    values, names = [], []
    for name, column, levels, scale in zip(features, coded.T, columns.levels, columns.scale, strict=True):
        if levels is None or not np.isnan(scale):
            values.append(column)
            names.append(name)
            continue
        for category, code in levels.items():
            values.append(np.where(np.isnan(column), np.nan, column == code))
            names.append(f"{name} = {category}")
    return _Described(np.stack(values, axis=1), tuple(names))


def _column_variances(points: np.ndarray) -> np.ndarray:
    """Return the variance of the known values of each column. NaN for a column without values."""
    known = (~np.isnan(points)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(points, axis=0) / known
        return np.nansum((points - mean) ** 2, axis=0) / known


def _table(
    X: Any, sample_names: Any, feature_names: Any, columns: MixedColumns | None
) -> tuple[np.ndarray, LeafIndex, tuple[str, ...]]:
    """The values, encoded if there are categories, the names of the rows and of the columns."""
    from tripletree.cluster.base import HierarchicalClusterer, check_frame, check_samples
    from tripletree.knowledge.alignment import index_labels

    if hasattr(X, "tocsr"):
        msg = (
            "X is sparse, and a report needs dense X, as it shows means of columns: X.toarray() if that fits into "
            "memory, or fewer columns (TruncatedSVD); evaluate_knowledge(X, ..., estimator=ReCon()) takes sparse X"
        )
        raise TypeError(msg)
    if columns is not None:
        check_frame(X, tells_ids=True, takes_words=True)
        points = columns.encoded(X)
    else:
        points = check_samples(HierarchicalClusterer(), X, reset=True, missing=True)
    if len(points) < 3:
        msg = f"X has {counted(len(points), 'sample')}; a report needs at least 3"
        raise ValueError(msg)
    index = index_labels(X) or range(len(points))
    names = LeafIndex(list(index if sample_names is None else sample_names))
    if len(names) != len(points):
        msg = f"sample_names has {len(names)} names, X has {len(points)} rows: give one name for each row"
        raise ValueError(msg)
    if feature_names is None:
        feature_names = list(X.columns) if hasattr(X, "columns") else range(points.shape[1])
    features = tuple(map(str, feature_names))
    if len(features) != points.shape[1]:
        msg = f"feature_names has {len(features)} names, X has {points.shape[1]} columns: give one for each"
        raise ValueError(msg)
    return points, names, features


def _measured(
    model: Any, points: np.ndarray, known: _Brought, names: LeafIndex, n_folds: int, rng: Any, verbose: Any
) -> KnowledgeReport | None:
    """Measure whether the knowledge helps. None if there is too little to hide a part of it."""
    from tripletree.cluster.validation import FEWEST

    if known.kind == "classes":
        codes, _ = aligned_codes(known.value, names, "classes")
        if np.bincount(codes[codes >= 0]).max() < 2:
            return None
    if _n_named(known.value, known.n_used) < FEWEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit itself has given them
        return evaluate_knowledge(
            points,
            **{known.argument: known.value},
            sample_names=list(names),
            estimator=model,
            n_folds=n_folds,
            random_state=rng,
            verbose=verbose,
        )


def _n_named(value: Any, n_used: int) -> int:
    """How many samples the knowledge is about."""
    if isinstance(value, (TripletSet, Comparisons, PairwiseConstraints)):
        return value.used_leaves.size
    return 0 if isinstance(value, Hierarchy) and not count_triplets(value) else n_used


def _constraints_of(known: _Brought, informed: Any) -> TripletSet | PairwiseConstraints | Comparisons:
    """Return the constraints that could be doubtful where no constraint could be held out."""
    if isinstance(known.value, (TripletSet, PairwiseConstraints, Comparisons)):
        return known.value
    used = getattr(informed, "triplets_", None)
    return used if used is not None else TripletSet([], informed.hierarchy_.leaves)


def _profiles(
    shown: Any,
    table: _Described | None,
    points: np.ndarray,
    names: LeafIndex,
    stability: _Stability | None,
    known: _Brought,
    is_matrix: bool,
) -> tuple[ClusterProfile, ...]:
    labels = np.asarray(shown.labels_)
    taxa = _taxa_of_clusters(labels, names, known.value) if isinstance(known.value, Hierarchy) else {}
    found = []
    for c in range(int(labels.max()) + 1):
        inside = labels == c
        rows = np.flatnonzero(inside)
        found.append(
            ClusterProfile(
                c,
                tuple(names[i] for i in rows.tolist()),
                names[_typical(points, rows, is_matrix)],
                () if table is None else _contrasts(table.values, table.features, inside),
                float("nan") if stability is None else float(stability.clusters[c]),
                *taxa.get(c, (None, 0.0)),
            )
        )
    return tuple(found)


def _clades(shown: Any, informed: Any, stability: _Stability | None) -> tuple[CladeSupport, ...]:
    if stability is None:
        return ()
    tree = shown.hierarchy_
    sure = getattr(shown, "clade_support_", None)
    sure = np.full(tree.n_nodes - tree.n_leaves, np.nan) if sure is None else sure
    triplets = getattr(informed, "triplets_", None)
    zeros = np.zeros(tree.n_nodes, np.int64)
    displayed, violated = (zeros, zeros) if triplets is None or not len(triplets) else _support(tree, triplets)
    start, stop, _ = tree.leaf_intervals
    return tuple(
        CladeSupport(
            u, int(stop[u] - start[u]), share, int(displayed[u]), int(violated[u]), float(sure[u - tree.n_leaves])
        )
        for u, share in stability.clades.items()
    )
