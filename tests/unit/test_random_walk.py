"""RandomWalk: the questions of OddOneOutClustering for any estimator, and its memory."""

import copy
import itertools
import pickle
import time

import numpy as np
import pytest

from tripletree.cluster import ActiveClustering, OddOneOutClustering, PCKMeans, labels_oracle
from tripletree.cluster.active import AnswerClosure, QueryState, RandomWalk, random_walk
from tripletree.cluster.odd_one_out.beliefs import Beliefs
from tripletree.cluster.odd_one_out.neighbours import neighbour_graph
from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.core.pairs import PairwiseConstraints

LINE = np.array([[0.0], [1.0], [4.0], [6.0], [9.0], [10.0]])


def state_of(X, unknown=()):
    X = np.asarray(X, float)
    pairs, unknown = PairwiseConstraints([], [], len(X)), np.array(unknown, int).reshape(-1, 2)
    return QueryState(X, np.zeros(len(X), int), None, pairs, 2, np.random.default_rng(0), unknown=unknown)


def questions_of(strategy, X, y, n, **options):
    model = ActiveClustering(PCKMeans(2, n_init=1, random_state=0), strategy, n_queries=n, block_size=7, **options)
    return [tuple(sorted(x[:2])) for x in model.fit(X, oracle=labels_oracle(y)).queries_]


