"""RandomWalk: the question whose answer would change the clusters of most samples, by walks on a neighbour graph."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tripletree.cluster.active.closure import AnswerClosure
from tripletree.cluster.active.inheritance import Neighbours
from tripletree.cluster.active.state import QueryState
from tripletree.cluster.odd_one_out.beliefs import Beliefs
from tripletree.cluster.odd_one_out.neighbours import NeighbourGraph, neighbour_graph
from tripletree.cluster.odd_one_out.questions import best_question
from tripletree.cluster.odd_one_out.walk import AbsorbingWalk
from tripletree.core.answers import ALIKE, DIFFERENT
from tripletree.core.checks import check_count

#: The most answered samples that absorb walks, since a question takes time in the square of their number, and how many
#: samples are left when there are more.
MOST_ITEMS, KEPT_ITEMS = 500, 250


class RandomWalk:
    """Ask about the pair whose answer is expected to change the clusters of most samples.

    Parameters
    ----------
    n_neighbors : int, default 10
        Neighbours that each sample is joined to.

    See Also
    --------
    tripletree.cluster.OddOneOutClustering : the same choice for three samples, and clusters that come of it.

    Notes
    -----
    Random walks on the graph of nearest neighbours end at answered samples [1]_. The ends tell how likely each
    group of answered samples is for each sample. A walk that dies on the way speaks for a group not seen yet. The value
    of a sample is the chance that a guess of its group is wrong, times the number of samples from which a walk would
    come to it before any answered one. A pair is worth the value of its samples, each times the share of its entropy
    that the answer tells. Groups that may be one are weighed in the same way. The clusters of the estimator play no
    part.

    One pair is chosen at a time, never one whose answer follows from the others. If no pair is worth asking, open pairs
    are drawn at random.

    The graph, the walk and the groups are kept during a fit. The walk takes O(r^3) time and O(r^2) memory once, for
    r <= 3,000 different samples, and O(r a^2) for each question after a answered samples. With more samples, 3,000
    drawn at random are the nodes of the graph. With more than 500 answered ones, some of each group absorb.

    References
    ----------
    .. [1] Zhu, Lafferty, Ghahramani (2003), Combining active learning and semi-supervised learning using Gaussian
       fields and harmonic functions, ICML workshop on the continuum from labeled to unlabeled data.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree.core.pairs import PairwiseConstraints
    >>> from tripletree.cluster.active import QueryState
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]])
    >>> labels = np.zeros(7, np.int64)
    >>> state = QueryState(X, labels, None, PairwiseConstraints([], [], 7), 2, np.random.default_rng(0))
    >>> RandomWalk(2).query(state, 1).tolist()
    [[2, 5]]
    """

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = n_neighbors
        self._kept: _Kept | None = None

    def __repr__(self) -> str:
        return f"RandomWalk({self.n_neighbors})"

    def __getstate__(self) -> dict:
        """Its parameter. The state of a fit is not copied."""
        return {"n_neighbors": self.n_neighbors}

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["n_neighbors"])  # type: ignore[misc]

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Choose the next pair. Empty if nothing is left to ask.

        Parameters
        ----------
        state : QueryState
        n : int
            No more than one pair is chosen, as the next depends on the answer.

        Returns
        -------
        ndarray of int64, shape (1, 2) or (0, 2)
        """
        check_count(self.n_neighbors, "n_neighbors of RandomWalk", 1)
        known = state.known
        if n <= 0 or not known.n_open():
            return np.empty((0, 2), np.int64)
        if self._kept is None or self._kept.made_for is not state.neighbours:
            graph = neighbour_graph(state.X, int(self.n_neighbors), state.random_state)
            self._kept = _Kept(state.neighbours, graph, AbsorbingWalk(graph))
        beliefs = self._kept.updated(state)
        weight = np.ones(len(state.X))
        for pair in known.unknown:  # a pair without an answer is worth half of one
            weight[list(pair)] /= 2
        best = best_question(state.X, self._kept.graph, beliefs, weight, lambda pair: known.is_open(*pair), pairs=True)
        if best is None:
            return known.open_pairs(1, state.random_state)
        return np.sort(np.array([best.samples], np.int64), axis=1)


@dataclass
class _Kept:
    """State between the questions of a fit."""

    made_for: Neighbours  # one object for all states of a fit
    graph: NeighbourGraph
    walk: AbsorbingWalk
    beliefs: Beliefs | None = None
    said: set[tuple[int, int]] = field(default_factory=set)

    def updated(self, state: QueryState) -> Beliefs:
        """Return the groups of the answered samples, after all answers."""
        must = set(map(tuple, state.pairs.must_link.tolist()))
        said = must.union(map(tuple, state.pairs.cannot_link.tolist()))
        more = sorted(said - self.said)
        beliefs = None if self.said - said else self.beliefs
        if beliefs is None or beliefs.items.size + 2 * len(more) > MOST_ITEMS:
            beliefs = Beliefs(self.walk, self.graph.node, 0.0)
            if said:
                beliefs.add_components(*_components(state.known))
        else:
            for pair in more:
                if state.known.implied(*pair) is (pair in must):  # not one that contradicts earlier ones
                    beliefs.add(np.array([*pair, -1]), ALIKE if pair in must else DIFFERENT)
        self.beliefs, self.said = beliefs, said
        return beliefs


def _components(known: AnswerClosure) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answered samples (some of each component if many), their components, and which of them are apart."""
    groups = [x for x in known.groups() if len(x) > 1 or known.has_cannot_links(x[0])]
    place = sorted((rank, g) for g, group in enumerate(groups) for rank in range(len(group)))[:KEPT_ITEMS]
    items = np.array([groups[g][rank] for rank, g in place], np.int64)
    return items, *known.components(items)
