"""A study of ten pictures: three people in a real browser, a server that is killed in the middle, and its report."""

import csv
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from asking_people import MISPLACED, WINDOWS, Person

from tripletree import TripletSet
from tripletree.ask.texts import texts_of
from tripletree.io import read_answers, write_triplets

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytestmark = pytest.mark.browser

HOUSE = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HOUSE), *sys.path[:1]])}
#: Kind and colour of each picture: the two ways to sort them.
PICTURES = {
    "p0": ("disc", "red"), "p1": ("disc", "red"), "p2": ("disc", "blue"), "p3": ("disc", "green"),
    "p4": ("square", "red"), "p5": ("square", "blue"), "p6": ("square", "blue"),
    "p7": ("triangle", "green"), "p8": ("triangle", "green"), "p9": ("triangle", "blue"),
}  # fmt: skip
#: Clear by kind and by colour.
CATCH = [("p0", "p1", "p5"), ("p5", "p6", "p8"), ("p7", "p8", "p0"), ("p0", "p1", "p7")]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Ten drawn pictures in a folder."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, RegularPolygon

    folder = tmp_path_factory.mktemp("pictures")
    colours = {"red": "#c8372d", "blue": "#2f6fb4", "green": "#3c9a5f"}
    for k, (name, (kind, colour)) in enumerate(PICTURES.items()):
        figure = Figure((2, 2), dpi=120)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(-1, 1), ylim=(-1, 1))
        axes.axis("off")
        size, more = 0.45 + 0.07 * (k % 4), {"facecolor": colours[colour], "edgecolor": "#222222", "linewidth": 3}
        shape = Circle((0, 0), size, **more) if kind == "disc" else None
        sides, turn = (4, np.pi / 4) if kind == "square" else (3, 0.1 * k)
        axes.add_patch(shape or RegularPolygon((0, 0), sides, radius=size * 1.2, orientation=turn, **more))
        figure.savefig(folder / f"{name}.png")
    return folder


@contextmanager
def servers(folder, pictures):
    """Start `tripletree ask` on the pictures. Gives its process and its address."""
    running = []

    def call(*options):
        command = [
            sys.executable,
            "-m",
            "tripletree",
            "ask",
            "--images",
            str(pictures),
            "--no-browser",
            *map(str, options),
        ]
        process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
        running.append(process)
        return process, process.stdout.readline().strip()

    yield call
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def ask(tmp_path, pictures):
    with servers(tmp_path, pictures) as call:
        yield call


@pytest.fixture(scope="module")
def study(tmp_path_factory, pictures):
    """The address of a study that nobody answers."""
    with servers(tmp_path_factory.mktemp("study"), pictures) as call:
        yield call()[1]


def by(part, cards):
    """The reply of somebody who sorts by kind (0) or by colour (1): a key of the page."""
    seen = [PICTURES[name][part] for name in cards]
    same = [seen.count(x) for x in seen]
    return "a" if same == [3, 3, 3] else str(same.index(1) + 1) if 2 in same else "d"


def cards(person):
    """The names of the pictures on show, which the page does not have."""
    names = list(PICTURES)
    return [
        names[k] for k in person.page.run("Array.from(document.querySelectorAll('.tt-card'), (x) => +x.dataset.row)")
    ]


def seen(person):
    """Wait until all pictures are there."""
    person.page.wait("Array.from(document.querySelectorAll('.tt-card img')).every((x) => x.complete && x.naturalWidth)")


def shot(person, name):
    if "TRIPLETREE_SHOTS" in os.environ:
        seen(person)
        person.page.call("Page.bringToFront")
        person.page.screenshot(Path(os.environ["TRIPLETREE_SHOTS"]) / f"{name}.png")


