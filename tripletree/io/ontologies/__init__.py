"""Formats of ontologies, whose terms may have several parents: OBO, OWL, OBO Graphs, WordNet."""

from __future__ import annotations

__all__ = ["obo", "obograph", "owl", "wordnet"]
