"""Clustering in which constraints hold: scikit-learn estimators whose triplets and pairs travel beside X as metadata.

X is always the samples; ``fit(X, triplets=..., pairs=...)`` takes what is known about some of them. Integer labels mean
rows of an array X; where X is a pandas DataFrame, labels are those of its index. Nothing is matched by guessing: labels
that are not there, or are there twice, are refused.

==========================  ============================================================================================
`ReCon`                     agglomeration: the closest merge that keeps triplets and pairs satisfiable; no dead ends
`DivisiveReCon`             division from the top: triplets, pairs, a hierarchy or classes, some of which may be wrong
`ConstrainedCompleteLink`   complete linkage of distances changed by must-links and cannot-links; can ask for them
`COPKMeans`                 k-means that breaks no must-link and no cannot-link
`PCKMeans`                  k-means in which a violated must-link or cannot-link has a price
`MPCKMeans`                 the same, and it learns metrics: one for each cluster, or for all of them
`CVQE`                      k-means in which the price of a violated pair is a distance: CVQE, LCVQE and CVQE+
`BoostedConstrainedKMeans`  many quick k-means vote; pairs that one violates come first in the next
`ActiveClustering`          asks somebody about well-chosen pairs, block by block, and clusters with what is answered
`TemporalClustering`        clusters through time: snapshots of the same objects, each with an eye on the one before
==========================  ============================================================================================

>>> import numpy as np
>>> from tripletree.cluster import ReCon
>>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
>>> ReCon(n_clusters=2).fit_predict(X).tolist()
[0, 0, 1, 1]
>>> ReCon(n_clusters=2).fit_predict(X, triplets=[(0, 3, 1), (0, 3, 2)]).tolist()
[0, 1, 1, 0]
>>> ReCon(n_clusters=2).fit_predict(X, pairs=([(0, 3)], [(0, 1)])).tolist()
[0, 1, 0, 0]

New samples go to the nearest of the flat clusters, so parameters can be chosen by cross-validation. It hands `fit` a
part of X, but all of the triplets: give triplets by label, X as a pandas DataFrame whose index holds the labels (other
ones than 0..n-1), and ``missing_samples="ignore"``, which leaves out triplets on samples outside the part.

>>> import pandas as pd
>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
>>> from tripletree import sample_class_triplets
>>> X, y = load_iris(return_X_y=True)
>>> X = pd.DataFrame(X, index=[f"flower {i}" for i in range(150)])
>>> triplets = sample_class_triplets(y, 300, leaves=X.index, samples=range(0, 150, 5), random_state=0)
>>> search = GridSearchCV(ReCon(3, missing_samples="ignore"), {"linkage": ["centroid", "ward", "average"]},
...                       scoring="adjusted_rand_score", cv=StratifiedKFold(5)).fit(X, y, triplets=triplets)
>>> search.best_params_, search.best_estimator_.n_triplets_
({'linkage': 'centroid'}, 300)

Three things to know. A list or array of as many triplets as samples is cut as if it were sample weights: repeat one of
them, as repeats count once. In ``triplets_from_classes`` the first member of each class is in every triplet of it: a
part without it has none of them, so random triplets on few samples, as here, lose less. And ``clone`` unfits a
transformer given as the metric: wrap it in ``sklearn.frozen.FrozenEstimator``.

A row number would mean another sample in the part: it is refused where it lies outside, and a `TripletSet` over all
rows always is, but tuples of low row numbers cannot be told. That triplets were cut can be told, by a `UserWarning`,
only where the rest names samples that X has not.

**Large data** (``micro_clusters``): micro-clusters are the cells of the centres that scikit-learn's Birch finds in a
part of the samples in no triplet, halved where they hold more than 500. Each is merged by itself; then their centres,
with their sizes, and the samples in triplets one by one. Exact: all triplets hold, and every merge above the
micro-clusters is the closest compatible one, at its true distance. Not exact: which samples share a micro-cluster. One
of them merges within its own before it meets a closer one across the border, or one in triplets.

**Wrong triplets** (``penalty``) hurt far more than missing ones, and most sets of about as many random triplets as
samples are consistent whatever is wrong in them. Under a penalty p, the next merge is the one of the least d exp(p (v -
s)), where d is the distance, v the weight of the triplets that it violates for good (ax|b and bx|a, where it joins a
and b) and s that of those it satisfies (ab|x): each unit makes the two clusters seem farther or nearer by the same
factor, so p has no unit. 0 is plain clustering; a large p lets the triplets decide and the distances break ties, but it
may violate consistent ones, as it does not look ahead. Samples at distance 0 always merge first. Mean F of five data
sets with m = n random triplets of which 0, 10 and 20 % are flipped (``benchmarks/bench_noise.py``): .922, .544, .514
when all must hold, .929, .916, .895 with "auto"; of seven others that had no part in choosing it, with 0 and 10 %:
.783, .539 and .818, .793. Time about O(n^2), memory 8 bytes a pair of samples.

**Tables**: a pandas DataFrame lends triplets the labels of its index. polars has no index: triplets then hold row
numbers, as for an array; the names of features are taken from both.
"""

from __future__ import annotations

from tripletree.cluster.active.clustering import ActiveClustering
from tripletree.cluster.active.oracle import labels_oracle
from tripletree.cluster.agglomerative.complete_link import ConstrainedCompleteLink
from tripletree.cluster.agglomerative.recon import ReCon
from tripletree.cluster.agglomerative.rejected_merges import RejectedMerge, rejected_merges, why_rejected
from tripletree.cluster.divisive import DivisiveReCon
from tripletree.cluster.kmeans.boosted import BoostedConstrainedKMeans
from tripletree.cluster.kmeans.cop_kmeans import COPKMeans
from tripletree.cluster.kmeans.cvqe import CVQE
from tripletree.cluster.kmeans.mpck_means import MPCKMeans
from tripletree.cluster.kmeans.pck_means import PCKMeans
from tripletree.cluster.temporal.chain import Snapshot
from tripletree.cluster.temporal.clustering import TemporalClustering, stack_snapshots
from tripletree.cluster.temporal.matching import match_clusters

__all__ = [
    "ActiveClustering",
    "BoostedConstrainedKMeans",
    "COPKMeans",
    "CVQE",
    "ConstrainedCompleteLink",
    "DivisiveReCon",
    "MPCKMeans",
    "PCKMeans",
    "ReCon",
    "RejectedMerge",
    "Snapshot",
    "TemporalClustering",
    "labels_oracle",
    "match_clusters",
    "rejected_merges",
    "stack_snapshots",
    "why_rejected",
]
