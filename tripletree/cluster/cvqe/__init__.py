"""Constrained vector quantisation: k-means in which a violated pair costs a distance between clusters, and pulls them.

A price that is a distance needs no setting: it is in the units of the data, small between clusters that overlap and
large between those that lie far apart. One engine (``_rounds``) chooses labels and updates centres by turns; what the
three methods differ in is in ``_rules``.

>>> from tripletree.cluster.cvqe import CVQEPlus
>>> X = [[0.0], [1.0], [5.0], [6.0]]
>>> model = CVQEPlus(n_clusters=2, random_state=0).fit(X, pairs=([(0, 1)], [(1, 2)]))
>>> model.violation_cost_
0.0
"""

from __future__ import annotations

from tripletree.cluster.cvqe._plus import Quantization, cvqe_plus
from tripletree.cluster.cvqe.methods import CVQE, LCVQE, CVQEPlus

__all__ = ["CVQE", "LCVQE", "CVQEPlus", "Quantization", "cvqe_plus"]
