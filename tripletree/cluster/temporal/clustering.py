"""Clustering through time: snapshots of the same objects, each clustered starting from the previous one."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.cluster.base import ConstrainedClusterer, all_or_nothing, check_samples, check_y
from tripletree.cluster.distances import check_spread
from tripletree.cluster.kmeans.lloyd import Points, nearest_centres
from tripletree.cluster.temporal.chain import Inquiry, Settings, TimedOracle, follow
from tripletree.cluster.temporal.matching import Memory, known_pairs
from tripletree.cluster.temporal.times import Times, check_times, missing
from tripletree.cluster.temporal.windows import Window, object_index, observed, snapshots_at, windows
from tripletree.core.checks import counted
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.errors import warn_user
from tripletree.knowledge.alignment import align_pairs, named
from tripletree.knowledge.value import Knowledge


def stack_snapshots(tables: Iterable[Any], *, objects: Iterable[Any] | None = None) -> tuple[np.ndarray, list, list]:
    """Stack tables of one snapshot each into one, as `TemporalClustering.fit` takes them.

    Parameters
    ----------
    tables : iterable of DataFrame or array_like of shape (n_t, n_features)
        One for each snapshot, in the order of time.
    objects : iterable of array_like of labels, optional
        The objects of the rows of each table. None: their index if all are pandas DataFrames, else row numbers: row
        i is the same object in all of them.

    Returns
    -------
    X : ndarray of float64, shape (n, n_features)
    times : list of int
        The number of the snapshot of each row, from 0 on.
    objects : list
        The object of each row.

    Examples
    --------
    >>> X, times, who = stack_snapshots([[[0.0], [5.0]], [[1.0], [4.0], [9.0]]])
    >>> X.ravel().tolist(), times, who
    ([0.0, 5.0, 1.0, 4.0, 9.0], [0, 0, 1, 1, 1], [0, 1, 0, 1, 2])
    """
    tables = list(tables)
    if not tables:
        msg = "no snapshots: give at least one table"
        raise ValueError(msg)
    framed = [hasattr(x, "columns") and hasattr(getattr(x, "index", None), "tolist") for x in tables]
    names = [list(x.columns) for x, yes in zip(tables, framed, strict=True) if yes]
    parts = [np.asarray(x, dtype=np.float64) for x in tables]
    for t, part in enumerate(parts):
        if part.ndim != 2 or part.shape[1] != parts[0].shape[1]:
            msg = f"snapshot {t} has shape {part.shape}; all must have two dimensions and {parts[0].shape[-1]} features"
            raise ValueError(msg)
    wrong = next((t for t, x in enumerate(names) if x != names[0]), None)
    if wrong is not None:
        msg = f"the tables differ in their columns: {names[0]} and {names[wrong]}; give all the same, in one order"
        raise ValueError(msg)
    if objects is not None:
        labels = [x.tolist() if hasattr(x, "tolist") else list(x) for x in objects]
    elif all(framed):
        labels = [x.index.tolist() for x in tables]
    else:
        labels = [list(range(len(x))) for x in parts]
    if [len(x) for x in labels] != [len(x) for x in parts]:
        rows, given = [len(x) for x in parts], [len(x) for x in labels]
        msg = f"expected one object for each row: tables have {rows} rows, objects {given}"
        raise ValueError(msg)
    times = [t for t, part in enumerate(parts) for _ in range(len(part))]
    return np.concatenate(parts), times, [x for some in labels for x in some]


def columns_of(X: Any, times: Any, objects: Any) -> tuple[Any, Any, Any]:
    """X without the columns that are named as times and objects, and the two columns."""
    named = [name for name in (times, objects) if isinstance(name, str)]
    if not named:
        _check_columns(X, times)
        return X, times, objects
    columns = list(getattr(X, "columns", ()))
    absent = [name for name in named if name not in columns]
    if absent:
        which = f"there are {', '.join(map(str, columns[:10]))}" if columns else "X has no named columns"
        msg = f"X has no column {absent[0]!r}, named as times or objects; {which}"
        raise ValueError(msg)
    if len(set(named)) < len(named):
        msg = f"times and objects both name the column {named[0]!r}: give two columns, one for the objects"
        raise ValueError(msg)
    if set(columns) <= set(named):
        msg = f"X has only the columns {', '.join(map(repr, columns))}, named as times or objects: no feature is left"
        raise ValueError(msg)
    times, objects = (X[name] if isinstance(name, str) else name for name in (times, objects))
    X = X.drop(columns=named) if hasattr(X, "iloc") else X.drop(named)
    _check_columns(X, times)
    return X, times, objects


def _check_columns(X: Any, times: Any) -> None:
    """Check that no feature holds dates, most often because `times` was forgotten."""
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    for i, (name, dtype) in enumerate(zip(X.columns, list(X.dtypes), strict=True)):
        if _holds_dates(X, i, dtype):
            what = f"name it, times={name!r}, or leave it out" if times is None else "leave it out, or make it a number"
            msg = f"the column {name!r} of X holds dates ({dtype}), which cannot be a feature: {what}"
            raise ValueError(msg)


def _holds_dates(X: Any, i: int, dtype: Any) -> bool:
    if hasattr(dtype, "is_temporal"):  # polars
        return bool(dtype.is_temporal())
    if getattr(dtype, "kind", "") in ("M", "m") or type(dtype).__name__ == "PeriodDtype":
        return True
    if np.dtype(object) != dtype or not hasattr(X, "iloc"):
        return False
    some = X.iloc[:, i].dropna()
    return len(some) > 0 and isinstance(some.iloc[0], datetime.date)


def objects_of(objects: Any, X: Any, n: int) -> tuple[LeafIndex, np.ndarray]:
    """The objects in the order in which they come, and the number of each row's object."""
    if objects is None:
        index = getattr(X, "index", None)
        objects = index if hasattr(X, "columns") and hasattr(index, "tolist") else range(n)
    if len(getattr(objects, "shape", (n,))) != 1:
        msg = (
            f"objects must be one-dimensional, a label for each of the {n} rows of X; got shape {objects.shape}: "
            "of a table give one column, table['who']"
        )
        raise ValueError(msg)
    labels = objects.tolist() if hasattr(objects, "tolist") else list(objects)
    if len(labels) != n:
        msg = f"objects must hold one label for each of the {n} rows of X; got {len(labels)}"
        raise ValueError(msg)
    odd = next((k for k, x in enumerate(labels) if isinstance(x, (list, dict, set, np.ndarray))), None)
    if odd is not None:
        kind = type(labels[odd]).__name__
        msg = f"the object of row {odd} is a {kind}, {labels[odd]!r:.60}: expected one label for each row"
        raise ValueError(msg)
    lost = next((k for k, x in enumerate(labels) if missing(x)), None)
    if lost is not None:
        msg = f"the object of row {lost} is missing ({labels[lost]!r}): leave such rows out"
        raise ValueError(msg)
    return object_index(labels, n)


