"""How much memory there is: of the machine, and of a process that may have less."""

import subprocess
import sys

import pytest

from tripletree.core.memory import memory


def test_memory__is_that_of_the_process_if_it_may_have_less():
    resource = pytest.importorskip("resource")
    there = memory()
    assert there >= 1 << 28
    code = (
        "import resource; from tripletree.core.memory import memory\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({there - 1}, resource.RLIM_INFINITY)); print(memory())"
    )
    if resource.getrlimit(resource.RLIMIT_AS)[1] != resource.RLIM_INFINITY:
        pytest.skip("the process has a limit already")
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(found) == there - 1
