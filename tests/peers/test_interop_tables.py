"""Edge tables of pandas and the merges of scikit-learn, there and back, beside pandas, scipy and scikit-learn."""

import sys

import numpy as np
import pytest
from examples import caterpillar, contracted, yule, zoo
from hypothesis import given, settings
from hypothesis import strategies as st
from interop_cases import dressed, exactly, large
from sklearn.cluster import AgglomerativeClustering

from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import (
    DuplicateLeafError,
    InvalidHierarchyError,
    MissingDependencyError,
    NotATreeError,
    TripletreeError,
)
from tripletree.interop import from_children, from_edge_table, to_children, to_edge_table
from tripletree.io.edges import read_edges

pd = pytest.importorskip("pandas")


@given(dressed())
@settings(max_examples=60)
def test_edge_table__there_and_back_to_the_last_number(h):
    assert exactly(from_edge_table(to_edge_table(h))) == exactly(h)


@given(dressed(st.text(max_size=4)))
@settings(max_examples=60)
def test_edge_table__there_and_back_by_labels(h):
    table = to_edge_table(h, keys="label")
    assert table["child"].is_unique
    assert exactly(from_edge_table(table)) == exactly(h)


def test_edge_table__by_hand():
    h = Hierarchy(
        [3, 3, 4, 4, -1],
        ["human", "chimp", "gorilla"],
        length=[6, 6, 8, 2, np.nan],
        names=["Hominini", None],
        ranks=["species"] * 3 + ["tribe", None],
    )
    table = to_edge_table(h)
    assert list(table.columns) == ["child", "parent", "name", "length", "height", "rank"]
    assert table["child"].tolist() == [0, 1, 2, 3, 4]
    assert table["parent"].tolist()[:4] == [3, 3, 4, 4]
    assert table["parent"].isna().tolist() == [False] * 4 + [True]
    assert table["name"].tolist() == ["human", "chimp", "gorilla", "Hominini", None]
    assert table["height"].tolist() == [0, 0, 0, 6, 8]
    assert table["rank"].tolist() == ["species", "species", "species", "tribe", None]
    assert to_edge_table(h, keys="label")["parent"].tolist() == ["Hominini", "Hominini", 4, 4, None]
    assert pd.merge(table, table, left_on="parent", right_on="child").shape[0] == 4


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in zoo()])
def test_edge_table__children_are_those_pandas_groups(h):
    groups = to_edge_table(h).groupby("parent")["child"].apply(sorted)
    assert {int(p): c for p, c in groups.items()} == {p: h.children(p).tolist() for p in range(h.n_leaves, h.n_nodes)}


def test_edge_table__of_others():
    frame = pd.DataFrame({"taxid": [1, 7, 8, 9], "up": [1.5, 1, 1, 7], "what": ["x", "y", None, "z"]})
    frame["up"] = [np.nan, 1, 1, 7]  # whole numbers beside a gap
    h = from_edge_table(frame, child="taxid", parent="up")
    assert h == Hierarchy.from_nested([8, [9]])
    assert set(h.names) == {"1", "7"}
    h = from_edge_table(frame, child="taxid", parent="up", name="what")
    assert list(h.leaves) == [8, "z"]
    assert set(h.names) == {"x", "y"}
    without_root = frame.iloc[1:]
    assert from_edge_table(without_root, child="taxid", parent="up") == Hierarchy.from_nested([8, [9]])
    assert from_edge_table(pd.concat([frame, frame]), child="taxid", parent="up").n_nodes == 4


def test_edge_table__other_frames():
    columns = {"child": ["a", "b", "ab", "c"], "parent": ["ab", "ab", "r", "r"], "length": [1.0, 2.0, None, 4.0]}
    want = exactly(from_edge_table(pd.DataFrame(columns)))
    assert exactly(from_edge_table(columns)) == want
    polars = pytest.importorskip("polars")
    assert exactly(from_edge_table(polars.DataFrame(columns))) == want


