"""``tripletree ask``: its input, its output without a page, and its errors."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import warnings
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from tripletree.io import read_answers, read_newick, read_triplets

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

ANIMALS = "name,legs,wings\ncat,4,0\ndog,4,0\nwren,2,2\nrook,2,2\neel,0,0\ncarp,0,0\n"
ANSWER = {"items": ["cat", "dog", "eel"], "answer": "odd", "odd": "eel", "who": "anna"}


@pytest.fixture
def animals(tmp_path):
    (tmp_path / "animals.csv").write_text(ANIMALS)
    (tmp_path / "answers.jsonl").write_text(json.dumps(ANSWER) + "\n")
    return tmp_path


def test_ask__exports_without_asking(run, animals):
    done = run("ask", "animals.csv", "--export", "found")
    names = {"answers.jsonl", "triplets.txt", "clusters.csv", "hierarchy.nwk", "hierarchy.html", "report.html"}
    names |= {"cblearn.csv", "long.csv", "task-oddoneout_beh.tsv", "dictionary.json"}
    written = done.stdout.split()
    assert names <= {os.path.basename(x) for x in written}
    assert all(animals.joinpath(x).is_file() for x in written)
    assert list(read_answers(animals / "found" / "answers.jsonl")) == list(read_answers(animals / "answers.jsonl"))
    assert "cat dog | eel" in (animals / "found" / "triplets.txt").read_text()
    assert read_newick(animals / "found" / "hierarchy.nwk").leaves.labels == (
        "cat",
        "dog",
        "wren",
        "rook",
        "eel",
        "carp",
    )
    rows = (animals / "found" / "clusters.csv").read_text().splitlines()
    assert rows[1].startswith("cat,1,")
    assert rows[5].startswith("eel,2,")
    assert "animals.csv" in (animals / "found" / "report.html").read_text()
    assert (animals / "answers.jsonl").read_text() == json.dumps(ANSWER) + "\n"


def test_ask__texts_without_numbers(run, animals):
    texts = ["a small red bird", "a red bird", "a green fish", "a large green fish", "birds, red"]
    rows = "".join(f'{k},"{x}"\n' for k, x in enumerate(texts))
    (animals / "texts.csv").write_text("id,text\n" + rows)
    (animals / "a.jsonl").write_text('{"items": ["0", "1", "2"], "answer": "odd", "odd": "2"}\n')
    run("ask", "texts.csv", "--text", "text", "--answers", "a.jsonl", "--export", "found")
    lines = (animals / "found" / "clusters.csv").read_text().splitlines()[1:]
    of = {row.split(",")[0]: row.split(",")[1] for row in lines}
    assert of["2"] != of["0"] == of["1"]
    (animals / "texts.csv").write_text("id,text\n1,?\n2,!\n3,.\n")
    assert (
        "hold no words"
        in run("ask", "texts.csv", "--text", "text", "--answers", "a.jsonl", "--export", "x", status=2).stderr
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--images", "nowhere"], "not a folder: nowhere"),
        (["--images", "."], "no sample has a picture in ."),
        (["--text", "legs", "--images", "."], "give --images or --text"),
        (["--text", "fur"], "there is no column 'fur'"),
        (["--answers", "none.jsonl", "--export", "x"], "none.jsonl: there is no such file of answers"),
        (["--answers", "."], "is a directory"),
        (["--answers", "no/answers.jsonl"], "no such file or directory"),
        (["--answers", "bad.jsonl"], "bad.jsonl, line 1"),
        (["--answers", "bad.jsonl", "--export", "x"], "this is not a file of JSON lines"),
        (["--answers", "table.csv"], "'tripletree answers TABLE --jsonl FILE'"),
        (["--answers", "other.jsonl"], "'cow'"),
        (["--host", "203.0.113.9"], "cannot listen at 203.0.113.9"),
        (["--host", "no such host"], "cannot listen at no such host"),
        (["--port", "70000"], "70000 is not in the range"),
        (["--questions", "0"], "0 is not in the range"),
        (["--repeats", "0.6"], "0.6 is not in the range"),
        (["--show", "faces"], "'faces' is not one of 'labels', 'clusters', 'people', 'files', 'all'"),
        (["--language", "nl"], "'nl' is not one of 'en', 'de', 'fr'"),
    ],
)
def test_ask__bad_input_is_told(run, animals, options, message):
    (animals / "bad.jsonl").write_text("nonsense\n{}\n")
    (animals / "table.csv").write_text("a,b,c,odd\ncat,dog,eel,eel\n")
    (animals / "other.jsonl").write_text('{"items": ["cat", "dog", "cow"], "answer": "alike"}\n')
    assert message in run("ask", "animals.csv", "--no-browser", *options, status=2).stderr


def test_ask__a_failure_leaves_no_empty_file(run, animals):
    (animals / "answers.jsonl").unlink()
    run("ask", "animals.csv", "--no-browser", "--host", "203.0.113.9", status=2)
    assert not (animals / "answers.jsonl").exists()


def test_ask__columns_of_words_have_advice_that_can_be_followed(run, animals):
    (animals / "texts.csv").write_text("id,text\n0,a red bird\n1,a fish\n2,two fish\n")
    said = run("ask", "texts.csv", "--no-browser", status=2).stderr
    assert "; leave them out with --drop text, name the column of the labels with --index-column NAME, the col" in said
    assert "the column of texts with --text NAME, or turn" in said
    assert "--classes" not in said


def test_ask__labels_alone_are_enough(run, animals):
    (animals / "names.csv").write_text("name\ncat\ndog\neel\ncarp\n")
    done = run("ask", "names.csv", "--export", "found")
    assert set(read_newick(animals / "found" / "hierarchy.nwk").leaves) == {"cat", "dog", "eel", "carp"}
    assert all(": read " in x for x in done.stderr.splitlines())


def test_ask__of_very_many_labels_alone_trios_are_drawn(run, animals, monkeypatch):
    monkeypatch.setattr("tripletree.cluster.odd_one_out.clustering.MOST_NAMES", 3)
    (animals / "names.csv").write_text("name\ncat\ndog\neel\ncarp\n")
    done = run("ask", "names.csv", "--export", "found")
    written = {x.name for x in (animals / "found").iterdir()}
    assert {"answers.jsonl", "triplets.txt", "long.csv"} <= written
    assert not written & {"clusters.csv", "hierarchy.nwk", "hierarchy.html", "report.html"}
    assert (
        done.stderr.splitlines()[-1] == "4 samples without numbers: trios are drawn at random, and no hierarchy is made"
    )


def test_ask__pictures_alone_are_enough(run, animals):
    for name in ("cat", "dog", "eel", "carp"):
        (animals / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    run("ask", "--images", ".", "--export", "found")
    assert "cat dog | eel" in (animals / "found" / "triplets.txt").read_text()
    assert read_newick(animals / "found" / "hierarchy.nwk").n_leaves == 4
    for options in ([], ["--trios", "random"]):
        told = run("ask", *options, "--export", "found", status=2).stderr
        assert "give DATA, or --images DIR, or --trios FILE" in told
    said = run("ask", "--images", ".", "--standardize", "--catch", "features", "--export", "x", status=2).stderr
    assert "--catch features needs columns of numbers in DATA" in said
    said = run("ask", "--trios", "t.txt", "--text", "words", "--export", "x", status=2).stderr
    assert "--text names a column of DATA, which is missing" in said


@pytest.mark.parametrize(
    "text",
    ["cat dog eel\n# fish\ncarp eel cat\n", "a,b,c\ncat,dog,eel\ncarp,eel,cat\n", "cat\tdog\teel\ncarp\teel\tcat\n"],
)
def test_ask__trios_alone_are_enough(run, animals, text):
    (animals / "trios.txt").write_text(text)
    assert run("ask", "--trios", "trios.txt", "--export", "found").stderr == ""
    assert "cat dog | eel" in (animals / "found" / "triplets.txt").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat dog eel\ncat dog cow\n", "trios.txt, line 2: 'cow' is none of the 6 samples"),
        ("cat dog cat\n", "trios.txt, line 1: 'cat' stands twice"),
        ("cat,dog\n", "trios.txt: a file of trios has three labels a line, not 2 columns"),
        ("cat,dog,eel,carp\n", "trios.txt: a file of trios has three labels a line, not 4 columns"),
        ("", "trios.txt"),
    ],
)
def test_ask__bad_trios_are_told(run, animals, text, message):
    (animals / "trios.txt").write_text(text)
    assert message in run("ask", "animals.csv", "--trios", "trios.txt", "--export", "x", status=2).stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("catch.txt", "cat dog | eel\n"),
        ("catch.jsonl", json.dumps(ANSWER) + "\n"),
        ("catch.csv", "a,b,c,odd\ncat,dog,eel,eel\n"),
        ("tree.nwk", "(((cat,dog),(wren,rook)),(eel,carp),cow);\n"),
    ],
)
def test_ask__catch_trios_are_triplets_answers_or_a_hierarchy(run, animals, name, text):
    (animals / name).write_text(text)
    run("ask", "animals.csv", "--catch", name, "--overlap", 2, "--repeats", 0.1, "--export", "found")
    assert not (animals / "answers-catch.txt").exists()


def test_ask__clear_trios_are_written_before_they_are_asked(animals):
    command = [sys.executable, "-m", "tripletree", "ask", "animals.csv", "--no-browser", "--catch", "features"]
    process = subprocess.Popen(command, cwd=animals, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        assert called(address, "state")["nameless"] is True
        assert called(address, "state?who=anna")["left"] == 99
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    written = read_triplets(animals / "answers-catch.txt")
    assert len(written) > 5
    assert f"{len(written)} catch trios in answers-catch.txt: check that they are clear to people, too" in errors


def test_ask__clear_trios_that_somebody_has_looked_at_are_taken_as_they_are(run, animals):
    (animals / "answers-catch.txt").write_text("cat dog | eel\n")
    run("ask", "animals.csv", "--catch", "features", "--export", "found")
    assert (animals / "answers-catch.txt").read_text() == "cat dog | eel\n"
    (animals / "answers-catch.txt").write_text("cat dog | cow\n")
    assert "'cow'" in run("ask", "animals.csv", "--catch", "features", "--export", "found", status=2).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat dog | cow\n", "1 unknown among the samples of the design: 'cow'"),
        ("cat dog | eel\ncat eel | dog\n", "catch has two answers for"),
        ("(cat,dog,wren,eel);\n", "--catch catch.txt: it has no trio with a clear odd one"),
        ("", "catch.txt holds no triplet"),
    ],
)
def test_ask__bad_catch_trios_are_told(run, animals, text, message):
    (animals / "catch.txt").write_text(text)
    assert message in run("ask", "animals.csv", "--catch", "catch.txt", "--export", "x", status=2).stderr


def test_ask__two_samples_are_too_few(run, animals):
    assert "2 samples; a question shows three" in run("ask", "-", text="x\n1\n2\n", status=2).stderr


def test_ask__missing_libraries_are_named(run, animals, monkeypatch):
    for name in ("tripletree.ask.server", "tripletree.ask.notebook"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'tripletree[ask]'" in run("ask", "animals.csv", status=2).stderr


def called(address, path, body=None):
    """The answer of the server."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # not by a proxy of the environment
    with direct.open(request, timeout=30) as response:
        return json.load(response)


