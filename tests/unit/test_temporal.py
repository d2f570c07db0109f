import datetime
import pickle

import numpy as np
import pandas as pd
import pytest

from tripletree.cluster.temporal.clustering import TemporalClustering, stack_snapshots
from tripletree.cluster.temporal.matching import Fading, KnownPairs, Memory, match_clusters, moves, nearest_order
from tripletree.cluster.temporal.times import Times, check_times
from tripletree.cluster.temporal.windows import observed, snapshots_at, windows
from tripletree.core.times import time_text
from tripletree.errors import ClusterCountError, InvalidTimesError, UnknownLeafError
from tripletree.plots import plot_transitions

X6 = np.array([[0.0], [1.0], [8.0], [9.0], [0.2], [1.1], [7.0], [9.4]])
T6, W6 = [1, 1, 1, 1, 2, 2, 2, 2], list("abcdabce")


def drifting(rng, n=40, T=5, k=3, stay=0.9):
    """Blobs that drift. Each object is present by chance, and sometimes changes sides."""
    centres, label = 8.0 * rng.normal(size=(k, 2)), rng.integers(0, k, n)
    rows = []
    for t in range(T):
        centres = centres + rng.normal(size=centres.shape) * 0.5
        label = np.where(rng.random(n) < 0.05, rng.integers(0, k, n), label)
        for i in np.flatnonzero(rng.random(n) < stay):
            rows.append((t, f"o{i}", *(centres[label[i]] + rng.normal(size=2)), label[i]))
    return pd.DataFrame(rows, columns=["t", "who", "x", "y", "truth"])


# ------------------------------------------------------------------ windows


def test_windows__each_different_time_is_one_snapshot():
    found = windows(check_times([3, 1, 3, 2], 4), None, None)
    assert [(w.start, w.rows.tolist()) for w in found] == [(1, [1]), (2, [3]), (3, [0, 2])]


@pytest.mark.parametrize(("window", "step"), [(2, None), (3, 1), (2.5, 0.5), (100, None), (4, 3)])
def test_windows__hold_what_their_definition_says(rng, window, step):
    times = np.sort(rng.integers(0, 30, 25))
    pace = window if step is None else step
    found = windows(Times(times), window, step)
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
    found = windows(check_times(days, 4), "30D", None)
    assert [w.rows.tolist() for w in found] == [[0, 1], [2], [3]]
    assert str(found[1].start)[:10] == "2020-01-31"
    same = windows(check_times(list(days.to_pydatetime()), 4), datetime.timedelta(days=30), None)
    assert [w.rows.tolist() for w in same] == [[0, 1], [2], [3]]
    zoned = pd.Series(days.tz_localize("Europe/Vienna"))
    assert [w.rows.tolist() for w in windows(check_times(zoned, 4), "30D", None)] == [[0, 1], [2], [3]]


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
        windows(check_times(times, 2), window, step)


@pytest.mark.parametrize("kind", ["days", "whole", "float"])
def test_windows__given_ones_hold_what_lies_from_their_start_up_to_their_end(rng, kind):
    numbers = rng.integers(0, 40, 60)
    ends = [(30, 41), (0, 9), (4, 25), (6, 8), (31, 33), (9, 9.5), (-7, 0)]
    of = {
        "days": lambda x: np.datetime64("2020-01-01") + np.timedelta64(int(2 * x), "D"),
        "whole": lambda x: x,
        "float": float,
    }[kind]
    given = [(of(a), of(b)) for a, b in ends]
    checked = check_times(np.array([of(int(x)) for x in numbers]), 60)
    with pytest.warns(UserWarning, match=r"observations are in no window, the first at .*their label is -1"):
        found = windows(checked, given, None)
    expected = [(a, b) for a, b in sorted(ends) if any(a <= x < b for x in numbers)]
    assert [sorted(w.rows.tolist()) for w in found] == [
        [i for i, x in enumerate(numbers) if a <= x < b] for a, b in expected
    ]
    assert [(w.start, w.end) for w in found] == [(of(a), of(b)) for a, b in expected]
    for x in (0, 5, 8, 9, 24, 30, 32, 40):
        holds = [i for i, (a, b) in enumerate(expected) if a <= x < b]
        starts = [i for i, (a, _) in enumerate(expected) if a == x]
        assert snapshots_at([of(x)], found, checked) == (starts or holds)[:1]
    with pytest.raises(InvalidTimesError, match="in no snapshot"):
        snapshots_at([of(27)], found, checked)


