"""X as it is given, mostly a data frame: what cannot be a table of numbers, and its columns and cells in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, NoReturn

import numpy as np
from sklearn.utils.validation import check_array

from tripletree.algorithms.points import is_sparse
from tripletree.cluster.distance_matrix import advice_for_gaps, kind_of_square
from tripletree.core.checks import column_names, counted, described, refuse_lazy
from tripletree.core.leaves import repeated
from tripletree.errors import SHOWN, warn_user
from tripletree.tables.cells import is_number, with_point
from tripletree.tables.columns import ids_of_frame
from tripletree.tables.features import LAST_ROWS, doubtful_of_frame, sums_among

#: Advice about missing values.
_GAPS = (
    "Fill them in (sklearn.impute), or compare the features that two samples share: DivisiveReCon, ReCon and "
    "ConstrainedCompleteLink with metric='nan_euclidean' (columns on one scale) or metric='gower' (numbers and "
    "categories); ReCon with linkage='average', 'weighted', 'complete' or 'single'"
)
_STORED_GAPS = "Leave out or fill in unknown values: entries that a sparse matrix does not store are 0"


def refuse_samples(error: Exception, X: Any, *, distances: bool) -> NoReturn:
    """Raise an error of scikit-learn's, pandas' or numpy's about X again, in one sentence with the place and a cure.

    Parameters
    ----------
    error : Exception
    X : object
    distances : bool
        True if X holds distances.
    """
    text = str(error)
    if isinstance(error, OverflowError):
        msg = f"X holds integers beyond the range of float64 ({error}): scale X"
        raise ValueError(msg) from None
    if "contains NaN" in text:
        advice = _STORED_GAPS if has_sparse(X) else _GAPS
        if distances:
            advice = advice_for_gaps(X, check_array(X, dtype=np.float64, ensure_all_finite=False))
        elif empty := [x for x in column_names(X) or () if not np.isfinite(_numbers(X[x])).any()]:
            advice = f"{counted(len(empty), 'column')} without any value: {_without(X, empty)} leaves it out"
        raise ValueError(f"X contains NaN: {_wild_cells(X, np.isnan, 'missing value')}. {advice}") from None
    if "contains infinity" in text:
        where = _wild_cells(X, np.isinf, "such value")
        raise ValueError(f"X contains infinity or values too large for float64: {where}") from None
    if text.startswith("could not convert string to float"):
        raise _not_text(X, error) from None
    if text.startswith("Complex data not supported"):
        names = [x for x, column in named_columns(X) if np.asarray(column).dtype.kind == "c"]
        cure = f"{_without(X, names)} leaves it out" if names else "give numpy.hstack([X.real, X.imag])"
        raise ValueError(f"Complex data not supported: X must hold real numbers{_in_columns(names)}: {cure}") from None
    if getattr(getattr(X, "dtype", None), "names", None):
        msg = f"X must hold numbers, not records of {', '.join(X.dtype.names)}: give pandas.DataFrame(X)"
        raise ValueError(msg) from None
    if ("got 1D" in text or "2-dimensional container" in text) and len(X) and np.isscalar(np.asarray(X)[0]):
        how = "X.to_frame()" if hasattr(X, "to_frame") else "numpy.reshape(X, (-1, 1))"
        msg = f"Expected 2D array, got 1D array instead, of {len(X)} values. Reshape your data: "
        raise ValueError(f"{msg}{how} if it is a single feature, [X] if it is one sample") from None
    if text.startswith(("setting an array element", "float() argument", "Expected ")):
        found = odd_cells(X)
        if isinstance(error, TypeError):  # as scikit-learn's checks want it
            raise TypeError(f"{found} ({error})") from None
        raise found from None
    raise error


def has_sparse(X: Any) -> bool:
    """True for a sparse matrix or array, and for a data frame of sparse columns."""
    return hasattr(X, "tocsr") or (hasattr(X, "iloc") and hasattr(X, "sparse"))


def dense_form(X: Any) -> str:
    """How to make sparse X dense."""
    return "X.toarray()" if hasattr(X, "tocsr") else "X.sparse.to_dense()"


def needs_dense(estimator: str, X: Any) -> TypeError:
    """Return the error for sparse data where an estimator takes dense data only."""
    msg = (
        f"Sparse data was passed for X, but {estimator} needs dense data. ReCon, "
        "ConstrainedCompleteLink, COPKMeans, PCKMeans, MPCKMeans and CVQE take sparse X; otherwise reduce it "
        f"(TruncatedSVD), or give {dense_form(X)} if that fits into memory"
    )
    return TypeError(msg)


def named_columns(X: Any) -> Iterator[tuple[Any, Any]]:
    """The columns of a data frame, or of a table of Arrow, with their names. None of anything else."""
    for name in column_names(X) or ():
        yield name, X[name]


def _in_columns(names: Sequence[Any]) -> str:
    return f" in the column{'s' * (len(names) > 1)} {', '.join(map(str, names[:10]))}" if names else ""


def _not_text(X: Any, error: Exception) -> ValueError:
    """The error for text, with the way to take ids as names."""
    columns = [x for x, column in named_columns(X) if np.asarray(column).dtype.kind not in "biuf"]
    if columns and all(is_number(with_point(str(y))) for x in columns for y in list(X[x])):
        cure = "read the file with decimal=',' (pandas.read_csv, polars.read_csv: decimal_comma=True)"
        return ValueError(f"X must hold numbers, not text{_in_columns(columns)} with decimal commas ({error}): {cure}")
    ids = [x for x in ids_of_frame(X) if x in columns] if columns else []
    msg = f"X must hold numbers, not text{_in_columns(columns)} ({error}): "
    if ids:
        return ValueError(msg + _as_names(X, ids))
    msg += "leave text out, or encode it; DivisiveReCon, ReCon (linkage='average', say) and ConstrainedCompleteLink "
    return ValueError(msg + "take text with metric='gower'")


def odd_cells(X: Any) -> ValueError:
    """The error for cells that are not numbers, or rows of different lengths."""
    plain = isinstance(X, np.ndarray) and X.ndim == 2
    for name, column in enumerate(X.T) if plain else named_columns(X):
        for row, cell in enumerate(column.to_pylist() if hasattr(column, "to_pylist") else list(column)):
            if type(cell).__name__ == "NAType" and column.dtype.kind == "O":
                msg = f"X must hold numbers, not text or objects with gaps, as in row {row}, column {name!r}: "
                return ValueError(f"{msg}X.astype({{{name!r}: 'Float64'}}) makes numbers of it")
            try:
                float("nan" if cell is None or type(cell).__name__ == "NAType" else cell)
            except (TypeError, ValueError):
                kind = "list" if isinstance(cell, Sequence) or np.ndim(cell) else type(cell).__name__
                shown = " ".join(repr(cell).split())
                return ValueError(f"X must hold numbers, not {kind}, as in row {row}, column {name!r}: {shown:.60}")
    lengths = {len(x) for x in X if isinstance(x, (list, tuple, np.ndarray))} if np.iterable(X) else set()
    if len(lengths) > 1:
        return ValueError(f"the rows of X differ in length: {min(lengths)} to {max(lengths)} numbers; give all alike")
    cure = ": give numpy.stack(X)" if lengths and isinstance(X, np.ndarray) else ""
    return ValueError(f"X must hold numbers, a row for each sample, not {described(X)}{cure}")


def with_texts_as_names(X: Any) -> Any:
    """A data frame whose columns are called by numbers and by texts with texts only: scikit-learn takes no mixture."""
    refuse_lazy(X)
    if isinstance(X, (str, PathLike)):
        msg = f"X must hold numbers, a row for each sample, not {described(X)}: give pandas.read_csv(X, index_col=0)"
        raise TypeError(msg)
    names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "set_axis") else []
    if len({isinstance(x, str) for x in names}) < 2:
        return X
    return X.set_axis(list(map(str, names)), axis=1)


def check_frame(X: Any, *, tells_ids: bool, takes_words: bool = False) -> None:
    """Raise if columns of a data frame are not features: of one name, or times. Tell of columns that are called ids.

    Parameters
    ----------
    X : object
        Anything else than a data frame is passed over.
    tells_ids : bool
    takes_words : bool
        True if text is taken for categories.
    """
    names = column_names(X)
    if names is None:
        return
    twice = repeated(names)
    if twice:
        cure = "or keep the first of each with X.loc[:, ~X.columns.duplicated()]"
        if not hasattr(X, "loc"):
            cure = f"with X.rename_columns({[f'{x}_{k}' if x in names[:k] else x for k, x in enumerate(names)]})"
        msg = f"X has {names.count(twice[0])} columns {twice[0]!r}: give each a name of its own, {cure}"
        raise ValueError(msg)
    if not names:
        msg = f"X has {counted(len(X), 'row')} and no column (shape={X.shape}), while a minimum of 1 is required"
        raise ValueError(msg)
    kinds = X.dtypes if hasattr(X, "dtypes") else getattr(getattr(X, "schema", None), "types", ())
    times = [x for x, kind in zip(names, kinds, strict=False) if str(kind).lower().startswith(_TIMES)]
    if times and not takes_words:
        shown = ", ".join(map(repr, times[:10]))
        msg = (
            f"X must hold numbers, not times, as in the column{'s' * (len(times) > 1)} {shown}: {_without(X, times)} "
            "leaves out what is no number"
        )
        raise ValueError(msg)
    if tells_ids:
        _tell_of_square(X, names)
    ids = ids_of_frame(X) if tells_ids else []
    if ids and (takes_words or all(np.asarray(X[x]).dtype.kind in "iuf" for x in ids)):
        columns = f"column{'s' * (len(ids) > 1)} {', '.join(map(repr, ids))} of X"
        count = "count as features" if len(ids) > 1 else "counts as a feature"
        warn_user(f"the {columns}, called an id and different in each row, {count}: {_as_names(X, ids)}")
    if tells_ids:
        _tell_of_doubtful(X, [x for x in names if x not in ids])


def _tell_of_doubtful(X: Any, names: list[Any]) -> None:
    """Warn of columns that are hardly features, and of last rows that sum up the others."""
    found = doubtful_of_frame(X, names)
    for why in dict.fromkeys(x.why for x in found):
        same = [x.name for x in found if x.why == why]
        columns = f"column{'s' * (len(same) > 1)} {', '.join(map(repr, same[:SHOWN]))} of X"
        count, it = ("count as features", "them") if len(same) > 1 else ("counts as a feature", "it")
        warn_user(f"the {columns}, {why}, {count}: {_without(X, same)} leaves {it} out")
    rows = list(X.index[-LAST_ROWS:]) if hasattr(X, "iloc") else []
    sums = [rows[k] for k in sums_among(rows)]
    if sums:
        shown, count = ("rows", "count as samples") if len(sums) > 1 else ("row", "counts as a sample")
        warn_user(
            f"the {shown} {', '.join(map(repr, sums))} of X {count}: X.drop({sums!r}) leaves out what sums up others"
        )


def _tell_of_square(X: Any, names: list[Any]) -> None:
    """Warn of distances or similarities that are given as features: rows and columns have the same names."""
    if len(X) != len(names) or len(names) < 3 or not hasattr(X, "iloc") or list(X.index) != names:
        return
    values = _numbers(X)
    kind = kind_of_square(values) if values.ndim == 2 and np.isfinite(values).all() else None
    if kind is not None:
        how = "X" if kind == "distances" else f"{values.max():g} - X"
        warn_user(
            f"rows and columns of X have the same names, and it is taken for features: if it holds {kind}, give {how} "
            "with metric='precomputed'; if not, X.add_prefix('to ') has no such names"
        )


#: How the types of columns of times begin, in pandas, polars and Arrow.
_TIMES = ("date", "time", "duration", "period")


def _as_names(X: Any, ids: list[str]) -> str:
    """How to take the names of the rows from a column."""
    if hasattr(X, "set_index"):
        rest = f".drop(columns={ids[1:]!r})" if len(ids) > 1 else ""
        return f"X{rest}.set_index({ids[0]!r}) makes {ids[0]!r} the names of the rows"
    return f"fit(X.drop({ids!r}), sample_names=X[{ids[0]!r}]) makes {ids[0]!r} the names of the rows"


def _without(X: Any, columns: list[Any]) -> str:
    return f"X.drop(columns={columns!r})" if hasattr(X, "set_index") else f"X.drop({columns!r})"


def _numbers(column: Any) -> np.ndarray:
    """Return the numbers of a column or a frame, NaN where a cell has no number."""
    try:
        return np.asarray(column, np.float64)
    except (TypeError, ValueError):
        return np.zeros(1)


def _wild_cells(X: Any, is_wild: Any, noun: str) -> str:
    """How many cells of X are not finite, and where the first one is."""
    cells = check_array(X, accept_sparse="coo", dtype=np.float64, ensure_all_finite=False)
    if is_sparse(cells):
        bad = is_wild(cells.data)
        rows, columns = cells.row[bad], cells.col[bad]
        first = np.lexsort((columns, rows))
        rows, columns = rows[first], columns[first]
    else:
        rows, columns = np.nonzero(is_wild(cells))
    names = column_names(X)
    column = repr(names[columns[0]]) if names is not None else str(columns[0])
    which = "in" if rows.size == 1 else "the first in"
    return f"{counted(rows.size, noun)}, {which} {row_text(X, int(rows[0]))}, column {column}"


def row_text(X: Any, i: int) -> str:
    """A row of X by its number, from 0, and its label if X has others than numbers."""
    label = X.index[i] if hasattr(X, "iloc") else i
    return f"row {i}" if label == i else f"row {i} ({label!r})"
