"""The page of a hierarchy in a real browser: loads, folds, finds, shows triplets, and complains of nothing."""

import base64
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from examples import caterpillar, star, yule

from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.plots.layout import collapse_nothing, compute_layout
from tripletree.plots.page import depth_first, write_html

pytestmark = pytest.mark.browser

NASTY = [
    "</script><b>bold</b>",
    "<img src=x onerror=alert(1)>",
    '"quoted\' & "',
    "",
    "語 \u202e",
    "{{data}}",
    "\ud800",
    "-->",
]


@pytest.fixture
def show(browser, tmp_path):
    """Open the page of a hierarchy. At the end of the test no page may have complained."""
    pages = []

    def opened(hierarchy, *, dark=False, width=1200, height=800, scale=1, before="", **more):
        write_html(hierarchy, tmp_path / "page.html", **more)
        pages.append(browser.open(tmp_path / "page.html", width, height, dark, scale, before))
        return pages[-1]

    yield opened
    for page in pages:
        assert page.complaints() == []
        page.close()


def choose(page, number):
    """Take one of the height axes."""
    page.run(f"(() => {{ const a = document.querySelector('#axis'); a.value = {number};"
             " a.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.frames(2)


def apes():
    h = Hierarchy.from_nested([[[["human", "chimp"], "gorilla"], "orang"], ["gibbon", "siamang"]])
    t = TripletSet.from_labels(
        [("human", "chimp", "orang"), ("human", "gorilla", "chimp"), ("gibbon", "siamang", "human")]
    )
    return h, t


def node(page, label):
    return page.run(f"tripletree.find({json.dumps(label)})[0]")


def test_page__loads(show):
    h, t = apes()
    page = show(h, triplets=t, title="Apes & others")
    assert page.run("document.title") == page.text("h1") == "Apes & others"
    assert page.state()["rows"] == 6
    assert page.text("#panel h2") == "clade of 6 leaves"
    ink = "Array.from(document.querySelector('#picture').getContext('2d').getImageData(0, 0, 600, 300).data)"
    assert len(set(page.run(ink))) > 20  # something is drawn


@pytest.mark.parametrize("dark", [False, True])
def test_page__takes_the_colours_of_the_reader(show, dark):
    page = show(apes()[0], dark=dark)
    pixel = "Array.from(document.querySelector('#picture').getContext('2d').getImageData(1, 1, 1, 1).data)"
    assert (sum(page.run(pixel)[:3]) < 300) == dark


def test_page__draws_parents_between_their_children(show):
    page = show(Hierarchy.from_nested([["a", "b", "c"], ["d", ["e", "f"]]]))
    x, y = np.array([page.place(u) for u in range(10)]).T
    names = {label: node(page, label) for label in "abcdef"}
    step = np.diff(y[[names[label] for label in "abcdef"]])
    assert step == pytest.approx(step[0])
    assert step[0] > 10
    for parent, outermost in [(1, "ac"), (names["e"] - 1, "ef")]:
        assert y[parent] == pytest.approx(np.mean([y[names[label]] for label in outermost]))
    assert y[5] == pytest.approx((y[names["d"]] + y[names["e"] - 1]) / 2)
    assert y[0] == pytest.approx((y[1] + y[5]) / 2)
    assert len({round(x[names[label]], 6) for label in "abcdef"}) == 1
    assert x[0] < x[5] < x[1] < x[names["a"]]
    assert x[1] == pytest.approx(x[names["e"] - 1])


def test_page__folds_by_click_and_by_key(show):
    page = show(apes()[0])
    great = page.run("tripletree.find('orang')[0]") - 6  # depth first: root, great apes, ...
    expanded = "document.querySelector('#current').getAttribute('aria-expanded')"
    page.click(*page.place(great))  # picks
    assert page.state()["folded"] == []
    assert page.state()["selected"] == great
    page.click(*page.place(great))  # and folds
    assert page.state()["folded"] == [great]
    assert page.state()["rows"] == 3
    assert page.text("#panel button") == "Unfold"
    assert page.run(expanded) == "false"
    page.click(*page.place(great))
    assert page.state()["rows"] == 6
    assert page.run(expanded) == "true"
    page.run("document.querySelector('#view').focus()")
    page.press("Enter")
    assert page.state()["rows"] == 3
    assert page.run(expanded) == "false"
    page.press("ArrowRight")
    assert page.state()["rows"] == 6
    assert page.run(expanded) == "true"
    page.press("ArrowRight")
    assert page.state()["selected"] == great + 1
    for key, selected in [("ArrowLeft", great + 1), ("ArrowLeft", great), ("ArrowUp", 0), ("ArrowDown", great)]:
        page.press(key)
        assert page.state()["selected"] == selected
    assert page.run("document.querySelector('#current').textContent") == "clade of 4 leaves"
    page.click_on("#fold")
    assert page.state()["rows"] == 2
    assert page.run(expanded) == "false"
    page.click_on("#unfold")
    assert page.state()["rows"] == 6


def supported():
    """A hierarchy and the support of its clades: efghi is doubtful and holds a sure one, of hi nothing is known."""
    h = Hierarchy.from_nested([[[["a", "b"], "c"], "d"], [[["e", "f"], "g"], ["h", "i"]], "j"])
    of = {"ab": 0.3, "abc": 0.2, "abcd": 0.9, "ef": 0.45, "efg": 0.87, "hi": None, "efghi": 0.1, "abcdefghij": None}
    support = [of["".join(sorted(h.clade(u)))] for u in range(h.n_leaves, h.n_nodes)]
    return h, np.array(support, float)


def folded(page):
    """Labels below each folded clade that is shown."""
    rows = "tripletree.state().folded.filter((u) => tripletree.isShown(u))"
    nodes = page.run(rows)
    leaves = {label: node(page, label) for label in "abcdefghij"}
    last = page.run(f"{json.dumps(nodes)}.map((u) => (tripletree.goTo(u), tripletree.newick()))")
    return ["".join(x for x in leaves if x in text) for text in last]


def give(page, number):
    """Type a number below which clades are folded."""
    page.run("document.querySelector('#below').select()")
    page.write(str(number))
    page.press("Enter")


def test_page__says_how_sure_clades_are(show):
    h, support = supported()
    page = show(h, support=support)
    page.point(*page.place(1))
    assert "support.90" in page.text("#panel")
    page.click(*page.place(1))
    assert page.text("#current") == "clade of 4 leaves, support .90"
    hi = node(page, "h") - 1
    page.click(*page.place(hi))  # nothing is known of it
    assert page.text("#current") == "clade of 2 leaves"
    assert "support" not in page.text("#panel")
    assert "support of the clade" in page.text("#legend")
    numbers = re.findall(r">(1?\.\d\d)<", page.run("tripletree.svg()"))
    assert sorted(numbers) == [".10", ".20", ".30", ".45", ".87", ".90"]
    assert page.run("tripletree.png()").startswith("data:image/png")
    percent = show(h, support=100 * support)
    percent.click(*percent.place(1))
    assert percent.text("#current") == "clade of 4 leaves, support 90"


@pytest.mark.parametrize("n", [60, 400])
def test_page__support_is_in_the_legend_of_a_saved_picture_only_if_it_is_in_the_picture(show, n):
    h = yule(n, np.random.default_rng(0))
    page = show(h, support=np.full(h.n_nodes - n, 0.5), height=800)  # 60 fit with rows of 11 pixels
    page.click_on("#fit")
    svg = page.run("tripletree.svg()")
    assert (">.50</text>" in svg) == ("support of the clade" in svg) == (n == 60)


def test_page__folds_the_largest_clades_in_which_nothing_is_sure(show):
    page = show(*supported()[:1], support=supported()[1])
    assert page.run("document.querySelector('#below').labels[0].innerText.trim()") == "Fold clades below"
    for number, expected in [
        (0.5, ["abc", "ef", "hi"]),
        (0.2, ["hi"]),
        (0.4, ["abc", "hi"]),
        (0.88, ["abc", "efghi"]),
        (0.95, ["abcd", "efghi"]),
    ]:
        page.click_on("#below")
        give(page, number)
        rows = page.state()["rows"]
        assert f"{rows} rows" in page.text("#status")
        assert rows == 10 - sum(map(len, expected)) + len(expected)
        assert page.run("tripletree.newick()").count(",") == 9  # of the root, which stays picked and whole
        assert folded(page) == expected
        page.run("tripletree.goTo(0)")
    give(page, 0)
    assert page.state()["rows"] == 10
    page.press("ArrowUp")  # by keys alone
    assert page.run("document.querySelector('#below').value") == "0.05"
    give(page, 0.5)
    page.click_on("#unfold")
    assert page.run("document.querySelector('#below').value") == ""
    assert page.state()["rows"] == 10


def test_page__a_clade_that_hides_what_is_picked_is_picked(show):
    page = show(*supported()[:1], support=supported()[1])
    page.run(f"tripletree.goTo({node(page, 'a')})")
    page.click_on("#below")
    give(page, 0.5)
    assert page.text("#current") == "clade of 3 leaves, support .20"
    assert page.text("#panel button") == "Unfold"


@pytest.mark.parametrize("support", [None, "given"])
def test_page__folding_by_support_is_offered_if_it_is_known_and_fits_phones(show, support):
    h, sure = supported()
    page = show(h, support=None if support is None else sure, width=360, height=740)
    page.run("document.querySelector('#below').scrollIntoView()")
    assert (page.run("document.querySelector('#below').clientWidth") > 40) == (support is not None)
    assert page.run("document.documentElement.scrollWidth") <= 360
    if support is not None:
        page.click_on("#below")
        give(page, 0.5)
        assert page.state()["rows"] == 6


def test_page__the_first_click_on_the_root_picks_it(show):
    page = show(apes()[0])
    page.click(*page.place(0))
    assert page.state()["rows"] == 6
    page.click(*page.place(0))
    assert page.state()["rows"] == 1


def test_page__two_fingers_zoom_the_rows(show):
    page = show(yule(300, np.random.default_rng(0)), width=390, height=740)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    before = page.state()["rowHeight"]
    for kind, far in (("touchStart", 30), ("touchMove", 45), ("touchMove", 60), ("touchEnd", None)):
        points = [] if far is None else [{"x": 150, "y": 300 - far, "id": 1}, {"x": 150, "y": 300 + far, "id": 2}]
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    page.frames(2)
    assert page.state()["rowHeight"] == pytest.approx(2 * before, rel=0.1)
    assert page.run("visualViewport.scale") == 1
    assert "two fingers" in page.text("details")


def test_page__folded_rows_say_what_their_number_is(show):
    codes = [0, 0, 0, 1, 2, 2]
    page = show(apes()[0], clusters=codes)
    page.run("tripletree.fold(tripletree.find('orang')[0] - 6)")
    assert "4 leaves · 75% cluster 0" in page.run("tripletree.svg()")


@pytest.mark.parametrize(("n", "height"), [(45, 640), (60, 800)])
def test_page__opens_whole_where_all_rows_can_be_read(show, n, height):
    page = show(yule(n, np.random.default_rng(n)), height=height)
    assert page.state()["rowHeight"] >= 10
    assert page.run("document.querySelector('#view').scrollHeight <= document.querySelector('#view').clientHeight")


@pytest.mark.parametrize("n", [60, 5000, 100_000])
def test_page__phones_scroll_down_only(show, n):
    names = [f"a_genus_with_a_long_name_{k} and its species" for k in range(n)]
    h = yule(n, np.random.default_rng(1))
    h = Hierarchy(h.parent, names)
    page = show(h, width=360, height=740, classes=[f"class with a name {k % 5}" for k in range(n)])
    view = "document.querySelector('#view')"
    assert page.run(f"{view}.scrollWidth <= {view}.clientWidth")
    assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.click_on("#wider")
    assert page.run(f"{view}.scrollWidth > {view}.clientWidth")


@pytest.mark.parametrize(("width", "height"), [(690, 520), (390, 740), (360, 640)])
def test_page__narrow_windows_are_the_trees(show, width, height):
    h, t = apes()
    page = show(h, triplets=t, clusters=[0, 0, 0, 1, 2, 2], title="Apes", width=width, height=height)
    assert page.run("document.querySelector('#stage').clientHeight") > 0.6 * height
    page.click_on("#more")
    assert page.run("document.querySelector('#more').ariaExpanded") == "true"
    assert page.run("document.querySelector('#triplets').getBoundingClientRect().height") > 10
    assert page.run("document.querySelector('#stage').clientHeight") > 0.25 * height


def test_page__a_click_with_shift_only_selects(show):
    page = show(apes()[0])
    page.click(*page.place(1), modifiers=8)
    assert page.state()["selected"] == 1
    assert page.state()["folded"] == []


def test_page__shows_the_triplets_under_the_pointer(show):
    h, t = apes()
    page = show(h, triplets=t)
    page.point(*page.place(node(page, "human") - 1))  # where human meets chimp
    assert page.text("#triplets p") == "1 displayed, 0 not"
    assert page.text("#triplets li") == "● chimp human | orang"
    page.point(*page.place(node(page, "human") - 2))  # human gorilla | chimp fails where all three have met
    assert page.text("#triplets p") == "0 displayed, 1 not"
    assert "✕" in page.text("#triplets li")
    assert "not displayed" in page.text("#triplets li")
    page.point(*page.place(node(page, "human")))  # a leaf: those that name it
    assert page.text("#triplets h3") == "Triplets that name it"
    assert page.text("#triplets p") == "2 displayed, 1 not"
    page.click(*page.place(1))
    page.click(*page.place(1))  # folded: those below it too
    assert page.text("#triplets p") == "1 displayed, 1 not"
    page.click_on("#triplets li button")  # unfolds the leaves and goes where they meet
    assert page.state()["folded"] == []
    assert page.state()["selected"] == node(page, "human") - 2


def test_page__finds_a_leaf(show):
    tree = yule(5000, np.random.default_rng(3))
    h = Hierarchy(tree.parent, [f"leaf {u}" for u in range(5000)])
    page = show(h)
    assert page.state()["rows"] <= 90
    page.press("/")
    page.write("LEAF 4321")
    assert page.text("#status") == "1 found: press Enter"
    page.press("Enter")
    assert page.text("#status") == "1 of 1: leaf 4321"
    assert page.text("#panel h2") == "leaf 4321"
    leaf = page.state()["selected"]
    assert page.run(f"tripletree.isShown({leaf})")
    assert not page.run(f"tripletree.isShown({node(page, 'leaf 1234')})")
    x, y = page.place(leaf)
    box = page.run(
        "(() => { const b = document.querySelector('#view').getBoundingClientRect(); return b.toJSON(); })()"
    )
    assert box["left"] <= x <= box["right"]
    assert box["top"] <= y <= box["bottom"]
    page.run("document.querySelector('#find').select()")
    page.write("leaf 77")
    for k, wanted in [(1, "leaf 77"), (2, "leaf 77"), (3, "leaf 77")]:
        page.press("Enter")
        assert page.text("#status").startswith(f"{k} of 11: {wanted}")
    page.press("Enter", modifiers=8)
    assert page.text("#status").startswith("2 of 11")
    page.write("nobody")
    assert page.text("#status") == "nothing has that name"
    page.press("Escape")
    assert page.run("document.activeElement.id") == "view"


def test_page__labels_are_shown_and_never_run(show):
    h = Hierarchy([8] * 8 + [-1], NASTY, names=["<i>root</i>"])
    page = show(h, classes=[f"<u>{x}" for x in NASTY], title="</title><script>alert(2)</script>")
    assert page.text("h1") == "</title><script>alert(2)</script>"
    assert page.run("document.querySelectorAll('b, i, u, main img').length") == 0
    assert page.run("document.scripts.length") == 2
    for label in NASTY:
        if label in ("", "\ud800"):
            continue
        page.run(f"tripletree.goTo({node(page, label)})")
        assert page.text("#panel h2") == label.replace("\u202e", "\ufffd")
    page.run("tripletree.goTo(4)")
    assert page.text("#panel h2") == "(blank label)"


def test_page__zooms_and_scrolls(show):
    page = show(star(800), height=600)
    page.click_on("#fit")
    fitted = page.state()["rowHeight"]
    assert fitted < 1
    x, y = 300, 300
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600, modifiers=2)
    page.frames(2)
    assert page.state()["rowHeight"] > 1.5 * fitted
    for _ in range(12):
        page.click_on("#closer")
    before = page.run("document.querySelector('#view').scrollTop")
    page.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    for step in range(5):
        page.mouse("mouseMoved", x, y - 20 * step, button="left", buttons=1)
    page.mouse("mouseReleased", x, y - 80, button="left", clickCount=1)
    page.frames(2)
    assert page.run("document.querySelector('#view').scrollTop") == pytest.approx(before + 80, abs=2)


