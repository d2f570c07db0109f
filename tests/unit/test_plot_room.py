"""Pictures in which everything has room: no text is cut, none lies on another."""

import matplotlib
import numpy as np
import pytest
from examples import yule
from scipy.cluster.hierarchy import linkage

from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.datasets import load_hierarchy
from tripletree.errors import UnknownLeafError
from tripletree.plots import plot_aho_graph, plot_cuts, plot_dendrogram, plot_heatmap, plot_tanglegram

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def corners(text):
    """The corners of a text in pixels, turned as it is."""
    turn = np.radians(text.get_rotation())
    x, y = text.get_window_extent().get_points().mean(axis=0)
    was = text.get_rotation()
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(was)
    w, h = 0.98 * box.width / 2, 0.7 * box.height / 2  # letters do not fill their line
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    return np.array([[x, y] + a * w * along + b * h * across for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))])


def overlap(a, b):
    """True if two rectangles overlap: no line separates them."""
    for shape in (a, b):
        for k in range(4):
            side = shape[(k + 1) % 4] - shape[k]
            normal = np.array([-side[1], side[0]])
            p, q = a @ normal, b @ normal
            if p.max() <= q.min() or q.max() <= p.min():
                return False
    return True


def check_texts(ax, texts):
    """None is cut at the edge of the figure, none lies on another."""
    ax.figure.canvas.draw()
    found = [corners(x) for x in texts]
    frame = ax.figure.bbox
    for text, shape in zip(texts, found, strict=True):
        assert shape.min() >= -1, text.get_text()
        assert shape[:, 0].max() <= frame.x1 + 1, text.get_text()
        assert shape[:, 1].max() <= frame.y1 + 1, text.get_text()
    for i, one in enumerate(found):
        for j in range(i):
            assert not overlap(one, found[j]), (texts[i].get_text(), texts[j].get_text())


def visible(ax):
    return [x for x in ax.texts if x.get_visible() and x.get_text()]


@pytest.mark.parametrize("width", [None, "page", "column"])
def test_circle__labels_beside_clades_have_room(width):
    tree = load_hierarchy("mammals").subtree("Boreoeutheria") if width == "column" else load_hierarchy("mammals")
    named = [
        x
        for x in ("Primates", "Rodentia", "Carnivora", "Chiroptera", "Cetacea", "Felidae", "Canidae")
        if x in tree.names
    ]
    ax = plot_dendrogram(tree, layout="circular", width=width, clades=named)
    texts = visible(ax)
    check_texts(ax, texts)
    assert {x.get_text() for x in texts} >= set(named)


def test_circle__clades_within_clades_have_room(rng):
    h = Hierarchy(yule(24, rng).parent, [f"species {k}" for k in range(24)])
    ax = plot_dendrogram(h, layout="circular", clades={f"the clade number {k}": h.n_nodes - 2 - k for k in range(6)})
    check_texts(ax, visible(ax))
    (first, *_) = [x for x in ax.texts if x.get_text().startswith("species")]
    assert first.get_fontsize() >= 6


@pytest.mark.parametrize("layout", ["rectangular", "circular"])
@pytest.mark.parametrize("width", ["column", "page"])
def test_long_labels__are_shortened_and_never_cut(layout, width, rng):
    names = [f"A very long name of a species that nobody shortens {k}" if k % 5 == 0 else f"sp {k}" for k in range(20)]
    ax = plot_dendrogram(Hierarchy(yule(20, rng).parent, names), layout=layout, width=width)
    check_texts(ax, visible(ax))
    left, right = ax.get_xlim()
    lines = (
        np.concatenate([x.get_segments() for x in ax.collections if x.get_gid() == "lines"])
        if layout != "circular"
        else None
    )
    if lines is not None:  # the tree keeps its third
        assert np.ptp(lines[:, :, 0]) >= 0.33 * abs(right - left)


