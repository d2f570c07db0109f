"""Samples of trees given answers: the chain against its own definition, and against exact integrals."""

from collections import Counter

import numpy as np
import pytest
from crowds import odd_of, random_hierarchy

from tripletree._core import engine
from tripletree.algorithms import likeness
from tripletree.algorithms.likeness import Trios, sample_trees
from tripletree.core import threads
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit


def trios_of(rng, n, m):
    rows = np.unique(np.sort(np.argsort(rng.random((m, n)), axis=1)[:, :3], axis=1), axis=0).astype(np.int32)
    return Trios(rows, rng.integers(0, 4, rows.shape) * rng.uniform(0.2, 1.0), n)


def literal_fit(walk, trios):
    """The log-likelihood of the answers, by the definition of the model."""
    total, lapses, parent, height = 0.0, walk.lapses, walk.parent.tolist(), walk.height
    above = []
    for i in range(trios.n):
        path = [i]
        while parent[path[-1]] >= 0:
            path.append(parent[path[-1]])
        above.append(path)
    for row, votes in zip(trios.rows.tolist(), trios.votes, strict=True):
        level = []
        for x in range(3):
            a, b = (row[y] for y in range(3) if y != x)
            level.append(height[next(u for u in above[a] if u in set(above[b]))])
        near = np.exp(-np.array(level))
        total += (votes * np.log((1 - lapses) * near / near.sum() + lapses / 3)).sum()
    return total


@pytest.mark.parametrize("n", [3, 4, 7, 20])
def test_chain__keeps_what_it_could_compute_anew(n, rng):
    trios = trios_of(rng, n, 3 * n)
    walk = likeness._begun(trios, random_hierarchy(rng, n))
    for _ in range(5):
        assert walk.walk(rng.random((300, 6))) > 0
        walk.rescale(rng.random((2, 2)))
        length, fit, size, meet, log = walk.length, walk.fit, walk.size, walk.meet, walk.log
        walk.begin()
        assert walk.length == pytest.approx(length, rel=1e-8)
        assert walk.fit == pytest.approx(fit, rel=1e-8)
        np.testing.assert_allclose(log, walk.log, rtol=1e-8, atol=1e-10)
        assert np.array_equal(size, walk.size)
        assert np.array_equal(meet, walk.meet)
        parent, height = walk.parent, walk.height
        below = parent >= 0
        assert (height[parent[below]] > height[below]).all()
        assert np.array_equal(np.bincount(parent[below], minlength=2 * n - 1)[n:], np.full(n - 1, 2))
        assert literal_fit(walk, trios) == pytest.approx(walk.fit, rel=1e-8)


def test_chain__without_answers_every_history_is_as_frequent():
    """Four leaves: the 18 ranked histories are as likely."""
    rng = np.random.default_rng(0)
    walk = likeness._begun(Trios(np.empty((0, 3), np.int32), np.empty((0, 3)), 4), random_hierarchy(rng, 4))
    count = Counter()
    for _ in range(6_000):
        walk.walk(rng.random((20, 6)))
        walk.rescale(rng.random((2, 2)))
        order = np.append(np.arange(4), 4 + np.argsort(walk.height[4:]))
        number = np.argsort(order)
        count[tuple(number[walk.parent[order[:-1]]].tolist())] += 1
    assert len(count) == 18
    assert min(count.values()) > 260
    assert max(count.values()) < 410


@pytest.mark.parametrize("votes", [(5, 2, 1), (9, 8, 0), (1, 0, 0)])
def test_sample__trees_of_three_leaves_are_as_frequent_as_the_integral_says(votes, rng):
    """The posterior of the three trees, by sums over a grid of heights and shares of lapses."""
    heights = (np.exp(np.linspace(-14, 9, size)) for size in (150, 300))
    low, gap, lapses = np.meshgrid(*heights, np.linspace(0.0005, 0.8995, 60), indexing="ij")
    density = low * gap * (1 + 2 * low + gap) ** -3 * (1 - lapses) ** 8
    near = 1 / (1 + 2 * np.exp(-gap))
    right, wrong = ((1 - lapses) * x + lapses / 3 for x in (near, (1 - near) / 2))
    exact = np.array([(density * right**k * wrong ** (sum(votes) - k)).sum() for k in votes])
    exact /= exact.sum()
    trios = Trios(np.array([[0, 1, 2]], np.int32), np.array([votes], float), 3)
    sample = sample_trees(trios, [Hierarchy([3, 3, 4, 4, -1])] * 4, rng, effort=40.0, n_trees=2000)
    odd = [int(odd_of(h, trios.rows)[0]) for h in sample.hierarchies()]
    assert np.bincount(odd, minlength=3) / len(odd) == pytest.approx(exact, abs=0.04)


