"""DivisiveReCon as an estimator: input, messages and refusals."""

import warnings

import numpy as np
import pandas as pd
import pytest
from examples import yule
from scipy.cluster.hierarchy import linkage
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.utils._param_validation import InvalidParameterError

import tripletree as tt
from tripletree.algorithms import all_triplets
from tripletree.algorithms.cut import cut
from tripletree.algorithms.flat import are_compatible
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.cluster.divisive import flat
from tripletree.core.checks import counted

NAMES = ["ant", "bee", "cow", "dog", "eel", "fox"]


@pytest.fixture
def X():
    return pd.DataFrame({"x": [0.0, 1.0, 2.5, 7.0, 8.0, 9.5]}, index=NAMES)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return pd.DataFrame(X, index=[f"s{i}" for i in range(150)]), pd.Series(y, index=[f"s{i}" for i in range(150)])


def test_labels_and_row_numbers_mean_the_same(X):
    by_label = DivisiveReCon(2).fit(X, triplets=[("ant", "dog", "bee"), ("ant", "dog", "fox")])
    by_row = DivisiveReCon(2).fit(X.to_numpy(), triplets=[(0, 3, 1), (0, 3, 5)])
    assert by_label.hierarchy_.leaves.labels == tuple(NAMES)
    np.testing.assert_array_equal(by_label.linkage_, by_row.linkage_)


def test_attributes(X):
    model = DivisiveReCon(2, constraints="hard").fit(X, triplets=[("ant", "dog", "bee")])
    assert tt.displays(model.hierarchy_, model.triplets_).all()
    assert (model.n_triplets_, model.weight_violated_, model.noise_, model.n_clusters_) == (1, 0.0, 0.0, 2)
    assert (model.n_leaves_, model.n_features_in_, model.constraints_) == (6, 1, "hard")
    assert model.linkage_.shape == (5, 4)
    assert (np.diff(model.hierarchy_.height) >= 0).all()
    assert model.predict(X).shape == (6,)
    soft = DivisiveReCon(2, constraints="soft", noise=0.3).fit(X, triplets=[("ant", "dog", "bee")])
    assert (soft.constraints_, soft.noise_, soft.reason_) == ("soft", 0.3, "as asked for")


@pytest.mark.slow
def test_more_triplets_make_a_better_tree(iris):
    X, y = iris
    test = tt.sample_class_triplets(y, 3000, random_state=99)
    shares = [tt.displays(DivisiveReCon(3).fit(X).hierarchy_, test).mean()]
    for m in (50, 450):
        model = DivisiveReCon(3).fit(X, triplets=tt.sample_class_triplets(y, m, random_state=1))
        shares.append(tt.displays(model.hierarchy_, test).mean())
    assert shares[0] < 0.9
    assert shares[1] > shares[0] + 0.03
    assert shares[2] > 0.98


@pytest.mark.slow
def test_wrong_triplets_are_outvoted(iris):
    X, y = iris
    true = tt.sample_class_triplets(y, 450, random_state=1)
    rows = true.rows.copy()
    rows[::10] = rows[::10][:, [0, 2, 1]]
    given = tt.TripletSet(rows, true.leaves)
    model = DivisiveReCon(3).fit(X, triplets=given)
    assert model.constraints_ == "soft"
    test = tt.sample_class_triplets(y, 3000, random_state=99)
    assert tt.displays(model.hierarchy_, test).mean() > 0.93
    assert 20 <= len(model.violated_triplets_) <= 70


def test_a_hierarchy_is_hard_and_restricted(X, tmp_path):
    tree = tt.Hierarchy.from_nested([(("ant", "dog"), "elk"), (("bee", "eel"), "cow"), "yak"])
    model = DivisiveReCon(2).fit(X, hierarchy=tree)
    assert model.constraints_ == "hard"
    given = tree.restrict([x for x in NAMES if x in tree.leaves])
    assert tt.displays(model.hierarchy_, all_triplets(given)).all()
    path = tmp_path / "tree.nwk"
    path.write_text("(((ant,dog),elk),((bee,eel),cow),yak);")
    assert DivisiveReCon(2).fit(X, hierarchy=path).hierarchy_ == model.hierarchy_


@pytest.mark.parametrize(
    "classes",
    [
        ["x", None, None, "x", "y", None],
        {"ant": "x", "dog": "x", "eel": "y"},
        pd.Series({"ant": 1, "dog": 1, "eel": 2}),
    ],
)
def test_classes_of_some_samples(X, classes):
    model = DivisiveReCon(2, constraints="hard").fit(X, classes=classes)
    assert model.labels_[0] == model.labels_[3] != model.labels_[4]
    assert len(model.pairs_) == 2
    soft = DivisiveReCon(2).fit(X, classes=classes)
    assert (soft.constraints_, len(soft.pairs_), len(soft.triplets_)) == ("soft", 0, 1)


def test_classes_of_which_nothing_follows(X):
    plain = DivisiveReCon(2).fit(X)
    for classes, given in (([None] * 6, "0 labels of 0 classes"), (["x"] * 6, "6 labels of 1 class")):
        with pytest.warns(UserWarning, match=f"classes has {given}, so nothing follows: give samples of two"):
            assert DivisiveReCon(2).fit(X, classes=classes).hierarchy_ == plain.hierarchy_
    assert DivisiveReCon(2).fit(X, classes=["x", "y"] + [None] * 4).hierarchy_ == plain.hierarchy_