def test_circle__one_long_label_does_not_shrink_it(rng):
    def radius(names):
        ax = plot_dendrogram(
            Hierarchy(yule(40, np.random.default_rng(2)).parent, names), layout="circular", width="column"
        )
        ends = np.concatenate([np.concatenate(x.get_segments()) for x in ax.collections if x.get_gid() == "lines"])
        return np.abs(ax.transData.transform(ends) - ax.transData.transform([[0, 0]])).max()

    short = [f"sp {k}" for k in range(40)]
    assert radius(["one label that is much longer than the others", *short[1:]]) > 0.7 * radius(short)


@pytest.mark.parametrize("orientation", ["left", "right", "top", "bottom"])
@pytest.mark.parametrize("width", [None, "column"])
def test_columns__names_stand_beside_the_ticks(orientation, width, rng):
    h = Hierarchy(yule(12, rng).parent, [f"sp {k}" for k in range(12)])
    table = {"lives in": list("aabbccaabbcc"), "log10 kg": rng.normal(size=12).tolist()}
    ax = plot_dendrogram(h, annotations=table, orientation=orientation, width=width)
    axis = ax.xaxis if orientation in ("left", "right") else ax.yaxis
    ticks = [x for x in axis.get_ticklabels() if x.get_text()]
    names = [x for x in ax.texts if x.get_gid() == "column name"]
    assert len(names) == 2
    check_texts(ax, [*names, *ticks, axis.label])


def test_rings__are_named(rng):
    table = {"lives in": list("aabbccaabbcc"), "log10 kg": rng.normal(size=12).tolist()}
    ax = plot_dendrogram(yule(12, rng), annotations=table, layout="circular")
    assert ax.get_xlabel().endswith("rings outwards: lives in, log10 kg")


@pytest.mark.parametrize("size", [(3.5, 3.0), (2.5, 4.0), (8.0, 5.0)])
def test_aho_graph__names_are_inside(size):
    rows = [
        ("Homo_sapiens_sapiens", "Pan_troglodytes_verus", "Gorilla"),
        ("Gorilla", "Pongo_abelii_the_orang", "Hylobates"),
        ("Homo_sapiens_sapiens", "Gorilla", "Hylobates"),
        ("Symphalangus_syndactylus", "Hylobates", "Gorilla"),
    ]
    fig, ax = matplotlib.pyplot.subplots(figsize=size)
    plot_aho_graph(TripletSet.from_labels(rows), ax=ax)
    fig.canvas.draw()
    names = [x for x in visible(ax) if not x.get_text().startswith("|")]
    assert len(names) == 6
    inside = ax.get_window_extent().padded(1.5)
    for name in names:
        box = name.get_window_extent()
        assert inside.x0 <= box.x0, name.get_text()
        assert box.x1 <= inside.x1, name.get_text()
        assert inside.y0 <= box.y0, name.get_text()
        assert box.y1 <= inside.y1, name.get_text()


def test_cuts__inverted_heights_are_drawn_in_the_order_of_merging(rng):
    h = from_linkage(linkage(rng.normal(size=(25, 6)), "centroid"))
    down = (h.height[h.parent[:-1]] < h.height[:-1]).mean()
    assert 0 < down < 0.1  # few enough for heights in a dendrogram
    panels = plot_cuts(h, [2, 3])
    assert panels[0].get_ylabel() == "order of merging"
    for ax in panels:
        assert not [x for x in ax.lines if x.get_gid() == "inversions"]
    assert plot_cuts(h, [2], heights="height")[0].get_ylabel() == "height"


