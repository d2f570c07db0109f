"""Put the sources of the documentation site together, and build it: ``python docs/build.py`` or ``make docs``.

All that is made stands in ``build/docs``. Pages are those of this folder, and beside them the contributing guide, the
changelog, the README files of benchmarks and samples, the tables of the benchmarks, the executed notebooks, the help of
the command line, and one page for each group of public names, read from the ``__all__`` of the modules. Pictures come
from ``pictures.py``; those in ``docs/pictures`` are for readers of the repository. Links between files of the
repository are turned into links between pages.
"""

import argparse
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

DOCS = Path(__file__).parent
HOUSE = DOCS.parent
TARGET = HOUSE / "build" / "docs"

#: Files of the repository that are pages of the site.
PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks/index.md",
    "benchmarks/papers/README.md": "papers/index.md",
    "notebooks/README.md": "notebooks/index.md",
    "sample_hierarchies/README.md": "samples.md",
}
PAGES |= {f"benchmarks/results/{p.name}": f"benchmarks/{p.name}" for p in sorted(HOUSE.glob("benchmarks/results/*.md"))}
PAPERS = ("recon", "complete_link", "boosted", "cvqe", "cop")
PAGES |= {f"benchmarks/papers/{name}.md": f"papers/{name}.md" for name in PAPERS}
#: Pages that are made of a module: a link to it, in the repository, is one to its page.
MADE = {"tripletree/__init__.py": "api/index.rst", "tripletree/cli/__init__.py": "cli.md"}
#: The empty line that doctests need before the end of a block.
LAST_EMPTY_LINE = re.compile(r"^\n```$", re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")

#: What the groups of names at the front door are called, in this order; groups that are not here follow.
TITLES = {
    "hierarchy": "Hierarchy",
    "triplets": "TripletSet",
    "leaves": "LeafIndex",
    "ontology": "Ontology",
    "pairs": "Must-links and cannot-links",
    "io": "Files",
    "induce": "Triplets of a hierarchy",
    "decompose": "Smallest sets that identify a hierarchy",
    "supervision": "Triplets and pairs from labels and answers",
    "build": "From triplets to a hierarchy",
    "conflict": "What clashes, and why",
    "pair_conflict": "Pairs that contradict each other",
    "pair_reduction": "Pairs as triplets",
    "repair": "Repairing noisy sets",
    "label_errors": "Likely errors",
    "dynamic": "One triplet at a time",
    "infer": "What triplets imply",
    "count": "How much triplets say",
    "describe": "A set in words",
    "cut": "Flat clusters",
    "linkage": "Linkage matrices",
    "compare": "Two hierarchies compared",
    "supertree": "Many hierarchies into one",
    "scores": "Scores",
    "knowledge": "Whether knowledge helps",
    "analysis": "The whole job",
    "comparison": "Methods compared",
    "plots": "Pictures",
    "page": "Pages to fold and search",
    "errors": "Errors",
}
#: The same for groups of names behind the other doors, where their names would be too many, or one that tells little.
OTHER_TITLES = {
    "cluster.agglomerative": "ReCon and complete link",
    "cluster.kmeans": "k-means with pairs",
    "cluster.temporal": "Clusters through time",
    "errors.more": "All errors and warnings",
}
#: The public interface: modules in the order in which the reference shows them, the front door first.
FACES = ["tripletree"]
FACES += [
    f"tripletree.{x}"
    for x in (
        "cluster",
        "cluster.active",
        "knowledge",
        "metrics",
        "datasets",
        "io",
        "interop",
        "plots",
        "core",
        "algorithms",
        "evaluation",
        "reports",
        "dask",
        "ask",
        "errors",
    )
]


# ---------------------------------------------------------------------- public names


def public_names():
    """Return {module: its names}, where each thing stands once, at the name nearest to the front door."""
    seen, found = set(), {}
    for module_name in FACES:
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            key = (thing.__module__, thing.__qualname__) if is_defined(thing) else (home(module_name, name), name)
            if key not in seen and name != "__version__" and not inspect.ismodule(thing):
                seen.add(key)
                found.setdefault(module_name, []).append(name)
    return found


def is_defined(thing):
    """Tell whether something is a class or a function."""
    return inspect.isclass(thing) or inspect.isfunction(thing)


def home(module_name, name):
    """Return the module that a constant comes from."""
    thing = getattr(importlib.import_module(module_name), name)
    if is_defined(thing):
        return thing.__module__
    source = inspect.getsource(importlib.import_module(module_name))
    match = re.search(rf"^from (tripletree\S*) import .*\b{name}\b", source, re.MULTILINE)
    return match[1] if match else module_name


def groups_of(module_name, names):
    """Return {part of the module below its face: names}, as {"conflict": ["Conflict", "find_conflict"]}."""
    groups = {}
    for name in names:
        source = home(module_name, name)
        below = source.removeprefix(module_name).strip(".") if source.startswith(module_name) else ""
        below = below.rpartition(".")[2] if module_name == "tripletree" else below.partition(".")[0]
        groups.setdefault(below or "more", []).append(name)
    order = list(TITLES) if module_name == "tripletree" else []
    return dict(sorted(groups.items(), key=lambda x: (order.index(x[0]) if x[0] in order else len(order), x[0])))


def summary(thing):
    """Return the first sentence of a docstring."""
    doc = (inspect.getdoc(thing) or "").strip() if is_defined(thing) or inspect.ismodule(thing) else ""
    return " ".join(doc.split("\n\n")[0].split())


# ---------------------------------------------------------------------- pages of the reference


def heading(text, line="="):
    """Return a title of reStructuredText."""
    return f"{text}\n{line * max(len(text), 4)}\n\n"


def entry(full_name, thing):
    """Return the directive that documents one thing."""
    if inspect.isclass(thing):
        return f".. autoclass:: {full_name}\n   :members:\n   :inherited-members: object\n\n"
    return f".. autofunction:: {full_name}\n\n" if inspect.isfunction(thing) else f".. autodata:: {full_name}\n\n"


def group_title(module_name, group, names):
    """Return what a page of names is called."""
    if module_name == "tripletree" and group in TITLES:
        return TITLES[group]
    own = OTHER_TITLES.get(f"{module_name.removeprefix('tripletree.')}.{group}")
    if own:
        return own
    return ", ".join(names) if len(names) <= 3 or group == "more" else group.replace("_", " ").capitalize()


def table(module_name, names):
    """Return a table of names, each a link, with what it is for."""
    module = importlib.import_module(module_name)
    lines = [".. list-table::\n   :widths: 30 70\n   :class: names\n\n"]
    for name in names:
        lines.append(f"   * - :py:obj:`~{module_name}.{name}`\n     - {summary(getattr(module, name))}\n")
    return "".join(lines) + "\n"


def write_module(folder, module_name, names):
    """Write the pages of a module: an index with what it is, and one for each group of its names."""
    module = importlib.import_module(module_name)
    place = folder / (module_name.partition(".")[2] or "main").replace(".", "-")
    place.mkdir(parents=True)
    groups = groups_of(module_name, names)
    intro = f".. automodule:: {module_name}\n   :no-members:\n\n"
    index, pages = heading(module_name) + intro, []
    for group, members in groups.items():
        title = group_title(module_name, group, members)
        body = "".join(entry(f"{module_name}.{name}", getattr(module, name)) for name in members)
        page = group or "here"
        (place / f"{page}.rst").write_text(heading(title) + body, encoding="utf-8")
        pages.append(page)
        index += heading(title, "-") + table(module_name, members)
    index += ".. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages)
    (place / "index.rst").write_text(index, encoding="utf-8")
    return f"{place.name}/index"


def write_api(source):
    """Write the reference, and the list of full names that words of code in the pages link to."""
    folder = source / "api"
    folder.mkdir()
    found = public_names()
    pages = [write_module(folder, module, names) for module, names in found.items()]
    text = heading("Reference of Python names")
    text += "Everything public, module by module. ``import tripletree as tt`` gives the names of the first one.\n\n"
    text += ".. list-table::\n   :widths: 30 70\n   :class: names\n\n"
    for page, name in zip(pages, found, strict=True):
        text += f"   * - :doc:`{name} <{page}>`\n     - {summary(importlib.import_module(name))}\n"
    text += "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {page}\n" for page in pages)
    (folder / "index.rst").write_text(text, encoding="utf-8")
    full = [f"{module}.{name}" for module, names in found.items() for name in names]
    (folder / "names.txt").write_text("\n".join(full) + "\n", encoding="utf-8")


