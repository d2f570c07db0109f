"""Parts of kernels are compiled in what calls them only; kept and loaded, they are the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tripletree
from tripletree.kernels import compiler, jit

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")

# two kernels and a part of both, in a module of which processes compile one kernel or the other
SOURCE = """
import sys
import numpy as np
from tripletree.kernels import jit

@jit.inner
def _next(x, step):
    return x // 2 if x % 2 == 0 else 3 * x + step

@jit.inner
def _twice(x, step):
    return _next(_next(x, step), np.int32(1))

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

if __name__ == "__main__":
    sys.modules["parts"] = sys.modules["__main__"]
    for function in (_next, _twice, _squares, length, last):
        function.__module__ = "parts"
    for name in sys.argv[1:]:
        kernel = jit.compiled(globals()[name])
        print(kernel(27), len(jit.compiled(_next).signatures), len(kernel.stats.cache_hits), jit.n_compiled())
"""


@needs_numba
def test_compiler__parts_from_the_cache_serve_kernels_that_are_compiled_later(tmp_path):
    (tmp_path / "parts.py").write_text(SOURCE)
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(tripletree.__file__).parents[1]),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "TRIPLETREE_JIT": "1",
    }

    def answers(*names):
        done = subprocess.check_output([sys.executable, tmp_path / "parts.py", *names], env=env, text=True)
        return [tuple(map(int, line.split())) for line in done.splitlines()]

    # 27 takes 111 steps, the next two after it are 82 and 41; one signature for int32, int64 and constants
    assert answers("length") == [(111, 1, 0, 2)]
    assert answers("last", "length") == [(41 + 26**2, 1, 0, 3), (111, 1, 1, 3)]
    assert answers("length", "last") == [(111, 0, 1, 0), (41 + 26**2, 0, 1, 0)]


@needs_numba
def test_compiler__where_numba_is_another_one_kernels_are_compiled_as_usual(monkeypatch):
    assert set(compiler.quicker(is_part=True)) == {"pipeline_class"}
    assert compiler.quicker(is_part=True) != compiler.quicker(is_part=False)
    monkeypatch.setattr(compiler, "_USED", ("_no_such_thing",))
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
