"""Graphs in the compiled core: what it refuses. (Their laws: ``tests/laws/test_certain_laws.py``.)"""

import numpy as np
import pytest

from tripletree._core import engine
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit

core = engine.ontology


def ints(*values):
    return np.array(values, np.int32)


def longs(*values):
    return np.array(values, np.int64)


#: Leaves 0 and 1 below 2, which is below 3, as leaf 0 is, too.
UP_START, UP = ints(0, 2, 3, 4, 4), ints(2, 3, 2, 3)
DOWN_START, DOWN = ints(0, 0, 0, 2, 4), ints(0, 1, 0, 2)
IDOM = ints(3, 2, 3, -1)
REACH = {"start": longs(0, 2, 3), "node": ints(0, 3, 4), "left": ints(0, 1, 2, 1, 0), "right": ints(1, 2, 3, 3, 3)}
PARENT = ints(4, 3, 3, 4, -1)
NO_LISTS = {
    "none": (ints(), UP),
    "that begin elsewhere": (ints(1, 2, 3, 4, 4), UP),
    "in no order": (ints(0, 3, 2, 4, 4), UP),
    "that end too early": (ints(0, 2, 3, 3, 3), UP),
    "that end too late": (ints(0, 2, 3, 4, 5), UP),
    "of negative nodes": (UP_START, ints(2, -1, 2, 3)),
    "of nodes that do not exist": (UP_START, ints(2, 4, 2, 3)),
}


@pytest.mark.parametrize("what", NO_LISTS)
def test_ontology__wrong_lists_are_refused(what):
    start, value = NO_LISTS[what]
    for call in (
        lambda start, value: core.top_down(UP_START, start, value),
        lambda start, value: core.reached(start, value, ints(0)),
        lambda start, value: core.best_parent(start, value, np.zeros(4, np.int64)),
        lambda start, value: core.dominators(start, value, 4),
        lambda start, value: core.frontiers(start, value, IDOM, 10),
        lambda start, value: core.closures(ints(0), start.astype(np.int64), value, 10),
    ):
        with pytest.raises(ValueError, match=r"lists|no such node|parents come after"):
            call(start, value)


def test_ontology__numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match="other parents"):
        core.top_down(ints(0, 2, 3, 3, 4), DOWN_START, DOWN)
    with pytest.raises(ValueError, match="lists of parents and of children"):
        core.top_down(ints(0, 2, 4), DOWN_START, DOWN)
    for source in (-1, 4):
        with pytest.raises(ValueError, match="no such node"):
            core.reached(UP_START, UP, ints(source))
        with pytest.raises(ValueError, match="no such node"):
            core.closures(ints(source), UP_START.astype(np.int64), UP, 10)
    with pytest.raises(ValueError, match="a score for each node"):
        core.best_parent(UP_START, UP, np.zeros(3, np.int64))
    for n in (-1, 0, 3, 6):
        with pytest.raises(ValueError, match=r"lists of parents|parents come after"):
            core.dominators(UP_START, UP, n)
    with pytest.raises(ValueError, match="parents come after their children"):
        core.dominators(UP_START, ints(2, 3, 1, 3), 4)
    for idom in (ints(3, 0, 3, -1), ints(3, 2, 4, -1), ints(3, 2, 3, -2), ints(3, 2, 3)):
        with pytest.raises(ValueError, match=r"dominators|no such node|lists of parents|parents come after"):
            core.frontiers(UP_START, UP, idom, 10)
    assert [x.size for x in core.frontiers(UP_START, UP, np.full(4, -1, np.int32), 10)] == [
        5,
        2,
    ]  # of no graph: no crash
    for parent, number in ((IDOM, ints(0, 1, 2)), (ints(4, 2, 3, -1), IDOM), (IDOM, ints(-2, 0, 0, 0))):
        with pytest.raises(ValueError, match="n"):
            core.held(parent, number)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"start": longs(0, 2)}, "lists end"),
        ({"start": longs(0, 0, 3)}, "reaches its own clade"),
        ({"start": longs(0, 1, 2, 3, 3, 3)}, "places of each node"),
        ({"node": ints(0, 5, 4)}, "no such node"),
        ({"node": ints(3, 0, 4)}, "clades from left to right"),
        ({"node": ints(0, 1, 4)}, "reaches its own clade"),
        ({"left": ints(0, 1, 2, 1)}, "places of each node"),
        ({"left": ints(-1, 1, 2, 1, 0)}, "places of leaves"),
        ({"right": ints(1, 2, 3, 3, 4)}, "places of leaves"),
        ({"right": ints(0, 2, 3, 3, 3)}, "places of leaves"),
    ],
)
def test_ontology__of_wrong_clades_no_reach_is_made(wrong, message):
    core.Reach(**REACH)
    with pytest.raises(ValueError, match=message):
        core.Reach(**REACH | wrong)


def test_ontology__reach_refuses_numbers_out_of_range():
    reach = core.Reach(**REACH)
    assert reach.sizes().tolist() == [3, 3]
    order = ints(0, 1, 2)
    for node, place in ((2, 0), (5, 0), (3, -1), (3, 3)):
        with pytest.raises(ValueError, match="no such node"):
            reach.covered(ints(node), ints(place))
    with pytest.raises(ValueError, match="a place for each node"):
        reach.covered(ints(3), ints(0, 1))
    for k in (-1, 0):
        with pytest.raises(ValueError, match="not so many leaves outside"):
            reach.nth_outside(ints(3), longs(k))
    with pytest.raises(ValueError, match="no such node"):
        reach.nth_outside(ints(2), longs(0))
    for parent in (PARENT[:-1], ints(4, 3, 3, 3, -1)):
        with pytest.raises(ValueError, match=r"other nodes|parents come after|leaves have no|no children"):
            reach.enclosing(parent)
        with pytest.raises(ValueError, match=r"other nodes|parents come after|leaves have no|no children"):
            reach.thirds(parent, ints(-1, -1), order, 10)
    for enclosing in (ints(-1), ints(2, -1), ints(5, -1)):
        with pytest.raises(ValueError, match=r"a node for each inner node|no such node"):
            reach.thirds(PARENT, enclosing, order, 10)
    with pytest.raises(ValueError, match="the leaves in order"):
        reach.thirds(PARENT, ints(-1, -1), ints(0, 1), 10)


def test_ontology__long_walks_hear_of_limits_of_time():
    n = 3_000  # each node has the next two as parents and the last one: frontiers of quadratic size
    u = np.arange(n - 3, dtype=np.int32)
    up = np.concatenate([np.stack([u + 1, u + 2, np.full_like(u, n - 1)], axis=1).ravel(), ints(n - 2, n - 1, n - 1)])
    start = np.append(np.arange(0, 3 * n - 8, 3), [up.size - 1, up.size, up.size]).astype(np.int32)
    idom = core.dominators(start, up, n)
    first, node = core.frontiers(start, up, idom, 10**9)
    nodes = np.repeat(u, 200)
    with pytest.raises(TimeLimitError), time_limit(0.2):
        core.closures(nodes, first, node, 10**12)
