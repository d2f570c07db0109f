from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from examples import caterpillar, small_world, star, yule, zoo
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clades_of_hierarchy, components, displayed
from strategies import hierarchies, triplet_rows

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    DuplicateLeafError,
    InconsistentPairsError,
    InvalidLabelsError,
    TripletreeError,
    UnknownLeafError,
)
from tripletree.evaluation import scores as _pair_counts
from tripletree.evaluation.scores import (
    constrained_rand_index,
    dendrogram_purity,
    pair_score,
    pairwise_f_score,
    pairwise_precision_recall,
    rand_index,
    triplet_score,
    violated_pairs,
)


def pairs_definition(y_true, y_pred):
    """Pairs in one class and one cluster, in one class, in one cluster: one pair of samples at a time."""
    both = classes = clusters = 0
    for i, j in combinations(range(len(y_true)), 2):
        classes += y_true[i] == y_true[j]
        clusters += y_pred[i] == y_pred[j]
        both += y_true[i] == y_true[j] and y_pred[i] == y_pred[j]
    return both, classes, clusters


label_lists = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)])
)


@settings(deadline=None)
@given(label_lists)
def test_pairwise_f_score__is_the_harmonic_mean_over_pairs(labels):
    both, classes, clusters = pairs_definition(*labels)
    precision, recall = pairwise_precision_recall(*labels)
    assert 0 <= precision <= 1
    assert 0 <= recall <= 1
    if clusters:
        assert precision == both / clusters
    if classes:
        assert recall == both / classes
    expected = 1.0 if classes + clusters == 0 else 0.0
    if precision + recall > 0:
        expected = 2 * precision * recall / (precision + recall)
    assert pairwise_f_score(*labels) == pytest.approx(expected, abs=1e-15)
    assert pairwise_f_score(*labels) == pairwise_f_score(*labels[::-1])


def test_pairwise_f_score__by_hand():
    # pairs in one class: 3 + 1. In one cluster: 1 + 3. In both: {0,1}, {3,4}
    assert pairwise_f_score(list("aaabb"), [0, 0, 1, 1, 1]) == 0.5
    assert pairwise_precision_recall(list("aaabb"), [0, 0, 1, 1, 1]) == (0.5, 0.5)
    assert pairwise_f_score([0, 0, 0, 0], [0, 0, 1, 1]) == 0.5


def test_pairwise_f_score__where_a_side_has_no_pairs():
    assert pairwise_f_score([0, 1, 2], [5, 6, 7]) == 1.0
    assert pairwise_f_score([0, 0, 0], [5, 6, 7]) == 0.0
    assert pairwise_f_score([0, 1, 2], [5, 5, 5]) == 0.0
    assert pairwise_precision_recall([0, 1, 2], [5, 6, 7]) == (1.0, 1.0)
    assert pairwise_precision_recall([0, 0, 0], [5, 6, 7]) == (0.0, 0.0)
    assert pairwise_f_score([], []) == 1.0


def test_pairwise_f_score__counts_are_exact_beyond_float():
    n = 200_000_000  # as many pairs as 2e16. Only the counts are made, by repeating two labels
    assert int(_pair_counts._pairs_within(np.array([n, n + 1]))) == n * (n - 1) // 2 + (n + 1) * n // 2


def test_pairwise_f_score__labels_of_any_type():
    pd = pytest.importorskip("pandas")
    y = [0, 0, 1, 1, 2]
    expected = pairwise_f_score(y, [0, 1, 1, 1, 0])
    words = ["cat", "cat", "dog", "dog", "eel"]
    for other in (
        words,
        np.array(words),
        np.array(words, object),
        pd.Series(words, index=[9, 8, 7, 6, 5]),
        pd.Categorical(words),
        tuple((x, 1) for x in words),
        np.array(y, float),
        np.array(y, np.uint8),
        pd.to_datetime([f"2020-01-0{v + 1}" for v in y]),
        (x for x in words),
    ):
        assert pairwise_f_score(other, [0, 1, 1, 1, 0]) == expected


