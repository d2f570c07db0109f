"""Supertrees: many hierarchies on overlapping leaves combined into one, by votes on triplets.

`supertree` puts the sources into one value, `TripletVotes`. If the sources agree, the result is the BUILD tree of all
their triplets (`_agreed`). If not, a binary tree with many votes is searched (`_most_votes`: trees are grown leaf by
leaf, improved by moves of branches, and fused), and clades without a majority are contracted (`_contracted`, from the
counts in `EdgeVotes`). No triplet is ever listed in the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.copies import Species, whole_clades
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import check_choice, check_count
from tripletree.core.hierarchy import Hierarchy, check_hierarchies
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import Tick, progress_bar, silent, teller
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet
from tripletree.errors import warn_user


@dataclass(frozen=True, eq=False)
class Supertree:
    """The result of `supertree`: the hierarchy, and how the sources vote on it.

    A source triplet is a triplet that a source displays. One that several display counts once for each, by its weight.

    Attributes
    ----------
    hierarchy : Hierarchy
        Over the leaves of all sources.
    displayed, contradicted, unresolved : float
        Shares of the source triplets, by weight, that the hierarchy displays, that it resolves otherwise, and that it
        does not resolve. They add up to 1 and are exact up to rounding: every triplet is counted. If no source displays
        a triplet, they are 1.0, 0.0 and 0.0.
    support : ndarray of float64, shape (inner nodes,)
        The share that agrees, among the source triplets that the clade of an inner node decides. Entry ``u - n_leaves``
        is the share of node u. A clade alone decides the triples of leaves a, b below different children of its node
        and c below its parent, but not below it: ab|c agrees, ac|b and bc|a do not. NaN if no source displays any of
        the three, as at the root, which has no parent.
    n_agreeing, n_opposing : ndarray of int64, shape (inner nodes,)
        How many sources display such triplets that agree, and that do not. Some may have both.
    n_sources : int
        Number of sources.
    consistent : bool
        True if some hierarchy displays all source triplets. If so, `hierarchy` does.

    Examples
    --------
    >>> s = supertree([Hierarchy.from_nested([("a", "b"), "c"]), Hierarchy.from_nested([("b", "c"), "d"])])
    >>> s
    <Supertree: 4 leaves from 2 hierarchies, consistent>
    >>> s.support
    array([ 1.,  1., nan])
    """

    hierarchy: Hierarchy
    displayed: float
    contradicted: float
    unresolved: float
    support: np.ndarray
    n_agreeing: np.ndarray
    n_opposing: np.ndarray
    n_sources: int
    consistent: bool

    def __repr__(self) -> str:
        n, k = self.hierarchy.n_leaves, self.n_sources
        words = f"{n} {'leaf' if n == 1 else 'leaves'} from {k} {'hierarchy' if k == 1 else 'hierarchies'}"
        if self.consistent:
            return f"<Supertree: {words}, consistent>"
        return f"<Supertree: {words}, {self.displayed:.1%} of their triplets displayed>"


def supertree(
    hierarchies: Iterable[Hierarchy],
    *,
    weights: Any = None,
    species: Species | None = None,
    votes: Literal["triplet", "tree"] = "triplet",
    min_support: float = 0.5,
    on_conflict: Literal["vote", "raise"] = "vote",
    n_starts: int | None = None,
    random_state: Any = None,
    verbose: bool | int = False,
) -> Supertree:
    """Combine hierarchies on overlapping leaves into one hierarchy of all leaves, by votes on triplets.

    If some hierarchy displays all triplets of all sources, the result is the tree of `one_tree` for them. If not, a
    hierarchy that displays many of them is searched, and clades without a majority are dropped from it. For sources on
    the same leaves the result is a consensus. Groups of sources that share no leaf with others are clades, if
    the sources agree.

    Parameters
    ----------
    hierarchies : iterable of Hierarchy
        The sources. A node with more than two children does not vote on how the children belong together. Nodes with
        one child are skipped. Heights, lengths and names are not used. One with open nodes has two votes of half the
        weight: without all that is open, and with it, but without the clades beside it.
    weights : array_like of float, optional
        A positive number for each source. A source of weight 2 counts as two of them. Default 1.
    species : mapping or callable, optional
        For trees of genes: the species of each leaf, which may have several. The result is a tree of the species. A
        clade of a source votes if it has all copies of its species. Leaves without a species are left out.
    votes : {"triplet", "tree"}
        "triplet" gives the weight to each triplet of a source, so that large sources have more votes. "tree" gives
        it to all triplets of a source together.
    min_support : float
        More than this share must agree, among the triplets that only this clade decides. Clades with less support, or
        without any votes, are dropped, the weakest first. With 0.5 each clade has a majority, and dropping the others
        increases the displayed less the contradicted triplets. With 0.0 as many triplets are displayed as can be found.
        If the sources are consistent, nothing is dropped.
    on_conflict : {"vote", "raise"}
        How to proceed if the sources contradict each other: count votes, or raise an error.
    n_starts : int, optional
        How many trees to grow in the search, from different sources. By default four, fewer if that takes long.
    random_state : None, int, Generator or RandomState
        For the order in which the search adds leaves. None is a fixed seed: equal sources give equal results.
    verbose : bool or int
        Show a progress bar.

    Returns
    -------
    Supertree
        ``.hierarchy``, with sorted leaves if they can be compared, otherwise as they come. ``.displayed``,
        ``.contradicted``, ``.unresolved``, ``.support``, ``.consistent``. With a fixed seed, the order of the sources
        does not matter (for leaves that can be sorted), and a source given twice equals one of twice the weight.

    Raises
    ------
    InconsistentTripletsError
        If the sources contradict each other, and `on_conflict` is "raise". ``.conflict`` explains where.

    Warns
    -----
    UserWarning
        If sources share no leaves, directly or through others, so that nothing says how they belong together.

    See Also
    --------
    one_tree : from triplets.
    algorithms.merge_copies : what one tree of genes says of species, whichever copy is meant.
    repair : the same question for a set of triplets.
    compare_triplets : two hierarchies.

    Notes
    -----
    No triplet is listed in the search: for a leaf x, one pass over each source with x counts the votes for all places
    of x in the hierarchy. Trees are grown leaf by leaf, source by source, each leaf at the place with the most votes.
    Then leaves, and clades if that is cheap, are pruned and regrafted while that helps. The trees found are fused
    into the tree with the most votes among all trees with no other clades, as ASTRAL [1]_ and STELAR [2]_ do with the
    clades of their input, and the result is improved again. Triplet votes of sources are the idea of SuperTriplets
    [3]_.

    A round of moves of all leaves takes O(k n**2 + sum of m**2 log(m)**2) for n leaves and k sources per leaf, of m
    leaves each. The support takes O(depth times the leaves of all sources). Sources that agree need no search: O(n
    log n) for all their leaves and triplets, whatever the depth, unless they have nodes of thousands of children.
    Memory is linear, except for tables of log2(n) numbers a leaf.

    References
    ----------
    .. [1] Mirarab, Reaz, Bayzid, Zimmermann, Swenson, Warnow (2014), ASTRAL: genome-scale coalescent-based species tree
       estimation, Bioinformatics 30(17), i541-i548.
    .. [2] Islam, Sarker, Das, Reaz, Bayzid (2020), STELAR: a statistically consistent coalescent-based species tree
       estimation method by maximizing triplet consistency, BMC Genomics 21, 136.
    .. [3] Ranwez, Criscuolo, Douzery (2010), SuperTriplets: a triplet-based supertree approach to phylogenomics,
       Bioinformatics 26(12), i115-i123.

    Examples
    --------
    >>> from tripletree import parse_newick, write_newick
    >>> sources = [parse_newick(x) for x in ("((human,chimp),gorilla);", "((human,gorilla),gibbon);")]
    >>> write_newick(supertree(sources).hierarchy)
    '(((chimp,human),gorilla),gibbon);'
    >>> wrong = parse_newick("((human,gorilla),chimp);")
    >>> s = supertree([*sources, *sources, wrong])
    >>> write_newick(s.hierarchy)
    '(((chimp,human),gorilla),gibbon);'
    >>> s.displayed, s.support.round(2).tolist()
    (0.8, [0.67, 1.0, nan])
    """
    check_choice(votes, "votes", ("triplet", "tree"))
    check_choice(on_conflict, "on_conflict", ("vote", "raise"))
    least = _share(min_support)
    rng = generator(0 if random_state is None else random_state)
    starts = None if n_starts is None else check_count(n_starts, "n_starts", 1)
    sources = _sources(hierarchies)
    n_sources = len(sources)
    weight = _weights(weights, n_sources)
    voters = [_closed_parts(h) for h in sources]
    if species is not None:
        voters = [[whole_clades(h, species) for h in some] for some in voters]
        sources = [h for some in voters for h in some]
    leaves = _union(sources)
    group = _groups(sources, leaves)
    share = np.concatenate([np.full(len(some), w / len(some)) for some, w in zip(voters, weight.tolist(), strict=True)])
    all_votes = collect_votes([h for some in voters for h in some], leaves, share, per_tree=votes == "tree")
    parent = _agreed(sources, all_votes, leaves)
    consistent = parent is not None
    if parent is None:
        if on_conflict == "raise":
            one_tree(TripletSet(_rows(sources, leaves), leaves))  # raises the InconsistentTripletsError
        with progress_bar(verbose, None, "supertree", "moves tried") as tick:
            parent = _contracted(all_votes, _most_votes(all_votes, rng, starts, tick), least)
    n = len(leaves)
    if group.any():
        _tell_groups(sources, int(group.max()) + 1, consistent)
        if consistent:  # BUILD has each group below children of its own of the root
            parent = _with_families(parent, group)
    hierarchy = Hierarchy(freeze(engine.rooted_tree.canonical_parent(parent, n)), leaves)
    edges = AgreedVotes(all_votes, hierarchy) if consistent else EdgeVotes(all_votes, hierarchy.parent)
    total = all_votes.total
    displayed, contradicted = edges.displayed / total if total else 1.0, edges.contradicted / total if total else 0.0
    return Supertree(
        hierarchy=hierarchy,
        displayed=displayed,
        contradicted=contradicted,
        unresolved=max(0.0, (total - edges.displayed - edges.contradicted) / total) if total else 0.0,
        support=freeze(edges.support[n:]),
        n_agreeing=freeze(edges.n_agree[n:]),
        n_opposing=freeze(edges.n_oppose[n:]),
        n_sources=n_sources,
        consistent=consistent,
    )


def _sources(hierarchies: Any) -> list[Hierarchy]:
    """Return the sources as a list. Anything else gets a clear error."""
    sources = list(check_hierarchies(hierarchies, "source"))
    if not sources:
        msg = "there are no hierarchies to combine; give at least one"
        raise ValueError(msg)
    return sources


def _closed_parts(h: Hierarchy) -> list[Hierarchy]:
    """Hierarchies without open nodes whose triplets are certain: `h` itself, or two that share its vote.

    One leaves out what is open. The other has it, but no clade that stands beside an open node or inside such a clade,
    as an open leaf may belong there.
    """
    opened = h.incertae_sedis
    if opened is None or not opened.any():
        return [h]
    n, up = h.n_leaves, h.parent
    count = np.bincount(up[:-1][opened[:-1]], minlength=up.size)
    free, blurred = ~opened, np.zeros(up.size, np.bool_)
    blurred[:-1] = count[up[:-1]] > opened[:-1]
    for u in range(up.size - 2, -1, -1):
        free[u] &= free[up[u]]
        blurred[u] |= blurred[up[u]]
    blurred[:n] = False
    above = up.copy()
    for u in range(up.size - 2, -1, -1):
        if blurred[above[u]]:
            above[u] = above[above[u]]
    kept = np.flatnonzero(~blurred)
    number = np.cumsum(~blurred) - 1
    both = [Hierarchy(np.where(above[kept] < 0, -1, number[above[kept]]), h.leaves)]
    inside = [x for x, yes in zip(h.leaves, free[:n].tolist(), strict=True) if yes]
    if len(inside) > 2:
        part = h.restrict(inside).suppress_unary()
        both.append(Hierarchy(part.parent, part.leaves))
    return both


def _groups(sources: Sequence[Hierarchy], leaves: LeafIndex) -> np.ndarray:
    """Return the group of each leaf: sources that share leaves, directly or through others, are in one."""
    at = [leaves.indices(h.leaves) for h in sources]
    number = np.full(len(leaves), -1)
    root = list(range(len(sources)))  # union and find over the sources

    def top(k: int) -> int:
        while root[k] != k:
            root[k] = k = root[root[k]]
        return k

    for k, taxa in enumerate(at):
        for other in np.unique(number[taxa]).tolist():
            if other >= 0:
                root[top(other)] = k
        number[taxa] = k
    label = np.array([top(k) for k in range(len(sources))])[number]
    return np.unique(label, return_inverse=True)[1]


def _tell_groups(sources: Sequence[Hierarchy], groups: int, consistent: bool) -> None:
    """Warn of sources between which no leaf is shared, unless all are single leaves."""
    if all(h.n_leaves == 1 for h in sources):
        return
    if groups == len(sources):
        what = f"the {groups} hierarchies share no leaves"
    else:
        what = f"the {len(sources)} hierarchies fall into {groups} groups that share no leaves"
    if consistent:
        how = "each is a clade below the root, as"
    else:
        how = "as some contradict each other, they are not clades; combine each by itself, and join the results as"
    msg = f"{what}, so nothing says how they belong together: {how} "
    warn_user(msg + "read_hierarchy(path, join=True) reads the trees of one file", UserWarning)


def _with_families(parent: np.ndarray, family: np.ndarray) -> np.ndarray:
    """Return the parent array with a node above the children of the root that are of one family of leaves."""
    h = Hierarchy(parent, family.size)
    start, _, order = h.leaf_intervals
    tops = h.children(h.root)
    of = family[order[start[tops]]]
    several = np.flatnonzero(np.bincount(of) > 1)
    root = h.root + several.size
    above = np.full(int(of.max()) + 1, root)
    above[several] = h.root + np.arange(several.size)
    up = np.concatenate([h.parent[:-1], np.full(several.size, root), [-1]]).astype(np.int32)
    up[tops] = above[of]
    return freeze(up)


def _weights(weights: Any, k: int) -> np.ndarray:
    """One positive weight for each source."""
    if weights is None:
        return np.ones(k)
    try:
        array = np.asarray(list(weights) if isinstance(weights, Iterable) else weights, np.float64)
    except (TypeError, ValueError):
        msg = f"weights must be numbers, one for each of the {k} hierarchies, not {weights!r:.60}"
        raise TypeError(msg) from None
    if array.shape != (k,):
        msg = f"weights must have one entry for each of the {k} hierarchies, not shape {array.shape}"
        raise ValueError(msg)
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
    if wrong.size:
        msg = f"the weight of source {wrong[0]} is {array[wrong[0]]}: weights must be positive and finite"
        raise ValueError(msg)
    return array


def _share(value: Any) -> float:
    """Return the least support as a number from 0 to below 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        msg = f"min_support must be a number, not {value!r}"
        raise TypeError(msg)
    if not 0.0 <= value < 1.0:
        msg = f"min_support is {value}; it must be at least 0 and below 1"
        raise ValueError(msg)
    return float(value)


