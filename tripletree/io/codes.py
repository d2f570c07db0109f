"""Lists of codes that are paths: ATC, ICD, MeSH tree numbers, NACE, EC numbers and their like.

``A01AA01`` stands below ``A01AA`` in ATC, ``A00.1`` below ``A00`` in ICD, ``C04.588.180`` below ``C04.588`` in MeSH.

A code stands below the longest of its beginnings that the list has. Where the levels are known, by dots or by the form
of ATC and ICD, beginnings that the list lacks are nodes, too, if they hold two codes or more. In numbers of sections,
``1.10`` is not below ``1.1``. In Dewey's numbers (a column called ddc or dewey), zeros at the end mean "general":
``510`` holds ``512``. So do they in SOC: ``11-1000`` holds ``11-1011``. In other columns of such numbers, which may be
ICD-9's, ``510`` is open. Letters of NACE and ISIC hold the numbers that follow them. In EC numbers, dashes stand for
ranks that are not given: ``1.1.-.-`` is above ``1.1.1.1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from tripletree.core.checks import check_choice, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.notes import kept, note
from tripletree.core.placeholders import Placeholders
from tripletree.errors import ParseError
from tripletree.io.format import FileFormat
from tripletree.io.source import Source, decoded, is_parquet, named_stream, read_bytes
from tripletree.io.table import AMONG_NAMES, hierarchy_of, read_table
from tripletree.tables.cells import cell_text, column_word
from tripletree.tables.rows import RowTable, shown_names

#: Beginnings of a code: their lengths, the longest first, and whether they are nodes only if the list has them.
_Cuts = Callable[[str], Iterable[tuple[int, bool]]]

_ATC = re.compile(r"[A-Z](?:\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?)?", re.ASCII)
_ICD = re.compile(r"[A-Z]\d[\dA-Z](?:\.[\dA-Z]{1,4})?|\d{3}(?:\.\d{1,2})?|[VE]\d{2,3}(?:\.\d{1,2})?", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*\.?", re.ASCII)
_RANGE = re.compile(r"([A-Z]?\d\w*)\s*-\s*([A-Z]?\d\w*)", re.ASCII)
_EC = re.compile(r"(\d+\.(?: *(?:\d+|-)\.){2} *(?:n?\d+|-))(?:\s+(\S.*)|\s*)", re.ASCII)
_DEWEY = re.compile(r"\d{3}(?:\.\d+)?", re.ASCII)
_OPEN_RANKS = re.compile(r"(?:\.-)+")
#: SOC, also with the ends of O*NET. Zeros at the end of ``11-1010`` say that it is a group.
_SOC = re.compile(r"\d\d-\d{4}(?:\.\d\d)?", re.ASCII)
_CALLED = re.compile(
    r"(?:.*_)?codes?(?:_.*)?|atc.{0,8}|icd.{0,12}|(?:mesh_)?tree_?(?:numbers?|nums?)|mesh|naics.*|nace.*|nuts.*|isic.*|hs_?\d?|"
    r"ec_?(?:number|no)?|cpv|cpc|isco.*|soc|msc|ddc|udc|dewey.*|jel|rank_?id"
)
#: Names of columns that may hold codes, or anything else.
_NEUTRAL = re.compile(r"(?:.*_)?(?:id|key|number|no|nr|class|category|group|notation|concept|)")
_NAMED = re.compile(r"(?:.*_)?(?:names?|labels?|titles?|descriptions?|desc|terms?|headings?|taxon)(?:_.*)?")


@kept
def read_codes(
    path: Source | Any,
    *,
    code_column: str | int | None = None,
    name_column: str | int | None = None,
    labels: Literal["id", "name"] = "id",
    delimiter: str | None = None,
    header: bool | None = None,
    placeholders: bool | str | Iterable[str] = True,
) -> Hierarchy:
    r"""Read a hierarchy from a list of codes that are paths: ATC, ICD, MeSH tree numbers, NACE, ...

    Parameters
    ----------
    path : path, file object, "-" or data frame
        A code in each row, and perhaps its name: A delimited text (CSV), a list with a code in each line, Parquet, or a
        data frame whose codes are texts.
    code_column : str or int, optional
        Column by name, or by position counted from 0. By default the one that holds codes, a column called code,
        ``ATC code``, ``tree number`` and the like first.
    name_column : str or int, optional
        By default the column called name, label, title or description, or the other one of two.
    labels : {"id", "name"}
        Names of leaves and inner nodes: their codes or their names.
    delimiter, header
        As in `read_edges`.
    placeholders : bool, str or iterable of str
        Names that only say that nothing is known, "unclassified" and "dementia, unspecified" below "dementia": such
        leaves are open. Names extend the known ones, False takes every name for one of a class.

    Returns
    -------
    Hierarchy
        Leaves are the codes with which no other code begins, in the order of their rows. Several tops get a node above
        them.

    Raises
    ------
    ParseError
        If no column holds codes, no code begins with another one, or a code has two names.

    See Also
    --------
    read_icd : the tabular list of ICD-10-CM, which has sections, too.

    Notes
    -----
    A code stands below the longest of its beginnings that the list has. Dots divide levels where a code has two or
    more (``1.10`` is not below ``1.1``). ATC has levels of 1, 3, 4, 5 and 7 characters, and ICD one at the dot and one
    for each character behind it. Their beginnings are nodes without a row, too, if they hold several codes. A range
    (``A00-A09``) holds the codes from its first to its last.

    Examples
    --------
    >>> import io
    >>> text = "code,name\nA01AA,Caries agents\nA01AA01,sodium fluoride\nA01AA02,olaflur\nC07AB02,metoprolol\n"
    >>> h = read_codes(io.StringIO(text))
    >>> list(h.leaves), h.names
    (['A01AA01', 'A01AA02', 'C07AB02'], ('A01AA', None))
    """
    check_choice(labels, "labels", ("id", "name"))
    wanted = [x for x in (code_column, name_column) if isinstance(x, str)]

    def known(names: list[str]) -> bool:
        return all(x in names for x in wanted) if wanted else any(map(_is_called_code, names))

    source, table = _ec_table(path)
    if table is None:
        table = read_table(
            source, delimiter=delimiter, header=True if header is None and wanted else header, known=known
        )
        table = _with_header(table) if header is None and table.names is None and code_column is None else table
    at = code_place(table.names, table.columns) if code_column is None else table.place(code_column, "code_column")
    if at is None:
        shown = shown_names(table.names or []) or f"{len(table.columns)} without names"
        first = table.names[0] if table.names else 0
        msg = (
            f"no column holds codes of which some begin with others: give code_column={first!r} if that one holds "
            f"codes; the columns are {shown}"
        )
        raise ParseError(msg, path=table.path)
    names = _names(table, at, name_column)
    codes, called = _codes(table, at, names)
    bare, shown_codes = _without_dashes(codes)
    word = "" if table.names is None else column_word(str(table.names[at]))
    general = {} if word.startswith("icd") else _general(codes)
    if general and re.match("ddc|dewey", word):
        bare = [general.get(x, x) for x in codes]
        shown_codes = {y: x for x, y in general.items()}
        nodes, up = _parents(bare, _by_character)
        general = {}
    elif all(map(_SOC.fullmatch, codes)):
        nodes, up = _parents(bare, _of_soc)
        nodes = [x and shown_codes.get(x, f"{x[:2]}-{x[2:]}") for x in nodes]
    else:
        nodes, up = _parents(_without_lost_letters(bare))
    nodes = [shown_codes.get(x, x) for x in nodes]
    if not (up >= 0).any():
        msg = f"no code begins with another one, such as {codes[0]!r}: this list is not a hierarchy"
        raise ParseError(msg, path=table.path)
    opened = np.array([x in general for x in nodes]) & ((up >= 0) | (np.count_nonzero(up < 0) > 1))
    if opened.any():
        shown = ", ".join(list(general)[:3])
        note(
            "general", f"{counted(len(general), 'code')} may hold others, open therefore ({shown}): call it ddc or icd9"
        )
    given: list[str | None] = [None if x is None else called.get(x) for x in nodes]
    fillers = Placeholders.of(placeholders)
    kinds = fillers.kinds(given, up, above=lambda u: [given[up[u]] or ""] if up[u] >= 0 else [])
    shown_as = [(x if labels == "id" or y is None else y) for x, y in zip(nodes, given, strict=True)]
    return hierarchy_of(up, shown_as, kinds=kinds, incertae_sedis=opened, where=AMONG_NAMES, told=True)


def code_place(names: Sequence[str] | None, columns: Sequence[Sequence[Any]], *, sure: bool = False) -> int | None:
    """Return the place of the column of codes, where some begin with others. None without such a column.

    Parameters
    ----------
    names : sequence of str, or None
        Names of the columns.
    columns : sequence of sequences
        Their cells.
    sure : bool
        If True, columns that are not called so must show it by themselves, by the form of ATC, or by levels, and must
        not be called something else.
    """
    cells = [[cell_text(x) or "" for x in column] for column in columns]
    order = sorted(range(len(cells)), key=lambda k: names is None or not _is_called_code(names[k]))
    for k in order:
        called = names is not None and _is_called_code(names[k])
        if sure and not called and names is not None and not _NEUTRAL.fullmatch(column_word(str(names[k]))):
            continue
        if _are_codes(cells[k], called=called, sure=sure):
            others = [set(filter(None, x)) for j, x in enumerate(cells) if j != k and not _are_levels(x, cells[k])]
            own = set(cells[k])
            if not any(x and len(x & own) >= 0.5 * len(x) for x in others):  # or they are children and parents
                return k
    return None


def _are_levels(cells: Sequence[str], codes: Sequence[str]) -> bool:
    """True if a column counts the levels of codes: longer ones have a higher number."""
    levels = {(len(code), x) for code, x in zip(codes, cells, strict=True) if code}
    numbers = [int(x) for _, x in sorted(levels) if x.isdecimal()]
    return len(numbers) == len(levels) == len({n for n, _ in levels}) and numbers == sorted({*numbers})


def _is_called_code(name: str) -> bool:
    return _CALLED.fullmatch(column_word(str(name))) is not None


def _are_codes(cells: Sequence[str], *, called: bool, sure: bool) -> bool:
    given = [_bare(x) for x in cells if x]
    if len(given) < 2 or not all(len(x) <= 40 and (_CODE.fullmatch(x) or _RANGE.fullmatch(x)) for x in given):
        return False
    own = set(given)
    words = any(len(x) > 1 and not any(y.isdigit() for y in x) for x in given)  # a header among them
    if not called and (words or len(own) < len(cells)):
        return False
    if len(own) > 2 and (_is_atc(given) or (called and all(map(_SOC.fullmatch, filter(None, cells))))):
        return True
    cuts = _levels(given)
    long = [x for x in given if any(True for _ in cuts(x))]
    below = sum(any(x[:k] in own for k, _ in cuts(x)) for x in long)
    if not below:
        return called and bool(long) and max(x.count(".") for x in given) > 1
    if called or not sure:
        return True
    deep = sum(x.count(".") > 1 for x in given) or sum(x[0].isalpha() and "." in x for x in given)
    return bool(deep) and below >= 0.5 * len(long)


def _with_header(table: RowTable) -> RowTable:
    """Return the table without its first row, if that names the columns: no code stands above the codes."""
    columns = [list(x[1:]) for x in table.columns]
    if not columns or code_place(None, table.columns) is not None or code_place(None, columns) is None:
        return table
    return table.named_by_first_row()


def _names(table: RowTable, at: int, column: str | int | None) -> list[Any] | None:
    """Return the column of names, if there is one."""
    if column is not None:
        return table.columns[table.place(column, "name_column")]
    if table.names is not None:
        for k, name in enumerate(table.names):
            if k != at and _NAMED.fullmatch(column_word(name)):
                return table.columns[k]
    return table.columns[1 - at] if len(table.columns) == 2 else None


def _codes(table: RowTable, at: int, names: Sequence[Any] | None) -> tuple[list[str], dict[str, str]]:
    """Return the codes in order and their names. A row may say the same again."""
    first: dict[str, int] = {}
    called: dict[str, str] = {}
    for i, x in enumerate(table.columns[at]):
        code = (cell_text(x) or "").strip()
        if not code:
            table.refuse(i, "no code in this row")
        name = None if names is None else cell_text(names[i])
        if first.setdefault(code, i) != i and name != called.get(code):
            was = table.lines[first[code]]
            table.refuse(i, f"the code {code!r} has the name {name!r} here, {called.get(code)!r} in {table.unit} {was}")
        if name is not None:
            called[code] = name
    if not first:
        raise ParseError("no codes in it", path=table.path)
    return list(first), called


def _ec_table(path: Any) -> tuple[Any, RowTable | None]:
    """Return the lines of enzclass.txt, ``1. 1.-.-    Acting on CH-OH``, as a table, or a source to read otherwise."""
    if hasattr(path, "columns"):
        return path, None
    content, name = read_bytes(path)
    if is_parquet(content):
        return named_stream(content, name), None
    text = decoded(content, name)
    if not are_ec_lines(text.splitlines()):
        return named_stream(content, name), None
    found = [(i, m) for i, x in enumerate(text.splitlines(), 1) if (m := _EC.fullmatch(x.strip()))]
    return None, RowTable(name, ["ec", "name"], [[m[k] for _, m in found] for k in (1, 2)], [i for i, _ in found])


def are_ec_lines(lines: Sequence[str]) -> bool:
    """Tell whether most lines are numbers of classes of enzymes, with dashes for open ranks, and their names."""
    found = [m for x in lines if (m := _EC.fullmatch(x.strip()))]
    return any(m[2] and "-" in m[1] for m in found) and len(found) >= 0.5 * sum(1 for x in lines if x.strip())


def _bare(code: str) -> str:
    """A code without the dashes or zeros of last ranks that are not given."""
    if _SOC.fullmatch(code):
        return (code if "." in code else code.rstrip("0")).replace("-", "")
    return _OPEN_RANKS.sub("", code.replace(" ", "")) if _EC.fullmatch(code) else code


def _without_dashes(codes: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Codes without what stands for open last ranks, and the codes with it."""
    shown: dict[str, str] = {}
    are_soc = all(map(_SOC.fullmatch, codes))
    for x in codes:
        whole = x.replace(" ", "") if _EC.fullmatch(x) else x
        bare = _bare(x) if are_soc or _EC.fullmatch(x) else x
        if shown.setdefault(bare, whole) != whole:
            shown[bare] = bare
    return list(shown), {x: y for x, y in shown.items() if x != y}


