"""`report`: names, consistency, the gain by the knowledge, clusters and doubts, of one table.

Its steps are the other files of this folder: the knowledge is brought to the samples (``matching``), the table becomes
numbers (``table``), the result is looked at (``result``). The values are in ``values``, what is said of them in
``words``, the `Report` and its page in ``page``.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from tripletree.algorithms.induce import count_triplets
from tripletree.core.answers import AnswerSet
from tripletree.core.checks import check_count, described
from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.core.labels import aligned_codes
from tripletree.core.leaves import LeafIndex
from tripletree.core.notes import doubts as open_points
from tripletree.core.ontology import Ontology
from tripletree.core.random import generator
from tripletree.core.triplets import TripletSet
from tripletree.errors import InconsistentPairsError, InconsistentTripletsError
from tripletree.evaluation.knowledge import KnowledgeReport, check_fit, evaluate_knowledge
from tripletree.knowledge.combined import check_consistent, combine_constraints
from tripletree.knowledge.value import Knowledge
from tripletree.reports.matching import Matched, given_by_kind, matched
from tripletree.reports.page import Report
from tripletree.reports.result import clades, doubtful_samples, doubts, people, profiles, stability, taxa
from tripletree.reports.table import as_table, measured_by, shares_of_variance, standardized
from tripletree.reports.values import KnownPart, PersonShare, sets_of

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
    soft: Collection[str] = (),
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
        At least one of them: the knowledge about some samples. `classes` is a list parallel to X, None if not known,
        or a mapping by name. `answers` are people's answers (`tripletree.io.read_answers`), and `comparisons` those to
        "which of two is more like the first?" (`tripletree.io.read_comparisons`).
    knowledge : Knowledge, optional
        Such kinds as one value. Other kinds are added to it.
    soft : collection of {"triplets", "comparisons", "pairs", "hierarchy", "classes"}
        The kinds that are votes, beside others that may have to hold, and those of `knowledge`. Answers are triplets.
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
    listed in ``.names``. The gain by the knowledge is measured as in `evaluate_knowledge`: by all of it, and by each
    kind alone (``.parts``). If all of it hurts, the clusters shown are made without it. Answers beside triplets count
    as the triplets that they say.

    Stability is as in Hennig [1]_: clusterings of parts of the samples, each with the knowledge about these, compared
    by the Jaccard index. `DivisiveReCon` samples their trees in a fifth of its steps. Effect sizes describe clusters
    that were made from the same features: they are not tests.

    With a hierarchy whose inner nodes have names, one more fit lets the data outvote it (``constraints="soft"``), and
    tells which of its groups are whole then (``.taxa``).

    About ``3 n_folds + n_resamples + 4`` fits, and with several kinds ``3 n_folds + 1`` more for each.

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

    A class of some and what somebody said, of each kind and of both:

    >>> known = Knowledge.of(names, classes={"ant": "insect", "bee": "insect", "cat": "mammal", "dog": "mammal"},
    ...                      triplets=[("cat", "dog", "ant"), ("ant", "bee", "fox")], soft=["triplets"])
    >>> found = report(X, knowledge=known, sample_names=names, n_resamples=0)
    >>> found.kind, [(x.kind, x.known_samples, x.alone.verdict) for x in found.parts]
    ('triplets and classes', [('triplets', 5, 'unclear'), ('classes', 4, 'unclear')])
    """
    from sklearn.metrics import adjusted_rand_score

    from tripletree.cluster import DivisiveReCon
    from tripletree.cluster.distance_matrix import as_distance_matrix
    from tripletree.cluster.gower import MixedColumns
    from tripletree.cluster.validation import alike

    given = given_by_kind(
        knowledge,
        triplets=triplets,
        comparisons=comparisons,
        pairs=pairs,
        hierarchy=hierarchy,
        classes=classes,
        answers=answers,
    )
    check_count(n_folds, "n_folds", 2)
    check_count(n_resamples, "n_resamples")
    rng = generator(random_state)
    model = DivisiveReCon() if estimator is None else estimator
    if not hasattr(model, "get_params"):
        msg = f"estimator must be an estimator such as DivisiveReCon(), not {described(estimator)}"
        raise TypeError(msg)
    if "comparisons" in given:  # few estimators take them
        check_fit(model, "comparisons", None)
    columns = MixedColumns.of(X) if metric == "gower" else None
    values, names, features = as_table(X, sample_names, feature_names, columns)
    if "hierarchy" in given and not isinstance(given["hierarchy"], Ontology):
        given["hierarchy"] = check_hierarchy(given["hierarchy"])
    if knowledge is not None and "classes" in knowledge.kinds:
        missing = []  # words for no class are gone from it
    brought = [matched(x, value, names, synonyms, parent=parent, missing=missing) for x, value in given.items()]
    votes = {*([soft] if isinstance(soft, str) else soft), *(() if knowledge is None else knowledge.soft)}
    brought = [x._replace(known=x.known.with_soft(*votes)) for x in brought]
    known = reduce(or_, (x.known for x in brought))
    for kind in sorted(votes - {*known.kinds}):
        msg = f"soft has {kind!r}, and no {kind} are given: give {kind}=, or leave it out"
        raise ValueError(msg)
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
    alone = (
        [measured]
        if len(brought) == 1
        else [_measured(model, points, x.known, names, n_folds, rng, verbose) for x in brought]
    )
    stable = None
    if n_resamples:
        stable = stability(_brief(model), shown, known if uses else None, points, names, n_resamples, rng, verbose)
    persons: tuple[PersonShare, ...] = ()
    who: dict[Any, tuple[str, ...]] = {}
    for one, judged in zip(brought, alone, strict=True):
        some, said = people(one, judged)
        persons, who = persons + some, who | said
    scales = table is not None and columns is None  # which Gower's distance makes equal
    shares = shares_of_variance(standardized(values) if standardize else values) if scales else np.empty(0)
    return Report(
        kind=" and ".join(x.kind for x in brought),
        samples=tuple(names),
        features=() if table is None else features,
        parts=_parts(brought, alone, measured, known),
        known_samples=brought[0].known_samples if len(brought) == 1 else _named_rows(known).size,
        contradiction="" if any(x.conflicts for x in brought) else _contradiction(known),
        knowledge=measured,
        informed=informed,
        plain=plain,
        uses_knowledge=uses,
        agreement=float(adjusted_rand_score(plain.labels_, informed.labels_)),
        clusters=profiles(shown, table, points, names, stable, known.hierarchy, is_matrix),
        clades=clades(shown, informed, stable),
        taxa=taxa(known.hierarchy, plain, informed, _soft(model, known.hierarchy, points, names)),
        doubts=doubts(shown, constraints, measured, who, known.hierarchy),
        doubtful_samples=doubtful_samples(measured),
        people=persons,
        shares_of_variance=shares,
        n_resamples=n_resamples,
        standardized=bool(standardize),
        constraints=constraints,
        second_names=seconds,
        notes=(
            *_told(given.get("hierarchy"), known.hierarchy),
            *(text for x in given.values() if isinstance(text := getattr(x, "reading", None), str) and text),
        ),
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

    if _named_rows(known, telling=True).size < FEWEST:
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


def _named_rows(known: Knowledge, *, telling: bool = False) -> np.ndarray:
    """The samples that the knowledge is about. `telling`: without a hierarchy or classes that say nothing."""
    found = [known.triplets.used_leaves, known.pairs.used_leaves]
    if known.comparisons is not None:
        found.append(known.comparisons.used_leaves)
    if known.hierarchy is not None and not (telling and count_triplets(known.hierarchy) == 0):
        found.append(known.leaves.indices(known.hierarchy.leaves))
    if known.codes is not None and not (telling and np.bincount(known.codes[known.codes >= 0]).max() < 2):
        found.append(np.flatnonzero(known.codes >= 0))
    return np.unique(np.concatenate(found))


def _constraints_of(known: Knowledge, informed: Any) -> Any:
    """Return the constraints that could be doubtful where no constraint could be held out."""
    triplets = known.triplets
    if known.hierarchy is not None or known.codes is not None:
        used = getattr(informed, "triplets_", None)
        triplets = used if used is not None else TripletSet([], informed.hierarchy_.leaves)
    several = (triplets, known.pairs, *(() if known.comparisons is None else (known.comparisons,)))
    found = tuple(x for x in several if len(x.rows))
    return triplets if not found else found[0] if len(found) == 1 else found


def _parts(
    brought: list[Matched], alone: list[KnowledgeReport | None], together: KnowledgeReport | None, known: Knowledge
) -> tuple[KnownPart, ...]:
    """The account of each kind: what was given, what it brings alone, and what of it holds with all of them."""
    with_all: dict[str, float] = {}
    if together is not None:
        sets, start = sets_of(together.constraints), 0
        order = [x for x in ("triplets", "pairs", "comparisons", "hierarchy", "classes") if x in known.kinds]
        if len(order) == len(sets) and sum(len(x.known.kinds) for x in brought) == len(order):  # each has its own set
            for kind, some in zip(order, sets, strict=True):
                with_all[kind] = float(together.holds[-1][start : start + len(some.rows)].mean())
                start += len(some.rows)
    return tuple(
        KnownPart(
            x.kind,
            x.n_given,
            x.n_used,
            x.known_samples,
            x.names,
            x.conflicts,
            judged,
            with_all.get(x.known.kinds[0], float("nan")),
            x.known.kinds[0] in known.soft or (len(brought) > 1 and x.kind == "comparisons"),
        )
        for x, judged in zip(brought, alone, strict=True)
    )


def _contradiction(known: Knowledge) -> str:
    """Why no result keeps the kinds that may have to hold, each of which could hold by itself. Else ""."""
    stated = known.only(*(x for x in known.kinds if x not in known.soft))
    if len(stated.kinds) < 2:
        return ""
    try:
        with stated.naming_classes():
            check_consistent(
                combine_constraints(stated.only("triplets", "hierarchy").to_triplets(), stated.to_pairs()), stated.pairs
            )
    except (InconsistentTripletsError, InconsistentPairsError) as error:
        return str(error)
    return ""
