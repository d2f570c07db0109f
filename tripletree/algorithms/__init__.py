"""One textbook problem a file, from value to value.

============== ====================================================================================================
build          BUILD (OneTree): the hierarchy that displays a set of triplets, or the reason why no hierarchy does
aho            the steps of BUILD on integers, for `build` and all others that split leaves by triplets
conflict       why a set is inconsistent: minimal conflicts
dynamic        BUILD for triplets that come and go one at a time
infer          consequences of a set: closure, redundancy
count          how many hierarchies display a set
induce         the triplets that a hierarchy or an ontology displays
decompose      a smallest set of triplets that determines a hierarchy
repair         a consistent part of a noisy set
supertree      one hierarchy from many
consensus      one hierarchy from the answers of many people, each weighed by how far the others bear it out
likeness       trees sampled from their posterior given answers, for `aggregate_answers`
compare        distances between hierarchies
clades         where the named clades of a reference are in another tree
majority       clades that many trees have: support, strict and majority-rule consensus trees
cut, flat      flat clusters of a hierarchy, and clusters changed until triplets hold in them
linkage        scipy's linkage matrices
names          which taxon of a hierarchy each name means
pair_reduction must-links and cannot-links as triplets, and the parts that triplets cannot express
pair_conflict  why pairs are inconsistent
supervision    labels, odd-one-out answers and orders of merges as triplets and pairs
============== ====================================================================================================

Law: value to value. No file, no estimator, no picture.

Common names stand at the top of the package (`tripletree.one_tree`, ...). Here is the rest: the classes of
results, and functions for few.
"""

from typing import Any

from tripletree.algorithms.clades import CladeMatches, match_clades
from tripletree.algorithms.compare import TripletComparison
from tripletree.algorithms.conflict import Conflict
from tripletree.algorithms.consensus import AnswerConsensus
from tripletree.algorithms.copies import merge_copies
from tripletree.algorithms.count import count_hierarchies, information_content
from tripletree.algorithms.cut import NumberOfClusters
from tripletree.algorithms.decompose import decomposition_size
from tripletree.algorithms.flat import are_compatible, enforce_triplets
from tripletree.algorithms.induce import InducedTriplets, all_triplets
from tripletree.algorithms.infer import closure_size, redundant
from tripletree.algorithms.majority import ConsensusTree, clade_support, consensus_tree
from tripletree.algorithms.names import NameMatches
from tripletree.algorithms.pair_conflict import Contradiction
from tripletree.algorithms.pair_reduction import PairReduction
from tripletree.algorithms.repair import Repair
from tripletree.algorithms.supertree import Supertree
from tripletree.algorithms.supervision import triplets_from_merge_order
from tripletree.core.renamed import old_name

__all__ = [
    "AnswerConsensus",
    "CladeMatches",
    "Conflict",
    "ConsensusTree",
    "Contradiction",
    "InducedTriplets",
    "NumberOfClusters",
    "NameMatches",
    "PairReduction",
    "Repair",
    "Supertree",
    "TripletComparison",
    "all_triplets",
    "are_compatible",
    "clade_support",
    "closure_size",
    "consensus_tree",
    "count_hierarchies",
    "decomposition_size",
    "enforce_triplets",
    "information_content",
    "match_clades",
    "merge_copies",
    "redundant",
    "triplets_from_merge_order",
]


def __getattr__(name: str) -> Any:
    return old_name("tripletree.algorithms", name)
