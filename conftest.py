"""Names that every doctest knows, and one thread of BLAS for each worker."""

import gc
import os
import sys

# one thread of BLAS and OpenMP for a worker and its children: threads that wait for each other took half of some files
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest

import tripletree as tt


def pytest_collection_finish():
    """Keep the garbage collector from looking through modules and collected tests again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tt"] = tt


@pytest.fixture(autouse=True, scope="session")
def _workers_end():
    """End joblib's idle processes, which would wait for more for minutes after the last test."""
    yield
    if "joblib.externals.loky" in sys.modules:
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(reuse=True).shutdown()
