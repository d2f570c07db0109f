"""Every format: a source is recognised by its content, and then the format's own reader reads it.

Each file of a format ends with its record (`tripletree.io.format.FileFormat`): names, extensions, recogniser, reader,
writer. A format is added with one such file and one line in `FORMATS`, whose order is the order of recognition, and if
its lines have no mark that documents lack, with a rule in `_LINE_RULES`.

File extensions are ignored in reading because they are unreliable. A format can be named if the content does not
tell, and then nothing is recognised. The format taken is logged, at level INFO of the logger "tripletree.io".
"""

from __future__ import annotations

import inspect
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import dropwhile
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.confidence import SUPPORT_KEYS
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, peer_converter
from tripletree.core.notes import kept
from tripletree.core.ontology import Ontology
from tripletree.errors import SHOWN, NotATreeError, ParseError, UnknownOptionError
from tripletree.io.classifiers import classifier
from tripletree.io.codes import FORMAT as CODES
from tripletree.io.codes import are_ec_lines, code_place
from tripletree.io.dot import FORMAT as DOT
from tripletree.io.edges import FORMAT as EDGES
from tripletree.io.edges import refuse_pedigree
from tripletree.io.edges import usual_columns as edge_columns
from tripletree.io.folders import FORMAT as FOLDER
from tripletree.io.forest import as_rooted, each_of, one_of
from tripletree.io.format import LINES, FileFormat, FileStart
from tripletree.io.icd import FORMAT as ICD
from tripletree.io.indented import steps_of
from tripletree.io.lineages import ARROWS, looks_like_lineages, sure_outline
from tripletree.io.lineages import FORMAT as LINEAGES
from tripletree.io.lineages import usual_columns as lineage_columns
from tripletree.io.linkage_files import FORMAT as LINKAGE
from tripletree.io.nested_json import FORMAT as JSON
from tripletree.io.newick import FORMAT as NEWICK
from tripletree.io.nexml import FORMAT as NEXML
from tripletree.io.nexus import FORMAT as NEXUS
from tripletree.io.obo import FORMAT as OBO
from tripletree.io.obograph import FORMAT as OBOGRAPH
from tripletree.io.outlines import ROWS, cells_of, ways_of
from tripletree.io.owl import FORMAT as OWL
from tripletree.io.phyloxml import FORMAT as PHYLOXML
from tripletree.io.source import (
    Source,
    Target,
    check_not_utf16,
    is_workbook,
    named_stream,
    raw_bytes,
    read_bytes,
    tar_members,
    zip_members,
)
from tripletree.io.table import frame_columns, is_frame, parquet_names
from tripletree.io.taxdump import FORMAT as TAXDUMP
from tripletree.io.ways import call, question
from tripletree.io.wordnet import FORMAT as WORDNET
from tripletree.tables.cells import cell_text
from tripletree.tables.columns import bounds_in
from tripletree.tables.rows import FRAME, table_of

#: Every format by its name. Formats that recognise themselves do so in this order. The others, which compete for the
#: same text, are told apart in `_of_lines` below.
FORMATS: dict[str, FileFormat] = {
    x.name: x
    for x in (
        *(NEXUS, PHYLOXML, NEXML, OWL, ICD, DOT, OBOGRAPH, JSON, OBO, WORDNET, TAXDUMP),
        *(NEWICK, LINEAGES, EDGES, CODES, LINKAGE, FOLDER),
    )
}

_TAXDUMP, _TAXDUMP_NAMES = "nodes.dmp", "names.dmp"
_log = logging.getLogger("tripletree.io")


# ---------------------------------------------------------------------- recognition


class _Recognition(NamedTuple):
    """The format of a source: the name of a format or "triplets", the reason, and the content that was read."""

    name: str
    reason: str
    stream: Any = None
    """A stream of the content. None if the reader must read the path itself."""


def recognize(path: Source) -> str:
    r"""Recognise the format of a source by its content.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        A folder is a taxdump if it holds nodes.dmp or names.dmp, else a tree of files. A file object is read to its
        end.

    Returns
    -------
    str
        One of `FORMATS`, or "triplets".

    Examples
    --------
    >>> import io
    >>> recognize(io.StringIO("((human,chimp),gorilla);")), recognize(io.StringIO("[Term]\nid: GO:1\n"))
    ('newick', 'obo')
    """
    return _recognized(path).name


def _recognized(path: Source) -> _Recognition:
    if is_frame(path):
        return _of_frame(path)
    is_path = isinstance(path, (str, os.PathLike)) and os.fspath(path) != "-"
    if is_path and os.path.isdir(path):  # type: ignore[arg-type]
        return _of_folder(os.fspath(path))  # type: ignore[arg-type]
    content, source = raw_bytes(path)
    found = _of_archive(content, source) if isinstance(content, bytes) else None
    if found is None:
        content, _ = read_bytes(named_stream(content, source))
        found = _of_content(content.encode() if isinstance(content, str) else content, source)
    if is_path and found.name in FORMATS and FORMATS[found.name].by_path:
        return found
    return found._replace(stream=named_stream(content, source))


def _of_frame(frame: Any) -> _Recognition:
    """Return the format of a data frame, told by its first rows as those of a file are."""
    table = table_of({name: column[:LINES] for name, column in frame_columns(frame).items()})
    rows = [table.names or [], *zip(*table.columns, strict=True)]
    return _of_lines("\n".join("\t".join(re.sub(r"\s+", " ", cell_text(x) or "") for x in row) for row in rows), FRAME)


def _of_folder(path: str) -> _Recognition:
    names = os.listdir(path)
    for dump in (_TAXDUMP, _TAXDUMP_NAMES):  # without nodes.dmp, the reader says that it is missing
        if any(x.startswith(dump) for x in names):
            return _Recognition("taxdump", f"the folder holds {dump}")
    if "data.noun" in names:
        return _Recognition("wordnet", "the folder holds data.noun")
    return _Recognition("folder", "it is a folder")