# ---------------------------------------------------------------------- the command line


def write_commands(path):
    """Write what ``--help`` says of each command."""
    import click

    from tripletree.cli import main

    def help_of(command, name, parent=None):
        settings = command.context_settings | {"terminal_width": 88, "max_content_width": 88}
        context = click.Context(command, info_name=name, parent=parent, **settings)
        return command.get_help(context), context

    text, top = help_of(main, "tripletree")
    parts = ["# The command line\n", fenced(text)]
    parts.append("Each command says the same of itself with `--help`. What one writes, the next one reads by `-`.\n")
    for name in main.list_commands(top):
        text, _ = help_of(main.get_command(top, name), name, top)
        parts.append(f"\n## tripletree {name}\n\n" + fenced(text))
    path.write_text("\n".join(parts), encoding="utf-8")


def fenced(text):
    """Return a block of plain text."""
    return f"```text\n{text.strip()}\n```\n"


# ---------------------------------------------------------------------- pages and links


def site_path(path):
    """Return where a file of the repository stands in the site, or None if it is not part of it."""
    name = path.as_posix()
    if name in PAGES or name in MADE:
        return Path((PAGES | MADE)[name])
    if name.startswith("docs/"):
        return Path(name.removeprefix("docs/"))
    if name.startswith("benchmarks/papers/") and path.suffix in {".csv", ".png", ".svg"}:
        return path.relative_to("benchmarks")
    if name.startswith("benchmarks/results/tables/") and path.suffix == ".csv":
        return Path("benchmarks", "tables", path.name)
    return path if name.startswith("notebooks/") and path.suffix == ".ipynb" else None