def test_sample__chances_are_those_of_its_trees(rng):
    n = 9
    trios = trios_of(rng, n, 20)
    sample = sample_trees(trios, [random_hierarchy(rng, n)] * 2, rng, n_trees=6)
    assert sample.parents.shape == sample.heights.shape == (6, 2 * n - 1)
    wanted, level = np.zeros((len(trios.rows), 3)), np.zeros((n, n))
    for h, height, lapses in zip(sample.hierarchies(), sample.heights, sample.lapses, strict=True):
        for k, row in enumerate(trios.rows.tolist()):
            near = np.exp([-height[h.common_ancestor([a for a in row if a != x])] for x in row])
            wanted[k] += (1 - lapses) * near / near.sum() + lapses / 3
        for i, j in zip(*np.triu_indices(n, 1), strict=True):
            level[i, j] += height[h.common_ancestor([i, j])]
    assert sample.chances(trios.rows) == pytest.approx(wanted / 6)
    assert sample.mean_levels() == pytest.approx(level[np.triu_indices(n, 1)] / 6)


def test_sample__is_the_same_on_any_number_of_threads(monkeypatch, rng):
    trios, start = trios_of(rng, 12, 60), random_hierarchy(rng, 12)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(threads.os, "cpu_count", lambda cores=cores: cores)
        found.append(sample_trees(trios, [start] * 3, np.random.default_rng(1), effort=0.2))
    assert np.array_equal(found[0].parents, found[1].parents)
    assert np.array_equal(found[0].heights, found[1].heights)


# ---------------------------------------------------------------------- what the core refuses

TREE, HEIGHT = np.array([4, 4, 5, 5, 6, 6, -1], np.int32), np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
ROWS, VOTES = np.array([[0, 1, 2]], np.int32), np.ones((1, 3))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"parent": np.array([4, 4, 4, 5, 5, -1], np.int32)}, "no binary tree"),
        ({"parent": np.array([4, 4, 4, 5, 6, 6, -1], np.int32)}, "no binary tree"),
        ({"parent": np.array([4, 4, 5, 5, 7, 6, -1], np.int32)}, "parents come after their children"),
        ({"parent": np.array([-1], np.int32), "height": np.zeros(1)}, "no binary tree"),
        ({"height": HEIGHT[:-1]}, "a height for each node"),
        ({"height": np.where(HEIGHT == 2.0, 3.0, HEIGHT)}, "heights grow towards the root"),
        ({"height": HEIGHT + np.nan}, "heights are numbers from 0 on"),
        ({"height": HEIGHT - 1.0}, "heights are numbers from 0 on"),
        ({"rows": np.array([[0, 1, 4]], np.int32)}, "a triplet names no leaf"),
        ({"rows": np.array([[0, -1, 2]], np.int32)}, "a triplet names no leaf"),
        ({"rows": np.array([[0, 1, 1]], np.int32)}, "three leaves in each row"),
        ({"votes": np.ones((2, 3))}, "votes for each row"),
        ({"votes": VOTES * np.inf}, "votes are numbers"),
        ({"lapses": 0.0}, "lapses are a share"),
        ({"lapses": np.nan}, "lapses are a share"),
    ],
)
def test_chain__of_wrong_arrays_is_refused(wrong, message):
    right = {"parent": TREE, "height": HEIGHT, "rows": ROWS, "votes": VOTES, "lapses": 0.1}
    engine.AnswerWalk(**right)
    with pytest.raises(ValueError, match=message):
        engine.AnswerWalk(**right | wrong)


def test_chain__refuses_wrong_random_numbers():
    walk = engine.AnswerWalk(TREE, HEIGHT, ROWS, VOTES, 0.1)
    for draw in (1.0, -0.1, np.nan):
        with pytest.raises(ValueError, match="random numbers are of"):
            walk.walk(np.full((2, 6), draw))
        with pytest.raises(ValueError, match="random numbers are of"):
            walk.rescale(np.full((2, 2), draw))
    with pytest.raises(TypeError):
        walk.walk(np.zeros((2, 5)))
    with pytest.raises(TypeError):
        walk.rescale(np.zeros((2, 3)))
    assert walk.walk(np.zeros((0, 6))) == 0


def test_chain__hears_of_limits_of_time_and_stays_whole(rng):
    trios = trios_of(rng, 60, 3_000)
    walk, draws = likeness._begun(trios, random_hierarchy(rng, 60)), rng.random((3_000_000, 6))
    with pytest.raises(TimeLimitError), time_limit(0.2):
        walk.walk(draws)
    assert literal_fit(walk, trios) == pytest.approx(walk.fit, rel=1e-6)
