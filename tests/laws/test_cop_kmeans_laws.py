import warnings
from itertools import combinations, product

import numpy as np
import pytest
from cop_oracle import (
    cheapest_definition,
    cop_kmeans_definition,
    feasible_definition,
    incremental_definition,
    is_clique,
    listing_definition,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from tripletree._core import engine
from tripletree.cluster import COPKMeans
from tripletree.cluster.feasibility import CannotGraph, NotColourable
from tripletree.cluster.kmeans.lloyd import Points, refill, starting_centres
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InconsistentPairsError, InfeasibleClusteringError


def random_edges(rng, n, share):
    return np.array([pair for pair in combinations(range(n), 2) if rng.random() < share], np.int32).reshape(-1, 2)


def class_pairs(rng, y, count):
    """Random pairs, as the classes have them: must-links and cannot-links."""
    first, second = np.triu_indices(len(y), 1)
    pick = rng.choice(first.size, count, replace=False)
    rows = np.stack([first[pick], second[pick]], axis=1)
    same = y[rows[:, 0]] == y[rows[:, 1]]
    return rows[same], rows[~same]


def holds(labels, pairs):
    must, cannot = (np.array(x, int).reshape(-1, 2) for x in pairs)
    together, apart = (labels[x[:, 0]] == labels[x[:, 1]] for x in (must, cannot))
    return together.all() and not apart.any()


# ------------------------------------------------------------------ whether k clusters suffice


def outcome(function, *failures):
    """The result of a function, and the failure it ended with instead."""
    try:
        return function(), None
    except failures as failure:
        return None, failure


def test_feasible__is_what_trying_all_says():
    infeasible = cliques = contradictions = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        k = int(rng.integers(1, min(n, 3) + 1))
        must, cannot = random_edges(rng, n, 0.12), random_edges(rng, n, rng.choice([0.3, 0.6, 0.9]))
        wanted = [x for x in feasible_definition(n, k, must.tolist(), cannot.tolist()) if len(set(x)) == k]
        model, X = COPKMeans(k, n_init=1, random_state=seed), rng.normal(size=(n, 2))
        errors = InconsistentPairsError, InfeasibleClusteringError
        found, error = outcome(lambda model=model, X=X, pairs=(must, cannot): model.fit(X, pairs=pairs), *errors)
        assert (error is None) == bool(wanted)
        assert error is None or getattr(error, "proved", True)
        assert error is not None or tuple(found.labels_.tolist()) in wanted
        contradictions += isinstance(error, InconsistentPairsError)
        infeasible += isinstance(error, InfeasibleClusteringError)
        cliques += bool(getattr(error, "clique", ()))
    assert min(infeasible, cliques, contradictions) > 20


def test_feasible__the_reason_is_one():
    cliques = others = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        m, k = int(rng.integers(5, 9)), int(rng.integers(1, 4))
        edges = random_edges(rng, m, rng.choice([0.3, 0.6]))
        if seed % 3 == 0:  # a ring of five needs three clusters
            k, ring = 2, [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]]
            edges = np.unique(np.concatenate([edges[edges[:, 1] > 4], ring]), axis=0).astype(np.int32)
        graph = CannotGraph(edges, m)
        colours, failure = outcome(lambda graph=graph, k=k, rng=rng: graph.colour(k, rng, 10_000), NotColourable)
        if failure is None:
            full = np.full(m, -1)
            full[graph.bound] = colours
            assert all(full[a] != full[b] for a, b in edges.tolist())
            continue
        part = failure.groups
        inside = [(part.index(a), part.index(b)) for a, b in edges.tolist() if {a, b} <= set(part)]
        assert feasible_definition(len(part), k, [], inside) == []
        for left in range(len(part)):  # none can be left out
            rest = [(a - (a > left), b - (b > left)) for a, b in inside if left not in (a, b)]
            assert feasible_definition(len(part) - 1, k, [], rest)
        assert failure.is_clique == any(is_clique(x, edges.tolist()) for x in combinations(range(m), k + 1))
        assert failure.is_clique == is_clique(part, edges.tolist())
        cliques += failure.is_clique
        others += not failure.is_clique
    assert min(cliques, others) > 20


