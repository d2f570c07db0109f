"""Ontologies: contents, refusals, parts, trees."""

import copy
import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from dag_oracle import (
    descendants_definition,
    leaf_count_definition,
    leaf_terms,
    level_definition,
    random_graph,
    small_graphs,
    spanning_trees,
    tree_triplets,
)
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refusal, refusals

from tripletree.algorithms.induce import all_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.ontology import Ontology
from tripletree.errors import (
    DuplicateLeafError,
    InvalidHierarchyError,
    NotATreeError,
    TripletreeError,
    UnknownLeafError,
)

#   r
#  / \
# a   b      y is under a (first) and b, z is under b and under d, which is under b
# |\ /|\
# x y d z
TERMS = ["r", "a", "b", "d", "x", "y", "z", "w"]
EDGES = [(1, 0), (2, 0), (4, 1), (5, 1), (5, 2), (3, 2), (6, 2), (6, 3), (7, 3)]
RELATIONS = ["is_a"] * 4 + ["part_of"] + ["is_a"] * 4
NAMES = ["root", None, "bee", "dee", "ex", "why", "zed", ""]


def example(**changes):
    return Ontology(TERMS, EDGES, **{"names": NAMES, "relations": RELATIONS, **changes})


def made(graph, terms=None):
    """The Ontology of a dict of parents, its terms in a given order, the edges of each in the order of the parents."""
    terms = sorted(graph) if terms is None else list(terms)
    at = {term: i for i, term in enumerate(terms)}
    return Ontology(terms, [(at[x], at[p]) for x in terms for p in sorted(graph[x], key=at.get)])


graphs = st.integers(0, 2**32 - 1).map(
    lambda seed: random_graph(np.random.default_rng(seed), 3 + seed % 10, roots=1 + seed % 2)
)


def refused(*args, **kwargs):
    with pytest.raises(InvalidHierarchyError) as caught:
        Ontology(*args, **kwargs)
    return caught.value


# ---------------------------------------------------------------------- contents


def test_ontology__holds_what_it_was_given():
    o = example()
    assert o.terms == LeafIndex(TERMS)
    assert o.edges.tolist() == [list(edge) for edge in EDGES]
    assert o.edges.dtype == np.int32
    assert not o.edges.flags.writeable
    assert o.names == ("root", None, "bee", "dee", "ex", "why", "zed", None)
    assert o.relations == tuple(RELATIONS)
    assert o.ranks is None
    assert (o.n_terms, o.roots, o.multi_parent) == (8, ["r"], ["y", "z"])
    assert o.leaves == LeafIndex(["x", "y", "z", "w"])
    assert o.n_parents.tolist() == [0, 1, 1, 1, 1, 2, 2, 1]
    assert (o.name("b"), o.name("a")) == ("bee", None)
    assert (o.parents("z"), o.children("b"), o.children("x")) == (["b", "d"], ["y", "d", "z"], [])
    assert repr(o) == "<Ontology: 8 terms, 4 leaves, 1 root, 2 terms with several parents>"
    assert repr(Ontology(["t"], [])) == "<Ontology: 1 term, 1 leaf, 1 root, 0 terms with several parents>"


def test_ontology__relations_are_is_a_unless_told():
    assert Ontology(["a", "b"], [(1, 0)]).relations == ("is_a",)
    assert Ontology(["a"], []).relations == ()


def test_ontology__the_callers_edges_are_left_alone():
    edges = np.array(EDGES)
    o = Ontology(TERMS, edges)
    edges[0] = (0, 0)
    assert edges.flags.writeable
    assert o.edges[0].tolist() == [1, 0]


def test_ontology__a_repeated_edge_counts_once():
    o = Ontology(list("abc"), [(1, 0), (2, 0), (1, 0)])
    assert o.edges.tolist() == [[1, 0], [2, 0]]
    # of two types it is two edges, and still one parent
    o = Ontology(list("abc"), [(2, 0), (1, 0), (2, 0), (2, 0)], relations=["p", "p", "q", "p"])
    assert o.edges.tolist() == [[2, 0], [1, 0], [2, 0]]
    assert o.relations == ("p", "p", "q")
    assert o.parents("c") == ["a"]
    assert o.multi_parent == []
    assert o.select(relations="q").roots == ["a", "b"]