def test_heatmap__a_skewed_table_is_not_of_one_colour(rng):
    h, table = yule(30, rng), np.exp(rng.normal(size=(30, 12)) * 1.8)

    def shades(**more):
        (image,) = plot_heatmap(h, table, **more).images
        share = np.clip(image.norm(image.get_array()), 0, 1)
        return np.histogram(share, 10, (0, 1))[0].max() / share.size

    assert shades() > 0.9
    assert shades(robust=True) < 0.8
    ax = plot_heatmap(h, table, vmin=1, vmax=4)
    assert ax.images[0].get_clim() == (1, 4)
    ax = plot_heatmap(h, table, vmin=0, robust=True)
    low, high = ax.images[0].get_clim()
    assert low == 0
    assert high == pytest.approx(np.percentile(table, 98))
    ax = plot_heatmap(h, table, z_score="columns", robust=True)
    low, high = ax.images[0].get_clim()
    assert low == -high
    assert high < 4.5
    ax = plot_heatmap(h, table, vmin=1e6)  # all entries are below
    assert ax.images[0].get_clim()[0] == 1e6


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"vmin": 3, "vmax": 1}, ValueError, "vmin=3 is not less than vmax=1"),
        ({"vmax": np.inf}, ValueError, "vmax is inf; it must be finite"),
        ({"vmin": "low"}, TypeError, "vmin must be a number, not 'low'"),
        ({"robust": 1}, TypeError, "robust must be True or False, got 1"),
    ],
)
def test_heatmap__wrong_ends(given, error, message, rng):
    with pytest.raises(error, match=message):
        plot_heatmap(yule(4, rng), np.eye(4), **given)


@pytest.mark.parametrize("width", [None, "column"])
def test_tanglegram__explains_itself(width, rng):
    X = rng.normal(size=(24, 4)) + np.repeat(np.eye(3, 4) * 4, 8, axis=0)
    one, two = (from_linkage(linkage(x, "average")) for x in (X, X + 0.4 * rng.normal(size=X.shape)))
    ax = plot_tanglegram(one, two, width=width)
    said = [x.get_text() for x in ax.texts]
    assert {"first", "second"} <= set(said)
    assert said.count("height") == 2
    legend = ax.get_legend()
    assert [x.get_text() for x in legend.get_texts()] == ["in a clade that both have", "in a clade of one side only"]
    ax.figure.canvas.draw()
    below = legend.get_window_extent().y1
    assert all(x.get_window_extent().y0 >= below - 1 for x in ax.texts if x.get_gid() == "scale")
    assert ax.figure.bbox.y0 <= legend.get_window_extent().y0
    titled = plot_tanglegram(one, two, title="Mine", width=width)
    assert titled.get_title() == "Mine"
    assert "crossing" in titled.get_legend().get_title().get_text()  # those that are left


def test_circle__a_new_figure_has_room_for_whole_labels():
    names = [f"Genus{k}_{'species' * 2}" for k in range(9)]
    ax = plot_dendrogram(Hierarchy.from_nested([names[:4], names[4:]]), layout="circular")
    assert set(names) <= {x.get_text() for x in ax.texts}


def test_circle__the_caption_stays_in_the_figure():
    h = yule(900, np.random.default_rng(0))
    figure, ax = matplotlib.pyplot.subplots(figsize=(3, 3))
    plot_dendrogram(h, ax=ax, layout="circular", max_leaves=30)
    figure.canvas.draw()
    box = ax.xaxis.label.get_window_extent()
    assert "triangles" in ax.get_xlabel()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width


@pytest.mark.parametrize(("n", "long"), [(12, 26), (60, 26), (60, 40)])
def test_tanglegram__a_new_figure_has_room_for_whole_names(rng, n, long):
    names = [f"{'abcdefghij'[k % 10] * (long - 3)}{k:03}" for k in range(n)]
    one, two = (from_linkage(linkage(rng.normal(size=(n, 3)), "average"), leaves=names) for _ in range(2))
    ax = plot_tanglegram(one, two)
    ax.figure.canvas.draw()
    labels = ax.findobj(lambda x: x.get_gid() == "label")
    assert sorted(x.get_text() for x in labels) == sorted(2 * names)
    ties = ax.findobj(lambda x: x.get_gid() == "ties")
    ends = ax.transData.transform(np.concatenate([p.vertices[[0, -1]] for c in ties for p in c.get_paths()]))[:, 0]
    boxes = [x.get_window_extent() for x in labels]
    middle = ax.figure.bbox.width / 2
    left, right = max(b.x1 for b in boxes if b.x1 < middle), min(b.x0 for b in boxes if b.x0 > middle)
    assert left <= ends.min() + 1
    assert ends.max() - 1 <= right
    lines = ax.findobj(lambda x: x.get_gid() == "lines")
    tree = ax.transData.transform(np.concatenate([p.vertices for c in lines for p in c.get_paths()]))[:, 0]
    assert tree[tree < middle].max() <= min(b.x0 for b in boxes) + 1