def test_edge_table__the_frame_is_left_as_it_was():
    frame = to_edge_table(large(100)[1][1])
    before = frame.copy(deep=True)
    from_edge_table(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("h", [pytest.param(h, id=name) for name, h in large()])
def test_edge_table__deeper_than_the_stack(h):
    assert exactly(from_edge_table(to_edge_table(h))) == exactly(h)


@pytest.mark.parametrize(
    ("table", "error", "said"),
    [
        ({"child": ["a"], "mother": ["b"]}, InvalidHierarchyError, "no column 'parent'; its columns are 'child', 'mo"),
        ({"child": ["a", None], "parent": ["b", "c"]}, InvalidHierarchyError, "row 1 of the table.*has no 'child'"),
        ({"child": ["a", "b"], "parent": ["b", "a"]}, InvalidHierarchyError, "cycle of 2: 'a' -> 'b' -> 'a'"),
        ({"child": ["a"], "parent": ["a"]}, InvalidHierarchyError, "cycle of 1: 'a' -> 'a'"),
        ({"child": [], "parent": []}, InvalidHierarchyError, "this table has no nodes"),
        ({"child": ["a", "a"], "parent": ["x", "y"]}, NotATreeError, "node 'a' of this table has 2 parents: 'x', 'y'"),
        ({"child": ["a", "a"], "parent": ["x", "x"], "length": [1, 2]}, InvalidHierarchyError, "rows 0 and 1.*'a'"),
        ({"child": ["a", "b"], "parent": ["x", "x"], "name": ["n", "n"]}, DuplicateLeafError, "'n'"),
        ({"child": ["a"], "parent": ["x"], "length": ["far"]}, InvalidHierarchyError, "length of the node 'a'.*'far'"),
    ],
)
def test_edge_table__what_is_refused(table, error, said):
    with pytest.raises(error, match=said):
        from_edge_table(table)


def test_edge_table__several_roots_get_a_node_above_as_in_read_edges():
    table = {"child": ["a", "b", "c", "d"], "parent": ["x", "x", "y", None], "length": [1.0, 2.0, 3.0, 4.0]}
    h = from_edge_table(table)
    assert h == Hierarchy(Hierarchy.from_nested([["a", "b"], ["c"], "d"]).parent, list("abcd"), incertae_sedis=[3])
    assert h.names == ("x", "y", None)
    assert [None if x != x else x for x in h.length.tolist()] == [1, 2, 3, 4, None, None, None]
    # read_edges wants rows for all roots where there are rows without parents
    full = {"key": ["a", "b", "c", "d", "x", "y"], "above": ["x", "x", "y", None, None, None]}
    full |= {"called": ["A", None, "C", None, "X", None]}
    ours = from_edge_table(full, child="key", parent="above", name="called")
    theirs = read_edges(
        pd.DataFrame(full), child_column="key", parent_column="above", name_column="called", labels="name"
    )
    assert ours == theirs == Hierarchy(ours.parent, ["A", "b", "C", "d"], incertae_sedis=[3])
    assert sorted(map(str, ours.names)) == sorted(map(str, theirs.names)) == ["None", "None", "X"]


def test_edge_table__both_doors_say_how_they_correspond():
    assert "child_column" in from_edge_table.__doc__
    assert "from_edge_table" in read_edges.__doc__
    with pytest.raises(
        NotATreeError, match=r"read_edges\(frame, child_column='k', parent_column='p', parent='first'\)"
    ):
        from_edge_table({"k": ["a", "a"], "p": ["x", "y"]}, child="k", parent="p")


def test_edge_table__several_parents_are_named():
    with pytest.raises(NotATreeError) as caught:
        from_edge_table({"child": ["a", "a", "y"], "parent": ["x", "y", "x"]})
    assert (caught.value.node, caught.value.parents) == ("a", ["x", "y"])


def test_edge_table__keys_that_would_clash_are_refused():
    h = Hierarchy([2, 2, -1], [0, 2])
    with pytest.raises(InvalidHierarchyError, match="inner node 2 has no name of its own, and its number is the label"):
        to_edge_table(h, keys="label")
    assert exactly(from_edge_table(to_edge_table(h))) == exactly(h)
    with pytest.raises(ValueError, match="keys must be 'number' or 'label', not 'name'"):
        to_edge_table(h, keys="name")
    with pytest.raises(InvalidHierarchyError, match="label None"):
        to_edge_table(Hierarchy.from_nested(["a", None]))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 5), st.none() | st.text(max_size=1)), max_size=8)
)
def test_edge_table__any_rows_are_a_tree_or_refused(rows):
    table = {"child": [r[0] for r in rows], "parent": [r[1] for r in rows], "name": [r[2] for r in rows]}
    try:
        h = from_edge_table(table)
    except TripletreeError:
        return
    keys = {x for r in rows for x in r[:2] if x is not None}
    roots = keys - {r[0] for r in rows if r[1] is not None}
    assert h.n_nodes == len(keys) + (len(roots) > 1)


def test_edge_table__the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match=r"pandas.*pip install 'tripletree\[io\]'"):
        to_edge_table(Hierarchy.from_nested(["a", "b"]))


