"""Places in a drawing, by definition: places, lines, clusters and triplets of a hierarchy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clades_of_hierarchy, displayed
from strategies import hierarchies, triplet_rows

from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.plots.layout import (
    collapse_nothing,
    compute_layout,
    count_triplets_at_nodes,
    find_clade_codes,
    match_styles,
)

FOUR = Hierarchy.from_nested([["a", "b"], ["c", "d"]])


@settings(deadline=None)
@given(hierarchies(max_leaves=9, unary=True))
def test_layout__definition(h):
    n = h.n_leaves
    place = compute_layout(collapse_nothing(h), "level")
    assert place.along[place.order].tolist() == list(range(n))
    below = [[h.leaves.index(x) for x in h.clade(u)] for u in range(h.n_nodes)]
    for u in range(h.n_nodes):  # clades in one piece, children by their smallest leaves
        at = [sorted(place.along[below[v]].tolist()) for v in sorted(h.children(u), key=lambda v: min(below[v]))]
        joined = [x for block in at for x in block]
        assert joined == list(range(int(joined[0]), int(joined[0]) + len(joined))) if joined else u < n
    expected = []
    for u in range(h.n_nodes):
        children = h.children(u).tolist()
        if children:
            ends = [place.along[v] for v in children]
            assert place.along[u] == (min(ends) + max(ends)) / 2
            assert place.up[u] == 1 + max(place.up[v] for v in children)
            if len(children) > 1:
                expected.append(((min(ends), place.up[u]), (max(ends), place.up[u])))
        else:
            assert place.up[u] == 0
        if u != h.root:
            expected.append(((place.along[u], place.up[u]), (place.along[u], place.up[h.parent[u]])))
    drawn = [tuple(map(tuple, line.tolist())) for line in place.lines]
    assert sorted(drawn) == sorted(expected)


def test_layout__leaves_stand_as_they_were_read():
    h = Hierarchy.from_nested(["a", [["b", ["c", "d"]], "e"], "f", ["g", "h"]])
    assert compute_layout(collapse_nothing(h), "auto").order.tolist() == list(range(8))
    same = Hierarchy.from_nested([["h", "g"], "f", ["e", [["d", "c"], "b"]], "a"]).reindex(h.leaves)
    assert compute_layout(collapse_nothing(same), "auto").order.tolist() == list(range(8))


def test_layout__heights():
    h = from_linkage([[0, 1, 3.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])
    assert compute_layout(collapse_nothing(h), "height").up[4:].tolist() == [3.0, 1.0, 2.0]
    assert compute_layout(collapse_nothing(h), "order").up.tolist() == [0, 0, 0, 0, 1, 2, 3]
    assert compute_layout(collapse_nothing(h), "level").up[4:].tolist() == [1, 1, 2]
    flat = from_linkage([[0, 1, 0.0, 2], [2, 3, 0.0, 2], [4, 5, 0.0, 4]])
    assert compute_layout(collapse_nothing(flat), "auto").up[4:].tolist() == [1, 1, 2]
    assert compute_layout(collapse_nothing(flat), "height").up.tolist() == [0.0] * 7
    tips = Hierarchy(FOUR.parent, FOUR.leaves, length=[1, 2, 3, 4, 1, 1, np.nan])
    assert compute_layout(collapse_nothing(tips), "auto").up.tolist() == [3, 2, 1, 0, 4, 4, 5]


def test_layout__refuses_heights_that_are_not_there():
    with pytest.raises(ValueError, match="no heights"):
        compute_layout(collapse_nothing(FOUR), "height")
    with pytest.raises(ValueError, match="heights is 'tall'; it must be one of 'auto', 'height'"):
        compute_layout(collapse_nothing(FOUR), "tall")


@settings(deadline=None)
@given(hierarchies(max_leaves=9, unary=True), st.data())
def test_clade_codes__shared_by_all_leaves_below(h, data):
    codes = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=h.n_leaves, max_size=h.n_leaves)))
    for u, code in enumerate(find_clade_codes(h, codes).tolist()):
        below = {codes[h.leaves.index(x)] for x in h.clade(u)}
        assert code == (below.pop() if len(below) == 1 else -1)


@settings(deadline=None)
@given(hierarchies(min_leaves=3, max_leaves=8, unary=True), st.data())
def test_triplet_counts__at_the_last_common_ancestor(h, data):
    t = TripletSet.from_labels(data.draw(triplet_rows(h.n_leaves, 10)), leaves=reversed(range(h.n_leaves)))
    clades = clades_of_hierarchy(h)
    shown, missed = np.zeros(h.n_nodes, int), np.zeros(h.n_nodes, int)
    for a, b, c in t:
        if displayed(clades, a, b, c):
            shown[min(u for u in range(h.n_nodes) if {a, b} <= set(h.clade(u)))] += 1
        else:
            missed[min(u for u in range(h.n_nodes) if {a, b, c} <= set(h.clade(u)))] += 1
    ours = count_triplets_at_nodes(h, t)
    assert ours[0].tolist() == shown.tolist()
    assert ours[1].tolist() == missed.tolist()


def test_matched_styles__a_class_takes_the_style_of_its_cluster():
    clusters = np.array([0, 0, 0, 1, 1, 2, -1])
    classes = np.array([1, 1, 0, 0, 0, 2, 3])
    assert match_styles(classes, 4, clusters, 3).tolist() == [1, 0, 2, 3]
