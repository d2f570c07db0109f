"""What a file is, told by its first bytes, lines or tags: the name of a format, and what it was told by."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from tripletree.errors import ParseError
from tripletree.io._files import refuse_utf16
from tripletree.io._packed import tar_members, zip_members
from tripletree.io._tables import parquet_names
from tripletree.io.taxonomies.edges import usual_columns as edge_columns
from tripletree.io.taxonomies.lineages import looks_like_lineages
from tripletree.io.taxonomies.lineages import usual_columns as lineage_columns

__all__ = ["TRIPLETS", "of_archive", "of_content", "of_folder"]

#: What is looked at: the first bytes, and so many lines of them.
HEAD, LINES = 1 << 16, 50

Found = tuple[str, str]

#: What is told of a file that holds triplets, which no reader of hierarchies takes.
TRIPLETS = "triplets"

_TAXDUMP = "nodes.dmp"
_XML_ROOTS = {
    "phyloxml": "phyloxml",
    "nexml": "nexml",
    "RDF": "owl",
    "Ontology": "owl",
    "ICD10CM.tabular": "icd",
    "ICD10CM.index": "icd",
}
_OBO = re.compile(r"^(format-version:|\[(Term|Typedef|Instance)\]|ontology:|id: *\S+:\S+)", re.M)
_DOT = re.compile(r"(//.*\n\s*|#.*\n\s*|/\*.*?\*/\s*)*(strict\s+)?(di)?graph\b[^;(]*\{", re.I)
_WORDNET = re.compile(r"^\d{8} \d\d [nvasr] [0-9a-f]{2} \S", re.M)
_TRIPLET = re.compile(r"^\s*\S.*\s\|\s*\S+\s*(\|.*)?$")
_PATHS = ("__", ";", " > ", "|", "/")
_NUMBERS = re.compile(r"^\s*[-+]?[\d.][-+.\deE]*(?:[\s,;]+[-+]?[\d.][-+.\deE]*){3}\s*$")
_DELIMITERS = "\t,;|"


def of_folder(path: str) -> Found:
    """What a folder is: a taxdump, or a tree of files."""
    names = os.listdir(path)
    if any(x.startswith(_TAXDUMP) for x in names):
        return "taxdump", f"the folder holds {_TAXDUMP}"
    if "data.noun" in names:
        return "wordnet", "the folder holds data.noun"
    return "folder", "it is a folder"


def of_archive(content: bytes, name: str | None) -> Found | None:
    """What an archive of several files is; None for any other content, packed or not."""
    if content.startswith(b"PK\x03\x04"):
        members = list(zip_members(content, name))
        if any(x.endswith(".npy") for x in members):
            return "linkage", "it is an archive of numpy arrays"
    else:
        found = tar_members(content, name)
        if found is None:
            return None
        members = [x for x, _ in found]
        if not members:
            raise ParseError("an archive without a file in it", path=name)
    if any(os.path.basename(x).startswith(_TAXDUMP) for x in members):
        return "taxdump", f"the archive holds {_TAXDUMP}"
    if len(members) == 1 and content.startswith(b"PK"):
        return None
    files = "1 file, which is not" if len(members) == 1 else f"{len(members)} files, none of which is"
    shown = ", ".join(map(repr, members[:5])) + (", ..." if len(members) > 5 else "")
    msg = f"an archive of {files} {_TAXDUMP}: {shown}; unpack it and read one of them"
    raise ParseError(msg, path=name)


def of_content(content: bytes, name: str | None) -> Found:
    """What an unpacked file is; a ParseError if none of the formats."""
    if content.startswith(b"\x93NUMPY"):
        return "linkage", "it is a numpy array"
    if content.startswith(b"PAR1"):
        return _of_columns(parquet_names(content, name), name)
    if not content.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):  # XML may be UTF-16
        refuse_utf16(content, name)
    text = content[:HEAD].decode("utf-8-sig", errors="replace")
    body = text.lstrip()
    if not body:
        raise ParseError("there is nothing in it", path=name)
    if body[:6].lower() == "#nexus":
        return "nexus", "it begins with #NEXUS"
    if _DOT.match(body):
        return "dot", "it begins as a graph of DOT"
    if body.startswith("<"):
        return _of_xml(body, name)
    if body[0] in "{[" and (found := _of_json(body)):
        return found
    if _OBO.search(body[:4096]):
        return "obo", "it has the stanzas of OBO"
    if _WORDNET.search(text):
        return "wordnet", "it has the lines of a WordNet data file"
    if "\t|\t" in body.split("\n", 1)[0]:
        return "taxdump", "its fields are separated as in nodes.dmp"
    whole = body.rstrip()
    if body[0] in "([" or (whole.endswith(";") and whole.count(";") <= whole.count(")") + 1 and "\t" not in whole):
        return "newick", "it has the brackets or the semicolon of Newick"
    return _of_lines(text, name)


def _of_xml(body: str, name: str | None) -> Found:
    tag = _first_element(body)
    if tag in _XML_ROOTS:
        return _XML_ROOTS[tag], f"its root element is {tag}"
    msg = f"XML with the root element {tag!r}; read are {', '.join(dict.fromkeys(_XML_ROOTS))}"
    raise ParseError(msg, path=name, line=1)


def _first_element(body: str) -> str:
    """The name of the first element, without its prefix: behind comments, instructions and the document type."""
    at = 0
    for _ in range(LINES):
        at = body.find("<", at)
        if at < 0:
            break
        for begin, end in (("<!--", "-->"), ("<?", "?>"), ("<!", "]>" if "[" in body[at : at + 200] else ">")):
            if body.startswith(begin, at):
                at = body.find(end, at + len(begin))
                break
        else:
            found = re.compile(r"<(?:[\w.-]{1,100}:)?([A-Za-z][\w.-]{0,100})[\s/>]").match(body, at)
            return found.group(1) if found else ""
        if at < 0:
            break
    return ""


def _of_json(body: str) -> Found | None:
    """JSON, and whether it is an OBO graph; None for a Newick comment in brackets."""
    if body[0] == "[":
        after = body[1:].lstrip()[:1]
        if after not in '{["]-0123456789tfn' or (after not in '{["' and not _is_json_start(body)):
            return None
    if '"graphs"' in body[:4096] or ('"nodes"' in body and '"edges"' in body and '"lbl"' in body):
        return "obograph", "it is JSON with graphs of nodes and edges"
    return "json", "it is JSON"


def _is_json_start(body: str) -> bool:
    try:
        json.JSONDecoder().raw_decode(body)
    except (ValueError, RecursionError):
        return False
    return True


def _of_columns(names: Sequence[str], name: str | None, rows: list[list[str]] | None = None) -> Found:
    if edge_columns(names):
        return "edges", f"it has columns of children and parents: {', '.join(names[:6])}"
    if lineage_columns(names) and (rows is None or looks_like_lineages(names, rows)):
        return "lineages", f"it has columns of ranks or paths: {', '.join(names[:6])}"
    if {"a", "b", "c"} <= set(names):
        return TRIPLETS, "it has the columns a, b and c"
    msg = (
        f"a table whose columns say neither edges nor lineages: {', '.join(names[:10])}; name its columns: "
        "read_edges(path, child_column=..., parent_column=...) or read_lineages(path, columns=[...])"
    )
    raise ParseError(msg, path=name)


def _are_paths(lines: list[str], mark: str) -> bool:
    """Whether nearly all lines have a separator of paths, and many begin alike: those of prose do not."""
    if (mark in "|/" and len(lines) < 2) or any(x.startswith(("|", "/")) for x in lines):
        return False
    lines = [x for x in lines if [cell for cell in x.split("\t")[1:] if cell.strip()] or "\t" not in x]
    cells = [re.sub(r"^\d+ - ", "", next((cell for cell in x.split("\t") if mark in cell), x)) for x in lines]
    top = [re.split(r";| > |\||/", x)[0].strip() for x in cells if mark in x]
    alone = sum(x.strip() in top for x in cells if mark not in x)  # the top itself, as a line
    return len(top) + alone >= 0.7 * len(cells) and 0 < len(set(top)) <= max(0.7 * len(cells), 1)


def _of_lines(text: str, name: str | None) -> Found:
    """Tables with a header that tells, else lines that look like paths, pairs or rows of numbers."""
    lines = [x for x in text.splitlines()[:LINES] if x.strip() and not x.startswith("#")]
    header = lines[0] if lines else text.strip().lstrip("#").partition("\n")[0]
    for delimiter in _DELIMITERS:
        table = (line.lstrip("#").split(delimiter) for line in (lines or [header]))
        names, *rows = ([x.strip().strip('"') for x in row] for row in table)
        if len(names) > 1 and (edge_columns(names) or lineage_columns(names) or {"a", "b", "c"} <= set(names)):
            return _of_columns(names, name, rows)
    if lines and all(_NUMBERS.match(x) for x in lines):
        return "linkage", "its lines have four numbers each"
    if any(_are_paths(lines, mark) for mark in _PATHS):
        return "lineages", "its lines hold paths"
    if lines and all(_TRIPLET.match(x) for x in lines):
        return TRIPLETS, "its lines are triplets"
    for delimiter in _DELIMITERS:
        if lines and all(x.count(delimiter) == 1 and x.strip().count(delimiter) == 1 for x in lines):
            return "edges", "its lines have two cells each"
    msg = (
        "this looks like none of the formats that are known (its first line is below); if it is one, name it: "
        "format='newick', 'edges', 'lineages', ..."
    )
    first = (lines or [header])[0]
    raise ParseError(msg, path=name, line=1, column=1, text=first)
