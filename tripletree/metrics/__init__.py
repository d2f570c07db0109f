"""Metrics learned from triplets and comparisons, and the distance of a taxonomy added to the data's.

===================  ===============================================================================================
`SVMMetric`          a weight for each feature, by the quadratic programme of a support vector machine
`MahalanobisMetric`  a linear map of the features, of any rank, from triplets, comparisons and quadruplets
`taxonomy_linkage`   ordinary linkage on the distance of the data plus a multiple of that in a taxonomy
`gower_distances`    numbers, categories and gaps side by side; nothing is learned
===================  ===============================================================================================

The first two are transformers: Euclidean distance after ``transform`` is the learned metric. So they stand before any
estimator in a pipeline, or, fitted, instead of ``metric`` in ``tripletree.cluster.ReCon``.

>>> import numpy as np
>>> from tripletree.cluster import ReCon
>>> from tripletree.metrics import SVMMetric
>>> X = np.array([[0.0, 0.0], [0.2, 3.0], [1.0, 0.1], [1.2, 3.1]])
>>> ReCon(n_clusters=2).fit_predict(X).tolist()
[0, 1, 0, 1]
>>> metric = SVMMetric().fit(X, triplets=[(0, 1, 2), (2, 3, 1)])
>>> ReCon(n_clusters=2, metric=metric).fit_predict(X).tolist()
[0, 0, 1, 1]

Three kinds of statements can be combined: a **triplet** ab|c means d(a, b) < d(a, c) and d(a, b) < d(b, c); a
**comparison** (anchor, near, far) means d(anchor, near) < d(anchor, far); a **quadruplet** (a, b, c, d) means
d(a, b) < d(c, d). They may contradict each other. Labels come from the index if X is a pandas DataFrame, else row
numbers.

In a pipeline, metadata routing passes the triplets to each step that requests them. Scale features first.

>>> import sklearn
>>> from sklearn.pipeline import make_pipeline
>>> from sklearn.preprocessing import StandardScaler
>>> from tripletree.metrics import MahalanobisMetric
>>> with sklearn.config_context(enable_metadata_routing=True):
...     steps = [MahalanobisMetric().set_fit_request(triplets=True), ReCon(2).set_fit_request(triplets=True)]
...     make_pipeline(StandardScaler(), *steps).fit_predict(X, triplets=[(0, 1, 2), (2, 3, 1)]).tolist()
[0, 0, 1, 1]

Constraints by label need ``set_output(transform="pandas")`` on the steps before, which keeps the index of a DataFrame.
"""

from __future__ import annotations

from tripletree.cluster.gower import gower_distances
from tripletree.metrics.mahalanobis import MahalanobisMetric
from tripletree.metrics.svm import SVMMetric
from tripletree.metrics.taxonomy import taxonomy_linkage

__all__ = ["MahalanobisMetric", "SVMMetric", "gower_distances", "taxonomy_linkage"]