@pytest.mark.parametrize(
    ("times", "window", "step", "words"),
    [
        ([1, 2], [(2, 1)], None, "window 0 is .2, 1.: expected .start, end., two numbers as the times are"),
        ([1, 2], [(1, 2), (3, 3)], None, "window 1 is .3, 3.: expected"),
        ([1, 2], [(1, 2, 3)], None, "window 0 is .1, 2, 3.: expected"),
        ([1, 2], [3, 4], None, "window 0 is 3: expected"),
        ([1, 2], [("1", "2")], None, "window 0 is .*: expected"),
        ([1, 2], [(0, 2), (0, 3)], None, "two windows start at 0"),
        ([1, 2], [(0, 3)], 1, "step=1 is for windows of one length"),
        ([1, 2], [(3, 4)], None, "no observation is in a window: times go from 1 to 2"),
        ([1, 2], [], None, "no observation is in a window"),
        (["a", "b"], [("a", "c")], None, "needs times that are numbers or dates; these are text"),
        (np.array(["2020-01-01", "2021-01-01"], "M8[D]"), [(1, 2)], None, "two dates as the times are"),
    ],
)
def test_windows__say_what_is_wrong_with_given_ones(times, window, step, words):
    with pytest.raises(InvalidTimesError, match=words):
        windows(check_times(times, 2), window, step)


def test_temporal__given_windows_overlap_as_in_the_paper_and_rows_in_none_have_no_label():
    X = np.array([[0.0], [5.0], [0.1], [5.1], [0.2], [5.2], [9.0]])
    times, who = [0, 0, 2, 2, 4, 4, 9], list("abababa")
    model = TemporalClustering(2, window=[(0, 5), (1, 3)], fading="overlap", inherit=False, random_state=0)
    with pytest.warns(UserWarning, match="1 of 7 observations are in no window, the first at 9"):
        model.fit(X, times=times, objects=who, pairs={0: ([], [("a", "b")])})
    assert [(s.start, s.end) for s in model.snapshots_] == [(0, 5), (1, 3)]
    assert model.labels_[-1] == -1
    assert model.labels_[:6].tolist() in ([0, 1] * 3, [1, 0] * 3)
    cut = windows(check_times(times[:6], 6), [(0, 5), (1, 3)], None)
    assert Fading("overlap", False, cut).left(np.array([0]), 1).tolist() == [2 / 5]


@pytest.mark.parametrize("aggregate", ["mean", "last"])
def test_observed__one_row_for_each_object(rng, aggregate):
    samples, who, times = rng.normal(size=(30, 2)), rng.integers(0, 7, 30), rng.integers(0, 5, 30)
    for w in windows(Times(times), 2, 1):
        rows, objects = observed(samples, who, w, aggregate)
        assert objects.tolist() == sorted(set(who[w.rows].tolist()))
        for row, i in zip(rows, objects.tolist(), strict=True):
            mine = [r for r in w.rows.tolist() if who[r] == i]
            assert mine == sorted(mine, key=lambda r: (times[r], r))
            expected = samples[mine].mean(axis=0) if aggregate == "mean" else samples[mine[-1]]
            assert np.allclose(row, expected)


DAYS = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[D]")


@pytest.mark.parametrize(
    ("times", "window", "step"),
    [
        (DAYS, "36h", None),
        (DAYS, "36h", "12h"),
        (np.array(["2020-01", "2020-02", "2020-03", "2021-01"], "M8[M]"), "30D", None),
        (np.array(["2020", "2021", "2023"], "M8[Y]"), "365D", "100D"),
        (np.array(["2020-01-01", "2020-01-05"], "M8[ns]"), np.timedelta64(1, "D"), None),
        ([-(2**62), 0, 2**62 - 1], 10**18, None),
        (np.array([1, 2**60 + 5], np.uint64), 2**59, None),
        ([1, 5], 2**62, None),
        ([1, 5], 1e30, None),
        ([-1e300, 1e300], 1e299, None),
        ([i / 10 for i in range(30)], 0.1, None),
        ([i / 10 for i in range(30)], 0.3, 0.1),
        ([0, 1, 2, 3, 4, 5], 2.5, 0.5),
        (DAYS, datetime.timedelta(days=50_000), None),
    ],
)
def test_windows__hold_every_time_from_their_start_up_to_their_end(times, window, step):
    checked = check_times(times, len(times))
    found = windows(checked, window, step)
    assert set(np.concatenate([w.rows for w in found]).tolist()) == set(range(len(times)))
    place = [checked.place(checked.shown(x)) for x in checked.values]
    for w in found:
        low, high = checked.place(w.start), checked.place(w.end)
        assert w.rows.tolist() == [i for i, x in enumerate(place) if low <= x < high]
    assert len({checked.place(w.start) for w in found}) == len(found)
    assert snapshots_at([w.start for w in found], found, checked) == list(range(len(found)))


