import datetime
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from tripletree.cluster.temporal import TemporalClustering, match_clusters, stack_snapshots
from tripletree.cluster.temporal._matching import moves, nearest_order
from tripletree.cluster.temporal._windows import checked_times, observed, windows
from tripletree.errors import ClusterCountError, InvalidTimesError, UnknownLeafError
from tripletree.plots import plot_transitions

X6 = np.array([[0.0], [1.0], [8.0], [9.0], [0.2], [1.1], [7.0], [9.4]])
T6, W6 = [1, 1, 1, 1, 2, 2, 2, 2], list("abcdabce")


def drifting(rng, n=40, T=5, k=3, stay=0.9):
    """Blobs that drift; each object is there with a chance, and sometimes changes sides."""
    centres, label = 8.0 * rng.normal(size=(k, 2)), rng.integers(0, k, n)
    rows = []
    for t in range(T):
        centres = centres + rng.normal(size=centres.shape) * 0.5
        label = np.where(rng.random(n) < 0.05, rng.integers(0, k, n), label)
        for i in np.flatnonzero(rng.random(n) < stay):
            rows.append((t, f"o{i}", *(centres[label[i]] + rng.normal(size=2)), label[i]))
    return pd.DataFrame(rows, columns=["t", "who", "x", "y", "truth"])


def _checks():
    for estimator, check in estimator_checks_generator(TemporalClustering(3, n_init=2)):
        if check.func.__name__ != "check_array_api_input":
            yield pytest.param(estimator, check, id=check.func.__name__)


@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_temporal__passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ windows


def test_windows__each_different_time_is_one_snapshot():
    found = windows(checked_times([3, 1, 3, 2], 4), None, None)
    assert [(w.start, w.rows.tolist()) for w in found] == [(1, [1]), (2, [3]), (3, [0, 2])]


@pytest.mark.parametrize(("window", "step"), [(2, None), (3, 1), (2.5, 0.5), (100, None), (4, 3)])
def test_windows__hold_what_their_definition_says(rng, window, step):
    times = np.sort(rng.integers(0, 30, 25))
    pace = window if step is None else step
    found = windows(times, window, step)
    start, expected = times[0], []
    while True:
        inside = np.flatnonzero((times >= start) & (times < start + window))
        if inside.size:
            expected.append((start, inside.tolist()))
        if start + window > times[-1]:
            break
        start = start + pace
    assert [(w.start, w.rows.tolist()) for w in found] == expected
    assert set(np.concatenate([w.rows for w in found]).tolist()) == set(range(25))


def test_windows__of_dates():
    days = pd.to_datetime(["2020-01-01", "2020-01-20", "2020-02-05", "2020-06-01"])
    found = windows(checked_times(days, 4), "30D", None)
    assert [w.rows.tolist() for w in found] == [[0, 1], [2], [3]]
    assert str(found[1].start)[:10] == "2020-01-31"
    same = windows(checked_times(list(days.to_pydatetime()), 4), datetime.timedelta(days=30), None)
    assert [w.rows.tolist() for w in same] == [[0, 1], [2], [3]]
    zoned = pd.Series(days.tz_localize("Europe/Vienna"))
    assert [w.rows.tolist() for w in windows(checked_times(zoned, 4), "30D", None)] == [[0, 1], [2], [3]]


@pytest.mark.parametrize(
    ("times", "window", "step", "words"),
    [
        ([1.0, np.nan], None, None, "row 1 is missing"),
        ([1, None], None, None, "row 1 is missing"),
        (["2020", ""], None, None, "row 1 is missing"),
        ([1, "x"], None, None, "all of one kind"),
        ([1, 2], 0, None, "positive"),
        ([1, 2], "30D", None, "must be a number"),
        ([1, 2], np.inf, None, "positive and finite"),
        ([1.0, 2.0], np.nan, None, "positive and finite"),
        ([1, 2], 1, 2, "longer than window"),
        ([1, 2], None, 1, "needs a window"),
        (["a", "b"], 3, None, "numbers or dates"),
        (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), 30, None, "'30D'"),
        (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), "1M", None, "calendar months"),
        ([0, 10**9], 1, None, "more than 100,000"),
        ([1, 2, 3], None, None, "one time for each"),
        ([1j, 2], None, None, "numbers, dates or text"),
    ],
)
def test_windows__say_what_is_wrong(times, window, step, words):
    with pytest.raises(InvalidTimesError, match=words):
        windows(checked_times(times, 2), window, step)


