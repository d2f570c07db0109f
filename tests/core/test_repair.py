"""What the parts of `repair` in the core refuse, and that they hear of limits. Definitions stand in tests/unit."""

import numpy as np
import pytest
from examples import caterpillar, uniform_binary

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit

ROWS, WEIGHT = frozen([[0, 1, 2], [1, 2, 0]]), freeze(np.ones(2))
STARTS, PARENT = frozen([[0, 0, 1]]), frozen([3, 3, 4, 4, -1])


def calls(rows, weight, k=3, parent=PARENT):
    """Each function on these rows."""
    return [
        lambda: engine.repair.bisect(rows, weight, k, 1.5, STARTS, 5),
        lambda: engine.repair.peel(rows, weight, k),
        lambda: engine.repair.best_split(rows, weight, k),
        lambda: engine.repair.SubtreeMover(parent, rows, weight),
    ]


@pytest.mark.parametrize("rows", [None, "x", [[0, 1, 2]], ROWS.astype(np.int64), ROWS[0], ROWS[:, :2]])
def test_repair__rows_of_another_kind_are_refused(rows):
    for call in [*calls(rows, WEIGHT), lambda: engine.repair.components(rows, 3)]:
        with pytest.raises((TypeError, ValueError)):
            call()


@pytest.mark.parametrize("row", [[0, 1, 3], [-1, 1, 2], [0, 1, 1], [2, 1, 2], [0, 0, 1]])
def test_repair__wrong_triplets_are_refused(row):
    rows = frozen([row, [0, 1, 2]])
    for call in [*calls(rows, WEIGHT), lambda: engine.repair.components(rows, 3)]:
        with pytest.raises(ValueError, match="a triplet"):
            call()


def test_repair__wrong_weights_are_refused():
    for weight in ([1.0], [1.0, 1.0, 1.0], [1.0, np.nan], [np.inf, 1.0]):
        for call in calls(ROWS, np.array(weight)):
            with pytest.raises(ValueError, match="weight"):
                call()
    for call in calls(ROWS, np.ones(2, np.float32)):
        with pytest.raises(TypeError):
            call()


def test_repair__wrong_numbers_and_sides_are_refused():
    for k in (-1, 0, 1):
        with pytest.raises(ValueError, match="leaves"):
            engine.repair.bisect(ROWS[:0], WEIGHT[:0], k, 1.5, STARTS, 5)
    for k in (-1, 0, 1, 21, 10_000):
        with pytest.raises(ValueError, match="2 to 20 leaves"):
            engine.repair.best_split(ROWS, WEIGHT, k)
    for k in (-1, 0):
        with pytest.raises(ValueError, match="a number of leaves"):
            engine.repair.peel(ROWS[:0], WEIGHT[:0], k)
        with pytest.raises(ValueError, match="a number of leaves"):
            engine.repair.components(ROWS[:0], k)
    for starts in (STARTS[:0], STARTS[:, :2], frozen([[0, 0, 2]]), frozen([[0, -1, 0]])):
        with pytest.raises(ValueError, match="side"):
            engine.repair.bisect(ROWS, WEIGHT, 3, 1.5, starts, 5)
    with pytest.raises(ValueError, match="a penalty"):
        engine.repair.bisect(ROWS, WEIGHT, 3, np.nan, STARTS, 5)
    with pytest.raises(ValueError, match="too large"):  # infinity less infinity
        engine.repair.bisect(ROWS, np.array([1.7e308, 1.7e308]), 3, 1e300, STARTS, 5)


def test_repair__trees_that_are_not_binary_are_refused():
    for parent in ([], [1, -1], [3, 3, 3, -1], [4, 4, 4, 3, -1], [3, 3, 3, 4, -1], [3, 3, 4, 4, 4], [5, 3, 4, 4, -1]):
        with pytest.raises(ValueError, match=r"tree|parent|leaves"):
            engine.repair.SubtreeMover(np.array(parent, np.int32), ROWS, WEIGHT)


def test_repair__one_leaf_stays():
    mover = engine.repair.SubtreeMover(frozen([-1]), ROWS[:0], WEIGHT[:0])
    assert mover.sweep(frozen([0]), 0.0, 10) == (1, 0.0, 0, 0)
    assert mover.parent.tolist() == [-1]
    assert engine.repair.peel(ROWS[:0], WEIGHT[:0], 1).tolist() == [0]


def test_repair__nodes_out_of_range_are_refused():
    mover = engine.repair.SubtreeMover(PARENT, ROWS, WEIGHT)
    for nodes in ([5], [-1], [0, 2**31 - 1]):
        with pytest.raises(ValueError, match="names no node"):
            mover.sweep(frozen(nodes), 0.0, 10)
    assert mover.parent.tolist() == PARENT.tolist()  # and it is as it was


def random_rows(rng, n, m):
    rows = rng.integers(0, n, (m, 3), dtype=np.int32)
    return rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 1] != rows[:, 2]) & (rows[:, 0] != rows[:, 2])]


def test_repair__a_limit_of_time_ends_each_function(rng):
    rows = random_rows(rng, 300_000, 1_000_000)
    few = random_rows(rng, 20, 100)
    weight, starts = np.ones(len(rows)), rng.integers(0, 2, (20, 300_000), dtype=np.int32)
    for call in (
        lambda: engine.repair.bisect(rows, weight, 300_000, 1.5, starts, 100),
        lambda: engine.repair.peel(rows, weight, 300_000),
        lambda: engine.repair.best_split(few, np.ones(len(few)), 20),
    ):
        with pytest.raises(TimeLimitError), time_limit(0.1):
            call()


@pytest.mark.parametrize("make", [uniform_binary, lambda n, _: caterpillar(n)])
def test_repair__a_sweep_that_was_cut_short_is_over(rng, make):
    n = 2000
    parent, rows = make(n, rng).parent, random_rows(rng, n, 20_000)
    mover = engine.repair.SubtreeMover(parent, rows, np.ones(len(rows)))
    told = []

    def stop(done):
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    nodes = np.tile(rng.permutation(parent.size).astype(np.int32), 50)
    with pytest.raises(KeyboardInterrupt):
        mover.sweep(nodes, 1e-9, 2**62, stop)
    assert 0 < told[0] <= told[1] < nodes.size
    with pytest.raises(ValueError, match="was cut short"):
        mover.sweep(nodes, 1e-9, 2**62)
    with pytest.raises(ValueError, match="was cut short"):
        mover.parent  # noqa: B018
