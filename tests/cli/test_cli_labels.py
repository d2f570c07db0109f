"""Labels that are written otherwise in two files: other zeros in front, columns of classes in another order."""

from __future__ import annotations

import shlex

import pytest

WITH = "id,x,y\n00123,0,0\n00124,0,1\n00200,5,5\n00201,5,6\n"
KNOWN = {
    "--pairs": "{0}123 {0}124 must\n{0}124 {0}200 cannot\n",
    "--triplets": "{0}123 {0}124 | {0}200\n",
    "--classes": "id,class\n{0}123,A\n{0}124,A\n{0}200,B\n{0}201,B\n",
    "--hierarchy": "(({0}123,{0}124),({0}200,{0}201));",
}


def clusters_of(text):
    return [int(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]]


@pytest.mark.parametrize("option", KNOWN)
@pytest.mark.parametrize(("data", "zeros", "digits"), [(WITH, "", 0), (WITH.replace("\n00", "\n"), "00", 5)])
def test_cluster__other_zeros_are_told_with_a_cure(tmp_path, run, option, data, zeros, digits):
    (tmp_path / "x.csv").write_text(data)
    (tmp_path / "k").write_text(KNOWN[option].format(zeros))
    told = run("cluster", "x.csv", option, "k", "-k", "2", status=2).stderr
    assert "zeros in front of labels differ" in told
    cure = shlex.split(told.partition("make them alike: ")[2])[1:]
    assert cure[-2:] == ["--id-digits", str(digits)]
    assert clusters_of(run(*cure).stdout) == [0, 0, 1, 1]


def test_report_describe__other_zeros_are_told_with_a_cure(tmp_path, run):
    (tmp_path / "x.csv").write_text(WITH)
    (tmp_path / "t.txt").write_text("123 124 | 200\n123 124 | 201\n")
    for command in (
        ["report", "x.csv", "--know", "t.txt", "--resamples", "0"],
        ["describe", "t.txt", "--data", "x.csv"],
    ):
        told = run(*command, status=2).stderr
        assert "2 triplets" in run(*shlex.split(told.partition("make them alike: ")[2])[1:]).output
    assert "goes with --data" in run("describe", "t.txt", "--id-digits", "0", status=2).stderr


def test_cluster__zeros_that_no_option_mends_are_told(tmp_path, run):
    (tmp_path / "x.csv").write_text(WITH)
    (tmp_path / "p.txt").write_text("00123 124 must\n0200 00201 cannot\n")
    told = run("cluster", "x.csv", "--pairs", "p.txt", "-k", "2", status=2).stderr
    assert "write them alike in both files" in told


def test_cluster__whole_numbers_beside_such_with_a_point_are_one_kind(tmp_path, run):
    (tmp_path / "x.csv").write_text("id,x\n101.0,0\n102.0,1\n104,5\n105,6\n")
    (tmp_path / "p.txt").write_text("101 102 must\n102 104 cannot\n")
    assert clusters_of(run("cluster", "x.csv", "--pairs", "p.txt", "-k", "2").stdout) == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,class\n00123,A\n00124,A\n00200,B\n00201,B\n", ""),
        ("class,id\nA,00123\nA,00124\nB,00200\nB,00201\n", "labels in 'id', classes in 'class'"),
        ("1,2\n1,00123\n1,00124\n2,00200\n2,00201\n", "labels in '2', classes in '1'"),
        (",id,class\n0,00123,A\n1,00124,A\n2,00200,B\n3,00201,B\n", "labels in 'id', classes in 'class'"),
    ],
)
def test_cluster__columns_of_classes_are_known_by_the_labels(tmp_path, run, text, told):
    (tmp_path / "x.csv").write_text(WITH)
    (tmp_path / "c.csv").write_text(text)
    result = run("cluster", "x.csv", "--classes", "c.csv", "-k", "2")
    assert clusters_of(result.stdout) == [0, 0, 1, 1]
    assert told in result.stderr if told else "classes in" not in result.stderr


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("id,age,class\n00123,3,A\n00124,4,A\n00200,5,B\n00201,5,B\n", ["id,age", "id,class"]),
        ("a,b\n00123,00124\n00124,00200\n00200,00123\n", ["a,b", "b,a"]),
    ],
)
def test_cluster__columns_of_classes_that_two_readings_fit_are_asked(tmp_path, run, text, ways):
    (tmp_path / "x.csv").write_text(WITH)
    (tmp_path / "c.csv").write_text(text)
    told = run("cluster", "x.csv", "--classes", "c.csv", "-k", "2", status=2).stderr
    commands = [shlex.split(line.split(":", 1)[1])[1:] for line in told.splitlines()[1:]]
    assert [x[-1] for x in commands] == ways
    results = [run(*x) for x in commands if ways[0] == "id,age"]
    assert not results or clusters_of(results[1].stdout) == [0, 0, 1, 1]


