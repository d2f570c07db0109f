"""Checks of arguments: words among choices, kinds that are wrong, numbers that are too large."""

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import BoostedConstrainedKMeans, DivisiveReCon, match_clusters
from tripletree.core.checks import check_choice
from tripletree.interop import from_edge_table


@pytest.mark.parametrize(
    "value",
    [None, 1, np.nan, pd.NA, b"up", ["up"], {}, np.array("up"), np.array(["up", "down"]), np.eye(9), pd.Series(["up"])],
    ids=lambda value: f"{type(value).__name__}{np.shape(value)}",
)
def test_choice__anything_but_a_known_word_is_named_in_one_line(value):
    with pytest.raises(ValueError, match=r"^way must be 'up' or 'down', not [^\n]+$"):
        check_choice(value, "way", ("up", "down"))


def test_choice__words_of_numpy_and_none_among_the_choices():
    check_choice(np.str_("up"), "way", ("up", "down"))
    check_choice(None, "labels", ("id", "name", None))


def test_choice__arrays_where_functions_take_a_word():
    tree = tt.parse_newick("((a,b),c);")
    words = np.array(["size", "height"])
    with pytest.raises(ValueError, match="rule must be one of"):
        tt.cut(tree, 2, rule=words)
    with pytest.raises(ValueError, match="lengths must be True, False, 'monotone' or 'exact', not"):
        tt.write_newick(tree, lengths=words)
    with pytest.raises(ValueError, match="mode must be 'certain'"):
        tt.read_ontology("cells.obo", mode=words)


def test_arguments__of_a_wrong_kind_are_named():
    tree, triplets = tt.parse_newick("((a,b),c);"), tt.TripletSet.from_labels([("a", "b", "c")])
    for call, told in [
        (lambda: tt.induce(tree, None), "leaf_triples must be a list or another iterable, not NoneType"),
        (lambda: tt.implies(triplets, 3), r"query must be a list or another iterable, not int \(3\)"),
        (lambda: tree.subtree([0]), r"expected one node, by its label, name or number, got list \(\[0\]\)"),
        (lambda: tree.contract(None), "nodes must be a list or another iterable, not NoneType"),
        (lambda: from_edge_table(None), "expected a data frame, or a mapping of columns, got NoneType"),
    ]:
        with pytest.raises(TypeError, match=told):
            call()


def test_arguments__labels_that_can_be_read_once():
    triplets = tt.TripletSet.from_labels([("a", "b", "c")])
    pairs = tt.PairwiseConstraints([(0, 1)], [(0, 2)], 3)
    for score, known in [(tt.satisfies, triplets), (tt.label_triplet_score, triplets), (tt.pair_score, pairs)]:
        with pytest.raises(TypeError, match=r"read once only, .* give list\(labels\)"):
            score(iter([0, 0, 1]), known)
    assert match_clusters(iter([0, 0, 1]), iter([1, 1, 0])).tolist() == [1, 0]


@pytest.mark.parametrize("estimator", [DivisiveReCon(2), BoostedConstrainedKMeans(2, n_rounds=2)], ids=repr)
@pytest.mark.parametrize("size", [1e155, 1e300])
def test_arguments__squares_beyond_float64_are_refused_before_anything_is_done(estimator, size):
    with pytest.raises(ValueError, match=r"X holds 1e\+\d+: distances are too large for float64 arithmetic: scale X"):
        estimator.fit(np.full((12, 3), size), pairs=([(0, 1)], [(0, 2)]))


@pytest.mark.parametrize("size", [1e140, 1e145, 1e148, 1e150, 1e152, 1e160])
@pytest.mark.parametrize("known", [{}, {"triplets": [(0, 1, 2), (3, 4, 5)]}, {"comparisons": [(0, 1, 2)] * 9}], ids=str)
def test_arguments__very_large_numbers_are_clustered_or_refused_in_words(size, known):
    X, model = np.random.default_rng(0).normal(size=(20, 3)) * size, DivisiveReCon(2, random_state=0)
    if size < 1e148:
        assert set(model.fit(X, **known).labels_) == {0, 1}
        return
    with pytest.raises(ValueError, match="distances are too large for float64 arithmetic: scale X"):
        model.fit(X, **known)
