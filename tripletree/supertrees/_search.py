"""The search for the hierarchy with the most votes: trees grown leaf by leaf, moves of branches, and their fusion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze, frozen
from tripletree.supertrees._votes import Votes

__all__ = ["Edges", "contracted", "fused", "most_votes"]

Tick = Callable[[int], object]

#: Work in units of some 100 nanoseconds: of a round of moves of clades, of all rounds of a start, and of all starts.
CLADE_WORK, ROUND_WORK, START_WORK = 5e6, 2e8, 6e7
MOST_STARTS, MOST_ROUNDS = 4, 8
#: Branches tried between two looks at the keyboard, and nodes whose edges are counted.
SLICE, NODES = 64, 256
#: Pairs of clades looked at, at most, for splits that no single tree of a pool has.
MOST_PAIRS = 20_000_000


# ---------------------------------------------------------------------- growing and moving


class _Grower:
    """A binary tree that grows, and changes by moves of branches (``_kernels/vote_moves.py``)."""

    def __init__(self, votes: Votes, parent: np.ndarray | None = None) -> None:
        n = votes.n
        self.votes = votes
        self.up = np.full(2 * n - 1, -1, np.int32)
        self.child = np.full((2 * n - 1, 2), -1, np.int32)
        self.state = np.array([-1, n], np.int64)
        if parent is not None:
            self.up[:] = parent
            self.child[n:] = _kernels.rooted_tree.child_lists(parent)[1].reshape(-1, 2)
            self.state[:] = parent.size - 1, parent.size

    def try_moves(self, nodes: np.ndarray, tick: Tick | None = None) -> int:
        """Move each of these branches to its best place; how many moved. In slices, so that an interrupt is heard."""
        votes, moves = self.votes, 0
        parent, leaves, inners = votes.nodes
        for begin in range(0, nodes.size, SLICE):
            todo = freeze(nodes[begin : begin + SLICE].astype(np.int32))
            moves += _kernels.vote_moves.regraft(
                *(self.up, self.child, self.state, todo, parent, votes.taxon, leaves, inners),
                *(votes.weight, votes.tree, *votes.occurrences),
            )
            if tick is not None:
                tick(todo.size)
        return moves

    def parent(self) -> np.ndarray:
        """The tree as a parent array, children first."""
        order = _kernels.rooted_tree.topological_order(freeze(self.up.copy()), self.votes.n)
        number = np.full(order.size + 1, -1, np.int32)  # the last entry serves parent -1
        number[order] = np.arange(order.size, dtype=np.int32)
        return freeze(number[self.up[order]])


def _leaf_work(votes: Votes) -> np.ndarray:
    """What trying to move each leaf costs: the leaves of its trees, and a look at each leaf of the hierarchy."""
    size = np.diff(votes.nodes[1])
    return np.bincount(votes.taxon, size[votes.tree] + votes.n / 5, votes.n)


def _insertion_order(votes: Votes, first: int, rng: np.random.Generator) -> np.ndarray:
    """All leaves tree by tree: first that tree, then always the one that most of is there already, at random inside."""
    begin = votes.nodes[1]
    placed = np.zeros(votes.n, np.bool_)
    there = np.zeros(votes.weight.size)
    done = np.zeros(votes.weight.size, np.bool_)
    size = np.diff(begin)
    order = []
    t = first
    for _ in range(votes.weight.size):
        done[t] = True
        taxa = votes.taxon[begin[t] : begin[t + 1]]
        fresh = rng.permutation(taxa[~placed[taxa]])
        order.append(fresh)
        placed[fresh] = True
        starts, places = votes.occurrences
        for x in fresh.tolist():
            np.add.at(there, votes.tree[places[starts[x] : starts[x + 1]]], 1.0)
        t = int(np.argmax(np.where(done, -1.0, there / size)))
    return np.concatenate([*order, np.flatnonzero(~placed)])


def _grown(votes: Votes, first: int, rng: np.random.Generator, rounds: int, tick: Tick | None) -> np.ndarray:
    """A binary tree grown leaf by leaf, each hung where most votes want it, and then moved while that helps."""
    grower = _Grower(votes)
    grower.try_moves(_insertion_order(votes, first, rng), tick)
    for _ in range(rounds):
        if grower.try_moves(np.arange(votes.n), tick) == 0:
            break
    return grower.parent()


def _improved(votes: Votes, parent: np.ndarray, rounds: int, tick: Tick | None) -> np.ndarray:
    """Move leaves, and clades too, the cheap ones first as far as the work allows, until nothing helps."""
    n = votes.n
    for _ in range(rounds):
        start, stop, order = _kernels.rooted_tree.leaf_intervals(parent, n)
        work = np.concatenate([[0.0], np.cumsum(_leaf_work(votes)[order])])
        work = work[stop] - work[start]
        nodes = np.argsort(work[:-1], kind="stable")
        nodes = nodes[(nodes < n) | (np.cumsum(work[nodes]) <= CLADE_WORK)]
        grower = _Grower(votes, parent)
        if grower.try_moves(nodes, tick) == 0:
            break
        parent = grower.parent()
    return parent


# ---------------------------------------------------------------------- the best of several trees


def fused(votes: Votes, pool: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """The binary tree with the most votes of all whose clades are clades of binary trees of the pool, and its votes.

    The votes of a split depend on its two sides only, not on what is above or below: so every clade, small ones first,
    gets the best of its splits in two clades of the pool.
    """
    n, size = votes.n, 2 * votes.n - 1
    code, low, interval, order = _clades(pool, n)
    unique, first, clade = np.unique(code, return_index=True, return_inverse=True)
    clade = clade.reshape(len(pool), size)
    low, interval = low[first], interval[first]
    leaves = interval[:, 1] - interval[:, 0]
    splits = [_cross_splits(unique, low, leaves)] if len(pool) > 1 else []
    for r, parent in enumerate(pool):
        child = _kernels.rooted_tree.child_lists(parent)[1].reshape(-1, 2)
        splits.append(np.stack([clade[r, n:], clade[r, child[:, 0]], clade[r, child[:, 1]]], axis=1))
    split = np.concatenate(splits)
    turned = low[split[:, 1]] > low[split[:, 2]]
    split[turned, 1:] = split[turned][:, [2, 1]]
    split = np.unique(split, axis=0)
    split = split[np.argsort(leaves[split[:, 0]], kind="stable")]
    vote = _split_votes(votes, order, np.concatenate([interval[split[:, 0]], interval[split[:, 1]]], axis=1))
    best = np.full(unique.size, -1.0)
    best[leaves == 1] = 0.0
    halves: dict[int, tuple[int, int]] = {}
    for (x, a, b), v in zip(split.tolist(), vote.tolist(), strict=True):
        value = best[a] + best[b] + v
        if value > best[x]:
            best[x] = value
            halves[x] = a, b
    up = np.full(size, -1, np.int32)
    todo, fresh = [(int(clade[0, -1]), -1)], size
    while todo:
        x, above = todo.pop()
        if x in halves:
            fresh -= 1
            up[fresh] = above
            todo += [(y, fresh) for y in halves[x]]
        else:
            up[order[interval[x, 0]]] = above
    return freeze(up), float(best[clade[0, -1]])


def _clades(pool: list[np.ndarray], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of all nodes of all trees: a sum of random numbers for the clade, its smallest leaf, and its leaves.

    The last two arrays are intervals (begin, end), and the concatenated orders of leaves that they are of. Clades with
    equal sums are equal, and two of which the sums add up to a third one's are its two sides, but for a chance of one
    in 10**18 or so.
    """
    noise = np.random.default_rng(20261121).integers(0, 2**64, n, dtype=np.uint64)
    code, low, interval, orders = [], [], [], []
    for r, parent in enumerate(pool):
        start, stop, order = _kernels.rooted_tree.leaf_intervals(parent, n)
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(noise[order], dtype=np.uint64)])
        code.append(total[stop] - total[start])
        interval.append(np.stack([start, stop], axis=1) + np.int64(r * n))
        orders.append(order)
        # nodes with the same smallest leaf stand together, the leaf in front
        node = _kernels.rooted_tree.by_smallest_leaf(parent, n)
        front = np.maximum.accumulate(np.where(node < n, np.arange(node.size), 0))
        smallest = np.empty(node.size, np.int64)
        smallest[node] = node[front]
        low.append(smallest)
    return np.concatenate(code), np.concatenate(low), np.concatenate(interval), np.concatenate(orders)


