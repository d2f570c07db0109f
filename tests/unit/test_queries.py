import itertools
import pickle
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import tripletree.cluster
import tripletree.cluster.active
from tripletree.cluster import labels_oracle
from tripletree.cluster.active import (
    NPU,
    STRATEGIES,
    AnswerClosure,
    Border,
    ExploreConsolidate,
    Huang,
    MaiBorder,
    MinMax,
    Neighbours,
    QueryState,
    Questions,
    RandomPairs,
    as_strategy,
    inherited_pairs,
)
from tripletree.cluster.active import inheritance as neighbours
from tripletree.cluster.active.border import highest
from tripletree.cluster.active.inheritance import kernel_weights
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import UnknownLeafError

LINE = np.array([[0.0], [1.0], [4.0], [6.0], [9.0], [10.0]])


def state_of(X, labels, must=(), cannot=(), unknown=(), *, seed=0, k=None, **more):
    X, labels = np.asarray(X, float), np.asarray(labels)
    return QueryState(
        X,
        labels,
        None,
        PairwiseConstraints(list(must), list(cannot), len(X)),
        int(labels.max()) + 1 if k is None else k,
        np.random.default_rng(seed),
        unknown=np.array(unknown, int).reshape(-1, 2),
        **more,
    )


# ------------------------------------------------------------------ names


def test_names__of_strategies():
    for name, make in STRATEGIES.items():
        strategy = as_strategy(name)
        assert isinstance(strategy, make)
        assert as_strategy(strategy) is strategy
        assert repr(strategy).startswith(make.__name__ + "(")
        assert repr(pickle.loads(pickle.dumps(strategy))) == repr(strategy)
    with pytest.raises(
        ValueError, match="strategy must be one of border, explore, huang, mai-border, minmax, npu, random.*'bordr'"
    ):
        as_strategy("bordr")
    with pytest.raises(TypeError, match=r"give an instance, Border\(\)"):
        as_strategy(Border)
    with pytest.raises(TypeError, match="a name or an object with query"):
        as_strategy(3)


def test_names__the_oracle_is_the_one_of_cluster():
    assert tripletree.cluster.labels_oracle is tripletree.cluster.active.labels_oracle


# ------------------------------------------------------------------ oracle


def test_questions__remember():
    asked = Questions(lambda a, b: {"ab": True, "ac": False}.get(a + b), 5, LeafIndex(["a", "b", "c"]))
    assert [asked.ask(0, 1), asked.ask(0, 2), asked.ask(1, 2)] == [True, False, None]
    assert asked.asked == [("a", "b", True), ("a", "c", False), ("b", "c", None)]
    assert (asked.left, asked.unknown.tolist(), sorted(asked.rows())) == (2, [[1, 2]], [(0, 1), (0, 2), (1, 2)])
    assert list(asked.answers()) == [("a", "b", "must"), ("a", "c", "cannot")]


def test_oracle__of_unknown_samples():
    with pytest.raises(UnknownLeafError):
        labels_oracle([1, 2])(0, 5)


# ------------------------------------------------------------------ closure


def test_known__of_pairs_that_contradict_each_other():
    pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 2), (2, 3)], 5)
    known = AnswerClosure.of(pairs, [(3, 4)])
    assert known.implied(0, 2) is True
    assert known.implied(0, 3) is False
    assert known.implied(3, 4) is None
    assert not known.is_open(4, 3)
    assert known.groups() == [[0, 1, 2], [3], [4]]
    assert known.used().tolist() == [0, 1, 2, 3, 4]


def test_known__paths():
    known = AnswerClosure(8)
    for i in range(5):
        assert known.add(i, i + 1, True) is None
    assert known.add(6, 7, True) is None
    assert known.add(3, 6, False) is None
    assert known.add(0, 4, True) is None  # a short cut, which agrees
    assert known.add(0, 5, False) == [0, 4, 5]
    assert known.add(1, 7, True) == [3, 2, 1, 7, 6]
    assert known.implied(1, 7) is False


