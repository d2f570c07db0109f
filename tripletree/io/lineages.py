"""Lineages: an item or a taxon in each line, with its path from the top.

Read are lines such as ``k__Bacteria; p__Firmicutes`` (Greengenes, SILVA, QIIME), ``Animals > Pets > Dogs`` (Google's
product taxonomy), ``k__Bacteria|p__Firmicutes`` (MetaPhlAn) and ``a/b/c``, bare or behind an id and a tab. So are
tables with a header that have a column of such paths, and tables with a column for each rank.

The path decides: one name in two places is two nodes. Ranks without a name are skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tripletree.core.checks import check_choice, counted
from tripletree.core.confidence import rated_name
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, tell_lost_marks
from tripletree.core.labels import GAPS, is_gap
from tripletree.core.notes import READING, kept, note
from tripletree.core.ontology import Ontology
from tripletree.core.paths import Paths
from tripletree.core.placeholders import FILLER, MEMBER, TAXON, Placeholders
from tripletree.errors import SHOWN, InvalidHierarchyError, LimitExceededError, ParseError, warn_user
from tripletree.io.classifiers import classifier
from tripletree.io.edges import leaf_texts, other_names
from tripletree.io.format import LINES, FileFormat
from tripletree.io.indented import XML_ROOTS, Step, steps_of
from tripletree.io.outlines import DELIMITERS, ROWS, Outline, cells_of, is_header, outlines, ways_of
from tripletree.io.source import Source, Target, write_text
from tripletree.io.table import has_header, header_with, hierarchy_of, split_rows, table_or_text
from tripletree.io.ways import call, question
from tripletree.tables.cells import NUMBER, cell_text
from tripletree.tables.columns import PATH, PATH_ITEM, is_called_id, plain
from tripletree.tables.rows import RowTable, shown_names

# ----------------------------------------------------------------------
# Paths of names, taken apart and put together into a tree.

#: Words for an unknown name.
MISSING = ("unclassified", "unassigned", "unidentified", "unknown", *sorted(GAPS - {""}))
_NEVER = 1 << 40
#: Most characters in the paths of all nodes together.
MOST_PATH_TEXT = 2**30

#: Signs between the names of a path, beside ``>``.
ARROWS = ("->", "→", "»", "›", "::")
_SEPARATORS = (";", *ARROWS, ">", "\\", "|", "/")
_SHOWN = {";": "; ", ">": " > ", **dict.fromkeys(ARROWS, " > ")}
#: The support of GTDB's clades before their names: ``100.0:g__Bacillus``.
_RATED_BEFORE = re.compile(r"\A\d+(?:\.\d+)?:(?=[a-z]__)")
_PREFIX = re.compile(r"(?:(sk|[dkpcofgst])|D_(\d{1,2}))__(.*)", re.DOTALL)
_RANK_LETTERS = (
    *(("sk", "superkingdom"), ("d", "domain"), ("k", "kingdom"), ("p", "phylum"), ("c", "class"), ("o", "order")),
    *(("f", "family"), ("g", "genus"), ("s", "species"), ("t", "strain")),
)
_PREFIX_RANKS = dict(_RANK_LETTERS)
#: SILVA's numbers.
_LEVELS = ("domain", "phylum", "class", "order", "family", "genus", "species")
#: Names of the first rows that tell whether names have confidences, and the share of them that must have one.
_SAMPLE, _NEARLY_ALL = 1_000, 0.9
#: How many paths a file has at least whose first one may be told to be a header.
_ROWS = 4
_NA = re.compile(r"(?<!\w)n/[ade]\.?(?!\w)", re.IGNORECASE)
_NUMBERED = re.compile(r"\s*(\d+) - (.*)", re.DOTALL)
#: The second word of the name of a species, and the first.
_EPITHET = re.compile(r"(?!(?:sp|spp|cf|aff|nov)\b)(?:[×x] ?)?[^\W\d_A-Z][^\W\d_]*(?:-[^\W\d_]+)*")
_GENUS = re.compile(r"(?:[×x] ?)?[^\W\d_a-z][^\W\d_]+")


class _Step(NamedTuple):
    """A step of a path."""

    rank: str | None
    name: str
    kind: int
    """A taxon or a placeholder: see `tripletree.core.placeholders`."""
    filled: bool
    """True if it ends in _X, as in PR2."""
    silent: bool
    """True for a word of `missing`, which is never a leaf."""


class PathTree:
    """The tree of all paths seen so far. Parents stand before their children.

    Attributes
    ----------
    parent : list of int
        -1 for tops.
    names, ranks : list of (str or None)
    items : dict
        Ids of the nodes that are items.
    ids : dict
        Ids of other nodes, where the source numbers them.
    opened : list of bool
        The nodes that are known to be somewhere below their parents, since a placeholder stands between.
    lost : list
        Items without any taxon. They are not nodes.
    synonyms : dict
        The nodes that other names mean.
    """

    def __init__(
        self, source: str | None, missing: Iterable[str], sep: str, placeholders: Placeholders | None = None
    ) -> None:
        self.source, self.sep = source, sep
        self._rated = False
        self.opened: list[bool] = []
        self.lost: list[Any] = []
        self.synonyms: dict[str, int] = {}
        self._step: list[int] = []
        self._placeholders = placeholders or Placeholders(False)
        self._fillers: set[str] = set()
        self.parent: list[int] = []
        self.names: list[str | None] = []
        self.ranks: list[str | None] = []
        self.items: dict[int, Any] = {}
        self.ids: dict[int, str] = {}
        self._missing = {x.strip().casefold() for x in missing} - {""}
        self._node: dict[tuple[int, str | None, str], int] = {}
        self._seen: dict[str | tuple[str | None, ...], tuple[int, _Step | None]] = {}
        self._parts: dict[tuple[str | None, ...], _Step | None] = {}

    def look_for_confidences(self, parts: Iterable[str]) -> None:
        """Take a number behind each name, ``Firmicutes(98)``, for its confidence if nearly all names have one."""
        some = [x for x in parts if x.strip()]
        rated = sum(rated_name(x).support is not None for x in some)
        self._rated = bool(some) and rated >= _NEARLY_ALL * len(some)

    def text_node(self, text: str, *, whole: bool = False) -> int:
        """The node of a path given as text. -1 if it holds no name.

        With `whole` the path stands for itself: if it ends in a placeholder, that is an open leaf.
        """
        found = self._seen.get(text)
        if found is None:
            found = self._seen[text] = self._walk(map(self._known, text.split(self.sep)))
        return self._end(*found) if whole else found[0]

    def cells_node(self, cells: Sequence[str | None], ranks: Sequence[str | None], *, whole: bool = False) -> int:
        """The node of a path given name by name, each with its rank."""
        row = tuple(cells)
        found = self._seen.get(row)
        if found is None:
            steps = (None if x is None else self._known(x, r) for x, r in zip(row, ranks, strict=True))
            found = self._seen[row] = self._walk(steps)
        return self._end(*found) if whole else found[0]

    def _known(self, part: str, *rank: str | None) -> _Step | None:
        """One step of a path, None if there is nothing in it. A rank that is given counts more than its prefix."""
        key = (part, *rank)
        if key not in self._parts:
            found = self.part(part)
            self._parts[key] = found if found is None else self._step_of(rank[0] if rank else found[0], found[1])
        return self._parts[key]

    def _step_of(self, rank: str | None, name: str) -> _Step | None:
        match = _PREFIX.fullmatch(name)
        plain = {name.casefold(), (name if match is None else match[3].strip()).casefold()}
        if plain & self._missing:
            # a word that says "not known" hides a taxon, while NA is no more than an empty cell
            return None if plain & GAPS else _Step(rank, name, FILLER, filled=False, silent=True)
        filled = name.endswith("X") and "_X" in name
        return _Step(rank, name, self._placeholders.kind(name), filled=filled, silent=False)

    def _walk(
        self, steps: Iterable[_Step | None], node: int = -1, hidden: _Step | None = None, depth: int = 0
    ) -> tuple[int, _Step | None]:
        """The last taxon of a path, and the placeholder that the path ends in, if it does. It may go on from a node."""
        above = ""
        for k, step in enumerate(steps, depth):
            if step is None:
                continue
            kind = step.kind
            if step.filled and kind == TAXON:
                kind = self._placeholders.kind(step.name, above)
            above = step.name
            if kind == FILLER:
                hidden = step
                self._fillers.add(step.name)
                continue
            node = self._below(node, step.rank, step.name, k, opened=hidden is not None or kind == MEMBER)
            hidden = None
        return node, hidden

    def _end(self, node: int, hidden: _Step | None) -> int:
        """The node of a path that stands for itself."""
        if hidden is None or hidden.silent or node < 0:
            return node
        return self._below(node, hidden.rank, hidden.name, len(RANKS), opened=True)

    def add_outline(self, steps: Sequence[Step]) -> None:
        """Hang each line of an outline under the one that holds it."""
        stack: list[tuple[int, _Step | None]] = []
        for step, below in zip(steps, [*(x.depth for x in steps[1:]), 0], strict=True):
            del stack[step.depth :]
            stack.append(self._walk([self._known(step.name)], *(stack[-1] if stack else (-1, None)), step.depth))
            if below <= step.depth:
                stack[-1] = self._end(*stack[-1]), None
            if step.number is not None and stack[-1][0] >= 0:
                self.ids[stack[-1][0]] = step.number

    def add_item(self, item: Hashable, node: int) -> None:
        """Hang an item under a node. One without a node is lost."""
        if node < 0:
            self.lost.append(item)
        else:
            self.items[self._append(node, None, None, -1, opened=False)] = item

    def open_nodes(self) -> np.ndarray:
        """Which nodes are open: behind a placeholder, behind an empty rank that others fill, or an item among taxa."""
        parent, step = np.array(self.parent, np.int64), np.array(self._step, np.int64)
        item = np.zeros(parent.size, np.bool_)
        item[list(self.items)] = True
        taxa = np.flatnonzero(~item)
        first = np.full(parent.size + 1, _NEVER, np.int64)  # the first step below each node that has a name
        np.minimum.at(first, parent[taxa], step[taxa])
        opened = np.array(self.opened, np.bool_)
        opened[taxa] |= step[taxa] > first[parent[taxa]]
        opened[item] |= first[parent[item]] < _NEVER
        return opened

    def bare_lines(self, lines: list[str], numbers: list[int]) -> None:
        """Paths that stand for themselves, all of them with a number before them (``3237 - Pets > Dogs``) or none."""
        numbered = [_NUMBERED.fullmatch(line) for line in lines]
        if not all(numbered):
            odd = next(i for i, match in enumerate(numbered) if match is None)
            if 2 * sum(match is not None for match in numbered) > len(lines):
                msg = f"no number before this path, as most lines have one: {lines[odd]!r:.60}"
                raise ParseError(msg, path=self.source, line=numbers[odd])
            for line in lines:
                self.text_node(line, whole=True)
            return
        seen: dict[str, int] = {}
        for match, number in zip(numbered, numbers, strict=True):
            assert match is not None
            id, node = match[1], self.text_node(match[2], whole=True)
            if node < 0:
                raise ParseError(f"no name behind the number {id}", path=self.source, line=number)
            if id in seen or node in self.ids:
                what = f"the number {id} stands twice: it is on line {seen.get(id)} already"
                what = what if id in seen else f"this path has another number already, {self.ids[node]}"
                raise ParseError(what, path=self.source, line=number)
            seen[id] = number
            self.ids[node] = id

    def paths(self, nodes: Iterable[int]) -> list[str]:
        """The whole paths of some nodes.

        Raises
        ------
        LimitExceededError
            If they are longer than `MOST_PATH_TEXT` together.
        """
        nodes = list(nodes)
        sep = _SHOWN.get(self.sep, self.sep)
        size: list[int] = []
        for p, name in zip(self.parent, self.names, strict=True):
            size.append(len(name or "") + (size[p] + len(sep) if p >= 0 else 0))
        total = sum(size[u] for u in nodes)
        if total > MOST_PATH_TEXT:
            many = f"{len(nodes)} node{'s' * (len(nodes) != 1)} have"
            msg = f"the paths of {many} {total} characters, more than {MOST_PATH_TEXT}"
            raise LimitExceededError(msg, size=total, limit=MOST_PATH_TEXT)
        out = []
        for u in nodes:
            names = []
            while u >= 0:
                names.append(self.names[u] or "")
                u = self.parent[u]
            out.append(sep.join(reversed(names)))
        return out

    def part(self, text: str) -> tuple[str | None, str] | None:
        """Return rank and name of one step of a path. None if there is no name."""
        name = ((rated_name(text).name or "") if self._rated else text).strip()
        if self._rated and len(name) > 2 and name[0] == name[-1] == '"':  # of mothur
            name = name[1:-1]
        name = _RATED_BEFORE.sub("", name)
        match = _PREFIX.fullmatch(name)
        rank, bare = None, name
        if match is not None:
            level = int(match[2] or 0)
            if match[1]:
                rank = _PREFIX_RANKS[match[1]]
            elif level < len(_LEVELS):
                rank = _LEVELS[level]
            bare = match[3].strip()
        if not bare.strip("_"):
            return None
        return rank, name

    def _below(self, node: int, rank: str | None, name: str, step: int, *, opened: bool) -> int:
        key = (node, rank, name)
        found = self._node.get(key)
        if found is None:
            found = self._node[key] = self._append(node, rank, name, step, opened=opened)
        elif step < self._step[found]:
            self._step[found] = step
        if not opened:
            self.opened[found] = False
        return found

    def _append(self, parent: int, rank: str | None, name: str | None, step: int, *, opened: bool) -> int:
        self.parent.append(parent)
        self.ranks.append(rank)
        self.names.append(name)
        self._step.append(step)
        self.opened.append(opened)
        return len(self.parent) - 1


def separator_of(rows: Sequence[Sequence[str]], sep: str, *, path: str | None, needed: bool = True) -> tuple[str, int]:
    """The separator of paths, blanks around it taken off, and which of the first two cells of a row the path is.

    The first of several candidates that is in at least half as many rows as the most frequent, and the first cell if
    it is there in half as many rows as in the second. If there is none at all, prefixes of ranks (``k__Bacteria``)
    tell paths of one name. Without them, paths are refused if `needed`.
    """
    wanted = (sep.strip() or sep,) if sep != "auto" else _SEPARATORS
    wide = any(len(row) > 1 for row in rows)
    whole = ["\n".join(row[k] for row in rows if len(row) > k) for k in range(1 + wide)]
    count = {
        (s, k): sum(len(row) > k and s in row[k] for row in rows) if s in whole[k] else 0
        for s in wanted
        for k in range(1 + wide)
    }
    for k in range(1 + wide):
        if count.get(("/", k)):  # but for n/a
            count["/", k] = sum(len(row) > k and "/" in row[k] and "/" in _NA.sub("", row[k]) for row in rows)
    most = max(count.values())
    if most == 0 and sep == "auto":
        prefixed = [sum(len(row) > k and has_prefix(row[k]) for row in rows) for k in range(1 + wide)]
        if any(prefixed):
            return _SEPARATORS[0], int(prefixed[0] < prefixed[-1])
    if most == 0 and sep == "auto":
        dotted = [_are_dotted([row[k].strip() for row in rows if len(row) > k]) for k in range(1 + wide)]
        if any(dotted):
            return ".", int(not dotted[0])
    if most == 0 and sep == "auto" and needed:
        shown = ", ".join(map(repr, _SEPARATORS))
        msg = (
            f"no separator of paths found (none of {shown}): give sep, or columns=[...] of a table with a header, from "
            "the top down"
        )
        raise ParseError(msg, path=path)
    if most == 0:
        return wanted[0], int(wide)
    return next(key for key, k in count.items() if 2 * k >= most)


def _are_dotted(cells: Sequence[str]) -> bool:
    """True if these are paths with dots between names (ltree): what stands before the last dot is a path, too."""
    known = {x for x in cells if x}
    below = [x for x in known if "." in x.strip(".")]
    return 2 * sum(x.rpartition(".")[0] in known for x in below) > len(known) > 2


def has_prefix(text: str) -> bool:
    """True if a path starts with the prefix of a rank, as in ``k__Bacteria``."""
    return _PREFIX.fullmatch(text.strip()) is not None


def has_separator(text: str) -> bool:
    """True if a text has one of the usual separators of paths in it."""
    return any(x in text for x in _SEPARATORS)


def split_lines(text: str) -> tuple[list[int], list[list[str]]]:
    """Lines that are neither blank nor comments, split at tabs, with their numbers."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    numbers = [i for i, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    return numbers, [lines[i - 1].split("\t") for i in numbers]


