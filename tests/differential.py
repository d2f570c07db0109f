"""Random small worlds through the public functions, against the definitions (a part of `make fuzz`).

With up to five leaves there are at most 236 hierarchies, and 30 triplets. A set of triplets is a number of 30 bits, and
a hierarchy displays it if its own bits hold those of the set. So everything that triplets can mean is decided by
looking at all hierarchies. With up to seven samples there are at most 877 partitions, which decide the same for flat
clusters. No code is shared with the package.

Each target is a function `check_*(rng)` that draws one world and asserts what should hold in it. A world is known by
the target's name and the seed of its rng. Both are printed if it fails, and become a line of tests/corpus/worlds.txt,
which the tests run again: mend the cause, keep the line.

    python tests/differential.py --seconds 60 [--seed 7] [TARGET ...]
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from contextlib import contextmanager
from functools import cache
from itertools import combinations
from math import log2
from pathlib import Path

import numpy as np
from complete_link_oracle import complete_link_definition
from examples import small_world
from oracles import clades_of, clades_of_hierarchy, displayed, one_tree_definition
from pck_oracle import means, pck_objective
from recon_oracle import LINKAGES, recon_definition

import tripletree as tt
from tripletree.algorithms import (
    all_triplets,
    are_compatible,
    clade_support,
    closure_size,
    consensus_tree,
    count_hierarchies,
    decomposition_size,
    enforce_triplets,
    information_content,
    redundant,
)
from tripletree.cluster import (
    CVQE,
    BoostedConstrainedKMeans,
    ConstrainedCompleteLink,
    COPKMeans,
    DivisiveReCon,
    MPCKMeans,
    PCKMeans,
    ReCon,
)
from tripletree.errors import InfeasibleClusteringError
from tripletree.evaluation import constrained_rand_index, pairwise_precision_recall, violated_pairs

WORLDS = Path(__file__).parent / "corpus" / "worlds.txt"

# ---------------------------------------------------------------------- all hierarchies, all partitions


class Tree:
    """A hierarchy as its clades and its bits."""

    def __init__(self, nested, n):
        self.nested, self.clades = nested, frozenset(clades_of(nested))
        self.bits = sum(1 << k for k, t in enumerate(triplets_on(n)) if displayed(self.clades, *t))
        self.is_binary = self.bits.bit_count() == n * (n - 1) * (n - 2) // 6


@cache
def triplets_on(n):
    """All triplets of n leaves. The place in the list is a triplet's bit."""
    return [t for x, y, z in combinations(range(n), 3) for t in ((x, y, z), (x, z, y), (y, z, x))]


@cache
def bit_of(n):
    return {t: 1 << k for k, t in enumerate(triplets_on(n))}


@cache
def trees(n):
    return [Tree(x, n) for x in small_world(n)]


@cache
def partitions(n):
    """All ways to put n samples into clusters, as labels that are numbered in the order of their first samples."""
    out = [()]
    for _ in range(n):
        out = [(*labels, g) for labels in out for g in range(max(labels, default=-1) + 2)]
    return out


def bits_of(rows, n):
    return sum(bit_of(n)[(min(a, b), max(a, b), c)] for a, b, c in set(map(sorted_row, rows)))


def sorted_row(row):
    a, b, c = map(int, row)
    return min(a, b), max(a, b), c


def displaying(bits, n):
    """All hierarchies that display a set."""
    return [tree for tree in trees(n) if tree.bits & bits == bits]


def entailed(bits, n):
    """The bits of all triplets that each hierarchy displays that displays these. All bits if there is none."""
    out = (1 << len(triplets_on(n))) - 1
    for tree in displaying(bits, n):
        out &= tree.bits
    return out


def rows_of(triplets):
    return [sorted_row(row) for row in triplets.rows.tolist()]


def set_of(rows, n, weights=None):
    return tt.TripletSet(np.array(rows, np.int32).reshape(-1, 3), n, weights)


