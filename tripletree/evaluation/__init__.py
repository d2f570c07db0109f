"""How good a result is and how much constraints are worth: scores, descriptions, likely errors.

Common names stand at the top of the package (`tripletree.dendrogram_purity`, ...). Here is the rest.

Law: measures values and estimators, draws and reads nothing.
"""

from tripletree.evaluation.comparison import MethodComparison, MethodRun
from tripletree.evaluation.describe import Coherence, Description, TreeShape
from tripletree.evaluation.knowledge import KnowledgeReport
from tripletree.evaluation.known import KnownAnswers, check_known
from tripletree.evaluation.people import (
    Agreement,
    Disagreement,
    DisputedQuestion,
    agreement,
    find_disagreements,
    find_disputed_questions,
)
from tripletree.evaluation.scores import (
    PairwiseScores,
    constrained_rand_index,
    pairwise_precision_recall,
    violated_pairs,
)

__all__ = [
    "Agreement",
    "Coherence",
    "Description",
    "Disagreement",
    "DisputedQuestion",
    "KnowledgeReport",
    "KnownAnswers",
    "MethodComparison",
    "MethodRun",
    "PairwiseScores",
    "TreeShape",
    "agreement",
    "check_known",
    "constrained_rand_index",
    "find_disagreements",
    "find_disputed_questions",
    "pairwise_precision_recall",
    "violated_pairs",
]
