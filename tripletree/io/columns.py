"""What the columns of a table are called, and what their cells mean: one list of names for every reader of tables.

A reader asks a `Role` for the column that plays it. Words for no value are in `tripletree.core.labels`, those for links
in `tripletree.io.pairs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tripletree.io.table import column_word

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
