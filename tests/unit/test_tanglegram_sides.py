"""Both sides of a tanglegram collapse the same clades, and large trees that go together cross nowhere."""

from itertools import combinations

import numpy as np
import pytest
from examples import small_world, yule

import tripletree as tt
from tripletree.plots.style import shorten_all
from tripletree.plots.tanglegram import pair_trees


def clades_inside(tree, leaves):
    """The clades of a tree, as sets, of which all leaves are in a set."""
    found = {frozenset(tree.clade(u)) for u in range(tree.n_nodes)}
    return {x for x in found if x <= leaves}


def test_tanglegram__one_side_resolves_a_polytomy_of_the_other():
    one, two = (
        tt.parse_newick("((a,b,c),d);"),
        tt.parse_newick("(((a,b),c),d);").reindex(tt.parse_newick("((a,b,c),d);").leaves),
    )
    assert pair_trees(one, two, True, True, "level").partner.size == 4
    assert tt.plot_tanglegram(one, two, collapse=True) is not None


@pytest.mark.parametrize("n", [3, 4, 5])
def test_tanglegram__a_clade_collapses_if_all_inside_it_is_the_same_on_both_sides(n):
    world = [tt.Hierarchy.from_nested(nested) for nested in small_world(n)]
    for one, two in combinations(world[:60], 2):
        two = two.reindex(one.leaves)
        pair = pair_trees(one, two, True, True, "level")
        for side in pair.sides:
            tips = [frozenset(side.tree.clade(u)) for u in side.node[: side.size.size].tolist()]
            whole = frozenset(one.leaves)
            both = clades_inside(one, whole) & clades_inside(two, whole) - {whole}
            wanted = {x for x in both if clades_inside(one, x) == clades_inside(two, x)}
            assert set(tips) == {x for x in wanted if not any(x < y for y in wanted)}


def test_tanglegram__large_trees_that_go_together_have_no_crossings():
    rng = np.random.default_rng(1)
    bare = yule(1_500, rng)
    whole = tt.Hierarchy(bare.parent, [f"t{k:04}" for k in rng.permutation(1_500)])
    whole = whole.reindex(sorted(whole.leaves))
    one, two = (whole.contract(1_500 + rng.permutation(1_498)[:500]) for _ in range(2))
    assert pair_trees(one, two, False, False, "level").crossed > 1_000
    assert pair_trees(one, two, False, True, "level").crossed == 0


@pytest.mark.parametrize("most", [7, 14, 40])
def test_labels__those_that_differ_stay_different(most):
    names = [f"patient_{k:03}|north_wing|Klebsiella pneumoniae subsp. pneumoniae|contig" for k in range(30)]
    names += [f"{'same beginning ' * 4}{'x' * k}{' the same end' * 4}" for k in range(1, 5)] + ["short", "short"]
    found = shorten_all(names, most)
    assert len(set(found)) == len(set(names))
    assert max(map(len, found)) <= most
    assert shorten_all(["a  b"]) == ["a b"]