def test_clusters_of_classes__follow_forms_that_no_cut_finds():
    """Two rings, of which eight samples are known: every other sample goes with its ring."""
    angle = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    ring = np.repeat([0, 1], 80)
    Z = np.concatenate([np.column_stack([np.cos(angle), np.sin(angle)]) * r for r in (1.0, 3.0)])
    known = {int(i): int(ring[i]) for i in range(0, 160, 20)}
    plain = DivisiveReCon(2).fit(Z)
    for classes in (known, {i: "in" if c == 0 else "out" for i, c in known.items()}):
        model = DivisiveReCon(2).fit(Z, classes=classes)
        assert tt.pairwise_f_score(ring, model.labels_) == 1.0 > tt.pairwise_f_score(ring, plain.labels_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
def test_clusters_of_classes__are_as_many_as_asked_for_and_numbered(iris, metric):
    X, y = iris
    known = y[::10]
    Z = X if metric != "precomputed" else pd.DataFrame(np.abs(X.values[:, None] - X.values[None]).sum(2), index=X.index)
    for k in (2, 3, 5):  # fewer, as many and more than classes
        model = DivisiveReCon(k, metric=metric).fit(Z, classes=known)
        first = np.unique(model.labels_, return_index=True)[1]
        assert (model.n_clusters_, first.size) == (k, k)
        assert (np.diff(first) > 0).all()
        np.testing.assert_array_equal(model.predict(Z), model.labels_)
    assert tt.pairwise_f_score(y, DivisiveReCon(3, metric=metric).fit(Z, classes=known).labels_) > 0.8


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_clusters_of_classes__are_one_for_each_class_with_a_label(iris, metric):
    X, y = iris
    Z = X if metric != "precomputed" else pd.DataFrame(np.abs(X.values[:, None] - X.values[None]).sum(2), index=X.index)
    for known in (y[::10], y[y != 1][::10]):
        model, wanted = (DivisiveReCon(k, metric=metric).fit(Z, classes=known) for k in (None, known.nunique()))
        np.testing.assert_array_equal(model.labels_, wanted.labels_)
        assert model.n_clusters_choice_ is None
    with pytest.warns(UserWarning, match="so nothing follows"):
        alike = DivisiveReCon(metric=metric).fit(Z, classes=y[y == 1][::10])
    assert alike.n_clusters_ == DivisiveReCon(metric=metric).fit(Z).n_clusters_


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 4), (3, 6), (4, 8), (3, 3, 5)])
def test_clusters_of_classes__of_few_samples_do_not_go_by_the_larger_class(sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).normal(size=(y.size, 2)) + 9 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    first = {int(np.flatnonzero(y == c)[0]): c for c in range(len(sizes))}
    classes = [first.get(i) for i in range(y.size)]
    assert DivisiveReCon(len(sizes)).fit(X, classes=classes).labels_.tolist() == y.tolist()


@pytest.fixture
def one_of_many():
    """One feature of ten says the class, the sign of a sine: of neighbours in all ten, half are of the other class."""
    X = np.random.default_rng(0).uniform(0, 1, (300, 10))
    y = (np.sin(12 * X[:, 3]) > 0).astype(int)
    known = [c if i < 120 else None for i, c in enumerate(y.tolist())]
    return X, y, known


@pytest.mark.filterwarnings("ignore:the features agree")  # statements are random, or hidden among columns
def test_classifier__is_heard_as_far_as_held_out_labels_bear_it_out(one_of_many):
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier

    X, y, known = one_of_many
    alone = DivisiveReCon(2).fit(X, classes=known).labels_
    good = DivisiveReCon(2, classifier=DecisionTreeClassifier(random_state=0)).fit(X, classes=known).labels_
    bad = DivisiveReCon(2, classifier=DummyClassifier(strategy="prior")).fit(X, classes=known).labels_
    share = [np.mean(found[120:] == (y[120:] if y[0] == 0 else 1 - y[120:])) for found in (alone, good, bad)]
    assert share[0] < 0.75
    assert share[1] > share[0] + 0.1
    assert abs(share[2] - share[0]) < 0.05


def test_classifier__leaves_classes_without_a_label_alone():
    from sklearn.linear_model import LogisticRegression

    y = np.arange(60) % 3
    X = np.random.default_rng(0).normal(size=(60, 3)) + 6 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])[y]
    classes = [c if i < 12 and c < 2 else None for i, c in enumerate(y.tolist())]
    model = DivisiveReCon(3, classifier=LogisticRegression()).fit(X, classes=classes)
    assert pd.crosstab(model.labels_, y).max(axis=1).sum() >= 59


@pytest.mark.filterwarnings("ignore:the features agree")  # statements are random, or hidden among columns
def test_classifier__hard_labels_stay_and_the_order_of_rows_decides_nothing(one_of_many):
    from sklearn.tree import DecisionTreeClassifier

    X, y, known = one_of_many
    order = np.random.default_rng(1).permutation(300)
    model = DivisiveReCon(2, constraints="hard", classifier=DecisionTreeClassifier(random_state=0))
    labels = model.fit(X, classes=known).labels_
    assert len({(a, b) for a, b in zip(labels[:120].tolist(), y.tolist(), strict=False)}) == 2
    turned = model.fit(X[order], classes=[known[i] for i in order]).labels_
    assert tt.pairwise_f_score(labels[order], turned) == 1.0
    few = DivisiveReCon(2, classifier=DecisionTreeClassifier(random_state=0)).fit(X, classes={0: "a", 1: "a", 2: "b"})
    assert few.n_clusters_ == 2


def test_classifier__bad_input(X):
    from sklearn.linear_model import LogisticRegression, RidgeClassifier

    with pytest.raises(ValueError, match="classifier"):
        DivisiveReCon(2, classifier=RidgeClassifier()).fit(X)  # no predict_proba
    model = DivisiveReCon(2, classifier=LogisticRegression())
    assert model.fit(X).n_clusters_ == 2  # nothing is known
    with pytest.raises(ValueError, match="the only knowledge, but triplets, pairs given, too: leave it out"):
        model.fit(X, classes=["x", "y"] + [None] * 4, triplets=[("ant", "bee", "cow")], pairs=([("ant", "bee")], []))
    with pytest.raises(ValueError, match="precomputed"):
        DivisiveReCon(2, metric="precomputed", classifier=LogisticRegression()).fit(np.zeros((3, 3)))


