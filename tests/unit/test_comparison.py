"""`compare_methods`: scores by their definition, resumed files, limits, and pictures that show the numbers."""

import json
import math
import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import tripletree as tt
from tripletree.cluster import CVQE, COPKMeans, DivisiveReCon
from tripletree.errors import ParseError
from tripletree.evaluation import MethodComparison, comparison


@pytest.fixture(scope="module")
def sets():
    found = {}
    for name, load in (("iris", load_iris), ("wine", load_wine)):
        X, y = load(return_X_y=True)
        some = np.random.default_rng(0).permutation(len(X))[:60]
        found[name] = scale(X)[some], y[some]
    return found


METHODS = {"k-means": KMeans(n_init=2), "COP-KMeans": COPKMeans(), "CVQE": CVQE()}


def compared(sets, **more):
    return tt.compare_methods(METHODS, sets, **{"amount": 40, "n_draws": 3, "baseline": "k-means", **more})


def strip(found):
    return [{k: v for k, v in run.items() if k != "seconds"} for run in found.runs]


def test_compare_methods__scores_are_those_of_fits_by_hand(sets):
    found = compared(sets)
    assert len(found.runs) == 2 * 3 * 3
    for data, (X, y) in sets.items():
        scores = {"k-means": [], "COP-KMeans": [], "CVQE": []}
        for seed in range(3):
            pairs = tt.sample_class_pairs(y, 40, random_state=seed)
            for name, model in (
                ("k-means", KMeans(3, n_init=2, random_state=seed).fit(X)),
                ("COP-KMeans", COPKMeans(3, random_state=seed).fit(X, pairs=pairs)),
                ("CVQE", CVQE(3, random_state=seed).fit(X, pairs=pairs)),
            ):
                scores[name].append(tt.pairwise_f_score(y, model.labels_))
        means = {name: sum(x) / 3 for name, x in scores.items()}
        for row in (x for x in found.table() if x["data"] == data):
            mine = scores[row["method"]]
            assert row["F"] == pytest.approx(means[row["method"]])
            spread = math.fsum((x - row["F"]) ** 2 for x in mine)
            assert row["F_error"] == pytest.approx(math.sqrt(spread / 2 / 3))
            assert row["F_deviation"] == pytest.approx(math.sqrt(spread / 3))
            assert row["rank"] == 1 + sum(x > row["F"] for x in means.values())
            gains = [a - b for a, b in zip(mine, scores["k-means"], strict=True)]
            assert row["gain"] == pytest.approx(sum(gains) / 3)
            assert row["gain_error"] == pytest.approx(np.std(gains, ddof=1) / math.sqrt(3))
            assert row["failed"] == 0
            assert row["reason"] is None


@pytest.mark.parametrize("more", [{"n_jobs": 2}, {"time_limit": 300}])
def test_compare_methods__processes_give_the_same(sets, more):
    sets = {"iris": sets["iris"]}
    assert strip(compared(sets, **more)) == strip(compared(sets))


@pytest.mark.parametrize("knowledge", ["triplets", "classes", None])
def test_compare_methods__other_knowledge(sets, knowledge):
    X, y = sets["iris"]
    found = tt.compare_methods(
        {"divisive": DivisiveReCon()}, {"iris": (X, y)}, knowledge=knowledge, amount=30, n_draws=1
    )
    known = [None] * 60
    for i in np.random.default_rng(0).permutation(60)[:30].tolist():
        known[i] = int(y[i])
    given = {
        "triplets": {"triplets": tt.sample_class_triplets(y, 30, random_state=0)},
        "classes": {"classes": known},
        None: {},
    }[knowledge]
    model = DivisiveReCon(3, random_state=0).fit(X, **given)
    (row,) = found.table()
    assert row["F"] == pytest.approx(tt.pairwise_f_score(y, model.labels_))
    assert row["F_error"] is None
    assert found.ranks()[0]["rank_error"] is None


