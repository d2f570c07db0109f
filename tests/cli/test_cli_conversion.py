import io
import re

import pytest
from oracles import is_irreducible_conflict

from tripletree import datasets
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.induce import displays
from tripletree.datasets import list_hierarchies, load_hierarchy
from tripletree.interop import from_dot
from tripletree.io import parse_newick, read_hierarchy, read_newick, read_ontology, read_triplets

SMALL = "((a,b),c,(d,(e,f)));"
CONFLICT = "cat dog | eel\nx y | z\ndog eel | fly\neel fly | cat\n"


# ---------------------------------------------------------------------- induce, decompose, build


@pytest.mark.parametrize("guarantee", ["identify", "rebuild"])
@pytest.mark.parametrize("name", list_hierarchies())
def test_build__gives_back_what_was_decomposed(run, name, guarantee):
    triplets = run("decompose", f"sample:{name}", "--guarantee", guarantee).stdout
    newick = run("build", "-", text=triplets).stdout
    assert parse_newick(newick) == load_hierarchy(name).suppress_unary()


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv", "parquet", "txt.gz"])
def test_build__reads_every_format_that_decompose_writes(run, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    run("decompose", "sample:primates", "-o", f"t.{suffix}")
    run("build", f"t.{suffix}", "-o", "h.nwk")
    assert read_newick("h.nwk") == load_hierarchy("primates")


def test_decompose__budget(run):
    most = run("decompose", "sample:animals", "--max", "100").stdout
    assert len(read_triplets(io.StringIO(most))) == 100
    again = run("build", "-", text=most).stdout
    assert parse_newick(again) == load_hierarchy("animals").suppress_unary()


def test_decompose__seed_draws_other_leaves(run):
    first, second, third = (
        run("decompose", "sample:mammals", *seed).stdout for seed in ([], ["--seed", 1], ["--seed", 1])
    )
    assert first != second == third


def test_decompose__warns_of_leaves_that_a_table_cannot_hold(run):
    result = run("decompose", "-", "--guarantee", "rebuild", "--format", "csv", text="((a,b),c,d);")
    assert result.stderr.startswith("warning: 1 of 4 leaves are in no triplet")
    assert result.stdout == "a,b,c\na,b,c\n"


def test_induce__asked_triples_in_their_order(run, tmp_path):
    (tmp_path / "h.nwk").write_text("(('Homo sapiens',b),c,(d,(e,f)));")
    asked = "c 'Homo sapiens' b\nc, d, b\n\n# a comment\nf | d | e\n"
    assert run("induce", "h.nwk", "-", text=asked).stdout == ("'Homo sapiens' b | c\n# c d b unresolved\nf e | d\n")
    result = run("induce", "h.nwk", "-", "--format", "csv", text=asked)
    assert result.stdout == "a,b,c\nHomo sapiens,b,c\ne,f,d\n"
    assert result.stderr == "1 of 3 triples are unresolved and left out\n"


def test_induce__output_is_a_file_of_triplets(run, tmp_path):
    (tmp_path / "h.nwk").write_text(SMALL)
    run("induce", "h.nwk", "-", "-o", "t.txt", text="a b c\nc d a\n")
    assert list(read_triplets("t.txt")) == [("a", "b", "c")]


def test_induce__all_problems_are_told(run, tmp_path):
    (tmp_path / "h.nwk").write_text(SMALL)
    error = run("induce", "h.nwk", "-", text="a b b\na b\nab c d\na b c d\na b c\n", status=2).stderr
    assert "4 problems" in error
    assert [int(k) for k in re.findall(r"^  line (\d+):", error, re.MULTILINE)] == [1, 2, 3, 4]
    assert "'ab' is none of the 6 leaves" in error


def test_induce__everything(run, tmp_path):
    (tmp_path / "h.nwk").write_text(SMALL)
    found = read_triplets(io.StringIO(run("induce", "h.nwk", "--all").stdout))
    h = parse_newick(SMALL)
    assert len(found) == 14
    assert displays(h, found).all()
    error = run("induce", "h.nwk", "--all", "--limit", 13, status=2).stderr
    assert "displays 14 triplets, more than the limit of 13" in error


def test_induce__sample_is_seeded(run):
    draws = [run("induce", "sample:mammals", "--sample", 50, "--seed", seed).stdout for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    found = read_triplets(io.StringIO(draws[0]))
    assert len(found) == 50
    assert displays(load_hierarchy("mammals"), found).all()
    assert "0 to that many" in run("induce", "sample:primates", "--sample", 10**6, status=2).stderr


@pytest.mark.parametrize("options", [[], ["x", "--all"], ["--all", "--sample", "3"], ["x", "--sample", "3"]])
def test_induce__one_way_of_asking(run, options):
    error = run("induce", "sample:primates", *options, status=2).stderr
    assert error == "error: give one of TRIPLES, --all and --sample\ntry: tripletree induce --help\n"


# ---------------------------------------------------------------------- check


def test_check__consistent(run):
    assert run("check", "-", text="a b | c\nb c | d\n").stdout == "consistent: 2 triplets on 4 leaves\n"
    assert run("check", "-", text="a b | c\n").stdout == "consistent: 1 triplet on 3 leaves\n"


def test_check__conflict_in_words(run):
    result = run("check", "-", "-o", "conflict.txt", text=CONFLICT, status=1)
    assert result.stderr == ""
    shown = result.stdout.split("\n")
    assert shown[0] == (
        "inconsistent. These 3 triplets cannot all hold (lines 1, 3 and 4 of the standard input), though any 2 of them "
        "can."
    )
    assert shown[1] == "Take the first split that parts cat, dog, eel and fly: there"
    assert shown[2].startswith("  cat dog | eel  keeps cat and dog together  line ")
    assert shown[5:] == ["so all 4 of them stay together, and there is no such split.", ""]
    assert is_irreducible_conflict(list(read_triplets("conflict.txt")))


def test_check__long_conflicts_are_cut(run):
    ring = "".join(f"x{i} x{i + 1} | x{(i + 2) % 60}\n" for i in range(59))
    shown = run("check", "-", text=ring, status=1).stdout.splitlines()
    assert shown[0].startswith("inconsistent. These 59 triplets cannot all hold (lines 1, 2, 3, ")
    assert shown[0].endswith("and 39 more of the standard input), though any 58 of them can.")
    assert "and 30 more leaves: there" in shown[1]
    assert shown[-2] == "  ... and 29 more"
    assert len(shown) == 30 + 4


def test_check__bad_input(run):
    error = run("check", "-", text="a b | c\na b c\nx | y\n", status=2).stderr
    assert re.findall(r"^  line (\d+):", error, re.MULTILINE) == ["2", "3"]
    assert run("check", "gone.txt", status=2).stderr == "error: no such file: gone.txt\n"
    assert "tripletree decompose" in run("check", "sample:mammals", status=2).stderr


def test_build__inconsistent_leaves_the_old_file(run, tmp_path):
    (tmp_path / "h.nwk").write_text("old")
    result = run("build", "-", "-o", "h.nwk", text="a b | c\nb c | a\n", status=1)
    assert result.stdout == ""
    assert result.stderr == (
        "error: no hierarchy displays all of these triplets. "
        "These 2 triplets cannot all hold (lines 1 and 2 of the standard input), though each of them alone can:\n"
        "  a b | c    line 1\n"
        "  b c | a    line 2\n"
        "They give different answers on the same leaves, a, b and c.\n"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["h.nwk"]
    assert (tmp_path / "h.nwk").read_text() == "old"


def test_errors__keep_the_caret(run):
    lines = run("info", "-", "--as", "hierarchy", text="((a,b)),c);", status=2).stderr.splitlines()
    assert lines[1] == "  ((a,b)),c);"
    assert lines[2].index("^") == lines[1].index(",c")


def test_errors__of_usage_point_to_the_help(run):
    assert run("bogus", status=2).stderr == "error: no such command 'bogus'.\ntry: tripletree --help\n"
    assert run("check", status=2).stderr.endswith("\ntry: tripletree check --help\n")
    assert "did you mean 'mammals'" in run("info", "sample:mamals", status=2).stderr


# ---------------------------------------------------------------------- convert


@pytest.mark.parametrize("suffix", ["nwk", "nex", "json", "csv", "tsv", "parquet", "dot", "nwk.gz"])
def test_convert__there_and_back(run, tmp_path, suffix):
    assert run("convert", "sample:primates", "-o", f"p.{suffix}").stdout == ""
    if suffix == "dot":
        assert from_dot((tmp_path / "p.dot").read_text()) == datasets.load_hierarchy("primates")
        return
    assert read_hierarchy(tmp_path / f"p.{suffix}") == datasets.load_hierarchy("primates")
    assert parse_newick(run("convert", f"p.{suffix}").stdout) == datasets.load_hierarchy("primates")


def test_convert__items(run, tmp_path):
    (tmp_path / "items.csv").write_text("item,node\nlion,Felidae\ntom,Felidae\nrex,Canidae\n")
    attached = parse_newick(run("convert", "sample:animals", "--attach", "items.csv").stdout)
    assert attached == parse_newick("((lion[&incertae_sedis=1],tom[&incertae_sedis=1]),rex);")
    assert "'Felidea'" in run("convert", "sample:animals", "--attach", "-", text="lion,Felidea\n", status=2).stderr
    kept = parse_newick(
        run("convert", "sample:primates", "--restrict", "-", text="Homo_sapiens\nPan_paniscus\n").stdout
    )
    assert set(kept.leaves) == {"Homo_sapiens", "Pan_paniscus"}
    table = "kingdom,family,genus\nAnimalia,Felidae,Felis\nAnimalia,Felidae,Lynx\nAnimalia,Canidae,Canis\n"
    pruned = parse_newick(run("convert", "-", "--prune-rank", "family", text=table).stdout)
    assert pruned == parse_newick("(Felidae,Canidae);") or set(pruned.leaves) == {"Felidae", "Canidae"}
    assert parse_newick(run("convert", "-", "--prune-depth", 0, text="((a,b)x,c)r;").stdout).n_leaves == 1


def test_convert__format_of_the_output(run):
    assert (
        "no format has this extension; give --to" in run("convert", "sample:primates", "-o", "x.what", status=2).stderr
    )
    assert run("convert", "sample:primates", "--to", "nexus").stdout.startswith("#NEXUS")
    both = run("convert", "-", "--attach", "-", text="(a,b);", status=2)
    assert "only one can be" in both.stderr
    assert "zip archives are read, not written" in run("convert", "sample:primates", "-o", "x.nwk.zip", status=2).stderr
    ranked = run("convert", "sample:animals", "--to", "linkage", status=2).stderr
    assert "suppress_unary" in ranked


def test_convert__columns_by_name(run, tmp_path):
    (tmp_path / "e.csv").write_text(
        "taxon,belongs to,weight\ncat,felids,1\nlion,felids,2\nfelids,beasts,3\ndog,beasts,4\n"
    )
    options = ("-O", "child_column=taxon", "-O", "parent_column=belongs to", "--from", "edges")
    assert parse_newick(run("convert", "e.csv", *options).stdout) == parse_newick("((cat,lion),dog);")
    (tmp_path / "r.csv").write_text("Region,Country,City\nN,A,x\nN,A,y\nN,B,z\n")
    found = run("convert", "r.csv", "--from", "lineages", "-O", "columns=Region,Country,City").stdout
    assert parse_newick(found).suppress_unary() == parse_newick("((x,y),z);")
    assert "expected NAME=VALUE" in run("convert", "r.csv", "-O", "columns", status=2).stderr
    two = "#NEXUS\nbegin trees;\ntree t = ((a,b),c);\ntree u = ((b,c),a);\nend;\n"
    assert parse_newick(run("convert", "-", "-O", "tree=u", text=two).stdout) == parse_newick("((b,c),a);")
    assert parse_newick(run("convert", "-", "--root", "x", text="((a,b)x,c)y;").stdout) == parse_newick("(a,b);")


def test_items__under_several_terms_of_an_ontology(run, tmp_path):
    (tmp_path / "items.csv").write_text("item,node\nu,CL:0000084\nu,CL:0000236\nv,CL:0000624\nw,CL:0000232\n")
    triplets = run("decompose", "sample:cell_types", "--attach", "items.csv").stdout
    assert set(read_triplets(io.StringIO(triplets)).leaves) == {"u", "v", "w"}
    options = ("--attach", "items.csv", "--parent", "deepest")
    assert set(parse_newick(run("convert", "sample:cell_types", *options).stdout).leaves) == {"u", "v", "w"}
    (tmp_path / "odd.csv").write_text("item,node\nu,CL:0000084\nv,CL:0000624\nw,CL:9999999\n")
    assert "CL:9999999" in run("induce", "sample:cell_types", "--all", "--attach", "odd.csv", status=2).stderr
    kept = run("convert", "sample:cell_types", "--parent", "first", "--attach", "odd.csv", "--missing", "ignore").stdout
    assert set(parse_newick(kept).leaves) == {"u", "v"}


def test_labels__names_in_the_certain_reading(run):
    by_name = read_triplets(io.StringIO(run("induce", "sample:cell_types", "--all", "--labels", "name").stdout))
    assert len(by_name) == 1212
    assert "Kupffer cell" in by_name.leaves


def test_decompose_and_induce__of_an_ontology(run):
    certain = read_triplets(io.StringIO(run("decompose", "sample:cell_types").stdout))
    ontology = read_ontology(datasets.sample_path("cell_types.obo"))
    assert displays(ontology, certain).all()
    everything = read_triplets(io.StringIO(run("induce", "sample:cell_types", "--all").stdout))
    assert len(everything) == 1212
    tree = run("decompose", "sample:cell_types", "--parent", "deepest").stdout
    assert one_tree(read_triplets(io.StringIO(tree))) == ontology.to_hierarchy(parent="deepest").suppress_unary()


def test_blanks__every_command_that_writes_newick(run, tmp_path):
    (tmp_path / "t.nwk").write_text("(('a b',c),'d e');")
    (tmp_path / "t.txt").write_text("'a b' c | 'd e'\n")
    (tmp_path / "answers.csv").write_text("x,y,z,odd\na b,c,d e,d e\n")
    (tmp_path / "data.csv").write_text("name,x\na b,0\nc,1\nd e,5\n")
    option = ("--blanks", "underscore")
    text = "((a_b,c),d_e);\n"
    assert run("convert", "t.nwk", *option).stdout == text
    assert "a_b" in run("convert", "t.nwk", "--to", "nexus", *option).stdout
    said = run("convert", "t.nwk", "--to", "json", *option, status=2).stderr
    assert "--blanks goes with newick and nexus, not json" in said
    assert run("build", "t.txt", *option).stdout == text
    assert run("supertree", "t.nwk", *option).stdout == text
    run("repair", "t.txt", "--newick", "repaired.nwk", *option)
    assert (tmp_path / "repaired.nwk").read_text() == text
    assert "(a_b:" in run("cluster", "data.csv", *option).stdout
    run("answers", "answers.csv", "-o", "answers.nwk", *option)
    run("report", "data.csv", "--know", "t.nwk", "--newick", "report.nwk", "--resamples", 0, *option)
    run("match", "data.csv", "t.nwk", "--tree", "match.nwk", *option)
    for name in ("answers", "report", "match"):
        assert "a_b" in (tmp_path / f"{name}.nwk").read_text()
    assert run("convert", "t.nwk").stdout == "(('a b',c),'d e');\n"


def test_convert__attached_items_of_several_nodes_and_of_two_readings(run, tmp_path):
    (tmp_path / "h.nwk").write_text("((dog,cat)mammal,bird)animal;")
    (tmp_path / "cells.csv").write_text("item,nodes\nRex,dog;\nMimi,cat;\nCoco,bird;\n")
    whole = run("convert", "h.nwk", "--attach", "cells.csv")
    assert "whole cells (--attach-separator ';' parts them)" in whole.stderr
    parted = run("convert", "h.nwk", "--attach", "cells.csv", "--attach-separator", ";").stdout
    assert parse_newick(parted) == parse_newick(whole.stdout) == parse_newick("((Rex,Mimi)mammal,Coco)animal;")
    (tmp_path / "turned.csv").write_text("dog,Rex\ndog,Bello\ncat,Mimi\nbird,Coco\n")
    asked = run("convert", "h.nwk", "--attach", "turned.csv", status=2).stderr
    assert "If 1 holds items, 0 their nodes: --attach-item 1 --attach-node 0;" in asked
    told = run("convert", "h.nwk", "--attach", "turned.csv", "--attach-item", 1, "--attach-node", 0).stdout
    assert parse_newick(told) == parse_newick("(((Rex,Bello)dog,Mimi)mammal,Coco)animal;")
