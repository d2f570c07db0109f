"""The Aho tree that is kept up to date while clusters merge, against BUILD from scratch after every merge."""

import numpy as np
import pytest
from examples import caterpillar, uniform_binary, yule
from oracles import clades_of, components, one_tree_definition

from tripletree import kernels
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets, sample_triplets
from tripletree.algorithms.merges import aho_state


def nested(tree, n, u):
    """The nested tuples below node u. Sibling lists, counts of children and of leaves are checked on the way."""
    if u < n:
        assert tree.n_leaves[u] == 1
        return u
    children, before, c = [], -1, tree.first_child[u]
    while c >= 0:
        assert tree.parent[c] == u
        if before >= 0:
            assert tree.previous_sibling[c] == before
        children.append(c)
        before, c = c, tree.next_sibling[c]
    assert len(children) == tree.n_children[u]
    assert tree.previous_sibling[children[0]] == children[-1]
    assert [c < n for c in children] == sorted(c < n for c in children)
    assert tree.n_leaves[u] == sum(tree.n_leaves[c] for c in children)
    return tuple(nested(tree, n, c) for c in children)


def instance(rng, least=3, most=11):
    n = int(rng.integers(least, most))
    h = yule(n, rng) if rng.random() < 0.5 else uniform_binary(n, rng)
    t = sample_triplets(h, int(rng.integers(1, min(count_triplets(h), 4 * n) + 1)), random_state=rng)
    return n, (t | decompose(h)).rows if rng.random() < 0.3 else t.rows


def check_pair(state, n, live, now, i, j):
    """`join` equals the definition, and a rejection names a blocking pair: its two sides are the components."""
    left, right = kernels.aho_forest.join(state, i, j, 0)
    extra = [(i, j, x) for x in live if x not in (i, j)]
    compatible = one_tree_definition(now + extra, live) is not None
    assert (left == 0) == compatible
    if not compatible:
        a, b = set(state.sides[0, :left].tolist()), set(state.sides[1, :right].tolist())
        assert i in a
        assert j in b
        inside = [(x, y) for x, y, z in now if {x, y, z} <= a | b]
        assert sorted(map(sorted, components(a | b, inside))) == sorted([sorted(a), sorted(b)])
        assert len(a | b) >= 3
    return compatible


def follow(rng, n, rows, all_pairs):
    """Merge random compatible pairs to the end. After each merge the live triplets have this tree."""
    state = aho_state(rows, n)[0]
    tree = state.tree
    live, rejected = list(range(n)), 0
    while len(live) > 1:
        at = [int(kernels.disjoint_set.find(state.into, x)) for x in range(n)]
        now = [(at[a], at[b], at[c]) for a, b, c in rows.tolist() if at[a] != at[b]]
        used = sorted({x for t in now for x in t})
        if used:
            assert clades_of(nested(tree, n, 2 * n + 1)) == clades_of(one_tree_definition(now, used))
        else:
            assert tree.n_children[2 * n + 1] == 0
        assert [state.degree[x] for x in live] == [sum(x in t for t in now) for x in live]
        pairs = [(i, j) for i in live for j in live if i != j]
        if not all_pairs:
            pairs = [pairs[k] for k in rng.permutation(len(pairs))[:6]]
        allowed = [p for p in pairs if check_pair(state, n, live, now, *p)]
        rejected += len(pairs) - len(allowed)
        if allowed:
            i, j = allowed[rng.integers(len(allowed))]
            assert kernels.aho_forest.join(state, i, j, 1) == (0, 0)
            live.remove(i)
    return rejected


def test_aho_tree__is_that_of_the_live_triplets_after_each_merge():
    rng = np.random.default_rng(3)
    assert sum(follow(rng, *instance(rng), all_pairs=True) for _ in range(40)) > 500


@pytest.mark.slow
def test_aho_tree__all_pairs_after_each_merge_of_thousands_of_instances():
    rng = np.random.default_rng(11)
    assert sum(follow(rng, *instance(rng), all_pairs=True) for _ in range(2_000)) > 100_000


@pytest.mark.parametrize("n_instances", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_aho_tree__larger_instances(n_instances):
    rng = np.random.default_rng(4)
    merges = sum(follow(rng, *instance(rng, 12, 40), all_pairs=False) for _ in range(n_instances))
    assert merges > 8 * n_instances


def test_aho_tree__ladders():
    rng = np.random.default_rng(5)
    assert follow(rng, 12, decompose(caterpillar(12)).rows, all_pairs=True) > 100


def test_aho_tree__groups_that_fuse_off_the_path_are_built_anew():
    # merging 0 and 2 fuses {0, 1} and {2, 3}. 4 and 5, both off the two paths, are tied together by it
    n, rng = 8, np.random.default_rng(0)
    h = decompose(caterpillar(n))
    for k in range(30):
        keep = rng.random(len(h)) < 0.8
        follow(np.random.default_rng(k), n, h.subset(keep).rows, all_pairs=True)
