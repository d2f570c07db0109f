import io
import json

import numpy as np
import pytest

from tripletree.algorithms.compare import compare_triplets, robinson_foulds
from tripletree.algorithms.infer import closure, implies, irredundant, redundant
from tripletree.algorithms.supervision import sample_class_triplets
from tripletree.core.triplets import TripletSet
from tripletree.datasets import load_hierarchy
from tripletree.evaluation.describe import describe
from tripletree.io import parse_newick, read_triplets, write_triplets

CHAIN = "cat dog | eel\ndog eel | fly\n"
CLASH = "cat dog | eel\ndog eel | cat\nx y | z\n"
POINTS = "name,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\n"
FIRST, SECOND = "(((human,chimp),gorilla),gibbon);", "((human,chimp),(gorilla,gibbon));"


def triplets_of(text):
    return read_triplets(io.StringIO(text))


@pytest.mark.parametrize(
    ("arguments", "others"),
    [
        (["closure", "one.txt"], ["one.txt"]),
        (["closure", "one.txt", "--query", "two.txt"], ["one.txt", "two.txt"]),
        (["closure", "-", "--query", "two.txt"], ["two.txt"]),
        (["describe", "one.txt", "--data", "points.csv"], ["one.txt", "points.csv"]),
        (["compare", "one.nwk", "two.nwk"], ["one.nwk", "two.nwk"]),
        (["compare", "-", "two.nwk", "--attach", "items.csv"], ["two.nwk", "items.csv"]),
    ],
)
def test_reasoning__an_input_is_not_overwritten(run, tmp_path, arguments, others):
    texts = {"one.txt": CHAIN, "two.txt": CHAIN, "points.csv": POINTS, "one.nwk": FIRST, "two.nwk": SECOND}
    if "describe" in arguments:
        texts["one.txt"] = "a b | c\n"
    texts["items.csv"] = "item,node\nx,human\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    given = FIRST if "compare" in arguments else CHAIN
    for name in others:
        for output in (name, f"./{name}", tmp_path / name):
            error = run(*arguments, "-o", output, text=given, status=2).stderr
            assert error == f"error: {output} is an input of this command already: give another file\n"
        assert {x: (tmp_path / x).read_text() for x in texts} == texts
    if "items.csv" not in arguments:
        for output in ("-", "/dev/null", "new.txt"):
            run(*arguments, "-o", output, text=given)
        assert (tmp_path / "new.txt").read_text() == run(*arguments, text=given).stdout


# ---------------------------------------------------------------------- closure


def test_closure__of_a_chain(run):
    result = run("closure", "-", text=CHAIN)
    assert result.stdout == "cat dog | eel\ncat dog | fly\ncat eel | fly\ndog eel | fly\n"
    assert result.stderr == ""


