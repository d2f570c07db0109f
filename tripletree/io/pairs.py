"""Must-links and cannot-links as text, CSV, TSV and Parquet.

The text format has one pair a line, then the link, then perhaps a weight in 0..1, which is 1 if other lines have
one::

    # great apes
    human chimp must
    'Homo sapiens', 'Gorilla gorilla', cannot, 0.8
    #!leaves orang

The link is ``must`` or ``cannot``. Other words are ``must-link`` and ``cannot-link`` (also with ``_``),
``ML`` and ``CL``, ``1`` (``+1``, ``+``) and ``-1`` (``-``) or ``0``, but not both -1 and 0 in one file, ``True`` and
``False``, ``yes`` and ``no``, ``same`` and ``different``, ``same cluster`` and ``different clusters`` (in quotes in
text), ``match`` and ``non-match``, ``link`` and ``no link``, ``together`` and ``apart``, ``similar`` and
``dissimilar``, ``duplicate`` and ``distinct``, ``ja`` and ``nein``, ``oui`` and ``non``, all in any case. A pair with
``?``, ``possible match`` or nothing for a link is left out, and so is a must-link of a thing with itself. The link may
stand before the two labels, if it is a word such as ``ML``. In
a table whose column of links is called ``different``, ``cannot_link``, ``distinct`` or the like, 1, True and yes are
cannot-links, and 0, False and no are must-links. The files that came with COP-KMeans, lines of two sample numbers and 1
or -1, are of this format. Labels, quotes, comments and ``#!leaves`` are as in the text format of triplets
(`tripletree.io.triplets`).
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any, overload

import numpy as np

from tripletree.core.checks import counted
from tripletree.core.labels import GAPS, is_gap
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import note
from tripletree.core.pairs import PairwiseConstraints, check_pairs
from tripletree.errors import InvalidPairError, ParseError
from tripletree.io.edges import usual_columns
from tripletree.io.readings import named_by_first_row, ways_of
from tripletree.io.rows import (
    DELIMITERS,
    LabelRows,
    RowFormat,
    Token,
    check_row_format,
    is_spaced_header,
    read_rows,
    three_names,
    write_rows,
)
from tripletree.io.source import Source, Target, decoded, is_parquet
from tripletree.io.table import has_header, parquet_names, split_rows
from tripletree.io.ways import ask, call, listed, question
from tripletree.tables.cells import CANNOT_SAY, YES_NO, cell_of, cell_text, is_number, with_point
from tripletree.tables.columns import (
    ANCHOR,
    LINK,
    LINK_KINDS,
    REPLY,
    SHAPE,
    WHO,
    alike_columns,
    are_called_ids,
    id_pair,
    is_aside,
    is_called_id,
    is_distance,
    is_measure,
    is_proximity,
    link_sense,
    linked_pair,
    name_sense,
    option_pairs,
    pair_columns,
    plain,
    probability_sense,
    stem_of,
    words_of,
)
from tripletree.tables.rows import RowTable, not_used

_EXPECTED = "expected 'a b must' or 'a b cannot', and perhaps a weight in 0..1"
#: Lines by which pairs are recognised.
_LINES = 50
#: Characters in which the first lines are looked for.
_HEAD = 1 << 16
#: Names of columns that tell how sure a link is.
_SURE = re.compile(r"(?:.*_)?(?:confidence|conf|certainty|sureness|sicherheit|konfidenz|confiance|certitude|confianza)")
#: Columns of the source of a record, and what Splink writes between the source and the id in that.
_SOURCE = re.compile(r"source|dataset|data_source|database|table")
_JOINT = "-__-"
#: A number of what was asked, and a score that may be a decision, 0 or 1.
_TURN = re.compile(r"(?:trial|round|run|block|session|turn|page|durchgang)s?(?:_(?:no|nr|number|index|id|n))?")
_SCORES = ("clericalmatchscore",)
#: The words for a link, in any case.
LINKS = {
    **dict.fromkeys(("must", "must-link", "must_link", "mustlink", "ml", "+1", "1", "+"), True),
    **dict.fromkeys(("same", "same-cluster"), True),
    **dict.fromkeys(("cannot", "cannot-link", "cannot_link", "cannotlink", "cl", "-1", "-"), False),
    **dict.fromkeys(("different", "different-cluster", "different-clusters"), False),
    **{x: yes == 1 for x, yes in YES_NO.items() if len(x) > 1 or not x.isascii() or x.isdigit()},
}
#: Cells of pairs without a known link. A dash is a cannot-link.
_NO_LINK = (GAPS - {"-"}) | CANNOT_SAY
_NO_LINK |= frozenset(
    {"unknown", "undecided", "unclear", "uncertain", "possible", "potential duplicate", "clerical review"}
    | {"possible match", "possible link", "possible duplicate", "potential match", "potential link", "maybe match"}
)
#: Letters for some of them, which are labels as well: they do not tell a file of pairs.
_LETTERS = {"y": "yes", "t": "true", "n": "no", "f": "false"}
#: Words that answer whether two leaves are the same. A column may well be called by one of the others.
_FLAGS = frozenset({"+1", "+", "-1", "-", *(x for x in YES_NO if x in LINKS)})
_WORDS = "expected must or cannot (or ML and CL, 1 and -1, 1 and 0, True and False, yes and no, same and different)"
_WORDS += ", and ? where no link is known"
_BOTH = "0 and -1 both stand for cannot-links here: which of them is meant is not clear; write must and cannot"
PAIR_COLUMNS = ("a", "b", "link")
_ZERO = re.compile(r"[-+]?(?:0+\.?0*|\.0+)(?:[eE][-+]?\d+)?", re.ASCII)


class PairRows(LabelRows):
    """Rows of two labels as they are read, a link and perhaps a weight.

    Attributes
    ----------
    links : list of bool
        Which rows are must-links.
    """

    width = 2
    rule = "the two leaves must differ"
    weight_rule = "a number in 0..1"
    usual = re.compile(r"\s*" + r"\s+".join([r"([^\s,|#'\"]+)"] * 3) + r"(?:\s+([^\s,|#'\"]+))?\s*")
    shape = re.compile(r"L,?L,?L(,?L)?")
    headless_allowed = True

    def __init__(self, path: str | None, unit: str = "line", *, codes: Sequence[Any] | None = None) -> None:
        super().__init__(path, unit)
        self.links: list[bool] = []
        #: The words for must-links and cannot-links, if the caller gives them.
        self._codes = None if codes is None else {link_word(str(x)): k == 0 for k, x in enumerate(codes)}
        #: The least number for a must-link and the greatest for a cannot-link, or the other way round.
        self._cut: tuple[float, float] | None = None
        #: Numbers instead of links, in lines without a header.
        self._bounds: list[float] = []
        #: Whether the link stands before the two labels.
        self._link_first = False
        #: How many must-links are of a thing with itself.
        self._itself = 0
        #: The row that is read.
        self._cells: Sequence[str | None] = ()
        self._headless = False
        self._words_shown = False
        #: Whether all pairs are must-links, as there is no column of links.
        self._all_must = False
        #: What two columns say that have no third one for the link.
        self._word = "must"
        #: The column of decisions that counts more than probabilities beside it.
        self._decision: str | None = None
        #: A header of two columns that are alike and of a word that is no known link.
        self._asked: tuple[str, ...] | None = None
        #: The least number for a link: 0 for probabilities of must-links, -1 for signs with weights.
        self._rated: int | None = None
        #: Whether the column of the links is called by the opposite, such as "different": its codes are turned.
        self._turned: str | None = None
        self._unlike = False
        self._codes_turned = False
        #: The first row, if the rows below tell that it is a header, or if it may be one or a pair.
        self._told: tuple[str, ...] | None = None
        self._either: tuple[str, ...] | None = None
        #: How many pairs have no link.
        self._without = 0
        #: The codes among 0 and -1 that have occurred. Both together are ambiguous.
        self._zeros: set[str] = set()
        #: The first row, where it may be a header: it has a link in words and all others have numbers or yes and no.
        self._named: tuple[str, ...] | None = None
        #: The first row, where it may be a header: it is refused.
        self._header: tuple[str, ...] | None = None

    def add(
        self, cells: Sequence[str | None], line: int, text: str | None = None, start: Callable[[int], int] | None = None
    ) -> None:
        """Take a row (a, b, link and perhaps a weight), or note its error."""
        if self._link_first:
            cells = [*cells[1:3], cells[0], *cells[3:]]
        if self._all_must:
            cells = [*cells[:2], self._word, *cells[2:]]
        if self._cut is not None and cells[2] is not None and not is_gap(cells[2], _NO_LINK):
            cells = [*cells[:2], _cut_word(cells[2], *self._cut), *cells[3:]]
        if self._rated is not None and cells[2] is not None:
            cells = [*cells[:2], *_rated(cells[2], self._rated, self._unlike)]
        elif None not in cells[:2] and is_gap(cells[2] or "", _NO_LINK) and not self._is_code(cells[2]):
            self._without += 1
            return
        if cells[0] == cells[1] is not None and self._rated is None and self._link(link_word(cells[2] or "")):
            self._itself += 1
            return
        self._cells = cells
        super().add(cells, line, text, start)

    def _is_code(self, cell: str | None) -> bool:
        return self._codes is not None and cell is not None and link_word(cell) in self._codes

    def _link(self, word: str) -> bool | None:
        """What a word says: by the caller's codes, else by its meaning."""
        return link_of(word) if self._codes is None else self._codes.get(word)

    def empty(self, k: int) -> str:
        return f"the cell of {('a', 'b', 'the link')[k]} is empty"

    def add_rest(self, rest: Sequence[str | None]) -> tuple[int, str] | None:
        """Take the link, and the weight. Or the error, and the number of the cell."""
        link, must, wrong = rest[0], None, None
        if link is None:
            wrong = 2, self.empty(2)
        elif (must := self._link(word := link_word(link))) is None:
            wrong = 2, self._no_link(link)
        elif self._codes is None and word in ("0", "-1") and self._zeros | {word} == {"0", "-1"}:
            wrong = 2, _BOTH
        elif len(rest) > 1:
            wrong = super().add_rest(rest)
        if wrong is None:
            self._note(word)
            turned = self._turned is not None and word in _FLAGS
            self._codes_turned |= turned
            self.links.append(must != turned)
        elif not self.labels and not self.problems:
            self._header = tuple(map(str, self._cells[:3]))
        return wrong

    @staticmethod
    def weight_in(text: str) -> float | None:
        value = 0.0 if _ZERO.fullmatch(with_point(text.strip())) else LabelRows.weight_in(text)
        return value if value is not None and value <= 1 else None

    def misshapen(self, shape: str, tokens: list[Token]) -> tuple[str, int]:
        if "|" in shape:
            return f"a '|' stands in lines of triplets, and else in quotes: {_EXPECTED}", shape.index("|")
        if ",," in shape or shape[0] == "," or shape[-1] == ",":
            k = shape.index(",,") + 1 if ",," in shape else 0 if shape[0] == "," else len(shape) - 1
            return f"nothing stands beside this comma: {_EXPECTED}", k
        k = shape.count("L")
        if k < 3:
            return f"{k} field{'s' * (k != 1)}: {_EXPECTED}", len(shape) - 1
        return f"{k} fields: {_EXPECTED}; a label with blanks must stand in quotes", len(shape) - 1

    def places(self, table: RowTable, columns: Sequence[str], weight: str | None) -> list[int]:
        """The places of the columns: in their order in a table without a header."""
        if table.names is not None:
            if not set(self.called(table.names, columns)) <= set(table.names) and tuple(columns) == PAIR_COLUMNS:
                columns = self._by_cells(table)
            elif tuple(columns) == PAIR_COLUMNS and self._codes is None and not {*columns} <= {*table.names}:
                decided = self._decided(table)
                self._decision = decided[2] if decided else None
                self._rated, columns = (None, decided) if decided else (self._rated, columns)
            return super().places(table, columns, weight)
        kinds = [*map(_kind, table.head(2))] if len(table.columns) > 2 and tuple(columns) == PAIR_COLUMNS else []
        if None in kinds[1:] and (len(table.columns) > 3 or not any(kinds)):
            told = named_by_first_row(table)  # its columns stand in another order
            line = table.first_line
            if told is not table and (advice := pairs_advice(told)) is not None:
                raise ParseError(advice, path=table.path, line=line)
            if told is not table and (ways := ways_of(told)):
                raise question(table.path, line, "no column is called the link of two.", ways)
        if len(table.columns) not in (3, 4) and tuple(columns) == PAIR_COLUMNS:
            msg = (
                f"{len(table.columns)} columns and no header with {', '.join(columns)}: without one, expected three "
                "columns, and perhaps a fourth with weights"
            )
            line = table.first_line
            if len(table.columns) == 2:
                named = named_by_first_row(table)
                known = {cell_text(x) for column in named.columns for x in column}
                some = (0, 1) if named.names is None or known & {*named.names} else tuple(named.names)
                command = call("read_pairs", table.path, columns=some)
                raise question(table.path, line, "two columns and no link.", [(_ALL_MUST, command)])
            raise ParseError(msg, path=table.path, line=line)
        self._headless = True
        if all(type(x) is int for x in columns):
            self._all_must = len(columns) == 2
            return super().places(table, columns, weight)
        return list(range(len(table.columns)))

    def add_table(self, table: RowTable, columns: Sequence[str], weight: str | None) -> None:
        """Take the rows of a table. Links may be numbers from 0 to 1, probabilities, or from -1 on."""
        table = self._with_sources(table, columns)
        places = self.places(table, columns, weight)
        links = [x for x in table.names or () if plain(x) in LINK.names or link_sense(x) is not None]
        if self._all_must and (links := [x for x in links if x not in columns]):
            msg = (
                f"{links[0]!r} is called like a link: columns={(*columns, links[0])!r}, as two columns alone have none"
            )
            raise ParseError(msg, path=self.path, line=table.header_line)
        if self._codes is not None and not self._all_must:
            self._find_cut(table.head(places[2]))
        if self._rated is None and not self._all_must and self._codes is None and self._cut is None:
            measure = table.names[places[2]] if table.names and is_proximity(table.names[places[2]]) else None
            cells = [(cell_text(x) or "").strip() for x in set(table.columns[places[2]])]
            cells = [with_point(x) for x in cells if not is_gap(x, _NO_LINK)]
            name = table.names[places[2]] if table.names else ""
            called = plain(name) in LINK_KINDS and not any(map(_may_be_link, cells))
            if len(cells) == 2 and name and (called or self._are_two(table.head(places[2]))):
                raise self._question(table, (table.names[places[0]], table.names[places[1]]), [name])  # type: ignore[index]
            if cells and not all(link_word(x) in LINKS for x in cells) and all(map(is_number, cells)):
                if measure is not None:
                    pair = [table.called[k] for k in places[:2]]
                    raise question(
                        self.path, table.header_line, f"{_no_links(measure)}.", bounds_ways(table, pair, measure)
                    )
                self._rated = -1 if any(x.startswith("-") for x in cells) else 0
                if self._rated == 0 and table.names is None and tuple(columns) == PAIR_COLUMNS:
                    way = ("if they are probabilities of must-links", call("read_pairs", self.path, columns=(0, 1, 2)))
                    line = table.first_line
                    why = "no header says whether the numbers are probabilities or distances."
                    raise question(self.path, line, why, [way])
        super().add_table(table, columns, weight)
        if table.names is not None:
            self._tell(table, places)

    @staticmethod
    def _are_two(cells: Sequence[str]) -> bool:
        """Whether cells are two words, each in a fifth of the rows at least, one of which is no known link."""
        count = Counter(x for x in map(link_word, cells) if not is_gap(x, _NO_LINK))
        rare = 5 * min(count.values(), default=0) < len(cells)
        odd = [x for x in count if link_of(x) is None and not is_number(with_point(x))]
        return len(count) == 2 and not rare and bool(odd) and {*count} <= {*odd} | _FLAGS

    def _find_bounds(self, cells: Sequence[str]) -> None:
        """Take the codes for bounds, or note the numbers that need some, in lines without a header."""
        numbers = all(is_number(with_point(x)) for x in cells) and not all(link_word(x) in LINKS for x in cells)
        if self._codes is not None:
            self._find_cut(cells)
        self._bounds = [float(with_point(x)) for x in cells] if numbers else []

    def _find_cut(self, cells: Sequence[str]) -> None:
        """Take codes that are numbers for bounds, if the links are other numbers."""
        words = {x for x in map(link_word, cells) if not is_gap(x, _NO_LINK)}
        known = [with_point(x) for x in self._codes or ()]
        numbers = words and all(is_number(with_point(x)) for x in words) and all(map(is_number, known))
        if numbers and not words <= {*(self._codes or ())}:
            self._cut = float(known[0]), float(known[1])
            self._codes, self._rated, self._unlike, self._turned = None, None, False, None

    def _decided(self, table: RowTable) -> tuple[str, ...] | None:
        """The columns of two ids and of the decision, where probabilities or other decisions stand beside it."""
        names, pair, able, known = table.names or [], id_pair(table.names or []), [], []
        rated = [x for x in names if probability_sense(x) is not None]
        for k, name in enumerate(names if pair is not None else ()):
            words = {link_word(x) for x in table.head(k) if not is_gap(x, _NO_LINK)}
            score = name in rated and plain(name) in _SCORES
            if name in pair or (name in rated and not score):  # type: ignore[operator]
                continue
            sure = score or plain(name) in LINK.names or link_sense(name) is not None or words.isdisjoint(_FLAGS)
            called = sure or plain(name) in LINK_KINDS or name_sense(name) is not None
            kind = sure or plain(name) in LINK_KINDS
            links = [x for x in words if link_of(x) is not None]
            if called and links and (len(links) == len(words) or (kind and rated and not all(map(is_number, words)))):
                able.append(name)
                known += [name] if sure and len(links) == len(words) else []
        rated = [x for x in rated if x not in able]
        scores = [x for x in rated if plain(x) in _SCORES]
        if pair is None or (len(able) < 2 and not (able and rated) and not (scores and len(rated) > 1)):
            return None
        if known == able and able and len({_readings(table, x) for x in able}) == 1:
            return (*pair, able[0])
        raise self._question(table, pair, [*able, *rated], f"which column has the link of {pair[0]!r} and {pair[1]!r}?")

    def _tell(self, table: RowTable, places: Sequence[int]) -> None:
        """Tell how a table is read, unless nothing else is in it than pairs under the usual names."""
        names = table.names or []
        if {*names} <= {*PAIR_COLUMNS, "weight"}:
            return
        a, b, *link = (names[k] for k in places)
        rest = [x for k, x in enumerate(names) if k not in places]
        rated = [x for x in rest if _is_rating(x)]
        by = f"by {link[0]!r}" if link and not self._all_must else f"all {self._word}-links"
        if rated and link and (self._decision or probability_sense(link[0]) is None):
            by += f", not by {rated[0]!r}"
        elif self._word == "cannot" and self._all_must:
            by += ", as they are called"
        unused = [x for x in rest if _SURE.fullmatch(words_of(x))]
        aside = f"; {unused[0]!r} is not used, as weights are called weight (from 0 to 1)" if unused else ""
        others = [x for x in rest if x not in (*rated[:1], *unused[:1]) and not is_aside(x)]
        note("pairs", f"read {counted(len(table.lines), 'pair')} of {a!r} and {b!r}, {by}{aside}{not_used(others)}")

    def _with_sources(self, table: RowTable, columns: Sequence[str]) -> RowTable:
        """The table, whose ids are source and id together if there are several sources, as Splink writes them."""
        pair = id_pair(table.names or []) if tuple(columns) == PAIR_COLUMNS else None
        sources = [x for x in option_pairs(table.names or []) if _SOURCE.match(words_of(x[0]))]
        if pair is None or len(sources) != 1 or table.names is None:
            return table
        at = [[table.names.index(x) for x in y] for y in (sources[0], pair)]
        if len({*table.columns[at[0][0]], *table.columns[at[0][1]]}) < 2:
            return table
        found = list(table.columns)
        for source, k in zip(*at, strict=True):
            both = zip(table.columns[source], table.columns[k], strict=True)
            found[k] = [None if None in x else f"{cell_text(x[0])}{_JOINT}{cell_text(x[1])}" for x in both]
        if table.lines:
            example = next((x for x in found[at[1][0]] if x is not None), "")
            note("sources", f"ids are {sources[0][0]!r} and {pair[0]!r} together, such as {example!r}")
        return replace(table, columns=found)

    def _by_cells(self, table: RowTable) -> tuple[str, ...]:
        """The columns of two ids and of the link, if the cells of one column surely are links. Else it is asked."""
        pair, able, sure = pair_by_cells(table)
        if pair is None or not (able or id_pair(table.names or []) or tuple(table.names or ()) == self._asked):
            return PAIR_COLUMNS
        sure |= len(able) == 1 and (plain(able[0]) in LINK.names or name_sense(able[0]) is False)
        if len(able) == 1 and (sure or self._codes is not None):
            return (*pair, able[0])
        raise self._question(table, pair, able)

    def _question(
        self, table: RowTable, pair: tuple[str, str], able: Sequence[str], asked: str | None = None
    ) -> ParseError:
        """Ask which column holds the link, and what its words mean."""
        ways = [*link_ways(table, pair, able), (_ALL_MUST, call("read_pairs", table.path, columns=pair))]
        measures = [] if able else _measures(table, pair)
        measures = [x for x in measures if is_measure(x)] or measures[:1]
        ways = [*bounds_ways(table, pair, measures[0]), *ways] if measures else ways
        why = f"no column is known for the link of {pair[0]!r} and {pair[1]!r}."
        return question(table.path, table.header_line, asked or why, ways)

    def advice(self, table: RowTable | None) -> str:
        needs = "two columns of labels and one of links (must or cannot) are needed"
        if table is None or table.names is None:
            return f"{needs}, and columns= names them"
        pair, able, _ = pair_by_cells(table)
        if pair is not None and able:
            return listed(link_ways(table, pair, able))
        if pair is None or not (measures := _measures(table, pair)):
            return needs
        return f"{_no_links(measures[0])}. {listed(bounds_ways(table, pair, measures[0]))}"

    def _note(self, word: str) -> None:
        """Keep the facts to judge later rows by: the number of a cannot-link, and a first row that may be a header."""
        if word in ("0", "-1"):
            self._zeros.add(word)
        if not self.links and word not in _FLAGS:
            self._named = tuple(map(str, self._cells[:3]))
        elif self.links and word not in _FLAGS:
            self._named = None

    def called(self, names: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
        """Return the columns asked for, else the columns with usual names."""
        if tuple(columns) == PAIR_COLUMNS and not set(columns) <= set(names):
            kind = len(names) == 3 and plain(names[2]) in LINK_KINDS
            told = tuple(names[:3]) if kind or tuple(names) == self._told else None
            linked = linked_pair(names)
            columns = pair_columns(names) or (linked and linked[:2]) or told or super().called(names, columns)
        self._all_must = len(columns) == 2
        linked = linked_pair(list(map(str, columns))) if self._all_must else None
        self._word = "cannot" if linked is not None and not linked[2] else "must"
        if self._codes is None and any(probability_sense(x) is not None for x in columns[2:] if x != self._decision):
            self._rated = 0
        self._unlike = not self._all_must and self._codes is None and name_sense(str(columns[2])) is False
        self._turned = str(columns[2]) if self._unlike else None
        return columns

    @staticmethod
    def records(text: str, path: str | None) -> RowTable | None:
        return links_in_json(text, path) or LabelRows.records(text, path)

    def look(self, text: str) -> None:
        """Judge a first row such as ``id1,id2,y`` or ``a,b,same``, which has a link, by the rows below."""
        lines = [x for x in text[:_HEAD].splitlines()[: _LINES if len(text) <= _HEAD else -1] if x.strip()]
        lines = [x for x in lines if not x.startswith("#")]
        for mark in (*DELIMITERS.values(), ";", " "):
            try:
                cells = (
                    csv.reader(lines, delimiter=mark, skipinitialspace=True) if mark != " " else map(str.split, lines)
                )
                rows = [[x.strip() for x in row] for row in cells]
            except csv.Error:
                continue
            if len(rows) < 2 or min(map(len, rows)) < 3 or len(rows[0]) > 4:
                continue
            first, below = rows[0], [row[:3] for row in rows[1:]]
            before = all(_kind(row[0]) == "word" and _kind(row[2]) is None for row in below)
            if before and _kind(first[2]) is None:  # the link stands first, below a header or not
                called = plain(first[0]) in LINK_KINDS or plain(first[0]) in LINK.names
                self._link_first = _kind(first[0]) == "word" and not called
                self._asked = tuple(first) if called else None
                return
            ids, kind = are_called_ids(*first[:2]), _kind(first[2])
            kinds = {x for x in (_kind(row[2]) for row in below) if x != "gap"}
            signs = kinds == {"number"} and any(link_word(row[2]) == "-1" for row in below)
            if kind is None and (kinds == {"word"} or signs) and plain(first[2]) in LINK_KINDS:
                self._told = None if {*first[:2]} & {x for row in below for x in row[:2]} else tuple(first)
                return
            codes = bool(kinds) and kinds <= {"flag", "number", "letter"}
            self._find_bounds([row[2] for row in rows])
            words = {link_word(row[2]) for row in below if _kind(row[2]) != "gap"}
            numbers = len(words) > 1 and all(is_number(with_point(x)) for x in words)
            codes |= numbers or (len(words) == 2 < 2 * len(below) and link_word(first[2]) not in words)
            if kind is None and codes and tuple(first[:2]) in option_pairs(first):
                labels = {x for row in below for x in row[:2]}
                same = {SHAPE.sub("0", x) for x in first[:2]} & {SHAPE.sub("0", x) for x in labels}
                self._asked = None if same or first[0].isdigit() or is_number(first[2]) else tuple(first)
                return
            if ids is False or kind in (None, "gap") or not kinds or None in kinds:
                continue
            names = {SHAPE.sub("0", x) for x in first[:2]}
            alike = any(SHAPE.sub("0", x) in names for row in below for x in row[:2])
            unnamed = bool(ids) and first[2] == "0" and kinds == {"number"}  # a Series of pandas without a name
            other = unnamed or (kind not in kinds and "word" not in kinds and kind != "number")
            other |= plain(first[2]) == "link" and not any(link_word(x[2]) == "link" for x in below)
            ids = ids or (not alike and plain(first[2]) in LINK.names and not SHAPE.fullmatch(first[0]))
            if other and not alike:
                self._told = tuple(first)
            elif ids and mark != ";" and (not alike or (other and not unnamed)):
                self._either = tuple(first)

    def is_header(self, names: Sequence[str]) -> bool:
        found = pair_columns(names)
        ids = id_pair(names) is not None and ("" in names or link_of(link_word(names[-1])) is None)
        if tuple(names) == self._asked or linked_pair(names) is not None:
            return True
        if found is None and (ids or (len(names) == 3 and is_measure(names[-1]) and not any(map(is_number, names)))):
            return True
        if found is None or (link_word(found[2]) in LINKS and found == tuple(names[:3]) and len(names) <= 4):
            return tuple(names) == self._told
        return True

    def _no_link(self, link: str) -> str:
        """The message about a field that is not a link, with advice the first time only."""
        if self._rated is not None:
            kind = "probability" if self._rated == 0 else "number"
            return f"{link!r} is not a link, nor a {kind} from {self._rated} to 1"
        shown, self._words_shown = self._words_shown, True
        if self._codes is not None:
            return f"{link!r} is neither of the codes {' and '.join(map(repr, self._codes))}"
        ways = [] if shown or not self._bounds else _ways_of_bounds(self._bounds, "the numbers", self.path)
        return f"{link!r} is not a link" + ("" if shown else f": {_WORDS}") + (f". {listed(ways)}" if ways else "")

    def _hint_at_header(self) -> None:
        """Give advice if the first row is a header: all others are well, and no other row has a label of it."""
        if self._either is not None and self.labels and self.lines and self.labels[0] == self._either[:2]:
            whole = call("read_pairs", self.path, columns=self._either[:3])
            shown = ",".join(self._either)
            message = f"{shown!r} may be a header or a pair: for a header {whole}, for a pair format='text'"
            self.problem(self.lines[0], message)
            return
        if self._headless and self._named is not None and len(self.links) > 1:
            message = f"{self._named[2]!r} is a link, but all rows below give numbers, yes and no, or True and False"
            self.problem(self.lines[0], message)
            self._header = self._named
        if self._header is None or len(self.problems) > 1:
            return
        if not set(self._header[:2]) & set(chain.from_iterable(self.labels[self._named is self._header :])):
            hint = f"; if this is a header: {call('read_pairs', self.path, columns=self._header)}"
            self.problems[0] = self.problems[0]._replace(message=self.problems[0].message + hint)

    def pairs(self, leaves: LeafIndex | Iterable[Hashable] | int | None) -> PairwiseConstraints:
        """All pairs, over the given leaves or over all that occur."""
        self._hint_at_header()
        index, rows = self.indexed(leaves)
        if self._without:
            between = "" if self._cut is None else f" (or with a number between {self._cut[0]:g} and {self._cut[1]:g})"
            note("links", f"{counted(self._without, 'pair')} without a link left out{between}")
        if self._itself:
            note("links", f"{counted(self._itself, 'must-link')} of a thing with itself left out")
        if self._unlike and self._rated is not None:
            note("links", f"{self._turned!r} says that two differ: there high numbers are cannot-links")
        if self._codes_turned:
            note(
                "links", f"{self._turned!r} says that two differ: there 1 and yes are cannot-links, 0 and no must-links"
            )
        must = np.array(self.links, np.bool_)
        weights, origins = self.all_weights(), self.origins()
        return PairwiseConstraints(
            rows[must],
            rows[~must],
            index,
            must_weights=None if weights is None else weights[must],
            cannot_weights=None if weights is None else weights[~must],
            must_origins=origins.take(must),
            cannot_origins=origins.take(~must),
        )


def _cut_word(text: str, must: float, cannot: float) -> str:
    """The link of a number by bounds: "?" between them."""
    if not is_number(with_point(text)):
        return text
    value = float(with_point(text)) if must > cannot else -float(with_point(text))
    must, cannot = (must, cannot) if must > cannot else (-must, -cannot)
    return "must" if value >= must else "cannot" if value <= cannot else "?"


def _joined(text: str) -> str:
    """A text in lower case, with dashes instead of blanks and underscores."""
    return re.sub(r"[\s_]+", "-", text.strip().lower())


@lru_cache(1024)
def link_word(text: str) -> str:
    """The word of a link as `LINKS` has it: 1.0 is 1, and Must Link is must-link."""
    word = _joined(text)
    return _LETTERS.get(word) or (word.partition(".")[0] if word in ("1.0", "0.0", "-1.0") else word)


def _kind(cell: str) -> str | None:
    """What a cell says of a link: a number, a flag (yes or no, true or false), a word, a gap, or nothing (None)."""
    word = link_word(cell)
    if is_gap(cell, _NO_LINK):
        return "gap"
    if word in _FLAGS and cell.strip().lower() not in _LETTERS:
        return "flag" if word.isalpha() else "number"
    return "letter" if word in _FLAGS else None if link_of(word) is None else "word"


def link_of(word: str) -> bool | None:
    """True for a must-link, False for a cannot-link, None for anything else, of a word as `link_word` gives it."""
    return LINKS[word] if word in LINKS else link_sense(word)


def _may_be_link(cell: str) -> bool:
    """Tell whether a cell is a link or a probability. A 2 beside a 1 is neither."""
    return cell != "1" and (link_of(link_word(cell)) is not None or (is_number(cell) and abs(float(cell)) < 1))


def are_links(cells: Collection[str]) -> bool:
    """True if all cells of a column are links. A single letter alone may be a label."""
    kinds = set(map(_kind, cells))
    return None not in kinds and (len(cells) > 1 or kinds != {"letter"})


def links_in_json(text: str, path: str | None) -> RowTable | None:
    """The pairs of a JSON text with lists of them, perhaps below a key: {"must_link": [["a", "b"]], ...}. Else None."""
    if re.match(r'\s*(?:\{\s*"|\[\s*\[)', text) is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    while isinstance(value, dict) and len(value) == 1 and _sense_of_key(next(iter(value))) is None:
        value = next(iter(value.values()))
    known = value.items() if isinstance(value, dict) else [("", value)]
    rows: list[list[Any]] = []
    for key, pairs in known:
        must = _sense_of_key(key)
        if not isinstance(pairs, list) or (isinstance(value, dict) and must is None):
            continue
        for pair in pairs:
            if isinstance(pair, dict):  # a tuple of dedupe's, or an object for each pair
                pair = pair.get("__value__", [*pair.values()])
            cells = [*map(_id_of, pair)] if isinstance(pair, list) else pair
            if not isinstance(cells, list) or not all(isinstance(x, (str, int, float)) for x in cells):
                return None
            if must is not None:
                cells = [*cells[:2], "must" if must else "cannot", *cells[2:]]
            rows.append([cell_text(cell_of(x)) for x in cells])
    width = max(map(len, rows), default=0)
    if width not in (3, 4) or min(map(len, rows)) < 3 or not are_links({x[2] or "" for x in rows}):
        return None
    columns = [[x[k] if k < len(x) else None for x in rows] for k in range(width)]
    names = [*PAIR_COLUMNS, "weight"][:width]
    return RowTable(path, names, columns, range(1, len(rows) + 1), "row")


def _id_of(record: Any) -> Any:
    """The id of a record, if it has one. Other values as they are."""
    named = {x: y for x, y in record.items() if is_called_id(x)} if isinstance(record, dict) else {}
    ids = [y for x, y in named.items() if len(named) == 1 or "id" in words_of(x).split()]
    return ids[0] if len(ids) == 1 else record


def _sense_of_key(key: str) -> bool | None:
    """Whether a key is called must-links (True) or cannot-links (False), None for others."""
    word = re.sub(r"_?(?:constraint|pair)s?$", "", words_of(key))
    sense = link_of(_joined(word))
    return link_sense(word) if sense is None and word not in LINK.names else sense


def pair_by_cells(table: RowTable) -> tuple[tuple[str, str] | None, list[str], bool]:
    """Return the two columns of labels, the columns that may hold their link, and whether one of them surely does."""
    names = table.names or []
    pair = id_pair(names)
    if pair is None:
        alike, called = alike_columns(table, are_links), option_pairs(names)
        if [len(x) for x in alike] == [2]:
            pair = alike[0][0], alike[0][1]
        elif not alike and len(called) == 1:
            pair = called[0]
        elif not alike and len(names) == 3:
            texts = [x for k, x in enumerate(names) if not all(is_number(with_point(y or "0")) for y in table.head(k))]
            pair = (texts[0], texts[1]) if len(texts) == 2 else None
        if pair is not None and sum(stem_of(x) == stem_of(pair[0]) for x in names) > 2:  # one of three
            pair = None
    able: list[str] = []
    sure: list[str] = []
    for k, name in enumerate(names if pair is not None else ()):
        cells = [link_word(x) for x in table.head(k) if not is_gap(x, _NO_LINK)]
        words = set(cells)
        if name in pair or (table.lines and not words):  # type: ignore[operator]
            continue
        links = sum(link_of(x) is not None for x in cells)
        in_words = bool(words) and (words.isdisjoint(_FLAGS) or bool(words & {"-1", "-"}))
        numbers = all(map(is_number, words))
        if numbers and (is_measure(name) or _is_count(name)):
            continue
        probabilities = numbers and all(abs(float(x)) <= 1 for x in words)
        two = len(words) == 2 and (plain(name) in LINK_KINDS or name_sense(name) is not None)
        two |= len(words) == 2 < len(cells) and not numbers and not is_aside(name)
        if links == len(cells) or probabilities or two or (in_words and 2 * links > len(cells)):
            able.append(name)
            sure += [name] if in_words and 2 * links > len(cells) else []
    if not sure:  # one that is called so, beside how sure it is
        named = [x for x in able if plain(x) in LINK.names or name_sense(x) is not None]
        able = named if len(named) == 1 else able
    return pair, sure if len(sure) == 1 else able, len(sure) == 1


#: What stands for the other link, where a column has one only.
_OTHER = {"1": "0", "0": "1", "-1": "1", "yes": "no", "no": "yes", "true": "false", "false": "true", "ja": "nein"}


#: The reading of two columns of labels without a link.
_ALL_MUST = "if all pairs are must-links"


def link_ways(table: RowTable, pair: Sequence[str], able: Sequence[str]) -> list[tuple[str, str]]:
    """The readings of a table of pairs: for each column that may be the link, what its words mean."""
    ways: list[tuple[str, str]] = []
    for name in able:
        shown: dict[str, str] = {}
        for text in table.head((table.names or []).index(name)):
            if not is_gap(text, _NO_LINK):
                shown.setdefault(link_word(text), text)
        known = name_sense(name) is not None or plain(name) in LINK.names or not shown.keys() <= _FLAGS
        columns = (*pair, name)
        rated = not shown.keys() <= LINKS.keys() and all(is_number(x) and abs(float(x)) <= 1 for x in shown)
        if rated or len(shown) > 2 or (known and all(link_of(x) is not None for x in shown)):
            kind = "cannot" if name_sense(name) is False else "must"
            what = f"holds probabilities of {kind}-links" if rated else "is the link"
            ways.append((f"if {name!r} {what}", call("read_pairs", table.path, columns=columns)))
            continue
        words = sorted(shown, key=lambda x: (link_of(x) is not True, x))
        codes = [shown[x] for x in words]
        codes += [] if len(codes) == 2 else [_OTHER.get(words[0], "0")]
        for way in (codes, codes[::-1]):
            what = f"if {way[0]!r} in {name!r} is a must-link"
            ways.append((what, call("read_pairs", table.path, columns=columns, codes=way)))
    return ways


def _measures(table: RowTable, pair: Sequence[str]) -> list[str]:
    """The columns of numbers beside two columns of labels."""
    others = [(x, k) for k, x in enumerate(table.names or ()) if x not in pair]
    others = [x for x in others if not _is_count(x[0])] or others
    return [x for x, k in others if all(is_number(with_point(y or "0")) for y in table.head(k))]


def _no_links(name: str) -> str:
    """The message for numbers that cannot be links."""
    return f"the numbers of {name!r} are not links, unless bounds make such of them"


def bounds_ways(table: RowTable, pair: Sequence[Any], name: str) -> list[tuple[str, str]]:
    """The ways to make links of numbers: from a bound on must-links, up to another one cannot-links, or turned."""
    cells = [with_point(x) for x in table.head((table.names or []).index(name)) if not is_gap(x, _NO_LINK)]
    return _ways_of_bounds([float(x) for x in cells if is_number(x)], repr(name), table.path, (*pair, name))


def _ways_of_bounds(
    cells: Sequence[float], what: str, path: str | None, columns: tuple[Any, ...] | None = None
) -> list[tuple[str, str]]:
    numbers = sorted({*cells})
    if len(numbers) < 2:
        return []
    low, high = numbers[(len(numbers) - 1) // 4], numbers[-1 - (len(numbers) - 1) // 4]
    low, high = (low, high) if low < high else (numbers[0], numbers[-1])
    ways = []
    far = None if columns is None else is_distance(str(columns[2]))
    for codes, which in (([high, low], "high"), ([low, high], "low")):
        if far in (None, which == "low"):
            meant = f"if {which} ones of {what} are alike, with these bounds for must-links and cannot-links, say"
            ways.append((meant, call("read_pairs", path, columns=columns, codes=codes)))
    return ways


def pairs_advice(table: RowTable) -> str | None:
    """How to read a table as pairs, if its cells tell that it holds some."""
    pair, able, _ = pair_by_cells(table)
    if pair is None or pair[0].strip().isdigit():  # numbers of columns
        return None
    rest = [x for x in table.names or () if x not in pair]
    if able:
        return f"{pair[0]!r} and {pair[1]!r} look like pairs. {listed(link_ways(table, pair, able))}"
    if not rest:
        return f"{_ALL_MUST}, {call('read_pairs', table.path, columns=pair)}"
    measures = _measures(table, pair)
    if not measures:
        return None
    ways = listed(bounds_ways(table, pair, measures[0]))
    return f"{pair[0]!r} and {pair[1]!r} look like pairs; {_no_links(measures[0])}. {ways}"


def refuse_pairs(table: RowTable, *, answered: bool = False) -> None:
    """Raise the question if a table has two columns of labels and one of their links, and no third label.

    `answered`: whether the answers of people are looked for, so that a yes and a no are links as well.
    """
    pair, able, sure = pair_by_cells(table) if table.names is not None else (None, [], False)
    if pair is not None and len(able) == 1 and (sure or (answered and _are_told(table, pair))):
        raise ask(
            table, f"{pair[0]!r} and {pair[1]!r} look like pairs, linked by {able[0]!r}.", link_ways(table, pair, able)
        )


def is_pair_table(content: bytes | str, name: str | None) -> bool:
    """True if a table has two columns of ids, one of their links, whatever that is called, and no anchor."""
    if is_parquet(content):
        return False
    text = decoded(content, name)
    if links_in_json(text, name) is not None:
        return True
    head = text[:_HEAD] if len(text) <= _HEAD else text[:_HEAD].rpartition("\n")[0]
    if not has_header(head, _may_name_pairs):
        return False
    table = split_rows(head, name, header=True, known=_may_name_pairs, problem=lambda *_: None)
    pair, able, sure = pair_by_cells(table)
    return len(able) == 1 and (sure or (_are_told(table, pair) and not _has_anchor(table, pair)))


def _may_name_pairs(names: Sequence[str]) -> bool:
    """True for a header with two ids, or with two things alike, an answer or a link and no third thing."""
    told = len(REPLY.among(names)) == 1 or len(LINK.among(names)) == 1
    return id_pair(names) is not None or (len(option_pairs(names)) == 1 and told)


def _are_told(table: RowTable, pair: Sequence[str] | None) -> bool:
    """Whether a header tells that two things are linked: they are ids, or stand alone beside an answer of a person."""
    names = table.names or []
    alone = [x for x in names if not is_aside(x) or plain(x) in REPLY.names]
    said = any(plain(x) in REPLY.names or plain(x) in LINK_KINDS for x in alone)
    told = LINK.among(names) or (len(alone) == 3 and said)
    return pair is not None and bool(pair == id_pair(names) or told)


def _has_anchor(table: RowTable, pair: Sequence[str] | None) -> bool:
    """Whether a column may be what two others are compared with: it is called so, or has their labels."""
    groups = [x for x in alike_columns(table, are_links) if pair is not None and {*pair} <= {*x}]
    return bool(ANCHOR.among(table.names or ())) or any(len(x) > 2 for x in groups)


def _readings(table: RowTable, name: str) -> tuple[bool | None, ...]:
    """What the cells of a column say, turned if its name says that two differ. None is no link."""
    unlike, words = (
        name_sense(name) is False,
        (link_word(cell_text(x) or "") for x in table.columns[(table.names or []).index(name)]),
    )
    return tuple(None if (y := link_of(x)) is None else y != (unlike and x in _FLAGS) for x in words)


def _is_count(name: str) -> bool:
    """True if a column is called like the number of a person or of a question."""
    return bool(WHO.among([name])) or _TURN.fullmatch(words_of(name)) is not None


def _is_rating(name: str) -> bool:
    """True if a column could have been the link, as a number."""
    return probability_sense(name) is not None or plain(name) == "score"


def _rated(text: str, least: int, unlike: bool = False) -> tuple[str, ...]:
    """The link and the weight of a number: of a probability, as much more probable as it is than the other link."""
    value = float(with_point(text)) if is_number(with_point(text)) else 2.0
    value = (2 * value - 1 if least == 0 else value) * (-1 if unlike else 1)
    return ("must" if value >= 0 else "cannot", repr(abs(value))) if -1 <= value <= 1 else (text,)


def looks_like_pairs(content: bytes | str, name: str | None, columns: Sequence[str], kind: str | None) -> bool:
    """True if a file holds pairs rather than triplets: by its header, else by a link in the third field of some line.

    Lines of triplets have a '|', and tables of them a header.

    Parameters
    ----------
    content : bytes or str
        Unpacked.
    name : str or None
    columns : sequence of three str
    kind : str or None
        The format, by the suffix.
    """
    rows = PairRows(name)

    def known(names: Sequence[str]) -> bool:
        return set(LabelRows.called(rows, names, columns)) <= set(names) or rows.is_header(names)

    if is_parquet(content):
        return known(parquet_names(content, name))
    text = decoded(content, name)
    rows.look(text)
    if has_header(text, known) or rows._either is not None or is_spaced_header(text[:_HEAD], known):
        return True
    if has_header(text, lambda names: {"a", "b", "c"} <= set(names) or usual_columns(names) is not None):
        return False
    links: list[str] = []
    for line in islice((x for x in text.splitlines() if x.strip() and not x.startswith("#")), _LINES):
        cells = next(csv.reader([line], delimiter=DELIMITERS[kind]), []) if kind in DELIMITERS else None
        if cells is None:
            tokens = PairRows(None).tokens(line, 1) or []
            if any(x.value == "|" and x.kind == "mark" for x in tokens):
                return False
            cells = [x.value for x in tokens if x.kind != "mark"]
        links.append(_joined(cells[2]) if len(cells) in (3, 4) else "")  # a single letter may be a label
    if rows._link_first:
        return True
    numbers = all(map(is_number, links))  # which are labels of triplets, too
    if (all if numbers else any)(x in LINKS for x in links) and links:
        return True
    below = links[1:] if len(links) > 1 and link_sense(links[0]) is None else links  # under a header of other words
    return bool(below) and all(link_sense(x) is not None for x in below)  # words that may be labels as well


def read_pairs(
    path: Source,
    *,
    format: RowFormat | None = None,
    leaves: LeafIndex | Iterable[Hashable] | int | None = None,
    columns: Sequence[str] = PAIR_COLUMNS,
    weight: str | None = "weight",
    codes: Sequence[Any] | None = None,
) -> PairwiseConstraints:
    r"""Read must-links and cannot-links.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        ``"-"`` is the standard input. Gzip, bzip2, xz and zip are unpacked. Also what recordlinkage gives: a Series of
        probabilities by pairs of ids, or a MultiIndex of such pairs, which are must-links.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default the suffix decides (.txt, .csv, .tsv, .parquet, also before .gz, .bz2 or .xz). Without a known
        suffix, a table if the first line is a header with the columns, else text.
    leaves : LeafIndex, iterable of labels or int, optional
        The leaves that may occur, all of which the result has. Labels that are not strings are known by ``str(label)``.
        For files of row numbers give the number of samples, for labels that are numbers the index of X. By default the
        leaves that the source names: as strings, sorted, or as the Parquet file keeps them. Whole numbers in a data
        frame stay numbers.
    columns : sequence of three str, or two, or of int
        Columns of a table that hold the two labels and the link. Of two columns of labels alone, all pairs are
        must-links. Links may, unless called distance, score or similarity, be numbers from 0 to 1, which are
        probabilities, or from -1 to 1, whose sign is the link and whose size the weight. A CSV or TSV without this
        header has them in this order, perhaps with a weight behind. By default also two columns of ids (``unique_id_l``
        and ``unique_id_r``, ``rec_id_1`` and ``rec_id_2``) with the link or, as Splink writes it, the
        ``match_probability`` p: a must-link from 1/2 on, else a cannot-link, of weight abs(2 p - 1).
    weight : str or None
        Column of the weights, if there is one of that name. None ignores it.
    codes : sequence of two values, optional
        The words that stand for a must-link and for a cannot-link, in this order: ``["yes", "no"]`` where the column
        says that two are the same, ``["no", "yes"]`` where it says that they differ. By default the words above. For
        other numbers two bounds: ``[7, 3]`` makes must-links from 7 on and cannot-links up to 3, ``[3, 7]`` must-links
        up to 3 and cannot-links from 7 on. Pairs between are left out.

    Returns
    -------
    PairwiseConstraints
        With the line of each pair. A pair that stands there more than once counts once, with its largest weight.
        They need not be consistent: a pair may be linked both ways.

    Raises
    ------
    ParseError
        If there are bad rows: labels missing or equal, an unknown link, a weight that is not in 0..1, a
        leaf not among `leaves`. ``.problems`` holds up to 20 of them, each with its line.

    See Also
    --------
    write_pairs : the reverse.
    tripletree.io.pairs : the text format.

    Examples
    --------
    >>> import io
    >>> list(read_pairs(io.StringIO("human chimp must\nhuman gorilla cannot  # surely")))
    [('chimp', 'human', 'must'), ('gorilla', 'human', 'cannot')]
    >>> read_pairs(io.StringIO("0 2 1\n2 4 -1\n"), leaves=5)  # row numbers
    <PairwiseConstraints: 1 must-link and 1 cannot-link on 5 leaves>
    """
    check_row_format(format)
    if codes is not None and (isinstance(codes, str) or len(codes) != 2 or len({link_word(str(x)) for x in codes}) < 2):
        msg = f"codes must be two different words, for must-link and cannot-link, not {codes!r}"
        raise ValueError(msg)
    return read_rows(
        PairRows,
        _by_index(path),
        format=format,
        columns=three_names(columns, "the two labels and the link", 2),
        weight=weight,
        codes=codes,
    ).pairs(leaves)


def _by_index(source: Any) -> Any:
    """A Series or frame of pandas whose rows are pairs, by their index, or the index itself, as a frame of columns."""
    index: Any = source if hasattr(source, "levels") else getattr(source, "index", None)
    if getattr(index, "nlevels", 1) != 2:
        return source
    frame = index.to_frame(index=False)
    frame.columns = [f"id_{k}" if x is None else str(x) for k, x in enumerate(index.names, 1)]
    if index is source:
        return frame.assign(link="must")
    values = source.to_frame("probability") if not hasattr(source, "columns") else source
    return frame.assign(**{str(x): values[x].tolist() for x in values.columns})


@overload
def write_pairs(pairs: PairwiseConstraints, path: None = None, *, format: RowFormat | None = None) -> str: ...
@overload
def write_pairs(pairs: PairwiseConstraints, path: Target, *, format: RowFormat | None = None) -> None: ...
def write_pairs(
    pairs: PairwiseConstraints, path: Target | None = None, *, format: RowFormat | None = None
) -> str | None:
    r"""Write must-links and cannot-links, in the order of their rows, the must-links first.

    Parameters
    ----------
    pairs : PairwiseConstraints
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    format : {"text", "csv", "tsv", "parquet"}, optional
        By default the suffix decides, else text.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two labels are the same once written as text (1 and "1").
    InvalidPairError
        If the format cannot hold a label: one with a line end in text, an empty one in CSV and TSV, half a surrogate
        pair in any.

    Warns
    -----
    UserWarning
        If the format is CSV or TSV and leaves that are in no pair are lost.

    Notes
    -----
    Text and Parquet give an equal value back, if the labels are strings. Others are written as ``str(label)``, and read
    back with the same `leaves`.

    Examples
    --------
    >>> p = PairwiseConstraints.from_labels([("human", "chimp")], [("human", "Hylobates lar")])
    >>> write_pairs(p)
    "chimp human must\n'Hylobates lar' human cannot\n"
    """
    weights = None if check_pairs(pairs).must_weights is None else pairs.row_weights
    links = np.repeat(np.array([0, 1], np.int32), [pairs.n_must, pairs.n_cannot])
    rows = pairs.rows
    return write_rows(
        path,
        format=format,
        leaves=pairs.leaves,
        columns={"a": (rows[:, 0], None), "b": (rows[:, 1], None), "link": (links, ["must", "cannot"])},
        weights=weights,
        what="pair",
        line=lambda row: " ".join(row) + "\n",
        error=InvalidPairError,
    )
