"""tripletree report: a table and a file of knowledge in, a page out."""

import csv
import json

import pytest

from tripletree.io import read_newick

TABLE = (
    "name,kg,cm\nPanthera leo,190,250\nFelis catus,4,50\nCanis lupus,40,110\nBos taurus,600,240\nGallus gallus,2,40\n"
)
TREE = "(((Panthera_leo,Felis_catus)Felidae,Canis_lupus)Carnivora,Bos_taurus,Gallus_gallus);"
ANSWERS = [
    {"items": ["Panthera leo", "Felis catus", "Gallus gallus"], "answer": "odd", "odd": "Gallus gallus", "who": "anna"},
    {"items": ["Canis lupus", "Felis catus", "Gallus gallus"], "answer": "odd", "odd": "Gallus gallus", "who": "ben"},
    {"items": ["Canis lupus", "Felis catus", "Bos taurus"], "answer": "unsure", "who": "ben"},
]
KNOWN = {
    "tree.nwk": (TREE, "a hierarchy", "5 of the 5 samples have a place in it"),
    "t.txt": (
        "'Panthera leo' 'Felis catus' | 'Gallus gallus'\n'Panthera leo' 'Felis catus' | 'Bos taurus'\n",
        "triplets",
        "2 triplets about 4 of the 5 samples",
    ),
    "t.csv": ("a,b,c\nPanthera leo,Felis catus,Gallus gallus\n", "triplets", "1 triplet about 3 of the 5 samples"),
    "pairs.csv": (
        "a,b,link\nPanthera leo,Felis catus,must\nBos taurus,Felis catus,cannot\n",
        "pairs",
        "2 pairs about 3 of the 5 samples",
    ),
    "odd.csv": (
        "one,two,three,odd\nPanthera leo,Felis catus,Bos taurus,Bos taurus\n",
        "answers of people",
        "1 answer that names an odd one, about 3 samples",
    ),
    "crowd.csv": (
        "first,second,third,answer,worker\nPanthera leo,Felis catus,Bos taurus,3,w1\n"
        "Felis catus,Bos taurus,Canis lupus,2,w2\n",
        "answers of people",
        "2 answers that name an odd one, about 4 samples",
    ),
    "answers.jsonl": (
        "".join(json.dumps(x) + "\n" for x in ANSWERS),
        "answers of people",
        "2 answers that name an odd one, about 4 samples; 1 other that names none, or not among samples",
    ),
    "edges.csv": (
        "child,parent\nPanthera leo,Felidae\nFelis catus,Felidae\nFelidae,Carnivora\nCanis lupus,Carnivora\n",
        "a hierarchy",
        "3 of the 5 samples have a place in it",
    ),
}


#: What is told of a file that was understood in one of several possible ways.
READ = {
    "crowd.csv": "Read 2 answers: the odd one of first, second and third by answer; 2 people; "
    "answers are positions from 1\n"
}


@pytest.mark.parametrize("name", list(KNOWN))
def test_report__sees_what_is_known(run, tmp_path, name):
    pytest.importorskip("rapidfuzz")
    text, kind, said = KNOWN[name]
    (tmp_path / "data.csv").write_text(TABLE)
    (tmp_path / name).write_text(text)
    done = run("report", "data.csv", "--know", name, "--standardize", "--resamples", 2)
    lines = done.stderr.splitlines()
    assert [x for x in lines if ": read " not in x and not x.startswith("Read ")] == []
    assert set(READ.get(name, "").splitlines()) <= set(lines)
    assert "data.csv: read 5 rows: names in 'name'; 2 features ('kg', 'cm')" in lines
    assert done.stdout.startswith(f"{name}: {kind}")
    assert said in done.stdout
    assert done.stdout.endswith("report.html\n")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<pre>tripletree report data.csv --know {name} --standardize --resamples 2</pre>" in page.replace(
        "main", "tripletree"
    )
    piped = run("report", "data.csv", "--know", "-", "--standardize", "--resamples", 2, "-o", "p.html", text=text)
    assert said in piped.stdout


