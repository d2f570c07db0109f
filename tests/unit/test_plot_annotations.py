"""Dendrograms for papers: widths, columns of tiles, named clades, labels of nodes, arcs, scale bars, saved files."""

import re
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba

from tripletree import Hierarchy, PairwiseConstraints, cut, plot_cuts, plot_dendrogram
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.plots import save_picture
from tripletree.plots.annotations import ARCS, COLUMN
from tripletree.plots.style import HATCHES, PALETTE, encode_groups, in_order, tile_style

NESTED = [[("a", "b"), "c"], [("d", "e"), ("f", "g")]]


@pytest.fixture
def tree():
    return Hierarchy.from_nested(NESTED)


def with_gid(ax, gid):
    return [artist for artist in ax.findobj() if artist.get_gid() == gid]


def texts(ax, gid):
    return [x.get_text() for x in with_gid(ax, gid)]


# ---------------------------------------------------------------------- size


@pytest.mark.parametrize(("width", "inches"), [("column", 3.5), ("page", 7.2), (5, 5.0)])
@pytest.mark.parametrize("kind", ["left", "top", "circular"])
def test_annotations__the_figure_is_as_wide_as_asked(tree, width, inches, kind):
    how = {"layout": "circular"} if kind == "circular" else {"orientation": kind}
    ax = plot_dendrogram(tree, width=width, clades={"x": ["a", "c"]}, **how)
    assert ax.figure.get_size_inches()[0] == pytest.approx(inches)
    ax.figure.canvas.draw()
    inside = [x for x in ax.texts if x.get_text() in "abcdefg"]
    assert len(inside) == 7
    for text in inside:
        box = text.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= ax.figure.bbox.width
        assert text.get_fontsize() >= 4.8


@pytest.mark.parametrize("width", ["wide", 0, 1.0, True, float("nan"), 100, [3]])
def test_annotations__widths_that_are_none_are_refused(tree, width):
    with pytest.raises(ValueError, match="width must be 'column', 'page' or from 2 to 60 inches|or a number of inches"):
        plot_dendrogram(tree, width=width)


def test_annotations__axes_that_are_given_have_a_width(tree):
    with pytest.raises(ValueError, match="leave it out if axes are given"):
        plot_dendrogram(tree, ax=plt.subplots()[1], width="column")


def test_annotations__a_page_is_no_longer_than_a_page():
    h = Hierarchy.from_nested([str(k) for k in range(2000)])
    assert plot_dendrogram(h, width="column", legend=False).figure.get_size_inches()[1] < 11


# ---------------------------------------------------------------------- columns


def boxes(ax):
    """(colour, how many tiles) of each collection of tiles."""
    return [(tuple(c.get_facecolor()[0]), len(c.get_paths())) for c in with_gid(ax, "annotations")]


def test_annotations__each_category_has_a_colour_that_nothing_else_has(tree):
    columns = {"food": list("xxyyyzz"), "home": dict(zip("abcdefg", "ppqqqqq", strict=True))}
    ax = plot_dendrogram(tree, classes=[0, 0, 0, 1, 1, 1, 1], annotations=columns)
    expected = [(PALETTE[2], 3), (PALETTE[3], 2), (PALETTE[4], 2), (PALETTE[5], 5), (PALETTE[6], 2)]
    assert boxes(ax) == [(to_rgba(colour), count) for colour, count in expected]
    shown = [t.get_text() for artist in ax.artists for t in artist.get_texts()]
    assert {"food:", "y (3)", "x (2)", "z (2)", "home:", "q (5)", "p (2)"} <= set(shown)
    assert texts(ax, "column name") == ["food", "home"]