@given(graphs, st.randoms(use_true_random=False))
def test_ontology__ancestors_and_descendants(graph, random):
    terms = sorted(graph)
    random.shuffle(terms)
    o = made(graph, terms)
    below = {x: descendants_definition(graph, x) for x in graph}
    assert o.leaves.labels == tuple(x for x in terms if x in leaf_terms(graph))
    for x in graph:
        down, up = o.descendants(x), o.ancestors(x)
        assert set(down) == below[x] - {x}
        assert set(up) == {y for y in graph if x in below[y]} - {x}
        assert len(set(down)) == len(down)
        assert all(down.index(p) < down.index(y) for y in down for p in graph[y] if p in down)
        assert all(up.index(p) > up.index(y) for y in up for p in graph[y])


def test_ontology__equality_knows_no_order():
    o = example()
    order = [7, 3, 1, 0, 2, 6, 5, 4]
    at = np.argsort(order)
    other = Ontology([TERMS[i] for i in order], at[np.array(EDGES)][::-1], relations=RELATIONS[::-1])
    assert o == other
    assert hash(o) == hash(other)
    assert o == o
    for unlike in [
        example(relations=None),
        example(relations=["part_of", *RELATIONS[1:]]),
        Ontology(TERMS, EDGES[:-1], relations=RELATIONS[:-1]),
        Ontology(TERMS, [*EDGES[:-1], (7, 2)], relations=RELATIONS),
        Ontology([*TERMS[:-1], "v"], EDGES, relations=RELATIONS),
        Ontology([*TERMS, "v"], EDGES, relations=RELATIONS),
    ]:
        assert o != unlike
        assert hash(o) != hash(unlike)
    assert o != "o"
    assert example(names=None) == o


def test_ontology__survives_copying_and_pickling():
    o = example(ranks=["top", *[None] * 7])
    for again in (pickle.loads(pickle.dumps(o)), copy.copy(o), copy.deepcopy(o)):
        assert again == o
        assert (again.names, again.ranks, again.relations) == (o.names, o.ranks, o.relations)
        assert again.edges.tolist() == o.edges.tolist()
        assert not again.edges.flags.writeable


# ---------------------------------------------------------------------- refusals


def test_ontology__a_cycle_is_named():
    error = refused(["r", "a", "b", "c", "x"], [(1, 0), (1, 3), (2, 1), (3, 2), (4, 3)])
    assert "cycle of 3 terms" in str(error)
    shown = str(error).split(": ")[1].split(";")[0].replace("'", "").split(" -> ")
    assert shown[0] == shown[-1]
    assert sorted(shown[:-1]) == ["a", "b", "c"]
    assert all(
        parent in {"a": "rc", "b": "a", "c": "b"}[child] for child, parent in zip(shown, shown[1:], strict=False)
    )
    assert error.node in (1, 2, 3)


def test_ontology__a_long_cycle_is_cut_in_the_message():
    n = 5000
    error = refused(range(n), [(i, (i + 1) % n) for i in range(n)])
    assert "cycle of 5000 terms" in str(error)
    assert len(str(error)) < 300


def test_ontology__a_cycle_beside_sound_terms_is_found():
    assert "'a' -> 'b' -> 'a'" in str(refused(["r", "x", "a", "b", "y"], [(1, 0), (2, 3), (3, 2), (4, 3)]))


@pytest.mark.parametrize(
    ("terms", "edges", "keywords", "words"),
    [
        (["a"], [(0, 0)], {}, "edge 0 makes term 'a' its own parent"),
        (["a", "b"], [(1, 0), (0, 2)], {}, "edge 1 is (0, 2), but terms are 0..1"),
        (["a", "b"], [(1, -1)], {}, "edge 0 is (1, -1)"),
        (["a", "b"], [(1, 0, 0)], {}, "got shape (1, 3)"),
        (["a", "b"], [(1, 0), (1,)], {}, "the rows differ in length"),
        (["a", "b"], [("b", "a")], {}, "edges must be integers (positions of terms)"),
        (["a", "b"], [(1.0, 0.0)], {}, "not float64"),
        ([], [], {}, "at least one term"),
        (["a", "b"], [(1, 0)], {"names": ["x"]}, "names must have one entry for each of the 2 terms; got 1"),
        (["a", "b"], [(1, 0)], {"ranks": ["x"] * 3}, "ranks must have one entry for each of the 2 terms; got 3"),
        (["a", "b"], [(1, 0)], {"relations": []}, "relations must have one entry for each of the 1 edges; got 0"),
        (["a", "b"], [(1, 0)], {"relations": "is_a"}, "not the string 'is_a'"),
    ],
)
def test_ontology__what_does_not_fit_is_refused(terms, edges, keywords, words):
    assert words in str(refused(terms, edges, **keywords))


