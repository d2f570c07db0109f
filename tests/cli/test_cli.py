import gzip
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tripletree._version import __version__
from tripletree.cli import main
from tripletree.cli.shell import busy, progress
from tripletree.datasets import load_hierarchy
from tripletree.io import parse_newick, read_newick, write_newick

SMALL = "((a,b),c,(d,(e,f)));"
CONFLICT = "cat dog | eel\nx y | z\ndog eel | fly\neel fly | cat\n"


# ---------------------------------------------------------------------- help


AT_ONCE = (None, "info", "check", "build")  # the others start the command line several times each


@pytest.mark.parametrize(
    "command", [c if c in AT_ONCE else pytest.param(c, marks=pytest.mark.slow) for c in (None, *main.commands)]
)
def test_help__shows_examples_that_work(run, bash, tmp_path, command):
    text = run(*([command] if command else []), "--help").stdout
    examples = text.split("Example")[-1].split("\n", 1)[1]
    assert re.search(rf"tripletree {command or ''}", examples)
    done = bash(examples)
    assert done.returncode == 0, done.stderr
    if command in ("match", "repair", "supertree"):  # these report their work
        assert not re.search("error|warning|Traceback", done.stderr)
    else:
        assert all(": read " in x for x in done.stderr.splitlines())
    written = tmp_path / "mammals.nwk"
    assert done.stdout or written.exists()
    if written.exists():
        assert read_newick(written) == load_hierarchy("mammals")


def test_help__of_the_group_names_every_command(run):
    text = run("-h").stdout
    listed = re.findall(r"^  (\w+)  ", text.split("Commands:")[1], re.MULTILINE)
    triplets = ["check", "explain", "repair", "describe", "closure", "build"]
    assert listed == [
        "info",
        "convert",
        "match",
        "induce",
        "decompose",
        *triplets,
        "compare",
        "supertree",
        "answers",
        "cluster",
        "report",
        "ask",
        "plot",
        "demo",
    ]


def test_help__imports_nothing_heavy():
    code = (
        "import sys\nfrom tripletree.cli import main\n"
        "try:\n    main(['cluster', '--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'scipy', 'pandas', 'matplotlib', 'sklearn', 'tqdm', 'networkx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("\n[]\n")


def test_version(run):
    assert run("--version").stdout == f"tripletree {__version__}\n"


# ---------------------------------------------------------------------- info


def facts(text):
    joined = re.sub(r"\n {12,}", "; ", text)  # the second line of a fact
    return dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in joined.splitlines()[1:])


def test_info__of_a_small_hierarchy_by_hand(run):
    told = facts(run("info", "-", text=SMALL).stdout)
    assert told == {
        "leaves": "6",
        "inner nodes": "4",
        "shape": "3 binary, 1 polytomy of up to 3 children, none unary",
        "depth": "3",
        "children": "2 at 3, 3 at 1 inner nodes",
        "branch lengths": "none",
        "triplets displayed": "14 of 20 triples of leaves (70.00%)",
        "smallest set": "5 triplets identify it, 3 rebuild it",
        "doubts": "a root of three children: read as written, though programs write unrooted trees so",
    }


def test_info__of_mammals(run):
    result = run("info", "sample:mammals")
    told = facts(result.stdout)
    assert result.stdout.startswith("sample:mammals: a hierarchy (Newick)\n")
    assert told["leaves"] == "120"
    assert told["inner nodes"] == "112, 104 of them named"
    assert told["shape"] == "106 binary, 6 polytomies of up to 4 children, none unary"
    assert told["branch lengths"] == "on all branches, root at height 180, ultrametric"
    assert "268,930 of 280,840" in told["triplets displayed"]


@pytest.mark.parametrize(
    ("newick", "lengths"),
    [
        ("((a:1,b:1):1,c:2);", "on all branches, root at height 2, ultrametric"),
        ("((a:1,b:1):1,c:3);", "on all branches, root at height 3, not ultrametric"),
        ("((a:3,b:3):-1,c:2);", "on all branches, root at height 2, ultrametric, 1 branch negative"),
        ("((a:1,b):1,c:3);", "on 3 of 4 branches"),
    ],
)
def test_info__branch_lengths(run, newick, lengths):
    assert facts(run("info", "-", text=newick).stdout)["branch lengths"] == lengths


