import numpy as np
import pytest
from cut_oracle import Choices, as_partition, numbered_anew, random_linkage
from examples import caterpillar, contracted, star, uniform_binary, yule
from hypothesis import given
from hypothesis import strategies as st
from oracles import common_ancestor_definition, components, displayed
from strategies import hierarchies, triplet_rows

from tripletree.algorithms.cut import RULES, cut
from tripletree.algorithms.induce import sample_triplets
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.supervision import triplets_from_classes
from tripletree.cluster import ReCon
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError, InconsistentTripletsError, TripletreeError, UnknownLeafError
from tripletree.evaluation.scores import pairwise_f_score
from tripletree.io import parse_newick

NOTHING = np.empty((0, 3), np.int32)


def clusters_after(Z, merges):
    """The definition of a cut by merge order: do the first merges, and list the clusters."""
    n = len(Z) + 1
    parts = {u: [u] for u in range(n)}
    for i in range(merges):
        parts[n + i] = parts.pop(int(Z[i, 0])) + parts.pop(int(Z[i, 1]))
    return {frozenset(p) for p in parts.values()}


# ------------------------------------------------------------------ by merge order


@pytest.mark.parametrize("n", [1, 2, 3, 8, 60])
def test_cut__undoes_the_last_merges_whatever_the_heights(n, rng):
    for _ in range(5):
        Z = random_linkage(n, rng)
        h = from_linkage(Z)
        for k in range(1, n + 1):
            labels = cut(h, k, rule="merge_order")
            assert as_partition(labels) == clusters_after(Z, n - k)
            assert labels.dtype == np.intp
            assert labels.shape == (n,)


def test_cut__labels_are_numbered_by_their_first_leaf():
    h = from_linkage([[2, 3, 1.0, 2], [0, 1, 1.0, 2], [4, 5, 1.0, 4]])
    assert cut(h, 2, rule="merge_order").tolist() == [0, 0, 1, 1]
    assert cut(h, 3, rule="merge_order").tolist() == [0, 1, 2, 2]
    assert cut(h, 4, rule="merge_order").tolist() == [0, 1, 2, 3]


@given(hierarchies(max_leaves=10, unary=True), st.data())
def test_cut__clusters_are_clades_or_the_number_cannot_be_had(h, data):
    k = data.draw(st.integers(1, h.n_leaves))
    # the definition: split the last node that is still whole until there are k clusters
    parts, sizes = {h.root}, {1}
    for u in range(h.root, h.n_leaves - 1, -1):
        if len(parts) < k:
            parts = (parts - {u}) | set(h.children(u).tolist())
        sizes.add(len(parts))
    if len(parts) == k:
        assert as_partition(cut(h, k, rule="merge_order")) == {
            frozenset(h.leaves.index(x) for x in h.clade(u)) for u in parts
        }
    else:
        with pytest.raises(ClusterCountError, match="which no cut gives") as caught:
            cut(h, k, rule="merge_order")
        assert caught.value.nearest == (max(s for s in sizes if s < k), len(parts))
        for other in caught.value.nearest:
            assert len(set(cut(h, other, rule="merge_order").tolist())) == other


def test_cut__polytomies_on_the_way(rng):
    h = contracted(yule(60, rng), 0.5, rng)
    steps = np.cumsum([1, *(h.n_children[60:][::-1] - 1).tolist()]).tolist()
    assert len(steps) < 50
    for k in range(1, 61):
        if k in steps:
            assert len(set(cut(h, k, rule="merge_order").tolist())) == k
        else:
            with pytest.raises(ClusterCountError) as caught:
                cut(h, k, rule="merge_order")
            assert caught.value.n_clusters == k
            assert caught.value.nearest == (max(s for s in steps if s < k), min(s for s in steps if s > k))


# ------------------------------------------------------------------ by height


def test_cut_height__takes_the_oldest_splits_first():
    # in the order of the text the clade of e would come last
    h = parse_newick("(((a:1,b:1):8,(c:2,d:2):7):1,((e:5,f:5):1,g:6):4);")
    assert cut(h, 2, rule="height").tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert cut(h, 3, rule="height").tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert cut(h, 4, rule="height").tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert cut(h, 5, rule="height").tolist() == [0, 0, 1, 1, 2, 3, 4]


def test_cut_height__levels_stand_in():
    h = parse_newick("((a,b),(c,(d,(e,f))));")
    assert cut(h, 3, rule="height").tolist() == [0, 0, 1, 2, 2, 2]


