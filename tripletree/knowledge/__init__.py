"""What is known of some samples, as one value, and how it comes to the rows of a table.

`Knowledge` holds statements of every kind: triplets, comparisons, pairs, a hierarchy, classes.
"""

from __future__ import annotations

from tripletree.knowledge.file import read_knowledge, write_knowledge
from tripletree.knowledge.value import Knowledge

__all__ = ["Knowledge", "read_knowledge", "write_knowledge"]
