"""The one place that compiles: caches follow the sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tripletree
from tripletree.kernels import jit

SCRIPT = """
import numpy as np
from tripletree.kernels import build_deep
print(build_deep.prepare(np.array([[0], [1], [2]], np.int32), 3)[1].tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")
def test_jit__a_kernel_is_renewed_when_one_that_it_calls_changes(tmp_path):
    shutil.copytree(Path(tripletree.__file__).parent, tmp_path / "tripletree")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def answer():
        return subprocess.check_output([sys.executable, "-c", SCRIPT], env=env, cwd=tmp_path, text=True).strip()

    assert answer() == "[1]"
    called = tmp_path / "tripletree/kernels/disjoint_set.py"
    called.write_text(called.read_text().replace("    return True\n", "    return False\n"))
    assert answer() == "[0]"


UNION = """
import warnings
import numpy as np
from tripletree.kernels import disjoint_set, jit
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    up = np.arange(4, dtype=np.int32)
    print(jit.compiled(disjoint_set.unite if jit.MODE == "never" else disjoint_set._module.unite)(up, 0, 3))
    print([str(w.message) for w in caught if w.category is RuntimeWarning])
"""


@pytest.mark.slow
@pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")
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


def test_jit__a_full_disk_does_not_end_the_run(monkeypatch):
    class Full:
        cache_path = "somewhere"

        def load_overload(self, *_):
            return None

        def save_overload(self, *_):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(jit, "_cache_has_failed", False)
    cache = jit._ForgivingCache(Full())
    assert cache.cache_path == "somewhere"
    assert cache.load_overload("signature", None) is None
    with pytest.warns(RuntimeWarning, match="No space left on device.*compiled again in this run"):
        cache.save_overload("signature", None)
    cache.save_overload("signature", None)  # said once


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
