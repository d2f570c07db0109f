"""A study, its answers on disk, and the question that each person sees, for several people at once."""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count
from secrets import token_hex
from time import monotonic
from typing import IO, Any, NamedTuple
from urllib.parse import quote

import numpy as np

from tripletree.ask.cards import Cards, shortened
from tripletree.ask.learner import Learner, NotReadyError
from tripletree.ask.outline import make_outline, order_clusters
from tripletree.ask.study import Question, Study
from tripletree.ask.texts import texts_of
from tripletree.ask.wording import Wording
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.html import printable
from tripletree.io import append_answer, append_undo, write_answers

REPLIES = ("alike", "different", "unsure")
#: The things that people may see beside the question.
SHOWN = ("labels", "clusters", "people", "files")
MAX_WHO, MAX_PEOPLE = 80, 500
MAX_SECONDS = 30 * 86400.0  # somebody may leave the page open for long
AWAY = 600.0  # seconds after which an open question goes to other people
RECENT = 20.0  # seconds: somebody who was seen since then is answering now, so that others do not wait for the model
END = 4096  # bytes at the end of the file of answers that are compared before more are written
PATIENCE = 0.3  # seconds for which a question waits for the clusters after the last answer


class RefusedError(Exception):
    """A request that is refused, with an HTTP `status`.

    Errors that participants can meet have the `key` of a text in their language, and `values` to put into it.
    """

    def __init__(self, message: str, status: int = 400, key: str | None = None, values: Any = None) -> None:
        super().__init__(message)
        self.status, self.key, self.values = status, key, values

    @property
    def body(self) -> dict[str, Any]:
        """The message to the page."""
        told = {} if self.key is None else {"key": self.key, "values": self.values}
        return {"error": str(self), **told}


def refused(key: str, status: int, **values: Any) -> RefusedError:
    """Return an error that the page shows in the language of the person."""
    return RefusedError(texts_of("en")[key].format(**values), status, key, values)


def check_shown(show: str | Iterable[str]) -> frozenset[str]:
    """Check the names of the things that people see beside the question, and replace "all" by all of them.

    Raises
    ------
    ValueError
        If a name is not known.
    """
    names = [show] if isinstance(show, str) else list(show)
    unknown = [x for x in names if x not in (*SHOWN, "all")]
    if unknown:
        msg = f"show must be of {', '.join(map(repr, SHOWN))} or 'all', not {unknown[0]!r}"
        raise ValueError(msg)
    return frozenset(SHOWN if "all" in names else names)


class Findings(NamedTuple):
    """The results after some answers.

    version : int
    answers : AnswerSet
    doubted : AnswerSet, the answers that do not hold in the clusters
    clusters : int64[n], the cluster of each sample, numbered as on the page
    uncertainty : float64[n]
    sure : float64[clusters]
    gain : float, how many samples the next answer may settle
    support : float64[inner nodes] or None, of the clades of the hierarchy
    make_hierarchy : function without arguments
    """

    version: int
    answers: AnswerSet
    doubted: AnswerSet
    clusters: np.ndarray
    uncertainty: np.ndarray
    sure: np.ndarray
    gain: float
    support: np.ndarray | None
    make_hierarchy: Callable[[], Hierarchy]