def test_annotations__numbers_get_a_map_each_and_a_bar(tree):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"kg": [7.0, 6, 5, 4, 3, 2, np.nan], "cm": range(7)}, index=list("gfedcba"))
    ax = plot_dendrogram(tree, annotations=table)
    kg, cm = with_gid(ax, "annotations")
    assert kg.get_array().tolist() == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]  # leaf a has none
    assert cm.get_array().tolist() == [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert kg.get_cmap() != cm.get_cmap()
    assert [bar.get_xlabel() for bar in with_gid(ax, "colour bar")] == ["kg", "cm"]


def test_annotations__a_categorical_column_of_numbers_is_one_of_categories(tree):
    pandas = pytest.importorskip("pandas")
    ax = plot_dendrogram(tree, annotations=pandas.DataFrame({"k": pandas.Categorical([1, 1, 2, 2, 2, 2, 2])}))
    assert boxes(ax) == [(to_rgba(PALETTE[0]), 2), (to_rgba(PALETTE[1]), 5)]


def test_annotations__tiles_stand_in_line_whatever_the_heights():
    h = Hierarchy(np.array([3, 3, 4, 4, -1], np.int32), list("abc"), height=np.array([0.0, 4.0, 2.0, 5.0, 9.0]))
    ax = plot_dendrogram(h, annotations={"x": ["p", "p", "q"]})
    ends = [path.get_extents() for c in with_gid(ax, "annotations") for path in c.get_paths()]
    assert np.allclose([e.x0 for e in ends], ends[0].x0)
    assert all(e.x1 <= 0 for e in ends)  # beyond the lowest leaf, at 0
    assert len(with_gid(ax, "leaders")) == 1


def test_annotations__collapsed_clades_show_shares_and_means(tree):
    ax = plot_dendrogram(
        tree, collapse=[tree.common_ancestor(list("dg"))], annotations={"x": list("pppppqq"), "v": range(7)}
    )
    first, second, numbers = with_gid(ax, "annotations")
    wide = [path.get_extents().height for path in first.get_paths()]
    assert wide[-1] == pytest.approx(second.get_paths()[0].get_extents().height)  # two of four leaves each
    assert numbers.get_array().tolist() == [0.0, 1.0, 2.0, 4.5]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ([1, 2], TypeError, "a DataFrame with the leaves as its index, or a mapping"),
        ({"x": "abcdefg"}, InvalidLabelsError, "annotations\\['x'\\] must have one entry for each of the 7 leaves"),
        ({"x": list("abc")}, InvalidLabelsError, "one entry for each of the 7 leaves; got 3"),
        ({"x": 3}, InvalidLabelsError, "one entry for each of the 7 leaves"),
        ({"x": {"nobody": "p"}}, UnknownLeafError, "nobody"),
        ({"x": [np.inf] * 7}, InvalidLabelsError, "no finite number"),
    ],
)
def test_annotations__columns_that_do_not_fit_are_refused(tree, given, error, words):
    before = plt.get_fignums()
    with pytest.raises(error, match=words):
        plot_dendrogram(tree, annotations=given)
    assert plt.get_fignums() == before


@pytest.mark.parametrize("kind", ["left", "right", "top", "bottom", "circular"])
def test_annotations__nothing_lies_on_labels(tree, kind):
    """Tiles, labels, brackets and their names follow each other outwards, in every direction."""
    how = {"layout": "circular"} if kind == "circular" else {"orientation": kind}
    ax = plot_dendrogram(
        tree, annotations={"x": list("ppppqqq"), "v": range(7)}, clades={"one": list("abc"), "two": list("defg")}, **how
    )
    ax.figure.canvas.draw()
    height = {"left": 0, "right": 0, "top": 1, "bottom": 1}.get(kind)

    def out(x, y):
        """How far outwards a place is, in pixels."""
        if kind == "circular":
            return np.hypot(*(np.array([x, y]) - ax.transData.transform((0, 0))))
        return {"left": x, "right": -x, "top": -y, "bottom": y}[kind]

    def span(corners):
        found = [out(x, y) for x, y in corners]
        return min(found), max(found)

    tiles = [span(ax.transData.transform(p.vertices)) for c in with_gid(ax, "annotations") for p in c.get_paths()]
    labels = [span(t.get_window_extent().corners()) for t in ax.texts if t.get_text() in "abcdefg"]
    brackets = [span(ax.transData.transform(p.vertices)) for c in with_gid(ax, "brackets") for p in c.get_paths()]
    names = [span(t.get_window_extent().corners()) for t in with_gid(ax, "clade name")]
    slack = 4.0 if height is None else 0.5
    assert max(x[1] for x in tiles) <= min(x[0] for x in labels) + slack
    assert max(x[1] for x in labels) <= min(x[0] for x in brackets) + slack
    assert max(x[1] for x in brackets) <= min(x[0] for x in names) + slack
    edge = {"left": ax.bbox.x1, "right": -ax.bbox.x0, "top": -ax.bbox.y0, "bottom": ax.bbox.y1}.get(kind, np.inf)
    assert max(x[1] for x in names) <= edge + 1
    assert COLUMN > 9
    assert ARCS > 20


# ---------------------------------------------------------------------- clades and nodes