# ---------------------------------------------------------------------- codes to nodes


def _is_atc(codes: Sequence[str]) -> bool:
    return any(len(x) > 3 for x in codes) and all(map(_ATC.fullmatch, codes))


def _levels(codes: Sequence[str]) -> _Cuts:
    """How the codes of a list are cut into levels."""
    single = [x for x in codes if not _RANGE.fullmatch(x)]
    if _is_atc(single):
        return lambda x: [(k, False) for k in (5, 4, 3, 1) if k < len(x)]
    dots = max((x.rstrip(".").count(".") for x in single), default=0)
    heads = [x.partition(".")[0] for x in single]
    sections = dots == 1 and any(len(x) < 2 for x in heads) and all(x.replace(".", "").isdigit() for x in single)
    if dots > 1 or sections:
        return lambda x: [(k, False) for k in range(len(x) - 2, 0, -1) if x[k] == "."]
    if dots == 1 and all(map(_ICD.fullmatch, single)):

        def of_icd(x: str) -> Iterable[tuple[int, bool]]:
            dot = x.find(".")
            behind = [(k, False) for k in range(len(x) - 1, dot + 1, -1)] + [(dot, False)] if dot > 0 else []
            return behind + [(k, True) for k in range((dot if dot > 0 else len(x)) - 1, 0, -1)]

        return of_icd
    if dots == 1 and len(set(map(len, heads))) == 1:  # of NACE
        return lambda x: [*_by_character(x), *((k, False) for k in [x.find(".")] if k > 0)]
    return _by_character


