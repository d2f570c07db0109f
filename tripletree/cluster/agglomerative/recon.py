"""ReCon: agglomerative clustering that always ends in a hierarchy which displays the triplets.

`ReCon.fit` shows the steps: check the parameters, align the knowledge with the rows of X, plan the merges (``plan``,
where pairs join the triplets), merge, cut (``PairedCut`` if there are pairs), store.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.cut import (
    FIND_NUMBER,
    RULES,
    NumberOfClusters,
    best_cut,
    check_leaf_weights,
    cut,
    cut_at_threshold,
    suggested,
)
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.flat import fit_together
from tripletree.algorithms.induce import displays
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.algorithms.merges import Counts
from tripletree.algorithms.points import is_sparse
from tripletree.algorithms.repair import repair
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cluster.agglomerative.paired_cut import PairedCut
from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples, plan_merges
from tripletree.cluster.agreement import name_agreement, warn_of_names
from tripletree.cluster.base import (
    ESTIMATORS,
    Data,
    TripletClusterer,
    check_enough_samples,
    check_measured,
    warn_of_silent_classes,
)
from tripletree.cluster.distances import (
    ANY_METRIC,
    EUCLIDEAN,
    METRICS,
    WITH_MISSING,
    FittedMetric,
    as_measured,
    check_metric,
    is_precomputed,
    metric_parameters,
)
from tripletree.cluster.gower import MixedColumns
from tripletree.cluster.nearer import nearer_to_samples
from tripletree.cluster.prediction import NeighbourPredictor
from tripletree.cluster.validation import ValidationReport, alike, compare_settings
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, total_weight
from tripletree.errors import warn_user
from tripletree.knowledge.value import Knowledge

#: The default rule of `tripletree.cut`: the best of its benchmark. Without triplets it is "size".
_DEFAULT_CUT = "auto"

#: Choices if n_clusters are too few for the cannot-links.
_ON_INFEASIBLE = ("raise", "more", "violate")


class ReCon(TripletClusterer):
    """Agglomerative clustering with relative constraints (triplets), by Liu, Zhang and Wang (KDD 2011), and with pairs.

    Starting from single samples, it makes the closest merge after which all triplets can still hold, again and again.
    So it never runs into a dead end: for every consistent set of triplets it ends in a complete binary hierarchy that
    displays all of them. Must-links and cannot-links can be given beside triplets or alone. Without any constraint it
    is plain agglomerative clustering.

    Parameters
    ----------
    n_clusters : int or None, default 2
        Number of flat clusters, ``labels_``. The hierarchy does not depend on it. None with `distance_threshold` and
        for ``cut="constraints"``, which finds the number by itself, else it lets `tripletree.suggest_n_clusters` choose
        from features and triplets (not from precomputed distances, and not with pairs).
    linkage : {"centroid", "median", "ward", "average", "weighted", "complete", "single"}, default "centroid"
        The distance of two clusters, as in ``scipy.cluster.hierarchy.linkage``.
    metric : str, callable or fitted transformer, default "euclidean"
        A metric of ``scipy.spatial.distance``, a function of two samples, or "precomputed" if X is a square matrix of
        distances (rounding in it is mended), or an object with ``transform``, such as a learned metric: distances are
        then Euclidean between the transformed samples. "nan_euclidean" leaves out features that one of two samples
        lacks (NaN), and "gower" takes a table of numbers and categories with gaps. Centroid, median and ward linkage
        need "euclidean", a transformer, or "cosine", for them the Euclidean distance of samples divided by their
        lengths.
    cut : {"auto", "support", "size", "merge_order", "height", "constraints"}, default "auto"
        The rule of `tripletree.cut`. "auto" is "support" with pairs or precomputed distances. With triplets that all
        hold, "auto" then moves single samples to nearer means, where that keeps the triplets and gains much (200
        clusters at most): such clusters are no cut. "merge_order" undoes the last merges, as scikit-learn's
        AgglomerativeClustering does.
    distance_threshold : float or None, default None
        In the place of `n_clusters`: clusters are the largest clades with no merge, their own and all below, above this
        distance. Merges at the very distance stand (in scikit-learn's AgglomerativeClustering they do not).
    dtype : {"float64", "float32"}, default "float64"
        Precision of the merges, whatever the precision of X. "float32" takes half the memory and is 1.4 to 2 times as
        fast, but distances that agree to 7 digits become ties, which go by index, and others stop being ties.
    micro_clusters : int, "auto" or None, default "auto"
        About how many micro-clusters to gather the samples in no triplet into, if there are more of them. For a
        linkage on centres, and not exact (see `tripletree.cluster`). "auto" gathers more than 200,000 such samples, ten
        into one on average, into 50,000 at most, with a `UserWarning`, else it is None: exact, however long it takes.
    random_state : int, Generator, RandomState or None, default 0
        For micro-clusters, to choose the samples that they are found on, and for ``on_conflict="repair"``.
    n_jobs : int or None, default None
        Threads that gather samples into micro-clusters, as in scikit-learn: None is 1, -1 all processors. The merges
        themselves take one.
    on_conflict : {"raise", "repair"}, default "raise"
        How to treat triplets that contradict each other: raise an error that shows a conflict, or leave out the
        triplets that `tripletree.repair` drops, as little weight as it can manage, with a `UserWarning`.
    on_infeasible : {"raise", "more", "violate"}, default "raise"
        How to proceed if no `n_clusters` clusters that keep all pairs are found: raise `InfeasibleClusteringError`, or,
        with a `UserWarning`, return the ``fewest_clusters_`` of the hierarchy, more than were asked for, or return
        `n_clusters`, and say how many cannot-links they violate. Must-links are never violated.
    penalty : float, "auto" or None, default None
        None: all triplets hold. Otherwise they may be violated, at this price for a unit of weight: for triplets of
        which some are wrong, and for large sets that contradict themselves (see `tripletree.cluster`). "auto" is 0.15
        for a triplet of mean weight.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out triplets, pairs and classes on labels that are not in the index of X, as in
        cross-validation. Row numbers are never ignored, nor labels if the index of X is 0..n-1: there they mean
        nothing but rows.
    verbose : bool or int, default False
        If True, show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample, numbered in the order of their first samples.
    n_clusters_, fewest_clusters_, most_clusters_ : int
        Number of flat clusters, and the numbers between which ``hierarchy_`` can be cut so that all pairs hold, 1 and n
        without pairs.
    hierarchy_ : Hierarchy
        Over the labels of the samples (the index of a pandas DataFrame, else 0..n-1). Inner nodes in merge order, at
        the distances of their merges.
    clade_names_ : CladeMatches or None
        The node of each named clade of the `hierarchy` given in ``hierarchy_``, and its Jaccard index there. Inner
        nodes of ``hierarchy_`` have their names. None without a hierarchy or without names.
    linkage_ : ndarray of float64, shape (n_samples - 1, 4)
        scipy's linkage matrix, for drawing: no height is lower than one below it.
    children_ : ndarray of int, shape (n_samples - 1, 2)
        The two nodes of each merge, as in scikit-learn's AgglomerativeClustering.
    distances_ : ndarray of float64, shape (n_samples - 1,)
        The distance of each merge, in order, merges inside must-linked groups first. It may fall from one merge to the
        next, where constraints put a close merge off.
    n_clusters_choice_ : NumberOfClusters or None
        If ``n_clusters=None`` left the choice to the data: the numbers compared, the evidence for each, and the
        ``reason`` in words.
    pairs_, triplets_, n_triplets_ : PairwiseConstraints, TripletSet, int
        The pairs and triplets that were used, without repeated, ignored or dropped ones, and the number of triplets.
    dropped_triplets_, weight_lost_ : TripletSet, float
        The triplets that ``on_conflict="repair"`` left out, and their weight: their number, if there are no weights.
    violated_triplets_, weight_violated_ : TripletSet, float
        The used triplets that ``hierarchy_`` does not display, and their weight. None unless a penalty is given.
    satisfied_in_labels_ : ndarray of bool, shape (n_triplets_,)
        Which of ``triplets_`` the flat clusters satisfy, each read by itself (`tripletree.satisfies`). If no penalty
        is given, the clusters keep all of them and all triplets that they imply
        (`tripletree.algorithms.are_compatible`): for a hierarchy, all its triplets. Pairs come first, and a warning
        says if clusters that keep them break triplets.
    n_tests_, n_rejections_ : int
        Compatibility tests made, and tests that found the closest pair incompatible. One rejection often settles other
        pairs, which are then not tested.
    penalty_, n_micro_clusters_ : float or None, int or None
        The penalty for a unit of weight, and the number of micro-clusters. None without a penalty or micro-clusters.
    name_agreement_ : NameAgreement or None
        How well the features agree with the knowledge, and with exchanged names (`tripletree.cluster.NameAgreement`).
        None below 30 names, or 100 triplets or must-links, or if a few samples are in most triplets. The Notes of
        `DivisiveReCon` tell how often the warning is right.
    validation_ : ValidationReport or None
        After ``fit(..., validate=True)``: whether knowing some samples helps to place others. Else None.
    predictor_ : object
        The data that `predict` needs: small, with ``predict`` and ``predict_proba`` of its own, and pickles alone.
    n_leaves_, n_features_in_, feature_names_in_ : int, int, ndarray of str
        Numbers of samples and features, and the names of the features, if X has them.

    See Also
    --------
    tripletree.cut : other flat clusters from ``hierarchy_``.
    tripletree.cluster : more on large data, wrong triplets, tables and cross-validation.
    tripletree.cluster.rejected_merges : where the hierarchy differs from the one of the distances alone, and why.

    Notes
    -----
    Two clusters i, j are compatible when the triplets together with ij|x for every other cluster x are consistent [1]_.
    Compatible pairs are merged in the order of their distance, then of the first samples of the two clusters. Time
    O(n^2 d) and memory O(n d) for centroid, median and ward linkage, often much less time, and for average and weighted
    linkage of "cosine" and "sqeuclidean". The others keep n (n - 1) / 2 distances [2]_, and so does every
    linkage of sparse X under a penalty. Sparse X stays sparse. Weights of triplets count for ``cut="support"``, for
    repair and for a penalty.

    **Weights of samples** are sizes of clusters: in the merges of centroid, ward and average linkage, and in every cut
    that looks at sizes or means. Median and weighted linkage let each of two clusters count one half whatever their
    sizes, complete and single linkage know only extreme distances: there weights change the cut alone, as repeated rows
    would. ``linkage_`` counts rows. `predict` lets each kept row vote once.

    **Pairs**: each must-linked group is merged first and becomes a clade. Clusters that a cannot-link keeps apart are
    merged only when nothing else is left. The flat clusters keep all pairs. Weights of pairs are ignored, no
    micro-clusters are formed, and `penalty` and ``on_conflict="repair"`` cannot be given.

    ``docs/algorithms.md`` has the reasons: how the merges are found, how pairs and triplets go together, and how the
    rules of `cut` work.

    References
    ----------
    .. [1] Liu, Zhang, Wang (2011), Clustering with Relative Constraints, Proceedings of the 17th ACM SIGKDD
       International Conference on Knowledge Discovery and Data Mining, 947-955.
    .. [2] Müllner (2011), Modern hierarchical, agglomerative clustering algorithms, arXiv:1109.2378.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.5]}, index=["ant", "bee", "cow", "dog"])
    >>> ReCon(n_clusters=2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    >>> model = ReCon(n_clusters=2).fit(X, triplets=[("bee", "cow", "ant"), ("ant", "bee", "dog")])
    >>> model.labels_.tolist(), model.distances_.tolist()
    ([0, 0, 0, 1], [4.0, 3.0, 4.5])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "linkage": [StrOptions({*ANY_METRIC, *EUCLIDEAN})],
        "metric": [StrOptions({*METRICS, *WITH_MISSING, "precomputed"}), callable, HasMethods("transform")],
        "cut": [StrOptions({*RULES})],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
        "dtype": [StrOptions({"float64", "float32"}), Options(type, {np.float64, np.float32})],
        "micro_clusters": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None],
        "on_conflict": [StrOptions({"raise", "repair"})],
        "on_infeasible": [StrOptions({*_ON_INFEASIBLE})],
        "penalty": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"}), None],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray

    @property
    def _weighs(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset() if self.penalty is None else self._takes - {"pairs"}

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        linkage: str = "centroid",
        metric: str | Callable[[np.ndarray, np.ndarray], float] | Any = "euclidean",
        cut: str = _DEFAULT_CUT,
        distance_threshold: float | None = None,
        dtype: str | type = "float64",
        micro_clusters: int | str | None = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        on_conflict: str = "raise",
        on_infeasible: str = "raise",
        penalty: float | str | None = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.cut = cut
        self.distance_threshold = distance_threshold
        self.dtype = dtype
        self.micro_clusters = micro_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.on_conflict = on_conflict
        self.on_infeasible = on_infeasible
        self.penalty = penalty
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        triplets: Any = None,
        pairs: Any = None,
        hierarchy: Any = None,
        classes: Any = None,
        knowledge: Knowledge | None = None,
        missing: Any = None,
        sample_names: Any = None,
        sample_weight: Any = None,
        validate: bool = False,
    ) -> ReCon:
        """Cluster the samples so that triplets and pairs hold.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, or their distances if ``metric="precomputed"``.
        y : None
            Ignored. Class labels are given as `classes`.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            Triplets ab|c on some of the samples. Labels come from the index if X is a pandas DataFrame, else
            row numbers. An integer array always holds row numbers.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of (a, b), optional
            Pairs of samples that belong together, and that do not. **Row numbers** are of this very X.
        hierarchy : Hierarchy, tree of another library, or file or data frame with one, optional
            Its leaves that are samples give the triplets of `decompose`. The other leaves count for nothing.
        classes : array_like, mapping or pandas Series, optional
            The class of some samples: None, NaN, -1, "" or a word such as "NA" or "unknown" if it is not known. A
            mapping or Series may leave samples out. They give the triplets of `triplets_from_classes`: the known
            members of each class belong together before members of any other.
        knowledge : Knowledge, optional
            All of this as one value. What else is given is added to it.
        missing : value or collection of values, optional
            The values in `classes` that mark samples without one instead: ``missing=[]`` makes -1 a class. None and NaN
            always do.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows, for an X without an index. Cross-validation cuts them as it does X.
        sample_weight : array_like of float, shape (n_samples,), optional
            How many samples each row stands for, more than 0: a row of weight 3 is merged, cut and counted as three
            equal rows are, and triplets name the first of them. See Notes of the class. Not with pairs or
            micro-clusters.
        validate : bool
            If True, hide the constraints on a fifth of the samples at a time, and compare them with results made
            with and without the rest: six further fits, and up to ten if constraints turn out to hurt.

        Returns
        -------
        ReCon
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        InconsistentTripletsError
            If no hierarchy displays all triplets, or no hierarchy that does has must-linked groups as clades, before
            anything is clustered. ``.conflict`` holds the reason, ``.pairs`` the must-links in it. Not under a penalty,
            or ``on_conflict="repair"``.
        InconsistentPairsError
            If must-links put samples together which a cannot-link keeps apart.
        InfeasibleClusteringError
            If pairs allow no `n_clusters` clusters, or the search found no such clusters (see `on_infeasible`).
        UnknownLeafError
            If triplets, pairs or classes name samples that X does not have. ``.labels`` holds them all.
        LimitExceededError
            If `classes` give more than 50 million triplets.

        Warns
        -----
        UserWarning
            If triplets are dropped, or are so few and random that they are known to hurt. If no triplet follows from
            classes. If samples are gathered into micro-clusters. If clusters that keep all pairs may be worse than
            clusters without pairs. If the features agree with the knowledge hardly better than with its names
            exchanged (see ``name_agreement_``). As `on_infeasible` says. With `validate`, if constraints make results
            worse. The message names the better setting.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> ReCon(n_clusters=2).fit(X, triplets=[(1, 2, 0), (1, 2, 3)]).labels_.tolist()
        [0, 0, 0, 1]
        """
        given = {"triplets": triplets, "pairs": pairs, "hierarchy": hierarchy, "classes": classes}
        return self._fit(
            X,
            y,
            sample_names=sample_names,
            sample_weight=sample_weight,
            given=given | {"knowledge": knowledge, "missing": missing},
            validate=validate,
        )

    def _take(self, X: Any) -> tuple[Any, MixedColumns | None]:
        return check_measured(self, X, None, reset=True)

    def _cluster(self, data: Data, known: Knowledge, *, validate: bool = False, inside: float = 0.0) -> None:
        """Plan, merge, cut. `inside` is the sum of squared distances to rows of the samples that they stand for."""
        # check
        given, links, n = known.triplets, known.pairs, data.n
        _check_stop(self, has_pairs="pairs" in known.kinds)
        metric = check_metric(self.metric, self.linkage)
        check_enough_samples(self.n_clusters, n)
        points = as_measured(self.metric, data.given, data.samples)
        distances = FittedMetric(metric, metric_parameters(points, metric, data.columns))
        weights = check_leaf_weights(data.sample_weight, n)
        if known.hierarchy is not None:
            given = given | decompose(known.hierarchy).reindex(given.leaves)
        if known.codes is not None:
            of_classes = triplets_from_classes(known.codes, leaves=given.leaves, samples=known.codes >= 0)
            if not len(of_classes):
                warn_of_silent_classes(known.codes, "two samples of one class and one of another")
            given = given | of_classes
        # plan
        if len(links):
            _check_beside_pairs(self.on_conflict, self.penalty, self.micro_clusters, weights)
        used, dropped = _repair_if_asked(given, self.on_conflict, self.random_state, validated=validate)
        with known.naming_classes():
            plan = plan_merges(
                used,
                links,
                linkage=self.linkage,
                penalty=self.penalty,
                micro_clusters=self.micro_clusters,
                sparse=is_sparse(points),
                weights=weights,
            )
        plan = replace(plan, inside=inside)
        # merge
        merges, counts = self._merge(points, plan, distances, type(self).__name__)
        tree = from_linkage(merges, used.leaves)
        drawn = to_linkage(tree, monotone=True)
        violated = used.subset(~displays(tree, used))
        # cut
        flat = self._cut(tree, drawn, plan, violated, points, distances)
        # store
        self._store_tree(tree, merges, drawn, flat.labels, known, used, violated)
        self.pairs_ = links
        self.fewest_clusters_ = flat.fewest
        self.most_clusters_ = flat.most
        self.n_clusters_choice_ = flat.choice
        self.dropped_triplets_ = dropped
        self.weight_lost_ = total_weight(dropped)
        self.penalty_ = plan.penalty
        self.n_micro_clusters_ = counts.micro_clusters
        self.n_tests_ = counts.tests
        self.n_rejections_ = counts.rejections
        self.predictor_ = NeighbourPredictor(data.samples, points, self.labels_, self.metric, distances)
        self.name_agreement_ = name_agreement(points, distances, known)
        self.validation_ = None
        if not validate:  # whose warning says more
            warn_of_names(self.name_agreement_)
        else:
            rest = {"sample_names": data.sample_names, "sample_weight": weights}
            rng = generator(self.random_state)
            self.validation_ = self._validated(data.given, known, rng, rest, has_pairs=len(links) > 0)

    def _validated(
        self, X: Any, known: Knowledge, rng: np.random.Generator, rest: dict[str, Any], *, has_pairs: bool
    ) -> ValidationReport | None:
        """Compare these settings with no constraints, and, if need be, with a penalty and with DivisiveReCon."""
        others: dict[str, Any] = {}
        if self.penalty is None and not has_pairs:
            others["penalty='auto'"] = alike(self, penalty="auto", verbose=False)
        fits_division = not is_sparse(X) and rest["sample_weight"] is None
        if fits_division and isinstance(self.metric, str) and self.metric in ("euclidean", "cosine", "precomputed"):
            others["DivisiveReCon"] = ESTIMATORS["DivisiveReCon"](self.n_clusters, metric=self.metric)
        name = "all of them hold" if self.penalty is None else f"penalty={self.penalty!r}"
        return compare_settings(name, self, X, known, others, rng, **rest)

    def _merge(self, points: Any, plan: MergePlan, metric: FittedMetric, title: str) -> tuple[np.ndarray, Counts]:
        with progress_bar(self.verbose, points.shape[0] - 1, title) as tell:
            return merge_samples(
                points,
                plan,
                self.linkage,
                metric,
                dtype=np.dtype(self.dtype),
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                progress=tell,
            )

    def _cut(
        self,
        hierarchy: Hierarchy,
        drawn: np.ndarray,
        plan: MergePlan,
        violated: TripletSet,
        points: Any,
        metric: FittedMetric,
    ) -> _FlatCut:
        """Take flat clusters out of the hierarchy, so that they keep all pairs."""
        n, pairs = points.shape[0], plan.constraints.pairs
        samples = points if metric.has_points else None
        # the majority of all triplets counts, but only triplets that hold together can demand anything
        triplets = plan.constraints.triplets
        triplets = triplets - violated if self.cut == "constraints" else triplets
        if not len(pairs):
            if self.distance_threshold is not None:
                return _FlatCut(cut_at_threshold(hierarchy, drawn[:, 2], self.distance_threshold), 1, n)
            k, chosen = self.n_clusters, None
            if k is None and self.cut not in FIND_NUMBER:
                chosen = suggested(hierarchy, triplets, points, None, plan.weights, plan.inside)
                k = chosen.n_clusters
            labels = best_cut(hierarchy, k, self.cut, triplets, samples, plan.weights, plan.inside)
            if self.cut == "auto" and samples is not None and not len(violated):
                labels = nearer_to_samples(labels, labels, samples, triplets, plan.weights, plan.inside)
            return _FlatCut(labels, 1, n, chosen)
        given = points
        if not metric.has_points and not metric.is_precomputed:
            from scipy.spatial.distance import squareform

            given = squareform(metric.condensed(points))
        paired = PairedCut(hierarchy, plan.constraints, given, are_distances=not metric.has_points)
        if self.distance_threshold is not None:
            labels = paired.below(self.distance_threshold)
        else:
            without = None
            rule = "support" if self.cut == "auto" else self.cut
            if rule in ("size", "support") and self.n_clusters is not None and self.n_clusters <= paired.most:
                title = f"{type(self).__name__} without pairs"
                merges, _ = self._merge(points, plan.without_pairs(), metric, title)
                alone = from_linkage(merges, triplets.leaves)
                without = cut(alone, self.n_clusters, rule=rule, triplets=triplets, samples=samples)
            labels = paired.by_rule(self.n_clusters, rule, self.on_infeasible, without)
        if self.penalty is None and not fit_together(labels, triplets.rows):
            warn_user(
                "with these pairs, labels_ break some of the triplets, or some that these imply (satisfied_in_labels_ "
                "tells about each of triplets_). Ask for more clusters, or give fewer cannot-links"
            )
        return _FlatCut(labels, paired.fewest, paired.most)

    def __getstate__(self) -> dict[str, Any]:
        # both follow from hierarchy_, and are a third of a large model
        derived = ("linkage_", "distances_")
        return {name: value for name, value in super().__getstate__().items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "hierarchy_" in state and "linkage_" not in state:
            height = self.hierarchy_.height
            assert height is not None
            self.linkage_ = to_linkage(self.hierarchy_, monotone=True)
            self.distances_ = height[self.hierarchy_.n_leaves :].copy()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.metric)
        tags.input_tags.sparse = not is_precomputed(self.metric)
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric in WITH_MISSING
        return tags


