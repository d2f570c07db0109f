"""evaluate_knowledge: agreement with knowledge of samples that was hidden, and its permuted control."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon, validation

#: Short chains, for what does not depend on their length.
QUICK, SHORT = DivisiveReCon(effort=0.1), DivisiveReCon(effort=0.25)


@pytest.fixture
def blobs():
    """Three groups in one dimension. A second one without meaning hides them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return np.column_stack([y + 0.5 * rng.normal(size=60), 3 * rng.normal(size=60)]), y


def kappa(agreement, chance):
    return (agreement - chance) / (1 - chance)


def test_evaluate_knowledge__true_triplets_help(blobs):
    X, y = blobs
    report = tt.evaluate_knowledge(X, triplets=tt.sample_class_triplets(y, 180, random_state=0), estimator=SHORT)
    assert report.verdict == "helps"
    assert not report.agrees  # the second feature hides the groups from the data alone
    assert report.agreement[-1] > report.agreement[0]
    assert report.holds.shape == (4, 180)
    gained = kappa(report.agreement[-1], report.chance[-1]) - kappa(report.agreement[0], report.chance[0])
    assert report.gain == pytest.approx(gained)
    assert "60 samples, hidden in turn, are in 180 triplets." in str(report)
    assert "The knowledge helps: it places samples about which it says nothing." in str(report)


def test_evaluate_knowledge__random_triplets_do_not_help(blobs):
    X, y = blobs
    shuffled = np.random.default_rng(1).permutation(y)
    report = tt.evaluate_knowledge(X, triplets=tt.sample_class_triplets(shuffled, 60, random_state=0), estimator=SHORT)
    assert report.verdict == "unclear"
    assert not report.agrees
    assert "No agreement that can be told from chance" in str(report)


def traits(h, rng):
    """Four traits that drift along the branches, with noise."""
    value = np.zeros((h.n_nodes, 4))
    for u in range(h.n_nodes - 2, -1, -1):
        value[u] = value[h.parent[u]] + rng.normal(size=4)
    return value[: h.n_leaves] + 0.3 * rng.normal(size=(h.n_leaves, 4))


@pytest.mark.parametrize("seed", [0, 2])
def test_evaluate_knowledge__a_hierarchy_helps_with_the_right_names_only(seed):
    """Any hierarchy agrees with itself: with names permuted, or other data, the gain was 50 % all the same."""
    h = tt.datasets.load_hierarchy("mammals")
    rng = np.random.default_rng(seed)
    names = list(h.leaves)
    X, given = traits(h, rng), {"hierarchy": h, "estimator": QUICK, "n_folds": 3}
    right = tt.evaluate_knowledge(pd.DataFrame(X, names), **given)
    assert (right.verdict, right.agrees) == ("helps", True)
    permuted = tt.evaluate_knowledge(pd.DataFrame(X, rng.permutation(names).tolist()), **given)
    noise = tt.evaluate_knowledge(pd.DataFrame(rng.normal(size=X.shape), names), **given)
    for wrong in (permuted, noise):
        assert (wrong.verdict, wrong.agrees) == ("unclear", False)
        assert abs(wrong.gain) < 2.5 * wrong.gain_error
        assert wrong.chance[0] == pytest.approx(1 / 3, abs=0.04)
        assert wrong.chance[-1] > 0.4  # with the others in their places, a random place is often right


def test_validate__does_not_take_permuted_names_for_help():
    h = tt.datasets.load_hierarchy("mammals")
    rng = np.random.default_rng(3)
    X, names = traits(h, rng), list(h.leaves)
    right = DivisiveReCon(4, effort=0.1).fit(pd.DataFrame(X, names), hierarchy=h, validate=True).validation_
    assert (right.verdict, right.agrees, right.n_samples) == ("helps", True, 120)
    permuted = pd.DataFrame(X, rng.permutation(names).tolist())
    wrong = DivisiveReCon(4, effort=0.1).fit(permuted, hierarchy=h, validate=True).validation_
    assert (wrong.verdict, wrong.agrees) == ("unclear", False)


