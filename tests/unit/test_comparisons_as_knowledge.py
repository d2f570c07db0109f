"""Comparisons with an anchor as knowledge: hidden and compared by `evaluate_knowledge`, in fits and in reports."""

import io
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.cluster.validation import Compared
from tripletree.core import Comparisons
from tripletree.io import read_comparisons

NAMES = [f"s{i}" for i in range(12)]
GROUP = {x: k // 6 for k, x in enumerate(NAMES)}


def points(shuffled=False):
    """Two groups, of which the features tell nothing if they are shuffled."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2)) + np.repeat([[0.0], [9.0]], 6, axis=0)
    return pd.DataFrame(X[rng.permutation(12)] if shuffled else X, index=NAMES)


def said(m=60, right=True):
    """Rows (who, anchor, near, far) of two people: the near one is of the anchor's group, or never is."""
    rng = np.random.default_rng(1)
    trios = [x for x in permutations(NAMES, 3) if GROUP[x[0]] == GROUP[x[1]] != GROUP[x[2]]]
    some = [trios[k] for k in rng.choice(len(trios), m, replace=False).tolist()]
    return [("pq"[k % 2], a, *((b, c) if right else (c, b))) for k, (a, b, c) in enumerate(some)]


def table(rows):
    return pd.DataFrame(rows, columns=["who", "anchor", "near", "far"])


def test_comparisons__a_tree_contradicts_those_whose_far_one_is_nearer():
    tree = tt.parse_newick("(((a,b),c),d);")

    class Fitted:
        hierarchy_ = tree

    rows = np.array([[tree.leaves.index(x) for x in trio] for trio in permutations("abcd", 3)])
    held = Compared((Comparisons(rows, tree.leaves),)).kept_by(Fitted, rows)
    distance = {("a", "b"): 1, ("a", "c"): 2, ("b", "c"): 2}  # heights of the last common ancestors
    distance = {frozenset(x): distance.get(tuple(sorted(x)), 3) for x in combinations("abcd", 2)}
    wanted = [
        distance[frozenset((a, near))] <= distance[frozenset((a, far))] for a, near, far in permutations("abcd", 3)
    ]
    assert held.tolist() == wanted


def test_evaluate_knowledge__comparisons_that_the_data_bear_out():
    found = tt.evaluate_knowledge(points(), comparisons=table(said()), n_folds=3)
    assert found.kind == "comparisons"
    assert found.agrees
    assert found.holds.shape == (4, 60)
    assert found.agreement.min() == 1.0
    assert found.chance.max() < 0.95
    assert "are in 60 comparisons" in str(found)
    assert list(found.constraints.who) == ["p", "q"] * 30
    assert found.constraints.origins[0].number == 1


def test_evaluate_knowledge__comparisons_against_the_data_do_not_help():
    found = tt.evaluate_knowledge(points(), comparisons=table(said(right=False)), n_folds=3)
    assert found.verdict != "helps"
    assert not found.agrees
    assert found.agreement[0] < 0.1


def test_evaluate_knowledge__rows_labels_and_frames_of_comparisons_are_one():
    rows = [x[1:] for x in said()]
    numbers = np.array([[NAMES.index(x) for x in row] for row in rows])
    given = [table(said()), rows, (numbers, tt.LeafIndex(NAMES)), numbers]
    found = [tt.evaluate_knowledge(points(), comparisons=x, n_folds=2).agreement.tolist() for x in given]
    assert found[1:] == found[:-1]


def test_evaluate_knowledge__an_estimator_that_takes_no_comparisons():
    with pytest.raises(TypeError, match="fit of ReCon takes no comparisons=: choose .*, such as DivisiveReCon"):
        tt.evaluate_knowledge(points(), comparisons=table(said()), estimator=ReCon())
    with pytest.raises(TypeError, match="fit of ReCon takes no comparisons="):
        tt.report(points(), comparisons=table(said()), estimator=ReCon(2))


def test_fit__validate_hides_comparisons():
    model = DivisiveReCon(2, random_state=0).fit(points(), comparisons=table(said()), validate=True)
    assert model.validation_.n_constraints == 60
    assert model.validation_.agrees
    pairs = [("s0", "s1", "must"), ("s0", "s7", "cannot"), ("s2", "s3", "must"), ("s2", "s9", "cannot")]
    both = pd.DataFrame(pairs, columns=["a", "b", "link"])
    model = DivisiveReCon(2, random_state=0).fit(points(), comparisons=table(said()), pairs=both, validate=True)
    assert model.validation_.n_constraints == 64


@pytest.mark.filterwarnings("ignore:Names were hidden")
def test_fit__validate_has_no_hard_comparisons_to_compare_with():
    model = DivisiveReCon(2, random_state=0).fit(points(), comparisons=table(said(right=False)), validate=True)
    assert all("hard" not in x for x in model.validation_.settings)


def test_report__comparisons():
    lines = "who,anchor,near,far\n" + "".join(",".join(x) + "\n" for x in said())
    wrong = "r,s0,s7,s1\nr,s3,s8,s2\nr,unknown,s1,s2\n"
    given = read_comparisons(io.StringIO(lines + wrong))
    found = tt.report(points(), comparisons=given, n_resamples=0, n_folds=2)
    assert (found.kind, found.n_given, found.n_used, found.known_samples) == ("comparisons", 63, 62, 12)
    assert found.labels.tolist() == [0] * 6 + [1] * 6
    lost = [x for x in found.doubts if not x.holds]
    assert {(x.labels, x.who, x.origin.number) for x in lost} == {
        (("s0", "s7", "s1"), ("r",), 62),
        (("s3", "s8", "s2"), ("r",), 63),
    }
    assert [(x.who, x.n_answers) for x in found.people] == [("r", 2), ("p", 30), ("q", 30)]
    text = str(found)
    assert "Known: 63 comparisons about 12 of the 12 samples; 1 of them not about samples, and left out." in text
    assert "Read 63 comparisons: anchor nearer near than far; 3 people" in text
    assert "the tree keeps 60 of 62 comparisons" in text
    assert "Consistent" not in text


def test_report__comparisons_on_the_page(tmp_path):
    given = table([*said(), ("r", "s0", "s7", "s1")])
    tt.report(points(), comparisons=given, n_resamples=0, n_folds=2).write_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Doubtful comparisons" in page
    assert "nearer <bdi>s7</bdi> than <bdi>s1</bdi>" in page


def test_comparisons__joined_restricted_and_saved(tmp_path):
    import pickle

    one = read_comparisons(io.StringIO("who,anchor,near,far\np,a,b,c\nq,c,b,a\n"))
    two = read_comparisons(io.StringIO("anchor,near,far\nb,d,a\n"))
    both = one | two
    shown = [tuple(both.leaves[i] for i in row) for row in both.rows.tolist()]
    assert shown == [("a", "b", "c"), ("c", "b", "a"), ("b", "d", "a")]
    assert both.who == ("p", "q", None)
    assert [x.number for x in both.origins] == [2, 3, 2]
    part = both.restrict(["d", "a", "b"])
    assert [tuple(part.leaves[i] for i in row) for row in part.rows.tolist()] == [("b", "d", "a")]
    assert pickle.loads(pickle.dumps(both)).rows.tolist() == both.rows.tolist()  # noqa: S301
    assert repr(part) == "<Comparisons: 1 comparison on 3 leaves: b nearer d than a>"
