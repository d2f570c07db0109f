"""Parts of kernels are compiled in what calls them only; kept and loaded, they are the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tripletree
from tripletree.kernels import compiler, jit

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")

# kernels and their parts, one of them a part of two, in a module of which processes compile one kernel or the other
SOURCE = """
import sys
from typing import NamedTuple
import numpy as np
from tripletree.kernels import jit

class Lists(NamedTuple):
    first: np.ndarray
    second: np.ndarray

@jit.inner
def _next(x, step):
    return x // 2 if x % 2 == 0 else 3 * x + step

@jit.inner
def _twice(x, step):
    return _next(_next(x, step), np.int32(1))

@jit.inner
def _walk(lists, x, y):
    first, second = lists
    size, total = len(first), 0
    while x > 0:
        x, y = y, x - 1
        if total % 3 == 0:
            first = second if y % 2 == 0 else lists.first
        total += first[x % size] * lists.second[y % size]
    return total * 1000 + x * size

@jit.inner
def _set_entries(table, flags, thin, x):
    table[1, -x] = 7.9
    flags[x] = table[1, np.int32(-x)]
    flags[-1] = not flags[x]
    thin[np.int8(-x)] = table[0, np.uint64(x)] / 3
    table.T[x, 0] -= 5  # not contiguous
    table[:, 2] = 4
    table[0, np.uint8(1)] += flags[x] + (table[2, 0] < thin[-x])

@jit.allocating
def _squares(n):
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = i * i
    return out

@jit.njit
def length(x):
    steps = 0
    while x != 1:
        x, steps = _next(x, 1), steps + 1
    return steps

@jit.njit
def last(n):
    return _twice(np.int32(n), 1) + _squares(n)[np.argmax(_squares(n))]

@jit.njit
def walk(n):
    lists = Lists(np.arange(1, n), np.arange(n, 2 * n))
    return _walk(lists, n, n // 2) + _walk(lists, -n, n) + lists.first[-1]

@jit.njit
def entries(n):
    table, flags, thin = np.arange(3 * n).reshape(3, n), np.zeros(n, np.bool_), np.ones(n, np.float32)
    _set_entries(table, flags, thin, 5)
    total = np.int64(0)
    for i in range(-3, 3):
        for j in range(-n, n):
            total = total * 31 % 1_000_003 + table[i, j] + 7 * flags[j] + np.int64(1000 * thin[j])
    return total

@jit.in_place
def changed(n):
    return _squares(n)[n - 2]

if __name__ == "__main__":
    sys.modules["parts"] = sys.modules["__main__"]
    for function in (_next, _twice, _walk, _squares, _set_entries, length, last, walk, entries, changed):
        function.__module__ = "parts"
    for name in sys.argv[1:]:
        kernel = jit.compiled(globals()[name])
        print(kernel(27), len(jit.compiled(_next).signatures), len(kernel.stats.cache_hits), jit.n_compiled())
"""


@pytest.fixture
def answers(tmp_path):
    """Runs kernels of `SOURCE` in a process: result, signatures of `_next`, kernels loaded and compiled, of each."""
    (tmp_path / "parts.py").write_text(SOURCE)
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(tripletree.__file__).parents[1]),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "TRIPLETREE_JIT": "1",
    }

    def run(*names, **more):
        command = [sys.executable, tmp_path / "parts.py", *names]
        done = subprocess.check_output(command, env={**env, **more}, text=True)
        return [tuple(map(int, line.split())) for line in done.splitlines()]

    return run


@needs_numba
def test_compiler__parts_from_the_cache_serve_kernels_that_are_compiled_later(answers):
    # 27 takes 111 steps, the next two after it are 82 and 41; one signature for int32, int64 and constants
    assert answers("length") == [(111, 1, 0, 2)]
    assert answers("last", "length") == [(41 + 26**2, 1, 0, 3), (111, 1, 1, 3)]
    assert answers("length", "last") == [(111, 0, 1, 0), (41 + 26**2, 0, 1, 0)]


@needs_numba
@pytest.mark.parametrize("boundscheck", ["0", "1"])
def test_compiler__variables_out_of_memory_are_the_same(answers, boundscheck):
    plain = {"__name__": "parts"}
    exec(SOURCE, plain)  # the same functions, run by Python
    assert answers("walk", NUMBA_BOUNDSCHECK=boundscheck) == [(plain["walk"](27), 0, 0, 2)]


@needs_numba
@pytest.mark.parametrize("boundscheck", ["0", "1"])
def test_compiler__entries_of_arrays_are_the_same(answers, boundscheck):
    plain = {"__name__": "parts"}
    exec(SOURCE, plain)
    assert answers("entries", NUMBA_BOUNDSCHECK=boundscheck) == [(plain["entries"](27), 0, 0, 2)]


@needs_numba
def test_compiler__what_a_kernel_in_place_calls_can_make_arrays(answers):
    assert answers("changed") == [(25**2, 0, 0, 2)]


@needs_numba
@pytest.mark.parametrize(
    "used", [{"lowering.Lower": ("_no_such_thing",)}, {"lowering.NoSuchClass": ()}, {"no_such_module.Lower": ()}]
)
def test_compiler__where_numba_is_another_one_kernels_are_compiled_as_usual(monkeypatch, used):
    assert set(compiler.quicker(is_part=True)) == {"pipeline_class"}
    assert compiler.quicker(is_part=True) != compiler.quicker(is_part=False)
    monkeypatch.setattr(compiler, "_USED", used)
    compiler._pipelines.cache_clear()
    try:
        assert compiler.quicker(is_part=True) == {}
    finally:
        compiler._pipelines.cache_clear()


@needs_numba
def test_compiler__options_of_kernels_are_compared_by_what_is_set():
    from numba.core.compiler import Flags

    flags = compiler.compared_flags()()
    flags.nrt = True
    other = flags.copy()
    assert other is not flags
    assert (other == flags, hash(other) == hash(flags)) == (True, True)
    other.no_compile = True  # as numba does for what it compiles inside of a kernel
    assert not flags.no_compile
    assert other != flags
    plain = Flags()
    plain.nrt = True
    assert (flags == plain, plain == flags, hash(flags) == hash(plain)) == (True, True, True)
    assert flags.get_mangle_string() == plain.get_mangle_string()
