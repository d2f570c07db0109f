"""info says what a file leaves open, and what was made of it, in one line each; hints lead on when they are run."""

import re

import pytest

CASES = {
    "tops": ("child,parent\na,x\nb,x\nc,y\nd,y\n", "2 tops got a node above them"),
    "codes": ("code,name\nA01,x\nA01.1.1,y\nB02,z\nB02.1.1,w\n", "2 tops got a node above them"),
    "root": ("((a,b),(c,d),(e,f));", "a root of three children: read as written"),
    "imports": ("import: other.obo\n[Term]\nid: a\nis_a: b\n[Term]\nid: b\n", "1 import not read: other.obo"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_info_tells_what_was_made_of_a_doubt(run, tmp_path, kind):
    text, right = CASES[kind]
    (tmp_path / "file").write_text(text)
    shown = run("info", "file").stdout
    assert len([x for x in shown.splitlines() if right in x]) == 1


@pytest.mark.parametrize("text", ["((a,b),(c,d));", "(a,b,c);", "((a,b),c,d,e);", "child,parent\na,x\nb,x\nc,x\n"])
def test_info_has_no_doubt_where_there_is_none(run, tmp_path, text):
    (tmp_path / "file").write_text(text)
    assert "doubts" not in run("info", "file").stdout


def test_info_counts_open_items(run, tmp_path):
    (tmp_path / "tree.nwk").write_text("((robur,alba)Quercus,(rubrum,negundo)Acer)tree;")
    (tmp_path / "items.csv").write_text("item,node\nx,robur\ny,alba\noak,Quercus\nz,rubrum\n")
    assert (
        "1 item known to an inner node only (open), as 'oak'" in run("info", "tree.nwk", "--attach", "items.csv").stdout
    )
    assert "open" not in run("info", "tree.nwk", "--attach", "items.csv", "--exact").stdout.replace("open nodes", "")


def test_hints_about_lines_of_two_cells_lead_on(run, tmp_path):
    """Each hint is run as it is printed, until the file is read."""
    (tmp_path / "pairs").write_text("oak;tree\nfir;wood\nfox;fur\n")
    given, seen = [], []
    for _ in range(4):
        try:
            run("info", "pairs", *given)
            break
        except AssertionError as error:
            message = str(error)
        found = re.findall(r"--from edges|-O header=false", message)
        assert found, message
        assert message not in seen
        seen.append(message)
        given += [y for x in found for y in x.split() if x not in " ".join(given)]
    assert "3" in run("info", "pairs", *given).stdout


@pytest.mark.parametrize(
    ("text", "given", "hint"),
    [
        ("child,parent,name\n1,9,a\n2,9,a\n9,,top\n", "--labels name", "--labels id"),
        ("child,parent\na,x\na,y\nb,x\nc,y\nx,r\ny,r\n", "", "--parent deepest"),
        ("code,name\nA1.1.1,x\nA1.1.2,x\n", "--labels name", "--labels id"),
    ],
)
def test_options_that_hints_name_lead_on(run, tmp_path, text, given, hint):
    (tmp_path / "file").write_text(text)
    assert hint in run("convert", "file", *given.split(), status=2).stderr
    assert run("convert", "file", *hint.split()).stdout.endswith(";\n")