@pytest.mark.slow
def test_study__of_ten_pictures_by_three_people(browser, ask, tmp_path):
    write_triplets(TripletSet.from_labels(CATCH), tmp_path / "catch.txt")
    options = ("--catch", "catch.txt", "--catch-share", 0.15, "--overlap", 3, "--repeats", 0.1, "--questions", 30)
    rng = np.random.default_rng(3)
    path = tmp_path / "answers.jsonl"
    said = {"anna": [], "carl": [], "eve": []}

    def answer(person, who):
        seen(person)
        shown = cards(person)
        if who != "carl":
            time.sleep(0.2)
        key = str(rng.integers(1, 4)) if who == "carl" else by({"anna": 0, "eve": 1}[who], shown)
        person.press(key)
        said[who].append((tuple(shown), {"a": "alike", "d": "different"}.get(key) or shown[int(key) - 1]))

    def left(person):
        return int(person.page.text(".tt-progress").split(" · ")[1].split()[0])

    process, address = ask(*options)
    people = {who: Person(browser, address, who) for who in said}
    shot(people["anna"], "study")
    people["anna"].page.resize(390, 844)
    shot(people["anna"], "study-phone")
    people["anna"].page.resize(1200, 800)
    for who, person in people.items():  # nothing that could sway anybody
        assert not person.page.run("document.querySelectorAll('.tt-side:not([hidden]), .tt-name').length")
        assert not any(name in person.page.run("document.body.outerHTML") for name in PICTURES)
        assert left(person) == 30, who
    for _ in range(4):  # at the same time
        for who, person in people.items():
            answer(person, who)
    for who, number in (("carl", 8), ("eve", 8), ("anna", 26)):  # anna goes on until she has finished
        for _ in range(number):
            answer(people[who], who)
    assert people["anna"].page.text("h1") == "All questions are answered"
    shot(people["anna"], "study-done")

    process.kill()
    process.wait()
    for person in people.values():
        person.page.close()
    process, address = ask(*options)
    people = {who: Person(browser, address, who) for who in said}
    assert people["anna"].page.text("h1") == "All questions are answered"
    assert [left(person) for person in people.values()] == [0, 18, 18]
    for who in ("carl", "eve"):  # the others get all of their questions though anna has finished
        for _ in range(18):
            answer(people[who], who)
    for person in people.values():
        assert person.page.text("h1") == "All questions are answered"
        person.close()

    answers = read_answers(path)
    for who, expected in said.items():
        assert [(x.items, x.odd if x.kind == "odd" else x.kind) for x in answers.by(who)] == expected
        assert not np.isnan(answers.by(who).seconds).any()
        asked = [frozenset(x.items) for x in answers.by(who)]
        assert {frozenset(x) for x in CATCH} <= set(asked)
        assert len(asked) - len(set(asked)) in (2, 3)
    assert sum(len({x.who for x in answers.about(*shown.items)}) == 3 for shown in answers.by("eve")) >= 25

    command = [sys.executable, "-m", "tripletree", "answers", "answers.jsonl", "--known", "catch.txt"]
    command += ["--people", "people.csv", "-o", "consensus.nwk", "--disputed", "disputed.csv"]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    if "TRIPLETREE_SHOTS" in os.environ:
        (Path(os.environ["TRIPLETREE_SHOTS"]) / "study.txt").write_text(done.stdout)
    with open(tmp_path / "people.csv", newline="") as stream:
        table = {row["who"]: row for row in csv.DictReader(stream)}
    right = {who: int(row["known right"]) / int(row["known"]) for who, row in table.items()}
    assert right["anna"] == right["eve"] == 1
    assert right["carl"] <= 0.5
    assert float(table["anna"]["with itself"]) == float(table["eve"]["with itself"]) == 1
    assert all(float(table["carl"]["median seconds"]) < float(table[who]["median seconds"]) for who in ("anna", "eve"))
    assert [line.split()[0] for line in done.stdout.splitlines() if line.endswith("misses known answers")] == ["carl"]
    assert "Consensus" in done.stdout


@pytest.mark.parametrize("language", ["de", "fr"])
def test_study__the_page_speaks_other_languages(browser, ask, tmp_path, language):
    _, address = ask("--language", language, "--show", "all", "--title", "Formen")
    person, texts = Person(browser, address, "anna"), texts_of(language)
    assert person.page.run("document.documentElement.lang") == language
    assert person.page.text("h1") == texts["question"]
    assert person.page.run("document.title") == f"Formen · {texts['question']}"
    seen(person)
    for reply in ("Alike", "Different", "Unsure"):
        person.press(texts[f"key{reply}"].lower())
    assert [x.kind for x in read_answers(tmp_path / "answers.jsonl")] == ["alike", "different", "unsure"]
    person.press(texts["keyUndo"])
    assert person.page.text(".tt-status") == texts["takenBack"]
    person.press("1")
    assert person.page.text(".tt-progress").startswith(texts["answered"]["other"].format(n=3))
    english = [x for x in texts_of("en").values() if isinstance(x, str) and len(x) > 8 and x not in texts.values()]
    everything = person.page.run("document.querySelector('#ask').outerHTML")
    assert [x for x in english if x in everything] == []
    for width, height in WINDOWS:
        person.page.resize(width, height)
        person.page.frames(3)
        assert person.page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert person.page.run(MISPLACED) == 0
        if width in (390, 1280):
            shot(person, f"study-{language}-{width}")
    person.close()


