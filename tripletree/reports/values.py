"""The values that a `Report` consists of: clusters, clades, groups, features, doubts and people.

`analysis` makes them, `page` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tripletree.core.provenance import Origin

if TYPE_CHECKING:
    from tripletree.algorithms.conflict import Conflict
    from tripletree.algorithms.names import NameMatches
    from tripletree.algorithms.pair_conflict import Contradiction
    from tripletree.evaluation.knowledge import KnowledgeReport


class KnownPart(NamedTuple):
    """One kind of what is known.

    Attributes
    ----------
    kind : {"triplets", "comparisons", "pairs", "hierarchy", "classes", "answers"}
    n_given, n_used : int
        Constraints given, and constraints on samples. For a hierarchy its leaves and the samples it has. For classes
        the labels.
    known_samples : int
        Samples that it is about.
    names : NameMatches or None
        How names that are written otherwise were matched: the names of samples to a hierarchy, else the names in the
        knowledge to the samples. None if all are the same.
    conflicts : tuple of Conflict or Contradiction
        Constraints that cannot hold together: disjoint conflicts of triplets, five at most, or all contradictions of
        pairs. Cannot-links that must-links contradict are left out of the rest.
    alone : KnowledgeReport or None
        The gain by this kind alone, measured with parts held out. None if there are too few constraints.
    with_all : float
        The share of its constraints that hold, hidden in turn, if all kinds of knowledge about all other samples are
        given. NaN if that was not measured.
    is_soft : bool
        Whether its statements are votes, among others that may have to hold.
    """

    kind: str
    n_given: int
    n_used: int
    known_samples: int
    names: NameMatches | None
    conflicts: tuple[Conflict | Contradiction, ...]
    alone: KnowledgeReport | None
    with_all: float
    is_soft: bool


class FeatureContrast(NamedTuple):
    """How a feature differs between a cluster and all other samples.

    Attributes
    ----------
    feature : str
    inside, outside : float
        Mean in the cluster, and of the other samples.
    effect : float
        Cohen's d: the difference of the means over the pooled standard deviation within the two groups, to which the
        variance of all values counts as one more. So it is finite where both groups are constant.
    n_inside, n_outside : int
        How many samples of each group have a value.
    """

    feature: str
    inside: float
    outside: float
    effect: float
    n_inside: int
    n_outside: int

    @property
    def at_least(self) -> float:
        """The lower end of a 95 % confidence interval of the effect's absolute value, below 0 where it may be none.

        The standard error is that of Hedges and Olkin, *Statistical Methods for Meta-Analysis* (1985), section 5.E.
        """
        n, m = self.n_inside, self.n_outside
        return abs(self.effect) - 1.96 * ((n + m) / (n * m) + self.effect**2 / (2 * (n + m))) ** 0.5


@dataclass(frozen=True)
class ClusterProfile:
    """One flat cluster.

    Attributes
    ----------
    number : int
        As in the labels.
    samples : tuple
        Names of its samples.
    typical : label
        The sample nearest to the mean of the cluster (of a matrix of distances, with the least mean distance).
    features : tuple of FeatureContrast
        Features that differ most surely, by `FeatureContrast.at_least`, first, then the others by effect.
        Left out: features for which fewer than three samples of the cluster, or of the others, and fewer than half,
        have a value. Empty if there is one cluster, or distances are given. Each category of a column is a feature, 1
        or 0: "diet = plants".
    stability : float
        Mean, over fits to 80 % of the samples, of the Jaccard index with the most similar cluster there. NaN if not
        measured.
    taxon, jaccard : str or None, float
        If a hierarchy with names is known: its taxon that is most like the cluster, and how much.
    """

    number: int
    samples: tuple[Any, ...]
    typical: Any
    features: tuple[FeatureContrast, ...]
    stability: float
    taxon: str | None = None
    jaccard: float = 0.0


class TaxonFit(NamedTuple):
    """How whole a named group of a known hierarchy is in three trees.

    Attributes
    ----------
    name, size : str, int
        The group, and how many samples it has.
    without, given, soft : float
        Jaccard index of the group with the clade most like it: in the tree of the data alone, in the tree with the
        hierarchy, and in a tree in which the data may outvote the hierarchy. 1 means that the group is a clade. The
        last is NaN if the estimator has no soft constraints.
    kept, lost, strangers : tuple
        Samples of the group in that clade, samples of the group outside of it, and others in it: in the soft tree, else
        in the tree of the data alone.
    """

    name: str
    size: int
    without: float
    given: float
    soft: float
    kept: tuple[Any, ...] = ()
    lost: tuple[Any, ...] = ()
    strangers: tuple[Any, ...] = ()

    @property
    def state(self) -> str:
        """Return "whole", "half" (more than half of it is in one clade, with few others) or "broken"."""
        share = self.without if self.soft != self.soft else self.soft  # NaN is not itself
        return "whole" if share == 1 else "half" if share > 0.5 else "broken"


class CladeSupport(NamedTuple):
    """The support of a clade of the result.

    Attributes
    ----------
    node, size : int
        The node of the hierarchy, and its number of leaves.
    stability : float
        Mean, over fits to 80 % of the samples, of the Jaccard index with the most similar clade there.
    displayed, violated : int
        Known triplets ab|c that put a and b into the clade and c outside, and triplets that the clade violates, as it
        has c and just one of a and b.
    probability : float
        Posterior probability of the clade (`DivisiveReCon.clade_support_`). NaN if no trees were sampled.
    """

    node: int
    size: int
    stability: float
    displayed: int
    violated: int
    probability: float = float("nan")


class Doubt(NamedTuple):
    """A constraint that does not hold in the result, or that data and the other constraints both contradict.

    Attributes
    ----------
    kind : {"triplet", "comparison", "must-link", "cannot-link"}
    labels : tuple
        Names of its samples: a, b and c of ab|c, anchor, near and far, or both of a pair.
    holds : bool
        True if it holds in the result shown.
    held_out : int
        In how many of the four results that knew nothing of one of its samples (and of none, a quarter, half and all
        of the others) it holds. -1 if not measured.
    origin : Origin or None
        Place where it was read.
    who : tuple of str
        The people who said so, where answers of people are known.
    taxon : str or None
        If a hierarchy with names is known: the smallest group that has a and b of ab|c, and not c.
    """

    kind: str
    labels: tuple[Any, ...]
    holds: bool
    held_out: int
    origin: Origin | None
    who: tuple[str, ...] = ()
    taxon: str | None = None

    def __str__(self) -> str:
        """In one line."""
        a, b, *c = map(str, self.labels)
        return f"{a}, {b} | {c[0]}" if c else f"{self.kind} {a} - {b}"


class PersonShare(NamedTuple):
    """How many of a person's answers hold in results made without them.

    Attributes
    ----------
    who : str
    n_answers : int
        Answers that name an odd one among samples.
    share : float
    """

    who: str
    n_answers: int
    share: float


def sets_of(constraints: Any) -> tuple[Any, ...]:
    """The sets of constraints, if several kinds were compared. Comparisons are a tuple of their own."""
    return constraints if type(constraints) is tuple else (constraints,)
