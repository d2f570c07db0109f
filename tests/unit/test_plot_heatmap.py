"""Heat maps beside a hierarchy."""

import matplotlib
import numpy as np
import pytest
from examples import yule

from tripletree.algorithms.cut import cut
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.plots import plot_heatmap
from tripletree.plots.heatmap import average_blocks

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

ONE = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])


def with_gid(ax, gid):
    return [a for a in ax.collections if a.get_gid() == gid]


def number_of(ax, gid):
    return sum(len(c.get_paths()) for c in with_gid(ax, gid))


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
        assert bool(ax.get_yticklabels()) == (n < 1000)
        spans = sorted(
            (p.vertices[:, 1].min(), p.vertices[:, 1].max()) for c in with_gid(side, "collapsed") for p in c.get_paths()
        )
        assert all(a[1] < b[0] for a, b in zip(spans, spans[1:], strict=False))


def test_heatmap__refusals():
    with pytest.raises(ValueError, match="a row for each of the 5 leaves, in their order; got shape \\(3, 3\\)"):
        plot_heatmap(ONE, np.eye(3))
    with pytest.raises(ValueError, match="must contain numbers that fit a float"):
        plot_heatmap(ONE, [["a"]] * 5)
    with pytest.raises(InvalidLabelsError):
        plot_heatmap(ONE, np.eye(5), clusters=[1])
    assert plt.get_fignums() == []


def test_heatmap__frames_are_taken_by_label(rng):
    pandas = pytest.importorskip("pandas")
    h = Hierarchy.from_nested([[["a", "c"], "b"], ["e", "d"]]).reindex(list("abcde"))
    table = pandas.DataFrame(rng.normal(size=(5, 2)), index=list("abcde"), columns=["x", "y"])
    shuffled = table.loc[list("dacbe")]
    assert np.array_equal(plot_heatmap(h, shuffled).images[0].get_array(), plot_heatmap(h, table).images[0].get_array())
    square = pandas.DataFrame(np.abs(np.subtract.outer(range(5), range(5))), index=list("abcde"), columns=list("abcde"))
    mixed = square.loc[list("edcba"), list("bacde")]
    right = plot_heatmap(h, square)
    ax = plot_heatmap(h, mixed)
    assert np.array_equal(ax.images[0].get_array(), right.images[0].get_array())
    assert [t.get_text() for t in ax.get_xticklabels()] == [t.get_text() for t in ax.get_yticklabels()]
    places = table.reset_index(drop=True)  # nothing but places
    assert np.array_equal(plot_heatmap(h, places).images[0].get_array(), plot_heatmap(h, table).images[0].get_array())
    plt.close("all")
    with pytest.raises(UnknownLeafError, match="'e'"):
        plot_heatmap(h, table.rename(index={"e": "a1"}))
    with pytest.raises(UnknownLeafError, match="'q'"):
        plot_heatmap(h, pandas.concat([table, table.rename(index={"e": "q"}).tail(1)]))
    with pytest.raises(ValueError, match="some labels are repeated"):
        plot_heatmap(h, pandas.concat([table, table.tail(1)]))
    assert plt.get_fignums() == []
    numbered = Hierarchy(h.parent)  # fitted without labels: rows by place
    shown = [plot_heatmap(numbered, x).images[0].get_array() for x in (table, table.to_numpy())]
    assert np.array_equal(*shown)


def test_heatmap__few_columns_keep_sharp_edges(rng):
    values = np.tile([0.0, 1.0, 2.0], (3_000, 1))
    ax = plot_heatmap(yule(3_000, rng), values)
    (image,) = ax.images
    assert image.get_interpolation() == "nearest"
    shown = np.asarray(image.get_array())
    assert shown.shape[0] < 3_000
    assert np.array_equal(shown, np.tile([0.0, 1.0, 2.0], (shown.shape[0], 1)))
    ax.figure.canvas.draw()
    box = ax.get_window_extent()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[int(ax.figure.bbox.height - (box.y0 + box.y1) / 2)]
    across = pixels[int(box.x0) + 3 : int(box.x1) - 3]
    assert len(np.unique(across, axis=0)) == 3


