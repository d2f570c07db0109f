"""Large, circular and constrained dendrograms: tips, marks, lines and labels, and their places."""

import warnings

import matplotlib
import numpy as np
import pytest
from examples import caterpillar, star, yule, zoo

from tripletree.algorithms.cut import cut
from tripletree.algorithms.linkage import from_linkage
from tripletree.cluster import ReCon
from tripletree.cluster.agglomerative.rejected_merges import rejected_merges
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidLabelsError, UnknownLeafError
from tripletree.io import parse_newick
from tripletree.plots import plot_dendrogram

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

FOUR = Hierarchy.from_nested([["a", "b"], ["c", "d"]])
HIGH = from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 4.0, 4]], list("abcd"))


def with_gid(ax, gid):
    return [a for a in [*ax.collections, *ax.lines] if a.get_gid() == gid]


def labels_of(ax):
    return [t.get_text() for t in ax.texts if t.get_gid() != "ring label"]


def legend_texts(ax):
    return [t.get_text() for legend in ax.findobj(matplotlib.legend.Legend) for t in legend.get_texts()]


def number_of(ax, gid):
    return sum(len(c.get_paths()) for c in with_gid(ax, gid))


def places_of(ax, gid):
    (marks,) = with_gid(ax, gid)
    return sorted(map(tuple, np.asarray(marks.get_offsets()).tolist()))


# ------------------------------------------------------------------ collapsed


@pytest.mark.parametrize("layout", ["rectangular", "circular"])
@pytest.mark.parametrize("n", [5, 50, 500, 5_000])
def test_plot__never_more_than_can_be_read(n, layout, rng):
    h = yule(n, rng)
    classes = rng.integers(3, size=n)
    ax = plot_dendrogram(h, layout=layout, clusters=cut(h, 3), classes=classes, values=rng.normal(size=n))
    ax.figure.canvas.draw()
    texts = [t for t in ax.texts if t.get_gid() != "ring label"]
    assert 5 <= len(texts) <= 600
    assert max(ax.figure.get_size_inches()) <= 42
    assert min(t.get_fontsize() for t in texts) >= 4.7
    inside = ax.figure.bbox.padded(1)
    for text in texts:
        box = text.get_window_extent()
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1
    all_there = n <= 600
    assert (number_of(ax, "collapsed") == 0) == all_there
    leaves = 0
    for text in labels_of(ax):
        leaves += int(text.split(" ")[0].replace(",", "")) if " leaves" in text else 1
    if not all_there:
        assert leaves == n
        assert f"{n:,} leaves" in ax.get_xlabel() + ax.get_ylabel()
    assert number_of(ax, "values") == (n if all_there else len(texts))


def test_plot__collapsed_subtrees_say_size_and_purity():
    h = Hierarchy.from_nested([[["a", "b"], "c"], "d", "e"])
    ax = plot_dendrogram(h, max_leaves=3, classes=["x", "x", "y", "x", "y"], clusters=[0, 0, 0, 1, 2])
    assert labels_of(ax) == ["3 leaves, 67% x", "d", "e"]
    assert ax.get_ylabel() == "5 leaves, 3 of them in 1 triangle"
    assert number_of(ax, "collapsed") == 1
    (triangle,) = with_gid(ax, "collapsed")
    corners = triangle.get_paths()[0].vertices
    assert corners[:, 0].max() == 2  # the apex is the clade's node, the base its leaves
    assert corners[:, 0].min() == 0
    assert number_of(ax, "class shares") == 2
    widths = sorted(np.ptp(p.vertices[:, 1]) for p in with_gid(ax, "class shares")[0].get_paths())
    assert widths[1] == pytest.approx(2 * widths[0])
    assert sum(len(m.get_xdata()) for m in with_gid(ax, "classes")) == 2  # the single leaves


def test_plot__collapse_given_nodes():
    ax = plot_dendrogram(FOUR, clusters=[0, 0, 1, 2], collapse="clusters")
    assert labels_of(ax) == ["2 leaves: a to b", "c", "d"]
    ax = plot_dendrogram(Hierarchy(FOUR.parent, FOUR.leaves, names=["cd", "ab", None]), collapse=["cd"])
    assert labels_of(ax) == ["a", "b", "cd (2)"]
    assert labels_of(plot_dendrogram(star(5_000), max_leaves=3)) == ["0", "1", "4,998 leaves of others"]
    assert not any("leaves" in x for x in labels_of(plot_dendrogram(yule(700, np.random.default_rng(0)), labels=True)))
    assert len(labels_of(plot_dendrogram(star(700), max_leaves=None, labels=True))) == 700


