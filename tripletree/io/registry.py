"""One door for every format: what a source holds is told by its content, then the reader of that format reads it.

Names of files are not looked at: they lie more often than contents do. A format can be named where the content does
not tell, and then nothing is looked at. What was taken is logged, at level INFO of the logger "tripletree.io".
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, overload

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.errors import ParseError
from tripletree.io.edges import usual_columns as edge_columns
from tripletree.io.lineages import looks_like_lineages
from tripletree.io.lineages import usual_columns as lineage_columns
from tripletree.io.source import Source, check_not_utf16, named_stream, raw_bytes, read_bytes, tar_members, zip_members
from tripletree.io.table import parquet_names

__all__ = [
    "FORMATS",
    "TRIPLETS",
    "of_archive",
    "of_content",
    "of_folder",
    "read_hierarchy",
    "read_ontology",
    "recognize",
]


# ----------------------------------------------------------------------
# What a file is, told by its first bytes, lines or tags: the name of a format, and what it was told by.

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
_LINKAGE_NAMES = ["cluster1", "cluster2", "height", "size"]
_DELIMITERS = "\t,;|"

#: What stands in the middle of files that begin otherwise: without its head such a file is no table.
_NEXUS_PART = re.compile(
    r"^[ \t]*begin\s+\w+\s*;|\bu?tree\s+[^\s=]+\s*=\s*(\[[^\]]{0,200}\]\s*)?\(|(^|[\s;])end(block)?\s*;\s*\Z",
    re.I | re.M,
)
_PARTS = (  # what stands there, how the file then ends, what it is
    (re.compile(r"</[A-Za-z]|/>|<\?xml|\w=(\"[^\"\n]*\"|'[^'\n]*')\s*>"), "", "XML"),
    (re.compile(r'"\s*:\s*["\d\[{ntf]'), "]}", "JSON"),
    (re.compile(r"->"), "", "DOT"),
    (re.compile(r"\s\d{8} [nvasr] \d{4}\b"), "", "a WordNet data file"),
)


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
        check_not_utf16(content, name)
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
    if re.match(r"[^\n]*\t\|\t|\d+\t\|", body):
        return "taxdump", "its fields are separated as in nodes.dmp"
    if _NEXUS_PART.search(text):
        raise ParseError("commands of NEXUS, but not the first line '#NEXUS': is its head missing?", path=name)
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
    if (mark != "__" and len(lines) < 2) or any(x.startswith(("|", "/")) for x in lines):
        return False
    lines = [x for x in lines if [cell for cell in x.split("\t")[1:] if cell.strip()] or "\t" not in x]
    cells = [re.sub(r"^\d+ - ", "", next((cell for cell in x.split("\t") if mark in cell), x)) for x in lines]
    top = [re.split(r";| > |\||/", x)[0].strip() for x in cells if mark in x]
    if mark in ";|/" and len(set(top)) == len(top) and all(x.count(mark) < 2 for x in cells):
        return False  # names with one parent each: edges
    alone = sum(x.strip() in top for x in cells if mark not in x)  # the top itself, as a line
    return len(top) + alone >= 0.7 * len(cells) and 0 < len(set(top)) <= max(0.7 * len(cells), 1)


def _check_edges(lines: list[str], delimiter: str, name: str | None) -> None:
    """Refuse lines of two cells of which nothing says that they are edges, or which cell is the parent."""
    rows = [[cell.strip() for cell in x.split(delimiter)] for x in lines if x.count(delimiter) == 1]
    below, above = ([row[k] for row in rows if row[k]] for k in (0, 1))
    if not above or (len(set(below)) == len(below) and len(set(above)) == len(above)):
        what = "the second is empty in all of them" if not above else "no cell stands twice in its column"
        msg = (
            f"lines of two cells that may be children and parents, but {what}: give the columns names (child and "
            "parent), or format='edges' if the child comes first"
        )
        raise ParseError(msg, path=name, line=1, column=1, text=lines[0])


def _of_lines(text: str, name: str | None) -> Found:
    """Tables with a header that tells, else lines that look like paths, pairs or rows of numbers."""
    for part, ends, kind in _PARTS:
        if (not ends or text.rstrip()[-1:] in ends) and part.search(text):
            raise ParseError(f"this looks like the middle of {kind}: is the head of the file missing?", path=name)
    every = [x for x in text.splitlines() if x.strip() and not x.startswith("#")]
    lines = every[:LINES]
    header = lines[0] if lines else text.strip().lstrip("#").partition("\n")[0]
    for delimiter in _DELIMITERS:
        table = (line.lstrip("#").split(delimiter) for line in (lines or [header]))
        names, *rows = ([x.strip().strip('"') for x in row] for row in table)
        if len(names) > 1 and (edge_columns(names) or lineage_columns(names) or {"a", "b", "c"} <= set(names)):
            return _of_columns(names, name, rows)
    named = [x.strip() for x in header.split(",")] == _LINKAGE_NAMES
    if lines[named:] and all(_NUMBERS.match(x) for x in lines[named:]):
        return "linkage", "its lines have four numbers each"
    if any(_are_paths(lines, mark) for mark in _PATHS):
        return "lineages", "its lines hold paths"
    if lines and all(_TRIPLET.match(x) for x in lines):
        return TRIPLETS, "its lines are triplets"
    for delimiter in _DELIMITERS:
        if lines and all(x.count(delimiter) == 1 and x.strip().count(delimiter) == 1 for x in lines):
            _check_edges(every, delimiter, name)
            return "edges", "its lines have two cells each"
    msg = (
        "this looks like none of the formats that are known (its first line is below); if it is one, name it: "
        "format='newick', 'edges', 'lineages', ..."
    )
    first = (lines or [header])[0]
    raise ParseError(msg, path=name, line=1, column=1, text=first)


Parent = Literal["deepest", "first", "smallest", "error"]


class Format(NamedTuple):
    """What is known of a format: its name for people, the module and name of its reader, that of its ontology."""

    title: str
    module: str
    reader: str
    ontology: str | None = None


#: Every format that can be read.
FORMATS: dict[str, Format] = {
    "newick": Format("Newick", "trees.newick", "read_newick"),
    "nexus": Format("NEXUS", "trees.nexus", "read_nexus"),
    "phyloxml": Format("PhyloXML", "trees.phyloxml", "read_phyloxml"),
    "nexml": Format("NeXML", "trees.nexml", "read_nexml"),
    "json": Format("nested JSON", "trees.nested_json", "read_json", "json_ontology"),
    "dot": Format("Graphviz DOT", "trees.dot", "read_dot"),
    "obo": Format("OBO", "ontologies.obo", "read_obo", "read_obo"),
    "owl": Format("OWL (RDF/XML)", "ontologies.owl", "read_owl", "read_owl"),
    "obograph": Format("OBO Graphs JSON", "ontologies.obograph", "read_obograph", "read_obograph"),
    "wordnet": Format("WordNet data file", "ontologies.wordnet", "read_wordnet", "read_wordnet"),
    "taxdump": Format("NCBI taxdump", "taxonomies.taxdump", "read_taxdump", "taxdump_ontology"),
    "icd": Format("ICD-10-CM tabular XML", "taxonomies.icd", "read_icd", "icd_ontology"),
    "lineages": Format("lineages", "taxonomies.lineages", "read_lineages", "lineages_ontology"),
    "edges": Format("table of edges", "taxonomies.edges", "read_edges", "edges_ontology"),
    "linkage": Format("scipy linkage", "trees.linkage_files", "read_linkage"),
    "folder": Format("folder of files", "trees.folders", "read_folder"),
}
#: Formats whose reader looks at what lies beside or in the path, and so cannot do with the content alone.
_BY_PATH = ("taxdump", "folder", "wordnet")

_log = logging.getLogger("tripletree.io")


def recognize(path: Source) -> str:
    r"""Tell the format of a source by its content.

    Parameters
    ----------
    path : path, file object or "-"
        A folder is a taxdump if it holds nodes.dmp, else a tree of files. A file object is read to its end.

    Returns
    -------
    str
        One of `FORMATS`, or "triplets".

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If it is none of them, with what the content looks like.

    Examples
    --------
    >>> import io
    >>> recognize(io.StringIO("((human,chimp),gorilla);")), recognize(io.StringIO("[Term]\nid: GO:1\n"))
    ('newick', 'obo')
    """
    return recognized(path)[0]


def read_hierarchy(path: Source, *, format: str | None = None, **options: Any) -> Hierarchy:
    r"""Read a hierarchy in whatever format it is.

    Parameters
    ----------
    path : path, file object or "-"
        A file of one of `FORMATS`, packed with gzip, bzip2, xz or zip or not; a folder; an archive of a taxdump.
    format : str, optional
        One of `FORMATS`; by default as `recognize` tells.
    **options
        For the reader of the format: ``labels="id"``, and so on; see ``help(tripletree.io.read_obo)`` and its like.
        ``root=`` reads only what is at or below a node, in every format. Formats that may give a node several parents
        take ``parent="deepest"``, ``"first"``, ``"smallest"`` or ``"error"`` (the default), see
        `Ontology.to_hierarchy`.

    Returns
    -------
    Hierarchy

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If the format cannot be told, or the content cannot be read.
    NotATreeError
        If a node has several parents and no choice is made among them.
    TypeError
        If an option is none of the format's.
    ValueError
        If there is no such format.

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
    """
    source, name = _source(path, format)
    form = FORMATS[name]
    reader = _reader(form, form.reader)
    if form.ontology != form.reader:
        root = None if "root" in inspect.signature(reader).parameters else options.pop("root", None)
        hierarchy = reader(source, **_known(reader, name, options, ("root",)))
        return hierarchy if root is None else hierarchy.subtree(root)
    tree = {key: options.pop(key) for key in ("parent", "labels") if key in options}
    return reader(source, **_known(reader, name, options, ("parent", "labels"))).to_hierarchy(**tree)


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
        OBO, OWL, OBO Graphs, WordNet, or any of `FORMATS` that names parents (edges, flat JSON, taxdumps, lineages).
    mode : {"certain", "tree"}
        "certain" keeps all parents: `induce` and its like then give the triplets that hold whichever parent is chosen
        for each term. "tree" chooses one parent for each term, as `parent` says, and with it more triplets, which
        depend on the choice. `Ontology.resolution` measures how many either gives.
    parent : {"error", "deepest", "first", "smallest"}, optional
        For ``mode="tree"`` alone, by default "error": see `Ontology.to_hierarchy`.
    labels : {"id", "name"}, optional
        For ``mode="tree"`` alone, by default "id": whether nodes are called by their identifiers or their names.
    format : str, optional
        One of `FORMATS`; by default as `recognize` tells.
    **options
        For the reader of the format, such as ``relations=("is_a", "part_of")``, ``root=`` or ``namespace=``.

    Returns
    -------
    Ontology or Hierarchy
        As `mode` says.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If the format cannot be told, holds no ontology, or the content cannot be read.
    NotATreeError
        If ``mode="tree"``, a term has several parents, and no choice is made among them.
    TypeError
        If an option is none of the format's.
    ValueError
        If there is no such format, mode or parent.

    Examples
    --------
    >>> from tripletree.datasets import sample_path
    >>> cells = read_ontology(sample_path("cell_types.obo"))
    >>> cells.n_terms, len(cells.leaves), cells.name("CL:0000084")
    (59, 27, 'T cell')
    >>> read_ontology(sample_path("cell_types.obo"), mode="tree", parent="deepest", labels="name").n_leaves
    27
    """
    if mode not in ("certain", "tree"):
        msg = f"mode must be 'certain' (all parents are kept) or 'tree' (one is chosen for each term), not {mode!r}"
        raise ValueError(msg)
    if mode == "certain" and (parent is not None or labels is not None):
        msg = "parent and labels belong to mode='tree': an Ontology keeps all parents, and has names beside its ids"
        raise ValueError(msg)
    source, name = _source(path, format)
    form = FORMATS[name]
    if form.ontology is None:
        msg = f"{form.title}, in which every node has one parent: read_hierarchy reads it"
        raise ParseError(msg, path=_name_of(path))
    reader = _reader(form, form.ontology)
    root = None if "root" in inspect.signature(reader).parameters else options.pop("root", None)
    ontology = reader(source, **_known(reader, name, options, ("root",)))
    ontology = ontology if root is None else ontology.select(root=root)
    if mode == "certain":
        return ontology
    return ontology.to_hierarchy(parent=parent or "error", labels=labels or "id")


