"""Labels that were probably meant where an unknown one was given."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

__all__ = ["SHOWN", "near_names", "twins_of"]

#: How many offenders a message spells out; the exception's attributes carry all of them.
SHOWN = 20
_DIGITS = re.compile(r"\d")
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def twins_of(labels: Sequence[Hashable], known: Sequence[Hashable]) -> dict[Any, list]:
    """For numbers whose digits are known as text, that text; for texts that are known as numbers, the number."""
    wanted: dict[Any, Any] = {}
    for x in labels:
        if isinstance(x, int) and not isinstance(x, bool):
            wanted[str(x)] = x
        elif isinstance(x, str) and _NUMBER.fullmatch(x):
            wanted[int(x)] = x
    if isinstance(known, range):
        return {x: [twin] for twin, x in wanted.items() if isinstance(twin, int) and twin in known}
    kinds = {type(x) for x in wanted}
    return {wanted[x]: [x] for x in known if type(x) in kinds and x in wanted} if wanted else {}


def near_names(labels: Iterable[Hashable], known: Sequence[Hashable], most_known: int = 200_000) -> dict[Any, list]:
    """Nearest known strings for the unknown ones that a message will show; none when that would take long."""
    from difflib import get_close_matches

    if len(known) > most_known or isinstance(known, range):
        return {}
    # difflib compares at about 50,000 short names a second: for large indexes, only names that start alike
    names = [x for x in known if isinstance(x, str)]
    found = {}
    for label in list(labels)[:SHOWN]:
        if isinstance(label, str) and names:
            pool = names if len(names) <= 5_000 else [x for x in names if x[:2].lower() == label[:2].lower()][:5_000]
            # of ids every one is near every other: what differs in digits only is another thing, not a slip
            letters = _DIGITS.sub("", label)
            pool = [x for x in pool if _DIGITS.sub("", x) != letters]
            near = get_close_matches(label, pool, n=2, cutoff=0.7)
            if near:
                found[label] = near
    return found
