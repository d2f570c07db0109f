"""Kernels that run in a thread of their own, so that Ctrl-C is heard."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from examples import caterpillar, yule

import tripletree as tt
from tripletree import kernels
from tripletree._core import engine
from tripletree.cluster import ReCon
from tripletree.core.progress import Pace
from tripletree.kernels.budget import new_budget, spend

LARGE = np.zeros(100_000)

pytestmark = pytest.mark.skipif(kernels.MODE == "never", reason="plain Python hears Ctrl-C by itself")


def kernel_threads():
    return [t for t in threading.enumerate() if t.name == "kernel"]


def test_results_and_errors_come_back():
    assert kernels.interruptible(np.sum, LARGE + 1) == 100_000
    with pytest.raises(ValueError, match="axes don't match"):
        kernels.interruptible(np.transpose, LARGE, (1, 0))


def test_small_inputs_and_other_threads_take_no_thread():
    found = []

    def own_thread(_):
        found.append(threading.current_thread().name)

    kernels.interruptible(own_thread, LARGE)
    kernels.interruptible(own_thread, LARGE[:5])
    other = threading.Thread(target=kernels.interruptible, args=(own_thread, LARGE), name="other")
    other.start()
    other.join()
    assert found == ["kernel", threading.main_thread().name, "other"]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_ctrl_c_ends_the_wait_not_the_kernel():
    def deaf(_):  # seconds in one step that no signal ends
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", 8_000_000)

    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        kernels.interruptible(deaf, LARGE)
    (thread,) = kernel_threads()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_ctrl_c_ends_a_kernel_with_a_budget():
    ended = []

    def obedient(_, budget):
        while spend(budget, 1):
            time.sleep(0.001)
        ended.append(True)

    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        kernels.interruptible(obedient, LARGE, new_budget())
    assert ended == [True]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
@pytest.mark.parametrize("name", ["split", "split_deep"])
def test_ctrl_c_ends_build(name):
    n = 100_000
    rows = np.ascontiguousarray(tt.decompose(caterpillar(n)).rows)

    def again_and_again():
        while True:
            if name == "split":
                engine.build.split(rows, n, False)  # quadratic: a minute
            else:
                engine.build.split_deep(rows, n)

    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        again_and_again()
    assert time.monotonic() - begin < 10


def test_a_budget_ends_kernels_after_its_steps():
    budget = new_budget(10)
    assert [spend(budget, 4) for _ in range(4)] == [True, True, False, False]
    assert budget.spent.tolist() == [16]


@pytest.mark.slow
def test_ctrl_c_stops_describe_on_a_large_set(tmp_path, rng):
    termios = pytest.importorskip("termios")
    path = tmp_path / "large.txt"
    triplets = tt.sample_triplets(
        yule(60_000, rng), 200_000, random_state=0
    )  # seconds of work, most of it in one kernel
    tt.io.write_triplets(triplets, path)
    tt.describe(tt.decompose(caterpillar(100)))  # the modules are there. The kernels may have to be compiled
    command = [sys.executable, "-m", "tripletree", "describe", str(path)]
    screen, its_screen = os.openpty()  # on a terminal the command tells its progress
    termios.tcsetwinsize(its_screen, (24, 100))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its_screen) as process:
        os.close(its_screen)
        said = b""
        while not re.search(rb"describing 200,000 triplets \.\.\. 00:0[1-9]", said):
            said += os.read(screen, 1000)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        with suppress(OSError):  # Linux raises it at the end of a terminal
            while more := os.read(screen, 1000):
                said += more
        assert process.wait(60) == 130
    os.close(screen)
    assert said.endswith(b"interrupted\r\n")
    assert b"Traceback" not in said
    assert time.monotonic() - begin < 10


def test_a_pace_slows_down_and_recovers_but_never_exceeds_its_beginning(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("tripletree.core.progress.perf_counter", lambda: now[0])
    pace, seen = Pace(1024), []
    for seconds in (1.2, 300.0, 0.01, 0.01, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0):
        with pace:
            now[0] += seconds
        seen.append(pace.steps)
    assert seen == [256, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    with pace:
        pass
    assert pace.steps == 1024


@pytest.mark.parametrize("linkage", ["centroid", "average"])
@pytest.mark.parametrize("penalty", [None, 0.2])
def test_results_do_not_depend_on_the_pace(monkeypatch, rng, linkage, penalty):
    class OneStep(Pace):
        def __init__(self, _):
            super().__init__(1)

    X = rng.normal(size=(120, 3))
    triplets = tt.decompose(yule(120, rng))
    model = ReCon(linkage=linkage, penalty=penalty, on_conflict="raise" if penalty is None else "repair")
    merges = model.fit(X, triplets=triplets).linkage_
    for module in ("algorithms.merges", "cluster.agglomerative.penalty"):
        monkeypatch.setattr(f"tripletree.{module}.Pace", OneStep)
    assert np.array_equal(model.fit(X, triplets=triplets).linkage_, merges)