@pytest.mark.parametrize("width", [None, 12.0])
def test_circle__names_of_nested_clades_stand_apart_and_the_tree_stays_large(width):
    h = load_hierarchy("mammals")
    nested = ["Metatheria", "Dasyuromorphia", "Dasyuridae", "Macropodidae", "Vombatiformes", "Muridae", "Rodentia"]
    nested = [x for x in nested if x in h.names]
    assert len(nested) > 4
    ax = plot_dendrogram(h, layout="circular", clades=nested, annotations={"k": [x[0] for x in h.leaves]}, width=width)
    names = ax.findobj(lambda x: x.get_gid() == "clade name")
    assert len(names) == len(nested)
    check_texts(ax, names)
    lines = ax.findobj(lambda x: x.get_gid() == "lines")
    tree = ax.transData.transform(np.concatenate([p.vertices for c in lines for p in c.get_paths()]))
    assert np.ptp(tree[:, 1]) > 0.3 * ax.figure.bbox.width


def test_heatmap__long_names_that_end_alike_are_whole(rng):
    n, columns = 30, [f"measure number {k} of the skull, in mm" for k in range(6)]
    ax = plot_heatmap(yule(n, rng), rng.normal(size=(n, 6)), columns=[x[:36] for x in columns])
    assert [x.get_text() for x in ax.get_xticklabels()] == [x[:36] for x in columns]
    check_texts(ax, ax.get_xticklabels())


def test_pictures__leaves_have_a_second_name_in_brackets(rng):
    names = [f"id{k:02}" for k in range(12)]
    h = from_linkage(linkage(rng.normal(size=(12, 2)), "average"), leaves=names)
    seconds = {x: f"the name of {x}" for x in names if x != "id03"}
    wanted = {x: f"{x} ({seconds[x]})" if x in seconds else x for x in names}
    ax = plot_dendrogram(h, second_names=seconds)
    assert {t.get_text() for t in ax.texts} == set(wanted.values())
    check_texts(ax, ax.texts)
    ax = plot_dendrogram(h, second_names=[seconds.get(x) for x in names], layout="circular")
    assert set(wanted.values()) <= {t.get_text() for t in ax.texts}
    ax = plot_dendrogram(h, second_names=dict.fromkeys(names, "s"), max_leaves=3)
    assert any(" (s) to id" in t.get_text() for t in ax.texts)
    other = from_linkage(linkage(rng.normal(size=(12, 2)), "average"), leaves=names[::-1])
    ax = plot_tanglegram(h, other, second_names=seconds)
    labels = ax.findobj(lambda x: x.get_gid() == "label")
    assert sorted(x.get_text() for x in labels) == sorted(2 * list(wanted.values()))
    ax = plot_heatmap(h, rng.normal(size=(12, 4)), second_names=seconds)
    assert {t.get_text() for t in ax.get_yticklabels()} == set(wanted.values())
    for plot, given in ((plot_dendrogram, (h,)), (plot_tanglegram, (h, other)), (plot_heatmap, (h, np.eye(12)))):
        with pytest.raises(UnknownLeafError, match="keys of second_names"):
            plot(*given, second_names={"id99": "x"})


def test_tanglegram__in_a_column_letters_are_smaller_before_names_are_shorter(rng):
    names = [f"{'abcdefghij'[k % 10] * 11}{k:02}" for k in range(20)]
    one, two = (from_linkage(linkage(rng.normal(size=(20, 3)), "average"), leaves=names) for _ in range(2))
    ax = plot_tanglegram(one, two, width="column")
    labels = ax.findobj(lambda x: x.get_gid() == "label")
    assert sorted(x.get_text() for x in labels) == sorted(2 * names)
    assert all(5 < x.get_fontsize() <= 7 for x in labels)