class Session:
    """Questions, answers and results. All methods may be called from several threads.

    Parameters
    ----------
    study : Study
        The study, with all answers of the file.
    model : OddOneOutClustering or None
        The started model, with the same answers. None if the questions do not depend on answers.
    cards : Cards
        The cards of the samples, in the order of the model.
    file : AnswerFile or None
        Each answer is appended to this file before anything else happens. None if a notebook keeps no file.
    title : str
    show : frozenset of str
        The things of `SHOWN` that people see beside the question.
    wording : Wording, optional
    close : callable
        Is called at the end, to let other pages write the file of answers.
    """

    def __init__(
        self,
        study: Study,
        model: Any | None,
        cards: Cards,
        file: AnswerFile | None,
        *,
        title: str,
        show: frozenset[str],
        wording: Wording | None = None,
        close: Callable[[], None],
    ) -> None:
        self.study, self.model, self.cards, self.file = study, model, cards, file
        self.learner = None if model is None else Learner(model)
        self.close = close
        self.title, self.show, self.wording = title, show, wording or Wording()
        self._row = {name: k for k, name in enumerate(cards.names)}
        self._lock = threading.RLock()
        self._shown: dict[str | None, tuple[Any, ...] | None] = {}  # the question of each person
        self._keys: dict[str | None, str | None] = {}  # the name under which the model keeps it open
        self._places: dict[str | None, Any] = {}  # the address from which each person was last heard of
        self._seen: dict[str | None, float] = {}  # the time of the last sign of each person (pages call regularly)
        self._run = token_hex(4)  # a page of an earlier run must not take its version for this one's
        self._version = 0  # changes with every answer and undo
        self.paused = False  # whether answers are refused for now
        self._known: dict[str, Any] = {"version": -1}  # the last results that the page shows
        self._fresh = threading.Condition()  # guards `_known` and `_at_work`
        self._at_work = False  # whether a thread is making newer results

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        with self._lock:  # an answer may just be written to disk
            try:
                self._rescue()
            finally:
                self.close()
        if self.learner is not None:
            self.learner.settle()  # the model has all answers afterwards

    def _rescue(self) -> None:
        """Write all answers to another file if their own file was removed or changed by others."""
        if self.file is None or self.file.loss() is None or not len(self.study):
            return
        stem, suffix = os.path.splitext(self.file.path)
        names = (f"{stem}-rescued{'' if k == 1 else k}{suffix}" for k in count(1))
        path = next(name for name in names if not os.path.exists(name))
        write_answers(self.study.answers, path)
        logging.getLogger(__name__).warning("%s %s: all answers are in %s", self.file.path, self.file.loss(), path)

    # ------------------------------------------------------------------ the question

    def setup(self) -> dict[str, Any]:
        """Return the things that never change: title, number of samples, columns, whether there are pictures."""
        return {
            "title": shortened(self.title, MAX_WHO),
            "samples": len(self.cards.names),
            "columns": self.cards.scales(),
            "file": None if self.file is None else printable(os.path.basename(self.file.path)),
            "images": self.cards.images is not None,
            "pause": self.study.design.pause,
            "forced": self.study.design.forced_choice,
            "fixed": self.study.design.fixed,
            "breakAfter": self.study.design.break_after,
            "practice": self._practice(),
        }

    def _practice(self) -> list[dict[str, Any]]:
        """The trios of the practice, with the row of the odd one."""
        rng = np.random.default_rng(self.study.design.random_state)
        found = []
        for triplet in self.study.design.practice or ():
            rows = [self._row[x] for x in triplet]
            shown = [self.cards.card(k) for k in rng.permutation(rows).tolist()]
            found.append({"question": shown, "odd": rows[2]})
        return found

    def state(self, who: Any = None, version: Any = None, was: Any = None, place: Any = None) -> dict[str, Any] | None:
        """Return the question of a person and the results so far, or None if nothing has changed since `version`.

        After a person has typed a new name, `was` is the name before ("" for none). `place` is the address of the
        computer, by which names are told apart if there are very many. The results need the hierarchy,
        which can take long. After a moment the results of earlier answers are returned instead.
        """
        who = _checked_who(who)
        with self._lock:
            if was is not None and _checked_who(was) != who:
                self._release(_checked_who(was))
            self._places[who] = place
            question = self._question(who)
            last = self.study.last(who)
            found: dict[str, Any] = {
                "who": who,
                "number": self.study.number(who),
                "left": self.study.left(who),
                "question": None if question is None else [self.cards.card(self._row[x]) for x in question],
                "last": None if last is None else [self.cards.shown_name(self._row[x]) for x in last.items],
                "nameless": self._needs_name(who),
                "paused": self.paused,
            }
            if found["left"] == 0:  # nobody can read it before
                address = (self.wording.return_address or "").replace("{who}", quote(who or "", safe=""))
                found["end"] = {"code": self.wording.completion_code, "address": address or None}
            if "people" in self.show:
                people = [[printable(name), number] for name, number in self.study.people]
                found |= {"people": people, "answers": len(self.study)}
            now = self._version
        if self.shows_clusters:
            known = self._knowledge(now)
            found |= {
                "gain": known.get("gain"),
                "stale": known["version"] < now,
                "known": known,
                "version": f"{now}-{known['version']}-{self._run}",
            }
        else:
            found["version"] = f"{now}--{self._run}"
        found["version"] += "-paused" * found["paused"]
        return None if found["version"] == version else found

    @property
    def shows_clusters(self) -> bool:
        """Whether people see the clusters of the model."""
        return self.model is not None and "clusters" in self.show

    def _needs_name(self, who: str | None) -> bool:
        """Whether somebody must give a name first. In a study, people must be told apart."""
        invited = self.study.design.invited
        if who is not None and invited is not None and who not in invited:
            raise refused("errorNotInvited", 403)
        return who is None and (self.study.design.is_study or invited is not None)

    def _question(self, who: str | None) -> tuple[Any, ...] | None:
        if self._needs_name(who):
            return None
        now = monotonic()
        self._seen[who] = now
        if self._shown.get(who) is None:
            for person in [x for x, seen in self._seen.items() if now - seen > AWAY]:
                self._release(person)
            if who not in self._shown and len(self._shown) >= MAX_PEOPLE:
                self._release(self._least_wanted(who))
            others = [question for person, question in self._shown.items() if question is not None and person != who]
            ask_model = None if self.learner is None else partial(self._ask_model, who, others)
            self._keys[who] = who
            self._shown[who] = self.study.next_question(who, others, ask_model)
        return self._shown[who]

    def _ask_model(self, who: str | None, others: Sequence[Question]) -> Question | None:
        """Choose a question by the model, or draw one if several people answer and the model is not ready."""
        assert self.learner is not None
        people = self._others_answering(who)
        taken = self.study.taken(others)
        try:
            question, key = self.learner.question(who, taken, alone=not people, people=people)
        except NotReadyError:
            return self.study.drawn(others)
        self._keys[who] = key
        return question

    def _others_answering(self, who: str | None) -> int:
        now = monotonic()
        return sum(now - self._seen[x] < RECENT for x in self._shown if x != who and x in self._seen)

    def _tell_model(self, who: str | None, news: Answer | Callable[[Any], Any]) -> None:
        """Let the model hear something of a person, and forget the person's open question."""
        if self.learner is None:
            return
        key = self._keys.pop(who, who)
        if key != who:
            self.learner.release(key)
        self.learner.tell(self._version + 1, news, alone=not self._others_answering(who))

    def _least_wanted(self, new: str | None) -> str | None:
        """The person to forget for a new one: of the address with most names, who was not seen for longest.

        So somebody who makes up names drives out nobody elsewhere. A person who is forgotten gets a question again.
        """
        names = Counter(self._places.get(who) for who in (*self._shown, new))
        most = max(names.values())
        crowded = {place for place, number in names.items() if number == most}
        found = [who for who in self._shown if self._places.get(who) in crowded]
        return min(found, key=lambda who: self._seen.get(who, 0.0))

    def _release(self, who: str | None) -> None:
        """Take back the question of somebody who has left, so that other people can be asked about its samples."""
        self._shown.pop(who, None)
        self._seen.pop(who, None)
        self._places.pop(who, None)
        if self.learner is not None:
            self.learner.release(self._keys.pop(who, who))

    # ------------------------------------------------------------------ results

    def seen(self) -> tuple[list[Answer], dict[str | None, float]]:
        """Return all answers, and for everybody who has the page open how long ago it was last heard of."""
        with self._lock:
            now = monotonic()
            return self.study.log, {who: now - self._seen[who] for who in self._shown if who in self._seen}

    def row_of(self, name: Any) -> int:
        """Return the number of a sample."""
        return self._row[name]

    def snapshot(self) -> Findings:
        """Return the results of the answers so far. They do not change when more answers come in."""
        learner = self.learner
        assert learner is not None
        learner.settle()
        with learner.holds:
            model = learner.model
            answers, labels = model.answers_, np.asarray(model.labels_)
            items = answers.leaves
            shown = [self._row[items[i]] for i in answers.rows[answers.rows >= 0].tolist()]
            clusters = order_clusters(labels, np.array(shown, np.int64))
            _, first = np.unique(clusters, return_index=True)
            _, codes = np.unique(labels, return_inverse=True)
            sure = 1 - np.asarray(model.cluster_uncertainty_, np.float64)[codes[first]]
            uncertainty = np.asarray(model.uncertainty_, np.float64)
            doubted, gain = model.doubted_answers_, float(model.gain_)
            support = getattr(model, "clade_support_", None)
            return Findings(
                learner.heard, answers, doubted, clusters, uncertainty, sure, gain, support, model.defer_hierarchy()
            )

    @property
    def answers(self) -> AnswerSet:
        """All answers so far."""
        with self._lock:
            return self.study.answers

    def _knowledge(self, version: int) -> dict[str, Any]:
        """Return the results of a version if they are ready within a moment, else earlier ones.

        A thread of its own makes them.
        """
        with self._fresh:
            if self._known["version"] < version and not self._at_work:
                self._at_work = True
                threading.Thread(target=self._make_knowledge, name="results", daemon=True).start()
            self._fresh.wait_for(lambda: self._known["version"] >= version, PATIENCE)
            return self._known

    def _make_knowledge(self) -> None:
        """Make the results again until no answer has come in meanwhile."""
        while True:
            found = self.snapshot()
            try:
                known = self._outline_of(found)
            except Exception as error:  # the page shows the error instead, and questions go on
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
        gain = found.gain if np.isfinite(found.gain) else None
        return {
            "gain": gain,
            "sure": found.sure.round(4).tolist(),
            "sizes": np.bincount(found.clusters).tolist(),
            **outline,
        }

    # ------------------------------------------------------------------ answers

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Keep an answer, first on disk, and return the new state.

        Parameters
        ----------
        message : mapping
            ``who`` is the person. ``number`` is the number of answers of this person that the page knows, so that no
            answer counts twice. ``question`` has the rows that were shown. ``reply`` is a row or "alike", "different"
            or "unsure". ``seconds`` is the response time and may be missing.

        Raises
        ------
        RefusedError
            If the message is malformed (400), or the person has another question by now (409).
        OSError
            If the file cannot be written, or was removed. Nothing changes then.
        """
        self._check_open()
        who = _checked_who(message.get("who"))
        rows, reply = message.get("question"), message.get("reply")
        if not isinstance(rows, list) or not all(type(x) is int for x in rows):
            msg = "question must be the numbers of the samples shown"
            raise RefusedError(msg)
        with self._lock:
            question = self._question(who)
            self._check_number(message, who)
            if question is None or rows != [self._row[x] for x in question]:
                raise refused("errorOtherQuestion", 409)
            design = self.study.design
            if design.fixed and self.study.left(who) == 0:
                raise refused("errorAllAnswered", 409)
            if type(reply) is int and reply in rows and len(rows) == 3:
                kind, odd = "odd", question[rows.index(reply)]
            elif isinstance(reply, str) and reply in REPLIES and not (design.forced_choice and len(rows) == 3):
                kind, odd = reply, None
            else:
                msg = "reply must be one of the samples shown"
                msg += "" if design.forced_choice else ", or alike, different or unsure"
                raise RefusedError(msg)
            given = Answer(question, kind, odd, who=who, when=_now(), seconds=_checked_seconds(message.get("seconds")))
            if self.file is not None:
                self.file.add(append_answer, given)
            self.study.add(given)
            self._tell_model(who, given)
            self._changed(who, None)
        return self.state(who) or {}

    def undo(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Take back the last answer of a person, show its question again, and return the new state.

        Raises
        ------
        RefusedError
            If there is no answer, or the page is out of date.
        OSError
            If the file cannot be written, or was removed. Nothing changes then.
        """
        self._check_open()
        who = _checked_who(message.get("who"))
        with self._lock:
            self._check_number(message, who)
            if self.study.last(who) is None:
                raise refused("errorNothingToUndo", 409)
            if self.file is not None:
                self.file.add(append_undo, who=who, when=_now())
            taken = self.study.undo(who)
            self._tell_model(who, lambda model: model.undo(who=who))
            self._changed(who, tuple(taken.items))
        return self.state(who) or {}

    def _check_open(self) -> None:
        if self.paused:
            raise refused("errorPaused", 503)

    def _check_number(self, message: Mapping[str, Any], who: str | None) -> None:
        number = message.get("number")
        if type(number) is not int or number != self.study.number(who):
            raise refused("errorAnswered", 409)

    def _changed(self, who: str | None, question: tuple[Any, ...] | None) -> None:
        self._version += 1
        self._shown[who] = question


