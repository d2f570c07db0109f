"""Shared by the estimators: constraints aligned with the rows of X, once, and fits that succeed or change nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Any, NoReturn

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from tripletree.algorithms.points import as_rows, is_sparse
from tripletree.cluster.distance_matrix import advice_for_gaps, kind_of_square
from tripletree.cluster.distances import WITH_MISSING, is_precomputed
from tripletree.cluster.gower import MixedColumns
from tripletree.cluster.prediction import NeighbourPredictor, TaxonPredictions
from tripletree.core.checks import counted, described, refuse_lazy
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import repeated
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.core.versions import VersionedState
from tripletree.errors import ClusterCountError, warn_user
from tripletree.io.columns import ids_of_frame

#: When few triplets are known to hurt: from so many samples and so many triplets on, if there are fewer than so many
#: triplets for each sample they name, if the numbers of triplets a sample vary less than so many times the variance of
#: random triplets, and if more than this part of the named samples is tied to no group.
_SAMPLES, _TRIPLETS, _RATIO, _DISPERSION, _LOOSE = 50, 30, 1.2, 2.0, 0.05


#: Advice about missing values.
_GAPS = (
    "Fill them in (sklearn.impute), or compare the features that two samples share: DivisiveReCon, ReCon and "
    "ConstrainedCompleteLink with metric='nan_euclidean' (columns on one scale) or metric='gower' (numbers and "
    "categories); ReCon with linkage='average', 'weighted', 'complete' or 'single'"
)
_STORED_GAPS = "Leave out or fill in unknown values: entries that a sparse matrix does not store are 0"


class CheckedEstimator(VersionedState, BaseEstimator):
    """Base of all estimators: parameters are checked in `fit`."""

    def _validate_params(self) -> None:
        """As in scikit-learn, and True is no number, though in Python it counts as 1."""
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

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "fit" in vars(cls):
            cls.fit = _with_known_arguments(cls.fit)

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
    """Base of the estimators that make a hierarchy of the samples from X, triplets and pairs.

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
    X = _with_texts_as_names(X)
    check_frame(X, tells_ids=reset and not is_precomputed(getattr(estimator, "metric", metric)))
    if hasattr(X, "tocsr") and not sparse:
        msg = (
            f"Sparse data was passed for X, but {type(estimator).__name__} needs dense data. ReCon, "
            "ConstrainedCompleteLink, COPKMeans, PCKMeans, MPCKMeans and CVQE take sparse X; otherwise reduce it "
            "(TruncatedSVD), or use '.toarray()' if that fits into memory"
        )
        raise TypeError(msg)
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
        return as_rows(samples) if is_sparse(samples) else samples
    except TypeError as error:
        if not str(error).startswith("float() argument"):
            raise
        raise TypeError(f"{_odd_cells(X)} ({error})") from None  # as scikit-learn's checks want it
    except OverflowError as error:
        msg = f"X holds integers beyond the range of float64 ({error}): scale X"
        raise ValueError(msg) from None
    except ValueError as error:
        if "contains NaN" in str(error):
            advice = _STORED_GAPS if hasattr(X, "tocsr") else _GAPS
            if is_precomputed(getattr(estimator, "metric", metric)):
                advice = advice_for_gaps(X, check_array(X, dtype=np.float64, ensure_all_finite=False))
            elif hasattr(X, "columns") and (empty := [x for x in X.columns if not np.isfinite(_numbers(X[x])).any()]):
                advice = f"{counted(len(empty), 'column')} without any value: {_without(X, empty)} leaves it out"
            raise ValueError(f"X contains NaN: {_wild_cells(X, np.isnan, 'missing value')}. {advice}") from None
        if "contains infinity" in str(error):
            where = _wild_cells(X, np.isinf, "such value")
            raise ValueError(f"X contains infinity or values too large for float64: {where}") from None
        if str(error).startswith("setting an array element"):
            raise _odd_cells(X) from None
        if not str(error).startswith("could not convert string to float"):
            raise
        columns = [x for x, column in _named_columns(X) if np.asarray(column).dtype.kind not in "biuf"]
        where = f" in the columns {', '.join(columns[:10])}" if columns else ""
        ids = [x for x in ids_of_frame(X) if x in columns] if hasattr(X, "dtypes") else []
        if ids:
            raise ValueError(f"X must hold numbers, not text{where} ({error}): {_as_names(X, ids)}") from None
        msg = f"X must hold numbers, not text{where} ({error}): leave text out, or encode it; "
        msg += "DivisiveReCon, ReCon (linkage='average', say) and ConstrainedCompleteLink take text with metric='gower'"
        raise ValueError(msg) from None


