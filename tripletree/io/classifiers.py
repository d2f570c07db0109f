"""Taxa that classifiers of sequences assign: lines of RDP (fixrank, allrank), SINTAX and BLCA, as lines of lineages.

RDP writes name, rank and confidence in turn behind the id, SINTAX ``d:Bacteria(1.00),p:Firmicutes(0.98)``, and BLCA
``phylum:Firmicutes;98.0;``. All become ``Bacteria(1.0); Firmicutes(0.98)``, as mothur has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_SINTAX = re.compile(r"[a-z]{1,2}:[^\t,]+\(\d*\.?\d+\)(?:,[a-z]{1,2}:[^\t,]+\(\d*\.?\d+\))*")
_SHARE = re.compile(r"\s*(?:0?\.\d+|[01](?:\.\d*)?)\s*", re.ASCII)
_RANKED = re.compile(r"[a-z][a-z ]*:(.+)", re.DOTALL)
_PERCENT = re.compile(r"\s*\d{1,3}(?:\.\d*)?\s*", re.ASCII)
_RANK = re.compile(r"[a-z][a-z ]*")


def _of_rdp(cells: list[str]) -> str | None:
    """Return the path of a line of RDP. None for another line."""
    steps = cells[2:] if len(cells) % 3 == 2 else cells[1:]
    if len(steps) < 3 or len(steps) % 3:
        return None
    names, ranks, shares = steps[::3], steps[1::3], steps[2::3]
    if not all(map(_RANK.fullmatch, ranks)) or not all(map(_SHARE.fullmatch, shares)):
        return None
    return "; ".join(
        f"{name.strip().strip(chr(34))}({share.strip()})" for name, share in zip(names, shares, strict=True)
    )


def _of_sintax(cells: list[str]) -> str | None:
    """Return the path of a line of SINTAX. None for another line."""
    if len(cells) < 2 or (cells[1] and not _SINTAX.fullmatch(cells[1])):
        return None
    return "; ".join(step.replace(":", "__", 1) for step in cells[1].split(","))


def _of_blca(cells: list[str]) -> str | None:
    """Return the path of a line of BLCA. None for another line."""
    if len(cells) != 2:
        return None
    if cells[1].strip() in ("", "Unclassified"):
        return ""
    steps = cells[1].strip().rstrip(";").split(";")
    named = [_RANKED.fullmatch(x) for x in steps[::2]]
    if len(steps) % 2 or not all(named) or not all(map(_PERCENT.fullmatch, steps[1::2])):
        return None
    return "; ".join(f"{x[1]}({share})" for x, share in zip(named, steps[1::2], strict=True) if x is not None)


def classifier(rows: Sequence[list[str]]) -> Callable[[list[str]], str | None] | None:
    r"""Return the function that makes paths of `rows`, the lines of a classifier. None for other lines.

    Examples
    --------
    >>> row = ["s1", "", "Bacteria", "domain", "1.0", "Bacilli", "class", "0.9"]
    >>> classifier([row])(row)
    'Bacteria(1.0); Bacilli(0.9)'
    >>> row = ["s1", "d:Bacteria(1.00),p:Firmicutes(0.98)", "+", "d:Bacteria"]
    >>> classifier([row])(row)
    'd__Bacteria(1.00); p__Firmicutes(0.98)'
    >>> classifier([["s1", "Bacteria; Firmicutes"]]) is None
    True
    """
    for form in (_of_rdp, _of_sintax, _of_blca):
        paths = [form(row) for row in rows]
        if any(paths) and None not in paths:
            return form
    return None
