"""Studies: who is asked which trio, and catch trios that are clear."""

from collections import Counter

import numpy as np
import pytest

import tripletree as tt
from tripletree import TripletSet
from tripletree.ask import Design, find_clear_trios
from tripletree.ask.study import GAP, Study, balanced_trios
from tripletree.core import Answer
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidTripletError, UnknownLeafError

NAMES = LeafIndex(list("abcdefghij"))
CATCH = TripletSet.from_labels([("a", "b", "j"), ("a", "c", "j"), ("b", "c", "i"), ("d", "c", "i")])


def answered(study, people, number, ask_model=None):
    """The questions that people get who answer in turn, by person."""
    asked = {who: [] for who in people}
    for _ in range(number):
        for who in people:
            question = study.next_question(who, [], ask_model)
            asked[who].append(question)
            if question is not None:
                study.add(Answer(question, "odd", question[0], who))
    return asked


def keys(questions):
    return [frozenset(x) for x in questions]


# ---------------------------------------------------------------------- which questions each person gets


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_study__each_trio_is_answered_by_so_many_people(overlap):
    asked = answered(Study(Design(overlap=overlap), NAMES, 20), ["anna", "ben", "cleo"], 20)
    shared = Counter(key for questions in asked.values() for key in set(keys(questions)))
    assert set(shared.values()) == {overlap}
    assert all(len(set(keys(questions))) == 20 for questions in asked.values())


def test_study__people_who_come_later_get_the_trios_of_the_first():
    study = Study(Design(overlap=2), NAMES, 10)
    first = answered(study, ["anna"], 10)["anna"]
    second = answered(study, ["ben"], 10)["ben"]
    assert keys(second) == keys(first)
    assert second != first  # in another order on the page
    third = answered(study, ["cleo"], 10)["cleo"]
    assert not set(keys(third)) & set(keys(first))


def test_study__what_others_are_being_asked_counts():
    study = Study(Design(overlap=2), NAMES, 10)
    (question,) = answered(study, ["anna"], 1)["anna"]
    assert frozenset(study.next_question("ben", [], None)) == frozenset(question)
    assert frozenset(study.next_question("ben", [question], None)) != frozenset(question)
    new = study.next_question("ben", [question], None)
    assert frozenset(study.next_question("cleo", [question, new], None)) not in keys([question, new])


def test_study__repeats_come_later_and_in_their_share():
    asked = answered(Study(Design(repeats=0.2), NAMES, 50), ["anna"], 50)["anna"]
    again = [k for k, key in enumerate(keys(asked)) if key in keys(asked[:k])]
    assert len(again) == pytest.approx(10, abs=1)
    for k in again:
        before = keys(asked[:k]).index(keys(asked)[k])
        assert k - before > GAP
    assert max(Counter(keys(asked)).values()) == 2
    assert len({asked[k] for k in again} & {x for k, x in enumerate(asked) if k not in again}) < len(again)


def test_study__everybody_gets_the_catch_trios_in_their_share_and_an_order_of_their_own():
    people = ["anna", "ben", "cleo", "dan"]
    asked = answered(Study(Design(overlap=2, catch=CATCH), NAMES, 40), people, 40)
    known = {frozenset(x) for x in CATCH}
    orders = []
    for questions in asked.values():
        met = [key for key in keys(questions) if key in known]
        assert sorted(map(sorted, met)) == sorted(map(sorted, known))
        orders.append(tuple(met))
        places = [k for k, key in enumerate(keys(questions)) if key in known]
        assert all(10 * j <= place < 10 * j + 11 for j, place in enumerate(places))
    assert len(set(orders)) > 1
    # the odd one stands in every place
    places = {x.index(c) for a, b, c in CATCH for q in asked.values() for x in q if set(x) == {a, b, c}}
    assert places == {0, 1, 2}


