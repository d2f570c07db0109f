"""One door for every format: what a source holds is told by its content, then the reader of that format reads it.

Names of files are not looked at: they lie more often than contents do. A format can be named where the content does
not tell, and then nothing is looked at. What was taken is logged, at level INFO of the logger "tripletree.io".
"""

from __future__ import annotations

import inspect
import logging
import os
from importlib import import_module
from typing import Any, Literal, NamedTuple, overload

from tripletree.errors import ParseError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Source, named_stream, raw_bytes, read_bytes
from tripletree.io._sniffing import TRIPLETS, of_archive, of_content, of_folder
from tripletree.ontology import Ontology

__all__ = ["FORMATS", "read_hierarchy", "read_ontology", "recognize"]

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
