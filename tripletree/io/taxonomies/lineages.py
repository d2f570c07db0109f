"""Lineages: an item or a taxon in each line, with its path from the top.

Read are lines such as ``k__Bacteria; p__Firmicutes`` (Greengenes, SILVA, QIIME), ``Animals > Pets > Dogs`` (Google's
product taxonomy), ``k__Bacteria|p__Firmicutes`` (MetaPhlAn) and ``a/b/c``, bare or behind an id and a tab; tables with
a header that have a column of such paths; and tables with a column for each rank.

The path decides: one name in two places is two nodes. Ranks without a name are skipped.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from tripletree.errors import DuplicateLeafError, ParseError
from tripletree.hierarchy import Hierarchy
from tripletree.io._files import Source, decoded, read_bytes
from tripletree.io._tables import (
    RowTable,
    cell_text,
    has_header,
    hierarchy_of,
    is_frame,
    one_of,
    parquet_table,
    read_table,
    split_rows,
)
from tripletree.io.taxonomies._lineage_columns import (
    column_of_ids,
    columns_of_paths,
    is_path_header,
    looks_like_lineages,
    plain_name,
    refuse_edges,
    tells_apart,
    usual_columns,
)
from tripletree.io.taxonomies._lineages_out import write_lineages
from tripletree.io.taxonomies._paths import MISSING, PathTree, has_separator, separator_of, split_lines
from tripletree.ontology import Ontology

__all__ = ["looks_like_lineages", "read_lineages", "usual_columns", "write_lineages"]


def read_lineages(
    source: Source | Any,
    *,
    sep: str = "auto",
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    labels: Literal["name", "path", "id"] = "name",
    missing: Iterable[str] = MISSING,
    delimiter: str | None = None,
) -> Hierarchy:
    r"""Read a hierarchy from lines or table rows that each hold a path of taxa.

    Parameters
    ----------
    source : path, file object, "-" or data frame
        Text, CSV or its like, Parquet; gzip, bzip2 and xz are unpacked. A data frame of pandas or polars, or a table
        of pyarrow.
    sep : str
        What stands between the names of a path, blanks around it aside. By default the first of ``;``, ``>``, ``|``
        and ``/`` that is in at least half as many lines as the most frequent of them.
    columns : sequence of str, optional
        Of a table with a header: the columns of the ranks from the top down, or the one column of paths. By default
        the columns with names of ranks (kingdom, phylum, class, order, family, genus, species and those between), or
        the one called taxon, taxonomy, lineage, path or the like.
    id_column : str, optional
        Of a table with a header: the column of the items' ids. By default the one called "Feature ID", "OTU ID", "id"
        or the like; else the first one, if it holds no part of the path and no rank, and all its values are there,
        differ, and are not all numbers (``breed,species,genus``).
    labels : {"name", "path", "id"}
        What nodes are called that are no items: "name" is the last name of their path; where several leaves share
        it, their whole paths. "path" is the whole path, "id" the number that Google's taxonomy puts before it.
    missing : iterable of str
        What stands for no name, in any case and with a rank's prefix or without, besides nothing at all.
    delimiter : str, optional
        Between the cells of a table; by default a tab, comma, semicolon or bar, whichever fits the header.

    Returns
    -------
    Hierarchy
        Where there are ids, the items are the leaves, each under its taxon, or under the root where it has none.
        Without ids the leaves are the paths that no other path continues, each once, however often it occurs. Leaves
        stand in the order of the source; `ranks` is known from prefixes (``g__``, ``D_5__``) and columns. Several tops
        get an unnamed node above them.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ParseError
        If no separator is found, a line has no path, an id is missing or stands twice, or a table looks like one of
        edges: a column ``taxon`` without any separator, or two ranks of which one holds names of the other, as in
        ``class,superclass``. Give `columns` where it is none.
    DuplicateLeafError
        If two leaves have one label, which takes a name that reads as another one's path.
    MissingDependencyError
        If the format is Parquet and pyarrow is not installed.

    Warns
    -----
    UserWarning
        If no column of ids is found in a table, and a column that is not read tells rows of one path apart.

    See Also
    --------
    write_lineages : the reverse.
    read_edges : a child and its parent in each row.

    Notes
    -----
    A rank without a name (``g__``, ``unclassified``) is no node: nothing is known to share it. What has a name below
    it hangs from the last named one above. Bare lines with no name at all are left out. Lines that start with ``#``
    are comments, and a first line that says only "Taxon" or the like is a header. Where the paths stand in the first
    of several columns without header (profiles of MetaPhlAn), the others are not read.

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
    one_of(labels, "labels", ("name", "path", "id"))
    tree = _read(source, sep, columns, id_column, missing, delimiter)
    called, leaves = _called(tree, labels)
    parent, ranks = tree.parent, tree.ranks
    if sum(p < 0 for p in parent) > 1:
        root = len(parent)
        parent = [*(root if p < 0 else p for p in parent), -1]
        called, leaves, ranks = [*called, None], [*leaves, None], [*ranks, None]
    try:
        return hierarchy_of(parent, leaves, names=called, ranks=ranks)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=" among the names, paths and ids") from None


def lineages_ontology(
    source: Source | Any,
    *,
    sep: str = "auto",
    columns: Sequence[str] | None = None,
    id_column: str | None = None,
    missing: Iterable[str] = MISSING,
    delimiter: str | None = None,
) -> Ontology:
    """Lineages as an ontology: items and Google's numbers as terms by themselves, other nodes by their paths."""
    tree = _read(source, sep, columns, id_column, missing, delimiter)
    paths = tree.paths(range(len(tree.parent)))
    ids = [tree.items.get(u, tree.ids.get(u, path)) for u, path in enumerate(paths)]
    edges = [(u, p) for u, p in enumerate(tree.parent) if p >= 0]
    names = [None if u in tree.items else x for u, x in enumerate(tree.names)]
    return Ontology(ids, edges, names=names, ranks=tree.ranks)


