"""Linkage matrices in files: scipy's, as .npy, .npz, CSV or text in columns.

A matrix has a row for each merge: the two clusters merged, their distance, the number of leaves in the new cluster.
In text a row is a line, its four numbers separated by commas, semicolons or white space. Lines that are empty or
start with ``#`` are passed over, and so is a first line of four names. Arrays of Python objects, which would have to
be unpickled, are refused.

An .npz holds the matrix and may hold the leaves' labels beside it, in an array named ``labels``. The other forms hold
no labels.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any, overload

import numpy as np

from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidHierarchyError, ParseError
from tripletree.io.format import FileFormat
from tripletree.io.source import (
    Source,
    Target,
    decoded,
    raw_bytes,
    unpacked,
    write_atomic_bytes,
    write_text,
    zip_members,
)

_NPY = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"
_HEADER = re.compile(
    r"\{'descr': '([<>|=]?[biufcUSVOmM][0-9]{0,9}(?:\[\w+\])?)', 'fortran_order': (True|False), "
    r"'shape': \(((?:[0-9]{1,19},? ?){0,8})\), *\}\s*"
)


def read_linkage(path: Source, *, labels: LeafIndex | Iterable[Hashable] | None = None) -> Hierarchy:
    r"""Read a hierarchy from a file that holds a scipy linkage matrix.

    Parameters
    ----------
    path : path, file object or "-"
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked. The format is recognised by the content.
    labels : LeafIndex or iterable of labels, optional
        Labels of the n leaves. By default the labels in the file (.npz), or 0..n-1.

    Returns
    -------
    Hierarchy
        As `from_linkage` gives it.

    See Also
    --------
    from_linkage : the same from an array.

    Examples
    --------
    >>> import io
    >>> h = read_linkage(io.StringIO("0 1 0.5 2\n2 3 2.0 3\n"), labels=["human", "chimp", "gorilla"])
    >>> h == Hierarchy.from_nested([("human", "chimp"), "gorilla"])
    True
    """
    content, name = raw_bytes(path)
    return hierarchy_from_linkage(content, name, labels=labels)


def hierarchy_from_linkage(
    content: bytes | str, path: str | None, *, labels: LeafIndex | Iterable[Hashable] | None = None
) -> Hierarchy:
    """`read_linkage` of the content of a file."""
    matrix, stored, lines = _content(content, path)
    try:
        hierarchy = from_linkage(matrix)
    except InvalidHierarchyError as error:
        row = None if error.node is None else error.node - matrix.shape[0] - 1
        if row is None or not lines:
            raise ParseError(str(error), path=path) from None
        line, text = lines[row]
        raise ParseError(str(error), path=path, line=line, column=1, text=text) from None
    if labels is None:
        labels = stored
    if labels is None:
        return hierarchy
    leaves = labels if isinstance(labels, LeafIndex) else LeafIndex(labels)
    if len(leaves) != hierarchy.n_leaves:
        given = "labels stand in the file" if labels is stored else "labels are given"
        msg = f"{len(leaves)} {given} for a linkage of {len(matrix)} merges, which has {hierarchy.n_leaves} leaves"
        if labels is stored:
            raise ParseError(msg, path=path)
        raise InvalidHierarchyError(msg)
    return Hierarchy(hierarchy.parent, leaves, height=hierarchy.height)


Lines = list[tuple[int, str]]


def _content(content: bytes | str, path: str | None) -> tuple[np.ndarray, Any, Lines]:
    """Return the matrix, the labels beside it or None, and for text the number and text of the line of each row."""
    if isinstance(content, str):
        return _text(content, path)
    if content.startswith(_ZIP):
        arrays = {
            member.removesuffix(".npy"): unpack
            for member, unpack in zip_members(content, path).items()
            if member.endswith(".npy")
        }
        if arrays:
            return _npz(arrays, path)
    content = unpacked(content, path)
    if content.startswith(_NPY):
        return _npy(content, path, "iuf"), None, []
    return _text(decoded(content, path), path)


def _npz(arrays: dict[str, Any], path: str | None) -> tuple[np.ndarray, Any, Lines]:
    """Return the arrays of an .npz: the labels, and the one other."""
    others = [x for x in arrays if x != "labels"]
    if len(others) != 1:
        msg = f"{len(others)} arrays besides 'labels' where one is expected: {', '.join(map(repr, others[:20]))}"
        raise ParseError(msg, path=path)
    matrix = _npy(arrays[others[0]](), path, "iuf")
    if "labels" not in arrays:
        return matrix, None, []
    labels = _npy(arrays["labels"](), path, "iuU")
    if labels.ndim != 1 or np.unique(labels).size < labels.size:
        msg = "the array 'labels' must hold one label for each leaf, all different"
        raise ParseError(msg, path=path)
    return matrix, labels.tolist(), []


def _npy(content: bytes, path: str | None, kinds: str) -> np.ndarray:
    """An array of numbers (or of text) in numpy's format. Nothing is unpickled, nothing larger than the file made."""
    width = 2 if content[6:7] == b"\x01" else 4  # bytes that tell the length of the header
    start = 8 + width
    stop = start + int.from_bytes(content[8:start], "little")
    header = _HEADER.fullmatch(content[start:stop].decode("latin-1"))
    if header is None or content[6:7] not in (b"\x01", b"\x02", b"\x03") or stop > len(content):
        msg = "damaged .npy array, or one of records: it has no header of an array of numbers or text"
        raise ParseError(msg, path=path)
    try:
        dtype = np.dtype(header[1])
    except TypeError:
        msg = f"damaged .npy array: there is no data type {header[1]!r}"
        raise ParseError(msg, path=path) from None
    shape = tuple(map(int, re.findall("[0-9]+", header[3])))
    wanted = "numbers" if "f" in kinds else "whole numbers or text"
    if dtype.kind not in kinds or dtype.hasobject:
        msg = f"the array must hold {wanted}, not {dtype} (Python objects are not unpickled, for safety)"
        raise ParseError(msg, path=path)
    data = content[stop:]
    size = dtype.itemsize
    for k in shape:
        size *= k
    if len(data) != size or not dtype.itemsize:
        msg = f"damaged .npy array: shape {shape} of {dtype} takes {size:,} bytes, and {len(data):,} are there"
        raise ParseError(msg, path=path)
    return np.frombuffer(data, dtype).reshape(shape, order="F" if header[2] == "True" else "C")


