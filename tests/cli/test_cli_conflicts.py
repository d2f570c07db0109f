"""``explain``, ``repair``: conflicts in words, as JSON, as triplets and as a picture, and its exit status."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from oracles import is_irreducible_conflict

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.conflict import Conflict, find_conflicts
from tripletree.algorithms.induce import displays
from tripletree.cli import main
from tripletree.cli.conflicts import METHODS
from tripletree.io import read_newick, read_triplets

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
    assert second.endswith("\nWithout the triplets of conflict 1, no conflict is smaller.")
    assert end == "There are no more conflicts that share no triplet with these.\n"


def test_explain__what_is_proved_of_the_size(run):
    ring = "".join(f"x{i} x{i + 1} | x{(i + 2) % 9}\n" for i in range(8))
    shown = run("explain", "-", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "No conflict has fewer than 5 triplets; one smaller than this may exist."
    shown = run("explain", "-", "--max-size", "8", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "No conflict is smaller."
    shown = run("explain", "-", "--max-steps", "0", text=ring, status=1).stdout.splitlines()
    assert shown[-1] == "No conflict has fewer than 2 triplets; one smaller than this may exist."


def test_explain__consistent(run):
    assert run("explain", "-", text="a b | c\nb c | d\n").stdout == "consistent: no conflict among 2 triplets\n"
    assert json.loads(run("explain", "-", "--json", text="a b | c\nb c | d\n").stdout) == []


@pytest.mark.parametrize("text", ["a b | c\na c | b\n", "a b must\na b cannot\n"])
def test_explain__json_escapes_control_characters(run, text):
    strange = "\x9b31m\u202eü"
    text = text.replace("a ", f"{strange} ")
    result = run("explain", "-", "--json", text=text, status=1)
    assert "\\u009b31m\\u202eü" in result.stdout
    assert strange not in result.stdout
    assert strange in json.dumps(json.loads(result.stdout), ensure_ascii=False)


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


@pytest.mark.parametrize("k", [3, 99999999999999999999])
def test_explain__more_conflicts_than_there_can_be(run, k):
    wanted = run("explain", "-", "-k", "9", text=CLASH, status=1).stdout
    assert run("explain", "-", "-k", k, text=CLASH, status=1).stdout == wanted
    assert run("explain", "-", "-k", k, text="a b | c\n").stdout == "consistent: no conflict among 1 triplet\n"


@pytest.mark.parametrize("command", ["explain", "check"])
def test_explain_check__the_input_is_not_overwritten(run, tmp_path, command):
    (tmp_path / "t.txt").write_text(CLASH)
    (tmp_path / "same.txt").symlink_to(tmp_path / "t.txt")
    (tmp_path / "t.png").write_text(CLASH)
    wrong = [["t.txt", "-o", "t.txt"], ["t.txt", "-o", "same.txt"], ["t.txt", "-o", tmp_path / "t.txt"]]
    if command == "explain":
        wrong += [["t.png", "--format", "text", "--plot", "t.png"]]
    for arguments in wrong:
        error = run(command, *arguments, status=2).stderr
        assert error == f"error: {arguments[-1]} is an input of this command already: give another file\n"
        assert (tmp_path / "t.txt").read_text() == (tmp_path / "t.png").read_text() == CLASH
    if command == "explain":
        error = run(command, "t.txt", "-o", "new.png", "--plot", "new.png", status=2).stderr
        assert "new.png is an output of this command already" in error
        assert not (tmp_path / "new.png").exists()
    for output in ("new.txt", "/dev/null", "-"):
        run(command, "t.txt", "-o", output, status=1)
        run(command, "-", "-o", output, text=CLASH, status=1)
    assert len(read_triplets(tmp_path / "new.txt")) == 2


def test_explain__bad_input(run):
    assert "no such file" in run("explain", "gone.txt", status=2).stderr
    assert "expected one of" in run("explain", "-", "--plot", "clash.xyz", text=CLASH, status=2).stderr
    assert (
        "'-k' / '--number': 0 is not in the range x>=1" in run("explain", "-", "-k", "0", text=CLASH, status=2).stderr
    )


# ---------------------------------------------------------------------- repair


def test_repair__kept_dropped_and_tree(run, tmp_path):
    text = CLASH + "cat dog | fly | 5\n"
    result = run("repair", "-", "--dropped", "dropped.txt", "--newick", "tree.nwk", text=text)
    (tmp_path / "kept.txt").write_text(result.stdout)
    kept, dropped = read_triplets(tmp_path / "kept.txt"), read_triplets(tmp_path / "dropped.txt")
    told = result.stderr.splitlines()
    assert told[0] == "5 of 7 triplets kept, weight 9 of 11 (by exact)"
    lines = text.splitlines()
    for line in told[1:]:
        said, number = line.removeprefix("dropped: ").split("  line ")
        assert said == lines[int(number) - 1]
    assert len(told) == 3
    assert (len(kept), len(dropped)) == (5, 2)
    assert is_consistent(kept)
    whole = read_triplets(io.StringIO(text))
    assert (kept | dropped) == whole
    assert displays(read_newick(tmp_path / "tree.nwk"), kept).all()


def test_repair__nothing_to_drop(run):
    result = run("repair", "-", text="a b | c\nb c | d\n")
    assert result.stderr == "2 of 2 triplets kept: they are consistent\n"
    assert result.stdout == "a b | c\nb c | d\n"


def test_repair__says_that_repeats_count_once(run):
    result = run("repair", "-", text="a c | b\na c | b\na c | b\na b | c\n")
    assert result.stderr.splitlines()[-1] == (
        "note: 1 triplet said more than once; write '| 1' behind them to count each time"
    )
    result = run("repair", "-", text="a c | b | 1\na c | b | 1\na c | b | 1\na b | c | 1\n")
    assert result.stdout == "a c | b | 3.0\n"
    assert result.stderr.splitlines() == ["1 of 2 triplets kept, weight 3 of 4 (by exact)", "dropped: a b | c  line 4"]


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
    assert all(": read " in x for x in priced.stderr.splitlines())
    assert run(*command, "--penalty", "0.5", text=POINTS).stdout == priced.stdout
    assert priced.stdout == "label,cluster\na,0\nb,0\nc,0\nd,0\ne,1\n"
    for bad in ("-1", "much", "inf", "nan"):
        error = run(*command, "--penalty", bad, text=POINTS, status=2).stderr
        assert f"{bad!r} is neither 'auto' nor a number of at least 0" in error


@pytest.mark.parametrize(("command", "status"), [(["repair"], 0), (["explain"], 1), (["check"], 1), (["info"], 0)])
def test_labels__control_characters_do_not_reach_the_terminal(run, command, status):
    evil = "\x1b]0;owned\x07"
    result = run(*command, "-", text=f"a,b,c\n{evil},b,c\n{evil},c,b\nb,c,d\n", status=status)
    shown = result.stderr if command[0] == "repair" else result.stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert (r"\x1b]0;owned\x07" in shown) == (command[0] != "info")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("command", [["repair", "evil.txt"], ["decompose", "evil.nwk"], ["convert", "evil.nwk"]])
def test_labels__data_on_a_terminal_does_not_command_it(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("evil.txt").write_text("a\x1b]0;owned\x07 b | c\n")
    Path("evil.nwk").write_text("(('a\x1b]0;owned\x07','c\x9b31m'),d);\n")
    terminal, pipe = Terminal(), io.StringIO()
    for output in (terminal, pipe):
        monkeypatch.setattr("sys.stdout", output)
        with pytest.raises(SystemExit, match="0"):
            main(command)
    assert r"a\x1b]0;owned\x07" in terminal.getvalue()
    assert not set("\x1b\x07\x9b") & set(terminal.getvalue())
    assert "a\x1b]0;owned\x07" in pipe.getvalue()  # a file or another program gets them as they are


@pytest.mark.parametrize(("command", "status"), [("explain", 1), ("check", 1), ("repair", 0)])
def test_labels__long_ones_are_cut_in_words_for_people(run, command, status):
    result = run(command, "-", text=f"{'x' * 5000} b | c\nb c | {'x' * 5000}\n", status=status)
    shown = result.stderr if command == "repair" else result.stdout
    assert "xxx..." in shown
    assert shown.count("x") < 1000