# ------------------------------------------------------------------ the cheapest assignment


def test_assign__is_the_cheapest():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        m, k = int(rng.integers(2, 8)), int(rng.integers(2, 5))
        graph = CannotGraph(random_edges(rng, m, rng.choice([0.2, 0.4, 0.7])), m)
        m = graph.bound.size
        edges = [
            (v, int(w))
            for v in range(m)
            for w in graph.neighbours.near[graph.neighbours.start[v] : graph.neighbours.start[v + 1]]
            if v < w
        ]
        cost = rng.random((m, k)) if seed % 3 else rng.integers(0, 3, (m, k)).astype(float)
        wanted = cheapest_definition(cost, edges)
        if wanted == np.inf:
            continue
        labels, is_cheapest = graph.assign(cost, graph.colour(k, rng, 1000))
        assert is_cheapest
        assert all(labels[a] != labels[b] for a, b in edges)
        assert cost[np.arange(m), labels].sum() == pytest.approx(wanted)


def test_assign__a_tree_of_any_size_exactly():
    # a path in which all want cluster 0, at a price of 1: every second one has to give in
    m = 501
    path = np.stack([np.arange(m - 1), np.arange(1, m)], axis=1)
    graph = CannotGraph(path, m)
    labels, is_cheapest = graph.assign(np.tile([0.0, 1.0, 1.5], (m, 1)), graph.colour(3, np.random.default_rng(0), 9))
    assert is_cheapest
    assert labels.tolist() == [0, 1] * (m // 2) + [0]


def test_assign__what_is_not_entangled_may_be_left_out():
    left_out = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        m, k = 40, int(rng.integers(3, 6))
        graph = CannotGraph(random_edges(rng, m, rng.choice([0.02, 0.03, 0.05])), m)
        shape = (graph.bound.size, k)
        cost = rng.random(shape) if seed % 3 else rng.integers(0, 3, shape).astype(float)
        known, nearest = graph.colour(k, rng, 1000), cost.argmin(axis=1).astype(np.int32)
        some = graph.entangled(nearest)
        left_out += nearest.size - some.size
        told, own = np.zeros_like(cost), nearest.copy()
        told[some], own[some] = cost[some], known[some]
        labels, is_cheapest = graph.assign(told, own, some=some)
        whole, proved = graph.assign(cost, known)
        assert is_cheapest == proved
        assert (cost[np.arange(len(cost)), labels] == cost[np.arange(len(cost)), whole]).all()
        if seed % 3:
            assert labels.tolist() == whole.tolist()
    assert left_out > 300


def disjoint(*graphs):
    """Edges of several graphs, given by their numbers of nodes and edges, side by side."""
    begin = np.cumsum([0, *(n for n, _ in graphs)])
    return np.concatenate([np.array(edges) + at for at, (_, edges) in zip(begin[:-1], graphs, strict=True)])


def test_assign__cliques_with_trees_on_them_exactly():
    # whatever the limit: they are linear assignment problems
    for seed in range(24):
        rng = np.random.default_rng(seed)
        size, k = int(rng.integers(3, 5)), int(rng.integers(4, 6))
        clique = list(combinations(range(size), 2))
        hanging = [(int(rng.integers(v)), v) for v in range(size, size + 2)]
        graph = CannotGraph(disjoint((size + 2, clique + hanging)).astype(np.int32), size + 2)
        cost = rng.random((size + 2, k)) if seed % 2 else rng.integers(0, 3, (size + 2, k)).astype(float)
        labels, is_cheapest = graph.assign(cost, graph.colour(k, rng, 1000), 1 if size > 3 else 1000)
        assert is_cheapest
        assert all(labels[a] != labels[b] for a, b in clique + hanging)
        assert cost[np.arange(size + 2), labels].sum() == pytest.approx(cheapest_definition(cost, clique + hanging))


def test_assign__parts_of_many_kinds_together():
    rng = np.random.default_rng(5)
    ring, clique = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)], list(combinations(range(5), 2))
    multipartite = [(a, b) for a, b in combinations(range(6), 2) if a // 2 != b // 2]
    parts = [(5, ring), (5, clique), (6, multipartite), (3, [(0, 1), (1, 2)]), (5, clique)]
    edges = disjoint(*parts).astype(np.int32)
    graph, n = CannotGraph(edges, 24), 0
    cost = rng.random((24, 5))
    labels, is_cheapest = graph.assign(cost, graph.colour(5, rng, 1000))
    assert is_cheapest
    assert (labels[edges[:, 0]] != labels[edges[:, 1]]).all()
    for size, own in parts:
        total = cost[np.arange(n, n + size), labels[n : n + size]].sum()
        assert total == pytest.approx(cheapest_definition(cost[n : n + size], own))
        n += size


@pytest.mark.parametrize("limit", [1, 300, 10_000])
def test_assign__within_a_limit_keeps_the_pairs_and_is_never_dearer(limit):
    short = proved = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        m, k = int(rng.integers(5, 8)), int(rng.integers(3, 5))
        y = rng.integers(0, k, m)
        edges = random_edges(rng, m, 0.6)
        edges = edges[y[edges[:, 0]] != y[edges[:, 1]]]
        if not len(edges):
            continue
        graph = CannotGraph(edges, m)
        cost = rng.random((m, k)) if seed % 2 else rng.integers(0, 3, (m, k)).astype(float)
        own, known = cost[graph.bound], y[graph.bound].astype(np.int32)
        labels, is_cheapest = graph.assign(own, known, limit)
        place = {int(v): i for i, v in enumerate(graph.bound)}
        inside = [(place[a], place[b]) for a, b in edges.tolist()]
        total = own[np.arange(len(own)), labels].sum()
        assert all(labels[a] != labels[b] for a, b in inside)
        assert total <= own[np.arange(len(own)), known].sum() + 1e-12
        assert not is_cheapest or total == pytest.approx(cheapest_definition(own, inside))
        again, _ = graph.assign(own, labels, limit)
        assert own[np.arange(len(own)), again].sum() <= total + 1e-12
        short, proved = short + (not is_cheapest), proved + is_cheapest
    assert proved > 0
    assert (short > 0) == (limit < 10_000)


def test_assign__a_cheapest_one_stays_as_it_is():
    # of several that cost the same, the known one: else runs would not settle
    clique = np.array(list(combinations(range(5), 2)), np.int32)
    labels = np.array([4, 2, 0, 1, 3], np.int32)
    assert CannotGraph(clique, 5).assign(np.ones((5, 6)), labels)[0].tolist() == labels.tolist()


@pytest.mark.parametrize("steps", [1, 3, 7, 10_000])
def test_search__in_slices_ends_at_the_same(steps, rng):
    edges = random_edges(rng, 9, 0.5)
    graph = CannotGraph(edges, 9)
    m = graph.bound.size
    cost, priority = rng.random((m, 4)), np.zeros(m)
    search = engine.feasibility.AssignmentSearch(*graph.neighbours, cost, priority, np.zeros((m, 4), np.int32))
    search.begin_part(0, m, np.inf)
    over, calls = False, 0
    while not over:
        over = search.search(steps, False)
        calls += 1
    assert cost[np.arange(m), search.best()].sum() == pytest.approx(search.best_cost)
    assert search.best_cost == pytest.approx(cheapest_definition(cost, edges.tolist()))
    assert calls == 1 or steps < 10_000


def test_search__never_ends_dearer_than_it_began(rng):
    # a dense part of 40 nodes: the search stops at its limit
    edges = random_edges(rng, 40, 0.3)
    graph = CannotGraph(edges, 40)
    labels = graph.colour(8, rng, 10_000)
    cost = rng.random((40, 8))
    totals = [cost[np.arange(40), labels].sum()]
    for _ in range(3):
        labels, is_cheapest = graph.assign(cost, labels, 2_000)
        assert not is_cheapest
        assert (labels[edges[:, 0]] != labels[edges[:, 1]]).all()
        totals.append(cost[np.arange(40), labels].sum())
    assert totals[1] < totals[0]
    assert sorted(totals, reverse=True) == totals


# ------------------------------------------------------------------ the whole


@pytest.mark.parametrize("order", ["input", "degree", "random", "exact"])
def test_runs__never_break_a_pair(order):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 30)
        pairs = class_pairs(rng, y, 60)
        model = COPKMeans(int(rng.integers(3, 6)), n_init=2, assignment=order, random_state=seed)
        labels = model.fit_predict(rng.normal(size=(30, 2)), pairs=pairs)
        assert holds(labels, pairs)
        assert len(set(labels.tolist())) == model.n_clusters