def _of_archive(content: bytes, name: str | None) -> _Recognition | None:
    """Return the format of an archive of several files. None for any other content, packed or not."""
    if is_workbook(content):
        return None
    if content.startswith(b"PK\x03\x04"):
        members = list(zip_members(content, name))
        if any(x.endswith(".npy") for x in members):
            return _Recognition("linkage", "it is an archive of numpy arrays")
    else:
        found = tar_members(content, name)
        if found is None:
            return None
        members = [x for x, _ in found]
        if not members:
            raise ParseError("the archive holds no file", path=name)
    if any(os.path.basename(x).startswith(_TAXDUMP) for x in members):
        return _Recognition("taxdump", f"the archive holds {_TAXDUMP}")
    if len(members) == 1 and content.startswith(b"PK"):
        return None  # one file, packed: it is unpacked and recognised itself
    files = "1 file, which is not" if len(members) == 1 else f"{len(members)} files, none of which is"
    shown = ", ".join(map(repr, members[:5])) + (", ..." if len(members) > 5 else "")
    msg = f"an archive of {files} {_TAXDUMP}: {shown}; unpack it and read one of them"
    raise ParseError(msg, path=name)


#: Commands from the middle of NEXUS files: without its first line such a file is not a table.
_NEXUS_PART = re.compile(
    r"^[ \t]*begin\s+\w+\s*;|\bu?tree\s+[^\s=]+\s*=\s*(\[[^\]]{0,200}\]\s*)?\(|(^|[\s;])end(block)?\s*;\s*\Z",
    re.I | re.M,
)


def _of_content(content: bytes, name: str | None) -> _Recognition:
    """Return the format of an unpacked file, or raise a ParseError if no format fits."""
    if content.startswith(b"\x93NUMPY"):
        return _Recognition("linkage", "it is a numpy array")
    if content.startswith(b"PAR1"):
        return _of_columns(parquet_names(content, name), name)
    if not content.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):  # XML may be UTF-16
        check_not_utf16(content, name)
    start = FileStart(content)
    if not start.body:
        raise ParseError("the file is empty", path=name)
    if start.body.startswith("<"):
        return _of_xml(start, name)
    _check_named(start, name)
    for form in FORMATS.values():
        if form.recognize is not None and (reason := form.recognize(start)):
            return _Recognition(form.name, reason)
    if _NEXUS_PART.search(start.text):
        raise ParseError("commands of NEXUS, but not the first line '#NEXUS': is its head missing?", path=name)
    whole = start.body.rstrip()
    if whole[0] in "([" or (whole.endswith(";") and whole.count(";") <= whole.count(")") + 1 and "\t" not in whole):
        return _Recognition("newick", "it has the brackets or the semicolon of Newick")
    return _of_lines(start.text, name)


_DUMP_CURE = "give nodes.dmp of the same download, its folder, or the archive taxdump.tar.gz"
#: Files that are known and not read: the sign at their beginning, and their name with a way on.
_NAMED = (
    (
        r">[^\s;]+;tax=",
        r"""FASTA with lineages in its headers; 'sed -n "/;tax=/{s/^>\([^;]*\);tax=\([^;]*\).*/\1\t\2/"""
        r""";s/,/;/g;s/:/__/g;p}" FILE > FILE.tsv' takes them out""",
    ),
    (
        r">[^\n]*\|[^\n]*k__[^\n|]*\n",
        r"FASTA with lineages in its headers; "
        r"""'sed -n "s/^>\(.*\)|/\1\t/p" FILE > FILE.tsv' takes them out""",
    ),
    (
        r">[^\s;]+ [^\n;]+;[^\n]*\n",
        r"FASTA with lineages in its headers; "
        r"""'sed -n "s/^>\([^ ]*\) /\1\t/p" FILE > FILE.tsv' takes them out""",
    ),
    (r">[^\n]*\n[A-Za-z*-]+\s", "FASTA: sequences, which are no hierarchy"),
    (
        r'\{[^{}\[\]]*"tree"\s*:\s*"\s*\(',
        "a tree within JSON, as of jplace; "
        "'python -c \"import json; print(json.load(open('FILE'))['tree'])\" > FILE.nwk' takes it out",
    ),
    (
        r"(Prefix\(|Ontology\()",
        "OWL in functional syntax; 'robot convert --input FILE --output FILE.owl' makes RDF/XML",
    ),
    (
        r"(Prefix:|Ontology:)[ \t]+\S*[ \t]*<",
        "OWL in Manchester syntax; 'robot convert --input FILE --output FILE.owl' makes RDF/XML",
    ),
    (
        r"(@prefix|@base|PREFIX|BASE)[ \t]+\S*[ \t]*<",
        "RDF in Turtle; 'rdfpipe -i turtle -o xml FILE > FILE.rdf' (of rdflib) makes RDF/XML",
    ),
    (
        r"[ \t]*\d+\.\d+\t\d+\t\d+\t(\d+\t\d+\t)?[A-Z-]\d*\t\d+\t",
        "a report of Kraken or Centrifuge; 'kreport2mpa.py -r FILE -o FILE.txt' (of KrakenTools) makes lineages",
    ),
    (
        r"(#[^\n]*\n|[ \t]*\n)*@[A-Za-z]+:[^\n]*\n((#|@(?!@))[^\n]*\n|[ \t]*\n)*(@@TAXID|\d+\t)",
        "a profile of CAMI; 'grep -v ^[@#] FILE | cut -f 4 > FILE.txt' takes the lineages out",
    ),
    (r"\d+\t\|\t(?!\d+\t\|)[^|\n]*(\t\|\t[^|\n]*){7}\t\|", f"rankedlineage.dmp of NCBI's new taxdump; {_DUMP_CURE}"),
    (
        r"\d+\t\|\t[^|\n]*[^\d\s|][^|\n]*\t\|\t[^|\n]*;[^|\n]*\t\|",
        f"fullnamelineage.dmp of NCBI's new taxdump; {_DUMP_CURE}",
    ),
    (r"\d+\t\|\t(\d+ )+\d*\t\|", f"taxidlineage.dmp of NCBI's new taxdump; {_DUMP_CURE}"),
    (r"\d+\t\|\t\d+\t\|[ \t]*(\n|\Z)", f"merged.dmp of a taxdump (old ids and new ones); {_DUMP_CURE}"),
    (r"\d+\t\|[ \t]*(\n|\Z)", f"delnodes.dmp of a taxdump (ids that were deleted); {_DUMP_CURE}"),
)


