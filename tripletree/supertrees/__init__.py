"""Many hierarchies on overlapping leaves -> one hierarchy of all leaves, by votes on triplets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tripletree import _kernels
from tripletree._checks import expect_count, expect_hierarchy
from tripletree._items import check_choice
from tripletree._kernels import freeze
from tripletree._random import generator
from tripletree.hierarchy import Hierarchy
from tripletree.leaves import LeafIndex
from tripletree.supertrees._search import Edges, contracted, most_votes
from tripletree.supertrees._votes import agreed, collect, refuse

__all__ = ["Supertree", "supertree"]


@dataclass(frozen=True, eq=False)
class Supertree:
    """What `supertree` makes of its sources: the hierarchy, and what they say of it.

    A source triplet is a triplet that a source displays; one that several display counts once for each, by its weight.

    Attributes
    ----------
    hierarchy : Hierarchy
        Over the leaves of all sources.
    displayed, contradicted, unresolved : float
        Shares of the source triplets, by weight, that the hierarchy displays, that it resolves otherwise, and that it
        does not resolve. They add up to 1, and are exact but for rounding: every triplet is counted. Sources that
        display no triplet at all have all of none: 1.0, 0.0 and 0.0.
    support : ndarray of float64, shape (inner nodes,)
        Of the source triplets that the clade of an inner node decides, the share that agrees; entry ``u - n_leaves`` is
        that of node u. Decided by a clade, and by no other one, are the triples of leaves a, b below different children
        of its node and c below its parent, but not below it: ab|c agrees, ac|b and bc|a do not. NaN where no source
        says anything of these, as at the root, which has no parent.
    n_agreeing, n_opposing : ndarray of int64, shape (inner nodes,)
        How many sources display such triplets that agree, and that do not; some may have both.
    n_sources : int
        Number of sources.
    consistent : bool
        Whether there is a hierarchy that displays all source triplets; `hierarchy` is one, then.

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
    votes: Literal["triplet", "tree"] = "triplet",
    min_support: float = 0.5,
    on_conflict: Literal["vote", "raise"] = "vote",
    n_starts: int | None = None,
    random_state: Any = None,
    verbose: bool = False,
) -> Supertree:
    """Combine hierarchies on overlapping leaves into one hierarchy of all leaves, by votes on triplets.

    Where some hierarchy displays all triplets of all sources, the answer is that of `one_tree` for them. Otherwise one
    is searched for that displays as many as can be found, and clades that do not have the votes are dropped from it.
    Sources on the same leaves are a special case: the answer is a consensus.

    Parameters
    ----------
    hierarchies : iterable of Hierarchy
        The sources. Nodes with more than two children say nothing of how these belong together; nodes with one child
        say nothing at all. Heights, lengths and names are not used.
    weights : array_like of float, optional
        A positive number for each source; a source of weight 2 counts as two of them. Default 1.
    votes : {"triplet", "tree"}
        What has the weight: each triplet of a source, so that large sources have more votes, or all triplets of a
        source together.
    min_support : float
        Of the triplets that a clade decides and no other one does, more than this share must agree; clades with less
        support are dropped, the weakest first, and so are those of which no source says anything. With 0.5 each
        clade has the majority of its votes, and none is dropped that would be missed: the displayed less the
        contradicted triplets grow. With 0.0 as many as can be found are displayed. Sources that are consistent lose
        nothing either way.
    on_conflict : {"vote", "raise"}
        What to do where the sources contradict each other: count votes, or refuse.
    n_starts : int, optional
        How many trees to grow in the search, from different sources. By default four, fewer where that takes long.
    random_state : None, int, Generator or RandomState
        For the order in which the search hangs leaves. None is a fixed seed: equal sources have equal results.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    Supertree
        ``.hierarchy``, its leaves sorted where they can be compared, otherwise as they come; ``.displayed``,
        ``.contradicted``, ``.unresolved``, ``.support``, ``.consistent``. With a fixed seed, the order of the sources
        does not matter (for leaves that can be sorted), and a source given twice is one of twice the weight.

    Raises
    ------
    ValueError
        If there are no sources, a weight is not positive and finite, there are more or fewer weights than sources, or
        `min_support` is not between 0 and 1 (1 excluded).
    TypeError
        If a source is not a Hierarchy.
    InconsistentTripletsError
        If the sources contradict each other, and `on_conflict` is "raise"; ``.conflict`` says where.

    See Also
    --------
    one_tree : from triplets.
    repair : the same question for a set of triplets.
    compare_triplets : two hierarchies.

    Notes
    -----
    No triplet is ever listed in the search: for a leaf x, one pass over each source that has it tells the votes for all
    places of x in the hierarchy. Trees are grown leaf by leaf, source by source, each leaf hung where most votes want
    it; then leaves, and clades as far as that is not much work, are pruned and regrafted while that helps. The trees
    found are put together to the one with the most votes that has no other clades than they have, as ASTRAL [1]_ and
    STELAR [2]_ do with the clades of their input, and that is improved again. That the triplets of the sources decide
    is the idea of SuperTriplets [3]_.

    A round of moves of all leaves takes O(k n**2 + sum of m**2 log(m)**2) for n leaves and k sources per leaf, of m
    leaves each; the support takes O(depth times the leaves of all sources). Memory is linear.

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
    starts = None if n_starts is None else expect_count(n_starts, "n_starts", 1)
    sources = _sources(hierarchies)
    leaves = _union(sources)
    all_votes = collect(sources, leaves, _weights(weights, len(sources)), per_tree=votes == "tree")
    parent = agreed(sources, all_votes, leaves)
    consistent = parent is not None
    if parent is None:
        if on_conflict == "raise":
            refuse(sources, leaves)
        with _progress(verbose) as tick:
            parent = contracted(all_votes, most_votes(all_votes, rng, starts, tick), least)
    n, total = len(leaves), all_votes.total
    parent = freeze(_kernels.rooted_tree.canonical_parent(parent, n))
    edges = Edges(all_votes, parent)
    displayed, contradicted = (edges.displayed / total, edges.contradicted / total) if total else (1.0, 0.0)
    return Supertree(
        hierarchy=Hierarchy(parent, leaves),
        displayed=displayed,
        contradicted=contradicted,
        unresolved=max(0.0, (total - edges.displayed - edges.contradicted) / total) if total else 0.0,
        support=freeze(edges.support[n:]),
        n_agreeing=freeze(edges.n_agree[n:]),
        n_opposing=freeze(edges.n_oppose[n:]),
        n_sources=len(sources),
        consistent=consistent,
    )


def _sources(hierarchies: Any) -> list[Hierarchy]:
    """The sources as a list; a clear error for anything else."""
    if isinstance(hierarchies, Hierarchy) or not isinstance(hierarchies, Iterable):
        msg = f"an iterable of hierarchies is wanted, such as a list of them, not {hierarchies!r:.60}"
        raise TypeError(msg)
    sources = list(hierarchies)
    if not sources:
        msg = "there are no hierarchies to combine: give at least one"
        raise ValueError(msg)
    for k, source in enumerate(sources):
        try:
            expect_hierarchy(source)
        except TypeError as error:
            msg = f"source {k}: {error}"
            raise TypeError(msg) from None
    return sources


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
    """The least support as a number from 0 to below 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        msg = f"min_support must be a number, not {value!r}"
        raise TypeError(msg)
    if not 0.0 <= value < 1.0:
        msg = f"min_support is {value}; it must be at least 0 and below 1"
        raise ValueError(msg)
    return float(value)


def _union(sources: Sequence[Hierarchy]) -> LeafIndex:
    """All leaves, sorted where their kind can be."""
    labels = list(dict.fromkeys(x for h in sources for x in h.leaves))
    try:
        return LeafIndex(sorted(labels))
    except TypeError:
        return LeafIndex(labels)


@contextmanager
def _progress(verbose: bool) -> Iterator[Callable[[int], Any] | None]:
    """A function that moves a bar in the terminal or notebook, None where none is wanted; no bar outlives an error."""
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc="supertree", unit=" moves tried") as bar:
        try:
            yield bar.update
        except BaseException:
            bar.leave = False
            raise
