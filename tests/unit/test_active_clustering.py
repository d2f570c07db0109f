import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tripletree.cluster import (
    ActiveClustering,
    ConstrainedCompleteLink,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    ReCon,
    labels_oracle,
)
from tripletree.cluster.active import Border, RandomWalk
from tripletree.cluster.kmeans.cvqe import CVQE
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InconsistentPairsError, InvalidPairError, UnknownLeafError


class Fixed:
    """Asks given pairs, all at once."""

    def __init__(self, *pairs):
        self.pairs = pairs

    def query(self, state, n):
        return [p for p in self.pairs if state.known.is_open(*p)]


@pytest.fixture
def blobs(rng):
    y = np.arange(60) % 3
    return rng.normal(size=(60, 2)) + 3.0 * np.eye(3)[y][:, :2], y


def active(strategy="border", k=3, **options):
    return ActiveClustering(PCKMeans(k, n_init=2, random_state=0), strategy, **{"random_state": 0, **options})


# ------------------------------------------------------------------ rounds


def test_rounds__blocks_until_the_budget_is_spent(blobs):
    X, y = blobs
    seen = []
    model = active(n_queries=25, block_size=10, keep_labels=True).fit(
        X, oracle=labels_oracle(y), callback=lambda m, r: seen.append((m.labels_.copy(), r))
    )
    assert [r.n_asked for r in model.history_] == [0, 10, 20, 25]
    assert len(model.queries_) == 25
    assert all(answer is bool(y[a] == y[b]) for a, b, answer in model.queries_)
    assert len(model.pairs_) == 25
    assert model.contradictions_ == []
    assert [r for _, r in seen] == model.history_
    assert all(np.array_equal(labels, r.labels) for labels, r in seen)
    assert np.array_equal(model.labels_, model.history_[-1].labels)
    assert np.array_equal(model.labels_, model.estimator_.labels_)
    assert model.history_[-1].n_pairs == model.history_[-1].n_answered == 25
    assert active(n_queries=5).fit(X, oracle=labels_oracle(y)).history_[0].labels is None


def test_rounds__questions_help(blobs):
    X, y = blobs
    before = active(n_queries=0).fit(X, oracle=labels_oracle(y))
    after = active(n_queries=60).fit(X, oracle=labels_oracle(y))
    agree = [np.mean((y[:, None] == y) == (m.labels_[:, None] == m.labels_)) for m in (before, after)]
    assert agree[1] > agree[0] + 0.05


@pytest.mark.parametrize("strategy", ["border", "explore", "minmax", "npu", "huang", "random", Border(3)])
def test_rounds__every_strategy_asks_nothing_twice(blobs, strategy):
    X, y = blobs
    model = active(strategy, n_queries=22, block_size=8).fit(X, oracle=labels_oracle(y))
    assert len({frozenset(q[:2]) for q in model.queries_}) == len(model.queries_) == 22
    again = active(strategy, n_queries=22, block_size=8).fit(X, oracle=labels_oracle(y))
    assert again.queries_ == model.queries_
    assert np.array_equal(again.labels_, model.labels_)


def test_rounds__a_poor_start_is_left(blobs):
    X, y = blobs
    model = active(n_queries=20).fit(X, oracle=labels_oracle(y))
    fresh = clone(model.estimator_).set_params(init="pairs").fit(X, pairs=model.pairs_)
    assert model.estimator_.objective_ <= fresh.objective_ + 1e-9


def test_rounds__start_where_the_last_one_ended(blobs):
    X, y = blobs
    starts = []
    model = active(n_queries=20)
    model.fit(X, oracle=labels_oracle(y), callback=lambda m, r: starts.append((m.init, m.cluster_centers_)))
    assert isinstance(starts[0][0], str)
    later = list(zip(starts, starts[1:], strict=False))
    assert all(isinstance(b[0], str) or np.array_equal(b[0], a[1]) for a, b in later)
    assert any(not isinstance(b[0], str) for _, b in later)
    starts.clear()
    model.set_params(warm_start=False).fit(
        X, oracle=labels_oracle(y), callback=lambda m, r: starts.append((m.init, None))
    )
    assert {x for x, _ in starts} == {"pairs"}


