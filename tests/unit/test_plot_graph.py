"""The graph behind triplets: its nodes and edges, and the part that is drawn."""

import io
import sys

import matplotlib
import numpy as np
import pytest
from examples import yule
from oracles import components

from tripletree.algorithms.conflict import find_conflict
from tripletree.algorithms.induce import sample_triplets
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError, MissingDependencyError, UnknownLeafError
from tripletree.io.triplets import read_triplets
from tripletree.plots.graph import aho_graph, plot_aho_graph, plot_conflict

matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

TEXT = "human chimp | gorilla | 2\nhuman chimp | orang\nchimp gorilla | orang\ngorilla orang | human\n"


def leaves_drawn(ax):
    return sum(len(c.get_offsets()) for c in ax.collections if c.get_gid() in ("leaves", "isolated leaves"))


def ties_drawn(ax):
    return sum(len(c.get_segments()) for c in ax.collections if c.get_gid() == "ties")


def test_aho_graph__edges_and_what_they_carry():
    graph = aho_graph(read_triplets(io.StringIO(TEXT)))
    edge = graph.edges["chimp", "human"]
    assert edge["thirds"] == ["gorilla", "orang"]
    assert edge["weight"] == 3
    assert [x.number for x in edge["origins"]] == [1, 2]
    assert {frozenset(x) for x in graph.edges} == {
        frozenset(x) for x in (("chimp", "human"), ("chimp", "gorilla"), ("gorilla", "orang"))
    }


def test_aho_graph__of_a_group_only_triplets_inside_it_count():
    graph = aho_graph(read_triplets(io.StringIO(TEXT)), ["gorilla", "human", "orang"])
    assert list(graph) == ["gorilla", "human", "orang"]
    assert list(graph.edges(data="origins"))[0][2][0].number == 4
    assert graph.number_of_edges() == 1
    with pytest.raises(UnknownLeafError, match="gorila"):
        aho_graph(read_triplets(io.StringIO(TEXT)), ["gorila"])


@pytest.mark.parametrize("seed", range(5))
def test_plot_aho_graph__every_leaf_edge_and_part(seed):
    rng = np.random.default_rng(seed)
    t = sample_triplets(yule(60, rng), 45, random_state=rng)
    parts = components(t.used_leaves.tolist(), [(a, b) for a, b, _ in t.rows.tolist()])
    ax = plot_aho_graph(t)
    groups = [c for c in ax.collections if c.get_gid() == "leaves"]
    alone = [c for c in ax.collections if c.get_gid() == "isolated leaves"]
    singles = sum(len(part) == 1 for part in parts)
    assert [len(c.get_offsets()) for c in alone] == ([singles] if singles >= 5 else [])
    drawn = sorted(len(c.get_offsets()) for c in groups) + [1] * sum(len(c.get_offsets()) for c in alone)
    assert sorted(drawn) == sorted(map(len, parts))
    assert leaves_drawn(ax) == t.used_leaves.size
    assert ties_drawn(ax) == len({(a, b) for a, b, _ in t.rows.tolist()})
    more = f", {singles} of them single leaves" if alone else ""
    assert ax.get_title() == f"The triplets split {t.used_leaves.size} leaves into {len(parts)} parts{more}"
    # no two leaves stand on each other
    at = np.concatenate([c.get_offsets() for c in groups + alone])
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)[~np.eye(len(at), dtype=bool)]
    assert apart.min() > 0.05


def test_plot_conflict__names_thirds_and_lines():
    conflict = find_conflict(read_triplets(io.StringIO(TEXT)))
    ax = plot_conflict(conflict)
    texts = [x.get_text() for x in ax.texts]
    assert len(conflict) == 3
    assert ax.get_title() == "Why 3 triplets cannot all hold: they tie 4 leaves together"
    assert {"human", "chimp", "gorilla", "orang"} <= set(texts)
    assert {"| gorilla\nline 1", "| orang\nline 3", "| human\nline 4"} & set(texts)
    assert ties_drawn(ax) == 3


def test_plot_conflict__a_long_one_is_an_open_circle():
    leaves = [f"x{i:02d}" for i in range(50)]
    rows = [(leaves[i], leaves[i + 1], leaves[(i + 2) % 50]) for i in range(49)]
    ax = plot_conflict(find_conflict(TripletSet.from_labels(rows)))
    assert [x.get_text() for x in ax.texts] == sorted(leaves)  # names, and no notes on that many edges
    at = next(c for c in ax.collections if c.get_gid() == "leaves").get_offsets()
    middle = (at.max(axis=0) + at.min(axis=0)) / 2
    away = np.linalg.norm(at - middle, axis=1)
    assert away.min() > 0.95 * away.max()


