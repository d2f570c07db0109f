"""supertree: the counts against listed triplets, the search against brute force, bad input."""

import numpy as np
import pytest
from examples import caterpillar, contracted, small_world, star, uniform_binary, yule
from oracles import all_triplets_definition, clades_of
from vote_oracle import (
    displayed_definition,
    edge_votes_definition,
    nested,
    regraft_definition,
    triplets_of,
    vote_components_definition,
    without,
)

from tripletree._core import engine
from tripletree.algorithms.compare import compare_triplets
from tripletree.algorithms.induce import count_triplets
from tripletree.algorithms.supertree import (
    AgreedVotes,
    EdgeVotes,
    Supertree,
    _build_from_votes,
    _Grower,
    collect_votes,
    fused,
    supertree,
)
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InconsistentTripletsError


def votes_of(hierarchies, weights=None, per_tree=False):
    leaves = LeafIndex(sorted({x for h in hierarchies for x in h.leaves}))
    weights = np.ones(len(hierarchies)) if weights is None else np.asarray(weights, float)
    return collect_votes(hierarchies, leaves, weights, per_tree=per_tree), leaves


def random_sources(rng, n, k, most=None, share=0.3):
    """k hierarchies on random parts of 0..n-1, with polytomies, that contradict each other."""
    out = []
    for _ in range(k):
        m = int(rng.integers(3, (most or n) + 1))
        h = contracted(yule(m, rng), share, rng)
        out.append(Hierarchy(h.parent, rng.permutation(n)[:m].tolist()))
    return out


# ---------------------------------------------------------------------- counts


def test_counts__sequences_give_the_trees_back(rng):
    sources = random_sources(rng, 30, 8)
    votes, leaves = votes_of(sources)
    parent, begin, inner = votes.nodes
    made = set()
    for t in range(votes.weight.size):
        own = np.concatenate([np.arange(begin[t], begin[t + 1]), np.arange(inner[t], inner[t + 1])])
        number = {int(u): i for i, u in enumerate(own)}
        up = [number.get(int(parent[u]), -1) for u in own]
        made.add(Hierarchy(up, [leaves[x] for x in votes.taxon[begin[t] : begin[t + 1]]]))
    assert made == {h for h in sources if count_triplets(h)}
    assert sorted(votes.n_triplets.tolist()) == sorted(count_triplets(h) for h in made)


def test_counts__division_is_restriction(rng):
    sources = random_sources(rng, 20, 6)
    votes, leaves = votes_of(sources)
    part = rng.integers(0, 3, 20)[: len(leaves)].astype(np.int32)
    for j, (taxa, own) in enumerate(votes.split(part, 3)):
        assert taxa.tolist() == np.flatnonzero(part == j).tolist()
        labels = [leaves[x] for x in taxa]
        wanted = sum(
            count_triplets(h.restrict([x for x in h.leaves if x in labels]))
            for h in sources
            if len(set(h.leaves) & set(labels)) > 0
        )
        assert (0 if own is None else int(own.n_triplets.sum())) == wanted


def test_counts__parts_are_those_of_all_triplets(rng):
    for _ in range(20):
        sources = random_sources(rng, 9, 2, share=0.6)
        votes, leaves = votes_of(sources)
        part = engine.supertree.parts(votes.taxon, votes.gap, votes.n)
        groups = {frozenset(leaves[x] for x in np.flatnonzero(part == j)) for j in range(part.max() + 1)}
        assert groups == vote_components_definition(sources, list(leaves))


def test_counts__edges_against_listed_triplets(rng):
    for _ in range(15):
        sources = random_sources(rng, 9, 3)
        votes, leaves = votes_of(sources)
        h = contracted(yule(len(leaves), rng), 0.3, rng)
        h = Hierarchy(h.parent, leaves)
        edges = EdgeVotes(votes, h.parent)
        agree, oppose, shown, against = edge_votes_definition(h, sources)
        assert edges.agree.tolist() == agree.tolist()
        assert edges.oppose.tolist() == oppose.tolist()
        assert (edges.displayed, edges.contradicted) == (shown, against)