def test_rounds__who_inherits(blobs):
    X, y = blobs
    for estimator, inherit, more in (
        (CVQE(3, n_init=1), "auto", True),
        (CVQE(3, n_init=1), False, False),
        (PCKMeans(3, n_init=1), "auto", False),
        (PCKMeans(3, n_init=1), True, True),
        (COPKMeans(3), "auto", False),
        (ReCon(3), "auto", False),
    ):
        model = ActiveClustering(estimator, n_queries=10, inherit=inherit, random_state=0)
        model.fit(X, oracle=labels_oracle(y))
        assert (model.history_[-1].n_pairs > 10) is more
        assert len(model.pairs_) == 10
        assert model.history_[0].n_pairs == 0


def test_rounds__the_defaults_are_those_of_the_benchmark(rng):
    X = rng.normal(size=(40, 2))
    model = ActiveClustering(n_queries=5, random_state=0).fit(X, oracle=labels_oracle(np.arange(40) % 8))
    assert isinstance(model.estimator_, MPCKMeans)
    assert model.estimator_.n_clusters == 8
    walk = ActiveClustering(strategy=RandomWalk(), n_queries=5, random_state=0)
    assert walk.fit(X, oracle=labels_oracle(np.arange(40) % 8)).queries_ == model.queries_


def test_rounds__estimator_stays_as_it_was(blobs):
    X, y = blobs
    inside = PCKMeans(3, n_init=1)
    model = ActiveClustering(inside, n_queries=5, random_state=3).fit(X, oracle=labels_oracle(y))
    assert not hasattr(inside, "labels_")
    assert inside.random_state is None
    assert isinstance(model.estimator_.random_state, int)
    copy = clone(model)
    assert copy.get_params()["estimator__n_clusters"] == 3
    assert np.array_equal(pickle.loads(pickle.dumps(model)).labels_, model.labels_)


# ------------------------------------------------------------------ answers


def test_answers__unknown_ones_are_never_asked_again(blobs):
    X, _ = blobs
    model = active(n_queries=30).fit(X, oracle=lambda a, b: None)
    assert len({frozenset(q[:2]) for q in model.queries_}) == 30
    assert {q[2] for q in model.queries_} == {None}
    assert len(model.pairs_) == 0
    assert model.history_[-1].n_answered == 0


def test_answers__given_pairs_count_and_are_not_asked(blobs):
    X, y = blobs
    first = active(n_queries=10).fit(X, oracle=labels_oracle(y))
    second = active(n_queries=10).fit(X, oracle=labels_oracle(y), pairs=first.pairs_)
    assert len(second.pairs_) == 20
    assert second.history_[0].n_pairs == 10
    assert not {frozenset(q[:2]) for q in first.queries_} & {frozenset(q[:2]) for q in second.queries_}


def test_answers__violated_ones_are_reported(rng):
    X = np.array([[0.0], [0.1], [9.0], [9.1]])
    model = ActiveClustering(PCKMeans(2, penalty=0, random_state=0), Fixed((0, 1), (2, 3)), n_queries=2, block_size=2)
    model.fit(X, oracle=lambda a, b: a != 0)
    assert list(model.violated_pairs_) == [(0, 1, "cannot")]


@pytest.mark.parametrize("problem", [RuntimeError("gone home"), KeyboardInterrupt()])
def test_answers__are_kept_when_the_oracle_fails(blobs, problem):
    X, y = blobs
    model = active(n_queries=20, block_size=5)
    said = []

    def oracle(a, b):
        if len(said) == 8:
            raise problem
        said.append((a, b, bool(y[a] == y[b])))
        return said[-1][2]

    with pytest.raises(type(problem)) as caught:
        model.fit(X, oracle=oracle)
    assert caught.value.__notes__ == ["8 answers so far: see queries_ and pairs_ of the estimator"]
    assert model.queries_ == said
    assert len(model.pairs_) == 8
    assert not hasattr(model, "labels_")
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, pairs=model.pairs_, oracle=labels_oracle(y))
    labels = model.labels_
    assert len(model.pairs_) == 28
    said.clear()
    with pytest.raises(type(problem)):
        model.fit(X[:50], oracle=oracle)
    assert model.labels_ is labels
    assert model.queries_ == said