@pytest.mark.parametrize(("wanted", "language"), [("fr-CH,de;q=0.8", "fr"), ("nl,de-AT", "de"), ("nl", "en")])
def test_study__the_language_is_that_of_the_browser(browser, study, wanted, language):
    person = Person(browser, study)
    agent = person.page.run("navigator.userAgent")
    person.page.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=wanted)
    person.reload()
    assert person.page.run("document.documentElement.lang") == language
    assert person.page.text("h1") == texts_of(language)["question"]
    person.close()


def test_study__a_name_comes_first(browser, ask, tmp_path):
    _, address = ask("--overlap", 2)
    person = Person(browser, address)
    assert person.page.text("h1") == "Welcome"
    assert "Please type your name" in person.page.text(".tt-done")
    shot(person, "study-welcome")
    person.press("1")  # goes into the name, which has the focus
    person.page.write("0 anna")
    person.press("Enter")
    assert person.page.text("h1") == "Which one does not belong?"
    assert person.page.run("location.search") == "?who=10+anna"
    seen(person)
    person.press("2")
    assert [(x.who, x.kind) for x in read_answers(tmp_path / "answers.jsonl")] == [("10 anna", "odd")]
    person.close()


def test_study__the_response_time_begins_when_the_pictures_are_there(browser, ask, tmp_path):
    _, address = ask()
    person = Person(browser, address, "anna")
    seen(person)
    person.page.frames(2)  # a picture is complete a moment before its event
    time.sleep(0.6)
    person.press("1")
    seen(person)
    person.page.frames(2)
    began = time.monotonic()
    time.sleep(0.6)
    person.page.run("document.querySelector('.tt-card img').dispatchEvent(new Event('load')); null")  # comes late
    person.wait()
    person.press("1")
    first, second = read_answers(tmp_path / "answers.jsonl").seconds
    assert first > 0.5
    assert 0 < second < time.monotonic() - began - 0.5
    person.close()


STUDY = """
forced-choice = true
questions = 4
practice = "catch.txt"
break_after = 2
fixed = true
completion_code = "C0FFEE42"
return_address = "https://lab.example/?id={who}"
question = {en = "Odd?", de = "Anders?", fr = "Intrus ?"}
instructions.en = "Look.\\n\\nThen choose."
instructions.de = "Schauen.\\n\\nDann w\u00e4hlen."
instructions.fr = "Regardez.\\n\\nPuis choisissez."
consent = {en = "I take part.", de = "Ich nehme teil.", fr = "Je participe."}
end = {en = "Many thanks!", de = "Herzlichen Dank!", fr = "Un grand merci !"}
"""
#: The words of the file, by language: question, instructions, consent, end.
WORDS = {
    "en": ("Odd?", "Look.Then choose.", "I take part.", "Many thanks!"),
    "de": ("Anders?", "Schauen.Dann w\u00e4hlen.", "Ich nehme teil.", "Herzlichen Dank!"),
    "fr": ("Intrus ?", "Regardez.Puis choisissez.", "Je participe.", "Un grand merci !"),
}