def is_name(text: str) -> bool:
    """True if a step of a path is a name, where no word stands for a missing one."""
    return PathTree(None, (), ";").part(text) is not None


def is_numbered(text: str) -> bool:
    """True if a path starts as one with a number before it."""
    return _NUMBERED.fullmatch(text) is not None


# ----------------------------------------------------------------------
# Tables of lineages: which columns hold the path, which one the items, and which tables are of edges instead.

#: Ranks from the top down. A table with columns of these names is read by them.
RANKS = (
    *("superkingdom", "domain", "realm", "subrealm", "kingdom", "subkingdom", "infrakingdom", "superphylum"),
    *("phylum", "division", "subphylum", "infraphylum", "superclass", "class", "subclass", "infraclass", "cohort"),
    *("superorder", "order", "suborder", "infraorder", "parvorder", "superfamily", "family", "subfamily"),
    *("supertribe", "tribe", "subtribe", "genus", "subgenus", "section", "series", "species", "subspecies"),
    *("variety", "varietas", "form", "strain"),
)
_RANK_ORDER = {rank: k for k, rank in enumerate(RANKS)}

#: Their names in other languages. A name that has another meaning as well counts beside others.
_FOREIGN = (
    "domäne=domain reich=kingdom unterreich=subkingdom stamm=phylum abteilung=division unterstamm=subphylum "
    "klasse=class unterklasse=subclass überordnung=superorder ordnung=order unterordnung=suborder "
    "überfamilie=superfamily familie=family unterfamilie=subfamily tribus=tribe gattung=genus untergattung=subgenus "
    "art=species unterart=subspecies varietät=variety",
    "domaine=domain règne=kingdom regne=kingdom embranchement=phylum classe=class sousclasse=subclass ordre=order "
    "sousordre=suborder famille=family sousfamille=subfamily tribu=tribe genre=genus sousgenre=subgenus "
    "espèce=species espece=species sousespèce=subspecies variété=variety",
    "dominio=domain reino=kingdom filo=phylum clase=class subclase=subclass orden=order suborden=suborder "
    "familia=family subfamilia=subfamily tribu=tribe género=genus genero=genus especie=species subespecie=subspecies",
)
_OTHER_RANKS = [dict(x.split("=", 1) for x in words.split()) for words in _FOREIGN]
#: Names of columns of the second word of a species.
_EPITHETS = frozenset(
    {"epithet", "specificepithet", "speciesepithet", "epitheton", "artepitheton", "épithète", "epíteto"}
)
_VAGUE = frozenset({"art", "reich", "stamm", "abteilung", "genre", "orden", "klasse", "classe", "clase"})

