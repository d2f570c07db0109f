"""The documentation site, without sphinx: its links, the names it speaks of, its commands and its pictures."""

import ast
import builtins
import csv
import doctest
import importlib
import importlib.util
import inspect
import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import pytest

import tripletree
import tripletree.cluster.active
from tripletree.cli import main

HOUSE = Path(__file__).parents[2]
DOCS = HOUSE / "docs"


def loaded(name):
    """A script of the folder docs, which is no package."""
    spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = loaded("build")
PAGES = sorted(DOCS.rglob("*.md"))
FOUND = build.public_names()
THINGS = {
    f"{module}.{name}": getattr(importlib.import_module(module), name) for module in FOUND for name in FOUND[module]
}

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())


def code_in_text(page):
    """Words in backquotes outside of blocks, an escaped bar as a bar."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [x.replace("\\|", "|") for x in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)]


def lines_of_blocks(page):
    blocks = re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def known_words():
    """Short names of public things, of their attributes, and of their parameters."""
    words = {"tt", "tripletree", *vars(builtins)}
    for name, thing in THINGS.items():
        words.add(name.rpartition(".")[2])
        if inspect.isclass(thing):
            words |= set(dir(thing))
        doc = inspect.getdoc(thing) or ""
        words |= {w for line in re.findall(r"^(\w[\w, ]*)(?: :|$)", doc, re.MULTILINE) for w in line.split(", ")}
    return words


WORDS = known_words()

# ---------------------------------------------------------------------- links


@pytest.mark.parametrize("path", build.repository_pages(), ids=str)
def test_docs__every_link_leads_to_a_page(path):
    text = (HOUSE / path).read_text(encoding="utf-8")
    assert build.relinked(text, path).count("](") == text.count("](")


IN_THE_CHECKOUT = [
    *HOUSE.glob("*.md"),
    *(p for x in ("docs", "benchmarks", "notebooks", "paper", "sample_hierarchies") for p in (HOUSE / x).rglob("*.md")),
]


@pytest.mark.parametrize("page", sorted(IN_THE_CHECKOUT), ids=lambda p: p.relative_to(HOUSE).as_posix())
def test_docs__links_lead_to_files_of_the_checkout(page):
    """Links as they are read without a site, as on the page of the repository."""
    text = re.sub(r"^(`{3,}).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(<?([^)\s>#]+)", text) + re.findall(r"^\[[^\]]+\]: (\S+)", text, re.MULTILINE)
    package = Path(tripletree.__file__).parents[1]  # tests may run on the installed package
    dead = []
    for target in (x for x in targets if not re.match(r"[a-z]+:", x)):
        there = (page.parent / target).resolve()
        if not there.exists() and not (package / there.relative_to(HOUSE)).exists():
            dead.append(target)
    assert dead == []


def test_docs__a_link_to_nothing_is_refused():
    with pytest.raises(ValueError, match=re.escape("docs/start.md: the link to nowhere.md leads to no page")):
        build.relinked("see [there](nowhere.md)", Path("docs/start.md"))
    with pytest.raises(ValueError, match="the link to ../setup.cfg leads to no page"):
        build.relinked("see [there](../setup.cfg)", Path("docs/start.md"))


def test_docs__links_are_those_of_the_site():
    text = "[a](../CONTRIBUTING.md) [b](formats.md#out-again) [c](https://x.org/y.md) [d](../notebooks/README.md)"
    there = "[a](contributing.md) [b](formats.md#out-again) [c](https://x.org/y.md) [d](notebooks/index.md)"
    assert build.relinked(text, Path("docs/start.md")) == there
    above = build.relinked("[x](../../benchmarks/README.md)", Path("docs/questions/pairs.md"))
    assert above == "[x](../benchmarks/index.md)"


def test_docs__broken_links_of_the_built_site_are_found(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text('<a href="b/c.html#x">1</a> <a href="#y">2</a> <a href="https://x.org">3</a>')
    (tmp_path / "b" / "c.html").write_text('<h1 id="x">c</h1><a href="../a.html">4</a> <img src="d%20e.png?v=1">')
    assert build.broken_links(tmp_path) == [("a.html", "#y"), ("b/c.html", "d%20e.png?v=1")]
    (tmp_path / "b" / "d e.png").write_bytes(b"")
    (tmp_path / "a.html").write_text('<a name="y" href="b/c.html#z">5</a> <a href="#y">2</a>')
    assert build.broken_links(tmp_path) == [("a.html", "b/c.html#z")]


def test_docs__long_tables_of_results_are_files_that_a_page_links_to():
    results = HOUSE / "benchmarks" / "results"
    text = "".join(page.read_text(encoding="utf-8") for page in results.glob("*.md"))
    assert [x.name for x in (results / "tables").iterdir() if f"](tables/{x.name})" not in text] == []
    page = Path("benchmarks/results/conflicts.md")
    assert build.relinked("[all](tables/conflicts.csv)", page) == "[all](tables/conflicts.csv)"
    for path in (results / "tables").iterdir():
        with open(path, encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert len(set(head)) == len(head), path.name
        assert {len(row) for row in rows} == {len(head)}, path.name


def toctree(text):
    entries = re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
    lines = [line for entry in entries for line in entry.splitlines() if line and line[0] != ":"]
    return {re.sub(r"^.*<(.*)>$", r"\1", line) for line in lines}


def test_docs__every_page_is_in_the_navigation():
    listed = set()
    for page in PAGES:
        place = page.parent.relative_to(DOCS)
        listed |= {(place / name).as_posix() for name in toctree(page.read_text(encoding="utf-8"))}
    own = {p.relative_to(DOCS).with_suffix("").as_posix() for p in PAGES} - {"index"}
    made = {Path(name).with_suffix("").as_posix() for name in build.PAGES.values()} | {"cli", "api/index"}
    assert listed == own | made


def test_docs__pictures_that_pages_show_are_drawn():
    shown = {m for page in PAGES for m in re.findall(r"pictures/(\w+)\.svg", page.read_text(encoding="utf-8"))}
    assert shown == {draw.__name__ for draw in loaded("pictures").PICTURES}
    assert shown == {path.stem for path in (DOCS / "pictures").iterdir()}  # else: python docs/pictures.py


# ---------------------------------------------------------------------- names


@each_page
def test_docs__names_in_the_text_exist(page):
    imported = {name for line in lines_of_blocks(page) for name in re.findall(r"^>>> from .* import (\w+)$", line)}
    unknown = []
    for word in code_in_text(page):
        dotted = re.match(r"(?:tt|tripletree)((?:\.[A-Za-z_]\w*)+)", word)
        if dotted:
            if not reached(dotted[1].strip(".").split(".")):
                unknown.append(word)
            continue
        call = re.match(r"(?:[\w.]+\.)?([A-Za-z_]\w*)\(", word)
        if call and call[1] not in WORDS | imported and "|" not in word:
            unknown.append(word)
    assert unknown == []


def reached(parts):
    thing = tripletree
    for k, part in enumerate(parts):
        if hasattr(thing, part):
            thing = getattr(thing, part)
            continue
        try:
            thing = importlib.import_module(".".join(["tripletree", *parts[: k + 1]]))
        except ImportError:
            return False
    return True


def called(word):
    """(thing, names of its keyword arguments) for each call of a public name in a piece of code."""
    try:
        tree = ast.parse(word)
    except SyntaxError:
        return
    for call in (x for x in ast.walk(tree) if isinstance(x, ast.Call)):
        name = ast.unparse(call.func).rpartition(".")[2] if isinstance(call.func, ast.Name | ast.Attribute) else None
        things = [t for n, t in THINGS.items() if n.rpartition(".")[2] == name]
        if things:
            yield things[0], [keyword.arg for keyword in call.keywords]


def test_docs__the_table_of_functions_names_everything_at_the_top_and_every_estimator():
    text = (DOCS / "functions.md").read_text(encoding="utf-8")
    estimators = [name for name in tripletree.cluster.__all__ if hasattr(getattr(tripletree.cluster, name), "fit")]
    names = [*tripletree.__all__, *estimators]
    assert [x for x in names if not x.startswith("__") and not re.search(rf"\b{x}\b", text)] == []


def test_docs__names_in_the_table_of_functions_have_the_prefix_of_their_room():
    bare = set(tripletree.__all__) | set(tripletree.cluster.__all__) | set(tripletree.cluster.active.__all__)
    elsewhere = {name for module, names in FOUND.items() for name in names if module != "tripletree"} - bare
    words = {w for code in code_in_text(DOCS / "functions.md") for w in re.findall(r"(?<![\w.=\"'])\w+(?![\w.])", code)}
    assert sorted(words & elsewhere) == []


@each_page
def test_docs__arguments_in_the_text_exist(page):
    unknown = []
    for word in code_in_text(page):
        for thing, names in called(word):
            unknown += [f"{word}: {name}" for name in names if name not in inspect.signature(thing).parameters]
    assert unknown == []


@pytest.mark.filterwarnings("ignore")  # most calls draw their starts
def options_of(thing):
    """(function, optional parameter) of a function, or of a class: of its methods, and of the estimator itself."""
    if not inspect.isclass(thing):
        yield from ((thing, x.name) for x in inspect.signature(thing).parameters.values() if x.default is not x.empty)
        return
    for name, method in vars(thing).items():
        plain = getattr(method, "__func__", method)
        picks = name == "__init__" and (hasattr(thing, "fit") or hasattr(thing, "query"))
        if inspect.isfunction(plain) and (picks or not name.startswith("_")):
            yield from options_of(plain)


def test_docs__every_option_stands_where_users_look():
    """A page, a notebook, a benchmark, an example or the shell picks it: an option that nobody picks is to go."""
    root = DOCS.parent
    patterns = (
        *("README.md", "docs/**/*.md", "notebooks/*.py", "benchmarks/**/*.py"),
        *(f"tripletree/{x}/**/*.py" for x in ("cli", "reports", "datasets")),
    )
    text = "".join(path.read_text(encoding="utf-8") for x in patterns for path in root.glob(x))
    things = [
        x for x in THINGS.values() if build.is_defined(x) and not (inspect.isclass(x) and issubclass(x, Exception))
    ]
    picked = [*things, *(f for x in things if inspect.isclass(x) for f in vars(x).values() if inspect.isfunction(f))]
    shown = text + "".join(
        x.source for f in picked for x in doctest.DocTestParser().get_examples(inspect.getdoc(f) or "")
    )
    options = sorted({(f.__qualname__, option) for x in things for f, option in options_of(x)})
    convention = {("SVMMetric.get_feature_names_out", "input_features")}  # scikit-learn's
    words = set(re.findall(r"\b(\w+)=", shown)) | {
        x.lstrip("-").replace("-", "_") for x in re.findall(r"[`\"'-]([\w-]+)", shown)
    }
    assert [x for x in options if x[1] not in words | {"y"} and x not in convention] == []


def test_docs__calls_in_the_tables_of_the_papers_run():
    text = (DOCS / "papers.md").read_text(encoding="utf-8")
    names: dict = {}
    for step in doctest.DocTestParser().get_examples(re.search(r"^```python\n(.*?)^```", text, re.S | re.M)[1]):
        exec(step.source, names)
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|")).replace("\\|", "|")
    calls = {word for word in re.findall(r"`([^`\n]+)`", rows) if "(" in word}
    failed = {}
    for call in sorted(calls):
        try:
            eval(call, names)
        except Exception as error:
            failed[call] = error
    assert failed == {}
    assert len(calls) > 60


@each_page
def test_docs__benchmarks_and_files_named_exist(page):
    text = page.read_text(encoding="utf-8")
    scripts = set(re.findall(r"\bbench_\w+\.py", text))
    assert [s for s in scripts if not (HOUSE / "benchmarks" / s).exists()] == []
    targets = set(re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)$", text, re.MULTILINE))
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8")
    assert [t for t in targets if not re.search(rf"^{''.join(t)}:", makefile, re.MULTILINE)] == []


# ---------------------------------------------------------------------- commands


def command_lines(page):
    shown = [x for x in code_in_text(page) + lines_of_blocks(page) if re.match(r"tripletree (?!--)\w", x)]
    return [part.strip() for line in shown for part in line.partition(" #")[0].split(" | tripletree ")]


@each_page
def test_docs__commands_have_the_options_that_pages_show(page):
    top = click.Context(main)
    unknown = []
    for line in command_lines(page):
        name, *rest = shlex.split(line.removeprefix("tripletree "))
        command = main.get_command(top, name)
        if command is None:
            unknown.append(line)
            continue
        options = {o for p in command.params for o in p.opts} | {"--help"}
        unknown += [f"{line}: {x}" for x in rest if re.match(r"--?[A-Za-z]", x) and x not in options]
    assert unknown == []


def test_docs__the_command_line_page_has_every_command(tmp_path):
    build.write_commands(tmp_path / "cli.md")
    text = (tmp_path / "cli.md").read_text(encoding="utf-8")
    assert re.findall(r"^## tripletree (\w+)$", text, re.MULTILINE) == list(main.commands)
    assert text.count("Usage: tripletree") == len(main.commands) + 1


# ---------------------------------------------------------------------- the reference


def test_docs__the_reference_has_every_public_name_once():
    documented = [(t.__module__, t.__qualname__) for t in THINGS.values() if build.is_defined(t)]
    assert len(documented) == len(set(documented))
    missing = []
    for module_name in build.FACES:
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if build.is_defined(thing) and (thing.__module__, thing.__qualname__) not in documented:
                missing.append(f"{module_name}.{name}")
    assert missing == []
    assert {f"tripletree.{name}" for name in tripletree.__all__ if name != "__version__"} <= set(THINGS)


def test_docs__pages_of_the_reference(tmp_path):
    build.write_api(tmp_path)
    names = (tmp_path / "api" / "names.txt").read_text(encoding="utf-8").split()
    assert names == list(THINGS)
    text = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "api").rglob("*.rst"))
    entries = re.findall(r"^\.\. auto(?:class|function|data):: (\S+)$", text, re.MULTILINE)
    assert sorted(entries) == sorted(names)


@pytest.mark.parametrize("name", [n for n, t in THINGS.items() if build.is_defined(t)])
def test_docs__see_also_names_what_exists(name):
    doc = inspect.getdoc(THINGS[name]) or ""
    match = re.search(r"^See Also\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", doc, re.DOTALL | re.MULTILINE)
    entries = re.findall(r"(?:^|(?<=\. )|, )([A-Za-z_][\w.]*)(?= :|, \w+ :)", match[1], re.MULTILINE) if match else []
    unknown = [
        x
        for x in entries
        if not reached(x.removeprefix("tripletree.").split(".")) and x.rpartition(".")[2] not in WORDS
    ]
    assert unknown == []


# ---------------------------------------------------------------------- pictures


def test_docs__the_page_to_fold_is_written(tmp_path):
    loaded("pictures").write_page(tmp_path / "extra")
    text = (tmp_path / "extra" / "mammals.html").read_text(encoding="utf-8")
    assert "Homo_sapiens" in text
    assert "mammals.html" in (DOCS / "looking.md").read_text(encoding="utf-8")


def texts(fig):
    shown = [ax.get_title(loc="left") for ax in fig.axes]
    for ax in fig.axes:
        shown += [t.get_text() for t in [*ax.texts, ax.title, *ax.get_xticklabels(), *ax.get_yticklabels()]]
    return {word for text in shown for word in text.split()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "panels", "words"),
    [
        ("house", 1, {"Hierarchy", "TripletSet", "ReCon", "one_tree", "labels_", "taxonomies,"}),
        ("build", 2, {*"abcdef", "split,"}),
        ("conflict", 1, {*"abcd"}),
        ("recon", 3, {*"abcdefgh", "samples", "fh|b"}),
        ("pairs", 2, {*"abcdef", "given:", "follows:", "3", "must-links,", "2", "4", "8"}),
        ("start", 2, {"lion", "tiger", "cat", "hen", "cow"}),
        ("transitions", 1, {"2021", "2024"}),
        ("look_dendrogram", 1, {"0", "35"}),
        ("look_circular", 1, {"Homo_sapiens", "Mus_musculus"}),
        ("look_cuts", 3, {"2", "3", "4", "clusters:"}),
        ("look_tanglegram", 1, {"0", "crossings;", "228", "with"}),
    ],
)
def test_docs__pictures_show(name, panels, words):
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("agg")
    fig = getattr(loaded("pictures"), name)()
    fig.canvas.draw()
    assert len(fig.axes) == panels
    assert words <= texts(fig)
    matplotlib.pyplot.close(fig)


def test_docs__the_front_picture_is_what_the_code_draws():
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("agg")
    fig = loaded("front").picture()
    fig.canvas.draw()
    drawn = np.asarray(fig.canvas.buffer_rgba())[:, :, :3] / 255
    kept = matplotlib.pyplot.imread(DOCS / "front.png")[:, :, :3]
    assert drawn.shape == kept.shape  # else: python docs/front.py
    assert np.abs(drawn - kept).mean() < 0.02  # fonts differ a little from place to place
    assert {"lion", "tiger", "cat", "hen", "cow"} <= texts(fig)
    assert min(x.get_fontsize() for ax in fig.axes for x in ax.texts) >= 17  # to be read on a phone
    matplotlib.pyplot.close(fig)


@pytest.mark.parametrize(("name", "shown"), [("look_page.png", "the page"), ("look_questions.png", "the questions")])
def test_docs__looking_shows_pages_too(name, shown):
    text = (DOCS / "looking.md").read_text(encoding="utf-8")
    assert f"]({name})" in text, shown
    assert (DOCS / name).read_bytes()[:4] == b"\x89PNG"


def test_docs__installing_has_a_title_that_a_search_finds():
    assert "\n## Install\n" in (DOCS / "start.md").read_text(encoding="utf-8")
    assert "Install and start <start>" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_docs__tables_have_headers_that_can_be_read_out():
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        lines = page.read_text(encoding="utf-8").split("\n")
        for header, line in pairwise(lines):
            if re.fullmatch(r"\|[-|: ]+\|", line):
                assert all(cell.strip() for cell in header.strip("|").split("|")), (page.name, header)
