"""The runner of the papers' experiments: cells, seeds, resuming, claims, and a small run of each paper."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if not (BENCHMARKS / "papers").is_dir():
    pytest.skip("benchmarks/papers is not here", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from papers import engine, figures, report, results, sets  # noqa: E402
from papers.engine import PAPERS, Cell, Store, run_cells, seed_of, work  # noqa: E402
from papers.results import VERDICTS, Results, gain, needed, verdict  # noqa: E402

CELLS = [
    Cell("toy", "part", name, method, m, run) for run in range(3) for name in "ab" for method in "xy" for m in (1, 2)
]


def toy(cell, seed):
    """A worker whose value is its seed."""
    return {"cell": list(cell), "rows": [{"value": seed_of(seed, *cell)}], "failed": "", "fault": "", "took": 0.0}


def run_toy(path, *, cells=CELLS, seed=0, version="1", worker=toy, **options):
    store = Store(path, seed, version)
    faults = run_cells(cells, store, seed=seed, progress=False, worker=worker, **options)
    return store, faults


def rows_of(store):
    return {cell: record["rows"] for cell, record in store.records.items()}


# ------------------------------------------------------------------ seeds


def test_seed_of__is_the_same_everywhere_and_differs_by_each_part():
    assert seed_of(0, "recon", "iris", 15, 0) == 2413604554
    seeds = {seed_of(seed, *cell) for seed in (0, 1) for cell in CELLS}
    assert len(seeds) == 2 * len(CELLS)
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert seed_of(0, "a", "bc") != seed_of(0, "ab", "c")


def test_in_order__takes_whole_runs_one_after_another():
    order = engine.in_order(CELLS, 0)
    assert sorted(order) == sorted(CELLS)
    assert [cell.run for cell in order] == sorted(cell.run for cell in CELLS)
    assert order == engine.in_order(CELLS[::-1], 0)
    assert order != engine.in_order(CELLS, 1)


# ------------------------------------------------------------------ running and resuming


@pytest.mark.parametrize("options", [{}, {"n_jobs": 2}])
def test_run_cells__gives_the_same_whatever_the_order_and_the_jobs(tmp_path, options):
    from joblib import parallel_config

    with parallel_config(backend="threading"):
        store, faults = run_toy(tmp_path / "a.jsonl", cells=CELLS[::-1], **options)
    assert faults == []
    assert rows_of(store) == {cell: [{"value": seed_of(0, *cell)}] for cell in CELLS}
    assert rows_of(Store(tmp_path / "a.jsonl", 0, "1")) == rows_of(store)


def test_run_cells__goes_on_after_an_interrupt_and_does_nothing_twice(tmp_path):
    calls = []

    def interrupted(cell, seed):
        if len(calls) == 7:
            raise KeyboardInterrupt
        calls.append(cell)
        return toy(cell, seed)

    path = tmp_path / "a.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run_toy(path, worker=interrupted)
    assert len(Store(path, 0, "1").records) == len(calls) == 7

    def counted(cell, seed):
        calls.append(cell)
        return toy(cell, seed)

    store, _ = run_toy(path, worker=counted)
    assert sorted(calls) == sorted(CELLS)
    whole, _ = run_toy(tmp_path / "b.jsonl")
    assert rows_of(store) == rows_of(whole)


@pytest.mark.parametrize("cut", [1, 2, 20, 60])
def test_store__forgets_no_more_than_the_line_that_was_cut(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    run_toy(path)
    text = path.read_bytes()
    path.write_bytes(text[:-cut])
    left = Store(path, 0, "1").records
    assert len(left) == len(CELLS) - (cut > 1)  # only the end of the line is missing from a cut of 1
    store, _ = run_toy(path)
    assert len(store.records) == len(Store(path, 0, "1").records) == len(CELLS)


@pytest.mark.parametrize("other", [{"seed": 1}, {"version": "2"}])
def test_store__does_not_look_at_cells_of_another_seed_or_version(tmp_path, other):
    path = tmp_path / "a.jsonl"
    first, _ = run_toy(path)
    second, _ = run_toy(path, **other)
    again = Store(path, 0, "1")
    assert rows_of(again) == rows_of(first)
    assert again.others == len(CELLS)
    assert len(second.records) == len(CELLS)
    assert (rows_of(first) == rows_of(second)) == ("version" in other)


def test_run_cells__begins_no_cell_when_time_is_up(tmp_path):
    store, _ = run_toy(tmp_path / "a.jsonl", minutes=-1)
    assert store.records == {}
    store, _ = run_toy(tmp_path / "a.jsonl", minutes=10)
    assert len(store.records) == len(CELLS)


def test_run_cells__keeps_faults_and_tries_them_again(tmp_path):
    def faulty(cell, seed):
        return {**toy(cell, seed), **({"rows": [], "fault": "ZeroDivisionError: oh"} if cell.m == 1 else {})}

    store, faults = run_toy(tmp_path / "a.jsonl", worker=faulty)
    assert len(faults) == len(CELLS) // 2
    assert "ZeroDivisionError: oh" in faults[0]
    assert {cell.m for cell in store.records} == {2}
    store, faults = run_toy(tmp_path / "a.jsonl")
    assert faults == []
    assert len(store.records) == len(CELLS)


def test_work__tells_an_error_of_the_package_from_a_fault(monkeypatch):
    from tripletree.errors import TripletreeError

    class Module:
        @staticmethod
        def run(cell, seed):
            if cell.m == 1:
                raise TripletreeError("too few")
            return [{"value": 1 / (cell.m - 2)}]

    monkeypatch.setattr(engine, "paper_module", lambda name: Module)
    failed, fault, fine = (work(Cell("toy", "p", "a", "x", m, 0), 0) for m in (1, 2, 3))
    assert (failed["failed"], failed["fault"]) == ("TripletreeError: too few", "")
    assert "ZeroDivisionError" in fault["fault"]
    assert (fine["rows"], fine["failed"], fine["fault"]) == ([{"value": 1.0}], "", "")
    json.dumps([failed, fault, fine])


# ------------------------------------------------------------------ results and claims


def records(values):
    """{(set, method, m, run): value} as records."""
    cells = {Cell("toy", "p", *key): value for key, value in values.items()}
    return {
        cell: {"rows": [{"F": v}] if v is not None else [], "failed": "" if v is not None else "no"}
        for cell, v in cells.items()
    }


def test_results__are_means_over_runs_in_an_order_of_their_own():
    values = {("b", "x", 10, 1): 0.5, ("b", "x", 10, 0): 1.0, ("b", "x", 5, 0): 0.25, ("a", "x", 5, 0): None}
    for given in (values, dict(reversed(values.items()))):
        found = Results(records(given), ["b", "a"])
        assert found.of("p", "b", "x", 10, "F").tolist() == [1.0, 0.5]
        assert found.curve("p", "b", "x", "F") == ([5, 10], [0.25, 0.75])
        assert np.isnan(found.mean("p", "c", "x", 10, "F"))
        assert (found.sets("p"), found.runs("p"), found.n_failed(), found.n_failed("y")) == (["b"], (1, 2), 1, 0)


def test_results__rows_may_name_a_method_and_a_number_of_their_own(tmp_path):
    cell = Cell("toy", "p", "a", "both", 7, 0)
    found = Results({cell: {"rows": [{"method": "x", "F": 1.0}, {"m": 8, "F": 0.0}], "failed": ""}})
    assert found.mean("p", "a", "x", 7, "F") == 1
    assert found.mean("p", "a", "both", 8, "F") == 0
    found.write_csv(tmp_path / "deep" / "a.csv")
    lines = (tmp_path / "deep" / "a.csv").read_text().splitlines()
    assert lines[1:] == ["p,a,both,8,F,1,0,0,0,0", "p,a,x,7,F,1,1,0,1,1"]


def test_results__runs_that_were_cut_count_nowhere():
    values = {("a", method, m, run): 1.0 for method in "xy" for m in (5, 10) for run in range(4)}
    values |= {("a", "once", 0, 0): 1.0, ("b", "x", 5, 0): 1.0, ("b", "x", 10, 1): 1.0}
    del values["a", "y", 10, 2]
    found = Results(records(values))
    assert [found.of("p", *key, "F").size for key in [("a", "x", 5), ("a", "y", 10)]] == [3, 3]
    assert found.of("p", "a", "once", 0, "F").size == 1
    assert found.of("p", "b", "x", 10, "F").size == 1  # of another set
    assert len(results.whole_runs(records({("a", "x", 1, 1): 1.0, ("a", "x", 2, 2): 1.0}))) == 2


@pytest.mark.parametrize(
    ("right", "total", "said", "of_most"),
    [
        (0, 0, "not run", "not run"),
        (3, 3, "yes", "yes"),
        (2, 4, "partly", "partly"),
        (2, 3, "partly", "yes"),
        (1, 3, "no", "partly"),
        (4, 6, "partly", "yes"),
        (2, 6, "no", "partly"),
        (1, 6, "no", "no"),
        (0, 1, "no", "no"),
    ],
)
def test_verdict__goes_by_the_cases(right, total, said, of_most):
    assert verdict(right, total) == said
    assert verdict(right, total, most=True) == of_most


def test_gain__is_the_test_of_scipy_by_pairs(rng):
    from scipy.stats import ttest_rel

    a, b = rng.normal(0.03, 0.1, (2, 12))
    for mine, theirs in ((a, b), (b, a), (a + 0.2, b)):
        g = gain(mine, theirs)
        assert g.p == pytest.approx(ttest_rel(mine, theirs, alternative="greater").pvalue)
        assert g.less == pytest.approx(ttest_rel(mine, theirs, alternative="less").pvalue)
        assert (g.higher, g.lower) == (g.p < 0.05, g.less < 0.05)
    assert gain(a[:1], b[:1]) is gain(a, b[:5]) is None
    same, one = gain(a, a), gain(a + 1, a)
    assert (same.higher, same.lower, same.comparable, one.higher) == (False, False, True, True)
    assert not gain(a - 0.03 + 0.5 * np.arange(12) % 2, a).lower
    assert [gain(a + x, a).large for x in (-0.1, 0.04, 0.06)] == [False, False, True]
    assert not gain(a + 0.06 + 0.5 * (-1.0) ** np.arange(12), a).large  # not significant


def test_gain__is_of_the_runs_that_both_have():
    values = {("a", "x", 5, run): float(run) for run in (0, 1, 3)} | {("a", "y", 5, run): 1.0 for run in (1, 2, 3)}
    found = Results({})
    for (name, method, m, run), value in values.items():
        found.values["p", name, method, m]["F"][run] = value
    g = found.gain(("p", "a", "x", 5, "F"), ("p", "a", "y", 5, "F"))
    assert (g.mean, g.error) == (1.0, 1.0)
    assert found.gain(("p", "a", "x", 5, "F"), ("p", "b", "y", 5, "F")) is None


def test_needed__is_where_the_curve_first_reaches_the_target():
    sizes, means = [0, 10, 20, 40], [0.5, 0.6, 0.5, 0.9]
    assert needed(sizes, means, 0.5) == 0
    assert needed(sizes, means, 0.55) == pytest.approx(5)
    assert needed(sizes, means, 0.7) == pytest.approx(30)
    assert np.isnan(needed(sizes, means, 0.95))
    assert np.isnan(needed([], [], 0.5))


def written(claims, path, **how):
    report._write_claims(path, claims, {"a |": "data"}, **how)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_report__gives_reasons_only_where_a_claim_does_not_hold(tmp_path):
    claims = [results.Claim("a | b", "1", "2", "3", v, "because") for v in (*VERDICTS, "not run")]
    rows = written(claims, tmp_path / "a.csv")
    assert [row["reason"] for row in rows] == ["", "because", "because", "because", ""]
    assert [row["decided by"] for row in rows] == ["", "data", "data", "", ""]
    assert {row["reason"] for row in written(claims, tmp_path / "a.csv", reasons=False)} == {""}
    table = report._table(claims, {"a |": "data"})
    assert [line.split("|")[-2].strip() for line in table.splitlines()[-5:]] == ["", "data", "data", "", ""]
    assert table.count("a \\| b") == 5
    assert "because" not in table


def test_report__a_line_has_short_figures_and_the_file_all(tmp_path):
    long = results.Claim("text", "1", "all", "figures " * 9 + "; more", verdict(2, 3))
    short = long._replace(ours="0.1; more")
    assert report._table([long, short], {}).splitlines()[-2:] == [
        "| text | 1 | all |  | **partly**, 2 of 3 |  |",
        "| text | 1 | all | 0.1 | **partly**, 2 of 3 |  |",
    ]
    assert [row["here"] for row in written([long, short], tmp_path / "a.csv")] == [long.ours, short.ours]


@pytest.mark.parametrize(
    ("verdicts", "said", "cases"),
    [
        (("yes", "yes", "yes"), "yes", "3 of 3 readings, shown: yes"),
        (("no", "no", "no"), "no", "0 of 3 readings, shown: no"),
        (("yes", "partly", "no"), "partly", "1 of 3 readings, shown: no"),
        (("no", "partly", "not run"), "partly", "0 of 2 readings, shown: partly"),
        (("not run", "not run", "not run"), "not run", ""),
    ],
)
def test_recon__a_claim_holds_if_it_does_in_all_readings(verdicts, said, cases):
    from papers.recon import _judged

    each = list(zip("abc", verdicts, strict=True))
    claim = _judged([(name, results.Claim("text", "1", "all", name, v)) for name, v in each])
    assert (claim.verdict, getattr(claim.verdict, "cases", "")) == (said, cases)
    told = "; ".join(f"{n}: {v}" for n, v in each if v != "not run")
    assert claim.ours.endswith(f". By reading: {told}") == (len({*verdicts} - {"not run"}) > 1)


def test_scatters__draws_samples_with_their_links(tmp_path):
    from papers.complete_link import _draw_samples

    _draw_samples([], tmp_path / "none.png")
    _draw_samples(["xor"], tmp_path / "some.png")
    assert [path.name for path in tmp_path.iterdir()] == ["some.png"]


def test_curves__writes_a_picture_or_none(tmp_path):
    figures.curves(tmp_path / "none.png", [("empty", {"x": ([], [])})], "m", "F")
    figures.curves(tmp_path / "some.png", [("a", {"x": ([0, 1], [0, 1]), "y": ([0], [1])})], "m", "F")
    assert [path.name for path in tmp_path.iterdir()] == ["some.png"]
    assert (tmp_path / "some.png").read_bytes().startswith(b"\x89PNG")


# ------------------------------------------------------------------ sets


def test_sets__what_is_nowhere_is_named(monkeypatch):
    monkeypatch.setattr(sets, "_found", lambda *names: None)
    assert sets.find_missing(["iris", "wdbc", "xor", "crabs", "letters IJLT"], online=False) == [
        "crabs",
        "letters IJLT",
    ]
    assert sets.find_missing(["mushroom", "libras"], online=True) == ["mushroom", "libras"]


def test_one_hot__counts_each_difference_twice():
    X = np.array([[0, 2, 5], [1, 2, 5], [1, 3, 4]])
    H = sets.one_hot(X)
    for i in range(3):
        for j in range(3):
            assert ((H[i] - H[j]) ** 2).sum() == 2 * (X[i] != X[j]).sum()


@pytest.mark.shared
def test_sets__have_the_shapes_of_the_papers(shared, monkeypatch):
    monkeypatch.setattr(sys.modules["_data"], "FOLDERS", [str(shared / "uci")])
    sets.load_set.cache_clear()
    shapes = {"soybean": (562, 35, 15), "soybean-small": (47, 35, 4), "crabs": (200, 5, 2), "transfusion": (748, 4, 2)}
    shapes |= {"mushroom": (8124, 21, 2), "tic-tac-toe": (958, 9, 2), "parkinsons": (195, 22, 2)}
    shapes |= {"segmentation": (210, 19, 7), "seeds": (210, 7, 3)}
    for name, shape in shapes.items():
        X, y = sets.load_set(name)
        assert (*X.shape, len(set(y.tolist()))) == shape, name
        assert y.min() == 0
    for name, size in engine.paper_module("recon").SIZES.items():
        assert shape_of(name) == size, name
    sets.load_set.cache_clear()


def shape_of(name):
    y = sets.load_set(name)[1]
    return len(y), len(set(y.tolist()))


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_sets__have_the_sizes_that_results_are_told_by(name):
    assert shape_of(name) == engine.paper_module("recon").SIZES[name]


# ------------------------------------------------------------------ the papers


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("quick", [True, False])
def test_papers__cells_are_different_and_name_sets_they_need(paper, quick):
    module = engine.paper_module(paper)
    names = [name for name in module.needs(quick) if name in (*sets.BUNDLED, "xor")]
    cells = list(module.cells(quick, 2, names))
    assert len(set(cells)) == len(cells) > 0
    assert {cell.paper for cell in cells} == {paper}
    assert set(module.cells(quick, 1, names)) <= set(cells)


ONE = [
    Cell("recon", "random, 0..1", "iris", "SVM metric", 60, 0),
    Cell("recon", "random, raw", "iris", "ReCon", 60, 0),
    Cell("recon", "informative, raw", "iris", "ReCon", 294, 0),
    Cell("recon", "dead ends", "iris", "greedy", 150, 0),
    Cell("recon", "informative metric, raw", "iris", "SVM metric", 73, 0),
    Cell("recon", "informative, 0..1, file order", "iris", "ReCon", 73, 0),
    Cell("complete_link", "random", "xor", "CCL", 20, 0),
    Cell("complete_link", "random", "xor", "CCL, active", 10, 0),
    Cell("complete_link", "must-links only", "iris", "CKM", 20, 0),
    Cell("boosted", "NMI", "iris", "CKM", 100, 0),
    Cell("boosted", "NMI", "iris", "CKM, samples", 100, 0),
    Cell("boosted", "NMI", "iris", "BCKM", 100, 0),
    Cell("cvqe", "active", "iris", "random", 20, 0),
    Cell("cvqe", "random pairs", "iris", "LCVQE", 20, 0),
    Cell("cvqe", "noise", "iris", "CVQE+", 4, 0),
    Cell("cop", "roads", "k given", "listing", 0, 0),
]


@pytest.mark.parametrize("cell", ONE, ids=lambda cell: "-".join(cell[:4]))
def test_papers__a_cell_has_the_same_result_again_and_another_by_another_seed(cell):
    first, again, other = (work(cell, seed) for seed in (0, 0, 1))
    assert (first["failed"], first["fault"]) == ("", "")
    assert first["rows"]
    timeless = [[{k: v for k, v in row.items() if k != "seconds"} for row in x["rows"]] for x in (first, again, other)]
    assert timeless[0] == timeless[1]
    if cell.part not in ("informative, raw", "dead ends"):  # of the whole set there is one
        assert timeless[0] != timeless[2]
    json.dumps(first)


def test_papers__the_whole_informative_set_gives_the_classes():
    rows = work(Cell("recon", "informative, raw", "iris", "ReCon", 294, 0), 0)["rows"]
    assert rows[0]["triplets displayed"] == rows[0]["triplets satisfied, ours"] == 1
    assert rows[0]["F-measure"] == rows[0]["dendrogram purity"] == 1


def test_papers__methods_are_given_the_same_pairs(monkeypatch):
    from papers import boosted

    seen = []
    monkeypatch.setattr(boosted, "seed_of", lambda seed, *parts: seen.append(parts) or 0)
    for method in ("CKM, samples", "RCKM"):
        boosted.run(Cell("boosted", "NMI", "iris", method, 30, 4), 0)
    assert seen[0] == seen[2] == ("boosted", "NMI", "iris", 30, 4)
    assert seen[1] != seen[3]


def test_papers__the_original_of_boosting_keeps_pairs_where_it_can(rng):
    from papers.boosted import _original

    from tripletree.core.pairs import PairwiseConstraints

    X = np.concatenate([rng.normal(c, 0.1, (10, 2)) for c in (0, 5)])
    label, dead = _original(X, PairwiseConstraints([(0, 1)], [(2, 12)], 20), 2, rng)
    assert (label[0] == label[1], label[2] == label[12], dead) == (True, False, 0)
    assert _original(X, PairwiseConstraints([], [(0, 1), (1, 2), (0, 2)], 20), 2, rng)[1] > 0


def test_papers__greedy_merging_comes_to_the_dead_end_of_the_paper():
    from papers.recon import _greedy

    from tripletree.core.triplets import TripletSet

    X = np.array([[0.0], [4.0], [9.0], [5.0]])  # b and d are the nearest, ab|c and cd|a
    assert _greedy(X, TripletSet([(0, 1, 2), (2, 3, 0)], 4)) == {"dead end": 1.0, "clusters left": 3}


def test_papers__without_any_cells_nothing_is_said_to_hold():
    for paper in PAPERS:
        claims = list(engine.paper_module(paper).claims(Results({})))
        assert {claim.verdict for claim in claims} <= {"not run", "cannot be tested", "yes"}
        assert [c.text[:8] for c in claims if c.verdict == "yes"] == (["The Rand"] if paper == "cop" else [])


_SATISFIED = [f"triplets satisfied{x}" for x in ("", ", ours", ", stop at k")]
_CUTS = [f"F-measure{x}" for x in ("", ", ours", ", stop at k", ", n/2k", ", n/4k")]
MEASURES = {
    "recon": [*_CUTS, *_SATISFIED, "triplets displayed", "dendrogram purity", "seconds", "dead end", "clusters left"],
    "complete_link": ["constrained Rand index", "fails", "seconds", "dead ends", "asked"],
    "boosted": [
        *("NMI", "seconds", "pairs satisfied", "dead ends", "rounds with rho e > 1"),
        *("rank correlation", "log range of priorities"),
        *(f"NMI after {t}" for t in (1, 2, 5, 10, 25, 50, 100)),
    ],
    "cvqe": [
        *("NMI", "seconds", "distance of centres", "update", "re-clustering"),
        *("iterations, update", "iterations, re-clustering"),
        *(f"NMI, snapshot {i}" for i in (1, 2, 3)),
    ],
    "cop": [
        *("Rand index", "Rand index, held out", "perfect", "right k", "points", "fails", "fails in 10 fits"),
        *("fails in 20 orders", "range over orders"),
    ],
}


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("share", [0.02, *(pytest.param(x, marks=pytest.mark.slow) for x in (0.5, 1))])
def test_papers__claims_and_pictures_stand_on_whatever_cells_there_are(paper, share, rng, tmp_path, monkeypatch):
    module = engine.paper_module(paper)
    monkeypatch.setattr(module, "load_set", None)  # data may not be at hand where results are told
    if paper == "complete_link":  # samples are drawn of sets that are
        monkeypatch.setattr(module, "find_missing", lambda names, online: names)
    cells = [cell for cell in module.cells(False, 2, module.needs(False)) if rng.random() < share]
    found = {
        cell: {"rows": [{name: rng.random() for name in MEASURES[paper]}], "failed": "no" * (k % 7 == 6)}
        for k, cell in enumerate(cells)
    }
    for cell, record in found.items():
        if cell.method == "SVM metric":
            first = record["rows"][0]
            record["rows"] = [{**first, "method": x} for x in ("k-means, SVM metric", "ReCon, SVM metric")]
        if cell.part == "active":
            record["rows"] = [{**record["rows"][0], "m": m} for m in (0, 100, 200)]
    shown = Results(found, module.needs(False))
    backwards = Results(dict(reversed(found.items())), module.needs(False))
    claims = list(module.claims(shown))
    assert {claim.verdict for claim in claims} <= {*VERDICTS, "not run"}
    assert all("nan" not in claim.ours for claim in claims if share == 1)
    assert claims == list(module.claims(backwards))
    report._table(claims, module.DECIDED)
    known = [claim.text for claim in claims]
    assert set(module.DECIDED.values()) <= set(results.CAUSES)
    if share == 1:  # each begins a claim, and one alone
        assert [sum(text.startswith(start) for text in known) for start in module.DECIDED] == [1] * len(module.DECIDED)
    assert module.draw(shown, tmp_path / "a.png")


# ------------------------------------------------------------------ the command


def command(*arguments, out):
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "papers" / "run.py"), *arguments, "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_command__writes_a_report_of_what_there_is(tmp_path):
    from tripletree import __version__

    store = Store(tmp_path / "cells" / "recon.jsonl", 0, __version__)
    for cell in ONE[1:3]:
        store.append(work(cell, 0))
    code, out, err = command("--quick", "--report-only", out=tmp_path)
    assert (code, err) == (0, "")
    assert out == f"written: {tmp_path / 'README.md'}\n"
    text, page = ((tmp_path / name).read_text() for name in ("README.md", "recon.md"))
    assert "With the whole informative set, accuracy is 100 %" in page
    assert text.count("| not run |") == len(PAPERS) - 1
    assert (tmp_path / "results" / "recon.csv").exists()
    assert (tmp_path / "results" / "recon_claims.csv").exists()
    assert (tmp_path / "figures" / "recon.png").exists()
    assert page.count("](figures/") == 1
    assert "](recon.md)" in text


def test_command__reports_cells_of_sets_that_are_not_at_hand_and_fetches_none(tmp_path, monkeypatch):
    from tripletree import __version__

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # the command sets them
    from papers.run import main

    def fetch(name):
        raise AssertionError(f"{name} is fetched")

    monkeypatch.setattr(sets, "_found", lambda *names: None)
    monkeypatch.setattr(sets, "load", fetch)
    cell = Cell("recon", "random, raw", "ionosphere", "ReCon", 351, 0)
    store = Store(tmp_path / "cells" / "recon.jsonl", 0, __version__)
    store.append({"cell": list(cell), "rows": [{"F-measure": 0.5}], "failed": "", "fault": ""})
    assert main(["--report-only", "--out", str(tmp_path)]) == 0
    assert (
        "at hand: transfusion, digits 389, letters IJLT, digits 3000, letters 3000."
        in (tmp_path / "recon.md").read_text()
    )
    assert '"random, raw",ionosphere,ReCon,351,F-measure,1,0.5,' in (tmp_path / "results" / "recon.csv").read_text()


@pytest.mark.parametrize("wrong", [["--runs", "0"], ["--n-jobs", "0"], ["--paper", "none"]])
def test_command__refuses_what_it_does_not_know(tmp_path, wrong):
    code, _, err = command(*wrong, out=tmp_path)
    assert code == 2
    assert wrong[0] in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("paper", PAPERS)
def test_papers__the_table_says_what_decides_wherever_a_claim_does_not_hold(paper):
    with open(BENCHMARKS / "papers" / "results" / f"{paper}_claims.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    fails = [row for row in rows if row["holds"] in ("no", "partly")]
    assert [x["claim"] for x in fails if x["where"] != "-" and x["decided by"] not in results.CAUSES] == []
    assert {x["decided by"] for x in rows if x not in fails} == {""}
    page = (BENCHMARKS / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if "**" in line and line[0] == "|"]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [x["claim"].replace("|", "\\|") for x in rows]
