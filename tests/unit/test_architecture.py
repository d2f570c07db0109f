"""The rules of the house, read off the source: which room imports which, and the documentation that must exist."""

import ast
import builtins
import gc
import importlib
import inspect
import keyword
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import tripletree

HOUSE = Path(tripletree.__file__).parent
HEAVY = {
    *("scipy", "sklearn", "matplotlib", "pandas", "networkx", "tqdm", "pyarrow", "click"),
    *("starlette", "uvicorn", "anywidget", "traitlets", "dask", "distributed"),
}

#: Which rooms a room may import from. Rooms above may use rooms below, never the other way round.
LAW = {
    "errors": set(),
    "interrupts": {"errors"},
    "_core": set(),
    "core": {"_core", "_version", "errors", "interrupts"},
    "algorithms": {"_core", "core", "errors"},
    "interop": {"algorithms", "core", "errors"},
    "tables": {"core", "errors"},
    "io": {"_core", "algorithms", "core", "errors", "interop", "tables"},
    "knowledge": {"_version", "algorithms", "core", "errors", "io"},
    "cluster": {"_core", "algorithms", "core", "errors", "interrupts", "knowledge", "tables"},  # no readers of files
    "metrics": {"_core", "algorithms", "cluster", "core", "errors", "knowledge"},
    "evaluation": {
        "_core",
        "algorithms",
        "cluster",
        "core",
        "errors",
        "interrupts",
        "io",
        "knowledge",
        "metrics",
    },  # of io the adding of lines to a file alone
    "plots": {"_core", "_version", "algorithms", "core", "errors", "io"},
    "datasets": {"core", "errors", "io"},
    "ask": {"_core", "core", "errors", "io", "plots"},
    "reports": {
        "_core",
        "_version",
        "algorithms",
        "cluster",
        "core",
        "errors",
        "evaluation",
        "io",
        "knowledge",
        "plots",
    },
    "dask": {"algorithms", "cluster", "core", "errors", "io", "knowledge"},
    "cli": {
        *(
            "_startup",
            "_version",
            "algorithms",
            "ask",
            "cluster",
            "core",
            "datasets",
            "errors",
            "evaluation",
            "interop",
        ),
        *("interrupts", "io", "knowledge", "plots", "reports", "tables"),
    },
    "_version": set(),
    "_startup": set(),
    "__main__": {"cli"},
    "__init__": {
        *("_startup", "_version", "algorithms", "core", "errors", "evaluation", "interrupts", "io", "knowledge"),
        *("plots", "reports"),
    },
}

#: The modules whose `__all__` is the public interface; every other module is for the package's own use.
FACES = [
    "tripletree",
    *(
        f"tripletree.{x}"
        for x in (
            *("cluster", "cluster.active", "knowledge", "metrics", "datasets", "io", "interop", "plots", "core"),
            *("algorithms", "evaluation", "reports", "ask", "dask", "errors"),
        )
    ),
]

FILES = sorted(HOUSE.rglob("*.py"))


def place(path, node=None):
    """Where something is, for the lists of what is wrong: one test looks at all files."""
    return path.relative_to(HOUSE).as_posix() + ("" if node is None else f", line {node.lineno}")


class Source:
    """What the rules ask about a file, collected in one walk over its syntax tree."""

    def __init__(self, path):
        self.body = ast.parse(path.read_text(encoding="utf-8")).body
        self.imports, self.functions, self.classes, self.calls, self.guards, self.words = [], [], [], [], [], set()
        kinds = {
            ast.Import: self.imports,
            ast.ImportFrom: self.imports,
            ast.FunctionDef: self.functions,
            ast.AsyncFunctionDef: self.functions,
            ast.ClassDef: self.classes,
            ast.Call: self.calls,
        }
        todo = list(self.body)
        for node in todo:
            if node.__class__ in kinds:
                kinds[node.__class__].append(node)
            elif isinstance(node, ast.If) and is_name(node.test, "TYPE_CHECKING"):
                self.guards.append(node)
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, str):
                    if " " not in value:
                        self.words.update(value.split("."))
                elif isinstance(value, ast.AST):
                    todo.append(value)
                elif isinstance(value, list):
                    todo += [x for x in value if isinstance(x, ast.AST)]

    def for_types(self, node):
        """Whether a node is below `if TYPE_CHECKING`."""
        return any(guard.lineno <= node.lineno <= guard.end_lineno for guard in self.guards)

    def calls_of_itself(self):
        """(name, call) for each function that calls itself."""
        methods = {id(f) for c in self.classes for f in c.body}
        named = {}
        for f in self.functions:
            named.setdefault(f.name, []).append(f)
        for call in self.calls:
            if own := isinstance(call.func, ast.Attribute) and is_name(call.func.value, "self", "cls"):
                name = call.func.attr
            else:
                name = getattr(call.func, "id", None)
            for f in named.get(name, ()):
                if (id(f) in methods) == own and f.lineno <= call.lineno <= f.end_lineno:
                    yield name, call


