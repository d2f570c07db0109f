"""Points, the rows of a dense table or of a sparse one (CSR): means of groups and squared distances.

A sparse table is never made dense as a whole: distances come from products, ``|x|^2 + |c|^2 - 2 x.c``, and a distance
that is less than the rounding of the products is 0, so that equal rows are at distance 0 here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

#: A squared distance below this part of the squared lengths of the two rows is rounding.
ROUNDING = 64 * np.finfo(np.float64).eps

#: Numbers that a dense block of a sparse table may hold: 32 MB.
BLOCK = 4_000_000


def is_sparse(points: Any) -> bool:
    """Tell whether the points are rows of a scipy sparse matrix or array."""
    return hasattr(points, "tocsr")


def as_rows(table: Any) -> Any:
    """Return a sparse table as a CSR array of float64, rows sorted, no zeros kept. The object given stays as it is."""
    from scipy.sparse import csr_array

    rows = csr_array(table, dtype=np.float64)
    if not rows.has_canonical_format or (rows.data == 0).any():
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows


def row_blocks(points: Any, size: int = BLOCK) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield dense blocks of rows of at most `size` numbers each, one after the other."""
    n, d = points.shape
    step = max(1, size // max(d, 1))
    for low in range(0, n, step):
        here = slice(low, min(low + step, n))
        yield here, points[here].toarray() if is_sparse(points) else points[here]


def of_size_one(table: np.ndarray) -> np.ndarray:
    """Return the table divided by a power of two, so that its largest entry is of size 1/2 to 1: no bits are lost.

    Squares and their sums then neither overflow nor vanish, whatever the unit.
    """
    return np.ldexp(table, -np.frexp(np.abs(table).max(initial=0.0))[1])


def squared_lengths(points: Any) -> np.ndarray:
    """Return the squared Euclidean length of each row. For sparse rows it is exactly 1 if it is 1 except for rounding.

    So all rows of length 1 that have no feature in common are equally far apart.
    """
    if not is_sparse(points):
        return np.einsum("ij,ij->i", points, points)
    square = np.asarray(points.multiply(points).sum(axis=1)).ravel()
    square[np.abs(square - 1.0) < 64 * np.finfo(square.dtype).eps] = 1.0
    return square


def squared_distances(points: Any, others: Any) -> np.ndarray:
    """Return squared Euclidean distances of all rows to all others: ndarray of float64, shape (n, m)."""
    if not is_sparse(points) and not is_sparse(others):
        from scipy.spatial.distance import cdist

        return cdist(points, others, "sqeuclidean")
    products = points @ others.T
    if is_sparse(products):
        products = products.toarray()
    lengths = np.add.outer(squared_lengths(points), squared_lengths(others))
    found = lengths - 2.0 * products
    found[found < ROUNDING * lengths] = 0.0
    return found


def group_sums(points: Any, codes: np.ndarray, k: int, weights: np.ndarray | None = None) -> Any:
    """Return the weighted sum of the points of each of k groups, without empty groups: as sparse as the points."""
    if is_sparse(points):
        from scipy.sparse import csr_array

        n = points.shape[0]
        shares = np.ones(n) if weights is None else weights
        return csr_array((shares, (codes, np.arange(n))), shape=(k, n)) @ points
    order = np.argsort(codes, kind="stable")
    size = np.bincount(codes, minlength=k)
    some = points[order] if weights is None else points[order] * weights[order, None]
    return np.add.reduceat(some, np.cumsum(size) - size, axis=0)


def group_means(points: Any, codes: np.ndarray, k: int, weights: np.ndarray | None = None) -> Any:
    """Return the mean of the points of each of k groups, without empty groups: as sparse as the points."""
    size, sums = np.bincount(codes, weights, minlength=k), group_sums(points, codes, k, weights)
    if not is_sparse(points):
        return sums / size[:, None]
    from scipy.sparse import diags

    return as_rows(diags(1.0 / size) @ sums)


def scatter(
    points: Any, codes: np.ndarray | None = None, weights: np.ndarray | None = None, means: Any = None
) -> float:
    """Return the sum of the squared distances to the mean of all points, or of groups 0..k-1 without an empty one.

    The `means` of the groups are computed unless they are given.
    """
    codes = np.zeros(points.shape[0], np.intp) if codes is None else codes
    k = int(codes.max()) + 1
    means = group_means(points, codes, k, weights) if means is None else means
    if is_sparse(points):
        square = squared_lengths(points)
        total = float(square.sum() if weights is None else weights @ square)
        inside = total - float(np.bincount(codes, weights, minlength=k) @ squared_lengths(means))
        return inside if inside > ROUNDING * total else 0.0
    if weights is not None:
        return float(weights @ squared_lengths(points - means[codes]))
    return float(((points - means[codes]) ** 2).sum())


def intrinsic_dimension(points: Any, weights: np.ndarray | None = None) -> float:
    """Return how many dimensions the points spread along: (sum of eigenvalues)^2 / sum of squares of the covariance."""
    n = points.shape[0]
    if weights is not None:
        return _weighted_dimension(points, weights)
    some = points[:: max(1, n // 1000)]
    if is_sparse(some):
        products = (some @ some.T).toarray()
        products -= products.mean(axis=0)
        products -= products.mean(axis=1)[:, None]
    else:
        some = some - some.mean(axis=0)
        products = some.T @ some if some.shape[1] < len(some) else some @ some.T
    return _dimension_of(products)


def _weighted_dimension(points: Any, weights: np.ndarray) -> float:
    """Return the `intrinsic_dimension` of points that stand for as many points as their weights say."""
    step = max(1, points.shape[0] // 1000)
    some, share = points[::step], weights[::step] / weights[::step].sum()
    some = some.toarray() if is_sparse(some) else some
    some = (some - share @ some) * np.sqrt(share)[:, None]
    products = some.T @ some if some.shape[1] < len(some) else some @ some.T
    return _dimension_of(products)


def _dimension_of(products: np.ndarray) -> float:
    """`intrinsic_dimension` of a covariance, or of a matrix with its eigenvalues, except for a factor."""
    products = of_size_one(products)  # whose squares are summed
    norm = float((products**2).sum())
    return float(np.trace(products)) ** 2 / norm if norm > 0 else 1.0
