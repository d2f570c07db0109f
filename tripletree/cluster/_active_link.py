"""Complete linkage of propagated distances: the merges, and questions asked at the last of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.cluster._engine import merge_condensed
from tripletree.cluster._oracle import Questions
from tripletree.cluster._propagation import Propagated, propagated

__all__ = ["complete_merges"]

#: Merges that are asked about, for each question: answers that are "no" merge nothing.
_MERGES_A_QUESTION = 0.75


def complete_merges(
    condensed: np.ndarray,
    component: np.ndarray,
    cannot: np.ndarray,
    progress: Callable[[int], Any] | None = None,
    questions: Questions | None = None,
    central: Callable[[np.ndarray], int] | None = None,
) -> tuple[np.ndarray, float]:
    """Merge samples by complete linkage under must-links and cannot-links.

    Parameters
    ----------
    condensed : ndarray of float64, shape (n * (n - 1) / 2,)
        Distances of the n samples, which are overwritten.
    component : ndarray of int32, shape (n,)
        The must-link component of each sample, 0..N-1 in the order of their first samples.
    cannot : ndarray of int, shape (k, 2)
        Components that are kept apart.
    progress : callable, optional
        Called with the number of merges done since its last call.
    questions : Questions, optional
        Asked at the last merges.
    central : callable, optional
        Samples of a cluster -> the one that stands for it in a question.

    Returns
    -------
    merges : ndarray of float64, shape (n - 1, 4)
        A scipy linkage in merge order, with raw heights. Those of must-links are first, those that a constraint or an
        answer forbids last.
    top : float
        The height of the latter, above all others.
    """
    known = propagated(condensed, component, cannot)
    nothing = np.empty((0, 3), np.int32)
    kept = known.condensed.copy() if questions is not None and questions.left else None
    merges, _ = merge_condensed(known.condensed, known.n_groups, nothing, "complete", progress)
    if questions is not None and kept is not None and central is not None:
        merges = _asked(merges, Propagated(kept, *known[1:]), component, questions, central)
    merges[:, 2] = np.minimum(merges[:, 2], known.top)
    return _of_samples(merges, component), known.top


def _of_samples(merges: np.ndarray, component: np.ndarray) -> np.ndarray:
    """The merges of must-linked samples, then those of their groups: a linkage of n samples from one of N groups."""
    size = np.bincount(component)
    n, n_groups = component.size, size.size
    inside = n - n_groups
    Z = np.empty((n - 1, 4))
    member = np.argsort(component, kind="stable")  # group by group
    rank = np.arange(n) - np.repeat(size.cumsum() - size, size)
    node = member[np.flatnonzero(rank == 0)]  # of each group
    if inside:
        place = np.flatnonzero(rank > 0)
        chain = np.where(rank[place] > 1, n + np.arange(inside) - 1, member[place - 1])
        Z[:inside, 0], Z[:inside, 1] = np.minimum(chain, member[place]), np.maximum(chain, member[place])
        Z[:inside, 2], Z[:inside, 3] = 0.0, rank[place] + 1
        last = rank[place] + 1 == size[component[member[place]]]
        node[component[member[place[last]]]] = n + np.flatnonzero(last)
    node = np.concatenate([node, np.arange(n + inside, 2 * n - 1)])
    Z[inside:, :2] = np.sort(node[merges[:, :2].astype(np.intp)], axis=1)
    Z[inside:, 2] = merges[:, 2]
    total = np.concatenate([size, np.zeros(n_groups - 1, size.dtype)])
    for k, (i, j) in enumerate(merges[:, :2].astype(int).tolist()):
        total[n_groups + k] = total[i] + total[j]
    Z[inside:, 3] = total[n_groups:]
    return Z


# ---------------------------------------------------------------------- questions


def _asked(
    merges: np.ndarray,
    known: Propagated,
    component: np.ndarray,
    questions: Questions,
    central: Callable[[np.ndarray], int],
) -> np.ndarray:
    """The merges once more, the last of them with questions: as many as there are to be asked."""
    allowed = int((merges[:, 2] < known.top).sum())
    below = merges[: max(0, allowed - int(np.ceil(questions.left * _MERGES_A_QUESTION)))]
    part, node = _roots(below, known.n_groups)
    far = _kernels.propagation.farthest(freeze(known.condensed), known.n_groups, freeze(part), node.size)
    place = np.argsort(part[component], kind="stable")
    members = np.split(place, np.bincount(part[component]).cumsum()[:-1])
    roots = _Roots(far, known.top, node, members, known.n_groups + len(below))
    centre: dict[int, int] = {}
    while (pair := roots.closest()) is not None:
        answer = None
        if questions.left:
            for i in pair:
                if i not in centre:
                    centre[i] = central(roots.members[i])
            answer = questions.ask(*(centre[i] for i in pair))
        if answer is False:
            roots.separate(*pair)
            continue
        roots.merge(*pair, linked=answer is True)
        centre.pop(pair[0], None)
    while (pair := roots.closest(forbidden=True)) is not None:
        roots.merge(*pair, linked=False, height=known.top)
    return np.concatenate([below, np.array(roots.merges).reshape(-1, 4)])


def _roots(below: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """What n leaves are merged into by the first merges: the root of each leaf, by first leaves, and its node."""
    root = np.arange(n + len(below))
    children = below[:, :2].astype(np.intp)
    for k in range(len(below) - 1, -1, -1):
        root[children[k]] = root[n + k]
    node, first, part = np.unique(root[:n], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return rank[part].astype(np.int64), node[order]


class _Roots:
    """The clusters that are left, their distances, and which of them must not meet.

    Parameters
    ----------
    far : ndarray of float64, shape (r, r)
        Complete-link distances, from `top` on where a cannot-link is between.
    top : float
    node : ndarray of int, shape (r,)
        Their nodes in the linkage.
    members : list of r arrays of int
        Their samples.
    new : int
        The next free node.
    """

    def __init__(self, far: np.ndarray, top: float, node: np.ndarray, members: list[np.ndarray], new: int) -> None:
        self.apart = far >= top
        self.near = np.where(self.apart, far - top, far)
        self.alive = np.ones(node.size, bool)
        self.node, self.members, self.new = node.copy(), members, new
        self.merges: list[tuple[float, float, float, float]] = []

    def closest(self, *, forbidden: bool = False) -> tuple[int, int] | None:
        """The closest two that may meet, or any closest two; of several the pair with the first samples."""
        live = np.flatnonzero(self.alive)
        grid = np.ix_(live, live)
        distance = self.near[grid] if forbidden else np.where(self.apart[grid], np.inf, self.near[grid])
        np.fill_diagonal(distance, np.inf)
        best = int(distance.argmin())
        if live.size == 1 or np.isinf(distance.flat[best]):
            return None
        i, j = divmod(best, live.size)
        return int(live[i]), int(live[j])

    def separate(self, i: int, j: int) -> None:
        """Impose a cannot-link: complete linkage hands it on to whatever they merge with."""
        self.apart[i, j] = self.apart[j, i] = True

    def merge(self, i: int, j: int, *, linked: bool, height: float | None = None) -> None:
        """Merge j into i, i < j: by the greater distance or, where they are must-linked, by shortest paths.

        No path goes between two that are apart.
        """
        near, apart = self.near, self.apart
        row = near[i, j] if height is None else height
        a, b = sorted((self.node[i], self.node[j]))
        self.members[i] = np.sort(np.concatenate([self.members[i], self.members[j]]))
        self.merges.append((a, b, row, self.members[i].size))
        self.node[i], self.alive[j] = self.new, False
        self.new += 1
        forbidden = apart[i] | apart[j]
        if linked:
            legs = [np.where(apart[x], np.inf, near[x]) for x in (i, j)]
            leg = np.minimum(*legs)
            leg[~self.alive] = np.inf
            reach = np.where(forbidden, np.maximum(near[i], near[j]), leg)
            np.minimum(near, leg[:, None] + leg, out=near)
        else:
            reach = np.maximum(near[i], near[j])
        near[i], near[:, i] = reach, reach
        apart[i], apart[:, i] = forbidden, forbidden
        near[i, i], apart[i, i] = 0.0, False