def test_study__all_at_once_have_their_shares():
    design = Design(overlap=3, repeats=0.1, catch=CATCH, random_state=7)
    for questions in answered(Study(design, NAMES, 40), ["anna", "ben", "cleo"], 40).values():
        known = {frozenset(x) for x in CATCH}
        assert sum(key in known for key in keys(questions)) == 4
        assert len(questions) - len(set(keys(questions))) in (3, 4)


def test_study__a_list_of_trios_is_asked_in_order_then_those_of_others():
    trios = [("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")]
    study = Study(Design(trios=trios), NAMES, 5)
    asked = answered(study, ["anna"], 4)["anna"]
    assert keys(asked[:3]) == keys(trios)
    assert asked[3] is None
    assert keys(answered(study, ["ben"], 3)["ben"]) == keys(trios)  # though anna has finished
    assert Study(Design(trios=trios), LeafIndex(list("abcdefghi")), 5).names.labels == tuple("abcdefghi")


def test_study__a_model_is_asked_for_new_questions_only():
    given = iter([("a", "b", "c"), ("d", "e", "f"), None, None])
    calls = []
    study = Study(Design(overlap=2), NAMES, 5)

    def ask_model():
        calls.append(len(study))
        return next(given)

    first = answered(study, ["anna"], 2, ask_model)["anna"]
    assert keys(first) == [frozenset("abc"), frozenset("def")]
    assert keys(answered(study, ["ben"], 2, ask_model)["ben"]) == keys(first)
    assert calls == [0, 1]
    (drawn,) = answered(study, ["ben"], 1, ask_model)["ben"]  # in a study everybody gets as many
    assert frozenset(drawn) not in keys(first)
    assert study.undo("ben").items == drawn
    assert keys(answered(study, ["cleo"], 1, lambda: None)["cleo"]) == [frozenset("abc")]


def test_study__one_person_is_done_if_a_model_has_nothing_left():
    assert answered(Study(Design(), NAMES, 5), ["anna"], 1, lambda: None)["anna"] == [None]


@pytest.mark.parametrize("design", [Design(overlap=2, repeats=0.1, catch=CATCH), Design(), Design(repeats=0.3)])
def test_study__goes_on_from_the_answers_alone(design):
    study = Study(design, NAMES, 30)
    answered(study, ["anna", "ben"], 11)
    again = Study(design, NAMES, 30, study.answers)
    for who in ("anna", "ben", "cleo", None):
        assert again.next_question(who, [], None) == study.next_question(who, [], None)
        assert (again.number(who), again.left(who), again.last(who)) == (
            study.number(who),
            study.left(who),
            study.last(who),
        )


def test_study__undo_takes_back_all_of_an_answer():
    study = Study(Design(overlap=2, repeats=0.2, catch=CATCH), NAMES, 30)
    answered(study, ["anna", "ben"], 8)
    before, question = study.answers, study.next_question("anna", [], None)
    study.add(Answer(question, "alike", who="anna"))
    answered(study, ["ben"], 1)
    study.undo("ben")
    assert study.undo("anna").kind == "alike"
    assert study.answers == before
    assert study.next_question("anna", [], None) == question
    assert study.people == [("anna", 8), ("ben", 8)]


def test_study__samples_are_shown_as_often_as_each_other():
    trios = list(balanced_trios(LeafIndex(20), np.random.default_rng(0)))
    assert len(set(map(frozenset, trios))) == len(trios) == 20 * 19 * 18 // 6
    for number, apart in ((20, 3), (60, 3), (200, 8)):  # trios that were drawn before are left out of a deal
        counts = Counter(x for trio in trios[:number] for x in trio)
        assert len(counts) == 20
        assert max(counts.values()) - min(counts.values()) <= apart
    assert [len(list(balanced_trios(LeafIndex(n), np.random.default_rng(0)))) for n in (2, 3, 4, 7)] == [0, 1, 4, 35]


