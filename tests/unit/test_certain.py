"""The certain reading: its triplets, its use through the functions for hierarchies, and refusals."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from dag_oracle import descendants_definition, leaf_terms, random_graph

from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.induce import (
    InducedTriplets,
    all_triplets,
    count_triplets,
    displays,
    induce,
    sample_triplets,
)
from tripletree.core import ontology as _dominance
from tripletree.core.hierarchy import check_hierarchy
from tripletree.core.ontology import Ontology
from tripletree.core.triplets import TripletSet
from tripletree.errors import InvalidTripletError, LimitExceededError, UnknownLeafError

#   r         w, x under a, y under a and b, z under b
#  / \
# a   b
PAIR = Ontology(["r", "a", "b", "w", "x", "y", "z"], [(1, 0), (2, 0), (3, 1), (4, 1), (5, 1), (5, 2), (6, 2)])
#: the same with more below a, where y cannot come between: d above v and w
DEEPER = Ontology(
    ["r", "a", "b", "d", "v", "w", "x", "y", "z"],
    [(1, 0), (2, 0), (3, 1), (4, 3), (5, 3), (6, 1), (7, 1), (7, 2), (8, 2)],
)


def labelled(triplets):
    return {(*sorted((a, b)), c) for a, b, c in triplets}


# ---------------------------------------------------------------------- by hand


def test_certain__of_two_parents_neither_counts():
    # y may hang from a, then wx|z and wy|z, or from b, then wx|y and yz|w: the triplets of both remain
    assert labelled(all_triplets(PAIR)) == {("w", "x", "z")}


def test_certain__below_a_sound_part_all_is_certain():
    wanted = {("v", "w", c) for c in "xyz"} | {(*sorted((a, "x")), "z") for a in "vw"}
    assert labelled(all_triplets(DEEPER)) == wanted
    assert count_triplets(DEEPER) == 5


def test_certain__diamonds_close_again():
    # x has two parents, but both are under d: it cannot leave d
    o = Ontology(["r", "d", "p", "q", "x", "y", "z"], [(1, 0), (2, 1), (3, 1), (4, 2), (4, 3), (5, 3), (6, 0)])
    assert labelled(all_triplets(o)) == {("x", "y", "z")}


def test_certain__several_roots_have_a_root_above_them():
    o = Ontology(["a", "b", "w", "x", "y", "z"], [(2, 0), (3, 0), (4, 1), (5, 1)])
    assert labelled(all_triplets(o)) == {("w", "x", "y"), ("w", "x", "z"), ("y", "z", "w"), ("y", "z", "x")}


def test_certain__few_leaves_say_nothing():
    for o in (Ontology(["a"], []), Ontology(["a", "b"], [(1, 0)]), Ontology(list("abc"), [(1, 0), (2, 0)])):
        assert count_triplets(o) == 0
        assert len(all_triplets(o)) == len(decompose(o)) == decomposition_size(o) == 0
        assert len(sample_triplets(o, 0)) == 0
        assert len(induce(o, [])) == 0


def test_certain__a_part_says_what_the_whole_says():
    items = ["v", "w", "y", "z"]
    whole = {t for t in labelled(all_triplets(DEEPER)) if set(t) <= set(items)}
    assert labelled(all_triplets(DEEPER.restrict(items))) == whole
    mine = DEEPER.attach({"one": "d", "two": ["d", "a"], "three": "b"}).restrict(["one", "two", "three"])
    assert labelled(all_triplets(mine)) == {("one", "two", "three")}


# ---------------------------------------------------------------------- the doors for hierarchies


def test_certain__the_doors_take_an_ontology():
    found = induce(DEEPER, [("v", "z", "w"), ("x", "y", "z"), ("z", "x", "v")])
    assert isinstance(found, InducedTriplets)
    assert list(found) == [("v", "w", "z"), None, ("x", "v", "z")]
    assert found.odd.tolist() == [1, -1, 0]
    assert found.leaves == DEEPER.leaves
    assert found.resolved.tolist() == [True, False, True]
    assert len(found.triplets) == 2
    assert not found.odd.flags.writeable
    rows = induce(DEEPER, DEEPER.leaves.indices(["v", "z", "w"]).reshape(1, 3))
    assert rows.odd.tolist() == [1]
    asked = TripletSet.from_labels([("v", "w", "z"), ("v", "z", "w"), ("x", "y", "z")])
    assert dict(zip(labelled_list(asked), displays(DEEPER, asked).tolist(), strict=True)) == {
        ("v", "w", "z"): True,
        ("v", "z", "w"): False,
        ("x", "y", "z"): False,
    }
    assert displays(DEEPER, asked.subset(np.zeros(3, bool))).tolist() == []
    assert (count_triplets(DEEPER), len(all_triplets(DEEPER))) == (5, 5)
    drawn = sample_triplets(DEEPER, 3, random_state=0)
    assert len(drawn) == 3
    assert displays(DEEPER, drawn).all()
    assert drawn == sample_triplets(DEEPER, 3, random_state=0)
    assert len(decompose(DEEPER)) == decomposition_size(DEEPER) <= 5


def labelled_list(triplets):
    return [(*sorted((a, b)), c) for a, b, c in triplets]


def test_certain__samples_are_even():
    count = dict.fromkeys(labelled(all_triplets(DEEPER)), 0)
    rng = np.random.default_rng(0)
    for _ in range(1000):
        for t in labelled(sample_triplets(DEEPER, 2, random_state=rng)):
            count[t] += 1
    assert sum(count.values()) == 2000
    assert all(abs(k - 400) < 4 * np.sqrt(1000 * 0.4 * 0.6) for k in count.values())


def test_certain__a_budget_is_a_part_of_the_decomposition():
    rng = np.random.default_rng(3)
    graph = random_graph(rng, 60, several=0.1)
    o = Ontology(sorted(graph), [(x, p) for x in graph for p in graph[x]])
    whole = decompose(o)
    assert len(whole) > 30
    part = decompose(o, max_triplets=20)
    assert len(part) == 20
    assert labelled(part) < labelled(whole)
    assert part == decompose(o, max_triplets=20)
    assert part != decompose(o, max_triplets=20, random_state=1)
    assert decompose(o, max_triplets=10**9) == whole
    assert len(decompose(o, max_triplets=0)) == 0


def test_certain__what_is_wrong_is_refused():
    with pytest.raises(UnknownLeafError) as caught:
        induce(DEEPER, [("v", "w", "q"), ("a", "v", "w")])
    assert caught.value.labels == ["q", "a"]
    with pytest.raises(InvalidTripletError, match="its three leaves must differ"):
        induce(DEEPER, [("v", "v", "w")])
    with pytest.raises(InvalidTripletError, match=r"leaf indices must lie in 0\.\.4"):
        induce(DEEPER, np.array([[0, 1, 5]]))
    with pytest.raises(UnknownLeafError):
        displays(DEEPER, TripletSet.from_labels([("v", "w", "q")]))
    with pytest.raises(ValueError, match="size is 6; 5 triplets are certain"):
        sample_triplets(DEEPER, 6)
    with pytest.raises(ValueError, match="size is -1"):
        sample_triplets(DEEPER, -1)
    with pytest.raises(LimitExceededError, match="5 triplets are certain, more than the limit of 4") as caught:
        all_triplets(DEEPER, limit=4)
    assert (caught.value.size, caught.value.limit) == (5, 4)
    assert len(all_triplets(DEEPER, limit=None)) == 5
    for door in (decompose, decomposition_size):
        with pytest.raises(ValueError, match="for an Ontology only 'identify' is possible"):
            door(DEEPER, guarantee="rebuild")
    with pytest.raises(ValueError, match="max_triplets is -1"):
        decompose(DEEPER, max_triplets=-1)


def test_certain__where_one_tree_is_wanted_an_ontology_is_told_how():
    with pytest.raises(TypeError, match=r"got an Ontology \(<Ontology: 7 terms.*to_hierarchy\(parent='deepest'\)"):
        check_hierarchy(PAIR)


def test_certain__limits_are_told(monkeypatch):
    monkeypatch.setattr("tripletree.algorithms.decompose.DEFAULT_LIMIT", 1)
    with pytest.raises(LimitExceededError, match="or more to imply all that are certain, more than the limit of 1"):
        decompose(DEEPER)
    monkeypatch.setattr("tripletree.algorithms.induce._MOST_RANKS", 2)
    with pytest.raises(LimitExceededError, match="5 triplets are certain, too many to be numbered"):
        sample_triplets(DEEPER, 1)
    monkeypatch.setattr(_dominance, "_MOST", 0)
    fresh = Ontology(DEEPER.terms, DEEPER.edges)
    with pytest.raises(LimitExceededError, match="too entangled"):
        count_triplets(fresh)
    with pytest.raises(LimitExceededError, match=r"to_hierarchy\(parent='deepest'\)"):
        fresh.to_hierarchy(parent="smallest")
    assert fresh.to_hierarchy(parent="deepest").n_leaves == 5


# ---------------------------------------------------------------------- shapes that break careless code


def test_certain__a_ladder_whose_lowest_leaf_has_a_far_parent():
    # that leaf is below every step, and may hang from the top: nothing is certain of it, and all of the others
    n = 60
    steps = [(i + 1, i) for i in range(n)] + [(n + 1 + i, i) for i in range(n)]
    o = Ontology(range(2 * n + 1), [*steps, (n, 0)])
    others = Ontology(range(2 * n + 1), steps).restrict(range(n + 1, 2 * n + 1)).to_hierarchy()
    assert count_triplets(o) == n * (n - 1) * (n - 2) // 6
    assert displays(others, all_triplets(o)).all()


def test_certain__large_entangled_graphs_agree_with_searches():
    rng = np.random.default_rng(5)
    graph = random_graph(rng, 2000, several=0.05, near=400)
    o = Ontology(sorted(graph), [(x, p) for x in graph for p in sorted(graph[x])])
    leaves = np.array(leaf_terms(graph))
    counts = o.dominance.leaf_counts(o._numbered.number[np.array([7, 70, 700])])
    held = set(leaves.tolist())
    assert counts.tolist() == [len(descendants_definition(graph, x) & held) for x in (7, 70, 700)]
    t = sample_triplets(o, min(3000, count_triplets(o)), random_state=0)
    assert displays(o, t).all()
    assert is_consistent(t)
    for way in ("first", "deepest", "smallest"):
        assert displays(o.to_hierarchy(parent=way), t).all()


# ---------------------------------------------------------------------- Gene Ontology


def gene_ontology():
    places = ["/usr/lib/R/site-library/GO.db/extdata/GO.sqlite"]
    if "TRIPLETREE_DATA" in os.environ:
        places.append(os.path.join(os.environ["TRIPLETREE_DATA"], "GO.sqlite"))
    path = next((p for p in places if Path(p).is_file()), None)
    if path is None:
        pytest.skip("no GO.sqlite: install Debian's r-bioc-go.db, or put the file in the folder TRIPLETREE_DATA names")
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


@pytest.fixture(scope="module")
def go_tables():
    with closing(gene_ontology()) as db:
        ask = (
            "select a.go_id, b.go_id, relationship_type from go_{}_parents p "
            "join go_term a on a._id = p._id join go_term b on b._id = p._parent_id"
        )
        return {part: db.execute(ask.format(part)).fetchall() for part in ("bp", "mf", "cc")}


#: part, relations, terms, leaves, share certain, shares in one tree (of the release of 2022)
GO = [
    ("bp", ["isa"], 28141, 14840, 0.208, (0.44, 0.49)),
    ("bp", ["isa", "part of"], 28141, 13365, 0.183, (0.43, 0.52)),
    ("mf", ["isa"], 11239, 9205, 0.648, (0.69, 0.74)),
    ("cc", ["isa"], 4181, 3227, 0.763, (0.77, 0.81)),
]


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("part", "relations", "terms", "leaves", "share", "tree"), GO)
def test_certain__gene_ontology(go_tables, part, relations, terms, leaves, share, tree):
    rows = go_tables[part]
    at = {}
    edges = [(at.setdefault(a, len(at)), at.setdefault(b, len(at))) for a, b, _ in rows]
    o = Ontology(at, edges, relations=[kind for *_, kind in rows]).select(relations=relations)
    n = len(o.leaves)
    if (o.n_terms, n) != (terms, leaves):
        pytest.skip(f"another release of Gene Ontology: {o!r}")
    assert count_triplets(o) / (n * (n - 1) * (n - 2) / 6) == pytest.approx(share, abs=0.005)
    found = o.resolution()
    total = n * (n - 1) * (n - 2) // 6
    assert found.pop("certain") == count_triplets(o) / total
    assert all(tree[0] < x < tree[1] for x in found.values())
    assert found["first"] == count_triplets(o.to_hierarchy(parent="first")) / total
    t = sample_triplets(o, 20_000, random_state=0)
    h = one_tree(t)
    assert displays(h, t).all()
    assert displays(o.to_hierarchy(parent="smallest"), t).all()
    # far from the square of the terms: Gene Ontology's processes take less than a megabyte
    assert len(o.dominance.reach) < 4 * o.n_terms  # entries of twelve bytes


@pytest.mark.shared
@pytest.mark.slow
def test_certain__gene_ontology_decomposes(go_tables):
    rows = [row for row in go_tables["cc"] if row[2] == "isa"]
    at = {}
    edges = [(at.setdefault(a, len(at)), at.setdefault(b, len(at))) for a, b, _ in rows]
    o = Ontology(at, edges)
    t = decompose(o)
    assert displays(o, t).all()
    # the tree of the set displays every certain triplet
    assert displays(one_tree(t), sample_triplets(o, 20_000, random_state=1)).all()