def test_annotations__clades_are_named_by_node_name_or_leaves(tree):
    h = Hierarchy(tree.parent, tree.leaves, names=[f"n{u}" for u in range(7, tree.n_nodes)])
    by_node = tree.common_ancestor(list("de"))
    for clades in ({"x": by_node}, {"x": f"n{by_node}"}, {"x": ["d", "e"]}, {"x": iter("ed")}):
        ax = plot_dendrogram(h, clades=clades)
        (shade,), (bracket,) = with_gid(ax, "clades"), with_gid(ax, "brackets")
        low, high = shade.get_paths()[0].get_extents().intervaly
        assert (low, high) == (2.5, 4.5)
        assert low < bracket.get_segments()[0][:, 1].min() < bracket.get_segments()[0][:, 1].max() < high
        assert texts(ax, "clade name") == ["x"]
    assert texts(plot_dendrogram(h, clades=["n8"]), "clade name") == ["n8"]


def test_annotations__a_clade_inside_another_lies_on_it_and_nearer_to_the_leaves(tree):
    ax = plot_dendrogram(tree, clades={"out": list("defg"), "in": list("de"), "beside": list("abc")})
    shades = {c.get_paths()[0].get_extents().height: c.get_zorder() for c in with_gid(ax, "clades")}
    assert shades[2.0] > shades[4.0]
    x = [c.get_segments()[0][0, 0] for c in with_gid(ax, "brackets")]
    assert x[0] < x[1] == x[2]  # heights fall outwards: the outer bracket is farther out


@pytest.mark.parametrize(
    ("clades", "error", "words"),
    [
        ("abc", TypeError, "clades must be names of inner nodes, or a mapping"),
        (["nobody"], ValueError, "'nobody', which is neither the name of an inner node nor a node number"),
        ({"x": 99}, ValueError, "neither"),
        ({"x": []}, ValueError, "is empty; give the leaves"),
        ({"x": ["a", "nobody"]}, UnknownLeafError, "nobody"),
        ({"x": 2.5}, TypeError, "a node, its name or a list of leaves"),
    ],
)
def test_annotations__clades_that_are_none_are_refused(tree, clades, error, words):
    with pytest.raises(error, match=words):
        plot_dendrogram(tree, clades=clades)


def test_annotations__labels_of_nodes(tree):
    n, m = tree.n_leaves, tree.n_nodes - tree.n_leaves
    assert sorted(texts(plot_dendrogram(tree, node_labels="numbers"), "node label")) == sorted(
        map(str, range(n, n + m))
    )
    assert sorted(texts(plot_dendrogram(tree, node_labels="sizes"), "node label")) == ["2", "2", "2", "3", "4", "7"]
    share = [1.0, 0.987654, np.nan, None, 12345.6, 0.5]
    assert sorted(texts(plot_dendrogram(tree, node_labels=share), "node label")) == ["0.5", "0.988", "1", "12,346"]
    assert texts(plot_dendrogram(tree, node_labels={tree.root: "old"}), "node label") == ["old"]
    named = Hierarchy(tree.parent, tree.leaves, names=["low"] + [None] * (m - 1))
    assert texts(plot_dendrogram(named, node_labels="names"), "node label") == ["low"]
    assert texts(plot_dendrogram(named, node_labels={"low": 3}), "node label") == ["3"]


def test_annotations__labels_of_nodes_do_not_overlap_and_the_rest_is_counted():
    h = Hierarchy.from_nested([[[[[["a", "b"], "c"], "d"], "e"], "f"], "g"])
    ax = plot_dendrogram(h, heights="order", node_labels=["a rather long name of a node"] * 6)
    ax.figure.canvas.draw()
    found = [x.get_window_extent() for x in with_gid(ax, "node label")]
    assert not any(a.overlaps(b) for k, a in enumerate(found) for b in found[:k])
    left = re.search(r"(\d+) labels? of nodes left out", ax.get_ylabel())
    assert (int(left[1]) if left else 0) == 6 - len(found)


def test_annotations__support_of_an_estimator_with_two_digits(tree):
    model = SimpleNamespace(hierarchy_=tree, clade_support_=np.array([1, 0.877, np.nan, 0.5, 0.1234, 1]))
    assert sorted(texts(plot_dendrogram(model, node_labels="support"), "node label")) == [
        "0.12",
        "0.5",
        "0.88",
        "1",
        "1",
    ]


def test_annotations__support_that_is_not_there_is_refused(tree):
    with pytest.raises(
        ValueError, match="node_labels is 'support', but the Hierarchy has none; give a fitted Divisive"
    ):
        plot_dendrogram(tree, node_labels="support")
    model = SimpleNamespace(hierarchy_=tree, clade_support_=None)
    with pytest.raises(ValueError, match="clade_support_ is None, as no trees were sampled; give"):
        plot_dendrogram(model, node_labels="support")