@pytest.mark.filterwarnings("ignore:the .* hierarchies fall into")
def test_counts__edges_of_sources_that_agree(rng):
    decided = 0
    for k in range(60):
        true = contracted((yule(12, rng), caterpillar(12), uniform_binary(12, rng))[k % 3], 0.2 * (k % 4), rng)
        size = rng.integers(3, 12, int(rng.integers(1, 5)))
        parts = [true.restrict(rng.permutation(12)[:m].tolist()) for m in size]
        sources = [contracted(h, 0.3 * (k % 2), rng) for h in parts]
        sources.append(sources[0])
        votes, leaves = votes_of(sources)
        found = supertree(sources)
        assert found.consistent
        h = found.hierarchy
        wanted, edges = EdgeVotes(votes, h.parent), AgreedVotes(votes, h)
        decided += int((wanted.n_agree[h.n_leaves :] > 0).sum())
        assert edges.n_agree.tolist() == wanted.n_agree.tolist()
        assert edges.n_oppose.tolist() == wanted.n_oppose.tolist()
        assert np.array_equal(edges.support, wanted.support, equal_nan=True)
        assert (edges.displayed, edges.contradicted) == pytest.approx((wanted.displayed, wanted.contradicted))
    assert decided > 100


def test_counts__splits_against_listed_triplets(rng):
    for _ in range(15):
        sources = random_sources(rng, 9, 3)
        votes, leaves = votes_of(sources)
        order = rng.permutation(len(leaves)).astype(np.int32)
        low, cut, high = 0, int(rng.integers(1, 4)), int(rng.integers(5, len(leaves) + 1))
        one, two = ({leaves[x] for x in order[i:j]} for i, j in ((low, cut), (cut, high)))
        wanted = sum(
            (pair <= one and c in two) or (pair <= two and c in one) for h in sources for pair, c in triplets_of(h)
        )
        assert votes.sources.split_votes(np.array([[low, high, low, cut]]), order)[0] == wanted


# ---------------------------------------------------------------------- moves


def test_moves__a_leaf_goes_to_the_best_of_all_places(rng):
    for _ in range(12):
        sources = random_sources(rng, 7, 3)
        votes, leaves = votes_of(sources)
        h = yule(len(leaves), rng)
        leaf = int(rng.integers(len(leaves)))
        grower = _Grower(votes, h.parent)
        grower.try_moves(np.array([leaf]))
        moved = Hierarchy(grower.parent(), leaves)
        rest = without(nested(Hierarchy(h.parent, leaves)), leaves[leaf])
        assert displayed_definition(nested(moved), sources) == regraft_definition(rest, leaves[leaf], sources)
        assert clades_of(without(nested(moved), leaves[leaf])) == clades_of(rest)


def test_moves__a_move_of_a_clade_never_loses(rng):
    for _ in range(12):
        sources = random_sources(rng, 12, 4)
        votes, leaves = votes_of(sources)
        grower = _Grower(votes, yule(len(leaves), rng).parent)
        before = EdgeVotes(votes, grower.parent()).displayed
        for u in range(len(leaves), 2 * len(leaves) - 1):
            moved = grower.try_moves(np.array([u]))
            after = EdgeVotes(votes, grower.parent()).displayed
            assert after > before if moved else after == before
            before = after


def test_fusion__at_least_the_best_of_the_pool_and_counted_right(rng):
    gained = 0
    for _ in range(10):
        sources = random_sources(rng, 12, 4)
        votes, leaves = votes_of(sources)
        pool = [yule(len(leaves), rng).parent for _ in range(6)]
        best, most = fused(votes, pool)
        alone = max(EdgeVotes(votes, parent).displayed for parent in pool)
        assert most == EdgeVotes(votes, best).displayed
        assert most >= alone
        gained += most > alone
        clades = {c for parent in pool for c in clades_of(nested(Hierarchy(parent, leaves)))}
        assert set(clades_of(nested(Hierarchy(best, leaves)))) <= clades
    assert gained > 0


