"""``answers``, and the other commands on files of answers."""

import csv
import json
import shlex

import numpy as np
import pytest
from crowds import simulate_crowd

from tripletree.io import read_answers, read_support

NAMES = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "kid", "lion"]
TABLE = "who,a,b,c,odd\nanna,cat,dog,eel,eel\nben,cat,eel,dog,eel\ncleo,cat,dog,eel,cat\ncleo,cat,dog,eel,\n"


@pytest.fixture
def crowd(tmp_path):
    """A table of a crowd with a random person and one who goes by another hierarchy."""
    _, answers = simulate_crowd(np.random.default_rng(1), 12, n_answers=60)
    frame = answers.to_frame()
    for name in ("item_1", "item_2", "item_3", "answer"):
        frame[name] = [NAMES[i] for i in frame[name]]
    path = tmp_path / "crowd.csv"
    frame.drop(columns=["when", "line"]).to_csv(path, index=False)
    return path


def test_answers__words(run):
    lines = run("answers", "-", text=TABLE).stdout.splitlines()
    assert lines[0] == "standard input: 4 answers of 3 people to 1 question about 3 samples, 1 of them unsure"
    assert lines[1] == "inconsistent: 1 question with different answers"
    assert "  cat dog eel: eel 2 (anna, ben), cat 1 (cleo)" in lines


