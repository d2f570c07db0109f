"""One model, the answers to it on disk, and the question that each person is shown; for several people at once."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from time import monotonic
from typing import IO, Any, NamedTuple

import numpy as np

from tripletree.ask.cards import Cards, shortened
from tripletree.ask.outline import make_outline, order_clusters
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.html import printable
from tripletree.io import append_answer, append_undo

REPLIES = ("alike", "different", "unsure")
MAX_WHO, MAX_PEOPLE = 80, 500
AWAY = 600.0  # seconds after which a question that is not answered goes to others
PATIENCE = 0.3  # seconds for which a question waits for what the last answer tells


class RefusedError(Exception):
    """A request that cannot be met; `status` is that of HTTP."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Findings(NamedTuple):
    """What some answers say.

    version : int; answers : AnswerSet; doubted : AnswerSet, those of them that do not hold in the clusters
    clusters : int64[n], the cluster of each sample, numbered as the page shows them
    uncertainty : float64[n]; sure : float64[clusters]
    make_hierarchy : function without arguments
    """

    version: int
    answers: AnswerSet
    doubted: AnswerSet
    clusters: np.ndarray
    uncertainty: np.ndarray
    sure: np.ndarray
    make_hierarchy: Callable[[], Hierarchy]


class Session:
    """Questions, answers and what is known from them. All methods may be called from several threads.

    Parameters
    ----------
    model : OddOneOutClustering
        Started, with all answers of the file replayed.
    cards : Cards
        Of the samples, in the order of the model.
    file : AnswerFile or None
        To which each answer is appended before anything else happens; None where a notebook keeps none.
    n_questions : int
        How many are to be asked in all.
    title : str
    close : callable
        Called at the end, so that others may write the file of answers.
    """

    def __init__(
        self,
        model: Any,
        cards: Cards,
        file: AnswerFile | None,
        *,
        n_questions: int,
        title: str,
        close: Callable[[], None],
    ) -> None:
        self.model, self.cards, self.file = model, cards, file
        self.close = close
        self.n_questions, self.title = n_questions, title
        self._row = {name: k for k, name in enumerate(cards.names)}
        self._lock = threading.RLock()
        self._shown: dict[str | None, tuple[Any, ...] | None] = {}  # the question of each person
        self._seen: dict[str | None, float] = {}  # when each was last heard of; pages call every few seconds
        self._version = 0  # changes with every answer and undo
        self._known: dict[str, Any] = {"version": -1}
        self._fresh = threading.Condition()  # of what is known
        self._at_work = False

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        with self._lock:  # an answer may be on its way to the disk
            self.close()

    # ------------------------------------------------------------------ what is shown

    def setup(self) -> dict[str, Any]:
        """Return what stays the same: title, number of samples, columns, whether there are pictures."""
        return {
            "title": shortened(self.title, MAX_WHO),
            "samples": len(self.cards.names),
            "columns": self.cards.scales(),
            "file": None if self.file is None else printable(os.path.basename(self.file.path)),
            "images": self.cards.images is not None,
        }

    def state(self, who: Any = None, version: Any = None, was: Any = None) -> dict[str, Any] | None:
        """Return the question of a person and what is known so far; None if nothing has changed since `version`.

        A person who has just typed a name is no longer who the page said before, `was` ("" without a name).

        What is known needs the hierarchy, which can take long: after a moment, that of earlier answers is returned.
        """
        who = _checked_who(who)
        with self._lock:
            if was is not None and _checked_who(was) != who:
                self._release(_checked_who(was))
            question = self._question(who)
            answers = self.model.answers_
            last = _last_of(answers, who)
            gain = float(self.model.gain_)
            found = {
                "who": who,
                "number": _number_of(answers, who),
                "question": None if question is None else [self.cards.card(self._row[x]) for x in question],
                "last": None if last is None else [self.cards.name(self._row[x]) for x in last.items],
                "people": [[printable(name), _number_of(answers, name)] for name in answers.people],
                "answers": len(answers),
                "left": max(self.n_questions - len(answers), 0),
                "gain": gain if np.isfinite(gain) else None,
            }
            now = self._version
        known = self._knowledge(now)
        found |= {"version": f"{now}-{known['version']}", "stale": known["version"] < now, "known": known}
        return None if found["version"] == version else found

    def _question(self, who: str | None) -> tuple[Any, ...] | None:
        now = monotonic()
        self._seen[who] = now
        if self._shown.get(who) is None:
            for person in [x for x, seen in self._seen.items() if now - seen > AWAY]:
                self._release(person)
            if who not in self._shown and len(self._shown) >= MAX_PEOPLE:
                msg = f"more than {MAX_PEOPLE} people: start another page for the others"
                raise RefusedError(msg, 429)
            self._shown[who] = self.model.next_question(who=who)
        return self._shown[who]

    def _release(self, who: str | None) -> None:
        """Take back the question of somebody who is gone, so that others can be asked about its samples."""
        self._shown.pop(who, None)
        self._seen.pop(who, None)
        self.model.release(who)

    # ------------------------------------------------------------------ what is known

    def snapshot(self) -> Findings:
        """Return all that the answers so far say, to be looked at while others come in."""
        with self._lock:
            model = self.model
            answers, labels = model.answers_, np.asarray(model.labels_)
            items = answers.leaves
            shown = [self._row[items[i]] for i in answers.rows[answers.rows >= 0].tolist()]
            clusters = order_clusters(labels, np.array(shown, np.int64))
            _, first = np.unique(clusters, return_index=True)
            _, codes = np.unique(labels, return_inverse=True)
            sure = 1 - np.asarray(model.cluster_uncertainty_, np.float64)[codes[first]]
            uncertainty = np.asarray(model.uncertainty_, np.float64)
            doubted = model.doubted_answers_
            return Findings(self._version, answers, doubted, clusters, uncertainty, sure, model.defer_hierarchy())

    def _knowledge(self, version: int) -> dict[str, Any]:
        """What is known, of a version if that is there within a moment; it is made by a thread of its own."""
        with self._fresh:
            if self._known["version"] < version and not self._at_work:
                self._at_work = True
                threading.Thread(target=self._make_knowledge, name="what is known", daemon=True).start()
            self._fresh.wait_for(lambda: self._known["version"] >= version, PATIENCE)
            return self._known

    def _make_knowledge(self) -> None:
        """Make what is known, again and again until no answer has come in meanwhile."""
        while True:
            found = self.snapshot()
            try:
                known = self._outline_of(found)
            except Exception as error:  # shown in its place: questions go on without it
                logging.getLogger(__name__).exception("the hierarchy could not be made")
                known = {"error": f"{type(error).__name__}: {error}"}
            with self._fresh:
                self._known = {"version": found.version, "answers": len(found.answers), **known}
                self._fresh.notify_all()
                if found.version == self._version:
                    self._at_work = False
                    return

    def _outline_of(self, found: Findings) -> dict[str, Any]:
        cards, hierarchy = self.cards, found.make_hierarchy()
        at = np.fromiter((self._row[x] for x in hierarchy.leaves), np.int64, len(cards.names))
        outline = make_outline(hierarchy, found.clusters[at], None if cards.values is None else cards.values[at])
        for row in outline["rows"]:
            row["items"] = [cards.short(int(at[k])) for k in row["items"]]
        return {"sure": found.sure.round(4).tolist(), "sizes": np.bincount(found.clusters).tolist(), **outline}

    # ------------------------------------------------------------------ what people do

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer, on disk first, and return the new state.

        Parameters
        ----------
        message : mapping
            ``who``; ``number``, how many answers of this person the page knows, so that nothing is counted twice;
            ``question``, the rows that were shown; ``reply``, a row or "alike", "different" or "unsure".

        Raises
        ------
        RefusedError
            If the message is malformed (400), or the person was shown another question by now (409).
        OSError
            If the file cannot be written, or was taken away: nothing is changed then.
        """
        who = _checked_who(message.get("who"))
        rows, reply = message.get("question"), message.get("reply")
        if not isinstance(rows, list) or not all(type(x) is int for x in rows):
            msg = "question must be the numbers of the samples shown"
            raise RefusedError(msg)
        with self._lock:
            question = self._question(who)
            self._check_number(message, who)
            if question is None or rows != [self._row[x] for x in question]:
                msg = "another question is shown by now"
                raise RefusedError(msg, 409)
            if type(reply) is int and reply in rows and len(rows) == 3:
                given = Answer(question, "odd", question[rows.index(reply)], who=who, when=_now())
            elif isinstance(reply, str) and reply in REPLIES:
                given = Answer(question, reply, who=who, when=_now())
            else:
                msg = "reply must be one of the samples shown, or alike, different or unsure"
                raise RefusedError(msg)
            if self.file is not None:
                self.file.add(append_answer, given)
            self.model.answer(given, question, who=who, when=given.when)
            self._changed(who, None)
        return self.state(who) or {}

    def undo(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Take back the last answer of a person, whose question is shown again, and return the new state.

        Raises
        ------
        RefusedError
            If there is none, or the page is behind.
        OSError
            If the file cannot be written, or was taken away: nothing is changed then.
        """
        who = _checked_who(message.get("who"))
        with self._lock:
            self._check_number(message, who)
            answers = self.model.answers_
            if _last_of(answers, who) is None:
                msg = "there is no answer to take back"
                raise RefusedError(msg, 409)
            if who is None and answers.person[-1] >= 0:  # of nobody, models take back the last answer of all
                msg = f"{answers[-1].who} has answered since; with a name, answers can be taken back at any time"
                raise RefusedError(msg, 409)
            if self.file is not None:
                self.file.add(append_undo, who=who, when=_now())
            taken = self.model.undo(who=who)
            self._changed(who, tuple(taken.items))
        return self.state(who) or {}

    def _check_number(self, message: Mapping[str, Any], who: str | None) -> None:
        if message.get("number") != _number_of(self.model.answers_, who):
            msg = "this was answered already, in another window or before a lost connection"
            raise RefusedError(msg, 409)

    def _changed(self, who: str | None, question: tuple[Any, ...] | None) -> None:
        self._version += 1
        self._shown[who] = question