def _check_named(start: FileStart, name: str | None) -> None:
    """Refuse a file that is known by its beginning, and not read, with a way on."""
    for sign, what in _NAMED:
        if re.match(sign, start.body):
            raise ParseError(f"this is {what}", path=name, line=1)


def _of_xml(start: FileStart, name: str | None) -> _Recognition:
    roots = {root: form.name for form in FORMATS.values() for root in form.xml_roots}
    if start.root in roots:
        return _Recognition(roots[start.root], f"its root element is {start.root}")
    msg = f"XML with the root element {start.root!r}; expected one of {', '.join(roots)}"
    raise ParseError(msg, path=name, line=1)


# ---------------------------------------------------------------------- tables and lines
#
# Edges, lineages, linkages and triplets are lines of text without a mark of their own. The header tells which of them a
# file holds, or else the form of its first lines.

_TRIPLETS = "triplets"
_TRIPLET = re.compile(r"^\s*\S.*\s\|\s*\S+\s*(\|.*)?$")
_LABEL = r"""(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s|'"]+)"""
_STRICT_TRIPLET = re.compile(rf"^\s*{_LABEL}\s+{_LABEL}\s*\|\s*{_LABEL}\s*(\|.*)?$")
_PATHS = ("__", ";", *(f" {x} " for x in ARROWS), " > ", "\\", "|", "/")
_BETWEEN = re.compile(r";| (?:[>»›→]|->|::) |[|/\\]")
_NUMBERS = re.compile(r"^\s*[-+]?[\d.][-+.\deE]*(?:[\s,;]+[-+]?[\d.][-+.\deE]*){3}\s*$")
_ARROWS = ("->", "→", "=>")
_LINKAGE_NAMES = ["cluster1", "cluster2", "height", "size"]
_DELIMITERS = "\t,;|"
#: Signs that a file is the rest of a document whose head is missing: a sign, how the file then ends, the format.
_PARTS = (
    (re.compile(r"</[A-Za-z]|/>|<\?xml|\w=(\"[^\"\n]*\"|'[^'\n]*')\s*>"), "", "XML"),
    (re.compile(r'"\s*:\s*["\d\[{ntf]'), "]}", "JSON"),
    (re.compile(r"->[^\n]*[;\[]"), "", "DOT"),
    (re.compile(r"\s\d{8} [nvasr] \d{4}\b"), "", "a WordNet data file"),
)


def are_triplets(lines: Sequence[str]) -> bool:
    """True if each line is ``a b | c``, labels with blanks in quotes. Without any quotes it could be a path, too."""
    return bool(lines) and all(_STRICT_TRIPLET.match(x) for x in lines)


def _of_columns(names: Sequence[str], name: str | None, rows: list[list[str]] | None = None) -> _Recognition:
    if edge_columns(names) or bounds_in(names, rows or (), head=True):
        return _Recognition("edges", f"it has columns of children and parents: {', '.join(names[:6])}")
    if lineage_columns(names) and (rows is None or looks_like_lineages(names, rows)):
        return _Recognition("lineages", f"it has columns of ranks or paths: {', '.join(names[:6])}")
    if {"a", "b", "c"} <= set(names):
        return _Recognition(_TRIPLETS, "it has the columns a, b and c")
    msg = (
        f"the columns of this table fit neither edges nor lineages: {', '.join(names[:10])}; name its "
        "columns: read_edges(path, child_column=..., parent_column=...) or read_lineages(path, columns=[...])"
    )
    raise ParseError(msg, path=name)


def _are_paths(lines: list[str], mark: str) -> bool:
    """Tell whether nearly all lines have a separator of paths, and many begin alike, unlike lines of prose."""
    if (mark != "__" and len(lines) < 2) or any(x.startswith(("|", "//")) for x in lines):
        return False
    lines = [x for x in lines if [cell for cell in x.split("\t")[1:] if cell.strip()] or "\t" not in x]
    cells = [re.sub(r"^\d+ - ", "", next((cell for cell in x.split("\t") if mark in cell), x)) for x in lines]
    top = [_BETWEEN.split(x)[0].strip() for x in cells if mark in x]
    if mark in ";\\|/" and len(set(top)) == len(top) and all(x.count(mark) < 2 for x in cells):
        return False  # names with one parent each: edges
    if mark in ";|" and _are_mixed([_names_between(x, mark) for x in cells]):
        return False
    alone = sum(x.strip() in top for x in cells if mark not in x)  # the top itself, as a line
    return len(top) + alone >= 0.7 * len(cells) and 0 < len(set(top)) <= max(0.7 * len(cells), 1)


def _names_between(text: str, mark: str) -> list[str]:
    return [x.strip() for x in text.split(mark)]


