"""Tables of edges: a row for each node, naming it and its parent.

Read are CSV with any delimiter, Parquet, and the data frames of pandas, polars and pyarrow. Columns are
known by usual names (child and parent, id and parent_id, Darwin Core's taxonID and parentNameUsageID, subject and
object, source and target, ...) or given by name. A root is a node whose parent is empty or the node itself. If no
row shows a root, the nodes that are nobody's child.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from tripletree.core.checks import check_choice, counted
from tripletree.core.hierarchy import Hierarchy, check_hierarchy, tell_lost_marks
from tripletree.core.labels import NO_PARENT, is_gap
from tripletree.core.leaves import as_texts
from tripletree.core.notes import LABELS, READING, kept, note
from tripletree.core.ontology import Ontology
from tripletree.core.parents import tops_alone
from tripletree.core.placeholders import Placeholders
from tripletree.errors import SHOWN, InvalidHierarchyError, ParseError
from tripletree.io.format import FileFormat
from tripletree.io.node_list import branch_length
from tripletree.io.ontology_terms import part, past_placeholders
from tripletree.io.outlines import ROWS, of_pairs, ways_of
from tripletree.io.rows import check_suffix, format_of_suffix, name_of
from tripletree.io.source import Source, Target, write_text
from tripletree.io.table import (
    AMONG_NAMES,
    cycle_of,
    cycle_text,
    header_with,
    hierarchy_of,
    read_table,
    table_lines,
    write_parquet,
)
from tripletree.io.ways import call, either_way, question
from tripletree.tables.cells import cell_text, with_point
from tripletree.tables.columns import (
    ACCEPTED,
    CHILD,
    LENGTH,
    NODE_NAME,
    PARENT,
    RANK,
    RELATION,
    STATUS,
    bounds_in,
    is_called_id,
    plain,
    two_parents,
    words_of,
)
from tripletree.tables.rows import RowTable, shown_names

# ----------------------------------------------------------------------
# Writing a hierarchy as a table of children and their parents.

_Format = Literal["csv", "tsv", "parquet"]

#: How many rows are looked at to tell which column holds parents.
_LOOKED = 10_000
#: Prefix of the id of an inner node without a name.
_INVENTED = re.compile(r"node \d+'*", re.ASCII)


@overload
def write_edges(hierarchy: Hierarchy, path: None = None, *, format: _Format | None = None) -> str: ...
@overload
def write_edges(hierarchy: Hierarchy, path: Target, *, format: _Format | None = None) -> None: ...
def write_edges(hierarchy: Hierarchy, path: Target | None = None, *, format: _Format | None = None) -> str | None:
    r"""Write a hierarchy as a table with a row for each node: child, parent, and its other values.

    Parameters
    ----------
    hierarchy : Hierarchy
    path : path, file object or "-", optional
        As in `write_newick`. By default the text is returned.
    format : {"csv", "tsv", "parquet"}, optional
        By default the suffix decides, else CSV.

    Returns
    -------
    str or None
        The text, if no `path` is given.

    Raises
    ------
    DuplicateLeafError
        If two leaf labels are the same once written as text (1 and "1").
    InvalidHierarchyError
        If a label is empty, which a table cannot tell from a missing one, or a difference of heights is
        beyond the largest number.

    See Also
    --------
    read_edges : the reverse.

    Notes
    -----
    Leaves go by their labels. Inner nodes go by their names if names tell them apart, and by "node 7" else: then a
    column `name` holds the names, by which `read_edges` gives back all names as written.
    The columns `length` and `rank` are there if something is known. Heights are written as lengths. The root is the
    row without parent.

    Examples
    --------
    >>> h = Hierarchy([3, 3, 4, 4, -1], ["human", "chimp", "loris"], names=["apes", "primates"])
    >>> print(write_edges(h), end="")
    child,parent
    human,apes
    chimp,apes
    loris,primates
    apes,primates
    primates,
    """
    if format is not None:
        check_choice(format, "format", ("csv", "tsv", "parquet"))
    hierarchy = check_hierarchy(hierarchy)
    columns = _edge_columns(hierarchy)
    tell_lost_marks(hierarchy, "a table of edges")
    if format is None:
        check_suffix(path, "a table of edges", ".csv, .tsv or .parquet")
    kind = format or format_of_suffix(name_of(path))
    if kind == "parquet":
        kinds = {key: "float64" if key == "length" else "string" for key in columns}
        write_parquet(path, lambda pa: {key: pa.array(columns[key], kind) for key, kind in kinds.items()})
        return None
    texts = (x for key in ("child", "name", "rank") for x in columns.get(key, ()))
    cells = [[repr(x) if isinstance(x, float) else x for x in column] for column in columns.values()]
    lines = table_lines(list(columns), zip(*cells, strict=True), "\t" if kind == "tsv" else ",", texts=texts)
    return write_text(lines, path)


def leaf_texts(hierarchy: Hierarchy) -> list[str]:
    """Return the leaf labels as text, which must differ and not be empty."""
    labels = as_texts(hierarchy.leaves)
    if "" in labels:
        msg = "an empty leaf label cannot be told from a missing one in a table; write Newick"
        raise InvalidHierarchyError(msg, node=labels.index(""))
    return labels


def invents_ids(
    columns: Sequence[str] | None, ids: Sequence[Any], names: Sequence[str | None] | None, parent: np.ndarray
) -> bool:
    """Tell whether a table is one that `write_edges` makes where inner nodes have no name of their own.

    Parameters
    ----------
    columns : sequence of str, or None
        Their names, in order.
    ids, names, parent : sequence of N
        Values of all nodes. The parents are positions, -1 for roots.
    """
    if columns is None or names is None or list(columns[:3]) != ["child", "parent", "name"]:
        return False
    inner = np.zeros(len(ids), np.bool_)
    inner[parent[parent >= 0]] = True
    return list(columns[3:]) in ([], ["length"], ["rank"], ["length", "rank"]) and all(
        name is None if not above else name == id or (isinstance(id, str) and _INVENTED.fullmatch(id) is not None)
        for id, name, above in zip(ids, names, inner.tolist(), strict=True)
    )


def _edge_columns(hierarchy: Hierarchy) -> dict[str, list]:
    """Return the cells, column by column: text, and numbers for lengths."""
    n, N = hierarchy.n_leaves, hierarchy.n_nodes
    names: list[str | None] = [None] * (N - n) if hierarchy.names is None else list(hierarchy.names)
    ids = leaf_texts(hierarchy)
    taken = Counter([*ids, *(x for x in names if x is not None)])
    for u, name in enumerate(names, n):
        if name is None or taken[name] > 1:
            name = f"node {u}"
            while name in taken:
                name += "'"
            taken[name] = 1
        ids.append(name)
    up = hierarchy.parent.tolist()
    columns: dict[str, list] = {"child": ids, "parent": [None if p < 0 else ids[p] for p in up]}
    if any(x != i for x, i in zip(names, ids[n:], strict=True)):
        columns["name"] = [None] * n + names
    if hierarchy.length is not None and not np.isnan(hierarchy.length).all():
        infinite = np.flatnonzero(np.isinf(hierarchy.length))
        if infinite.size:
            u = int(infinite[0])
            msg = f"the branch above node {u} has length {hierarchy.length[u]}: the difference of heights is too large"
            raise InvalidHierarchyError(msg, node=u)
        columns["length"] = [None if x != x else x for x in hierarchy.length.tolist()]
    if hierarchy.ranks is not None:
        columns["rank"] = list(hierarchy.ranks)
    return columns


#: Names of columns of the ids of taxa and of their parents, in tables that have a row for each taxon.
_TAXA = tuple(
    (child, parent)
    for child, parents in {
        "taxid": "parenttaxid parentid",
        "taxonid": "parentnameusageid parentid",
        "aphiaid": "parentnameusageid",
        "tsn": "parenttsn",
        **dict.fromkeys(("taxonkey", "key", "nubkey"), "parentkey"),
    }.items()
    for parent in parents.split()
)
#: Names of columns of the child and of its parent.
_PAIRS = (
    ("child", "parent"),
    ("childid", "parentid"),
    ("id", "parentid"),
    ("id", "parent"),
    ("nodeid", "parentid"),
    ("node", "parent"),
    *_TAXA,
    ("uid", "parentuid"),
    ("name", "parent"),
    ("subject", "object"),
    ("sub", "obj"),
    ("subj", "obj"),
    ("s", "o"),
    ("head", "tail"),
    ("target", "source"),
)
#: Two of them beside a column of relations alone, since other tables have such columns, too.
_RELATED = frozenset({("s", "o"), ("head", "tail")})
#: Words of relations of a child to its parent, and the other way round, without blanks and underscores.
_BELOW = re.compile(
    r"isa|a|subclassof|type|instanceof|partof|ispartof|(?:isa)?kindof|broader|hasbroader|broadertransitive|belongsto"
    r"|memberof|childof|hasparent|subpropertyof|(?:is)?hyponymof|isteine?|(?:ist)?teilvon|gehörtzu|unterbegriffvon|estune?"
    r"|esuna?|partede|faitpartiede|locatedin|containedin|subtopicof|subcategoryof|p279|p31|p361|p171|reportsto|isin|nestedin"
)
_ABOVE = re.compile(
    r"haspart|narrower|hasnarrower|haschild|parentof|hassubclass|superclassof|hypernymof|contains|includes|hasmember"
    r"|hasinstance|hassubtopic|hatteil|enthält|oberbegriffvon|contient|contiene"
)

#: Names of two columns whose relation another column may tell.
_DIRECTED = _RELATED | {("subject", "object"), ("sub", "obj"), ("subj", "obj"), ("target", "source")}
Parent = Literal["error", "deepest", "first", "smallest"]


@kept
def read_edges(
    path: Source | Any,
    *,
    parent: Parent = "error",
    labels: Literal["id", "name"] | None = None,
    child_column: str | int | None = None,
    parent_column: str | int | None = None,
    name_column: str | int | None = None,
    length_column: str | int | None = None,
    rank_column: str | int | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    placeholders: bool | str | Iterable[str] = True,
) -> Hierarchy:
    r"""Read a hierarchy from a table of children and their parents.

    Parameters
    ----------
    path : path, file object, "-" or data frame
        CSV or its like, or Parquet. Gzip, bzip2 and xz are unpacked. A data frame of pandas or polars, or a table of
        pyarrow.
    parent : {"error", "deepest", "first", "smallest"}
        Which parent counts if a node has several: see `Ontology.to_hierarchy`. By default they are refused.
    labels : {"id", "name"}, optional
        Names of leaves and inner nodes: the cells of the child column, or their names if there is a
        column of names. A leaf without a name keeps its id, an inner node without a name stays so. By default "id",
        and "name" for tables as `write_edges` makes them for inner nodes without a name of their own (columns child,
        parent, name and perhaps length and rank; leaves without names; ids such as "node 7" where the name is
        another or missing), so that they come back as they were.
    child_column, parent_column : str or int, optional
        Columns by name, or by position counted from 0. By default columns with usual names, in any case and with
        underscores or without: child, parent; id, parent_id; node, parent; taxonID, parentNameUsageID; subject,
        object (the parent); source (the parent), target; also with the id and the name of both (child_id, child_name,
        parent_id, parent_name). A table of two columns without such names has no header,
        and the child first.
    name_column, length_column, rank_column : str or int, optional
        Columns of names, branch lengths and ranks. By default columns called name or label, length or branch_length,
        rank or taxonRank, if there are any.
    delimiter : str, optional
        By default a tab, comma, semicolon or bar, whichever fits the first row.
    header : bool, optional
        True if the first row has the names of the columns. By default if it has usual names, or the given ones.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "unclassified beetles". Inner nodes with such a name are left out, and what is
        below them is open (``.incertae_sedis``), as are leaves such as "Felis sp.". Names extend the known ones, False
        takes every name for a taxon.

    Returns
    -------
    Hierarchy
        Leaves in the order of their rows. Texts stay texts, "007" included. Whole numbers in Parquet and data frames
        stay numbers. Several roots get an unnamed node above them. One of them with no children is open: nothing
        tells its place. So is one without a row of its own in a table of taxa (taxonID, parentNameUsageID and the
        like): it may be below another. A row that has its accepted name in another row
        (columns acceptedNameUsageID, accepted_tsn and the like, or a taxonomicStatus of synonyms) is no node:
        its id and its name are `synonyms` of the accepted one.

    Raises
    ------
    NotATreeError
        If a node has several parents and `parent` is "error".

    See Also
    --------
    write_edges : the reverse.
    tripletree.interop.from_edge_table : of data frames and dicts of lists. Inverse of ``to_edge_table``.

    Notes
    -----
    The options that `from_edge_table` calls ``child``, ``parent``, ``name``, ``length`` and ``rank`` are columns, here
    `child_column`, `parent_column` and so on. `parent` here is the choice among several parents, which that refuses.

    Examples
    --------
    >>> import io
    >>> h = read_edges(io.StringIO("child,parent\nhuman,apes\nchimp,apes\napes,primates\nloris,primates\n"))
    >>> list(h.leaves), h.names
    (['human', 'chimp', 'loris'], ('apes', 'primates'))
    """
    check_choice(parent, "parent", ("error", "deepest", "first", "smallest"))
    check_choice(labels, "labels", ("id", "name", None))
    asked = (child_column, parent_column, name_column, length_column, rank_column, None)
    fillers = Placeholders.of(placeholders)
    table, places, others = _taken(path, asked, delimiter, header)
    edges = _edges(table, places, strict=parent == "error" and asked[:2] == (None, None))
    if len(edges.rows) > len(set(edges.rows[:, 0].tolist())):
        ontology = _ontology(edges, table)
        up = ontology.chosen_parents(parent)
    else:
        up = _only_parents(edges, table)
    if labels is None and asked == (None,) * len(asked) and invents_ids(table.names, edges.ids, edges.names, up):
        labels = "name"
    ids, names = edges.ids, edges.names
    tops = up < 0
    alone = tops_alone(up) | _tops_without_rows(table, places, edges, tops) if np.count_nonzero(tops) > 1 else None
    called = ids if labels != "name" or names is None else names
    shown = [i if x is None else x for x, i in zip(called, ids, strict=True)]
    if called is ids and names is not None:
        inner = np.zeros(len(ids) + 1, np.bool_)  # the last entry serves roots
        inner[up] = True
        k = next((u for u, x in enumerate(names) if x is not None and not inner[u]), None)
        if k is not None:
            note(LABELS, f"labels are ids, as {ids[k]!r}: labels='name' takes names, as {names[k]!r}")
    kinds = fillers.kinds(_texts_of(ids, names), up) if fillers else None
    number = {x: u for u, x in enumerate(ids)}
    meant = {x: number[term] for x, term in others.items() if term in number}
    values: dict[str, Any] = {"names": called, "ranks": edges.ranks, "length": edges.lengths_above(up), "kinds": kinds}
    return hierarchy_of(up, shown, **values, incertae_sedis=alone, synonyms=meant, where=AMONG_NAMES, told=True)


def edges_ontology(
    path: Source | Any,
    *,
    child_column: str | int | None = None,
    parent_column: str | int | None = None,
    name_column: str | int | None = None,
    rank_column: str | int | None = None,
    relation_column: str | int | None = None,
    root: Any = None,
    placeholders: bool | str | Iterable[str] = True,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Ontology:
    """A table of edges as an ontology, with names, ranks and the types of edges where there are columns of them."""
    fillers = Placeholders.of(placeholders)
    asked = (child_column, parent_column, name_column, None, rank_column, relation_column)
    table, places, others = _taken(path, asked, delimiter, header)
    edges = _edges(table, places, strict=False)
    made = _ontology(edges, table, others)
    first = np.full(made.n_terms, -1, np.int64)
    first[made.edges[:, 0]] = made.edges[:, 1]
    alone = tops_alone(first, told=made.edges[:, 1]) | _tops_without_rows(table, places, edges, first < 0)
    if alone.any():
        made = made._but(incertae_sedis=alone)
    return past_placeholders(part(made, root), fillers)


def _tops_without_rows(table: RowTable, places: tuple[int | None, ...], edges: _Edges, tops: np.ndarray) -> np.ndarray:
    """Tell which of several tops are parents without a row in a table of taxa: each may be below another. bool[N]."""
    lacking = np.zeros(len(edges.ids), np.bool_)
    pair = tuple(plain(table.names[k]) for k in places[:2] if k is not None) if table.names else ()
    if pair not in _TAXA or np.count_nonzero(tops) < 2:
        return lacking
    own = set(table.columns[int(places[0] or 0)])
    at = [u for u in np.flatnonzero(tops).tolist() if edges.ids[u] not in own]
    lacking[at] = True
    if at:
        shown = ", ".join(str(edges.ids[u]) for u in at[:SHOWN]) + (", ..." if len(at) > SHOWN else "")
        note("parents not read", f"{counted(len(at), 'parent')} without a row, open therefore: {shown}")
    return lacking


def _texts_of(ids: list[Any], names: list[str | None] | None) -> list[str | None]:
    """Return the name of each node as text, or its id."""
    found = ids if names is None else [i if x is None else x for x, i in zip(names, ids, strict=True)]
    return [x if isinstance(x, str) else None for x in found]


# ---------------------------------------------------------------------- columns


def usual_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of the columns of children and parents in a header, if it names them as usual."""
    words = [plain(x) for x in names]
    for child, parent in _PAIRS:
        lone = (child, parent) in _RELATED and len(words) > 2 and not RELATION.among(names)
        if words.count(child) == 1 and words.count(parent) == 1 and not lone:
            return words.index(child), words.index(parent)
    parents = [k for k, x in enumerate(words) if x in PARENT.names and k not in (two_parents(names) or ())]
    children = [words.index(x) for x in CHILD.names if words.count(x) == 1 and words.index(x) not in parents]
    if len(parents) == 1 and (children or len(words) == 2):
        return (children or [1 - parents[0]])[0], parents[0]
    ends = _ends(names)
    return (ends[0].id, ends[1].id) if ends and ends[0].is_child else None