@pytest.mark.parametrize("n", [24, 30, 60, 150])
def test_clusters_of_classes__find_a_class_without_a_label(n):
    # in small tables the samples without a label were outvoted: one of them was left as a cluster
    y = np.arange(n) % 3
    X = np.random.default_rng(n).normal(size=(n, 3)) + 6 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])[y]
    classes = [c if i < 12 and c < 2 else None for i, c in enumerate(y.tolist())]
    assert pd.crosstab(DivisiveReCon(3).fit(X, classes=classes).labels_, y).max(axis=1).sum() >= n - 1


@pytest.mark.parametrize("estimator", [ReCon, DivisiveReCon])
def test_classes_by_label__are_of_samples_once_each(iris, estimator):
    X, y = iris
    known = pd.Series(["x", "x", "y", "y"], index=[*X.index[[0, 1, 140, 141]]])
    more = pd.concat([known, pd.Series(["z"], index=["nobody"])])
    said = "keys of classes: 'nobody'.*missing_samples='ignore' leaves them out"
    with pytest.raises(tt.errors.UnknownLeafError, match=said):
        estimator(2).fit(X, classes=more)
    ignoring = estimator(2, missing_samples="ignore").fit(X, classes=more)
    assert ignoring.hierarchy_ == estimator(2).fit(X, classes=known).hierarchy_
    twice = pd.Series(y.tolist(), index=[*X.index[:-1], X.index[0]])
    with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of classes"):
        estimator(2).fit(X, classes=twice)
    # rows without labels have their order only
    by_order = estimator(3).fit(X.to_numpy(), classes=twice)
    assert by_order.hierarchy_ == estimator(3).fit(X.to_numpy(), classes=y.tolist()).hierarchy_


@pytest.mark.parametrize("estimator", [ReCon, DivisiveReCon])
def test_classes_by_label__are_no_row_numbers_where_the_index_of_X_repeats_a_label(estimator):
    X, names = np.array([[0.0], [1.0], [5.0], [6.0], [7.0], [8.0]]), [1, 2, 2, 4, 5, 6]
    frame = pd.DataFrame(X, index=names)
    for classes in ({1: "x", 4: "y"}, {"a": "x", 4: "y"}, pd.Series(list("xxyyyy"))):
        with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of X, to which classes refer.*: 2;"):
            estimator(2).fit(frame, classes=classes)
        with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of X, to which classes refer.*: 2;"):
            tt.evaluate_knowledge(frame, classes=classes, estimator=estimator(2))
    with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of classes.*: 2;"):
        estimator(2).fit(frame, classes=pd.Series([*"xxyyyy"], index=names[::-1]))
    wanted = estimator(2).fit(X, classes=[*"xxyyyy"])
    for by_row in ([*"xxyyyy"], pd.Series([*"xxyyyy"], index=names)):
        found = estimator(2).fit(frame, classes=by_row)
        assert found.triplets_.rows.tolist() == wanted.triplets_.rows.tolist()
    with pytest.warns(UserWarning, match="classes has 0 labels"):
        assert len(estimator(2).fit(frame, classes={}).triplets_) == 0


@pytest.mark.parametrize("estimator", [ReCon, DivisiveReCon])
def test_classes_by_label__of_a_series_that_repeats_one_do_not_go_by_position(estimator, iris):
    X, y = iris
    rows = X.reset_index(drop=True)
    twice = pd.Series(y.tolist(), index=[*range(149), 0])
    for table, names in ((rows, None), (X.to_numpy(), X.index)):
        with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of classes; an array goes by the order"):
            estimator(3).fit(table, classes=twice, sample_names=names)


@pytest.mark.filterwarnings("ignore:classes has")
@pytest.mark.parametrize("seed", range(20))
def test_hard_classes__allow_as_many_clusters_as_there_are_groups(seed):
    rng = np.random.default_rng(seed)
    n, shown = int(rng.integers(4, 12)), rng.choice([0.0, 0.3, 0.6, 1.0])
    X, y, known = rng.normal(size=(n, 2)), rng.integers(0, rng.integers(1, 4), size=n), rng.random(n) < shown
    classes = [int(c) if is_known else None for c, is_known in zip(y, known, strict=True)]
    most, n_classes = np.unique(y[known]).size + int((~known).sum()), np.unique(y[known]).size
    for k in range(1, n + 1):
        model = DivisiveReCon(k, constraints="hard")
        if k > most:
            with pytest.raises(tt.errors.ClusterCountError, match=f"n_clusters={k}, .* into {most} groups") as caught:
                model.fit(X, classes=classes)
            assert (caught.value.n_clusters, caught.value.nearest) == (k, (most,))
        elif k >= n_classes:
            labels = pd.Series(model.fit(X, classes=classes).labels_)
            assert labels.nunique() == k
            together = labels[known].groupby(y[known])
            assert together.nunique().eq(1).all()
            assert together.first().is_unique