def _source(path: Source, format: str | None) -> tuple[Any, str]:
    """What the reader is given, and the name of the format."""
    if format is not None:
        if format not in FORMATS:
            msg = f"there is no format {format!r}; these are known: {', '.join(FORMATS)}"
            raise ValueError(msg)
        return path, format
    name, content, reason = recognized(path)
    if name == TRIPLETS:
        raise ParseError(f"triplets, no hierarchy, because {reason}: read_triplets reads them", path=_name_of(path))
    _log.info("%s: %s, because %s", _name_of(path), FORMATS[name].title, reason)
    return (path if content is None else content), name


def recognized(path: Source) -> tuple[str, Any, str]:
    """The format, a stream of what has been read on the way (None: the source is to be read again), the reason."""
    if hasattr(path, "columns"):
        msg = "a data frame: read_edges reads tables of children and parents, read_lineages paths and columns of ranks"
        raise TypeError(msg)
    is_path = isinstance(path, (str, os.PathLike)) and os.fspath(path) != "-"
    if is_path and os.path.isdir(path):  # type: ignore[arg-type]
        name, reason = of_folder(os.fspath(path))  # type: ignore[arg-type]
        return name, None, reason
    content, source = raw_bytes(path)
    found = of_archive(content, source) if isinstance(content, bytes) else None
    if found is None:
        content, _ = read_bytes(named_stream(content, source))
        found = of_content(content.encode() if isinstance(content, str) else content, source)
    name, reason = found
    return name, None if is_path and name in _BY_PATH else named_stream(content, source), reason


def _name_of(path: Source) -> str:
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    name = getattr(path, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _reader(form: Format, name: str) -> Any:
    return getattr(import_module(f"tripletree.io.{form.module}"), name)


def _known(reader: Any, name: str, options: dict[str, Any], more: tuple[str, ...] = ()) -> dict[str, Any]:
    """The options, if the reader takes them."""
    parameters = inspect.signature(reader).parameters.values()
    taken = [x.name for x in parameters if x.kind is inspect.Parameter.KEYWORD_ONLY] + list(more)
    open_ended = any(x.kind is inspect.Parameter.VAR_KEYWORD for x in parameters)
    wrong = [x for x in options if x not in taken and not open_ended]
    if wrong:
        msg = (
            f"{', '.join(wrong)}: no option of format {name!r}, which takes {', '.join(taken) or 'none'}; if it is "
            "another format, name it with format="
        )
        raise TypeError(msg)
    return options