# ---------------------------------------------------------------------- the whole


def test_supertree__the_optimum_on_nearly_all_small_instances(rng):
    hit = 0
    for _ in range(60):
        sources = random_sources(rng, 5, 4)
        labels = sorted({x for h in sources for x in h.leaves})
        own = [{(frozenset(labels.index(a) for a in p), labels.index(c)) for p, c in triplets_of(h)} for h in sources]
        most = 0
        for tree in small_world(len(labels)):
            shown = {(frozenset((a, b)), c) for a, b, c in all_triplets_definition(tree)}
            most = max(most, sum(len(x & shown) for x in own))
        s = supertree(sources, min_support=0.0)
        total = sum(map(count_triplets, sources))
        found = round(s.displayed * total)
        assert found <= most
        hit += found == most
    assert hit >= 58


def test_supertree__shares_are_those_of_compare_triplets(rng):
    for votes, least in (("triplet", 0.5), ("tree", 0.0)):
        sources = [h for h in random_sources(rng, 15, 5) if count_triplets(h)]
        weights = rng.integers(1, 4, len(sources))
        s = supertree(sources, weights=weights, votes=votes, min_support=least)
        per = weights / ([count_triplets(h) for h in sources] if votes == "tree" else np.ones(len(sources)))
        found = [compare_triplets(s.hierarchy, h, leaves="common") for h in sources]
        total = sum(w * count_triplets(h) for w, h in zip(per, sources, strict=True))
        assert s.displayed == pytest.approx(sum(w * c.alike for w, c in zip(per, found, strict=True)) / total)
        assert s.contradicted == pytest.approx(sum(w * c.different for w, c in zip(per, found, strict=True)) / total)
        assert s.displayed + s.contradicted + s.unresolved == pytest.approx(1)
        assert not s.consistent


def test_supertree__support_is_above_what_is_asked_for(rng):
    sources = random_sources(rng, 20, 6, most=14)
    for least in (0.0, 0.5, 0.8):
        s = supertree(sources, min_support=least)
        assert np.isnan(s.support[-1])
        assert (s.support[:-1] > least).all()
    agree, oppose, shown, _ = edge_votes_definition(s.hierarchy, sources)
    assert s.support[:-1].tolist() == pytest.approx((agree / np.maximum(agree + oppose, 1))[s.hierarchy.n_leaves : -1])
    assert round(s.displayed * sum(map(count_triplets, sources))) == shown


def test_supertree__numbers_of_sources_for_and_against():
    one = Hierarchy.from_nested([("a", "b"), "c"])
    other = Hierarchy.from_nested([("b", "c"), "a"])
    s = supertree([one, one, one, other])
    assert s.hierarchy == one
    assert s.support[0] == 0.75
    assert (s.n_agreeing.tolist(), s.n_opposing.tolist()) == ([3, 0], [1, 0])


def test_supertree__a_tie_stays_open():
    sources = [Hierarchy.from_nested(x) for x in ([("a", "b"), "c"], [("b", "c"), "a"], [("a", "c"), "b"])]
    s = supertree(sources)
    assert s.hierarchy == star(3).__class__.from_nested(["a", "b", "c"])
    assert (s.displayed, s.contradicted, s.unresolved) == (0.0, 0.0, 1.0)
    assert supertree(sources, min_support=0.0).displayed == pytest.approx(1 / 3)


def test_supertree__both_ways_to_build_agree(rng):
    for _ in range(20):
        true = contracted(yule(25, rng), 0.4, rng)
        sources = [true.restrict(rng.permutation(25)[:12].tolist()) for _ in range(6)]
        votes, leaves = votes_of(sources)
        s = supertree(sources)
        assert s.consistent
        assert s.displayed == 1.0
        assert s.hierarchy == Hierarchy(_build_from_votes(votes), leaves)
        assert (s.support[:-1] == 1).all()