def _union(sources: Sequence[Hierarchy]) -> LeafIndex:
    """Return all leaves, sorted where their kind can be."""
    labels = list(dict.fromkeys(x for h in sources for x in h.leaves))
    try:
        return LeafIndex(sorted(labels))
    except TypeError:
        return LeafIndex(labels)


# ----------------------------------------------------------------------
# The sources as one value, and the hierarchy of sources that agree.

#: Triplets of all decompositions up to which BUILD runs on them to see whether the sources agree.
_MOST_ROWS = 3_000_000


@dataclass(frozen=True, eq=False)
class TripletVotes:
    """Trees over taxa 0..n-1 as leaf sequences (``_core/source_trees.hpp``), and the weight of each of their triplets.

    Attributes
    ----------
    n : int
        Number of taxa.
    taxon, gap, tree : ndarray of int32, shape (S,)
        The leaves of each tree in depth-first order, where each meets the next, and the number of its tree.
    weight : ndarray of float64, shape (k,)
        The weight of one triplet of each tree.
    copies : ndarray of int64, shape (k,)
        How many of the trees given each stands for.
    """

    n: int
    taxon: np.ndarray
    gap: np.ndarray
    tree: np.ndarray
    weight: np.ndarray
    copies: np.ndarray

    @cached_property
    def sources(self) -> Any:
        """All this in the core."""
        return engine.supertree.Sources(self.taxon, self.gap, self.weight, self.n)

    @cached_property
    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nodes of the trees: parent, and where the leaves and the inner nodes of each tree begin."""
        parent, leaves, inners = self.sources.nodes()
        return freeze(parent), freeze(leaves), freeze(inners)

    @cached_property
    def occurrences(self) -> tuple[np.ndarray, np.ndarray]:
        """The places of each taxon in the sequence: where each list begins (n + 1), and the lists."""
        begin, place = self.sources.occurrences()
        return freeze(begin), freeze(place)

    @cached_property
    def n_triplets(self) -> np.ndarray:
        """How many triplets each tree displays: int64, shape (k,)."""
        return freeze(self.sources.n_triplets())

    @property
    def total(self) -> float:
        """The weight of all triplets of all trees."""
        return float((self.weight * self.n_triplets).sum())

    def split(self, part: np.ndarray, k: int) -> list[tuple[np.ndarray, TripletVotes | None]]:
        """The taxa of each of k parts, ascending, and the trees restricted to them (None if no votes are left)."""
        start, taxon, gap, tree = engine.supertree.divide(self.taxon, self.gap, part, k)
        taxa = np.argsort(part, kind="stable")
        bound = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=k))]).tolist()
        number = np.empty(self.n, np.int32)
        number[taxa] = np.arange(self.n) - np.repeat(bound[:-1], np.diff(bound))
        out: list[tuple[np.ndarray, TripletVotes | None]] = []
        for j, (low, high) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
            votes = None
            if low < high:
                first = np.concatenate([[True], gap[low : high - 1] == engine.supertree.END])
                own = (np.cumsum(first) - 1).astype(np.int32)
                arrays = frozen(number[taxon[low:high]]), frozen(gap[low:high]), frozen(own)
                old = tree[low:high][first]
                votes = TripletVotes(
                    bound[j + 1] - bound[j], *arrays, freeze(self.weight[old]), freeze(self.copies[old])
                )
            out.append((taxa[bound[j] : bound[j + 1]], votes))
        return out


def collect_votes(
    hierarchies: Sequence[Hierarchy], leaves: LeafIndex, weights: np.ndarray, *, per_tree: bool
) -> TripletVotes:
    """Make one value of trees over one leaf index, in an order that does not depend on the order given.

    Trees that are equal become one with the sum of their weights. Trees without triplets are left out. With `per_tree`
    the weight of a tree is shared among its triplets.
    """
    found: dict[tuple[bytes, bytes], list[float]] = {}
    for h, weight in zip(hierarchies, weights.tolist(), strict=True):
        taxa, parent = _canonical(h, leaves)
        found.setdefault((taxa.tobytes(), parent.tobytes()), []).append(weight)
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    weight_of, copies = [], []
    for key in sorted(found, key=lambda key: (-len(key[0]), key)):
        taxa, parent = (np.frombuffer(x, np.int32) for x in key)
        _, stop, order = engine.rooted_tree.leaf_intervals(parent, taxa.size)
        met = engine.rooted_tree.gap_nodes(parent, freeze(stop), taxa.size)
        if parent.size - taxa.size < 2:
            continue  # a star, or a leaf alone: no triplet
        number = np.full(taxa.size, len(parts), np.int32)
        parts.append((taxa[order], np.append(met, np.int32(engine.supertree.END)), number))
        weight_of.append(sum(sorted(found[key])))
        copies.append(len(found[key]))
    none = np.empty(0, np.int32)
    taxon, gap, tree = (freeze(np.concatenate([none, *x])) for x in zip((none, none, none), *parts, strict=True))
    weight, counts = np.array(weight_of, np.float64), np.array(copies, np.int64)
    votes = TripletVotes(len(leaves), taxon, gap, tree, freeze(weight), freeze(counts))
    if per_tree:
        weight = weight / votes.n_triplets
    # the largest is 1, so that sums neither vanish nor overflow
    return replace(votes, weight=freeze(weight / weight.max(initial=np.finfo(float).tiny)))


def _canonical(h: Hierarchy, leaves: LeafIndex) -> tuple[np.ndarray, np.ndarray]:
    """Return the taxa of a hierarchy, ascending, and its parent array over them in that order."""
    h = h.suppress_unary()
    taxa = leaves.indices(h.leaves)
    order = np.argsort(taxa)
    parent = h.parent.copy()
    parent[: taxa.size] = h.parent[order]
    return taxa[order], engine.rooted_tree.canonical_parent(freeze(parent), taxa.size)


def _rows(hierarchies: Sequence[Hierarchy], leaves: LeafIndex) -> np.ndarray:
    """Return triplets that identify each of the trees, over one leaf index."""
    rows = [np.empty((0, 3), np.int32)]
    for h in hierarchies:
        rows.append(leaves.indices(h.leaves)[decompose(h).rows])
    return np.concatenate(rows).astype(np.int32)


def _agreed(hierarchies: Sequence[Hierarchy], votes: TripletVotes, leaves: LeafIndex) -> np.ndarray | None:
    """Return the BUILD tree of all triplets of all sources, as a parent array. None if they are inconsistent.

    In every group of leaves of BUILD, triplets that identify a tree (`decompose`) connect the same leaves as all
    triplets of the tree. For each source, the group has leaves below two or more children of one node, and all or none
    of each child. The identifying triplets connect the leaves below each child. So if the decompositions are small,
    they are listed, and BUILD is near-linear on every shape. If not (nodes with thousands of children), each group is
    split by the sources themselves, in time in proportion to the depth.
    """
    if sum(decomposition_size(h) for h in hierarchies) > _MOST_ROWS:
        return _build_from_votes(votes)
    parent, failed = build_aho_tree(_rows(hierarchies, leaves), votes.n)
    return None if failed.size else freeze(parent)


def _build_from_votes(votes: TripletVotes) -> np.ndarray | None:
    """BUILD on the sources themselves: split the taxa into the components of all votes, and each component again."""
    n = votes.n
    up_leaf = np.zeros(n, np.int32)
    up_inner = [-1]
    todo: list[tuple[int, np.ndarray, TripletVotes | None]] = [(0, np.arange(n), votes if votes.taxon.size else None)]
    while todo:
        node, taxa, own = todo.pop()
        if own is None:
            up_leaf[taxa] = node
            continue
        part = engine.supertree.parts(own.taxon, own.gap, own.n)
        k = int(part.max()) + 1
        if k == 1:
            return None
        for these, inside in own.split(part, k):
            if these.size == 1:
                up_leaf[taxa[these]] = node
            else:
                todo.append((len(up_inner), taxa[these], inside))
                up_inner.append(node)
    # inner nodes are numbered from the root down. A parent array numbers them from the leaves up
    last = n + len(up_inner) - 1
    parent = np.concatenate([last - up_leaf, last - np.array(up_inner[::-1])]).astype(np.int32)
    parent[-1] = -1
    return freeze(parent)


# ----------------------------------------------------------------------
# The search for a tree with many votes: trees are grown leaf by leaf, improved by moves of branches, and fused.

#: Work, in units of some 100 nanoseconds: of a round of moves of clades, of all rounds of a start, and of all starts.
_CLADE_WORK, _ROUND_WORK, _START_WORK = 5e6, 2e8, 6e7
_MOST_STARTS, _MOST_ROUNDS = 4, 8
#: Pairs of clades compared, at most, in search of splits that no single tree of a pool has.
_MOST_PAIRS = 20_000_000


def _most_votes(votes: TripletVotes, rng: np.random.Generator, n_starts: int | None, tick: Tick) -> np.ndarray:
    """Return a binary hierarchy, as a parent array, that displays as many votes as can be found."""
    work = float(_leaf_work(votes).sum())
    if n_starts is None:
        n_starts = int(np.clip(_START_WORK / work, 1, _MOST_STARTS))
    rounds = int(np.clip(_ROUND_WORK / work, 2, _MOST_ROUNDS))
    pool = [_grown(votes, k % votes.weight.size, rng, 2, tick) for k in range(n_starts)]
    best, most = fused(votes, pool)
    for _ in range(_MOST_STARTS):
        pool.append(_improved(votes, best, rounds, tick))
        better, value = fused(votes, pool)
        if value <= most * (1 + 1e-12):
            break
        best, most = better, value
    return best


class _Grower:
    """A binary tree that grows, and changes by moves of branches (``_core/grower.hpp``)."""

    def __init__(self, votes: TripletVotes, parent: np.ndarray | None = None) -> None:
        self.tree = engine.supertree.Grower(votes.sources, parent)

    def try_moves(self, nodes: np.ndarray, tick: Tick = silent) -> int:
        """Move each branch of `nodes` to its best place. Return how many moved."""
        tell = teller(tick)
        moves = self.tree.regraft(nodes.astype(np.int32), tell)
        tell(nodes.size)
        return moves

    def parent(self) -> np.ndarray:
        """Return the tree as a parent array, children first."""
        return freeze(self.tree.parents())


def _leaf_work(votes: TripletVotes) -> np.ndarray:
    """The cost of trying to move each leaf: the leaves of its sources, and a glance at each leaf of the hierarchy."""
    size = np.diff(votes.nodes[1])
    return np.bincount(votes.taxon, size[votes.tree] + votes.n / 5, votes.n)


def _insertion_order(votes: TripletVotes, first: int, rng: np.random.Generator) -> np.ndarray:
    """All leaves, source by source: the first, then always the one with most leaves placed. Random inside each."""
    begin = votes.nodes[1]
    placed = np.zeros(votes.n, np.bool_)
    there = np.zeros(votes.weight.size)
    done = np.zeros(votes.weight.size, np.bool_)
    size = np.diff(begin)
    order = []
    t = first
    for _ in range(votes.weight.size):
        done[t] = True
        taxa = votes.taxon[begin[t] : begin[t + 1]]
        fresh = rng.permutation(taxa[~placed[taxa]])
        order.append(fresh)
        placed[fresh] = True
        starts, places = votes.occurrences
        for x in fresh.tolist():
            np.add.at(there, votes.tree[places[starts[x] : starts[x + 1]]], 1.0)
        t = int(np.argmax(np.where(done, -1.0, there / size)))
    return np.concatenate([*order, np.flatnonzero(~placed)])


def _grown(votes: TripletVotes, first: int, rng: np.random.Generator, rounds: int, tick: Tick) -> np.ndarray:
    """A binary tree grown leaf by leaf, each at the place with the most votes. Then leaves move while that helps."""
    grower = _Grower(votes)
    grower.try_moves(_insertion_order(votes, first, rng), tick)
    for _ in range(rounds):
        if grower.try_moves(np.arange(votes.n), tick) == 0:
            break
    return grower.parent()


def _improved(votes: TripletVotes, parent: np.ndarray, rounds: int, tick: Tick) -> np.ndarray:
    """Move leaves and clades, cheap ones first up to a limit of work, until nothing helps."""
    n = votes.n
    for _ in range(rounds):
        start, stop, order = engine.rooted_tree.leaf_intervals(parent, n)
        work = np.concatenate([[0.0], np.cumsum(_leaf_work(votes)[order])])
        work = work[stop] - work[start]
        nodes = np.argsort(work[:-1], kind="stable")
        nodes = nodes[(nodes < n) | (np.cumsum(work[nodes]) <= _CLADE_WORK)]
        grower = _Grower(votes, parent)
        if grower.try_moves(nodes, tick) == 0:
            break
        parent = grower.parent()
    return parent


def fused(votes: TripletVotes, pool: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """Return the binary tree with the most votes, and its votes. Its clades are from the binary trees of the pool.

    The votes of a split depend on its two sides only, not on the tree above or below: so every clade, small ones first,
    gets the best of its splits in two clades of the pool.
    """
    n, size = votes.n, 2 * votes.n - 1
    code, low, interval, order = _clades(pool, n)
    unique, first, clade = np.unique(code, return_index=True, return_inverse=True)
    clade = clade.reshape(len(pool), size)
    low, interval = low[first], interval[first]
    leaves = interval[:, 1] - interval[:, 0]
    splits = [_cross_splits(unique, low, leaves)] if len(pool) > 1 else []
    for r, parent in enumerate(pool):
        child = engine.rooted_tree.child_lists(parent)[1].reshape(-1, 2)
        splits.append(np.stack([clade[r, n:], clade[r, child[:, 0]], clade[r, child[:, 1]]], axis=1))
    split = np.concatenate(splits)
    turned = low[split[:, 1]] > low[split[:, 2]]
    split[turned, 1:] = split[turned][:, [2, 1]]
    split = np.unique(split, axis=0)
    split = split[np.argsort(leaves[split[:, 0]], kind="stable")]
    vote = votes.sources.split_votes(np.concatenate([interval[split[:, 0]], interval[split[:, 1]]], axis=1), order)
    best = np.full(unique.size, -1.0)
    best[leaves == 1] = 0.0
    halves: dict[int, tuple[int, int]] = {}
    for (x, a, b), v in zip(split.tolist(), vote.tolist(), strict=True):
        value = best[a] + best[b] + v
        if value > best[x]:
            best[x] = value
            halves[x] = a, b
    up = np.full(size, -1, np.int32)
    todo, fresh = [(int(clade[0, -1]), -1)], size
    while todo:
        x, above = todo.pop()
        if x in halves:
            fresh -= 1
            up[fresh] = above
            todo += [(y, fresh) for y in halves[x]]
        else:
            up[order[interval[x, 0]]] = above
    return freeze(up), float(best[clade[0, -1]])


def _clades(pool: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For all nodes of all trees: a sum of random numbers for the clade, its smallest leaf, and its leaves.

    The last two arrays are intervals (begin, end), and the concatenated orders of leaves that they index. Clades with
    equal sums are equal, and two clades whose sums add up to a third sum are the sides of the third, except for a
    chance of one in 10**18 or so.
    """
    noise = np.random.default_rng(20261121).integers(0, 2**64, n, dtype=np.uint64)
    code, low, interval, orders = [], [], [], []
    for r, parent in enumerate(pool):
        start, stop, order = engine.rooted_tree.leaf_intervals(parent, n)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(noise[order], dtype=np.uint64)])
        code.append(total[stop] - total[start])
        interval.append(np.stack([start, stop], axis=1) + np.int64(r * n))
        orders.append(order)
        # nodes with the same smallest leaf stand together, the leaf in front
        node = engine.rooted_tree.by_smallest_leaf(parent, n)
        front = np.maximum.accumulate(np.where(node < n, np.arange(node.size), 0))
        smallest = np.empty(node.size, np.int64)
        smallest[node] = node[front]
        low.append(smallest)
    return np.concatenate(code), np.concatenate(low), np.concatenate(interval), np.concatenate(orders)


