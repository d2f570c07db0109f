"""The model of a session with several people: nobody waits for it, and it misses nothing."""

import threading

import numpy as np
import pytest
from asking_model import RandomQuestions

from tripletree.ask import open_session
from tripletree.ask.learner import Learner, NotReadyError
from tripletree.cluster import OddOneOutClustering
from tripletree.core import Answer, AnswerSet

NAMES = [f"s{k}" for k in range(12)]
WAIT = 30  # seconds: a limit for what should come at once


class SlowQuestions(RandomQuestions):
    """Asks and hears only when it may. A test that waits for it while it may not would never end."""

    def __init__(self):
        self.may, self.kept, self.batches = threading.Event(), [], []
        self.may.set()

    def next_question(self, who=None):
        assert self.may.wait(WAIT)
        self.kept.append(who)
        rng = np.random.default_rng(len(self.kept))
        return tuple(self.names[i] for i in rng.choice(len(self.names), 3, replace=False).tolist())

    def answer(self, *args, **kwargs):
        assert self.may.wait(WAIT)
        super().answer(*args, **kwargs)

    def hear(self, answers):
        assert self.may.wait(WAIT)
        self.batches.append(len(answers))
        self.given.extend(answers)


@pytest.fixture
def slow(monkeypatch, tmp_path):
    """A session with a model that counts as slow."""
    monkeypatch.setattr("tripletree.ask.learner.QUICK", -1.0)
    X = np.arange(24.0).reshape(12, 2)
    with open_session(SlowQuestions(), X, answers=tmp_path / "a.jsonl", sample_names=NAMES) as session:
        yield session


def idle(session):
    """Wait until the thread of the model has nothing to do."""
    for thread in threading.enumerate():
        if thread.name == "model":
            thread.join(WAIT)
            assert not thread.is_alive()


def answer(session, who):
    state = session.state(who)
    rows = [card["row"] for card in state["question"]]
    return session.answer({"who": who, "number": state["number"], "question": rows, "reply": rows[0]})


def test_learner__people_do_not_wait_for_the_model_and_it_hears_all(slow):
    answer(slow, "ida")  # alone
    assert len(slow.model.given) == 1
    slow.model.may.clear()  # from here on the model is at work
    asked = [answer(slow, who)["question"] for who in ("jo", "ida", "jo", "kim")]
    assert all(asked)
    assert len(slow.model.given) == 1
    assert len(slow.answers) == 5
    slow.model.may.set()
    idle(slow)
    assert slow.model.given == list(slow.answers)
    assert len(slow.model.batches) == 1  # all that waited, at once


def test_learner__questions_come_from_the_stock_once_each(slow):
    for who in ("ida", "jo", "kim"):
        slow.state(who)
    idle(slow)
    made = list(slow.model.kept)
    slow.model.may.clear()
    shown = [answer(slow, who)["question"] for who in ("ida", "jo", "kim")]
    assert len({frozenset(card["row"] for card in question) for question in shown}) == 3
    taken = [key for key in slow._keys.values() if key and key.startswith("\0")]
    assert taken
    assert set(taken) <= set(made)
    slow.model.may.set()
    idle(slow)
    for who in ("ida", "jo", "kim"):
        answer(slow, who)
    idle(slow)
    slow.learner.settle()
    assert set(taken) <= set(slow.model.released)


def test_learner__what_was_asked_meanwhile_does_not_come_from_the_stock(monkeypatch):
    monkeypatch.setattr("tripletree.ask.learner.QUICK", -1.0)
    model = SlowQuestions().start(np.arange(24.0).reshape(12, 2), sample_names=NAMES)
    learner = Learner(model)
    with pytest.raises(NotReadyError):
        learner.question("ida", set(), alone=False, people=1)
    for thread in threading.enumerate():
        if thread.name == "model":
            thread.join(WAIT)
    (first, one), (second, _) = learner._stock
    found, key = learner.question("ida", {frozenset(one)}, alone=False, people=1)
    assert key != first
    assert found != one
    learner.settle()
    assert first in model.released
    assert second == key


def test_learner__undo_among_several_people_keeps_the_order(slow):
    for who in ("ida", "jo"):
        answer(slow, who)
    slow.model.may.clear()
    answer(slow, "ida")
    slow.undo({"who": "ida", "number": 2})
    answer(slow, "jo")
    slow.model.may.set()
    idle(slow)
    slow.learner.settle()
    assert [x.who for x in slow.model.given] == ["ida", "jo", "jo"]
    assert slow.model.given == list(slow.answers)


def test_learner__the_model_has_all_answers_when_the_session_ends(monkeypatch, tmp_path):
    monkeypatch.setattr("tripletree.ask.learner.QUICK", -1.0)
    model = OddOneOutClustering()
    with open_session(model, None, answers=None, sample_names=NAMES) as session:
        for _ in range(3):
            for who in ("ida", "jo"):
                answer(session, who)
        given = session.answers
    assert model.answers_ == given
    assert model.hierarchy_.leaves == given.leaves


def test_learner__an_error_of_the_model_stops_nobody(slow, caplog):
    for who in ("ida", "jo"):
        answer(slow, who)
    idle(slow)

    def fails(*args, **kwargs):
        raise MemoryError("too large")

    slow.model.answer = slow.model.hear = slow.model.next_question = fails
    for who in ("ida", "jo", "ida", "jo"):
        assert answer(slow, who)["question"]
    idle(slow)
    assert "could not take in" in caplog.text
    assert len(slow.answers) == 6


def test_hear__several_answers_at_once_are_as_one_after_another():
    said = [Answer(("s0", "s1", "s2"), "odd", "s2", "ida"), Answer(("s3", "s4", "s5"), "unsure", None, "jo")]
    said.append(Answer(("s0", "s3", "s6"), "odd", "s0", "ida", "2026-01-01T00:00:00Z", 2.0))
    for X in (None, np.arange(12.0)[:, None]):
        model = OddOneOutClustering().start(X, sample_names=NAMES)
        question = model.next_question("ida")
        assert model.hear(said) is model
        assert model.answers_ == AnswerSet(said, NAMES)
        assert model.next_question("ida") != question  # the open one is answered
        assert model.undo("ida") == said[2]
        one = OddOneOutClustering().start(X, sample_names=NAMES, answers=said[:2])
        assert model.answers_ == one.answers_
        assert model.hear([]).answers_ == one.answers_
        assert model.undo("jo") == said[1]


def test_hear__nothing_changes_if_one_is_wrong():
    model = OddOneOutClustering().start(None, sample_names=NAMES)
    with pytest.raises(Exception, match="s99"):
        model.hear([Answer(("s0", "s1", "s2"), "alike"), Answer(("s0", "s1", "s99"), "alike")])
    assert len(model.answers_) == 0
