"""Observations, their times and their objects as a user gives them: columns by name, tables one after the other."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import numpy as np

from tripletree.cluster.temporal._moments import Times, checked_times, missing
from tripletree.cluster.temporal._windows import object_index
from tripletree.leaves import LeafIndex

__all__ = ["Indexed", "columns_of", "objects_of", "stack_snapshots", "times_of"]


class Indexed:
    """What looks like a table whose index holds the objects."""

    columns = ()

    def __init__(self, leaves: LeafIndex) -> None:
        self.index = np.empty(len(leaves), object)
        self.index[:] = leaves.labels


def stack_snapshots(tables: Iterable[Any], *, objects: Iterable[Any] | None = None) -> tuple[np.ndarray, list, list]:
    """Put tables of one snapshot each under each other, as `TemporalClustering.fit` takes them.

    Parameters
    ----------
    tables : iterable of DataFrame or array_like of shape (n_t, n_features)
        One for each snapshot, in the order of time.
    objects : iterable of array_like of labels, optional
        The objects of the rows of each table. None: their index where all are pandas DataFrames, else row numbers: row
        i is the same object in all of them.

    Returns
    -------
    X : ndarray of float64, shape (n, n_features)
    times : list of int
        The number of the snapshot of each row, from 0 on.
    objects : list
        The object of each row.

    Raises
    ------
    ValueError
        If there is no table, or tables differ in their columns, or in their rows and labels.

    Examples
    --------
    >>> X, times, who = stack_snapshots([[[0.0], [5.0]], [[1.0], [4.0], [9.0]]])
    >>> X.ravel().tolist(), times, who
    ([0.0, 5.0, 1.0, 4.0, 9.0], [0, 0, 1, 1, 1], [0, 1, 0, 1, 2])
    """
    tables = list(tables)
    if not tables:
        msg = "no snapshots: give at least one table"
        raise ValueError(msg)
    framed = [hasattr(x, "columns") and hasattr(getattr(x, "index", None), "tolist") for x in tables]
    names = [list(x.columns) for x, yes in zip(tables, framed, strict=True) if yes]
    parts = [np.asarray(x, dtype=np.float64) for x in tables]
    for t, part in enumerate(parts):
        if part.ndim != 2 or part.shape[1] != parts[0].shape[1]:
            msg = f"snapshot {t} has shape {part.shape}; all must have two dimensions and {parts[0].shape[-1]} features"
            raise ValueError(msg)
    wrong = next((t for t, x in enumerate(names) if x != names[0]), None)
    if wrong is not None:
        msg = f"the tables differ in their columns: {names[0]} and {names[wrong]}; give all the same, in one order"
        raise ValueError(msg)
    if objects is not None:
        labels = [x.tolist() if hasattr(x, "tolist") else list(x) for x in objects]
    elif all(framed):
        labels = [x.index.tolist() for x in tables]
    else:
        labels = [list(range(len(x))) for x in parts]
    if [len(x) for x in labels] != [len(x) for x in parts]:
        msg = f"tables of {[len(x) for x in parts]} rows have {[len(x) for x in labels]} objects: one a row is wanted"
        raise ValueError(msg)
    times = [t for t, part in enumerate(parts) for _ in range(len(part))]
    return np.concatenate(parts), times, [x for some in labels for x in some]


def columns_of(X: Any, times: Any, objects: Any) -> tuple[Any, Any, Any]:
    """X without the columns that are named as times and objects, and these columns."""
    named = [name for name in (times, objects) if isinstance(name, str)]
    if not named:
        _check_columns(X, times)
        return X, times, objects
    columns = list(getattr(X, "columns", ()))
    absent = [name for name in named if name not in columns]
    if absent:
        which = f"there are {', '.join(map(str, columns[:10]))}" if columns else "X has no named columns"
        msg = f"X has no column {absent[0]!r}, named as times or objects; {which}"
        raise ValueError(msg)
    if len(set(named)) < len(named):
        msg = f"times and objects both name the column {named[0]!r}: an object is wanted that is seen at several times"
        raise ValueError(msg)
    if set(columns) <= set(named):
        msg = f"X has no columns but {', '.join(map(repr, columns))}, named as times or objects: no feature is left"
        raise ValueError(msg)
    times, objects = (X[name] if isinstance(name, str) else name for name in (times, objects))
    X = X.drop(columns=named) if hasattr(X, "iloc") else X.drop(named)
    _check_columns(X, times)
    return X, times, objects


def _check_columns(X: Any, times: Any) -> None:
    """Refuse dates among the features, most often because they are not named as times."""
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    for i, (name, dtype) in enumerate(zip(X.columns, list(X.dtypes), strict=True)):
        if _holds_dates(X, i, dtype):
            what = f"name it, times={name!r}, or leave it out" if times is None else "leave it out, or make it a number"
            msg = f"the column {name!r} of X holds dates ({dtype}), which are no feature: {what}"
            raise ValueError(msg)


def _holds_dates(X: Any, i: int, dtype: Any) -> bool:
    if hasattr(dtype, "is_temporal"):  # polars
        return bool(dtype.is_temporal())
    if getattr(dtype, "kind", "") in ("M", "m") or type(dtype).__name__ == "PeriodDtype":
        return True
    if np.dtype(object) != dtype or not hasattr(X, "iloc"):
        return False
    some = X.iloc[:, i].dropna()
    return len(some) > 0 and isinstance(some.iloc[0], datetime.date)


def objects_of(objects: Any, X: Any, n: int) -> tuple[LeafIndex, np.ndarray]:
    """The objects in the order in which they come, and the number of that of each row."""
    if objects is None:
        index = getattr(X, "index", None)
        objects = index if hasattr(X, "columns") and hasattr(index, "tolist") else range(n)
    if len(getattr(objects, "shape", (n,))) != 1:
        msg = (
            f"objects must be one-dimensional, a label for each of the {n} rows of X; got shape {objects.shape}: "
            "of a table give one column, table['who']"
        )
        raise ValueError(msg)
    labels = objects.tolist() if hasattr(objects, "tolist") else list(objects)
    if len(labels) != n:
        msg = f"objects must hold one label for each of the {n} rows of X; got {len(labels)}"
        raise ValueError(msg)
    odd = next((k for k, x in enumerate(labels) if isinstance(x, (list, dict, set, np.ndarray))), None)
    if odd is not None:
        msg = (
            f"the object of row {odd} is a {type(labels[odd]).__name__}, {labels[odd]!r:.60}: one label a row is wanted"
        )
        raise ValueError(msg)
    lost = next((k for k, x in enumerate(labels) if missing(x)), None)
    if lost is not None:
        msg = f"the object of row {lost} is missing ({labels[lost]!r}): leave such rows out"
        raise ValueError(msg)
    return object_index(labels, n)


def times_of(times: Any, n: int) -> Times:
    """When each row was observed; all at once where that was not said."""
    return Times(np.zeros(n, np.int64)) if times is None else checked_times(times, n)
