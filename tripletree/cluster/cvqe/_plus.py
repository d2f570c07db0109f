"""CVQE+ on arrays, with a historical cost: what estimators of data that change with time build on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree._kernels import freeze
from tripletree.cluster._lloyd import Points, checked_weights, tolerance
from tripletree.cluster._soft_pairs import Links
from tripletree.cluster.cvqe._rounds import Past, quantize
from tripletree.cluster.cvqe._rules import Joint, Task

__all__ = ["Quantization", "cvqe_plus"]


class Quantization(NamedTuple):
    """What `cvqe_plus` finds.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
    centers : ndarray of float64, shape (k, d)
    cost : float
        The objective, the historical cost included.
    n_iter : int
    """

    labels: np.ndarray
    centers: np.ndarray
    cost: float
    n_iter: int


def cvqe_plus(
    X: Any,
    must: Any,
    cannot: Any,
    must_w: Any,
    cannot_w: Any,
    centers: Any,
    *,
    history: tuple[Any, float] | None = None,
    history_mass: Any = 1.0,
    sample_weight: Any = None,
    max_iter: int = 300,
    tol: float = 1e-4,
) -> Quantization:
    """CVQE+ from given centres, on arrays: see `CVQEPlus`.

    Parameters
    ----------
    X : array_like of float, shape (n, d)
    must, cannot : array_like of int, shapes (p, 2) and (q, 2)
        Rows of X. They are looked at in this order, must-links first.
    must_w, cannot_w : array_like of float >= 0, shapes (p,) and (q,), or None
        Weights of the pairs, None for ones.
    centers : array_like of float, shape (k, d)
        The start. Cluster i of the answer is the one that started at row i.
    history : (array_like of float of shape (k, d), float in [0, 1]), optional
        The earlier centre of each cluster, NaN for those that had none, and alpha, the share of the historical cost.
    history_mass : float >= 0 or array_like of float, shape (k,), default 1.0
        How many samples each earlier centre counts as, see Notes.
    sample_weight : array_like of float, shape (n,), optional
    max_iter : int, default 300
    tol : float, default 1e-4
        As in `CVQEPlus`.

    Returns
    -------
    Quantization
        (labels, centers, cost, n_iter). A cluster that lost all samples stays at its earlier centre where it has one,
        else it starts anew from the sample that costs most.

    Raises
    ------
    ValueError
        If shapes do not fit, alpha is not in [0, 1], or masses or weights are negative.

    Notes
    -----
    With the earlier centres p, of masses q, the objective is (Eqs. 7 to 9 of [1]_) ::

        (1 - alpha) * (sum_i s_i |x_i - m_l(i)|^2 + cost of violated pairs) + alpha * sum_g q_g |m_g - p_g|^2

    and each centre is updated to the weighted mean of what pulls it, p_g with the weight alpha q_g among it. With a
    mass of 1 the earlier centre counts as one more sample, which is next to nothing in large clusters; with the size of
    the earlier cluster, alpha is a share whatever the sizes. Time O(n k d + p k^2) for each iteration, p pairs.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Bailly, Pepin, Douzal Chouakria, Nguyen, Nguyen (2018), Evolutionary Active Constrained
       Clustering for Obstructive Sleep Apnea Analysis, Data Science and Engineering 3(4), 359-378.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> found = cvqe_plus(X, [], [(1, 2)], None, None, [[0.0], [6.0]])
    >>> found.labels.tolist(), found.centers.tolist()
    ([0, 0, 1, 1], [[0.5], [5.5]])
    >>> found = cvqe_plus(X, [], [], None, None, [[0.0], [6.0]], history=([[0.0], [4.0]], 0.5), history_mass=2)
    >>> found.centers.tolist()
    [[0.25], [4.75]]
    """
    samples = np.asarray(X, np.float64)
    start = np.array(centers, np.float64)
    if samples.ndim != 2 or start.ndim != 2 or samples.shape[1] != start.shape[1] or len(start) == 0:
        msg = f"centers must have shape (k, d) with the features of X, (n, d); got {start.shape} for {samples.shape}"
        raise ValueError(msg)
    links = _links(must, cannot, must_w, cannot_w, samples.shape[0])
    weights = checked_weights(samples, sample_weight)
    task = Task(Points.of(samples, weights), links, freeze(np.arange(links.strength.size, dtype=np.int32)))
    found = quantize(
        task,
        Joint(),
        start,
        max_iter=max_iter,
        tolerance=tolerance(samples, weights, tol),
        past=None if history is None else _past(history, history_mass, start.shape),
    )
    return Quantization(found.labels, found.scene.centres, found.cost, found.n_iter)


def _links(must: Any, cannot: Any, must_w: Any, cannot_w: Any, n: int) -> Links:
    rows, strength = [], []
    for what, given, weight in (("must", must, must_w), ("cannot", cannot, cannot_w)):
        pairs = np.asarray(given, np.int64).reshape(-1, 2)
        weights = np.ones(len(pairs)) if weight is None else np.asarray(weight, np.float64)
        if weights.shape != (len(pairs),) or not (weights >= 0).all() or not np.isfinite(weights).all():
            msg = f"{what}_w must hold {len(pairs)} finite weights >= 0, one for each pair"
            raise ValueError(msg)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= n or (pairs[:, 0] == pairs[:, 1]).any()):
            msg = f"{what} must hold pairs of two different rows of X, 0..{n - 1}"
            raise ValueError(msg)
        rows.append(pairs)
        strength.append(weights)
    return Links.of(rows[0], rows[1], np.concatenate(strength))


def _past(history: tuple[Any, float], history_mass: Any, shape: tuple[int, int]) -> Past:
    former, alpha = np.array(history[0], np.float64), float(history[1])
    if former.shape != shape or not 0 <= alpha <= 1:
        msg = (
            f"history must be (centres of shape {shape}, alpha in [0, 1]); got centres of shape {former.shape}, "
            f"alpha={alpha:g}"
        )
        raise ValueError(msg)
    mass = np.broadcast_to(np.asarray(history_mass, np.float64), shape[0]).copy()
    if not (mass >= 0).all():
        msg = "history_mass must not be negative"
        raise ValueError(msg)
    unknown = np.isnan(former).any(axis=1)
    former[unknown], mass[unknown] = 0.0, 0.0
    return Past(former, alpha, mass)
