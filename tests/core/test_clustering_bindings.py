"""What the core's loops of clustering refuse: whatever comes in, the answer is a result or an error, never a crash."""

import numpy as np
import pytest

from tripletree._core import engine

N, K, D, E = 6, 3, 2, 4  # samples, clusters, features, pairs


def integers(*values):
    return np.array(values, np.int32)


X = np.arange(float(N * D)).reshape(D, N)
ROWS, CENTRES, ONES = np.ascontiguousarray(X.T), X[:, :K].T.copy(), np.ones(N)
LABEL, ALL = integers(0, 1, 2, 0, 1, 2), np.arange(N, dtype=np.int32)
COST, PAY, NEAR = np.ones((N, K)), np.ones((E, K)), np.ones(K)
SCALE, OFFSET, OUT = np.ones((K, D)), np.zeros(K), np.zeros((N, K))
# pairs 0-1, 1-2 are must-links, 2-3, 4-5 are cannot-links
ENDS, ORDER, WEIGHT = integers(0, 1, 1, 2, 2, 3, 4, 5).reshape(E, 2), np.arange(E, dtype=np.int32), np.ones(E)
START, OTHER, PAIR = integers(0, 1, 3, 5, 6, 7, 8), integers(1, 0, 2, 1, 3, 2, 5, 4), integers(0, 0, 1, 1, 2, 2, 3, 3)
MEMBER, FIRST, GROUP = ALL, integers(0, 3, 4, 5, 6), integers(0, 0, 0, 1, 2, 3)
PRICED = COST, PAY, START, OTHER, PAIR, 2, MEMBER, FIRST, GROUP
TURN = COST, ORDER, ENDS, WEIGHT, 2
VOTES, SHARE = integers(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2).reshape(N, 2), np.full((2, K, K), 1 / K)
# a cycle 0-1-2-3 and an edge 4-5
NEXT, BESIDE = integers(0, 2, 4, 6, 8, 9, 10), integers(1, 3, 0, 2, 1, 3, 0, 2, 5, 4)
GRAPH, NOBODY = (NEXT, BESIDE), np.full(N, -1, np.int32)
DISTANCES, TRIPLETS = np.arange(15.0), integers(0, 1, 2, 3, 4, 0).reshape(2, 3)


def searched(*given):
    search = engine.feasibility.AssignmentSearch(*given)
    search.begin_part(4, 6, np.inf)
    return search.search(100, False), search.best()


def mended(*given):
    mending = engine.feasibility.Mending(*given)
    return mending.descend(), mending.mend(10), mending.label


lloyd, cvqe, soft, boosted, feasible = (
    getattr(engine, x) for x in ("lloyd", "cvqe", "soft_pairs", "boosted", "feasibility")
)
linked = engine.complete_link
CALLS = {
    "nearest": (lloyd.nearest, X, CENTRES),
    "squared_distances": (lloyd.squared_distances, X, CENTRES),
    "own_distances": (lloyd.own_distances, X, CENTRES, LABEL),
    "sums": (lloyd.sums, X, ONES, LABEL, K),
    "fill_costs": (lloyd.fill_costs, X, ONES, ALL, CENTRES, np.ones(D), OFFSET, ALL, OUT),
    "fill_weighted_costs": (lloyd.fill_weighted_costs, X, ONES, ALL, CENTRES, SCALE, OFFSET, ALL, OUT),
    "weighted_nearest": (lloyd.weighted_nearest, X, CENTRES, SCALE, OFFSET),
    "weighted_distances": (lloyd.weighted_distances, X, CENTRES, SCALE),
    "weighted_own": (lloyd.weighted_own, X, CENTRES, SCALE, LABEL),
    "diagonal_scatter": (lloyd.diagonal_scatter, X, ONES, LABEL, CENTRES),
    "least_of_products": (lloyd.least_of_products, np.ones((K, N)), OFFSET, ONES, 0.1, 0.1, np.zeros(N, np.int32)),
    "plus_plus": (lloyd.plus_plus, X, ONES, ALL, np.full((K, 2), 0.5)),
    "assign_alone": (cvqe.assign_alone, *TURN, np.ones((K, K)), NEAR),
    "assign_joint": (cvqe.assign_joint, *TURN, NOBODY[:E], START, OTHER, PAIR, np.ones((K, K)), NEAR, LABEL),
    "assign_linear": (cvqe.assign_linear, *TURN, COST),
    "restless": (soft.restless, START, OTHER, PAIR, 2, GROUP, LABEL, LABEL),
    "move_groups": (soft.move_groups, integers(0, 1), *PRICED, LABEL),
    "settle": (soft.settle, ALL, integers(0), ALL, GROUP, *PRICED, LABEL, 10),
    "constrained_assignment": (boosted.constrained_assignment, COST, ENDS, 2, ORDER),
    "constrained_run": (boosted.constrained_run, X, ONES, ENDS, 2, ORDER, CENTRES, 5, True),
    "disagreement": (boosted.disagreement, VOTES, np.ones(2), 1),
    "shares": (boosted.shares, VOTES, ONES, LABEL, K, K),
    "vote_distances": (boosted.vote_distances, VOTES, np.ones(2), SHARE),
    "purity_sum": (engine.purity.purity_sum, integers(4, 4, 5, 5, 6, 6, -1), integers(0, 0, 1, -1), 2),
    "signs": (
        engine.signs.scientific_names_with_signs,
        np.frombuffer(b"1\t|\ta\n", np.uint8),
        np.zeros(256, np.uint8),
        np.ones(1, np.uint8),
    ),
    "peel": (feasible.peel, *GRAPH, 2),
    "fold": (feasible.fold, COST, integers(4, 5), integers(5, -1)),
    "unfold": (feasible.unfold, LABEL, integers(4, 5), integers(5, -1), integers(0, 0, 1, 1).reshape(2, 2)),
    "greedy": (feasible.greedy, *GRAPH, COST, ALL, NOBODY),
    "large_clique": (feasible.large_clique, *GRAPH, 3, 100),
    "improve": (
        feasible.improve,
        *GRAPH,
        COST,
        ONES,
        integers(0, 4, 6),
        integers(0, 1, 0, 1, 0, 1),
        NOBODY,
        1000,
        1000,
    ),
    "search": (searched, *GRAPH, COST, ONES, np.zeros((N, K), np.int32)),
    "mend": (mended, *GRAPH, LABEL, K, 1),
    "assign_sized": (engine.sized_clusters.assign_sized, np.arange(18.0).reshape(N, K), 1, 3),
    "contract": (linked.contract, DISTANCES, GROUP, 4),
    "shorten_paths": (linked.shorten_paths, DISTANCES, N, integers(0, 3)),
    "farthest": (linked.farthest, DISTANCES, LABEL, K),
    "agglomerate_groups": (
        engine.must_link_groups.agglomerate_groups,
        ROWS,
        np.arange(N),
        np.array([0, 2, 6]),
        2,
        None,
    ),
    "merge_centres_softly": (engine.penalty.merge_centres_softly, ROWS, ONES, TRIPLETS, np.ones(2), 2, 0.5, None),
    "merge_table_softly": (engine.penalty.merge_table_softly, DISTANCES, ONES, TRIPLETS, np.ones(2), 3, 0.5, None),
}