def test_ontology__unknown_terms_come_with_near_names():
    o = Ontology(["animal", "plant"], [])
    for ask in (o.parents, o.children, o.ancestors, o.descendants, o.name):
        with pytest.raises(UnknownLeafError, match="1 unknown among the terms: 'animol' .did you mean 'animal'"):
            ask("animol")


def test_ontology__methods_are_those_of_ontology():
    with pytest.raises(TypeError, match=r"Ontology\.parents\(\) missing 1 required"):
        example().parents()
    assert pickle.loads(pickle.dumps(Ontology.parents)) is Ontology.parents
    assert pickle.loads(pickle.dumps(example().parents))("y") == ["a", "b"]


def test_ontology__chosen_parents():
    o = example()
    assert o.chosen_parents("first").tolist() == [-1, 0, 0, 2, 1, 1, 2, 3]
    assert o.chosen_parents("deepest").tolist() == [-1, 0, 0, 2, 1, 1, 3, 3]
    with pytest.raises(NotATreeError):
        o.chosen_parents("error")


@given(
    st.lists(st.integers(0, 6), max_size=7), st.lists(st.tuples(st.integers(-1, 7), st.integers(-1, 7)), max_size=12)
)
def test_ontology__any_edges_give_an_ontology_or_an_error_of_ours(terms, edges):
    try:
        o = Ontology(terms, edges)
    except TripletreeError:
        return
    assert set().union(*({x, *o.descendants(x)} for x in o.roots)) == set(terms)
    assert set(o.to_hierarchy(parent="deepest").leaves) == set(o.leaves)


# ---------------------------------------------------------------------- parts


def test_ontology__select_relations():
    o = example().select(relations=["is_a"])
    assert o.terms == LeafIndex(TERMS)
    assert o.multi_parent == ["z"]
    assert o.relations == ("is_a",) * 8
    assert o.names == example().names
    alone = example().select(relations="part_of")
    assert alone.roots == ["r", "a", "b", "d", "x", "z", "w"]
    assert alone.select(relations=["part_of"]) == alone
    with pytest.raises(ValueError, match="no edge is of type 'partof'; the types are 'is_a', 'part_of'"):
        example().select(relations=["is_a", "partof"])
    with pytest.raises(ValueError, match="no edge is of type 'is_a'; the types are 'part_of'"):
        alone.select(relations="is_a")


def test_ontology__select_roots():
    o = example().select(root="a")
    assert list(o.terms) == ["a", "x", "y"]
    assert o.parents("y") == ["a"]
    assert o.names == (None, "ex", "why")
    assert list(example().select(root=["d", "a"]).roots) == ["a", "d"]
    assert list(example().select(root="b", relations="is_a").terms) == ["b", "d", "z", "w"]
    assert example().select(root="r") == example()
    with pytest.raises(UnknownLeafError) as caught:
        example().select(root=["a", "q", "s"])
    assert caught.value.labels == ["q", "s"]


def test_ontology__an_id_that_is_a_tuple_is_one_id():
    o = Ontology([("a", 1), ("b", 2), ("c", 3)], [(1, 0), (2, 1)])
    assert o.select(root=("b", 2)).n_terms == 2
    assert o.select(root=[("b", 2), ("c", 3)]).n_terms == 2
    assert o.attach({"x": ("c", 3)}).parents("x") == [("c", 3)]


