"""Step 3 of `DivisiveReCon`: trees that triplets change, divide and choose (`choose_tree`), and their heights.

Trees are sampled in ``cluster/posterior.py``. The loops of the division are in ``_core/division.hpp``.
``docs/algorithms.md``, "Divisions that keep all triplets" and "A sample of trees", has the theorem and the reasons.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.induce import displayed
from tripletree.cluster.divisive.items import ITEMS_MAX, Items, coarse_clades, make_items, refined, spread_tree
from tripletree.cluster.posterior import TreeSample, mean_tree, parents_of, sample_trees
from tripletree.core.arrays import freeze
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.threads import one_blas_thread

#: Prior probability, in a division, that the side changes along an edge of the base tree.
SIDE_CHANGE = 0.02


#: Parts of the triplets that are held out in turn.
FOLDS = 5


#: Fewest triplets held out that decide between two trees which keep all triplets.
HELD_OUT_MIN = 30


#: In the mean of sampled trees, those that the chains begin at count as much as this share of the sample. Where draws
#: agree, that decides nothing. Where they do not, their mean would part what the features hold together.
BESIDE = 0.1


#: The share of wrong triplets if it is not estimated, and the bounds of its estimate.
NOISE, NOISE_MIN, NOISE_MAX = 0.1, 0.01, 0.3


@dataclass(frozen=True, eq=False)
class TreeStatements:
    """The statements on the items.

    Attributes
    ----------
    rows : ndarray of int32, shape (m, 3)
    weight : ndarray of float64, shape (m,)
        Of mean 1 if soft. If hard, as `weight_by_clade` has it: what counts in the choice among divisions.
    must : ndarray of bool, shape (m,)
        Which triplets are hard. The others are votes.
    cannot : ndarray of int32, shape (c, 2)
    group : ndarray of int32, shape (g,)
        The first item that must-links tie an item to. Items without must-links are their own.
    noise : float
        The share of wrong votes that is assumed.
    deciding : (ndarray of int32, shape (k, 3), ndarray of float64, shape (k,))
        The independent statements and their weights (`AllStatements`).
    """

    rows: np.ndarray
    weight: np.ndarray
    must: np.ndarray
    cannot: np.ndarray
    group: np.ndarray
    noise: float
    deciding: tuple[np.ndarray, np.ndarray]

    def part(self, which: np.ndarray) -> TreeStatements:
        return replace(self, rows=self.rows[which], weight=self.weight[which], must=self.must[which])

    @property
    def force(self) -> np.ndarray:
        """The weights, infinite for hard triplets."""
        return np.where(self.must, np.inf, self.weight)


def divided(base: np.ndarray, known: TreeStatements) -> np.ndarray:
    """Divide a base tree from the top (see ``tripletree/_core/division.hpp``). Returns the parents of the nodes.

    A triplet is wrong with probability e, and then one of the other two is right. A displayed triplet has the
    likelihood ratio 3 (1 - e) to chance, another one 3 e / 2.
    """
    reward, penalty = np.log(3 * (1 - known.noise)), -np.log(1.5 * known.noise)
    return engine.division.divide(
        base, known.rows, known.force, known.cannot, known.group, reward, penalty, SIDE_CHANGE
    )


def shown_by(parent: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether the tree displays each triplet."""
    return displayed(Hierarchy(freeze(parent.copy())), rows)


@dataclass(frozen=True, eq=False)
class HeldOutTrees:
    """Trees of distances each changed without one part of the triplets, and which of these triplets are displayed.

    Attributes
    ----------
    trees : list of ndarray of int32
        Their parents.
    fold : ndarray of int, shape (m,)
        The number of the tree that was made without each triplet.
    shown, soft : ndarray of float64, shape (m,)
        1 where a triplet is displayed by the tree that was made without it, and by this tree softly divided. The latter
        is 0 unless it was asked for.
    """

    trees: list[np.ndarray]
    fold: np.ndarray
    shown: np.ndarray
    soft: np.ndarray