@pytest.mark.parametrize("last", ["2020-01-02", "2020-01-03"])
def test_windows__of_days_are_not_cut_to_whole_days(last):
    found = windows(check_times(np.array(["2020-01-01", last], "M8[D]"), 2), "36h", None)
    assert [w.rows.tolist() for w in found] == ([[0, 1]] if last == "2020-01-02" else [[0], [1]])
    assert found[0].end == np.datetime64("2020-01-02T12")


@pytest.mark.parametrize(
    ("times", "window", "words"),
    [
        ([1e16, 1e16 + 2], 1, "is too fine beside times"),
        ([-1e300, 1e300], 1, "is too fine beside times"),
        ([2**60, 2**60 + 1], 0.5, "is too fine beside times"),
        ([1, 2], True, "must be a number"),
        ([1, 2], "1", "must be a number"),
        ([1, 2], [1], "window 0 is 1: expected .start, end"),
        (DAYS[:2], pd.NaT, "length of time"),
        (DAYS[:2], "1Y", r"to_period\('M'\) \(or 'Y'\)"),
        (DAYS[:2], np.timedelta64(1, "M"), "calendar months or years"),
        (["2020-01-01", "2020-01-02"], "30D", "pd.to_datetime.*parse_dates"),
        (np.array([10**17, 0], "M8[Y]"), "30D", r"datetime64\[ns\].*1677-09-22 to 2262-04-11.*plain numbers"),
        (np.array(["1600-01-01"], "M8[s]"), None, r"row 0 is 1600-01-01.*datetime64\[ns\]"),
        ([datetime.date(2020, 1, 1), datetime.date(3020, 1, 1)], None, r"row 1 is 3020-01-01.*datetime64\[ns\]"),
        (np.array([1], "M8[as]"), None, "not be finer than nanoseconds"),
        ([10**30, 1], None, "row 0 is 1000000000000000000000000000000, which does not fit a whole number of 64 bits"),
        (np.array([1, 2**63 + 5], np.uint64), None, "row 1 is .* 64 bits"),
        ([-1e308, 1e308], 1e308, "leave the range of float64"),
        ([1.0, 2.0], 10**400, "leave the range of float64"),
        ([2**63 - 9, 2**63 - 2], 20, "the last time that int64 can hold"),
        (DAYS, datetime.timedelta(days=99_999), "2262-04-11"),
        (DAYS, datetime.timedelta(days=999_999), "at most 292 years"),
        (DAYS, np.timedelta64(1, "ps"), "whole nanoseconds"),
        (np.arange(100_001), None, "each of which would be a snapshot"),
        ([[1, 2], [3, 4]], None, r"shape \(2, 2\).*one column"),
        ([[1], [2, 3]], None, "all of one kind; got list"),
        ([1, pd.NA], None, "row 1 is missing"),
        (pd.Series([1, None], dtype="Int64"), None, "row 1 is missing"),
        (pd.Categorical(["a", None], ["a"], ordered=True), None, "row 1 is missing"),
        ([10**400, 0.5], None, "all of one kind"),
        (
            [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)],
            None,
            "some times have a time zone",
        ),
    ],
)
def test_windows__say_what_is_wrong_with_the_odd_ones(times, window, words):
    with pytest.raises(InvalidTimesError, match=words):
        windows(check_times(times, len(times)), window, None)


