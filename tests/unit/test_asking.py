"""The web server of `tripletree ask`: access, saved answers, and bad input."""

import asyncio
import io
import json
import os
import stat
import threading
import warnings
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from asking_model import RandomQuestions

from tripletree import TripletSet, displays
from tripletree.algorithms import all_triplets
from tripletree.ask import Design, open_session, server
from tripletree.ask.cards import Cards
from tripletree.ask.exports import EXPORTS, exports_of
from tripletree.ask.images import ImageFolder
from tripletree.ask.outline import make_outline, order_clusters, representatives
from tripletree.ask.server import accepted_hosts, is_loopback, make_app
from tripletree.ask.session import keep_for_one
from tripletree.cluster import OddOneOutClustering
from tripletree.core.hierarchy import Hierarchy
from tripletree.io import parse_newick, read_answers, read_triplets

TOKEN = "a-token"
NAMES = [f"sample {k}" for k in range(30)]
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
NASTY = ["</script><b>x</b>", "'\"&<img src=x onerror=alert(1)>", "../../etc/passwd", "a\x00b\u202ec", "=1+1", "alike"]


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 4)) + np.repeat(np.eye(3, 4) * 9, 10, axis=0)


@pytest.fixture
def opened(tmp_path, X):
    """Make a session of the stand-in, and a client of its page. Both are closed at the end."""
    sessions = []

    def call(path=tmp_path / "answers.jsonl", names=NAMES, show="all", **more):
        sessions.append(open_session(RandomQuestions(), X, answers=path, sample_names=names, show=show, **more))
        app = make_app(sessions[-1], TOKEN, accepted_hosts("127.0.0.1"))
        client = TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/", raise_server_exceptions=False)
        return sessions[-1], client

    yield call
    for session in sessions:
        session.close()


def reply_to(client, reply=0, who=None, changed=None):
    """Answer the question that is shown: a card by its place, or a word."""
    state = client.get("state", params={} if who is None else {"who": who}).json()
    rows = [card["row"] for card in state["question"]]
    message = {"who": who, "number": state["number"], "question": rows}
    message["reply"] = rows[reply] if isinstance(reply, int) else reply
    return client.post("answer", json={**message, **(changed or {})})


# ---------------------------------------------------------------------- questions shown and answers kept


def test_ask__an_answer_is_in_the_file_before_the_next_question(opened, tmp_path):
    session, client = opened()
    first = client.get("state").json()
    done = reply_to(client, 2, who=None)
    assert done.status_code == 200
    (answer,) = read_answers(tmp_path / "answers.jsonl")
    shown = tuple(NAMES[card["row"]] for card in first["question"])
    assert (answer.items, answer.odd, answer.who) == (shown, shown[2], None)
    assert answer.when.endswith("Z")
    after = done.json()
    assert (after["answers"], after["left"], after["number"]) == (1, 99, 1)
    assert answer.seconds is None
    assert [card["row"] for card in after["question"]] != [card["row"] for card in first["question"]]
    assert after["last"] == list(shown)


def test_ask__answers_are_synced_before_the_model_has_them(opened, monkeypatch):
    session, client = opened()
    seen = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(len(session.model.given)) or real(fd))
    reply_to(client, "alike")
    assert seen
    assert set(seen) == {0}


def test_ask__a_restart_goes_on(opened, tmp_path):
    session, client = opened()
    for k, reply in enumerate([0, "alike", "different", "unsure", 1]):
        assert reply_to(client, reply, who=["anna", None][k % 2]).status_code == 200
    before = client.get("state?who=anna").json()
    session.close()
    _, again = opened()
    after = again.get("state?who=anna").json()
    before["known"]["version"] = 0
    assert {**after, "version": 0} == {**before, "version": 0}
    kinds = [x.kind for x in read_answers(tmp_path / "answers.jsonl")]
    assert kinds == ["odd", "alike", "different", "unsure", "odd"]


def test_ask__a_line_cut_off_by_a_kill_is_dropped(opened, tmp_path):
    session, client = opened()
    reply_to(client, 0)
    session.close()
    path = tmp_path / "answers.jsonl"
    with open(path, "a") as stream:
        stream.write('{"items": ["sample 1", "sam')
    with pytest.warns(UserWarning, match="cut off"):
        _, again = opened()
    assert again.get("state").json()["answers"] == 1
    reply_to(again, 1)
    assert len(read_answers(path)) == 2


def test_ask__undo_shows_the_question_again(opened, tmp_path):
    _, client = opened()
    first = client.get("state").json()
    reply_to(client, 0)
    back = client.post("undo", json={"who": None, "number": 1}).json()
    assert back["question"] == first["question"]
    back["known"]["version"] = 0
    assert (back["answers"], back["last"], back["known"]) == (0, None, first["known"])
    assert len(read_answers(tmp_path / "answers.jsonl")) == 0
    assert client.post("undo", json={"who": None, "number": 0}).status_code == 409
    reply_to(client, "unsure")
    assert [x.kind for x in read_answers(tmp_path / "answers.jsonl")] == ["unsure"]