def same_tree(hierarchy, clades):
    return set(clades_of_hierarchy(hierarchy)) == set(clades)


def hierarchy_of(tree, n):
    return tt.Hierarchy.from_nested(tree.nested).reindex(tt.LeafIndex(n))


def drawn_tree(rng, n):
    return trees(n)[rng.integers(len(trees(n)))]


def drawn_rows(rng, n, *, consistent=False):
    """Rows of triplets: most of one hierarchy, some repeated, some with the first two turned, and some at random."""
    tree = drawn_tree(rng, n)
    shown = [x for x in triplets_on(n) if tree.bits & bit_of(n)[x]]
    rows = [shown[k] for k in rng.integers(len(shown), size=rng.integers(0, 2 * n))] if shown else []
    if not consistent:
        rows += [triplets_on(n)[k] for k in rng.integers(len(triplets_on(n)), size=rng.integers(0, 4))]
    return [(b, a, c) if rng.random() < 0.5 else (a, b, c) for a, b, c in rng.permutation(rows).tolist()]


def drawn_pairs(rng, n, labels=None):
    """Must-links and cannot-links: of a partition, or arbitrary ones."""
    every = list(combinations(range(n), 2))
    chosen = [every[k] for k in rng.permutation(len(every))[: rng.integers(0, n + 1)]]
    must = [(a, b) for a, b in chosen if (rng.random() < 0.4 if labels is None else labels[a] == labels[b])]
    return must, [pair for pair in chosen if pair not in must]


def keeps(labels, must, cannot):
    return all(labels[a] == labels[b] for a, b in must) and all(labels[a] != labels[b] for a, b in cannot)


def as_partition(labels):
    """The labels numbered in the order of their first samples."""
    number = {}
    return tuple(number.setdefault(g, len(number)) for g in np.asarray(labels).tolist())


@contextmanager
def raises(kind, wanted=True):
    """The body raises this error exactly if it is wanted."""
    try:
        yield
    except kind:
        assert wanted, f"{kind.__name__} was raised"
    else:
        assert not wanted, f"no {kind.__name__} was raised"


# ---------------------------------------------------------------------- triplets and hierarchies


def check_consistency(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n)
    triplets, bits = set_of(rows, n), bits_of(rows, n)
    is_consistent = bool(displaying(bits, n))
    assert tt.is_consistent(triplets) == is_consistent
    assert len(triplets) == bits.bit_count()
    with raises(tt.InconsistentTripletsError, not is_consistent):
        assert same_tree(tt.one_tree(triplets), clades_of(one_tree_definition(rows_of(triplets), range(n))))


def is_conflict(rows, n):
    """Whether the rows are inconsistent, and are no more if one is left out."""
    return not displaying(bits_of(rows, n), n) and all(
        displaying(bits_of([x for x in rows if x != row], n), n) for row in rows
    )


def check_conflicts(rng):
    n = int(rng.integers(3, 6))
    triplets = set_of(drawn_rows(rng, n), n)
    rows = set(rows_of(triplets))
    is_consistent = bool(displaying(bits_of(rows, n), n))
    found = tt.find_conflict(triplets)
    assert (found is None) == is_consistent
    least = next((k for k in range(2, 5) if any(is_conflict(x, n) for x in combinations(rows, k))), None)
    if found is not None:
        assert set(rows_of(found.triplets)) <= rows
        assert is_conflict(rows_of(found.triplets), n)
        if least is not None:
            assert found.at_least <= least <= len(found.triplets)
            assert found.smallest == (found.at_least == len(found.triplets))
    several = [rows_of(x.triplets) for x in tt.find_conflicts(triplets)]
    assert bool(several) != is_consistent
    assert all(is_conflict(x, n) and set(x) <= rows for x in several)
    assert sum(map(len, several)) == len({row for x in several for row in x})
    assert displaying(bits_of(rows - {row for x in several for row in x}, n), n)


