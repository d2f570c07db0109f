"""tripletree match: names in, a table of matches and a tree out."""

import csv
import io
import re
import shlex

import pytest

from tripletree.io import parse_newick, read_newick

pytest.importorskip("rapidfuzz")

TREE = "((Felis_catus,Panthera_leo)Felidae,(Canis_lupus,Vulpes_vulpes)Canidae);"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_match__a_list_and_a_tree(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    done = run("match", "-", "t.nwk", "--tree", "mine.nwk", text="felis catus\nPantera leo\n\nVulpes lagopus\nUrsus\n")
    rows = table(done.stdout)
    assert [x["match"] for x in rows] == ["Felis_catus", "Panthera_leo", "Vulpes_vulpes", ""]
    assert [x["kind"] for x in rows] == ["form", "spelling", "genus", "none"]
    assert "4 names: 1 form, 1 spelling, 1 genus, 1 none" in done.stderr
    assert read_newick("mine.nwk") == parse_newick("(('felis catus','Pantera leo'),'Vulpes lagopus');")


def test_match__an_edited_table(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    (tmp_path / "data.csv").write_text("kg,animal\n4,felis catus\n9,Ursus\n20,wolf\n")
    run("match", "data.csv", "t.nwk", "--column", "animal", "-o", "matches.csv")
    text = (tmp_path / "matches.csv").read_text()
    (tmp_path / "matches.csv").write_text(text.replace("Ursus,,none", "Ursus,Canidae,none"))
    done = run(*("match", "data.csv", "t.nwk", "--column", "animal", "--edited", "matches.csv", "--tree", "mine.nwk"))
    assert [x["kind"] for x in table(done.stdout)] == ["form", "chosen", "none"]
    assert set(read_newick("mine.nwk").leaves) == {"felis catus", "Ursus"}


def test_match__synonyms(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    (tmp_path / "other.csv").write_text("wolf,Canis lupus\nfox,Vulpes vulpes\n")
    done = run("match", "-", "t.nwk", "--synonyms", "other.csv", text="Wolf\nfox\n")
    assert [x["kind"] for x in table(done.stdout)] == ["synonym", "synonym"]


def test_match__bad_input(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    assert "holds no names" in run("match", "-", "t.nwk", text="\n\n", status=2).stderr
    (tmp_path / "data.csv").write_text("kg,animal\n4,felis catus\n")
    bad = run("match", "data.csv", "t.nwk", "--column", "name", status=2).stderr
    assert "'name' is not a column of this table; it has 'kg', 'animal'" in bad
    assert "only one can be" in run("match", "-", "-", status=2).stderr
    (tmp_path / "e.csv").write_text("name,taxon\na,b\n")
    assert "'match' is not a column" in run("match", "data.csv", "t.nwk", "--edited", "e.csv", status=2).stderr


def test_match__names_in_another_column_than_the_first(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    (tmp_path / "data.csv").write_text("family,species\nFelidae,felis catus\nFelidae,panthera leo\n")
    done = run("match", "data.csv", "t.nwk")
    assert "names are taken from 'family', the first column of data.csv: 1 of its 2 names" in done.stderr
    assert "--column" in done.stderr
    assert "--column" not in run("match", "data.csv", "t.nwk", "--column", "family").stderr


def test_match__an_edited_table_with_mistakes(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    for text, message in (
        ("name,match\nfelis catus,Felix\n", "e.csv: 1 unknown among the taxa: 'Felix'"),
        ("name,match\nfelix catus,Felidae\n", "e.csv: 1 unknown among the names: 'felix catus'"),
        ("name,match\nfelis catus,Felidae\n\nfelis catus,Canidae\n", "e.csv, line 4: the name 'felis catus'"),
    ):
        (tmp_path / "e.csv").write_text(text)
        bad = run("match", "-", "t.nwk", "--edited", "e.csv", "-o", "o.csv", text="felis catus\n", status=2)
        assert message in bad.stderr
        assert not (tmp_path / "o.csv").exists()
    (tmp_path / "e.csv").write_text("name,match\nfelis catus,\n")
    bad = run("match", "-", "t.nwk", "--edited", "e.csv", "--tree", "o.nwk", text="felis catus\n", status=2).stderr
    assert "no name matches, so there is no hierarchy" in bad
    assert not (tmp_path / "o.nwk").exists()


def test_match__files_that_cannot_be(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    bad = run("match", "-", "t.nwk", "-o", "x", "--tree", "x", text="felis catus\n", status=2).stderr
    assert "x is an output of this command already" in bad
    (tmp_path / "s.txt").write_text("wolf\n")
    bad = run("match", "-", "t.nwk", "--synonyms", "s.txt", text="wolf\n", status=2).stderr
    assert "--synonyms is none of a taxdump, an ontology or a table of two columns" in bad
    assert "s.txt, line 1" in bad


def test_match__terms_of_an_ontology(run):
    text = "T lymphocyte\nerythroid progenitr cell\nblood vessel\n"
    options = ("--synonyms", "sample:cell_types")
    done = run("match", "-", "sample:cell_types", *options, text=text)
    rows = table(done.stdout)
    assert [(x["match"], x["kind"]) for x in rows] == [
        ("T cell", "synonym"),
        ("erythroid progenitor cell", "spelling"),
        ("", "none"),
    ]
    bad = run("match", "-", "sample:cell_types", *options, "--tree", "x.nwk", text=text, status=2).stderr
    assert "choose with --parent" in bad
    run("match", "-", "sample:cell_types", *options, "--parent", "deepest", "--tree", "x.nwk", text=text)
    assert list(read_newick("x.nwk").leaves) == ["T lymphocyte", "erythroid progenitr cell"]


def test_match__names_of_one_taxon_are_told(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    done = run("match", "-", "t.nwk", text="felis catus\nFelis catus domesticus\nPanthera leoo\nPanthera leo\n")
    assert "2 names mean Felis_catus: felis catus, Felis catus domesticus\n" in done.stderr
    assert [x["kind"] for x in table(done.stdout)][2:] == ["genus", "form"]
    assert "Panthera" not in done.stderr


def test_match__synonyms_of_an_ontology_and_its_ids(run):
    done = run("match", "-", "sample:cell_types", "--parent", "certain", text="T lymphocyte\nCL:0000540\n")
    assert [(x["match"], x["kind"]) for x in table(done.stdout)] == [("T cell", "synonym"), ("neuron", "exact")]
    done = run("match", "-", "sample:cell_types", "--labels", "id", text="T-lymphocyte\nneuron\n")
    assert [x["match"] for x in table(done.stdout)] == ["CL:0000084", "CL:0000540"]
    bad = run("match", "-", "sample:cell_types", "--parent", "certain", "--tree", "t.nwk", text="neuron\n", status=2)
    assert "--parent certain gives no --tree" in bad.stderr


def test_match__decimal_commas_and_workbooks(run, tmp_path):
    (tmp_path / "t.nwk").write_text(TREE)
    (tmp_path / "data.csv").write_text("name;weight, kg\nfelis-catus;4,5\npanthera leo;190\n")
    done = run("match", "data.csv", "t.nwk", "--decimal", ",", "--column", "name")
    assert [(x["match"], x["kind"]) for x in table(done.stdout)] == [("Felis_catus", "form"), ("Panthera_leo", "form")]
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["name", "kg"], ["felis-catus", 4.5], ["panthera leo", 190]):
        book.active.append(row)
    book.save(tmp_path / "data.xlsx")
    assert run("match", "data.xlsx", "t.nwk").stdout == done.stdout


def test_match__the_next_command_has_the_options_of_this_one(run, tmp_path):
    (tmp_path / "items.csv").write_text("id,term\nx1,Canis lupis\nx2,Felis catus\n")
    (tmp_path / "h.nwk").write_text("(('Canis lupus',Vulpes),('Felis catus',Lynx));\n")
    told = run("match", "items.csv", "h.nwk", "--column", "term", "--min-score", 0.8, "-o", "m.csv").stderr
    command = re.search(r"'tripletree (match .*)'", told)
    assert command is not None
    run(*shlex.split(command[1]))
    tree = (tmp_path / "matched.nwk").read_text()
    assert "Canis lupis" in tree.replace("_", " ") or "Canis lupus" in tree.replace("_", " ")


@pytest.mark.parametrize("head", ["name,accepted name", "synonym,accepted_name", "Name,Valid name", "name,taxon"])
def test_match__a_header_of_synonyms(run, tmp_path, head):
    (tmp_path / "syn.csv").write_text(f"{head}\nQuercus fagus,Fagus sylvatica\n")
    (tmp_path / "h.nwk").write_text("('Fagus sylvatica','Quercus robur');\n")
    (tmp_path / "names.txt").write_text("Quercus fagus\n")
    rows = list(csv.DictReader(io.StringIO(run("match", "names.txt", "h.nwk", "--synonyms", "syn.csv").stdout)))
    assert [row["match"] for row in rows] == ["Fagus sylvatica"]
