"""Support of clades and consensus trees against their definitions, and against Biopython."""

from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import tripletree as tt
from tripletree.algorithms import clade_support, consensus_tree
from tripletree.cluster import DivisiveReCon
from tripletree.errors import UnknownLeafError


def clades(tree):
    """The set of leaves of each inner node."""
    return [frozenset(tree.clade(u)) for u in range(tree.n_leaves, tree.n_nodes)]


def alike(rng, n, k, moves):
    """Trees of noisy points on a line, each with its leaves in an order of its own and some nodes contracted."""
    X, trees = rng.normal(size=n).cumsum(), []
    for _ in range(k):
        tree = tt.from_linkage(tt.cluster.ReCon(1).fit((X + rng.normal(0, moves, n))[:, None]).linkage_)
        parent = tree.parent.copy()
        gone = int(rng.integers(n, 2 * n - 2))
        parent[parent == gone] = parent[gone]
        parent = np.where(parent > gone, parent - 1, parent)
        trees.append(tt.Hierarchy(np.delete(parent, gone)).reindex(rng.permutation(n).tolist()))
    return trees


@pytest.mark.parametrize("n", [3, 4, 7, 20])
@pytest.mark.parametrize("least", [0.5, 0.7, 1.0])
def test_consensus_tree__has_the_clades_of_most_trees(n, least, rng):
    for k in (1, 2, 5, 10):
        trees = alike(rng, n, k, 0.5)
        count = Counter(c for tree in trees for c in set(clades(tree)))
        wanted = {c: x / k for c, x in count.items() if (x == k if least == 1 else x / k > least)}
        found = consensus_tree(trees, min_support=least)
        assert found.hierarchy.leaves == trees[0].leaves
        assert dict(zip(clades(found.hierarchy), found.support.tolist(), strict=True)) == pytest.approx(wanted)
        assert found.n_trees == k
        assert clade_support(found.hierarchy, trees).tolist() == found.support.tolist()
        assert set(clades(consensus_tree(trees[::-1], min_support=least).hierarchy)) == set(wanted)


def test_clade_support__is_the_share_of_trees_with_the_clade(rng):
    trees = alike(rng, 9, 12, 0.4)
    for tree in trees[:3]:
        wanted = [np.mean([c in set(clades(other)) for other in trees]) for c in clades(tree)]
        assert clade_support(tree, iter(trees)).tolist() == pytest.approx(wanted)


def test_consensus_tree__as_biopython_has_it(rng):
    phylo = pytest.importorskip("Bio.Phylo")
    from io import StringIO

    from Bio.Phylo.Consensus import majority_consensus, strict_consensus

    trees = alike(rng, 8, 7, 0.5)
    text = "\n".join(tt.write_newick(tree) for tree in trees)
    majority = partial(majority_consensus, cutoff=0.5)
    for theirs, least in ((majority, 0.5), (strict_consensus, 1.0)):
        found = theirs(list(phylo.parse(StringIO(text), "newick")))
        wanted = {frozenset(int(x.name) for x in c.get_terminals()) for c in found.get_nonterminals()}
        assert set(clades(consensus_tree(trees, min_support=least).hierarchy)) == wanted | {frozenset(range(8))}


def test_consensus_tree__nodes_with_one_child_count_once():
    tree, stick = tt.parse_newick("((a,b),c);"), tt.parse_newick("(((a,b)),c);")
    assert consensus_tree([tree, stick]).support.tolist() == [1.0, 1.0]
    assert clade_support(stick, [tree]).tolist() == [1.0, 1.0, 1.0]


def test_consensus_tree__of_one_leaf():
    one = tt.Hierarchy([-1])
    assert consensus_tree([one, one]).hierarchy == one
    assert repr(consensus_tree([one])) == "<ConsensusTree: 1 leaf, 0 clades, 1 tree>"


def test_consensus_tree__bad_input():
    tree, other = tt.parse_newick("((a,b),c);"), tt.parse_newick("((a,b),d);")
    where = r"tree 1, .*'d' \(not in the others\), 'c' \(not in this one\); .*supertree"
    with pytest.raises(UnknownLeafError, match=where):
        consensus_tree([tree, other])
    with pytest.raises(UnknownLeafError, match="tree 0"):
        clade_support(other, [tree])
    for function in (consensus_tree, lambda x: clade_support(tree, x)):
        with pytest.raises(ValueError, match="no trees"):
            function([])
        with pytest.raises(TypeError, match="iterable of hierarchies"):
            function(tree)
        with pytest.raises(TypeError, match="tree 1: "):
            function([tree, "((a,b),c);"])
    for least in (0.4, 1.1):
        with pytest.raises(ValueError, match=r"min_support is .* 0\.5\.\.1"):
            consensus_tree([tree], min_support=least)


def test_sampled_trees__are_over_the_names_of_the_samples(rng):
    pd = pytest.importorskip("pandas")
    names = [f"s{i}" for i in range(12)]
    X = pd.DataFrame(rng.normal(size=(12, 2)), index=names)
    triplets = [(names[i], names[i + 1], names[i - 3]) for i, _ in pairwise(range(11))]
    model = DivisiveReCon(2, effort=0.2).fit(X, triplets=triplets)
    assert 50 < len(model.sampled_trees_) <= 100
    assert all(list(tree.leaves) == names for tree in model.sampled_trees_)
    share = clade_support(model.hierarchy_, model.sampled_trees_)
    effective = model.effective_trees_
    assert model.clade_support_[:-1] == pytest.approx(effective * share[:-1] / (effective + 1))
    assert consensus_tree(model.sampled_trees_).support.min() > 0.5
    assert DivisiveReCon(2).fit(X).sampled_trees_ is None
    assert not hasattr(DivisiveReCon(2), "sampled_trees_")
