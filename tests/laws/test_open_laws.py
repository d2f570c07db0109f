"""Open nodes: a triplet is certain exactly if every tree displays it in which the open nodes hang somewhere.

The oracle makes all these trees: each open node, with what is below it, is taken out and put at each inner node at or
below its parent, and on each branch there.
"""

import itertools
import pickle

import numpy as np
import pytest
from examples import small_world
from hypothesis import given
from hypothesis import strategies as st
from strategies import nested

import tripletree as tt
from tripletree import Hierarchy, Ontology
from tripletree.algorithms import all_triplets, decomposition_size
from tripletree.errors import InvalidHierarchyError

# ---------------------------------------------------------------------- oracles: trees as {node: parent}


def children(up):
    below = {}
    for x, p in up.items():
        below.setdefault(p, []).append(x)
    return below


def at_or_below(up, node):
    kids, found = children(up), [node]
    for x in found:
        found += kids.get(x, [])
    return found


def readings(h):
    """All trees that a hierarchy with open nodes stands for, as {node: parent}."""
    up = {u: int(p) for u, p in enumerate(h.parent.tolist()) if p >= 0}
    opened = [] if h.incertae_sedis is None else np.flatnonzero(h.incertae_sedis).tolist()
    trees = [up]
    for x in opened:
        trees = [tree for known in trees for tree in placements(known, x, int(h.parent[x]), h.n_leaves)]
    return trees


def placements(up, x, v, n):
    moved = set(at_or_below(up, x))
    for y in at_or_below(up, v):
        if y in moved:
            continue
        if y >= n:  # a child of an inner node
            yield {**up, x: y}
        if y != v:  # on the branch above
            fresh = max(*up, *up.values()) + 1
            yield {**up, x: fresh, y: fresh, fresh: up[y]}


def displayed(up, leaves):
    clades = [set(at_or_below(up, p)) for p in set(up.values())]
    return {
        (min(a, b), max(a, b), c)
        for a, b, c in itertools.permutations(leaves, 3)
        if any(a in x and b in x and c not in x for x in clades)
    }


def certain(h):
    return set.intersection(*(displayed(up, range(h.n_leaves)) for up in readings(h)))


def triplets_of(found):
    return {(min(a, b), max(a, b), c) for a, b, c in found.rows.tolist()}


@st.composite
def open_trees(draw, max_leaves=7):
    tree = draw(nested(min_leaves=3, max_leaves=max_leaves))
    h = Hierarchy.from_nested(tree)
    opened = draw(st.lists(st.integers(0, h.n_nodes - 2), max_size=3, unique=True))
    return Hierarchy(h.parent, incertae_sedis=opened)


# ---------------------------------------------------------------------- hierarchies


def check(h):
    expected = certain(h)
    n = h.n_leaves
    assert triplets_of(all_triplets(h)) == expected
    assert tt.count_triplets(h) == len(expected)
    triples = np.array(list(itertools.combinations(range(n), 3)), np.int32).reshape(-1, 3)
    assert triplets_of(tt.induce(h, triples)) == expected
    every = tt.TripletSet([t for a, b, c in triples.tolist() for t in ((a, b, c), (a, c, b), (b, c, a))], n)
    shown = tt.displays(h, every)
    assert {(min(a, b), max(a, b), c) for a, b, c in every.rows[shown].tolist()} == expected
    smallest = tt.decompose(h)
    assert len(smallest) == decomposition_size(h)
    assert (triplets_of(tt.closure(smallest)) if len(smallest) else set()) == expected
    drawn = tt.decompose(h, random_state=0)
    assert (triplets_of(tt.closure(drawn)) if len(drawn) else set()) == expected
    size = len(expected) // 2
    assert triplets_of(tt.sample_triplets(h, size, random_state=0)) <= expected
    return expected


@given(open_trees())
def test_open__certain_triplets_are_those_of_all_readings(h):
    check(h)


