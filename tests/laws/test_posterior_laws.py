"""Samples of trees: the chain against its own definition, its laws, and how sure it is of the truth."""

import copy
import io
import math
import pickle
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from examples import yule

import tripletree as tt
from tripletree._core import engine
from tripletree.algorithms.induce import displays, sample_triplets
from tripletree.algorithms.majority import clade_support
from tripletree.cluster import DivisiveReCon, posterior
from tripletree.core import threads
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex


def traits(h, d, rng, noise=0.25):
    """Features that drift along the branches of a tree, one unit of variance from the root to a leaf."""
    height = np.zeros(h.n_nodes)
    for u in range(h.n_nodes - 1):
        height[h.parent[u]] = max(height[h.parent[u]], height[u] + 1)
    height /= height.max()
    value = np.zeros((h.n_nodes, d))
    for u in range(h.n_nodes - 2, -1, -1):
        p = h.parent[u]
        value[u] = value[p] + np.sqrt(height[p] - height[u]) * rng.normal(size=d)
    return value[: h.n_leaves] + noise * rng.normal(size=(h.n_leaves, d))


LENGTH, _PAIRS, FIT, _VOTES, NOISE = range(5)  # of `TreeWalk.sums`


def state(X, parent, rows, weight):
    """The state of a chain at its first tree."""
    return posterior.Chain(X, parent, rows, weight, None, np.random.default_rng(0)).walk


def begun(n, m, rng):
    """The state of a chain, and the weights and the triplets that it has to do with."""
    h = yule(n, rng).reindex(LeafIndex(n))
    t = sample_triplets(h, m, random_state=rng).reindex(h.leaves)
    start = yule(n, rng).reindex(LeafIndex(n)).parent.astype(np.int32)
    X, weight = rng.normal(size=(n, 3)), rng.uniform(0.5, 2, len(t))
    return state(X, start, t.rows, weight), weight, t


def literal_fit(walk):
    """The log-likelihood by the covariance of the leaves: shared height to the root, and noise. The root is free."""
    parent, height, d = walk.parent, walk.height, walk.mean.shape[1]
    n = (len(parent) + 1) // 2
    root = int(np.flatnonzero(parent < 0)[0])
    shared = np.zeros((n, n))
    for i in range(n):
        above = set()
        u = i
        while u >= 0:
            above.add(u)
            u = parent[u]
        for j in range(n):
            v = j
            while v not in above:
                v = parent[v]
            shared[i, j] = height[root] - height[v]
    shared += walk.sums[NOISE] * np.eye(n)
    # contrasts: the n - 1 directions that do not depend on the root's value
    contrast = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    cov = contrast.T @ shared @ contrast
    X = contrast.T @ walk.mean[:n]
    return -0.5 * (d * np.linalg.slogdet(cov)[1] + np.trace(X.T @ np.linalg.solve(cov, X)))


@pytest.mark.parametrize("n", [3, 4, 7, 20])
def test_chain__keeps_what_it_could_compute_anew(n, rng):
    """Likelihood, prior, sizes and triplets displayed, after many steps. The likelihood agrees with its definition."""
    walk, _, t = begun(n, min(2 * n, math.comb(n, 3)), rng)
    offset = literal_fit(walk) - walk.sums[FIT]
    for _ in range(5):
        walk.walk(1.0, 1.5, rng.random((300, 8)))
        walk.rescale(1.0, rng.random((2, 2)))
        assert (np.diff(walk.height[walk.order]) >= 0).all()
        assert np.array_equal(walk.place[walk.order], np.arange(n - 1))
        sums, size, worth = walk.sums, walk.size, walk.worth
        walk.begin()
        np.testing.assert_allclose(sums, walk.sums, rtol=1e-8)
        assert np.array_equal(size, walk.size)
        assert np.array_equal(worth, walk.worth)
        below = np.flatnonzero(walk.parent >= 0)
        assert (walk.height[walk.parent[below]] > walk.height[below]).all()
        tree = Hierarchy(walk.tree(), LeafIndex(n))
        assert np.array_equal(displays(tree, t), worth == 1)
        assert literal_fit(walk) - walk.sums[FIT] == pytest.approx(offset, abs=1e-6)