def test_must_links_alone__clusters_beyond_their_groups_and_one_for_all(X):
    chain = ([(NAMES[i], NAMES[i + 2]) for i in range(4)], [])
    with pytest.raises(tt.errors.ClusterCountError, match="into 2 groups.* Ask for 2 or fewer"):
        DivisiveReCon(3, constraints="hard").fit(X, pairs=chain)
    assert DivisiveReCon(3).fit(X, pairs=chain).n_clusters_ == 3  # some must-links may be wrong
    assert (
        DivisiveReCon(1, constraints="hard").fit(X, pairs=chain).n_clusters_ == 1
    )  # without the warning that pairs are violated
    far = pd.DataFrame(np.repeat([0.0, 9.0, 18.0], 10)[:, None] + np.random.default_rng(0).normal(size=(30, 1)))
    tied = ([*zip(range(14), range(1, 15), strict=True), *zip(range(15, 29), range(16, 30), strict=True)], [])
    assert DivisiveReCon().fit(far).n_clusters_ == 3
    assert DivisiveReCon(constraints="hard").fit(far, pairs=tied).n_clusters_ == 2


def test_clusters_of_classes__outvote_a_wrong_label_unless_labels_are_hard(iris):
    X, y = iris
    known = y[::5].copy()
    known.iloc[0] = 2
    wrong = known.index[0]
    soft = pd.Series(DivisiveReCon(3).fit(X, classes=known).labels_, X.index)
    assert soft[wrong] == soft[known.index[1]]
    hard = pd.Series(DivisiveReCon(3, constraints="hard").fit(X, classes=known).labels_, X.index)
    assert hard[known.index].groupby(known).nunique().tolist() == [1, 1, 1]
    assert hard[known.index].nunique() == 3


def test_pairs(X):
    model = DivisiveReCon(2, constraints="hard").fit(X, pairs=([("ant", "fox")], [("ant", "bee")]))
    assert model.labels_[0] == model.labels_[5] != model.labels_[1]
    assert {"ant", "fox"} in [set(model.hierarchy_.clade(u)) for u in range(6, 11)]


def test_flat_clusters_keep_hard_pairs(iris):
    X, y = iris
    links = tt.sample_class_pairs(y, 60, random_state=3)
    model = DivisiveReCon(3, constraints="hard").fit(X, pairs=links)
    assert len(tt.evaluation.violated_pairs(model.labels_, model.pairs_)) == 0
    assert tt.pairwise_f_score(y, model.labels_) > tt.pairwise_f_score(y, DivisiveReCon(3).fit(X).labels_)