def others(value):
    """What might come in its place by mistake."""
    yield from (None, "text", object())
    if isinstance(value, np.ndarray):
        for wrong in (value[:-1], value[:0], np.concatenate([value, value]), value[None], value.ravel()):
            yield np.ascontiguousarray(wrong)
        yield np.ascontiguousarray(value.T)
        yield value[::-1]
        yield value.astype(complex)
        yield value - value.dtype.type(7)
        yield value * value.dtype.type(100) + value.dtype.type(100)
        if value.dtype.kind == "f":
            yield np.full_like(value, np.nan)
            yield np.full_like(value, np.inf)
        yield np.random.default_rng(0).permutation(value.ravel()).reshape(value.shape)
    elif isinstance(value, int):
        yield from (-(2**31), -1, 0, 1, 2, 100, 2**40)


def copied(arguments):
    return [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]


@pytest.mark.parametrize("name", CALLS)
def test_bindings__answer_or_refuse_whatever_comes(name):
    call, *arguments = CALLS[name]
    call(*copied(arguments))
    refused = 0
    for i in range(len(arguments)):
        for wrong in others(arguments[i]):
            given = copied(arguments)
            given[i] = wrong
            try:
                call(*given)
            except (TypeError, ValueError, MemoryError):
                refused += 1
    assert refused >= 3 * len(arguments) - 3


@pytest.mark.parametrize(
    ("name", "at", "wrong", "why"),
    [
        ("own_distances", 2, LABEL + 1, "names no centre"),
        ("fill_costs", 2, ALL + 1, "no such point"),
        ("assign_alone", 2, ENDS - 1, "names no sample"),
        ("assign_joint", 11, LABEL - 1, "names no cluster"),
        ("move_groups", 9, GROUP + 1, "no such group"),
        ("constrained_assignment", 3, ORDER + 1, "no such pair"),
        ("shares", 0, VOTES + 1, "a vote names no cluster"),
        ("purity_sum", 0, integers(4, 4, 5, 5, 6, 5, -1), "parents come after"),
        ("greedy", 1, BESIDE + 1, "no such neighbour"),
        ("improve", 4, integers(0, 3, 6), "only its own edges"),
        ("assign_sized", 0, np.full((N, K), np.nan), "costs are finite"),
        ("merge_centres_softly", 0, np.full((N, D), np.inf), "samples are finite"),
        ("contract", 1, integers(0, 2, 1, 1, 3, 3), "numbered by their first samples"),
        ("merge_centres_softly", 2, integers(0, 0, 1).reshape(1, 3), "weight for each"),
        ("merge_table_softly", 2, integers(0, 0, 1, 3, 4, 0).reshape(2, 3), "three leaves"),
    ],
)
def test_bindings__say_what_is_wrong(name, at, wrong, why):
    call, *arguments = CALLS[name]
    arguments[at] = wrong
    with pytest.raises(ValueError, match=why):
        call(*copied(arguments))


def test_search__of_a_part_is_begun_once():
    search = feasible.AssignmentSearch(*GRAPH, COST, ONES, np.zeros((N, K), np.int32))
    search.begin_part(0, 4, np.inf)
    with pytest.raises(ValueError, match="searched once"):
        search.begin_part(0, 4, np.inf)