def test_chain__without_data_every_history_is_as_frequent():
    """Four leaves, a flat likelihood: the 18 ranked histories of the coalescent, and of Yule trees, are as likely."""
    rng = np.random.default_rng(0)
    start = np.array([4, 4, 5, 6, 5, 6, -1], np.int32)
    walk = state(rng.normal(size=(4, 2)), start, np.empty((0, 3), np.int32), np.ones(0))
    count = Counter()
    for k in range(9_000):
        walk.walk(0.0, 1.0, rng.random((20, 8)))
        if k % 50 == 0:  # heights have no scale without data
            walk.multiply_heights(10 / walk.sums[LENGTH])
            walk.begin()
        count[tuple(walk.tree().tolist())] += 1
    assert len(count) == 18
    assert min(count.values()) > 400
    assert max(count.values()) < 600


@pytest.mark.parametrize("n", [4, 9, 25])
def test_chain__hard_triplets_hold_in_every_tree(n, rng):
    for _ in range(3):
        h = yule(n, rng).reindex(LeafIndex(n))
        t = sample_triplets(h, n, random_state=rng).reindex(h.leaves)
        starts = [h.parent.astype(np.int32)] * 2
        one = np.ones(len(t))
        X, told = rng.normal(size=(n, 2)), (t.rows, one)
        found = posterior.sample_trees(X, starts, t.rows, one * np.inf, rng, deciding=told, effort=0.1)
        assert all(displays(Hierarchy(parent, h.leaves), t).all() for parent in found.parents)
        assert not found.noise.any()
        assert set(found.power.tolist()) <= set(posterior.POWERS)


def test_chain__is_the_same_on_any_number_of_threads(monkeypatch, rng):
    X = rng.normal(size=(30, 3))
    rows = np.array([rng.permutation(30)[:3] for _ in range(30)])
    fits = []
    for cores in (1, 2, 8):
        monkeypatch.setattr(threads.os, "cpu_count", lambda cores=cores: cores)
        fits.append(DivisiveReCon(3, effort=0.2).fit(X, triplets=rows))
    for fit in fits[1:]:
        assert fit.hierarchy_ == fits[0].hierarchy_
        assert np.array_equal(fit.clade_support_, fits[0].clade_support_)


@pytest.mark.parametrize("decide", [None, False, True])
@pytest.mark.parametrize("hard", [False, True])
def test_chain__tells_how_far_it_is(rng, decide, hard):
    """In hundredths of all steps, whatever their number: a bar moves while chains go on."""
    n, told = 12, []
    h = yule(n, rng).reindex(LeafIndex(n))
    t, start = sample_triplets(h, 12, random_state=rng), h.parent.astype(np.int32)
    deciding = None if decide is None else (t.rows, np.ones(12)) if decide else (t.rows[:5], np.ones(5))
    X, weight = rng.normal(size=(n, 2)), np.full(len(t), np.inf if hard else 1.0)
    posterior.sample_trees(X, [start, start], t.rows, weight, rng, deciding=deciding, effort=0.1, tell=told.append)
    assert sum(told) == 100


def test_sample__of_a_hard_fit_is_drawn_when_asked_for(rng):
    """Neither copies nor files nor a call that was cut short change it."""
    truth = yule(30, rng).reindex(LeafIndex(30))
    X, known = traits(truth, 4, rng), truth.restrict(range(0, 30, 2))
    model, other = (DivisiveReCon(3, effort=0.2).fit(X, hierarchy=known) for _ in range(2))
    model.predict(X)
    assert callable(model._drawn)
    models = [other, copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model]
    with pytest.raises(tt.TimeLimitError), tt.time_limit(1e-6):
        other.clade_support_  # noqa: B018
    assert all(np.array_equal(x.clade_support_, model.clade_support_) for x in models)
    assert pickle.loads(pickle.dumps(model)).feature_weight_ == other.feature_weight_


