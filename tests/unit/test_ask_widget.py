"""The questions as a widget of notebooks: the answers of its kernel's side."""

import numpy as np
import pytest

pytest.importorskip("anywidget")
pytest.importorskip("starlette")

from asking_model import RandomQuestions

from tripletree.ask import widget
from tripletree.cluster import OddOneOutClustering
from tripletree.io import read_answers

X = np.repeat(np.eye(3) * 9, 5, axis=0) + np.arange(15)[:, None] / 50


@pytest.fixture
def asked(monkeypatch):
    """Send a message to a widget as the page does. Gives its reply."""

    def call(view, kind, **body):
        sent = []
        monkeypatch.setattr(view, "send", lambda content, buffers=None: sent.append((content, buffers)))
        view._handle_custom_msg({"id": "1 0.5", "kind": kind, "body": body}, [])
        (content, buffers), *others = sent
        assert content["id"] == "1 0.5"
        done = kind in ("answer", "undo") and "error" not in content
        assert [list(more) for more, _ in others] == [["changed"]] * done  # other views of the widget hear of it
        return content if "error" in content else (content["body"], buffers) if buffers else content["body"]

    return call


def test_widget__asks_and_keeps(asked, tmp_path):
    model = OddOneOutClustering()
    view = widget(model, X, answers=tmp_path / "a.jsonl", who="anna")
    assert view.who == "anna"
    assert asked(view, "setup")["samples"] == 15
    state = asked(view, "state", who="anna", version=None)
    rows = [card["row"] for card in state["question"]]
    after = asked(view, "answer", who="anna", number=0, question=rows, reply="different")
    assert after["number"] == 1
    (answer,) = read_answers(tmp_path / "a.jsonl")
    assert (answer.items, answer.kind, answer.who) == (tuple(rows), "different", "anna")
    assert list(model.answers_) == [answer]
    assert model.n_clusters_ == 5
    back = asked(view, "undo", who="anna", number=1)
    assert back["question"] == state["question"]
    assert len(model.answers_) == len(read_answers(tmp_path / "a.jsonl")) == 0


def test_widget__a_cell_that_runs_again_goes_on(asked):
    model = OddOneOutClustering()
    view = widget(model, X)
    rows = [card["row"] for card in asked(view, "state", who=None, version=None)["question"]]
    asked(view, "answer", who=None, number=0, question=rows, reply=rows[0])
    again = widget(model, X)
    assert asked(again, "state", who=None, version=None)["number"] == 1
    assert asked(widget(model, X[:12]), "state", who=None, version=None)["number"] == 0


def test_widget__errors_are_sent_to_the_page(asked):
    view = widget(RandomQuestions(), X)
    for kind, body in (("nonsense", {}), ("answer", {}), ("image", {"row": 0}), ("state", {"who": 5}), ("undo", {})):
        told = asked(view, kind, **body)
        assert told["status"] in (400, 409)
        assert told["error"]
    for content in (None, [], "x", {}, {"kind": "state"}, {"kind": "state", "body": 1}):
        view._handle_custom_msg(content, [])  # nobody is there to hear it: nothing is raised
    assert len(view.session.model.answers_) == 0


def test_widget__sends_pictures(asked, tmp_path):
    (tmp_path / "3.png").write_bytes(b"\x89PNG\r\n\x1a\n...")
    view = widget(RandomQuestions(), X, images=tmp_path)
    assert asked(view, "image", row=3) == ({"type": "image/png"}, [b"\x89PNG\r\n\x1a\n..."])
    for row in (4, -1, 15, "3", None, True):
        assert "error" in asked(view, "image", row=row)


def test_widget__takes_names_of_a_data_frame(asked):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, index=[f"s{k}" for k in range(15)], columns=["a", "b", "c"])
    view = widget(OddOneOutClustering(), table)
    assert [x["name"] for x in asked(view, "setup")["columns"]] == ["a", "b", "c"]
    assert all(card["name"].startswith("s") for card in asked(view, "state", who=None, version=None)["question"])


def test_widget__is_one_module_with_its_style():
    view = widget(RandomQuestions(), X)
    assert "export default { render }" in view._esm
    assert ".tt-ask" in view._css
