"""The drawn part of a hierarchy: laws of collapsing, and leaf orders side by side by brute force."""

import json
import shutil
import subprocess
from importlib.resources import files
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from examples import balanced, caterpillar, star, yule
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet
from tripletree.plots.bands import band_outline, collapse_in_order, find_band_classes, find_bands, find_majority_class
from tripletree.plots.consecutive import PQTree
from tripletree.plots.layout import (
    collapse_nothing,
    collapse_tree,
    compute_layout,
    count_in_tips,
    find_collapsed_nodes,
    find_node_codes,
)
from tripletree.plots.style import percent
from tripletree.plots.untangling import count_crossings, find_best_order, find_reading_order, untangle_orders


def leaves_of_tips(drawn):
    n = drawn.tree.n_leaves
    return [np.flatnonzero(drawn.shown[:n] == k).tolist() for k in range(drawn.size.size)]


@settings(deadline=None)
@given(hierarchies(max_leaves=10, unary=True), st.integers(2, 12), st.data())
def test_sketch__laws(h, most, data):
    n = h.n_leaves
    codes = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)))
    inner = list(range(n, h.n_nodes))
    closed = data.draw(st.lists(st.sampled_from(inner), max_size=2)) if inner else []
    drawn = collapse_tree(h, most, closed=closed, codes=[codes])
    tips = leaves_of_tips(drawn)
    T = len(tips)
    assert max(most, 1) >= T
    assert sorted(sum(tips, [])) == list(range(n))
    assert drawn.size.tolist() == [len(x) for x in tips]
    assert [min(x) for x in tips] == sorted(min(x) for x in tips)
    if most >= n and not closed:
        assert drawn.is_whole
    below = [set(h.leaves.indices(h.clade(u)).tolist()) for u in range(h.n_nodes)]
    assert (drawn.parent[:-1] > np.arange(drawn.parent.size - 1)).all()
    assert drawn.parent[-1] == -1
    for k, u in enumerate(drawn.node.tolist()):
        if u >= 0:
            assert drawn.shown[u] == k
            p = drawn.parent[k]
            assert p < 0 or h.parent[u] == drawn.node[p]
            if k < T:
                assert below[u] == set(tips[k])
    for u in range(h.n_nodes - 1):  # a hidden node stands where its parent does
        k = drawn.shown[u]
        assert drawn.node[k] == u or k < T
        if any(drawn.shown[u] == drawn.shown[c] for c in closed):
            assert k < T
    if drawn.parent.size > 1:
        found = find_node_codes(drawn, codes)
        for k in range(drawn.parent.size):
            own = set().union(*(set(tips[t]) for t in range(T) if k in path(drawn.parent, t)))
            values = {codes[i] for i in own}
            assert found[k] == (values.pop() if len(values) == 1 else -1)
    numbers = count_in_tips(drawn, codes, 3)
    assert numbers.tolist() == [[sum(codes[i] == c for i in tip) for c in range(3)] for tip in tips]


def path(parent, u):
    while u >= 0:
        yield u
        u = parent[u]


def test_sketch__opens_the_largest_first():
    h = Hierarchy.from_nested([[["a", "b"], ["c", "d"]], ["e", "f"]])
    assert [len(x) for x in leaves_of_tips(collapse_tree(h, 3))] == [2, 2, 2]
    assert [len(x) for x in leaves_of_tips(collapse_tree(h, 2))] == [4, 2]
    # a small clade that mixes two classes before a larger pure one
    mixed = np.array([0, 0, 0, 0, 0, 1])
    assert [len(x) for x in leaves_of_tips(collapse_tree(h, 3, codes=[mixed]))] == [4, 1, 1]


def test_sketch__too_many_children_are_gathered():
    drawn = collapse_tree(star(1000), 10)
    assert drawn.size.tolist() == [1] * 9 + [991]
    assert drawn.node.tolist() == [*range(9), -1, 1000]
    assert drawn.parent.tolist() == [10] * 10 + [-1]
    h = Hierarchy.from_nested([["a"] + [f"x{i}" for i in range(5)], ["b", "c"], ["d", "e"], "f"])
    drawn = collapse_tree(h, 3)
    assert sorted(drawn.size.tolist()) == [2, 3, 6]  # the two largest children, and a pair with a single leaf
    assert (drawn.node < 0).sum() == 1


def test_sketch__deep_hierarchies():
    h = caterpillar(100_000)
    drawn = collapse_tree(h, 50)
    assert drawn.size.tolist() == [99_951] + [1] * 49
    place = compute_layout(drawn, "level")
    assert place.span == 49 + place.width[0]
    assert place.up.max() == 99_999


