"""Triplets as text, CSV, TSV and Parquet.

The text format has one triplet a line, the two close ones first::

    # great apes
    human chimp | gorilla
    'Homo sapiens', 'Pan paniscus' | 'Gorilla beringei' | 2.5
    #!leaves orang

Labels stand apart by white space or a comma. One with white space, a comma, a bar or a leading ``#`` in it, or with a
quote at its start, must stand in single or double quotes, that quote doubled inside. A number behind a second bar is
the triplet's weight, 1 where other lines have one. ``#`` at the start of a line or after white space starts a comment;
``#!leaves`` names leaves whether or not they occur in triplets.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, overload

from tripletree._checks import expect_triplets
from tripletree.errors import DuplicateLeafError, InvalidTripletError
from tripletree.io._files import Source, Target, decoded, read_bytes, write_atomic, write_atomic_bytes
from tripletree.io.constraints._triplet_rows import TripletRows
from tripletree.io.constraints._triplet_tables import (
    DELIMITERS,
    parquet_rows,
    sniffed,
    table_lines,
    table_rows,
    write_parquet,
)
from tripletree.io.constraints._triplet_text import text_lines, text_rows
from tripletree.io.constraints._unicode import check_unicode
from tripletree.leaves import LeafIndex
from tripletree.triplets import TripletSet

__all__ = ["format_of_suffix", "read_triplets", "write_triplets"]

Format = Literal["text", "csv", "tsv", "parquet"]

_FORMATS = ("text", "csv", "tsv", "parquet")
_SUFFIXES = {".txt": "text", ".triplets": "text", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet"}
_PACKED = frozenset({".gz", ".bz2", ".xz"})


def read_triplets(
    source: Source,
    *,
    format: Format | None = None,
    leaves: LeafIndex | Iterable[Hashable] | None = None,
    columns: Sequence[str] = ("a", "b", "c"),
    weight: str | None = "weight",
) -> TripletSet:
    r"""Read a set of triplets.

    Parameters
    ----------
    source : path, file object or "-"
        ``"-"`` is the standard input; gzip, bzip2 and xz are unpacked.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says (.txt, .triplets, .csv, .tsv, .parquet, also with .gz, .bz2 or .xz behind);
        where it says nothing, CSV or TSV if the first line is a header with the columns, else text.
    leaves : LeafIndex or iterable of labels, optional
        The leaves that may occur, all of which the result has; labels that are no strings are known by ``str(label)``.
        By default the leaves that the source names, as strings: sorted, or as the Parquet file keeps them.
    columns : sequence of three str
        Columns of a table that hold a, b and c of ab|c; further columns are ignored.
    weight : str or None
        Column of the weights, if there is one of that name; None ignores it.

    Returns
    -------
    TripletSet
        A triplet that stands there more than once counts once; its weights are added. It need not be consistent.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If there are bad rows: labels missing or equal, a weight that is no positive number, a leaf not among
        `leaves`; ``.problems`` holds up to 20 of them, each with its line.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    See Also
    --------
    write_triplets : the reverse.
    tripletree.io.constraints.triplet_files : the text format.

    Examples
    --------
    >>> import io
    >>> read_triplets(io.StringIO("human chimp | gorilla  # the odd one"))
    <TripletSet: 1 triplet on 3 leaves: chimp human | gorilla>
    >>> read_triplets(io.StringIO("a,b,c,weight\nx,y,z,2\n")).weights.tolist()
    [2.0]
    """
    _check_format(format)
    columns = _checked_columns(columns)
    rows = _rows(source, format, columns, weight)
    if leaves is None and rows.unit == "row" and rows.more:
        leaves = LeafIndex([x for x, _ in rows.more])  # in the order that the Parquet file keeps
    return rows.triplets(leaves)


def _rows(source: Source, format: str | None, columns: Sequence[str], weight: str | None) -> TripletRows:
    """What a source holds, in the format that is given or that its name or its first bytes tell."""
    content, name = read_bytes(source)
    kind = format or format_of_suffix(name)
    if kind is None and isinstance(content, bytes) and content.startswith(b"PAR1"):
        kind = "parquet"
    if kind == "parquet":
        if isinstance(content, str):
            msg = "Parquet is binary: give a path, or a file object open for bytes (mode 'rb')"
            raise TypeError(msg)
        return parquet_rows(content, name, columns, weight)
    text = content if isinstance(content, str) else decoded(content, name)
    kind = kind or sniffed(text, columns) or "text"
    return text_rows(text, name) if kind == "text" else table_rows(text, name, kind, columns, weight)


@overload
def write_triplets(triplets: TripletSet, target: None = None, *, format: Format | None = None) -> str: ...
@overload
def write_triplets(triplets: TripletSet, target: Target, *, format: Format | None = None) -> None: ...
def write_triplets(triplets: TripletSet, target: Target | None = None, *, format: Format | None = None) -> str | None:
    r"""Write a set of triplets, in the order of its rows.

    Parameters
    ----------
    triplets : TripletSet
    target : path, file object or "-", optional
        Where to write; a path is replaced in one step, and compressed if it ends in .gz, .bz2 or .xz. By default the
        text is returned.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says, else text.

    Returns
    -------
    str or None
        The text, if no `target` is given.

    Raises
    ------
    DuplicateLeafError
        If two labels are the same once written as text (1 and "1").
    InvalidTripletError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.
    MissingDependencyError
        As in `read_triplets`.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no triplet are lost.

    Notes
    -----
    Text and Parquet give an equal set back, if the labels are strings; others are written as ``str(label)``.

    Examples
    --------
    >>> t = TripletSet.from_labels([("human", "chimp", "gorilla")], ["chimp", "gorilla", "human", "Hylobates lar"])
    >>> write_triplets(t)
    "#!leaves 'Hylobates lar'\nchimp human | gorilla\n"
    """
    _check_format(format)
    kind = format or format_of_suffix(_name_of(target)) or "text"
    labels = _texts(expect_triplets(triplets))
    if kind == "parquet":
        with write_atomic_bytes(_given(target)) as binary:
            write_parquet(triplets, labels, binary)
        return None
    lost = len(labels) - triplets.used_leaves.size
    if kind in DELIMITERS and lost:
        msg = (
            f"{lost} of {len(labels)} leaves are in no triplet, which {kind.upper()} cannot say: write text or Parquet"
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    lines = text_lines(triplets, labels) if kind == "text" else table_lines(triplets, labels, kind)
    if target is None:
        return "".join(lines)
    with write_atomic(target) as stream:
        stream.writelines(lines)
    return None


def _given(target: Target | None) -> Target:
    if target is None:
        msg = "Parquet is binary: give a target to write to"
        raise ValueError(msg)
    return target


def _texts(triplets: TripletSet) -> list[str]:
    """The leaf labels as text, which must all differ."""
    labels = [x if isinstance(x, str) else str(x) for x in triplets.leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    check_unicode(labels, InvalidTripletError)
    return labels


def _check_format(format: Any) -> None:
    if format is not None and format not in _FORMATS:
        msg = f"format must be one of {', '.join(map(repr, _FORMATS))}, not {format!r}"
        raise ValueError(msg)


def _checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str) or len(columns) != 3 or len(set(columns)) != 3:
        msg = f"columns must be the names of three columns, for a, b and c of ab|c, not {columns!r}"
        raise ValueError(msg)
    return tuple(columns)


def _name_of(target: Any) -> str | None:
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    return name if isinstance(name, str) else None


def format_of_suffix(name: str | None) -> str | None:
    """The format that a file's name tells, looking through .gz, .bz2 and .xz; None if it tells none."""
    path = Path(name or "")
    if path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return _SUFFIXES.get(path.suffix.lower())