def test_page__heights_or_levels(show):
    h = Hierarchy([3, 3, 4, 4, -1], height=[0, 0, 0, 1, 10])
    page = show(h)
    near = page.place(1)[0]
    choose(page, 1)
    assert page.place(1)[0] < near
    choose(page, 0)
    assert page.place(1)[0] == near
    assert show(Hierarchy([3, 3, 4, 4, -1])).run("document.querySelector('#axis').hidden")


@pytest.mark.parametrize(
    ("make", "n"),
    [(yule, 5000), (caterpillar, 5000), (star, 5000), pytest.param(yule, 100_000, marks=pytest.mark.slow)],
)
def test_page__large_ones_open_folded(show, record_property, make, n):
    h = make(n, np.random.default_rng(0)) if make is yule else make(n)
    page = show(h, triplets=decompose(h) if n <= 5000 else None, clusters=np.arange(n) % 3)
    assert page.state()["rows"] <= 90 or make is star
    page.click_on("#unfold")
    assert page.state()["rows"] == n
    times = []
    for step in range(30):
        page.run(f"document.querySelector('#view').scrollTop = {step * 997}")
        page.frames(2)
        times.append(page.state()["frame"])
    page.click_on("#fit")
    # milliseconds a frame: the median and the most while scrolling, and with all rows in the window. Reported only
    record_property("frames", [float(np.median(times)), max(times), page.state()["frame"]])