@cache
def sources():
    """Each file of the package, read once. The collector of garbage would look through all trees again and again."""
    gc.disable()
    try:
        return {path: Source(path) for path in FILES}
    finally:
        gc.enable()


def is_name(node, *names):
    return isinstance(node, ast.Name) and node.id in names


def room(path):
    """The module or folder of the top level that a file belongs to."""
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported(nodes):
    """(statement, module) of import statements."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        else:
            whole = node.module == "tripletree"
            names = [f"{node.module}.{alias.name}" for alias in node.names] if whole else [node.module]
            yield from ((node, name) for name in names)


def at_import(body):
    """Statements that run when the module is imported: not those in functions or under TYPE_CHECKING."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and is_name(node.test, "TYPE_CHECKING"):
            yield from at_import(node.orelse)
            continue
        yield node
        for field in ("body", "orelse", "finalbody"):
            yield from at_import(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from at_import(handler.body)


# ---------------------------------------------------------------------- imports


def test_architecture__every_room_has_its_law():
    assert {room(path) for path in FILES} == set(LAW)


def test_architecture__rooms_import_what_the_law_allows():
    wrong = []
    for path, source in sources().items():
        mine = room(path)
        for node, name in imported(source.imports):
            parts = name.split(".")
            if parts[0] != "tripletree" or len(parts) == 1:
                continue
            other = parts[1] if parts[1] in LAW else "__init__"
            if other != mine and other not in LAW[mine] and not source.for_types(node):
                wrong.append(f"{place(path, node)}: {mine} imports {other}")
    assert wrong == []


#: Estimators that others are made of. No other module imports the file of an estimator: what two share has its own.
PARTS = {
    "cluster/active/clustering.py": {"CVQE", "MPCKMeans"},  # the default, and the one that inherits pairs
    "cluster/agglomerative/representatives.py": {"ReCon"},  # of micro-clusters
    "cluster/temporal/chain.py": {"CVQE"},  # a window's clustering
}


def test_architecture__no_estimator_imports_its_rival():
    face = importlib.import_module("tripletree.cluster")
    classes = [x for name in face.__all__ if inspect.isclass(x := getattr(face, name)) and hasattr(x, "fit")]
    homes = {x.__module__: x.__name__ for x in classes}
    assert len(homes) > 10
    found = {}
    for path, source in sources().items():
        if room(path) == "cluster" and path.name != "__init__.py":
            own = {homes[name] for _, name in imported(source.imports) if name in homes}
            found |= {place(path): own} if own else {}
    assert found == PARTS


def test_architecture__no_module_imports_itself_through_others():
    graph = {}
    for path, source in sources().items():
        name = ".".join(["tripletree", *path.relative_to(HOUSE).with_suffix("").parts]).removesuffix(".__init__")
        graph[name] = set()
        for node, other in imported(source.imports):
            if other.startswith("tripletree.") and not source.for_types(node):
                graph[name].add(other)
    graph = {name: {x for x in others if x in graph} for name, others in graph.items()}
    while True:
        free = {name for name, others in graph.items() if not others}
        if not free:
            break
        graph = {name: others - free for name, others in graph.items() if name not in free}
    assert graph == {}


def test_architecture__nothing_heavy_is_imported_at_the_top():
    wrong = {}
    for path, source in sources().items():
        allowed = {"cluster": {"sklearn"}, "metrics": {"sklearn"}, "dask": {"sklearn"}, "cli": {"click"}}.get(
            room(path), set()
        )
        if room(path) == "ask" and path.name != "__init__.py":  # which imports the others where they are needed
            allowed = {"starlette", "uvicorn", "anywidget", "traitlets"}
        if place(path) == "plots/page/notebook.py":  # likewise
            allowed = {"anywidget", "traitlets"}
        first = [x for x in at_import(source.body) if isinstance(x, (ast.Import, ast.ImportFrom))]
        tops = {name.split(".")[0] for _, name in imported(first)}
        wrong[place(path)] = (tops & HEAVY) - allowed
    assert {path: names for path, names in wrong.items() if names} == {}


def test_architecture__imports_are_absolute_and_named():
    for path, source in sources().items():
        for node in source.imports:
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{place(path, node)}: relative import"
                assert all(alias.name != "*" for alias in node.names), f"{place(path, node)}: star import"
            else:
                assert all(alias.name.split(".")[0] != "tripletree" for alias in node.names), place(path, node)


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HOUSE.parent), **environment},
        check=False,
    )


def test_architecture__the_package_loads_nothing_heavy():
    done = python("import sys, tripletree; print(sorted(x.split('.')[0] for x in sys.modules))")
    assert done.returncode == 0, done.stderr
    loaded = set(ast.literal_eval(done.stdout))
    assert "tripletree" in loaded
    assert loaded & HEAVY == set()


def test_architecture__every_public_name_can_be_reached():
    assert sorted(tripletree.__all__) == list(tripletree.__all__)
    assert all(hasattr(tripletree, name) for name in tripletree.__all__)
    assert set(tripletree.__all__) <= set(dir(tripletree))
    with pytest.raises(AttributeError, match="module 'tripletree' has no attribute 'nonsense'"):
        tripletree.nonsense  # noqa: B018


