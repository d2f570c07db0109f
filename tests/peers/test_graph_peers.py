"""networkx and scipy where they answer the same question: ancestors, components, distances, counts."""

import networkx as nx
import numpy as np
import pytest
from examples import contracted, uniform_binary, yule, zoo
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tripletree.algorithms.build import one_tree
from tripletree.algorithms.induce import induce, sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

ZOO = [pytest.param(h, id=name) for name, h in zoo()]


def digraph(h):
    """Edges from parents to children."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(h.n_nodes))
    graph.add_edges_from((int(p), u) for u, p in enumerate(h.parent[:-1]))
    return graph


@pytest.mark.parametrize("h", ZOO)
def test_networkx__a_hierarchy_is_an_arborescence_with_the_same_depths(h):
    graph = digraph(h)
    assert nx.is_arborescence(graph)
    depth = nx.single_source_shortest_path_length(graph, h.root)
    assert h.depth.tolist() == [depth[u] for u in range(h.n_nodes)]
    assert {u for u in graph if graph.out_degree(u) == 0} == set(range(h.n_leaves))


@pytest.mark.parametrize("h", ZOO)
def test_networkx__lowest_common_ancestors(h, rng):
    pairs = [tuple(rng.integers(0, h.n_leaves, 2).tolist()) for _ in range(60)]
    theirs = dict(nx.tree_all_pairs_lowest_common_ancestor(digraph(h), h.root, pairs))
    for a, b in pairs:
        wanted = theirs[(a, b)] if (a, b) in theirs else theirs[(b, a)]
        assert h.common_ancestor([h.leaves[a], h.leaves[b]]) == wanted


def test_networkx__the_odd_one_out_has_the_highest_ancestors(rng):
    h = contracted(yule(80, rng), 0.4, rng)
    trios = np.array([rng.permutation(80)[:3] for _ in range(200)])
    pairs = {tuple(trio[[i, j]].tolist()) for trio in trios for i, j in ((0, 1), (0, 2), (1, 2))}
    lca = dict(nx.tree_all_pairs_lowest_common_ancestor(digraph(h), h.root, pairs))
    lca |= {(b, a): u for (a, b), u in lca.items()}
    found = induce(h, trios)
    for (x, y, z), odd in zip(trios.tolist(), found.odd.tolist(), strict=True):
        depth = [h.depth[lca[(y, z)]], h.depth[lca[(x, z)]], h.depth[lca[(x, y)]]]
        assert odd == (int(np.argmax(depth)) if len(set(depth)) > 1 else -1)


def test_networkx__path_lengths_between_leaves(rng):
    shape = uniform_binary(40, rng)
    h = Hierarchy(shape.parent, length=rng.integers(1, 9, shape.n_nodes))
    graph = nx.Graph()
    graph.add_weighted_edges_from((u, int(h.parent[u]), h.length[u]) for u in range(h.n_nodes - 1))
    for a, b in rng.integers(0, 40, (50, 2)).tolist():
        up = 2 * h.height[h.common_ancestor([a, b])] - h.height[a] - h.height[b]
        assert up == nx.shortest_path_length(graph, a, b, weight="weight")


def test_scipy__components_at_the_root_of_one_tree(rng):
    for _ in range(30):
        n = 60
        t = sample_triplets(contracted(yule(n, rng), 0.5, rng), 40, random_state=rng)
        a, b, _ = t.rows.T
        k, label = connected_components(coo_array((np.ones(len(t)), (a, b)), shape=(n, n)), directed=False)
        h = one_tree(TripletSet(t.rows, n))
        assert {frozenset(h.clade(u)) for u in h.children(h.root).tolist()} == {
            frozenset(np.flatnonzero(label == part).tolist()) for part in range(k)
        }
