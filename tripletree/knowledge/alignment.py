"""Statements of all kinds aligned with the rows of X, in one way for all estimators, and errors if they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

import numpy as np

from tripletree.algorithms.clades import CladeMatches, match_clades
from tripletree.algorithms.names import plain_form
from tripletree.algorithms.supervision import comparison_rows
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.checks import counted, described, row_count, where_to_read
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy, check_rooted, peer_converter
from tripletree.core.labels import aligned_codes, class_codes, series_index
from tripletree.core.leaves import LeafIndex, no_label, other_form, repeated
from tripletree.core.notes import on_labels
from tripletree.core.pairs import PairwiseConstraints, label_pairs
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InvalidPairError,
    InvalidTripletError,
    ParseError,
    UnknownLeafError,
    warn_user,
)

#: The class that holds each, for messages.
_VALUE = {"triplets": "TripletSet", "pairs": "PairwiseConstraints", "comparisons": "Comparisons"}


@dataclass(frozen=True, eq=False)
class RowNames:
    """Names of the rows of X that are given apart from it. Stands in for X in the functions below."""

    labels: list[Any]


def named(X: Any, sample_names: Any) -> Any:
    """The names as `RowNames`, checked, if they are given apart from X (or without any). Otherwise X itself."""
    if sample_names is None:
        return X
    if isinstance(sample_names, (str, bytes, set, frozenset)) or not isinstance(sample_names, Iterable):
        whose = "sample" if X is None else "row of X"
        msg = f"sample_names must be a list with a name for each {whose}, not {type(sample_names).__name__}"
        raise TypeError(msg)
    names = RowNames(list(sample_names))
    wrong = next(filter(None, map(no_label, names.labels)), None)
    if wrong is not None:
        msg = f"sample_names: {wrong}"
        raise ValueError(msg)
    if X is None:
        return names
    n = row_count(X)
    if len(names.labels) != n:
        msg = f"sample_names has {len(names.labels)} names, X has {n} rows: give one name for each row"
        raise ValueError(msg)
    return names


def align_triplets(X: Any, triplets: Any, n_samples: int, *, missing_samples: str | None = None) -> TripletSet:
    """The triplets over the samples of X: index i is row i and has its label.

    Parameters
    ----------
    X : object
        The samples as the user gave them. Rows of a DataFrame (pandas) have the labels of its index, rows of anything
        else the labels 0..n-1.
    triplets : TripletSet, iterable of (a, b, c), data frame, Arrow table or stream, ndarray of int (m, 3), or None
        Labels, except for the integer array, which holds row numbers.
    n_samples : int
        Number of rows.
    missing_samples : {"raise", "ignore"} or None
        How to treat triplets on labels that are not in the index of X. Row numbers out of range always raise, and an
        index 0..n-1 counts as row numbers. None is "raise" for callers that have no such parameter, which the message
        then does not mention.

    Returns
    -------
    TripletSet
        Its leaf index holds the n samples. They are labelled 0..n-1 if the index of X has repeats and no triplet
        refers to it.
    """
    given, length = _as_set_or_rows(triplets)
    return _aligned(X, given, n_samples, missing_samples, "triplets", TripletSet, length)


def align_comparisons(X: Any, comparisons: Any, n_samples: int, *, missing_samples: str | None = None) -> Comparisons:
    """Comparisons over the samples of X.

    Parameters
    ----------
    X, n_samples, missing_samples
        As for `align_triplets`.
    comparisons : Comparisons, iterable of (anchor, near, far), data frame, or ndarray of int (m, 3)
        Labels, except for the integer array, which holds row numbers.

    Returns
    -------
    Comparisons
    """
    if isinstance(comparisons, np.ndarray) and comparisons.ndim == 2 and comparisons.dtype.kind in "iu":
        if comparisons.shape[1] != 3:
            msg = f"comparisons must have shape (m, 3), a row (anchor, near, far) each; got shape {comparisons.shape}"
            raise InvalidTripletError(msg)
        made = _aligned(X, comparisons, n_samples, missing_samples, "comparisons", TripletSet)
        return Comparisons(comparisons, made.leaves)
    given = as_comparisons(comparisons)
    distinct = given.votes()
    length = None if isinstance(comparisons, Comparisons) else len(distinct)  # a list can be cut by cross-validation
    votes = _aligned(X, distinct, n_samples, missing_samples, "comparisons", TripletSet, length)
    names = [_name_in(x, votes.leaves) for x in given.leaves]
    return given.over(np.array([votes.leaves.index(x) if x in votes.leaves else -1 for x in names]), votes.leaves)


def as_comparisons(comparisons: Any) -> Comparisons:
    """Comparisons as users give them: a value, a data frame, or rows of labels (anchor, near, far)."""
    if hasattr(comparisons, "columns") and hasattr(comparisons, "__getitem__"):
        from tripletree.io import read_comparisons

        return read_comparisons(comparisons)
    cure = (
        ": give it as triplets=" if isinstance(comparisons, TripletSet) else where_to_read(comparisons, "comparisons")
    )
    if cure:
        msg = f"comparisons must be rows (anchor, near, far), not {described(comparisons)}{cure}"
        raise TypeError(msg)
    return comparisons if isinstance(comparisons, Comparisons) else Comparisons(*comparison_rows(comparisons))


def align_pairs(X: Any, pairs: Any, n_samples: int, *, missing_samples: str | None = None) -> PairwiseConstraints:
    """The pairs over the samples of X: index i is row i and has its label.

    Parameters
    ----------
    X, n_samples, missing_samples
        As for `align_triplets`.
    pairs : PairwiseConstraints, data frame, two lists (must_link, cannot_link), or None
        A frame as `read_pairs` takes it, also a Series or an index of recordlinkage. Each list of pairs (a, b) of
        labels, or an ndarray of int of shape (p, 2), which holds row numbers, or None.

    Returns
    -------
    PairwiseConstraints
        Its leaf index holds the n samples. They are labelled 0..n-1 if the index of X has repeats and no pair
        refers to it.
    """
    parts = [
        _aligned(X, given, n_samples, missing_samples, "pairs", make) for given, make in as_pairs(pairs, by_row=True)
    ]
    return parts[0] if len(parts) == 1 else parts[0] | parts[1]


def as_pairs(pairs: Any, *, by_row: bool) -> list[tuple[Any, Callable[[Any, Any], PairwiseConstraints]]]:
    """Return the pairs by label, and how pairs over other leaves are made. Two lists give must- and cannot-links apart.

    Integer arrays stay as they are if they hold row numbers.
    """
    if pairs is None:
        return [(PairwiseConstraints([], [], 0), _must_links)]
    if is_frame_of_pairs(pairs):
        from tripletree.io import read_pairs

        pairs = read_pairs(pairs)
    if isinstance(pairs, PairwiseConstraints):
        return [(pairs, _must_links)]
    if (
        isinstance(pairs, (str, bytes, Mapping))
        or not isinstance(pairs, Sequence)
        or len(pairs) != 2
        or any(isinstance(x, (list, tuple)) and len(x) == 3 and isinstance(x[2], (str, int, float)) for x in pairs)
    ):
        raise TypeError(_not_pairs(pairs))
    parts: list[tuple[Any, Callable[[Any, Any], PairwiseConstraints]]] = []
    for rows, make, kind in zip(pairs, (_must_links, _cannot_links), ("must-link", "cannot-link"), strict=True):
        if (
            by_row
            and isinstance(rows, np.ndarray)
            and rows.ndim == 2
            and rows.shape[1] == 2
            and rows.dtype.kind in "iu"
        ):
            parts.append((rows, make))
        else:
            parts.append((PairwiseConstraints.from_labels(**{kind.replace("-", "_"): label_pairs(rows, kind)}), make))
    return parts


def is_frame_of_pairs(pairs: Any) -> bool:
    """True for what `read_pairs` takes beside files: a data frame, an index of pairs, or a Series with one."""
    index = pairs if hasattr(pairs, "levels") else getattr(pairs, "index", None)
    return (hasattr(pairs, "columns") and hasattr(pairs, "__getitem__")) or getattr(index, "nlevels", 1) == 2


def _not_pairs(value: Any) -> str:
    """The message for a value that cannot be understood as pairs."""
    given = described(value)
    if isinstance(value, (list, tuple)) and value:
        given = f"{type(value).__name__} of {len(value)} entries, {value[0]!r:.60} the first"
    needed = (
        "pairs must be a PairwiseConstraints, a data frame with columns a, b and link, or two lists (must_link, "
        f"cannot_link) of pairs (a, b), not {given}"
    )
    cure = where_to_read(value, "pairs") or (": give answers.pairs()" if isinstance(value, AnswerSet) else "")
    return needed + (
        cure
        or "; make them with PairwiseConstraints.from_labels(must_link=[(a, b), "
        "...], cannot_link=[...]), PairwiseConstraints.from_signed([(a, b), ...], [1, -1, ...]) or read_pairs(path)"
    )


def _must_links(rows: Any, leaves: Any) -> PairwiseConstraints:
    return PairwiseConstraints(rows[:, :2], [], leaves)


def _cannot_links(rows: Any, leaves: Any) -> PairwiseConstraints:
    return PairwiseConstraints([], rows[:, :2], leaves)


#: Advice that keeps more than leaving constraints out.
_FROM = {
    "triplets": (
        "; this loses many triplets of a hierarchy: give "
        "decompose(hierarchy.restrict(samples)), or the hierarchy itself where fit takes one"
    ),
    "pairs": "",
    "comparisons": "",
}


def _aligned(
    X: Any,
    given: Any,
    n_samples: int,
    missing_samples: str | None,
    noun: str,
    make: Callable[[Any, Any], Any],
    length: int | None = None,
) -> Any:
    """Triplets or pairs over the samples of X. `make` makes them of rows and leaves."""
    rows_of = LeafIndex(n_samples)
    labels = index_labels(X)
    indexed = labels is not None
    if labels is not None and labels == list(rows_of):
        labels = None
    if isinstance(given, np.ndarray):
        if labels is not None and all(isinstance(x, int) for x in labels):
            msg = (
                f"{noun} are an integer array, which means row numbers, but the index of X holds integers other than "
                f"0..{n_samples - 1}: give tuples of labels or a {_VALUE[noun]} for labels of the index, or X as an "
                "array (X.to_numpy()) for row numbers"
            )
            raise InvalidPairError(msg) if noun == "pairs" else InvalidTripletError(msg)
        unknown = np.unique(given[(given < 0) | (given >= n_samples)]).tolist()
        if unknown:
            raise UnknownLeafError(unknown, rows_of.labels, what=_rows_text(n_samples, unknown, indexed, noun))
        return make(given.astype(np.int64), rows_of if labels is None or _repeats(labels) else labels)
    nothing = np.empty((0, 3), np.int32)
    if labels is None:
        _check_rows(given, rows_of, indexed, noun)
        return given.reindex(rows_of) if len(given) else make(nothing, rows_of)
    if len(given) == 0 and _repeats(labels):
        return make(nothing, rows_of)
    leaves = index_leaves(labels, f", to which {noun} refer")
    given = _as_in(given, leaves)
    unknown = [x for x in (given.leaves[i] for i in given.used_leaves.tolist()) if x not in leaves]
    if unknown and missing_samples == "ignore":
        if length == n_samples:
            _warn_of_slices(length)
        given = given.restrict([x for x in given.leaves if x in leaves])
    elif unknown:
        hint = f"missing_samples='ignore' leaves out the {noun} that name them{_FROM[noun]}" if missing_samples else ""
        raise UnknownLeafError(unknown, leaves.labels, what="labels in the index of X", hint=hint)
    return given.reindex(leaves) if len(given) else make(nothing, leaves)


def _as_in(given: Any, leaves: LeafIndex) -> Any:
    """Triplets or pairs with whole numbers written as in the index of X: "101" and 101 are one name."""
    meant = [_name_in(x, leaves) for x in given.leaves]
    if all(x is y for x, y in zip(meant, given.leaves, strict=True)):
        return given
    known = LeafIndex(dict.fromkeys(meant))  # fewer, where both forms occur
    return given.over(known.indices(meant), known)


def _name_in(label: Any, leaves: LeafIndex) -> Any:
    """The label, or its other form as a whole number if that alone is among the leaves."""
    if label in leaves:
        return label
    other = other_form(label)
    return label if other is None or other not in leaves else other


def check_same_rows(X: Any, sample_weight: Any) -> None:
    """Refuse a Series of weights for the rows of X with other rows, or in another order, by its index."""
    labels, own = index_labels(X), series_index(sample_weight)
    if labels is not None and own is not None and own != labels:
        msg = (
            "the index of sample_weight differs from the index of X, row by row: give sample_weight.loc[X.index], or "
            "sample_weight.to_numpy() if its values are in the order of X"
        )
        raise ValueError(msg)


def check_distinct(X: Any) -> None:
    """Raise if an index holds a label twice and an oracle is asked by its labels."""
    _check_distinct(X, "by which the oracle is asked")


def _check_distinct(X: Any, why: str) -> None:
    labels = index_labels(X)
    if labels is not None and _repeats(labels):
        index_leaves(labels, f", {why}")


def _warn_of_slices(length: int) -> None:
    msg = (
        f"there are {length} triplets, as many as samples, and some name samples that X does not have: where a whole "
        "set of triplets is as long as the whole X, scikit-learn's cross-validation cuts it like sample weights, and "
        "part of it is lost; repeat one triplet in the list (repeats count once), so that the lengths differ"
    )
    warn_user(msg)


def index_labels(X: Any) -> list | None:
    """Return the labels in the index of a DataFrame, or the labels given apart from X. None for rows without labels."""
    if isinstance(X, RowNames):
        return X.labels
    if hasattr(X, "columns") and hasattr(getattr(X, "index", None), "tolist"):
        return X.index.tolist()
    return None


def index_leaves(labels: list, why: str = "") -> LeafIndex:
    """The labels in the index of X as leaves. An error that two are the same ends in `why` this matters."""
    try:
        return LeafIndex(labels)
    except DuplicateLeafError as error:
        raise DuplicateLeafError(error.labels, where=f" in the index of X{why}") from None


def _repeats(labels: list) -> bool:
    return len(set(labels)) < len(labels)


def _as_set_or_rows(triplets: Any) -> tuple[TripletSet | np.ndarray, int]:
    """A TripletSet of labels, or an integer array of row numbers, and how many rows a list or table has, else -1."""
    if triplets is None:
        return TripletSet([], 0), 0
    if isinstance(triplets, TripletSet):
        return triplets, -1  # never cut by cross-validation
    is_arrow = hasattr(triplets, "__arrow_c_stream__") and not hasattr(triplets, "to_numpy")
    if is_arrow or (hasattr(triplets, "columns") and hasattr(triplets, "__getitem__")):
        table = _of_frame(triplets)
        return table, len(triplets) if hasattr(triplets, "__len__") else len(table)
    if isinstance(triplets, np.ndarray):
        if triplets.ndim != 2 or triplets.shape[1] != 3:
            msg = f"triplets must have shape (m, 3), a row (a, b, c) for ab|c; got shape {triplets.shape}"
            raise InvalidTripletError(msg)
        if triplets.dtype.kind in "iu" or triplets.size == 0:
            return triplets.astype(np.int64) if triplets.size == 0 else triplets, triplets.shape[0]
        if triplets.dtype.kind not in "OUT":
            msg = f"triplets must hold integers (row numbers) or labels, not {triplets.dtype}"
            raise InvalidTripletError(msg)
        triplets = triplets.tolist()
    cure = where_to_read(triplets, "triplets")
    if cure or isinstance(triplets, (AnswerSet, Comparisons)) or not isinstance(triplets, Iterable):
        if isinstance(triplets, AnswerSet):
            cure = ": give answers.triplets(), which they say"
        elif isinstance(triplets, Comparisons):
            cure = ": give it as comparisons="
        msg = (
            "triplets must be a TripletSet, tuples (a, b, c) of labels or an integer array of shape (m, 3), "
            f"not {described(triplets)}{cure}"
        )
        raise TypeError(msg)
    entries = list(triplets)
    if entries and all(isinstance(x, Answer) for x in entries):
        msg = "triplets are labels (a, b, c), not answers: give AnswerSet(answers).triplets(), which they say"
        raise TypeError(msg)
    return TripletSet.from_labels(entries), len(entries)


def _of_frame(frame: Any) -> TripletSet:
    """The triplets in a data frame, or a table or stream of Arrow. Labels of a frame may be of any kind."""
    from tripletree.io.triplets import ComparisonsError, read_triplets

    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "to_numpy"):  # a stream is used up by reading
        return read_triplets(frame)
    with suppress(ParseError):
        try:
            return read_triplets(frame)
        except ComparisonsError as error:
            raise InvalidTripletError(str(error)) from None
    return TripletSet.from_labels(frame)


def triplets_by_label(triplets: Any) -> TripletSet:
    """Return the triplets, in whatever form an estimator takes them, over the samples that they name alone.

    The numbers of an integer array are labels here.
    """
    given, _ = _as_set_or_rows(triplets)
    if not isinstance(given, TripletSet):
        return TripletSet.from_labels(given.tolist())
    return given.restrict(given.leaves.take(given.used_leaves)) if len(given) else TripletSet([], 0)


def _check_rows(given: Any, leaves: LeafIndex, indexed: bool, noun: str) -> None:
    """Raise if triplets or pairs have labels that are not row numbers, even on leaves that occur nowhere.

    Such a leaf shows that they were made for other samples, so the same numbers would mean other rows. It is named only
    where the leaves that do occur are row numbers.
    """
    others = [x for x in given.leaves if x not in leaves] if given.leaves != leaves else []
    if not others:
        return
    unknown = [x for x in (given.leaves[i] for i in given.used_leaves.tolist()) if x not in leaves]
    if unknown:
        raise UnknownLeafError(unknown, leaves.labels, what=_rows_text(len(leaves), unknown, indexed, noun))
    what = (
        f"rows of X (n_samples={len(leaves)}; these are leaves of the {noun} that occur in none of them, so the {noun} "
        f"were made for other samples. If the rows of X are meant all the same, give {noun}.reindex({len(leaves)}))"
    )
    raise UnknownLeafError(others, leaves.labels, what=what)


def _rows_text(n: int, unknown: list, indexed: bool, noun: str) -> str:
    if all(isinstance(x, (int, np.integer)) for x in unknown):
        whole = f"an index 0..{n - 1} counts as row numbers; " if indexed else ""
        return (
            f"rows of X (n_samples={n}; {whole}row numbers are never ignored. If X is a part of the samples, as in "
            "cross-validation, name them by labels: the index of a pandas DataFrame other than 0..n-1)"
        )
    if all(isinstance(x, str) and x.isdecimal() for x in unknown):
        return (
            f"rows of X (n_samples={n}; the {noun} name rows by text, as read from a file: "
            f"read_{noun}(..., leaves={n}) gives row numbers)"
        )
    without = f"whose index is 0..{n - 1}" if indexed else "which has no index of labels"
    return (
        f"rows of X (n_samples={n}, {without}; pass a pandas DataFrame whose index holds the labels, or {noun} of "
        "row numbers. In a pipeline, set_output(transform='pandas') keeps the index)"
    )


# ---------------------------------------------------------------------- a hierarchy


def align_classes(
    X: Any, classes: Any, leaves: LeafIndex, *, missing_samples: str | None = None, missing: Any = None
) -> tuple[np.ndarray, list[Any]]:
    """The class of each sample as a number, -1 if it is not known, and what the classes are called.

    Parameters
    ----------
    X : object
        The samples as the user gave them.
    classes : array_like, mapping or pandas Series
        None, NaN or a word for no class (`tripletree.core.labels.CLASS_GAPS`, -1 among them) if a class is not known.
        A mapping or Series goes by labels and may leave samples out. An array,
        and a Series with the index of X, row by row, go by the order of rows. So does a Series whose index has
        repeats if the rows of X have no labels.
    leaves : LeafIndex
        The n samples, as `align_triplets` labels them.
    missing_samples : {"raise", "ignore"}, optional
        How to treat labels of no sample. "raise" names the other choice.
    missing : value or collection of values, optional
        The values that mark samples without a class instead.

    Returns
    -------
    codes : ndarray of int64, shape (n,)
    names : list
        The classes by their numbers.
    """
    classes, code = by_label_or_row(classes, index_labels(X)), partial(class_codes, missing=missing)
    if not isinstance(classes, Mapping):
        return aligned_codes(classes, leaves, "classes", code)
    has_labels = leaves != LeafIndex(len(leaves))
    if has_labels:
        meant = {_name_in(x, leaves): x for x in reversed(classes)}
        if len(meant) < len(classes):
            twice = [x for x in classes if meant[_name_in(x, leaves)] != x]
            raise DuplicateLeafError(twice, where=" in classes once whole numbers are written as in the index of X")
        classes = {x: classes[meant[x]] for x in reversed(meant)}
    if classes:
        _check_distinct(X, "to which classes refer; an array goes by the order of rows")
    unknown = [x for x in classes if x not in leaves]
    if unknown and has_labels and missing_samples == "ignore":
        classes = {x: name for x, name in classes.items() if x in leaves}
    elif unknown:
        hint = "missing_samples='ignore' leaves them out" if has_labels and missing_samples else ""
        raise UnknownLeafError(unknown, leaves.labels, what="keys of classes", hint=hint)
    return aligned_codes(classes, leaves, "classes", code)


def by_label_or_row(classes: Any, labels: list | None) -> Any:
    """A Series of classes as a mapping by its index, or as a list if it goes by the order of rows. Others unchanged.

    Parameters
    ----------
    classes : array_like, mapping or pandas Series
    labels : list or None
        The labels of the rows, if they have any.
    """
    index = series_index(classes)
    if index is None:
        return classes
    if not _repeats(index):
        return dict(zip(index, classes.tolist(), strict=True))
    if labels is None or labels == index:
        return classes.tolist()
    raise DuplicateLeafError(repeated(index), where=" in the index of classes; an array goes by the order of rows")


def align_hierarchy(
    X: Any, hierarchy: Any, samples: LeafIndex, *, missing_samples: str | None = None
) -> Hierarchy | None:
    """A hierarchy, or one in a file, on its leaves that are samples of X. Nodes with one child stay.

    One of fewer than three samples, which says nothing, is None if `missing_samples` is "ignore".
    """
    hierarchy = check_rooted(as_hierarchy(hierarchy))
    _check_distinct(X, "to which the hierarchy refers")
    both = leaves_among(hierarchy, samples)
    if len(both) < 3 and missing_samples == "ignore":
        return None
    if len(both) < 3:
        indexed = index_labels(X) is not None
        in_folds = (
            "; missing_samples='ignore' leaves it out, as in folds of cross-validation" if missing_samples else ""
        )
        cure = "name the samples as the leaves" if indexed else "give X as a DataFrame whose index holds the leaves"
        msg = (
            f"the hierarchy has {counted(len(both), 'leaf', 'leaves')} among the {len(samples)} samples, but says "
            f"nothing of fewer than 3; its leaves are {', '.join(repr(x) for x in list(hierarchy.leaves)[:3])}, ..., "
            f"the samples {', '.join(repr(x) for x in list(samples)[:3])}, ...: {cure} (tripletree.match_names finds "
            f"those that are written otherwise){on_labels(hierarchy)}{in_folds}"
        )
        raise ValueError(msg)
    taken = {*both, *map(other_form, both)}
    _warn_of_spelling(set(samples) - set(both), set(hierarchy.leaves) - taken)
    return hierarchy.restrict(both, keep_unary=True)


def leaves_among(hierarchy: Hierarchy, samples: LeafIndex) -> list:
    """Return the samples that are leaves of a hierarchy, also by whole numbers otherwise written and by synonyms."""
    both = [x for x in names_among(hierarchy.leaves, samples) if x is not None]
    return both + _by_synonyms(samples, set(both), hierarchy)


def names_among(labels: Iterable[Any], leaves: LeafIndex) -> list:
    """Return for each label the leaf of that name, or of its other form as a whole number. None if there is none."""
    return [y if (y := _name_in(x, leaves)) in leaves else None for x in labels]


def as_hierarchy(hierarchy: Any) -> Any:
    """The hierarchy, read if it is in a file or data frame."""
    source = isinstance(hierarchy, (str, PathLike)) or hasattr(hierarchy, "read") or hasattr(hierarchy, "columns")
    if source and peer_converter(hierarchy) is None:
        from tripletree.io import read_hierarchy

        return read_hierarchy(hierarchy)
    return hierarchy


def _by_synonyms(samples: LeafIndex, both: set, hierarchy: Hierarchy) -> list:
    """The samples that go by other names of leaves. Two samples of one leaf are told, and the first is taken."""
    taken: set = set(both)
    found: list = []
    twice: list = []
    for x in samples if hierarchy.synonyms else ():
        leaf = hierarchy.synonyms.get(x)
        if x not in both and leaf in hierarchy.leaves:
            (twice if leaf in taken else found).append(x)
            taken.add(leaf)
    if twice:
        shown = ", ".join(f"{x!r} beside {hierarchy.synonyms[x]!r}" for x in twice[:3]) + ", ..." * (len(twice) > 3)
        warn_user(
            f"of {counted(len(twice), 'sample')} the hierarchy says nothing, since another one has its place: {shown}. "
            "tripletree.match_names(names, hierarchy).attach() gives both a place"
        )
    return found


def _warn_of_spelling(samples: set, leaves: set) -> None:
    """Warn of samples that are not leaves, if there are leaves of the same name except for case or accents."""
    if not samples or not leaves:
        return
    leaf_of = {plain_form(x): x for x in leaves if isinstance(x, str)}
    alike = {x: leaf_of[plain_form(x)] for x in samples if isinstance(x, str) and plain_form(x) in leaf_of}
    if alike:
        some = ", ".join(f"{x!r} beside the leaf {alike[x]!r}" for x in sorted(alike)[:3])
        warn_user(
            f"of {counted(len(alike), 'sample')} the hierarchy says nothing, since they are written otherwise: {some}"
            f"{', ...' if len(alike) > 3 else ''}. tripletree.match_names matches them"
        )


def named_by(tree: Hierarchy, hierarchy: Hierarchy | None) -> tuple[Hierarchy, CladeMatches | None]:
    """Return the tree with the names of the clades of a hierarchy, if there is one, and how whole the clades are."""
    if hierarchy is None or hierarchy.names is None:
        return tree, None
    found = match_clades(hierarchy, tree)
    return found.tree, found