def test_answers__people_and_consensus(run, crowd, tmp_path):
    text = run("answers", crowd, "-o", "c.nwk", "--people", "p.csv", "--disputed", "d.csv").stdout
    assert "good 0, good 1, good 2, good 3, random 4 contradict themselves" in text
    with open(tmp_path / "p.csv", encoding="utf-8") as stream:
        people = {row["who"]: row for row in csv.DictReader(stream)}
    assert people["random 4"]["verdict"] == "random"
    assert people["other 5"]["verdict"] == "other criterion"
    assert [people[f"good {k}"]["verdict"] for k in range(4)] == ["agrees"] * 4
    assert float(people["good 0"]["weight"]) > 0.5 > float(people["random 4"]["weight"])
    hierarchy, support = read_support(tmp_path / "c.nwk")
    assert set(hierarchy.leaves) == set(NAMES)
    assert ((support[:-1] > 0.2) & (support[:-1] <= 1.0)).all()
    assert np.median(support[:-1]) > 0.9
    with open(tmp_path / "d.csv", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    lines = crowd.read_text(encoding="utf-8").splitlines()
    for row in rows:
        cells = lines[int(row["line"]) - 1].split(",")
        assert set(cells[:3]) == {row["item_1"], row["item_2"], row["item_3"]}
        assert cells[3:5] == [row["answer"], row["who"]]
    said = {}
    for row in rows:
        said.setdefault(row["question"], set()).add(row["answer"])
    assert all(len(x) > 1 for x in said.values())


def test_answers__equal_weights_and_few_lines(run, crowd):
    text = run("answers", crowd, "--equal-weights", "-k", "1").stdout
    assert "Questions with different answers" in text
    assert "more: -k lists more" in text


def test_answers__a_picture_and_a_page(run, crowd, tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    run("answers", crowd, "--plot", "c.png", "--html", "c.html", "--min-support", "0.2")
    assert np.ptp(imread(tmp_path / "c.png")) > 0.9
    assert "100" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_answers__json_lines_and_back(run, crowd, tmp_path):
    first = run("answers", crowd, "--jsonl", "c.jsonl").stdout
    assert [x.items for x in read_answers(tmp_path / "c.jsonl")] == [x.items for x in read_answers(crowd)]
    second = run("answers", "c.jsonl").stdout
    assert first.splitlines()[1:] == second.splitlines()[1:]
    moved = run("answers", crowd, "--jsonl", "-")
    assert moved.stdout == (tmp_path / "c.jsonl").read_text(encoding="utf-8")
    assert moved.stderr.partition("\n")[2] == first


def test_answers__quick_ones_are_told_and_may_be_left_out(run, tmp_path):
    table = "who,a,b,c,odd,seconds\nanna,cat,dog,eel,eel,1.5\nanna,cat,dog,elk,cat,0.01\nben,cat,dog,eel,eel,0.2\n"
    told = run("answers", "-", "--seconds", "seconds", "--people", "people.csv", text=table).stdout
    assert ", 2 of them quicker than a person can look (--without-quick leaves them out)" in told
    rows = [line.split(",")[:4] for line in (tmp_path / "people.csv").read_text().splitlines()]
    assert rows == [["who", "answers", "unsure", "quick"], ["anna", "2", "0", "1"], ["ben", "1", "0", "1"]]
    left = run("answers", "-", "--seconds", "seconds", "--without-quick", text=table)
    assert "1 answer of 1 person" in left.stdout
    assert "left out: 2 answers quicker than a person can look" in left.stderr
    none = run("answers", "-", "--seconds", "seconds", "--without-quick", text=table.replace("1.5", "0.1"), status=2)
    assert "every answer is quicker than a person can look" in none.stderr


def test_answers__columns(run):
    table = "p,q,r,s,t\ncat,dog,eel,3,anna\ncat,dog,fly,1,anna\n"
    for options in (["--odd", "s", "--items", "p,q,r", "--who", "t"], ["--odd", "s", "--items", "0,1,2", "--who", "t"]):
        text = run("answers", "-", *options, text=table).stdout
        assert text.startswith("standard input: 2 answers of 1 person to 2 questions about 4 samples\nconsistent: a")
    plain = table.partition("\n")[2]
    text = run("answers", "-", "--odd", "3", "--items", "0,1,2", "--who", "4", text=plain).stdout
    assert text.startswith("standard input: 2 answers of 1 person")


def test_answers__whether_there_is_a_header(run):
    table = "name,kin,far\ncat,dog,eel\ndog,cat,eel\n"
    for option, first in (("--header", "2 answers to 1 question"), ("--no-header", "3 answers to 2 questions")):
        assert first in run("answers", "-", "--odd", "2", option, text=table).stdout
    line = '{"items": ["cat", "dog", "eel"], "answer": "alike"}\n'
    assert "--header is for tables" in run("answers", "-", "--header", text=line, status=2).stderr


def test_answers__that_clash_without_a_disputed_question(run):
    table = "a,b,c,odd\ncat,dog,eel,eel\ndog,eel,fly,fly\neel,fly,cat,cat\n"
    text = run("answers", "-", text=table).stdout
    assert "inconsistent, though no question has different answers: tripletree explain shows which clash" in text


@pytest.mark.parametrize(
    ("args", "text", "message"),
    [
        (["-"], "a,b,c\nx,y,z\n", "nothing tells which of them is the odd one: --odd 2 if it is the third"),
        (["-", "--odd", "w"], "a,b,c,odd\nx,y,z,z\n", "--odd w is not a column of this table"),
        (["-"], "a,b,c,d,odd\nx,y,z,u,z\n", "give --items, which three"),
        (
            ["-", "--header"],
            "p,q,r,who\nx,y,z,1\nx,y,w,2\n",
            "give --odd, which of the 4 columns holds the answer. There",
        ),
        (["-", "--items", "a"], "a,b,c,odd\nx,y,z,z\n", "not the names of three columns"),
        (["-", "--odd", "odd"], '{"items": ["a", "b", "c"], "answer": "unsure"}\n', "is for tables"),
        (["-"], "a,b,c,odd\nx,y,z,\nx,y,w,NA\n", "no row has an answer: all 2 cells in 'odd'"),
        (["-", "-o", "c.nwk"], "a,b,c,odd\nx,y,z,unsure\n", "none of the answers names an odd one"),
        (["-"], "garbage\n", "this is not a file of answers: it has 1 column;"),
        (["-"], "cat,dog\neel,cat\n", "a table needs three columns of items and one of the answer"),
        (["-", "--odd", "2"], "cat,dog\neel,cat\n", "a table needs three columns of items and one of the answer"),
        (["-", "--odd", "nocol"], "who,a,b,c,odd\nx,cat,dog,eel,eel\n", "it has 'who', 'a', 'b', 'c', 'odd'"),
        (["-", "--odd", "nocol"], "p,q,r,s\ncat,dog,eel,eel\n", "without names; the first row is 'p', 'q', 'r', 's'"),
        (["-", "--odd", "0"], "name,kin,far\ncat,dog,eel\ndog,cat,eel\n", "give --header if it names the columns"),
        (["-", "-o", "-", "--jsonl", "-"], "a,b,c,odd\nx,y,z,\n", "only one output can be the standard output"),
        (["-"], '{"items": ["a", "b", "c"], "answer": "unsure"}\n{"items"]\n', "line 2: this is not JSON"),
    ],
)
def test_answers__refused(run, args, text, message):
    assert message in run("answers", *args, text=text, status=2).stderr


def test_answers__none(run):
    assert "standard input holds no answer" in run("answers", "-", text="", status=2).stderr
    assert "holds no answer" in run("answers", "-", text='{"tripletree": "answers"}\n', status=2).stderr
    assert "1 of them unsure" in run("answers", "-", text="a,b,c,odd\nx,y,z,unsure\n").stdout


def test_answers__of_the_other_commands(run, tmp_path):
    jsonl = run("answers", "-", "--jsonl", "-", text=TABLE).stdout
    for text in (TABLE, jsonl):
        shown = run("check", "-", text=text, status=1).stdout
        assert "cat dog | eel    weight 2, line 2, said 2 times\n" in shown
        assert "dog eel | cat    weight 1, line 4\n" in shown
        assert "lines 2 and 4" in run("explain", "-", text=text, status=1).stdout
        assert "2 triplets on 3 leaves" in run("describe", "-", text=text, status=1).stdout
        repaired = run("repair", "-", text=text)
        assert repaired.stdout == "cat dog | eel | 2.0\n"
        assert "1 of 2 triplets kept, weight 2 of 3" in repaired.stderr
        info = run("info", "-", text=text).stdout
        assert info.splitlines()[1] == "  answers    4: 3 odd, 1 unsure"
    headless = "cat,dog,eel,eel\ncat,eel,dog,eel\n"
    assert run("check", "-", "--odd", "3", text=headless).stdout == "consistent: 1 triplet on 3 leaves\n"
    assert run("repair", "-", "--odd", "3", text=headless).stdout.startswith("cat dog | eel")
    assert run("check", "-", "--as", "answers", text=headless).stdout == "consistent: 1 triplet on 3 leaves\n"
    assert "--as pairs excludes" in run("check", "-", "--odd", "3", "--as", "pairs", text=headless, status=2).stderr
    (tmp_path / "points.csv").write_text("name,x\ncat,0\ndog,5\neel,1\n", encoding="utf-8")
    (tmp_path / "said.csv").write_text(TABLE.replace("cleo,cat,dog,eel,cat\n", ""), encoding="utf-8")
    clusters = run("cluster", "points.csv", "--triplets", "said.csv", "-k", "2").stdout
    assert clusters.splitlines()[1:] == ["cat,0", "dog,0", "eel,1"]
    assert run("cluster", "points.csv", "--triplets", "said.csv", "--odd", "odd", "-k", "2").stdout == clusters
    assert "--odd goes with --triplets" in run("cluster", "points.csv", "--odd", "odd", status=2).stderr


def test_answers__triplets_stay_triplets(run):
    """A table of triplets with a column of that name, whose cells are not answers, is read as before."""
    text = "a,b,c,choice\nx,y,z,good\n"
    assert run("check", "-", "--as", "triplets", text=text).stdout == "consistent: 1 triplet on 3 leaves\n"
    assert json.loads(run("explain", "-", "--json", text="a,b,c\nx,y,z\n").stdout) == []


def test_answers__known_answers_and_response_times_of_people(run, tmp_path):
    (tmp_path / "crowd.csv").write_text(
        "who,a,b,c,odd,seconds\nanna,cat,dog,eel,eel,2.5\nanna,cat,dog,carp,carp,3.5\nben,cat,dog,eel,cat,0.4\n"
        "ben,dog,carp,cat,alike,\ncleo,cat,dog,eel,eel,\n"
    )
    (tmp_path / "known.txt").write_text("cat dog | eel\ncat dog | carp\n")
    done = run("answers", "crowd.csv", "--known", "known.txt", "--people", "people.csv", "--disputed", "d.csv")
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("  anna ", "  ben ", "  cleo "))]
    assert [line[4:7] for line in lines[:3]] == [["2", "of", "2"], ["0", "of", "2"], ["1", "of", "1"]]
    table = list(csv.DictReader((tmp_path / "people.csv").read_text().splitlines()))
    assert [(x["known"], x["known right"], x["median seconds"]) for x in table] == [
        ("2", "2", "3.00"),
        ("2", "0", "0.40"),
        ("1", "1", ""),
    ]
    disputed = csv.DictReader((tmp_path / "d.csv").read_text().splitlines())
    assert [x["seconds"] for x in disputed] == ["2.5", "", "0.4", "3.5", ""]
    assert "known right" not in run("answers", "crowd.csv").stdout
    assert "two for" in run("answers", "crowd.csv", "--known", "crowd.csv", status=2).stderr


