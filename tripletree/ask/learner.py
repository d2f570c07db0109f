"""The model of a session: it hears answers, and chooses questions, also ahead of time so that nobody need wait.

A model may take a tenth of a second for an answer. Somebody who is alone waits so long for the next question, which
then knows all answers. If several people answer at once, a thread hears their answers, and keeps questions in stock.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection
from functools import partial
from time import monotonic, sleep, thread_time
from typing import Any, NamedTuple

from tripletree.core.answers import Answer

Question = tuple[Any, ...]
#: Seconds of CPU for an answer and a question below which everybody waits for the model.
QUICK = 0.005
#: The most questions in stock. They are chosen without the answers that come meanwhile, so many would be much alike:
#: with 20 in stock, 100 answers said less about a tree than 100 answers to trios drawn at random.
MOST_IN_STOCK = 4
#: The most seconds of a rest between two times at work.
MOST_REST = 1.0
#: The names of the open questions in stock, for the model. No person has such a name.
STOCK = "\0stock "


class NotReadyError(Exception):
    """There is no question in stock yet."""


class _Released(NamedTuple):
    """The name of an open question that the model may forget."""

    key: str | None


class Learner:
    """A model that several threads use. Only methods of this class touch it.

    Parameters
    ----------
    model : OddOneOutClustering
        Started, with the answers so far.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.heard = 0  # the number of the last news that the model knows
        self.holds = threading.RLock()  # guards the model and `heard`
        self._news: deque[tuple[int, Answer | _Released | Callable[[Any], Any]]] = deque()
        self._stock: deque[tuple[str, Question]] = deque()
        self._guard = threading.Lock()  # guards the stock and the following
        self._at_work = False
        self._wanted = 0
        self._given = 0
        self._dry = -1  # the number of the news after which the model had no question
        self._seconds = {"answer": 0.0, "question": 0.0}
        self._trios = getattr(model, "questions", "trios") == "trios"  # others can come from the design meanwhile

    def tell(self, number: int, news: Answer | Callable[[Any], Any], *, alone: bool) -> None:
        """Let the model hear an answer, or something else (a function of the model), at once for somebody alone."""
        self._news.append((number, news))
        if self._waits(alone):
            self.settle()
        else:
            self._work()

    def question(self, who: str | None, taken: Collection[frozenset], *, alone: bool, people: int) -> tuple[Any, Any]:
        """Choose the next question of a person, and the name under which the model keeps it open.

        Parameters
        ----------
        who : str or None
        taken : collection of frozenset
            The questions that may not come from the stock.
        alone : bool
            Whether the person waits until the model knows all answers.
        people : int
            How many others are answering: this many questions are kept in stock.

        Returns
        -------
        tuple
            The question (None if no question is worth asking), and its name.

        Raises
        ------
        NotReadyError
            If the stock is empty.
        """
        if self._waits(alone):
            self.settle()
            with self.holds:
                return self._timed("question", lambda: self.model.next_question(who=who)), who
        found = None
        with self._guard:
            self._wanted = min(people + 1, MOST_IN_STOCK)
            while self._stock and found is None:
                key, question = self._stock.popleft()
                if frozenset(question) in taken:
                    self.release(key)
                else:
                    found = question, key
        self._work()
        if found is not None:
            return found
        if self._dry == self.heard:
            return None, who
        raise NotReadyError

    def release(self, key: str | None) -> None:
        """Let the model forget an open question."""
        self._news.append((0, _Released(key)))

    def settle(self) -> None:
        """Let the model hear everything that was told so far."""
        while self._hear():
            pass

    def _waits(self, alone: bool) -> bool:
        return alone or not self._trios or sum(self._seconds.values()) < QUICK

    def _hear(self) -> bool:
        """Let the model hear the next of the news: an undo, or all answers before the next. Tell if there were any."""
        with self.holds:
            given: list[Answer] = []
            heard = False
            while self._news and not (heard and callable(self._news[0][1])):
                number, news = self._news.popleft()
                self.heard, heard = max(self.heard, number), True
                if callable(news):
                    news(self.model)
                    return True
                if isinstance(news, Answer):
                    given.append(news)
                else:
                    self.model.release(news.key)
            if len(given) > 1 and hasattr(self.model, "hear"):
                self._timed("answer", lambda: self.model.hear(given))
            else:
                for x in given:
                    self._timed("answer", partial(self.model.answer, x, x.items, who=x.who, when=x.when))
            if given:
                with self._guard:  # the questions in stock were chosen before these answers
                    for key, _ in self._stock:
                        self.model.release(key)
                    self._stock.clear()
            return heard

    def _timed(self, what: str, work: Callable[[], Any]) -> Any:
        start = thread_time()
        found = work()
        self._seconds[what] = thread_time() - start
        return found

    # ------------------------------------------------------------------ ahead of time

    def _work(self) -> None:
        """Let a thread hear the news and fill the stock, if no thread is at it."""
        with self._guard:
            if self._at_work:
                return
            self._at_work = True
        threading.Thread(target=self._run, name="model", daemon=True).start()

    def _run(self) -> None:
        while True:
            start = monotonic()
            try:
                busy = self._hear()
                while self._fill():
                    busy = True
            except Exception:  # questions go on without it
                logging.getLogger(__name__).exception("the model could not take in an answer")
                busy = True
            with self._guard:
                if not busy and not self._news:
                    self._at_work = False
                    return
            sleep(min(monotonic() - start, MOST_REST))  # half of the time Python is free for the people

    def _fill(self) -> bool:
        """Add a question to the stock. False if there are enough, or no question is left."""
        with self.holds:
            if len(self._stock) >= self._wanted or self._dry == self.heard:
                return False
            self._given += 1
            key = f"{STOCK}{self._given}"
            try:
                question = self._timed("question", lambda: self.model.next_question(who=key))
            except BaseException:
                self._dry = self.heard
                raise
            if question is None:
                self._dry = self.heard
                return False
            with self._guard:
                self._stock.append((key, question))
            return True