@settings(max_examples=40)
@given(st.data())
def test_runs__hold_the_pairs_or_say_why(data):
    n = data.draw(st.integers(1, 12))
    samples = st.integers(0, n - 1)
    links = st.lists(st.tuples(samples, samples).filter(lambda x: x[0] != x[1]), max_size=12 if n > 1 else 0)
    pairs = data.draw(links), data.draw(links)
    X = np.array(data.draw(st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=n, max_size=n)), float)
    k = data.draw(st.integers(1, min(n, 4)))
    try:
        model = COPKMeans(k, n_init=2, random_state=0).fit(X, pairs=pairs)
    except (InconsistentPairsError, InfeasibleClusteringError):
        return
    assert holds(model.labels_, pairs)
    assert sorted(set(model.labels_.tolist())) == list(range(k))
    squared = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(squared)


def test_runs__inertia_never_rises(rng):
    y = rng.integers(0, 4, 80)
    X = rng.normal(size=(80, 3)) + y[:, None]
    pairs = class_pairs(rng, y, 120)
    for seed in range(2):
        start = X[np.random.default_rng(seed).choice(80, 4, replace=False)]
        inertia = []
        for most in range(1, 9):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = COPKMeans(4, init=start, max_iter=most, tol=0).fit(X, pairs=pairs)
            inertia.append(model.inertia_)
        assert len(set(inertia)) > 1
        assert all(b <= a * (1 + 1e-12) for a, b in zip(inertia[:-1], inertia[1:], strict=True))


