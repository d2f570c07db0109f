"""Laws of pairs: closures compared with their definitions, by rules and by chains, on up to 6 leaves."""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import InconsistentPairsError

STRENGTHS = [0.25, 0.5, 0.75, 1.0]


@st.composite
def links(draw, weights=STRENGTHS, max_size=9):
    """Number of leaves, and links (a, b, sign, weight) with a < b, no pair twice with one sign."""
    n = draw(st.integers(2, 6))
    pair = st.sampled_from(list(combinations(range(n), 2)))
    one = st.tuples(pair, st.sampled_from([1, 1, -1]), st.sampled_from(weights))
    drawn = draw(st.lists(one, max_size=max_size, unique_by=lambda x: x[:2]))
    return n, [(a, b, sign, w) for (a, b), sign, w in drawn]


def made(n, some, *, strong=False):
    must, cannot = ([x for x in some if x[2] == sign] for sign in (1, -1))
    return PairwiseConstraints(
        [x[:2] for x in must],
        [x[:2] for x in cannot],
        n,
        must_weights=[x[3] for x in must] if strong else None,
        cannot_weights=[x[3] for x in cannot] if strong else None,
    )


def signs(p):
    return dict.fromkeys(map(tuple, p.must_link.tolist()), 1) | dict.fromkeys(map(tuple, p.cannot_link.tolist()), -1)


def closure_definition(n, some):
    """Every pair that the rules give, as {(a, b): sign} with both orders. None if one gets both signs."""
    known = {(a, b, sign) for x, y, sign, _ in some for a, b in ((x, y), (y, x))}
    while True:
        more = {(a, c, s * t) for a, b, s in known for x, c, t in known if b == x and a != c and (s, t) != (-1, -1)} | {
            (a, b, -1) for a, b, s in known for x, c, t in known if s == -t == 1 and {a, b} == {x, c}
        }
        if more <= known:
            break
        known |= more
    sign = {(a, b): s for a, b, s in known}
    return sign if len(sign) == len(known) else None


@cache
def partitions(n):
    """Every partition of 0..n-1, as cluster numbers in the order of first members."""
    return [p for p in product(range(n), repeat=n) if all(x <= max(p[:i], default=-1) + 1 for i, x in enumerate(p))]


def satisfied(partition, some):
    return all((partition[a] == partition[b]) == (sign > 0) for a, b, sign, _ in some)


def chains(n, some):
    """For each pair of leaves and sign, the weight of the strongest chain with at most one cannot-link."""
    table = {}
    for a, b, sign, w in some:
        for ends in ((a, b), (b, a)):
            table.setdefault(ends, []).append((sign, w))
    best = {}
    for k in range(2, n + 1):
        for path in permutations(range(n), k):
            steps = [table.get(ends, ()) for ends in zip(path, path[1:], strict=False)]
            for chosen in product(*steps) if all(steps) and path[0] < path[-1] else ():
                negative = sum(sign < 0 for sign, _ in chosen)
                if negative <= 1:
                    key = path[0], path[-1], -1 if negative else 1
                    best[key] = max(best.get(key, 0), min(w for _, w in chosen))
    return best


def soft_definition(n, some):
    """Links taken from the strongest to the weakest, those that chains of stronger ones contradict left out.

    Returns {(a, b): signed weight} and the links left out. None where links of one weight contradict each other.
    """
    held, out = [], []
    for t in sorted({x[3] for x in some}, reverse=True):
        stronger = chains(n, held)
        for x in [x for x in some if x[3] == t]:
            (out if (x[0], x[1], -x[2]) in stronger else held).append(x)
        if any((a, b, -sign) in chains(n, held) for a, b, sign, _ in held):
            return None
    return {(a, b): sign * w for (a, b, sign), w in chains(n, held).items()}, out


# ---------------------------------------------------------------------- the closure


@given(links())
def test_closure__is_that_of_the_rules(drawn):
    n, some = drawn
    p, wanted = made(n, some), closure_definition(n, some)
    if wanted is None:
        with pytest.raises(InconsistentPairsError) as caught:
            p.closure()
        path = caught.value.path
        steps = {tuple(sorted(x)) for x in zip(path, path[1:], strict=False)}
        assert steps <= {(a, b) for a, b, sign, _ in some if sign > 0}
        assert tuple(sorted(caught.value.cannot_link)) in {(a, b) for a, b, sign, _ in some if sign < 0}
        # no contradiction is shorter: all with shorter paths are none
        must = [x for x in some if x[2] > 0]
        shortest = min((len(way) for a, b, sign, _ in some if sign < 0 for way in ways(n, must, a, b)), default=None)
        assert len(path) == shortest
        return
    closure = p.closure()
    assert signs(p.expand()) == {(a, b): s for (a, b), s in wanted.items() if a < b}
    assert (closure.n_must, closure.n_cannot) == (p.expand().n_must, p.expand().n_cannot)
    assert p.expand().expand() == p.expand()
    assert p.expand().closure() == closure
    firsts = [closure.component.tolist().index(c) for c in range(closure.n_components)]
    assert firsts == sorted(firsts)


