"""evaluate_knowledge: agreement with knowledge that is held out."""

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import ReCon


@pytest.fixture
def blobs():
    """Three groups in one dimension; a second one without meaning hides them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return np.column_stack([y + 0.5 * rng.normal(size=60), 3 * rng.normal(size=60)]), y


def test_evaluate_knowledge__true_triplets_help(blobs):
    X, y = blobs
    report = tt.evaluate_knowledge(X, triplets=tt.sample_class_triplets(y, 180, random_state=0))
    assert report.verdict == "helps"
    assert report.agreement[-1] > report.agreement[0]
    assert report.holds.shape == (4, 180)
    assert report.gain == pytest.approx(report.agreement[-1] - report.agreement[0])
    assert "Of 180 triplets, each" in str(report)
    assert "The knowledge helps." in str(report)


def test_evaluate_knowledge__random_triplets_do_not_help(blobs):
    X, y = blobs
    shuffled = np.random.default_rng(1).permutation(y)
    report = tt.evaluate_knowledge(X, triplets=tt.sample_class_triplets(shuffled, 60, random_state=0))
    assert report.verdict != "helps"


@pytest.mark.filterwarnings("ignore:.*look drawn at random")
def test_evaluate_knowledge__greedy_merging_is_seen_to_hurt():
    """True triplets, fewer than samples, make the trees of ReCon worse: what the report is for."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import scale

    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:200], y[:200]
    t = tt.sample_class_triplets(y, 60, random_state=0)
    greedy = tt.evaluate_knowledge(X, triplets=t, estimator=ReCon(2, linkage="ward"))
    assert greedy.gain < 0


def test_evaluate_knowledge__hierarchy_and_classes(blobs):
    X, y = blobs
    names = [f"s{i}" for i in range(60)]
    frame = pd.DataFrame(X, index=names)
    h = tt.Hierarchy.from_nested([[n for n, c in zip(names, y, strict=True) if c == k] for k in range(3)] + ["other"])
    by_tree = tt.evaluate_knowledge(frame, hierarchy=h, max_triplets=120)
    assert len(by_tree.constraints) == 120
    assert by_tree.gain > 0
    by_class = tt.evaluate_knowledge(X, classes=[int(c) if i % 2 else None for i, c in enumerate(y)])
    assert by_class.kind == "classes"
    assert set(by_class.constraints.used_leaves.tolist()) <= set(range(1, 60, 2))


def test_evaluate_knowledge__pairs(blobs):
    X, y = blobs
    pairs = tt.sample_class_pairs(y, 100, random_state=0)
    report = tt.evaluate_knowledge(X, pairs=pairs, estimator=ReCon(3))
    assert len(report.constraints) == 100
    assert report.noise is None
    assert "100 pairs" in str(report)


def test_evaluate_knowledge__is_reproducible(blobs):
    X, y = blobs
    t = tt.sample_class_triplets(y, 60, random_state=0)
    one, two = (tt.evaluate_knowledge(X, triplets=t, random_state=3) for _ in range(2))
    assert np.array_equal(one.holds, two.holds)


def test_evaluate_knowledge__what_is_refused(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="exactly one of triplets, pairs, hierarchy and classes; got none of them"):
        tt.evaluate_knowledge(X)
    with pytest.raises(ValueError, match="got triplets, classes"):
        tt.evaluate_knowledge(X, triplets=[(0, 1, 2)], classes=y)
    with pytest.raises(ValueError, match="1 triplets are too few for n_folds=5"):
        tt.evaluate_knowledge(X, triplets=[(0, 1, 2)])
    with pytest.raises(ValueError, match="two classes or more"):
        tt.evaluate_knowledge(X, classes=np.zeros(60, int))
    with pytest.raises(ValueError, match="shares 0 leaves with the 60 samples"):
        tt.evaluate_knowledge(X, hierarchy=tt.Hierarchy.from_nested([["a", "b"], "c"]))
    with pytest.raises(tt.errors.UnknownLeafError):
        tt.evaluate_knowledge(X, triplets=[(0, 1, 99)] * 1)
