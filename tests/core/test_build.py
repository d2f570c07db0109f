"""OneTree by plain splitting and by the scheme of Even and Shiloach, each forced: one answer, the definition."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from examples import balanced, caterpillar, contracted, star, two_level, uniform_binary, yule, zoo
from hypothesis import given
from hypothesis import strategies as st
from oracles import clades_of, clades_of_hierarchy, components, one_tree_definition
from strategies import triplet_rows
from tripletree._core.engine import build as aho
from tripletree._core.engine import rooted_tree

from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets, induce, sample_triplets
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import TimeLimitError
from tripletree.interrupts import time_limit


def table(rows):
    return np.ascontiguousarray(rows, np.int32).reshape(-1, 3)


def canonical(leaf_up, inner_up, n):
    """Inner nodes counted from the root down, as a canonical parent array."""
    last = n + inner_up.size - 1
    parent = np.concatenate([last - leaf_up, last - inner_up[::-1]]).astype(np.int32)
    parent[-1] = -1
    return rooted_tree.canonical_parent(freeze(parent), n)


def plain(rows, n):
    """By plain splitting alone: canonical parent array, leaves that do not split."""
    leaf_up, inner_up, leaves, deferred, failed = aho.split(table(rows), n, False)
    assert deferred.shape == (0, 5)
    if failed[1]:
        return None, leaves[failed[0] : failed[1]]
    return canonical(leaf_up, inner_up, n), leaves[:0]


def deep(rows, n):
    """By the scheme of Even and Shiloach alone."""
    leaf_up, inner_up, failed = aho.split_deep(table(rows), n)
    return (None, failed) if failed.size else (canonical(leaf_up, inner_up, n), failed)


def both(rows, n):
    """As `build_aho_tree` mixes them."""
    parent, failed = build_aho_tree(np.asarray(rows, np.int32).reshape(-1, 3), n)
    return (None, failed) if failed.size else (rooted_tree.canonical_parent(freeze(parent), n), failed)


def is_tied(rows, leaves):
    """True if the triplets inside some leaves connect them: the certificate that these do not split."""
    inside = set(leaves.tolist())
    edges = [(a, b) for a, b, c in np.asarray(rows).tolist() if inside.issuperset((a, b, c))]
    return len(inside) >= 3 and len(components(inside, edges)) == 1


def assert_paths_agree(rows, n):
    """Both paths and their mixture give one tree, or one verdict with a certificate each. Returns the tree or None."""
    results = {path.__name__: path(rows, n) for path in (plain, deep, both)}
    made = results["plain"][0]
    if made is None:
        as_plain = {name for name, (tree, failed) in results.items() if tree is None and is_tied(rows, failed)}
    else:
        as_plain = {name for name, (tree, failed) in results.items() if failed.size == 0 and np.array_equal(tree, made)}
    assert as_plain == set(results)
    return made


def banded(h, rng, width=4, copies=4):
    """Displayed triplets of leaves that stand close together: redundant at every depth."""
    n = h.n_leaves
    order = h.leaf_intervals[2]
    first = rng.integers(0, n - width, size=(copies * n, 1))
    rows = order[first + np.argsort(rng.random((copies * n, width)), axis=1)[:, :3]]
    return induce(h, rows).triplets.rows


def random_rows(n, rng):
    """A random hierarchy's decomposition, and more or less of other triplets that it displays."""
    shapes = [caterpillar(n), yule(n, rng), uniform_binary(n, rng), contracted(uniform_binary(n, rng), 0.5, rng)]
    h = shapes[rng.integers(4)]
    guarantee = ("identify", "rebuild")[rng.integers(2)]
    parts = [decompose(h, guarantee=guarantee, random_state=rng).rows]
    if rng.random() < 0.7:
        size = min(count_triplets(h), int(rng.integers(0, 6 * n)))
        parts.append(sample_triplets(h, size, random_state=rng).rows)
    if rng.random() < 0.5 and n > 4:
        parts.append(banded(h, rng))
    rows = np.unique(np.concatenate(parts), axis=0)
    if rng.random() < 0.3:
        rows = rows[rng.random(len(rows)) < 0.7]
    return rng.permutation(rows), h


