"""A table of layouts by doors: what a table says does not depend on the way by which it comes in."""

import io
import re
import warnings

import pandas as pd
import polars
import pytest
from click.testing import CliRunner

import tripletree as tt
from tripletree.cli import main
from tripletree.cluster import DivisiveReCon
from tripletree.errors import ParseError
from tripletree.io import (
    read_annotations,
    read_answers,
    read_comparisons,
    read_edges,
    read_hierarchy,
    read_lineages,
    read_pairs,
    read_triplets,
)


def pairs(found):
    return sorted((str(a), str(b), link) for a, b, link in found)


def triplets(found):
    return sorted(f"{min(a, b)} {max(a, b)}|{c}" for a, b, c in (map(str, x) for x in found))


def comparisons(found):
    rows, leaves = found
    return [" ".join(str(leaves[i]) for i in row) for row in rows.tolist()]


def answers(found):
    return [None if x.odd is None else str(x.odd) for x in found]


def tree(found):
    return tt.write_newick(found, lengths=False)


READERS = {
    "pairs": (read_pairs, pairs),
    "triplets": (read_triplets, triplets),
    "comparisons": (read_comparisons, comparisons),
    "answers": (read_answers, answers),
    "annotations": (read_annotations, lambda found: found),
    "edges": (read_edges, tree),
    "lineages": (read_lineages, tree),
}
LINKED = [("x", "y", "must"), ("x", "z", "cannot")]
NUMBERED = [("1", "2", "must"), ("2", "3", "cannot")]
SAID = ["x z y", "y x w"]
#: The beginnings of tables of MTurk and of SoSci Survey.
MTURK = "HITId,AssignmentId,WorkerId,Input.item1,Input.item2,Input.item3"
SOSCI = "CASE,QUESTNNR,TR01,TR02\nNumber,Form,What is the odd one? x / y / z,What is the odd one? x / y / w\n"
#: Kind, rows, and what they say, or the words of the error.
LAYOUTS = [
    ("pairs", "a,b,link\nx,y,yes\nx,z,no\n", LINKED),
    ("pairs", "a,b,link\nx,y,Y\nx,z,N\n", LINKED),
    ("pairs", "a,b,link\nx,y,t\nx,z,f\n", LINKED),
    ("pairs", "a,b,link\nx,y,TRUE\nx,z,FALSE\n", LINKED),
    ("pairs", "a,b,link\nx,y,1\nx,z,0\n", LINKED),
    ("pairs", "a,b,link\nx,y,1.0\nx,z,-1.0\n", LINKED),
    ("pairs", "A,B,Link,Weight\nx,y,must,0.5\nx,z,cannot,1\n", LINKED),
    ("pairs", "id1,id2,match\nx,y,1\nx,z,0\n", LINKED),
    ("pairs", "a;b;link;weight\nx;y;1;0,5\nx;z;0;0,25\n", LINKED),
    ("pairs", "a,b,link\n1,2,must\n2,3,cannot\n", NUMBERED),
    ("pairs", "a,b,link\n1.0,2.0,must\n2.0,3.0,cannot\n", NUMBERED),
    ("pairs", "a,b,link\nx,y,must\nx,w,\nz,w,?\nx,z,no\n", LINKED),
    ("triplets", "a,b,c\nx,y,z\n", ["x y|z"]),
    ("triplets", "A,B,C\nx,y,z\n", ["x y|z"]),
    ("triplets", "a;b;c;weight\nx;y;z;1,5\n", ["x y|z"]),
    ("triplets", "a,b,c\n3.0,2.0,1.0\n", ["2 3|1"]),
    ("triplets", "anchor,near,far\nx,y,z\ny,x,z\n", ["x y|z"]),
    ("triplets", "a,b,c\nx,y,\n", "no label in column c"),
    ("comparisons", "Anchor,Near,Far\nx,z,y\ny,x,w\n", SAID),
    ("comparisons", "Center,Left,Right,Answer\nx,y,z,z\ny,x,w,x\n", SAID),
    ("comparisons", "reference,option1,option2,response\nx,y,z,2.0\ny,x,w,1.0\n", SAID),
    ("comparisons", "reference,left,right,response\nx,y,z,right\ny,x,w,left\n", SAID),
    ("comparisons", "reference,left,right,response\nx,y,z,\nx,y,z,z\nx,y,w,NA\ny,x,w,x\n", SAID),
    ("answers", "A,B,C,Odd\nx,y,z,z\nx,y,w,x\n", ["z", "x"]),
    ("answers", "item1,item2,item3,response\nx,y,z,3.0\nx,y,w,1.0\n", ["z", "x"]),
    ("answers", "item1,item2,item3,response\nx,y,z,2\nx,y,w,0\n", ["z", "x"]),
    ("answers", "image_A,image_B,image_C,selected\nx,y,z,C\nx,y,w,A\n", ["z", "x"]),
    ("answers", "a,b,c,odd\nx,y,z,NA\nx,y,w,\nx,z,w,?\nx,y,z,don't know\nz,y,x,x\n", [None] * 4 + ["x"]),
    ("answers", "who;a;b;c;odd;rt_s\np;x;y;z;z;1,25\np;x;y;w;x;0,9\n", ["z", "x"]),
    ("answers", "subject;trial;stimulus;answer\n1;1;x y z;z\n2;2;x y w;x\n", ["z", "x"]),
    ("answers", "subj,shown,resp,rt\n1,x|y|z,3,512\n1,x|y|w,1,611\n", ["z", "x"]),
    ("answers", "subject;session;picture;choice;correct\n1;1;x-y-z;z;1\n1;2;w-y-x;x;0\n", ["z", "x"]),
    ("answers", "participant,image,response,key\nv,x,y,f\nv,z,x,j\n", "only 'image' could hold items"),
    ("answers", "city,country,choice\nx,y,x\nz,w,w\n", "only 'city' could hold items"),
    ("answers", "subj,stim,resp,rt\n1,x,y,512\n2,z,x,400\n", "only 'stim' could hold items"),
    ("answers", "a,b,c,passt nicht\nx,y,z,z\nw,x,y,w\n", ["z", "w"]),
    ("answers", "a,b,c,intruder\nx,y,z,z\nw,x,y,w\n", ["z", "w"]),
    ("answers", "a,b,c,odd,n_votes\nx,y,z,z,2\nw,x,y,w,1\n", ["z", "z", "w"]),
    ("answers", "a,b,c,answer,freq\nx,y,z,z,2\nw,x,y,w,0\n", ["z", "z"]),
    ("answers", "a,b,c,odd,count\nx,y,z,z,often\n", "which tells how often each answer was given"),
    ("answers", "a,b,c,resp_A,resp_B,resp_C\nx,y,z,0,0,1\nw,x,y,1,0,0\n", ["z", "w"]),
    ("answers", f"{MTURK},Answer.choice\nh,1,p,x,y,z,z\ni,2,p,x,y,w,x\n", ["z", "x"]),
    ("answers", f"{MTURK},Answer.odd.1,Answer.odd.2,Answer.odd.3\nh,1,p,x,y,z,false,false,true\n", ["z"]),
    ("answers", f'{MTURK},Answer.taskAnswers\nh,1,p,x,y,z,"[{{""odd"":{{""label"":""z""}}}}]"\n', ["z"]),
    ("answers", f'{MTURK},Answer.taskAnswers\nh,1,p,x,y,z,"[{{""odd"":{{""1"":false,""3"":true}}}}]"\n', ["z"]),
    (
        "comparisons",
        "HITId,AssignmentId,WorkerId,Input.anchor,Input.left,Input.right,Answer.choice\nh,1,p,x,y,z,right\ni,2,p,y,x,w,left\n",
        SAID,
    ),
    ("answers", f"{SOSCI}1,base,z,x\n2,base,y,w\n", ["z", "x", "y", "w"]),
    ("answers", f"{SOSCI}1,base,3,1\n2,base,-9,3\n", ["z", "x", None, "w"]),
    (
        "answers",
        f"{SOSCI}1,base,4,6\n2,base,5,4\n",
        "numbers that do not count them: 4, 5, 6. Save the answers as words",
    ),
    ("answers", "CASE,QUESTNNR,IT01,IT02,IT03,ODD\n1,base,x,y,z,3\n2,base,x,y,w,1\n", ["z", "x"]),
    ("triplets", "a,b,c,count\nx,y,z,2\n", ["x y|z"]),
    ("triplets", "a,b,c,trial,condition\nx,y,z,1,1\n", ["x y|z"]),
    ("triplets", "a,b,c,winner\nx,y,z,z\nx,w,z,x\n", "'winner' repeats one of 'a', 'b', 'c' in every row: are these"),
    ("triplets", "a,b,c,most_similar\nx,y,z,y\nx,w,z,x\n", "'most_similar' repeats one of"),
    ("triplets", "a,b,c,verdict\nx,y,z,1\nx,w,z,3\n", "'verdict' names one of 'a', 'b', 'c'"),
    ("triplets", "a,b,c,same_pair\nx,y,z,AB\nx,w,z,BC\n", "'same_pair' names two of 'a', 'b', 'c'"),
    ("annotations", "gene,go_id\nT,GO:1\nB,GO:2\n", {"T": ["GO:1"], "B": ["GO:2"]}),
    ("annotations", "gene,score,go_id\nT,1,GO:1\nB,2,GO:2\n", {"T": ["GO:1"], "B": ["GO:2"]}),
    ("annotations", "sample,cluster\n1,2.0\n2,3.0\n", {"1": ["2"], "2": ["3"]}),
    ("annotations", "gene,go_id\nT,GO:1\nB,NA\n", "no node in this row|the node 'NA' stands for none"),
    ("edges", "Child,Parent\na,r\nb,r\nr,\n", "(a,b)r;"),
    ("edges", "child,parent\na,r\nb,r\nr,NA\n", "(a,b)r;"),
    ("edges", "child,parent\na,r\nb,r\nr,-\n", "(a,b)r;"),
    ("edges", "id,parent_id\n1,\n2,1.0\n3,1.0\n", "(2,3)1;"),
    ("edges", "child;parent;length\na;r;0,5\nb;r;1,5\nr;;\n", "(a,b)r;"),
    ("lineages", "ID,Family,Genus\nx,F,G\ny,F,H\n", "((x)G,(y)H)F;"),
    ("lineages", "sample,family,genus\n101.0,F,G\n102.0,F,H\n", "((101)G,(102)H)F;"),
    ("lineages", "id,family,genus\nx,F,G\ny,F,?\nz,F,-\nw,F,NA\n", "((x)G,y,z,w)F;"),
]