def check_inference(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n, consistent=True)
    triplets, bits = set_of(rows, n), bits_of(rows, n)
    follows = entailed(bits, n)
    assert bits_of(rows_of(tt.closure(triplets)), n) == follows
    assert closure_size(triplets) == follows.bit_count()
    every = set_of(triplets_on(n), n)
    assert tt.implies(triplets, every).tolist() == [bool(follows & bit_of(n)[x]) for x in rows_of(every)]
    without = [entailed(bits & ~bit_of(n)[x], n) & bit_of(n)[x] for x in rows_of(triplets)]
    assert redundant(triplets).tolist() == [bool(x) for x in without]
    least = rows_of(tt.irredundant(triplets, random_state=int(rng.integers(9))))
    assert set(least) <= set(rows_of(triplets))
    assert entailed(bits_of(least, n), n) == follows
    assert not any(entailed(bits_of([y for y in least if y != x], n), n) == follows for x in least)
    binary = [x for x in displaying(bits, n) if x.is_binary]
    assert count_hierarchies(triplets) == len(binary)
    told = log2(sum(x.is_binary for x in trees(n)) / len(binary))
    assert abs(information_content(triplets) - told) < 1e-9


def check_repair(rng):
    n = int(rng.integers(3, 6))
    rows = list(dict.fromkeys(map(sorted_row, drawn_rows(rng, n))))
    weights = rng.integers(1, 4, len(rows)).astype(float) if rng.random() < 0.5 else None
    triplets = set_of(rows, n, weights)
    weight = dict(zip(rows_of(triplets), np.ones(len(rows)) if weights is None else triplets.weights, strict=True))
    best = max(sum(w for x, w in weight.items() if tree.bits & bit_of(n)[x]) for tree in trees(n))
    for method in ("exact", "search", "greedy", "auto"):
        found = tt.repair(triplets, method=method, random_state=int(rng.integers(9)))
        kept = bits_of(rows_of(found.kept), n)
        assert displaying(kept, n)
        assert sorted(rows_of(found.kept) + rows_of(found.dropped)) == sorted(weight)
        assert all(not displaying(kept | bit_of(n)[x], n) for x in rows_of(found.dropped))
        assert found.weight_kept <= best + 1e-9
        assert found.weight_kept == best or method in ("search", "greedy")
        assert same_tree(found.hierarchy, clades_of(one_tree_definition(rows_of(found.kept), range(n))))


def check_builder(rng):
    n = int(rng.integers(3, 6))
    builder, bits, before = tt.TripletBuilder(n), 0, []
    for _ in range(int(rng.integers(5, 25))):
        row = triplets_on(n)[rng.integers(len(triplets_on(n)))]
        bit, action = bit_of(n)[row], rng.choice(["add", "try", "rows", "remove", "undo", "ask"])
        fits = bool(displaying(bits | bit, n))
        if action == "add":
            with raises(tt.InconsistentTripletsError, not fits):
                builder.add(row)
            if fits:
                before.append(bits)
        elif action == "try":
            assert builder.try_add(row) == fits
            if fits:
                before.append(bits)
        elif action == "rows":
            more = [triplets_on(n)[k] for k in rng.integers(len(triplets_on(n)), size=rng.integers(1, 6))]
            before.append(bits)
            for x, was_taken in zip(more, builder.try_add_rows(more).tolist(), strict=True):
                assert was_taken == bool(displaying(bits | bit_of(n)[x], n))
                bits |= bit_of(n)[x] * was_taken
            bit = 0
        elif action == "remove":
            with raises(tt.TripletreeError, not bits & bit):
                builder.remove(row)
            if bits & bit:
                before.append(bits)
                bits ^= bit
            bit = 0
        elif action == "undo" and before:
            builder.undo()
            bits, bit = before.pop(), 0
        else:
            assert builder.can_add([row]).tolist() == [fits]
            assert (row in builder) == bool(bits & bit)
            bit = 0
        bits |= bit * fits
        rows = rows_of(builder.triplets)
        assert bits_of(rows, n) == bits
        if rng.random() < 0.5:
            assert same_tree(builder.hierarchy, clades_of(one_tree_definition(rows, range(n))))


