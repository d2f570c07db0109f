"""CVQE, LCVQE and CVQE+: k-means, with a distance as the price of a violated pair.

The three variants differ in how pairs get clusters, in the cost of violated pairs, and in the points that pull centres:

==================  =============================  ===============================  ===================================
rule                a pair gets its clusters by    a violated must-link costs w *   and it pulls
==================  =============================  ===============================  ===================================
`SinglePairRule`    distances and this pair alone  distance between the two         the centre of the first sample to
                                                   centres                          the other centre
`AllPairsRule`      distances and all pairs of     distance between the two         both centres to each other
                    both samples                   centres
`LinearRule`        the two or three ways out of   half the samples' distances to   both centres to the other's sample,
                    a violation                    each other's centre              by half
==================  =============================  ===============================  ===================================

A violated cannot-link costs w times the distance of the cluster's centre to the nearest other one, which it is pulled
to. With `LinearRule` it costs the distance of the farther sample to the nearest other centre, which is pulled to the
sample.
All distances are squared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from sklearn.utils._param_validation import StrOptions

from tripletree._core import engine
from tripletree.cluster.kmeans.lloyd import (
    Points,
    alternate,
    check_weights,
    nearest_centres,
    squared_distances,
    tolerance,
)
from tripletree.cluster.kmeans.soft_pairs import EuclideanState, SoftPairMeans, SoftRun, WeightedLinks, violated_links
from tripletree.core.arrays import freeze, frozen
from tripletree.core.pairs import PairwiseConstraints


@dataclass(frozen=True)
class QuantizationTask:
    """The data to be clustered.

    Attributes
    ----------
    points : Points
    links : WeightedLinks
        The pairs.
    some : Points
        The points in pairs.
    twin : ndarray of int32, shape (e,)
        For each pair the other one of the same two samples, or -1.
    order : ndarray of int32, shape (e,)
        The pairs in the order in which they are visited.
    """

    points: Points
    links: WeightedLinks
    some: Points
    twin: np.ndarray
    order: np.ndarray

    @classmethod
    def of(cls, points: Points, links: WeightedLinks) -> QuantizationTask:
        """Return the pairs are visited as they come."""
        low, high = np.sort(links.ends.astype(np.int64), axis=1).T
        key = low * max(links.nodes.size, 1) + high
        by = np.argsort(key, kind="stable")
        twin = np.full(key.size, -1, np.int32)
        same = np.flatnonzero(key[by][1:] == key[by][:-1])
        twin[by[same]], twin[by[same + 1]] = by[same + 1], by[same]
        order = np.arange(key.size, dtype=np.int32)
        return cls(points, links, points.part(links.nodes), freeze(twin), freeze(order))

    @property
    def pairs_in_turn(self) -> tuple[Any, ...]:
        """Return the pairs in the form that the assignment loops take."""
        links = self.links
        return self.order, links.ends, links.weights, links.n_must

    def with_order(self, order: np.ndarray) -> QuantizationTask:
        """Return the same with its pairs in another order."""
        return replace(self, order=frozen(order))


@dataclass(frozen=True)
class CentreDistances:
    """The distances that one set of centres gives the samples in pairs.

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
    distance, base : ndarray of float64, shape (m, k)
        Squared distances to the centres, and the distances times the weights of the samples.
    apart : ndarray of float64, shape (k, k)
        Squared distances between the centres.
    next : ndarray of int, shape (k,)
        The nearest other centre.
    near : ndarray of float64, shape (k,)
        The squared distance to it, 0 if there is no other.
    """

    centres: np.ndarray
    distance: np.ndarray
    base: np.ndarray
    apart: np.ndarray
    next: np.ndarray
    near: np.ndarray

    @classmethod
    def of(cls, task: QuantizationTask, centres: np.ndarray) -> CentreDistances:
        """For given centres."""
        k = centres.shape[0]
        distance = task.some.squared_distances(centres)
        apart = squared_distances(frozen(centres.T, np.float64), centres)
        others = apart + np.diag(np.full(k, np.inf))
        near = others.min(axis=1) if k > 1 else np.zeros(1)
        base = distance * task.some.weights[:, None]
        return cls(centres, freeze(distance), freeze(base), freeze(apart), others.argmin(axis=1), freeze(near))


class PairRule(Protocol):
    """The parts in which variants differ: assignment of pairs, cost of violated ones, and centres that they pull."""

    def assigned(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray | None) -> np.ndarray:
        """Clusters of the samples in pairs, int32. `label` comes from the round before."""

    def costs(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> np.ndarray:
        """Return the cost of each pair, 0 if it is kept."""

    def pull(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Additions of violated pairs to the sums of the clusters, shape (k, d), and to their weights, shape (k,)."""


