"""`report`: names, consistency, the gain by the knowledge, clusters and doubts, of one table.

Its steps are the other files of this folder: the knowledge is brought to the samples (``matching``), the table becomes
numbers (``table``), the result is looked at (``result``). The values are in ``values``, what is said of them in
``words``, the `Report` and its page in ``page``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletree.algorithms.induce import count_triplets
from tripletree.core.answers import AnswerSet
from tripletree.core.checks import check_count, described
from tripletree.core.comparisons import Comparisons
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.labels import aligned_codes
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import doubts as open_points
from tripletree.core.ontology import Ontology
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet
from tripletree.evaluation.knowledge import KnowledgeReport, check_fit, evaluate_knowledge
from tripletree.knowledge.value import Knowledge, check_knowledge
from tripletree.reports.matching import matched
from tripletree.reports.page import Report
from tripletree.reports.result import (
    clades,
    doubtful_samples,
    doubts,
    people,
    profiles,
    stability,
    taxa,
    taxa_of_triplets,
)
from tripletree.reports.table import as_table, measured_by, shares_of_variance, standardized

if TYPE_CHECKING:
    pass

#: The share of the steps in which `DivisiveReCon` samples trees, for the fits to parts. All steps would change the
#: stability by less than other parts do.
EFFORT = 0.2


def _soft(model: Any, hierarchy: Hierarchy | None, points: Any, names: LeafIndex) -> Any:
    """The estimator fitted so that the data may outvote a hierarchy. None without names, or if it cannot be."""
    from tripletree.cluster.validation import alike

    if hierarchy is None or not any(hierarchy.names or ()):
        return None
    if "constraints" not in model.get_params(deep=False):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        soft = alike(model, verbose=False, constraints="soft")
        return soft.fit(points, sample_names=list(names), hierarchy=hierarchy)


def report(
    X: Any,
    *,
    triplets: Any = None,
    comparisons: Any = None,
    pairs: Any = None,
    hierarchy: Hierarchy | Ontology | None = None,
    classes: Any = None,
    answers: AnswerSet | None = None,
    knowledge: Knowledge | None = None,
    missing: Any = None,
    sample_names: Any = None,
    feature_names: Sequence[str] | None = None,
    second_names: Any = None,
    synonyms: Any = None,
    parent: str = "error",
    standardize: bool = False,
    metric: str | None = None,
    estimator: Any = None,
    n_folds: int = 5,
    n_resamples: int = 10,
    random_state: Any = 0,
    verbose: bool | int = False,
) -> Report:
    """Do the whole job: match names, check consistency, measure whether the knowledge helps, cluster, look for doubts.

    Parameters
    ----------
    X : array_like or DataFrame, shape (n_samples, n_features)
        The samples.
    triplets, comparisons, pairs, hierarchy, classes, answers : optional
        Exactly one of them: the knowledge about some samples. `classes` is a list parallel to X, None if not known,
        or a mapping by name. `answers` are people's answers (`tripletree.io.read_answers`), and `comparisons` those to
        "which of two is more like the first?" (`tripletree.io.read_comparisons`).
    knowledge : Knowledge, optional
        One of the kinds above as a value: of several choose one (`Knowledge.only`).
    missing : value or collection of values, optional
        The values in `classes` that mark samples without one, as in `triplets_from_classes`.
    sample_names : sequence, shape (n_samples,), optional
        By default the index of a DataFrame, else row numbers.
    feature_names : sequence of str, optional
        By default the columns of a DataFrame, else numbers.
    second_names : sequence or mapping, optional
        Another name of some samples, in the order of the rows or by their names, such as a product behind an id. The
        page shows it in brackets. It is matched with nothing.
    synonyms : mapping, optional
        Other names, as for `match_names`.
    parent : {"error", "deepest", "first", "smallest", "certain"}
        The parent that counts if a term of an ontology has several, as for `Ontology.to_hierarchy`, or the
        triplets that hold whichever it is ("certain").
    standardize : bool
        If True, give every feature mean 0 and standard deviation 1 before clustering. Means are reported as given.
    metric : str, optional
        How samples are compared: "nan_euclidean" (X has NaN), "gower" (X has text or gaps beside numbers), a metric of
        scipy, or "precomputed" (X holds distances). If the estimator does not take it itself, it is given the matrix of
        distances (``metric="precomputed"``). By default as the estimator does it.
    estimator : estimator, optional
        With ``hierarchy_`` and ``labels_``. By default ``DivisiveReCon()``, which also chooses the number of clusters.
    n_folds : int
        Parts of the knowledge that are held out in turn.
    n_resamples : int
        Fits to 80 % of the samples, for the stability of clades and clusters. 0: not measured. The mean over 10 of them
        moves with `random_state`: by some .02 for stable clusters, by some .07 for unstable ones.
    random_state : int, Generator, RandomState or None
        Equal values give equal reports.
    verbose : bool or int
        If True, show progress bars.

    Returns
    -------
    Report
        ``print`` tells it in words, ``.write_html(path)`` writes a page.

    Raises
    ------
    NotATreeError
        If a term of an ontology has several parents and `parent` does not choose one.

    See Also
    --------
    evaluate_knowledge : only whether it helps.
    tripletree.cluster.DivisiveReCon : only the clusters.

    Notes
    -----
    Names are the same except for case, underscores and accents, or one misspelt. Names without a match are left out and
    listed in ``.names``. The gain by the knowledge is measured as in `evaluate_knowledge`. If it hurts, the clusters
    shown are made without it.

    Stability is as in Hennig [1]_: clusterings of parts of the samples, each with the knowledge about these, compared
    by the Jaccard index. `DivisiveReCon` samples their trees in a fifth of its steps. Effect sizes describe clusters
    that were made from the same features: they are not tests.

    With a hierarchy whose inner nodes have names, one more fit lets the data outvote it (``constraints="soft"``), and
    tells which of its groups are whole then (``.taxa``).

    About ``3 n_folds + n_resamples + 4`` fits.

    References
    ----------
    .. [1] Hennig (2007), Cluster-wise assessment of cluster stability, Comput. Stat. Data Anal. 52, 258-271.

    Examples
    --------
    >>> X = [[0.0], [0.3], [0.4], [5.0], [5.1], [5.5]]
    >>> names = ["ant", "bee", "wasp", "cat", "dog", "fox"]
    >>> found = report(X, classes={"Ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal"},
    ...                sample_names=names, n_resamples=5)
    >>> found.labels.tolist(), found.names.matches
    ([0, 0, 0, 1, 1, 1], ('ant',))
    """
    from sklearn.metrics import adjusted_rand_score

    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.distance_matrix import as_distance_matrix
    from tripletree.cluster.gower import MixedColumns
    from tripletree.cluster.validation import alike

    given = {"triplets": triplets, "comparisons": comparisons, "pairs": pairs}
    given |= {"hierarchy": hierarchy, "classes": classes, "answers": answers}
    kinds = [kind for kind, value in given.items() if value is not None]
    if knowledge is not None:
        kinds += check_knowledge(knowledge).kinds
        given |= {kind: getattr(knowledge, kind) for kind in knowledge.kinds}
    if len(kinds) != 1:
        only = "; knowledge.only(kind) has one kind of several" if knowledge is not None and kinds else ""
        msg = f"give exactly one of {', '.join(given)}; got {', '.join(kinds) or 'none of them'}{only}"
        raise ValueError(msg)
    if knowledge is not None and "classes" in knowledge.kinds:
        missing = []  # words for no class are gone from it
    hierarchy, comparisons = given["hierarchy"], given["comparisons"]
    check_count(n_folds, "n_folds", 2)
    check_count(n_resamples, "n_resamples")
    rng = generator(random_state)
    model = DivisiveReCon() if estimator is None else estimator
    if not hasattr(model, "get_params"):
        msg = f"estimator must be an estimator such as DivisiveReCon(), not {described(estimator)}"
        raise TypeError(msg)
    if comparisons is not None:  # few estimators take them
        check_fit(model, "comparisons", None)
    columns = MixedColumns.of(X) if metric == "gower" else None
    values, names, features = as_table(X, sample_names, feature_names, columns)
    if hierarchy is not None:
        hierarchy = given["hierarchy"] = hierarchy if isinstance(hierarchy, Ontology) else check_hierarchy(hierarchy)
    brought = matched(kinds[0], given[kinds[0]], names, synonyms, parent=parent, missing=missing)
    known = brought.known if knowledge is None else brought.known.with_soft(*knowledge.soft)
    seconds = _second_names(second_names, names)
    model, points, table = measured_by(metric, model, values, features, standardize, columns)
    is_matrix = getattr(model, "metric", None) == "precomputed"
    if is_matrix and np.isfinite(points).all():
        points = as_distance_matrix(points, X)  # here once, as a part of them may not show what rounding is

    plain = alike(model, verbose=False).fit(points, sample_names=list(names))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*names are exchanged")  # the report measures it
        informed = alike(model, verbose=False).fit(points, sample_names=list(names), **known.arguments())
    for name in ("hierarchy_", "labels_"):
        if not hasattr(informed, name):
            msg = f"a report needs a hierarchy and flat clusters, and {type(model).__name__} has no {name}"
            raise TypeError(msg)
    measured = _measured(model, points, known, names, n_folds, rng, verbose)
    uses = measured is None or measured.verdict != "hurts"
    shown = informed if uses else plain
    constraints = measured.constraints if measured is not None else _constraints_of(known, informed)
    stable = None
    if n_resamples:
        stable = stability(_brief(model), shown, known if uses else None, points, names, n_resamples, rng, verbose)
    persons, who = people(brought, measured)
    scales = table is not None and columns is None  # which Gower's distance makes equal
    shares = shares_of_variance(standardized(values) if standardize else values) if scales else np.empty(0)
    return Report(
        kind=brought.kind,
        samples=tuple(names),
        features=() if table is None else features,
        n_given=brought.n_given,
        n_used=brought.n_used,
        known_samples=brought.known_samples,
        names=brought.names,
        conflicts=brought.conflicts,
        knowledge=measured,
        informed=informed,
        plain=plain,
        uses_knowledge=uses,
        agreement=float(adjusted_rand_score(plain.labels_, informed.labels_)),
        clusters=profiles(shown, table, points, names, stable, known.hierarchy, is_matrix),
        clades=clades(shown, informed, stable),
        taxa=taxa(known.hierarchy, plain, informed, _soft(model, known.hierarchy, points, names)),
        doubts=doubts(shown, constraints, measured, who, taxa_of_triplets(known.hierarchy, constraints)),
        doubtful_samples=doubtful_samples(measured),
        people=persons,
        shares_of_variance=shares,
        n_resamples=n_resamples,
        standardized=bool(standardize),
        constraints=constraints,
        second_names=seconds,
        notes=_told(hierarchy, known.hierarchy) + _understood(given[kinds[0]]),
    )


def _second_names(given: Any, names: LeafIndex) -> dict[Any, str]:
    """Other names of samples, by their names."""
    if given is None:
        return {}
    codes, known = aligned_codes(given, names, "second_names")
    return {x: str(known[code]) for x, code in zip(names, codes.tolist(), strict=True) if code >= 0}


def _told(hierarchy: Hierarchy | Ontology | None, mine: Hierarchy | None) -> tuple[str, ...]:
    """What the hierarchy leaves open, as ``tripletree info`` tells it, and how many of the samples are open."""
    if hierarchy is None:
        return ()
    opened = () if mine is None else mine.open_leaves
    text = f"{len(opened):,} of the samples known to an inner node only (open), as {opened[0]!r}" if opened else ""
    some = [text] if set(opened) - set(hierarchy.open_leaves) else []
    return (*open_points(hierarchy), *some)


def _understood(given: Any) -> tuple[str, ...]:
    """How a table of answers or comparisons was understood, if that had to be found out."""
    text = getattr(given, "reading", None)
    return (text,) if isinstance(text, str) and text else ()


def _brief(model: Any) -> Any:
    """The estimator for the fits to parts of the samples: trees are sampled in fewer steps."""
    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.validation import alike

    return alike(model, effort=EFFORT * model.effort) if isinstance(model, DivisiveReCon) else model


def _measured(
    model: Any, points: np.ndarray, known: Knowledge, names: LeafIndex, n_folds: int, rng: Any, verbose: Any
) -> KnowledgeReport | None:
    """Measure whether the knowledge helps. None if there is too little to hide a part of it."""
    from tripletree.cluster.validation import FEWEST

    if known.codes is not None and np.bincount(known.codes[known.codes >= 0]).max() < 2:
        return None
    if _n_named(known) < FEWEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit itself has given them
        return evaluate_knowledge(
            points,
            **known.arguments(),
            sample_names=list(names),
            estimator=model,
            n_folds=n_folds,
            random_state=rng,
            verbose=verbose,
        )


def _n_named(known: Knowledge) -> int:
    """How many samples the knowledge is about."""
    if known.hierarchy is not None:
        return known.hierarchy.n_leaves if count_triplets(known.hierarchy) else 0
    if known.codes is not None:
        return int((known.codes >= 0).sum())
    return _alone(known).used_leaves.size


def _alone(known: Knowledge) -> TripletSet | PairwiseConstraints | Comparisons:
    """The triplets, pairs or comparisons of knowledge of one kind."""
    if known.comparisons is not None:
        return known.comparisons
    return known.triplets if len(known.triplets) else known.pairs


def _constraints_of(known: Knowledge, informed: Any) -> TripletSet | PairwiseConstraints | Comparisons:
    """Return the constraints that could be doubtful where no constraint could be held out."""
    if known.hierarchy is None and known.codes is None:
        return _alone(known)
    used = getattr(informed, "triplets_", None)
    return used if used is not None else TripletSet([], informed.hierarchy_.leaves)
