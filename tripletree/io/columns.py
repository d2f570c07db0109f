"""What the columns of a table are called, and what their cells mean: one list of names for every reader of tables.

A reader asks a `Role` for the column that plays it. Words for no value are in `tripletree.core.labels`, those for links
in `tripletree.io.pairs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tripletree.io.table import cell_of, cell_text, column_word

# ---------------------------------------------------------------------- ids


_ID_WORDS = (
    "id|ids|index|idx|label|labels|name|names|sample|samples|uid|uuid|guid|identifier|key|accession|accessions|barcode|"
    "sku|ean|isbn|asin|doi|taxid|tax_id|taxon_id|entrez|entrezgene|entrez_gene|ensembl|ensembl_gene|gene|symbol|"
    "row|rows|rowid|row_names|rownames|row_number|otu|asv|feature_id|id_ref|record|rec|specimen"
)
_ID_BEFORE = (
    "customer|client|user|person|people|patient|subject|participant|student|employee|member|respondent|worker|case|"
    "gene|protein|transcript|otu|asv|sample|specimen|record|rec|tax|taxon|species|strain|item|product|order|article|"
    "object|image|img|file|doc|document|cell|probe|plot|site|station|track|song|movie|film|book|shop|store|account|"
    "transaction|device|animal|plant|compound|mol|molecule|entry|node|leaf|row"
)
_ID = re.compile(
    rf"|{_ID_WORDS}|(?:.*_)?(?:id|ids|uuid|guid|accession|sku|barcode)|(?:{_ID_BEFORE})(?:ids?|no|nr|num|number|code|key)"
    rf"|(?:{_ID_BEFORE})_(?:no|nr|num|number|code|key|name|label)|unnamed:_?\d+(?:_.*)?|level_\d+|x\.?1?_index"
)
_WHOLE = re.compile(r"[-+]?\d+", re.ASCII)


def words_of(name: str) -> str:
    """The words of a column's name, in lower case with underscores: ``CustomerID`` and ``#OTU ID``, too."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name.strip().lstrip("#").strip())
    return re.sub(r"_+", "_", column_word(apart).replace(".", "_")).strip("_")


def is_called_id(name: str) -> bool:
    """True if a column is called like one that names its rows: id, CustomerID, ``Unnamed: 0``, ``#OTU ID``, taxid."""
    return _ID.fullmatch(words_of(name)) is not None or _ID.fullmatch(column_word(name)) is not None


def can_be_ids(cells: Sequence[str]) -> bool:
    """True if the cells of a column could name its rows: all different, and whole numbers or texts."""
    if len(set(cells)) < len(cells) or not all(cells):
        return False
    return all(map(_WHOLE.fullmatch, cells)) or not any(map(_is_number, cells))


