import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from examples import caterpillar, yule, zoo
from hypothesis import given
from hypothesis import strategies as st
from page_reading import NASTY, Document

import tripletree.plots.page
from tripletree.algorithms.induce import sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.plots.page import to_html, write_html


def hierarchy_of(data):
    """The hierarchy that the data describe: children of each node, depth first."""
    left, lists, labels = [], [[]], iter(data["labels"])
    for count in data["children"]:
        if count:
            lists.append([])
            left.append(count)
            continue
        lists[-1].append(next(labels))
        while left:
            left[-1] -= 1
            if left[-1]:
                break
            left.pop()
            done = lists.pop()
            lists[-1].append(done)
    return Hierarchy.from_nested(lists[0][0])


def ancestors(data):
    """Nodes from each node up to the root, by depth-first numbers."""
    up, open_, left = [], [], []
    for u, count in enumerate(data["children"]):
        up.append([u, *reversed(open_)])
        if left:
            left[-1] -= 1
        if count:
            open_.append(u)
            left.append(count)
        while left and not left[-1]:
            left.pop()
            open_.pop()
    return up


def acting_definition(data):
    """The node at which each triplet acts, and whether it is displayed, from the chains of ancestors."""
    up = ancestors(data)
    leaf = [u for u, count in enumerate(data["children"]) if count == 0]
    rows = np.array(data["triplets"]["rows"], int).reshape(-1, 3)
    for a, b, c in rows.tolist():
        x, y, z = (up[leaf[k]] for k in (a, b, c))
        ab = next(u for u in x if u in y)
        all_three = next(u for u in x if u in y and u in z)
        yield ab if ab != all_three else -1 - all_three


# ---------------------------------------------------------------------- the data


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in zoo() if 1 < h.n_leaves <= 200])
def test_pages__hold_the_whole_hierarchy(h):
    named = Hierarchy(h.parent, [f"x{u}" for u in range(h.n_leaves)])
    assert hierarchy_of(Document(to_html(named)).data) == named


def test_pages__leaves_stand_as_they_were_read():
    h = Hierarchy.from_nested(["a", [["b", "c"], "d"], "e"])
    data = Document(to_html(h)).data
    assert data["labels"] == list("abcde")
    assert data["children"] == [3, 0, 2, 2, 0, 0, 0, 0]


def test_pages__a_single_leaf_and_unary_nodes():
    assert Document(to_html(Hierarchy([-1], ["x"]))).data["children"] == [0]
    h = Hierarchy([1, 2, 3, -1], ["x"], names=["low", "middle", "top"])
    data = Document(to_html(h)).data
    assert data["children"] == [1, 1, 1, 0]
    assert data["names"] == ["top", "middle", "low"]


def test_pages__heights_and_names():
    h = from_linkage([[1, 2, 1 / 3, 2], [0, 3, 2.0, 3]], list("abc"))
    data = Document(to_html(h)).data
    assert data["labels"] == ["a", "b", "c"]
    level = {"unit": "level above the leaves"}
    assert data["axes"] == [{"unit": "height", "up": [2.0, 0.0, 0.3333333, 0.0, 0.0]}, level]
    assert "names" not in data
    assert Document(to_html(Hierarchy([2, 2, -1]))).data["axes"] == [level]


def axes(h, **more):
    return [(x["unit"], x.get("up")) for x in Document(to_html(h, **more)).data["axes"]]


