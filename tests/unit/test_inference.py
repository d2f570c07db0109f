"""Implied triplets: answers worked out by hand, refusals, limits, and sets too large for definitions."""

import numpy as np
import pytest
from examples import caterpillar, contracted, uniform_binary, yule
from refusals import Refusal, refusals

from tripletree._core import engine
from tripletree.algorithms import infer as inference
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, count_triplets, displays, sample_triplets
from tripletree.algorithms.infer import closure, closure_size, implies, irredundant, redundant
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    InconsistentTripletsError,
    InvalidTripletError,
    LimitExceededError,
    TimeLimitError,
    UnknownLeafError,
)
from tripletree.interrupts import time_limit

CHAIN = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])
CLASH = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d")])
ALL = (closure, closure_size, redundant, irredundant, lambda t, **how: implies(t, t, **how))


# ---------------------------------------------------------------------- by hand


def test_implies__two_triplets_that_share_a_pair():
    # ab|c and bc|d: d is outside all of a, b, c
    query = [("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d"), ("a", "b", "c"), ("a", "d", "b"), ("c", "d", "a")]
    assert implies(CHAIN, query).tolist() == [True, True, True, True, False, False]


def test_closure__two_triplets_with_two_common_leaves():
    # the two ways in which two triplets on four leaves imply more (Dekker's rules)
    t = TripletSet.from_labels([("a", "b", "c"), ("a", "c", "d")])
    assert sorted(closure(t)) == [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")]
    apart = TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a")])
    assert sorted(closure(apart)) == [("a", "b", "c"), ("a", "b", "d"), ("c", "d", "a"), ("c", "d", "b")]


def test_implies__nothing_new_from_triplets_with_one_common_leaf():
    t = TripletSet.from_labels([("a", "b", "c"), ("c", "d", "e")])
    assert closure(t) == t


def test_implies__what_one_tree_shows_is_not_always_implied():
    t = TripletSet.from_labels([("a", "b", "c"), ("d", "e", "c")])
    shown = all_triplets(one_tree(t))
    assert ("a", "b", "d") in shown
    assert implies(t, [("a", "b", "d")]).tolist() == [False]


def test_implies__a_split_in_two_inside_a_split_in_more():
    # the root splits in three or more: a, b, c, d as in the chain all the same
    t = TripletSet.from_labels([*CHAIN, ("e", "f", "x")], leaves=list("abcdefx"))
    assert implies(t, [("a", "c", "d"), ("a", "b", "x"), ("e", "f", "a")]).tolist() == [True, False, False]
    assert closure_size(t) == 5


def test_implies__order_and_repeats_of_a_query_stay():
    query = [("c", "b", "d"), ("a", "d", "c"), ("b", "c", "d"), ("c", "b", "d")]
    assert implies(CHAIN, query).tolist() == [True, False, True, True]
    assert implies(CHAIN, iter(query)).tolist() == [True, False, True, True]


def test_implies__a_set_as_query_is_read_by_labels():
    query = TripletSet.from_labels([("a", "c", "d"), ("c", "d", "a")], leaves=list("dcba"))
    wanted = {("a", "c", "d"): True, ("c", "d", "a"): False}
    assert {(*sorted(t[:2]), t[2]): bool(x) for t, x in zip(query, implies(CHAIN, query), strict=True)} == wanted


@pytest.mark.parametrize("query", [[], TripletSet([], 0), TripletSet([], list("abcd"))])
def test_implies__no_query_no_answer(query):
    answer = implies(CHAIN, query)
    assert answer.shape == (0,)
    assert answer.dtype == np.bool_


@pytest.mark.parametrize("leaves", [0, 1, 2, 3, 5])
def test_inference__nothing_implies_nothing(leaves):
    t = TripletSet([], leaves)
    every = all_triplets(caterpillar(leaves)) if leaves else TripletSet([], 0)
    assert not implies(t, every).any()
    assert closure(t) == t
    assert closure_size(t) == 0
    assert redundant(t).shape == (0,)
    assert irredundant(t) == t
    assert irredundant(t, random_state=0) == t


def test_redundant__three_of_which_any_two_imply_the_third():
    # only ab|c is needed. One of bc|d and ac|d is enough of the rest, since ab|d follows from either
    t = TripletSet.from_labels([*CHAIN, ("a", "b", "d"), ("a", "c", "d")])
    assert dict(zip(t, redundant(t).tolist(), strict=True)) == {
        ("a", "b", "c"): False,
        ("a", "b", "d"): True,
        ("a", "c", "d"): True,
        ("b", "c", "d"): True,
    }
    assert len(irredundant(t)) == 2


def test_redundant__equal_close_pairs_with_another_odd_leaf():
    # ab|c and ab|d, bc|d: ab|d follows, though it is the only one with its three leaves
    t = TripletSet.from_labels([*CHAIN, ("a", "b", "d")])
    assert list(t.subset(redundant(t))) == [("a", "b", "d")]
    assert irredundant(t) == CHAIN


def test_minimal__keeps_leaves_and_weights():
    t = TripletSet.from_labels([*CHAIN, ("a", "b", "d")], leaves=list("zabcd"), weights=[2, 3, 4])
    kept = irredundant(t)
    assert kept.leaves == t.leaves
    assert dict(zip(kept, kept.weights.tolist(), strict=True)) == {("a", "b", "c"): 2, ("b", "c", "d"): 3}


def test_minimal__is_reproducible_and_random():
    t = all_triplets(yule(20, np.random.default_rng(1)))
    chosen = {irredundant(t, random_state=seed).rows.tobytes() for seed in range(5)}
    assert len(chosen) == 5
    assert irredundant(t, random_state=3) == irredundant(t, random_state=3)
    assert irredundant(t) == irredundant(t)
    assert {len(irredundant(t, random_state=seed)) for seed in range(5)} == {18}


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize("ask", ALL)
def test_inference__an_inconsistent_set_is_refused_with_its_conflict(ask):
    with pytest.raises(InconsistentTripletsError, match="no hierarchy displays all") as caught:
        ask(CLASH)
    assert list(caught.value.conflict) == [("a", "b", "c"), ("b", "c", "a")]
    assert caught.value.leaves == ["a", "b", "c"]


def test_closure__limit_gives_the_exact_size_and_lists_nothing(monkeypatch):
    h = caterpillar(60)
    t = decompose(h)
    assert len(closure(t, limit=count_triplets(h))) == count_triplets(h)
    tasks = []
    walk = inference._walk
    monkeypatch.setattr(inference, "_walk", lambda t, task, *rest, **how: tasks.append(task) or walk(t, task, *rest))
    with pytest.raises(LimitExceededError, match="imply 34,220, more than the limit of 34,219") as caught:
        closure(t, limit=34_219)
    assert (caught.value.size, caught.value.limit) == (count_triplets(h), 34_219)
    assert tasks == ["sizes"]


def test_closure__limit_counts():
    assert len(closure(CHAIN, limit=4)) == 4
    assert len(closure(CHAIN, limit=None)) == 4
    with pytest.raises(LimitExceededError) as caught:
        closure(CHAIN, limit=3)
    assert caught.value.size == 4
    with pytest.raises(ValueError, match="limit is -1"):
        closure(CHAIN, limit=-1)


@pytest.mark.parametrize("ask", ALL)
def test_inference__gives_up_beyond_the_work_allowed(ask):
    t = sample_triplets(caterpillar(60), 200, random_state=0)
    with pytest.raises(LimitExceededError, match="more than max_steps=300 steps") as caught:
        ask(t, max_steps=300)
    assert caught.value.limit == 300
    ask(t, max_steps=None)
    with pytest.raises(ValueError, match="max_steps is -1"):
        ask(t, max_steps=-1)


def test_inference__the_callers_sets_stay():
    t = sample_triplets(caterpillar(12), 40, random_state=0)
    rows = t.rows.copy()
    for ask in ALL:
        ask(t)
    assert np.array_equal(t.rows, rows)


# ---------------------------------------------------------------------- large sets


@pytest.mark.parametrize("name", ["yule", "uniform", "polytomies"])
def test_inference__a_hierarchy_of_hundreds_of_leaves(name):
    rng = np.random.default_rng(5)
    h = {"yule": yule, "uniform": uniform_binary, "polytomies": yule}[name](200, rng)
    h = contracted(h, 0.4, rng) if name == "polytomies" else h
    t = decompose(h, random_state=rng)
    assert closure_size(t) == count_triplets(h)
    query = sample_triplets(h, 600, random_state=rng)
    assert implies(t, query).all()
    turned = TripletSet(query.rows[:, [0, 2, 1]], t.leaves)
    assert not implies(t, turned).any()
    more = t | query
    assert redundant(more).sum() >= len(more) - len(t)
    assert len(irredundant(more, random_state=rng)) == len(t)


def test_inference__a_deep_chain_of_splits():
    h = caterpillar(200)
    t = decompose(h)
    assert closure_size(t) == count_triplets(h)
    assert irredundant(t) == t
    assert not redundant(t).any()


def test_closure_size__is_exact_beyond_32_bits():
    # one split in two: 0..1999 are joined in a star with 2000, which the others are joined to with 0
    n = 4000
    rows = [(0, x, 2000) for x in range(1, 2000)] + [(2000, x, 0) for x in range(2001, n)]
    assert closure_size(TripletSet(rows, n)) == 2000 * 1999 * 2000


def test_inference__pairs_of_components_inside_pairs():
    # many pairs of components of one root, so that frames are copied above frames and the arenas grow
    rng = np.random.default_rng(8)
    h = yule(60, rng)
    t = sample_triplets(h, 90, random_state=rng)
    query = sample_triplets(h, 500, random_state=rng)
    answer = implies(t, query)
    assert 0 < answer.sum() < answer.size
    every = closure(t)
    assert len(every) == closure_size(t)
    assert answer.tolist() == [row in every for row in query]
    assert displays(one_tree(t), every).all()


# ---------------------------------------------------------------------- what the core refuses

PARENT, ROWS = np.array([4, 4, 5, 6, 5, 6, -1], np.int32), np.array([[0, 1, 2], [0, 2, 3]], np.int32)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parent": PARENT[:-1]}, "parents come after their children"),
        ({"parent": np.array([4, 4, 5, 6, 4, 6, -1], np.int32)}, "parents come after their children"),
        ({"parent": np.array([3, 4, 5, 6, 5, 6, -1], np.int32)}, "leaves have no children"),
        ({"parent": np.array([-1], np.int32), "n": 1}, "triplets need three leaves"),
        ({"n": 0}, "a tree has leaves"),
        ({"n": 5}, "leaves have no children"),
        ({"rows": ROWS + 2}, "a triplet names no leaf"),
        ({"rows": ROWS - 1}, "a triplet names no leaf"),
        ({"rows": ROWS * 0}, "a triplet has three leaves"),
        ({"rows": ROWS[:, ::-1]}, "the tree does not display all triplets"),
        ({"queries": ROWS + 2}, "a triplet names no leaf"),
        ({"queries": ROWS, "task": "sizes"}, "queries are to be answered"),
        ({"task": "cycle"}, "no such task"),
    ],
)
def test_walk__wrong_arrays_are_refused(wrong, message):
    right = {"parent": PARENT, "n": 4, "rows": ROWS, "queries": None, "task": "answer", "most": 100}
    assert engine.infer.walk(**right)[0].tolist() == [True, True]
    with pytest.raises(ValueError, match=message):
        engine.infer.walk(**right | wrong)