def test_heatmap__means_of_rows_leave_out_nan():
    values = np.array([[0.0], [2.0], [np.nan], [5.0], [np.nan], [np.nan]])
    np.testing.assert_array_equal(average_blocks(values, 0, 3), [[1.0], [5.0], [np.nan]])


@pytest.mark.parametrize("letter", ["W", "i"])
def test_heatmap__labels_stand_clear_of_the_colour_bar(letter, rng):
    h = Hierarchy(yule(15, rng).parent, [letter * 40 + f" {i}" for i in range(15)])
    _, pair = plt.subplots(1, 2, figsize=(6, 3))
    for ax, values in zip(pair, (rng.normal(size=(15, 3)), rng.normal(size=(15, 15))), strict=True):
        plot_heatmap(h, values, ax=ax)
    bars = [a for a in ax.figure.axes if a.get_gid() == "colour bar"]
    ax.figure.canvas.draw()
    for ax, bar in zip(pair, bars, strict=True):
        assert max(t.get_window_extent().x1 for t in ax.get_yticklabels()) <= bar.get_window_extent().x0
        assert ax.get_window_extent().width > 0.2 * ax.figure.bbox.width / 2


def test_heatmap__more_refusals():
    for columns, error in ((["a"], ValueError), ("ab", TypeError), (3, TypeError)):
        with pytest.raises(error, match="columns"):
            plot_heatmap(ONE, np.ones((5, 2)), columns=columns)
    with pytest.raises(ValueError, match="zz"):
        plot_heatmap(ONE, np.eye(5), cmap="zz")
    with pytest.raises(ValueError, match="no finite number"):
        plot_heatmap(ONE, np.full((5, 2), np.nan))
    with pytest.raises(InvalidLabelsError, match="too wide for a colour scale"):
        plot_heatmap(ONE, [[1e308, -1e308]] * 5)
    with pytest.raises(ValueError, match="numbers"):
        plot_heatmap(ONE, [[10**400, 1]] * 5)
    assert plt.get_fignums() == []


# ------------------------------------------------------------------ strips, z-scores, columns in order


def axes_with(ax, gid):
    return [other for other in ax.figure.findobj(matplotlib.axes.Axes) if other.get_gid() == gid]


def test_plot_heatmap__z_scores_of_columns_and_rows(rng):
    h, values = yule(9, rng), rng.normal(size=(9, 4)) * [1, 10, 100, 0] + 5
    values[2, 1] = np.nan
    for axis, name in enumerate(("columns", "rows")):
        ax = plot_heatmap(h, values, z_score=name)
        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        assert np.allclose(np.nanmean(shown, axis=axis), 0)
        spread = np.nanstd(shown, axis=axis)
        assert np.allclose(spread[:3], 1)
        assert axis == 1 or spread[3] == 0  # a constant column has no spread, and is all zeros
        assert np.isnan(shown).sum() == 1
        low, high = ax.images[0].get_clim()
        assert low == -high
        assert axes_with(ax, "colour bar")[0].get_ylabel() == "z-score"
    with pytest.raises(ValueError, match="z_score is 1; it must be 'columns', 'rows' or None"):
        plot_heatmap(h, values, z_score=1)


def test_plot_heatmap__columns_in_the_order_of_their_hierarchy(rng):
    h, base = yule(12, rng), rng.normal(size=(12, 3))
    values = np.concatenate([base, base + 0.01], axis=1)  # columns 0 and 3, 1 and 4, 2 and 5 are twins
    names = list("abcABC")
    ax = plot_heatmap(h, values, columns=names, cluster_columns=True)
    found = "".join(t.get_text() for t in ax.get_xticklabels()).lower()
    assert sorted(found[k : k + 2] for k in (0, 2, 4)) == ["aa", "bb", "cc"]
    order = [names.index(t.get_text()) for t in ax.get_xticklabels()]
    plain = plot_heatmap(h, values).images[0].get_array()
    assert np.array_equal(ax.images[0].get_array(), plain[:, order])
    (above,) = axes_with(ax, "dendrogram above")
    assert above.collections
    square = values @ values.T
    with pytest.raises(ValueError, match="columns of a symmetric matrix are in the order of the leaves"):
        plot_heatmap(h, square + square.T, cluster_columns=True)


