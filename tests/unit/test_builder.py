"""TripletBuilder: accepted and refused input, batches, removals, steps taken back, and large sets."""

import copy
import pickle

import numpy as np
import pytest
from examples import caterpillar, yule
from oracles import is_irreducible_conflict

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InconsistentTripletsError,
    InvalidHierarchyError,
    InvalidTripletError,
    UnknownLeafError,
    UnknownTripletError,
)

ANIMALS = ["ant", "bee", "cat", "dog", "eel"]
FIRST = ("ant", "bee", "cat")


def animals(*triplets):
    return TripletBuilder(ANIMALS, triplets)


def same(builder, triplets, leaves=ANIMALS):
    """True if the builder holds these triplets, by every door."""
    wanted = TripletSet.from_labels(triplets, leaves)
    return (
        builder.triplets == wanted
        and set(builder) == set(wanted)
        and len(builder) == len(wanted)
        and builder.hierarchy == one_tree(wanted)
    )


# ---------------------------------------------------------------------- additions


def test_builder__starts_empty_or_with_triplets():
    assert same(TripletBuilder(ANIMALS), [])
    assert same(TripletBuilder(LeafIndex(ANIMALS), [FIRST]), [FIRST])
    assert same(TripletBuilder(ANIMALS, TripletSet.from_labels([FIRST])), [FIRST])
    assert same(TripletBuilder(4, [(2, 3, 0)]), [(2, 3, 0)], range(4))


@pytest.mark.parametrize("n", [1, 2])
def test_builder__few_leaves(n):
    assert TripletBuilder(n).hierarchy == one_tree(TripletSet(np.empty((0, 3), int), n))


def test_builder__no_leaves():
    builder = TripletBuilder(0)
    assert len(builder.triplets) == 0
    assert builder.try_add_rows(np.empty((0, 3), int)).tolist() == []
    assert builder.can_add([]).tolist() == []
    with pytest.raises(InvalidHierarchyError, match="there are no leaves"):
        builder.hierarchy  # noqa: B018


def test_builder_add__one_by_one_and_in_batches():
    builder = animals()
    builder.add(FIRST)
    builder.add([("cat", "dog", "ant"), ("dog", "eel", "cat")])
    builder.add((("cat", "eel", "bee"), ("cat", "eel", "ant")))  # a tuple of tuples
    builder.add(TripletSet.from_labels([("ant", "bee", "eel")]))
    wanted = [FIRST, ("cat", "dog", "ant"), ("dog", "eel", "cat"), ("cat", "eel", "bee"), ("cat", "eel", "ant")]
    assert same(builder, [*wanted, ("ant", "bee", "eel")])


def test_builder_add__labels_may_be_tuples():
    points = [(0, 0), (0, 1), (5, 5), (9, 9)]
    builder = TripletBuilder(points)
    builder.add(((0, 1), (0, 0), (5, 5)))
    assert list(builder) == [((0, 0), (0, 1), (5, 5))]
    builder.add((((0, 1), (0, 0), (9, 9)), ((5, 5), (0, 0), (9, 9))))
    assert len(builder) == 3


def test_builder_add__the_same_twice_changes_nothing():
    builder = animals(FIRST)
    builder.add(("bee", "ant", "cat"))
    builder.add([FIRST, FIRST])
    assert builder.try_add(FIRST)
    assert same(builder, [FIRST])
    builder.undo(3)
    assert same(builder, [FIRST])


def test_builder_add__a_data_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    builder = TripletBuilder(ANIMALS)
    table = pandas.DataFrame({"a": ["ant", "cat"], "b": ["bee", "dog"], "c": ["cat", "ant"], "weight": [2.0, 3.0]})
    builder.add(table)
    assert builder.triplets.weights.tolist() == [2.0, 3.0]
    assert builder.can_add(table).tolist() == [True, True]