# ---------------------------------------------------------------------- windows of all sizes, with ordinary scrollbars

LEAVES = (3, 12, 20, 45, 60, 500)
#: From a phone, upright and on its side, to a large screen.
WINDOWS = [
    (320, 568), (390, 844), (667, 375), (768, 1024), (1024, 768), (1280, 720), (1440, 900), (1920, 1080), (2560, 1440),
]  # fmt: skip
#: Counts the calls of every ResizeObserver of the page, and those that leave the picture clear: a frame is shown then.
COUNT_ROUNDS = """
window.rounds = window.cleared = 0;
const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
window.ResizeObserver = class extends ResizeObserver {
  constructor(act) {
    super((...given) => {
      act(...given);
      window.rounds += 1;
      probe.clearRect(0, 0, 1, 1);
      probe.drawImage(document.querySelector("#picture"), 1, 1, 1, 1, 0, 0, 1, 1);
      window.cleared += probe.getImageData(0, 0, 1, 1).data[3] < 255 ? 1 : 0;
    });
  }
};
"""
#: Width of a vertical scrollbar. If it is 0, sizes do not depend on scrolling and these tests prove nothing.
SCROLLBAR = """
(() => {
  const box = document.createElement("div");
  box.style.cssText = "position: fixed; width: 90px; height: 90px; overflow: scroll";
  document.body.append(box);
  const width = box.offsetWidth - box.clientWidth;
  box.remove();
  return width;
})()
"""


