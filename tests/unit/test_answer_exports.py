"""Answers written for other programs, read as those programs read them."""

import csv
import json

import numpy as np
import pytest

from tripletree import TripletSet
from tripletree.core import Answer, AnswerSet
from tripletree.io import export_answers, read_answers

GIVEN = [
    Answer(("oak", "elm", "rose"), "odd", "rose", "ida", "2026-03-01T10:00:00Z", 1.25),
    Answer(("rose", "elm", "oak"), "odd", "oak", "ida"),
    Answer(("fern", "elm", "oak"), "different", who="jo", seconds=0.5),
    Answer(("fern", "oak", "rose"), "odd", "fern", 'k\t"1"'),
    Answer(("elm", "rose", "oak"), "unsure"),
]
KNOWN = TripletSet.from_labels([("oak", "elm", "rose")])


@pytest.fixture
def folder(tmp_path):
    export_answers(AnswerSet(GIVEN), tmp_path / "out", known=KNOWN)
    return tmp_path / "out"


def table(path):
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))


def test_export__cblearn_has_the_odd_one_first(folder):
    """cblearn.preprocessing.triplets_from_oddoneout takes the first column as the odd one by default."""
    rows = np.loadtxt(folder / "cblearn.csv", delimiter=",", skiprows=1, dtype=int)
    labels = [x["label"] for x in table(folder / "items.csv")]
    assert [x["number"] for x in table(folder / "items.csv")] == ["0", "1", "2", "3"]
    said = [x for x in GIVEN if x.kind == "odd"]
    assert [labels[i] for i in rows[:, 0]] == [x.odd for x in said]
    assert [{labels[i] for i in row} for row in rows] == [set(x.items) for x in said]


def test_export__salmon_says_that_two_are_nearer_to_each_other_than_to_the_odd_one(folder):
    labels = [x["label"] for x in table(folder / "items.csv")]
    rows = table(folder / "salmon.csv")
    found = [tuple(row[f"{x}_filename"] for x in ("head", "winner", "loser")) for row in rows]
    near = [[x for x in answer.items if x != answer.odd] for answer in GIVEN if answer.kind == "odd"]
    odd = [answer.odd for answer in GIVEN if answer.kind == "odd"]
    assert found == [y for (a, b), c in zip(near, odd, strict=True) for y in ((a, b, c), (b, a, c))]
    for row in rows:
        assert {row["left"], row["right"]} == {row["winner"], row["loser"]}
        assert all(labels[int(row[x])] == row[f"{x}_filename"] for x in ("head", "left", "right", "winner", "loser"))
    assert [(row["puid"], row["response_time"], row["time_received"]) for row in rows[:3]] == [
        *[("ida", "1.25", "1772359200")] * 2,
        ("ida", "", ""),
    ]
    # left is what stood further to the left: oak before rose in the first question
    assert [(row["left_filename"], row["right_filename"]) for row in rows[:2]] == [("elm", "rose"), ("oak", "rose")]


def test_export__the_long_table_has_a_row_for_each_thing_shown(folder):
    rows = table(folder / "long.csv")
    assert len(rows) == 3 * len(GIVEN)
    for k, answer in enumerate(GIVEN):
        shown = rows[3 * k : 3 * k + 3]
        assert len({row["trial_id"] for row in shown}) == 1
        assert [(int(row["place"]), row["item"]) for row in shown] == list(enumerate(answer.items, 1))
        assert [row["item"] for row in shown if row["odd"] == "1"] == ([answer.odd] if answer.kind == "odd" else [])
        assert {row["who"] for row in shown} == {answer.who or ""}
        right = [row["item"] for row in shown if row["known_odd"] == "1"]
        assert right == (["rose"] if set(answer.items) == {"oak", "elm", "rose"} else [])
    assert len({row["trial_id"] for row in rows}) == len(GIVEN)
    assert [rows[3 * k]["trial"] for k in range(5)] == ["1", "2", "1", "1", "1"]


def test_export__bids_reads_back_and_tells_kinds(folder):
    found = read_answers(folder / "task-oddoneout_beh.tsv", seconds="response_time")
    assert [(x.items, x.kind, x.odd, x.seconds) for x in found] == [(x.items, x.kind, x.odd, x.seconds) for x in GIVEN]
    rows = table(folder / "task-oddoneout_beh.tsv")
    assert [row["trial_type"] for row in rows] == ["catch", "catch", "question", "question", "catch"]
    assert [row["correct"] for row in rows] == ["1", "0", "n/a", "n/a", "0"]
    assert [row["response_place"] for row in rows] == ["3", "3", "n/a", "1", "n/a"]
    people = {row["participant_id"]: row for row in table(folder / "participants.tsv")}
    assert [people[x.who]["name"] for x in found] == ["ida", "ida", "jo", 'k\t"1"', "n/a"]
    assert [people[f"sub-{k}"]["answers"] for k in (1, 2, 3, 4)] == ["2", "1", "1", "1"]
    assert all("ida" not in row.values() for row in rows)


def test_export__a_question_answered_before_is_a_repeat(tmp_path):
    said = [Answer(("a", "b", "c"), "alike", who=who) for who in ("ida", "jo", "ida", "ida")]
    export_answers(AnswerSet(said), tmp_path)
    rows = table(tmp_path / "task-oddoneout_beh.tsv")
    assert [row["trial_type"] for row in rows] == ["question", "question", "repeat", "repeat"]


def test_export__each_column_is_in_the_dictionary(folder):
    whole = json.loads((folder / "dictionary.json").read_text())
    beside = {x: json.loads((folder / f"{x}.json").read_text()) for x in ("task-oddoneout_beh", "participants")}
    whole |= {f"{x}.tsv": columns for x, columns in beside.items()}
    for name, columns in whole.items():
        head = next(iter(table(folder / name))).keys()
        assert list(head) == [x for x in columns if x != "Description"]
        assert all(columns[x]["Description"] for x in head)


def test_export__questions_about_two_have_no_third(tmp_path):
    export_answers(AnswerSet([Answer(("a", "b"), "alike", who="ida")]), tmp_path)
    (row,) = table(tmp_path / "task-oddoneout_beh.tsv")
    assert (row["stimulus_2"], row["stimulus_3"], row["response"]) == ("b", "n/a", "alike")
    assert len(table(tmp_path / "long.csv")) == 2
    assert table(tmp_path / "cblearn.csv") == table(tmp_path / "salmon.csv") == []


def test_export__times_that_are_no_times_are_left_out(tmp_path):
    export_answers(AnswerSet([Answer(("a", "b", "c"), "odd", "a", when="soon")]), tmp_path)
    assert {row["time_received"] for row in table(tmp_path / "salmon.csv")} == {""}


def test_export__names_that_people_type_are_no_formulas(tmp_path):
    names = ["=1+1", "@x", "+49", "-2", "ida"]
    export_answers(AnswerSet([Answer(("a", "b", "c"), "odd", "a", who) for who in names]), tmp_path)
    shown = ["'=1+1", "'@x", "'+49", "'-2", "ida"]
    assert [row["name"] for row in table(tmp_path / "participants.tsv")] == shown
    assert list(dict.fromkeys(row["who"] for row in table(tmp_path / "long.csv"))) == shown
    assert list(dict.fromkeys(row["puid"] for row in table(tmp_path / "salmon.csv"))) == shown
    assert list(read_answers(tmp_path / "answers.jsonl").people) == names
