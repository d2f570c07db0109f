"""ConstrainedCompleteLink: complete linkage of distances that must-links and cannot-links have changed.

In this order: the estimator, distances under constraints, all merges, the last of them one by one if there are
questions or a number of clusters to keep possible, flat clusters.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from tripletree._core import engine
from tripletree.algorithms.cut import cut_at_threshold
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.algorithms.merges import merge_condensed
from tripletree.cluster.active.oracle import Oracle, Questions
from tripletree.cluster.agglomerative.colouring import Colouring, find_roots
from tripletree.cluster.base import Data, HierarchicalClusterer, check_measured
from tripletree.cluster.distances import (
    METRICS,
    WITH_MISSING,
    FittedMetric,
    as_measured,
    check_metric,
    is_precomputed,
    metric_parameters,
)
from tripletree.cluster.feasibility import ADVICE, CannotGraph, NotColourable, too_few_clusters
from tripletree.cluster.gower import MixedColumns
from tripletree.cluster.prediction import NeighbourPredictor
from tripletree.core.arrays import freeze, frozen
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pair_closure import PairClosure
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import Tick, progress_bar, silent
from tripletree.errors import ClusterCountError, InfeasibleClusteringError, warn_user
from tripletree.knowledge.alignment import check_distinct
from tripletree.knowledge.value import Knowledge

#: The reactions if no merge is left that keeps the cannot-links. "avoid" sees to it that it does not come to that.
_ON_INFEASIBLE = ("avoid", "raise", "more", "violate", "violate_first", "violate_last")
_VIOLATE = ("violate", "violate_first", "violate_last")

#: Merges that are asked about, for each question: answers that are "no" merge nothing.
_MERGES_A_QUESTION = 0.75

_SEARCH_STEPS = 100_000  # in each connected part of the cannot-links, to explain why clusters are too few
_BATCH = 4_000_000  # distances that are searched at a time


class ConstrainedCompleteLink(HierarchicalClusterer):
    """Complete linkage with must-links and cannot-links, by Klein, Kamvar and Manning (ICML 2002).

    Constraints change the space: must-linked samples are at distance 0, and a sample near one of them is as near to the
    other, by shortest paths. Cannot-linked ones are farther apart than any others. Complete linkage on these distances
    hands cannot-links on: samples close to a linked one go where it goes. It can also ask for constraints where they
    matter most, at its last merges.

    **Use another estimator** if no hierarchy is needed (`COPKMeans`), or for another linkage or triplets (`ReCon`).
    Its merges are greedy: few random pairs (about 80, on the 178 samples of wine) may give worse clusters than no
    pairs.

    Parameters
    ----------
    n_clusters : int or None, default 2
        Number of flat clusters, ``labels_``. The hierarchy depends on it only if `on_infeasible` says so. None with
        `distance_threshold`.
    metric : str, callable or fitted transformer, default "euclidean"
        A metric of ``scipy.spatial.distance``, a function of two samples, or "precomputed" if X is a square matrix
        of distances, or an object with ``transform``, such as a learned metric: distances are then Euclidean between
        the transformed samples. "hamming" is for nominal features, encoded as integers or one number a category
        (``sklearn.preprocessing.OrdinalEncoder``: one-hot columns count a difference twice). "nan_euclidean" leaves out
        features that one of two samples lacks (NaN), "gower" takes a table of numbers and categories with gaps.
    distance_threshold : float or None, default None
        In the place of `n_clusters`: clusters are the largest clades without a merge above this distance.
        However large, it lets no merge pass that a cannot-link forbids.
    on_infeasible : {"avoid", "raise", "more", "violate", "violate_first", "violate_last"}, default "avoid"
        The reaction to merges that end at more than `n_clusters` clusters because every further one is forbidden by a
        cannot-link. "avoid": reject each merge after which no `n_clusters` clusters could keep the constraints, and go
        on with the next nearest. It comes to this only if constraints themselves need more. With any other choice the
        hierarchy is the one of the paper, and does not depend on `n_clusters`: "raise" `InfeasibleClusteringError`, or
        return the clusters, "more" than were asked for, with a `UserWarning`, or return `n_clusters`, with a
        `UserWarning` that counts the cannot-links they "violate": the nearest clusters then merge first. In the paper
        all of them are at one distance, the maximum plus 1, so the order of the list of clusters decides. The paper
        does not give that order. A merged cluster takes the place of its first sample ("violate_first") or goes to the
        end of the list ("violate_last"). Must-links are never violated.
    n_queries : int or None, default None
        Most questions to ask the `oracle` of `fit`. All are asked, unless everything has been asked about before, or
        `asked_merges` is "cutoff".
    asked_merges : {"last", "cutoff"}, default "last"
        The merges that the `oracle` is asked about. "last": the last ones, until no questions are left. "cutoff", as in
        the paper: the merges from the distance on at which the questions are expected to suffice (see Notes).
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels if the index of X is 0..n-1: there they mean nothing but rows.
    verbose : bool or int, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int32, shape (n_samples,)
        The cluster of each sample, numbered in the order of their first samples.
    n_clusters_ : int
        Number of flat clusters.
    fewest_clusters_, most_clusters_ : int
        Numbers of clusters between which the hierarchy can be cut so that all constraints hold.
    hierarchy_ : Hierarchy
        Over the labels of the samples (the index of a pandas DataFrame, else 0..n-1). Inner nodes in merge order, at
        the distances of their merges.
    linkage_ : ndarray of float64, shape (n_samples - 1, 4)
        scipy's linkage matrix, for drawing: no height is lower than one below it.
    children_ : ndarray of int, shape (n_samples - 1, 2)
        The two nodes of each merge, as in scikit-learn's AgglomerativeClustering.
    distances_ : ndarray of float64, shape (n_samples - 1,)
        The distance of each merge, in order: first merges within must-links, at 0, last the forbidden ones, at
        `cannot_link_distance_`. It may fall only after answers of an oracle.
    cannot_link_distance_ : float
        The largest distance of two samples, plus 1.
    pairs_ : PairwiseConstraints
        All constraints on the samples, given and answered.
    queries_ : list of (label, label, bool or None)
        The questions asked, with their answers, in order.
    n_leaves_, n_features_in_ : int
        Number of samples and of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    ReCon : for constraints on the hierarchy itself, triplets.
    labels_oracle : an oracle that answers from known classes.
    tripletree.evaluation.constrained_rand_index : counts only pairs that the constraints leave open.

    Notes
    -----
    The steps of [1]_: must-links at 0, all-pairs shortest paths that pass only through must-linked samples,
    cannot-links at the maximum plus 1, complete linkage. Ties go to the pair of clusters with the first samples. Two
    slips of the printed listing are repaired, see ``docs/algorithms.md``.

    Merges at the maximum plus 1 violate a cannot-link. They come last, the nearest ones first (where
    the paper has a tie of all), and make the hierarchy whole. Flat clusters never use them (but see `on_infeasible`).
    Greedy merges often end at more clusters than the constraints need. Deciding if k clusters can keep them is graph
    colouring, NP-complete, and "avoid" searches for at most 10,000 steps in each connected part of the
    cannot-links before it rejects a merge.

    Merging takes O(n^2) time in practice, and 8 n^2 bytes of distances (1.1 GB for 10,000 samples), half of that once
    they are checked without an oracle or "avoid".

    **Questions** (section 5.5 of [1]_): the last merges, 3/4 as many as questions, are made one by one. Before the two
    closest clusters are merged, the oracle is asked whether they belong together. Their medoids, the samples with the
    least sum of distances to the others, stand for them. Yes: they are merged, and shortest paths go through them. No:
    they are kept apart, with all that merges with them. None: they are merged as if nothing had been asked. Questions
    whose answer follows from the constraints (or, with "avoid", from them and `n_clusters`) are not asked. If "no" is
    rare and questions are left over, the merges are done again from lower down, with all answers imposed first.
    ``asked_merges="cutoff"`` is the paper's scheme: the samples are first clustered without constraints, which gives
    the distance from which on it does not expect to need more questions than it has. Each merge from there on is asked
    about. Merges that answers have brought below it are not, and questions that are left over are not used. The paper
    does not say how many answers it expects to be "no", nor which samples stand for the roots of a merge. Chosen here:
    3/4 as many merges as questions are at this distance or above, and the medoids.

    **Cross-validation** passes a part of X with all pairs: see `COPKMeans`.

    References
    ----------
    .. [1] Klein, Kamvar, Manning (2002), From instance-level constraints to space-level constraints: making the most of
       prior knowledge in data clustering, Proceedings of the 19th International Conference on Machine Learning,
       307-314.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"x": [0.0, 1.0, 4.0, 6.0]}, index=["ant", "bee", "cow", "dog"])
    >>> ConstrainedCompleteLink(2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    >>> model = ConstrainedCompleteLink(2).fit(X, pairs=([("bee", "cow")], [("ant", "dog")]))
    >>> model.labels_.tolist(), model.distances_.tolist(), model.cannot_link_distance_
    ([0, 0, 0, 1], [0.0, 1.0, 7.0], 7.0)

    It asks about the last merge, which joins the two pairs:

    >>> from tripletree.cluster import labels_oracle
    >>> insects = {"ant": True, "bee": True, "cow": False, "dog": False}
    >>> ConstrainedCompleteLink(2, n_queries=1).fit(X, oracle=labels_oracle(insects)).queries_
    [('ant', 'cow', False)]
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "metric": [StrOptions({*METRICS, *WITH_MISSING, "precomputed"}), callable, HasMethods("transform")],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
        "on_infeasible": [StrOptions({*_ON_INFEASIBLE})],
        "n_queries": [Interval(Integral, 0, None, closed="left"), None],
        "asked_merges": [StrOptions({"last", "cutoff"})],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "verbose": ["verbose"],
    }

    labels_: np.ndarray
    hierarchy_: Hierarchy

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        metric: str | Callable[[np.ndarray, np.ndarray], float] | Any = "euclidean",
        distance_threshold: float | None = None,
        on_infeasible: str = "avoid",
        n_queries: int | None = None,
        asked_merges: str = "last",
        missing_samples: str = "raise",
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.distance_threshold = distance_threshold
        self.on_infeasible = on_infeasible
        self.n_queries = n_queries
        self.asked_merges = asked_merges
        self.missing_samples = missing_samples
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        pairs: Any = None,
        knowledge: Knowledge | None = None,
        sample_names: Any = None,
        oracle: Oracle | None = None,
    ) -> ConstrainedCompleteLink:
        """Cluster the samples so that the constraints hold.

        Parameters
        ----------
        X : array_like, DataFrame or sparse matrix, shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, or their distances if ``metric="precomputed"``.
        y : None
            Ignored.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of pairs (a, b), optional
            Constraints on some of the samples. Labels come from the index if X is a pandas DataFrame, else they are
            **row numbers of this very X**: see COPKMeans. An integer array always holds row numbers. Weights are
            ignored.
        knowledge : Knowledge, optional
            Pairs as one value with others. What else is given is added to it.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows, for an X without an index. Cross-validation cuts them as it does X.
        oracle : callable, optional
            ``oracle(a, b)``: whether samples a and b belong together, True or False (1 or 0, None: not known). Asked by
            label, at most `n_queries` times.

        Returns
        -------
        ConstrainedCompleteLink
            Itself. A fit that fails or is interrupted leaves it as it was, and hands the answers of the oracle to
            the exception, KeyboardInterrupt and the oracle's own too: ``error.queries``, and ``error.pairs``, the
            constraints given and answered. ``fit(X, pairs=error.pairs, oracle=oracle)`` does not ask them again.

        Raises
        ------
        InconsistentPairsError
            If must-links put samples together which a cannot-link keeps apart, before anything is clustered.
        InfeasibleClusteringError
            If `n_clusters` cannot keep the constraints, or no way was found, or the merges end at more (see
            `on_infeasible`): ``.proved`` tells whether the constraints need more, ``.clique`` and ``.samples`` why. Or
            if must-links leave fewer groups than that.
        UnknownLeafError
            If pairs name samples that X does not have. ``.labels`` holds them all.

        Warns
        -----
        UserWarning
            As `on_infeasible` says, or if answers leave fewer clusters than `n_clusters`.

        Examples
        --------
        >>> X = [[0.0], [1.0], [4.0], [6.0]]
        >>> ConstrainedCompleteLink(2).fit(X, pairs=([(1, 2)], [(0, 3)])).labels_.tolist()
        [0, 0, 0, 1]
        """
        given = {"pairs": pairs, "knowledge": knowledge}
        return self._fit(X, y, sample_names=sample_names, given=given, oracle=oracle)

    def _take(self, X: Any) -> tuple[Any, MixedColumns | None]:
        return check_measured(self, X, None, reset=True)

    def _cluster(self, data: Data, known: Knowledge, *, oracle: Oracle | None = None) -> None:
        self._check_together(oracle)
        metric = check_metric(self.metric, "complete")
        points = as_measured(self.metric, data.given, data.samples)
        distances = FittedMetric(metric, metric_parameters(points, metric, data.columns))
        if oracle is not None:
            check_distinct(data.rows)
        _check_most(self.n_clusters, known.pairs.closure())
        questions = None if oracle is None else Questions(oracle, int(self.n_queries or 0), known.leaves)
        with _keep_answers(questions, known.pairs):
            whole = self._merge(points, distances, known.pairs, questions)
            self.labels_ = self._labels(self.hierarchy_, whole).astype(np.int32)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.predictor_ = NeighbourPredictor(data.samples, points, self.labels_, self.metric, distances)
        self.n_leaves_ = data.n

    def _check_together(self, oracle: Any) -> None:
        """Raise if parameters determine the cut twice or not at all, or if one needs another that is missing."""
        if (self.n_clusters is None) == (self.distance_threshold is None):
            msg = (
                f"n_clusters={self.n_clusters} and distance_threshold={self.distance_threshold}: give one of them, and "
                "None for the other"
            )
            raise ValueError(msg)
        if oracle is None and self.n_queries:
            msg = f"n_queries={self.n_queries} but nobody to ask: give fit(X, oracle=...), such as labels_oracle(y)"
            raise ValueError(msg)
        if oracle is not None and self.n_queries is None:
            msg = "an oracle is given, but no number of questions: set n_queries (0 asks none)"
            raise ValueError(msg)

    def _merge(
        self, points: np.ndarray, metric: FittedMetric, given: PairwiseConstraints, questions: Questions | None
    ) -> np.ndarray:
        """Make the hierarchy, with all answers once more if they leave no cut. Returns which nodes stay whole."""
        k = self.n_clusters if self.on_infeasible == "avoid" else None
        expected = int(np.ceil((self.n_queries or 0) * _MERGES_A_QUESTION)) if self.asked_merges == "cutoff" else None
        pairs, asked, before = given, [], 0

        def central(members: np.ndarray) -> int:
            return find_medoid(points, members, metric)

        while True:
            closure = pairs.closure()
            colouring = None if k is None else Colouring(closure, int(k))
            with progress_bar(self.verbose, closure.n_components - 1, type(self).__name__) as tell:
                merges, top = merge_completely(
                    metric.condensed(points),
                    closure.component,
                    closure.cannot,
                    tell,
                    questions,
                    central,
                    colouring,
                    expected,
                )
            if self.on_infeasible in ("violate_first", "violate_last"):
                merges = _forced(merges, top, at_end=self.on_infeasible == "violate_last")
            hierarchy = from_linkage(merges, given.leaves)
            if questions is not None:
                asked, pairs = questions.asked, given | questions.answers()
            fewest, whole = 1 + int((merges[:, 2] >= top).sum()), _find_whole(hierarchy, pairs)
            most = 1 + int((~whole).sum())
            if k is None or len(asked) == before or fewest <= min(k, pairs.closure().n_components) <= most:
                break
            before = len(asked)
        self.queries_, self.pairs_, self.hierarchy_ = asked, pairs, hierarchy
        self.distances_, self.cannot_link_distance_ = merges[:, 2].copy(), top
        self.linkage_ = to_linkage(hierarchy, monotone=True)
        self.fewest_clusters_, self.most_clusters_ = fewest, most
        return whole

    def _labels(self, hierarchy: Hierarchy, whole: np.ndarray) -> np.ndarray:
        if self.distance_threshold is not None:
            forbidden = self.distances_ >= self.cannot_link_distance_
            highest = np.where(whole, -np.inf, np.where(forbidden, np.inf, self.linkage_[:, 2]))
            return cut_at_threshold(hierarchy, highest, self.distance_threshold)
        assert self.n_clusters is not None
        return _cut_feasibly(hierarchy, self.n_clusters, self.fewest_clusters_, self.pairs_, self.on_infeasible, whole)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.metric)
        tags.input_tags.sparse = not is_precomputed(self.metric)
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric in WITH_MISSING
        return tags