def spread(rng, n=60, k=4):
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, 2)) + 5 * np.stack([y % 2, y // 2], axis=1), y


def test_random_walk__asks_what_odd_one_out_clustering_asks_but_for_what_follows(rng):
    X, y = spread(rng)
    model, known, wanted = OddOneOutClustering(questions="pairs", noise=0).start(X), AnswerClosure(60), []
    for _ in range(40):
        i, j = model.next_question()
        if known.implied(i, j) is not None:
            break
        known.add(i, j, bool(y[i] == y[j]))
        model.answer(bool(y[i] == y[j]))
        wanted.append((min(i, j), max(i, j)))
    assert len(wanted) > 10
    assert questions_of("random-walk", X, y, len(wanted)) == wanted


def test_random_walk__keeps_nothing_from_one_fit_for_the_next(rng):
    X, y = spread(rng)
    strategy = RandomWalk()
    first = questions_of(strategy, X, y, 30)
    assert strategy._kept is not None
    assert pickle.loads(pickle.dumps(strategy))._kept is copy.deepcopy(strategy)._kept is None
    assert questions_of(strategy, X, y, 30) == first
    assert questions_of(strategy, X[::-1].copy(), y[::-1], 30) == questions_of(
        RandomWalk(), X[::-1].copy(), y[::-1], 30
    )
    few, many = (questions_of(RandomWalk(n), X, y, 30) for n in (3, 20))
    assert few != many


@pytest.mark.parametrize("n_given", [0, 5, 60])
def test_random_walk__goes_on_from_given_pairs_until_all_is_known(rng, n_given):
    X, y = spread(rng, n=40, k=3)
    rows = rng.integers(0, 40, (n_given, 2))
    pairs = [(i, j) for i, j in rows.tolist() if i != j]
    given = [[p for p in pairs if (y[p[0]] == y[p[1]]) == same] for same in (True, False)]
    model = ActiveClustering(PCKMeans(3, n_init=1, random_state=0), "random-walk", n_queries=800, random_state=0)
    with pytest.warns(UserWarning, match="questions ended"):
        model.fit(X, oracle=labels_oracle(y), pairs=given)
    known = AnswerClosure.of(model.pairs_)
    assert known.n_open() == 0
    assert not model.contradictions_
    asked = [frozenset(x[:2]) for x in model.queries_]
    assert len(set(asked)) == len(asked)
    assert not set(asked) & {frozenset(p) for p in pairs}


def test_random_walk__many_answers_are_thinned(rng, monkeypatch):
    X, y = spread(rng, n=50, k=3)
    monkeypatch.setattr(random_walk, "MOST_ITEMS", 16)
    monkeypatch.setattr(random_walk, "KEPT_ITEMS", 9)
    sizes = []
    updated = random_walk._Kept.updated

    def watched(self, state):
        beliefs = updated(self, state)
        sizes.append(beliefs.items.size)
        assert np.unique(beliefs.items).size == beliefs.items.size
        part = [state.known.find(int(i)) for i in beliefs.items]
        assert len(set(part)) >= min(len({state.known.find(int(i)) for i in state.pairs.used_leaves}), 2)
        return beliefs

    monkeypatch.setattr(random_walk._Kept, "updated", watched)
    model = ActiveClustering(PCKMeans(3, n_init=1, random_state=0), "random-walk", n_queries=900, random_state=0)
    with pytest.warns(UserWarning, match="questions ended"):
        model.fit(X, oracle=labels_oracle(y))
    assert AnswerClosure.of(model.pairs_).n_open() == 0
    assert max(sizes) == 16
    assert sorted(sizes) != sizes


def test_random_walk__samples_nobody_could_tell_are_worth_less_and_pairs_are_not_asked_again(rng):
    X, _ = spread(rng, n=30)
    unknown = []
    for _ in range(12):
        (pair,) = RandomWalk().query(state_of(X, unknown), 3).tolist()
        assert pair not in unknown
        unknown.append(pair)
    assert len({i for pair in unknown for i in pair}) > 12  # it does not stay at one sample


def test_random_walk__contradictions_of_given_pairs_are_left_out(rng):
    X, y = spread(rng, n=30, k=2)
    same = np.flatnonzero(y == y[0])[:3].tolist()
    given = [[(same[0], same[1]), (same[1], same[2])], [(same[0], same[2])]]
    model = ActiveClustering(PCKMeans(2, n_init=1, random_state=0), "random-walk", n_queries=10, random_state=0)
    with pytest.warns(UserWarning, match="contradicts earlier ones"):
        model.fit(X, oracle=labels_oracle(y), pairs=given)
    assert len(model.queries_) == 10
    assert len(model.contradictions_) == 1


def test_random_walk__equal_samples_and_few():
    for X in ([[1.0]], [[1.0], [1.0]], np.ones((6, 2)), LINE):
        state = state_of(X)
        assert RandomWalk().query(state, 2).shape == ((1, 2) if len(X) > 1 else (0, 2))
        assert RandomWalk().query(state, 0).shape == (0, 2)
    for wrong, error in ((RandomWalk(0), ValueError), (RandomWalk(2.5), TypeError)):
        with pytest.raises(error, match="n_neighbors of RandomWalk"):
            wrong.query(state_of(LINE), 1)


def test_components__taken_in_at_once_hold(rng):
    X, y = spread(rng)
    graph = neighbour_graph(X, 10, rng)
    known = AnswerClosure(60)
    for i, j in rng.integers(0, 60, (50, 2)).tolist():
        if i != j:
            known.add(i, j, bool(y[i] == y[j]))
    beliefs = Beliefs(AbsorbingWalk(graph), graph.node, 0.0)
    items, part, apart = random_walk._components(known)
    beliefs.add_components(items, part, apart)
    assert sorted(items.tolist()) == known.used().tolist()
    assert beliefs.satisfied(beliefs.group).all()
    for a, b in itertools.combinations(range(items.size), 2):
        said = known.implied(int(items[a]), int(items[b]))
        assert said is None or said is bool(beliefs.group[a] == beliefs.group[b])
    assert beliefs.n_groups <= 8  # walks join samples that no answer has joined
    # no component can be put into a group that it is apart from without an answer that does not hold
    for p, q in zip(*np.nonzero(apart), strict=True):
        wrong = beliefs.group.copy()
        wrong[part == p] = beliefs.group[part == q][0]
        assert not beliefs.satisfied(wrong).all()


def test_random_walk__thousands_of_given_pairs_take_no_time_that_matters(rng):
    X, y = spread(rng, n=600, k=4)
    rows = rng.integers(0, 600, (3000, 2))
    rows = rows[rows[:, 0] != rows[:, 1]]
    same = y[rows[:, 0]] == y[rows[:, 1]]
    model = ActiveClustering(PCKMeans(4, n_init=1, random_state=0), "random-walk", n_queries=3, random_state=0)
    start = time.process_time()
    model.fit(X, oracle=labels_oracle(y), pairs=(rows[same], rows[~same]))
    assert time.process_time() - start < 20  # about 1. By the literal way minutes