class AnswerFile:
    """A file of answers that one page keeps for itself.

    Parameters
    ----------
    path : str
    stream : file object
        The open file, which has the lock.
    """

    def __init__(self, path: str, stream: IO[bytes]) -> None:
        self.path, self._stream = path, stream
        self._size = os.fstat(stream.fileno()).st_size

    def add(self, append: Callable[..., None], *arguments: Any, **named: Any) -> None:
        """Append a line to the file, unless it was taken away: an undo would stand where its answer is missing.

        Raises
        ------
        OSError
            If the path leads to nothing or to another file, or the file has lost what was in it.
        """
        if not self.is_there():
            what = "is another file by now, or none"
        elif os.path.getsize(self.path) < self._size:
            what = "has lost lines"
        else:
            append(self.path, *arguments, **named)
            self._size = os.path.getsize(self.path)
            return
        msg = (
            f"{os.path.basename(self.path)} {what}, so nothing more is kept. All answers so far are in the export of "
            "the page (in a notebook, model.answers_): save them as this file, and start again"
        )
        raise OSError(msg)

    def is_there(self) -> bool:
        """Whether the path still leads to the file that has the lock."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._stream.fileno()))
        except OSError:
            return False


@contextmanager
def keep_for_one(path: str) -> Iterator[AnswerFile]:
    """Keep other pages from writing to a file of answers while inside; it is made, and removed if it stays empty.

    Raises
    ------
    BlockingIOError
        If another page has it.
    """
    made = not os.path.exists(path)
    with open(path, "ab") as stream:
        _lock(stream, path)
        file = AnswerFile(path, stream)
        try:
            yield file
        finally:
            if made and file.is_there() and os.path.getsize(path) == 0:
                with suppress(OSError):  # Windows keeps what is open
                    os.remove(path)


def _lock(stream: IO[bytes], path: str) -> None:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        msg = "another page writes to this file of answers; give its address to others, or take another file"
        raise BlockingIOError(11, msg, path) from None
    except OSError:  # a file system without locks
        pass


def _checked_who(who: Any) -> str | None:
    """A person's name without blanks around it; None if it is empty."""
    if who is None:
        return None
    if not isinstance(who, str) or len(who) > MAX_WHO:
        msg = f"a name has at most {MAX_WHO} characters"
        raise RefusedError(msg)
    return " ".join(printable(who).split()) or None


def _number_of(answers: Any, who: str | None) -> int:
    """How many answers a person has given that are not taken back."""
    code = -1 if who is None else answers.people.index(who) if who in answers.people else -2
    return int(np.count_nonzero(answers.person == code))


def _last_of(answers: Any, who: str | None) -> Answer | None:
    """The last answer of a person."""
    code = -1 if who is None else answers.people.index(who) if who in answers.people else -2
    own = np.flatnonzero(answers.person == code)
    return answers[int(own[-1])] if own.size else None


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
