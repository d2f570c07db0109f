"""``check``, ``explain``, ``describe`` and ``info`` of pair files: must-links, cannot-links and their lines."""

import json
import re
import shlex

import pytest

from tripletree.algorithms.pair_conflict import find_contradictions
from tripletree.io import read_pairs

CLASH = "a b must\nb c must\n# x\nx y ML\na c cannot\nx y cannot\n"
FINE = "a b must\nb c must\nc d cannot\n#!leaves e\n"


def test_check__consistent(run):
    assert run("check", "-", text=FINE).stdout == "consistent: 2 must-links and 1 cannot-link on 5 leaves\n"


def test_check__a_contradiction_with_its_lines(run, tmp_path):
    result = run("check", "-", "-o", "clash.txt", text=CLASH, status=1)
    assert result.stdout.splitlines() == [
        "inconsistent. x and y are linked both ways:",
        "  x y must    line 4",
        "  x y cannot  line 6",
        "1 more cannot-link is broken; tripletree explain -k shows several.",
    ]
    assert set(read_pairs(tmp_path / "clash.txt")) == {("x", "y", "must"), ("x", "y", "cannot")}


def test_explain__one_and_all(run, tmp_path):
    one = run("explain", "-", text=CLASH, status=1).stdout
    assert one.startswith("Conflict 1 of 2. x and y are linked both ways:\n")
    assert one.endswith("\n1 more cannot-link is broken; tripletree explain -k shows several.\n")
    both = run("explain", "-", "-k", "9", "-o", "clash.txt", text=CLASH, status=1).stdout
    assert both.split("\n\n")[1].splitlines() == [
        "Conflict 2 of 2. These 2 must-links put a and c together, which a cannot-link keeps apart:",
        "  a b must    line 1",
        "  b c must    line 2",
        "  a c cannot  line 5",
    ]
    assert len(find_contradictions(read_pairs(tmp_path / "clash.txt"))) == 2
    assert run("explain", "-", text=FINE).stdout == "consistent: no conflict among 2 must-links and 1 cannot-link\n"


def test_explain__json(run):
    found = json.loads(run("explain", "-", "--json", "-k", "2", text=CLASH, status=1).stdout)
    assert [[link["line"] for link in x["links"]] for x in found] == [[4, 6], [1, 2, 5]]
    assert found[1]["path"] == ["a", "b", "c"]


def test_explain__a_long_path_is_cut(run):
    chain = "".join(f"x{i} x{i + 1} must\n" for i in range(50))
    shown = run("explain", "-", text=f"{chain}x0 x50 cannot\n", status=1).stdout.splitlines()
    assert shown[0] == "These 50 must-links put x0 and x50 together, which a cannot-link keeps apart:"
    assert shown[-2].strip() == "(21 more)"
    assert shown[-1].split() == ["x0", "x50", "cannot", "line", "51"]
    assert shown[-3].split() == ["x28", "x29", "must", "line", "29"]
    assert len(shown) == 32


def test_explain__options_of_triplets_are_refused(run):
    assert "--plot is for triplets" in run("explain", "-", "--plot", "x.png", text=CLASH, status=2).stderr
    assert "--max-steps is for triplets" in run("explain", "-", "--max-steps", "5", text=CLASH, status=2).stderr
    assert "--data is for triplets" in run("describe", "-", "--data", "x.csv", text=CLASH, status=2).stderr


def test_describe__in_words_and_as_json(run):
    told = run("describe", "-", text=FINE).stdout
    assert told.splitlines() == [
        "2 must-links and 1 cannot-link",
        "  must-links    2",
        "  cannot-links  1",
        "  leaves        5, 1 of them in no pair",
        "  consistent    yes",
        "  groups        1 by must-links, the largest of 3 leaves",
        "  kept apart    1 pair of groups or single leaves",
        "  implied       3 must-links and 3 cannot-links in all",
        "  triplets      2 for their meaning for hierarchies",
    ]
    values = json.loads(run("describe", "-", "--json", text=FINE).stdout)
    assert (values["n_must"], values["n_must_implied"], values["n_triplets"]) == (2, 3, 2)
    assert values["consistent"] is True