@pytest.mark.parametrize(("n", "most"), [(3, 2), (4, 2), pytest.param(5, 1, marks=pytest.mark.slow)])
def test_open__small_worlds_in_full(n, most):
    for h in map(Hierarchy.from_nested, small_world(n)):
        for k in range(1, most + 1):
            for opened in itertools.combinations(range(h.n_nodes - 1), k):
                check(Hierarchy(h.parent, incertae_sedis=opened))


@given(open_trees(), st.data())
def test_open__restriction_keeps_what_is_certain(h, data):
    kept = data.draw(st.lists(st.integers(0, h.n_leaves - 1), min_size=1, unique=True))
    expected = {t for t in certain(h) if set(t) <= set(kept)}
    for keep_unary in (False, True):
        small = h.restrict(kept, keep_unary=keep_unary)
        found = {(min(kept[a], kept[b]), max(kept[a], kept[b]), kept[c]) for a, b, c in all_triplets(small).rows}
        assert found == expected


@given(open_trees())
def test_open__equal_exactly_with_the_same_open_nodes(h):
    order = list(range(h.n_leaves))[::-1]
    again = h.reindex(order)
    assert again == h
    assert hash(again) == hash(h)
    assert pickle.loads(pickle.dumps(h)) == h
    if h.incertae_sedis is not None:
        closed = Hierarchy(h.parent, h.leaves)
        assert h != closed
        assert h.suppress_unary().n_leaves == h.n_leaves


@given(open_trees(max_leaves=6), st.data())
def test_open__a_contracted_node_says_only_that_its_children_are_below_the_node_above(h, data):
    inner = list(range(h.n_leaves, h.n_nodes - 1))
    gone = data.draw(st.lists(st.sampled_from(inner), unique=True)) if inner else []
    small = h.contract(gone)
    assert small.n_nodes == h.n_nodes - len(gone)
    up = h.parent.tolist()
    for u in set(range(h.n_nodes - 1)) - set(gone):
        p = up[u]
        opened = p in gone or (h.incertae_sedis is not None and bool(h.incertae_sedis[u]))
        while p in gone:
            p = up[p]
        new = sorted(set(range(h.n_nodes)) - set(gone)).index
        assert small.parent[new(u)] == new(p)
        assert bool(small.incertae_sedis is not None and small.incertae_sedis[new(u)]) == opened