def _are_mixed(rows: list[list[str]]) -> bool:
    """Tell whether most names that recur stand in several columns, as items of questions do, and no steps of paths.

    A name below itself (Energy;Energy) does not count.
    """
    if len(rows) < 4 or len({len(row) for row in rows}) > 1 or len(rows[0]) < 4:
        return False
    rows = [["" if x == above else x for above, x in zip(["", *row], row, strict=False)] for row in rows]
    count = Counter(x for row in rows for x in row if x)
    places = Counter(x for column in zip(*rows, strict=True) for x in {*column})
    recurring = [x for x, n in count.items() if n > 1]
    return len(recurring) > 2 and 2 * sum(places[x] > 1 for x in recurring) > len(recurring)


def _or_codes(cells: Sequence[str]) -> str:
    """Return advice where cells look like codes with levels, such as EC numbers, and no code begins another."""
    if len(cells) < 2 or not all(_LEVELS.fullmatch(x.strip()) for x in cells):
        return ""
    return f"; if {cells[0].strip()!r} is a code, of which the parts are levels: read_codes(path, code_column=0)"


def _check_edges(lines: list[str], delimiter: str, name: str | None) -> None:
    """Refuse lines of two cells if nothing shows that they are edges, or which cell is the parent."""
    rows = [[cell.strip() for cell in x.split(delimiter)] for x in lines if x.count(delimiter) == 1]
    below, above = ([row[k] for row in rows if row[k]] for k in (0, 1))
    if not above or (len(set(below)) == len(below) and len(set(above)) == len(above)):
        what = "the second is empty in all of them" if not above else "no cell stands twice in its column"
        bare = "if the first is the child of the second in each row", call("read_edges", name, header=False)
        ways = ways_of(name, rows, bare=bare) if above and not _or_codes(below) else []
        if len(ways) > 1:
            other = call("read_edges", name, child_column=1, header=False)
            ways.append(("if the second is the child of the first", other))
            raise question(name, 1, f"lines of two cells, of which {what}.", ways)
        msg = (
            f"lines of two cells that may be children and parents, but {what}: give the columns names (child and "
            f"parent), or format='edges' if the child comes first{_or_codes(below)}"
        )
        raise ParseError(msg, path=name, line=1, column=1, text=lines[0])


class _Lines(NamedTuple):
    """The facts that tell the formats of plain lines apart."""

    every: list[str]
    """The lines that are neither empty nor comments."""
    first: list[str]
    """The first of them."""
    header: str
    """The first of all, or that comment if there are no others."""
    path: str | None
    above: str
    """The last comment above the first line, which may be a header behind a ``#``."""
    text: str
    """All of it, comments and blanks in front of lines, too."""


#: A line of one cell.
_TITLE = re.compile(r""""[^"]*"[\t,;|]*|[^\t,;|"]*[\t,;|]*""")


def _table_by_header(x: _Lines) -> _Recognition | None:
    for lines in (x.first or [x.header], [x.above, *x.first]):
        for delimiter in _DELIMITERS:
            below = [*dropwhile(lambda line: _TITLE.fullmatch(line.rstrip()), lines)] or lines
            table = (line.lstrip("#").split(delimiter) for line in below)
            names, *rows = ([cell.strip().strip('"') for cell in row] for row in table)
            known = edge_columns(names) or bounds_in(names, rows, head=True) or lineage_columns(names)
            if len(names) > 1 and (known or {"a", "b", "c"} <= set(names)):
                return _of_columns(names, x.path, rows)
            refuse_pedigree(names, x.path, 1)
    return None


def _classified(x: _Lines) -> _Recognition | None:
    found = classifier([line.split("\t") for line in x.first]) is not None
    return _Recognition("lineages", "its lines are taxa that a classifier assigned") if found else None


def _linkage(x: _Lines) -> _Recognition | None:
    has_header = [cell.strip() for cell in x.header.split(",")] == _LINKAGE_NAMES
    rows = x.first[has_header:]
    return (
        _Recognition("linkage", "its lines have four numbers each") if rows and all(map(_NUMBERS.match, rows)) else None
    )


def _codes(x: _Lines) -> _Recognition | None:
    if are_ec_lines(x.first) or (any(map(are_ec_lines, ([y] for y in x.first))) and are_ec_lines(x.every)):
        return _Recognition("codes", "it lists numbers of classes of enzymes")
    rows = cells_of(x.first)
    for names, body in ((rows[0], rows[1:]), (None, rows)) if rows else ():
        if code_place(names, list(zip(*body, strict=True)), sure=True) is not None:
            return _Recognition("codes", "it holds codes of which some begin with others")
    return None


def _not_called_codes(x: _Lines) -> None:
    """Refuse what has the form of codes under a name that is of something else."""
    rows = cells_of(x.first)
    columns = list(zip(*rows[1:], strict=True))
    at = code_place(None, columns, sure=True) if rows else None
    if at is not None:
        msg = (
            f"texts of which some begin with others stand in the column {rows[0][at]!r}, which is not called code: "
            f"format='codes' reads them as codes"
        )
        raise ParseError(msg, path=x.path, line=1, column=1, text=x.header)


def _quoted_triplets(x: _Lines) -> _Recognition | None:
    quoted = any("'" in line or '"' in line for line in x.first)  # no path has labels in quotes
    return _Recognition(_TRIPLETS, "its lines are triplets") if quoted and are_triplets(x.first) else None


def _outlined(x: _Lines) -> _Recognition | None:
    way = sure_outline(x.every)
    return None if way is None else _Recognition("lineages", f"it is a table in which {way.meant}")


def _outline(x: _Lines) -> _Recognition | None:
    whole = x.text[: x.text.rfind("\n") + 1] or x.text  # the last line may be cut
    return None if steps_of(whole, x.path) is None else _Recognition("lineages", "its lines are an outline")


