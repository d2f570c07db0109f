"""Trees of genes as knowledge about species: a species has a leaf for each of its copies.

A triplet of species follows from such a tree only if it holds whichever copy stands for each species.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.core.arrays import frozen
from tripletree.core.hierarchy import Hierarchy, check_rooted
from tripletree.core.leaves import LeafIndex
from tripletree.core.ontology import Ontology
from tripletree.errors import UnknownLeafError

#: Genes to species: a mapping, or a function of a leaf's label.
Species = Mapping[Any, Hashable] | Callable[[Any], Hashable]


def merge_copies(hierarchy: Hierarchy, species: Species) -> Ontology:
    """Make one leaf of all leaves that are copies of one thing, such as the genes of a species.

    Parameters
    ----------
    hierarchy : Hierarchy
        A tree of n genes.
    species : mapping or callable
        The species of each leaf. Leaves without a species are left out: the mapping lacks them, or says None.

    Returns
    -------
    Ontology
        Its leaf terms are the species, with a parent for each place of a copy. So its certain triplets are the triplets
        that the tree displays whichever copy stands for each of the three species.

    Raises
    ------
    UnknownLeafError
        If no leaf has a species.

    See Also
    --------
    supertree : takes trees of genes with ``species=``.

    Examples
    --------
    >>> from tripletree import decompose, parse_newick
    >>> list(decompose(merge_copies(parse_newick("((h1,h2,m1),r1);"), {"h1": "h", "h2": "h", "m1": "m", "r1": "r"})))
    [('h', 'm', 'r')]
    >>> list(decompose(merge_copies(parse_newick("(((h1,m1),r1),(h2,f1));"), lambda gene: gene[0])))
    [('m', 'r', 'f')]
    """
    h, called = _genes(hierarchy, species)
    n = h.n_leaves
    names = list(h.names) if h.names is not None else [None] * (h.n_nodes - n)
    taken = {str(x) for x in called} | {x for x in names if x is not None}
    inner = []
    for u, name in enumerate(names, n):
        shown = f"node {u}" if name is None or name in inner else name
        while shown != name and shown in taken:
            shown += "'"
        taken.add(shown)
        inner.append(shown)
    kinds = list(dict.fromkeys(called))
    number = {x: k for k, x in enumerate(kinds)}
    term = np.concatenate([[number[x] for x in called], len(kinds) + np.arange(h.n_nodes - n)]).astype(np.int64)
    edges = np.unique(np.stack([term[:-1], term[h.parent[:-1]]], axis=1), axis=0)
    opened = None if h.incertae_sedis is None else np.unique(term[h.incertae_sedis])
    return Ontology([*kinds, *inner], edges, incertae_sedis=opened)


def whole_clades(hierarchy: Hierarchy, species: Species) -> Hierarchy:
    """Return the tree of species whose clades are the clades of genes that have all or no copies of each species.

    All triplets of it are certain, whichever copies are meant. Not all certain triplets need to be displayed.
    """
    h, called = _genes(hierarchy, species)
    index = LeafIndex(dict.fromkeys(called))
    code = index.indices(called)
    n = h.n_leaves
    copies = np.bincount(code)
    # the paths from the copies of a species up to where all have met are in no whole clade
    top = _meeting(h, code, len(index))
    partial = np.zeros(h.n_nodes, np.int64)
    partial[:n] += copies[code] > 1
    np.subtract.at(partial, top[code], copies[code] > 1)
    for u, p in enumerate(h.parent[:-1].tolist()):
        partial[p] += partial[u]
    whole = partial[n:] == 0
    whole[-1] = True
    near = np.arange(h.n_nodes)  # the nearest node at or above each inner node whose clade is whole
    for u in range(h.n_nodes - 2, n - 1, -1):
        if not whole[u - n]:
            near[u] = near[h.parent[u]]
    first = np.unique(code, return_index=True)[1]
    above = near[np.where(copies > 1, top, h.parent[first])]
    kept = np.flatnonzero(whole) + n
    place = np.full(h.n_nodes, -1, np.int64)
    place[kept] = len(index) + np.arange(kept.size)
    up = np.append(place[near[h.parent[kept[:-1]]]], -1)
    parent = np.concatenate([place[above], up])
    return _without_empty(parent, index)


def _genes(hierarchy: Hierarchy, species: Species) -> tuple[Hierarchy, list[Hashable]]:
    """Return the tree of the genes that have a species, and the species of each leaf."""
    h = check_rooted(hierarchy)
    if isinstance(species, Mapping):
        called = [species.get(x) for x in h.leaves]
    elif callable(species):
        called = [species(x) for x in h.leaves]
    else:
        msg = f"species must be a mapping or a function from leaves to species, not {type(species).__name__}"
        raise TypeError(msg)
    inside = [x for x, s in zip(h.leaves, called, strict=True) if s is not None]
    if not inside:
        raise UnknownLeafError(list(h.leaves)[:3], list(species) if isinstance(species, Mapping) else [], what="genes")
    if len(inside) < h.n_leaves:
        h = h.restrict(inside)
        of = {x: s for x, s in zip(hierarchy.leaves, called, strict=True) if s is not None}
        called = [of[x] for x in h.leaves]
    return h, called


def _meeting(h: Hierarchy, code: np.ndarray, k: int) -> np.ndarray:
    """Return the last common ancestor of the leaves with each code."""
    start, _, order = h.leaf_intervals
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    low, high = np.full(k, order.size), np.full(k, -1)
    np.minimum.at(low, code, place)
    np.maximum.at(high, code, place)
    ends = (frozen(order[x].astype(np.int32)) for x in (low, high))
    return np.asarray(engine.rooted_tree.common_ancestors(*ends, *h.ancestor_table)).astype(np.int64)


def _without_empty(parent: np.ndarray, leaves: LeafIndex) -> Hierarchy:
    """Return the hierarchy without inner nodes that hold no leaf."""
    n = len(leaves)
    held = np.zeros(parent.size, np.int64)
    held[:n] = 1
    for u, p in enumerate(parent[:-1].tolist()):
        held[p] += held[u]
    keep = np.flatnonzero(held)
    number = np.cumsum(held > 0) - 1
    return Hierarchy(np.where(parent[keep] < 0, -1, number[parent[keep]]), leaves)
