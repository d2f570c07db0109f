"""The values: leaves, hierarchies, triplets, pairs, ontologies, and where they were read.

Law: no algorithm. Each class stands whole in its own file, is immutable, and checks its input. Modules here
know each other, the errors and the compiled core (``_core``), nothing else.
"""

from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.comparisons import Comparisons
from tripletree.core.notes import doubts
from tripletree.core.pair_closure import PairClosure
from tripletree.core.provenance import Origin, Origins

__all__ = ["Answer", "AnswerSet", "Comparisons", "Origin", "Origins", "PairClosure", "doubts"]