def test_plot__columns_of_classes_are_known_by_the_leaves(tmp_path, run):
    (tmp_path / "t.nwk").write_text("((ant,bee),(cat,dog));")
    (tmp_path / "c.csv").write_text("class,animal\ninsect,ant\ninsect,bee\nmammal,cat\nmammal,dog\n")
    assert "labels in 'animal'" in run("plot", "t.nwk", "--classes", "c.csv", "--html", "t.html").stderr


@pytest.mark.parametrize("columns", ["id", "id,class,more"])
def test_cluster__two_columns_of_classes_are_named(tmp_path, run, columns):
    (tmp_path / "x.csv").write_text(WITH)
    (tmp_path / "c.csv").write_text("id,class\n00123,A\n00200,B\n")
    more = ["-k", "2", "--class-columns", columns]
    assert "names two columns" in run("cluster", "x.csv", "--classes", "c.csv", *more, status=2).stderr
    assert "goes with a file of classes" in run("cluster", "x.csv", *more, status=2).stderr


#: Files of classes of s0 to s8, a, b, c in turn, in other layouts than a row for each label.
LAYOUTS_OF_CLASSES = {
    "labels in the header": "sample,{labels}\nclass,{classes}\n",
    "labels above classes": "{labels}\n{classes}\n",
    "a line for each class": "a\ts0\ts3\ts6\nb\ts1\ts4\ts7\nc\ts2\ts5\ts8\n",
    "a cell of labels": 'class,samples\na,"s0, s3, s6"\nb,"s1, s4, s7"\nc,"s2, s5, s8"\n',
    "behind a colon": "a: s0, s3, s6\nb: s1, s4, s7\nc: s2, s5, s8\n",
    "a column for each": "a,b,c\ns0,s1,s2\ns3,s4,s5\ns6,s7,s8\n",
}


@pytest.mark.parametrize("layout", LAYOUTS_OF_CLASSES)
def test_cluster__files_of_classes_in_other_layouts(run, tmp_path, layout):
    names = {"labels": ",".join(f"s{k}" for k in range(9)), "classes": ",".join("abcabcabc")}
    (tmp_path / "c.csv").write_text(LAYOUTS_OF_CLASSES[layout].format(**names))
    (tmp_path / "rows.csv").write_text("sample,class\n" + "".join(f"s{k},{'abc'[k % 3]}\n" for k in range(9)))
    (tmp_path / "d.csv").write_text("sample,x,y\n" + "".join(f"s{k},{k % 2},{(k * k) % 5}\n" for k in range(9)))
    found = run("cluster", "d.csv", "-k", 3, "--classes", "c.csv")
    assert "c.csv: read 9 labels" in found.stderr
    assert found.stdout == run("cluster", "d.csv", "-k", 3, "--classes", "rows.csv").stdout


def test_cluster__classes_of_json_with_a_list_for_each(tmp_path, run):
    (tmp_path / "x.csv").write_text("id,x\na,0\nb,1\nc,5\nd,6\ne,9\n")
    (tmp_path / "k.json").write_text('{"low": ["a", "b"], "high": ["c", "d", "e"]}')
    done = run("cluster", "x.csv", "--classes", "k.json", "-k", "2", "--write-knowledge", "known.json")
    assert "classes of 5 samples (2 classes)" in done.stderr
    assert clusters_of(done.stdout) == [0, 0, 1, 1, 1]