def labelled(n):
    h = yule(n, np.random.default_rng(1))
    return Hierarchy(h.parent, [f"sample {u}" for u in range(n)])


def counts(page):
    """Pictures painted, and rounds of the observer."""
    return page.state()["draws"], page.run("window.rounds")


def assert_painted(page, scale=1):
    """Every row in the window has its label and the end of its line, as the screen shows it."""
    seen = page.pixels()
    box, nodes, places = page.run(
        "(() => { const v = document.querySelector('#view'), b = v.getBoundingClientRect();"
        " const all = tripletree.find('sample').filter(tripletree.isShown);"
        " return [[b.left, b.top, v.clientWidth, v.clientHeight], all, all.map(tripletree.place)]; })()"
    )
    left, top, width, height = box
    assert width > 150
    assert height > 80
    inside = [(x, y) for x, y in places if top + 8 < y < min(top + height - 40, len(seen) / scale - 8)]
    assert len(inside) >= min(len(nodes), 3)
    for x, y in inside:
        line = seen[round((y - 5) * scale) : round((y + 5) * scale), round((x - 7) * scale) : round((x - 1) * scale)]
        text = seen[round((y - 6) * scale) : round((y + 6) * scale), round((x + 9) * scale) : round((x + 40) * scale)]
        for part in (line, text):
            assert part.size
            assert part.max() - part.min() > 0.3


def some_windows():
    """All sizes of window for each number of leaves. A phone, a laptop and a large screen are not slow."""
    for n in LEAVES:
        for width, height in WINDOWS:
            quick = n <= 60 and (width, height) in {(390, 844), (1280, 720), (2560, 1440)}
            marks = () if quick else (pytest.mark.slow,)
            yield pytest.param(n, (width, height), id=f"{n}-{width}x{height}", marks=marks)


@pytest.mark.parametrize(("n", "window"), list(some_windows()))
def test_page__is_painted_in_every_window(show, n, window):
    page = show(labelled(n), width=window[0], height=window[1], before=COUNT_ROUNDS, clusters=np.arange(n) % 3)
    assert page.run(SCROLLBAR) >= 10
    page.frames(10)
    before = counts(page)
    assert before[0] <= 4
    assert 1 <= before[1] <= 2
    assert_painted(page)
    page.frames(20)
    assert counts(page) == before
    assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("scale", [0.9, 1.25, *(pytest.param(x, marks=pytest.mark.slow) for x in (1.5, 3))])
@pytest.mark.parametrize("n", [3, 20, pytest.param(60, marks=pytest.mark.slow)])
def test_page__is_painted_at_every_zoom(show, n, scale):
    page = show(labelled(n), width=1001, height=701, scale=scale, before=COUNT_ROUNDS)
    page.frames(10)
    before = counts(page)
    assert before[0] <= 4
    assert_painted(page, scale)
    page.frames(10)
    assert counts(page) == before


@pytest.mark.parametrize("n", [3, *(pytest.param(x, marks=pytest.mark.slow) for x in (20, 45))])
def test_page__is_painted_while_the_window_changes(show, n):
    page = show(labelled(n), before=COUNT_ROUNDS)
    page.click_on("#fit")
    sizes = [(w, 700) for w in range(300, 1500, 83)] + [(901, h) for h in range(370, 1000, 43)]
    for width, height in sizes:
        before = counts(page)
        page.resize(width, height)
        page.frames(4)
        after = counts(page)
        assert after[0] - before[0] <= 3
        assert after[1] - before[1] <= 3
        assert_painted(page)
        assert counts(page) == after
    assert page.run("window.cleared") == 0


def test_page__fits_its_rows_without_scrollbars(show):
    for height in range(500, 560, 7):
        page = show(labelled(20), width=1000, height=height)
        page.click_on("#fit")
        bars = page.run(
            "(() => { const v = document.querySelector('#view');"
            " return [v.offsetWidth - v.clientWidth, v.offsetHeight - v.clientHeight]; })()"
        )
        assert bars == [0, 0]


# ---------------------------------------------------------------------- the same places as in pictures

