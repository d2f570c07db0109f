"""Four processes that start at once where nothing was kept before, and write to one log, one file and one folder."""

import json
import os
import subprocess
import sys

import pytest

from tripletree.core import Answer, AnswerSet
from tripletree.io import export_answers, read_answers

pytest.importorskip("fcntl", reason="Windows has no such locks of files")
N, EACH = 4, 10
GIVEN = AnswerSet([Answer(("cat", "eel", "dog"), "odd", "eel", who="anna"), Answer(("cat", "dog"), "alike", who="ben")])
WORK = """
import sys
import numpy as np
import tripletree as tt
from tripletree.cluster import ReCon
from tripletree.core import Answer
from tripletree.io import append_answer, export_answers, read_answers

who, log, runs, folder, given = sys.argv[1:]
X = np.random.default_rng(0).normal(size=(6, 2))
given = read_answers(given)
print("ready", flush=True)
sys.stdin.readline()
for k in range({each}):
    append_answer(log, Answer(("a", "b", f"{{who}} {{k}}"), "odd", "a", who=who), data="letters")
    export_answers(given, folder)
tt.compare_methods(
    {{"recon": ReCon(n_clusters=2)}}, [(who, X, [0, 0, 0, 1, 1, 1])], knowledge="pairs", amount=2, n_draws=3, path=runs
)
"""


def contents(folder):
    return {x.name: x.read_bytes() for x in folder.iterdir()}


@pytest.fixture
def written(tmp_path):
    """The folder to which four processes have written, each of which had an empty home."""
    home, place = tmp_path / "home", tmp_path / "place"
    home.mkdir()
    place.mkdir()
    given = tmp_path / "given"
    export_answers(GIVEN, given)
    log = next(str(x) for x in given.iterdir() if x.suffix == ".jsonl")
    files = [str(place / x) for x in ("log.jsonl", "all.runs", "folder")]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")}
    environment |= {"HOME": str(home), "USERPROFILE": str(home)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORK.format(each=EACH), f"p{k}", *files, log],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        for k in range(N)
    ]
    try:
        for process in processes:
            assert process.stdout.readline() == b"ready\n", process.stderr.read()
        for process in processes:
            process.stdin.write(b"go\n")
            process.stdin.flush()
        errors = [process.communicate()[1].decode() for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [process.returncode for process in processes] == [0] * N, errors
    return place


def test_four_processes_at_once_lose_and_tear_nothing(written, tmp_path):
    assert sorted(x.name for x in written.iterdir()) == ["all.runs", "folder", "log.jsonl"]  # no temporary file is left
    answers = read_answers(written / "log.jsonl")
    for k in range(N):
        own = [x.items[2] for x in answers if x.who == f"p{k}"]
        assert own == [f"p{k} {i}" for i in range(EACH)]
    assert len(answers) == N * EACH
    assert (written / "log.jsonl").read_text(encoding="utf-8").count('"version"') == 1
    runs = [json.loads(x) for x in (written / "all.runs").read_text(encoding="utf-8").splitlines()]
    assert sorted((x["data"], x["draw"]) for x in runs) == [(f"p{k}", i) for k in range(N) for i in range(3)]
    assert contents(written / "folder") == contents(tmp_path / "given")