@pytest.mark.parametrize("limit", [200, 1_000_000])
def test_runs__in_dense_parts_never_rise_whatever_the_limit(limit, rng):
    y = np.repeat(np.arange(5), 10)
    X = rng.normal(size=(50, 2)) + y[:, None]
    cannot = random_edges(rng, 50, 0.5)
    cannot = cannot[y[cannot[:, 0]] != y[cannot[:, 1]]]
    start, inertia, model = X[:5], [], None
    for most in range(1, 6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = COPKMeans(5, init=start, max_iter=most, tol=0, max_steps=limit).fit(X, pairs=([], cannot))
        assert holds(model.labels_, ([], cannot))
        inertia.append(model.inertia_)
    assert all(b <= a * (1 + 1e-12) for a, b in zip(inertia[:-1], inertia[1:], strict=True))
    assert limit > 200 or model.n_cut_short_ > 0


def test_runs__in_the_order_of_the_paper_are_its_listing():
    agreed = failed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 4, 40)
        X = rng.normal(size=(40, 2)) + 2 * y[:, None]
        _, cannot = class_pairs(rng, y, 30)
        start = X[rng.choice(40, 4, replace=False)]
        wanted = cop_kmeans_definition(X, np.ones(40), cannot.tolist(), start)
        model = COPKMeans(4, init=start, tol=0, assignment="input").fit(X, pairs=([], cannot))
        if wanted is None:
            failed += 1
            assert holds(model.labels_, ([], cannot))
        elif len(set(wanted[0].tolist())) == 4 and model.n_dead_ends_ == 0:
            agreed += 1
            assert model.labels_.tolist() == wanted[0].tolist()
            np.testing.assert_allclose(model.cluster_centers_, wanted[1])
    assert agreed > 20
    assert failed > 0