def ways(n, must, a, b):
    edges = {(x, y) for x, y, _, _ in must} | {(y, x) for x, y, _, _ in must}
    for k in range(2, n + 1):
        for path in permutations(range(n), k):
            if (path[0], path[-1]) == (a, b) and all(e in edges for e in zip(path, path[1:], strict=False)):
                yield path


@given(links())
def test_closure__says_what_all_partitions_have_in_common(drawn):
    n, some = drawn
    fitting = [x for x in partitions(n) if satisfied(x, some)]
    if not fitting:
        assert closure_definition(n, some) is None
        return
    common = {}
    for a, b in combinations(range(n), 2):
        same = {x[a] == x[b] for x in fitting}
        if len(same) == 1:
            common[a, b] = 1 if same.pop() else -1
    assert signs(made(n, some).expand()) == common
    assert made(n, some).closure().is_complete == (len(fitting) == 1)


# ---------------------------------------------------------------------- the soft closure


@given(links())
def test_soft__is_that_of_the_chains(drawn):
    n, some = drawn
    p, wanted = made(n, some, strong=True), soft_definition(n, some)
    if wanted is None:
        with pytest.raises(InconsistentPairsError) as caught:
            p.soft_closure()
        path, t = caught.value.path, caught.value.weight
        weights = {(a, b, sign): w for a, b, sign, w in some}
        used = [weights[min(x), max(x), 1] for x in zip(path, path[1:], strict=False)]
        used.append(weights[min(path[0], path[-1]), max(path[0], path[-1]), -1])
        assert min(used) == t
        return
    concluded, out = wanted
    soft = p.soft_closure()
    got = dict(zip(map(tuple, soft.must_link.tolist()), (soft.must_weights if len(soft) else ()), strict=True))
    got |= {
        tuple(x): -w for x, w in zip(soft.cannot_link.tolist(), soft.cannot_weights if len(soft) else (), strict=True)
    }
    assert got == concluded
    assert p.overruled() == made(n, out, strong=bool(out))
    assert soft.soft_closure() == soft
    soft.closure()  # no contradiction is left


@given(links(max_size=6))
def test_soft__of_consistent_links_every_chain_counts_and_the_strongest_wins(drawn):
    n, some = drawn
    if closure_definition(n, some) is None:
        return
    soft = made(n, some, strong=True).soft_closure()
    assert signs(soft) == signs(made(n, some).expand())
    best = chains(n, some)
    assert len(best) == len(soft)
    for rows, weight, sign in ((soft.must_link, soft.must_weights, 1), (soft.cannot_link, soft.cannot_weights, -1)):
        assert [best[a, b, sign] for a, b in rows.tolist()] == ([] if weight is None else weight.tolist())


@given(links(weights=[1.0]))
def test_soft__without_weights_is_the_closure(drawn):
    n, some = drawn
    p = made(n, some)
    if closure_definition(n, some) is None:
        with pytest.raises(InconsistentPairsError):
            p.soft_closure()
    else:
        assert p.soft_closure() == p.expand()
        assert len(p.overruled()) == 0


@given(links(), st.permutations(range(6)))
def test_pairs__say_the_same_whatever_the_order_of_the_leaves(drawn, order):
    n, some = drawn
    leaves = [x for x in order if x < n]
    p = made(n, some, strong=True)
    q = p.reindex(leaves)
    assert q == p
    if closure_definition(n, some) is not None:
        assert q.expand() == p.expand()
        assert q.soft_closure() == p.soft_closure()
        assert sorted(map(sorted, q.closure().groups(1))) == sorted(map(sorted, p.closure().groups(1)))


@given(links(), st.data())
def test_violated__are_must_links_between_clusters_and_cannot_links_inside(drawn, data):
    n, some = drawn
    p = made(n, some, strong=True)
    label = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    wanted = {(a, b, sign): w for a, b, sign, w in some if (label[a] == label[b]) == (sign < 0)}
    found = p.violated(label)
    kinds = np.where(np.arange(len(p)) < p.n_must, 1, -1)
    rows = np.column_stack([p.rows, kinds])[p.is_violated(label)].tolist()
    assert dict(zip(map(tuple, rows), p.row_weights[p.is_violated(label)].tolist(), strict=True)) == wanted
    assert len(found) == len(wanted)
