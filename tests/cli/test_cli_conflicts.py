"""``explain``, ``repair``: conflicts in words, as JSON, as triplets and as a picture, and its exit status."""

import io
import json

import numpy as np
import pytest
from oracles import is_irreducible_conflict

from tripletree.cli._conflicts import METHODS
from tripletree.conflict import Conflict, find_conflicts
from tripletree.induction import displays
from tripletree.io import read_newick, read_triplets
from tripletree.onetree import is_consistent

CLASH = "cat dog | eel\ndog eel | fly\neel fly | cat\nx y | z\nx z | y\na b | c\n"


def test_explain__one_conflict_and_its_lines(run):
    result = run("explain", "-", text=CLASH, status=1)
    assert result.stdout.split("\n") == [
        "These 2 triplets cannot all hold (lines 4 and 5 of the standard input), though each of them alone can:",
        "  x y | z    line 4",
        "  x z | y    line 5",
        "They give different answers on the same leaves, x, y and z.",
        "",
    ]
    assert result.stderr == ""


def test_explain__several_that_share_nothing(run):
    text = run("explain", "-", "-k", "9", text=CLASH, status=1).stdout
    first, second, end = text.split("\n\n")
    assert first.startswith("Conflict 1 of 2. These 2 triplets cannot all hold (lines 4 and 5 of")
    assert second.startswith("Conflict 2 of 2. These 3 triplets cannot all hold (lines 1, 2 and 3 of")
    assert second.endswith("\nNo conflict among the triplets of no earlier conflict is smaller.")
    assert end == "There are no more conflicts that share no triplet with these.\n"


def test_explain__what_is_proved_of_the_size(run):
    ring = "".join(f"x{i} x{i + 1} | x{(i + 2) % 9}\n" for i in range(8))
    shown = run("explain", "-", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "One of 5 triplets or more could be smaller; none of fewer exists."
    shown = run("explain", "-", "--max-size", "8", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "No conflict is smaller."
    shown = run("explain", "-", "--budget", "0", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "One of 2 triplets or more could be smaller; none of fewer exists."


def test_explain__consistent(run):
    assert run("explain", "-", text="a b | c\nb c | d\n").stdout == "consistent: no conflict among 2 triplets\n"
    assert json.loads(run("explain", "-", "--json", text="a b | c\nb c | d\n").stdout) == []


def test_explain__json_and_triplets(run, tmp_path):
    result = run("explain", "-", "-k", "2", "--json", "-o", "clash.txt", text=CLASH, status=1)
    data = json.loads(result.stdout)
    assert [[row["line"] for row in x["triplets"]] for x in data] == [[4, 5], [1, 2, 3]]
    assert [Conflict.from_dict(x).smallest for x in data] == [True, True]
    clash = read_triplets(tmp_path / "clash.txt")
    assert len(clash) == 5
    assert [len(x) for x in find_conflicts(clash)] == [2, 3]
    assert all(is_irreducible_conflict(list(x)) for x in find_conflicts(clash))


def test_explain__a_picture(run, tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    run("explain", "-", "--plot", "clash.png", text=CLASH, status=1)
    image = imread(tmp_path / "clash.png")
    assert image.shape[0] > 200
    assert np.ptp(image) > 0.9


def test_explain__bad_input(run):
    assert "no such file" in run("explain", "gone.txt", status=2).stderr
    assert "must be one of" in run("explain", "-", "--plot", "clash.xyz", text=CLASH, status=2).stderr
    assert (
        "'-k' / '--number': 0 is not in the range x>=1" in run("explain", "-", "-k", "0", text=CLASH, status=2).stderr
    )


# ---------------------------------------------------------------------- repair


def test_repair__kept_dropped_and_tree(run, tmp_path):
    text = CLASH + "cat dog | fly | 5\n"
    result = run("repair", "-", "--dropped", "dropped.txt", "--newick", "tree.nwk", text=text)
    (tmp_path / "kept.txt").write_text(result.stdout)
    kept, dropped = read_triplets(tmp_path / "kept.txt"), read_triplets(tmp_path / "dropped.txt")
    assert result.stderr == "5 of 7 triplets kept, weight 9 of 11 (by exact)\n"
    assert (len(kept), len(dropped)) == (5, 2)
    assert is_consistent(kept)
    whole = read_triplets(io.StringIO(text))
    assert (kept | dropped) == whole
    assert displays(read_newick(tmp_path / "tree.nwk"), kept).all()


def test_repair__nothing_to_drop(run):
    result = run("repair", "-", text="a b | c\nb c | d\n")
    assert result.stderr == "2 of 2 triplets kept: they are consistent\n"
    assert result.stdout == "a b | c\nb c | d\n"


@pytest.mark.parametrize("method", METHODS)
def test_repair__by_every_method(run, method):
    result = run("repair", "-", "--method", method, text=CLASH)
    assert is_consistent(read_triplets(io.StringIO(result.stdout)))


def test_repair__bad_input(run, tmp_path):
    (tmp_path / "t.txt").write_text(CLASH)
    assert "an input of this command" in run("repair", "t.txt", "-o", "t.txt", status=2).stderr
    assert (tmp_path / "t.txt").read_text() == CLASH
    assert "'best' is not one of" in run("repair", "t.txt", "--method", "best", status=2).stderr


# ---------------------------------------------------------------------- cluster in spite of conflicts

POINTS = "name,x\na,0\nb,1\nc,5\nd,6\ne,20\n"


def test_cluster__conflicts_are_shown_repaired_or_priced(run, tmp_path):
    (tmp_path / "t.txt").write_text("a b | c\nb c | a\nc d | e\n")
    command = ["cluster", "-", "--triplets", "t.txt", "-k", 2]
    assert "cannot all hold (lines 1 and 2 of t.txt)" in run(*command, text=POINTS, status=1).stderr
    repaired = run(*command, "--on-conflict", "repair", text=POINTS)
    assert "warning: 1 of 3 triplets contradict others and were dropped" in repaired.stderr
    priced = run(*command, "--penalty", "auto", text=POINTS)
    assert priced.stderr == ""
    assert run(*command, "--penalty", "0.5", text=POINTS).stdout == priced.stdout
    assert priced.stdout == "label,cluster\na,0\nb,0\nc,1\nd,1\ne,1\n"
    for bad in ("-1", "much", "inf", "nan"):
        error = run(*command, "--penalty", bad, text=POINTS, status=2).stderr
        assert f"{bad!r} is neither 'auto' nor a number of at least 0" in error
