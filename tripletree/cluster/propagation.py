"""Flat clusters from the classes of some samples: a mixture that knows the classes, and messages between neighbours.

Triplets of labels say little of flat classes, and every pair of labelled samples says the same again. So the labels
are used as they are. First, normal distributions of one shape, one for each cluster, are fitted to all samples by
expectation and maximisation: it begins at the means of the classes, and a labelled sample belongs to its class except
for `WRONG`. This finds the shape of classes and their extent, if they are compact. Then samples that are near each
other in that shape speak to each other [1]_: labelled ones say their class, loudly, the others the mixture's estimate
for them, softly, but in clusters without a label, which would be shouted down. So classes of any form are followed
where labels are many, and wrong labels are outvoted by their surroundings.

A classifier may be one more voice. How loud it is, labels say that were held out from both.

.. [1] Zhou, Bousquet, Lal, Weston, Schölkopf (2003), Learning with local and global consistency, NIPS 16, 321-328.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree.core.threads import one_blas_thread

#: The part of wrong labels that is reckoned with.
WRONG = 0.1

#: How many samples the Euclidean metric is worth, as in `MPCKMeans`.
PRIOR = 10.0

#: How loud a sample without a label is, the share of its message that comes from neighbours, and their number.
QUIET, HEARD, NEIGHBOURS = 0.03, 0.9, 10

#: A classifier's share of the estimate has the prior Beta(2, 4); parts of the labels that are held out in turn; the
#: least probability, so that no single label shouts a voice down.
HEEDED, UNHEEDED, FOLDS, LEAST = 2.0, 4.0, 5, 1e-3

#: A sample as far from all centres as all but this part of them becomes the centre of a cluster without a known class.
FAR = 0.05

#: At most this many directions in which samples spread most. Steps of either part.
_DIRECTIONS, _STEPS = 100, 100


def propagated(
    points: np.ndarray,
    is_matrix: bool,
    codes: np.ndarray,
    k: int,
    *,
    fixed: bool,
    classifier: Any = None,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """Clusters of all samples, one for each class and others where `k` says so.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances where `is_matrix`.
    is_matrix : bool
    codes : ndarray of int, shape (n,)
        The class of each sample, -1 if it is not known.
    k : int
        Number of clusters.
    fixed : bool
        True if labelled samples keep their class in any case.
    classifier : scikit-learn classifier or None
        With `predict_proba`, for samples rather than distances.
    rng : Generator
        Deals out the labels that are held out from the classifier.

    Returns
    -------
    ndarray of int, shape (n,), or None
        Clusters 0..k-1 in the order of their first samples, each with a sample. None if there are fewer than two
        classes or more than clusters, or if distances are given and there are fewer classes than clusters.
    """
    known = np.flatnonzero(codes >= 0)
    classes, of = np.unique(codes[known], return_inverse=True)
    if not 2 <= classes.size <= k or (is_matrix and classes.size < k):
        return None
    # the number of threads of BLAS changes the rounding
    with one_blas_thread():
        share = _shares(points, is_matrix, known, of, k)
        if classifier is not None:
            told = share[:, : classes.size].sum(axis=1, keepdims=True)
            part = _part_of(classifier, points, known, of, rng)
            share[:, : classes.size] *= 1 - part
            share[:, : classes.size] += (
                part * told * _probabilities(classifier, points, known, of, np.arange(len(points)))
            )
    label = share.argmax(axis=1)
    if fixed:
        label[known] = of
    fill_empty(label, share, known if fixed else known[:0])
    first = np.unique(label, return_index=True)[1]
    number = np.empty(k, np.intp)
    number[label[np.sort(first)]] = np.arange(k)
    return number[label]


def _shares(points: np.ndarray, is_matrix: bool, known: np.ndarray, of: np.ndarray, k: int) -> np.ndarray:
    """Return the probability of each cluster, for each sample. The known samples are `of` classes 0, 1, ..."""
    n, c = len(points), int(of.max()) + 1
    if is_matrix:
        says = np.zeros((n, k))
        mean = np.stack([points[:, known[of == x]].mean(axis=1) for x in range(k)], axis=1)
        says[np.arange(n), mean.argmin(axis=1)] = 1.0
    else:
        says, points = _mixture(compressed(points), known, of, k)
    says *= QUIET
    says[known] = 0.0
    says[known, of] = 1.0
    # all samples of a cluster without a label are together as loud as the samples of one with, but not louder than a
    # label
    loud = np.maximum(says.sum(axis=0), 1e-300)
    says[:, c:] *= np.minimum(loud[:c].mean() / loud[c:], 1 / QUIET)
    share = _spoken(points, is_matrix, says)
    return share / share.sum(axis=1, keepdims=True)


def _probabilities(
    classifier: Any, points: np.ndarray, known: np.ndarray, of: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """Return the probabilities of classes 0, 1, ... for some samples, by a classifier of the known ones."""
    from sklearn.base import clone

    return clone(classifier).fit(points[known], of).predict_proba(points[asked])


def _part_of(classifier: Any, points: np.ndarray, known: np.ndarray, of: np.ndarray, rng: np.random.Generator) -> float:
    """The classifier's share of the estimate at which labels held out from it and from the rest are most probable."""
    fold = rng.permutation(known.size) % min(FOLDS, known.size)
    both = []
    for i in range(fold.max() + 1):
        classes, rest = np.unique(of[fold != i], return_inverse=True)
        held = (fold == i) & np.isin(of, classes)
        if classes.size < 2 or not held.any():
            continue
        some, asked = known[fold != i], known[held]
        at = np.arange(asked.size), np.searchsorted(classes, of[held])
        own = _shares(points, False, some, rest, classes.size)[asked][at]
        both.append(np.stack([own, _probabilities(classifier, points, some, rest, asked)[at]], axis=1))
    own, told = np.maximum(np.concatenate([np.empty((0, 2)), *both]), LEAST).T
    part = HEEDED / (HEEDED + UNHEEDED)
    for _ in range(_STEPS):
        heeded = float((part * told / (part * told + (1 - part) * own)).sum())
        part = (heeded + HEEDED - 1) / (own.size + HEEDED + UNHEEDED - 2)
    return part


