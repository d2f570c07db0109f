"""The snapshots one after the other: the course of the clusters through time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tripletree.cluster.active import Neighbours, as_strategy, inherited_pairs
from tripletree.cluster.active.questions import QueryLoop
from tripletree.cluster.active.state import QueryState
from tripletree.cluster.kmeans.cvqe import CVQE, HistoricalCost, cvqe_plus
from tripletree.cluster.kmeans.lloyd import Points, starting_centres
from tripletree.cluster.temporal.matching import (
    Fading,
    KnownPairs,
    Memory,
    match_clusters,
    moves,
    nearest_order,
    pairs_at,
    pairs_since,
)
from tripletree.cluster.temporal.windows import Window
from tripletree.core.checks import check_call
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import Tick
from tripletree.core.times import time_text
from tripletree.errors import ClusterCountError

# ----------------------------------------------------------------------
# One snapshot: clustered from where the one before ended, at a price for centres that move away.


@dataclass(frozen=True, eq=False)
class Link:
    """The result for one snapshot, which the next one starts from.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centres : ndarray of float64, shape (k, d)
    total : float
        The cost that was minimised.
    n_iter : int
    objects : ndarray of int64, shape (n,)
        Increasing numbers of the objects.
    """

    labels: np.ndarray
    centres: np.ndarray
    total: float
    n_iter: int
    objects: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """Objects in each cluster."""
        return np.bincount(self.labels, minlength=len(self.centres)).astype(np.float64)

    def mass(self, each: float | str) -> np.ndarray:
        """Return how many objects each centre counts as later: a number, or by "size" as many as the cluster has.

        A tiny number, but not 0, for an empty cluster.
        """
        return np.maximum(self.sizes if isinstance(each, str) else np.full(len(self.centres), float(each)), 1e-9)


def first_link(
    samples: np.ndarray,
    objects: np.ndarray,
    pairs: PairwiseConstraints,
    rng: np.random.Generator,
    *,
    n_clusters: int,
    start: np.ndarray | None,
    fresh: bool,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Link:
    """Cluster the first snapshot, by CVQE+ as it is, from `start`, if there is one, and from fresh centres."""
    seed = int(rng.integers(2**31 - 1))
    best: Link | None = None
    starts: list[Any] = ([] if start is None else [start]) + (["k-means++"] if fresh else [])
    for init in starts:
        model = CVQE(n_clusters, init=init, n_init=n_init, max_iter=max_iter, tol=tol, random_state=seed)
        model.fit(samples, pairs=pairs)
        if best is None or model.objective_ < best.total * (1 - 1e-9):
            best = Link(model.labels_, model.cluster_centers_, model.objective_, model.n_iter_, objects)
    assert best is not None
    return best


def next_link(
    before: Link,
    samples: np.ndarray,
    objects: np.ndarray,
    pairs: PairwiseConstraints,
    rng: np.random.Generator,
    *,
    alpha: float,
    mass: np.ndarray,
    closest: bool,
    start: np.ndarray | None,
    fresh: bool,
    n_init: int,
    max_iter: int,
    tol: float,
) -> Link:
    """Cluster a snapshot from `start`, if there is one, and from the centres of the one before and fresh ones.

    The least cost counts. Fresh centres are ordered so that they lie near the earlier ones. Without a price on moving
    (alpha = 0) the numbers of clusters mean nothing to the cost: they are matched by the objects that stay together.
    """
    points = Points.of(samples)
    k = len(before.centres)

    def run(centres: np.ndarray) -> Link:
        must, cannot = rng.permutation(len(pairs.must_link)), rng.permutation(len(pairs.cannot_link))
        found = cvqe_plus(
            samples,
            pairs.must_link[must],
            pairs.cannot_link[cannot],
            None if pairs.must_weights is None else pairs.must_weights[must],
            None if pairs.cannot_weights is None else pairs.cannot_weights[cannot],
            centres,
            history=(before.centres, alpha),
            history_mass=mass,
            history_closest=closest,
            max_iter=max_iter,
            tol=tol,
        )
        return Link(found.labels, found.centers, found.cost, found.n_iter, objects)

    best = run(before.centres if start is None else start)
    if start is not None and fresh:
        best = _cheaper(best, run(before.centres))
    tried: set[bytes] = set()  # without pairs nothing but the start is left to chance
    for _ in range(n_init - 1 if fresh and len(samples) >= k else 0):
        drawn = starting_centres(points, k, rng)
        drawn = drawn[nearest_order(drawn, before.centres)]
        if drawn.tobytes() in tried:
            continue
        if not len(pairs):
            tried.add(drawn.tobytes())
        best = _cheaper(best, run(drawn))
    return best if alpha > 0 else _renumbered(best, before)


def _cheaper(best: Link, other: Link) -> Link:
    return other if other.total < best.total * (1 - 1e-9) else best


def _renumbered(link: Link, before: Link) -> Link:
    """Return the same clusters, numbered like the earlier ones with which they share the most objects."""
    k = len(link.centres)
    stay, old, new = np.intersect1d(before.objects, link.objects, assume_unique=True, return_indices=True)
    if not stay.size:
        return link
    goes_on = np.full(k, -1, np.int64)
    matched = match_clusters(before.labels[old], link.labels[new])
    goes_on[: matched.size] = matched
    free = iter(np.setdiff1d(np.arange(k), goes_on).tolist())
    number = np.array([next(free) if x < 0 else x for x in goes_on.tolist()])
    centres = np.empty_like(link.centres)
    centres[number] = link.centres
    return Link(number[link.labels].astype(np.int32), centres, link.total, link.n_iter, link.objects)


# ----------------------------------------------------------------------
# Questions about pairs of objects in one snapshot after the other, and the answers.

#: Questions between two clusterings.
_BLOCK = 10
#: Called with two objects and the start of a snapshot. True: they belong together then, False, None: not known.
TimedOracle = Callable[[Hashable, Hashable, Any], bool | None]


class Inquiry:
    """The oracle, the way to ask, and the answers so far.

    Attributes
    ----------
    queries : list of (time, label, label, answer)
        In order.
    answers : dict of time to PairwiseConstraints
        Over all objects.
    """

    def __init__(self, oracle: TimedOracle, leaves: LeafIndex, *, strategy: Any, n_queries: int) -> None:
        if not callable(oracle):
            msg = (
                "oracle must be a function of two objects and a time that returns True (together), False or None, not "
                f"{type(oracle).__name__}"
            )
            raise TypeError(msg)
        what = "oracle(a, b, time), a function of two objects and the start of a snapshot"
        check_call(oracle, what, 3, ". If time does not matter: lambda a, b, time: oracle(a, b)")
        self._oracle, self._leaves = oracle, leaves
        self._strategy, self._n_queries = as_strategy(strategy), n_queries
        self.queries: list[tuple[Any, Hashable, Hashable, bool | None]] = []
        self.answers: dict[Any, PairwiseConstraints] = {}

    def ask(
        self,
        samples: np.ndarray,
        objects: np.ndarray,
        when: Any,
        given: PairwiseConstraints,
        cluster: Callable[..., tuple[Link, PairwiseConstraints]],
        neighbours: Neighbours,
        rng: np.random.Generator,
    ) -> tuple[Link, PairwiseConstraints]:
        """Ask about a snapshot, clustering it again between blocks. Answers are kept even if the oracle fails.

        As in `ActiveClustering`, each clustering starts where the previous one ended, and after 1, 2, 4, 8, ... blocks
        and at the end a fresh start is tried as well.

        Parameters
        ----------
        samples : ndarray of float64, shape (n, d)
        objects : ndarray of int64, shape (n,)
            Numbers of the objects, increasing.
        when : number, datetime64 or str
            Start of the snapshot.
        given : PairwiseConstraints
            The pairs known in this snapshot, over the n samples by row number.
        cluster : callable
            ``cluster(pairs, start, fresh)``: the clustering with these known pairs, and all pairs used in it.
        neighbours : Neighbours
        rng : Generator
            For the strategy.

        Returns
        -------
        link : Link
            The clustering with all answers.
        used : PairwiseConstraints
            All pairs used in it.
        """
        names = LeafIndex([self._leaves[i] for i in objects.tolist()])
        weights: dict[str, Any] = {"must_weights": given.must_weights, "cannot_weights": given.cannot_weights}
        labelled = PairwiseConstraints(given.must_link, given.cannot_link, names, **weights)

        def oracle(a: Hashable, b: Hashable) -> bool | None:
            return self._oracle(a, b, when)

        loop = QueryLoop(oracle, self._n_queries, labelled, on_contradiction="warn")
        loop.take_in(labelled)
        start: np.ndarray | None = None
        turn = 0
        try:
            while True:
                fresh = turn & (turn - 1) == 0 or loop.left <= 0
                link, used = cluster(loop.by_row(certain=False), start, fresh)
                if loop.left <= 0:
                    break
                start, turn = link.centres, turn + 1
                state = QueryState(
                    X=samples,
                    labels=link.labels.astype(np.int64),
                    centers=link.centres,
                    pairs=used,
                    n_clusters=len(link.centres),
                    random_state=rng,
                    weighted=used,
                    known=loop.known,
                    neighbours=neighbours,
                )
                if loop.ask_block(self._strategy, _BLOCK, state) == 0:
                    loop.warn_of_end()
                    break
        finally:
            links: dict[bool | None, list] = {True: [], False: [], None: []}
            for a, b, said in loop.asked:
                self.queries.append((when, a, b, said))
                links[said].append((int(objects[names.index(a)]), int(objects[names.index(b)])))
            together, apart = (np.array(links[kind], np.int64).reshape(-1, 2) for kind in (True, False))
            self.answers[when] = PairwiseConstraints(together, apart, self._leaves)
        return link, used


class Settings(NamedTuple):
    """Parameters of `TemporalClustering` that the course depends on."""

    n_clusters: int
    alpha: float
    history: str
    history_mass: float | str
    fading: float | str
    backward: bool
    inherit: bool
    propagate_inherited: bool
    n_neighbors: int
    n_init: int
    max_iter: int
    tol: float

    @property
    def run(self) -> dict[str, Any]:
        """The centres of a start."""
        return {"n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The result for a window of time.

    Attributes
    ----------
    start, end : number, datetime64 or str
        The window: from `start` on, up to but not including `end`. Both are the same where each different time is one.
    leaves : LeafIndex
        The objects that are there.
    labels : ndarray of int32, shape (n_objects,)
        The cluster of each. A cluster keeps its number through time.
    centers : ndarray of float64, shape (n_clusters, n_features)
        A cluster without objects has the centre of the snapshot before.
    pairs : PairwiseConstraints
        The pairs that counted: pairs known there, pairs handed on from other snapshots with the weights that they had
        left, and pairs that neighbours inherited.
    violated_pairs : PairwiseConstraints
        The pairs among them that `labels` violates.
    cost : float
        The cost of CVQE+: squared distances and violated pairs.
    historical_cost : float
        Squared distances of the centres to the earlier centres, each times the objects that the latter count as. 0 in
        the first.
    n_iter : int
        Iterations that it took.
    rows : ndarray of int64
        The rows of X in the window, in the order of time.
    """

    start: Any
    end: Any
    leaves: LeafIndex
    labels: np.ndarray
    centers: np.ndarray
    pairs: PairwiseConstraints
    violated_pairs: PairwiseConstraints
    cost: float
    historical_cost: float
    n_iter: int
    rows: np.ndarray

    def __repr__(self) -> str:
        n, k = len(self.leaves), np.unique(self.labels).size
        when = time_text(self.start) if self.start == self.end else f"{time_text(self.start)} to {time_text(self.end)}"
        return f"<Snapshot {when}: {n} objects in {k} clusters>"


