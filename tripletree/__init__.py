"""tripletree: rooted triplets, the hierarchies that display them, and clusterings that keep them.

A rooted triplet ``ab|c`` says that a and b are closer to each other than either is to c. The main functions turn one
value into another::

    Hierarchy  -- decompose, induce, sample_triplets -->  TripletSet
    Hierarchy  <-- one_tree --  TripletSet
    Ontology, whose terms may have several parents  -- to_hierarchy -->  Hierarchy
    data matrix and TripletSet  -- cluster.ReCon -->  Hierarchy, flat clusters

Nothing heavy is imported before it is used: scikit-learn with ``tripletree.cluster``,
matplotlib with the first picture.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tripletree import _startup  # noqa: F401  (first of all)
from tripletree._version import __version__
from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.compare import compare_triplets, robinson_foulds, triplet_distance
from tripletree.algorithms.conflict import find_conflict, find_conflicts
from tripletree.algorithms.consensus import aggregate_answers
from tripletree.algorithms.cut import cut, suggest_n_clusters
from tripletree.algorithms.decompose import decompose
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.algorithms.flat import satisfies
from tripletree.algorithms.induce import count_triplets, displays, induce, sample_triplets
from tripletree.algorithms.infer import closure, implies, irredundant
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.algorithms.names import match_names
from tripletree.algorithms.pair_conflict import find_contradictions
from tripletree.algorithms.pair_reduction import reduce_pairs
from tripletree.algorithms.repair import repair
from tripletree.algorithms.supertree import supertree
from tripletree.algorithms.supervision import (
    pairs_from_classes,
    sample_class_pairs,
    sample_class_triplets,
    triplets_from_classes,
    triplets_from_comparisons,
    triplets_from_odd_one_out,
)
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.ontology import Ontology
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.renamed import old_name
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    InconsistentPairsError,
    InconsistentTripletsError,
    ParseError,
    TimeLimitError,
    TripletreeError,
)
from tripletree.evaluation.comparison import compare_methods
from tripletree.evaluation.describe import describe
from tripletree.evaluation.knowledge import evaluate_knowledge
from tripletree.evaluation.label_errors import find_label_errors
from tripletree.evaluation.people import agreement
from tripletree.evaluation.scores import (
    dendrogram_purity,
    label_triplet_score,
    pair_score,
    pairwise_f_score,
    rand_index,
    triplet_score,
)
from tripletree.interrupts import time_limit
from tripletree.io import (
    parse_newick,
    read_annotations,
    read_answers,
    read_hierarchy,
    read_newick,
    read_ontology,
    read_pairs,
    read_triplets,
    write_hierarchy,
    write_newick,
    write_pairs,
    write_triplets,
)
from tripletree.knowledge import Knowledge, read_knowledge, write_knowledge
from tripletree.plots import (
    plot_aho_graph,
    plot_conflict,
    plot_cuts,
    plot_dendrogram,
    plot_heatmap,
    plot_tanglegram,
    plot_transitions,
)
from tripletree.plots.page import write_html
from tripletree.reports.analysis import report

#: Subpackages, for the names that are not at the top: classes of results, formats, estimators, rarely typed ones.
_FACES = frozenset(
    {
        *("algorithms", "cluster", "core", "datasets", "errors", "evaluation", "interop", "io", "knowledge", "metrics"),
        *("plots", "reports"),
    }
)

#: Names for the three main jobs: triplets from a hierarchy and back, noisy or contradictory statements, and
#: clustering with constraints. All other public names are in the `__all__` of a subpackage.
__all__ = [
    "Hierarchy",
    "InconsistentPairsError",
    "InconsistentTripletsError",
    "Knowledge",
    "LeafIndex",
    "Ontology",
    "PairwiseConstraints",
    "ParseError",
    "TimeLimitError",
    "TripletBuilder",
    "TripletSet",
    "TripletreeError",
    "__version__",
    "aggregate_answers",
    "agreement",
    "closure",
    "compare_methods",
    "compare_triplets",
    "count_triplets",
    "cut",
    "decompose",
    "dendrogram_purity",
    "describe",
    "displays",
    "evaluate_knowledge",
    "find_conflict",
    "find_conflicts",
    "find_contradictions",
    "find_label_errors",
    "from_linkage",
    "implies",
    "induce",
    "irredundant",
    "is_consistent",
    "label_triplet_score",
    "match_names",
    "one_tree",
    "pair_score",
    "pairs_from_classes",
    "pairwise_f_score",
    "parse_newick",
    "plot_aho_graph",
    "plot_conflict",
    "plot_cuts",
    "plot_dendrogram",
    "plot_heatmap",
    "plot_tanglegram",
    "plot_transitions",
    "rand_index",
    "read_annotations",
    "read_answers",
    "read_hierarchy",
    "read_knowledge",
    "read_newick",
    "read_ontology",
    "read_pairs",
    "read_triplets",
    "reduce_pairs",
    "repair",
    "report",
    "robinson_foulds",
    "sample_class_pairs",
    "sample_class_triplets",
    "sample_triplets",
    "satisfies",
    "suggest_n_clusters",
    "supertree",
    "time_limit",
    "to_linkage",
    "triplet_distance",
    "triplet_score",
    "triplets_from_classes",
    "triplets_from_comparisons",
    "triplets_from_odd_one_out",
    "write_hierarchy",
    "write_html",
    "write_knowledge",
    "write_newick",
    "write_pairs",
    "write_triplets",
]


def __getattr__(name: str) -> Any:
    if name in _FACES:
        return import_module(f"tripletree.{name}")
    return old_name("tripletree", name)


def __dir__() -> list[str]:
    return sorted([*__all__, *_FACES])
