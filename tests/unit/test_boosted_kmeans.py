import re

import numpy as np
import pytest
from examples import blobs
from refusals import Refusal, refusals
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from tripletree.cluster.kmeans import boosted
from tripletree.cluster.kmeans.boosted import BoostedConstrainedKMeans, Boosting, constrained_means, importance, updated
from tripletree.cluster.kmeans.lloyd import Points
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.provenance import Origins
from tripletree.errors import UnknownLeafError


def class_pairs(rng, y, p):
    """Random pairs of samples, by their classes."""
    rows = rng.integers(0, len(y), (p, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[same], rows[~same]


def quadrants(rng, n=80):
    """Classes that no k-means finds."""
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def quick(k=2, **more):
    return BoostedConstrainedKMeans(k, **{"n_rounds": 5, "n_init": 2, "random_state": 0, **more})


# ------------------------------------------------------------------ the six cases


@pytest.mark.parametrize(
    ("case", "pairs", "wanted"),
    [
        # samples at 0, 4, 5 and 9 on a line, centres at 1 and 8
        ("nothing known", ([], []), [0, 0, 1, 1]),
        ("none, must-link: 0 is nearer to its centre than 5", ([(0, 2)], []), [0, 0, 0, 1]),
        ("none, must-link: both ends are as near, the second counts", ([(0, 3)], []), [1, 0, 1, 1]),
        ("none, cannot-link, other centres", ([], [(0, 3)]), [0, 0, 1, 1]),
        ("none, cannot-link, the same centre: 4 is farther from it than 0", ([], [(0, 1)]), [0, 1, 1, 1]),
        ("one, must-link: 4 goes where 5 is", ([(2, 3), (1, 2)], []), [0, 1, 1, 1]),
        ("one, cannot-link: 4 goes where 5 is not", ([(0, 2)], [(1, 2)]), [0, 1, 0, 1]),
        ("both, must-link: too late", ([(0, 1), (2, 3), (1, 2)], []), [0, 0, 1, 1]),
        ("both, cannot-link: too late", ([(0, 1), (1, 2)], [(0, 2)]), [0, 0, 0, 1]),
    ],
)
def test_cases__of_the_assignment(case, pairs, wanted):
    X = np.array([[0.0], [4.0], [5.0], [9.0]])
    must, cannot = pairs
    some = PairwiseConstraints(must, cannot, 4)
    order = np.array([some.rows.tolist().index(list(x)) for x in (*must, *cannot)], np.int64)
    labels, _ = constrained_means(Points.of(X), some, order, np.array([[1.0], [8.0]]), max_iter=1)
    assert labels.tolist() == wanted, case


def test_cases__one_cluster_halts_at_nothing():
    model = quick(1)
    with pytest.warns(ConvergenceWarning, match=re.escape("no round had an error below 0.5, the error of chance")):
        model.fit([[0.0], [1.0]], pairs=([], [(0, 1)]))
    assert model.labels_.tolist() == [0, 0]
    assert (model.stop_reason_, model.n_iter_, model.violation_cost_) == ("error", 1, 1.0)
    assert list(model.violated_pairs_) == [(0, 1, "cannot")]
    assert model.importances_.tolist() == [1.0]
    assert model.errors_.tolist() == [1.0]


def test_importance__by_hand():
    assert importance(0.2) == pytest.approx(0.5 * np.log(4))
    assert importance(0.0) == 5.0
    assert importance(1e-9) == 5.0
    for error in (0.5, 0.5 - 1e-14, 0.7, 1.0):
        assert importance(error) == 0.0


def test_weights__by_hand():
    wrong = np.array([True, False, False, False])
    weights = updated(np.full(4, 0.25), wrong, importance(0.25))
    np.testing.assert_allclose(weights, [1 / 2, 1 / 6, 1 / 6, 1 / 6])
    for _ in range(200):
        weights = updated(weights, wrong, 5.0)
    assert (weights > 0).all()  # one that has vanished could not come back
    for _ in range(200):
        weights = updated(weights, ~wrong, 5.0)
    assert weights[0] < weights[1]


def test_priorities__pairs_that_were_violated_come_first(rng):
    X, y = quadrants(rng, 40)
    pairs = PairwiseConstraints(*class_pairs(rng, y, 60), 40)
    model = quick(n_rounds=2)
    boosting = None
    for boosting in model.fit_rounds(X, pairs=pairs):
        weights = np.concatenate([boosting.pair_weights_.must_weights, boosting.pair_weights_.cannot_weights])
        violated = pairs.is_violated(model.hypotheses_[-1])
        assert weights[violated].min() > weights[~violated].min()
    assert boosting is model


# ------------------------------------------------------------------ results


def test_results__more_rounds_hold_more_pairs(rng):
    X, y = quadrants(rng)
    pairs = class_pairs(rng, y, 120)
    one = quick(priorities="none").fit(X, pairs=pairs)
    many = quick(n_rounds=60).fit(X, pairs=pairs)
    plain = KMeans(2, n_init=3, random_state=0).fit(X)
    assert many.violation_cost_ < 0.5 * one.violation_cost_
    right = max(np.mean(many.labels_ == y), np.mean(many.labels_ != y))
    assert right > max(np.mean(plain.labels_ == y), np.mean(plain.labels_ != y)) + 0.15


def test_results__without_pairs_are_k_means(rng):
    X, y = blobs(rng)
    for priorities in ("boosted", "random", "none"):
        model = quick(3, priorities=priorities).fit(X)
        assert len(set(zip(model.labels_.tolist(), y.tolist(), strict=True))) == 3
        assert model.violation_cost_ == 0
        assert model.errors_.tolist() == [0.0] * model.n_iter_
    assert model.n_iter_ == 1  # priorities="none"


def test_results__none_is_its_only_round(rng):
    X, y = quadrants(rng)
    model = quick(priorities="none", n_rounds=50).fit(X, pairs=class_pairs(rng, y, 60))
    assert (model.n_iter_, model.stop_reason_, model.importances_.tolist()) == (1, "one round", [1.0])
    assert model.inertia_ == 0
    assert len(set(zip(model.labels_.tolist(), model.hypotheses_[0].tolist(), strict=True))) == 2
    assert np.array_equal(np.unique(model.labels_, return_index=True)[1], [0, (model.labels_ != 0).argmax()])


def test_results__random_rounds_above_the_limit_are_left_out(rng, monkeypatch):
    X, y = quadrants(rng)
    pairs = class_pairs(rng, y, 100)
    model = quick(priorities="random", n_rounds=30).fit(X, pairs=pairs)
    limit = float(np.median(model.errors_))
    monkeypatch.setattr(boosted, "_CHANCE", limit)
    fewer = quick(priorities="random", n_rounds=30).fit(X, pairs=pairs)
    np.testing.assert_array_equal(fewer.errors_, model.errors_)
    assert fewer.n_iter_ == 30
    assert len(fewer.importances_) == (model.errors_ < limit * (1 - 1e-9)).sum()
    assert set(np.unique(model.pair_weights_.must_weights).tolist()) == {1 / (len(model.pair_weights_))}
    monkeypatch.setattr(boosted, "_CHANCE", 1e-6)
    with pytest.warns(ConvergenceWarning, match="no round had an error below"):
        none = quick(priorities="random", n_rounds=10).fit(X, pairs=pairs)
    assert len(none.importances_) == 1
    assert none._rounds[0].error == none.errors_.min()


def test_results__a_round_above_the_limit_ends_the_boosting(rng, monkeypatch):
    X, y = quadrants(rng, 40)
    pairs = class_pairs(rng, y, 40)
    ended = 0
    for seed in range(12):
        errors = quick(n_rounds=8, random_state=seed).fit(X, pairs=pairs).errors_
        record = next((r for r in range(1, len(errors)) if errors[r] > errors[:r].max() * 1.001), None)
        if record is None:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(boosted, "_CHANCE", errors[record])
            model = quick(n_rounds=8, random_state=seed).fit(X, pairs=pairs)
        assert (model.stop_reason_, model.n_iter_) == ("error", record + 1)
        assert len(model.importances_) == record
        np.testing.assert_array_equal(model.errors_, errors[: record + 1])
        before = quick(n_rounds=record, random_state=seed).fit(X, pairs=pairs)
        assert np.array_equal(model.labels_, before.labels_)
        assert model.pair_weights_ == before.pair_weights_
        ended += 1
    assert ended > 1


def test_results__contradictions_in_full_are_told():
    X = np.arange(8.0).reshape(4, 2)
    every = [(0, 1), (1, 2), (0, 2)]
    with pytest.warns(ConvergenceWarning, match=re.escape("the result is one round of error 0.5")):
        model = quick().fit(X, pairs=(every, every))
    assert model.violation_cost_ == 3.0


def test_results__units_do_not_matter(rng):
    X, y = quadrants(rng)
    pairs = class_pairs(rng, y, 60)
    model = quick().fit(X, pairs=pairs)
    for factor in (2.0**-20, 2.0**30):
        assert np.array_equal(quick().fit(X * factor, pairs=pairs).labels_, model.labels_)


# ------------------------------------------------------------------ at any time


def test_rounds__can_be_left_and_stay(rng):
    X, y = quadrants(rng)
    pairs = class_pairs(rng, y, 100)
    model = quick(n_rounds=20)
    for same in model.fit_rounds(X, pairs=pairs):
        assert same is model
        assert model.stop_reason_ == ""
        if model.n_iter_ == 4:
            break
    fewer = quick(n_rounds=4).fit(X, pairs=pairs)
    assert np.array_equal(model.labels_, fewer.labels_)
    assert np.array_equal(model.predict(X), fewer.predict(X))
    assert fewer.stop_reason_ == "rounds"


def test_rounds__interrupted_keep_what_there_is(rng, monkeypatch):
    X, y = quadrants(rng)
    pairs = class_pairs(rng, y, 60)
    step, count = Boosting.step, [0]

    def interrupted(self):
        count[0] += 1
        if count[0] == 3:
            raise KeyboardInterrupt
        step(self)

    monkeypatch.setattr(Boosting, "step", interrupted)
    model = quick()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, pairs=pairs)
    assert vars(model) == vars(quick())
    count[0] = 0
    with pytest.raises(KeyboardInterrupt):
        for _ in model.fit_rounds(X, pairs=pairs):
            pass
    assert model.n_iter_ == 2
    monkeypatch.undo()
    assert np.array_equal(model.labels_, quick(n_rounds=2).fit(X, pairs=pairs).labels_)


def test_rounds__bad_input_is_told_with_the_first(X):
    model = quick()
    with pytest.raises(UnknownLeafError):
        next(model.fit_rounds(X, pairs=([(0, 99)], [])))
    assert vars(model) == vars(quick())
    with pytest.raises(TypeError, match=re.escape("fit(X, pairs=...)")):
        next(model.fit_rounds(X, ([(0, 1)], [])))
    with pytest.raises(NotFittedError):
        next(model.staged_labels())


def test_stops__when_perfect(rng):
    X, y = blobs(rng)
    pairs = class_pairs(rng, y, 20)
    model = quick(3, stop_when_perfect=True, n_rounds=30).fit(X, pairs=pairs)
    assert (model.stop_reason_, model.errors_[-1]) == ("perfect", 0.0)
    assert model.n_iter_ == len(model.importances_) <= 30
    assert model.importances_[-1] == 5.0
    on = quick(3, n_rounds=30).fit(X, pairs=pairs)
    assert (on.stop_reason_, on.n_iter_) == ("rounds", 30)


def test_progress__is_shown_where_wanted(rng, capsys):
    X, y = blobs(rng)
    quick(3).fit(X)
    assert capsys.readouterr().err == ""
    quick(3, verbose=True).fit(X)
    assert "5/5" in capsys.readouterr().err


# ------------------------------------------------------------------ pairs


def test_pairs__weights_are_the_first_priorities(rng):
    X = np.array([[0.0], [1.0], [5.0], [6.0]])
    pairs = PairwiseConstraints([(1, 2)], [(1, 2)], 4, must_weights=[0.25], cannot_weights=[0.75])
    for seed in range(5):
        model = quick(priorities="none", random_state=seed).fit(X, pairs=pairs)
        assert model.errors_.tolist() == [0.25]
        assert list(model.violated_pairs_) == [(1, 2, "must")]
        assert model.violation_cost_ == 0.25
        assert model.violated_pairs_.must_weights.tolist() == [0.25]


def test_pairs__keep_their_origins(X):
    origins = Origins.of_lines("answers.csv", "line", [1, 2])
    pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 2)], 8, must_origins=origins)
    model = quick().fit(X, pairs=pairs)
    assert model.pair_weights_.must_origins[1] == pairs.must_origins[1]
    assert len(model.pair_weights_) == 3
    assert len(model.violated_pairs_) >= 1