@pytest.mark.parametrize("aggregate", ["mean", "last"])
def test_observed__one_row_for_each_object(rng, aggregate):
    samples, who, times = rng.normal(size=(30, 2)), rng.integers(0, 7, 30), rng.integers(0, 5, 30)
    for w in windows(times, 2, 1):
        rows, objects = observed(samples, who, w, aggregate)
        assert objects.tolist() == sorted(set(who[w.rows].tolist()))
        for row, i in zip(rows, objects.tolist(), strict=True):
            mine = [r for r in w.rows.tolist() if who[r] == i]
            assert mine == sorted(mine, key=lambda r: (times[r], r))
            expected = samples[mine].mean(axis=0) if aggregate == "mean" else samples[mine[-1]]
            assert np.allclose(row, expected)


# ------------------------------------------------------------------ the estimator


def test_temporal__labels_of_rows_are_those_of_their_last_snapshot(rng):
    table = drifting(rng)
    model = TemporalClustering(3, window=2, step=1, random_state=0).fit(
        table.drop(columns="truth"), times="t", objects="who"
    )
    for row, (t, who) in enumerate(zip(table.t, table.who, strict=True)):
        last = [s for s in model.snapshots_ if s.start <= t < s.end][-1]
        assert model.labels_[row] == last.labels[last.leaves.index(who)]
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["x", "y"]
    assert model.cluster_centers_.shape == (4, 3, 2)
    assert model.predict(table[["x", "y"]]).shape == (len(table),)


def test_temporal__clusters_keep_their_numbers_while_they_drift(rng):
    table = drifting(rng, n=90, T=8)
    for alpha in (0.0, 0.5):
        model = TemporalClustering(3, alpha=alpha, random_state=0).fit(
            table[["x", "y"]], times=table.t, objects=table.who
        )
        of_class = [np.bincount(model.labels_[table.truth == c], minlength=3) for c in range(3)]
        assert np.max(of_class, axis=1).sum() > 0.9 * len(table)  # one number for each true cluster, at all times


def test_temporal__transitions_count_objects(rng):
    table = drifting(rng, stay=0.7)
    model = TemporalClustering(3, random_state=0).fit(table[["x", "y"]], times=table.t, objects=table.who)
    for a, b, counts in zip(model.snapshots_[:-1], model.snapshots_[1:], model.transitions_, strict=True):
        assert counts[:3].sum(axis=1).tolist() == np.bincount(a.labels, minlength=3).tolist()
        assert counts[:, :3].sum(axis=0).tolist() == np.bincount(b.labels, minlength=3).tolist()
        assert counts[3, :3].sum() == len(set(b.leaves) - set(a.leaves))
        assert counts[:3, 3].sum() == len(set(a.leaves) - set(b.leaves))
        assert counts[3, 3] == 0


def test_temporal__a_cluster_without_objects_stays_and_comes_back():
    X = [[0.0], [1.0], [9.0], [10.0], [0.0], [1.0], [0.5], [9.0], [10.0]]
    model = TemporalClustering(2, n_init=1, alpha=0.9, random_state=0).fit(
        X, times=[1, 1, 1, 1, 2, 2, 3, 3, 3], objects=list("abcdababc")
    )
    first = model.snapshots_[0]
    far = first.labels[2]
    assert first.centers[far] == 9.5
    assert model.snapshots_[1].centers[far] == 9.5
    assert far not in model.snapshots_[1].labels
    assert model.snapshots_[2].labels[1] == far


