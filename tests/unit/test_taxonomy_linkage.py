import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA

from tripletree.algorithms.induce import all_triplets, displays
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import DuplicateLeafError, UnknownLeafError
from tripletree.metrics import taxonomy_linkage

TAXONOMY = Hierarchy.from_nested([[[0, 1], [2, 3]], [[4, 5], [6, 7, 8]]])


@pytest.mark.parametrize("method", ["average", "weighted", "complete", "single"])
def test_taxonomy__the_weight_goes_from_plain_linkage_to_the_taxonomy(method, rng):
    X = rng.normal(size=(9, 2))
    plain = from_linkage(linkage(pdist(X) / pdist(X).mean(), method))
    assert taxonomy_linkage(X, TAXONOMY, weight=0, linkage=method) == plain
    heavy = taxonomy_linkage(X, TAXONOMY, weight=1e3, linkage=method)
    assert displays(heavy, all_triplets(TAXONOMY)).all()


def test_taxonomy__distances_are_those_of_the_definition(rng):
    X = rng.normal(size=(9, 2))
    data = pdist(X) / pdist(X).mean()
    tree = Hierarchy.from_nested([[[0, 1], [2, 3]], [4, [5, [6, [7, 8]]]]])
    up = [[u] for u in range(9)]
    for chain in up:
        while tree.parent[chain[-1]] >= 0:
            chain.append(int(tree.parent[chain[-1]]))
    path, depth = [], []
    for i in range(9):
        for j in range(i + 1, 9):
            shared = len(set(up[i]) & set(up[j]))
            path.append(len(up[i]) + len(up[j]) - 2 * shared)
            depth.append(max(map(len, up)) - shared)
    for kind, values in (("path", path), ("depth", depth)):
        total = data + 0.7 * np.array(values) / np.mean(values)
        got = taxonomy_linkage(X, tree, weight=0.7, kind=kind)
        assert got == from_linkage(linkage(total, "average"))
        assert got.height[9:] == pytest.approx(linkage(total, "average")[:, 2])


def test_taxonomy__labels_parts_metrics_and_strangers(rng):
    X = pd.DataFrame(rng.normal(size=(5, 2)), index=list("bdace"), columns=["x", "y"])
    tree = Hierarchy.from_nested([["a", "b"], ["c", ["d", "z"]]])
    with pytest.raises(UnknownLeafError, match="unplaced='mean'"):
        taxonomy_linkage(X, tree)
    got = taxonomy_linkage(X, tree, unplaced="mean", weight=1e3)
    assert list(got.leaves) == list("bdace")
    clades = {frozenset(got.clade(u)) for u in range(5, got.n_nodes)}
    assert {frozenset("ab"), frozenset("cd")} <= clades
    placed = X.drop(index="e")
    want = taxonomy_linkage(placed, tree)
    distances = np.sqrt(np.square(placed.to_numpy()[:, None] - placed.to_numpy()[None]).sum(axis=2))
    assert taxonomy_linkage(pd.DataFrame(distances, index=placed.index), tree, metric="precomputed") == want
    assert taxonomy_linkage(placed, tree, metric=PCA().fit(placed)) == want
    assert taxonomy_linkage(X.iloc[:1], tree).n_leaves == 1
    with pytest.raises(UnknownLeafError):
        taxonomy_linkage(X.to_numpy(), tree, unplaced="mean")
    with pytest.raises(DuplicateLeafError):
        taxonomy_linkage(pd.concat([placed, placed]), tree)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"linkage": "ward"}, "linkage must be one of 'average', 'weighted', 'complete', 'single', not 'ward'"),
        ({"kind": "lca"}, "kind must be .*, not 'lca'"),
        ({"unplaced": None}, "unplaced must be 'raise' or 'mean', not None"),
        ({"weight": -1}, "weight must be a finite number >= 0; got -1"),
        ({"weight": np.nan}, "weight must be"),
        ({"weight": "1"}, "weight must be"),
    ],
)
def test_taxonomy__bad_parameters_are_told(given, message):
    with pytest.raises(ValueError, match=message):
        taxonomy_linkage(np.eye(9), TAXONOMY, **given)
    with pytest.raises(TypeError, match="Hierarchy"):
        taxonomy_linkage(np.eye(9), [0])