@pytest.mark.parametrize("suffix", ["txt", "csv", "tsv", "parquet", "txt.gz"])
def test_closure__reads_and_writes_every_format(run, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    run("decompose", "sample:primates", "-o", f"t.{suffix}")
    run("closure", f"t.{suffix}", "-o", f"c.{suffix}")
    found = read_triplets(f"c.{suffix}")
    assert found == closure(read_triplets(f"t.{suffix}"))
    assert len(found) == compare_triplets(*[load_hierarchy("primates")] * 2).alike
    run("closure", f"c.{suffix}", "--minimal", "-o", f"m.{suffix}")
    assert closure(read_triplets(f"m.{suffix}")) == found


def test_closure__format_of_the_output(run):
    assert run("closure", "-", "--format", "csv", text=CHAIN).stdout.startswith("a,b,c\ncat,dog,eel\n")
    assert run("closure", "-", text="a\tb\tc\ncat\tdog\teel\n").stdout == "cat dog | eel\n"


def test_closure__limit(run):
    assert len(triplets_of(run("closure", "-", "--limit", 4, text=CHAIN).stdout)) == 4
    error = run("closure", "-", "--limit", 3, text=CHAIN, status=2).stderr
    assert "the 2 triplets imply 4, more than the limit of 3" in error
    assert "--query, or raise --limit" in error
    for more in ([], ["--minimal"], ["--redundant"]):
        error = run("closure", "-", "--max-steps", 3, *more, text=CHAIN, status=2).stderr
        assert "more than 3 steps of work" in error
        assert "raise --max-steps" in error


def test_closure__minimal_and_redundant(run):
    text = "#!leaves owl\ncat dog | eel | 2\ncat dog | fly | 3\ncat eel | fly | 4\ndog eel | fly | 5\n"
    given = triplets_of(text)
    kept = triplets_of(run("closure", "-", "--minimal", text=text).stdout)
    assert kept == irredundant(given)
    assert (len(kept), sorted(kept.leaves)) == (2, ["cat", "dog", "eel", "fly", "owl"])
    spare = triplets_of(run("closure", "-", "--redundant", text=text).stdout)
    assert set(spare) == set(given.subset(redundant(given)))
    assert spare.weights.tolist() == [3, 4, 5]
    assert "owl" not in spare.leaves
    assert run("closure", "-", "--redundant", text=CHAIN).stdout == ""


def test_closure__answers_questions(run, tmp_path):
    (tmp_path / "t.txt").write_text(CHAIN + "'big cat' dog | fly\n")
    asked = "cat eel | fly\ncat fly | eel\n'big cat' dog | fly\n'big cat' fly | dog\n"
    result = run("closure", "t.txt", "--query", "-", text=asked)
    assert result.stdout.splitlines() == [
        "'big cat' dog | fly",
        "# 'big cat' fly | dog not implied",
        "cat eel | fly",
        "# cat fly | eel not implied",
    ]
    question = triplets_of(asked)
    yes = question.subset(implies(read_triplets("t.txt"), question))
    assert set(triplets_of(result.stdout)) == set(yes)
    table = run("closure", "t.txt", "--query", "-", "--format", "csv", text=asked)
    assert table.stdout == "a,b,c\nbig cat,dog,fly\ncat,eel,fly\n"
    assert table.stderr == "2 of 4 triplets are not implied and left out\n"
    run("closure", "t.txt", "--query", "-", "-o", "yes.tsv", text="cat eel | fly\n")
    assert list(read_triplets("yes.tsv")) == [("cat", "eel", "fly")]
    error = run("closure", "t.txt", "--query", "-", text="cat eel | nobody\n", status=2).stderr
    assert "'nobody'" in error


@pytest.mark.parametrize("more", [[], ["--minimal"], ["--redundant"], ["--query", "q.txt"]])
def test_closure__of_an_inconsistent_set(run, tmp_path, more):
    (tmp_path / "q.txt").write_text("cat dog | eel\n")
    (tmp_path / "out.txt").write_text("old")
    result = run("closure", "-", "-o", "out.txt", *more, text=CLASH, status=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: no hierarchy displays all of these triplets. These 2 triplets")
    assert (tmp_path / "out.txt").read_text() == "old"


def test_closure__bad_input(run, tmp_path):
    assert run("closure", "gone.txt", status=2).stderr == "error: no such file: gone.txt\n"
    assert "holds no triplet and no leaf" in run("closure", "-", text="", status=2).stderr
    assert "line 1" in run("closure", "-", text="cat dog eel\n", status=2).stderr
    error = run("closure", "-", "--minimal", "--redundant", text=CHAIN, status=2).stderr
    assert error == "error: give one of --query, --minimal and --redundant\ntry: tripletree closure --help\n"
    assert "cannot both be the standard input" in run("closure", "-", "--query", "-", text=CHAIN, status=2).stderr


# ---------------------------------------------------------------------- compare


def test_compare__in_words(run, tmp_path):
    (tmp_path / "second.nwk").write_text(SECOND)
    result = run("compare", "-", "second.nwk", text=FIRST)
    assert result.stderr == ""
    assert result.stdout == (
        "  leaves              4, the leaves of both\n"
        "  triples of leaves   4\n"
        "  alike               2 (50.00%)\n"
        "  different           2 (50.00%)\n"
        "  only the first      0 (none)\n"
        "  only the second     0 (none)\n"
        "  unresolved in both  0 (none)\n"
        "  triplet distance    2 (50.00%): different or in one only\n"
        "  Robinson-Foulds     2 clades in one only (0.5000 normalized)\n"
    )
    run("compare", "-", "second.nwk", "-o", "out.txt", text=FIRST)
    assert (tmp_path / "out.txt").read_text() == result.stdout


def test_compare__as_json_in_the_five_ways(run, tmp_path):
    first, second = "((a,b),(c,d,e));", "((a,c),b,d,e);"
    (tmp_path / "second.nwk").write_text(second)
    told = json.loads(run("compare", "-", "second.nwk", "--json", text=first).stdout)
    one, two = parse_newick(first), parse_newick(second)
    found = compare_triplets(one, two)
    ways = ("alike", "different", "first_only", "second_only", "unresolved")
    assert [told[x] for x in ways] == [getattr(found, x) for x in ways]
    assert sum(told[x] for x in ways) == told["triples"] == 10
    assert told["triplet_distance"] == found.distance
    assert told["triplet_distance_normalized"] == found.fraction
    assert told["robinson_foulds"] == robinson_foulds(one, two)
    assert told["robinson_foulds_normalized"] == robinson_foulds(one, two, normalized=True)
    swapped = json.loads(run("compare", "second.nwk", "-", "--json", text=first).stdout)
    assert (swapped["first_only"], swapped["second_only"]) == (told["second_only"], told["first_only"])


def test_compare__leaves_that_only_one_has(run, tmp_path):
    (tmp_path / "more.nwk").write_text("((((human,orang),chimp),gorilla),tarsier);")
    error = run("compare", "-", "more.nwk", text=FIRST, status=2).stderr
    assert "'gibbon' (only in the first), 'orang' (only in the second)" in error
    assert "--leaves common compares them" in error
    result = run("compare", "-", "more.nwk", "--leaves", "common", text=FIRST)
    assert result.stdout.startswith("  leaves              3, of 4 and 5\n")
    told = json.loads(run("compare", "-", "more.nwk", "--leaves", "common", "--json", text=FIRST).stdout)
    assert (told["n_leaves"], told["n_leaves_first"], told["n_leaves_second"]) == (3, 4, 5)
    assert (told["alike"], told["triplet_distance"]) == (1, 0)
    (tmp_path / "other.nwk").write_text("(x,y);")
    assert run("compare", "-", "other.nwk", "--leaves", "common", text=FIRST, status=2).stderr.startswith("error: ")


def test_compare__few_leaves_samples_and_options_of_reading(run, tmp_path):
    assert "Robinson-Foulds     0 clades" in run("compare", "-", "sample:primates", text=_newick(run)).stdout
    (tmp_path / "two.nwk").write_text("(a,b);")
    few = run("compare", "-", "two.nwk", text="(b,a);").stdout
    assert "triples of leaves   0\n  alike               0\n" in few
    (tmp_path / "e.csv").write_text("taxon,belongs to\ncat,felids\nlion,felids\nfelids,beasts\ndog,beasts\n")
    options = ("-O", "child_column=taxon", "-O", "parent_column=belongs to", "--from", "edges")
    same = json.loads(run("compare", "e.csv", "e.csv", *options, "--json").stdout)
    assert (same["alike"], same["triplet_distance"]) == (1, 0)


def _newick(run):
    return run("convert", "sample:primates").stdout


def test_compare__bad_input(run, tmp_path):
    assert "only one can be" in run("compare", "-", "-", text=FIRST, status=2).stderr
    assert run("compare", "sample:primates", "gone", status=2).stderr == "error: no such file: gone\n"
    assert "--parent" in run("compare", "sample:cell_types", "sample:primates", status=2).stderr
    assert "missing argument" in run("compare", "sample:primates", status=2).stderr


# ---------------------------------------------------------------------- describe


def test_describe__in_words_and_as_json(run, tmp_path):
    found = describe(triplets_of(CHAIN))
    assert run("describe", "-", text=CHAIN).stdout == f"{found}\n"
    assert json.loads(run("describe", "-", "--json", text=CHAIN).stdout) == found.to_dict()
    run("describe", "-", "-o", "d.json", "--json", text=CHAIN)
    assert json.loads((tmp_path / "d.json").read_text()) == found.to_dict()


def test_describe__an_inconsistent_set(run):
    result = run("describe", "-", text=CLASH, status=1)
    assert result.stderr == ""
    assert "no: 2 triplets tie a group of 3 leaves together" in result.stdout
    told = json.loads(run("describe", "-", "--json", text=CLASH, status=1).stdout)
    assert (told["consistent"], told["n_failing_leaves"], told["closure_size"]) == (False, 3, None)


def test_describe__with_data(run, tmp_path):
    (tmp_path / "points.csv").write_text(POINTS)
    text = "a b | c | 3\na c | d | 1\n"
    told = json.loads(run("describe", "-", "--data", "points.csv", "--json", text=text).stdout)
    rows = TripletSet([(0, 1, 2), (0, 2, 3)], 4, [3, 1])
    points = np.array([[0, 0], [0, 1], [5, 5], [5, 6]], float)
    assert told == describe(rows, points).to_dict()
    assert told["coherence"] == {
        "metric": "euclidean",
        "n_satisfied": 1,
        "n_tied": 0,
        "n_violated": 1,
        "share": 0.75,
        "share_tied": 0.0,
        "share_violated": 0.25,
        "expected": 1 / 3,
    }
    one = json.loads(run("describe", "-", "--data", "points.csv", "--drop", "y", "--json", text="a c | b\n").stdout)
    assert one["n_leaves"] == 4
    assert one["coherence"]["n_violated"] == 1
    (tmp_path / "t.txt").write_text("a b | c\n")
    assert "satisfies 1 of 1 triplet (all)" in run("describe", "t.txt", "--data", "-", text=POINTS).stdout


def test_describe__metric_scales_and_labels(run, tmp_path):
    (tmp_path / "d.csv").write_text("far,who,near\n0,a,0\n300,b,1\n700,c,0\n1000,d,1\n")
    for options, wanted in (
        (["--standardize"], 1),
        ([], 0),
        (["--drop", "far"], 1),
        (["--metric", "chebyshev", "--standardize"], 1),
    ):
        options = [*options, "--index-column", "who", "--data", "d.csv", "--json"]
        told = json.loads(run("describe", "-", *options, text="a c | b\n").stdout)
        assert told["coherence"]["n_satisfied"] == wanted, options


def test_describe__what_takes_too_much_work(run):
    text = run("induce", "sample:mammals", "--sample", 150).stdout
    told = json.loads(run("describe", "-", "--max-steps", 10, "--json", text=text).stdout)
    assert told["closure_size"] is None
    assert told["reasons"]["closure_size"] == "takes more than 10 steps of work"
    assert told["tree"]["n_inner_nodes"] > 1


def test_describe__bad_input(run, tmp_path):
    (tmp_path / "points.csv").write_text(POINTS)
    assert "'q'" in run("describe", "-", "--data", "points.csv", text="a b | q\n", status=2).stderr
    assert "cannot both be the standard input" in run("describe", "-", "--data", "-", text=CHAIN, status=2).stderr
    for option in (["--drop", "x"], ["--standardize"], ["--metric", "cosine"], ["--index-column", "x"]):
        error = run("describe", "-", *option, text=CHAIN, status=2).stderr
        assert error == f"error: {option[0]} goes with --data\ntry: tripletree describe --help\n"
    wrong = run("describe", "-", "--data", "points.csv", "--metric", "cosin", text="a b | c\n", status=2).stderr
    assert "--metric cosin is not known" in wrong
    zero = run("describe", "-", "--data", "points.csv", "--metric", "cosine", text="a b | c\n", status=2).stderr
    assert "all zeros" in zero
    assert run("describe", "gone.txt", status=2).stderr == "error: no such file: gone.txt\n"
    assert "tripletree decompose" in run("describe", "sample:mammals", status=2).stderr


@pytest.mark.usefixtures("few_trees")
def test_describe__validate_tells_whether_triplets_help_to_cluster_the_data(run, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 12)
    X = np.column_stack([y + 0.2 * rng.normal(size=36), 2 * rng.normal(size=36)])
    names = [f"s{i}" for i in range(36)]
    lines = [f"{name},{a:.5f},{b:.5f}" for name, (a, b) in zip(names, X, strict=True)]
    (tmp_path / "x.csv").write_text("\n".join(["name,x,y", *lines]) + "\n")
    write_triplets(sample_class_triplets(y, 120, leaves=names, random_state=0), tmp_path / "t.txt")
    told = run("describe", "t.txt", "--data", "x.csv", "--validate").stdout
    *table, sentence = told.split("triplets on hidden samples that hold, and by chance:\n")[1].splitlines()
    assert [line.split("  ")[1].strip() for line in table] == [
        "without knowledge",
        *(f"{x} known" for x in ("25%", "50%", "100%")),
    ]
    assert sentence.startswith("36 samples, hidden in turn, are in 120 triplets. On their own, the data agree with ")
    values = json.loads(run("describe", "t.txt", "--data", "x.csv", "--validate", "--json").stdout)["validation"]
    assert values["verdict"] == "helps"
    none, full = ((values["agreement"][i] - values["chance"][i]) / (1 - values["chance"][i]) for i in (0, -1))
    assert values["gain"] == pytest.approx(full - none)
    assert "validation" not in json.loads(run("describe", "t.txt", "--data", "x.csv", "--json").stdout)


def test_describe__validate_goes_with_data(run):
    assert "--validate goes with --data" in run("describe", "-", "--validate", text=CHAIN, status=2).stderr
    (options, text) = ("describe", "-", "--data", "x.csv", "--validate", "--metric", "cityblock"), "a b | c\n"
    with open("x.csv", "w", encoding="utf-8") as stream:
        stream.write(POINTS)
    assert "it takes euclidean, cosine, precomputed and similarity" in run(*options, text=text, status=2).stderr