def test_temporal__pairs_of_a_time_and_warnings(rng):
    table = drifting(rng)
    fit = TemporalClustering(3, random_state=0, fading=0.5, backward=True).fit
    given = {"times": table.t, "objects": table.who}
    a, b = [x for x in table.who.unique() if (table.who == x).sum() == 5][:2]
    model = fit(table[["x", "y"]], pairs={2: ([(a, b)], [])}, **given)
    assert [float(s.pairs.must_strength[0]) for s in model.snapshots_] == [0.25, 0.5, 1.0, 0.5, 0.25]
    with pytest.raises(InvalidTimesError, match="in no snapshot"):
        fit(table[["x", "y"]], pairs={99: ([(a, b)], [])}, **given)
    with pytest.raises(InvalidTimesError, match="in no snapshot"):
        fit(table[["x", "y"]], pairs={"may": ([(a, b)], [])}, **given)
    with pytest.raises(UnknownLeafError):
        fit(table[["x", "y"]], pairs=([("nobody", a)], []), **given)
    with pytest.warns(UserWarning, match="1 of 1 pairs are on two objects"):
        TemporalClustering(1).fit([[0.0], [1.0]], times=[1, 2], objects=["p", "q"], pairs=([("p", "q")], []))


def test_temporal__bad_input():
    fit = TemporalClustering(2, random_state=0).fit
    with pytest.raises(ValueError, match="no column 'year'"):
        fit(pd.DataFrame({"x": [1.0, 2.0]}), times="year")
    with pytest.raises(ValueError, match="X has no named columns"):
        fit(X6, times="year")
    with pytest.raises(ValueError, match="one label for each of the 8 rows"):
        fit(X6, times=T6, objects=list("abc"))
    with pytest.raises(ValueError, match="object of row 1 is missing"):
        fit(X6, times=T6, objects=["a", None, *"cdabce"])
    with pytest.raises(ClusterCountError, match="first snapshot"):
        TemporalClustering(5).fit(X6, times=T6, objects=W6)
    with pytest.raises(TypeError, match="pairs"):
        fit(X6, ([("a", "b")], []), times=T6, objects=W6)


def test_temporal__a_failed_fit_leaves_the_model_as_it_was_and_it_pickles():
    model = TemporalClustering(2, random_state=0).fit(X6, times=T6, objects=W6)
    before = model.labels_.copy()
    with pytest.raises(InvalidTimesError):
        model.fit(X6, times=[np.nan] * 8)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).labels_, before)
    again = TemporalClustering(2, random_state=0).fit(X6, times=T6, objects=W6)
    assert np.array_equal(again.labels_, before)


def test_stack_snapshots__frames_and_arrays():
    frames = [pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"]), pd.DataFrame({"x": [3.0]}, index=["b"])]
    X, times, who = stack_snapshots(frames)
    assert (X.ravel().tolist(), times, who) == ([1.0, 2.0, 3.0], [0, 0, 1], ["a", "b", "b"])
    X, times, who = stack_snapshots([np.zeros((2, 1)), np.ones((1, 1))], objects=[["p", "q"], ["q"]])
    assert who == ["p", "q", "q"]
    for tables, objects, words in (
        ([], None, "at least one"),
        ([np.zeros((2, 1)), np.zeros((2, 2))], None, "snapshot 1"),
        ([frames[0], frames[1].rename(columns={"x": "z"})], None, "differ in their columns"),
        ([np.zeros((2, 1))], [["a"]], "one a row"),
    ):
        with pytest.raises(ValueError, match=words):
            stack_snapshots(tables, objects=objects)


def test_matching__by_brute_force(rng):
    from itertools import permutations

    for _ in range(50):
        a, b = rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
        best = min(permutations(range(4)), key=lambda p: sum(((a[i] - b[p[i]]) ** 2).sum() for i in range(4)))
        assert nearest_order(b, a).tolist() == list(best)
        before, after = rng.integers(-1, 3, 15), rng.integers(-1, 3, 15)
        found = match_clusters(before, after)
        stay = sum(((before == old) & (after == new)).sum() for new, old in enumerate(found) if old >= 0)
        most = max(sum(((before == p[j]) & (after == j)).sum() for j in range(3)) for p in permutations(range(3)))
        assert stay == most
        assert len(set(found[found >= 0].tolist())) == (found >= 0).sum()
    assert moves([0, -1], [-1, 0]).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="one length"):
        match_clusters([0], [0, 1])
    with pytest.raises(ValueError, match="got -2"):
        match_clusters([0, -2], [0, 1])


