"""Kernels that run in a thread of their own, so that Ctrl-C is heard."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from examples import caterpillar

import tripletree as tt
from tripletree import kernels

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


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_ctrl_c_stops_describe_on_a_deep_set(tmp_path):
    path = tmp_path / "deep.csv"
    tt.io.write_triplets(tt.decompose(caterpillar(50_000)), path)
    tt.describe(tt.decompose(caterpillar(100)))  # the modules are there; the kernels may have to be compiled
    command = [sys.executable, "-m", "tripletree", "describe", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.endswith("interrupted\n")
    assert "Traceback" not in errors
    assert time.monotonic() - begin < 10
