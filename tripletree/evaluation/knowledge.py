"""`evaluate_knowledge`: how well hierarchies made with part of what is known agree with the rest of it.

The measuring is in ``tripletree.cluster.validation``, as estimators do it, too (``fit(..., validate=True)``).
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np

from tripletree.core.checks import check_count, counted, described
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.progress import progress_bar
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet

__all__ = ["KnowledgeReport", "evaluate_knowledge"]


@dataclass(frozen=True, eq=False)
class KnowledgeReport:
    """What `evaluate_knowledge` found.

    Attributes
    ----------
    kind : {"triplets", "pairs", "hierarchy", "classes"}
        What was given.
    amounts : ndarray of float64, shape (a,)
        Shares of the knowledge, of what is not held out, that hierarchies were made with; the first is 0.
    agreement, standard_error : ndarray of float64, shape (a,)
        Share of the held-out constraints that hold in the results, for each amount.
    gain, gain_error : float
        Agreement with all of the knowledge less that with none, and the standard error of this paired difference.
    verdict : {"helps", "hurts", "unclear"}
        Whether the gain is more than two standard errors from 0.
    holds : ndarray of bool, shape (a, m)
        Which constraints hold in results made without them, row by row of `constraints`.
    constraints : TripletSet or PairwiseConstraints
        Those that were held out in turn: the ones given, or triplets sampled from the hierarchy or the classes. Rows of
        pairs are the must-links, then the cannot-links.
    noise : float or None
        The share of wrong triplets that the last fit assumed (`DivisiveReCon.noise_`), estimated or not; else None.
    """

    kind: str
    amounts: np.ndarray
    agreement: np.ndarray
    standard_error: np.ndarray
    gain: float
    gain_error: float
    verdict: str
    holds: np.ndarray
    constraints: TripletSet | PairwiseConstraints
    noise: float | None

    def __str__(self) -> str:
        """In words."""
        parts = [
            f"{share:.0%} with {'none' if a == 0 else 'all' if a == 1 else f'{a:.0%}'} of the others (+-{error:.1%})"
            for a, share, error in zip(self.amounts, self.agreement, self.standard_error, strict=True)
        ]
        what = (
            self.kind
            if self.kind in ("pairs", "triplets")
            else f"triplets from {'the hierarchy' if self.kind == 'hierarchy' else self.kind}"
        )
        advice = {
            "helps": "The knowledge helps.",
            "hurts": "The knowledge makes results worse: check it (find_label_errors ranks the triplets), or use none.",
            "unclear": "No clear difference: more knowledge is needed to tell, or the data say the same by themselves.",
        }[self.verdict]
        text = f"Of {len(self.constraints):,} {what}, each held out in turn, the results keep "
        text += f"{', '.join(parts)}. {advice}"
        if self.noise is not None and self.noise > 0:
            text += f" The results assume that about {self.noise:.0%} of the triplets are wrong."
        return text


def evaluate_knowledge(
    X: Any,
    *,
    triplets: Any = None,
    pairs: Any = None,
    hierarchy: Any = None,
    classes: Any = None,
    sample_names: Any = None,
    estimator: Any = None,
    n_folds: int = 5,
    max_triplets: int | None = None,
    random_state: Any = 0,
    verbose: bool | int = False,
) -> KnowledgeReport:
    """Measure whether knowledge makes clusterings of the data better: by knowledge that is held out.

    The constraints are split into folds. For each fold, hierarchies are made with none, some and all of the other
    constraints, and compared with those in the fold. Nothing else is needed to tell whether knowledge helps.

    Parameters
    ----------
    X : array_like, DataFrame or sparse matrix, shape (n_samples, n_features)
        The samples, as for the estimator.
    triplets, pairs, hierarchy, classes : optional
        Exactly one of them, as for `tripletree.cluster.DivisiveReCon`.
    sample_names : sequence, shape (n_samples,), optional
        The names of the rows, in the place of an index of X: for arrays.
    estimator : estimator, optional
        With ``fit(X, triplets=)`` (``pairs=``, ``classes=`` for these), ``hierarchy_`` and, for pairs, ``labels_``. The
        default is ``DivisiveReCon()``. It is cloned.
    n_folds : int
        Parts that are held out in turn, at least 2.
    max_triplets : int, optional
        How many triplets of a hierarchy or of classes are sampled; by default three for each sample they name.
    random_state : int, Generator, RandomState or None
        The same value gives the same folds.
    verbose : bool or int
        Whether to show a progress bar.

    Returns
    -------
    KnowledgeReport
        ``print`` tells it in words.

    Raises
    ------
    ValueError
        If none or several kinds of knowledge are given, or fewer constraints than folds.
    TypeError
        If the estimator does not take this kind of knowledge, or has no results to compare with it.
    UnknownLeafError, InvalidTripletError, InvalidPairError, InvalidLabelsError
        As `tripletree.cluster.DivisiveReCon` raises them.

    See Also
    --------
    find_label_errors : which triplets are likely wrong.

    Notes
    -----
    Each constraint is held out once, so agreement is a mean over all of them and the gain a paired difference; its
    standard error takes constraints for independent, which those on the same samples are not quite. Classes are held
    out by samples: what is scored are triplets with at least one sample of unknown class.

    ``n_folds`` times three fits, and one without knowledge.

    Examples
    --------
    >>> X = [[0.0], [0.3], [0.4], [5.0], [5.1], [5.5]]
    >>> report = evaluate_knowledge(X, classes=list("aaabbb"), n_folds=3)
    >>> report.verdict, report.agreement.tolist()
    ('unclear', [1.0, 1.0, 1.0, 1.0])
    """
    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.alignment import named
    from tripletree.cluster.validation import AMOUNTS, align_knowledge, alike, error_of, gain_of, measure

    given = {"triplets": triplets, "pairs": pairs, "hierarchy": hierarchy, "classes": classes}
    kinds = [kind for kind, value in given.items() if value is not None]
    if len(kinds) != 1:
        msg = f"give exactly one of triplets, pairs, hierarchy and classes; got {', '.join(kinds) or 'none of them'}"
        raise ValueError(msg)
    kind = kinds[0]
    n_folds = check_count(n_folds, "n_folds", 2)
    rng = generator(random_state)
    if estimator is not None and not hasattr(estimator, "get_params"):
        msg = f"estimator must be an estimator such as DivisiveReCon(), not {described(estimator)}"
        raise TypeError(msg)
    model = alike(estimator) if estimator is not None else DivisiveReCon()
    _check_fit(model, "triplets" if kind == "hierarchy" else kind, sample_names)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    known = align_knowledge(named(X, sample_names), n, **given)
    knowledge = known.kinds(rng, max_triplets)[{"triplets": 0, "pairs": 1}.get(kind, 2)]
    units, m = knowledge.n_units, len(knowledge.constraints)
    if units < n_folds or m == 0:
        known_samples = ("sample of known class", "samples of known class")
        what = counted(units, *{"pairs": ("pair",), "classes": known_samples}.get(kind, ("triplet",)))
        more = f"at least {n_folds}" + (", of two classes or more" if kind == "classes" else "")
        fewer = f", or take n_folds={units}" if units > 1 and m else ""
        msg = f"{what} {'is' if units == 1 else 'are'} too few for n_folds={n_folds}: give {more}{fewer}"
        raise ValueError(msg)
    with progress_bar(verbose, 1 + n_folds * (len(AMOUNTS) - 1), "evaluate_knowledge", "fits") as tell:
        holds = measure(model, X, knowledge, n_folds=n_folds, rng=rng, tell=tell, sample_names=sample_names)
    noise = None if kind == "pairs" or not hasattr(model, "noise_") else float(model.noise_)
    shares = holds.mean(axis=1)
    gain, error, verdict = gain_of(holds[-1], holds[0])
    return KnowledgeReport(
        kind, np.array(AMOUNTS), shares, error_of(shares, m), gain, error, verdict, holds, knowledge.constraints, noise
    )


def _check_fit(model: Any, kind: str, sample_names: Any) -> None:
    """Check that the estimator can be given the knowledge, before anything is fitted."""
    taken = signature(model.fit).parameters
    if any(x.kind is Parameter.VAR_KEYWORD for x in taken.values()):
        return
    for name, others in ((kind, "ReCon or DivisiveReCon"), ("sample_names", "ReCon, or give X as a DataFrame")):
        if name not in taken and (name == kind or sample_names is not None):
            msg = f"fit of {type(model).__name__} takes no {name}=: choose an estimator that does, such as {others}"
            raise TypeError(msg)