def test_collapsed__a_clade_without_a_name_is_told_by_the_names_in_it():
    tree = parse_newick("((((a,b,c)A,((d,e)E,f,g,h)B),((i,j)C,(k,l)D,(m,n)F,(o,p)G)),(x,y,z)H);")
    assert labels_of(plot_dendrogram(tree, max_leaves=3)) == ["8 leaves: B, A", "8 leaves: C, D, F, ...", "H (3)"]
    labels = labels_of(plot_dendrogram(tree, max_leaves=5))
    assert labels == ["A (3)", "B (5)", "C (2)", "6 leaves of others: D, F, G", "H (3)"]
    plain = parse_newick("(((a,b),(c,d)),((x,y),z));")
    assert labels_of(plot_dendrogram(plain, max_leaves=2)) == ["4 leaves: a to d", "3 leaves: x to z"]


def test_plot__given_axes_collapse_by_their_room(rng):
    h = yule(400, rng)
    figure, (one, two) = plt.subplots(1, 2, figsize=(8, 3))
    plot_dendrogram(h, ax=one)
    plot_dendrogram(h, ax=two, max_leaves=None)
    assert 8 <= len(labels_of(one)) <= 30
    assert number_of(two, "collapsed") == 0
    assert len(np.concatenate([c.get_segments() for c in with_gid(two, "lines")])) == 3 * 400 - 3


def test_plot__a_ladder_of_100_000(tmp_path):
    h = caterpillar(100_000)
    for layout in ("rectangular", "circular"):
        ax = plot_dendrogram(h, layout=layout, clusters=cut(h, 3), cut="clusters")
        ax.figure.savefig(tmp_path / f"{layout}.png", dpi=40)
        assert 70 <= len(labels_of(ax)) <= 81


# ------------------------------------------------------------------ circular


def test_plot__circular_places():
    ax = plot_dendrogram(HIGH, layout="circular")
    assert labels_of(ax) == list("abcd")
    lines = [s for c in with_gid(ax, "lines") for s in c.get_segments()]
    assert len(lines) == 9
    stems = [s for s in lines if len(s) == 2 and np.ptp(np.hypot(*s.T)) > 1e-6]
    for stem in stems:  # towards the middle
        angle = np.arctan2(stem[:, 1], stem[:, 0])
        assert np.ptp(angle) < 1e-9
    arcs = [s for s in lines if np.ptp(np.hypot(*s.T)) < 1e-9]
    assert len(stems) + len(arcs) == 9
    radius = sorted(round(float(np.hypot(*s[0])), 6) for s in arcs)
    outer = max(np.hypot(*s.T).max() for s in lines)
    assert [round(outer - r, 6) for r in radius] == [4.0, 2.0, 1.0]
    assert {t.get_text() for t in ax.texts if t.get_gid() == "ring label"} <= {"0", "1", "2", "3", "4"}
    ends = [t.xy for t in ax.texts if t.get_gid() != "ring label"]
    turn = np.unwrap([np.arctan2(y, x) for x, y in ends])
    assert (np.diff(turn) < 0).all()  # clockwise, from the top
    assert np.allclose(np.hypot(*np.array(ends).T), outer)
    # a circle stays a circle
    a, b = ax.transData.transform([(0, 0), (1, 1)])
    assert b[0] - a[0] == pytest.approx(b[1] - a[1])


def test_plot__circular_on_every_shape():
    for name, h in zoo():
        ax = plot_dendrogram(h, layout="circular", max_leaves=None, labels=False)
        inner = h.n_nodes - h.n_leaves
        drawn = sum(len(c.get_segments()) for c in with_gid(ax, "lines"))
        assert drawn == (h.n_nodes - 1 + inner if inner else 0), name
        plt.close(ax.figure)


@pytest.mark.parametrize("n", [3, 20, 80, 180])
def test_plot__circular_labels_do_not_overlap(n, rng):
    h = yule(n, rng)
    ax = plot_dendrogram(Hierarchy(h.parent, [f"leaf {i}" for i in range(n)]), layout="circular")
    ax.figure.canvas.draw()
    texts = [t for t in ax.texts if t.get_gid() != "ring label"]
    assert len(texts) == n
    ends = np.array([ax.transData.transform(t.xy) for t in texts])
    gaps = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    assert gaps.min() >= 0.9 * max(t.get_fontsize() for t in texts) * ax.figure.dpi / 72 * min(1, n / 40)