def test_ontology__attach_hangs_items_below_terms():
    o = example(ranks=["top", *[None] * 7])
    mine = o.attach({"one": "b", "two": ["x", "d", "x"], "three": {"a"}})
    assert list(mine.terms) == [*TERMS, "one", "two", "three"]
    assert (mine.parents("one"), mine.parents("two"), mine.parents("three")) == (["b"], ["x", "d"], ["a"])
    assert list(mine.leaves) == ["y", "z", "w", "one", "two", "three"]
    assert mine.relations == (*RELATIONS, *["is_a"] * 4)
    assert o.attach({"one": "b"}, relation="annotated").relations[-1] == "annotated"
    assert mine.names[8:] == mine.ranks[8:] == (None,) * 3
    assert o == example()  # as it was
    assert o.attach({}) == o


def test_ontology__attach_reports_all_that_is_wrong():
    o = example()
    with pytest.raises(UnknownLeafError, match="terms that items are mapped to") as caught:
        o.attach({"one": ["b", "q"], "two": "s", "three": "q"})
    assert caught.value.labels == ["q", "s"]
    with pytest.raises(DuplicateLeafError, match="rename the item") as caught:
        o.attach({"one": "b", "x": "b", "a": "r"})
    assert caught.value.labels == ["x", "a"]
    with pytest.raises(InvalidHierarchyError, match="2 items have no term: 'one', 'three'"):
        o.attach({"one": [], "two": "b", "three": ()})
    with pytest.raises(TypeError, match="expected a mapping from items to nodes"):
        o.attach(3)


def attachments():
    yield {"one": ["b", "x"], "two": "d"}
    yield {"one": np.array(["b", "x"]), "two": ("d",)}
    yield [("one", "b"), ("two", "d"), ("one", "x"), ("one", "b")]
    yield pd.Series(["b", "x", "d"], index=["one", "one", "two"])
    yield pd.DataFrame({"gene": ["one", "one", "two"], "term": ["b", "x", "d"]})


@pytest.mark.parametrize("items", list(attachments()))
def test_ontology__attach_takes_what_a_hierarchy_takes(items):
    o = example().attach(items)
    assert (list(o.terms)[8:], o.parents("one"), o.parents("two")) == (["one", "two"], ["b", "x"], ["d"])


def test_ontology__attach_leaves_out_what_is_unknown_when_told_to():
    o = example()
    items = {"one": ["b", "q"], "two": "s", "three": None, "four": "d"}
    assert o.attach(items, missing="ignore") == o.attach({"one": "b", "four": "d"})
    assert list(o.attach(items, missing="ignore").terms)[8:] == ["one", "four"]
    with pytest.raises(UnknownLeafError, match="leaving them out leaves no item") as caught:
        o.attach({"one": ["p", "q"], "two": "q"}, missing="ignore")
    assert caught.value.labels == ["p", "q"]
    with pytest.raises(InvalidHierarchyError, match="1 item has no term: 'one'"):
        o.attach({"one": []}, missing="ignore")
    with pytest.raises(UnknownLeafError, match="missing='ignore' leaves them out"):
        o.attach(items | {"three": "b"})
    with pytest.raises(ValueError, match="missing must be 'raise' or 'ignore', not 'drop'"):
        o.attach(items, missing="drop")


def test_ontology__restrict_keeps_what_is_above_the_items():
    o = example().restrict(["z", "x"])
    assert list(o.terms) == ["z", "x", "r", "a", "b", "d"]
    assert list(o.leaves) == ["z", "x"]
    assert sorted(o.parents("z")) == ["b", "d"]
    assert o.name("d") == "dee"
    with pytest.raises(InvalidHierarchyError, match=r"2 of the items.*inner.*'b', 'd'.*attach\(\{'my item': 'b'"):
        example().restrict(["x", "b", "d"])
    with pytest.raises(UnknownLeafError) as caught:
        example().restrict(["x", "q", "s"])
    assert caught.value.labels == ["q", "s"]
    with pytest.raises(TypeError, match=r"expected a list of items, got the text 'x'; restrict\(\['x'\]\) keeps that"):
        example().restrict("x")
    with pytest.raises(InvalidHierarchyError, match="items is empty"):
        example().restrict([])
    with pytest.raises(DuplicateLeafError):
        example().restrict(["x", "x"])


