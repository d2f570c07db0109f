"""The closure of pairs: components of must-links, cannot-links between them, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tripletree.core.arrays import freeze
from tripletree.core.immutable import Immutable, cached, fixed
from tripletree.core.leaves import LeafIndex
from tripletree.errors import InvalidPairError


class PairClosure(Immutable):
    """All that consistent pairs imply: components of must-linked leaves, and which of them are cannot-linked.

    Two leaves must be together if and only if they are in the same component. They must be apart if and only if
    `cannot` has their components. Nothing more follows from the pairs.

    Attributes
    ----------
    leaves : LeafIndex
    component : ndarray of int32, shape (n,)
        The component of each leaf: 0..n_components-1 in the order of their first leaves. A leaf without must-links is a
        component of its own.
    n_components : int
    cannot : ndarray of int32, shape (k, 2)
        Pairs of components, each with the smaller number first. Sorted, unique.

    See Also
    --------
    PairwiseConstraints.closure : returns one.

    Examples
    --------
    >>> from tripletree.core.pairs import PairwiseConstraints
    >>> c = PairwiseConstraints.from_labels([("a", "b"), ("b", "c")], [("c", "d")]).closure()
    >>> c.component.tolist(), c.cannot.tolist(), c.sizes.tolist()
    ([0, 0, 0, 1], [[0, 1]], [3, 1])
    >>> c
    <PairClosure: 4 leaves in 2 components, 1 pair of them kept apart; 3 must-links and 3 cannot-links in all>
    """

    __slots__ = ()
    _how = "make another from other pairs"

    leaves: LeafIndex = fixed()
    component: np.ndarray = fixed()
    n_components: int = fixed()
    cannot: np.ndarray = fixed()

    def __init__(self, leaves: LeafIndex, component: np.ndarray, n_components: int, cannot: np.ndarray) -> None:
        self._hold(leaves=leaves, component=freeze(component), n_components=n_components, cannot=freeze(cannot))

    @cached
    def sizes(self) -> np.ndarray:
        """Number of leaves of each component (int64)."""
        return freeze(np.bincount(self.component, minlength=self.n_components))

    @cached
    def order(self) -> np.ndarray:
        """Return the leaves by component, ascending in each: ``np.split(order, np.cumsum(sizes)[:-1])`` (int64)."""
        return freeze(np.argsort(self.component, kind="stable"))

    @cached
    def first(self) -> np.ndarray:
        """The first leaf of each component, ascending (int64)."""
        return freeze(self.order[np.cumsum(self.sizes) - self.sizes])

    @property
    def n_must(self) -> int:
        """Number of pairs of leaves that must be together, implied ones included."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    @property
    def n_cannot(self) -> int:
        """Number of pairs of leaves that must be apart, implied ones included."""
        return int((self.sizes[self.cannot[:, 0]] * self.sizes[self.cannot[:, 1]]).sum())

    @property
    def is_complete(self) -> bool:
        """True if every two components are cannot-linked, so that only one partition satisfies the pairs."""
        return self.cannot.shape[0] == self.n_components * (self.n_components - 1) // 2

    def groups(self, least: int = 2) -> list[list]:
        """Return the labels of each component of at least `least` leaves.

        Examples
        --------
        >>> from tripletree.core.pairs import PairwiseConstraints
        >>> PairwiseConstraints.from_labels([("a", "b"), ("c", "b")], [("b", "d")]).closure().groups()
        [['a', 'b', 'c']]
        """
        parts = np.split(self.order, np.cumsum(self.sizes)[:-1]) if self.n_components else []
        return [[self.leaves[i] for i in part.tolist()] for part in parts if part.size >= least]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairClosure):
            return NotImplemented
        return (
            self.leaves == other.leaves
            and np.array_equal(self.component, other.component)
            and np.array_equal(self.cannot, other.cannot)
        )

    def __hash__(self) -> int:
        return hash((self.leaves, self.n_components, self.cannot.shape[0]))

    def __reduce__(self) -> Any:
        return _unpickled, (self.leaves, self.component, self.n_components, self.cannot)

    def __repr__(self) -> str:
        k, apart = self.n_components, self.cannot.shape[0]
        return (
            f"<PairClosure: {len(self.leaves):,} leaves in {k:,} component{'s' * (k != 1)}, {apart:,} "
            f"pair{'s' * (apart != 1)} of them kept apart; {self.n_must:,} must-links and {self.n_cannot:,} "
            "cannot-links in all>"
        )


