"""Files as people have them, read by the door that they take: the right value, or each command of the question.

A row of `TREES` is a reader, a text and the tree in it. A row of `DATA` is the files of `tripletree cluster -k 2`, and
the clusters. Where a text may mean several things, a command in the error has to give the value.
"""

import re
import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from tripletree import Hierarchy, Knowledge
from tripletree import io as doors
from tripletree.cli import main
from tripletree.cluster import COPKMeans, DivisiveReCon, ReCon
from tripletree.core import Answer
from tripletree.errors import ParseError

READERS = {x: getattr(doors, x) for x in dir(doors) if x.startswith("read_")}
CALL = re.compile(r"read_\w+\((?:[^()]|\([^()]*\))*\)")


def clades(hierarchy):
    """The leaves, and those below each inner node."""
    below = [set() for _ in range(hierarchy.n_nodes)]
    for u, p in enumerate(hierarchy.parent.tolist()):
        if u < hierarchy.n_leaves:
            below[u] = {hierarchy.leaves[u]}
            while p >= 0:
                below[p].add(hierarchy.leaves[u])
                p = int(hierarchy.parent[p])
    return {frozenset(x) for x in below}


def rows(text, sep=","):
    """Lines of cells."""
    return "".join(f"{line.replace(' ', sep)}\n" for line in text.split("\n"))


CATS = [["wolf", "fox"], ["cat", "lion"]]
BY_ID = [["1", "2"], ["3", "4"]]
ENDS = rows("1 wolf 10 canid\n2 fox 10 canid\n3 cat 11 felid\n4 lion 11 felid\n10 canid 20 beast\n11 felid 20 beast")
BACK = rows("10 canid 1 wolf\n10 canid 2 fox\n11 felid 3 cat\n11 felid 4 lion\n20 beast 10 canid\n20 beast 11 felid")
SAID = "wolf {0} canid\nfox {0} canid\ncat {0} felid\nlion {0} felid\ncanid {0} beast\nfelid {0} beast"
OAKS = [["Quercus robur", "Quercus alba"], ["Fagus sylvatica", "Fagus alba"]]
TREES_OF = "Quercus robur\nQuercus alba\nFagus sylvatica\nFagus alba"
SHOP = [[["m1", "m2"], ["n1", "n2"]], ["k1", "k2"]]
GOODS = "Tisch Esstisch m1\nTisch Esstisch m2\nTisch Couchtisch n1\nTisch Couchtisch n2\nBett Doppel k1\nBett Doppel k2"
IN_CELLS = [x.split() for x in GOODS.split("\n")]
OPML = (
    '<opml version="2.0"><head><title>x</title></head><body><outline text="dog"><outline text="wolf"/><outline '
    'title="fox"/></outline><outline text="felid"><outline text="cat" _note="y"/><outline text="lion"/></outline>'
    "</body></opml>"
)

