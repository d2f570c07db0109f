"""Descriptions of triplet sets: worked out by hand, by enumeration, by the literal loop over distances."""

import json
import math
import pickle
from itertools import combinations

import numpy as np
import pytest
from examples import caterpillar, small_world, yule
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clades_of, components, displayed
from scipy.spatial import distance
from strategies import triplet_sets

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.count import information_content
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import all_triplets, sample_triplets
from tripletree.cluster.distances import METRICS
from tripletree.core.triplets import TripletSet
from tripletree.errors import DuplicateLeafError, UnknownLeafError
from tripletree.evaluation import describe as _coherence
from tripletree.evaluation.describe import Coherence, Description, TreeShape, describe

CHAIN = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d")])
CLASH = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d"), ("x", "y", "z")])
LINE = np.array([[0.0], [1.0], [3.0], [7.0]])  # distances 1, 3, 7, 2, 6, 4


# ---------------------------------------------------------------------- by hand


def test_describe__a_chain_and_a_leaf_in_no_triplet():
    t = TripletSet.from_labels([*CHAIN, ("a", "b", "d")], leaves=list("xabcd"), weights=[1, 2, 0.5])
    d = describe(t)
    assert (d.n_leaves, d.n_covered, d.n_parts, d.largest_part) == (5, 4, 1, 4)
    assert (d.n_triplets, d.weight, d.consistent) == (3, 3.5, True)
    assert (d.n_failing_leaves, d.n_failing_triplets, d.reasons, d.coherence) == (0, 0, {}, None)
    assert (d.ratio, d.ratio_covered) == (3 / 5, 3 / 4)
    assert (d.closure_size, d.resolved) == (4, 4 / 10)  # of ab|c, bc|d: those, ab|d and ac|d
    assert (d.redundant, d.redundancy) == (1, 1 / 3)
    # one of 15 binary hierarchies on a, b, c, d is left, and x is free
    assert d.information == pytest.approx(math.log2(15))
    assert d.all_information == pytest.approx(math.log2(3 * 5 * 7))
    assert d.information_share == pytest.approx(math.log2(15) / math.log2(105))
    # (x, d, (c, (a, b))) at the depths 1, 1, 2, 3, 3... under the root x and (d, ...)
    assert d.tree == TreeShape(
        n_inner_nodes=3, depth=3, mean_depth=(1 + 1 + 2 + 3 + 3) / 5, root_children=3, most_children=3
    )
    assert repr(d) == "<Description: 3 triplets on 5 leaves, consistent, 40.00% settled>"


def test_describe__an_inconsistent_set_says_so_and_goes_on():
    d = describe(CLASH)
    assert not d.consistent
    assert (d.n_failing_leaves, d.n_failing_triplets) == (3, 2)
    assert (d.n_covered, d.n_parts, d.largest_part, d.ratio) == (7, 2, 4, 4 / 7)
    needed = ("closure_size", "redundant", "information", "tree")
    assert [getattr(d, name) for name in needed] == [None] * 4
    assert d.reasons == dict.fromkeys(needed, "needs a consistent set")
    assert (d.resolved, d.redundancy, d.information_share) == (None, None, None)
    assert repr(d) == "<Description: 4 triplets on 7 leaves, inconsistent>"
    text = str(d)
    assert "no: 2 triplets tie a group of 3 leaves together" in text
    assert "find_conflict" in text
    assert "repair" in text
    assert "None" not in text


def test_describe__coherence_needs_no_consistency():
    t = TripletSet([(0, 1, 2), (0, 2, 1)], 4)
    d = describe(t, LINE)
    assert not d.consistent
    assert (d.coherence.n_satisfied, d.coherence.n_violated) == (1, 1)


@pytest.mark.parametrize("leaves", [0, 1, 2, 3, 5])
def test_describe__no_triplet_at_all(leaves):
    d = describe(TripletSet([], leaves))
    assert d.consistent
    assert (d.n_leaves, d.n_covered, d.n_parts, d.largest_part, d.n_triplets) == (leaves, 0, 0, 0, 0)
    assert d.ratio == (0.0 if leaves else None)
    assert (d.ratio_covered, d.redundancy) == (None, None)
    assert d.resolved == (0.0 if leaves > 2 else None)
    assert d.information_share == (0.0 if leaves > 2 else None)
    if leaves:
        assert (d.closure_size, d.redundant, d.information) == (0, 0, 0.0)
        assert d.tree.root_children == (leaves if leaves > 1 else 0)
    else:
        assert set(d.reasons.values()) == {"there are no leaves"}
    assert "None" not in str(d)
    json.dumps(d.to_dict())
    if leaves:
        with_data = describe(TripletSet([], leaves), np.arange(leaves * 2.0).reshape(-1, 2))
        assert with_data.coherence is None
        assert with_data.reasons == {"coherence": "there are no triplets"}


