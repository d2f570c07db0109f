"""Trees of other libraries, and fitted estimators, wherever a hierarchy is taken."""

import io
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from refusals import Refusal, refusals

import tripletree as tt
from tripletree.algorithms import clade_support, consensus_tree
from tripletree.cluster import DivisiveReCon, ReCon
from tripletree.core.hierarchy import peer_converter
from tripletree.interop import to_children, to_dot, to_edge_table, to_networkx, to_tree
from tripletree.io import read_hierarchies, write_json, write_lineages, write_newick_all, write_nexus
from tripletree.metrics import taxonomy_linkage

TREE = tt.parse_newick(
    "((((owl,kite)birds:2,crow)flyers,(newt,(frog,toad)anurans)amphibians)animals,(oak,elm)trees)life;"
)
X = pd.DataFrame(np.random.default_rng(5).normal(size=(8, 2)), index=list(TREE.leaves))
ASKED = [("owl", "kite", "newt"), ("frog", "toad", "oak"), ("newt", "elm", "oak")]
OTHER = tt.parse_newick("((owl,crow),((newt,toad),(oak,frog)),(kite,elm));")

DOORS = {
    "read_hierarchy": tt.read_hierarchy,
    "read_hierarchy, root": lambda h: tt.read_hierarchy(h, root="animals"),
    "decompose": lambda h: tt.one_tree(tt.decompose(h)),
    "displays": lambda h: tt.displays(h, ASKED).tolist(),
    "induce": lambda h: set(tt.induce(h, ASKED).triplets),
    "count_triplets": tt.count_triplets,
    "supertree": lambda h: tt.supertree([h, TREE.restrict(["owl", "frog", "elm"])]).hierarchy,
    "consensus_tree": lambda h: consensus_tree([h, OTHER, h]).hierarchy,
    "clade_support": lambda h: clade_support(h, [OTHER, h]).sum(),
    "robinson_foulds": lambda h: tt.robinson_foulds(h, OTHER),
    "triplet_distance": lambda h: tt.triplet_distance(OTHER, h),
    "triplet_score": lambda h: tt.triplet_score(h, tt.TripletSet.from_labels(ASKED)),
    "dendrogram_purity": lambda h: tt.dendrogram_purity(h, dict(zip(TREE.leaves, "aabbccdd", strict=True))),
    "match_names": lambda h: tt.match_names(["Frog", "oak"], h).matches,
    "taxonomy_linkage": lambda h: tt.robinson_foulds(taxonomy_linkage(X, h), OTHER),
    "ReCon": lambda h: ReCon(n_clusters=2).fit(X, hierarchy=h).labels_.tolist(),
    "DivisiveReCon": lambda h: (
        DivisiveReCon(n_clusters=2, effort=0, random_state=0).fit(X, hierarchy=h).labels_.tolist()
    ),
    "evaluate_knowledge": lambda h: tt.evaluate_knowledge(X, hierarchy=h, estimator=ReCon(n_clusters=2)).kind,
    "write_newick": lambda h: tt.parse_newick(tt.write_newick(h)),
    "write_newick_all": lambda h: read_hierarchies(io.StringIO(write_newick_all([h])))[0][1],
    "write_nexus": lambda h: tt.read_hierarchy(io.StringIO(write_nexus(h))),
    "write_json": lambda h: tt.read_hierarchy(io.StringIO(write_json(h))),
    "write_lineages": lambda h: sorted(write_lineages(h).splitlines()),
    "to_networkx": lambda h: tt.read_hierarchy(to_networkx(h)),
    "to_edge_table": lambda h: len(to_edge_table(h)),
    "to_dot": lambda h: tt.read_hierarchy(io.StringIO(to_dot(h))),
    "to_tree": lambda h: tt.read_hierarchy(to_tree(h, "skbio")),
    "plot_dendrogram": lambda h: len(tt.plot_dendrogram(h).texts),
}


def peer_tree(name):
    if name == "networkx":
        return to_networkx(TREE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ete3 warns about its own syntax
        pytest.importorskip({"biopython": "Bio"}.get(name, name))
        return to_tree(TREE, name)


def same(one, two):
    return (
        tt.robinson_foulds(one, two) == 0 and set(one.names or ()) == set(two.names or ())
        if isinstance(one, tt.Hierarchy)
        else one == two
    )


@pytest.mark.parametrize("library", ["ete3", "ete4", "dendropy", "skbio", "biopython", "networkx"])
def test_trees_as_they_are__each_door_gives_what_it_gives_for_the_hierarchy(library):
    tree = peer_tree(library)
    assert peer_converter(tree) is not None
    wrong = [name for name, door in DOORS.items() if not same(door(tree), door(TREE))]
    assert wrong == []


def test_trees_as_they_are__clusters_of_a_tree_that_is_cut():
    tree = peer_tree("networkx")
    assert tt.cut(tree, 3).tolist() == tt.cut(TREE, 3).tolist()


def test_trees_as_they_are__a_fitted_estimator_stands_for_its_hierarchy():
    model = ReCon(n_clusters=2).fit(X, hierarchy=TREE)
    own = model.hierarchy_
    assert tt.read_hierarchy(model) is own
    assert tt.robinson_foulds(model, own) == 0
    assert tt.decompose(model) == tt.decompose(own)
    assert tt.write_newick(model) == tt.write_newick(own)
    assert [x.tolist() for x in to_children(model)] == [x.tolist() for x in to_children(own)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = to_tree(model)
    assert sys.modules["ete3"].TreeNode is type(made)
    assert set(made.get_leaf_names()) == set(X.index)


def test_trees_as_they_are__a_graph_without_direction_has_no_root():
    import networkx as nx

    with pytest.raises(TypeError, match=r"expected a networkx.DiGraph, not Graph.*bfs_tree"):
        tt.displays(nx.Graph([("a", "b"), ("a", "c")]), ASKED)


def test_trees_as_they_are__a_source_is_numbered_in_errors():
    with pytest.raises(TypeError, match="source 1: expected a networkx.DiGraph"):
        tt.supertree([TREE, peer_tree("networkx").to_undirected()])


def test_trees_as_they_are__a_format_is_for_files():
    with pytest.raises(TypeError, match="format='newick' is for files, and this is a DiGraph: leave it out"):
        tt.read_hierarchy(peer_tree("networkx"), format="newick")


def test_trees_as_they_are__options_are_those_of_the_conversion():
    tree = peer_tree("networkx").reverse()
    assert tt.read_hierarchy(tree, direction="up").names == TREE.names
    with pytest.raises(
        tt.errors.UnknownOptionError, match="labels: no option of format 'DiGraph', which takes direction"
    ):
        tt.read_hierarchy(tree, labels="id")


def test_trees_as_they_are__unrooted_trees_are_refused():
    dendropy = pytest.importorskip("dendropy")
    tree = dendropy.Tree.get(data="[&U] ((owl,kite),crow,newt);", schema="newick")
    with pytest.raises(tt.TripletreeError, match="this tree is unrooted"):
        tt.decompose(tree)
    assert tt.decompose(tt.read_hierarchy(tree, outgroup="newt"))


test_trees_as_they_are__refused = refusals(
    "an estimator that is not fitted",
    Refusal(lambda: tt.decompose(ReCon()), TypeError, r"expected a Hierarchy, got ReCon.*fit it first"),
    "one tree is no list of sources",
    Refusal(lambda: tt.supertree(peer_tree("ete3")), TypeError, "expected an iterable of hierarchies"),
)
