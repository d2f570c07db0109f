"""What the search for conflicts refuses, and that it hears of limits. Its oracles stand in tests/laws."""

import numpy as np
import pytest
from examples import yule

from tripletree._core import engine
from tripletree.algorithms.induce import sample_triplets
from tripletree.core.arrays import freeze, frozen
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit

CYCLE = frozen([[0, 1, 2], [1, 2, 0]])
ALIVE, SEEDS = freeze(np.ones(2, np.bool_)), frozen([0, 1], np.int64)
WRONG_ROWS = [None, "x", [[0, 1, 2]], CYCLE.astype(np.float64), CYCLE.astype(np.complex128), CYCLE[0], CYCLE[:, :2]]
WRONG_TRIPLETS = [[[0, 1, 3], [1, 2, 0]], [[0, 1, 2], [-1, 2, 0]], [[0, 1, 2], [1, 1, 0]], [[0, 1, 1], [1, 2, 0]]]


@pytest.mark.parametrize("rows", WRONG_ROWS)
def test_conflict__rows_of_another_kind_are_refused(rows):
    for call in (engine.conflict.RowsByLeaf, engine.conflict.closed_part):
        with pytest.raises((TypeError, ValueError)):
            call(rows, 3)
    with pytest.raises((TypeError, ValueError)):
        engine.conflict.spanning_tree(rows, SEEDS, 3)
    with pytest.raises((TypeError, ValueError)):
        engine.conflict.rows_inside(rows, np.ones(3, np.bool_))


@pytest.mark.parametrize("rows", WRONG_TRIPLETS)
def test_conflict__wrong_triplets_are_refused(rows):
    rows = frozen(rows)
    for call in (engine.conflict.RowsByLeaf, engine.conflict.closed_part):
        with pytest.raises(ValueError, match="a triplet"):
            call(rows, 3)
    with pytest.raises(ValueError, match="a triplet"):
        engine.conflict.spanning_tree(rows, SEEDS, 3)


def test_conflict__numbers_out_of_range_are_refused():
    held = engine.conflict.RowsByLeaf(CYCLE, 3)
    assert sorted(held.grow(ALIVE, SEEDS, 0, True, 3, 2**62, 2**62)[0].tolist()) == [0, 1, 2]
    for arguments in (
        (ALIVE[:1], SEEDS, 0, True, 3, 9, 9),
        (ALIVE, frozen([2], np.int64), 0, True, 3, 9, 9),
        (ALIVE, frozen([-1], np.int64), 0, True, 3, 9, 9),
        (ALIVE, SEEDS, -1, True, 3, 9, 9),
        (ALIVE, SEEDS, 3, True, 3, 9, 9),
        (ALIVE, SEEDS, 0, True, 2, 9, 9),
        (ALIVE, SEEDS, 0, True, -1, 9, 9),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            held.grow(*arguments)
    assert held.near(frozen([1], np.int64)).tolist() == [0, 1]
    for wrong in (-1, 3, 2**40):
        with pytest.raises(ValueError, match="a number names no leaf"):
            held.near(frozen([wrong], np.int64))
        with pytest.raises(ValueError, match="a number names no row"):
            engine.conflict.spanning_tree(CYCLE, frozen([wrong], np.int64), 3)
    for rows, k in (([[0, 1, 2]], 3), ([[0, 1, 2], [1, 0, 2]], 3), ([[0, 1, 2]], 2), (np.zeros((0, 3)), 1)):
        with pytest.raises(ValueError, match="a tree has|are no tree|a triplet"):
            engine.conflict.closed_part(frozen(rows), k)
    with pytest.raises(ValueError, match="a triplet names no leaf"):
        engine.conflict.rows_inside(CYCLE, np.ones(2, np.bool_))


def test_conflict__a_limit_of_time_ends_the_growth_and_the_search_can_be_begun_anew(rng):
    rows = sample_triplets(yule(400, rng), 4000, random_state=rng).rows  # they can hold: there is nothing to find
    held = engine.conflict.RowsByLeaf(frozen(rows), 400)
    alive, seeds = np.ones(4000, np.bool_), np.arange(4000)
    with pytest.raises(TimeLimitError), time_limit(0.1):
        held.grow(alive, seeds, 0, False, 40, 2**62, 2**62)
    leaves, done, _ = held.grow(alive, seeds, 0, True, 3, 2**62, 2**62)
    assert (leaves.size, done) == (0, 4000)
