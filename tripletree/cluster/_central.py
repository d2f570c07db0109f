"""The sample that stands for a cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["central_sample"]

_BATCH = 4_000_000  # distances that stand at a time: 32 MB


def central_sample(samples: np.ndarray, members: np.ndarray, metric: Any, parameters: dict[str, np.ndarray]) -> int:
    """The medoid of a cluster: the member with the least sum of distances to the others, the first of several.

    Parameters
    ----------
    samples : ndarray of float64, shape (n, d) or (n, n)
        All samples, or their distances where `metric` is "precomputed".
    members : ndarray of int, shape (s,)
        In rising order.
    metric, parameters
        As `checked_metric` and `metric_parameters` give them.

    Returns
    -------
    int
        A row number.

    Notes
    -----
    O(s^2) distances, of which some 32 MB stand at a time.
    """
    if members.size <= 2:
        return int(members[0])
    total = np.empty(members.size)
    step = max(1, _BATCH // members.size)
    for low in range(0, members.size, step):
        some = members[low : low + step]
        if isinstance(metric, str) and metric == "precomputed":
            distances = samples[np.ix_(some, members)]
        else:
            from scipy.spatial.distance import cdist

            distances = cdist(samples[some], samples[members], metric, **parameters)
        total[low : low + step] = distances.sum(axis=1)
    return int(members[total.argmin()])
