"""Names that every doctest knows; and kernels are compiled, however small their inputs, unless told otherwise."""

import os

os.environ.setdefault("TRIPLETREE_JIT", "1")

import numpy as np
import pytest

import tripletree as tt


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tt"] = tt