def frame_of(text):
    return pd.read_csv(io.StringIO(text), sep=";" if ";" in text else ",")


def saved(path, write):
    write(path)
    return path


DOORS = {
    "stream": lambda text, folder: io.StringIO(text),
    "file": lambda text, folder: saved(folder / "table.csv", lambda path: path.write_text(text)),
    "old file": lambda text, folder: saved(
        folder / "old.csv", lambda path: path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    ),
    "pandas": lambda text, folder: frame_of(text),
    "polars": lambda text, folder: polars.from_pandas(frame_of(text)),
    "parquet": lambda text, folder: saved(folder / "t.parquet", frame_of(text).to_parquet),
    "json": lambda text, folder: saved(folder / "t.json", lambda path: frame_of(text).to_json(path, orient="records")),
    "json lines": lambda text, folder: saved(
        folder / "t.jsonl", lambda path: frame_of(text).to_json(path, orient="records", lines=True)
    ),
    "workbook": lambda text, folder: saved(folder / "t.xlsx", lambda path: frame_of(text).to_excel(path, index=False)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("kind", "text", "means"), LAYOUTS, ids=[f"{x[0]}: {x[1]!r:.60}" for x in LAYOUTS])
def test_layouts__mean_the_same_at_each_door(tmp_path, kind, text, means, door):
    read, shown = READERS[kind]
    source = DOORS[door](text, tmp_path)
    if isinstance(means, str) and kind not in ("edges", "lineages"):
        with pytest.raises(ParseError, match=means):
            read(source)
        return
    found = shown(read(source))
    assert (found.replace("[&incertae_sedis=1]", "") if isinstance(found, str) else found) == means


FITTED = [
    x for x in LAYOUTS if x[0] not in ("answers", "annotations") and (x[2][0] == "(" or not isinstance(x[2], str))
]


@pytest.mark.parametrize(("kind", "text", "means"), FITTED, ids=[f"{x[0]}: {x[1]!r:.60}" for x in FITTED])
def test_layouts__mean_the_same_in_a_fit(tmp_path, kind, text, means):
    labels = ["1", "2", "3", "a", "b", "w", "x", "y", "z", "101", "102"]
    X = pd.DataFrame([[float(k)] for k in range(len(labels))], index=labels)
    given = frame_of(text)
    if kind in ("edges", "lineages"):
        path = saved(tmp_path / "table.csv", lambda path: path.write_text(text))
        assert tree(read_hierarchy(path)).replace("[&incertae_sedis=1]", "") == means
        return
    if "1" in given.iloc[0].map(str).tolist()[:2] or given.dtypes.iloc[0].kind in "if":
        X.index = [int(x) if x.isdecimal() else x for x in labels]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DivisiveReCon(2).fit(X, **{kind: given})
    if kind == "pairs":
        assert pairs(model.pairs_) == means
    elif kind == "triplets":
        assert triplets(model.triplets_) == means
    elif kind == "comparisons":
        assert triplets(model.triplets_) == sorted(f"{min(x[0], x[2])} {max(x[0], x[2])}|{x[4]}" for x in means)


SHELL = [x for x in LAYOUTS if x[0] not in ("annotations", "comparisons")]
ENDINGS = {
    "csv": lambda text, path: path.write_text(text),
    "parquet": lambda text, path: frame_of(text).to_parquet(path),
    "xlsx": lambda text, path: frame_of(text).to_excel(path, index=False),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("kind", "text", "means"), SHELL, ids=[f"{x[0]}: {x[1]!r:.60}" for x in SHELL])
def test_layouts__mean_the_same_in_a_shell(tmp_path, monkeypatch, kind, text, means, ending):
    monkeypatch.chdir(tmp_path)
    file, out = f"t.{ending}", "out.nwk"
    ENDINGS[ending](text, tmp_path / file)
    command = {
        "pairs": ["check", file],
        "triplets": ["check", file],
        "answers": ["answers", file, "--jsonl", "out.jsonl"],
        "edges": ["convert", file, "-o", out],
        "lineages": ["convert", file, "-o", out],
    }
    done = CliRunner().invoke(main, command[kind])
    if isinstance(means, str) and kind not in ("edges", "lineages"):
        assert done.exit_code == 2
        assert re.search(means, done.stderr), done.stderr
        return
    assert done.exit_code == 0, done.output
    if kind == "pairs":
        assert "1 must-link and 1 cannot-link on 3 leaves" in done.output
    elif kind == "triplets":
        assert "1 triplet" in done.output or "1 weighted triplet" in done.output
    elif kind == "answers":
        assert answers(read_answers("out.jsonl")) == means
    else:
        found = tree(tt.read_newick(out))
        assert found.replace("[&incertae_sedis=1]", "") == means


@pytest.mark.parametrize("text", [x[1] for x in LAYOUTS if x[0] == "comparisons"])
def test_layouts__of_comparisons_in_a_shell(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.csv").write_text(text)
    (tmp_path / "d.csv").write_text("name,cm\nx,1\ny,2\nz,8\nw,9\n")
    known = ["--know", "c.csv", "--resamples", "0"]
    done = CliRunner().invoke(main, ["report", "d.csv", *known])
    assert done.exit_code == 0, done.output
    assert "c.csv: comparisons with an anchor" in done.output
    assert "Known: 2 comparisons about 4 of the 4 samples." in done.output
    assert re.search("Of note: Read 2 comparisons: (Anchor nearer Near than Far|.* against .* and .*)", done.output)


@pytest.mark.parametrize("read", [read_pairs, read_triplets, read_annotations, read_edges, read_lineages])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": "x", "b": ["y"]}]', "row 1: the value of 'b' is a list; cells must be texts or numbers"),
        ('{"a": "x"}\n{"a": {"b": 1}}\n', "line 2: the value of 'a' is an object; cells must be texts or numbers"),
        ('[{"a": "x"}, 3]', "row 2: expected an object, whose keys are the names of columns"),
    ],
)
def test_layouts__json_that_is_no_table(tmp_path, read, text, message):
    path = saved(tmp_path / "t.json", lambda path: path.write_text(text))
    with pytest.raises(ParseError, match=message):
        read(path)


