"""Comparisons as other packages keep them: rows of three indices that are not triplets.

Three words are used for two things. A **triplet** ab|c, here and in phylogenetics, states that a and b are closer to
each other than *either* is to c: d(a, b) < d(a, c) and d(a, b) < d(b, c). A triplet of metric-learn and cblearn
is a **comparison**: one anchor, d(anchor, near) < d(anchor, far), and nothing about near and far. A triplet implies two
comparisons, which `TripletSet.to_comparisons` gives. One comparison implies no triplet: where the anchor is the
outlier, the answer is forced all the same, and the triplet made of it would be wrong. So no function here, or anywhere
in this package, makes triplets of comparisons. Only answers to "which of these three is the odd one?" are triplets, see
`triplets_from_odd_one_out`.

Comparisons are plain integer arrays of shape (m, 3), rows (anchor, near, far), as `TripletSet.to_comparisons` gives
them. Repeats and contradictions stay: they are people's answers.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.core.triplets import TripletSet, check_triplet_rows
from tripletree.errors import InvalidTripletError

_MOST = 2**31 - 1


def comparisons_from_cblearn(query: Any, response: Any = None) -> np.ndarray:
    """Take over comparisons from cblearn: a query list, with or without responses.

    Parameters
    ----------
    query : array_like of int, shape (m, 3)
        Rows (i, j, k). Without `response`, in cblearn's format "list-order": i is closer to j than to k.
    response : array_like of bool or int, shape (m,), optional
        True, or a positive number, where i is closer to j ("list-boolean", "list-count"). False, or a negative
        number, where it is closer to k. A number of 3 stands for three equal answers.

    Returns
    -------
    ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order given. These are comparisons, no triplets.

    Raises
    ------
    InvalidTripletError
        If a row is not three different indices, or a response is 0 (undecided) or missing. ``.row`` is its number.

    See Also
    --------
    to_cblearn : the reverse.
    tripletree.triplets_from_odd_one_out : answers that are triplets.

    Examples
    --------
    >>> comparisons_from_cblearn([(0, 1, 2), (0, 3, 4)], [True, False]).tolist()
    [[0, 1, 2], [0, 4, 3]]
    """
    if hasattr(query, "nnz"):
        msg = (
            "the query is a sparse array; ask cblearn for a list: "
            "cblearn.utils.check_query_response(query, result_format='list-order')"
        )
        raise TypeError(msg)
    rows = _comparison_rows(query, "query")
    if response is None:
        return rows
    answers = np.asarray(response)
    if answers.shape != (len(rows),):
        msg = f"response must have one entry for each of the {len(rows)} queries, not shape {answers.shape}"
        raise InvalidTripletError(msg)
    if answers.size == 0:
        return rows
    first = answers if answers.dtype == np.bool_ else _signs(answers)
    chosen = np.where(first[:, None], rows, rows[:, [0, 2, 1]])
    return chosen if answers.dtype == np.bool_ else np.repeat(chosen, np.abs(answers).astype(np.int64), axis=0)


def _signs(answers: np.ndarray) -> np.ndarray:
    """Tell whether each answer, a whole number other than 0, is positive."""
    if answers.dtype.kind not in "iuf":
        msg = f"response must be true and false, or whole numbers (1 and -1), not {answers.dtype}"
        raise InvalidTripletError(msg)
    bad = np.flatnonzero(~(np.isfinite(answers) & (answers == np.round(answers)) & (answers != 0)))
    if bad.size:
        k = int(bad[0])
        msg = f"response {k} is {answers[k]}, which is not a decision: leave such queries out ({bad.size} in all)"
        raise InvalidTripletError(msg, row=k)
    return answers > 0


def comparisons_from_metric_learn(tuples: Any) -> np.ndarray:
    """Take over comparisons from metric-learn: its triplets, or quadruplets that share a point.

    Parameters
    ----------
    tuples : array_like of int, shape (m, 3) or (m, 4)
        Rows (anchor, positive, negative), or rows (a, b, c, d) for d(a, b) < d(c, d), where the two pairs must share
        one point. Indices into X, as metric-learn takes them with a preprocessor.

    Returns
    -------
    ndarray of int32, shape (m, 3)
        Rows (anchor, near, far), in the order given. These are comparisons, no triplets.

    Raises
    ------
    InvalidTripletError
        If a row is not made of different indices, or the pairs of a quadruplet share no point. ``.row`` is its
        number. Points (an array of three dimensions) instead of indices are refused.

    See Also
    --------
    to_metric_learn : the reverse.

    Examples
    --------
    >>> comparisons_from_metric_learn([(0, 1, 2)]).tolist()
    [[0, 1, 2]]
    >>> comparisons_from_metric_learn([(1, 0, 2, 0)]).tolist()
    [[0, 1, 2]]
    """
    try:
        array = np.asarray(tuples)
    except ValueError:
        array = np.empty(0)  # ragged: refused below
    if array.ndim == 3:
        msg = (
            f"these are points, of shape {array.shape}; expected indices, rows of X, as metric-learn takes them with "
            "preprocessor=X"
        )
        raise InvalidTripletError(msg)
    if array.ndim != 2 or array.shape[1] != 4:
        return _comparison_rows(tuples, "triplet of metric-learn")
    a, b, c, d = (array[:, k] for k in range(4))
    shared = np.where((a == c) | (a == d), a, b)
    rows = np.stack([shared, np.where(shared == a, b, a), np.where(shared == c, d, c)], axis=1)
    apart = np.flatnonzero(~((shared == c) | (shared == d)))
    if apart.size:
        k = int(apart[0])
        msg = (
            f"quadruplet {k} is {array[k].tolist()}: its pairs share no point, so it compares two distances "
            f"without an anchor ({apart.size} in all are such); only (a, b, a, c) is a comparison"
        )
        raise InvalidTripletError(msg, row=k)
    return _comparison_rows(rows, "comparison of quadruplet")


def to_cblearn(comparisons: Any) -> np.ndarray:
    """Give comparisons to cblearn, in its format "list-order".

    Parameters
    ----------
    comparisons : array_like of int, shape (m, 3)
        Rows (anchor, near, far), such as from `TripletSet.to_comparisons`.

    Returns
    -------
    ndarray of int64, shape (m, 3)
        The X of cblearn's estimators, without responses.

    See Also
    --------
    comparisons_from_cblearn : the reverse.

    Examples
    --------
    >>> from tripletree import TripletSet
    >>> t = TripletSet.from_labels([("a", "b", "c")])
    >>> to_cblearn(t.to_comparisons()).tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    return _comparison_rows(comparisons, "comparison").astype(np.int64)


