"""Rows of pairs as they are read: two labels, a link, perhaps a strength; and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from tripletree.io.constraints._triplet_rows import TripletRows, weight_of
from tripletree.leaves import LeafIndex
from tripletree.origins import Origins
from tripletree.pairs import PairwiseConstraints
from tripletree.pairs._rows import sorted_labels

__all__ = ["LINKS", "PairRows"]

#: What a field may say, in any case.
LINKS = {
    **dict.fromkeys(("must", "must-link", "must_link", "mustlink", "ml", "+1", "1", "+"), True),
    **dict.fromkeys(("true", "yes", "same"), True),
    **dict.fromkeys(("cannot", "cannot-link", "cannot_link", "cannotlink", "cl", "-1", "-", "0"), False),
    **dict.fromkeys(("false", "no", "different"), False),
}
#: Those by which a column says whether two leaves are the same; a column may well be called by one of the others.
_FLAGS = frozenset({"+1", "1", "+", "-1", "-", "0", "true", "false", "yes", "no"})
_WORDS = "must or cannot is wanted (or ML and CL, 1 and -1, 1 and 0, True and False, yes and no, same and different)"
_BOTH = "0 and -1 both stand for cannot-links here: which of them is meant cannot be told; write must and cannot"
_ZERO = re.compile(r"[-+]?(?:0+\.?0*|\.0+)(?:[eE][-+]?\d+)?", re.ASCII)


@dataclass
class PairRows(TripletRows):
    """Rows of two labels as they are read; `links` says which are must-links, the weights are strengths.

    `numbers` are the labels of a data frame that are whole numbers, by their texts; `headless` is a table that has no
    header, or one that nobody has told of.
    """

    links: list[bool] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    headless: bool = False
    _told: bool = False
    _named: tuple[str, ...] | None = None
    _zeros: set[str] = field(default_factory=set)
    _header: tuple[str, ...] | None = None

    def add(self, cells: Sequence[str | None], line: int, at: Sequence[int] = (), text: str | None = None) -> None:
        """Take a row (a, b, link and perhaps a strength), or note what is wrong with it.

        Parameters
        ----------
        cells : sequence of str
        line : int
        at : sequence of int
            Where in `text`, the line, each of them starts.
        """
        a, b, link, *strength = cells
        wrong = None
        if a is None or b is None or link is None:
            k = next(i for i, x in enumerate((a, b, link)) if x is None)
            wrong = k, f"the cell of {('a', 'b', 'the link')[k]} is empty"
        elif a == b:
            wrong = 1, f"{a!r} stands twice: the two leaves must differ"
        elif link.strip().lower() not in LINKS:
            wrong = 2, self._no_link(link)
        elif link.strip() in ("0", "-1") and self._zeros | {link.strip()} == {"0", "-1"}:
            wrong = 2, _BOTH
        elif strength and _strength_of(strength[0]) is None:
            wrong = 3, f"the strength {strength[0] or ''!r} is no number in 0..1"
        first = not self.labels and not self.problems
        if wrong is not None:
            k, message = wrong
            if first and k > 1:
                self._header = tuple(str(x) for x in cells[:3])
            self.problem(line, message, column=at[k] + 1 if at else None, text=text)
            return
        if strength:
            self.weights[len(self.labels)] = _strength_of(strength[0])  # type: ignore[assignment]
        self._note(link.strip().lower(), cells)  # type: ignore[union-attr]
        self.labels.append((a, b))  # type: ignore[arg-type]
        self.links.append(LINKS[link.strip().lower()])  # type: ignore[union-attr]
        self.lines.append(line)

    def _note(self, word: str, cells: Sequence[str | None]) -> None:
        """Keep what later rows are judged by: which number is a cannot-link, and a first row that may be a header."""
        if word in ("0", "-1"):
            self._zeros.add(word)
        if not self.links and word not in _FLAGS:
            self._named = tuple(str(x) for x in cells[:3])
        elif self.links and word not in _FLAGS:
            self._named = None

    def _no_link(self, link: str) -> str:
        """That a field says no link; what would, the first time only."""
        told, self._told = self._told, True
        return f"{link!r} says no link" + ("" if told else f": {_WORDS}")

    def _hint_at_header(self) -> None:
        """Say what to do if the first row is a header: all others are well, and none has a label of it."""
        if self.headless and self._named is not None and len(self.links) > 1:
            message = (
                f"{self._named[2]!r} is a link, but all rows below say theirs by numbers, yes and no, or True and False"
            )
            self.problem(self.lines[0], message)
            self._header = self._named
        if self._header is None or len(self.problems) > 1:
            return
        if not set(self._header[:2]) & set(chain.from_iterable(self.labels[self._named is self._header :])):
            hint = (
                f"; if this is a header, name the columns of the labels and the link, such as columns={self._header!r}"
            )
            self.problems[0] = self.problems[0]._replace(message=self.problems[0].message + hint)

    def pairs(self, leaves: LeafIndex | Iterable[Hashable] | int | None) -> PairwiseConstraints:
        """All pairs, over the given leaves or over all that occur, sorted."""
        self._hint_at_header()
        if leaves is None and self.numbers:
            leaves = sorted_labels(self.numbers.get(x, x) for x in chain.from_iterable(self.labels))
        elif leaves is None:
            leaves = sorted({*chain.from_iterable(self.labels), *(x for x, _ in self.more)})
        index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
        texts = [x if isinstance(x, str) else str(x) for x in index]
        position = {x: i for i, x in enumerate(LeafIndex(texts))}
        self._check_known(position, texts)
        p = len(self.labels)
        flat = map(position.__getitem__, chain.from_iterable(self.labels))
        rows = np.fromiter(flat, np.int32, 2 * p).reshape(p, 2)
        must = np.array(self.links, np.bool_)
        strength: list[Any] = [None, None]
        if self.weights:
            all_of = np.ones(p)
            all_of[list(self.weights)] = list(self.weights.values())
            strength = [all_of[must], all_of[~must]]
        origins = Origins.of_lines(self.path, self.unit, self.lines)
        return PairwiseConstraints(
            rows[must],
            rows[~must],
            index,
            must_strength=strength[0],
            cannot_strength=strength[1],
            must_origins=origins.take(must),
            cannot_origins=origins.take(~must),
        )


def _strength_of(text: str | None) -> float | None:
    """The strength that a field says, or None where it is no number in 0..1."""
    text = (text or "").strip()
    value = 0.0 if _ZERO.fullmatch(text) else weight_of(text)
    return value if value is not None and value <= 1 else None