def test_ask__runs_until_interrupted_and_goes_on(animals):
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "tripletree",
        "ask",
        "animals.csv",
        "--no-browser",
        "--who",
        "an na",
    ]
    process = subprocess.Popen(command, cwd=animals, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address, _, name = process.stdout.readline().strip().partition("?")
        assert name == "who=an+na"
        state = called(address, "state?who=an+na")
        rows = [card["row"] for card in state["question"]]
        message = {"who": "an na", "number": 0, "question": rows, "reply": "unsure"}
        assert called(address, "answer", message)["number"] == 1
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert errors.endswith("\n1 answer in answers.jsonl; Ctrl + C ends\n2 answers in answers.jsonl\n")
    assert [x.kind for x in read_answers(animals / "answers.jsonl")] == ["odd", "unsure"]


@pytest.mark.parametrize("cut_off", [False, True])
def test_ask__ends_without_a_traceback_while_a_message_is_half_sent(animals, cut_off):
    command = [sys.executable, "-m", "tripletree", "ask", "animals.csv", "--no-browser", "--answers", "new.jsonl"]
    process = subprocess.Popen(command, cwd=animals, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        parts = urlsplit(process.stdout.readline().strip())
        head = f"POST {parts.path}answer HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        with socket.create_connection((parts.hostname, parts.port)) as client:
            client.sendall(f"{head}Content-Length: 500\r\n\r\n{{".encode())
            if cut_off:
                client.close()
            called(parts.geturl(), "state")  # by now the server reads the message
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert errors.endswith("\n0 answers in new.jsonl; Ctrl + C ends\n")
    assert not (animals / "new.jsonl").exists()


@pytest.mark.slow
def test_ask__killed_at_any_moment_it_keeps_every_answer(animals, rng):
    """Three times the server is killed while two people answer; all confirmed answers are in the file, in order."""
    points = "".join(f"{k},{x:.3f},{y:.3f}\n" for k, (x, y) in enumerate(rng.normal(size=(200, 2)).tolist()))
    (animals / "points.csv").write_text("id,x,y\n" + points)
    command = [sys.executable, "-m", "tripletree", "ask", "points.csv", "--answers", "new.jsonl", "--no-browser"]
    confirmed = {"anna": [], "ben": []}
    for _ in range(3):
        process = subprocess.Popen(command, cwd=animals, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = process.stdout.readline().strip()

        def person(who, address=address):
            with suppress(OSError, http.client.HTTPException):  # the server is gone
                state = called(address, f"state?who={who}")
                while True:
                    cards = state["question"]
                    message = {"who": who, "number": state["number"], "question": [x["row"] for x in cards]}
                    state = called(address, "answer", {**message, "reply": "unsure"})
                    confirmed[who].append([x["name"] for x in cards])

        people = [threading.Thread(target=person, args=(who,)) for who in confirmed]
        for thread in people:
            thread.start()
        time.sleep(float(rng.uniform(0.5, 2)))
        process.kill()
        process.wait()
        process.stdout.close()
        for thread in people:
            thread.join()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a line that was cut off
            found = read_answers(animals / "new.jsonl")
        for who, items in confirmed.items():
            kept = [list(x.items) for x in found.by(who)]
            assert kept[: len(items)] == items
            assert len(kept) <= len(items) + 1  # one may be on the disk whose confirmation nobody heard
            confirmed[who] = kept
    assert min(map(len, confirmed.values())) > 3


# ---------------------------------------------------------------------- study files

STUDY = """
data = "animals.csv"
questions = 7
forced-choice = true
show = ["labels"]
practice = "practice.txt"
break_after = 3
completion_code = "C0FFEE"

[question]
en = "Which animal?"
fr = "Quel animal ?"
"""


def test_ask__a_study_file_has_the_options_and_the_words(animals):
    (animals / "study.toml").write_text(STUDY, encoding="utf-8")
    (animals / "practice.txt").write_text("cat dog | eel\n")
    command = [sys.executable, "-m", "tripletree", "ask", "--study", "study.toml", "--no-browser", "--questions", "5"]
    process = subprocess.Popen(command, cwd=animals, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        setup = called(address, "setup")
        assert (setup["forced"], setup["breakAfter"], len(setup["practice"])) == (True, 3, 1)
        assert called(address, "state?who=ben")["left"] == 5  # what the command says counts
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            address + "ask.js", timeout=30
        ) as script:
            assert b"Which animal?" in script.read()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questions = ", "study.toml: this is no TOML"),
        ("fforced_choice = true", "study.toml: there is no key 'fforced_choice'; did you mean 'forced_choice'?"),
        ("xyzzyxyzzy = 1", "there is no key 'xyzzyxyzzy'; the keys are data, images,"),
        ('questions = "many"', "'many' is not a valid integer"),
        ("break_after = -1", "break_after must be a whole number of at least 1"),
        ("question = 5", "question must be a text that is not empty"),
        ('practice = "none.txt"', "none.txt"),
        ('language = "de"\nquestion = {fr = "Lequel ?"}', "the texts of the study have no language 'de', only fr"),
    ],
)
def test_ask__bad_study_files_are_told(run, animals, text, message):
    (animals / "study.toml").write_text(text, encoding="utf-8")
    assert message in run("ask", "animals.csv", "--study", "study.toml", "--export", "x", status=2).stderr