def test_answers__are_kept_when_one_is_none_or_the_callback_fails(blobs):
    X, _ = blobs
    model = active(n_queries=20, block_size=3)
    replies = iter([True, False, "yes"])
    with pytest.raises(TypeError, match="returned 'yes'"):
        model.fit(X, oracle=lambda a, b: next(replies))
    assert [q[2] for q in model.queries_] == [True, False]

    def callback(estimator, part):
        assert part.n_asked == 0, "stop"

    with pytest.raises(AssertionError, match="stop"):
        model.fit(X, oracle=lambda a, b: False, callback=callback)
    assert [q[2] for q in model.queries_] == [False] * 3


def test_answers__that_contradict_each_other_are_reported(blobs):
    X, _ = blobs
    strategy = Fixed((0, 1), (1, 2), (0, 2), (4, 5))
    replies = {(0, 2): False}
    model = active(strategy, n_queries=4, block_size=4)
    with pytest.warns(UserWarning, match="0 and 2 apart contradicts 0 and 1 together, 1 and 2 together") as caught:
        model.fit(X, oracle=lambda a, b: replies.get((a, b), True))
    assert caught[0].filename == __file__
    (found,) = model.contradictions_
    assert (found.answer, found.path, found.cannot_link) == ((0, 2, False), [0, 1, 2], (0, 2))
    assert len(model.queries_) == len(model.pairs_) == 4
    model.set_params(on_contradiction="raise")
    with pytest.raises(InconsistentPairsError) as caught:
        model.fit(X, oracle=lambda a, b: replies.get((a, b), True))
    assert (caught.value.path, caught.value.cannot_link) == ([0, 1, 2], (0, 2))
    assert len(model.queries_) == 3
    assert len(model.contradictions_) == 1


def test_answers__the_two_of_a_pair(blobs):
    X, _ = blobs

    class Stubborn:
        def query(self, state, n):
            return [(5, 4)]

    model = active(Stubborn(), n_queries=3)
    with (
        pytest.warns(UserWarning, match="5 and 4 together contradicts 5 and 4 apart"),
        pytest.warns(UserWarning, match="the strategy has no further question"),
    ):
        model.fit(X, oracle=lambda a, b: True, pairs=([], [(4, 5)]))
    assert len(model.queries_) == 1  # a pair is never asked twice


def test_answers__contradictions_reach_no_estimator_that_takes_them_as_certain(blobs):
    X, _ = blobs
    strategy = Fixed((0, 1), (1, 2), (0, 2), (4, 5), (7, 8))
    for estimator, sizes in ((COPKMeans(3), [0, 3, 4]), (PCKMeans(3, n_init=1), [0, 4, 5])):
        model = ActiveClustering(estimator, strategy, n_queries=5, block_size=4, random_state=0)
        with pytest.warns(UserWarning, match="contradicts"):
            model.fit(X, oracle=lambda a, b: (a, b) != (0, 2))
        assert [r.n_pairs for r in model.history_] == sizes
        assert len(model.pairs_) == 5


def test_answers__given_pairs_may_contradict_each_other(blobs):
    X, y = blobs
    pairs = ([(0, 3)], [(0, 3)])
    with pytest.warns(UserWarning, match="0 and 3 apart contradicts 0 and 3 together") as caught:
        model = active(n_queries=5).fit(X, oracle=labels_oracle(y), pairs=pairs)
    assert caught[0].filename == __file__
    assert len(model.pairs_) == 7
    with pytest.raises(InconsistentPairsError):
        active(on_contradiction="raise").fit(X, oracle=labels_oracle(y), pairs=pairs)


# ------------------------------------------------------------------ ends


def test_ends__when_every_pair_is_known():
    X = np.arange(6.0)[:, None]
    model = active(k=2, n_queries=100)
    with pytest.warns(UserWarning, match=r"ended after \d+ of n_queries=100: 6 samples have 15 pairs, each") as caught:
        model.fit(X, oracle=labels_oracle([0, 0, 0, 1, 1, 1]))
    assert caught[0].filename == __file__
    assert len(model.queries_) <= 15
    assert model.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    with pytest.warns(UserWarning, match="ended after 15 of n_queries=100"):
        model.fit(X, oracle=lambda a, b: None)


