"""Square tables, whose rows and columns are the same samples: distances, similarities or features, which is asked."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from tripletree.io.phylip import phylip_table

NAMES = ["Homo sapiens", "Pan-pan", "3x", "Bos", "Ovis", "Sus"]
PLACES = np.array([0.0, 1.0, 2.5, 30.0, 31.0, 33.5])
D = np.abs(PLACES[:, None] - PLACES)
WANTED = [0, 0, 0, 1, 1, 1]


def table_of(values, *, names=NAMES, columns=None, cells=lambda x, i, j: f"{x:g}"):
    rows = [[cells(x, i, j) for j, x in enumerate(row)] for i, row in enumerate(values)]
    lines = [[*([""] if names else []), *(columns or NAMES)]]
    lines += [[*([names[i]] if names else []), *row] for i, row in enumerate(rows)]
    return "\n".join(map(",".join, lines)) + "\n"


def phylip(cells, mark="\t"):
    """Distances in PHYLIP's form: `cells` tells how many numbers line i has."""
    rows = [[x, *(f"{y:g}" for y in D[i][: cells(i)])] for i, x in enumerate(NAMES)]
    return "\n".join([str(len(D)), *map(mark.join, rows), ""])


IN_R = ["Homo.sapiens", "Pan.pan", "X3x", "Bos", "Ovis", "Sus"]
KINDS = {
    "whole": (table_of(D), ["distances", "features"]),
    "lower half": (table_of(D, cells=lambda x, i, j: f"{x:g}" if i >= j else ""), ["distances"]),
    "upper half, no diagonal": (
        table_of(D, cells=lambda x, i, j: f"{x:g}" if i < j else "NA"),
        ["distances", "similarities"],
    ),
    "names of R": (table_of(D, columns=IN_R), ["distances", "features"]),
    "rows without names": (table_of(D, names=None), ["distances", "features"]),
    "numbers": (table_of(D, names=list("123456"), columns=list("123456")), ["distances", "features"]),
    "PHYLIP": (phylip(lambda i: 6, " "), ["distances", "features"]),
    "PHYLIP, lower": (phylip(lambda i: i), ["distances"]),
    "PHYLIP, lower, diagonal": (phylip(lambda i: i + 1, "  "), ["distances"]),
    "similarities": (table_of(1 - D / 40), ["similarities", "features"]),
    "percents": (table_of(100 - D, cells=lambda x, i, j: "-" if i == j else f"{x:g}"), ["distances", "similarities"]),
}


def ways_of(message):
    """The commands that the question prints, by what they take the table for."""
    lines = [line.split(":", 1) for line in message.splitlines() if line.startswith("  ")]
    return {what.strip(): shlex.split(command)[1:] for what, command in lines}


@pytest.mark.parametrize("method", ["recon", "divisive"])
@pytest.mark.parametrize("kind", KINDS)
def test_cluster__a_square_table_is_asked_about(tmp_path, run, monkeypatch, kind, method):
    text, readings = KINDS[kind]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(text)
    ways = ways_of(run("cluster", "d.csv", "-k", "2", "--method", method, status=2).stderr)
    assert list(ways) == readings
    for what, command in ways.items():
        found = [int(line.rsplit(",", 1)[1]) for line in run(*command).stdout.splitlines()[1:]]
        is_right = what != ("similarities" if kind.startswith("upper") else "distances" if kind == "percents" else "")
        assert (found == WANTED) == is_right


def test_report_describe_ask__a_square_table_is_asked_about(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(KINDS["whole"][0])
    (tmp_path / "t.txt").write_text("'Homo sapiens' Pan-pan | Bos\nOvis Sus | 3x\n")
    (tmp_path / "a.jsonl").write_text("")
    for command in (
        ["report", "d.csv", "--know", "t.txt", "--resamples", "0", "--table", "c.csv"],
        ["describe", "t.txt", "--data", "d.csv"],
        ["ask", "d.csv", "--answers", "a.jsonl", "--export", "out"],
    ):
        ways = ways_of(run(*command, status=2).stderr)
        assert list(ways) == ["distances", "features"]
        for what, again in ways.items():
            result = run(*again)
            if command[0] == "report":
                assert ("6 features" in result.output) == (what == "features")
                lines = (tmp_path / "c.csv").read_text().splitlines()[1:]
                assert [int(x.rsplit(",", 1)[1]) for x in lines] == WANTED
            elif command[0] == "describe":
                assert f"({'precomputed' if what == 'distances' else 'euclidean'}) satisfies 2 of 2" in result.output


@pytest.mark.parametrize(
    ("values", "metric", "said"),
    [
        (D + np.eye(6) * 3, "precomputed", "the distance of 'Homo sapiens' to itself is 3"),
        (np.triu(2 * D) + np.tril(D), "precomputed", "'Homo sapiens', 'Sus' is 67 and 'Sus', 'Homo sapiens' is 33.5"),
        (D - 5 * (1 - np.eye(6)), "precomputed", "a distance is negative"),
        (1 - D / 40, "precomputed", "--metric similarity takes similarities"),
        (D, "similarity", "--metric precomputed takes distances"),
    ],
)  # fmt: skip
def test_cluster__numbers_that_are_no_distances_are_refused(tmp_path, run, values, metric, said):
    (tmp_path / "d.csv").write_text(table_of(values))
    more = ["-k", "2", "--metric", metric, "--linkage", "average"]
    assert said in run("cluster", tmp_path / "d.csv", *more, status=2).stderr


@pytest.mark.parametrize("text", ["3\na 1\nb 2\n", "2\na\nb x\n", "2 2\na\nb 1\n", "1\na 0\n"])
def test_phylip_table__other_texts_are_none(text):
    assert phylip_table(text, None) is None


def test_cluster__a_table_that_is_not_square_has_no_distances(tmp_path, run):
    (tmp_path / "d.csv").write_text("name,x,y\na,0,1\nb,1,0\nc,2,2\n")
    more = ["-k", "2", "--metric", "precomputed", "--linkage", "average"]
    assert "needs a square table of distances" in run("cluster", tmp_path / "d.csv", *more, status=2).stderr
    said = run("cluster", tmp_path / "d.csv", "-k", "2", "--metric", "similarity", "--standardize",
               "--linkage", "average", status=2).stderr  # fmt: skip
    assert "--metric similarity takes similarities as they are: leave out --standardize" in said


def test_cluster__counts_of_one_and_the_same_names_are_features_and_said_so(tmp_path, run):
    (tmp_path / "d.csv").write_text(table_of(np.triu(2 * D) + np.tril(D) + np.eye(6)))
    result = run("cluster", tmp_path / "d.csv", "-k", "2")
    assert "rows and columns have the same names, and the numbers are taken for features" in result.stderr