def check_hierarchies(rng):
    n = int(rng.integers(2, 6))
    one, two = drawn_tree(rng, n), drawn_tree(rng, n)
    first, second = hierarchy_of(one, n), hierarchy_of(two, n)
    every = triplets_on(n)
    if every:
        rows = [every[k] for k in rng.integers(len(every), size=6)]
        triplets = set_of(rows, n)
        assert tt.displays(first, triplets).tolist() == [bool(one.bits & bit_of(n)[x]) for x in rows_of(triplets)]
        share = sum(bool(one.bits & bit_of(n)[x]) for x in rows_of(triplets)) / len(triplets)
        assert abs(tt.triplet_score(first, triplets) - share) < 1e-12
    assert tt.count_triplets(first) == one.bits.bit_count()
    assert bits_of(rows_of(all_triplets(first)), n) == one.bits
    drawn = tt.sample_triplets(first, one.bits.bit_count() // 2, random_state=int(rng.integers(99)))
    assert bits_of(rows_of(drawn), n) & ~one.bits == 0
    assert tt.robinson_foulds(first, second) == len(one.clades ^ two.clades)
    differ = sum(((one.bits ^ two.bits) >> 3 * k & 7) != 0 for k in range(len(every) // 3))
    assert tt.triplet_distance(first, second) == differ
    told = rows_of(tt.decompose(first, random_state=int(rng.integers(99))))
    assert len(told) == decomposition_size(first)
    assert all(one.clades <= x.clades for x in displaying(bits_of(told, n), n))
    assert same_tree(tt.one_tree(tt.decompose(first, guarantee="rebuild")), one.clades)
    if one.is_binary:
        assert same_tree(tt.from_linkage(tt.to_linkage(first)), one.clades)
    others = [drawn_tree(rng, n) for _ in range(int(rng.integers(1, 6)))]
    hierarchies = [hierarchy_of(x, n) for x in others]
    inner = clades_in_order(first)
    support = clade_support(first, hierarchies)
    for u, clade in inner.items():
        assert abs(support[u - n] - sum(clade in x.clades for x in others) / len(others)) < 1e-12
    most = {c for x in others for c in x.clades if 2 * sum(c in y.clades for y in others) > len(others)}
    assert same_tree(consensus_tree(hierarchies).hierarchy, most)


def check_induced(rng):
    """The triplet on each three leaves, and the same told as answers, as lines of Newick and without some leaves."""
    n = int(rng.integers(3, 6))
    tree = drawn_tree(rng, n)
    h = hierarchy_of(tree, n)
    trios = list(combinations(range(n), 3))
    own = [[t for t in ((x, y, z), (x, z, y), (y, z, x)) if tree.bits & bit_of(n)[t]] for x, y, z in trios]
    told = tt.induce(h, [tuple(rng.permutation(x).tolist()) for x in trios])
    assert [None if x is None else sorted_row(x) for x in told] == [some[0] if some else None for some in own]
    answered = tt.triplets_from_odd_one_out(
        [x for x, some in zip(trios, own, strict=True) if some], [some[0][2] for some in own if some], leaves=range(n)
    )
    assert bits_of(rows_of(answered), n) == tree.bits
    again = tt.parse_newick(tt.write_newick(h))
    read = {frozenset(int(again.leaves[i]) for i in clade) for clade in clades_in_order(again).values()}
    assert read == set(clades_in_order(h).values())
    left = np.sort(rng.permutation(n)[:3]).tolist()
    assert tt.count_triplets(h.restrict(left)) == len(own[trios.index(tuple(left))])


def check_classes(rng):
    """Classes as triplets and as pairs, and clusters and a hierarchy scored against them."""
    n = int(rng.integers(2, 6))
    classes = partitions(n)[rng.integers(len(partitions(n)))]
    labels = partitions(n)[rng.integers(len(partitions(n)))]
    y, found = np.array(classes), np.array(labels)
    apart = {frozenset(np.flatnonzero(y == g).tolist()) for g in set(classes)}
    bits = bits_of(rows_of(tt.triplets_from_classes(y)), n)
    binary = [x for x in displaying(bits, n) if x.is_binary]
    assert binary
    assert all({c for c in apart if 1 < len(c) < n} <= x.clades for x in binary)
    pairs = tt.pairs_from_classes(y)
    for which in (pairs, tt.pairs_from_classes(y, which="spanning")):
        fitting = [x for x in partitions(n) if keeps(x, which.must_link.tolist(), which.cannot_link.tolist())]
        assert fitting == [as_partition(classes)]
    wrong = [
        (a, b, "must" if y[a] == y[b] else "cannot")
        for a, b in combinations(range(n), 2)
        if (y[a] == y[b]) != (found[a] == found[b])
    ]
    assert sorted(violated_pairs(found, pairs)) == sorted(wrong)
    both = [(y[a] == y[b], found[a] == found[b]) for a, b in combinations(range(n), 2)]
    scores = pairwise_precision_recall(y, found)
    for score, of in ((scores.precision, [p for p, q in both if q]), (scores.recall, [q for p, q in both if p])):
        assert not of or abs(score - np.mean(of)) < 1e-12
    rows = drawn_rows(rng, n) if n > 2 else []
    if rows:
        held = [is_satisfied(labels, *x) for x in set(map(sorted_row, rows))]
        assert abs(tt.label_triplet_score(found, set_of(rows, n)) - np.mean(held)) < 1e-12
    tree = drawn_tree(rng, n)
    same = [(a, b) for a, b in combinations(range(n), 2) if y[a] == y[b]]
    if same:
        smallest = [min((c for c in (*tree.clades, frozenset(range(n))) if {a, b} <= c), key=len) for a, b in same]
        pure = np.mean([np.mean(y[list(c)] == y[a]) for c, (a, _) in zip(smallest, same, strict=True)])
        assert abs(tt.dendrogram_purity(hierarchy_of(tree, n), y) - pure) < 1e-12


def check_cuts(rng):
    """Clusters cut from a hierarchy, and two hierarchies compared triple by triple."""
    n = int(rng.integers(2, 6))
    tree, other = drawn_tree(rng, n), drawn_tree(rng, n)
    h, k = hierarchy_of(tree, n), int(rng.integers(1, n + 1))
    for rule in ("merge_order", "height"):
        found = tt.cut(h, k, rule=rule) if tree.is_binary else tt.cut(h, n, rule=rule)
        wanted = k if tree.is_binary else n
        clusters = [frozenset(np.flatnonzero(found == g).tolist()) for g in set(found.tolist())]
        assert len(clusters) == wanted
        assert all(c in tree.clades or len(c) in (1, n) for c in clusters)
    trios = [(tree.bits >> 3 * x & 7, other.bits >> 3 * x & 7) for x in range(len(triplets_on(n)) // 3)]
    told = tt.compare_triplets(h, hierarchy_of(other, n))
    assert told.alike == sum(a == b != 0 for a, b in trios)
    assert told.different == sum(a != b and a != 0 and b != 0 for a, b in trios)
    assert told.first_only == sum(a != 0 == b for a, b in trios)
    assert told.second_only == sum(b != 0 == a for a, b in trios)
    assert told.unresolved == sum(a == b == 0 for a, b in trios)


def check_reduced_pairs(rng):
    """Pairs as triplets, and clusters scored by the pairs that constraints leave open."""
    n = int(rng.integers(3, 6))
    labels = partitions(n)[rng.integers(len(partitions(n)))]
    must, cannot = drawn_pairs(rng, n, labels if rng.random() < 0.8 else None)
    pairs = tt.PairwiseConstraints(must, cannot, n)
    fitting = [x for x in partitions(n) if keeps(x, must, cannot)]
    with raises(tt.InconsistentPairsError, not fitting):
        found = tt.reduce_pairs(pairs)
    y, guess = (partitions(n)[rng.integers(len(partitions(n)))] for _ in range(2))
    if fitting:
        decided = {p for p in combinations(range(n), 2) if len({x[p[0]] == x[p[1]] for x in fitting}) == 1}
        tied = {p for p in decided if fitting[0][p[0]] == fitting[0][p[1]]}
        apart = decided - tied
        means = sum(
            bit_of(n)[a, b, c]
            for a, b, c in triplets_on(n)
            if (a, b) in tied and {tuple(sorted((a, c))), tuple(sorted((b, c)))} <= apart
        )
        bits = bits_of(rows_of(found.triplets), n)
        assert bits & ~means == 0
        assert entailed(bits, n) & means == means
        assert not any(
            entailed(bits & ~bit_of(n)[x], n) & means == means for x in triplets_on(n) if bits & bit_of(n)[x]
        )
        free = [p for p in combinations(range(n), 2) if p not in decided]
        share = np.mean([(y[a] == y[b]) == (guess[a] == guess[b]) for a, b in free]) if free else 1.0
        score = constrained_rand_index(np.array(y), np.array(guess), pairs=pairs)
        assert abs(score - share) < 1e-12


def clades_in_order(h):
    """The leaves below each inner node."""
    below = {u: {u} for u in range(h.n_leaves)}
    for u, p in enumerate(h.parent.tolist()):
        if p >= 0:
            below.setdefault(p, set()).update(below[u])
    return {u: frozenset(x) for u, x in below.items() if u >= h.n_leaves}


def check_supertrees(rng):
    n = 5
    parts, bits = [], 0
    for _ in range(int(rng.integers(1, 4))):
        some = np.sort(rng.permutation(n)[: rng.integers(3, n + 1)])
        tree = drawn_tree(rng, len(some))
        rows = [tuple(int(some[x]) for x in t) for t in triplets_on(len(some)) if tree.bits & bit_of(len(some))[t]]
        bits |= bits_of(rows, n)
        parts.append(tt.Hierarchy.from_nested(renamed(tree.nested, some)))
    fits = bool(displaying(bits, n))
    with raises(tt.InconsistentTripletsError, not fits):
        found = tt.supertree(parts, on_conflict="raise").hierarchy
        rows = [tuple(found.leaves[i] for i in row) for row in all_triplets(found).rows.tolist()]
        assert bits_of(rows, n) & bits == bits


def renamed(nested, names):
    return tuple(renamed(x, names) for x in nested) if isinstance(nested, tuple) else int(names[nested])


# ---------------------------------------------------------------------- flat clusters and pairs


def is_compatible(labels, bits, n):
    """Whether the clusters are clades of some hierarchy that displays all of the set."""
    clusters = {frozenset(np.flatnonzero(np.array(labels) == g).tolist()) for g in set(labels)}
    clusters = {c for c in clusters if 1 < len(c) < n}
    return any(clusters <= tree.clades for tree in displaying(bits, n))


def is_satisfied(labels, a, b, c):
    """Whenever c is with one of a and b, all three are together."""
    return labels[c] not in (labels[a], labels[b]) or labels[a] == labels[b]


def check_clusters(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n, consistent=True)
    triplets, bits = set_of(rows, n), bits_of(rows, n)
    labels = partitions(n)[rng.integers(len(partitions(n)))]
    y = np.array(labels)
    assert tt.satisfies(y, triplets).tolist() == [is_satisfied(labels, *x) for x in rows_of(triplets)]
    assert are_compatible(y, triplets) == is_compatible(labels, bits, n)
    assert is_compatible(as_partition(enforce_triplets(y, triplets)), bits, n)
    other = np.array(partitions(n)[rng.integers(len(partitions(n)))])
    both = [(y[a] == y[b], other[a] == other[b]) for a, b in combinations(range(n), 2)]
    assert abs(tt.rand_index(y, other) - np.mean([p == q for p, q in both])) < 1e-12
    hits, p, q = sum(a and b for a, b in both), sum(a for a, _ in both), sum(b for _, b in both)
    if p + q:
        assert abs(tt.pairwise_f_score(y, other) - 2 * hits / (p + q)) < 1e-12


def check_pairs(rng):
    n = int(rng.integers(2, 8))
    must, cannot = drawn_pairs(rng, n)
    pairs = tt.PairwiseConstraints(must, cannot, n)
    fitting = [x for x in partitions(n) if keeps(x, must, cannot)]
    assert bool(tt.find_contradictions(pairs)) != bool(fitting)
    labels = np.array(partitions(n)[rng.integers(len(partitions(n)))])
    if must or cannot:
        kept = sum(labels[a] == labels[b] for a, b in must) + sum(labels[a] != labels[b] for a, b in cannot)
        assert abs(tt.pair_score(labels, pairs) - kept / (len(must) + len(cannot))) < 1e-12
    for k in range(1, min(n, 4) + 1):
        wanted = [x for x in fitting if max(x) + 1 == k]
        with raises((tt.InconsistentPairsError, InfeasibleClusteringError), not wanted):
            found = COPKMeans(k, n_init=1, random_state=0).fit(rng.normal(size=(n, 2)), pairs=(must, cannot))
            assert as_partition(found.labels_) in wanted


# ---------------------------------------------------------------------- estimators


def check_recon(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n, consistent=True)
    X, linkage = rng.normal(size=(n, 2)), str(rng.choice(LINKAGES))
    k = int(rng.integers(1, n + 1))
    model = ReCon(k, linkage=linkage).fit(X, triplets=set_of(rows, n))
    wanted = recon_definition(sorted(set(map(sorted_row, rows))), linkage, X)
    assert np.array_equal(model.children_, wanted[:, :2])
    assert np.allclose(model.distances_, wanted[:, 2])
    assert tt.displays(model.hierarchy_, set_of(rows, n)).all()
    assert is_compatible(as_partition(model.labels_), bits_of(rows, n), n)


def check_recon_with_pairs(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n, consistent=True)
    must, cannot = drawn_pairs(rng, n)
    bits = bits_of(rows, n)
    groups_fit = clades_hold(must, n, bits)
    k = int(rng.integers(1, n + 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # labels may break triplets where cannot-links ask for it
            model = ReCon(k).fit(rng.normal(size=(n, 2)), triplets=set_of(rows, n), pairs=(must, cannot))
    except tt.InconsistentPairsError:
        assert not any(keeps(x, must, cannot) for x in partitions(n))
    except tt.InconsistentTripletsError:
        assert not groups_fit
    except InfeasibleClusteringError:
        pass  # greedy merges may end where others would not
    else:
        assert groups_fit
        assert tt.displays(model.hierarchy_, set_of(rows, n)).all()
        assert keeps(model.labels_, must, cannot)


def clades_hold(must, n, bits):
    """Whether a hierarchy that displays the set has a clade for each group that must-links tie together."""
    group = list(range(n))
    for a, b in must:
        group = [group[a] if g == group[b] else g for g in group]
    return is_compatible(group, bits, n)


def check_complete_link(rng):
    n = int(rng.integers(2, 8))
    labels = partitions(n)[rng.integers(len(partitions(n)))]
    must, cannot = drawn_pairs(rng, n, labels)
    D = np.triu(rng.random((n, n)), 1)
    D += D.T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ConstrainedCompleteLink(1, metric="precomputed", on_infeasible="more").fit(D, pairs=(must, cannot))
    found = as_partition(model.labels_)
    assert keeps(found, must, cannot)
    clusters = complete_link_definition(D, must, cannot)[1]
    assert {frozenset(np.flatnonzero(model.labels_ == g).tolist()) for g in set(model.labels_)} == clusters


def check_divisive(rng):
    n = int(rng.integers(3, 6))
    rows = drawn_rows(rng, n, consistent=True)
    X, k = rng.normal(size=(n, 2)), int(rng.integers(1, n + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hard = DivisiveReCon(k, constraints="hard").fit(X, triplets=set_of(rows, n))
        soft = DivisiveReCon(k, constraints="soft", effort=0.1).fit(X, triplets=set_of(rows, n))
    assert tt.displays(hard.hierarchy_, set_of(rows, n)).all()
    assert tt.satisfies(hard.labels_, set_of(rows, n)).all()
    for model in (hard, soft):
        assert len(model.labels_) == n
        assert as_partition(model.labels_) in partitions(n)
        assert sorted(map(int, model.hierarchy_.leaves)) == list(range(n))


def check_soft_pairs(rng):
    n = int(rng.integers(3, 8))
    must, cannot = drawn_pairs(rng, n)
    X, k = rng.normal(size=(n, 2)), int(rng.integers(1, 4))
    k = min(k, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        soft = PCKMeans(k, n_init=2, random_state=0).fit(X, pairs=(must, cannot))
        others = [
            model.fit(X, pairs=(must, cannot))
            for model in (
                MPCKMeans(k, n_init=1, random_state=0),
                CVQE(k, n_init=1, random_state=0),
                BoostedConstrainedKMeans(k, n_init=1, n_rounds=3, random_state=0),
            )
        ]
    best = min(pck_objective(X, x, means(X, x, k), must, cannot, 1.0) for x in partitions(n) if max(x) < k)
    assert soft.objective_ >= best * (1 - 1e-9) - 1e-12
    own = as_partition(soft.labels_)
    assert abs(soft.objective_ - pck_objective(X, own, means(X, own, k), must, cannot, 1.0)) < 1e-6 * (1 + best)
    for model in (soft, *others):
        assert as_partition(model.labels_) in partitions(n)
        assert set(model.labels_.tolist()) <= set(range(k))


# ---------------------------------------------------------------------- the search

TARGETS = {name.removeprefix("check_"): f for name, f in list(globals().items()) if name.startswith("check_")}


def check(name, seed):
    """One world of a target."""
    TARGETS[name](np.random.default_rng(seed))


def search(name, seconds, seed):
    """Number of worlds tried, and the seed of one that failed with its failure, or None."""
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        try:
            check(name, seed + count)
        except Exception:  # whatever it is, it is a finding
            return count, seed + count, traceback.format_exc()
        count += 1
    return count, None, ""


def kept_worlds():
    """(target, seed) of the worlds that failed once."""
    return [(name, int(seed)) for name, seed in map(str.split, WORLDS.read_text(encoding="utf-8").splitlines())]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together (default: 60)")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1000 % 10**12, help="where chance begins")
    given = parser.parse_args(argv)
    targets, failures = given.targets or list(TARGETS), 0
    sys.stdout.write(f"seed {given.seed}, {len(targets)} targets\n")
    for name in targets:
        count, failed, why = search(name, given.seconds / len(targets), given.seed)
        sys.stdout.write(f"{name:20} {count:9,} worlds  {'ok' if failed is None else 'FAILED'}\n")
        if failed is not None:
            failures += 1
            with WORLDS.open("a", encoding="utf-8") as file:
                file.write(f"{name} {failed}\n")
            sys.stdout.write(f"kept in {WORLDS.name}: {name} {failed}\n{why}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
