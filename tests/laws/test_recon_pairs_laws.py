"""ReCon with pairs against the definition by the letter, and its laws for any data."""

from itertools import permutations, product

import numpy as np
import pytest
from recon_oracle import LINKAGES, build_succeeds
from recon_pairs_oracle import (
    all_cuts,
    can_all_hold,
    can_be_coloured,
    group_triplets,
    groups_of,
    labels_of_cut,
    misfit_definition,
    paired_definition,
    pairs_hold,
    random_instance,
)
from sklearn.datasets import make_blobs

from tripletree.algorithms.cut import RULES
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_pairs
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative import paired_cut as _paired_cut
from tripletree.cluster.agglomerative.paired_cut import nearest_feasible
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError, InfeasibleClusteringError

pytestmark = [
    pytest.mark.filterwarnings("ignore:with these pairs, labels_ break some of the triplets"),
    pytest.mark.filterwarnings("ignore:the features agree"),  # they are random
]


def fitted(X, triplets, must, cannot, k=None, **options):
    """A model for a number of clusters, or as many as there are groups."""
    k = len(groups_of(len(X), must)) if k is None else k
    return ReCon(k, **options).fit(X, triplets=triplets, pairs=(must, cannot))


def labels_or_none(X, triplets, must, cannot, k, **options):
    """The labels, or None if the error says that there are none."""
    try:
        return fitted(X, triplets, must, cannot, k, **options).labels_
    except InfeasibleClusteringError as error:
        if error.n_clusters != k or (error.clique and len(error.clique) != k + 1):
            raise
        return None


def merges_of(model):
    """The members of the two clusters and the distance, of each merge."""
    h = model.hierarchy_
    start, stop, leaf = h.leaf_intervals
    members = [frozenset(leaf[a:b].tolist()) for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
    found = []
    for u in range(h.n_leaves, h.n_nodes):
        i, j = np.flatnonzero(h.parent == u).tolist()
        found.append((members[i], members[j], float(h.height[u])))
    return found


def same(found, wanted):
    return all({*a[:2]} == {*b[:2]} and a[2] == pytest.approx(b[2], rel=1e-9) for a, b in zip(found, wanted))  # noqa: B905


@pytest.mark.parametrize("linkage", LINKAGES)
def test_merges__are_those_of_the_definition(linkage):
    phases = np.zeros(3, int)
    for seed in range(40):
        _, X, triplets, must, cannot = random_instance(seed + 1000 * LINKAGES.index(linkage))
        wanted, counts = paired_definition(triplets, must, cannot, linkage, X)
        found = merges_of(fitted(X, triplets, must, cannot, linkage=linkage))
        inside = counts[0]
        assert sum(map(len, groups_of(len(X), must))) - len(groups_of(len(X), must)) == inside
        # merges of different groups do not touch each other: their order is one by height
        key = lambda m: (sorted(m[0] | m[1]), len(m[0] | m[1]))  # noqa: E731
        assert same(sorted(found[:inside], key=key), sorted(wanted[:inside], key=key)), seed
        assert same(found[inside:], wanted[inside:]), seed
        phases += counts
    assert (phases > 30).all()  # otherwise the instances test nothing


@pytest.mark.parametrize("linkage", ["single", "complete"])
def test_merges__ties_go_by_first_samples(linkage):
    for seed in range(40):
        rng, X, triplets, must, cannot = random_instance(seed)
        D = np.triu(rng.integers(1, 4, size=(len(X), len(X))), 1).astype(float)
        D += D.T
        wanted, counts = paired_definition(triplets, must, cannot, linkage, D=D)
        model = fitted(D, triplets, must, cannot, linkage=linkage, metric="precomputed")
        assert same(merges_of(model)[counts[0] :], wanted[counts[0] :]), seed


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward", "average", "weighted", "complete", "single"])
def test_merges__without_pairs_nothing_changes(linkage):
    for seed in range(10):
        _, X, triplets, _, _ = random_instance(seed, most=30)
        plain = ReCon(1, linkage=linkage).fit(X, triplets=triplets)
        for nothing in (None, ([], []), PairwiseConstraints([], [], len(X))):
            model = ReCon(1, linkage=linkage).fit(X, triplets=triplets, pairs=nothing)
            assert np.array_equal(model.linkage_, plain.linkage_)
            assert (model.fewest_clusters_, model.most_clusters_) == (1, len(X))
            assert len(model.pairs_) == 0


def test_merges__larger_instances():
    for seed, linkage in ((0, "centroid"), (1, "average"), (2, "ward")):
        _, X, triplets, must, cannot = random_instance(seed, most=34)
        wanted, counts = paired_definition(triplets, must, cannot, linkage, X)
        found = merges_of(fitted(X, triplets, must, cannot, linkage=linkage))
        assert same(found[counts[0] :], wanted[counts[0] :])


def test_consistency__is_that_of_the_definition():
    """Random triplets and must-links. Each conflict is one of the two together, and irreducible."""
    answers = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 10))
        triplets = sorted(
            {(*sorted(t[:2]), t[2]) for t in (rng.choice(n, 3, replace=False).tolist() for _ in range(5))}
        )
        must = [rng.choice(n, 2, replace=False).tolist() for _ in range(int(rng.integers(1, 4)))]
        wanted = can_all_hold(n, triplets, must, [])
        answers.append(wanted)
        X = rng.normal(size=(n, 2))
        if wanted:
            fitted(X, triplets, must, [])
            continue
        with pytest.raises(InconsistentTripletsError) as caught:
            fitted(X, triplets, must, [])
        conflict = list(caught.value.conflict)
        assert not build_succeeds(conflict, range(n))
        for k in range(len(conflict)):
            assert build_succeeds(conflict[:k] + conflict[k + 1 :], range(n))
        own = [t for t in conflict if t in triplets]
        said = [t for t in conflict if t not in triplets]
        if not build_succeeds(triplets, range(n)):
            assert (said, caught.value.pairs) == ([], None)
            continue
        assert own
        assert said
        assert caught.value.pairs.n_cannot == 0
        behind = caught.value.pairs.must_link.tolist()
        assert set(map(tuple, behind)) <= {tuple(sorted(p)) for p in must}
        assert set(said) <= set(group_triplets(n, behind))  # these must-links alone say them
    assert 0.1 < np.mean(answers) < 0.9


