import re
import sys

import matplotlib
import numpy as np
import pytest
from examples import caterpillar, contracted, yule, zoo

from tripletree.algorithms.cut import cut
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidLabelsError, MissingDependencyError, UnknownLeafError
from tripletree.plots import plot_dendrogram
from tripletree.plots.layout import collapse_nothing, compute_layout
from tripletree.plots.style import PALETTE

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

ORIENTATIONS = ("left", "right", "top", "bottom")


def with_gid(ax, gid):
    return [a for a in [*ax.collections, *ax.lines] if a.get_gid() == gid]


def segments(ax):
    return np.concatenate([c.get_segments() for c in with_gid(ax, "lines")])


def colours_of_lines(ax):
    """The colour of every line, by its two ends."""
    return {
        tuple(map(tuple, np.round(s, 9))): matplotlib.colors.to_hex(c)
        for group in with_gid(ax, "lines")
        for s, c in zip(group.get_segments(), group.get_colors(), strict=True)
    }


def legend_texts(ax):
    return [t.get_text() for legend in ax.findobj(matplotlib.legend.Legend) for t in legend.get_texts()]


def overlapping(boxes):
    """True if two boxes have more than half a pixel of each other in common."""
    boxes = [b.padded(-0.25) for b in boxes]
    return any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


FOUR = Hierarchy.from_nested([["a", "b"], ["c", "d"]])


# ------------------------------------------------------------------ drawing


def test_plot__branches_above_open_nodes_are_dotted():
    h = Hierarchy.from_nested([["a", "b"], "c", "d"])
    ax = plot_dendrogram(Hierarchy(h.parent, h.leaves, incertae_sedis=[2, 4]))
    dotted = [c for c in with_gid(ax, "lines") if c.get_linestyle()[0][1] is not None]
    assert [len(c.get_segments()) for c in dotted] == [2]
    assert "2 open: at that node or below it" in legend_texts(ax)
    assert len(with_gid(plot_dendrogram(h), "lines")) == 1


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_plot__lines_and_places(orientation):
    h = from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 4.0, 4]], list("abcd"))
    ax = plot_dendrogram(h, orientation=orientation)
    expected = {  # (along, up) of both ends
        ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 2)), ((3, 0), (3, 2)),
        ((0.5, 1), (0.5, 4)), ((2.5, 2), (2.5, 4)),
        ((0, 1), (1, 1)), ((2, 2), (3, 2)), ((0.5, 4), (2.5, 4)),
    }  # fmt: skip
    if orientation in ("left", "right"):
        expected = {(p[::-1], q[::-1]) for p, q in expected}
    drawn = segments(ax)
    assert len(drawn) == 9
    assert {tuple(map(tuple, s)) for s in drawn.tolist()} == expected
    # the root is on the side asked for, the first leaf at the top or at the left
    x, y = ax.get_xlim(), ax.get_ylim()
    falling = {"left": x[0] > x[1], "right": x[0] < x[1], "top": y[0] < y[1], "bottom": y[0] > y[1]}
    assert falling[orientation]
    assert y[0] > y[1] if orientation in ("left", "right") else x[0] < x[1]
    heights = ax.xaxis if orientation in ("left", "right") else ax.yaxis
    assert heights.get_label_text() == "height"
    assert all(0 <= tick <= 4 for tick in heights.get_ticklocs())


def test_plot__number_of_lines_on_every_shape():
    for name, h in zoo():
        ax = plot_dendrogram(h, labels=False)
        inner = h.n_nodes - h.n_leaves
        if h.n_nodes == 1:
            assert not with_gid(ax, "lines")
            assert len(with_gid(ax, "single leaf")) == 1
        else:
            assert len(segments(ax)) == h.n_nodes - 1 + inner, name
        assert not ax.texts
        plt.close(ax.figure)


def test_plot__unary_nodes_and_tips():
    h = Hierarchy([3, 4, 4, 5, 5, -1], ["a", "b", "c"], length=[1.0, 2.0, 1.0, 1.0, 1.0, np.nan])
    ax = plot_dendrogram(h)
    assert len(segments(ax)) == 5 + 2  # the unary node has no line across
    tips = {t.get_text(): t.xy for t in ax.texts}
    assert {name: xy[0] for name, xy in tips.items()} == {"a": 1.0, "b": 0.0, "c": 1.0}