def test_pairwise_f_score__a_number_is_not_its_digits():
    assert pairwise_f_score([1, "1", 1], [0, 0, 0]) == 0.5


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, np.datetime64("NaT", "ns")])
def test_pairwise_f_score__refuses_missing_labels(missing):
    with pytest.raises(InvalidLabelsError, match="entry 1 of y_pred is missing") as caught:
        pairwise_f_score([0, 1, 2], [0, missing, 2])
    assert caught.value.position == 1
    assert isinstance(caught.value, (ValueError, TripletreeError))
    with pytest.raises(InvalidLabelsError, match="entry 0 of y_true is missing"):
        pairwise_f_score([missing, 0], [0, 1])


def test_pairwise_f_score__refuses_missing_labels_of_pandas():
    pd = pytest.importorskip("pandas")
    for labels in (pd.Categorical(["a", None]), pd.array([1, None], dtype="Int64"), pd.Series(["a", None])):
        with pytest.raises(InvalidLabelsError, match="entry 1 of y_true is missing"):
            pairwise_f_score(labels, [0, 0])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1], [0, 1, 1], "y_true has 2 labels and y_pred 3"),
        ("aab", [0, 0, 1], "y_true must be a sequence of labels"),
        (3, [0], "y_true must be a sequence"),
        ([0, 1], np.zeros((2, 1)), r"y_pred must be one-dimensional.*\(2, 1\)"),
        ([[0], [1]], [0, 1], "entry 0 of y_true is .* hashable"),
        ({"a": 0}, [0], "y_true must be a sequence"),
    ],
)
def test_pairwise_f_score__refuses_what_is_no_pair_of_label_lists(y_true, y_pred, message):
    with pytest.raises(InvalidLabelsError, match=message):
        pairwise_f_score(y_true, y_pred)


# ------------------------------------------------------------------ rand_index


def agree(y_true, y_pred, i, j):
    return (y_true[i] == y_true[j]) == (y_pred[i] == y_pred[j])


@given(label_lists)
def test_rand_index__is_the_share_of_pairs_on_which_both_agree(lists):
    y_true, y_pred = lists
    pairs = [agree(y_true, y_pred, i, j) for i, j in combinations(range(len(y_true)), 2)]
    assert rand_index(y_true, y_pred) == (sum(pairs) / len(pairs) if pairs else 1.0)
    assert rand_index(y_pred, y_true) == rand_index(y_true, y_pred)


def test_rand_index__by_hand():
    # of 15 pairs ab and de are together in both. The 7 of a, b, c with d, e, f that no cluster joins are apart in both
    assert rand_index(list("xxxyyy"), [0, 0, 1, 1, 1, 2]) == 9 / 15
    assert rand_index([0, 0, 0], [0, 1, 2]) == 0.0
    assert rand_index([0, 1, 2], [0, 1, 2]) == 1.0
    assert rand_index(["a", "b", None][:2], [7.5, 7.5]) == 0.0


def test_rand_index__fewer_than_two_samples():
    assert rand_index([], []) == 1.0
    assert rand_index(["x"], [3]) == 1.0


@pytest.mark.parametrize("score", [rand_index, constrained_rand_index])
def test_rand_index__refuses_what_is_no_pair_of_label_lists(score):
    with pytest.raises(InvalidLabelsError, match="entry 1 of y_pred is missing"):
        score([0, 1, 2], [0, None, 2])
    with pytest.raises(InvalidLabelsError, match="y_true has 2 labels and y_pred 3"):
        score([0, 1], [0, 1, 1])
    with pytest.raises(InvalidLabelsError, match="y_true must be a sequence"):
        score(3, [0])


# ------------------------------------------------------------------ constrained_rand_index


def constrained_by_pairs(y_true, y_pred, must_link, cannot_link):
    """Each pair looked at by itself. None if the constraints contradict each other."""
    n = len(y_true)
    group = {i: k for k, part in enumerate(components(range(n), must_link)) for i in part}
    apart = {frozenset((group[i], group[j])) for i, j in cannot_link}
    if any(len(pair) == 1 for pair in apart):
        return None
    free = [
        agree(y_true, y_pred, i, j)
        for i, j in combinations(range(n), 2)
        if group[i] != group[j] and frozenset((group[i], group[j])) not in apart
    ]
    return sum(free) / len(free) if free else 1.0


