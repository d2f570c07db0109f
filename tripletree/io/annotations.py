"""Which item belongs to which terms: Gene Ontology annotation files (GAF, GPAD) and tables of two columns.

`Hierarchy.attach` and `Ontology.attach` take the result of `read_annotations`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from tripletree.core.checks import check_choice, counted
from tripletree.core.labels import gap_words, is_gap
from tripletree.core.notes import note
from tripletree.errors import SHOWN, ParseError
from tripletree.io.outlines import ROWS, is_category, is_column_name, is_header, is_item
from tripletree.io.source import Source
from tripletree.io.table import split_rows, table_or_text
from tripletree.io.ways import call, question
from tripletree.tables.cells import cell_text, is_number
from tripletree.tables.columns import CLASS_NAMES, DATE, ITEM, MEASURE, NODE, plain, words_of
from tripletree.tables.rows import FRAME, RowTable, shown_names

Format = Literal["auto", "gaf", "gpad", "table"]

_FORMATS = ("auto", "gaf", "gpad", "table")
_ASPECTS = ("P", "F", "C")
_TERM = re.compile(r"[A-Za-z][\w.-]*:\S+")
#: How many rows a table has at least of which the second column alone could hold the items.
_FEW = 3


def read_annotations(
    path: Source,
    *,
    format: Format = "auto",
    item: str | int | None = None,
    node: str | int | None = None,
    separator: str | None = None,
    header: bool | None = None,
    evidence: str | Collection[str] | None = None,
    aspect: str | Collection[str] | None = None,
    missing: Any = None,
) -> dict[str, list[str]]:
    r"""Read which item belongs to which terms.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked.
    format : {"auto", "gaf", "gpad", "table"}
        GAF 2.x (and 1.0), GPAD 1.x and 2.0, or a table: CSV, TSV, Parquet, with the item and its node. By default
        the first lines.
    item, node : str or int, optional
        Which columns of a table, by name or by position counted from 0. By default the two that there are, or the one
        called gene, sample, name, ... and the one called go_id, taxon, class, ... For GAF,
        `item` is "id" (the default: column 2, such as "P04637") or "symbol" (column 3, such as "TP53").
    separator : str, optional
        The separator of several nodes in one cell of a table, such as ``","``. By default a cell is one node.
    header : bool, optional
        True if the first row of a table has the names of its columns. By default if `item` or `node` is a name, or
        if it has common words for both ("gene" and "go_id"). A first row that only may be a header is refused until
        this is given: its item and node occur nowhere else, and one of them is such a word, or all other
        nodes occur several times.
    evidence : str or collection of str, optional
        Take only annotations of these evidence codes, such as ``{"EXP", "IDA", "IMP"}`` (GPAD: ECO identifiers).
    aspect : {"P", "F", "C"} or collection of them, optional
        Take only annotations to biological process, molecular function or cellular component (GAF only).
    missing : value or collection of values, optional
        Cells of a table that are no node, and refused. By default NA, ?, - and the like.

    Returns
    -------
    dict
        A list of its nodes for each item, both in the order of the file, no node twice. Annotations with the
        qualifier NOT state that the item does not belong there: they are left out.

    See Also
    --------
    tripletree.Hierarchy.attach : the hierarchy on these items.

    Examples
    --------
    >>> import io
    >>> read_annotations(io.StringIO("gene,go_id\nTP53,GO:0006915\nTP53,GO:0006281\nBAX,GO:0006915\n"))
    {'TP53': ['GO:0006915', 'GO:0006281'], 'BAX': ['GO:0006915']}
    >>> read_annotations(io.StringIO("BAX\tGO:0006915, GO:0006281\n"), separator=",")
    {'BAX': ['GO:0006915', 'GO:0006281']}
    """
    check_choice(format, "format", _FORMATS)
    codes, aspects = _wanted(evidence, "evidence"), _wanted(aspect, "aspect")
    if aspects is not None and not aspects <= set(_ASPECTS):
        msg = f"aspect must be of 'P', 'F' and 'C' (process, function, component), not {aspect!r}"
        raise ValueError(msg)
    found = table_or_text(path)
    if isinstance(found, RowTable):
        kind = "a data frame" if found.path == FRAME else "a table"
        _check_no_options(kind, evidence=evidence, aspect=aspect)
        return _of_table(found, item, node, separator, missing)
    text, name = found
    kind = _sniffed(text) if format == "auto" else format
    if kind == "table":
        _check_no_options("a table", evidence=evidence, aspect=aspect)
        named = isinstance(item, str) or isinstance(node, str)
        known = (lambda names: True) if named and header is None else _is_header
        table = split_rows(text, name, delimiter=_delimiter(text, separator), header=header, known=known)
        return _of_table(table, item, node, separator, missing, header)
    _check_no_options(kind.upper(), node=node, separator=separator, header=header)
    layout = _gaf_layout(item) if kind == "gaf" else _gpad_layout(text, name, item, aspect)
    return _of_annotation_file(text, name, layout, codes, aspects)


def _wanted(values: Any, what: str) -> frozenset[str] | None:
    """Return a choice of codes as a set."""
    if values is None:
        return None
    chosen = frozenset([values] if isinstance(values, str) else values)
    if not chosen or not all(isinstance(x, str) for x in chosen):
        msg = f"{what} must be a code or a collection of codes, not {values!r}"
        raise ValueError(msg)
    return chosen


def _check_no_options(kind: str, **options: Any) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        msg = f"{' and '.join(x + '=' for x in given)} cannot be used with {kind}, which has no such thing"
        raise ValueError(msg)


def _sniffed(text: str) -> str:
    """Return the format that the first lines tell."""
    at = 0
    while at < len(text):
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)].rstrip("\r")
        at = stop + 1 if stop >= 0 else len(text)
        if line.startswith("!"):
            word = line[1:].strip().lower()
            if word.startswith("gaf-version"):
                return "gaf"
            if word.startswith(("gpa-version", "gpad-version")):
                return "gpad"
        elif line.strip():
            cells = line.split("\t")
            return "gaf" if 15 <= len(cells) <= 17 and _TERM.fullmatch(cells[4]) else "table"
    return "table"


# ---------------------------------------------------------------------- GAF and GPAD


class _Layout(NamedTuple):
    """Columns of a line, counted from 0."""

    name: str
    item: int
    qualifier: int
    node: int
    evidence: int
    aspect: int
    fewest: int
    most: int
    what: tuple[str, ...]


_GAF_COLUMNS = (
    *("DB", "DB Object ID", "DB Object Symbol", "Qualifier", "GO ID", "DB:Reference", "Evidence Code"),
    *("With (or) From", "Aspect"),
)
_GPAD1_COLUMNS = ("DB", "DB Object ID", "Qualifier", "GO ID", "DB:Reference", "Evidence Code")
_GPAD2_COLUMNS = ("DB Object ID", "Negation", "Relation", "Ontology Class ID", "Reference", "Evidence Type")


def _gaf_layout(item: Any) -> _Layout:
    if item not in (None, "id", "symbol"):
        msg = f"item must be 'id' or 'symbol' for GAF (columns 2 and 3), not {item!r}"
        raise ValueError(msg)
    return _Layout("GAF", 2 if item == "symbol" else 1, 3, 4, 6, 8, 15, 17, _GAF_COLUMNS)


def _gpad_layout(text: str, path: str | None, item: Any, aspect: Any) -> _Layout:
    if item not in (None, "id"):
        msg = f"item must be 'id' for GPAD, which has no symbols, not {item!r}"
        raise ValueError(msg)
    _check_no_options("GPAD", aspect=aspect)
    found = re.search(r"^!\s*gpad?-version:\s*(\d+)", text[:10_000], re.MULTILINE | re.IGNORECASE)
    if found is None:
        msg = "no line '!gpa-version: 1.1' or '!gpad-version: 2.0', without which the columns are not known"
        raise ParseError(msg, path=path, line=1)
    if found[1] == "1":
        return _Layout("GPAD 1", 1, 2, 3, 5, -1, 6, 12, _GPAD1_COLUMNS)
    if found[1] == "2":
        return _Layout("GPAD 2", 0, 1, 3, 5, -1, 6, 12, _GPAD2_COLUMNS)
    msg = f"GPAD of version {found[1]} is not known; 1 and 2 are"
    raise ParseError(msg, path=path, line=text.count("\n", 0, found.start()) + 1)


def _of_annotation_file(
    text: str, path: str | None, layout: _Layout, codes: frozenset[str] | None, aspects: frozenset[str] | None
) -> dict[str, list[str]]:
    """Items and their terms, of lines of cells between tabs."""
    found: dict[str, dict[str, None]] = {}
    shared: dict[str, str] = {}  # one string for each term
    rows = 0
    seen_codes: set[str] = set()
    _, place, qualifier, node, evidence, aspect, fewest, most, _ = layout
    for number, line in _lines(text):
        cells = line.split("\t")
        if not fewest <= len(cells) <= most:
            there = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            msg = f"{there} between tabs where {layout.name} has {fewest} to {most}"
            raise ParseError(msg, path=path, line=number, column=1, text=line)
        thing, term, code = cells[place], cells[node], cells[evidence]
        if not (thing and term and code) or thing.isspace() or term.isspace():
            _check_cell(cells, line, number, path, layout)
        rows += 1
        if "NOT" in cells[qualifier] and "NOT" in (x.strip() for x in cells[qualifier].split("|")):
            continue
        if codes is not None:
            seen_codes.add(code)
            if code not in codes:
                continue
        if aspects is not None and cells[aspect] not in aspects:
            continue
        term = shared.setdefault(term, term)
        terms = found.get(thing)
        if terms is None:
            found[thing] = {term: None}
        else:
            terms[term] = None
    if rows == 0:
        msg = f"no annotations in it, though it should be {layout.name}"
        raise ParseError(msg, path=path)
    if not found:
        known = f"; the evidence codes in it are {', '.join(sorted(seen_codes)[:SHOWN])}" if codes is not None else ""
        left = (
            f"none of its {rows} annotations is left: they are" if rows > 1 else "its one annotation is left out: it is"
        )
        say = "say" if rows > 1 else "says"
        msg = f"{left} not of the evidence and aspect asked for, or {say} NOT{known}"
        raise ParseError(msg, path=path)
    return {thing: list(terms) for thing, terms in found.items()}


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines that are neither comments nor blank."""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line and line[0] != "!" and not line.isspace():
            yield number, line


