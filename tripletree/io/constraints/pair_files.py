"""Must-links and cannot-links as text, CSV, TSV and Parquet.

The text format has one pair a line, then the link, then perhaps a strength in 0..1, which is 1 where other lines have
one::

    # great apes
    human chimp must
    'Homo sapiens', 'Gorilla gorilla', cannot, 0.8
    #!leaves orang

The link is ``must`` or ``cannot``; so are ``must-link`` and ``cannot-link`` (also with ``_``), ``ML`` and ``CL``, ``1``
(``+1``, ``+``) and ``-1`` (``-``) or ``0``, but not both of these in one file; ``True`` and ``False``, ``yes`` and
``no``, ``same`` and ``different``; all in any case. The files that came with COP-KMeans, lines of two sample numbers
and 1 or -1, are of this format. Labels, quotes, comments and ``#!leaves`` are as in the text format of triplets
(`tripletree.io.constraints.triplet_files`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, overload

from tripletree.errors import DuplicateLeafError, InvalidPairError
from tripletree.io._files import Source, Target, decoded, read_bytes, write_atomic, write_atomic_bytes
from tripletree.io._tables import has_header, is_frame, read_table, split_rows
from tripletree.io.constraints._pair_rows import PairRows
from tripletree.io.constraints._pair_texts import (
    pair_lines,
    pair_table_lines,
    parquet_pair_rows,
    table_pair_rows,
    text_pair_rows,
    write_pair_parquet,
)
from tripletree.io.constraints._triplet_tables import DELIMITERS
from tripletree.io.constraints._unicode import check_unicode
from tripletree.io.constraints.triplet_files import format_of_suffix
from tripletree.leaves import LeafIndex
from tripletree.pairs import PairwiseConstraints, expect_pairs

__all__ = ["read_pairs", "write_pairs"]

Format = Literal["text", "csv", "tsv", "parquet"]

_FORMATS = ("text", "csv", "tsv", "parquet")


def read_pairs(
    source: Source,
    *,
    format: Format | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    columns: Sequence[str] = ("a", "b", "link"),
    strength: str | None = "strength",
) -> PairwiseConstraints:
    r"""Read must-links and cannot-links.

    Parameters
    ----------
    source : path, file object, "-" or data frame
        ``"-"`` is the standard input; gzip, bzip2, xz and zip are unpacked.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default as the suffix says (.txt, .csv, .tsv, .parquet, also with .gz, .bz2 or .xz behind); where it says
        nothing, a table if the first line is a header with the columns, else text.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur, all of which the result has; labels that are no strings are known by ``str(label)``.
        For files of row numbers give the number of samples, for labels that are numbers the index of X. By default the
        leaves that the source names: as strings, sorted, or as the Parquet file keeps them; whole numbers in a data
        frame stay numbers.
    columns : sequence of three str
        Columns of a table that hold the two labels and the link. A CSV or TSV without this header has them in this
        order, perhaps with a strength behind.
    strength : str or None
        Column of the strengths, if there is one of that name; None ignores it.

    Returns
    -------
    PairwiseConstraints
        With the line of each pair. A pair that stands there more than once counts once, with its largest strength.
        They need not be consistent: a pair may be linked both ways.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If there are bad rows: labels missing or equal, a link that is none, a strength that is no number in 0..1, a
        leaf not among `leaves`; ``.problems`` holds up to 20 of them, each with its line.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    See Also
    --------
    write_pairs : the reverse.
    tripletree.io.constraints.pair_files : the text format.

    Examples
    --------
    >>> import io
    >>> list(read_pairs(io.StringIO("human chimp must\nhuman gorilla cannot  # surely")))
    [('chimp', 'human', 'must'), ('gorilla', 'human', 'cannot')]
    >>> read_pairs(io.StringIO("0 2 1\n2 4 -1\n"), leaves=5)  # row numbers
    <PairwiseConstraints: 1 must-link and 1 cannot-link on 5 leaves>
    """
    _check_format(format)
    rows = _rows(source, format, _three_names(columns), strength)
    if leaves is None and rows.unit == "row" and rows.more:
        leaves = LeafIndex([x for x, _ in rows.more])  # in the order that the Parquet file keeps
    return rows.pairs(leaves)


def _rows(source: Source, format: str | None, columns: tuple[str, ...], strength: str | None) -> PairRows:
    """What a source holds, in the format that is given or that its name or its first bytes tell."""
    if is_frame(source):
        return table_pair_rows(read_table(source), columns, strength, numbers=True)
    content, name = read_bytes(source)
    kind = format or format_of_suffix(name)
    if kind is None and isinstance(content, bytes) and content.startswith(b"PAR1"):
        kind = "parquet"
    if kind == "parquet":
        if isinstance(content, str):
            msg = "Parquet is binary: give a path, or a file object open for bytes (mode 'rb')"
            raise TypeError(msg)
        return parquet_pair_rows(content, name, columns, strength)
    text = content if isinstance(content, str) else decoded(content, name)

    def known(names: Sequence[str]) -> bool:
        return set(columns) <= set(names)

    if kind == "text" or (kind is None and not has_header(text, known)):
        return text_pair_rows(text, name)
    delimiter = None if kind is None else DELIMITERS[kind]
    return table_pair_rows(split_rows(text, name, delimiter=delimiter, known=known), columns, strength)


@overload
def write_pairs(pairs: PairwiseConstraints, target: None = None, *, format: Format | None = None) -> str: ...
@overload
def write_pairs(pairs: PairwiseConstraints, target: Target, *, format: Format | None = None) -> None: ...
def write_pairs(
    pairs: PairwiseConstraints, target: Target | None = None, *, format: Format | None = None
) -> str | None:
    r"""Write must-links and cannot-links, in the order of their rows, the must-links first.

    Parameters
    ----------
    pairs : PairwiseConstraints
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
    InvalidPairError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.
    MissingDependencyError
        As in `read_pairs`.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no pair are lost.

    Notes
    -----
    Text and Parquet give an equal value back, if the labels are strings; others are written as ``str(label)``, and read
    back with the same `leaves`.

    Examples
    --------
    >>> p = PairwiseConstraints.from_labels([("human", "chimp")], [("human", "Hylobates lar")])
    >>> write_pairs(p)
    "chimp human must\n'Hylobates lar' human cannot\n"
    """
    _check_format(format)
    kind = format or format_of_suffix(_name_of(target)) or "text"
    labels = [x if isinstance(x, str) else str(x) for x in expect_pairs(pairs).leaves]
    try:
        LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" once all labels are written as text") from None
    check_unicode(labels, InvalidPairError)
    if kind == "parquet":
        if target is None:
            msg = "Parquet is binary: give a target to write to"
            raise ValueError(msg)
        with write_atomic_bytes(target) as binary:
            write_pair_parquet(pairs, labels, binary)
        return None
    lost = len(labels) - pairs.used_leaves.size
    if kind in DELIMITERS and lost:
        msg = f"{lost} of {len(labels)} leaves are in no pair, which {kind.upper()} cannot say: write text or Parquet"
        warnings.warn(msg, UserWarning, stacklevel=2)
    lines = pair_lines(pairs, labels) if kind == "text" else pair_table_lines(pairs, labels, kind)
    if target is None:
        return "".join(lines)
    with write_atomic(target) as stream:
        stream.writelines(lines)
    return None


def _three_names(columns: Any) -> tuple[str, ...]:
    """The names of three columns, checked."""
    several = isinstance(columns, Iterable) and not isinstance(columns, (str, bytes))
    names = list(columns) if several else []
    if len(names) != 3 or not all(isinstance(x, Hashable) for x in names) or len(set(names)) != 3:
        msg = f"columns must be the names of three columns, for the two labels and the link, not {columns!r}"
        raise ValueError(msg)
    return tuple(names)


def _check_format(format: Any) -> None:
    if format is not None and format not in _FORMATS:
        msg = f"format must be one of {', '.join(map(repr, _FORMATS))}, not {format!r}"
        raise ValueError(msg)


def _name_of(target: Any) -> str | None:
    name = os.fspath(target) if isinstance(target, (str, os.PathLike)) else getattr(target, "name", None)
    return name if isinstance(name, str) else None