#: One branch of six points down, and one of twelve.
CENTROIDS = from_linkage([[0, 1, 3.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])
CHAIN = from_linkage([[0, 1, 1.0, 2], *([k, k + 5, float(k), k + 1] for k in range(2, 6)), [6, 11, 4.5, 7]])
TIPS = Hierarchy([4, 4, 5, 5, 6, 6, -1], length=[1, 2, 3, 4, 1, 1, np.nan])


@pytest.mark.parametrize(
    ("h", "heights"),
    [
        pytest.param(CENTROIDS, "auto", id="many inverted"),
        pytest.param(CENTROIDS, "height", id="many inverted, as they are"),
        pytest.param(CHAIN, "auto", id="few inverted"),
        pytest.param(CHAIN, "order", id="order"),
        pytest.param(CHAIN, "level", id="level"),
        pytest.param(TIPS, "auto", id="leaves at heights"),
        pytest.param(labelled(40), "auto", id="no heights"),
    ],
)
def test_page__nodes_stand_where_pictures_have_them(show, h, heights):
    page = show(h, heights=heights)
    place = compute_layout(collapse_nothing(h), heights)
    # the page numbers nodes depth first: pictures have each node before its children, those along their axis
    order, stack = [], [h.root]
    while stack:
        u = stack.pop()
        order.append(u)
        stack.extend(sorted(h.children(u).tolist(), key=lambda v: -place.along[v]))
    x, y = np.array([page.place(k) for k in range(h.n_nodes)]).T
    for seen, wanted in ((x, -place.up[order]), (y, place.along[order])):
        share = (wanted - wanted.min()) / np.ptp(wanted)
        assert seen == pytest.approx(seen.min() + np.ptp(seen) * share)
        assert np.ptp(seen) > 50
    assert page.text("#axis option") == place.unit.split(" (")[0]
    assert ("(" in place.unit) == (place.unit in page.text("#legend"))


def test_page__a_branch_that_points_down_has_a_wedge(show):
    page = show(CHAIN)
    up = compute_layout(collapse_nothing(CHAIN), "auto").up
    (low,) = np.flatnonzero(up[CHAIN.parent[:-1]] < up[:-1])
    # depth first, the inverted merge comes second: the root's child below leaf 0's clade
    x, y = page.place(1)
    above = page.place(0)[0]
    assert CHAIN.parent[low] == CHAIN.root
    assert x < above
    seen = page.pixels()
    middle = round((x + above) / 2)
    dark = [(seen[round(y) - 4 : round(y) + 5, k].min(axis=1) < 0.7).sum() for k in range(middle - 6, middle + 7)]
    assert max(dark) >= 4  # higher than a line
    assert "1 of 12 branches point down" in page.text("#legend")
    page.click(middle + 8, y)  # the branch itself is found under the pointer
    assert page.state()["selected"] == 1


def test_page__offers_the_other_heights(show):
    page = show(CENTROIDS)
    options = "Array.from(document.querySelectorAll('#axis option')).map((x) => x.textContent)"
    assert page.run(options) == ["order of merging", "height", "level above the leaves"]
    choose(page, 1)
    assert "height (1 of 6 branches point down)" in page.text("#legend")
    choose(page, 2)
    assert page.run("document.querySelector('#legend').hidden")


# ---------------------------------------------------------------------- saving


def test_page__a_folded_clade_without_a_name_has_its_first_and_last_leaf(show):
    h, _ = apes()
    page = show(h, heights="level")
    page.run("tripletree.fold(1)")
    page.frames(2)
    words = re.findall(r">([^<>]+)</text>", page.run("tripletree.svg()"))
    assert any(re.fullmatch(r"\d leaves: [a-z]+ to [a-z]+", word) for word in words)


def test_page__saves_what_is_shown_as_svg(show):
    import xml.etree.ElementTree as ET

    h, t = apes()
    page = show(h, triplets=t, clusters=list("xxyyzz"), classes=list("ppqqrr"), title="Apes & <others>")
    page.run(f"tripletree.fold(tripletree.find('gibbon')[0] - 1), {node(page, 'gibbon')}")
    page.frames(2)
    text = page.run("tripletree.svg()")
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title").text == "Apes & <others>"
    words = [x.text for x in root.iter(f"{space}text")]
    assert {"human", "chimp", "gorilla", "orang"} <= set(words)
    assert any(word.startswith("2 leaves") for word in words)  # folded
    assert "gibbon" not in words
    assert root.get("width") == str(int(root.get("width")))
    width, height = int(root.get("width")), int(root.get("height"))
    for found in root.iter(f"{space}text"):
        assert 0 <= float(found.get("x")) <= width
        assert 0 <= float(found.get("y")) <= height
    assert len(list(root.iter(f"{space}path"))) > 8
    assert "undefined" not in text
    assert "NaN" not in text


def test_page__saved_svg_has_all_rows_wherever_the_window_is(show):
    h = yule(300, np.random.default_rng(5))
    page = show(h, height=400)
    page.run("document.querySelector('#view').scrollTop = 2000")
    page.frames(2)
    text = page.run("tripletree.svg()")
    assert all(f">{leaf}</text>" in text for leaf in h.leaves)


def test_page__nasty_labels_stay_text_in_svg(show):
    import xml.etree.ElementTree as ET

    page = show(Hierarchy.from_nested(NASTY))
    root = ET.fromstring(page.run("tripletree.svg()"))
    assert {x.tag.partition("}")[2] for x in root.iter()} == {"svg", "title", "path", "rect", "text"}


@pytest.mark.parametrize("groups", [15, 16])
def test_page__a_legend_does_not_end_with_one_more(show, groups):
    page = show(yule(32, np.random.default_rng(0)), clusters=[k % groups for k in range(32)])
    listed = 15 if groups == 15 else 14
    assert page.run("document.querySelectorAll('#legend canvas').length") == listed
    assert len(re.findall(r">\d+ \(\d\), not a clade<", page.run("tripletree.svg()"))) == listed
    assert ("and 2 more" in page.text("#legend")) == (groups == 16)


@pytest.mark.parametrize("dark", [False, True])
def test_page__saved_pictures_are_light_and_have_a_legend(show, dark):
    h, t = apes()
    page = show(h, dark=dark, triplets=t, clusters=["ape"] * 4 + ["lesser"] * 2, classes=list("xxyyzz"))
    svg = page.run("tripletree.svg()")
    for text in ("clusters:", "ape (4)", "classes:", "x (2)", "2 triplets displayed", "1 not displayed"):
        assert f">{text}</text>" in svg
    assert 'fill="#ffffff"' in svg
    assert "#16181c" not in svg
    corner = page.run("""
    (async () => {
      const image = new Image();
      image.src = tripletree.png();
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.getContext("2d").drawImage(image, 0, 0);
      return Array.from(canvas.getContext("2d").getImageData(3, 3, 1, 1).data);
    })()
    """)
    assert corner == [255, 255, 255, 255]


def animals(n=40):
    """A tree with columns, shaded clades, a note and second names."""
    h = Hierarchy(yule(n, np.random.default_rng(4)).parent, [f"species {k}" for k in range(n)])
    columns = {"habitat": [["wood", "sea", "steppe"][k % 3] for k in range(n)], "kg": [k / 7 for k in range(n)]}
    columns["kg"][3] = None
    more = {"annotations": columns, "clades": {"mine": ["species 0", "species 5"], "family": h.n_nodes - 4}}
    return h, more | {"notes": {"species 7": "first\nsecond"}, "second_names": {"species 8": "lion"}}


def facts(page):
    """What the panel says of the node."""
    terms, told = (
        page.run(f"Array.from(document.querySelectorAll('#panel {x}'), (e) => e.textContent)") for x in ("dt", "dd")
    )
    return dict(zip(terms, told, strict=True))


def test_page__has_columns_clades_notes_and_second_names(show):
    h, more = animals()
    page = show(h, **more, width=1400)
    svg = page.run("tripletree.svg()")
    for text in (
        "habitat",
        "kg",
        "family",
        "species 8 (lion)",
        "species 7 ∗",
        "habitat:",
        "wood (14)",
        "kg: 0 to 5.57",
    ):
        assert f">{text}</text>" in svg
    assert re.search(r">mine \(not a clade: \d+ others?\)</text>|>mine \(not …[^<]*</text>", svg)
    assert svg.count("rotate(-90") == 2  # the names of the columns
    wanted = page.run("tripletree.find('species 3')[0]")
    page.run(f"tripletree.goTo({wanted})")
    told = facts(page)
    assert (told["habitat"], told["kg"]) == ("wood", "none")
    page.run("tripletree.goTo(tripletree.find('LION')[0])")
    assert page.text("#panel h2") == "species 8"
    told = facts(page)
    assert (told["also"], told["habitat"], told["kg"]) == ("lion", "steppe", "1.14")
    page.run("tripletree.goTo(tripletree.find('species 7')[0])")
    assert page.run("document.querySelector('#panel .note').innerText") == "first\nsecond"
    legend = page.text("#legend")
    for text in ("habitat", "wood", "0 to 5.57", "family", "has a note"):
        assert text in legend
    page.run("tripletree.goTo(0)")
    told = facts(page)
    assert told["habitat"] == "wood 35%, sea 33%, steppe 33%"
    assert told["kg"] == "2.85 (mean)"


def pixels(page, places):
    """The colours of pixels of the canvas, by their places in the window."""
    return page.run(f"""
    (() => {{
      const canvas = document.querySelector('#picture');
      const box = canvas.getBoundingClientRect();
      const {{ data, width }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return {json.dumps(places)}.map(([x, y]) => {{
        const at = 4 * (Math.floor(y - box.top) * width + Math.floor(x - box.left));
        return Array.from(data.slice(at, at + 3));
      }});
    }})()
    """)


def test_page__tiles_have_the_colours_of_their_categories(show):
    h, more = animals(12)
    page = show(h, annotations={"habitat": more["annotations"]["habitat"]}, width=1000)
    palette = page.run("getComputedStyle(document.documentElement).getPropertyValue('--palette').trim().split(/\\s+/)")
    number = {tuple(int(x[i : i + 2], 16) for i in (1, 3, 5)): k for k, x in enumerate(palette)}
    places = [page.place(page.run(f"tripletree.find('species {k}')[0]")) for k in range(12)]
    found = [number[tuple(x)] for x in pixels(page, [[x + 11, y - 3] for x, y in places])]
    assert found == [found[k % 3] for k in range(12)]
    assert len(set(found)) == 3


def test_page__unfolding_all_keeps_what_was_chosen_in_the_window(show):
    n = 400
    h = Hierarchy(yule(n, np.random.default_rng(1)).parent, [f"species {k}" for k in range(n)])
    page = show(h, height=600)
    leaf = page.run("tripletree.find('species 300')[0]")
    page.run(f"tripletree.goTo({leaf})")
    page.click_on("#fold")
    page.click_on("#unfold")
    page.frames(2)
    chosen = page.state()["selected"]
    x, y = page.place(chosen)
    box = "document.querySelector('#view').getBoundingClientRect()"
    top, bottom = page.run(f"[{box}.top, {box}.bottom]")
    assert chosen != 0
    assert top < y < bottom


def around(page, labels):
    """Where leaves stand from the middle of the circle: their angles clockwise from the top, and their distances."""
    spots = np.array([page.place(page.run(f"tripletree.find({json.dumps(x)})[0]")) for x in labels])
    corner = page.run("(({x, y}) => [x, y])(document.querySelector('#space').getBoundingClientRect())")
    size = page.run("(({width, height}) => [width, height])(document.querySelector('#space').getBoundingClientRect())")
    middle = np.array(corner) + np.array(size) / 2
    x, y = (spots - middle).T
    return np.degrees(np.arctan2(x, -y)) % 360, np.hypot(x, y)


def test_page__turns_into_a_circle_and_back(show):
    n = 40
    h, more = animals(n)
    page = show(h, **more, heights="level", width=1300, height=900)
    labels = [f"species {k}" for k in range(n)]
    labels.sort(key=lambda x: page.place(page.run(f"tripletree.find({json.dumps(x)})[0]"))[1])
    before = [page.place(page.run(f"tripletree.find({json.dumps(x)})[0]")) for x in labels[:3]]
    page.click_on("#round")
    assert page.run("document.querySelector('#round').getAttribute('aria-pressed')") == "true"
    assert "drawn as a circle" in page.text("#status")
    turn, far = around(page, labels)
    assert (np.diff(turn) > 0).all()  # clockwise from the top, in the order of the rows
    assert np.ptp(np.diff(turn)) < 1
    assert np.ptp(far) < 3  # all leaves have height 0
    assert "rings outwards: habitat, kg" in page.text("#legend")
    leaf = page.run("tripletree.find('species 7')[0]")
    page.click(*page.place(leaf))
    assert page.state()["selected"] == leaf
    order = depth_first(h)[0]
    inner = next(p for p in range(5, h.n_nodes) if order[p] >= n and order[p + 1] < n)
    page.click(*page.place(inner))
    page.click(*page.place(inner))
    assert page.state()["folded"] == [inner]
    page.run(f"tripletree.unfold({inner})")
    svg = page.run("tripletree.svg()")
    assert len(re.findall(r"<text [^>]*rotate\(", svg)) >= n
    assert "rings outwards: habitat, kg" in svg
    assert page.run("tripletree.png() !== null")
    page.click_on("#closer")
    page.click_on("#closer")
    assert around(page, labels)[1].min() > far.max()
    page.click_on("#fit")
    assert around(page, labels)[1] == pytest.approx(far, abs=3)
    page.call("Page.printToPDF")  # paper has rows
    written = page.run("Array.from(document.querySelectorAll('.printed text'), (x) => x.textContent)")
    assert sum(x.startswith("species") for x in written) >= n
    page.click_on("#round")
    page.click_on("#fit")
    assert page.run("document.querySelector('#round').getAttribute('aria-pressed')") == "false"
    after = [page.place(page.run(f"tripletree.find({json.dumps(x)})[0]")) for x in labels[:3]]
    np.testing.assert_allclose([x for x, _ in after], [x for x, _ in before], atol=20)
    assert after[0][1] < after[1][1] < after[2][1]


@pytest.mark.parametrize(("n", "width", "height"), [(2, 1200, 800), (30, 360, 740), (400, 700, 500)])
def test_page__a_circle_is_in_its_window(show, n, width, height):
    h = Hierarchy(yule(n, np.random.default_rng(1)).parent, [f"species {k}" for k in range(n)])
    page = show(h, width=width, height=height)
    page.run("document.querySelector('#round').click()")
    page.frames(2)
    assert page.run("document.documentElement.scrollWidth") <= width
    sizes = "(v => [v.scrollWidth - v.clientWidth, v.scrollHeight - v.clientHeight])(document.querySelector('#view'))"
    assert max(page.run(sizes)) <= 1
    for label in ("species 0", f"species {n - 1}"):
        page.run(f"tripletree.goTo(tripletree.find({json.dumps(label)})[0])")
        x, y = page.place(page.state()["selected"])
        assert 0 < x < width
        assert 0 < y < height


@pytest.mark.parametrize(("width", "height"), [(1200, 800), (360, 740)])
def test_page__columns_and_clades_fit_the_window(show, width, height):
    h, more = animals()
    page = show(h, **more, width=width, height=height)
    assert page.run("document.documentElement.scrollWidth") <= width
    left = page.place(page.run("tripletree.find('species 3')[0]"))[0]
    assert 60 < left < width - 60


def test_page__refuses_a_png_in_which_nothing_could_be_read(show):
    page = show(yule(5000, np.random.default_rng(0)))
    page.run("window.clicked = 0; HTMLAnchorElement.prototype.click = () => { window.clicked += 1; }; null")
    page.click_on("#unfold")
    page.click_on("#save-png")
    assert "too high for a PNG: save SVG or Newick" in page.text("#status")
    assert page.run("tripletree.png()") is None
    page.click_on("#fit")
    page.click_on("#save-png")
    page.wait("window.clicked === 1")


def test_page__on_paper_has_all_rows(show):
    names = [f"species {k}" for k in range(60)]
    h = Hierarchy(yule(60, np.random.default_rng(0)).parent, names)
    page = show(h, dark=True, clusters=[k % 3 for k in range(60)], title="Sixty", width=690, height=520)
    pdf = base64.b64decode(page.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
    assert pdf.count(b"/Type /Page\n") == 1
    written = page.run("Array.from(document.querySelectorAll('.printed text'), (x) => x.textContent)")
    assert set(names) <= set(written)
    assert {"clusters:", "0 (20), not a clade"} <= set(written)
    assert "rgb(22, 24, 28)" not in page.run("document.querySelector('.printed').innerHTML")
    if "TRIPLETREE_SHOTS" in os.environ:
        Path(os.environ["TRIPLETREE_SHOTS"], "printed.pdf").write_bytes(pdf)


def test_page__on_paper_large_ones_take_pages(show):
    page = show(yule(500, np.random.default_rng(0)))
    pdf = base64.b64decode(page.call("Page.printToPDF")["data"])
    assert pdf.count(b"/Type /Page\n") == page.run("document.querySelectorAll('.printed svg').length") > 3
    names = page.run("Array.from(document.querySelectorAll('.printed text'), (x) => x.textContent)")
    assert {str(k) for k in range(500)} <= set(names)


def test_page__saves_a_png(show):
    import base64
    import struct

    page = show(apes()[0])
    head, _, body = page.run("tripletree.png()").partition(",")
    assert head == "data:image/png;base64"
    raw = base64.b64decode(body)
    width, height = struct.unpack(">II", raw[16:24])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    assert width > 600
    assert height > 200


@pytest.mark.parametrize("seed", range(4))
def test_page__saves_the_selected_clade_as_newick(show, seed):
    from tripletree.io import parse_newick

    rng = np.random.default_rng(seed)
    h = yule(40, rng)
    labels = [f"leaf {k}, it's (so)_{k}" for k in range(40)]
    height = np.zeros(h.n_nodes)
    for u in range(h.n_nodes - 1):
        height[h.parent[u]] = max(height[h.parent[u]], height[u] + float(rng.random()))
    h = Hierarchy(h.parent, labels, height=height, names=[f"n{k}" for k in range(h.n_nodes - 40)])
    page = show(h)
    page.run("tripletree.fold(1)")
    again = parse_newick(page.run("tripletree.newick()"))
    assert again.reindex(h.leaves) == h
    assert sorted(again.names) == sorted(h.names)
    assert np.allclose(sorted(again.height), sorted(h.height), atol=1e-4)
    inner = next(x for x in h.names if h.subtree(x).n_leaves in range(3, 20))
    page.run(f"tripletree.goTo(tripletree.find({inner!r})[0])")
    assert parse_newick(page.run("tripletree.newick()")) == h.subtree(inner)


def test_page__in_a_notebook_lives_in_a_frame(browser, tmp_path):
    from tripletree.plots import show_html

    h, t = apes()
    (tmp_path / "cell.html").write_text(
        f"<!doctype html><body>{show_html(h, triplets=t, height=300)._repr_html_()}", encoding="utf-8"
    )
    page = browser.open(tmp_path / "cell.html", 900, 600, False, 1, "")
    inside = "document.querySelector('iframe').contentWindow"
    assert page.run(f"{inside}.tripletree.state().rows") == 6
    assert page.run(f"{inside}.tripletree.find('human').length") == 1
    assert page.run(f"{inside}.innerHeight") == 300
    assert page.complaints() == []
    page.close()


#: A model as notebooks hand it to a widget's module: values set here go to the kernel, its values are set here.
MODEL = """
window.saved = [];
window.messages = 0;
window.addEventListener("message", () => (messages += 1)); // nothing may come but through the port
window.model = {
  values: {}, handlers: new Set(),
  get(name) { return this.values[name]; },
  set(name, value) {
    if (this.values[name] === value) return;
    this.values[name] = value;
    this.handlers.forEach((act) => act());
  },
  save_changes() { saved.push(this.values._place); },
  on(name, act) { if (name === "change:_place") this.handlers.add(act); },
  off(name, act) { this.handlers.delete(act); },
};
"""


def test_widget__hands_the_picked_clade_to_python(browser, tmp_path):
    pytest.importorskip("anywidget")
    from notebook_outputs import outputs_of

    from tripletree.plots import hierarchy_widget

    h, t = apes()
    view = hierarchy_widget(h, triplets=t, height=400)
    _, picture = outputs_of(view)  # the second is for a notebook that is opened again without its kernel
    assert "<img" in picture["text/html"]
    (tmp_path / "alone.html").write_text(view.page, encoding="utf-8")
    # two windows of one size: in the one places of nodes can be read, the other is the widget
    alone = browser.open(tmp_path / "alone.html", 898, 398)
    (tmp_path / "notebook.html").write_text("<!doctype html><body style='margin:0'><div id='cell'></div>")
    page = browser.open(tmp_path / "notebook.html", 900, 600, before=MODEL)

    def changed(node):
        """Wait until the page has told this node and nothing else, and tell the kernel."""
        page.wait(f"model.values._place === {node}")
        for saved in page.run("saved.splice(0)"):
            assert saved == node
            view.set_state({"_place": saved})

    state = json.dumps(view.get_state(["page", "height", "_place"]))
    page.run(f"Object.assign(model.values, {state})")
    page.run(
        f"(async () => {{ const code = new Blob([{json.dumps(view._esm)}], {{ type: 'text/javascript' }});"
        " const module = (await import(URL.createObjectURL(code))).default;"
        " window.end = module.render({ model, el: document.querySelector('#cell') });"
        " await new Promise((go) => document.querySelector('iframe').addEventListener('load', go)); })()"
    )
    page.frames(5)
    assert view.node is None
    assert page.run("saved") == []  # nothing was picked yet
    assert page.run("document.querySelector('iframe').contentDocument") is None  # no rights of the notebook

    number = depth_first(h)[1]

    def pick(*labels):
        place = int(number[h.common_ancestor(labels)])
        x, y = alone.place(place)
        for _ in range(40):  # a frame of its own process hears the mouse from its first picture on
            page.click(x + 1, y + 1, modifiers=8)  # with shift: picked and not folded
            if page.run("model.values._place") == place:
                break
            page.frames(5)
        changed(place)
        assert sorted(view.clade) == sorted(labels)
        return place

    pick("human", "chimp")
    assert view.node == h.common_ancestor(["human", "chimp"])
    pick("gibbon", "siamang")
    root = pick(*h.leaves)
    page.press("ArrowDown")
    changed(root + 1)
    for key in ("/", *"orang", "Enter"):  # a search
        page.press(key)
    changed(alone.run("tripletree.find('orang')[0]"))
    assert view.clade == ["orang"]

    page.run("document.body.style.background = '#111111'; document.body.dataset.jpThemeLight = 'false'; null")
    page.frames(3)  # a dark theme of the notebook
    assert page.pixels()[250, 450].sum() < 0.6

    page.press("Escape")  # leaves the search
    view.node = h.common_ancestor(["gibbon", "siamang"])  # Python goes there, and the page after it
    page.run(f"model.set('_place', {view._place})")
    page.frames(5)
    assert page.run("saved") == []
    page.press("ArrowDown")
    changed(view._place + 1)
    assert view.clade == ["gibbon"]

    for wrong in ("'x'", "{}", "{ node: 'x' }", "{ tripletree: 'clade', node: 3 }"):
        page.run(f"document.querySelector('iframe').contentWindow.postMessage({wrong}, '*')")
        page.run(f"window.postMessage({wrong}, '*')")
    page.frames(5)
    assert page.run("saved") == []
    assert page.run("messages") == 4  # the messages of this window to itself
    page.run("end()")
    assert page.run("model.handlers.size") == 0
    assert alone.complaints() == []
    assert page.complaints(own=["blob:"]) == []
    page.close()
    alone.close()


def test_page__tells_nobody_what_is_selected(browser, tmp_path):
    from tripletree.plots import show_html

    h, _ = apes()
    (tmp_path / "cell.html").write_text(
        f"<!doctype html><body>{show_html(h, height=300)._repr_html_()}", encoding="utf-8"
    )
    heard = "window.heard = []; addEventListener('message', (event) => heard.push(event.data));"
    page = browser.open(tmp_path / "cell.html", 900, 600, before=heard)
    page.run("document.querySelector('iframe').contentWindow.tripletree.goTo(2)")
    page.frames(5)
    assert page.run("heard") == []
    page.close()
