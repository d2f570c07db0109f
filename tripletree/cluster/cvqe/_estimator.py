"""Base of `CVQE`, `LCVQE` and `CVQEPlus`: they differ in their rule."""

from __future__ import annotations

from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions

from tripletree._random import generator
from tripletree.cluster._base import progress_bar
from tripletree.cluster._lloyd import Points
from tripletree.cluster._soft_estimator import SoftPairMeans
from tripletree.cluster._soft_means import Euclidean, Run
from tripletree.cluster._soft_pairs import Links
from tripletree.cluster.cvqe._rounds import Outcome, quantize
from tripletree.cluster.cvqe._rules import Rule, Task
from tripletree.pairs import PairwiseConstraints

__all__ = ["ConstrainedQuantizer"]


class ConstrainedQuantizer(SoftPairMeans):
    """Base of the methods in which a violated pair costs a distance, and pulls centres."""

    _parameter_constraints: ClassVar[dict] = {
        **{name: rule for name, rule in SoftPairMeans._parameter_constraints.items() if name != "penalty"},
        "init": [StrOptions({"k-means++", "pairs"}), "array-like"],
    }

    #: What the methods differ in.
    _rule: ClassVar[Rule]

    inertia_: float
    violation_cost_: float
    violation_costs_: np.ndarray
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def _frame(self, samples: np.ndarray, weights: np.ndarray) -> None:
        super()._frame(samples, weights)
        self._counted = weights > 0

    def _prepared(self, points: Points, links: Links, rng: np.random.Generator) -> Task:
        return Task(points, links, np.arange(links.strength.size, dtype=np.int32))

    def _state(self, prepared: Task, centres: np.ndarray) -> Euclidean:
        return Euclidean.of(prepared.points, prepared.links, 0.0, centres, self.tol / centres.shape[1])

    def _started(self, prepared: Task, rng: np.random.Generator, r: int) -> Euclidean:
        return self._state(prepared, self._first_centres(prepared.points, prepared.links, rng, r))

    def _run(self, points: Points, links: Links, centres: np.ndarray | None) -> Run:
        rng = generator(self.random_state)
        task = self._prepared(points, links, rng)
        best: Outcome | None = None
        n_starts = 1 if centres is not None else self.n_init
        with progress_bar(self.verbose, n_starts, type(self).__name__, "starts") as tell:
            for r in range(n_starts):
                start = self._started(task, rng, r) if centres is None else self._state(task, centres)
                outcome = quantize(
                    task.with_order(_order(links, rng)),
                    self._rule,
                    start.centres,
                    max_iter=self.max_iter,
                    tolerance=start.tolerance,
                )
                if best is None or outcome.cost < best.cost - 1e-12 * abs(best.cost):
                    best = outcome
                if tell is not None:
                    tell(1)
        assert best is not None
        self._warn(best)
        label = best.labels[links.nodes]
        self._costs = self._rule.costs(task, best.scene, label) if label.size else np.zeros(0)
        state = self._state(task, best.scene.centres)
        return Run(best.labels, state, best.inertia, best.cost, best.n_iter, best.converged)

    def _warn(self, outcome: Outcome) -> None:
        if not outcome.converged:
            msg = (
                f"{type(self).__name__} has not converged after max_iter={self.max_iter} iterations: increase it, or "
                "tol"
            )
            warn(msg, ConvergenceWarning, stacklevel=4)
        held = np.unique(outcome.labels).size
        if held < self.n_clusters:
            msg = (
                f"{held} of n_clusters={self.n_clusters} clusters have samples: X has equal samples, or with "
                "these pairs fewer clusters cost less"
            )
            warn(msg, ConvergenceWarning, stacklevel=4)

    def _report(self, run: Run, links: Links, pairs: PairwiseConstraints) -> None:
        super()._report(run, links, pairs)
        unit = self._spread**2
        self.inertia_, self.objective_ = run.inertia * unit, run.objective * unit
        counted, costs = self._counted, self._costs
        del self._counted, self._costs  # kept between the steps of a fit only
        rows, label = np.concatenate([pairs.must_link, pairs.cannot_link]), self.labels_
        cost = np.zeros(len(rows))
        cost[counted[rows].all(axis=1)] = costs * unit
        together = label[rows[:, 0]] == label[rows[:, 1]]
        self.violation_costs_ = cost[together != (np.arange(len(rows)) < len(pairs.must_link))]
        self.violation_cost_ = float(self.violation_costs_.sum())

    def _report_values(self, run: Run, cost: float) -> None:
        """All of it is in `_report`."""


def _order(links: Links, rng: np.random.Generator) -> np.ndarray:
    """Must-links in random order, then cannot-links in random order."""
    e = links.strength.size
    return np.concatenate([rng.permutation(links.n_must), links.n_must + rng.permutation(e - links.n_must)])
