"""The address of the page, which stays the same when the page is started again."""

import os
import socket
import stat
import warnings

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from tripletree.ask import open_session, server
from tripletree.ask.address import keep_address, path_of_address, read_address
from tripletree.errors import ParseError

TOKEN = "abcdefghijklmnop_-0123"


@pytest.fixture
def answers(tmp_path):
    return str(tmp_path / "answers.jsonl")


def test_address__is_kept_for_this_user_alone(answers):
    assert read_address(answers) is None
    keep_address(answers, f"http://[::1]:4321/{TOKEN}/")
    assert read_address(answers) == (4321, TOKEN, None)
    path = path_of_address(answers)
    assert os.path.basename(path) == "answers-address.txt"
    assert os.listdir(os.path.dirname(path)) == ["answers-address.txt"]
    if os.name != "nt":
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_address__a_page_started_again_has_its_port_and_token(answers):
    first = server.listen("127.0.0.1", 0, answers)
    port = first.sock.getsockname()[1]
    first.sock.close()
    keep_address(answers, f"http://127.0.0.1:{port}/{first.token}/")
    again = server.listen("127.0.0.1", 0, answers)
    assert (again.sock.getsockname()[1], again.token) == (port, first.token)
    with pytest.raises(OSError, match=f"port {port}: .* links that people have lead to this port .*--new-address"):
        server.listen("127.0.0.1", 0, answers)
    other = server.listen("127.0.0.1", 0, answers, new_address=True)
    assert other.sock.getsockname()[1] != port
    assert other.token != first.token
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wanted = taken.getsockname()[1]
    moved = server.listen("127.0.0.1", wanted, answers)
    assert (moved.sock.getsockname()[1], moved.token) == (wanted, first.token)
    for place in (again, other, moved):
        place.sock.close()


@pytest.mark.parametrize(
    "text", [b"", b"\xff\xfe", b"nonsense\n", f"people http://127.0.0.1:99999/{TOKEN}/\n".encode(), b"people http://x:1/short/\n"]
)  # fmt: skip
def test_address__a_file_of_something_else_is_told_with_the_cure(answers, text):
    with open(path_of_address(answers), "wb") as stream:
        stream.write(text)
    with pytest.raises(ParseError, match=r"answers-address.txt, line 1: .*delete the file or give --new-address"):
        server.listen("127.0.0.1", 0, answers)
    server.listen("127.0.0.1", 0, answers, new_address=True).sock.close()


def test_address__pages_of_an_earlier_run_hear_of_everything():
    versions = set()
    for _ in range(2):
        with open_session(None, None, answers=None, sample_names=list("abcd")) as session:
            state = session.state("anna")
            versions.add(state["version"])
            assert session.state("anna", state["version"]) is None
    assert len(versions) == 2
    app = server.make_app(session, TOKEN, server.accepted_hosts("127.0.0.1"))
    client = TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/")
    old = versions - {state["version"]}
    assert client.get("state", params={"who": "anna", "version": old.pop()}).status_code == 200