@pytest.mark.parametrize("linkage", ["centroid", "average"])
def test_hierarchy__displays_triplets_groups_and_the_reduction(linkage):
    for seed in range(30):
        _, X, triplets, must, cannot = random_instance(seed, most=40)
        model = fitted(X, triplets, must, cannot, linkage=linkage)
        n = len(X)
        assert displays(model.hierarchy_, TripletSet(triplets, n)).all()
        assert displays(model.hierarchy_, TripletSet(group_triplets(n, must), n)).all()
        assert displays(model.hierarchy_, PairwiseConstraints(must, cannot, n).to_triplets()).all()


@pytest.mark.parametrize("rule", RULES)
def test_labels__keep_all_pairs_for_every_number_that_can_be_had(rule):
    too_few = 0
    for seed in range(10):
        _, X, triplets, must, cannot = random_instance(seed + 100 * RULES.index(rule), most=22)
        model = fitted(X, triplets, must, cannot, cut=rule)
        for k in range(1, len(X) + 1):
            if model.fewest_clusters_ <= k <= model.most_clusters_:
                labels = fitted(X, triplets, must, cannot, k, cut=rule).labels_
                assert np.array_equal(np.unique(labels), np.arange(k))
                assert (np.diff(np.unique(labels, return_index=True)[1]) > 0).all()
                assert pairs_hold(labels, must, cannot)
                continue
            too_few += k < model.fewest_clusters_
            labels = labels_or_none(X, triplets, must, cannot, k, cut=rule)
            if labels is None:
                continue
            assert rule in ("auto", "size", "support")
            assert pairs_hold(labels, must, cannot)
            assert np.array_equal(np.unique(labels, return_index=True)[0], np.arange(k))
            assert (np.diff(np.unique(labels, return_index=True)[1]) > 0).all()
    assert too_few > 10


