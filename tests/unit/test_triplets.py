"""TripletSet: canonical rows, weights, labels."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from refusals import Refusal, refusals

from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, InvalidTripletError, UnknownLeafError

ABC = [("a", "b", "c"), ("a", "b", "d"), ("c", "d", "a")]


@pytest.fixture
def weighted():
    return TripletSet.from_labels(ABC, weights=[1, 2, 3])


# ---------------------------------------------------------------------- rows


def test_triplets__rows_are_canonical():
    t = TripletSet([(3, 1, 0), (0, 2, 1), (1, 3, 0), (2, 0, 3), (0, 2, 1)], 4)
    assert t.rows.tolist() == [[0, 2, 1], [0, 2, 3], [1, 3, 0]]
    assert t.weights is None
    assert len(t) == 3
    assert list(t) == [(0, 2, 1), (0, 2, 3), (1, 3, 0)]


def test_triplets__arrays_are_read_only_int32_in_c_order(weighted):
    for t in (
        weighted,
        TripletSet([(2, 1, 0)], 3),
        TripletSet([], 3),
        weighted.restrict(["a", "b", "d"]),
        weighted | weighted,
    ):
        assert t.rows.dtype == np.int32
        assert t.rows.flags.c_contiguous
        assert not t.rows.flags.writeable
        assert t.weights is None or not t.weights.flags.writeable
        assert not t.used_leaves.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        weighted.rows[0, 0] = 3


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("rows", [[[0, 1, 2], [1, 2, 0]], [[100, 7, 2], [90, 101, 3], [7, 100, 2]]])
def test_triplets__rows_of_any_integer_type(dtype, rows):
    wanted = sorted({(min(a, b), max(a, b), c) for a, b, c in rows})
    assert [tuple(r) for r in TripletSet(np.array(rows, dtype), 127).rows.tolist()] == wanted
    assert TripletSet(np.array(rows, dtype), 127, np.ones(len(rows), dtype)).weights.sum() == len(rows)


def test_triplets__rows_in_any_memory_order():
    rows = np.arange(24).reshape(4, 6)[:, ::2]
    wanted = rows.tolist()
    assert TripletSet(rows, 30).rows.tolist() == wanted
    assert TripletSet(np.asfortranarray(rows), 30).rows.tolist() == wanted
    assert TripletSet(rows[::-1], 30).rows.tolist() == wanted
    assert TripletSet(rows.tolist(), 30).rows.tolist() == wanted
    assert TripletSet((tuple(row) for row in wanted), 30).rows.tolist() == wanted


@pytest.mark.parametrize("rows", [[], (), np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty(0)])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_triplets__no_rows(rows, n):
    t = TripletSet(rows, n)
    assert t.rows.shape == (0, 3)
    assert len(t) == 0
    assert not t
    assert list(t) == t.head() == []
    assert t.to_comparisons().shape == (0, 3)
    assert t.used_leaves.size == 0
    assert repr(t) == f"<TripletSet: 0 triplets on {n} {'leaf' if n == 1 else 'leaves'}>"
    assert t == (t | t) == (t & t) == (t - t) == t.subset([]) == t.restrict(range(n))


def test_triplets__the_callers_arrays_stay_and_are_not_shared():
    rows, weights = np.array([[2, 1, 0], [0, 1, 2]], np.int32), np.array([1.0, 2.0])
    t = TripletSet(rows, 3, weights)
    assert rows.tolist() == [[2, 1, 0], [0, 1, 2]]
    rows[:], weights[:] = 9, 9
    assert t.rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert t.weights.tolist() == [2, 1]
    assert rows.flags.writeable
    assert weights.flags.writeable


def test_triplets__a_read_only_view_of_a_writable_array_is_not_shared():
    rows = np.array([[0, 1, 2]], np.int32)
    view = rows.view()
    view.setflags(write=False)
    t = TripletSet(view, 3)
    rows[0] = [0, 2, 1]
    assert t.rows.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ([[0, 1, 2], [0, 1, 3]], 1),
        ([[0, 1, 2], [1, 2, 0], [0, 1, -1]], 2),
        ([[0, 1, 2**31]], 0),
        ([[0, 1, 2**32 + 2]], 0),
        (np.array([[0, 1, 2**64 - 1]], np.uint64), 0),
    ],
)
def test_triplets__indices_out_of_range_are_refused(rows, row):
    with pytest.raises(InvalidTripletError, match=rf"row {row} is \[.*\]: leaf indices must lie in 0\.\.2") as caught:
        TripletSet(rows, 3)
    assert caught.value.row == row


@pytest.mark.parametrize("bad", [[1, 1, 2], [1, 2, 1], [2, 1, 1], [0, 0, 0]])
def test_triplets__a_leaf_twice_is_refused(bad):
    with pytest.raises(InvalidTripletError, match=r"row 1 is .*: its three leaves must differ") as caught:
        TripletSet([[0, 1, 2], bad], 3)
    assert caught.value.row == 1


@pytest.mark.parametrize("rows", [[[0.0, 1.0, 2.0]], [[True, False, True]], [[0, 1, 2**70]]])
def test_triplets__other_types_are_refused(rows):
    with pytest.raises(InvalidTripletError, match="expected an array of integer leaf indices"):
        TripletSet(rows, 3)


# ---------------------------------------------------------------------- weights


def test_triplets__weights_of_repeats_are_added():
    t = TripletSet([(2, 1, 0), (0, 1, 2), (1, 2, 0), (0, 1, 2)], 3, [1, 2, 3, 0.5])
    assert t.rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert t.weights.tolist() == [2.5, 4]
    assert t.weights.dtype == np.float64


@pytest.mark.parametrize("bad", [0, -1, np.nan, np.inf, -np.inf])
def test_triplets__weights_must_be_positive_and_finite(bad):
    with pytest.raises(InvalidTripletError, match="the weight of row 1 is") as caught:
        TripletSet([[0, 1, 2], [0, 2, 1]], 3, [1, bad])
    assert caught.value.row == 1


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], 1.0, [[1, 2]]])
def test_triplets__there_is_one_weight_for_each_row(weights):
    with pytest.raises(InvalidTripletError, match="one entry for each of the 2 triplets"):
        TripletSet([[0, 1, 2], [0, 2, 1]], 3, weights)


@pytest.mark.parametrize("weights", [["a", "b"], [1j, 2]])
def test_triplets__weights_must_be_numbers(weights):
    with pytest.raises(InvalidTripletError, match="weights must be numbers"):
        TripletSet([[0, 1, 2], [0, 2, 1]], 3, weights)


def test_triplets__no_rows_with_weights():
    assert TripletSet([], 3, []).weights.shape == (0,)
    assert TripletSet.from_labels([], weights=[]).weights.shape == (0,)


# ---------------------------------------------------------------------- parts


def test_triplets__subset_by_numbers_and_by_mask(weighted):
    assert list(weighted.subset([2, 0])) == [("a", "b", "c"), ("c", "d", "a")]
    assert weighted.subset([2, 0]).weights.tolist() == [1, 3]
    assert list(weighted.subset([False, True, False])) == [("a", "b", "d")]
    assert weighted.subset(np.zeros(3, bool)).weights.shape == (0,)
    assert weighted.subset([]).leaves is weighted.leaves
    assert list(weighted.subset(slice(1, 3))) == ABC[1:]
    assert list(weighted.subset(1)) == [ABC[1]]
    assert list(weighted.subset([-1])) == [ABC[2]]
    for bad in ([3], [True, False], [1.0]):
        with pytest.raises(IndexError):
            weighted.subset(bad)


def test_triplets__restrict_keeps_the_order_of_the_labels_and_the_weights(weighted):
    part = weighted.restrict(x for x in ["d", "b", "a"])
    assert list(part.leaves) == ["d", "b", "a"]
    assert list(part) == [("b", "a", "d")]
    assert part.weights.tolist() == [2]
    assert len(weighted.restrict([])) == 0


def test_triplets__reindex_needs_every_leaf_that_occurs(weighted):
    assert weighted.reindex(["a", "b", "c", "d"]) is weighted
    moved = weighted.reindex(LeafIndex(["x", "d", "c", "b", "a"]))
    assert moved.rows.tolist() == [[1, 2, 4], [3, 4, 1], [3, 4, 2]]
    assert moved.weights.tolist() == [3, 2, 1]
    assert list(moved.reindex(["a", "b", "c", "d"])) == ABC
    with pytest.raises(UnknownLeafError) as caught:
        weighted.reindex(["a", "b"])
    assert caught.value.labels == ["c", "d"]
    spare = TripletSet.from_labels([("a", "b", "c")], ["a", "b", "c", "unused"])
    assert list(spare.reindex(["c", "b", "a"]).leaves) == ["c", "b", "a"]


def test_triplets__comparisons_are_what_the_triplets_imply(weighted):
    near_far = {(0, 1, 2), (1, 0, 2), (0, 1, 3), (1, 0, 3), (2, 3, 0), (3, 2, 0)}
    found = weighted.to_comparisons()
    assert {tuple(row) for row in found.tolist()} == near_far
    assert found.shape == (6, 3)


def test_triplets__head_and_used_leaves(weighted):
    assert weighted.head(2) == ABC[:2]
    assert weighted.head() == ABC
    assert weighted.head(0) == []
    assert TripletSet([(4, 1, 2)], 7).used_leaves.tolist() == [1, 2, 4]


# ---------------------------------------------------------------------- sets


@pytest.mark.parametrize("triplet", [("a", "b", "c"), ["b", "a", "c"], np.array(["a", "b", "c"])])
def test_triplets__contains_either_order(weighted, triplet):
    assert triplet in weighted


@pytest.mark.parametrize("other", [("a", "c", "b"), ("a", "b", "x"), ("a", "a", "b"), "abc", 3, None, ("a", "b")])
def test_triplets__contains_nothing_else(weighted, other):
    assert other not in weighted


def test_triplets__union_adds_weights_where_one_has_them(weighted):
    more = TripletSet.from_labels([("a", "b", "c"), ("x", "b", "c")])
    joint = weighted | more
    assert joint.leaves.labels == ("a", "b", "c", "d", "x")
    assert dict(zip(joint, joint.weights.tolist(), strict=True)) == {
        ("a", "b", "c"): 2,
        ("a", "b", "d"): 2,
        ("c", "d", "a"): 3,
        ("b", "x", "c"): 1,
    }
    assert (more | more).weights is None


def test_triplets__intersection_and_difference_keep_the_weights_of_the_first(weighted):
    more = TripletSet.from_labels([("b", "a", "c"), ("x", "b", "c")], weights=[7, 7])
    assert dict(zip(weighted & more, (weighted & more).weights.tolist(), strict=True)) == {("a", "b", "c"): 1}
    assert (weighted - more).weights.tolist() == [2, 3]


@pytest.mark.parametrize("other", [3, {("a", "b", "c")}, [("a", "b", "c")]])
def test_triplets__algebra_is_for_triplet_sets_only(weighted, other):
    for operation in ("__or__", "__and__", "__sub__"):
        assert getattr(weighted, operation)(other) is NotImplemented
    with pytest.raises(TypeError):
        weighted | other
    assert weighted != other


def test_triplets__equality_counts_leaves_triplets_and_weights():
    t = TripletSet.from_labels([("a", "b", "c")])
    heavy = TripletSet.from_labels([("a", "b", "c")], weights=[2])
    assert t == TripletSet.from_labels([("b", "a", "c")], ["c", "b", "a"])
    assert hash(t) == hash(TripletSet.from_labels([("b", "a", "c")], ["c", "b", "a"]))
    assert t != TripletSet.from_labels([("a", "b", "c")], ["a", "b", "c", "d"])
    assert t != TripletSet.from_labels([("a", "c", "b")])
    assert t != TripletSet.from_labels([("a", "b", "x")])
    assert t != heavy
    assert TripletSet.from_labels([("a", "b", "c")], weights=[1]) != heavy
    assert TripletSet.from_labels([(1, 2, 3)]) == TripletSet.from_labels([(True, 2.0, 3)])
    assert hash(TripletSet.from_labels([(1, 2, 3)])) == hash(TripletSet.from_labels([(True, 2.0, 3)]))


def test_triplets__weights_follow_the_rows_when_indexes_differ():
    rows, weights = [("a", "b", "c"), ("a", "c", "b")], [1, 2]
    assert TripletSet.from_labels(rows, weights=weights) == TripletSet.from_labels(
        rows, ["c", "a", "b"], weights=weights
    )
    assert TripletSet.from_labels(rows, weights=weights) != TripletSet.from_labels(
        rows, ["c", "a", "b"], weights=[2, 1]
    )


def test_triplets__more_leaves_than_keys_of_64_bits_can_number():
    n = 1 << 22
    t = TripletSet([[n - 5, 3, n - 1], [3, n - 5, n - 1], [0, 1, 2]], n, [1, 2, 3])
    assert t.rows.tolist() == [[0, 1, 2], [3, n - 5, n - 1]]
    assert t.weights.tolist() == [3, 3]
    plain = TripletSet(t.rows, n)
    assert (n - 5, 3, n - 1) in plain
    assert (3, n - 5, 7) not in plain
    assert len(plain & t) == 2
    assert len(plain - t) == 0
    assert len(plain | TripletSet([[0, 1, 5]], n)) == 3
    assert len(plain & TripletSet([], n)) == 0
    assert (0, 1, 2) not in TripletSet([], n)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize("weights", [None, [1, 2, 3]])
def test_triplets__copies_and_pickles_are_equal_and_read_only(again, weights):
    t = TripletSet.from_labels(ABC, weights=weights)
    t.used_leaves  # noqa: B018  (cached)
    other = again(t)
    assert other == t
    assert hash(other) == hash(t)
    assert list(other) == ABC
    assert not other.rows.flags.writeable
    assert other.weights is None or not other.weights.flags.writeable
    assert not other.used_leaves.flags.writeable


def test_triplets__repr(weighted):
    assert repr(weighted) == "<TripletSet: 3 weighted triplets on 4 leaves: a b | c, a b | d, c d | a>"
    assert repr(TripletSet([[0, 1, k] for k in range(2, 9)], 9)) == (
        "<TripletSet: 7 triplets on 9 leaves: 0 1 | 2, 0 1 | 3, 0 1 | 4, ...>"
    )


def test_triplets__weights_must_not_add_up_to_infinity():
    with pytest.raises(InvalidTripletError, match="the weights add up to infinity"):
        TripletSet([(0, 1, 2), (0, 1, 3)], 4, [1e308, 1e308])


def test_triplets__do_not_change(weighted):
    for name in ("rows", "weights", "leaves", "origins", "other"):
        with pytest.raises(AttributeError, match=f"so {name} cannot be set"):
            setattr(weighted, name, None)
        with pytest.raises(AttributeError, match=f"so {name} cannot be deleted"):
            delattr(weighted, name)
    assert copy.deepcopy(weighted) == weighted == pickle.loads(pickle.dumps(weighted))


def test_triplets__as_many_as_samples_are_not_cut_by_cross_validation():
    from sklearn.model_selection import cross_val_score

    from tripletree.cluster import ReCon

    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    triplets = TripletSet([(0, 1, k) for k in range(2, 12)] + [(2, 3, 0), (2, 3, 1)], 12)
    assert len(triplets) == len(X)
    with pytest.raises(UnknownLeafError):  # all of them arrive, and some name samples outside the part
        cross_val_score(
            ReCon(2),
            X,
            np.arange(12) % 2,
            params={"triplets": triplets},
            cv=2,
            scoring="rand_score",
            error_score="raise",
        )


@pytest.mark.parametrize(("n", "m"), [(3, 0), (4, 2), (6, 60), (40, 300)])
def test_contains__is_that_of_a_set(rng, n, m):
    rows = np.array([rng.permutation(n)[:3] for _ in range(m)], int).reshape(-1, 3)
    held = {(min(a, b), max(a, b), c) for a, b, c in rows.tolist()}
    t = TripletSet(rows, n)
    for a, b, c in itertools.permutations(range(min(n, 8)), 3):
        assert ((a, b, c) in t) == ((min(a, b), max(a, b), c) in held)
    assert all(x in t for x in t)


test_triplets__refused = refusals(
    "other shapes",
    Refusal(
        lambda rows: TripletSet(rows, 3),
        InvalidTripletError,
        r"expected an array of shape \(m, 3\)",
        each=[[0, 1, 2], [[0, 1]], [[[0, 1, 2]]], np.empty((0, 2)), np.empty((3, 0)), None, "", {(0, 1, 2)}],
    ),
    "ragged rows",
    Refusal(lambda: TripletSet([(0, 1, 2), (0, 1)], 3), InvalidTripletError, "differ in length"),
    "labels are sent to from labels",
    Refusal(
        lambda: TripletSet([("a", "b", "c")], ["a", "b", "c"]), InvalidTripletError, r"use TripletSet\.from_labels"
    ),
    "weights that add up to infinity",
    Refusal(lambda: TripletSet([[0, 1, 2], [1, 0, 2]], 3, [1e308, 1e308]), InvalidTripletError, "add up to infinity"),
    "restrict refuses other labels",
    Refusal(lambda weighted: weighted.restrict(["a", "x", "y"]), UnknownLeafError, labels=["x", "y"]),
    Refusal(lambda weighted: weighted.restrict("abc"), UnknownLeafError, "give a list of labels"),
    Refusal(lambda weighted: weighted.restrict(["a", "b", "a"]), DuplicateLeafError),
)