def relinked(text, path):
    """Return the text of a file of the repository with its links as the site needs them.

    Raises
    ------
    ValueError
        If a link points at a file that is not a page, or at nothing.
    """

    def link(match):
        target = match[2]
        if re.match(r"[a-z]+:|/", target):
            return match[0]
        there = Path(os.path.normpath(path.parent / target))
        page = site_path(there)
        if page is None or not ((HOUSE / there).exists() or there.as_posix() in MADE):
            msg = f"{path}: the link to {target} leads to no page of the site"
            raise ValueError(msg)
        return match[1] + Path(os.path.relpath(page, site_path(path).parent)).as_posix() + match[3]

    return LINK.sub(link, text)


def repository_pages():
    """Return the Markdown files of the repository that become pages."""
    own = sorted(p.relative_to(HOUSE) for p in DOCS.rglob("*.md"))
    return [*own, *(Path(name) for name in PAGES if (HOUSE / name).exists())]


def without_missing(text):
    """Return a page whose navigation leaves out files that are made by long runs and are not there yet."""
    missing = [page for name, page in PAGES.items() if not (HOUSE / name).exists()]
    for page in missing:
        text = text.replace(f"\n{page.removesuffix('.md')}\n", "\n")
    return text


def write_pages(source):
    """Copy the pages, their links changed, and the notebooks."""
    for path in repository_pages():
        target = source / site_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = LAST_EMPTY_LINE.sub("```", (HOUSE / path).read_text(encoding="utf-8"))
        target.write_text(without_missing(relinked(text, path)), encoding="utf-8")
    notebooks = sorted((HOUSE / "notebooks").glob("*.ipynb"))
    for path in notebooks:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = relinked("".join(cell["source"]), path.relative_to(HOUSE))
        (source / "notebooks" / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    with open(source / "notebooks" / "index.md", "a", encoding="utf-8") as index:
        index.write("\n```{toctree}\n:hidden:\n\n" + "".join(f"{p.stem}\n" for p in notebooks) + "```\n")
    for path in [DOCS / "conf.py", *DOCS.glob("*.svg"), *DOCS.glob("*.png")]:
        shutil.copy(path, source / path.name)
    if "papers" in {path.name for path in source.iterdir()}:
        for folder in ("results", "figures"):
            shutil.copytree(HOUSE / "benchmarks" / "papers" / folder, source / "papers" / folder)
    shutil.copytree(HOUSE / "benchmarks" / "results" / "tables", source / "benchmarks" / "tables")
    for folder in ("_static", "_templates"):
        shutil.copytree(DOCS / folder, source / folder)


# ---------------------------------------------------------------------- the links of what was built


class Page(HTMLParser):
    """What an HTML file links to, and which places in it can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = set(), {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Take note of an element."""
        values = dict(attributes)
        self.places |= {values[x] for x in ("id", "name") if values.get(x)}
        self.links |= {values[x] for x in ("href", "src") if values.get(x)}


def broken_links(html):
    """Return (page, link) for each link within the site that leads nowhere."""
    files = [path for path in sorted(html.rglob("*.html")) if path.relative_to(html).parts[0] != "_static"]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    broken = []
    for path, page in pages.items():
        for link in sorted(page.links):
            target, _, place = link.partition("#")
            if re.match(r"[a-z]+:|//", link):
                continue
            there = Path(os.path.normpath(path.parent / unquote(target.partition("?")[0]))) if target else path
            if not there.is_file() or (there in pages and unquote(place) not in pages[there].places):
                broken.append((path.relative_to(html).as_posix(), link))
    return broken


def main():
    """Build the site."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sources-only", action="store_true", help="put the sources together and stop")
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.path.insert(0, str(DOCS))
    import pictures

    started = time.perf_counter()
    source, html = TARGET / "source", TARGET / "html"
    shutil.rmtree(TARGET, ignore_errors=True)
    source.mkdir(parents=True)
    write_pages(source)
    write_api(source)
    write_commands(source / "cli.md")
    pictures.draw_all(source / "pictures")
    pictures.write_page(source / "extra")
    shutil.copy(DOCS / "versions.json", source / "extra")
    if options.sources_only:
        return 0
    command = ["sphinx", "-W", "--keep-going", "--jobs", "auto", "--color", "-q", "-b", "html", source, html]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HOUSE), os.environ.get("PYTHONPATH", "")])}
    status = subprocess.run([sys.executable, "-m", *map(str, command)], check=False, env=environment).returncode
    broken = broken_links(html) if status == 0 else []
    for page, link in broken:
        sys.stderr.write(f"{page}: the link {link} leads nowhere\n")
    status = status or int(bool(broken))
    if status == 0:
        sys.stdout.write(f"{html / 'index.html'}, in {time.perf_counter() - started:.0f} s\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