def test_checked_times__categories_in_their_order_and_periods_as_their_start():
    given = ["late", "early", "mid", "early"]
    times = pd.Categorical(given, ["early", "mid", "late"], ordered=True)
    for some in (times, pd.Series(times)):
        checked = check_times(some, 4)
        found = windows(checked, None, None)
        assert [(w.start, w.rows.tolist()) for w in found] == [("early", [1, 3]), ("mid", [2]), ("late", [0])]
        assert snapshots_at(["late", "early"], found, checked) == [2, 0]
        with pytest.raises(InvalidTimesError, match="ordered categories"):
            windows(checked, 2, None)
    months = pd.period_range("2020-05", periods=2, freq="M")
    for some in (months, pd.Series(months), list(months)):
        assert check_times(some, 2).values.astype("M8[D]").astype(str).tolist() == ["2020-05-01", "2020-06-01"]
    aware = [pd.Timestamp("2020-05-01", tz="Europe/Vienna")] * 2
    assert str(check_times(aware, 2).values[0])[:16] == "2020-04-30T22:00"


@pytest.mark.parametrize(
    ("times", "good", "bad"),
    [
        (["2002", "2003"], "2002", ["2002-05", 2002, None, "20"]),
        ([1, 2], 1.0, [1.9, -0.5, 2**70, "1", True, np.nan, pd.NA, 1e400]),
        ([0, 1], np.int64(0), [-0.5]),
        (np.array(["2002", "2003"], "M8[Y]"), "2002-01-01", ["2002-05", 2002, 0, "may", "NaT", "2002-01-01T00:00Z"]),
        (np.array(["2002-01-01", "2003-01-01"], "M8[D]"), datetime.date(2002, 1, 1), [datetime.date(2002, 1, 2)]),
    ],
)
def test_snapshots_at__compare_and_do_not_cut(times, good, bad):
    checked = check_times(times, 2)
    found = windows(checked, None, None)
    assert snapshots_at([good], found, checked) == [0]
    for key in bad:
        with pytest.raises(InvalidTimesError, match="in no snapshot"):
            snapshots_at([key], found, checked)


def test_snapshots_at__that_which_starts_then_else_the_first_that_holds_it():
    checked = check_times([0, 1, 2, 3, 4, 5], 6)
    found = windows(checked, 3, 1)
    assert snapshots_at([0, 1, 2, 2.5, 3, 5.5], found, checked) == [0, 1, 2, 0, 3, 3]
    with pytest.raises(InvalidTimesError, match="from 0 to 6"):
        snapshots_at([6], found, checked)


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
    assert [float(s.pairs.must_weights[0]) for s in model.snapshots_] == [0.25, 0.5, 1.0, 0.5, 0.25]
    with pytest.raises(InvalidTimesError, match="in no snapshot"):
        fit(table[["x", "y"]], pairs={99: ([(a, b)], [])}, **given)
    with pytest.raises(InvalidTimesError, match="'may', which is in no snapshot"):
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
        ([np.zeros((2, 1))], [["a"]], "one object for each row"),
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


def test_temporal__columns_and_objects_that_cannot_be():
    fit = TemporalClustering(1).fit
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    for column in (days, list(days.date), pd.period_range("2020-01", periods=2, freq="M")):
        table = pd.DataFrame({"x": [1.0, 2.0], "date": column, "who": [1, 1]})
        with pytest.raises(ValueError, match=r"column 'date' of X holds dates .*times='date'"):
            fit(table)
        with pytest.raises(ValueError, match=r"column 'date' of X holds dates .*leave it out"):
            fit(table, times=[1, 2], objects="who")
    with pytest.raises(ValueError, match="no feature is left"):
        fit(pd.DataFrame({"t": [1, 2]}), times="t")
    with pytest.raises(ValueError, match="both name the column 't'"):
        fit(pd.DataFrame({"t": [1, 2], "x": [1, 2]}), times="t", objects="t")
    for objects, words in (
        ([1, pd.NA], "object of row 1 is missing"),
        ([[1], [2]], "row 0 is a list"),
        (np.ones((2, 2)), "one-dimensional"),
        (pd.DataFrame({"who": [1, 2]}), "one column"),
    ):
        with pytest.raises(ValueError, match=words):
            fit([[0.0], [1.0]], times=[1, 2], objects=objects)


def test_temporal__labels_every_row_of_days_in_windows_of_hours(rng):
    days = np.array(["2020-01-01"], "M8[D]") + rng.permutation(np.repeat(np.arange(30), 4))
    X, who = rng.normal(size=(120, 2)), np.tile(np.arange(4), 30)
    for unit in ("D", "s", "ns"):
        model = TemporalClustering(2, window="36h", step="12h", n_init=1, random_state=0)
        model.fit(X, times=days.astype(f"M8[{unit}]"), objects=who)
        for row, when in enumerate(days):
            last = [s for s in model.snapshots_ if s.start <= when < s.end][-1]
            assert model.labels_[row] == last.labels[last.leaves.index(who[row])]