def _named_columns(X: Any) -> Iterator[tuple[str, Any]]:
    """The columns of a data frame, or of a table of Arrow, with their names."""
    for name in getattr(X, "column_names", getattr(X, "columns", ())):
        yield str(name), X[name]


def _odd_cells(X: Any) -> ValueError:
    """The error for cells that hold more than a number, or rows of different lengths."""
    plain = isinstance(X, np.ndarray) and X.ndim == 2
    for name, column in enumerate(X.T) if plain else _named_columns(X):
        for row, cell in enumerate(column.to_pylist() if hasattr(column, "to_pylist") else list(column)):
            if isinstance(cell, (list, tuple, dict, set, np.ndarray)) or hasattr(cell, "__array__") and np.ndim(cell):
                kind = "dict" if isinstance(cell, dict) else "list"
                return ValueError(f"X must hold numbers, not {kind}, as in row {row}, column {name!r}: {cell!r:.60}")
    lengths = {len(x) for x in X if isinstance(x, (list, tuple, np.ndarray))} if isinstance(X, (list, tuple)) else set()
    if len(lengths) > 1:
        return ValueError(f"the rows of X differ in length: {min(lengths)} to {max(lengths)} numbers; give all alike")
    return ValueError(f"X must hold numbers, a row for each sample, not {described(X)}")


def _with_texts_as_names(X: Any) -> Any:
    """A data frame whose columns are called by numbers and by texts with texts only: scikit-learn takes no mixture."""
    refuse_lazy(X)
    names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "set_axis") else []
    if len({isinstance(x, str) for x in names}) < 2:
        return X
    return X.set_axis(list(map(str, names)), axis=1)


def check_frame(X: Any, *, tells_ids: bool, takes_words: bool = False) -> None:
    """Refuse columns of a data frame that are no features: of one name, or times. Tell of those that are called ids.

    Parameters
    ----------
    X : object
        Anything else than a data frame is passed over.
    tells_ids : bool
    takes_words : bool
        True if text is taken for categories.
    """
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    names = list(X.columns)
    twice = repeated(names)
    if twice:
        msg = (
            f"X has {names.count(twice[0])} columns {twice[0]!r}: give each a name of its own, or keep the first of "
            "each with X.loc[:, ~X.columns.duplicated()]"
        )
        raise ValueError(msg)
    if not names:
        msg = f"X has {counted(len(X), 'row')} and no column (shape={X.shape}), while a minimum of 1 is required"
        raise ValueError(msg)
    times = [x for x, kind in zip(names, X.dtypes, strict=True) if str(kind).lower().startswith(_TIMES)]
    if times and not takes_words:
        shown = ", ".join(map(repr, times[:10]))
        msg = (
            f"X must hold numbers, not times, as in the column{'s' * (len(times) > 1)} {shown}: {_without(X, times)} "
            "leaves out what is no number"
        )
        raise ValueError(msg)
    if tells_ids:
        _tell_of_square(X, names)
    ids = ids_of_frame(X) if tells_ids else []
    if ids and (takes_words or all(np.asarray(X[x]).dtype.kind in "iuf" for x in ids)):
        columns = f"column{'s' * (len(ids) > 1)} {', '.join(map(repr, ids))} of X"
        count = "count as features" if len(ids) > 1 else "counts as a feature"
        warn_user(f"the {columns}, called an id and different in each row, {count}: {_as_names(X, ids)}")


def _tell_of_square(X: Any, names: list[Any]) -> None:
    """Warn of distances or similarities that are given as features: rows and columns have the same names."""
    if len(X) != len(names) or len(names) < 3 or not hasattr(X, "iloc") or list(X.index) != names:
        return
    values = _numbers(X)
    kind = kind_of_square(values) if values.ndim == 2 and np.isfinite(values).all() else None
    if kind is not None:
        how = "X" if kind == "distances" else f"{values.max():g} - X"
        warn_user(
            f"rows and columns of X have the same names, and it is taken for features: if it holds {kind}, give {how} "
            "with metric='precomputed'; if not, X.add_prefix('to ') has no such names"
        )


