"""Samples drawn with their must-links and cannot-links."""

import matplotlib

matplotlib.use("agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.plots import plot_pairs

X = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 2.0], [6.0, 2.0], [3.0, 9.0]])
PAIRS = ([(0, 1), (1, 2)], [(1, 3), (2, 3), (0, 4)])


def lines(ax):
    """The ends of the lines, by gid."""
    found = {}
    for made in ax.collections:
        if made.get_gid() != "samples":
            found[made.get_gid()] = {frozenset(map(tuple, ends)) for ends in np.array(made.get_segments()).tolist()}
    return found


def between(*rows):
    return {frozenset((tuple(X[a]), tuple(X[b]))) for a, b in rows}


def legend(ax):
    return [] if ax.get_legend() is None else [x.get_text() for x in ax.get_legend().get_texts()]


def test_plot_pairs__lines_join_the_samples_of_each_pair():
    ax = plot_pairs(X, PAIRS)
    assert lines(ax) == {"must-links": between(*PAIRS[0]), "cannot-links": between(*PAIRS[1])}
    (dots,) = (c for c in ax.collections if c.get_gid() == "samples")
    assert dots.get_offsets().tolist() == X.tolist()
    assert legend(ax) == ["2 must-links", "3 cannot-links"]


def test_plot_pairs__violated_ones_are_told_from_the_others():
    ax = plot_pairs(X, PAIRS, clusters=["a", "a", "b", "b", "c"], title="five")
    assert lines(ax) == {
        "must-links": between((0, 1)),
        "violated must-links": between((1, 2)),
        "cannot-links": between((1, 3), (0, 4)),
        "violated cannot-links": between((2, 3)),
    }
    texts = ["a", "b", "c", "1 must-link", "1 must-link, violated", "2 cannot-links", "1 cannot-link, violated"]
    assert legend(ax) == texts
    assert ax.get_title() == "five"
    assert len([c for c in ax.collections if c.get_gid() == "samples"]) == 3


def test_plot_pairs__labels_are_those_of_the_index_and_a_model_has_its_clusters():
    class Model:
        labels_ = np.array([0, 0, 1, 1, 1])

    frame = pd.DataFrame(X, index=list("abcde"), columns=["kg", "cm"])
    pairs = PairwiseConstraints.from_labels([("e", "c")], [("b", "a")])
    ax = plot_pairs(frame, pairs, clusters=Model())
    assert lines(ax) == {"must-links": between((4, 2)), "violated cannot-links": between((1, 0))}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("kg", "cm")


def test_plot_pairs__more_features_are_projected_on_the_directions_of_largest_variance():
    rng = np.random.default_rng(3)
    wide = rng.normal(size=(40, 5)) * [9, 1, 0.2, 4, 0.1] + 100
    (dots,) = plot_pairs(wide).collections
    shown = np.asarray(dots.get_offsets())
    centred = wide - wide.mean(axis=0)
    values = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1]
    assert np.allclose((shown**2).sum(axis=0), values[:2])
    assert abs(shown[:, 0] @ shown[:, 1]) < 1e-6
    assert plt.gca().get_xlabel() == f"principal component 1 ({values[0] / values.sum():.0%})"


def test_plot_pairs__one_feature_and_one_sample():
    (dots,) = plot_pairs([[1.0], [4.0]]).collections
    assert dots.get_offsets().tolist() == [[1, 0], [4, 0]]
    (dots,) = plot_pairs([[1.0, 2.0, 3.0]]).collections
    assert dots.get_offsets().tolist() == [[0, 0]]


def test_plot_pairs__many_clusters_are_not_listed():
    ax = plot_pairs(np.arange(26.0).reshape(13, 2), ([(0, 1)], []), clusters=range(13))
    assert legend(ax) == ["1 must-link, violated"]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"pairs": ([(0, 7)], [])}, UnknownLeafError, "samples in pairs"),
        ({"pairs": [(0, 1), (1, 2), (2, 3)]}, TypeError, "two lists .must_link, cannot_link.; got list"),
        ({"clusters": [0, 1]}, InvalidLabelsError, r"one entry for each of the 5 samples; got shape \(2,\)"),
        ({"X": [1.0, 2.0]}, ValueError, r"a table of finite numbers.*got shape \(2,\)"),
        ({"X": [[1.0, np.nan]]}, ValueError, "missing or infinite"),
    ],
)
def test_plot_pairs__says_what_is_wrong_and_leaves_no_figure(given, error, words):
    with pytest.raises(error, match=words):
        plot_pairs(**{"X": X, "pairs": PAIRS} | given)
    assert plt.get_fignums() == []
