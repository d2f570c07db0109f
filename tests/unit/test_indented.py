"""Outlines: each layout in which a line tells its depth, with the one tree that all of them mean."""

import io

import pytest

import tripletree as tt
from tripletree.io import read_hierarchy, read_lineages

MEANT = "(((dog,cat)Mammals,(owl,crow)Birds)Animals,(oak,fern)Plants);"
NAMES = [
    *((0, "Animals"), (1, "Mammals"), (2, "dog"), (2, "cat"), (1, "Birds"), (2, "owl"), (2, "crow")),
    *((0, "Plants"), (1, "oak"), (1, "fern")),
]


def lines(row):
    return "".join(f"{row(depth, name)}\n" for depth, name in NAMES)


def numbered(form="{}"):
    count, out = [], ""
    for depth, name in NAMES:
        count = [*count, 0][: depth + 1]
        count[depth] += 1
        out += f"{form.format('.'.join(map(str, count)))} {name}\n"
    return out


TREE = """.
├── Animals
│   ├── Mammals
│   │   ├── dog
│   │   └── cat
│   └── Birds
│       ├── owl
│       └── crow
└── Plants
    ├── oak
    └── fern

4 directories, 6 files
"""
LAYOUTS = {
    "tabs": lines(lambda d, x: "\t" * d + x),
    "two blanks": lines(lambda d, x: "  " * d + x),
    "empty lines between": lines(lambda d, x: "    " * d + x + "\n"),
    "bullets of Markdown": lines(lambda d, x: f"{'    ' * d}- {x}"),
    "other bullets": lines(lambda d, x: f"{' ' * d}{'•◦▪'[d]} {x}"),
    "links": lines(lambda d, x: f"{'  ' * d}* [{x}](https://example.org/{x})"),
    "boxes": lines(lambda d, x: f"{'  ' * d}- [ ] **{x}**"),
    "bullets of a wiki": lines(lambda d, x: f"{'*' * (d + 1)} {x}"),
    "dashes below a name": lines(lambda d, x: f"{'-' * d} {x}".strip()),
    "headings": lines(lambda d, x: f"{'#' * (d + 1)} {x}"),
    "headings of a wiki": lines(lambda d, x: f"{'=' * (d + 2)} {x} {'=' * (d + 2)}"),
    "headings above bullets": lines(lambda d, x: f"{'#' * (d + 1)} {x}" if x[0].isupper() else f"- {x}"),
    "numbers": numbered(),
    "numbers with points": numbered("{}."),
    "items": lines(lambda d, x: f"{'  ' * d}{NAMES.index((d, x))}. {x}"),
    "YAML": lines(lambda d, x: f"{'  ' * d}{x}:" if x[0].isupper() else f"{'  ' * d}- {x}"),
    "a cell in each row": lines(lambda d, x: "," * d + x + "," * (2 - d)),
    "a cell in each row below a header": "L1;L2;L3\n" + lines(lambda d, x: ";" * d + x + ";" * (2 - d)),
    "a column of depths": "level,name\n" + lines(lambda d, x: f"{d + 1},{x}"),
    "a column of depths beside others": "id;Bezeichnung;Ebene\n" + lines(lambda d, x: f"{ord(x[0])};{x};{d}"),
    "as tree draws it": TREE,
    "as tree draws it without signs": TREE.replace("├──", "|--").replace("└──", "`--").replace("│", "|"),
    "headings without an end": lines(lambda d, x: f"{'=' * (d + 1)} {x}"),
    "as tree draws it with remarks": TREE.replace("dog", "dog   # Canis").replace("owl\n", "owl  ← hoots()\n"),
    "as tree draws it, and more of them": TREE.replace("└── crow", "├── crow\n│       └── ..."),
    "as tree draws it below a ruler": f"{'─' * 20}\n{TREE}",
    "as Windows draws it": TREE.replace("├── ", "+---").replace("└── ", "\\---").replace("│", "|"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_of_an_outline_is_the_same_tree(name):
    assert tt.write_newick(read_hierarchy(io.StringIO(LAYOUTS[name]))) == MEANT


ASKED = {
    "between two depths": ("a\n    b\n  c\n", r"line 3: 2 blanks before 'c', where lines above have 4 and 0"),
    "tabs and blanks": ("a\n  b\n\t\t\tc\n", r"line 3: blanks before 'c', and tabs before|tabs before"),
}


@pytest.mark.parametrize("name", ASKED)
def test_depths_of_two_readings_are_refused(name):
    text, words = ASKED[name]
    with pytest.raises(tt.errors.ParseError, match=words):
        read_hierarchy(io.StringIO(text))


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    if x > 1:\n        return 2\n    return 3\n",
        "Once upon a time there was a fox.\n    It was red.\n    It was quick.\n",
        "# Title\n\nSome words.\n\n- one\n- two\n",
        "- one\n- two\n- three\n",
        "* cat\ndog\ncow\n",
        "a, b, c\n  d, b, c\n    e, f, g\n",
        "isco:\n  levels: [1]\n  items:\n    managers:\n      title: Managers\n      level: 1\n",
        "  1 2 3\n 10 20 30\n  4 5 6\n",
    ],
)
def test_prose_programs_and_flat_lists_are_no_outlines(text):
    with pytest.raises(tt.errors.ParseError):
        read_hierarchy(io.StringIO(text))


