"""`repair`: answers and refusals, its parts beside slow definitions, and how good it is on planted noise."""

import numpy as np
import pytest
from examples import caterpillar, planted, uniform_binary, yule
from refusals import Refusal, refusals
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tripletree._core import engine
from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.induce import displays, sample_triplets
from tripletree.algorithms.repair import Problem, Repair, displayed_by, greedy, ladder, repair
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError

METHODS = ["auto", "exact", "search", "greedy"]


@pytest.fixture(scope="module")
def noisy():
    return planted(yule(20, np.random.default_rng(3)), 90, 0.2, 3)


# ---------------------------------------------------------------------- the answer


@pytest.mark.parametrize("method", METHODS)
def test_repair__drops_the_one_that_weighs_least(method):
    t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "c", "b")], weights=[2, 5, 1])
    found = repair(t, method=method)
    assert list(found.kept) == [("b", "c", "a")]
    assert found.hierarchy == Hierarchy.from_nested([("b", "c"), "a"])
    assert (found.weight, found.weight_kept, found.weight_lost) == (8.0, 5.0, 3.0)


@pytest.mark.parametrize("method", METHODS)
def test_repair__a_consistent_set_is_kept_whole(method):
    t = TripletSet(sample_triplets(yule(30, np.random.default_rng(1)), 100, random_state=1).rows, 32)
    found = repair(t, method=method)
    assert found.kept == t
    assert len(found.dropped) == 0
    assert found.method == "none"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_repair__no_triplets(method, n):
    if n == 0:
        with pytest.raises(ValueError, match="there are no leaves"):
            repair(TripletSet([], n), method=method)
    else:
        assert repair(TripletSet([], n), method=method).hierarchy.n_leaves == n


def test_repair__says_what_it_did_in_one_line(noisy):
    t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")], weights=[1, 2.5])
    assert repr(repair(t)) == "<Repair: 1 of 2 triplets kept, weight 2.5 of 3.5, by exact>"
    assert repr(repair(noisy, method="greedy")).endswith("of 90 triplets kept, by greedy>")


def test_repair__is_a_frozen_value(noisy):
    found = repair(noisy, method="greedy")
    assert found == repair(noisy, method="greedy") != repair(noisy, method="search")
    with pytest.raises(AttributeError):
        found.method = "magic"
    assert isinstance(found, Repair)


def test_repair__leaves_in_no_triplet_stay():
    t = TripletSet([(3, 5, 8), (5, 8, 3)], 12)
    found = repair(t)
    assert found.hierarchy.n_leaves == 12
    assert found.kept.leaves == t.leaves
    assert len(found.kept) == 1


def test_repair__groups_that_are_not_tied_together_are_repaired_one_by_one():
    rng = np.random.default_rng(5)
    parts = [planted(yule(7, rng), 20, 0.3, seed).rows + 7 * seed for seed in range(6)]
    every = repair(TripletSet(np.concatenate(parts), 42), method="exact")
    alone = [repair(TripletSet(rows, 42), method="exact") for rows in parts]
    assert len(every.kept) == sum(len(found.kept) for found in alone)
    assert repair(TripletSet(np.concatenate(parts), 42)).method == "exact"


def test_repair__huge_and_tiny_weights():
    t = TripletSet([(0, 1, 2), (1, 2, 0), (0, 1, 3), (1, 3, 0)], 4, [0.8e308, 1e-300, 0.4e308, 0.4e308])
    for method in METHODS:
        assert (0, 1, 2) in repair(t, method=method).kept


def test_repair__the_triplets_given_stay_as_they_are(noisy):
    before = noisy.rows.copy()
    repair(noisy)
    assert np.array_equal(noisy.rows, before)


# ---------------------------------------------------------------------- refusals


def test_repair__refuses_a_method_that_it_does_not_know(noisy):
    with pytest.raises(ValueError, match="method must be one of 'auto', 'exact', .* 'greedy', not 'magic'"):
        repair(noisy, method="magic")


def test_repair__exact_refuses_more_leaves_than_it_can_do(noisy):
    with pytest.raises(LimitExceededError, match="connect 20 leaves, more than the 15 up to which") as caught:
        repair(noisy, method="exact")
    assert caught.value.limit == 15 < caught.value.size


# ---------------------------------------------------------------------- reproducible, interruptible, bounded


@pytest.mark.parametrize("method", ["auto", "search"])
def test_repair__same_seed_same_answer(noisy, method):
    one, two = (repair(noisy, method=method, random_state=7) for _ in range(2))
    assert one == two
    assert repair(noisy, method=method) == repair(noisy, method=method)
    generators = [np.random.default_rng(7) for _ in range(2)]
    assert repair(noisy, method=method, random_state=generators[0]) == repair(
        noisy, method=method, random_state=generators[1]
    )