def ids_among(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The columns that are called ids and can be such, one that only counts the rows last."""
    found = [x for x in columns if is_called_id(x) and can_be_ids(columns[x])]
    return sorted(found, key=lambda x: not is_name(x, columns[x]))


def ids_of_frame(frame: Any) -> list[str]:
    """The columns of a data frame that are called ids and can be such."""
    called = [x for x in frame.columns if isinstance(x, str) and is_called_id(x)]
    return ids_among({x: [cell_text(cell_of(y)) or "" for y in list(frame[x])] for x in called})


def is_name(name: str, cells: Sequence[str]) -> bool:
    """False for a column without a name that counts the rows from 0 or 1, as pandas and spreadsheets write it."""
    nameless = re.fullmatch(r"|index|unnamed:_?\d+(?:_.*)?|level_\d+|row_?(?:no|nr|num|number)?", words_of(name))
    first = cells[0] if cells else ""
    return not (nameless and first in ("0", "1") and list(cells) == [str(int(first) + k) for k in range(len(cells))])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---------------------------------------------------------------------- roles


@dataclass(frozen=True)
class Role:
    """The part that a column plays.

    Parameters
    ----------
    option : str
        How readers call it.
    what : str
        What the column holds, for messages.
    names : tuple of str
        Names under which it is known, as `column_word` writes them. The first that occurs counts if `ranked`.
    ranked : bool
    """

    option: str
    what: str
    names: tuple[str, ...]
    ranked: bool = False

    def among(self, header: Iterable[str]) -> list[str]:
        """The columns that are called so, the best names first."""
        found = [x for x in header if column_word(x) in self.names]
        return sorted(found, key=lambda x: self.names.index(column_word(x))) if self.ranked else found


_PEOPLE = [
    "who",
    "person",
    "participant",
    "annotator",
    "worker",
    "rater",
    "respondent",
    "subject",
    "user",
    "judge",
    "observer",
    "session",
]
WHO = Role(
    "who",
    "the person",
    (
        *_PEOPLE,
        *(f"{x}_id" for x in _PEOPLE),
        *(f"{x}id" for x in _PEOPLE),
        "responseid",
        "response_id",
        "prolific_pid",
        "prolific_id",
        "pid",
        "ppid",
    ),
)
WHEN = Role(
    "when",
    "the time",
    ("when", "time", "timestamp", "date", "datetime", "answered_at", "created_at", "submitted_at", "recordeddate"),
)
#: Names of the response time, and how many of its unit make a second.
SECONDS_NAMES = {
    **dict.fromkeys(("seconds", "rt_s", "rt_seconds", "response_time_s", "reaction_time_s", "response_seconds"), 1.0),
    **dict.fromkeys(("milliseconds", "ms", "rt_ms", "response_time_ms", "reaction_time_ms"), 1000.0),
}
SECONDS = Role("seconds", "the response time", tuple(SECONDS_NAMES))
#: The answer where its name says that it is the odd one, and else.
ODD = Role("odd", "the odd one", ("odd", "odd_one_out", "oddoneout", "odd_one"))
ANSWER = Role(
    "answer",
    "the answer",
    (
        *(
            "answer",
            "response",
            "choice",
            "chosen",
            "selected",
            "selection",
            "selected_answer",
            "selected_item",
            "pick",
        ),
        *("picked", "resp", "reply", "decision", "judgement", "judgment", "clicked", "clicked_name", "key_resp.keys"),
        *("mouse.clicked_name", "button_pressed", "selected_option", "choice_made", "user_answer", "given_answer"),
    ),
)
#: What two others are compared with. The words of the second line name other things as well.
ANCHOR = Role(
    "anchor",
    "the anchor",
    (
        *("anchor", "reference", "ref", "query", "target", "probe", "standard", "head", "cue", "anchor_item"),
        *("center", "centre", "top", "x", "sample", "stimulus", "base", "main", "prompt"),
    ),
)
_SURE_ANCHORS = frozenset(ANCHOR.names[:10])
#: Two columns of which the first is the nearer one.
NEAR_FAR = (
    *(("near", "far"), ("positive", "negative"), ("pos", "neg"), ("winner", "loser"), ("closer", "farther")),
    *(("chosen", "unchosen"), ("chosen", "rejected"), ("more_similar", "less_similar"), ("similar", "dissimilar")),
)
_SIDES = re.compile(
    r"(?:(.*?)_?)(1|2|3|a|b|c|left|right|middle|l|r|first|second|third|0)(?:_?(image|img|item|word|pic)?)"
)
_SIDE = re.compile(r"_?(?:1|a|l|left|first|0)$")
_ID_END = re.compile(r"(?:.*_)?(?:id|uid|uuid|key)")
_TWO = (("1", "2", "3"), ("a", "b", "c"), ("left", "right", "middle"), ("l", "r", "m"), ("first", "second", "third"))


#: The link of two samples, and the probability that they are the same, as programs for record linkage write it.
LINK = Role("link", "the link", ("link", "same", "match", "is_match", "matched", "linked", "duplicate", "is_duplicate"))
PROBABILITY = Role(
    "link",
    "the probability of a match",
    ("match_probability", "probability", "prob", "p_match", "clerical_match_score"),
    ranked=True,
)


def pair_columns(names: Sequence[str]) -> tuple[str, str, str] | None:
    """The columns of two ids (unique_id_l and unique_id_r, rec_id_1 and rec_id_2) and of their link or probability."""
    pairs = [x for x in option_pairs(names) if _ID_END.fullmatch(_SIDE.sub("", words_of(x[0])))]
    links = PROBABILITY.among(names)[:1] or LINK.among(names)
    return (*pairs[0], links[0]) if len(pairs) == len(links) == 1 else None


def is_sure_anchor(name: str) -> bool:
    """True if a column's name says that two others are compared with it, and nothing else."""
    return column_word(name) in _SURE_ANCHORS


def option_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of columns that are called like two options, and no third: left and right, option1 and option2, A and B."""
    stems: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        found = _SIDES.fullmatch(words_of(name)) or _SIDES.fullmatch(column_word(name))
        if found is not None:
            stems.setdefault((found[1] or "", found[3] or ""), {})[found[2]] = name
    pairs = [
        (ends[a], ends[b]) for ends in stems.values() for a, b, c in _TWO if a in ends and b in ends and c not in ends
    ]
    return pairs + [
        (ends["0"], ends["1"]) for ends in stems.values() if "0" in ends and "1" in ends and "2" not in ends
    ]
