"""Marks of single programs in trees and lineages: taken for what they are, or the file is named with a way on."""

import io
import json
import re
import subprocess

import numpy as np
import pytest

import tripletree as tt
from tripletree.core.notes import collected
from tripletree.errors import ParseError
from tripletree.io import read_lineages, read_taxdump

ABC = tt.parse_newick("((a,b),c);")


@pytest.mark.parametrize(
    ("written", "first"), [("/88", 88), ("70/", 70), ("98%", 98), ("[0.95,0.8]", 0.95), ("94.3/99", 94.3)]
)
def test_marks__support_in_other_forms(written, first):
    h = tt.parse_newick(f"(((a:1,b:1){written}:1,c:1):1,d:2);")
    assert h.names is None
    assert h.support.tolist()[0] == first


def test_marks__one_of_two_numbers_may_be_missing():
    h = tt.parse_newick("(((a,b)/88,c)94.3/99,d);")
    np.testing.assert_array_equal(h.support, [np.nan, 94.3, np.nan])


@pytest.mark.parametrize(
    "text",
    [
        "((a:1{0},b:1{1}):1{2},c:2{3}){4};",
        "((a:1<color=5>,b:1)<color = 5 >:1,c:2)< note=x >;",
        "((a:1,b:1):1<size=3>,c:2);",
    ],
)
def test_marks__of_branches_are_no_names(text):
    h = tt.parse_newick(text)
    assert h == ABC
    assert h.names is None
    assert h.length.tolist()[:4] == [1, 1, 2, 1]


def test_marks__in_quotes_and_without_their_program_are_names():
    h = tt.parse_newick("(('x{1}':1{0},'<k=1>':1{1}):1{2},y:1{3});")
    assert list(h.leaves) == ["x{1}", "<k=1>", "y"]
    assert list(tt.parse_newick("((x{1}:1,y:1),z);").leaves) == ["x{1}", "y", "z"]


def test_marks__names_in_quotes_with_confidences():
    lines = 's1\t"B"(100);"P q"(99);L(80);\ns2\t"B"(100);"P q"(90);M(80);\ns3\t"B"(100);"R"(70);N(60);\n'
    h = read_lineages(io.StringIO(lines))
    assert set(h.names) >= {"B", "P q", "R"}


def test_marks__support_before_the_names_of_a_lineage():
    h = read_lineages(io.StringIO("a\td__B;p__F;100.0:g__X\nb\td__B;p__F;98.2:g__X\nc\td__B;p__P;99.0:g__Y\n"))
    assert tt.displays(h, [("a", "b", "c")]).all()
    assert "g__X" in h.names


FASTA = {
    "SILVA": ">A.1.9 B;P;X y\nACGU\n>A.2.9 B;P;Z\nACGU\n>A.3.9 B;Q;W\nAC\n",
    "UNITE": ">n a|A|S1|reps|k__F;p__P;c__X\nACGT\n>n b|B|S2|refs|k__F;p__P;c__Y\nAC\n>m|C|S3|refs|k__F;p__Q;c__Z\nA\n",
    "SINTAX": ">A1;tax=d:B,p:P,c:X;\nACGT\n>A2;tax=d:B,p:P,c:Y;\nAC\n>A3;tax=d:B,p:Q,c:Z;\nAC\n",
}


@pytest.mark.parametrize("kind", FASTA)
def test_marks__headers_of_sequences_are_named_and_the_cure_works(kind, tmp_path):
    (tmp_path / "FILE").write_text(FASTA[kind])
    with pytest.raises(ParseError, match="this is FASTA with lineages in its headers") as error:
        tt.read_hierarchy(tmp_path / "FILE")
    command = re.search(r"'(sed .*)' takes", str(error.value))[1]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    h = tt.read_hierarchy(tmp_path / "FILE.tsv")
    one, two, three = h.leaves
    assert tt.displays(h, [(one, two, three)]).all()


def test_marks__sequences_alone_are_no_hierarchy():
    with pytest.raises(ParseError, match="this is FASTA: sequences, which are no hierarchy"):
        tt.read_hierarchy(io.StringIO(">s1 one\nACGT\n>s2 two\nAC\n"))


def test_marks__a_tree_in_json_is_named_and_the_cure_works(tmp_path):
    (tmp_path / "FILE").write_text(json.dumps({"tree": "((a:1{0},b:1{1}):1{2},c:2{3});", "placements": []}))
    with pytest.raises(ParseError, match="a tree within JSON") as error:
        tt.read_hierarchy(tmp_path / "FILE")
    command = re.search(r"'(python .*)' takes", str(error.value))[1]
    subprocess.run(["bash", "-c", command.replace("python", "python3")], cwd=tmp_path, check=True)
    assert tt.read_hierarchy(tmp_path / "FILE.nwk") == ABC


def test_marks__tax_ids_that_were_merged_twice(tmp_path):
    rows = [(1, 1), (2, 1), (3, 1)]
    (tmp_path / "nodes.dmp").write_text("".join(f"{k}\t|\t{p}\t|\tno rank\t|\n" for k, p in rows))
    (tmp_path / "merged.dmp").write_text("8\t|\t9\t|\n9\t|\t2\t|\n5\t|\t6\t|\n6\t|\t5\t|\n")
    (tmp_path / "delnodes.dmp").write_text("70\t|\n71\t|\n")
    with collected() as notes:
        h = read_taxdump(tmp_path, labels="id")
    assert dict(h.synonyms) == {"9": "2", "8": "2"}
    assert "2 tax ids that NCBI deleted (delnodes.dmp), of no taxon" in [x.text for x in notes]


def test_marks__the_clade_of_labels_and_names_is_asked_otherwise():
    with pytest.raises(TypeError, match=r"number of a node, 0..4, got list .*; common_ancestor gives"):
        ABC.clade(["a", "b"])
    with pytest.raises(TypeError, match="got str .*; subtree takes"):
        ABC.children("x")


@pytest.mark.parametrize("corner", ["", '""\t'])
def test_marks__names_of_rows_as_r_writes_them(corner):
    rows = '"A1"\t"B"\t"F"\t"x"\n"A2"\t"B"\t"F"\t"y"\n"A3"\t"B"\t"P"\tNA\n'
    h = tt.read_hierarchy(io.StringIO(f'{corner}"domain"\t"phylum"\t"class"\n{rows}'))
    assert list(h.leaves) == ["A1", "A2", "A3"]
    assert tt.displays(h, [("A1", "A2", "A3")]).all()


def test_marks__a_comma_at_the_end_of_rows_is_no_name():
    with pytest.raises(ParseError, match="3 cells where the header has 2"):
        tt.read_hierarchy(io.StringIO("child,parent\na,x,\nb,x,\nc,x,\n"))