def test_layouts__json_that_is_cut_off_is_told_by_its_name(tmp_path):
    path = saved(tmp_path / "t.json", lambda path: path.write_text('[{"a": "x", "b": "y"'))
    with pytest.raises(ParseError, match="not JSON|JSON"):
        read_pairs(path)
    label = read_triplets(io.StringIO("{a} b | c\n"))  # no JSON: a label with brackets
    assert sorted(label.leaves) == ["b", "c", "{a}"]


TRIOS = [("wolf", "fox", "eel"), ("fox", "cat", "eel"), ("cat", "wolf", "hen"), ("hen", "eel", "fox")]
REPLIES = [["eel", "eel", "hen", "eel"], ["eel", "cat", "hen", None], ["wolf", "eel", "cat", "hen"]]


def said_by(found):
    return sorted((x.who, *sorted(x.items), x.odd) for x in found if x.kind == "odd")


@pytest.mark.parametrize(
    "names", [["item1", "item2", "item3"], ["a", "b", "c"], ["Bild links", "Mitte", "rechts"], [""]]
)
@pytest.mark.parametrize("number", [None, "trial", "Frage"])
@pytest.mark.parametrize(
    "people", ["P1,P2,P3", "s01,s02,s07", "Rater A,Rater B,Rater C", "vp_1,vp_2,vp_3", "coderX,coderY,coderZ"]
)
def test_read_answers__a_column_for_each_person(names, number, people):
    people = people.split(",")
    frame = pd.DataFrame(TRIOS, columns=names) if names[0] else pd.DataFrame({"triad": ["|".join(x) for x in TRIOS]})
    frame = frame.assign(**dict(zip(people, REPLIES, strict=True)))
    if number is not None:
        frame.insert(0, number, range(1, 5))
    every = [
        (who, trio, odd)
        for who, all_of in zip(people, REPLIES, strict=True)
        for trio, odd in zip(TRIOS, all_of, strict=True)
    ]
    right = sorted((who, *sorted(trio), odd) for who, trio, odd in every if odd)
    for one in (frame, io.StringIO(frame.to_csv(index=False)), io.StringIO(frame.to_csv(index=False, sep=";"))):
        found = read_answers(one)
        assert said_by(found) == right
        assert "3 people" in found.reading
        assert "a column for each person" in found.reading


