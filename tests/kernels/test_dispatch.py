"""Small inputs run as plain Python, others compiled, and nobody can tell from the results."""

import importlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from recon_oracle import random_triplets

import tripletree
from tripletree import kernels
from tripletree.cluster.agglomerative import merges as _engine
from tripletree.cluster.agglomerative.merges import merge_condensed, merge_points
from tripletree.kernels import jit
from tripletree.kernels.jit import Dispatcher, KernelModule, run_plain

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")


def python(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(Path(tripletree.__file__).parents[1]), **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


@needs_numba
@pytest.mark.parametrize("linkage", ["centroid", "median", "ward", "average", "weighted", "complete", "single"])
def test_dispatch__plain_and_compiled_merges_are_the_same_to_the_bit(rng, linkage, monkeypatch):
    sources = importlib.import_module("tripletree.kernels.recon")
    rooms = {
        "plain": KernelModule(sources, lambda kernel: partial(run_plain, kernel)),
        "fast": KernelModule(sources, jit.compiled),
    }
    for n in (3, 9, 70, 140):
        X = rng.normal(size=(n, 3))
        rows = np.array(random_triplets(rng, n, n), np.int32).reshape(-1, 3)
        found = {}
        for name, room in rooms.items():
            monkeypatch.setattr(_engine, "_kernels_for", lambda work, real, room=room: room)
            if linkage in ("centroid", "median", "ward"):
                found[name] = merge_points(X, rows, linkage)
            else:
                i, j = np.triu_indices(n, 1)
                distances = np.sqrt(np.square(X[i] - X[j]).sum(axis=1))
                found[name] = merge_condensed(distances, n, rows, linkage)
        assert np.array_equal(found["plain"][0], found["fast"][0])
        assert found["plain"][1] == found["fast"][1]


def test_dispatch__precision_and_work_decide(monkeypatch):
    asked = []
    for tier in ("plain", "fast"):
        monkeypatch.setattr(kernels, tier, lambda name, tier=tier: asked.append((tier, name)))
    monkeypatch.setattr(_engine, "_done_plain", 0)
    double, single = np.dtype("float64"), np.dtype("float32")
    little = _engine.LITTLE_WORK
    # what many small fits take together counts, too
    for work, real in [(5, single), (little + 1, double), (little - 1, double), (1, double), (1, double)]:
        _engine._kernels_for(work, real)
    assert [tier for tier, _ in asked] == ["fast", "fast", "plain", "plain", "fast"]


def test_dispatch__a_large_input_is_compiled(monkeypatch):
    made = []
    monkeypatch.setattr(jit, "compiled", lambda kernel: made.append(kernel) or (lambda *_: "compiled"))
    kernel = Dispatcher(lambda *_: "plain")
    assert kernel(np.zeros(jit.SMALL), 3) == "plain"
    assert kernel(np.zeros(jit.SMALL), np.zeros(1)) == "compiled"
    assert kernel(np.zeros(1), 3) == "compiled"  # it is there now
    assert made == [kernel.plain]


def test_dispatch__many_small_inputs_are_compiled(monkeypatch):
    monkeypatch.setattr(jit, "compiled", lambda kernel: lambda *_: "compiled")
    clock = iter([0.0, 0.6 * jit.PATIENCE] * 9)
    monkeypatch.setattr(jit, "perf_counter", lambda: next(clock))
    kernel = Dispatcher(lambda *_: "plain")
    assert [kernel(1) for _ in range(4)] == ["plain", "plain", "compiled", "compiled"]


def test_dispatch__plain_kernels_are_silent_about_infinities():
    divide = Dispatcher(lambda a, b: a[0] / b[0])
    assert divide(np.array([1.0]), np.array([0.0])) == np.inf


def test_dispatch__rooms_hold_constants_and_kernels():
    assert kernels.recon.LINKAGES[0] == "centroid"
    assert kernels.fast("recon").LINKAGES == kernels.plain("recon").LINKAGES
    with pytest.raises(AttributeError, match="nonsense"):
        kernels.recon.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="nonsense"):
        kernels.nonsense  # noqa: B018


FIT = """
import sys, numpy as np
from tripletree.cluster import ReCon
X = np.random.default_rng(0).normal(size=({n}, 3))
model = ReCon(3).fit(X, triplets=[(0, 1, 2), (3, 4, 5)])
print("numba" in sys.modules, model.linkage_.sum())
"""


@needs_numba
@pytest.mark.slow
def test_dispatch__a_fit_on_few_samples_never_loads_numba():
    few = [python(FIT.format(n=100), TRIPLETREE_JIT=setting).split() for setting in ("auto", "1", "0")]
    assert [loaded for loaded, _ in few] == ["False", "True", "False"]
    assert len({total for _, total in few}) == 1
    assert python(FIT.format(n=1000), TRIPLETREE_JIT="auto").split()[0] == "True"
