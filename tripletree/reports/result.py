"""Step 3 of `report`: clusters, clades, groups, doubts and people of a fitted result."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.clades import match_clades
from tripletree.algorithms.induce import displayed, displays
from tripletree.core.arrays import freeze
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.triplets import TripletSet
from tripletree.evaluation.knowledge import KnowledgeReport
from tripletree.knowledge.value import Knowledge
from tripletree.reports.matching import Matched
from tripletree.reports.table import Described
from tripletree.reports.values import (
    CladeSupport,
    ClusterProfile,
    Doubt,
    FeatureContrast,
    PersonShare,
    TaxonFit,
    sets_of,
)

#: The part of the samples that each further fit has, to see which clades and clusters stay.
PART = 0.8

#: Clades whose stability is measured: the largest.
CLADES = 200

#: Values on each side of a cluster with which a feature is compared at least, or half of the samples.
FEWEST = 3

#: A sample is doubtful if at least 5 held-out triplets name it, and at least half of them fail.
TESTED, FAILING = 5, 0.5

#: Features kept for each cluster.
FEATURES = 12


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


class Stability(NamedTuple):
    """Means of Jaccard indices over fits to parts of the samples."""

    clades: dict[int, float]
    clusters: np.ndarray


def stability(
    model: Any, shown: Any, known: Knowledge | None, X: Any, names: LeafIndex, n_resamples: int, rng: Any, verbose: Any
) -> Stability:
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
            given = {} if known is None else known.restrict(some).arguments()
            points = X[np.ix_(rows, rows)] if is_matrix else X[rows]
            fitted = alike(model, verbose=False).fit(points, sample_names=some, **given)
            found = match_clades(numbered, fitted.hierarchy_)
            for name, jaccard in zip(found.names, found.jaccard.tolist(), strict=True):
                total[int(name)] += jaccard
                times[int(name)] += 1
            jaccards = _cluster_jaccards(labels[rows], np.asarray(fitted.labels_), k)
            of_clusters += np.nan_to_num(jaccards)
            seen += ~np.isnan(jaccards)
            tell(1)
    with np.errstate(invalid="ignore"):
        means = total / times
        return Stability({u: float(means[u]) for u in large.tolist()}, of_clusters / seen)


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


def doubts(
    model: Any,
    constraints: Any,
    measured: KnowledgeReport | None,
    who: dict[Any, tuple[str, ...]],
    taxonomy: Hierarchy | None,
) -> tuple[Doubt, ...]:
    """The constraints that do not hold, or that fail both without the others and with all of them."""
    found: list[Doubt] = []
    start = 0
    for some in sets_of(constraints):
        holds = _holds_in(model, some)
        held = None if measured is None else measured.holds[:, start : start + holds.size]
        found += _doubts(some, holds, held, who, taxonomy)
        start += holds.size
    return tuple(sorted(found, key=lambda x: (x.holds, x.held_out)))


def _doubts(
    constraints: TripletSet | PairwiseConstraints | Comparisons,
    holds: np.ndarray,
    held: np.ndarray | None,
    who: dict[Any, tuple[str, ...]],
    taxonomy: Hierarchy | None,
) -> list[Doubt]:
    """Of the constraints of one kind."""
    kept = np.full(holds.size, -1) if held is None else held.sum(axis=0)
    lost = ~holds if held is None else ~holds | ~(held[0] | held[-1])
    taxa = _taxa_of_triplets(taxonomy, constraints)
    names, found = constraints.leaves, []
    for k in np.flatnonzero(lost).tolist():
        if isinstance(constraints, PairwiseConstraints):
            is_must = k < constraints.n_must
            kind, i = ("must-link", k) if is_must else ("cannot-link", k - constraints.n_must)
            row, origins = constraints.rows[k], constraints.must_origins if is_must else constraints.cannot_origins
        else:
            kind = "comparison" if isinstance(constraints, Comparisons) else "triplet"
            row, origins, i = constraints.rows[k], constraints.origins, k
        labels, origin = tuple(names[j] for j in row.tolist()), None if origins is None else origins[i]
        said = who.get((kind, *row.tolist()), ())
        found.append(Doubt(kind, labels, bool(holds[k]), int(kept[k]), origin, said, taxa[k]))
    return found


def doubtful_samples(measured: KnowledgeReport | None) -> tuple[tuple[Any, int, int], ...]:
    """The samples whose held-out triplets and comparisons mostly fail though all others are known."""
    if measured is None:
        return ()
    names = sets_of(measured.constraints)[0].leaves
    tested, failed, start = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64), 0
    for some in sets_of(measured.constraints):
        rows = some.rows
        fails = ~measured.holds[-1][start : start + len(rows)]
        start += len(rows)
        if not isinstance(some, PairwiseConstraints):
            tested += np.bincount(rows.ravel(), minlength=len(names))
            failed += np.bincount(rows[fails].ravel(), minlength=len(names))
    share = failed / np.maximum(tested, 1)
    some = np.flatnonzero((tested >= TESTED) & (share >= FAILING))
    order = some[np.lexsort((-tested[some], -share[some]))]
    return tuple((names[i], int(tested[i]), int(failed[i])) for i in order.tolist())


def people(
    known: Matched, measured: KnowledgeReport | None
) -> tuple[tuple[PersonShare, ...], dict[Any, tuple[str, ...]]]:
    """How many of each person's answers hold where they are held out, and who said each triplet or comparison."""
    kind, said = _said_by(known)
    who: dict[Any, set[str]] = {}
    told: dict[str, list[Any]] = {}
    for row, person, place in said:
        who.setdefault((kind, *row), set()).add(person)
        told.setdefault(person, []).append(place)
    names = {row: tuple(sorted(some)) for row, some in who.items()}
    if measured is None or len(told) < 2:
        return (), names
    of_row = {tuple(row): k for k, row in enumerate(measured.constraints.rows.tolist())}
    kept = measured.holds[-1]
    shares = [PersonShare(x, len(at), float(np.mean([kept[of_row.get(k, k)] for k in at]))) for x, at in told.items()]
    return tuple(sorted(shares, key=lambda x: (x.share, x.who))), names