#: A column of BOLD or iNaturalist: family_name, taxon_family_name.
_NAME_OF_RANK = re.compile(r"(?:taxon)?(.+?)(?:name)?")

Columns = Sequence[Sequence[Any]]


def _rank_of(name: str) -> str | None:
    """The rank whose names a column with this name holds."""
    word = plain(name)
    found = _NAME_OF_RANK.fullmatch(word)
    return word if word in _RANK_ORDER else found[1] if found and found[1] in _RANK_ORDER else None


def _ranks_in(names: Sequence[str]) -> dict[str, str]:
    """The columns that are called like ranks, in one language or in English, with these ranks in English."""
    found = {x: plain(x) for x in names if plain(x) in _RANK_ORDER}
    epithets = {x: "species" for x in names if plain(x) in _EPITHETS}

    def whole(ranks: dict[str, str]) -> dict[str, str]:
        of_genera = "genus" in ranks.values() and "species" not in ranks.values()
        return ranks | epithets if of_genera else ranks

    for words in _OTHER_RANKS:
        others = {x: words[plain(x)] for x in names if plain(x) in words and x not in found}
        if any(plain(x) not in _VAGUE for x in others) and len(whole(found | others)) > 1:
            return whole(found | others)
    return whole(found) or {
        x: rank for x in names if (rank := _rank_of(x)) is not None
    }  # species_name may be the items


def is_path_header(name: str) -> bool:
    """True if this is the usual name of a column of paths."""
    return plain(name) in PATH.names


def columns_of_paths(names: Sequence[str]) -> list[str] | None:
    """The columns of a header that hold a path: ranks from the top down, or the one of whole paths."""
    words = [plain(x) for x in names]
    ranks = _ranks_in(names)
    if len(ranks) > 1 and len(set(ranks.values())) == sum(x in ranks for x in names):
        return sorted(ranks, key=lambda x: _RANK_ORDER[ranks[x]])
    paths = PATH.among(names)
    return paths if len(paths) == 1 and len(set(words)) == len(words) else None


def usual_columns(names: Sequence[str]) -> list[str] | None:
    """The columns of a header that hold a path, if it is one of a table of lineages.

    A column of whole paths must come first, or behind one of ids: the last name of a path may be "path".
    """
    usual = columns_of_paths(names)
    if usual is not None and len(usual) == 1 and usual[0] != names[0] and plain(names[0]) not in PATH_ITEM.names:
        return None
    return usual