def test_closed_nodes__what_is_named():
    h = Hierarchy([4, 4, 5, 5, 6, 6, -1], list("abcd"), names=["ab", None, "all"])
    assert find_collapsed_nodes(h, ["ab", 5], None) == [4, 5]
    assert find_collapsed_nodes(h, "clusters", np.array([0, 0, 1, 2])) == [4]
    for given_, message in (([3], "contains 3"), (["nobody"], "'nobody'"), ("what", "collapse must be .* got 'what'")):
        with pytest.raises(ValueError, match=message):
            find_collapsed_nodes(h, given_, None)
    with pytest.raises(ValueError, match="needs clusters"):
        find_collapsed_nodes(h, "clusters", None)


def test_layout__of_a_sketch_by_size():
    h = balanced(16)
    drawn = collapse_tree(h, 4)
    place = compute_layout(drawn, "level", spacing="size")
    assert place.width.tolist() == [4.0] * 4
    assert place.along[:4].tolist() == [1.5, 5.5, 9.5, 13.5]
    assert place.span == 16
    assert place.foot.tolist() == [0] * 4
    assert place.up.tolist() == [2] * 4 + [3, 3, 4]


# ------------------------------------------------------------------ side by side


def inversions(values):
    return sum(values[i] > values[j] for j in range(len(values)) for i in range(j))


@settings(deadline=None)
@given(st.permutations(list(range(9))))
def test_crossings__definition(values):
    assert count_crossings(np.array(values)) == inversions(values)


def test_crossings__ends():
    assert count_crossings(np.array([])) == 0
    assert count_crossings(np.arange(1000)[::-1]) == 1000 * 999 // 2


def all_orders(h, u):
    """Every order in which the leaves below a node can stand."""
    if u < h.n_leaves:
        return [[u]]
    found = []
    for some in permutations(h.children(u).tolist()):
        found += [sum(parts, []) for parts in product(*(all_orders(h, v) for v in some))]
    return found


@pytest.mark.parametrize("seed", range(20))
def test_best_order__is_the_best_of_binary_ones(seed):
    rng = np.random.default_rng(seed)
    h = yule(6, rng)
    place = rng.permutation(6).astype(float)
    order = find_best_order(collapse_nothing(h), place)
    every = [inversions(place[x].tolist()) for x in all_orders(h, h.root)]
    assert order.tolist() in all_orders(h, h.root)
    assert inversions(place[order].tolist()) == min(every)


@settings(deadline=None)
@given(hierarchies(min_leaves=1, max_leaves=6, unary=True), st.randoms(use_true_random=False))
def test_untangled__never_worse_and_possible(h, random):
    n = h.n_leaves
    other = yule(n, np.random.default_rng(random.randrange(10**6))) if n > 1 else h
    partner = np.array(random.sample(range(n), n))
    first, second, crossed = untangle_orders(collapse_nothing(h), collapse_nothing(other), partner)
    assert first.tolist() in all_orders(h, h.root)
    assert second.tolist() in all_orders(other, other.root)
    at = np.argsort(second)
    assert crossed == inversions(at[partner[first]].tolist())
    read = np.argsort(find_reading_order(collapse_nothing(other)))[partner[find_reading_order(collapse_nothing(h))]]
    assert crossed <= inversions(read.tolist())


@pytest.mark.parametrize("seed", range(12))
def test_untangled__as_few_as_possible_for_small_binary_ones(seed):
    rng = np.random.default_rng(seed)
    n = 5 + seed % 2
    one, two = yule(n, rng), yule(n, rng)
    partner = rng.permutation(n)
    *_, crossed = untangle_orders(collapse_nothing(one), collapse_nothing(two), partner)
    fewest = min(
        inversions(np.argsort(second)[partner[first]].tolist())
        for first in all_orders(one, one.root)
        for second in all_orders(two, two.root)
    )
    assert crossed == fewest


@settings(deadline=None)
@given(hierarchies(min_leaves=2, max_leaves=6, unary=True), st.lists(st.sets(st.integers(0, 5)), max_size=5))
def test_pq_tree__gathers_a_set_if_an_order_has_it_consecutive(h, sets):
    def gathered(order, members):
        places = sorted(order.index(x) for x in members)
        return places == list(range(places[0], places[0] + len(places))) if places else True

    possible = all_orders(h, h.root)
    orders = PQTree(collapse_nothing(h))
    for some in sets:
        members = {x for x in some if x < h.n_leaves}
        left = [x for x in possible if gathered(x, members)]
        assert orders.gather(members) == bool(left)
        possible = left or possible
        assert orders.order().tolist() in possible


@pytest.mark.parametrize("most", [2, 4])  # children of a node
@pytest.mark.parametrize(("n", "seed"), [(15, 1), (15, 3), (15, 6), (120, 0), (120, 1), (120, 3)])
def test_untangled__without_crossings_wherever_that_can_be(n, seed, most):
    rng = np.random.default_rng(seed)

    def split(leaves):  # both trees are drawn over one and the same order of the leaves
        if len(leaves) == 1:
            return leaves[0]
        parts = min(int(rng.integers(2, most + 1)), len(leaves))
        ends = [0, *np.sort(rng.choice(np.arange(1, len(leaves)), parts - 1, replace=False)).tolist(), len(leaves)]
        return [split(leaves[i:j]) for i, j in pairwise(ends)]

    leaves = rng.permutation(n).tolist()
    one, two = (Hierarchy.from_nested(split(leaves)).reindex(range(n)) for _ in range(2))
    *_, crossed = untangle_orders(collapse_nothing(one), collapse_nothing(two), np.arange(n))
    assert crossed == 0