# ------------------------------------------------------------------ new samples


def test_predict__of_one_round_is_the_nearest_centre(rng):
    X, y = blobs(rng)
    model = quick(3, priorities="none").fit(X)
    wanted = KMeans(3, init=np.stack([X[model.labels_ == j].mean(axis=0) for j in range(3)]), n_init=1).fit(X)
    new = rng.normal(size=(50, 2)) * 8
    assert np.array_equal(model.predict(new), wanted.predict(new))
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.transform(new).argmin(axis=1), model.predict(new))


def test_predict__is_its_definition(rng):
    X, y = quadrants(rng, 60)
    model = quick(3, n_rounds=20).fit(X, pairs=class_pairs(rng, y, 90))
    new = rng.normal(size=(50, 2))
    votes = [((new[:, None] - done.centres) ** 2).sum(axis=2).argmin(axis=1) for done in model._rounds]
    vectors, fitted = one_hot(model, votes), one_hot(model, model.hypotheses_)
    means = np.stack([fitted[model.labels_ == j].mean(axis=0) for j in range(3)])
    wanted = ((vectors[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(new) ** 2, wanted, atol=1e-9)
    assert (wanted[np.arange(50), model.predict(new)] <= wanted.min(axis=1) + 1e-9).all()


def test_predict__in_parts_is_the_same(rng):
    X, y = quadrants(rng, 60)
    model = quick(3).fit(X, pairs=class_pairs(rng, y, 90))
    whole = model.transform(X)
    parts = [model.transform(X[i : i + 7]) for i in range(0, 60, 7)]
    assert np.array_equal(np.concatenate(parts), whole)
    again = quick(3).fit(X, pairs=class_pairs(rng, y, 90))
    assert again.transform(X).shape == (60, 3)


def one_hot(model, labels):
    k = model._rounds[0].centres.shape[0]
    return np.concatenate([np.sqrt(a) * np.eye(k)[h] for a, h in zip(model.importances_, labels, strict=True)], axis=1)


def test_inertia__is_its_definition(rng):
    X, y = quadrants(rng)
    model = quick(3, n_rounds=20).fit(X, pairs=class_pairs(rng, y, 80))
    vectors = one_hot(model, model.hypotheses_)
    means = np.stack([vectors[model.labels_ == j].mean(axis=0) for j in range(3)])
    assert model.inertia_ == pytest.approx(((vectors - means[model.labels_]) ** 2).sum())


# ------------------------------------------------------------------ corners


def test_corners__one_sample_and_equal_samples():
    assert quick(1).fit([[3.0, 4.0]]).labels_.tolist() == [0]
    with pytest.warns(ConvergenceWarning, match="1 of n_clusters=2 clusters have samples"):
        model = quick(2).fit(np.ones((5, 2)))
    assert model.labels_.tolist() == [0] * 5
    assert model.transform(np.ones((1, 2))).shape == (1, 1)
    assert model.get_feature_names_out().tolist() == ["boostedconstrainedkmeans0"]
    apart = quick(2).fit(np.ones((4, 2)), pairs=([], [(1, 2)]))
    assert apart.violation_cost_ == 0


test_boosted_kmeans__refused = refusals(
    "corners: wrong parameters",
    Refusal(
        lambda wrong, X: quick().set_params(**wrong).fit(X),
        ValueError,
        "parameter",
        each=[
            {"n_clusters": 0},
            {"n_rounds": 0},
            {"priorities": "boost"},
            {"stop_when_perfect": "yes"},
            {"init": "pairs"},
            {"n_init": 0},
            {"max_iter": 0},
            {"missing_samples": "drop"},
        ],
    ),
    "corners: numbers too large",
    Refusal(lambda X: quick().fit(X * 1e200), ValueError, "scale X"),
)