def test_open__a_long_caterpillar_is_listed_by_jumps():
    n = 100_000
    parent = np.empty(2 * n - 1, np.int32)
    parent[:2] = n
    parent[2:n] = np.arange(n + 1, 2 * n - 1)
    parent[n:] = np.append(np.arange(n + 1, 2 * n - 1), -1)
    h = Hierarchy(parent, incertae_sedis=np.arange(0, n, 2))
    drawn = tt.sample_triplets(h, 1_000, random_state=1)
    assert tt.displays(h, drawn).all()
    assert (drawn.rows[:, 2] % 2 == 1).all()  # an open leaf is never apart
    # c is an odd leaf from 3 on, a and b are any two below it
    assert tt.count_triplets(h) == sum(c * (c - 1) // 2 for c in range(3, n, 2))


# ---------------------------------------------------------------------- ontologies


@st.composite
def open_ontologies(draw):
    inner, leaf = draw(st.integers(2, 4)), draw(st.integers(3, 5))
    edges = []
    for t in range(1, inner + leaf):
        above = draw(st.lists(st.integers(0, min(t, inner) - 1), min_size=1, max_size=2, unique=True))
        edges += [(t, p) for p in above]
    childless = set(range(inner)) - {p for _, p in edges}
    edges += [(inner, t) for t in childless]
    opened = draw(st.lists(st.integers(inner, inner + leaf - 1), max_size=2, unique=True))
    return inner, leaf, Ontology(range(inner + leaf), sorted(set(edges)), incertae_sedis=opened), opened


@given(open_ontologies())
def test_open__terms_of_an_ontology_may_be_below_each_term_below_their_own(case):
    inner, leaf, o, opened = case
    parents = {}
    for t, p in o.edges.tolist():
        parents.setdefault(t, set()).add(p)
    kinds = set(range(inner))
    for t in opened:
        parents[t] = {x for p in parents[t] for x in [p, *o.descendants(p)] if x in kinds}
    expected = None
    for chosen in itertools.product(*parents.values()):
        found = displayed(dict(zip(parents, chosen, strict=True)), range(inner, inner + leaf))
        expected = found if expected is None else expected & found
    labels = list(o.leaves)
    found = {(min(labels[a], labels[b]), max(labels[a], labels[b]), labels[c]) for a, b, c in all_triplets(o).rows}
    assert found == expected
    implied = tt.closure(tt.decompose(o)) if expected else tt.TripletSet([], len(labels))
    assert {(min(labels[a], labels[b]), max(labels[a], labels[b]), labels[c]) for a, b, c in implied.rows} == expected
    assert pickle.loads(pickle.dumps(o)) == o


@st.composite
def ontologies_open_inside(draw, most_parents):
    inner, leaf = draw(st.integers(2, 5)), draw(st.integers(3, 4))
    edges = []
    for t in range(1, inner + leaf):
        above = draw(st.lists(st.integers(0, min(t, inner) - 1), min_size=1, max_size=most_parents, unique=True))
        edges += [(t, p) for p in above]
    fresh = inner + leaf  # each inner term has a leaf
    for t in sorted(set(range(inner)) - {p for _, p in edges}):
        edges.append((fresh, t))
        fresh += 1
    opened = draw(st.lists(st.integers(1, fresh - 1), min_size=1, max_size=2, unique=True))
    return inner, Ontology(range(fresh), sorted(set(edges)), incertae_sedis=opened), opened


def certain_of_terms(inner, o, opened):
    """The triplets of all trees in which each open term is at its parents or at an inner term below these."""
    parents = {t: set(o.parents(t)) for t in o.terms if o.parents(t)}
    for t in opened:
        own = {t, *o.descendants(t)}
        parents[t] = {x for p in o.parents(t) for x in [p, *o.descendants(p)] if x < inner and x not in own}
    expected = None
    for chosen in itertools.product(*parents.values()):
        up = dict(zip(parents, chosen, strict=True))
        if all(reaches_the_top(up, t) for t in up):
            found = displayed(up, list(o.leaves))
            expected = found if expected is None else expected & found
    return expected


def reaches_the_top(up, t):
    for _ in up:
        t = up.get(t, t)
    return t not in up


def labelled(found):
    labels = found.leaves
    return {(min(labels[a], labels[b]), max(labels[a], labels[b]), labels[c]) for a, b, c in found.rows.tolist()}


@given(ontologies_open_inside(1))
def test_open__inner_terms_that_have_one_parent_each_say_all_that_is_certain(case):
    _, o, _ = case
    expected = certain_of_terms(*case)
    assert labelled(all_triplets(o)) == expected
    assert tt.count_triplets(o) == len(expected)
    assert o.resolution()["certain"] * len(list(itertools.combinations(o.leaves, 3))) == pytest.approx(len(expected))
    smallest = tt.decompose(o)
    assert len(smallest) == decomposition_size(o)
    assert (labelled(tt.closure(smallest)) if expected else set()) == expected
    rows = [(a, b, c) for a, b, c in itertools.permutations(o.leaves, 3) if a < b]
    assert {row for row, shown in zip(rows, tt.displays(o, rows), strict=True) if shown} == expected
    assert labelled(tt.induce(o, list(itertools.combinations(o.leaves, 3))).triplets) == expected


@given(ontologies_open_inside(2))
def test_open__inner_terms_of_an_entangled_ontology_never_say_too_much(case):
    _, o, _ = case
    expected = certain_of_terms(*case)
    found = labelled(all_triplets(o))
    assert found <= expected
    assert tt.count_triplets(o) == len(found)
    assert (labelled(tt.closure(tt.decompose(o))) if found else set()) == found


@given(ontologies_open_inside(2), st.data())
def test_open__a_contracted_term_says_only_that_its_children_are_below_the_terms_above(case, data):
    inner, o, opened = case
    gone = data.draw(st.lists(st.integers(1, inner - 1), unique=True))
    small = o.contract(gone)
    assert set(small.terms) == set(o.terms) - set(gone)

    def above(t):
        return {y for p in o.parents(t) for y in (above(p) if p in gone else [p])}

    for t in small.terms:
        assert set(small.parents(t)) == above(t)
        is_open = small.incertae_sedis is not None and bool(small.incertae_sedis[small.terms.index(t)])
        assert is_open == (t in opened or not set(gone).isdisjoint(o.parents(t)))
    assert labelled(all_triplets(small)) <= labelled(all_triplets(o))


def test_open__an_ontology_and_its_tree_contract_alike():
    text = "((((a,b)g,c)unclassified,(d,e)h)i,f)j;"
    h = tt.parse_newick(text, placeholders=False)
    terms = [*h.leaves, *h.names]
    o = Ontology(terms, [(u, int(p)) for u, p in enumerate(h.parent[:-1])])
    assert o.contract(["unclassified"]).to_hierarchy() == h.contract(["unclassified"])
    assert labelled(all_triplets(o.contract(["unclassified"]))) == {
        *(("a", "b", x) for x in "def"),
        *(("d", "e", "f"), ("a", "c", "f"), ("b", "c", "f"), ("a", "d", "f"), ("a", "e", "f"), ("b", "d", "f")),
        *(("b", "e", "f"), ("c", "d", "f"), ("c", "e", "f")),
    }


@pytest.mark.parametrize("parents", [1, 2])
def test_open_terms_without_parents_may_be_anywhere(parents, rng):
    """As if one more term stood above all."""
    for _ in range(60):
        n = int(rng.integers(4, 10))
        edges = {(u, int(p)) for u in range(3, n) for p in rng.integers(0, u, int(rng.integers(1, parents + 1)))}
        opened = rng.random(n) < 0.3
        opened[: int(rng.integers(1, 4))] = True
        o = Ontology(range(n), sorted(edges), incertae_sedis=opened)
        below = Ontology(range(n + 1), [*sorted(edges), (0, n), (1, n), (2, n)], incertae_sedis=[*opened, False])
        assert set(all_triplets(o)) == set(all_triplets(below))
        kept = list(o.leaves)[1:] or list(o.leaves)
        both = {x for x in all_triplets(below) if set(x) <= set(kept)}
        assert {frozenset((frozenset(x[:2]), x[2])) for x in all_triplets(o.restrict(kept))} == {
            frozenset((frozenset(x[:2]), x[2])) for x in both
        }


def test_open__bad_terms_to_contract():
    o = Ontology(["r", "x", "a", "b"], [(1, 0), (2, 1), (3, 0)])
    with pytest.raises(InvalidHierarchyError, match="'a' is a leaf term; restrict leaves it out"):
        o.contract(["a"])
    with pytest.raises(InvalidHierarchyError, match="'r' is a root, which stays"):
        o.contract(np.array([True, False, False, False]))
    with pytest.raises(tt.errors.UnknownLeafError, match="terms"):
        o.contract(["w"])
    with pytest.raises(TypeError, match=r"contract\(\['x'\]\)"):
        o.contract("x")
    with pytest.raises(InvalidHierarchyError, match="'r' cannot be open"):
        Ontology(["r", "x"], [(1, 0)], incertae_sedis=[0])


def test_open__the_id_of_a_contracted_term_is_another_name_of_the_term_above():
    o = Ontology(["r", "u", "a", "b"], [(1, 0), (2, 1), (3, 0)], synonyms={"old": "u"}).contract(["u"])
    assert dict(o.synonyms) == {"old": "r", "u": "r"}
    with pytest.warns(UserWarning, match="'u' for 'r'"):
        assert o.attach({"s": "u"}).open_leaves == ["a", "s"]


def test_open__an_ontology_and_its_tree_say_the_same():
    o = Ontology(["thing", "plant", "oak", "robur", "alba", "pine"], [(1, 0), (2, 1), (3, 2), (4, 2), (5, 1)])
    items = {"a": "robur", "b": "robur", "c": "alba", "d": "oak", "e": "pine"}
    samples = o.attach(items).restrict(items)
    assert samples.incertae_sedis is not None
    assert samples.to_hierarchy().open_leaves == ["d"]
    assert triplets_of(all_triplets(samples)) == triplets_of(all_triplets(samples.to_hierarchy().suppress_unary()))
    exact = o.attach(items, exact=True).restrict(items)
    assert exact.incertae_sedis is None
    assert tt.count_triplets(exact) > tt.count_triplets(samples)


# ---------------------------------------------------------------------- unrooted trees, other names, errors


def test_open__unrooted_trees_display_nothing_until_they_are_rooted():
    h = Hierarchy.from_nested([["a", "b"], "c"])
    bare = Hierarchy(h.parent, h.leaves, rooted=False)
    assert bare != h
    assert not bare.restrict(["a", "b", "c"]).rooted
    for call in (tt.decompose, tt.count_triplets, all_triplets, lambda x: tt.induce(x, [("a", "b", "c")])):
        with pytest.raises(InvalidHierarchyError, match=r"unrooted.*h\.reroot\("):
            call(bare)


def test_open__other_names_lead_to_the_same_node():
    h = tt.parse_newick("((leo,tigris)Panthera,(catus)Felis)Felidae;")
    h = Hierarchy(h.parent, h.leaves, names=h.names, synonyms={"F. leo": "leo", "Uncia": "Panthera"})
    with pytest.warns(UserWarning, match="'F. leo' for 'leo'"):
        assert list(h.restrict(["F. leo", "catus"]).leaves) == ["F. leo", "catus"]
    with pytest.warns(UserWarning, match="2 names are other names"):
        g = h.attach({"x": "F. leo", "y": "Uncia", "z": "catus"})
    assert g.open_leaves == ["y"]
    with pytest.raises(tt.errors.DuplicateLeafError, match="by two of its names"):
        h.restrict(["F. leo", "leo"])
    with pytest.raises(tt.errors.UnknownLeafError, match="nodes that synonyms mean"):
        Hierarchy(h.parent, h.leaves, synonyms={"x": "nobody"})


@pytest.mark.parametrize(
    ("opened", "words"),
    [
        ([4], "has the root"),
        ([7], "the nodes are 0..4"),
        ([True, False], "one entry for each of the 5 nodes"),
        ([0.5], "a mask of 5 bool or a list of node numbers"),
    ],
)
def test_open__bad_masks(opened, words):
    with pytest.raises(InvalidHierarchyError, match=words):
        Hierarchy([3, 3, 4, 4, -1], incertae_sedis=opened)


def test_open__bad_nodes_to_contract():
    h = tt.parse_newick("((a,b)x,(c,d)y)z;")
    with pytest.raises(InvalidHierarchyError, match="node 0 is a leaf"):
        h.contract([0])
    with pytest.raises(InvalidHierarchyError, match="is the root, which stays"):
        h.contract(["z"])
    with pytest.raises(tt.errors.UnknownLeafError, match="inner nodes"):
        h.contract(["w"])
    with pytest.raises(TypeError, match=r"contract\(\['x'\]\)"):
        h.contract("x")
    with pytest.raises(ValueError, match="only 'identify' is possible"):
        tt.decompose(Hierarchy(h.parent, h.leaves, incertae_sedis=[0, 4]), guarantee="rebuild")