def held_out(
    items: Items, known: TreeStatements, divide: bool, rng: np.random.Generator, tell: Callable[[int], Any]
) -> HeldOutTrees:
    """Hold out one part of the triplets after the other, and divide each tree if asked for."""
    m = len(known.rows)
    folds = min(FOLDS, m)
    fold = rng.permutation(m) % folds

    def one(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        some, held = known.part(fold != k), known.rows[fold == k]
        base = spread_tree(items, some.rows, some.weight) if len(some.rows) else items.plain
        tree = parents_of(base)
        shown = shown_by(tree, held)
        return tree, shown, shown_by(divided(base, some), held) if divide else np.zeros(len(held))

    trees, shown, soft = [], np.zeros(m), np.zeros(m)
    workers = min(folds, os.cpu_count() or 1, 4)
    # one thread each for BLAS: their number changes the rounding, and that changes ties
    with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
        for k, (tree, *of_fold) in enumerate(pool.map(one, range(folds))):
            trees.append(tree)
            shown[fold == k], soft[fold == k] = of_fold
            tell(1)
    return HeldOutTrees(trees, fold, shown, soft)


def linkage_of(parent: np.ndarray, points: np.ndarray, is_matrix: bool) -> np.ndarray:
    """A scipy linkage of the tree: heights of Ward's or average linkage that never fall towards the root."""
    n = points.shape[0]
    if is_matrix:
        height = engine.division.heights_by_distance(parent, points)
    else:
        height = engine.division.heights_by_mean(parent, points)
    height = engine.cut.monotone_heights(freeze(parent), freeze(height), n)
    rank = np.argsort(height[n:], kind="stable")
    number = np.arange(2 * n - 1)
    number[n + rank] = np.arange(n, 2 * n - 1)
    Z = np.zeros((n - 1, 4))
    ends = np.full((n - 1, 2), -1, np.int64)
    for v in np.argsort(number, kind="stable")[:-1].tolist():
        row = number[parent[v]] - n
        ends[row, int(ends[row, 0] >= 0)] = number[v]
    Z[:, :2], Z[:, 2] = ends, height[n + rank]
    size = np.ones(2 * n - 1)
    for row in range(n - 1):
        size[n + row] = Z[row, 3] = size[ends[row, 0]] + size[ends[row, 1]]
    return Z


def between_items(known: TreeStatements, owner: np.ndarray) -> np.ndarray:
    """Whether the samples of each triplet are of three items."""
    a, b, c = owner[known.rows].T
    return (a != b) & (a != c) & (b != c)


def on_items(known: TreeStatements, owner: np.ndarray) -> TreeStatements:
    """The statements as statements on clades. Triplets within one or two clades are left out."""
    rows, told = owner[known.rows].astype(np.int32), between_items(known, owner)
    nothing, own = np.empty((0, 2), np.int32), np.arange(owner.max() + 1, dtype=np.int32)
    return replace(known.part(told), rows=rows[told], cannot=nothing, group=own)


@dataclass(frozen=True, eq=False)
class ChosenTree:
    """The result of `choose_tree`.

    Attributes
    ----------
    parent : ndarray of int32
    held_out : float or None
        The share of the triplets that trees made without them display.
    noise : float
    sample : TreeSample, callable or None
        The trees whose mean this is. Beside hard triplets a call makes it: the tree is the mean of trees with the usual
        exponent, and to weigh the features takes three times as long. None if no trees are sampled.
    """

    parent: np.ndarray
    held_out: float | None
    noise: float
    sample: TreeSample | Callable[..., TreeSample] | None = None


def choose_tree(
    points: np.ndarray,
    is_matrix: bool,
    merges: np.ndarray,
    known: TreeStatements,
    hard: bool,
    divide: bool,
    estimate: bool,
    effort: float,
    rng: np.random.Generator,
    tell: Callable[[int], Any],
    agglomerate: Callable[[np.ndarray], np.ndarray] | None,
) -> ChosenTree:
    """The tree that follows from the statements.

    Parameters
    ----------
    hard : bool
        Whether some statements must hold.
    divide : bool
        Whether triplets divide a tree. They do if some must hold.
    estimate : bool
        Whether the share of wrong votes is estimated.
    effort : float
        Factor on the steps in which trees are sampled. 0 samples none.
    agglomerate : callable, optional
        Makes the tree that is merged from the leaves under triplets that must hold, given as rows.
    """
    n = merges.shape[0] + 1
    owner, plain = coarse_clades(merges, ITEMS_MAX)
    above = known if n <= ITEMS_MAX else on_items(known, owner)
    base, share = merges[:, :2].astype(np.int32), None
    if len(above.rows):
        items = make_items(points, is_matrix, owner, plain)
        held = held_out(items, above, divide and not hard, rng, tell)
        best = held.shown
        if divide and not hard:
            divide = bool(above.weight @ held.soft >= above.weight @ held.shown)
            best = held.soft if divide else held.shown
        share = float(best.mean())
        lead = _lead(held.shown, shown_by(parents_of(plain), above.rows), above.weight)
        weight = np.append(np.ones(len(held.trees)), np.exp(-lead))
        base = refined(mean_tree([*held.trees, parents_of(plain)], weight, items.size), merges)
    votes, forced = known.part(~known.must), known.part(known.must)
    parent, noise = parents_of(base), 0.0 if hard and not len(votes.rows) else known.noise
    if divide:
        told = np.arange(len(known.rows)) if above is known else np.flatnonzero(between_items(known, owner))
        if agglomerate is not None and effort == 0 and not len(votes.rows) and len(told) >= FOLDS * HELD_OUT_MIN:
            out = told[held.fold == 0]
            if merging_shows_more(held, out, known, merges, items, agglomerate):
                return ChosenTree(agglomerate(known.rows), share, noise)
        parent = divided(base, known)
    if divide and estimate and len(votes.rows):
        violated = votes.weight @ ~shown_by(parent, votes.rows) / votes.weight.sum()
        noise = float(min(max(violated, NOISE_MIN), NOISE_MAX))
        parent = divided(base, replace(known, noise=noise))
    if effort == 0:
        return ChosenTree(parent, share, noise)
    starts, wrong = (parent, divided(plain, forced) if hard else parents_of(plain)), None if estimate else known.noise
    draw = partial(sample_trees, points, starts, known.rows, known.force, noise=wrong, effort=effort)
    sample = draw(rng, deciding=None if hard else known.deciding, tell=tell)
    draws = len(sample.parents)
    each = np.append(np.ones(draws), np.full(len(starts), BESIDE * draws / len(starts)))
    base = mean_tree([*sample.parents, *starts], each, np.ones(n))
    parent = parents_of(base)
    if not shown_by(parent, forced.rows).all():
        parent = divided(base, forced)
    if estimate and len(votes.rows):
        noise = float(sample.noise.mean())
    later = partial(draw, int(rng.integers(2**63)), deciding=known.deciding) if hard else sample
    return ChosenTree(parent, share, noise, later)


def merging_shows_more(
    held: HeldOutTrees,
    out: np.ndarray,
    known: TreeStatements,
    merges: np.ndarray,
    items: Items,
    agglomerate: Callable[[np.ndarray], np.ndarray],
) -> bool:
    """Whether the tree merged from the leaves displays more of the triplets held `out` than the divided tree does.

    Both are made without these triplets. Where the features tell groups apart, merging gets them right, and a division
    may part them near the top. Where they do not, merging goes astray.
    """
    rest = np.ones(len(known.rows), bool)
    rest[out] = False
    base = refined(mean_tree(held.trees[:1], np.ones(1), items.size), merges)
    try:
        merged = agglomerate(known.rows[rest])
    except MemoryError:  # a bit for each pair of samples in triplets
        return False
    shown, other = (shown_by(tree, known.rows[out]).sum() for tree in (merged, divided(base, known.part(rest))))
    return bool(shown > other)


def _lead(one: np.ndarray, other: np.ndarray, weight: np.ndarray) -> float:
    """The number of standard errors by which the one displays more triplets than the other, at most 50."""
    more = one - other
    return float(np.clip(weight @ more / np.sqrt(max(weight @ more**2, 1.0)), -50, 50))
