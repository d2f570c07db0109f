"""Step 4 of `DivisiveReCon`: flat clusters, by votes of pairs and class-like triplets, and how many there are."""

from __future__ import annotations

import numpy as np

from tripletree.algorithms.cut import cut, has_several
from tripletree.algorithms.flat import MOST_CLUSTERS
from tripletree.cluster.divisive.items import ITEMS_MAX
from tripletree.cluster.nearer import nearer_to_samples
from tripletree.cluster.votes import FlatVotes, alone, embedded, nearer_means, voted
from tripletree.core.checks import counted
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.pair_closure import PairClosure
from tripletree.core.progress import Tick, silent
from tripletree.core.triplets import TripletSet
from tripletree.errors import ClusterCountError

#: Standard errors by which held-out triplets are displayed more often than by chance, if they are of the tree.
ERRORS_BEYOND_CHANCE = 2.0


def check_enough_groups(k: int | None, closure: PairClosure, ties: str) -> None:
    """Refuse more clusters than groups of samples that must-links, also from classes, tie together."""
    most = closure.n_components
    if k is not None and k > most:
        msg = (
            f"n_clusters={k}, but {ties} tie the {closure.component.size} samples "
            f"into {counted(most, 'group')}: there cannot be more clusters than groups. Ask for {most} or fewer"
        )
        raise ClusterCountError(msg, n_clusters=k, nearest=(most,))


def by_votes(
    labels: np.ndarray,
    plain: Hierarchy,
    points: np.ndarray,
    is_matrix: bool,
    votes: FlatVotes,
    shown: float | None,
    n_told: int,
    rng: np.random.Generator,
    tell: Tick = silent,
) -> np.ndarray | None:
    """Clusters by votes of pairs, and of triplets if these speak of classes. None if neither do.

    Triplets that are not of classes are left out if trees made without them display no more of them (`shown`) than by
    chance. There are `n_told` triplets, those that do not vote among them.
    """
    k = int(labels.max()) + 1
    is_chance = shown is not None and shown < 1 / 3 + ERRORS_BEYOND_CHANCE * np.sqrt(2 / (9 * n_told))
    if k == 1 or not (len(votes) or is_chance):
        return None
    start = cut(plain, k, samples=None if is_matrix else points)
    points = embedded(points) if is_matrix else points
    start = nearer_means(points, start)
    if len(votes) == len(votes.pairs) + n_told:  # all statements vote
        found, heard = voted(points, votes, start, rng, tell), votes
        single = alone(votes.rows, found.labels)
        if single.any() and found.is_of_classes(without=float(single[votes.rows[:, 2]].mean())):
            heard = votes.without_far(single)
            found = voted(points, heard, start, rng, tell)
        # triplets may be too few to move clusters that break them. The tree is heard then, if it shows them unseen
        stays = found.labels is start and shown is not None and not is_chance
        if found.is_of_classes():
            return labels if stays and _keeps_more(labels, start, heard) else found.labels
    votes = votes.part(np.arange(len(votes)) < len(votes.pairs))
    if len(votes):
        found = voted(points, votes, start, rng, tell)
        if found.labels is not start:
            return found.labels
    return start if is_chance else None


def _keeps_more(one: np.ndarray, other: np.ndarray, votes: FlatVotes) -> bool:
    """Whether the one clusters keep more statements than the other ones, beyond chance."""
    more = votes.weight * (votes.kept(one).astype(float) - votes.kept(other))
    return bool(more.sum() > ERRORS_BEYOND_CHANCE * np.sqrt(more @ more))


def from_plain_tree(
    labels: np.ndarray, plain: Hierarchy, points: np.ndarray, is_matrix: bool, kept: TripletSet
) -> np.ndarray:
    """Clusters of the plain tree, moved by triplets, if they fit the samples better than the given ones."""
    k, n = int(labels.max()) + 1, labels.size
    if not 1 < k <= MOST_CLUSTERS or (is_matrix and n > ITEMS_MAX):  # coordinates take n^3 steps
        return labels
    start = cut(plain, k, samples=None if is_matrix else points)
    return nearer_to_samples(labels, start, embedded(points) if is_matrix else points, kept)


def whitened(points: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Coordinates in which classes are round: the covariance within classes becomes the identity.

    As there may be few labels, that covariance is mixed with the variances of all samples: d parts of these to one part
    for each label beyond the first of its class.
    """
    known = np.flatnonzero(codes >= 0)
    d, of = points.shape[1], codes[known]
    freedom = known.size - np.unique(of).size
    if freedom < 1:
        return points
    size = np.maximum(np.bincount(of), 1)
    means = np.zeros((size.size, d))
    np.add.at(means, of, points[known])
    rest = points[known] - (means / size[:, None])[of]
    within = rest.T @ rest / freedom
    mixed = (freedom * within + d * np.diag(points.var(axis=0))) / (freedom + d)
    value, vector = np.linalg.eigh(mixed)
    positive = value > 1e-9 * value.max()
    return points @ vector[:, positive] / np.sqrt(value[positive]) if positive.any() else points


def widest_gap(heights: np.ndarray, tree: Hierarchy, used: TripletSet) -> int:
    """The number of clusters, about sqrt(n) at most, at which the height of merges rises by the greatest factor.

    As in `suggest_n_clusters`, crumbs are not clusters.
    """
    n = heights.size + 1
    last = heights[-max(2, int(np.sqrt(n))) :]
    if last.size < 2 or not last[0] < last[-1]:
        return 1
    rise = np.diff(np.log(np.maximum(last, last[-1] * 1e-9)))

    def merit(i: int) -> tuple[bool, float]:
        labels = cut(tree, last.size - i, rule="auto", triplets=used)
        return has_several(np.bincount(labels) / n), float(rise[i])

    return last.size - max(range(rise.size), key=merit)