def test_cut_height__inverted_heights_never_split_a_child_first(rng):
    h = parse_newick("((a:5,b:5):-2,c:3);")  # ab meets at 5, below a root at 3
    assert cut(h, 2, rule="height").tolist() == [0, 0, 1]
    for _ in range(20):
        h = from_linkage(random_linkage(40, rng))
        for k in range(1, 41):
            assert len(set(cut(h, k, rule="height").tolist())) == k


def test_cut_height__does_not_depend_on_the_numbers_of_nodes(rng):
    h = yule(50, rng)
    h = Hierarchy(h.parent, height=h.depth.max() - h.depth + rng.random(h.n_nodes) * 0.5)
    text = from_linkage(random_linkage(50, rng))
    for tree in (h, text):
        again = tree.reindex(LeafIndex(rng.permutation(50)))
        back = [again.leaves.index(x) for x in range(50)]
        heights = set(np.round(tree.height[50:], 9))
        assert len(heights) == 49
        for k in (2, 5, 20):
            labels = cut(again, k, rule="height")[back]
            assert as_partition(labels) == as_partition(cut(tree, k, rule="height"))


# ------------------------------------------------------------------ by size


def test_cut_size__takes_the_last_nodes_that_part_large_branches():
    # f and e are merged last, one by one. Before them the pairs ab and cd
    h = from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [6, 7, 2, 4], [4, 8, 3, 5], [5, 9, 4, 6]])
    assert cut(h, 3).tolist() == [0, 0, 0, 0, 1, 2]
    assert cut(h, 2, rule="size", min_size=2).tolist() == [0, 0, 1, 1, 0, 0]
    assert cut(h, 1, rule="size", min_size=2).tolist() == [0] * 6
    assert cut(h, 1, rule="size", min_size=100).tolist() == [0] * 6
    # 6 / (2 * 2) is 1.5: branches of 2 leaves. For three clusters of 1
    assert cut(h, 2, rule="size").tolist() == cut(h, 2, rule="size", min_size=2).tolist()
    assert cut(h, 3, rule="size").tolist() == cut(h, 3).tolist()


def test_cut_size__lowers_the_threshold_until_the_number_can_be_had():
    # 24 leaves in branches of 3, 3, 2 and 16: for four clusters 24 / (2 * 4) is 3, halved it is 1
    leaves = np.repeat([24, 25, 26, 27], [3, 3, 2, 16]).tolist()
    h = Hierarchy([*leaves, 28, 28, 29, 29, 30, 30, -1])
    with pytest.raises(ClusterCountError, match="into 3 branches of at least 3 leaves at most: .* lower min_size") as e:
        cut(h, 4, rule="size", min_size=3)
    assert e.value.nearest == (3,)
    assert cut(h, 3, rule="size", min_size=3).tolist() == [0] * 3 + [1] * 3 + [2] * 18
    assert cut(h, 3, rule="size").tolist() == [0] * 6 + [1] * 2 + [2] * 16  # not with 4, but with 2
    assert as_partition(cut(h, 4, rule="size")) == {
        frozenset(range(x, y)) for x, y in [(0, 3), (3, 6), (6, 8), (8, 24)]
    }


@given(hierarchies(max_leaves=9, unary=True), st.integers(1, 5), st.randoms(use_true_random=False))
def test_cut_size__is_one_of_the_choices_and_the_latest(h, least, random):
    h = numbered_anew(h, np.random.default_rng(random.randrange(2**31)))
    choices = Choices(h, least)
    for k in range(1, h.n_leaves + 1):
        try:
            ours = as_partition(cut(h, k, rule="size", min_size=least))
        except ClusterCountError:
            continue
        found = [x for x in choices.all() if len(x[0]) == k]
        last = max(sorted(x[2], reverse=True) for x in found)
        assert ours in [choices.partition(*x[:2]) for x in found if sorted(x[2], reverse=True) == last]


# ------------------------------------------------------------------ by constraints