def test_describe__everything_said():
    h = caterpillar(9)
    for t in (decompose(h), all_triplets(h)):
        d = describe(t)
        assert (d.resolved, d.information_share) == (1.0, 1.0)
        assert d.redundant == (0 if len(t) == 7 else 83)  # only the deepest triplet of the 84 is news
        assert (d.tree.depth, d.tree.n_inner_nodes) == (8, 8)
        assert "(all)" in str(d)


# ---------------------------------------------------------------------- by enumeration


@settings(max_examples=60, deadline=None)
@given(triplet_sets(max_leaves=5, max_size=6))
def test_describe__as_by_definition(t):
    d = describe(t)
    n = len(t.leaves)
    worlds = [clades_of(h) for h in small_world(n)]
    rows = [tuple(r) for r in t.rows.tolist()]

    def shown_by_all(given_rows):
        fit = [w for w in worlds if all(displayed(w, *r) for r in given_rows)]
        return fit, lambda r: all(displayed(w, *r) for w in fit)

    fit, implied = shown_by_all(rows)
    assert d.consistent is bool(fit)
    used = {x for r in rows for x in r}
    parts = components(used, [(r[0], r[1]) for r in rows] + [(r[1], r[2]) for r in rows])
    assert (d.n_covered, d.n_parts, d.largest_part) == (len(used), len(parts), max(map(len, parts), default=0))
    if not fit:
        assert d.n_failing_leaves >= 3
        assert d.n_failing_triplets >= 2
        return
    every = [x for i, j, k in combinations(range(n), 3) for x in ((i, j, k), (i, k, j), (j, k, i))]
    assert d.closure_size == sum(map(implied, every))
    news = [r for r in rows if not shown_by_all([x for x in rows if x != r])[1](r)]
    assert d.redundant == len(rows) - len(news)
    binary = [w for w in worlds if sum(len(x) > 1 for x in w) == n - 1]
    left = [w for w in binary if all(displayed(w, *r) for r in rows)]
    assert d.information == pytest.approx(math.log2(len(binary) / len(left)))
    assert d.all_information == pytest.approx(math.log2(len(binary)))
    # the line about errors: in triplets that are no news, each would show
    for a, b, c in rows:
        rest = [r for r in rows if r != (a, b, c)]
        others = [TripletSet([*rest, r], n) for r in ((a, c, b), (b, c, a))]
        assert any(map(is_consistent, others)) is ((a, b, c) in news)


@settings(max_examples=40, deadline=None)
@given(triplet_sets(max_leaves=9))
def test_describe__the_tree_is_that_of_one_tree(t):
    d = describe(t)
    assert d.consistent is is_consistent(t)
    if d.consistent:
        h = one_tree(t)
        depth = h.depth[: h.n_leaves]
        assert (d.tree.n_inner_nodes, d.tree.depth) == (h.n_nodes - h.n_leaves, depth.max())
        assert d.tree.mean_depth == pytest.approx(depth.mean())
        assert (d.tree.root_children, d.tree.most_children) == (len(h.children(h.root)), h.n_children.max())
        assert 0 <= d.information_share <= 1


# ---------------------------------------------------------------------- coherence


def coherence_definition(rows, weights, far):
    """Weights satisfied, tied and violated. `far(i, j)` is the distance."""
    total = [0.0, 0.0, 0.0]
    for (a, b, c), w in zip(rows, weights, strict=True):
        near, least = far(a, b), min(far(a, c), far(b, c))
        total[1 if math.isclose(near, least, rel_tol=1e-9, abs_tol=1e-13) else 0 if near < least else 2] += w
    return total


def test_coherence__by_hand():
    # on the line 0, 1, 3, 7: 01|2 holds (1 < 2), 12|0 does not (2 > 1), 02|3 does (3 < 4), 13|2 does not
    t = TripletSet([(0, 1, 2), (1, 2, 0), (0, 2, 3), (1, 3, 2)], 4, [4, 3, 2, 1])
    order = {tuple(r): w for r, w in zip(t.rows.tolist(), t.weights.tolist(), strict=True)}
    assert order[(0, 1, 2)] == 4
    found = describe(t, LINE).coherence
    assert found == Coherence("euclidean", 2, 0, 2, 0.6, 0.0, 0.4)
    assert found.expected == 1 / 3
    assert describe(TripletSet(t.rows, 4), LINE).coherence.share == 0.5


