"""The page that asks people, in a real browser and with its real server."""

import base64
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from asking_people import MISPLACED, WINDOWS, Person

from tripletree.io import read_answers

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.browser

TESTS = Path(__file__).parents[1]
NASTY = [
    "</script><b>bold</b>",
    "<img src=x onerror=alert(1)>",
    "\"quoted' & ",
    "語 \u202e",
    "{{data}}",
    "-->",
    "a" * 300,
]
#: The server of a table, with the stand-in for the model or the real one; its argument is a file with all else.
SERVER = """
import json, sys
import numpy as np
from tripletree.ask import serve
given = json.load(open(sys.argv[1]))
if given.pop("real"):
    from tripletree.cluster import OddOneOutClustering as Model
else:
    from asking_model import RandomQuestions as Model
serve(Model(), np.array(given.pop("values")), open_browser=False, **given)
"""


def points(n=60, d=4):
    rng = np.random.default_rng(5)
    return (rng.normal(size=(n, d)) + np.repeat(np.eye(3, d) * 9, n // 3, axis=0)).round(3)


@pytest.fixture
def start(tmp_path):
    """Start a server on a file of answers. Gives its process, its address and that file."""
    running = []

    def call(values=None, answers="answers.jsonl", **more):
        values = points() if values is None else values
        more.setdefault("real", False)
        more.setdefault("show", "all")
        names = more.pop("sample_names", [f"sample {k}" for k in range(len(values))])
        given = {"values": values.tolist(), "answers": str(tmp_path / answers), "sample_names": names, **more}
        (tmp_path / "given.json").write_text(json.dumps(given))
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(tmp_path / "given.json")],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])},
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process, process.stdout.readline().strip(), tmp_path / answers

    yield call
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


def status(person):
    return person.page.text(".tt-status")


@pytest.mark.parametrize("count", [8, pytest.param(50, marks=pytest.mark.slow)])
def test_page__questions_with_keys(browser, start, count):
    process, address, path = start()
    anna = Person(browser, address, "anna")
    keys = np.random.default_rng(1).choice(list("123adcADC"), count).tolist()
    said = []
    for k, key in enumerate(keys):
        shown = anna.shown()
        assert len(shown) == 3
        anna.press(key)
        said.append(
            (tuple(shown), {"a": "alike", "d": "different", "c": "unsure"}.get(key.lower()) or shown[int(key) - 1])
        )
        assert f"{k + 1} answered" in anna.page.text(".tt-progress")
        if k == count // 2:
            before = anna.seen()
            anna.reload()
            assert anna.seen() == before
        if k in (2, count - 5):  # takes it back, is shown the same again, and says the same again
            before = anna.seen()
            anna.press("u")
            assert status(anna) == "Taken back: here is the question again."
            assert anna.shown() == shown
            anna.press(key)
            assert anna.seen() == before
    found = [(x.items, x.odd if x.kind == "odd" else x.kind) for x in read_answers(path)]
    assert found == said
    assert {x.who for x in read_answers(path)} == {"anna"}

    # killed without warning, and started again: the same answers, and the same page but for the pictures in the middle
    before = anna.page.run("document.querySelector('.tt-side').innerText")
    anna.close()
    process.kill()
    process.wait()
    _, address, _ = start()
    again = Person(browser, address, "anna")
    assert again.page.run("document.querySelector('.tt-side').innerText") == before
    for _ in range(count):
        again.press("u")
    assert "0 answered" in again.page.text(".tt-progress")
    assert len(read_answers(path)) == 0
    assert again.page.run("document.querySelector('[data-reply=undo]').disabled")
    again.close()


