import csv
import io
import re
import shlex
import sys
from itertools import combinations

import numpy as np
import pytest

import tripletree.cli.drawing
from tripletree.algorithms.cut import cut
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import displays
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.core.triplets import TripletSet
from tripletree.datasets import sample_path
from tripletree.io import parse_newick, read_newick, read_ontology, read_triplets, write_triplets
from tripletree.knowledge import read_knowledge
from tripletree.plots import plot_dendrogram
from tripletree.reports.table import standardized

TABLE = "name,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\n"
PNG = b"\x89PNG\r\n\x1a\n"
SMALL = "((a,b),c,(d,(e,f)));"


# ---------------------------------------------------------------------- cluster


def rows_of(text):
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["label", "cluster"]
    return dict(rows)


def test_cluster__without_and_with_triplets(run, tmp_path):
    (tmp_path / "d.csv").write_text(TABLE)
    assert rows_of(run("cluster", "d.csv", "-k", 2).stdout) == {"a": "0", "b": "0", "c": "1", "d": "1"}
    result = run("cluster", "d.csv", "-k", 2, "--triplets", "-", text="a c | b\na c | d\n")
    assert rows_of(result.stdout)["a"] == rows_of(result.stdout)["c"]
    assert all(": read " in x for x in result.stderr.splitlines())


def test_cluster__metric_and_cut(run, tmp_path):
    turned = "name,x,y\na,1,0\nb,9,1\nc,0,1\nd,1,9\n"  # by angle ab and cd, by distance ac and all else
    options = ("--linkage", "average", "-k", 2)
    by_angle = rows_of(run("cluster", "-", *options, "--metric", "cosine", text=turned).stdout)
    assert by_angle == {"a": "0", "b": "0", "c": "1", "d": "1"}
    by_distance = rows_of(run("cluster", "-", *options, "--cut", "merge_order", text=turned).stdout)
    assert by_distance["a"] == by_distance["c"]
    (tmp_path / "far.csv").write_text("name,x\na,0\nb,1\nc,10\nd,11\ne,99\n")
    for rule, wanted in [("merge_order", [0, 0, 0, 0, 1]), ("size", [0, 0, 1, 1, 1])]:
        found = rows_of(run("cluster", "far.csv", "-k", 2, "--cut", rule).stdout)
        assert [int(x) for x in found.values()] == wanted


def test_cluster__knowledge_in_one_file(run, tmp_path):
    (tmp_path / "d.csv").write_text("name,x,y,kind\na,0,0,u\nb,0,1,\nc,5,5,u\nd,5,6,v\n")
    (tmp_path / "t.txt").write_text("a c | b\na c | d\n")
    (tmp_path / "p.csv").write_text("a,b,link\nb,d,must\n")
    several = ("--triplets", "t.txt", "--pairs", "p.csv")
    direct = run("cluster", "d.csv", "--drop", "kind", "-k", 2, *several, "--write-knowledge", "known.json")
    assert "known.json has the knowledge: 2 triplets; 1 must-link" in direct.stderr
    other = run("cluster", "d.csv", "--drop", "kind", "-k", 2, "--knowledge", "known.json")
    assert other.stdout == direct.stdout
    assert "known.json: 2 triplets; 1 must-link" in other.stderr
    more = run(
        "cluster", "d.csv", "--classes", "kind", "-k", 2, "--knowledge", "known.json", "--write-knowledge", "all.json"
    )
    assert "all.json has the knowledge: 2 triplets; 1 must-link; classes of 3 samples (2 classes)" in more.stderr
    for words in (["info"], ["check"], ["decompose"], ["report", "d.csv", "-o", "page.html", "--know"]):
        told = run(*words, "known.json", status=2).stderr
        assert "is a file of knowledge: 'tripletree cluster DATA --knowledge" in told
    told = run("cluster", "d.csv", "--drop", "kind", "-k", 2, "--knowledge", "t.txt", status=2).stderr
    assert "this is not JSON" in told
    told = run("cluster", "d.csv", "--drop", "kind", "-k", 2, "--write-knowledge", "new.json", status=2).stderr
    assert "--write-knowledge writes the knowledge: give --triplets" in told
    (tmp_path / "votes.csv").write_text("anchor,near,far\na,b,c\n")
    votes = ("--comparisons", "votes.csv", "--method", "divisive", "--write-knowledge", "votes.json")
    run("cluster", "d.csv", "--drop", "kind", "-k", 2, *votes)
    told = run("cluster", "d.csv", "--drop", "kind", "-k", 2, "--knowledge", "votes.json", status=2).stderr
    assert "--method divisive weighs them: add it" in told


