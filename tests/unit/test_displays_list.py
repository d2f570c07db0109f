"""displays of a list of labels: in the order of the list, as induce has it."""

import numpy as np
import pytest

import tripletree as tt
from tripletree.errors import InvalidTripletError, UnknownLeafError

TREE = tt.Hierarchy.from_nested([[("ant", "bee"), "cod"], "dab"])


def test_a_list_is_answered_in_its_order_with_repeats():
    asked = [("dab", "bee", "ant"), ("bee", "ant", "dab"), ("cod", "ant", "dab"), ("bee", "ant", "dab")]
    assert tt.displays(TREE, asked).tolist() == [False, True, True, True]
    one_by_one = [bool(tt.displays(TREE, tt.TripletSet.from_labels([x]))[0]) for x in asked]
    assert tt.displays(TREE, asked).tolist() == one_by_one


def test_an_empty_list_has_no_answers():
    assert tt.displays(TREE, []).dtype == np.bool_
    assert tt.displays(TREE, []).size == 0


def test_lists_with_mistakes_are_refused():
    with pytest.raises(UnknownLeafError, match="'eel'"):
        tt.displays(TREE, [("ant", "bee", "eel")])
    with pytest.raises(InvalidTripletError):
        tt.displays(TREE, [("ant", "ant", "bee")])
    with pytest.raises(TypeError, match="TripletSet.from_labels"):
        tt.displays(TREE, "ant bee | cod")
