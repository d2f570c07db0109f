"""Border: questions about samples at the borders of clusters, where the neighbours disagree."""

from __future__ import annotations

from numbers import Real

import numpy as np

from tripletree.cluster.active.state import QueryState
from tripletree.core.checks import check_count

#: Default number of candidates for each question, and the largest number tried if all of their pairs are closed.
_CANDIDATES, _MOST = 10, 2000


class Border:
    """Ask about samples between two centres: the steps of Mai et al. (2018), with formulas of our own.

    Parameters
    ----------
    n_neighbors : int, default 4
        Number of neighbours whose labels measure how uncertain a sample is (mu).
    alpha : float, default 0.5
        The share of the neighbours' disagreement in the uncertainty. The rest is the share of violated pairs.
    n_candidates : int or None, default None
        How many samples of highest border score are considered. None: ten for each question, which keeps a query linear
        in the number of samples.

    See Also
    --------
    MaiBorder : the formulas of the paper.
    tripletree.cluster.active.inherited_pairs : answers that neighbours inherit.

    Notes
    -----
    The steps are the paper's [1]_: a border score for all samples, the highest of them by a histogram, an uncertainty
    for these, and pairs of them, inside of clusters and between clusters in turn, that do not overlap. Its formulas are
    as by `MaiBorder`. The following formulas do as well or better:

    - border score of a sample x with the centre c and the nearest other centre b: ``min(1, |x - c|^2 / |x - b|^2)``,
      divided by one more than the weight of the must-links at x, and by one more than the weight of the cannot-links.
    - uncertainty: alpha times the entropy of the labels of x and its `n_neighbors` neighbours, in parts of the largest
      possible one, plus 1 - alpha times the violated share of the weight of all pairs at x or a neighbour.
    - score of a pair (x, y): the sum of both uncertainties, divided by one more than the weight of all pairs at x and
      by one more than that at y.
    - pairs do not overlap: no two of a query have a sample in common, nor samples that must-links hold together, so no
      answer follows from the others of a query. If this leaves fewer than n, the caller queries again.

    A pair between clusters is one of two clusters that face each other: one sample's other centre is the centre of the
    other sample's cluster. Other pairs are taken only if there is no such pair. If no pair of the candidates is open,
    there are four times as many, and at last pairs of all samples at random.

    Time O(n (k d + mu d)) at most for n samples, with trees for neighbours much less. Memory O(n k).

    References
    ----------
    .. [1] Mai, Amer-Yahia, Douzal Chouakria, Nguyen, Nguyen (2018), Scalable active constrained clustering for temporal
       data, DASFAA 2018, LNCS 10827.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree.core.pairs import PairwiseConstraints
    >>> from tripletree.cluster.active import QueryState
    >>> X = np.array([[0.0], [1.0], [4.0], [6.0], [9.0], [10.0]])
    >>> labels = np.array([0, 0, 0, 1, 1, 1])
    >>> state = QueryState(X, labels, None, PairwiseConstraints([], [], 6), 2, np.random.default_rng(0))
    >>> Border(n_neighbors=1).query(state, 1).tolist()
    [[2, 3]]
    """

    def __init__(self, n_neighbors: int = 4, *, alpha: float = 0.5, n_candidates: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.n_candidates = n_candidates

    def __repr__(self) -> str:
        return f"Border({self.n_neighbors}, alpha={self.alpha}, n_candidates={self.n_candidates})"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Choose at most n pairs to ask about.

        Parameters
        ----------
        state : QueryState
        n : int

        Returns
        -------
        ndarray of int64, shape (m, 2)
            Empty only if every pair follows from the answers, or was answered with None.
        """
        self._check()
        scores, facing = border_scores(state)
        size = _CANDIDATES * n if self.n_candidates is None else self.n_candidates
        while n > 0:
            rows = highest(scores, max(size, 2))
            pairs = self._chosen(state, rows, facing[rows], n)
            if len(pairs):
                return pairs
            if size >= min(scores.size, _MOST):
                break
            size *= 4
        return state.known.open_pairs(n, state.random_state)

    def _check(self) -> None:
        check_count(self.n_neighbors, "n_neighbors of Border", 1)
        if self.n_candidates is not None:
            check_count(self.n_candidates, "n_candidates of Border", 1)
        number = isinstance(self.alpha, Real) and not isinstance(self.alpha, (bool, np.bool_))
        if not number or not 0 <= self.alpha <= 1:
            msg = f"alpha of Border must be a number in 0..1, not {self.alpha!r}"
            raise ValueError(msg) if number else TypeError(msg)

    def _chosen(self, state: QueryState, rows: np.ndarray, facing: np.ndarray, n: int) -> np.ndarray:
        """Return pairs of the candidates that do not overlap, between clusters and inside of them in turn."""
        unsure = uncertainties(state, rows, self.n_neighbors, self.alpha)
        score = pair_scores(state, rows, unsure)
        part, _ = state.known.components(rows)
        one, two, is_open = open_pairs(state, rows)
        score = score[one, two]
        label = state.labels[rows]
        inside = label[one] == label[two]
        face = ~inside & ((facing[one] == label[two]) | (facing[two] == label[one]))
        kinds = [[face, ~inside], [inside]]
        chosen: list[int] = []
        turn = 0
        while len(chosen) < n:
            found = _best(score, is_open, [*kinds[turn], *kinds[1 - turn]])
            if found < 0:
                break
            chosen.append(found)
            for taken in (part[one[found]], part[two[found]]):
                is_open &= (part[one] != taken) & (part[two] != taken)
            turn = 1 - turn
        return np.sort(np.stack([rows[one[chosen]], rows[two[chosen]]], axis=1), axis=1)


class MaiBorder:
    """Ask about samples between two centres, by the formulas of Mai et al. (2018).

    Parameters
    ----------
    n_neighbors : int, default 4
        Number of neighbours whose labels measure how uncertain a sample is (mu).
    factor : float, default 4.0
        How many times sqrt(n) samples are looked at, see Notes.
    max_candidates : int, default 100
        The most samples that are looked at (M).

    See Also
    --------
    Border : the same steps by other formulas.

    Notes
    -----
    Section 3.2 of [1]_, with ml(a) and cl(a) the total weights of the must-links and cannot-links at a sample a:

    - m = min(`factor` sqrt(n), M) candidates, shared out to the clusters by their sizes. Each cluster gives the samples
      of highest border score d(a, c)^2 / (d(a, b)^2 (1 + ml(a)) (1 + cl(a))), c its own centre and b the nearest other
      one (Eq. 3), by a histogram of sqrt(size) bins: from the highest bin on, and at random from the last one needed,
    - sco(a), the entropy of the labels of the mu nearest neighbours, plus the weight of the violated pairs at a over
      ml(a) + cl(a) + 1 (Eq. 4),
    - with w(a) = 1 + ml(a) + cl(a), one half of the pairs inside of clusters, of largest d(x, y)^2 (1 + sco(x))
      (1 + sco(y)) / (w(x) w(y)), and one half between clusters, of smallest d(x, y)^2 w(x) w(y) / ((1 + sco(x))
      (1 + sco(y))),
    - no two pairs have a sample in common. If there are not enough, the rest is random.

    The paper leaves some points open. Chosen here: the constant of m = O(sqrt n) is `factor`, since 1 leaves too few
    samples for ten pairs without one in common (on iris nearly half of 200 questions are random then). m and sqrt(size)
    are rounded up, and so are the shares. The pairs inside come first, and are one more if the number is odd. If there
    are too few, pairs between take their place. Pairs that follow from answers are not asked.

    References
    ----------
    .. [1] Mai, Amer-Yahia, Douzal Chouakria, Nguyen, Nguyen (2018), Scalable active constrained clustering for temporal
       data, DASFAA 2018, LNCS 10827.

    Examples
    --------
    >>> import numpy as np
    >>> from tripletree.core.pairs import PairwiseConstraints
    >>> from tripletree.cluster.active import QueryState
    >>> X = np.array([[0.0], [1.0], [4.0], [6.0], [9.0]])
    >>> labels = np.array([0, 0, 0, 1, 1])
    >>> state = QueryState(X, labels, None, PairwiseConstraints([], [], 5), 2, np.random.default_rng(0))
    >>> MaiBorder(1).query(state, 1).tolist()
    [[0, 2]]
    """

    def __init__(self, n_neighbors: int = 4, *, factor: float = 4.0, max_candidates: int = 100) -> None:
        self.n_neighbors = n_neighbors
        self.factor = factor
        self.max_candidates = max_candidates

    def __repr__(self) -> str:
        return f"MaiBorder({self.n_neighbors}, factor={self.factor}, max_candidates={self.max_candidates})"

    def query(self, state: QueryState, n: int) -> np.ndarray:
        """Choose at most n pairs to ask about.

        Parameters
        ----------
        state : QueryState
        n : int

        Returns
        -------
        ndarray of int64, shape (m, 2)
            Empty only if every pair follows from the answers, or was answered with None.
        """
        check_count(self.n_neighbors, "n_neighbors of MaiBorder", 1)
        check_count(self.max_candidates, "max_candidates of MaiBorder", 1)
        number = isinstance(self.factor, Real) and not isinstance(self.factor, (bool, np.bool_))
        if not number or not 0 < self.factor < np.inf:
            msg = f"factor of MaiBorder must be a finite number above 0, not {self.factor!r}"
            raise ValueError(msg) if number else TypeError(msg)
        if n <= 0:
            return np.empty((0, 2), np.int64)
        rows = mai_candidates(state, self.factor, self.max_candidates)
        i, j, is_open = open_pairs(state, rows)
        value, one, two = mai_values(state, rows, self.n_neighbors)[i, j], rows[i], rows[j]
        inside = state.labels[one] == state.labels[two]
        chosen: list[tuple[int, int]] = []
        taken: set[int] = set()
        for which, order, most in ((inside, -value, n - n // 2), (~inside, value, n)):
            some = np.flatnonzero(which & is_open)
            for k in some[np.argsort(order[some], kind="stable")].tolist():
                pair = int(one[k]), int(two[k])
                if len(chosen) < most and not taken.intersection(pair):
                    chosen.append(pair)
                    taken.update(pair)
        if len(chosen) < n:
            before = set(chosen)
            drawn = map(tuple, state.known.open_pairs(2 * n, state.random_state).tolist())
            chosen += [pair for pair in drawn if pair not in before][: n - len(chosen)]
        return np.array(chosen, np.int64).reshape(-1, 2)


def open_pairs(state: QueryState, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of some samples, as two arrays of places in `rows`, and which of them no answer settles, nor None."""
    part, apart = state.known.components(rows)
    one, two = np.triu_indices(rows.size, 1)
    is_open = (part[one] != part[two]) & ~apart[part[one], part[two]]
    place = {int(i): k for k, i in enumerate(rows)}
    asked = [sorted((place[i], place[j])) for i, j in state.known.unknown if i in place and j in place]
    for i, j in asked:
        is_open[i * rows.size - i * (i + 1) // 2 + j - i - 1] = False
    return one, two, is_open


def mai_scores(state: QueryState) -> np.ndarray:
    """Return the border score of each sample (Eq. 3). 0 if there is one cluster."""
    own, other, _ = _distances(state)
    must, cannot = state.link_weights
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = own / np.where(other > 0, other, own)  # 1 on the other centre
    score = np.where(np.isinf(other) | (own == 0), 0.0, np.minimum(ratio, np.finfo(np.float64).max))
    return score / ((1.0 + must) * (1.0 + cannot))


def mai_candidates(state: QueryState, factor: float, most: int) -> np.ndarray:
    """Candidates of all clusters by their sizes, from the highest bins of each one's scores, increasing."""
    scores, n = mai_scores(state), state.labels.size
    m = int(min(np.ceil(factor * np.sqrt(n)), most, n))
    found = []
    for cluster in np.unique(state.labels):
        members = np.flatnonzero(state.labels == cluster)
        share, bins = -(-m * members.size // n), int(np.ceil(np.sqrt(members.size)))
        mine = scores[members]
        low, wide = mine.min(), np.ptp(mine)
        place = np.minimum(((mine - low) / wide * bins).astype(np.int64), bins - 1) if wide > 0 else np.zeros(mine.size)
        shuffled = state.random_state.permutation(members.size)
        order = shuffled[np.argsort(-place[shuffled], kind="stable")]
        found.append(members[order[:share]])
    return np.sort(np.concatenate(found))


def mai_values(state: QueryState, rows: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return the order of pairs of candidates, a matrix: large is unlike inside, small is alike between clusters."""
    must, cannot = state.link_weights
    violated, total = _violations(state)
    near, _ = state.neighbours.of(rows, n_neighbors)
    unsure = 1.0 + _entropies(state.labels, near) + violated[rows] / (total[rows] + 1.0)
    weight = 1.0 + must[rows] + cannot[rows]
    square = np.square(state.X[rows][:, None] - state.X[rows]).sum(axis=2)
    label = state.labels[rows]
    factor = np.outer(unsure, unsure) / np.outer(weight, weight)
    return square * np.where(label[:, None] == label, factor, 1.0 / factor)


def _entropies(labels: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return the entropy of the labels of some samples in each row."""
    m, width = near.shape
    k = int(labels.max()) + 1
    cell = np.arange(m)[:, None] * k + labels[near]
    share = np.bincount(cell.ravel(), minlength=m * k).reshape(m, k) / max(width, 1)
    return -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)


def _best(score: np.ndarray, is_open: np.ndarray, kinds: list[np.ndarray]) -> int:
    """Return the open pair of highest score, of the first kind that has one. -1 if no pair is open."""
    for kind in kinds:
        some = np.flatnonzero(is_open & kind)
        if some.size:
            return int(some[score[some].argmax()])
    return -1


def border_scores(state: QueryState) -> tuple[np.ndarray, np.ndarray]:
    """Return the border score of each sample, and the nearest centre other than its own (its own if there is one).

    Returns
    -------
    scores : ndarray of float64, shape (n,)
        In 0..1. 0 if there is one cluster.
    facing : ndarray of int64, shape (n,)
    """
    own, other, facing = _distances(state)
    ratio = np.where(own >= other, 1.0, own / np.where(other > 0, other, 1.0))
    must, cannot = state.link_weights
    return np.where(np.isinf(other), 0.0, ratio) / ((1.0 + must) * (1.0 + cannot)), facing


def _distances(state: QueryState) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squared distances to the own centre and to the nearest other one (infinite without any), and which this is."""
    from sklearn.metrics import pairwise_distances_chunked

    X, means, label = state.X, state.means, state.labels
    own, other = np.empty(len(X)), np.empty(len(X))
    facing = np.empty(len(X), np.int64)
    alive = ~np.isnan(means).any(axis=1)
    first = 0
    for square in pairwise_distances_chunked(X, np.where(alive[:, None], means, 0.0), metric="sqeuclidean"):
        at = np.arange(len(square))
        part = slice(first, first + len(square))
        first += len(square)
        own[part] = square[at, label[part]]
        square[:, ~alive] = np.inf
        square[at, label[part]] = np.inf
        facing[part] = square.argmin(axis=1)
        other[part] = square[at, facing[part]]
    alone = np.isinf(other)
    facing[alone] = label[alone]
    return own, other, facing


def highest(scores: np.ndarray, size: int) -> np.ndarray:
    """Return the samples of highest score, the highest first. Ties go to the first sample.

    The scores, in 0..1, are counted in a histogram of about sqrt(n) bins. Only the samples of its highest bins are
    sorted. So the time is linear unless most scores share a bin.

    Examples
    --------
    >>> import numpy as np
    >>> highest(np.array([0.5, 0.1, 0.9, 0.5]), 3).tolist()
    [2, 0, 3]
    """
    n = scores.size
    bins = int(np.sqrt(n)) + 1
    where = np.minimum((scores * bins).astype(np.int64), bins - 1)
    count = np.bincount(where, minlength=bins)[::-1].cumsum()
    lowest = bins - 1 - int(np.searchsorted(count, min(size, n)))
    some = np.flatnonzero(where >= lowest)
    return some[np.argsort(-scores[some], kind="stable")][:size]


def uncertainties(state: QueryState, rows: np.ndarray, n_neighbors: int, alpha: float) -> np.ndarray:
    """How uncertain some samples are: their neighbours' entropy, and the violated part of the pairs there."""
    where, _ = state.neighbours.of(rows, n_neighbors)
    around = np.concatenate([rows[:, None], where], axis=1)
    entropy = _entropies(state.labels, around)
    largest = np.log(min(around.shape[1], max(int(state.labels.max()) + 1, 2)))
    violated, weight = _violations(state)
    total = weight[around].sum(axis=1)
    bad = violated[around].sum(axis=1) / np.where(total > 0, total, 1.0)
    return alpha * (entropy / largest if largest > 0 else entropy) + (1.0 - alpha) * bad


def _violations(state: QueryState) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of the violated pairs of each sample, and of all its pairs."""
    pairs = state.pairs if state.weighted is None else state.weighted
    bad = np.zeros(state.X.shape[0])
    for rows, given, together in (
        (pairs.must_link, pairs.must_weights, True),
        (pairs.cannot_link, pairs.cannot_weights, False),
    ):
        broken = (state.labels[rows[:, 0]] == state.labels[rows[:, 1]]) != together
        weight = broken * (1.0 if given is None else given)
        bad += np.bincount(rows.T.ravel(), np.tile(weight, 2), bad.size)
    must, cannot = state.link_weights
    return bad, must + cannot


def pair_scores(state: QueryState, rows: np.ndarray, unsure: np.ndarray) -> np.ndarray:
    """Return the scores of all pairs of some samples, a matrix."""
    must, cannot = state.link_weights
    weight = 1.0 + must[rows] + cannot[rows]
    return (unsure[:, None] + unsure) / np.outer(weight, weight)
