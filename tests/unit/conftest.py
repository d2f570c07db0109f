"""Eight samples, as an array and as a table with names, and figures that are closed."""

import sys

import pandas as pd
import pytest


@pytest.fixture
def X(rng):
    return rng.normal(size=(8, 3))


@pytest.fixture
def frame(X):
    return pd.DataFrame(X, index=list("abcdefgh"), columns=["x", "y", "z"])


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