TREES = [
    # the id and the name of both ends
    ("read_edges", "id_one,name_one,id_two,name_two\n" + ENDS, BY_ID),
    ("read_hierarchy", "child_id,child_name,parent_id,parent_name\n" + ENDS, BY_ID),
    ("read_hierarchy", "subject_id,subject_label,object_id,object_label\n" + ENDS, BY_ID),
    ("read_hierarchy", "item,itemLabel,class,classLabel\n" + ENDS, BY_ID),
    ("read_edges", "id_a,label_a,id_b,label_b\n" + BACK, BY_ID),
    ("read_hierarchy", "source_id,source_label,target_id,target_label\n" + BACK, BY_ID),
    # statements
    ("read_hierarchy", "s,p,o\n" + rows(SAID.format("rdfs:subClassOf")), CATS),
    ("read_hierarchy", "head,relation,tail\n" + rows(SAID.format("isa")) + "wolf,eats,deer\n", CATS),
    ("read_hierarchy", "subj\tpred\tobj\n" + rows(SAID.format("skos:broader"), "\t"), CATS),
    # codes
    (
        "read_hierarchy",
        "soc,title\n11-0000,A\n11-1000,B\n11-1011,C\n11-1021,D\n11-2000,E\n11-2011,F\n11-2021,G\n15-0000,H\n15-1200,I\n"
        "15-1211,J\n15-1212,K\n",
        [[["11-1011", "11-1021"], ["11-2011", "11-2021"]], ["15-1211", "15-1212"]],
    ),
    (
        "read_hierarchy",
        "O*NET-SOC Code,Title\n11-1011.00,A\n11-1011.03,B\n11-2011.00,C\n11-2021.00,D\n15-1211.00,E\n15-1211.01,F\n",
        [[["11-1011.00", "11-1011.03"], ["11-2011.00", "11-2021.00"]], ["15-1211.00", "15-1211.01"]],
    ),
    (
        "read_hierarchy",
        "NAICS Code,Title\n44-45,A\n441,B\n4411,C\n4412,D\n445,E\n4451,F\n4452,G\n51,H\n511,I\n512,J\n",
        [[["4411", "4412"], ["4451", "4452"]], ["511", "512"]],
    ),
    (
        "read_hierarchy",
        "Code;Title\n01.1;A\n01.11;B\n01.12;C\n01.2;D\n05.1;E\n05.10;F\n",
        [[["01.11", "01.12"], "01.2"], "05.10"],
    ),
    # outlines in XML
    ("read_hierarchy", OPML, CATS),
    ("read_lineages", '<?xml version="1.0"?>\n' + OPML, CATS),
    (
        "read_hierarchy",
        '<map version="1.0"><node TEXT="x"><node TEXT="a"><node TEXT="wolf"/><node TEXT="fox"/></node><node TEXT="b">'
        '<node TEXT="cat"/><node TEXT="lion"/></node></node></map>',
        CATS,
    ),
    # genus and epithet
    *(
        ("read_hierarchy", rows(f"{names}\n{TREES_OF}"), OAKS)
        for names in ("genus epithet", "Genus specificEpithet", "Gattung Epitheton", "genre espèce")
    ),
    # categories
    *(
        ("read_hierarchy", rows(f"{names}\n{GOODS}", ";"), SHOP)
        for names in (
            "Hauptgruppe Untergruppe Bezeichnung",
            "Warenbereich Sortiment Ware",
            "Rubrik Unterrubrik Stichwort",
            "Ebene_1 Ebene_2 Ebene_3",
        )
    ),
    # paths beside names
    ("read_hierarchy", "item,path\n" + "".join(f"{z},{x} > {y}\n" for x, y, z in IN_CELLS), SHOP),
    ("read_hierarchy", "".join(f"{x} > {y}\t{z}\n" for x, y, z in IN_CELLS), SHOP),
]  # fmt: skip


def given_by(reader, path):
    """The value, or those of the calls in the error."""
    try:
        return [READERS[reader](path)]
    except ParseError as error:
        return [eval(x, dict(READERS)) for x in CALL.findall(str(error))]


@pytest.mark.parametrize(("reader", "text", "tree"), TREES)
def test_a_tree(reader, text, tree, tmp_path):
    path = tmp_path / "file.txt"
    path.write_text(text, encoding="utf-8")
    assert clades(Hierarchy.from_nested(tree)) in [clades(x) for x in given_by(reader, str(path))]


def test_both_ends_of_an_edge_have_names():
    columns = {"child_id": [1, 2], "child_name": ["a", "b"], "parent_id": [9, 9], "parent_name": "top"}
    found = READERS["read_edges"](pd.DataFrame(columns), labels="name")
    assert (list(found.leaves), found.names) == (["a", "b"], ("top",))