def test_ends__when_the_strategy_has_no_more_questions(blobs):
    X, _ = blobs
    with pytest.warns(UserWarning, match="the strategy has no further question"):
        model = active(Fixed((0, 1)), n_queries=3).fit(X, oracle=lambda a, b: True)
    assert [r.n_asked for r in model.history_] == [0, 1]


def test_ends__one_sample():
    with pytest.warns(UserWarning, match="1 sample has 0 pairs"):
        model = active(k=1, n_queries=3).fit([[1.0]], oracle=lambda a, b: True)
    assert model.labels_.tolist() == [0]


def test_ends__nobody_to_ask(blobs):
    X, _ = blobs
    with pytest.warns(UserWarning, match="without an oracle.*n_queries=100"):
        model = active().fit(X, pairs=([(0, 1)], []))
    assert model.queries_ == []
    assert len(model.history_) == 1
    assert list(model.pairs_) == [(0, 1, "must")]
    active(n_queries=0).fit(X)
    active(n_queries=0).fit(X, oracle=lambda a, b: True)


# ------------------------------------------------------------------ tables, routing, input


def test_labels__of_a_data_frame(blobs):
    X, y = blobs
    names = [f"s{i}" for i in range(60)]
    frame = pd.DataFrame(X, index=names, columns=["a", "b"])
    model = active(n_queries=15).fit(frame, oracle=labels_oracle(pd.Series(y, index=names)), pairs=([("s0", "s3")], []))
    plain = active(n_queries=15).fit(X, oracle=labels_oracle(y), pairs=([(0, 3)], []))
    assert [(int(a[1:]), int(b[1:]), t) for a, b, t in model.queries_] == plain.queries_
    assert np.array_equal(model.labels_, plain.labels_)
    assert model.pairs_.leaves.labels == tuple(names)
    assert np.array_equal(model.predict(frame), plain.predict(X))
    assert list(model.feature_names_in_) == ["a", "b"]
    with pytest.raises(UnknownLeafError):
        active().fit(frame, oracle=labels_oracle(y), pairs=([("s0", "zebra")], []))


def test_routing__oracle_and_pairs(blobs):
    X, y = blobs
    with sklearn.config_context(enable_metadata_routing=True):
        model = active(n_queries=5).set_fit_request(oracle=True, pairs=True)
        pipe = make_pipeline(StandardScaler(), model)
        pipe.fit(X, oracle=labels_oracle(y), pairs=([(0, 3)], []))
        assert len(pipe[-1].pairs_) == 6


def test_input__that_is_wrong(blobs):
    X, y = blobs
    with pytest.raises(TypeError, match="y holds pairs"):
        active().fit(X, PairwiseConstraints([(0, 1)], [], 60), oracle=labels_oracle(y))
    with pytest.raises(InvalidPairError):
        active().fit(X, oracle=labels_oracle(y), pairs=([(0, 0)], []))
    with pytest.raises(TypeError, match="use labels_oracle"):
        active().fit(X, oracle=y)
    with pytest.raises(ValueError, match="strategy must be one of"):
        active("bordr").fit(X, oracle=labels_oracle(y))
    for name, wrong in (("n_queries", -1), ("block_size", 0), ("inherit", "yes"), ("on_contradiction", "ignore")):
        with pytest.raises(ValueError, match=name):
            active(**{name: wrong}).fit(X, oracle=labels_oracle(y))
    with pytest.raises(ValueError, match="estimator"):
        ActiveClustering("kmeans").fit(X, oracle=labels_oracle(y))


@pytest.mark.parametrize("wrong", [[(0, 0)], [(0, 60)], [(-1, 2)], [(0, 1, 2)], [("a", "b")], [(0.5, 1.0)]])
def test_input__strategies_that_return_no_pairs(blobs, wrong):
    X, y = blobs

    class Wrong:
        def query(self, state, n):
            return wrong

    with pytest.raises(ValueError, match="must return pairs of different row numbers below 60"):
        active(Wrong()).fit(X, oracle=labels_oracle(y))