def test_plot_aho_graph__more_names_than_can_be_read():
    t = sample_triplets(yule(300, np.random.default_rng(0)), 400, random_state=0)
    ax = plot_aho_graph(t)
    assert not ax.texts
    assert leaves_drawn(ax) == t.used_leaves.size


def test_plot_aho_graph__options():
    t = read_triplets(io.StringIO(TEXT))
    _, ax = plt.subplots()
    assert plot_aho_graph(t, ["human", "chimp", "orang"], ax=ax, notes=False, title="mine") is ax
    assert ax.get_title() == "mine"
    assert sorted(x.get_text() for x in ax.texts) == ["chimp", "human", "orang"]
    assert plot_aho_graph(t).get_title().endswith("nothing less: they are tied together")
    assert leaves_drawn(plot_aho_graph(TripletSet([(5, 7, 2)], 9))) == 3  # labels that are numbers


def test_plot_aho_graph__looks_the_same_every_time():
    t = sample_triplets(yule(40, np.random.default_rng(0)), 40, random_state=0)
    one, two = (np.concatenate([c.get_offsets() for c in plot_aho_graph(t).collections[1:]]) for _ in range(2))
    assert np.array_equal(one, two)


def test_plot_graph__refusals(monkeypatch):
    with pytest.raises(LimitExceededError, match="1,200 leaves are too many for a picture"):
        plot_aho_graph(TripletSet([(i, i + 1, i + 2) for i in range(0, 1200, 3)], 1200))
    with pytest.raises(TypeError, match="expected a Conflict, got TripletSet"):
        plot_conflict(TripletSet([(0, 1, 2)], 3))
    with pytest.raises(TypeError, match="expected a TripletSet"):
        plot_aho_graph([(0, 1, 2)])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match="plot_aho_graph needs matplotlib"):
        plot_aho_graph(TripletSet([(0, 1, 2)], 3))


@pytest.mark.parametrize("n", [5, 30, 90])
def test_plot_aho_graph__names_stand_clear(n):
    rng = np.random.default_rng(n)
    t = sample_triplets(yule(n, rng), n // 2 + 2, random_state=rng)
    ax = plot_aho_graph(t, notes=False)
    ax.figure.canvas.draw()
    boxes = [x.get_window_extent().padded(-1) for x in ax.texts]
    assert len(boxes) == t.used_leaves.size
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    dots = ax.transData.transform(np.concatenate([c.get_offsets() for c in ax.collections if c.get_gid() == "leaves"]))
    covered = [sum(b.contains(*p) for p in dots.tolist()) for b in boxes]
    assert sum(covered) == 0
    assert all(b.x0 > ax.figure.bbox.x0 - 5 for b in boxes)


def test_plot_aho_graph__large_parts_are_spread():
    rng = np.random.default_rng(0)
    rows = [(i, int(rng.integers(i)), 400) for i in range(1, 400)]  # a random tree, one part
    rows += [(a, b, 400) for a, b in rng.integers(400, size=(100, 2)).tolist() if a != b]
    ax = plot_aho_graph(TripletSet(rows, 401))
    at = np.concatenate([c.get_offsets() for c in ax.collections if c.get_gid() == "leaves"])
    assert len(at) == 401
    apart = np.linalg.norm(at[:, None] - at[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert np.quantile(apart.min(axis=1), 0.05) > 0.03
    (ties,) = [c for c in ax.collections if c.get_gid() == "ties"]
    long = [float(np.linalg.norm(b - a)) for a, b in ties.get_segments()]
    everywhere = np.median(apart[np.isfinite(apart)])
    assert np.median(long) < 0.35 * everywhere  # ties are short, as they should be


def test_plot_aho_graph__parts_do_not_overlap():
    rng = np.random.default_rng(3)
    ax = plot_aho_graph(sample_triplets(yule(80, rng), 50, random_state=rng))
    boxes = []
    for c in ax.collections:
        if c.get_gid() == "leaves":
            at = c.get_offsets()
            boxes.append((*(at.min(axis=0) - 0.3), *(at.max(axis=0) + 0.3)))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]


def test_plot_aho_graph__in_a_subfigure():
    parts = plt.figure().subfigures(1, 2)
    ax = plot_aho_graph(TripletSet([(0, 1, 2)], 3), ax=parts[0].subplots())
    assert sorted(x.get_text() for x in ax.texts) == ["0", "1", "2", "| 2"]
