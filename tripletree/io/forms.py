"""Programs for surveys and crowds whose tables have columns, codes and rows of their own: one value each.

A table is known by columns that only this program writes. `tripletree.io.layouts` then knows which rows below the
header describe the columns, who answered, and which codes stand for no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tripletree.io.json_text import begin_of
from tripletree.tables.cells import cell_text
from tripletree.tables.columns import WHO, plain
from tripletree.tables.rows import RowTable

#: Bytes of a file in which its header ends.
_HEAD = 1 << 16


@dataclass(frozen=True)
class Form:
    """What a program writes around the answers.

    Attributes
    ----------
    title : str
    columns : frozenset of str
        Columns that only it writes, as `plain` has them.
    mark : str
        How a cell of the last row that describes the columns begins, if it says so.
    described : int
        Rows below the header that describe the columns, the first with the text of the questions.
    who : str
        The column of the person, as `plain` has it.
    gaps : frozenset of str
        Codes for no answer.
    prefixes : tuple of str
        What stands before the names of columns of items and answers.
    """

    title: str
    columns: frozenset[str] = frozenset()
    mark: str = ""
    described: int = 0
    who: str = ""
    gaps: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    def texts(self, table: RowTable) -> int:
        """How many rows of the table describe its columns."""
        if self.mark or not self.who or len(table.lines) < 2:
            return self.described
        person = next(k for k, x in enumerate(table.names or ()) if plain(x) == self.who)
        return 0 if re.fullmatch(r"\d+", cell_text(table.columns[person][0]) or "") else self.described

    def bare(self, names: Sequence[str]) -> list[str]:
        """The names of columns without prefixes, if they still differ."""
        bare = [next((x[len(y) :] for y in self.prefixes if x.startswith(y)), x) for x in names]
        return bare if len({*bare}) == len(bare) else [*names]

    def rows(self, table: RowTable, wanted: Collection[str]) -> RowTable:
        """Return the rows below the header, without codes for no answer, the person called so. Keep `wanted` names."""
        table = table.taking(range(self.texts(table), len(table.lines)))
        names = list(table.names or ())
        bare = self.bare(names)
        names = names if {*wanted} & {*names} - {*bare} else bare
        if self.who and not WHO.among(names):
            names = ["who" if plain(x) == self.who and x not in wanted else x for x in names]
        columns = table.columns
        if self.gaps:
            columns = [[None if cell_text(x) in self.gaps else x for x in column] for column in columns]
        return replace(table, names=names, columns=columns)


FORMS = (
    Form("Qualtrics", mark='{"ImportId"', described=2),
    Form("SoSci Survey", frozenset({"case", "questnnr"}), described=1, who="case", gaps=frozenset({"-9", "-2", "-1"})),
    Form("MTurk", frozenset({"hitid", "assignmentid"}), prefixes=("Input.", "Answer.")),
)


def form_of(table: RowTable) -> Form | None:
    """The program that has written a table, if it is known."""
    names = {plain(x) for x in table.names or ()}
    for form in FORMS:
        if form.mark:
            row = form.described - 1
            if len(table.lines) > row and any(str(x[row]).startswith(form.mark) for x in table.columns):
                return form
        elif form.columns <= names:
            return form
    return None


def bare_names(names: Sequence[str]) -> list[str]:
    """The names of columns without what a program writes before them."""
    known = {plain(x) for x in names}
    return next((form.bare(names) for form in FORMS if form.prefixes and form.columns <= known), [*names])


def has_header_of_form(content: bytes | str) -> bool:
    """Tell whether one of the known programs has written a table: its first row names the columns."""
    text = begin_of(content, _HEAD)
    names = {plain(x.strip().strip('"')) for x in re.split(r"[,;\t]", text.partition("\n")[0])}
    return any(
        form.mark.replace('"', '""') in text or form.mark in text if form.mark else form.columns <= names
        for form in FORMS
    )
