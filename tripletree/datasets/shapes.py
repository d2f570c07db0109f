"""Point sets in the plane with two classes that compact clusters do not find: circles, cell walls, xor, storm clouds.

They are made after the four synthetic sets of Klein, Kamvar and Manning (2002), From instance-level constraints to
space-level constraints, Proceedings of the 19th International Conference on Machine Learning, 307-314. Shapes follow
the names. Sizes and proportions are chosen here, so figures cannot be held against the paper's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletree.core.checks import check_count, check_real
from tripletree.core.random import generator


def make_circles(
    n_samples: int | Sequence[int] = 200, *, noise: float = 0.05, factor: float = 0.5, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make a circle inside a circle.

    Parameters
    ----------
    n_samples : int or (int, int), default 200
        How many in all, of which class 1 gets half, rounded down, or in each class.
    noise : float, default 0.05
        Standard deviation of the noise added to each coordinate.
    factor : float, default 0.5
        Radius of the inner circle, class 1. The outer one, class 0, has radius 1.
    random_state : None, int, Generator or RandomState
        The same value gives the same points.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, 2)
        The points, in random order.
    y : ndarray of int64, shape (n_samples,)
        The class of each, 0 or 1.

    See Also
    --------
    make_cell_walls : two circles side by side.
    sklearn.datasets.make_circles : evenly spaced points.

    Examples
    --------
    >>> X, y = make_circles(100, noise=0, random_state=0)
    >>> radius = np.hypot(*X.T)
    >>> [radius[y == c].round(6).max().item() for c in (0, 1)]
    [1.0, 0.5]
    """
    factor = check_real(factor, "factor", least=0, most=1)
    y, rng = _classes(n_samples, random_state)
    return _noisy(np.where(y == 0, 1.0, factor)[:, None] * _directions(y.size, rng), noise, rng), y


def make_cell_walls(
    n_samples: int | Sequence[int] = 200, *, noise: float = 0.05, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two circles side by side, the walls of two cells, each around a nucleus.

    Parameters
    ----------
    n_samples : int or (int, int), default 200
        How many in all, of which class 1 gets half, rounded down, or in each class.
    noise : float, default 0.05
        Standard deviation of the noise added to each coordinate.
    random_state : None, int, Generator or RandomState
        The same value gives the same points.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, 2)
        The points, in random order.
    y : ndarray of int64, shape (n_samples,)
        The class of each: 0 in a wall, 1 in a nucleus.

    See Also
    --------
    make_circles : a circle inside a circle.

    Notes
    -----
    The walls are circles of radius 1 around (-1.1, 0) and (1.1, 0), the nuclei discs of radius 0.4 with the same
    centres, evenly filled. Both walls are one class, both nuclei the other: the walls nearly touch, the nuclei are far
    apart, and the whole of a cell is more compact than either class.

    Examples
    --------
    >>> X, y = make_cell_walls(100, noise=0, random_state=0)
    >>> from_centre = np.hypot(np.abs(X[:, 0]) - 1.1, X[:, 1])
    >>> [from_centre[y == c].round(1).max().item() for c in (0, 1)]
    [1.0, 0.4]
    """
    y, rng = _classes(n_samples, random_state)
    centres = np.array([[-1.1, 0.0], [1.1, 0.0]])[_parts(y, 2, rng)]
    radius = np.where(y == 0, 1.0, 0.4 * np.sqrt(rng.random(y.size)))
    return _noisy(centres + radius[:, None] * _directions(y.size, rng), noise, rng), y


def make_xor(
    n_samples: int | Sequence[int] = 200, *, noise: float = 0.4, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make four clouds at the corners of a square. Clouds at opposite corners are one class.

    Parameters
    ----------
    n_samples : int or (int, int), default 200
        How many in all, of which class 1 gets half, rounded down, or in each class. The clouds of a class are of one
        size, or differ by one.
    noise : float, default 0.4
        Standard deviation of a cloud.
    random_state : None, int, Generator or RandomState
        The same value gives the same points.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, 2)
        The points, in random order.
    y : ndarray of int64, shape (n_samples,)
        The class of each: 1 in the clouds with coordinates of different sign.

    Notes
    -----
    The corners are (1, 1) and (-1, -1), class 0, and (1, -1) and (-1, 1), class 1. At 0.4 about one point in 80 lies
    beyond an axis, in the corner of the other class.

    Examples
    --------
    >>> X, y = make_xor(4, noise=0, random_state=0)
    >>> sorted(zip(X.tolist(), y.tolist()))
    [([-1.0, -1.0], 0), ([-1.0, 1.0], 1), ([1.0, -1.0], 1), ([1.0, 1.0], 0)]
    """
    y, rng = _classes(n_samples, random_state)
    corners = np.array([[[1.0, 1.0], [-1.0, -1.0]], [[1.0, -1.0], [-1.0, 1.0]]])
    return _noisy(corners[y, _parts(y, 2, rng)], noise, rng), y


def make_storm_clouds(
    n_samples: int | Sequence[int] = 200, *, noise: float = 0.25, length: float = 2.0, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Make two long, flat clouds, one above the other.

    Parameters
    ----------
    n_samples : int or (int, int), default 200
        How many in all, of which class 1 gets half, rounded down, or in each class.
    noise : float, default 0.25
        Standard deviation of a cloud in height, around 0.75 for class 0 and -0.75 for class 1.
    length : float, default 2.0
        Standard deviation of a cloud along the first coordinate, which is independent of the class.
    random_state : None, int, Generator or RandomState
        The same value gives the same points.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, 2)
        The points, in random order.
    y : ndarray of int64, shape (n_samples,)
        The class of each: 0 above, 1 below.

    Examples
    --------
    >>> X, y = make_storm_clouds(100, random_state=0)
    >>> bool(X[y == 0, 1].min() > X[y == 1, 1].max())
    True
    """
    noise, length = check_real(noise, "noise"), check_real(length, "length")
    y, rng = _classes(n_samples, random_state)
    height = np.where(y == 0, 0.75, -0.75) + noise * rng.standard_normal(y.size)
    return np.stack([length * rng.standard_normal(y.size), height], axis=1), y


def _classes(n_samples: Any, random_state: Any) -> tuple[np.ndarray, np.random.Generator]:
    """Classes in random order, and the generator for later draws."""
    if np.ndim(n_samples) == 1:
        if len(n_samples) != 2:
            msg = f"n_samples has {len(n_samples)} entries; give one number, or two, for classes 0 and 1"
            raise ValueError(msg)
        sizes = [check_count(x, f"n_samples[{k}]", 1) for k, x in enumerate(n_samples)]
    else:
        n = check_count(n_samples, "n_samples", 2)
        sizes = [n - n // 2, n // 2]
    rng = generator(random_state)
    return rng.permutation(np.repeat(np.arange(2), sizes)), rng


def _parts(y: np.ndarray, parts: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the samples of each class to equal parts 0, 1, ..."""
    part = np.empty_like(y)
    for c in range(2):
        inside = np.flatnonzero(y == c)
        part[inside] = rng.permutation(np.arange(inside.size) % parts)
    return part


def _directions(n: int, rng: np.random.Generator) -> np.ndarray:
    """Unit vectors, evenly distributed."""
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _noisy(points: np.ndarray, noise: Any, rng: np.random.Generator) -> np.ndarray:
    return points + check_real(noise, "noise") * rng.standard_normal(points.shape)