def test_answers__a_doubt_names_a_command_for_each_reading(run, tmp_path):
    rows = ["fig,pear,saw,pear", "pear,fig,saw,fig", "saw,axe,fig,axe", "axe,saw,fig,saw"]
    (tmp_path / "my pilot.csv").write_text("\n".join(["picture,left,right,answer", *rows]) + "\n")
    said = run("answers", "my pilot.csv", status=2).stderr
    both = said.partition("Comparisons: ")[2].strip().split("; the odd one: ")
    comparisons, odd = both  # commands stand in quotes, but for those that have some
    assert comparisons.startswith("tripletree check 'my pilot.csv' --as comparisons --columns picture,left,right")
    done = run(*shlex.split(comparisons)[1:])
    assert done.stdout == "consistent: 2 triplets on 4 leaves\n"
    assert "4 comparisons: picture against left and right; 2 triplets of which both halves are said" in done.stderr
    assert "4 answers to 2 questions" in run(*shlex.split(odd)[1:]).stdout


def test_answers__yes_or_no_has_a_command_for_each_reading(run, tmp_path):
    (tmp_path / "c.csv").write_text("ref,left,right,hit\nfig,pear,saw,1\npear,saw,fig,0\n")
    said = run("check", "c.csv", "--columns", "ref,left,right", "--answer", "hit", status=2).stderr
    one, other = (x for x in said.split("'") if x.startswith("tripletree "))
    assert "--columns ref,left,right --answer hit --first 0" in one
    assert run(*shlex.split(one)[1:]).stderr.startswith("Read 2 comparisons: ref against left and right")
    assert run(*shlex.split(other)[1:]).stdout == "consistent: 1 triplet on 3 leaves\n"
    (tmp_path / "d.csv").write_text("ref,left,right,chose_left\nfig,pear,saw,1\npear,saw,fig,0\n")
    assert run("check", "d.csv").stdout == "consistent: 1 triplet on 3 leaves\n"


