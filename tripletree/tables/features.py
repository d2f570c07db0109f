"""What the columns of a table of features are: ids, classes, dates, texts, or measures.

The shell tells what it takes for features (`tripletree.cli.tables`), and finds the classes in a file of several columns
(`tripletree.cli.sources`). The estimators warn of data frames (`tripletree.cluster.base`). They all ask here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from tripletree.core.labels import is_gap
from tripletree.tables.cells import cell_of, cell_text, is_number, numbers_in_unit, with_point
from tripletree.tables.columns import CLASS_NAMES, DATE, MEASURE, WHEN, is_called_id, plain, words_of

Kind = Literal["id", "class", "date", "place", "text", "constant", "measure"]

_WHOLE = re.compile(r"[-+]?\d+", re.ASCII)
_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])", re.ASCII)
#: Names of columns of whole numbers that are codes of classes.
_CLASSES = CLASS_NAMES | {
    *("label", "labels", "klasse", "gruppe", "classe", "groupe", "clase", "grupo", "kind", "type", "typ", "species"),
    *("classlabel", "truelabel", "groundtruth", "truth", "ytrue", "labelstrue", "targetclass", "clusterlabel"),
}
#: What is counted as well as numbered, and names of other numbers: no ids, unless they all differ.
_COUNTED = re.compile(
    r"index|idx|key|rows|samples|labels?|names|gene|symbol|"
    r"(?:leaf|tree|plant|species|strain|cell|node|ring|nest|row|item|product|order|article|animal|image|img|file|doc|"
    r"document|record|entry|song|movie|film|book|shop|store|account|transaction|device|bill|ticket|case|people|person|"
    r"user|client|customer|member|employee|student|gene|protein|transcript|site|plot|probe|object)_?(?:num|number)"
)
#: What else is numbered, and never measured.
_NUMBERED = re.compile(
    r"(?:.*_)?(?:code|codes|codice|codigo|código|batch|lot|plate|block|replicate|cage|tank|litter|household|device|sensor)"
    r"|(?:.*_)?(?:tele?fon(?:nummer)?|telefono|teléfono|téléphone|phone|handy|fax|fips|insee|ags|gkz)"
    r"|animal|mouse|rat|(?:.*_)?(?:ean|isbn|gtin|upc)_?\d*|(?:id|ids)_(?!counts?|n$|num)[^\W\d]\w+|(?!yes_no$).+_no|.+#"
    r"|(?:pat|fam|hh|sub|subj|case|stud|emp|cust|dev|sess|pers|samp|obs|exp|proj|seq|clust|loc|plot|tree|anim)_?id"
    r"|(?:identifi|identific)(?:ant|er|kation|ador|ativo|cation)(?:_.*)?"
    r"|(?:num|numero|número|numéro|n°|nº|№|no|nr)(?:_d[eu])?_(?:client|commande|dossier|patient|échantillon|echantillon|cliente"
    r"|pedido|paciente|muestra|facture|factura|campione|ordine)|(?:band|ring|batch|lot|plate|litter|tag|cage|block)_number"
)
#: How many digits numbers have at least that may be ids by their look, and how close they are then.
_LONG, _CLOSE = 6, 0.05
#: How many digits numbers have that are hardly counts, in a column such as order_number.
_NO_COUNT = 4
#: Names of what a classifier predicts, and of the other half of a place.
_TARGETS, _PLACES = frozenset({"y", "Y"}), frozenset({"x", "X"})
#: Names of times that are numbers.
_TIMES = frozenset({"year", "month", "day", "week", "hour", "jahr", "monat", "année", "annee", "año", "anno", "mois"})
#: Names of columns of numbers that may be features or not, which is told where a table is read from a file.
_ASIDES: tuple[tuple[Kind, str, re.Pattern[str]], ...] = (
    (
        "date",
        "called a time",
        re.compile(
            r"(?:.*_)?(?:years?|months?|weeks?|weekday|hours?|jahr|monat|woche|wochentag|année|annee|semaine|mois|año|anno|mes"
            r"|ano|minute|quarter|quartal|trimestre|decade|epoch|unix_?time|geburtsjahr|baujahr)(?:_.*)?"
        ),
    ),
    (
        "place",
        "called a place",
        re.compile(
            r"(?:.*_)?(?:lat|lon|lng|latitude|longitude|breitengrad|längengrad|laengengrad|breite_?grad|easting|northing"
            r"|utm_?[xyen]|coord_?[xyz]|[xyz]_?coord(?:inate)?|geo_?[xy]|hochwert|rechtswert)(?:_.*)?"
        ),
    ),
    (
        "class",
        "called a class",
        re.compile(
            r"klass|fold|split|sex|sexe|sexo|gender|geschlecht|country|region|treatment|behandlung|arm|condition|status"
            r"|category|kategorie|catégorie|categoría|(?:.*_)?(?:class|klasse|group|gruppe|cluster|label|type|typ)"
        ),
    ),
)
#: Classes that a column without a name for classes may have, beside its samples.
_FEW = 10
#: Names of what is measured in equal steps.
_STEPS = frozenset(
    {
        *("t", "x", "y", "z", "dose", "dosis", "depth", "tiefe", "position", "pos", "age", "alter", "step", "epoch"),
        *("cycle", "distance", "length", "size", "level", "stage", "rank", "score", "concentration", "temperature"),
        *("tag", "jour", "dia", "día", "giorno", "feature", "value", "wert"),
    }
)
#: How many rows a table has at least whose first column is told to count them.
_COUNTING = 4
#: Names of columns that may count the rows wherever they stand.
_COUNTERS = re.compile(
    r"obs(?:ervation)?s?|counter|count|zähler|(?:.*_)?row|lfd.*|seq(?:uence)?|run|trial|line|zeile|ligne|fila"
)
#: Names of rows that sum up the others, and of how many of the last rows.
_SUMS = re.compile(
    r"(?:grand[\s_-]?|sub[\s_-]?)?totals?|sum|sums|mean|means|average|averages|avg|overall|std|stddev|std\.?\s?dev\.?"
    r"|summe|gesamt|gesamtsumme|insgesamt|mittelwert|durchschnitt|somme|moyenne|suma|promedio|totale"
    r"|[Σ∑]"
)
LAST_ROWS = 6
#: Names of rows of other figures of the rows above, which count only if they are these figures.
_FIGURES = re.compile(
    rf"{_SUMS.pattern}|sd|s\.d\.|se|sem|stdev|std\.?abw\.?|min|max|minimum|maximum|median|mediana|médiane|n|count"
)
#: Numbers with marks between thousands, and those that are nothing else: with two such marks, a point behind commas.
_THOUSANDS = re.compile(
    r"[-+]?\d{1,3}(?:(?:,\d{3})*(?:\.\d+)?|(?:\.\d{3}){2,}|(?:['’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?)"
)
_SURELY = re.compile(
    r"[-+]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,}|(?:\.\d{3}){2,}|(?:['’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?)"
)
_MARKED = re.compile(r"[-+]?\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d+)?")
#: The same where decimals stand behind commas.
_POINTED = re.compile(r"[-+]?\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_THREE = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")
#: A unit before numbers.
_MONEY = re.compile(r"(?:[$€£¥₹]|(?:USD|EUR|CHF|GBP) ?) ?(?=\d)")
_TRUTH = {"true": "1", "false": "0"}
_UNITS = frozenset(
    {"", "unit", "units", "einheit", "einheiten", "unité", "unités", "unidad", "unidades", "unità", "[unit]"}
)


@dataclass(frozen=True)
class Doubtful:
    """A column of numbers that is taken for a feature, and is hardly one.

    Attributes
    ----------
    name : str
    kind : {"id", "class", "date"}
    why : str
        What tells so, for messages: "called an id".
    """

    name: str
    kind: Kind
    why: str


def kind_of(name: str, cells: Sequence[str]) -> Kind:
    """What a column is by its name and its cells, gaps aside."""
    known = [x for x in cells if not is_gap(x)]
    different = len(set(known))
    if different < 2:
        return "constant"
    if all(map(DATE.fullmatch, known)) or plain(name) in _TIMES or WHEN.among([name]):
        return "date"
    if all(map(is_number, known)):
        found = _no_measure(name, known)
        return "measure" if found is None else found.kind
    return "id" if is_called_id(name) and plain(name) not in _CLASSES else "text"


def doubtful_columns(columns: Mapping[str, Sequence[str]]) -> list[Doubtful]:
    """The columns of numbers that are taken for features, and are called or look like ids, classes or dates."""
    found = [x for name, cells in columns.items() if (x := _no_measure(name, cells)) is not None]
    taken = {x.name for x in found}
    found[:0] = [
        Doubtful(x, "id", "which counts the rows")
        for k, x in enumerate(columns)
        if x not in taken and (k == 0 or _COUNTERS.fullmatch(words_of(x))) and _counts_rows(x, columns[x])
    ]
    target = next((x for x in columns if x in _TARGETS), None)
    if target is not None and not _PLACES.intersection(columns):
        codes = set(columns[target])
        if len(codes) <= min(_FEW, len(columns[target]) // 2) and all(map(_WHOLE.fullmatch, codes)):
            found.append(Doubtful(target, "class", "called a class"))
    return found


def told_columns(columns: Mapping[str, Sequence[str]]) -> list[Doubtful]:
    """`doubtful_columns`, and numbers that may be features: times, places, codes, marks of classes, all the same."""
    found = doubtful_columns(columns)
    taken = {x.name for x in found}
    marks = [x for x, cells in columns.items() if x not in taken and set(cells) == {"0", "1"}]
    if len(marks) > 2 and all(x.count("1") == 1 for x in zip(*(columns[y] for y in marks), strict=True)):
        found += [Doubtful(x, "place", "of which each row has one") for x in marks]
        taken.update(marks)
    for name, cells in columns.items():
        known = {x for x in cells if not is_gap(x)}
        if name in taken or not all(map(is_number, known)):
            continue
        if len(known) < 2 < len(cells):
            found.append(Doubtful(name, "constant", "the same in all rows"))
            continue
        aside = next(((kind, why) for kind, why, names in _ASIDES if names.fullmatch(words_of(name))), None)
        codes = all(map(_WHOLE.fullmatch, known)) and len(known) < len(cells)
        if aside is not None and (aside[0] != "class" or codes):
            found.append(Doubtful(name, *aside))
    return found


def doubtful_of_frame(frame: Any, names: Sequence[Any]) -> list[Doubtful]:
    """`doubtful_columns` of a data frame, or of a table of Arrow, whose columns have these names."""
    columns = {}
    for name in names:
        column = frame[name]
        kind = str(getattr(column, "dtype", getattr(column, "type", ""))).lower()
        if isinstance(name, str) and kind.startswith(("int", "uint", "float", "double")):
            first = cell_text(_number_of(next(iter(column), None))) or ""
            may_count = name == names[0] and "float" not in kind and first in ("0", "1")
            may_be_none = _may_be_none(name, first) or (not first and _may_be_none(name, "0"))
            if may_count or name in _TARGETS or may_be_none:
                columns[name] = [cell_text(_number_of(x)) or "" for x in column]
            elif name in _PLACES:
                columns[name] = []
    return doubtful_columns(columns)


def _counts_rows(name: str, cells: Sequence[str]) -> bool:
    """True for the first column of a table if it counts the rows, and is not called like what has equal steps."""
    if len(cells) < _COUNTING or cells[0] not in ("0", "1") or WHEN.among([name]):
        return False
    words = words_of(name)
    if plain(name) in _TIMES | _STEPS or MEASURE.fullmatch(words) is not None:
        return False
    return list(cells) == [str(k) for k in range(int(cells[0]), int(cells[0]) + len(cells))]


def _number_of(cell: Any) -> Any:
    return cell_of(cell.as_py() if hasattr(cell, "as_py") else cell)


def _is_numbered(name: str, first: str) -> bool:
    """True if whole numbers in a column of this name tell things apart, even if they repeat, by the first of them."""
    words = words_of(name)
    if _NUMBERED.fullmatch(words) is not None:
        return True
    counted = _COUNTED.fullmatch(words) is not None and not (words.endswith("_number") and len(first) >= _NO_COUNT)
    return is_called_id(name) and not counted


def _may_be_none(name: str, first: str) -> bool:
    """True if a column of whole numbers may be no measure, by its name and the first of its cells."""
    if _WHOLE.fullmatch(first) is None:
        return False
    return len(first) >= _LONG or plain(name) in _CLASSES or _is_numbered(name, first)


def _no_measure(name: str, cells: Sequence[str]) -> Doubtful | None:
    """What a column of numbers is, None for a measure. Most columns are passed over by their first cell."""
    first = next((x for x in cells if not is_gap(x)), "")
    if not _may_be_none(name, first):
        return None
    is_class, is_id = plain(name) in _CLASSES, _is_numbered(name, first)
    if not (is_class or is_id or len(first) >= _LONG):
        return None
    known = [x for x in cells if not is_gap(x)]
    codes = set(known)
    if not all(map(_WHOLE.fullmatch, codes)) or len(codes) < 2:
        return None
    if is_class:
        return Doubtful(name, "class", "called a class") if len(codes) < len(known) else None
    if is_id:
        flag = codes <= {"0", "1"} and not re.search(r"(?i)(?:id|nr|no|code|key)$", name)
        return None if flag else Doubtful(name, "id", "called an id")
    if all(map(_DAY.fullmatch, codes)):
        return Doubtful(name, "date", "which holds dates")
    least, most = min(map(int, codes)), max(map(int, codes))
    if {*map(len, codes)} == {len(first)} and 0 < most - least < _CLOSE * least:
        return Doubtful(name, "id", f"whole numbers of {len(first)} digits, as ids are")
    return None


class Written(NamedTuple):
    """A column of numbers that are written otherwise.

    Attributes
    ----------
    numbers : list of str
        As Python writes them. Gaps are as they were.
    how : str
        How they are written, in words.
    """

    numbers: list[str]
    how: str


def as_numbers(
    cells: Sequence[str], decimal: str = ".", *, truth: bool = True, thousands: bool = False
) -> Written | None:
    """The numbers of a column with a unit, with marks between thousands, or of true and false. None if it has none.

    A mark between thousands has to be sure: ``1,234`` alone may be a number with a decimal comma, unless commas are
    known to part `thousands`. With `truth`, true and false are 1 and 0.
    """
    bare, unit = _without_unit(cells)
    found = _without_marks(bare, decimal, truth and unit is None, thousands)
    if unit is None or found is None:
        return found if unit is None else Written(list(bare), unit)
    return Written(found.numbers, f"{unit}, {found.how}")


def _without_unit(cells: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """The numbers of a column without the unit before or behind all of them, and that in words."""
    wrong = next((x for x in cells if not is_number(x) and not is_gap(x)), None)
    money = wrong and _MONEY.match(wrong)
    if money and all(is_gap(x) or x.startswith(money[0]) or is_number(x) for x in cells):
        bare = [x.removeprefix(money[0]) for x in cells]
        if all(is_gap(x) or is_number(with_point(x)) or _MARKED.fullmatch(x) for x in bare):
            return bare, f"a unit ({money[0].strip()})"
    units = numbers_in_unit(cells)
    return (cells, None) if units is None else (units.numbers, f"a unit ({units.unit})")


def _without_marks(cells: Sequence[str], decimal: str, truth: bool, thousands: bool) -> Written | None:
    """`as_numbers` of cells without a unit."""
    if decimal == "," and any(map(_POINTED.fullmatch, cells)):
        if all(is_gap(x) or _POINTED.fullmatch(x) or "." not in x for x in cells):
            return Written([x if is_gap(x) else x.replace(".", "") for x in cells], "points between thousands")
        return None
    if all(is_number(x) or is_gap(x) for x in cells):
        return None
    known = [x for x in cells if not is_gap(x)]
    if truth and {x.lower() for x in known} == set(_TRUTH):
        return Written([_TRUTH.get(x.lower(), x) for x in cells], "true and false as 1 and 0")
    if any("," in x and _POINTED.fullmatch(x) for x in known):
        if all(_POINTED.fullmatch(x) or ("." not in x and is_number(with_point(x))) for x in known):
            return Written(
                [x if is_gap(x) else with_point(x.replace(".", "")) for x in cells], "points between thousands"
            )
        return None
    sure = [x for x in known if _SURELY.fullmatch(x) or (thousands and "," in x)]
    if sure and all(map(_THOUSANDS.fullmatch, known)):
        mark = next(x for x in "'’\u00a0\u202f ,." if any(x in y for y in sure))
        if mark == "." and any("," in x or not _SURELY.fullmatch(x) and "." in x for x in known):
            return None
        rest = [x if is_gap(x) else x.replace(mark, "") for x in cells]
        return Written(rest if mark in ",." else list(map(with_point, rest)), f"{mark!r} between thousands")
    return None


def may_part_thousands(cells: Sequence[str], mark: str = ".") -> bool:
    """True if all numbers of a column have a mark and three digits behind it, as if it stood between thousands.

    Behind commas, whole numbers below a thousand may be among them.
    """
    known = [x for x in cells if not is_gap(x)]
    short = mark == "," and any(mark in x for x in known)
    return len(set(known)) > 1 and all(
        _THREE.fullmatch(x.replace(mark, ".")) or (short and x.isdecimal() and len(x) < 4) for x in known
    )


def is_row_of_units(label: str, cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """True if the first row of a table holds the units of the columns: words above numbers, and no label."""
    if label.strip().lower() not in _UNITS or len(columns) < 1 or not any(cells):
        return False
    able = [
        k for k, x in enumerate(columns) if len(x) > 2 and all(is_number(with_point(y)) or is_gap(y) for y in x[1:])
    ]
    return bool(able) and all(k in able for k, x in enumerate(cells) if x) and not any(map(is_number, cells))


def figures_among(labels: Sequence[str], columns: Sequence[Sequence[str]]) -> dict[int, str]:
    """The last rows that are called sum, mean or the like and are that of the rows above: the name by place."""
    n = len(labels)
    rows = [k for k in range(max(0, n - LAST_ROWS), n) if _FIGURES.fullmatch(labels[k].strip(" :").lower())]
    if not rows or rows != list(range(rows[0], n)) or rows[0] < 2:
        return {}
    kept = {k: [float(y) for y in x[: rows[0]] if is_number(y)] for k, x in enumerate(columns)}
    found = {}
    for row in rows:
        figures: set[str] | None = None
        for k, known in kept.items():
            cell = columns[k][row]
            if is_number(cell) and len(known) > 1:
                slack = 0.51 * 10.0 ** -len(cell.partition(".")[2])
                fit = {x for x, value in _figures(known).items() if abs(value - float(cell)) <= slack}
                figures = fit if figures is None else figures & fit
        if not figures:
            return {}
        found[row] = min(figures)
    return found


def _figures(values: Sequence[float]) -> dict[str, float]:
    """Figures that tables have below their rows."""
    x = np.array(values)
    sd = float(np.std(x, ddof=1))
    figures = {"the mean": float(x.mean()), "the sum": float(x.sum()), "the standard deviation": sd}
    figures |= {"the standard deviation (n)": float(np.std(x)), "the standard error": sd / len(values) ** 0.5}
    figures |= {"the median": float(np.median(x)), "the least": float(x.min()), "the most": float(x.max())}
    return figures | {"the number of rows": float(len(values))}


def sums_among(labels: Sequence[Any]) -> list[int]:
    """The places of rows at the end that are called as if they summed up others: Total, mean, and SD behind."""
    n = len(labels)
    names = {k: str(labels[k]).strip(" :").lower() for k in range(max(0, n - LAST_ROWS), n)}
    first = next((k for k, x in names.items() if n > 2 and _SUMS.fullmatch(x)), n)
    return [k for k, x in names.items() if k >= first and _FIGURES.fullmatch(x)]


def classes_among(names: Sequence[str], columns: Sequence[Sequence[str]], able: Iterable[int]) -> list[int]:
    """The columns that may hold classes: of words or whole numbers that repeat, and no ids or dates."""
    kinds = {k: kind_of(names[k], columns[k]) for k in able}
    fit = [k for k, kind in kinds.items() if kind in ("class", "text", "measure") and _repeats(columns[k], kind)]
    return [k for k in fit if kinds[k] != "measure" or MEASURE.fullmatch(words_of(names[k])) is None]


def _repeats(cells: Sequence[str], kind: Kind) -> bool:
    """True if some cells are the same, and numbers are whole."""
    known = [x for x in cells if not is_gap(x)]
    return len(set(known)) < len(known) and (kind != "measure" or all(map(_WHOLE.fullmatch, known)))