def test_runs__of_the_listing_are_those_of_the_paper():
    agreed = failed = other = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 30)
        X = rng.normal(size=(30, 2)) + 1.5 * y[:, None]
        pairs = PairwiseConstraints(*class_pairs(rng, y, 40), 30)
        start = X[rng.choice(30, 3, replace=False)]
        whole = pairs.expand()
        wanted = listing_definition(X, whole.must_link.tolist(), whole.cannot_link.tolist(), start)
        model = COPKMeans(3, init=start, tol=0, assignment="listing")
        if wanted is None:
            failed += 1
            with pytest.raises(InfeasibleClusteringError, match="assignment='listing' came to a sample") as caught:
                model.fit(X, pairs=pairs)
            assert not caught.value.proved
        elif len(set(wanted[0].tolist())) == 3:
            agreed += 1
            model.fit(X, pairs=pairs)
            assert model.labels_.tolist() == wanted[0].tolist()
            np.testing.assert_allclose(model.cluster_centers_, wanted[1])
            by_mean = COPKMeans(3, init=start, tol=0, assignment="input").fit(X, pairs=pairs)
            other += model.labels_.tolist() != by_mean.labels_.tolist()
    assert min(agreed, failed, other) > 10


@pytest.mark.parametrize("violates", [False, True])
def test_runs__one_by_one_are_those_of_macqueen(violates):
    agreed = failed = violated = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 30)
        X = rng.normal(size=(30, 2)) + 1.5 * y[:, None]
        pairs = PairwiseConstraints(*class_pairs(rng, y, 40), 30)
        start = X[rng.choice(30, 3, replace=False)]
        whole = pairs.expand()
        rows = whole.must_link.tolist(), whole.cannot_link.tolist()
        wanted = incremental_definition(X, *rows, start, violates=violates)
        model = COPKMeans(3, init=start, assignment="incremental", on_dead_end="violate" if violates else "raise")
        if wanted is None:
            failed += 1
            with pytest.raises(InfeasibleClusteringError, match="assignment='incremental' came to a sample"):
                model.fit(X, pairs=pairs)
        elif len(set(wanted[0].tolist())) == 3:
            agreed += 1
            model.fit(X, pairs=pairs)
            assert model.labels_.tolist() == wanted[0].tolist()
            np.testing.assert_allclose(model.cluster_centers_, wanted[1])
            kept = holds(model.labels_, rows)
            violated += not kept
            assert kept or model.n_dead_ends_ > 0
    assert agreed > 30
    assert (violated if violates else failed) > 10


def test_runs__of_the_listing_that_may_violate_end_at_what_it_leaves_out():
    rng, violated = np.random.default_rng(0), 0
    for _ in range(40):
        y = rng.integers(0, 3, 30)
        X = rng.normal(size=(30, 2)) + 1.5 * y[:, None]
        pairs = PairwiseConstraints(*class_pairs(rng, y, 40), 30)
        start = X[rng.choice(30, 3, replace=False)]
        strict = COPKMeans(3, init=start, assignment="listing")
        model = COPKMeans(3, init=start, assignment="listing", on_dead_end="violate").fit(X, pairs=pairs)
        assert holds(model.labels_, (pairs.must_link, []))
        try:
            assert strict.fit(X, pairs=pairs).labels_.tolist() == model.labels_.tolist()
            assert model.n_dead_ends_ == 0
        except InfeasibleClusteringError:
            violated += 1
            assert model.n_dead_ends_ > 0
    assert violated > 5


