"""Helpers to run the command line in this process and in a real shell."""

import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tripletree.cli import main
from tripletree.core import progress

ROOT = Path(__file__).parents[2]


#: Arguments and functions of the library, which a shell does not have. What a file holds stands in quotes.
_OF_PYTHON = re.compile(
    r"(?<!-O )(?<![\w'\"&?.-])(?:[a-z][a-z_]*=(?=['\"\[(]|True|False|None|\.\.\.|[,; ]|$)|(?:read|write)_[a-z_]+\b)"
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line in an empty folder. Gives exit status, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def call(*args, text=None, status=0):
        result = CliRunner().invoke(main, [str(x) for x in args], input=text)
        assert result.exit_code == status, result.output
        assert isinstance(result.exception, (SystemExit, type(None)))
        assert _OF_PYTHON.findall(result.stderr) == [], result.stderr
        if status == 2:
            assert result.stdout == ""
            assert any(x.startswith("error: ") for x in result.stderr.splitlines())  # behind what was read
            assert "Traceback" not in result.stderr
        return result

    return call


@pytest.fixture
def shell_environment(tmp_path):
    """An environment in which `tripletree` is the one under test."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    script = bin_folder / "tripletree"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -W error -m tripletree "$@"\n')
    script.chmod(0o755)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return os.environ | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


@pytest.fixture
def bash(tmp_path, shell_environment):
    """Run a script that stops at the first failure."""

    def call(script):
        if shutil.which("bash") is None:
            pytest.skip("needs bash")
        command = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(command, cwd=tmp_path, env=shell_environment, capture_output=True, text=True, timeout=600)

    return call


@pytest.fixture(autouse=True)
def _no_line_a_minute(monkeypatch):
    """A command in this process says nothing of its progress, however busy the machine is."""
    monkeypatch.setattr(progress, "EVERY", math.inf)