def _called(tree: PathTree, labels: str) -> tuple[list[str | None], list[str | None]]:
    """What the nodes are called as inner nodes and as leaves."""
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


def _read(
    source: Any,
    sep: str,
    columns: Sequence[str] | None,
    id_column: str | None,
    missing: Iterable[str],
    delimiter: str | None,
) -> PathTree:
    if not isinstance(sep, str) or not sep:
        msg = f"sep must be 'auto' or the text between the names of a path, not {sep!r}"
        raise ValueError(msg)
    if isinstance(columns, str) or (columns is not None and not columns):
        msg = f"columns must be a list of names of columns, not {columns!r}"
        raise ValueError(msg)
    if isinstance(missing, str):
        msg = f"missing must be several texts, not the text {missing!r}: give a list"
        raise ValueError(msg)
    asked = [*(columns or []), *([] if id_column is None else [id_column])]
    row = ""

    def known(names: list[str]) -> bool:
        if asked:
            return all(x in names for x in asked)
        # a row without separators of paths is split at commas or tabs: no cell of it is the end of a path
        free = bool(row) and not has_separator(row) and all(x in row for x in names)
        return (columns_of_paths if free else usual_columns)(names) is not None

    if is_frame(source):
        return _of_table(read_table(source), sep, columns, id_column, missing)
    content, path = read_bytes(source)
    if isinstance(content, bytes) and content.startswith(b"PAR1"):
        return _of_table(parquet_table(content, path), sep, columns, id_column, missing)
    text = content if isinstance(content, str) else decoded(content, path)
    row = next((x for x in text[:100_000].split("\n") if x.strip() and not x.startswith("#")), "")
    if asked or has_header(text, known):
        table = split_rows(text, path, delimiter=delimiter, header=True if asked else None, known=known)
        return _of_table(table, sep, columns, id_column, missing)
    return _of_lines(text, path, sep, missing)


def _of_table(
    table: RowTable, sep: str, columns: Sequence[str] | None, id_column: str | None, missing: Iterable[str]
) -> PathTree:
    """Lineages in the columns of a table."""
    names = table.names or []
    wanted = list(columns) if columns is not None else columns_of_paths(names)
    if wanted is None:
        shown = ", ".join(map(repr, names))
        msg = f"which columns hold the path? Give columns=[...], from the top rank down; there are {shown}"
        raise ParseError(msg, path=table.path)
    places = [table.place(x, "column") for x in wanted]
    if columns is None and sep == "auto":
        refuse_edges(table, places)
    at = column_of_ids(names, table.columns, places) if id_column is None else table.place(id_column, "id_column")
    items = None if at is None else table.columns[at]
    rows: Iterable[tuple]
    if len(places) == 1:
        texts = [cell_text(x) or "" for x in table.columns[places[0]]]
        used = [i for i in range(len(texts)) if items is None or not str(items[i]).startswith("#q2:")]
        sep = separator_of([[texts[i]] for i in used], sep, path=table.path, needed=False)[0]
        tree = PathTree(table.path, missing, sep)
        taxa = [tree.text_node(texts[i]) for i in used]
    else:
        tree = PathTree(table.path, missing, ";")
        ranks = [plain_name(x) for x in wanted]
        rows = zip(*(map(cell_text, table.columns[k]) for k in places), strict=True)
        taxa = [tree.cells_node(row, ranks) for row in rows]
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
            msg = (
                f"{len(taxa)} rows with only {len(set(taxa))} different path{'s' * (len(set(taxa)) != 1)}: rows of one "
                f"path become one node, though the column {lost!r} tells them apart; if it holds the items, give "
                f"id_column={lost!r}"
            )
            warnings.warn(msg, UserWarning, stacklevel=4)
    return _full(tree)


def _of_lines(text: str, path: str | None, sep: str, missing: Iterable[str]) -> PathTree:
    """Lineages in lines without header: a path alone, a number and a path, or an id, a tab and a path."""
    numbers, rows = split_lines(text)
    if not rows:
        raise ParseError("no lines in it", path=path, line=1, column=1)
    sep, k = separator_of(rows, sep, path=path)
    tree = PathTree(path, missing, sep)
    short = next((i for i, row in enumerate(rows) if len(row) <= k), None)
    if short is not None:
        msg = f"no path in this line: where other lines have an id, a tab and a path, it has {rows[short][0]!r:.60}"
        raise ParseError(msg, path=path, line=numbers[short])
    if k == 0:
        if is_path_header(rows[0][0]) and any(sep in row[0] for row in rows):
            del numbers[0], rows[0]  # a header of one word
        tree.bare_lines([row[0] for row in rows], numbers)
        return _full(tree)
    seen: dict[str, int] = {}
    for number, row in zip(numbers, rows, strict=True):
        item = row[0].strip()
        if not item or item in seen:
            before = f"the id {item!r} stands twice: it is on line {seen.get(item)} already"
            raise ParseError(before if item else "no id before the tab", path=path, line=number)
        seen[item] = number
        tree.add_item(item, tree.text_node(row[k]))
    return _full(tree)


def _full(tree: PathTree) -> PathTree:
    if not tree.parent:
        raise ParseError("no names in it: all paths are empty", path=tree.source)
    return tree
