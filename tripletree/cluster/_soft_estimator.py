"""Base of the estimators with soft pairs: what `PCKMeans` and `MPCKMeans` check, start, and report alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral, Real
from types import FunctionType
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree._random import generator
from tripletree.cluster._base import (
    aligned_pairs,
    all_or_nothing,
    checked_samples,
    progress_bar,
    refuse_as_y,
    refuse_truth_values,
)
from tripletree.cluster._distances import check_spread
from tripletree.cluster._lloyd import Points, checked_start, checked_weights, starting_centres
from tripletree.cluster._soft_means import Run, State, best_run, soft_run
from tripletree.cluster._soft_pairs import Links, first_centres, link_costs
from tripletree.errors import ClusterCountError
from tripletree.pairs import PairwiseConstraints

__all__ = ["SoftPairMeans"]

#: The least positive weight of a sample, and the greatest.
_WEIGHTS = 1e-100, 1e100


class SoftPairMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator, ABC):
    """Base of the k-means family with soft pairs. The samples are looked at in units of their spread, see `_frame`."""

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "penalty": [Interval(Real, 0, 1e100, closed="both")],
        "init": [StrOptions({"pairs", "k-means++"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    n_clusters: int
    penalty: float
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    missing_samples: str
    verbose: bool | int
    labels_: np.ndarray
    cluster_centers_: np.ndarray
    _mean: np.ndarray
    _spread: float

    def __init_subclass__(cls, **options: Any) -> None:
        """Let errors about arguments name the estimator, not the base that its methods come from."""
        for name in ("__init__", "fit"):
            whole = getattr(cls, name)
            if isinstance(whole, FunctionType) and name not in vars(cls):
                own = FunctionType(
                    whole.__code__, whole.__globals__, whole.__name__, whole.__defaults__, whole.__closure__
                )
                own.__kwdefaults__, own.__annotations__ = whole.__kwdefaults__, whole.__annotations__
                own.__doc__, own.__qualname__ = whole.__doc__, f"{cls.__name__}.{name}"
                setattr(cls, name, own)
        super().__init_subclass__(**options)

    def fit(self, X: Any, y: Any = None, *, pairs: Any = None, sample_weight: Any = None) -> Any:
        """Cluster the samples, at a price for each pair that is violated.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link), optional
            Pairs (a, b) of some of the samples. Labels are those of the index where X is a pandas DataFrame, else **row
            numbers of this very X**: a part of X, as in cross-validation, has other ones, and nobody can tell. Integer
            arrays always hold row numbers.
        sample_weight : array_like of float, shape (n_samples,), optional
            A sample of weight 2 counts as two equal samples of which one is in the pairs. One of weight 0 is left out,
            with its pairs, and then goes to the cluster that `predict` says.

        Returns
        -------
        estimator
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        UnknownLeafError
            If pairs name samples that X has not; ``.labels`` holds them all.
        DuplicateLeafError
            If pairs refer to the index of X and it holds a label more than once.
        InvalidPairError
            If an entry is no pair, or if an integer array meets an index of other integers than 0..n-1.
        ClusterCountError
            If there are fewer samples, of positive weight, than clusters.
        ValueError
            If X holds NaN, infinity or text; if weights are negative, all 0, or positive beyond 1e-100..1e100; or if
            `penalty` is too large for X.
        TypeError
            If X is sparse, or y holds pairs.

        Warns
        -----
        ConvergenceWarning
            If the best run was stopped by `max_iter`, or some cluster has no samples.

        Examples
        --------
        >>> from tripletree.cluster import PCKMeans
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> model = PCKMeans(n_clusters=2, random_state=0).fit(X, pairs=([(0, 3)], [(0, 1), (2, 3)]))
        >>> len(set(model.labels_.tolist()))
        2
        """
        refuse_as_y(y)
        with all_or_nothing(self):
            self._validate_params()
            refuse_truth_values(self)
            samples = checked_samples(self, X, reset=True)
            weights = checked_weights(samples, sample_weight)
            _check_range(weights)
            aligned = aligned_pairs(X, pairs, samples.shape[0], missing_samples=self.missing_samples)
            counted = weights > 0
            self._check_number(int(counted.sum()), samples.shape[0])
            check_spread(samples)
            centres = checked_start(self.init, self.n_clusters, samples.shape[1])
            self._frame(samples, weights)
            self._check_prices(samples.shape[0] + len(aligned))
            some = slice(None) if counted.all() else counted
            points = Points.of(self._framed(samples[some]), weights[some])
            links = _links(aligned, counted)
            run = self._run(points, links, None if centres is None else self._framed(centres))
            labels = np.empty(samples.shape[0], np.int32)
            labels[counted] = run.labels
            labels[~counted] = run.state.at(Points.of(self._framed(samples[~counted]))).nearest()
            self.labels_ = labels
            self._report(run, links, aligned)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Find the nearest centre of new samples.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)

        Returns
        -------
        ndarray of int, shape (n_new,)
            The pairs are not looked at: see Notes for how far this is from ``labels_`` on the fitted samples.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ValueError
            If X does not fit the fitted samples, or holds NaN or infinity.

        Notes
        -----
        No pair says anything of a new sample, and a sample that is given again counts as a new one. So those in no pair
        get their label of ``labels_``, but one in pairs that outweighed the distances goes back to the nearest centre.
        With random pairs of the true classes, n/10 of them, that was 0 to 2 % of the samples of iris, wine and breast
        cancer (standardized); with 200 pairs 1 to 12 %; with n pairs on classes that X does not show at all 28 %. For
        the fitted samples take ``labels_``.

        Examples
        --------
        >>> from tripletree.cluster import PCKMeans
        >>> model = PCKMeans(n_clusters=2, init=[[0.0], [9.0]]).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.predict([[3.0], [7.0]]).tolist()
        [0, 1]
        """
        return self._state_at(X).nearest()

    def transform(self, X: Any) -> np.ndarray:
        """Distances of samples to the centres, under the metric of each cluster.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters)

        Raises
        ------
        NotFittedError, ValueError
            As `predict` does.

        Examples
        --------
        >>> from tripletree.cluster import PCKMeans
        >>> model = PCKMeans(n_clusters=2, init=[[0.0], [9.0]]).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.transform([[3.0]]).tolist()
        [[2.5, 5.5]]
        """
        distances = np.sqrt(self._state_at(X).distances())
        return distances * self._spread if self._in_units else distances

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The negative objective of samples that are in no pair, as KMeans has it: the higher, the better they fit.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)
        y : None
            Ignored.
        sample_weight : array_like of float, shape (n_new,), optional
            How much each sample counts.

        Returns
        -------
        float
            Minus the (weighted) sum of squared distances to the nearest centres; under learned metrics less the
            logarithms of their determinants, as in the objective. Pairs say nothing of new samples, so it is the
            negative ``objective_`` only of a fit without pairs (and without the prior of `MPCKMeans`).

        Raises
        ------
        NotFittedError, ValueError
            As `predict` does.

        Examples
        --------
        >>> from tripletree.cluster import PCKMeans
        >>> model = PCKMeans(n_clusters=2, init=[[0.0], [9.0]]).fit([[0.0], [1.0], [8.0], [9.0]])
        >>> model.score([[0.0], [1.0], [8.0], [9.0]]) == -model.objective_
        True
        """
        state = self._state_at(X, sample_weight)
        cost = float(state.own(state.nearest()).sum())
        if self._in_units:
            return -cost * self._spread**2
        mass = np.shape(X)[0] if sample_weight is None else float(np.sum(sample_weight))
        return -(cost + mass * self.n_features_in_ * float(np.log(self._spread**2)))

    # ------------------------------------------------------------------ what the two differ in

    #: Whether distances are in the units of X, or in none.
    _in_units: ClassVar[bool] = True

    @abstractmethod
    def _prepared(self, points: Points, links: Links, rng: np.random.Generator) -> Any:
        """What all starts have in common."""

    @abstractmethod
    def _state(self, prepared: Any, centres: np.ndarray) -> State:
        """The state to start from, with given centres."""

    @abstractmethod
    def _started(self, prepared: Any, rng: np.random.Generator, r: int) -> State:
        """The state of start number r."""

    @abstractmethod
    def _report_values(self, run: Run, cost: float) -> None:
        """Set objective, inertia, the cost of the pairs and the metrics, in the units of X."""

    # ------------------------------------------------------------------ steps of the fit

    def _check_prices(self, n: int) -> None:
        """Refuse a penalty that n violated pairs would carry out of float64 in the units of X."""
        unit = self._spread**2
        penalty = getattr(self, "penalty", 1.0)  # CVQE and its kin have no price of their own
        if self._in_units and not penalty * unit * n < np.finfo(np.float64).max:
            msg = (
                f"penalty={penalty:g} times the mean squared distance of the samples to their mean, {unit:g}, is "
                f"too large for float64 arithmetic: from about 10 on, all pairs hold that can"
            )
            raise ValueError(msg)

    def _check_number(self, positive: int, n: int) -> None:
        if positive < self.n_clusters:
            what = f"n_samples={n}" if positive == n else f"{positive} of n_samples={n} have a positive weight"
            msg = f"n_clusters={self.n_clusters} but {what}: there cannot be more clusters than samples"
            raise ClusterCountError(msg, n_clusters=self.n_clusters, nearest=(positive,))

    def _frame(self, samples: np.ndarray, weights: np.ndarray) -> None:
        """Find the frame in which the mean is 0 and the mean squared distance to it 1."""
        share = weights / weights.sum()
        self._mean = share @ samples
        apart = samples - self._mean
        self._spread = float(np.sqrt(share @ np.einsum("ij,ij->i", apart, apart))) or 1.0

    def _framed(self, samples: np.ndarray) -> np.ndarray:
        return (samples - self._mean) / self._spread

    def _run(self, points: Points, links: Links, centres: np.ndarray | None) -> Run:
        rng = generator(self.random_state)
        prepared = self._prepared(points, links, rng)

        def start(r: int) -> Run:
            first = self._state(prepared, centres) if centres is not None else self._started(prepared, rng, r)
            return soft_run(first, links, rng, max_iter=self.max_iter)

        n_starts = 1 if centres is not None else self.n_init
        with progress_bar(self.verbose, n_starts, type(self).__name__, "starts") as tell:
            run = best_run(start, n_starts, tell)
        if not run.converged:
            msg = (
                f"{type(self).__name__} has not converged after max_iter={self.max_iter} iterations: increase it, or "
                "tol"
            )
            warn(msg, ConvergenceWarning, stacklevel=4)
        held = np.unique(run.labels).size
        if held < self.n_clusters:
            msg = (
                f"{held} of n_clusters={self.n_clusters} clusters have samples: X has equal samples, or with "
                "these pairs fewer clusters cost less"
            )
            warn(msg, ConvergenceWarning, stacklevel=4)
        return run

    def _first_centres(self, points: Points, links: Links, rng: np.random.Generator, r: int) -> np.ndarray:
        if self.init == "pairs" and r % 2 == 0:
            return first_centres(points, links, self.n_clusters, rng, drawn=r > 0)
        return starting_centres(points, self.n_clusters, rng)

    def _report(self, run: Run, links: Links, pairs: PairwiseConstraints) -> None:
        label = self.labels_
        (a, b), (c, d) = pairs.must_link.T, pairs.cannot_link.T
        self.violated_pairs_ = pairs.subset(must_link=label[a] != label[b], cannot_link=label[c] == label[d])
        self.cluster_centers_ = run.state.centres * self._spread + self._mean
        self.n_iter_ = run.n_iter
        self._fitted = run.state.at(Points.of(np.empty((0, self.n_features_in_))))
        self._report_values(run, float(link_costs(links, run.state.pay, run.labels[links.nodes])[1].sum()))

    def _state_at(self, X: Any, sample_weight: Any = None) -> State:
        check_is_fitted(self)
        samples = checked_samples(self, X, reset=False)
        return self._fitted.at(Points.of(self._framed(samples), checked_weights(samples, sample_weight)))

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[0]


def _check_range(weights: np.ndarray) -> None:
    """Refuse weights whose products with squared distances, or sums of these, leave the range of float64."""
    least, most = _WEIGHTS
    wrong = np.flatnonzero((weights > most) | ((weights > 0) & (weights < least)))
    if wrong.size:
        i = int(wrong[0])
        msg = (
            f"the sample_weight of sample {i} is {weights[i]:g}: weights must be 0 or lie in {least:g}..{most:g}; "
            "multiply all by a number, or set those to 0 that are next to nothing"
        )
        raise ValueError(msg)


def _links(pairs: PairwiseConstraints, counted: np.ndarray) -> Links:
    """The pairs of the samples that count, over their numbers among these."""
    number = np.cumsum(counted) - 1
    parts = []
    for rows, strength in (
        (pairs.must_link, pairs.must_strength),
        (pairs.cannot_link, pairs.cannot_strength),
    ):
        kept = counted[rows].all(axis=1)
        parts.append((number[rows[kept]], np.ones(kept.sum()) if strength is None else strength[kept]))
    (must, sure), (cannot, sure_not) = parts
    return Links.of(must, cannot, np.concatenate([sure, sure_not]))
