"""Laws of clusters through time, held against literal definitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from query_oracle import as_rows, inherited_definition, random_answers

from tripletree.cluster.kmeans.cvqe import CVQE
from tripletree.cluster.temporal.clustering import TemporalClustering
from tripletree.cluster.temporal.matching import Fading, known_pairs, pairs_at
from tripletree.cluster.temporal.windows import Window
from tripletree.core.pairs import PairwiseConstraints


def literal_pairs(parts, present, t, fading, backward):
    """The pairs that count at snapshot t: {(a, b): (kind, weight)}, one entry of a part after the other."""
    best = {}
    for pairs, at in parts:
        for (a, b, kind), w in zip(pairs, [*pairs.must_weights, *pairs.cannot_weights], strict=True):
            together = [s for s, some in enumerate(present) if a in some and b in some]
            if not together or t not in together:
                continue
            since = together[0] if at is None else at
            if t < since and not backward:
                continue
            now = w * fading ** abs(t - since)
            if now > 0 and ((a, b) not in best or (since == t, now, since) > best[a, b][1:]):
                best[a, b] = (kind, since == t, now, since)  # a pair of this snapshot counts, else the stronger
    return {pair: (kind, here, now) for pair, (kind, here, now, _) in best.items()}


def as_dict(pairs, objects):
    """{(object, object): (kind, weight)} of pairs by row number."""
    pair_weights = [*pairs.must_weights, *pairs.cannot_weights] if len(pairs) else []
    return {(int(objects[a]), int(objects[b])): (kind, w) for (a, b, kind), w in zip(pairs, pair_weights, strict=True)}


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_pairs_at__equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    n, T = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    present = [np.flatnonzero(rng.random(n) < 0.8) for _ in range(T)]
    present = [x if x.size else np.array([0]) for x in present]
    parts = []
    for _ in range(int(rng.integers(1, 4))):
        rows = np.array([rng.permutation(n)[:2] for _ in range(int(rng.integers(1, 6)))])
        cut = int(rng.integers(0, len(rows) + 1))
        pair_weights = rng.integers(1, 1000, len(rows)) / 1000
        pairs = PairwiseConstraints(
            rows[:cut], rows[cut:], n, must_weights=pair_weights[:cut], cannot_weights=pair_weights[cut:]
        )
        parts.append((pairs, None if rng.random() < 0.5 else int(rng.integers(0, T))))
    fading, backward = float(rng.choice([0.0, 0.3, 1.0])), bool(rng.integers(2))
    known, apart = known_pairs(parts, present)
    nowhere = [
        (a, b) for pairs, _ in parts for a, b, _ in pairs if not any(a in some and b in some for some in present)
    ]
    assert apart == len(nowhere)
    for t, objects in enumerate(present):
        main, propagated = (as_dict(p, objects) for p in pairs_at(known, t, objects, Fading(fading, backward)))
        want = literal_pairs(parts, present, t, fading, backward)
        assert main.keys() == {p for p, (_, here, _) in want.items() if here}
        assert propagated.keys() == {p for p, (_, here, _) in want.items() if not here}
        for p, (kind, w) in (main | propagated).items():
            assert np.isclose(w, want[p][2], atol=1e-12)
            assert kind == want[p][0] or _tied(parts, p)  # where both are as strong and as old, either may count


def _tied(parts, pair):
    return sum(pair in {(a, b) for a, b, _ in pairs} for pairs, _ in parts) > 1 or any(
        sum((a, b) == pair for a, b, _ in pairs) > 1 for pairs, _ in parts
    )


def data(rng, n=12, T=3, k=2):
    X = np.concatenate([rng.normal(size=(n, 2)) + 5 * (np.arange(n) % k)[:, None] for _ in range(T)])
    return X, np.repeat(np.arange(T), n), np.tile(np.arange(n), T)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_temporal__pairs_of_a_snapshot_are_known_propagated_and_inherited_ones(seed, handed_on):
    rng = np.random.default_rng(seed)
    X, times, who = data(rng, n=8)
    y, mu = rng.integers(0, 3, 8), int(rng.integers(1, 5))
    said = {t: {frozenset(x[:2]): x for x in random_answers(rng, y if t else rng.permutation(y), 3)} for t in range(3)}
    pairs = {t: PairwiseConstraints(*as_rows(list(x.values())), 8) for t, x in said.items()}
    model = TemporalClustering(2, n_neighbors=mu, propagate_inherited=handed_on, n_init=1, random_state=seed)
    model.fit(X, times=times, objects=who, pairs=pairs)
    for t, s in enumerate(model.snapshots_):
        past = {}
        for earlier in range(t):
            faded, own = 0.5 ** (t - earlier), said[earlier]
            new = [(a, b, kind, faded) for a, b, kind in own.values()]
            if handed_on:
                inherited = inherited_definition(X[times == earlier], list(own.values()), mu, [])
                new += [
                    (a, b, w > 0, faded * abs(w)) for (a, b), w in inherited.items() if frozenset((a, b)) not in own
                ]
            for x in new:  # the stronger one, of equal ones the later
                if x[3] >= past.get(frozenset(x[:2]), x)[3] * (1 - 1e-12):
                    past[frozenset(x[:2])] = x
        propagated = [x for k, x in past.items() if k not in said[t]]
        wanted = inherited_definition(X[times == t], list(said[t].values()), mu, propagated)
        found = {p: w if kind == "must" else -w for p, (kind, w) in as_dict(s.pairs, range(8)).items()}
        assert found == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("unit", ["whole", "days", "points"])
def test_fading__of_overlap_is_eq_10(seed, backward, unit):
    rng = np.random.default_rng(seed)
    start = np.sort(rng.integers(0, 20, 6))
    end = np.sort(start + rng.integers(1, 15, 6))
    end = start if unit == "points" else np.maximum(end, start + 1)
    cut = [Window(int(a), int(b), np.arange(1)) for a, b in zip(start, end, strict=True)]
    if unit == "days":
        cut = [Window(np.datetime64(w.start, "D"), np.datetime64(w.end, "D"), w.rows) for w in cut]
    since = rng.integers(0, 6, 30)
    for t in range(6):
        found = Fading("overlap", backward, cut).left(since, t)
        for s, factor in zip(since.tolist(), found.tolist(), strict=True):
            shared = len(set(range(start[s], end[s])) & set(range(start[t], end[t])))
            wanted = shared / (max(end[s], end[t]) - min(start[s], start[t])) if shared else 0
            if s < t and shared:
                assert np.isclose(wanted, (end[s] - start[t]) / (end[t] - start[s]))  # as it is printed
            assert np.isclose(factor, 1 if s == t else wanted if s < t or backward else 0)


def test_temporal__fading_by_overlap():
    X, times, who = [[0.0], [1.0], [5.0]] * 3, np.repeat([0, 1, 2], 3), list("abc") * 3
    how = {"n_init": 1, "inherit": False, "random_state": 0, "fading": "overlap"}
    given = {"times": times, "objects": who, "pairs": {0: ([("a", "b")], [])}}
    model = TemporalClustering(2, window=2, step=1, **how).fit(X, **given)
    assert [s.pairs.must_weights.tolist() for s in model.snapshots_] == [[1.0], [1 / 3]]
    with pytest.warns(UserWarning, match="without step= none overlap"):
        model = TemporalClustering(2, **how).fit(X, **given)
    assert [len(s.pairs) for s in model.snapshots_] == [1, 0, 0]
    with pytest.raises(ValueError, match="'fading' parameter"):
        TemporalClustering(2, fading="union").fit(X, **given)


class Recorder:
    """Asks the given pairs, and keeps the states that it has seen."""

    def __init__(self, *pairs):
        self.pairs, self.states, self.said = pairs, [], []

    def query(self, state, n):
        self.states.append(state)
        self.said.append({p: state.known.implied(*p) for p in combinations(range(5), 2)})
        known = {tuple(p) for rows in (state.pairs.must_link, state.pairs.cannot_link) for p in rows.tolist()}
        return [p for p in self.pairs if p not in known][:n]


@pytest.mark.filterwarnings("ignore:questions ended", "ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.5, 0.95]))
def test_temporal__questions_are_chosen_on_the_model_of_the_result(seed, alpha):
    rng = np.random.default_rng(seed)
    X, times, who = data(rng)
    strategy = Recorder((0, 1), (2, 5))
    model = TemporalClustering(2, alpha=alpha, strategy=strategy, n_queries=9, n_init=2, random_state=seed)
    model.fit(X + 2.0 * rng.normal(size=X.shape), times=times, objects=who, oracle=lambda a, b, t: (a - b) % 2 == 0)
    assert len(strategy.states) == 9  # three in each snapshot: the last with all answers and nothing left to ask
    for state, s in zip(strategy.states[2::3], model.snapshots_, strict=True):
        assert np.array_equal(state.labels, s.labels)
        assert state.weighted == PairwiseConstraints(
            s.pairs.must_link, s.pairs.cannot_link, 12,
            must_weights=s.pairs.must_weights, cannot_weights=s.pairs.cannot_weights,
        )  # fmt: skip


@pytest.mark.filterwarnings("ignore:questions ended")
def test_temporal__what_is_propagated_is_not_known_and_has_no_offspring(rng):
    X, times, who = data(rng, T=2)
    strategy = Recorder((0, 1))
    model = TemporalClustering(2, strategy=strategy, n_queries=1, fading=0.25, random_state=0)
    model.fit(X, times=times, objects=who, pairs={0: ([(2, 4)], [(2, 3)])}, oracle=lambda a, b, t: t == 0)
    assert [(q[0], q[3]) for q in model.queries_] == [(0, True), (1, False)]  # asked again, and answered otherwise
    assert {p: x for p, x in strategy.said[0].items() if x is not None} == {(2, 4): True, (2, 3): False, (3, 4): False}
    assert not any(x is not None for x in strategy.said[1].values())
    second = strategy.states[1]
    assert len(second.pairs) == 0
    assert list(second.weighted) == [(0, 1, "must"), (2, 4, "must"), (2, 3, "cannot")]
    assert [*second.weighted.must_weights, *second.weighted.cannot_weights] == [0.25] * 3
    assert as_dict(model.snapshots_[1].pairs, range(12))[0, 1] == ("cannot", 1.0)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_temporal__costs_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    X, times, who = data(rng)
    alpha = float(rng.choice([0.2, 0.5, 0.8]))
    model = TemporalClustering(2, alpha=alpha, n_init=2, random_state=seed).fit(X, times=times, objects=who)
    before = None
    for t, s in enumerate(model.snapshots_):
        here = X[times == t]
        assert np.isclose(s.cost, np.square(here - s.centers[s.labels]).sum())
        past = 0.0
        if before is not None:
            mass = np.bincount(before.labels, minlength=2)
            past = (mass * np.square(s.centers - before.centers).sum(axis=1)).sum()
            size = np.bincount(s.labels, minlength=2)
            sums = np.array([here[s.labels == i].sum(axis=0) for i in range(2)])
            share = ((1 - alpha) * size + alpha * mass)[:, None]
            best = ((1 - alpha) * sums + alpha * mass[:, None] * before.centers) / share
            assert np.allclose(s.centers, best, atol=0.05)  # the least of the cost, up to `tol`
        assert np.isclose(s.historical_cost, past)
        before = s


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_temporal__one_snapshot_is_cvqe_plus_and_near_one_centres_stay(seed):
    rng = np.random.default_rng(seed)
    X, times, who = data(rng)
    pairs = PairwiseConstraints([(0, 2)], [(0, 1), (3, 5)], 12)
    one = TemporalClustering(2, n_init=3, inherit=False, random_state=seed).fit(X[:12], pairs=pairs)
    same = CVQE(2, n_init=3, random_state=int(np.random.default_rng(seed).integers(2**31 - 1))).fit(
        X[:12] - X[:12].mean(axis=0), pairs=pairs
    )
    assert np.array_equal(one.labels_, same.labels_)
    assert one.snapshots_[0].pairs == PairwiseConstraints(
        pairs.must_link, pairs.cannot_link, 12, must_weights=[1.0], cannot_weights=[1.0, 1.0]
    )
    fixed = TemporalClustering(2, alpha=1 - 1e-9, n_init=2, random_state=seed).fit(X, times=times, objects=who)
    assert np.allclose(fixed.cluster_centers_, fixed.cluster_centers_[0], atol=1e-6)


def test_temporal__the_closest_earlier_centres(rng):
    differ = 0
    for seed in range(8):
        _, times, who = data(rng, n=20, T=3)
        X = 3.0 * (rng.normal(size=(60, 2)) + rng.normal(size=(3, 2))[times])
        how = {"alpha": 0.2, "n_init": 5, "random_state": seed}
        same, closest = (
            TemporalClustering(3, history=h, **how).fit(X, times=times, objects=who) for h in ("same", "closest")
        )
        differ += not np.allclose(same.cluster_centers_, closest.cluster_centers_)
        for model in (same, closest):
            for before, s in zip(model.snapshots_[:-1], model.snapshots_[1:], strict=True):
                mass = np.bincount(before.labels, minlength=3)
                far = np.square(s.centers[:, None] - before.centers).sum(axis=2)
                former = far.argmin(axis=1) if model is closest else np.arange(3)
                assert np.isclose(s.historical_cost, (mass[former] * far[np.arange(3), former]).sum())
                assert np.isclose(s.cost, np.square(X[times == s.start] - s.centers[s.labels]).sum())
    assert differ > 3


def test_temporal__a_larger_alpha_moves_centres_less(rng):
    X, times, who = data(rng, n=60, T=4)
    X = X + times[:, None] * 1.5
    way = []
    for alpha in (0.0, 0.3, 0.6, 0.9):
        model = TemporalClustering(2, alpha=alpha, n_init=1, random_state=0).fit(X, times=times, objects=who)
        way.append(np.linalg.norm(np.diff(model.cluster_centers_, axis=0), axis=2).sum())
    assert all(a > b for a, b in zip(way[:-1], way[1:], strict=True))
