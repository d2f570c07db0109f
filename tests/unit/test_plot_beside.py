"""Pictures of more than one thing: tanglegrams, cuts, heat maps."""

import sys

import matplotlib
import numpy as np
import pytest
from examples import caterpillar, contracted, star, yule, zoo

from tripletree.distance import compare_triplets
from tripletree.errors import InvalidLabelsError, LimitExceededError, MissingDependencyError, UnknownLeafError
from tripletree.hierarchy import Hierarchy
from tripletree.linkage import cut
from tripletree.plots import plot_cuts, plot_heatmap, plot_tanglegram

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

ONE = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
TWO = Hierarchy.from_nested([["c", ["b", "a"]], "e", "d"])


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    plt.close("all")


def with_gid(ax, gid):
    return [a for a in ax.collections if a.get_gid() == gid]


def number_of(ax, gid):
    return sum(len(c.get_paths()) for c in with_gid(ax, gid))


def labels_of(ax):
    return [t.get_text() for t in ax.texts if t.get_gid() == "label"]


# ------------------------------------------------------------------ tanglegrams


def test_tanglegram__lines_labels_and_title():
    ax = plot_tanglegram(ONE, TWO, names=("left", "right"))
    found = compare_triplets(ONE, TWO)
    assert ax.get_title() == f"0 crossings; {found.distance} of 10 triples of leaves differ"
    assert number_of(ax, "ties") == 5
    assert number_of(ax, "lines") == (8 + 4) + (7 + 3)
    assert sorted(labels_of(ax)) == sorted("abcde" * 2)
    left = {t.get_text(): t.xy[1] for t in ax.texts if t.get_gid() == "label" and t.xy[0] < 0.5}
    right = {t.get_text(): t.xy[1] for t in ax.texts if t.get_gid() == "label" and t.xy[0] > 0.5}
    assert left == right  # nothing crosses: every line is level
    assert [t.get_text() for t in ax.texts if t.get_gid() is None] == ["left", "right"]
    ends = sorted(
        (round(float(p.vertices[0, 1]), 6), round(float(p.vertices[-1, 1]), 6))
        for c in with_gid(ax, "ties")
        for p in c.get_paths()
    )
    assert ends == [(y, y) for y in range(5)]
    # branches above a clade that the other lacks have dashes: that of d and e
    dashed = [c for c in with_gid(ax, "lines") if c.get_linestyle()[0][1] is not None]
    assert [len(c.get_paths()) for c in dashed] == [1]


def test_tanglegram__crossings_are_those_drawn(rng):
    one, two = yule(40, rng), contracted(yule(40, rng), 0.3, rng)
    for untangle in (True, False):
        ax = plot_tanglegram(one, two, untangle=untangle)
        ends = [(p.vertices[0, 1], p.vertices[-1, 1]) for c in with_gid(ax, "ties") for p in c.get_paths()]
        ends.sort()
        crossed = sum(a[1] > b[1] for i, b in enumerate(ends) for a in ends[:i])
        assert ax.get_title().startswith(f"{crossed:,} crossing")
        if untangle:
            fewest = crossed
    assert fewest < crossed


def test_tanglegram__common_leaves_and_classes():
    three = Hierarchy.from_nested([["a", "x"], ["b", "d"]])
    with pytest.raises(UnknownLeafError, match="'c'"):
        plot_tanglegram(ONE, three)
    ax = plot_tanglegram(ONE, three, leaves="common", classes={"a": "u", "b": "v", "d": "u"}, title="mine")
    assert sorted(labels_of(ax)) == sorted("abd" * 2)
    assert ax.get_title() == "mine"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["u", "v"]
    colours = {matplotlib.colors.to_hex(x) for c in with_gid(ax, "ties") for x in c.get_colors()}
    assert len(colours) == 2