# ------------------------------------------------------------------ the cut, inversions, values


@pytest.mark.parametrize(("orientation", "axis"), [("left", 0), ("top", 1)])
def test_plot__cut_at_a_height(orientation, axis):
    ax = plot_dendrogram(HIGH, cut=3, orientation=orientation)
    (line,) = with_gid(ax, "cut")
    (segment,) = line.get_segments()
    assert segment[:, axis].tolist() == [3, 3]
    assert segment[:, 1 - axis].tolist() == [-0.5, 3.5]
    assert "cut at 3" in legend_texts(ax)


def test_plot__boundary_of_clusters():
    h = Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
    ax = plot_dendrogram(h, clusters=[0, 0, 1, 2, 2], cut="clusters", orientation="top")
    (line,) = with_gid(ax, "cut")
    flat = {s[0, 1]: s[:, 0].tolist() for s in line.get_segments() if s[0, 1] == s[1, 1]}
    # each stem of a cluster is crossed half-way: ab from 1 to 2, c from 0 to 2, de from 1 to 3
    by_start = sorted((s[0, 0], s[1, 0], s[0, 1]) for s in line.get_segments() if s[0, 1] == s[1, 1])
    assert by_start == [(-0.5, 0.5, 1.5), (0.5, 1.5, 1.5), (1.5, 2.5, 1.0), (2.5, 3.5, 2.0), (3.5, 4.5, 2.0)]
    assert len(flat) == 3
    assert "the clusters' boundary" in legend_texts(ax)


def test_plot__inversions_are_marked():
    h = from_linkage([[0, 1, 3.0, 2], [2, 3, 1.0, 3]])
    ax = plot_dendrogram(h, heights="height")
    (mark,) = with_gid(ax, "inversions")
    assert (mark.get_xdata().tolist(), mark.get_ydata().tolist()) == ([2.0], [0.5])
    assert "1 branch pointing down (inverted heights)" in legend_texts(ax)
    assert not with_gid(plot_dendrogram(HIGH), "inversions")


def test_plot__values_and_their_colour_bar():
    ax = plot_dendrogram(FOUR, values={"a": 1.0, "b": 3.0, "d": 8.0}, max_leaves=3)
    (strips,) = with_gid(ax, "values")
    assert sorted(strips.get_array().tolist()) == [2.0, 8.0]  # a and b are one tip, c has none
    assert strips.get_clim() == (1.0, 8.0)
    assert any(child.get_gid() == "colour bar" for child in ax.child_axes)
    assert labels_of(ax) == ["2 leaves: a to b", "c", "d"]
    right = max(p.vertices[:, 0].min() for p in strips.get_paths())
    assert right < 0  # beyond the leaves
    assert not with_gid(plot_dendrogram(FOUR), "values")


# ------------------------------------------------------------------ constraints


PAIRS = PairwiseConstraints.from_labels([("a", "b"), ("a", "c")], [("a", "d"), ("c", "d"), ("b", "c")])


def test_plot__pairs_where_the_two_meet():
    ax = plot_dendrogram(HIGH, pairs=PAIRS, clusters=[0, 0, 1, 1], orientation="top")
    assert places_of(ax, "must satisfied") == [(0.5, 1.0)]
    assert places_of(ax, "must violated") == [(1.5, 4.0)]
    assert places_of(ax, "cannot satisfied") == [(1.5, 4.0)]
    assert places_of(ax, "cannot violated") == [(2.5, 2.0)]
    texts = legend_texts(ax)
    assert {"1 must-link satisfied: where the two meet", "1 must-link violated", "1 cannot-link violated"} <= set(texts)
    assert "2 cannot-links satisfied: where the two meet" in texts
    paths = {gid: len(with_gid(ax, gid)[0].get_paths()[0].vertices) for gid in ("must satisfied", "cannot satisfied")}
    assert len(set(paths.values())) == 2  # other shapes
    faces = {g: with_gid(ax, g)[0].get_facecolor()[0, :3].tolist() for g in ("must satisfied", "must violated")}
    assert faces["must violated"] == [1, 1, 1] != faces["must satisfied"]


