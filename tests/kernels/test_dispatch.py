"""Small inputs run as plain Python, others compiled, and nobody can tell from the results."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from recon_oracle import random_triplets

import tripletree
import tripletree as tt
from tripletree import kernels
from tripletree.algorithms import merges as _engine
from tripletree.algorithms.merges import merge_condensed, merge_points
from tripletree.cluster import DivisiveReCon, posterior
from tripletree.cluster.agglomerative.penalty import merge_softly
from tripletree.cluster.distances import FittedMetric
from tripletree.kernels import jit
from tripletree.kernels.jit import Kernel

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")


def python(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(Path(tripletree.__file__).parents[1]), **environment}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


@needs_numba
@pytest.mark.parametrize("linkage", ["centroid", "median", "ward", "average", "weighted", "complete", "single"])
def test_dispatch__plain_and_compiled_merges_are_the_same_to_the_bit(rng, linkage, monkeypatch):
    for n in (3, 9, 70, 140):
        X = rng.normal(size=(n, 3))
        rows = np.array(random_triplets(rng, n, n), np.int32).reshape(-1, 3)
        found = {}
        for name in ("never", "always"):
            monkeypatch.setattr(jit, "MODE", name)
            if linkage in ("centroid", "median", "ward"):
                found[name] = merge_points(X, rows, linkage)
            else:
                i, j = np.triu_indices(n, 1)
                distances = np.sqrt(np.square(X[i] - X[j]).sum(axis=1))
                found[name] = merge_condensed(distances, n, rows, linkage)
        assert np.array_equal(found["never"][0], found["always"][0])
        assert found["never"][1] == found["always"][1]


@needs_numba
def test_dispatch__plain_and_compiled_divisions_are_the_same_to_the_bit(rng, monkeypatch):
    monkeypatch.setattr(posterior, "TREES", 10)  # with 100, chains take plain Python 50 seconds
    for n, kind in [(9, "hard"), (40, "soft"), (24, "auto"), (30, "pairs"), (30, "distances"), (30, "classes")]:
        y = np.arange(n) % 3
        X = rng.normal(size=(n, 3)) + y[:, None]
        rows = tt.sample_class_triplets(y, n // 2, random_state=0).rows.copy()
        known = {"triplets": rows}
        if kind == "soft":
            rows[: n // 8] = rows[: n // 8, [1, 2, 0]]
        elif kind == "pairs":
            known["pairs"] = [(0, 3), (3, 6)], [(0, 1), (1, 2)]
        elif kind == "classes":
            known = {"classes": np.where(rng.random(n) < 0.5, y, np.nan)}
        metric = "precomputed" if kind == "distances" else "euclidean"
        samples = np.abs(X[:, None] - X[None]).sum(axis=2) if kind == "distances" else X
        constraints = kind if kind in ("hard", "soft") else "auto"
        model = DivisiveReCon(3, metric=metric, constraints=constraints, effort=0.01)
        found = []
        for mode in ("never", "always"):
            monkeypatch.setattr(jit, "MODE", mode)
            model.fit(samples, **known)
            found.append((model.linkage_, model.labels_))
        assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True)), kind


@needs_numba
@pytest.mark.parametrize("linkage", ["centroid", "average"])
def test_dispatch__plain_and_compiled_penalties_are_the_same_to_the_bit(rng, monkeypatch, linkage):
    for n in (9, 60):
        X, rows = rng.lognormal(size=(n, 3)), random_triplets(rng, n, 2 * n)
        found = []
        for mode in ("never", "always"):
            monkeypatch.setattr(jit, "MODE", mode)
            triplets = tt.TripletSet(np.array(rows).reshape(-1, 3), n)
            found.append(merge_softly(X, triplets, linkage, FittedMetric("euclidean"), 0.15))
        assert np.array_equal(*found)


def test_dispatch__precision_and_work_decide(monkeypatch):
    told = []
    monkeypatch.setattr(Kernel, "pays", lambda self, seconds, *_: told.append(seconds) or False)
    found = []
    for work, real in [(5, "float32"), (5, "float64"), (10**9, "float64")]:
        centres = kernels.centres.new_centres(np.zeros((2, 1), real), np.ones(2, real), np.zeros(2, real))
        found.append(_engine._kernel_for(_engine._Run("merge_by_centres", (), centres, work, None), None, 0)[0])
    merge = kernels.recon.merge_by_centres
    assert found == [merge.fast, merge.plain, merge.plain]
    assert told == [5 * _engine.SECONDS_PLAIN, 10**9 * _engine.SECONDS_PLAIN]


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


def test_dispatch__compiling_pays_once_plain_python_has_taken_a_share_of_it(auto, monkeypatch):
    room = kernels.recon
    merge, join = Kernel(room.merge_by_centres.source), room.JOIN
    alone, both = (jit.SHARE * sum(map(jit.seconds_to_compile, x)) for x in ((merge,), (merge, join)))
    assert jit.PATIENCE < alone < both
    merge.seconds_plain = 0.5 * alone
    assert not merge.pays(0.4 * alone)
    assert merge.pays(0.6 * alone)
    assert not merge.pays(0.6 * alone, np.zeros(3), join)
    assert merge.pays(both, np.zeros(3), join)
    # a kernel that takes no time to compile waits a little all the same
    monkeypatch.setattr(jit, "seconds_to_compile", lambda kernel: 0.0)
    merge.seconds_plain = 0.0
    assert not merge.pays(0.9 * jit.PATIENCE)
    assert merge.pays(1.1 * jit.PATIENCE)


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
    assert kernels.recon.LINKAGES[0] == "centroid"
    with pytest.raises(AttributeError, match="nonsense"):
        kernels.recon.nonsense  # noqa: B018
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