@pytest.mark.parametrize("is_flow", [False, True])
def test_sizes__assignments_are_the_cheapest_of_all_that_keep_them(is_flow):
    changed = impossible = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, k, least = 8, int(rng.integers(2, 4)), int(rng.integers(2, 4))
        most = int(rng.integers(max(least, -(-n // k)), n + 1))
        X, y = rng.normal(size=(n, 2)) ** 3, rng.integers(0, k, n)
        pairs = class_pairs(rng, y, 0 if is_flow else int(rng.integers(1, 6)))
        all_labels = np.array(list(product(range(k), repeat=n)))
        sizes = (all_labels[:, :, None] == np.arange(k)).sum(axis=1)
        allowed = (sizes.min(axis=1) >= least) & (sizes.max(axis=1) <= most)
        possible = [labels for labels in all_labels[allowed] if holds(labels, pairs)]
        model = COPKMeans(k, min_size=least, max_size=most, n_init=2, tol=0.0, random_state=seed)
        if not possible:
            impossible += 1
            with pytest.raises(InfeasibleClusteringError) as error:
                model.fit(X, pairs=pairs)
            assert error.value.proved
            continue
        labels = model.fit(X, pairs=pairs).labels_
        assert holds(labels, pairs)
        assert np.bincount(labels, minlength=k).min() >= least
        assert np.bincount(labels, minlength=k).max() <= most
        squared = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
        cheapest = min(squared[np.arange(n), x].sum() for x in possible)
        assert squared[np.arange(n), labels].sum() == pytest.approx(cheapest)
        plain = np.bincount(COPKMeans(k, random_state=seed).fit(X, pairs=pairs).labels_)
        changed += plain.min() < least or plain.max() > most
    assert changed > 10
    assert impossible > 3


def cheapest_of_all(X, centres, weights, pairs, least, most, sizes):
    """The least cost of an assignment to given centres that keeps pairs and sizes, by trying all. None if none does."""
    n, k = len(X), len(centres)
    squared = weights[:, None] * ((X[:, None] - centres) ** 2).sum(axis=2)
    costs = [
        squared[np.arange(n), labels].sum()
        for labels in map(np.array, product(range(k), repeat=n))
        if holds(labels, pairs) and all(least - 1e-9 <= sizes[labels == c].sum() <= most + 1e-9 for c in range(k))
    ]
    return min(costs, default=None)


@pytest.mark.parametrize("with_pairs", [False, True])
@pytest.mark.parametrize("kind", ["samples", "weights", "equal weights"])
def test_sizes__fixed_centres_get_the_cheapest_samples_of_all_assignments(kind, with_pairs):
    size_in = "samples" if kind == "samples" else "weights"
    impossible = emptied = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        n, k = 7, int(rng.integers(2, 4))
        X, centres = rng.normal(size=(n, 2)) ** 3, rng.normal(size=(k, 2)) * (1 + 3 * (seed % 2))
        centres[0] += 40.0 * (seed % 4 == 1)
        weights = rng.choice([0.1, 0.2, 0.3, 0.7], n) if kind != "equal weights" else np.full(n, 0.3)
        sizes = np.ones(n) if size_in == "samples" else weights
        least = (None, None, 1, 2)[seed % 4]
        most = (4, None, 3, 5)[seed // 4 % 4]
        if size_in == "weights":
            least, most = (None if x is None else x * 0.3 for x in (least, most))
        pairs = class_pairs(rng, rng.integers(0, k, n), int(rng.integers(1, 4)) if with_pairs else 0)
        bounds = {"min_size": least, "max_size": most, "size_in": size_in}
        model = COPKMeans(k, fixed_centers=centres, random_state=0, **bounds)
        wanted = cheapest_of_all(X, centres, weights, pairs, least or 0, np.inf if most is None else most, sizes)
        if wanted is None:
            impossible += 1
            with pytest.raises(InfeasibleClusteringError):
                model.fit(X, pairs=pairs, sample_weight=weights)
            continue
        labels = model.fit(X, pairs=pairs, sample_weight=weights).labels_
        squared = weights * ((X - centres[labels]) ** 2).sum(axis=1)
        assert squared.sum() == pytest.approx(wanted)
        assert model.inertia_ == pytest.approx(wanted)
        assert holds(labels, pairs)
        assert model.cluster_centers_.tolist() == centres.tolist()
        size = np.bincount(labels, sizes, k)
        assert least is None or size.min() >= least - 1e-9
        assert most is None or size.max() <= most + 1e-9
        emptied += size.min() == 0
    assert impossible > 0 or kind != "weights"
    assert emptied > 0


def test_sizes__weights_of_clusters_that_move():
    changed = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, weights = rng.normal(size=(8, 2)) ** 3, rng.choice([0.5, 1.0, 2.5], 8)
        least = 0.3 * weights.sum()
        model = COPKMeans(2, min_size=least, size_in="weights", n_init=3, tol=0.0, random_state=seed)
        pairs = class_pairs(rng, rng.integers(0, 2, 8), 2)
        model.fit(X, pairs=pairs, sample_weight=weights)
        wanted = cheapest_of_all(X, model.cluster_centers_, weights, pairs, least, np.inf, weights)
        assert (weights * ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)).sum() == pytest.approx(wanted)
        for c in (0, 1):
            mine = model.labels_ == c
            assert model.cluster_centers_[c] == pytest.approx(np.average(X[mine], axis=0, weights=weights[mine]))
        plain = COPKMeans(2, random_state=seed).fit(X, pairs=pairs, sample_weight=weights).labels_
        changed += np.bincount(plain, weights).min() < least
    assert changed > 3


def test_fixed_centres__some_stay_and_the_others_are_means():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 2)) + rng.choice([0.0, 6.0], (30, 1))
        fixed = np.array([[0.5, -0.5], [50.0, 50.0]])
        for init in ("k-means++", "random", X[:2]):
            model = COPKMeans(4, fixed_centers=fixed, init=init, n_init=2, tol=0.0, random_state=seed).fit(X)
            assert model.cluster_centers_[:2].tolist() == fixed.tolist()
            assert 1 not in model.labels_  # nothing is near
            for c in (2, 3):
                assert model.cluster_centers_[c] == pytest.approx(X[model.labels_ == c].mean(axis=0))
            squared = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
            assert model.labels_.tolist() == squared.argmin(axis=1).tolist()
            assert model.predict(X).tolist() == model.labels_.tolist()
        small = COPKMeans(2, fixed_centers=fixed, min_size=1, random_state=0).fit(X).labels_
        dearer = ((X - fixed[1]) ** 2 - (X - fixed[0]) ** 2).sum(axis=1)
        assert np.flatnonzero(small == 1).tolist() == [int(dearer.argmin())]


def test_runs__must_linked_samples_count_as_their_mean(rng):
    X = rng.normal(size=(30, 2))
    must = [(0, 1), (1, 2), (5, 9), (10, 20), (20, 25)]
    cannot = [(0, 5), (9, 10), (3, 4)]
    start = X[[3, 6, 10]]
    model = COPKMeans(3, init=start, tol=0, assignment="input").fit(X, pairs=(must, cannot))
    group = {1: 0, 2: 0, 9: 5, 20: 10, 25: 10}
    heads = [i for i in range(30) if i not in group]
    members = [[i, *(j for j, h in group.items() if h == i)] for i in heads]
    points = np.array([X[m].mean(axis=0) for m in members])
    edges = [(heads.index(0), heads.index(5)), (heads.index(5), heads.index(10)), (heads.index(3), heads.index(4))]
    labels, centres = cop_kmeans_definition(points, np.array([len(m) for m in members]), edges, start)
    assert model.n_dead_ends_ == 0
    assert model.labels_[heads].tolist() == labels.tolist()
    np.testing.assert_allclose(model.cluster_centers_, centres)


def test_weights__two_is_twice_and_zero_is_not_there(rng):
    X = rng.normal(size=(25, 2))
    weights = rng.integers(0, 4, 25)
    weights[:6] = [1, 2, 1, 2, 1, 3]
    start = rng.normal(size=(3, 2))
    first = np.concatenate([[0], np.cumsum(weights)])
    pairs = [(0, 1), (2, 3)], [(1, 4), (3, 5), (4, 5)]
    twins = [(a, a + 1) for i, a in enumerate(first[:-1]) for a in range(a, a + weights[i] - 1)]
    moved = [[(int(first[a]), int(first[b])) for a, b in x] for x in pairs]
    for init in (start, "k-means++"):
        one = COPKMeans(3, init=init, random_state=3).fit(X, pairs=pairs, sample_weight=weights)
        many = COPKMeans(3, init=init, random_state=3)
        many.fit(np.repeat(X, weights, axis=0), pairs=(moved[0] + twins, moved[1]))
        np.testing.assert_allclose(one.cluster_centers_, many.cluster_centers_)
        assert one.inertia_ == pytest.approx(many.inertia_)
        assert np.repeat(one.labels_, weights).tolist() == many.labels_.tolist()
        assert one.labels_[weights == 0].tolist() == one.predict(X[weights == 0]).tolist()


def test_weights__zero_still_obeys_the_pairs():
    X = [[0.0], [0.1], [5.0], [5.1], [2.0]]
    labels = COPKMeans(2, init=[[0.0], [5.0]]).fit_predict(X, pairs=([], [(4, 0)]), sample_weight=[1, 1, 1, 1, 0])
    assert labels.tolist() == [0, 0, 1, 1, 1]


def test_start__does_not_depend_on_the_order_of_samples(rng):
    X = np.round(rng.normal(size=(40, 2)), 1)
    order = rng.permutation(40)
    for init in ("k-means++", "random"):
        one, two = (starting_centres(Points.of(x), 5, np.random.default_rng(7), init=init) for x in (X, X[order]))
        assert one.tolist() == two.tolist()


def test_start__k_means_plus_plus_takes_far_points():
    # three heaps far from each other: one centre in each, whatever is drawn
    X = np.concatenate([np.random.default_rng(0).normal(size=(30, 2)) + at for at in (0, 1e3, 2e3)])
    for seed in range(20):
        centres = starting_centres(Points.of(X), 3, np.random.default_rng(seed))
        assert sorted(np.round(centres[:, 0] / 1000).tolist()) == [0, 1, 2]


def test_start__weight_zero_is_never_drawn():
    X = np.arange(12.0)[:, None]
    weights = np.array([0.0, 1.0] * 6)
    for init in ("k-means++", "random"):
        for seed in range(30):
            centres = starting_centres(Points.of(X, weights), 6, np.random.default_rng(seed), init=init)
            assert sorted(centres[:, 0].tolist()) == [1, 3, 5, 7, 9, 11]


def test_refill__takes_the_farthest_out_of_clusters_of_several():
    labels, distances = np.array([0, 0, 0, 2, 2], np.int32), np.array([1.0, 5.0, 3.0, 4.0, 4.0])
    assert refill(labels, distances, 3).tolist() == [0, 1, 0, 2, 2]
    assert refill(labels, distances, 5).tolist() == [0, 1, 4, 3, 2]
    full = np.array([0, 1], np.int32)
    assert refill(full, np.zeros(2), 2) is full
    assert labels.tolist() == [0, 0, 0, 2, 2]
