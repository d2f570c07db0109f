"""`report`: every number of it by its definition, and pages that hold nothing else."""

import base64
import hashlib
import html
import io
import math
import re
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_reading import NASTY, Document
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale
from strategies import hierarchies

import tripletree as tt
from tripletree.cluster import CVQE, DivisiveReCon, ReCon
from tripletree.core import Answer, AnswerSet
from tripletree.core.notes import collected
from tripletree.errors import DuplicateLeafError, InvalidLabelsError, UnknownLeafError
from tripletree.reports import result
from tripletree.reports.table import told_of_scale

#: Short chains, for what does not depend on their length.
QUICK = DivisiveReCon(effort=0.1)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    some = np.random.default_rng(0).permutation(150)[:60]
    return X[some], y[some], [f"flower {i}" for i in some]


@pytest.fixture(scope="module")
def informed(iris):
    """With 90 triplets of the species, of which the first nine say the opposite."""
    X, y, names = iris
    triplets = tt.sample_class_triplets(y, 90, leaves=names, random_state=0)
    rows = triplets.rows.copy()
    rows[:9] = rows[:9, [0, 2, 1]]
    wrong = {frozenset(row[:2]) | {("odd", row[2])} for row in rows[:9].tolist()}
    given = {"triplets": tt.TripletSet(rows, names), "sample_names": names, "estimator": DivisiveReCon(effort=0.25)}
    found = tt.report(X, **given, n_resamples=4, random_state=0)
    return found, wrong


# ---------------------------------------------------------------------- numbers by their definitions


def effect_definition(one, other):
    """Cohen's d of two lists, the variance of all values as one more degree of freedom."""
    squares = sum((x - statistics.fmean(group)) ** 2 for group in (one, other) for x in group)
    deviation = math.sqrt((squares + statistics.variance(one + other)) / (len(one) + len(other) - 1))
    return (statistics.fmean(one) - statistics.fmean(other)) / deviation


@given(st.lists(st.tuples(st.none() | st.integers(-50, 50), st.booleans()), min_size=4, max_size=30))
def test_law__effects_are_cohens_d(values):
    points, inside = np.array([[math.nan if x is None else x] for x, _ in values]), np.array([y for _, y in values])
    found = result._contrasts(points, ["x"], inside)
    one, other = ([x for x, y in values if y is side and x is not None] for side in (True, False))
    enough = all(len(x) >= 3 or (x and len(x) >= n / 2) for x, n in ((one, inside.sum()), (other, (~inside).sum())))
    assert bool(found) == enough
    if found:
        wanted = effect_definition(one, other) if len(set(one + other)) > 1 else 0
        assert found[0].effect == pytest.approx(wanted)
        assert (found[0].n_inside, found[0].n_outside) == (len(one), len(other))
        assert found[0].inside == pytest.approx(np.mean(one))
        assert found[0].outside == pytest.approx(np.mean(other))


@settings(max_examples=60)
@given(hierarchies(min_leaves=3, max_leaves=9), st.randoms(use_true_random=False))
def test_law__support_counts_the_triplets_that_a_clade_needs_and_those_it_violates(h, rng):
    labels = list(h.leaves)
    rows = {tuple(rng.sample(labels, 3)) for _ in range(6)}
    triplets = tt.TripletSet.from_labels(rows)
    displayed, violated = result._support(h, triplets)
    for u in range(h.n_nodes):
        clade = set(h.clade(u))
        speaks = [a in clade and b in clade and c not in clade for a, b, c in triplets]
        against = [(a in clade) != (b in clade) and c in clade for a, b, c in triplets]
        assert displayed[u] == sum(speaks)
        assert violated[u] == sum(against)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30))
def test_law__clusters_are_compared_by_jaccard(pairs):
    one, other = np.array(pairs).T
    sets = [[{i for i, x in enumerate(labels) if x == c} for c in range(5)] for labels in (one, other)]
    found = result._cluster_jaccards(one, other, 4)
    for c in range(4):
        mine = sets[0][c]
        best = max((len(mine & x) / len(mine | x) for x in sets[1] if x), default=0) if mine else math.nan
        assert found[c] == pytest.approx(best, nan_ok=True)


def test_features_known_of_few_samples_do_not_come_first(rng):
    """Found on a table of mammals: the first feature of a cluster was known of 1 of its 14 samples, d = infinity."""
    inside = np.arange(40) < 14
    points = rng.normal(size=(40, 4))
    points[inside, 0] += 2
    points[~inside, 1], points[inside, 1] = 0, np.nan
    points[0, 1] = 1
    points[:, 2] = np.where(inside, 5.0, 3.0)
    points[4:14, 2] = np.nan
    points[inside, 3] += np.array([6] * 3 + [np.nan] * 11)
    found = result._contrasts(points, list("abcd"), inside)
    assert {x.feature: x.n_inside for x in found} == {"a": 14, "c": 4, "d": 3}
    assert all(math.isfinite(x.effect) for x in found)
    assert found[0].feature == "c"  # one value each: the four that are known are enough

    def at_least(x):
        n, m = x.n_inside, x.n_outside
        return abs(x.effect) - 1.96 * math.sqrt((n + m) / (n * m) + x.effect**2 / (2 * (n + m)))

    assert [x.at_least for x in found] == pytest.approx([at_least(x) for x in found])


