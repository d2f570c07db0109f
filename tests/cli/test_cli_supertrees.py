"""``supertree``: several files, several trees in one, weights, support, and the messages about it."""

import pytest

from tripletree.algorithms.supertree import supertree
from tripletree.io import parse_newick, read_newick, write_newick_all


def test_supertree__of_several_files_and_the_standard_input(run, tmp_path):
    (tmp_path / "one.nwk").write_text("((a,b),c);\n((b,c),d);\n")
    result = run("supertree", "one.nwk", "-", text="((c,d),e);")
    assert result.stdout == "((((a,b),c),d),e);\n"
    assert result.stderr == "3 hierarchies, 5 leaves: consistent, all of their triplets are displayed\n"


def test_supertree__votes_weights_and_support(run, tmp_path):
    texts = ["((a,b),c);", "((a,c),b);", "((a,b),(c,d));"]
    (tmp_path / "all.nwk").write_text("\n".join(texts))
    trees = [parse_newick(x) for x in texts]
    result = run("supertree", "all.nwk", "--weights", "1,2,2", "--support", "-o", "both.nwk")
    wanted = supertree(trees, weights=[1, 2, 2])
    tree = read_newick(tmp_path / "both.nwk")
    assert tree == wanted.hierarchy
    assert tree.names is None
    assert [f"{x:.3g}" for x in tree.support if x == x] == [f"{x:.3g}" for x in wanted.support.tolist() if x == x]
    assert result.stdout == ""
    assert result.stderr.startswith(f"3 hierarchies, 4 leaves: {wanted.displayed:.2%} of their triplets displayed, ")


def test_supertree__formats_and_samples(run, tmp_path):
    (tmp_path / "t.nex").write_text("#NEXUS\nbegin trees;\ntree x = ((a,b),c);\ntree y = ((b,c),d);\nend;\n")
    (tmp_path / "t.csv").write_text("child,parent\na,u\nb,u\nu,r\nd,r\n")
    assert run("supertree", "t.nex", "t.csv").stdout == "(((a,b),c),d);\n"
    result = run("supertree", "sample:primates", "sample:mammals", "--min-support", "0")
    assert result.stderr.startswith("2 hierarchies, ")


def test_supertree__contradictions_are_shown_on_request(run):
    result = run("supertree", "-", "--on-conflict", "raise", text="((a,b),c);((a,c),b);", status=1)
    assert "a b | c" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "1,2"], "--weights has 2 numbers for 1 hierarchies"),
        (["--weights", "a"], "--weights a: expected numbers with commas between them"),
        (["--weights", "-1"], "positive"),
        (["--min-support", "1"], "is not in the range 0<=x<1"),
        (["-"], "only one can be the standard input"),
    ],
)
def test_supertree__bad_input(run, options, message):
    assert message in run("supertree", "-", *options, text="((a,b),c);", status=2).stderr


def test_supertree__its_own_input_is_not_written_over(run, tmp_path):
    text = write_newick_all([parse_newick("((a,b),c);")])
    (tmp_path / "t.nwk").write_text(text)
    assert "an input of this command" in run("supertree", "t.nwk", "-o", "t.nwk", status=2).stderr
    assert (tmp_path / "t.nwk").read_text() == text
