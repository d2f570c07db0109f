"""GPS traces of vehicles on a straight road segment, with pairs from knowledge about them: the lane experiment."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tripletree.core.checks import check_count, check_real
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.random import generator


class Lanes(NamedTuple):
    """A road, from `make_lanes`.

    Attributes
    ----------
    X : ndarray of float64, shape (n, 2)
        Positions of vehicles: metres along the road, and across it from its edge. Trace by trace.
    y : ndarray of int64, shape (n,)
        The lane of each point, from the edge on.
    pairs : PairwiseConstraints
        Pairs that the traces imply, whatever the lanes: neighbours on one trace are in one lane if the vehicle
        did not change lanes in between. Points far apart across the road are not.
    """

    X: np.ndarray
    y: np.ndarray
    pairs: PairwiseConstraints


def make_lanes(
    n_lanes: int = 3,
    n_traces: int = 40,
    *,
    length: float = 1000.0,
    width: float = 3.7,
    step: float = 30.0,
    drift: float = 0.5,
    noise: float = 0.4,
    changes: float = 0.2,
    apart: float = 4.0,
    random_state: Any = None,
) -> Lanes:
    """Make GPS traces of vehicles on a road of several lanes, after Wagstaff et al. (2001).

    Parameters
    ----------
    n_lanes : int, default 3
        Number of lanes, side by side.
    n_traces : int, default 40
        Number of vehicles, at least one for each lane: they enter the lanes in turn. Each is seen on a stretch of the
        road between two random places.
    length, width : float, default 1000 and 3.7
        Length of the road, and width of a lane, in metres.
    step : float, default 30
        Metres from point to point of a trace, give or take a tenth of it.
    drift, noise : float, default 0.5 and 0.4
        Standard deviation, across the road, of the error of a whole trace, and of each point.
    changes : float, default 0.2
        How probable it is that a vehicle changes to the lane beside it, somewhere on its way.
    apart : float, default 4
        Two points at least this far apart across the road get a cannot-link.
    random_state : None, int, Generator or RandomState
        The same value gives the same road.

    Returns
    -------
    Lanes
        ``X, y, pairs = make_lanes()``. About ``n_traces * length / step / 3`` points.

    See Also
    --------
    tripletree.cluster.COPKMeans : finds the lanes, with ``geometry="segment"``.

    Notes
    -----
    The paper has 20 road segments with 115 to 1,160 points, must-links within the traces of vehicles that stay in
    their lanes, and cannot-links from 4 m on. It does not give the distribution of the errors, which is chosen here.
    Must-links are always right. A cannot-link is wrong if the errors of two points in one lane add up to `apart`
    metres. As in reality this happens on some roads, and then there may be no clustering into `n_lanes` clusters that
    satisfies all pairs.

    Time and memory are O(n^2), for the cannot-links.

    References
    ----------
    .. [1] Wagstaff, Cardie, Rogers, Schroedl (2001), Constrained k-means clustering with background knowledge,
       Proceedings of the 18th International Conference on Machine Learning, 577-584.

    Examples
    --------
    >>> X, y, pairs = make_lanes(n_lanes=2, n_traces=10, random_state=0)
    >>> a, b = pairs.must_link.T
    >>> bool((y[a] == y[b]).all())
    True
    >>> c, d = pairs.cannot_link.T
    >>> bool((np.abs(X[c, 1] - X[d, 1]) > 4).all())
    True
    """
    n_lanes = check_count(n_lanes, "n_lanes", 1)
    n_traces = check_count(n_traces, "n_traces", n_lanes)
    given = {"length": length, "width": width, "step": step, "drift": drift, "noise": noise, "apart": apart}
    number = {name: check_real(value, name) for name, value in given.items()}
    for name in ("length", "width", "step"):
        if number[name] == 0:
            msg = f"{name} is 0; it must be above 0"
            raise ValueError(msg)
    changes = check_real(changes, "changes", most=1)
    rng = generator(random_state)
    points, lanes, runs = [], [], []
    for trace in range(n_traces):
        low, high = np.sort(rng.uniform(0, number["length"], 2))
        along = np.arange(low, high, number["step"])
        along = along + rng.normal(scale=number["step"] / 10, size=along.size)
        lane = _lane_of_points(along.size, trace % n_lanes, n_lanes, changes, rng)
        middle = (lane + 0.5) * number["width"] + rng.normal(scale=number["drift"])
        points.append(np.stack([along, middle + rng.normal(scale=number["noise"], size=along.size)], axis=1))
        lanes.append(lane)
        # the positions of a vehicle that changes lanes are in either lane: nothing is known of them
        runs.append(np.full(lane.size, -1 if (lane != lane[:1]).any() else trace))
    X, y, run = np.concatenate(points), np.concatenate(lanes), np.concatenate(runs)
    following = np.flatnonzero((run[1:] == run[:-1]) & (run[1:] >= 0))
    must = np.stack([following, following + 1], axis=1)
    return Lanes(X, y, PairwiseConstraints(must, _at_least(number["apart"], X[:, 1]), len(X)))


def _lane_of_points(n: int, first: int, n_lanes: int, changes: float, rng: np.random.Generator) -> np.ndarray:
    """Return the lane of each of n points of a trace that enters in lane `first`, and may change to the one beside."""
    lane = np.full(n, first, np.int64)
    if rng.random() < changes and n_lanes > 1:
        lane[max(1, int(rng.integers(0, n + 1))) :] = first + (1 if first == 0 else -1)
    return lane


def _at_least(apart: float, place: np.ndarray) -> np.ndarray:
    """Return the pairs of points with places that differ by at least `apart`, shape (p, 2)."""
    order = np.argsort(place, kind="stable")
    reach = np.searchsorted(place[order], place[order] + apart, side="left")
    reach = np.maximum(reach, np.arange(1, place.size + 1))
    first = np.repeat(np.arange(place.size), place.size - reach)
    second = np.concatenate([np.arange(k, place.size) for k in reach.tolist()])
    return np.stack([order[first], order[second]], axis=1)
