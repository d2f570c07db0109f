"""The three methods as scikit-learn estimators."""

from __future__ import annotations

from typing import ClassVar

from tripletree.cluster.cvqe._estimator import ConstrainedQuantizer
from tripletree.cluster.cvqe._rules import Alone, Joint, Linear, Rule

__all__ = ["CVQE", "LCVQE", "CVQEPlus"]


class CVQE(ConstrainedQuantizer):
    """k-means with the constrained vector quantisation error, by Davidson and Ravi (SDM 2005).

    A violated must-link costs the squared distance between the centres of its two samples, a violated cannot-link that
    between the centre of its cluster and the nearest other one, each times the strength of the pair; a violated pair
    pulls a centre by as much. `CVQEPlus` takes more into account at the same expense.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    init : {"k-means++", "pairs"} or array_like of shape (n_clusters, n_features), default "k-means++"
        "pairs" starts every second time from the means of the samples that must-links hold together, as in `PCKMeans`.
        An array holds the starting centres: with those of an earlier fit, new pairs need few more iterations.
    n_init : int, default 10
        Number of starts; the one of least objective counts. Given centres are used once.
    max_iter : int, default 300
        Most iterations of a start.
    tol : float, default 1e-4
        A start ends when the squares of the shifts of all centres add up to less than this part of the mean variance of
        the features, or the objective has not fallen for 10 iterations.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, and for each the order in which pairs are looked at: must-links first.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
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
        What the violated pairs cost together.
    objective_ : float
        Both together, which is what is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    violation_costs_ : ndarray of float64
        What each of them costs, must-links first, in their order; 0 for pairs with samples of weight 0.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    CVQEPlus : looks at all pairs of a sample, and pulls both centres.
    LCVQE : a violated pair costs distances of samples, not of centres.

    Notes
    -----
    With labels l, centres m and strengths w, the objective is ([1]_, with strengths added) ::

        sum_i s_i |x_i - m_l(i)|^2  +  sum w_ij |m_l(i) - m_l(j)|^2  over must-links with l(i) != l(j)
                                    +  sum w_ij |m_l(i) - m_h|^2     over cannot-links with l(i) == l(j)

    where m_h is the centre nearest to m_l(i). Samples in no pair go to the nearest centre. For each pair all k^2
    combinations of clusters are tried, at the distances of its two samples and the cost of this pair alone: of several
    pairs of one sample the last one decides, so the answer depends on the order, which is drawn for each start. A
    violated must-link (i, j), i before j in X, pulls the centre of i to that of j; a violated cannot-link pulls its
    centre to the nearest other one; the centres move all at once.

    **The objective may rise**, as labels are chosen pair by pair and centres are pulled one way only: the best of all
    iterations counts. Violation is judged by the labels at the end of an iteration, not when a pair was looked at.
    Time O(n k d + p k^2) for each iteration, with p pairs, in most cases O(n k d + p k).

    A cluster that becomes empty starts anew from the sample that costs most.

    References
    ----------
    .. [1] Davidson, Ravi (2005), Clustering with Constraints: Feasibility Issues and the k-Means Algorithm, Proceedings
       of the 2005 SIAM International Conference on Data Mining, 138-149.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> model = CVQE(n_clusters=2, init=[[0.0], [6.0]]).fit(X, pairs=([(1, 2)], []))
    >>> model.labels_.tolist(), list(model.violated_pairs_)
    ([0, 0, 0, 1], [])
    """

    _rule: ClassVar[Rule] = Alone()


class LCVQE(ConstrainedQuantizer):
    """k-means in which a violated pair costs distances of its samples, by Pelleg and Baras (ECML 2007).

    A linear-time variant of `CVQE`, made for large and noisy sets of pairs: only pairs that are violated are looked at,
    and each has two or three ways out.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    init : {"k-means++", "pairs"} or array_like of shape (n_clusters, n_features), default "k-means++"
        "pairs" starts every second time from the means of the samples that must-links hold together, as in `PCKMeans`.
        An array holds the starting centres: with those of an earlier fit, new pairs need few more iterations.
    n_init : int, default 10
        Number of starts; the one of least objective counts. Given centres are used once.
    max_iter : int, default 300
        Most iterations of a start.
    tol : float, default 1e-4
        A start ends when the squares of the shifts of all centres add up to less than this part of the mean variance of
        the features, or the objective has not fallen for 10 iterations.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, and for each the order in which pairs are looked at: must-links first.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
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
        What the violated pairs cost together.
    objective_ : float
        Both together, which is what is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    violation_costs_ : ndarray of float64
        What each of them costs, must-links first, in their order; 0 for pairs with samples of weight 0.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    CVQE : the costs are distances between centres.
    CVQEPlus : looks at all pairs of a sample.

    Notes
    -----
    With labels l, centres m and strengths w, the objective is ([1]_, twice theirs, with strengths added) ::

        sum_i s_i |x_i - m_l(i)|^2
          +  1/2 sum w_ij (|x_i - m_l(j)|^2 + |x_j - m_l(i)|^2)   over must-links with l(i) != l(j)
          +      sum w_ij |x_r - m_r|^2                           over cannot-links with l(i) == l(j)

    where r is the one of i and j that is farther from the centre of their cluster (the first one in X where both are as
    far, to a part in 1e9 of their squared distances), and m_r the centre nearest to it but that one (of several the
    first). In each iteration all samples go to the nearest centre; then the samples of a violated must-link stay, or
    both go to the cluster of one of them, whichever costs least; and those of a violated cannot-link stay, or r goes to
    the cluster of m_r. (With strength 1 or more, moving never costs more: a cannot-link stays violated only where other
    pairs, looked at later, bring its samples together again.) A violated must-link pulls both centres to the other
    cluster's sample, with half its strength; a violated cannot-link pulls m_r to x_r.

    **The objective may rise**, as pairs are looked at one by one, and as the farther sample may become the nearer one:
    the best of all iterations counts. Violation is judged by the labels at the end of an iteration.
    Time O(n k d + p k) for each iteration, with p pairs.

    A cluster that becomes empty starts anew from the sample that costs most.

    References
    ----------
    .. [1] Pelleg, Baras (2007), K-means with Large and Noisy Constraint Sets, Machine Learning: ECML 2007, Lecture
       Notes in Computer Science 4701, 674-682.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> model = LCVQE(n_clusters=2, init=[[0.0], [6.0]]).fit(X, pairs=([], [(0, 1)]))
    >>> model.labels_.tolist(), list(model.violated_pairs_)
    ([0, 1, 1, 1], [])
    """

    _rule: ClassVar[Rule] = Linear()