def follow(
    cut: list[Window],
    seen: list[tuple[np.ndarray, np.ndarray]],
    memory: Memory,
    leaves: LeafIndex,
    settings: Settings,
    rng: np.random.Generator,
    inquiry: Inquiry | None,
    tick: Tick,
    *,
    learns: bool,
) -> tuple[list[Snapshot], list[np.ndarray]]:
    """Cluster one snapshot after the other.

    Parameters
    ----------
    cut : list of Window
    seen : list of (ndarray of shape (n, d), ndarray of int)
        For each, the samples and the numbers of their objects, increasing.
    memory : Memory
        Pairs, and when they became known. With an inquiry it grows by the answers.
    leaves : LeafIndex
        All objects.
    settings : Settings
    rng : Generator
    inquiry : Inquiry or None
    tick : callable
        Called with 1 after each snapshot.
    learns : bool
        Whether inherited pairs are added to the memory, if they are propagated.

    Returns
    -------
    snapshots : list of Snapshot
    transitions : list of ndarray of int64, shape (k + 1, k + 1)
    """
    middle, k = seen[0][0].mean(axis=0), settings.n_clusters
    before: Link | None = None
    snapshots: list[Snapshot] = []
    transitions: list[np.ndarray] = []

    fading = Fading(settings.fading, settings.backward, cut)
    for t, (window, (samples, objects)) in enumerate(zip(cut, seen, strict=True)):
        samples = samples - middle
        if before is None:
            _check_number(k, len(samples), window)
        main, propagated = pairs_at(memory, t, objects, fading)
        neighbours = Neighbours(samples)

        def cluster(
            known: PairwiseConstraints,
            start: np.ndarray | None = None,
            fresh: bool = True,
            *,
            samples: np.ndarray = samples,
            objects: np.ndarray = objects,
            before: Link | None = before,
            propagated: PairwiseConstraints = propagated,
            neighbours: Neighbours = neighbours,
        ) -> tuple[Link, PairwiseConstraints]:
            """Return the clustering with these known pairs, and all pairs used in it."""
            mu = settings.n_neighbors if settings.inherit else 0
            used = inherited_pairs(known, neighbours, mu, nonconfident=propagated)
            how: dict[str, Any] = {"start": start, "fresh": fresh, **settings.run}
            if before is None:
                return first_link(samples, objects, used, rng, n_clusters=k, **how), used
            mass, closest = before.mass(settings.history_mass), settings.history == "closest"
            how |= {"alpha": settings.alpha, "mass": mass, "closest": closest}
            return next_link(before, samples, objects, used, rng, **how), used

        if inquiry is None:
            link, used = cluster(main)
        else:
            link, used = inquiry.ask(samples, objects, window.start, main, cluster, neighbours, rng)
            memory.add(pairs_since(inquiry.answers[window.start], t))
        if learns and settings.inherit and settings.propagate_inherited:
            main, _ = pairs_at(memory, t, objects, fading)
            memory.add(_inherited_since(main, t, objects, len(leaves), neighbours, settings.n_neighbors))
        if before is not None:
            transitions.append(_moved(before, link))
        names = LeafIndex([leaves[i] for i in objects.tolist()])
        weights: dict[str, Any] = {"must_weights": used.must_weights, "cannot_weights": used.cannot_weights}
        pairs = PairwiseConstraints(used.must_link, used.cannot_link, names, **weights)
        snapshots.append(_snapshot(window, link, before, pairs, middle, settings))
        before = link
        tick(1)
    return snapshots, transitions