class AnswerFile:
    """A file of answers that only one page writes.

    Parameters
    ----------
    path : str
    stream : file object
        The open file, which holds the lock.
    """

    def __init__(self, path: str, stream: IO[bytes]) -> None:
        self.path, self._stream = path, stream
        self._note_end()

    def add(self, append: Callable[..., None], *arguments: Any, **named: Any) -> None:
        """Append a line to the file, unless the file was removed or changed by others.

        Otherwise an undo could be in a file that lacks its answer.

        Raises
        ------
        OSError
            If the path leads to no file or to another one, or the file has lost earlier lines.
        """
        loss = self.loss()
        if loss is not None:
            msg = (
                f"{os.path.basename(self.path)} {loss}, so nothing more is kept. When the server ends, it writes all "
                "answers so far to another file (in a notebook, they are in model.answers_)"
            )
            raise OSError(msg)
        append(self.path, *arguments, **named)
        self._note_end()

    def _note_end(self) -> None:
        """Keep the size and the last bytes of the file, to notice if another file is copied over it."""
        self._size = os.path.getsize(self.path)
        self._end = self._last_bytes()

    def _last_bytes(self) -> bytes:
        """The last bytes of the part of the file that this page has written."""
        with open(self.path, "rb") as file:
            file.seek(max(self._size - END, 0))
            return file.read(min(END, self._size))

    def loss(self) -> str | None:
        """Say how the file was removed or changed by others. None if it was not."""
        if not self.is_there():
            return "is another file by now, or none"
        if os.path.getsize(self.path) < self._size:
            return "has lost lines"
        return None if self._last_bytes() == self._end else "was overwritten"

    def is_there(self) -> bool:
        """Whether the path still leads to the file that has the lock."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._stream.fileno()))
        except OSError:
            return False


@contextmanager
def keep_for_one(path: str) -> Iterator[AnswerFile]:
    """Keep other pages from writing to a file of answers while inside.

    A missing file is made, and removed again if it stays empty.

    Raises
    ------
    BlockingIOError
        If another page writes the file.
    """
    made = not os.path.exists(path)
    with open(path, "ab") as stream:
        _lock(stream, path)
        file = AnswerFile(path, stream)
        try:
            yield file
        finally:
            if made and file.is_there() and os.path.getsize(path) == 0:
                with suppress(OSError):  # Windows does not remove open files
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
    """The name of a person without blanks around it. None if it is empty."""
    if who is None:
        return None
    if not isinstance(who, str):
        msg = "a name must be a text"
        raise RefusedError(msg)
    if len(who) > MAX_WHO:
        raise refused("errorLongName", 400, most=MAX_WHO)
    return " ".join(printable(who).split()) or None


def _checked_seconds(value: Any) -> float | None:
    """A response time as pages measure it."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MAX_SECONDS:
        msg = f"seconds must be a number in 0..{MAX_SECONDS:.0f}"
        raise RefusedError(msg)
    return round(float(value), 3)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
