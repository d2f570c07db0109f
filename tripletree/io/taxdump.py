"""NCBI taxonomy dumps: nodes.dmp and names.dmp, in a folder or an archive.

Read from ``nodes.dmp`` are: tax id, parent, rank, from ``names.dmp`` the scientific names, and the unique forms of
those that stand for several taxa. Merged tax ids (``merged.dmp``) are other names of those that stay, and
``delnodes.dmp`` tells that an unknown tax id was deleted.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, Literal, NamedTuple, NoReturn

import numpy as np

from tripletree._core import engine
from tripletree.core.checks import check_choice, counted
from tripletree.core.hierarchy import Hierarchy, tell_synonyms
from tripletree.core.notes import kept, note
from tripletree.core.ontology import Ontology
from tripletree.core.placeholders import MEMBER, NEAR, NOT_SURE, SURE, Placeholders, automaton
from tripletree.errors import DuplicateLeafError, ParseError, UnknownLeafError, locate
from tripletree.io.format import FileFormat, FileStart
from tripletree.io.ontology_terms import part, past_placeholders
from tripletree.io.source import Source, decoded, raw_bytes, read_bytes, tar_members, unpacked, zip_members
from tripletree.io.table import cycle_of, cycle_text, hierarchy_of, tops

# ----------------------------------------------------------------------
# Files of the NCBI taxonomy: where they lie, and their fields, found by numpy a few megabytes at a time.

NODES, NAMES = "nodes.dmp", "names.dmp"
MERGED, DELETED = "merged.dmp", "delnodes.dmp"
_FILES = (NODES, NAMES, MERGED, DELETED)
#: Bytes that are read together.
BLOCK = 1 << 22
_TAB, _LINE_END, _BAR, _ZERO, _NINE = 9, 10, 124, 48, 57
#: Words of up to 32 bytes, with up to 64 different ones in a block, are told apart by numpy.
_LONG_WORD, _FEW_WORDS, _PRIME = 32, 64, np.uint64(1_099_511_628_211)
_SUFFIXES = ("", ".gz", ".bz2", ".xz")
#: A name that repeats the one above it.
_FILLED = re.compile(r"_X+\Z")
#: A line of names.dmp: tax id, name, unique name, and the kind of name.
_NAME_LINE = re.compile(rb"\d+\t\|\t[^\t\n]*\t\|\t[^\t\n]*\t\|\t[A-Za-z][A-Za-z -]*\t\|\r?\n")


class Fields(NamedTuple):
    """The first k fields of n lines: line numbers (from 1), and where each field starts and stops in the file."""

    line: np.ndarray
    start: np.ndarray
    stop: np.ndarray


@dataclass
class DmpFile:
    r"""One file with lines like ``9606\t|\t9605\t|\tspecies\t|``: its content, and its name for messages."""

    content: bytes
    path: str | None

    def __post_init__(self) -> None:
        if b"\r" in self.content:
            self.content = self.content.replace(b"\r\n", b"\n")
        self._bytes = np.frombuffer(self.content, np.uint8)

    def block(self, at: int) -> np.ndarray:
        """Return the bytes of some megabytes of whole lines from `at` on. The last line ends in a line end, too."""
        stop = self.content.find(b"\n", at + BLOCK) + 1 or len(self.content)
        block = self._bytes[at:stop]
        return block if block.size and block[-1] == _LINE_END else np.append(block, np.uint8(_LINE_END))

    def fields(self, k: int) -> Iterator[Fields]:
        """The first k fields of all lines, block by block. Lines with too few fields or others than the first has."""
        at, line, wanted = 0, 1, 0
        while at < len(self.content):
            stop = self.content.find(b"\n", at + BLOCK) + 1 or len(self.content)
            here = self._bytes[at:stop]
            end = np.flatnonzero(here == _LINE_END)
            if here[-1] != _LINE_END:
                end = np.append(end, here.size)
            begin = np.concatenate([[0], end[:-1] + 1])
            full = np.flatnonzero(end > begin)  # blank lines have no fields
            number, begin, end = line + full, begin[full], end[full]
            tab = np.flatnonzero(here == _TAB)
            first = np.searchsorted(tab, begin)
            count = np.searchsorted(tab, end) - first
            if full.size:
                wanted = wanted or int(count[0])
                self._check_count(number, count, wanted, k)
                tabs = tab[first[:, None] + np.arange(2 * k - 1)]
                self._check_bars(here, number, end, tabs, tab[first + wanted - 1])
                starts = np.column_stack([begin, tabs[:, 1::2] + 1])
                yield Fields(number, at + starts, at + tabs[:, ::2])
            line += int(np.count_nonzero(here == _LINE_END))
            at = stop

    def _check_count(self, line: np.ndarray, tabs: np.ndarray, wanted: int, k: int) -> None:
        bad = np.flatnonzero((tabs != wanted) | (tabs < 2 * k - 1) | (tabs % 2 == 0))
        if bad.size:
            i = int(bad[0])
            there = "1 field" if tabs[i] == 1 else f"{(tabs[i] + 1) // 2} fields"
            needed = (
                f"at least {k} are needed" if i == 0 and line[0] == 1 else f"the first line has {(wanted + 1) // 2}"
            )
            self.refuse(line[i], f"{there} where {needed}, each ended by tab, bar and (but the last) tab")

    def _check_bars(
        self, here: np.ndarray, line: np.ndarray, end: np.ndarray, tabs: np.ndarray, last: np.ndarray
    ) -> None:
        """Each field that is read ends in tab, bar, tab, and the line in tab, bar."""
        good = (last == end - 2) & (here[end - 1] == _BAR)
        closing = tabs[good, ::2]
        inner = (here[closing + 1] == _BAR).all(axis=1) & (tabs[good, 1::2] == closing[:, :-1] + 2).all(axis=1)
        good[good] = inner
        bad = np.flatnonzero(~good)
        if bad.size:
            self.refuse(line[bad[0]], "a field that does not end in tab, bar, tab (in tab, bar at the line's end)")

    def numbers(self, fields: Fields, j: int) -> np.ndarray:
        """Field j of each line as a number."""
        start, width = fields.start[:, j], fields.stop[:, j] - fields.start[:, j]
        value = np.zeros(start.size, np.int64)
        good = (width >= 1) & (width <= 18)
        for k in range(int(width[good].max(initial=0))):
            inside = good & (k < width)
            digit = self._bytes[np.where(inside, start + k, 0)].astype(np.int64)
            good &= ~inside | ((digit >= _ZERO) & (digit <= _NINE))
            value = np.where(inside, 10 * value + digit - _ZERO, value)
        bad = np.flatnonzero(~good)
        if bad.size:
            i = int(bad[0])
            shown = self.content[start[i] : start[i] + width[i]].decode("utf-8", errors="replace")
            self.refuse(fields.line[i], f"{shown[:40]!r} is not a tax id", at=int(start[i]))
        return value

    def words(self, fields: Fields, j: int, known: dict[bytes, int]) -> np.ndarray:
        """Return the number of the word in field j of each line, in `known`, which grows."""
        start, stop = fields.start[:, j], fields.stop[:, j]
        width = stop - start
        out = np.full(start.size, -1, np.int64)
        # words that are alike in their length and bytes, which a polynomial tells before the bytes are compared
        key = width.astype(np.uint64)
        most = int(width.max(initial=0))
        if most <= _LONG_WORD:
            for k in range(most):
                byte = self._bytes[np.where(k < width, start + k, 0)]
                key = key * _PRIME + np.where(k < width, byte, 0).astype(np.uint64)
        rest = np.arange(start.size)
        for _ in range(_FEW_WORDS if most <= _LONG_WORD else 0):
            if rest.size == 0:
                break
            i = int(rest[0])
            word = self.content[start[i] : stop[i]]
            same = key[rest] == key[i]
            rows = rest[same]
            good = width[rows] == width[i]
            for k, x in enumerate(word):
                good &= self._bytes[np.where(good, start[rows] + k, start[i] + k)] == x
            out[rows[good]] = known.setdefault(word, len(known))
            rest = np.concatenate([rest[~same], rows[~good]])
        for i in rest.tolist():
            out[i] = known.setdefault(self.content[start[i] : stop[i]], len(known))
        return out

    def equal(self, fields: Fields, j: int, word: bytes) -> np.ndarray:
        """In which lines field j is `word`."""
        out = fields.stop[:, j] - fields.start[:, j] == len(word)
        at = np.flatnonzero(out)
        there = self._bytes[fields.start[at, j][:, None] + np.arange(len(word))]
        out[at] = (there == np.frombuffer(word, np.uint8)).all(axis=1)
        return out

    def refuse(self, line: Any, message: str, *, at: int | None = None) -> NoReturn:
        """Raise a ParseError at a line, or at a byte of it."""
        text = self.content.split(b"\n", int(line))[int(line) - 1].decode("utf-8", errors="replace")
        column = 1
        if at is not None:
            before = self.content[self.content.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", errors="replace")
            _, column, _ = locate(before + ".", len(before))
        raise ParseError(message, path=self.path, line=int(line), column=column, text=text)


# ---------------------------------------------------------------------- where they lie


def taxdump_files(source: Source) -> dict[str, DmpFile]:
    """The files nodes.dmp and, where they are there, names.dmp and the like: of a folder, an archive, or side by side.

    Archives are read in memory. Nothing is written, and members that are links are not followed.
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source) != "-":
        name = os.fspath(source)
        if os.path.isdir(name):
            return _of_folder(name)
        if os.path.isfile(name):
            base = _wanted(os.path.basename(name))
            if base == NAMES:
                _check_no_names(name)
            if base == NODES:
                return _of_folder(os.path.dirname(name), nodes=name)
            with open(name, "rb") as stream:
                found = _of_archive(stream, name)
            if found is not None:
                return found
    content, shown = raw_bytes(source)
    raw = content.encode() if isinstance(content, str) else content
    found = _of_archive(io.BytesIO(raw), shown or "<stream>")
    if found is not None:
        return found
    alone = unpacked(raw, shown)
    if _NAME_LINE.match(alone):
        _check_no_names(shown)
    return {NODES: DmpFile(alone, shown)}