def test_untangled__noisy_trees_and_those_with_many_children():
    """Fewer than the sides leave if they only take turns."""
    from scipy.cluster.hierarchy import linkage

    from tripletree.algorithms.linkage import from_linkage
    from tripletree.datasets import load_hierarchy

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) + np.repeat(np.eye(3, 4) * 4, 40, axis=0)
    noisy = X + 0.3 * rng.normal(size=X.shape)
    one, two = (collapse_nothing(from_linkage(linkage(x, "average"))) for x in (X, noisy))
    *_, crossed = untangle_orders(one, two, np.arange(120))
    assert crossed <= 200
    mammals = load_hierarchy("mammals")
    moved = np.arange(120)
    some = rng.choice(120, 8, replace=False)
    moved[some] = rng.permutation(some)
    one = collapse_nothing(mammals)
    first, second, crossed = untangle_orders(one, one, moved)
    read = find_reading_order(one)
    assert crossed < 0.7 * inversions(np.argsort(read)[moved[read]].tolist())
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(120))
    again = untangle_orders(one, one, moved)
    assert np.array_equal(again[0], first)
    assert again[2] == crossed


def test_untangled__equal_hierarchies_without_crossings():
    rng = np.random.default_rng(0)
    h = yule(300, rng)
    shuffle = rng.permutation(300)
    other = Hierarchy(h.parent, shuffle).reindex(range(300))
    *_, crossed = untangle_orders(collapse_nothing(h), collapse_nothing(other), shuffle)
    assert crossed == 0


def test_flows__every_leaf_once():
    rng = np.random.default_rng(1)
    one, two = collapse_nothing(yule(200, rng)), collapse_nothing(yule(200, rng))
    first, second, _ = untangle_orders(one, two, np.arange(200))
    (a, pa), (b, pb) = collapse_in_order(one, first, "level", 12), collapse_in_order(two, second, "level", 15)
    assert (a.size.size, b.size.size) == (12, 15)
    found = find_bands((a, b), (pa, pb))
    assert found.size.sum() == 200
    for start, tips, side, place in ((found.left, found.first, a, pa), (found.right, found.second, b, pb)):
        inside = np.sort(start)
        assert inside[0] == -0.5
        order = np.argsort(start)
        assert np.array_equal(np.diff(start[order]), found.size[order[:-1]])  # one after the other, without gaps
        for k in range(side.size.size):  # within their tips
            assert found.size[tips == k].sum() == side.size[k]
            assert (start[tips == k] >= place.along[k] - place.width[k] / 2 - 1e-9).all()
            assert (start + found.size)[tips == k].max() <= place.along[k] + place.width[k] / 2 + 1e-9
    codes = np.array(a.shown[:200] == a.shown[0], int)
    assert (find_band_classes(codes, found, (a, b), 0.9) == (found.first == a.shown[0])).all()
    outline = band_outline(np.linspace(0, 1, 5), 2.0, 7.0, 3.0)
    assert outline[[0, 4, 5, 9]].tolist() == [[0, 2], [1, 7], [1, 10], [0, 5]]


@pytest.mark.parametrize(
    ("counts", "size", "best"),
    [([9, 1], 10, 0), ([1, 9], 10, 1), ([8, 2], 10, -2), ([9, 0], 11, -2), ([0, 0], 3, -1), ([], 3, -1)],
)
def test_flows__the_class_of_nine_in_ten(counts, size, best):
    assert find_majority_class(np.array([counts], np.int64), np.array([size]), 0.9).tolist() == [best]


def test_marks__shares_are_rounded_and_only_all_is_100():
    assert [percent(1, 6), percent(1, 8), percent(999, 1000), percent(7, 7), percent(1, 1000)] == [17, 13, 99, 100, 0]


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the page's script")
def test_marks__the_page_computes_the_same_shares():
    sources = files("tripletree.plots.page").joinpath("shapes.js").read_text(encoding="utf-8")
    check = "const out = []; for (let n = 1; n < 60; n++) for (let k = 0; k <= n; k++) out.push(percent(k, n));"
    script = f"{sources}\n{check} console.log(JSON.stringify(out));"
    found = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True).stdout
    assert json.loads(found) == [percent(k, n) for n in range(1, 60) for k in range(n + 1)]


def test_tables__notebooks_do_not_typeset_labels():
    shown = TripletSet.from_labels([("$x_1$", "b", "c")])._repr_html_()
    assert "$x_1$" in shown
    assert shown.startswith('<div class="tex2jax_ignore mathjax_ignore">')