def _inherited_since(
    main: PairwiseConstraints, t: int, objects: np.ndarray, n: int, neighbours: Neighbours, n_neighbors: int
) -> KnownPairs:
    """Return the pairs known in snapshot t as its neighbours inherit them, by numbers of all n objects."""
    known = {(a, b) for a, b in main.rows.tolist()}
    every = inherited_pairs(main, neighbours, n_neighbors)
    must, cannot = (
        np.array([(a, b) not in known for a, b in rows.tolist()], np.bool_)
        for rows in (every.must_link, every.cannot_link)
    )
    new = every.subset(must_link=must, cannot_link=cannot)
    weights: dict[str, Any] = {"must_weights": new.must_weights, "cannot_weights": new.cannot_weights}
    return pairs_since(
        PairwiseConstraints(objects[new.must_link], objects[new.cannot_link], n, **weights), t, inherited=True
    )


def _check_number(n_clusters: int, n: int, window: Window) -> None:
    if n < n_clusters:
        msg = (
            f"n_clusters={n_clusters} but n_samples={n} objects in the first snapshot, at {window.start!s}: there "
            "cannot be more clusters than samples there; take fewer, or a longer window"
        )
        raise ClusterCountError(msg, n_clusters=n_clusters, nearest=(n,))


def _moved(before: Link, link: Link) -> np.ndarray:
    """Return how many objects go from which cluster to which."""
    k = len(link.centres)
    some = np.union1d(before.objects, link.objects)
    both = np.full((2, some.size), -1, np.int64)
    for label, at in zip(both, (before, link), strict=True):
        label[np.searchsorted(some, at.objects)] = at.labels
    return moves(both[0], both[1], (k, k))


def _snapshot(
    window: Window, link: Link, before: Link | None, pairs: PairwiseConstraints, middle: np.ndarray, settings: Settings
) -> Snapshot:
    label, violated = link.labels, pairs.violated(link.labels)
    past, cost = 0.0, link.total
    if before is not None:
        mass, closest = before.mass(settings.history_mass), settings.history == "closest"
        past = HistoricalCost(before.centres, settings.alpha, mass, closest).cost(link.centres)
        cost = (link.total - settings.alpha * past) / (1 - settings.alpha)
    return Snapshot(
        window.start, window.end, pairs.leaves, label, link.centres + middle, pairs, violated, cost, past, link.n_iter,
        window.rows,
    )  # fmt: skip
