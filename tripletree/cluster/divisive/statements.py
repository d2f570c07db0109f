"""Step 2 of `DivisiveReCon`: all that is known, as triplets, pairs and votes, hard or soft."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.build import one_tree
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.induce import count_triplets, sample_triplets
from tripletree.algorithms.supervision import sample_class_triplets, triplets_from_classes
from tripletree.cluster.votes import FlatVotes
from tripletree.core.arrays import freeze
from tripletree.core.checks import counted
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import warn_user
from tripletree.knowledge.combined import can_all_hold
from tripletree.knowledge.value import Knowledge

#: Random triplets for each class label that is known.
TRIPLETS_PER_LABEL = 10


@dataclass(frozen=True, eq=False)
class AllStatements:
    """Statements as triplets and pairs. Some of `rows` may repeat others.

    Attributes
    ----------
    triplets : TripletSet
        Also the ones that follow from the hierarchy, the classes and the pairs.
    pairs : PairwiseConstraints
    rows : ndarray of int32, shape (v, 3)
    weight : ndarray of float64, shape (v,)
    must : ndarray of bool, shape (v,)
        Which of `rows` must hold. The others are votes.
    votes : FlatVotes
        On flat clusters: the pairs, and all triplets but theirs. Hard triplets and a hierarchy vote if they have one
        level.
    codes : ndarray of int64, shape (n_samples,), or None
        The classes, -1 where they are not known.
    n_of_pairs : int
        How many of `rows` follow from pairs.
    deciding : (ndarray of int32, shape (k, 3), ndarray of float64, shape (k,))
        Independent statements, which tell how much the features count, and their weights: the given triplets, and as
        many random ones of a hierarchy as it has leaves.
    """

    triplets: TripletSet
    pairs: PairwiseConstraints
    rows: np.ndarray
    weight: np.ndarray
    must: np.ndarray
    votes: FlatVotes
    codes: np.ndarray | None
    n_of_pairs: int
    deciding: tuple[np.ndarray, np.ndarray]

    def __or__(self, other: AllStatements) -> AllStatements:
        def joined(name: str) -> np.ndarray:
            return np.concatenate([getattr(self, name), getattr(other, name)])

        one, two = self.deciding, other.deciding
        return AllStatements(
            self.triplets | other.triplets,
            self.pairs | other.pairs,
            joined("rows"),
            joined("weight"),
            joined("must"),
            self.votes | other.votes,
            other.codes if self.codes is None else self.codes,
            self.n_of_pairs + other.n_of_pairs,
            (np.concatenate([one[0], two[0]]), np.concatenate([one[1], two[1]])),
        )


def make_statements(known: Knowledge, hard: bool, rng: np.random.Generator) -> AllStatements:
    """The statements of every kind. Either all must hold, or all are votes."""
    used, links = known.triplets, known.pairs
    rows, weight = [used.rows], [np.ones(len(used)) if used.weights is None else used.weights / used.weights.mean()]
    if known.codes is not None:
        of_classes, more, each = _knowledge_of_classes(known.codes, used.leaves, hard, rng)
        rows.append(of_classes.rows)
        weight.append(np.full(len(of_classes), each))
        used, links = used | of_classes, links | more
    of_pairs = (links if hard else _not_contradictory(links)).to_triplets()
    n, voting = len(used.leaves), np.concatenate(rows)
    voices = np.concatenate(weight)
    if hard and not has_one_level(voting, n):
        voting, voices = voting[:0], voices[:0]
    if known.hierarchy is not None:
        of_hierarchy = decompose(known.hierarchy).reindex(used.leaves)
        rows.append(of_hierarchy.rows)
        weight.append(np.ones(len(of_hierarchy)))
        used = used | of_hierarchy
        if has_one_level(of_hierarchy.rows, n):
            voting, voices = np.concatenate([voting, of_hierarchy.rows]), np.append(voices, weight[-1])
    votes = flat_votes(links, voting, voices)
    rows.append(of_pairs.rows)
    weight.append(np.ones(len(of_pairs)))
    every, voice = np.concatenate(rows), np.concatenate(weight)
    own = [known.triplets.rows], [voice[: len(known.triplets)]]
    if known.hierarchy is not None:
        m = min(known.hierarchy.n_leaves, count_triplets(known.hierarchy))
        drawn = sample_triplets(known.hierarchy, m, random_state=np.random.default_rng(0))
        own[0].append(drawn.reindex(used.leaves).rows)
        own[1].append(np.ones(m))
    deciding = np.concatenate(own[0]), np.concatenate(own[1])
    must = np.full(len(every), hard)
    return AllStatements(used | of_pairs, links, every, voice, must, votes, known.codes, len(of_pairs), deciding)


def has_one_level(rows: np.ndarray, n: int) -> bool:
    """Whether triplets on n samples have one level: their near pairs tie no two samples that a triplet keeps apart."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    a, b, c = rows.T
    _, group = connected_components(csr_array((np.ones(len(rows)), (a, b)), shape=(n, n)), directed=False)
    return bool((group[a] != group[c]).all())


