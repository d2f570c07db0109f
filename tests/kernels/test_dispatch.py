"""Small inputs run as plain Python, others compiled, and nobody can tell from the results."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tripletree
from tripletree import kernels
from tripletree.kernels import jit
from tripletree.kernels.jit import Kernel

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")


def python(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(Path(tripletree.__file__).parents[1]), **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def auto(monkeypatch):
    """The default, in a process that has neither numba nor a cache nor spent any time."""
    monkeypatch.setattr(jit, "MODE", "auto")
    monkeypatch.setattr(jit, "_seconds_plain", 0.0)
    monkeypatch.setattr(jit, "_is_kept", lambda *_: False)
    monkeypatch.setattr(jit, "_loading_pays", lambda seconds: False)


@pytest.fixture
def kernel(auto, monkeypatch):
    """One whose versions say which of them runs."""
    made = Kernel(lambda *_: "plain")
    monkeypatch.setattr(Kernel, "_load", lambda self, _: setattr(self, "_numba", lambda *_: "compiled"))
    return made


@pytest.mark.parametrize("pays", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_dispatch__little_work_takes_compiled_code_if_loading_it_pays(kernel, monkeypatch, pays, kept):
    monkeypatch.setattr(jit, "_loading_pays", lambda seconds: pays)
    monkeypatch.setattr(jit, "_is_kept", lambda *_: kept)
    assert kernel.pays(0.01) == (pays and kept)


@needs_numba
def test_dispatch__loading_pays_later_if_numba_has_not_started(monkeypatch):
    monkeypatch.setattr(jit, "_seconds_plain", 0.4 * jit.STARTING)
    few, many = 0.5 * jit.STARTING, 0.7 * jit.STARTING
    monkeypatch.setitem(sys.modules, "numba", None)
    assert jit._loading_pays(few)
    monkeypatch.delitem(sys.modules, "numba")
    assert not jit._loading_pays(few)
    assert jit._loading_pays(many)


@pytest.mark.parametrize("kept", [True, False])
def test_dispatch__the_cache_is_asked_once(kernel, monkeypatch, kept):
    sought = []
    monkeypatch.setattr(jit, "_is_kept", lambda *call: sought.append(call) or kept)
    monkeypatch.setattr(jit, "_loading_pays", lambda seconds: seconds > jit.LOADING)
    clock = iter(0.6 * jit.LOADING * i for i in range(99))
    monkeypatch.setattr(jit, "thread_time", lambda: next(clock))
    found = [kernel(1) for _ in range(8)]
    assert found == ["plain"] * 2 + (["compiled"] * 6 if kept else ["plain"] * 6)
    assert len(sought) == 1


@needs_numba
def test_dispatch__the_cache_knows_for_what_types_it_has_code():
    unite, up = kernels.disjoint_set.unite, np.arange(4, dtype=np.int32)
    unite.fast(up, 0, 3)
    assert jit._is_kept(unite)
    assert jit._is_kept(unite, jit._types((up, 0, 3)))
    assert not jit._is_kept(unite, jit._types((up.astype(np.float32), 0, 3)))
    assert not jit._is_kept(Kernel(lambda x: x))


def test_dispatch__a_large_input_is_compiled(kernel):
    assert kernel(np.zeros(jit.SMALL), 3) == "plain"
    assert kernel(np.zeros(jit.SMALL), np.zeros(1)) == "compiled"
    assert kernel(np.zeros(1), 3) == "compiled"  # it is loaded now
    assert kernel.plain(np.zeros(jit.SMALL + 1)) == "plain"


def test_dispatch__many_small_inputs_are_compiled(kernel, monkeypatch):
    clock = iter(0.6 * jit.PATIENCE * i for i in range(9))
    monkeypatch.setattr(jit, "thread_time", lambda: next(clock))
    assert [kernel(1) for _ in range(4)] == ["plain", "plain", "compiled", "compiled"]


def test_dispatch__a_kernel_that_a_plain_one_calls_is_plain(kernel):
    outer = Kernel(lambda x: kernel(x))
    assert outer.plain(np.zeros(jit.SMALL + 1)) == "plain"
    assert kernel(np.zeros(jit.SMALL + 1)) == "compiled"


def test_dispatch__plain_kernels_are_silent_about_infinities(auto):
    divide = Kernel(lambda a, b: a[0] / b[0])
    assert divide(np.array([1.0]), np.array([0.0])) == np.inf


def test_dispatch__rooms_hold_constants_and_kernels():
    assert callable(kernels.disjoint_set.find)
    with pytest.raises(AttributeError, match="nonsense"):
        kernels.disjoint_set.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="nonsense"):
        kernels.nonsense  # noqa: B018


FITS = """
import sys, numpy as np
from tripletree.cluster import ReCon
for n in {sizes}:
    X = np.random.default_rng(0).normal(size=(n, 3))
    model = ReCon(3).fit(X, triplets=[(0, 1, 2), (3, 4, 5)])
print("numba" in sys.modules, model.linkage_.sum())
"""


@needs_numba
@pytest.mark.slow
def test_dispatch__a_fit_on_few_samples_never_loads_numba(tmp_path):
    few = [python(FITS.format(sizes=[100]), TRIPLETREE_JIT=setting).split() for setting in ("auto", "1", "0")]
    assert [loaded for loaded, _ in few] == ["False", "True", "False"]
    assert len({total for _, total in few}) == 1
    assert python(FITS.format(sizes=[1500]), TRIPLETREE_JIT="auto").split()[0] == "True"
