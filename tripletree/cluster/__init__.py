"""Clustering in which triplets hold: scikit-learn estimators whose constraints travel beside X as fit metadata.

X is always the samples; ``fit(X, triplets=...)`` takes what is known about some of them. Integer labels mean rows of
an array X; where X is a pandas DataFrame, labels are those of its index. Nothing is matched by guessing: labels that
are not there, or are there twice, are refused.

=========  =========================================================================================
`ReCon`    agglomeration by the closest merge that keeps the triplets satisfiable; never a dead end
=========  =========================================================================================

>>> import numpy as np
>>> from tripletree.cluster import ReCon
>>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
>>> ReCon(n_clusters=2).fit_predict(X).tolist()
[0, 0, 1, 1]
>>> ReCon(n_clusters=2).fit_predict(X, triplets=[(0, 3, 1), (0, 3, 2)]).tolist()
[0, 1, 1, 0]

Cross-validation hands `fit` a part of X, but all of the triplets; an array or a list of as many triplets as samples it
cuts as if they were sample weights. Triplets by label with X a DataFrame are safe there: a triplet whose sample is left
out is refused by name, never taken for another one.
"""

from __future__ import annotations

from tripletree.cluster.recon import ReCon

__all__ = ["ReCon"]