def test_features_without_variation_differ_in_nothing():
    (found,) = result._contrasts(np.full((7, 1), 0.1), ["x"], np.arange(7) < 3)
    assert found.effect == 0


def test_report__fits_together(informed, iris):
    found, _ = informed
    X, _, names = iris
    assert sorted(x for c in found.clusters for x in c.samples) == sorted(names)
    for c in found.clusters:
        rows = [names.index(x) for x in c.samples]
        assert (found.labels[rows] == c.number).all()
        assert c.typical in c.samples
        assert 0 <= c.stability <= 1
        surely = [(max(x.at_least, 0), abs(x.effect)) for x in c.features]
        assert surely == sorted(surely, reverse=True)
    assert found.hierarchy is found.model.hierarchy_
    assert list(found.hierarchy.leaves) == names
    assert [x.size for x in found.clades] == sorted((x.size for x in found.clades), reverse=True)
    for x in found.clades:
        assert len(found.hierarchy.clade(x.node)) == x.size
        assert 0 <= x.stability <= 1
    assert found.shares_of_variance == pytest.approx(X.var(axis=0) / X.var(axis=0).sum())
    assert found.knowledge.agreement[-1] == pytest.approx(found.knowledge.holds[-1].mean())


def test_report__without_parts_left_out_everything_is_stable(iris, monkeypatch):
    X, y, names = iris
    monkeypatch.setattr(result, "PART", 1.0)
    found = tt.report(X, classes=y.tolist(), sample_names=names, n_resamples=2)
    assert {x.stability for x in found.clades} == {1.0}
    assert {x.stability for x in found.clusters} == {1.0}


def test_report__wrong_triplets_are_doubtful(informed):
    found, wrong = informed
    doubted = [frozenset(names[:2]) | {("odd", names[2])} for _, names, *_ in found.doubts]
    leaves = found.constraints.leaves
    wrong = {frozenset(x if isinstance(x, tuple) else leaves[x] for x in row) for row in wrong}
    wrong = {frozenset((x[0], leaves[x[1]]) if isinstance(x, tuple) else x for x in row) for row in wrong}
    assert len(wrong & set(doubted)) >= 7
    assert len(doubted) <= 18
    holds = tt.displays(found.hierarchy, found.constraints)
    for x in found.doubts:
        row = (*sorted(leaves.index(y) for y in x.labels[:2]), leaves.index(x.labels[2]))
        k = found.constraints.rows.tolist().index(list(row))
        assert x.holds == holds[k]
        assert x.held_out == found.knowledge.holds[:, k].sum()
        assert not x.holds or not (found.knowledge.holds[0, k] or found.knowledge.holds[-1, k])


# ---------------------------------------------------------------------- each kind of knowledge


def test_report__classes_by_names_that_are_written_otherwise(iris):
    X, y, names = iris
    pytest.importorskip("rapidfuzz")
    classes = {x.replace(" ", "_").upper(): f"species {c}" for x, c in zip(names, y, strict=True)}
    found = tt.report(X, classes={**classes, "flower 999": "species 0"}, sample_names=names, n_resamples=0)
    assert found.n_given == 61
    assert found.n_used == found.known_samples == 60
    assert found.names.unmatched == ["flower 999"]
    assert found.knowledge.verdict == "helps"
    assert found.clades == ()
    assert all(math.isnan(x.stability) for x in found.clusters)
    assert "1 matches nothing" in str(found)


def test_report__a_hierarchy_and_its_groups():
    pytest.importorskip("rapidfuzz")
    h = tt.datasets.load_hierarchy("mammals")
    names = [x.replace("_", " ") for x in h.leaves]
    names[0] = "Nessie"
    X = np.random.default_rng(0).normal(size=(len(names), 3))
    found = tt.report(X, hierarchy=h, sample_names=names, estimator=QUICK, n_folds=2, n_resamples=2)
    assert found.n_used == len(names) - 1
    assert found.names.unmatched == ["Nessie"]
    assert found.names.kinds.count("form") == len(names) - 1
    assert all(x.given == 1 for x in found.taxa)  # a hierarchy holds
    inside = h.restrict([x for x in h.leaves if x != h.leaves[0]], keep_unary=True)
    assert all(size == len(inside.clade(inside.n_leaves + inside.names.index(x))) for x, size, *_ in found.taxa)
    assert found.uses_knowledge
    assert (found.knowledge.verdict, found.knowledge.agrees) == ("unclear", False)  # the features are random
    text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", html_of(found))
    assert "It keeps all that the hierarchy says of the samples." in text
    assert "Clades that the knowledge implies have 1, whatever the data say" in text
    # one number of triplets, not that of a smallest set beside it
    assert set(re.findall(r"(\d+) triplets", text)) == {str(len(found.constraints))}