#: How the types of columns of times begin, in pandas and polars.
_TIMES = ("date", "time", "duration", "period")


def _as_names(X: Any, ids: list[str]) -> str:
    """How to take the names of the rows from a column."""
    if hasattr(X, "set_index"):
        rest = f".drop(columns={ids[1:]!r})" if len(ids) > 1 else ""
        return f"X{rest}.set_index({ids[0]!r}) makes {ids[0]!r} the names of the rows"
    return f"fit(X.drop({ids!r}), sample_names=X[{ids[0]!r}]) makes {ids[0]!r} the names of the rows"


def _without(X: Any, columns: list[Any]) -> str:
    return f"X.drop(columns={columns!r})" if hasattr(X, "set_index") else f"X.drop({columns!r})"


def _numbers(column: Any) -> np.ndarray:
    """The numbers of a column or a frame, NaN where there is none."""
    try:
        return np.asarray(column, np.float64)
    except (TypeError, ValueError):
        return np.zeros(1)


def _wild_cells(X: Any, is_wild: Any, noun: str) -> str:
    """How many cells of X are not finite, and where the first one is."""
    cells = check_array(X, accept_sparse="coo", dtype=np.float64, ensure_all_finite=False)
    if is_sparse(cells):
        bad = is_wild(cells.data)
        rows, columns = cells.row[bad], cells.col[bad]
        first = np.lexsort((columns, rows))
        rows, columns = rows[first], columns[first]
    else:
        rows, columns = np.nonzero(is_wild(cells))
    names = getattr(X, "columns", None)
    column = repr(names[columns[0]]) if names is not None else str(columns[0])
    which = "in" if rows.size == 1 else "the first in"
    return f"{counted(rows.size, noun)}, {which} {row_text(X, int(rows[0]))}, column {column}"


def row_text(X: Any, i: int) -> str:
    """A row of X by its number, from 0, and its label if X has others than numbers."""
    label = X.index[i] if hasattr(X, "iloc") else i
    return f"row {i}" if label == i else f"row {i} ({label!r})"


def check_measured(
    estimator: Any, X: Any, columns: MixedColumns | None, *, reset: bool, sparse: bool = True
) -> tuple[Any, Any]:
    """X as an estimator with a `metric` takes it, and the columns for Gower's distance (learned where `reset`)."""
    metric = estimator.metric
    if not isinstance(metric, str) or metric != "gower":
        missing = isinstance(metric, str) and metric in WITH_MISSING
        if hasattr(X, "tocsr") and (missing or is_precomputed(metric)):
            msg = f"metric={metric!r} needs dense X; entries that a sparse matrix lacks are 0, not gaps"
            raise TypeError(msg)
        samples = check_samples(estimator, X, reset=reset, sparse=sparse, missing=missing)
        if missing and reset:
            _check_known(X, samples, metric)
        return samples, None
    X = _with_texts_as_names(X)
    check_frame(X, tells_ids=reset, takes_words=True)
    validate_data(estimator, X, skip_check_array=True, reset=reset)
    if reset or columns is None:
        columns = MixedColumns.of(X)
    samples = columns.encoded(X)
    if reset:
        _check_known(X, samples, metric)
    return samples, columns


def _check_known(X: Any, samples: np.ndarray, metric: str) -> None:
    """Check that something is known of each sample, of several."""
    empty = np.flatnonzero(np.isnan(samples).all(axis=1))
    if empty.size and len(samples) > 1:
        more = f", like {counted(empty.size - 1, 'other')}," if empty.size > 1 else ""
        where = row_text(X, int(empty[0]))
        msg = f"{where} of X has no known value{more}, so metric={metric!r} has no distance from it to others: "
        msg += "leave it out, or fill the gaps in"
        raise ValueError(msg)


def warn_if_few(triplets: TripletSet, tree: Hierarchy) -> None:
    """Warn of triplets so few and so random that such sets are known to make clusters of noisy data worse.

    Parameters
    ----------
    triplets : TripletSet
        m consistent triplets over the n samples, of which they name u.
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
    """Variance over mean of numbers of which only the positive ones are seen. For a Poisson distribution it is 1."""
    seen = float(count.mean())
    mean = seen
    for _ in range(200):
        mean = seen * -np.expm1(-mean)  # the mean of all, the unseen zeros included
    return 1.0 + float((count * (count - 1.0)).sum() / count.sum()) - mean