class SinglePairRule:
    """CVQE: Davidson and Ravi 2005."""

    #: Whether a must-link pulls both centres.
    mutual: ClassVar[bool] = False

    def assigned(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray | None) -> np.ndarray:
        """See `PairRule`. Pairs overrule each other: the last one of a sample decides."""
        return engine.cvqe.assign_alone(scene.base, *task.pairs_in_turn, scene.apart, scene.near)

    def costs(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> np.ndarray:
        """See `PairRule`."""
        links = task.links
        g, h = label[links.ends].T
        price = np.where(np.arange(g.size) < links.n_must, scene.apart[g, h], np.where(g == h, scene.near[g], 0.0))
        return links.weights * price

    def pull(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `PairRule`: centres pull each other, all at once from where they were."""
        links, k = task.links, scene.centres.shape[0]
        g, h = label[links.ends].T
        must = np.arange(g.size) < links.n_must
        wrong = violated_links(links, label)
        if k == 1:
            wrong &= must
        to = np.where(must, h, scene.next[g])
        force = np.bincount((g * k + to)[wrong], links.weights[wrong], k * k).reshape(k, k)
        if self.mutual:
            wrong &= must
            force += np.bincount((h * k + g)[wrong], links.weights[wrong], k * k).reshape(k, k)
        return force @ scene.centres, force.sum(axis=1)


class AllPairsRule(SinglePairRule):
    """CVQE+: Mai and others 2018.

    Parameters
    ----------
    times : float, default 1.0
        How often a violated must-link costs the distance of its two centres: 2 if both clusters are charged.
    """

    mutual: ClassVar[bool] = True

    def __init__(self, times: float = 1.0) -> None:
        self.times = times

    def assigned(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray | None) -> np.ndarray:
        """See `PairRule`. From the labels of the round before no cost increases."""
        label = scene.base.argmin(axis=1).astype(np.int32) if label is None else label.astype(np.int32)
        of_samples = task.twin, task.links.start, task.links.other, task.links.edge
        engine.cvqe.assign_joint(
            scene.base, *task.pairs_in_turn, *of_samples, self.times * scene.apart, scene.near, label
        )
        return label

    def costs(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> np.ndarray:
        """See `PairRule`."""
        cost = super().costs(task, scene, label)
        cost[: task.links.n_must] *= self.times
        return cost


class LinearRule:
    """LCVQE: Pelleg and Baras 2007."""

    def assigned(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray | None) -> np.ndarray:
        """See `PairRule`. Each round starts from the nearest centres."""
        return engine.cvqe.assign_linear(scene.base, *task.pairs_in_turn, scene.distance)

    def costs(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> np.ndarray:
        """See `PairRule`."""
        cost = np.zeros(task.links.weights.size)
        for pair, sample, cluster, weight in self._pulled(task, scene, label):
            cost += np.bincount(pair, weight * scene.distance[sample, cluster], cost.size)
        return cost

    def pull(self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `PairRule`: samples pull centres."""
        parts = self._pulled(task, scene, label)
        sample, cluster, weight = (np.concatenate([part[i] for part in parts]) for i in (1, 2, 3))
        return task.some.part(sample, weight).sums(cluster, scene.centres.shape[0])

    def _pulled(
        self, task: QuantizationTask, scene: CentreDistances, label: np.ndarray
    ) -> list[tuple[np.ndarray, ...]]:
        """Violated pairs, and which sample pulls which centre, how much: both ends of must-links, cannot-links."""
        links, k = task.links, scene.centres.shape[0]
        wrong = np.flatnonzero(violated_links(links, label))
        must, cannot = wrong[wrong < links.n_must], wrong[wrong >= links.n_must]
        i, j = links.ends[must].T
        half = 0.5 * links.weights[must]
        parts: list[tuple[np.ndarray, ...]] = [(must, i, label[j], half), (must, j, label[i], half)]
        if k > 1:
            i, j = links.ends[cannot].T
            own = label[i]
            far = np.where(scene.distance[j, own] > scene.distance[i, own] * engine.cvqe.FARTHER, j, i)
            others = scene.distance[far]
            others[np.arange(far.size), own] = np.inf
            parts.append((cannot, far, others.argmin(axis=1), links.weights[cannot]))
        return parts


_RULES: dict[str, PairRule] = {"cvqe": SinglePairRule(), "lcvqe": LinearRule(), "cvqe+": AllPairsRule()}

#: Rounds in which the objective has not fallen after which a start ends.
_PATIENCE = 10


@dataclass(frozen=True)
class HistoricalCost:
    """The historical cost: where the centres were before.

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
    alpha : float
        Share of the historical cost in the objective.
    mass : ndarray of float64, shape (k,)
        How many samples each former centre counts as, 0 for clusters without a past.
    closest : bool
        Whether the former centre of a cluster is the closest one, instead of the one with the same number.
    """

    centres: np.ndarray
    alpha: float
    mass: np.ndarray
    closest: bool = False

    def of(self, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the former centre of each cluster, and its mass."""
        known = np.flatnonzero(self.mass > 0)
        if not self.closest or not known.size:
            return self.centres, self.mass
        former = known[nearest_centres(frozen(centres.T, np.float64), self.centres[known])[0]]
        return self.centres[former], self.mass[former]

    def cost(self, centres: np.ndarray) -> float:
        """Return the historical cost."""
        former, mass = self.of(centres)
        return float(mass @ np.square(centres - former).sum(axis=1))

    def mixed(self, total: np.ndarray, mass: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return sums and weights of the clusters around `centres`, with the former centres among them."""
        former, many = self.of(centres)
        share = np.where(many > 0, 1.0 - self.alpha, 1.0)
        weight = self.alpha * many
        return share[:, None] * total + weight[:, None] * former, share * mass + weight


@dataclass(frozen=True)
class QuantizationRun:
    """The result of a start.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    scene : CentreDistances
        With the centres that the labels were chosen for.
    inertia, cost : float
        The sum of weighted squared distances, and the objective.
    n_iter : int
    converged : bool
    """

    labels: np.ndarray
    scene: CentreDistances
    inertia: float
    cost: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class _Round:
    """Labels for given centres, and their cost."""

    scene: CentreDistances
    labels: np.ndarray
    distance: np.ndarray
    inertia: float
    cost: float
    is_still: bool = False  #: whether all that follows is known


class _Update(NamedTuple):
    """Centres moved for the labels of a round, and whether the next update could differ for the same labels."""

    centres: np.ndarray
    labels: np.ndarray
    pulled: bool


def quantize(
    task: QuantizationTask,
    rule: PairRule,
    centres: np.ndarray,
    *,
    max_iter: int,
    tolerance: float,
    past: HistoricalCost | None = None,
    history: list[float] | None = None,
) -> QuantizationRun:
    """Choose labels and update centres in turn until nothing changes.

    Parameters
    ----------
    task : QuantizationTask
    rule : PairRule
    centres : ndarray of float64, shape (k, d)
        The start.
    max_iter : int
    tolerance : float
        The squared shift of all centres together that is next to nothing.
    past : HistoricalCost, optional
    history : list of float, optional
        The objective is appended after each choice of labels, and for the same labels after each update of the centres.

    Returns
    -------
    QuantizationRun
        The round of least objective, the last one if it is among them. The steps of all three methods may raise it.
    """
    method = QuantizingMeans(task, rule, past, tolerance)
    found = alternate(method, method.round(centres, None), max_iter, history=history, patience=_PATIENCE)
    best = found.best
    return QuantizationRun(best.labels, best.scene, best.inertia, best.cost, found.n_iter, found.converged)


class QuantizingMeans:
    """The steps of CVQE (see `Lloyd`): centres are updated, then labels chosen by the rule."""

    def __init__(self, task: QuantizationTask, rule: PairRule, past: HistoricalCost | None, tolerance: float) -> None:
        self.task, self.rule, self.past, self.tolerance = task, rule, past, tolerance

    def first(self, now: _Round) -> _Update:
        """See `Lloyd`: the means of all that pulls each centre."""
        task, k = self.task, now.scene.centres.shape[0]
        total, mass = task.points.sums(now.labels, k)
        pulled = False
        if task.links.nodes.size:
            more, weight = self.rule.pull(task, now.scene, now.labels[task.links.nodes])
            total, mass = total + more, mass + weight
            pulled = bool(weight.any())
        if self.past is not None:
            total, mass = self.past.mixed(total, mass, now.scene.centres)
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
        return _Update(centres, now.labels, pulled)

    def then(self, half: _Update) -> _Round:
        """See `Lloyd`: labels for the centres."""
        now = self.round(half.centres, half.labels)
        return replace(now, is_still=not half.pulled and bool((now.labels == half.labels).all()))

    def is_over(self, before: _Round, now: _Round) -> bool:
        """See `Lloyd`."""
        return now.is_still or float(np.square(now.scene.centres - before.scene.centres).sum()) <= self.tolerance

    def cost(self, state: _Round | _Update) -> float:
        """See `Lloyd`."""
        if isinstance(state, _Round):
            return state.cost
        task, scene = self.task, CentreDistances.of(self.task, state.centres)
        distance = task.points.own_distances(state.labels, scene.centres)
        pairs = self.rule.costs(task, scene, state.labels[task.links.nodes]).sum()
        return self._with_past(float(task.points.weights @ distance + pairs), state.centres)

    def round(self, centres: np.ndarray, labels: np.ndarray | None) -> _Round:
        """Return the labels that the rule chooses for given centres. `labels` come from the round before."""
        task = self.task
        scene = CentreDistances.of(task, centres)
        free, distance = task.points.closest(centres)
        nodes = task.links.nodes
        pairs = 0.0
        if nodes.size:
            label = self.rule.assigned(task, scene, None if labels is None else labels[nodes])
            free[nodes], distance[nodes] = label, scene.distance[np.arange(nodes.size), label]
            pairs = float(self.rule.costs(task, scene, label).sum())
        inertia = float(task.points.weights @ distance)
        return _Round(scene, free, distance, inertia, self._with_past(inertia + pairs, centres))

    def _with_past(self, cost: float, centres: np.ndarray) -> float:
        past = self.past
        return cost if past is None else (1.0 - past.alpha) * cost + past.alpha * past.cost(centres)


class CVQE(SoftPairMeans):
    """k-means with the constrained vector quantisation error: the price of a violated pair is a distance.

    Violated pairs also pull the centres, in proportion to their weight. There are three variants, of about equal
    expense. "cvqe+" takes all pairs of a sample into account.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    variant : {"cvqe+", "cvqe", "lcvqe"}, default "cvqe+"
        "cvqe" (Davidson and Ravi 2005) assigns pair by pair. A violated pair costs the squared distance between two
        centres. "cvqe+" (Mai and others 2018) has the same costs, but assigns each pair with all pairs of its samples
        in view, and a violated must-link pulls both centres. "lcvqe" (Pelleg and Baras 2007) is meant for large, noisy
        sets of pairs: violated pairs cost distances of samples, and only they are reassigned.
    charged : {"once", "both"}, default "once"
        Whether a violated must-link costs the distance of its two centres once or, as in the sum of the costs of all
        clusters (Eq. 1 of Mai and others), for both of its clusters. "both" is for "cvqe+" only.
    init : {"k-means++", "random", "pairs"} or array_like of shape (n_clusters, n_features), default "k-means++"
        "random" takes samples at different places. "pairs" begins every other start at the means of the samples that
        must-links hold together, as in `PCKMeans`.
        An array holds the starting centres: with the centres of an earlier fit, new pairs need few more iterations.
    n_init : int, default 10
        Number of starts. The one with the lowest objective counts. Given centres are used once.
    max_iter : int, default 300
        Maximum number of iterations of a start.
    tol : float, default 1e-4
        A start ends when the squared shifts of all centres add up to less than this fraction of the mean variance of
        the features, or when the objective has not fallen for 10 iterations.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts, and for each the order in which pairs are visited (must-links first).
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels if the index of X is 0..n-1.
    verbose : bool or int, default False
        Whether to show a progress bar over the starts.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
    inertia_ : float
        The sum of (weighted) squared distances to the centres.
    violation_cost_ : float
        The total cost of the violated pairs.
    objective_ : float
        The sum of both, which is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their weights and origins.
    violation_costs_ : ndarray of float64
        The cost of each of them, must-links first, in their order, 0 for pairs with samples of weight 0.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    cvqe_plus : "cvqe+" on arrays, with a historical cost for data that change with time.
    PCKMeans : a violated pair costs the same everywhere.

    Notes
    -----
    With labels l, centres m, weights s of samples and w of pairs, the objective of "cvqe" and "cvqe+" is [1]_ [3]_ ::

        sum_i s_i |x_i - m_l(i)|^2  +  sum w_ij |m_l(i) - m_l(j)|^2  over must-links with l(i) != l(j)
                                    +  sum w_ij |m_l(i) - m_h|^2     over cannot-links with l(i) == l(j)

    where m_h is the centre nearest to m_l(i), and violated must-links cost twice as much with ``charged="both"``, and
    the distance for "lcvqe" ([2]_, twice theirs) ::

        sum_i s_i |x_i - m_l(i)|^2
          +  1/2 sum w_ij (|x_i - m_l(j)|^2 + |x_j - m_l(i)|^2)   over must-links with l(i) != l(j)
          +      sum w_ij |x_r - m_r|^2                           over cannot-links with l(i) == l(j)

    where r is the sample of the two that is farther from their centre, and m_r the nearest other centre to it.

    **The objective may rise** from one iteration to the next, in all variants: the best of all iterations counts. A
    cluster that becomes empty restarts at the sample that costs most. An iteration takes O(n k d + p k^2) with p pairs,
    usually O(n k d + p k). ``docs/algorithms.md`` describes how each variant assigns pairs and updates centres.

    References
    ----------
    .. [1] Davidson, Ravi (2005), Clustering with Constraints: Feasibility Issues and the k-Means Algorithm, Proceedings
       of the 2005 SIAM International Conference on Data Mining, 138-149.
    .. [2] Pelleg, Baras (2007), K-means with Large and Noisy Constraint Sets, Machine Learning: ECML 2007, Lecture
       Notes in Computer Science 4701, 674-682.
    .. [3] Mai, Amer-Yahia, Bailly, Pepin, Douzal Chouakria, Nguyen, Nguyen (2018), Evolutionary Active Constrained
       Clustering for Obstructive Sleep Apnea Analysis, Data Science and Engineering 3(4), 359-378.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> model = CVQE(n_clusters=2, init=[[0.0], [6.0]]).fit(X, pairs=([(0, 1), (1, 2)], [(0, 2)]))
    >>> model.labels_.tolist(), list(model.violated_pairs_)
    ([0, 0, 1, 1], [(1, 2, 'must')])
    >>> again = CVQE(n_clusters=2, init=model.cluster_centers_).fit(X, pairs=([(0, 1)], [(1, 2)]))
    >>> again.n_iter_, again.cluster_centers_.tolist()
    (1, [[0.5], [5.5]])
    >>> CVQE(n_clusters=2, variant="lcvqe", init=[[0.0], [6.0]]).fit(X, pairs=([], [(0, 1)])).labels_.tolist()
    [0, 1, 1, 1]
    """

    _parameter_constraints: ClassVar[dict] = {
        **SoftPairMeans._parameter_constraints,
        "variant": [StrOptions({"cvqe", "lcvqe", "cvqe+"})],
        "charged": [StrOptions({"once", "both"})],
    }

    inertia_: float
    violation_cost_: float
    violation_costs_: np.ndarray
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        variant: str = "cvqe+",
        charged: str = "once",
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.charged = charged
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def _prepared(self, points: Points, links: WeightedLinks, rng: np.random.Generator) -> QuantizationTask:
        if self.charged == "both" and self.variant != "cvqe+":
            msg = f"charged='both' is for variant='cvqe+', not {self.variant!r}: leave charged='once'"
            raise ValueError(msg)
        return QuantizationTask.of(points, links)

    def _state(self, prepared: QuantizationTask, centres: np.ndarray) -> EuclideanState:
        return EuclideanState.of(prepared.points, prepared.links, 0.0, centres, self.tol / centres.shape[1])

    def _started(self, prepared: QuantizationTask, rng: np.random.Generator, r: int) -> EuclideanState:
        return self._state(prepared, self._first_centres(prepared.points, prepared.links, rng, r))

    def _run_once(self, prepared: QuantizationTask, start: Any, rng: np.random.Generator) -> SoftRun:
        task = prepared.with_order(_random_order(prepared.links, rng))
        rule = _RULES[self.variant] if self.charged == "once" else AllPairsRule(2.0)
        found = quantize(task, rule, start.centres, max_iter=self.max_iter, tolerance=start.tolerance)
        label = found.labels[task.links.nodes]
        costs = rule.costs(task, found.scene, label) if label.size else np.zeros(0)
        state = self._state(task, found.scene.centres)
        return SoftRun(found.labels, state, found.inertia, found.cost, costs, found.n_iter, found.converged)

    def _report_costs(self, run: SoftRun, pairs: PairwiseConstraints, counted: np.ndarray) -> None:
        unit = self._spread**2
        self.inertia_, self.objective_ = run.inertia * unit, run.objective * unit
        cost = np.zeros(len(pairs))
        cost[counted[pairs.rows].all(axis=1)] = run.pair_costs * unit
        self.violation_costs_ = cost[pairs.is_violated(self.labels_)]
        self.violation_cost_ = float(self.violation_costs_.sum())


def _random_order(links: WeightedLinks, rng: np.random.Generator) -> np.ndarray:
    """Must-links in random order, then cannot-links in random order."""
    e = links.weights.size
    return np.concatenate([rng.permutation(links.n_must), links.n_must + rng.permutation(e - links.n_must)])


class Quantization(NamedTuple):
    """The result of `cvqe_plus`.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centers : ndarray of float64, shape (k, d)
    cost : float
        The objective, the historical cost included.
    n_iter : int
    """

    labels: np.ndarray
    centers: np.ndarray
    cost: float
    n_iter: int


def cvqe_plus(
    X: Any,
    must: Any,
    cannot: Any,
    must_w: Any,
    cannot_w: Any,
    centers: Any,
    *,
    history: tuple[Any, float] | None = None,
    history_mass: Any = 1.0,
    history_closest: bool = False,
    sample_weight: Any = None,
    max_iter: int = 300,
    tol: float = 1e-4,
) -> Quantization:
    """CVQE+ from given centres, on arrays: see `CVQE`.

    Parameters
    ----------
    X : array_like of float, shape (n, d)
    must, cannot : array_like of int, shapes (p, 2) and (q, 2)
        Rows of X. They are visited in this order, must-links first.
    must_w, cannot_w : array_like of float >= 0, shapes (p,) and (q,), or None
        Weights of the pairs, None for ones.
    centers : array_like of float, shape (k, d)
        The start. Cluster i of the answer is the one that started at row i.
    history : (array_like of float of shape (k, d), float in [0, 1]), optional
        The earlier centre of each cluster, NaN for clusters without one, and alpha, the share of the historical cost.
    history_mass : float >= 0 or array_like of float, shape (k,), default 1.0
        How many samples each earlier centre counts as, see Notes.
    history_closest : bool, default False
        Whether the earlier centre of a cluster is the closest one to its centre (psi of Eq. 8), instead of the one in
        the same row.
    sample_weight : array_like of float, shape (n,), optional
    max_iter : int, default 300
    tol : float, default 1e-4
        As in `CVQE`.

    Returns
    -------
    Quantization
        (labels, centers, cost, n_iter). A cluster that lost all samples stays at its earlier centre if it has one,
        else it starts anew from the sample that costs most.

    Notes
    -----
    With the earlier centres p, of masses q, the objective is (Eqs. 7 to 9 of [1]_) ::

        (1 - alpha) * (sum_i s_i |x_i - m_l(i)|^2 + cost of violated pairs) + alpha * sum_g q_g |m_g - p_g|^2

    and each centre is updated to the weighted mean of all that pulls it, p_g with the weight alpha q_g among it. With a
    mass of 1 the earlier centre counts as one more sample, which is next to nothing in large clusters. With the size of
    the earlier cluster, alpha is a share whatever the sizes. The paper's earlier centre is the closest one. The one in
    the same row lets clusters keep their identity. Time O(n k d + p k^2) for each iteration, p pairs.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Bailly, Pepin, Douzal Chouakria, Nguyen, Nguyen (2018), Evolutionary Active Constrained
       Clustering for Obstructive Sleep Apnea Analysis, Data Science and Engineering 3(4), 359-378.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> found = cvqe_plus(X, [], [(1, 2)], None, None, [[0.0], [6.0]])
    >>> found.labels.tolist(), found.centers.tolist()
    ([0, 0, 1, 1], [[0.5], [5.5]])
    >>> found = cvqe_plus(X, [], [], None, None, [[0.0], [6.0]], history=([[0.0], [4.0]], 0.5), history_mass=2)
    >>> found.centers.tolist()
    [[0.25], [4.75]]
    """
    samples = np.asarray(X, np.float64)
    start = np.array(centers, np.float64)
    if samples.ndim != 2 or start.ndim != 2 or samples.shape[1] != start.shape[1] or len(start) == 0:
        msg = f"centers must have shape (k, d) with the features of X, (n, d); got {start.shape} for {samples.shape}"
        raise ValueError(msg)
    links = _links(must, cannot, must_w, cannot_w, samples.shape[0])
    weights = check_weights(samples, sample_weight)
    task = QuantizationTask.of(Points.of(samples, weights), links)
    found = quantize(
        task,
        AllPairsRule(),
        start,
        max_iter=max_iter,
        tolerance=tolerance(samples, weights, tol),
        past=None if history is None else _past(history, history_mass, start.shape, closest=history_closest),
    )
    return Quantization(found.labels, found.scene.centres, found.cost, found.n_iter)


def _links(must: Any, cannot: Any, must_w: Any, cannot_w: Any, n: int) -> WeightedLinks:
    rows, weights = [], []
    for what, given, weight in (("must", must, must_w), ("cannot", cannot, cannot_w)):
        pairs = np.asarray(given, np.int64).reshape(-1, 2)
        counts = np.ones(len(pairs)) if weight is None else np.asarray(weight, np.float64)
        if counts.shape != (len(pairs),) or not (counts >= 0).all() or not np.isfinite(counts).all():
            msg = f"{what}_w must hold {len(pairs)} finite weights >= 0, one for each pair"
            raise ValueError(msg)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= n or (pairs[:, 0] == pairs[:, 1]).any()):
            msg = f"{what} must hold pairs of two different rows of X, 0..{n - 1}"
            raise ValueError(msg)
        rows.append(pairs)
        weights.append(counts)
    return WeightedLinks.of(rows[0], rows[1], np.concatenate(weights))


def _past(history: tuple[Any, float], history_mass: Any, shape: tuple[int, int], *, closest: bool) -> HistoricalCost:
    former, alpha = np.array(history[0], np.float64), float(history[1])
    if former.shape != shape or not 0 <= alpha <= 1:
        msg = (
            f"history must be (centres of shape {shape}, alpha in [0, 1]); got centres of shape {former.shape}, "
            f"alpha={alpha:g}"
        )
        raise ValueError(msg)
    mass = np.broadcast_to(np.asarray(history_mass, np.float64), shape[0]).copy()
    if not (mass >= 0).all():
        msg = "history_mass must not be negative"
        raise ValueError(msg)
    unknown = np.isnan(former).any(axis=1)
    former[unknown], mass[unknown] = 0.0, 0.0
    return HistoricalCost(former, alpha, mass, closest)
