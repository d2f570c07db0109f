"""What people know: triplets, pairs, comparisons, odd-one-out answers, annotations of items."""

from __future__ import annotations

__all__ = ["annotations", "comparison_files", "pair_files", "triplet_files"]