def _arrows(x: _Lines) -> None:
    """Ask of lines with an arrow each which of two names is below the other."""
    for arrow in _ARROWS:
        lines = [line for line in x.every if arrow in line]  # a line without may be a bracket of a graph's description
        if 2 * len(lines) > len(x.every) > 1 and all(line.count(arrow) == 1 for line in lines):
            ways = [
                (meant, call("read_edges", x.path, delimiter=arrow, child_column=k, header=False))
                for k, meant in enumerate(("if it leads to the parent", "if it leads to the child"))
            ]
            first, second = zip(*(line.split(arrow) for line in lines), strict=True)
            fewer = len({y.strip() for y in second}) < len({y.strip() for y in first})
            raise question(x.path, 1, f"which way does {arrow!r} lead?", ways if fewer else ways[::-1])


def _paths(x: _Lines) -> _Recognition | None:
    found = any(_are_paths(x.first, mark) for mark in _PATHS)
    return _Recognition("lineages", "its lines hold paths") if found else None


def _bare_triplets(x: _Lines) -> _Recognition | None:
    found = x.first and all(map(_TRIPLET.match, x.first))
    return _Recognition(_TRIPLETS, "its lines are triplets") if found else None


def _pairs_of_cells(x: _Lines) -> _Recognition | None:
    for delimiter in _DELIMITERS:
        if x.first and all(line.count(delimiter) == 1 == line.strip().count(delimiter) for line in x.first):
            _check_edges(x.every, delimiter, x.path)
            return _Recognition("edges", "its lines have two cells each")
    return None


#: Asked in this order: a line of triplets may look like a path, and a path like an edge.
_LINE_RULES = (
    _classified,
    _table_by_header,
    _linkage,
    _codes,
    _quoted_triplets,
    _outline,
    _arrows,
    _outlined,
    _paths,
    _bare_triplets,
    _not_called_codes,
    _pairs_of_cells,
)


_LEVELS = re.compile(r"[^\W_]{1,8}(?:\.[^\W_]{1,8})+")


def _of_lines(text: str, name: str | None) -> _Recognition:
    """Return the format of lines without a mark of their own, by the first rule that fits."""
    for part, ends, kind in _PARTS:
        if (not ends or text.rstrip()[-1:] in ends) and part.search(text):
            raise ParseError(f"this looks like the middle of {kind}: is the head of the file missing?", path=name)
    every = [x for x in text.splitlines() if x.strip() and not x.startswith("#")]
    header = every[0] if every else text.strip().lstrip("#").partition("\n")[0]
    before = text[: text.find(header)].split("\n")
    lines = _Lines(
        every, every[:LINES], header, name, next((x for x in reversed(before) if x.startswith("#")), ""), text
    )
    for rule in _LINE_RULES:
        found = rule(lines)
        if found is not None:
            return found
    rows = cells_of(every[:ROWS])
    ways = ways_of(name, rows) if len(rows) > 1 and len(rows[0]) > 1 else []
    if ways:
        raise question(name, 1, f"what are the columns {', '.join(map(repr, rows[0][:SHOWN]))}?", ways)
    for sign in _DELIMITERS:  # rows of several lengths
        tops = [x.split(sign)[0].strip() for x in every if sign in x]
        if len({x.count(sign) for x in every}) > 1 and 2 * len(tops) > len(every) and len(set(tops)) < len(tops):
            ways = [(f"if these are paths of names with {sign!r} between", call("read_lineages", name, sep=sign))]
            raise question(name, 1, "rows of several lengths.", ways)
    msg = (
        "the format is not recognised (the first line is below); if it is one of those known, name it: "
        f"format='newick', or another of {', '.join(x for x in FORMATS if x != 'newick')}{_or_codes(every)}"
    )
    raise ParseError(msg, path=name, line=1, column=1, text=header)


# ---------------------------------------------------------------------- reading

#: Options that tell the format of a table, and formats that a table may be taken for without them.
_TELLING = {frozenset({"child_column", "parent_column"}): "edges", frozenset({"columns", "id_column"}): "lineages"}
_TABLES = ("edges", "lineages", "codes", _TRIPLETS)
#: Options for the root of a tree, in every format.
_ROOTS = ("outgroup", "rooted")
Parent = Literal["deepest", "first", "smallest", "error"]