@pytest.mark.parametrize(("given", "words"), [("lengths", "must be one of"), ([1, 2], "2 entries"), ({3: 1}, "7..12")])
def test_annotations__labels_of_nodes_that_are_none_are_refused(tree, given, words):
    with pytest.raises(ValueError, match=words):
        plot_dendrogram(tree, node_labels=given)


# ---------------------------------------------------------------------- arcs and scale bars


def test_annotations__pairs_as_arcs(tree):
    pairs = PairwiseConstraints.from_labels([("a", "g")], [("b", "c"), ("d", "e")])
    ax = plot_dendrogram(tree, pairs=pairs, arcs=True, clusters=[0, 0, 1, 1, 1, 1, 1])
    (must,), (cannot,) = with_gid(ax, "must arcs"), with_gid(ax, "cannot arcs")
    ends = [sorted(line[[0, -1], 1].round().tolist()) for line in (*must.get_segments(), *cannot.get_segments())]
    assert ends == [[0.0, 6.0], [1.0, 2.0], [3.0, 4.0]]
    red = [*map(tuple, must.get_colors()), *map(tuple, cannot.get_colors())]
    assert red == [to_rgba("#B2182B"), to_rgba("#222222"), to_rgba("#B2182B")]  # a and g part, d and e stay together
    assert not with_gid(ax, "must violated")
    shown = [t.get_text() for artist in ax.artists for t in artist.get_texts()]
    assert {"1 must-link", "2 cannot-links", "2 violated"} <= set(shown)


def test_annotations__arcs_need_pairs_and_a_straight_axis(tree):
    with pytest.raises(ValueError, match="arcs=True needs pairs="):
        plot_dendrogram(tree, arcs=True)
    with pytest.raises(ValueError, match="rectangular"):
        plot_dendrogram(tree, arcs=True, pairs=([("a", "b")], []), layout="circular")


@pytest.mark.parametrize(("top", "length"), [(9.0, 1.0), (10.0, 2.0), (24.0, 2.0), (74.0, 10.0), (0.03, 0.005)])
def test_annotations__a_scale_bar_has_a_round_length_and_takes_the_axis_away(top, length):
    h = Hierarchy(np.array([2, 2, -1], np.int32), ["a", "b"], height=np.array([0.0, 0.0, top]))
    for how in ({}, {"orientation": "top"}, {"layout": "circular"}):
        ax = plot_dendrogram(h, scale_bar=True, **how)
        line, text = sorted(with_gid(ax, "scale bar"), key=lambda x: hasattr(x, "get_text"))
        assert float(text.get_text()) == length
        ends = np.array([line.get_xdata(), line.get_ydata()], float)
        assert np.abs(np.diff(ends)).max() == pytest.approx(length)
        assert not any(spine.get_visible() for spine in ax.spines.values())
        assert not with_gid(ax, "rings")


# ---------------------------------------------------------------------- colours and files


def test_annotations__the_colours_of_ten_digits_differ():
    codes, names = in_order(np.array([3, 1, 0, 2, -1, 3]), [5, 10, 2.5, 1])
    assert names == [1, 2.5, 5, 10]
    assert codes.tolist() == [0, 3, 2, 1, -1, 0]
    codes, names = in_order(np.array([0, 1, 1, 2]), ["x", "y", "z"])
    assert names == ["y", "x", "z"]
    assert len(set(PALETTE)) == len(PALETTE) == 13
    looks = {(x["facecolor"], x["hatch"]) for x in (tile_style(k, "white") for k in range(39))}
    assert len(looks) == 39
    assert [tile_style(k, "white")["hatch"] for k in (0, 6, 7)] == [None, None, HATCHES[1]]