def families(seed):
    """Four groups of six in a star, and twelve single samples beside them, three drawn as each group is."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), 9)
    X = 6 * np.eye(4)[y] + rng.normal(size=(36, 4))
    in_group = np.tile(np.arange(9) < 6, 4)
    parts = [np.flatnonzero(in_group & (y == g)).tolist() for g in range(4)]
    return X, y, tt.Hierarchy.from_nested(parts + np.flatnonzero(~in_group).tolist())


@pytest.mark.parametrize("given", ["hierarchy", "smallest set", "many"])
@pytest.mark.parametrize(("constraints", "effort"), [("hard", 0), ("hard", 0.3), ("soft", 0), ("soft", 0.3)])
def test_single_samples_join_the_group_that_features_say(constraints, effort, given):
    for seed in range(2):
        X, y, h = families(seed)
        known = {"hierarchy": h}
        if given != "hierarchy":
            many = tt.sample_triplets(h, 900, random_state=seed)
            known = {"triplets": tt.decompose(h) if given == "smallest set" else many}
        model = DivisiveReCon(4, constraints=constraints, effort=effort).fit(X, **known)
        assert tt.pairwise_f_score(y, model.labels_) > 0.85
        if effort or constraints == "hard":
            assert tt.displays(model.hierarchy_, tt.triplets_from_classes(y)).mean() > 0.9


def test_triplets_of_a_soft_hierarchy_vote_on_flat_clusters_if_it_has_one_level(monkeypatch):
    X, _, h = families(0)
    deep = tt.Hierarchy.from_nested([[[0, 1], [2, 3]], *range(4, 36)])
    called = []
    real = flat.voted
    monkeypatch.setattr(flat, "voted", lambda *known: called.append(0) or real(*known))
    model = DivisiveReCon(4, constraints="soft", effort=0).fit(X, hierarchy=deep)
    assert not called
    assert model.labels_.tolist() == tt.cut(model.hierarchy_, 4, triplets=model.triplets_, samples=X).tolist()
    DivisiveReCon(4, constraints="soft", effort=0).fit(X, hierarchy=h)
    assert called


def test_too_few_clusters_for_hard_cannot_links():
    X, pairs = [[0.0], [1.0], [5.0]], ([], [(0, 1), (1, 2), (0, 2)])
    with pytest.raises(
        tt.errors.InfeasibleClusteringError, match="are 3, and n_clusters=1 are too few: 2 samples"
    ) as caught:
        DivisiveReCon(1, constraints="hard").fit(X, pairs=pairs)
    assert caught.value.n_clusters == 1
    assert caught.value.proved
    with pytest.warns(UserWarning, match="are 3: these are returned, not n_clusters=2"):
        model = DivisiveReCon(2, constraints="hard", on_infeasible="more").fit(X, pairs=pairs)
    assert model.labels_.tolist() == [0, 1, 2]
    with pytest.warns(UserWarning, match="n_clusters=1 violate 3 of 3 cannot-links"):
        model = DivisiveReCon(1, constraints="hard", on_infeasible="violate").fit(X, pairs=pairs)
    assert model.labels_.tolist() == [0, 0, 0]
    assert DivisiveReCon(1).fit(X, pairs=pairs).labels_.tolist() == [0, 0, 0]  # votes, as pairs alone are soft


@pytest.mark.parametrize("wrong", [0, 20])
def test_soft_pairs_are_votes_on_flat_clusters(iris, wrong):
    X, y = iris
    right = tt.sample_class_pairs(y, 200, leaves=X.index, random_state=3)
    half = wrong // 2
    pairs = tt.PairwiseConstraints(
        np.concatenate([right.must_link[half:], right.cannot_link[:half]]),
        np.concatenate([right.cannot_link[half:], right.must_link[:half]]),
        X.index,
    )
    model = DivisiveReCon(3).fit(X, pairs=pairs)
    assert tt.pairwise_f_score(y, model.labels_) > 0.93  # 0.75 without pairs
    assert len(tt.evaluation.violated_pairs(model.labels_, model.pairs_)) >= 0.8 * wrong


@pytest.mark.parametrize("wrong", [0, 15])
def test_triplets_of_classes_are_votes_on_flat_clusters(iris, wrong):
    X, y = iris
    rows = tt.sample_class_triplets(y, 150, random_state=1).rows.copy()
    rows[:wrong] = rows[:wrong][:, [0, 2, 1]]
    model = DivisiveReCon(3).fit(X, triplets=rows)
    assert tt.pairwise_f_score(y, model.labels_) > 0.93  # 0.75 without triplets


def test_triplets_of_all_levels_cut_the_tree(rng):
    truth = tt.Hierarchy.from_nested([[[[[[[0, 1], 2], 3], 4], 5], [6, 7]], [[8, 9], [[10, 11], [12, [13, 14]]]]])
    X = rng.normal(size=(15, 2))
    model = DivisiveReCon(4, constraints="soft").fit(X, triplets=tt.sample_triplets(truth, 150, random_state=0))
    clades = [set(model.hierarchy_.clade(u)) for u in range(15, 29)] + [{i} for i in range(15)]
    assert all(set(np.flatnonzero(model.labels_ == c).tolist()) in clades for c in range(4))


def test_pairs_that_say_nothing_change_no_cluster(iris):
    X, _ = iris
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(150)[:2] for _ in range(60)])
    plain, model = DivisiveReCon(3).fit(X), DivisiveReCon(3).fit(X.to_numpy(), pairs=(rows[:20], rows[20:]))
    assert tt.pairwise_f_score(plain.labels_, model.labels_) > 0.85  # but for samples nearer to another mean
    rows = np.array([rng.permutation(150)[:3] for _ in range(60)])
    model = DivisiveReCon(3).fit(X.to_numpy(), triplets=rows)
    assert tt.pairwise_f_score(plain.labels_, model.labels_) > 0.85


@pytest.mark.slow
def test_metrics(iris):
    X, y = iris
    X, y = X.iloc[::5], y.iloc[::5]
    given = tt.sample_class_triplets(y, 60, random_state=0)
    for metric in ("euclidean", "cosine", "precomputed"):
        Z = X
        if metric == "precomputed":
            Z = pd.DataFrame(np.abs(X.values[:, None] - X.values[None]).sum(2), index=X.index)
        model = DivisiveReCon(3, metric=metric).fit(Z, triplets=given)
        assert model.labels_.max() == 2
        assert model.predict(Z).shape == (30,)


def test_repeated_samples_and_constant_data():
    X = np.zeros((12, 2))
    model = DivisiveReCon(2, constraints="hard").fit(X, triplets=[(0, 11, 3), (4, 5, 11), (4, 5, 0)])
    assert tt.displays(model.hierarchy_, model.triplets_).all()


def test_the_number_of_clusters_by_the_widest_gap():
    X = np.concatenate([np.random.default_rng(0).normal(size=(30, 2)) + 20 * k for k in range(4)])
    assert DivisiveReCon().fit(X).n_clusters_ == 4
    assert DivisiveReCon().fit(X[:1]).n_clusters_ == 1


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
@pytest.mark.parametrize(
    "kind", ["nothing", "triplets", "hard triplets", "classes", "hard classes", "pairs", "hierarchy"]
)
def test_the_order_of_rows_changes_nothing(iris, metric, kind):
    X, y = (x[::2] for x in iris)
    X = X + np.random.default_rng(0).normal(size=X.shape) * 1e-3  # no two rows, and no two columns, are the same
    triplets = tt.sample_class_triplets(y, 120, leaves=X.index, random_state=0)
    if kind == "triplets":  # one in ten is wrong
        triplets = tt.TripletSet(
            np.where(np.arange(120)[:, None] % 10, triplets.rows, triplets.rows[:, [0, 2, 1]]), X.index
        )
    known = {
        "nothing": {},
        "triplets": {"triplets": triplets},
        "hard triplets": {"triplets": triplets},
        "classes": {"classes": y[::5]},
        "hard classes": {"classes": y[::5]},
        "pairs": {"pairs": tt.sample_class_pairs(y, 20, leaves=X.index, random_state=0)},
        "hierarchy": {"hierarchy": DivisiveReCon(2).fit(X[::3]).hierarchy_},
    }[kind]
    D = pd.DataFrame(np.sqrt(((X.values[:, None] - X.values[None]) ** 2).sum(axis=2)), X.index)
    D.columns = X.index
    Z = D if metric == "precomputed" else X
    model = DivisiveReCon(metric=metric, constraints="hard" if "hard" in kind else "auto")
    wanted, labels = None, None
    for seed in range(2):
        some = np.random.default_rng(seed).permutation(len(Z)) if seed else np.arange(len(Z))
        rows = Z.iloc[some, some if metric == "precomputed" else slice(None)].to_numpy()
        model.fit(rows, sample_names=X.index[some], **known)
        first = np.unique(model.labels_, return_index=True)[1]
        assert (np.diff(first) > 0).all()
        assert model.hierarchy_.leaves == tt.LeafIndex(X.index[some])
        found = (model.hierarchy_, model.triplets_, model.pairs_, model.constraints_, model.held_out_, model.noise_)
        clusters = {frozenset(X.index[some][model.labels_ == c]) for c in range(model.n_clusters_)}
        if wanted is None:
            wanted, labels, heights = found, clusters, model.distances_
        assert found[0] == wanted[0]
        assert found[1].reindex(X.index) == wanted[1]
        assert found[2].reindex(X.index) == wanted[2]
        assert found[3:] == wanted[3:]
        assert clusters == labels
        np.testing.assert_array_equal(model.distances_, heights)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "precomputed"])
def test_the_unit_of_the_samples_changes_nothing(metric):
    y = np.repeat(range(4), 15)
    X = np.random.default_rng(0).normal(size=(60, 3)) + 9 * np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 1, -1]])[y]
    Z = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)) if metric == "precomputed" else X
    triplets, pairs = tt.sample_class_triplets(y, 90, random_state=0), tt.sample_class_pairs(y, 20, random_state=0)
    for known in ({}, {"triplets": triplets}, {"classes": [*y[:45], *[None] * 15]}, {"pairs": pairs}):
        wanted = DivisiveReCon(metric=metric, effort=0.1).fit(Z, **known)
        for unit in (-1000, -300, -280, 240, 260, 480, 510, 1000):  # powers of two keep all bits
            if metric == "euclidean" and abs(unit) > 450:
                continue  # squares of distances leave the range of numbers, and are refused
            model = DivisiveReCon(metric=metric, effort=0.1).fit(np.ldexp(Z, unit), **known)
            assert model.labels_.tolist() == wanted.labels_.tolist(), (known, unit)
            assert model.hierarchy_.parent.tolist() == wanted.hierarchy_.parent.tolist()
            if metric == "euclidean":
                np.testing.assert_array_equal(model.distances_, np.ldexp(wanted.distances_, unit))


@pytest.mark.parametrize("linkage", ["centroid", "average"])
def test_votes_are_one_over_the_distance_of_the_metric(linkage):
    """With "cosine", on centres and in DivisiveReCon: the Euclidean distance of samples of length 1."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(6, 2)) + 1, [[1.0, 0.2]]
    models = [ReCon(2, metric="cosine", linkage=linkage)] + [DivisiveReCon(2, metric="cosine")] * (linkage != "average")
    for model in models:
        model.fit(X)
        cosine = X @ new[0] / np.linalg.norm(X, axis=1) / np.linalg.norm(new)
        distance = 1 - cosine if linkage == "average" else np.sqrt(2 - 2 * cosine)
        nearest = np.argsort(distance)[:5]
        votes = np.bincount(model.labels_[nearest], 1 / distance[nearest], minlength=2)
        np.testing.assert_allclose(model.predict_proba(new)[0], votes / votes.sum())
        np.testing.assert_allclose(model.predictor_.predict_proba(np.ldexp(new, 700))[0], votes / votes.sum())