@st.composite
def constrained_labels(draw):
    n = draw(st.integers(2, 10))
    pairs = st.lists(st.permutations(range(n)).map(lambda p: tuple(p[:2])), max_size=5)
    labels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return draw(labels), draw(labels), draw(pairs), draw(pairs)


@settings(max_examples=400)
@given(constrained_labels(), st.sampled_from([1, 1_000_000]))
def test_constrained_rand_index__is_the_share_among_the_pairs_left_open(case, chunk):
    y_true, y_pred, must, cannot = case
    expected = constrained_by_pairs(*case)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pair_counts, "CHUNK", chunk)
        if expected is None:
            with pytest.raises(ValueError, match="must-links tie the two together"):
                constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=cannot)
        else:
            assert constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=cannot) == expected


def test_constrained_rand_index__by_hand():
    y_true, y_pred = list("xxxyyy"), [0, 0, 1, 1, 1, 2]
    assert constrained_rand_index(y_true, y_pred) == 0.6
    # ab is right without merit: 8 of 14 others. De as well: 7 of 13
    assert constrained_rand_index(y_true, y_pred, must_link=[(1, 0)]) == 8 / 14
    assert constrained_rand_index(y_true, y_pred, must_link=np.array([(0, 1), (3, 4)], np.uint8)) == 7 / 13
    # a, b against d, e: four pairs that are apart in both. 3 of 9
    both = {"must_link": [(0, 1), (3, 4)], "cannot_link": [(1, 3)]}
    assert constrained_rand_index(y_true, y_pred, **both) == 3 / 9
    assert constrained_rand_index(y_true, y_pred, must_link=iter([(0, 1)]), cannot_link=iter([])) == 8 / 14


def test_constrained_rand_index__where_nothing_is_left_open():
    assert constrained_rand_index([0, 1], [0, 0], must_link=[(0, 1)]) == 1.0
    everything = {"must_link": [(0, 1), (1, 2)], "cannot_link": [(2, 3)]}
    assert constrained_rand_index([0, 1, 2, 3], [0, 0, 0, 0], **everything) == 1.0


def test_constrained_rand_index__repeats_do_not_matter():
    y_true, y_pred = [0, 0, 1, 1, 2], [0, 1, 1, 1, 0]
    once = constrained_rand_index(y_true, y_pred, must_link=[(0, 1)], cannot_link=[(1, 2)])
    must, cannot = [(0, 1), (1, 0)] * 128, [(1, 2), (2, 0)] * 128
    assert constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=cannot) == once == 5 / 7


