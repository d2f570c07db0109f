"""Gower's distance: of samples with numbers, categories and gaps in their columns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from tripletree.cluster.frames import check_frame, odd_cells
from tripletree.core.checks import column_names, described, is_missing, refuse_lazy
from tripletree.tables.cells import is_number, numbers_in_unit, with_point

_BATCH = 1_000_000  # distances that stand at a time: 8 MB for each of a few tables


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """How columns are compared: numbers by their difference over the range of their column, all else by equality.

    Attributes
    ----------
    names : list
        Names of the columns, or their numbers.
    levels : list of (dict or None)
        For each column its categories and their codes, which are ranks where they are ordered. None for numbers.
    scale : ndarray of float64, shape (d,)
        One over the range of each column of numbers, 0 if that is 0. NaN for categories.
    """

    names: list[Any]
    levels: list[dict[Any, int] | None]
    scale: np.ndarray

    @classmethod
    def of(cls, X: Any, nominal: Any = ()) -> MixedColumns:
        """Learn the categories, and the ranges of the numbers, from samples.

        Parameters
        ----------
        X : DataFrame or array_like, shape (n, d)
        nominal : sequence, default ()
            Columns of numbers, by name or place, that are categories all the same.
        """
        names, columns = _columns(X)
        unknown = [x for x in nominal if x not in names]
        if unknown:
            msg = f"nominal names the column {unknown[0]!r}; X has {', '.join(map(repr, names[:10]))}"
            raise ValueError(msg)
        levels: list[dict[Any, int] | None] = []
        scale = np.ones(len(names))
        for t, (name, column) in enumerate(zip(names, columns, strict=True)):
            kind: Any = getattr(column, "dtype", None)
            known = list(kind.categories) if getattr(kind, "ordered", False) else None  # categories in their order
            if name in nominal or (known is None and _numbers(column, name) is None):
                scale[t] = np.nan
                values = _values(column, name)
                if not hasattr(kind, "categories"):
                    _check_no_unit(values, name, X)
                known = list(dict.fromkeys(x for x in values if x is not None))
            levels.append(None if known is None else {x: i for i, x in enumerate(known)})
        coded = cls(names, levels, scale).encoded(X)
        for t in range(len(names)):
            if not np.isnan(scale[t]):
                known_numbers = coded[~np.isnan(coded[:, t]), t]
                width = float(np.ptp(known_numbers / 2)) if known_numbers.size else 0.0  # halves: no overflow
                scale[t] = 0.5 / width if width > 0 else 0.0
        return cls(names, levels, scale)

    def encoded(self, X: Any) -> np.ndarray:
        """Samples as numbers: NaN for a missing value, -1 for an unknown category (NaN if categories are ordered)."""
        names, columns = _columns(X)
        if len(names) != len(self.names):
            msg = f"X has {len(names)} features; expected {len(self.names)}"
            raise ValueError(msg)
        coded = np.empty((len(columns[0]) if columns else 0, len(names)))
        for t, (name, column, level) in enumerate(zip(self.names, columns, self.levels, strict=True)):
            if level is not None:
                unknown = -1 if np.isnan(self.scale[t]) else np.nan
                coded[:, t] = [np.nan if x is None else level.get(x, unknown) for x in _values(column, name)]
                continue
            numbers = _numbers(column, name)
            if numbers is None:
                text = next(x for x in _values(column, name) if x is not None and not isinstance(x, Real))
                msg = f"column {name!r} of X held numbers in fit, and holds {text!r} now"
                raise ValueError(msg)
            coded[:, t] = numbers
        return coded


def gower_distances(X: Any, Y: Any = None, *, nominal: Any = ()) -> np.ndarray:
    """Gower's distance of samples whose columns hold numbers or categories, and may have gaps.

    The distance is the mean, over the columns known of both samples, of: the difference over the range of the column,
    for numbers. 0 for equal categories and 1 for different ones.

    Parameters
    ----------
    X : DataFrame or array_like, shape (n, d)
        None and NaN are gaps. Columns of text, truth values and unordered categories are compared by equality. Dates
        and ordered categories (by their rank) count as numbers.
    Y : DataFrame or array_like, shape (m, d), optional
        Other samples with the same columns. By default the samples of X themselves. Ranges come from X.
    nominal : sequence, default ()
        Columns of numbers, by name (of an array by place), that are compared by equality, such as postcodes.

    Returns
    -------
    ndarray of float64, shape (n, n) or (n, m)
        NaN if no column is known of both.

    See Also
    --------
    tripletree.cluster.ReCon : takes ``metric="gower"``, which needs no table of distances from you.

    Notes
    -----
    Time and memory O(n m d) and O(n m). Truth values are compared by equality, not as "asymmetric" ones, where two
    False say nothing.

    References
    ----------
    .. [1] Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27(4), 857-871.

    Examples
    --------
    >>> import pandas as pd
    >>> from tripletree.metrics import gower_distances
    >>> X = pd.DataFrame({"kg": [4.0, 40.0, None], "diet": ["meat", "meat", "plants"]})
    >>> gower_distances(X).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    for table in (X, Y):
        refuse_lazy(table)
        check_frame(table, tells_ids=False, takes_words=True)
    columns = MixedColumns.of(X, nominal)
    samples = columns.encoded(X)
    others = samples if Y is None else columns.encoded(Y)
    found = np.empty((len(samples), len(others)))
    step = max(1, _BATCH // max(len(others), 1))
    for low in range(0, len(samples), step):
        found[low : low + step] = gower_of_codes(samples[low : low + step], others, columns.scale)
    return found


def gower_of_codes(samples: np.ndarray, others: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return Gower's distances of all samples to all others as `MixedColumns` encodes them, NaN if undefined."""
    total, known = np.zeros((len(samples), len(others))), np.zeros((len(samples), len(others)))
    for t, factor in enumerate(scale):
        a, b = samples[:, t, None], others[None, :, t]
        apart: np.ndarray = (a != b).astype(np.float64) if np.isnan(factor) else np.abs(a - b) * factor
        if np.isnan(a).any() or np.isnan(b).any():
            both = ~(np.isnan(a) | np.isnan(b))
            apart[~both] = 0.0
            known += both
        else:
            known += 1.0
        total += apart
    with np.errstate(invalid="ignore"):
        return total / known


def _columns(X: Any) -> tuple[list[Any], list[Any]]:
    """Names and columns of a data frame or an array."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return list(X.columns), [X.iloc[:, t] for t in range(len(X.columns))]
    names = column_names(X)
    if names is not None:  # of polars and Arrow
        return names, [_array(X[x]) for x in names]
    if hasattr(X, "tocsr"):
        msg = "Gower's distance compares columns of a data frame or a dense array; X is sparse"
        raise TypeError(msg)
    try:
        table = np.asarray(X)
        if table.dtype.kind in "US" and table.ndim == 2:  # a list of lists with text in it: numbers are numbers still
            table = np.array([list(row) for row in X], dtype=object)
    except ValueError:  # rows of different lengths
        raise odd_cells(X) from None
    if table.ndim != 2:
        msg = f"expected a table with a row for each sample, not {described(X)}"
        raise ValueError(msg)
    return list(range(table.shape[1])), list(table.T)


def _array(column: Any) -> np.ndarray:
    """A column of polars or Arrow as an array, of objects where numpy has no such type."""
    if str(getattr(column, "dtype", "")).endswith("Int128"):
        return np.array(column.to_list(), object)
    return column.to_numpy()


def _numbers(column: Any, name: Any) -> np.ndarray | None:
    """A column as float64 with NaN for gaps, or None if it does not hold numbers."""
    kind = getattr(column, "dtype", None)
    if getattr(kind, "kind", "O") in "mM":
        when = np.asarray(column, "datetime64[ns]" if getattr(kind, "tz", None) else None)
        return np.where(np.isnat(when), np.nan, when.astype("int64").astype(np.float64))
    values = _values(column, name)
    if any(isinstance(x, (bool, np.bool_)) or not isinstance(x, Real) for x in values if x is not None):
        return None
    if hasattr(kind, "categories"):
        return None
    try:
        numbers = np.array([np.nan if x is None else x for x in values], np.float64)
    except OverflowError as error:
        msg = f"column {name!r} of X holds integers beyond the range of float64 ({error}): scale it"
        raise ValueError(msg) from None
    wild = np.flatnonzero(np.isinf(numbers))
    if wild.size:
        msg = f"column {name!r} of X holds infinity (sample {int(wild[0])}): leave it out, or make it a gap (NaN)"
        raise ValueError(msg)
    return numbers


def _values(column: Any, name: Any) -> list[Any]:
    """The values of a column, None for each gap. Lists and their like are refused, which cannot be compared."""
    cells = column.tolist()
    try:
        values = [None if is_missing(x) else x for x in cells]
        hash(tuple(values))
    except (ArithmeticError, TypeError, ValueError):
        row, odd = next((i, x) for i, x in enumerate(cells) if not _is_plain(x))
        msg = f"column {name!r} of X holds {type(odd).__name__} (sample {row}: {odd!r:.60}); "
        raise ValueError(msg + "cells must be numbers or words: leave it out, or write them as such") from None
    return values


def _check_no_unit(values: list[Any], name: Any, X: Any) -> None:
    """Refuse texts that are numbers in a unit: they may be compared as numbers or by equality."""
    found = numbers_in_unit(values) if all(x is None or isinstance(x, str) for x in values) else None
    if found is None:
        return
    first = next(x for x in values if x is not None)
    msg = f"column {name!r} of X holds numbers with a unit, such as {first!r}, as text"
    if hasattr(X, "assign") and all(x is None or is_number(with_point(x)) for x in found.numbers if x):
        point = ".str.replace(',', '.')" if any("," in x for x in found.numbers) else ""
        numbers = f"X[{name!r}]{point}.str.extract('([-+.0-9]+)', expand=False).astype(float)"
        msg += f". For numbers, give X.assign(**{{{name!r}: {numbers}}}); to compare it by equality, "
        msg += f"X.astype({{{name!r}: 'category'}})"
    else:
        msg += ": write the numbers without it"
    raise ValueError(msg)


def _is_plain(cell: Any) -> bool:
    try:
        return is_missing(cell) or isinstance(hash(cell), int)
    except (ArithmeticError, TypeError, ValueError):
        return False
