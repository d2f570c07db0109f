"""Hierarchies as trees, graphs and tables of other libraries, and back: ``to_X(hierarchy)`` and ``from_X(tree)``.

Nodes are walked one by one, never through a Newick text, never by recursion: labels of any type, names, branch lengths,
heights and ranks come back exactly if the other side can hold them. Arguments are never changed. Each library is
imported when its function is called, and if it is missing the error names the extra that installs it.

>>> from tripletree.core.hierarchy import Hierarchy
>>> h = Hierarchy.from_nested([("human", "chimp"), "gorilla"])
>>> from_networkx(to_networkx(h)) == h
True

===========================  ============================  =======================================================
functions                    library (extra)               what it cannot hold
===========================  ============================  =======================================================
to_networkx, from_networkx   networkx                      nothing
ontology_to_networkx, ...    networkx (obonet's form)      nothing; for an Ontology
to_edge_table, ...           pandas (io)                   a label that is None
to_dot, from_dot             none: Graphviz reads it       labels that are not strings come back as strings
to_tree, from_tree           ete3 (ete), ete4 (ete4),       order of leaves that is not depth-first; empty labels
                             DendroPy, scikit-bio,
                             biopython (all: interop)
to_children, from_children   none: scikit-learn's arrays   labels, names, ranks; binary hierarchies only
===========================  ============================  =======================================================

scipy's linkage matrices: `tripletree.from_linkage`, `tripletree.to_linkage`. In the order of inner nodes (the order of
the merges, after a clustering) networkx, edge tables, DOT and arrays keep ours. The libraries of linked nodes have
no such order.
"""

from __future__ import annotations

from tripletree.interop.comparisons import (
    comparisons_from_cblearn,
    comparisons_from_metric_learn,
    to_cblearn,
    to_metric_learn,
)
from tripletree.interop.dot import from_dot, to_dot
from tripletree.interop.graphs import from_networkx, ontology_from_networkx, ontology_to_networkx, to_networkx
from tripletree.interop.tables import from_children, from_edge_table, to_children, to_edge_table
from tripletree.interop.trees import from_tree, to_tree

__all__ = [
    "comparisons_from_cblearn",
    "comparisons_from_metric_learn",
    "from_children",
    "from_dot",
    "from_edge_table",
    "from_networkx",
    "from_tree",
    "ontology_from_networkx",
    "ontology_to_networkx",
    "to_cblearn",
    "to_children",
    "to_dot",
    "to_edge_table",
    "to_metric_learn",
    "to_networkx",
    "to_tree",
]