class _End(NamedTuple):
    """The columns of an id and a name: one of the two nodes of an edge."""

    id: int
    name: int
    is_child: bool
    """True if it is called so."""


#: What the id and the name of a node are called, and two nodes that are child and parent beside ids and names alone.
_IDS, _NAMES = frozenset({"id", "code", "key", "uri"}), frozenset({"name", "label", "title", "bezeichnung", "nom"})
_CALLED_ENDS = frozenset({("item", "class"), ("item", "superclass"), ("item", "type"), ("class", "superclass")})


def _ends(names: Sequence[str]) -> tuple[_End, _End] | None:
    """The two ends of edges in a header that has an id and a name of each, the child first if it is called so."""
    found: dict[str, dict[bool, int]] = {}
    for k, name in enumerate(names):
        words = words_of(name).split("_")
        rest = " ".join(x for x in words if x not in _IDS | _NAMES)
        found.setdefault(rest, {}).setdefault(not _NAMES.isdisjoint(words), k)
    whole = [x for x, places in found.items() if len(places) == 2]
    if len(whole) != 2:
        return None
    for x, y in (whole, whole[::-1]):
        is_child = (x, y) in _CALLED_ENDS or usual_columns([x or "id", y]) == (0, 1)
        if is_child or y == whole[0]:
            (a, b), (c, d) = ((found[z][False], found[z][True]) for z in ((x, y) if is_child else whole))
            return _End(a, b, is_child), _End(c, d, False)
    return None


