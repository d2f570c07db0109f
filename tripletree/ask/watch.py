"""The page of the leader of a study: who is where, how well people agree, and the tree as it grows.

Everything follows from the answers, but for who is there now. A restart changes nothing on it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from tripletree.ask.cards import shortened
from tripletree.ask.outline import make_outline
from tripletree.ask.session import MAX_WHO, RECENT, Session
from tripletree.core.answers import LEAST_SECONDS, Answer
from tripletree.core.html import printable

#: Minutes over which answers are counted.
MINUTES = 5
#: Seconds between two trees.
EVERY = 10.0


class Watch:
    """What the leader of a session sees."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._tree: dict[str, Any] | None = None
        self._made = -EVERY  # when
        self._one = threading.Lock()  # one request at a time makes the tree

    def overview(self) -> dict[str, Any]:
        """Return everything that the page shows."""
        session = self.session
        study, (given, there) = session.study, session.seen()
        right = {frozenset(triplet): triplet[2] for triplet in study.design.catch or ()}
        pairs = pairs_of_answers(given)
        of_person: dict[str | None, list[Answer]] = {who: [] for who in there}
        for x in given:
            of_person.setdefault(x.who, []).append(x)
        people = [_Person(who, said, there.get(who), study.n_questions) for who, said in of_person.items()]
        equal, total = (sum(x[k] for x in pairs.values()) for k in (0, 1))
        return {
            "title": shortened(session.title, MAX_WHO),
            "paused": session.paused,
            "answers": len(given),
            "planned": study.n_questions * sum(len(x.said) > 0 for x in people),
            "minute": _answers_of(given, 60 * MINUTES) / MINUTES,
            "samples": len(session.cards.names),
            "kappa": (equal / total - 1 / 3) / (2 / 3) if total else None,
            "pairs": total // 2,
            "people": [x.told(right, pairs.get(x.who, [0] * 4)) for x in people],
            "tree": self.tree(),
        }

    def tree(self) -> dict[str, Any] | None:
        """Return the top of the hierarchy with its support, made anew every ten seconds. None without a model."""
        if self.session.model is not None and self._one.acquire(blocking=False):
            try:
                number = len(self.session.study)
                old = self._tree is None or self._tree["answers"] != number
                if old and number and monotonic() - self._made >= EVERY:
                    self._tree = outline_with_support(self.session)
                    self._made = monotonic()
            finally:
                self._one.release()
        return self._tree


class _Person(NamedTuple):
    """A person's answers, seconds since the page was heard of (None if it is closed), and how many answers are due."""

    who: str | None
    said: list[Answer]
    away: float | None
    wanted: int

    def told(self, right: dict[frozenset, Any], pairs: list[int]) -> dict[str, Any]:
        """The row of the table."""
        said, odd = self.said, [x for x in self.said if x.kind == "odd"]
        known = [x for x in said if frozenset(x.items) in right]
        took = [x.seconds for x in said if x.seconds is not None]
        here = self.away is not None and self.away < RECENT
        return {
            "who": None if self.who is None else printable(self.who),
            "answers": len(said),
            "left": max(self.wanted - len(said), 0),
            "where": "finished" if len(said) >= self.wanted else "here" if here else "away",
            "known": [sum(x.odd == right[frozenset(x.items)] for x in known), len(known)],
            "others": pairs[:2],
            "itself": pairs[2:],
            "places": [sum(x.items.index(x.odd) == k for x in odd) for k in range(3)],
            "seconds": float(np.median(took)) if took else None,
            "quick": sum(x < LEAST_SECONDS for x in took),
        }


def _answers_of(given: list[Answer], seconds: float) -> int:
    """Count the answers of the last seconds."""
    count, now = 0, datetime.now(UTC)
    for x in given:
        with suppress(ValueError, TypeError):  # no time, or one without a zone
            count += (now - datetime.fromisoformat(x.when or "")).total_seconds() < seconds
    return count


def pairs_of_answers(answers: Iterable[Answer]) -> dict[str | None, list[int]]:
    """Count pairs of answers to one question for each person: equal ones with others, all, equal with itself, all.

    As in `tripletree.agreement`, "unsure" counts for nothing.
    """
    said: dict[frozenset, dict[str | None, Counter[Any]]] = {}
    for x in answers:
        if x.kind != "unsure":
            reply = ("odd", x.odd) if x.kind == "odd" else (x.kind, None)
            said.setdefault(frozenset(x.items), {}).setdefault(x.who, Counter())[reply] += 1
    found: dict[str | None, list[int]] = {}
    for people in said.values():
        total = sum(people.values(), Counter())
        number = total.total()
        for who, own in people.items():
            counts = found.setdefault(who, [0, 0, 0, 0])
            mine = own.total()
            for k, more in enumerate(
                (
                    sum(n * (total[reply] - n) for reply, n in own.items()),
                    mine * (number - mine),
                    sum(n * (n - 1) // 2 for n in own.values()),
                    mine * (mine - 1) // 2,
                )
            ):
                counts[k] += more
    return found


def outline_with_support(session: Session) -> dict[str, Any]:
    """Return the top of the hierarchy of the answers so far, with the support of its clades."""
    found = session.snapshot()
    hierarchy = found.make_hierarchy()
    n = hierarchy.n_leaves
    at = np.fromiter((session.row_of(x) for x in hierarchy.leaves), np.int64, n)
    outline = make_outline(hierarchy, np.arange(n), None, found.support)
    for row in outline["rows"]:
        row["items"] = [session.cards.name(int(at[k])) for k in row["items"]]
        del row["clusters"], row["more"]
    return {"answers": len(found.answers), **outline}