@pytest.mark.parametrize(
    "names",
    [
        *(
            "closest,furthest",
            "best,worst",
            "most typical,least typical",
            "gt,pred",
            "label,prediction",
            "before,after",
        ),
        *("round1,round2", "session1,session2", "first,second", "left,right", "similar1,similar2", "answer1,answer2"),
        *("Anna,Ben", "so,se", "rater1,vp2", "rank1,rank2"),
    ],
)
def test_read_answers__columns_that_may_be_something_else_are_asked_about(names):
    frame = pd.DataFrame(TRIOS, columns=["a", "b", "c"]).assign(**dict(zip(names.split(","), REPLIES, strict=False)))
    try:
        found = read_answers(frame)
    except ParseError:
        return
    assert len(found) == 4  # of one of them
    assert "people" not in found.reading


def test_read_answers__columns_that_are_no_people():
    frame = pd.DataFrame(TRIOS, columns=["a", "b", "c"]).assign(P1=REPLIES[0], P2=REPLIES[1])
    found = read_answers(frame, odd="P2")
    assert [x.odd for x in found if x.kind == "odd"] == ["eel", "cat", "hen"]
    ranked = pd.DataFrame(TRIOS, columns=["a", "b", "c"]).assign(P1=[x[2] for x in TRIOS], P2=[x[0] for x in TRIOS])
    with pytest.raises(ParseError, match="which of the 5 columns holds the answer"):
        read_answers(ranked)
    few = pd.DataFrame([("x", "y", "z"), ("y", "x", "z")], columns=["a", "b", "c"]).assign(P1=["x", "y"], P2=["x", "x"])
    with pytest.raises(ParseError, match="which of the 5 columns holds the answer"):
        read_answers(few)


