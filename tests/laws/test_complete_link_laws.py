"""Constrained complete link beside the paper's listing on small random instances, and laws that need no oracle."""

import warnings
from collections import Counter

import numpy as np
import pytest
from complete_link_oracle import (
    asking_definition,
    avoiding_definition,
    complete_link_definition,
    cutoff_asking_definition,
    groups_of,
    has_places,
    imposed_definition,
    listed_clusters_definition,
    square,
)
from scipy.spatial.distance import squareform

from tripletree.algorithms.cut import cut
from tripletree.cluster import ConstrainedCompleteLink, labels_oracle
from tripletree.cluster.agglomerative.complete_link import propagate
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InfeasibleClusteringError


def instance(seed, *, least=2, most=14, whole=False, share=0.15):
    """Distances, classes, and consistent pairs of them: (D, y, must-links, cannot-links)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(least, most))
    size = n * (n - 1) // 2
    D = square(rng.integers(0, 9, size).astype(float) if whole else rng.random(size), n)
    y = rng.integers(0, 3, n)
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < share]
    return D, y, [p for p in pairs if y[p[0]] == y[p[1]]], [p for p in pairs if y[p[0]] != y[p[1]]]


def fitted(D, must, cannot, k=1, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = ConstrainedCompleteLink(k, metric="precomputed", on_infeasible="more", **more)
        return model.fit(D, pairs=(must, cannot))


def merges_of(model, groups=None):
    """The merges between groups that no cannot-link forbids, as (members, members, distance)."""
    n = model.n_leaves_
    members = [frozenset([i]) for i in range(n)]
    found = []
    for (i, j, _, size), distance in zip(model.linkage_.tolist(), model.distances_.tolist(), strict=True):
        a, b = members[int(i)], members[int(j)]
        members.append(a | b)
        assert size == len(a | b)
        found.append((frozenset([a, b]), distance))
    return found[n - (groups or model.most_clusters_) : n - model.fewest_clusters_]


def parts(labels):
    return {frozenset(np.flatnonzero(labels == c).tolist()) for c in set(labels.tolist())}


# ------------------------------------------------------------------ the listing


@pytest.mark.parametrize("whole", [True, False], ids=["ties", "no ties"])
def test_listing__distances_after_propagation(whole):
    shortened = 0
    for seed in range(150):
        D, _, must, cannot = instance(seed, whole=whole)
        n = len(D)
        closure = PairwiseConstraints(must, cannot, n).closure()
        result = propagate(squareform(D), closure.component, closure.cannot)
        found = np.minimum(square(result.condensed, result.n_groups), result.top)
        found = found[np.ix_(closure.component, closure.component)]
        wanted = imposed_definition(D, must, cannot)
        if whole:
            assert np.array_equal(found, wanted)
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
        shortened += (wanted < D - 1e-9).sum() > 2 * len(must)
    assert shortened > 40


@pytest.mark.parametrize("whole", [True, False], ids=["ties", "no ties"])
def test_listing__merges(whole):
    for seed in range(150):
        D, _, must, cannot = instance(seed, whole=whole)
        model = fitted(D, must, cannot)
        wanted, left = complete_link_definition(D, must, cannot)
        found = merges_of(model)
        assert [pair for pair, _ in found] == [frozenset(x[:2]) for x in wanted]
        np.testing.assert_allclose([d for _, d in found], [x[2] for x in wanted], rtol=1e-12)
        assert parts(model.labels_) == left


@pytest.mark.parametrize("rule", ["violate_first", "violate_last"])
def test_listing__to_its_end(rule):
    forced = 0
    for seed in range(200):
        D, _, must, cannot = instance(seed, share=0.4)
        most = PairwiseConstraints(must, cannot, len(D)).closure().n_components
        k = min(most, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = ConstrainedCompleteLink(k, metric="precomputed", on_infeasible=rule)
            model.fit(D, pairs=(must, cannot))
        assert parts(model.labels_) == listed_clusters_definition(D, must, cannot, k, at_end=rule == "violate_last")
        forced += model.fewest_clusters_ > k
    assert forced > 40


def test_listing__many_must_links_and_few():
    for seed in range(60):
        D, _, must, _ = instance(seed, least=8, whole=True, share=0.02 if seed % 2 else 0.6)
        assert merges_of(fitted(D, must, []))[:] == [
            (frozenset(x[:2]), x[2]) for x in complete_link_definition(D, must)[0]
        ]


@pytest.mark.parametrize("k", [2, 3])
def test_listing__merges_that_leave_no_way_to_k_clusters_are_passed_over(k):
    other = none = 0
    for seed in range(250):
        D, y, must, cannot = instance(seed, least=4, most=12, share=0.3)
        cannot = [p for p in cannot if y[p[0]] % k != y[p[1]] % k or seed % 4 == 0]
        group = groups_of(must, len(D))
        start = [frozenset(i for i in range(len(D)) if group[i] == g) for g in sorted(set(group))]
        model = ConstrainedCompleteLink(k, metric="precomputed")
        if len(start) < k:
            continue
        if not has_places(start, cannot, k):
            none += 1
            with pytest.raises(InfeasibleClusteringError) as caught:
                model.fit(D, pairs=(must, cannot))
            assert caught.value.proved
            continue
        wanted, left = avoiding_definition(D, must, cannot, k)
        model.fit(D, pairs=(must, cannot))
        found = merges_of(model)
        assert [pair for pair, _ in found] == [frozenset(x[:2]) for x in wanted]
        np.testing.assert_allclose([d for _, d in found], [x[2] for x in wanted], rtol=1e-12)
        assert model.fewest_clusters_ == len(left)
        assert np.array_equal(model.labels_, cut(model.hierarchy_, k, rule="merge_order"))
        assert model.n_clusters_ == k
        other += wanted != complete_link_definition(D, must, cannot)[0]
    assert other > 5
    assert none > 5 or k == 3


# ------------------------------------------------------------------ laws


def test_law__every_cut_that_is_allowed_keeps_every_constraint():
    for seed in range(80):
        D, _, must, cannot = instance(seed)
        model = fitted(D, must, cannot)
        for k in range(model.fewest_clusters_, model.most_clusters_ + 1):
            labels = cut(model.hierarchy_, k, rule="merge_order")
            assert labels.max() + 1 == k
            assert all(labels[a] == labels[b] for a, b in must)
            assert all(labels[a] != labels[b] for a, b in cannot)
            assert np.array_equal(fitted(D, must, cannot, k).labels_, labels)


def test_law__clusters_that_are_left_are_kept_apart():
    for seed in range(80):
        D, _, must, cannot = instance(seed, share=0.3)
        labels = fitted(D, must, cannot).labels_
        apart = {frozenset((labels[a], labels[b])) for a, b in cannot}
        k = labels.max() + 1
        assert len(apart) == k * (k - 1) // 2


def test_law__heights_rise_and_must_links_come_first():
    for seed in range(80):
        D, _, must, cannot = instance(seed)
        model = fitted(D, must, cannot)
        assert (np.diff(model.distances_) >= 0).all()
        assert np.array_equal(model.distances_, model.linkage_[:, 2])
        assert not model.distances_[: len(D) - model.most_clusters_].any()
        assert (model.distances_ >= model.cannot_link_distance_).sum() == model.fewest_clusters_ - 1


def test_law__the_order_of_samples_does_not_matter():
    for seed in range(80):
        D, _, must, cannot = instance(seed, least=4)
        order = np.random.default_rng(seed).permutation(len(D))
        place = np.argsort(order)
        moved = fitted(D[np.ix_(order, order)], *([(place[a], place[b]) for a, b in x] for x in (must, cannot)))
        plain = fitted(D, must, cannot)
        np.testing.assert_allclose(moved.distances_, plain.distances_, rtol=1e-12)
        for k in range(1, plain.most_clusters_ + 1):  # above the maximum, too
            a, b = (cut(m.hierarchy_, k, rule="merge_order") for m in (moved, plain))
            assert parts(a[place]) == parts(b)


def test_law__what_follows_from_the_pairs_adds_nothing():
    for seed in range(80):
        D, _, must, cannot = instance(seed, least=5, share=0.3)
        given = PairwiseConstraints(must, cannot, len(D))
        every = given.expand()
        assert np.array_equal(fitted(D, every.must_link, every.cannot_link).linkage_, fitted(D, must, cannot).linkage_)


def test_law__a_must_link_never_lengthens_and_a_cannot_link_never_shortens_a_distance():
    for seed in range(60):
        D, y, must, cannot = instance(seed, least=5)
        a, b = (np.minimum(imposed_definition(D, must[:k], []), D.max() + 1) for k in (len(must) // 2, len(must)))
        assert (b <= a).all()
        assert (imposed_definition(D, must, cannot) >= b).all()


def test_law__n_clusters_that_keep_all_pairs_whatever_is_asked():
    again = 0
    for seed in range(200):
        D, y, must, cannot = instance(seed, least=6, most=24, share=0.12)
        k = max(2, len(set(y.tolist())))
        if len(set(groups_of([*must], len(D)))) < k:
            continue
        model = ConstrainedCompleteLink(k, metric="precomputed", n_queries=seed % 12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # answers may leave fewer groups
            model.fit(D, pairs=(must, cannot), oracle=labels_oracle(y))
        a, b = model.pairs_.must_link.T
        c, d = model.pairs_.cannot_link.T
        assert (model.labels_[a] == model.labels_[b]).all()
        assert (model.labels_[c] != model.labels_[d]).all()
        assert model.n_clusters_ == min(k, model.pairs_.closure().n_components)
        assert len(model.queries_) <= seed % 12
        again += model.most_clusters_ == model.pairs_.closure().n_components
    assert again


# ------------------------------------------------------------------ questions


def asked(D, y, k, n_queries, must=(), cannot=()):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = ConstrainedCompleteLink(k, metric="precomputed", on_infeasible="more", n_queries=n_queries)
        return model.fit(D, pairs=(list(must), list(cannot)), oracle=labels_oracle(y))


def test_queries__unlimited_find_the_classes():
    # each merge is asked about, so none joins two classes, and in the end all that may meet have met
    for seed in range(60):
        D, y, must, cannot = instance(seed, least=3)
        model = asked(D, y, 1, len(D) ** 2, must, cannot)
        assert parts(model.labels_) == parts(y)
        assert model.fewest_clusters_ == len(set(y.tolist()))


def test_queries__hold_and_say_something_new():
    for seed in range(60):
        D, y, must, cannot = instance(seed, least=6, most=20, share=0.05)
        budget = 1 + seed % 12
        model = asked(D, y, 1, budget, must, cannot)
        assert len(model.queries_) <= budget
        known = PairwiseConstraints(must, cannot, len(D))
        for a, b, answer in model.queries_:
            closure = known.closure()
            i, j = sorted(closure.component[[a, b]].tolist())
            assert i != j
            assert [i, j] not in closure.cannot.tolist()
            assert answer == (y[a] == y[b])
            assert (model.labels_[a] == model.labels_[b]) == answer
            known |= PairwiseConstraints([(a, b)] if answer else [], [] if answer else [(a, b)], len(D))
        assert known == model.pairs_
        assert all((model.labels_[a] == model.labels_[b]) for a, b in must)
        assert all((model.labels_[a] != model.labels_[b]) for a, b in cannot)


@pytest.mark.parametrize("known", [1.0, 0.7], ids=["all answered", "some unknown"])
@pytest.mark.parametrize("which", ["last", "cutoff"])
def test_queries__are_those_of_the_plain_definition(known, which):
    passes = left_over = 0
    definition = {"last": asking_definition, "cutoff": cutoff_asking_definition}[which]
    for seed in range(60):
        D, y, must, cannot = instance(seed, least=9, most=30, share=0.02)
        D += 0.7 * (y[:, None] != y)  # most answers are yes, so that questions are left over
        heard = np.random.default_rng(seed).random(D.shape) < known
        oracle = lambda a, b, y=y, heard=heard: bool(y[a] == y[b]) if heard[min(a, b), max(a, b)] else None  # noqa: E731
        budget = 1 + seed % 15
        wanted, asked, left = definition(D, must, cannot, oracle, budget)
        options = {"on_infeasible": "more", "n_queries": budget, "asked_merges": which}
        model = ConstrainedCompleteLink(1, metric="precomputed", **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(D, pairs=(must, cannot), oracle=oracle)
        assert [(min(a, b), max(a, b), x) for a, b, x in model.queries_] == [(*k, x) for k, x in asked.items()]
        found = merges_of(model, len(set(groups_of(must, len(D)))))
        assert [pair for pair, _ in found] == [frozenset(x[:2]) for x in wanted]
        np.testing.assert_allclose([d for _, d in found], [x[2] for x in wanted], rtol=1e-12)
        assert parts(model.labels_) == left
        passes += len(found) > 0 and 0.0 in [d for _, d in found]
        left_over += len(asked) < budget
    if which == "last":
        assert passes > 5  # several: must-links that were answered come first
    else:
        assert left_over > 5


def test_queries__on_clear_groups_cost_one_for_each_two_groups():
    # three groups, each much closer than the next: one merge left in each group's neighbourhood is asked at most
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(3), 12))
    X = rng.normal(size=(36, 2)) + 100 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    model = ConstrainedCompleteLink(3, n_queries=6).fit(X, oracle=labels_oracle(y))
    assert parts(model.labels_) == parts(y)
    assert Counter(answer for *_, answer in model.queries_) == {True: 3, False: 3}