def _taken(
    path: Any, asked: tuple, delimiter: str | None, header: bool | None
) -> tuple[RowTable, tuple[int | None, ...], dict[str, Any]]:
    """The rows that put one below another, the places of their columns, and the taxon by each other name."""
    if header is None and any(isinstance(x, str) for x in asked):
        header = True
    table = read_table(path, delimiter=delimiter, header=header, known=header_with(asked, is_edge_header))
    if asked[:2] == (None, None):
        table = _with_parents(table)
    if len(table.columns) < 2:
        hint = "" if delimiter else "; give the delimiter, if it is not tab, comma, semicolon or bar"
        raise ParseError(f"one column, expected child and parent{hint}", path=table.path)
    table, places = _related(table, _columns(table, asked, header), asked)
    table, others = _accepted(table, places)
    return table, places, others


def _columns(table: RowTable, asked: tuple, header: bool | None) -> tuple[int | None, ...]:
    """Return the places of child, parent, name, length, rank, relation and name of the parent, None for no column."""

    def usual() -> tuple[int, int] | None:
        if table.names is not None:
            pair = usual_columns(table.names)
            return _holding_parents(table, pair) if pair else _by_data(table, _ends(table.names))
        if len(table.columns) != 2:
            return None
        _check_headerless(table, told=header is False)
        return 0, 1

    options = "child_column", "parent_column"
    told = table.two_columns(asked[:2], options, "the children and their parents", usual)
    found: list[int | None] = list(told)
    for role, column in zip((NODE_NAME, LENGTH, RANK, RELATION), asked[2:], strict=True):
        found.append(role.place(table, column, found[:2]))
    ends = {x.id: x.name for x in _ends(table.names or []) or ()}
    if asked[2] is None and set(told) <= set(ends):
        found[2] = ends[told[0]]
    found.append(ends.get(told[1]) if found[2] == ends.get(told[0]) else None)
    if (
        asked[-1] is None
        and found[5] is not None
        and table.names is not None
        and plain(table.names[found[5]]) == "type"
    ):
        found[5] = found[5] if _pair(table.names, told) in _DIRECTED else None  # else of nodes
    return tuple(found)


