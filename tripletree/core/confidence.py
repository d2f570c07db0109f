"""Confidence that programs write into names: ``95``, ``94.3/99``, ``100.0:g__Bacillus``, ``Firmicutes(100)``.

Such a number is the support of a clade or of an assignment, and no part of its name. Rerooting, readers of support and
readers of lineages take names apart here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
#: One number, or several of one branch, as IQ-TREE has them.
_SUPPORT = re.compile(rf"\s*({_NUMBER}(?:/{_NUMBER})*)\s*", re.ASCII)
_BEFORE = re.compile(rf"\s*({_NUMBER}(?:/{_NUMBER})*)\s*:\s*(\S.*)", re.ASCII | re.DOTALL)
_AFTER = re.compile(
    r"(.*\S)\s*(?:\(\s*(\d+\.?\d*|\.\d+)\s*%?\s*\)|\[\s*(\d+\.?\d*|\.\d+)\s*%\s*\])\s*", re.ASCII | re.DOTALL
)


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

    A number above 100 is no confidence, and a year in brackets is none.

    Examples
    --------
    >>> rated_name("Firmicutes(100)"), rated_name("Bacilli [98.2%]").support, rated_name("Felis (1758)").support
    (Confidence(name='Firmicutes', support='100'), '98.2', None)
    """
    found = _AFTER.fullmatch(name)
    if found is None or float(found[2] or found[3]) > 100:
        return Confidence(name, None)
    return Confidence(found[1], found[2] or found[3])


def support_numbers(support: str) -> list[float]:
    """Return the numbers of a support label, several for ``94.3/99``."""
    return [float(x) for x in support.split("/")]
