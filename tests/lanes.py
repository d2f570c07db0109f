"""GPS traces of vehicles on a straight piece of road, with what is known of them: the lane-finding experiment."""

from typing import NamedTuple

import numpy as np


class Lanes(NamedTuple):
    """Points (metres along the road, metres across it), the lane of each, and the pairs that follow without knowing it.

    must_link : neighbours on the trace of one vehicle that did not change lanes in between
    cannot_link : points that are more than `apart` from each other across the road
    """

    X: np.ndarray
    lane: np.ndarray
    must_link: np.ndarray
    cannot_link: np.ndarray


def make_lanes(
    n_lanes=3, n_traces=40, *, length=1000.0, width=3.7, step=30.0, drift=0.5, noise=0.4, changes=0.2, apart=4.0, seed=0
):
    """Traces of vehicles.

    length : of the road, in metres; each vehicle is seen on a stretch of it, some `step` metres from point to point
    drift, noise : deviation of the error of a whole trace, and of each point, across the road
    changes : how probable a vehicle changes to the next lane somewhere on its way
    """
    rng = np.random.default_rng(seed)
    points, lanes, runs = [], [], []
    for trace in range(n_traces):
        low, high = np.sort(rng.uniform(0, length, 2))
        along = np.arange(low, high, step)
        along = along + rng.normal(scale=step / 10, size=along.size)
        lane = np.full(along.size, trace % n_lanes)
        if rng.random() < changes and n_lanes > 1:
            other = lane[:1] + (1 if trace % n_lanes == 0 else -1)
            lane[rng.integers(0, along.size + 1) :] = other
        across = (lane + 0.5) * width + rng.normal(scale=drift) + rng.normal(scale=noise, size=along.size)
        points.append(np.stack([along, across], axis=1))
        lanes.append(lane)
        runs.append(2 * trace + (lane != lane[:1]))
    X, lane, run = np.concatenate(points), np.concatenate(lanes), np.concatenate(runs)
    following = np.flatnonzero(run[1:] == run[:-1])
    first, second = np.nonzero(np.triu(np.abs(X[:, 1, None] - X[:, 1]) > apart))
    return Lanes(X, lane, np.stack([following, following + 1], axis=1), np.stack([first, second], axis=1))
