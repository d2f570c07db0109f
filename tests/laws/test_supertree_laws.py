"""Laws of every supertree, whatever the sources."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, count_triplets, displays
from tripletree.algorithms.supertree import supertree
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet

#: Sources of random leaves may have none in common, which is told.
pytestmark = [
    pytest.mark.filterwarnings("ignore:the .* hierarchies share no leaves"),
    pytest.mark.filterwarnings("ignore:the .* hierarchies fall into"),
]


@st.composite
def sources(draw, most=4, n=8):
    """Some hierarchies on overlapping parts of 0..n-1."""
    out = []
    for _ in range(draw(st.integers(1, most))):
        h = draw(hierarchies(min_leaves=2, max_leaves=n, unary=True))
        labels = draw(st.permutations(range(n)))[: h.n_leaves]
        out.append(Hierarchy(h.parent, labels))
    return out


def all_of(given_sources):
    """All source triplets, each with the number of sources that display it."""
    leaves = LeafIndex(sorted({x for h in given_sources for x in h.leaves}))
    whole = TripletSet(np.empty((0, 3), np.int32), leaves, np.empty(0))
    for h in given_sources:
        t = all_triplets(h)
        whole |= TripletSet(t.rows, t.leaves, np.ones(len(t)))
    return whole


@settings(max_examples=40)
@given(sources())
def test_supertree__consistent_sources_are_displayed_and_others_are_told(given_sources):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = supertree(given_sources)
    whole = all_of(given_sources)
    assert found.consistent == is_consistent(whole)
    assert set(found.hierarchy.leaves) == {x for h in given_sources for x in h.leaves}
    if found.consistent:
        assert displays(found.hierarchy, whole).all()
        rows = TripletSet(np.empty((0, 3), np.int32), whole.leaves)
        for h in given_sources:
            rows |= decompose(h)
        if not told:
            assert found.hierarchy == one_tree(rows)
        assert (found.displayed, found.contradicted, found.unresolved) == (1.0, 0.0, 0.0)
    shown = displays(found.hierarchy, whole)
    assert whole.weights is not None
    total = whole.weights.sum()
    assert abs(found.displayed - (whole.weights[shown].sum() / total if total else 1.0)) < 1e-12


@settings(max_examples=30)
@given(sources(), st.randoms(use_true_random=False))
def test_supertree__the_order_of_the_sources_does_not_matter(given_sources, random):
    turned = list(given_sources)
    random.shuffle(turned)
    one, two = supertree(given_sources), supertree(turned)
    assert one.hierarchy == two.hierarchy
    assert one.displayed == two.displayed
    assert np.array_equal(one.support, two.support, equal_nan=True)


@settings(max_examples=30)
@given(sources(most=3), st.data())
def test_supertree__a_weight_of_two_is_a_source_given_twice(given_sources, data):
    copies = [data.draw(st.integers(1, 3)) for _ in given_sources]
    once = supertree(given_sources, weights=copies)
    often = supertree([h for h, k in zip(given_sources, copies, strict=True) for _ in range(k)])
    assert once.hierarchy == often.hierarchy
    assert once.displayed == often.displayed
    assert np.array_equal(once.support, often.support, equal_nan=True)


@settings(max_examples=30)
@given(sources(), st.sampled_from(["triplet", "tree"]))
def test_supertree__never_below_the_best_source_and_shares_add_up(given_sources, votes):
    found = supertree(given_sources, votes=votes, min_support=0.0)
    assert abs(found.displayed + found.contradicted + found.unresolved - 1) < 1e-12
    whole = all_of(given_sources)
    total = {id(h): count_triplets(h) for h in given_sources}
    if votes == "triplet" and whole.weights is not None and len(whole):
        for h in given_sources:
            assert found.displayed * whole.weights.sum() >= total[id(h)] - 1e-9
    clear = supertree(given_sources, votes=votes)
    assert clear.displayed - clear.contradicted >= found.displayed - found.contradicted - 1e-12


@settings(max_examples=20)
@given(st.data())
def test_supertree__parts_that_identify_a_tree_give_it_back(data):
    h = data.draw(hierarchies(min_leaves=4, max_leaves=9)).suppress_unary()
    # every triplet of a decomposition is in some part: then the parts identify the tree
    parts = [h.restrict(list(row)) for row in decompose(h)]
    parts += [h.restrict([x, y]) for x, y in zip(h.leaves, h.leaves[1:], strict=False)]
    found = supertree(parts)
    assert found.hierarchy == h
    assert found.consistent