class _FlatCut(NamedTuple):
    """Flat clusters, and the numbers of clusters between which the hierarchy can be cut so that all pairs hold."""

    labels: np.ndarray
    fewest: int
    most: int
    choice: NumberOfClusters | None = None


def _check_stop(model: ReCon, *, has_pairs: bool) -> None:
    """Refuse parameters that determine twice, or not at all, where the hierarchy is to be cut."""
    n_clusters, distance_threshold, rule = model.n_clusters, model.distance_threshold, model.cut
    if distance_threshold is None:
        no_means = is_precomputed(model.metric) or (isinstance(model.metric, str) and model.metric in WITH_MISSING)
        if n_clusters is None and rule not in FIND_NUMBER and (has_pairs or no_means):
            what = "if distances are precomputed" if is_precomputed(model.metric) else f"with metric={model.metric!r}"
            what = "if pairs are given" if has_pairs else what
            msg = f"n_clusters=None finds no number {what}: give one, or distance_threshold, or cut='constraints'"
            raise ValueError(msg)
        return
    if n_clusters is not None:
        msg = (
            f"n_clusters={n_clusters} and distance_threshold={distance_threshold} are both given: set one of them to "
            "None"
        )
        raise ValueError(msg)
    if rule != _DEFAULT_CUT:
        msg = f"cut={rule!r} and distance_threshold are both given: the threshold is a rule of its own"
        raise ValueError(msg)