def test_builder_add__a_contradiction_is_told_and_nothing_changes():
    builder = animals(FIRST, ("cat", "dog", "eel"))
    builder.hierarchy  # noqa: B018
    with pytest.raises(InconsistentTripletsError, match="these 2 cannot hold together") as caught:
        builder.add(("cat", "bee", "ant"))
    assert sorted(caught.value.conflict) == [FIRST, ("bee", "cat", "ant")]
    assert set(caught.value.leaves) >= {"ant", "bee", "cat"}
    assert same(builder, [FIRST, ("cat", "dog", "eel")])
    with pytest.raises(ValueError, match="cannot undo 1 steps: there are 0"):
        builder.undo()


def test_builder_add__the_conflict_holds_the_new_one():
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(40):
        n = int(rng.integers(4, 9))
        builder = TripletBuilder(n)
        for _ in range(3 * n):
            t = tuple(rng.permutation(n)[:3].tolist())
            if builder.try_add(t):
                continue
            with pytest.raises(InconsistentTripletsError) as caught:
                builder.add(t)
            a, b, c = t
            assert (min(a, b), max(a, b), c) in set(caught.value.conflict)
            assert is_irreducible_conflict(caught.value.conflict)
            found += 1
    assert found > 100


@pytest.mark.parametrize("size", [3, 40])
def test_builder_add__a_batch_is_all_or_nothing(size):
    # few at a time, or at once from scratch
    n = 50
    rows = decompose(caterpillar(n)).rows
    builder = TripletBuilder(n, TripletSet(rows[:5], n))
    before = builder.triplets
    a, b, c = rows[4 + size].tolist()
    batch = [*map(tuple, rows[5 : 5 + size].tolist()), (b, c, a)]
    with pytest.raises(InconsistentTripletsError) as caught:
        builder.add(batch)
    assert is_irreducible_conflict(caught.value.conflict)
    assert set(caught.value.conflict) & set(batch)
    assert builder.triplets == before
    assert builder.hierarchy == one_tree(before)
    builder.add(batch[:-1])
    assert builder.hierarchy == one_tree(TripletSet(rows[: 5 + size], n))
    builder.undo()
    assert builder.triplets == before


def interrupting(real, at, *, after):
    """A function that is interrupted at its call number `at`, before or after it has done its work."""
    calls = []

    def call(*arguments):
        calls.append(arguments)
        if len(calls) != at:
            return real(*arguments)
        if after:
            real(*arguments)
        raise KeyboardInterrupt

    return call


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("weights", [None, 2.0])
def test_builder_add__an_interrupt_leaves_the_builder_as_it_was(monkeypatch, after, weights):
    n = 50
    rows = decompose(caterpillar(n)).rows
    builder = TripletBuilder(n, rows[:5].tolist())
    builder.add(tuple(rows[5].tolist()))
    before, hierarchy = builder.triplets, builder.hierarchy
    batch = [*map(tuple, rows[4:12].tolist())]  # two of them are there
    with monkeypatch.context() as patch:
        patch.setattr(builder._tree, "add", interrupting(builder._tree.add, 3, after=after))
        with pytest.raises(KeyboardInterrupt):
            builder.add(batch, weights=weights)
    assert builder.triplets == before
    assert builder.hierarchy == hierarchy == one_tree(before)
    assert len(builder) == 6
    builder.add(batch, weights=weights)
    assert builder.hierarchy == one_tree(TripletSet(rows[:12], n))
    builder.undo(2)
    assert builder.triplets == TripletSet(rows[:5], n)


class Interrupted:
    """A tree of the core of which the first call of one method is interrupted."""

    def __init__(self, tree, method, *, after):
        self._tree = tree
        setattr(self, method, interrupting(getattr(tree, method), 1, after=after))

    def __getattr__(self, name):
        return getattr(self._tree, name)


