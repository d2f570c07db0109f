"""Which columns of a table make a tree, where its header is not one that readers know: by data and by sure names.

`is_header` tells whether a first row names columns. `outlines` gives the ways in which columns may be read, the best
first. One that is sure is read by `tripletree.io.lineages`. Readers ask about the others (`tripletree.io.ways`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tripletree.core.labels import is_gap
from tripletree.io.ways import call
from tripletree.tables.cells import is_number, with_point
from tripletree.tables.columns import (
    DATE,
    MEASURE,
    NODE_NAME,
    PATH,
    RANK,
    SHAPE,
    is_called_id,
    option_pairs,
    plain,
    words_of,
)

#: How many columns and rows are looked at.
_MOST, ROWS = 16, 2_000
#: How many rows a table has at least whose columns under unknown names are nested by more than chance.
_FEW = 4
DELIMITERS = "\t,;|"
_BEFORE = (
    r"(?:(?:sub|unter|haupt|ober|sous|super|main|parent|top|sotto|product|produkt|produit|item|waren|tier|sach)_?)?"
)
#: Names of columns of categories, and of what stands in them.
_CATEGORY = re.compile(
    rf"{_BEFORE}(?:categor(?:y|ies|ia|ía|ie)|catégorie|kategorie|group|gruppe|groupe|grupo|gruppo|klasse|class|classe|clase"
    r"|level|ebene|niveau|nivel|livello|stufe|department|departamento|abteilung|bereich|section|sektion|division"
    r"|sparte|team|unit|einheit|branch|family|familie|famille|familia|famiglia|genus|subject|topic|thema|theme|thème|tema"
    r"|fach|genre|aisle|gang|shelf|regal|rayon|sector|sektor|secteur|industry|branche|segment|collection|sammlung|brand"
    r"|marke|marque|continent|kontinent|continente|region|région|región|regione|country|land|pays|país|pais|paese|state"
    r"|bundesland|province|provinz|provincia|county|kreis|landkreis|district|bezirk|department|canton|kanton|district"
    r"|discipline|disziplin|faculty|fakultät|institute|institut|school|schule|phylum|order|ordnung|chapter|kapitel|chapitre"
    r"|block|blok|domain|domäne|type|typ|tipo|kind|art|system|organ|language_family|sprachfamilie|zweig|field|feld"
    r"|area|gebiet|ámbito|oberbegriff|unterbegriff)_?(?:name|code|id|label|bezeichnung|\d+|[ivx]+)?"
    r"|(?:l|lvl|cat|tier|ebene|niveau|nivel)_?\d+"
)
_ITEM = re.compile(
    rf"{_BEFORE}(?:product|produkt|produit|producto|prodotto|article|artikel|artículo|articulo|articolo|item|name|nom|nombre"
    r"|nome|title|titel|titre|título|bezeichnung|description|beschreibung|libellé|sku|tier|tierart|animal|animale|species|art"
    r"|espèce|especie|specie|city|stadt|ville|ciudad|città|gemeinde|municipality|commune|comune|ort|place|language|sprache"
    r"|langue|idioma|lingua|mitarbeiter|employee|person|member|leaf|word|wort|mot|palabra|parola|term|begriff|book|buch"
    r"|livre|libro|disease|krankheit|maladie|enfermedad|diagnose|diagnosis|code|gene|protein|object|objekt|song|film"
    r"|sample|probe|muestra|échantillon|echantillon|campione|file|datei|photo|foto|picture|image|bild|student|schüler|elev"
    r"|paper|article|track|game|spiel|recipe|rezept|country_name|individual|individuum|individuo)"
    r"_?(?:name|code|id|label|bezeichnung|\d+)?|(?:[^\W\d_]+_)?(?:name|namen|nom|nombre)"
)
_SIGNS = (" > ", ">", ";", "|", "/")


class Outline(NamedTuple):
    """A way to read a table as a tree.

    Attributes
    ----------
    meant : str
        In words.
    reader : str
        The function that reads it so.
    options : dict
        Its arguments.
    sure : bool
        Whether names and data leave no other way.
    """

    meant: str
    reader: str
    options: dict[str, Any]
    sure: bool


def cells_of(lines: Sequence[str]) -> list[list[str]]:
    """Return lines cut into cells at the delimiter that gives each as many."""
    for delimiter in DELIMITERS:
        rows = [[cell.strip() for cell in next(csv.reader([y], delimiter=delimiter), [])] for y in lines]
        width = len(rows[0]) if rows else 0
        if width > 1 and all(len(row) == width for row in rows):
            return rows
    return [[y.strip()] for y in lines]


def is_column_name(text: str) -> bool:
    """True if a text is known to name columns: of categories, items, ids, ranks or paths."""
    words = words_of(text)
    if not words:
        return False
    known = _CATEGORY.fullmatch(words) or _ITEM.fullmatch(words) or MEASURE.fullmatch(words)
    return known is not None or is_called_id(text) or any(plain(text) in x.names for x in (PATH, RANK, NODE_NAME))


def is_header(first: Sequence[str], columns: Sequence[Sequence[str]]) -> bool | None:
    """True if a first row names the columns below it, False if it is a row like the others, None if it may name them.

    Names occur nowhere below. They are known ones, or stand above numbers, dates or paths.
    """
    names = [x.strip() for x in first]
    below = {x for column in columns for x in column}
    if len(set(names)) < len(names) or any(x in below or is_number(with_point(x)) or "__" in x for x in names if x):
        return False
    known = sum(map(is_column_name, names))
    if known > 1 and 2 * known >= len(names):
        return True
    for name, column in zip(names, columns, strict=False):  # no columns without rows
        cells = [x for x in column if not is_gap(x)]
        if len(cells) < 2 or not name:
            continue
        if re.search(r"\d", name) and all(SHAPE.sub("\0", x) == SHAPE.sub("\0", name) for x in cells):
            return False
        if all(is_number(with_point(x)) or DATE.fullmatch(x) for x in cells) or _sign_of(name, cells):
            return True
    return None


def _sign_of(name: str, cells: Sequence[str]) -> str | None:
    """The separator that all cells of a column of paths have in them, and its name has not."""
    known = [x for x in cells if not is_gap(x)]
    for sign in _SIGNS if len(known) > 1 else ():
        if sign in name or not all(sign in x.strip(sign + " ") for x in known) or any("://" in x for x in known):
            continue
        if sign == "/" and any(re.search(r"\d\s*/\s*\d", x) for x in known):
            continue
        tops = {x.split(sign)[0].strip() for x in known}
        if len(tops) < len(known):
            return sign
    return None


#: A column of one of several levels, by its number.
_LEVEL = re.compile(r"(?:l|lvl|level|ebene|stufe|niveau|nivel|livello|tier|cat|category|kategorie|catégorie)[ _]?(\d+)")


def outlines(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[Outline]:
    """The ways to read a table with given names of columns as a tree, the best first, which may be sure."""
    if len(names) > _MOST or not columns or len(columns[0]) < 2 or len(set(names)) < len(names):
        return []
    if any(not all(map(is_category, x)) for x in option_pairs(names)):
        return []  # word1 and word2: pairs, and questions
    n = len(columns[0])
    cells = [["" if is_gap(x) else x.strip() for x in column[:ROWS]] for column in columns]
    values = [set(column) - {""} for column in cells]
    unique = [k for k, x in enumerate(values) if len(x) == len(cells[k])]
    numbers = [all(is_number(with_point(x)) or DATE.fullmatch(x) for x in y) for y in values]
    items = [k for k in unique if names[k] and (not numbers[k] or is_called_id(names[k]))]
    items.sort(key=lambda k: (not is_item(names[k]), k))
    item = next(iter(items), None)
    paths = [k for k in range(len(names)) if _sign_of(names[k], cells[k])]
    if paths:
        k = max(paths, key=lambda k: (is_category(names[k]), -k))
        others = [x for x in items if x not in paths]
        options = {"columns": [names[k]], "id_column": names[others[0]] if others else None}
        meant = f"the paths are in {names[k]!r}" + (f", the items in {names[others[0]]!r}" if others else "")
        sure = len(paths) == 1 and (is_category(names[k]) or _sign_of(names[k], cells[k]) == " > ")
        return [Outline(meant, "read_lineages", options, sure and len(others) < 3)]
    levels = _levels(names, cells)
    if levels:
        whole = [names[k] for k in levels]
        known = next((names[k] for k in items if k not in levels and is_called_id(names[k])), None)
        meant = " above ".join(map(repr, whole)) + ("" if known is None else f", the items in {known!r}")
        return [Outline(meant, "read_lineages", {"columns": whole, "id_column": known}, True)]
    ways = [x for x in (_upwards(names, cells, values, k) for k in unique) if x is not None][:2]
    able = [k for k, x in enumerate(values) if x and not numbers[k] and MEASURE.fullmatch(words_of(names[k])) is None]
    groups = [k for k in able if k not in unique]
    named = [k for k in groups if is_category(names[k])]
    is_down = not ways
    for chosen, sure in ((named, is_down), (groups if (n >= _FEW or named) and is_down else [], False)):
        order = _nested(chosen, names, cells, values)
        if not order or (item is None and len(order) < 2):
            continue
        item_is_known = item is None or is_item(names[item]) or is_category(names[item]) or len(names) == 2
        whole = [names[k] for k in order] + ([] if item is None else [names[item]])
        meant = f"{' above '.join(map(repr, whole))}"
        sure = sure and item_is_known and len(items) < 2 + (item is not None and is_item(names[item]))
        ways += [x for x in [Outline(meant, "read_lineages", {"columns": whole}, sure)] if x not in ways]
        if sure:
            break
    return ways


def _levels(names: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    """The columns of numbered levels (L1, L2, ...), of which some end early: no cell is empty before a name."""
    found = [(int(x[1]), k) for k, name in enumerate(names) if (x := _LEVEL.fullmatch(words_of(name)))]
    order = [k for _, k in sorted(found)]
    rows = list(zip(*(cells[k] for k in order), strict=True))
    full = all(row[0] and "" not in row[: sum(map(bool, row))] for row in rows)
    ends_early = any("" in row for row in rows)
    return order if len(order) > 2 and full and ends_early and len({row[0] for row in rows}) < len(rows) else []


def is_category(name: str) -> bool:
    """True if a column is called like one of categories, or of paths of them."""
    return _CATEGORY.fullmatch(words_of(name)) is not None or plain(name) in PATH.names or "path" in words_of(name)


def is_item(name: str) -> bool:
    """True if a column is called like one of items, or of their ids."""
    return is_called_id(name) or _ITEM.fullmatch(words_of(name)) is not None


def _upwards(
    names: Sequence[str], cells: Sequence[Sequence[str]], values: Sequence[set[str]], child: int
) -> Outline | None:
    """The reading as edges in which a column holds children that stand as parents in another."""
    for k, x in enumerate(values):
        shared = x & values[child]
        same = any(c == p for c, p in zip(cells[child], cells[k], strict=True))
        series = SHAPE.sub("", names[k]) == SHAPE.sub("", names[child])  # word1 and word2
        if k != child and shared and 2 * len(shared) >= len(x) and not (same or series):
            options = {"child_column": names[child], "parent_column": names[k]}
            return Outline(f"{names[child]!r} below {names[k]!r}", "read_edges", options, False)
    return None


def _nested(
    chosen: Sequence[int], names: Sequence[str], cells: Sequence[Sequence[str]], values: Sequence[set[str]]
) -> list[int]:
    """Columns from the top down, of which each value of one stands with one of the next above. [] if they are not."""
    counts = [len(values[k]) for k in chosen]
    sign = -1 if counts == sorted(counts, reverse=True) and counts != sorted(counts) else 1
    order = sorted(chosen, key=lambda k: (len(values[k]), sign * k))
    found: list[int] = []
    for k in order:
        same = found and len(values[k]) == len(values[found[-1]])
        if not (same and words_of(names[k]).startswith(words_of(names[found[-1]]))):
            found.append(k)
    for above, below in pairwise(found):
        pairs = {(x, y) for x, y in zip(cells[below], cells[above], strict=True) if x}
        if len(pairs) > len({x for x, _ in pairs}):
            return []
    return found


def ways_of(
    path: str | None, rows: Sequence[Sequence[str]], *, bare: tuple[str, str] | None = None
) -> list[tuple[str, str]]:
    """The readings of a table whose first row may be a header, in words, each with its call. `bare` is without one."""
    first, columns = rows[0], list(zip(*rows[1:], strict=True))
    header = is_header(first, columns)
    ways: list[tuple[str, str]] = []
    if header is not False:
        named = "the first row names columns, " if bare is not None else ""
        ways = [(f"if {named}{x.meant}", call(x.reader, path, **x.options)) for x in outlines(first, columns)]
    if header is not True and bare is not None:
        ways.append(bare)
    return ways


def of_pairs(path: str | None, rows: Sequence[Sequence[str]]) -> tuple[str, str]:
    """The reading of rows of two cells as a child and its parent without a header, by which of them repeat."""
    below, above = zip(*rows, strict=True)
    if len(set(below)) < len(below) and len(set(above)) == len(above):
        return "if they are a parent and its child", call("read_edges", path, child_column=1, header=False)
    return "if they are a child and its parent", call("read_edges", path, header=False)