def _check_beside_pairs(on_conflict: str, penalty: Any, micro_clusters: Any, weights: Any) -> None:
    """Refuse parameters that have no meaning if pairs are given."""
    if weights is not None:
        msg = (
            "sample_weight cannot go with pairs: give the pairs as triplets (pairs.to_triplets() keeps most of them), "
            "or leave the weights out"
        )
        raise ValueError(msg)
    for name, is_given in (
        ("on_conflict='repair'", on_conflict == "repair"),
        (f"penalty={penalty!r}", penalty is not None),
    ):
        if is_given:
            msg = (
                f"{name} cannot go with pairs, which always hold: drop the parameter; PCKMeans takes pairs "
                "that may be violated (pairs.to_triplets() would lose much of them)"
            )
            raise ValueError(msg)
    if micro_clusters is not None and micro_clusters != "auto":
        msg = f"micro_clusters={micro_clusters!r} cannot go with pairs: use micro_clusters=None"
        raise ValueError(msg)


def _repair_if_asked(
    triplets: TripletSet, on_conflict: str, random_state: Any, *, validated: bool
) -> tuple[TripletSet, TripletSet]:
    """Return the triplets to use and the dropped ones: empty unless triplets clash and are to be repaired.

    The warning recommends no settings if they are compared (`validated`): the comparison may recommend others.
    """
    if on_conflict == "raise" or is_consistent(triplets):
        return triplets, triplets.subset(np.empty(0, np.int64))
    done = repair(triplets, random_state=random_state)
    weighed = "" if triplets.weights is None else f", of weight {done.weight_lost:.6g} of {done.weight:.6g},"
    msg = (
        f"{len(done.dropped):,} of {len(triplets):,} triplets{weighed} contradict others and were dropped, see "
        "dropped_triplets_. The others are consistent, but may be wrong all the same"
    )
    warn_user(msg if validated else f"{msg}: penalty='auto' is much less hurt by wrong triplets")
    return done.kept, done.dropped
