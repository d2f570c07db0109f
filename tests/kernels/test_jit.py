"""The one place that compiles: caches follow the sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

import tripletree
from tripletree.kernels import jit


class Range(NamedTuple):
    first: int
    rows: np.ndarray


needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")

SCRIPT = """
import numpy as np
from tripletree.kernels import caller
print(caller.joined(np.arange(3), 0, 1))
"""
CALLER = """
from tripletree.kernels.disjoint_set import unite
from tripletree.kernels.jit import njit

@njit
def joined(up, x, y):
    return unite(up, x, y)
"""


@pytest.mark.slow
@needs_numba
def test_jit__a_kernel_is_renewed_when_one_that_it_calls_changes(tmp_path):
    shutil.copytree(Path(tripletree.__file__).parent, tmp_path / "tripletree")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def answer():
        return subprocess.check_output([sys.executable, "-c", SCRIPT], env=env, cwd=tmp_path, text=True).strip()

    (tmp_path / "tripletree/kernels/caller.py").write_text(CALLER)
    assert answer() == "True"
    called = tmp_path / "tripletree/kernels/disjoint_set.py"
    called.write_text(called.read_text().replace("    return True\n", "    return False\n"))
    assert answer() == "False"


# two kernels with a part in common, in a module of which processes compile one kernel or the other
PARTS = """
import sys
import numpy as np
from tripletree.kernels import jit

@jit.inner
def _next(x, step):
    return x // 2 if x % 2 == 0 else 3 * x + step

@jit.allocating
def _squares(n):
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = i * i
    return out

# a constant of numpy's: numba would compile `_next` once more for a constant of Python's
ONE = np.int64(1)

@jit.njit
def length(x):
    steps = 0
    while x != 1:
        x, steps = _next(x, ONE), steps + 1
    return steps

@jit.njit
def last(n):
    return _next(_next(n, ONE), ONE) + _squares(n)[-1]

@jit.in_place
def last_but_one(n):
    return _squares(n)[n - 2]

if __name__ == "__main__":
    sys.modules["parts"] = sys.modules["__main__"]
    for function in (_next, _squares, length, last, last_but_one):
        function.__module__ = "parts"
    for name in sys.argv[1:]:
        print(globals()[name].fast(27), jit.n_compiled())
"""


@pytest.fixture
def answers(tmp_path):
    """Runs kernels of `PARTS` in a process: the result, and how many functions were compiled by then."""
    (tmp_path / "parts.py").write_text(PARTS)
    package = Path(tripletree.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TRIPLETREE_JIT": "1"}

    def run(*names):
        done = subprocess.check_output([sys.executable, tmp_path / "parts.py", *names], env=env, text=True)
        return [tuple(map(int, line.split())) for line in done.splitlines()]

    return run


@pytest.mark.slow
@needs_numba
def test_jit__parts_from_the_cache_serve_kernels_that_are_compiled_later(answers):
    # 27 takes 111 steps, and the next two numbers after it are 82 and 41
    assert answers("length") == [(111, 2)]  # the kernel and its part
    assert answers("last", "length") == [(41 + 26**2, 2), (111, 2)]  # the kernel and the other part
    assert answers("last") == [(41 + 26**2, 0)]


@needs_numba
def test_jit__a_kernel_in_place_can_call_a_part_that_makes_arrays(answers):
    assert answers("last_but_one") == [(25**2, 2)]


UNION = """
import warnings
import numpy as np
from tripletree.kernels import disjoint_set
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    up = np.arange(4, dtype=np.int32)
    print(disjoint_set.unite(up, 0, 3))
    print([str(w.message) for w in caught if w.category is RuntimeWarning])