def _graph(must: np.ndarray, n: int) -> Any:
    from scipy.sparse import coo_array

    ones = np.ones(2 * must.shape[0], np.int8)
    ends = np.concatenate([must, must[:, ::-1]])
    return coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()


def _components(must: np.ndarray, n: int) -> tuple[np.ndarray, int]:
    """Return the component of each leaf (int32), numbered in the order of their first leaves, and their number."""
    if must.shape[0] == 0:
        return np.arange(n, dtype=np.int32), n
    from scipy.sparse.csgraph import connected_components

    some, ends = np.unique(must, return_inverse=True)
    k, label = connected_components(_graph(ends.reshape(must.shape), some.size), directed=False)
    first = np.empty(k, np.int64)
    first[label[::-1]] = some[::-1]  # the last value written to a place stays
    root = np.arange(n)
    root[some] = first[label]
    rank = np.cumsum(root == np.arange(n), dtype=np.int32) - np.int32(1)
    return rank[root], int(rank[-1]) + 1


def _unpickled(leaves: LeafIndex, component: np.ndarray, n_components: int, cannot: np.ndarray) -> PairClosure:
    """Make a closure from the content of a pickle, if it is one."""
    sound = (
        component.shape == (len(leaves),)
        and np.array_equal(np.unique(component), np.arange(n_components))
        and cannot.shape == (len(cannot), 2)
        and (cannot.size == 0 or (cannot.min() >= 0 and cannot.max() < n_components))
    )
    if not sound:
        msg = "this pickle of a PairClosure is damaged: its components do not fit its leaves"
        raise InvalidPairError(msg)
    return PairClosure(leaves, component.astype(np.int32), n_components, cannot.astype(np.int32))


def pair_closure(leaves: LeafIndex, must: np.ndarray, cannot: np.ndarray) -> tuple[PairClosure, np.ndarray]:
    """Return the closure of pairs, and a mask of the cannot-links that must-links violate (then it is meaningless)."""
    component, k = _components(must, len(leaves))
    ends = component[cannot]
    key = ends.min(axis=1).astype(np.int64) * k + ends.max(axis=1) if len(ends) else np.empty(0, np.int64)
    apart = np.stack(np.divmod(np.unique(key), max(k, 1)), axis=1).astype(np.int32)
    return PairClosure(leaves, component, k, np.ascontiguousarray(apart)), ends[:, 0] == ends[:, 1]


def paths_between(must: np.ndarray, cannot: np.ndarray, n: int) -> Iterator[list[int]]:
    """Yield a shortest path of must-links between the ends of each of some violated cannot-links.

    One breadth-first search, O(n + p), serves all consecutive rows with the same first end.
    """
    from scipy.sparse.csgraph import breadth_first_order

    graph = _graph(must, n)
    source, up = -1, np.empty(0)
    for a, b in cannot.tolist():
        if a != source:
            source, up = a, breadth_first_order(graph, a, return_predecessors=True)[1]
        path = [b]
        while path[-1] != a:
            path.append(int(up[path[-1]]))
        yield path[::-1]


def shortest_violation(must: np.ndarray, cannot: np.ndarray, n: int, most: int = 100) -> tuple[int, list[int]]:
    """Return which of the first `most` violated cannot-links has the shortest path of must-links, and that path."""
    return min(enumerate(paths_between(must, cannot[:most], n)), key=lambda found: len(found[1]))


