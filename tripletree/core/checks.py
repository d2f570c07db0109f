"""Checks that many doors share, each a clear error instead of a strange one further in."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

import numpy as np

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.core.triplets import TripletSet

__all__ = [
    "check_count",
    "check_hierarchy",
    "check_real",
    "check_triplets",
]

#: Trees of other libraries, by the package and name of their class, and the function of `tripletree.interop` for them.
_PEERS = {
    ("Bio", "Clade"): "from_biopython",
    ("Bio", "Tree"): "from_biopython",
    ("dendropy", "Node"): "from_dendropy",
    ("dendropy", "Tree"): "from_dendropy",
    ("ete3", "TreeNode"): "from_ete3",
    ("ete4", "Tree"): "from_ete4",
    ("networkx", "Graph"): "from_networkx",
    ("skbio", "TreeNode"): "from_skbio",
}


def check_hierarchy(value: Any) -> Hierarchy:
    """Return `value` if it is a Hierarchy; a TypeError that says how to make one otherwise."""
    if isinstance(value, Ontology):
        msg = (
            f"a Hierarchy is wanted, not an Ontology ({value!r}), whose terms may have several parents: take one tree "
            "with to_hierarchy(parent='deepest'), or 'first' or 'smallest'; induce, displays, sample_triplets and "
            "decompose take an Ontology as it is"
        )
        raise TypeError(msg)
    if not isinstance(value, Hierarchy):
        converter = _converter(value)
        advice = (
            f"make one with tripletree.interop.{converter}(...)"
            if converter
            else "make one with read_newick(path), parse_newick(text), Hierarchy.from_nested(lists), from_linkage(Z), "
            "or take an estimator's .hierarchy_"
        )
        msg = f"a Hierarchy is wanted, not {_described(value)}; {advice}"
        raise TypeError(msg)
    return value


def _converter(value: Any) -> str | None:
    """The function that makes a hierarchy from a tree of another library, which is not imported for that."""
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__]
    return next((_PEERS[x] for x in names if x in _PEERS), None)


def check_triplets(value: Any) -> TripletSet:
    """Return `value` if it is a TripletSet; a TypeError that says how to make one otherwise."""
    if not isinstance(value, TripletSet):
        msg = (
            f"a TripletSet is wanted, not {_described(value)}; make one with TripletSet.from_labels([(a, b, c), ...]) "
            "for ab|c, TripletSet(rows, leaves), or read_triplets(path)"
        )
        raise TypeError(msg)
    return value


def check_count(value: Any, name: str, least: int = 0) -> int:
    """Return `value` as an int of at least `least`; a clear TypeError or ValueError otherwise."""
    if isinstance(value, (bool, np.bool_)):
        msg = f"{name} must be a whole number, not {value!r}"
        raise TypeError(msg)
    try:
        count = operator.index(value)
    except TypeError:
        msg = f"{name} must be a whole number, not {value!r}"
        raise TypeError(msg) from None
    if count < least:
        msg = f"{name} is {count}; it must be at least {least}"
        raise ValueError(msg)
    return count


def _described(value: Any) -> str:
    return f"{type(value).__name__} ({value!r:.60})"


# ----------------------------------------------------------------------
# A check of numbers that the generators share.


def check_real(value: Any, name: str, *, least: float = 0.0, most: float = np.inf) -> float:
    """Return `value` as a finite float in least..most; a clear TypeError or ValueError otherwise."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        msg = f"{name} must be a number, not {value!r}"
        raise TypeError(msg)
    number = float(value)
    if not (np.isfinite(number) and least <= number <= most):
        wanted = f"at least {least:g}, and finite" if most == np.inf else f"in {least:g}..{most:g}"
        msg = f"{name} is {value!r}; it must be {wanted}"
        raise ValueError(msg)
    return number