@pytest.mark.parametrize("language", WORDS)
def test_study__from_consent_to_completion_code(browser, ask, tmp_path, language):
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    write_triplets(TripletSet.from_labels(CATCH[:2]), tmp_path / "catch.txt")
    options = ("--study", "study.toml", "--language", language)
    process, address = ask(*options)
    person, texts = Person(browser, address, "anna"), texts_of(language)
    question, instructions, consent, end = WORDS[language]

    def on(title, text, button):
        """Read a page and go on."""
        assert person.page.text("h1") == title
        assert (
            person.page.run("Array.from(document.querySelectorAll('.tt-notice p'), (x) => x.textContent).join('')")
            == text
        )
        assert person.page.text("#tt-on") == button
        for width, height in ((320, 568), (1200, 800)):
            person.page.resize(width, height)
            assert person.page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        person.press("1")  # there is nothing to answer
        person.page.click_on("#tt-on")
        person.wait()

    on(texts["consent"], consent, texts["agree"])
    on(texts["instructions"], instructions, texts["on"])
    known = {frozenset(x): x[2] for x in CATCH}
    for right in (True, False):
        seen(person)
        assert (person.page.text("h1"), status(person)) == (question, texts["practice"])
        shown = cards(person)
        odd = shown.index(known[frozenset(shown)])
        person.press(str((odd if right else odd - 2) % 3 + 1))
        place = odd + 1
        assert status(person) == (texts["practiceRight"] if right else texts["practiceWrong"].format(place=place))
        person.page.click_on("#tt-on")
        person.wait()
    assert not (tmp_path / "answers.jsonl").read_bytes()
    on(texts["ready"], texts["readyText"], texts["on"])
    for _ in range(2):
        seen(person)
        assert person.page.text("h1") == question
        for reply in ("Alike", "Different", "Unsure"):  # cannot be said
            person.press(texts[f"key{reply}"].lower())
        shown = "Array.from(document.querySelectorAll('.tt-replies button')).filter((x) => x.checkVisibility()).length"
        assert person.page.run(shown) == 1
        person.press("2")
    assert [x.kind for x in read_answers(tmp_path / "answers.jsonl")] == ["odd", "odd"]
    process.kill()  # after a restart nobody practises again
    process.wait()
    person.page.close()
    assert ask(*options)[1] == address
    person = Person(browser, address, "anna")
    on(texts["break"], texts["breakText"]["other"].format(n=2), texts["on"])
    for _ in range(2):
        seen(person)
        assert "C0FFEE42" not in person.page.run("document.documentElement.outerHTML")
        person.press("3")
    assert person.page.text(".tt-code") == "C0FFEE42"
    assert person.page.text(".tt-done").startswith(end)
    assert person.page.run("document.querySelector('.tt-done a').href") == "https://lab.example/?id=anna"
    assert person.page.run("document.querySelector('#tt-more')") is None
    assert len(read_answers(tmp_path / "answers.jsonl")) == 4
    person.close()


def status(person):
    return person.page.text(".tt-status")


def test_study__the_leader_watches_pauses_and_stops(browser, ask, tmp_path):
    hostile = "<b id=x>eve</b>"
    process, address = ask("--watch", "--overlap", 2, "--questions", 6, "--title", "Shapes")
    said, leader = process.stdout.readline().strip().split(": ")
    assert said == "for the leader alone"
    person = Person(browser, address, "%3Cb%20id%3Dx%3Eeve%3C%2Fb%3E")
    for _ in range(3):
        seen(person)
        person.press("1")
    page = browser.open(leader, width=1280, height=720)
    page.wait("document.querySelector('.tt-table tbody tr') !== null")
    row = "Array.from(document.querySelectorAll('.tt-table tbody td'), (x) => x.textContent)"
    assert page.run(row)[:4] == [hostile, "here", "3", "3"]
    assert page.run("document.querySelector('#x') === null")
    assert page.text(".tt-title") == "Shapes"
    for width, height in ((390, 844), (768, 1024), (1280, 720), (1920, 1080)):
        page.resize(width, height)
        page.frames(2)
        assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        if "TRIPLETREE_SHOTS" in os.environ:
            page.screenshot(Path(os.environ["TRIPLETREE_SHOTS"]) / f"watch-{width}.png")
    page.wait("document.querySelector('svg.tt-tree') !== null")
    assert page.run("document.querySelectorAll('.tt-tree text:not(.tt-support)').length") == len(PICTURES)
    page.click_on("#tt-pause")
    page.wait("document.querySelector('#tt-resume') !== null")
    person.page.call("Page.bringToFront")
    person.page.wait("document.querySelector('h1').textContent === 'A break'")
    person.page.press("1")
    assert len(read_answers(tmp_path / "answers.jsonl")) == 3
    page.call("Page.bringToFront")
    page.click_on("#tt-resume")
    page.wait("document.querySelector('#tt-pause') !== null")
    person.page.call("Page.bringToFront")
    person.page.wait("document.querySelector('h1').textContent === 'Which one does not belong?'")
    seen(person)
    person.wait()
    person.press("1")
    assert len(read_answers(tmp_path / "answers.jsonl")) == 4
    page.call("Page.bringToFront")
    page.run("window.confirm = () => true; null")
    assert page.complaints(own=[leader]) == []
    page.click_on("#tt-stop")
    assert process.wait(60) == 0
    page.wait("document.querySelector('[role=alert]') !== null")
    page.close()
    person.page.close()