@pytest.mark.parametrize("method", ["add", "add_rows", "remove", "test_rows"])
@pytest.mark.parametrize("after", [False, True])
def test_builder__an_interrupt_inside_any_change_breaks_nothing(method, after):
    n = 30
    rows = decompose(yule(n, np.random.default_rng(5))).rows
    batch = [*map(tuple, rows[6:9].tolist())]
    contrary = np.concatenate([rows, rows[:1, [1, 2, 0]]])  # not to be taken at once
    builder = TripletBuilder(n, rows[:6].tolist())
    builder.add(tuple(rows[5].tolist()), weights=3.0)
    before = builder.triplets
    doors = {
        "add": lambda: builder.add(batch, weights=2.0),
        "try_add": lambda: builder.try_add(batch[0]),
        "try_add_rows": lambda: builder.try_add_rows(contrary),
        "can_add": lambda: builder.can_add(batch),
        "remove": lambda: builder.remove(rows[:6].tolist()),
    }
    broken = 0
    for door in doors.values():
        steps = len(builder._undo_log)
        builder.hierarchy  # noqa: B018
        builder._tree._tree = Interrupted(builder._tree._ready(), method, after=after)
        try:
            door()
        except KeyboardInterrupt:
            broken += 1
        if isinstance(builder._tree._tree, Interrupted):  # it was not interrupted
            builder._tree._tree = builder._tree._tree._tree
        builder.undo(len(builder._undo_log) - steps)  # the triplets added by then
        assert builder.triplets == before
        assert builder.hierarchy == one_tree(before)
        assert builder.can_add(batch).all()
    assert broken


@pytest.mark.parametrize("part", ["remove", "restore"])
@pytest.mark.parametrize("after", [False, True])
def test_builder_undo__an_interrupted_step_is_taken_back(monkeypatch, part, after):
    builder = animals(FIRST)
    builder.add([("cat", "dog", "ant"), ("dog", "eel", "cat")], weights=2)
    builder.remove([FIRST, ("cat", "dog", "ant")])
    for wanted in ([FIRST, ("cat", "dog", "ant"), ("dog", "eel", "cat")], [FIRST]):
        with monkeypatch.context() as patch:
            patch.setattr(builder._tree, part, interrupting(getattr(builder._tree, part), 1, after=after))
            with pytest.raises(KeyboardInterrupt):
                builder.undo()
        assert set(builder.triplets) == set(TripletSet.from_labels(wanted))
        assert builder.hierarchy == one_tree(builder.triplets)
    assert builder.triplets.weights is None
    with pytest.raises(ValueError, match="there are 0"):
        builder.undo()


@pytest.mark.parametrize("door", ["add", "can_add", "remove"])
@pytest.mark.parametrize("bad", [None, 5, 2.5])
def test_builder__no_triplets_at_all(door, bad):
    builder = animals(FIRST)
    kind = type(bad).__name__
    with pytest.raises(TypeError, match=rf"an iterable of triplets, got {kind} \({bad}\)"):
        getattr(builder, door)(bad)
    assert same(builder, [FIRST])


@pytest.mark.parametrize("door", ["add", "try_add", "can_add", "remove"])
def test_builder__labels_that_cannot_be_labels(door):
    builder = animals(FIRST)
    call = getattr(builder, door)
    told = r"triplet 0 is \(\['ant'\], 'bee', 'cat'\): \['ant'\] is not a label; expected a hashable value"
    with pytest.raises(InvalidTripletError, match=told):
        call((["ant"], "bee", "cat"))
    if door != "try_add":
        for batch in ([FIRST, ("ant", "bee", {"cat"})], (FIRST, ("ant", "bee", {"cat"}))):
            with pytest.raises(InvalidTripletError, match="triplet 1 is .* is not a label; expected") as caught:
                call(batch)
            assert caught.value.row == 1
        with pytest.raises(InvalidTripletError, match="triplet 0 is"):
            call(((("ant", []), "bee", "cat"), FIRST))
        with pytest.raises(InvalidTripletError, match="triplet 0 is"):
            call(((["ant"], "bee", "cat"), FIRST))
    assert same(builder, [FIRST])