@given(hierarchies(min_leaves=3, max_leaves=9, unary=True), st.data())
def test_cut_constraints__splits_what_joins_parts(h, data):
    h = h.reindex(LeafIndex(h.n_leaves))
    n = h.n_leaves
    other = data.draw(hierarchies(min_leaves=n, max_leaves=n)).reindex(LeafIndex(n))
    clades = Choices(other, 1).below
    rows = [r for r in data.draw(triplet_rows(n, 8)) if displayed(clades, *r)]  # so that they are consistent
    t = TripletSet(rows or NOTHING, n)
    parts = components({x for r in rows for x in r}, [(r[0], r[1]) for r in rows])
    part = {x: k for k, group in enumerate(parts) for x in group}
    below = Choices(h, 1).below
    demanded = [u for u in range(n, h.n_nodes) if len({part[x] for x in below[u] if x in part}) > 1]
    whole = [u for u in range(h.n_nodes) if u not in demanded and (u == h.root or int(h.parent[u]) in demanded)]
    labels = cut(h, rule="constraints", triplets=t)
    assert as_partition(labels) == {frozenset(below[u]) for u in whole}
    # with a number: these in the order of merging, then the others
    parts, turn = [h.root], [u for u in reversed(range(n, h.n_nodes)) if u in demanded]
    turn += [u for u in reversed(range(n, h.n_nodes)) if u not in demanded]
    for u in turn:
        assert as_partition(cut(h, len(parts), rule="constraints", triplets=t)) == {frozenset(below[x]) for x in parts}
        parts = [x for x in parts if x != u] + h.children(u).tolist()


def test_cut_constraints__outliers_are_set_aside_on_request():
    h = Hierarchy.from_nested([[["a", "b"], ["c", "d", "x"]], "e"])
    t = TripletSet.from_labels([("a", "b", "c"), ("c", "d", "a"), ("a", "b", "e")])
    assert cut(h, rule="constraints", triplets=t).tolist() == [0, 0, 1, 1, 1, 2]
    assert cut(h, rule="constraints", triplets=t, min_size=2).tolist() == [0, 0, 1, 1, 1, 1]
    assert cut(h, 2, rule="constraints", triplets=t, min_size=2).tolist() == [0, 0, 1, 1, 1, 1]


def test_cut_constraints__inconsistent_triplets_are_refused_with_the_conflict():
    t = TripletSet.from_labels([("a", "b", "c"), ("b", "c", "a"), ("a", "b", "d")])
    with pytest.raises(InconsistentTripletsError) as caught:
        cut(Hierarchy.from_nested(["a", ["b", "c"], "d", "e"]), rule="constraints", triplets=t)
    assert set(caught.value.conflict) == {("a", "b", "c"), ("b", "c", "a")}


@pytest.mark.parametrize("sizes", [(50, 50, 50), (59, 71, 48), (140, 80, 2, 2, 35, 20, 5, 52)])
@pytest.mark.parametrize("linkage", ["ward", "centroid"])
def test_cut__all_informative_triplets_give_the_classes(sizes, linkage):
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(sizes), 6))[y] * 1.5 + rng.normal(size=(y.size, 6))
    known = triplets_from_classes(y)
    h = ReCon(len(sizes), linkage=linkage).fit(X, triplets=known).hierarchy_
    assert pairwise_f_score(y, cut(h, rule="constraints", triplets=known)) == 1.0
    assert pairwise_f_score(y, cut(h, len(sizes), rule="constraints", triplets=known)) == 1.0
    assert pairwise_f_score(y, cut(h, len(sizes), rule="support", triplets=known)) == 1.0


# ------------------------------------------------------------------ outliers


def test_cut_outliers__join_the_largest_cluster_beside_them_or_the_nearest():
    # at the root: x beside everything, y beside the pair and the trio, z inside the four
    h = Hierarchy.from_nested(["x", [[["y", [("a", "b"), ("c", "d", "e")]]], [["z", ("f", "g", "h")]]]])
    place = dict(zip("xyzabcdefgh", [0.0, 1.0, 50.0, 1.0, 2.0, 30.0, 31.0, 32.0, 70.0, 71.0, 72.0], strict=True))
    at = [[place[x]] for x in h.leaves]

    def clusters(**more):
        labels = cut(h, 3, rule="size", min_size=2, **more)
        return {"".join(sorted(h.leaves[i] for i in part)) for part in as_partition(labels)}

    # z is in the branch zfgh, which stays whole: that is the largest
    assert clusters() == {"ab", "cdey", "fghxz"}
    assert clusters(samples=at) == {"abxy", "cde", "fghz"}


def test_cut_outliers__of_equal_clusters_the_one_with_the_first_leaf():
    for names in (["x", [("a", "b"), ("c", "d")]], [[("c", "d"), ("a", "b")], "x"]):
        h = Hierarchy.from_nested(names).reindex(LeafIndex(["a", "b", "x", "c", "d"]))
        assert cut(h, 2, rule="size", min_size=2).tolist() == [0, 0, 0, 1, 1]
    same = np.zeros((5, 2))
    assert len(set(cut(h, 2, rule="size", min_size=2, samples=same).tolist())) == 2