# ------------------------------------------------------------------ the picture


def test_plot_transitions__heights_and_names(rng):
    table = drifting(rng, n=60)
    model = TemporalClustering(3, random_state=0).fit(table[["x", "y"]], times=table.t, objects=table.who)
    ax = plot_transitions(model, names=["red", "green", "blue"])
    sizes = [n for s in model.snapshots_ for n in np.bincount(s.labels, minlength=3).tolist() if n]
    assert [round(bar.get_height()) for bar in ax.patches] == sizes
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1", "2", "3", "4"]
    assert {t.get_text() for t in ax.texts} == {"red", "green", "blue"}
    flows = sum(int((c[:3, :3] > 0).sum()) for c in model.transitions_)
    ends = sum(int((c[3, :3] > 0).sum() + (c[:3, 3] > 0).sum()) for c in model.transitions_)
    assert len(ax.collections) == flows + 7 * ends
    with pytest.raises(ValueError, match="one for each of the 3"):
        plot_transitions(model, names=["x"])


# ------------------------------------------------------------------ questions


def test_temporal__asks_in_each_snapshot_and_keeps_the_answers(rng):
    table = drifting(rng, n=40, T=4)
    truth = {(w, t): c for t, w, c in zip(table.t, table.who, table.truth, strict=True)}
    data = {"times": table.t, "objects": table.who}
    model = TemporalClustering(3, n_queries=8, n_init=2, random_state=0)
    model.fit(table[["x", "y"]], oracle=lambda a, b, t: truth[a, t] == truth[b, t], **data)
    assert [sum(q[0] == t for q in model.queries_) for t in range(4)] == [8] * 4
    assert all(said == (truth[a, t] == truth[b, t]) for t, a, b, said in model.queries_)
    assert {t: len(p) for t, p in model.answers_.items()} == dict.fromkeys(range(4), 8)
    again = TemporalClustering(3, random_state=0).fit(table[["x", "y"]], pairs=model.answers_, **data)
    for a, b in zip(again.snapshots_, model.snapshots_, strict=True):
        assert set(a.pairs) == set(b.pairs)
    both = TemporalClustering(3, n_queries=8, n_init=2, backward=True, random_state=0)
    both.fit(table[["x", "y"]], oracle=lambda a, b, t: truth[a, t] == truth[b, t], **data)
    assert len(both.snapshots_) == 4
    assert len(both.snapshots_[0].pairs) > 8  # later answers too


def test_temporal__answers_outlive_an_interrupt(rng):
    table = drifting(rng, n=40, T=3)
    count = 0

    def oracle(a, b, t):
        nonlocal count
        count += 1
        if count == 14:
            raise KeyboardInterrupt
        return True if count % 2 else None

    model = TemporalClustering(3, n_queries=10, n_init=1, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(table[["x", "y"]], times=table.t, objects=table.who, oracle=oracle)
    assert len(model.queries_) == 13
    assert sum(map(len, model.answers_.values())) == 7
    assert not hasattr(model, "labels_")
    with pytest.raises(TypeError, match="function of two objects and a time"):
        model.fit(table[["x", "y"]], oracle="me")