def _check_cell(cells: list[str], line: str, number: int, path: str | None, layout: _Layout) -> None:
    for k in (layout.item, layout.node, layout.evidence):
        if not cells[k].strip():
            msg = f"column {k + 1}, {layout.what[k]}, is empty"
            column = sum(len(x) + 1 for x in cells[:k]) + 1
            raise ParseError(msg, path=path, line=number, column=column, text=line)


# ---------------------------------------------------------------------- tables


#: What a column is by its name: of nodes, of items, of both or neither.
_Sense = Literal[1, -1, 0]


def _sense(name: str) -> _Sense:
    word = plain(name)
    of_nodes = word in NODE.names or word in CLASS_NAMES or is_category(name)
    of_items = word in ITEM.names or (is_item(name) and not (word in NODE.names and word.endswith(("id", "ids"))))
    return 0 if of_nodes == of_items else 1 if of_nodes else -1


def _is_known(name: str) -> bool:
    return is_column_name(name) or plain(name) in {*ITEM.names, *NODE.names}


def _is_header(names: list[str]) -> bool:
    return bool(ITEM.among(names) and NODE.among(names))


def _delimiter(text: str, separator: str | None) -> str | None:
    """Return the separator of cells if it could be taken for the separator of the nodes in a cell."""
    if not separator:
        return None
    first = next((x for x in text[:100_000].split("\n") if x.strip() and not x.startswith("#")), "")
    return next((x for x in "\t,;|" if x in first and x not in separator), None)


