"""ReCon on Dask: partitions gather samples into micro-clusters, sums add up, and one process merges them.

The steps follow ``cluster/agglomerative/representatives.py``. Samples that triplets name go to that process
whole.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.cut import RULES
from tripletree.cluster import (
    MicroClusters,
    fit_micro_clusters,
    merge_micro_clusters,
    micro_cluster_centres,
    micro_clusters,
)
from tripletree.cluster import ReCon as InMemoryReCon
from tripletree.cluster.base import ConstrainedClusterer, all_or_nothing, check_enough_samples, check_y
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.random import generator
from tripletree.dask.blocks import Block, block_samples, blocks_of, compute, find_named, lengths_of, needed
from tripletree.errors import DuplicateLeafError, UnknownLeafError
from tripletree.knowledge.alignment import triplets_by_label

#: Rows of the part that centres are found on: 4 for each centre, and at least 1,000.
_PART, _LEAST_PART = 4, 1_000

#: Parts that are added up at a time.
_FAN_IN = 8


class ReCon(ConstrainedClusterer):
    """`tripletree.cluster.ReCon` for dask arrays and data frames, by way of micro-clusters.

    Every triplet holds. Micro-clusters, with the numbers of their samples as weights, and the samples that triplets
    name are merged in the memory of the process that calls `fit`. All other samples stay where they are.

    Parameters
    ----------
    n_clusters : int or None, default 2
        Number of flat clusters. None lets features and triplets choose it, as in `tripletree.cluster.ReCon`.
    n_centres : int, default 20,000
        About how many micro-clusters. If there are fewer distinct samples nothing is lost.
    linkage : {"centroid", "median", "ward"}, default "centroid"
        A linkage on centres.
    cut : {"auto", "support", "size", "merge_order", "height", "constraints"}, default "auto"
        The rule of `tripletree.cut`, by the weights of micro-clusters.
    random_state : int, Generator, RandomState or None, default 0
        Chooses the samples that centres are found on. Results do not depend on how X is cut into partitions, except for
        rounding.
    on_conflict : {"raise", "repair"}, default "raise"
        How to treat triplets that contradict each other, as in `tripletree.cluster.ReCon`.
    verbose : bool or int, default False
        If True, show bars in the terminal. The dashboard of Dask shows the steps by name in any case.

    Attributes
    ----------
    labels_ : dask array of int, shape (n_samples,), or dask Series
        The cluster of each sample, lazy: a partition at a time, from the partition of X. For a data frame a Series with
        the index of X. Pickles do not hold it.
    hierarchy_ : Hierarchy
        Over the representatives: "micro-cluster i" for centre i, and the samples that triplets name, by their labels.
    weights_ : ndarray of float64, shape (n_representatives,)
        How many samples each leaf of ``hierarchy_`` stands for.
    linkage_, distances_ : ndarray
        The cut of ``hierarchy_``, as in `tripletree.cluster.ReCon`.
    n_clusters_, n_samples_, n_micro_clusters_ : int
        Numbers of flat clusters, samples, and micro-clusters that are not empty.
    triplets_ : TripletSet
        The used triplets, over the leaves of ``hierarchy_``.
    predictor_ : MicroClusterPredictor
        The data that `predict` needs: the centres and a label for each. It pickles alone.
    n_features_in_, feature_names_in_ : int, ndarray of str
        Number of features, and their names, for a data frame with text for names.

    See Also
    --------
    tripletree.cluster.ReCon : for data in memory.
    tripletree.cluster.micro_clusters : the steps without Dask.

    Notes
    -----
    X is read three times: to draw some ``4 * n_centres`` samples and find the samples that are named (the rows of a
    frame are counted before), to gather micro-clusters, and when ``labels_`` is computed. If X fits into the memory
    of all workers, ``X = X.persist()`` reads it once. Each partition sends d + 2 numbers for each micro-cluster, added
    up in a tree. One that fails or is lost with its worker is computed again by Dask, and its result counts once. Time
    and memory of the last step are as for `tripletree.cluster.ReCon` with as many samples.

    Examples
    --------
    >>> import dask.array
    >>> X = dask.array.from_array(np.array([[0.0], [1.0], [5.0], [6.0]]), chunks=(2, 1))
    >>> model = ReCon(n_clusters=2).fit(X)
    >>> model.labels_.compute().tolist(), model.predict([[0.2]]).tolist()
    ([0, 0, 1, 1], [0])
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "n_centres": [Interval(Integral, 1, None, closed="left")],
        "linkage": [StrOptions({"centroid", "median", "ward"})],
        "cut": [StrOptions({*RULES})],
        "random_state": ["random_state", np.random.Generator],
        "on_conflict": [StrOptions({"raise", "repair"})],
        "verbose": ["verbose"],
    }

    labels_: Any
    hierarchy_: Hierarchy

    def __init__(
        self,
        n_clusters: int | None = 2,
        n_centres: int = 20_000,
        *,
        linkage: str = "centroid",
        cut: str = "auto",
        random_state: Any = 0,
        on_conflict: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_centres = n_centres
        self.linkage = linkage
        self.cut = cut
        self.random_state = random_state
        self.on_conflict = on_conflict
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, triplets: Any = None) -> ReCon:
        """Cluster the samples so that triplets hold.

        Parameters
        ----------
        X : dask array or dask data frame, shape (n_samples, n_features)
            The chunks of an array have known lengths (``X.compute_chunk_sizes()``).
        y : None
            Ignored.
        triplets : TripletSet, iterable of (a, b, c), data frame, or ndarray of int, shape (m, 3), optional
            Triplets ab|c: by labels of the index of a data frame, by row numbers of an array.

        Returns
        -------
        ReCon
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        InconsistentTripletsError
            If no hierarchy displays all triplets, before anything is read.

        Examples
        --------
        >>> import dask.dataframe, pandas
        >>> frame = pandas.DataFrame({"x": [0.0, 1.0, 5.0, 6.5]}, index=["ant", "bee", "cow", "dog"])
        >>> X = dask.dataframe.from_pandas(frame, npartitions=2)
        >>> ReCon(2).fit(X, triplets=[("bee", "cow", "ant"), ("ant", "bee", "dog")]).labels_.compute().tolist()
        [0, 0, 0, 1]
        """
        check_y(y)
        with all_or_nothing(self):
            self._validate_params()
            blocks, columns = blocks_of(X)
            known = triplets_by_label(triplets)
            if self.on_conflict == "raise" and len(known):
                one_tree(known)  # a contradiction is found before anything is read
            names = list(known.leaves)
            lengths = lengths_of(X, blocks, columns, verbose=self.verbose)
            n = int(lengths.sum())
            _check_size(n, self.n_clusters)
            if columns is None:
                _check_row_numbers(names, n)
            places = [Block(i, int(lo), columns) for i, lo in enumerate(np.cumsum(lengths) - lengths)]
            rng = generator(self.random_state)
            looked = self._look(blocks, places, names, n, int(rng.integers(2**63)))
            named, rows = _named_samples(looked, names, n)
            part = np.concatenate([one.part for one in looked])
            if len(part) == 0:  # every sample is named, or, of a few, no sample was drawn
                part = rows
            centres = micro_cluster_centres(part, self.n_centres, random_state=rng)
            clusters = self._gather(blocks, places, names, centres)
            inner = InMemoryReCon(
                self.n_clusters,
                linkage=self.linkage,
                cut=self.cut,
                random_state=rng,
                on_conflict=self.on_conflict,
                verbose=self.verbose,
            )
            found = fit_micro_clusters(inner, clusters, centres, samples=rows, names=named, triplets=known)
            # store
            self.hierarchy_, self.weights_ = found.model.hierarchy_, found.weights
            self.linkage_, self.distances_ = found.model.linkage_, found.model.distances_
            self.triplets_, self.n_clusters_ = found.model.triplets_, found.model.n_clusters_
            self.n_samples_, self.n_micro_clusters_ = n, int((clusters.counts > 0).sum())
            self.n_features_in_ = centres.shape[1]
            if columns is not None and all(isinstance(x, str) for x in columns):
                self.feature_names_in_ = np.array(columns, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            self.predictor_ = MicroClusterPredictor(centres, found.cell_labels, columns)
            own = dict(zip(named, found.named_labels.tolist(), strict=True))
            self.labels_ = _labels(X, blocks, places, lengths, self.predictor_, own)
        return self

    def predict(self, X: Any) -> Any:
        """Find the flat cluster of samples, the one of their micro-cluster.

        Parameters
        ----------
        X : dask array or data frame, array_like, or DataFrame, shape (n_new, n_features)
            A lazy X gives lazy labels.

        Returns
        -------
        dask array, dask Series, or ndarray of int, shape (n_new,)
            For the samples of `fit` the result is ``labels_``, except for samples that triplets name.
        """
        check_is_fitted(self)
        if not hasattr(X, "__dask_graph__"):
            return self.predictor_.predict(X)
        blocks, columns = blocks_of(X)
        self.predictor_.check_columns(X.shape[1] if columns is None else len(columns), columns)
        lengths = np.full(len(blocks), np.nan) if columns is not None else np.array(X.chunks[0], np.float64)
        start = np.nan_to_num(np.cumsum(lengths) - lengths).astype(np.int64)
        places = [Block(i, int(lo), columns) for i, lo in enumerate(start)]
        return _labels(X, blocks, places, lengths, self.predictor_, {})

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "labels_"}

    def _look(self, blocks: list, places: list[Block], names: list, n: int, seed: int) -> list[_Look]:
        """The result of the first pass for each block."""
        delayed = needed("dask", "tripletree.dask").delayed
        rate = min(1.0, max(_PART * self.n_centres, _LEAST_PART) / n)
        look, all_names = delayed(draw_samples), delayed(names)
        parts = [look(x, place, all_names, rate, seed) for x, place in zip(blocks, places, strict=True)]
        return compute(delayed(list)(parts), "drawing samples", verbose=self.verbose)

    def _gather(self, blocks: list, places: list[Block], names: list, centres: np.ndarray) -> MicroClusters:
        """The micro-clusters of all blocks, added up a few at a time."""
        delayed = needed("dask", "tripletree.dask").delayed
        gather, merge, all_names, all_centres = (
            *(delayed(gather_samples), delayed(merge_micro_clusters)),
            *(delayed(names), delayed(centres)),
        )
        parts = [gather(x, place, all_names, all_centres) for x, place in zip(blocks, places, strict=True)]
        while len(parts) > 1:
            parts = [merge(parts[i : i + _FAN_IN]) for i in range(0, len(parts), _FAN_IN)]
        return compute(parts[0], "gathering micro-clusters", verbose=self.verbose)


