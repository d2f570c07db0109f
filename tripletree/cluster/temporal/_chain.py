"""The snapshots one after the other: the course of the clusters through time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tripletree._times import time_text
from tripletree.cluster.cvqe import CVQEPlus
from tripletree.cluster.temporal._asking import Inquiry
from tripletree.cluster.temporal._link import Link, next_link
from tripletree.cluster.temporal._matching import moves
from tripletree.cluster.temporal._passing import Memory, pairs_at, pairs_since
from tripletree.cluster.temporal._windows import Window
from tripletree.errors import ClusterCountError
from tripletree.leaves import LeafIndex
from tripletree.pairs import PairwiseConstraints

__all__ = ["Settings", "Snapshot", "follow"]


class Settings(NamedTuple):
    """Parameters of `TemporalClustering` that the course depends on."""

    n_clusters: int
    alpha: float
    fading: float
    backward: bool
    n_init: int
    max_iter: int
    tol: float

    @property
    def run(self) -> dict[str, Any]:
        """Those of a start."""
        return {"n_init": self.n_init, "max_iter": self.max_iter, "tol": self.tol}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What was found for a window of time.

    Attributes
    ----------
    start, end : number, datetime64 or str
        The window: from `start` on, up to but not including `end`; both are the same where each different time is one.
    leaves : LeafIndex
        The objects that are there.
    labels : ndarray of int32, shape (n_objects,)
        The cluster of each; a cluster keeps its number through time.
    centers : ndarray of float64, shape (n_clusters, n_features)
        A cluster without objects has the centre of the snapshot before.
    pairs : PairwiseConstraints
        The pairs that counted, with the strengths that they had left.
    violated_pairs : PairwiseConstraints
        Those of them that `labels` violates.
    cost : float
        The cost of CVQE+: squared distances and violated pairs.
    historical_cost : float
        Squared distances of the centres to those before, each times the objects that its cluster had. 0 in the first.
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
    tick: Callable[[int], Any] | None,
) -> tuple[list[Snapshot], list[np.ndarray]]:
    """Cluster one snapshot after the other.

    Parameters
    ----------
    cut : list of Window
    seen : list of (ndarray of shape (n, d), ndarray of int)
        Of each, the samples and the numbers of their objects, increasing.
    memory : Memory
        Pairs, and when they became known. With an inquiry it grows by the answers.
    leaves : LeafIndex
        All objects.
    settings : Settings
    rng : Generator
    inquiry : Inquiry or None
    tick : callable or None
        Called with 1 after each snapshot.

    Returns
    -------
    snapshots : list of Snapshot
    transitions : list of ndarray of int64, shape (k + 1, k + 1)

    Raises
    ------
    ClusterCountError
        If the first has fewer objects than clusters.
    """
    middle, k = seen[0][0].mean(axis=0), settings.n_clusters
    before: Link | None = None
    snapshots: list[Snapshot] = []
    transitions: list[np.ndarray] = []

    def known_at(t: int, names: LeafIndex) -> PairwiseConstraints:
        return pairs_at(memory, t, seen[t][1], names, fading=settings.fading, backward=settings.backward)

    for t, (window, (samples, objects)) in enumerate(zip(cut, seen, strict=True)):
        samples = samples - middle
        if before is None:
            _check_number(k, len(samples), window)
        if inquiry is not None:
            start: dict[str, Any] = {} if before is None else {"init": before.centres}
            model = CVQEPlus(k, random_state=int(rng.integers(2**31 - 1)), **settings.run, **start)
            said = inquiry.ask(samples, objects, window.start, known_at(t, LeafIndex(len(samples))), model, rng)
            memory.add(pairs_since(said, t))
        pairs = known_at(t, LeafIndex([leaves[i] for i in objects.tolist()]))
        if before is None:
            link = _first_link(samples, objects, pairs, settings, rng)
        else:
            link = next_link(before, samples, objects, pairs, rng, alpha=settings.alpha, **settings.run)
            transitions.append(_moved(before, link))
        snapshots.append(_snapshot(window, link, before, pairs, middle, settings.alpha))
        before = link
        if tick is not None:
            tick(1)
    return snapshots, transitions


def _check_number(n_clusters: int, n: int, window: Window) -> None:
    if n < n_clusters:
        msg = (
            f"n_clusters={n_clusters} but n_samples={n} objects in the first snapshot, at {window.start!s}: there "
            "cannot be more clusters than samples there; take fewer, or a longer window"
        )
        raise ClusterCountError(msg, n_clusters=n_clusters, nearest=(n,))


def _first_link(
    samples: np.ndarray, objects: np.ndarray, pairs: PairwiseConstraints, settings: Settings, rng: np.random.Generator
) -> Link:
    """The first snapshot, by CVQE+ as it is."""
    strong: dict[str, Any] = {"must_strength": pairs.must_strength, "cannot_strength": pairs.cannot_strength}
    numbered = PairwiseConstraints(pairs.must_link, pairs.cannot_link, len(samples), **strong)
    model = CVQEPlus(settings.n_clusters, random_state=int(rng.integers(2**31 - 1)), **settings.run)
    model.fit(samples, pairs=numbered)
    return Link(model.labels_, model.cluster_centers_, model.objective_, model.n_iter_, objects)


def _moved(before: Link, link: Link) -> np.ndarray:
    """How many objects go from which cluster to which."""
    k = len(link.centres)
    some = np.union1d(before.objects, link.objects)
    both = np.full((2, some.size), -1, np.int64)
    for label, at in zip(both, (before, link), strict=True):
        label[np.searchsorted(some, at.objects)] = at.labels
    return moves(both[0], both[1], (k, k))


def _snapshot(
    window: Window,
    link: Link,
    before: Link | None,
    pairs: PairwiseConstraints,
    middle: np.ndarray,
    alpha: float,
) -> Snapshot:
    (a, b), (c, d), label = pairs.must_link.T, pairs.cannot_link.T, link.labels
    violated = pairs.subset(must_link=label[a] != label[b], cannot_link=label[c] == label[d])
    past, cost = 0.0, link.total
    if before is not None:
        past = float((before.sizes * np.square(link.centres - before.centres).sum(axis=1)).sum())
        cost = (link.total - alpha * past) / (1 - alpha)
    return Snapshot(
        window.start, window.end, pairs.leaves, label, link.centres + middle, pairs, violated, cost, past, link.n_iter,
        window.rows,
    )  # fmt: skip