def test_chain__ends_when_time_is_up(rng):
    X = rng.normal(size=(40, 3))
    rows = np.array([rng.permutation(40)[:3] for _ in range(40)])
    model = DivisiveReCon(3, effort=1e5)
    with pytest.raises(tt.TimeLimitError), tt.time_limit(1.0):
        model.fit(X, triplets=rows)
    assert not hasattr(model, "hierarchy_")


def test_effective_trees__of_two_chains(rng):
    trees = [yule(30, rng).parent for _ in range(400)]
    leaf, shares = np.arange(30), np.zeros(100)

    def effective(parents):
        some = shares[: len(parents)]
        return posterior.TreeSample(np.array(parents), some, some, leaf).mixing().effective_trees

    # each chain stays at its own tree: a share is 0, 1/2 or 1, and the two are worth one tree
    assert effective([trees[0]] * 50 + [trees[1]] * 50) == pytest.approx(1.0)
    assert effective([trees[0]] * 100) == 100
    independent = [effective(trees[i : i + 100]) for i in range(0, 400, 100)]
    assert 50 < np.mean(independent) <= 100
    repeated = [effective(np.repeat(trees[i : i + 10], 10, axis=0)) for i in range(0, 400, 10)]
    assert 7 < np.median(repeated) < 15


def test_left_out__is_the_chance_without_a_triplet():
    """Of trees in the proportions that a posterior gives them, against the posterior without the triplet."""
    trees = [Hierarchy.from_nested(x) for x in ([[[0, 1], 2], 3], [[[0, 2], 1], 3], [[0, 1], [2, 3]], [[[2, 3], 1], 0])]
    trees = [h.reindex(LeafIndex(4)) for h in trees]
    parents = np.array([h.parent for h in trees], np.int32)
    prior, wrong = np.array([0.4, 0.3, 0.2, 0.1]), 0.2
    t = tt.TripletSet(np.array([[0, 1, 2], [2, 3, 0], [1, 2, 3]], np.int32), 4)
    shown = np.array([displays(h, t) for h in trees])
    chance = np.where(shown, 1 - wrong, wrong / 2)
    posterior_of = prior * chance.prod(axis=1)
    copies = np.rint(60_000 * posterior_of / posterior_of.sum()).astype(int)
    found = posterior._left_out(np.repeat(parents, copies, axis=0), np.full(copies.sum(), wrong), t.rows)
    for k in range(3):
        without = prior * np.delete(chance, k, axis=1).prod(axis=1)
        assert found[k] == pytest.approx(without @ chance[:, k] / without.sum(), rel=1e-3)


def test_stacked__weights_are_the_best_on_a_grid(rng):
    """The greatest sum of logarithms of mixed chances, `USUAL` sure ones of one distribution among them."""
    for usual in (0, 1, 2):
        chance, weight = rng.random((3, 12)) ** 3 + 1e-3, rng.random(12) + 0.5
        grid = [np.array([i, j, 60 - i - j]) / 60 for i in range(1, 60) for j in range(1, 60 - i)]

        def merit(share, chance=chance, weight=weight, usual=usual):
            return np.log(share @ chance) @ weight + posterior.USUAL * np.log(share[usual])

        assert merit(posterior._stacked(chance, weight, usual)) > max(merit(x) for x in grid) - 1e-3
    assert posterior._stacked(np.full((4, 3), 0.5), np.ones(3), 2).argmax() == 2  # nothing speaks against it


