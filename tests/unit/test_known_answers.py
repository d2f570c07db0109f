"""Triplet sets of which others have published whether they are consistent."""

import json

import pytest
from oracles import is_irreducible_conflict

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.induce import displays
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError


@pytest.mark.shared
def test_known_answers__small_triplet_sets(shared):
    cases = json.loads((shared / "known_answers" / "small_triplet_sets.json").read_text())
    assert len(cases) >= 6
    assert {case["consistent"] for case in cases} == {True, False}
    for case in cases:
        t = TripletSet.from_labels(case["triplets"], case["leaves"])
        assert is_consistent(t) == case["consistent"], case["origin"]
        assert (find_conflict(t) is None) == case["consistent"]
        if case["consistent"]:
            assert displays(one_tree(t), t).all()


@pytest.mark.shared
def test_known_answers__what_does_not_split_lies_in_one_published_component(shared):
    cases = json.loads((shared / "known_answers" / "small_triplet_sets.json").read_text())
    known = [case for case in cases if "aho_components" in case and not case["consistent"]]
    assert known
    for case in known:
        with pytest.raises(InconsistentTripletsError) as caught:
            one_tree(TripletSet.from_labels(case["triplets"], case["leaves"]))
        assert any(set(caught.value.leaves) <= set(part) for part in case["aho_components"])
        assert is_irreducible_conflict(caught.value.conflict)