def test_report__classes_and_all_files(run, tmp_path):
    rows = TABLE.splitlines()
    kinds = ["kind", "cat", "cat", "", "", "bird"]
    (tmp_path / "data.csv").write_text("".join(f"{x},{y}\n" for x, y in zip(rows, kinds, strict=True)))
    done = run(
        *("report", "data.csv", "--classes", "kind", "-k", 2, "--resamples", 1, "--title", "Animals & more"),
        *("-o", "a b.html", "--table", "c.csv", "--newick", "t.nwk", "--seed", 3, "--drop", "cm"),
    )
    assert "the classes of 3 of the 5 samples" in done.stdout
    assert done.stdout.endswith("a b.html\nc.csv\nt.nwk\n")
    page = (tmp_path / "a b.html").read_text(encoding="utf-8")
    assert "<title>Animals &amp; more</title>" in page
    for part in (
        "--classes kind",
        "--clusters 2",
        "--title &#x27;Animals &amp; more&#x27;",
        "--drop cm",
        "&#x27;a b.html&#x27;",
    ):
        assert part in page
    with open(tmp_path / "c.csv", newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [x["label"] for x in table] == [x.split(",")[0] for x in rows[1:]]
    assert {x["cluster"] for x in table} == {"0", "1"}
    assert set(read_newick(tmp_path / "t.nwk").leaves) == {x["label"] for x in table}


def test_report__classes_of_a_file(run, tmp_path):
    (tmp_path / "data.csv").write_text(TABLE)
    labels = [x.split(",")[0] for x in TABLE.splitlines()[1:]]
    (tmp_path / "kinds.csv").write_text(f"who,kind\n{labels[0]},cat\n{labels[1]},cat\n{labels[4]},bird\n")
    done = run("report", "data.csv", "--classes", "kinds.csv", "--resamples", 0)
    assert "the classes of 3 of the 5 samples" in done.stdout
    said = run("report", "data.csv", "--know", "kinds.csv", status=2).stderr
    assert "for classes of samples, 'tripletree report data.csv --classes kinds.csv'" in said


def test_report__to_the_standard_output(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE.replace("_", " ").replace("(P", "('P"))
    (tmp_path / "t.nwk").write_text("((('Panthera leo','Felis catus'),'Canis lupus'),'Bos taurus','Gallus gallus');")
    done = run("report", "-", "--know", "t.nwk", "-o", "-", "--resamples", 0, text=TABLE)
    assert done.stdout.startswith("<!doctype html>")
    assert done.stdout.endswith("</html>\n")
    assert "t.nwk: a hierarchy" in done.stderr
    assert "Does it help:" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data.csv"], "give knowledge about the samples: --know FILE, --classes NAME or --knowledge FILE, or several"),
        (
            ["data.csv", "--know", "t.nwk", "--know", "other.nwk"],
            "t.nwk and other.nwk are hierarchies, and a report takes",
        ),
        (["data.csv", "--know", "t.nwk", "--soft", "pairs"], "--soft pairs: no pairs are given"),
        (["-", "--know", "-"], "of the files to read, only one can be the standard input"),
        (["data.csv", "--know", "none.nwk"], "no such file: none.nwk"),
        (["data.csv", "--know", "t.nwk", "-o", "t.nwk"], "t.nwk is an input of this command already"),
        (["data.csv", "--know", "t.nwk", "-o", "no/r.html"], "no such folder"),
        (["data.csv", "--know", "t.nwk", "--table", "."], ".: a folder"),
        (["data.csv", "--know", "t.nwk", "-k", "9"], "9 clusters of 5 samples"),
        (["data.csv", "--know", "prose.txt"], "or name the contents of prose.txt: --as hierarchy, triplets, pairs"),
        (["data.csv", "--know", "other.nwk"], "the hierarchy has 0 of the 5 samples"),
        (["data.csv", "--know", "other.txt"], "none of the 1 triplets names samples only"),
        (["data.csv", "--know", "t.nwk", "--as", "pairs"], "t.nwk"),
        (
            ["data.csv", "--know", "t.nwk", "--as", "answers", "--columns", "a,b,c"],
            "--columns is for pairs, triplets and comparisons, and --as answers excludes these",
        ),
        (["data.csv", "--know", "pairs.txt", "--odd", "9"], "9"),
        (["data.csv", "--know", "empty.txt"], "empty.txt"),
        (["two.csv", "--know", "t.nwk"], "two.csv has 2 samples; a report needs at least 3"),
        (["one.csv", "--classes", "kind"], "different: at least two are needed"),
        (["data.csv", "--know", "t.nwk", "--synonyms", "prose.txt"], "--synonyms"),
    ],
)
def test_report__bad_input(run, tmp_path, arguments, message):
    pytest.importorskip("rapidfuzz")
    (tmp_path / "data.csv").write_text(TABLE)
    (tmp_path / "two.csv").write_text("name,x\na,1\nb,2\n")
    (tmp_path / "one.csv").write_text("name,x,kind\na,1,u\nb,2,u\nc,3,\n")
    (tmp_path / "t.nwk").write_text(TREE)
    (tmp_path / "other.nwk").write_text("((xxxx,yyyy),zzzz);")
    (tmp_path / "other.txt").write_text("xxxx yyyy | zzzz\n")
    (tmp_path / "prose.txt").write_text("Once upon a time there was a tree, and it had three leaves.\nThey fell.\n")
    (tmp_path / "pairs.txt").write_text("Bos taurus,Felis catus,must\n")
    (tmp_path / "empty.txt").write_text("")
    assert message in run("report", *arguments, status=2).stderr
    assert not (tmp_path / "report.html").exists()