@pytest.mark.parametrize("door", ["add", "try_add", "can_add", "remove"])
def test_builder__bad_triplets(door):
    builder = animals(FIRST)
    call = getattr(builder, door)
    with pytest.raises(UnknownLeafError, match=r"'beee' \(did you mean 'bee'\?\), 'cot'") as caught:
        call(("ant", "beee", "cot"))
    assert caught.value.labels == ["beee", "cot"]
    with pytest.raises(InvalidTripletError, match="its three leaves must differ"):
        call(("ant", "ant", "cat"))
    with pytest.raises(InvalidTripletError, match="expected three labels"):
        call(("ant", "bee"))
    if door != "try_add":
        with pytest.raises(InvalidTripletError, match="triplet 0 is 'ant'"):
            call(["ant", "bee", "cat"])
        with pytest.raises(UnknownLeafError):
            call([FIRST, ("ant", "bee", "fox")])
        with pytest.raises(UnknownLeafError):
            call(TripletSet.from_labels([("ant", "bee", "fox")]))
    assert same(builder, [FIRST])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], r"expected an array of shape \(m, 3\)"),
        ([[0, 1, 5]], r"row 0 is \[0, 1, 5\]: leaf indices must lie in 0..4"),
        ([[0, 1, 2], [3, 3, 1]], r"row 1 is \[3, 3, 1\]: its three leaves must differ"),
        ([["ant", "bee", "cat"]], "integer leaf indices"),
        ([[0.0, 1.0, 2.0]], "integer leaf indices"),
    ],
)
def test_builder_try_add_rows__bad_rows(rows, message):
    builder = animals()
    with pytest.raises(InvalidTripletError, match=message):
        builder.try_add_rows(rows)
    assert same(builder, [])


def test_builder_try_add_rows__in_the_order_given():
    rows = np.array([[0, 1, 2], [1, 2, 0], [2, 1, 0], [1, 0, 2], [2, 3, 0], [0, 1, 2]])
    kept = rows.copy()
    builder = animals(("ant", "bee", "dog"))
    assert builder.try_add_rows(rows).tolist() == [True, False, False, True, True, True]
    assert np.array_equal(rows, kept)
    assert same(builder, [FIRST, ("ant", "bee", "dog"), ("cat", "dog", "ant")])
    assert animals().try_add_rows(rows[1:]).tolist() == [True, True, False, True, False]
    builder.undo()
    assert same(builder, [("ant", "bee", "dog")])


def test_builder_try_add_rows__an_interrupt_leaves_a_builder_that_holds_what_it_added(monkeypatch):
    from tripletree.algorithms import dynamic as module

    monkeypatch.setattr(module, "_SLICE", 10)
    builder = TripletBuilder(60)
    rows = decompose(caterpillar(60)).rows
    rows = np.concatenate([rows, rows[:1, [1, 2, 0]]])  # not to be taken at once
    real, calls = builder._tree.add_consistent, []

    def interrupted(keys):
        calls.append(keys)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(keys)

    monkeypatch.setattr(builder._tree, "add_consistent", interrupted)
    with pytest.raises(KeyboardInterrupt):
        builder.try_add_rows(rows)
    assert builder.triplets == TripletSet(rows[:20], 60)
    assert builder.hierarchy == one_tree(builder.triplets)
    builder.undo()
    assert len(builder) == 0


def test_builder_can_add__each_alone_and_nothing_changes():
    builder = animals(FIRST)
    query = [("cat", "dog", "ant"), ("cat", "dog", "bee"), ("bee", "cat", "ant"), FIRST, ("cat", "dog", "ant")]
    assert builder.can_add(query).tolist() == [True, True, False, True, True]
    assert builder.can_add(("bee", "cat", "ant")).tolist() == [False]
    contradicting = TripletSet.from_labels([("cat", "dog", "ant"), ("ant", "dog", "cat")], ANIMALS)
    assert builder.can_add(contradicting).tolist() == [True, True]
    assert same(builder, [FIRST])


def test_builder_add_leaves__hang_from_the_root():
    builder = animals(FIRST)
    builder.add_leaves(["fox", "gnu"])
    assert same(builder, [FIRST], [*ANIMALS, "fox", "gnu"])
    builder.add(("fox", "gnu", "ant"))
    builder.undo()
    assert same(builder, [FIRST], [*ANIMALS, "fox", "gnu"])
    with pytest.raises(DuplicateLeafError, match="fox"):
        builder.add_leaves(["hen", "fox"])
    assert "hen" not in builder.leaves


# ---------------------------------------------------------------------- weights