@pytest.mark.parametrize("outliers", ["clade", "nearest"])
def test_cut_outliers__nearest_by_the_definition(outliers, rng):
    for _ in range(10):
        h = uniform_binary(60, rng)
        X = rng.normal(size=(60, 3))
        for least in (2, 4):
            choices = Choices(h, least)
            try:
                ours = as_partition(cut(h, 3, rule="size", min_size=least, samples=X, outliers=outliers))
            except ClusterCountError:
                continue
            clusters, small = choices.latest(3)
            home = {u: set(choices.below[u]) for u in clusters}
            for o in small:
                around = choices.below[int(h.parent[o]) if outliers == "clade" else h.root]
                beside = [u for u in clusters if choices.below[u] <= around]
                mean = {u: X[sorted(choices.below[u])].mean(axis=0) for u in [*beside, o]}
                home[min(beside, key=lambda u: np.linalg.norm(mean[u] - mean[o]))] |= choices.below[o]
            assert ours == {frozenset(x) for x in home.values()}


def test_cut_outliers__say_what_they_need():
    h = parse_newick("((a,b),(c,d));")
    with pytest.raises(ValueError, match="outliers must be 'clade' or 'nearest', not 'near'"):
        cut(h, 2, rule="size", outliers="near")
    with pytest.raises(TypeError, match="outliers='nearest' needs samples"):
        cut(h, 2, rule="size", outliers="nearest")


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("k", "nearest"), [(0, (1,)), (-3, (1,)), (5, (4,))])
def test_cut__refuses_a_number_out_of_range(k, nearest, rule):
    with pytest.raises(ClusterCountError, match=rf"n_clusters is {k}; a hierarchy of 4 leaves .* 1\.\.4") as caught:
        cut(star(4), k, rule=rule, triplets=TripletSet(NOTHING, 4))
    assert caught.value.nearest == nearest
    assert isinstance(caught.value, (ValueError, TripletreeError))


def test_cut__refuses_what_is_no_integer():
    with pytest.raises(TypeError, match="n_clusters must be an integer, not 2.5"):
        cut(star(4), 2.5)
    assert cut(star(4), np.int64(4)).tolist() == [0, 1, 2, 3]


def test_cut__numbers_that_polytomies_leave_out():
    h = Hierarchy([8, 8, 8, 9, 9, 9, 9, 10, 11, 10, 11, -1])
    t = TripletSet([(0, 1, 3)], 8)
    with pytest.raises(ClusterCountError, match="splitting node 9, the next in turn, with its 4 children leads from 3"):
        cut(h, 4)
    with pytest.raises(ClusterCountError, match="splitting node 9, .* 4 children .* from 3 clusters to 6") as caught:
        cut(h, 5)
    assert caught.value.nearest == (3, 6)
    # another choice has 5: the trio is split, too, and the four stay together
    assert as_partition(cut(h, 5, rule="support", triplets=t)) == {
        frozenset(x) for x in [(0,), (1,), (2,), (3, 4, 5, 6), (7,)]
    }
    with pytest.raises(ClusterCountError, match="more than two children are split into all of them") as caught:
        cut(h, 7, rule="support", triplets=t)
    assert caught.value.nearest == (6, 8)
    with pytest.raises(ClusterCountError, match="nodes with more than two children are split") as caught:
        cut(star(9), 5, rule="support", triplets=t)
    assert caught.value.nearest == (1, 9)


@pytest.mark.parametrize("rule", ["support", "constraints"])
def test_cut__says_what_is_missing(rule):
    with pytest.raises(TypeError, match=f"rule='{rule}' needs triplets=..., .* take rule='size' or 'merge_order'"):
        cut(star(4), 4, rule=rule)
    with pytest.raises(TypeError, match="expected a TripletSet, got list"):
        cut(star(4), 4, rule=rule, triplets=[(0, 1, 2)])
    with pytest.raises(UnknownLeafError, match="'eel'"):
        cut(star(4), 4, rule=rule, triplets=TripletSet.from_labels([("eel", "cat", "dog")]))


