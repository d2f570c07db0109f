"""Kinds of centres: means, segments, or anything else that points have a distance to.

`COPKMeans` takes a geometry by name ("point", "segment") or any object with the two methods of `CentreGeometry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import numpy as np

#: Squared distances below 0 by no more than this part of the largest one are zeros that were rounded.
_ROUNDING = 1e-9


@runtime_checkable
class CentreGeometry(Protocol):
    """A kind of centre, described by p numbers.

    For the k-means iterations to make progress, `fit_centre` must give the centre for which the weighted sum of
    `squared_distances` is least. The points passed to it are read-only. The returned values are checked: finite
    numbers, in one dimension, always as many for a centre, one for each point and at least 0 for the distances.

    See Also
    --------
    SegmentCentres : an example.
    """

    def fit_centre(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The best centre, shape (p,), of at least one point, shape (n, d), with positive weights, shape (n,)."""
        ...

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return squared distances of points, shape (n, d), to a centre, shape (p,): shape (n,)."""
        ...


@dataclass(frozen=True)
class SegmentCentres:
    """A line segment parallel to one of the axes: lanes along a road.

    A centre holds the offset of the segment in each of the other features, in their order, and then where it begins and
    ends along the axis (the first and last of its points): d + 1 numbers. Distances are perpendicular, to the line that
    the segment lies on, so a lane that was driven on here and there stays one.

    Parameters
    ----------
    axis : int, default 0
        The feature along which segments run.

    References
    ----------
    .. [1] Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained k-means clustering with background knowledge,
       Proceedings of the 18th International Conference on Machine Learning, 577-584.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0, 1.0], [70.0, 2.0], [30.0, 3.0]])
    >>> segment = SegmentCentres().fit_centre(points, np.ones(3))
    >>> segment.tolist()
    [2.0, 0.0, 70.0]
    >>> SegmentCentres().squared_distances(points, segment).tolist()
    [1.0, 0.0, 1.0]
    """

    axis: int = 0

    def fit_centre(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Offsets (weighted means), begin and end: shape (d + 1,)."""
        if points.shape[1] == 1:
            msg = "a segment needs a feature along it and at least one across; n_features=1"
            raise ValueError(msg)
        if not isinstance(self.axis, Integral) or not -points.shape[1] <= self.axis < points.shape[1]:
            msg = f"axis must be the number of a feature, 0 to {points.shape[1] - 1}; got axis={self.axis!r}"
            raise ValueError(msg)
        along = points[:, self.axis]
        offsets = np.average(np.delete(points, self.axis, axis=1), axis=0, weights=weights)
        return np.concatenate([offsets, [along.min(), along.max()]])

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return squared perpendicular distances, shape (n,)."""
        return ((np.delete(points, self.axis, axis=1) - centre[:-2]) ** 2).sum(axis=1)


def chosen_geometry(geometry: str | CentreGeometry) -> CentreGeometry | None:
    """Return the geometry, None for means, which have an implementation of their own."""
    if isinstance(geometry, str):
        return SegmentCentres() if geometry == "segment" else None
    if isinstance(geometry, type):
        msg = f"geometry must be an object, not the class {geometry.__name__}: give {geometry.__name__}()"
        raise TypeError(msg)
    return geometry


class CheckedGeometry:
    """A geometry whose results are checked before use.

    Parameters
    ----------
    geometry : CentreGeometry
    """

    def __init__(self, geometry: CentreGeometry) -> None:
        self._geometry = geometry
        self._length = -1

    def fit_centre(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return the centre of the geometry, float64[p]."""
        given = self._geometry.fit_centre(_read_only(points), _read_only(weights))
        centre = self._numbers("fit_centre", given)
        expected = (
            f"shape ({self._length},), as for the centres before" if self._length >= 0 else "shape (p,), p at least 1"
        )
        if centre.ndim != 1 or not centre.size or self._length not in (-1, centre.size):
            raise self._wrong("fit_centre", f"an array of shape {centre.shape}", expected, points)
        self._length = centre.size
        self._finite("fit_centre", centre, points)
        return centre

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return the squared distances of the geometry, float64[n]."""
        given = self._geometry.squared_distances(_read_only(points), _read_only(centre))
        squared = self._numbers("squared_distances", given)
        if squared.shape != points.shape[:1]:
            raise self._wrong(
                "squared_distances", f"an array of shape {squared.shape}", f"shape ({len(points)},)", points
            )
        self._finite("squared_distances", squared, points)
        if squared.min() < 0:
            if squared.min() < -_ROUNDING * squared.max():
                i = int(squared.argmin())
                raise self._wrong(
                    "squared_distances", f"{squared[i]:g} (place {i} of {squared.size})", "none below 0", points
                )
            squared = np.maximum(squared, 0.0)
        return squared

    def _numbers(self, name: str, given: Any) -> np.ndarray:
        try:
            array = np.asarray(given)
            if array.dtype.kind not in "biuf":
                raise TypeError
        except (TypeError, ValueError):
            shown = "None" if given is None else f"{type(given).__name__} {given!r:.80}"
            if isinstance(given, np.ndarray):
                shown = f"an array of {given.dtype}"
            msg = f"{self._name(name)} must return an array of real numbers; it returned {shown}"
            raise ValueError(msg) from None
        return array.astype(np.float64, copy=False)

    def _finite(self, name: str, values: np.ndarray, points: np.ndarray) -> None:
        wrong = ~np.isfinite(values)
        if wrong.any():
            i = int(wrong.argmax())
            raise self._wrong(name, f"{values[i]} (place {i} of {values.size})", "finite numbers", points)

    def _wrong(self, name: str, got: str, expected: str, points: np.ndarray) -> ValueError:
        given = f"points of shape {points.shape}"
        return ValueError(f"{self._name(name)} returned {got} for {given}; expected {expected}")

    def _name(self, name: str) -> str:
        return f"geometry: {type(self._geometry).__name__}.{name}"


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
