"""Pictures of more than one thing: tanglegrams, cuts, heat maps."""

import sys

import matplotlib
import numpy as np
import pytest
from examples import caterpillar, contracted, star, yule, zoo

from tripletree.algorithms.compare import compare_triplets
from tripletree.algorithms.cut import cut
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import (
    InvalidHierarchyError,
    InvalidLabelsError,
    LimitExceededError,
    MissingDependencyError,
    UnknownLeafError,
)
from tripletree.plots import plot_cuts, plot_heatmap, plot_tanglegram

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")
to_rgb = matplotlib.colors.to_rgb

LIGHT = [0.3, 0.59, 0.11]
ONE = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
TWO = Hierarchy.from_nested([["c", ["b", "a"]], "e", "d"])


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
    # branches above a clade that the other lacks have dashes: here d and e
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
    both = ["in a clade that both have", "in a clade of one side only"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [*both, "classes:", "u", "v"]
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


@pytest.mark.parametrize("n", [1, 2, 5, 50, 2_000])
def test_tanglegram__any_size(n, rng):
    one = yule(n, rng) if n > 1 else Hierarchy([-1])
    two = Hierarchy(yule(n, rng).parent if n > 1 else [-1])
    ax = plot_tanglegram(one, two)
    ax.figure.canvas.draw()
    assert max(ax.figure.get_size_inches()) <= 23
    texts = [t for t in ax.texts if t.get_gid() == "label"]
    assert len(texts) <= 2 * 200
    assert number_of(ax, "lines") <= 6 * 200
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
    with pytest.raises(TypeError, match="expected a Hierarchy, got list"):
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
        assert ax.get_title(loc="left").partition(" (")[0] == f"{k} clusters: {shown}"
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


def colours_of_bands(ax):
    return {(matplotlib.colors.to_hex(c.get_facecolor()[0][:3]), c.get_hatch()) for c in with_gid(ax, "bands")}


def test_tanglegram__a_band_has_the_class_of_most_of_its_leaves_or_none():
    h = Hierarchy.from_nested([[f"a{i:02}" for i in range(20)], [f"b{i}" for i in range(4)]])
    classes = {x: x[0] for x in h.leaves} | {"a19": "b"}  # the last leaf of the first clade is another's
    ax = plot_tanglegram(h, h, classes=classes, collapse=True)
    assert sorted(set(labels_of(ax))) == ["20 leaves, 95% a", "4 leaves, 100% b"]
    first, second = sorted(with_gid(ax, "bands"), key=lambda c: c.get_paths()[0].vertices[:, 1].min())
    blue, orange = (c.get_facecolor()[0] for c in (first, second))
    assert blue[2] > blue[0]
    assert orange[0] > orange[2]
    assert first.get_hatch() is second.get_hatch() is None
    mixed = plot_tanglegram(h, h, classes=classes | {"a18": "b", "a17": "b"}, collapse=True)
    assert "20 leaves, 85% a" in labels_of(mixed)
    (grey,) = [c for c in with_gid(mixed, "bands") if c.get_hatch()]
    assert np.ptp(grey.get_facecolor()[0][:3]) < 0.01
    assert "mixed: less than 90% of one" in [t.get_text() for t in mixed.get_legend().get_texts()]
    assert "mixed: less than 90% of one" not in [t.get_text() for t in ax.get_legend().get_texts()]


def test_tanglegram__gathered_bands_that_mix_classes_are_grey(rng):
    one, two = yule(700, rng), Hierarchy(yule(700, rng).parent)
    ax = plot_tanglegram(one, two, classes=rng.integers(2, size=700))
    assert any(hatch and np.ptp(matplotlib.colors.to_rgb(c)) < 0.01 for c, hatch in colours_of_bands(ax))


@pytest.mark.parametrize("names", [[f"Genus_longer{i}" for i in range(12)], ["a" * 500 + str(i) for i in range(12)]])
def test_tanglegram__labels_stand_clear_of_ties_and_of_each_other(names, rng):
    one, two = Hierarchy(yule(12, rng).parent, names), Hierarchy(yule(12, rng).parent, names)
    ax = plot_tanglegram(one, two, names=("x" * 500, "y" * 500))
    ax.figure.canvas.draw()
    ends = ax.transData.transform([p.vertices[[0, -1]] for c in with_gid(ax, "ties") for p in c.get_paths()][0])[:, 0]
    texts = [t for t in ax.texts if t.get_gid() == "label"]
    assert max(t.get_window_extent().x1 for t in texts if t.xy[0] < 0.5) < ends[0]
    assert min(t.get_window_extent().x0 for t in texts if t.xy[0] > 0.5) > ends[1]
    left, right = (t.get_window_extent() for t in ax.texts if t.get_gid() is None)
    assert left.x1 < right.x0


def test_tanglegram__refused_without_a_figure():
    with pytest.raises(ValueError, match="names must be two"):
        plot_tanglegram(ONE, TWO, names=("a", "b", "c"))
    with pytest.raises(InvalidHierarchyError, match="the two hierarchies have no leaf in common"):
        plot_tanglegram(ONE, Hierarchy.from_nested(["x", "y"]), leaves="common")
    with pytest.raises(TypeError, match="ax must be matplotlib Axes.*int"):
        plot_tanglegram(ONE, TWO, ax=3)
    with pytest.raises(ValueError, match="nocolour"):
        plot_tanglegram(ONE, TWO, color="nocolour")
    assert plt.get_fignums() == []


def test_cuts__classes_have_one_coding_and_one_legend():
    h = Hierarchy.from_nested([[["a", "b"], "c"], [["d", "e"], "f"]])
    classes = dict(zip("abcdef", "uuvwwv", strict=True))
    panels = plot_cuts(h, [2, 3, 4], classes=classes, rule="height")
    drawn = [
        sorted(
            (line.get_marker(), line.get_color(), tuple(line.get_xdata()))
            for line in ax.lines
            if line.get_gid() == "classes"
        )
        for ax in panels
    ]
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(drawn[0]) == 3
    (legend,) = panels[0].figure.legends
    assert [t.get_text() for t in legend.get_texts()] == ["classes:", "u (2)", "v (2)", "w (2)"]
    assert [(x.get_marker(), x.get_color()) for x in legend.get_lines()[1:]] == [
        next((m, c) for m, c, x in drawn[0] if k in x) for k in (0, 2, 3)
    ]
    # the cluster that holds both u has the colour of u
    colours = {matplotlib.colors.to_hex(x) for c in with_gid(panels[0], "lines") for x in c.get_colors()}
    assert legend.get_lines()[1].get_color().lower() in colours
    own = plot_cuts(h, 2, axes=plt.subplots()[1], classes=classes, rule="height")
    assert [t.get_text() for t in own[0].get_legend().get_texts()] == ["classes:", "u (2)", "v (2)", "w (2)"]


def test_cuts__axes_are_named_once_and_apart(rng):
    from scipy.cluster.hierarchy import linkage

    from tripletree.algorithms.linkage import from_linkage

    h = from_linkage(linkage(rng.normal(size=(300, 4)), "centroid"))
    panels = plot_cuts(h, rule="height", heights="height")
    figure = panels[0].figure
    figure.canvas.draw()
    assert [ax.get_ylabel() for ax in panels] == ["height", "", ""] * 2
    assert [t.get_text() for t in figure.texts][0].endswith(" of 598 branches point down")
    boxes = [x.get_window_extent() for ax in panels for x in (ax.xaxis.label, ax.yaxis.label, ax._left_title)]
    boxes = [b for b in [*boxes, *(t.get_window_extent() for t in figure.texts)] if b.width > 1]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(figure.bbox.x0 <= b.x0 and b.x1 <= figure.bbox.x1 and b.y0 >= figure.bbox.y0 for b in boxes)


def test_cuts__refused_without_a_figure():
    with pytest.raises(InvalidLabelsError):
        plot_cuts(ONE, [2], classes=[1])
    with pytest.raises(ValueError, match="heights is 'x'"):
        plot_cuts(ONE, [2], heights="x", rule="size")
    with pytest.raises(TypeError, match="ax must be matplotlib Axes"):
        plot_cuts(ONE, [2], axes=3, rule="size")
    assert plt.get_fignums() == []
    assert len(plot_cuts(ONE, 3, rule="size")) == 1


@pytest.mark.parametrize("style", ["dark_background", "ggplot", "grayscale"])
def test_pictures__neutral_colours_stand_out_in_any_style(style, rng):
    h = yule(12, rng)
    with plt.style.context(style):
        drawn = [plot_tanglegram(h, yule(12, rng)), plot_cuts(h, [2], rule="size")[0]]
        beside = plot_heatmap(h, rng.normal(size=(12, 3)))
        drawn += [a for a in beside.figure.axes if a.get_gid() == "dendrogram"]
        for ax in drawn:
            neutral = [t.get_color() for t in ax.texts if t.get_text()]
            lines = [to_rgb(x) for c in with_gid(ax, "lines") for x in c.get_colors()]
            neutral += [x for x in lines if np.ptp(x) < 0.01]
            assert neutral or ax is drawn[1]
            for colour in neutral:
                assert abs(np.dot(to_rgb(colour), LIGHT) - np.dot(to_rgb(ax.figure.get_facecolor()), LIGHT)) > 0.4
