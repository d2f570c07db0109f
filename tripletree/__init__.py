"""tripletree: rooted triplets, the hierarchies that display them, and clusterings in which they hold.

A rooted triplet ``ab|c`` says that a and b are closer to each other than either is to c. Two values and the arrows
between them carry everything::

    Hierarchy  -- decompose, induce, sample_triplets -->  TripletSet
    Hierarchy  <-- one_tree --  TripletSet
    Ontology, whose terms may have several parents  -- to_hierarchy -->  Hierarchy
    data matrix and TripletSet  -- cluster.ReCon -->  Hierarchy, flat clusters

Nothing heavy is imported before it is used: numba with the first kernel, scikit-learn with ``tripletree.cluster``,
matplotlib with the first picture.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tripletree._version import __version__
from tripletree.algorithms.build import is_consistent, one_tree
from tripletree.algorithms.compare import TripletComparison, compare_triplets, robinson_foulds, triplet_distance
from tripletree.algorithms.conflict import Conflict, find_conflict, find_conflicts
from tripletree.algorithms.count import count_hierarchies, informativeness
from tripletree.algorithms.cut import cut
from tripletree.algorithms.decompose import decompose, decomposition_size
from tripletree.algorithms.dynamic import TripletBuilder
from tripletree.algorithms.induce import (
    InducedTriplets,
    all_triplets,
    count_triplets,
    displays,
    induce,
    sample_triplets,
)
from tripletree.algorithms.infer import closure, closure_size, implies, minimal, redundant
from tripletree.algorithms.linkage import from_linkage, to_linkage
from tripletree.algorithms.pair_conflict import Contradiction, find_contradictions
from tripletree.algorithms.pair_reduction import PairReduction, reduce_pairs
from tripletree.algorithms.repair import Repair, repair
from tripletree.algorithms.supertree import Supertree, supertree
from tripletree.algorithms.supervision import (
    pairs_from_classes,
    sample_class_pairs,
    sample_class_triplets,
    triplets_from_classes,
    triplets_from_odd_one_out,
)
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import LeafIndex
from tripletree.core.ontology import Ontology
from tripletree.core.pair_closure import PairClosure
from tripletree.core.pairs import PairwiseConstraints
from tripletree.core.triplets import TripletSet
from tripletree.errors import (
    ClusterCountError,
    DuplicateLeafError,
    InconsistentPairsError,
    InconsistentTripletsError,
    InfeasibleClusteringError,
    InvalidHierarchyError,
    InvalidLabelsError,
    InvalidPairError,
    InvalidTimesError,
    InvalidTripletError,
    LimitExceededError,
    MissingDependencyError,
    NotATreeError,
    ParseError,
    TripletreeError,
    UnknownLeafError,
    UnknownTripletError,
)
from tripletree.evaluation.describe import Coherence, Description, TreeShape, describe
from tripletree.evaluation.label_errors import find_label_errors
from tripletree.evaluation.scores import (
    constrained_rand_index,
    dendrogram_purity,
    pair_score,
    pairwise_f_score,
    pairwise_precision_recall,
    rand_index,
    triplet_score,
    violated_pairs,
)
from tripletree.io import (
    parse_newick,
    parse_newick_all,
    read_annotations,
    read_hierarchy,
    read_newick,
    read_newick_all,
    read_odd_one_out,
    read_ontology,
    read_pairs,
    read_triplets,
    write_newick,
    write_newick_all,
    write_pairs,
    write_triplets,
)
from tripletree.plots import (
    aho_graph,
    plot_aho_graph,
    plot_conflict,
    plot_cuts,
    plot_dendrogram,
    plot_heatmap,
    plot_tanglegram,
    plot_transitions,
)
from tripletree.plots.page import to_html, write_html

_SUBMODULES = frozenset({"cluster", "datasets", "interop", "io", "metrics"})

__all__ = [
    "ClusterCountError",
    "Coherence",
    "Conflict",
    "Contradiction",
    "Description",
    "DuplicateLeafError",
    "Hierarchy",
    "InconsistentPairsError",
    "InconsistentTripletsError",
    "InducedTriplets",
    "InfeasibleClusteringError",
    "InvalidHierarchyError",
    "InvalidLabelsError",
    "InvalidPairError",
    "InvalidTimesError",
    "InvalidTripletError",
    "LeafIndex",
    "LimitExceededError",
    "MissingDependencyError",
    "NotATreeError",
    "Ontology",
    "PairClosure",
    "PairReduction",
    "PairwiseConstraints",
    "ParseError",
    "Repair",
    "Supertree",
    "TreeShape",
    "TripletBuilder",
    "TripletComparison",
    "TripletSet",
    "TripletreeError",
    "UnknownLeafError",
    "UnknownTripletError",
    "__version__",
    "aho_graph",
    "all_triplets",
    "closure",
    "closure_size",
    "compare_triplets",
    "constrained_rand_index",
    "count_hierarchies",
    "count_triplets",
    "cut",
    "decompose",
    "decomposition_size",
    "dendrogram_purity",
    "describe",
    "displays",
    "find_conflict",
    "find_conflicts",
    "find_contradictions",
    "find_label_errors",
    "from_linkage",
    "implies",
    "induce",
    "informativeness",
    "is_consistent",
    "minimal",
    "one_tree",
    "pair_score",
    "pairs_from_classes",
    "pairwise_f_score",
    "pairwise_precision_recall",
    "parse_newick",
    "parse_newick_all",
    "plot_aho_graph",
    "plot_conflict",
    "plot_cuts",
    "plot_dendrogram",
    "plot_heatmap",
    "plot_tanglegram",
    "plot_transitions",
    "rand_index",
    "read_annotations",
    "read_hierarchy",
    "read_newick",
    "read_newick_all",
    "read_odd_one_out",
    "read_ontology",
    "read_pairs",
    "read_triplets",
    "reduce_pairs",
    "redundant",
    "repair",
    "robinson_foulds",
    "sample_class_pairs",
    "sample_class_triplets",
    "sample_triplets",
    "supertree",
    "to_html",
    "to_linkage",
    "triplet_distance",
    "triplet_score",
    "triplets_from_classes",
    "triplets_from_odd_one_out",
    "violated_pairs",
    "write_html",
    "write_newick",
    "write_newick_all",
    "write_pairs",
    "write_triplets",
]


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return import_module(f"tripletree.{name}")
    msg = f"module 'tripletree' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES])
