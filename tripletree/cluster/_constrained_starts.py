"""Constrained k-means from several starts and for several numbers of clusters; what there is to say where none fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from tripletree.cluster._assignment_search import CannotGraph, NotColourable
from tripletree.cluster._constrained_lloyd import GroupCentres, Run, run_lloyd
from tripletree.cluster._lloyd import checked_start, tolerance
from tripletree.errors import SHOWN, ClusterCountError, InfeasibleClusteringError
from tripletree.pairs import PairClosure

__all__ = ["Options", "best_run", "cluster_counts"]


@dataclass(frozen=True)
class Options:
    """Parameters of `COPKMeans`, as it describes them; `n_init` is a number."""

    init: Any
    n_init: int
    max_iter: int
    tol: float
    assignment: str
    search_limit: int


def cluster_counts(n_clusters: Any, n_samples: int) -> list[int]:
    """The numbers of clusters to try, ascending."""
    given = [n_clusters] if isinstance(n_clusters, Integral) else list(n_clusters)
    if not given or not all(isinstance(k, Integral) and k >= 1 for k in given):  # type: ignore[operator]
        msg = f"n_clusters must be an int >= 1 or a sequence of them, not {n_clusters!r}"
        raise ValueError(msg)
    counts = sorted({int(k) for k in given})
    if counts[0] > n_samples:
        msg = f"n_clusters={n_clusters} but n_samples={n_samples}: there cannot be more clusters than samples"
        raise ClusterCountError(msg, n_clusters=counts[0], nearest=(n_samples,))
    return counts


def best_run(
    model: GroupCentres,
    closure: PairClosure,
    counts: list[int],
    options: Options,
    rng: np.random.Generator,
    tell: Callable[[int], Any],
) -> tuple[Run, dict[int, float]]:
    """The best run of the best number of clusters.

    Parameters
    ----------
    model : GroupCentres
        Over the components of the closure.
    closure : PairClosure
    counts : list of int
        Numbers of clusters to try.
    options : Options
    rng : Generator
    tell : callable
        Called with 1 after each start.

    Returns
    -------
    run : Run
    criterion : dict of int to float
        Mean distance times k squared for each number k, infinite where the pairs cannot hold.

    Raises
    ------
    InfeasibleClusteringError
        If no number fits the pairs: that of the largest one.
    """
    graph = CannotGraph(closure.cannot, closure.n_components)
    runs: dict[int, Run] = {}
    criterion = dict.fromkeys(counts, np.inf)
    failure = None
    for k in counts:
        try:
            runs[k] = _best_of_starts(k, model, graph, closure, options, rng, tell)
            criterion[k] = runs[k].mean_distance * k * k
        except InfeasibleClusteringError as error:
            failure = error
            tell(options.n_init)
    if failure is not None and not runs:
        raise failure
    return runs[min(runs, key=criterion.__getitem__)], criterion


def _best_of_starts(
    k: int,
    model: GroupCentres,
    graph: CannotGraph,
    closure: PairClosure,
    options: Options,
    rng: np.random.Generator,
    tell: Callable[[int], Any],
) -> Run:
    samples, weights = model.groups.samples, model.groups.weights
    given = checked_start(options.init, k, samples.shape[1])
    if closure.n_components < k:
        msg = f"{k} clusters are too many: the must-links leave only {closure.n_components} groups of samples"
        raise InfeasibleClusteringError(msg, n_clusters=k)
    feasible = np.zeros(closure.n_components, np.int32)
    try:
        feasible[graph.bound] = graph.colour(k, rng, options.search_limit)
    except NotColourable as reason:
        raise _infeasible(reason, k, closure, options.search_limit) from None
    runs, stop = [], tolerance(samples, weights, options.tol)
    for _ in range(options.n_init):
        centres = model.start(k, rng, options.init) if given is None else model.at(given)
        order = _order(options.assignment, graph, rng)
        run = run_lloyd(model, graph, centres, feasible, order=order, max_iter=options.max_iter, tolerance=stop)
        runs.append(run)
        tell(1)
    return min(runs, key=lambda run: run.inertia)


def _order(assignment: str, graph: CannotGraph, rng: np.random.Generator) -> np.ndarray | None:
    """The order of a greedy assignment, None for the exact one."""
    if assignment == "exact":
        return None
    if assignment == "random":
        return rng.permutation(graph.bound.size)
    return np.arange(graph.bound.size) if assignment == "input" else np.argsort(-graph.degree, kind="stable")


def _infeasible(reason: NotColourable, k: int, closure: PairClosure, limit: int) -> InfeasibleClusteringError:
    """The error that names the samples for which there is no assignment."""
    first = closure.order[np.concatenate([[0], np.cumsum(closure.sizes)[:-1]])]
    labels = [closure.leaves[int(i)] for i in first[reason.groups]]
    shown = ", ".join(map(str, labels[:SHOWN])) + (", ..." if len(labels) > SHOWN else "")
    tied = " (each with those that must-links tie to it)" if (closure.sizes[reason.groups] > 1).any() else ""
    if reason.is_clique:
        msg = f"{k} clusters are too few: {len(labels)} samples are all kept apart from each other{tied}: {shown}"
    elif reason.proved:
        msg = (
            f"{k} clusters are too few: the cannot-links among {len(labels)} samples{tied} need more, as a search "
            f"through all assignments showed: {shown}"
        )
    else:
        msg = (
            f"no assignment to {k} clusters that keeps the cannot-links among {len(labels)} samples{tied} was found in "
            f"search_limit={limit} steps, and none was proved impossible: raise search_limit, or n_clusters: {shown}"
        )
    return InfeasibleClusteringError(
        msg, n_clusters=k, samples=labels, is_clique=reason.is_clique, proved=reason.proved
    )