def test_coherence__ties_apart_even_where_rounding_hides_them():
    t = TripletSet([(0, 1, 2), (0, 2, 1), (0, 1, 3)], 4)
    # 0.1 + 0.2 is not 0.3 in binary: 0 lies in the middle of 1 and 2 all the same
    X = [[0.3], [0.1 + 0.2 + 0.3], [0.0], [9.0]]
    assert abs(X[1][0] - X[0][0]) != 0.3
    found = describe(t, X).coherence
    assert (found.n_satisfied, found.n_tied, found.n_violated) == (1, 2, 0)
    assert (found.share, found.share_tied, found.share_violated) == (1 / 3, 2 / 3, 0.0)
    assert "1 of 3 triplets (33.33%), 2 tied" in str(describe(t, X))
    far_off = np.array(X) + 1e6  # where a step of the numbers is 1e-10
    assert abs(far_off[1, 0] - far_off[0, 0]) != abs(far_off[2, 0] - far_off[0, 0])
    assert describe(TripletSet([(0, 1, 2), (0, 2, 1)], 3), far_off[:3]).coherence.n_tied == 2
    equal = describe(t, np.zeros((4, 2)), metric="cityblock").coherence
    assert equal.n_tied == 3


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("block", [1, 7, 2**20])
def test_coherence__every_metric_of_scipy_by_the_literal_loop(metric, block, monkeypatch):
    monkeypatch.setattr(_coherence, "_BLOCK", block)
    rng = np.random.default_rng(3)
    X = rng.random((25, 6)) + 0.1
    if metric in {"dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "jaccard", "hamming"}:
        X = np.round(X - 0.1)
    t = sample_triplets(yule(25, rng), 120, random_state=0)
    t = TripletSet(t.rows, t.leaves, rng.random(120) + 0.1)
    every = distance.squareform(distance.pdist(X, metric))
    wanted = coherence_definition(t.rows.tolist(), t.weights.tolist(), lambda i, j: every[i, j])
    found = describe(t, X, metric=metric, max_splits=0).coherence
    total = t.weights.sum()
    assert [found.share, found.share_tied, found.share_violated] == pytest.approx([w / total for w in wanted])
    assert found.n_satisfied + found.n_tied + found.n_violated == 120
    assert found.metric == metric
    whole = describe(t, every, metric="precomputed", max_splits=0).coherence
    assert (whole.n_satisfied, whole.n_tied) == (found.n_satisfied, found.n_tied)


def test_coherence__functions_and_transformers_as_metric():
    class Turned:
        def transform(self, X):
            return 10.0 - np.asarray(X) ** 2

    rng = np.random.default_rng(4)
    X = rng.normal(size=(12, 2))
    t = sample_triplets(yule(12, rng), 30, random_state=0)

    def widest(u, v):
        return np.abs(u - v).max()

    asked = describe(t, X, metric=widest).coherence
    assert asked.metric == "widest"
    assert asked.n_satisfied == describe(t, X, metric="chebyshev").coherence.n_satisfied
    turned = describe(t, X, metric=Turned()).coherence
    assert turned.metric == "Turned"
    assert turned.n_satisfied == describe(t, -(X**2)).coherence.n_satisfied


def test_coherence__a_third_where_the_metric_knows_nothing():
    rng = np.random.default_rng(5)
    t = sample_triplets(yule(200, rng), 3000, random_state=1)
    share = describe(t, rng.normal(size=(200, 5)), max_splits=0).coherence.share
    assert abs(share - 1 / 3) < 0.06


def test_coherence__is_one_for_the_triplets_of_distances_in_a_tree():
    h = yule(20, np.random.default_rng(6))
    place = 2.0**-h.depth  # ultrametric: the deeper the common ancestor, the closer
    far = np.array([[0.0 if i == j else place[h.common_ancestor([i, j])] for j in range(20)] for i in range(20)])
    assert describe(all_triplets(h), far, metric="precomputed").coherence.share == 1.0


# ---------------------------------------------------------------------- data


def test_describe__rows_of_a_frame_are_found_by_label():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": LINE[:, 0]}, index=["d", "b", "a", "c"])
    t = TripletSet.from_labels([("b", "d", "a"), ("a", "b", "d")])
    d = describe(t, frame)
    assert (d.n_leaves, d.n_covered) == (4, 3)  # the samples are the leaves
    assert (d.coherence.n_satisfied, d.coherence.n_violated) == (1, 1)
    with pytest.raises(UnknownLeafError) as caught:
        describe(TripletSet.from_labels([("a", "b", "q")]), frame)
    assert caught.value.labels == ["q"]
    with pytest.raises(DuplicateLeafError):
        describe(t, pandas.DataFrame({"x": [0.0, 1.0]}, index=["a", "a"]))


def test_describe__data_add_the_samples_without_triplets():
    t = TripletSet([(0, 1, 2)], 3)
    d = describe(t, np.arange(10.0)[:, None])
    assert (d.n_leaves, d.n_covered, d.ratio, d.ratio_covered) == (10, 3, 0.1, 1 / 3)
    assert d.information == pytest.approx(information_content(t))


@pytest.mark.parametrize(
    ("X", "options", "wanted"),
    [
        ([[0.0], [math.nan], [1.0]], {}, "NaN"),
        ([["u"], ["v"], ["w"]], {}, "X must hold numbers, not text"),
        ([0.0, 1.0, 2.0], {}, "2D array"),
        ([[0.0], [1.0], [1e200]], {}, "too large"),
        (LINE, {"metric": "cosin"}, "metric must be .* not 'cosin'"),
        ([[0.0], [1.0], [2.0]], {"metric": "cosine"}, "sample 0 .* all zeros"),
        (LINE, {"metric": "precomputed"}, "square matrix"),
        (np.ones((3, 3)), {"metric": "precomputed"}, "not zero on the diagonal"),
        (LINE, {"metric": lambda u, v: math.nan}, "samples 0 and 1 .* is not defined"),
        (LINE, {"metric": lambda u, v: -1.0}, "is negative"),
    ],
)
def test_describe__bad_data_are_refused(X, options, wanted):
    with pytest.raises(ValueError, match=wanted):
        describe(TripletSet([(0, 1, 2)], 3), X, **options)


def test_describe__bad_arguments_are_refused():
    with pytest.raises(TypeError, match="expected a TripletSet"):
        describe([("a", "b", "c")])
    with pytest.raises(UnknownLeafError, match="rows of X"):
        describe(CHAIN, LINE)  # labels, but X has no index
    with pytest.raises(UnknownLeafError):
        describe(TripletSet([(0, 1, 2)], 3), LINE[:2])
    for name in ("max_steps", "max_splits"):
        with pytest.raises(ValueError, match=f"{name} is -1"):
            describe(CHAIN, **{name: -1})
        assert describe(CHAIN, **{name: None}).closure_size == 4


def test_describe__the_callers_objects_stay():
    t, X = TripletSet([(0, 1, 2), (1, 2, 3)], 4, [1, 2]), LINE.copy()
    rows, weights = t.rows.copy(), t.weights.copy()
    for metric in ("euclidean", "cityblock"):
        describe(t, X, metric=metric)
    assert np.array_equal(t.rows, rows)
    assert np.array_equal(t.weights, weights)
    assert np.array_equal(X, LINE)


# ---------------------------------------------------------------------- limits and words


def test_describe__what_takes_too_much_work_is_left_out_with_the_reason():
    t = sample_triplets(yule(60, np.random.default_rng(1)), 120, random_state=0)
    d = describe(t, max_steps=100, max_splits=10)
    assert (d.closure_size, d.redundant, d.information) == (None, None, None)
    assert d.reasons == {
        "closure_size": "takes more than 100 steps of work",
        "redundant": "takes more than 100 steps of work",
        "information": "takes more than 10 first splits",
    }
    assert d.tree is not None
    assert str(d).count("not computed: takes more than") == 3
    whole = describe(t, max_splits=10)
    assert whole.reasons.keys() == {"information"}


@pytest.mark.parametrize(
    ("count", "wanted"), [(5, "are few"), (10, "are few"), (12, "may be too few"), (13, "are more"), (40, "are more")]
)
def test_str__what_the_ratio_means(count, wanted):
    d = describe(TripletSet([(0, 1, 2)], 3))
    other = Description(**{**vars(d), "n_covered": 10, "n_leaves": 10, "n_triplets": count, "redundant": 0})
    note = str(other).split("\n\n")[1].replace("\n", " ")
    assert f"{count / 10:.2f} triplets for each leaf {wanted}" in note
    assert "not a general law" in note
    assert "wdbc" in note


@settings(max_examples=30, deadline=None)
@given(triplet_sets(), st.booleans())
def test_str__fits_the_terminal_and_to_dict_is_json(t, data):
    d = describe(t, np.arange(len(t.leaves))[:, None] ** 2.0 if data else None)
    assert max(map(len, str(d).splitlines())) <= 100
    assert "None" not in str(d)
    assert "\n" not in repr(d)
    told = d.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["resolved"] == d.resolved
    assert (told["coherence"] or {}).get("share") == getattr(d.coherence, "share", None)
    assert (told["tree"] or {}).get("depth") == getattr(d.tree, "depth", None)


def test_description__is_a_value():
    d, again = describe(CHAIN), describe(CHAIN)
    assert d == again
    assert hash(d) == hash(again)
    assert pickle.loads(pickle.dumps(d)) == d
    assert d != describe(CLASH)
    with pytest.raises(AttributeError):
        d.n_leaves = 3


@pytest.mark.parametrize("n", [3, 4, 50, 3000])
def test_all_information__agrees_with_the_double_factorial(n):
    exact = math.log2(math.prod(range(1, 2 * n - 2, 2))) if n < 100 else sum(map(math.log2, range(1, 2 * n - 2, 2)))
    assert describe(TripletSet([], n)).all_information == pytest.approx(exact, rel=1e-12)
