"""Reading triplets off a hierarchy: asked for, all, sampled, checked."""

import numpy as np
import pytest
from examples import caterpillar, star
from refusals import Refusal, refusals

from tripletree.algorithms.induce import all_triplets, count_triplets, displays, induce, sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError, LimitExceededError, UnknownLeafError


@pytest.fixture
def h():
    """Displays ab|c and ab|d only."""
    return Hierarchy.from_nested([("a", "b"), "c", "d"])


TINY = [
    pytest.param(Hierarchy([-1], ["a"]), id="one leaf"),
    pytest.param(star(2), id="two leaves"),
    pytest.param(Hierarchy([1, 2, -1]), id="chain"),
    pytest.param(star(3), id="star of three"),
    pytest.param(Hierarchy.from_nested([[0], [[1]]]), id="two leaves on chains"),
]


# ---------------------------------------------------------------------- induce


def test_induce__tells_the_odd_one_out(h):
    found = induce(h, [("c", "b", "a"), ("a", "c", "d"), ("a", "d", "b")])
    assert found.odd.tolist() == [0, -1, 1]
    assert found.resolved.tolist() == [True, False, True]
    assert list(found) == [("b", "a", "c"), None, ("a", "b", "d")]
    assert found.triples.tolist() == [[2, 1, 0], [0, 2, 3], [0, 3, 1]]
    assert {(frozenset(row[:2]), row[2]) for row in found.rows.tolist()} == {
        (frozenset({0, 1}), 2),
        (frozenset({0, 1}), 3),
    }
    assert found.triplets == TripletSet.from_labels([("a", "b", "c"), ("a", "b", "d")], h.leaves)
    assert found.leaves is h.leaves
    assert len(found) == 3


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_induce__integer_arrays_hold_indices(h, dtype):
    rows = np.array([[2, 1, 0], [0, 2, 3], [0, 3, 1]], dtype)
    for given in (rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=0)[::2]):
        before = given.copy()
        found = induce(h, given)
        assert found.odd.tolist() == [0, -1, 1]
        assert np.array_equal(given, before)
        assert given.flags.writeable


def test_induce__anything_else_holds_labels():
    h = Hierarchy.from_nested([(2, 1), 0])
    assert list(induce(h, np.array([[0, 1, 2]]))) == [(2, 1, 0)]
    assert list(induce(h, [[0, 1, 2]])) == [(1, 2, 0)]
    # indices 0, 1, 2 are labels 2, 1, 0: the odd one stands last as an index, first as a label
    assert induce(h, np.array([[0, 1, 2]])).odd.tolist() == [2]
    assert induce(h, [[0, 1, 2]]).odd.tolist() == [0]
    assert induce(h, np.array([[0.0, 1.0, 2.0]])).odd.tolist() == [0]
    assert induce(h, np.array([[0, 1, 2]], object)).odd.tolist() == [0]


@pytest.mark.parametrize("given", [np.array([["a", "c", "b"]]), (row for row in [("a", "c", "b")]), [["a", "c", "b"]]])
def test_induce__labels_in_any_iterable(h, given):
    assert list(induce(h, given)) == [("a", "b", "c")]


def test_induce__a_triplet_set_is_read_as_its_triples(h):
    assert list(induce(h, TripletSet.from_labels([("a", "c", "b")]))) == [("a", "b", "c")]


@pytest.mark.parametrize("given", [[], np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty(0, int), iter(())])
@pytest.mark.parametrize("tree", TINY)
def test_induce__nothing_asked(tree, given):
    found = induce(tree, given)
    assert len(found) == 0
    assert found.odd.shape == (0,)
    assert found.rows.shape == found.triples.shape == (0, 3)
    assert list(found) == []
    assert len(found.triplets) == 0


def test_induce__results_are_read_only(h):
    found = induce(h, np.array([[0, 1, 2]]))
    assert not found.triples.flags.writeable
    assert not found.odd.flags.writeable
    with pytest.raises(AttributeError):
        found.odd = np.zeros(1)


@pytest.mark.parametrize(("bad", "row"), [([0, 1, 4], 1), ([0, 1, -1], 1), ([0, 1, 2**40], 1)])
def test_induce__indices_out_of_range_are_refused(h, bad, row):
    with pytest.raises(InvalidTripletError, match=r"triple 1 is .*: leaf indices must lie in 0\.\.3") as caught:
        induce(h, np.array([[0, 1, 2], bad]))
    assert caught.value.row == row


def test_induce__a_leaf_twice_is_refused(h):
    for given in (np.array([[0, 1, 2], [0, 1, 1]]), [("a", "b", "c"), ("a", "b", "a")]):
        with pytest.raises(InvalidTripletError, match="triple 1 is .*: its three leaves must differ") as caught:
            induce(h, given)
        assert caught.value.row == 1


@pytest.mark.parametrize("given", [np.array([0, 1, 2]), np.array([[0, 1]]), np.array([[[0, 1, 2]]])])
def test_induce__arrays_of_another_shape_are_refused(h, given):
    with pytest.raises(InvalidTripletError, match=r"shape \(m, 3\)"):
        induce(h, given)


@pytest.mark.parametrize("given", ["abc", ("a", "b", "c"), [("a", "b")]])
def test_induce__what_is_no_iterable_of_triples_is_refused(h, given):
    with pytest.raises(InvalidTripletError, match="triple 0 is .*: expected three labels") as caught:
        induce(h, given)
    assert caught.value.row == 0


# ---------------------------------------------------------------------- displays


def test_displays__labels_decide_not_indices(h):
    t = TripletSet.from_labels([("b", "a", "c"), ("c", "d", "a"), ("a", "c", "b")], ["d", "c", "b", "a", "unused"])
    found = displays(h, t)
    assert found.dtype == bool
    assert dict(zip(t, found.tolist(), strict=True)) == {
        ("b", "a", "c"): True,
        ("d", "c", "a"): False,
        ("c", "a", "b"): False,
    }