def test_compare_methods__functions_scores_and_failures(sets):
    seen = []

    def answer(run):
        seen.append(run)
        if run.seed == 6:
            raise RuntimeError("not today\nor tomorrow")
        return run.y

    scores = {
        "wrong": lambda run, labels: float((labels != run.y).sum()),
        "pairs": lambda run, _: len(run.knowledge["pairs"]),
    }
    methods = {"right": answer, "all one": lambda run: 0 * run.y, "broken": lambda run: 1 / 0}
    found = tt.compare_methods(methods, sets, scores=scores, maximize=False, random_state=5, n_draws=2, amount=20)
    assert [(x.seed, x.n_clusters) for x in seen] == [(5, 3), (6, 3)] * 2
    rows = {(x["data"], x["method"]): x for x in found.table()}
    assert rows["iris", "right"]["wrong"] == 0
    assert rows["iris", "right"]["pairs"] == 20
    assert (rows["iris", "right"]["failed"], rows["iris", "right"]["reason"]) == (1, "RuntimeError: not today")
    assert rows["iris", "broken"]["wrong"] is None
    assert rows["iris", "broken"]["reason"] == "ZeroDivisionError: division by zero"
    assert [rows["wine", x]["rank"] for x in methods] == [1, 2, 3]
    ranked = found.ranks()
    assert [x["method"] for x in ranked] == ["right", "all one", "broken"]
    assert [(x["best"], x["failed"]) for x in ranked] == [(2, 2), (0, 0), (0, 4)]
    assert ranked[2]["score"] is None
    assert "broken" in str(found)


def test_compare_methods__the_process_of_a_limit_ends_with_it(sets):
    psutil = pytest.importorskip("psutil")
    scores = {"process": lambda run, labels: os.getpid()}
    given = {"methods": {"right": lambda run: run.y}, "data_sets": {"iris": sets["iris"]}, "n_draws": 1}
    (row,) = tt.compare_methods(**given, scores=scores, time_limit=300).table()
    assert row["process"] != os.getpid()
    assert not psutil.pid_exists(int(row["process"]))


def test_compare_methods__what_takes_too_long_or_dies_has_failed(sets):
    def slow(run):
        time.sleep(60)

    def dead(run):
        import os

        os._exit(3)

    begin = time.monotonic()
    methods = {"slow": slow, "dead": dead, "good": lambda run: run.y}
    found = tt.compare_methods(methods, {"iris": sets["iris"]}, time_limit=4, n_draws=1)
    assert time.monotonic() - begin < 55
    reasons = {x["method"]: x["reason"] for x in found.table()}
    assert reasons == {"slow": "over 4 s", "dead": "its process has ended (out of memory?)", "good": None}


# ---------------------------------------------------------------------- files


def test_compare_methods__goes_on_where_it_was(sets, tmp_path):
    path = tmp_path / "runs.jsonl"
    count = []

    def counted(run):
        count.append(run.seed)
        return run.y

    def run(n_draws, **more):
        return tt.compare_methods({"counted": counted, **more}, sets, n_draws=n_draws, amount=20, path=path)

    first = run(2)
    assert len(count) == 4
    assert run(2).runs == first.runs
    assert len(count) == 4
    assert len(run(3, other=KMeans(n_init=1)).runs) == 12
    assert len(count) == 6
    # killed while it wrote: the last run is lost, and done again
    path.write_bytes(path.read_bytes()[:-10])
    again = run(3, other=KMeans(n_init=1))
    assert len(again.runs) == 12
    assert all(json.loads(x) for x in path.read_text().splitlines())
    # other data, other parameters and other knowledge are other runs
    lines = len(path.read_text().splitlines())
    run(3, other=KMeans(n_init=2))
    assert len(path.read_text().splitlines()) == lines + 6
    X, y = sets["iris"]
    tt.compare_methods({"counted": counted}, {"iris": (X + 1, y)}, n_draws=1, amount=20, path=path)
    tt.compare_methods({"counted": counted}, {"iris": (X, y)}, n_draws=1, amount=21, path=path)
    assert len(count) == 8


