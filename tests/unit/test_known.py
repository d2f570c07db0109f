"""Answers held against trios whose answer is known."""

import numpy as np
import pytest

from tripletree import TripletSet
from tripletree.core import Answer, AnswerSet
from tripletree.errors import InvalidTripletError
from tripletree.evaluation import check_known

KNOWN = TripletSet.from_labels([("a", "b", "c"), ("d", "e", "a")])


def test_known__counts_right_answers_of_each_person():
    found = check_known(
        AnswerSet(
            [
                Answer(("a", "b", "c"), "odd", "c", "anna"),
                Answer(("c", "a", "b"), "odd", "a", "ben"),
                Answer(("a", "e", "d"), "odd", "a", "anna"),
                Answer(("a", "e", "d"), "unsure", who="ben"),
                Answer(("d", "a", "e"), "odd", "a", "ben"),  # again: each answer counts
                Answer(("b", "d", "e"), "odd", "b", "cleo"),  # not known
                Answer(("a", "b"), "alike"),
            ]
        ),
        KNOWN,
    )
    assert found.people == ("anna", "ben", "cleo", None)
    assert found.n_known.tolist() == [2, 3, 0, 0]
    assert found.n_right.tolist() == [2, 1, 0, 0]
    np.testing.assert_allclose(found.share, [1, 1 / 3, np.nan, np.nan])
    assert found.to_frame()["n_right"].tolist() == [2, 1, 0, 0]
    assert repr(found) == "<KnownAnswers: 4 people, 3 of 5 right>"


def test_known__names_those_who_do_not_look():
    def person(who, right, wrong):
        return [Answer(("a", "b", "c"), "odd", "c" if k < right else "a", who) for k in range(right + wrong)]

    crowd = AnswerSet(person("anna", 8, 0) + person("ben", 6, 2) + person("carl", 2, 6) + person("dan", 0, 1))
    found = check_known(crowd, KNOWN)
    assert dict(zip(found.people, found.careless.tolist(), strict=True)) == {
        "anna": False,
        "ben": False,
        "carl": True,
        "dan": False,  # a single answer does not tell
    }
    rng = np.random.default_rng(0)
    several = [person(f"p{k}", right, 10 - right) for k, right in enumerate(rng.binomial(10, 0.9, 2000).tolist())]
    named = [check_known(AnswerSet(sum(several[k : k + 10], [])), KNOWN).careless.any() for k in range(0, 2000, 10)]
    assert np.mean(named) <= 0.08


def test_known__of_no_answers():
    found = check_known(AnswerSet([]), KNOWN)
    assert (found.people, found.share.tolist(), found.careless.tolist()) == ((), [], [])


def test_known__bad_input_is_refused():
    with pytest.raises(TypeError, match="expected an AnswerSet"):
        check_known([], KNOWN)
    with pytest.raises(TypeError, match="expected a TripletSet"):
        check_known(AnswerSet([]), [])
    with pytest.raises(InvalidTripletError, match="two for"):
        check_known(AnswerSet([]), TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")]))
