"""Orders of the leaves of a hierarchy that keep sets of leaves consecutive: a PQ-tree.

A PQ-tree stands for a set of orders (Booth and Lueker 1976, Testing for the consecutive ones property, Journal of
Computer and System Sciences 13(3), 335-379). The children of a P-node take any order, the children of a Q-node theirs
or its reverse. A hierarchy is a PQ-tree without Q-nodes. Each set is either made consecutive, which leaves all orders
in which it is, or nothing changes because there is no such order.

This version takes time proportional to the tree for each set, which is enough for the trees of a tanglegram.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tripletree.plots.layout import CollapsedTree

EMPTY, PARTIAL, FULL = 0, 1, 2  # the share of a clade's tips that is in a set


class PQTree:
    """The orders of the tips of a drawn tree in which each clade is consecutive, and each set that `gather` accepts."""

    def __init__(self, drawn: CollapsedTree) -> None:
        self.n_tips = drawn.size.size
        self.children: list[list[int]] = [[] for _ in drawn.parent]
        for u, p in enumerate(drawn.parent.tolist()):
            if p >= 0:
                self.children[p].append(u)
        self.is_q = [False] * len(self.children)
        self.root = len(self.children) - 1

    def order(self) -> np.ndarray:
        """One of the orders: int64[T]."""
        return np.array([u for u in self._depth_first() if u < self.n_tips], np.int64)

    def gather(self, tips: Iterable[int]) -> bool:
        """Make a set of tips consecutive. False, and no order is lost, if that is not possible."""
        wanted = set(tips)
        size, inside = [0] * len(self.children), [0] * len(self.children)
        for u in reversed(self._depth_first()):
            size[u], inside[u] = (1, int(u in wanted)) if u < self.n_tips else (0, 0)
            for v in self.children[u]:
                size[u] += size[v]
                inside[u] += inside[v]
        share = [EMPTY if i == 0 else FULL if i == s else PARTIAL for i, s in zip(inside, size, strict=True)]
        u = self.root  # down to the lowest node that has all of the set
        while share[u] == PARTIAL and (below := [v for v in self.children[u] if inside[v] == len(wanted)]):
            u = below[0]
        if share[u] != PARTIAL:
            return True
        return self._gather_in_q(u, share) if self.is_q[u] else self._gather_in_p(u, share)

    def _gather_in_p(self, u: int, share: list[int]) -> bool:
        empty, partial, full = self._sort_children(u, share)
        ends = [self._full_last(v, share) for v in partial]
        if len(ends) > 2 or any(not end for end in ends):
            return False
        row = [*(ends[0] if ends else ()), *self._as_one(full), *(ends[1][::-1] if len(ends) > 1 else ())]
        if not empty:
            self.children[u], self.is_q[u] = row, True
        else:
            self.children[u] = [*empty, *(self._as_one(row, is_q=True))]
        return True

    def _gather_in_q(self, u: int, share: list[int]) -> bool:
        kids = self.children[u]
        held = [k for k, v in enumerate(kids) if share[v] != EMPTY]
        i, j = held[0], held[-1]
        if any(share[v] != FULL for v in kids[i + 1 : j]):
            return False
        first, last = self._full_last(kids[i], share), self._full_last(kids[j], share)
        if not first or not last:
            return False
        self.children[u] = kids[:i] + first + kids[i + 1 : j] + last[::-1] + kids[j + 1 :]
        return True

    def _full_last(self, u: int, share: list[int]) -> list[int]:
        """The parts of a clade in a row that ends with what is in the set, or nothing if there is no such row."""
        before: list[int] = []
        after: list[int] = []  # from the right
        while share[u] == PARTIAL:
            empty, partial, full = self._sort_children(u, share)
            if len(partial) > 1:
                return []
            if self.is_q[u]:
                kids = self.children[u]
                if share[kids[0]] > share[kids[-1]]:
                    kids, empty, full = kids[::-1], empty[::-1], full[::-1]
                if kids != empty + partial + full:
                    return []
            else:
                empty, full = self._as_one(empty), self._as_one(full)
            before += empty
            after += full[::-1]
            if not partial:
                return before + after[::-1]
            (u,) = partial
        return [*before, u, *after[::-1]]

    def _sort_children(self, u: int, share: list[int]) -> tuple[list[int], ...]:
        kids = self.children[u]
        return tuple([v for v in kids if share[v] == kind] for kind in (EMPTY, PARTIAL, FULL))

    def _as_one(self, nodes: list[int], is_q: bool = False) -> list[int]:
        """Several nodes below a new one."""
        if len(nodes) < 2:
            return nodes
        self.children.append(nodes)
        self.is_q.append(is_q)
        return [len(self.children) - 1]

    def _depth_first(self) -> list[int]:
        found, stack = [], [self.root]
        while stack:
            u = stack.pop()
            found.append(u)
            stack += self.children[u][::-1]
        return found