def test_tanglegram__shared_clades_become_bands(rng):
    inner = yule(30, rng)
    one = Hierarchy.from_nested([[["a", "b"], "c"], "d"])
    ax = plot_tanglegram(one, Hierarchy.from_nested([["a", "b"], ["c", "d"]]), collapse=True)
    assert number_of(ax, "collapsed") == 2
    assert number_of(ax, "bands") == 1
    assert number_of(ax, "ties") == 2
    assert labels_of(ax).count("2 leaves") == 2
    same = plot_tanglegram(inner, inner, collapse=True)  # the two children of the root
    assert number_of(same, "ties") + number_of(same, "bands") == inner.children(inner.root).size
    assert same.get_title().startswith("0 crossings; 0 of ")


@pytest.mark.parametrize("n", [1, 2, 5, 50, 500, 2_000])
def test_tanglegram__any_size(n, rng):
    one = yule(n, rng) if n > 1 else Hierarchy([-1])
    two = Hierarchy(yule(n, rng).parent if n > 1 else [-1])
    ax = plot_tanglegram(one, two)
    ax.figure.canvas.draw()
    assert max(ax.figure.get_size_inches()) <= 23
    texts = [t for t in ax.texts if t.get_gid() == "label"]
    assert len(texts) <= 2 * 150 or n <= 600
    assert number_of(ax, "lines") <= 6 * 600
    boxes = [t.get_window_extent().padded(-0.5) for t in texts if t.xy[0] < 0.5]
    boxes.sort(key=lambda b: b.y0)
    assert not any(a.overlaps(b) for a, b in zip(boxes, boxes[1:], strict=False))
    if n == 2_000:
        assert number_of(ax, "collapsed") >= 60
        assert number_of(ax, "ties") == 0
        thick = sum(np.ptp(p.vertices[[0, 47], 1]) for c in with_gid(ax, "bands") for p in c.get_paths())
        assert thick == pytest.approx(n)  # every leaf is in one band


def test_tanglegram__ladders_and_stars():
    ax = plot_tanglegram(caterpillar(3_000), star(3_000))
    assert ax.get_title().startswith("0 crossings; ")
    for _, h in zoo():
        if h.n_leaves <= 40:
            plot_tanglegram(h, h.reindex(list(h.leaves)[::-1]))
            plt.close("all")


def test_tanglegram__refusals(monkeypatch):
    with pytest.raises(TypeError, match="Hierarchy or a fitted estimator.*not list"):
        plot_tanglegram([], ONE)
    with pytest.raises(LimitExceededError, match="20,001 leaves are too many"):
        plot_tanglegram(star(20_001), star(20_001))
    assert plt.get_fignums() == []
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (lambda: plot_tanglegram(ONE, TWO), lambda: plot_cuts(ONE, [2]), lambda: plot_heatmap(ONE, np.eye(5))):
        with pytest.raises(MissingDependencyError, match="needs matplotlib"):
            draw()


# ------------------------------------------------------------------ cuts


def test_cuts__one_panel_each(rng):
    h = yule(40, rng)
    panels = plot_cuts(h, [2, 3, 5, 7], rule="size")
    assert len(panels) == len(panels[0].figure.axes) == 4
    for ax, k in zip(panels, [2, 3, 5, 7], strict=True):
        sizes = np.bincount(cut(h, k, rule="size"))
        shown = ", ".join(map(str, sizes[:6])) + (", ..." if k > 6 else "")
        assert ax.get_title(loc="left") == f"{k} clusters: {shown}"
        assert len(with_gid(ax, "cut")) == 1
        assert not ax.findobj(matplotlib.legend.Legend)


def test_cuts__what_cannot_be_had_and_own_axes():
    h = Hierarchy.from_nested([["a", "b", "c"], "d"])
    figure, axes = plt.subplots(1, 2)
    panels = plot_cuts(h, [1, 3], axes=axes, rule="height")
    assert panels == list(axes)
    assert panels[0].get_title(loc="left") == "1 cluster: 4"
    assert panels[1].get_title(loc="left") == "3 clusters: no cut gives them"
    assert not with_gid(panels[1], "cut")
    with pytest.raises(ValueError, match="2 axes for 1 numbers"):
        plot_cuts(h, [2], axes=axes)
    with pytest.raises(ValueError, match="n_clusters is empty"):
        plot_cuts(h, [])