def _check_no_names(path: str | None) -> NoReturn:
    msg = "this is names.dmp, which has no parents: give nodes.dmp, or the folder or archive that holds the two"
    raise ParseError(msg, path=path)


def _of_folder(folder: str, *, nodes: str | None = None) -> dict[str, DmpFile]:
    found = {}
    for base in _FILES:
        paths = [os.path.join(folder, base + suffix) for suffix in _SUFFIXES]
        path = next((x for x in paths if os.path.isfile(x)), None) if base != NODES or nodes is None else nodes
        if path is not None:
            content, shown = read_bytes(path)
            found[base] = DmpFile(content, shown)  # type: ignore[arg-type]
    if NODES not in found:
        msg = "no nodes.dmp (nor nodes.dmp.gz, .bz2, .xz) in this folder"
        raise ParseError(msg, path=folder)
    return found


def _of_archive(stream: IO[bytes], name: str) -> dict[str, DmpFile] | None:
    """Return the files of a zip or tar archive. None if it is not an archive."""
    head = stream.read(4)
    stream.seek(0)
    if head == b"PK\x03\x04":
        members: Iterable[tuple[str, Callable[[], bytes]]] | None = zip_members(stream.read(), name).items()
    else:
        members = tar_members(stream, name)
    if members is None:
        stream.seek(0)
        return None
    found: dict[str, DmpFile] = {}
    for member, read in members:
        base = _wanted(member)
        if base is None:
            continue
        inside = f"{name}: {member}"
        if base in found:
            msg = f"two files {base} in this archive, {found[base].path} and {member}: which one is meant?"
            raise ParseError(msg, path=name)
        found[base] = DmpFile(unpacked(read(), inside), inside)
    if NODES not in found:
        msg = "no nodes.dmp in this archive"
        raise ParseError(msg, path=name)
    return found