def moved_apart(seed=0):
    """Features that follow the mammals' tree, and their taxonomy, in which a rat and another have exchanged names."""
    h, rng = tt.datasets.load_hierarchy("mammals"), np.random.default_rng(seed)
    h = h.restrict(h.clade(h.n_leaves + h.names.index("Boreoeutheria"))[:45])
    at = np.zeros((h.n_nodes, 12))
    for u in range(h.n_nodes - 2, -1, -1):
        long = (h.height[h.parent[u]] - h.height[u]) / h.height.max()
        at[u] = at[h.parent[u]] + rng.normal(size=12) * np.sqrt(long)
    rat = "Rattus_norvegicus"
    other = next(x for x in h.leaves if x not in h.clade(h.n_leaves + h.names.index("Rodentia")))
    swapped = {rat: other, other: rat}
    wrong = tt.Hierarchy(h.parent, [swapped.get(x, x) for x in h.leaves], height=h.height, names=h.names)
    return at[: h.n_leaves], list(h.leaves), wrong, other


@pytest.mark.usefixtures("few_trees")
def test_report__groups_that_the_data_contradict_are_named_with_their_samples():
    X, names, wrong, other = moved_apart()
    found = tt.report(X, hierarchy=wrong, sample_names=names, n_resamples=0)
    mine = wrong.restrict(names, keep_unary=True)
    soft = DivisiveReCon(constraints="soft").fit(X, hierarchy=mine, sample_names=names).hierarchy_
    clades = [frozenset(soft.clade(u)) for u in range(soft.n_nodes)]
    assert len(found.taxa) > 5
    for x in found.taxa:
        mine = frozenset(wrong.clade(wrong.n_leaves + wrong.names.index(x.name)))
        shares = [len(mine & c) / len(mine | c) for c in clades]
        assert x.soft == pytest.approx(max(shares))
        best = next(c for c in clades if c >= set(x.kept) and c == set(x.kept) | set(x.strangers))
        assert len(mine & best) / len(mine | best) == pytest.approx(max(shares))
        assert (set(x.kept), set(x.lost), set(x.strangers)) == (mine & best, mine - best, best - mine)
        assert x.size == len(mine)
        assert x.state == ("whole" if max(shares) == 1 else "half" if max(shares) > 0.5 else "broken")
    rodents = next(x for x in found.taxa if x.name == "Rodentia")
    assert other in rodents.lost  # which the taxonomy has there, and the data have not
    text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", html_of(found))
    states = [x.state for x in found.taxa]
    assert f"named groups of the hierarchy {states.count('whole')} " in text
    assert f"{states.count('half')} more than half, and {states.count('broken')} broken" in text
    assert "Does the table contradict its groups?" in text
    assert "contradicted by the data, or not shown by them): " in text
    assert str(found).count("Groups: of the") == 1


def test_report__groups_are_those_of_the_data_alone_where_nothing_can_be_outvoted():
    X, names, wrong, *_ = moved_apart()
    found = tt.report(X, hierarchy=wrong, sample_names=names, n_resamples=0, estimator=ReCon(linkage="average"))
    assert all(math.isnan(x.soft) for x in found.taxa)
    assert all((x.state == "whole") == (x.without == 1) for x in found.taxa)
    assert "whole in a tree of the data alone" in str(found)


def test_report__a_doubtful_triplet_has_the_group_that_it_is_about():
    X, names, wrong, *_ = moved_apart()
    found = tt.report(X, hierarchy=wrong, sample_names=names, n_resamples=0, estimator=QUICK)
    assert found.doubts
    sets = {x: set(wrong.clade(wrong.n_leaves + k)) for k, x in enumerate(wrong.names) if x is not None}
    for doubt in found.doubts:
        a, b, c = doubt.labels
        fitting = [x for x in sets if {a, b} <= sets[x] and c not in sets[x]]
        assert doubt.taxon == min(fitting, key=lambda x: len(sets[x]), default=None)
    assert any(x.taxon for x in found.doubts)


def test_page__lines_of_the_chart_are_named_behind_their_ends(informed):
    found, _ = informed
    (chart,) = re.findall(r'(?s)<svg class="chart".*?</svg>', html_of(found))
    told = {text: float(x) for x, text in re.findall(r'<text class="right" x="(\d+)" y="[\d.]+">([^<]*)', chart)}
    assert set(told) == {"hold", "by chance"}
    ends = [float(x) for d in re.findall(r' d="([^"]*)"', chart) for x in re.findall(r"[ML]([\d.]+) ", d)]
    assert max(ends) < min(told.values())
    places = [float(y) for y in re.findall(r'<text class="right" x="\d+" y="([\d.]+)"', chart)]
    assert abs(places[0] - places[1]) >= 13.9


def test_report__samples_have_a_second_name_on_the_page():
    X, names, wrong, _ = moved_apart()
    seconds = {x: f"<{x.lower()}>" for x in names[:-1]}
    given = {"hierarchy": wrong, "sample_names": names, "n_folds": 2, "n_resamples": 1, "estimator": QUICK}
    found = tt.report(X, **given, second_names=seconds)
    assert found.second_names == seconds
    page = html_of(found)
    data = Document(page).data
    assert dict(zip(data["labels"], data["seconds"], strict=True)) == {x: seconds.get(x) for x in names}
    text = html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", page))
    for doubt in found.doubts[:25]:
        assert all(f"{x} ({seconds[x]})" in text for x in doubt.labels if x in seconds)
    members = re.findall(r"(?s)<summary>its samples</summary><p>(.*?)</p>", page)
    told = html.unescape(re.sub("<[^>]*>", "", ", ".join(members)))
    assert sorted(told.split(", ")) == sorted(f"{x} ({seconds[x]})" if x in seconds else x for x in names)
    other = tt.report(X, **given, second_names=[seconds.get(x) for x in names])
    assert html_of(other) == page
    assert "seconds" not in Document(html_of(tt.report(X, **given))).data
    with pytest.raises(UnknownLeafError, match="keys of second_names"):
        tt.report(X, **given, second_names={"Nessie": "monster"})


