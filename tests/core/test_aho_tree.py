"""The Aho tree that is kept up to date while clusters merge, against BUILD from scratch after every merge."""

import numpy as np
import pytest
from examples import caterpillar, uniform_binary, yule
from oracles import clades_of, components, nested_of, one_tree_definition

from tripletree._core import engine
from tripletree.algorithms.aho import build_aho_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets, sample_triplets


def instance(rng, least=3, most=11):
    n = int(rng.integers(least, most))
    h = yule(n, rng) if rng.random() < 0.5 else uniform_binary(n, rng)
    t = sample_triplets(h, int(rng.integers(1, min(count_triplets(h), 4 * n) + 1)), random_state=rng)
    return n, (t | decompose(h)).rows if rng.random() < 0.3 else t.rows


def join(tree, i, j, is_test):
    """`AhoTree.join`, or the leaf that stays where a leaf is in no triplet."""
    if tree.degree(i) and tree.degree(j):
        return tree.join(i, j, is_test)
    return i if tree.degree(i) else j


def check_pair(tree, live, now, i, j):
    """`join` equals the definition, and a rejection names a blocking pair: its two sides are the components."""
    told = join(tree, i, j, True)
    extra = [(i, j, x) for x in live if x not in (i, j)]
    compatible = one_tree_definition(now + extra, live) is not None
    assert (not isinstance(told, tuple)) == compatible
    if not compatible:
        a, b = (set(side.tolist()) for side in told)
        assert i in a
        assert j in b
        inside = [(x, y) for x, y, z in now if {x, y, z} <= a | b]
        assert sorted(map(sorted, components(a | b, inside))) == sorted([sorted(a), sorted(b)])
        assert len(a | b) >= 3
    return compatible


def follow(rng, n, rows, all_pairs, ways=(128, 48)):
    """Merge random compatible pairs to the end. After each merge the live triplets have this tree.

    Returns how many pairs were rejected, and whether the tree became deep.
    """
    tree = engine.AhoTree(build_aho_tree(rows, n).parent, n, rows, all_leaves=False)
    tree.limit(*ways)
    at, live, rejected = list(range(n)), list(range(n)), 0
    while len(live) > 1:
        now = [(at[a], at[b], at[c]) for a, b, c in rows.tolist() if at[a] != at[b]]
        used = sorted({x for t in now for x in t})
        found = tree.check()
        assert found["triplets"] == len(now)
        parent = tree.parents().tolist()
        assert [x for x in range(n) if parent[x] >= 0] == used
        if used:
            assert clades_of(nested_of(parent, used, n)) == clades_of(one_tree_definition(now, used))
        assert [tree.degree(x) for x in live] == [sum(x in t for t in now) for x in live]
        pairs = [(i, j) for i in live for j in live if i != j]
        if not all_pairs:
            pairs = [pairs[k] for k in rng.permutation(len(pairs))[:6]]
        allowed = [p for p in pairs if check_pair(tree, live, now, *p)]
        tree.check()
        rejected += len(pairs) - len(allowed)
        if allowed:
            i, j = allowed[rng.integers(len(allowed))]
            kept = join(tree, i, j, False)
            gone = j if kept == i else i
            at = [kept if x == gone else x for x in at]
            live.remove(gone)
    return rejected, tree.check()["deep"]


def test_aho_tree__is_that_of_the_live_triplets_after_each_merge():
    rng = np.random.default_rng(3)
    assert sum(follow(rng, *instance(rng), all_pairs=True)[0] for _ in range(40)) > 500


def test_aho_tree__with_paths_from_the_first_way_up():
    rng = np.random.default_rng(3)
    told = [follow(rng, *instance(rng), all_pairs=True, ways=(1, 0)) for _ in range(40)]
    assert sum(rejected for rejected, _ in told) > 500
    assert sum(deep for _, deep in told) > 20


@pytest.mark.slow
def test_aho_tree__all_pairs_after_each_merge_of_thousands_of_instances():
    rng = np.random.default_rng(11)
    assert sum(follow(rng, *instance(rng), all_pairs=True)[0] for _ in range(2_000)) > 100_000


@pytest.mark.parametrize("n_instances", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_aho_tree__larger_instances(n_instances):
    rng = np.random.default_rng(4)
    merges = sum(follow(rng, *instance(rng, 12, 40), all_pairs=False)[0] for _ in range(n_instances))
    assert merges > 8 * n_instances


def test_aho_tree__ladders():
    rng = np.random.default_rng(5)
    assert follow(rng, 12, decompose(caterpillar(12)).rows, all_pairs=True)[0] > 100


def test_aho_tree__groups_that_fuse_off_the_path_are_built_anew():
    # merging 0 and 2 fuses {0, 1} and {2, 3}. 4 and 5, both off the two paths, are tied together by it
    n, rng = 8, np.random.default_rng(0)
    h = decompose(caterpillar(n))
    for k in range(30):
        keep = rng.random(len(h)) < 0.8
        follow(np.random.default_rng(k), n, h.subset(keep).rows, all_pairs=True)
