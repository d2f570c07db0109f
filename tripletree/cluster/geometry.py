"""What the centre of a cluster is: a mean, or something else that points have a distance to.

`COPKMeans` takes a geometry by name ("point", "segment") or any object with the two methods of `CentreGeometry`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

__all__ = ["CentreGeometry", "PointCentres", "SegmentCentres"]


@runtime_checkable
class CentreGeometry(Protocol):
    """A kind of centre: p numbers that say what stands for a cluster.

    For the k-means iterations to make progress, `fit_centre` must give the centre for which the weighted sum of
    `squared_distances` is least.

    See Also
    --------
    SegmentCentres : an example.
    """

    def fit_centre(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The best centre, shape (p,), of at least one point, shape (n, d), with positive weights, shape (n,)."""
        ...

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Squared distances of points, shape (n, d), to a centre, shape (p,): shape (n,)."""
        ...


@dataclass(frozen=True)
class PointCentres:
    """The mean of the points and Euclidean distances: plain k-means.

    ``geometry="point"`` does the same faster.

    Examples
    --------
    >>> import numpy as np
    >>> PointCentres().fit_centre(np.array([[0.0, 0.0], [2.0, 4.0]]), np.ones(2)).tolist()
    [1.0, 2.0]
    """

    def fit_centre(self, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The weighted mean, shape (d,)."""
        return np.average(points, axis=0, weights=weights)

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Squared Euclidean distances, shape (n,)."""
        return ((points - centre) ** 2).sum(axis=1)


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
        """Offsets (weighted means), begin and end: shape (d + 1,).

        Raises
        ------
        ValueError
            If there is but one feature.
        """
        if points.shape[1] == 1:
            msg = "a segment needs a feature along it and at least one across; n_features=1"
            raise ValueError(msg)
        along = points[:, self.axis]
        offsets = np.average(np.delete(points, self.axis, axis=1), axis=0, weights=weights)
        return np.concatenate([offsets, [along.min(), along.max()]])

    def squared_distances(self, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Squared perpendicular distances, shape (n,)."""
        return ((np.delete(points, self.axis, axis=1) - centre[:-2]) ** 2).sum(axis=1)
