"""Complete linkage of propagated distances: the merges, questions asked at the last of them, and merges refused.

The last merges are done one by one on a matrix of the roots, the clusters that are left: where an oracle is asked, or
where the next merge would leave no way to n_clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from tripletree import _kernels
from tripletree._kernels import freeze
from tripletree.cluster._engine import merge_condensed
from tripletree.cluster._feasible_cut import Places, roots_of
from tripletree.cluster._propagation import Propagated, propagated
from tripletree.pairs import PairwiseConstraints
from tripletree.queries.oracle import Questions

__all__ = ["answers_kept", "complete_merges"]

#: Merges that are asked about, for each question: answers that are "no" merge nothing.
_MERGES_A_QUESTION = 0.75
_BATCH = 4_000_000  # distances that are looked through at a time


@contextmanager
def answers_kept(questions: Questions | None, given: PairwiseConstraints) -> Iterator[None]:
    """Hand what has been answered to an exception that ends the fit, an interrupt too: `.queries` and `.pairs`."""
    try:
        yield
    except BaseException as error:
        if questions is not None:
            with suppress(AttributeError, TypeError):  # an exception of the oracle's own that takes no attributes
                error.queries, error.pairs = questions.asked, given | questions.answers()  # type: ignore[attr-defined]
                if questions.asked:
                    error.add_note(
                        f"{len(questions.asked)} questions have been answered: of this exception, .queries holds them "
                        "and .pairs all constraints with them, for fit(X, pairs=error.pairs, ...)"
                    )
        raise


def complete_merges(
    condensed: np.ndarray,
    component: np.ndarray,
    cannot: np.ndarray,
    progress: Callable[[int], Any] | None = None,
    questions: Questions | None = None,
    central: Callable[[np.ndarray], int] | None = None,
    places: Places | None = None,
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
    places : Places, optional
        Of the components: merges that leave no places are refused, unless answers have left none.

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
    asks = questions is not None and questions.left > 0 and central is not None
    kept = known.condensed.copy() if asks or (places is not None and len(cannot)) else None
    merges, _ = merge_condensed(known.condensed, known.n_groups, nothing, "complete", progress)
    if kept is not None:
        allowed = merges[: int((merges[:, 2] < known.top).sum())]
        stand = len(allowed) if places is None else places.first(allowed)
        if asks or stand < len(allowed):
            last = _Last(Propagated(kept, *known[1:]), component, questions if asks else None, central, places)
            merges = last.merged(allowed, stand)
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


# ---------------------------------------------------------------------- the last merges


class _Last:
    """The last merges once more, one by one."""

    def __init__(
        self,
        known: Propagated,
        component: np.ndarray,
        questions: Questions | None,
        central: Callable[[np.ndarray], int] | None,
        places: Places | None,
    ) -> None:
        self._known, self._component = known, component
        self._questions, self._central, self._places = questions, central, places
        self._unknown: set[tuple[int, int]] = set()

    def merged(self, allowed: np.ndarray, stand: int) -> np.ndarray:
        """All merges of groups, of which the first `stand` at most are as given.

        As many of the given ones are asked about as there are questions for. What is left of these when no more merges
        are allowed is asked lower down, until nothing is left: all answers are imposed there first.
        """
        depth = 0
        while True:
            left = 0 if self._questions is None else self._questions.left
            depth += int(np.ceil(left * _MERGES_A_QUESTION))
            below = allowed[: max(0, min(stand, len(allowed) - depth))]
            roots = self._roots(below)
            self._merge(roots)
            if self._questions is None or not self._questions.left or not len(below):
                break
        while (pair := roots.closest(forbidden=True)) is not None:
            roots.merge(*pair, linked=False, height=self._known.top)
        return np.concatenate([below, np.array(roots.merges).reshape(-1, 4)])

    def _roots(self, below: np.ndarray) -> _Roots:
        """What the first merges leave, with all answers imposed."""
        known = self._known
        part, node = roots_of(below, known.n_groups)
        far = _kernels.propagation.farthest(freeze(known.condensed), known.n_groups, freeze(part), node.size)
        root = part[self._component]
        members = np.split(np.argsort(root, kind="stable"), np.bincount(root).cumsum()[:-1])
        roots = _Roots(far, known.top, node, members, known.n_groups + len(below))
        answers = None if self._questions is None else self._questions.answers()
        if answers is not None:
            for a, b in root[answers.cannot_link].tolist():
                roots.separate(a, b)
        if self._places is not None and not self._places.begin(part, roots.apart):
            self._places = None
        for a, b in [] if answers is None else answers.must_link.tolist():
            i, j = sorted((root[a], root[b]))
            if i != j:
                if self._places is not None and not self._places.allow(i, j, roots.apart, roots.alive):
                    self._places = None
                roots.merge(i, j, linked=True, height=0.0)
                root[root == j] = i
        return roots

    def _merge(self, roots: _Roots) -> None:
        """Merge the closest two that may meet, by and by, and ask about it while there are questions."""
        questions, central, centre = self._questions, self._central, dict[int, int]()
        while (pair := roots.closest()) is not None or roots.reopen():
            if pair is None:
                continue  # some must still meet: what a search that was given up had said against it is void
            if self._places is not None and not self._places.allow(*pair, roots.apart, roots.alive):
                roots.bar(*pair)
                continue
            answer = None
            if questions is not None and central is not None and questions.left:
                for i in pair:
                    if i not in centre:
                        centre[i] = central(roots.members[i])
                answer = self._asked(centre[pair[0]], centre[pair[1]], questions)
            if answer is False:
                roots.separate(*pair)
                if self._places is not None and not self._places.part(*pair, roots.apart, roots.alive):
                    self._places = None
                continue
            roots.merge(*pair, linked=answer is True)
            centre.pop(pair[0], None)

    def _asked(self, i: int, j: int, questions: Questions) -> bool | None:
        """An answer; what nobody knew is not asked again."""
        pair = min(i, j), max(i, j)
        answer = None if pair in self._unknown else questions.ask(i, j)
        if answer is None:
            self._unknown.add(pair)
        return answer


class _Roots:
    """The clusters that are left, their distances, and which of them must not meet.

    Parameters
    ----------
    far : ndarray of float64, shape (r, r)
        Complete-link distances, from `top` on where a cannot-link is between; overwritten.
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
        self.near = far
        self.near[self.apart] -= top
        self.barred = self.apart | np.eye(node.size, dtype=bool)  # with what is refused, and what is merged away
        self.alive = np.ones(node.size, bool)
        self.node, self.members, self.new = node.copy(), members, new
        self.merges: list[tuple[float, float, float, float]] = []
        self._least, self._nearest = np.empty(node.size), np.empty(node.size, np.intp)
        self._search(np.arange(node.size))

    def closest(self, *, forbidden: bool = False) -> tuple[int, int] | None:
        """The closest two that may meet, or any closest two; of several the pair with the first samples."""
        if not forbidden:
            i = int(self._least.argmin())
            return None if np.isinf(self._least[i]) else (i, int(self._nearest[i]))
        live = np.flatnonzero(self.alive)
        if live.size == 1:
            return None
        distance = self.near[np.ix_(live, live)]
        np.fill_diagonal(distance, np.inf)
        i, j = divmod(int(distance.argmin()), live.size)
        return int(live[i]), int(live[j])

    def separate(self, i: int, j: int) -> None:
        """Impose a cannot-link: complete linkage hands it on to whatever they merge with."""
        self.apart[i, j] = self.apart[j, i] = True
        self.bar(i, j)

    def bar(self, i: int, j: int) -> None:
        """Refuse to merge i and j, and what they merge with."""
        self.barred[i, j] = self.barred[j, i] = True
        self._search(np.array([i, j]))

    def reopen(self) -> bool:
        """Forget all refusals but those of cannot-links: whether there were any."""
        barred = self.apart | ~self.alive | ~self.alive[:, None] | np.eye(self.alive.size, dtype=bool)
        if (barred == self.barred).all():
            return False
        self.barred = barred
        self._search(np.arange(self.alive.size))
        return True

    def merge(self, i: int, j: int, *, linked: bool, height: float | None = None) -> None:
        """Merge j into i, i < j: by the greater distance or, where they are must-linked, by shortest paths.

        No path goes between two that are apart.
        """
        near, apart, barred = self.near, self.apart, self.barred
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
        refused = barred[i] | barred[j]
        barred[i], barred[:, i] = refused, refused
        barred[j], barred[:, j] = True, True
        near[i, i], apart[i, i], barred[i, i] = 0.0, False, True
        changed = (self._nearest == i) | (self._nearest == j)
        changed[[i, j]] = True
        self._search(np.flatnonzero(changed | linked))

    def _search(self, rows: np.ndarray) -> None:
        """The nearest that each of these may meet, the first of several."""
        step = max(1, _BATCH // self.alive.size)
        for low in range(0, rows.size, step):
            some = rows[low : low + step]
            distance = np.where(self.barred[some], np.inf, self.near[some])
            nearest = distance.argmin(axis=1)
            self._nearest[some], self._least[some] = nearest, distance[np.arange(some.size), nearest]