def _general(codes: Sequence[str]) -> dict[str, str]:
    """Return numbers of three digits that hold others of the list, if they are Dewey's, and their beginnings."""
    if not all(map(_DEWEY.fullmatch, codes)) or not any("." in x for x in codes):
        return {}
    held = {x[:k] for x in codes for k in (1, 2) if x[k:3].strip("0")}
    found = {x: x.rstrip("0") or "0" for x in codes if len(x) == 3 and x[2] == "0"}
    return {x: y for x, y in found.items() if y in held}


def _by_character(code: str) -> Iterable[tuple[int, bool]]:
    return [(k, True) for k in range(len(code) - 1, 0, -1) if code[k - 1] not in ".-"]


def _of_soc(code: str) -> Iterable[tuple[int, bool]]:
    return [(k, k not in (2, 3, 5, 6)) for k in range(len(code) - 1, 1, -1) if code[k - 1] != "."]


def _parents(codes: Sequence[str], cuts: _Cuts | None = None) -> tuple[list[Any], np.ndarray]:
    """Return the nodes, codes first, and the parent of each, -1 for tops."""
    cuts = cuts or _levels(codes)
    nodes = list(codes)
    at = {x: k for k, x in enumerate(codes)}
    up = [-1] * len(codes)
    ranges = {k for k, x in enumerate(codes) if _RANGE.fullmatch(x)}
    for k in range(len(codes)):
        if k in ranges:
            continue
        here = k
        for size, listed in cuts(nodes[k]):
            above = nodes[k][:size]
            known = at.get(above)
            if known is None and not listed:
                at[above] = len(nodes)
                nodes.append(above)
                up.append(-1)
                up[here] = here = at[above]
            elif known is not None:
                up[here] = known
                break  # what is above it follows from it
    _hold(nodes, up, ranges)
    _below_letters(codes, up)
    return _without_single(nodes, np.array(up, np.int64), len(codes))