# ---------------------------------------------------------------------- trees


def test_ontology__one_tree_by_each_choice():
    o = example()
    nested = {
        "first": [["x", "y"], [["w"], "z"]],
        "deepest": [["x", "y"], [["z", "w"]]],
        "smallest": [["x", "y"], [["z", "w"]]],
    }
    for parent, wanted in nested.items():
        assert o.to_hierarchy(parent=parent) == Hierarchy.from_nested(wanted)
    h = o.to_hierarchy(parent="deepest")
    assert h.leaves == o.leaves
    assert {h.label(u): sorted(h.clade(u)) for u in range(h.n_leaves, h.n_nodes)} == {
        "r": ["w", "x", "y", "z"],
        "a": ["x", "y"],
        "b": ["w", "z"],
        "d": ["w", "z"],
    }


def test_ontology__labels_are_ids_or_names():
    o = example(ranks=["kingdom", None, None, "genus", *["species"] * 4])
    h = o.to_hierarchy(parent="first", labels="name")
    assert list(h.leaves) == ["ex", "why", "zed", "w"]
    assert sorted(x for x in h.names) == ["a", "bee", "dee", "root"]
    rank = {h.label(u): h.ranks[u] for u in range(h.n_nodes)}
    assert rank == {
        **dict.fromkeys(["ex", "why", "zed", "w"], "species"),
        "root": "kingdom",
        "a": None,
        "bee": None,
        "dee": "genus",
    }
    assert Ontology(["a", "b"], [(1, 0)]).to_hierarchy(labels="name").leaves == LeafIndex(["b"])
    with pytest.raises(DuplicateLeafError, match="use labels='id'") as caught:
        Ontology(["r", "a", "b"], [(1, 0), (2, 0)], names=["r", "same", "same"]).to_hierarchy(labels="name")
    assert caught.value.labels == ["same"]
    with pytest.raises(ValueError, match="labels must be 'id' or 'name', not 'names'"):
        o.to_hierarchy(parent="first", labels="names")


def test_ontology__several_parents_are_an_error_unless_chosen():
    with pytest.raises(NotATreeError) as caught:
        example().to_hierarchy()
    assert (caught.value.node, caught.value.parents) == ("y", ["a", "b"])
    assert "term 'y' has 2 parents: 'a', 'b' (and 1 more have several)" in str(caught.value)
    assert "parent='deepest', 'first' or 'smallest'" in str(caught.value)
    with pytest.raises(ValueError, match="parent must be one of 'deepest', 'first', .* not 'random'"):
        example().to_hierarchy(parent="random")


def test_ontology__several_roots_get_a_node_above_them():
    o = Ontology(list("abxyz"), [(2, 0), (3, 0), (4, 1)], ranks=list("ABXYZ"))
    h = o.to_hierarchy()
    assert h == Hierarchy.from_nested([["x", "y"], ["z"]])
    assert (h.names[-1], h.ranks[-1]) == (None, None)
    assert sorted(x for x in h.names if x) == ["a", "b"]
    assert Ontology(list("abc"), []).to_hierarchy() == Hierarchy.from_nested(["a", "b", "c"])
    assert Ontology(["a"], []).to_hierarchy() == Hierarchy([-1], ["a"])


def test_ontology__terms_that_lose_all_children_go_and_a_lone_root_needs_none_above():
    o = Ontology(list("abxy"), [(2, 0), (2, 1), (3, 0), (3, 1)])
    h = o.to_hierarchy(parent="first")
    assert (h, h.names) == (Hierarchy.from_nested(["x", "y"]), ("a",))
    assert o.to_hierarchy(parent="smallest").names == ("a",)


def test_ontology__a_tree_needs_no_choice():
    o = Ontology(list("rabxyz"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 0)])
    assert all(o.to_hierarchy(parent=p) == o.to_hierarchy() for p in ("first", "deepest", "smallest"))