"""


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
def test_jit__a_damaged_cache_costs_a_compilation_and_mends_itself(tmp_path, ending):
    package = Path(tripletree.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TRIPLETREE_JIT": "1"}

    def answer():
        return subprocess.check_output([sys.executable, "-c", UNION], env=env, text=True).splitlines()

    assert answer() == ["True", "[]"]
    damaged = list((tmp_path / "cache").rglob(f"*{ending}"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    value, said = answer()
    assert value == "True"
    assert said.count("the cache of compiled kernels in") == 1
    assert answer() == ["True", "[]"]


FULL_DISK = """
import resource, signal, warnings
import numpy as np
from tripletree.kernels import rooted_tree
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # files can be made, but nothing can be written to them
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for dtype in (np.int32, np.int64):
        print(rooted_tree.depths(np.array([3, 3, 4, 4, -1], dtype)).tolist())
print([str(w.message) for w in caught if w.category is RuntimeWarning])
"""


@needs_numba
@pytest.mark.skipif(os.name == "nt", reason="needs limits of files")
def test_jit__a_full_disk_does_not_end_the_run(tmp_path):
    package = Path(tripletree.__file__).parents[1]
    env = {**os.environ, "PYTHONPATH": str(package), "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TRIPLETREE_JIT": "1"}
    *depths, told = subprocess.check_output([sys.executable, "-c", FULL_DISK], env=env, text=True).splitlines()
    assert depths == [DEPTHS, DEPTHS]
    assert told.count("the cache of compiled kernels in") == 1  # said once
    assert "compiled again in this run" in told


WHERE_KEPT = """
import sys, warnings
if "numba" in sys.argv:
    import numba
import numpy as np
from tripletree import kernels
from tripletree.kernels import jit, rooted_tree
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(rooted_tree.depths(np.array([3, 3, 4, 4, -1], np.int32)).tolist())
print([str(w.message) for w in caught if w.category is RuntimeWarning])
import numba
print(repr(numba.config.CACHE_DIR))
print(kernels.folder_of_cache())
"""


@pytest.fixture
def copied(tmp_path):
    """Runs a kernel of a copy of the package and returns its output. `tmp_path` / "home" is the user's folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(tripletree.__file__).parent, tmp_path / "site" / "tripletree", ignore=ignored)
    env = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")}
    env |= {"PYTHONPATH": str(tmp_path / "site"), "TRIPLETREE_JIT": "1", "HOME": str(tmp_path / "home")}
    env |= {"XDG_CACHE_HOME": str(tmp_path / "home" / "cache"), "LOCALAPPDATA": str(tmp_path / "home" / "cache")}

    def run(*arguments, **more):
        command = [sys.executable, "-c", WHERE_KEPT, *arguments]
        return subprocess.check_output(command, env={**env, **more}, cwd=tmp_path, text=True).splitlines()

    return run


def kept_in(folder):
    return {p.suffix for p in folder.rglob("*") if p.suffix in (".nbi", ".nbc", ".lock")}


ALL_KEPT = {".nbi", ".nbc", ".lock"} if os.name != "nt" else {".nbi", ".nbc"}
DEPTHS = "[2, 2, 1, 1, 0]"


@needs_numba
@pytest.mark.parametrize("before", ["numba", ""])  # whether it was imported before
def test_jit__compiled_code_is_kept_in_the_users_folder_never_in_the_package(copied, tmp_path, before):
    depths, warned, numbas, folder = copied(before)
    assert (depths, warned, numbas) == (DEPTHS, "[]", "''")  # functions of others are kept where they were
    assert Path(folder).is_relative_to(tmp_path / "home")
    assert (kept_in(Path(folder)), kept_in(tmp_path / "site")) == (ALL_KEPT, set())


@needs_numba
@pytest.mark.parametrize("before", ["numba", ""])
def test_jit__numbas_own_setting_wins(copied, tmp_path, before):
    *_, folder = copied(before, NUMBA_CACHE_DIR=str(tmp_path / "own"))
    assert Path(folder) == tmp_path / "own"
    assert kept_in(tmp_path / "own") == ALL_KEPT
    assert kept_in(tmp_path / "site") == kept_in(tmp_path / "home") == set()