def test_dealt__each_as_often_as_its_share_says(rng):
    for n in (1, 7, 50):
        share = rng.dirichlet(np.ones(5))
        count = np.bincount(posterior._dealt(share, n), minlength=5)
        assert count.sum() == n
        assert (abs(count - n * share) < 1).all() or n < 5


def test_features__count_as_the_statements_say(rng):
    """Right triplets are not taken for wrong ones beside features of another tree. The right features count."""
    truth = yule(50, rng).reindex(LeafIndex(50))
    X, t = traits(truth, 6, rng), sample_triplets(truth, 100, random_state=rng)
    right = DivisiveReCon(4, effort=0.5).fit(X, triplets=t)
    with pytest.warns(UserWarning, match="names are exchanged"):
        other = DivisiveReCon(4, effort=0.5).fit(rng.permutation(X), triplets=t)
    unseen = sample_triplets(truth, 500, random_state=rng)
    for model in (right, other):
        assert 0.03 <= model.feature_weight_ <= 4
        assert model.noise_ < 0.1
        assert displays(model.hierarchy_, unseen).mean() > 0.7
    for constraints, given in (
        ("hard", {"hierarchy": truth}),
        ("soft", {"hierarchy": truth}),
        ("hard", {"triplets": t}),
    ):
        model = DivisiveReCon(4, constraints=constraints)
        of_right = model.fit(X, **given).feature_weight_
        with pytest.warns(UserWarning, match="names are exchanged"):
            of_other = model.fit(X[::-1].copy(), **given).feature_weight_
        assert 0.03 <= of_other < of_right <= 4
    pairs = tt.PairwiseConstraints(t.rows[:20, :2], t.rows[:20, 1:], 50)
    assert DivisiveReCon(4, constraints="soft", effort=0.1).fit(X, pairs=pairs).feature_weight_ == 1.0
    assert DivisiveReCon(4).fit(X).feature_weight_ is None


def test_features__hard_statements_of_another_tree_make_nothing_sure(rng):
    """Half of the names are known. Features that say something else make few clades sure."""
    truth = yule(60, rng).reindex(LeafIndex(60))
    X, known = traits(truth, 6, rng), truth.restrict(range(0, 60, 2))
    support = DivisiveReCon(4, effort=0.5).fit(X, hierarchy=known).clade_support_[:-1]
    right = (support[support < 1] > 0.8).mean()
    with pytest.warns(UserWarning, match="names are exchanged"):
        support = DivisiveReCon(4, effort=0.5).fit(rng.permutation(X), hierarchy=known).clade_support_[:-1]
    assert (support[support < 1] > 0.8).mean() < min(right, 0.1)


