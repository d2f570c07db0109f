"""Names that every doctest knows."""

import numpy as np
import pytest

import tripletree as tt


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tt"] = tt