def test_measure__hidden_samples_are_unknown_to_the_fit(blobs):
    """The knowledge given to a fit names no sample on which its result is compared."""
    X, y = blobs
    given = []

    class Noting(DivisiveReCon):
        def fit(self, X, **knowledge):
            given.append(knowledge)
            return super().fit(X, **knowledge)

    t = tt.sample_class_triplets(y, 100, random_state=0)
    report = tt.evaluate_knowledge(X, triplets=t, estimator=Noting(effort=0))
    assert len(given) == 1 + 3 * 5
    assert given[0] == {}
    whole = [set(x["triplets"].used_leaves.tolist()) for x in given[-5:]]
    named = set(t.used_leaves.tolist())
    hidden = [named - some for some in whole]
    assert set().union(*hidden) == named  # each sample is hidden once
    assert all(len(x) >= len(named) // 5 for x in hidden)
    assert report.n_samples == len(named)


@pytest.mark.filterwarnings("ignore:.*look drawn at random")
def test_evaluate_knowledge__greedy_merging_is_seen_to_hurt(cancer):
    """True triplets, fewer than samples, make the trees of ReCon worse. The report is there to say so."""
    X, y = cancer
    t = tt.sample_class_triplets(y, 60, random_state=0)
    greedy = tt.evaluate_knowledge(X, triplets=t, estimator=ReCon(2, linkage="ward"))
    assert greedy.gain < 0


def test_evaluate_knowledge__hierarchy_and_classes(blobs):
    X, y = blobs
    names = [f"s{i}" for i in range(60)]
    frame = pd.DataFrame(X, index=names)
    h = tt.Hierarchy.from_nested([[n for n, c in zip(names, y, strict=True) if c == k] for k in range(3)] + ["other"])
    by_tree = tt.evaluate_knowledge(frame, hierarchy=h, max_triplets=120, estimator=QUICK)
    assert len(by_tree.constraints) == 120
    assert by_tree.gain > 0
    by_class = tt.evaluate_knowledge(X, classes=[int(c) if i % 2 else None for i, c in enumerate(y)], estimator=QUICK)
    assert by_class.kind == "classes"
    assert set(by_class.constraints.used_leaves.tolist()) <= set(range(1, 60, 2))


def test_evaluate_knowledge__no_number_of_clusters_is_chosen_where_trees_are_compared(blobs, monkeypatch):
    X, y = blobs
    triplets = tt.sample_class_triplets(y, 60, random_state=0)
    given = {"triplets": triplets, "n_folds": 2, "estimator": DivisiveReCon(effort=0)}
    before = tt.evaluate_knowledge(X, **given | {"estimator": DivisiveReCon(3, effort=0)})
    monkeypatch.setattr("tripletree.cluster.divisive.estimator.suggest_n_clusters", None)
    assert np.array_equal(tt.evaluate_knowledge(X, **given).holds, before.holds)


def test_evaluate_knowledge__pairs(blobs):
    X, y = blobs
    pairs = tt.sample_class_pairs(y, 100, random_state=0)
    report = tt.evaluate_knowledge(X, pairs=pairs, estimator=ReCon(3))
    assert len(report.constraints) == 100
    assert report.noise is None
    assert "100 pairs" in str(report)


def test_evaluate_knowledge__names_beside_an_array_are_those_of_an_index(blobs):
    X, y = blobs
    names = [f"s{i}" for i in range(len(X))]
    table = pytest.importorskip("pandas").DataFrame(X, index=names)
    triplets = tt.sample_class_triplets(y, 40, leaves=names, random_state=0)
    one = tt.evaluate_knowledge(X, triplets=triplets, sample_names=names, n_folds=2, estimator=QUICK)
    other = tt.evaluate_knowledge(table, triplets=triplets, n_folds=2, estimator=QUICK)
    assert (one.holds == other.holds).all()
    assert set(one.constraints.leaves) == set(names)


def test_evaluate_knowledge__is_reproducible(blobs):
    X, y = blobs
    t = tt.sample_class_triplets(y, 60, random_state=0)
    one, two = (tt.evaluate_knowledge(X, triplets=t, n_folds=2, estimator=QUICK, random_state=3) for _ in range(2))
    assert np.array_equal(one.holds, two.holds)


def test_evaluate_knowledge__several_kinds_are_judged_together(blobs):
    X, y = blobs
    pairs = tt.sample_class_pairs(y, 30, random_state=0)
    some = [c if i % 2 else None for i, c in enumerate(y.tolist())]
    one = tt.evaluate_knowledge(X, pairs=pairs, classes=some, n_folds=2, estimator=QUICK)
    assert one.kind == "pairs and classes"
    assert one.constraints[0] == pairs
    assert one.holds.shape[1] == len(pairs) + len(one.constraints[1])
    assert "pairs and triplets of classes" in str(one)
    known = tt.Knowledge.of(len(y), pairs=pairs, classes=some)
    for given in ({"knowledge": known}, {"pairs": pairs, "knowledge": known.only("classes")}):
        other = tt.evaluate_knowledge(X, **given, n_folds=2, estimator=QUICK)
        assert str(other) == str(one)
        assert np.array_equal(other.holds, one.holds)


def test_evaluate_knowledge__what_is_refused(blobs):
    X, y = blobs
    told = "nothing is known: give at least one of triplets, comparisons, pairs, hierarchy, classes, knowledge"
    with pytest.raises(ValueError, match=told):
        tt.evaluate_knowledge(X)
    with pytest.raises(ValueError, match=told):
        tt.evaluate_knowledge(X, knowledge=tt.Knowledge.of(5))
    with pytest.raises(ValueError, match="the triplets say something of 3 samples: give at least 4, so that some can"):
        tt.evaluate_knowledge(X, triplets=[(0, 1, 2)])
    assert tt.evaluate_knowledge(X, triplets=[(0, 1, 2), (3, 4, 5)]).n_samples == 6  # in three parts, not five
    with pytest.raises(TypeError, match=r"estimator must be an estimator such as DivisiveReCon\(\), not str"):
        tt.evaluate_knowledge(X, classes=y, estimator="kmeans")
    with pytest.raises(ValueError, match="no two samples have different classes: give at least 4"):
        tt.evaluate_knowledge(X, classes=np.zeros(60, int))
    with pytest.raises(ValueError, match="the hierarchy has 0 leaves among the 60 samples"):
        tt.evaluate_knowledge(X, hierarchy=tt.Hierarchy.from_nested([["a", "b"], "c"]))
    with pytest.raises(tt.errors.UnknownLeafError):
        tt.evaluate_knowledge(X, triplets=[(0, 1, 99)] * 1)


def test_evaluate_knowledge__takes_it_in_every_form_that_fit_takes(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = pd.DataFrame(X, index=[f"i{k}" for k in range(150)])
    some = pd.Series(y, X.index).sample(30, random_state=0)  # of a part of the samples, in another order
    whole = [some.get(x) for x in X.index]
    one, other = (tt.evaluate_knowledge(X, classes=known, n_folds=2, estimator=QUICK) for known in (some, whole))
    assert np.array_equal(one.holds, other.holds)
    h = tt.Hierarchy.from_nested([["i1", "i2"], ["i60", "i61"], ["i120", "i121"]])
    tt.write_newick(h, tmp_path / "h.nwk")
    one, other = (
        tt.evaluate_knowledge(X, hierarchy=known, n_folds=2, estimator=QUICK) for known in (h, tmp_path / "h.nwk")
    )
    assert np.array_equal(one.holds, other.holds)


# ---------------------------------------------------------------------- fit(..., validate=True)


@pytest.fixture
def cancer():
    """Two noisy classes, on which fewer true triplets than samples make the trees of ReCon worse."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import scale

    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:200], y[:200]


@pytest.mark.filterwarnings("ignore:.*look drawn at random")
@pytest.mark.usefixtures("few_trees")
def test_validate__warns_where_greedy_merging_hurts_and_names_the_better_setting(cancer):
    X, y = cancer
    t = tt.sample_class_triplets(y, 60, random_state=0)
    with pytest.warns(UserWarning, match=r"The knowledge makes the results worse: (penalty|DivisiveReCon)") as caught:
        model = ReCon(2, linkage="ward").fit(X, triplets=t, validate=True)
    assert caught[-1].filename == __file__
    found = model.validation_
    assert found.settings == ("without knowledge", "all of them hold", "penalty='auto'", "DivisiveReCon")
    assert (found.verdict, found.n_constraints) == ("hurts", 60)
    beyond = kappa(found.agreement, found.chance)
    assert found.gain == pytest.approx(beyond[1] - beyond[0])
    assert beyond[found.settings.index(found.best)] == beyond.max()
    assert np.array_equal(model.labels_, ReCon(2, linkage="ward").fit(X, triplets=t).labels_)


def test_validate__the_share_without_knowledge_is_that_of_the_plain_fit(cancer):
    X, y = cancer
    t = tt.sample_class_triplets(y, 250, random_state=0)
    found = ReCon(2, linkage="average").fit(X, triplets=t, validate=True).validation_
    plain = tt.displays(ReCon(2, linkage="average").fit(X).hierarchy_, t)
    assert found.agreement[0] == plain.mean()
    assert found.standard_error[0] == pytest.approx(plain.std() / np.sqrt(250), rel=0.2)  # by samples, not triplets


@pytest.mark.slow
def test_validate__divisive_gains_from_each_kind(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(60)])
    some = [int(c) if i % 2 else None for i, c in enumerate(y)]
    tree = tt.Hierarchy.from_nested([[n for n, c in zip(frame.index, y, strict=True) if c == k] for k in range(3)])
    t = tt.sample_class_triplets(y, 120, leaves=frame.index, random_state=0)
    pairs = tt.sample_class_pairs(y, 60, leaves=frame.index, random_state=0)
    for knowledge, m in (
        ({"triplets": t}, 120),
        ({"triplets": t, "pairs": pairs}, 180),
        ({"hierarchy": tree, "triplets": t}, 120 + 180),
        ({"classes": some, "pairs": pairs}, 60 + 90),
    ):
        found = DivisiveReCon(3, effort=0.1).fit(frame, **knowledge, validate=True).validation_
        assert found.n_constraints == m
        assert found.verdict == "helps"
        assert "The knowledge helps: it places samples about which it says nothing." in str(found)
        assert found.settings[0] == "without knowledge"
        assert len(found.settings) == 2


def test_validate__says_that_little_is_too_little_to_tell():
    X = [[4.0, 50], [30, 100], [2, 90], [5, 60], [1, 1], [30, 50]]
    found = DivisiveReCon(3).fit(X, classes=["m", "m", "f", "f", None, None], validate=True).validation_
    assert (found.n_constraints, found.n_samples, found.verdict) == (2, 4, "unclear")
    assert str(found).startswith("Names were hidden in turn, 4 in all.")
    with pytest.raises(ValueError, match="there are statements on 3 only: it takes at least 4"):
        DivisiveReCon(3).fit(X, classes=["m", "m", "f", None, None, None], validate=True)


def test_validate__nothing_unless_asked_for_or_nothing_known(blobs):
    X, y = blobs
    t = tt.sample_class_triplets(y, 20, random_state=0)
    for estimator in (ReCon(3), DivisiveReCon(3)):
        assert estimator.fit(X, validate=True).validation_ is None
        assert estimator.fit(X, triplets=t).validation_ is None
        before = dict(vars(estimator))
        with pytest.raises(ValueError, match="there are statements on 3 only"):
            estimator.fit(X, triplets=[(0, 1, 2)], validate=True)
        assert vars(estimator) == before


def test_validate__wrong_triplets_that_must_hold_are_found_out():
    """Clear groups, a fifth of the triplets wrong: held out, the right ones speak for the data alone."""
    y = np.repeat([0, 1, 2], 20)
    X = 5.0 * np.eye(3)[y] + 0.5 * np.random.default_rng(0).normal(size=(60, 3))
    rows = tt.sample_class_triplets(y, 60, random_state=4).rows.copy()
    wrong = np.random.default_rng(4).random(60) < 0.2
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    t = tt.repair(tt.TripletSet(rows, 60)).kept
    with pytest.warns(UserWarning, match=r"makes the results worse: constraints='soft' agrees with .*; use that"):
        found = DivisiveReCon(3, constraints="hard").fit(X, triplets=t, validate=True).validation_
    assert found.verdict == "hurts"
    assert found.settings == ("without knowledge", "constraints='hard'", "constraints='soft'")
    assert found.best == "constraints='soft'"


def test_validate__a_fitted_metric_stays_fitted(blobs):
    from sklearn.preprocessing import StandardScaler

    X, y = blobs
    t = tt.sample_class_triplets(y, 90, random_state=0)
    model = ReCon(3, metric=StandardScaler().fit(X), linkage="ward").fit(X, triplets=t, validate=True)
    assert model.validation_.n_constraints == 90


def test_validate__a_hierarchy_is_hidden_for_some_samples(blobs):
    X, y = blobs
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(60)])
    tree = tt.Hierarchy.from_nested([[n for n, c in zip(frame.index, y, strict=True) if c == k] for k in range(3)])
    for estimator in (ReCon(3, linkage="ward"), DivisiveReCon(3, effort=0.1)):
        found = estimator.fit(frame, hierarchy=tree, validate=True).validation_
        assert found.n_constraints == 180
        assert found.verdict == "helps"


@pytest.mark.filterwarnings("ignore:.*look drawn at random")
@pytest.mark.parametrize("make", [csr_array, csr_matrix])
def test_evaluate_knowledge__takes_sparse_samples(blobs, make):
    X, y = blobs
    X = np.abs(X)
    given = {
        "triplets": tt.sample_class_triplets(y, 180, random_state=0),
        "estimator": ReCon(linkage="average", metric="cosine"),
    }
    sparse, dense = (tt.evaluate_knowledge(samples, **given) for samples in (make(X), X))
    assert (sparse.holds == dense.holds).all()


def test_evaluate_knowledge__says_what_the_estimator_lacks(blobs):
    X, y = blobs
    triplets = tt.sample_class_triplets(y, 60, random_state=0)
    with pytest.raises(TypeError, match=r"fit of KMeans takes no triplets=: choose .* ReCon or DivisiveReCon"):
        tt.evaluate_knowledge(X, triplets=triplets, estimator=KMeans(3))
    with pytest.raises(TypeError, match="fit of KMeans takes no pairs="):
        tt.evaluate_knowledge(X, pairs=tt.pairs_from_classes(y), estimator=KMeans(3))
    with pytest.raises(TypeError, match="Flat makes no hierarchy_, with which knowledge is compared"):
        tt.evaluate_knowledge(X, triplets=triplets, estimator=Flat())


class Flat(KMeans):
    """Clusters without a hierarchy, from an estimator that takes anything."""

    def fit(self, X, **knowledge):
        return super().fit(X)


@pytest.mark.parametrize(
    ("shares", "worse"),
    [((0.7, 0.3, 0.7, 0.9), (0.25,)), ((0.7, 0.2, 0.3, 0.7), (0.25, 0.5)), ((0.7, 0.7, 0.7, 0.7), ())],
)
def test_evaluate_knowledge__tells_which_part_of_it_is_worse_than_none(blobs, monkeypatch, shares, worse):
    """Where all of the knowledge helps or is level, a quarter or half of it may still hurt."""
    X, y = blobs
    rng = np.random.default_rng(0)
    holds = rng.permuted(np.arange(600) < 600 * np.array(shares)[:, None], axis=1)
    measured = validation.Measured(holds, rng.normal(1 / 3, 0.02, (4, 50)), np.arange(600) % 60)
    monkeypatch.setattr(validation, "measure", lambda *_, **__: measured)
    found = tt.evaluate_knowledge(X, classes=y, estimator=QUICK)
    assert found.worse == worse
    assert found.verdict in ("helps", "unclear")
    told = {1: "Knowing 25% of", 2: "Knowing 25% or 50% of", 0: ""}[len(worse)]
    assert found.caveat.startswith(told)
    assert str(found).endswith(found.caveat)
    assert ("is worse than knowing none" in str(found)) == bool(worse)


@pytest.mark.parametrize("kind", ["triplets", "comparisons", "hierarchy", "classes", "pairs"])
@pytest.mark.parametrize("k", [None, 4])
def test_fits_that_are_compared_by_their_trees_make_no_flat_clusters(blobs, monkeypatch, kind, k):
    """Flat clusters are what they are for pairs alone, and trees are the same without them."""
    X, y = (x[::3] for x in blobs)
    rows = tt.sample_class_triplets(y, 25, random_state=0).rows
    pairs = [(0, 1), (7, 8), (14, 15)], [(0, 7), (1, 14), (8, 15)]
    given = {"triplets": rows, "comparisons": rows, "pairs": pairs, "classes": y}
    given["hierarchy"] = ReCon().fit(X).hierarchy_
    known, model, made = {kind: given[kind]}, DivisiveReCon(k, effort=0, constraints="soft"), []
    flat = DivisiveReCon._flat_clusters

    def counted(self, *given):
        made.append(self.n_clusters)
        return flat(self, *given)

    monkeypatch.setattr(DivisiveReCon, "_flat_clusters", counted)
    found = tt.evaluate_knowledge(X, estimator=model, n_folds=2, **known)
    checked = model.fit(X, validate=True, **known).validation_
    assert set(made[:7] + made[8:]) == {k if kind == "pairs" else 1}  # made[7] is the fit itself
    assert made[7] == k
    monkeypatch.setattr("tripletree.cluster.divisive.estimator.for_its_tree", lambda model, kinds: model)
    as_before = tt.evaluate_knowledge(X, estimator=model, n_folds=2, **known)
    np.testing.assert_array_equal(found.holds, as_before.holds)
    assert str(model.fit(X, validate=True, **known).validation_) == str(checked)


@pytest.mark.parametrize("k", [0, 61, 2.5])
def test_a_number_of_clusters_that_fit_refuses_is_refused(blobs, k):
    X, y = blobs
    with pytest.raises(ValueError, match=r"n_clusters"):
        tt.evaluate_knowledge(X, triplets=tt.sample_class_triplets(y, 40), estimator=DivisiveReCon(k, effort=0))