def _wanted(member: str) -> str | None:
    """Tell which of the files that are read a member of an archive is."""
    base = posixpath.basename(member.replace("\\", "/")).lower()
    return next((x for x in _FILES if base in {x + suffix for suffix in _SUFFIXES}), None)


_NO_RANK = b"no rank"


@kept
def read_taxdump(
    path: Source,
    *,
    labels: Literal["name", "id"] = "name",
    root: str | int | None = None,
    placeholders: bool | str | Iterable[str] = True,
) -> Hierarchy:
    r"""Read the taxonomy of an NCBI taxdump.

    Parameters
    ----------
    path : path, file object or "-"
        A folder with nodes.dmp and names.dmp, nodes.dmp itself (names.dmp beside it), or an archive that holds the
        two (zip, tar, tar.gz, tar.bz2, tar.xz; read in memory). The files may be packed with gzip, bzip2 or xz.
    labels : {"name", "id"}
        Names of leaves and inner nodes: their scientific names or their tax ids, such as
        ``"9606"``, for which names.dmp is not needed. If several taxa have one scientific name, each is called by
        the unique name that names.dmp gives it (``Bacteria <walking sticks>``).
    root : str or int, optional
        A tax id or a scientific name: only this taxon and its descendants are read. By default all.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "unclassified Felidae" and "environmental samples". Inner nodes with such a
        name are left out, and what is below them is open (``.incertae_sedis``), as are leaves such as "Felis sp. 7".
        Names extend the known ones, False takes every name for a taxon.

    Returns
    -------
    Hierarchy
        Leaves are the taxa without children, in the order of the file. Nodes with one child are kept. `ranks` has
        the rank of every node, None for "no rank". Merged tax ids (merged.dmp) are `synonyms` of the taxa that stay.

    Notes
    -----
    Other names in names.dmp, millions of them, are no `synonyms`: `read_synonyms` gives them to `match_names`. Names in
    names.dmp for taxa that are not in nodes.dmp are left aside: people cut nodes.dmp and keep the other.
    Time is linear except for one sort of the tax ids.

    Examples
    --------
    >>> import io
    >>> lines = ["1 1 no_rank", "2 1 domain", "3 2 phylum", "4 2 phylum"]
    >>> nodes = "".join("\t|\t".join(x.split()) + "\t|\n" for x in lines)
    >>> h = read_taxdump(io.BytesIO(nodes.encode()), labels="id")
    >>> list(h.leaves), h.names, h.ranks
    (['3', '4'], ('2', '1'), ('phylum', 'phylum', 'domain', 'no_rank'))
    """
    check_choice(labels, "labels", ("name", "id"))
    files = taxdump_files(path)
    taxa = _read_nodes(files[NODES])
    fillers = Placeholders.of(placeholders)
    by_name = isinstance(root, str) and not root.isdecimal()
    names = _read_names(files, taxa) if labels == "name" or by_name else None
    kinds = None
    if fillers and NAMES in files:
        kinds = fillers.kinds(names, taxa.parent) if names is not None else _kinds(files, taxa, fillers)
    merged = _merged(files, taxa)
    kept = None if root is None else _below(taxa, _root_of(taxa, root, names, merged, files.get(DELETED)))
    files.clear()  # hundreds of megabytes
    texts = names if labels == "name" else list(map(str, taxa.id.tolist()))
    parent, ranks = taxa.parent, taxa.ranks
    others = merged
    if kept is not None:
        number = np.cumsum(kept) - 1
        at = np.flatnonzero(kept)
        inside = kept[parent[at]] & (parent[at] >= 0)
        parent = np.where(inside, number[parent[at]], -1)
        texts = [texts[i] for i in at.tolist()]  # type: ignore[index]
        ranks = [ranks[i] for i in at.tolist()]
        kinds = None if kinds is None else kinds[at]
        others = {old: int(number[i]) for old, i in merged.items() if kept[i]}
    if others:
        note("other names", f"{counted(len(others), 'merged tax id')}")
    try:
        return hierarchy_of(parent, texts, ranks=ranks, kinds=kinds, synonyms=others)  # type: ignore[arg-type]
    except DuplicateLeafError as error:
        where = " among the scientific and unique names; take labels='id', by which they differ"
        raise DuplicateLeafError(error.labels, where=where) from None