@given(graphs, st.randoms(use_true_random=False))
def test_ontology__choices_are_by_their_definitions(graph, random):
    terms = sorted(graph)
    random.shuffle(terms)
    o = made(graph, terms)
    level = {x: level_definition(graph, x) for x in graph}
    count = {x: leaf_count_definition(graph, x) for x in graph}
    score = {"first": dict.fromkeys(graph, 0), "deepest": {x: -k for x, k in level.items()}, "smallest": count}
    for parent, by in score.items():
        # of the parents in the order of their edges, min takes the first of the least
        tree = {x: min(o.parents(x), key=by.get, default=None) for x in graph}
        found = set(all_triplets(o.to_hierarchy(parent=parent)))
        wanted = tree_triplets(tree, leaf_terms(graph))
        assert {(*sorted(t[:2]), t[2]) for t in found} == wanted


def test_ontology__every_small_graph_has_its_trees():
    """On all 1,024 graphs of five terms: each choice is one of the trees that there are."""
    for graph in small_graphs(5):
        o = made(graph)
        leaves = leaf_terms(graph)
        known = {frozenset(tree_triplets(tree, leaves)) for tree in spanning_trees(graph)}
        for parent in ("first", "deepest", "smallest"):
            found = all_triplets(o.to_hierarchy(parent=parent))
            assert frozenset((*sorted(t[:2]), t[2]) for t in found) in known


def test_ontology__deep_ones_work():
    n = 3000
    steps = [(i + 1, i) for i in range(n)] + [(n + 1 + i, i) for i in range(n)]
    o = Ontology(range(2 * n + 1), [*steps, (2 * n, 0)])
    assert o.to_hierarchy(parent="deepest").depth.max() == n
    assert len(o.ancestors(n)) == n
    assert o.resolution()["certain"] > 0.9


# ---------------------------------------------------------------------- how much each says


def test_ontology__resolution_by_hand():
    # of wxyz: first ((x,y),((w),z)) and deepest ((x,y),((z,w))) say all four. Certain is wz|x, as y may join either
    found = example().resolution()
    assert list(found) == ["certain", "deepest", "first", "smallest"]
    assert found == {"certain": 0.25, "deepest": 1.0, "first": 1.0, "smallest": 1.0}


@given(graphs)
def test_ontology__resolution_is_exact(graph):
    o = made(graph)
    n = len(o.leaves)
    if n < 3:
        return
    found = o.resolution()
    for way, share in found.items():
        read = o if way == "certain" else o.to_hierarchy(parent=way)
        assert share == len(all_triplets(read)) / (n * (n - 1) * (n - 2) // 6)
    assert all(found["certain"] <= share for share in found.values())


def test_ontology__resolution_of_a_tree_is_the_same_by_every_reading():
    # 1,000 leaves in 500 pairs: 500 * 998 of C(1000, 3) triples, 0.3 %, where a sample would miss
    pairs = [(1 + k, 0) for k in range(500)] + [(501 + k, 1 + k // 2) for k in range(1000)]
    found = Ontology(range(1501), pairs).resolution()
    assert set(found.values()) == {500 * 998 / (1000 * 999 * 998 // 6)}


def test_ontology__all_permutations_of_edges_say_the_same_but_for_first():
    graph = {0: set(), 1: {0}, 2: {0}, 3: {1, 2}, 4: {1}, 5: {2}}
    edges = [(x, p) for x in graph for p in graph[x]]
    for flip in product([False, True], repeat=2):
        order = edges[:: -1 if flip[0] else 1]
        o = Ontology(range(6), order)
        assert o == made(graph)
        assert o.parents(3) == [p for x, p in order if x == 3]


test_ontology__refused = refusals(
    "repeated terms",
    Refusal(lambda: Ontology(["a", "b", "a"], []), DuplicateLeafError, "among the terms: 'a'", labels=["a"]),
    "unknown ids have no near names",
    Refusal(
        lambda: Ontology([f"GO:{k:07d}" for k in range(100)], []).parents("GO:0006281"),
        UnknownLeafError,
        "unknown among the terms: 'GO:0006281'; the 100 known",
        suggestions={},
    ),
    "resolution wants three leaves",
    Refusal(
        lambda: Ontology(list("rab"), [(1, 0), (2, 0)]).resolution(),
        ValueError,
        "need at least three leaf terms for a triplet; this ontology has 2",
    ),
    Refusal(lambda: Ontology(["a"], []).resolution(), ValueError, "this ontology has 1"),
)