def test_displays__nothing(h):
    for n in (0, 3):
        assert displays(h, TripletSet([], n)).shape == (0,)


def test_displays__unknown_leaves_are_refused(h):
    with pytest.raises(UnknownLeafError, match="triplets' leaves") as caught:
        displays(h, TripletSet.from_labels([("a", "x", "y"), ("a", "b", "c")]))
    assert caught.value.labels == ["x", "y"]


# ---------------------------------------------------------------------- all of them


@pytest.mark.parametrize("tree", TINY)
def test_all_triplets__none_where_nothing_is_resolved(tree):
    assert count_triplets(tree) == 0
    assert all_triplets(tree) == TripletSet([], tree.leaves)
    assert all_triplets(tree, limit=0) == sample_triplets(tree, 0)


def test_all_triplets__those_of_a_caterpillar():
    assert list(all_triplets(caterpillar(4))) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert count_triplets(caterpillar(4)) == 4
    assert type(count_triplets(caterpillar(4))) is int


def test_all_triplets__refuses_beyond_the_limit():
    h = caterpillar(2000)
    number = 2000 * 1999 * 1998 // 6
    with pytest.raises(
        LimitExceededError, match=f"displays {number:,} triplets, more than the limit of 10,000,000"
    ) as caught:
        all_triplets(h)
    assert caught.value.size == number
    assert caught.value.limit == 10_000_000
    with pytest.raises(LimitExceededError) as caught:
        all_triplets(caterpillar(4), limit=3)
    assert (caught.value.size, caught.value.limit) == (4, 3)
    assert len(all_triplets(caterpillar(4), limit=4)) == len(all_triplets(caterpillar(4), limit=None)) == 4


def test_all_triplets__refuses_what_no_memory_holds():
    tree = caterpillar(50_000)
    number = 50_000 * 49_999 * 49_998 // 6
    told = f"displays {number:,} triplets, and listing them takes some 1,241,... GiB, more than this machine's"
    with pytest.raises(MemoryError, match=told):
        all_triplets(tree, limit=None)


@pytest.mark.parametrize(("limit", "error"), [(-1, ValueError), (1.5, TypeError), ("3", TypeError), (True, TypeError)])
def test_all_triplets__the_limit_is_a_number(h, limit, error):
    with pytest.raises(error, match="limit"):
        all_triplets(h, limit=limit)


# ---------------------------------------------------------------------- samples


def test_sample_triplets__all_of_them_is_all_of_them(h):
    assert sample_triplets(h, 2) == all_triplets(h)
    assert sample_triplets(caterpillar(9), 84, random_state=1) == all_triplets(caterpillar(9))


@pytest.mark.parametrize("make", [lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)])  # noqa: NPY002
def test_sample_triplets__the_same_seed_gives_the_same_triplets(make):
    h = caterpillar(50)
    assert sample_triplets(h, 20, random_state=make()) == sample_triplets(h, 20, random_state=make())
    assert sample_triplets(h, 20, random_state=make()) != sample_triplets(h, 20, random_state=8)


def test_sample_triplets__a_generator_moves_on_and_none_is_fresh(rng):
    h = caterpillar(50)
    assert sample_triplets(h, 20, random_state=rng) != sample_triplets(h, 20, random_state=rng)
    assert sample_triplets(h, 20) != sample_triplets(h, 20)


@pytest.mark.parametrize(
    ("size", "error"), [(-1, ValueError), (3, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError)]
)
def test_sample_triplets__the_size_is_a_number_within_bounds(h, size, error):
    with pytest.raises(error, match="size"):
        sample_triplets(h, size)
    assert len(sample_triplets(h, np.int64(1))) == 1


@pytest.mark.parametrize(("state", "error"), [("a", TypeError), (-1, ValueError), (1.5, TypeError)])
def test_sample_triplets__the_seed_is_a_seed(h, state, error):
    with pytest.raises(error, match="random_state must be None, an int >= 0 or a numpy Generator or RandomState"):
        sample_triplets(h, 1, random_state=state)


def test_induce__works_over_any_leaf_index():
    h = Hierarchy.from_nested([("x", 1), None]).reindex(LeafIndex([None, 1, "x"]))
    assert list(all_triplets(h)) == [(1, "x", None)]
    assert list(sample_triplets(h, 1)) == [(1, "x", None)]


def test_all_triplets__come_in_blocks(monkeypatch):
    h = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"], "f"])
    whole = all_triplets(h)
    monkeypatch.setattr("tripletree.algorithms.induce._BLOCK", 3)
    assert len(whole) > 6
    assert all_triplets(h) == whole


test_induction__refused = refusals(
    "induce: unknown leaves are all named",
    Refusal(
        lambda h: induce(h, [("a", "x", "y"), ("a", "b", "x")]),
        UnknownLeafError,
        "2 unknown among the triples' leaves: 'x', 'y'",
        labels=["x", "y"],
    ),
    Refusal(lambda h: induce(h, [[0, 1, 2]]), UnknownLeafError),
    "displays: wants a hierarchy and a triplet set",
    Refusal(lambda h: displays(h, {("a", "b", "c")}), TypeError, "expected a TripletSet, got set"),
    Refusal(lambda h: displays(TripletSet([], 3), h), TypeError, "expected a Hierarchy, got TripletSet"),
    "induce: a hierarchy is wanted",
    Refusal(
        lambda ask: ask([["a", "b"], "c"]),
        TypeError,
        "expected a Hierarchy, got list",
        each=[count_triplets, all_triplets, lambda x: sample_triplets(x, 1), lambda x: induce(x, [])],
    ),
)
