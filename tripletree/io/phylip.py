"""Distances in PHYLIP's form: the number of items, then a line for each, with its name and its distances."""

from __future__ import annotations

from tripletree.tables.cells import is_number
from tripletree.tables.rows import RowTable


def phylip_table(text: str, path: str | None) -> RowTable | None:
    """The table of a distance matrix, square or a lower triangle with or without its diagonal. None of other texts.

    Cells above a triangle are None. Names may have blanks in them: the numbers of a line are counted from its end.
    """
    head, _, rest = text.lstrip().partition("\n")
    if not head.strip().isdecimal() or not head.isascii():
        return None
    start = len(text[: len(text) - len(rest)].splitlines())
    rows = [(k, x) for k, x in enumerate(rest.splitlines(), start + 1) if x.strip()]
    n = len(rows)
    if n < 2 or int(head) != n:
        return None
    for first in (n, 1, 0):  # how many numbers the first line has
        names, cells = [], []
        for k, (_, line) in enumerate(rows):
            width = n if first == n else k + first
            parts = line.rsplit(None, width)
            numbers = parts[1:]
            if len(numbers) != width or not all(map(is_number, numbers)):
                break
            if first == 1 and float(numbers[-1]) != 0:  # no diagonal: names that end with a number
                break
            names.append(parts[0].strip())
            own = ["0"] if first == 0 else []
            cells.append([*numbers, *own, *[None] * (n - width - len(own))])
        if len(cells) == n:
            return RowTable(path, ["", *names], [names, *map(list, zip(*cells, strict=True))], [k for k, _ in rows])
    return None