def test_known__of_many_samples_draws_from_what_is_open():
    n = 3000
    known = AnswerClosure(n)
    for i in range(1, n - 1):
        known.add(0, i, True)
    assert known.n_open() == n - 1
    (pair,) = known.open_pairs(5, np.random.default_rng(0)).tolist()
    assert pair[1] == n - 1
    known.add(0, n - 1, False)
    assert known.open_pairs(5, np.random.default_rng(0)).shape == (0, 2)


# ------------------------------------------------------------------ neighbours


def test_neighbours__among_equal_samples_none_is_its_own():
    X = np.zeros((9, 2))
    where, far = Neighbours(X).of(np.arange(9), 3)
    assert (where != np.arange(9)[:, None]).all()
    assert where.shape == far.shape == (9, 3)
    assert not far.any()
    assert Neighbours(X[:1]).of(np.array([0]), 3)[0].shape == (1, 0)
    assert Neighbours(X).of(np.array([], int), 3)[0].shape == (0, 3)


def test_neighbours__wider_later(rng):
    near = Neighbours(rng.normal(size=(40, 2)))
    few = near.of(np.arange(5), 3)[0]
    many = near.of(np.arange(40), 20)[0]
    assert np.array_equal(many[:5, :3], few)
    assert np.array_equal(near.of(np.array([4, 4, 0]), 2)[0], few[[4, 4, 0], :2])


def test_neighbours__by_pynndescent_where_there_are_many(rng, monkeypatch):
    made = []

    class NNDescent:
        def __init__(self, X, **options):
            made.append(options)
            self.X = X

        def query(self, rows, k):
            far = np.linalg.norm(rows[:, None] - self.X, axis=2)
            return np.argsort(far, axis=1)[:, :k], np.sort(far, axis=1)[:, :k]

    module = ModuleType("pynndescent")
    module.NNDescent = NNDescent
    monkeypatch.setitem(sys.modules, "pynndescent", module)
    monkeypatch.setattr(neighbours, "_MANY", 20)
    X = rng.normal(size=(30, 16))
    where, far = Neighbours(X).of(np.arange(4), 3)
    assert made == [{"random_state": 0}]
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    exact = Neighbours(X).of(np.arange(4), 3)
    assert np.array_equal(where, exact[0])
    np.testing.assert_allclose(far, exact[1])


# ------------------------------------------------------------------ inheritance


def test_inheritance__by_hand():
    pairs = PairwiseConstraints([(0, 1)], [(1, 5)], 6)
    found = inherited_pairs(pairs, Neighbours(LINE), 2)
    # 1 stands for 0 with 1 - 1/4, 0 for 1 with 1 - 1/3, 4 for 5 with 1 - 1/4
    assert found.must_link.tolist() == [[0, 1]]
    assert found.cannot_link.tolist() == [[0, 4], [0, 5], [1, 4], [1, 5]]
    assert found.cannot_weights.tolist() == pytest.approx([0.5, 2 / 3, 0.75, 1.0])


def test_inheritance__a_conflict_leaves_the_difference():
    X = np.array([[0.0], [10.0], [11.0], [13.1]])
    found = inherited_pairs(PairwiseConstraints([(0, 1)], [(0, 3)], 4), Neighbours(X), 2)
    must = 1 - 1 / 3.1  # 2 stands for 1 like that, for 3 with 1 - 2.1 / 3.1
    left = must - 1 / 3.1
    assert found.must_link.tolist() == [[0, 1], [0, 2], [1, 2]]  # 1 stands for 0 with 1 - 10 / 11
    assert found.must_weights.tolist() == pytest.approx([1.0, left, left / 11])
    assert found.cannot_link.tolist() == [[0, 3], [1, 3]]
    assert found.cannot_weights.tolist() == pytest.approx([1.0, 1 / 11])


def test_inheritance__weights_count_and_none_goes_against_what_follows():
    pairs = PairwiseConstraints([(0, 1)], [], 3, must_weights=[0.5])
    X = np.array([[0.0], [5.0], [6.0]])
    found = inherited_pairs(pairs, Neighbours(X), 2)
    assert found.must_link.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert found.must_weights.tolist() == pytest.approx([0.5, 0.4, 0.5 * 0.8 / 6])
    known = AnswerClosure(3)
    known.add(0, 2, False)
    assert inherited_pairs(pairs, Neighbours(X), 2, known=known).must_link.tolist() == [[0, 1], [1, 2]]