def test_describe__a_contradiction(run):
    told = run("describe", "-", text=CLASH, status=1).stdout
    assert "no: must-links break 2 cannot-links; tripletree explain shows how" in told
    assert json.loads(run("describe", "-", "--json", text=CLASH, status=1).stdout)["n_broken"] == 2


def test_describe__weights(run):
    text = "a,b,link,weight\nx,y,must,1\ny,z,cannot,.5\n"
    assert "  weights       0.5 to 1\n" in run("describe", "-", text=text).stdout


@pytest.mark.parametrize("command", ["check", "explain", "describe"])
def test_kind__is_told_or_said(run, tmp_path, command):
    (tmp_path / "p.csv").write_text("a,b,link\nx,y,must\n")
    (tmp_path / "t.csv").write_text("a,b,c\nx,y,1\n")
    assert "1 must-link" in run(command, "p.csv").stdout
    assert "1 triplet" in run(command, "t.csv").stdout.replace("triplets   1", "1 triplet")
    slip = "a b mst\n"
    assert "no '|' in the line" in run(command, "-", text=slip, status=2).stderr
    assert "line 1, column 5: 'mst' is not a link" in run(command, "-", "--as", "pairs", text=slip, status=2).stderr
    assert "no '|' in the line" in run(command, "-", "--as", "triplets", text=FINE, status=2).stderr
    assert "holds no pair and no leaf" in run(command, "-", "--as", "pairs", text="", status=2).stderr
    assert "sample:mammals is a hierarchy" in run(command, "sample:mammals", "--as", "pairs", status=2).stderr


def test_info__as_pairs(run):
    told = run("info", "-", "--as", "pairs", text=FINE).stdout
    assert told.startswith("standard input: pairs\n  must-links    2\n")


# ---------------------------------------------------------------------- columns, and pairs in the wrong place

TABLE = "mine,other,same\nx,y,True\ny,z,False\n"


@pytest.mark.parametrize("command", ["check", "explain", "describe"])
def test_columns__are_named_by_the_hint_and_by_the_option(run, tmp_path, command):
    (tmp_path / "p.csv").write_text(TABLE)
    told = run(command, "p.csv", status=2).stderr
    assert "--columns mine,other,same" in told
    assert "columns=(" not in told
    assert "1 must-link" in run(command, "p.csv", "--columns", "mine,other,same").stdout
    told = run(command, "p.csv", "--columns", "mine,other", status=2).stderr
    assert "'same' is called like a link: --columns mine,other,same" in told
    assert "names of three columns" in run(command, "p.csv", "--columns", "mine", status=2).stderr
    told = run(command, "p.csv", "--columns", "mine,other,same", "--as", "answers", status=2).stderr
    assert "--columns is for pairs, triplets and comparisons" in told


@pytest.mark.parametrize("command", ["check", "explain", "describe"])
def test_columns__of_triplets(run, tmp_path, command):
    (tmp_path / "t.csv").write_text("near,beside,third one\nx,y,z\nx,z,w\n")
    told = run(command, "t.csv", status=2).stderr
    assert "it has 'near', 'beside', 'third one'" in told
    assert "or name them with --columns 'near,beside,third one' (a, b and c of ab|c)" in told
    said = run(command, "t.csv", "--as", "triplets", "--columns", "near,beside,third one").stdout
    assert "2 triplets on 4 leaves" in said or "consistent" in said


@pytest.mark.parametrize("command", ["repair", "closure", "build"])
def test_columns__of_triplets_where_nothing_else_has_columns(run, tmp_path, command):
    (tmp_path / "t.csv").write_text("near,beside,third one\nx,y,z\nx,z,w\n")
    (tmp_path / "plain.csv").write_text("a,b,c\nx,y,z\nx,z,w\n")
    told = run(command, "t.csv", status=2).stderr
    assert told.endswith(
        "the first line has to name the columns of ab|c a, b and c; or name them with "
        "--columns 'near,beside,third one' (a, b and c of ab|c)\n"
    )
    named = run(command, "t.csv", "--columns", "near,beside,third one")
    assert named.stdout == run(command, "plain.csv").stdout
    told = run(command, "t.csv", "--columns", "near,beside,far", status=2).stderr
    assert told.endswith("the table lacks the column 'far'; it has 'near', 'beside', 'third one'\n")