@pytest.mark.parametrize("method", [x for x in METHODS if x != "exact"])
def test_repair__the_order_of_the_rows_given_does_not_matter(noisy, method):
    order = np.random.default_rng(1).permutation(len(noisy))
    mixed = TripletSet(noisy.rows[order][:, [1, 0, 2]], noisy.leaves)
    assert repair(mixed, method=method) == repair(noisy, method=method)


@pytest.mark.parametrize("method", ["auto", "search"])
@pytest.mark.parametrize("work", [0, 1, 5_000])
def test_repair__with_no_work_left_at_least_a_third_is_kept(noisy, method, work):
    found = repair(noisy, method=method, max_steps=work)
    assert is_consistent(found.kept)
    assert 3 * len(found.kept) >= len(noisy)
    assert len(repair(noisy, method=method, max_steps=None).kept) >= 3 * len(noisy) // 4


@pytest.mark.parametrize("method", ["auto", "search"])
def test_repair__shows_a_bar_when_told_to(noisy, method, capsys):
    repair(noisy, method=method, verbose=True)
    assert "repair" in capsys.readouterr().err
    repair(noisy, method=method)
    assert capsys.readouterr().err == ""


def test_repair__can_be_interrupted(noisy, monkeypatch, capsys):
    calls = []

    def stop(*_):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr("tripletree.algorithms.repair.SphereCut.cut", stop)
    with pytest.raises(KeyboardInterrupt):
        repair(noisy, verbose=True)
    assert calls == [1]


# ---------------------------------------------------------------------- parts beside slow definitions


def weight_of(up, n, rows, weight):
    return float(weight[displayed_by(Hierarchy(up, n), rows)].sum())


def best_move_definition(up, n, q, rows, weight):
    """The greatest weight displayed with subtree q hung anywhere."""
    below = {u for u in range(up.size) if q in path_up(up, u)}
    p = int(up[q])
    beside = next(u for u in range(up.size) if up[u] == p and u != q)
    pruned = up.copy()
    pruned[beside] = up[p]
    best = 0.0
    for v in set(range(up.size)) - below - {p}:
        hung = pruned.copy()
        hung[p], hung[v] = pruned[v], p
        best = max(best, weight_of(hung, n, rows, weight))
    return best


def path_up(up, u):
    while u >= 0:
        yield u
        u = int(up[u])


@pytest.mark.parametrize("seed", range(6))
def test_regraft__each_move_is_the_best_one(seed):
    rng = np.random.default_rng(seed)
    n = 5 + seed
    t = planted(yule(n, rng), 3 * n - 7, 0.3, seed)
    weight = freeze(rng.random(len(t)))
    mover = engine.repair.SubtreeMover(uniform_binary(n, rng).parent, t.rows, weight)
    now, moves = weight_of(mover.parent, n, t.rows, weight), 0
    for q in [*rng.permutation(2 * n - 1).tolist(), *rng.permutation(2 * n - 1).tolist()]:
        up = mover.parent
        best = best_move_definition(up, n, q, t.rows, weight) if up[q] >= 0 else now
        done, gained, _, moved = mover.sweep(np.array([q], np.int32), 1e-9, 10**9)
        assert done == 1
        after = weight_of(mover.parent, n, t.rows, weight)
        assert after == pytest.approx(max(best, now)) == pytest.approx(now + gained)
        now, moves = now + gained, moves + moved
    assert moves > 0


@pytest.mark.parametrize("seed", range(10))
def test_bisect__no_single_leaf_does_better_on_the_other_side(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(4, 12))
    t = planted(yule(k, rng), 3 * k - 8, 0.3, seed)
    weight = freeze(rng.random(len(t)))

    def value(side):
        a, b, c = side[t.rows].T
        return weight @ ((a == b) & (a != c)) - 1.5 * (weight @ (a != b))

    starts = freeze(rng.integers(0, 2, (3, k), dtype=np.int32))
    side, steps = engine.repair.bisect(t.rows, weight, k, 1.5, starts, 20)
    assert 0 < side.sum() < k
    assert steps > 0
    for x in range(k):
        other = side.copy()
        other[x] = 1 - other[x]
        if 0 < other.sum() < k:
            assert value(other) <= value(side) + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_peel__each_leaf_is_the_best_of_those_left(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 12))
    rows = np.array([rng.permutation(k)[:3] for _ in range(3 * k)], np.int32)
    weight = rng.random(len(rows))
    alive = np.ones(len(rows), bool)
    left = set(range(k))
    for x in engine.repair.peel(freeze(rows), freeze(weight), k).tolist():
        worth = {
            y: 3 * weight[alive & (rows[:, 2] == y)].sum() - weight[alive & (rows == y).any(1)].sum() for y in left
        }
        assert worth[x] == pytest.approx(max(worth.values()))
        assert worth[x] >= -1e-9
        alive &= ~(rows == x).any(1)
        left.remove(x)


