"""Formats of taxonomies: NCBI's taxdump, lineages, tables of edges, ICD-10-CM."""

from __future__ import annotations

__all__ = ["edges", "icd", "lineages", "taxdump"]