def test_supertree__large_stars_in_stars_are_not_listed():
    groups = [[f"{g}.{i}" for i in range(20)] for g in range(20)]
    one, two = Hierarchy.from_nested(groups), Hierarchy.from_nested([*groups[:-1], [*groups[-1], "new"]])
    from tripletree.algorithms import supertree as _votes

    most, _votes._MOST_ROWS = _votes._MOST_ROWS, 1000
    try:
        assert supertree([one, two]).hierarchy == two
    finally:
        _votes._MOST_ROWS = most


def test_supertree__sources_without_triplets():
    with pytest.warns(UserWarning, match="the 3 hierarchies share no leaves"):
        s = supertree([star(3), Hierarchy([-1], ["x"]), Hierarchy.from_nested([[["y"]], "z"])])
    assert s.hierarchy == Hierarchy.from_nested([[0, 1, 2], "x", ["y", "z"]])
    assert supertree([star(3), star(4)]).hierarchy == star(4)
    assert (s.displayed, s.contradicted, s.unresolved, s.consistent) == (1.0, 0.0, 0.0, True)
    assert supertree([Hierarchy([-1], ["x"])]).hierarchy.n_nodes == 1


def test_supertree__leaves_are_sorted_where_they_can_be():
    h = Hierarchy.from_nested([("b", "a"), "c"])
    assert list(supertree([h]).hierarchy.leaves) == ["a", "b", "c"]
    mixed = Hierarchy.from_nested([("b", 1), ("c", 2)])
    assert set(supertree([mixed, h]).hierarchy.leaves) == {"a", "b", "c", 1, 2}


def test_supertree__a_single_source_comes_back(rng):
    for h in (yule(60, rng), caterpillar(60), contracted(yule(60, rng), 0.5, rng), star(9)):
        s = supertree([h])
        assert s.hierarchy == h
        assert s.consistent
    unary = Hierarchy.from_nested([[("a", "b")], "c"])
    assert supertree([unary]).hierarchy == unary.suppress_unary()


def test_supertree__reproducible_and_frozen(rng):
    sources = random_sources(rng, 20, 5)
    one, two = (supertree(sources, random_state=3) for _ in range(2))
    assert one.hierarchy == two.hierarchy
    assert supertree(sources).hierarchy == supertree(sources).hierarchy
    with pytest.raises(AttributeError):
        one.displayed = 1.0
    with pytest.raises(ValueError, match="read-only"):
        one.support[0] = 0


def test_supertree__says_what_it_is(rng):
    h = Hierarchy.from_nested([("a", "b"), "c"])
    assert repr(supertree([h])) == "<Supertree: 3 leaves from 1 hierarchy, consistent>"
    other = Hierarchy.from_nested([("a", "c"), "b"])
    found = supertree([h, h, other])
    assert isinstance(found, Supertree)
    assert repr(found) == "<Supertree: 3 leaves from 3 hierarchies, 66.7% of their triplets displayed>"


def test_supertree__shows_progress_when_asked(rng, capsys):
    supertree(random_sources(rng, 12, 4), verbose=True)
    assert "supertree" in capsys.readouterr().err


# ---------------------------------------------------------------------- bad input

