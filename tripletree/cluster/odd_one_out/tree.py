"""The hierarchy of the samples: by Ward's linkage under the answers, or the mean of sampled trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree.algorithms.build import is_consistent
from tripletree.algorithms.cut import cut, suggest_n_clusters
from tripletree.algorithms.linkage import from_linkage
from tripletree.algorithms.majority import clade_support
from tripletree.algorithms.repair import repair
from tripletree.cluster.agglomerative.plan import MergePlan, merge_samples
from tripletree.cluster.distances import FittedMetric
from tripletree.cluster.divisive.flat import by_votes
from tripletree.cluster.divisive.statements import flat_votes
from tripletree.cluster.divisive.tree import linkage_of
from tripletree.cluster.odd_one_out.tree_beliefs import mean_of
from tripletree.cluster.posterior import TreeSample
from tripletree.core.answers import AnswerSet
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import in_order_of_first
from tripletree.core.leaves import LeafIndex
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentTripletsError
from tripletree.knowledge.combined import check_consistent, combine_constraints

#: Triplets that are drawn for each sample to estimate the uncertainty of its cluster.
DRAWN = 10

#: With more samples than this, samples of one node and one cluster are leaves side by side, because Ward's linkage of
#: all would take minutes.
MOST_MERGED = 10_000


def answered_hierarchy(X: np.ndarray, labels: np.ndarray, node: np.ndarray, triplets: TripletSet) -> Hierarchy:
    """Build the hierarchy of Ward merges that displays the triplets, with clusters as clades where triplets allow it.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
    labels : ndarray of int, shape (n,)
        Clusters.
    node : ndarray of int, shape (n,)
        The node of each sample in the neighbour graph.
    triplets : TripletSet
        Triplets over the n samples. If they contradict each other, `repair` keeps a part of them.

    Returns
    -------
    Hierarchy
    """
    n = len(X)
    if not is_consistent(triplets):
        triplets = repair(triplets, random_state=0).kept
    if n <= MOST_MERGED:
        return _merged(X, labels, triplets)
    # a sample with an answer is an item of its own, the others share one if they share node and cluster
    alone = np.full(n, -1)
    alone[triplets.used_leaves] = triplets.used_leaves
    _, first, item = np.unique(np.stack([alone, node, labels], axis=1), axis=0, return_index=True, return_inverse=True)
    item, size = item.ravel(), np.bincount(item.ravel())
    means = np.stack([np.bincount(item, x) for x in X.T], axis=1) / size[:, None]
    tree = _merged(means, labels[first], TripletSet(item[triplets.rows].astype(np.int32), size.size))
    return expanded(tree, item, triplets.leaves)


def expanded(tree: Hierarchy, item: np.ndarray, leaves: LeafIndex) -> Hierarchy:
    """Replace each leaf of a tree over items by the samples of the item, as leaves side by side.

    Parameters
    ----------
    tree : Hierarchy
        A tree over g items.
    item : ndarray of int, shape (n,)
        The item of each sample. Each item has at least one sample.
    leaves : LeafIndex
        Names of the n samples.
    """
    n, g, size = item.size, tree.n_leaves, np.bincount(item)
    # the leaves of the tree become the first inner nodes, except for items of one sample
    above = np.where(tree.parent >= 0, tree.parent + n, -1).astype(np.int32)
    number = np.arange(g, dtype=np.int32) + n
    parent = np.concatenate([number[item], above])
    single = size[item] == 1
    parent[:n][single] = above[item[single]]
    kept = np.concatenate([np.ones(n, bool), size > 1, np.ones(tree.n_nodes - g, bool)])
    place = np.append(np.cumsum(kept) - 1, -1).astype(np.int32)  # -1 stays -1
    return Hierarchy(place[parent[kept]], leaves, height=np.concatenate([np.zeros(n), tree.height])[kept])


def _merged(X: np.ndarray, labels: np.ndarray, triplets: TripletSet) -> Hierarchy:
    if len(X) < 2:
        return Hierarchy([-1], triplets.leaves)
    order = np.argsort(labels, kind="stable")
    chain = np.stack([order[:-1], order[1:]], axis=1)[labels[order[:-1]] == labels[order[1:]]]
    constraints = combine_constraints(triplets, PairwiseConstraints(chain, [], triplets.leaves))
    try:
        check_consistent(constraints)
    except InconsistentTripletsError:  # some triplet joins two clusters before one of them is complete
        constraints = combine_constraints(triplets, PairwiseConstraints([], [], triplets.leaves))
    merges, _ = merge_samples(X, MergePlan(constraints), "ward", FittedMetric("euclidean"))
    return from_linkage(merges, triplets.leaves)


# ---------------------------------------------------------------------- for people who answer by a tree


@dataclass(frozen=True, eq=False)
class FoundTree:
    """The hierarchy and the clusters of a sample of trees.

    Attributes
    ----------
    hierarchy : Hierarchy
        The mean of the trees.
    support : ndarray of float64, shape (inner nodes,)
        The share of the trees that have each clade. 0 for leaves side by side.
    labels : ndarray of int, shape (n,)
    uncertainty : ndarray of float64, shape (n,)
        The chance that a sample is nearer to one of another cluster than to one of its own.
    """

    hierarchy: Hierarchy
    support: np.ndarray
    labels: np.ndarray
    uncertainty: np.ndarray


def find_tree(sample: TreeSample, points: np.ndarray, leaf: np.ndarray, answers: AnswerSet) -> FoundTree:
    """Find the mean of sampled trees, and the clusters in it.

    Parameters
    ----------
    sample : TreeSample
        Trees over r leaves.
    points : ndarray of float64, shape (r, d)
        Points of the leaves. d = 0 if there are no features.
    leaf : ndarray of int, shape (n,)
        The leaf of each sample.
    answers : AnswerSet
        Answers about the n samples.
    """
    r, rng = len(points), np.random.default_rng(0)
    parent, over = mean_of(sample), LeafIndex(r)
    flat = answers.subset([x.kind in ("alike", "different") for x in answers]).pairs()
    rows, pairs = _on_leaves(leaf, answers.triplets().rows, 3), _on_leaves(leaf, np.array(flat.must_link), 2)
    apart = _on_leaves(leaf, np.array(flat.cannot_link), 2)
    triplets, links = TripletSet(rows, over), PairwiseConstraints(pairs, apart, over)
    if points.shape[1]:
        tree = from_linkage(linkage_of(parent, points, False), over)
        k = suggest_n_clusters(tree, points, triplets=triplets if len(triplets) else None).n_clusters
        labels = cut(tree, k, rule="auto", triplets=triplets, samples=points)
        if len(links):
            from scipy.cluster.hierarchy import linkage

            plain = from_linkage(linkage(points, "ward"), over)
            votes = flat_votes(links, np.empty((0, 3), np.int32), np.empty(0))
            voted = by_votes(labels, plain, points, False, votes, None, 0, rng)
            labels = labels if voted is None else voted
    else:
        height = np.log(_sizes(parent))
        tree = from_linkage(_ordered(parent, height), over)
        labels = _best_cut(tree, rows, links)
    support = clade_support(tree, sample.hierarchies(over))
    labels = in_order_of_first(labels)
    unsure = _uncertainty(sample, labels, rng)
    if r < leaf.size:
        labels, unsure = in_order_of_first(labels[leaf]), unsure[leaf]
    whole = expanded(tree, leaf, answers.leaves)
    several = np.bincount(leaf) > 1
    return FoundTree(whole, np.concatenate([np.zeros(int(several.sum())), support]), labels, unsure)


def _on_leaves(leaf: np.ndarray, rows: np.ndarray, width: int) -> np.ndarray:
    """Turn rows of samples into rows of leaves, without rows in which two samples share a leaf."""
    rows = leaf[rows.reshape(-1, width)]
    return rows[(np.diff(np.sort(rows, axis=1), axis=1) > 0).all(axis=1)].astype(np.int32)


def _uncertainty(sample: TreeSample, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Share of triplets xy|z, with y in the cluster of x and z in another, that the sampled trees do not display."""
    r, k = labels.size, int(labels.max()) + 1
    order, size = np.argsort(labels, kind="stable"), np.bincount(labels)
    if k == 1 or k == r:
        return np.ones(r)
    start = np.cumsum(size) - size
    x = np.repeat(np.arange(r), DRAWN)
    own, place = labels[x], np.argsort(order)[x]
    mate = start[own] + (place - start[own] + 1 + (rng.random(x.size) * (size[own] - 1)).astype(int)) % size[own]
    other = (start[own] + size[own] + (rng.random(x.size) * (r - size[own])).astype(int)) % r
    rows = np.stack([x, order[mate], order[other]], axis=1)
    alone = size[own] == 1
    chance = np.zeros(x.size)
    chance[~alone] = 1 - sample.probability(rows[~alone].astype(np.int32))
    return chance.reshape(r, DRAWN).mean(axis=1)