def test_labels__of_fewer_clusters_are_found_wherever_there_are_any():
    answers = []
    for seed in range(150):
        _, X, triplets, must, cannot = random_instance(seed, most=9)
        model = fitted(X, triplets, must, cannot)
        for k in range(1, model.fewest_clusters_):
            wanted = can_be_coloured(len(X), must, cannot, k)
            labels = labels_or_none(X, triplets, must, cannot, k)
            assert (labels is not None) == wanted
            assert labels is None or labels.max() + 1 == k
            assert labels is None or pairs_hold(labels, must, cannot)
            answers.append(wanted)
    assert 0.05 < np.mean(answers) < 0.95


def test_labels__near_to_those_without_pairs_are_so_by_the_cheapest_moves():
    """No assignment that keeps the pairs costs less, if the cheapest leaves no cluster empty."""
    moved, compared = 0, 0
    for seed in range(40):
        _, X, _, must, cannot = random_instance(seed, most=7)
        n, groups = len(X), groups_of(len(X), must)
        k = min(3, len(groups))
        label = ReCon(k, linkage="average").fit(X).labels_
        centre = np.stack([X[label == c].mean(axis=0) for c in range(k)])
        square = np.square(X[:, None] - centre[None]).sum(axis=2)
        cost = np.maximum(square - square[np.arange(n), label][:, None], 0)
        several = [
            found
            for choice in product(range(k), repeat=len(groups))
            for found in [np.array([next(c for g, c in zip(groups, choice, strict=True) if i in g) for i in range(n)])]
            if pairs_hold(found, must, cannot)
        ]
        closure = PairwiseConstraints(must, cannot, n).closure()
        found = nearest_feasible(label, closure, X, are_distances=False)
        assert (found is None) == (not any(np.unique(one).size == k for one in several))
        if found is None:
            continue
        prices = [cost[np.arange(n), one].sum() for one in several]
        best = several[int(np.argmin(prices))]
        if np.unique(best).size < k:
            continue
        got = min(cost[np.arange(n), np.array(p)[found]].sum() for p in permutations(range(k)))
        compared += 1
        moved += min(prices) > 0
        assert got <= min(prices) * 1.02 + 1e-9  # and a little for each move
    assert compared > moved > 5


@pytest.mark.parametrize("linkage", ["average", "complete", "ward"])
def test_labels__are_the_better_of_two(linkage, monkeypatch):
    """Which is so by the letter of the documentation. Nothing changes where nothing is violated."""
    several = {False: 0, True: 0, None: 0}
    for seed in range(40):
        X, y = make_blobs(36, 3, centers=3, cluster_std=2 + seed % 4, random_state=seed)
        pairs = sample_class_pairs(y, 18, random_state=seed)
        must, cannot = pairs.must_link.tolist(), pairs.cannot_link.tolist()
        labels = fitted(X, [], must, cannot, 3, linkage=linkage).labels_
        plain = ReCon(3, linkage=linkage).fit(X).labels_
        if pairs_hold(plain, must, cannot):
            assert np.array_equal(labels, plain)
            several[None] += 1
            continue
        both = []
        for choice in (False, True):
            with monkeypatch.context() as patch:
                patch.setattr(_paired_cut, "are_clades_better", lambda *args, choice=choice: choice)
                both.append(fitted(X, [], must, cannot, 3, linkage=linkage).labels_)
        assert np.array_equal(both[0], nearest_feasible(plain, pairs.closure(), X, are_distances=False))
        assert all(pairs_hold(x, must, cannot) for x in both)
        if not np.array_equal(*both):
            near, clades = (sum(np.square(X[x == c] - X[x == c].mean(axis=0)).sum() for c in range(3)) for x in both)
            wanted = bool(misfit_definition(plain, must, cannot) > 0.25 or clades <= near)
            several[wanted] += 1
            assert np.array_equal(labels, both[wanted])
    assert min(several.values()) > 1
    assert sum(several.values()) > 15