def _cross_splits(code: np.ndarray, low: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """Splits (clade, side, side) with sides from different trees; the one with the clade's smallest leaf is tried."""
    by_low = np.argsort(low, kind="stable")
    bound = np.flatnonzero(np.concatenate([[True], np.diff(low[by_low]) > 0, [True]]))
    out = [np.empty((0, 3), np.int64)]
    if (np.diff(bound).astype(np.float64) ** 2).sum() > MOST_PAIRS:
        return out[0]
    for i, j in zip(bound[:-1].tolist(), bound[1:].tolist(), strict=True):
        group = by_low[i:j]
        whole, side = np.nonzero(leaves[group][:, None] > leaves[group][None, :])
        whole, side = group[whole], group[side]
        rest = code[whole] - code[side]
        at = np.minimum(np.searchsorted(code, rest), code.size - 1)
        known = code[at] == rest
        out.append(np.stack([whole[known], side[known], at[known]], axis=1))
    return np.concatenate(out)


def _split_votes(votes: Votes, order: np.ndarray, split: np.ndarray) -> np.ndarray:
    """The weight of the triplets that each split in two displays; see the kernel."""
    trees = votes.taxon, votes.gap, votes.tree, votes.nodes[1], votes.weight
    order, split = freeze(order), freeze(split)
    out = [np.empty(0)]
    for begin in range(0, split.shape[0], NODES):
        part = frozen(split[begin : begin + NODES], np.int64)
        out.append(_kernels.vote_scans.split_votes(part, order, *trees, *votes.occurrences))
    return np.concatenate(out)


def most_votes(votes: Votes, rng: np.random.Generator, n_starts: int | None, tick: Tick | None) -> np.ndarray:
    """A binary hierarchy, as a parent array, that displays as many votes as can be found."""
    work = float(_leaf_work(votes).sum())
    if n_starts is None:
        n_starts = int(np.clip(START_WORK / work, 1, MOST_STARTS))
    rounds = int(np.clip(ROUND_WORK / work, 2, MOST_ROUNDS))
    pool = [_grown(votes, k % votes.weight.size, rng, 2, tick) for k in range(n_starts)]
    best, most = fused(votes, pool)
    for _ in range(MOST_STARTS):
        pool.append(_improved(votes, best, rounds, tick))
        better, value = fused(votes, pool)
        if value <= most * (1 + 1e-12):
            break
        best, most = better, value
    return best


# ---------------------------------------------------------------------- what the votes say of a hierarchy


class Edges:
    """The votes on the triples that the edge above each inner node decides, and no other edge does.

    Attributes
    ----------
    agree, oppose : ndarray of float64, shape (N,)
        By weight, for every node of the hierarchy: triplets ab|c, and ac|b or bc|a, with a, b below different children
        of the node and c below its parent but not below it.
    n_agree, n_oppose : ndarray of int64, shape (N,)
        How many of the trees given have such triplets.
    displayed, contradicted : float
        By weight, of all triplets of all trees.
    """

    def __init__(self, votes: Votes, parent: np.ndarray) -> None:
        n, N = votes.n, parent.size
        intervals = [freeze(x) for x in _kernels.rooted_tree.leaf_intervals(parent, n)]
        lists = [freeze(x) for x in _kernels.rooted_tree.child_lists(parent)]
        trees = votes.taxon, votes.gap, votes.tree, votes.nodes[1], *votes.occurrences
        found = [np.empty((0, 6), np.int64)]
        for low in range(n, N, NODES):
            high = min(low + NODES, N)
            found.append(_kernels.vote_scans.edge_votes(*intervals, *lists, *trees, low, high))
        node, tree, near, cross, agree, oppose = np.concatenate(found).T
        weight, copies = votes.weight[tree], votes.copies[tree]
        self.agree = np.bincount(node, weight * agree, N)
        self.oppose = np.bincount(node, weight * oppose, N)
        self.n_agree = np.bincount(node, copies * (agree > 0), N).astype(np.int64)
        self.n_oppose = np.bincount(node, copies * (oppose > 0), N).astype(np.int64)
        # whole numbers first: of trees of weight 1 the sums are exact
        k = votes.weight.size
        self.displayed = float(np.dot(votes.weight, np.bincount(tree, near, k)))
        self.contradicted = float(np.dot(votes.weight, np.bincount(tree, cross, k)))

    @property
    def support(self) -> np.ndarray:
        """The share that agrees: float64, shape (N,), NaN where nothing is said."""
        said = self.agree + self.oppose
        return np.divide(self.agree, said, out=np.full(said.size, np.nan), where=said > 0)


def contracted(votes: Votes, parent: np.ndarray, least: float) -> np.ndarray:
    """Take out the inner nodes whose edge has no more than that share of support, or none at all, the weakest first.

    No two of them that are parent and child go at once, since what they decide together is then decided by the one that
    is left; and what is left is counted anew.
    """
    n = votes.n
    rng = np.random.default_rng(20261121)
    while True:
        key = Edges(votes, parent).support
        key[np.isnan(key)] = -1.0
        weak = key <= least
        weak[:n] = weak[-1] = False
        if not weak.any():
            return parent
        # equal ones in random order, so that long chains of them are gone in a few rounds
        key = np.where(weak, key + 1e-6 * rng.random(key.size), np.inf)
        around = key.copy()
        np.minimum.at(around, parent[:-1], key[:-1])
        around[:-1] = np.minimum(around[:-1], key[parent[:-1]])
        parent = _without(parent, weak & (key == around))


def _without(parent: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """The parent array without some nodes, of which no two are parent and child: their children move up."""
    up = parent[:-1]
    up = np.append(np.where(gone[up], parent[up], up), np.int32(-1))
    number = (np.cumsum(~gone) - 1).astype(np.int32)
    up = up[~gone]
    return freeze(np.where(up >= 0, number[up], np.int32(-1)))