def test_info__of_one_leaf_and_two(run):
    assert facts(run("info", "-", text="a;").stdout)["shape"] == "a single leaf"
    assert facts(run("info", "-", text="(a,b);").stdout)["triplets displayed"] == "0 of 0 triples of leaves"


def test_info__of_triplets(run):
    told = facts(run("info", "-", text="#!leaves x\na b | c | 2\nb c | d\n").stdout)
    assert told["triplets"] == "2, weighted, 3 in all"
    assert told["leaves"] == "5, 1 of them in no triplet"
    assert told["consistent"].startswith("yes: 3 inner nodes in OneTree's hierarchy (2 binary, 1 polytomy")
    assert facts(run("info", "-", text=CONFLICT).stdout)["consistent"].startswith("no: 3 of them cannot hold together")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("x.nwk", "a;", "a hierarchy (Newick)"),
        ("x", SMALL, "a hierarchy (Newick)"),
        ("x", "[a comment] a;", "a hierarchy (Newick)"),
        ("x", "'a b';", "a hierarchy (Newick)"),
        ("x", "a b | c", "triplets"),
        ("x.csv", "a,b,c\n(x,y,z\n", "triplets"),
        ("x.nwk.gz", SMALL, "a hierarchy (Newick)"),
        ("x.nwk", "child,parent\na,r\nb,r\n", "a hierarchy (table of edges)"),
        ("x", "[Term]\nid: X:1\n[Term]\nid: X:2\nis_a: X:1\n", "a hierarchy (OBO)"),
        ("x.tsv.gz", "a\tb\tc\nx\ty\tz\n", "triplets"),
        ("x.gz", "a b | c", "triplets"),
    ],
)
def test_info__recognises_what_a_file_holds(run, tmp_path, name, content, kind):
    raw = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert run("info", name).stdout.startswith(f"{name}: {kind}\n")


def test_info__as_overrides_the_look(run):
    assert "(lost" not in run("info", "-", "--as", "triplets", text="'(lost' b | c").stdout
    assert "'tripletree build -' reads them" in run("info", "-", "--as", "hierarchy", text="a b | c", status=2).stderr
    assert "line 1, column" in run("info", "-", "--from", "newick", text="a b | c", status=2).stderr
    assert "tripletree decompose sample:mammals" in run("info", "sample:mammals", "--as", "triplets", status=2).stderr


@pytest.mark.parametrize(
    ("text", "called", "row"),
    [
        ("id1,id2,same\nu,v,1\nu,w,0\n", "pairs", "must-links    1"),
        ("anchor,near,far\nu,v,w\nv,u,w\n", "comparisons", "triplets     1 of which both halves are said"),
        ("who,x1,x2,x3,odd\np,u,v,w,w\np,w,u,v,w\n", "odd-one-out answers", "answers    2: 2 odd"),
        ("like1,like2,different\nu,v,w\nv,x,u\n", "triplets", "triplets    2"),
        ("pair_1,pair_2,outlier,n_raters\nu,v,w,3\nv,x,u,5\n", "triplets", "triplets    2, weighted, 8 in all"),
        ("id1,id2,different\nu,v,0\nu,w,1\n", "pairs", "cannot-links  1"),
        ("item_a,item_b,same,confidence\nu,v,True,.9\nu,w,False,.9\n", "pairs", "must-links    1"),
        ("VP;Ziel;links;rechts;Antwort\np;u;v;w;links\np;v;u;w;rechts\n", "comparisons", "samples      3"),
    ],
)
def test_info__tells_what_is_known_of_samples(run, tmp_path, text, called, row):
    (tmp_path / "x.csv").write_text(text)
    told = run("info", "x.csv").stdout
    assert told.startswith(f"x.csv: {called}\n")
    assert row in told


