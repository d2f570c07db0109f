"""What the passes for cuts and the search for flat clusters refuse. Their oracles stand in tests/unit."""

import numpy as np
import pytest

from tripletree._core import engine
from tripletree.core.arrays import freeze, frozen
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit

ROW, MASK, WEIGHT = frozen([2, 2, -1]), freeze(np.ones(3, np.bool_)), frozen([1, 1, 1], np.float64)
POINTS, FIRST, STOP = frozen([[0.0, 0.0]], np.float64), frozen([0], np.int64), frozen([1], np.int64)
GAIN, SUPPORT = frozen([0, 0, 1], np.int64), frozen([1, 1, 1], np.int64)
TRIPLES, PLACE = frozen([[0, 1, 2]]), np.zeros((3, 0))
TREE, NO_TREE = frozen([[1, 0], [0, 1]]), np.zeros((0, 0), np.int32)
GOOD = {
    "branch_heads": (ROW, MASK, 2),
    "whose_parts": (ROW, frozen([0, 1])),
    "nearest_centres": (POINTS, POINTS, FIRST, STOP),
    "levels": (ROW,),
    "monotone_heights": (ROW, WEIGHT, 2),
    "reading_places": (ROW, 2),
    "child_spans": (ROW, frozen([0, 1])),
    "subtree_sums": (ROW, SUPPORT),
    "SupportedCut": (ROW, MASK, GAIN, SUPPORT, 2),
    "min_conflicts": (frozen([0, 1, 1]), 2, TRIPLES, TREE, PLACE, 1.0, 20.0, 5, 100),
}


def called(name, arguments):
    return getattr(engine.flat if name == "min_conflicts" else engine.cut, name)(*arguments)


@pytest.mark.parametrize("name", GOOD)
def test_cut__wrong_types_shapes_and_sizes_are_refused(name):
    called(name, GOOD[name])
    for k, argument in enumerate(GOOD[name]):
        wrong = [None, "x", object()]
        if isinstance(argument, np.ndarray):
            wrong += [argument.astype(np.complex128), argument[..., None], [*argument]]
            if (
                not (name in ("whose_parts", "child_spans") and k == 1)
                and argument is not TRIPLES
                and argument is not POINTS
            ):
                wrong.append(np.concatenate([argument, argument]))
        elif type(argument) is int and not (name == "min_conflicts" and k == 8):
            wrong += [-1, 2**64, 0.5]
        for other in wrong:
            arguments = [*GOOD[name]]
            arguments[k] = other
            with pytest.raises((TypeError, ValueError)):
                called(name, arguments)


@pytest.mark.parametrize("parent", [[2, 3, -1], [2, 0, -1], [0, 2, -1], [2, 2, 2], [-1, 2, -1], [1, 2, -1]])
def test_cut__parents_out_of_order_are_refused(parent):
    for name, (first, *others) in GOOD.items():
        if first is ROW and not (parent == [1, 2, -1] and name in ("levels", "subtree_sums")):
            with pytest.raises(ValueError, match="parents come after|leaves have no children|gains count"):
                called(name, (frozen(parent), *others))


def test_cut__numbers_out_of_range_are_refused():
    for first, stop in ((-1, 1), (1, 1), (0, 2), (0, 2**62)):
        with pytest.raises(ValueError, match="a run names no centre"):
            engine.cut.nearest_centres(POINTS, POINTS, frozen([first], np.int64), frozen([stop], np.int64))
    for gain in ([0, 0, 0], [0, 0, 2], [1, 0, 1], [0, 0, -1]):
        with pytest.raises(ValueError, match="gains count large children"):
            engine.cut.SupportedCut(ROW, MASK, frozen(gain, np.int64), SUPPORT, 2)
    for most in (0, -1, 4, 2**40):
        with pytest.raises(ValueError, match="a number of clusters"):
            engine.cut.SupportedCut(ROW, MASK, GAIN, SUPPORT, most)
    knapsack = engine.cut.SupportedCut(ROW, MASK, GAIN, SUPPORT, 2)
    with pytest.raises(ValueError, match="no such number of clusters"):
        knapsack.trace(2)  # before it is solved
    assert knapsack.n_states == 3
    assert knapsack.solve().tolist() == [1, 2]
    assert knapsack.trace(2).tolist() == [False, False, True]
    for k in (-1, 0, 3, 2**40):
        with pytest.raises(ValueError, match="no such number of clusters"):
            knapsack.trace(k)
    codes, *others = GOOD["min_conflicts"]
    for wrong in ([0, 1, 2], [0, -1, 1]):
        with pytest.raises(ValueError, match="a label names no cluster"):
            engine.flat.min_conflicts(frozen(wrong), *others)
    for rows in ([[0, 1, 3]], [[-1, 1, 2]], [[0, 1, 1]]):
        with pytest.raises(ValueError, match="a triplet"):
            engine.flat.min_conflicts(codes, 2, frozen(rows), *others[2:])


def test_flat__the_search_agrees_with_the_definition():
    rng = np.random.default_rng(5)
    ended = 0
    for trial in range(300):
        n, k = int(rng.integers(4, 9)), int(rng.integers(2, 5))
        rows = frozen([rng.permutation(n)[:3] for _ in range(rng.integers(1, 6))])
        codes = rng.permutation(np.arange(n) % k).astype(np.int32)
        depth = rng.integers(0, 3, (k, k)).astype(np.int32)
        tree = np.minimum(depth, depth.T) if trial % 2 else NO_TREE
        done, label = engine.flat.min_conflicts(frozen(codes), k, rows, tree, np.zeros((n, 0)), 1.0, 20.0, 2, 200)
        kept = []
        for a, b, c in label[rows].tolist():
            three = a != b != c != a
            shown = not len(tree) or tree[a, b] > max(tree[a, c], tree[b, c])
            kept.append(a == b or (three and shown))
        assert done == all(kept)
        assert set(label.tolist()) == set(range(k))
        ended += done
    assert 150 < ended < 300


def test_flat__a_limit_of_time_ends_the_search():
    # no two clusters keep both, and there is no end to the moves
    rows = frozen([[0, 1, 2], [0, 2, 1]])
    with pytest.raises(TimeLimitError), time_limit(0.1):
        engine.flat.min_conflicts(frozen([0, 0, 1]), 2, rows, NO_TREE, PLACE, 1.0, 20.0, 0, 2**62)