def _with_header(table: RowTable, given: Mapping[str, Any]) -> RowTable:
    """The table without a first row of words that name columns. One that may be a header is asked about."""
    columns = [[cell_text(x) or "" for x in column] for column in table.columns]
    first, below = [x[0] for x in columns], [x[1:] for x in columns]
    cells = {x for column in below for x in column}
    if not below[0] or not cells.isdisjoint(first) or any(map(_TERM.fullmatch, first)):
        return table
    known = list(map(_is_known, first))
    often = [sum(n for n in Counter(x).values() if n > 1) for x in below]
    numbered = [
        all(re.search(r"\d", x) for x in y) and not re.search(r"\d", z) for y, z in zip(below, first, strict=True)
    ]
    if all(known) or (len(first) > 2 and is_header(first, below)):
        return table.named_by_first_row()
    if len(first) == 2 and (any(known) or any(numbered) or (len(below[0]) > 3 and 2 * max(often) >= len(below[0]))):
        ways = [
            ("if it names columns", call("read_annotations", table.path, **given, header=True)),
            ("if these are an item and its node", call("read_annotations", table.path, **given, header=False)),
        ]
        raise question(table.path, table.lines[0], f"is this a header? {shown_names(first)} occur nowhere else.", ways)
    return table


def _without_negated(table: RowTable) -> RowTable:
    """The rows without NOT in a column of qualifiers, such as gene2go has."""
    at = [k for k, x in enumerate(table.names or ()) if plain(x) in ("qualifier", "qualifiers", "negation")]
    if len(at) != 1:
        return table
    kept = [k for k, x in enumerate(table.columns[at[0]]) if "NOT" not in re.split(r"[\s|]+", cell_text(x) or "")]
    left_out = len(table.lines) - len(kept)
    if not left_out:
        return table
    note("negated", f"{counted(left_out, 'row')} left out, whose {table.names[at[0]]!r} says NOT")  # type: ignore[index]
    return table.taking(kept)