@pytest.mark.parametrize("command", ["info said.csv", "report data.csv --know said.csv"])
def test_info__asks_what_the_reader_of_answers_asks(run, tmp_path, command):
    (tmp_path / "said.csv").write_text("pid,x1,x2,x3,anders\np,u,v,w,w\np,w,x,v,v\np,x,u,v,x\n")
    (tmp_path / "data.csv").write_text("id,f\nu,1\nv,2\nw,3\nx,4\n")
    said = run(*command.split(), status=2).stderr
    assert f"'tripletree {command} --as answers --items x1,x2,x3 --odd anders'" in said


# ---------------------------------------------------------------------- in a shell


def test_shell__statuses(bash, tmp_path):
    done = bash(
        "printf 'a b | c\\nb c | a\\n' | tripletree build - > x.nwk || echo built $?\n"
        "tripletree check gone 2> gone.err || echo checked $?\n"
        "printf 'x y | z\\n' | tripletree check -\n"
    )
    assert done.stdout == "built 1\nchecked 2\nconsistent: 1 triplet on 3 leaves\n"
    assert (tmp_path / "gone.err").read_text() == "error: no such file: gone\n"
    assert done.stderr.splitlines()[0].startswith("error: no hierarchy displays")


def test_shell__a_closed_pipe_is_quiet(bash):
    done = bash('set +e; tripletree induce sample:mammals --all | head -n 1; echo "${PIPESTATUS[0]}"')
    assert done.stdout.splitlines() == ["Ornithorhynchus_anatinus Tachyglossus_aculeatus | Didelphis_virginiana", "141"]
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_shell__interrupted(shell_environment):
    process = subprocess.Popen(
        ["tripletree", "check", "-"],
        env=shell_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell starts background jobs, such as a test run, with interrupts ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    # the first triplets are read when the pipe is full: then it is waiting for more
    process.stdin.write("a b | c\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error.strip()) == (130, "", "interrupted")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("loading", ["numpy", "click"])
@pytest.mark.parametrize("command", [["-m", "tripletree"], ["-Wignore", "-sm", "tripletree"], ["-mtripletree"]])
def test_shell__interrupted_while_it_loads(loads, loading, command):
    done = loads(loading, *command, "info", "-")
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_shell__other_programs_that_load_the_package_are_interrupted_as_they_are_used_to(loads, tmp_path):
    for program in ("import tripletree", "import tripletree.cli"):
        assert "Traceback" in loads("numpy", "-c", program).stderr
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__init__.py").write_text("import tripletree\n")  # while Python looks for the module to run
    (tmp_path / "program" / "__main__.py").write_text("")
    assert "Traceback" in loads("numpy", "-m", "program", "tripletree").stderr


@pytest.fixture
def loads(tmp_path, shell_environment):
    """Runs Python with a package that is interrupted while it is loaded."""

    def run(loading, *command):
        (tmp_path / f"{loading}.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
        paths = [str(tmp_path), str(Path(__file__).parents[2])]
        environment = {**shell_environment, "PYTHONPATH": os.pathsep.join(paths)}
        return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.skipif(sys.platform == "win32", reason="reading cannot be interrupted there")
def test_shell__a_limit_of_time_ends_it(shell_environment, tmp_path):
    out = tmp_path / "out.txt"
    with subprocess.Popen(
        ["tripletree", "check", "-", "--time-limit", "0.5", "-o", str(out)],
        env=shell_environment,
        stdin=subprocess.PIPE,  # and nothing comes
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.wait(60) == 124
        assert process.stdout.read() == ""
        said = process.stderr.read()
        assert re.fullmatch(
            r"error: the time limit of 0\.5 s was reached.*; raise it, or make the work smaller\n", said
        )
    assert list(tmp_path.glob("out*")) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full disk")
def test_a_full_disk__what_was_written_before_is_told(run):
    many = "-k", "2", "-o", "/dev/full", "--newick", "out.nwk"
    told = run("cluster", "-", *many, text="x\n0\n1\n9\n", status=2).stderr
    assert told.splitlines()[-1] == "error: no space left on device: /dev/full (written before: out.nwk)"
    told = run("decompose", "sample:primates", "-o", "/dev/full", status=2).stderr
    assert told == "error: no space left on device: /dev/full\n"


def test_time_limit__is_an_option_of_every_command(run):
    for name, command in main.commands.items():
        assert [x.opts for x in command.params].count(["--time-limit"]) == 1, name
    assert run("info", "sample:mammals", "--time-limit", "1000").stdout == run("info", "sample:mammals").stdout
    for wrong in ("0", "-1", "nan", "soon"):
        run("info", "sample:mammals", "--time-limit", wrong, status=2)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress__a_bar_on_a_terminal_and_nothing_in_a_pipe(monkeypatch):
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert list(progress(range(3), what="counting", total=3)) == [0, 1, 2]
        assert ("counting" in stream.getvalue()) is shown


def test_busy__is_gone_from_the_terminal_at_the_end(monkeypatch):
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with busy("waiting"):
            time.sleep(0.6 if stream.isatty() else 0)
        if stream.isatty():
            assert "waiting ... 00:00" in stream.getvalue()
            assert stream.getvalue().rsplit("\r", 2)[1].strip() == ""
        else:
            assert stream.getvalue() == ""


def test_newick_is_what_the_library_writes(run):
    assert run("build", "-", text="a b | c\n").stdout == write_newick(parse_newick("((a,b),c);")) + "\n"


def test_shell__empty_input_is_no_consistent_set(bash):
    done = bash("set +e; tripletree decompose gone.nwk | tripletree check -; echo $?")
    assert done.stdout == "2\n"
    assert "standard input holds no triplet and no leaf" in done.stderr


def test_shell__dev_stdout_goes_on_where_it_stands(bash, tmp_path):
    bash("(echo first; printf 'a b | c\n' | tripletree build - -o /dev/stdout; echo last) > all.txt")
    assert (tmp_path / "all.txt").read_text() == "first\n((a,b),c);\nlast\n"
    assert bash("printf 'a b | c\n' | tripletree build - -o /dev/stdout | cat").stdout == "((a,b),c);\n"


def test_shell__a_closed_standard_output_is_no_traceback(bash):
    assert bash("set +e; tripletree info sample:primates >&-; echo $? >&2").stderr == (
        "error: the standard output is closed\n2\n"
    )


# ---------------------------------------------------------------------- ontologies and options of reading


def test_info__of_an_ontology(run):
    result = run("info", "sample:cell_types")
    told = facts(result.stdout)
    assert result.stdout.startswith("sample:cell_types: an ontology (OBO)\n")
    assert told["terms"] == "59, 59 of them named"
    assert told["roots"] == "1: CL:0000000"
    assert told["edges"] == "is_a (71)"
    assert told["several parents"].startswith("13 terms (22.03%)")
    assert told["certain triplets"] == "1,212 of 2,925 triples of leaves (41.44%)"
    assert "(deepest)" in told["in one tree"]
    assert facts(run("info", "sample:cell_types", "--parent", "deepest").stdout)["leaves"] == "27"


def test_info__ranks_and_names_that_repeat(run):
    table = "kingdom,family,genus\nAnimalia,Felidae,Felis\nAnimalia,Felidae,Lynx\nPlantae,Felidae,Odd\n"
    told = facts(run("info", "-", text=table).stdout)
    assert told["ranks"] == "genus (3), family (2), kingdom (2)"
    assert told["names that repeat"] == "Felidae (2)"


def test_options__of_reading(run, tmp_path):
    (tmp_path / "x.obo").write_text("[Term]\nid: X:1\nname: top\n[Term]\nid: X:2\nname: low\nis_a: X:1\n")
    assert "low;" in run("convert", "x.obo", "--labels", "name", "--root", "X:2").stdout
    assert "--parent" in run("convert", "sample:cell_types", status=2).stderr
    for command in (["convert"], ["plot", "-o", "x.svg"], ["compare", "sample:mammals"]):
        for parent in ([], ["--parent", "certain"]):
            refused = run(*command, "sample:cell_types", *parent, status=2).stderr
            assert "--parent deepest, first or smallest (certain gives no hierarchy)" in refused
    for command in (["info"], ["induce", "--all"], ["decompose"]):  # these triplets can be told without one tree
        with_certain = run(*command, "sample:cell_types", "--parent", "certain").stdout
        assert with_certain == run(*command, "sample:cell_types").stdout
    # nothing in it has several parents
    assert run("convert", "sample:mammals", "--parent", "certain").stdout == run("convert", "sample:mammals").stdout
    assert "T cell" in run("match", "-", "sample:cell_types", "--parent", "certain", text="T cell\n").stdout
    assert (
        "--namespace: no option for newick files"
        in run("info", "-", "--namespace", "x", text="(a,b);", status=2).stderr
    )
    assert "'newik' is not one of" in run("info", "-", "--from", "newik", text="(a,b);", status=2).stderr


def test_info__definitions_are_parents_and_terms_alone_are_told(run):
    text = "[Term]\nid: a\n[Term]\nid: b\nintersection_of: a\n[Term]\nid: c\nis_a: a\nintersection_of: a\n"
    assert run("info", "-", text=text).stdout.startswith("standard input: a hierarchy (OBO)\n")
    told = run("info", "-", "-O", "genus=false", text=text).stdout
    assert "1 term with a parent that no plain statement gives, open therefore: b" in told
    assert (
        "1 item without a parent or children, open therefore" in run("info", "-", text=text + "[Term]\nid: d\n").stdout
    )


@pytest.mark.parametrize("command", ["check", "explain", "build", "describe", "closure", "repair"])
def test_a_hierarchy_in_the_place_of_triplets_is_named(run, tmp_path, command):
    (tmp_path / "my hp.obo").write_text("[Term]\nid: HP:1\n\n[Term]\nid: HP:2\nis_a: HP:1\n")
    said = run(command, "my hp.obo", status=2).stderr
    assert "my hp.obo is an ontology (OBO), and triplets are expected" in said
    assert "tripletree decompose 'my hp.obo'" in said
    said = run(command, "-", text="((a,b),(c,d));", status=2).stderr
    assert "standard input is a hierarchy (Newick), and triplets are expected: 'tripletree decompose -' makes" in said


@pytest.mark.parametrize("command", ["check", "explain"])
def test_columns_tell_triplets_from_pairs_by_their_cells(run, tmp_path, command):
    (tmp_path / "t.csv").write_text("x;y;z\ncat;dog;eel\ncat;eel;dog\n")
    assert "cat" in run(command, "t.csv", "--columns", "x,y,z", status=1).stdout
    (tmp_path / "p.csv").write_text("x,y,z\ncat,dog,must\ndog,eel,cannot\n")
    assert "1 must-link and 1 cannot-link" in run(command, "p.csv", "--columns", "x,y,z").stdout


def test_tables_of_triplets_with_semicolons_and_carriage_returns(run, tmp_path):
    for name in ("t.csv", "t.txt", "t"):
        for end in ("\n", "\r", "\r\n"):
            (tmp_path / name).write_bytes(end.join(["a;b;c", "cat;dog;eel", ""]).encode())
            assert run("check", name).stdout == "consistent: 1 triplet on 3 leaves\n"
    said = run("check", "-", text="cat;dog;eel\n", status=2).stderr
    assert "a table needs the names of its columns, a, b and c, above it" in said


def test_an_option_that_takes_one_value_is_not_given_twice(run, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("a b | c\n")
    (tmp_path / "x.csv").write_text("name,x\na,0\nb,1\nc,5\n")
    known = "cluster", "x.csv", "--triplets", "a.txt", "-k", 2
    result = run(*known, "--triplets", "b.txt", status=2)
    assert "--triplets is given 2 times, and takes one value: leave out all but one" in result.stderr
    run(*known, "-k", 3, status=2)
    run(*known)
