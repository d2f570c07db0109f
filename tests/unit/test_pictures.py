import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from examples import caterpillar, star, yule, zoo
from page_reading import NASTY, Document

from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet

SVG = "{http://www.w3.org/2000/svg}"
#: Some tags and attributes that notebooks without trust leave in an output.
KEPT = {"div", "br", "img", "table", "thead", "tbody", "tr", "th", "td"}


def picture(h):
    """The SVG that a notebook shows of a hierarchy, and all the markup around it."""
    document = Document(h._repr_html_())
    assert {tag for tag, _ in document.tags} <= KEPT
    image = next(attrs for tag, attrs in document.tags if tag == "img")
    assert image["alt"] == repr(h)[1:-1] == document.within("div")[0]
    return ElementTree.fromstring(base64.b64decode(image["src"].removeprefix("data:image/svg+xml;base64,")))


def texts(svg):
    return ["".join(x.itertext()) for x in svg.iter(f"{SVG}text")]


def count_leaves_shown(h, svg):
    counts = [re.search(r"([\d,]+) (?:more )?lea(f|ves)$", text) for text in texts(svg)]
    return sum(int(m[1].replace(",", "")) if m else 1 for m in counts)


@pytest.mark.parametrize(
    "h", [*(h for _, h in zoo()), caterpillar(3000), star(3000), yule(3000, np.random.default_rng(0))]
)
def test_pictures__every_leaf_is_there_or_counted(h):
    svg = picture(h)
    assert count_leaves_shown(h, svg) == h.n_leaves
    rows = [x for x in svg.iter(f"{SVG}text") if x.get("x") != "10"]
    assert 1 <= len(rows) <= 20
    heights = [float(x.get("y")) for x in svg.iter(f"{SVG}text")]
    assert heights == sorted(set(heights))
    assert heights[-1] < float(svg.get("height"))
    assert len(h._repr_html_()) < 8000


def test_pictures__many_inverted_heights_show_the_order_of_merging():
    def lines(*heights):
        steps = [[0, 1, heights[0], 2], [2, 3, heights[1], 2], [4, 5, heights[2], 4]]
        return [path.get("d") for path in picture(from_linkage(steps)).iter(f"{SVG}path")]

    assert lines(3.0, 1.0, 2.0) == lines(1.0, 2.0, 3.0)


def test_pictures__small_ones_are_drawn_whole():
    h = from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 3]], ["a", "b", "c"])
    svg = picture(h)
    assert texts(svg) == ["a", "b", "c"]
    lines, wedges = (path.get("d") for path in svg.iter(f"{SVG}path"))
    assert wedges == ""
    assert sorted(re.findall(r"M[^M]*", lines)) == [
        *("M10.0 23.4H140.0", "M10.0 23.4V50.4", "M10.0 50.4H270.0"),
        *("M140.0 14.4H270.0", "M140.0 14.4V32.4", "M140.0 32.4H270.0"),
    ]


def test_pictures__large_clades_are_opened_first():
    h = Hierarchy.from_nested([[f"x{i}" for i in range(30)], [["a", "b"], "c"]])
    assert texts(picture(h)) == ["30 leaves", "a", "b", "c"]
    named = Hierarchy(h.parent, h.leaves, names=[f"node {u}" for u in range(h.n_nodes - h.n_leaves)])
    assert any(re.fullmatch(r"node \d · 30 leaves", text) for text in texts(picture(named)))


def test_pictures__small_clades_stay_folded_where_there_is_no_room():
    h = Hierarchy.from_nested([[f"{part}{i}" for i in range(size)] for part, size in [("a", 6), ("b", 15), ("c", 6)]])
    assert texts(picture(h)) == ["6 leaves", *(f"b{i}" for i in range(15)), "6 leaves"]


def test_pictures__unary_chains():
    deep = Hierarchy([*range(1, 1000), -1], ["x"])
    assert count_leaves_shown(deep, picture(deep)) == 1
    assert texts(picture(Hierarchy([1, 2, -1], ["x"]))) == ["x"]


def test_pictures__hostile_labels():
    found = texts(picture(Hierarchy([len(NASTY)] * len(NASTY) + [-1], NASTY)))
    assert found[0] == "</script><b>x</b>"
    assert len(found) == len(NASTY)
    assert "\ufffd" in found[8]
    assert texts(picture(Hierarchy.from_nested(["x" * 100, "b"])))[0] == "x" * 15 + "…" + "x" * 15


def test_pictures__are_the_same_each_time():
    h = yule(500, np.random.default_rng(1))
    assert h._repr_html_() == Hierarchy(h.parent)._repr_html_()


# ---------------------------------------------------------------------- tables


def table(value):
    document = Document(value._repr_html_())
    assert {tag for tag, _ in document.tags} <= KEPT
    return document.within("div"), document.within("th"), document.within("td")


def test_tables__of_triplets():
    t = TripletSet.from_labels([("a", "<b>", "c"), ("a", "<b>", "d")])
    caption, head, cells = table(t)
    assert caption == ["TripletSet: 2 triplets on 4 leaves, each ab|c"]
    assert head == ["a", "b", "c"]
    assert cells == [x for row in t for x in row]


def test_tables__weights_and_the_rest():
    t = TripletSet([(0, 1, k) for k in range(2, 14)], 14, weights=np.arange(1, 13) / 2)
    caption, head, cells = table(t)
    assert caption == ["TripletSet: 12 weighted triplets on 14 leaves, each ab|c"]
    assert head[-1] == "weight"
    assert cells[3] == "0.5"
    assert cells[-1] == "and 2 more"
    assert len(cells) == 41


def test_tables__of_nothing():
    caption, head, cells = table(TripletSet([], ["a", "b", "c"]))
    assert (caption, head, cells) == (["TripletSet: 0 triplets on 3 leaves, each ab|c"], [], [])
    assert repr(TripletSet([], ["a", "b", "c"])) == "<TripletSet: 0 triplets on 3 leaves>"
    assert repr(TripletSet([(0, 1, 2)], 3)) == "<TripletSet: 1 triplet on 3 leaves: 0 1 | 2>"


def test_tables__of_pairs():
    pairs = PairwiseConstraints.from_labels(must_link=[("a", "b")], cannot_link=[("a", "c")])
    caption, head, cells = table(pairs)
    assert caption == [repr(pairs)[1:-1]]
    assert head == ["one", "other", "link"]
    assert cells == ["a", "b", "must", "a", "c", "cannot"]