@kept
def read_hierarchy(path: Source, *, format: str | None = None, **options: Any) -> Hierarchy:
    r"""Read a hierarchy in whatever format it is.

    Parameters
    ----------
    path : path, file object, "-", data frame, or a tree
        A file of one of `FORMATS`, packed with gzip, bzip2, xz or zip or not, a folder, or an archive of a taxdump. A
        table of edges, lineages or codes may be a data frame. A tree of ete3, ete4, DendroPy, scikit-bio, Biopython or
        networkx is converted.
    format : str, optional
        One of `FORMATS`. By default `recognize` tells.
    **options
        For the reader of the format: ``labels="id"``, and so on. See the help of the reader, as
        ``help(tripletree.io.read_obo)``. For trees: of `tripletree.interop.from_tree` or `from_networkx`. ``root=``
        reads only a node and its descendants, in every format. ``outgroup=`` puts the root of a tree where
        `Hierarchy.reroot` does, and ``rooted=True`` takes an unrooted tree as rooted where it is written. Files with
        several trees take ``tree=0`` or ``join=True``, see `tripletree.io.read_newick`. Formats that may give a node
        several parents, networks among them, take ``parent="deepest"``, ``"first"``, ``"smallest"`` or ``"error"`` (the
        default), see `Ontology.to_hierarchy`.

    Returns
    -------
    Hierarchy

    Raises
    ------
    NotATreeError
        If a node has several parents and `parent` is not given.

    See Also
    --------
    read_ontology : formats whose nodes may have several parents, without choosing among them.

    Examples
    --------
    >>> import io
    >>> read_hierarchy(io.StringIO("((human,chimp),gorilla);"))
    <Hierarchy: 3 leaves, 2 inner nodes, binary, depth 2>
    >>> read_hierarchy(io.StringIO("child,parent\ncat,felids\nlion,felids\nfelids,carnivores\ndog,carnivores\n")).names
    ('felids', 'carnivores')
    >>> import networkx as nx
    >>> read_hierarchy(nx.DiGraph([("apes", "human"), ("apes", "chimp")])).names
    ('apes',)
    """
    convert = peer_converter(path)
    if convert is not None or isinstance(getattr(path, "hierarchy_", path), Hierarchy):
        kind = type(path).__name__
        if format is not None:
            msg = f"format={format!r} is for files, and this is a {kind}: leave it out"
            raise TypeError(msg)
        return _rooted_tree(convert or check_hierarchy, kind, path, options)
    source, form = _source(path, format, options)
    if form.read is None:
        assert form.ontology is not None
        tree = {key: options.pop(key) for key in ("parent", "labels") if key in options}
        _check_options(form.name, form.ontology, options, ("parent", "labels"))
        return form.ontology(source, **options).to_hierarchy(**tree)
    taken = inspect.signature(form.read).parameters
    if form.ontology is not None and "parent" in options and "parent" not in taken:  # of a network, a tree
        content = named_stream(*raw_bytes(source))
        tree = {key: options.pop(key) for key in ("parent", "labels") if key in options}
        try:
            return _rooted_tree(form.read, form.name, content, options)
        except (NotATreeError, ParseError, UnknownOptionError):
            content.seek(0)
            _check_options(form.name, form.ontology, options)
            with suppress(ParseError):
                return form.ontology(content, **options).to_hierarchy(**tree)
            raise
    return _rooted_tree(form.read, form.name, source, options)


def _rooted_tree(read: Callable[..., Hierarchy], name: str, source: Any, options: dict[str, Any]) -> Hierarchy:
    """Read or convert a tree with the options of every format and of its reader."""
    taken = inspect.signature(read).parameters
    more = {key: options[key] for key in ("root", *_ROOTS) if key in options and key not in taken}
    own = {key: x for key, x in options.items() if key not in more}
    _check_options(name, read, own, ("root", *_ROOTS))
    hierarchy = as_rooted(read(source, **own), *(more.get(key) for key in _ROOTS))
    return hierarchy if more.get("root") is None else hierarchy.subtree(more["root"])


def read_hierarchies(path: Source, *, format: str | None = None, **options: Any) -> list[tuple[str | None, Hierarchy]]:
    """Read every tree of a file that may hold several: Newick, NEXUS, PhyloXML, NeXML.

    Parameters
    ----------
    path : path, file object or "-"
    format : str, optional
        "newick", "nexus", "phyloxml" or "nexml". By default `recognize` tells.
    **options
        For the reader of the format, as in `read_newick` and its like.

    Returns
    -------
    list of (str or None, Hierarchy)
        The name and the tree of each in the order of the file. Trees of Newick have no name. A file without a tree is
        fine if its format is named. Each hierarchy has leaves of its own.

    See Also
    --------
    read_hierarchy : the one tree of a file, in any format.

    Examples
    --------
    >>> import io
    >>> [(name, h.n_leaves) for name, h in read_hierarchies(io.StringIO("(a,b);(a,b,c);"))]
    [(None, 2), (None, 3)]
    >>> read_hierarchies(io.StringIO("#nexus begin trees; tree x = (a,b); tree 'y z' = (a,b,c); end;"))
    [('x', <Hierarchy: 2 leaves, ...>), ('y z', <Hierarchy: 3 leaves, ...>)]
    """
    source, form = _source(path, format)
    read = _capable(form, "hold several trees")
    shared = {x: options.pop(x) for x in _keywords(each_of) if x in options}
    _check_options(form.name, read, options, _keywords(each_of))
    return each_of(read(source, **options), **shared)


def read_support(
    path: Source, *, format: str | None = None, keys: str | Sequence[str] = SUPPORT_KEYS, **options: Any
) -> tuple[Hierarchy, np.ndarray]:
    """Read one tree of a Newick, NEXUS or PhyloXML file, and the support of each of its inner nodes.

    Parameters
    ----------
    path : path, file object or "-"
    format : str, optional
        "newick", "nexus" or "phyloxml". By default `recognize` tells.
    keys : sequence of str
        Name of the support in comments such as ``[&posterior=0.98]`` and ``[&&NHX:B=98]``, and the type of a confidence
        in PhyloXML: the first that a node has.
    **options
        For the reader of the format, for instance of `read_newick`, and ``part=1`` for the second number where a
        node has several: 99 of ``94.3/99``, as IQ-TREE writes them. By default the first, ``part=0``. With
        ``outgroup=`` the support moves with the branches.

    Returns
    -------
    hierarchy : Hierarchy
        As `read_hierarchy` gives it, but that labels of inner nodes that are support are not names.
    support : ndarray of float64, shape (inner nodes,)
        In the unit of the file. NaN if a node has no support.

    See Also
    --------
    write_newick, write_nexus : ``support=`` writes them.

    Notes
    -----
    Programs write support as the label of the inner node (``(a,b)98:0.1``), in a comment after it
    (``(a,b)[&support=98]:0.1``), as a bare comment (``(a,b):0.1[98]``), or before the length (``(a,b):98:0.1``).
    Comments come first. Then a label is support if it is a number, or several as in ``94.3/99``, and a name if it is
    not. Of a name with support, ``100.0:g__Bacillus`` or ``Firmicutes(100)``, the name is left.

    Examples
    --------
    >>> import io
    >>> h, support = read_support(io.StringIO("(((a,b)98,c)apes[&support=70],d);"))
    >>> h.names, support.tolist()
    ((None, 'apes', None), [98.0, 70.0, nan])
    """
    source, form = _source(path, format)
    read = _capable(form, "hold support values")
    part = options.pop("part", 0)
    if isinstance(part, bool) or not isinstance(part, int):
        msg = f"part must be the position of a number of a node, such as 0 for the first, not {part!r}"
        raise TypeError(msg)
    shared = {x: options.pop(x) for x in _keywords(one_of) if x in options}
    _check_options(form.name, read, options, ("part", *_keywords(one_of)))
    file = read(source, **options)
    hierarchy = one_of(file, **shared, keys=[keys] if isinstance(keys, str) else list(keys), sure=True)
    return hierarchy, _part(hierarchy, part)