def test_plot__inverted_heights_are_drawn_as_they_are():
    h = from_linkage([[0, 1, 3.0, 2], [2, 3, 1.0, 3]])
    ax = plot_dendrogram(h, heights="height")
    assert [[3.0, 0.5], [1.0, 0.5]] in segments(ax).tolist()
    assert min(ax.get_xlim()) < 0
    assert max(ax.get_xlim()) > 3


# ------------------------------------------------------------------ labels


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("n", [2, 5, 50, 140])
def test_plot__labels_do_not_overlap(n, orientation, rng):
    h = yule(n, rng)
    h = Hierarchy(h.parent, [f"sample {i}" for i in range(n)])
    ax = plot_dendrogram(h, orientation=orientation, clusters=cut(h, min(n, 3)))
    order = compute_layout(collapse_nothing(h), "auto").order.tolist()
    assert [t.get_text() for t in ax.texts] == [f"sample {i}" for i in order]
    boxes = [t.get_window_extent() for t in ax.texts]
    assert not overlapping(boxes)
    inside = ax.get_window_extent().padded(1)
    figure = ax.figure.bbox
    for box in boxes:
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert figure.y0 <= box.y0
        assert box.y1 <= figure.y1
    assert ax.texts[0].get_fontsize() >= 4.8
    legends = ax.findobj(matplotlib.legend.Legend)
    assert not any(legend.get_window_extent().overlaps(box) for legend in legends for box in boxes)
    assert max(ax.figure.get_size_inches()) <= 13


@pytest.mark.parametrize("layout", ["rectangular", "circular"])
def test_plot__a_new_figure_fits_a_sheet_unless_all_labels_are_asked_for(layout, rng):
    h = yule(500, rng)
    ax = plot_dendrogram(h, layout=layout)
    width, height = ax.figure.get_size_inches()
    assert width <= 8.3
    assert height <= 11.7
    assert not [c for c in ax.collections if c.get_gid() == "collapsed"]
    note = ax.get_ylabel() if layout == "rectangular" else ax.get_xlabel()
    assert re.search(r"500 leaves, 1 in [2-4] labelled", note)
    assert len(plot_dendrogram(h, layout=layout, labels=True).texts) >= 500


