"""The yardstick of knowledge: it draws the knowledge that it names, cells are kept, and the report counts right."""

import sys
from pathlib import Path

import numpy as np
import pytest

import tripletree as tt

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
if not (BENCHMARKS / "bench_knowledge.py").exists():
    pytest.skip("benchmarks is not here", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

import _kinds  # noqa: E402
import _knowledge_report as report  # noqa: E402
import bench_knowledge as bench  # noqa: E402
import bench_knowledge_oracle as oracle  # noqa: E402

SMALL = [x for x in _kinds.SOURCES if x.kind in ("yule", "coalescent", "people A", "people B") or x.name == "wine"]
each_small = pytest.mark.parametrize("source", SMALL, ids=lambda x: x.name)


# ---------------------------------------------------------------------- data and knowledge


@each_small
def test_data__are_the_same_for_a_seed_and_fit_together(source):
    data, again = source.make(60, 3), source.make(60, 3)
    assert (data.X == again.X).all()
    assert data.truth == again.truth
    assert list(data.truth.leaves) == list(range(len(data.X))) == list(range(len(data.y)))
    assert tt.dendrogram_purity(data.truth, data.y) == 1.0
    if source.name != "wine":
        assert (data.X != source.make(60, 4).X).any()


@each_small
@pytest.mark.parametrize("share", [0, 0.1, 0.2])
def test_draw_triplets__of_which_exactly_a_share_is_wrong(source, share):
    data = source.make(60, 0)
    for amount in (0.1, 1, 3):
        known = _kinds.draw_triplets(data, amount, share, 0)
        m = round(amount * len(data.X))
        assert known.n_given == m
        right = tt.displays(data.truth, known.triplets)
        assert right.sum() == m - round(share * m)
        assert (~right).sum() == len(known.triplets) - right.sum()
        assert (np.unique(known.triplets.rows) == np.flatnonzero(known.named)).all()


@each_small
def test_draw_triplets__more_hold_all_of_fewer(source):
    data = source.make(60, 0)
    few, many = (set(_kinds.draw_triplets(data, amount, 0, 0).triplets) for amount in (0.3, 3))
    assert few < many


@each_small
def test_unseen_triplets__are_true_and_not_among_those_given(source):
    data = source.make(60, 0)
    known = _kinds.draw_triplets(data, 10, 0, 0)
    test = _kinds.unseen_triplets(data, known.triplets, 0)
    assert tt.displays(data.truth, test).all()
    assert not set(test) & set(known.triplets)
    assert set(_kinds.unseen_triplets(data, None, 0)) & set(known.triplets)


def test_people_b__are_wrong_by_another_tree_and_not_at_random():
    data = next(x for x in SMALL if x.name == "people B").make(200, 0)
    known = _kinds.draw_triplets(data, 10, 0.2, 0)
    wrong = known.triplets.subset(~tt.displays(data.truth, known.triplets))
    assert tt.is_consistent(wrong)  # one tree displays them all


def test_draw_labels__of_which_a_share_is_wrong_and_pairs_agree():
    data = next(x for x in SMALL if x.name == "wine").make(60, 0)
    known = _kinds.draw_labels(data, 0.3, 0.2, 0)
    m = round(0.3 * len(data.y))
    told = known.labels >= 0
    assert told.sum() == m == known.named.sum()
    assert (known.labels[told] != data.y[told]).sum() == round(0.2 * m)
    assert len(known.pairs) == m * (m - 1) // 2
    for a, b, c in known.triplets.rows.tolist():
        assert known.labels[a] == known.labels[b] != known.labels[c]


def test_package__takes_the_section_and_tags_and_no_version_numbers():
    text = (
        "Package: foo-bar\nDepends: libc6 (>= 2.34), baz:any | qux\nDescription: Plays chess\n"
        "Tag: game::board, role::program,\n use::gameplaying\nSection: games"
    )
    expected = ("games", "game::board use::gameplaying", "foo bar plays chess needs_libc6 needs_baz needs_qux")
    assert _kinds.package(text) == expected
    assert _kinds.package(text.replace("games", "libs")) is None
    assert _kinds.package("Package: x\nSection: games") is None


# ---------------------------------------------------------------------- cells


def run(cells, amounts=(0, 0.3), seeds=(0,), methods=("plain ward", "ReCon hard", "COPKMeans")):
    bench.run(cells, SMALL[:1] + SMALL[-3:-2], methods, amounts, (0, 0.1), seeds, 60, 60)


@pytest.mark.slow
def test_cells__go_on_where_they_were_stopped_even_within_a_line(tmp_path):
    path = tmp_path / "cells.csv"
    run(bench.Cells(path), seeds=(0, 1))
    whole = path.read_text()
    lines = whole.splitlines(keepends=True)
    path.write_text("".join(lines[:-2]) + lines[-2][:20])
    ran = bench.Cells(path)
    assert len(ran.rows) == len(lines) - 3
    run(ran, seeds=(0, 1))
    columns = [k for k, name in enumerate(bench.COLUMNS) if name != "seconds"]
    parts = [
        [[line.split(",")[k] for k in columns] for line in sorted(x.splitlines())] for x in (whole, path.read_text())
    ]
    assert parts[0] == parts[1]
    before = path.read_bytes()
    run(bench.Cells(path), seeds=(0, 1))
    assert path.read_bytes() == before


def test_cells__redo_forgets_those_methods_only(tmp_path):
    path = tmp_path / "cells.csv"
    run(bench.Cells(path))
    methods = {row["method"] for row in bench.Cells(path, ["ReCon hard"]).rows}
    assert methods == {row["method"] for row in bench.Cells(path).rows} == {"plain ward", "COPKMeans"}


def test_cells__another_file_is_refused(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="expected the columns set,kind"):
        bench.Cells(path)
    assert path.read_text() == "a,b\n1,2\n"


@pytest.mark.slow
def test_run__without_knowledge_recon_is_the_plain_tree_and_failures_have_reasons(monkeypatch):
    def fails(data, known, seed):
        raise ValueError("no\nway")

    monkeypatch.setitem(bench.METHODS, "fails", fails)
    cells = bench.Cells(None)
    run(cells, methods=("plain ward", "ReCon hard", "fails"))
    zero = {(r["set"], r["method"]): [r[m] for m in report.MEASURES] for r in cells.rows if r["amount"] == "0"}
    sets = {name for name, _ in zero}
    assert len(sets) == 2
    for name in sets:
        assert zero[name, "plain ward"] == zero[name, "ReCon hard"]
    assert {r["error"] for r in cells.rows if r["method"] == "fails"} == {"ValueError: no"}


def test_fit__stops_what_takes_too_long(monkeypatch):
    def forever(data, known, seed):
        while True:
            pass

    monkeypatch.setitem(bench.METHODS, "forever", forever)
    result, seconds = bench.fit("forever", None, None, 0, 1)
    assert result == "TooLong: over 1 s"
    assert seconds < 10


# ---------------------------------------------------------------------- the report


def cell_rows(method, scores, *, name="s", kind="yule", role="development", amount="1", wrong="0", measure="unseen"):
    for seed, score in enumerate(scores):
        row = dict.fromkeys(bench.COLUMNS, "")
        row |= {"set": name, "kind": kind, "role": role, "amount": amount, "wrong": wrong, "method": method}
        error = "" if score is not None else "failed"
        yield row | {"seed": str(seed), measure: "" if error else str(score), "error": error}


def results_of(*parts):
    return report.Results([row for part in parts for row in part])


@pytest.mark.parametrize(
    ("mine", "expected"),
    [
        ([0.5, 0.6, 0.7], False),  # equal
        ([0.4, 0.5, 0.6], True),  # always by .1
        ([0.1, 0.6, 0.9], False),  # by .07 in the mean, but now more, now less
        ([0.6, 0.7, 0.8], False),
    ],
)
def test_worse__compares_on_the_same_seeds(mine, expected):
    results = results_of(cell_rows("plain ward", [0.5, 0.6, 0.7]), cell_rows("new", mine))
    assert report.worse(results.difference(("s", 0.0, 1.0), "new", "plain ward", "unseen")) is expected


def test_mean_ranks__ties_share_and_failures_are_last():
    results = results_of(
        cell_rows("a", [0.5]), cell_rows("b", [0.5]), cell_rows("c", [0.9]), cell_rows("d", [None]),
        cell_rows("d", [1.0], amount="3"), cell_rows("a", [0.5], amount="3"), cell_rows("e", [0.1], measure="f"),
        cell_rows("DivisiveReCon hard", [1.0]),
    )  # fmt: skip
    ranks = report.mean_ranks(results, results.cells(), "unseen")
    assert ranks == {"a": 2.25, "b": 2.5, "c": 1.0, "d": 2.5}


def test_printed__gives_the_error_in_the_last_digit():
    assert report.printed(0.8124, 0.0031) == ".812(3)"
    assert report.printed(1.0, 0.0, 2) == "1.000(0)x"
    assert report.printed(-0.05, np.nan) == "-.050"
    assert report.printed(np.nan, np.nan, 1) == "failed"


def test_checks__names_the_cells_that_fail(capsys):
    rows = [
        *cell_rows("plain ward", [0.5, 0.5], amount="0"), *cell_rows("new", [0.5, 0.6], amount="0"),
        *cell_rows("plain ward", [0.5, 0.5]), *cell_rows("new", [0.3, 0.31]), *cell_rows("ReCon hard", [0.2, 0.2]),
        *cell_rows("plain ward", [0.5, 0.5], amount="3"), *cell_rows("new", [0.9, 0.9], amount="3"),
        *cell_rows("ReCon hard", [0.95, 0.95], amount="3"),
    ]  # fmt: skip
    report.checks(rows, "new")
    lines = capsys.readouterr().out.splitlines()
    verdicts = {line[5:].rpartition(":")[0]: line[:3].strip() for line in lines if line[:3] in (" NO", "yes", "  -")}
    assert verdicts["without knowledge the same as plain ward"] == "NO"
    assert verdicts["unseen not more than two standard errors below plain ward"] == "NO"
    assert verdicts["purity not more than two standard errors below plain ward"] == "-"
    assert verdicts["first in mean rank"] == "yes"
    assert verdicts["mean unseen rises with knowledge"] == "NO"
    assert verdicts["n true triplets show .2 more of the unseen where the plain tree shows less than .7"] == "NO"
    assert verdicts["3 n true triplets: not behind hard ReCon"] == "NO"
    assert "       s, 1 n, clean, unseen: -0.195 (standard error 0.005)" in lines


@pytest.mark.slow
def test_tables_and_curves__run_on_what_was_kept(tmp_path, capsys, monkeypatch):
    cells = bench.Cells(None)
    run(cells, amounts=(0, 0.3, 1), seeds=(0, 1))
    report.tables(cells.rows, detail=True)
    printed = capsys.readouterr().out
    assert "mean rank" in printed
    assert "unseen, triplets of hierarchies, development" in printed
    monkeypatch.setattr(report, "TITLES", {"f": "pairwise F"})
    report.curves(cells.rows, tmp_path)
    names = {f"knowledge_f{which}.{ending}" for which in ("", "_wrong") for ending in ("svg", "png")}
    assert {x.name for x in tmp_path.iterdir()} == names


def test_methods__can_be_named_on_the_command_line():
    assert bench.several(bench.METHODS)(",".join(bench.METHODS)) == list(bench.METHODS)


# ---------------------------------------------------------------------- the oracle of small worlds


def test_all_trees__are_all_and_their_triplets_those_of_the_hierarchies():
    trees = oracle.all_trees(oracle.N)
    assert len(trees) == len({frozenset(clades) for clades in trees.tolist()}) == 10_395  # 1 * 3 * 5 * ... * 11
    assert [len(oracle.all_trees(n)) for n in (3, 4, 5)] == [3, 15, 105]
    apart = oracle.resolutions(oracle.smallest_clades(trees[::1000]))
    for clades, expected in zip(trees[::1000].tolist(), apart, strict=True):
        leaves = [[i for i in range(oracle.N) if c >> i & 1] for c in clades]
        rows = oracle.rows_of(np.arange(len(oracle.TRIOS)), expected).tolist()
        assert all(any(a in c and b in c and out not in c for c in leaves) for a, b, out in rows)