def to_metric_learn(comparisons: Any, *, form: Literal["triplets", "quadruplets"] = "triplets") -> np.ndarray:
    """Give comparisons to metric-learn, as its triplets (for SCML) or its quadruplets (for LSML).

    Parameters
    ----------
    comparisons : array_like of int, shape (m, 3)
        Rows (anchor, near, far), such as from `TripletSet.to_comparisons`.
    form : {"triplets", "quadruplets"}
        Rows (anchor, near, far), or rows (anchor, near, anchor, far).

    Returns
    -------
    ndarray of int64, shape (m, 3) or (m, 4)
        Indices: the estimator needs ``preprocessor=X``.

    See Also
    --------
    comparisons_from_metric_learn : the reverse.

    Examples
    --------
    >>> to_metric_learn([(0, 1, 2)], form="quadruplets").tolist()
    [[0, 1, 0, 2]]
    """
    check_choice(form, "form", ("triplets", "quadruplets"))
    rows = _comparison_rows(comparisons, "comparison").astype(np.int64)
    return rows if form == "triplets" else rows[:, [0, 1, 0, 2]]


def _comparison_rows(rows: Any, noun: str) -> np.ndarray:
    """Return a new array of rows (anchor, near, far), checked."""
    if isinstance(rows, TripletSet):
        msg = "this is a TripletSet; each of its triplets is two comparisons: give triplets.to_comparisons()"
        raise TypeError(msg)
    return check_triplet_rows(rows, _MOST, noun).astype(np.int32)
