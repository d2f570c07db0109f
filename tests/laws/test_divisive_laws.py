"""Divisions: any split into unions of Aho components is safe, and the core's parts follow their definitions."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from examples import yule
from oracles import clades_of, components, displayed, leaves_of
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

import tripletree as tt
from tripletree._core import engine
from tripletree.cluster import DivisiveReCon, ReCon, posterior
from tripletree.cluster.divisive import items, statements
from tripletree.cluster.divisive import tree as trees

SHAPES_5 = [((((0, 1), 2), 3), 4), (((0, 1), (2, 3)), 4), (((0, 1), 2), (3, 4))]
core = engine.division


def triplets_of(nested):
    leaves = leaves_of(nested)
    clades = clades_of(nested)
    return [
        (a, b, c)
        for trio in combinations(sorted(leaves), 3)
        for a, b, c in permutations(trio)
        if a < b and displayed(clades, a, b, c)
    ]


def random_nested(rng, n):
    parts = list(range(n))
    while len(parts) > 1:
        i, j = sorted(rng.choice(len(parts), 2, replace=False).tolist())
        b = parts.pop(j)
        parts[i] = (parts[i], b)
    return parts[0]


def random_base(rng, n):
    """A random binary tree as the core takes it."""
    nodes, child = list(range(n)), np.empty((n - 1, 2), np.int32)
    for k in range(n - 1):
        i, j = rng.choice(len(nodes), 2, replace=False)
        child[k] = nodes[i], nodes[j]
        nodes = [x for x in nodes if x not in child[k]] + [n + k]
    return child


def known(rows, n, noise=0.1, cannot=(), group=None, hard=False):
    rows = np.array(rows, np.int32).reshape(-1, 3)
    group = np.arange(n, dtype=np.int32) if group is None else np.array(group, np.int32)
    one, apart = np.ones(len(rows)), np.array(cannot, np.int32).reshape(-1, 2)
    return trees.TreeStatements(rows, one, np.full(len(rows), hard), apart, group, noise, (rows, one))


def clades_of_parent(parent):
    n = (len(parent) + 1) // 2
    below = [{v} if v < n else set() for v in range(len(parent))]
    for v in range(len(parent) - 1):
        below[parent[v]] |= below[v]
    return below[n:]


def is_satisfiable(leaves, rows):
    """Aho's algorithm by its definition, recursive."""
    rows = [t for t in rows if set(t) <= set(leaves)]
    if not rows:
        return True
    parts = components(leaves, [t[:2] for t in rows])
    return len(parts) > 1 and all(is_satisfiable(p, rows) for p in parts)


# ---------------------------------------------------------------------- the theorem


@pytest.mark.parametrize("shape", SHAPES_5)
def test_any_union_of_components_is_safe(shape):
    """On all consistent sets of triplets on five leaves, up to their names. Sets on fewer leaves are among them."""
    all_rows = triplets_of(shape)
    for keep in product((False, True), repeat=len(all_rows)):
        rows = [t for t, k in zip(all_rows, keep, strict=True) if k]
        parts = components(range(5), [t[:2] for t in rows])
        assert len(parts) > 1 or not rows
        for sides in product((0, 1), repeat=len(parts)):
            one = {x for p, s in zip(parts, sides, strict=True) if s for x in p}
            two = set(range(5)) - one
            for a, b, c in rows:
                inside = {a, b, c} <= one or {a, b, c} <= two
                assert inside or ({a, b} <= one and c in two) or ({a, b} <= two and c in one)
            assert is_satisfiable(one, rows)
            assert is_satisfiable(two, rows)


@pytest.mark.parametrize("n_groups", [2, 4])
def test_hard_divisions_do_not_depend_on_which_triplets_say_the_same(n_groups, rng):
    """Stars of groups and single leaves, where `decompose` has many triplets of a group or few."""
    for _ in range(20):
        n = 4 * n_groups + 5
        h = tt.Hierarchy.from_nested([[4 * g + i for i in range(4)] for g in range(n_groups)] + list(range(n - 5, n)))
        every = tt.algorithms.all_triplets(h)
        base = random_base(rng, n)
        sets = tt.decompose(h), every, tt.decompose(h) | every.subset(rng.random(len(every)) < 0.5)
        found = [clades_of_parent(trees.divided(base, known(x.reindex(range(n)).rows, n, hard=True))) for x in sets]
        assert set(map(frozenset, found[0])) == set(map(frozenset, found[1])) == set(map(frozenset, found[2]))