def _places(table: RowTable, given: Mapping[str, Any], header: bool | None) -> tuple[int, int] | None:
    """The columns of items and nodes by their names, terms and repeats. Those of two readings are asked about."""
    texts = [[cell_text(x) or "" for x in column[:ROWS]] for column in table.columns]
    known = [[x for x in column if x] for column in texts]
    names = table.names or [""] * len(texts)
    terms = [bool(x) and all(_are_terms(y, "|") or _are_terms(y, ";") or _are_terms(y, ",") for y in x) for x in known]
    if terms.count(True) == 1 and len(texts) == 2:
        return terms.index(False), terms.index(True)
    senses = [_sense(x) if x else 0 for x in names]
    different = [len(set(x)) == len(x) for x in known]
    able = [
        k
        for k, x in enumerate(known)
        if len(texts) == 2
        or not (MEASURE.fullmatch(words_of(names[k])) or all(is_number(y) and "." in y or DATE.fullmatch(y) for y in x))
    ]
    if terms.count(True) == 1:
        senses = [1 if terms[k] else min(x, 0) for k, x in enumerate(senses)]
    nodes = [k for k in able if senses[k] > 0] or [k for k in able if senses[k] == 0 and not different[k]]
    items = [k for k in able if senses[k] < 0] or [k for k in able if senses[k] == 0 and k not in nodes]
    if len(texts) == 2 and not any(senses):
        if not (different[1] and not different[0] and len(texts[0]) > _FEW):
            return 0, 1  # the item first, unless only the second column could be it
        nodes, items = [0], [1]
    elif len(texts) == 2:
        k = max((0, 1), key=lambda k: senses[k])
        nodes, items = [k], [1 - k]
    if len(nodes) == len(items) == 1 and any(senses):
        return items[0], nodes[0]
    ways = [(x, y) for x in items for y in nodes if x != y]
    if len(texts) == 2 and ways:
        ways.append(ways[0][::-1])
    if not ways or len(ways) > SHOWN:
        return None
    calls = []
    for x, y in ways:
        asked: dict[str, Any] = {**given, "item": names[x] or x, "node": names[y] or y, "header": header}
        meant = f"if {asked['item']!r} holds items, {asked['node']!r} their nodes"
        calls.append((meant, call("read_annotations", table.path, **asked)))
    raise question(table.path, table.header_line, "which columns hold the items and their nodes?", calls)


def _are_terms(cell: str, separator: str) -> bool:
    """True if a cell holds ids such as GO:0008150, one or several."""
    return all(_TERM.fullmatch(x.strip()) for x in cell.split(separator))


def _of_table(
    table: RowTable,
    item: str | int | None,
    node: str | int | None,
    separator: str | None,
    missing: Any,
    header: bool | None = None,
) -> dict[str, list[str]]:
    """Items and their nodes, of two columns of a table."""
    given = {"item": item, "node": node, "separator": separator}
    if header is None and table.names is None:
        table = _with_header(table, given)
    first, second = table.two_columns(
        (item, node), ("item", "node"), "the items and their nodes", lambda: _places(table, given, header)
    )
    some = [x for x in map(cell_text, table.columns[second][:ROWS]) if x]
    if separator is None:
        separator = next((x for x in ",;|" if any(x in y for y in some) and all(_are_terms(y, x) for y in some)), None)
    table = _without_negated(table)
    held = None if separator else next((x for x in ";|" if any(x in y for y in some)), None)
    split_at = f", between {separator!r} in a cell" if separator else ""
    split_at = f", whole cells (separator={held!r} parts them)" if held else split_at
    called = table.names or range(len(table.columns))
    table.tell(f"items in {called[first]!r}, nodes in {called[second]!r}{split_at}", (first, second))
    if separator == "":
        msg = "separator must be a text such as ',', not an empty one"
        raise ValueError(msg)
    split: Callable[[str], list[str]] = (lambda x: [x]) if separator is None else (lambda x: x.split(separator))
    found: dict[str, dict[str, None]] = {}
    shared: dict[str, str] = {}
    words = gap_words(missing)
    gaps = {x for x in set(map(cell_text, table.columns[second])) if x and is_gap(x, words)}
    for row, cells in enumerate(zip(table.columns[first], table.columns[second], strict=True)):
        thing, terms = (cell_text(x) for x in cells)
        if terms and terms in gaps:
            table.refuse(row, f"the node {terms!r} stands for none; missing=[] if it is one")
        if not thing or not terms or thing.isspace():
            table.refuse(row, f"no {'node' if thing and not thing.isspace() else 'item'} in this row")
        mine = found.setdefault(thing, {})
        for cell in split(terms if separator is None else terms.strip(f"{separator} ")):
            term = cell.strip()
            if not term:
                table.refuse(row, f"an empty node in {terms!r:.80}")
            mine[shared.setdefault(term, term)] = None
    if not found:
        msg = "no annotations in it: nothing follows the header"
        raise ParseError(msg, path=table.path)
    return {thing: list(terms) for thing, terms in found.items()}