def _sizes(parent: np.ndarray) -> np.ndarray:
    size = np.ones(parent.size)
    size[(parent.size + 1) // 2 :] = 0
    for v, p in enumerate(parent.tolist()[:-1]):
        size[p] += size[v]
    return size


def _ordered(parent: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Make the linkage matrix of a tree with given heights of inner nodes."""
    n = (parent.size + 1) // 2
    number = np.arange(parent.size)
    number[n + np.argsort(height[n:], kind="stable")] = np.arange(n, parent.size)
    Z = np.zeros((n - 1, 4))
    seen = np.zeros(n - 1, int)
    for v in np.argsort(number, kind="stable")[:-1].tolist():
        row = number[parent[v]] - n
        Z[row, seen[row]] = number[v]
        seen[row] += 1
    Z[:, 2], Z[:, 3] = np.sort(height[n:]), _sizes(parent)[np.argsort(number)][n:]
    return Z


def _best_cut(tree: Hierarchy, rows: np.ndarray, links: PairwiseConstraints) -> np.ndarray:
    """Choose the cut into at most sqrt(n) clusters that satisfies most answers, read as answers about groups."""
    a, b, c = rows.T
    must, cannot = np.array(links.must_link).reshape(-1, 2).T, np.array(links.cannot_link).reshape(-1, 2).T
    best, most = None, -1
    for k in range(2, max(3, int(np.sqrt(tree.n_leaves)) + 1)):
        if k > tree.n_leaves:
            break
        labels = cut(tree, k, rule="size")
        flat = ((labels[a] == labels[b]) & (labels[a] != labels[c])).sum()
        held = flat + (labels[must[0]] == labels[must[1]]).sum() + (labels[cannot[0]] != labels[cannot[1]]).sum()
        if held > most:
            best, most = labels, held
    return np.zeros(tree.n_leaves, int) if best is None else best
