"""Make the shared helpers importable, and say how hypothesis runs."""

import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# no deadlines: machines are busy. The same examples in every run
settings.register_profile("tripletree", deadline=None, derandomize=True)
settings.load_profile("tripletree")

sys.path.insert(0, str(Path(__file__).parent))

# A script's background processes ignore SIGINT, and theirs do: commands that the tests interrupt would never hear of it
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared():
    """The folder of material that does not travel with the project. Tests that need it are marked `shared`."""
    folder = Path(os.environ.get("TRIPLETREE_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no folder {folder}/data: set TRIPLETREE_SHARED to the one that holds the material")
    return folder / "data"


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


@pytest.fixture
def few_trees(monkeypatch):
    """`DivisiveReCon` samples a tenth of the trees by default: for tests of what a fit tells, not of how good it is."""
    from tripletree.cluster import DivisiveReCon

    monkeypatch.setitem(DivisiveReCon.__init__.__kwdefaults__, "effort", 0.1)