def test_report__pairs_that_contradict_each_other(iris):
    X, y, names = iris
    good = tt.sample_class_pairs(y, 60, leaves=names, random_state=0)
    a, b = (names[i] for i in good.must_link[0])
    pairs = good | tt.PairwiseConstraints.from_labels([], [(a, b)], leaves=names)
    found = tt.report(X, pairs=pairs, sample_names=names, estimator=QUICK, n_resamples=2)
    assert [set(x.cannot_link) for x in found.conflicts] == [{a, b}]
    assert found.n_used == len(pairs)
    assert found.constraints == good
    assert "1 cannot-link is contradicted by must-links, and left out" in str(found)
    assert str(found.conflicts[0]) in Document(html_of(found)).within("pre")


def test_report__answers_of_people(iris):
    X, y, names = iris
    rng = np.random.default_rng(1)
    answers = []
    for who, wrong in (("anna", 0.0), ("ben", 0.0), ("</b>joker", 1.0)):
        for row in tt.sample_class_triplets(y, 40, random_state=rng).rows.tolist():
            odd = row[rng.integers(2)] if rng.random() < wrong else row[2]
            answers.append(Answer(tuple(names[i] for i in row), "odd", names[odd], who=who))
    answers.append(Answer((names[0], names[1], names[2]), "unsure", who="anna"))
    answers.append(Answer((names[0], names[1], "stranger"), "odd", "stranger", who="anna"))
    found = tt.report(X, answers=AnswerSet(answers), sample_names=names, estimator=QUICK, n_folds=3, n_resamples=0)
    assert (found.n_given, found.n_used) == (122, 120)
    assert [x.who for x in found.people][0] == "</b>joker"
    assert found.people[0].share < 0.5 < found.people[1].share
    assert sum(x.n_answers for x in found.people) == 120
    assert any(x.who == ("</b>joker",) for x in found.doubts)
    assert found.names.unmatched == ["stranger"]
    assert "</b>joker" not in html_of(found)


def test_report__contradictory_triplets_are_named(iris):
    X, _, names = iris
    rows = [(0, 1, 2), (1, 2, 0), (3, 4, 5), (3, 4, 6)]
    found = tt.report(X, triplets=tt.TripletSet(rows, names), sample_names=names, n_resamples=0, n_folds=2)
    assert len(found.conflicts) == 1
    assert found.conflicts[0].explain() in "\n".join(Document(html_of(found)).within("pre"))


@pytest.mark.filterwarnings("ignore:.*look drawn at random")
def test_report__knowledge_that_hurts_is_not_used():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:200], y[:200]
    triplets = tt.sample_class_triplets(y, 200, random_state=0)
    found = tt.report(X, triplets=triplets, estimator=ReCon(2, linkage="ward"), n_resamples=2)
    assert found.knowledge.verdict == "hurts"
    assert not found.uses_knowledge
    assert (found.labels == ReCon(2, linkage="ward").fit(X).labels_).all()
    assert found.model is found.plain
    assert "made without the knowledge, which was measured to hurt" in str(found)
    assert found.agreement == pytest.approx(adjusted_rand_score(found.plain.labels_, found.informed.labels_))


def test_report__too_little_to_hold_out(iris):
    X, _, names = iris
    found = tt.report(X, triplets=[(names[0], names[1], names[2])], sample_names=names, n_resamples=1)
    assert found.knowledge is None
    assert found.uses_knowledge
    assert "Not measured: that takes knowledge about four samples or more" in html_of(found)
    flat = tt.Hierarchy.from_nested(names[:5])
    found = tt.report(X, hierarchy=flat, sample_names=names, n_resamples=1)
    assert found.knowledge is None
    assert "nothing: no constraint could be checked" in str(found)


def test_report__precomputed_distances(iris):
    from scipy.spatial.distance import pdist, squareform

    X, y, names = iris
    model = DivisiveReCon(3, metric="precomputed")
    found = tt.report(squareform(pdist(X)), classes=y.tolist(), sample_names=names, estimator=model, n_resamples=2)
    assert found.features == ()
    assert all(x.features == () for x in found.clusters)
    assert all(x.typical in x.samples for x in found.clusters)
    html_of(found)


def test_report__standardized_clusters_have_their_means_in_the_units_given(iris):
    X, y, names = iris
    scales = np.array([1.0, 10.0, 100.0, 0.1])
    found = tt.report(X * scales, classes=y.tolist(), sample_names=names, standardize=True, n_resamples=0)
    same = tt.report(scale(X), classes=y.tolist(), sample_names=names, n_resamples=0)
    assert (found.labels == same.labels).all()
    for one, other in zip(found.clusters, same.clusters, strict=True):
        assert {x.feature: x.effect for x in one.features} == pytest.approx(
            {x.feature: x.effect for x in other.features}
        )
        rows = [names.index(x) for x in one.samples]
        assert {x.feature: x.inside for x in one.features} == pytest.approx(
            {str(j): X[rows, j].mean() * scales[j] for j in range(4)}
        )