def test_page__a_person_who_knows_the_classes_gets_them(browser, start):
    _, address, path = start(real=True)
    page = Person(browser, address, "anna")
    first = page.seen()
    for _ in range(12):
        kinds = [int(name.split()[1]) // 20 for name in page.shown()]
        same = [kinds.count(kind) for kind in kinds]
        page.press("a" if same == [3, 3, 3] else str(same.index(1) + 1) if 2 in same else "d")
    assert page.page.text(".tt-side h2") == "3 clusters of 60 samples"
    rows = page.page.run("Array.from(document.querySelectorAll('.tt-rows li'), (x) => x.textContent)")
    assert ["20 samples" in row for row in rows] == [True] * 3
    before = page.seen()
    page.reload()
    assert page.seen() == before
    for _ in range(12):
        page.press("u")
    assert page.seen() == first
    assert len(read_answers(path)) == 0
    page.close()


def test_page__clicks_and_names(browser, start):
    _, address, path = start()
    page = Person(browser, address)
    first = page.shown()
    page.page.click_on(".tt-card:nth-child(2)")
    page.wait()
    page.page.click_on("#tt-who")
    page.page.write("Zoë <b>")
    page.press("Enter")
    assert page.page.run("location.search") == "?who=Zo%C3%AB+%3Cb%3E"
    page.page.click_on("[data-reply=alike]")
    page.wait()
    page.page.run("document.querySelector('.tt-card:nth-child(3) button').focus()")
    page.press("Enter")
    page.reload()
    assert page.page.run("document.querySelector('#tt-who').value") == "Zoë <b>"
    page.page.click_on("[data-reply=undo]")
    page.wait()
    found = list(read_answers(path))
    assert [(x.kind, x.who) for x in found] == [("odd", None), ("alike", "Zoë <b>")]
    assert found[0].odd == first[1]
    assert "Zoë <b>" in page.page.text(".tt-people")
    page.close()


def test_page__a_name_without_enter_keeps_the_answer(browser, start):
    _, address, path = start(real=True)
    page = Person(browser, address)
    first = page.shown()
    page.page.click_on("#tt-who")
    page.page.write("anna")
    page.page.click_on(".tt-card:nth-child(2)")
    page.page.wait("document.querySelector('.tt-progress').textContent.startsWith('1 answered')")
    page.wait()
    assert [(x.items, x.odd, x.who) for x in read_answers(path)] == [(tuple(first), first[1], "anna")]
    page.close()


def test_page__another_question_of_that_name_is_shown_and_not_answered(browser, start):
    _, address, path = start()  # the stand-in has other questions for each name
    page = Person(browser, address)
    page.page.click_on("#tt-who")
    page.page.write("anna")
    page.page.click_on(".tt-card:nth-child(2)")
    page.page.wait("document.querySelector('.tt-status').textContent !== ''")
    assert "please answer it" in status(page)
    assert path.read_bytes() == b""
    page.close()


def test_page__a_mouse_held_down_until_the_other_question_is_there_answers_nothing(browser, start):
    _, address, path = start()
    page = Person(browser, address)
    page.page.click_on("#tt-who")
    page.page.write("anna")
    before = page.shown()
    x, y = page.page.run(
        "(() => { const b = document.querySelector('.tt-card:nth-child(2)').getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    page.page.point(x, y)
    page.page.mouse("mousePressed", x, y, button="left", clickCount=1)
    page.wait()
    page.page.wait("document.querySelector('.tt-status').textContent !== ''")
    page.page.mouse("mouseReleased", x, y, button="left", clickCount=1)
    page.page.frames(2)
    assert page.shown() != before
    assert "please answer it" in status(page)
    assert path.read_bytes() == b""
    page.close()


def test_page__no_more_samples_are_settled_than_there_are(browser, start):
    _, address, _ = start(points(18), real=True)
    page = Person(browser, address)
    told = re.search(r"settle about (\d+) samples", page.page.text(".tt-progress"))
    assert int(told[1]) <= 18
    page.close()


def test_page__clusters_are_shown_once_something_is_known(browser, start):
    _, address, _ = start(real=True)
    page = Person(browser, address, "anna")
    assert page.page.text(".tt-side h2") == "Nothing is known yet"
    assert page.page.run("document.querySelectorAll('.tt-rows li').length") == 0
    page.press("c")  # says nothing
    assert page.page.text(".tt-side h2") == "Nothing is known yet"
    page.press("1")
    assert "cluster" in page.page.text(".tt-side h2")
    page.close()


def test_page__cards_tell_their_values_and_scroll_by_keys(browser, start):
    _, address, _ = start(columns=["length", "width", "height", "weight"])
    page = Person(browser, address)
    named = page.page.run("document.querySelector('.tt-pick').ariaLabel")
    shown = page.page.run(
        "Array.from(document.querySelectorAll('.tt-card:first-child .tt-value'), (x) => x.textContent)"
    )
    assert (
        named
        == f"1: {page.shown()[0]}, "
        + ", ".join(
            f"{name} {value}" for name, value in zip(["length", "width", "height", "weight"], shown, strict=True)
        )
        + ": does not belong"
    )
    said = page.page.text(".tt-unseen")
    assert said == "Which one does not belong? " + "; ".join(f"{k}: {x}" for k, x in enumerate(page.shown(), 1))
    page.press("1")
    assert page.page.text(".tt-unseen") != said
    page.close()
    _, address, _ = start(answers="b.jsonl", texts=["A long text. " * 200] * 60)
    page = Person(browser, address)
    assert "A long text" in page.page.run("document.querySelector('.tt-pick').ariaLabel")
    page.page.run("document.querySelector('.tt-text').focus()")
    page.page.call("Input.dispatchKeyEvent", type="keyDown", key="PageDown", windowsVirtualKeyCode=34)
    page.page.wait("document.querySelector('.tt-text').scrollTop > 20")
    page.close()


def test_page__more_than_seven_clusters_look_different(browser, start):
    _, address, _ = start()
    page = Person(browser, address, "anna")
    for _ in range(30):  # the stand-in has nine clusters then
        page.press("1")
    looks = page.page.run(
        "Array.from(document.querySelectorAll('.tt-swatch'), (x) => { const s = getComputedStyle(x);"
        " return [x.className.match(/colour-\\d+/)[0], s.borderColor, s.backgroundColor, s.borderRadius].join(); })"
    )
    names = page.page.run("Array.from(document.querySelectorAll('.tt-row-title b'), (x) => x.textContent)")
    assert len(set(names)) == len(set(looks)) == 9
    page.close()


def test_page__keys_in_the_name_and_held_keys_answer_nothing(browser, start):
    _, address, path = start()
    page = Person(browser, address)
    page.page.click_on("#tt-who")
    for key in "1adu":
        page.press(key)
    page.press("Enter")
    shown = page.shown()
    page.page.call("Input.dispatchKeyEvent", type="keyDown", key="1", text="1", autoRepeat=True)
    page.press("x")
    for modifiers in (1, 2, 4):
        page.page.press("a", modifiers)
    page.wait()
    assert page.shown() == shown
    assert path.read_bytes() == b""
    page.close()


def test_page__two_people_at_once(browser, start):
    _, address, path = start()
    anna, ben = Person(browser, address, "anna"), Person(browser, address, "ben")
    for k in range(6):
        for person in (anna, ben):
            if k or person is anna:
                person.press("123"[k % 3])
    anna.press("u")
    ben.page.call("Page.bringToFront")
    found = read_answers(path)
    assert [len(found.by(x)) for x in ("anna", "ben")] == [5, 5]
    # answers of others appear without a reload
    ben.page.wait("document.querySelector('.tt-people').textContent === 'anna5ben5'")
    for person in (anna, ben):
        person.close()


def test_page__one_person_in_two_windows_counts_nothing_twice(browser, start):
    _, address, path = start()
    one, two = Person(browser, address, "anna"), Person(browser, address, "anna")
    one.press("1")
    two.press("2")
    assert "answered already" in status(two)
    assert two.shown() == one.shown()
    assert len(read_answers(path)) == 1
    one.close()
    found = two.page.complaints(own=[address])  # browsers report a refused request
    assert ["409" in str(x) for x in found] == [True]
    two.page.close()


def test_page__labels_are_shown_and_never_run(browser, start):
    names = [f"{NASTY[k % len(NASTY)]} {k}" for k in range(60)]
    _, address, path = start(sample_names=names, title="</title><script>alert(2)</script>")
    page = Person(browser, address)
    for _ in range(12):
        page.press("1")
    everything = "document.querySelectorAll('#ask b:not(.tt-row-title b), #ask img, #ask script, #ask i').length"
    assert page.page.run(everything) == 0
    assert page.page.run("document.scripts.length") == 1
    assert page.page.text(".tt-title") == "</title><script>alert(2)</script>"
    assert page.page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert {x.odd for x in read_answers(path)} <= set(names)
    page.close()


def test_page__pictures(browser, start, tmp_path):
    from matplotlib.image import imsave

    (tmp_path / "pictures").mkdir()
    for k in range(58):  # two samples have none
        imsave(tmp_path / "pictures" / f"sample {k}.png", np.full((8, 12, 3), k / 60))
    (tmp_path / "pictures" / "sample 3.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    _, address, _ = start(images=str(tmp_path / "pictures"))
    page = Person(browser, address)
    for _ in range(8):
        page.press("c")
        page.page.wait("Array.from(document.images).every((x) => x.complete)")
        cards = page.page.run(
            "Array.from(document.querySelectorAll('.tt-card')).map((x) => [x.querySelector('.tt-name').textContent,"
            " x.querySelector('.tt-picture')?.naturalWidth])"
        )
        for name, width in cards:
            assert width == (None if name in ("sample 3", "sample 58", "sample 59") else 12)
        without = [name for name, _ in cards if name in ("sample 58", "sample 59")]
        assert page.page.run(
            "Array.from(document.querySelectorAll('.tt-card .tt-noimage'), (x) => x.textContent)"
            ".filter((x) => x === 'no picture').length"
        ) == len(without)
    page.close()


@pytest.mark.slow
def test_page__the_end_of_the_plan_and_the_end_of_the_server(browser, start):
    process, address, path = start()
    page = Person(browser, address)
    for _ in range(100):
        page.press("c")
    assert page.page.text("h1") == "All questions are answered"
    page.press("1")
    assert len(read_answers(path)) == 100
    page.page.click_on("#tt-more")
    page.wait()
    page.press("2")
    assert len(read_answers(path)) == 101
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    page.page.press("1")
    page.wait()
    assert "All answers up to here are saved" in status(page)
    assert len(read_answers(path)) == 101
    page.page.close()


def test_page__says_so_when_the_server_answers_again(browser, start):
    _, address, path = start()
    page = Person(browser, address)
    page.page.run("window.fetched = window.fetch; window.fetch = () => Promise.reject(new Error('away')); null")
    page.press("1")
    assert "does not answer" in status(page)
    page.page.run("window.fetch = window.fetched; null")
    page.page.wait("document.querySelector('.tt-status').textContent === 'Connected again.'")
    assert not page.page.run("document.querySelector('.tt-status').classList.contains('tt-wrong')")
    page.press("1")
    assert len(read_answers(path)) == 1
    page.close()


def test_page__the_second_of_two_quick_clicks_answers_nothing(browser, start):
    _, address, path = start()
    page = Person(browser, address, "anna")
    first = page.shown()
    # whatever the speed of the machine, the new question is clicked at the moment it is drawn
    page.page.run("""
    window.clicks = 0;
    new MutationObserver(() => {
      const card = document.querySelector(".tt-card:nth-child(2)");
      if (card) { window.clicks += 1; card.click(); document.querySelector("[data-reply=undo]").click(); }
    }).observe(document.querySelector(".tt-cards"), { childList: true });
    """)
    page.page.click_on(".tt-card:nth-child(1)")
    page.page.wait("window.clicks > 0")
    page.wait()
    assert [x.items for x in read_answers(path)] == [tuple(first)]
    assert "1 answered" in page.page.text(".tt-progress")
    page.close()


def test_page__goes_on_by_itself_after_a_restart(browser, start):
    process, address, path = start()
    page = Person(browser, address, "anna")
    page.press("1")
    process.kill()
    process.wait()
    page.page.press("2")
    page.wait()
    assert "goes on by itself" in status(page)
    assert start()[1] == address
    page.page.wait("document.querySelector('.tt-status').textContent === 'Connected again.'")
    page.press("2")
    assert len(read_answers(path)) == 2
    page.page.close()  # the console has the failed requests


def test_page__a_state_that_comes_after_an_answer_is_out_of_date(browser, start):
    _, address, path = start()
    page = Person(browser, address)
    # the regular request is answered whole, and only when it is let go, as from a slow server
    page.page.run("""
    window.fetched = window.fetch;
    window.fetch = async (address, options) => {
      const found = await window.fetched(address.replace(/version=[^&]*/, "version=none"), options);
      if (address.startsWith("state")) await new Promise((go) => { window.letGo = go; });
      return found;
    };
    null
    """)
    page.page.wait("window.letGo !== undefined")
    page.page.run("window.fetch = window.fetched; null")
    page.press("c")
    after = page.seen()
    assert "1 answered" in after
    page.page.run("window.letGo(); null")
    page.page.frames(2)
    assert page.seen() == after
    page.press("c")
    assert "2 answered" in page.seen()
    page.close()
    assert len(read_answers(path)) == 2


def test_page__other_sites_cannot_answer(browser, start, tmp_path):
    _, address, path = start()
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><title>other</title><p>other</p>")
    page = browser.open(other)
    message = json.dumps({"who": None, "number": 0, "question": [0, 1, 2], "reply": "alike"})
    for options in (
        {"method": "POST", "body": message, "headers": {"Content-Type": "application/json"}},
        {"method": "POST", "body": message, "mode": "no-cors", "headers": {"Content-Type": "text/plain"}},
        {"mode": "no-cors"},
    ):
        answered = page.run(
            f"fetch({json.dumps(address + 'state')}, {json.dumps(options)}).then((r) => r.type, () => 'refused')"
        )
        assert answered in ("refused", "opaque")
    inside = page.run(f"""
    new Promise((done) => {{
      const frame = document.createElement("iframe");
      frame.onload = () => {{ try {{ done(frame.contentDocument); }} catch {{ done(null); }} }};
      frame.src = {json.dumps(address)};
      document.body.append(frame);
    }})
    """)
    assert inside is None
    page.close()
    assert path.read_bytes() == b""


SCROLLBAR = """
(() => {
  const box = document.createElement("div");
  Object.assign(box.style, { position: "fixed", width: "90px", height: "90px", overflow: "scroll" });
  document.body.append(box);
  const width = box.offsetWidth - box.clientWidth;
  box.remove();
  return width;
})()
"""


@pytest.mark.parametrize(
    "kind", ["numbers", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("columns", "texts"))]
)
def test_page__fits_every_window(browser, start, kind):
    values = points(60, 40 if kind == "columns" else 4)
    texts = (
        [("An answer with some words. " * (1 + k % 40)) + "x" * (k * 3) for k in range(60)] if kind == "texts" else None
    )
    _, address, _ = start(
        values, texts=texts, columns=[f"a column with a long name {k}" for k in range(values.shape[1])]
    )
    page = Person(browser, address, "anna", width=1200, height=800)
    for _ in range(9):
        page.press("1")
    assert page.page.run(SCROLLBAR) >= 10
    for width, height in WINDOWS:
        page.page.resize(width, height)
        page.page.frames(3)
        assert page.page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert page.page.run(MISPLACED) == 0
        if height >= 700:  # the question and its replies without scrolling
            low = page.page.run(
                "Math.max(...Array.from(document.querySelectorAll('.tt-replies button'),"
                " (x) => x.getBoundingClientRect().bottom))"
            )
            assert low <= height
    page.close()


# ---------------------------------------------------------------------- the widget of notebooks

#: A model as notebooks hand it to a widget's module: messages wait in a list.
MODEL = """
window.sent = []; window.heard = []; window.keys = [];
window.model = {
  handlers: [],
  values: { who: "anna" },
  get(name) { return this.values[name]; },
  set(name, value) { this.values[name] = value; },
  save_changes() {},
  send: (message) => sent.push(message),
  on(name, act) { this.handlers.push(act); },
  off(name, act) { this.handlers = this.handlers.filter((x) => x !== act); },
};
document.addEventListener("keydown", (event) => keys.push(event.key));
// Jupyter Notebook looks for shortcuts before others hear of a key: from the target up to what forbids or matches them.
window.shortcuts = [];
document.addEventListener("keydown", (event) => {
  for (let at = event.target; at; at = at.parentElement) {
    if (at.hasAttribute("data-lm-suppress-shortcuts")) return;
    if (!at.matches("#cell :focus:not(:read-write)")) continue;
    shortcuts.push(event.key);
    event.stopPropagation();
    return;
  }
}, true);
"""


class Notebook:
    """A page with a widget, and the kernel behind it."""

    def __init__(self, browser, folder, widget):
        (folder / "notebook.html").write_text("<!doctype html><title>notebook</title><div id='cell'></div>")
        self.page, self.widget = browser.open(folder / "notebook.html", before=MODEL), widget
        self.page.run(f"model.values._still = {json.dumps(widget._still)}")
        self.page.run(
            "document.head.append(Object.assign(document.createElement('style'),"
            f" {{textContent: {json.dumps(widget._css)}}}))"
        )
        self.page.run(
            f"(async () => {{ const code = new Blob([{json.dumps(widget._esm)}], {{ type: 'text/javascript' }});"
            " window.module = (await import(URL.createObjectURL(code))).default;"
            " window.end = module.render({ model, el: document.querySelector('#cell') }); })()"
        )
        self.work()

    def work(self):
        """Answer messages until there are none."""
        while True:
            for message in self.page.run("sent.splice(0)"):
                replies = []
                self.widget.send = lambda content, buffers=None, replies=replies: replies.append(
                    (content, buffers or [])
                )
                self.widget._received(self.widget, message, [])
                for content, buffers in replies:
                    data = [base64.b64encode(x).decode() for x in buffers]
                    self.page.run(
                        f"model.handlers.forEach((act) => act({json.dumps(content)}, {json.dumps(data)}"
                        ".map((x) => new DataView(Uint8Array.from(atob(x), (c) => c.charCodeAt(0)).buffer))))"
                    )
            self.page.frames(2)
            roots = "[document, ...Array.from(document.querySelectorAll('*'), (x) => x.shadowRoot).filter(Boolean)]"
            every = f"{roots}.flatMap((root) => Array.from(root.querySelectorAll('.tt-ask, .tt-side')))"
            busy = f"{every}.some((x) => x.ariaBusy === 'true')"
            if not self.page.run(f"sent.length || {busy}"):
                return

    def press(self, key):
        self.page.press(key)
        self.work()


def test_widget__in_a_page_as_notebooks_make_it(browser, tmp_path):
    pytest.importorskip("anywidget")
    from asking_model import RandomQuestions
    from matplotlib.image import imsave

    from tripletree.ask import widget

    (tmp_path / "pictures").mkdir()
    for k in range(60):
        imsave(tmp_path / "pictures" / f"{k}.png", np.full((8, 12, 3), k / 60))
    model = RandomQuestions()
    view = widget(model, points(), answers=tmp_path / "a.jsonl", who="anna", images=tmp_path / "pictures")
    notebook = Notebook(browser, tmp_path, view)
    page = notebook.page
    notebook.press("1")  # the notebook's own key: the widget has no focus
    assert model.given == []
    page.run("document.querySelector('.tt-ask').focus()")
    for key in "1ad2c":
        notebook.press(key)
    notebook.press("u")
    assert [x.kind for x in read_answers(tmp_path / "a.jsonl")] == ["odd", "alike", "different", "odd"]
    assert {x.who for x in model.given} == {"anna"}
    assert page.run("keys") == ["1"]  # none of the others reached the notebook
    page.wait("Array.from(document.images).every((x) => x.complete && x.naturalWidth === 12)")
    assert page.run("shortcuts") == []
    assert page.run("document.querySelectorAll('.tt-exports').length") == 0
    for width in (500, 900, 1400):
        page.resize(width, 800)
        page.frames(2)
        assert page.run(MISPLACED) == 0
    if "TRIPLETREE_SHOTS" in os.environ:
        page.screenshot(Path(os.environ["TRIPLETREE_SHOTS"]) / "widget.png")
    page.run("end()")
    assert page.run("model.handlers.length") == 0
    assert page.complaints(own=["blob:"]) == []
    page.close()


@pytest.fixture
def notebook(browser, tmp_path):
    """Show a widget that keeps no file in a page as notebooks make it."""
    pytest.importorskip("anywidget")
    from asking_model import RandomQuestions

    from tripletree.ask import widget

    shown = []

    def call(**more):
        model = RandomQuestions()
        shown.append(Notebook(browser, tmp_path, widget(model, points(), show="all", **more)))
        return shown[-1], model

    yield call
    for each in shown:
        assert each.page.complaints(own=["blob:"]) == []
        each.page.close()


@pytest.mark.parametrize("shadow", [False, True])
def test_widget__keys_go_on_after_a_click(notebook, shadow):
    view, model = notebook()
    page = view.page
    if shadow:  # marimo puts widgets there
        page.run("""
        (() => {
          document.querySelector("#cell").replaceChildren();
          const root = document.querySelector("#cell").attachShadow({ mode: "open" });
          root.append(document.querySelector("style").cloneNode(true), document.createElement("div"));
          module.render({ model, el: root.lastChild });
          window.inside = root;
        })()
        """)
        view.work()
    else:
        page.run("window.inside = document; null")
    place = (
        "(() => {{ const b = inside.querySelector('{}').getBoundingClientRect();"
        " return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
    )
    for k, where in enumerate((".tt-card:nth-child(2)", ".tt-pick", "[data-reply=alike]", "[data-reply=undo]")):
        page.click(*page.run(place.format(where)))
        view.work()
        before = len(model.given)
        view.press("2")
        assert len(model.given) == before + 1, where
        if k in (1, 2):  # at the same place of the new question
            assert page.run(f"inside.activeElement === inside.querySelector('{where}')")
    assert page.run("shortcuts") == []


def test_widget__without_a_file_says_so_and_offers_one(notebook):
    view, model = notebook()
    view.widget.session.study.n_questions = 2
    page = view.page
    page.run("document.querySelector('.tt-ask').focus()")
    view.press("1")
    assert "A restart of the kernel loses the answers" in page.text(".tt-unsaved")
    view.press("2")
    assert "on disk" not in page.text(".tt-done")
    assert "in the memory of this notebook only" in page.text(".tt-done")
    page.run("URL.createObjectURL = (blob) => { window.blob = blob; return 'data:,'; };"
             " HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; null")  # fmt: skip
    page.click_on(".tt-done .tt-save")
    view.work()
    assert page.run("saved") == "answers.jsonl"
    text = page.run("blob.text()")
    assert list(read_answers(io.StringIO(text))) == list(model.answers_)


def test_widget__all_views_show_the_same(notebook):
    view, _ = notebook()
    page = view.page
    page.run("document.body.append(Object.assign(document.createElement('div'), { id: 'second' }));"
             " module.render({ model, el: document.querySelector('#second') }); null")  # fmt: skip
    view.work()
    page.run("document.querySelector('#second .tt-ask').focus()")
    view.press("2")
    both = page.run("Array.from(document.querySelectorAll('.tt-ask'), (x) => x.innerText)")
    assert both[0] == both[1]
    assert "1 answered" in both[0]


def test_widget__a_kernel_that_is_silent_is_named(notebook):
    view, _ = notebook()
    page = view.page
    page.run("document.querySelector('.tt-ask').focus()")
    page.press("1")  # nobody works on the message
    page.wait("document.querySelector('.tt-status').textContent.includes('run the cell of this widget again')")
    view.work()
    assert "kernel" not in page.text(".tt-status")
    assert "1 answered" in page.text(".tt-progress")


def test_widget__has_the_theme_of_the_notebook(notebook):
    view, _ = notebook()
    page = view.page
    ground = "getComputedStyle(document.querySelector('.tt-ask')).backgroundColor"
    assert page.run(ground) == "rgb(255, 255, 255)"
    for colour, theme in [
        ("#111111", "rgb(22, 24, 28)"),
        ("oklch(0.99 0.01 90)", "rgb(255, 255, 255)"),
        ("color(srgb 0.1 0.1 0.1)", "rgb(22, 24, 28)"),
    ]:
        page.run(f"document.body.style.background = '{colour}'; null")
        page.frames(2)
        assert page.run(ground) == theme, colour
    # the element comes into the notebook after the widget was drawn in it
    page.run("""
    window.late = document.createElement("div");
    module.render({ model, el: late });
    requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector("#cell").replaceChildren(late)));
    null
    """)
    page.frames(6)
    assert page.run(ground) == "rgb(22, 24, 28)"
    view.work()


def test_widget__leaves_a_sentence_in_a_notebook_without_a_kernel(notebook):
    from notebook_outputs import outputs_of

    view, _ = notebook()
    live, still = outputs_of(view.widget)
    assert "application/vnd.jupyter.widget-view+json" in live
    assert "text/html" not in live
    assert "0 answers so far, in memory only. Run the cell again" in still["text/html"]
    page = view.page
    text = json.dumps(still["text/html"])
    page.run(f"document.body.append(document.createRange().createContextualFragment({text})); null")
    assert page.run("document.body.lastChild.offsetHeight") == 0  # as long as the widget is there
    page.run("document.querySelector('#cell').replaceChildren()")
    assert page.run("document.body.lastChild.offsetHeight") > 0