class CVQEPlus(ConstrainedQuantizer):
    """k-means with the constrained vector quantisation error, all pairs considered, by Mai and others (2018).

    A violated must-link costs the squared distance between the centres of its two samples and pulls both to each other;
    a violated cannot-link costs that between the centre of its cluster and the nearest other one. Each pair gets the
    clusters in which its samples cost least with all pairs that they are in.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters, k.
    init : {"k-means++", "pairs"} or array_like of shape (n_clusters, n_features), default "k-means++"
        "pairs" starts every second time from the means of the samples that must-links hold together, as in `PCKMeans`.
        An array holds the starting centres: with those of an earlier fit, new pairs need few more iterations.
    n_init : int, default 10
        Number of starts; the one of least objective counts. Given centres are used once.
    max_iter : int, default 300
        Most iterations of a start.
    tol : float, default 1e-4
        A start ends when the squares of the shifts of all centres add up to less than this part of the mean variance of
        the features, or the objective has not fallen for 10 iterations.
    random_state : int, Generator, RandomState or None, default None
        Chooses starts, and for each the order in which pairs are looked at: must-links first.
    missing_samples : {"raise", "ignore"}, default "raise"
        "ignore" leaves out pairs on labels that are not in the index of X, as in cross-validation. Row numbers are
        never ignored, nor labels where the index of X is 0..n-1.
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
        What the violated pairs cost together.
    objective_ : float
        Both together, which is what is minimised.
    violated_pairs_ : PairwiseConstraints
        The pairs that `labels_` violates, with their strengths and origins.
    violation_costs_ : ndarray of float64
        What each of them costs, must-links first, in their order; 0 for pairs with samples of weight 0.
    n_iter_ : int
        Number of iterations of the best start.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, where X has them.

    See Also
    --------
    cvqe_plus : the same on arrays, with a historical cost for data that change with time.
    CVQE : looks at one pair at a time.
    PCKMeans : a violated pair costs the same everywhere.

    Notes
    -----
    The objective is that of `CVQE` (Eq. 1 of [1]_); a violated must-link counts once in it, not once for either of its
    clusters. Centres are updated by Eq. 2, all at once, from where they were::

        m_g = (sum of s_i x_i in g + sum of w_ij m_h over violated pairs) / (sum of s_i in g + sum of w_ij)

    where h is the other cluster of a must-link, on whichever side g is, and for a cannot-link within g the one of the
    nearest centre. Labels start from the nearest centres, later from those of the iteration before; the pairs are gone
    through once in an iteration, must-links first, and for each all k^2 combinations of clusters are tried, at the cost
    of all pairs of its two samples.

    So choosing labels never raises the objective, nor does Eq. 2 where only must-links are violated: it is then a
    Jacobi step on a quadratic form A with diagonal D for which 2 D - A is positive definite. **Violated cannot-links
    may raise it**, as they pull g to h but not h to g: the best of all iterations counts.

    Time O(n k d + p k^2) for each iteration, with p pairs, in most cases O(n k d + p k): a row of the k^2 combinations
    is passed over where it cannot be the best. A cluster that becomes empty starts anew from the sample that costs
    most.

    When new pairs come, ``CVQEPlus(init=model.cluster_centers_)`` goes on from where the last fit ended (section 3.2).

    References
    ----------
    .. [1] Mai, Amer-Yahia, Bailly, Pepin, Douzal Chouakria, Nguyen, Nguyen (2018), Evolutionary Active Constrained
       Clustering for Obstructive Sleep Apnea Analysis, Data Science and Engineering 3(4), 359-378.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> model = CVQEPlus(n_clusters=2, init=[[0.0], [6.0]]).fit(X, pairs=([(0, 1), (1, 2)], [(0, 2)]))
    >>> model.labels_.tolist(), list(model.violated_pairs_)
    ([0, 0, 1, 1], [(1, 2, 'must')])
    >>> again = CVQEPlus(n_clusters=2, init=model.cluster_centers_).fit(X, pairs=([(0, 1)], [(1, 2)]))
    >>> again.n_iter_, again.cluster_centers_.tolist()
    (1, [[0.5], [5.5]])
    """

    _rule: ClassVar[Rule] = Joint()