@pytest.mark.parametrize("seed", range(20))
def test_weights_by_clade_by_their_definition(seed):
    rng = np.random.default_rng(seed)
    triplets = tt.sample_triplets(yule(9, rng), 12, random_state=rng)
    tree, want = tt.one_tree(triplets), np.zeros(len(triplets))
    below = {u: set(tree.clade(u)) for u in range(tree.n_nodes)}
    child = {u: [v for v in below if tree.parent[v] == u] for u in below}

    def towards(row):
        top = min((u for u in below if set(row) <= below[u]), key=lambda u: len(below[u]))
        return tuple(next(v for v in child[top] if x in below[v]) for x in (row[0], row[2]))

    ends = [towards([tree.leaves[x] for x in row]) for row in triplets.rows]
    for k, (clade, other) in enumerate(ends):
        siblings = {y for x, y in ends if x == clade}
        want[k] = (len(child[clade]) - 1) / len(siblings) / ends.count((clade, other))
    np.testing.assert_allclose(statements.weight_by_clade(triplets.rows, triplets.leaves), want)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES_5)
def test_hard_divisions_keep_all_triplets(shape, rng):
    """All consistent sets on five leaves, up to their names, each on a random base."""
    all_rows = np.array(triplets_of(shape), np.int32)
    for keep in product((False, True), repeat=len(all_rows)):
        rows = all_rows[list(keep)]
        parent = trees.divided(random_base(rng, 5), known(rows, 5, hard=True))
        clades = clades_of_parent(parent)
        assert all(displayed(clades, a, b, c) for a, b, c in rows.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("n", [6, 7, 12, 40])
def test_hard_divisions_of_more_leaves(n, rng):
    for _ in range(100 if n < 10 else 10):
        rows = np.array(triplets_of(random_nested(rng, n)), np.int32)
        rows = rows[rng.random(len(rows)) < rng.choice([0.05, 0.3, 1.0])]
        parent = trees.divided(random_base(rng, n), known(rows, n, hard=True))
        assert sorted(np.bincount(parent[:-1])[n:]) == [2] * (n - 1)
        assert (parent[:-1] > np.arange(2 * n - 2)).all()
        assert trees.shown_by(parent, rows).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*names are exchanged")  # features are random
def test_the_estimator_keeps_all_triplets(rng):
    for n in (3, 5, 8, 30):
        X = rng.normal(size=(n, 2))
        rows = np.array(triplets_of(random_nested(rng, n)), np.int32)
        rows = rows[rng.random(len(rows)) < 0.3] if n > 3 else rows
        model = DivisiveReCon(2, constraints="hard").fit(X, triplets=rows)
        assert tt.displays(model.hierarchy_, model.triplets_).all()
        assert len(model.violated_triplets_) == 0
        assert model.constraints_ == "hard"


# ---------------------------------------------------------------------- nothing known


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_without_knowledge_it_is_plain_linkage(n, rng):
    X = rng.normal(size=(n, 3))
    for metric, Z, link in (
        ("euclidean", X, "ward"),
        ("cosine", X / np.linalg.norm(X, axis=1, keepdims=True), "ward"),
        ("precomputed", squareform(pdist(X)) if n > 1 else np.zeros((1, 1)), "average"),
    ):
        mine = DivisiveReCon(1, metric=metric).fit(X if metric == "cosine" else Z)
        plain = ReCon(1, linkage=link, metric="precomputed" if link == "average" else "euclidean").fit(Z)
        assert mine.hierarchy_ == plain.hierarchy_
        np.testing.assert_allclose(mine.linkage_, plain.linkage_, rtol=1e-14)  # cosine: lengths are rounded apart


def test_a_base_without_triplets_stays(rng):
    for n in (2, 5, 30):
        base = random_base(rng, n)
        parent = trees.divided(base, known([], n))
        assert tt.Hierarchy(parent) == tt.Hierarchy(posterior.parents_of(base))


def test_linkage_of_a_plain_tree_is_that_of_scipy(rng):
    X = rng.normal(size=(40, 3))
    for is_matrix, Z, want in (
        (False, X, linkage(X, "ward")),
        (True, squareform(pdist(X)), linkage(pdist(X), "average")),
    ):
        got = trees.linkage_of(posterior.parents_of(want[:, :2].astype(np.int32)), Z, is_matrix)
        np.testing.assert_array_equal(np.sort(got[:, :2], 1), np.sort(want[:, :2], 1))
        np.testing.assert_allclose(got[:, 2:], want[:, 2:])


# ---------------------------------------------------------------------- the core's parts against their definitions


@pytest.mark.parametrize(("ward", "method"), [(True, "ward"), (False, "average")])
def test_link_is_that_of_scipy(ward, method, rng):
    for n in (2, 3, 10, 60):
        X = rng.normal(size=(n, 4))
        child, height = core.link(squareform(pdist(X)), np.ones(n), ward)
        want = linkage(X, method)
        np.testing.assert_allclose(np.sqrt(height) if ward else height, want[:, 2])
        np.testing.assert_array_equal(np.sort(child, 1), np.sort(want[:, :2], 1))


@pytest.mark.parametrize("ward", [True, False])
def test_link_counts_repeated_rows_by_their_size(ward, rng):
    X, size = rng.normal(size=(12, 3)), rng.integers(1, 5, 12)
    _, height = core.link(squareform(pdist(X)), size.astype(float), ward)
    Z = linkage(np.repeat(X, size, axis=0), "ward" if ward else "average")
    np.testing.assert_allclose(np.sqrt(height) if ward else height, Z[size.sum() - 12 :, 2])


def test_mean_sizes_by_their_definition(rng):
    n = 9
    parent, size = posterior.parents_of(random_base(rng, n)), rng.integers(1, 4, n).astype(float)
    total = np.zeros((n, n))
    core.add_sizes(parent, size, 0.5, total)
    for i, j in combinations(range(n), 2):
        least = min((c for c in clades_of_parent(parent) if {i, j} <= c), key=len)
        assert total[i, j] == pytest.approx(0.5 * np.sqrt(sum(size[x] for x in least)))


def enumerated(child, change):
    """(labels of the leaves, probability, least price) over labels of all nodes but the root."""
    n = len(child) + 1
    chance, price = {}, {}
    edges = [(n + k, int(v)) for k, pair in enumerate(child[:-1]) for v in pair]
    for labels in product((0, 1), repeat=2 * n - 2):
        p, cost = 1.0, 0.0
        for u, v in edges:
            p *= change if labels[u] != labels[v] else 1 - change
            cost += np.log((1 - change) / change) if labels[u] != labels[v] else 0.0
        leaves = labels[:n]
        chance[leaves] = chance.get(leaves, 0.0) + p
        price[leaves] = min(price.get(leaves, np.inf), cost)
    return chance, price


def test_the_field_on_the_tree_by_enumeration(rng):
    change = 0.1
    for n in (2, 3, 5, 6):
        child = random_base(rng, n)
        chance, price = enumerated(child, change)
        own = np.exp(rng.normal(size=n))
        odds = core.marginals(child, own, change)
        for i in range(n):
            one = two = 0.0
            for labels, p in chance.items():
                p *= np.prod(own ** np.array(labels))
                one, two = (one + p, two) if labels[i] else (one, two + p)
            assert odds[i] == pytest.approx(one / two)
        for labels, cost in price.items():
            side = np.array(labels, bool)
            got = core.least_price(child, side, np.log((1 - change) / change))
            assert got == pytest.approx(cost)


def test_restricted_trees_by_their_clades(rng):
    for n in (2, 5, 12):
        child = random_base(rng, n)
        whole = clades_of_parent(posterior.parents_of(child))
        side = np.zeros(n, bool)
        side[rng.permutation(n)[: rng.integers(1, n)]] = True
        for value, part in zip((False, True), core.restricted(child, side), strict=True):
            leaves = np.flatnonzero(side == value)
            k = leaves.size
            assert part.shape == (k - 1, 2)
            got = [{int(leaves[x]) for x in c} for c in clades_of_parent(posterior.parents_of(part))] if k > 1 else []
            want = {frozenset(c & set(leaves.tolist())) for c in whole}
            assert sorted(map(sorted, got)) == sorted(sorted(c) for c in want if len(c) > 1)


def test_few_columns_give_back_a_smooth_kernel(rng):
    distance = squareform(pdist(rng.normal(size=(50, 2))))
    scale = np.full(50, 2.0)
    columns = core.columns(distance, scale, 50)
    np.testing.assert_allclose(columns @ columns.T, np.exp(-((distance / 2) ** 2)), atol=0.05)
    assert core.columns(distance, scale, 3).shape == (50, 3)


# ---------------------------------------------------------------------- pairs, large data, order


def test_must_linked_groups_are_clades(rng):
    for _ in range(20):
        n = int(rng.integers(4, 25))
        label = rng.integers(0, n // 2, n)
        group = np.array([np.flatnonzero(label == x)[0] for x in label])
        rows = np.array([rng.permutation(n)[:3] for _ in range(n)], np.int32)
        parent = trees.divided(random_base(rng, n), known(rows, n, group=group))
        clades = clades_of_parent(parent)
        for g in np.unique(group):
            members = set(np.flatnonzero(group == g).tolist())
            assert len(members) == 1 or members in clades


@pytest.mark.slow
def test_many_samples_go_by_way_of_clades(monkeypatch, rng):
    X = np.concatenate([rng.normal(size=(50, 2)) + 6 * k for k in range(3)])
    rows = np.array(triplets_of(random_nested(rng, 25)), np.int32) * 6
    for step in ("tree", "estimator"):
        monkeypatch.setattr(f"tripletree.cluster.divisive.{step}.ITEMS_MAX", 20)
    model = DivisiveReCon(3, constraints="hard").fit(X, triplets=rows)
    assert tt.displays(model.hierarchy_, model.triplets_).all()
    soft = DivisiveReCon(3).fit(X, triplets=rows)
    assert (soft.constraints_, soft.reason_) == ("soft", "some triplets may be wrong")
    merges = linkage(X, "ward")
    owner, plain = items.coarse_clades(merges, 20)
    assert owner.max() == 19
    np.testing.assert_array_equal(items.refined(plain, merges), merges[:, :2])
    np.testing.assert_array_equal(items.coarse_clades(merges, 150)[1], merges[:, :2])
    base = random_base(rng, 20)
    clades = clades_of_parent(posterior.parents_of(items.refined(base, merges)))
    for g in range(20):
        members = set(np.flatnonzero(owner == g).tolist())
        assert len(members) == 1 or members in clades


@pytest.mark.slow
def test_threads_and_runs_do_not_change_the_result(monkeypatch, rng):
    X, rows = rng.normal(size=(60, 3)), np.array([rng.permutation(60)[:3] for _ in range(80)])
    models = []
    for cores in (1, 4, 4):
        monkeypatch.setattr(trees.os, "cpu_count", lambda cores=cores: cores)
        models.append(DivisiveReCon(3, constraints="soft").fit(X, triplets=rows))
    assert models[0].hierarchy_ == models[1].hierarchy_ == models[2].hierarchy_
    np.testing.assert_array_equal(models[0].linkage_, models[1].linkage_)


def test_few_triplets_divide_a_tree_if_no_trees_are_sampled():
    """Fewer triplets than samples that they name. Features say nothing, so an undivided tree displays about half."""
    shares = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, h = rng.normal(size=(60, 2)), yule(60, rng)
        t = tt.TripletSet(tt.sample_triplets(h, 20, random_state=rng).rows, 60)
        shares.append(tt.displays(DivisiveReCon(4, effort=0, noise=0.01).fit(X, triplets=t).hierarchy_, t).mean())
    assert np.mean(shares) > 0.7