def _cross_splits(code: np.ndarray, low: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """Splits (clade, side, side) with sides from different trees. The first side has the clade's smallest leaf."""
    by_low = np.argsort(low, kind="stable")
    bound = np.flatnonzero(np.concatenate([[True], np.diff(low[by_low]) > 0, [True]]))
    out = [np.empty((0, 3), np.int64)]
    if (np.diff(bound).astype(np.float64) ** 2).sum() > _MOST_PAIRS:
        return out[0]
    for i, j in zip(bound[:-1].tolist(), bound[1:].tolist(), strict=True):
        group = by_low[i:j]
        whole, side = np.nonzero(leaves[group][:, None] > leaves[group][None, :])
        whole, side = group[whole], group[side]
        rest = code[whole] - code[side]
        at = np.minimum(np.searchsorted(code, rest), code.size - 1)
        known = code[at] == rest
        out.append(np.stack([whole[known], side[known], at[known]], axis=1))
    return np.concatenate(out)


# ----------------------------------------------------------------------
# The votes on each edge of a hierarchy, and the contraction of edges without a majority.


class EdgeVotes:
    """The votes on the triples that only the edge above each inner node decides.

    Attributes
    ----------
    agree, oppose : ndarray of float64, shape (N,)
        By weight, for every node of the hierarchy: triplets ab|c, and ac|b or bc|a, with a, b below different children
        of the node and c below its parent but not below it.
    n_agree, n_oppose : ndarray of int64, shape (N,)
        How many of the trees given have such triplets.
    displayed, contradicted : float
        By weight, of all triplets of all trees.
    """

    def __init__(self, votes: TripletVotes, parent: np.ndarray) -> None:
        N = parent.size
        node, tree, near, cross, agree, oppose = votes.sources.edge_votes(parent).T
        weight, copies = votes.weight[tree], votes.copies[tree]
        self.agree = np.bincount(node, weight * agree, N)
        self.oppose = np.bincount(node, weight * oppose, N)
        self.n_agree = np.bincount(node, copies * (agree > 0), N).astype(np.int64)
        self.n_oppose = np.bincount(node, copies * (oppose > 0), N).astype(np.int64)
        # whole numbers first: of trees of weight 1 the sums are exact
        k = votes.weight.size
        self.displayed = float(np.dot(votes.weight, np.bincount(tree, near, k)))
        self.contradicted = float(np.dot(votes.weight, np.bincount(tree, cross, k)))

    @property
    def support(self) -> np.ndarray:
        """The share that agrees: float64, shape (N,), NaN if there are no votes."""
        votes = self.agree + self.oppose
        return np.divide(self.agree, votes, out=np.full(votes.size, np.nan), where=votes > 0)


class AgreedVotes:
    """The votes of `EdgeVotes` for trees that the hierarchy displays: O(n log n + S log S), whatever its depth."""

    contradicted = 0.0

    def __init__(self, votes: TripletVotes, hierarchy: Hierarchy) -> None:
        self.n_agree = votes.sources.agreeing_trees(votes.copies, hierarchy.parent)
        self.n_oppose = np.zeros_like(self.n_agree)
        self.support = np.where(self.n_agree > 0, 1.0, np.nan)
        self.displayed = votes.total


def _contracted(votes: TripletVotes, parent: np.ndarray, least: float) -> np.ndarray:
    """Contract the edges above inner nodes with at most that support, or no votes, the weakest first.

    Never a parent and a child in one round: when one of them goes, the other decides more triples. So the votes are
    counted anew after each round.
    """
    n = votes.n
    rng = np.random.default_rng(20261121)
    while True:
        key = EdgeVotes(votes, parent).support
        key[np.isnan(key)] = -1.0
        weak = key <= least
        weak[:n] = weak[-1] = False
        if not weak.any():
            return parent
        # ties in random order, so that long chains of equal support are gone in a few rounds
        key = np.where(weak, key + 1e-6 * rng.random(key.size), np.inf)
        around = key.copy()
        np.minimum.at(around, parent[:-1], key[:-1])
        around[:-1] = np.minimum(around[:-1], key[parent[:-1]])
        parent = _without(parent, weak & (key == around))


def _without(parent: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Return the parent array without some nodes, no two of them parent and child: their children move up."""
    up = parent[:-1]
    up = np.append(np.where(gone[up], parent[up], up), np.int32(-1))
    number = (np.cumsum(~gone) - 1).astype(np.int32)
    up = up[~gone]
    return freeze(np.where(up >= 0, number[up], np.int32(-1)))