# ---------------------------------------------------------------------- text


def _text(content: str, path: str | None) -> tuple[np.ndarray, Any, Lines]:
    """Return the matrix from lines of four numbers."""
    rows: list[list[float]] = []
    lines: Lines = []
    separator: str | None = None
    at_start = True
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not rows:
            separator = next((x for x in ",;" if x in line), None)
        fields = line.split(separator)
        row = list(map(_number, fields))
        if at_start and not any(x is not None for x in row) and len(row) == 4:
            at_start = False
            continue  # the names of the columns
        at_start = False
        if len(row) != 4:
            what = f"{len(row)} {'field' if len(row) == 1 else 'fields'}"
            msg = f"a row of a linkage has four numbers (cluster, cluster, height, size), and this line has {what}"
            raise ParseError(msg, path=path, line=number, column=1, text=line)
        if None in row:
            bad = row.index(None)
            msg = f"{fields[bad].strip()[:40]!r} is not a number"
            column = sum(len(x) + 1 for x in fields[:bad]) + 1 if separator else line.index(fields[bad]) + 1
            raise ParseError(msg, path=path, line=number, column=column, text=line)
        rows.append(row)  # type: ignore[arg-type]
        lines.append((number, line))
    if not rows:
        msg = "no linkage in it: no line with four numbers"
        raise ParseError(msg, path=path, line=1, column=1)
    return np.array(rows), None, lines


def _number(field: str) -> float | None:
    """A field as a number, None if it is not one. Python's underscores and other alphabets' digits do not count."""
    field = field.strip()
    if not field.isascii() or "_" in field:
        return None
    try:
        return float(field)
    except ValueError:
        return None


