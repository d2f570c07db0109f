"""While a kernel is compiled for the first time: others wait for it, and a terminal hears of it."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tripletree
from tripletree.kernels import first_use, jit
from tripletree.kernels.first_use import alone, said

needs_numba = pytest.mark.skipif(jit.MODE == "never", reason="kernels are not compiled")
needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="files are not locked on Windows")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(tripletree.__file__).parents[1])}


class Stream(io.StringIO):
    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


class NotebookStream(Stream):
    __module__ = "ipykernel.iostream"


@pytest.fixture
def listen(monkeypatch):
    def to(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(first_use, "_told", False)
        monkeypatch.delenv("TRIPLETREE_QUIET", raising=False)
        return stream

    return to


def compile_two(stream):
    with said("a.outer", 7.2), said("a.inner", 3.0):
        assert "inner" not in stream.getvalue()
    with said("a.second", 2.0):
        pass
    return stream.getvalue()


def test_first_use__progress_bars_make_room(listen):
    from tqdm.auto import tqdm

    stream = listen(Stream(is_terminal=True))
    with tqdm(total=2, desc="bar", file=stream, ncols=40) as bar:
        with first_use.said("kernel", 9.0):
            during = stream.getvalue()
        assert stream.getvalue().rpartition("\r")[2].startswith("bar:")  # it is there again
        bar.update(2)
    lines = [x.rpartition("\r")[2] for x in during.split("\n")]
    assert lines[0].startswith("tripletree: compiling the kernels of this call")
    assert lines[1] == "compiling kernel, about 9 s"


def test_first_use__a_terminal_hears_once_what_it_is_about_and_of_each_kernel_meanwhile(listen):
    told = compile_two(listen(Stream(True)))
    assert told.count("\n") == 1
    about, _, rest = told.partition("\n")
    assert "once on this machine" in about
    assert "tripletree warmup" in about
    away = "\r\x1b[2K"
    assert rest == f"compiling a.outer, about 7 s{away}compiling a.second, about 2 s{away}"


def test_first_use__a_notebook_hears_of_it_once(listen):
    told = compile_two(listen(NotebookStream(False)))
    assert told.count("\n") == 1
    assert told.endswith("\n")


def test_first_use__nobody_else_hears_of_it(listen, monkeypatch):
    assert compile_two(listen(Stream(False))) == ""
    stream = listen(Stream(True))
    monkeypatch.setenv("TRIPLETREE_QUIET", "1")
    assert compile_two(stream) == ""
    stream = listen(Stream(True))
    with said("a.small", 0.2):
        pass
    assert stream.getvalue() == ""
    for gone in (None, Stream(True)):
        listen(gone)
        if gone is not None:
            gone.close()
        with said("a.outer", 7.0):
            pass


def test_first_use__a_line_goes_away_after_an_error(listen):
    stream = listen(Stream(True))
    with pytest.raises(KeyboardInterrupt), said("a.outer", 7.0):
        raise KeyboardInterrupt
    assert stream.getvalue().endswith("\x1b[2K")
    assert compile_two(stream)  # the next one is an outer one again


HOLD = """
import sys, time
from pathlib import Path
from tripletree.kernels.first_use import alone
with alone(Path(sys.argv[1]), "a.kernel"):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holding(folder, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), str(seconds)], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    return process


@needs_locks
def test_first_use__a_process_waits_for_the_one_that_compiles(tmp_path):
    with holding(tmp_path, 0.7) as process:
        begin = time.monotonic()
        with alone(tmp_path, "another.kernel"):
            free = time.monotonic() - begin
        with alone(tmp_path, "a.kernel"):
            waited = time.monotonic() - begin
    assert process.returncode == 0
    assert free < 0.3 < waited


@needs_locks
def test_first_use__nobody_waits_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(first_use, "MOST_WAITED", 0.2)
    with holding(tmp_path, 60) as process:
        with alone(tmp_path, "a.kernel"):
            pass
        process.kill()
    monkeypatch.setattr(first_use, "MOST_WAITED", 60)
    with alone(tmp_path, "a.kernel"):  # a process that has ended holds nothing
        pass


def test_first_use__a_folder_that_cannot_be_written_is_no_matter(tmp_path):
    (tmp_path / "file").write_text("")
    with alone(tmp_path / "file", "a.kernel"):
        pass


SPREAD = """
import sys, time
import numpy as np
from tripletree.kernels import jit, rooted_tree
print(rooted_tree.depths(np.array([3, 3, 4, 4, -1], np.int32)).tolist())
print(jit.n_compiled())
"""


@needs_numba
@needs_locks
@pytest.mark.slow
def test_first_use__two_processes_compile_a_kernel_once(tmp_path):
    env = {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path), "TRIPLETREE_JIT": "1"}
    both = [
        subprocess.Popen([sys.executable, "-c", SPREAD], env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    told = [process.communicate()[0].splitlines() for process in both]
    assert told[0][0] == told[1][0]
    assert sorted(int(line[1]) for line in told) == [0, 1]


LOADED_IN_SPITE_OF_CTRL_C = """
import os, signal, threading
import numpy as np
from tripletree.kernels.disjoint_set import find

threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    find.fast(np.arange(3), 2)
except KeyboardInterrupt:
    print("interrupted")
print(find.fast(np.arange(3), 2))
import numba
print(numba.njit(lambda x: x + 1)(1))
"""


@needs_numba
def test_first_use__ctrl_c_while_numba_is_imported_does_not_leave_half_of_it():
    done = subprocess.run(
        [sys.executable, "-c", LOADED_IN_SPITE_OF_CTRL_C], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.stderr) == (["interrupted", "2", "2"], "")
