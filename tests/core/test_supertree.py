"""Source trees in the compiled core: what it refuses. (Their laws: ``tests/unit/test_supertree.py``.)"""

import numpy as np
import pytest
from examples import yule

from tripletree._core import engine
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit

core = engine.supertree
END = core.END


def ints(*values):
    return np.array(values, np.int32)


#: ((0, 1), 2) and ((1, 2), (3, 0)).
TAXON, GAP, WEIGHT = ints(0, 1, 2, 1, 2, 3, 0), ints(7, 8, END, 4, 9, 5, END), np.array([1.0, 0.5])
PARENT = ints(4, 4, 5, 6, 5, 6, -1)
NO_TREES = {
    "a gap too few": (TAXON, GAP[:-1], "a gap after each taxon"),
    "a tree without end": (TAXON[:-1], GAP[:-1], "the last tree has no end"),
    "a negative gap": (TAXON, np.where(GAP == 4, -1, GAP), "gaps are numbers from 0 on"),
    "a taxon too many": (TAXON + 1, GAP, "no such taxon"),
    "a negative taxon": (TAXON - 1, GAP, "no such taxon"),
    "a taxon twice": (ints(0, 1, 1, 1, 2, 3, 0), GAP, "a taxon is twice in a tree"),
}


@pytest.mark.parametrize("what", NO_TREES)
def test_sources__what_is_no_sequence_of_trees_is_refused(what):
    taxon, gap, message = NO_TREES[what]
    gap = gap.astype(np.int32)
    for call in (
        lambda: core.Sources(taxon, gap, WEIGHT, 4),
        lambda: core.parts(taxon, gap, 4),
        lambda: core.divide(taxon, gap, ints(0, 0, 1, 1), 2),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_sources__numbers_out_of_range_are_refused():
    assert core.Sources(TAXON, GAP, WEIGHT, 4).n_triplets().tolist() == [1, 4]
    for weight in (WEIGHT[:1], np.ones(3)):
        with pytest.raises(ValueError, match="a weight for each tree"):
            core.Sources(TAXON, GAP, weight, 4)
    with pytest.raises(ValueError, match="weights are numbers"):
        core.Sources(TAXON, GAP, WEIGHT * np.nan, 4)
    for n in (-1, 2**30):
        with pytest.raises(ValueError, match="no such number of taxa"):
            core.Sources(TAXON, GAP, WEIGHT, n)
    for part, k in ((ints(0, 0, 1, 2), 2), (ints(0, 0, -2, 1), 2), (ints(0, 0, 0, 0), 0)):
        with pytest.raises(ValueError, match="no such part"):
            core.divide(TAXON, GAP, part, k)
    with pytest.raises(ValueError, match="no such number of parts"):
        core.divide(TAXON, GAP, ints(0, 0, 0, 0), -1)
    with pytest.raises(TypeError):
        core.Sources(TAXON[None], GAP, WEIGHT, 4)


NO_PARENTS = {
    "of other leaves": ints(3, 3, 4, 4, -1),
    "with a node below itself": ints(4, 4, 5, 6, 4, 6, -1),
    "with leaves below leaves": ints(3, 4, 5, 6, 5, 6, -1),
    "with a node without leaves": ints(4, 4, 4, 4, 6, 6, -1),
}


@pytest.mark.parametrize("what", NO_PARENTS)
def test_votes__on_what_is_no_hierarchy_are_refused(what):
    sources = core.Sources(TAXON, GAP, WEIGHT, 4)
    for call in (
        lambda: sources.edge_votes(NO_PARENTS[what]),
        lambda: sources.agreeing_trees(np.ones(2, np.int64), NO_PARENTS[what]),
        lambda: core.Grower(sources, NO_PARENTS[what]),
    ):
        with pytest.raises(ValueError, match=r"parents come after|leaves have no|has no children|nodes above"):
            call()


def test_votes__numbers_out_of_range_are_refused():
    sources = core.Sources(TAXON, GAP, WEIGHT, 4)
    with pytest.raises(ValueError, match="a number for each tree"):
        sources.agreeing_trees(np.ones(3, np.int64), PARENT)
    for row in ([-1, 2, 0, 1], [0, 5, 0, 1], [0, 3, 2, 1], [3, 0, 0, 0]):
        with pytest.raises(ValueError, match="no such interval"):
            sources.split_votes(np.array([row], np.int64), ints(0, 1, 2, 3))
    for order in (ints(0, 1, 2, 4), ints(0, 1, 2, -1)):
        with pytest.raises(ValueError, match="no such taxon"):
            sources.split_votes(np.array([[0, 4, 0, 2]], np.int64), order)
    with pytest.raises(TypeError):
        sources.split_votes(np.zeros((1, 3), np.int64), ints(0))


def test_grower__refuses_trees_that_are_not_binary_and_branches_that_do_not_exist():
    sources = core.Sources(TAXON, GAP, WEIGHT, 4)
    for parent in (ints(4, 4, 4, 5, 5, -1), ints(4, 4, 4, 6, 5, 6, -1)):
        with pytest.raises(ValueError, match="no binary tree"):
            core.Grower(sources, parent)
    grower = core.Grower(sources, None)
    for branch in (-1, 7):
        with pytest.raises(ValueError, match="no such branch"):
            grower.regraft(ints(branch), None)
    assert grower.regraft(ints(5, 6), None) == 0  # branches that are not in the tree yet
    assert grower.regraft(ints(0, 1, 2, 3, 0, 5), None) >= 3
    assert sorted(np.bincount(grower.parents()[:-1], minlength=7).tolist()) == [0, 0, 0, 0, 2, 2, 2]


def test_grower__after_an_interrupt_is_a_tree(rng):
    """A limit of time, and a progress that raises."""
    n = 1_500
    orders = [rng.permutation(n).astype(np.int32) for _ in range(40)]
    gap = np.append(np.arange(n - 1), END).astype(np.int32)  # caterpillars
    sources = core.Sources(np.concatenate(orders), np.tile(gap, 40), np.ones(40), n)
    grower = core.Grower(sources, yule(n, rng).parent)
    told = []

    def tell(done):
        told.append(done)
        raise RuntimeError

    every = np.tile(np.arange(n, dtype=np.int32), 100)  # minutes
    with pytest.raises(RuntimeError):
        grower.regraft(every, tell)
    assert len(told) == 1
    with pytest.raises(TimeLimitError), time_limit(0.2):
        grower.regraft(every, None)
    parent = grower.parents()
    assert np.array_equal(np.bincount(parent[:-1], minlength=2 * n - 1), np.repeat([0, 2], [n, n - 1]))
    with pytest.raises(TimeLimitError), time_limit(0.05):
        sources.edge_votes(yule(n, rng).parent)
