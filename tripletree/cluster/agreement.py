"""Do the features agree with the names? What is known of some samples, beside the same with their names exchanged.

Knowledge that agrees with itself is believed, whatever the features say, and drags other samples along. If names stand
at wrong rows, this harms them, and no statement contradicts another. Distances tell: they seldom agree with statements
on exchanged names. `ReCon` and `DivisiveReCon` ask in each fit, as it takes milliseconds. Whether knowledge helps takes
fits, see ``cluster/validation.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletree.algorithms.induce import count_triplets, sample_triplets
from tripletree.cluster.distances import FittedMetric
from tripletree.cluster.validation import class_triplets
from tripletree.core.pairs import PairwiseConstraints
from tripletree.errors import warn_user
from tripletree.knowledge.value import Knowledge

#: The agreement is clear if it is 2 standard deviations of exchanged names above their mean.
CLEAR = 2.0

#: Fewer names or statements are not looked at: right ones often agree no better than exchanged ones.
FEWEST_NAMES, FEWEST_STATEMENTS = 30, 100

#: The greatest standard deviation of exchanged names. It is greater if few samples are in most of the statements, as in
#: informative triplets of classes: then right names are told from exchanged ones by luck only.
MOST_DEVIATION = 0.08

#: The most names and statements that are looked at, other samples for each pair, and how often names are exchanged.
MOST_NAMES, MOST_STATEMENTS, OTHERS, EXCHANGES = 300, 1_000, 3, 100


@dataclass(frozen=True, eq=False)
class NameAgreement:
    """How well the features agree with what is known of some samples.

    Attributes
    ----------
    kind : {"triplets", "comparisons", "pairs", "hierarchy", "classes"}
        The kind of knowledge. Of several, the one that agrees the least clearly.
    share : float
        The share of triplets ab|c in which a and b are nearer to each other, by the features, than to c. Of comparisons
        and pairs: in which a is nearer to b than to c. A must-link ab says so of three random c that pairs name.
    exchanged, deviation : float
        The mean of this share if the names of the samples are exchanged at random, and its standard deviation.
    n_statements, n_names : int
        How many of these were looked at, on how many samples.
    """

    kind: str
    share: float
    exchanged: float
    deviation: float
    n_statements: int
    n_names: int

    @property
    def surplus(self) -> float:
        """The share above its mean for exchanged names, in standard deviations."""
        return (self.share - self.exchanged) / self.deviation

    @property
    def is_clear(self) -> bool:
        """Whether the share is at least two standard deviations above its mean for exchanged names."""
        return self.surplus >= CLEAR

    def __str__(self) -> str:
        """In words.

        >>> print(NameAgreement("hierarchy", 0.352, 0.331, 0.025, 1000, 60))
        the nearest two of three are those of 35.2% of 1,000 triplets on 60 samples, with names exchanged 33.1% +-2.5%
        """
        said, of = _SAID.get(self.kind, ("the nearest two of three are those of", "triplets"))
        return (
            f"{said} {self.share:.1%} of {self.n_statements:,} {of} on {self.n_names:,} samples, with names exchanged "
            f"{self.exchanged:.1%} +-{self.deviation:.1%}"
        )


#: How a share is told, and what was counted, if that is not triplets.
_SAID = {
    "comparisons": ("the nearer of two is that of", "comparisons"),
    "pairs": ("must-linked samples are nearer than one of them to a random other in", "comparisons"),
}


def name_agreement(points: Any, metric: FittedMetric, known: Knowledge) -> NameAgreement | None:
    """Compare what is known with the distances, and the same with the names exchanged. Each kind by itself.

    Parameters
    ----------
    points : ndarray or csr_array of float64, shape (n, d) or (n, n)
        The samples, or their distances if they are precomputed.
    metric : FittedMetric
        How they are compared.
    known : Knowledge
        Over the rows of `points`.

    Returns
    -------
    NameAgreement or None
        Of the kind that agrees the least clearly. None if little is known, if a few samples are in most statements, or
        if distances are all the same.
    """
    rng = np.random.default_rng(0)
    found = [_agreement(points, metric, kind, _statements(kind, known, rng), rng) for kind in known.kinds]
    return min((x for x in found if x is not None), key=lambda x: x.surplus, default=None)


def _statements(kind: str, known: Knowledge, rng: np.random.Generator) -> np.ndarray:
    """Some statements as rows a, b, c, of which a and b are the nearer two."""
    if kind == "hierarchy" and (tree := known.hierarchy) is not None:
        if tree.n_leaves > MOST_NAMES:
            some = np.sort(rng.permutation(tree.n_leaves)[:MOST_NAMES])
            tree = tree.restrict([tree.leaves[i] for i in some.tolist()])
        drawn = sample_triplets(tree, min(MOST_STATEMENTS, count_triplets(tree)), random_state=rng)
        return drawn.reindex(known.leaves).rows
    if kind == "classes" and (codes := known.codes) is not None:
        some = np.sort(rng.permutation(np.flatnonzero(codes >= 0))[:MOST_NAMES])
        return class_triplets(codes, known.leaves, some, MOST_STATEMENTS, rng).rows
    if kind == "pairs":
        return _of_pairs(known.pairs, rng)
    rows = known.triplets.rows if known.comparisons is None or kind == "triplets" else known.comparisons.rows
    if len(rows) > MOST_NAMES:  # each names up to three more samples
        rows = rows[np.sort(rng.permutation(len(rows))[:MOST_NAMES])]
    return rows


def _of_pairs(pairs: PairwiseConstraints, rng: np.random.Generator) -> np.ndarray:
    """Must-links ab as comparisons with random c that pairs name. Cannot-links tell little: most samples are far."""
    if pairs.n_must < FEWEST_STATEMENTS:
        return np.empty((0, 3), np.int64)
    must = pairs.must_link[np.sort(rng.permutation(pairs.n_must)[:MOST_NAMES])].repeat(OTHERS, axis=0)
    other = pairs.used_leaves[rng.integers(pairs.used_leaves.size, size=len(must))]
    return np.column_stack([must, other])[(other != must[:, 0]) & (other != must[:, 1])]


def _agreement(
    points: Any, metric: FittedMetric, kind: str, rows: np.ndarray, rng: np.random.Generator
) -> NameAgreement | None:
    """Of the statements of one kind."""
    from scipy.spatial.distance import squareform

    named, flat = np.unique(rows, return_inverse=True)
    if len(rows) < FEWEST_STATEMENTS or named.size < FEWEST_NAMES:
        return None
    if metric.is_precomputed:
        distance = points[np.ix_(named, named)]
    else:
        distance = squareform(metric.condensed(points[named]), checks=False)
    a, b, c = flat.reshape(-1, 3).T
    size = named.size
    at = np.array([np.arange(size), *(rng.permutation(size) for _ in range(EXCHANGES))], np.int32)
    first, second, third = at[:, a], at[:, b], at[:, c]
    flat_distance = distance.ravel()
    near = flat_distance.take(first * size + second)
    holds = near < flat_distance.take(first * size + third)
    if kind not in ("pairs", "comparisons"):  # of a alone
        holds &= near < flat_distance.take(second * size + third)
    here, *exchanged = holds.mean(axis=1).tolist()
    deviation = float(np.std(exchanged, ddof=1))
    if not 0 < deviation <= MOST_DEVIATION:
        return None
    return NameAgreement(kind, here, float(np.mean(exchanged)), deviation, len(rows), named.size)


def warn_of_names(found: NameAgreement | None) -> None:
    """Warn if the agreement is not clear."""
    if found is not None and not found.is_clear:
        warn_user(
            f"the features agree with the {found.kind} hardly better than if names are exchanged: {found}. Names at "
            "wrong rows take other samples along to wrong places: check them, or fit with validate=True, which "
            "measures whether the knowledge helps"
        )