GOOD = Hierarchy.from_nested([("a", "b"), "c"])
TURNED = Hierarchy.from_nested([("a", "c"), "b"])


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        ([], {}, ValueError, "there are no hierarchies to combine; give at least one"),
        (GOOD, {}, TypeError, "expected an iterable of hierarchies"),
        (3, {}, TypeError, "expected an iterable of hierarchies"),
        ([GOOD, "(a,b);"], {}, TypeError, "source 1: expected a Hierarchy"),
        ([GOOD], {"weights": [1, 2]}, ValueError, "one entry for each of the 1 hierarchies"),
        ([GOOD, GOOD], {"weights": [1, 0]}, ValueError, "the weight of source 1 is 0.0"),
        ([GOOD], {"weights": [float("nan")]}, ValueError, "positive and finite"),
        ([GOOD], {"weights": "x"}, TypeError, "weights must be numbers"),
        ([GOOD], {"weights": 1}, ValueError, "one entry for each"),
        ([GOOD], {"votes": "leaf"}, ValueError, "votes must be 'triplet' or 'tree'"),
        ([GOOD], {"on_conflict": "repair"}, ValueError, "on_conflict must be"),
        ([GOOD], {"min_support": 1}, ValueError, "at least 0 and below 1"),
        ([GOOD], {"min_support": "most"}, TypeError, "min_support must be a number"),
        ([GOOD], {"n_starts": 0}, ValueError, "n_starts is 0"),
        ([GOOD], {"random_state": -1}, ValueError, "random_state"),
    ],
)
def test_supertree__bad_input_is_told(given, options, error, message):
    with pytest.raises(error, match=message):
        supertree(given, **options)


def test_supertree__a_conflict_is_refused_when_asked():
    with pytest.raises(InconsistentTripletsError) as caught:
        supertree([GOOD, TURNED], on_conflict="raise")
    assert sorted(caught.value.conflict) == [("a", "b", "c"), ("a", "c", "b")]
    assert supertree([GOOD, GOOD], on_conflict="raise").hierarchy == GOOD


def test_supertree__families_without_common_leaves_are_clades():
    one = Hierarchy.from_nested([["a", "b"], "c"])
    two = Hierarchy.from_nested([["d", "e"], "f", ["g", "h"]])
    lone = Hierarchy.from_nested(["x", "y", "z"])
    with pytest.warns(UserWarning, match=r"the 4 hierarchies share no leaves.*read_hierarchy\(path, join=True\)"):
        found = supertree([one, two, lone, Hierarchy([-1], ["k"])])
    assert found.hierarchy == Hierarchy.from_nested(
        [[["a", "b"], "c"], [["d", "e"], "f", ["g", "h"]], ["x", "y", "z"], "k"]
    )
    assert found.consistent
    assert (found.displayed, found.contradicted) == (1.0, 0.0)
    assert len(found.support) == found.hierarchy.n_nodes - found.hierarchy.n_leaves


def test_supertree__families_of_many_children_are_clades():
    sources = [Hierarchy.from_nested([[f"{x}{i}" for i in range(2500)], f"{x}out"]) for x in "ab"]
    with pytest.warns(UserWarning, match="share no leaves"):
        found = supertree(sources)
    assert found.hierarchy == Hierarchy.from_nested([[list(h.leaves)[:-1], h.leaves[2500]] for h in sources])


def test_supertree__groups_of_sources_without_common_leaves_are_told():
    trees = [[["a", "b"], "c"], [["b", "c"], "d"], [["p", "q"], "r"], [["q", "r"], "s"]]
    with pytest.warns(UserWarning, match=r"the 4 hierarchies fall into 2 groups .* each is a clade below the root"):
        found = supertree(map(Hierarchy.from_nested, trees))
    parts = [supertree(map(Hierarchy.from_nested, some)).hierarchy for some in (trees[:2], trees[2:])]
    assert sorted(
        map(sorted, (found.hierarchy.clade(int(u)) for u in found.hierarchy.children(found.hierarchy.root)))
    ) == [list("abcd"), list("pqrs")]
    assert all(found.hierarchy.restrict(h.leaves) == h for h in parts)
    bridged = [*trees, ["d", "s"]]
    assert supertree(map(Hierarchy.from_nested, bridged)).consistent
    clash = [*trees, [["a", "c"], "b"]]
    with pytest.warns(UserWarning, match=r"fall into 2 groups .* as some contradict each other, they are not clades"):
        supertree(map(Hierarchy.from_nested, clash))
