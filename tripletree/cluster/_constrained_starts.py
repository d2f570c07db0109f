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

__all__ = ["Options", "best_run", "check_reach", "cluster_counts", "moderate", "times_power"]


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


def moderate(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Weights divided by a power of 2, so that none is above 1 and sums of them are numbers; and its exponent.

    But for weights that are 10^300 times smaller than others, nothing is rounded.
    """
    exponent = int(np.frexp(weights.max())[1])
    return np.ldexp(weights, -exponent), exponent


def times_power(value: float, exponent: int) -> float:
    """The value times a power of 2; infinite where that is too large for a float."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def check_reach(samples: np.ndarray, centres: np.ndarray, name: str = "sample") -> None:
    """Refuse samples whose squared distances to the centres are more than float64 holds."""
    low, high = centres.min(axis=0), centres.max(axis=0)
    with np.errstate(over="ignore"):
        widest = np.square(np.maximum(np.abs(samples - low), np.abs(samples - high))).sum(axis=1)
        total = widest.sum()
    if not np.isfinite(total):
        msg = f"{name} {int(widest.argmax())} is too far from {'the centres' if name == 'sample' else 'X'} for float64"
        raise ValueError(f"{msg} arithmetic: scale X")


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
    if given is not None:
        check_reach(given, samples, "the centre init holds at place")
    if closure.n_components < k:
        msg = f"{k} clusters are too many: the must-links leave only {closure.n_components} groups of samples"
        raise InfeasibleClusteringError(msg, n_clusters=k)
    feasible = np.zeros(closure.n_components, np.int32)
    try:
        feasible[graph.bound] = graph.colour(k, rng, options.search_limit)
    except NotColourable as reason:
        raise _infeasible(reason, k, closure, options.search_limit) from None
    limits: dict[str, Any] = {
        "max_iter": options.max_iter,
        "tolerance": tolerance(samples, weights, options.tol),
        "search_limit": options.search_limit,
    }
    runs = []
    for _ in range(options.n_init):
        centres = model.start(k, rng, options.init) if given is None else model.at(given)
        order = _order(options.assignment, graph, rng)
        runs.append(run_lloyd(model, graph, centres, feasible, order=order, **limits))
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