def test_plot__labels_are_thinned_out_with_a_note(rng):
    h = yule(1_000, rng)
    ax = plot_dendrogram(h, max_leaves=None)
    shown = [int(t.get_text()) for t in ax.texts]
    every = -(-1_000 // len(shown))
    assert 1 < every <= 10
    assert shown == compute_layout(collapse_nothing(h), "auto").order[::every].tolist()
    assert ax.get_ylabel() == f"1,000 leaves, 1 in {every} labelled"
    assert not overlapping([t.get_window_extent() for t in ax.texts[:60]])


def test_plot__labels_on_request(rng):
    h = yule(40, rng)
    assert len(plot_dendrogram(h, labels=True).texts) == 40
    ax = plot_dendrogram(h, labels=False)
    assert not ax.texts
    assert ax.get_ylabel() == "40 leaves"
    ax = plot_dendrogram(h, max_leaf_labels=10)
    assert len(ax.texts) == 10
    assert ax.get_ylabel() == "40 leaves, 1 in 4 labelled"
    ax = plot_dendrogram(h, max_leaf_labels=3, orientation="top")
    assert not ax.texts
    assert ax.get_xlabel() == "40 leaves"


def test_plot__labels_are_written_as_they_are():
    names = ["$x^2$", "_hidden", "two\nlines", "long " * 20]
    ax = plot_dendrogram(Hierarchy(FOUR.parent, names), classes=dict.fromkeys(names, "_a$"))
    assert [t.get_text() for t in ax.texts][:3] == ["$x^2$", "_hidden", "two lines"]
    assert len(ax.texts[3].get_text()) <= 40
    assert legend_texts(ax) == ["classes:", "_a$ (4)"]
    ax.figure.canvas.draw()


# ------------------------------------------------------------------ clusters, classes, triplets


def test_plot__colours_by_cluster():
    ax = plot_dendrogram(FOUR, clusters=["x", "x", "y", "z"], orientation="top", color="#010203")
    colour = colours_of_lines(ax)
    blue, orange, green = (c.lower() for c in PALETTE[:3])
    assert colour == {
        ((0, 0), (0, 1)): blue, ((1, 0), (1, 1)): blue, ((0, 1), (1, 1)): blue, ((0.5, 1), (0.5, 2)): blue,
        ((2, 0), (2, 1)): orange, ((3, 0), (3, 1)): green,
        ((2, 1), (3, 1)): "#010203", ((2.5, 1), (2.5, 2)): "#010203", ((0.5, 2), (2.5, 2)): "#010203",
    }  # fmt: skip
    dashes = {c.get_linestyle()[0][1] is None for c in with_gid(ax, "lines")}
    assert dashes == {True, False}  # clusters differ without colour, too
    assert legend_texts(ax) == ["clusters:", "x (2)", "y (1)", "z (1)"]


def test_plot__classes_by_shape_and_colour():
    ax = plot_dendrogram(FOUR, classes={"a": "tree", "b": "herb", "d": "herb"})
    marks = with_gid(ax, "classes")
    assert sorted(sorted(m.get_ydata().tolist()) for m in marks) == [[0.0], [1.0, 3.0]]
    assert len({m.get_marker() for m in marks}) == 2
    colour = {t.get_text(): t.get_color() for t in ax.texts}
    assert colour["b"] == colour["d"]
    assert len({str(c) for c in colour.values()}) == 3
    assert legend_texts(ax) == ["classes:", "herb (2)", "tree (1)"]


def test_plot__classes_take_the_colours_of_their_clusters():
    ax = plot_dendrogram(FOUR, clusters=[0, 0, 1, 1], classes=["z", "z", "a", "z"])
    marks = {tuple(m.get_ydata().tolist()): m.get_color() for m in with_gid(ax, "classes")}
    assert marks == {(2.0,): PALETTE[1], (0.0, 1.0, 3.0): PALETTE[0]}


def test_plot__many_clusters_and_classes(rng):
    h = yule(200, rng)
    ax = plot_dendrogram(h, clusters=np.arange(200), classes=np.arange(200), labels=False)
    texts = legend_texts(ax)
    assert len(texts) == 26
    titles = [x.get_title().get_text() for x in ax.findobj(matplotlib.legend.Legend)]
    assert titles == ["clusters:", "classes:"]  # above their entries, as these take several lines
    assert {"and 188 more clusters", "and 188 more classes"} <= set(texts)
    assert len(with_gid(ax, "classes")) == 13 * 9  # colours times shapes


def test_plot__triplets_are_marked_where_they_act():
    h = Hierarchy.from_nested([[["a", "b"], "c"], "d", "e"])
    t = [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "a"), ("a", "d", "e"), ("d", "e", "a")]
    ax = plot_dendrogram(h, triplets=TripletSet.from_labels(t), orientation="top")
    place = compute_layout(collapse_nothing(h), "level")
    at = {tuple(sorted(h.clade(u))): (place.along[u], place.up[u]) for u in range(h.n_nodes)}
    (dots,), (crosses,) = with_gid(ax, "displayed"), with_gid(ax, "not displayed")
    sizes = {tuple(p): s for p, s in zip(dots.get_offsets().tolist(), dots.get_sizes().tolist(), strict=True)}
    assert set(sizes) == {at["a", "b"], at["a", "b", "c"]}
    assert sizes[at["a", "b"]] > sizes[at["a", "b", "c"]]
    assert sorted(map(tuple, crosses.get_offsets().tolist())) == sorted([at["a", "b", "c"], at[tuple("abcde")]])
    assert len(dots.get_paths()[0].vertices) != len(crosses.get_paths()[0].vertices)  # another shape
    assert legend_texts(ax) == [
        "3 triplets ab|c displayed: where a meets b",
        "3 triplets ab|c not displayed: where all three have met",
    ]