def test_pages__the_axis_is_that_of_pictures():
    h = from_linkage([[0, 1, 3.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])
    order = ("order of merging (1 of 6 heights are inverted)", [3, 1, 0, 0, 2, 0, 0])
    height = ("height (1 of 6 branches point down)", [2.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    level = ("level above the leaves", None)
    assert axes(h) == [order, height, level]
    assert axes(h, heights="height") == [height, level]
    assert axes(h, heights="level") == [level, height]
    assert axes(h, heights="order") == [("order of merging", order[1]), height, level]
    assert axes(Hierarchy([2, 2, -1]), heights="order") == [("order of merging", [1, 0, 0]), level]
    with pytest.raises(ValueError, match="heights='height', but this hierarchy has no heights"):
        to_html(Hierarchy([2, 2, -1]), heights="height")
    with pytest.raises(ValueError, match="heights is 'tall'; it must be one of"):
        to_html(h, heights="tall")
    huge = Hierarchy([3, 3, 4, 4, -1], length=[1e308, 1e308, 0.0, 1e308, np.nan])  # distances add up to infinity
    with np.errstate(over="ignore", invalid="ignore"):
        assert axes(huge) == [level]
        with pytest.raises(ValueError, match="not finite"):
            to_html(huge, heights="height")


@pytest.mark.parametrize("seed", range(3))
def test_pages__triplets_act_where_they_do(seed):
    rng = np.random.default_rng(seed)
    h = yule(30, rng)
    rows = np.array([rng.choice(30, 3, replace=False) for _ in range(60)])
    given = TripletSet(rows, list(range(29, -1, -1)), weights=rng.integers(1, 9, 60)) | sample_triplets(
        h, 40, random_state=seed
    )
    data = Document(to_html(h, triplets=given)).data
    found = data["triplets"]
    assert found["at"] == list(acting_definition(data))
    nodes = [u if u >= 0 else -1 - u for u in found["at"]]
    assert nodes == sorted(nodes)
    shown = np.array(data["labels"])[np.reshape(found["rows"], (-1, 3))].astype(int)
    again = TripletSet.from_labels(shown.tolist(), h.leaves, weights=found["weights"])
    assert again == given.reindex(h.leaves)


def test_pages__clusters_and_classes():
    h = Hierarchy.from_nested([["a", "b"], ["c", "d"]])
    data = Document(to_html(h, clusters=[1, 1, 0, 0], classes={"a": "cat", "c": "dog", "d": "dog"})).data
    clusters, classes = data["clusters"], data["classes"]
    assert [clusters["names"][k] for k in clusters["codes"]] == ["1", "1", "0", "0"]
    assert classes["codes"] == [1, -1, 0, 0]  # the largest class comes first
    assert classes["sizes"] == [2, 1]
    assert classes["style"] == [clusters["style"][0], clusters["style"][1]]  # styles of the matched clusters


def test_pages__have_the_support_of_inner_nodes_depth_first():
    h = Hierarchy.from_nested([["a", "b"], [["c", "d"], "e"]])
    support = {frozenset("ab"): 0.25, frozenset("cd"): np.nan, frozenset("cde"): 1 / 3, frozenset("abcde"): 1}
    given = [support[frozenset(h.clade(u))] for u in range(5, 9)]
    assert Document(to_html(h, support=given)).data["support"] == [1, 0.25, 0.3333333, None]
    assert "support" not in Document(to_html(h)).data
    assert "support" not in Document(to_html(h, support=[np.nan] * 4)).data
    model = SimpleNamespace(hierarchy_=h, clade_support_=np.array(given))
    assert to_html(model) == to_html(h, support=given) == tripletree.plots.show_html(model).page
    assert Document(to_html(model, support=np.arange(4))).data["support"] != Document(to_html(model)).data["support"]
    assert to_html(SimpleNamespace(hierarchy_=h, clade_support_=None)) == to_html(h)


def test_pages__have_what_stands_beside_the_leaves():
    h = Hierarchy.from_nested([["a", "c"], ["b", "d"]])
    page = to_html(
        h,
        annotations={"kind": {"a": "x", "b": "y", "c": "x"}, "size": [1, None, 2.5, 3]},
        clades={"one": ["a", "c"], "apart": ["a", "b"]},
        notes={"b": "two\nlines"},
        second_names=["A", None, "C", "D"],
    )
    data = Document(page).data
    order = data["labels"]
    kind, size = data["columns"]
    assert dict(zip(order, [kind["names"][k] if k >= 0 else None for k in kind["codes"]], strict=True)) == {
        "a": "x", "b": "y", "c": "x", "d": None,
    }  # fmt: skip
    assert size["values"] == [dict(zip(h.leaves, [1, None, 2.5, 3], strict=True))[x] for x in order]
    assert dict(zip(order, data["notes"], strict=True)) == {"a": None, "b": "two\nlines", "c": None, "d": None}
    assert dict(zip(order, data["seconds"], strict=True)) == dict(zip(h.leaves, ["A", None, "C", "D"], strict=True))
    one, apart = data["clades"]
    assert [order[r] for a, b in one["runs"] for r in range(a, b + 1)] == ["a", "c"]
    assert [order[r] for a, b in apart["runs"] for r in range(a, b + 1)] == ["a", "b"]
    assert (one["name"], apart["name"]) == ("one", "apart (not a clade: 2 others)")
    assert len({x["style"] for x in data["clades"]} | set(kind["style"])) == 4
    plain = Document(to_html(h)).data
    assert not {"columns", "clades", "notes", "seconds"} & set(plain)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"notes": {"z": "?"}}, UnknownLeafError, "keys of notes.*'z'"),
        ({"second_names": ["A", "B"]}, InvalidLabelsError, "second_names must have one entry for each of the 4 leaves"),
        ({"annotations": {"kg": [1]}}, InvalidLabelsError, "one entry for each of the 4 leaves"),
        ({"clades": ["nothing"]}, ValueError, "clades has 'nothing'"),
    ],
)
def test_pages__refuse_what_is_not_of_their_leaves(given, error, message):
    with pytest.raises(error, match=message):
        to_html(Hierarchy.from_nested([["a", "c"], ["b", "d"]]), **given)


