"""What people know: triplets, comparisons, odd-one-out answers, annotations of items."""

from __future__ import annotations

__all__ = ["annotations", "comparison_files", "triplet_files"]