def taxdump_ontology(path: Source, *, root: Any = None, placeholders: bool | str | Iterable[str] = True) -> Ontology:
    """All taxa of a taxdump as an ontology: tax ids as terms, with names where there is a names.dmp, and ranks."""
    fillers = Placeholders.of(placeholders)
    files = taxdump_files(path)
    taxa = _read_nodes(files[NODES])
    names = _read_names(files, taxa) if NAMES in files else None
    child = np.flatnonzero(taxa.parent >= 0)
    edges = np.column_stack([child, taxa.parent[child]])
    ids = list(map(str, taxa.id.tolist()))
    others = {old: ids[i] for old, i in _merged(files, taxa).items()}
    made = Ontology(ids, edges, names=names, ranks=taxa.ranks, synonyms=others)
    return past_placeholders(part(made, root), fillers)


# ---------------------------------------------------------------------- nodes.dmp


class _Taxa(NamedTuple):
    """Taxa in the order of the file. `places` finds their ids, `parent` holds positions, -1 for the root."""

    id: np.ndarray
    places: _Places
    parent: np.ndarray
    ranks: list[str | None]


def _read_nodes(file: DmpFile) -> _Taxa:
    ids, parents, lines, codes = [], [], [], []
    known: dict[bytes, int] = {}
    for fields in file.fields(3):
        ids.append(file.numbers(fields, 0))
        parents.append(file.numbers(fields, 1))
        lines.append(fields.line)
        codes.append(file.words(fields, 2, known))
    if not ids:
        raise ParseError("no taxa in it: the file is empty", path=file.path, line=1, column=1)
    words_of = [None if x in (_NO_RANK, b"") else decoded(x, file.path) for x in known]
    ranks = list(map(words_of.__getitem__, np.concatenate(codes).tolist()))
    id, above, line = np.concatenate(ids), np.concatenate(parents), np.concatenate(lines)
    order = np.argsort(id, kind="stable")
    twice = np.flatnonzero(id[order][1:] == id[order][:-1])
    if twice.size:
        first, second = order[twice[0]], order[twice[0] + 1]
        file.refuse(line[second], f"tax id {id[second]} stands twice: it is on line {line[first]} already")
    places = _Places(id, order)
    parent = places.of(above)
    if (parent < 0).any():
        i = int(np.flatnonzero(parent < 0)[0])
        file.refuse(line[i], f"the parent {above[i]} of tax id {id[i]} is missing: no line of the file is for it")
    own = np.flatnonzero(parent == np.arange(parent.size))
    if own.size > 1:
        both = " and ".join(f"{id[i]} (line {line[i]})" for i in own[:2])
        file.refuse(line[own[1]], f"{own.size} roots, taxa that are their own parents: {both}; expected one")
    cycle = cycle_of(parent)
    if cycle:
        shown = cycle_text(id[cycle].tolist())
        file.refuse(line[cycle[0]], f"the parents run in a cycle: {shown}; only the root is its own parent")
    parent[own] = -1
    return _Taxa(id, places, parent, ranks)