def test_plot_heatmap__strips_have_a_tile_for_each_run_and_a_legend(rng):
    h = Hierarchy.from_nested([[("a", "b"), ("c", "d")], ("e", "f")])
    columns = {"kind": ["x", "x", "y", "y", "x", None], "size": [1.0, 2, 3, 4, 5, np.nan]}
    ax = plot_heatmap(h, rng.normal(size=(6, 3)), clusters=[0, 0, 0, 0, 1, 1], annotations=columns)
    (strips,) = axes_with(ax, "strips")
    assert [t.get_text() for t in strips.get_xticklabels()] == ["cluster", "kind", "size"]
    runs = [[(p.vertices[0, 1], p.vertices[2, 1]) for p in c.get_paths()] for c in strips.collections]
    assert runs == [[(-0.5, 3.5)], [(3.5, 5.5)], [(-0.5, 1.5), (3.5, 4.5)], [(1.5, 3.5)]]
    assert len({tuple(c.get_facecolor()[0]) for c in strips.collections}) == 4
    assert np.ma.filled(strips.images[0].get_array(), -1).ravel().tolist() == [1, 2, 3, 4, 5, -1]
    assert [t.get_text() for t in ax.figure.legends[0].get_texts()] == [
        *("cluster:", "0 (4)", "1 (2)", "kind:", "x (3)", "y (2)")
    ]


@pytest.mark.parametrize("square", [True, False])
def test_plot_heatmap__as_wide_as_a_column_with_names_that_do_not_overlap(rng, square):
    n = 40
    h, names = yule(n, rng), [f"a column called {k}" for k in range(10)]
    values = rng.random((n, n)) if square else rng.random((n, 10))
    if square:
        ax = plot_heatmap(h, values + values.T, width="column", annotations={"v": range(n)})
    else:
        ax = plot_heatmap(h, values, width="column", columns=names, annotations={"v": range(n)}, z_score="rows")
    assert ax.figure.get_size_inches()[0] == 3.5
    ax.figure.canvas.draw()
    for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
        boxes = [x.get_window_extent().padded(-1) for x in labels]
        assert not any(a.overlaps(b) for a, b in zip(boxes, boxes[1:], strict=False))
    for bar in axes_with(ax, "colour bar"):
        assert bar.get_window_extent().x1 < ax.figure.bbox.width


@pytest.mark.parametrize(("n", "every"), [(60, 1), (200, 3), (700, 8), (2000, 0)])
def test_heatmap__labels_each_kth_row_where_not_all_fit(n, every):
    rng = np.random.default_rng(0)
    h = yule(n, rng)
    ax = plot_heatmap(h, np.arange(n)[:, None] * [1.0, 2.0, 3.0], columns=["x", "y", "z"])
    rows = [x.get_text() for x in ax.get_yticklabels()]
    assert len(rows) == (len(range(0, n, every)) if every else 0)
    shown = ax.images[0].get_array()[:, 0]
    assert rows == [str(h.leaves[int(shown[round(at)])]) for at in ax.get_yticks()]
    assert ("labelled" in ax.get_xlabel()) == (every > 1)
    ax.figure.canvas.draw()
    assert ax.xaxis.label.get_window_extent().y0 >= 0
    boxes = [x.get_window_extent() for x in ax.get_yticklabels()]
    assert all(a.y0 >= b.y1 - 1 or b.y0 >= a.y1 - 1 for a, b in zip(boxes, boxes[1:], strict=False))


def test_heatmap__names_of_strips_are_not_cut_and_clusters_that_are_no_clades_are_told():
    n, rng = 1500, np.random.default_rng(0)
    h = yule(n, rng)
    ax = plot_heatmap(
        h,
        rng.normal(size=(n, 2)),
        clusters=[k % 2 for k in range(n)],
        annotations={"a name of twenty-eight chars": rng.normal(size=n)},
    )
    ax.figure.canvas.draw()
    (strips,) = [x for x in ax.figure.axes if x.get_gid() == "strips"]
    assert [x.get_text() for x in strips.get_xticklabels()] == ["cluster", "a name of twenty-eight chars"]
    assert all(x.get_window_extent().y0 >= 0 for x in strips.get_xticklabels())
    (legend,) = ax.figure.legends
    assert [x.get_text() for x in legend.get_texts()] == ["cluster:", "0 (750), not a clade", "1 (750), not a clade"]