# ------------------------------------------------------------------ heat maps


def test_heatmap__rows_and_columns_in_the_order_of_the_hierarchy(rng):
    h = yule(30, rng)
    X = rng.normal(size=(30, 3))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    ax = plot_heatmap(h, D, clusters=cut(h, 3))
    order = [int(t.get_text()) for t in ax.get_yticklabels()]
    assert sorted(order) == list(range(30))
    for u in range(h.n_nodes):  # clades in one piece
        at = sorted(order.index(x) for x in h.clade(u))
        assert at == list(range(at[0], at[0] + len(at)))
    assert np.array_equal(ax.images[0].get_array(), D[np.ix_(order, order)])
    assert [t.get_text() for t in ax.get_xticklabels()] == [str(x) for x in order]
    beside = {a.get_gid(): a for a in ax.figure.axes}
    assert {"dendrogram", "dendrogram above", "colour bar"} <= set(beside)
    assert beside["colour bar"].get_ylabel() == "distance"
    assert beside["dendrogram"].get_ylim() == ax.get_ylim() == (29.5, -0.5)
    assert beside["dendrogram above"].get_xlim() == ax.get_xlim()
    ax.figure.canvas.draw()
    assert beside["dendrogram"].get_window_extent().y0 == pytest.approx(ax.get_window_extent().y0)
    edges = cut(h, 3)[order]
    assert sum(x.get_gid() == "parting" for x in ax.lines) == 2 * (edges[1:] != edges[:-1]).sum()


def test_heatmap__samples_by_features(rng):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(rng.normal(size=(6, 2)), columns=["long", "wide"])
    h = Hierarchy.from_nested([[5, 0], [3, [1, 2]], 4]).reindex(range(6))
    ax = plot_heatmap(h, table, title="six")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["long", "wide"]
    order = [int(t.get_text()) for t in ax.get_yticklabels()]
    assert np.array_equal(ax.images[0].get_array(), table.to_numpy()[order])
    assert "dendrogram above" not in {a.get_gid() for a in ax.figure.axes}
    assert ax.get_title() == "six"
    bar = next(a for a in ax.figure.axes if a.get_gid() == "colour bar")
    ax.figure.canvas.draw()
    labels = [t.get_window_extent() for t in ax.get_yticklabels()]
    assert max(b.x1 for b in labels) <= bar.get_window_extent().x0


@pytest.mark.parametrize("n", [1, 2, 500, 3_000])
def test_heatmap__any_size(n, rng):
    h = yule(n, rng) if n > 1 else Hierarchy([-1])
    ax = plot_heatmap(h, rng.normal(size=(n, 2)))
    (side,) = [a for a in ax.figure.axes if a.get_gid() == "dendrogram"]
    assert side.get_ylim() == (n - 0.5, -0.5)
    assert number_of(side, "lines") <= 3 * 250
    if n > 250:  # collapsed subtrees are as wide as their leaves
        assert not ax.get_yticklabels()
        spans = sorted(
            (p.vertices[:, 1].min(), p.vertices[:, 1].max()) for c in with_gid(side, "collapsed") for p in c.get_paths()
        )
        assert all(a[1] < b[0] for a, b in zip(spans, spans[1:], strict=False))


def test_heatmap__refusals():
    with pytest.raises(ValueError, match="a row for each of the 5 leaves, in their order; its shape is \\(3, 3\\)"):
        plot_heatmap(ONE, np.eye(3))
    with pytest.raises(ValueError, match="must hold numbers"):
        plot_heatmap(ONE, [["a"]] * 5)
    with pytest.raises(InvalidLabelsError):
        plot_heatmap(ONE, np.eye(5), clusters=[1])
    assert plt.get_fignums() == []
