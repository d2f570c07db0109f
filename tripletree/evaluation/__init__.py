"""How good a result is and what constraints are worth: scores, descriptions, likely errors.

What users type most stands at the top of the package (`tripletree.dendrogram_purity`, ...); here is the rest.

Law: measures values and estimators, draws and reads nothing.
"""

from tripletree.evaluation.describe import Coherence, Description, TreeShape
from tripletree.evaluation.knowledge import KnowledgeReport
from tripletree.evaluation.scores import (
    PairwiseScores,
    constrained_rand_index,
    pairwise_precision_recall,
    violated_pairs,
)

__all__ = [
    "Coherence",
    "Description",
    "KnowledgeReport",
    "PairwiseScores",
    "TreeShape",
    "constrained_rand_index",
    "pairwise_precision_recall",
    "violated_pairs",
]