class _Places:
    """The places of tax ids in the file. Ids that are not much larger than their number are looked up in a table."""

    def __init__(self, id: np.ndarray, order: np.ndarray) -> None:
        self._id, self._order, self._table = id, order, None
        most = int(id[order[-1]])
        if most <= 16 * id.size:
            self._table = np.full(most + 2, -1, np.int32)  # the last entry is for all others
            self._table[id] = np.arange(id.size, dtype=np.int32)

    def of(self, wanted: np.ndarray) -> np.ndarray:
        """Return the place of each id, -1 if it is missing."""
        if self._table is not None:
            last = self._table.size - 1
            return self._table[np.where((wanted >= 0) & (wanted < last), wanted, last)].astype(np.int64)
        found = self._order[np.minimum(np.searchsorted(self._id, wanted, sorter=self._order), self._id.size - 1)]
        return np.where(self._id[found] == wanted, found, -1)


def _below(taxa: _Taxa, root: int) -> np.ndarray:
    """Tell which taxa are at or below a taxon."""
    parent = np.where(taxa.parent < 0, np.arange(taxa.parent.size), taxa.parent)
    parent[root] = root
    return tops(parent) == root


# ---------------------------------------------------------------------- merged.dmp


def _merged(files: dict[str, DmpFile], taxa: _Taxa) -> dict[str, int]:
    """Return the tax ids that were merged into others, each with the position of the one that stays."""
    found: dict[str, int] = {}
    chained: dict[str, str] = {}
    if MERGED in files and files[MERGED].content.strip():
        for fields in files[MERGED].fields(2):
            old, new = (files[MERGED].numbers(fields, j) for j in (0, 1))
            at = taxa.places.of(new)
            free = (at >= 0) & (taxa.places.of(old) < 0)
            found.update(zip(map(str, old[free].tolist()), at[free].tolist(), strict=True))
            chained.update(zip(map(str, old[at < 0].tolist()), map(str, new[at < 0].tolist()), strict=True))
    for first in chained:  # ids that were merged into such as were merged later
        last, seen = first, {first}
        while last in chained and chained[last] not in seen:
            last = chained[last]
            seen.add(last)
        if last in found:
            found.setdefault(first, found[last])
    if DELETED in files and (count := files[DELETED].content.count(b"|")):
        note("deleted", f"{counted(count, 'tax id')} that NCBI deleted (delnodes.dmp), of no taxon")
    return found