@needs_numba
@pytest.mark.parametrize(("whose", "place"), [("the user's", "the folder"), ("numba's", "a folder in it")])
def test_jit__without_a_folder_nothing_is_kept(copied, tmp_path, whose, place):
    more = {"NUMBA_CACHE_DIR": str(tmp_path / "own")} if whose == "numba's" else {}
    folder = Path(copied(**more)[-1])
    (inside,) = folder.glob("kernels_*")
    blocked = folder if place == "the folder" else inside
    shutil.rmtree(blocked)
    blocked.write_text("")
    depths, warned, _, found = copied(**more)
    assert (depths, found) == (DEPTHS, "None")
    assert warned.count(f"the cache of compiled kernels in {folder} failed") == 1
    assert "compiled again in this run" in warned
    assert kept_in(tmp_path) <= {".lock"}  # no code


@pytest.mark.slow
@needs_numba
def test_jit__versions_in_one_place_and_copies_in_several_do_not_share_code(copied, tmp_path):
    folder = Path(copied()[-1])
    before = {p: p.read_bytes() for p in folder.rglob("*.nb?")}
    source = tmp_path / "site" / "tripletree" / "kernels" / "rooted_tree.py"
    source.write_text(source.read_text() + "# another version\\n")
    assert copied()[0] == DEPTHS
    shutil.copytree(tmp_path / "site", tmp_path / "other")
    assert copied(PYTHONPATH=str(tmp_path / "other"))[0] == DEPTHS
    assert len(list(folder.glob("kernels_*"))) == 2
    assert {p: p.read_bytes() for p in before} == before


WITHOUT_NUMBA = """
import sys, warnings

class Without:  # as if numba were not installed
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numba":
            raise ModuleNotFoundError(name)

import importlib.util
whole = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "numba" else whole(name, package)
sys.meta_path.insert(0, Without())
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import tripletree as tt
    leaves = [str(i) for i in range(3000)]
    h = tt.Hierarchy.from_nested([leaves[:1500], leaves[1500:]])
    print(tt.one_tree(tt.decompose(h, guarantee="rebuild")) == h)
print([str(w.message).partition(",")[0] for w in caught])
"""


@pytest.mark.parametrize("mode", ["auto", "1", "0"])
def test_jit__without_numba_kernels_run_as_plain_python(mode):
    env = {**os.environ, "PYTHONPATH": str(Path(tripletree.__file__).parents[1]), "TRIPLETREE_JIT": mode}
    found = subprocess.check_output([sys.executable, "-c", WITHOUT_NUMBA], env=env, text=True).splitlines()
    assert found == ["True", "[]" if mode == "0" else "['numba is not installed']"]


def test_jit__the_cache_is_found_while_another_thread_imports_numba(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "numba", ModuleType("numba"))  # it has no settings yet
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert jit._folder.__wrapped__() == tmp_path / "cache"


@needs_numba
def test_jit__arguments_of_one_kind_have_one_numba_type():
    import numba

    rows = np.arange(12, dtype=np.int32).reshape(3, 4)
    frozen = rows.copy()
    frozen.setflags(write=False)
    odd = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.int64)  # at an address that is no multiple of 8
    tables = [rows, rows.T, rows[:, ::2], rows.ravel(), frozen, rows.astype(np.int64), rows.astype(float), odd]
    values = [
        *tables,
        1,
        2**63,
        True,
        1.0,
        np.float32(1),
        np.int64(1),
        (rows, 1),
        (rows.T, 1),
        (0, rows),
        Range(0, rows),
    ]
    found = [(jit._kind(x), numba.typeof(x)) for x in values]
    for kind, type_ in found:
        assert {other for same, other in found if same == kind} == {type_}
    assert jit._kind((rows, 3)) == jit._kind((rows[1:], 4))