def turned(rows, rng, k):
    """Some rows changed to another triplet on the same leaves."""
    rows = rows.copy()
    for t in rng.integers(0, len(rows), k):
        rows[t] = rng.permutation(rows[t])
    return rows


# ---------------------------------------------------------------------- both paths


@given(st.data())
def test_build__any_rows_small_enough_for_the_definition(data):
    n = data.draw(st.integers(3, 8))
    rows = data.draw(triplet_rows(n))
    found = assert_paths_agree(rows, n)
    made = one_tree_definition(rows, range(n))
    assert (found is None) == (made is None)
    if made is not None:
        assert set(clades_of_hierarchy(Hierarchy(found))) == clades_of(made)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 12])
def test_build__random_displayed_rows_against_the_definition(n, rng):
    verdicts = []
    for _ in range(40):
        rows, _ = random_rows(n, rng)
        if rng.random() < 0.4 and len(rows):
            rows = turned(rows, rng, 2)
        found = assert_paths_agree(rows, n)
        made = one_tree_definition([tuple(row) for row in rows.tolist()], range(n))
        verdicts.append(made is not None)
        assert (found is None) == (made is None)
        assert found is None or set(clades_of_hierarchy(Hierarchy(found))) == clades_of(made)
    assert any(verdicts)
    assert n < 4 or not all(verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_build__thousands_of_random_sets(seed):
    rng = np.random.default_rng(seed)
    consistent = 0
    for _ in range(700):
        n = int(rng.choice([3, 5, 8, 20, 50, 100, 200]))
        rows, _ = random_rows(n, rng)
        if rng.random() < 0.3 and len(rows):
            rows = turned(rows, rng, int(rng.integers(1, 4)))
        consistent += assert_paths_agree(rows, n) is not None
    assert 350 < consistent < 700


@pytest.mark.parametrize("n", [80, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [caterpillar, lambda n: uniform_binary(n, np.random.default_rng(1)), balanced])
def test_build__banded_redundant_rows_give_the_hierarchy_back(make, n, rng):
    h = make(n)
    rows = rng.permutation(np.concatenate([decompose(h, random_state=rng).rows, banded(h, rng, copies=8)]))
    found = assert_paths_agree(rows, n)
    assert np.array_equal(found, rooted_tree.canonical_parent(h.parent, n))
    # the same with the rows in an order that puts all chords last
    found = assert_paths_agree(rows[np.argsort(np.abs(rows[:, 0] - rows[:, 1]), kind="stable")], n)
    assert np.array_equal(found, rooted_tree.canonical_parent(h.parent, n))


@pytest.mark.parametrize(("name", "h"), zoo())
def test_build__the_zoo(name, h, rng):
    for guarantee in ("identify", "rebuild"):
        rows = rng.permutation(decompose(h, guarantee=guarantee, random_state=rng).rows)
        if h.n_leaves > 1:
            found = assert_paths_agree(rows, h.n_leaves)
            assert np.array_equal(found, rooted_tree.canonical_parent(h.parent, h.n_leaves))


def test_build__repeated_rows_change_nothing(rng):
    h = caterpillar(100)
    rows = decompose(h, random_state=rng).rows
    found = assert_paths_agree(np.concatenate([rows, rows[:, [1, 0, 2]], rows]), 100)
    assert np.array_equal(found, rooted_tree.canonical_parent(h.parent, 100))


def test_build__a_conflict_deep_in_a_caterpillar(rng):
    n = 150
    rows = decompose(caterpillar(n), random_state=rng).rows
    for extra in ([[0, 2, 1]], [[1, 2, 0]], [[0, 1, 2], [0, 2, 1], [1, 2, 0]]):
        assert assert_paths_agree(rng.permutation(np.concatenate([rows, extra])), n) is None


# ---------------------------------------------------------------------- one path


def test_build__one_and_two_leaves():
    parent, failed = build_aho_tree(np.empty((0, 3), np.int32), 1)
    assert (parent.tolist(), failed.size) == ([-1], 0)
    parent, failed = build_aho_tree(np.empty((0, 3), np.int32), 2)
    assert (parent.tolist(), failed.size) == ([2, 2, -1], 0)


def test_build__leaves_in_no_triplet_hang_from_the_root():
    parent, failed = build_aho_tree(np.array([[1, 3, 5]], np.int32), 7)
    h = Hierarchy(parent)
    assert failed.size == 0
    assert set(clades_of_hierarchy(h)) == {frozenset(range(7)), frozenset([1, 3])}
    h = Hierarchy(build_aho_tree(np.empty((0, 3), np.int32), 5).parent)
    assert h == star(5)


def test_build__three_leaves_worked_out_by_hand():
    leaf_up, inner_up, leaves, deferred, failed = aho.split(table([[0, 2, 1]]), 3, True)
    assert leaf_up.tolist() == [1, 0, 1]
    assert inner_up.tolist() == [-1, 0]
    assert sorted(leaves.tolist()) == [0, 1, 2]
    assert deferred.size == 0
    assert failed == (0, 0)


def test_build__the_failing_group_is_a_range_of_the_leaves():
    rows = [[0, 1, 2], [1, 2, 0], [3, 4, 0]]
    _, _, leaves, _, failed = aho.split(table(rows), 6, True)
    assert set(leaves[failed[0] : failed[1]].tolist()) == {0, 1, 2}


def test_build__the_callers_rows_stay(rng):
    rows = np.ascontiguousarray(rng.permutation(decompose(caterpillar(100)).rows))
    before = rows.copy()
    build_aho_tree(rows, 100)
    assert np.array_equal(rows, before)


def test_build__deep_subproblems_are_put_off_and_shallow_ones_are_not(rng):
    n = 300
    deferred = aho.split(table(decompose(caterpillar(n)).rows), n, True)[3]
    assert len(deferred) == 1
    lo, hi, tlo, thi, _ = deferred[0].tolist()
    assert hi - lo == n - aho.DEFERRED_RUN
    assert thi - tlo == hi - lo - 2
    # six levels take more than a twentieth of 100 leaves away
    assert aho.split(table(decompose(caterpillar(100)).rows), 100, True)[3].size == 0
    for h in (balanced(256), two_level(300, 10), star(300), balanced(243, 3)):
        assert aho.split(table(decompose(h, guarantee="rebuild").rows), h.n_leaves, True)[3].size == 0


def test_build__many_deep_subproblems(rng):
    # 20 caterpillars below one root: more than the list of those put off holds at first
    k, n = 20, 150
    parts, parent = [], []
    for i in range(k):
        parent = caterpillar(n).parent
        inner = k * n + i * (n - 1) + (parent - n)
        parts.append(np.where(parent >= n, inner, k * n + k * (n - 1)))
    leaves = np.concatenate([p[:n] for p in parts])
    h = Hierarchy([*leaves, *np.concatenate([p[n:] for p in parts]), -1])
    rows = rng.permutation(decompose(h, guarantee="rebuild", random_state=rng).rows)
    assert len(aho.split(table(rows), k * n, True)[3]) == k
    assert Hierarchy(build_aho_tree(rows, k * n).parent) == h
    # a conflict in the last of them is still found
    spoiled = np.concatenate([rows, [[k * n - n, k * n - n + 2, k * n - n + 1]]])
    failed = build_aho_tree(spoiled, k * n).failed
    assert is_tied(spoiled, failed)


def test_spanning__prepare_renumbers_and_marks_a_spanning_forest(rng):
    n = 60
    rows, _ = random_rows(n, rng)
    own, tree, number, k = aho.prepare(table(rows), n)
    assert sorted(number.tolist()) == list(range(n))
    assert sorted(map(tuple, own.tolist())) == sorted(map(tuple, number[rows].tolist()))
    assert (np.diff(own[:, 0]) >= 0).all()
    edges = [(int(a), int(b)) for a, b, t in zip(own[:, 0], own[:, 1], tree, strict=True) if t]
    assert len(edges) == n - k
    assert k == len(components(range(n), edges)) == len(components(range(n), [(a, b) for a, b, _ in own.tolist()]))


def test_even_shiloach__nothing_to_do_for_one_component():
    leaf_up, inner_up, failed = aho.split_deep(table([[0, 1, 2], [1, 2, 0]]), 3)
    assert leaf_up.size == inner_up.size == 0
    assert failed.tolist() == [0, 1, 2]


def test_even_shiloach__a_replacement_edge_keeps_a_part_together():
    # leaves 0..3 in a cycle of close pairs. 4 takes one edge of it away at the first split
    rows = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 3, 4], [0, 1, 3], [1, 2, 3]]
    found = assert_paths_agree(rows, 5)
    assert set(clades_of_hierarchy(Hierarchy(found))) == {frozenset(range(5)), frozenset(range(4)), frozenset(range(3))}