def _is_deleted(file: DmpFile | None, id: int) -> bool:
    """Tell whether delnodes.dmp, if it is there, has this tax id."""
    if file is None or not file.content.strip():
        return False
    return any((file.numbers(fields, 0) == id).any() for fields in file.fields(1))


# ---------------------------------------------------------------------- names.dmp


def _read_names(files: dict[str, DmpFile], taxa: _Taxa) -> list[str]:
    """Return the scientific name of each taxon, in its unique form where several have the same."""
    if NAMES not in files:
        msg = "no names.dmp beside this nodes.dmp: put it there, or take labels='id', which does without"
        raise ParseError(msg, path=files[NODES].path)
    file = files[NAMES]
    start, stop = _scientific_names(file, taxa)
    try:
        names = [file.content[s:e].decode() for s, e in zip(start[:, 0].tolist(), stop[:, 0].tolist(), strict=True)]
        if len(set(names)) < len(names):
            count = Counter(names)
            for i in [i for i, x in enumerate(names) if count[x] > 1]:
                names[i] = file.content[start[i, 1] : stop[i, 1]].decode() or names[i]
    except UnicodeDecodeError:
        decoded(file.content, file.path)
        raise
    return names


def _kinds(files: dict[str, DmpFile], taxa: _Taxa, fillers: Placeholders) -> np.ndarray:
    """The kinds of the taxa by their names, as `Placeholders.kinds` has them, without reading all names of a big dump.

    Lines that are not names are passed over: the names serve nothing else.
    """
    file = files[NAMES]
    step, mark = automaton()
    if fillers.more:
        return fillers.kinds(_read_names(files, taxa), taxa.parent)
    inner = np.zeros(taxa.id.size, np.bool_)
    inner[taxa.parent[taxa.parent >= 0]] = True
    found = np.zeros(taxa.id.size, np.uint8)
    at = 0
    while at < len(file.content):
        block = file.block(at)
        id, start, stop, bits = engine.signs.scientific_names_with_signs(block, step, mark)
        taxon = taxa.places.of(id)
        known = taxon >= 0
        sure = known & ((bits & (SURE | NOT_SURE)) == SURE) & ~inner[taxon]
        found[taxon[sure]] = MEMBER
        for i in np.flatnonzero(known & ~sure & ((bits & NEAR) > 0)).tolist():
            name = decoded(block[start[i] : stop[i]].tobytes(), file.path)
            if _FILLED.search(name):  # the name above tells
                return fillers.kinds(_read_names(files, taxa), taxa.parent)
            found[taxon[i]] = fillers.kind(name, leaf=not inner[taxon[i]])
        at += block.size
    return found


def _scientific_names(file: DmpFile, taxa: _Taxa) -> tuple[np.ndarray, np.ndarray]:
    """Where each taxon's scientific name and its unique name start and stop in the file: two arrays of shape (N, 2)."""
    N = taxa.id.size
    start, stop, line_of = np.zeros((N, 2), np.int64), np.zeros((N, 2), np.int64), np.zeros(N, np.int64)
    for fields in file.fields(4):
        scientific = file.equal(fields, 3, b"scientific name")
        id = file.numbers(fields, 0)[scientific]
        at = taxa.places.of(id)
        known = at >= 0
        at, line = at[known], fields.line[scientific][known]
        again = np.ones(at.size, np.bool_)
        again[np.unique(at, return_index=True)[1]] = False
        again |= line_of[at] > 0
        if again.any():
            i = int(np.flatnonzero(again)[0])
            file.refuse(line[i], f"a second scientific name for tax id {taxa.id[at[i]]}")
        start[at], stop[at] = fields.start[scientific, 1:3][known], fields.stop[scientific, 1:3][known]
        line_of[at] = line
    bare = np.flatnonzero(line_of == 0)
    if bare.size:
        id = taxa.id[bare[0]]
        msg = f"{bare.size} taxa of nodes.dmp have no scientific name here, tax id {id} the first"
        msg = msg if bare.size > 1 else f"one taxon of nodes.dmp has no scientific name here, tax id {id}"
        raise ParseError(msg, path=file.path)
    empty = np.flatnonzero(start[:, 0] == stop[:, 0])
    if empty.size:
        i = int(empty[0])
        file.refuse(line_of[i], f"the scientific name of tax id {taxa.id[i]} is empty", at=int(start[i, 0]))
    return start, stop


