"""The page of the leader of a study: its numbers, its switches, and who may see it."""

import random
import socket
import warnings

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from asking_model import RandomQuestions

from tripletree import TripletSet, agreement
from tripletree.ask import Design, open_session, server
from tripletree.ask.address import read_address
from tripletree.ask.session import RefusedError
from tripletree.ask.watch import Watch, outline_with_support, pairs_of_answers
from tripletree.cluster import OddOneOutClustering
from tripletree.core import Answer, AnswerSet
from tripletree.evaluation import check_known
from tripletree.io import parse_newick

PEOPLE, LEADER = "people-token", "leader-token"
NAMES = [f"s{k}" for k in range(8)]
CATCH = TripletSet.from_labels([("s0", "s1", "s7"), ("s2", "s3", "s6")])


@pytest.fixture
def opened(tmp_path):
    """A study on eight names, and clients of both pages."""
    design = Design(n_questions=6, overlap=2, repeats=0.2, catch=CATCH)
    stopped = []
    with open_session(
        RandomQuestions(),
        np.arange(16.0).reshape(8, 2),
        answers=tmp_path / "a.jsonl",
        sample_names=NAMES,
        design=design,
    ) as session:
        hosts = server.accepted_hosts("127.0.0.1")
        app = server.make_app(session, PEOPLE, hosts, leader=LEADER, stop=lambda: stopped.append(True))
        clients = [
            TestClient(app, base_url=f"http://127.0.0.1:8000/{token}/", raise_server_exceptions=False)
            for token in (PEOPLE, LEADER)
        ]
        yield session, *clients, stopped


def answer(session, who, place=0, seconds=1.0):
    state = session.state(who)
    rows = [card["row"] for card in state["question"]]
    message = {"who": who, "number": state["number"], "question": rows, "reply": rows[place], "seconds": seconds}
    return session.answer(message)


def test_watch__pairs_of_answers_are_those_of_agreement():
    draw = random.Random(3)
    said = []
    for _ in range(300):
        items = tuple(draw.sample("abcde", 3))
        kind = draw.choice(["odd", "odd", "odd", "alike", "different", "unsure"])
        said.append(
            Answer(items, kind, draw.choice(items) if kind == "odd" else None, draw.choice(["x", "y", "z", None]))
        )
    found = agreement(AnswerSet(said))
    pairs = pairs_of_answers(said)
    for k, who in enumerate(found.people):
        equal, total, same, repeats = pairs[who]
        assert (total, repeats) == (found.n_shared[k], found.n_repeated[k])
        assert equal / total == found.with_others[k]
        assert same / repeats == found.with_itself[k]
    equal, total = (sum(x[k] for x in pairs.values()) for k in (0, 1))
    assert (equal / total - 1 / 3) / (2 / 3) == pytest.approx(found.kappa)


def test_watch__tells_who_is_where(opened):
    session, _, leader, _ = opened
    for k in range(6):
        answer(session, "ida", k % 3, seconds=0.1 if k == 0 else 2.0)
        if k < 2:
            answer(session, "jo")
    session.state("kim")
    found = leader.get("overview").json()
    rows = {x["who"]: x for x in found["people"]}
    assert {who: (x["answers"], x["left"], x["where"]) for who, x in rows.items()} == {
        "ida": (6, 0, "finished"),
        "jo": (2, 4, "here"),
        "kim": (0, 6, "here"),
    }
    assert (rows["ida"]["places"], rows["ida"]["seconds"], rows["ida"]["quick"]) == ([2, 2, 2], 2.0, 1)
    assert (found["answers"], found["planned"]) == (8, 12)
    assert found["minute"] == pytest.approx(8 / 5)
    caught = check_known(session.answers, CATCH)
    for k, who in enumerate(caught.people):
        assert rows[who]["known"] == [caught.n_right[k], caught.n_known[k]]
    told = agreement(session.answers)
    assert found["kappa"] is None if np.isnan(told.kappa) else found["kappa"] == pytest.approx(told.kappa)


def test_watch__somebody_who_left_is_away(opened, monkeypatch):
    session, _, leader, _ = opened
    answer(session, "ida")
    monkeypatch.setattr("tripletree.ask.watch.RECENT", -1.0)
    (row,) = leader.get("overview").json()["people"]
    assert row["where"] == "away"


def test_watch__answers_of_an_earlier_run_count_but_not_in_the_last_minutes(tmp_path):
    path = tmp_path / "a.jsonl"
    line = '{"items": ["s0", "s1", "s2"], "answer": "alike", "who": "ida", "when": "2020-01-01T00:00:00Z"}\n'
    path.write_text(2 * line + '{"items": ["s0", "s1", "s2"], "answer": "alike", "when": "long ago"}\n')
    with open_session(None, None, answers=path, sample_names=NAMES) as session:
        found = Watch(session).overview()
    assert (found["answers"], found["minute"], found["tree"]) == (3, 0, None)
    assert [(x["who"], x["where"], x["itself"]) for x in found["people"]] == [
        ("ida", "away", [1, 1]),
        (None, "away", [0, 0]),
    ]