def test_compare_methods__an_interrupt_keeps_what_was_done(sets, tmp_path):
    path = tmp_path / "runs.jsonl"

    def stops(run):
        if run.seed == 1:
            raise KeyboardInterrupt
        return run.y

    with pytest.raises(KeyboardInterrupt):
        tt.compare_methods({"a": stops}, sets, n_draws=2, path=path)
    assert [json.loads(x)["draw"] for x in path.read_text().splitlines()] == [0]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "{}\n", "3\n"])
def test_compare_methods__another_file_is_refused_and_left(sets, tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(ParseError, match="no run of compare_methods"):
        compared(sets, path=path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"methods": {}}, ValueError, "at least one"),
        ({"methods": [KMeans()]}, TypeError, "must be a mapping"),
        ({"methods": {"a": KMeans}}, TypeError, "must be an estimator such as"),
        ({"methods": {"a": 3}}, TypeError, "must be an estimator such as"),
        ({"data_sets": {}}, ValueError, "data_sets is empty"),
        ({"data_sets": {"x": ([[0.0], [1.0]], [1, 1])}}, ValueError, "has 1 class, and 0 of its 2 samples have"),
        ({"data_sets": {"x": [[0.0], [1.0], [2.0]]}}, TypeError, r"data set 'x' must be \(X, y\), .*, not list"),
        ({"data_sets": [("x", [[0.0], [1.0]])]}, TypeError, r"data_sets\[0\] must be \(name, X, y\)"),
        ({"data_sets": None}, TypeError, "must be a mapping .* not NoneType"),
        ({"knowledge": "wisdom"}, ValueError, "knowledge must be one of 'pairs', 'triplets', 'classes', not 'wisdom'"),
        ({"knowledge": 3}, TypeError, r"None, a Knowledge, or f\(y, seed\), not int"),
        ({"data_sets": {"x": ([[0.0], [1.0]], [1, 2, 3])}}, ValueError, "'x' has 2 samples, but y has 3"),
        ({"data_sets": {"x": ([[0.0], [1.0], [2.0]], [1, None, 2])}}, ValueError, "each sample needs a class"),
        ({"data_sets": [("x", [[0.0], [1.0]], [1, 2])] * 2}, ValueError, "two data sets are called 'x'"),
        ({"data_sets": {"x": ([[0.0], [1.0]], [1, 2])}}, ValueError, "data set 'x': "),
        ({"baseline": "none"}, ValueError, "is none of the methods"),
        ({"amount": 0}, ValueError, "amount"),
        ({"n_draws": 0}, ValueError, "n_draws"),
        ({"random_state": None}, TypeError, "random_state"),
        ({"scores": {}}, ValueError, "at least one"),
        ({"scores": {"data": len}}, ValueError, "names of their own"),
        ({"knowledge": lambda y, seed: y}, TypeError, "must return arguments of fit"),
    ],
)
def test_compare_methods__what_is_refused(sets, given, error, message):
    with pytest.raises(error, match=message):
        tt.compare_methods(**{"methods": METHODS, "data_sets": sets, "amount": 20, **given})


def test_compare_methods__what_failed_is_printed(sets):
    found = tt.compare_methods({"k-means": KMeans(3), "odd": _fails}, dict([*sets.items()][:1]), amount=20, n_draws=1)
    name = next(iter(sets))
    assert str(found).splitlines()[0] == "2 methods, 1 data set, 1 draw each"
    assert str(found).splitlines()[-1] == f"odd failed in 1 draw on {name}: RuntimeError: no luck"


def _fails(run):
    raise RuntimeError("no luck")


# ---------------------------------------------------------------------- ranks