def test_columns__of_a_repair_are_not_those_of_answers(run):
    told = run("repair", "-", "--columns", "x,y,z", "--odd", "w", text="x,y,z,w\n", status=2).stderr
    assert "--columns is for pairs, triplets and comparisons, and --odd for answers: give one of them" in told


def test_columns__of_the_triplets_of_cluster(run, tmp_path):
    (tmp_path / "x.csv").write_text("name,v\nx,0\ny,9\nz,8\n")
    (tmp_path / "t.csv").write_text("near,beside,other\nx,y,z\n")
    told = run("cluster", "x.csv", "--triplets", "t.csv", status=2).stderr
    assert "or name them with --columns near,beside,other" in told
    done = run("cluster", "x.csv", "--triplets", "t.csv", "--columns", "near,beside,other", "-k", "2")
    assert done.stdout.splitlines()[1:] == ["x,0", "y,0", "z,1"]


def test_columns__of_cluster(run, tmp_path):
    (tmp_path / "x.csv").write_text("name,v\nx,0\ny,9\nz,8\n")
    (tmp_path / "p.csv").write_text(TABLE)
    shown = run("cluster", "x.csv", "--pairs", "p.csv", "--columns", "mine,other,same", "-k", "2").stdout
    assert shown.splitlines()[1:] == ["x,0", "y,0", "z,1"]
    assert (
        "--columns goes with --triplets, --comparisons or --pairs"
        in run("cluster", "x.csv", "--columns", "a,b,c", "-k", "2", status=2).stderr
    )


def test_triplets__pairs_in_their_place_are_told(run, tmp_path):
    (tmp_path / "p.csv").write_text("a,b,link\nx,y,must\n")
    assert "p.csv holds pairs; expected triplets" in run("repair", "p.csv", status=2).stderr
    assert "standard input holds pairs" in run("closure", "-", text=FINE, status=2).stderr
    (tmp_path / "x.csv").write_text("name,v\nx,0\ny,9\nz,8\n")
    told = run("cluster", "x.csv", "--triplets", "p.csv", "-k", "2", status=2).stderr
    assert "p.csv holds pairs; expected triplets: give it as --pairs" in told
    assert "holds pairs" not in run("repair", "-", text="a b c\n", status=2).stderr


@pytest.mark.parametrize("command", ["check", "explain", "describe", "cluster"])
def test_help__has_an_example_with_pairs(run, command):
    examples = run(command, "--help").stdout.split("Examples:")[1]
    assert any(word in examples for word in ("must", "yes", "--pairs"))


def test_shell__a_full_disk_is_told(bash):
    done = bash("set +e; printf 'a b must\\n' | tripletree check - > /dev/full; echo $? >&2")
    assert done.stderr == "error: no space left on device: standard output\n2\n"


def test_cluster__each_file_gets_the_options_for_it(run, tmp_path):
    """Columns are those of the file that has them, whichever files are beside it."""
    (tmp_path / "x.csv").write_text("name,v\na,0\nb,1\nc,8\nd,9\n")
    (tmp_path / "same.csv").write_text("p,q,r\na,b,yes\nb,c,no\n")
    (tmp_path / "said.csv").write_text("rater,boss,m,n,o,pick,block\nr,s,d,a,c,c,main\nr,s,a,b,d,d,trial\n")
    (tmp_path / "t.txt").write_text("c d | a\n")
    divisive = ("cluster", "x.csv", "-k", "2", "--method", "divisive")
    votes = ("--comparisons", "said.csv", "--answer", "pick", "--only", "block == 'main'")
    done = run(*divisive, "--pairs", "same.csv", "--triplets", "t.txt", "--columns", "p,q,r")
    assert done.stdout.splitlines()[1:] == ["a,0", "b,0", "c,1", "d,1"]
    done = run(*divisive, "--triplets", "t.txt", *votes, "--columns", "m,n,o")
    assert "Read 1 comparison: m against n and o; 1 person; 1 of 2 rows are asked for" in done.stderr
    assert done.stdout.splitlines()[1:] == ["a,0", "b,0", "c,1", "d,1"]
    said = run(*divisive, *votes, "--pairs", "same.csv", "--columns", "p,q,zzz", status=2).stderr
    assert "--columns: this is for neither said.csv nor same.csv" in said
    said = run(*divisive, "--triplets", "t.txt", "--answer", "pick", status=2).stderr
    assert "--answer goes with --comparisons" in said
    said = run(*divisive, "--triplets", "t.txt", "--who", "pick", status=2).stderr
    assert "--who is for answers and comparisons, and t.txt is not known to hold these" in said