def looks_like_lineages(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """True if names of columns and first rows look like a table of lineages.

    It is not if no columns are known to hold a path, nor if they hold edges, which `read_lineages`
    refuses: a column ``taxon`` without any separator, or ``class,superclass`` with names of one in the other.
    """
    usual = usual_columns(names)
    if usual is None:
        return False
    columns = [[row[k] or None if k < len(row) else None for row in rows] for k in range(len(names))]
    return _edge_columns(names, columns, [list(names).index(x) for x in usual]) is None


def check_not_edges(table: RowTable, places: Sequence[int]) -> None:
    """Refuse a table whose columns of paths hold edges, with the reader that takes it."""
    found = _edge_columns(table.names or [], table.columns, places)
    if found is None:
        return
    child, parent, reason = found
    other = "..." if parent is None else repr(parent)
    msg = (
        f"these look like edges, no lineages: {reason}; read_edges(..., child_column={child!r}, parent_column={other}) "
        f"reads edges; give columns=[...] if they are lineages all the same"
    )
    raise table.refusal(msg)


def _edge_columns(names: Sequence[str], columns: Columns, places: Sequence[int]) -> tuple[str, str | None, str] | None:
    """The columns of child and parent (None: not known), and why the table is one of edges. None for lineages."""
    if len(places) == 1:
        return _edges_of_one(names, columns, places[0])
    if len(places) != 2 or 0 not in places:
        return None
    upper, lower = places
    up: dict[Any, Any] = {}
    for child, parent in zip(columns[lower], columns[upper], strict=True):
        if child is not None and parent is not None and child != parent:
            up[child] = parent
    both = next((x for x in columns[upper] if x in up), None)
    if both is None:
        return None
    reason = f"{both!r} is in the column {names[upper]!r} and in {names[lower]!r} below {up[both]!r}"
    return names[lower], names[upper], reason


def _edges_of_one(names: Sequence[str], columns: Columns, place: int) -> tuple[str, str | None, str] | None:
    """`_edge_columns` for one column of paths: a path of one name counts only if it belongs to an item."""
    texts = [cell_text(x) or "" for x in columns[place]]
    if not any(texts) or any(has_separator(x) or has_prefix(x) for x in texts) or _are_dotted(texts):
        return None
    reason = f"no cell of the column {names[place]!r} has a separator in it"
    others = [k for k in range(len(names)) if k != place and not _all_numbers(columns[k])]
    if place == 0:
        return names[place], names[others[0]] if len(others) == 1 else None, reason
    known = set(texts) - {""}
    if any(cell_text(x) in known for x in columns[0]):
        return names[0], names[place], f"{reason}, and {names[0]!r} holds some of the same names"
    return None


def column_of_ids(names: Sequence[str], columns: Columns, places: Sequence[int]) -> int | None:
    """The column of the items: the one with a usual name, or in the first one, if it can hold them."""
    usual = [k for k, x in enumerate(names) if plain(x) in PATH_ITEM.names and k not in places]
    if len(usual) == 1 and 2 * len(set(columns[usual[0]])) > len(columns[usual[0]]):
        return usual[0]
    if 0 in places or plain(names[0]) in _RANK_ORDER or _all_numbers(columns[0]):
        return None
    return 0 if None not in columns[0] and len(set(columns[0])) == len(columns[0]) else None


def tells_apart(names: Sequence[str], columns: Columns, places: Sequence[int], n_paths: int) -> str | None:
    """The first column of text beside the paths that has more values than there are paths."""
    if not columns or n_paths == len(columns[0]):
        return None
    for k, name in enumerate(names):
        free = k not in places and _rank_of(name) is None
        if free and len(set(columns[k]) - {None}) > n_paths and not _all_numbers(columns[k]):
            return name
    return None


def _all_numbers(column: Sequence[Any]) -> bool:
    return all(x is None or not isinstance(x, str) or NUMBER.fullmatch(x.strip()) is not None for x in column)


# ----------------------------------------------------------------------
# Writing a hierarchy as lineages: for each leaf its path from the top.

Layout = Literal["paths", "table"]


@overload
def write_lineages(hierarchy: Hierarchy, path: None = None, *, sep: str = "; ", layout: Layout = "paths") -> str: ...
@overload
def write_lineages(hierarchy: Hierarchy, path: Target, *, sep: str = "; ", layout: Layout = "paths") -> None: ...
def write_lineages(
    hierarchy: Hierarchy, path: Target | None = None, *, sep: str = "; ", layout: Layout = "paths"
) -> str | None:
    r"""Write a hierarchy as lines, one for each leaf with the names of all nodes above it.

    Parameters
    ----------
    hierarchy : Hierarchy
        Every inner node needs a name, except for a root that has several children.
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    sep : str
        The separator of names.
    layout : {"paths", "table"}
        "paths" ends each path with the leaf: ``Bacteria; Firmicutes; f1``. "table" is QIIME's: a header, and for each
        leaf its label, a tab and the path of the nodes above it.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    InvalidHierarchyError
        If paths cannot express it: an inner node without a name, two of one name under one node, a name with the
        separator or a line end in it, blanks around it, or one that reads as no name at all.
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    LimitExceededError
        If the text would be longer than 2**30 characters: paths of deep hierarchies are long.

    See Also
    --------
    read_lineages : the reverse. With ``labels="path"`` where labels are whole paths with this `sep`, with
        ``missing=()`` where names such as "unknown" are meant.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "loris"], names=["apes", "primates"])
    >>> print(write_lineages(h, sep=" > "), end="")
    primates > apes > human
    primates > apes > chimp
    primates > loris
    """
    check_choice(layout, "layout", ("paths", "table"))
    if not isinstance(sep, str) or not sep.strip() or not sep.isprintable():
        msg = f"sep must be text that is not all blanks, such as '; ', not {sep!r}"
        raise ValueError(msg)
    hierarchy = check_hierarchy(hierarchy)
    names = _node_texts(hierarchy, sep.strip())
    _check_paths(hierarchy, names, layout)
    tell_lost_marks(hierarchy, "a list of paths", open_leaves=layout == "table")
    lines = _lines(hierarchy, names, sep, layout)
    return write_text(lines, path)


def _node_texts(hierarchy: Hierarchy, sep: str) -> list[str | None]:
    """The name of each node in a path. None for a root without a name."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    inner: list[str | None] = [None] * (N - n) if hierarchy.names is None else list(hierarchy.names)
    names = [*leaf_texts(hierarchy), *inner]
    if any(x is not None and sep in x for x in names):  # whole paths, as of labels="path", are written once
        paths = Paths(names[:n], inner, hierarchy.parent)
        last = paths.last_names(sep)
        if all(u in last for u, p in enumerate(paths.above) if p >= 0 and names[u] is not None):
            names = [last.get(u, x) for u, x in enumerate(names)]
    for u, name in enumerate(names):
        if name is None:
            if u == hierarchy.root and hierarchy.n_children[u] > 1:
                continue
            which = "the root, which has one child," if u == hierarchy.root else f"inner node {u}"
            msg = f"{which} has no name, which a path needs; write Newick, or name it"
            raise InvalidHierarchyError(msg, node=u)
        if sep in name:
            msg = f"{name!r} (node {u}) has the separator {sep!r} in it: take another sep"
            raise InvalidHierarchyError(msg, node=u)
        if any(x in name for x in "\t\n\r") or name != name.strip() or not is_name(name):
            msg = (
                f"{name!r} (node {u}) cannot stand in a path: no tabs, no line ends, no blanks around it, not only '_'"
            )
            raise InvalidHierarchyError(msg, node=u)
    return names


def _check_paths(hierarchy: Hierarchy, names: list[str | None], layout: str) -> None:
    """Refuse two nodes of one path."""
    first = hierarchy.n_leaves if layout == "table" else 0
    seen: dict[tuple[int, str | None], int] = {}
    for u, p in enumerate(hierarchy.parent.tolist()[first:], first):
        if seen.setdefault((p, names[u]), u) != u:
            msg = f"nodes {seen[p, names[u]]} and {u} are both called {names[u]!r}, under one node: one path for two"
            raise InvalidHierarchyError(msg, node=u)


def _lines(hierarchy: Hierarchy, names: list[str | None], sep: str, layout: str) -> Iterator[str]:
    up = hierarchy.parent.tolist()
    n, N = hierarchy.n_leaves, len(up)
    size = [0] * N
    for u in range(N - 1, -1, -1):
        name = names[u]
        size[u] = (size[up[u]] if up[u] >= 0 else 0) + (0 if name is None else len(name) + len(sep))
    total = sum(size[:n])
    if total > MOST_PATH_TEXT:
        msg = f"the paths of {n} leaves have {total} characters, more than {MOST_PATH_TEXT}: write Newick, or edges"
        raise LimitExceededError(msg, size=total, limit=MOST_PATH_TEXT)
    if layout == "table":
        yield "Feature ID\tTaxon\n"
    for u in range(n):
        path = []
        v = u if layout == "paths" else up[u]
        while v >= 0:
            if names[v] is not None:
                path.append(str(names[v]))
            v = up[v]
        text = sep.join(reversed(path))
        if layout == "table":
            yield f"{_cell(str(names[u]))}\t{_cell(text)}\n"
            continue
        if text[0] in "#\ufeff" or is_numbered(text) or (u == 0 and is_path_header(text)):
            msg = f"the path {text!r:.60} of leaf {u} reads as a comment, a header or a number; take layout='table'"
            raise InvalidHierarchyError(msg, node=u)
        yield f"{text}\n"


def _cell(text: str) -> str:
    """A cell of the table, in quotes where it would be read as one."""
    return '"' + text.replace('"', '""') + '"' if text.startswith('"') else text


@kept
def read_lineages(
    path: Source | Any,
    *,
    sep: str = "auto",
    columns: str | Sequence[str | int] | None = None,
    id_column: str | int | None = None,
    header: bool | None = None,
    labels: Literal["name", "path", "id"] = "name",
    missing: str | Iterable[str] = MISSING,
    placeholders: bool | str | Iterable[str] = True,
    delimiter: str | None = None,
    fill: bool | None = None,
) -> Hierarchy:
    r"""Read a hierarchy from lines or table rows that each hold a path of taxa.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        Text, CSV or its like, Parquet, or an outline. Gzip, bzip2 and xz are unpacked. A data frame of pandas or
        polars, or a table of pyarrow.
    sep : str
        The separator of the names of a path, blanks around it aside. By default the first of ``;``, ``->``, ``→``,
        ``»``, ``›``, ``::``, ``>``, ``\``, ``|`` and ``/`` that is in at least half as many lines as the most frequent
        of them.
    columns : str or sequence of (str or int), optional
        Of a table: the columns of the ranks from the top down, or the one column of paths, by name, or by position
        from 0. By default the columns with names of ranks (kingdom, phylum, class, order, family, genus, species and
        those between, in English, German, French or Spanish), or the one called taxon, taxonomy, lineage, path or the
        like, or the nested columns under names of categories and items (``Department,Aisle,Item``), or the one whose
        cells are paths. Species that are written as epithets alone get their genus before them.
    id_column : str or int, optional
        Of a table: the column of the items' ids. By default the one called "Feature ID", "OTU ID", "id"
        or the like, else the first one, if it holds no part of the path and no rank, and all its values are there,
        differ, and are not all numbers (``breed,species,genus``).
    header : bool, optional
        Whether the first row names columns. By default its words and the rows below tell, and where they may be either,
        it is asked.
    labels : {"name", "path", "id"}
        Names of nodes that are not items: "name" is the last name of their path. If several leaves share
        it, their whole paths. "path" is the whole path, "id" the number that Google's taxonomy puts before it.
    missing : str or iterable of str
        Words for no name, in any case and with a rank's prefix or without, besides nothing at all.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "uncultured", "Incertae Sedis", "Unknown Family", "X_unclassified" and
        "Quercus sp." They are passed over, and what is below them is open (``.incertae_sedis``). Names extend the
        known ones, False takes every name for a taxon.
    delimiter : str, optional
        Between the cells of a table. By default a tab, comma, semicolon or bar, whichever fits the header.
    fill : bool, optional
        For columns of ranks: whether an empty cell before a name has the name above it, as merged cells of spreadsheets
        are saved. By default it is not known, and refused where it looks like merged cells: the first column has empty
        cells, and no name twice.

    Returns
    -------
    Hierarchy
        If there are ids, the items are the leaves, each under its taxon. An item without any is left out, and one
        whose taxon has others below it is open there.
        Without ids the leaves are the paths that no other path continues, each once, however often it occurs. Leaves
        stand in the order of the source. `ranks` is known from prefixes (``g__``, ``D_5__``) and columns. Several tops
        get an unnamed node above them. In a table of ranks, a row that names its accepted taxon (acceptedNameUsageID
        and the like, or a taxonomicStatus of synonyms) adds `synonyms` of it, and is left out if that has no row.

    Raises
    ------
    ParseError
        If no separator is found, a line has no path, an id is missing or stands twice, or a table looks like one of
        edges: a column ``taxon`` without any separator, or two ranks of which one holds names of the other, as in
        ``class,superclass``. Give `columns` if it is not.

    Warns
    -----
    UserWarning
        If items without a taxon are left out. If no column of ids is found in a table, and a column that is not read
        tells rows of one path apart.

    See Also
    --------
    write_lineages : the reverse.
    read_edges : a child and its parent in each row.

    Notes
    -----
    A rank without a name (``g__``, ``unclassified``) is not a node: nothing is known to share it. A node with a name
    below it hangs from the last named one above. It is open there if the rank is a word such as "unclassified", or
    if it is empty and has a name in another path below that node. Bare lines with no name at all are left out. Lines
    that start with ``#`` are comments, and a first line with only "Taxon" or the like is a header. So is a first row
    of a word for ids and a cell that is no path, as no other (``sku``, ``category``), which is noted. If the paths
    stand in the first of several columns without header (profiles of MetaPhlAn), the others are not read.

    Lines may also be below each other: indented by blanks or tabs, bullets and headings of Markdown or a wiki, numbers
    (``1.2``), a tree as the command `tree` draws it, a table with one filled cell in each row, OPML, a map of FreeMind.

    Examples
    --------
    >>> import io
    >>> text = "f1\tk__Bacteria; p__Firmicutes; g__\nf2\tk__Bacteria; p__Firmicutes\nf3\tk__Bacteria\n"
    >>> h = read_lineages(io.StringIO(text))
    >>> list(h.leaves), h.names, h.ranks
    (['f1', 'f2', 'f3'], ('p__Firmicutes', 'k__Bacteria'), (None, None, None, 'phylum', 'kingdom'))
    >>> read_lineages(io.StringIO("Food\nFood > Bread\nFood > Cheese\nToys\n")).leaves
    LeafIndex(['Bread', 'Cheese', 'Toys'])
    """
    check_choice(labels, "labels", ("name", "path", "id"))
    tree = _read(path, _Asked.of(sep, columns, id_column, header, missing, placeholders, fill), delimiter)
    called, leaves = _called(tree, labels)
    known = {*called, *leaves}
    others = {x: u for x, u in tree.synonyms.items() if x not in known}
    values: dict[str, Any] = {"names": called, "ranks": tree.ranks, "incertae_sedis": tree.open_nodes()}
    return hierarchy_of(tree.parent, leaves, **values, synonyms=others, where=" among the names, paths and ids")


def lineages_ontology(
    path: Source | Any,
    *,
    sep: str = "auto",
    columns: str | Sequence[str | int] | None = None,
    id_column: str | int | None = None,
    header: bool | None = None,
    missing: str | Iterable[str] = MISSING,
    placeholders: bool | str | Iterable[str] = True,
    delimiter: str | None = None,
    fill: bool | None = None,
) -> Ontology:
    """Lineages as an ontology: items and Google's numbers as terms by themselves, other nodes by their paths."""
    tree = _read(path, _Asked.of(sep, columns, id_column, header, missing, placeholders, fill), delimiter)
    for u, item in tree.items.items():  # a species that has an item's name: the terms are two all the same
        tree.names[tree.parent[u]] = tree.names[tree.parent[u]] or str(item)
    paths = tree.paths(range(len(tree.parent)))
    ids = [tree.items.get(u, tree.ids.get(u, path)) for u, path in enumerate(paths)]
    edges = [(u, p) for u, p in enumerate(tree.parent) if p >= 0]
    names = [None if u in tree.items else x for u, x in enumerate(tree.names)]
    placed = np.array(tree.parent) >= 0
    known = {*ids, *names}
    others = {x: ids[u] for x, u in tree.synonyms.items() if x not in known}
    return Ontology(
        ids, edges, names=names, ranks=tree.ranks, incertae_sedis=tree.open_nodes() & placed, synonyms=others
    )


def _called(tree: PathTree, labels: str) -> tuple[list[str | None], list[str | None]]:
    """The names of the nodes as inner nodes and as leaves."""
    nodes = range(len(tree.parent))
    if labels == "id" and not (tree.ids or tree.items):
        msg = "labels='id', but there are no ids in it: take 'name' or 'path'"
        raise ParseError(msg, path=tree.source)
    if labels == "name":
        called: list[str | None] = list(tree.names)
        leaves = sorted(set(nodes).difference(tree.parent))
        texts = [tree.items.get(u, tree.names[u]) for u in leaves]
        count = Counter(texts)
        whole = [u for u, x in zip(leaves, texts, strict=True) if count[x] > 1 and u not in tree.items]
        shown = list(called)
        for u, path in zip(whole, tree.paths(whole), strict=True):
            shown[u] = path
    else:
        called = list(tree.paths(nodes))
        for u, id in tree.ids.items() if labels == "id" else ():
            called[u] = id
        shown = list(called)
    for u, item in tree.items.items():
        shown[u] = item
    return called, shown


# ---------------------------------------------------------------------- reading


class _Asked(NamedTuple):
    """How a source is to be read, as `read_lineages` describes it."""

    sep: str
    columns: Sequence[str | int] | None
    id_column: str | int | None
    header: bool | None
    missing: Iterable[str]
    fillers: Placeholders
    fill: bool | None

    @classmethod
    def of(
        cls, sep: Any, columns: Any, id_column: Any, header: Any, missing: Any, placeholders: Any, fill: Any
    ) -> _Asked:
        """The arguments, checked."""
        if not isinstance(sep, str) or not sep:
            msg = f"sep must be 'auto' or the text between the names of a path, not {sep!r}"
            raise ValueError(msg)
        columns = [columns] if isinstance(columns, str) else columns
        if columns is not None and not (columns and all(x or x == 0 for x in columns)):
            msg = f"columns must be names of columns, not {columns!r}"
            raise ValueError(msg)
        missing = [missing] if isinstance(missing, str) else missing
        return cls(sep, columns, id_column, header, missing, Placeholders.of(placeholders), fill)

    def tree(self, source: str | None, sep: str) -> PathTree:
        """A tree to be filled."""
        return PathTree(source, self.missing, sep, self.fillers)


def _read(path: Any, asked: _Asked, delimiter: str | None) -> PathTree:
    found = table_or_text(path)
    if isinstance(found, RowTable):
        return _of_table(found, asked)
    text, name = found
    wanted = [*(asked.columns or []), *([] if asked.id_column is None else [asked.id_column])]
    head = text[:100_000].split("\n")[: LINES + 1]
    if not wanted and (asked.header is False or classifier(split_lines("\n".join(head[:LINES]))[1]) is not None):
        return _of_lines(text, name, asked)
    row = next((x for x in head if x.strip() and not x.startswith("#")), "")

    def usual(names: Sequence[str]) -> list[str] | None:
        # a row without separators of paths is split at commas or tabs: no cell of it is the end of a path
        free = bool(row) and not has_separator(row) and all(x in row for x in names)
        return (columns_of_paths if free else usual_columns)(names)

    known = header_with(wanted, usual)
    named = any(isinstance(x, str) for x in wanted) or None
    if not wanted and asked.header is None and not has_header(text, known):
        is_free = delimiter is None and asked.sep == "auto"
        if is_free and (steps := steps_of(text, name)) is not None:
            return _of_outline(steps, name, asked)
        way = sure_outline(text[:100_000].splitlines()[: ROWS + 1]) if is_free else None
        if way is None:
            return _of_lines(text, name, asked)
        asked, named = asked._replace(**way.options), True
        known = header_with(way.options["columns"], usual)
    header = named if asked.header is None else asked.header
    return _of_table(split_rows(text, name, delimiter=delimiter, header=header, known=known), asked)


def sure_outline(lines: Sequence[str]) -> Outline | None:
    """The way to read lines as a table with a header of unknown words, if there is only one."""
    rows = cells_of([x for x in lines if x.strip() and not x.startswith("#")][:ROWS])
    if len(rows) < 3 or len(rows[0]) < 2:
        return None
    columns = list(zip(*rows[1:], strict=True))
    if is_header(rows[0], columns) is not True:
        return None
    way = next(iter(outlines(rows[0], columns)), None)
    return way if way is not None and way.sure else None


def _of_table(table: RowTable, asked: _Asked) -> PathTree:
    """Lineages in the columns of a table."""
    names, (sep, columns, id_column, *_) = table.names or [], asked
    wanted: Sequence[str | int] | None = list(columns) if columns is not None else columns_of_paths(names)
    if wanted is None:
        ways = outlines(names, [[cell_text(x) or "" for x in y[:ROWS]] for y in table.columns])
        if not (ways and ways[0].sure):
            shown = shown_names(names)
            calls = "".join(f"; if {x.meant}: {call(x.reader, table.path, **x.options)}" for x in ways)
            msg = f"which columns hold the path? Give columns=[...], from the top rank down; there are {shown}{calls}"
            raise ParseError(msg, path=table.path)
        wanted, id_column = ways[0].options["columns"], id_column or ways[0].options.get("id_column")
    places = [table.place(x, "column") for x in wanted]
    whole = _names_of_species(table, wanted) if columns is None else None
    if whole is not None:
        wanted, places = [*wanted, whole], [*places, names.index(whole)]
    if columns is None:
        _check_nested(table, places)
        if sep == "auto":
            check_not_edges(table, places)
    at = column_of_ids(names, table.columns, places) if id_column is None else table.place(id_column, "id_column")
    others: dict[str, int] = {}
    if len(places) > 1:
        table, others = _accepted_rows(table, places, at)
    items = None if at is None else table.columns[at]
    rows: Iterable[tuple]
    if len(places) == 1:
        texts = [cell_text(x) or "" for x in table.columns[places[0]]]
        used = [i for i in range(len(texts)) if items is None or not str(items[i]).startswith("#q2:")]
        sep = separator_of([[texts[i]] for i in used], sep, path=table.path, needed=False)[0]
        tree = asked.tree(table.path, sep)
        tree.look_for_confidences(part for i in used[:_SAMPLE] for part in texts[i].split(sep))
        taxa = [tree.text_node(texts[i], whole=items is None) for i in used]
    else:
        tree = asked.tree(table.path, ";")
        tree.look_for_confidences(cell_text(x) or "" for k in places for x in table.columns[k][:_SAMPLE])
        cells: Columns = [list(map(cell_text, table.columns[k])) for k in places]
        merged = _merged_column(cells) if asked.fill is None else None
        only = merged is not None and all(sum(x is not None for x in row) == 1 for row in zip(*cells, strict=True))
        if merged is not None and not only:
            row = next(i for i, x in enumerate(cells[merged]) if x is None)
            given = {"columns": columns, "id_column": id_column}
            fills = [
                (meant, call("read_lineages", table.path, **given, fill=x))
                for meant, x in (
                    ("if these are merged cells, which have the name above", True),
                    ("if it is not known", False),
                )
            ]
            why = f"{wanted[merged]!r} is empty before names of lower ranks, and none of its names stands twice."
            raise question(table.path, table.lines[row], why, fills)
        if asked.fill or only:
            cells = _filled_down(cells, whole=items is not None)
        words = [x for x in wanted if isinstance(x, str)]
        known = _ranks_in(words)
        ranks = [known.get(x) or _rank_of(x) or plain(x) if isinstance(x, str) else None for x in wanted]
        ranks[-1] = ranks[-1] if whole is None else "species"
        cells = _with_genus(cells, ranks, asked.missing)
        rows = zip(*cells, strict=True)
        taxa = [tree.cells_node(row, ranks, whole=items is None) for row in rows]
        used = list(range(len(taxa)))
    if items is not None:
        seen: dict[Any, int] = {}
        for i, taxon in zip(used, taxa, strict=True):
            if items[i] is None:
                table.refuse(i, "no id in this row")
            if items[i] in seen:
                table.refuse(i, f"the id {items[i]!r} stands twice: it is in {table.unit} {seen[items[i]]} already")
            seen[items[i]] = table.lines[i]
            tree.add_item(items[i], taxon)
    else:
        lost = tells_apart(names, table.columns, places, len(set(taxa)))
        if lost is not None:
            cells = [x for x in table.columns[names.index(lost)] if x is not None]
            cure = f"if it holds the items, give id_column={lost!r}"
            if len({*cells}) < len(cells) and len(places) > 1:
                cure = f"if it is the lowest level, give columns={[*(names[k] for k in places), lost]!r}"
            msg = (
                f"{len(taxa)} rows with only {len(set(taxa))} different path{'s' * (len(set(taxa)) != 1)}: rows of one "
                f"path become one node, though the column {lost!r} tells them apart; {cure}"
            )
            warn_user(msg)
    table.tell(
        f"{' above '.join(repr(names[k]) if names else f'column {k}' for k in places)}"
        f"{'' if len(places) > 1 else f', names between {sep!r}'}"
        + ("" if at is None else f", items in {names[at] if names else at!r}"),
        [*places, at],
    )
    node_of = {x: u for u, x in tree.items.items()}
    at_row = taxa if items is None else [node_of.get(x, -1) for x in items]
    tree.synonyms = {x: at_row[i] for x, i in others.items() if at_row[i] >= 0}
    return _full(tree)


def _names_of_species(table: RowTable, wanted: Sequence[Any]) -> str | None:
    """The column of whole names of species, below the column of their genera: each begins with its genus."""
    names = table.names or []
    ranks = _ranks_in([x for x in wanted if isinstance(x, str)])
    if "genus" not in ranks.values() or "species" in ranks.values():
        return None
    genera = [cell_text(x) for x in table.columns[names.index(next(x for x in ranks if ranks[x] == "genus"))]]
    for name, column in zip(names, table.columns, strict=True):
        if name not in wanted and all(
            g and x and f"{x} ".startswith(f"{g} ") for g, x in zip(genera, map(cell_text, column), strict=True)
        ):
            return name if any(x != g for g, x in zip(genera, column, strict=True)) else None
    return None


def _check_nested(table: RowTable, places: Sequence[int]) -> None:
    """Ask of columns of ranks in another order than ranks, if only in theirs each name has one name above it."""

    def torn(order: Sequence[int]) -> int:
        """How many names stand below two others."""
        columns = [[cell_text(x) for x in table.columns[k]] for k in order]
        above = (set(zip(x, y, strict=True)) for x, y in pairwise(columns))
        return sum(n > 1 and not is_gap(x) for pairs in above for x, n in Counter(y or "" for _, y in pairs).items())

    as_written = sorted(places)
    if list(places) != as_written and torn(places) > torn(as_written) == 0:
        ways = [
            (f"if {' above '.join(map(repr, names))}", call("read_lineages", table.path, columns=names))
            for names in ([table.names[k] for k in order] for order in (as_written, places))  # type: ignore[index]
        ]
        why = "the columns stand in another order than ranks do, and only so each name has one above it."
        raise question(table.path, table.header_line, why, ways)


def _with_genus(cells: Columns, ranks: Sequence[str | None], missing: Iterable[str]) -> Columns:
    """The columns of ranks, with the genus before species that are all epithets: two genera may have one (nigra)."""
    if "genus" not in ranks or "species" not in ranks:
        return cells
    none = {*missing, *GAPS}
    at, above = ranks.index("species"), cells[ranks.index("genus")]
    named = {x: x is not None and x.casefold() not in none for x in {*cells[at], *above}}
    species, genera = ([x for x in set(y) if named[x]] for y in (cells[at], above))
    if not species or not all(map(_EPITHET.fullmatch, species)) or not all(map(_GENUS.fullmatch, genera)):
        return cells
    whole = [f"{g} {x}" if named[x] and named[g] else x for g, x in zip(above, cells[at], strict=True)]
    note("names", f"species are genus and epithet, as {next(x for x in whole if x and named.get(x, True))!r}")
    return [whole if k == at else x for k, x in enumerate(cells)]


def _merged_column(cells: Columns) -> int | None:
    """The first column of ranks that looks like merged cells: it has gaps before names, and no name twice.

    Behind others, which may be filled, it has two gaps or more, each in a row that has the same names before as the
    row above.
    """
    for k, column in enumerate(cells[:-1]):
        names = [x for x in column if x is not None]
        if len(names) == len(column) or not names or len(set(names)) < len(names):
            continue
        gaps = [i for i, x in enumerate(column) if x is None and any(y[i] is not None for y in cells[k + 1 :])]
        if k == 0 and gaps and column[0] is not None:
            return k
        if k and len(gaps) > 1 and all(i and all(y[i] == y[i - 1] is not None for y in cells[:k]) for i in gaps):
            return k
    return None


def _filled_down(cells: Columns, *, whole: bool) -> Columns:
    """Columns of ranks whose empty cells before a name take the name above, if cells to the left do, too.

    With `whole`, empty cells behind the last name of a row are filled, too.
    """
    found: list[tuple[str | None, ...]] = []
    above: tuple[str | None, ...] = (None,) * len(cells)
    for row in zip(*cells, strict=True):
        last = len(row) if whole else max((k for k, x in enumerate(row) if x is not None), default=0)
        filled: list[str | None] = []
        for k, x in enumerate(row):
            like_above = x is None and k < last and filled == list(above[:k])
            filled.append(above[k] if like_above else x)
        above = tuple(filled)
        found.append(above)
    return list(zip(*found, strict=True)) or cells


#: Columns of names and ids by which a row may refer to the row of its accepted taxon, the surest first.
_ROW_NAMES = (
    *("taxonid", "plantnameid", "taxonkey", "usagekey", "speciesid", "nameid", "aphiaid", "tsn", "key", "id"),
    *("scientificname", "taxonname", "canonicalname", "fullname", "name"),
)


def _accepted_rows(table: RowTable, places: Sequence[int], at: int | None) -> tuple[RowTable, dict[str, int]]:
    """The table of ranks without rows that are other names of taxa, and the row of the taxon by each of these names.

    A row whose last rank is its accepted name already, as in GBIF's tables of occurrences, stays.
    """
    words = [plain(x) for x in table.names or []]
    texts = [k for x in _ROW_NAMES for k, word in enumerate(words) if word == x and k not in places]
    if at is not None and at not in texts:
        texts.insert(0, at)
    accepted = [k for k, x in enumerate(words) if x in ("acceptedscientificname", "acceptednameusage", "acceptedname")]
    n = len(table.lines)
    own = list(range(n))
    gone, _, others = other_names(table, own, texts, taken=places)
    if not gone:
        return table, {}
    here = set()
    for i in gone:
        ranks = [x for x in (cell_text(table.columns[k][i]) for k in places) if x]
        names = [x for x in (cell_text(table.columns[k][i]) for k in accepted) if x]
        if ranks and " " in ranks[-1] and any(f"{x} ".startswith(f"{ranks[-1]} ") for x in names):
            here.add(i)
    stay = [i for i in own if i not in gone or i in here]
    number = {i: k for k, i in enumerate(stay)}
    return table.taking(stay), {x: number[i] for x, i in others.items() if i in number}


def _of_lines(text: str, path: str | None, asked: _Asked) -> PathTree:
    """Lineages in lines without header: a path alone, a number and a path, or an id, a tab and a path."""
    numbers, rows = split_lines(text)
    if not rows:
        raise ParseError("no lines in it", path=path, line=1, column=1)
    path_of = classifier(rows[:LINES])
    if path_of is not None:
        found = list(map(path_of, rows))
        if None in found:
            msg = "name, rank and confidence in turn, or d:Name(0.9),p:..., as in the first lines, are not in this one"
            raise ParseError(msg, path=path, line=numbers[found.index(None)])
        rows = [[row[0], x or ""] for row, x in zip(rows, found, strict=True)]
    if path_of is None:
        sep, k = separator_of(rows, asked.sep, path=path)
        if k == 1 and _is_header(rows, sep, asked.fillers):
            del numbers[0], rows[0]
    else:
        sep, k = ";" if asked.sep == "auto" else asked.sep, 1
    short = next((i for i, row in enumerate(rows) if len(row) <= k), None)
    if short is not None:
        msg = f"no path in this line: where other lines have an id, a tab and a path, it has {rows[short][0]!r:.60}"
        raise ParseError(msg, path=path, line=numbers[short])
    if k == 1:
        columns: list[list[Any]] = [[row[0].strip() or None for row in rows], [row[1] for row in rows]]
        return _of_table(RowTable(path, None, columns, numbers), asked._replace(sep=sep, columns=[1], id_column=0))
    items = [row[1].strip() if len(row) > 1 else "" for row in rows]
    if len({row[0] for row in rows}) < len(rows) == len(set(items)) and not any(map(NUMBER.fullmatch, items)):
        asked = asked._replace(sep=sep, columns=[0], id_column=1)  # of each path there are several
        return _of_table(RowTable(path, None, [[row[0] for row in rows], [x or None for x in items]], numbers), asked)
    if is_path_header(rows[0][0]) and any(sep in row[0] for row in rows):
        del numbers[0], rows[0]  # a header of one word
    paths = [row[0] for row in rows]
    if asked.header is None:
        _ask_of_header(paths, sep, path, numbers[0], asked.sep == "auto")
    note(READING, f"read {counted(len(rows), 'path')}, names between {sep!r}")
    tree = asked.tree(path, sep)
    tree.look_for_confidences(part for x in paths[:_SAMPLE] for part in x.split(sep))
    tree.bare_lines(paths, numbers)
    return _full(tree)


def _of_outline(steps: Sequence[Step], path: str | None, asked: _Asked) -> PathTree:
    """Lineages of lines that are one below the other."""
    shown = next((f": {y.name!r} below {x.name!r}" for x, y in pairwise(steps) if y.depth > x.depth), "")
    note(READING, f"read {counted(len(steps), 'line')} of an outline{shown}")
    tree = asked.tree(path, ";")
    if steps:
        tree.add_outline(steps)
    return _full(tree)


def _is_header(rows: list[list[str]], sep: str, fillers: Placeholders) -> bool:
    """True if the first row of ids and paths is a header of unknown words, which is told, as is one that may be.

    Its second cell is no path, unlike the others, and no name in them. Its first one is a word for ids, or has no digit
    while all the others have.
    """
    name, cell = (x.strip() for x in (*rows[0], "")[:2])
    others = [row for row in rows[1:] if len(row) > 1]
    if not name or not cell or sep in cell or has_prefix(cell) or fillers.kind(cell) != TAXON:
        return False
    deep = sum(sep in row[1] for row in others)
    if 2 * deep <= len(others) or any(x.strip() == cell for row in others for x in row[1].split(sep)):
        return False
    all_deep = deep == len(others) > 1
    numbered = all_deep and not re.search(r"\d", name) and all(re.search(r"\d", row[0]) for row in others)
    shown = f"the first row, {name!r} and {cell!r},"
    if is_called_id(name) or is_path_header(cell) or numbered:
        note("header", f"{shown} is taken for a header")
        return True
    if all_deep:
        note("header", f"{shown} may be a header, and is taken for an item: delete it if it is one")
    return False


def _ask_of_header(paths: list[str], sep: str, path: str | None, line: int, ask: bool) -> None:
    """Ask of a first path that may be a header: as deep as the others, and none of its names occurs in them.

    It is told alone where blanks around the separators show that these are not cells of a table.
    """
    first = [x.strip() for x in paths[0].split(sep)]
    if len(paths) < _ROWS or len(first) < 2 or any(re.search(r"\d|__", x) for x in first):
        return
    rest = [[x.strip() for x in x.split(sep)] for x in paths[1:]]
    if any(len(x) != len(first) or not set(x).isdisjoint(first) for x in rest):
        return
    if len({x[0] for x in rest}) == len(rest):
        return
    shown = f"the first row, {sep.join(first)!r:.60}, may be a header"
    if ask and sep in DELIMITERS and not any(f"{sep} " in x for x in paths):
        bare = "if it is a path like the others", call("read_lineages", path, header=False)
        ways = [*ways_of(path, [first, *rest[:ROWS]], bare=bare)]
        if len(ways) < 2:
            ways.insert(0, ("if it names columns", call("read_lineages", path, columns=first)))
        raise question(path, line, f"{shown}.", ways)
    note("header", f"{shown}, and is taken for a path: delete it if it is one")


def _full(tree: PathTree) -> PathTree:
    if not tree.parent:
        raise ParseError("no names in it: all paths are empty", path=tree.source)
    children = Counter(tree.parent)
    for u, item in tree.items.items():  # an item that is called as its species, the only one of it, is the species
        p = tree.parent[u]
        if tree.names[p] == item and children[p] == 1:
            tree.ranks[u], tree.names[p], tree.ranks[p] = tree.ranks[p], None, None
    if tree._fillers:
        note("placeholders", f"{counted(len(tree._fillers), 'name')} of no taxon passed over")
    if tree.lost:
        lost = counted(len(tree.lost), "item")
        note("without a taxon", f"{lost} without a taxon")
        shown = ", ".join(map(repr, tree.lost[:SHOWN])) + (", ..." if len(tree.lost) > SHOWN else "")
        warn_user(f"{lost} without a taxon {'is' if len(tree.lost) == 1 else 'are'} left out: {shown}")
    return tree


FORMAT = FileFormat(
    "lineages",
    "lineages",
    read=read_lineages,
    ontology=lineages_ontology,
    write=write_lineages,
    extensions=(".lineages",),
    xml_roots=XML_ROOTS,
)
