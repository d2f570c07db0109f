"""Samples of trees given answers: the chain against its own definition, and against exact integrals."""

from collections import Counter

import numpy as np
import pytest
from crowds import odd_of, random_hierarchy

from tripletree import kernels
from tripletree.algorithms import likeness
from tripletree.algorithms.likeness import Trios, sample_trees
from tripletree.core import threads
from tripletree.core.hierarchy import Hierarchy


def trios_of(rng, n, m):
    rows = np.unique(np.sort(np.argsort(rng.random((m, n)), axis=1)[:, :3], axis=1), axis=0).astype(np.int32)
    return Trios(rows, rng.integers(0, 4, rows.shape) * rng.uniform(0.2, 1.0), n)


def literal_fit(walk):
    """The log-likelihood of the answers, by the definition of the model."""
    n, total, lapses = len(walk.start) - 1, 0.0, walk.state[kernels.likeness.LAPSES]
    above = []
    for i in range(n):
        path = [i]
        while walk.parent[path[-1]] >= 0:
            path.append(int(walk.parent[path[-1]]))
        above.append(path)
    for row, votes in zip(walk.rows.tolist(), walk.votes, strict=True):
        level = []
        for x in range(3):
            a, b = (row[y] for y in range(3) if y != x)
            level.append(walk.height[next(u for u in above[a] if u in set(above[b]))])
        near = np.exp(-np.array(level))
        total += (votes * np.log((1 - lapses) * near / near.sum() + lapses / 3)).sum()
    return total


@pytest.mark.parametrize("n", [3, 4, 7, 20])
def test_chain__keeps_what_it_could_compute_anew(n, rng):
    walk = likeness._begun(trios_of(rng, n, 3 * n), random_hierarchy(rng, n))
    loops = kernels.likeness
    for _ in range(5):
        assert loops.walk(walk, rng.random((300, 6))) > 0
        loops.rescale(walk, rng.random((2, 2)))
        state, size, meet, log = walk.state.copy(), walk.size.copy(), walk.meet.copy(), walk.log.copy()
        loops.begin(walk)
        np.testing.assert_allclose(state, walk.state, rtol=1e-8)
        np.testing.assert_allclose(log, walk.log, rtol=1e-8, atol=1e-10)
        assert np.array_equal(size, walk.size)
        assert np.array_equal(meet, walk.meet)
        below = walk.parent >= 0
        assert (walk.height[walk.parent[below]] > walk.height[below]).all()
        assert np.array_equal(np.bincount(walk.parent[below], minlength=2 * n - 1)[n:], np.full(n - 1, 2))
        assert literal_fit(walk) == pytest.approx(walk.state[loops.FIT], rel=1e-8)


def test_chain__without_answers_every_history_is_as_frequent():
    """Four leaves: the 18 ranked histories are as likely."""
    rng = np.random.default_rng(0)
    walk = likeness._begun(Trios(np.empty((0, 3), np.int32), np.empty((0, 3)), 4), random_hierarchy(rng, 4))
    count = Counter()
    for _ in range(6_000):
        kernels.likeness.walk(walk, rng.random((20, 6)))
        kernels.likeness.rescale(walk, rng.random((2, 2)))
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
