"""Matrices of distances that users give: what counts as rounding in them, the matrix without it, advice for gaps.

One minus a similarity is -2e-16 where it should be 0, distances of float32 differ by 1e-7 from (i, j) to (j, i), and
roots of such numbers are 1e-8 or, of float32, 3e-4. None of it is an error of the user's. How large it may be follows
from the precision in which the numbers were computed. All estimators with ``metric="precomputed"`` come here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tripletree.core.checks import counted

#: Rounding, in units of the last place: of distances, and of squared ones, whose roots were taken.
_UNITS, _SQUARED_UNITS = 32, 128

#: The least part of the largest distance that counts as rounding: the root of that of float64.
_LEAST = 2e-7

#: Entries that tell the precision of all.
_ENOUGH = 1_000_000

#: The most that counts, whatever the precision.
_MOST = 0.01


def rounding(distances: np.ndarray, X: Any = None) -> tuple[float, float]:
    """Return how far distances, and their squares, may be off by rounding.

    Parameters
    ----------
    distances : ndarray of float64
        Finite.
    X : object, optional
        The same as given, if its type may tell the precision.

    Returns
    -------
    tuple of float
    """
    largest = float(max(distances.max(initial=0.0), -distances.min(initial=0.0)))
    some = distances.ravel()[:: max(1, distances.size // _ENOUGH)]
    eps = _precision(some, X)
    # numbers of the form 1 - s are multiples of half a unit of 1, and rounded there, however small they are
    ticks = some * (2 / eps) if largest <= 2 else np.full(1, 0.5)
    scale = 1.0 if (ticks == np.rint(ticks)).all() and (ticks % 4 != 0).any() else largest
    plain = max(_LEAST * largest, _UNITS * eps * scale)
    return min(plain, _MOST * max(largest, eps)), min(_SQUARED_UNITS * eps, _MOST) * largest**2


def _precision(distances: np.ndarray, X: Any) -> float:
    """Return the unit of the last place of 1 in the arithmetic from which the distances came.

    Numbers of float64 that are float32 numbers, or one minus them, or were written with nine digits at most, came from
    float32. Whole numbers are exact.
    """
    if getattr(X, "dtype", None) == np.float16:
        return float(np.finfo(np.float16).eps)
    single, double = (float(np.finfo(x).eps) for x in (np.float32, np.float64))
    if (distances == np.rint(distances)).all():
        return double
    with np.errstate(over="ignore"):
        if any((x == x.astype(np.float32)).all() for x in (distances, 1.0 - distances)):
            return single
    some = np.abs(distances[distances != 0])
    with np.errstate(over="ignore"):
        shown = some * 10.0 ** (8 - np.floor(np.log10(some)))  # the first nine digits before the point
    return single if (np.abs(shown - np.rint(shown)) < 1e-4).all() else double


def as_distance_matrix(samples: np.ndarray, X: Any = None) -> np.ndarray:
    """Return a square matrix of distances without the rounding in it: symmetric, not negative, zero on the diagonal.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, n)
        Finite. It is not changed.
    X : object, optional
        The same as the user gave it.

    Returns
    -------
    ndarray of float64, shape (n, n)
        `samples` itself, if there is nothing to mend.

    Raises
    ------
    ValueError
        If it is not square, or if more than rounding is negative, asymmetric or not zero on the diagonal.
    """
    n = samples.shape[0]
    what = "metric='precomputed' needs"
    if samples.shape[1] != n:
        msg = f"{what} a square matrix of distances, not one of shape {samples.shape}"
        raise ValueError(msg)
    diagonal = np.diag(samples)
    if samples.min() >= 0 and not diagonal.any() and (samples == samples.T).all():
        return samples
    plain, squared = rounding(samples, X)
    what += " a matrix of distances: the entry"
    if samples.min() < -plain:
        i, j = divmod(int(samples.argmin()), n)
        more = _others(int((samples < -plain).sum()))
        msg = f"{what} {samples[i, j]} at ({i}, {j}) is negative{more}"
        raise ValueError(msg)
    far = np.abs(diagonal)
    if far.max() > plain and far.max() ** 2 > squared:
        i = int(far.argmax())
        more = _others(int(((far > plain) & (far**2 > squared)).sum()))
        alike = far.min() > 0 and np.ptp(diagonal) <= plain and diagonal[0] >= samples.max() - plain
        cure = f". It looks like a matrix of similarities: give {diagonal[0]:.6g} - X" if alike else ""
        msg = f"{what} {diagonal[i]} at ({i}, {i}) is not zero on the diagonal{more}{cure}"
        raise ValueError(msg)
    with np.errstate(over="ignore"):
        apart = np.abs(samples - samples.T)
        wrong = (apart > plain) & (apart * np.abs(samples + samples.T) > squared)
    if wrong.any():
        i, j = divmod(int(np.where(wrong, apart, 0).argmax()), n)
        more = _others(int(wrong.sum()) // 2)
        msg = f"{what} {samples[i, j]} at ({i}, {j}) is not symmetric: {samples[j, i]} at ({j}, {i}){more}"
        raise ValueError(msg)
    mended = np.maximum(samples / 2 + samples.T / 2, 0.0)
    np.fill_diagonal(mended, 0.0)
    return mended


def _others(count: int) -> str:
    return f" ({counted(count, 'entry', 'entries')} of that kind; this is the largest)" if count > 1 else ""


def kind_of_square(values: np.ndarray) -> str | None:
    """Return the kind of statement that a square of numbers may be: "distances", "similarities", or None."""
    for kind in ("distances", "similarities"):
        with suppress(ValueError):
            if as_distance_matrix(values if kind == "distances" else values.max() - values).any():
                return kind
    return None


def condensed_matrix(samples: np.ndarray, dtype: Any = np.float64, X: Any = None) -> np.ndarray:
    """Return the upper triangle of a matrix of distances, checked and without rounding, in scipy's condensed order."""
    from scipy.spatial.distance import squareform

    matrix, n = as_distance_matrix(samples, X), samples.shape[0]
    largest = matrix.max()
    if largest > np.finfo(dtype).max / (4 * n):
        i, j = divmod(int(matrix.argmax()), n)
        msg = (
            f"metric='precomputed' needs a matrix of distances: the entry {largest} at ({i}, {j}) is too large for "
            f"{np.dtype(dtype)} arithmetic: scale X"
        )
        raise ValueError(msg)
    return squareform(matrix, checks=False).astype(dtype, copy=False) if n > 1 else np.empty(0, dtype)


def advice_for_gaps(X: Any, distances: np.ndarray) -> str:
    """Return what to do about distances that are NaN, as an expression that does it.

    Parameters
    ----------
    X : array_like or DataFrame
        As given.
    distances : ndarray of float64, shape (m, n)
        The same.
    """
    gaps = np.isnan(distances)
    is_frame, n = hasattr(X, "iloc"), len(distances)
    if gaps.shape[1] == n and gaps.sum() == np.diag(gaps).sum():
        fill = "X.mask(numpy.eye(len(X), dtype=bool), 0)" if is_frame else "numpy.where(numpy.eye(len(X)), 0, X)"
        return f"The distance of a sample to itself is 0: {fill}"
    if gaps.shape[1] == n and not (gaps & gaps.T & ~np.eye(n, dtype=bool)).any():
        both = "X.combine_first(X.T)" if is_frame else "numpy.fmax(X, numpy.transpose(X))"
        return f"Give both halves of the matrix: {both}"
    fill = "X.fillna(X.max(axis=None))" if is_frame else "numpy.nan_to_num(X, nan=numpy.nanmax(X))"
    return f"Distances must be known: leave samples out, or fill the gaps in, such as with the largest: {fill}"