def is_edge_header(names: Sequence[str]) -> bool:
    """True for names of columns of children and parents, or of columns that tell these."""
    found = usual_columns(names) or _ends(names) or bounds_in(names) or two_parents(names)
    return found is not None


#: What the column of parents is called that the bounds of nested sets tell.
_OF_BOUNDS = "parent"


def _with_parents(table: RowTable) -> RowTable:
    """The table of nested sets with a column of parents, which their bounds tell. A pedigree is refused."""
    names = table.names or []
    if usual_columns(names) or _ends(names):
        return table
    at = bounds_in(names, zip(*table.columns, strict=True))
    if at is None:
        refuse_pedigree(names, table.path, table.header_line)
        return table
    low, high = ([_bound(table, k, row) for row in range(len(table.lines))] for k in at)
    free = [k for k in range(len(names)) if k not in at]
    children = [k for k, x in enumerate(names) if k in free and (CHILD.among([x]) or is_called_id(x))]
    child = next((k for k in (*children, *free[:1]) if len({*table.columns[k]}) == len(table.lines)), None)
    if child is None:
        shown = shown_names([names[k] for k in free])
        raise table.refusal(f"nested sets need a column that names each node once; there are {shown}")
    parents: list[Any] = [None] * len(low)
    above: list[int] = []
    for row in sorted(range(len(low)), key=low.__getitem__):
        while above and high[above[-1]] < low[row]:
            above.pop()
        if low[row] > high[row] or (above and not low[above[-1]] < low[row] < high[row] < high[above[-1]]):
            other = f" and those of {table.unit} {table.lines[above[-1]]}" if above else ""
            table.refuse(row, f"the bounds {low[row]} and {high[row]}{other} cross: these are no nested sets")
        parents[row] = table.columns[child][above[-1]] if above else None
        above.append(row)
    note(READING, f"{names[at[0]]!r} and {names[at[1]]!r} are the bounds of nested sets, which tell the parents")
    rest = [k for k in free if k != child]
    found = [names[child], _OF_BOUNDS, *(names[k] for k in rest)]
    found[0] = found[0] if usual_columns(found) == (0, 1) else "id"
    return replace(table, names=found, columns=[table.columns[child], parents, *(table.columns[k] for k in rest)])