def test_walk__hears_of_limits_of_time():
    rng = np.random.default_rng(10)
    t = sample_triplets(uniform_binary(6_000, rng), 18_000, random_state=rng)  # a walk of seconds
    parent = inference._aho_tree(t)
    with pytest.raises(TimeLimitError), time_limit(0.05):
        engine.infer.walk(parent, 6_000, t.rows, None, "sizes", 10**12)


@pytest.mark.parametrize("max_steps", [2**62, 2**63, 2**70])
def test_limits__may_be_larger_than_any_integer_of_the_machine(max_steps):
    triplets = TripletSet([[0, 1, 2], [1, 2, 3]], 4)
    assert closure(triplets, max_steps=max_steps) == closure(triplets)
    wrong = TripletSet([[0, 1, 2], [1, 2, 0]], 3)
    assert len(find_conflict(wrong, max_steps=max_steps)) == 2


test_inference__refused = refusals(
    "implies: an inconsistent set is refused without a query too",
    Refusal(lambda: implies(CLASH, []), InconsistentTripletsError),
    "something else than a set",
    Refusal(lambda ask: ask([("a", "b", "c")]), TypeError, "expected a TripletSet", each=ALL),
    "implies: unknown leaves are named",
    Refusal(lambda: implies(CHAIN, [("a", "b", "nobody")]), UnknownLeafError, labels=["nobody"]),
    Refusal(lambda: implies(CHAIN, TripletSet.from_labels([("a", "b", "nobody")])), UnknownLeafError),
    "implies: a query that is no triplet",
    Refusal(lambda query: implies(CHAIN, query), InvalidTripletError, each=[[("a", "b")], [("a", "b", "b")], ["abc"]]),
    "walk: arrays of another shape",
    Refusal(
        lambda wrong: engine.infer.walk(*wrong, None, "answer", 100),
        TypeError,
        each=((PARENT[:, None], 4, ROWS), (PARENT, 4, ROWS[:, :2]), (PARENT, 4, None)),
    ),
)