#: The kinds of names that mean just one taxon each: not "in-part", "includes", "blast name" or "type material".
_OTHER_NAMES = frozenset(
    {
        *(b"synonym", b"equivalent name", b"genbank synonym", b"authority", b"acronym", b"genbank acronym"),
        *(b"common name", b"genbank common name", b"misspelling", b"anamorph", b"teleomorph"),
        *(b"genbank anamorph", b"genbank teleomorph"),
    }
)


def taxdump_synonyms(path: Source) -> dict[str, list[str]]:
    """Return the other names of taxa: synonyms, common names, names with authors, misspellings. See `read_synonyms`."""
    files = taxdump_files(path)
    taxa = _read_nodes(files[NODES])
    called = _read_names(files, taxa)
    file = files[NAMES]
    found: dict[str, list[str]] = {}
    for fields in file.fields(4):
        places = zip(fields.start[:, 3].tolist(), fields.stop[:, 3].tolist(), strict=True)
        other = np.array([file.content[start:stop] in _OTHER_NAMES for start, stop in places], np.bool_)
        at = taxa.places.of(file.numbers(fields, 0))
        rows = np.flatnonzero(other & (at >= 0)).tolist()
        for i in rows:
            name = decoded(file.content[fields.start[i, 1] : fields.stop[i, 1]], file.path)
            taxon = called[at[i]]
            if name and taxon not in found.setdefault(name, []):
                found[name].append(taxon)
    return found


def _root_of(
    taxa: _Taxa, root: str | int, names: list[str] | None, merged: dict[str, int], deleted: DmpFile | None
) -> int:
    """Return the position of the taxon that a tax id or a name stands for."""
    if isinstance(root, str) and not root.isdecimal():
        assert names is not None
        at = [i for i, x in enumerate(names) if x == root]
        if len(at) == 1:
            return at[0]
        if len(at) > 1:
            msg = f"root={root!r} is the name of {len(at)} taxa; give a tax id: {', '.join(map(str, taxa.id[at[:20]]))}"
            raise ValueError(msg)
        alike = [x for x in names if x.startswith(f"{root} <")]
        if alike:
            msg = f"root={root!r} is the name of several taxa; take a unique one: {', '.join(map(repr, alike[:20]))}"
            raise ValueError(msg)
        raise UnknownLeafError([root], names, what="names of taxa")
    try:
        id = int(root)
    except (TypeError, ValueError):
        msg = f"root must be a tax id or a scientific name, not {root!r}"
        raise TypeError(msg) from None
    found = taxa.places.of(np.array([id if 0 <= id < 2**62 else -1], np.int64))
    if found[0] < 0 and str(id) in merged:
        kept = merged[str(id)]
        tell_synonyms({str(id): str(taxa.id[kept])})
        return kept
    if found[0] < 0:
        hint = "NCBI deleted it (delnodes.dmp)" if _is_deleted(deleted, id) else ""
        raise UnknownLeafError([root], list(map(str, taxa.id.tolist())), what="tax ids", hint=hint)
    return int(found[0])


def _recognize(start: FileStart) -> str | None:
    fields = re.match(r"[^\n]*\t\|\t|\d+\t\|", start.body)
    return "its fields are separated as in nodes.dmp" if fields else None


FORMAT = FileFormat(
    "taxdump",
    "NCBI taxdump",
    read=read_taxdump,
    ontology=taxdump_ontology,
    synonyms=taxdump_synonyms,
    recognize=_recognize,
    by_path=True,
)