def test_what_is_refused(X):
    with pytest.raises(tt.InconsistentTripletsError):
        DivisiveReCon(2, constraints="hard").fit(X, triplets=[("ant", "bee", "cow"), ("ant", "cow", "bee")])
    with pytest.raises(tt.errors.UnknownLeafError):
        DivisiveReCon(2).fit(X, triplets=[("ant", "bee", "gnu")])
    with pytest.raises(tt.errors.ClusterCountError, match="n_clusters=7 but n_samples=6"):
        DivisiveReCon(7).fit(X)
    with pytest.raises(ValueError, match="2 leaves among the 6 samples"):
        DivisiveReCon(2).fit(X, hierarchy=tt.Hierarchy.from_nested(("ant", "bee", "gnu")))
    with pytest.raises(TypeError, match="expected a Hierarchy, got int"):
        DivisiveReCon(2).fit(X, hierarchy=3)
    with pytest.raises(TypeError, match="y looks like triplets"):
        DivisiveReCon(2).fit(X, [(0, 1, 2)])
    for wrong in ({"constraints": "firm"}, {"noise": 0.0}, {"noise": 0.7}, {"metric": "l1"}, {"n_clusters": 0}):
        with pytest.raises(InvalidParameterError):
            DivisiveReCon(**wrong).fit(X)


def test_a_failed_fit_changes_nothing(X):
    model = DivisiveReCon(2).fit(X)
    before = dict(vars(model))
    with pytest.raises(tt.errors.UnknownLeafError):
        model.fit(X, triplets=[("ant", "bee", "gnu")])
    assert vars(model) == before
    assert clone(model).get_params() == model.get_params()


def test_the_input_is_not_changed(X):
    values, rows = X.to_numpy().copy(), np.array([[0, 3, 1], [0, 3, 5]])
    DivisiveReCon(2).fit(values, triplets=rows)
    np.testing.assert_array_equal(values, X.to_numpy())
    np.testing.assert_array_equal(rows, [[0, 3, 1], [0, 3, 5]])


@pytest.mark.filterwarnings("ignore:.*names are exchanged")  # features are random
def test_hierarchy__stays_hard_beside_pairs_right_or_wrong(rng):
    h = yule(40, rng)
    X, everything = rng.normal(size=(40, 3)), all_triplets(h)
    a, b, c = everything.rows[rng.choice(len(everything), 8, replace=False)].T
    right, wrong = np.stack([a, c], axis=1), np.stack([b, c], axis=1)
    model = DivisiveReCon(12, effort=0.1).fit(X, hierarchy=h, pairs=([], right))
    assert (model.constraints_, model.reason_) == ("hard", "a hierarchy is given")
    assert tt.satisfies(model, everything).all()
    with pytest.warns(UserWarning, match="are left out: a hierarchy is hard"):
        model = DivisiveReCon(6, effort=0.1).fit(X, hierarchy=h, pairs=(wrong, []), triplets=[(a[0], c[0], b[0])])
    assert tt.satisfies(model, everything).all()
    assert tt.displays(model.hierarchy_, everything).all()
    assert "other statements left out" in model.reason_
    assert len(model.pairs_) < 8