def test_input__strategies_that_return_too_much(blobs):
    X, y = blobs
    model = active(Fixed(*((0, i) for i in range(1, 40)), (1, 0)), n_queries=7, block_size=3)
    model.fit(X, oracle=lambda a, b: None)
    assert [q[:2] for q in model.queries_] == [(0, i) for i in range(1, 8)]


def test_methods__of_the_estimator_inside(blobs):
    X, y = blobs
    assert hasattr(active(), "predict")
    model = active(n_queries=3).fit(X, oracle=labels_oracle(y))
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))
    assert np.array_equal(active(n_queries=3).fit_predict(X, oracle=labels_oracle(y)), model.labels_)
    with pytest.raises(TypeError):  # KMeans takes no pairs
        ActiveClustering(KMeans(3), n_queries=3).fit(X, oracle=labels_oracle(y))


def test_progress__is_shown(blobs, capsys):
    X, y = blobs
    active(n_queries=12, verbose=True).fit(X, oracle=labels_oracle(y))
    assert "12/12" in capsys.readouterr().err


def test_large_labels__of_noise_are_numbered(blobs):
    X, y = blobs

    class Noisy(PCKMeans):
        def fit(self, X, y=None, *, pairs=None):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                super().fit(X, pairs=pairs)
            self.labels_ = self.labels_ - 1
            return self

    model = ActiveClustering(Noisy(3, n_init=1), n_queries=12, random_state=0).fit(X, oracle=labels_oracle(y))
    assert model.labels_.min() == -1
    assert len(model.queries_) == 12


def test_oracle__says_how_it_is_called():
    X = np.arange(6.0)[:, None]
    with pytest.raises(TypeError, match=r"expected oracle\(a, b\), a function of two samples; this one takes \(pair\)"):
        ActiveClustering(MPCKMeans(2)).fit(X, oracle=lambda pair: True)
    with pytest.raises(TypeError, match=r"expected oracle\(a, b\)"):
        ConstrainedCompleteLink(2, n_queries=1).fit(X, oracle=lambda pair: True)


def test_active__soft_estimators_may_pay_for_answers_and_hard_ones_do_not():
    """Fewer pairs are asked than follow from them, and a soft objective may pay for a must-link."""
    X, kind = [[0.0], [1.0], [4.6], [6.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1]
    soft = ActiveClustering(MPCKMeans(2, random_state=0), n_queries=6)
    soft.fit(X, oracle=labels_oracle(kind))
    assert len(soft.violated_pairs_) == 1
    alone = MPCKMeans(2, random_state=0).fit(X, pairs=soft.pairs_)
    assert alone.labels_.tolist() == soft.labels_.tolist()  # the objective has it so, not the start
    hard = ActiveClustering(COPKMeans(2, random_state=0), n_queries=6).fit(X, oracle=labels_oracle(kind))
    assert (hard.labels_ == hard.labels_[0]).tolist() == [x == kind[0] for x in kind]
    assert len(hard.violated_pairs_) == 0


def test_active__questions_that_run_out_end_with_a_fresh_start(monkeypatch):
    """As at the end of the budget: the block that was not filled is followed by one."""
    starts = []
    clustered = ActiveClustering._clustered

    def counting(*arguments, fresh):
        starts.append(fresh)
        return clustered(*arguments, fresh=fresh)

    monkeypatch.setattr(ActiveClustering, "_clustered", counting)
    X, kind = np.arange(5.0)[:, None], [0, 1, 2, 3, 4]
    model = ActiveClustering(PCKMeans(5, random_state=0), "random", n_queries=100, block_size=3, random_state=0)
    with pytest.warns(UserWarning, match="questions ended after 10"):
        model.fit(X, oracle=labels_oracle(kind))
    assert [x.n_asked for x in model.history_] == [0, 3, 6, 9, 10]
    assert starts == [True, True, True, False, True]
    starts.clear()
    model.set_params(block_size=4)
    with pytest.warns(UserWarning, match="questions ended after 10"):
        model.fit(X, oracle=labels_oracle(kind))
    assert [x.n_asked for x in model.history_] == [0, 4, 8, 10]
    assert starts == [True, True, True, True]  # round 3 is no power of two: 2 of 4 questions were left