def blocks(first: np.ndarray, size: np.ndarray, second: np.ndarray, width: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return all (block, i, j) with i in first..first+size-1 and j in second..second+width-1 of the same block."""
    count = size * width
    block = np.repeat(np.arange(count.size), count)
    within = np.arange(block.size) - np.repeat(np.cumsum(count) - count, count)
    i, j = np.divmod(within, width[block])
    return block, first[block] + i, second[block] + j


def implied_rows(closure: PairClosure) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs that must be together, and all that must be apart, in no particular order."""
    order, sizes = closure.order, closure.sizes
    start = np.cumsum(sizes) - sizes
    at = np.arange(order.size)
    left = (start + sizes)[closure.component[order]] - at - 1  # leaves of its component that come after each leaf
    _, i, j = blocks(at, np.ones_like(at), at + 1, left)
    a, b = closure.cannot[:, 0], closure.cannot[:, 1]
    _, x, y = blocks(start[a], sizes[a], start[b], sizes[b])
    return np.stack([order[i], order[j]], axis=1), np.stack([order[x], order[y]], axis=1)


# ---------------------------------------------------------------------- pairs with weights


class SoftLinks(NamedTuple):
    """The closure of links with weights.

    Attributes
    ----------
    must_held, cannot_held : ndarray of bool
        Masks of the links that are not overruled by links of larger weight.
    clash : float
        Weight of links that contradict each other where no link of larger weight decides. 0 without such links. With
        them the masks are valid down to this weight only, and nothing is implied.
    total : int
        Number of implied pairs.
    events : ndarray of float64, shape (e, 4)
        Sign (1 must, -1 cannot), two blocks of leaves, weight: all pairs of a leaf of one and one of the other.
        Empty unless recorded.
    blocks : ndarray of int64, shape (b, 2)
        Start of each block in `order`, and its size.
    order : ndarray of int64, shape (n,)
        The leaves so that every block is an interval.
    """

    must_held: np.ndarray
    cannot_held: np.ndarray
    clash: float
    total: int
    events: np.ndarray
    blocks: np.ndarray
    order: np.ndarray

    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the pairs that must be together with their weights, and the pairs that must be apart with theirs."""
        sign, weight = self.events[:, 0], self.events[:, 3]
        found = []
        for kind in (1, -1):
            some = np.flatnonzero(sign == kind)
            a, b = (
                self.blocks[self.events[some, 1].astype(np.int64)],
                self.blocks[self.events[some, 2].astype(np.int64)],
            )
            event, i, j = blocks(a[:, 0], a[:, 1], b[:, 0], b[:, 1])
            found += [np.stack([self.order[i], self.order[j]], axis=1), weight[some][event]]
        return found[0], found[1], found[2], found[3]


class _Clusters:
    """Clusters of must-linked leaves (a union-find), each with the clusters it is cannot-linked to.

    Every cluster that ever existed is a block: 0..n-1 are the leaves, then come the merged ones in order.
    """

    def __init__(self, n: int, *, record: bool) -> None:
        self.up = list(range(n))
        self.block = list(range(n))
        self.size = [1] * n
        self.cannot: dict[int, set[int]] = {}
        self.children: list[tuple[int, int]] = []
        self.record = record
        self.events: list[tuple[float, float, float, float]] = []

    def find(self, x: int) -> int:
        up = self.up
        while up[x] != x:
            up[x] = up[up[x]]
            x = up[x]
        return x

    def cannot_linked(self, x: int, y: int) -> bool:
        return y in self.cannot.get(x, ())

    def cannot_link(self, x: int, y: int, weight: float) -> None:
        """Add a cannot-link between two clusters that had no cannot-link."""
        self.cannot.setdefault(x, set()).add(y)
        self.cannot.setdefault(y, set()).add(x)
        if self.record:
            self.events.append((-1, self.block[x], self.block[y], weight))

    def merge(self, x: int, y: int, weight: float) -> None:
        """Merge two clusters that are not cannot-linked. The one with more cannot-links keeps its number.

        So each cannot-link moves O(log p) times in all.
        """
        cannot = self.cannot
        mine, other = cannot.get(x, set()), cannot.get(y, set())
        if len(mine) < len(other):
            x, y, mine, other = y, x, other, mine
        if self.record:
            self.events.append((1, self.block[x], self.block[y], weight))
            self.events += [(-1, self.block[y], self.block[z], weight) for z in mine - other]
            self.events += [(-1, self.block[x], self.block[z], weight) for z in other - mine]
        if other:
            for z in other:
                cannot[z].discard(y)
                cannot[z].add(x)
            mine |= other
            cannot[x] = mine
            del cannot[y]
        self.up[y] = x
        self.children.append((self.block[x], self.block[y]))
        self.block[x] = len(self.up) + len(self.children) - 1
        self.size[x] += self.size[y]

    def total(self) -> int:
        """Count the implied pairs."""
        roots = [x for x, up in enumerate(self.up) if x == up]
        together = sum(self.size[x] * (self.size[x] - 1) // 2 for x in roots)
        return together + sum(self.size[x] * self.size[z] for x, others in self.cannot.items() for z in others) // 2

    def layout(self) -> tuple[np.ndarray, np.ndarray]:
        """Return an order of the leaves in which every block is an interval, after the start and size of each block."""
        n = len(self.up)
        where = np.ones((n + len(self.children), 2), np.int64)
        for k, (x, y) in enumerate(self.children):
            where[n + k, 1] = where[x, 1] + where[y, 1]
        inside = np.zeros(len(where), np.bool_)
        inside[[z for both in self.children for z in both]] = True
        roots = np.flatnonzero(~inside)
        where[roots, 0] = np.cumsum(where[roots, 1]) - where[roots, 1]
        for k in range(len(self.children) - 1, -1, -1):
            x, y = self.children[k]
            where[x, 0] = where[n + k, 0]
            where[y, 0] = where[n + k, 0] + where[x, 1]
        order = np.empty(n, np.int64)
        order[where[:n, 0]] = np.arange(n)
        return where, order


def soft_links(
    n: int,
    must: np.ndarray,
    must_weights: np.ndarray,
    cannot: np.ndarray,
    cannot_weights: np.ndarray,
    *,
    record: bool = False,
) -> SoftLinks:
    """Add the links in the order of decreasing weight, equal weights together.

    A link is overruled, and implies nothing, if links of larger weight imply the opposite. O(p log^2 p) for p links,
    and O(number of implied pairs) more if they are recorded.
    """
    state = _Clusters(n, record=record)
    rows = np.concatenate([must, cannot]).tolist()
    weight = np.concatenate([must_weights, cannot_weights])
    order = np.argsort(-weight, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(weight[order])) + 1, order.size)
    held = np.zeros(order.size, np.bool_)
    begin, clash = 0, 0.0
    for end in ends.tolist():
        level, begin = order[begin:end].tolist(), end
        if level and not _take(state, level, rows, must.shape[0], float(weight[level[0]]), held):
            clash = float(weight[level[0]])
            break
    p = must.shape[0]
    events = np.array(state.events, np.float64).reshape(-1, 4)
    where, leaves = state.layout() if record else (np.empty((0, 2), np.int64), np.empty(0, np.int64))
    return SoftLinks(held[:p], held[p:], clash, state.total(), events, where, leaves)


def _take(state: _Clusters, level: list[int], rows: list[list[int]], p: int, t: float, held: np.ndarray) -> bool:
    """Add the links of one weight, must-links (numbers below p) first. Return False if they contradict each other."""
    for k in level:
        x, y = map(state.find, rows[k])
        held[k] = not state.cannot_linked(x, y) if k < p else x != y
    accepted = [k for k in level if held[k]]
    for k in accepted:
        x, y = map(state.find, rows[k])
        if k < p and x != y:
            if state.cannot_linked(x, y):
                return False
            state.merge(x, y, t)
        elif k >= p:
            if x == y:
                return False
            if not state.cannot_linked(x, y):
                state.cannot_link(x, y, t)
    return True
