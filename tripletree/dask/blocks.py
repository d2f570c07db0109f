"""Blocks of rows of dask arrays and data frames: how they are counted, checked and computed on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from tripletree.errors import MissingDependencyError


class Block(NamedTuple):
    """The place of a block of rows in the whole.

    Attributes
    ----------
    number : int
        Number of the partition.
    start : int
        Rows before it.
    columns : list of str, or None
        The columns that a frame must have. None for arrays.
    """

    number: int
    start: int
    columns: list | None


def needed(module: str, purpose: str) -> Any:
    """Return a module of Dask, or the error with how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(module.split(".")[0], "dask", purpose) from None


def blocks_of(X: Any) -> tuple[list, list | None]:
    """Return the blocks of X, a delayed one for each partition, and its columns (None for an array)."""
    array = needed("dask.array", "tripletree.dask")
    if isinstance(X, array.Array):
        if X.ndim != 2:
            msg = f"X must have two dimensions, samples and features; got shape {X.shape}"
            raise ValueError(msg)
        whole = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        return whole.to_delayed().ravel().tolist(), None
    if hasattr(X, "to_delayed") and hasattr(X, "npartitions") and hasattr(X, "columns"):
        return list(X.to_delayed()), list(X.columns)
    msg = (
        f"X must be a dask array or dask data frame, not {type(X).__name__}: for data in memory take "
        "tripletree.cluster.ReCon, or make it one by dask.array.from_array(X, chunks=(100_000, -1))"
    )
    raise TypeError(msg)


def lengths_of(X: Any, blocks: Sequence[Any], columns: list | None, *, verbose: Any = False) -> np.ndarray:
    """Return how many rows each block has. Rows of a frame are counted."""
    if columns is not None:
        return np.array(compute(X.map_partitions(len), "counting rows", verbose=verbose), np.int64)
    lengths = np.array(X.chunks[0], np.float64)
    if np.isnan(lengths).any() or np.isnan(X.shape[1]):
        msg = (
            "X has chunks of unknown length, so its rows have no numbers: call X.compute_chunk_sizes() first, or give "
            "the data frame that it was made of"
        )
        raise ValueError(msg)
    return lengths.astype(np.int64)


def block_samples(block: Any, where: Block) -> np.ndarray:
    """Return the rows of a block as finite float64."""
    at = f"partition {where.number} of X"
    if where.columns is not None and list(block.columns) != where.columns:
        msg = f"{at} has the columns {list(block.columns)}; expected {where.columns}: give all partitions the same"
        raise ValueError(msg)
    if hasattr(block, "tocsr"):
        msg = f"{at} is sparse; make it dense by X.map_blocks(lambda block: block.toarray()), or reduce it before"
        raise TypeError(msg)
    try:
        samples = np.asarray(block, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{at} holds something that is not a number ({error}): drop such columns, or encode them"
        raise ValueError(msg) from None
    bad = np.flatnonzero(~np.isfinite(samples).all(axis=1))
    if bad.size:
        i = int(bad[0])
        row = f"the row labelled {block.index[i]!r}" if where.columns is not None else f"row {where.start + i}"
        msg = f"{row} ({at}) holds NaN or infinity: leave such rows out, or fill them in"
        raise ValueError(msg)
    return samples


def find_named(block: Any, where: Block, names: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a block that are named, and the number of the name of each.

    Names are labels of the index of a frame, row numbers of an array.
    """
    if not len(names):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if where.columns is None:
        rows = np.asarray(names, np.int64) - where.start
        number = np.flatnonzero((rows >= 0) & (rows < len(block)))
        return rows[number], number
    of_name = {name: i for i, name in enumerate(names)}
    index = block.index
    candidates = np.flatnonzero(index.isin(list(names)))  # one pass of pandas. The few left are looked up by equality
    pairs = [
        (i, of_name[x]) for i, x in zip(candidates.tolist(), index[candidates].tolist(), strict=True) if x in of_name
    ]
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def compute(value: Any, what: str, *, verbose: Any = False) -> Any:
    """Compute something lazy on the scheduler that Dask is set to, with a bar in the terminal if asked for."""
    import warnings

    dask = needed("dask", "tripletree.dask")
    with warnings.catch_warnings():
        # centres travel in the graph, so that whatever is lost can be computed again
        warnings.filterwarnings("ignore", message="Sending large graph")
        # a distributed client's scheduler is a method of it
        client = getattr(dask.base.get_scheduler(), "__self__", None) if verbose else None
        if client is None:
            bar: Any = nullcontext()
            if verbose:
                bar = needed("dask.diagnostics", "tripletree.dask").ProgressBar()
                print(f"{what}:", flush=True)  # noqa: T201
            with bar:
                return dask.compute(value)[0]
        print(f"{what}:", flush=True)  # noqa: T201
        (future,) = client.compute([value])
        try:
            needed("distributed", "tripletree.dask").progress(future, notebook=False)
            return future.result()
        except BaseException:
            future.cancel()
            raise