def test_plot__no_marks_for_no_triplets():
    ax = plot_dendrogram(FOUR, triplets=TripletSet([], FOUR.leaves))
    assert not with_gid(ax, "displayed")
    assert not legend_texts(ax)


# ------------------------------------------------------------------ invalid arguments


class Fitted:
    def __init__(self, tree, labels):
        self.hierarchy_, self.labels_ = tree, labels


def test_plot__takes_a_fitted_estimator():
    ax = plot_dendrogram(Fitted(FOUR, np.array([0, 0, 1, 1])))
    assert legend_texts(ax) == ["clusters:", "0 (2)", "1 (2)"]
    ax = plot_dendrogram(Fitted(FOUR, np.array([0, 0, 1, 1])), clusters=[5, 6, 7, 7])
    assert legend_texts(ax) == ["clusters:", "5 (1)", "6 (1)", "7 (2)"]


class Unfitted:
    def fit(self):
        pass


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"hierarchy": [[0, 1, 1, 2]]}, TypeError, "expected a Hierarchy, got list"),
        ({"hierarchy": Unfitted()}, TypeError, "got Unfitted .*; fit it first"),
        ({"orientation": "up"}, ValueError, "orientation must be one of 'left', .* not 'up'"),
        ({"heights": "tall"}, ValueError, "heights is 'tall'"),
        ({"clusters": [0, 1]}, InvalidLabelsError, "clusters must have one entry for each of the 4 leaves; got 2"),
        ({"classes": {"q": 1}}, UnknownLeafError, "keys of classes: 'q'"),
        ({"triplets": TripletSet.from_labels([("a", "b", "q")])}, UnknownLeafError, "'q'"),
    ],
)
def test_plot__refuses_before_a_figure_is_made(given, error, message):
    with pytest.raises(error, match=message):
        plot_dendrogram(**{"hierarchy": FOUR} | given)
    assert plt.get_fignums() == []


def test_plot__matplotlib_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'tripletree\[plot\]'"):
        plot_dendrogram(FOUR)


def test_plot__draws_into_given_axes(rng):
    figure, (left, right) = plt.subplots(1, 2)
    before = left.get_position().bounds, figure.get_size_inches().tolist()
    h = yule(30, rng)
    assert plot_dendrogram(h, ax=left, clusters=cut(h, 3), title="here") is left
    assert (left.get_position().bounds, figure.get_size_inches().tolist()) == before
    assert plt.get_fignums() == [figure.number]
    assert left.get_title(loc="left") == "here"
    assert not right.collections
    assert not overlapping([t.get_window_extent() for t in left.texts])


def test_plot__one_new_figure_and_no_show(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("show was called"))
    ax = plot_dendrogram(FOUR, linewidth=3.5)
    assert plt.get_fignums() == [ax.figure.number]
    assert {c.get_linewidth()[0] for c in with_gid(ax, "lines")} == {3.5}


def test_plot__any_depth(tmp_path):
    h = caterpillar(20_000)
    ax = plot_dendrogram(h, clusters=cut(h, 3), max_leaves=None)
    assert len(segments(ax)) == 3 * 20_000 - 3
    ax.figure.savefig(tmp_path / "deep.png")
    assert (tmp_path / "deep.png").stat().st_size > 1_000


def test_plot__same_picture_twice(tmp_path, rng):
    h = contracted(yule(60, rng), 0.3, rng)
    for k in range(2):
        ax = plot_dendrogram(h, classes=np.arange(60) % 4, triplets=TripletSet([(0, 1, 2), (3, 4, 5)], 60))
        ax.figure.savefig(tmp_path / f"{k}.png", metadata={"Software": None})
    assert (tmp_path / "0.png").read_bytes() == (tmp_path / "1.png").read_bytes()


def test_plot__a_picture_that_fails_half_way_leaves_no_figure(monkeypatch):
    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("tripletree.plots.dendrogram.set_ticks", fail)
    kept = plt.figure()
    with pytest.raises(KeyboardInterrupt):
        plot_dendrogram(FOUR)
    assert plt.get_fignums() == [kept.number]
