"""Hierarchies that come with the package, small, real, and different in kind, and point sets made at random.

=============  ========================================================
mammals        dated phylogeny of 120 mammals, polytomies, branch lengths
primates       twelve of them, binary
animals        classification of 92 animals by rank, many unary nodes
newsgroups     the 20 Newsgroups by topic
indo_european  100 languages by subgroup
=============  ========================================================

`list_hierarchies`, `load_hierarchy` and `sample_path` find them. Their sources are in ``sample_path("README.md")``.

Point sets with classes that are not compact clusters, so that constraints matter:

=====================  ========================================================
`make_circles`         a ring inside a ring
`make_cell_walls`      two circles side by side, each around a nucleus
`make_xor`             four clouds, two at opposite corners are one class
`make_storm_clouds`    long clouds, one above the other
`make_lanes`           GPS traces on a road, and the pairs that follow from them
=====================  ========================================================

For real data see ``sklearn.datasets``.
"""

from __future__ import annotations

from tripletree.datasets.lanes import Lanes, make_lanes
from tripletree.datasets.samples import UnknownSampleError, list_hierarchies, load_hierarchy, sample_path
from tripletree.datasets.shapes import make_cell_walls, make_circles, make_storm_clouds, make_xor

__all__ = [
    "Lanes",
    "UnknownSampleError",
    "list_hierarchies",
    "load_hierarchy",
    "make_cell_walls",
    "make_circles",
    "make_lanes",
    "make_storm_clouds",
    "make_xor",
    "sample_path",
]
