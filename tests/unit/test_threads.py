"""BLAS with one thread."""

import subprocess
import sys

from threadpoolctl import threadpool_info

from tripletree.core.threads import one_blas_thread

LATER = """
from tripletree.core.threads import one_blas_thread
from threadpoolctl import threadpool_info, threadpool_limits
import numpy

def threads():
    return [x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"]

threadpool_limits(2)
with one_blas_thread():
    assert threads() == [1], threads()
before = len(threads())
import scipy.linalg
threadpool_limits(2)
with one_blas_thread():
    assert threads() == [1] * len(threads()), threads()
assert set(threads()) == {2}, threads()
print(len(threads()) - before)
"""


def blas_threads():
    return [x["num_threads"] for x in threadpool_info() if x["user_api"] == "blas"]


def test_blas_takes_one_thread_inside_and_as_many_as_before_outside():
    before = blas_threads()
    for _ in range(2):
        with one_blas_thread():
            assert blas_threads() == [1] * len(before)
        assert blas_threads() == before


def test_a_library_loaded_later_is_limited_too():
    # scipy's own BLAS, where it has one beside numpy's
    said = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert int(said.stdout) >= 0