def _letters(codes: Sequence[str]) -> list[int]:
    """Return the places of single letters among numbers, such as the sections of NACE and ISIC."""
    letters = [k for k, x in enumerate(codes) if len(x) == 1 and x.isalpha()]
    return letters if len(letters) == sum(not x[0].isdigit() for x in codes) < len(codes) else []


def _without_lost_letters(codes: list[str]) -> list[str]:
    """Return the codes without letters that do not stand before their numbers, which then are unknown."""
    letters = _letters(codes)
    numbers = [x for x in codes if x[0].isdigit()]
    names = [codes[k] for k in letters]
    ends = [*letters[1:], len(codes)]
    leads = letters[:1] == [0] and all(k + 1 < end for k, end in zip(letters, ends, strict=True))
    if not letters or (leads and names == sorted(names) and numbers == sorted(numbers)):
        return codes
    note(
        "letters",
        f"{counted(len(letters), 'letter')} ({', '.join(names[:3])}...) left out: no order tells their numbers",
    )
    return numbers


def _below_letters(codes: Sequence[str], up: list[int]) -> None:
    """Put the tops below the letter that stands before the first of their numbers."""
    letters = _letters(codes)
    if not letters:
        return
    at = np.searchsorted(letters, np.arange(len(codes)), side="right") - 1
    for k in range(len(codes)):
        top = k
        while up[top] >= 0:
            top = up[top]
        if top != letters[at[k]] and (top >= len(codes) or top not in letters):
            up[top] = letters[at[k]]