def _part(hierarchy: Hierarchy, part: int) -> np.ndarray:
    """One of the numbers of each inner node, NaN where it has fewer. Negative positions count from its last one."""
    given = hierarchy._support
    if given is None:
        return freeze(np.full(hierarchy.n_nodes - hierarchy.n_leaves, np.nan))
    if part >= 0:
        return freeze(given[:, part].copy() if part < given.shape[1] else np.full(len(given), np.nan))
    at = np.sum(~np.isnan(given), axis=1) + part
    return freeze(np.where(at >= 0, given[np.arange(len(given)), np.maximum(at, 0)], np.nan))


def _keywords(function: Any) -> tuple[str, ...]:
    """Return the names of the options of a function."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(x.name for x in parameters if x.kind is inspect.Parameter.KEYWORD_ONLY)


def _capable(form: FileFormat, purpose: str) -> Any:
    """Return the function of a format that reads files of several trees, or an error with the formats that have one."""
    if form.trees is None:
        able = ", ".join(name for name, x in FORMATS.items() if x.trees is not None)
        msg = f"files of {form.title} do not {purpose}; {able} do"
        raise ValueError(msg)
    return form.trees


@overload
def read_ontology(
    path: Source, *, mode: Literal["certain"] = "certain", format: str | None = None, **options: Any
) -> Ontology: ...
@overload
def read_ontology(
    path: Source,
    *,
    mode: Literal["tree"],
    parent: Parent = "error",
    labels: Literal["id", "name"] = "id",
    format: str | None = None,
    **options: Any,
) -> Hierarchy: ...
@kept
def read_ontology(
    path: Source,
    *,
    mode: Literal["certain", "tree"] = "certain",
    parent: Parent | None = None,
    labels: Literal["id", "name"] | None = None,
    format: str | None = None,
    **options: Any,
) -> Ontology | Hierarchy:
    r"""Read an ontology, whose terms may have several parents, under one of two readings.

    Parameters
    ----------
    path : path, file object or "-"
        OBO, OWL or SKOS, OBO Graphs, WordNet, or any of `FORMATS` that names parents (edges, flat JSON, taxdumps,
        lineages).
    mode : {"certain", "tree"}
        "certain" keeps all parents: `induce`, `sample_triplets` and `decompose` then give the triplets that hold
        whichever parent is chosen for each term. "tree" chooses one parent for each term, by the rule `parent`, and
        with it more triplets, which depend on the choice. `Ontology.resolution` measures how many either gives.
    parent : {"error", "deepest", "first", "smallest"}, optional
        For ``mode="tree"`` alone, by default "error": see `Ontology.to_hierarchy`.
    labels : {"id", "name"}, optional
        For ``mode="tree"`` alone, by default "id": whether nodes are called by their identifiers or their names.
    format : str, optional
        One of `FORMATS`. By default `recognize` tells.
    **options
        For the reader of the format, such as ``relations=("is_a", "part_of")``, ``root=``, ``namespace=``, or
        ``placeholders=False``, which takes terms such as "unclassified cell" for what they are not (see `read_obo`).

    Returns
    -------
    Ontology or Hierarchy
        An Ontology for "certain", a Hierarchy for "tree".

    Raises
    ------
    NotATreeError
        If ``mode="tree"``, a term has several parents, and `parent` is not given.

    Examples
    --------
    >>> from tripletree.datasets import sample_path
    >>> cells = read_ontology(sample_path("cell_types.obo"))
    >>> cells.n_terms, len(cells.leaves), cells.name("CL:0000084")
    (59, 27, 'T cell')
    >>> read_ontology(sample_path("cell_types.obo"), mode="tree", parent="deepest", labels="name").n_leaves
    27
    """
    if not isinstance(mode, str) or mode not in ("certain", "tree"):
        msg = f"mode must be 'certain' (all parents are kept) or 'tree' (one is chosen for each term), not {mode!r}"
        raise ValueError(msg)
    if mode == "certain" and (parent is not None or labels is not None):
        msg = "parent and labels belong to mode='tree': an Ontology keeps all parents, and has names beside its ids"
        raise ValueError(msg)
    source, form = _source(path, format)
    if form.ontology is None:
        msg = f"{form.title}, in which every node has one parent: read_hierarchy reads it"
        raise ParseError(msg, path=_name_of(path))
    root = None if "root" in inspect.signature(form.ontology).parameters else options.pop("root", None)
    _check_options(form.name, form.ontology, options, ("root",))
    ontology = form.ontology(source, **options)
    ontology = ontology if root is None else ontology.select(root=root)
    if mode == "certain":
        return ontology
    return ontology.to_hierarchy(parent=parent or "error", labels=labels or "id")


def read_synonyms(path: Source, *, format: str | None = None, **options: Any) -> dict[str, list[str]]:
    r"""Read the other names of taxa from an NCBI taxdump, or of terms from an ontology (OBO, OWL, OBO Graphs).

    Parameters
    ----------
    path : path, file object or "-"
        A taxdump as `read_taxdump` takes it, with names.dmp, or a file of another ontology, as for `read_obo`.
    format : str, optional
        "taxdump", "obo", "owl" or "obograph". By default `recognize` tells.
    **options
        For ontologies, ``scopes``: the synonyms to take, some of "exact" (the default), "narrow",
        "broad" and "related", which mean other things than the term.

    Returns
    -------
    dict
        For each other name the nodes that have it, one unless the name is ambiguous. A taxdump gives synonyms, common
        names, names with authors and misspellings, and the scientific name of the taxon as `read_taxdump` calls it. An
        ontology gives names, synonyms and secondary identifiers of terms that are not obsolete, each with both the id
        and the name of the term, as hierarchies have either.

    See Also
    --------
    tripletree.match_names : takes them.

    Examples
    --------
    >>> import io
    >>> cells = '[Term]\nid: CL:0000084\nname: T cell\nsynonym: "T lymphocyte" EXACT []\nsynonym: "T" BROAD []\n'
    >>> read_synonyms(io.StringIO(cells))
    {'T cell': ['CL:0000084'], 'T lymphocyte': ['CL:0000084', 'T cell']}
    """
    source, form = _source(path, format)
    if form.synonyms is None:
        known = ", ".join(x.title for x in FORMATS.values() if x.synonyms is not None)
        msg = f"{form.title} has no other names of taxa; {known} have them, and a dict of your own does as well"
        raise ParseError(msg, path=_name_of(path))
    _check_options(form.name, form.synonyms, options)
    return form.synonyms(source, **options)


def _source(path: Source, format: str | None, options: Collection[str] = ()) -> tuple[Any, FileFormat]:
    """Return the input of the reader, and the format."""
    if format is not None:
        if format not in FORMATS:
            msg = f"there is no format {format!r}; known are {', '.join(FORMATS)}"
            raise ValueError(msg)
        return path, FORMATS[format]
    found = _recognized(path)
    told = next((x for names, x in _TELLING.items() if not names.isdisjoint(options)), None)
    if told is not None and found.name in _TABLES:  # columns that are named tell the format better than others do
        found = found._replace(name=told)
    if found.name == _TRIPLETS:
        msg = f"triplets, not a hierarchy, because {found.reason}: read_triplets reads them"
        raise ParseError(msg, path=_name_of(path))
    form = FORMATS[found.name]
    _log.info("%s: %s, because %s", _name_of(path), form.title, found.reason)
    return (path if found.stream is None else found.stream), form


def _name_of(path: Source) -> str:
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _check_options(name: str, function: Any, options: dict[str, Any], more: tuple[str, ...] = ()) -> None:
    """Refuse options that the reader or writer of a format does not take. `more` are taken besides its own."""
    taken = [*_keywords(function), *more]
    kinds = [x.kind for x in inspect.signature(function).parameters.values()]
    open_ended = inspect.Parameter.VAR_KEYWORD in kinds
    wrong = [x for x in options if x not in taken and not open_ended]
    if wrong:
        raise UnknownOptionError(wrong, list(dict.fromkeys(taken)), name)


# ---------------------------------------------------------------------- writing

_PACKED = (".gz", ".bz2", ".xz")


@overload
def write_hierarchy(hierarchy: Hierarchy, path: None = None, *, format: str, **options: Any) -> str: ...
@overload
def write_hierarchy(hierarchy: Hierarchy, path: Target, *, format: str | None = None, **options: Any) -> None: ...
def write_hierarchy(
    hierarchy: Hierarchy, path: Target | None = None, *, format: str | None = None, **options: Any
) -> str | None:
    """Write a hierarchy in the format of the path's extension, or in the one named.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    format : str, optional
        One of newick, nexus, json, edges, lineages, linkage and dot. By default the one of the extension: .nwk,
        .newick, .tree, .tre, .nh, .nex, .nexus, .nxs, .json, .csv, .tsv, .parquet (edges), .lineages, .npy, .npz
        (linkage), .dot, .gv.
    **options
        For the writer of the format, see its help, as ``help(tripletree.io.write_newick)``.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    See Also
    --------
    read_hierarchy : the inverse.

    Examples
    --------
    >>> write_hierarchy(Hierarchy.from_nested([["human", "chimp"], "gorilla"]), format="newick")
    '((human,chimp),gorilla);'
    """
    form = format_to_write(path, format)
    assert form.write is not None
    _check_options(form.name, form.write, options)
    return form.write(hierarchy, path, **options)


def format_to_write(path: Target | None, format: str | None) -> FileFormat:
    """Return the format named, else the one of the path's extension. Raise a ValueError if it has no writer."""
    writers = {name: form for name, form in FORMATS.items() if form.write is not None}
    if format is not None:
        if format not in writers:
            known = "is read, not written" if format in FORMATS else "is not known"
            msg = f"format {format!r} {known}; written are {', '.join(writers)}"
            raise ValueError(msg)
        return writers[format]
    if not isinstance(path, (str, os.PathLike)) or os.fspath(path) == "-":
        msg = f"there is no file extension to choose a format by; give format=, one of {', '.join(writers)}"
        raise ValueError(msg)
    suffixes = [x.lower() for x in Path(path).suffixes[-2:]]
    if suffixes[-1:] == [".zip"]:
        msg = f"{os.fspath(path)}: zip archives are read, not written; take .gz, .bz2 or .xz"
        raise ValueError(msg)
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    for form in writers.values():
        if suffixes and suffixes[-1] in form.extensions:
            return form
    known = ", ".join(x for form in writers.values() for x in form.extensions)
    msg = f"{os.fspath(path)}: no format has this extension; give format=, or take one of {known}"
    raise ValueError(msg)