def literal_r_hat(chains):
    """Split R-hat of one quantity as Gelman and others define it (Bayesian Data Analysis, section 11.4)."""
    parts = [half for chain in chains for half in (chain[: len(chain) // 2], chain[-(len(chain) // 2) :])]
    m, n = len(parts), len(parts[0])
    means = [sum(x) / n for x in parts]
    grand = sum(means) / m
    b = n / (m - 1) * sum((x - grand) ** 2 for x in means)
    w = sum(sum((v - mean) ** 2 for v in x) / (n - 1) for x, mean in zip(parts, means, strict=True)) / m
    return (((n - 1) / n * w + b / n) / w) ** 0.5, (n - 1) / n * w + b / n, parts


def literal_size(chains):
    """The effective sample size of one quantity (section 11.5): sums of two autocorrelations until one is negative."""
    _, variance, parts = literal_r_hat(chains)
    m, n = len(parts), len(parts[0])

    def rho(t):
        v = sum((x[i] - x[i - t]) ** 2 for x in parts for i in range(t, n)) / (m * (n - t))
        return 1 - v / (2 * variance)

    total, t = 0.0, 1
    while t + 1 < n and rho(t) + rho(t + 1) >= 0:
        total += rho(t) + rho(t + 1)
        t += 2
    return m * n / max(1 + 2 * total, 1)


@pytest.mark.parametrize("length", [12, 13, 50])
def test_r_hat_and_effective_sizes__by_their_definitions(rng, length):
    steps = rng.normal(size=(2, length, 30))
    slow = np.cumsum(steps, axis=1) * np.linspace(0, 1, 30) + steps  # from independent to a random walk
    for chains in (slow, (slow > 0).astype(float)):
        moves = [k for k in range(30) if (np.ptp(chains[:, : length // 2, k], axis=1) > 0).any()]
        found, sizes = posterior.split_r_hat(chains), posterior.effective_sizes(chains)
        assert len(moves) > 15
        for k in moves:
            assert found[k] == pytest.approx(literal_r_hat(chains[:, :, k].tolist())[0])
            assert sizes[k] == pytest.approx(literal_size(chains[:, :, k].tolist()))


def test_r_hat__of_chains_that_agree_and_that_do_not(rng):
    draws = (rng.random((2, 50, 400)) < 0.4).astype(float)
    assert (posterior.split_r_hat(draws) < 1.1).mean() > 0.98
    assert 60 < np.median(posterior.effective_sizes(draws)) <= 100
    apart = np.zeros((2, 50, 1))
    apart[1] = 1.0
    assert np.isinf(posterior.split_r_hat(apart)).all()
    assert posterior.effective_sizes(apart)[0] < 3
    assert posterior.split_r_hat(apart[:1])[0] == 1.0  # nothing moves


def test_mixing__is_of_the_triplets_that_the_chains_leave_open(rng):
    n = 12
    X, rows = rng.normal(size=(n, 2)), np.array([[0, 1, 2], [3, 4, 0], [5, 6, 1], [1, 2, 7]])
    model = DivisiveReCon(2, effort=0.2).fit(X, triplets=rows)
    mixing, half = model.mixing_, len(model.sampled_trees_) // 2
    assert mixing.effective_trees == model.effective_trees_
    assert len(mixing.triplets) == len(mixing.r_hat) == len(mixing.effective_sizes) > 20
    t = tt.TripletSet(mixing.triplets.astype(np.int32), n)
    assert np.array_equal(t.rows, mixing.triplets)  # each once
    shown = np.array([displays(tree, t) for tree in model.sampled_trees_], float)
    assert ((shown.mean(axis=0) > 0.04) & (shown.mean(axis=0) < 0.96)).all()
    for k in range(0, len(t), 10):
        chains = [shown[:half, k].tolist(), shown[half:, k].tolist()]
        assert mixing.r_hat[k] == pytest.approx(literal_r_hat(chains)[0])
        assert mixing.effective_sizes[k] == pytest.approx(literal_size(chains))
    assert mixing.disagreeing == np.mean(mixing.r_hat > 1.1)
    assert DivisiveReCon(2).fit(X).mixing_ is None


def test_support__is_the_share_of_trees_with_the_clade_and_one_without(rng):
    n = 9
    X, rows = rng.normal(size=(n, 2)), np.array([[0, 1, 2], [3, 4, 0], [5, 6, 1], [1, 2, 7]])
    model = DivisiveReCon(2, effort=0.2).fit(X, triplets=rows)
    sample = [Hierarchy(parent, LeafIndex(n)) for parent in model._sample.parents]

    # the sample is over the samples in the order of their values
    def clades(tree, number):
        start, stop, leaf = tree.leaf_intervals
        return [frozenset(number[leaf[i:j]].tolist()) for i, j in zip(start[n:], stop[n:], strict=True)]

    of_sample = [set(clades(tree, np.argsort(model._sample.leaf))) for tree in sample]
    share = np.array([np.mean([c in found for found in of_sample]) for c in clades(model.hierarchy_, np.arange(n))])
    effective = model.effective_trees_
    wanted = np.append(effective * share[:-1] / (effective + 1), 1.0)
    assert 1 < effective <= len(sample)
    assert np.allclose(model.clade_support_, wanted)
    assert model.clade_support_[-1] == 1.0  # the root
    assert [set(clades(tree, np.arange(n))) for tree in model.sampled_trees_] == of_sample
    text = io.StringIO(tt.write_newick(model.hierarchy_, support=model.clade_support_))
    assert np.allclose(np.sort(tt.io.read_support(text)[1]), np.sort(wanted), atol=1e-6)


def test_triplet_probability__sums_to_one_and_takes_labels(rng):
    import pandas as pd

    names = [f"s{i}" for i in range(12)]
    X = pd.DataFrame(rng.normal(size=(12, 2)), index=names)
    t = tt.TripletSet.from_labels([("s0", "s1", "s2"), ("s3", "s4", "s0")], names)
    model = DivisiveReCon(2, effort=0.1).fit(X, triplets=t)
    three = [("s5", "s1", "s9"), ("s5", "s9", "s1"), ("s1", "s9", "s5")]
    share = model.triplet_probability(three)
    assert share.sum() == pytest.approx(1.0)
    of_set = model.triplet_probability(t)
    assert np.array_equal(of_set, model.triplet_probability([("s0", "s1", "s2"), ("s3", "s4", "s0")]))
    assert np.array_equal(model.triplet_probability(np.array([[5, 1, 9]])), share[:1])
    shown = np.mean([displays(tree, t) for tree in model.sampled_trees_], axis=0)
    effective = model.effective_trees_
    assert of_set == pytest.approx((effective * shown + 1 / 3) / (effective + 1))
    with pytest.raises(tt.errors.UnknownLeafError, match="nobody"):
        model.triplet_probability([("s0", "s1", "nobody")])
    with pytest.raises(ValueError, match="no trees were sampled"):
        DivisiveReCon(2).fit(X).triplet_probability(three)
    with pytest.raises(ValueError, match="no trees were sampled"):
        DivisiveReCon(2, effort=0).fit(X, triplets=t).triplet_probability(three)
    none = DivisiveReCon(2, effort=0).fit(X, triplets=t)
    assert none.clade_support_ is None
    assert none.effective_trees_ is None


def test_hard_triplets_and_their_clades_are_certain(rng):
    h = tt.Hierarchy.from_nested([[[0, 1], [2, 3]], [4, 5, 6], 7, 8])
    model = DivisiveReCon(2, effort=0.1).fit(rng.normal(size=(9, 3)), hierarchy=h)
    rows = np.array([(a, b, c) for a, b in combinations(range(9), 2) for c in range(9) if c not in (a, b)])
    said = model.triplet_probability(rows)
    trio = {}
    for row, p in zip(rows.tolist(), said, strict=True):
        trio.setdefault(tuple(sorted(row)), []).append(p)
    assert np.allclose([sum(p) for p in trio.values()], 1.0)
    certain = displays(h, tt.TripletSet(rows, 9))
    assert (said[certain] == 1.0).all()
    left_open = [0 < p < 1 for row, p in zip(rows.tolist(), said, strict=True) if set(row) <= {4, 5, 6}]
    assert all(left_open)
    given = clade_support(model.hierarchy_, [h]) > 0
    assert (model.clade_support_[given] == 1.0).all()
    assert (model.clade_support_[~given] < 1.0).all()


def test_many_samples__no_trees_are_sampled(monkeypatch, rng):
    for step in ("tree", "estimator"):
        monkeypatch.setattr(f"tripletree.cluster.divisive.{step}.ITEMS_MAX", 20)
    X = np.concatenate([rng.normal(size=(30, 2)) + 9 * k for k in range(3)])
    model = DivisiveReCon(3).fit(X, triplets=np.array([[0, 1, 40], [30, 31, 70], [60, 61, 2], [5, 6, 33]]))
    assert model.clade_support_ is None
    with pytest.raises(ValueError, match="2,000 samples at most"):
        model.triplet_probability([(0, 1, 40)])


@pytest.mark.slow
def test_probabilities__are_about_as_often_true_as_they_say():
    """Simulated trees with 40 leaves and 40 triplets, a tenth of them wrong."""
    said, true = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        h = yule(40, rng).reindex(LeafIndex(40))
        X = traits(h, 4, rng)
        t = sample_triplets(h, 40, random_state=rng).reindex(h.leaves)
        rows = t.rows.copy()
        rows[:4] = rows[:4][:, [0, 2, 1]]
        model = DivisiveReCon(4).fit(X, triplets=rows)
        trios = np.array([rng.permutation(40)[:3] for _ in range(400)])
        said += model.triplet_probability(trios).tolist()
        true += displayed(h, trios)
    said, true = np.array(said), np.array(true)
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        some = (said >= low) & (said < high)
        assert abs(said[some].mean() - true[some].mean()) < 0.12


def displayed(h, rows):
    return [bool(displays(h, tt.TripletSet([row], h.leaves))[0]) for row in rows.tolist()]


def test_trees__are_nearer_to_the_truth_than_without_the_sample():
    """n triplets, a fifth of them wrong: unseen triplets displayed, over six draws."""
    gain = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        h = yule(60, rng).reindex(LeafIndex(60))
        X = traits(h, 4, rng)
        rows = sample_triplets(h, 60, random_state=rng).reindex(h.leaves).rows.copy()
        rows[:12] = rows[:12][:, [0, 2, 1]]
        unseen = sample_triplets(h, 2_000, random_state=rng).reindex(h.leaves)
        with_it, without = (DivisiveReCon(4, effort=e).fit(X, triplets=rows).hierarchy_ for e in (1.0, 0.0))
        gain.append(displays(with_it, unseen).mean() - displays(without, unseen).mean())
    assert np.mean(gain) > 0.03


# ---------------------------------------------------------------------- people who tell degrees of likeness


def literal_chance(tree, height, trio, named, sharpness, wrong):
    """The chance that one of three is named: pairs stay together in proportion to the power of their height."""
    likeness = [height[tree.common_ancestor(x for x in trio if x != left)] ** -sharpness for left in trio]
    by_likeness = likeness[trio.index(named)] / sum(likeness)
    return (1 - 1.5 * wrong) * by_likeness + 0.5 * wrong


@pytest.mark.parametrize("n", [3, 4, 7, 20])
@pytest.mark.parametrize(("sharpness", "wrong"), [(0.5, 0.1), (4.0, 0.01), (30.0, 0.3)])
def test_replies__keep_their_chances(n, sharpness, wrong, rng):
    """After many steps the worth of each reply is the logarithm of its literal chance, and the sums are right."""
    walk, weight, t = begun(n, min(2 * n, math.comb(n, 3)), rng)
    walk.believe(sharpness, wrong, walk.worth, 0.0)
    walk.begin()
    for _ in range(5):
        walk.walk(1.0, 1.0, rng.random((300, 8)))
        walk.rescale(1.0, rng.random((2, 2)))
        tree, height = Hierarchy(walk.tree(), LeafIndex(n)), np.sort(walk.height)
        expected = [math.log(literal_chance(tree, height, row, row[2], sharpness, wrong)) for row in t.rows.tolist()]
        np.testing.assert_allclose(walk.worth, expected, rtol=1e-8)
        votes, sums = walk.votes, walk.sums
        assert votes == pytest.approx(weight @ expected)
        walk.begin()
        np.testing.assert_allclose(sums, walk.sums, rtol=1e-8)


@pytest.mark.parametrize("sharpness", [1.0, 6.0])
def test_replies__weigh_trees_by_their_chances(sharpness):
    """Three leaves and one reply: the share of each tree, by integration over the ratio of the two heights."""
    rng, wrong, n = np.random.default_rng(1), 0.1, 3
    ratio = (np.arange(4_000) + 0.5) / 4_000
    prior = (ratio + 2) ** -2 + 0.5 * (2 * ratio + 1) ** -2  # Yule and coalescent trees, their rates integrated out
    other = ratio**sharpness
    right, one_wrong = (
        prior @ ((1 - 1.5 * wrong) * named / (1 + 2 * other) + 0.5 * wrong) for named in (np.ones_like(other), other)
    )
    start = np.array([3, 3, 4, 4, -1], np.int32)
    walk = state(rng.normal(size=(n, 1)), start, np.array([[0, 2, 1]], np.int32), np.ones(1))
    walk.believe(sharpness, wrong, walk.worth, 0.0)
    count = np.zeros(3)
    for k in range(20_000):
        walk.walk(0.0, 1.0, rng.random((6, 8)))
        if k % 20 == 0:  # heights have no scale without data
            walk.multiply_heights(10 / walk.sums[LENGTH])
            walk.begin()
        parent = walk.tree()
        count[int(np.flatnonzero(parent[:n] == n + 1)[0])] += 1
    share = count / count.sum()
    expected = np.array([one_wrong, right, one_wrong]) / (right + 2 * one_wrong)
    np.testing.assert_allclose(share, expected, atol=0.02)


def test_chain__learns_how_sharp_people_are():
    """Given enough replies to trios of a known tree, the sharpness and the share of wrong ones are near the truth."""
    rng = np.random.default_rng(0)
    h = yule(60, rng).reindex(LeafIndex(60))
    chain = posterior.Chain(traits(h, 8, rng, 0.05), h.parent.astype(np.int32), np.empty((0, 3), np.int32), np.empty(0),
                            None, rng, by_order=0.5)  # fmt: skip
    trios = np.array([rng.choice(60, 3, replace=False) for _ in range(4_000)], np.int32)
    odd, ratio, _ = engine.posterior.odd_ones(chain.tree()[None], chain.heights[None], trios)
    chance = np.stack([posterior.reply_chance(odd[0] == k, ratio[0], 4.0, 0.05) for k in range(3)], axis=1)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    named = (rng.random(len(trios))[:, None] > chance.cumsum(axis=1)).sum(axis=1)
    rows = np.array([[*np.delete(trio, k), trio[k]] for trio, k in zip(trios, named, strict=True)], np.int32)
    chain.hear(rows, np.ones(len(rows)))
    drawn = []
    for _ in range(200):  # a draw compares a few values only
        chain.go_on(1)
        drawn.append((chain.sharpness, chain.wrong))
    sharpness, wrong = np.mean(drawn[50:], axis=0)
    assert 2.8 < sharpness < 5.7
    assert 0.02 < wrong < 0.09


def test_odd_ones__are_those_of_the_clades():
    rng = np.random.default_rng(5)
    trees = [yule(9, rng).reindex(LeafIndex(9)) for _ in range(4)]
    trios = np.array([rng.choice(9, 3, replace=False) for _ in range(40)], np.int32)
    parents = np.array([h.parent for h in trees], np.int32)
    heights = np.sort(rng.random((4, 8)), axis=1)
    odd, ratio, hanging = engine.posterior.odd_ones(parents, heights, trios)
    for i, h in enumerate(trees):
        clades = [set(h.clade(u)) for u in range(h.n_nodes)]
        for k, trio in enumerate(trios.tolist()):
            both = [set(trio) - {x} for x in trio]
            sizes = [min(len(c) for c in clades if pair <= c) for pair in both]
            assert sizes[odd[i, k]] == min(sizes)
            assert sizes.count(min(sizes)) == 1
            alone = [max(len(c) for c in clades if c & set(trio) == {x}) for x in trio]
            assert hanging[i, k] == np.prod(alone)
            low, _, high = sorted(heights[i, h.common_ancestor(pair) - 9] for pair in map(sorted, both))
            assert ratio[i, k] == low / high
