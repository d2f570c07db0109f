"""What every reader of triplets gathers: label rows, weights, further leaves, and the problems met on the way."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, NoReturn

import numpy as np

from tripletree.errors import SHOWN, ParseError, UnknownLeafError
from tripletree.leaves import LeafIndex
from tripletree.origins import Origins
from tripletree.triplets import TripletSet

__all__ = ["Problem", "TripletRows", "weight_of"]

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def weight_of(text: str) -> float | None:
    """The weight that a field says, or None where it is no positive finite number."""
    text = text.strip()
    value = float(text) if _NUMBER.fullmatch(text) else 0.0
    return value if 0 < value < float("inf") else None


class Problem(NamedTuple):
    """One thing that is wrong, and where; `text` is the line, for the caret."""

    line: int
    column: int | None
    text: str | None
    message: str


@dataclass
class TripletRows:
    """Rows of labels as they are read.

    Attributes
    ----------
    path : str or None
        The source's name, for messages.
    unit : str
        What the numbers in `lines` count: "line" or "row".
    labels : list of (a, b, c)
    lines : list of int
        Where each row stands.
    weights : dict
        Weight of each row that says one.
    more : list of (label, line)
        Leaves that are named beside the rows; line 0 is the metadata.
    problems : list of Problem
    """

    path: str | None
    unit: str = "line"
    labels: list[tuple[str, str, str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    weights: dict[int, float] = field(default_factory=dict)
    more: list[tuple[str, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, line: int, message: str, *, column: int | None = None, text: str | None = None) -> None:
        """Note a problem; the twentieth ends the reading."""
        self.problems.append(Problem(line, column, text, message))
        if len(self.problems) >= SHOWN:
            self._refuse()

    def triplets(self, leaves: LeafIndex | Iterable[Hashable] | None) -> TripletSet:
        """The set of all rows, over the given leaves or over all that occur, sorted."""
        if leaves is None:
            if self.problems:
                self._refuse()
            index = LeafIndex(sorted({*chain.from_iterable(self.labels), *(x for x, _ in self.more)}))
            position = {x: i for i, x in enumerate(index)}
        else:
            index = leaves if isinstance(leaves, LeafIndex) else LeafIndex(leaves)
            texts = [x if isinstance(x, str) else str(x) for x in index]
            position = {x: i for i, x in enumerate(LeafIndex(texts))}
            self._check_known(position, texts)
        m = len(self.labels)
        flat = map(position.__getitem__, chain.from_iterable(self.labels))
        rows = np.fromiter(flat, np.int32, 3 * m).reshape(m, 3)
        weights = None
        if self.weights:
            weights = np.ones(m)
            weights[list(self.weights)] = list(self.weights.values())
        return TripletSet(rows, index, weights, origins=Origins.of_lines(self.path, self.unit, self.lines))

    def _check_known(self, position: dict[str, int], known: list[str]) -> None:
        """Refuse labels that are not among the leaves, row by row, together with the other problems."""
        unknown: list[tuple[int, str]] = [(line, x) for x, line in self.more if x not in position]
        if not position.keys() >= set(chain.from_iterable(self.labels)):
            for row, line in zip(self.labels, self.lines, strict=True):
                unknown += [(line, x) for x in row if x not in position]
                if len(unknown) >= SHOWN:
                    break
        if unknown:
            near = UnknownLeafError(list(dict.fromkeys(x for _, x in unknown)), known).suggestions
            for line, x in unknown:
                hint = f"; did you mean {' or '.join(map(repr, near[x]))}?" if x in near else ""
                self.problems.append(Problem(line, None, None, f"{x!r} is none of the {len(known)} leaves{hint}"))
        if self.problems:
            self._refuse()

    def _refuse(self) -> NoReturn:
        found = sorted(self.problems, key=lambda p: (p.line, p.column or 0))[:SHOWN]
        first = found[0]
        numbered = [f"{self.unit} {p.line}: {p.message}" if p.line else f"metadata: {p.message}" for p in found]
        in_lines = self.unit == "line"
        message = first.message if in_lines else numbered[0]
        if len(found) > 1:
            stopped = " (reading stopped there)" if len(found) >= SHOWN else ""
            message = f"{len(found)} problems{stopped}:\n  " + "\n  ".join(numbered)
        raise ParseError(
            message,
            path=self.path,
            line=first.line if in_lines else None,
            column=first.column if len(found) == 1 else None,
            text=first.text if len(found) == 1 else None,
            problems=numbered,
        )