def test_builder_add__weights():
    builder = animals()
    builder.add(FIRST)
    assert builder.triplets.weights is None
    builder.add(("cat", "dog", "ant"), weights=2)
    builder.add([FIRST, ("cat", "dog", "bee")], weights=[0.5, 4])
    assert builder.triplets == TripletSet.from_labels(
        [FIRST, ("cat", "dog", "ant"), ("cat", "dog", "bee")], ANIMALS, weights=[1.5, 2, 4]
    )
    builder.add(FIRST)  # says nothing of its weight
    assert builder.triplets.weights.tolist() == [1.5, 2, 4]
    builder.undo(2)
    assert builder.triplets.weights.tolist() == [1, 2]
    builder.remove(("cat", "dog", "ant"))
    assert builder.triplets.weights is None
    builder.undo()
    assert builder.triplets.weights.tolist() == [1, 2]
    builder.undo()
    assert builder.triplets == TripletSet.from_labels([FIRST], ANIMALS)


def test_builder_add__weights_of_a_set():
    t = TripletSet.from_labels([FIRST, ("cat", "dog", "ant")], weights=[3, 5])
    builder = TripletBuilder(ANIMALS, t)
    assert builder.triplets == t.reindex(ANIMALS)
    other = animals()
    other.add(t, weights=[1, 2])
    assert other.triplets.weights.tolist() == [1, 2]


@pytest.mark.parametrize("weight", [2, 2.0, np.float32(2), np.array(2.0)])
def test_builder_add__one_weight_for_all(weight):
    batch = [FIRST, ("cat", "dog", "ant")]
    for triplets in (batch, iter(batch), tuple(batch), TripletSet.from_labels(batch, weights=[3, 5])):
        builder = animals()
        builder.add(triplets, weights=weight)
        assert builder.triplets == TripletSet.from_labels(batch, ANIMALS, weights=[2, 2])
    builder.add([FIRST, FIRST], weights=weight)
    assert builder.triplets == TripletSet.from_labels(batch, ANIMALS, weights=[6, 2])


def test_builder_add__weights_that_add_up_to_infinity():
    other = ("cat", "dog", "ant")
    builder = animals(("dog", "eel", "ant"))
    builder.add(FIRST, weights=1e308)
    before = builder.triplets
    for triplets, weights in ((FIRST, 1e308), (other, 1e308), ([FIRST, other], [1, 1e308]), ([other, other], 5e307)):
        with pytest.raises(InvalidTripletError, match="add up to infinity"):
            builder.add(triplets, weights=weights)
        assert builder.triplets == before
        assert len(builder) == 2
    with pytest.raises(InvalidTripletError, match="add up to infinity"):
        builder.copy().add(other, weights=1e308)
    with pytest.raises(InvalidTripletError, match="add up to infinity"):
        TripletBuilder(ANIMALS, TripletSet.from_labels([FIRST, other], weights=[1e308, 1e308]))
    builder.add(other, weights=5e307)
    assert np.isfinite(builder.triplets.weights.sum())
    builder.undo(2)
    builder.add(other, weights=1e308)
    builder.remove(other)
    builder.add(FIRST, weights=1e308)
    assert builder.triplets.weights.tolist() == [1e308, 1]
    builder.undo(2)
    with pytest.raises(InvalidTripletError, match="add up to infinity"):
        builder.add(FIRST, weights=1e308)


@pytest.mark.parametrize("weights", [0, -1, np.nan, np.inf, [1, 2], "heavy", [[1], [1, 2]], {}])
def test_builder_add__bad_weights(weights):
    builder = animals()
    for triplets in (FIRST, [FIRST]):
        with pytest.raises(InvalidTripletError, match="weight"):
            builder.add(triplets, weights=weights)
    assert same(builder, [])


# ---------------------------------------------------------------------- removals and steps taken back


def test_builder_remove__one_or_several():
    builder = animals(FIRST, ("cat", "dog", "ant"), ("dog", "eel", "cat"))
    builder.remove(("bee", "ant", "cat"))
    assert same(builder, [("cat", "dog", "ant"), ("dog", "eel", "cat")])
    builder.remove([("cat", "dog", "ant"), ("dog", "cat", "ant"), ("dog", "eel", "cat")])
    assert same(builder, [])
    builder.undo(2)
    assert same(builder, [FIRST, ("cat", "dog", "ant"), ("dog", "eel", "cat")])


