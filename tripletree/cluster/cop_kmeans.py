"""COP-KMeans: k-means in which must-links and cannot-links always hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree._random import generator
from tripletree.cluster._base import aligned_pairs, all_or_nothing, checked_samples, refuse_as_y, refuse_truth_values
from tripletree.cluster._constrained_lloyd import GroupCentres, Groups, MeanCentres, OtherCentres, Run
from tripletree.cluster._constrained_starts import Options, best_run, check_reach, cluster_counts, moderate, times_power
from tripletree.cluster._distances import check_spread
from tripletree.cluster._lloyd import (
    Points,
    checked_weights,
    nearest_centres,
    number_of_starts,
    squared_distances,
)
from tripletree.cluster.geometry import CentreGeometry, CheckedGeometry, chosen_geometry
from tripletree.pairs import PairClosure

__all__ = ["COPKMeans"]


class COPKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Constrained k-means by Wagstaff, Cardie, Rogers and Schroedl (ICML 2001): pairs are hard constraints.

    The samples move between the nearest centres that they may go to, the centres to the means of their samples. Every
    must-link and cannot-link holds in the result. Where the paper's greedy assignment ends at a sample that has no
    cluster left, this one goes on: it looks for the cheapest assignment that keeps the pairs. So it fails only where
    none exists, which it proves, or where it gave up the search for one, which it says.

    Parameters
    ----------
    n_clusters : int or sequence of int, default 8
        Number of clusters. Of several numbers, e.g. ``range(2, 9)``, that is taken for which (mean distance of the
        samples to their centres) times k squared is least, as the authors did to count lanes; numbers for which the
        pairs cannot hold are left out.
    init : {"k-means++", "random"} or array_like, shape (n_clusters, n_features), default "k-means++"
        How the first centres are chosen among the samples (must-linked ones count as one, at their mean), or the
        places where they are.
    n_init : int or "auto", default 10
        Number of starts, of which the one with the least inertia counts; given centres are started from once. "auto"
        is 1 for "k-means++" and 10 for "random".
    max_iter : int, default 300
        Iterations of each start, at most.
    tol : float, default 1e-4
        A start has converged when the centres together move by no more, squared, than this times the mean variance of
        the features; or when no sample moves.
    assignment : {"exact", "input", "degree", "random"}, default "exact"
        "exact" looks for the cheapest assignment (see Notes). The others are greedy: one after another, samples take
        the nearest centre that the earlier ones leave them, in the order of X (as in the paper), from the one with the
        most cannot-links on, or in a random order for each start. Where that is a dead end, the order by cannot-links
        is tried, then "exact". A run that comes back to an assignment, as greedy ones may, ends there.
    geometry : {"point", "segment"} or CentreGeometry, default "point"
        What a centre is: a mean, a line segment along the first feature (`SegmentCentres`), or an object with
        ``fit_centre(points, weights)`` and ``squared_distances(points, centre)``; what these return is checked.
    search_limit : int, default 1_000_000
        Bounds both searches. For a first assignment that keeps the pairs: steps for each connected part of the
        cannot-links, beyond one for each of its groups, after which `fit` gives up with an error; the time of a step
        grows with the part. For the cheapest assignment, in each iteration: costs and neighbours looked at in all parts
        (10,000 in each part at least; ten times as many in exchanges; 20 million at most), after which the best seen is
        taken, which ``n_cut_short_`` counts.
    random_state : int, Generator, RandomState or None, default None
        Chooses the starts.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
    verbose : bool or int, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample. No cluster is empty.
    cluster_centers_ : ndarray of float64, shape (n_clusters, n_features)
        The centres; for another geometry, its p numbers for each.
    inertia_ : float
        Weighted sum of the squared distances of the samples to their centres; infinite where no float holds it.
    n_clusters_ : int
        Number of clusters.
    criterion_ : dict of int to float
        Mean distance times k squared for each number of clusters tried; infinite where the pairs cannot hold.
    n_iter_ : int
        Iterations of the start that counts.
    n_dead_ends_ : int
        Its iterations in which the greedy order was a dead end; 0 for "exact".
    n_cut_short_ : int
        Its assignments, with that after the last iteration, that `search_limit` kept from a proof to be the cheapest.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    ReCon : hierarchical clustering in which triplets, and pairs, hold.
    tripletree.PairwiseConstraints : the pairs.

    Notes
    -----
    Must-links are closed first; the samples of a group then cost what its mean costs with their weight, plus a
    constant, so a group is one weighted point. Cannot-links are between groups. **Whether k clusters suffice** is
    whether k colours do for the graph of cannot-links: groups with fewer than k of them always find a place and are
    left out, a clique of more than k is looked for, the rest is searched by DSATUR [2]_ with backtracking, in turn with
    tabu search [3]_. This is decided before anything is clustered. In the worst case it is exponential, hence
    `search_limit`: random cannot-links without must-links are hardest where they are just few enough for k clusters.

    **Assignment**, by connected parts of the graph. Exactly, in polynomial time: what hangs by single cannot-links, so
    whole trees, in O(k) a group; cliques, also with trees on them, as a linear assignment problem. The rest, which is
    NP-hard, within bounds: the cheapest of the previous assignment, two greedy ones and their exchanges of clusters (of
    all at once, or of two on a connected part, Kempe chains) is where branch and bound begins, which ends with a proof
    or at `search_limit`. Every assignment keeps the pairs, and none is dearer than the one before for the same centres:
    so the inertia never rises, and the runs end. A search cut short is not warned of: see ``n_cut_short_``.

    **Empty clusters** take the group farthest from its centre, out of a cluster of several groups. Where must-links
    leave fewer groups than clusters, `fit` fails.

    Without pairs this is scikit-learn's KMeans: the same labels, inertia and iterations from the same centres (but for
    ties, which rounding decides there). An iteration takes O(n k d) and the search.

    **Cross-validation** passes a part of X with all pairs: name samples by labels of a pandas index other than 0..n-1,
    and set ``missing_samples="ignore"``. A sample of the part left out is then free: pairs say nothing in `predict`.

    References
    ----------
    .. [1] Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained k-means clustering with background knowledge,
       Proceedings of the 18th International Conference on Machine Learning, 577-584.
    .. [2] Brélaz (1979), New methods to color the vertices of a graph, Communications of the ACM 22(4), 251-256.
    .. [3] Hertz, de Werra (1987), Using tabu search techniques for graph coloring, Computing 39(4), 345-351.

    Examples
    --------
    >>> from tripletree.cluster import COPKMeans
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> COPKMeans(2, random_state=0).fit_predict(X, pairs=([(0, 2)], [(0, 1)])).tolist()
    [0, 1, 0, 0]
    >>> COPKMeans(2).fit(X, pairs=([], [(0, 1), (1, 2), (0, 2)]))
    Traceback (most recent call last):
        ...
    tripletree.errors.InfeasibleClusteringError: 2 clusters are too few: 3 samples are all kept apart from each...
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "assignment": [StrOptions({"exact", "input", "degree", "random"})],
        "geometry": [StrOptions({"point", "segment"}), HasMethods(["fit_centre", "squared_distances"])],
        "search_limit": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray
    cluster_centers_: np.ndarray

    def __init__(
        self,
        n_clusters: int | Any = 8,
        *,
        init: str | Any = "k-means++",
        n_init: int | str = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        assignment: str = "exact",
        geometry: str | CentreGeometry = "point",
        search_limit: int = 1_000_000,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.assignment = assignment
        self.geometry = geometry
        self.search_limit = search_limit
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, pairs: Any = None, sample_weight: Any = None) -> COPKMeans:
        """Cluster the samples so that every pair holds.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The samples.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of pairs (a, b), optional
            Labels are those of the index where X is a pandas DataFrame, else **row numbers of this very X**: a part of
            X, as in cross-validation, has other ones, and nobody can tell. Every pair must hold, whatever its strength.
        sample_weight : array_like, shape (n_samples,), optional
            How much each sample counts, at least 0.

        Returns
        -------
        COPKMeans
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        InconsistentPairsError
            If must-links tie two samples together that a cannot-link keeps apart; ``.path`` is the reason.
        InfeasibleClusteringError
            If so many clusters are too few for the cannot-links, or too many for the groups that must-links leave
            (``.proved``; ``.clique`` or ``.samples`` is the reason), or if no assignment was found in `search_limit`
            steps (``.proved`` is False).
        ClusterCountError
            If there are fewer samples than clusters.
        UnknownLeafError, DuplicateLeafError, InvalidPairError
            If pairs do not fit the rows of X.
        ValueError
            If X holds NaN, infinity or text, parameters or weights are out of range, or a geometry returns no centre.
        TypeError
            If X is sparse, y holds pairs, or the geometry is a class.

        Warns
        -----
        ConvergenceWarning
            If the best start did not converge in `max_iter` iterations.

        Examples
        --------
        >>> from tripletree.cluster import COPKMeans
        >>> model = COPKMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [6.0]], pairs=([(1, 2)], []))
        >>> model.labels_[1] == model.labels_[2]
        np.True_
        """
        refuse_as_y(y)
        with all_or_nothing(self):
            self._validate_params()
            refuse_truth_values(self)
            samples = checked_samples(self, X, reset=True)
            check_spread(samples)
            weights = checked_weights(samples, sample_weight)
            counts = cluster_counts(self.n_clusters, samples.shape[0])
            closure = aligned_pairs(X, pairs, samples.shape[0], missing_samples=self.missing_samples).closure()
            weights, exponent = moderate(weights)
            groups = Groups(samples, weights, closure.component, closure.n_components)
            geometry = chosen_geometry(self.geometry)
            model = MeanCentres(groups) if geometry is None else OtherCentres(groups, geometry)
            best, self.criterion_ = self._best(counts, model, closure)
            if not best.converged:
                msg = f"COPKMeans stopped after max_iter={self.max_iter} iterations, before it converged"
                warn(f"{msg}: raise max_iter or tol", ConvergenceWarning, stacklevel=2)
            self.labels_ = best.labels[closure.component]
            self.cluster_centers_, self.inertia_ = best.centres, times_power(best.inertia, exponent)
            self.n_clusters_ = best.centres.shape[0]
            self.n_iter_, self.n_dead_ends_, self.n_cut_short_ = best.n_iter, best.n_dead_ends, best.n_cut_short
            self._n_features_out = self.n_clusters_
            self._geometry = geometry
        return self

    def fit_predict(self, X: Any, y: Any = None, *, pairs: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, and return ``labels_``.

        Parameters
        ----------
        X, y, pairs, sample_weight
            As for `fit`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            The cluster of each sample.

        Raises
        ------
        InconsistentPairsError, InfeasibleClusteringError, ValueError, LookupError, TypeError
            As `fit` does.
        """
        return self.fit(X, y, pairs=pairs, sample_weight=sample_weight).labels_

    def predict(self, X: Any) -> np.ndarray:
        """Find the nearest centre of new samples; pairs say nothing of them.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)
            The new samples.

        Returns
        -------
        ndarray of int, shape (n_new,)
            Their clusters; of several at the same distance, the lowest. On the fitted samples that need not be
            ``labels_``.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ValueError
            If X does not fit the fitted samples, or holds NaN or infinity.
        """
        return self._nearest(X)[0]

    def transform(self, X: Any) -> np.ndarray:
        """Distances of samples to the centres.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)
            The samples.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters)

        Raises
        ------
        NotFittedError, ValueError
            As `predict` does.
        """
        return np.sqrt(self._squared(self._checked(X)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The negative weighted sum of squared distances of samples to their nearest centres, as KMeans has it.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)
            The samples.
        y : None
            Ignored.
        sample_weight : array_like, shape (n_new,), optional
            How much each sample counts.

        Returns
        -------
        float

        Raises
        ------
        NotFittedError, ValueError
            As `predict` does.
        """
        squared = self._nearest(X)[1]
        weights, exponent = moderate(checked_weights(squared[:, None], sample_weight))
        return -times_power(float(squared @ weights), exponent)

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        samples = checked_samples(self, X, reset=False)
        if self._geometry is None:
            check_reach(samples, self.cluster_centers_)
        return samples

    def _squared(self, samples: np.ndarray) -> np.ndarray:
        if self._geometry is None:
            return squared_distances(Points.of(samples).columns, self.cluster_centers_)
        geometry = CheckedGeometry(self._geometry)
        return np.stack([geometry.squared_distances(samples, c) for c in self.cluster_centers_], axis=1)

    def _nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        samples = self._checked(X)
        if self._geometry is None:
            return nearest_centres(Points.of(samples).columns, self.cluster_centers_)
        squared = self._squared(samples)
        return squared.argmin(axis=1).astype(np.int32), squared.min(axis=1)

    def _best(self, counts: list[int], model: GroupCentres, closure: PairClosure) -> tuple[Run, dict[int, float]]:
        options = Options(
            init=self.init,
            n_init=number_of_starts(self.n_init, self.init),
            max_iter=self.max_iter,
            tol=self.tol,
            assignment=self.assignment,
            search_limit=self.search_limit,
        )
        with _bar(self.verbose, len(counts) * options.n_init) as tell:
            return best_run(model, closure, counts, options, generator(self.random_state), tell)


@contextmanager
def _bar(verbose: Any, total: int) -> Iterator[Any]:
    if not verbose:
        yield lambda _: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc="COPKMeans", unit=" starts") as bar:
        yield bar.update