CELLS = "T cell,neuron,B cell,monocyte,erythrocyte,T-lymphocyte,CL:0000576,hematopoietic cell"


def cell_table(folder):
    """Cells under names, synonyms and ids of leaf terms and inner terms."""
    rows = [f"{name},{k},{k % 3}" for k, name in enumerate(CELLS.split(","))]
    (folder / "cells.csv").write_text("\n".join(["name,x,y", *rows]) + "\n")


@pytest.mark.parametrize("options", [("--parent", "deepest"), ("--parent", "certain"), ("--labels", "name")])
def test_report__finds_the_names_in_an_ontology_that_match_finds(run, tmp_path, options):
    pytest.importorskip("rapidfuzz")
    cell_table(tmp_path)
    matched = run("match", "cells.csv", "sample:cell_types").stdout
    found = sum(1 for x in csv.DictReader(matched.splitlines()) if x["match"])
    assert found == 8
    options = options if "--parent" in options else (*options, "--parent", "first")
    done = run("report", "cells.csv", "--know", "sample:cell_types", *options, "--resamples", 0)
    assert "8 of the 8 samples have a place in it" in done.stdout
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "T cell" in page
    assert "CL:0000084" not in page  # terms stand by their names


def test_report__says_that_a_parent_is_to_be_chosen(run, tmp_path):
    cell_table(tmp_path)
    said = run("report", "cells.csv", "--know", "sample:cell_types", status=2).stderr
    assert "choose with --parent deepest, 'first' or 'smallest', or --parent certain" in said


def test_report__all_that_is_known_counts(run, tmp_path):
    (tmp_path / "data.csv").write_text(TABLE)
    for name in ("t.txt", "t.csv", "odd.csv", "crowd.csv", "pairs.csv", "tree.nwk"):
        (tmp_path / name).write_text(KNOWN[name][0])
    (tmp_path / "more.csv").write_text("a,b,link\nGallus gallus,Canis lupus,cannot\n")

    def told(*names, more=()):
        options = [x for name in names for x in ("--know", name)]
        return run("report", "data.csv", *options, *more, "--resamples", 0).stdout

    assert "2 triplets about 4" in told("t.txt", "t.csv")  # one stands in both files
    assert "3 answers that name an odd one" in told("odd.csv", "crowd.csv")
    assert "3 pairs about 5" in told("pairs.csv", "more.csv")
    assert "t.txt: triplets\nodd.csv: answers of people\n" in told("t.txt", "odd.csv")
    (tmp_path / "kinds.csv").write_text("name,class\nPanthera leo,cat\nFelis catus,cat\nCanis lupus,dog\n")
    several = told("tree.nwk", "t.txt", "pairs.csv", more=("--classes", "kinds.csv"))
    assert several.count("\nKnown: ") == 4
    assert "Each kind alone: " in several
    run(
        "cluster", "data.csv", "--triplets", "t.txt", "--pairs", "pairs.csv", "-k", 2, "--write-knowledge", "known.json"
    )
    whole = run("report", "data.csv", "--knowledge", "known.json", "--soft", "triplets", "--resamples", 0).stdout
    assert ", as votes." in whole
    assert "2 pairs about" in whole


def test_report__comparisons_with_an_anchor(run, tmp_path):
    groups = {"fig": 0, "pear": 1, "plum": 2, "saw": 40, "axe": 42, "file": 43}
    (tmp_path / "d.csv").write_text("name,cm\n" + "".join(f"{x},{cm}\n" for x, cm in groups.items()))
    trios = [(a, b, c) for a in groups for b in groups for c in groups if len({a, b, c}) == 3]
    right = [x for x in trios if (groups[x[0]] < 9) == (groups[x[1]] < 9) != (groups[x[2]] < 9)]
    rows = [f"p{k % 2},{a},{c},{b},{b}\n" for k, (a, b, c) in enumerate(right)]
    (tmp_path / "c.csv").write_text("who,Target,Left,Right,Answer\n" + "".join(rows))
    (tmp_path / "more.csv").write_text("anchor,near,far\nfig,saw,pear\n")
    (tmp_path / "other.csv").write_text("who,it,p1,p2,said\n" + "".join(rows))
    done = run("report", "d.csv", "--know", "c.csv", "--know", "more.csv", "--resamples", 0)
    assert "Of note: Read 36 comparisons: Target against Left and Right; 2 people; Read 1 comp" in done.stdout
    assert "c.csv: comparisons with an anchor" in done.stdout
    assert "Known: 37 comparisons about 6 of the 6 samples." in done.stdout
    assert "Clusters: 2, made with the knowledge, of 3, 3 samples." in done.stdout
    page = (tmp_path / "report.html").read_text()
    assert "line 2 of more.csv" in page
    (tmp_path / "t.txt").write_text("fig pear | saw\n")
    done = run("report", "d.csv", "--know", "more.csv", "--know", "t.txt", "--resamples", 0)
    assert "Known: 1 comparison about 3 of the 6 samples, as votes." in done.stdout
    named = ("--columns", "it,p1,p2", "--answer", "said")
    done = run("report", "d.csv", "--know", "other.csv", *named, "--resamples", 0)
    assert "Known: 36 comparisons about 6 of the 6 samples." in done.stdout