def test_constrained_rand_index__many_samples(rng):
    n = 200_000  # 2e10 pairs
    y_true, y_pred = rng.integers(0, 5, n), rng.integers(0, 7, n)
    half = np.arange(n // 2 - 1)
    must = np.concatenate([np.stack([half, half + 1], axis=1), np.stack([half, half + 1], axis=1) + n // 2])
    # two chains of 100,000, so that only the pairs between them are open
    a, b = np.zeros((5, 7), np.int64), np.zeros((5, 7), np.int64)
    np.add.at(a, (y_true[: n // 2], y_pred[: n // 2]), 1)
    np.add.at(b, (y_true[n // 2 :], y_pred[n // 2 :]), 1)
    same = int((a * b).sum())
    apart = (n // 2) ** 2 - int((a.sum(0) * b.sum(0)).sum()) - int((a.sum(1) * b.sum(1)).sum()) + same
    assert constrained_rand_index(y_true, y_pred, must_link=must) == (same + apart) / (n // 2) ** 2
    assert constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=[(n - 1, 0)]) == 1.0


def test_constrained_rand_index__a_contradiction_names_the_path():
    y = [0] * 60
    message = r"pair 1 of cannot_link is \(4, 0\), but must-links tie the two together: 4 - 2 - 0; drop"
    with pytest.raises(ValueError, match=message):
        constrained_rand_index(y, y, must_link=[(0, 2), (2, 4), (1, 3)], cannot_link=[(0, 1), (4, 0)])
    chain = [(i, i + 1) for i in range(59)]
    with pytest.raises(ValueError, match=r"together: 0 - 1 - .* - 9 - \.\.\. - 50 - .* - 59; drop"):
        constrained_rand_index(y, y, must_link=chain, cannot_link=[(0, 59)])


@pytest.mark.parametrize("name", ["must_link", "cannot_link"])
@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (1, 1)], r"pair 1 of {} is \(1, 1\): expected two different positions in 0..2"),
        ([(0, 3)], r"pair 0 of {} is \(0, 3\): expected two different positions in 0..2"),
        ([(0, -1)], r"pair 0 of {} is \(0, -1\)"),
        ([(0, 1, 2)], r"{} must be pairs of sample positions, integers of shape \(p, 2\), not int64 of \(1, 3\)"),
        ([0, 1], r"{} must be pairs .*, not int64 of \(2,\)"),
        ([("a", "b")], "{} must be pairs .*, not <U1"),
        ([(0.0, 1.0)], "{} must be pairs .*, not float64"),
        ([(0, 1), (1,)], "{} must be pairs .*; the rows differ in length"),
        ({(0, 1)}, "{} must be pairs .*, not object"),
    ],
)
def test_constrained_rand_index__refuses_what_are_no_pairs(name, pairs, message):
    with pytest.raises(ValueError, match=message.format(name)):
        constrained_rand_index([0, 1, 2], [0, 1, 2], **{name: pairs})


# ------------------------------------------------------------------ dendrogram_purity


def purity_by_pairs(clades, classes):
    """All pairs of one class: its share in the smallest clade with both, exact. Classes by leaf, None for none."""
    shares = []
    for a, b in combinations([x for x in classes if classes[x] is not None], 2):
        if classes[a] == classes[b]:
            where = min((x for x in clades if a in x and b in x), key=len)
            known = [classes[x] for x in where if classes[x] is not None]
            shares.append(Fraction(known.count(classes[a]), len(known)))
    return sum(shares) / len(shares) if shares else Fraction(1)


def labelings(n):
    """Every way to put n leaves into classes, up to their names, some leaves into none."""
    for codes in product(range(-1, n), repeat=n):
        known = [c for c in codes if c >= 0]
        if list(dict.fromkeys(known)) == list(range(len(set(known)))):
            yield [None if c < 0 else "abcdef"[c] for c in codes]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_dendrogram_purity__small_world_with_all_labelings(n):
    for nested in small_world(n):
        h = Hierarchy.from_nested(nested) if n > 1 else Hierarchy([-1])
        clades = clades_of_hierarchy(h)
        for classes in labelings(n):
            expected = purity_by_pairs(clades, dict(zip(h.leaves, classes, strict=True)))
            assert dendrogram_purity(h, classes) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("n", [5, 6])
def test_dendrogram_purity__small_world(n, rng):
    every = list(labelings(5)) if n == 5 else None
    for nested in small_world(n):
        h = Hierarchy.from_nested(nested)
        clades = clades_of_hierarchy(h)
        some = [every[i] for i in rng.integers(0, len(every), 30)] if every else rng.integers(0, 3, (2, 6)).tolist()
        for classes in some:
            expected = purity_by_pairs(clades, dict(zip(h.leaves, classes, strict=True)))
            assert dendrogram_purity(h, classes) == pytest.approx(float(expected), rel=1e-14)


@settings(max_examples=300)
@given(hierarchies(max_leaves=12, unary=True), st.data())
def test_dendrogram_purity__unary_nodes_and_missing_classes(h, data):
    one = st.sampled_from(["x", "y", -1, 0, None, float("nan")])
    classes = {u: data.draw(one) for u in h.leaves}
    expected = purity_by_pairs(clades_of_hierarchy(h), {u: None if c != c else c for u, c in classes.items()})
    assert dendrogram_purity(h, classes) == pytest.approx(float(expected), rel=1e-14)
    assert dendrogram_purity(h, list(classes.values())) == dendrogram_purity(h, classes)
    present = {u: c for u, c in classes.items() if c is not None}
    assert dendrogram_purity(h, present) == dendrogram_purity(h, classes)


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in zoo()])
def test_dendrogram_purity__the_zoo(h, rng):
    clades = clades_of_hierarchy(h)
    clades.sort(key=len)
    codes = rng.integers(-1, 4, h.n_leaves).tolist()
    classes = {x: None if c < 0 else c for x, c in zip(h.leaves, codes, strict=True)}
    total, pairs = Fraction(0), 0
    for a, b in combinations([x for x in classes if classes[x] is not None], 2):
        if classes[a] == classes[b]:
            known = [classes[x] for x in next(c for c in clades if a in c and b in c) if classes[x] is not None]
            total += Fraction(known.count(classes[a]), len(known))
            pairs += 1
    assert dendrogram_purity(h, classes) == pytest.approx(float(total / pairs) if pairs else 1.0, rel=1e-13)


def test_dendrogram_purity__by_hand():
    h = Hierarchy.from_nested([[("a", "b"), "c"], ("d", "e")])
    # ab in ab: 1. Ad and bd at the root: 3/5. Ce at the root: 2/5
    assert dendrogram_purity(h, list("xxyxy")) == pytest.approx(2.6 / 4)
    # ab, ac, bc below a node with three children: 1 and twice 3/4, ...
    h = Hierarchy.from_nested([[("a", "b"), "c", "d"], "e"])
    assert dendrogram_purity(h, list("xxxyy")) == pytest.approx((1 + 3 / 4 + 3 / 4 + 2 / 5) / 4)
    assert dendrogram_purity(star(5), [0, 0, 0, 1, 1]) == pytest.approx((3 * 3 / 5 + 2 / 5) / 4)


def test_dendrogram_purity__is_one_exactly_where_each_class_is_a_clade():
    h = Hierarchy.from_nested([[("a", "b"), "c"], [("d", "e"), ("f", "g")]])
    assert dendrogram_purity(h, [0, 0, 0, 1, 1, 1, 1]) == 1.0
    assert dendrogram_purity(h, [0, 0, 1, 2, 2, 3, 3]) == 1.0
    assert dendrogram_purity(h, [0, 0, 0, 0, 0, 0, 0]) == 1.0
    assert dendrogram_purity(h, range(7)) == 1.0
    assert dendrogram_purity(h, [None] * 7) == 1.0
    assert dendrogram_purity(h, {}) == 1.0
    assert dendrogram_purity(h, [0, 0, None, None, 0, 1, 1]) < 1.0
    assert dendrogram_purity(h, [0, None, 0, 1, None, None, 1]) == 1.0
    assert dendrogram_purity(Hierarchy.from_nested(["a", "b", "c"]), [0, 0, 1]) == pytest.approx(2 / 3)


def test_dendrogram_purity__deep_and_large(rng):
    n = 100_000
    ladder = caterpillar(n)
    codes = rng.integers(0, 6, n)
    # leaf i meets the leaves before it in the clade of leaves 0..i
    count, total = np.zeros(6, np.int64), 0.0
    for i, c in enumerate(codes.tolist()):
        total += count[c] * ((count[c] + 1) / (i + 1))
        count[c] += 1
    assert dendrogram_purity(ladder, codes) == pytest.approx(total / (count * (count - 1) // 2).sum(), rel=1e-9)
    half = (np.arange(n) < n // 2).astype(np.int64)
    # the first half is a clade. The pairs of the second meet one by one
    i = np.arange(n // 2, n)
    later = ((i - n // 2) * (i - n // 2 + 1) / (i + 1)).sum()
    ones = n // 2 * (n // 2 - 1) // 2
    assert dendrogram_purity(ladder, half) == pytest.approx((ones + later) / (2 * ones), rel=1e-12)
    assert dendrogram_purity(ladder, np.zeros(n)) == 1.0


def test_dendrogram_purity__refuses_what_does_not_fit():
    h = Hierarchy.from_nested([("a", "b"), "c"])
    with pytest.raises(InvalidLabelsError, match="classes must have one entry for each of the 3 leaves; got 2"):
        dendrogram_purity(h, [0, 1])
    with pytest.raises(UnknownLeafError, match="keys of classes: 'z'"):
        dendrogram_purity(h, {"a": 0, "z": 0})
    with pytest.raises(InvalidLabelsError, match="entry 1 of classes"):
        dendrogram_purity(h, [0, [1], 0])
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        dendrogram_purity([("a", "b"), "c"], [0, 1, 1])


# ------------------------------------------------------------------ triplet_score


@settings(deadline=None)
@given(hierarchies(min_leaves=3, max_leaves=7, unary=True), st.data())
def test_triplet_score__is_the_share_displayed(h, data):
    n = h.n_leaves
    t = TripletSet.from_labels(data.draw(triplet_rows(n, 12)), leaves=list(reversed(range(n))))
    clades = clades_of_hierarchy(h)
    held = [displayed(clades, a, b, c) for a, b, c in t]
    assert triplet_score(h, t) == (sum(held) / len(held) if held else 1.0)


def test_triplet_score__weights():
    h = Hierarchy.from_nested([("a", "b"), "c", "d"])
    t = TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b"), ("a", "c", "d")], weights=[5.0, 2.0, 1.0])
    assert triplet_score(h, t) == 5 / 8
    assert triplet_score(h, t.subset([0])) == 1.0
    assert triplet_score(h, t.subset([1, 2])) == 0.0
    assert triplet_score(h, t.subset([])) == 1.0


def test_triplet_score__unknown_leaf():
    with pytest.raises(UnknownLeafError):
        triplet_score(Hierarchy.from_nested(["a", "b", "c"]), TripletSet.from_labels([("a", "b", "x")]))


def test_scores__pandas_series_go_by_their_index(rng):
    names = [f"s{i}" for i in range(40)]
    hierarchy = yule(40, rng).reindex(LeafIndex(40))
    hierarchy = Hierarchy(hierarchy.parent, names)
    y, other = (pd.Series(rng.integers(0, 3, 40), index=names) for _ in range(2))
    shuffled = y.sample(frac=1, random_state=1)
    assert dendrogram_purity(hierarchy, shuffled) == dendrogram_purity(hierarchy, y.to_numpy())
    for score in (pairwise_f_score, rand_index, constrained_rand_index):
        assert score(other, shuffled) == score(other.to_numpy(), y.to_numpy())
        assert score(other.to_numpy(), shuffled) == score(other.to_numpy(), shuffled.to_numpy())  # nothing to go by
    numbered = y.reset_index(drop=True).sample(frac=1, random_state=2)
    assert rand_index(y.reset_index(drop=True), numbered) == 1.0


# ------------------------------------------------------------------ pairs


@given(constrained_labels())
def test_constrained_rand_index__takes_pairs(case):
    y_true, y_pred, must, cannot = case
    pairs = PairwiseConstraints(must, cannot, len(y_true))
    if not pairs.is_consistent:
        with pytest.raises(InconsistentPairsError):
            constrained_rand_index(y_true, y_pred, pairs=pairs)
        return
    wanted = constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=cannot)
    assert constrained_rand_index(y_true, y_pred, pairs=pairs) == wanted
    names = [f"x{i}" for i in range(len(y_true))]
    named = PairwiseConstraints(must, cannot, names)
    shuffled = named.reindex(names[::-1])  # found by the index, whatever the order
    assert constrained_rand_index(pd.Series(y_true, names), y_pred, pairs=shuffled) == wanted


def test_constrained_rand_index__bad_pairs():
    pairs = PairwiseConstraints([(0, 1)], [], 9)
    with pytest.raises(ValueError, match="not both"):
        constrained_rand_index([0, 1], [0, 1], pairs=pairs, must_link=[(0, 1)])
    with pytest.raises(TypeError, match="expected PairwiseConstraints"):
        constrained_rand_index([0, 1], [0, 1], pairs=[(0, 1)])
    with pytest.raises(UnknownLeafError) as caught:
        constrained_rand_index([0], [0], pairs=pairs)
    assert caught.value.labels == [1]


@given(st.data())
def test_pair_score__is_its_definition(data):
    n = data.draw(st.integers(2, 7))
    row = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda x: x[0] != x[1])
    must, cannot = (data.draw(st.lists(row, max_size=8)) for _ in range(2))
    weights = [
        data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(x), max_size=len(x))) for x in (must, cannot)
    ]
    pairs = PairwiseConstraints(must, cannot, n, must_weights=weights[0], cannot_weights=weights[1])
    y = data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n))
    kept, lost = [], []
    for rows, weight, is_must in (
        (pairs.must_link, pairs.must_weights, True),
        (pairs.cannot_link, pairs.cannot_weights, False),
    ):
        for k, (a, b) in enumerate(rows.tolist()):
            fits = (y[a] == y[b]) == is_must
            (kept if fits else lost).append(((a, b, "must" if is_must else "cannot"), weight[k]))
    total = len(kept) + len(lost)
    assert pair_score(y, pairs, weighted=False) == (len(kept) / total if total else 1.0)
    weight, whole = sum(w for _, w in kept), sum(w for _, w in kept + lost)
    assert pair_score(y, pairs) == pytest.approx(weight / whole if whole else 1.0)
    found = violated_pairs(y, pairs)
    assert list(found) == [x for x, _ in lost]
    assert found.leaves == pairs.leaves
    names = [f"s{i}" for i in range(n)]
    named = PairwiseConstraints(pairs.must_link, pairs.cannot_link, names)
    shuffled = data.draw(st.permutations(names))
    by_name = dict(zip(names, y, strict=True)) | {"spare": None}
    for labels in (y, by_name, pd.Series(by_name).loc[[*shuffled, "spare"]].astype(object)):
        assert list(violated_pairs(labels, named)) == [(names[a], names[b], kind) for (a, b, kind), _ in lost]


def test_pair_score__which_sample_a_leaf_is():
    some = PairwiseConstraints.from_labels([(3, 5)], [(5, 7)])  # row numbers of eight samples
    assert pair_score([9, 9, 9, 0, 9, 0, 9, 0], some) == 0.5
    turned = PairwiseConstraints([(0, 1)], [], [2, 0, 1])  # numbers of rows, whatever the order of the leaves
    assert pair_score([0, 1, 0], turned) == 1.0
    with pytest.raises(UnknownLeafError) as caught:
        pair_score([0] * 6, some)
    assert caught.value.labels == [7]
    named = PairwiseConstraints.from_labels([("a", "b")], [], [*"abcd"])
    with pytest.raises(InvalidLabelsError, match=r"pd.Series\(labels, index=X.index\)"):
        pair_score([0, 0], named)
    with pytest.raises(UnknownLeafError, match="keys of labels"):
        pair_score({"a": 0}, named)
    assert pair_score({"a": 0, "b": 0}, named) == 1.0  # the others are in no pair
    with pytest.raises(DuplicateLeafError, match="index of labels"):
        pair_score(pd.Series([0, 0, 1], [*"aba"]), named)
    assert pair_score(pd.Series([0, 0, 1, 1], [*"abcc"]), named) == 1.0
    with pytest.raises(InvalidLabelsError, match="entry 1 of labels is missing") as caught:
        pair_score([0, None, 1, 1], named)
    assert caught.value.position == 1
    with pytest.raises(InvalidLabelsError, match="key 'b' of labels is missing"):
        pair_score({"a": 0, "b": float("nan"), "c": 1}, named)
    assert pair_score([0, 0, None, None], named) == 1.0
    assert pair_score([], PairwiseConstraints([], [], 0)) == 1.0
    with pytest.raises(TypeError, match="expected PairwiseConstraints"):
        pair_score([0, 0], [(0, 1)])