def test_inheritance__of_nothing():
    none = PairwiseConstraints([], [], 6)
    assert inherited_pairs(none, Neighbours(LINE)) is none
    two = PairwiseConstraints([(0, 1)], [], 2)
    assert inherited_pairs(two, Neighbours(LINE[:2])).must_link.tolist() == [[0, 1]]


def test_inheritance__ends_at_the_last_neighbour_that_counts():
    pairs = PairwiseConstraints([(0, 4)], [], 6)
    assert inherited_pairs(pairs, Neighbours(LINE), 1).must_link.tolist() == [[0, 4]]  # h is that of the only one
    where, weight = kernel_weights(Neighbours(LINE), np.array([0]), 3)  # at the distances 1, 4 and 6
    assert (where.tolist(), weight.tolist()) == ([[0, 1, 2, 3]], [[1.0, 1 - 1 / 6, 1 - 4 / 6, 0.0]])
    equal = np.array([[0.0], [0.0], [5.0], [9.0]])  # equal samples stand for each other, whatever the width
    found = inherited_pairs(PairwiseConstraints([], [(0, 2)], 4), Neighbours(equal), 1)
    assert (found.cannot_link.tolist(), found.cannot_weights.tolist()) == ([[0, 2], [1, 2]], [1.0, 1.0])


# ------------------------------------------------------------------ Border


def test_border__looks_between_the_clusters():
    state = state_of(LINE, [0, 0, 0, 1, 1, 1])
    assert Border(1).query(state, 1).tolist() == [[2, 3]]
    assert Border(1).query(state, 0).shape == (0, 2)


def test_border__pairs_of_a_query_do_not_overlap_nor_follow_from_each_other(rng):
    X = rng.normal(size=(60, 2))
    labels = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    state = state_of(X, labels, must=[(0, 1), (2, 3), (4, 5)], cannot=[(0, 2)])
    pairs = Border().query(state, 10)
    assert len(pairs) == 10
    part = [state.known.find(i) for i in pairs.ravel().tolist()]
    assert len(set(part)) == 20
    inside = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    assert inside.tolist() == [False, True] * 5


def test_border__candidates_are_extended_where_all_is_known_of_them():
    # the two candidates at the border are answered
    state = state_of(LINE, [0, 0, 0, 1, 1, 1], cannot=[(2, 3)])
    (pair,) = Border(1, n_candidates=2).query(state, 1).tolist()
    assert pair != [2, 3]
    done = state_of(LINE[:3], [0, 0, 1], must=[(0, 1)], cannot=[(1, 2)])
    assert Border().query(done, 3).shape == (0, 2)


def test_border__unknown_answers_are_not_asked_again():
    state = state_of(LINE, [0, 0, 0, 1, 1, 1], unknown=[(3, 2)])
    assert [2, 3] not in Border(1).query(state, 10).tolist()


def test_border__one_cluster_one_sample_and_equal_samples():
    assert Border().query(state_of([[1.0]], [0]), 3).shape == (0, 2)
    assert Border().query(state_of(LINE, np.zeros(6, int)), 2).shape == (2, 2)
    assert Border().query(state_of(np.ones((6, 2)), [0, 1, 0, 1, 0, 1]), 2).shape == (2, 2)
    gap = state_of(LINE, [0, 0, 0, 2, 2, 2])  # nobody is in cluster 1
    assert np.isnan(gap.means[1]).all()
    assert Border(1).query(gap, 1).tolist() == [[2, 3]]


def test_border__centres_that_are_given_count():
    labels = np.array([0, 0, 0, 1, 1, 1])
    near = QueryState(
        LINE, labels, np.array([[1.0], [3.0]]), PairwiseConstraints([], [], 6), 2, np.random.default_rng(0)
    )
    assert np.array_equal(near.means, [[1.0], [3.0]])
    assert near.leaves == LeafIndex(6)
    assert highest(np.array([0.2, 1.0]), 1).tolist() == [1]