def test_temporal__warns_where_every_row_is_an_object_of_its_own():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0]})
    for given in (X, X.to_numpy(), X.set_axis(list("abc"))):
        with pytest.warns(UserWarning, match="every row of X is a different object"):
            TemporalClustering(1).fit(given, times=[1, 2, 2])
    TemporalClustering(1).fit(X, times=[1, 1, 1])
    TemporalClustering(1).fit(X, times=[1, 2, 2], objects=[1, 2, 3])
    TemporalClustering(1).fit(X.set_axis(list("aab")), times=[1, 2, 2])


def test_temporal__each_snapshot_looks_at_the_pairs_of_its_objects_only(monkeypatch):
    looked = 0
    among = KnownPairs.among

    def counted(self, objects):
        nonlocal looked
        looked += int((np.isin(self.rows[:, 0], objects)).sum())
        return among(self, objects)

    monkeypatch.setattr(KnownPairs, "among", counted)
    T = 40
    pairs = ([(2 * t, 2 * t + 1) for t in range(T)], [])
    X, times, who = np.tile([[0.0], [1.0]], (T, 1)), np.repeat(np.arange(T), 2), np.arange(2 * T)
    model = TemporalClustering(2, n_init=1, random_state=0).fit(X, times=times, objects=who, pairs=pairs)
    assert [list(s.pairs) for s in model.snapshots_] == [[(2 * t, 2 * t + 1, "must")] for t in range(T)]
    assert looked == 2 * T  # once to find where they are together, once to use them


# ------------------------------------------------------------------ the picture


def test_plot_transitions__heights_and_names(rng):
    table = drifting(rng, n=60)
    model = TemporalClustering(3, random_state=0).fit(table[["x", "y"]], times=table.t, objects=table.who)
    ax = plot_transitions(model, names=["red", "green", "blue"])
    boxes = {c.get_gid(): [p.vertices for p in c.get_paths()] for c in ax.collections}
    for i in range(3):
        sizes = [n for n in (int((s.labels == i).sum()) for s in model.snapshots_) if n]
        assert [round(np.ptp(v[:, 1])) for v in boxes[f"cluster {i}"]] == sizes
        assert len(boxes[f"from {i}"]) == sum(int((c[i, :3] > 0).sum()) for c in model.transitions_)
        # a band is as thick where it leaves as objects go, and so are the ends of those that come or leave
        gone = [n for c in model.transitions_ for n in c[i, :3].tolist() if n]
        assert [round(_thick(v)) for v in boxes[f"from {i}"]] == gone
        ends = [n for c in model.transitions_ for n in (int(c[i, 3]), int(c[3, i])) if n]
        assert sorted({round(np.ptp(v[:, 1])) for v in boxes[f"ends {i}"]}) == sorted(set(ends))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1", "2", "3", "4"]
    assert {t.get_text() for t in ax.texts} == {"red", "green", "blue"}
    with pytest.raises(ValueError, match="one name for each of the 3 clusters; got 1"):
        plot_transitions(model, names=["x"])


