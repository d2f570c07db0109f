"""Laws of clusters through time, held against literal definitions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tripletree.cluster.kmeans.cvqe import CVQEPlus
from tripletree.cluster.temporal.clustering import TemporalClustering
from tripletree.cluster.temporal.matching import known_pairs, pairs_at
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints


def literal_pairs(parts, present, t, fading, backward):
    """What counts at snapshot t: {(a, b): (kind, strength)}, one entry of a part after the other."""
    best = {}
    for pairs, at in parts:
        for (a, b, kind), w in zip(pairs, [*pairs.must_strength, *pairs.cannot_strength], strict=True):
            together = [s for s, some in enumerate(present) if a in some and b in some]
            if not together or t not in together:
                continue
            since = together[0] if at is None else at
            if t < since and not backward:
                continue
            now = w * fading ** abs(t - since)
            if now > 0 and ((a, b) not in best or (now, since) > best[a, b][1:]):
                best[a, b] = (kind, now, since)
    return {pair: (kind, now) for pair, (kind, now, _) in best.items()}


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
        strength = rng.integers(1, 1000, len(rows)) / 1000
        pairs = PairwiseConstraints(
            rows[:cut], rows[cut:], n, must_strength=strength[:cut], cannot_strength=strength[cut:]
        )
        parts.append((pairs, None if rng.random() < 0.5 else int(rng.integers(0, T))))
    fading, backward = float(rng.choice([0.0, 0.3, 1.0])), bool(rng.integers(2))
    known, apart = known_pairs(parts, present)
    nowhere = [
        (a, b) for pairs, _ in parts for a, b, _ in pairs if not any(a in some and b in some for some in present)
    ]
    assert apart == len(nowhere)
    for t, objects in enumerate(present):
        leaves = LeafIndex([f"o{i}" for i in objects])
        got = pairs_at(known, t, objects, leaves, fading=fading, backward=backward)
        strength = [*got.must_strength, *got.cannot_strength] if len(got) else []
        found = {(int(a[1:]), int(b[1:])): (kind, round(w, 12)) for (a, b, kind), w in zip(got, strength, strict=True)}
        want = literal_pairs(parts, present, t, fading, backward)
        assert {p: w for p, (_, w) in found.items()} == {p: round(w, 12) for p, (_, w) in want.items()}
        # where both kinds are as strong and as old, either may count
        assert all(found[p][0] == kind for p, (kind, _) in want.items() if not _tied(parts, p))


def _tied(parts, pair):
    return sum(pair in {(a, b) for a, b, _ in pairs} for pairs, _ in parts) > 1 or any(
        sum((a, b) == pair for a, b, _ in pairs) > 1 for pairs, _ in parts
    )


def data(rng, n=12, T=3, k=2):
    X = np.concatenate([rng.normal(size=(n, 2)) + 5 * (np.arange(n) % k)[:, None] for _ in range(T)])
    return X, np.repeat(np.arange(T), n), np.tile(np.arange(n), T)


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
    one = TemporalClustering(2, n_init=3, random_state=seed).fit(X[:12], pairs=pairs)
    same = CVQEPlus(2, n_init=3, random_state=int(np.random.default_rng(seed).integers(2**31 - 1))).fit(
        X[:12] - X[:12].mean(axis=0), pairs=pairs
    )
    assert np.array_equal(one.labels_, same.labels_)
    fixed = TemporalClustering(2, alpha=1 - 1e-9, n_init=2, random_state=seed).fit(X, times=times, objects=who)
    assert np.allclose(fixed.cluster_centers_, fixed.cluster_centers_[0], atol=1e-6)


def test_temporal__a_larger_alpha_moves_centres_less(rng):
    X, times, who = data(rng, n=60, T=4)
    X = X + times[:, None] * 1.5
    way = []
    for alpha in (0.0, 0.3, 0.6, 0.9):
        model = TemporalClustering(2, alpha=alpha, n_init=1, random_state=0).fit(X, times=times, objects=who)
        way.append(np.linalg.norm(np.diff(model.cluster_centers_, axis=0), axis=2).sum())
    assert all(a > b for a, b in zip(way[:-1], way[1:], strict=True))