def test_cut__bad_arguments():
    h = star(4)
    for rule in ("merge_order", "height", "size", "support"):
        with pytest.raises(TypeError, match=f"rule='{rule}' needs n_clusters, or samples=..."):
            cut(h, rule=rule, triplets=TripletSet(NOTHING, 4))
    with pytest.raises(ValueError, match="rule must be one of 'auto', 'merge_order', .* not 'maxclust'"):
        cut(h, 2, rule="maxclust")
    with pytest.raises(ValueError, match="min_size is 0; it must be at least 1"):
        cut(h, 1, rule="size", min_size=0)
    with pytest.raises(TypeError, match="min_size must be a whole number, not 1.5"):
        cut(h, 1, rule="size", min_size=1.5)
    with pytest.raises(ValueError, match=r"samples must have shape \(4, d\), .* not \(3, 2\)"):
        cut(h, 1, samples=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="samples must be finite: row 1 holds NaN or infinity"):
        cut(h, 1, samples=[[0.0], [np.nan], [1.0], [np.inf]])
    with pytest.raises(TypeError, match="expected a Hierarchy"):
        cut([4, 4, 4, 4, -1], 2)


def test_cut__default_without_samples_is_support_where_there_are_triplets_else_size(rng):
    differs = 0
    for seed in range(20):
        h = yule(60, np.random.default_rng(seed))
        some = sample_triplets(yule(60, rng), 40, random_state=seed)
        assert np.array_equal(cut(h, 5), cut(h, 5, rule="size"))
        assert np.array_equal(cut(h, 5, triplets=some), cut(h, 5, rule="support", triplets=some))
        differs += not np.array_equal(cut(h, 5), cut(h, 5, triplets=some))
    assert differs


def test_cut__deep_ladder():
    h = caterpillar(20_000)
    assert np.bincount(cut(h, 3)).tolist() == [19_998, 1, 1]
    assert np.bincount(cut(h, 3, rule="height")).tolist() == [19_998, 1, 1]


def test_cut__changes_nothing_of_the_callers():
    h = yule(30, np.random.default_rng(1))
    t = sample_triplets(h, 20, random_state=1)
    X = np.random.default_rng(2).normal(size=(30, 2))
    before = h.parent.copy(), t.rows.copy(), X.copy()
    for rule in RULES:
        cut(h, 3, rule=rule, triplets=t, samples=X, min_size=2)
    assert all(np.array_equal(x, y) for x, y in zip(before, (h.parent, t.rows, X), strict=True))


# ------------------------------------------------------------------ at a height


def test_height__two_leaves_are_together_if_no_node_around_them_is_higher(rng):
    for n in (2, 5, 9):
        for _ in range(5):
            h = contracted(from_linkage(random_linkage(n, rng)), 0.3, rng)
            below = [set(h.clade(u)) for u in range(h.n_nodes)]
            height = np.append(np.zeros(n), rng.integers(1, 9, h.n_nodes - n))  # which may fall
            h = Hierarchy(h.parent, h.leaves, height=height)
            for t in np.arange(-0.5, 9.5, 0.5):
                labels = cut(h, height=t)
                assert list(dict.fromkeys(labels.tolist())) == list(range(labels.max() + 1))
                for a in range(n):
                    for b in range(a):
                        around = below[common_ancestor_definition(h.parent, a, b)]
                        inner = [u for u in range(n, h.n_nodes) if below[u] <= around]
                        assert (labels[a] == labels[b]) == (max(height[u] for u in inner) <= t)


def test_height__is_that_of_scipy(rng):
    from scipy.cluster.hierarchy import fcluster, linkage

    Z = linkage(rng.normal(size=(40, 2)), "average")
    for t in (0.0, Z[10, 2], 0.7, Z[-1, 2]):
        assert as_partition(cut(from_linkage(Z), height=t)) == as_partition(fcluster(Z, t, "distance"))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"n_clusters": 2}, TypeError, "so n_clusters cannot"),
        ({"rule": "size", "min_size": 3}, TypeError, "so min_size, rule cannot"),
        ({"strict": False, "outliers": "nearest"}, TypeError, "outliers cannot"),
        ({"height": "2"}, TypeError, "height must be a number, not '2'"),
        ({"height": np.nan}, TypeError, "must be a number, not nan"),
        ({"height": True}, TypeError, "must be a number, not True"),
    ],
)
def test_height__errors(given, error, message):
    h = from_linkage([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    with pytest.raises(error, match=message):
        cut(h, **{"height": 1.5, **given})
    with pytest.raises(ValueError, match="no heights to be cut at .*: give n_clusters"):
        cut(Hierarchy.from_nested([["a", "b"], "c"]), height=1)


@pytest.mark.parametrize("rule", RULES)
def test_rules__are_explained(rule):
    assert f'"{rule}"' in cut.__doc__
    assert f'"{rule}"' in ReCon.__doc__