def test_builder_remove__what_is_not_there():
    builder = animals(FIRST)
    with pytest.raises(UnknownTripletError, match=r"1 triplet is not among the 1 of the builder: cat dog \| ant") as e:
        builder.remove([FIRST, ("dog", "cat", "ant")])
    assert e.value.triplets == [("cat", "dog", "ant")]
    assert isinstance(e.value, LookupError)
    assert same(builder, [FIRST])


def test_builder_remove__makes_room_for_the_contrary():
    builder = animals(FIRST)
    assert not builder.try_add(("bee", "cat", "ant"))
    builder.remove(FIRST)
    assert builder.try_add(("bee", "cat", "ant"))
    assert same(builder, [("bee", "cat", "ant")])


def test_builder_undo__counts_batches_as_one():
    builder = animals(FIRST)
    builder.add([("cat", "dog", "ant"), ("dog", "eel", "cat")])
    builder.try_add(("bee", "cat", "ant"))  # refused: no step
    builder.remove(FIRST)
    builder.try_add(("bee", "cat", "ant"))
    with pytest.raises(ValueError, match="cannot undo 4 steps: there are 3"):
        builder.undo(4)
    builder.undo(0)
    builder.undo()
    builder.undo()
    assert same(builder, [FIRST, ("cat", "dog", "ant"), ("dog", "eel", "cat")])
    builder.undo()
    assert same(builder, [FIRST])


@pytest.mark.parametrize("n", [-1, 1.5, True, "all"])
def test_builder_undo__bad_numbers(n):
    with pytest.raises((TypeError, ValueError), match="n "):
        animals(FIRST).undo(n)


# ---------------------------------------------------------------------- behaviour


def test_builder__in_len_repr():
    builder = animals(FIRST)
    assert ("bee", "ant", "cat") in builder
    for other in (("ant", "cat", "bee"), ("ant", "bee", "fox"), ("ant", "ant", "bee"), "ant", 5, ("ant", "bee", [])):
        assert other not in builder
    assert repr(builder) == "<TripletBuilder: 1 triplet on 5 leaves>"
    assert repr(animals()) == "<TripletBuilder: 0 triplets on 5 leaves>"


def test_builder__copies_are_independent():
    builder = animals(FIRST)
    builder.add(("cat", "dog", "ant"), weights=2)
    for other in (builder.copy(), copy.copy(builder), copy.deepcopy(builder), pickle.loads(pickle.dumps(builder))):
        assert other.triplets == builder.triplets
        other.undo()
        assert other.try_add(("ant", "dog", "cat"))
        assert same(other, [FIRST, ("ant", "dog", "cat")])
    assert builder.triplets.weights.tolist() == [1, 2]
    assert builder.hierarchy == one_tree(builder.triplets)
    twins = builder.copy(), copy.copy(builder)
    builder.add(("dog", "eel", "cat"))
    builder.add_leaves(["fox"])
    for twin in twins:
        assert len(twin) == 2
        assert len(twin.leaves) == 5
        assert twin.triplets.weights.tolist() == [1, 2]


def test_builder__answers_are_kept_until_something_changes():
    builder = animals(FIRST)
    assert builder.triplets is builder.triplets
    assert builder.hierarchy is builder.hierarchy
    before = builder.hierarchy
    builder.add(("cat", "dog", "ant"))
    assert builder.hierarchy != before
    assert before == Hierarchy.from_nested([["ant", "bee"], "cat", "dog", "eel"])


@pytest.mark.parametrize("labels", ["numbers", "numpy", "text"])
def test_builder__labels_of_any_kind(labels):
    leaves = [f"x{i}" for i in range(6)] if labels == "text" else 6
    builder = TripletBuilder(leaves)
    for a, b, c in yule(6, np.random.default_rng(3)) and decompose(yule(6, np.random.default_rng(3))).rows:
        t = (a, b, c) if labels == "numpy" else tuple(builder.leaves[i] for i in (int(a), int(b), int(c)))
        assert builder.try_add(t)
        assert t in builder
    assert builder.hierarchy.parent.tolist() == one_tree(builder.triplets).parent.tolist()


