"""Names of people: who may take part, how many, from where, and how they are forgotten; a page behind a proxy."""

import asyncio
import json
import warnings

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from tripletree.ask import Design, open_session, server
from tripletree.errors import ParseError
from tripletree.io import forget_person, read_answers

TOKEN = "a-token"
NAMES = list("abcdefgh")


def client_of(session, public=None):
    app = server.make_app(session, TOKEN, server.accepted_hosts("127.0.0.1", public))
    return TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/", raise_server_exceptions=False)


# ---------------------------------------------------------------------- who may take part


def test_names__only_those_invited_take_part():
    with open_session(None, None, answers=None, sample_names=NAMES, design=Design(invited=["k7", " x  1 "])) as session:
        client = client_of(session)
        assert client.get("state").json()["nameless"]
        state = client.get("state", params={"who": "x 1"}).json()
        rows = [card["row"] for card in state["question"]]
        message = {"number": 0, "question": rows, "reply": rows[0]}
        for who in ("K7", "k8"):
            refused = client.get("state", params={"who": who})
            assert (refused.status_code, refused.json()["key"]) == (403, "errorNotInvited")
            assert client.post("answer", json={**message, "who": who}).status_code == 403
        assert client.post("answer", json={**message, "who": None}).status_code == 409
        assert client.post("answer", json={**message, "who": "x 1"}).json()["number"] == 1


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ("k7", TypeError, "invited must be a sequence of names, not"),
        ([], ValueError, "invited has no name"),
        (["a", " "], ValueError, "invited must hold names that are texts"),
        ([7], ValueError, "invited must hold names that are texts"),
    ],
)
def test_names__a_design_refuses_other_lists(wrong, error, message):
    with pytest.raises(error, match=message):
        Design(invited=wrong)


def test_names__many_from_one_address_drive_out_nobody_elsewhere(monkeypatch):
    monkeypatch.setattr("tripletree.ask.session.MAX_PEOPLE", 4)
    with open_session(None, None, answers=None, sample_names=NAMES) as session:
        first = session.state("ida", place="10.0.0.1")
        session.state("jo", place="10.0.0.1")
        for k in range(20):
            assert session.state(f"made up {k}", place="10.9.9.9")["question"]
            assert len(session._shown) <= 4
        assert {"ida", "jo", "made up 18", "made up 19"} == set(session._shown)
        again = session.state("ida", place="10.0.0.1")
        assert again["question"] == first["question"]
        assert session.state("made up 3", place="10.9.9.9")["question"]  # comes back
        assert {"ida", "jo"} < set(session._shown)


# ---------------------------------------------------------------------- forgotten


LINES = [
    '{"tripletree": "answers", "version": 1}',
    '{"items": ["a", "b", "c"], "answer": "alike", "who": "ida"}',
    '{"items": ["a", "b", "c"], "answer": "odd", "odd": "c", "who": "jo"}',
    '{"items": ["a", "b", "d"], "answer": "unsure", "who": "ida"}',
    '{"undo": true, "who": "ida"}',
    '{"items": ["ida", "b", "d"], "answer": "unsure"}',
]


