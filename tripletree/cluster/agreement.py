"""Do the features agree with the names? Triplets known of some samples, beside the same with their names exchanged.

Knowledge that agrees with itself is believed, whatever the features say, and drags other samples along. If names stand
at wrong rows, this harms them, and no triplet contradicts another. Distances tell: they seldom agree with a hierarchy
of exchanged names. `DivisiveReCon` asks in each fit, as it takes milliseconds. Whether knowledge helps takes fits, see
``cluster/validation.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletree.algorithms.induce import count_triplets, sample_triplets
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

#: The agreement is clear if it is 2 standard deviations of exchanged names above their mean.
CLEAR = 2.0

#: Fewer names or triplets are not looked at: right ones often agree no better than exchanged ones.
FEWEST_NAMES, FEWEST_TRIPLETS = 30, 100

#: The most names of a hierarchy and triplets that are looked at, and how often names are exchanged.
MOST_NAMES, MOST_TRIPLETS, EXCHANGES = 300, 1_000, 100


@dataclass(frozen=True, eq=False)
class NameAgreement:
    """How well the features agree with what is known of some samples.

    Attributes
    ----------
    share : float
        The share of known triplets ab|c in which a and b are nearer to each other, by the features, than to c.
    exchanged, deviation : float
        The mean of this share if the names of the samples are exchanged at random, and its standard deviation.
    n_triplets, n_names : int
        How many triplets were looked at, on how many samples.
    """

    share: float
    exchanged: float
    deviation: float
    n_triplets: int
    n_names: int

    @property
    def is_clear(self) -> bool:
        """Whether the share is at least two standard deviations above its mean for exchanged names."""
        return self.share >= self.exchanged + CLEAR * self.deviation

    def __str__(self) -> str:
        """In words.

        >>> print(NameAgreement(0.352, 0.331, 0.025, 1000, 60))
        the nearest two of three are those of 35.2% of 1,000 triplets on 60 samples, with names exchanged 33.1% +-2.5%
        """
        return (
            f"the nearest two of three are those of {self.share:.1%} of {self.n_triplets:,} triplets on "
            f"{self.n_names:,} samples, with names exchanged {self.exchanged:.1%} +-{self.deviation:.1%}"
        )


def name_agreement(
    points: np.ndarray, is_matrix: bool, triplets: TripletSet, hierarchy: Hierarchy | None
) -> NameAgreement | None:
    """Compare random known triplets with the distances, and the same with the names exchanged.

    Parameters
    ----------
    points : ndarray of float64, shape (n, d) or (n, n)
        The samples, or their distances if `is_matrix`.
    triplets : TripletSet
        On the samples. They are looked at if there is no hierarchy.
    hierarchy : Hierarchy or None
        Of some samples, by their names in `triplets`.

    Returns
    -------
    NameAgreement or None
        None if little is known, or distances are all the same.
    """
    from scipy.spatial.distance import pdist, squareform

    rng, rows = np.random.default_rng(0), triplets.rows
    if hierarchy is not None:
        if hierarchy.n_leaves < FEWEST_NAMES:
            return None
        if hierarchy.n_leaves > MOST_NAMES:
            some = np.sort(rng.permutation(hierarchy.n_leaves)[:MOST_NAMES])
            hierarchy = hierarchy.restrict([hierarchy.leaves[i] for i in some.tolist()])
        drawn = sample_triplets(hierarchy, min(MOST_TRIPLETS, count_triplets(hierarchy)), random_state=rng)
        rows = drawn.reindex(triplets.leaves).rows
    elif len(rows) > MOST_NAMES:  # each names up to three more samples
        rows = rows[np.sort(rng.permutation(len(rows))[:MOST_NAMES])]
    named, flat = np.unique(rows, return_inverse=True)
    if len(rows) < FEWEST_TRIPLETS or named.size < FEWEST_NAMES:
        return None
    distance = points[np.ix_(named, named)] if is_matrix else squareform(pdist(points[named]))
    a, b, c = flat.reshape(-1, 3).T

    def share(at: np.ndarray) -> float:
        near = distance[at[a], at[b]]
        return float(((near < distance[at[a], at[c]]) & (near < distance[at[b], at[c]])).mean())

    exchanged = np.array([share(rng.permutation(named.size)) for _ in range(EXCHANGES)])
    if exchanged.std() == 0:
        return None
    return NameAgreement(
        share(np.arange(named.size)), float(exchanged.mean()), float(exchanged.std(ddof=1)), len(rows), named.size
    )