def test_answers__the_columns_that_fit_are_in_the_command(run, tmp_path):
    (tmp_path / "t.csv").write_text("who,p,q,r,s,block\nann,fig,pear,saw,saw,1\nann,fig,saw,axe,fig,2\n")
    said = run("answers", "t.csv", "--header", status=2).stderr
    command = said.partition("'s' names the odd one of 'p', 'q' and 'r': ")[2].partition(";")[0].strip().strip("'")
    assert command == "tripletree answers t.csv --items p,q,r --odd s"
    assert "2 answers of 1 person to 2 questions" in run(*shlex.split(command)[1:]).stdout


def test_answers__events_have_to_be_joined(run, tmp_path):
    rows = [f"ann,{k},look,fig,saw,{x},\nann,{k},click,,,,{x}\n" for k, x in enumerate(["axe", "pear"])]
    for name in ("i,j,k", "ref,left,right"):
        (tmp_path / "e.csv").write_text(f"who,trial,event,{name},response\n" + "".join(rows))
        said = run("check", "e.csv", *(["--odd", "response", "--items", name]), status=2).stderr
        assert "no row has both items and an answer: 2 rows have items and an empty 'response', and 2 other" in said
    command = said.partition("one row: ")[2].partition(" makes that file")[0]
    assert eval(command, {"pandas": pytest.importorskip("pandas")}) is None  # noqa: S307
    done = run("check", "joined.csv", "--odd", "response", "--items", name)
    assert done.stdout == "consistent: 2 triplets on 4 leaves\n"


def test_answers__comparisons_of_columns_of_any_name(run, tmp_path):
    (tmp_path / "c.csv").write_text("p,q,r,s\nfig,pear,saw,q\npear,fig,saw,q\nsaw,axe,fig,r\n")
    done = run("explain", "c.csv", "--columns", "p,q,r", "--answer", "s")
    assert done.stdout == "consistent: no conflict among 1 triplet\n"
    assert "--answer is for comparisons" in run("check", "c.csv", "--as", "pairs", "--answer", "s", status=2).stderr


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("A,B,Link\nx,y,Y\nx,z,N\n", "pairs", "1 must-link and 1 cannot-link on 3 leaves"),
        ("a;b;link;weight\nx;y;1.0;0,5\nx;z;0.0;0,5\n", "pairs", "1 must-link and 1 cannot-link on 3 leaves"),
        ("unique_id_l,unique_id_r,match_probability\nx,y,0.9\nx,z,0.2\n", None, "1 must-link and 1 cannot-link on 3"),
        ("A,B,C\nx,y,z\n", "triplets", "1 triplet on 3 leaves"),
        ("Center,Left,Right,Answer\nx,y,z,y\ny,x,z,x\n", None, "1 triplet on 3 leaves"),
        ("item1,item2,item3,response\nx,y,z,3.0\nx,y,w,1.0\nw,z,y,2.0\n", None, "3 triplets on 4 leaves"),
    ],
)
def test_check__layouts_mean_what_they_mean_in_python(run, tmp_path, text, kind, says):
    (tmp_path / "t.csv").write_text(text)
    assert says in run("check", "t.csv", *([] if kind is None else ["--as", kind])).stdout


def test_answers__tables_have_no_formulas_that_people_typed(run, tmp_path):
    (tmp_path / "a.csv").write_text("who,a,b,c,odd\n=cmd(),x,y,z,x\nida,x,y,z,y\n")
    run("answers", "a.csv", "--people", "people.csv", "--disputed", "disputed.csv")
    for name in ("people.csv", "disputed.csv"):
        text = (tmp_path / name).read_text()
        assert "'=cmd()" in text
        assert ",=cmd()" not in text
        assert "\n=cmd()" not in text