@pytest.mark.parametrize("header", ["id_one,name_one,id_two,name_two", "id_a,label_a,id_b,label_b"])
def test_edges_that_may_run_either_way_are_asked(header, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(f"{header}\n1,wolf,2,canid\n3,cat,4,felid\n", encoding="utf-8")
    with pytest.raises(ParseError, match="holds children") as info:
        READERS["read_edges"](path)
    assert len(CALL.findall(str(info.value))) == 2


@pytest.mark.parametrize("text", ["<opml><body><outline/></body></opml>", "<opml><body/></opml>"])
def test_an_outline_without_names(text, tmp_path):
    path = tmp_path / "file.opml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError, match="no name"):
        READERS["read_hierarchy"](path)


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        *(("da", "ne"), ("igen", "nem"), ("kyllä", "ei"), ("ano", "ne"), ("jah", "ei"), ("jā", "nē"), ("taip", "ne")),
        *(("ναι", "όχι"), ("já", "nei"), ("da", "nu"), ("예", "아니요"), ("ya", "tidak"), ("так", "ні")),
        ("כן", "לא"),
    ],
)  # fmt: skip
def test_yes_and_no(yes, no, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(f"a,b,same\ndog,wolf,{yes}\ndog,eel,{no.upper()}\n", encoding="utf-8")
    assert list(READERS["read_pairs"](path)) == [("dog", "wolf", "must"), ("dog", "eel", "cannot")]


GENES = rows(
    "gene ctrl1 ctrl2 ctrl3 drug1 drug2 drug3\nTP53 1 1.1 1.2 9 9.1 9.2\nBRCA1 2 2.1 2 7 7.2 7.1\n"
    "MYC 5 5.1 5.2 1 1.1 1\nEGFR 3 3.3 3.1 8 8.1 8.2"
)
SICK = ["ctrl1 ctrl2 ctrl3", "drug1 drug2 drug3"]
CITIES = "city people area\nAa {} 1\nBb {} 2\nCc {} 1\nDd {} 50\nEe {} 52"
BIG = ["Aa Bb Cc", "Dd Ee"]


def cities(*people, sep=",", area=""):
    return rows(CITIES.format(*people).replace(" 1\n", f" 1{area}\n"), sep)


DATA = [
    ({"d.csv": GENES}, SICK),
    ({"d.csv": GENES, "t.csv": "a,b,c\nctrl1,ctrl2,drug1\ndrug1,drug3,ctrl3\n"}, SICK),
    ({"d.csv": GENES, "p.csv": "a,b,link\nctrl1,ctrl2,must\nctrl1,drug1,cannot\n"}, SICK),
    ({"d.csv": GENES, "c.csv": "sample,class\nctrl1,c\ndrug1,d\n"}, SICK),
    ({"d.csv": cities('"12,917"', '"13,010"', '"950"', '"812,917"', '"813,010"')}, BIG),
    ({"d.csv": cities('"12,917"', '"13,010"', '"950"', '"812,917"', '"813,010"', area=".5")}, BIG),
    ({"d.csv": cities("12.917", "13.010", "12.500", "812.917", "813.010", sep=";")}, BIG),
    ({"d.csv": cities('"12.917,5"', '"13.010,0"', '"950,1"', '"812.917,0"', '"813.010,0"', sep=";")}, BIG),
    ({"d.csv": cities('"$12,917.50"', "$13", '"$950"', '"$812,917"', '"$813,010"')}, BIG),
    ({"d.csv": "id,u,v\n0123,0,0\n0223,9,9\n0124,0,1\n", "t.csv": "a,b,c\n123,124,223\n"}, ["123 124", "223"]),
    ({"d.csv": "id,u,v\np,0,0\nq,0,1\nr,9,9\n", "c.csv": "id,red,blue\np,x,\nq,x,\nr,,x\n"}, ["p q", "r"]),
    ({"d.csv": "id,u,v\np,0,0\nq,0,1\nr,9,9\n", "c.csv": "id,red,blue\np,da,ne\nq,da,ne\nr,ne,da\n"}, ["p q", "r"]),
    ({"d.csv": "id,u,v\np,0,0\nq,0,1\nr,9,9\n", "c.csv": "red,blue\np,r\nq,\n"}, ["p q", "r"]),
]


def run(words):
    return CliRunner().invoke(main, words, prog_name="tripletree")


def clusters_in(result):
    found = {}
    for line in result.stdout.splitlines()[1:]:
        label, _, cluster = line.rpartition(",")
        found.setdefault(cluster, set()).add(label)
    return sorted(" ".join(sorted(x)) for x in found.values())


@pytest.mark.parametrize(("files", "wanted"), DATA)
def test_data(files, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    kinds = {"t.csv": "--triplets", "p.csv": "--pairs", "c.csv": "--classes"}
    result = run(["cluster", "d.csv", "-k", "2", *(y for x in files if x in kinds for y in (kinds[x], x))])
    if result.exit_code:
        found = [run(shlex.split(x)) for x in re.findall(r"tripletree (cluster .*)", result.stderr)]
        assert found, result.stderr
        assert [x.exit_code for x in found] == [0] * len(found)
    else:
        found = [result]
    assert wanted in [clusters_in(x) for x in found]


def test_zeros_that_no_number_of_digits_mends_are_not_offered(tmp_path):
    (tmp_path / "d.csv").write_text("id,u\n00123,0\n00223,9\n123,9\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("a,b,c\n123,00123,223\n", encoding="utf-8")
    found = run(["cluster", str(tmp_path / "d.csv"), "--triplets", str(tmp_path / "t.csv")])
    assert "write them alike in both files" in found.stderr
    assert "--id-digits" not in found.stderr


@pytest.mark.parametrize("column", ["nothing", "gene"])
def test_columns_of_a_turned_table(column, tmp_path):
    (tmp_path / "d.csv").write_text(GENES, encoding="utf-8")
    found = run(["cluster", str(tmp_path / "d.csv"), "-k", "2", "--transpose", "--index-column", column])
    assert (found.exit_code == 0) == (column == "gene")


# ---------------------------------------------------------------------- what stands in the place of knowledge

X = np.arange(12.0).reshape(6, 2)
NAMES = list("abcdef")
ANSWERS = READERS["read_answers"](pd.DataFrame({"a": ["a"], "b": ["b"], "c": ["c"], "odd": ["c"]}))
ESTIMATORS = [DivisiveReCon(2), ReCon(2), COPKMeans(2)]


@pytest.mark.parametrize("kind", ["triplets", "pairs", "comparisons", "knowledge"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda x: type(x).__name__)
def test_a_path_in_place_of_knowledge_names_the_reader(kind, estimator):
    takes = {"COPKMeans": ("pairs", "knowledge"), "ReCon": ("triplets", "pairs", "knowledge")}
    if kind in takes.get(type(estimator).__name__, (kind,)):
        with pytest.raises(TypeError, match=re.escape(f"read_{kind}('answers.csv') reads a file")):
            estimator.fit(X, **{kind: "answers.csv"})
    if kind != "knowledge":
        with pytest.raises(TypeError, match=re.escape(f"read_{kind}('answers.csv') reads a file")):
            Knowledge.of(**{kind: "answers.csv"})


def test_answers_in_place_of_triplets_name_the_method():
    with pytest.raises(TypeError, match=re.escape("give answers.triplets()")):
        Knowledge.of(triplets=ANSWERS)
    with pytest.raises(TypeError, match=re.escape("give AnswerSet(answers).triplets()")):
        Knowledge.of(triplets=[Answer(("a", "b", "c"), "odd", "c")])
    with pytest.raises(TypeError, match=re.escape("give answers.pairs()")):
        Knowledge.of(pairs=ANSWERS)
    assert list(Knowledge.of(triplets=ANSWERS.triplets()).triplets) == [("a", "b", "c")]


def test_soft_kinds_one_by_one_or_in_a_list():
    known = Knowledge.of(triplets=[("a", "b", "c")], pairs=([("a", "b")], []))
    assert known.with_soft(["triplets"]).soft == known.with_soft("triplets").soft == {"triplets"}
    assert known.only(["pairs"]).kinds == known.only("pairs").kinds == ("pairs",)
    with pytest.raises(ValueError, match="no kind of knowledge is called 'x'"):
        known.with_soft(["x"])


@pytest.mark.parametrize("triplets", [[("a", "b", "c")], [("a", "b", "c"), ("a", "c", "b")]])
@pytest.mark.parametrize("pairs", [None, ([("a", "c")], [])])
def test_soft_knowledge_is_made_hard_where_that_works(triplets, pairs):
    soft = ["triplets"] if pairs is None else ["triplets", "pairs"]
    known = Knowledge.of(NAMES, triplets=triplets, pairs=pairs, soft=soft)
    with pytest.raises(ValueError, match="take DivisiveReCon, which weighs them") as info:
        ReCon(2).fit(X, sample_names=NAMES, knowledge=known)
    if "with_soft()" in str(info.value):
        ReCon(2).fit(X, sample_names=NAMES, knowledge=known.with_soft())
    else:
        assert not known.with_soft().is_consistent
    DivisiveReCon(2, random_state=0).fit(X, sample_names=NAMES, knowledge=known)


@pytest.mark.parametrize("kind", ["hierarchy", "knowledge"])
@pytest.mark.parametrize("estimator", [ReCon(2), DivisiveReCon(2)], ids=lambda x: type(x).__name__)
def test_few_leaves_in_a_fold(kind, estimator):
    from sklearn.model_selection import GridSearchCV

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), index=[f"s{i}" for i in range(30)])
    tree = Hierarchy.from_nested([["s0", "s1"], ["s2", "s3"]])
    given = {kind: tree if kind == "hierarchy" else Knowledge.of(hierarchy=tree)}

    def searched(model):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = GridSearchCV(model, {"n_clusters": [2, 3]}, cv=3, error_score="raise", scoring=lambda *_: 1.0)
            return search.fit(frame, **given)

    with pytest.raises(ValueError, match="missing_samples='ignore' leaves it out"):
        searched(estimator)
    searched(type(estimator)(2, missing_samples="ignore"))


def test_outvoted_triplets_are_counted(tmp_path):
    (tmp_path / "d.csv").write_text("id,u\na,0\nb,0.1\nc,9\nd,9.1\n", encoding="utf-8")
    said = ["a,b,c", "a,b,d", "c,d,a", "c,d,b", "a,c,b"]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c", *said]), encoding="utf-8")
    command = [
        "cluster",
        str(tmp_path / "d.csv"),
        "--triplets",
        str(tmp_path / "t.csv"),
        "--method",
        "divisive",
        "-k",
        "2",
    ]
    found = run([*command, "--soft", "triplets"])
    assert found.exit_code == 0, found.stderr
    assert "the hierarchy outvotes 1 of 5 triplets" in found.stderr
    assert "outvotes" not in run([*command, "--constraints", "hard"]).stderr
