"""Answers in the forms that other programs read: a record a form, with the columns of its table and what they mean.

`tripletree.ask` offers the same files on its pages, and ``tripletree answers --export`` writes them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from tripletree.core.answers import AnswerSet, check_answers
from tripletree.core.triplets import TripletSet, check_triplets
from tripletree.io.answers import write_answers
from tripletree.io.source import csv_text, no_formula, write_folder


class Trial(NamedTuple):
    """An answer with its place in the study: what the rows of all forms are made of.

    number : int, from 1, of the answers of this person
    subject : str, a name that tells nothing of the person (sub-01, in the order of the first answers)
    who : str, "" if there is no name, never a formula of a spreadsheet
    items, rows : the labels as shown from left to right, and their numbers, counted from 0 in `AnswerSet.leaves`
    place : int or None, of the odd one, from 1
    reply : the odd one, or "alike", "different", "unsure"
    seconds : float or None
    when : str or None
    before : int, how often this person has answered the same question before
    known : label or None, the right answer
    """

    number: int
    subject: str
    who: str
    items: tuple[Any, ...]
    rows: tuple[int, ...]
    place: int | None
    reply: Any
    seconds: float | None
    when: str | None
    before: int
    known: Any


class AnswerForm(NamedTuple):
    """A form: the name of its file, what its rows are, its columns with their meaning, and the rows of a trial."""

    file: str
    title: str
    columns: dict[str, str]
    rows: Callable[[Trial], Iterator[tuple[Any, ...]]]


def _cblearn(x: Trial) -> Iterator[tuple[Any, ...]]:
    if x.place is not None:
        yield x.rows[x.place - 1], *(row for k, row in enumerate(x.rows, 1) if k != x.place)


def _salmon(x: Trial) -> Iterator[tuple[Any, ...]]:
    if x.place is None:
        return
    odd = x.place - 1
    near = [k for k in range(3) if k != odd]
    for head, winner in (near, near[::-1]):
        left, right = sorted((winner, odd))
        numbers = (x.rows[k] for k in (head, left, right, winner, odd))
        names = (x.items[k] for k in (head, left, right, winner, odd))
        time = "" if x.when is None else _unix_time(x.when)
        yield (*numbers, *names, x.who, "" if x.seconds is None else x.seconds, time, "OddOneOut")


def _unix_time(when: str) -> Any:
    try:
        return int(datetime.fromisoformat(when).timestamp())
    except (ValueError, OverflowError):
        return ""


def _long(x: Trial) -> Iterator[tuple[Any, ...]]:
    for place, item in enumerate(x.items, 1):
        seen = ("" if v is None else v for v in (x.seconds, x.when))
        right = "" if x.known is None else int(item == x.known)
        yield (f"{x.subject}.{x.number}", x.who, x.number, place, item, int(place == x.place), right, *seen)


def _beh(x: Trial) -> Iterator[tuple[Any, ...]]:
    kind = "catch" if x.known is not None else "repeat" if x.before else "question"
    items = (*x.items, *["n/a"] * (3 - len(x.items)))
    more = (x.reply, x.place, x.seconds, kind, x.known, None if x.known is None else int(x.reply == x.known))
    yield (x.subject, x.number, *items, *("n/a" if v is None else v for v in (*more, x.when)))


_PLACES = ("on the left", "in the middle", "on the right")
FORMS = {
    "cblearn": AnswerForm(
        "cblearn.csv",
        "A row an answer that names an odd one, for cblearn: triplets_from_oddoneout(numpy.loadtxt('cblearn.csv', "
        "delimiter=',', skiprows=1, dtype=int)). The numbers are those of items.csv.",
        {
            "odd": "number of the odd one",
            "other_1": "number of the first of the other two",
            "other_2": "number of the second of them",
        },
        _cblearn,
    ),
    "salmon": AnswerForm(
        "salmon.csv",
        "As salmon saves responses to 'which of two is more like the head?': two rows for each answer that names an "
        "odd one. The numbers are those of items.csv.",
        {
            "head": "number of one of the two that belong together",
            "left": "number of the one more to the left of the two compared with it",
            "right": "number of the one more to the right of them",
            "winner": "number of the one that is more like the head",
            "loser": "number of the other, the odd one",
            **{f"{x}_filename": f"label of {x}" for x in ("head", "left", "right", "winner", "loser")},
            "puid": "name of the person",
            "response_time": "response time in seconds",
            "time_received": "time of the answer in seconds since 1970",
            "alg_ident": "always OddOneOut",
        },
        _salmon,
    ),
    "long": AnswerForm(
        "long.csv",
        "A row for each thing shown, for R: survival::clogit(odd ~ item + strata(trial_id), read.csv('long.csv')).",
        {
            "trial_id": "the question: the same for the rows of one answer",
            "who": "name of the person",
            "trial": "number of the answer among those of this person, from 1",
            "place": "place on the page, from 1 on the left",
            "item": "label of the thing",
            "odd": "1 if the person named it, else 0 (0 for all three where the answer was another)",
            "known_odd": "1 if it is the right answer, 0 if not, empty if no answer is known",
            "seconds": "response time in seconds",
            "when": "time of the answer, ISO 8601",
        },
        _long,
    ),
    "bids": AnswerForm(
        "task-oddoneout_beh.tsv",
        "A row an answer, with columns as in BIDS. participants.tsv has the people.",
        {
            "participant_id": "number of the person, as in participants.tsv",
            "trial": "number of the answer among those of this person, from 1",
            **{f"stimulus_{k}": f"label of the thing {x}" for k, x in enumerate(_PLACES, 1)},
            "response": "label of the odd one, or alike, different, unsure",
            "response_place": "place of the odd one",
            "response_time": "response time in seconds, from the last picture shown",
            "trial_type": "question, repeat (this person has answered it before) or catch (its answer is known)",
            "known_odd": "the right answer of a catch trial",
            "correct": "1 if the response is the right answer, else 0",
            "time": "time of the answer, ISO 8601",
        },
        _beh,
    ),
}
_UNITS = {"response_time": "s", "seconds": "s"}
_LEVELS = {
    "trial_type": {
        "question": "a question for the first time",
        "repeat": "a question that the person has answered before",
        "catch": "a question with a known answer",
    },
    "response_place": dict(zip("123", _PLACES, strict=True)),
}


def exported_answers(answers: AnswerSet, known: TripletSet | None = None) -> dict[str, Callable[[], str]]:
    """Return the files of all forms by name, each as a function that makes its text."""
    trials: list[Trial] = []

    def every() -> list[Trial]:
        trials.extend(() if trials else _trials(answers, known))
        return trials

    def table(form: AnswerForm) -> str:
        return _table(form.file, [tuple(form.columns), *(row for x in every() for row in form.rows(x))])

    def people() -> list[tuple[Any, ...]]:
        told = Counter((x.subject, x.who) for x in every())
        return [(subject, who or "n/a", number) for (subject, who), number in sorted(told.items())]

    files: dict[str, Callable[[], str]] = {"answers.jsonl": lambda: write_answers(answers)}
    for form in FORMS.values():
        files[form.file] = lambda form=form: table(form)  # type: ignore[misc]
    head = ("participant_id", "name", "answers")
    return files | {
        "items.csv": lambda: _table("items.csv", [("number", "label"), *enumerate(answers.leaves)]),
        "participants.tsv": lambda: _table("participants.tsv", [head, *people()]),
        "participants.json": lambda: _dictionary(
            {
                "participant_id": "number of the person, in the order of the first answers",
                "name": "name or code that the person gave: leave it out before you publish",
                "answers": "number of answers",
            }
        ),
        "task-oddoneout_beh.json": lambda: _dictionary(FORMS["bids"].columns),
        "dictionary.json": lambda: _json(
            {x.file: {"Description": x.title, **_described(x.columns)} for x in FORMS.values()}
        ),
    }


def export_answers(answers: AnswerSet, folder: str | os.PathLike[str], *, known: TripletSet | None = None) -> list[str]:
    """Write answers for other programs: cblearn, salmon, R, and tables with the columns of BIDS.

    Parameters
    ----------
    answers : AnswerSet
    folder : path
        Where to write the files. It is made if it is missing.
    known : TripletSet, optional
        Trios with a known answer, such as catch trios: for each triplet ab|c, c is the odd one.

    Returns
    -------
    list of str
        The files: answers.jsonl, cblearn.csv, salmon.csv, long.csv, task-oddoneout_beh.tsv and .json, items.csv,
        participants.tsv and .json, and dictionary.json, which says what each column means.

    See Also
    --------
    write_answers : JSON lines alone, which `read_answers` reads.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from tripletree.core import Answer, AnswerSet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = export_answers(AnswerSet([Answer(("cat", "eel", "dog"), "odd", "eel", seconds=1.5)]), folder)
    ...     print(pathlib.Path(folder, "long.csv").read_text(), end="")
    trial_id,who,trial,place,item,odd,known_odd,seconds,when
    sub-1.1,,1,1,cat,0,,1.5,
    sub-1.1,,1,2,eel,1,,1.5,
    sub-1.1,,1,3,dog,0,,1.5,
    """
    files = exported_answers(check_answers(answers), None if known is None else check_triplets(known))
    return [str(path) for path in write_folder(folder, {name: make() for name, make in files.items()})]


def _trials(answers: AnswerSet, known: TripletSet | None) -> Iterator[Trial]:
    right = {frozenset(triplet): triplet[2] for triplet in known or ()}
    people = list(dict.fromkeys(answers.person.tolist()))
    wide = len(str(len(people)))
    subjects = {person: f"sub-{k:0{wide}}" for k, person in enumerate(people, 1)}
    given: Counter[int] = Counter()
    asked: Counter[tuple[int, frozenset]] = Counter()
    for x, person, row in zip(answers, answers.person.tolist(), answers.rows.tolist(), strict=True):
        given[person] += 1
        question = (person, frozenset(x.items))
        yield Trial(
            given[person],
            subjects[person],
            no_formula(x.who or ""),
            x.items,
            tuple(k for k in row if k >= 0),
            x.items.index(x.odd) + 1 if x.kind == "odd" else None,
            x.odd if x.kind == "odd" else x.kind,
            x.seconds,
            x.when,
            asked[question],
            right.get(question[1]),
        )
        asked[question] += 1


def _table(name: str, rows: list[tuple[Any, ...]]) -> str:
    return csv_text(rows, "\t" if name.endswith(".tsv") else ",")


def _described(columns: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Columns in the form of BIDS's data dictionaries."""
    found: dict[str, dict[str, Any]] = {}
    for name, meaning in columns.items():
        found[name] = {"Description": meaning}
        if name in _UNITS:
            found[name]["Units"] = _UNITS[name]
        if name in _LEVELS:
            found[name]["Levels"] = _LEVELS[name]
    return found


def _dictionary(columns: dict[str, str]) -> str:
    return _json(_described(columns))


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
