"""Data matrices from CSV and TSV: one row a sample, a column of labels, numbers in all others. Nothing guessed.

If a metric can handle gaps or categories, cells may be empty or hold text.
"""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import click
import numpy as np

from tripletree.cli.shell import bad_input, progress, say, some, which_is_meant
from tripletree.cli.sources import SAMPLE, given_name, read_classes, words_of_option
from tripletree.cli.spelling import command_line, option_names
from tripletree.core.checks import counted
from tripletree.core.labels import class_codes, classes_or_none, is_gap
from tripletree.core.leaves import repeated
from tripletree.core.notes import collected
from tripletree.errors import DuplicateLeafError, UnknownLeafError, without_zeros
from tripletree.io.table import read_table as table_columns
from tripletree.tables.cells import cell_text, is_number, with_point
from tripletree.tables.columns import can_be_ids, ids_among, is_name, words_of
from tripletree.tables.features import (
    Written,
    as_numbers,
    figures_among,
    is_row_of_units,
    may_part_thousands,
    sums_among,
    told_columns,
)
from tripletree.tables.rows import RowTable

#: Metrics that take cells that are empty, and cells with text, and how an error names them.
GAPS = {"nan_euclidean": "numbers", "gower": "mixed"}
#: What --metric says of a square table whose rows and columns have the same names.
SQUARES = {"precomputed": "distances", "similarity": "similarities"}
#: Linkages that take distances alone.
ANY_METRIC = ("average", "weighted", "complete", "single")


class GapHint(NamedTuple):
    """Advice about cells that are not numbers, with the options that the distance needs."""

    more: str = ""

    def __call__(self, *, words: bool) -> str:
        numbers = "" if words else f", or, of numbers alone, --metric nan_euclidean --standardize{self.more}"
        return f"; or compare the values known of two samples: --metric gower{self.more}{numbers}"


metric_option = click.option(
    "--metric",
    default="euclidean",
    show_default=True,
    metavar="NAME",
    help="A distance of scipy; nan_euclidean for empty cells, gower for columns of text, too. Of a square table of "
    "DATA itself: precomputed (distances), similarity.",
)
decimal_option = click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    default=".",
    show_default=True,
    help="The mark before the decimals of the numbers in DATA.",
)


missing_option = click.option(
    "--missing-class",
    metavar="WORDS",
    callback=words_of_option,
    help="Words in --classes that mark rows without a class, with commas between.  [default: NA, -1, unknown, ?, ...]",
)

cells_option = click.option(
    "--missing-values",
    "missing_cells",
    metavar="WORDS",
    callback=words_of_option,
    help="Cells of DATA that are gaps, with commas between, such as -99 or n.d.; empty ones and NA are.",
)

_LABEL_OPTIONS = (
    click.option("--index-column", metavar="NAME", help="The column of labels."),
    click.option(
        "--id-digits",
        type=click.IntRange(min=0),
        metavar="N",
        help="Whole numbers as labels of DATA get zeros in front, to N digits; 0: they lose them.",
    ),
    click.option("--transpose", is_flag=True, help="The samples of DATA are its columns, as of genes in rows."),
    click.option("--drop", multiple=True, metavar="NAME", help="Leave this column out; may be repeated."),
)


def label_options(command: Any) -> Any:
    """Give a command the options that say where the labels of DATA and its features are."""
    return reduce(lambda found, option: option(found), reversed(_LABEL_OPTIONS), command)


