"""Shared by the estimators: constraints aligned with the rows of X, once, and fits that succeed or change nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Any, NamedTuple, NoReturn

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted, validate_data

from tripletree.algorithms.flat import is_broken
from tripletree.algorithms.points import as_rows, is_sparse
from tripletree.cluster.distances import WITH_MISSING, is_precomputed
from tripletree.cluster.frames import (
    check_frame,
    has_sparse,
    needs_dense,
    refuse_samples,
    row_text,
    with_texts_as_names,
)
from tripletree.cluster.gower import MixedColumns
from tripletree.cluster.prediction import NeighbourPredictor, TaxonPredictions
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet, total_weight
from tripletree.core.versions import VersionedState
from tripletree.errors import ClusterCountError, warn_user
from tripletree.knowledge.alignment import check_same_rows, named, named_by
from tripletree.knowledge.value import KINDS, Knowledge, align_knowledge

#: When few triplets are known to hurt: at least this many samples and triplets, fewer than this many triplets for each
#: sample they name, numbers of triplets a sample that vary less than this many times the variance of random triplets,
#: and if more than this part of the named samples is tied to no group.
_SAMPLES, _TRIPLETS, _RATIO, _DISPERSION, _LOOSE = 50, 30, 1.2, 2.0, 0.05


#: The estimators by their names. One that compares itself with another knows no more of it.
ESTIMATORS: dict[str, type] = {}


class CheckedEstimator(VersionedState, BaseEstimator):
    """Base of all estimators: parameters are checked in `fit`."""

    def _validate_params(self) -> None:
        """As in scikit-learn, but True is refused as a number, though Python counts it as 1."""
        super()._validate_params()
        for name, accepted in self._parameter_constraints.items():
            value = getattr(self, name)
            if isinstance(value, (bool, np.bool_)) and not {"boolean", "verbose"} & {
                x for x in accepted if isinstance(x, str)
            }:
                msg = f"{name} of {type(self).__name__} must be a number, not {value!r}"
                raise InvalidParameterError(msg)


class ConstrainedClusterer(ClusterMixin, CheckedEstimator):
    """Base of all estimators that cluster: arguments beside X go by name, in `fit_predict` as in `fit`."""

    labels_: Any
    _takes: frozenset[str] = frozenset()  #: the kinds of knowledge that `fit` takes
    _weighs: frozenset[str] = frozenset()  #: the kinds of which a result may contradict some

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.startswith(__package__):
            ESTIMATORS[cls.__name__] = cls
        if "fit" in vars(cls):
            cls._takes |= frozenset(KINDS) & signature(cls.fit).parameters.keys()
            cls.fit = _with_known_arguments(cls.fit)

    def _fit(
        self, X: Any, y: Any, *, sample_names: Any = None, sample_weight: Any = None, given: dict[str, Any], **more: Any
    ) -> Any:
        """The steps that fits have in common: check, align, `_cluster`. If one fails, nothing has changed.

        Parameters
        ----------
        X, y, sample_names, sample_weight
            As `fit` was given them.
        given : dict of str and object
            The kinds of knowledge, by their names, and `missing`.
        **more
            Passed on to `_cluster`.

        Returns
        -------
        estimator
            Itself.
        """
        check_y(y)
        with all_or_nothing(self):
            self._validate_params()
            samples, columns = self._take(X)
            rows = named(X, sample_names)
            check_same_rows(rows, sample_weight)
            known = self._known(rows, samples.shape[0], **given)
            self._cluster(Data(X, samples, columns, rows, sample_names, sample_weight), known, **more)
        return self

    def _take(self, X: Any) -> tuple[Any, MixedColumns | None]:
        """X as numbers, and the columns that Gower's distance needs."""
        return check_samples(self, X, reset=True), None

    def _known(self, rows: Any, n_samples: int, **given: Any) -> Knowledge:
        """All that is known over the rows of X. A kind that this estimator cannot keep is refused."""
        missing_samples = getattr(self, "missing_samples", None)
        known = align_knowledge(rows, n_samples, missing_samples=missing_samples, **given)
        for kind in known.kinds:
            if kind not in self._takes:
                refuse_knowledge(self, kind, self._takes)
            if kind in known.soft - self._weighs:
                are, whole, them = ("is", "it", "it") if kind == "hierarchy" else ("are", f"all {kind}", "them")
                others = "DivisiveReCon or PCKMeans, which weigh" if kind == "pairs" else "DivisiveReCon, which weighs"
                hard = ", or give knowledge.with_soft(), of which all must hold"
                msg = (
                    f"the {kind} of knowledge= {are} soft, and {type(self).__name__} lets {whole} hold: "
                    f"take {others} {them}{hard if known.with_soft().is_consistent else ''}"
                )
                raise ValueError(msg)
        return known

    def _cluster(self, *of: Any, **more: Any) -> None:
        """Set the attributes of a fit, of its `Data` and of the `Knowledge` over them."""
        raise NotImplementedError

    def fit_predict(self, X: Any, y: Any = None, **knowledge: Any) -> np.ndarray:
        """Fit, and return the cluster of each sample.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            As for `fit`.
        y : None
            Ignored.
        **knowledge
            Triplets, pairs and other arguments of `fit`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            ``labels_``.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> ReCon(n_clusters=2).fit_predict([[0.0], [1.0], [5.0]]).tolist()
        [0, 0, 1]
        """
        return self.fit(X, y, **knowledge).labels_