def _hold(nodes: Sequence[str], up: list[int], ranges: set[int]) -> None:
    """Put the tops below the ranges that hold them, and ranges below wider ones."""
    if not ranges:
        return
    spans = []
    for k, p in enumerate(up):
        if p >= 0:
            continue
        found = _RANGE.fullmatch(nodes[k]) if k in ranges else None
        first, last = (found[1], found[2]) if found else (nodes[k], nodes[k])
        spans.append((first, last + "\uffff", k))
    spans.sort(key=lambda x: (x[0], [-ord(y) for y in x[1]], x[2]))
    around: list[tuple[str, int]] = []
    for first, last, k in spans:
        while around and around[-1][0] < first:
            around.pop()
        if around and last <= around[-1][0]:
            up[k] = around[-1][1]
        if k in ranges:
            around.append((last, k))


def _without_single(nodes: Sequence[str], up: np.ndarray, n: int) -> tuple[list[Any], np.ndarray]:
    """Take out nodes that no row lists and that hold one child."""
    count = np.bincount(up[up >= 0], minlength=up.size)
    single = np.arange(up.size) >= n
    single &= count == 1
    while True:  # as often as levels stand above each other
        through = (up >= 0) & single[up]
        if not through.any():
            break
        up = np.where(through, up[up], up)
    keep = ~single
    number = np.cumsum(keep) - 1
    kept = up[keep]
    names = [x for x, k in zip(nodes, keep.tolist(), strict=True) if k]
    return names, np.where(kept < 0, -1, number[kept])


FORMAT = FileFormat("codes", "list of codes", read=read_codes)