def test_annotations__text_in_svg_stays_text_unless_outlines_are_asked_for(tree, tmp_path):
    ax = plot_dendrogram(tree, width="column", title="Seven < eight")
    save_picture(ax, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert all(f">{x}</text>" in text for x in "abcdefg")
    assert "Seven &lt; eight</text>" in text
    assert re.search(r'width="252pt"', text)  # 3.5 inches
    save_picture([ax], tmp_path / "b.svg", text="path")
    assert "<text" not in (tmp_path / "b.svg").read_text(encoding="utf-8")
    again = plot_dendrogram(tree, width="column", title="Seven < eight")
    save_picture(again.figure, tmp_path / "c.svg")
    assert (tmp_path / "c.svg").read_text(encoding="utf-8") == text
    for kind in ("png", "pdf", "tif"):
        save_picture(ax, tmp_path / f"a.{kind}")
    assert sorted(x.name for x in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg", "a.tif", "b.svg", "c.svg"]


def test_annotations__what_cannot_be_saved_is_refused(tree, tmp_path):
    ax = plot_dendrogram(tree)
    with pytest.raises(TypeError, match="must be matplotlib Axes or a Figure"):
        save_picture(tree, tmp_path / "a.svg")
    with pytest.raises(TypeError, match="must be matplotlib Axes or a Figure"):
        save_picture([], tmp_path / "a.svg")
    with pytest.raises(ValueError, match="text must be 'text' or 'path', not 'letters'"):
        save_picture(ax, tmp_path / "a.svg", text="letters")
    with pytest.raises(ValueError, match="the formats are"):
        save_picture(ax, tmp_path / "a.doc")
    with pytest.raises(FileNotFoundError):
        save_picture(ax, tmp_path / "nowhere" / "a.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("width", "inches"), [("column", 3.5), ("page", 7.2), (None, None)])
def test_annotations__other_pictures_have_widths_too(width, inches):
    from tripletree.plots import plot_cuts, plot_tanglegram

    tree = Hierarchy.from_nested([[(f"{a}{b}1", f"{a}{b}2") for b in "uvw"] for a in "xyz"])
    other = Hierarchy.from_nested([[(f"{a}{b}1", f"{a}{b}2") for a in "xyz"] for b in "uvw"])
    for ax in (plot_tanglegram(tree, other, width=width), plot_cuts(tree, [3, 9], rule="size", width=width)[0]):
        if inches is not None:
            assert ax.figure.get_size_inches()[0] == pytest.approx(inches)
    with pytest.raises(ValueError, match="leave it out if axes are given"):
        plot_tanglegram(tree, other, ax=plt.subplots()[1], width=4)


def test_clades__leaves_that_are_none_are_shaded_alone_and_the_name_tells_how_many_others_there_are(tree):
    """Every choice of two leaves or more, beside the definition: the leaves of the smallest node with all of them."""
    start, stop, order = tree.leaf_intervals
    for size in (2, 3, 4):
        for chosen in combinations(tree.leaves, size):
            below = [{tree.leaves[i] for i in order[start[u] : stop[u]]} for u in range(tree.n_nodes)]
            others = min(len(x) for x in below if x >= set(chosen)) - size
            ax = plot_dendrogram(tree, clades={"group": chosen})
            (name,) = [x.get_text() for x in with_gid(ax, "clade name")]
            wanted = "group" if not others else f"group (not a clade: {others} other{'s' * (others > 1)})"
            assert name == wanted
            rows = {t.get_text(): t.xy[1] for t in ax.texts if t.get_text() in tree.leaves}
            (shade,) = with_gid(ax, "clades")
            boxes = [x.get_extents() for x in shade.get_paths()]
            assert {x for x, y in rows.items() if any(b.y0 < y < b.y1 for b in boxes)} == set(chosen)
            plt.close(ax.figure)


def test_legends__say_which_clusters_are_no_clades(tree):
    def told(clusters):
        ax = plot_dendrogram(tree, clusters=clusters)
        texts = [t.get_text() for x in ax.artists + [ax.get_legend()] if x is not None for t in x.get_texts()]
        plt.close(ax.figure)
        assert texts[0] == "clusters:"
        return {int(x.split()[0]): x.endswith(", not a clade") for x in texts[1:]}

    start, stop, order = tree.leaf_intervals
    below = {frozenset(order[start[u] : stop[u]].tolist()) for u in range(tree.n_nodes)}
    for code in range(2**7):
        clusters = [code >> k & 1 for k in range(7)]
        wanted = {x: frozenset(k for k in range(7) if clusters[k] == x) not in below for x in set(clusters)}
        if code % 9 == 0:
            assert told(clusters) == wanted
        groups = encode_groups(clusters, tree, "clusters", None)
        assert dict(zip(groups.names, (~groups.is_clade).tolist(), strict=True)) == wanted
    assert told([None, 0, 0, None, None, 1, 1])[0] is (frozenset([1, 2]) not in below)


def test_cuts__titles_tell_how_many_clusters_are_no_clades():
    """Cut by the order of merges, a tree with a late third child leaves clusters apart."""
    tree = Hierarchy.from_nested([list("abc"), list("de"), "x", "y"])
    (ax,) = plot_cuts(tree, [2])
    groups = encode_groups(cut(tree, 2), tree, "clusters", None)
    sizes = ", ".join(str(x) for x in np.bincount(cut(tree, 2)))
    assert ax.get_title(loc="left") == f"2 clusters: {sizes} (1 not a clade)"
    assert (~groups.is_clade).sum() == 1
