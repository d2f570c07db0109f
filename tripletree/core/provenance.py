"""The places where triplets and pairs were read: the file, and the line or row in it. Error messages quote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tripletree.core.arrays import freeze


class Origin(NamedTuple):
    """The place of one triplet or pair.

    Attributes
    ----------
    source : str or None
        Name of the file, None without a file.
    unit : str
        Unit of the number: "line" or "row".
    number : int
        The first place where it occurs, counted from 1: row k of a data frame is ``frame.iloc[k - 1]``.
    times : int
        How many times it occurs.
    """

    source: str | None
    unit: str
    number: int
    times: int = 1

    def __str__(self) -> str:
        return phrase([self])


class Origins:
    """The places of triplets or pairs, parallel to their rows. ``origins[k]`` is an `Origin`, or None if unknown.

    Parameters
    ----------
    sources : sequence of (name, unit)
        Each name a str or None.
    source : ndarray of int32, shape (m,)
        Which of them. -1 if unknown.
    number : ndarray of int64, shape (m,)
    times : ndarray of int64, shape (m,)

    Examples
    --------
    >>> origins = Origins.of_lines("answers.txt", "line", [12, 40])
    >>> str(origins[1])
    'line 40 of answers.txt'
    """

    def __init__(
        self, sources: Iterable[tuple[str | None, str]], source: np.ndarray, number: np.ndarray, times: np.ndarray
    ) -> None:
        self.sources = tuple(sources)
        self._source, self._number, self._times = freeze(source), freeze(number), freeze(times)

    @classmethod
    def of_lines(cls, name: str | None, unit: str, numbers: Iterable[int]) -> Origins:
        """Return the origins of rows of one file, given the number of each."""
        number = np.array(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.int64)
        return cls([(name, unit)], np.zeros(number.size, np.int32), number, np.ones(number.size, np.int64))

    def __len__(self) -> int:
        return self._number.size

    def __getitem__(self, k: int) -> Origin | None:
        s = int(self._source[k])
        return None if s < 0 else Origin(*self.sources[s], int(self._number[k]), int(self._times[k]))

    def take(self, which: np.ndarray | slice) -> Origins:
        """Return the origins of some rows."""
        return Origins(self.sources, self._source[which], self._number[which], self._times[which])

    def merged(self, order: np.ndarray, starts: np.ndarray) -> Origins:
        """Merge the origins of each run of equal rows into the first known one, and add up the times.

        Parameters
        ----------
        order : ndarray of int64, shape (m,)
            The rows, equal ones side by side, earlier ones first.
        starts : ndarray of int64
            Start of each run in `order`.
        """
        if starts.size == 0:
            return self.take(starts)
        unknown = self._source[order] < 0
        first = np.minimum.reduceat(np.arange(order.size) + unknown * order.size, starts) % order.size
        times = np.add.reduceat(np.where(unknown, 0, self._times[order]), starts)
        return Origins(self.sources, self._source[order[first]], self._number[order[first]], times)

    @staticmethod
    def joined(first: Origins | None, m: int, second: Origins | None, k: int) -> Origins | None:
        """Concatenate the origins of m rows and of k more. Either may be None. The result is None if both are."""
        if first is None and second is None:
            return None
        first, second = first or _unknown(m), second or _unknown(k)
        shift = np.where(second._source < 0, 0, len(first.sources)).astype(np.int32)
        return Origins(
            [*first.sources, *second.sources],
            np.concatenate([first._source, second._source + shift]),
            np.concatenate([first._number, second._number]),
            np.concatenate([first._times, second._times]),
        )

    def __reduce__(self) -> tuple:
        return Origins, (self.sources, self._source, self._number, self._times)

    def __repr__(self) -> str:
        names = ", ".join(str(name) for name, _ in self.sources[:3])
        return f"<Origins: {len(self)} places in {names or 'no file'}>"


def _unknown(m: int) -> Origins:
    return Origins([], np.full(m, -1, np.int32), np.zeros(m, np.int64), np.zeros(m, np.int64))


def phrase(places: Iterable[Origin], most: int = 20) -> str:
    """Put places into words: "lines 12, 40 and 77 of answers.txt".

    Examples
    --------
    >>> phrase([Origin("a.csv", "line", 3), Origin("a.csv", "line", 9), Origin("b.csv", "row", 1)])
    'lines 3 and 9 of a.csv and row 1 of b.csv'
    """
    groups: dict[tuple[str | None, str], list[int]] = {}
    for place in places:
        groups.setdefault((place.source, place.unit), []).append(place.number)
    parts = []
    for (source, unit), found in groups.items():
        numbers = sorted(found)
        shown = [str(x) for x in numbers[:most]]
        if len(numbers) > most:
            shown.append(f"{len(numbers) - most:,} more")
        listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
        name = f"the {source[1:-1]}" if source and source[0] == "<" else source  # <standard input>
        parts.append(f"{unit}{'s' * (len(numbers) > 1)} {listed}{f' of {name}' if name else ''}")
    return " and ".join(parts)
