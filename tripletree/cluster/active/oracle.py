"""Oracles that answer whether two samples belong together, and a budget of questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from tripletree.core.checks import check_call, is_missing
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InvalidLabelsError, UnknownLeafError

#: Called with two labels of samples. True or 1: they belong together, False or 0: they do not, None: not known.
Oracle = Callable[[Hashable, Hashable], bool | None]


def labels_oracle(y: Any) -> Oracle:
    """Make an oracle that answers from known classes: two samples belong together when their classes are equal.

    Parameters
    ----------
    y : array_like, pandas Series or mapping
        The class of each sample: by row number. By label if y is a Series, whose index holds the labels, or a
        mapping. None, NaN or NA stands for an unknown class.

    Returns
    -------
    callable
        ``oracle(a, b) -> bool``, or None if one of the classes is unknown.

    See Also
    --------
    ConstrainedCompleteLink : asks it.
    ActiveClustering : asks it.

    Notes
    -----
    Asked for a sample without an entry, the oracle raises `UnknownLeafError`. Any function of two labels will do in
    its place, one that asks a person too: ``lambda a, b: input(f"{a} and {b} together? ") == "y"``.

    Examples
    --------
    >>> oracle = labels_oracle(["x", "x", "y", None])
    >>> oracle(0, 1), oracle(0, 2), oracle(0, 3)
    (True, False, None)
    >>> labels_oracle({"ant": "insect", "cow": "mammal"})("ant", "cow")
    False
    """
    labelled = True
    if isinstance(y, Mapping):
        known = dict(y)
    elif hasattr(y, "index") and hasattr(y.index, "tolist"):
        known = dict(zip(y.index.tolist(), y.tolist(), strict=True))
        if len(known) < len(y):
            msg = "the index of y holds a label more than once, so its class is ambiguous: give each label once"
            raise InvalidLabelsError(msg)
    else:
        y = np.asarray(y, dtype=None if isinstance(y, np.ndarray) else object)
        if y.ndim != 1:
            msg = f"y must have one dimension, a class for each sample; got shape {y.shape}"
            raise InvalidLabelsError(msg)
        known, labelled = dict(enumerate(y.tolist())), False

    def oracle(a: Hashable, b: Hashable) -> bool | None:
        missing = [x for x in (a, b) if x not in known]
        if missing:
            hint = "" if labelled else "y has no labels: labels_oracle(pd.Series(y, index=X.index)) takes them from X"
            raise UnknownLeafError(missing, list(known), what="samples with a class in y", hint=hint)
        first, second = known[a], known[b]
        return None if is_missing(first) or is_missing(second) else bool(first == second)

    return oracle


class Questions:
    """An oracle with a budget of questions, and its answers so far.

    Parameters
    ----------
    oracle : callable
    budget : int
    leaves : LeafIndex
        Labels of the samples, by which the oracle is asked.

    Attributes
    ----------
    asked : list of (label, label, answer)
        In order.
    """

    def __init__(self, oracle: Oracle, budget: int, leaves: LeafIndex) -> None:
        if not callable(oracle):
            msg = (
                "oracle must be a function of two samples that returns True (together) or False, not "
                f"{type(oracle).__name__}; for known classes y use labels_oracle(y)"
            )
            raise TypeError(msg)
        check_call(oracle, "oracle(a, b), a function of two samples", 2)
        self._oracle, self._leaves = oracle, leaves
        self.budget = budget
        self.asked: list[tuple[Hashable, Hashable, bool | None]] = []
        self._rows: dict[bool | None, list[tuple[int, int]]] = {True: [], False: [], None: []}

    def rows(self) -> list[tuple[int, int]]:
        """Return the pairs of samples that were asked about, by row number."""
        return [pair for answered in self._rows.values() for pair in answered]

    @property
    def left(self) -> int:
        """How many questions may still be asked."""
        return self.budget - len(self.asked)

    def ask(self, i: int, j: int) -> bool | None:
        """Ask whether samples i and j belong together."""
        a, b = self._leaves[i], self._leaves[j]
        answer = self._oracle(a, b)
        if isinstance(answer, (int, np.integer)) and answer in (0, 1):
            answer = bool(answer)
        if answer is not None and not isinstance(answer, (bool, np.bool_)):
            msg = (
                f"oracle({a!r}, {b!r}) returned {answer!r}; the answer must be True or False (or 1 or 0), or None for "
                "unknown"
            )
            raise TypeError(msg)
        answer = None if answer is None else bool(answer)
        self.asked.append((a, b, answer))
        self._rows[answer].append((i, j))
        return answer

    @property
    def unknown(self) -> np.ndarray:
        """The pairs of samples about which the oracle did not know, as rows (int64)."""
        return np.array(self._rows[None], np.int64).reshape(-1, 2)

    def answers(self) -> PairwiseConstraints:
        """Return the answers, as constraints."""
        return PairwiseConstraints(self._rows[True], self._rows[False], self._leaves)