def test_report__missing_values_where_the_method_takes_them(iris):
    X, y, names = iris
    gaps = scale(X)
    gaps[::5, 0] = gaps[::7, 3] = np.nan
    model = ReCon(3, metric="nan_euclidean", linkage="average")
    triplets = tt.sample_class_triplets(y, 200, leaves=names, random_state=0)
    found = tt.report(gaps, triplets=triplets, sample_names=names, estimator=model, n_resamples=2)
    for c in found.clusters:
        rows = [names.index(x) for x in c.samples]
        for x in c.features:
            assert x.inside == pytest.approx(np.nanmean(gaps[rows, int(x.feature)]))
    assert found.shares_of_variance == pytest.approx(np.nanvar(gaps, axis=0) / np.nanvar(gaps, axis=0).sum())
    html_of(found)
    with pytest.raises(ValueError, match="NaN"):
        tt.report(gaps, triplets=triplets, sample_names=names)


def test_report__takes_a_data_frame_and_leaves_it_as_it_is(iris):
    pd = pytest.importorskip("pandas")
    X, y, names = iris
    table = pd.DataFrame(X, index=names, columns=["a", "b", "c", "d"])
    before = table.copy()
    classes = pd.Series(y[:30], index=names[:30])
    one = tt.report(table, classes=classes, n_resamples=2)
    other = tt.report(X, classes=[*y[:30], *[None] * 30], sample_names=names, feature_names="abcd", n_resamples=2)
    pd.testing.assert_frame_equal(table, before)
    assert html_of(one) == html_of(other)
    assert one.features == ("a", "b", "c", "d")


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, ValueError, "nothing is known: give at least one of triplets, .*, knowledge"),
        ({"triplets": [(0, 1, 2)], "classes": [1, 2]}, ValueError, "classes must have one entry for each"),
        ({"classes": [1] * 60}, InvalidLabelsError, "60 samples are known, 1 different: "),
        ({"classes": [1, 2]}, InvalidLabelsError, "one entry for each of the 60 leaves; got 2"),
        ({"triplets": [("x", "y", "z")]}, UnknownLeafError, "none of the 1 triplets names samples only"),
        ({"triplets": []}, ValueError, "no triplets are given"),
        ({"hierarchy": tt.Hierarchy.from_nested(["p", ["q", "r"]])}, ValueError, "has 0 of the 60 samples"),
        ({"hierarchy": "tree.nwk"}, TypeError, "expected a Hierarchy"),
        ({"answers": [1]}, TypeError, "expected an AnswerSet"),
        ({"answers": AnswerSet([Answer((0, 1, 2), "alike")])}, ValueError, "1 answer, and none names an odd one"),
        ({"triplets": [(0, 1, 2)], "n_folds": 1}, ValueError, "n_folds"),
        ({"triplets": [(0, 1, 2)], "n_resamples": -1}, ValueError, "n_resamples"),
        ({"triplets": [(0, 1, 2)], "estimator": 3}, TypeError, "estimator must be an estimator"),
        ({"triplets": [(0, 1, 2)], "sample_names": ["a"] * 60}, DuplicateLeafError, "a"),
        ({"triplets": [(0, 1, 2)], "sample_names": ["a"]}, ValueError, "sample_names has 1 names, X has 60 rows"),
        ({"triplets": [(0, 1, 2)], "feature_names": ["a"]}, ValueError, "feature_names has 1 names, X has 4 columns"),
        ({"pairs": ([(0, 1)], [(2, 3)]), "estimator": CVQE(2)}, TypeError, "CVQE has no hierarchy_"),
    ],
)
def test_report__what_is_refused(iris, given, error, message):
    with pytest.raises(error, match=message):
        tt.report(iris[0], **given)


def test_report__two_samples_are_too_few():
    with pytest.raises(ValueError, match="X has 2 samples; a report needs at least 3"):
        tt.report([[0.0], [1.0]], classes=[0, 1])


def test_report__a_series_of_classes_that_repeats_a_label_does_not_go_by_position(iris):
    X, y, names = iris
    pd = pytest.importorskip("pandas")
    classes = pd.Series(y.tolist(), index=[*names[:-1], names[0]])
    with pytest.raises(DuplicateLeafError, match="in the index of classes"):
        tt.report(X, classes=classes, sample_names=names, n_resamples=0)


# ---------------------------------------------------------------------- the page


def html_of(found, **more):
    stream = io.StringIO()
    found.write_html(stream, **more)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("variances", "told"),
    [
        ([900, 1, 1], "a has"),
        ([4, 1, 1, 1, 1], None),
        ([9e4, 4e4, 1, 2, 3], "a and b have 100%"),
        ([9e4, 4e4, 2e4, 2, 3, 1], "a, b and c have 100%"),
        ([9e4, 4e4, 1], None),  # two of three are most of them
        ([9e4, 4e4, 500, 2], None),  # no gap
        ([5, 5, 0, 0], None),  # constants are no others
        ([1, 1], None),
        ([5], None),
    ],
)
def test_report__tells_of_the_few_features_that_decide_distances(variances, told):
    shares = np.array(variances) / sum(variances)
    found = told_of_scale(shares, list("abcdef")[: len(variances)])
    assert (found is None) == (told is None)
    assert told is None or found.startswith(told)


