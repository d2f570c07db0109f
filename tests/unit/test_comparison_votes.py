"""DivisiveReCon.fit(comparisons=): answers to "which of two is more like the first?" as votes."""

import io

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import DivisiveReCon
from tripletree.errors import InvalidTripletError, UnknownLeafError
from tripletree.io import read_comparisons
from tripletree.knowledge.alignment import align_comparisons

NAMES = ["ant", "bee", "cat", "dog", "eel"]
SAID = [("ant", "bee", "cat"), ("cat", "dog", "eel"), ("ant", "bee", "cat"), ("bee", "ant", "cat")]
X = pd.DataFrame([[0.0], [1.0], [5.0], [6.0], [12.0]], index=NAMES)


def rows_of(said):
    return np.array([[NAMES.index(x) for x in row] for row in said])


@pytest.mark.parametrize(
    "given",
    [
        SAID,
        rows_of(SAID),
        pd.DataFrame(SAID, columns=["anchor", "near", "far"]),
        read_comparisons(io.StringIO("anchor,near,far\n" + "".join(",".join(x) + "\n" for x in SAID))),
        (rows_of(SAID), tt.LeafIndex(NAMES)),
    ],
    ids=["labels", "row numbers", "frame", "read", "rows and leaves"],
)
def test_comparison_votes__every_form_gives_the_same_votes(given):
    frame = X.reset_index(drop=True) if isinstance(given, np.ndarray) else X
    votes = align_comparisons(frame, given, 5).votes()
    as_labels = {(a, b, c): w for (a, b, c), w in zip(votes.rows.tolist(), votes.weights.tolist(), strict=True)}
    assert as_labels == {(0, 1, 2): 3.0, (2, 3, 4): 1.0}  # both halves of "ant bee | cat", one of them twice


def test_comparison_votes__a_fit_takes_them_beside_triplets():
    model = DivisiveReCon(2).fit(X, comparisons=SAID, triplets=[("ant", "bee", "cat"), ("cat", "dog", "ant")])
    assert model.constraints_ == "soft"
    found = {tuple(x): w for x, w in zip(model.triplets_, model.triplets_.weights.tolist(), strict=True)}
    assert found == {("ant", "bee", "cat"): 4.0, ("cat", "dog", "eel"): 1.0, ("cat", "dog", "ant"): 1.0}


@pytest.mark.filterwarnings("ignore:the features agree")
def test_comparison_votes__all_three_anchors_outvote_chance():
    """bc|a: a's own comparisons are chance, as a is as far from both, and those of b and c name each other."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 10)
    near = groups[:, np.newaxis] == groups
    said = []
    for _ in range(900):
        a, b, c = rng.choice(30, 3, replace=False).tolist()
        first = near[a, b] if near[a, b] != near[a, c] else rng.random() < 0.5
        said.append((a, b, c) if first else (a, c, b))
    noise = rng.normal(size=(30, 3))
    with_them = DivisiveReCon(3).fit(noise, comparisons=said)
    truth = tt.triplets_from_classes(groups)
    assert tt.triplet_score(with_them.hierarchy_, truth) > 0.9
    assert tt.triplet_score(DivisiveReCon(3).fit(noise).hierarchy_, truth) < 0.6


@pytest.mark.parametrize(
    "more", [{"constraints": "hard"}, {"hierarchy": tt.parse_newick("((ant,bee),(cat,dog),eel);")}]
)
def test_comparison_votes__are_never_hard(more):
    hierarchy = more.pop("hierarchy", None)
    model = DivisiveReCon(2, **more).fit(X, comparisons=SAID, hierarchy=hierarchy)
    assert model.constraints_ == ("soft" if hierarchy is None else "mixed")
    if hierarchy is not None:
        assert tt.triplet_score(model.hierarchy_, tt.decompose(hierarchy)) == 1


def test_comparison_votes__errors():
    fit = DivisiveReCon(2).fit
    with pytest.raises(TypeError, match="not .*TripletSet.*: give it as triplets="):
        fit(X, comparisons=tt.TripletSet.from_labels([("ant", "bee", "cat")]))
    with pytest.raises(TypeError, match=r"not str .*: read_comparisons\('answers.csv'\) reads a file"):
        fit(X, comparisons="answers.csv")
    assert fit(X, comparisons=[]).constraints_ == "soft"
    with pytest.raises(UnknownLeafError, match="'fox'"):
        fit(X, comparisons=[("ant", "bee", "fox")])
    with pytest.raises(InvalidTripletError, match=r"shape \(m, 3\), a row \(anchor, near, far\)"):
        fit(X.to_numpy(), comparisons=np.array([[0, 1]]))
    with pytest.raises(InvalidTripletError, match="comparison 1"):
        fit(X, comparisons=[("ant", "bee", "cat"), ("ant", "bee")])
    missing = DivisiveReCon(2, missing_samples="ignore").fit(X, comparisons=[*SAID, ("ant", "bee", "fox")])
    assert missing.triplets_.weights.tolist() == [3.0, 1.0]
