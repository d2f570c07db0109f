"""Rerooting: against a literal definition on splits, peers, and the fifty writings of one unrooted tree."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tripletree as tt
from tripletree import Hierarchy, parse_newick, write_newick
from tripletree.errors import InvalidHierarchyError, UnknownLeafError


class Graph:
    """An unrooted tree as a graph with lengths, and with the support of inner branches: the definition."""

    def __init__(self, n: int, rng: random.Random, *, binary: bool = True) -> None:
        self.around: dict[int, dict[int, float]] = {0: {}, 1: {}, 2: {}, -1: {}}
        self.n, fresh = n, -2
        for u in range(3):
            self.join(u, -1, rng)
        for u in range(3, n):
            a, b = rng.choice([(a, b) for a in self.around for b in self.around[a]])
            if not binary and rng.random() < 0.4 and min(a, b) < 0:
                self.around[u] = {}
                self.join(u, min(a, b), rng)
                continue
            del self.around[a][b], self.around[b][a]
            self.around[fresh], self.around[u] = {}, {}
            for x in (a, b, u):
                self.join(x, fresh, rng)
            fresh -= 1

    def join(self, a: int, b: int, rng: random.Random) -> None:
        self.around[a][b] = self.around[b][a] = rng.randint(1, 50) / 8

    def side(self, a: int, b: int) -> frozenset[int]:
        """The leaves on the side of b of the branch between a and b."""
        seen, todo = {a, b}, [b]
        while todo:
            for x in self.around[todo.pop()]:
                if x not in seen:
                    seen.add(x)
                    todo.append(x)
        return frozenset(x for x in seen if x >= 0 and x != a)

    def support(self, a: int, b: int) -> str:
        """Of a branch, whatever its direction."""
        small = min(self.side(a, b), self.side(b, a), key=lambda x: (len(x), sorted(x)))
        return "" if len(small) == 1 else str(sum(x * x for x in small) % 89 + 1)

    def written(self, a: int, b: int | None, rng: random.Random) -> str:
        """Newick from node a, or from a place on the branch between a and b, with branches in random order."""

        def below(u: int, above: int, length: float) -> str:
            if u >= 0:
                return f"t{u}:{length}"
            rest = [below(x, u, y) for x, y in self.around[u].items() if x != above]
            rng.shuffle(rest)
            return f"({','.join(rest)}){self.support(u, above)}:{length}"

        if b is not None:
            length = self.around[a][b]
            both = [below(a, b, length * 0.25), below(b, a, length * 0.75)]
            rng.shuffle(both)
            return f"({','.join(both)});"
        rest = [below(x, a, y) for x, y in self.around[a].items()]
        rng.shuffle(rest)
        return f"({','.join(rest)});"

    def writings(self, rng: random.Random, k: int) -> list[str]:
        inner = [u for u in self.around if u < 0]
        branches = [(a, b) for a in self.around for b in self.around[a]]
        places = [(rng.choice(inner), None) if rng.random() < 0.5 else rng.choice(branches) for _ in range(k)]
        return [self.written(a, b, rng) for a, b in places]


def distances(h: Hierarchy) -> np.ndarray:
    """Between leaves, in the order of their labels, by walking up from each."""
    n = h.n_leaves
    out = np.zeros((n, n))
    order = sorted(range(n), key=lambda i: h.leaves[i])
    for i, x in enumerate(order):
        up, at = {}, x
        far = 0.0
        while at >= 0:
            up[at] = far
            far += h.length[at] if at != h.root else 0.0
            at = int(h.parent[at])
        for j, y in enumerate(order):
            at, far = y, 0.0
            while at not in up:
                far += h.length[at]
                at = int(h.parent[at])
            out[i, j] = far + up[at] if x != y else 0.0
    return out


def splits(h: Hierarchy) -> dict[frozenset[frozenset[str]], set[float]]:
    """The support of every split of the leaves, from the inner nodes below the root."""
    every = frozenset(h.leaves)
    found: dict[frozenset[frozenset[str]], set[float]] = {}
    for u in range(h.n_leaves, h.n_nodes - 1):
        side = frozenset(h.clade(u))
        if 1 < len(side) < len(every) - 1:
            found.setdefault(frozenset((side, every - side)), set()).add(float(h.support[u - h.n_leaves]))
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("binary", [True, False])
def test_fifty_writings_of_one_tree_are_equal_once_rooted(seed, binary):
    rng = random.Random(seed)
    graph = Graph(rng.randint(5, 14), rng, binary=binary)
    whole = [parse_newick(x) for x in graph.writings(rng, 50)]
    assert len({frozenset(splits(h)) for h in whole}) == 1
    apart = distances(whole[0])
    for outgroup in ("t0", "midpoint"):
        rooted = [h.reroot(outgroup) for h in whole]
        assert all(h == rooted[0] for h in rooted), outgroup
        assert len({frozenset(splits(h)) for h in rooted}) == 1
        for h in rooted:
            np.testing.assert_allclose(distances(h), apart, rtol=1e-12)
            for split, labels in splits(h).items():
                a = sorted(split, key=lambda x: (len(x), sorted(int(y[1:]) for y in x)))[0]
                assert labels == {sum(int(x[1:]) ** 2 for x in a) % 89 + 1}


@pytest.mark.parametrize("seed", range(4))
def test_every_branch_can_hold_the_root(seed):
    rng = random.Random(seed)
    graph = Graph(9, rng)
    h = parse_newick(graph.writings(rng, 1)[0])
    for a in graph.around:
        for b in graph.around[a]:
            side = {f"t{x}" for x in graph.side(a, b)}
            found = h.reroot(side)
            top = [set(found.clade(int(c))) for c in found.children(found.root)]
            assert found.rooted
            assert sorted(map(sorted, top)) == sorted(map(sorted, (side, set(h.leaves) - side)))
            assert found == h.reroot(set(h.leaves) - side)


def test_the_midpoint_is_in_the_middle_of_the_farthest_leaves():
    for seed in range(20):
        rng = random.Random(seed)
        h = parse_newick(Graph(rng.randint(3, 12), rng).writings(rng, 1)[0])
        found = h.reroot("midpoint")
        far = [
            max(found.height[found.root] - found.height[x] for x in range(found.n_leaves) if found.leaves[x] in side)
            for side in (set(found.clade(int(c))) for c in found.children(found.root))
        ]
        farthest = sorted(far)[-2:]
        np.testing.assert_allclose(farthest, distances(h).max() / 2)


def test_an_outgroup_that_is_there_already_changes_no_length():
    h = Hierarchy.from_nested([["a", "b"], "out"])
    assert h.reroot("out") == h
    h = parse_newick("[&U] ((a:1,b:2)x:3,out:8)all;")
    assert not h.rooted
    assert write_newick(h.reroot("out")) == "((a:1,b:2)x:3,out:8)all;"
    assert write_newick(h.reroot(["a", "b"])) == "((a:1,b:2)x:3,out:8)all;"


def test_names_stay_with_nodes_and_support_goes_with_branches():
    h = parse_newick("(a,((c,d)'80:Cd',(e,(f,g)90/95)Efg)Mid,b)All;")
    found = h.reroot(["f", "g"])
    assert write_newick(found) == "((((a,b)All,(c,d)Cd[&support=80])Mid,e)'90/95:Efg',(f,g)90/95);"
    named = {frozenset(found.clade(u)): found.label(u) for u in range(found.n_leaves, found.n_nodes)}
    assert named == {
        frozenset("fg"): None,
        frozenset("abcde"): "Efg",
        frozenset("abcd"): "Mid",
        frozenset("cd"): "Cd",
        frozenset("ab"): "All",
        frozenset("abcdefg"): None,
    }
    support = {frozenset(found.clade(u)): found.support[u - found.n_leaves] for u in range(7, 13)}
    assert {x: y for x, y in support.items() if y == y} == {
        frozenset("fg"): 90,
        frozenset("abcde"): 90,
        frozenset("cd"): 80,
    }
    binary = parse_newick("((a,b)70,((c,d)80,e))Top;").reroot("e")
    assert write_newick(binary) == "(((a,b)70,(c,d)80),e)Top;"


def test_an_outgroup_may_be_named_by_an_inner_node_or_a_synonym():
    h = Hierarchy([5, 5, 7, 6, 6, 7, 7, -1], list("abcde"), names=["ab", "de", None], synonyms={"alpha": "a"})
    assert h.reroot("de") == h.reroot(["d", "e"]) == Hierarchy.from_nested([[["a", "b"], "c"], ["d", "e"]])
    with pytest.warns(UserWarning, match="'alpha' for 'a'"):
        assert h.reroot(["alpha"]) == h.reroot("a")


def test_heights_become_lengths():
    h = Hierarchy([4, 4, 5, 6, 5, 6, -1], list("abcd"), height=[0, 0, 0, 0, 1.0, 2.0, 4.0])
    assert write_newick(h.reroot("a")) == "(a:0.5,(b:1,(c:2,d:6):1):0.5);"


def test_what_cannot_be_rooted_says_why():
    h = parse_newick("(a,b,((c,d),(e,f)));")
    with pytest.raises(
        InvalidHierarchyError, match=r"no branch parts the outgroup \('c', 'e'\).*also has 'd', 'f'; one"
    ):
        h.reroot(["c", "e"])
    with pytest.raises(InvalidHierarchyError, match=r"no branch.*also has 'b', 'c', 'd', 'e' and 1 more|no branch"):
        h.reroot(["a", "d"])
    with pytest.raises(InvalidHierarchyError, match="all leaves"):
        h.reroot(list("abcdef"))
    with pytest.raises(InvalidHierarchyError, match="the outgroup is empty"):
        h.reroot([])
    with pytest.raises(UnknownLeafError, match="'zz'"):
        h.reroot("zz")
    with pytest.raises(InvalidHierarchyError, match=r"no branch has a length; h.reroot\('f'\) if 'f' is an outgroup"):
        h.reroot("midpoint")
    with pytest.raises(InvalidHierarchyError, match="1 branches have no length|4 branches have no length"):
        parse_newick("((a:1,b:1),c:1);").reroot("midpoint")
    with pytest.raises(InvalidHierarchyError, match="every place is the midpoint"):
        parse_newick("((a:0,b:0):0,c:0);").reroot("midpoint")


def test_open_nodes_stay_open_unless_their_place_is_turned_around():
    h = Hierarchy([5, 5, 5, 6, 6, 6, -1], ["a", "b", "some ab", "c", "out"], incertae_sedis=[2], rooted=False)
    assert h.reroot("out").open_leaves == ["some ab"]
    with pytest.raises(InvalidHierarchyError, match="an open node"):
        h.reroot("a")


def test_trees_of_one_or_two_leaves_and_unary_nodes():
    assert parse_newick("(a:1,b:2);").reroot("a") == parse_newick("(a,b);")
    assert write_newick(parse_newick("(((a,(b)x,c)));").reroot("b")) == "((a,c),(b)x);"
    with pytest.raises(InvalidHierarchyError, match="all leaves"):
        parse_newick("a;").reroot("a")


def test_deep_trees_and_stars_are_no_matter():
    n = 30_000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]]).astype(np.int32)
    h = Hierarchy(parent, n, length=np.ones(2 * n - 1))
    assert h.reroot([0, 1]).depth.max() > 0
    assert h.reroot(0).n_nodes == 2 * n - 1
    assert h.reroot("midpoint").depth.max() == pytest.approx(n / 2, abs=2)
    star = Hierarchy([n] * n + [-1], n)
    assert star.reroot(5).n_nodes == n + 2


@pytest.mark.parametrize("seed", range(3))
def test_as_peers_root(seed):
    dendropy = pytest.importorskip("dendropy")
    skbio = pytest.importorskip("skbio")
    from io import StringIO

    from Bio import Phylo

    rng = random.Random(seed)
    text = Graph(10, rng).writings(rng, 1)[0]
    h = parse_newick(text)
    side = ["t3"] if seed else sorted(h.clade(int(h.children(h.root)[-1])))
    mine = h.reroot(side)

    tree = Phylo.read(StringIO(text), "newick")
    tree.root_with_outgroup(*[{"name": x} for x in side])
    if len(side) == 1:
        there = {frozenset(x.name for x in c.get_terminals()) for c in tree.get_nonterminals()}
        assert {frozenset(mine.clade(u)) for u in range(10, mine.n_nodes)} <= there | {frozenset(mine.leaves) - {"t3"}}

    tree = dendropy.Tree.get(data=text, schema="newick", rooting="default-unrooted")
    if len(side) == 1:
        tree.to_outgroup_position(tree.find_node_with_taxon_label("t3"), update_bipartitions=True)
        theirs = tt.interop.from_tree(tree)
        assert theirs.suppress_unary().reroot("t3") == mine

    theirs = skbio.TreeNode.read(StringIO(text)).root_by_outgroup(side)
    assert tt.interop.from_tree(theirs).suppress_unary() == mine
