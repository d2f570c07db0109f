"""match_clades against its definition, and the names that clusterers hand on."""

import io
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tripletree as tt
from tripletree.algorithms import match_clades
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.errors import UnknownLeafError


def random_tree(rng, labels, names=None):
    """A tree made by merging two or three at a time."""
    parts = [[x] for x in labels]
    parts = [(x[0], frozenset(x)) for x in parts]
    clades = []
    while len(parts) > 1:
        k = min(len(parts), rng.choice([2, 2, 3]))
        rng.shuffle(parts)
        nested = [x for x, _ in parts[:k]]
        clade = frozenset().union(*(c for _, c in parts[:k]))
        clades.append(clade)
        parts = [(nested, clade), *parts[k:]]
    tree = tt.Hierarchy.from_nested(parts[0][0])
    if names is None:
        return tree
    given = [f"{names}{i}" if rng.random() < 0.8 else None for i in range(tree.n_nodes - tree.n_leaves)]
    return tt.Hierarchy(tree.parent, tree.leaves, names=given)


def best_by_definition(clade, tree, common):
    """The largest Jaccard index with a clade of the tree, among the common leaves."""
    return max(
        len(clade & other) / len(clade | other)
        for other in (frozenset(tree.clade(u)) & common for u in range(tree.n_nodes))
    )


@given(st.randoms(use_true_random=False), st.integers(2, 9), st.integers(2, 9))
def test_law__the_best_of_all_clades(rng, n, m):
    labels = "abcdefghijkl"
    reference, tree = random_tree(rng, labels[:n], "t"), random_tree(rng, labels[1 : m + 1])
    common = frozenset(reference.leaves) & frozenset(tree.leaves)
    found = match_clades(reference, tree)
    expected = {}
    for u in range(reference.n_leaves, reference.n_nodes):
        clade = frozenset(reference.clade(u)) & common
        if reference.label(u) is not None and len(clade) > 1:
            expected[reference.label(u)] = best_by_definition(clade, tree, common)
    assert dict(zip(found.names, found.jaccard.tolist(), strict=True)) == pytest.approx(expected)
    for name, node, index in zip(found.names, found.nodes.tolist(), found.jaccard.tolist(), strict=True):
        (u,) = (u for u in range(reference.n_leaves, reference.n_nodes) if reference.label(u) == name)
        clade, other = frozenset(reference.clade(u)) & common, frozenset(tree.clade(node)) & common
        assert len(clade & other) / len(clade | other) == pytest.approx(index)
    assert found.tree == tree


EVERYTHING = "bear cat dog fox lion unknown"


def named(tree):
    """The names of clades, by their leaves."""
    inner = range(tree.n_leaves, tree.n_nodes)
    return {" ".join(sorted(tree.clade(u))): tree.label(u) for u in inner if tree.label(u) is not None}


def test_clades__names_of_the_tree():
    taxonomy = tt.parse_newick("(((cat,lion)Felinae)Felidae,((dog,fox),bear)Canoidea)Carnivora;")
    tree = tt.Hierarchy.from_nested([["cat", "lion"], [["dog", "bear"], ["fox", "unknown"]]])
    found = match_clades(taxonomy, tree)
    assert named(found.tree) == {"cat lion": "Felinae", "bear dog fox unknown": "Canoidea", EVERYTHING: "Carnivora"}
    assert found.names == ("Carnivora", "Canoidea", "Felidae", "Felinae")
    assert str(found) == "4 named clades: 4 whole, 0 more than half"
    tree = tt.Hierarchy.from_nested([["cat", ["lion", "fox"]], ["dog", "bear"]])
    expected = {"bear dog": "Canoidea ~0.67", "cat fox lion": "Felinae ~0.67", "bear cat dog fox lion": "Carnivora"}
    assert named(match_clades(taxonomy, tree).tree) == expected
    assert tree.names is None


def test_clades__bad_input():
    h = tt.parse_newick("((a,b)x,c);")
    with pytest.raises(UnknownLeafError):
        match_clades(h, tt.parse_newick("((d,e),f);"))
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        match_clades("((a,b),c);", h)


@pytest.mark.parametrize("method", [ReCon, DivisiveReCon])
def test_fit__a_hierarchy_hands_its_names_on(method):
    pd = pytest.importorskip("pandas")
    taxonomy = tt.parse_newick("((((cat,lion)Felidae,(dog,fox)Canidae)Carnivora,(cow,pig)Ungulata),eel);")
    table = pd.DataFrame({"kg": [4.0, 190, 30, 600, 100, 5]}, index=["cat", "lion", "dog", "cow", "pig", "rat"])
    model = method(n_clusters=2).fit(table, hierarchy=taxonomy)
    assert set(model.hierarchy_.leaves) == set(table.index)
    assert tt.displays(model.hierarchy_, tt.decompose(taxonomy.restrict([x for x in table.index if x != "rat"]))).all()
    index = dict(zip(model.clade_names_.names, model.clade_names_.jaccard.tolist(), strict=True))
    assert index == {"Carnivora": 1.0, "Felidae": 1.0, "Ungulata": 1.0}
    assert {"Felidae", "Carnivora", "Ungulata"} <= set(filter(None, model.hierarchy_.names))
    assert "Felidae" in tt.write_newick(model.hierarchy_)
    assert method(n_clusters=2).fit(table).clade_names_ is None
    with pytest.raises(ValueError, match="2 leaves among the 6 samples"):
        method(n_clusters=2).fit(table, hierarchy=taxonomy.restrict(["cat", "lion", "eel"]))
    with pytest.raises(tt.errors.DuplicateLeafError, match="in the index of X, to which the hierarchy refers: 'cat'"):
        method(n_clusters=2).fit(table.set_axis(["cat", "cat", "dog", "cow", "pig", "rat"]), hierarchy=taxonomy)
    ontology = tt.read_ontology(io.StringIO("child,parent\ncat,x\ncat,y\ndog,x\ncow,y\nx,r\ny,r\n"))
    with pytest.raises(TypeError, match="got an Ontology"):
        method(n_clusters=2).fit(table, hierarchy=ontology)


def test_fit__a_hierarchy_is_what_decompose_makes_of_it():
    rng = np.random.default_rng(0)
    taxonomy = tt.Hierarchy.from_nested([[0, [1, 2]], [[3, 4], [5, [6, 7]]]])
    X = rng.normal(size=(8, 2))
    by_hand = ReCon(2).fit(X, triplets=tt.decompose(taxonomy))
    assert ReCon(2).fit(X, hierarchy=taxonomy).hierarchy_ == by_hand.hierarchy_
    known = list(itertools.islice(tt.decompose(taxonomy), 1))
    both = ReCon(2).fit(X, hierarchy=taxonomy, triplets=known)
    assert both.n_triplets_ == len(tt.decompose(taxonomy))