# ---------------------------------------------------------------------- writing


@overload
def write_linkage(hierarchy: Hierarchy, path: None = None, *, monotone: bool = False) -> str: ...
@overload
def write_linkage(hierarchy: Hierarchy, path: Target, *, monotone: bool = False) -> None: ...
def write_linkage(hierarchy: Hierarchy, path: Target | None = None, *, monotone: bool = False) -> str | None:
    """Write a binary hierarchy as a scipy linkage matrix.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary, with at least two leaves.
    path : path, file object or "-", optional
        The target, replaced in one step. A path ending in .npy or .npz is written in numpy's format, .npz with
        the leaves' labels; one in .csv with commas and the names of the columns; any other as columns of text, as
        `numpy.loadtxt` reads them. .gz, .bz2 or .xz behind it compresses, except for .npz, which is compressed itself.
        By default the columns are returned.
    monotone : bool
        As in `to_linkage`.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    InvalidHierarchyError
        If some node does not have exactly two children, there is only one leaf, or (.npz) a label is neither text nor a
        whole number, or ends in a character that the array cannot hold.

    See Also
    --------
    read_linkage : the inverse.
    to_linkage : the matrix itself.

    Notes
    -----
    Numbers are written in full: they are read back exactly. Only .npz keeps labels and their order. With the other
    formats keep ``list(hierarchy.leaves)`` and give it to `read_linkage` as `labels`.

    Examples
    --------
    >>> print(write_linkage(Hierarchy([2, 2, -1], height=[0, 0, 0.5])), end="")
    0 1 0.5 2
    """
    hierarchy = check_hierarchy(hierarchy)
    matrix = to_linkage(hierarchy, monotone=monotone)
    if not len(matrix):
        msg = "a linkage of a single leaf has no row: there is nothing to write"
        raise InvalidHierarchyError(msg, node=0)
    kind = _kind(path)
    if kind == ".npz" and not str(path).lower().endswith(".npz"):
        msg = f"{path}: an .npz is packed itself, and packed twice it cannot be read again: let the path end in .npz"
        raise ValueError(msg)
    if path is not None and kind in (".npy", ".npz"):
        stream = io.BytesIO()
        if kind == ".npy":
            np.save(stream, matrix, allow_pickle=False)
        else:
            stored = _label_array(hierarchy.leaves)
            arrays: dict[str, Any] = {"linkage": matrix} if stored is None else {"linkage": matrix, "labels": stored}
            np.savez(stream, **arrays)
        with write_atomic_bytes(path) as out:
            out.write(stream.getvalue())
        return None
    comma = "," if kind == ".csv" else " "
    head = ["cluster1,cluster2,height,size"] if kind == ".csv" else []
    rows = (f"{int(a)}{comma}{int(b)}{comma}{height!r}{comma}{int(size)}" for a, b, height, size in matrix.tolist())
    text = "\n".join([*head, *rows]) + "\n"
    return write_text([text], path)


def _kind(path: Target | None) -> str:
    """Return the suffix of a path, without a compression's."""
    if not isinstance(path, (str, os.PathLike)):
        return ""
    suffixes = [x.lower() for x in Path(path).suffixes]
    while suffixes and suffixes[-1] in (".gz", ".bz2", ".xz"):
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _label_array(leaves: LeafIndex) -> np.ndarray | None:
    """Return the labels as an array that needs no pickle, None for 0..n-1."""
    labels = list(leaves)
    if isinstance(leaves.labels, range):
        return None
    if all(isinstance(x, str) for x in labels) or all(type(x) is int and abs(x) < 2**63 for x in labels):
        array = np.array(labels)
        if array.tolist() == labels:
            return array
    msg = "an .npz holds labels that are all text (not ending in the character 0) or all whole numbers; write .npy"
    raise InvalidHierarchyError(msg)


FORMAT = FileFormat("linkage", "scipy linkage", read=read_linkage, write=write_linkage, extensions=(".npy", ".npz"))
