"""Messages in the shell's terms: arguments of the library are options there, and contents of files stay as they are."""

import re

import pytest

from tripletree.cli import main
from tripletree.cli.spelling import in_shell, option_names

OPTIONS = option_names(main.commands["convert"])


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("take labels='id', by which they differ", "take --labels id, by which they differ"),
        ("choose with parent='deepest', 'first' or 'smallest'", "choose with --parent deepest, 'first' or 'smallest'"),
        ("name it with format=", "name it with --from"),
        ("name them: child_column=..., or format='edges'", "name them: -O child_column=..., or --from edges"),
        ("read with obsolete=True", "read with -O obsolete=true"),
        ("header=False if they are", "-O header=false if they are"),
        ("give columns=('a', 'b')", "give -O columns=a,b"),
        ("a tree first with to_hierarchy(parent='deepest')", "a tree first with --parent deepest"),
        (
            "read_edges(path, child_column='x y', parent_column=2) reads",
            "--from edges -O child_column='x y' -O parent_column=2 reads",
        ),
        ("such as -O child_column=taxon", "such as -O child_column=taxon"),
        ("the line 'labels=3' of \"root=4\"", "the line 'labels=3' of \"root=4\""),
        ("it's labels='id' that's meant", "it's --labels id that's meant"),
        ("whatever=3 and fit(X, pairs=...)", "whatever=3 and fit(X, pairs=...)"),
        ("http://x.y/?root=3", "http://x.y/?root=3"),
    ],
)  # fmt: skip
def test_spelling__arguments_are_options(message, shown):
    assert in_shell(message, OPTIONS) == shown


def test_spelling__of_commands_without_readers():
    options = option_names(main.commands["cluster"])
    assert in_shell("n_clusters=3 is too many; labels='id'", options) == "--clusters 3 is too many; --labels id"
    assert in_shell("linkage='ward', or penalty=None", options) == "--linkage ward, or --penalty None"
    assert in_shell("labels='id'", option_names(None)) == "labels='id'"
    assert in_shell("take method='auto', which", option_names(main.commands["repair"])) == "take --method auto, which"


#: Names and values in messages of the library that have nothing to do with options.
_PYTHON = re.compile(r"(?<!-O )(?<![\w'\"])[a-z_]+=(?:'|\"|True|False|None|\.\.\.)")

NODES = "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tspecies\t|\n"


@pytest.mark.parametrize(
    ("content", "name", "options", "shown"),
    [
        (NODES, "nodes.dmp", (), "take --labels id, which does without"),
        (NODES, "nodes.dmp", ("--namespace", "x"), "no option for taxdump files, which take --labels, --root"),
        ("p,q\na,b\n", "x.csv", (), "or --from edges if the child comes first"),
        ("one two three four\n", "x.txt", (), "name it: --from newick"),
        ('{"children": [{"name": "a"}, {"what": "b"}]}', "x.json", (), ""),
        ("#NEXUS begin trees; tree x = (a,b); tree y = (a,b); end;", "x.nex", (), "choose one with -O tree="),
        ("(O'Hara,b);", "x.nwk", (), "-O strict=false takes names"),
        ("[Term]\nid: x\nis_obsolete: true\n", "x.obo", (), "read with -O obsolete=true"),
        ("a|b;c|d\n", "x.txt", ("--from", "lineages", "--labels", "id"), "--labels id, but there are no ids"),
    ],
)  # fmt: skip
def test_spelling__what_readers_say(run, tmp_path, content, name, options, shown):
    (tmp_path / name).write_text(content)
    said = run("info", name, *options, status=2).stderr
    assert shown in said
    assert not _PYTHON.search(said.replace("otus=...", "")), said


def test_attach__columns_and_headers(run, tmp_path):
    (tmp_path / "t.nwk").write_text("((cat,lion)felids,(dog,wolf)canids);")
    (tmp_path / "mine.csv").write_text("kg,pet,kind\n4,Tom,cat\n9,Rex,dog\n5,Tim,cat\n")
    columns = ("--attach-item", "pet", "--attach-node", "kind")
    done = run("convert", "t.nwk", "--attach", "mine.csv", *columns, "--to", "newick")
    assert done.stdout.strip() == "((Tom,Tim)cat,Rex);"
    bad = run("convert", "t.nwk", "--attach", "mine.csv", status=2).stderr
    assert "If 'kg' holds items, 'kind' their nodes: --attach-item kg --attach-node kind; if 'pet' holds items" in bad
    (tmp_path / "bare.csv").write_text("Tom,cat\nRex,dog\nTim,cat\n")
    (tmp_path / "head.csv").write_text("pet,species\nTom,cat\nRex,dog\nTim,cat\n")
    for file, flag in (("bare.csv", "--no-attach-header"), ("head.csv", "--attach-header")):
        done = run("convert", "t.nwk", "--attach", file, flag, "--to", "newick")
        assert done.stdout.strip() == "((Tom,Tim)cat,Rex);"
    places = ("--attach-item", "1", "--attach-node", "2", "--attach-header")
    assert "Tom,Tim" in run("convert", "t.nwk", "--attach", "mine.csv", *places, "--to", "newick").stdout
    for how in (["--exact"], ["--missing", "ignore"]):
        assert f"{how[0]}: of which items?" in run("convert", "t.nwk", *how, status=2).stderr
    bad = run("convert", "t.nwk", "--attach-node", "kind", status=2).stderr
    assert "--attach-node: of which items? Give their file with --attach" in bad
    bad = run(
        "convert", "t.nwk", "--attach", "mine.csv", "--attach-item", "no", "--attach-node", "kind", status=2
    ).stderr
    assert "--attach-item no is not a column" in bad


@pytest.mark.parametrize(
    ("command", "message", "shown"),
    [
        ("check", "Newick, which read_newick reads", "Newick, which 'tripletree decompose FILE' reads"),
        ("convert", "no NEXUS; read_newick reads bare trees", "no NEXUS; --from newick reads bare trees"),
        ("check", "tripletree.io.read_answers(..., odd='who') reads", "'tripletree answers FILE --odd who' reads"),
        ("match", "choose with tree=, or read_hierarchies", "choose with -O tree=..., or 'tripletree supertree FILE'"),
        ("info", "read_triplets reads them", "'tripletree build FILE' reads them"),
        ("info", "the line 'read_triplets' and read_whatever", "the line 'read_triplets' and read_whatever"),
        ("report", "read_lineages(path, columns=['a', 'b'])", "--from lineages -O columns=a,b"),
        ("check", "read_edges(path, child_column='x')", "'tripletree decompose FILE'"),
    ],
)  # fmt: skip
def test_spelling__functions_are_commands_and_options(command, message, shown):
    assert in_shell(message, option_names(main.commands[command])) == shown


def test_options__none_is_swallowed(run, tmp_path):
    (tmp_path / "l.tsv").write_text("a\tB;F;odd\nb\tB;F;odd\nc\tB;F;G\nd\tB;F;G\n")
    assert "a b | c" in run("decompose", "l.tsv").stdout
    assert "|" not in run("decompose", "l.tsv", "-O", "missing=odd").stdout  # a and b may be anywhere in F
    assert "|" not in run("decompose", "l.tsv", "-O", "missing=odd,G").stdout
    for option, near in (("keep_unary=1", ""), ("labls=id", r"\(did you mean --labels\?\)"), ("exact_=1", "")):
        said = run("decompose", "l.tsv", "-O", option, status=2).stderr
        assert re.search(rf"-O {option.partition('=')[0]}: no option for lineages files.*{near}.*-O missing", said)