# ---------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_children__scikit_learns_own(linkage, rng):
    X = rng.normal(size=(40, 3))
    model = AgglomerativeClustering(n_clusters=1, linkage=linkage, compute_full_tree=True, compute_distances=True)
    model.fit(X)
    h = from_children(model.children_, distances=model.distances_)
    assert h.height[40:].tolist() == model.distances_.tolist()
    children, distances = to_children(h)
    assert np.array_equal(children, np.sort(model.children_, axis=1))
    assert np.array_equal(distances, model.distances_)
    from scipy.cluster.hierarchy import linkage as scipy_linkage

    assert h == from_linkage(scipy_linkage(X, linkage))
    bare = from_children(model.children_, leaves=[f"row {i}" for i in range(40)])
    assert bare.height is None
    assert np.array_equal(bare.parent, h.parent)


def test_children__merges_that_stop_early_are_refused(rng):
    model = AgglomerativeClustering(n_clusters=20, connectivity=np.eye(40, k=1), compute_full_tree=False)
    model.fit(rng.normal(size=(40, 2)))
    assert len(model.children_) < 39
    for leaves in (None, 40):
        with pytest.raises(InvalidHierarchyError, match="compute_full_tree=True"):
            from_children(model.children_, leaves=leaves)


@pytest.mark.parametrize(
    ("children", "options", "said"),
    [
        ([[0, 1], [2]], {}, "children must be integers of shape"),
        ([[0.5, 1.0]], {}, "children must be integers of shape"),
        ([[0, 0]], {}, "merges cluster 0 with itself"),
        ([[0, 1], [0, 2]], {}, "merges cluster 0, which row 0 has merged already"),
        ([[0, 3], [1, 2]], {}, "not formed yet"),
        ([[-1, 0]], {}, "numbered by integers from 0"),
        ([[0, 1]], {"distances": [1, 2]}, "distances must be 1 numbers"),
        ([[0, 1]], {"distances": ["far"]}, "distances must be 1 numbers"),
        ([[0, 1]], {"distances": [np.nan]}, "heights must be finite"),
        ([[0, 1]], {"leaves": ["a"]}, "1 merges join 2 leaves.*there are 1 leaves"),
        ([[0, 7], [1, 2]], {}, "there is the cluster 7"),
    ],
)
def test_children__what_is_refused(children, options, said):
    with pytest.raises(InvalidHierarchyError, match=said):
        from_children(children, **options)


def test_children__of_one_leaf_and_of_a_ladder(rng):
    one = from_children([], leaves=["alone"])
    assert one.n_nodes == 1
    assert to_children(one)[0].shape == (0, 2)
    h = caterpillar(2_000)
    assert np.array_equal(from_children(to_children(h)[0]).parent, h.parent)
    with pytest.raises(InvalidHierarchyError, match="a linkage merges two clusters"):
        to_children(contracted(yule(40, rng), 0.5, rng))
    assert to_children(h)[1] is None
    assert np.array_equal(to_linkage(h)[:, :2], to_children(h)[0])


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_children__the_pair_is_taken_back(n, rng):
    h = yule(n, rng)
    h = Hierarchy(h.parent, h.leaves, height=np.maximum(np.arange(h.n_nodes) - n + 1, 0))
    assert exactly(from_children(to_children(h), leaves=h.leaves)) == exactly(h)
    bare = Hierarchy(h.parent, h.leaves)
    assert exactly(from_children(to_children(bare), leaves=h.leaves)) == exactly(bare)


def test_children__a_pair_is_not_two_rows():
    h = Hierarchy.from_nested([[0, 1], 2])
    high = Hierarchy(h.parent, 3, height=[0, 0, 0, 1.5, 2])
    children, distances = to_children(high)
    assert from_children((children, distances)).height.tolist() == [0, 0, 0, 1.5, 2]
    assert from_children([children, distances.tolist()]).height.tolist() == [0, 0, 0, 1.5, 2]
    assert from_children((children, None)).height is None
    assert from_children((children, None), distances=distances) == high
    for rows in (((0, 1), (2, 3)), [[0, 1], [2, 3]], [np.array([0, 1]), np.array([2, 3])]):
        assert from_children(rows) == h
    with pytest.raises(InvalidHierarchyError, match="distances are given twice"):
        from_children((children, distances), distances=distances)
    with pytest.raises(InvalidHierarchyError, match="children must be integers"):
        from_children(([[0, 1], [2]], distances))
    with pytest.raises(InvalidHierarchyError, match="distances must be 2 numbers"):
        from_children((children, [1.0]))


def test_children__bad_rows_do_not_blow_up():
    with pytest.raises(InvalidHierarchyError, match="merges cluster"):
        from_children([[i, i] for i in range(3_000)])