class MicroClusterPredictor:
    """The flat cluster of a sample by its nearest centre: all that `predict` needs.

    Attributes
    ----------
    centres : ndarray of float64, shape (k, d)
    labels : ndarray of int, shape (k,)
    columns : list or None
        The columns of the frame that was fitted.
    """

    def __init__(self, centres: np.ndarray, labels: np.ndarray, columns: list | None) -> None:
        self.centres, self.labels, self.columns = centres, labels.astype(np.int32), columns

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of each sample: ndarray of int, shape (n_new,)."""
        columns = list(X.columns) if hasattr(X, "columns") else None
        table = np.asarray(X, dtype=np.float64)
        if table.ndim != 2:
            msg = f"X must have two dimensions, samples and features; got shape {table.shape}"
            raise ValueError(msg)
        self.check_columns(table.shape[1], columns)
        return self.labels[micro_clusters(table, self.centres).cells].astype(np.intp)

    def check_columns(self, d: int, columns: list | None) -> None:
        """Refuse other features than in `fit`."""
        if columns is not None and self.columns is not None and columns != self.columns:
            msg = f"X has the columns {columns}; the clusters were fitted on {self.columns}"
            raise ValueError(msg)
        if d != self.centres.shape[1]:
            msg = f"X has {d} features; the clusters were fitted on {self.centres.shape[1]}"
            raise ValueError(msg)


class _Look(NamedTuple):
    """The result of the first pass for a block: a random part of it, and the named samples."""

    part: np.ndarray
    number: np.ndarray  # of the name
    rows: np.ndarray


# ---------------------------------------------------------------------- on the workers, by their names on the dashboard


def draw_samples(block: Any, where: Block, names: list, rate: float, seed: int) -> _Look:
    """Rows drawn at a rate, by random numbers that belong to row numbers and not to partitions, and the named rows."""
    samples = block_samples(block, where)
    at, number = find_named(block, where, names)
    drawn = np.random.Generator(np.random.PCG64(seed).advance(where.start)).random(len(samples)) < rate
    drawn[at] = False
    return _Look(samples[drawn], number, samples[at])


def gather_samples(block: Any, where: Block, names: list, centres: np.ndarray) -> MicroClusters:
    """The micro-clusters of a block, named rows left out."""
    samples = block_samples(block, where)
    free = np.ones(len(samples), bool)
    free[find_named(block, where, names)[0]] = False
    return micro_clusters(samples[free], centres)._replace(cells=None)


def label_samples(block: Any, where: Block, predictor: MicroClusterPredictor, own: dict) -> Any:
    """The labels of a block: named rows have their own."""
    labels = predictor.predict(block_samples(block, where))
    names = list(own)
    at, number = find_named(block, where, names)
    labels[at] = np.array(list(own.values()), np.intp)[number]
    if where.columns is None:
        return labels
    from pandas import Series

    return Series(labels, index=block.index, name="label")


# ---------------------------------------------------------------------- here


def _labels(
    X: Any, blocks: list, places: list[Block], lengths: np.ndarray, predictor: MicroClusterPredictor, own: dict
) -> Any:
    """The labels of all samples, lazy: a dask array, or a dask Series for a frame."""
    delayed = needed("dask", "tripletree.dask").delayed
    label, shared, of_named = delayed(label_samples), delayed(predictor), delayed(own)
    parts = [label(x, place, shared, of_named) for x, place in zip(blocks, places, strict=True)]
    if places[0].columns is not None:
        frames, pandas = needed("dask.dataframe", "tripletree.dask"), needed("pandas", "tripletree.dask")
        meta = pandas.Series([], dtype=np.intp, name="label", index=X._meta.index[:0])
        return frames.from_delayed(parts, meta=meta, divisions=X.divisions, verify_meta=False)
    array = needed("dask.array", "tripletree.dask")
    sizes = [x if np.isnan(x) else int(x) for x in lengths.tolist()]
    pieces = [array.from_delayed(one, shape=(size,), dtype=np.intp) for one, size in zip(parts, sizes, strict=True)]
    return array.concatenate(pieces, allow_unknown_chunksizes=True)


def _check_size(n: int, n_clusters: int | None) -> None:
    if n == 0:
        msg = "X has no rows: at least one sample is needed"
        raise ValueError(msg)
    check_enough_samples(n_clusters, n)


def _check_row_numbers(names: list, n: int) -> None:
    """Refuse names of rows of an array that are not row numbers."""
    unknown = [x for x in names if not isinstance(x, int) or isinstance(x, bool) or not 0 <= x < n]
    if unknown:
        hint = "the rows of a dask array have numbers; for labels give a dask data frame with them as its index"
        raise UnknownLeafError(unknown, range(n), what="samples of the triplets", hint=hint)


def _named_samples(looked: list[_Look], names: list, n: int) -> tuple[list, np.ndarray]:
    """The named samples in the order of the names, and their rows. Each must have been found once."""
    number = np.concatenate([one.number for one in looked])
    rows = np.concatenate([one.rows for one in looked])
    times = np.bincount(number, minlength=len(names))
    missing = [names[i] for i in np.flatnonzero(times == 0).tolist()]
    if missing:
        hint = f"they are not in the index of X, which has {n:,} rows; reset_index() starts anew in each partition"
        raise UnknownLeafError(missing, [names[i] for i in np.unique(number).tolist()], what="samples", hint=hint)
    several = [names[i] for i in np.flatnonzero(times > 1).tolist()]
    if several:
        raise DuplicateLeafError(several, where=" in the index of X")
    return names, rows[np.argsort(number)]
