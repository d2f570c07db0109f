"""Flat labels (classes, clusters) as integer codes, and which sample each leaf is. Used by scores and drawings."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tripletree.core.checks import is_missing
from tripletree.core.leaves import LeafIndex
from tripletree.errors import SHOWN, DuplicateLeafError, InvalidLabelsError, UnknownLeafError, warn_user

#: Cells without a value, in lower case: one list for every reader of tables.
GAPS = frozenset({"", "na", "n/a", "nan", "<na>", "null", "none", "?", "-"})
#: Classes that say that no class is known. scikit-learn writes -1.
CLASS_GAPS = GAPS | {"-1", "-1.0", "unknown", "unlabelled", "unlabeled"}
#: What programs write for the parent of a root.
NO_PARENT = frozenset({"-1", "0", "#"})
#: Words that are no taxon and no class, in lower case, with blanks between: alone, or in placeholders before a taxon.
NOT_KNOWN = (
    r"uncultured|uncultivated|unculturable|unclassified|unassigned|unidentified|undetermined|undefined|unknown"
    r"|unplaced|unnamed|undescribed|unspecified|unranked|unallocated|unresolved|uncategori[sz]ed|norank|no[\s-]rank"
    r"|no[\s-]?(?:blast\s)?(?:hit|match)(?:s|es)?|uncl(?:ass)?\.|unid(?:ent)?\.|unkn?\.?"
    r"|not\s(?:assigned|available|applicable|categori[sz]ed|classified|determined|elsewhere\sclassified|given"
    r"|identified|known|present|provided|ranked|specified)"
)
#: The same in other languages, as whole names: each stands for no taxon and for no class.
NOT_KNOWN_ABROAD = (
    r"unbekannt|unbestimmt|unklar|unklassifiziert|k\.\s?a\.|keine\s(?:angabe|angaben|daten|zuordnung)"
    r"|nicht\s(?:bekannt|bestimmt|bestimmbar|klassifiziert|zugeordnet)|inconnue?|indéterminée?|non\s(?:classée?|connue?"
    r"|déterminée?|identifiée?|renseignée?)|desconocid[oa]|sin\s(?:clasificar|datos|identificar)"
    r"|no\s(?:clasificad|identificad|determinad|disponible)[oa]?|sconosciut[oa]|non\s(?:classificat|identificat|noto)[oa]?"
    r"|desconhecid[oa]|não\s(?:classificad|identificad|informad)[oa]|onbekende?"
    r"|niet\s(?:bekend|bepaald|geclassificeerd)|geen\sgegevens|okända?|oklassificerad|ukjent|ukendt|tuntematon"
    r"|luokittelematon|nieznan[yae]|nieokreślon[yae]|niesklasyfikowan[yae]|brak(?:\sdanych)?|neznám[ýáé]|neurčen[ýáoé]"
    r"|neza[řr]aden[ýáoé]|nezařazen[ýáoé]|bilinmiyor|bilinmeyen|belirsiz"
    r"|неизвестн(?:о|ый|ая)|не\s(?:определ[её]н|указан|классифицирован)[оаы]?|нет\sданных|невідомо|未知|不明|不详|不詳|未分类|未分類"
    r"|未同定"
)
#: What stands for a name that is to come, or was not given, as a whole name: for no taxon and for no class.
NOT_YET = (
    r"tb[acd]\.?|t\.b\.[acd]\.|to\sbe\s(?:announced|assigned|classified|confirmed|decided|defined|determined|done|filled(?:\sin)?"
    r"|identified|named|specified)|pending|n\.\s?[adn]\.|not\s(?:yet\s\w+|sure|clear|labell?ed|annotated)|unsure|uncertain|unclear"
    r"|undecided|unlabell?ed|unannotated|missing|\?{2,}|-{2,}|\.{2,3}"
    r"|no\s(?:name|class|label|answer|idea|data|value|id|identification)"
)
_NO_CLASS = re.compile(
    rf"{NOT_KNOWN}|{NOT_KNOWN_ABROAD}|{NOT_YET}|(?:indet|undet)\.?|indetermina(?:te|ble)|ambiguous|incertae\ssedis|k\.?a\.?"
    r"|keine\sklasse|fehlt|\.|…|(?:do\snot|don'?t|don’t)\sknow"
)
#: Codes for no value, if they stand apart from the other codes.
_SENTINELS = frozenset({-9.0, -99.0, -999.0, -9999.0, 999.0, 9999.0})
#: Codes that may stand for no value, far from classes that are counted from 0 or 1.
_NINES = frozenset({9.0, 99.0, 98.0, 88.0, 77.0, 97.0})
#: Gaps that may be classes as well, as in -1 and +1: if nothing else were left of the classes, nothing is guessed.
_SIGNS = frozenset({"-1", "-1.0", "-", "?"})
#: Gaps that nobody takes for a class. Taking any other code for a gap is told.
_PLAIN_GAPS = GAPS - {"?", "-"}
_AS_CLASS, _AS_GAP = "missing=[] makes it a class", "missing=[{!r}]"


def is_gap(text: str, gaps: frozenset[str] = GAPS) -> bool:
    """Tell whether the text of a cell stands for no value."""
    return text.strip().lower() in gaps


def gap_words(missing: Any, gaps: frozenset[str] = GAPS) -> frozenset[str]:
    """Return the words for no value: of ``missing=``, else the known words. An empty text is always among them."""
    if missing is None:
        return gaps
    words = [missing] if isinstance(missing, str) or not hasattr(missing, "__iter__") else list(missing)
    return frozenset({"", *(str(x).strip().lower() for x in words)})


def label_codes(labels: Any, name: str) -> tuple[np.ndarray, list[Any]]:
    """Return the labels as codes 0..k-1 (int64, -1 if missing), and the k different labels, sorted if possible.

    A list is coded by equality of its entries and not turned into an array, which would make 1 and "1" the same label.
    """
    if isinstance(labels, (str, bytes, Mapping)) or not hasattr(labels, "__iter__"):
        msg = f"{name} must be a sequence of labels, one for each sample, not {labels!r:.80}"
        raise InvalidLabelsError(msg)
    if hasattr(labels, "__array__"):
        array = np.asarray(labels)
        if array.ndim != 1:
            msg = f"{name} must be one-dimensional, a label for each sample; its shape is {array.shape}"
            raise InvalidLabelsError(msg)
        if array.dtype.kind in "biuUS":
            unique, codes = np.unique(array, return_inverse=True)
            return codes.astype(np.int64, copy=False), unique.tolist()
        labels = array.tolist()
    entries = list(labels)
    number: dict[Hashable, int] = {}
    codes = np.empty(len(entries), np.int64)
    for i, x in enumerate(entries):
        try:
            codes[i] = -1 if is_missing(x) else number.setdefault(x, len(number))
        except (TypeError, ValueError):
            msg = f"entry {i} of {name} is {x!r:.80}: a label must be a hashable value"
            raise InvalidLabelsError(msg, position=i) from None
    return _in_order(codes, list(number))


def class_codes(
    classes: Any, name: str, missing: Any = None, cure: str = _AS_CLASS, mark: str = _AS_GAP
) -> tuple[np.ndarray, list[Any]]:
    """Code classes as `label_codes` does, and take the words for no class (`CLASS_GAPS`, or `missing`) for -1, too.

    A gap that could be a class is told, and a class that could be a gap. If it decides whether there are two classes,
    as in -1 and +1, it is refused. `cure` and `mark` say what makes one of the other.
    """
    found = without_gaps(*label_codes(classes, name), name, missing, cure)
    if missing is None and not isinstance(classes, KnownClasses):
        tell_doubtful(*found, name, mark)
    return found


def without_gaps(
    codes: np.ndarray, known: list[Any], name: str, missing: Any = None, cure: str = _AS_CLASS
) -> tuple[np.ndarray, list[Any]]:
    """Return the codes of `label_codes`, or some of them, without the words for no class (see `class_codes`)."""
    words = gap_words(missing, CLASS_GAPS)
    count = np.bincount(codes[codes >= 0], minlength=len(known))
    is_class = ~_class_gaps(known, words)
    gaps = np.flatnonzero(~is_class & (count > 0)).tolist()
    if gaps and missing is None:
        _tell_gaps([(known[k], int(count[k])) for k in gaps], codes.size, known, is_class & (count > 0), name, cure)
    if is_class.all():
        return codes, known
    number = np.append(np.where(is_class, np.cumsum(is_class) - 1, -1), -1)
    return number[codes], [x for x, kept in zip(known, is_class.tolist(), strict=True) if kept]


class KnownClasses(list[Any]):
    """The class of each sample, None if it is not known: what is doubtful about them has been told."""


def classes_or_none(codes: np.ndarray, known: Sequence[Any]) -> KnownClasses:
    """The class of each sample, None if it is not known. One that is called like a gap gets another name."""
    gaps = _class_gaps(known, CLASS_GAPS).tolist()
    taken, names = set(map(str, known)), []
    for x, gap in zip(known, gaps, strict=True):
        name = x
        while gap and (name is x or name in taken):
            name = f"class {name}"
        taken.add(str(name))
        names.append(name)
    return KnownClasses([None if k < 0 else names[k] for k in codes.tolist()])


def _class_gaps(known: Sequence[Any], words: frozenset[str]) -> np.ndarray:
    """Which classes say that no class is known. Codes that stand apart do, too, where the words are the usual ones."""
    usual, numbers = words is CLASS_GAPS, {x for x in map(_number, words) if x is not None}
    gaps = np.array([_is_class_gap(x, words, numbers, usual) for x in known], np.bool_)
    if not usual:
        return gaps
    values = [None if gap else _number(x) for x, gap in zip(known, gaps.tolist(), strict=True)]
    codes = [x for x in values if x is not None and x not in _SENTINELS]
    texts = any(x is None and not gap for x, gap in zip(values, gaps.tolist(), strict=True))
    if not codes and not texts:
        return gaps
    least, most = min(codes, default=0.0), max(codes, default=0.0)
    for k, x in enumerate(values):
        if x == 0:
            gaps[k] = texts and least == most == 0  # 0 among names
        elif x in _SENTINELS:
            gaps[k] = least >= 0 and (x < 0 or most <= x / 2)
    return gaps


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\s*[-+]?[0-9.]*[0-9]\s*", value) and value.count(".") < 2 else None
    return float(value) if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) else None


def _is_class_gap(value: Any, words: frozenset[str], numbers: set[float], usual: bool) -> bool:
    if isinstance(value, str):
        return is_gap(value, words) or (usual and says_nothing(value))
    if isinstance(value, (bool, np.bool_)):
        return False
    return value in numbers if isinstance(value, (int, float, np.number)) else is_gap(str(value), words)


@lru_cache(4096)
def says_nothing(text: str) -> bool:
    """Whether words say that no class, no taxon or no answer is known: "not assigned", "keine Angabe", "tbd"."""
    form = re.sub(r"(?<=\w)[\s_-]+(?=\w)", " ", text.strip(" \t\n[]()<>'\"").lower())
    return _NO_CLASS.fullmatch(form) is not None


def _tell_gaps(
    gaps: list[tuple[Any, int]], n: int, known: list[Any], is_class: np.ndarray, name: str, cure: str
) -> None:
    """Warn of codes taken for no class that could be classes. Refuse one that could be beside one other class alone."""
    told = [(x, m) for x, m in gaps if not is_gap(str(x), _PLAIN_GAPS)]
    rest = np.flatnonzero(is_class).tolist()
    sign = next((x for x, _ in told if is_gap(str(x), _SIGNS) or not is_gap(str(x), CLASS_GAPS)), None)
    if sign is not None and len(rest) == 1:
        msg = (
            f"{name}: {sign!r} and {known[rest[0]]!r} alone; is {sign!r} a class, or does it mark samples without one? "
            f"Write None where no class is known; or {cure}"
        )
        raise InvalidLabelsError(msg)
    if told:
        shown = ", ".join(f"{x!r} ({m:,} of {n:,})" for x, m in told[:SHOWN])
        warn_user(f"{name}: {shown} is taken for no class; {cure}")


def tell_doubtful(codes: np.ndarray, known: list[Any], name: str, mark: str = _AS_GAP) -> None:
    """Warn of a code such as 9 or 99 far from the other classes, and of measured numbers in the place of classes."""
    count = np.bincount(codes[codes >= 0], minlength=len(known))
    order = np.flatnonzero(count).tolist()
    values = {k: x for k in order if (x := _number(known[k])) is not None}
    if len(values) < len(order) or len(order) < 3:
        return
    if not all(x == int(x) for x in values.values() if np.isfinite(x)):
        if 2 * len(order) > count.sum():
            warn_user(
                f"{name}: {len(order):,} different numbers for {count.sum():,} samples, with decimals, are taken for "
                "classes: measured numbers belong into the features"
            )
        return
    *rest, last = sorted(order, key=values.__getitem__)
    most = values[rest[-1]]
    if values[last] in _NINES and values[rest[0]] in (0, 1) and most <= values[last] / 2 and most <= len(rest):
        others = ", ".join(repr(known[k]) for k in rest[:SHOWN])
        warn_user(
            f"{name}: {known[last]!r} ({count[last]:,} of {count.sum():,}) is taken for a class, beside {others}; "
            f"if it marks samples without one: {mark.format(known[last])}"
        )


def _in_order(codes: np.ndarray, known: list[Any]) -> tuple[np.ndarray, list[Any]]:
    try:
        order = sorted(range(len(known)), key=known.__getitem__)
    except TypeError:
        return codes, known
    rank = np.empty(len(known) + 1, np.int64)
    rank[order] = np.arange(len(known))
    rank[-1] = -1
    return rank[codes], [known[i] for i in order]


def series_index(labels: Any) -> list[Any] | None:
    """Return the index of a pandas Series. None for anything else."""
    if type(labels).__name__ == "Series" and hasattr(labels, "index") and hasattr(labels.index, "tolist"):
        return labels.index.tolist()
    return None


def in_order_of_first(codes: np.ndarray) -> np.ndarray:
    """The same groups as 0..k-1, in the order of their first members."""
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def aligned_codes(
    labels: Any, leaves: LeafIndex, name: str, code: Callable[[Any, str], tuple[np.ndarray, list[Any]]] = label_codes
) -> tuple[np.ndarray, list[Any]]:
    """Code one label for each leaf as `label_codes` does: from a sequence in leaf order, or a mapping by leaf label.

    Leaves that are not in the mapping have no label. A pandas Series with the leaves as its index is such a mapping.
    `code` is `class_codes` if there are words for no class.
    """
    index = series_index(labels)
    if index is not None and len(index) == len(leaves) == len(set(index)) and all(x in leaves for x in index):
        labels = dict(zip(index, labels.tolist(), strict=True))
    if isinstance(labels, Mapping):
        unknown = [x for x in labels if x not in leaves]
        if unknown:
            raise UnknownLeafError(unknown, leaves.labels, what=f"keys of {name}")
        return code([labels.get(x) for x in leaves], name)
    codes, known = code(labels, name)
    if codes.size != len(leaves):
        msg = f"{name} must have one entry for each of the {len(leaves)} leaves; got {codes.size}"
        raise InvalidLabelsError(msg)
    return codes, known


def clusters_of(labels: Any, name: str) -> tuple[Any, str]:
    """Return cluster labels and a name for messages. An estimator gives them by sample label if it kept the labels."""
    if isinstance(labels, type) or not hasattr(labels, "fit"):
        return labels, name
    model, labels = labels, getattr(labels, "labels_", None)
    if labels is None:
        msg = f"this {type(model).__name__} has no labels_: fit it first, or give the cluster of each sample"
        raise InvalidLabelsError(msg)
    for kept in ("pairs_", "violated_pairs_", "hierarchy_"):
        leaves = getattr(getattr(model, kept, None), "leaves", ())
        if len(leaves) == len(labels):
            return dict(zip(leaves, np.asarray(labels).tolist(), strict=True)), "the estimator's labels_"
    return labels, "model.labels_"


def leaf_positions(constraints: Any, labels: Any, name: str, what: str) -> np.ndarray:
    """Return the position among some labels of each leaf that occurs in constraints, -1 for the other leaves.

    Parameters
    ----------
    constraints : TripletSet or PairwiseConstraints
    labels : sequence, mapping or pandas Series
        One entry for each sample. The samples are the keys, the index, or the positions. If the leaves in constraints
        are not positions, and there are as many leaves as entries, the entries are in leaf order.
    name : str
        Name of `labels`, for messages.
    what : {"pair", "triplet"}

    Returns
    -------
    ndarray of int64, shape (len(constraints.leaves),)
    """
    if isinstance(labels, Iterator):
        msg = f"{name} can be read once only, and is read several times: give list({name})"
        raise TypeError(msg)
    used = constraints.used_leaves
    named = [constraints.leaves[i] for i in used.tolist()]
    samples = list(labels) if isinstance(labels, Mapping) else series_index(labels)
    if samples is None or samples == list(range(len(samples))):
        n = len(labels) if isinstance(labels, Mapping) else label_codes(labels, name)[0].size
        at = _positions(named, used, len(constraints.leaves), n, name, what)
    else:
        at = _positions_in_index(named, samples, name, what)
    number = np.full(len(constraints.leaves), -1)
    number[used] = at
    return number


def row_codes(labels: Any, rows: np.ndarray, name: str, what: str) -> np.ndarray:
    """Return the labels as codes. Raise an InvalidLabelsError if one is missing that occurs in rows of positions."""
    codes, _ = label_codes(list(labels.values()) if isinstance(labels, Mapping) else labels, name)
    missing = rows[codes[rows] < 0]
    if missing.size:
        i = int(missing.min())
        where = f"key {list(labels)[i]!r}" if isinstance(labels, Mapping) else f"entry {i}"
        msg = f"{where} of {name} is missing, and its sample is in a {what}: leave out its {what}s with restrict()"
        raise InvalidLabelsError(msg, position=i)
    return codes


def _positions(named: list, used: np.ndarray, n_leaves: int, n: int, name: str, what: str) -> np.ndarray:
    """Return the positions of leaves that are positions 0..n-1 themselves, or are in the order of the entries."""
    whole = [isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in named]
    if all(whole) and all(0 <= x < n for x in named):
        return np.array(named, np.int64)
    if n == n_leaves and not all(whole):
        return used
    if all(whole):
        unknown = [x for x in named if not 0 <= x < n]
        raise UnknownLeafError(unknown, range(n), what=f"{what}s' samples ({name} has {n} entries)")
    msg = (
        f"{name} has {n} entries, and the {what}s have {n_leaves} leaves that are not positions ({named[0]!r}, ...): "
        f"give a mapping from samples to labels or a pandas Series, pd.Series({name}, index=X.index)"
    )
    raise InvalidLabelsError(msg)


def _positions_in_index(named: list, samples: Sequence[Any], name: str, what: str) -> np.ndarray:
    """Return the positions of leaves among the keys or the index, in which each must occur once."""
    position = dict(zip(reversed(samples), range(len(samples) - 1, -1, -1), strict=True))
    unknown = [x for x in named if x not in position]
    if unknown:
        raise UnknownLeafError(unknown, list(position)[::-1], what=f"{what}s' samples, by the index or keys of {name}")
    if len(position) < len(samples):
        some, twice = set(named), set()
        for i, x in enumerate(samples):
            if position[x] != i and x in some:
                twice.add(x)
        if twice:
            raise DuplicateLeafError(list(twice), where=f" in the index of {name}, named by the {what}s")
    return np.array([position[x] for x in named], np.int64)