def test_report__gaps_and_categories(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    table = TABLE.replace("name,kg,cm", "name,kg,cm,diet").replace("190,250", "190,,meat").replace("4,50", "4,50,meat")
    table = table.replace("40,110", "40,110,meat").replace("600,240", "600,240,grass").replace("2,40", "2,40,")
    (tmp_path / "data.csv").write_text(table)
    run("report", "data.csv", "--know", "t.nwk", "--metric", "gower", "-k", 2, "--resamples", 2)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "diet = meat" in page
    done = run(
        *("report", "data.csv", "--know", "t.nwk", "--metric", "nan_euclidean", "--drop", "diet", "--standardize"),
        *("-k", 2, "--resamples", 2),
    )
    assert "5 samples, 2 features, each given mean 0 and deviation 1" in done.stdout
    said = run("report", "data.csv", "--know", "t.nwk", status=2).stderr
    assert "--metric gower" in said
    assert "--linkage" not in said
    said = run("report", "data.csv", "--know", "t.nwk", "--metric", "gower", "--standardize", status=2).stderr
    assert "leave out --standardize" in said
    for command in (["report", "data.csv", "--know", "t.nwk"], ["cluster", "data.csv", "-k", "2"]):
        said = run(*command, "--metric", "far", status=2)  # before the columns of text and the empty cells are
        assert "--metric far is not known; choose one of braycurtis" in said.stderr


def test_report__decimal_commas(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    table = TABLE.replace(",", ";").replace("190;", "1,9e2;").replace(";4;", ";4,25;").replace("kg", "weight, kg")
    (tmp_path / "data.csv").write_text(table)
    done = run("report", "data.csv", "--know", "t.nwk", "--decimal", ",", "--resamples", 0)
    assert "5 samples, 2 features" in done.stdout
    done = run("report", "data.csv", "--know", "t.nwk", "--metric", "gower", "--resamples", 0)
    assert "column 'weight, kg' is taken for words, because of '1,9e2'; --decimal , if decimals stand" in done.stderr
    (tmp_path / "data.csv").write_text(table.replace("600", "1.600"))
    done = run("report", "data.csv", "--know", "t.nwk", "--decimal", ",", "--resamples", 0)
    assert "'weight, kg' with points between thousands" in done.stderr
    (tmp_path / "data.csv").write_text(table.replace("600", "1.6"))
    said = run("report", "data.csv", "--know", "t.nwk", "--decimal", ",", status=2).stderr
    assert "data.csv, line 5: '1.6' in column 'weight, kg' has a point" in said


def test_report__decimal_commas_of_a_workbook(run, tmp_path):
    """Its numbers are numbers, whether a spreadsheet shows them with a comma or not."""
    openpyxl = pytest.importorskip("openpyxl")
    (tmp_path / "t.nwk").write_text(TREE)
    book = openpyxl.Workbook()
    for k, line in enumerate(TABLE.splitlines()):
        label, *cells = line.split(",")
        book.active.append([label, *(cells if k == 0 else [float(x) + 0.5 for x in cells])])
    book.save(tmp_path / "data.xlsx")
    assert "5 samples" in run("report", "data.xlsx", "--know", "t.nwk", "--decimal", ",", "--resamples", 0).stdout


def test_cluster__columns_counted_by_pandas_beside_a_named_index(run, tmp_path):
    (tmp_path / "data.csv").write_text("id,0,1\na,1.5,2\nb,1,2\nc,7,8\nd,8,8\n")
    assert run("cluster", "data.csv", "-k", 2).stdout.count("\n") >= 4


def test_report__a_column_of_second_names(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    head, *rows = TABLE.splitlines()
    more = [f"{head},product", *(f"{row},thing {k}" for k, row in enumerate(rows))]
    (tmp_path / "data.csv").write_text("\n".join(more) + "\n")
    done = run("report", "data.csv", "--know", "t.nwk", "--second-name", "product", "--resamples", 0)
    assert "2 features" in done.stdout
    page = (tmp_path / "report.html").read_text()
    for k, row in enumerate(rows):
        assert f"<bdi>{row.split(',')[0]}</bdi> (<bdi>thing {k}</bdi>)" in page
    assert "no column" in run("report", "data.csv", "--know", "t.nwk", "--second-name", "maker", status=2).stderr