class Data(NamedTuple):
    """The table of a fit.

    Attributes
    ----------
    given : object
        X as the user gave it.
    samples : ndarray or csr_array of float64, shape (n_samples, n_features)
        X as numbers.
    columns : MixedColumns or None
        The columns of X for Gower's distance.
    rows : object
        X, or the names of its rows if they were given apart from it.
    sample_names, sample_weight : object
        As the user gave them.
    """

    given: Any
    samples: Any
    columns: MixedColumns | None
    rows: Any
    sample_names: Any
    sample_weight: Any

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.samples.shape[0]


#: Who takes each kind of knowledge, and how else it can be given to an estimator that takes another kind.
_TAKERS = {
    "triplets": "ReCon or DivisiveReCon",
    "pairs": "ReCon, DivisiveReCon or COPKMeans",
    "hierarchy": "ReCon or DivisiveReCon",
    "classes": "ReCon or DivisiveReCon",
    "comparisons": "DivisiveReCon",
}
_OTHERWISE = {
    (
        "classes",
        "pairs",
    ): "pairs_from_classes(y, leaves=X.index) makes pairs of a list, a class for each row (leaves=None "
    "for an X without names): give these",
    ("classes", "triplets"): "triplets_from_classes(y, leaves=X.index) makes triplets of a list, a class for each row "
    "(leaves=None for an X without names): give these",
    ("hierarchy", "triplets"): "decompose(hierarchy.restrict(samples)) makes triplets of it: give these",
    ("comparisons", "triplets"): "triplets_from_comparisons makes triplets where both halves are said: give these",
}


def refuse_knowledge(estimator: Any, kind: str, taken: Collection[str]) -> NoReturn:
    """Raise the error for a kind of knowledge that `fit` of an estimator does not take."""
    others = [f"; or {text}" for (given, wanted), text in _OTHERWISE.items() if given == kind and wanted in taken]
    msg = f"fit of {type(estimator).__name__} takes no {kind}=: choose an estimator that does, such as {_TAKERS[kind]}"
    raise TypeError(msg + "".join(others))


def _with_known_arguments(fit: Callable[..., Any]) -> Callable[..., Any]:
    """The method `fit` with one sentence about kinds of knowledge that it does not take."""
    parameters = signature(fit).parameters
    if any(x.kind is Parameter.VAR_KEYWORD for x in parameters.values()):
        return fit
    taken = frozenset(parameters)
    unknown = frozenset(_TAKERS) - taken

    @wraps(fit)
    def checked(self: Any, *given: Any, **named: Any) -> Any:
        for kind in unknown & named.keys():
            refuse_knowledge(self, kind, taken)
        return fit(self, *given, **named)

    return checked