def test_hierarchy__what_contradicts_is_left_out_and_nothing_else(rng):
    """By halves as one by one."""
    h = yule(12, rng)
    everything = all_triplets(h).rows
    some = everything[rng.choice(len(everything), 12, replace=False)]
    turned = rng.random(12) < 0.4
    some[turned] = some[turned][:, [2, 1, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DivisiveReCon(2, effort=0.1).fit(rng.normal(size=(12, 2)), hierarchy=h, triplets=some)
    used = model.triplets_ - tt.decompose(h).reindex(model.triplets_.leaves)
    assert tt.displays(h, tt.TripletSet(some, 12)).sum() >= len(used)
    assert tt.displays(h, model.triplets_.reindex(h.leaves)).all()
    assert model.reason_.endswith(f"; {counted(int(turned.sum()), 'other statement')} left out")


@pytest.mark.parametrize("seed", range(6))
def test_pairs__an_open_number_of_clusters_is_enough_for_hard_pairs(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(10, 2))
    must, cannot = rng.permutation(10)[:4].reshape(2, 2), np.array([(0, 1), (1, 2), (0, 2)])
    pairs = tt.PairwiseConstraints(must, cannot, 10)
    if pairs.is_consistent:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            labels = DivisiveReCon(None, constraints="hard", effort=0).fit_predict(X, pairs=pairs)
        assert (labels[must[:, 0]] == labels[must[:, 1]]).all()
        assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()


def test_hierarchy__names_that_are_written_otherwise_are_told(X):
    tree = tt.parse_newick("((ant,Bee),((cow,dog),(EEL,(fox,gnu))));")
    with pytest.warns(
        UserWarning, match=r"of 2 samples the hierarchy says nothing.* 'bee' beside the leaf 'Bee', 'eel'"
    ):
        DivisiveReCon(2, effort=0).fit(X, hierarchy=tree)


@pytest.mark.parametrize(
    ("known", "effort", "total"),
    [({}, 1, 5), ({"triplets": [("ant", "dog", "bee")]}, 1, 106), ({"triplets": [("ant", "dog", "bee")]}, 0, 6)],
)
def test_verbose__the_bar_is_full_in_the_end(X, known, effort, total, capsys):
    DivisiveReCon(2, effort=effort, verbose=True).fit(X, **known)
    assert f"{total}/{total}" in capsys.readouterr().err
    DivisiveReCon(2, effort=effort).fit(X, **known)
    assert capsys.readouterr().err == ""


def test_divisive__fits_to_the_same_samples_share_their_plain_tree(monkeypatch):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    other = X[::-1] ** 2
    triplets = tt.sample_class_triplets(y, 60, random_state=0)
    model = DivisiveReCon(3, random_state=0)

    def fitted(model, X, **known):
        model.fit(X, **known)
        return model.labels_.tolist(), model.linkage_.tolist()

    found = [fitted(model, X), fitted(model, X, triplets=triplets), fitted(model, other), fitted(model, X)]
    fresh = [
        fitted(DivisiveReCon(3, random_state=0), x, **k) for x, k in ((X, {}), (X, {"triplets": triplets}), (other, {}))
    ]
    assert found == [*fresh, fresh[0]]

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr("tripletree.cluster.divisive.estimator.merge_samples", refuse)
    assert fitted(model, X) == fresh[0]
    with pytest.raises(AssertionError):
        model.fit(other)


# ------------------------------------------------------------------ clusters below a height


def test_distance_threshold__cuts_the_hierarchy_at_a_height():
    X = np.array([[0.0], [1.0], [1.5], [9.0], [9.7], [30.0]])
    for knowledge in (
        {},
        {"triplets": [(0, 1, 3), (3, 4, 0)]},
        {"pairs": ([(0, 5)], [])},
        {"classes": [0, 0, 1, 1, None, 2]},
    ):
        plain = DivisiveReCon().fit(X, **knowledge)
        for threshold in (0.0, *plain.distances_[[1, 3]], 1e9):
            model = DivisiveReCon(distance_threshold=threshold).fit(X, **knowledge)
            assert model.hierarchy_ == plain.hierarchy_
            assert model.labels_.tolist() == cut(model.hierarchy_, height=threshold).tolist()
            assert model.n_clusters_choice_ is None
        assert model.n_clusters_ == 1


def test_distance_threshold__pairs_that_must_hold_come_first():
    X = np.array([[0.0], [1.0], [1.5], [9.0], [9.7], [30.0]])
    model = DivisiveReCon(distance_threshold=1e9, constraints="hard").fit(X, pairs=([(0, 5)], [(0, 1)]))
    assert model.labels_[0] == model.labels_[5] != model.labels_[1]
    with pytest.raises(ValueError, match=r"n_clusters=2 and distance_threshold=1.0 are both given"):
        DivisiveReCon(2, distance_threshold=1.0).fit(X)


# ------------------------------------------------------------------ classes beside other statements


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (([(0, 3)], []), "0 and 3 are a must-link, (3 and 4 are of one class, )?but .* are of different classes"),
        (([], [(0, 2)]), "0 and 2 are of one class, 'u', but 0 and 2 are a cannot-link"),
        (([(5, 0), (5, 4)], []), ". and 5 are a must-link, 5 and .* are of different classes"),
    ],
)
def test_classes__pairs_against_them_are_told_for_what_was_given(pairs, message):
    X = np.array([[0.0], [1.0], [1.5], [9.0], [9.7], [30.0]])
    classes = ["u", "u", "u", "v", "v", None]
    with pytest.raises(
        tt.errors.InconsistentPairsError, match=f"pairs and classes contradict each other: {message}"
    ) as caught:
        DivisiveReCon(2, constraints="hard").fit(X, pairs=pairs, classes=classes)
    assert {caught.value.path[0], caught.value.path[-1]} == set(caught.value.cannot_link)
    # pairs that contradict each other are no matter of the classes
    with pytest.raises(tt.errors.InconsistentPairsError, match="^the pairs contradict each other: "):
        DivisiveReCon(2, constraints="hard").fit(X, pairs=([(3, 5)], [(3, 5)]), classes=classes)