def test_forget__removes_all_that_a_person_said_and_nothing_else(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    assert forget_person(path, "ida") == 3
    assert path.read_text().splitlines() == [LINES[0], LINES[2], LINES[5]]
    before = path.stat().st_mtime_ns
    assert forget_person(path, "nobody") == 0
    assert path.stat().st_mtime_ns == before
    assert len(read_answers(path)) == 2
    table = tmp_path / "a.csv"
    table.write_text("a,b,c,odd,who\nx,y,z,x,ida\n")
    with pytest.raises(ParseError, match="not a file of JSON lines"):
        forget_person(table, "ida")


def test_forget__in_the_shell(tmp_path):
    from click.testing import CliRunner

    from tripletree.cli import main

    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    with open_session(None, None, answers=path, sample_names=["a", "b", "c", "d", "ida"]):
        busy = CliRunner().invoke(main, ["answers", str(path), "--forget", "ida"])
        assert busy.exit_code == 2
        assert "another page writes" in busy.stderr
    done = CliRunner().invoke(main, ["answers", str(path), "--forget", "ida"])
    assert "3 lines by ida removed" in done.stdout
    again = CliRunner().invoke(main, ["answers", str(path), "--forget", "ida"])
    assert again.exit_code == 2
    assert "nothing is by 'ida'" in again.stderr


# ---------------------------------------------------------------------- behind a proxy


def test_proxy__the_public_name_is_known_and_others_are_not():
    with open_session(None, None, answers=None, sample_names=NAMES) as session:
        client = client_of(session, "https://study.example.org/odd/")
        site = {"host": "study.example.org", "origin": "https://study.example.org"}
        assert client.get("state", headers=site).status_code == 200
        assert client.get("state", headers={**site, "origin": "https://evil.example"}).status_code == 403
        for host in ("evil.example", "study.example.org.evil.example", "xstudy.example.org"):
            assert client.get("state", headers={"host": host}).status_code == 421
        assert client_of(session).get("state", headers={"host": "study.example.org"}).status_code == 421


@pytest.mark.parametrize(
    "public",
    ["study.example.org", "ftp://x.org/", "https://", "https://x.org/?a=1", "https://me@x.org/", "https://[x/"],
)
def test_proxy__what_is_no_address_is_refused(public):
    with pytest.raises(ValueError, match="the public address must be like"):
        server.check_public(public)


def test_proxy__addresses_are_below_the_public_one():
    assert server.check_public("https://x.org/odd") == "https://x.org/odd/"
    assert server.check_public(None) is None
    place = server.Place(None, "people", None, "leader")
    assert place.addresses("https://x.org/odd/") == ("https://x.org/odd/people/", "https://x.org/odd/leader/")
    assert server.Place(None, "people").addresses("http://h:1/") == ("http://h:1/people/", None)


@pytest.mark.parametrize("public", [None, "https://study.example.org/"])
def test_proxy__who_is_asking_is_believed_only_behind_one(public, monkeypatch):
    """The address that a proxy tells is that of the person. Without a public address anybody could make one up."""
    with open_session(None, None, answers=None, sample_names=NAMES) as session:
        sock = server.listen("127.0.0.1", 0).sock

        async def both():
            app = server.make_app(session, TOKEN, server.accepted_hosts("127.0.0.1", public))
            serving = server.uvicorn.Server(server.settings(app, public))
            task = asyncio.create_task(serving.serve(sockets=[sock]))
            reader, writer = await asyncio.open_connection("127.0.0.1", sock.getsockname()[1])
            head = f"GET /{TOKEN}/state?who=ida HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.1.2.3\r\n\r\n"
            writer.write(head.encode())
            told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            writer.close()
            serving.should_exit = True
            await task
            return told

        assert b" 200 " in asyncio.run(both())
        assert session._places == {"ida": "10.1.2.3" if public else "127.0.0.1"}


def test_proxy__a_study_file_has_names(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from tripletree.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "codes.txt").write_text("k1\n\n k2\n")
    (tmp_path / "names.csv").write_text("name\na\nb\nc\nd\n")
    (tmp_path / "study.toml").write_text('trios = "random"\ninvited = "codes.txt"\nquestions = 2\n')
    seen = []
    real = Design.__post_init__
    monkeypatch.setattr(Design, "__post_init__", lambda self: (real(self), seen.append(self.invited)))
    (tmp_path / "answers.jsonl").write_text(json.dumps({"items": ["a", "b", "c"], "answer": "alike"}) + "\n")
    done = CliRunner().invoke(main, ["ask", "names.csv", "--study", "study.toml", "--export", "out"])
    assert done.exit_code == 0, done.output
    assert seen[-1] == ("k1", "k2")
