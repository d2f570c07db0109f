"""The words of a study, and its file."""

import json
import warnings

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from tripletree import TripletSet
from tripletree.ask import Design, Wording, open_session, serve, server
from tripletree.ask.texts import texts_of

TOKEN = "abcdefghijklmnop_-0123"


@pytest.fixture
def opened():
    sessions = []

    def call(wording=None, **design):
        more = {"sample_names": list("abcdefg"), "design": Design(**design), "wording": wording}
        sessions.append(open_session(None, None, answers=None, **more))
        app = server.make_app(sessions[-1], TOKEN, server.accepted_hosts("127.0.0.1"))
        return sessions[-1], TestClient(app, base_url=f"http://127.0.0.1:8000/{TOKEN}/")

    yield call
    for session in sessions:
        session.close()


def answer(client, reply=0, who="anna"):
    state = client.get("state", params={"who": who}).json()
    rows = [card["row"] for card in state["question"]]
    message = {"who": who, "number": state["number"], "question": rows}
    return client.post("answer", json={**message, "reply": rows[reply] if isinstance(reply, int) else reply})


def texts_in(client):
    line = client.get("ask.js").text.partition("\n")[0]
    return json.loads(line.removeprefix("const TEXTS = ").removesuffix(";"))


def test_wording__takes_the_places_of_the_texts_of_the_page(opened):
    wording = Wording(question={"de": "Welche?", "fr": "Laquelle ?"}, end="Thanks", consent="Yes?")
    _, client = opened(wording)
    texts = texts_in(client)
    assert list(texts) == ["de", "fr"]
    own = {"question": "Laquelle ?", "allAnsweredText": "Thanks", "thanksText": "Thanks", "consentText": "Yes?"}
    assert texts["fr"] == {**texts_of("fr"), **own}
    assert "consentText" not in texts_of("fr")
    assert list(texts_in(opened()[1])) == ["en", "de", "fr"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"question": ""}, "question must be a text that is not empty"),
        ({"end": 5}, "end must be a text that is not empty"),
        ({"consent": {"en": " "}}, "consent must be a text that is not empty"),
        ({"completion_code": {"en": "x"}}, "completion_code must be a text that is not empty"),
        ({"question": {"nl": "Welke?"}}, "question: there is no language 'nl'; expected texts for some of en, de, fr"),
        ({"question": {}}, "question: it has no text"),
        ({"return_address": "javascript:alert(1)"}, "return_address must begin with https:// or http://"),
        ({"question": {"de": "Welches?"}, "end": {"fr": "Merci"}}, "no language has all texts"),
    ],
)
def test_wording__bad_texts_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Wording(**given)


def test_wording__a_language_without_texts_is_refused_before_anything_is_opened(tmp_path):
    with pytest.raises(ValueError, match="the texts of the study have no language 'fr', only de"):
        serve(sample_names="abc", answers=tmp_path / "a.jsonl", language="fr", wording=Wording(end={"de": "Danke"}))
    assert list(tmp_path.iterdir()) == []


def test_wording__nobody_sees_the_completion_code_before_the_end(opened):
    wording = Wording(completion_code="C0FFEE", return_address="https://lab.example/?id={who}&done")
    _, client = opened(wording, n_questions=2)
    before = [client.get(path).text for path in ("", "ask.js", "setup", "state?who=an%26na")]
    assert not any("C0FFEE" in text or "lab.example" in text for text in before)
    assert "end" not in answer(client, who="an&na").json()
    assert answer(client, who="an&na").json()["end"] == {
        "code": "C0FFEE",
        "address": "https://lab.example/?id=an%26na&done",
    }


def test_design__a_forced_choice_takes_nothing_else(opened):
    session, client = opened(forced_choice=True)
    for reply in ("alike", "different", "unsure"):
        done = answer(client, reply)
        assert (done.status_code, done.json()["error"]) == (400, "reply must be one of the samples shown")
    assert answer(client, 1).status_code == 200
    assert [x.kind for x in session.answers] == ["odd"]
    assert client.get("setup").json()["forced"] is True


def test_design__a_fixed_number_is_not_exceeded(opened):
    for fixed, status in ((False, 200), (True, 409)):
        session, client = opened(n_questions=1, fixed=fixed)
        assert answer(client).status_code == 200
        done = answer(client)
        assert (done.status_code, done.json().get("key")) == (status, "errorAllAnswered" if fixed else None)
        assert len(session.answers) == 2 - fixed


def test_design__practice_is_sent_with_its_odd_ones_and_not_kept(opened):
    session, client = opened(practice=TripletSet.from_labels([("a", "b", "g"), ("c", "d", "e")]))
    found = client.get("setup").json()["practice"]
    names = [[card["name"] for card in trio["question"]] for trio in found]
    assert sorted(map(sorted, names)) == [["a", "b", "g"], ["c", "d", "e"]]
    assert {"abcdefg"[trio["odd"]] for trio in found} == {"g", "e"}
    assert len(session.answers) == 0
