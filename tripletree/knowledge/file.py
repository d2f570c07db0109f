"""`Knowledge` in a file: one JSON object with the names of the samples, and statements as numbers of samples.

Where each statement was read is not kept.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any, overload

import numpy as np

from tripletree._version import __version__
from tripletree.core.arrays import freeze
from tripletree.core.checks import described
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import ParseError, TripletreeError
from tripletree.io.json_text import KNOWLEDGE_KEY, load_json
from tripletree.io.rows import check_suffix
from tripletree.io.source import Source, Target, read_text, write_text
from tripletree.knowledge.value import Knowledge, check_knowledge

#: The version of the contents of a file that is written.
_VERSION = 1

#: All keys of a file.
_PARTS = frozenset(
    {KNOWLEDGE_KEY, "samples", "triplets", "must_link", "cannot_link", "hierarchy", "classes", "comparisons", "soft"}
)


@overload
def write_knowledge(knowledge: Knowledge, path: None = None) -> str: ...


@overload
def write_knowledge(knowledge: Knowledge, path: Target) -> None: ...


def write_knowledge(knowledge: Knowledge, path: Target | None = None) -> str | None:
    """Write all that is known of some samples into one file.

    Parameters
    ----------
    knowledge : Knowledge
        Its samples and classes are called by strings, numbers, True or False.
    path : path or file object, optional
        The file, which is replaced as a whole. By default the text is returned.

    Returns
    -------
    str or None

    Raises
    ------
    TypeError
        If a sample or class is called by a value that JSON does not have.
    ValueError
        If the file is called as one of another format, such as ``.csv``.

    See Also
    --------
    read_knowledge : reads it.

    Examples
    --------
    >>> from tripletree.knowledge import Knowledge
    >>> print(write_knowledge(Knowledge.of(pairs=([("cat", "dog")], []))), end="")
    {"tripletree_knowledge": 1, "samples": ["cat", "dog"], "must_link": {"rows": [[0, 1]]}}
    """
    kept = check_knowledge(knowledge)
    able = "JSON (.json); its kinds go into tables, as by write_triplets(knowledge.triplets, 'triplets.csv')"
    check_suffix(path, "knowledge of several kinds", able, is_json=True)
    found: dict[str, Any] = {KNOWLEDGE_KEY: _VERSION, "samples": [_json(x, "a sample") for x in kept.leaves]}
    if len(kept.triplets):
        found["triplets"] = _rows(kept.triplets.rows, kept.triplets.weights)
    if kept.pairs.n_must:
        found["must_link"] = _rows(kept.pairs.must_link, kept.pairs.must_weights)
    if kept.pairs.n_cannot:
        found["cannot_link"] = _rows(kept.pairs.cannot_link, kept.pairs.cannot_weights)
    if kept.hierarchy is not None:
        found["hierarchy"] = _of_tree(kept.hierarchy, kept.leaves)
    if kept.codes is not None:
        names = [_json(x, "a class") for x in kept.class_names]
        found["classes"] = {"names": names, "codes": kept.codes.tolist()}
    if kept.comparisons is not None:
        who = [x if x is None else _json(x, "a person") for x in kept.comparisons.who]
        found["comparisons"] = {"rows": kept.comparisons.rows.tolist(), "who": who}
    if kept.soft:
        found["soft"] = sorted(kept.soft)
    return write_text([json.dumps(found, ensure_ascii=False), "\n"], path)


def read_knowledge(path: Source) -> Knowledge:
    """Read what `write_knowledge` has written.

    Parameters
    ----------
    path : path or file object

    Returns
    -------
    Knowledge

    Raises
    ------
    ParseError
        If the file is not a file of knowledge, or something in it does not fit.

    Examples
    --------
    >>> import io
    >>> from tripletree.knowledge import Knowledge
    >>> known = Knowledge.of(triplets=[("a", "b", "c")], classes={"a": "x", "c": "y"})
    >>> read_knowledge(io.StringIO(write_knowledge(known))) == known
    True
    """
    text, name = read_text(path)
    found = load_json(text, name)
    if not isinstance(found, dict) or KNOWLEDGE_KEY not in found:
        msg = (
            f"this is not a file of write_knowledge, which is an object with the key {KNOWLEDGE_KEY!r}: read_triplets, "
            "read_pairs, read_hierarchy and the like read other files, and Knowledge.of joins what they give"
        )
        raise ParseError(msg, path=name)
    if found[KNOWLEDGE_KEY] != _VERSION:
        msg = f"the version of this file is {found[KNOWLEDGE_KEY]!r}; tripletree {__version__} reads version {_VERSION}"
        raise ParseError(msg, path=name)
    try:
        return _knowledge(found)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, TripletreeError) as error:
        is_key = isinstance(error, KeyError) and not isinstance(error, TripletreeError)
        what = f"{error} is missing" if is_key else str(error)
        raise ParseError(f"the file does not fit together: {what}", path=name) from None


def _json(value: Any, what: str) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (str, int, float)) or value != value or value in (float("inf"), -float("inf")):
        msg = f"JSON has no {what[2:]} called by {described(value)}: rename it, or pickle the Knowledge"
        raise TypeError(msg)
    return value


def _rows(rows: np.ndarray, weights: np.ndarray | None) -> dict[str, Any]:
    return {"rows": rows.tolist()} | ({} if weights is None else {"weights": weights.tolist()})


def _or_null(values: np.ndarray) -> list[Any]:
    """Numbers, with None for NaN, which JSON does not have."""
    return np.where(np.isnan(values), None, values.astype(object)).tolist()  # type: ignore[call-overload]


def _numbers(values: Any) -> Any:
    return None if values is None else np.array(values, np.float64)


def _of_tree(tree: Hierarchy, samples: LeafIndex) -> dict[str, Any]:
    found: dict[str, Any] = {"parent": tree.parent.tolist(), "leaves": samples.indices(tree.leaves).tolist()}
    if tree._height is not None:
        found["height"] = tree._height.tolist()
    elif tree._length is not None:
        found["length"] = _or_null(tree._length)
    if tree.incertae_sedis is not None:
        found["incertae_sedis"] = np.flatnonzero(tree.incertae_sedis).tolist()
    if tree._support is not None:
        found["support"] = _or_null(tree._support)
    for key in ("names", "ranks"):
        if getattr(tree, key) is not None:
            found[key] = list(getattr(tree, key))
    if tree.synonyms:
        found["synonyms"] = [[_json(x, "a synonym"), _json(y, "a leaf")] for x, y in tree.synonyms.items()]
    return found


def _tree(found: dict[str, Any], samples: LeafIndex) -> Hierarchy:
    leaves = [samples[i] for i in _whole(found["leaves"], (None,), 0, len(samples), "leaves").tolist()]
    return Hierarchy(
        found["parent"],
        leaves,
        height=found.get("height"),
        length=_numbers(found.get("length")),
        names=found.get("names"),
        ranks=found.get("ranks"),
        incertae_sedis=found.get("incertae_sedis"),
        support=_numbers(found.get("support")),
        synonyms=dict(found.get("synonyms", [])),
    )


def _whole(values: Any, shape: tuple[int | None, ...], low: int, high: int, what: str) -> np.ndarray:
    """Whole numbers of a shape, None for any length, from `low` to below `high`."""
    array = np.asarray(values) if isinstance(values, list) else np.empty(0)
    if isinstance(values, list) and not values:
        return np.empty([n or 0 for n in shape], np.int64)
    fits = array.ndim == len(shape) and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if array.dtype.kind not in "iu" or not fits or array.min() < low or array.max() >= high:
        size = " x ".join("any" if n is None else str(n) for n in shape)
        msg = f"{what} must be whole numbers from {low} to {high - 1}, {size} of them"
        raise ValueError(msg)
    return array.astype(np.int64)


def _names(values: Any, what: str) -> list[Any]:
    """A list of distinct texts and numbers."""
    if not isinstance(values, list) or not all(isinstance(x, (str, int, float)) for x in values):
        msg = f"{what} must be a list of texts or numbers"
        raise TypeError(msg)
    LeafIndex(values)  # refuses repeats
    return values


def _knowledge(found: dict[str, Any]) -> Knowledge:
    unknown = found.keys() - _PARTS
    if unknown:
        msg = f"the key {min(unknown)!r} is none of {', '.join(sorted(_PARTS))}"
        raise ValueError(msg)
    leaves = LeafIndex(_names(found["samples"], "samples"))
    nothing: dict[str, Any] = {"rows": []}
    triplets, must, cannot = (found.get(x, nothing) for x in ("triplets", "must_link", "cannot_link"))
    n = len(leaves)
    rows = _whole(triplets["rows"], (None, 3), 0, n, "rows of triplets")
    together, apart = (_whole(x["rows"], (None, 2), 0, n, "rows of pairs") for x in (must, cannot))
    codes, names = None, list[Hashable]()
    if "classes" in found:
        names = _names(found["classes"]["names"], "names of classes")
        codes = freeze(_whole(found["classes"]["codes"], (n,), -1, len(names), "codes of classes"))
    comparisons = None
    if "comparisons" in found:
        said = _whole(found["comparisons"]["rows"], (None, 3), 0, n, "rows of comparisons")
        who = found["comparisons"].get("who") or [None] * len(said)
        if not isinstance(who, list) or len(who) != len(said) or not all(x is None or isinstance(x, str) for x in who):
            msg = f"who must be a list with a name or null for each of the {len(said)} comparisons"
            raise ValueError(msg)
        a, b, c = said.T
        if ((a == b) | (a == c) | (b == c)).any():
            msg = "a comparison must be of three different samples"
            raise ValueError(msg)
        comparisons = Comparisons(said, leaves, who)
    return Knowledge(
        leaves,
        TripletSet(rows, leaves, triplets.get("weights")),
        PairwiseConstraints(
            together, apart, leaves, must_weights=must.get("weights"), cannot_weights=cannot.get("weights")
        ),
        _tree(found["hierarchy"], leaves) if "hierarchy" in found else None,
        codes,
        tuple(names),
        comparisons,
    ).with_soft(*_names(found.get("soft", []), "soft kinds"))