@given(st.lists(st.lists(st.none() | st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_law__ranks_are_means_of_ranks_and_failures_are_last(scores):
    methods = ("a", "b", "c")
    runs = [
        {"data": str(d), "method": m, "draw": 0, "s": None if x is None else float(x), "seconds": 0.1}
        | {"failure": "no" if x is None else None}
        for d, row in enumerate(scores)
        for m, x in zip(methods, row, strict=True)
    ]
    found = MethodComparison(tuple(runs), ("s",), tuple(map(str, range(len(scores)))), methods, None, True)
    expected = {}
    for k, m in enumerate(methods):
        ranks = []
        for row in scores:
            values = [-1 if x is None else x for x in row]
            better, same = sum(x > values[k] for x in values), sum(x == values[k] for x in values)
            ranks.append(better + (same + 1) / 2)
        expected[m] = sum(ranks) / len(ranks)
    assert {x["method"]: x["rank"] for x in found.ranks()} == pytest.approx(expected)
    assert [x["rank"] for x in found.ranks()] == sorted(expected.values())


def test_ranks__critical_difference_is_the_published_one(sets):
    """Demšar (2006), table 5: q is 2.343 for three classifiers and 3.164 for ten at .05."""
    for k, q in ((2, 1.960), (3, 2.343), (4, 2.569), (10, 3.164)):
        found = MethodComparison((), ("s",), tuple(map(str, range(14))), tuple(map(str, range(k))), None, True)
        assert found.critical_difference() == pytest.approx(q * math.sqrt(k * (k + 1) / (6 * 14)), rel=4e-4)
    with pytest.raises(ValueError, match="alpha between 0 and 1"):
        found.critical_difference(2)


def test_compare_methods__a_frame(sets):
    pytest.importorskip("pandas")
    frame = compared({"iris": sets["iris"]}, n_draws=1).to_frame()
    assert frame["method"].tolist() == list(METHODS)
    assert {"F", "F_error", "rank", "failed", "reason", "seconds", "gain"} <= set(frame.columns)


# ---------------------------------------------------------------------- pictures


def test_plot_methods__shows_the_means_and_errors(sets):
    pytest.importorskip("matplotlib")
    from tripletree.plots import plot_methods

    found = compared({**sets}, n_draws=2)
    figure = plot_methods(found, title="Both")
    assert [x.get_title() for x in figure.axes] == ["iris", "wine"]
    order = [x.get_text() for x in figure.axes[0].get_yticklabels()]
    rows = {(x["data"], x["method"]): x for x in found.table()}
    for axis in figure.axes:
        for container, method in zip(axis.containers, order, strict=True):
            row = rows[axis.get_title(), method]
            (x,), (y,) = container[0].get_data()
            assert (x, order[y]) == (row["F"], method)
            (line,) = container[2]
            assert line.get_segments()[0][:, 0] == pytest.approx([x - 2 * row["F_error"], x + 2 * row["F_error"]])
    with pytest.raises(ValueError, match="kind must be"):
        plot_methods(found, kind="bars")
    with pytest.raises(TypeError, match="expected the result of compare_methods"):
        plot_methods([1])


@given(st.lists(st.floats(1, 9), min_size=1, max_size=8), st.floats(0.1, 5))
def test_law__bars_join_exactly_what_does_not_differ(ranks, gap):
    from tripletree.plots.methods import alike_runs

    ranks = np.sort(np.array(ranks))
    runs = alike_runs(ranks, gap)
    joined = {(i, j) for first, last in runs for i in range(first, last + 1) for j in range(i + 1, last + 1)}
    n = len(ranks)
    assert joined == {(i, j) for i in range(n) for j in range(i + 1, n) if ranks[j] < ranks[i] + gap}
    assert not any(a <= c and d <= b for a, b in runs for c, d in runs if (a, b) != (c, d))


def test_plot_methods__ranks(sets):
    pytest.importorskip("matplotlib")
    from tripletree.plots import plot_methods

    found = compared(sets, n_draws=1)
    (axis,) = plot_methods(found, kind="ranks").axes
    x, _ = axis.containers[0][0].get_data()
    assert x.tolist() == [row["rank"] for row in found.ranks()]
    assert f"{found.critical_difference():.2f}" in axis.get_title(loc="left")


def test_one__reasons_are_short(sets):
    def fails(run):
        raise ValueError("x" * 1000)

    found = tt.compare_methods({"a": fails}, {"iris": sets["iris"]}, n_draws=1)
    assert len(found.table()[0]["reason"]) == comparison._LONGEST