def _said_by(known: Matched) -> tuple[str, list[tuple[tuple[int, ...], str, Any]]]:
    """The statements of people, who made each, and its number, or its row if it is a triplet."""
    said = known.known.comparisons
    if said is not None:
        rows = zip(map(tuple, said.rows.tolist()), said.who, strict=True)
        return "comparison", [(row, person, k) for k, (row, person) in enumerate(rows) if person is not None]
    answers = known.answers
    found: list[tuple[tuple[int, ...], str, Any]] = []
    if answers is not None and answers.people:
        columns = (x.tolist() for x in (answers.rows, answers.replies, answers.person))
        for row, reply, person in zip(*columns, strict=True):
            if reply <= 2 and person >= 0:
                a, b = sorted(x for k, x in enumerate(row) if k != reply)
                found.append((at := (a, b, row[reply]), answers.people[person], at))
    return "triplet", found


def taxa(hierarchy: Hierarchy | None, plain: Any, informed: Any, soft: Any) -> tuple[TaxonFit, ...]:
    """How whole the named groups are in the trees, the largest first."""
    if hierarchy is None or hierarchy.names is None:
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


def _taxa_of_triplets(hierarchy: Hierarchy | None, triplets: Any) -> list[str | None]:
    """For each triplet ab|c the smallest named group of the hierarchy that has a and b, and not c."""
    found: list[str | None] = [None] * len(triplets.rows)
    if hierarchy is None or not isinstance(triplets, TripletSet) or not any(hierarchy.names or ()):
        return found
    used = [i for i in triplets.used_leaves.tolist() if triplets.leaves[i] in hierarchy.leaves]
    number = np.full(len(triplets.leaves), -1, np.int32)
    number[used] = hierarchy.leaves.indices(triplets.leaves[i] for i in used)
    inside = np.flatnonzero((number[triplets.rows] >= 0).all(axis=1))  # triplets of another kind may be about others
    a, b, c = (freeze(np.ascontiguousarray(x)) for x in number[triplets.rows[inside]].T)
    meet = engine.rooted_tree.common_ancestors
    low, high = (meet(a, x, *hierarchy.ancestor_table).tolist() for x in (b, c))
    n, parent, names = hierarchy.n_leaves, hierarchy.parent.tolist(), hierarchy.names or ()
    up = [-1] * hierarchy.n_nodes  # the nearest named node, itself or above
    for u in range(hierarchy.n_nodes - 1, n - 1, -1):
        up[u] = u if names[u - n] is not None else up[parent[u]] if parent[u] >= 0 else -1
    for k, u, v in zip(inside.tolist(), low, high, strict=True):
        found[k] = None if up[u] < 0 or up[u] >= v else names[up[u] - n]
    return found


def profiles(
    shown: Any,
    table: Described | None,
    points: np.ndarray,
    names: LeafIndex,
    stability: Stability | None,
    taxonomy: Hierarchy | None,
    is_matrix: bool,
) -> tuple[ClusterProfile, ...]:
    labels = np.asarray(shown.labels_)
    called = {} if taxonomy is None else _taxa_of_clusters(labels, names, taxonomy)
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
                *called.get(c, (None, 0.0)),
            )
        )
    return tuple(found)


def clades(shown: Any, informed: Any, stability: Stability | None) -> tuple[CladeSupport, ...]:
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