def test_page__is_the_same_each_time(iris):
    X, y, names = iris
    known = {"classes": y.tolist(), "sample_names": names, "estimator": QUICK}
    pages = {html_of(tt.report(X, **known, n_resamples=3)) for _ in range(2)}
    assert len(pages) == 1


def test_page__has_the_numbers_of_the_report(informed):
    found, _ = informed
    text = re.sub(r"<[^>]*>", "", html_of(found).replace("<wbr>", "")).replace("−", "-")
    for share in found.knowledge.agreement:
        assert f"{share:.1%}" in text
    for c in found.clusters:
        assert f"Cluster {c.number}" in text
        assert f"{c.features[0].effect:+.2f}" in text
    for chance in found.knowledge.chance:
        assert f"{chance:.1%}" in text
    lost = sum(not x.holds for x in found.doubts)
    assert f"The tree keeps {90 - lost} of 90 triplets, but not the other {lost}" in text
    assert f"the data on their own agree with {found.knowledge.agreement[0]:.0%} of the 90 triplets" in text
    assert "Clades that the knowledge implies" not in text  # which may be outvoted
    shown = tt.displays(found.hierarchy, found.informed.triplets_).mean()
    assert f"It displays {shown:.1%} of the 90 triplets" in text


def test_page__needs_nothing_else_and_allows_nothing_else(informed):
    page = html_of(informed[0], command="tripletree report 'my data.csv' --know </script>")
    document = Document(page)
    for tag, attributes in document.tags:
        assert not {"onclick", "onload", "style"} & attributes.keys()
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), tag
    for tag in ("style", "script"):
        source = max(document.within(tag), key=len)
        assert base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() in page
    assert [x for x, _ in document.tags].count("script") == 2
    ids = [x["id"] for _, x in document.tags if "id" in x]
    assert len(ids) == len(set(ids))
    assert "{{" not in re.sub(r"<script.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)


def test_page__has_the_support_of_the_tree_that_is_shown(iris, informed):
    found, _ = informed
    sure = Document(html_of(found)).data["support"]
    assert sorted(sure) == pytest.approx(sorted(found.model.clade_support_.tolist()))
    X, y, names = iris
    plain = tt.report(X, classes=y.tolist(), sample_names=names, n_resamples=0)
    assert plain.model.clade_support_ is None
    assert "support" not in Document(html_of(plain)).data


def test_page__labels_stay_text(iris):
    X, y, _ = iris
    names = [f"{NASTY[i % len(NASTY)]}{i}" for i in range(60)]
    triplets = tt.sample_class_triplets(y, 60, leaves=names, random_state=0)
    given = {"estimator": QUICK, "n_folds": 2, "n_resamples": 1}
    found = tt.report(X, triplets=triplets, sample_names=names, feature_names=NASTY[:4], **given)
    plain = tt.report(X, triplets=tt.TripletSet(triplets.rows, 60), **given)
    hostile, tame = (Document(html_of(x, title=NASTY[0], command=NASTY[1])) for x in (found, plain))
    tags = [[x for x, _ in page.tags if x != "wbr"] for page in (hostile, tame)]
    assert tags[0] == tags[1]


def test_page__a_file_is_replaced_when_all_is_written(informed, tmp_path):
    path = tmp_path / "r.html"
    informed[0].write_html(path, title="A & B")
    assert "<title>A &amp; B</title>" in path.read_text(encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        informed[0].write_html(tmp_path / "no" / "r.html")


def test_report__an_ontology_with_several_parents():
    o = tt.Ontology(["top", "x", "y", "p", "q", "r", "s"], [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (5, 2), (6, 2)])
    X = [[0.0], [0.1], [5.0], [5.2]]
    with pytest.raises(tt.errors.NotATreeError, match="parent='certain' for the triplets"):
        tt.report(X, hierarchy=o, sample_names=["p", "q", "r", "s"], n_resamples=0)
    found = tt.report(X, hierarchy=o, parent="certain", sample_names=["P", "q", "r", "s"], n_resamples=0)
    assert (found.kind, found.known_samples, found.names.kinds[0]) == ("hierarchy", 4, "form")
    assert list(found.constraints) == [("P", "q", "s")]
    found = tt.report(X, hierarchy=o, parent="first", sample_names=["p", "q", "r", "s"], n_resamples=0)
    assert found.names is None
    assert [x[:2] for x in found.taxa] == [("x", 3)]


def test_report__counts_open_items_and_other_names():
    pytest.importorskip("rapidfuzz")
    X = [[0.0], [0.1], [5.0], [5.2]]
    h = tt.Hierarchy.from_nested([["p", "q"], ["r", "s"]])
    assert tt.report(X, hierarchy=h, sample_names=list("pqrs"), n_resamples=0).notes == ()
    h = tt.Hierarchy([4, 4, 5, 5, 6, 6, -1], ["p", "q", "r", "s"], incertae_sedis=[3], synonyms={"t": "s"})
    found = tt.report(X, hierarchy=h, sample_names=list("pqrt"), n_resamples=0)
    one, other, mine = found.notes
    assert one == "1 item known to an inner node only (open), as 's'"
    assert other == "1 other name of its nodes, as 't'"
    assert mine == "1 of the samples known to an inner node only (open), as 't'"
    assert f"Of note: {one}; {other}; {mine}." in str(found)
    assert all(f"<li>{x}</li>" in html.unescape(html_of(found)) for x in found.notes)


def test_report__has_the_notes_of_readers_around_it():
    with collected():
        h = tt.parse_newick("((p,q)uncultured,(r,s)X);")
        found = tt.report([[0.0], [0.1], [5.0], [5.2]], hierarchy=h, sample_names=list("pqrs"), n_resamples=0)
    assert found.notes == ("1 placeholder node contracted", "2 items known to an inner node only (open), as 'p'")


class _Noted(DivisiveReCon):
    """Notes the samples and the effort of its fits."""

    noted = []  # noqa: RUF012 (of all instances)

    def fit(self, X, y=None, **given):
        self.noted.append((len(X), len(given) > 1, self.effort))
        return super().fit(X, y, **given)


def test_report__only_fits_to_parts_of_the_samples_take_fewer_steps(iris, tmp_path):
    X, y, names = iris
    triplets = tt.sample_class_triplets(y, 40, leaves=names, random_state=0)
    _Noted.noted.clear()
    found = tt.report(X, triplets=triplets, sample_names=names, estimator=_Noted(effort=0.5), n_folds=2, n_resamples=3)
    assert found.n_resamples == 3
    assert {effort for n, _, effort in _Noted.noted if n == 60} == {0.5}
    assert [x for x in _Noted.noted if x[0] < 60] == [(48, True, 0.1)] * 3
    assert len(_Noted.noted) == 3 * 2 + 3 + 3
    found.write_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert ("a fifth of the steps" in page) == (found.model.clade_support_ is not None)
    mixing = found.model.mixing_
    assert f"about {round(mixing.effective_trees)} independent trees" in page
    assert f"disagree (R-hat above 1.1) on {mixing.disagreeing:.0%} of the {len(mixing.r_hat):,} random" in page


def test_report__a_metric_that_the_estimator_does_not_take(iris):
    X, y, names = iris
    given = {"classes": y.tolist(), "sample_names": names, "n_resamples": 0}
    distances = squareform(pdist(X, "cityblock"))
    other = tt.report(distances, estimator=DivisiveReCon(metric="precomputed"), **given)
    found = tt.report(X, metric="cityblock", **given)
    assert (found.labels == other.labels).all()
    assert found.features == ("0", "1", "2", "3")
    assert all(c.features for c in found.clusters)
    assert found.shares_of_variance == pytest.approx(X.var(axis=0) / X.var(axis=0).sum())
    for metric, message in (("far", "choose one of"), ("gower", "leave out standardize")):
        with pytest.raises(ValueError, match=message):
            tt.report(X, metric=metric, standardize=True, **given)
    with pytest.raises(ValueError, match="take 'nan_euclidean' or 'gower'"):
        tt.report(np.where(X > 7, np.nan, X), metric="cityblock", **given)


def test_report__clusters_by_gower_are_described_by_categories():
    rows = [["small", 1.0], ["small", None], ["large", 9.0], ["large", 8.0]]
    found = tt.report(
        rows,
        triplets=[(0, 1, 2), (2, 3, 0)],
        metric="gower",
        feature_names=["size", "kg"],
        estimator=DivisiveReCon(2),
        n_resamples=0,
    )
    assert found.features == ("size", "kg")
    assert found.shares_of_variance.size == 0
    assert {(x.feature, x.inside, x.outside) for x in found.clusters[0].features} == {
        ("size = small", 1.0, 0.0),
        ("size = large", 0.0, 1.0),
        ("kg", 1.0, 8.5),
    }


def test_report__a_similar_label_in_the_knowledge_is_another_sample_if_that_is_named_too():
    pytest.importorskip("rapidfuzz")
    names = ["Bus hesperus", "Cus novus", "Dus magnus", "Eus parvus"]
    triplets = [("Bus hesperus", "Cus novus", "Dus magnus"), ("Bus hesperidus", "Cus novus", "Eus parvus")]
    found = tt.report([[0.0], [0.1], [5.0], [5.2]], triplets=triplets, sample_names=names, n_resamples=0)
    assert (found.names.names, found.names.matches) == (("Bus hesperidus",), (None,))
    assert found.n_used == 1


def test_report__distances_are_taken_by_their_metric():
    """metric="precomputed" was refused, as only the estimator knew of it."""
    D = np.abs(np.subtract.outer([0.0, 1.0, 2.0, 9.0, 10.0, 12.0], [0.0, 1.0, 2.0, 9.0, 10.0, 12.0]))
    found = tt.report(D, classes=list("aaabbb"), metric="precomputed", n_resamples=0)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.features == ()
    with pytest.raises(ValueError, match="leave out standardize=True"):
        tt.report(D, classes=list("aaabbb"), metric="precomputed", standardize=True)


def test_report__soft_knowledge_stays_soft():
    X = np.repeat(np.arange(4.0) * 5, 3)[:, None] + np.tile([0.0, 0.4, 1.1], 4)[:, None]
    wrong = tt.Knowledge.of(12, triplets=[(0, 11, 1), (0, 1, 11), (3, 4, 8)], soft=["triplets"])
    model = DivisiveReCon(effort=0.1, constraints="hard")  # which would be an error if they had to hold
    found = tt.report(X, knowledge=wrong, estimator=model, n_resamples=0)
    assert (found.kind, found.informed.constraints_, len(found.conflicts)) == ("triplets", "soft", 1)


# ---------------------------------------------------------------------- several kinds


BRIEF = {"n_resamples": 0, "n_folds": 3, "estimator": DivisiveReCon(3, effort=0.02)}


@pytest.fixture(scope="module")
def several():
    """Iris with a hierarchy of a third, answers of a crowd with mistakes, and pairs."""
    X, y = load_iris(return_X_y=True)
    names = [f"flower {i}" for i in range(150)]
    groups = [[names[i] for i in np.flatnonzero(y == k)[::3]] for k in range(3)]
    crowd = tt.sample_class_triplets(y, 60, random_state=1).rows.tolist()
    pairs = ([(names[0], names[1]), (names[60], names[61])], [(names[0], names[60]), (names[60], names[120])])
    known = tt.Knowledge.of(
        names,
        hierarchy=tt.Hierarchy.from_nested([groups[0], [groups[1], groups[2]]]),
        triplets=[tuple(names[i] for i in (row if k % 5 else row[::-1])) for k, row in enumerate(crowd)],
        pairs=pairs,
        soft=["triplets"],
    )
    return X, names, known


@pytest.fixture(scope="module")
def of_several(several):
    X, names, known = several
    return tt.report(X, knowledge=known, sample_names=names, **BRIEF)


def test_several__each_alone_is_its_own_report(several, of_several):
    """Each part tells what a report on this kind alone tells, and the whole what `evaluate_knowledge` tells of all."""
    X, names, known = several
    assert of_several.kind == "triplets and pairs and hierarchy"
    assert [x.kind for x in of_several.parts] == ["triplets", "pairs", "hierarchy"]
    assert [x.is_soft for x in of_several.parts] == [True, False, False]
    for part in of_several.parts:
        alone = tt.report(X, knowledge=known.only(part.kind).with_soft(), sample_names=names, **BRIEF)
        assert (alone.n_given, alone.n_used, alone.known_samples) == (part.n_given, part.n_used, part.known_samples)
        assert alone.contradiction == ""
        if part.kind != "pairs":
            assert part.alone.holds.shape[1] == alone.knowledge.holds.shape[1]
        assert part.alone.kind == part.kind
    brief = {"n_folds": 3, "estimator": BRIEF["estimator"]}
    whole = tt.evaluate_knowledge(
        X, knowledge=known, sample_names=names, random_state=np.random.default_rng(0), **brief
    )
    assert np.array_equal(of_several.knowledge.holds, whole.holds)
    ends = np.cumsum([len(x.rows) for x in whole.constraints])
    shares = [x.mean() for x in np.split(whole.holds[-1], ends[:-1])]
    assert [x.with_all for x in of_several.parts] == pytest.approx(shares)


def test_several__soft_by_name_is_soft_in_knowledge(several, of_several):
    X, names, known = several
    apart = {kind: getattr(known, kind) for kind in known.kinds}
    other = tt.report(X, **apart, soft=["triplets"], sample_names=names, **BRIEF)
    assert str(other) == str(of_several)
    with pytest.raises(ValueError, match=r"soft has 'classes', and no classes are given"):
        tt.report(X, **apart, soft=["classes"], sample_names=names)
    with pytest.raises(ValueError, match="pairs are given twice"):
        tt.report(X, knowledge=known, pairs=known.pairs, sample_names=names)


def test_several__words_and_page(of_several):
    told = str(of_several)
    assert "60 triplets about" in told
    assert ", as votes." in told
    assert "Each kind alone: the triplets " in told
    assert "yes, all kinds that have to can hold together" in told
    page = Document(html_of(of_several))
    heads = page.within("th")
    assert {"triplets (votes)", "pairs", "hierarchy", "all together"} <= set(heads)
    assert "triplets=..., pairs=..., hierarchy=..." in html_of(of_several)
    assert {x.kind for x in of_several.doubts} >= {"triplet"}


def test_several__kinds_that_contradict_each_other(several):
    X, names, known = several
    some = [names[i] for i in (0, 59, 3)]  # of the hierarchy: 0 and 3 belong together
    with pytest.warns(UserWarning, match="contradicts it or another, and is left out"):
        apart = tt.report(X, hierarchy=known.hierarchy, triplets=[tuple(some)], sample_names=names, **BRIEF)
    assert apart.conflicts == ()
    assert "flower 59" in apart.contradiction
    assert "no: each kind can hold by itself, but not all kinds together" in str(apart)
    assert apart.contradiction.split(";")[0][:40] in html_of(apart)
    assert apart.parts[0].alone is None  # one triplet: too few


def test_several__answers_beside_triplets_are_triplets(several):
    X, names, known = several
    answers = AnswerSet.from_columns([[0, 60, 3]], [1], tt.LeafIndex(names), who=["ann"])
    found = tt.report(X, triplets=known.triplets, answers=answers, sample_names=names, **BRIEF)
    assert found.kind == "triplets"
    assert found.n_used == len(known.triplets | answers.triplets())
