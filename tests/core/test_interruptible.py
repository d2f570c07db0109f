"""Ctrl-C and limits of time inside the long loops of the core."""

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
from examples import caterpillar, uniform_binary, yule

import tripletree as tt
from tripletree._core import engine
from tripletree.cluster import CVQE, COPKMeans, ReCon


def long_loops(rng):
    """Calls that take most of a second or more, nearly all of it in one loop of the core."""
    X = rng.normal(size=(10_000, 16))
    rows = rng.permuted(tt.sample_triplets(uniform_binary(10_000, rng), 60_000, random_state=0).rows, axis=1)
    wrong = tt.TripletSet(rng.permuted(tt.sample_triplets(yule(300, rng), 3000, random_state=0).rows, axis=1), 300)
    trees = [yule(250, rng) for _ in range(5)]
    return {
        "ReCon": lambda: ReCon(3, micro_clusters=None).fit(X),
        "a changing tree": lambda: tt.TripletBuilder(10_000).try_add_rows(rows),
        "a conflict": lambda: tt.find_conflict(wrong, max_size=5),
        "a repair": lambda: tt.repair(wrong, random_state=0),
        "a supertree": lambda: tt.supertree(trees, random_state=0),
        "k-means": lambda: COPKMeans(50, random_state=0).fit(X),
        "CVQE": lambda: CVQE(50, random_state=0).fit(X[:4000], pairs=tt.PairwiseConstraints([(0, 1)], [(0, 2)], 4000)),
    }


@pytest.mark.parametrize("name", list(long_loops(np.random.default_rng(0))))
def test_a_limit_of_time_ends_a_long_loop_soon(rng, name):
    work = long_loops(rng)[name]
    begin = time.thread_time()
    work()
    whole = time.thread_time() - begin
    begin = time.thread_time()
    with pytest.raises(tt.TimeLimitError), tt.time_limit(whole / 10):  # noqa: PT012 (the block is tested)
        while True:
            work()
    # processor seconds, of which a busy machine gives no more. A loop looks up each twentieth of a second
    assert time.thread_time() - begin < 0.6 * whole + 0.1


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


@pytest.mark.slow
def test_ctrl_c_stops_describe_on_a_large_set(tmp_path, rng):
    termios = pytest.importorskip("termios")
    path = tmp_path / "large.txt"
    triplets = tt.sample_triplets(
        yule(60_000, rng), 200_000, random_state=0
    )  # seconds of work, most of it in one kernel
    tt.io.write_triplets(triplets, path)
    tt.describe(tt.decompose(caterpillar(100)))  # the modules are there
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