def test_mai_border__one_cluster_one_sample_equal_samples_and_bad_parameters():
    assert MaiBorder().query(state_of([[1.0]], [0]), 3).shape == (0, 2)
    assert MaiBorder().query(state_of(LINE, [0, 0, 0, 1, 1, 1]), 0).shape == (0, 2)
    assert MaiBorder().query(state_of(LINE, np.zeros(6, int)), 2).shape == (2, 2)
    assert MaiBorder().query(state_of(np.ones((6, 2)), [0, 1, 0, 1, 0, 1]), 2).shape == (2, 2)
    assert MaiBorder(1).query(state_of(LINE, [0, 0, 0, 2, 2, 2]), 2).shape == (2, 2)  # nobody is in cluster 1
    assert len(MaiBorder(1).query(state_of(LINE, [0, 0, 0, 1, 1, 1]), 9)) == 9  # the others at random
    bad = {"n_neighbors": (0, ValueError), "max_candidates": (2.5, TypeError), "factor": (0.0, ValueError)}
    for wrong, error in [(MaiBorder(**{name: x}), error) for name, (x, error) in bad.items()] + [
        (MaiBorder(factor="4"), TypeError)
    ]:
        with pytest.raises(error, match="of MaiBorder"):
            wrong.query(state_of(LINE, [0, 0, 0, 1, 1, 1]), 1)


# ------------------------------------------------------------------ neighbourhoods


