"""The one place that compiles: caches follow the sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tripletree
from tripletree.kernels import jit as _jit

SCRIPT = """
import numpy as np
from tripletree.kernels import spanning
print(spanning.prepare(np.array([[0], [1], [2]], np.int32), 3)[1].tolist())
"""


@pytest.mark.slow
@pytest.mark.skipif(_jit.MODE == "never", reason="kernels are not compiled")
def test_jit__a_kernel_is_renewed_when_one_that_it_calls_changes(tmp_path):
    shutil.copytree(Path(tripletree.__file__).parent, tmp_path / "tripletree")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def answer():
        return subprocess.check_output([sys.executable, "-c", SCRIPT], env=env, cwd=tmp_path, text=True).strip()

    assert answer() == "[1]"
    called = tmp_path / "tripletree/kernels/disjoint_set.py"
    called.write_text(called.read_text().replace("    return True\n", "    return False\n"))
    assert answer() == "[0]"