def test_plot__pairs_without_clusters():
    ax = plot_dendrogram(HIGH, pairs=PAIRS)
    assert len(places_of(ax, "must")) == 2
    assert len(places_of(ax, "cannot")) == 2
    assert not with_gid(ax, "must satisfied")


def test_plot__marks_inside_collapsed_subtrees_stand_at_them():
    ax = plot_dendrogram(HIGH, triplets=TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a")]), max_leaves=2)
    assert places_of(ax, "displayed") == sorted([(1.0, 0.25), (2.0, 1.75)]) or len(places_of(ax, "displayed")) == 2
    assert "2 triplets ab|c displayed: where a meets b" in legend_texts(ax)


def test_plot__rejected_merges():
    X = np.array([[0.0], [1.0], [5.0], [6.5]])
    model = ReCon(2).fit(X, triplets=[(1, 2, 0), (1, 2, 3)])
    rejected = rejected_merges(model, X)
    ax = plot_dendrogram(model, rejected=rejected, heights="order")
    assert len(places_of(ax, "forced")) == sum(x.forced for x in rejected) == 1
    assert places_of(ax, "forced")[0][0] == 1.0
    assert "1 merge forced: a nearer one was rejected" in legend_texts(ax)


def test_plot__delayed_merges(rng):
    for seed in range(30):
        own = np.random.default_rng(seed)
        X = own.normal(size=(9, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ReCon(1).fit(X, pairs=([tuple(own.choice(9, 2, replace=False).tolist())], []))
        rejected = rejected_merges(model, X)
        late = {x.delayed for x in rejected if x.delayed is not None}
        if late:
            ax = plot_dendrogram(model, rejected=rejected, heights="order")
            assert sorted(x for x, _ in places_of(ax, "delayed")) == sorted(u - 8 for u in late)
            return
    pytest.fail("no merge was delayed")


# ------------------------------------------------------------------ legends and rejected


def test_plot__legends_stay_in_narrow_panels(rng):
    h = yule(30, rng)
    names = [f"a very long name of cluster number {i}" for i in cut(h, 8)]
    figure, axes = plt.subplots(1, 4, figsize=(6, 3))
    for ax in axes[:2]:
        plot_dendrogram(h, ax=ax, clusters=names, classes=names, triplets=TripletSet([(0, 1, 2)], 30), cut="clusters")
        legends = ax.findobj(matplotlib.legend.Legend)
        box = ax.get_window_extent().padded(1)
        heights = 0.0
        for legend in legends:
            extent = legend.get_window_extent()
            assert extent.x1 <= box.x1
            heights += extent.height
        assert heights <= 0.6 * box.height
    ax = plot_dendrogram(h, clusters=names, legend=False)
    assert legend_texts(ax) == []


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"values": [np.nan] * 4}, InvalidLabelsError, "no finite number"),
        ({"values": {}}, InvalidLabelsError, "no finite number"),
        ({"values": [1e308, -1e308, 0, 1]}, InvalidLabelsError, "too wide for a colour scale"),
        ({"values": [10**400, 1, 2, 3]}, InvalidLabelsError, "numbers that fit a float"),
        ({"color": "nocolour"}, ValueError, "nocolour"),
        ({"ax": 3}, TypeError, "ax must be matplotlib Axes.*not int"),
        ({"rejected": [1]}, TypeError, "rejected must contain RejectedMerge values.*entry 0 is int"),
        ({"rejected": 1}, TypeError, "rejected must contain RejectedMerge values"),
        ({"collapse": 3}, TypeError, "collapse must be 'clusters' or a list of inner nodes .*, got 3"),
        ({"collapse": [None]}, TypeError, "collapse contains None"),
        ({"labels": "x"}, TypeError, "labels must be .* got 'x'"),
        ({"linewidth": -1}, ValueError, "linewidth is -1; it must be at least 0"),
        ({"linewidth": float("nan")}, ValueError, "linewidth is nan; it must be at least 0, and finite"),
        ({"linewidth": "thick"}, TypeError, "linewidth must be a number, not 'thick'"),
        ({"max_leaf_labels": -1}, ValueError, "max_leaf_labels is -1"),
        ({"layout": "square"}, ValueError, "layout must be 'rectangular' or 'circular', not 'square'"),
        ({"cut": "clusters"}, ValueError, "needs clusters="),
        ({"cut": "high"}, ValueError, "must be a height or 'clusters'"),
        ({"cut": float("nan")}, ValueError, "must be a height"),
        ({"cut": True}, ValueError, "must be a height"),
        ({"max_leaves": 1}, ValueError, "max_leaves"),
        ({"max_leaves": "many"}, TypeError, "max_leaves"),
        ({"collapse": "clusters"}, ValueError, "needs clusters="),
        ({"collapse": [2]}, ValueError, "inner nodes are 4..6"),
        ({"values": [1, 2]}, InvalidLabelsError, "one entry for each of the 4 leaves"),
        ({"values": list("abcd")}, InvalidLabelsError, "must be numbers"),
        ({"values": {"q": 1}}, UnknownLeafError, "keys of values: 'q'"),
        ({"pairs": PairwiseConstraints.from_labels([("a", "q")])}, UnknownLeafError, "'q'"),
    ],
)
def test_plot__more_refusals_before_a_figure_is_made(given, error, message):
    with pytest.raises(error, match=message):
        plot_dendrogram(FOUR, **given)
    assert plt.get_fignums() == []