def test_explore__is_farthest_first(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 4
    known, must, cannot = AnswerClosure(30), [], []
    first = None
    for _ in range(3):
        pair = ExploreConsolidate().query(state_of(X, y, must, cannot, seed=1, k=4), 9).tolist()[0]
        if first is None:  # a random one, and the farthest from it
            assert max(np.linalg.norm(X - X[pair[0]], axis=1)) == pytest.approx(
                np.linalg.norm(X[pair[0]] - X[pair[1]])
            ) or max(np.linalg.norm(X - X[pair[1]], axis=1)) == pytest.approx(np.linalg.norm(X[pair[0]] - X[pair[1]]))
            first = pair
            cannot.append(tuple(pair))
            continue
        x = next(i for i in pair if i not in first)
        far = np.linalg.norm(X[:, None] - X[first], axis=2).min(axis=1)
        assert far[x] == far.max()
        cannot.append(tuple(pair))
    # the third sample is compared with both: nearest first
    assert {frozenset(p) for p in cannot} == {frozenset(p) for p in itertools.combinations({*first, x}, 2)}
    assert known.n_open() == 435


def test_consolidate__draws_and_starts_at_the_nearest_mean(rng):
    X = rng.normal(size=(40, 2))
    drawn = set()
    for seed in range(20):
        state = state_of(X, np.arange(40) % 2, [(0, 1)], [(0, 2)], seed=seed)
        (pair,) = ExploreConsolidate().query(state, 1).tolist()
        x, hood = next(i for i in pair if i > 2), next(i for i in pair if i <= 2)
        drawn.add(x)
        near_first = np.linalg.norm(X[x] - X[:2].mean(axis=0)) < np.linalg.norm(X[x] - X[2])
        assert near_first == (hood < 2)
        if near_first:
            assert hood == int(np.linalg.norm(X[:2] - X[x], axis=1).argmin())
    assert len(drawn) > 8


@pytest.mark.parametrize("width", [0.3, 2.0])
def test_min_max__is_its_definition_for_any_width(rng, width):
    X = rng.normal(size=(40, 2))
    state = state_of(X, np.arange(40) % 2, [(0, 1)], [(0, 2)])
    (pair,) = MinMax().query(state, 1).tolist()
    like = np.exp(-np.square(X[3:, None] - X[:3]).sum(axis=2) / (2 * width**2))
    x = 3 + int(like.max(axis=1).argmin())
    assert sorted(pair) == sorted([int(like[x - 3].argmax()), x])


def test_resumed__a_sample_that_is_compared_goes_first():
    # 3 is apart from the largest neighbourhood, and has to be compared with the one of 2
    state = state_of(LINE, [0, 0, 0, 1, 1, 1], [(0, 1)], [(0, 2), (0, 3)])
    for strategy in (ExploreConsolidate(), MinMax(), NPU(5)):
        assert strategy.query(state, 5).tolist() == [[2, 3]]


def test_first__is_not_asked_again_where_it_is_unknown():
    seen = set()
    for _ in range(15):
        pair = MinMax().query(state_of(LINE, [0, 0, 0, 1, 1, 1], unknown=sorted(seen)), 1).tolist()[0]
        assert tuple(pair) not in seen
        seen.add(tuple(pair))
    assert len(seen) == 15
    assert MinMax().query(state_of(LINE, [0, 0, 0, 1, 1, 1], unknown=sorted(seen)), 1).shape == (0, 2)


def test_sequential__nothing_wanted_nothing_chosen():
    assert MinMax().query(state_of(LINE, [0, 0, 0, 1, 1, 1]), 0).shape == (0, 2)
    assert RandomPairs().query(state_of(LINE, [0, 0, 0, 1, 1, 1]), 0).shape == (0, 2)
    assert MinMax().query(state_of(LINE[:1], [0]), 3).shape == (0, 2)


# ------------------------------------------------------------------ uncertainty


@pytest.mark.parametrize("seed", range(8))
def test_npu__is_its_definition(seed):
    X = np.random.default_rng(seed).normal(size=(25, 2))
    labels = (X[:, 0] > 0).astype(int)
    state = state_of(X, labels, [(0, 1)], [(0, 2), (1, 3), (2, 3)], seed=5)
    (pair,) = NPU(7).query(state, 3).tolist()
    seed = int(np.random.default_rng(5).integers(2**31 - 1))
    leaf = RandomForestClassifier(7, random_state=seed).fit(X, labels).apply(X)
    like = (leaf[:, None] == leaf[None]).mean(axis=2)
    best = (-1.0, None)
    for x in range(4, 25):
        chance = np.array([like[x, [0, 1]].mean(), like[x, 2], like[x, 3]])
        chance = np.sort(chance / chance.sum() if chance.sum() else np.full(3, 1 / 3))[::-1]
        entropy = -sum(p * np.log(p) for p in chance if p > 0)
        best = max(best, (entropy / (chance * [1, 2, 3]).sum(), -x))
    x = -best[1]
    assert x in pair
    means = [like[x, [0, 1]].mean(), like[x, 2], like[x, 3]]
    other = next(i for i in pair if i != x)
    assert means[max(other - 1, 0)] == max(means)


def test_npu__keeps_its_forest_while_the_labels_stay(rng):
    X = rng.normal(size=(25, 2))
    strategy = NPU(3)
    state = state_of(X, np.arange(25) % 2, [(0, 1)], [(0, 2)])
    strategy.query(state, 1)
    kept = strategy._forest[2]
    again = QueryState(state.X, state.labels.copy(), None, state.pairs, 2, np.random.default_rng(1))
    strategy.query(again, 1)
    assert strategy._forest[2] is kept
    strategy.query(QueryState(state.X, 1 - state.labels, None, state.pairs, 2, np.random.default_rng(1)), 1)
    assert strategy._forest[2] is not kept


def test_huang__is_its_definition(rng):
    X = rng.normal(size=(25, 2))
    labels = (X[:, 0] > 0).astype(int)
    state = state_of(X, labels, [(0, 1)], [(0, 2)])
    (pair,) = Huang().query(state, 3).tolist()
    means = np.stack([X[labels == c].mean(axis=0) for c in range(2)])
    spread = np.square(X - means[labels]).sum(axis=1).mean() / 2
    chance = np.exp(-np.square(X[:, None] - means).sum(axis=2) / (2 * spread))
    chance /= chance.sum(axis=1, keepdims=True)
    doubt = {
        (x, h): abs(chance[x] @ m - 0.5) for x in range(3, 25) for h, m in enumerate((chance[:2].mean(0), chance[2]))
    }
    x, h = min(doubt, key=doubt.get)
    assert x in pair
    assert next(i for i in pair if i != x) in ((0, 1), (2,))[h]


def test_strategies__are_anything_with_the_method():
    assert as_strategy(SimpleNamespace(query=lambda state, n: [])).query(None, 1) == []