# ---------------------------------------------------------------------- designs


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"overlap": 0}, ValueError, "overlap must be a whole number of at least 1, not"),
        ({"overlap": 1.5}, ValueError, "overlap must be a whole number"),
        ({"overlap": True}, ValueError, "overlap must be a whole number"),
        ({"n_questions": 0}, ValueError, "n_questions must be a whole number of at least 1"),
        ({"repeats": 0.6}, ValueError, r"repeats must be a share of the questions in 0\.\.0\.5"),
        ({"repeats": "x"}, ValueError, "repeats must be a share"),
        ({"catch_share": -0.1}, ValueError, "catch_share must be a share"),
        ({"catch": [("a", "b", "c")]}, TypeError, "expected a TripletSet"),
        ({"catch": TripletSet([], 3)}, InvalidTripletError, "catch has no triplet"),
        (
            {"catch": TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")])},
            InvalidTripletError,
            "catch has two answers for",
        ),
        (
            {"trios": [("a", "b", "c"), ("a", "a", "b")]},
            InvalidTripletError,
            "entry 1 of trios must be three different",
        ),
        ({"trios": [([], "b", "c")]}, InvalidTripletError, "entry 0 of trios must be three different labels"),
        ({"trios": ["abc"]}, InvalidTripletError, "entry 0 of trios must be three different labels"),
        ({"trios": []}, InvalidTripletError, "trios is empty"),
        ({"forced_choice": "yes"}, ValueError, "forced_choice must be True or False"),
        ({"fixed": 1}, ValueError, "fixed must be True or False"),
        ({"break_after": 0}, ValueError, "break_after must be a whole number of at least 1"),
        ({"practice": TripletSet([], 3)}, InvalidTripletError, "practice has no triplet"),
        ({"pause": -1}, ValueError, r"pause must be seconds in 0\.\.10, not"),
        ({"pause": "long"}, ValueError, "pause must be seconds"),
        ({"trios": 5}, TypeError, "trios must be a sequence of three labels each"),
    ],
)
def test_design__bad_values_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        Design(**given)


def test_design__samples_that_there_are_not_are_named():
    with pytest.raises(UnknownLeafError, match="1 unknown among the samples of the design: 'z'"):
        Study(Design(trios=[("a", "b", "z")]), NAMES, 5)


# ---------------------------------------------------------------------- clear trios


def test_clear_trios__of_a_hierarchy_hold_in_it():
    h = tt.parse_newick("(((a,b),(c,d)),((e,f),(g,h)),i);")
    found = find_clear_trios(h, 8)
    assert len(found) == 8
    assert tt.displays(h, found).all()
    assert [len({*x} & {"a", "b"}) != 1 for x in list(found)[:2]] == [True, True]
    assert len(find_clear_trios(tt.parse_newick("(a,b,c,d);"), 8)) == 0


def test_clear_trios__of_points_are_the_clearest():
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(3), 10)
    found = find_clear_trios(rng.normal(size=(30, 2)) + 20 * np.eye(3, 2)[kind], 10)
    assert len(found) == 10
    assert all(kind[a] == kind[b] != kind[c] for a, b, c in found)
    assert max(Counter(x for triplet in found for x in triplet).values()) <= 3
    named = find_clear_trios([[0.0], [0.1], [9.0]], 5, sample_names=["x", "y", "z"])
    assert list(named) == [("x", "y", "z")]
    assert len(find_clear_trios([[0.0], [0.0], [0.0]], 5)) == 0


@pytest.mark.parametrize(
    ("data", "n_trios", "message"),
    [
        ([[0.0], [1.0]], 5, "2 samples; a trio has three"),
        ([[0.0], [1.0], [np.nan]], 5, "finite numbers of shape"),
        ([[0.0], [1.0], [2.0]], 0, "n_trios must be at least 1"),
    ],
)
def test_clear_trios__bad_input_is_refused(data, n_trios, message):
    with pytest.raises(ValueError, match=message):
        find_clear_trios(data, n_trios)