def test_pages__of_an_estimator():
    h = Hierarchy.from_nested([["a", "b"], "c"])
    model = SimpleNamespace(hierarchy_=h, labels_=np.array([0, 0, 1]))
    assert to_html(model) == to_html(h, clusters=[0, 0, 1])
    assert Document(to_html(model, clusters=[0, 1, 1])).data["clusters"]["codes"] == [0, 1, 1]


def test_pages__deep_ones():
    data = Document(to_html(caterpillar(20_000))).data
    assert len(data["labels"]) == 20_000
    assert sum(data["children"]) == len(data["children"]) - 1


# ---------------------------------------------------------------------- the document


@given(st.lists(st.text(), min_size=2, max_size=5, unique=True), st.text())
def test_pages__no_label_leaves_its_place(labels, title):
    page = to_html(Hierarchy.from_nested(labels), classes=labels, title=title)
    page.encode()
    document, plain = Document(page), Document(to_html(Hierarchy.from_nested(["a", "b"])))
    assert [tag for tag, _ in document.tags] == [tag for tag, _ in plain.tags]
    assert document.data["labels"] == labels
    assert document.data["classes"]["names"] == sorted(labels)


def test_pages__hostile_labels():
    h = Hierarchy([len(NASTY)] * len(NASTY) + [-1], NASTY, names=["</script>"])
    page = to_html(h, classes=NASTY, title="</title><b>&")
    assert page.count("</script>") == page.count("<script") == 2
    document = Document(page)
    assert "b" not in {tag for tag, _ in document.tags}
    assert document.data["labels"] == NASTY
    assert document.data["names"] == ["</script>"]
    assert document.within("title")[0] == "</title><b>&"
    assert Document(to_html(h)).within("title")[0] == "</script>"


def test_pages__title_is_the_name_of_the_root_or_the_number_of_leaves():
    named = Hierarchy([2, 2, -1], ["a", "b"], names=["both"])
    assert Document(to_html(named)).within("title")[0] == "both"
    assert Document(to_html(Hierarchy.from_nested(["a", "b"]))).within("title")[0] == "2 leaves"
    assert Document(to_html(Hierarchy([-1], ["a"]))).within("title")[0] == "a"


def test_pages__need_nothing_else():
    page = to_html(yule(50, np.random.default_rng(0)))
    page = page.replace("http://www.w3.org/2000/svg", "", 1)  # the name of the format, in the saved file
    assert re.findall(r"https?:|//[a-z]|url\(|@import|<link", page) == []
    assert {attrs.get("src", "data:")[:5] for _, attrs in Document(page).tags} == {"data:"}


def test_pages__the_policy_names_the_script_and_the_style_that_are_there():
    document = Document(to_html(Hierarchy.from_nested(["a", "b"])))
    policy = next(attrs["content"] for tag, attrs in document.tags if attrs.get("http-equiv"))
    script = next(text for text in document.within("script") if not text.startswith("{"))
    for kind, text in (("script", script), ("style", document.within("style")[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_pages__equal_input_gives_equal_bytes():
    code = (
        "import sys; from tripletree.plots.page import to_html; from tripletree.core.hierarchy import Hierarchy;"
        "h = Hierarchy.from_nested([['a', 'b'], 'c']);"
        "sys.stdout.write(to_html(h, classes={'a': 'x', 'b': 'y', 'c': 'z'}))"
    )
    pages = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env(seed)).stdout
        for seed in ("1", "2")
    }
    assert len(pages) == 1


def env(seed):
    import os

    package = str(Path(tripletree.plots.page.__file__).parents[3])
    return {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": package}


# ---------------------------------------------------------------------- writing


def test_pages__are_written_in_one_step(tmp_path):
    h = Hierarchy.from_nested(["a", "b"])
    path = tmp_path / "page.html"
    write_html(h, path, title="é")
    assert path.read_bytes() == to_html(h, title="é").encode()
    with pytest.raises(InvalidLabelsError, match="classes must have one entry"):
        write_html(h, path, classes=["x"])
    assert path.read_bytes() == to_html(h, title="é").encode()
    assert list(tmp_path.iterdir()) == [path]


def test_pages__say_what_is_wrong():
    h = Hierarchy.from_nested(["a", "b", "c"])
    with pytest.raises(TypeError, match="expected a Hierarchy, got list"):
        to_html([])
    with pytest.raises(UnknownLeafError, match="triplets' leaves"):
        to_html(h, triplets=TripletSet.from_labels([("a", "b", "z")]))
    with pytest.raises(TypeError, match="expected a TripletSet"):
        to_html(h, triplets=[("a", "b", "c")])
    with pytest.raises(UnknownLeafError, match="keys of clusters"):
        to_html(h, clusters={"z": 1})
    with pytest.raises(ValueError, match=r"support must be 1 finite numbers or NaN, one for each inner node.*\(3,\)"):
        to_html(h, support=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="infinite values"):
        to_html(h, support=[np.inf])