def test_labels__fewest_and_most_are_those_of_all_cuts():
    for seed in range(40):
        _, X, triplets, must, cannot = random_instance(seed, most=9)
        model = fitted(X, triplets, must, cannot)
        numbers = {len(c) for c in all_cuts(model.hierarchy_) if pairs_hold(labels_of_cut(c, len(X)), must, cannot)}
        assert numbers == set(range(model.fewest_clusters_, model.most_clusters_ + 1))


def test_labels__support_keeps_no_fewer_triplets_than_any_cut_that_keeps_the_pairs():
    for seed in range(30):
        _, X, triplets, must, cannot = random_instance(seed, most=9)
        t = TripletSet(triplets, len(X))

        def kept(labels, t=t):
            a, b, c = labels[t.rows.T]
            return int(((a == b) & (a != c)).sum())

        model = fitted(X, triplets, must, cannot)
        cuts = [labels_of_cut(c, len(X)) for c in all_cuts(model.hierarchy_)]
        cuts = [labels for labels in cuts if pairs_hold(labels, must, cannot)]
        for k in range(model.fewest_clusters_, model.most_clusters_ + 1):
            best = max(kept(labels) for labels in cuts if labels.max() + 1 == k)
            assert kept(fitted(X, triplets, must, cannot, k, cut="support").labels_) >= best


def test_labels__merge_order_undoes_what_holds_both_ends_then_the_last_merges():
    for seed in range(30):
        _, X, triplets, must, cannot = random_instance(seed, most=12)
        n = len(X)
        model = fitted(X, triplets, must, cannot)
        found = merges_of(model)
        forced = [any(a in x | y and b in x | y for a, b in cannot) for x, y, _ in found]
        inside = n - model.most_clusters_
        assert model.fewest_clusters_ == 1 + sum(forced)
        free = [k for k in range(inside, n - 1) if not forced[k]]
        for k in range(model.fewest_clusters_, model.most_clusters_ + 1):
            stand = [*range(inside), *free[: n - inside - k]]
            clusters = {frozenset([i]) for i in range(n)}
            for x, y, _ in (found[m] for m in stand):
                clusters = (clusters - {x, y}) | {x | y}
            wanted = labels_of_cut(clusters, n)
            assert np.array_equal(fitted(X, triplets, must, cannot, k, cut="merge_order").labels_, wanted)


def test_labels__below_a_threshold_are_the_largest_clades_that_may_be():
    for seed in range(30):
        rng, X, triplets, must, cannot = random_instance(seed, most=12)
        n = len(X)
        model = fitted(X, triplets, must, cannot)
        found, inside = merges_of(model), n - model.most_clusters_
        for threshold in (*rng.uniform(0, 3, 3), 0.0, 99.0):
            good = {frozenset([i]): True for i in range(n)}
            for k, (x, y, d) in enumerate(found):
                both = any(a in x | y and b in x | y for a, b in cannot)
                good[x | y] = good[x] and good[y] and (k < inside or (d <= threshold and not both))
            clusters = [x for x in good if good[x] and not any(good[y] and x < y for y in good)]
            labels = ReCon(None, distance_threshold=threshold).fit(X, triplets=triplets, pairs=(must, cannot)).labels_
            assert np.array_equal(labels, labels_of_cut(clusters, n))
            assert pairs_hold(labels, must, cannot)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_hierarchy__does_not_depend_on_the_order_of_samples(linkage):
    for seed in range(6):
        rng, X, triplets, must, cannot = random_instance(seed, most=25)
        order = rng.permutation(len(X))
        place = np.argsort(order)
        moved = [[tuple(place[list(t)].tolist()) for t in rows] for rows in (triplets, must, cannot)]
        one, two = fitted(X, triplets, must, cannot, linkage=linkage), fitted(X[order], *moved, linkage=linkage)
        clades = {x | y for x, y, _ in merges_of(one)}
        assert clades == {frozenset(order[list(x | y)].tolist()) for x, y, _ in merges_of(two)}
