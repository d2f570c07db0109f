"""PairwiseConstraints: canonical rows, weights, labels, closure and its contradictions, class labels, alignment."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from tripletree.algorithms.pair_conflict import find_contradictions
from tripletree.algorithms.supervision import pairs_from_classes, sample_class_pairs
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints, check_pairs
from tripletree.core.provenance import Origins
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InconsistentPairsError,
    InvalidLabelsError,
    InvalidPairError,
    LimitExceededError,
    UnknownLeafError,
)
from tripletree.io import read_pairs
from tripletree.knowledge.alignment import align_pairs, align_triplets

MUST, CANNOT = [("a", "b"), ("c", "b")], [("d", "a")]


@pytest.fixture
def strong():
    return PairwiseConstraints.from_labels(MUST, CANNOT, must_weights=[0.5, 1], cannot_weights=[0.25])


# ---------------------------------------------------------------------- rows


def test_pairs__rows_are_canonical():
    p = PairwiseConstraints([(3, 1), (0, 2), (1, 3), (2, 0), (0, 1)], [(2, 1)], 4)
    assert p.must_link.tolist() == [[0, 1], [0, 2], [1, 3]]
    assert p.cannot_link.tolist() == [[1, 2]]
    assert (len(p), p.n_must, p.n_cannot) == (4, 3, 1)
    assert p.must_weights is None
    assert list(p) == [(0, 1, "must"), (0, 2, "must"), (1, 3, "must"), (1, 2, "cannot")]


def test_pairs__arrays_are_read_only_int32_in_c_order(strong):
    sets = (strong, strong | strong, strong.restrict(["a", "b"]), PairwiseConstraints([], None, 3), strong.expand())
    for p in (*sets, strong.soft_closure()):
        for rows in (p.must_link, p.cannot_link):
            assert rows.dtype == np.int32
            assert rows.shape[1] == 2
            assert rows.flags.c_contiguous
            assert not rows.flags.writeable
        assert p.must_weights is None or not p.must_weights.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        strong.must_link[0, 0] = 3
    closure = strong.closure()
    assert (closure.component.dtype, closure.cannot.dtype) == (np.int32, np.int32)
    assert not closure.component.flags.writeable
    assert closure.cannot.flags.c_contiguous


def test_pairs__the_callers_arrays_stay_as_they_are():
    rows, weights = np.array([[2, 1], [1, 0]]), np.array([0.5, 0.75])
    p = PairwiseConstraints(rows, rows, 3, must_weights=weights, cannot_weights=weights)
    assert (rows.tolist(), weights.tolist()) == ([[2, 1], [1, 0]], [0.5, 0.75])
    rows[:] = weights[:] = 0
    assert p.must_link.tolist() == [[0, 1], [1, 2]]
    assert p.must_weights.tolist() == [0.75, 0.5]


def test_pairs__the_largest_weight_of_a_repeat_counts_and_none_of_zero():
    p = PairwiseConstraints([(1, 0), (0, 1), (1, 2), (0, 3)], [], 4, must_weights=[0.25, 0.75, 0.5, 0])
    assert p.must_link.tolist() == [[0, 1], [1, 2]]
    assert p.must_weights.tolist() == [0.75, 0.5]
    assert p.cannot_weights.tolist() == []
    # the other kind is certain
    assert PairwiseConstraints([(0, 1)], [(1, 2)], 3, must_weights=[0.5]).cannot_weights.tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "row", "message"),
    [
        ([(0, 1), (2, 2)], 1, "must-link 1 is [2, 2]: its two leaves must differ"),
        ([(0, 1), (2, 9)], 1, "must-link 1 is [2, 9]: leaf indices must lie in 0..4"),
        ([(-1, 1)], 0, "must-link 0 is [-1, 1]: leaf indices"),
        ([(0, 1, 2)], None, "shape (m, 2), two leaf indices a must-link; got shape (1, 3)"),
        ([(0, 1), (2,)], None, "the rows differ in length"),
        ([("a", "b")], None, "for labels use PairwiseConstraints.from_labels"),
        ([(0.0, 1.0)], None, "got float64, for each must-link"),
    ],
)
def test_pairs__bad_rows_are_refused(rows, row, message):
    for kind, made in (
        ("must", lambda: PairwiseConstraints(rows, [], 5)),
        ("cannot", lambda: PairwiseConstraints([], rows, 5)),
    ):
        with pytest.raises(InvalidPairError) as caught:
            made()
        assert message.replace("must-link", f"{kind}-link") in str(caught.value)
        assert caught.value.row == row


@pytest.mark.parametrize("bad", [1.5, -0.1, float("nan"), float("inf")])
def test_pairs__weights_lie_between_0_and_1(bad):
    with pytest.raises(InvalidPairError, match=r"the weight of cannot-link 1 is .*: weights must lie in 0..1") as e:
        PairwiseConstraints([], [(0, 1), (1, 2)], 3, cannot_weights=[1, bad])
    assert e.value.row == 1


def test_pairs__weights_and_origins_of_another_length_are_refused():
    with pytest.raises(InvalidPairError, match="one entry for each of the 1 must-links"):
        PairwiseConstraints([(0, 1)], [], 3, must_weights=[1, 1])
    with pytest.raises(InvalidPairError, match="numbers, one for each of the 1 must-links"):
        PairwiseConstraints([(0, 1)], [], 3, must_weights=["much"])
    with pytest.raises(InvalidPairError, match="origins must have one entry for each of the 1 cannot-links"):
        PairwiseConstraints([], [(0, 1)], 3, cannot_origins=Origins.of_lines("f", "line", [1, 2]))


# ---------------------------------------------------------------------- labels


def test_pairs__from_signed_weights():
    pairs = PairwiseConstraints.from_signed(
        [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d")], [-1, 0.5, 0, -0.25], list("abcd")
    )
    assert list(pairs) == [("b", "c", "must"), ("a", "b", "cannot"), ("a", "d", "cannot")]
    assert (pairs.must_weights.tolist(), pairs.cannot_weights.tolist()) == ([0.5], [1.0, 0.25])
    assert pairs.leaves == LeafIndex(list("abcd"))
    assert len(PairwiseConstraints.from_signed([], [])) == 0


@pytest.mark.parametrize(
    "marks", [[1, 0, 0], [True, False, False], np.array([1, 0, 0]), ["1", "0", "0"], [1.0, 0.0, -0.0]]
)
def test_pairs__from_signed_marks_are_those_of_read_pairs(marks):
    rows = [("a", "b"), ("c", "d"), ("a", "c")]
    frame = pd.DataFrame(rows, columns=["a", "b"]).assign(link=[1, 0, 0])
    assert list(PairwiseConstraints.from_signed(rows, marks)) == list(read_pairs(frame))
    assert PairwiseConstraints.from_signed(rows, [0, 0, 0]).n_cannot == 3
    assert len(PairwiseConstraints.from_signed(rows, [0.5, -1, 0])) == 2  # weights: 0 says nothing


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], r"expected one weight for each of 2 pairs, got an array of shape \(1,\)"),
        ([0.5, -1.5], r"weights must be in -1..1, not -1.5 \(pair 1\)"),
        ([np.nan, 1], r"weights must be in -1..1, not nan \(pair 0\)"),
    ],
)
def test_pairs__from_signed_weights_refuses(weights, message):
    with pytest.raises(ValueError, match=message):
        PairwiseConstraints.from_signed([("a", "b"), ("b", "c")], weights)


def test_pairs__from_labels():
    p = PairwiseConstraints.from_labels(MUST, CANNOT)
    assert list(p.leaves) == ["a", "b", "c", "d"]
    assert p.must_link.tolist() == [[0, 1], [1, 2]]
    assert PairwiseConstraints.from_labels(np.array(MUST), iter(CANNOT)) == p
    assert PairwiseConstraints.from_labels([["a", "b"], ("c", "b")], CANNOT, ["a", "b", "c", "d"]) == p
    assert list(PairwiseConstraints.from_labels([("z", 1)]).leaves) == ["z", 1]
    assert len(PairwiseConstraints.from_labels()) == 0
    assert PairwiseConstraints.from_labels(None, CANNOT).n_must == 0


@pytest.mark.parametrize(
    ("must", "row", "message"),
    [
        ([("a", "b"), ("a", "a")], 1, "must-link 1 is ('a', 'a'): its two leaves must differ"),
        ([("a", "b", "c")], 0, "expected two labels; give weights as must_weights"),
        (["ab"], 0, "must-link 0 is 'ab': expected two labels"),
        ("ab", None, "the must-links must be pairs (a, b) of labels"),
        (7, None, "the must-links must be pairs (a, b) of labels"),
    ],
)
def test_pairs__bad_labels_are_refused(must, row, message):
    with pytest.raises(InvalidPairError) as caught:
        PairwiseConstraints.from_labels(must)
    assert message in str(caught.value)
    assert caught.value.row == row


def test_pairs__unknown_labels_are_all_named():
    with pytest.raises(UnknownLeafError, match="pairs' leaves") as caught:
        PairwiseConstraints.from_labels(MUST, CANNOT, ["a", "b"])
    assert caught.value.labels == ["c", "d"]


# ---------------------------------------------------------------------- set behaviour


def test_pairs__equality_ignores_the_order_of_leaves_and_where_they_were_read(strong):
    other = PairwiseConstraints.from_labels(
        [("b", "c"), ("b", "a")], CANNOT, [*"dcba"], must_weights=[1, 0.5], cannot_weights=[0.25]
    )
    assert other == strong
    assert hash(other) == hash(strong)
    assert other.must_link.tolist() != strong.must_link.tolist()
    plain = PairwiseConstraints.from_labels(MUST, CANNOT)
    assert plain != strong
    assert plain != PairwiseConstraints.from_labels(MUST, [("d", "b")])
    assert plain != PairwiseConstraints.from_labels([*MUST, *CANNOT], [])
    assert plain != PairwiseConstraints.from_labels(MUST, CANNOT, [*"abcde"])
    assert plain != PairwiseConstraints.from_labels([("a", "b"), ("c", "b")], [("e", "a")])
    assert plain != "pairs"


def test_pairs__copies_and_pickles_are_equal(strong):
    lined = PairwiseConstraints([(0, 1)], [(1, 2)], 3, must_origins=Origins.of_lines("f", "line", [4]))
    for p in (strong, lined, PairwiseConstraints([], [], 0)):
        for twin in (copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
            assert twin == p
            assert type(twin) is PairwiseConstraints
    assert str(pickle.loads(pickle.dumps(lined)).must_origins[0]) == "line 4 of f"
    closure = strong.closure()
    assert pickle.loads(pickle.dumps(closure)) == closure
    assert hash(pickle.loads(pickle.dumps(closure))) == hash(closure)
    assert closure != PairwiseConstraints.from_labels(MUST, leaves=[*"abcd"]).closure()
    assert closure != "closure"


def test_pairs__say_what_they_are(strong):
    assert repr(strong) == "<PairwiseConstraints: 2 must-links and 1 cannot-link with weights on 4 leaves>"
    assert repr(strong.closure()) == (
        "<PairClosure: 4 leaves in 2 components, 1 pair of them kept apart; 3 must-links and 3 cannot-links in all>"
    )
    assert check_pairs(strong) is strong
    with pytest.raises(TypeError, match=r"expected PairwiseConstraints, got list \(\[\]\)"):
        check_pairs([])


def test_pairs__reindex_restrict_subset(strong):
    moved = strong.reindex([*"zdcba"])
    assert moved.must_link.tolist() == [[2, 3], [3, 4]]
    assert moved.must_weights.tolist() == [1, 0.5]
    assert moved.reindex(strong.leaves) == strong
    assert strong.reindex(strong.leaves) is strong
    with pytest.raises(UnknownLeafError) as caught:
        strong.reindex(["a", "b"])
    assert caught.value.labels == ["c", "d"]
    part = strong.restrict(["b", "d", "a"])
    assert list(part) == [("b", "a", "must"), ("d", "a", "cannot")]
    assert (part.must_weights.tolist(), part.cannot_weights.tolist()) == ([0.5], [0.25])
    with pytest.raises(UnknownLeafError, match="give a list of labels"):
        strong.restrict("ab")
    with pytest.raises(DuplicateLeafError):
        strong.restrict(["a", "a"])
    assert list(strong.subset(must_link=[1])) == [("b", "c", "must"), ("a", "d", "cannot")]
    assert list(strong.subset(must_link=[False, True], cannot_link=[])) == [("b", "c", "must")]
    assert strong.subset() == strong
    assert strong.used_leaves.tolist() == [0, 1, 2, 3]


def test_pairs__union_keeps_the_larger_weight_and_the_first_origin(strong):
    lined = PairwiseConstraints(
        [(0, 1), (0, 4)], [], [*"badce"], must_origins=Origins.of_lines("f.txt", "line", [7, 8])
    )
    both = strong | lined
    assert list(both.leaves) == ["a", "b", "c", "d", "e"]
    assert list(both) == [("a", "b", "must"), ("b", "c", "must"), ("b", "e", "must"), ("a", "d", "cannot")]
    assert both.must_weights.tolist() == [1, 1, 1]
    assert [str(both.must_origins[k]) for k in range(3)] == ["line 7 of f.txt", "None", "line 8 of f.txt"]
    assert both.cannot_origins is None
    assert (lined | lined).must_origins[0].times == 2
    assert (lined | lined) == lined
    with pytest.raises(TypeError):
        strong | [("a", "b")]


# ---------------------------------------------------------------------- closure


def test_closure__components_in_the_order_of_their_first_leaves():
    closure = PairwiseConstraints([(5, 2), (4, 1), (2, 3)], [(0, 3), (5, 0), (1, 2)], 6).closure()
    assert closure.component.tolist() == [0, 1, 2, 2, 1, 2]
    assert closure.cannot.tolist() == [[0, 2], [1, 2]]
    assert closure.sizes.tolist() == [1, 2, 3]
    assert (closure.n_must, closure.n_cannot) == (1 + 3, 3 + 6)
    assert closure.order.tolist() == [0, 1, 4, 2, 3, 5]
    assert closure.groups() == [[1, 4], [2, 3, 5]]
    assert closure.groups(1) == [[0], [1, 4], [2, 3, 5]]
    assert not closure.is_complete
    assert PairwiseConstraints([(0, 1)], [(1, 2)], 3).closure().is_complete


@pytest.mark.parametrize("n", [0, 1, 3])
def test_closure__of_nothing(n):
    nothing = PairwiseConstraints([], [], n)
    closure = nothing.closure()
    assert closure.component.tolist() == list(range(n))
    assert closure.cannot.shape == (0, 2)
    assert (closure.n_must, closure.n_cannot, len(closure.groups())) == (0, 0, 0)
    assert nothing.expand() == nothing.soft_closure() == nothing
    assert len(nothing.to_triplets()) == 0


def lined(must, cannot, leaves):
    """Pairs as if read from a file: must-links from line 1, cannot-links from line 101."""
    return PairwiseConstraints(
        must,
        cannot,
        leaves,
        must_origins=Origins.of_lines("pairs.txt", "line", range(1, len(must) + 1)),
        cannot_origins=Origins.of_lines("pairs.txt", "line", range(101, 101 + len(cannot))),
    )


def test_closure__a_contradiction_names_a_shortest_path_and_the_lines():
    p = lined([(0, 1), (1, 2), (2, 3), (3, 4), (0, 2)], [(1, 5), (0, 4), (4, 2)], [*"abcdef"])
    with pytest.raises(InconsistentPairsError) as caught:
        p.closure()
    error = caught.value
    assert error.path == ["c", "d", "e"]
    assert error.cannot_link == ("c", "e")
    assert [str(x) for x in error.origins] == [f"line {k} of pairs.txt" for k in (3, 4, 103)]
    assert error.weight is None
    assert str(error) == (
        "the pairs contradict each other: the 2 must-links c - d - e (lines 3 and 4 of pairs.txt) put c and e "
        "together, which a cannot-link (line 103 of pairs.txt) keeps apart; drop one of "
        "them (find_contradictions shows 1 more like this)"
    )
    assert error.n_others == 1
    assert isinstance(error, ValueError)
    twin = pickle.loads(pickle.dumps(error))
    assert (twin.path, twin.cannot_link, str(twin)) == (error.path, error.cannot_link, str(error))
    for method in (p.expand, p.to_triplets):
        with pytest.raises(InconsistentPairsError):
            method()


def test_closure__a_pair_that_is_linked_both_ways():
    with pytest.raises(InconsistentPairsError) as caught:
        lined([(0, 1)], [(1, 0)], ["x", "y"]).closure()
    assert caught.value.path == ["x", "y"]
    assert "x and y are a must-link (line 1 of pairs.txt) and a cannot-link (line 101" in str(caught.value)
    with pytest.raises(InconsistentPairsError, match="x and y are a must-link and a cannot-link; drop one") as caught:
        PairwiseConstraints.from_labels([("x", "y")], [("x", "y")]).closure()
    assert caught.value.origins == [None, None]


def test_closure__a_chain_of_100_000_must_links(rng):
    n = 100_001
    order = rng.permutation(n)
    chain = np.stack([order[:-1], order[1:]], axis=1)
    closure = PairwiseConstraints(chain, [], n).closure()
    assert closure.n_components == 1
    assert closure.n_must == n * (n - 1) // 2
    with pytest.raises(InconsistentPairsError) as caught:
        PairwiseConstraints(chain, [(order[0], order[-1])], n).closure()
    path = caught.value.path
    assert path in (order.tolist(), order[::-1].tolist())
    assert "(99,981 more)" in str(caught.value)
    assert len(str(caught.value)) < 600
    halves = PairwiseConstraints(np.delete(chain, n // 2, axis=0), [(order[0], order[-1])], n)
    assert len(halves.to_triplets()) == n - 2
    soft = PairwiseConstraints(chain[:2000], [], n, must_weights=np.linspace(0.1, 1, 2000)).soft_closure()
    assert soft.n_must == 2001 * 2000 // 2
    with pytest.raises(LimitExceededError, match="5,000,050,000 pairs follow, more than limit=50,000,000") as caught:
        PairwiseConstraints(chain, [], n, must_weights=np.full(n - 1, 0.5)).soft_closure()
    assert (caught.value.size, caught.value.limit) == (5_000_050_000, 50_000_000)


def test_closure__limits():
    p = PairwiseConstraints([(0, 1), (1, 2)], [(2, 3)], 4)
    assert len(p.expand(limit=6)) == 6
    for method in (p.expand, p.soft_closure):
        with pytest.raises(LimitExceededError, match="6 pairs follow, more than limit=5"):
            method(limit=5)
    with pytest.raises(LimitExceededError, match="2 triplets follow, more than limit=1"):
        p.to_triplets(limit=1)


# ---------------------------------------------------------------------- soft closure


def soft(must, cannot, n=6):
    return PairwiseConstraints(
        [x[:2] for x in must],
        [x[:2] for x in cannot],
        n,
        must_weights=[x[2] for x in must],
        cannot_weights=[x[2] for x in cannot],
    )


def weights(p):
    return {
        **{(a, b): w for (a, b), w in zip(p.must_link.tolist(), p.must_weights.tolist(), strict=True)},
        **{(a, b): -w for (a, b), w in zip(p.cannot_link.tolist(), p.cannot_weights.tolist(), strict=True)},
    }


def test_soft__the_smallest_weight_along_the_way_and_the_heaviest_way():
    p = soft([(0, 1, 0.9), (1, 2, 0.4), (0, 3, 0.8), (3, 2, 0.6)], [(2, 4, 0.7), (0, 4, 0.5)])
    assert weights(p.soft_closure()) == {
        (0, 1): 0.9, (0, 3): 0.8, (1, 3): 0.8, (2, 3): 0.6, (0, 2): 0.6, (1, 2): 0.6,
        (2, 4): -0.7, (0, 4): -0.6, (1, 4): -0.6, (3, 4): -0.6,
    }  # fmt: skip


def test_soft__two_cannot_links_conclude_nothing():
    assert weights(soft([], [(0, 1, 0.9), (1, 2, 0.8)]).soft_closure()) == {(0, 1): -0.9, (1, 2): -0.8}


def test_soft__heavier_links_overrule_lighter_ones():
    # 1 2 is overruled by the chain 1 - 0 - 2, and its conclusion about 3 is not drawn
    p = soft([(0, 1, 0.9), (1, 2, 0.5), (2, 3, 0.4)], [(0, 2, 0.8)])
    assert weights(p.soft_closure()) == {
        (0, 1): 0.9,
        (2, 3): 0.4,
        (0, 2): -0.8,
        (1, 2): -0.8,
        (0, 3): -0.4,
        (1, 3): -0.4,
    }
    assert list(p.overruled()) == [(1, 2, "must")]
    assert len(p.soft_closure().overruled()) == 0


def test_soft__a_light_link_into_what_heavier_ones_have_settled_is_no_contradiction():
    # between 0 and 2 there is a must-chain and a cannot-chain, both as strong as their common link 0 1
    p = soft([(0, 1, 0.5), (1, 2, 0.7), (1, 3, 0.8)], [(2, 3, 0.9)])
    got = weights(p.soft_closure())
    assert got == {(0, 1): 0.5, (1, 3): 0.8, (0, 3): 0.5, (2, 3): -0.9, (1, 2): -0.8, (0, 2): -0.5}
    assert list(p.overruled()) == [(1, 2, "must")]


def test_soft__equal_weights_that_contradict_each_other_are_refused():
    p = soft([(0, 1, 0.9), (1, 2, 0.5), (2, 3, 0.5)], [(0, 3, 0.7), (4, 5, 1.0)])
    with pytest.raises(
        InconsistentPairsError, match=r"0 - 1 - 2 - 3 .*\(weight 0.5, and no link of larger weight decides"
    ) as caught:
        p.soft_closure()
    assert caught.value.path == [0, 1, 2, 3]
    assert caught.value.weight == 0.5
    with pytest.raises(InconsistentPairsError):
        p.overruled()
    with pytest.raises(InconsistentPairsError, match="0 and 1 are a must-link and a cannot-link"):
        soft([(0, 1, 0.5)], [(0, 1, 0.5)]).soft_closure()
    hard = PairwiseConstraints([(0, 1)], [(0, 1)], 2)
    with pytest.raises(InconsistentPairsError) as caught:
        hard.soft_closure()
    assert caught.value.weight is None


# ---------------------------------------------------------------------- class labels

Y = ["x", "y", "x", "z", "x", "y"]


def test_class_pairs__all_and_spanning():
    p = pairs_from_classes(Y)
    assert p.must_link.tolist() == [[0, 2], [0, 4], [1, 5], [2, 4]]
    assert len(p) == 15
    few = pairs_from_classes(Y, which="spanning")
    assert few.must_link.tolist() == [[0, 2], [0, 4], [1, 5]]
    assert few.cannot_link.tolist() == [[0, 1], [0, 3], [1, 3]]
    assert few.expand() == p
    assert few.closure().is_complete
    with pytest.raises(ValueError, match="which must be 'all' or 'spanning', not 'some'"):
        pairs_from_classes(Y, which="some")


@pytest.mark.parametrize("make", [pairs_from_classes, lambda y, **o: sample_class_pairs(y, 1, **o)])
def test_class_pairs__samples_leaves_and_missing_classes(make):
    y = [None, "x", "y", float("nan"), "x"]
    assert set(make(y).used_leaves.tolist()) <= {1, 2, 4}
    p = make(y, samples=[4, 1, 2], leaves=[*"abcde"])
    assert list(p.leaves) == [*"abcde"]
    assert set(p.used_leaves.tolist()) <= {1, 2, 4}
    assert make(y, samples=np.array([0, 1, 1, 0, 1], bool), leaves=[*"abcde"]).leaves == p.leaves
    assert list(make(pd.Series(Y, [*"abcdef"])).leaves) == [*"abcdef"]
    with pytest.raises(InvalidLabelsError, match="y has 6 entries for 2 leaves"):
        make(Y, leaves=["a", "b"])


def test_class_pairs__sampled_pairs_are_true_different_and_reproducible():
    full = pairs_from_classes(Y)
    wanted = {tuple(x) for x in full}
    for share in (None, 0, 0.5):
        p = sample_class_pairs(Y, 6, must_share=share, random_state=3)
        assert len(p) == 6
        assert set(p) <= wanted
        assert p == sample_class_pairs(Y, 6, must_share=share, random_state=3)
        assert share is None or p.n_must == round(6 * share)
    assert sample_class_pairs(Y, 15, random_state=0) == full
    assert sample_class_pairs(Y, 15, must_share=4 / 15, random_state=0) == full
    assert len(sample_class_pairs(Y, 0)) == len(sample_class_pairs([], 0)) == len(pairs_from_classes([])) == 0


def test_class_pairs__every_pair_is_as_likely():
    seen = {None: {}, 0.5: {}}
    for seed in range(600):
        for share, count in seen.items():
            for pair in sample_class_pairs(Y, 2, must_share=share, random_state=seed):
                count[pair] = count.get(pair, 0) + 1
    assert len(seen[None]) == len(seen[0.5]) == 15
    assert all(abs(count - 80) < 40 for count in seen[None].values())
    assert all(abs(count - (150 if kind == "must" else 600 / 11)) < 45 for (_, _, kind), count in seen[0.5].items())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 16}, "size is 16; there are 15 pairs of samples"),
        ({"size": 10, "must_share": 0.5}, "the number of must-links is 5; there are 4 pairs of samples of one class"),
        ({"size": 12, "must_share": 0.0}, "the number of cannot-links is 12; there are 11 pairs of samples of two"),
        ({"size": 2, "must_share": 1.5}, "must_share must be None or a number in 0..1"),
        ({"size": 2, "must_share": True}, "must_share must be None or a number in 0..1"),
        ({"size": -1}, "size is -1"),
    ],
)
def test_class_pairs__bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        sample_class_pairs(Y, **options)


def test_class_pairs__too_many():
    with pytest.raises(LimitExceededError, match="take which='spanning'"):
        pairs_from_classes(np.zeros(20_000))
    with pytest.raises(LimitExceededError, match="take sample_class_pairs or fewer"):
        pairs_from_classes(np.arange(20_000), which="spanning")
    assert len(pairs_from_classes(np.zeros(20_000), which="spanning")) == 19_999
    assert len(sample_class_pairs(np.arange(100_000) % 7, 1000, must_share=0.5, random_state=0).closure().groups())


# ---------------------------------------------------------------------- the samples of X

X = np.zeros((6, 2))
FRAME = pd.DataFrame(X, index=[*"abcdef"])


def test_aligned__labels_of_a_frame_and_rows_of_an_array():
    wanted = [[0, 5], [2, 3]], [[1, 4]]
    named, rows = ([("f", "a"), ("c", "d")], [("b", "e")]), ([(5, 0), (2, 3)], [(1, 4)])
    for data, pairs in (
        (FRAME, named),
        (FRAME, PairwiseConstraints.from_labels(*named)),
        (FRAME, PairwiseConstraints.from_labels(*named, leaves=[*"zfedcba"])),
        (FRAME, tuple(map(np.array, named))),
        (FRAME, tuple(map(np.array, rows))),
        (X, rows),
        (X, list(rows)),
        (X, tuple(map(np.array, rows))),
        (X, (np.array(rows[0], np.uint8), rows[1])),
        (X, PairwiseConstraints(*rows, 6)),
        (pd.DataFrame(X), rows),
    ):
        aligned = align_pairs(data, pairs, 6)
        assert (aligned.must_link.tolist(), aligned.cannot_link.tolist()) == wanted
        assert list(aligned.leaves) == (list(range(6)) if data is not FRAME else [*"abcdef"])


def test_aligned__nothing_and_one_kind_only():
    for pairs in (None, ([], []), (None, None), ((), np.empty((0, 2), int)), PairwiseConstraints([], [], 6)):
        aligned = align_pairs(X, pairs, 6)
        assert len(aligned) == 0
        assert aligned.leaves == LeafIndex(6)
    assert len(align_pairs(FRAME, None, 6)) == 0
    assert align_pairs(FRAME, (None, [("a", "b")]), 6).cannot_link.tolist() == [[0, 1]]


def test_aligned__weights_are_kept():
    p = PairwiseConstraints.from_labels([("f", "a")], [("b", "a")], must_weights=[0.5])
    aligned = align_pairs(FRAME, p, 6)
    assert (aligned.must_weights.tolist(), aligned.cannot_weights.tolist()) == ([0.5], [1.0])


@pytest.mark.parametrize(
    ("pairs", "unknown"),
    [
        (([(0, 6)], [(9, 1)]), [6]),
        ((np.array([[0, 6], [-1, 2]]), []), [-1, 6]),
        ((np.array([[0, 2**64 - 1]], np.uint64), []), [2**64 - 1]),
        (PairwiseConstraints([(0, 1)], [], 8), [6, 7]),
        (([("a", "b")], []), ["a", "b"]),
    ],
)
def test_aligned__unknown_rows_are_named(pairs, unknown):
    for data in (X, pd.DataFrame(X)):
        with pytest.raises(UnknownLeafError, match=r"rows of X \(n_samples=6") as caught:
            align_pairs(data, pairs, 6, missing_samples="ignore")
        assert sorted(caught.value.labels, key=str) == sorted(unknown, key=str)
    with pytest.raises(UnknownLeafError, match="or pairs of row numbers"):
        align_pairs(X, ([("a", "b")], []), 6)


def test_aligned__unknown_labels_of_a_frame():
    pairs = ([("a", "zebra"), ("a", "b")], [("b", "yak")])
    with pytest.raises(UnknownLeafError, match="labels in the index of X") as caught:
        align_pairs(FRAME, PairwiseConstraints.from_labels(*pairs), 6)
    assert sorted(caught.value.labels) == ["yak", "zebra"]
    assert list(align_pairs(FRAME, pairs, 6, missing_samples="ignore")) == [("a", "b", "must")]


def test_aligned__integers_that_are_no_rows_and_repeats():
    numbered = pd.DataFrame(X, index=range(10, 16))
    assert align_pairs(numbered, ([(10, 15)], []), 6).must_link.tolist() == [[0, 5]]
    with pytest.raises(InvalidPairError, match="pairs are an integer array, which means row numbers"):
        align_pairs(numbered, (np.array([[0, 1]]), []), 6)
    twice = pd.DataFrame(X, index=[*"abcdea"])
    with pytest.raises(DuplicateLeafError, match="in the index of X, to which pairs refer"):
        align_pairs(twice, ([("a", "b")], []), 6)
    assert align_pairs(twice, None, 6).leaves == LeafIndex(6)
    assert align_pairs(twice, (np.array([[0, 1]]), None), 6).leaves == LeafIndex(6)


TRIPLES = [("a", "b", "must"), ("b", "c", "cannot")], [("a", "b", "must")] * 3, [["a", "b", "must"], ["b", "c", "must"]]


@pytest.mark.parametrize("pairs", ["ab", 7, ([("a", "b")],), np.array([[0, 1]]), {"must": [], "cannot": []}, *TRIPLES])
def test_aligned__what_is_nothing_of_the_kind(pairs):
    with pytest.raises(
        TypeError, match=r"pairs must be a PairwiseConstraints, .* or two lists \(must_link, "
    ) as caught:
        align_pairs(X, pairs, 6)
    is_file = isinstance(pairs, str)
    assert ("PairwiseConstraints.from_labels(must_link=" in str(caught.value)) != is_file
    assert f"read_pairs({'path' if not is_file else repr(pairs)})" in str(caught.value)


# ------------------------------------------------------------------ mends


def test_pairs__never_change(strong):
    for name in ("must_link", "cannot_weights", "leaves", "shape", "other"):
        with pytest.raises(AttributeError, match=f"a PairwiseConstraints is immutable, so {name} cannot be set"):
            setattr(strong, name, None)
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del strong.must_link
    assert strong.closure() is strong.closure()  # a computed closure is kept all the same


def test_pairs__say_one_and_none():
    assert (
        repr(PairwiseConstraints([(0, 1)], [], 2))
        == "<PairwiseConstraints: 1 must-link and 0 cannot-links on 2 leaves>"
    )
    assert repr(PairwiseConstraints([], [], 1)) == "<PairwiseConstraints: 0 must-links and 0 cannot-links on 1 leaf>"


@pytest.mark.parametrize("limit", ["x", None, 2.5, True])
def test_pairs__a_limit_is_a_whole_number(strong, limit):
    for call in (strong.expand, strong.soft_closure, strong.to_triplets):
        with pytest.raises(TypeError, match=f"limit must be a whole number, not {limit!r}"):
            call(limit=limit)
    with pytest.raises(ValueError, match="limit is -1; it must be at least 0"):
        strong.expand(limit=-1)


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ([9], "there is no must-link 9: the rows are 0..1"),
        (-3, "there is no must-link -3"),
        (["a"], "by a list or array of row numbers"),
        ([0.5], "by a list or array of row numbers"),
        ([[0]], "by a list or array of row numbers"),
        ([[0], [0, 1]], "by a list or array of row numbers"),
        ([True], "the mask has 1 entries for 2 must-links"),
    ],
)
def test_pairs__a_bad_row_number_of_a_subset(strong, which, message):
    with pytest.raises(IndexError, match=message):
        strong.subset(must_link=which)


def test_pairs__a_subset_by_a_slice_and_from_the_end(strong):
    assert strong.subset(must_link=slice(0, 1)) == strong.subset(must_link=[0])
    assert strong.subset(must_link=[-1]) == strong.subset(must_link=[False, True])
    with pytest.raises(IndexError, match="there is no cannot-link 0: there are none"):
        strong.subset(cannot_link=[]).subset(cannot_link=[0])


@pytest.mark.parametrize("label", [pd.NA, float("nan"), pd.NaT, np.nan])
def test_pairs__a_missing_label_is_refused(label):
    with pytest.raises(InvalidPairError, match="cannot-link 1 is .* is a missing label") as caught:
        PairwiseConstraints.from_labels([], [("a", "b"), ("b", label)])
    assert caught.value.row == 1


@pytest.mark.parametrize("label", [["a"], {"a": 1}, np.array([1, 2])])
def test_pairs__a_label_is_one_hashable_value(label):
    with pytest.raises(InvalidPairError, match="is not a label; expected a hashable value") as caught:
        PairwiseConstraints.from_labels([("a", "b"), (label, "b")])
    assert caught.value.row == 1


def test_consistent__is_what_closure_says(rng):
    seen = set()
    for _ in range(200):
        must, cannot = (rng.integers(0, 6, (int(rng.integers(0, 5)), 2)) for _ in range(2))
        pairs = PairwiseConstraints(must[must[:, 0] != must[:, 1]], cannot[cannot[:, 0] != cannot[:, 1]], 6)
        try:
            pairs.closure()
            holds = True
        except InconsistentPairsError:
            holds = False
        assert pairs.is_consistent is holds
        seen.add(holds)
    assert seen == {True, False}


def test_contradictions__all_of_them_by_brute_force(rng):
    import networkx as nx

    many = 0
    for _ in range(60):
        must, cannot = (rng.integers(0, 9, (7, 2)) for _ in range(2))
        pairs = PairwiseConstraints(must[must[:, 0] != must[:, 1]], cannot[cannot[:, 0] != cannot[:, 1]], 9)
        graph = nx.Graph(pairs.must_link.tolist())
        wanted = {
            (a, b): nx.shortest_path_length(graph, a, b)
            for a, b in pairs.cannot_link.tolist()
            if a in graph and b in graph and nx.has_path(graph, a, b)
        }
        found = find_contradictions(pairs)
        assert {x.cannot_link: len(x.path) - 1 for x in found} == wanted
        assert [len(x) for x in found] == sorted(len(x) for x in found)
        for x in found:
            assert all(graph.has_edge(a, b) for a, b in zip(x.path[:-1], x.path[1:], strict=True))
            assert (x.pairs.n_must, x.pairs.n_cannot) == (len(x) - 1, 1)
            assert not x.pairs.is_consistent
            assert all(x.pairs.subset(must_link=np.arange(len(x) - 1) != i).is_consistent for i in range(len(x) - 1))
        assert len(find_contradictions(pairs, 1)) == min(1, len(wanted))
        if found:
            with pytest.raises(InconsistentPairsError) as caught:
                pairs.closure()
            assert caught.value.n_others == len(found) - 1
            assert len(caught.value.path) == len(found[0].path)
        many += len(found) > 1
    assert many > 10


def test_contradictions__say_where_they_were_read_and_dict():
    p = lined([(0, 1), (1, 2)], [(0, 2), (0, 1)], [*"abc"])
    one, two = find_contradictions(p)
    assert str(one) == "a and b are a must-link (line 1 of pairs.txt) and a cannot-link (line 102 of pairs.txt)"
    assert str(two).startswith("the 2 must-links a - b - c (lines 1 and 2 of pairs.txt) put a and c together")
    assert repr(one) == f"<Contradiction: {one}>"
    assert [(x["a"], x["b"], x["link"], x["line"]) for x in two.to_dict()["links"]] == [
        ("a", "b", "must", 1),
        ("b", "c", "must", 2),
        ("a", "c", "cannot", 101),
    ]
    with pytest.raises(TypeError, match="k must be a whole number"):
        find_contradictions(p, "x")
    with pytest.raises(TypeError, match="expected PairwiseConstraints"):
        find_contradictions([("a", "b")])


def test_aligned__unknown_labels_are_those_in_pairs_and_the_way_out_is_told():
    X = pd.DataFrame(np.zeros((3, 1)), index=[*"abc"])
    pairs = PairwiseConstraints.from_labels([("a", "x")], [], [*"abcdefx"])
    for known, given in (("pairs", pairs), ("triplets", TripletSet.from_labels([("a", "b", "x")], [*"abcdefx"]))):
        align = align_pairs if known == "pairs" else align_triplets
        with pytest.raises(UnknownLeafError, match=f"missing_samples='ignore' leaves out the {known}") as caught:
            align(X, given, 3, missing_samples="raise")
        assert caught.value.labels == ["x"]
        with pytest.raises(UnknownLeafError) as caught:  # a caller that has no such parameter
            align(X, given, 3)
        assert "missing_samples" not in str(caught.value)


def test_aligned__row_numbers_beyond_x_are_those_in_pairs():
    pairs = PairwiseConstraints([(0, 1), (1, 900)], [], 1000)
    with pytest.raises(UnknownLeafError, match="^1 unknown among the rows of X") as caught:
        align_pairs(np.zeros((5, 1)), pairs, 5)
    assert caught.value.labels == [900]
    with pytest.raises(UnknownLeafError, match="^1 unknown among the rows of X") as caught:
        align_triplets(np.zeros((5, 1)), TripletSet([(0, 1, 900)], 1000), 5)
    assert caught.value.labels == [900]
    low = PairwiseConstraints([(0, 1)], [], 7)  # a set knows that it was made for seven samples
    with pytest.raises(UnknownLeafError, match=r"that occur in none of them, .* give pairs.reindex\(5\)") as caught:
        align_pairs(np.zeros((5, 1)), low, 5)
    assert caught.value.labels == [5, 6]
    assert len(align_pairs(np.zeros((5, 1)), low.reindex(5), 5)) == 1