def _bound(table: RowTable, k: int, row: int) -> int:
    text = (cell_text(table.columns[k][row]) or "").strip()
    if not text.isdecimal():
        table.refuse(row, f"{text!r} in column {table.names[k]!r} is not a bound, which is a whole number")  # type: ignore[index]
    return int(text)


def refuse_pedigree(names: Sequence[str], path: str | None, line: int | None) -> None:
    """Ask which of the two parents of a pedigree counts."""
    at = two_parents(names)
    rest = [x for k, x in enumerate(names) if at is not None and k not in at]
    if at is None or not rest:
        return
    child = next(iter(CHILD.among(rest)), rest[0])
    ways = [
        (f"if the tree goes by {names[k]!r}", call("read_edges", path, child_column=child, parent_column=names[k]))
        for k in at
    ]
    why = f"a pedigree: {names[at[0]]!r} and {names[at[1]]!r} are two parents, and in a hierarchy each node has one."
    raise question(path, line, why, ways)


def _pair(names: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    """What child and parent are called, without the ends of their ids."""
    return tuple(plain(names[k]).removesuffix("id") for k in places)


def _by_data(table: RowTable, ends: tuple[_End, _End] | None) -> tuple[int, int] | None:
    """The columns of children and parents of edges with two ends, if the rows are a tree in one way alone."""
    if ends is None:
        return None
    rows = set(zip(*(table.columns[x.id] for x in ends), strict=True))
    one_parent = [len({row[k] for row in rows}) == len(rows) for k in (0, 1)]
    if one_parent[0] == one_parent[1]:
        at = [table.names[x.id] for x in ends]  # type: ignore[index]
        why = f"which of {at[0]!r} and {at[1]!r} holds children?"
        raise question(table.path, table.header_line, why, either_way(table.path, *at))
    return (ends[0].id, ends[1].id) if one_parent[0] else (ends[1].id, ends[0].id)


def _related(table: RowTable, places: tuple[int | None, ...], asked: tuple) -> tuple[RowTable, tuple[int | None, ...]]:
    """The rows that say what is below what, if a column tells relations, and the columns of child and parent in them.

    Relations such as "eats" say nothing of it. They count if columns are asked for, or called child and parent.
    """
    child, parent, relation = places[0], places[1], places[5]
    if child is None or parent is None or table.names is None:
        return table, places
    free = asked[:2] == (None, None) and asked[5] is None
    pair = _pair(table.names, (child, parent))
    kinds: dict[Any, bool | None] = {}
    if relation is not None and free and pair in _DIRECTED:
        kinds = {x: _sense(cell_text(x) or "") for x in set(table.columns[relation])}
    if not kinds or relation is None or (pair == ("target", "source") and set(kinds.values()) <= {None}):
        table.tell(f"{table.names[child]!r} below {table.names[parent]!r}", places)
        return table, places
    name = table.names[relation]
    others = [str(x) for x, sense in kinds.items() if sense is None]
    if len(others) == len(kinds):
        lower, upper = table.names[child], table.names[parent]
        why = f"does {', '.join(map(repr, sorted(others)[:SHOWN]))} in {name!r} say that one is below the other?"
        raise question(table.path, None, why, either_way(table.path, lower, upper))
    subject, target = (parent, child) if pair == ("target", "source") else (child, parent)
    senses = [kinds[x] for x in table.columns[relation]]
    rows = [k for k, x in enumerate(senses) if x is not None]
    kept_rows = table.taking(rows)
    turned = [senses[k] is False for k in rows]
    back = f", or above where {name!r} says so" if any(turned) else ""
    table.tell(f"{table.names[subject]!r} below {table.names[target]!r}{back}", places)
    below, above = kept_rows.columns[subject], kept_rows.columns[target]
    kept_rows.columns[subject] = [y if is_turned else x for x, y, is_turned in zip(below, above, turned, strict=True)]
    kept_rows.columns[target] = [x if is_turned else y for x, y, is_turned in zip(below, above, turned, strict=True)]
    if others:
        left = ", ".join(map(repr, sorted(others)[:SHOWN]))
        note(
            "relations",
            f"{counted(len(senses) - len(rows), 'row')} left out, whose {name!r} puts nothing below: {left}",
        )
    return kept_rows, (subject, target, *places[2:])


def _sense(relation: str) -> bool | None:
    """True for a relation of a child to its parent (rdfs:subClassOf), False for the reverse, None for another."""
    words = re.sub(r"[\W_]", "", re.split(r"[:/#]", relation.strip())[-1].lower())
    return True if _BELOW.fullmatch(words) else False if _ABOVE.fullmatch(words) else None


def _holding_parents(table: RowTable, pair: tuple[int, int]) -> tuple[int, int]:
    """The columns of children and parents, where that of children is another: parents are called as they are in it."""
    child, parent = pair
    words = list(map(plain, table.names or ()))
    above = {x for x in table.columns[parent][:_LOOKED] if x is not None and not is_gap(str(x))}
    if (words[child], words[parent]) in _TAXA or not above or not above.isdisjoint(table.columns[child]):
        return pair
    held = {
        k: len(above.intersection(x)) for k, x in enumerate(table.columns) if k not in pair and len(set(x)) == len(x)
    }
    best = max(held, key=held.__getitem__, default=child)
    return (best, parent) if 2 * held.get(best, 0) >= len(above) else pair  # a root may have a parent of its own, as 0


def _check_headerless(table: RowTable, *, told: bool) -> None:
    """Refuse a table without parents, and ask about a first row unrelated to the others: perhaps names.

    `told` is True if the caller says that it is not a header.
    """
    if not any(table.columns[1]):
        table.refuse(0, "no row has a parent: is this a table of edges?")
    first = [column[0] or "" for column in table.columns]
    if not told and len(table.lines) > 1 and not any(x in first for column in table.columns for x in column[1:]):
        rows = [first, *([x or "" for x in row] for row in zip(*(y[1:ROWS] for y in table.columns), strict=True))]
        bare = of_pairs(table.path, rows)
        ways = ways_of(table.path, rows, bare=bare)
        if not ways or ways[-1] is not bare:
            ways.append(bare)
        if len(ways) < 2:
            ways[:0] = either_way(table.path, *first)
        why = f"is this a header? {', '.join(map(repr, first))} occur nowhere else."
        raise question(table.path, table.first_line, why, ways)


# ---------------------------------------------------------------------- rows that are other names

_NOT_ACCEPTED = re.compile(
    r".*synonym.*|invalid|not[ _]accepted|unaccepted|misapplied.*|not[ _]valid|illegitimate|orthographic.*"
)
#: Marks of names that belong to the accepted taxon in part, or by mistake.
_IN_PART = re.compile(
    r".*\bpro[ _-]?parte\b.*|.*\bin part\b.*|.*\bpartim\b.*|.*misapplied.*|.*misidentif.*|ambiguous.*"
)
_HOLDS = re.compile(
    r"unplaced|artificial[ _]hybrid|local[ _]biotype|accepted|valid|provisionally[ _]accepted|doubtful|unassessed|"
    r".*synonym.*|.*accepted|.*invalid.*"
)


def _accepted(table: RowTable, places: tuple[int | None, ...]) -> tuple[RowTable, dict[str, Any]]:
    """Return the table without rows that are other names of taxa, and the id of the taxon by each other name and id.

    In ColDP, the parent of a synonym is the accepted taxon. Rows that give a synonym as their parent get the accepted
    one.
    """
    child, parent, name = (int(places[0] or 0), int(places[1] or 0), places[2])
    texts = [child] if name is None else [child, name]
    ids = table.columns[child]
    gone, target_of, others = other_names(table, ids, texts, taken=places, parent=parent)
    if not gone:
        return table, {}
    kept = table.taking([i for i in range(len(ids)) if i not in gone])
    kept.columns[parent] = [target_of.get(x, x) for x in kept.columns[parent]]
    return kept, others


def other_names(
    table: RowTable, ids: Sequence[Any], texts: Sequence[int], *, taken: Iterable[int | None], parent: int | None = None
) -> tuple[set[int], dict[Any, Any], dict[str, Any]]:
    """Return the rows that are other names of taxa, their accepted taxa by id, and the taxon by each other name.

    Such a row has an accepted name elsewhere, or a status of such names.

    Parameters
    ----------
    table : RowTable
    ids : sequence
        What stands for each row.
    texts : sequence of int
        The columns of ids and names by which other rows refer to one, the surest first.
    taken : iterable of int or None
        Columns that hold something else.
    parent : int, optional
        The column of parents, which holds the accepted taxon of a synonym if no other column does.
    """
    words = [plain(x) for x in table.names or []]
    free = [k for k in range(len(words)) if k not in set(taken)]
    accepted = [k for x in ACCEPTED.names for k in free if words[k] == x]
    states = [k for x in STATUS.names for k in free if words[k] == x]
    status = next((k for k in states if words[k] == STATUS.names[0] or _is_status(table.columns[k])), None)
    if not accepted and status is None:
        return set(), {}, {}
    by_text: dict[str | None, Any] = {}
    for k in reversed(texts):
        by_text |= {cell_text(x): i for x, i in reversed(list(zip(table.columns[k], ids, strict=True)))}
    by_text.pop(None, None)
    meant: dict[Any, Any] = {}
    gone = []
    partly = set()
    for i, x in enumerate(ids):
        told = (cell_text(table.columns[k][i]) for k in accepted)
        target = next((by_text.get(y, y) for y in told if y is not None and (y != "0" or y in by_text)), None)
        said = "" if status is None else (cell_text(table.columns[status][i]) or "").lower()
        bad = _NOT_ACCEPTED.fullmatch(said) or _IN_PART.fullmatch(said)
        if target is None and bad and not accepted and parent is not None:
            target = by_text.get(cell_text(table.columns[parent][i]))
        if (bad or target is not None) and target != x:
            gone.append(i)
            meant[x] = target
            if _IN_PART.fullmatch(said) and target is not None:
                partly.add(i)
    if not gone:
        return set(), {}, {}
    target_of = {x: _last(x, meant) for x in meant}
    lost = set(gone)
    meanings: dict[str, dict[Any, None]] = {}
    sure = set()
    for i in gone:
        for k in texts:
            other = cell_text(table.columns[k][i])
            if other is not None:
                meanings.setdefault(other, {}).update(dict.fromkeys(_each_of(target_of[ids[i]], by_text)))
                if i not in partly:
                    sure.add(other)
    for i, x in enumerate(ids):  # a homonym, which has the name of a taxon
        for k in texts[1:] if i not in lost else ():
            own = cell_text(table.columns[k][i])
            if own is not None and own in meanings:
                meanings[own][x] = None
    others: dict[str, Any] = {}
    for other, some in meanings.items():
        # primes: no name is exactly so, and `match_names` offers the taxa of all names that differ by them alone
        first = 1 if len(some) > 1 else 0 if other in sure else 2  # two: the one taxon, and in part only
        others.update((other + "'" * k, x) for k, x in enumerate(some, first))
    if count := sum(len(x) > 1 for x in meanings.values()):
        note("several taxa", f"{counted(count, 'name leads', 'names lead')} to several accepted taxa")
    if partly:
        note(
            "in part",
            f"{counted(len(partly), 'row is a name', 'rows are names')} in part or misapplied, which match none",
        )
    note("other names", f"{counted(len(gone), 'row has', 'rows have')} an accepted name elsewhere")
    return lost, target_of, others


def _each_of(target: Any, by_text: dict[str | None, Any]) -> list[Any]:
    """Return the accepted taxa of a row: one, or several in one cell, as of names that are used in part."""
    several = isinstance(target, str) and target not in by_text
    parts = [x.strip() for x in re.split("[;,|]", target)] if several else [target]
    return [x for x in (by_text.get(y, y) for y in parts) if x is not None]


def _is_status(column: list[Any]) -> bool:
    """Tell whether a column holds the status of names, and no other status."""
    words = {(cell_text(x) or "").lower() for x in dict.fromkeys(column)} - {""}
    return bool(words) and all(_HOLDS.fullmatch(x) or _NOT_ACCEPTED.fullmatch(x) for x in words)


def _last(x: Any, meant: dict[Any, Any]) -> Any:
    """Return the accepted taxon at the end of a chain of other names. None if it has no end."""
    seen = set()
    while x in meant and x not in seen:
        seen.add(x)
        x = meant[x]
    return None if x in seen else x


# ---------------------------------------------------------------------- rows to nodes


class _Edges(NamedTuple):
    """Nodes, and pairs (child, parent) of their positions. All but the ids may be absent."""

    ids: list[Any]
    rows: np.ndarray
    names: list[str | None] | None
    ranks: list[str | None] | None
    lengths: dict[tuple[int, int], float] | None
    relations: list[str] | None

    def lengths_above(self, up: np.ndarray) -> np.ndarray | None:
        """Return the length of the edge from each node to its parent, NaN for roots."""
        if self.lengths is None:
            return None
        pairs = enumerate(up.tolist())
        return np.array([self.lengths.get((u, p), np.nan) for u, p in pairs], np.float64)


def _edges(table: RowTable, places: tuple[int | None, ...], *, strict: bool) -> _Edges:
    child, parent, name, length, rank, relation, name_above = (None if k is None else table.columns[k] for k in places)
    if not child or parent is None:
        raise ParseError("no rows below the header", path=table.path)
    if None in child:
        table.refuse(child.index(None), "no child in this row")
    none = NO_PARENT - {"0"} if any(str(x).isdecimal() for x in child) else NO_PARENT  # among numbers 0 may be a node
    gaps = {x for x in dict.fromkeys(parent) if str(x) in none or (isinstance(x, str) and is_gap(x))} - set(child)
    own = np.array([p == c for c, p in zip(child, parent, strict=True)], np.bool_)
    parent = [None if is_own or p in gaps else p for is_own, p in zip(own.tolist(), parent, strict=True)]
    position = {x: i for i, x in enumerate(dict.fromkeys([*child, *(p for p in parent if p is not None)]))}
    at = np.array([position[x] for x in child], np.int64)
    above = np.array([-1 if x is None else position[x] for x in parent], np.int64)
    _check_roots(table, child, parent, at, above, own)
    rows = np.column_stack([at, above])[above >= 0]
    relations = None
    if relation is not None:
        relations = ["is_a" if x is None else str(x) for x, p in zip(relation, parent, strict=True) if p is not None]
    _, first = np.unique(rows[:, 0] * len(position) + rows[:, 1], return_index=True)
    edges = rows[np.sort(first)]
    if strict and (table.names is None or plain(table.names[places[1]]) == "source"):  # type: ignore[index]
        _check_direction(table, edges, places)
    ids = list(position)
    return _Edges(
        ids,
        edges if relations is None else rows,
        _node_texts(table, [(name, at), (name_above, above)], ids, "names"),
        _node_texts(table, [(rank, at)], ids, "ranks"),
        _edge_lengths(table, length, at, above),
        relations,
    )


def _check_roots(
    table: RowTable, child: list, parent: list, at: np.ndarray, above: np.ndarray, own: np.ndarray
) -> None:
    """Refuse parents without a row where roots (`own`: above themselves) have one, and roots with parents elsewhere."""
    roots = np.flatnonzero(above < 0)
    if roots.size == 0:
        return
    has_row = np.zeros(int(max(at.max(), above.max())) + 1, np.bool_)
    has_row[at] = True
    missing = np.flatnonzero((above >= 0) & ~has_row[above])
    tops = roots[np.isin(at[roots], above) | own[roots]]  # others are items without a known parent
    if missing.size and tops.size:
        i = int(missing[0])
        root = table.lines[int(tops[0])]
        msg = f"the parent {parent[i]!r} of {child[i]!r} has no row of its own, as the root in {table.unit} {root} has"
        table.refuse(i, msg)
    is_root = np.zeros(has_row.size, np.bool_)
    is_root[at[roots]] = True
    torn = np.flatnonzero((above >= 0) & is_root[at])
    if torn.size:
        i = int(torn[0])
        other = table.lines[int(roots[at[roots] == at[i]][0])]
        table.refuse(i, f"{child[i]!r} has the parent {parent[i]!r} here, but none in {table.unit} {other}")


def _check_direction(table: RowTable, edges: np.ndarray, places: Sequence[int | None]) -> None:
    """Refuse a table without usual names of columns that is a tree only the other way round."""
    if len(np.unique(edges[:, 0])) < len(edges) and len(np.unique(edges[:, 1])) == len(edges):
        at = [0, 1] if table.names is None else [table.names[k] for k in places[:2] if k is not None]
        header = False if table.names is None else None
        why = "the column taken for the child has repeats, the one taken for the parent none."
        raise question(table.path, None, why, either_way(table.path, at[1], at[0], header=header))


def _node_texts(table: RowTable, given: Sequence[tuple[list | None, np.ndarray]], ids: list, what: str) -> list | None:
    """Return a name or rank for each node, from columns and the nodes in them. Contradicting rows are refused."""
    cells = [x for column, at in given if column is not None for x in enumerate(zip(at.tolist(), column, strict=True))]
    if not cells:
        return None
    out: list[str | None] = [None] * len(ids)
    for i, (u, x) in cells:
        text = cell_text(x) if u >= 0 else None
        if text is not None and out[u] not in (None, text):
            table.refuse(i, f"{ids[u]!r} has two {what}: {text!r} here, {out[u]!r} above")
        out[u] = out[u] if text is None else text
    return out


def _edge_lengths(table: RowTable, column: list | None, at: np.ndarray, above: np.ndarray) -> dict | None:
    if column is None:
        return None
    out: dict[tuple[int, int], float] = {}
    for i, (u, p, x) in enumerate(zip(at.tolist(), above.tolist(), column, strict=True)):
        text = cell_text(x) or ""
        number = branch_length("" if is_gap(text) else with_point(text))
        if number is None:
            table.refuse(i, f"the length {x!r} is not a finite number")
        if number != number:
            continue
        if out.setdefault((u, p), number) != number:
            table.refuse(i, f"this edge has two lengths: {number!r} here, {out[u, p]!r} above")
    return out or None


def _only_parents(edges: _Edges, table: RowTable) -> np.ndarray:
    """Return the parent of each node, -1 for roots, where no node has two."""
    N = len(edges.ids)
    up = np.arange(N)
    up[edges.rows[:, 0]] = edges.rows[:, 1]
    cycle = cycle_of(up)
    if cycle:
        shown = cycle_text([repr(edges.ids[u]) for u in cycle])
        raise ParseError(f"the parents run in a cycle: {shown}", path=table.path)
    return np.where(up == np.arange(N), -1, up)


def _ontology(edges: _Edges, table: RowTable, others: dict[str, Any] | None = None) -> Ontology:
    values: dict[str, Any] = {"names": edges.names, "ranks": edges.ranks, "relations": edges.relations}
    known = set(edges.ids) if others else set()
    values["synonyms"] = {x: term for x, term in (others or {}).items() if term in known}
    try:
        return Ontology(edges.ids, edges.rows, **values)
    except InvalidHierarchyError as error:
        raise ParseError(str(error), path=table.path) from None


FORMAT = FileFormat(
    "edges",
    "table of edges",
    read=read_edges,
    ontology=edges_ontology,
    write=write_edges,
    extensions=(".csv", ".tsv", ".parquet"),
)