@pytest.mark.parametrize("name", ["build", "split", "split_deep", "prepare"])
def test_build__wrong_arguments_are_refused(name):
    more = [True] if name == "split" else []
    call = getattr(aho, name)
    call(table([[0, 1, 2]]), 3, *more)
    for rows in ([[0, 1, 3]], [[-1, 1, 2]], [[0, 2**31 - 1, 2]], [[0, 1, 1]], [[0, 1, 0]], [[1, 1, 0]]):
        with pytest.raises(ValueError, match="a triplet"):
            call(table(rows), 3, *more)
    for rows in (None, [[0, 1, 2]], np.zeros((1, 2), np.int32), np.zeros(3, np.int32), np.array([[0.0, 1, 2]])):
        with pytest.raises(TypeError):
            call(rows, 3, *more)
    for n in (0, -1, 2):
        with pytest.raises(ValueError, match="a triplet|a tree"):
            call(table([[0, 1, 2]]), n, *more)
    with pytest.raises(TypeError):
        call(table([[0, 1, 2]]), 2**31, *more)


# ---------------------------------------------------------------------- large


def test_build__a_limit_of_time_ends_it():
    n = 100_000
    rows = table(decompose(caterpillar(n)).rows)
    with pytest.raises(TimeLimitError), time_limit(0.1):
        aho.split(rows, n, False)  # quadratic: a minute


