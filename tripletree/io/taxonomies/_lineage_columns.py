"""Tables of lineages: which columns hold the path, which one the items, and which tables are of edges instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tripletree.errors import ParseError
from tripletree.io._tables import RowTable, cell_text
from tripletree.io.taxonomies._paths import HEADERS, has_prefix, has_separator

__all__ = [
    "column_of_ids",
    "columns_of_paths",
    "is_path_header",
    "looks_like_lineages",
    "plain_name",
    "refuse_edges",
    "tells_apart",
    "usual_columns",
]

#: Ranks from the top down; a table with columns of these names is read by them.
RANKS = (
    *("superkingdom", "domain", "realm", "subrealm", "kingdom", "subkingdom", "infrakingdom", "superphylum"),
    *("phylum", "division", "subphylum", "infraphylum", "superclass", "class", "subclass", "infraclass", "cohort"),
    *("superorder", "order", "suborder", "infraorder", "parvorder", "superfamily", "family", "subfamily"),
    *("supertribe", "tribe", "subtribe", "genus", "subgenus", "section", "series", "species", "subspecies"),
    *("variety", "varietas", "form", "strain"),
)
_RANK_ORDER = {rank: k for k, rank in enumerate(RANKS)}
_ID_COLUMNS = ("featureid", "otuid", "asvid", "sequenceid", "sampleid", "id", "otu", "asv", "feature", "sample")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)

Columns = Sequence[Sequence[Any]]


def plain_name(name: str) -> str:
    """The name of a column in lower case without blanks, dashes, underscores and a ``#`` before it."""
    return name.lower().replace(" ", "").replace("_", "").replace("-", "").lstrip("#")


def is_path_header(name: str) -> bool:
    """Whether this is the usual name of a column of paths."""
    return plain_name(name.strip()) in HEADERS


def columns_of_paths(names: Sequence[str]) -> list[str] | None:
    """The columns of a header that hold a path: those of ranks from the top down, or the one of whole paths."""
    plain = [plain_name(x) for x in names]
    ranks = [x for x in names if plain_name(x) in _RANK_ORDER]
    if len(ranks) > 1 and len({plain_name(x) for x in ranks}) == len(ranks):
        return sorted(ranks, key=lambda x: _RANK_ORDER[plain_name(x)])
    paths = [x for x in names if plain_name(x) in HEADERS]
    return paths if len(paths) == 1 and len(set(plain)) == len(plain) else None


def usual_columns(names: Sequence[str]) -> list[str] | None:
    """The columns of a header that hold a path, if it is one of a table of lineages.

    A column of whole paths must come first, or behind one of ids: the last name of a path may be "path".
    """
    usual = columns_of_paths(names)
    if usual is not None and len(usual) == 1 and usual[0] != names[0] and plain_name(names[0]) not in _ID_COLUMNS:
        return None
    return usual


def looks_like_lineages(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table with these names of columns, and rows such as these, is one of lineages.

    It is not where no columns are known to hold a path, nor where what they hold is edges, which `read_lineages`
    refuses: a column ``taxon`` without any separator, or ``class,superclass`` with names of one in the other.
    """
    usual = usual_columns(names)
    if usual is None:
        return False
    columns = [[row[k] or None if k < len(row) else None for row in rows] for k in range(len(names))]
    return _edge_columns(names, columns, [list(names).index(x) for x in usual]) is None


def refuse_edges(table: RowTable, places: Sequence[int]) -> None:
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
    raise ParseError(msg, path=table.path, line=1 if table.unit == "line" else None)


def _edge_columns(names: Sequence[str], columns: Columns, places: Sequence[int]) -> tuple[str, str | None, str] | None:
    """The columns of child and parent (None: not known), and why these are edges; None for lineages."""
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
    """`_edge_columns` for one column of paths: a path of one name says nothing but where it belongs to an item."""
    texts = [cell_text(x) or "" for x in columns[place]]
    if not any(texts) or any(has_separator(x) or has_prefix(x) for x in texts):
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
    """Where the items stand: in the column with a usual name, or in the first one, if it can hold them."""
    usual = [k for k, x in enumerate(names) if plain_name(x) in _ID_COLUMNS and k not in places]
    if len(usual) == 1:
        return usual[0]
    if 0 in places or plain_name(names[0]) in _RANK_ORDER or _all_numbers(columns[0]):
        return None
    return 0 if None not in columns[0] and len(set(columns[0])) == len(columns[0]) else None


def tells_apart(names: Sequence[str], columns: Columns, places: Sequence[int], n_paths: int) -> str | None:
    """The first column of text beside the paths that has more values than there are paths."""
    if not columns or n_paths == len(columns[0]):
        return None
    for k, name in enumerate(names):
        free = k not in places and plain_name(name) not in _RANK_ORDER
        if free and len(set(columns[k]) - {None}) > n_paths and not _all_numbers(columns[k]):
            return name
    return None


def _all_numbers(column: Sequence[Any]) -> bool:
    return all(x is None or not isinstance(x, str) or _NUMBER.fullmatch(x) is not None for x in column)