def times_of(times: Any, n: int) -> Times:
    """The time of each row, the same for all if no times were given."""
    return Times(np.zeros(n, np.int64)) if times is None else check_times(times, n)


_EVERY_ROW = (
    "every row of X is a different object, so nothing connects one snapshot with the next: give the object of each row "
    "as objects=, or in the index of X"
)

_NO_OVERLAP = (
    'fading="overlap" propagates pairs between overlapping windows, but without step= none overlap: give a step '
    "shorter than the window, windows (start, end) that overlap, or a number as fading"
)


class TemporalClustering(ConstrainedClusterer):
    """Clusters of objects that are observed repeatedly, by Mai et al. (2018): CVQE+ with a historical cost.

    Time is cut into snapshots. Each is clustered by CVQE+ from the centres of the previous one, with a cost for centres
    that move. Must-links and cannot-links are propagated to later snapshots with decreasing weight. So clusters keep
    their identity while objects appear, leave and change clusters.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k, in every snapshot. Some may be without objects there.
    window : number, timedelta, str, list of (start, end) or None, default None
        Length of a snapshot, in the unit of the times. For dates a timedelta or text such as "30D". Or the snapshots
        themselves, each from its start up to, but not including, its end: of any lengths, apart, overlapping or one
        within another, but with different starts. None: one snapshot for each different time. At most 100,000
        snapshots.
    step : number, timedelta, str or None, default None
        From the start of a snapshot to the start of the next. Shorter than `window`, they overlap. None: no overlap.
    alpha : float, default 0.5
        Share of the historical cost, in 0 <= alpha < 1: 0 clusters each snapshot alone, near 1 centres hardly move.
    history : {"same", "closest"}, default "same"
        The earlier centre in that cost: of the same cluster, or, as in the paper, the closest one, which may belong to
        another cluster.
    history_mass : "size" or float > 0, default "size"
        How many samples an earlier centre counts as in that cost: as many as its cluster has objects, or this number
        for each, 1 in the paper.
    fading : float or "overlap", default 0.5
        Factor of the weight of a pair from one snapshot to the next: 1 keeps it. With 0, pairs count only in the
        snapshot where they became known. "overlap": the intersection of both windows over their union, as in the paper.
        0 if they do not overlap, as windows of one length without `step`.
    backward : bool, default False
        True if pairs also count in the snapshots before they became known, with the same factor.
    n_queries : int, default 0
        Maximum number of questions to the `oracle` of `fit` in each snapshot.
    strategy : str or object with ``query(state, n)``, default "border"
        How questions are chosen: the strategies of `ActiveClustering`, whose default is another. The paper's is
        "mai-border".
    inherit : bool, default True
        True if the nearest neighbours of two objects inherit the pairs that became known in the snapshot, with smaller
        weights. See `tripletree.cluster.active.inherited_pairs`.
    n_neighbors : int, default 4
        Only neighbours nearer than this one inherit (mu in the paper).
    propagate_inherited : bool, default False
        Whether inherited pairs are propagated to other snapshots like pairs that became known.
    aggregate : {"mean", "last"}, default "mean"
        How several observations of an object in one snapshot are combined.
    n_init : int, default 10
        Number of starts: in the first snapshot as in `CVQE`, in later ones one from the previous centres and the others
        fresh. The lowest cost counts. 1: later snapshots start from the previous centres only.
    max_iter : int, default 300
        Maximum number of iterations of a start.
    tol : float, default 1e-4
        When a start ends, as in `CVQE`.
    random_state : int, Generator, RandomState or None, default None
        Determines the starts, the order in which pairs are visited, and random choices of strategies.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs with objects that are not in X.
    verbose : bool or int, default False
        If True, show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of the object of each row, in the last snapshot that the row is in. -1 for rows outside of all
        windows (start, end).
    snapshots_ : list of Snapshot
        The result for each snapshot, in the order of time: its window (``start``, ``end``), objects (``leaves``), their
        ``labels``, ``centers``, ``pairs``, ``violated_pairs``, ``cost``, ``historical_cost``, ``n_iter`` and ``rows``.
    cluster_centers_ : ndarray of float64, shape (n_snapshots, n_clusters, n_features)
    transitions_ : list of ndarray of int, shape (n_clusters + 1, n_clusters + 1)
        For each snapshot and the next, the number of objects that go from one cluster (row) to another (column). The
        last row counts objects that appear, the last column objects that leave.
    queries_ : list of (time, label, label, bool or None)
        The questions, with the starts of their snapshots and the answers, in order.
    answers_ : dict of time to PairwiseConstraints
        The answers, by the starts of the snapshots. ``fit(X, pairs=model.answers_)`` uses them in the same snapshots.
        Both are kept if the oracle fails or the fit is interrupted.
    n_iter_ : int
        Total number of iterations of all snapshots.
    objects_ : LeafIndex
        All objects, in the order of their first rows in X.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    CVQE : clusters one snapshot.
    tripletree.plot_transitions : draws the result.

    Notes
    -----
    In a snapshot with previous centres p_i of clusters of m_i objects, ::

        (1 - alpha) (CVQE+) + alpha sum_i m_i |c_i - p_i|^2

    is minimised (sections 3.1 and 3.3 of [1]_, Eqs. 7-9, where m_i = 1, ``history_mass=1``, so that the history counts
    as one sample). In the paper p_i is the previous centre closest to c_i, ``history="closest"``. Starting from the
    previous centres is the paper's incremental update. Questions are chosen from this clustering. The result is the one
    with all answers.

    Pairs that became known in a snapshot, and pairs that neighbours inherit (section 3.2), count there. A pair of
    weight w known at snapshot s is propagated to snapshot t, if both objects are there, with weight w fading^(t - s),
    or with ``backward`` w fading^|t - s|. ``fading="overlap"`` uses the factor of the paper (Eq. 10), (end_s - start_t)
    / (end_t - start_s), and 0 if that is negative. Every new constraint is propagated there, so inherited pairs may
    be meant, too: ``propagate_inherited``. Nothing is inherited or inferred from propagated pairs (section 3.3), pairs
    known in t override them, and the oracle may be asked about them again. If two objects are propagated as
    must-linked and cannot-linked, the pair with the larger weight counts, the later one for equal weights.

    A cluster without objects keeps its centre, so it can return. Clusters are numbered by the nearest previous
    centres. With alpha = 0, by the previous clusters that share the most objects. Features are not scaled. An iteration
    takes O(n k d), with n the observations of all snapshots.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Douzal Chouakria, Nguyen, Nguyen (2018), Scalable active constrained clustering for temporal
       data, DASFAA 2018, LNCS 10827.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "year": [2001, 2001, 2001, 2001, 2002, 2002, 2002, 2002],
    ...     "who": ["ann", "bob", "cy", "dee", "ann", "bob", "cy", "eve"],
    ...     "x": [0.0, 1.0, 8.0, 9.0, 0.5, 8.5, 9.0, 1.0],
    ... })
    >>> model = TemporalClustering(2, random_state=0).fit(table, times="year", objects="who")
    >>> model.snapshots_
    [<Snapshot 2001: 4 objects in 2 clusters>, <Snapshot 2002: 4 objects in 2 clusters>]
    >>> ann, bob, cy, eve = model.snapshots_[1].labels.tolist()
    >>> ann == eve, bob == cy, ann == bob
    (True, True, False)
    >>> int(model.transitions_[0][ann, bob])  # bob has changed sides
    1
    """

    _weighs = frozenset({"pairs"})

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="left")],
        "history": [StrOptions({"same", "closest"})],
        "history_mass": [Interval(Real, 0, None, closed="neither"), StrOptions({"size"})],
        "fading": [Interval(Real, 0, 1, closed="both"), StrOptions({"overlap"})],
        "backward": ["boolean"],
        "n_queries": [Interval(Integral, 0, None, closed="left")],
        "strategy": [str, HasMethods("query")],
        "inherit": ["boolean"],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "propagate_inherited": ["boolean"],
        "aggregate": [StrOptions({"mean", "last"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        window: Any = None,
        step: Any = None,
        alpha: float = 0.5,
        history: str = "same",
        history_mass: float | str = "size",
        fading: float | str = 0.5,
        backward: bool = False,
        n_queries: int = 0,
        strategy: Any = "border",
        inherit: bool = True,
        n_neighbors: int = 4,
        propagate_inherited: bool = False,
        aggregate: str = "mean",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.window = window
        self.step = step
        self.alpha = alpha
        self.history = history
        self.history_mass = history_mass
        self.fading = fading
        self.backward = backward
        self.n_queries = n_queries
        self.strategy = strategy
        self.inherit = inherit
        self.n_neighbors = n_neighbors
        self.propagate_inherited = propagate_inherited
        self.aggregate = aggregate
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        times: Any = None,
        objects: Any = None,
        pairs: Any = None,
        knowledge: Knowledge | None = None,
        oracle: TimedOracle | None = None,
    ) -> TemporalClustering:
        """Cluster the snapshots in the order of time.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features)
            The observations, a row each, in any order. For a sequence of tables see `stack_snapshots`.
        y : None
            Ignored.
        times : array_like of numbers, dates or text, shape (n_samples,), or str, optional
            The time of each observation, or the name of the column of X that holds it. Text must sort by time. Ordered
            categories (pandas) are in their order. Dates become ``datetime64[ns]``, from 1677 to 2262: periods as their
            starts, dates with a time zone in UTC. Whole numbers must fit int64. None: all at once.
        objects : array_like of labels, shape (n_samples,), or str, optional
            The object of each observation, or the name of the column of X that holds it. None: the index of a pandas
            DataFrame, else every row is a different object, labelled by its number.
        pairs : PairwiseConstraints, two lists (must_link, cannot_link), or mapping of times to such, optional
            Pairs (a, b) of objects. Pairs with a time are known from the snapshot that starts then, else from the first
            one that contains it. Other pairs from the first snapshot with both objects.
        knowledge : Knowledge, optional
            Pairs of objects, without times, as one value with others. What else is given is added to it.
        oracle : callable, optional
            ``oracle(a, b, time)``: whether objects a and b belong together in the snapshot that starts at that time,
            True or False (None: not known). Asked at most `n_queries` times in each snapshot. An answer is a pair that
            becomes known there. With ``backward`` the snapshots are clustered again with all answers.

        Returns
        -------
        TemporalClustering
            The fitted estimator. A fit that fails or is interrupted leaves it unchanged, except for answers.

        Raises
        ------
        UnknownLeafError
            If pairs contain objects that are not in X. ``.labels`` holds them all.

        Warns
        -----
        UserWarning
            If pairs have no effect as their objects share no snapshot, if only one of `oracle` and `n_queries` is
            given, if every row is a different object, as `objects` is missing, if nothing is propagated, as no windows
            overlap with ``fading="overlap"``, if rows are outside of all windows (start, end).
        ConvergenceWarning
            As `CVQE` does for the first snapshot.

        Examples
        --------
        >>> X = [[0.0], [1.0], [8.0], [9.0], [0.0], [1.0], [7.0], [9.0]]
        >>> times, who = [1, 1, 1, 1, 2, 2, 2, 2], list("abcdabcd")
        >>> known = {2: ([("a", "c")], [("c", "d")])}  # learnt at time 2
        >>> model = TemporalClustering(2, inherit=False, random_state=0)
        >>> model = model.fit(X, times=times, objects=who, pairs=known)
        >>> [(len(s.pairs), len(s.violated_pairs)) for s in model.snapshots_]
        [(0, 0), (2, 0)]
        """
        check_y(y)
        inquiry: Inquiry | None = None
        try:
            with all_or_nothing(self):
                self._validate_params()
                X, times, objects = columns_of(X, times, objects)
                samples = check_samples(self, X, reset=True)
                check_spread(samples)
                leaves, who = objects_of(objects, X, len(samples))
                when = times_of(times, len(samples))
                cut = windows(when, self.window, self.step)
                if objects is None and len(cut) > 1 and len(leaves) == len(samples):
                    warn_user(_EVERY_ROW)
                apart = self.window is None or all(a.end <= b.start for a, b in pairwise(cut))
                if self.fading == "overlap" and len(cut) > 1 and apart:
                    warn_user(_NO_OVERLAP)
                inquiry = self._inquiry(oracle, leaves)
                seen = [observed(samples, who, w, self.aggregate) for w in cut]
                parts = self._parts(pairs, leaves, cut, when)
                if knowledge is not None:
                    known = self._known(named(leaves, leaves), len(leaves), knowledge=knowledge)
                    parts.append((known.pairs, None))
                self._follow(cut, seen, parts, leaves, inquiry)
                self.objects_, self.labels_ = leaves, np.full(len(samples), -1, np.int32)
                for (_, there), snapshot in zip(seen, self.snapshots_, strict=True):
                    self.labels_[snapshot.rows] = snapshot.labels[np.searchsorted(there, who[snapshot.rows])]
                self.queries_, self.answers_ = ([], {}) if inquiry is None else (inquiry.queries, inquiry.answers)
        except BaseException as error:
            if inquiry is not None and inquiry.queries:
                self.queries_, self.answers_ = inquiry.queries, inquiry.answers
                error.add_note(
                    f"{counted(len(inquiry.queries), 'answer')} so far: see queries_ and answers_ of the estimator"
                )
            raise
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Find the nearest centre of the last snapshot.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_new, n_features)
            Features only, without columns of times and objects.

        Returns
        -------
        ndarray of int32, shape (n_new,)

        Examples
        --------
        >>> model = TemporalClustering(1).fit([[0.0], [1.0]], times=[1, 2], objects=["ann", "ann"])
        >>> model.predict([[5.0]]).tolist()
        [0]
        """
        check_is_fitted(self)
        samples = check_samples(self, X, reset=False)
        return nearest_centres(Points.of(samples).columns, self.cluster_centers_[-1])[0]

    # ------------------------------------------------------------------ steps of the fit

    def _inquiry(self, oracle: TimedOracle | None, leaves: LeafIndex) -> Inquiry | None:
        """The questions to the oracle. None if there is no oracle or no budget."""
        if oracle is None:
            if self.n_queries:
                msg = (
                    f"nothing is asked without an oracle: give fit(X, oracle=...), not only n_queries={self.n_queries}"
                )
                warn_user(msg)
            return None
        inquiry = Inquiry(oracle, leaves, strategy=self.strategy, n_queries=self.n_queries)
        if self.n_queries:
            return inquiry
        msg = "the oracle is not used as n_queries=0: give the maximum number of questions in each snapshot"
        warn_user(msg)
        return None

    def _follow(
        self,
        cut: list[Window],
        seen: list[tuple[np.ndarray, np.ndarray]],
        parts: list[tuple[PairwiseConstraints, int | None]],
        leaves: LeafIndex,
        inquiry: Inquiry | None,
    ) -> None:
        known, apart = known_pairs(parts, [objects for _, objects in seen])
        if apart:
            msg = (
                f"{apart} of {apart + len(known)} pairs are on two objects that share no snapshot, so they have no "
                "effect: a longer window may bring them together"
            )
            warn_user(msg)
        settings = Settings(**{name: getattr(self, name) for name in Settings._fields})
        rng = generator(self.random_state)
        memory = Memory(known)
        grows = inquiry is not None or (self.inherit and self.propagate_inherited)
        for again in range(2 if grows and self.backward else 1):  # the second time with all later pairs
            with progress_bar(self.verbose, len(cut), "snapshots", unit="snapshots") as tick:
                asked = None if again else inquiry
                found = follow(cut, seen, memory, leaves, settings, rng, asked, tick, learns=not again)
        self.snapshots_, self.transitions_ = found
        self.cluster_centers_ = np.stack([s.centers for s in self.snapshots_])
        self.n_iter_ = sum(s.n_iter for s in self.snapshots_)

    def _parts(
        self, pairs: Any, leaves: LeafIndex, cut: list[Window], times: Times
    ) -> list[tuple[PairwiseConstraints, int | None]]:
        """The pairs over all objects, with the snapshots at which they became known."""

        def over(some: Any) -> PairwiseConstraints:
            return align_pairs(named(leaves, leaves), some, len(leaves), missing_samples=self.missing_samples)

        if isinstance(pairs, Mapping):
            return list(zip(map(over, pairs.values()), snapshots_at(pairs, cut, times), strict=True))
        return [(over(pairs), None)]