def noisy(path):
    """Two noisy classes, in which few true triplets make ReCon worse. The triplets in t.txt."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import scale

    X, y = load_breast_cancer(return_X_y=True)
    X, y = scale(X)[:200], y[:200]
    kinds = ["uv"[c] if i % 5 == 0 else "" for i, c in enumerate(y)]
    lines = [f"s{i}," + ",".join(f"{v:.5f}" for v in row) + f",{kinds[i]}" for i, row in enumerate(X)]
    header = ",".join(["id", *(f"f{j}" for j in range(30)), "kind"])
    (path / "x.csv").write_text("\n".join([header, *lines]) + "\n")
    t = sample_class_triplets(y, 60, leaves=[f"s{i}" for i in range(200)], random_state=0)
    write_triplets(t, path / "t.txt")


@pytest.mark.usefixtures("few_trees")
def test_cluster__validate_tells_whether_triplets_help(run, tmp_path):
    noisy(tmp_path)
    options = ("x.csv", "--drop", "kind", "--triplets", "t.txt", "--linkage", "ward", "-k", 2, "--validate")
    found = run("cluster", *options)
    assert set(rows_of(found.stdout).values()) == {"0", "1"}
    assert found.stderr.count("constraints on hidden samples that hold, and by chance:\n  without knowledge  ") == 1
    assert re.search(r"\n  as asked for       +[\d.]+% \+-[\d.]+% +[\d.]+%\n", found.stderr)
    assert re.search(
        r"makes the results worse: --(penalty auto|method divisive) agrees with [\d.]+%; use that\.", found.stderr
    )
    assert found.stderr.count("makes the results worse") == 1


@pytest.mark.parametrize("method", ["recon", "divisive"])
@pytest.mark.usefixtures("few_trees")
def test_cluster__validate_with_a_hierarchy(run, tmp_path, method):
    noisy(tmp_path)
    classes = [[f"s{i}" for i in range(60) if i % 2 == k] for k in range(2)]
    (tmp_path / "h.nwk").write_text(f"(({','.join(classes[0])}),({','.join(classes[1])}));")
    found = run("cluster", "x.csv", "--drop", "kind", "--hierarchy", "h.nwk", "-k", 2, "--method", method, "--validate")
    assert "Names were hidden in turn, 60 in all." in found.stderr
    assert "of the 180 constraints on them (exchanged names: " in found.stderr
    h = parse_newick(run("cluster", "x.csv", "--drop", "kind", "--hierarchy", "h.nwk", "--method", method).stdout)
    assert displays(h, decompose(read_newick(tmp_path / "h.nwk"))).all()


@pytest.mark.usefixtures("few_trees")
def test_cluster__method_divisive(run, tmp_path):
    noisy(tmp_path)
    (tmp_path / "p.csv").write_text("id1,id2,same\ns0,s5,yes\ns0,s20,no\n")
    plain = run("cluster", "x.csv", "--drop", "kind", "--method", "divisive", "-k", 2)
    assert all(": read " in x for x in plain.stderr.splitlines())
    known = run("cluster", "x.csv", "--classes", "kind", "--method", "divisive", "-k", 2, "-o", "c.csv", "--validate")
    assert "without knowledge" in known.stdout
    assert "hidden" not in known.stderr
    assert rows_of((tmp_path / "c.csv").read_text()) != rows_of(plain.stdout)
    hard = ("--method", "divisive", "--constraints", "hard", "--drop", "kind")
    h = parse_newick(run("cluster", "x.csv", *hard, "--triplets", "t.txt").stdout)
    assert displays(h, read_triplets(tmp_path / "t.txt")).all()
    pairs = rows_of(run("cluster", "x.csv", *hard, "--pairs", "p.csv", "--columns", "id1,id2,same", "-k", 2).stdout)
    assert pairs["s0"] == pairs["s5"] != pairs["s20"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "divisive", "--linkage", "ward"], "--linkage goes with --method recon"),
        (["--method", "divisive", "--on-conflict", "repair"], "--on-conflict goes with --method recon"),
        (["--constraints", "hard"], "--constraints goes with --method divisive"),
        (["--height", 1, "-k", 2], "--height and -k both say which clades are clusters: give one"),
        (["--height", 1, "--cut", "size", "-k", 2], "--height and -k both"),
        (["--height", 1, "--cut", "constraints"], "--height and --cut both"),
        (["--pairs", "p.txt", "--validate"], "give -k, too"),
    ],
)
def test_cluster__options_that_do_not_go_together(run, tmp_path, options, message):
    (tmp_path / "p.txt").write_text("a b must\n")
    assert message in run("cluster", "-", *options, text=TABLE, status=2).stderr


@pytest.mark.parametrize("metric", ["nan_euclidean", "gower", "cityblock"])
def test_cluster__divisive_by_any_metric(run, tmp_path, metric):
    gap = "" if metric != "cityblock" else "1.2"
    (tmp_path / "d.csv").write_text(f"name,x,y\na,1,2\nb,{gap},2.5\nc,5,6\nd,5.5,5\ne,9,1\n")
    (tmp_path / "h.nwk").write_text("((a,b),(c,d),e);")
    options = ("--hierarchy", "h.nwk", "--method", "divisive", "-k", 3)
    found = rows_of(run("cluster", "d.csv", *options, "--metric", metric).stdout)
    assert list(found.values()) == list("00112")
    if gap == "":
        assert "--metric nan_euclidean" in run("cluster", "d.csv", *options, status=2).stderr


def test_cluster__without_a_number_the_hierarchy(run):
    h = parse_newick(run("cluster", "-", "--linkage", "single", text=TABLE).stdout)
    assert h == parse_newick("((a,b),(c,d));")
    assert h.height[-1] == pytest.approx((25 + 16) ** 0.5)  # b to c


@pytest.mark.parametrize("method", ["recon", "divisive"])
def test_cluster__at_a_height(run, tmp_path, method):
    options = ("--method", method, "--newick", "t.nwk")
    for height in (0.1, 2, 100):
        found = rows_of(run("cluster", "-", *options, "--height", height, text=TABLE).stdout)
        tree = parse_newick((tmp_path / "t.nwk").read_text())
        assert [found[x] for x in tree.leaves] == [str(c) for c in cut(tree, height=height)]
    assert set(found.values()) == {"0"}


def test_cluster__every_output(run, tmp_path):
    (tmp_path / "t.txt").write_text("a c | b\na c | d\n")
    result = run(
        "cluster",
        "-",
        "-k",
        2,
        "--triplets",
        "t.txt",
        "-o",
        "c.csv",
        "--newick",
        "h.nwk",
        "--plot",
        "p.png",
        text=TABLE,
    )
    assert result.stdout == (
        "4 samples with 2 columns: x, y\n2 triplets, of which the hierarchy displays 1.000\nclusters of 3, 1 samples\n"
    )
    assert set(rows_of((tmp_path / "c.csv").read_text())) == set("abcd")
    assert displays(read_newick("h.nwk"), read_triplets("t.txt")).all()
    assert (tmp_path / "p.png").read_bytes().startswith(PNG)


def test_cluster__standardize_matters_where_scales_differ(run):
    table = "name,far,near\na,0,0\nb,300,1\nc,700,0\nd,1000,1\n"
    # standardised, far is divided by 381, near is doubled: a is 1.84 from c, and 2.15 from b
    for options, wanted in (([], "0011"), (["--standardize"], "0101")):
        found = rows_of(run("cluster", "-", "-k", 2, *options, text=table).stdout)
        assert found == dict(zip("abcd", wanted, strict=True))


def test_standardized__constant_columns_become_zero():
    values = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 6.0]] * 5)
    assert values[:, 0].std() > 0  # the trap: rounding noise, to be blown up
    found = standardized(values)
    assert (found[:, 0] == 0).all()
    assert found[:, 1].mean() == pytest.approx(0)
    assert found[:, 1].std() == pytest.approx(1)


@pytest.mark.parametrize(
    ("table", "options", "labels"),
    [
        ("x,y\n1,2\n3,4\n", [], ["0", "1"]),
        ("id,y\n7,2\n3,4\n", [], ["7", "3"]),
        (",y\n7,2\n3,4\n", [], ["7", "3"]),
        ("x,y\n7,2\n3,4\n", ["--index-column", "y"], ["2", "4"]),
        ("kind,who,y\nu,v,2\nu,w,4\n", ["--drop", "kind"], ["v", "w"]),
        ("who;y\n'a b';2\nw;4\n", [], ["'a b'", "w"]),
        ('who\ty\n"a\tb"\t2\nw\t4\n', [], ["a\tb", "w"]),
        ("\ufeffwho,y\r\nv,2\r\nw,4\r\n", [], ["v", "w"]),
        ("CustomerID,y\n17,2\n13,4\n", [], ["17", "13"]),
        ("Unnamed: 0,y\n5,2\n6,4\n", [], ["5", "6"]),
        ("y,#OTU ID\n2,101\n4,00102\n", [], ["101", "00102"]),
        ("y,SKU,entrez\n2.5,s-1,77\n4.5,s-2,78\n", [], ["s-1", "s-2"]),
        ("rec_id,gene_id,y\n1,6,2.5\n2,5,4.5\n", ["--index-column", "gene_id", "--drop", "rec_id"], ["6", "5"]),
        ("humid,acid\n1,2\n3,4\n", [], ["0", "1"]),
        ("store_id,y\n1,2\n1,4\n", [], ["0", "1"]),
    ],
)
def test_cluster__which_column_holds_the_labels(run, tmp_path, table, options, labels):
    (tmp_path / "d.csv").write_bytes(table.encode())
    assert list(rows_of(run("cluster", "d.csv", "-k", 2, *options).stdout)) == labels


@pytest.mark.parametrize(
    ("kind", "option", "text"),
    [
        ("triplets", "--triplets", "{0} {1} | {3}\n"),
        ("pairs", "--pairs", "{0} {1} must\n{1} {3} cannot\n"),
        ("a hierarchy", "--hierarchy", "(({0},{1}),({2},{3}));"),
        ("classes", "--classes", "label,kind\n{0},u\n{1},u\n{3},v\n"),
    ],
)
def test_cluster__the_knowledge_tells_the_column_of_the_labels(run, tmp_path, kind, option, text):
    names = {"word": ["ant", "bee", "cat", "cow"], "tag": ["901", "902", "903", "904"], "ID": ["11", "12", "13", "14"]}
    rows = zip(["1.5", "1.7", "5.5", "5.4"], *names.values(), strict=True)
    for column, labels in names.items():
        left = [x for x in names if x != column and x != "ID"]
        (tmp_path / "d.csv").write_text("y,word,tag,ID\n" + "".join(f"{','.join(x)}\n" for x in rows))
        rows = zip(["1.5", "1.7", "5.5", "5.4"], *names.values(), strict=True)
        (tmp_path / "known").write_text(text.format(*labels))
        drop = [word for x in left for word in ("--drop", x)]
        done = run("cluster", "d.csv", option, "known", "-k", 2, *drop)
        assert list(rows_of(done.stdout)) == labels
        assert f"names in '{column}' (--index-column)" in done.stderr
    (tmp_path / "known").write_text(text.format(*"0123"))
    (tmp_path / "d.csv").write_text("y,tag\n1.5,901\n1.7,902\n5.5,903\n5.4,904\n")
    assert list(rows_of(run("cluster", "d.csv", option, "known", "-k", 2).stdout)) == list("0123"), kind


def test_cluster__an_id_beside_the_labels_is_no_feature(run):
    table = "species,x,entrez_id\na,1,907\nb,2,11\nc,8,12\nd,9,908\n"
    done = run("cluster", "-", "-k", 2, text=table)
    assert rows_of(done.stdout) == {"a": "0", "b": "0", "c": "1", "d": "1"}
    assert "read 4 rows: names in 'species'; 1 feature ('x'); not used: 'entrez_id', called an id" in done.stderr


@pytest.mark.parametrize("gap", ["-1", "unknown", "Unlabelled", "?", "-", "NA", ""])
def test_cluster__gaps_in_classes(run, tmp_path, gap):
    table = "id,x,kind\n1,0,u\n2,3,v\n3,4,u\n4,9,v\n5,20,{0}\n6,30,{0}\n"
    wanted = run("cluster", "-", "--classes", "kind", text=table.format("")).stdout
    done = run("cluster", "-", "--classes", "kind", text=table.format(gap))
    assert done.stdout == wanted
    assert (f"{gap!r} (2 of 6) is taken for no class; if it is a class: --missing-class NA" in done.stderr) == (
        gap not in ("NA", "")
    )
    (tmp_path / "known.csv").write_text(f"label,kind\n1,u\n2,v\n3,u\n4,v\n6,{gap}\n")
    alone = table.replace(",kind", "").replace(",u", "").replace(",v", "").replace(",{0}", "")
    assert run("cluster", "-", "--classes", "known.csv", text=alone).stdout == wanted
    if gap not in ("NA", ""):
        other = run("cluster", "-", "--classes", "kind", "--missing-class", "NA", text=table.format(gap))
        named = run("cluster", "-", "--classes", "kind", text=table.format("w"))
        assert (other.stdout, other.stderr) == (named.stdout, named.stderr)
        assert "no class" not in other.stderr


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ("n,x,u,v\na,1,red,o\nb,2,5,p\n", r"2 columns are not numeric: 'u' \('red' in line 2\), 'v' \('o' in line 2\)"),
        ("n,x\na,this is a text\nb,and another one\n", r"into numbers \(texts in Python, with .* TfidfVectorizer"),
        ("n,x,y\na,1,\nb,NA,?\nc,5,6\n", r"3 values are missing: column 'x' \(line 3\), column 'y' \(line 2, 3\)"),
        ("n,x\na,1\nb,inf\n", "line 3: 'inf' in column 'x' is not finite"),
        ("n,x\na,1\nb,2\na,3\nb,4\nc,5\n", r"2 leaf labels occur .* \(column 'n'; --index-column .*\): 'a', 'b'"),
        ("n,x\na,1\n,2\n", r"line 3: the label \(column 'n'\) is missing"),
        ("n,x\na,1\nb,2,3\n", "line 3: 3 cells where the header has 2"),
        ("n,x\na,1\nb\n", "line 3: 1 cell where the header has 2"),
        ("n,x,x\na,1,2\nb,2,3\n", "more than one column is called 'x'"),
        ("lion,190,2.5\nhare,4,38.5\nmole,5,1\n", "the first line holds numbers; expected a header"),
        ("1,2\n3,4\n5,6\n", "the first line holds numbers; expected a header"),
        ("n,x\na,1\n", "1 sample; expected a header line and at least two"),
        ("", "no rows in it"),
        ("n\na\nb\n", "no column of numbers is left"),
        ('n,x\na,"1\nb,2\n', "unexpected end of data"),
        ("n,x\na,1_0\nb,2\n", "not numeric"),
    ],
)
def test_cluster__bad_tables_are_refused(run, table, wanted):
    error = run("cluster", "-", "-k", 2, text=table, status=2).stderr
    assert re.search(wanted, error), error
    assert "error: <standard input>" in error or "in <standard input>" in error


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["-k", 5], "5 clusters of 4 samples"),
        (["-k", 0], "0 is not in the range"),
        (["--drop", "z"], "there is no column 'z'; there are 'name', 'x', 'y'"),
        (["--index-column", "z"], "there is no column 'z'"),
        (["--index-column", "x", "--drop", "x"], "cannot be both"),
        (["--plot", "p.xyz"], "the suffix chooses the kind of picture"),
        (["--plot", "p.html"], "tripletree plot --html FILE"),
        (["--triplets", "-"], "only one can be the standard input"),
        (["--triplets", "gone.txt"], "no such file: gone.txt"),
    ],
)
def test_cluster__bad_options_are_refused(run, tmp_path, options, wanted):
    assert wanted in run("cluster", "-", "-o", "c.csv", *options, text=TABLE, status=2).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [["-o", "d.csv"], ["-o", "x", "--newick", "./x"], ["--plot", "d.csv"]])
def test_cluster__outputs_never_replace_inputs_or_each_other(run, tmp_path, options):
    (tmp_path / "d.csv").write_text(TABLE)
    (tmp_path / "d.png").symlink_to("d.csv")
    options = ["--plot", "d.png"] if options == ["--plot", "d.csv"] else options
    result = run("cluster", "d.csv", "-k", 2, *options, status=2)
    assert "of this command already" in result.stderr
    assert (tmp_path / "d.csv").read_text() == TABLE


def test_cluster__bad_triplets_are_refused_by_label(run, tmp_path):
    (tmp_path / "d.csv").write_text(TABLE)
    before = set(tmp_path.iterdir())
    error = run("cluster", "d.csv", "-k", 2, "--triplets", "-", "-o", "c.csv", text="a e | b\n", status=2).stderr
    assert "'e'" in error
    error = run(
        "cluster", "d.csv", "-k", 2, "--triplets", "-", "-o", "c.csv", text="a b | c\nb c | a\n", status=1
    ).stderr
    assert "different answers on the same leaves, a, b and c" in error
    assert set(tmp_path.iterdir()) == before


def test_cluster__pairs_are_kept(run, tmp_path):
    (tmp_path / "d.csv").write_text("name,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\n")
    command = ["cluster", "d.csv", "-k", 2, "--pairs", "-"]
    assert run(*command, text="a c must\na b cannot\n").stdout == "label,cluster\na,0\nb,1\nc,0\nd,0\n"
    error = run(*command, text="a c must\na b cannot\nc b must\n", status=2).stderr
    assert "a - c - b" in error
    assert "lines 1 and 3" in error
    assert "line 1: 'q' is none of the 4 leaves" in run(*command, text="a q must\n", status=2).stderr
    error = run(*command, "--triplets", "-", text="a c must\n", status=2).stderr
    assert "only one can be the standard input" in error
    error = run("cluster", "d.csv", "--pairs", "-", "--penalty", "1", text="a c must\n", status=2).stderr
    assert "--pairs do not go with" in error
    (tmp_path / "t.txt").write_text("a b | c\n")
    error = run(*command, "--triplets", "t.txt", text="a c must\n", status=1).stderr
    assert "a b | c    line 1" in error
    assert "Some of them come from must-links: a - c (line 1 of the standard input)" in error
    tree = parse_newick(run("cluster", "d.csv", "--pairs", "-", text="a d must\nb c cannot\n").stdout)
    assert displays(tree, TripletSet.from_labels([("a", "d", "b"), ("a", "d", "c")])).all()


# ---------------------------------------------------------------------- plot


def test_plot__writes_the_format_of_the_suffix(run, tmp_path):
    assert run("plot", "sample:primates", "-o", "p.png", "--clusters", 3).stdout == "p.png\n"
    assert (tmp_path / "p.png").read_bytes().startswith(PNG)
    run("plot", "-", "-o", "p.svg", "--orientation", "top", "--title", "a title", text=SMALL)
    assert b"<svg" in (tmp_path / "p.svg").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2


def test_plot__bad_input(run, tmp_path):
    assert "expected one of" in run("plot", "sample:primates", "-o", "p", status=2).stderr
    assert "no cut gives" in run("plot", "sample:newsgroups", "-o", "p.png", "--clusters", 2, status=2).stderr
    assert "1..12 clusters" in run("plot", "sample:primates", "-o", "p.png", "--clusters", 99, status=2).stderr
    assert "cannot both" in run("plot", "-", "--triplets", "-", "-o", "p.png", status=2).stderr
    assert run("plot", "-", "-o", "no/p.png", text=SMALL, status=2).stderr.startswith("error: no such folder")
    assert list(tmp_path.iterdir()) == []


def drawn(run, monkeypatch, *options, text=None):
    """The values that `plot` hands over to be drawn."""
    calls = []

    def noted(hierarchy, **options):
        calls.append(options)
        return plot_dendrogram(hierarchy, **options)

    monkeypatch.setattr(tripletree.cli.drawing, "plot_dendrogram", noted)
    run("plot", *options, "-o", "p.png", **({} if text is None else {"text": text}))
    return calls[0]


def test_plot__options_reach_the_picture(run, tmp_path, monkeypatch):
    (tmp_path / "c.csv").write_text("label,class\nhuman,ape\nchimp,ape\nmacaque,\n")
    (tmp_path / "p.txt").write_text("human chimp must\nhuman macaque cannot\n")
    text = "(((human:1,chimp:1):1,gorilla:2):3,macaque:5);"
    options = [
        "--clusters",
        "2",
        "--cut",
        "clusters",
        "--collapse",
        "--classes",
        "c.csv",
        "--pairs",
        "p.txt",
        "--layout",
        "circular",
    ]
    given = drawn(run, monkeypatch, "-", *options, text=text)
    assert given["clusters"].tolist() == [0, 0, 0, 1]
    assert (given["cut"], given["collapse"], given["layout"], given["max_leaves"]) == (
        "clusters", "clusters", "circular", "auto",
    )  # fmt: skip
    assert given["classes"] == {"human": "ape", "chimp": "ape"}
    assert len(given["pairs"]) == 2
    given = drawn(run, monkeypatch, "-", "--cut", "2.5", "--max-leaves", 0, "--heights", "level", text=text)
    assert (given["cut"], given["max_leaves"], given["heights"], given["clusters"]) == (2.5, None, "level", None)
    assert drawn(run, monkeypatch, "-", "--max-leaves", 2, text=text)["max_leaves"] == 2


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--cut", "high"], "neither a height nor 'clusters'"),
        (["--cut", "clusters"], "--cut clusters needs --clusters"),
        (["--collapse"], "--collapse needs --clusters"),
        (["--max-leaves", "1"], "at least 2"),
        (["--classes", "gone.csv"], "no such file: gone.csv"),
        (["--classes", "-"], "cannot both be the standard input"),
    ],
)
def test_plot__bad_options(run, tmp_path, options, wanted):
    assert wanted in run("plot", "-", "-o", "p.png", *options, text=SMALL, status=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_plot__classes_of_no_leaf_are_refused(run, tmp_path):
    (tmp_path / "c.csv").write_text("label,class\nnobody,ape\n")
    assert "'nobody'" in run("plot", "-", "-o", "p.png", "--classes", "c.csv", text=SMALL, status=2).stderr
    (tmp_path / "c.csv").write_text("label\nnobody\n")
    assert "two columns" in run("plot", "-", "-o", "p.png", "--classes", "c.csv", text=SMALL, status=2).stderr


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("label,class\na,x\nb,y\n\na,z\n", "c.csv, line 5: 'a' has class 'z' here and 'x' in line 2"),
        (
            "label,class\na," + "x" * 140_000 + "\n",
            "c.csv, line 2: not a table: a field of more than 131,072 characters; is a quotation",
        ),
        ("label,class\n,x\n", "c.csv, line 2: the label is missing (class 'x')"),
        ("label,class\na,x\nb\n", "c.csv, line 3: 1 cell where the header has 2"),
        ('label,class\n"a,x\n', "c.csv, line 2: not a table: unexpected end of data"),
        ("label,class\n", "c.csv: expected a header line and under it lines of at least two columns"),
        ("", "c.csv, line 1, column 1: no rows in it"),
        ("label,class\nq,x\nb,y\n", "1 unknown among the labels in c.csv: 'q'; the 6 known ones are"),
    ],
)
def test_plot__tables_of_classes_that_are_refused(run, tmp_path, table, message):
    (tmp_path / "c.csv").write_text(table)
    assert message in run("plot", "-", "--html", "p.html", "--classes", "c.csv", text=SMALL, status=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["c.csv"]


@pytest.mark.parametrize(
    "table",
    [
        "label,class\na,x\nb,\nc,y\n",
        "label\tclass\tcolour\na\tx\tred\nc\ty\tblue\n",
        "# known ones\nlabel;class\na;x\n\nc;y\na;x\na;\n",  # said twice, to the same effect
    ],
)
def test_plot__tables_of_classes(run, tmp_path, monkeypatch, table):
    (tmp_path / "c.csv").write_text(table)
    assert drawn(run, monkeypatch, "-", "--classes", "c.csv", text=SMALL)["classes"] == {"a": "x", "c": "y"}


def test_plot__without_matplotlib_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install 'tripletree[plot]'" in run("plot", "sample:primates", "-o", "p.png", status=2).stderr


# ---------------------------------------------------------------------- demo


def pairwise_f(classes, clusters):
    """The definition: harmonic mean of precision and recall over all pairs."""
    pairs = [(x[0] == y[0], x[1] == y[1]) for x, y in combinations(list(zip(classes, clusters, strict=True)), 2)]
    both = sum(p and q for p, q in pairs)
    return 2 * both / (sum(p for p, _ in pairs) + sum(q for _, q in pairs))


def test_demo__figures_are_true_and_the_same_every_time(run, tmp_path):
    first = run("demo", "--output-dir", "one").stdout
    second = run("demo", "--output-dir", "two").stdout
    assert first.replace("one/", "") == second.replace("two/", "")
    names = {p.name for p in (tmp_path / "one").iterdir()}
    assert names == {"dendrograms.png", "data.csv", "known.txt", "mammals.txt"}
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert (tmp_path / "one" / "dendrograms.png").read_bytes().startswith(PNG)
    assert "The picture: one/dendrograms.png" in first
    assert "leaves              120" in first
    assert len(first.splitlines()) <= 30
    assert max(map(len, first.splitlines())) <= 110

    # the command it prints, and F by definition, on all samples and on those that no triplet names
    data = list(csv.DictReader(io.StringIO((tmp_path / "one" / "data.csv").read_text())))
    known = {x for t in read_triplets("one/known.txt") for x in t}
    assert len(known) == 60
    command = re.search(r"tripletree (cluster .*?) -o", first.replace("\\\n", " ")).group(1).split()
    informed = rows_of(run(*command).stdout)
    at = command.index("--triplets")
    plain = rows_of(run(*command[:at], *command[at + 2 :]).stdout)
    for text, rows in (
        ("pairwise F, all flowers", data),
        ("pairwise F, the 90 not known", [r for r in data if r["sample"] not in known]),
    ):
        printed = re.search(rf"{text} +([\d.]+) +([\d.]+)", first).groups()
        wanted = [pairwise_f([r["class"] for r in rows], [c[r["sample"]] for r in rows]) for c in (plain, informed)]
        assert printed == tuple(f"{x:.3f}" for x in wanted)
    assert re.search(r"triplets displayed +0\.\d+ +1\.000", first)


def test_demo__without_matplotlib_all_but_the_picture(run, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = run("demo", "--output-dir", "bare").stdout
    assert "pairwise F, all flowers" in said
    assert "No picture: drawing needs matplotlib, which is not installed: pip install 'tripletree[plot]'" in said
    assert {x.name for x in (tmp_path / "bare").iterdir()} == {"data.csv", "known.txt", "mammals.txt"}


def test_demo__refuses_a_file_in_the_place_of_its_folder(run, tmp_path):
    (tmp_path / "taken").write_text("")
    assert "taken" in run("demo", "--output-dir", "taken", status=2).stderr


def test_cluster__known_classes_give_triplets(run, tmp_path):
    table = "id,x,kind\n1,0,u\n2,3,v\n3,4,u\n4,9,v\n5,20,\n"
    hierarchy = parse_newick(run("cluster", "-", "--classes", "kind", text=table).stdout)
    told = [("1", "3", "2"), ("2", "4", "1")]
    assert displays(hierarchy, read_triplets(io.StringIO("1 3 | 2\n2 4 | 1"))).all(), told
    (tmp_path / "t.txt").write_text("2 5 | 4\n")
    options = ("--classes", "kind", "--triplets", "t.txt", "--plot", "p.png")
    hierarchy = parse_newick(run("cluster", "-", *options, text=table).stdout)
    assert displays(hierarchy, read_triplets(io.StringIO("1 3 | 2\n2 4 | 1\n2 5 | 4"))).all()
    assert (tmp_path / "p.png").read_bytes().startswith(PNG)
    for wrong, wanted in [
        (("--classes", "none"), "there is no column 'none'"),
        (("--classes", "id", "--index-column", "id"), "cannot be both the classes and the labels or left out"),
        (("--classes", "kind", "--drop", "kind"), "cannot be both the classes and the labels or left out"),
    ]:
        assert wanted in run("cluster", "-", *wrong, text=table, status=2).stderr
    alone = "id,x,kind\n1,0,u\n2,3,\n3,4,u\n"
    assert "of one class at most" in run("cluster", "-", "--classes", "kind", text=alone, status=2).stderr


@pytest.mark.parametrize("method", ["recon", "divisive"])
def test_cluster__classes_of_a_file_are_those_of_a_column(run, tmp_path, method):
    rows = [(f"s{k}", k % 7, k // 8, "uv"[k // 8] if k % 3 else "") for k in range(16)]
    (tmp_path / "whole.csv").write_text("id,x,y,kind\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
    (tmp_path / "data.csv").write_text("id,x,y\n" + "".join(f"{a},{b},{c}\n" for a, b, c, _ in rows))
    (tmp_path / "known.csv").write_text("who\tkind\n" + "".join(f"{a}\t{d}\n" for a, _, _, d in reversed(rows)))
    options = ("--method", method, "-k", 2)
    wanted = run("cluster", "whole.csv", "--classes", "kind", *options).stdout
    done = run("cluster", "data.csv", "--classes", "known.csv", *options)
    assert done.stdout == wanted
    assert all(": read " in x for x in done.stderr.splitlines())
    with open(tmp_path / "known.csv", "a") as file:
        file.write("other\tu\nthird\t\n")
    done = run("cluster", "data.csv", "--classes", "known.csv", *options)
    assert done.stdout == wanted
    assert "1 label of known.csv is not in DATA\n" in done.stderr


def test_cluster__files_of_classes_that_are_refused(run, tmp_path):
    (tmp_path / "data.csv").write_text("id,x\na,1\nb,2\nc,4\n")
    (tmp_path / "known.csv").write_text("id,kind\nA,u\nd,v\n")
    said = run("cluster", "data.csv", "--classes", "known.csv", "-k", 2, status=2).stderr
    assert "2 unknown among the labels in known.csv: 'A', 'd'; none of them is in DATA" in said
    (tmp_path / "blank.csv").write_text("id,kind\na,\n")
    said = run("cluster", "data.csv", "--classes", "blank.csv", "-k", 2, status=2).stderr
    assert "the classes of 0 samples are known" in said
    said = run("cluster", "data.csv", "--classes", "gone.csv", "-k", 2, status=2).stderr
    assert "there is no column 'gone.csv', and 'gone.csv' is no file; there are 'id', 'x'" in said
    (tmp_path / "folder").mkdir()
    said = run("cluster", "data.csv", "--classes", "folder", "-k", 2, status=2).stderr
    assert "there is no column 'folder', and 'folder' is a folder; there are" in said
    said = run("cluster", "data.csv", "--classes", "known.csv", "-k", 2, "-o", "known.csv", status=2).stderr
    assert "known.csv is an input of this command already" in said
    assert (tmp_path / "known.csv").read_text() == "id,kind\nA,u\nd,v\n"


def test_cluster__the_constraints_find_the_number(run):
    table = "id,x,kind\n1,0,u\n2,3,v\n3,4,u\n4,9,v\n"
    found = rows_of(run("cluster", "-", "--classes", "kind", "--cut", "constraints", text=table).stdout)
    assert list(found.values()) == ["0", "1", "0", "1"]


def test_cluster__tables_as_pandas_writes_them(run):
    import pandas as pd

    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2) ** 2)
    for text in (frame.to_csv(index=False), frame.to_csv()):
        assert len(rows_of(run("cluster", "-", "-k", 2, text=text).stdout)) == 4
    named = frame.assign(label=list("wxyz"))[["label", 0, 1]].to_csv()
    done = run("cluster", "-", "-k", 2, text=named)
    told = "read 4 rows: names in 'label' (--index-column); 2 features ('0', '1'); not used: '', called an id\n"
    assert done.stderr.endswith(f"standard input: {told}")
    assert list(rows_of(done.stdout)) == list("wxyz")


def test_cluster__parquet_is_a_table(run, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"sku": [907, 11, 12], "x": [0, 1, 9.5], "kind": ["a", None, "b"]})
    frame.to_parquet(tmp_path / "d.parquet")
    assert rows_of(run("cluster", "d.parquet", "--classes", "kind", "-k", 2).stdout) == {
        "907": "0",
        "11": "0",
        "12": "1",
    }
    assert "'kind' ('a' in row 1)" in run("cluster", "d.parquet", status=2).stderr
    (tmp_path / "d.parquet").write_bytes(b"PAR1rest")
    assert "not a Parquet file" in run("cluster", "d.parquet", status=2).stderr


@pytest.mark.parametrize("method", ["recon", "divisive"])
def test_cluster__a_hierarchy(run, tmp_path, method):
    (tmp_path / "data.csv").write_text("name,kg\ncat,4\nlion,190\ndog,30\ncow,600\npig,31\nrat,5\n")
    (tmp_path / "t.nwk").write_text("((((cat,lion)Felidae,(dog,fox)Canidae)Carnivora,(cow,pig)Ungulata),eel);")
    done = run(*["cluster", "data.csv", "--hierarchy", "t.nwk", "-k", "2", "--newick", "tree.nwk", "--method"], method)
    tree = read_newick("tree.nwk")
    taxonomy = read_newick("t.nwk").restrict(["cat", "lion", "dog", "cow", "pig"])
    assert displays(tree, decompose(taxonomy)).all()
    assert {"Felidae", "Carnivora", "Ungulata"} <= set(filter(None, tree.names))
    assert "1 sample is not in t.nwk" in done.stderr
    assert "clades" not in done.stderr
    to_file = run("cluster", "data.csv", "--hierarchy", "t.nwk", "-k", 2, "-o", "c.csv", "--method", method)
    assert "3 named clades: 3 whole, 0 more than half of the hierarchy" in to_file.stdout
    bad = run("cluster", "data.csv", "--hierarchy", "sample:mammals", "-k", "2", status=2).stderr
    assert "sample:mammals has 0 leaves among the 6 labels of DATA" in bad


def test_cluster__a_penalty_of_nothing_takes_contradictions(run):
    from pathlib import Path

    Path("x.csv").write_text("name,x\na,0\nb,1\nc,5\nd,6\n")
    Path("t.txt").write_text("a b | c\nb c | a\n")
    done = run("cluster", "x.csv", "--triplets", "t.txt", "--penalty", "0", "-k", "2")
    assert done.stdout == "label,cluster\na,0\nb,0\nc,1\nd,1\n"


def test_cluster__gaps_and_categories(run, tmp_path):
    mixed = "name,kg,diet\nlion,190,meat\ncat,4,meat\ncow,600,plants\nelk,NA,plants\n"
    (tmp_path / "m.csv").write_text(mixed)
    gower = ("cluster", "m.csv", "-k", 2, "--metric", "gower", "--linkage", "average")
    assert rows_of(run(*gower).stdout) == {"lion": "0", "cat": "0", "cow": "1", "elk": "1"}
    held = rows_of(run(*gower, "--triplets", "-", text="cat elk | lion\ncat elk | cow\n").stdout)
    assert held["cat"] == held["elk"] != held["lion"]
    (tmp_path / "g.csv").write_text("name,x,y\na,0,1.1\nb,0.1,1\nc,5,2\nd,,2.1\ne,0,1\n")
    gaps = ("cluster", "g.csv", "-k", 2, "--metric", "nan_euclidean", "--linkage", "average")
    for more in ([], ["--standardize"]):
        assert rows_of(run(*gaps, *more).stdout) == {"a": "0", "b": "0", "c": "1", "d": "1", "e": "0"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ([], r"a value is missing: column 'cm' .* --metric gower --linkage average, .*--standardize --linkage average"),
        (["--metric", "gower"], "--metric gower goes with --linkage average, weighted, complete, single, not centroid"),
        (["--metric", "nan_euclidean", "--linkage", "ward"], "--metric nan_euclidean goes with --linkage average"),
        (["--metric", "gower", "--linkage", "average", "--standardize"], "leave out --standardize"),
        (["--metric", "nan_euclidean", "--linkage", "average"], "no feature is known of both"),
    ],
)
def test_cluster__gaps_are_refused_with_the_way(run, options, wanted):
    text = "name,kg,cm\na,1,\nb,2,3\nc,3,1\n" if not options else "name,kg,cm\na,1,\nb,2,3\nc,,1\n"
    assert re.search(wanted, " ".join(run("cluster", "-", "-k", 2, *options, text=text, status=2).stderr.split()))


def test_cluster__an_excel_workbook_and_carriage_returns(run, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["name", "x"], ["a", 0], ["b", 0.5], ["c", 5]):
        book.active.append(row)
    book.save(tmp_path / "data.xlsx")
    found = run("cluster", "data.xlsx", "-k", 2).stdout
    assert found == "label,cluster\na,0\nb,0\nc,1\n"
    (tmp_path / "data.csv").write_bytes(b"name,x\ra,0\rb,0.5\rc,5\r")
    assert run("cluster", "data.csv", "-k", 2).stdout == found
    (tmp_path / "data.csv").write_text("name;x, mm\na;0\nb;0,5\nc;5\n")
    assert run("cluster", "data.csv", "-k", 2, "--decimal", ",").stdout == found
    said = run("cluster", "data.csv", "-k", 2, status=2).stderr
    assert "--decimal" in said or "needs quotes" in said
    (tmp_path / "data.csv").write_text("name;x\na;0\nb;0,5\nc;5\n")
    assert "--decimal , if decimals stand behind commas" in run("cluster", "data.csv", "-k", 2, status=2).stderr


def test_cluster__what_would_count_for_nothing_is_refused(run, tmp_path):
    (tmp_path / "data.csv").write_text("name,x\na,0\nb,1\nc,5\nd,6\n")
    said = run("cluster", "data.csv", "-k", 2, "--validate", status=2).stderr
    assert "--validate measures the knowledge: give --triplets, --hierarchy, --pairs, --classes or --knowledge" in said
    said = run("cluster", "data.csv", "--cut", "size", status=2).stderr
    assert "--cut size says how clusters are chosen: give their number with -k" in said
    said = run("cluster", "data.csv", "--labels", "name", status=2).stderr
    assert "--labels is for reading a --hierarchy" in said
    said = run("cluster", "data.csv", "-O", "child_column=x", status=2).stderr
    assert "-O child_column is for reading a --hierarchy" in said


def test_cluster__reads_a_hierarchy_as_other_commands_do(run, tmp_path):
    names = list(read_ontology(sample_path("cell_types.obo")).leaves)[:4]
    (tmp_path / "data.csv").write_text("name,x\n" + "".join(f"{x},{k}\n" for k, x in enumerate(names)))
    said = run("cluster", "data.csv", "--hierarchy", "sample:cell_types", status=2).stderr
    assert "choose with --parent" in said
    assert run("cluster", "data.csv", "--hierarchy", "sample:cell_types", "--parent", "deepest").stdout
    (tmp_path / "two.nex").write_text("#NEXUS\nbegin trees;\ntree p = ((a,b),c);\ntree q = (a,(b,c));\nend;\n")
    (tmp_path / "data.csv").write_text("name,x\na,0\nb,1\nc,5\n")
    said = run("cluster", "data.csv", "--hierarchy", "two.nex", status=2).stderr
    assert "choose one with -O tree=0, or use 'tripletree supertree two.nex'" in said
    assert run("cluster", "data.csv", "--hierarchy", "two.nex", "-O", "tree=p").stdout


def test_cluster__classes_from_the_standard_input(run, tmp_path):
    (tmp_path / "data.csv").write_text("name,x\na,0\nb,1\nc,5\nd,6\n")
    text = "label,class\na,u\nb,u\nc,v\nd,v\n"
    assert run("cluster", "data.csv", "--classes", "-", "-k", 2, text=text).stdout.count("\n") == 5
    said = run("cluster", "-", "--classes", "-", "-k", 2, text=text, status=2).stderr
    assert "only one can be the standard input" in said
    done = run("report", "data.csv", "--classes", "-", "--resamples", 0, text=text)
    assert "the classes of 4 of the 4 samples" in done.stdout


def test_cluster__comparisons_vote(run, tmp_path):
    (tmp_path / "d.csv").write_text("name,x\nfig,0\npear,1\nsaw,1.5\naxe,2.5\n")
    (tmp_path / "c.csv").write_text(
        "anchor,near,far\n" + "fig,pear,saw\npear,fig,saw\nsaw,axe,pear\naxe,saw,pear\n" * 9
    )
    done = run("cluster", "d.csv", "--comparisons", "c.csv", "--method", "divisive", "-k", 2)
    assert rows_of(done.stdout) == {"fig": "0", "pear": "0", "saw": "1", "axe": "1"}
    assert "Read 36 comparisons: anchor nearer near than far" in done.stderr
    said = run("cluster", "d.csv", "--comparisons", "c.csv", "-k", 2, status=2).stderr
    assert "--comparisons are votes, which --method divisive weighs: add it" in said
    done = run("cluster", "d.csv", "--comparisons", "c.csv", "--method", "divisive", "-k", 2, "--validate")
    assert "of the 36 constraints on them" in done.stderr + done.stdout
    (tmp_path / "ids.csv").write_text("kind,what,x\n1,fig,0\n2,pear,1\n3,saw,1.5\n4,axe,2.5\n")
    done = run("cluster", "ids.csv", "--comparisons", "c.csv", "--method", "divisive", "-k", 2, "--drop", "kind")
    assert list(rows_of(done.stdout)) == ["fig", "pear", "saw", "axe"]


def test_cluster__names_that_may_be_ids_or_row_numbers(run, tmp_path):
    (tmp_path / "my data.csv").write_text("CustomerID,x\n1,0\n2,9\n3,9.5\n4,0.5\n")
    (tmp_path / "p.txt").write_text("1 2 must\n")
    said = run("cluster", "my data.csv", "--pairs", "p.txt", "-k", 2, status=2).stderr
    assert "'1', '2' are in column 'CustomerID', and are row numbers from 0 as well. Which is meant?\n" in said
    by_id, by_row = re.findall("tripletree cluster .*", said)
    found = rows_of(run(*shlex.split(by_id)[1:]).stdout)
    assert set(found) == {"1", "2", "3", "4"}
    assert found["1"] == found["2"]
    assert rows_of(run(*shlex.split(by_row)[1:]).stdout) == {"0": "0", "1": "1", "2": "1", "3": "0"}
    (tmp_path / "p.txt").write_text("1 4 must\n")
    assert "row numbers" not in run("cluster", "my data.csv", "--pairs", "p.txt", "-k", 2).stderr


@pytest.mark.parametrize(
    ("more", "is_told"),
    [([], True), (["--standardize"], False), (["--metric", "cosine", "--linkage", "average"], False),
     (["--method", "divisive"], False), (["--drop", "grams"], False)],
)  # fmt: skip
def test_cluster__tells_of_a_column_that_alone_decides_distances(tmp_path, run, more, is_told):
    rng = np.random.default_rng(0)
    rows = [f"s{k},{1000 * rng.normal():.3f},{rng.normal():.3f},{rng.normal():.3f}" for k in range(12)]
    (tmp_path / "data.csv").write_text("\n".join(["name,grams,legs,wings", *rows]) + "\n")
    result = run("cluster", tmp_path / "data.csv", "-k", "2", *more, "-o", tmp_path / "found.csv")
    told = "grams has 100% of the variance of the 3 features, so distances are mostly those in it."
    assert (told in result.output) == is_told
    assert ("--standardize" in result.output) == is_told


def test_cluster__tells_of_two_columns_that_decide_distances(tmp_path, run):
    rng = np.random.default_rng(0)
    rows = [f"s{k}," + ",".join(f"{x * rng.normal():.3f}" for x in (1000, 900, 1, 1)) for k in range(12)]
    (tmp_path / "data.csv").write_text("\n".join(["name,grams,days,legs,wings", *rows]) + "\n")
    said = run("cluster", tmp_path / "data.csv", "-k", "2", "-o", tmp_path / "found.csv").output
    assert "grams and days have 100% of the variance of the 4 features" in said
    assert "--standardize" in said


@pytest.mark.parametrize("method", ["recon", "divisive"])
def test_cluster__distances_are_asked_for_and_taken(tmp_path, run, method):
    """A square table with the same names for rows and columns was clustered as features, without a word."""
    rng = np.random.default_rng(0)
    points, names = np.repeat([0.0, 9.0], 4)[:, None] + rng.normal(size=(8, 1)), list("abcdefgh")
    D = np.abs(points - points.T)
    turned = rng.permutation(8)
    rows = [",".join([names[i], *(f"{D[i, j]:.6f}" for j in turned)]) for i in range(8)]
    (tmp_path / "d.csv").write_text("\n".join([",".join(["name", *(names[j] for j in turned)]), *rows]) + "\n")
    more = ["cluster", "d.csv", "-k", "2", "--method", method]
    told = run(*more, status=2).stderr
    distances, features = (line.split(":", 1)[1].split()[1:] for line in told.splitlines()[1:3])
    assert [int(x) for x in rows_of(run(*distances).stdout).values()] == [0] * 4 + [1] * 4
    assert len(rows_of(run(*features).stdout)) == 8
    (tmp_path / "x.csv").write_text(TABLE)
    assert "square table of distances" in run("cluster", "x.csv", *distances[2:], status=2).stderr


def test_cluster__soft_kinds_vote_beside_a_hierarchy(run, tmp_path):
    paths = {name: tmp_path / name for name in ("data.csv", "tree.nwk", "votes.txt", "known.json")}
    rows = zip("abcdef", (0, 1, 5, 6, 20, 21), strict=True)
    paths["data.csv"].write_text("name,x\n" + "".join(f"{x},{v}\n" for x, v in rows), encoding="utf-8")
    paths["tree.nwk"].write_text("((a,b),(c,d));", encoding="utf-8")
    paths["votes.txt"].write_text("a,c,b\ne,f,a\ne,f,c\n", encoding="utf-8")
    given = [str(paths["data.csv"]), "--hierarchy", str(paths["tree.nwk"]), "--triplets", str(paths["votes.txt"])]
    divisive = ["--soft", "triplets", "--method", "divisive"]
    known = ["--write-knowledge", str(paths["known.json"])]
    found = parse_newick(run("cluster", *given, *divisive, *known).stdout)
    assert displays(found, decompose(parse_newick("((a,b),(c,d));"))).all()
    kept = read_knowledge(paths["known.json"])
    assert (kept.soft, kept.kinds) == ({"triplets"}, ("triplets", "hierarchy"))
    again = run("cluster", given[0], "--knowledge", str(paths["known.json"]), "--method", "divisive")
    assert parse_newick(again.stdout) == found
    refused = [
        ([*given, "--soft", "triplets"], "--soft goes with --method divisive: add it"),
        ([*given, "--method", "divisive", "--soft", "pairs"], "--soft pairs: no pairs are given: give --pairs"),
    ]
    for arguments, words in refused:
        assert words in run("cluster", *arguments, status=2).stderr