def test_plot__many_inversions_show_the_order_of_merging():
    steps = [[0, 1, 3.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]]
    ax = plot_dendrogram(from_linkage(steps))
    assert ax.get_xlabel() == "order of merging (1 of 6 heights are inverted)"
    assert not with_gid(ax, "inversions")
    assert plot_dendrogram(from_linkage(steps), heights="height").get_xlabel().startswith("height (1 of 6")
    at_height = plot_dendrogram(from_linkage(steps), cut=1.5)  # the cut is a height: so is the axis
    assert at_height.get_xlabel().startswith("height (1 of 6")
    # one branch of twelve points down
    few = from_linkage([[0, 1, 1.0, 2], *([k, k + 5, float(k), k + 1] for k in range(2, 6)), [6, 11, 4.5, 7]])
    assert plot_dendrogram(few).get_xlabel() == "height (1 of 12 branches point down)"


def test_plot__circular_labels_stand_at_the_rim_with_leaders():
    from tripletree.io import parse_newick

    h = parse_newick("(((a:1,b:1):1,c:9):1,(d:1,(e:1,f:4):1):1,g:1);")
    ax = plot_dendrogram(h, layout="circular", values=range(7))
    texts = [t for t in ax.texts if t.get_gid() != "ring label"]
    assert len(texts) == 7
    radius = [np.hypot(*t.xy) for t in texts]
    assert np.ptp(radius) < 1e-9
    (leaders,) = with_gid(ax, "leaders")
    assert len(leaders.get_segments()) == 6  # of all but the lowest
    ends = [np.hypot(*s[-1]) for s in leaders.get_segments()]
    np.testing.assert_allclose(ends, radius[0])
    (strips,) = with_gid(ax, "values")
    assert min(np.hypot(*p.vertices.T).min() for p in strips.get_paths()) > 0.99 * radius[0]
    assert not with_gid(plot_dendrogram(FOUR, layout="circular"), "leaders")


def test_plot__dark_grounds():
    with plt.style.context("dark_background"):
        ax = plot_dendrogram(
            FOUR, triplets=TripletSet.from_labels([("a", "b", "c"), ("a", "c", "b")]), layout="circular"
        )
    assert {t.get_color() for t in ax.texts if t.get_gid() != "ring label"} == {(1.0, 1.0, 1.0)}
    assert {matplotlib.colors.to_hex(x) for c in with_gid(ax, "lines") for x in c.get_colors()} == {"#ffffff"}
    (cross,) = with_gid(ax, "not displayed")
    assert matplotlib.colors.to_hex(cross.get_facecolor()[0]) == "#000000"
    assert {t.get_bbox_patch().get_facecolor()[:3] for t in ax.texts if t.get_gid() == "ring label"} == {
        (0.0, 0.0, 0.0)
    }
    figure, axes = plt.subplots(facecolor="black")  # dark without any style sheet
    axes.set_facecolor("black")
    assert {t.get_color() for t in plot_dendrogram(FOUR, ax=axes).texts} == {"#EEEEEE"}


def test_plot__one_leaf_is_not_leaves():
    ax = plot_dendrogram(Hierarchy([-1]), labels=False)
    assert ax.get_ylabel() == "1 leaf"
