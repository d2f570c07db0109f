"""Every error: its builtin, its data, its message, and its trip between processes."""

import copy
import inspect
import pickle

import pytest

from tripletree import errors
from tripletree.algorithms.conflict import Conflict
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    ClusterCountError,
    DuplicateLeafError,
    InconsistentPairsError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    InvalidAnswerError,
    InvalidHierarchyError,
    InvalidLabelsError,
    InvalidPairError,
    InvalidTimesError,
    InvalidTripletError,
    LimitExceededError,
    MissingDependencyError,
    NotATreeError,
    ParseError,
    TimeLimitError,
    TripletreeError,
    UnknownLeafError,
    UnknownOptionError,
    UnknownSampleError,
    UnknownTripletError,
)

CONFLICT = Conflict(TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")]))
EXAMPLES = [
    (InvalidTripletError("m", row=3), ValueError, {"row": 3}),
    (TimeLimitError("m", seconds=2.5, what="ReCon.fit"), TimeoutError, {"seconds": 2.5, "what": "ReCon.fit"}),
    (InvalidTripletError("m"), ValueError, {"row": None}),
    (InvalidAnswerError("m", row=3), ValueError, {"row": 3}),
    (InvalidHierarchyError("m", node=2), ValueError, {"node": 2}),
    (
        NotATreeError("m", node="GO:3", parents=("GO:1", "GO:2")),
        ValueError,
        {"node": "GO:3", "parents": ["GO:1", "GO:2"]},
    ),
    (DuplicateLeafError(["a", 1]), ValueError, {"labels": ["a", 1]}),
    (
        UnknownLeafError(["caat", 7], ["cat", "dog"]),
        LookupError,
        {"labels": ["caat", 7], "suggestions": {"caat": ["cat"]}},
    ),
    (
        ParseError("no closing bracket", path="x.nwk", line=2, column=4, text="((a"),
        ValueError,
        {"path": "x.nwk", "line": 2, "column": 4, "problems": ["no closing bracket"]},
    ),
    (
        InconsistentTripletsError(["a", "b", "c"], CONFLICT),
        ValueError,
        {"leaves": ["a", "b", "c"], "conflict": CONFLICT},
    ),
    (UnknownTripletError([("a", "b", "c")], 7), LookupError, {"triplets": [("a", "b", "c")]}),
    (UnknownOptionError(["root"], ["names"], "dot"), TypeError, {"options": ["root"], "known": ["names"]}),
    (UnknownSampleError("m", name="mamals", suggestions=["mammals"]), LookupError, {"suggestions": ["mammals"]}),
    (InvalidPairError("m", row=3), ValueError, {"row": 3}),
    (
        InconsistentPairsError(["a", "b", "c"]),
        ValueError,
        {"path": ["a", "b", "c"], "cannot_link": ("a", "c"), "origins": [None] * 3, "weight": None},
    ),
    (
        InfeasibleClusteringError("m", n_clusters=2, samples=[4, 7, 9], is_clique=True),
        RuntimeError,
        {"n_clusters": 2, "samples": [4, 7, 9], "clique": [4, 7, 9], "sample": 4, "proved": True},
    ),
    (InvalidLabelsError("m", position=4), ValueError, {"position": 4}),
    (InvalidTimesError("m", row=3), ValueError, {"row": 3}),
    (ClusterCountError("m", n_clusters=9, nearest=[7, 8]), ValueError, {"n_clusters": 9, "nearest": (7, 8)}),
    (LimitExceededError("m", size=9, limit=3), ValueError, {"size": 9, "limit": 3}),
    (MissingDependencyError("pandas", "io", "reading Parquet"), ImportError, {"library": "pandas", "extra": "io"}),
]


def test_errors__the_examples_are_all_there_are():
    kinds = {x for _, x in inspect.getmembers(errors, inspect.isclass) if issubclass(x, TripletreeError)}
    assert kinds - {TripletreeError} == {type(error) for error, _, _ in EXAMPLES}
    assert sorted(errors.__all__) == sorted([*(x.__name__ for x in kinds), "GuessedLabelWarning"])


@pytest.mark.parametrize(("error", "builtin", "data"), EXAMPLES)
def test_errors__are_builtins_that_carry_data(error, builtin, data):
    assert isinstance(error, TripletreeError)
    assert isinstance(error, builtin)
    assert {name: getattr(error, name) for name in data} == data
    assert str(error)


@pytest.mark.parametrize(("error", "builtin", "data"), EXAMPLES)
@pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_errors__survive_copying_and_pickling(error, builtin, data, duplicate):
    again = duplicate(error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert {name: getattr(again, name) for name in data} == data


def test_errors__a_parse_error_points_at_the_place():
    error = ParseError("a bracket is missing", path="x.nwk", line=3, column=5, text="((a,b;")
    assert str(error) == "x.nwk, line 3, column 5: a bracket is missing\n  ((a,b;\n      ^"
    assert str(ParseError("empty")) == "<string>: empty"
    assert str(ParseError("empty", line=1)) == "<string>, line 1: empty"


@pytest.mark.parametrize("column", [1, 40, 77, 200, 1999])
def test_errors__the_caret_stands_below_the_character_in_long_lines_too(column):
    text = "".join(chr(33 + i % 90) for i in range(2000))
    _, shown, caret = str(ParseError("here", line=1, column=column, text=text)).split("\n")
    assert len(shown) <= 82
    assert shown[caret.index("^")] == text[column - 1]


def test_errors__control_characters_do_not_move_the_caret():
    _, shown, caret = str(ParseError("here", line=1, column=4, text="a\tb!c")).split("\n")
    assert shown[caret.index("^")] == "!"


def test_errors__many_labels_are_cut_in_the_message_only():
    labels = [f"x{i}" for i in range(100)]
    error = DuplicateLeafError(labels)
    assert error.labels == labels
    assert "'x19', ..." in str(error)
    assert "x20" not in str(error)
    error = UnknownLeafError(labels, ["a"])
    assert error.labels == labels
    assert "and 80 more" in str(error)
    assert "'x20'" not in str(error)


def test_errors__only_near_strings_are_suggested():
    known = ["Homo sapiens", "Pan troglodytes", 5]
    error = UnknownLeafError(["Homo sapien", "zzz", 6], known)
    assert error.suggestions == {"Homo sapien": ["Homo sapiens"]}
    assert "(did you mean 'Homo sapiens'?)" in str(error)
    assert UnknownLeafError([6], range(5)).suggestions == {}


def test_errors__suggestions_among_many_names_start_alike():
    known = [f"species {i:05d}" for i in range(6000)] + ["gorilla"]
    assert UnknownLeafError(["gorila"], known).suggestions == {"gorila": ["gorilla"]}


def test_errors__an_inconsistency_spells_out_the_conflict():
    text = str(InconsistentTripletsError(["a", "b", "c"], CONFLICT))
    assert "these 2 cannot hold together (each of them alone can): a b | c, a c | b" in text


def test_errors__a_missing_library_names_the_command():
    text = str(MissingDependencyError("matplotlib", "plot", "plot_dendrogram"))
    how = "pip install 'tripletree[plot]' (in a clone: pip install '.[plot]')"
    assert text == f"plot_dendrogram needs matplotlib, which is not installed: {how}"


def test_messages__control_characters_stand_escaped():
    label = "\x1b]0;title\x07\r\x9b2J\u202e\x7f"
    shown = r"\x1b]0;title\x07\r\x9b2J\u202e\x7f"
    for error in (
        TripletreeError(label),
        ParseError(label, path=label, line=1, column=2, text=label),
        InvalidTripletError(label, row=1),
        NotATreeError(label, node=label, parents=[label]),
        MissingDependencyError(label, "io", "this"),
    ):
        assert shown in str(error)
        for text in (str(error), str(pickle.loads(pickle.dumps(error)))):
            assert not set(text) & set("\x1b\x07\r\x9b\u202e\x7f")
    assert str(TripletreeError("a\tb\nc é ß \U0001f98a", 3).args[0]) == "a\tb\nc é ß \U0001f98a"


def test_unknown_leaf_error__zeros_in_front_are_named():
    """Excel takes the zeros of 0012 away, and 12 beside 0012 looked like any other unknown label."""
    error = UnknownLeafError(["12", "7", 13], ["0012", "0013", "0014"])
    assert error.suggestions == {"12": ["0012"], 13: ["0013"]}
    assert "'12' (did you mean '0012'? the zeros in front differ)" in str(error)
    assert "12 (did you mean '12'? labels are text here)" in str(UnknownLeafError([12], ["12"]))