def compressed(points: np.ndarray) -> np.ndarray:
    """The samples around their mean, in the directions in which they spread most. The mean of the variances is 1."""
    points = points - points.mean(axis=0)
    if points.shape[1] > _DIRECTIONS:
        points = points @ np.linalg.eigh(points.T @ points)[1][:, -_DIRECTIONS:]
    spread = np.sqrt(points.var(axis=0).mean())
    return points / (spread if spread > 0 else 1.0)


def _mixture(points: np.ndarray, known: np.ndarray, of: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of each cluster for each sample, and the samples where clusters are round."""
    n, d = points.shape
    own = points[known]
    centre = np.stack([own[of == c].mean(axis=0) for c in range(of.max() + 1)])
    rest = own - centre[of]
    shape = (rest.T @ rest + PRIOR * np.eye(d)) / (known.size - len(centre) + PRIOR)
    told = np.zeros((n, k))
    told[known] = np.log(WRONG / (k - 1))
    told[known, of] = np.log(1 - WRONG)
    products = points.T @ points
    for _ in range(_STEPS):
        root = np.linalg.cholesky(np.linalg.inv(shape))
        rounded = points @ root
        while len(centre) < k:
            away = _squares(rounded, centre @ root).min(axis=1)
            centre = np.concatenate([centre, points[[np.argsort(away, kind="stable")[int((1 - FAR) * n)]]]])
        log = told - _squares(rounded, centre @ root) / 2
        chance = np.exp(log - log.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        size = chance.sum(axis=0) + 1e-9
        before, centre = centre, (chance.T @ points) / size[:, None]
        shape = (products - (centre.T * size) @ centre + PRIOR * np.eye(d)) / (n + PRIOR)
        if np.abs(centre - before).max() < 1e-4:
            break
    return chance, rounded


def _squares(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import cdist

    return cdist(points, centres, "sqeuclidean")


def _spoken(points: np.ndarray, is_matrix: bool, says: np.ndarray) -> np.ndarray:
    """Return the final message of each sample: its own, and its neighbours'."""
    from scipy.sparse import csr_array
    from sklearn.neighbors import NearestNeighbors

    n = len(points)
    near = min(NEIGHBOURS, max((n - 1) // 2, 1))  # of few samples, most others are of another class
    search = NearestNeighbors(n_neighbors=near, metric="precomputed" if is_matrix else "euclidean").fit(points)
    distance, index = search.kneighbors()
    scale = np.maximum(distance[:, -1], 1e-300)
    weight = np.exp(-(distance / scale[:, None]) * (distance / scale[index]))
    graph = csr_array((weight.ravel(), index.ravel(), np.arange(n + 1) * near), shape=(n, n))
    graph = graph.maximum(graph.T)
    root = 1 / np.sqrt(np.maximum(graph.sum(axis=1), 1e-300))
    graph = HEARD * graph.multiply(root[:, None]).multiply(root).tocsr()
    said = says
    for _ in range(_STEPS):
        said = graph @ said + says
    return said


def fill_empty(label: np.ndarray, share: np.ndarray, fixed: np.ndarray) -> None:
    """Give each cluster without samples the sample which says most for it, out of a cluster with others."""
    size = np.bincount(label, minlength=share.shape[1])
    part = share / share.sum(axis=1, keepdims=True)
    part[fixed] = -1.0
    for c in np.flatnonzero(size == 0):
        i = np.where(size[label] > 1, part[:, c], -1.0).argmax()
        size[label[i]] -= 1
        label[i] = c
        size[c] = 1