class HierarchicalClusterer(ConstrainedClusterer):
    """Base of the estimators that make a hierarchy of the samples from X and from what is known of them.

    Attributes
    ----------
    predictor_ : NeighbourPredictor
        The data that `predict` needs, and no more. Set by `fit`.
    """

    hierarchy_: Hierarchy
    linkage_: np.ndarray
    predictor_: NeighbourPredictor
    _taxonomy: Hierarchy | None

    @property
    def children_(self) -> np.ndarray:
        """The two nodes of each merge, as in scikit-learn's AgglomerativeClustering.

        Returns
        -------
        ndarray of int, shape (n_samples - 1, 2)
            Row i makes node n_samples + i of ``hierarchy_``. Numbers below n_samples are samples. ``distances_`` has
            its distance.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> ReCon(n_clusters=2).fit([[0.0], [1.0], [5.0]]).children_.tolist()
        [[0, 1], [2, 3]]
        """
        check_is_fitted(self)
        return self.linkage_[:, :2].astype(np.intp)

    def predict(self, X: Any) -> np.ndarray:
        """Find the flat cluster of samples: fitted ones keep theirs, new ones go by their nearest neighbours.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_new, n_features) or (n_new, n_samples)
            The samples, or their distances to the fitted ones where ``metric="precomputed"``.

        Returns
        -------
        ndarray of int, shape (n_new,)
            Their clusters. Ties go to the lowest.

        Notes
        -----
        A fitted sample gets its label in ``labels_`` (of several equal samples, the most frequent of theirs), which
        constraints may have put far from the centre of its cluster. No constraint is about a new sample: the
        five nearest fitted samples under the metric vote, with weights of one over their distance.

        ``predictor_`` is all that is needed for this. It is small, with at most 4 million numbers of features kept (of
        more, a sample of each cluster), can be pickled alone and has `predict` and `predict_proba`, too.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> ReCon(n_clusters=2).fit([[0.0], [1.0], [5.0], [6.5]]).predict([[1.0], [2.0], [4.0]]).tolist()
        [0, 0, 1]
        """
        check_is_fitted(self)
        return self.predictor_.clusters(X, self._measured(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Tell the share of each flat cluster in the votes of the nearest neighbours of samples.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features) or (n_new, n_samples)
            As for `predict`.

        Returns
        -------
        ndarray of float64, shape (n_new, n_clusters_)
            Rows sum to 1. A fitted sample has all of its votes in its own cluster.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> ReCon(n_clusters=2).fit([[0.0], [1.0], [5.0], [6.5]]).predict_proba([[1.0], [3.0]]).round(2).tolist()
        [[1.0, 0.0], [0.51, 0.49]]
        """
        check_is_fitted(self)
        return self.predictor_.shares(X, self._measured(X))

    def predict_path(self, X: Any) -> list[np.ndarray]:
        """Tell the clades of the hierarchy that samples belong to, from the root down.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features) or (n_new, n_samples)
            As for `predict`.

        Returns
        -------
        list of ndarray of int
            For each sample nodes of ``hierarchy_``: the root first, each the parent of the next. It ends at the
            smallest clade with more than half of the nearest neighbours, for a fitted sample at its own leaf.

        Examples
        --------
        >>> from tripletree.cluster import ReCon
        >>> model = ReCon(n_clusters=2).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> [[model.hierarchy_.clade(u) for u in path] for path in model.predict_path([[1.0], [5.5]])]
        [[[0, 1, 2, 3], [0, 1], [1]], [[0, 1, 2, 3]]]
        """
        check_is_fitted(self)
        return self.predictor_.paths(X, self._measured(X), self.hierarchy_)

    def predict_taxon(self, X: Any) -> TaxonPredictions:
        """Tell the named groups of the hierarchy given to `fit` that samples probably belong to.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features) or (n_new, n_samples)
            As for `predict`.

        Returns
        -------
        TaxonPredictions
            ``.probability`` of each group and sample, ``.best()`` the smallest group with more than half of the votes,
            ``.to_frame()`` a table.

        Raises
        ------
        ValueError
            If `fit` was given no hierarchy, or one whose inner nodes have no names.

        See Also
        --------
        predict_path : the clades of ``hierarchy_``, which may differ from the taxa.

        Notes
        -----
        The five nearest fitted samples vote for all groups that they are in, with weights of one over their distance.
        Only samples in the hierarchy have a vote, and a fitted one in it has its own groups. A classifier trained for
        one level, such as scikit-learn's RandomForestClassifier on the families, is often some hundredths better at it
        (``docs/questions/taxonomy.md`` has figures).

        Examples
        --------
        >>> from tripletree.cluster import DivisiveReCon
        >>> taxonomy = tt.parse_newick("((0,1,2)cats,(3,4)dogs)carnivores;")
        >>> model = DivisiveReCon(2).fit([[0.0], [1.0], [1.5], [6.0], [6.5]], hierarchy=taxonomy)
        >>> found = model.predict_taxon([[2.0], [5.0]])
        >>> found.names, found.best(), found.probability.round(2).tolist()
        (('carnivores', 'dogs', 'cats'), ['cats', 'dogs'], [[1.0, 0.12, 0.88], [1.0, 0.69, 0.31]])
        """
        check_is_fitted(self)
        taxonomy = getattr(self, "_taxonomy", None)
        if taxonomy is None or not any(taxonomy.names or ()):
            why = (
                "was given no hierarchy"
                if taxonomy is None
                else "was given a hierarchy whose inner nodes have no names"
            )
            msg = f"fit {why}, so there are no taxa: fit(X, hierarchy=taxonomy); predict tells the flat cluster"
            raise ValueError(msg)
        leaf = np.full(len(self.hierarchy_.leaves), -1)
        leaf[self.hierarchy_.leaves.indices(taxonomy.leaves)] = np.arange(taxonomy.n_leaves)
        return self.predictor_.taxa(X, self._measured(X), taxonomy, leaf)

    def _measured(self, X: Any) -> Any:
        if not hasattr(self, "metric"):
            return check_samples(self, X, reset=False)
        return check_measured(self, X, self.predictor_.distances.parameters.get("columns"), reset=False)[0]


class TripletClusterer(HierarchicalClusterer):
    """Base of the estimators whose hierarchy displays triplets."""

    def _store_tree(
        self,
        tree: Hierarchy,
        merges: np.ndarray,
        drawn: np.ndarray,
        labels: np.ndarray,
        known: Knowledge,
        used: TripletSet,
        violated: TripletSet,
    ) -> None:
        """Set what follows from a tree, its merges with raw and with rising heights, flat clusters, and triplets."""
        self.hierarchy_, self.clade_names_ = named_by(tree, known.hierarchy)
        self._taxonomy = known.hierarchy
        self.linkage_, self.distances_ = drawn, merges[:, 2].copy()
        self.labels_, self.n_clusters_ = labels, int(labels.max()) + 1
        self.triplets_, self.n_triplets_ = used, len(used)
        self.violated_triplets_, self.weight_violated_ = violated, total_weight(violated)
        self.satisfied_in_labels_ = ~is_broken(labels, used.rows)
        self.n_leaves_ = len(used.leaves)


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Put the estimator's attributes back when the fit inside fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_enough_samples(n_clusters: int | None, n_samples: int) -> None:
    """Refuse more clusters than samples."""
    if n_clusters is not None and n_samples < n_clusters:
        msg = f"n_clusters={n_clusters} but n_samples={n_samples}: there cannot be more clusters than samples"
        raise ClusterCountError(msg, n_clusters=n_clusters, nearest=(n_samples,))


def check_y(y: Any) -> None:
    """Refuse triplets and pairs that were given as y, where they would be ignored."""
    two_lists = (
        isinstance(y, (tuple, list))
        and len(y) == 2
        and all(x is None or isinstance(x, (list, tuple, np.ndarray)) for x in y)
    )
    if isinstance(y, PairwiseConstraints) or two_lists:
        msg = "y holds pairs: give them by name, fit(X, pairs=...); y is ignored"
        raise TypeError(msg)
    plain = isinstance(y, (list, tuple, np.ndarray))
    if isinstance(y, TripletSet) or (plain and np.ndim(y) == 2 and np.shape(y)[1] == 3):
        msg = "y looks like triplets: give them by name, fit(X, triplets=...); y is ignored"
        raise TypeError(msg)


def check_samples(
    estimator: Any, X: Any, *, reset: bool, sparse: bool = False, missing: bool = False, metric: Any = None
) -> Any:
    """X as a finite float64 matrix of at least one row and column. The estimator learns or checks its features.

    Parameters
    ----------
    estimator : estimator
    X : array_like, DataFrame or sparse matrix
    reset : bool
        True in `fit`, False afterwards.
    sparse, missing : bool
        If True, X may be sparse, or may hold NaN.
    metric : object
        If "precomputed", X holds distances. By default that of the estimator.

    Returns
    -------
    ndarray or csr_array of float64, shape (n_samples, n_features)
        Sparse ones are as `as_rows` makes them.
    """
    X = with_texts_as_names(X)
    distances = is_precomputed(getattr(estimator, "metric", metric))
    name = type(estimator).__name__
    check_frame(X, tells_ids=reset and not distances)
    if has_sparse(X) and not sparse:
        raise needs_dense(name, X)
    finite: Any = "allow-nan" if missing else True
    try:
        samples = validate_data(
            estimator,
            X,
            accept_sparse="csr" if sparse else False,
            dtype=np.float64,
            reset=reset,
            ensure_all_finite=finite,
        )
    except (TypeError, OverflowError, ValueError) as error:
        refuse_samples(error, X, distances=distances)
    return as_rows(samples) if is_sparse(samples) else samples


def check_measured(
    estimator: Any, X: Any, columns: MixedColumns | None, *, reset: bool, sparse: bool = True
) -> tuple[Any, Any]:
    """X as an estimator with a `metric` takes it, and the columns for Gower's distance (learned where `reset`)."""
    metric = estimator.metric
    if not isinstance(metric, str) or metric != "gower":
        missing = isinstance(metric, str) and metric in WITH_MISSING
        if has_sparse(X) and (missing or is_precomputed(metric)):
            msg = f"metric={metric!r} needs dense X; entries that a sparse matrix lacks are 0, not gaps"
            raise TypeError(msg)
        samples = check_samples(estimator, X, reset=reset, sparse=sparse, missing=missing)
        if missing and reset:
            _check_known(X, samples, metric)
        return samples, None
    X = with_texts_as_names(X)
    check_frame(X, tells_ids=reset, takes_words=True)
    columns = MixedColumns.of(X) if reset or columns is None else columns
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    samples = columns.encoded(X)
    if reset:
        _check_known(X, samples, metric)
    return samples, columns


