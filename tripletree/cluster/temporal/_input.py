"""Observations, their times and their objects as a user gives them: columns by name, tables one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tripletree.cluster.temporal._windows import checked_times, object_index
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
        return X, times, objects
    columns = list(getattr(X, "columns", ()))
    missing = [name for name in named if name not in columns]
    if missing:
        which = f"there are {', '.join(map(str, columns[:10]))}" if columns else "X has no named columns"
        msg = f"X has no column {missing[0]!r}, named as times or objects; {which}"
        raise ValueError(msg)
    times, objects = (X[name] if isinstance(name, str) else name for name in (times, objects))
    return X.drop(columns=named) if hasattr(X, "iloc") else X.drop(named), times, objects


def objects_of(objects: Any, X: Any, n: int) -> tuple[LeafIndex, np.ndarray]:
    if objects is None:
        index = getattr(X, "index", None)
        objects = index if hasattr(X, "columns") and hasattr(index, "tolist") else range(n)
    labels = objects.tolist() if hasattr(objects, "tolist") else list(objects)
    if len(labels) != n:
        msg = f"objects must hold one label for each of the {n} rows of X; got {len(labels)}"
        raise ValueError(msg)
    lost = next((k for k, x in enumerate(labels) if x is None or x != x), None)
    if lost is not None:
        msg = f"the object of row {lost} is missing ({labels[lost]!r}): leave such rows out"
        raise ValueError(msg)
    return object_index(labels, n)


def times_of(times: Any, n: int) -> np.ndarray:
    return np.zeros(n, np.int64) if times is None else checked_times(times, n)