def test_columns__of_comparisons_are_no_triplets(run, tmp_path):
    (tmp_path / "said.csv").write_text("probe,near,far\na,b,c\nb,a,c\n")
    assert "both halves" in run("check", "said.csv", "--columns", "probe,near,far").stderr
    said = run("check", "said.csv", "--columns", "probe,near,far", "--odd", "far", status=2).stderr
    assert "--columns is for pairs, triplets and comparisons, and --odd for answers: give one of them" in said


def test_cluster__samples_that_data_has_not(run, tmp_path):
    (tmp_path / "x.csv").write_text("name,v\na,0\nb,1\nc,8\nd,9\n")
    (tmp_path / "t.txt").write_text("a b | c\na ghost | c\n")
    (tmp_path / "p.csv").write_text("a,b,must\na,ghost,cannot\n")
    for option, file in (("--triplets", "t.txt"), ("--pairs", "p.csv")):
        assert "ghost" in run("cluster", "x.csv", option, file, "-k", "2", status=2).stderr
        done = run("cluster", "x.csv", option, file, "-k", "2", "--missing-samples", "ignore")
        assert done.stdout.splitlines()[1:] == ["a,0", "b,0", "c,1", "d,1"]


def test_answers__of_a_folder(run, tmp_path):
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "r1.csv").write_text("a,b,c,odd\nu,v,w,w\n")
    (tmp_path / "people" / "r2.csv").write_text("a,b,c,odd\nu,v,x,x\n")
    assert "2 triplets on 4 leaves" in run("check", "people").stdout
    (tmp_path / "x.csv").write_text("name,v\nu,0\nv,1\nw,8\nx,9\n")
    assert "2 answers" in run("report", "x.csv", "--know", "people", "--as", "answers", "--resamples", 0).stdout


def test_pairs__a_first_row_that_may_be_a_header_is_asked_about_with_both_commands(run, tmp_path):
    (tmp_path / "p.csv").write_text("id1,id2,y\nr7,q2,n\n")
    told = run("check", "p.csv", status=2).stderr
    assert "for a header 'tripletree check p.csv --as pairs --columns id1,id2,y', for a pair --format text" in told
    assert "0 must-links and 1 cannot-link" in run("check", "p.csv", "--columns", "id1,id2,y").stdout
    assert "1 must-link and 1 cannot-link" in run("check", "p.csv", "--format", "text").stdout


@pytest.mark.parametrize("command", ["check", "describe", "explain"])
def test_pairs__codes_that_are_turned_and_pairs_left_out_are_told(run, tmp_path, command):
    (tmp_path / "p.csv").write_text("id1,id2,different\nx,y,1\nx,z,?\n")
    done = run(command, "p.csv")
    assert "0 must-links and 1 cannot-link" in done.stdout
    assert "p.csv: 1 pair without a link left out\n" in done.stderr
    assert "p.csv: 'different' says that two differ: there 1 and yes are cannot-links" in done.stderr


@pytest.mark.parametrize("command", [("cluster", "x.csv", "-k", "2", "--pairs", "p.csv"),
                                     ("report", "x.csv", "-o", "r.html", "--know", "p.csv", "--as", "pairs"),
                                     ("check", "p.csv")])  # fmt: skip
@pytest.mark.parametrize("header", ["guest1,guest2,avoid", "id1,id2,avoid"])
def test_pairs__of_an_unknown_word_are_asked_about_by_every_command(run, tmp_path, command, header):
    (tmp_path / "x.csv").write_text("name,size\nann,1\nben,2\neve,7\ndan,8\n")
    (tmp_path / "p.csv").write_text(f"{header}\nann,eve,yes\nben,ann,no\n")
    told = run(*command, status=2).stderr
    ways = [shlex.split(x)[1:] for x in re.findall(r"'(tripletree [^']*)'", told)]
    assert [x[x.index("--codes") + 1] for x in ways if "--codes" in x] == ["yes,no", "no,yes"]
    assert len(ways) == 3
    if command[0] != "report":
        assert [run(*x).stdout != "" for x in ways] == [True] * 3
