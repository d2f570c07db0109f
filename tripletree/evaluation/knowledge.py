"""`evaluate_knowledge`: whether knowledge of some samples helps to place others.

The measuring is in ``tripletree.cluster.validation``, as estimators do it, too (``fit(..., validate=True)``).
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from tripletree.core.checks import check_count, counted, described, row_count
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.knowledge.alignment import named
from tripletree.knowledge.value import Knowledge, align_knowledge, check_knowledge


@dataclass(frozen=True, eq=False)
class KnowledgeReport:
    """The result of `evaluate_knowledge`.

    Attributes
    ----------
    kind : {"triplets", "comparisons", "pairs", "hierarchy", "classes"}
        The kind of knowledge given. Several are joined by "and".
    amounts : ndarray of float64, shape (a,)
        Shares of the samples not hidden about which the fits knew something. The first is 0.
    agreement, chance : ndarray of float64, shape (a,)
        Share of the constraints on hidden samples that hold in the results, for each amount, and the same if samples
        that were hidden together exchange their names. For triplets of samples placed at random it is a third.
    standard_error : ndarray of float64, shape (a,)
        Standard error of the agreement, by samples.
    gain, gain_error : float
        Agreement beyond chance (Cohen's kappa) with all of the knowledge less agreement without any, and the standard
        error of this paired difference.
    verdict : {"helps", "hurts", "unclear"}
        How knowledge about all other samples places the hidden ones, compared with the data alone.
    worse : tuple of float
        The smaller amounts that hurt, by the same rule: this part of the knowledge is clearly worse than nothing.
    agrees : bool
        True if results without knowledge agree with it clearly better than by chance: the data say something about it.
    holds : ndarray of bool, shape (a, m)
        Which constraints hold in results that knew nothing of one of its samples, row by row of `constraints`.
    constraints : TripletSet, PairwiseConstraints, Comparisons or tuple of these
        The constraints that were compared: the ones given, or triplets sampled from the hierarchy or the classes. Rows
        of pairs are the must-links, then the cannot-links. A comparison holds in a result that does not contradict it.
        A tuple if there are several kinds.
    n_samples : int
        How many samples were hidden in turn: all that the knowledge is about.
    noise : float or None
        The share of wrong triplets that the last fit assumed (`DivisiveReCon.noise_`), estimated or not, else None.
    """

    kind: str
    amounts: np.ndarray
    agreement: np.ndarray
    chance: np.ndarray
    standard_error: np.ndarray
    gain: float
    gain_error: float
    verdict: str
    worse: tuple[float, ...]
    agrees: bool
    holds: np.ndarray
    constraints: Any
    n_samples: int
    noise: float | None

    @property
    def caveat(self) -> str:
        """A sentence on the amounts that are worse than no knowledge although all of it is not. Else ""."""
        if not self.worse or self.verdict == "hurts":
            return ""
        parts = " or ".join(f"{x:.0%}" for x in self.worse)
        return f"Knowing {parts} of the samples is worse than knowing none: give the knowledge of all, or none of it."

    def __str__(self) -> str:
        """In words."""
        from tripletree.cluster.validation import verdict_text

        drawn = {"hierarchy": "triplets of the hierarchy", "classes": "triplets of classes"}
        what = " and ".join(drawn.get(kind, kind) for kind in self.kind.split(" and "))
        text = (
            f"{self.n_samples:,} samples, hidden in turn, are in {self.holds.shape[1]:,} {what}. On their own, the "
            f"data agree with {self.agreement[0]:.0%} of them (+-{self.standard_error[0]:.1%}; "
            f"{self.chance[0]:.0%} if hidden samples exchange their names). If "
        )
        parts = [
            f"{'all' if a == 1 else f'{a:.0%}'} of the other samples are known, {share:.0%} (exchanged: {other:.0%})"
            for a, share, other in zip(self.amounts[1:], self.agreement[1:], self.chance[1:], strict=True)
        ]
        advice = f"{verdict_text(self.verdict, self.agrees)}."
        if self.verdict == "hurts":
            advice += " It is wrong (find_label_errors ranks the triplets), or about what these features do not show: "
            advice += "then use none."
        text += f"{', if '.join(parts)}. {advice}{self.caveat and ' ' + self.caveat}"
        if self.noise is not None and self.noise > 0:
            noun = "comparisons" if self.kind == "comparisons" else "triplets"
            text += f" The results assume that about {self.noise:.0%} of the {noun} are wrong."
        return text


def evaluate_knowledge(
    X: Any,
    *,
    triplets: Any = None,
    comparisons: Any = None,
    pairs: Any = None,
    hierarchy: Any = None,
    classes: Any = None,
    knowledge: Knowledge | None = None,
    missing: Any = None,
    sample_names: Any = None,
    estimator: Any = None,
    n_folds: int = 5,
    max_triplets: int | None = None,
    random_state: Any = 0,
    verbose: bool | int = False,
) -> KnowledgeReport:
    """Measure whether knowledge of some samples helps to place others: by samples whose knowledge is hidden.

    The samples that the knowledge is about are dealt into parts. For each part, hierarchies are made with the knowledge
    of zero, some and all samples of the other parts, and compared with the knowledge about the hidden ones.

    Parameters
    ----------
    X : array_like, DataFrame or sparse matrix, shape (n_samples, n_features)
        The samples, as for the estimator.
    triplets, comparisons, pairs, hierarchy, classes, knowledge : optional
        At least one of them, as for `tripletree.cluster.DivisiveReCon`. Several are judged together.
    missing : value or collection of values, optional
        The values in `classes` that mark samples without one, as in `triplets_from_classes`.
    sample_names : sequence, shape (n_samples,), optional
        The names of the rows, for an X without an index.
    estimator : estimator, optional
        With ``fit(X, triplets=)`` (or ``pairs=``, ``hierarchy=``, ``classes=``), ``hierarchy_`` and, for pairs,
        ``labels_``. The default is ``DivisiveReCon()``. It is cloned.
    n_folds : int
        Parts that are hidden in turn, at least 2. Fewer if there are not two samples for each.
    max_triplets : int, optional
        How many triplets of a hierarchy or of classes are sampled. By default three for each sample they name.
    random_state : int, Generator, RandomState or None
        The same value gives the same parts.
    verbose : bool or int
        If True, show a progress bar.

    Returns
    -------
    KnowledgeReport
        ``print`` tells it in words.

    See Also
    --------
    find_label_errors : which triplets are likely wrong.

    Notes
    -----
    Each constraint is held out for one of its samples, picked at random. A fit knows nothing of that sample: it must
    place it by the data, and by the knowledge about others. Constraints that are held out one by one would not do,
    since most triplets of a hierarchy follow from the rest, whether or not they have to do with the data.

    A tree whose other leaves are in the right places agrees with many triplets wherever a hidden sample is. So results
    are also compared after samples that were hidden together have exchanged their names, 100 times, and the gain is a
    difference of Cohen's kappa, (agreement - chance) / (1 - chance). If names have nothing to do with the data, as in a
    hierarchy whose leaves were permuted, its expectation is 0 whatever the hierarchy.

    The verdict is "helps" if the gain is more than two standard errors above 0 and the agreement with knowledge more
    than two standard deviations above the exchanges' gain. It is "hurts" if the gain is more than two standard errors
    below 0 and the agreement without knowledge is better than chance. Standard errors are by hidden samples.

    ``n_folds`` times three fits, and one without knowledge.

    Examples
    --------
    >>> X = [[0.0], [0.3], [0.4], [5.0], [5.1], [5.5]]
    >>> report = evaluate_knowledge(X, classes=list("aaabbb"), n_folds=3)
    >>> report.verdict, report.agreement.tolist()
    ('unclear', [1.0, 1.0, 1.0, 1.0])
    >>> evaluate_knowledge(X, classes=list("aaabbb"), pairs=([(0, 1)], [(2, 3)]), n_folds=3).kind
    'pairs and classes'
    """
    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.divisive.estimator import for_its_tree
    from tripletree.cluster.validation import AMOUNTS, FEWEST, Compared, alike, measure, n_parts

    given = {"triplets": triplets, "comparisons": comparisons, "pairs": pairs}
    given |= {"hierarchy": hierarchy, "classes": classes}
    inside = () if knowledge is None else check_knowledge(knowledge).kinds
    kinds = [kind for kind, value in given.items() if value is not None or kind in inside]
    if not kinds:
        msg = f"nothing is known: give at least one of {', '.join(given)}, knowledge"
        raise ValueError(msg)
    kind = " and ".join(kinds)
    n_folds = check_count(n_folds, "n_folds", 2)
    rng = generator(random_state)
    if estimator is not None and not hasattr(estimator, "get_params"):
        msg = f"estimator must be an estimator such as DivisiveReCon(), not {described(estimator)}"
        raise TypeError(msg)
    model = alike(estimator) if estimator is not None else DivisiveReCon()
    for one in kinds:
        check_fit(model, one, sample_names)
    n = row_count(X)
    ignored = getattr(model, "missing_samples", None)
    known = align_knowledge(
        named(X, sample_names), n, knowledge=knowledge, missing=missing, missing_samples=ignored, **given
    )
    compared = Compared.of(known, rng, max_triplets)
    n_known, n_folds = np.unique(compared.rows).size, n_parts(compared, n_folds)
    if n_folds == 0:
        msg = (
            f"the {kind} {'says' if kind == 'hierarchy' else 'say'} something of {counted(n_known, 'sample')}: give at "
            f"least {FEWEST}{', of two classes or more' if kind == 'classes' else ''}, so that some can be placed by "
            "the knowledge of others"
        )
        if kind == "classes" and n_known == 0:
            msg = f"no two samples have different classes: give at least {FEWEST}, of two classes or more"
        raise ValueError(msg)
    if isinstance(model, DivisiveReCon):
        model = for_its_tree(model, known)
    with progress_bar(verbose, 1 + n_folds * (len(AMOUNTS) - 1), "evaluate_knowledge", "fits") as tell:
        found = measure(model, X, known, compared, n_folds=n_folds, rng=rng, tell=tell, sample_names=sample_names)
    noise = None if kind == "pairs" or not hasattr(model, "noise_") else float(model.noise_)
    *parts, (gain, error, verdict) = [found.verdict(i) for i in range(1, len(AMOUNTS))]
    return KnowledgeReport(
        kind,
        np.array(AMOUNTS),
        found.agreement,
        found.chance,
        found.errors(),
        gain,
        error,
        verdict,
        tuple(a for a, (_, _, said) in zip(AMOUNTS[1:-1], parts, strict=True) if said == "hurts"),
        found.is_better_than_chance(0),
        found.holds,
        compared.parts[0] if len(compared.parts) == 1 else compared.parts,
        n_known,
        noise,
    )


def check_fit(model: Any, kind: str, sample_names: Any) -> None:
    """Check that the estimator can be given the knowledge, before anything is fitted."""
    from tripletree.cluster.base import refuse_knowledge

    taken = signature(model.fit).parameters
    if any(x.kind is Parameter.VAR_KEYWORD for x in taken.values()):
        return
    if kind not in taken:
        refuse_knowledge(model, kind, taken)
    if "sample_names" not in taken and sample_names is not None:
        other = "choose an estimator that does, such as ReCon, or give X as a DataFrame"
        msg = f"fit of {type(model).__name__} takes no sample_names=: {other}"
        raise TypeError(msg)
