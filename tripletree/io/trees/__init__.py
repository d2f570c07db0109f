"""Formats of trees: Newick, NEXUS, PhyloXML, NeXML, nested JSON, linkage matrices, folders."""

from __future__ import annotations

__all__ = ["dot", "folders", "linkage_files", "nested_json", "newick", "nexml", "nexus", "phyloxml"]
