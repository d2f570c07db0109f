"""What is told of a table is told in the words of the shell: notes, as errors."""

import re

import pytest

TRIALS = "anchor,left,right,answer,worker,block\n" + "".join(
    f"{a},{b},{c},{x},{w},{k}\n"
    for k, a, b, c, x, w in [
        *(("main", "cat", "dog", "eel", "left", "w1"), ("main", "dog", "cat", "eel", "left", "w2")),
        *(("practice", "eel", "cat", "dog", "right", "w1"), ("main", "cat", "eel", "dog", "right", "w3")),
        ("main", "dog", "eel", "cat", "right", "w2"),
    ]
)
ODD = "a,b,c,odd,code,task\n" + "".join(
    f"{x},{code},{task}\n"
    for x, code, task in [
        *(("cat,dog,eel,eel", "p1", "main"), ("cat,dog,elk,elk", "p2", "catch"), ("dog,eel,elk,eel", "p1", "main")),
        *(("cat,eel,elk,eel", "p2", "main"), ("cat,dog,eel,eel", "p1", "main")),
    ]
)


@pytest.mark.parametrize(
    ("command", "text", "told"),
    [
        ("answers t.csv", ODD.replace("task", "id"), "--who may be 'code' or 'id'"),
        ("answers t.csv", ODD, "left out by --only \"task != 'catch'\""),
        ("check t.csv --as answers", ODD, "left out by --only \"task != 'catch'\""),
        ("build t.csv --odd odd", ODD, "left out by --only \"task != 'catch'\""),
        ("check t.csv --as comparisons", TRIALS, "left out by --only \"block != 'practice'\""),
        ("info t.csv --as answers", ODD, "left out by --only \"task != 'catch'\""),
    ],
)
def test_told__notes_have_the_options_of_the_shell(run, tmp_path, command, text, told):
    (tmp_path / "t.csv").write_text(text)
    name, *rest = command.split()
    said = run(name, *rest).stderr
    assert told in said
    only = re.search(r"--only (\"[^\"]*\")", said)
    if only is not None:  # works as it is printed
        again = run(name, *rest, "--only", only[1].strip('"')).stderr
        assert "--only" not in again


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--only", "block =="], "is not a condition"),
        (["--only", "block == 'none'"], "--only \"block == 'none'\" holds for none"),
        (["--who", "nobody"], "--who nobody is not a column"),
        (["--only", "nobody == 1"], "'nobody' is not a column"),
    ],
)
def test_told__errors_have_the_options_of_the_shell(run, tmp_path, options, told):
    (tmp_path / "t.csv").write_text(TRIALS)
    assert told in run("check", "t.csv", "--as", "comparisons", *options, status=2).stderr