def test_read_comparisons__a_column_for_each_person():
    text = "target,left,right,s01,s02\nwolf,fox,eel,fox,fox\ncat,hen,fox,fox,hen\neel,hen,cat,hen,\n"
    found = read_comparisons(io.StringIO(text))
    assert found.reading.startswith("Read 5 comparisons: target against left and right; 2 people")
    with pytest.raises(ParseError, match="read_comparisons") as caught:
        read_answers(io.StringIO(text))
    assert "odd='answer'" in str(caught.value)
    assert len(read_answers(io.StringIO(text), odd="answer")) == 6


@pytest.mark.parametrize(
    "above", ["Study 2\n", "Odd one out study\nexported 2026-02-03\n\n", '"Checklist, 2026",,,\n\n', "\n\nTitle\n"]
)
@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_answers, "subject,word_1,word_2,word_3,odd\nu0,duck,eel,trout,trout\nu0,dog,hen,eel,hen\n"),
        (read_comparisons, "anchor,option1,option2,answer\na,b,c,b\nb,c,d,d\n"),
        (read_triplets, "a,b,c\nx,y,z\ny,z,w\n"),
        (read_pairs, "a,b,link\nx,y,must\ny,z,cannot\n"),
        (read_edges, "Pets\nchild,parent\nx,y\nz,y\ny,w\nq,w\n"),
        (read_hierarchy, "child,parent\nx,y\nz,y\ny,w\nq,w\n"),
        (read_lineages, "order,family,species\nA,B,x\nA,B,y\nA,C,z\n"),
        (read_hierarchy, "order,family,species\nA,B,x\nA,B,y\nA,C,z\n"),
    ],
)
def test_read__titles_above_a_known_header_are_passed_over(read, text, above):
    plain = read(io.StringIO(text))
    found = read(io.StringIO(above + text))
    if isinstance(plain, tt.Hierarchy):
        assert found == plain
    else:
        assert repr(found) == repr(plain)
    broken = text.rpartition("\n")[0].rpartition("\n")[0] + "\nonly one\n"
    with pytest.raises(ParseError) as caught:
        read(io.StringIO(above + broken))
    assert f"line {(above + broken).count(chr(10))}" in str(caught.value)


def test_read__a_line_of_one_cell_is_no_title_of_a_table_without_header():
    with pytest.raises(ParseError, match="line 1"):
        read_pairs(io.StringIO("Title\nx,y,must\ny,z,cannot\n"))
    assert read_hierarchy(io.StringIO("food\nfood > bread\nfood > cheese\ntoys\n")).n_leaves == 3


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_lineages, "Mammals,\ngenus,species\nCanis,lupus\nFelis,catus\nBirds,\ngenus,species\nCorvus,corax\n"),
        (read_edges, "Pets\nchild,parent\nx,y\nz,y\nchild,parent\ny,w\n"),
        (read_answers, "Day 1\na,b,c,odd\nx,y,z,x\ny,z,w,z\na,b,c,odd\nx,y,w,y\n"),
        (read_pairs, "Day 1\na,b,link\nx,y,must\na,b,link\ny,z,cannot\n"),
    ],
)
def test_read__a_header_that_comes_again_below_a_title_is_refused(read, text):
    with pytest.raises(ParseError, match=r"line \d: the header again \(it is in line \d\): several tables in one file"):
        read(io.StringIO(text))
