"""The card of a sample: its picture, or its name with a text or its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletree.ask.images import ImageFolder
from tripletree.core.html import printable

MAX_NAME, MAX_TEXT, MAX_COLUMNS = 200, 4000, 240


class Cards:
    """The cards of all samples.

    Parameters
    ----------
    names : sequence of labels
        Names of the n samples.
    values : ndarray of float64, shape (n, d), optional
        Measurements of the samples.
    columns : sequence of str, optional
        Names of the d columns. By default they are numbers.
    texts : sequence of str, optional
        A text for each sample.
    images : ImageFolder, optional
        A picture for each sample.
    show_names : bool
        Whether samples that have a picture are shown with their names. Other samples always are.
    """

    def __init__(
        self,
        names: Sequence[Any],
        values: np.ndarray | None = None,
        *,
        columns: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
        images: ImageFolder | None = None,
        show_names: bool = True,
    ) -> None:
        self.show_names = show_names
        self.names, self.values, self.texts, self.images = list(names), values, texts, images
        self.columns = list(columns) if columns is not None else [] if values is None else range(values.shape[1])
        shows_numbers = values is not None and texts is None and images is None
        # a small plot cannot show very many columns, so some at equal steps stand for all
        count = min(len(self.columns), MAX_COLUMNS) if shows_numbers else 0
        self._shown = np.unique(np.linspace(0, len(self.columns) - 1, count).round().astype(np.int64))

    def scales(self) -> list[dict[str, Any]]:
        """Return the columns that cards show, with the range and the median of each."""
        if not self._shown.size:
            return []
        assert self.values is not None
        shown = self.values[:, self._shown]
        rows = zip(self._shown.tolist(), shown.min(axis=0), np.median(shown, axis=0), shown.max(axis=0), strict=True)
        return [
            {
                "name": shortened(str(self.columns[j]), MAX_NAME),
                "low": _number(a),
                "middle": _number(b),
                "high": _number(c),
            }
            for j, a, b, c in rows
        ]

    def name(self, row: int) -> str:
        """Return the name of a sample, safe to print."""
        return shortened(str(self.names[row]), MAX_NAME) or "(blank)"

    def shown_name(self, row: int) -> str | None:
        """Return the name of a sample, or None if people do not see it."""
        return self.name(row) if self.show_names or not self._has_picture(row) else None

    def _has_picture(self, row: int) -> bool:
        return self.images is not None and self.images.paths[row] is not None

    def short(self, row: int) -> dict[str, Any]:
        """Return the entry of a sample in a list."""
        found: dict[str, Any] = {"row": row}
        name = self.shown_name(row)
        if name is not None:
            found["name"] = name
        if self.texts is not None:
            found["text"] = shortened(self.texts[row], MAX_NAME)
        if self._has_picture(row):
            found["image"] = True
        return found

    def card(self, row: int) -> dict[str, Any]:
        """Return everything that a question shows of a sample."""
        found = self.short(row)
        if self.texts is not None:
            found["text"] = shortened(self.texts[row], MAX_TEXT)
        if self._shown.size:
            assert self.values is not None
            found["values"] = [_number(x) for x in self.values[row, self._shown]]
        return found


def shortened(text: str, most: int) -> str:
    """Remove control characters from a text, and cut it off after `most` characters."""
    text = printable(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _number(value: float) -> float | None:
    """Six digits of a number. None if it is not finite, because JSON has no such numbers."""
    return float(f"{value:.6g}") if np.isfinite(value) else None