# ---------------------------------------------------------------------- distances under constraints


class Propagated(NamedTuple):
    """Distances of groups after propagation.

    Attributes
    ----------
    condensed : ndarray of float64, shape (N * (N - 1) / 2,)
        Distances of the N groups. If a cannot-link keeps two apart it is added to `top`.
    n_groups : int
    top : float
        The largest distance of any two samples, plus 1.
    """

    condensed: np.ndarray
    n_groups: int
    top: float


def propagate(condensed: np.ndarray, component: np.ndarray, cannot: np.ndarray) -> Propagated:
    """Impose and propagate constraints on condensed distances, which are overwritten.

    Parameters
    ----------
    condensed : ndarray of float64, shape (n * (n - 1) / 2,)
    component : ndarray of int32, shape (n,)
        The must-link component of each sample, 0..N-1 in the order of their first samples.
    cannot : ndarray of int, shape (k, 2)
        Components that are kept apart.

    Returns
    -------
    Propagated
        On the same memory.

    Notes
    -----
    Distances of cannot-links are ``top + d`` instead of ``top``, d their distance without the cannot-link: all are
    above every other, and merges of near groups come first, where a tie of all would go by index.
    """
    top = forbidden_distance(condensed)
    size = np.bincount(component)
    n, n_groups = component.size, size.size
    if n_groups < n:
        engine.complete_link.contract(condensed, frozen(component, np.int32), n_groups)
        condensed = condensed[: n_groups * (n_groups - 1) // 2]
        engine.complete_link.shorten_paths(condensed, n_groups, np.flatnonzero(size > 1).astype(np.int32))
    if len(cannot):
        a, b = np.sort(np.asarray(cannot, np.int64), axis=1).T
        condensed[a * n_groups - a * (a + 1) // 2 + b - a - 1] += top
    return Propagated(condensed, n_groups, top)


def forbidden_distance(condensed: np.ndarray) -> float:
    """The largest distance plus 1, or the next number where 1 is lost in rounding."""
    largest = float(condensed.max(initial=0.0))
    return max(largest + 1.0, float(np.nextafter(largest, np.inf)))


# ---------------------------------------------------------------------- all merges


@contextmanager
def _keep_answers(questions: Questions | None, given: PairwiseConstraints) -> Iterator[None]:
    """Hand the answers so far to an exception that ends the fit, an interrupt too: `.queries` and `.pairs`."""
    try:
        yield
    except BaseException as error:
        if questions is not None:
            with suppress(AttributeError, TypeError):  # an exception of the oracle's own that takes no attributes
                error.queries, error.pairs = questions.asked, given | questions.answers()  # type: ignore[attr-defined]
                if questions.asked:
                    error.add_note(
                        f"{len(questions.asked)} questions have been answered: of this exception, .queries holds them "
                        "and .pairs all constraints with them, for fit(X, pairs=error.pairs, ...)"
                    )
        raise


def merge_completely(
    condensed: np.ndarray,
    component: np.ndarray,
    cannot: np.ndarray,
    progress: Tick = silent,
    questions: Questions | None = None,
    central: Callable[[np.ndarray], int] | None = None,
    colouring: Colouring | None = None,
    expected: int | None = None,
) -> tuple[np.ndarray, float]:
    """Merge samples by complete linkage under must-links and cannot-links.

    Parameters
    ----------
    condensed : ndarray of float64, shape (n * (n - 1) / 2,)
        Distances of the n samples, which are overwritten.
    component : ndarray of int32, shape (n,)
        The must-link component of each sample, 0..N-1 in the order of their first samples.
    cannot : ndarray of int, shape (k, 2)
        Components that are kept apart.
    progress : callable, optional
        Called with the number of merges done since its last call.
    questions : Questions, optional
        Asked at the last merges.
    central : callable, optional
        Samples of a cluster -> the one that stands for it in a question.
    colouring : Colouring, optional
        For the components: merges that leave no colouring are rejected, unless answers have left none.
    expected : int, optional
        Ask about the merges at no less than the distance of the last `expected` merges without constraints.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights. Merges of must-links are first, merges that a constraint or an
        answer forbids last.
    top : float
        The height of the latter, above all others.
    """
    nothing, n = np.empty((0, 3), np.int32), component.size
    asks = questions is not None and questions.left > 0 and central is not None
    cutoff = None
    if asks and expected is not None:
        plain, _ = merge_condensed(condensed.copy(), n, nothing, "complete")
        cutoff = float(np.sort(plain[:, 2])[-expected]) if expected < n else 0.0
    distances = propagate(condensed, component, cannot)
    kept = distances.condensed.copy() if asks or (colouring is not None and len(cannot)) else None
    merges, _ = merge_condensed(distances.condensed, distances.n_groups, nothing, "complete", progress)
    if kept is not None:
        allowed = merges[: int((merges[:, 2] < distances.top).sum())]
        stand = len(allowed) if colouring is None else colouring.count_compatible(allowed)
        if asks or stand < len(allowed):
            last = _LastMerges(
                distances._replace(condensed=kept), component, questions if asks else None, central, colouring, cutoff
            )
            merges = last.merged(allowed, stand)
    merges[:, 2] = np.minimum(merges[:, 2], distances.top)
    return _of_samples(merges, component), distances.top


def _of_samples(merges: np.ndarray, component: np.ndarray) -> np.ndarray:
    """The merges of must-linked samples, then of their groups: a linkage of n samples from one of N groups."""
    size = np.bincount(component)
    n, n_groups = component.size, size.size
    inside = n - n_groups
    Z = np.empty((n - 1, 4))
    member = np.argsort(component, kind="stable")  # group by group
    rank = np.arange(n) - np.repeat(size.cumsum() - size, size)
    node = member[np.flatnonzero(rank == 0)]  # of each group
    if inside:
        place = np.flatnonzero(rank > 0)
        chain = np.where(rank[place] > 1, n + np.arange(inside) - 1, member[place - 1])
        Z[:inside, 0], Z[:inside, 1] = np.minimum(chain, member[place]), np.maximum(chain, member[place])
        Z[:inside, 2], Z[:inside, 3] = 0.0, rank[place] + 1
        last = rank[place] + 1 == size[component[member[place]]]
        node[component[member[place[last]]]] = n + np.flatnonzero(last)
    node = np.concatenate([node, np.arange(n + inside, 2 * n - 1)])
    Z[inside:, :2] = np.sort(node[merges[:, :2].astype(np.intp)], axis=1)
    Z[inside:, 2] = merges[:, 2]
    total = np.concatenate([size, np.zeros(n_groups - 1, size.dtype)])
    for k, (i, j) in enumerate(merges[:, :2].astype(int).tolist()):
        total[n_groups + k] = total[i] + total[j]
    Z[inside:, 3] = total[n_groups:]
    return Z


def _forced(merges: np.ndarray, top: float, *, at_end: bool) -> np.ndarray:
    """Forbidden merges in the order in which a tie of them all is broken: always the first two of the list.

    A merged cluster stands where its first sample stood, or, `at_end`, at the end of the list, as all merges do.
    """
    n, kept = len(merges) + 1, int((merges[:, 2] < top).sum())
    part, node = find_roots(merges[:kept], n)  # roots by their first samples
    size = np.bincount(part)
    order = np.argsort(node) if at_end else np.arange(node.size)
    queue = deque(zip(node[order].tolist(), size[order].tolist(), strict=True))
    out = merges.copy()
    for k in range(kept, n - 1):
        (one, some), (other, more) = queue.popleft(), queue.popleft()
        out[k] = min(one, other), max(one, other), top, some + more
        (queue.append if at_end else queue.appendleft)((n + k, some + more))
    return out


# ---------------------------------------------------------------------- the last merges, one by one


class _LastMerges:
    """The last merges once more, one by one."""

    def __init__(
        self,
        distances: Propagated,
        component: np.ndarray,
        questions: Questions | None,
        central: Callable[[np.ndarray], int] | None,
        colouring: Colouring | None,
        cutoff: float | None = None,
    ) -> None:
        self._distances, self._component, self._cutoff = distances, component, cutoff
        self._questions, self._central, self._colouring = questions, central, colouring
        self._unknown: set[tuple[int, int]] = set()

    def merged(self, allowed: np.ndarray, stand: int) -> np.ndarray:
        """Return all merges of groups. At most the first `stand` of them are as given.

        As many of the given ones are asked about as there are questions for. Questions that are left when no more
        merges are allowed are asked lower down, until all are used: all answers are imposed there first. With a cutoff,
        merges from it on are asked about, and nothing lower down.
        """
        if self._cutoff is not None:
            stand = min(stand, int((allowed[:, 2] < self._cutoff).sum()))
        depth = 0
        while True:
            left = 0 if self._questions is None else self._questions.left
            depth += int(np.ceil(left * _MERGES_A_QUESTION)) if self._cutoff is None else 0
            below = allowed[: max(0, min(stand, len(allowed) - depth))]
            roots = self._roots(below)
            self._merge(roots)
            if self._questions is None or not self._questions.left or not len(below) or self._cutoff is not None:
                break
        while (pair := roots.closest(forbidden=True)) is not None:
            roots.merge(*pair, linked=False, height=self._distances.top)
        return np.concatenate([below, np.array(roots.merges).reshape(-1, 4)])

    def _roots(self, below: np.ndarray) -> _Roots:
        """The clusters that the first merges leave, with all answers imposed."""
        distances = self._distances
        part, node = find_roots(below, distances.n_groups)
        far = engine.complete_link.farthest(distances.condensed, part, node.size)
        root = part[self._component]
        members = np.split(np.argsort(root, kind="stable"), np.bincount(root).cumsum()[:-1])
        roots = _Roots(far, distances.top, node, members, distances.n_groups + len(below))
        answers = None if self._questions is None else self._questions.answers()
        if answers is not None:
            for a, b in root[answers.cannot_link].tolist():
                roots.separate(a, b)
        if self._colouring is not None and not self._colouring.start(part, roots.apart):
            self._colouring = None
        for a, b in [] if answers is None else answers.must_link.tolist():
            i, j = sorted((root[a], root[b]))
            if i != j:
                if self._colouring is not None and not self._colouring.try_merge(i, j, roots.apart, roots.alive):
                    self._colouring = None
                roots.merge(i, j, linked=True, height=0.0)
                root[root == j] = i
        return roots

    def _merge(self, roots: _Roots) -> None:
        """Merge the closest two that may meet, by and by, and ask about it while there are questions."""
        questions, central, centre = self._questions, self._central, dict[int, int]()
        while (pair := roots.closest()) is not None or roots.reopen():
            if pair is None:
                continue  # some must still meet: rejections by searches that gave up prove nothing
            if self._colouring is not None and not self._colouring.try_merge(*pair, roots.apart, roots.alive):
                roots.reject(*pair)
                continue
            answer = None
            is_far = self._cutoff is None or roots.near[pair] >= self._cutoff
            if questions is not None and central is not None and questions.left and is_far:
                for i in pair:
                    if i not in centre:
                        centre[i] = central(roots.members[i])
                answer = self._asked(centre[pair[0]], centre[pair[1]], questions)
            if answer is False:
                roots.separate(*pair)
                if self._colouring is not None and not self._colouring.try_separate(*pair, roots.apart, roots.alive):
                    self._colouring = None
                continue
            roots.merge(*pair, linked=answer is True)
            centre.pop(pair[0], None)

    def _asked(self, i: int, j: int, questions: Questions) -> bool | None:
        """An answer. Pairs that were answered with None are not asked about again."""
        pair = min(i, j), max(i, j)
        answer = None if pair in self._unknown else questions.ask(i, j)
        if answer is None:
            self._unknown.add(pair)
        return answer


class _Roots:
    """The clusters that are left, their distances, and which of them must not be merged.

    Parameters
    ----------
    far : ndarray of float64, shape (r, r)
        Complete-link distances, from `top` on where a cannot-link is between. Overwritten.
    top : float
    node : ndarray of int, shape (r,)
        Their nodes in the linkage.
    members : list of r arrays of int
        Their samples.
    new : int
        The next free node.
    """

    def __init__(self, far: np.ndarray, top: float, node: np.ndarray, members: list[np.ndarray], new: int) -> None:
        self.apart = far >= top
        self.near = far
        self.near[self.apart] -= top
        self.rejected = self.apart | np.eye(
            node.size, dtype=bool
        )  # with pairs that were tried in vain, and merged groups
        self.alive = np.ones(node.size, bool)
        self.node, self.members, self.new = node.copy(), members, new
        self.merges: list[tuple[float, float, float, float]] = []
        self._least, self._nearest = np.empty(node.size), np.empty(node.size, np.intp)
        self._search(np.arange(node.size))

    def closest(self, *, forbidden: bool = False) -> tuple[int, int] | None:
        """The closest two that may be merged, or if `forbidden` any two. Ties go to the pair with the first samples."""
        if not forbidden:
            i = int(self._least.argmin())
            return None if np.isinf(self._least[i]) else (i, int(self._nearest[i]))
        live = np.flatnonzero(self.alive)
        if live.size == 1:
            return None
        distance = self.near[np.ix_(live, live)]
        np.fill_diagonal(distance, np.inf)
        i, j = divmod(int(distance.argmin()), live.size)
        return int(live[i]), int(live[j])

    def separate(self, i: int, j: int) -> None:
        """Impose a cannot-link: complete linkage hands it on to whatever they merge with."""
        self.apart[i, j] = self.apart[j, i] = True
        self.reject(i, j)

    def reject(self, i: int, j: int) -> None:
        """Do not merge i and j, nor the groups they merge with."""
        self.rejected[i, j] = self.rejected[j, i] = True
        self._search(np.array([i, j]))

    def reopen(self) -> bool:
        """Forget all rejections except by cannot-links. Return whether there were any."""
        rejected = self.apart | ~self.alive | ~self.alive[:, None] | np.eye(self.alive.size, dtype=bool)
        if (rejected == self.rejected).all():
            return False
        self.rejected = rejected
        self._search(np.arange(self.alive.size))
        return True

    def merge(self, i: int, j: int, *, linked: bool, height: float | None = None) -> None:
        """Merge j into i, i < j: by the greater distance or, if they are must-linked, by shortest paths.

        No path goes between two that are apart.
        """
        near, apart, rejected = self.near, self.apart, self.rejected
        row = near[i, j] if height is None else height
        a, b = sorted((self.node[i], self.node[j]))
        self.members[i] = np.sort(np.concatenate([self.members[i], self.members[j]]))
        self.merges.append((a, b, row, self.members[i].size))
        self.node[i], self.alive[j] = self.new, False
        self.new += 1
        forbidden = apart[i] | apart[j]
        if linked:
            legs = [np.where(apart[x], np.inf, near[x]) for x in (i, j)]
            leg = np.minimum(*legs)
            leg[~self.alive] = np.inf
            reach = np.where(forbidden, np.maximum(near[i], near[j]), leg)
            np.minimum(near, leg[:, None] + leg, out=near)
        else:
            reach = np.maximum(near[i], near[j])
        near[i], near[:, i] = reach, reach
        apart[i], apart[:, i] = forbidden, forbidden
        either = rejected[i] | rejected[j]
        rejected[i], rejected[:, i] = either, either
        rejected[j], rejected[:, j] = True, True
        near[i, i], apart[i, i], rejected[i, i] = 0.0, False, True
        changed = (self._nearest == i) | (self._nearest == j)
        changed[[i, j]] = True
        self._search(np.flatnonzero(changed | linked))

    def _search(self, rows: np.ndarray) -> None:
        """Find the nearest cluster that each cluster of `rows` may be merged with, the first of several."""
        step = max(1, _BATCH // self.alive.size)
        for low in range(0, rows.size, step):
            some = rows[low : low + step]
            distance = np.where(self.rejected[some], np.inf, self.near[some])
            nearest = distance.argmin(axis=1)
            self._nearest[some], self._least[some] = nearest, distance[np.arange(some.size), nearest]


def find_medoid(samples: np.ndarray, members: np.ndarray, metric: FittedMetric) -> int:
    """The medoid of a cluster: the member with the least sum of distances to the others, the first of several.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d) or (n, n)
        All samples, or their distances if `metric` is "precomputed".
    members : ndarray of int, shape (s,)
        In rising order.
    metric : FittedMetric

    Returns
    -------
    int
        A row number.

    Notes
    -----
    O(s^2) distances, some 32 MB of them at a time.
    """
    if members.size <= 2:
        return int(members[0])
    total = np.empty(members.size)
    step = max(1, _BATCH // members.size)
    for low in range(0, members.size, step):
        some = members[low : low + step]
        if metric.is_precomputed:
            distances = samples[np.ix_(some, members)]
        else:
            distances = metric.between(samples[some], samples[members])
        total[low : low + step] = distances.sum(axis=1)
    return int(members[total.argmin()])


# ---------------------------------------------------------------------- flat clusters


def _check_most(n_clusters: int | None, closure: PairClosure) -> None:
    """Refuse more clusters than there are samples, must-linked ones counted as one."""
    n, most = len(closure.leaves), closure.n_components
    if n_clusters is None or n_clusters <= most:
        return
    if n_clusters > n:
        msg = f"n_clusters={n_clusters} but n_samples={n}: there cannot be more clusters than samples"
        raise ClusterCountError(msg, n_clusters=n_clusters, nearest=(most,))
    msg = (
        f"n_clusters={n_clusters}, but must-links tie the {n} samples into {counted(most, 'group')}: there cannot be "
        "more clusters than groups"
    )
    raise InfeasibleClusteringError(msg, n_clusters=n_clusters)


def _find_whole(hierarchy: Hierarchy, pairs: PairwiseConstraints) -> np.ndarray:
    """Find the inner nodes that no cut may split: nodes where must-linked samples meet, and all below them.

    Returns
    -------
    ndarray of bool, shape (n_nodes - n,)
    """
    n = hierarchy.n_leaves
    whole = np.zeros(hierarchy.n_nodes, np.bool_)
    a, b = (freeze(np.ascontiguousarray(pairs.must_link[:, k])) for k in (0, 1))
    if a.size:
        whole[engine.rooted_tree.common_ancestors(a, b, *hierarchy.ancestor_table)] = True
    for u in range(hierarchy.n_nodes - 2, n - 1, -1):
        whole[u] |= whole[hierarchy.parent[u]]
    return whole[n:]


def _cut_feasibly(
    hierarchy: Hierarchy,
    n_clusters: int,
    fewest: int,
    pairs: PairwiseConstraints,
    on_infeasible: str,
    whole: np.ndarray,
) -> np.ndarray:
    """Cut a hierarchy by merge order into clusters that keep all constraints, if there are any.

    Parameters
    ----------
    hierarchy : Hierarchy
        Binary.
    n_clusters : int
    fewest : int
        How many clusters are left before the forbidden merges.
    pairs : PairwiseConstraints
        Consistent.
    on_infeasible : {"avoid", "raise", "more", "violate", "violate_first", "violate_last"}
    whole : ndarray of bool
        From `_find_whole`.

    Returns
    -------
    ndarray of int, shape (n,)

    Warns
    -----
    UserWarning
        If it is less, and `on_infeasible` is "more" or violates them, or more than all cuts have that keep the answered
        must-links.
    """
    most = 1 + int((~whole).sum())
    if n_clusters > most:  # after answers alone: must-links that were given are merged first
        msg = (
            f"n_clusters={n_clusters}, but the answers leave no cut into more than {most} clusters that keeps samples "
            f"together that were answered to belong together: {most} are returned"
        )
        warn_user(msg)
        n_clusters = most
    if n_clusters >= fewest:
        return _undo_last(hierarchy, n_clusters, whole)
    msg = f"the merges end at {fewest} clusters, every two of them kept apart by cannot-links"
    if on_infeasible == "more":
        warn_user(f"{msg}: these are returned, not n_clusters={n_clusters}")
        return _undo_last(hierarchy, fewest, whole)
    if on_infeasible in _VIOLATE:
        labels = _undo_last(hierarchy, n_clusters, whole)
        a, b = pairs.cannot_link.T
        violated = int((labels[a] == labels[b]).sum())
        warn_user(f"{msg}: n_clusters={n_clusters} violate {violated} of {a.size}")
        return labels
    raise _infeasible(msg, n_clusters, fewest, pairs.closure())


def _undo_last(hierarchy: Hierarchy, n_clusters: int, whole: np.ndarray) -> np.ndarray:
    """Undo the last merges, except merges that must stay, until there are `n_clusters` clusters."""
    split = np.zeros(whole.size, np.bool_)
    split[np.flatnonzero(~whole)[::-1][: n_clusters - 1]] = True
    return cut_at_threshold(hierarchy, np.where(split, np.inf, -np.inf), 0.0)


def _infeasible(msg: str, k: int, fewest: int, closure: PairClosure) -> InfeasibleClusteringError:
    """Return the error for merges that end at more than k clusters: the constraints need more, or the merges do."""
    advice = f"ask for {fewest} or more, or set {ADVICE}"
    graph = CannotGraph(closure.cannot, closure.n_components)
    try:
        graph.colour(k, np.random.default_rng(0), _SEARCH_STEPS)
    except NotColourable as reason:
        return too_few_clusters(f"{msg}, and n_clusters={k} are too few", k, reason, closure, advice)
    msg = (
        f"{msg}; n_clusters={k} could keep all constraints, but not by these merges: set on_infeasible='avoid' for "
        f"others, or {advice}"
    )
    return InfeasibleClusteringError(msg, n_clusters=k, proved=False)