def _check_known(X: Any, samples: np.ndarray, metric: str) -> None:
    """Check that something is known of each sample, of several."""
    empty = np.flatnonzero(np.isnan(samples).all(axis=1))
    if empty.size and len(samples) > 1:
        more = f", like {counted(empty.size - 1, 'other')}" if empty.size > 1 else ""
        where = row_text(X, int(empty[0]))
        msg = f"{where} of X has no known value{more}, so metric={metric!r} has no distance from it to others: "
        msg += "leave it out, or fill the gaps in"
        raise ValueError(msg)


def warn_if_few(triplets: TripletSet, tree: Hierarchy) -> None:
    """Warn of triplets so few and so random that such sets are known to make clusters of noisy data worse.

    Parameters
    ----------
    triplets : TripletSet
        m consistent triplets over the n samples. They name u of them.
    tree : Hierarchy
        The tree of `one_tree` for them.

    Notes
    -----
    Triplets drawn at random name each sample by chance, so the numbers of triplets a sample scatter like a Poisson
    distribution. The variance over the mean is 1, and up to 1.9 for two classes of 80 and 20 percent. Samples without
    triplets are counted by their expected number. Informative triplets name few samples over and over: for 30 and more
    of `triplets_from_classes` it was 2.3 at the least with 10 classes, 10 with 3. A set that leaves hardly any named
    sample alone below the root of its hierarchy, as `decompose` gives, is not random either.

    Fewer than 1.2 random triplets a named sample lowered the dendrogram purity of two noisy classes (569 samples, 30
    features, Ward linkage) from .840 to .71-.81. From 1.2 on it was .98 and more if all samples were named, .89
    if a fifth of them was. On other data 1.2 are not enough: ``benchmarks/results/knowledge.md`` has sets on which
    ReCon gains nothing below 3. So the message recommends no number.
    """
    m, n = len(triplets), len(triplets.leaves)
    u = triplets.used_leaves.size
    if n < _SAMPLES or m < _TRIPLETS or m >= _RATIO * u:
        return
    loose = (int(tree.n_children[tree.root]) - (n - u)) / u
    count = np.bincount(triplets.rows.ravel(), minlength=n).astype(np.float64)
    if loose <= _LOOSE or _dispersion(count[count > 0]) >= _DISPERSION:
        return
    msg = (
        f"{m} triplets that look drawn at random name {u} of {n} samples, {m / u:.2f} triplets each: below about "
        f"{_RATIO} such triplets often make results worse, not better. Compare with the fit without them "
        "(evaluate_knowledge); use DivisiveReCon; or give informative triplets (triplets_from_classes, where classes "
        "are known). A few more random triplets do not help"
    )
    warn_user(msg)


def warn_of_silent_classes(codes: np.ndarray, needed: str) -> None:
    """Warn of classes that imply nothing. `needed` gives the requirement."""
    known = codes[codes >= 0]
    given = f"{counted(known.size, 'label')} of {counted(np.unique(known).size, 'class', 'classes')}"
    warn_user(f"classes has {given}, so nothing follows: give {needed}")


def _dispersion(count: np.ndarray) -> float:
    """Return variance over mean of numbers, if only positive ones are seen. For a Poisson distribution it is 1."""
    seen = float(count.mean())
    mean = seen
    for _ in range(200):
        mean = seen * -np.expm1(-mean)  # the mean of all, the unseen zeros included
    return 1.0 + float((count * (count - 1.0)).sum() / count.sum()) - mean