# ---------------------------------------------------------------------- recursion


def test_architecture__no_function_calls_itself():
    found = [(path, *call) for path, source in sources().items() for call in source.calls_of_itself()]
    assert [f"{place(path, call)}: {name}" for path, name, call in found] == []


def test_architecture__no_class_name_stands_twice():
    found = {}
    for path, source in sources().items():
        for node in source.body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(HOUSE)))
    twins = {"ReCon": ["cluster/agglomerative/recon.py", "dask/recon.py"]}  # one name for data here and elsewhere
    assert {name: sorted(paths) for name, paths in found.items() if len(paths) > 1} == twins


# ---------------------------------------------------------------------- documentation


def public_things():
    """(qualified name, object) of all in every `__all__`, with the public methods of classes."""
    found = {}
    for module_name in FACES:
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)) or not thing.__module__.startswith(
                "tripletree"
            ):
                continue
            found[f"{thing.__module__}.{thing.__qualname__}"] = thing
            for method_name, method in vars(thing).items() if inspect.isclass(thing) else []:
                plain = (
                    getattr(method, "__func__", None)
                    or getattr(method, "fget", None)
                    or getattr(method, "func", method)
                )
                if not method_name.startswith("_") and inspect.isfunction(plain):
                    found[f"{thing.__module__}.{plain.__qualname__}"] = plain
    return dict(sorted(found.items()))


THINGS = public_things()


def test_architecture__only_faces_list_their_names():
    """A module behind a face marks its own names by an underscore and says nothing about the others."""
    listing = set()
    for path, source in sources().items():
        if any(isinstance(x, ast.Assign) and is_name(x.targets[0], "__all__") for x in source.body):
            listing.add(".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__"))
    assert listing == set(FACES)


@pytest.mark.parametrize("name", FACES)
def test_architecture__public_modules_say_what_they_are_and_hold(name):
    module = importlib.import_module(name)
    assert module.__doc__
    assert all(hasattr(module, x) for x in module.__all__)


def test_architecture__public_things_have_docstrings():
    docs = {name: vars(x).get("__doc__") if inspect.isclass(x) else x.__doc__ for name, x in THINGS.items()}
    assert len(docs) > 400
    assert [name for name, doc in docs.items() if not doc] == []


def test_architecture__public_functions_have_type_hints():
    wrong = []
    for name, thing in THINGS.items():
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            hints = [(p.name, p.annotation) for p in signature.parameters.values() if p.name not in {"self", "cls"}]
            hints.append(("its result", signature.return_annotation))
            wrong += [(name, what) for what, hint in hints if hint is inspect.Signature.empty]
    assert wrong == []


@pytest.mark.parametrize("name", [x for x in tripletree.__all__ if inspect.isfunction(getattr(tripletree, x))])
def test_architecture__functions_of_the_front_door_show_an_example(name):
    doc = inspect.getdoc(getattr(tripletree, name))
    assert "Examples\n--------" in doc
    assert ">>> " in doc.split("Examples\n--------")[1]


def test_architecture__oracles_named_by_the_core_exist():
    words = {w.strip("`.,:") for path in (HOUSE / "_core").glob("*.[hc]pp") for w in path.read_text().split()}
    named = {word for word in words if word.endswith("_definition")}
    oracles = [path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].glob("*oracle*.py")]
    defined = {name for text in oracles for name in re.findall(r"^ *def (\w+)", text, re.M)}
    assert named
    assert named <= defined


ROOT = Path(__file__).parents[2]
#: Rooms whose descriptions are about the package; the other rooms quote names of file formats and libraries.
OWN_NAMES = {"algorithms", "cluster", "core", "evaluation", "metrics", "reports"}


def test_architecture__names_in_double_backticks_exist():
    used = set().union(*(source.words for source in sources().values()))
    used |= {path.stem for path in [*FILES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]}
    used |= {*map(room, FILES), *keyword.kwlist, *dir(builtins)}
    for path in (ROOT / "tests").rglob("*.py"):
        used.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    stale = []
    for path in FILES:
        if room(path) in OWN_NAMES:
            quoted = re.findall(r"``((?!sklearn|scipy)[A-Za-z_]\w*(?:\.\w+)*)``", path.read_text(encoding="utf-8"))
            stale += [(path.name, x) for x in quoted if not set(x.removesuffix(".py").split(".")) <= used]
    assert stale == []


@pytest.mark.parametrize("place", ["CONTRIBUTING.md", "docs", "tripletree"])
def test_architecture__files_that_texts_name_exist(place):
    texts = [ROOT / place] if place.endswith(".md") else [*(ROOT / place).rglob("*.md"), *(ROOT / place).rglob("*.py")]
    missing = []
    for text in texts:
        for name in re.findall(r"`((?:[\w.]+/)+[\w.]+\.(?:py|md))`", text.read_text(encoding="utf-8")):
            if not any((folder / name).exists() for folder in (ROOT, HOUSE, HOUSE / "cluster", text.parent)):
                missing.append((text.name, name))
    assert missing == []
