"""`DivisiveReCon`: the mean of a sample of trees, given features and statements, some of which may be wrong.

The steps are the other files of this folder, in this order: ``items``, ``statements``, ``tree``, ``flat``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.cut import NumberOfClusters, cut, cut_at_threshold, suggest_n_clusters
from tripletree.algorithms.flat import fit_together
from tripletree.algorithms.induce import displayed, displays, rows_over
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.algorithms.majority import clade_support
from tripletree.cluster.agglomerative.paired_cut import infeasible, nearest_feasible
from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples, plan_merges
from tripletree.cluster.agreement import name_agreement, warn_of_names
from tripletree.cluster.base import Data, TripletClusterer, check_enough_samples, check_measured, warn_of_silent_classes
from tripletree.cluster.distance_matrix import as_distance_matrix
from tripletree.cluster.distances import (
    METRICS,
    WITH_MISSING,
    FittedMetric,
    check_squares,
    condensed_distances,
    metric_parameters,
    transformed,
)
from tripletree.cluster.divisive.flat import by_votes, check_enough_groups, from_plain_tree, whitened, widest_gap
from tripletree.cluster.divisive.items import ITEMS_MAX
from tripletree.cluster.divisive.statements import AllStatements, beside_hierarchy, make_statements, weight_by_clade
from tripletree.cluster.divisive.tree import FOLDS, NOISE, TreeStatements, choose_tree, linkage_of
from tripletree.cluster.gower import MixedColumns
from tripletree.cluster.posterior import Mixing, TreeSample, parents_of
from tripletree.cluster.prediction import NeighbourPredictor
from tripletree.cluster.propagation import propagated
from tripletree.cluster.validation import ValidationReport, alike, compare_settings
from tripletree.core.checks import check_entries, counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.pair_closure import PairClosure
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet, check_label_triple
from tripletree.errors import warn_user
from tripletree.knowledge.combined import check_consistent, combine_constraints
from tripletree.knowledge.value import KINDS, Knowledge

#: Metrics under which features are looked at. Of all others, the distances of all pairs are.
_OF_FEATURES = ("euclidean", "cosine")


class DivisiveReCon(TripletClusterer):
    """Divisive clustering with triplets, pairs, a hierarchy or class labels, some of which may be wrong.

    The tree is the mean of trees sampled from their posterior. Features evolve along the branches, and a share of the
    triplets may be wrong. One chain of the sample begins at the plain tree. The other begins at a tree of distances
    that the triplets have changed. Unless they are few, their votes divide that tree from the top. Hard constraints
    hold in the end, and soft ones may be outvoted. Without any knowledge the result is plain agglomerative clustering:
    Ward's linkage, or average linkage of distances under any other metric. With such distances, with classes and with
    hard pairs no trees are sampled. The votes of the triplets, except those of soft classes, then divide a tree from
    the top.

    Parameters
    ----------
    n_clusters : int or None, default None
        Number of flat clusters, ``labels_``. The hierarchy does not depend on it. None takes the number of classes if
        labels of two or more classes are all that is given. Give a greater number if some classes have no labelled
        sample. Otherwise `tripletree.suggest_n_clusters` chooses it. For precomputed distances it is the number at
        which the heights of the last merges rise by the greatest factor. The choice lies between the fewest clusters
        that hard cannot-links allow and the number of groups of samples that hard must-links tie together.
    constraints : {"auto", "hard", "soft"}, default "auto"
        Whether all triplets and pairs must hold. "auto" is "hard" if a hierarchy is given. Pairs, triplets and classes
        that are given beside it then hold, too. Those that contradict the hierarchy, or others before them, are left
        out, with a warning. Kinds that ``knowledge=`` has as soft, and comparisons, are votes at any setting
        (`tripletree.Knowledge`). Without a hierarchy "auto" is "soft": soft triplets that are all right are kept, too,
        as the share of wrong ones is then estimated to be near 0. Soft pairs are votes: they may contradict each other,
        and are never an error.
    noise : float or None, default None
        The share of soft triplets that are wrong, above 0 and below 2/3. None estimates it together with the trees. If
        no trees are sampled, it is the share that a first division violates, or 0.1 if there is none.
    effort : float, default 1.0
        Factor on the number of steps in which trees are sampled. With 0 none are sampled: the tree is a first
        division, and its clades have no probabilities.
    classifier : scikit-learn classifier with `predict_proba`, or None, default None
        A further source if only classes are known. A copy is fitted to the labelled samples, and its probabilities are
        mixed with the classes of labels nearby. Labels that are held out from both decide the proportion. See Notes.
    metric : str, default "euclidean"
        Distances of samples. "cosine" is "euclidean" after each sample is divided by its length. With "precomputed", X
        is their n x n matrix. Rounding in it is mended. Any other metric of `scipy.spatial.distance`, "nan_euclidean"
        for gaps (NaN) and "gower" for a table of numbers, categories and gaps stand for "precomputed" with the
        distances of all pairs, and `predict` takes samples.
    distance_threshold : float or None, default None
        In the place of `n_clusters`: clusters are the largest clades of ``hierarchy_`` with no node, their own and all
        below, above this height, but for pairs that must hold. Merges at the very distance stand.
    on_infeasible : {"raise", "more", "violate"}, default "raise"
        How to proceed if no `n_clusters` clusters that keep all hard pairs are found: raise
        `InfeasibleClusteringError`, or, with a `UserWarning`, return more clusters, which keep them, or return
        `n_clusters`, and say how many cannot-links they violate.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out triplets, pairs and classes on labels that are not in the index of X, as in
        cross-validation.
    random_state : int, Generator, RandomState or None, default 0
        For the parts of the triplets.
    verbose : bool or int, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        The cluster of each sample, in the order of their first samples. See Notes for clusters from class labels.
    n_clusters_ : int
        Number of flat clusters.
    n_clusters_choice_ : NumberOfClusters or None
        If ``n_clusters=None`` left the choice to the samples and triplets: the numbers compared, the evidence for
        each, and the ``reason`` in words.
    hierarchy_ : Hierarchy
        Over the labels of the samples (the index of a pandas DataFrame, else 0..n-1). Inner nodes are in the order of
        heights. Clades of the plain linkage have its heights, and heights never fall towards the root.
    clade_names_ : CladeMatches or None
        The node of ``hierarchy_`` for each named clade of the given `hierarchy`, and its Jaccard index. Inner nodes
        of ``hierarchy_`` have their names. None without such names.
    linkage_ : ndarray of float64, shape (n_samples - 1, 4)
        scipy's linkage matrix, for drawing.
    children_, distances_ : ndarray of int, shape (n_samples - 1, 2), ndarray of float64, shape (n_samples - 1,)
        The two nodes of each merge, and its height, as in scikit-learn's AgglomerativeClustering.
    constraints_, reason_ : {"hard", "soft", "mixed"}, str
        The kind of constraints used, and the reason in words. "mixed" if some kinds had to hold and others were votes.
    held_out_ : float or None
        Share of triplets that trees made without them display. None without triplets.
    noise_ : float
        The share of wrong triplets that was assumed among votes. 0 if all are hard.
    triplets_, n_triplets_ : TripletSet, int
        The triplets that were used, also from pairs, classes, a hierarchy and comparisons, and their number.
    pairs_ : PairwiseConstraints
        The must-links and cannot-links that were used.
    clade_support_ : ndarray of float64, shape (n_samples - 1,), or None
        How sure the clade of each inner node of ``hierarchy_`` is: the share of the sampled trees that have it, as if
        one more of ``effective_trees_`` did not. Clades that hard triplets imply have 1. None if no trees were sampled
        (see `triplet_probability`). ``write_newick(hierarchy_, support=clade_support_)`` writes it. It presumes that
        features follow the model, see Notes.
    effective_trees_ : float or None
        How many independent trees the sample is worth, by how far its two chains differ. If they are few, give a
        greater `effort`. None if no trees were sampled.
    feature_weight_ : float or None
        How much the features count in the sampled trees: the geometric mean of the factors on the exponent of their
        likelihood. Triplets choose among 0.03, 0.1, 0.3, 1 and 4, each by the belief without it, and as many random
        ones of a hierarchy as it has leaves. Low if features say little of the hierarchy that is spoken of, or if
        statements name wrong samples. 1 if only pairs are given. None if no trees were sampled.
    mixing_ : Mixing or None
        How far the two chains agree: R-hat and effective sample size of triplets (`tripletree.cluster.Mixing`). There
        is no warning, see Notes. None if no trees were sampled.
    sampled_trees_ : tuple of Hierarchy, or None
        The trees of the sample, a hundred or somewhat fewer. With hard constraints ``hierarchy_`` is the mean of other
        ones, and these are drawn when probabilities are first asked for, which takes three times as long as the fit.
        `tripletree.algorithms.consensus_tree` makes one tree of the clades that most of them have, or all. None if no
        trees were sampled.
    violated_triplets_, weight_violated_ : TripletSet, float
        The used triplets that ``hierarchy_`` does not display, and their weight. Empty, and 0, if they are hard.
    satisfied_in_labels_ : ndarray of bool, shape (n_triplets_,)
        Which of ``triplets_`` the flat clusters satisfy, each read by itself (`tripletree.satisfies`). If constraints
        are hard and no pairs are given, the clusters keep all of them and all triplets that they imply
        (`tripletree.algorithms.are_compatible`): for a hierarchy, all its triplets.
    name_agreement_ : NameAgreement or None
        How well the features agree with the knowledge, and with exchanged names (`tripletree.cluster.NameAgreement`).
        None below 30 names, or 100 triplets, comparisons or must-links, or if a few samples are in most of them.
    validation_ : ValidationReport or None
        After ``fit(..., validate=True)``: whether knowing some samples helps to place others. Else None.
    predictor_ : object
        The data that `predict` needs, and nothing else.
    n_leaves_, n_features_in_ : int
        Number of samples and of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if X has them.

    See Also
    --------
    ReCon : greedy agglomeration, its hierarchy exactly the paper's, for complete knowledge.
    tripletree.cut : other flat clusters from ``hierarchy_``.

    Notes
    -----
    Hard constraints need no test on the way: clades are split only between components of the Aho graph, and both sides
    of such a split stay consistent (``docs/algorithms.md``, "Divisions that keep all triplets").

    Probabilities are those of the model, with features that count as the statements say (``feature_weight_``). On eight
    real and simulated tables that had no part in choosing it, n soft triplets, a tenth wrong or none: triplets said
    .9 or more were true in .98, and the few such clades agreed with the hierarchy. With hard triplets, or a hierarchy
    of half of the names, triplets said .9 or more were true in .99. Clades said so are few, and of 17 only 12 agreed
    with the truth: samples of different groups that are nearly the same by their features stand together at any
    weight. On 21 kinds of data a hierarchy of half of the names made the tree of the others better by .111(18) of its
    triplets, and by -.03 at worst. That of a quarter: .097(16), -.15. Names of one clade only: .014(15), -.18, and no
    warning tells. Hidden statements tell how well the tree is known (``held_out_``, ``validate=True``).

    With n soft triplets the two chains disagree on real tables (R-hat above 1.1) on a sixth of the triplets that they
    leave open (``mixing_.disagreeing``), with hard ones on a quarter. There is no warning, and probabilities are
    lowered. A greater `effort` lets chains agree better.

    Statements that agree with each other are believed, also if features do not agree with them. If triplets stand at
    wrong names, this harms the tree. A warning tells of it from 100 triplets, comparisons or must-links on, or with a
    hierarchy or classes of 30 names (``name_agreement_``). On ten kinds of data it came in at least .95 of the fits
    with all names exchanged, in .15 to .5 with half of them, in .02 to .14 with a quarter, and in .03 at most with
    right names.

    Beyond 2,000 samples no trees are sampled. Distances are changed between 2,000 clades of the plain tree, and the
    samples are divided. If all must hold and no trees are sampled, the samples are also merged from the leaves, as in
    `ReCon`. Both are done without a fifth of the triplets, and the way that displays more of these makes the tree.

    The order of rows does not matter. Samples are first sorted by their values, or with precomputed distances by their
    distances to the others, from the shortest on. Samples that are equal in this keep the order of their rows, which
    can matter if the statements on them, or their other distances, differ. The parts that ``validate=True`` hides are
    dealt in the order of the given statements.

    A comparison of a with b, the nearer one, and c rules out ac|b alone. It votes for ab|c. If bc|a is true, a is as
    far from both, and answers are a matter of chance: those for ab|c and for ac|b cancel out, while comparisons of b
    and c with the others vote for bc|a. So many votes are wrong even if all answers are right (see `noise_`).

    Soft pairs, and soft triplets that look like those of flat classes (a and b of one class, c of another), are votes
    on the flat clusters, and ``labels_`` is then not a cut of the hierarchy. Normal distributions of one shape are
    fitted to the samples, and belief propagation [2]_ weighs features and statements. The shares of wrong statements
    are estimated. Clusters begin at a cut of the plain tree, moved to the nearest means. They stay if held-out
    statements speak for no others, so a few pairs may change nothing. Such triplets, and those of all levels of a
    hierarchy, cut the tree, if trees made without them display more of them than by chance. A sample that only is the
    third of triplets, and too often for chance, is alone in its group. It may join any group as a whole. A hierarchy of
    one level, and hard triplets like it, vote too, and their clusters are taken if they keep all triplets.

    Otherwise clusters of the plain tree are tried beside the cut. Single samples are moved until the clusters are
    compatible with all triplets that ``hierarchy_`` displays. Such clusters are ``labels_``, and no cut, if they fit
    the samples better: by .15 in the logarithm of the share of squared distances within clusters, or by twice the share
    of samples that moved. More than 200 clusters are always cut, and so are precomputed distances of more than 2,000
    samples.

    If only classes are known, at least two and no more than clusters, ``labels_`` is not a cut of the hierarchy. A
    mixture of normal distributions of one shape, begun at the means of the classes, is fitted to all samples. Known
    classes, and with less weight the classes of the mixture, then spread to neighbours in the metric of that shape
    [1]_. The share of a classifier in the estimate is the one at which held-out labels, a fifth at a time, are most
    probable, drawn towards a third. A classifier costs five more fits of both. With precomputed distances the class of
    least mean distance takes the place of the mixture, and with more clusters than classes ``labels_`` is a cut.

    References
    ----------
    .. [1] Zhou, Bousquet, Lal, Weston, Schölkopf (2003), Learning with local and global consistency, NIPS 16, 321-328.
    .. [2] Kschischang, Frey, Loeliger (2001), Factor Graphs and the Sum-Product Algorithm, IEEE Transactions on
       Information Theory 47, 498-519.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> DivisiveReCon(n_clusters=2).fit_predict(X).tolist()
    [0, 0, 1, 1]
    >>> model = DivisiveReCon(n_clusters=2, constraints="hard").fit(X, triplets=[(1, 2, 0), (1, 2, 3)])
    >>> tt.displays(model.hierarchy_, model.triplets_).tolist()
    [True, True]
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "distance_threshold": [Interval(Real, 0, None, closed="left"), None],
        "constraints": [StrOptions({"auto", "hard", "soft"})],
        "noise": [Interval(Real, 0, 2 / 3, closed="neither"), None],
        "effort": [Interval(Real, 0, None, closed="left")],
        "classifier": [HasMethods(["fit", "predict_proba"]), None],
        "metric": [StrOptions({*METRICS, *WITH_MISSING, "precomputed"})],
        "on_infeasible": [StrOptions({"raise", "more", "violate"})],
        "missing_samples": [StrOptions({"raise", "ignore"})],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    _weighs = frozenset(KINDS)

    labels_: np.ndarray
    hierarchy_: Hierarchy
    n_clusters_choice_: NumberOfClusters | None
    _drawn: TreeSample | Callable[..., TreeSample] | None

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        constraints: str = "auto",
        noise: float | None = None,
        effort: float = 1.0,
        classifier: Any = None,
        metric: str = "euclidean",
        distance_threshold: float | None = None,
        on_infeasible: str = "raise",
        missing_samples: str = "raise",
        random_state: Any = 0,
        verbose: bool | int = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance_threshold = distance_threshold
        self.constraints = constraints
        self.noise = noise
        self.effort = effort
        self.classifier = classifier
        self.metric = metric
        self.on_infeasible = on_infeasible
        self.missing_samples = missing_samples
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        triplets: Any = None,
        comparisons: Any = None,
        pairs: Any = None,
        hierarchy: Any = None,
        classes: Any = None,
        knowledge: Knowledge | None = None,
        missing: Any = None,
        sample_names: Any = None,
        validate: bool = False,
    ) -> DivisiveReCon:
        """Cluster the samples by their features and by the statements on them.

        Parameters
        ----------
        X : array_like or DataFrame, shape (n_samples, n_features) or (n_samples, n_samples)
            The samples, or their distances if ``metric="precomputed"``. Columns may hold text with ``metric="gower"``.
        y : None
            Ignored. Class labels are given as `classes`.
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3), optional
            Triplets ab|c on some of the samples. Labels come from the index if X is a pandas DataFrame, and are else
            row numbers. An integer array always holds row numbers.
        comparisons : Comparisons, iterable of (anchor, near, far), data frame, or ndarray of int (m, 3), optional
            "The anchor is more like the near one than like the far one", as `read_comparisons` gives it. Each is a vote
            for the triplet of which it is one half, and soft: see Notes of the class.
        pairs : PairwiseConstraints, data frame, or two lists (must_link, cannot_link) of (a, b), optional
            Pairs of samples that belong together, and that do not.
        hierarchy : Hierarchy, tree of another library, or file or data frame with one, optional
            Gives the triplets that `decompose` makes of it on the leaves that are samples. Other leaves are ignored.
        classes : array_like, mapping or pandas Series, optional
            The class of some samples: None, NaN, -1, "" or a word such as "NA" or "unknown" if it is not known. A
            mapping or Series may leave samples out.
        knowledge : Knowledge, optional
            All of this as one value. What else is given is added to it.
        missing : value or collection of values, optional
            The values in `classes` that mark samples without one instead: ``missing=[]`` makes -1 a class. None and NaN
            always do.
        sample_names : sequence, shape (n_samples,), optional
            The names of the rows, for an X without an index. Cross-validation cuts them as it does X.
        validate : bool
            Whether to hide the statements on a fifth of the samples at a time, and compare them with results with and
            without the rest: six further fits, and five if knowledge turns out to hurt.

        Returns
        -------
        DivisiveReCon
            Itself. A fit that fails or is interrupted leaves it as it was.

        Raises
        ------
        InconsistentTripletsError
            If constraints are "hard" and no hierarchy displays all triplets, or none that has must-linked groups as
            clades. ``.conflict`` holds the reason.
        InconsistentPairsError
            If constraints are "hard", and must-links put samples together which a cannot-link keeps apart.
        InfeasibleClusteringError
            If no `n_clusters` clusters that keep all hard pairs were found (see `on_infeasible`).

        Warns
        -----
        UserWarning
            If no flat clusters are found that keep all hard constraints, and as `on_infeasible` says. If statements
            contradict a hierarchy and are left out (see `constraints`). If nothing follows from classes. If the
            features agree with the knowledge hardly better than with its names exchanged (see ``name_agreement_``).
            With `validate`, if the knowledge makes results worse: the message names the better setting.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> DivisiveReCon(2, constraints="hard").fit(X, classes=["x", None, "y", "x"]).labels_.tolist()
        [0, 0, 1, 0]
        """
        given = {"triplets": triplets, "comparisons": comparisons, "pairs": pairs, "hierarchy": hierarchy}
        given |= {"classes": classes, "knowledge": knowledge, "missing": missing}
        return self._fit(X, y, sample_names=sample_names, given=given, validate=validate)

    def _take(self, X: Any) -> tuple[Any, MixedColumns | None]:
        return check_measured(self, X, None, reset=True, sparse=False)

    def _cluster(self, data: Data, known: Knowledge, *, validate: bool) -> None:
        rng = generator(self.random_state)
        n, is_matrix = data.n, self.metric not in _OF_FEATURES
        self._check_classifier(known)
        check_enough_samples(self.n_clusters, n)
        if self.n_clusters is not None and self.distance_threshold is not None:
            msg = f"n_clusters={self.n_clusters} and distance_threshold={self.distance_threshold} are both given"
            raise ValueError(f"{msg}: set one of them to None")
        samples, used_metric = self._clustered(data.given, data.samples, data.columns)
        # samples are sorted by values, so that the order of rows decides nothing. `place` is the new row of each
        order = _order_of_values(samples, is_matrix)
        place = np.argsort(order)
        points = np.ascontiguousarray(samples[np.ix_(order, order)] if is_matrix else samples[order])
        points = points if is_matrix else transformed(self.metric, points, points)
        if not is_matrix:
            check_squares(points)
        aligned, hard = known.reindex(known.leaves.take(order)), self._hard_kinds(known)
        must, votes = aligned.only(*hard), aligned.only(*(x for x in KINDS if x not in hard)).with_votes()
        n_left_out = 0
        if hard and self.constraints == "auto":
            must, n_left_out = beside_hierarchy(must, rng)
        with must.naming_classes():
            forced = make_statements(must, True, rng) if hard else None
            if forced is not None:
                stated = None if forced.codes is None else must.pairs
                check_consistent(combine_constraints(forced.triplets, forced.pairs), stated)
                if forced.codes is None and not len(forced.pairs):
                    forced = replace(forced, weight=weight_by_clade(forced.rows, aligned.leaves))
            given = forced if forced is not None and not votes.kinds else make_statements(votes, False, rng)
            given = given if forced is None or forced is given else forced | given
        codes = given.codes
        if codes is not None and np.unique(codes[codes >= 0]).size < 2 and not len(given.pairs):
            warn_of_silent_classes(codes, "samples of two classes")
        binding = PairwiseConstraints([], [], aligned.leaves) if forced is None else forced.pairs
        # what flat clusters have to keep, or all that votes
        kept = given.triplets if forced is None or not len(forced.triplets) else forced.triplets
        closure = binding.closure()
        ties = "hard classes" if codes is not None else "must-links"
        ties = "must-links and hard classes" if codes is not None and known.pairs.n_must else ties
        check_enough_groups(self.n_clusters, closure, ties)
        merges, plain = self._merges(points, is_matrix, given, closure, bool(hard), rng)
        if hard and votes.kinds:
            self.constraints_ = "mixed"
            self.reason_ = (
                f"{' and '.join(must.kinds)} must hold, {' and '.join(x for x in known.kinds if x not in hard)} vote"
            )
        if n_left_out:
            self.reason_ += f"; {counted(n_left_out, 'other statement')} left out"
        only_classes = set(known.kinds) <= {"classes", "pairs"}
        codes = given.codes if only_classes else None
        tree, most = from_linkage(merges, aligned.leaves), closure.n_components
        labels = self._flat_clusters(tree, points, is_matrix, kept, codes, most, "classes" in hard, rng)
        if len(binding):
            with must.naming_classes():
                labels = self._keep_pairs(labels, tree, points, is_matrix, kept, closure)
        elif (codes is None or len(given.pairs)) and self.distance_threshold is None:
            n_told = len(given.rows) - given.n_of_pairs
            shown = self.held_out_ if n_told and not hard else None  # hard triplets are not doubted
            start = from_linkage(plain, aligned.leaves)
            with progress_bar(
                self.verbose and len(given.votes), None, f"{type(self).__name__}, flat clusters", "models"
            ) as tell:
                found = by_votes(labels, start, points, is_matrix, given.votes, shown, n_told, rng, tell)
            if found is not None and forced is not None and not fit_together(found, forced.rows):
                found = labels
            if found is None and n_told and not given.n_of_pairs:
                held = kept.subset(displays(tree, kept))
                found = from_plain_tree(labels, start, points, is_matrix, held)
            labels = labels if found is None else found
        # back in the order of rows
        merges[:, :2] = np.append(order, np.arange(n, 2 * n - 1))[merges[:, :2].astype(np.int64)]
        tree, used = from_linkage(merges, known.leaves), given.triplets.reindex(known.leaves)
        violated = used.subset(~displays(tree, used))
        labels = in_order_of_first(labels[place])
        self._store_tree(tree, merges, to_linkage(tree, monotone=True), labels, known, used, violated)
        self.pairs_ = given.pairs.reindex(known.leaves)
        self._forced = None if forced is None else forced.triplets.reindex(known.leaves)
        measured = data.samples if is_matrix else points[place]
        self.predictor_ = NeighbourPredictor(data.samples, measured, labels, self.metric, used_metric)
        self._place = place
        self._support: np.ndarray | None = None
        self._mixing: Mixing | None = None
        compared = FittedMetric("precomputed" if is_matrix else "euclidean")
        self.name_agreement_ = name_agreement(points, compared, aligned)
        if not validate:  # whose warning says more
            warn_of_names(self.name_agreement_)
        self.validation_ = self._validated(data.given, known, rng, data.sample_names) if validate else None

    @property
    def _sample(self) -> TreeSample | None:
        """The sample of trees. Beside hard triplets it is drawn when first asked for: many fits only make a tree."""
        check_is_fitted(self)
        if callable(self._drawn):
            with progress_bar(self.verbose, 100, type(self).__name__, "steps") as bar:
                self._drawn = self._drawn(tell=bar)
        return None if self._drawn is None else replace(self._drawn, leaf=self._place)

    @property
    def clade_support_(self) -> np.ndarray | None:
        """How sure the clade of each inner node is. Counted when first asked for."""
        check_is_fitted(self)
        if self._support is None and self._sample is not None:
            share = clade_support(self.hierarchy_, self._sample.hierarchies(self.hierarchy_.leaves))
            must = np.zeros(share.size, bool)
            if self._forced is not None:
                must = clade_support(self.hierarchy_, [one_tree(self._forced)]) > 0
            must[-1] = True  # the root
            self._support = self._widened(share, 0.0, must)
        return self._support

    def _widened(self, share: np.ndarray, guess: float, must: np.ndarray) -> np.ndarray:
        """Shares of the trees as if one more of the effective ones had the `guess`. Those that `must` hold stay."""
        effective = self.effective_trees_ or 1.0
        return np.where(must, share, (effective * share + guess) / (effective + 1))

    @property
    def sampled_trees_(self) -> tuple[Hierarchy, ...] | None:
        """The trees of the sample, over the labels of the samples."""
        check_is_fitted(self)
        return None if self._sample is None else tuple(self._sample.hierarchies(self.hierarchy_.leaves))

    @property
    def feature_weight_(self) -> float | None:
        """How much the features count: the geometric mean of the factors on their exponent."""
        check_is_fitted(self)
        return None if self._sample is None else float(np.exp(np.log(self._sample.power).mean()))

    @property
    def effective_trees_(self) -> float | None:
        """How many independent trees the sample is worth."""
        return None if self.mixing_ is None else self.mixing_.effective_trees

    @property
    def mixing_(self) -> Mixing | None:
        """How far the two chains of the sample agree. Counted when first asked for."""
        check_is_fitted(self)
        if self._mixing is None and self._sample is not None:
            self._mixing = self._sample.mixing()
        return self._mixing

    def triplet_probability(self, triplets: Any) -> np.ndarray:
        """Tell how probable triplets are, given the data and the statements.

        Parameters
        ----------
        triplets : TripletSet, iterable of (a, b, c), or ndarray of int, shape (m, 3)
            Triplets ab|c on samples of the fit, by the labels that `fit` took: of the index of X, else row numbers.

        Returns
        -------
        ndarray of float64, shape (m,)
            The share of the sampled trees that display each triplet, as if one more of ``effective_trees_`` had each of
            ab|c, ac|b and bc|a to a third. It sums to 1 for these three, and is 0 or 1 where hard triplets leave no
            choice. Trees of a chain are alike: another ``random_state`` moved a twentieth of the triplets of real
            tables by more than .2, and more where ``effective_trees_`` are few. A greater `effort` makes it steadier.

        Raises
        ------
        ValueError
            If no trees were sampled: nothing was known, or only classes or pairs that must hold, X holds distances, or
            more than 2,000 samples, or ``effort=0``.

        Examples
        --------
        >>> X = [[0.0], [1.0], [5.0], [6.5]]
        >>> model = DivisiveReCon(2).fit(X, triplets=[(0, 1, 2), (2, 3, 0)])
        >>> share = model.triplet_probability([(0, 1, 3), (0, 3, 1), (1, 3, 0)])
        >>> int(share.argmax()), round(float(share.sum()), 6)
        (0, 1.0)
        """
        check_is_fitted(self)
        if self._sample is None:
            msg = (
                "no trees were sampled: give triplets or a hierarchy to fit, 2,000 samples at most, with features "
                "rather than distances, and effort above 0"
            )
            raise ValueError(msg)
        leaves = self.hierarchy_.leaves
        if isinstance(triplets, TripletSet):
            rows = rows_over(triplets, leaves)
        elif isinstance(triplets, np.ndarray) and triplets.dtype.kind in "iu":
            rows = triplets
            TripletSet(rows, len(leaves))  # checks it
        else:
            entries = [check_label_triple(row, k) for k, row in enumerate(check_entries(triplets, "triplets"))]
            flat = leaves.indices([x for row in entries for x in row], what="triplets' leaves")
            rows = np.array(flat, np.int32).reshape(-1, 3)
        must = np.zeros(len(rows), bool)
        if self._forced is not None:
            implied = one_tree(self._forced)
            for order in ([0, 1, 2], [0, 2, 1], [1, 2, 0]):
                must |= displayed(implied, np.ascontiguousarray(rows[:, order], np.int32))
        return self._widened(self._sample.probability(rows), 1 / 3, must)

    def _clustered(self, X: Any, samples: np.ndarray, columns: MixedColumns | None) -> tuple[np.ndarray, FittedMetric]:
        """The samples, or the distances of all pairs, and how their distances to new ones are taken."""
        if self.metric == "precomputed":
            return as_distance_matrix(samples, X), FittedMetric("precomputed")
        if self.metric in _OF_FEATURES:
            return samples, FittedMetric("euclidean")
        from scipy.spatial.distance import squareform

        metric = FittedMetric(self.metric, metric_parameters(samples, self.metric, columns))
        return squareform(condensed_distances(samples, self.metric, metric.parameters), checks=False), metric

    def _merges(
        self,
        points: np.ndarray,
        is_matrix: bool,
        given: AllStatements,
        closure: PairClosure,
        hard: bool,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The linkage of the tree that follows from the statements, and the plain one."""
        n = len(points)
        linkage, metric = ("average", "precomputed") if is_matrix else ("ward", "euclidean")
        tied = closure.n_components < n or len(closure.cannot) > 0
        can_sample = 2 < n <= ITEMS_MAX and len(given.rows) > 0 and not (is_matrix or tied or given.codes is not None)
        effort = float(self.effort) if can_sample else 0.0
        # chains begin at an undivided tree if triplets are few; those of classes name a few samples over and over
        few = given.weight.sum() < np.unique(given.rows).size
        divide = hard or not ((effort > 0 and few) or given.codes is not None)
        total = n - 1 + min(FOLDS, len(given.rows)) + 100 * (effort > 0)
        with progress_bar(self.verbose, total, type(self).__name__, "steps") as tell:
            merges = self._plain_merges(points, linkage, metric, rng, tell)
            self.constraints_, self.reason_, self.held_out_ = "soft", "nothing is known", None
            self._drawn = None
            self.noise_ = NOISE if self.noise is None else float(self.noise)
            if not len(given.triplets) and not len(given.pairs):
                return merges, merges
            group = closure.first[closure.component].astype(np.int32)
            cannot = closure.first[closure.cannot].astype(np.int32)
            known = TreeStatements(given.rows, given.weight, given.must, cannot, group, self.noise_, given.deciding)
            seen = points if given.codes is None or is_matrix else whitened(points, given.codes)

            def agglomerate(rows: np.ndarray) -> np.ndarray:
                plan = MergePlan(combine_constraints(TripletSet(rows, n), PairwiseConstraints([], [], n)))
                least = linkage if is_matrix else "centroid"  # under Ward's, triplets of small clusters cost much
                return parents_of(merge_samples(seen, plan, least, FittedMetric(metric))[0][:, :2].astype(np.int32))

            estimate = self.noise is None
            found = choose_tree(
                seen, is_matrix, merges, known, hard, divide, estimate, effort, rng, tell, None if tied else agglomerate
            )
        self.constraints_ = "hard" if hard else "soft"
        self.reason_ = "as asked for"
        if self.constraints == "auto":
            self.reason_ = "a hierarchy is given" if hard else "some triplets may be wrong"
        self.held_out_, self.noise_, self._drawn = found.held_out, found.noise, found.sample
        return linkage_of(found.parent, points, is_matrix), merges

    def _plain_merges(
        self, points: np.ndarray, linkage: str, metric: str, rng: np.random.Generator, tell: Callable[[int], Any]
    ) -> np.ndarray:
        """The linkage without statements. It is kept, as fits to the same samples follow each other in validation."""
        n = len(points)
        nothing = TripletSet([], n), PairwiseConstraints([], [], n)
        plan = plan_merges(*nothing, linkage=linkage, micro_clusters="auto")
        key = blake2b(np.ascontiguousarray(points).data).digest(), points.shape, metric
        kept = getattr(self, "_plain", None)
        if kept is not None and kept[0] == key:
            tell(n - 1)
            return kept[1].copy()
        merges, _ = merge_samples(points, plan, linkage, FittedMetric(metric), random_state=rng, progress=tell)
        if plan.n_micro_clusters is None:  # micro-clusters are drawn at random, anew in each fit
            self._plain = key, merges.copy()
        return merges

    def _flat_clusters(
        self,
        tree: Hierarchy,
        points: np.ndarray,
        is_matrix: bool,
        used: TripletSet,
        codes: np.ndarray | None,
        most: int,
        fixed: bool,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """At most `most` clusters cut out of the tree, or spread from classes (maybe `fixed`) if no more is known."""
        k, self.n_clusters_choice_ = self.n_clusters, None
        if self.distance_threshold is not None:
            return cut_at_threshold(tree, to_linkage(tree, monotone=True)[:, 2], self.distance_threshold)
        n_classes = 0 if codes is None else np.unique(codes[codes >= 0]).size
        if k is None and n_classes > 1:
            k = n_classes
        elif k is None and is_matrix:
            k = widest_gap(to_linkage(tree, monotone=True)[:, 2], tree, used)
        elif k is None:
            self.n_clusters_choice_ = suggest_n_clusters(tree, points, triplets=used)
            k = self.n_clusters_choice_.n_clusters
        k = min(k, most)
        labels = None
        if codes is not None:
            labels = propagated(points, is_matrix, codes, k, fixed=fixed, classifier=self.classifier, rng=rng)
        if labels is not None:
            return labels
        # triplets of classes name the few labelled samples over and over: they would outweigh all other samples
        rule = "auto" if codes is None else "size"
        return cut(tree, k, rule=rule, triplets=used, samples=None if is_matrix else points)

    def _validated(
        self, X: Any, given: Knowledge, rng: np.random.Generator, sample_names: Any
    ) -> ValidationReport | None:
        """How the setting that was used, hard or soft, compares with no knowledge, and with the other if need be."""
        used = self.constraints if self.constraints_ == "mixed" else self.constraints_
        other = "hard" if used == "soft" else "soft"
        # "auto" that is hard leaves out statements that contradict a hierarchy
        is_auto = self.constraints == "auto" and self.constraints_ != "soft"
        fitted = alike(self) if is_auto else alike(self, constraints=used)
        others = {f"constraints={other!r}": for_its_tree(alike(self, constraints=other), given)}
        if {*given.kinds} <= given.soft | {"comparisons"}:  # votes never all hold
            others = {}
        fitted = for_its_tree(fitted, given)
        return compare_settings(f"constraints={used!r}", fitted, X, given, others, rng, sample_names=sample_names)

    def _hard_kinds(self, known: Knowledge) -> frozenset[str]:
        """The kinds that must hold. None if nothing but votes is said."""
        is_soft = "hierarchy" in known.soft or known.hierarchy is None
        if self.constraints == "soft" or (self.constraints == "auto" and is_soft):
            return frozenset()
        hard = frozenset(KINDS) - known.soft - {"comparisons"}
        return hard if hard & {*known.kinds} or not known.kinds else frozenset()

    def _check_classifier(self, known: Knowledge) -> None:
        """Refuse settings that a classifier cannot take part in."""
        if self.classifier is None:
            return
        given = ", ".join(kind for kind in known.kinds if kind != "classes")
        if self.metric not in _OF_FEATURES or given:
            what = f"{given} given, too" if given else f"metric={self.metric!r} leaves it no features"
            msg = f"classifier= needs classes of samples as the only knowledge, but {what}: leave it out"
            raise ValueError(msg)

    def _keep_pairs(
        self,
        labels: np.ndarray,
        tree: Hierarchy,
        points: np.ndarray,
        is_matrix: bool,
        used: TripletSet,
        closure: PairClosure,
    ) -> np.ndarray:
        """The nearest clusters that keep all pairs and triplets. They may be more if their number is open.

        If none of the requested number keep the pairs, `on_infeasible` tells how to proceed. If some do, but none the
        triplets too, pairs come first if everything is hard, else the hierarchy does.
        """
        k = more = int(labels.max()) + 1
        is_open, fits = self.n_clusters is None, nearest_feasible(labels, closure, points, are_distances=is_matrix)
        near = fits
        while more < closure.n_components and (fits is None or (is_open and not fit_together(fits, used.rows))):
            more = min(max(more + 1, more * 11 // 10), closure.n_components)  # the groups themselves keep all
            others = cut(tree, more, triplets=used, samples=None if is_matrix else points)
            fits = nearest_feasible(others, closure, points, are_distances=is_matrix)
        if near is None and not is_open:
            msg = f"the fewest flat clusters near those of the tree that were found to keep all pairs are {more}"
            if self.on_infeasible == "raise":
                raise infeasible(msg, k, closure, more)
            if self.on_infeasible == "violate":
                pairs = closure.first[closure.cannot]
                violated = int((labels[pairs[:, 0]] == labels[pairs[:, 1]]).sum())
                warn_user(f"{msg}: n_clusters={k} violate {violated} of {len(pairs)} cannot-links between groups")
                return labels
            warn_user(f"{msg}: these are returned, not n_clusters={k}")
        if near is None or is_open:
            near, k = fits, more
        cure = f"Ask for more than {k}, or give fewer cannot-links"
        if near is None:  # too large to search
            warn_user(
                f"n_clusters={k}: no flat clusters were found that keep all pairs: labels_ violate some of them "
                f"(violated_pairs tells which). {cure}"
            )
            return labels
        if fit_together(near, used.rows):
            return near
        found_none = f"no {k} flat clusters were found"
        if self.constraints == "auto":
            warn_user(
                f"{found_none} that keep both the hierarchy given and all pairs: labels_ keep the hierarchy, "
                f"and violate some of the pairs (violated_pairs tells which). {cure}"
            )
            return labels
        warn_user(
            f"{found_none} that keep both all pairs and all triplets: labels_ keep the pairs, and break some of "
            f"the triplets, or some that these imply (satisfied_in_labels_ tells about each of triplets_). {cure}"
        )
        return near

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.allow_nan = self.metric in WITH_MISSING
        return tags


def for_its_tree(model: DivisiveReCon, known: Knowledge) -> DivisiveReCon:
    """The estimator for fits that are compared with what is known. It makes no flat clusters in vain.

    Trees do not depend on flat clusters. These are compared with pairs, and have to keep hard classes. A number that
    `fit` refuses stays.
    """
    needed = "pairs" in known.kinds or ("classes" in known.kinds and "classes" in model._hard_kinds(known))
    k = model.n_clusters
    is_number = isinstance(k, Integral) and 1 <= k <= len(known.leaves)
    if needed or model.distance_threshold is not None or not (k is None or is_number):
        return model
    return alike(model, n_clusters=1)


def _order_of_values(samples: np.ndarray, is_matrix: bool) -> np.ndarray:
    """The samples in the order of their values. Rows of a matrix are compared by their distances, the shortest first.

    Equal ones keep the order of their rows.
    """
    rows = np.sort(samples, axis=1) if is_matrix else samples
    width, tied = 0, True
    while tied and width < rows.shape[1]:  # as many columns as it takes
        width = 4 * width + 2
        order = np.lexsort(rows[:, :width].T[::-1])
        some = rows[order, :width]
        tied = bool((some[1:] == some[:-1]).all(axis=1).any())
    return order