def test_numbers_are_ids_and_a_number_without_a_line_is_a_name():
    text = "1.1 Mammals\n1.1.1 dog\n1.1.2 cat\n1.2 Birds\n1.2.1 owl\n1.2.2 crow\n"
    assert tt.write_newick(read_hierarchy(io.StringIO(text))) == "((dog,cat)Mammals,(owl,crow)Birds)1;"
    assert list(read_lineages(io.StringIO(text), labels="id").leaves) == ["1.1.1", "1.1.2", "1.2.1", "1.2.2"]


def test_placeholders_and_names_that_repeat_are_as_in_paths():
    text = "Animals\n  unclassified\n    dog\n  Cats\n    other\n  Birds\n    other\n"
    h = read_hierarchy(io.StringIO(text))
    assert list(h.leaves) == ["dog", "Animals; Cats; other", "Animals; Birds; other"]
    assert h.incertae_sedis[0]


@pytest.mark.parametrize(
    ("text", "child"), [("root -> A\nroot -> B\nA -> x\nA -> y\n", 1), ("x→A\ny→A\nA→root\nB→root\n", 0)]
)
def test_one_arrow_in_each_line_is_asked_and_the_first_command_reads_it(tmp_path, text, child):
    path = tmp_path / "arrows.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(tt.errors.ParseError, match=rf"which way does .* lead\? .*child_column={child}, header=False"):
        read_hierarchy(path)
    arrow = "→" if "→" in text else "->"
    h = tt.io.read_edges(path, delimiter=arrow, child_column=child, header=False)
    assert (list(h.leaves), h.names) == (["x", "y", "B"], ("A", "root")) or set(h.names) == {"A", "root"}


@pytest.mark.parametrize("sep", [" -> ", " → ", " » ", " › ", " :: ", "\\"])
def test_more_signs_between_the_names_of_a_path(sep):
    text = "".join(sep.join(x) + "\n" for x in (("a", "b", "x"), ("a", "b", "y"), ("a", "c", "z")))
    assert tt.write_newick(read_hierarchy(io.StringIO(text))) == "((x,y)b,(z)c)a;"


def test_rows_of_several_lengths_are_asked_with_the_call_that_reads_them(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text("Israel,Jerusalem,Old city\nUSA,Washington,Memorial\nFrance,Paris\nUSA,New York\nSudan\n")
    with pytest.raises(tt.errors.ParseError, match=r"rows of several lengths\. .*read_lineages\(.*, sep=','\)"):
        read_hierarchy(path)
    assert "(Memorial)Washington,'New York')USA" in tt.write_newick(read_lineages(path, sep=","))


def test_a_column_of_samples_that_repeats_holds_no_items():
    text = "sample\tcoverage\ttaxonomy\n" + "".join(f"m1\t1.{k}\tRoot; d__{x}\n" for k, x in enumerate("ABC"))
    assert list(read_hierarchy(io.StringIO(text)).leaves) == ["d__A", "d__B", "d__C"]