def weight_by_clade(rows: np.ndarray, index: LeafIndex) -> np.ndarray:
    """Weights of triplets that can all hold: how many there are of a clade depends on how it is written down.

    The triplets that tell a clade from its siblings in the BUILD tree weigh as many as it has children, less 1: the
    fewest that tie the clade together. Each sibling has an equal part. For the triplets of a binary hierarchy as
    `decompose` gives them, that is 1 each.
    """
    if not len(rows):
        return np.empty(0)
    tree = one_tree(TripletSet(rows, index))
    a, _, c = rows.T
    top = engine.rooted_tree.common_ancestors(freeze(a.copy()), freeze(c.copy()), *tree.ancestor_table)
    begin, _, leaves = tree.leaf_intervals
    place = np.empty(leaves.size, np.int64)
    place[leaves] = np.arange(leaves.size)
    # the child of a node towards a leaf begins at that leaf or is the last to begin before it
    child = np.lexsort([begin[:-1], tree.parent[:-1]])
    key = tree.parent[child].astype(np.int64) * leaves.size + begin[child]
    clade, other = (
        child[np.searchsorted(key, top.astype(np.int64) * leaves.size + place[x], "right") - 1] for x in (a, c)
    )
    told, which, count = np.unique(clade * tree.n_nodes + other, return_inverse=True, return_counts=True)
    siblings = np.bincount(told // tree.n_nodes, minlength=tree.n_nodes)
    return (tree.n_children[clade] - 1) / (siblings[clade] * count[which])


def beside_hierarchy(known: Knowledge, rng: np.random.Generator) -> tuple[Knowledge, int]:
    """The statements that can hold beside the hierarchy and those before them, and how many others there are.

    Triplets come first, then must-links, cannot-links and all classes. They are tried together, and by halves if they
    contradict: O(w log m) runs of BUILD if w of m statements are left out.
    """
    m, n_must, n_cannot = len(known.triplets), known.pairs.n_must, known.pairs.n_cannot
    has_classes = known.codes is not None
    total = m + n_must + n_cannot + has_classes

    def part(rows: np.ndarray) -> Knowledge:
        kept = np.zeros(total, bool)
        kept[rows] = True
        ends = np.cumsum([m, n_must, n_cannot])
        of_triplets, must, cannot, classes = np.split(kept, ends)
        pairs = known.pairs.subset(must_link=must, cannot_link=cannot)
        codes = known.codes if classes.any() else None
        return replace(known, triplets=known.triplets.subset(of_triplets), pairs=pairs, codes=codes)

    def can_hold(rows: np.ndarray) -> bool:
        some = part(rows)
        if not some.pairs.is_consistent:
            return False
        given = make_statements(some, True, rng)
        return can_all_hold(given.triplets, given.pairs)

    kept, waiting = np.empty(0, np.int64), [np.arange(total)] if total else []
    while waiting:
        rows = waiting.pop()
        if can_hold(np.concatenate([kept, rows])):
            kept = np.concatenate([kept, rows])
        elif rows.size > 1:
            waiting += [rows[rows.size // 2 :], rows[: rows.size // 2]]
    left_out = total - kept.size
    if left_out:
        verb, other, are = ("contradicts", "another", "is") if left_out == 1 else ("contradict", "each other", "are")
        ties = " or ".join(["must-links tie"] * (n_must > 0) + ["a class ties"] * has_classes)
        why = f" (samples that {ties} together form a clade)" if ties else ""
        warn_user(
            f"{left_out} of {counted(total, 'statement')} beside the hierarchy {verb} it or {other}{why}, and {are} "
            'left out: a hierarchy is hard unless constraints="soft"'
        )
    return part(kept), left_out


def flat_votes(links: PairwiseConstraints, rows: np.ndarray, weight: np.ndarray) -> FlatVotes:
    """Pairs and triplets as votes."""
    same = np.arange(len(links)) < links.n_must
    return FlatVotes(links.rows, same, rows, np.concatenate([links.row_weights, weight]))


def _not_contradictory(links: PairwiseConstraints) -> PairwiseConstraints:
    """The pairs without cannot-links between samples that must-links tie together."""
    tied = PairwiseConstraints(links.must_link, [], links.leaves).closure().component
    apart = tied[links.cannot_link[:, 0]] != tied[links.cannot_link[:, 1]]
    weights = None if links.cannot_weights is None else links.cannot_weights[apart]
    return PairwiseConstraints(
        links.must_link, links.cannot_link[apart], links.leaves, must_weights=links.must_weights, cannot_weights=weights
    )


def _knowledge_of_classes(
    codes: np.ndarray, leaves: LeafIndex, hard: bool, rng: np.random.Generator
) -> tuple[TripletSet, PairwiseConstraints, float]:
    """The triplets and pairs that follow from the classes of some samples, and the weight of each triplet.

    Hard classes are must-linked groups, kept apart. For soft ones random triplets of the classes vote. Together they
    weigh half as much as there are labels, since one wrong label makes many wrong triplets.
    """
    known = np.flatnonzero(codes >= 0)
    nothing = PairwiseConstraints([], [], leaves)
    size = np.bincount(codes[known])
    implied = int((size * (size - 1) // 2 * (known.size - size)).sum())
    if known.size == 0 or (implied == 0 and not hard):
        return TripletSet(np.empty((0, 3), np.int32), leaves), nothing, 1.0
    if not hard:
        m = min(implied, TRIPLETS_PER_LABEL * known.size)
        some = sample_class_triplets(codes, m, leaves=leaves, samples=known, random_state=rng)
        return some, nothing, known.size / (2 * m)
    order = known[np.argsort(codes[known], kind="stable")]
    same = codes[order[:-1]] == codes[order[1:]]
    must = np.stack([order[:-1], order[1:]], axis=1)[same]
    first = order[np.concatenate([[True], ~same])]
    i, j = np.triu_indices(first.size, 1)
    pairs = PairwiseConstraints(must, np.stack([first[i], first[j]], axis=1), leaves)
    return triplets_from_classes(codes, leaves=leaves, samples=known), pairs, 1.0