def test_watch__each_token_opens_its_own_page(opened):
    _, people, leader, _ = opened
    for path in ("overview", "watch.js", "watch.css", "export/answers.jsonl"):
        assert people.get(path).status_code == 404
        assert leader.get(path).status_code == 200
    assert people.post("control", json={"do": "stop"}).status_code == 404
    for path in ("state", "setup", "ask.js", "image/0"):
        assert leader.get(path).status_code == 404
    assert leader.post("answer", json={}).status_code == 404
    assert "watch.js" in leader.get("").text
    assert "watch.js" not in people.get("").text
    assert leader.get("overview", headers={"host": "evil.example"}).status_code == 421
    for method, path in (("GET", "overview"), ("POST", "control"), ("GET", "export/answers.jsonl")):
        done = leader.request(method, path, headers={"origin": "http://evil.example"}, json={"do": "stop"})
        assert done.status_code == 403
    assert leader.get("export/..%2Fa.jsonl").status_code == 404


def test_watch__pause_refuses_answers_and_loses_none(opened):
    session, people, leader, _ = opened
    before = people.get("state?who=ida").json()
    assert leader.post("control", json={"do": "pause"}).json() == {"paused": True}
    state = people.get("state", params={"who": "ida", "version": before["version"]}).json()
    assert (state["paused"], state["question"]) == (True, before["question"])
    rows = [card["row"] for card in before["question"]]
    message = {"who": "ida", "number": 0, "question": rows, "reply": rows[0]}
    for path in ("answer", "undo"):
        done = people.post(path, json=message)
        assert (done.status_code, done.json()["key"]) == (503, "errorPaused")
    assert len(session.study) == 0
    assert leader.get("overview").json()["paused"]
    leader.post("control", json={"do": "resume"})
    assert not people.get("state", params={"who": "ida", "version": state["version"]}).json()["paused"]
    assert people.post("answer", json=message).json()["number"] == 1


def test_watch__stop_ends_the_server(opened):
    _, _, leader, stopped = opened
    for wrong in ({"do": "explode"}, {}, {"do": ["stop"]}):
        assert leader.post("control", json=wrong).status_code == 400
    assert stopped == []
    assert leader.post("control", json={"do": "stop"}).status_code == 200
    assert stopped == [True]


def test_watch__hostile_names_stay_texts(opened):
    session, _, leader, _ = opened
    answer(session, "<img src=x onerror=alert(1)>\u202e")
    found = leader.get("overview")
    assert found.headers["content-type"] == "application/json"
    assert found.json()["people"][0]["who"] == "<img src=x onerror=alert(1)>\ufffd"
    script = leader.get("watch.js").text
    assert "innerHTML" not in script
    assert "insertAdjacentHTML" not in script


def test_watch__files_of_all_kinds_can_be_saved(opened):
    session, _, leader, _ = opened
    answer(session, "ida")
    files = leader.get("overview").json()["files"]
    assert {"answers.jsonl", "cblearn.csv", "task-oddoneout_beh.tsv", "dictionary.json", "hierarchy.nwk"} <= set(files)
    for name in files:
        done = leader.get(f"export/{name}")
        assert done.status_code == 200
        assert done.headers["content-disposition"] == f'attachment; filename="{name}"'


def test_watch__the_tree_has_the_support_of_its_clades():
    tree = parse_newick("(((s0,s1),(s2,s3)),((s4,s5),(s6,s7)));")
    model = OddOneOutClustering()
    with open_session(model, None, answers=None, sample_names=NAMES) as session:
        for _ in range(12):
            state = session.state("ida")
            rows = [card["row"] for card in state["question"]]
            names = {NAMES[k]: k for k in rows}
            clade = tree.restrict(list(names))
            odd = next(x for x in names if len(clade.clade(clade.parent[clade.leaves.index(x)])) == 3)
            session.answer({"who": "ida", "number": state["number"], "question": rows, "reply": names[odd]})
        found = outline_with_support(session)
        assert Watch(session).tree() == found
    hierarchy, support = model.hierarchy_, model.clade_support_
    nodes, rows = found["nodes"], found["rows"]
    below = [set() for _ in nodes]
    for u in range(len(nodes) - 1, -1, -1):
        if nodes[u]["row"] is not None:
            below[u] |= set(rows[nodes[u]["row"]]["items"])
        if nodes[u]["parent"] >= 0:
            below[nodes[u]["parent"]] |= below[u]
    known = {frozenset(hierarchy.clade(u)): support[u - hierarchy.n_leaves] for u in range(8, hierarchy.n_nodes)}
    shown = {frozenset(x): node["support"] for x, node in zip(below, nodes, strict=True) if "support" in node}
    assert shown == {x: sure for x, sure in known.items() if len(x) < 8}
    assert found["answers"] == 12


def first_free():
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def test_watch__the_address_of_the_leader_is_kept(tmp_path):
    path = str(tmp_path / "a.jsonl")
    first = server.listen("127.0.0.1", 0, path, watch=True)
    first.sock.close()
    server.keep_address(path, f"http://127.0.0.1:4321/{first.token}/", f"http://127.0.0.1:4321/{first.leader}/")
    assert read_address(path) == (4321, first.token, first.leader)
    assert first.leader != first.token
    assert read_address(path).port == 4321
    for watch, leader in ((True, first.leader), (False, None)):
        again = server.listen("127.0.0.1", first_free(), path, watch=watch)
        again.sock.close()
        assert (again.token, again.leader) == (first.token, leader)
    server.keep_address(path, f"http://127.0.0.1:4321/{first.token}/")
    assert read_address(path).leader is None


def test_watch__paused_sessions_refuse_by_themselves():
    with open_session(None, None, answers=None, sample_names=NAMES) as session:
        session.paused = True
        with pytest.raises(RefusedError, match="paused"):
            answer(session, "ida")