def test_plot_transitions__bands_and_ends_fill_the_bars_on_both_sides(rng):
    table = drifting(rng, n=300, T=3, k=4, stay=0.7)
    label = rng.integers(0, 4, len(table))  # so that all go everywhere
    table[["x", "y"]] = 9.0 * np.stack([label % 2, label // 2], 1) + rng.random((len(table), 2))
    model = TemporalClustering(4, random_state=0).fit(table[["x", "y"]], times=table.t, objects=table.who)
    assert min(c.ravel()[:-1].min() for c in model.transitions_) > 0
    bars, pieces = {}, {}
    for c in (c for c in plot_transitions(model).collections if c.get_gid() != "leaders"):
        for points in (path.vertices for path in c.get_paths()):
            kind = c.get_gid().split()[0]
            low, high = points[:, 0].min(), points[:, 0].max()
            for x, inner in ((low, kind == "cluster"), (high, kind == "cluster")):
                ys = points[np.isclose(points[:, 0], x), 1]
                side = (round(float(x), 6), round(float(ys.min()), 6), round(float(ys.max()), 6))
                (bars if inner else pieces).setdefault(side[0], []).append(side[1:])
    for t in range(3):
        for x, there in ((t - 0.08, t > 0), (t + 0.08, t < 2)):
            spans = sorted(set(pieces.get(round(x, 6), [])))
            assert bool(spans) == there
            for low, high in bars[round(x, 6)] if there else ():
                mine = [(a, b) for a, b in spans if low - 1e-5 <= a and b <= high + 1e-5]
                assert len(mine) == 5  # four clusters, and those that come or leave
                assert np.allclose([a for a, _ in mine[1:]], [b for _, b in mine[:-1]], atol=1e-5)
                assert np.allclose([mine[0][0], mine[-1][1]], [low, high], atol=1e-5)


def _thick(outline):
    """How thick a band is at its left end: the first point is below, and of those above it the one at the same x."""
    x, y = outline[0]
    return max(v - y for u, v in outline.tolist() if u == x)


def test_plot_transitions__names_each_cluster_beside_the_columns_without_overlap(rng):
    n, k = 300, 40
    label = np.minimum(rng.geometric(0.2, n), k) - 1  # most are tiny
    label[:k] = np.arange(k)
    X = np.stack([10.0 * label, np.zeros(n)], 1)
    model = TemporalClustering(k, n_init=1, random_state=0).fit(
        np.tile(X, (2, 1)), times=np.repeat([1, 2], n), objects=np.tile(np.arange(n), 2)
    )
    ax = plot_transitions(model)
    ax.figure.canvas.draw()
    for side in (-1, 1):
        here = [t for t in ax.texts if np.sign(t.get_position()[0] - 0.5) == side]
        there = model.snapshots_[0 if side < 0 else -1]
        assert sorted(int(t.get_text()) for t in here) == sorted(set(there.labels.tolist()))
        spans = sorted((b.y0, b.y1) for b in (t.get_window_extent() for t in here))
        assert all(low[1] <= high[0] + 1 for low, high in zip(spans[:-1], spans[1:], strict=True))
    assert ax.figure.get_figheight() > 4.5
    assert len(ax.collections) <= 4 * k  # not one for each band


@pytest.mark.parametrize("what", [TemporalClustering(2), TemporalClustering, [1, 2], None])
def test_plot_transitions__wants_a_fitted_model(what):
    with pytest.raises(TypeError, match="expected a fitted TemporalClustering, got"):
        plot_transitions(what)


@pytest.mark.parametrize(
    ("when", "text"),
    [
        (np.datetime64("2020-05", "M"), "2020-05"),
        (np.datetime64("2020-05-01T00:00:00.000", "ms"), "2020-05-01"),
        (np.datetime64("2020-05-01T12", "h"), "2020-05-01 12:00:00"),
        (np.datetime64("2020-05-01T12:30:01.250", "ns"), "2020-05-01 12:30:01.25"),
        (1.5, "1.5"),
        (1700000000.5, "1700000000.5"),
        (7, "7"),
    ],
)
def test_time_text__is_short_and_tells_times_apart(when, text):
    assert time_text(when) == text


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


def _asked(table, truth, *, data=None, **how):
    model = TemporalClustering(3, n_init=1, random_state=0, **how)
    given = {"times": table.t, "objects": table.who} | (data or {})
    return model.fit(table[["x", "y"]], oracle=lambda a, b, t: truth[a] == truth[b], **given)


def test_temporal__answers_of_overlapping_windows_go_back_where_they_came_from(rng):
    table = drifting(rng, n=30, T=6)
    truth = table.groupby("who").truth.first().to_dict()
    days = np.array(["2020-01-01"], "M8[D]") + table.t.to_numpy()
    for window, step, times in ((3, 1, table.t), ("84h", "36h", days)):
        model = _asked(table, truth, data={"times": times}, window=window, step=step, n_queries=4, fading=0.5)
        again = TemporalClustering(3, window=window, step=step, n_init=1, random_state=0)
        again.fit(table[["x", "y"]], times=times, objects=table.who, pairs=model.answers_)
        assert len(model.snapshots_) > 2
        assert list(model.answers_) == [s.start for s in model.snapshots_]
        for a, b in zip(again.snapshots_, model.snapshots_, strict=True):
            assert a.pairs == b.pairs


@pytest.mark.parametrize("strategy", ["random", "explore"])
def test_temporal__questions_depend_on_random_state(rng, strategy):
    table = drifting(rng, n=40, T=2)
    truth = table.groupby("who").truth.first().to_dict()
    first, second = (_asked(table, truth, n_queries=6, strategy=strategy).queries_ for _ in range(2))
    assert first == second
    assert len(first) == 12


def test_temporal__a_failed_fit_keeps_earlier_answers_and_a_fit_without_oracle_has_none(rng):
    table = drifting(rng, n=30, T=2)
    truth = table.groupby("who").truth.first().to_dict()
    model = _asked(table, truth, n_queries=3)
    queries, answers = model.queries_, model.answers_
    for times in ([None] * len(table), table.t):
        with pytest.raises((InvalidTimesError, UnknownLeafError)):
            model.fit(
                table[["x", "y"]], times=times, objects=table.who, oracle=lambda a, b, t: True, pairs=([("?", "!")], [])
            )
        assert (model.queries_, model.answers_) == (queries, answers)
    with pytest.warns(UserWarning, match="without an oracle.*n_queries=3"):
        model.fit(table[["x", "y"]], times=table.t, objects=table.who)
    assert (model.queries_, model.answers_) == ([], {})
    with pytest.warns(UserWarning, match="the oracle is not used as n_queries=0"):
        model.set_params(n_queries=0).fit(
            table[["x", "y"]], times=table.t, objects=table.who, oracle=lambda a, b, t: 1 / 0
        )
    assert (model.queries_, model.answers_) == ([], {})


def test_temporal__an_oracle_of_two_arguments_is_told_about():
    with pytest.raises(TypeError, match=r"expected oracle\(a, b, time\).*this one takes \(a, b\)"):
        TemporalClustering(1, n_queries=1).fit([[0.0], [1.0]], oracle=lambda a, b: True)


def test_memory__is_the_same_as_one_table(rng):
    def some(t):
        rows = np.array([np.sort(rng.permutation(9)[:2]) for _ in range(rng.integers(0, 7))], np.int64).reshape(-1, 2)
        p = len(rows)
        kinds = rng.random(p) < 0.5, rng.random(p), np.full(p, t), rng.random(p) < 0.3
        return KnownPairs.sorted([KnownPairs(rows, *kinds)])

    for _ in range(20):
        every = [some(t) for t in range(12)]
        memory = Memory(every[0])
        for more in every[1:]:
            memory.add(more)
        sizes = [len(x) for x in memory.tables]
        assert all(a > 2 * b for a, b in zip(sizes[:-1], sizes[1:], strict=True))
        objects = np.flatnonzero(rng.random(9) < 0.6)
        if not objects.size:
            continue
        found, one = memory.among(objects), KnownPairs.sorted(every)
        want = np.flatnonzero(np.isin(one.rows, objects).all(axis=1))
        for name in ("rows", "must", "weights", "since"):
            assert np.array_equal(getattr(found, name), getattr(one, name)[want])


@pytest.mark.parametrize(("mass", "m"), [("size", 4), (1, 1), (2.5, 2.5)])
def test_temporal__former_centres_count_as_so_many_samples(mass, m):
    # Eq. 9 for one cluster without pairs: ((1 - alpha) sum x + alpha m p) / ((1 - alpha) n + alpha m)
    X, times = [[0.0], [1.0], [2.0], [5.0], [10.0], [14.0]], [1, 1, 1, 1, 2, 2]
    model = TemporalClustering(1, alpha=0.4, history_mass=mass).fit(X, times=times, objects=[0, 1, 2, 3, 0, 1])
    wanted = (0.6 * 24 + 0.4 * m * 2) / (0.6 * 2 + 0.4 * m)
    assert model.snapshots_[1].centers.item() == pytest.approx(wanted)
    assert model.snapshots_[1].historical_cost == pytest.approx(m * (wanted - 2) ** 2)


def test_temporal__inherited_pairs_go_back_too_if_they_are_propagated_and_pairs_count_backward():
    X, who = [[0.0], [0.1], [5.0], [5.1]] * 2, list("abcd") * 2
    known = {2: ([], [("a", "c")])}
    options = {"fading": 1.0, "backward": True, "n_neighbors": 2, "n_init": 1, "random_state": 0}
    for handed_on in (False, True):
        model = TemporalClustering(2, propagate_inherited=handed_on, **options)
        model.fit(X, times=[1] * 4 + [2] * 4, objects=who, pairs=known)
        first, second = (len(shot.pairs) for shot in model.snapshots_)
        assert second > 1
        assert first == (second if handed_on else 1)