def test_build__deep_splitting_looks_at_the_clock():
    n = 300_000
    rows = table(np.random.default_rng(0).permutation(decompose(caterpillar(n)).rows))

    def again_and_again():  # no alarm strikes in this thread
        with time_limit(0.05):
            while True:
                aho.split_deep(rows, n)

    with ThreadPoolExecutor(1) as pool, pytest.raises(TimeLimitError):
        pool.submit(again_and_again).result()


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["identify", "rebuild"])
def test_build__a_caterpillar_of_100_000_leaves(guarantee, rng):
    n = 100_000
    h = caterpillar(n)
    rows = rng.permutation(decompose(h, guarantee=guarantee, random_state=rng).rows)
    parent, failed = build_aho_tree(rows, n)
    assert failed.size == 0
    assert np.array_equal(rooted_tree.canonical_parent(freeze(parent), n), h.parent)
    # and with a cycle of close pairs at the very bottom
    failed = build_aho_tree(np.concatenate([rows, [[0, 2, 1]]]), n).failed
    assert is_tied(rows_inside(rows, failed, [[0, 2, 1]]), failed)


def rows_inside(rows, group, extra):
    member = np.zeros(int(rows.max()) + 1, bool)
    member[group] = True
    rows = np.concatenate([rows, extra])
    return rows[member[rows].all(axis=1)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda rng: uniform_binary(30_000, rng),
        lambda rng: contracted(uniform_binary(30_000, rng), 0.6, rng),
        lambda rng: yule(30_000, rng),
        lambda rng: two_level(30_000, 150),
        lambda rng: balanced(3**9, 3),
    ],
)
def test_build__large_hierarchies_come_back_from_each_path(make, rng):
    h = make(rng)
    n = h.n_leaves
    rows = decompose(h, guarantee="rebuild", random_state=rng).rows
    rows = rng.permutation(np.concatenate([rows, sample_triplets(h, 2 * n, random_state=rng).rows]))
    wanted = rooted_tree.canonical_parent(h.parent, n)
    assert np.array_equal(deep(rows, n)[0], wanted)
    assert np.array_equal(both(rows, n)[0], wanted)
