"""The engine of CVQE, LCVQE and CVQE+: labels and centres by turns, from one start; the best of all rounds counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree import _kernels
from tripletree._kernels import frozen
from tripletree.cluster._lloyd import nearest_centres
from tripletree.cluster.cvqe._rules import Rule, Scene, Task

__all__ = ["Outcome", "Past", "quantize"]

#: Rounds in which the objective has not fallen, by more than such a part of it, after which a start ends.
_PATIENCE, _ROUNDING = 10, 1e-12


@dataclass(frozen=True)
class Past:
    """The historical cost: where the centres were before.

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
    alpha : float
        Share of the historical cost in the objective.
    mass : ndarray of float64, shape (k,)
        How many samples each former centre counts as; 0 for clusters without a past.
    """

    centres: np.ndarray
    alpha: float
    mass: np.ndarray

    def cost(self, centres: np.ndarray) -> float:
        """The historical cost."""
        return float(self.mass @ np.square(centres - self.centres).sum(axis=1))

    def mixed(self, total: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums and weights of the clusters with the former centres among them."""
        known = self.mass > 0
        share = np.where(known, 1.0 - self.alpha, 1.0)
        former = np.where(known, self.alpha * self.mass, 0.0)
        return share[:, None] * total + former[:, None] * self.centres, share * mass + former


@dataclass(frozen=True)
class Outcome:
    """What a start ended in.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    scene : Scene
        With the centres that the labels were chosen for.
    inertia, cost : float
        The sum of weighted squared distances, and the objective.
    n_iter : int
    converged : bool
    """

    labels: np.ndarray
    scene: Scene
    inertia: float
    cost: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class _Round:
    """Labels for given centres, and what they cost."""

    scene: Scene
    labels: np.ndarray
    distance: np.ndarray
    inertia: float
    cost: float


def quantize(
    task: Task,
    rule: Rule,
    centres: np.ndarray,
    *,
    max_iter: int,
    tolerance: float,
    past: Past | None = None,
    history: list[float] | None = None,
) -> Outcome:
    """Choose labels and update centres by turns until nothing changes.

    Parameters
    ----------
    task : Task
    rule : Rule
    centres : ndarray of float64, shape (k, d)
        The start.
    max_iter : int
    tolerance : float
        The squared shift of all centres together that is next to nothing.
    past : Past, optional
    history : list of float, optional
        The objective is appended after each choice of labels, and for the same labels after each update of the centres.

    Returns
    -------
    Outcome
        The round of least objective, the last one where it is among them. The steps of all three methods may raise it.
    """
    now = best = _round(task, rule, centres, None, past)
    _record(history, now.cost)
    converged, n_iter, idle = False, 0, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        moved, pulled = _moved(task, rule, now, past)
        if history is not None:
            _record(history, _cost(task, rule, Scene.of(task, moved), now.labels, past))
        before, now = now, _round(task, rule, moved, now.labels, past)
        _record(history, now.cost)
        idle = 0 if now.cost < best.cost - _ROUNDING * abs(best.cost) else idle + 1
        if now.cost <= best.cost + _ROUNDING * abs(best.cost):
            best = now
        still = not pulled and bool((now.labels == before.labels).all())
        shift = float(np.square(moved - before.scene.centres).sum())
        converged = still or shift <= tolerance or idle >= _PATIENCE
    return Outcome(best.labels, best.scene, best.inertia, best.cost, n_iter, converged)


def _round(task: Task, rule: Rule, centres: np.ndarray, labels: np.ndarray | None, past: Past | None) -> _Round:
    """The labels that the rule chooses for given centres."""
    scene = Scene.of(task, centres)
    free, distance = nearest_centres(task.points.columns, centres)
    nodes = task.links.nodes
    pairs = 0.0
    if nodes.size:
        label = rule.assigned(task, scene, None if labels is None else labels[nodes])
        free[nodes], distance[nodes] = label, scene.distance[np.arange(nodes.size), label]
        pairs = float(rule.costs(task, scene, label).sum())
    inertia = float(task.points.weights @ distance)
    return _Round(scene, free, distance, inertia, _with_past(inertia + pairs, centres, past))


def _moved(task: Task, rule: Rule, now: _Round, past: Past | None) -> tuple[np.ndarray, bool]:
    """The updated centres, and whether the next update could differ for the same labels."""
    k = now.scene.centres.shape[0]
    total, mass = _kernels.lloyd.sums(task.points.columns, task.points.weights, frozen(now.labels), k)
    pulled = False
    if task.links.nodes.size:
        more, weight = rule.pull(task, now.scene, now.labels[task.links.nodes])
        total, mass = total + more, mass + weight
        pulled = bool(weight.any())
    if past is not None:
        total, mass = past.mixed(total, mass)
    held = mass > 0
    centres = now.scene.centres.copy()
    centres[held] = total[held] / mass[held, None]
    empty = np.flatnonzero(~held)
    if empty.size:  # each starts anew from a sample that costs most where it is
        cost = task.points.weights * now.distance
        dear = np.argsort(-cost, kind="stable")[: empty.size]
        dear = dear[cost[dear] > 0]
        centres[empty[: dear.size]] = task.points.rows(dear)
        pulled = pulled or bool(dear.size)
    return centres, pulled


def _cost(task: Task, rule: Rule, scene: Scene, labels: np.ndarray, past: Past | None) -> float:
    """The objective of given labels."""
    distance = np.square(task.points.columns - scene.centres.T[:, labels]).sum(axis=0)
    pairs = rule.costs(task, scene, labels[task.links.nodes]).sum()
    return _with_past(float(task.points.weights @ distance + pairs), scene.centres, past)


def _with_past(cost: float, centres: np.ndarray, past: Past | None) -> float:
    return cost if past is None else (1.0 - past.alpha) * cost + past.alpha * past.cost(centres)


def _record(history: list[float] | None, cost: float) -> None:
    if history is not None:
        history.append(cost)
