"""Values stay as their constructors have checked them: compiled code trusts them, and would read beyond its arrays."""

import copy
import io
import pickle

import numpy as np
import pytest
from examples import caterpillar

import tripletree as tt
from tripletree.core import Answer, AnswerSet
from tripletree.core.arrays import freeze, frozen
from tripletree.core.pair_closure import PairClosure
from tripletree.errors import TripletreeError

TREE = tt.Hierarchy([4, 4, 5, 5, 6, 6, -1], ["a", "b", "c", "d"], length=np.ones(7))
PAIRS = tt.PairwiseConstraints([[0, 1], [1, 2]], [[2, 3]], 5, must_weights=[0.5, 1], cannot_weights=[1])
VALUES = {
    "hierarchy": TREE,
    "hierarchy with heights": tt.Hierarchy([3, 3, 4, 4, -1], height=[0, 0, 0, 1, 2]),
    "restricted": TREE.restrict(["a", "c", "d"]),
    "built": tt.one_tree(tt.decompose(caterpillar(9))),
    "triplets": tt.TripletSet([[0, 1, 2], [2, 3, 1]], 4, weights=[1, 2]),
    "decomposed": tt.decompose(caterpillar(9)),
    "ontology": tt.Ontology(5, [[0, 2], [1, 2], [1, 3], [2, 4], [3, 4]]),
    "pairs": PAIRS,
    "closure of pairs": PAIRS.closure(),
    "answers": AnswerSet([Answer(("a", "b", "c"), "odd", "b", who="x"), Answer(("a", "b", "d"), "unsure")]),
    "labels": TREE.leaves,
}


def attributes(value):
    """Name and value of each attribute, private and cached ones and properties included. No methods."""
    for name in dir(value):
        if not name.startswith("__"):
            found = getattr(value, name, None)
            if isinstance(found, np.ndarray) or not callable(found):
                yield name, found


def arrays(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for x in value:
            yield from arrays(x)


@pytest.fixture(params=VALUES, name="value")
def _value(request):
    return VALUES[request.param]


COPIES = {
    "itself": lambda x: x,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.parametrize("again", COPIES.values(), ids=COPIES)
def test_no_array_of_a_value_can_be_written_to(value, again):
    for name, found in attributes(again(value)):
        for array in arrays(found):
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
            while isinstance(array, np.ndarray):
                assert not array.flags.writeable, name
                array = array.base  # noqa: PLW2901
            assert array.readonly, name


def test_no_attribute_of_a_value_can_be_set_or_deleted(value):
    for name, found in attributes(value):
        if not name.startswith("_"):
            with pytest.raises(AttributeError):
                setattr(value, name, found)
            with pytest.raises(AttributeError):
                delattr(value, name)
            assert getattr(value, name) is not None or found is None
    with pytest.raises(AttributeError):
        value.something = 1


def test_nothing_goes_round_the_constructor(value):
    """As ``vars(h)["parent"] = bad`` did, which ended the process in a compiled kernel."""
    if value is not TREE.leaves:
        with pytest.raises(TypeError):
            vars(value)
        for name, found in attributes(value):
            if not name.startswith("_") and name != "shape":
                with pytest.raises(AttributeError):
                    object.__setattr__(value, name, found)


def test_a_value_is_made_once():
    h = tt.Hierarchy([2, 2, -1])
    with pytest.raises(AttributeError, match="cannot be made again"):
        h.__init__([3, 3, 3, -1])
    assert h.parent.tolist() == [2, 2, -1]


class Doctor(pickle.Pickler):
    """Writes every array with numbers beyond all ranges, or with half of its rows."""

    def __init__(self, file, doctored):
        super().__init__(file)
        self.doctored = doctored

    def reducer_override(self, obj):
        return self.doctored(obj).__reduce_ex__(4) if type(obj) is np.ndarray and obj.size else NotImplemented


def with_large_numbers(array):
    return np.full(array.shape, 100, array.dtype)


@pytest.fixture(scope="module")
def builder():
    made = tt.TripletBuilder(4, [(0, 1, 2)])
    made.add((2, 3, 0))
    return made


@pytest.mark.parametrize("doctored", [with_large_numbers, lambda x: x[: len(x) // 2].copy()], ids=["large", "half"])
@pytest.mark.parametrize("name", [*(x for x in VALUES if x not in {"labels", "closure of pairs"}), "builder"])
def test_a_doctored_pickle_is_checked_when_it_is_loaded(name, builder, doctored):
    file = io.BytesIO()
    Doctor(file, doctored).dump(builder if name == "builder" else VALUES[name])
    try:
        again = pickle.loads(file.getvalue())
    except TripletreeError:
        return
    repr(again)  # half of the triplets are triplets, too
    assert doctored is not with_large_numbers


@pytest.mark.parametrize(
    ("component", "cannot"), [([0, 0, 9, 1], [[0, 1]]), ([0, 0, 0, 1], [[0, 9]]), ([0, 1], [[0, 1]])]
)
def test_a_doctored_pickle_of_a_closure_is_checked(component, cannot):
    closure = PairClosure(tt.LeafIndex(4), np.array(component, np.int32), 2, np.array(cannot, np.int32))
    with pytest.raises(TripletreeError, match="damaged"):
        pickle.loads(pickle.dumps(closure))


def test_a_builder_is_pickled_without_what_the_core_trusts(builder):
    again = pickle.loads(pickle.dumps(builder))
    assert again.triplets == builder.triplets
    assert again.hierarchy == builder.hierarchy
    again.undo()
    assert list(again) == [(0, 1, 2)]
    kind, (leaves, rows, weights, log) = builder.__reduce__()
    for bad in ((leaves, rows + 9, weights, log), (leaves, rows, {(0, 1, 99): 1.0}, log)):
        with pytest.raises(tt.errors.InvalidTripletError):
            kind(*bad)
    with pytest.raises(AttributeError):
        builder.leaves = tt.LeafIndex(2)


def test_the_arrays_handed_in_stay_writable_and_apart():
    parent = np.array([2, 2, -1], np.int32)
    h = tt.Hierarchy(parent)
    parent[0] = 77
    assert h.parent.tolist() == [2, 2, -1]
    mine = np.array([2, 2, -1], np.int32)
    mine.setflags(write=False)
    h = tt.Hierarchy(mine)
    mine.setflags(write=True)  # as its owner may
    mine[0] = 77
    assert h.parent.tolist() == [2, 2, -1]


def test_frozen_takes_what_freeze_has_made_and_copies_all_else():
    made = freeze(np.arange(3, dtype=np.int32))
    assert frozen(made) is made
    assert np.shares_memory(frozen(made[1:]), made)
    view = np.arange(3, dtype=np.int32)[:2]
    done = freeze(view)
    assert not view.base.flags.writeable
    assert np.shares_memory(done, view)
    for given in (np.arange(3, dtype=np.int32), np.arange(3), [0, 1, 2]):
        out = frozen(given)
        assert out.tolist() == [0, 1, 2]
        assert not np.shares_memory(out, np.asarray(given))
        assert not isinstance(given, np.ndarray) or given.flags.writeable
