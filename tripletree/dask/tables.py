"""Tables of triplets in Parquet, too large for one memory: which of them a hierarchy displays, by row groups."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.induce import induce
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.dask.blocks import compute, needed
from tripletree.errors import InvalidTripletError, ParseError
from tripletree.io.rows import three_names
from tripletree.io.table import optional


class _RowGroup(NamedTuple):
    """A part of a Parquet file."""

    path: str
    number: int
    before: int  # rows of the file before it
    size: int


def displays(
    hierarchy: Hierarchy,
    path: str | os.PathLike | Iterable[str | os.PathLike],
    *,
    columns: Sequence[str] = ("a", "b", "c"),
) -> Any:
    """Tell for each row of a table of triplets whether a hierarchy displays it, lazily and in parallel.

    Parameters
    ----------
    hierarchy : Hierarchy
        It travels to the workers once.
    path : path, or list of paths
        Parquet files that all workers can read. A row group is a task.
    columns : three names
        Labels a, b and c of ab|c.

    Returns
    -------
    dask array of bool, shape (n_rows,)
        In the order of the rows, repeated ones included. A chunk for each row group. Errors in rows are raised when it
        is computed.

    See Also
    --------
    tripletree.displays : for a TripletSet.
    triplet_score : the share of them.

    Examples
    --------
    >>> import pyarrow, pyarrow.parquet, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "answers.parquet")
    >>> table = pyarrow.table({"a": ["cat", "dog", "dog"], "b": ["lion", "cat", "lion"], "c": ["dog", "lion", "cat"]})
    >>> pyarrow.parquet.write_table(table, file, row_group_size=2)
    >>> displays(tt.parse_newick("((cat,lion),dog);"), file).compute().tolist()
    [True, False, False]
    """
    hierarchy = check_hierarchy(hierarchy)
    array = needed("dask.array", "tripletree.dask")
    delayed = needed("dask", "tripletree.dask").delayed
    names = three_names(columns, "a, b and c of ab|c")
    groups = _row_groups(path, names)
    shared, ask = delayed(hierarchy), delayed(displayed_rows)
    pieces = [array.from_delayed(ask(shared, g, names), shape=(g.size,), dtype=bool) for g in groups]
    return array.concatenate(pieces) if pieces else array.zeros(0, dtype=bool)


def triplet_score(
    hierarchy: Hierarchy,
    path: str | os.PathLike | Iterable[str | os.PathLike],
    *,
    columns: Sequence[str] = ("a", "b", "c"),
    weight: str | None = "weight",
    verbose: bool | int = False,
) -> float:
    """Return the share of the rows of a table of triplets that a hierarchy displays, in parallel.

    Parameters
    ----------
    hierarchy, path, columns
        As for `displays`.
    weight : str or None
        A column of weights, if there is one of this name. None counts every row once.
    verbose : bool or int
        If True, show a bar in the terminal.

    Returns
    -------
    float
        Between 0 and 1. 1.0 for an empty table. Repeated rows count each time.

    See Also
    --------
    tripletree.triplet_score : in one process, for sets and parts of tables.

    Examples
    --------
    >>> import pyarrow, pyarrow.parquet, tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "answers.parquet")
    >>> table = pyarrow.table({"a": ["cat", "dog"], "b": ["lion", "cat"], "c": ["dog", "lion"], "weight": [3.0, 1.0]})
    >>> pyarrow.parquet.write_table(table, file)
    >>> triplet_score(tt.parse_newick("((cat,lion),dog);"), file)
    0.75
    """
    hierarchy = check_hierarchy(hierarchy)
    delayed = needed("dask", "tripletree.dask").delayed
    names = three_names(columns, "a, b and c of ab|c")
    shared, score = delayed(hierarchy), delayed(score_rows)
    parts = [score(shared, g, names, weight) for g in _row_groups(path, names)]
    sums = compute(delayed(list)(parts), "scoring triplets", verbose=verbose)
    held, total = np.array(sums, np.float64).reshape(-1, 2).sum(axis=0).tolist()
    return held / total if total else 1.0


def displayed_rows(hierarchy: Hierarchy, group: _RowGroup, columns: tuple[str, ...]) -> np.ndarray:
    """Tell which rows of a row group the hierarchy displays."""
    table = _opened(group.path).read_row_group(group.number, columns=list(columns))
    rows = np.stack([_positions(hierarchy, table.column(name), group, name) for name in columns], axis=1)
    try:
        return induce(hierarchy, rows).odd == 2
    except InvalidTripletError as error:
        at = group.before + (error.row or 0) + 1
        msg = f"row {at} names a sample twice; the three of a triplet must be different"
        raise ParseError(msg, path=group.path) from None


def score_rows(
    hierarchy: Hierarchy, group: _RowGroup, columns: tuple[str, ...], weight: str | None
) -> tuple[float, float]:
    """Return the weight of the rows of a row group that the hierarchy displays, and of all."""
    held = displayed_rows(hierarchy, group, columns)
    file = _opened(group.path)
    if weight is None or weight not in file.schema_arrow.names:
        return float(held.sum()), float(held.size)
    values = file.read_row_group(group.number, columns=[weight]).column(weight).to_numpy().astype(np.float64)
    bad = np.flatnonzero(~((values >= 0) & (values < np.inf)))
    if bad.size:
        msg = f"row {group.before + int(bad[0]) + 1} has the weight {values[bad[0]]:g}; expected a finite number >= 0"
        raise ParseError(msg, path=group.path)
    return float(values[held].sum()), float(values.sum())


def _positions(hierarchy: Hierarchy, column: Any, group: _RowGroup, name: str) -> np.ndarray:
    """Return the leaf of each cell of a column of labels."""
    coded = column.combine_chunks()
    if coded.null_count:
        row = group.before + int(np.asarray(coded.is_null()).argmax()) + 1
        msg = f"row {row} has nothing in the column {name}"
        raise ParseError(msg, path=group.path)
    coded = coded if hasattr(coded, "dictionary") else coded.dictionary_encode()
    leaf = hierarchy.leaves.indices(coded.dictionary.to_pylist(), what=f"labels of the column {name} of {group.path}")
    return leaf[np.asarray(coded.indices)]


def _opened(path: str) -> Any:
    parquet = optional("pyarrow.parquet", "dask", "reading Parquet")
    if not os.path.exists(path):
        raise FileNotFoundError(2, "no such file", path)
    try:
        return parquet.ParquetFile(path)
    except Exception as error:
        import pyarrow

        if not isinstance(error, pyarrow.ArrowException):
            raise
        msg = f"not a Parquet file ({error}); tripletree.io.read_triplets reads other formats"
        raise ParseError(msg, path=path) from None


def _row_groups(path: Any, columns: tuple[str, ...]) -> list[_RowGroup]:
    """Return the row groups of some files, from the ends of the files alone."""
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    groups = []
    for one in [os.fspath(x) for x in paths]:
        file = _opened(one)
        missing = [x for x in columns if x not in file.schema_arrow.names]
        if missing:
            known = ", ".join(file.schema_arrow.names)
            msg = f"no column {missing[0]!r}; the columns are {known}: name three of them by columns="
            raise ParseError(msg, path=one)
        before = 0
        for i in range(file.num_row_groups):
            size = file.metadata.row_group(i).num_rows
            groups.append(_RowGroup(one, i, before, size))
            before += size
    return groups