#: Names of a first column of features, names of columns that are samples, and how many of them ask.
_FEATURES = re.compile(
    r"(?:(?:gene|ensembl|ensembl_gene|entrez|entrez_gene|hgnc|probe|probe_?set|transcript|otu|asv|feature|protein|uniprot|peptide"
    r"|metabolite|compound|cpg|snp|marker|locus|orf|kegg|pathway|variable|taxon|zotu)_?(?:ids?|names?|symbols?|tag)?)"
    r"|genes|symbols?|hugo_symbol|id_ref|rs_?id|mz|m/z|features|proteins|metabolites|variables|mirna|"
)
_SAMPLES = re.compile(
    r"(?:s|sample|patient|pat|subject|donor|ctrl|control|ctl|con|treat(?:ed|ment)?|trt|drug|dmso|wt|ko|mut(?:ant)?|mock|case"
    r"|tumou?r|normal|healthy|disease|rep(?:licate)?|gsm|srr|err|drr|cell|mouse|rat|untreated|infected|tcga|wild_?type)"
    r"(?:[_.-]?\w+|\d+)*"
)
_FEWEST_SAMPLES = 3
#: Names of a first column that are taken for labels even if they are numbers.
LABEL_NAMES = frozenset({"", "id", "index", "label", "name", "sample"})
_AS_CLASS = "if it is a class: --missing-class NA, and cells with NA alone have none"
#: Codes for no value, if they lie far outside the other numbers.
_SENTINELS = frozenset(
    {*(-(10.0**k - 1) for k in range(1, 6)), *(10.0**k - 1 for k in range(3, 6)), -888.0, -99.9, -999.9}
)
#: Marks that may part thousands, the one before decimals then, and their name.
_MARKS = ((".", ",", "points"), (",", ".", "commas"))
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3}){2,}|(?:['’ ]\d{3})+)(?:[.,]\d+)?")
_WITH_POINT = re.compile(r"[-+]?(?=\d|\.\d)[\d,]*\.[\d.,]*(?:[eE][-+]?\d+)?")
#: Advice about columns of text, by the options that a command may have.
_ADVICE = {
    "drop": "leave them out with",
    "index_column": "name the column of the labels with",
    "class_column": "the column of known classes with",
    "text_column": "the column of texts with",
}


@dataclass(frozen=True, eq=False)
class Table:
    """Samples as rows of numbers.

    Attributes
    ----------
    labels : list of str
    values : ndarray, shape (n, d)
        float64, NaN for gaps. If categories were asked for, objects: numbers, text, and None for gaps.
    columns : list of str
        Names of the d columns.
    classes : list of (str or None), or None
        The class of each sample, if a column of classes was asked for.
    texts : list of str, or None
        The text of each sample, if a column of texts was asked for.
    metric : str
        By which estimators compare the rows of `values`. "precomputed" for distances: then `columns` is empty.
    """

    labels: list[str]
    values: np.ndarray
    columns: list[str]
    classes: list[str | None] | None = None
    texts: list[str] | None = None
    metric: str = "euclidean"


def check_metric(metric: str | None, standardize: bool) -> None:
    """Refuse a metric that is unknown, and options that do not go with one."""
    from tripletree.cluster.distances import METRICS, WITH_MISSING

    known = (*METRICS, *WITH_MISSING, *SQUARES)
    if metric is not None and metric not in known:
        msg = f"--metric {metric} is not known; choose one of {', '.join(known)}"
        raise click.UsageError(msg)
    if metric in SQUARES and standardize:
        raise click.UsageError(f"--metric {metric} takes {SQUARES[metric]} as they are: leave out --standardize")
    if metric == "gower" and standardize:
        msg = "--metric gower divides numbers by their range itself: leave out --standardize"
        raise click.UsageError(msg)


@dataclass(frozen=True, eq=False)
class _Square:
    """A table that may hold the distances or the similarities of its rows.

    Attributes
    ----------
    values : ndarray of float64, shape (n, n)
        In the order of the rows. What one half lacks is as in the other one, and 0 is on a diagonal without numbers.
    labels : list of str
    diagonal : bool
        Whether it has numbers.
    whole : bool
        Whether both halves are given.
    """

    values: np.ndarray
    labels: list[str]
    diagonal: bool
    whole: bool

    @property
    def top(self) -> float:
        """The similarity of a sample to itself."""
        most = float(self.values.max())
        return most if self.diagonal else next((x for x in (1.0, 100.0) if most <= x), most)

    def distances(self, metric: str) -> np.ndarray:
        """The distances that it holds, read as `metric` says. Raises a ValueError if it cannot be read so."""
        from tripletree.cluster.distance_matrix import as_distance_matrix

        found = self.top - self.values if metric == "similarity" else self.values.copy()
        if not self.diagonal:
            np.fill_diagonal(found, 0.0)
        try:
            return as_distance_matrix(found)
        except ValueError:
            odd = np.abs(np.diag(found)).argmax()
            i, j = divmod(int(np.abs(found - found.T).argmax()), len(found))
            x, y = self.labels[i], self.labels[j]
            if not np.allclose(found, found.T, atol=1e-6 * np.abs(found).max()):
                msg = f"{x!r}, {y!r} is {self.values[i, j]:g} and {y!r}, {x!r} is {self.values[j, i]:g}"
            elif metric == "similarity":
                msg = f"{self.labels[odd]!r} is less similar to itself than {self.top:g}"
            else:
                msg = f"the distance of {self.labels[odd]!r} to itself is {self.values[odd, odd]:g}"
                msg = msg if found[odd, odd] else "a distance is negative"
            raise ValueError(msg) from None

    def readings(self) -> list[str]:
        """The metrics as which it can be read: both, if nothing is said of samples and themselves."""
        from tripletree.cluster.distance_matrix import kind_of_square

        kind = kind_of_square(self.values)
        return [x for x in SQUARES if kind is not None and (SQUARES[x] == kind or not self.diagonal)]


def _form_of_r(name: str) -> str:
    """A name as R's data frames have it for a column."""
    form = re.sub(r"[^\w.]", ".", name)
    return f"X{form}" if re.match(r"[\d_]|\.\d", form) else form


def _square_of(columns: dict[str, list[str]], labels: list[str], are_named: bool) -> _Square | None:
    """The square table that the columns are, if they are called like the rows, or if the rows have no names."""
    n = len(labels)
    if len(columns) != n or n < (2 if are_named else 3):
        return None
    if not are_named:
        labels = list(columns)
    elif set(columns) != set(labels):
        if list(columns) != list(map(_form_of_r, labels)):
            return None
        columns = dict(zip(labels, columns.values(), strict=True))
    values = np.empty((n, n))
    for k, name in enumerate(labels):
        cells = ["nan" if is_gap(x) else x for x in columns[name]]
        if not all(map(is_number, cells)):
            return None
        values[:, k] = cells
    known = np.isfinite(values)
    diagonal, apart = bool(np.diag(known).all()), ~np.eye(n, dtype=np.bool_)
    if diagonal != np.diag(known).any() or not (known | known.T)[apart].all():
        return None
    values = np.where(known, values, np.where(known.T, values.T, 0.0))
    return _Square(values, labels, diagonal, bool(known[apart].all()))


def is_square(table: RowTable) -> bool:
    """True if the columns of a table, but for the first, are called like the rows, and hold numbers."""
    names = table.names or [""]
    labels = [cell_text(x) or "" for x in table.columns[0]]
    cells = {x: [cell_text(z) or "" for z in y] for x, y in zip(names[1:], table.columns[1:], strict=True)}
    return len(set(labels)) == len(labels) and _square_of(cells, labels, True) is not None


def _asked_square(square: _Square | None, metric: str | None, where: str, are_named: bool) -> np.ndarray | None:
    """The distances in a square table, if --metric says so. None for features. What is not said is asked."""
    ctx = click.get_current_context()
    if metric in SQUARES:
        if square is None:
            raise bad_input(
                f"{where}: --metric {metric} needs a square table of {SQUARES[metric]}, with the same names for rows "
                "and columns"
            )
        try:
            found = square.distances(metric)
        except ValueError as error:
            cures = [f"; --metric {x} takes {SQUARES[x]}" for x in square.readings()]
            raise bad_input(f"{where}: these are no {SQUARES[metric]}: {error}{''.join(cures)}") from None
        if metric == "similarity":
            say(f"{where}: distances are {square.top:g} - similarity", err=True)
        return found
    if square is None or ctx.get_parameter_source("metric") is click.core.ParameterSource.COMMANDLINE:
        return None
    readings = square.readings()
    if not readings:
        if are_named and square.diagonal and square.whole:
            say(f"{where}: rows and columns have the same names, and the numbers are taken for features", err=True)
        return None
    more = " --linkage average" if ctx.params.get("method") == "recon" else ""
    more = more if ctx.params.get("linkage") not in ANY_METRIC else ""
    ways = {SQUARES[x]: f"--metric {x}{more}" for x in readings}
    if square.diagonal and square.whole:
        ways["features"] = "--metric euclidean"
    linkage = ctx.params.get("linkage")
    if more and linkage and ctx.get_parameter_source("linkage") is click.core.ParameterSource.COMMANDLINE:
        ways["features"] += f" --linkage {linkage}" if "features" in ways else ""
    why = "rows and columns have the same names" if are_named else "the table is square and both halves are alike"
    without = {"metric", "linkage"} if more else {"metric"}
    raise which_is_meant(f"{where}: are these {' or '.join(ways)}, as {why}?", ways, without)


def read_table(
    source: str,
    *,
    index_column: str | None = None,
    class_column: str | None = None,
    text_column: str | None = None,
    drop: Sequence[str] = (),
    metric: str | None = None,
    hint: GapHint | None = None,
    decimal: str = ".",
    needs_numbers: bool = True,
    digits: int | None = None,
    transpose: bool = False,
    missing: Sequence[str] | None = None,
    named: Callable[[], Collection[str]] = tuple,
    missing_cells: Sequence[str] | None = None,
) -> Table:
    """Read a table with a header line: tabs, commas or semicolons between fields, as the header has them, or Parquet.

    Parameters
    ----------
    source : str
        A path, or '-' for the standard input.
    index_column : str, optional
        The column of labels. By default the first one if it has no name, is called id, index, label, name or sample,
        or holds text in which more than half of the rows differ. Else one of different texts or whole numbers that is
        called an id, or that holds more of the names in the knowledge. Else the rows are numbered from 0.
    class_column : str, optional
        A column of classes. Empty, or NA and the like, where the class is not known. Or a file, if no column is
        called so: a table with a header, whose first two columns are labels and classes.
    text_column : str, optional
        A column of texts. With it, there may be no column of numbers.
    drop : sequence of str
        Columns to leave out.
    metric : str, optional
        As `check_metric` allows it. nan_euclidean takes cells that are empty or NA, gower also columns with text.
    hint : GapHint, optional
        Other advice about gaps and text, for the errors.
    decimal : {".", ","}
        The character before the decimals of numbers.
    needs_numbers : bool
        Whether a table without a column of numbers and without texts is refused.
    digits : int, optional
        Whole numbers as labels get this many digits.
    transpose : bool
        Whether the samples are the columns. So they are where the knowledge names columns of a table of genes and the
        like, and no row. Where the columns are called like samples, it is asked.
    missing : sequence of str, optional
        The words in the classes that mark samples without one. By default NA, -1, unknown and the like.
    missing_cells : sequence of str, optional
        Cells of features that are gaps, besides empty ones, NA and the like.
    named : callable
        Gives the names that the knowledge knows. Called if several columns could hold them.

    Returns
    -------
    Table
    """
    gaps = GAPS.get(metric or "", "raise")
    with collected() as notes:
        table = table_columns(
            source, header=True, known=lambda names: True, empty_rows=True, decimal=decimal, titles=True
        )
    where = table.path or source
    header, n = table.names or [], len(table.lines)
    if n < 2:
        raise bad_input(f"{where}: {counted(n, 'sample')}; expected a header line and at least two")
    _check_header(header, table, where)
    class_file = None if class_column in header else class_file_of(class_column)
    if class_file is not None:
        class_column = None
    unknown = [x for x in (index_column, class_column, text_column, *drop) if x is not None and x not in header]
    if unknown:
        listed = ", ".join(map(repr, header))
        nor = ""
        if unknown[0] == class_column:
            nor = f", and {class_column!r} is {'a folder' if os.path.isdir(class_column) else 'no file'}"
        raise bad_input(f"{where}: there is no column {unknown[0]!r}{nor}; there are {listed}")
    if index_column in drop:
        raise bad_input(f"column {index_column!r} cannot be both the labels and left out")
    told_apart = index_column or text_column or class_column in header
    if transpose or (not told_apart and _has_samples_in_columns(table, drop, named)):
        table = _turned(table, index_column, drop)
        header, n, index_column, drop = table.names or [], len(table.lines), None, ()
        _check_header(header, table, where)
    cells = dict(zip(header, table.columns, strict=True))
    columns = {x: [(cell_text(y) or "").strip() for y in cells[x]] for x in header if x not in drop}
    texts = None
    if text_column is not None:
        if text_column in (index_column, class_column, *drop):
            raise bad_input(f"column {text_column!r} cannot be both the texts and the labels, the classes or left out")
        texts = columns.pop(text_column)
    told = [x.text for x in notes]
    first = next(iter(columns), None)
    if first is not None and is_row_of_units(
        columns[first][0], [x[0] for x in columns.values()][1:], list(columns.values())[1:]
    ):
        units = ", ".join(filter(None, (x[0] for x in columns.values())))
        told.append(f"units in {table.unit} {table.lines[0]} ({units})")
        table, columns = table.taking(range(1, n)), {x: y[1:] for x, y in columns.items()}
        texts, n = None if texts is None else texts[1:], n - 1
    usual = index_column or first
    if table.unit == "column":
        told.append("samples are columns")
        index_column = first
    elif index_column is None:
        kept = {x: y for x, y in columns.items() if x != class_column}
        index_column = _label_column(kept, decimal, named)
    unused = [x for x in ids_among(columns) if x not in (index_column, class_column)]
    for name in unused:
        del columns[name]
    labels = list(map(str, range(n)))
    if index_column is not None:
        column = columns.pop(index_column)
        labels = _labels(column if digits is None else _with_digits(column, digits), index_column, table)
        _check_zeros(labels, index_column, where, named)
    classes: list[Any] | None = None
    if class_column is not None:
        if class_column not in columns:
            raise bad_input(f"column {class_column!r} cannot be both the classes and the labels or left out")
        classes = columns.pop(class_column)
    elif class_file is not None:
        classes = _classes_of(labels, class_file)
    if classes is not None:
        classes = known_classes(classes, missing)
    if missing_cells is not None:
        gone = {with_point(x) if decimal == "," else x for x in missing_cells} | set(missing_cells)
        columns = {x: ["" if y in gone else y for y in column] for x, column in columns.items()}
    thousands = decimal == "." and _thousands_are_sure(columns)
    written = {
        x: y
        for x, column in columns.items()
        if (y := as_numbers(column, decimal, truth=gaps != "mixed", thousands=thousands))
    }
    columns |= {x: found.numbers for x, found in written.items()}
    told += [f"{some(repr(x) for x in written if written[x].how == y)} with {y}" for y in _different(written)]
    if decimal == ",":
        if not where.lower().endswith((".xlsx", ".xlsm")):  # their numbers are numbers, however they are shown
            _check_no_points(columns, table)
        columns = {x: list(map(with_point, column)) for x, column in columns.items()}
    else:
        _ask_of_thousands(columns, table)
    figures = figures_among(labels, list(columns.values())) if index_column is not None else {}
    if figures:
        told += [f"{labels[k]!r} left out, {what} of the others" for k, what in figures.items()]
        stay = [k for k in range(n) if k not in figures]
        table, n, labels = table.taking(stay), len(stay), [labels[k] for k in stay]
        columns = {x: [column[k] for k in stay] for x, column in columns.items()}
        classes = None if classes is None else [classes[k] for k in stay]
        texts = None if texts is None else [texts[k] for k in stay]
    are_named = index_column is not None
    square = _square_of(columns, labels, are_named) if gaps == "raise" and texts is None else None
    distances = _asked_square(square, metric, where, are_named)
    if distances is not None and square is not None:
        return Table(square.labels, distances, [], classes, None, "precomputed")
    if needs_numbers and not columns and texts is None:
        how = f"; {_option('text_column')} takes the words of a column of texts" if _option("text_column") else ""
        raise bad_input(f"{where}: no column of numbers is left{how}")
    is_usual = index_column in (usual, None) and table.title is None
    _tell_reading(columns, source, table, index_column, unused, told, is_usual=is_usual)
    if index_column is not None:
        _tell_sums(labels, table, source)
    if gaps != "mixed":
        _check_numeric(columns, table, "" if hint is None else hint(words=True))
    if gaps == "raise":
        _check_complete(columns, table, "" if hint is None else hint(words=False))
    values = np.empty((n, len(columns)), object if gaps == "mixed" else np.float64)
    for k, (x, column) in enumerate(progress(columns.items(), what=where, total=len(columns))):
        values[:, k] = _values(column, x, table, gaps)
    _tell_sentinels(columns, where, hint)
    if gaps == "mixed":
        _tell_shares(values, list(columns), where)
    return Table(labels, values, list(columns), classes, texts, metric or "euclidean")


def known_classes(classes: Sequence[str | None], missing: Sequence[str] | None) -> list[str | None]:
    """Return the classes, with None for samples without one."""
    codes, known = class_codes(list(classes), "--classes", missing, cure=_AS_CLASS, mark="--missing-class {}")
    _tell_zero(codes, known, missing)
    forms: dict[str, list[str]] = {}
    for x in map(str, known):
        forms.setdefault(" ".join(x.split()).casefold(), []).append(x)
    alike = [" and ".join(map(repr, x)) for x in forms.values() if len(x) > 1]
    if alike:
        say(f"--classes: {some(alike)} are two classes; write them alike if they are one", err=True)
    return classes_or_none(codes, known)


def _tell_zero(codes: np.ndarray, known: Sequence[Any], missing: Sequence[str] | None) -> None:
    """Tell of class 0 beside 1, 2, ..., if half of the samples have it: it often marks samples without a class."""
    if missing is not None or len(known) < 3 or set(known) != set(map(str, range(len(known)))):
        return
    count = np.bincount(codes[codes >= 0], minlength=len(known))
    m = int(count[list(known).index("0")])
    if 2 * m >= count.sum():
        say(
            f"--classes: '0' ({m:,} of {count.sum():,}) is taken for a class; if it marks samples without one: "
            "--missing-class 0",
            err=True,
        )


def names_in(files: Sequence[tuple[str | None, Callable[[str], Any]]]) -> set[str]:
    """Return the labels in files of knowledge, each with its reader. Files that cannot be read (twice) do not count."""
    found: set[str] = set()
    for path, read in files:
        if path is None or not (os.path.isfile(path) or path.startswith(SAMPLE)):
            continue
        with suppress(ValueError, click.ClickException, OSError):  # told when it is read for its own sake
            value = read(path)
            found.update(map(str, getattr(value, "leaves", value)))
    return found


def class_file_of(name: str | None) -> str | None:
    """The file, or pipe, that --classes may mean, if there is one. "-" is the standard input."""
    if name == "-":
        return name
    return name if name is not None and os.path.exists(name) and not os.path.isdir(name) else None


def _different(written: Mapping[str, Written]) -> list[str]:
    """The ways in which columns of numbers are written."""
    return list(dict.fromkeys(x.how for x in written.values()))


def _ask_of_thousands(columns: dict[str, list[str]], table: RowTable) -> None:
    """Ask whether points stand between thousands, if semicolons part cells, and all points have three digits behind."""
    if _decimal_is_asked() or not _option("decimal"):
        return
    for mark, other, noun in _MARKS:
        pointed = {x: column for x, column in columns.items() if any(mark in y for y in column)}
        if mark == "." and table.delimiter != ";":
            continue
        if pointed and all(may_part_thousands(x, mark) for x in pointed.values()):
            name, column = next(iter(pointed.items()))
            text = next(x for x in column if mark in x)
            why = f"{table.path}: what is {text!r} in column {name!r}? All its {noun} have three digits behind them."
            ways = {text.replace(mark, ""): other, f"{float(text.replace(',', '.')):g}": mark}
            raise which_is_meant(why, {x: f"--decimal {y}" for x, y in ways.items()})


def _decimal_is_asked() -> bool:
    """True if --decimal is given."""
    return click.get_current_context().get_parameter_source("decimal") is click.core.ParameterSource.COMMANDLINE


def _thousands_are_sure(columns: Mapping[str, Sequence[str]]) -> bool:
    """True if commas stand between thousands: points stand before decimals, as --decimal or another column says."""
    return _decimal_is_asked() or any(
        any("." in x for x in column) and all(is_number(x) or is_gap(x) for x in column) for column in columns.values()
    )


def _check_no_points(columns: dict[str, list[str]], table: RowTable) -> None:
    """Refuse numbers with points where commas stand before decimals: they may part thousands."""
    for name, column in columns.items():
        for row, text in enumerate(column):
            if _WITH_POINT.fullmatch(text):
                msg = (
                    f"{text!r} in column {name!r} has a point, and --decimal , says that decimals stand behind commas; "
                    "leave out the option, or the points between thousands"
                )
                table.refuse(row, msg)


def _check_header(names: list[str], table: RowTable, where: str) -> None:
    """Refuse a header that names a column twice, or that is a row of numbers."""
    repeated = [x for x in dict.fromkeys(names) if names.count(x) > 1]
    if repeated:
        first = [cell_text(x[0]) for x in table.columns]
        below = repeated[0] == "" and all(first) and not any(map(is_number, first))  # type: ignore[arg-type]
        cure = f"; if {table.unit} {table.lines[0]} is the header, delete what stands above it" if below else ""
        raise bad_input(f"{where}: more than one column is called {repeated[0]!r}; each needs a name of its own{cure}")
    counted_from_0 = [str(k) for k in range(len(names))]
    if [x for x in names if x] == counted_from_0[: len(names) - names.count("")]:
        return  # counted, as pandas does it
    if not is_number(names[0]) and names[1:] == counted_from_0[:-1]:
        return  # the same, beside a named index
    if not is_number(names[0]) and set(names[1:]) == set(map(cell_text, table.columns[0])):
        return  # a square table of numbered samples
    if all(is_number(x) for x in names) or (len(names) > 2 and all(is_number(x) for x in names[1:])):
        raise bad_input(f"{where}: the first line holds numbers; expected a header with the names of the columns")


def _label_column(columns: dict[str, list[str]], decimal: str, named: Callable[[], Collection[str]]) -> str | None:
    """The column of the labels: by its look, its name or the knowledge."""
    first = next(iter(columns), None)
    called = ids_among(columns)
    chosen = called[0] if called else None
    if first is not None and (chosen in (None, first) or is_name(first, columns[first])):
        cells = list(map(with_point, columns[first])) if decimal == "," else columns[first]
        if first.lower() in LABEL_NAMES or not all(is_number(x) or is_gap(x) for x in cells):
            values = set(columns[first])
            # values in two rows each and more are classes, unless knowledge is about them
            is_class = first.lower() not in LABEL_NAMES and 2 * len(values) <= len(cells)
            chosen = first if not is_class or not values.isdisjoint(named()) else chosen
    able = [x for x in columns if can_be_ids(columns[x])]
    if chosen is not None and not all(map(is_number, columns[chosen])):  # kg has numbers that are ids by chance
        able = [x for x in able if x in called or not all(map(is_number, columns[x]))]
    rows = {str(k) for k in range(len(next(iter(columns.values()), ())))}
    by_number = chosen is not None and chosen.lower() not in LABEL_NAMES and not rows.isdisjoint(columns[chosen])
    names: frozenset[str] = frozenset()
    if able and (set(able) - {chosen} or by_number):  # the knowledge tells which of them
        names = frozenset(named())
        hits = {x: len(names.intersection(columns[x])) for x in able}
        most = max(able, key=hits.__getitem__)
        if hits[most] > (len(names.intersection(rows)) if chosen is None else hits.get(chosen, 0)):
            chosen, by_number = most, False
    if by_number and chosen is not None and names and names <= rows:
        raise _both_ways(chosen, names)
    return chosen


def _both_ways(column: str, names: Collection[str]) -> click.ClickException:
    """The error for names that may be ids or row numbers, with the command for each."""
    shown = some(map(repr, sorted(names)))
    verb = "is" if len(names) == 1 else "are"
    rows = "a row number" if verb == "is" else "row numbers"
    return which_is_meant(
        f"{shown} {verb} in column {column!r}, and {verb} {rows} from 0 as well. Which is meant?",
        {"the column": f"--index-column {shlex.quote(column)}", "row numbers": f"--drop {shlex.quote(column)}"},
    )


def _has_samples_in_columns(table: RowTable, drop: Collection[str], named: Callable[[], Collection[str]]) -> bool:
    """True if the samples are columns, by the knowledge. What the names of columns alone say is asked."""
    names = [x for x in table.names or () if x not in drop]
    rest = set(names[1:])
    if len(rest) < _FEWEST_SAMPLES or _FEATURES.fullmatch(words_of(names[0])) is None or not _option("transpose"):
        return False
    rows = set(map(cell_text, table.columns[(table.names or []).index(names[0])]))
    known = set(named())
    if known:
        return known.isdisjoint(rows) and not known.isdisjoint(rest)
    if 2 * sum(_SAMPLES.fullmatch(words_of(x)) is not None for x in rest) < len(rest):
        return False
    others = some(map(repr, names[1:]))
    raise which_is_meant(
        f"{table.path}: are the samples the rows, named in {names[0]!r}, or the columns ({others})?",
        {"rows": f"--index-column {shlex.quote(names[0])}", "columns": "--transpose"},
    )


def _turned(table: RowTable, index: str | None, drop: Collection[str]) -> RowTable:
    """The table with columns as rows. The column of labels, by default the first, names the features."""
    names = [x for x in table.names or () if x not in drop]
    first = index or names[0]
    names = [first, *(x for x in names if x != first)]
    columns = [table.columns[(table.names or []).index(x)] for x in names]
    rows = [[x for x in y if x is not None] for y in columns[1:]]
    kept = [
        k
        for k, x in enumerate(rows)
        if not x or not all(isinstance(y, str) and not is_number(with_point(y)) and not is_gap(y) for y in x)
    ]
    turned = [[names[k + 1] for k in kept], *(list(x) for x in zip(*(columns[k + 1] for k in kept), strict=True))]
    labels = [cell_text(x) or "" for x in columns[0]]
    return RowTable(table.path, [names[0], *labels], turned, [k + 2 for k in kept], "column", delimiter=table.delimiter)


def _labels(column: list[str], name: str, table: RowTable) -> list[str]:
    if "" in column:
        table.refuse(column.index(""), f"the label (column {name!r}) is missing")
    if len(set(column)) < len(column):
        several = repeated(column)
        lines = some(str(line) for text, line in zip(column, table.lines, strict=True) if text == several[0])
        more = f"--index-column NAME takes the labels from another; {several[0]!r} in {table.unit}s {lines}"
        raise DuplicateLeafError(several, where=f" in {table.path} (column {name!r}; {more})")
    return column


def _with_digits(labels: Collection[str], digits: int) -> list[str]:
    """Return the labels, with `digits` digits in whole numbers."""
    return [x if (y := without_zeros(x)) is None or x[0] == "-" else y.zfill(digits) for x in labels]


def _check_zeros(labels: list[str], column: str, where: str, named: Callable[[], Collection[str]]) -> None:
    """Refuse labels that are in the knowledge with other zeros in front: 00123 and 123."""
    forms = {y: x for x in labels if (y := without_zeros(x)) is not None}
    names = set(named()) if forms else set()
    lost = sorted(x for x in names.difference(labels) if without_zeros(x) in forms)
    if not lost:
        return
    kept = {x for x in names.intersection(labels) if without_zeros(x) is not None}.union(lost)
    forms_of = {k: set(_with_digits(labels, k)) for k in sorted({0, *map(len, lost)})}
    able = [k for k, x in forms_of.items() if kept <= x and len(x) == len(labels)]
    cure = "write them alike in both files"
    if able:
        again = command_line(click.get_current_context(), f"--id-digits {able[0]}", without={"id_digits"})
        cure = f"make them alike: {again}"
    more = f", and {len(lost) - 1:,} more" if len(lost) > 1 else ""
    twin = forms[str(without_zeros(lost[0]))]
    raise bad_input(
        f"{where}: the zeros in front of labels differ: {lost[0]!r} is {twin!r} in column {column!r}{more}; {cure}"
    )


def _classes_of(labels: list[str], path: str) -> list[str | None]:
    """The class of each sample, as a file has them. A message says if others are in the file, too."""
    found, known = read_classes(path, labels), set(labels)
    unknown = [x for x in found if x not in known]
    if found and len(unknown) == len(found):
        raise UnknownLeafError(unknown, labels, what=f"labels in {path}", hint="none of them is in DATA")
    if unknown:
        say(f"{counted(len(unknown), 'label')} of {path} {'is' if len(unknown) == 1 else 'are'} not in DATA", err=True)
    return [found.get(x) for x in labels]


def _tell_reading(
    columns: dict[str, list[str]],
    source: str,
    table: RowTable,
    index: str | None,
    unused: list[str],
    told: list[str],
    *,
    is_usual: bool,
) -> None:
    """Tell how a table was understood, which columns are not used, and which doubtful ones are features."""
    doubtful = told_columns(columns)
    names = ", numbered from 0" if index is None else f": names in {index!r}"
    below = "" if table.title is None else f" below the title {table.title!r}"
    parts = [f"read {len(table.lines):,} rows{below}{names}", counted(len(columns), "feature"), *told]
    if columns:
        parts[1] += f" ({some(map(repr, columns))})"
    if unused:
        parts.append(f"not used: {some(map(repr, unused))}, called {'an id' if len(unused) == 1 else 'ids'}")
    for why in dict.fromkeys(x.why for x in doubtful):
        same = [x for x in doubtful if x.why == why]
        name = shlex.quote(same[0].name)
        ways = ["class_column"] * (same[0].kind == "class")
        ways += ["index_column"] * (index is None and can_be_ids(columns[same[0].name]))
        cures = [f"{_option(x)} {name}" for x in ways if _option(x)]
        cures.append(" ".join(f"{_option('drop')} {shlex.quote(x.name)}" for x in same))
        verb = "is a feature" if len(same) == 1 else "are features"
        parts.append(f"{some(repr(x.name) for x in same)}, {why}, {verb}: {' or '.join(cures)}")
    if index is not None and not is_usual and table.title is None:
        parts[0] += f" ({_option('index_column')})"
    say(f"{given_name(source)}: {'; '.join(parts)}", err=True)


def _tell_sums(labels: list[str], table: RowTable, source: str) -> None:
    """Tell of rows at the end that may sum up the others."""
    found = [f"{labels[k]!r} ({table.unit} {table.lines[k]})" for k in sums_among(labels)]
    if found:
        what = (
            "is a sample; leave out the row if it sums" if len(found) == 1 else "are samples; leave out rows that sum"
        )
        say(f"{given_name(source)}: {some(found)} {what} up the others", err=True)


def _tell_sentinels(columns: dict[str, list[str]], where: str, hint: GapHint | None) -> None:
    """Tell of codes such as -99 that lie far outside the other numbers of their column: they may mark gaps."""
    found: dict[str, tuple[str, int]] = {}
    for name, column in columns.items():
        codes = {x for x in set(column) if is_number(x) and float(x) in _SENTINELS}
        if not codes:
            continue
        rest = [float(x) for x in set(column) - codes if is_number(x)]
        low, high = min(rest, default=0.0), max(rest, default=0.0)
        for code in sorted(codes):
            if len(rest) > 1 and not 2 * low - high <= float(code) <= 2 * high - low:
                found.setdefault(code, (name, column.count(code)))
    if found:
        shown = [f"{code} in column {name!r} ({m:,} of {len(columns[name]):,})" for code, (name, m) in found.items()]
        more = (
            "" if hint is None or not _option("missing_cells") else f" --metric nan_euclidean --standardize{hint.more}"
        )
        cure = f": {_option('missing_cells')} {shlex.quote(','.join(found))}{more}" if _option("missing_cells") else ""
        say(
            f"{where}: {some(shown)} far outside the rest, kept; if it marks a gap{cure or ', leave it empty'}",
            err=True,
        )


def _tell_shares(values: np.ndarray, names: Sequence[str], where: str) -> None:
    """Tell of columns of words that make up most of Gower's distances, or in which no two samples are alike."""
    words = [any(isinstance(x, str) for x in column) for column in values.T]
    means = [_mean_difference(column, is_words) for column, is_words in zip(values.T, words, strict=True)]
    total = sum(means)
    for name, column, mean, is_words in zip(names, values.T, means, words, strict=True):
        known = [x for x in column if x is not None]
        apart = len(known) > 2 and len(set(known)) > 0.9 * len(known)
        if is_words and len(names) > 1 and total > 0 and (apart or 2 * mean > total):
            cure = f": {_option('drop')} {shlex.quote(name)}" if _option("drop") else ""
            what = f"{len(set(known)):,} different texts in {len(known):,} rows"
            say(
                f"{where}: column {name!r} ({what}) has {mean / total:.0%} of the distances; if it is no feature{cure}",
                err=True,
            )


def _mean_difference(column: np.ndarray, is_words: bool) -> float:
    """The mean of a feature's part of Gower's distances, over all pairs of samples in which it is known."""
    known = [x for x in column if x is not None]
    n = len(known)
    if n < 2:
        return 0.0
    if is_words:
        return 1 - sum(k * (k - 1) for k in Counter(known).values()) / (n * (n - 1))
    x = np.sort(np.array(known, np.float64))
    spread = float(np.ptp(x))
    return float(2 * np.sum((2 * np.arange(n) - n + 1) * (x / spread)) / (n * (n - 1))) if spread > 0 else 0.0


def _check_numeric(columns: dict[str, list[str]], table: RowTable, hint: str) -> None:
    """Refuse columns with anything but numbers in them, all of them at once."""
    wrong: dict[str, str] = {}
    lost: list[str] = []  # columns that are no numbers in another writing
    odd: dict[str, None] = {}
    has_texts, commas, thousands, words = False, False, False, True
    for name, column in columns.items():
        bad = {x: k for k, x in reversed([*enumerate(column)]) if not is_number(x) and not is_gap(x)}
        if not bad:
            continue
        text = min(bad, key=bad.__getitem__)
        wrong[name] = f"{name!r} ({text!r} in {table.unit} {table.lines[bad[text]]})"
        has_texts |= any(x.count(" ") > 2 for x in bad)
        commas |= any(re.fullmatch(r"[-+]?[\d.]*,\d+", x) and not _THOUSANDS.fullmatch(x) for x in bad)
        others = [x for x in bad if not is_number(with_point(x)) and not _THOUSANDS.fullmatch(x)]
        lost += [name] if others else []
        if 2 * sum(x in others for x in column) <= len(column):  # a column of numbers, but for some cells
            words = False
            odd |= dict.fromkeys(sorted(others, key=bad.__getitem__))
            thousands |= any(map(_THOUSANDS.fullmatch, bad))
    if not wrong:
        return
    noun = "a column is not numeric" if len(wrong) == 1 else f"{len(wrong)} columns are not numeric"
    named = {"drop": _dropped(lost)}
    ways = []
    if commas:
        ways.append(
            f"{_option('decimal')} , if decimals stand behind commas"
            if _option("decimal")
            else "write points if decimals stand behind commas"
        )
    if thousands:
        ways.append("write numbers without marks between thousands")
    if odd and _option("missing_cells"):
        ways.append(f"{_option('missing_cells')} {shlex.quote(','.join(odd))} if such cells are gaps")
    given = click.get_current_context().params
    able = {x: what for x, what in _ADVICE.items() if lost and _option(x) and (x == "drop" or not given.get(x))}
    advice = [f"{what} {_option(name)} {named.get(name, 'NAME')}" for name, what in able.items()]
    texts = " (texts in Python, with scikit-learn's TfidfVectorizer)" if has_texts else ""
    ways += [", ".join([*advice, f"or turn them into numbers{texts}{hint if words else ''}"])] if lost else []
    raise bad_input(f"{table.path}: {noun}: {some(wrong.values())}; {'; or '.join(ways)}")


def _option(name: str) -> str | None:
    """How the running command spells an option, None if it has no such option."""
    return option_names(click.get_current_context().command).get(name)


def _check_complete(columns: dict[str, list[str]], table: RowTable, hint: str) -> None:
    """Refuse missing values, naming the columns and lines of all of them."""
    places = {
        name: [str(line) for text, line in zip(column, table.lines, strict=True) if is_gap(text)]
        for name, column in columns.items()
    }
    total = sum(map(len, places.values()))
    if total:
        parts = some(f"column {name!r} ({table.unit} {some(lines)})" for name, lines in places.items() if lines)
        noun = "a value is missing" if total == 1 else f"{total} values are missing"
        dropped = _dropped(x for x in places if places[x])
        how = f"fill in, leave out such rows, or leave out columns with --drop {dropped}"
        raise bad_input(f"{table.path}: {noun}: {parts}; {how}{hint}")


def _dropped(names: Iterable[str]) -> str:
    """What to write behind --drop to leave out columns."""
    return " --drop ".join(map(shlex.quote, names))


def _values(column: list[str], name: str, table: RowTable, gaps: str) -> np.ndarray:
    """The cells of a column: numbers, or text if some are not numbers. Gaps are treated as asked for."""
    is_complete = gaps == "raise"  # it has been checked
    known = np.array([is_complete or not is_gap(x) for x in column])
    cells = column if is_complete else [x for x, here in zip(column, known, strict=True) if here]
    if gaps == "mixed" and not all(map(is_number, cells)):
        odd = list(dict.fromkeys(x for x in cells if not is_number(with_point(x))))
        if 2 * sum(x in set(odd) for x in cells) <= len(cells) and odd:
            how = (
                f"; {_option('missing_cells')} {shlex.quote(','.join(odd[:5]))} if it marks a gap"
                if _option("missing_cells")
                else ""
            )
            say(f"column {name!r} is taken for words, because of {odd[0]!r}{how}", err=True)
        commas = [x for x in cells if with_point(x) != x]
        if commas and all(is_number(x) or with_point(x) != x for x in cells):
            how = f"; {_option('decimal')} , if decimals stand behind commas" if _option("decimal") else ""
            say(f"column {name!r} is taken for words, because of {commas[0]!r}{how}", err=True)
        words: np.ndarray = np.full(len(column), None, object)
        words[known] = cells
        return words
    numbers = np.array(cells, np.float64)
    wild = np.flatnonzero(~np.isfinite(numbers))
    if wild.size:
        row = int(np.flatnonzero(known)[wild[0]])
        table.refuse(row, f"{column[row]!r} in column {name!r} is not finite")
    if known.all() and gaps != "mixed":
        return numbers
    values = np.full(len(column), None if gaps == "mixed" else np.nan, object if gaps == "mixed" else np.float64)
    values[known] = numbers.tolist()
    return values