def test_ask__several_people(opened, tmp_path):
    _, client = opened()
    for who in ("anna", "ben", "  anna ", "ben", "anna"):
        assert reply_to(client, 0, who=who).status_code == 200
    assert client.get("state").json()["people"] == [["anna", 3], ["ben", 2]]
    gone = client.post("undo", json={"who": "ben", "number": 2}).json()
    assert gone["people"] == [["anna", 3], ["ben", 1]]
    assert [x.who for x in read_answers(tmp_path / "answers.jsonl")] == ["anna", "ben", "anna", "anna"]


def test_ask__undo_without_a_name_never_takes_back_another_persons_answer(opened, tmp_path):
    session, client = opened()
    reply_to(client, 0)
    reply_to(client, 0, who="anna")
    done = client.post("undo", json={"who": None, "number": 1})
    assert done.status_code == 200
    assert [x.who for x in read_answers(tmp_path / "answers.jsonl")] == [x.who for x in session.model.given] == ["anna"]


def test_ask__questions_of_those_who_are_gone_go_to_others(opened, monkeypatch):
    session, client = opened()
    client.get("state")
    client.get("state?who=anna&was=")  # typed a name
    assert session.model.released == [None]
    client.get("state?who=anna&was=anna")
    assert session.model.released == [None]
    client.get("state?who=ben")
    monkeypatch.setattr("tripletree.ask.session.AWAY", -1.0)
    client.get("state?who=ben&was=cleo")
    reply_to(client, 0, who="ben")
    assert "anna" in session.model.released
    assert client.get("state?who=anna").json()["question"]


