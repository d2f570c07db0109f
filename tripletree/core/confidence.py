"""Confidence that programs write into names: ``95``, ``94.3/99``, ``100.0:g__Bacillus``, ``Firmicutes(100)``.

Such a number is the support of a clade or of an assignment, and no part of its name. Readers of trees and of lineages
take names apart here, and so does `tripletree.interop.from_tree`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

#: Names of support in comments: of BEAST, MrBayes, NHX (B) and ASTRAL (pp1, localPP) among them.
SUPPORT_KEYS = ("support", "posterior", "prob", "bootstrap", "B", "pp1", "localPP")

_NUMBER = r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_FIELD = re.compile(r"([^,={}\s]+)\s*=\s*(\{[^}]*\}|[^,]*)")  # of a comment such as [&rate=0.1,range={1,2}]
_OPEN = re.compile(r"&.*\bincertae_sedis\s*=\s*\"?(?:1|true)\b", re.IGNORECASE | re.DOTALL)
_LAST = ")]"
#: The first and last bytes of names with numbers in them, as masks.
_BEGINS = np.isin(np.arange(256), list(b"+-./0123456789[ \t\n\v\f\r"))
_ENDS = np.isin(np.arange(256), list(b")]"))
#: Whole numbers above this are ids. Programs that count replicates write up to 1,000.
_MOST = 1000
#: One number, or several of one branch, as IQ-TREE has them. One of two may be missing.
_SUPPORT = re.compile(rf"\s*({_NUMBER}(?:/{_NUMBER})*/?|/{_NUMBER})\s*%?\s*", re.ASCII)
_ALONE = re.compile(rf"\s*{_NUMBER}\s*", re.ASCII)
#: Several in a comment, as of internode certainty: ``[0.95,0.8]``.
_LISTED = re.compile(rf"\s*({_NUMBER})(?:\s*,\s*{_NUMBER})+\s*", re.ASCII)
_BEFORE = re.compile(rf"\s*({_NUMBER}(?:/{_NUMBER})*)\s*:\s*(\S.*)", re.ASCII | re.DOTALL)
_AFTER = re.compile(
    r"(.*\S)\s*(?:\(\s*(\d+\.?\d*|\.\d+)\s*%?\s*\)|\[\s*(\d+\.?\d*|\.\d+)\s*%\s*\])\s*", re.ASCII | re.DOTALL
)


#: Confidences behind names are shares, or some of them are at least 50 percent.
_LEAST_PERCENT = 50


class Confidence(NamedTuple):
    """A name taken apart."""

    name: str | None
    """The name without its confidence, None if it is nothing else."""
    support: str | None
    """The confidence as it is written, None if there is none."""


def support_label(name: str) -> Confidence:
    """Take apart the label of an inner node that may hold support: ``95``, ``94.3/99``, ``100.0:g__Bacillus``.

    Examples
    --------
    >>> support_label("94.3/99"), support_label("100.0:g__Bacillus"), support_label("Bacillus")
    (Confidence(name=None, support='94.3/99'), Confidence(name='g__Bacillus', support='100.0'), \
Confidence(name='Bacillus', support=None))
    """
    found = _SUPPORT.fullmatch(name)
    if found:
        return Confidence(None, found[1])
    found = _BEFORE.fullmatch(name)
    return Confidence(found[2], found[1]) if found else Confidence(name, None)


def rated_name(name: str) -> Confidence:
    """Take apart a name with the confidence of an assignment behind it: ``Firmicutes(100)``, ``Firmicutes [98.2%]``.

    A number above 100 is no confidence, nor is a year in brackets.

    Examples
    --------
    >>> rated_name("Firmicutes(100)"), rated_name("Bacilli [98.2%]").support, rated_name("Felis (1758)").support
    (Confidence(name='Firmicutes', support='100'), '98.2', None)
    """
    found = _AFTER.fullmatch(name)
    if found is None or float(found[2] or found[3]) > 100:
        return Confidence(name, None)
    return Confidence(found[1], found[2] or found[3])


def apart(
    names: Sequence[str | None], *, keys: Sequence[str] = SUPPORT_KEYS, sure: bool = False
) -> tuple[list[str | None] | None, np.ndarray] | None:
    """Take the names of the inner nodes of a tree apart.

    Parameters
    ----------
    names : sequence of (str or None)
    keys : sequence of str
        The names of support in labels of ASTRAL's kind, ``[pp1=0.98;pp2=0.01]``.
    sure : bool
        True takes every number for support. Otherwise whole numbers are names if some are above 1,000, as tax ids are,
        or if they number the nodes.

    Returns
    -------
    names : list of (str or None), or None
        None if no name is left.
    support : ndarray of float64, shape (names, k)
        NaN where a name has no number. None instead of both if no name has any.

    Examples
    --------
    >>> apart(["94.3/99", "100:Bacilli", "Firmicutes(80)", "Felis", None])
    ([None, 'Bacilli', 'Firmicutes', 'Felis', None], array([[ 94.3,  99. ],
           [100. ,   nan],
           [ 80. ,   nan],
           [  nan,   nan],
           [  nan,   nan]]))
    >>> apart(["9604", "9596", "207598"])
    """
    places = _candidates(names)
    if not places.size:
        return None
    plain = _plain_numbers(names, places)
    if plain is not None:
        if not sure and _are_names(plain, len(names)):
            return None
        support = np.full((len(names), 1), np.nan)
        support[places, 0] = plain
        return None, support
    bare: list[str | None] = list(names)
    at: list[int] = []
    first: list[float] = []
    more: dict[int, list[float]] = {}
    alone, rated = [], []  # numbers without a name, and names with a number behind
    for i in places.tolist():
        name = names[i] or ""
        found = _taken_apart(name, keys)
        if found is None:
            continue
        bare[i], numbers = found
        at.append(i)
        first.append(numbers[0])
        if len(numbers) > 1:
            more[i] = numbers
        elif bare[i] is None:
            alone.append(i)
        if name.rstrip()[-1] in _LAST:
            rated.append(i)
    support = np.full((len(bare), max(map(len, more.values()), default=1)), np.nan)
    support[at, 0] = first
    for i, numbers in more.items():
        support[i, : len(numbers)] = numbers
    if alone and not sure and _are_names(support[alone, 0], len(bare)):
        support[alone] = np.nan
        for i in alone:
            bare[i] = names[i]
    behind = support[rated, 0]
    if (
        rated
        and not sure
        and not (np.nanmax(behind) >= _LEAST_PERCENT or (np.nanmax(behind) <= 1 and (behind % 1).any()))
    ):
        support[rated] = np.nan  # Coxsackievirus(16): a type, no confidence
        for i in rated:
            bare[i] = names[i]
    _keep_different(bare, names, support, rated)
    while support.shape[1] > 1 and np.isnan(support[:, 0]).all():  # only the second of two is given: /99
        support = support[:, 1:]
    return None if np.isnan(support).all() else (bare, support)


def _candidates(names: Sequence[str | None]) -> np.ndarray:
    """Return the places of names that begin or end as names with numbers do."""
    text = "\0".join(["", *[x or "" for x in names], ""]).encode("utf-8", "surrogatepass")
    codes = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(codes == 0)
    if ends.size != len(names) + 1:  # a name has a NUL in it
        return np.array([i for i, x in enumerate(names) if x], np.int64)
    return np.flatnonzero(_BEGINS[codes[ends[:-1] + 1]] | _ENDS[codes[ends[1:] - 1]])


def _plain_numbers(names: Sequence[str | None], places: np.ndarray) -> np.ndarray | None:
    """Return the names as numbers, or None if a name is not a number."""
    texts = [x for x in names if x is not None] if places.size < len(names) else names
    if len(texts) > places.size:
        return None
    try:
        values = np.array(list(map(float, texts)))  # type: ignore[arg-type]
    except ValueError:
        return None
    whole = "".join(texts)  # type: ignore[arg-type]
    return values if whole.isascii() and "_" not in whole and np.isfinite(values).all() else None


def noted_numbers(comment: str, keys: Sequence[str] = SUPPORT_KEYS) -> Iterator[tuple[int, float]]:
    """The numbers in a comment, with the place of their names in `keys`: of ``&posterior=0.98``, or of ``98`` alone.

    Examples
    --------
    >>> list(noted_numbers("&rate=2,prob=0.98")), list(noted_numbers("&&NHX:S=human:B=88")), list(noted_numbers("98"))
    ([(2, 0.98)], [(4, 88.0)], [(7, 98.0)])
    """
    if comment[:5].upper() == "&&NHX":
        found = [tuple(x.partition("=")[::2]) for x in comment.split(":") if "=" in x]
    else:
        several = _LISTED.fullmatch(comment)
        found = _FIELD.findall(comment[1:]) if comment[:1] == "&" else [("", several[1] if several else comment)]
    for key, text in found:
        value = number_in(text.strip('"'))
        if value == value and (key in keys or not key):
            yield keys.index(key) if key else len(keys), value


def number_in(text: str) -> float:
    """Return the number that a label or comment holds, NaN if it holds something else."""
    return float(text) if _is_number(text) else np.nan


def says_open(comment: str) -> bool:
    """Tell whether a comment marks a node as open: ``&incertae_sedis=1``."""
    return _OPEN.match(comment) is not None


def _taken_apart(name: str, keys: Sequence[str]) -> tuple[str | None, list[float]] | None:
    """Return the name and the numbers of a label, None if it has no numbers."""
    if name.startswith("[") and name[-1] == "]" and "=" in name:  # of ASTRAL, which writes annotations as labels
        fields = dict(x.partition("=")[::2] for x in name[1:-1].split(";"))
        found = [float(fields[key]) for key in keys if _is_number(fields.get(key))]
        return (None, found[:1]) if found else None
    part = support_label(name)
    if part.support is None and name.rstrip()[-1:] in _LAST:
        part = rated_name(name)
    return None if part.support is None else (part.name, [float(x or "nan") for x in part.support.split("/")])


def _is_number(text: str | None) -> bool:
    return text is not None and _ALONE.fullmatch(text) is not None


def _are_names(values: np.ndarray, inner: int) -> bool:
    """Tell whether the numbers that are the only names of nodes are ids: above 1,000, or the numbers of all nodes."""
    if (values != np.floor(values)).any():
        return False
    if values.max() > _MOST:
        return True
    low = int(values.min())
    if not (values.size == inner > 2 and low in (0, 1, inner + 1, inner + 2, inner + 3)):
        return False
    return np.array_equal(np.sort(values), np.arange(low, low + inner))


def _keep_different(bare: list[str | None], names: Sequence[str | None], support: np.ndarray, rated: list[int]) -> None:
    """Leave the numbers in names that differ by nothing else: ``Prevotella (1)`` and ``Prevotella (2)``."""
    count = Counter(bare if rated else ())
    whole = {i: bare[i] for i in rated if bare[i] is not None and count[bare[i]] > 1}
    first = {x: names[i] for i, x in whole.items()}
    differ = {x for i, x in whole.items() if names[i] != first[x]}
    for i, x in whole.items():
        if x in differ:
            bare[i] = names[i]
            support[i] = np.nan
