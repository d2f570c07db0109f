"""info says what a file leaves open, and what was made of it, in one line each; hints lead on when they are run."""

import html
import re

import pytest

CASES = {
    "tops": ("child,parent\na,x\nb,x\nc,y\nd,y\n", "2 tops got a node above them"),
    "codes": ("code,name\nA01,x\nA01.1.1,y\nB02,z\nB02.1.1,w\n", "2 tops got a node above them"),
    "root": ("((a,b),(c,d),(e,f));", "a root of three children: read as written"),
    "placeholder": ("((a,b)uncultured,(c,d)X,e);", "1 placeholder node contracted"),
    "open": ("((a,b)uncultured,(c,d)X,e);", "2 items known to an inner node only (open), as 'a'"),
    "support": ("(((a,b)98,c)'Firmicutes(70)',e);", "70 to 98, at 2 of 3 inner nodes"),
    "imports": ("import: other.obo\n[Term]\nid: a\nis_a: b\n[Term]\nid: b\n", "1 import not read: other.obo"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_info_tells_what_was_made_of_a_doubt(run, tmp_path, kind):
    text, right = CASES[kind]
    (tmp_path / "file").write_text(text)
    shown = run("info", "file").stdout
    assert len([x for x in shown.splitlines() if right in x]) == 1


def test_info_tells_of_a_joined_forest(run, tmp_path):
    (tmp_path / "file").write_text("((a,b),c);(d,e);")
    told = "2 trees joined under one root, which is not a taxon"
    assert told in run("info", "file", "-O", "join=true").stdout


TRIFURCATED = "((a,b),(c,d),(e,f))"
NO_DOUBTS = (
    *("((a,b),(c,d));", "(a,b,c);", "((a,b),c,d,e);", "child,parent\na,x\nb,x\nc,x\n"),
    *(f"[&R] {TRIFURCATED};", f"[&r]{TRIFURCATED};", f"#NEXUS begin trees; tree t = [&R] {TRIFURCATED}; end;"),
    '<phyloxml><phylogeny rooted="true"><clade><clade><clade><name>a</name></clade><clade><name>b</name></clade>'
    "</clade><clade><name>c</name></clade><clade><name>d</name></clade></clade></phylogeny></phyloxml>",
)


@pytest.mark.parametrize("text", NO_DOUBTS)
def test_info_has_no_doubt_where_there_is_none(run, tmp_path, text):
    (tmp_path / "file").write_text(text)
    assert "doubts" not in run("info", "file").stdout


def test_a_root_of_three_children_is_no_doubt_of_somebody_who_says_so(run, tmp_path):
    (tmp_path / "file").write_text(f"{TRIFURCATED};")
    assert "doubts" in run("info", "file").stdout
    assert "doubts" not in run("info", "file", "-O", "rooted=true").stdout
    assert "doubts" not in run("info", "file", "-O", "outgroup=a,b").stdout


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


#: A file with doubts, whose items are those of the table of `test_the_report_counts_what_info_tells`.
REPORTED = {
    "placeholder": ("((a,b)uncultured,(c,d)X,(e,f)Y);", 3),
    "root": ("((a,b),(c,d),(e,f));", 1),
    "without a taxon": ("Feature ID\tTaxon\na\tk__K;g__G\nb\tk__K;g__G\nc\tk__K;g__\nd\tk__K;g__H\ne\tk__K;g__H\n"
                        "f\tUnassigned\n", 3),
    "imports": (
        "import: more.obo\n"
        + "".join(
            f"[Term]\nid: {x}\n" + (f"is_a: {up}\n" if up else "")
            for x, up in (("t", ""), ("u", "t"), ("a", "u"), ("b", "u"), ("c", "t"))
        ),
        1,
    ),
    "other names": ("[Term]\nid: t\n[Term]\nid: u\nis_a: t\n[Term]\nid: a\nalt_id: old\nis_a: u\n"
                    "[Term]\nid: b\nis_a: u\n[Term]\nid: c\nis_a: t\n", 1),
    "none": ("((a,b)X,(c,d)Y);", 0),
}  # fmt: skip


@pytest.mark.parametrize("kind", REPORTED)
def test_the_report_counts_what_info_tells(run, tmp_path, kind):
    text, n = REPORTED[kind]
    (tmp_path / "known").write_text(text)
    (tmp_path / "data.csv").write_text("name,x\n" + "".join(f"{x},{k * k}\n" for k, x in enumerate("abcdef")))
    told = [
        x[2:].removeprefix("doubts").strip() for x in run("info", "known").stdout.partition("doubts")[2].split("\n")
    ]
    told = [x for x in told if x]
    shown = run("report", "data.csv", "--know", "known", "--resamples", 0).stdout
    line = [x for x in shown.splitlines() if x.startswith("Of note: ")]
    assert line == ([f"Of note: {'; '.join(told)}."] if told else [])
    assert len(told) == n
    page = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert all(f"<li>{x}</li>" in page for x in told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("report x.csv --know t.nwk --know t.nwk", "t.nwk is given twice"),
        ("report x.csv --know a.csv --know ./a.csv", "a.csv and ./a.csv are the same"),
        ("report x.csv --know a.csv --know copy.csv", "a.csv and copy.csv are the same"),
        ("report x.csv --know sample:mammals --know sample:mammals", "sample:mammals is given twice"),
        ("report x.csv --know t.nwk --knowledge t.nwk", "t.nwk is given twice"),
        ("cluster x.csv --triplets a.csv --comparisons copy.csv --method divisive", "a.csv and copy.csv are the same"),
        ("cluster x.csv --triplets a.csv --pairs a.csv", "a.csv is given twice"),
        ("supertree t.nwk t.nwk", "t.nwk is given twice"),
    ],
)
def test_doubts__what_is_given_twice_does_not_count_twice(run, tmp_path, arguments, said):
    for name in ("a.csv", "copy.csv"):
        (tmp_path / name).write_text("a,b,odd\nx,y,a\n")
    (tmp_path / "t.nwk").write_text("((x,y),z);")
    (tmp_path / "x.csv").write_text("id,f\nx,1\ny,2\nz,3\n")
    assert f"{said}, and would count twice: leave one out" in run(*arguments.split(), status=2).stderr


def test_doubts__a_tree_counts_twice_with_weights(run, tmp_path):
    (tmp_path / "t.nwk").write_text("((x,y),z);")
    assert "2 hierarchies" in run("supertree", "t.nwk", "t.nwk", "--weights", "1,2").stderr