def test_ask__many_at_once_lose_nothing(opened, tmp_path):
    session, client = opened()
    failed = []

    def person(who):
        for _ in range(8):
            done = reply_to(client, "alike", who=who)
            if done.status_code != 200:
                failed.append(done.json())

    threads = [threading.Thread(target=person, args=(f"person {k}",)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    found = read_answers(tmp_path / "answers.jsonl")
    assert sorted(found.people) == [f"person {k}" for k in range(6)]
    assert len(found) == len(session.model.given) == 48
    assert [x.items for x in found] == [x.items for x in session.model.given]


def test_ask__an_answer_sent_twice_counts_once(opened):
    _, client = opened()
    state = client.get("state").json()
    rows = [card["row"] for card in state["question"]]
    message = {"who": None, "number": 0, "question": rows, "reply": rows[0]}
    assert client.post("answer", json=message).status_code == 200
    again = client.post("answer", json=message)  # the page did not hear of the first
    assert again.status_code == 409
    assert "answered already" in again.json()["error"]
    assert client.get("state").json()["answers"] == 1


def test_ask__nothing_new_is_nothing_sent(opened):
    _, client = opened()
    version = client.get("state").json()["version"]
    assert client.get(f"state?version={version}").status_code == 204
    reply_to(client, 0, who="ben")
    assert client.get(f"state?version={version}").status_code == 200


def test_ask__a_full_disk_changes_nothing(opened, monkeypatch):
    session, client = opened()
    reply_to(client, 0)
    before = client.get("state").json()

    def full(*_args, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tripletree.ask.session.append_answer", full)
    monkeypatch.setattr("tripletree.ask.session.append_undo", full)
    done = reply_to(client, 1)
    assert done.status_code == 507
    assert done.json()["error"] == "Your answer could not be saved: No space left on device"
    assert client.post("undo", json={"who": None, "number": 1}).status_code == 507
    assert client.get("state").json() == before


TAKEN_AWAY = {
    "deleted": (lambda path: path.unlink(), "is another file by now, or none"),
    "replaced": (lambda path: path.write_bytes(path.rename(path.with_suffix(".old")).read_bytes()), "is another file"),
    "emptied": (lambda path: path.write_bytes(b""), "has lost lines"),
    "overwritten": (
        lambda path: path.write_bytes(path.read_bytes().replace(b"items", b"ITEMS") * 2),
        "was overwritten",
    ),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps what is open")
@pytest.mark.parametrize("how", TAKEN_AWAY)
def test_ask__a_file_that_was_taken_away_is_noticed(opened, tmp_path, how, caplog):
    session, client = opened()
    path = tmp_path / "answers.jsonl"
    take, said = TAKEN_AWAY[how]
    for reply in range(2):
        reply_to(client, reply)
    take(path)
    left = path.read_bytes() if path.exists() else None
    before = client.get("state").json()
    for done in (reply_to(client, 1), client.post("undo", json={"who": None, "number": 2})):
        assert done.status_code == 507
        assert f"answers.jsonl {said}" in done.json()["error"]
        assert "it writes all answers so far to another file" in done.json()["error"]
    assert client.get("state").json() == before
    assert (path.read_bytes() if path.exists() else None) == left
    path.write_text(client.get("export/answers.jsonl").text)
    assert len(read_answers(path)) == 2
    path.unlink()
    with caplog.at_level("WARNING"), session:
        pass
    assert "all answers are in" in caplog.text
    assert list(read_answers(tmp_path / "answers-rescued.jsonl")) == list(session.answers)


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps what is open")
def test_ask__the_file_of_another_page_is_left_alone_at_the_end(tmp_path):
    path = tmp_path / "answers.jsonl"
    with keep_for_one(str(path)):
        path.unlink()
        path.touch()
    assert path.exists()


def test_ask__two_pages_cannot_write_one_file(opened, tmp_path):
    pytest.importorskip("fcntl")
    opened()
    with (
        pytest.raises(BlockingIOError, match="another page writes to this file"),
        keep_for_one(str(tmp_path / "answers.jsonl")),
    ):
        pass
    opened(only_read=True)


def test_ask__a_file_that_stays_empty_is_removed_unless_it_was_there(tmp_path):
    path = tmp_path / "answers.jsonl"
    with keep_for_one(str(path)):
        assert path.exists()
    assert not path.exists()
    with keep_for_one(str(path)):
        path.write_text("{}\n")
    assert path.exists()
    path.write_text("")
    with keep_for_one(str(path)):
        pass
    assert path.exists()


def test_ask__a_slow_hierarchy_keeps_nobody_waiting(opened, monkeypatch):
    session, client = opened()
    ready = threading.Event()
    first = client.get("state").json()
    make = session.model.defer_hierarchy()
    monkeypatch.setattr(session.model, "defer_hierarchy", lambda: lambda: ready.wait(30) and make())
    for k in range(3):
        after = reply_to(client, 0).json()
        assert (after["answers"], after["stale"], after["known"]) == (k + 1, True, first["known"])
    assert client.get("state", params={"version": after["version"]}).status_code == 204
    ready.set()
    with session._fresh:
        assert session._fresh.wait_for(lambda: session._known["version"] == 3, 30)
    last = client.get("state", params={"version": after["version"]}).json()
    assert (last["stale"], last["known"]["answers"]) == (False, 3)


def test_ask__a_hierarchy_that_fails_is_told_and_questions_go_on(opened, monkeypatch, caplog):
    session, client = opened()

    def fails():
        raise MemoryError("too large")

    monkeypatch.setattr(session.model, "defer_hierarchy", lambda: fails)
    state = reply_to(client, 0).json()
    assert state["known"]["error"] == "MemoryError: too large"
    assert state["question"]
    assert "could not be made" in caplog.text
    monkeypatch.undo()
    assert "error" not in reply_to(client, 0).json()["known"]


# ---------------------------------------------------------------------- who may use it


def test_ask__without_the_token_nothing_is_told(opened):
    _, client = opened()
    for path in ("/", "/state", "/x/state", "/a-toke/", f"/{TOKEN}x/state", "//state", f"/{TOKEN[:-1]}é/state"):
        done = client.get(f"http://127.0.0.1:8000{path}")
        assert done.status_code == 404
        assert "tripletree ask printed" in done.json()["error"]
    assert client.get(f"http://127.0.0.1:8000/{TOKEN}", follow_redirects=False).headers["location"] == f"{TOKEN}/"


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::1", "10.0.0.1", "0.0.0.0"),
        *("evil.example\\@localhost", "evil.example@localhost", "localhost@evil.example", "[::1].evil.example"),
        *("localhost,evil.example", "localhost evil.example", "localhost:80:80", "localhost.", "127.1"),
    ],
)
def test_ask__names_that_others_point_here_are_refused(opened, host):
    _, client = opened()
    assert client.get("state", headers={"Host": host}).status_code == 421


def test_ask__targets_that_are_no_paths(opened):
    session, _ = opened()
    app, sent = make_app(session, TOKEN, accepted_hosts("127.0.0.1")), []

    async def send(message):
        sent.append(message)

    for target in ("*", "", f"http://localhost/{TOKEN}/state", f"{TOKEN}/state"):
        scope = {"type": "http", "method": "GET", "path": target, "headers": [(b"host", b"localhost")]}
        asyncio.run(app({**scope, "query_string": b"", "raw_path": target.encode()}, None, send))
        assert sent[-2]["status"] == 404, target


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_ask__this_machine_is_known_by_its_names(opened, host):
    _, client = opened()
    assert client.get("state", headers={"Host": host}).status_code == 200


def test_ask__hosts_of_a_server_for_others():
    known = accepted_hosts("0.0.0.0")
    assert known("192.168.1.5")
    assert known("localhost")
    assert not known("evil.example")
    assert accepted_hosts("lab.example")("lab.example")
    assert [is_loopback(x) for x in ("127.0.0.1", "127.1.2.3", "::1", "localhost", "0.0.0.0", "::", "x.example")] == [
        *[True] * 4,
        *[False] * 3,
    ]


CROSS_SITE = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "http://localhost:8000"},
    {"Origin": "http://["},
    {"Origin": "http://127.0.0.1:8000]"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
]


@pytest.mark.parametrize("headers", CROSS_SITE)
def test_ask__requests_from_other_sites_are_refused(opened, tmp_path, headers):
    _, client = opened()
    rows = [card["row"] for card in client.get("state").json()["question"]]
    message = {"who": None, "number": 0, "question": rows, "reply": rows[0]}
    for done in (client.post("answer", json=message, headers=headers), client.get("state", headers=headers)):
        assert done.status_code == 403
        assert not any(name.startswith("access-control") for name in done.headers)
    assert (tmp_path / "answers.jsonl").read_bytes() == b""
    own = {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}
    assert client.post("answer", json=message, headers=own).status_code == 200


def test_ask__a_link_to_the_page_may_stand_anywhere(opened):
    _, client = opened()
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("", headers=link).status_code == 200
    assert client.get("", headers={**link, "Sec-Fetch-Mode": "no-cors"}).status_code == 403


def test_ask__forms_and_preflights_do_nothing(opened):
    _, client = opened()
    assert client.post("answer", data={"reply": "alike"}).status_code == 415
    assert client.post("answer", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    preflight = client.options("answer", headers={"Access-Control-Request-Method": "POST"})
    assert preflight.status_code == 405
    assert "access-control-allow-origin" not in preflight.headers
    assert client.get("answer").status_code == 405


def test_ask__every_reply_has_its_guards(opened):
    _, client = opened()
    for path in ("", "ask.js", "ask.css", "icon.svg", "setup", "state", "nothing", "image/1", "export/report.html"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers
    page = client.get("").text
    assert "<script>" not in page
    assert "style=" not in page
    assert client.get("ask.js").headers["content-type"].startswith("text/javascript")


# ---------------------------------------------------------------------- connections


def served(session, talk):
    """The result of a coroutine that talks with the server and gets the port."""
    sock = server.listen("127.0.0.1", 0).sock

    async def both():
        app = make_app(session, TOKEN, accepted_hosts("127.0.0.1"))
        serving = server.uvicorn.Server(server.settings(app))
        task = asyncio.create_task(serving.serve(sockets=[sock]))
        try:
            return await asyncio.wait_for(talk(sock.getsockname()[1]), 60)
        finally:
            serving.should_exit = True
            await task

    return asyncio.run(both())


async def status_of(reader, writer, path, rest="\r\n"):
    """The status of a request's answer, which is read to its end."""
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{rest}".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.partition("content-length: ")[2].split()[0]))
    return int(head.split()[1])


def test_ask__connections_that_send_nothing_keep_nobody_out(opened):
    session, _ = opened()

    async def talk(port):
        waiting = [await asyncio.open_connection("127.0.0.1", port) for _ in range(250)]
        for k, (_, writer) in enumerate(waiting):
            writer.write([b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"GET /no HTTP/1.1\r\nHost: x\r\n\r\n"][k % 3])
        person = await asyncio.open_connection("127.0.0.1", port)
        found = [await status_of(*person, f"{TOKEN}/state") for _ in range(2)]
        for _, writer in [*waiting, person]:
            writer.close()
        return found

    assert served(session, talk) == [200, 200]


def test_ask__a_connection_without_the_token_ends_soon(opened, monkeypatch):
    session, _ = opened()
    monkeypatch.setattr(server, "MAX_SILENCE", 0.5)

    async def talk(port):
        strangers = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
        strangers[1][1].write(b"GET / HTTP/1.1\r\nHost:")
        assert await status_of(*strangers[2], "no/state") == 404
        person = await asyncio.open_connection("127.0.0.1", port)
        assert await status_of(*person, f"{TOKEN}/state") == 200
        for reader, writer in strangers:
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
        found = await status_of(*person, f"{TOKEN}/state")
        person[1].close()
        return found

    assert served(session, talk) == 200


def test_ask__requests_at_once_are_limited(opened, monkeypatch):
    session, client = opened()
    monkeypatch.setattr(server, "MAX_AT_ONCE", 0)
    done = client.get("state")
    assert (done.status_code, done.json()["key"]) == (503, "errorBusy")
    monkeypatch.undo()
    assert client.get("state").status_code == 200


# ---------------------------------------------------------------------- bad messages


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nonsense", b"[]", b'"x"', b"null", b"\xff\xfe", b"[" * 5000, b'{"question": 1}', b'{"question": [0, 1]}',
        b'{"question": [true, false, 2]}', b'{"question": ["sample 0"]}', b'{"who": 5, "question": [0, 1, 2]}',
        b'{"who": ["x"], "question": [0, 1, 2]}', json.dumps({"who": "x" * 81, "question": [0, 1, 2]}).encode(),
    ],
)  # fmt: skip
def test_ask__bad_messages_are_refused(opened, body):
    session, client = opened()
    done = client.post("answer", content=body, headers={"Content-Type": "application/json"})
    assert done.status_code in (400, 409)
    assert done.json()["error"]
    assert session.model.given == []


@pytest.mark.parametrize("wrong", [None, 29.0, True, "odd", -1, "sample 1", [], {}, "Alike", "alike "])
def test_ask__bad_replies_are_refused(opened, wrong):
    session, client = opened()
    assert reply_to(client, 0, changed={"reply": wrong}).status_code == 400
    assert session.model.given == []


@pytest.mark.parametrize(
    "changed",
    [{"number": 1}, {"number": None}, {"number": "0"}, {"number": False}, {"number": 0.0}, {"question": [1, 2, 3, 4]}],
)
def test_ask__answers_to_other_questions_are_refused(opened, changed):
    session, client = opened()
    assert reply_to(client, 0, changed=changed).status_code == 409
    assert session.model.given == []


def test_ask__sizes_are_bounded(opened, monkeypatch):
    session, client = opened()
    large = json.dumps({"who": "x", "question": [0] * 20_000})
    done = client.post("answer", content=large, headers={"Content-Type": "application/json"})
    assert done.status_code == 413
    monkeypatch.setattr("tripletree.ask.session.MAX_PEOPLE", 3)
    for k in range(3):
        assert client.get(f"state?who=p{k}").status_code == 200
    assert client.get("state?who=p9").status_code == 200
    assert len(session._shown) == 3
    assert client.get("state?who=p1").status_code == 200
    assert client.get("state", params={"who": "x" * 81}).status_code == 400
    for version in ("99999999999999999999999999", "-1", "x"):
        assert client.get(f"state?who=p1&version={version}").status_code == 200


# ---------------------------------------------------------------------- hostile labels, pictures


def test_ask__hostile_labels_come_back_as_they_are(opened, tmp_path):
    names = NASTY + NAMES[len(NASTY) :]
    session, client = opened(names=names)
    session.model.next_question = lambda who: tuple(names[len(session.model.given) % 4 :][:3])
    for _ in range(4):
        assert reply_to(client, 0, who="<b>").status_code == 200
    found = read_answers(tmp_path / "answers.jsonl")
    assert [set(x.items) for x in found] == [set(names[k:][:3]) for k in range(4)]
    assert [x.odd for x in found] == [x.items[0] for x in found]
    state = client.get("state")
    assert state.headers["content-type"] == "application/json"
    assert session.cards.name(3) == "a\ufffdb\ufffdc"
    for name in EXPORTS:
        done = client.get(f"export/{name}")
        assert done.status_code == 200
        assert done.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert done.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert "<b>" not in client.get("export/report.html").text
    assert "<img src=x" not in client.get("export/report.html").text


def test_ask__a_blank_label_has_something_to_show():
    assert Cards(["", "x"]).name(0) == "(blank)"


@pytest.fixture
def folder(tmp_path):
    """A folder of pictures, with others around it that nobody may see."""
    root = tmp_path / "pictures"
    (root / "more").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG + b"secret")
    for name in ("a.png", "b.PNG", "more/c.png", "more/same.png", "same.png"):
        (root / name).write_bytes(PNG + name.encode())
    (root / "text.png").write_text("<script>alert(1)</script>")
    (root / "page.svg").write_text("<svg/>")
    (root / "link.png").symlink_to(root / "a.png")
    (root / "escape.png").symlink_to(tmp_path / "secret.png")
    (root / "out").symlink_to(tmp_path)
    (root / "loop.png").symlink_to(root / "loop.png")
    os.mkfifo(root / "pipe.png")
    return root


def test_images__are_found_by_name_and_never_outside(folder):
    names = ["a", "b", "c", "more/c", "more/c.png", "same.png", "same", "link", "a.png"]
    wrong = [
        "escape",
        "../secret",
        "../secret.png",
        "out/secret",
        "out/secret.png",
        "loop",
        "pipe",
        "text",
        "page",
        "page.svg",
    ]
    wrong += [str(folder / "a.png"), "/etc/passwd", "", ".", "..", "more", "a.png\0", "x" * 5000]
    found = ImageFolder(folder, names + wrong)
    assert found.missing == wrong
    ends = [found.read(k)[0].removeprefix(PNG).decode() for k in range(len(names))]
    assert ends == [
        "a.png",
        "b.PNG",
        "more/c.png",
        "more/c.png",
        "more/c.png",
        "same.png",
        "same.png",
        "a.png",
        "a.png",
    ]
    for k in range(len(names), len(names) + len(wrong)):
        with pytest.raises(FileNotFoundError):
            found.read(k)


def test_images__a_link_that_takes_a_files_place_is_not_followed(folder, tmp_path):
    found = ImageFolder(folder, ["a"])
    (folder / "a.png").unlink()
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(FileNotFoundError):
        found.read(0)
    (folder / "a.png").unlink()
    os.mkfifo(folder / "a.png")
    with pytest.raises(FileNotFoundError):
        found.read(0)


def test_images__large_ones_and_others_are_refused(folder, monkeypatch):
    found = ImageFolder(folder, ["a", "b"])
    monkeypatch.setattr("tripletree.ask.images.MAX_BYTES", 30)
    with pytest.raises(ValueError, match="more than 0 MB"):
        found.read(0)
    monkeypatch.undo()
    (folder / "a.png").write_text("no picture")
    with pytest.raises(ValueError, match=r"a\.png: not a picture"):
        found.read(0)
    with pytest.raises(NotADirectoryError):
        ImageFolder(folder / "a.png", ["a"])
    with pytest.raises(FileNotFoundError, match=r"no sample has a picture .* The folder has 'a.png'.* called 'x', 'y'"):
        ImageFolder(folder, ["x", "y"])


def test_ask__pictures_are_sent_by_the_number_of_the_sample(opened, folder):
    names = ["a", "../secret", *NAMES[2:]]
    _, client = opened(names=names, images=folder)
    done = client.get("image/0")
    assert (done.status_code, done.headers["content-type"], done.content) == (200, "image/png", PNG + b"a.png")
    assert done.headers["content-security-policy"] == "default-src 'none'; sandbox"
    for path in (
        "image/1",
        "image/30",
        "image/99999999999999",
        f"image/{'9' * 5000}",  # more digits than Python reads
        "image/-1",
        "image/a",
        "image/../a.png",
        "image/%2e%2e%2fsecret.png",
    ):
        assert client.get(path).status_code == 404
    for path in (
        "ask.js/../server.py",
        "%2e%2e/session.py",
        "..%2fsession.py",
        "export/..%2fsession.py",
        "view.js",
        "export/x",
    ):
        assert client.get(path).status_code == 404


def test_ask__without_pictures_there_are_none(opened):
    _, client = opened()
    assert client.get("image/0").status_code == 404


# ---------------------------------------------------------------------- cards, outline, exports


def test_cards__show_numbers_with_their_range(X):
    cards = Cards(NAMES, X, columns=list("abcd"))
    scales = cards.scales()
    assert [x["name"] for x in scales] == list("abcd")
    assert scales[0]["low"] == pytest.approx(X[:, 0].min(), rel=1e-5)
    assert scales[3]["middle"] == pytest.approx(np.median(X[:, 3]), rel=1e-5)
    assert cards.card(7)["values"] == pytest.approx(X[7], rel=1e-5)
    wide = Cards(NAMES, np.repeat(X, 500, axis=1))
    assert len(wide.scales()) == len(wide.card(0)["values"]) == 240
    texts = Cards(NAMES, X, texts=["x" * 10_000] * 30)
    assert len(texts.card(0)["text"]) == 4000
    assert texts.scales() == []
    assert "values" not in texts.card(0)


def test_outline__keeps_numbers_while_answers_come_in():
    labels = np.array([0, 0, 1, 1, 2, 2])
    assert order_clusters(labels, np.array([4, 2])).tolist() == [2, 2, 1, 1, 0, 0]
    assert order_clusters(np.array([5, 5, 0, 0, 3, 3]), np.array([4, 2])).tolist() == [2, 2, 1, 1, 0, 0]
    assert order_clusters(labels, np.array([], int)).tolist() == [0, 0, 1, 1, 2, 2]


def test_outline__has_a_row_for_each_cluster():
    h = Hierarchy.from_nested([[["a", "b"], "c"], ["d", ["e", "f"]]])
    clusters = np.array([0, 0, 1, 2, 2, 2])
    found = make_outline(h, clusters, None)
    assert [row["clusters"] for row in found["rows"]] == [[[0, 2]], [[1, 1]], [[2, 3]]]
    assert [x["parent"] for x in found["nodes"]] == [-1, 0, 1, 1, 0]
    assert [x["row"] for x in found["nodes"]] == [None, None, 0, 1, 2]
    assert [row["items"] for row in found["rows"]] == [[0, 1], [2], [3, 4, 5]]


def test_outline__a_star_and_chains_of_one_child():
    star = Hierarchy([9] * 9 + [-1])
    found = make_outline(star, np.arange(9) % 3, None)
    assert [row["clusters"] for row in found["rows"]] == [[[0, 3]], [[1, 3]], [[2, 3]]]
    chain = Hierarchy([2, 2, 3, 4, -1])
    assert len(make_outline(chain, np.array([0, 1]), None)["rows"]) == 2
    assert len(make_outline(chain, np.array([0, 0]), None)["rows"]) == 1


def test_outline__is_small_and_whole_whatever_the_hierarchy(rng):
    from examples import caterpillar, yule

    for h in (yule(500, rng), caterpillar(500), Hierarchy([500] * 500 + [-1])):
        for clusters in (np.arange(500), np.zeros(500, int), np.arange(500) % 7, np.arange(500) // 100):
            found = make_outline(h, clusters, rng.normal(size=(500, 2)))
            assert len(found["rows"]) <= 40
            assert sum(row["size"] for row in found["rows"]) == 500
            for row in found["rows"]:
                assert sum(n for _, n in row["clusters"]) <= row["size"]
                assert 1 <= len(row["items"]) <= 3
            assert sorted(x["row"] for x in found["nodes"] if x["row"] is not None) == list(range(len(found["rows"])))
            assert all(x["parent"] < k for k, x in enumerate(found["nodes"]))


def test_outline__representatives_begin_with_the_one_in_the_middle():
    values = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    assert representatives(np.arange(5), values)[0] == 3
    assert representatives(np.array([4, 1]), values) == [4, 1]


def test_ask__exports_say_the_same_as_the_model(opened, tmp_path):
    session, client = opened()
    for k in range(12):
        reply_to(client, k % 3, who=f"p{k % 2}")
    texts = {name: client.get(f"export/{name}").text for name in EXPORTS}
    for name, text in texts.items():
        (tmp_path / name.replace("answers", "copy")).write_text(text, encoding="utf-8")
    assert list(read_answers(tmp_path / "copy.jsonl")) == session.model.given
    assert read_triplets(tmp_path / "triplets.txt") == session.model.answers_.triplets()
    assert parse_newick(texts["hierarchy.nwk"]) == session.model.hierarchy_
    rows = [line.split(",") for line in texts["clusters.csv"].splitlines()]
    assert rows[0] == ["label", "cluster", "uncertainty"]
    assert [row[0] for row in rows[1:]] == NAMES
    assert len({row[1] for row in rows[1:]}) == len(session.state()["known"]["sizes"])
    assert rows[1][1] == str(session.snapshot().clusters[0] + 1)
    assert "12 answers" in texts["report.html"]
    assert "<td>p0</td>" in texts["report.html"]
    doubted = session.model.given[0]
    assert f"<td>{', '.join(doubted.items)}</td><td>odd: {doubted.odd}</td><td>p0</td>" in texts["report.html"]


def test_ask__texts_and_columns_must_fit(X):
    for more in ({"texts": ["x"] * 29}, {"columns": ["a"]}):
        with pytest.raises(ValueError, match=f"{next(iter(more))} has"):
            open_session(RandomQuestions(), X, answers=None, **more)


def test_ask__the_file_is_as_the_user_has_set_new_files(opened, tmp_path):
    opened()
    mode = stat.S_IMODE((tmp_path / "answers.jsonl").stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    assert mode == 0o666 & ~mask


# ---------------------------------------------------------------------- studies


@pytest.mark.parametrize(("seconds", "kept"), [(2.41, 2.41), (0, 0.0), (1.23456, 1.235), (None, None)])
def test_ask__the_response_time_is_kept(opened, tmp_path, seconds, kept):
    session, client = opened()
    assert reply_to(client, 0, changed={"seconds": seconds}).status_code == 200
    assert [x.seconds for x in read_answers(tmp_path / "answers.jsonl")] == [kept]
    assert read_answers(io.StringIO(client.get("export/answers.jsonl").text))[0].seconds == kept


@pytest.mark.parametrize("wrong", ["2", -1, True, 1e12, [1], {}])
def test_ask__bad_response_times_are_refused(opened, wrong):
    session, client = opened()
    assert reply_to(client, 0, changed={"seconds": wrong}).status_code == 400
    assert session.model.given == []


def test_ask__people_see_nothing_but_the_question_unless_told(opened, folder):
    names = ["a", "b", *NAMES[2:]]
    session, client = opened(names=names, images=folder, show=())
    reply_to(client, 0, who="anna")
    state = client.get("state?who=ben").json()
    assert sorted(state) == ["last", "left", "nameless", "number", "paused", "question", "version", "who"]
    assert client.get("setup").json()["exports"] == []
    for name in EXPORTS:
        assert client.get(f"export/{name}").status_code == 404
    session.model.next_question = lambda who: ("a", "b", "sample 2")
    shown = {card["row"]: card.get("name") for card in client.get("state?who=cleo").json()["question"]}
    assert shown == {0: None, 1: None, 2: "sample 2"}  # without a picture, it has its name
    again = reply_to(client, 0, who="cleo").json()
    assert sorted(again["last"], key=str) == [None, None, "sample 2"]
    assert "anna" not in json.dumps(again)


@pytest.mark.parametrize(
    ("show", "more"),
    [
        ("labels", set()),
        (["people"], {"people", "answers"}),
        (["clusters", "labels"], {"gain", "known", "stale"}),
        (["all"], {"people", "answers", "gain", "known", "stale"}),
    ],
)
def test_ask__people_see_what_they_are_shown(opened, folder, show, more):
    _, client = opened(names=["a", "b", *NAMES[2:]], images=folder, show=show)
    state = client.get("state").json()
    assert set(state) - {"last", "left", "nameless", "number", "paused", "question", "version", "who"} == more
    assert all("name" in card for card in state["question"]) == (
        show != ["people"] or not {0, 1} & {card["row"] for card in state["question"]}
    )


def test_ask__what_is_not_known_cannot_be_shown(opened):
    with pytest.raises(ValueError, match="show must be of 'labels', 'clusters', 'people', 'files' or 'all', not 'x'"):
        opened(show=["labels", "x"])


def test_ask__a_study_asks_for_a_name_first(opened):
    session, client = opened(design=Design(overlap=2, n_questions=3))
    state = client.get("state").json()
    assert (state["nameless"], state["question"]) == (True, None)
    message = {"who": None, "number": 0, "question": [0, 1, 2], "reply": "alike"}
    assert client.post("answer", json=message).status_code == 409
    assert session.model.given == []
    assert client.get("state?who=anna").json()["nameless"] is False


def test_ask__everybody_gets_questions_though_another_has_finished(opened):
    session, client = opened(design=Design(overlap=2, n_questions=3))
    for _ in range(3):
        state = reply_to(client, "alike", who="anna").json()
    assert state["left"] == 0
    for k in range(3):
        state = client.get("state?who=ben").json()
        assert (state["left"], state["number"]) == (3 - k, k)
        reply_to(client, "alike", who="ben")
    assert [set(x.items) for x in session.answers.by("ben")] == [set(x.items) for x in session.answers.by("anna")]


def test_ask__a_real_model_takes_shared_trios_repeats_and_catch_trios(tmp_path, X):
    catch = TripletSet.from_labels([(0, 1, 29), (10, 11, 0)])
    design = Design(n_questions=20, overlap=2, repeats=0.1, catch=catch, catch_share=0.1)
    model = OddOneOutClustering()
    path = tmp_path / "answers.jsonl"

    def ask(number):
        with open_session(model, X, answers=path, design=design) as session:
            client = TestClient(
                make_app(session, TOKEN, accepted_hosts("127.0.0.1")), base_url=f"http://127.0.0.1:8000/{TOKEN}/"
            )
            for _ in range(number):
                for who in ("anna", "ben"):
                    state = client.get("state", params={"who": who}).json()
                    kind = [card["row"] // 10 for card in state["question"]]
                    odd = next((i for i in range(3) if kind.count(kind[i]) == 1 and len(set(kind)) == 2), None)
                    reply = odd if odd is not None else "alike" if len(set(kind)) == 1 else "different"
                    assert reply_to(client, reply, who=who).status_code == 200

    ask(9)
    ask(11)  # goes on
    answers = read_answers(path)
    assert len(answers) == len(model.answers_) == 40
    assert model.n_clusters_ == 3
    for who in ("anna", "ben"):
        asked = [frozenset(x.items) for x in answers.by(who)]
        assert {frozenset(x) for x in catch} <= set(asked)
        assert len(asked) - len(set(asked)) in (1, 2)


def test_ask__without_a_model_there_are_names_pictures_or_trios(tmp_path, folder):
    with open_session(None, None, answers=None, images=folder) as session:
        assert session.study.names.labels == ("a", "b", "link", "same", "c", "more/same")
        assert len(session.state("anna")["question"]) == 3
        assert list(exports_of(session)) == ["answers.jsonl", "triplets.txt"]
    design = Design(trios=[("x", "y", "z"), ("x", "y", "w")])
    with open_session(None, None, answers=None, design=design, show="all") as session:
        state = session.state("anna")
        assert {card["name"] for card in state["question"]} == {"x", "y", "z"}
        assert "known" not in state
    with open_session(None, None, answers=None, sample_names=["x", "y", "z"]) as session:
        assert session.study.left("anna") == 100
    with pytest.raises(ValueError, match="there is nothing to ask about"):
        open_session(None, None, answers=None)
    (tmp_path / "none").mkdir()
    with pytest.raises(FileNotFoundError, match="there is no picture in"):
        open_session(None, None, answers=None, images=tmp_path / "none")


@pytest.mark.slow
def test_ask__names_alone_are_enough_for_a_model(tmp_path):
    tree = parse_newick("(((a,b),(c,d)),(((e,f),g),((h,i),j)));")
    odd = {frozenset((x, y, z)): z for x, y, z in all_triplets(tree)}
    clear = TripletSet.from_labels([("a", "b", "j"), ("e", "f", "a"), ("h", "i", "c")])
    path, model = tmp_path / "answers.jsonl", OddOneOutClustering()
    design = Design(n_questions=25, overlap=2, repeats=0.1, catch=clear)
    start = {"answers": path, "sample_names": tree.leaves.labels, "design": design, "show": "all"}
    people = ["anna", "ben", "cleo"]
    for stop in (10, 25):  # the second time the study goes on from its file
        with open_session(model, None, **start) as session:
            for number in range(stop):
                for who in people:
                    state = session.state(who)
                    if state["number"] > number:
                        continue
                    rows = [card["row"] for card in state["question"]]
                    reply = tree.leaves.index(odd[frozenset(tree.leaves[k] for k in rows)])
                    session.answer({"who": who, "number": state["number"], "question": rows, "reply": reply})
    assert [len(model.answers_.by(who)) for who in people] == [25, 25, 25]
    assert displays(model.hierarchy_, all_triplets(tree)).mean() > 0.9
    assert model.labels_[:4].tolist() == [0] * 4
    found = session.snapshot()
    assert displays(found.make_hierarchy(), all_triplets(tree)).mean() > 0.9
    files = {name: file.make(session) for name, file in exports_of(session).items()}
    assert list(files) == list(EXPORTS)
    assert parse_newick(files["hierarchy.nwk"]).leaves == tree.leaves
    assert len(files["clusters.csv"].splitlines()) == 11
    assert all(f"<td>{who}</td>" in files["report.html"] for who in people)
    known = session.state("anna")["known"]
    assert sum(row["size"] for row in known["rows"]) == 10


def test_ask__more_people_than_samples_all_get_a_question():
    names = list("abcdefg")
    for X in (None, np.arange(7.0)[:, None]):
        with open_session(OddOneOutClustering(), X, answers=None, sample_names=names) as session:
            asked = [session.state(who)["question"] for who in ("anna", "ben", "cleo", "dora")]
        assert all(asked)
        trios = {frozenset(card["row"] for card in question) for question in asked}
        assert len(trios) == 4


def test_ask__a_design_may_draw_the_trios_that_a_model_learns_from():
    design = Design(trios="random", n_questions=12)
    with (
        open_session(OddOneOutClustering(), None, answers=None, sample_names=range(9), design=design) as session,
        open_session(None, None, answers=None, sample_names=range(9), design=design) as drawn,
    ):
        for number in range(3):
            state, same = session.state("anna"), drawn.state("anna")
            assert state["question"] == same["question"]
            rows = [card["row"] for card in state["question"]]
            for x in (session, drawn):
                x.answer({"who": "anna", "number": number, "question": rows, "reply": max(rows)})
        assert len(session.model.answers_) == 3
        assert sorted(x for answer in session.answers for x in answer.items) == list(range(9))


@pytest.mark.parametrize("language", ["", "de"])
def test_ask__the_page_has_its_language(opened, language):
    session, _ = opened()
    app = make_app(session, TOKEN, accepted_hosts("127.0.0.1"), language)
    client = TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/")
    assert f'data-language="{language}"' in client.get("").text
    script = client.get("ask.js").text
    assert "Was geh\\u00f6rt nicht dazu?" in script


def test_ask__pairs_are_shown_in_an_order_that_is_drawn(X):
    with open_session(OddOneOutClustering(questions="pairs"), X, answers=None) as session:
        orders = set()
        for k in range(12):
            rows = [card["row"] for card in session.state("anna")["question"]]
            assert len(rows) == 2
            orders.add(rows[0] < rows[1])
            state = session.answer({"who": "anna", "number": k, "question": rows, "reply": "different"})
            assert state["number"] == k + 1
        assert orders == {True, False}