# ---------------------------------------------------------------------- large


@pytest.mark.slow
@pytest.mark.parametrize("order", ["up", "down"])
def test_builder__a_caterpillar_of_100000_leaves(order):
    n = 100_000
    k = np.arange(n - 2) if order == "up" else np.arange(n - 3, -1, -1)
    rows = np.stack([k, k + 1, k + 2], axis=1)
    builder, at_once = TripletBuilder(n), TripletBuilder(n)
    assert at_once.try_add_rows(rows).all()
    told = builder.try_add_rows(np.concatenate([rows, [[1, 2, 0]]]))  # the last one is refused: one after the other
    assert told[:-1].all()
    assert not told[-1]
    assert builder.hierarchy == at_once.hierarchy == caterpillar(n)
    assert not builder.try_add((n - 2, n - 1, 0))
    assert builder.try_add((0, 1, n - 1))
    builder.undo(1)
    assert builder.hierarchy.depth.max() == n - 1


#: Rows on which a new node knew the way of an old one, so that a row was taken that contradicts the others.
ROWS = """
1,4,44 2,4,10 11,30,48 15,49,43 1,7,48 31,49,22 8,49,24 28,30,34 41,44,13 7,48,27 10,28,23 0,12,21 19,38,13
7,12,45 7,40,20 24,25,16 31,37,12 2,14,43 4,34,43 0,35,42 19,30,46 11,44,7 21,22,47 1,43,28 19,24,33 26,33,49
26,29,49 3,41,45 41,44,46 11,34,41 1,19,41 10,49,39 6,23,21 8,44,47 12,32,11 8,23,11 5,25,32 28,46,26 11,19,0
5,8,36 32,37,4 3,47,41 2,38,46 39,44,48 29,47,30 11,28,48 15,42,27 6,20,14 35,36,12 15,23,5 31,32,9 22,30,31
17,21,24 38,40,7 3,11,46 6,11,3 21,25,11 33,43,30 27,47,3 4,43,44 12,36,0 25,46,11 21,31,39 9,32,2 1,39,18
19,38,41 19,26,13 13,39,29 17,27,39 1,10,36 8,20,43 18,36,12 4,7,19 24,32,10 10,17,18 28,45,18 17,40,8 35,43,12
39,49,23 16,35,27 10,17,25 2,38,48 9,38,1 5,31,9 4,23,34 19,21,48 13,14,1 8,33,6 23,37,30 2,25,36 27,29,46
0,22,12 0,20,39 4,5,8 30,31,14 25,41,42 18,28,41 7,22,21 3,31,42 4,30,2 13,15,44 31,41,42 8,31,39 0,27,7 7,36,21
12,14,30 24,37,41 15,21,34 32,37,29 10,47,4 4,5,32 36,37,24 12,33,47 11,47,8 7,42,49 18,30,23 10,21,4 5,25,24
38,42,37 27,43,44 11,40,2 6,41,49 36,47,42 10,28,32 14,36,1 12,40,16 14,25,37 33,45,31 12,32,3 20,45,36 16,19,31
32,43,15 21,32,26 1,41,49 15,39,32 8,18,9 16,34,22 20,24,6 15,18,34 5,34,43 7,16,27 31,39,16 0,33,5 18,21,9
19,44,31 13,39,28 14,20,5 15,42,16 2,10,25 25,26,46 0,39,40 32,36,20 19,27,16 19,38,24 29,38,44 10,25,37 8,44,43
1,16,31 6,32,21 21,42,23 11,17,42 45,47,9 30,44,23 6,21,45
"""


def test_builder__rows_that_once_were_taken_although_they_contradict():
    rows = np.array([row.split(",") for row in ROWS.split()], np.int32)
    builder, held = TripletBuilder(50), []
    told = builder.try_add_rows(rows).tolist()
    for row, is_there in zip(rows.tolist(), told, strict=True):
        assert is_consistent(TripletSet([*held, row], 50)) == is_there
        if is_there:
            held.append(row)
    assert len(held) < len(rows)
