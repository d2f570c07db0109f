"""The theorem of the certain reading, and its consequences, against every choice of parents."""

import numpy as np
import pytest
from dag_oracle import (
    certain_by_dominators,
    certain_definition,
    dominators_definition,
    frontiers_definition,
    implied_definition,
    leaf_terms,
    random_graph,
    small_graphs,
    trios,
)
from hypothesis import given
from hypothesis import strategies as st
from oracles import one_tree_definition
from strategies import hierarchies

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import all_triplets, count_triplets, displays, induce, sample_triplets
from tripletree.core.ontology import Ontology
from tripletree.core.triplets import TripletSet


def made(graph, rng=None):
    """The Ontology of a dict of parents, the terms in any order."""
    terms = sorted(graph) if rng is None else rng.permutation(sorted(graph)).tolist()
    at = {term: i for i, term in enumerate(terms)}
    return Ontology(terms, [(at[x], at[p]) for x in terms for p in sorted(graph[x])])


def labelled(triplets):
    return {(*sorted((a, b)), c) for a, b, c in triplets}


def random_graphs(seed, number, most_choices=600, leaves=(3, 8)):
    """Graphs with some choice of parents, few enough choices to try them all, and leaves for a triplet."""
    rng = np.random.default_rng(seed)
    while number:
        graph = random_graph(
            rng,
            int(rng.integers(6, 18)),
            roots=int(rng.integers(1, 3)),
            several=rng.choice([0.15, 0.3, 0.5]),
            near=int(rng.integers(3, 9)),
        )
        choices = np.prod([max(1, len(parents)) for parents in graph.values()])
        if 1 < choices <= most_choices and leaves[0] <= len(leaf_terms(graph)) <= leaves[1]:
            number -= 1
            yield graph, rng


def check(graph, o):
    """The fast reading gives the triplets common to every choice of parents."""
    wanted = certain_definition(graph)
    leaves = leaf_terms(graph)
    assert labelled(all_triplets(o)) == wanted
    assert count_triplets(o) == len(wanted)
    asked = trios(leaves)
    if asked:
        said = induce(o, asked)
        assert {t for t, odd in zip(asked, said.odd.tolist(), strict=True) if odd == 2} == wanted
        t = TripletSet.from_labels(asked)
        assert dict(zip([(*sorted(x[:2]), x[2]) for x in t], displays(o, t).tolist(), strict=True)) == {
            x: x in wanted for x in asked
        }
    return wanted


# ---------------------------------------------------------------------- the theorem


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_certain_laws__every_small_graph(n):
    for graph in small_graphs(n):
        assert certain_by_dominators(graph) == check(graph, made(graph))


def test_certain_laws__a_share_of_the_graphs_of_six_terms():
    for k, graph in enumerate(small_graphs(6)):
        if k % 53 == 0:
            check(graph, made(graph))


def test_certain_laws__random_graphs():
    resolved = 0
    for graph, rng in random_graphs(1, 600):
        wanted = check(graph, made(graph, rng))
        assert wanted == certain_by_dominators(graph)
        resolved += len(wanted)
    assert resolved > 1500  # there was something to say


def test_certain_laws__with_a_second_root_above_nothing_is_lost():
    # one root above several says the same
    for graph, rng in random_graphs(2, 60):
        crowned = {-1: set(), **{x: parents or {-1} for x, parents in graph.items()}}
        assert labelled(all_triplets(made(graph, rng))) == labelled(all_triplets(made(crowned, rng)))


# ---------------------------------------------------------------------- consequences


def test_certain_laws__consistent_and_closed():
    for graph, rng in random_graphs(3, 120, leaves=(4, 6)):
        o = made(graph, rng)
        t = all_triplets(o)
        leaves = leaf_terms(graph)
        assert is_consistent(t)
        assert one_tree_definition(labelled(t), leaves) is not None
        assert implied_definition(labelled(t), leaves) == labelled(t)
        for parent in ("first", "deepest", "smallest"):
            assert displays(o.to_hierarchy(parent=parent), t).all()


def test_certain_laws__all_follow_from_the_decomposition():
    smaller = whole = 0
    for graph, rng in random_graphs(4, 700, most_choices=10**6, leaves=(4, 7)):
        o = made(graph, rng)
        wanted, few = labelled(all_triplets(o)), labelled(decompose(o))
        assert len(few) == decomposition_size(o)
        assert few <= wanted
        assert implied_definition(few, leaf_terms(graph)) == wanted
        smaller, whole = smaller + len(few), whole + len(wanted)
    assert whole > 2000
    assert smaller < 0.6 * whole


def test_certain_laws__samples_are_certain_and_all_different():
    for graph, rng in random_graphs(5, 80):
        o = made(graph, rng)
        total = count_triplets(o)
        for size in {0, total // 2, total}:
            t = sample_triplets(o, size, random_state=rng)
            assert len(t) == size
            assert labelled(t) <= certain_definition(graph)


@given(hierarchies(max_leaves=9, unary=True), st.randoms(use_true_random=False))
def test_certain_laws__on_a_tree_the_readings_are_one(h, random):
    number = list(range(h.n_nodes))
    random.shuffle(number)
    terms = [None] * h.n_nodes
    for u, i in enumerate(number):
        terms[i] = h.leaves[u] if u < h.n_leaves else ("inner", u)
    edges = [(number[u], number[int(h.parent[u])]) for u in range(h.n_nodes - 1)]
    o = Ontology(terms, edges)
    assert o.to_hierarchy() == h
    assert count_triplets(o) == count_triplets(h)
    assert all_triplets(o).reindex(h.leaves) == all_triplets(h)
    assert decomposition_size(o) == decomposition_size(h)


# ---------------------------------------------------------------------- dominators


def test_certain_laws__dominators_and_their_frontiers():
    for graph, rng in random_graphs(6, 150, most_choices=10**6):
        o = made(graph, rng)
        reading, numbers = o.dominance, o._numbered
        label = [o.terms[t] for t in numbers.term.tolist()]
        over = {x: dominators_definition(graph, x) for x in graph}
        for u, x in enumerate(label):
            # nearest: that with the most dominators of its own
            nearest = max(over[x] - {x}, key=lambda y: len(over[y]), default=None)
            above = int(reading._idom[u])
            assert (label[above] if 0 <= above < len(label) else None) == nearest
        first, frontier = reading._frontier
        for u, x in enumerate(label):
            found = {label[v] for v in frontier[first[u] : first[u + 1]].tolist()}
            assert found == frontiers_definition(graph, x)
            assert len(found) == first[u + 1] - first[u]


def test_certain_laws__what_each_node_reaches():
    for graph, rng in random_graphs(7, 150, most_choices=10**6):
        o = made(graph, rng)
        reading, n = o.dominance, len(o.leaves)
        assert len(reading.reach) >= reading.parent.size - n  # its own clade, and further ones
        for k in range(reading.parent.size - n):
            term = o.terms[int(o._numbered.term[reading._old[k + n]])] if reading._old[k + n] < o.n_terms else None
            wanted = set(o.leaves) if term is None else {x for x in o.descendants(term) if x in o.leaves}
            inside = [o.leaves[i] in wanted for i in reading.order.tolist()]
            d = np.full(n, k + n, np.int32)
            assert reading.reach.covered(d, np.arange(n, dtype=np.int32)).tolist() == inside
            outside = np.flatnonzero(~np.array(inside))
            assert reading.reach.nth_outside(d[: outside.size], np.arange(outside.size)).tolist() == outside.tolist()
            assert reading.reached[k] == len(wanted)