@pytest.mark.parametrize("seed", range(10))
def test_peel__of_equal_leaves_the_first_leaves(seed):
    """Whole weights make many ties, and their sums are exact: the order of the heap is seen."""
    rng = np.random.default_rng(seed)
    k = 60
    rows = np.array([rng.permutation(k)[:3] for _ in range(2 * k)], np.int32)
    weight = rng.integers(1, 4, len(rows)).astype(float)
    alive, left = np.ones(len(rows), bool), list(range(k))
    ties = 0
    for x in engine.repair.peel(rows, weight, k).tolist():
        worth = [3 * weight[alive & (rows[:, 2] == y)].sum() - weight[alive & (rows == y).any(1)].sum() for y in left]
        assert x == left[int(np.argmax(worth))]
        ties += worth.count(max(worth)) > 1
        alive &= ~(rows == x).any(1)
        left.remove(x)
    assert ties > k // 4


@pytest.mark.parametrize("seed", range(5))
def test_components__are_those_of_the_graph_in_the_order_of_leaves(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 40))
    rows = np.array([rng.permutation(k)[:3] for _ in range(k // 2)], np.int32)
    label, parts = engine.repair.components(rows, k)
    graph = coo_array((np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(k, k))
    n_parts, expected = connected_components(graph, directed=False)
    assert parts == n_parts
    assert label.tolist() == expected.tolist()  # scipy numbers them by their smallest leaf, too


def test_greedy__gives_up_when_it_has_lost_too_much(noisy):
    problem = Problem(noisy.rows, freeze(np.ones(len(noisy))), 20)
    kept = greedy(problem)
    lost = float((~kept).sum())
    assert np.array_equal(greedy(problem, lost), kept)
    assert greedy(problem, lost - 1) is None


def test_repair__very_many_triplets_are_not_compared_with_greedy(noisy, monkeypatch):
    best = repair(noisy)
    monkeypatch.setattr("tripletree.algorithms.repair.greedy", lambda *_: np.ones(len(noisy), bool))
    monkeypatch.setattr("tripletree.algorithms.repair._MOST_FOR_GREEDY", len(noisy) - 1)
    assert repair(noisy) == best


def test_greedy__takes_heavy_rows_first():
    t = TripletSet([(0, 1, 2), (1, 2, 0), (0, 2, 1)], 3, [1, 1, 2])
    assert repair(t, method="greedy").kept.rows.tolist() == [[0, 2, 1]]
    assert repair(TripletSet(t.rows, 3), method="greedy").kept.rows.tolist() == [[0, 1, 2]]


# ---------------------------------------------------------------------- how good


@pytest.mark.parametrize("make", [yule, uniform_binary, lambda n, _: caterpillar(n)])
@pytest.mark.parametrize("flips", [0.05, 0.3])
def test_repair__planted_noise_is_found(make, flips):
    h = make(20, np.random.default_rng(11))
    t = planted(h, 150, flips, 11)
    true = displays(h, t).sum()
    assert len(repair(t, method="search").kept) >= 0.97 * true


def test_repair__search_is_nearly_always_optimal():
    best = found = 0
    for seed in range(6):
        t = planted(yule(9, np.random.default_rng(seed)), 40, 0.1 * (1 + seed % 3), seed)
        one, two = len(repair(t, method="exact").kept), len(repair(t, method="search").kept)
        assert 0.95 * one <= two <= one
        best, found = best + 1, found + (one == two)
    assert found >= best - 1


@pytest.mark.parametrize("seed", range(5))
def test_repair__ladders_display_a_third(seed):
    rng = np.random.default_rng(seed)
    rows = freeze(np.array([rng.permutation(12)[:3] for _ in range(200)], np.int32))
    weight = freeze(rng.random(200))
    shown = displayed_by(ladder(Problem(rows, weight, 12)), rows)
    assert 3 * weight[shown].sum() >= weight.sum() - 1e-9


@pytest.mark.parametrize("method", ["greedy", "search"])
def test_repair__long_ladders_do_no_harm(method):
    n = 2_000
    rows = np.stack([np.arange(n - 2), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    t = TripletSet(np.concatenate([rows, [(0, n - 1, 1)]]), n)
    assert displays(caterpillar(n), t).sum() == n - 2
    found = repair(t, method=method, max_steps=0)
    assert len(found.dropped) == 1 or method != "greedy"


test_repair__refused = refusals(
    "refuses what is no triplet set or no budget",
    Refusal(lambda: repair([("a", "b", "c")]), TypeError, "expected a TripletSet"),
    Refusal(lambda noisy: repair(noisy, max_steps=-1), ValueError, "max_steps is -1"),
    Refusal(lambda noisy: repair(noisy, max_steps=1.5), TypeError, "max_steps must be a whole number"),
    Refusal(lambda noisy: repair(noisy, random_state="seed"), TypeError, "random_state must be"),
)