def test_classes__left_out_beside_a_hierarchy_give_one_warning():
    X = pd.DataFrame([[0.0], [1.0], [9.0], [9.7]], index=list("abcd"))
    with pytest.warns(UserWarning, match="contradicts it") as caught:
        DivisiveReCon(2).fit(X, hierarchy=tt.parse_newick("((a,b),(c,d));"), classes={"a": "u", "d": "u"})
    assert [str(x.message)[:16] for x in caught] == ["1 of 1 statement"]


def groups_of_a_tree(seed, n=400, k=20):
    """Samples in groups that are well apart, their groups, and the tree of the groups' centres."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(k, 10))
    group = np.append(np.arange(k), rng.integers(0, k, n - k))
    above = tt.from_linkage(linkage(centres, "average")).parent
    tree = tt.Hierarchy(np.concatenate([group + n, np.where(above < 0, -1, above + n)]))
    return centres[group] + rng.normal(size=(n, 10)), group, tree


@pytest.mark.parametrize("constraints", ["hard", "soft"])
@pytest.mark.parametrize("seed", [1, 5])
def test_triplets_of_all_levels_do_not_harm_what_the_features_tell(seed, constraints):
    # right triplets made it .11 to .67 (hard) and .90 to .93 (soft), and .86 of the unseen ones were displayed
    X, group, tree = groups_of_a_tree(seed)
    known, unseen = (tt.sample_triplets(tree, 800, random_state=x) for x in (seed, seed + 50))
    model = DivisiveReCon(20, constraints=constraints, effort=0).fit(X, triplets=known)
    assert adjusted_rand_score(group, model.labels_) > 0.99
    assert are_compatible(model.labels_, known)
    if constraints == "hard":
        assert tt.displays(model.hierarchy_, known).all()
        assert tt.displays(model.hierarchy_, unseen).mean() > 0.99


@pytest.mark.filterwarnings("ignore:.*names are exchanged")
def test_class_triplets_are_heard_though_the_features_hardly_tell_the_classes():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(100) % 2)
    X = rng.normal(size=(100, 20))
    X[:, 0] += y
    known = tt.sample_class_triplets(y, 100, random_state=0)
    soft = DivisiveReCon(2, constraints="soft", effort=0)
    assert tt.pairwise_f_score(y, soft.fit(X).labels_) < 0.6
    assert tt.pairwise_f_score(y, soft.fit(X, triplets=known).labels_) > 0.9


@pytest.mark.parametrize(
    "model",
    [DivisiveReCon(8, effort=0.1), DivisiveReCon(8, constraints="soft", effort=0.1), ReCon(8, linkage="average")],
)
@pytest.mark.parametrize("seed", range(2))
def test_languages__families_beside_many_alone_in_theirs(model, seed):
    """Binary traits, half of them by area: families stay whole, and no cluster gathers whoever is alone in a family."""
    rng = np.random.default_rng(seed)
    sizes = [*rng.integers(2, 8, 10).tolist(), *[1] * 30]
    y = np.repeat(np.arange(40), sizes)
    area = rng.random((4, 60))
    of_family = rng.random((40, 60)) < np.where(rng.random((40, 60)) < 0.5, area[rng.integers(0, 4, 40)], 0.5)
    X = np.where(rng.random((len(y), 60)) < 0.2, rng.random((len(y), 60)) < 0.5, of_family[y]).astype(float)
    families = tt.Hierarchy.from_nested(
        [g[0] if len(g) == 1 else g for g in (np.flatnonzero(y == k).tolist() for k in range(40))]
    )
    labels = model.fit(X, hierarchy=families).labels_
    assert all(len(set(labels[y == k].tolist())) == 1 for k in range(10))
    biggest = np.flatnonzero(labels == np.bincount(labels).argmax())
    assert len(set(biggest.tolist()) & set(np.flatnonzero(y >= 10).tolist())) < 0.8 * 30


def test_a_hierarchy_of_one_clade_does_not_part_it_from_within():
    # the features have the clade apart: its triplets hold sooner or later, and gave a reward for an early division
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(8, 3)) + [at, 0, 0] for at in (0, 6, 30)])
    some = tt.Hierarchy.from_nested([list(range(8)), list(range(8, 16))])
    tree = DivisiveReCon(2, effort=0).fit(X, hierarchy=some).hierarchy_
    assert tt.displays(tree, [(0, 8, k) for k in range(16, 24)]).all()


@pytest.mark.parametrize("seed", [3, 6])
def test_a_hierarchy_of_a_quarter_of_the_names_leaves_the_families_of_the_others_whole(seed):
    """Features count little beside many single samples: draws differ, and their mean displayed .60 and .50 (of 1)."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(80), [*rng.integers(2, 9, 20), *[1] * 60])
    family = rng.random((80, 80)) < 0.5
    X = np.where(rng.random((len(y), 80)) < 0.22, rng.random((len(y), 80)) < 0.5, family[y]).astype(float)
    groups = [np.flatnonzero(y == k).tolist() for k in range(80)]
    families = tt.Hierarchy.from_nested([g[0] if len(g) == 1 else g for g in groups])
    named = np.sort(rng.permutation(len(y))[: len(y) // 4])
    model = DivisiveReCon(1).fit(X, hierarchy=families.restrict(named.tolist()))
    others = families.restrict(np.setdiff1d(np.arange(len(y)), named).tolist())
    assert tt.displays(model.hierarchy_, tt.sample_triplets(others, 1000, random_state=0)).mean() > 0.95
