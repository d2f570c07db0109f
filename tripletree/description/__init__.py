"""What a set of triplets amounts to: how much it settles, how much of it is news, and whether a metric agrees."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import comb, lgamma, log
from typing import Any

import numpy as np

from tripletree._checks import expect_count, expect_triplets
from tripletree.counting import informativeness
from tripletree.description._coherence import Coherence, coherence
from tripletree.description._text import percent, text_of, title_of
from tripletree.errors import LimitExceededError
from tripletree.hierarchy import Hierarchy
from tripletree.inference import closure_size, redundant
from tripletree.split import split_down
from tripletree.triplets import TripletSet

__all__ = ["Coherence", "Description", "TreeShape", "describe"]

#: Work beyond which the closure and the redundancy are left out unless told otherwise: about half a minute each.
DEFAULT_WORK = 1_000_000_000
#: First splits beyond which the information is left out unless told otherwise: some seconds.
DEFAULT_SPLITS = 5_000
_NEEDS_CONSISTENCY = ("closure_size", "redundant", "information", "tree")


@dataclass(frozen=True)
class TreeShape:
    """The shape of the hierarchy that `one_tree` builds.

    Attributes
    ----------
    n_inner_nodes : int
    depth : int
        Edges between the root and the deepest leaf.
    mean_depth : float
        Of the leaves: Sackin's index over their number.
    root_children : int
        Leaves in no triplet are among them.
    most_children : int
        Of any node, the root included.

    Examples
    --------
    >>> describe(TripletSet.from_labels([("a", "b", "c")])).tree
    TreeShape(n_inner_nodes=2, depth=2, mean_depth=1.6666666666666667, root_children=2, most_children=2)
    """

    n_inner_nodes: int
    depth: int
    mean_depth: float
    root_children: int
    most_children: int


@dataclass(frozen=True, repr=False)
class Description:
    """What `describe` has found; ``print`` shows it in words.

    Attributes
    ----------
    n_leaves, n_covered : int
        The leaves, and those of them that occur in some triplet.
    n_parts, largest_part : int
        The parts into which the covered leaves fall where leaves of one triplet belong together, and the leaves of the
        largest.
    n_triplets : int
    weight : float or None
        The weights added up, None without weights.
    consistent : bool
    n_failing_leaves, n_failing_triplets : int
        Of an inconsistent set: the size of a group of leaves for which no first split exists, and the triplets inside
        it; else 0.
    closure_size : int or None
        The triplets that are implied, those given included.
    redundant : int or None
        Triplets that all others together imply.
    information : float or None
        `informativeness`, in bits.
    tree : TreeShape or None
        Of the hierarchy that `one_tree` builds.
    coherence : Coherence or None
        None without data.
    reasons : dict of str to str
        Why an attribute is None, by its name; `coherence` without data needs none.

    Examples
    --------
    >>> d = describe(TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a")]))
    >>> d
    <Description: 2 triplets on 3 leaves, inconsistent>
    >>> d.closure_size, d.reasons["closure_size"]
    (None, 'needs a consistent set')
    """

    n_leaves: int
    n_covered: int
    n_parts: int
    largest_part: int
    n_triplets: int
    weight: float | None
    consistent: bool
    n_failing_leaves: int = 0
    n_failing_triplets: int = 0
    closure_size: int | None = None
    redundant: int | None = None
    information: float | None = None
    tree: TreeShape | None = None
    coherence: Coherence | None = None
    reasons: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def ratio(self) -> float | None:
        """Triplets for each leaf; None without leaves."""
        return self.n_triplets / self.n_leaves if self.n_leaves else None

    @property
    def ratio_covered(self) -> float | None:
        """Triplets for each leaf that occurs in some; None where none does."""
        return self.n_triplets / self.n_covered if self.n_covered else None

    @property
    def resolved(self) -> float | None:
        """The share of the triples of leaves that the triplets settle; None where it is not known, or no triple."""
        triples = comb(self.n_leaves, 3)
        return None if self.closure_size is None or triples == 0 else self.closure_size / triples

    @property
    def redundancy(self) -> float | None:
        """The share of the triplets that all others imply; None where it is not known, or no triplet."""
        return None if self.redundant is None or self.n_triplets == 0 else self.redundant / self.n_triplets

    @property
    def all_information(self) -> float:
        """The bits that tell one binary hierarchy of so many leaves from all others: log2((2n - 3)!!)."""
        n = self.n_leaves
        return (lgamma(2 * n - 1) - lgamma(n)) / log(2) - (n - 1) if n > 2 else 0.0

    @property
    def information_share(self) -> float | None:
        """`information` as a share of `all_information`; None where it is not known, or below three leaves."""
        if self.information is None or self.n_leaves < 3:
            return None
        everything = self.all_information
        # where more than one hierarchy is left, a bit is missing at the least
        return 1.0 if everything - self.information < 0.5 else self.information / everything

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `json` can write.

        Examples
        --------
        >>> found = describe(TripletSet.from_labels([("a", "b", "c")])).to_dict()
        >>> found["resolved"], found["tree"]["depth"]
        (1.0, 2)
        """
        derived = ("ratio", "ratio_covered", "resolved", "redundancy", "all_information", "information_share")
        return {**asdict(self), **{name: getattr(self, name) for name in derived}}

    def __repr__(self) -> str:
        state = "consistent" if self.consistent else "inconsistent"
        triples = comb(self.n_leaves, 3)
        settled = (
            f", {percent(self.closure_size, triples)} settled" if self.closure_size is not None and triples else ""
        )
        return f"<Description: {title_of(self)}, {state}{settled}>"

    def __str__(self) -> str:
        return text_of(self)


def describe(
    triplets: TripletSet,
    X: Any = None,
    *,
    metric: Any = "euclidean",
    max_work: int | None = DEFAULT_WORK,
    max_splits: int | None = DEFAULT_SPLITS,
) -> Description:
    """Tell what a set of triplets amounts to: what it settles, what in it is news, and whether a metric agrees.

    Parameters
    ----------
    triplets : TripletSet
        Consistent or not.
    X : array_like or DataFrame, shape (n_samples, n_features), optional
        The samples that the triplets are about, aligned as `cluster.ReCon` does it: by the index of a DataFrame, else
        by row numbers. Then all samples are the leaves, those in no triplet included, and there is a `coherence`.
    metric : str, callable or fitted transformer
        As in `cluster.ReCon`: a metric of ``scipy.spatial.distance``, or "precomputed" where X holds distances.
    max_work : int or None
        Leave out what is implied, or redundant, where telling it takes more than this, see `implies`.
    max_splits : int or None
        Leave out the information where it takes more than this, see `count_hierarchies`.

    Returns
    -------
    Description
        What an inconsistent set cannot have, or what takes too much work, is None there, and ``.reasons`` says why.

    Raises
    ------
    UnknownLeafError
        If a triplet names a sample that X has not.
    ValueError
        If X holds anything but finite numbers, or a distance is not defined.
    TypeError
        If `triplets` is no TripletSet.

    See Also
    --------
    find_conflict : why a set is inconsistent.
    closure : what is implied, listed. redundant, minimal : what can be dropped.

    Notes
    -----
    Coherence carries an idea of Davidson, Wagstaff and Basu [1]_ over to triplets. They judge sets of pairwise
    constraints by how far these agree with each other under the metric, and by how much they tell an algorithm that it
    does not find by itself; here it is the share of the triplets with which the metric agrees, before any clustering.
    A low share: the triplets say what the metric does not, so another metric may serve better, or many are wrong. A
    high one: they say little that the distances do not.

    `closure_size` and `redundant` state what they cost, which `max_work` bounds. The other parts take O((n + m) log n)
    or little more. Distances take O(m d), in blocks: 150 MB beside X for 1,000,000 triplets of 64 features.

    References
    ----------
    .. [1] Davidson, Wagstaff, Basu (2006), Measuring constraint-set utility for partitional clustering algorithms,
       PKDD 2006, LNCS 4213, 115-126.

    Examples
    --------
    >>> t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])
    >>> d = describe(t)
    >>> d
    <Description: 2 triplets on 4 leaves, consistent, all settled>
    >>> d.closure_size, d.redundant, d.ratio, d.tree.depth
    (4, 0, 0.5, 3)
    """
    triplets = expect_triplets(triplets)
    for limit, name in ((max_work, "max_work"), (max_splits, "max_splits")):
        if limit is not None:
            expect_count(limit, name)
    found: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    if X is not None:
        triplets, found["coherence"] = coherence(triplets, X, metric)
        if found["coherence"] is None:
            reasons["coherence"] = "there are no triplets"
    n, m = len(triplets.leaves), len(triplets)
    parent, failed = split_down(triplets.rows, n) if n else (np.empty(0, np.int32),) * 2
    if failed.size:
        inside = np.isin(triplets.rows, failed).all(axis=1)
        found.update(n_failing_leaves=failed.size, n_failing_triplets=int(inside.sum()))
        reasons.update(dict.fromkeys(_NEEDS_CONSISTENCY, "needs a consistent set"))
    elif n == 0:
        reasons.update(dict.fromkeys(_NEEDS_CONSISTENCY, "there are no leaves"))
    else:
        found["tree"] = _shape(Hierarchy(parent, triplets.leaves))
        steps = f"takes more than {max_work:,} steps of work" if max_work is not None else ""
        splits = f"takes more than {max_splits:,} first splits" if max_splits is not None else ""
        for name, ask, limit, why in (
            ("closure_size", closure_size, max_work, steps),
            ("redundant", lambda t, *, max_work: int(redundant(t, max_work=max_work).sum()), max_work, steps),
            ("information", informativeness, max_splits, splits),
        ):
            try:
                found[name] = ask(triplets, max_work=limit)
            except LimitExceededError:
                reasons[name] = why
    n_parts, largest = _parts(triplets)
    return Description(
        n_leaves=n,
        n_covered=int(triplets.used_leaves.size),
        n_parts=n_parts,
        largest_part=largest,
        n_triplets=m,
        weight=None if triplets.weights is None else float(triplets.weights.sum()),
        consistent=failed.size == 0,
        reasons=reasons,
        **found,
    )


def _shape(tree: Hierarchy) -> TreeShape:
    n, degree = tree.n_leaves, tree.n_children
    leaf_depth = tree.depth[:n]
    return TreeShape(
        n_inner_nodes=tree.n_nodes - n,
        depth=int(leaf_depth.max()),
        mean_depth=float(leaf_depth.mean()),
        root_children=int(degree[tree.root]),
        most_children=int(degree.max()),
    )


def _parts(triplets: TripletSet) -> tuple[int, int]:
    """Number of parts of the covered leaves, and the size of the largest."""
    used = triplets.used_leaves.size
    if used == 0:
        return 0, 0
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, (a, b, c) = len(triplets.leaves), triplets.rows.T
    ends = np.concatenate([a, b]), np.concatenate([b, c])
    count, part = connected_components(coo_array((np.ones(ends[0].size, np.bool_), ends), shape=(n, n)), directed=False)
    return int(count) - (n - used), int(np.bincount(part).max())
