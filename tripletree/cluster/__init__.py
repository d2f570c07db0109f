"""Clustering that keeps constraints: scikit-learn estimators whose triplets and pairs travel beside X as metadata.

X is always the samples. ``fit(X, triplets=..., pairs=...)`` takes the knowledge about some of them. Integer labels mean
rows of an array X. If X is a pandas DataFrame, labels are its index. Nothing is matched by guessing: labels
that are missing from the index, or occur twice in it, are refused.

==========================  ============================================================================================
`ReCon`                     agglomeration: the closest merge that keeps triplets and pairs satisfiable. No dead ends
`DivisiveReCon`             division from the top: triplets, pairs, a hierarchy or classes, which may be wrong in part
`ConstrainedCompleteLink`   complete linkage of distances changed by must-links and cannot-links. Can ask for them
`COPKMeans`                 k-means that breaks no must-link and no cannot-link
`PCKMeans`                  k-means in which a violated must-link or cannot-link has a price
`MPCKMeans`                 the same, and it learns a metric for all clusters, or one for each
`CVQE`                      k-means in which the price of a violated pair is a distance: CVQE, LCVQE and CVQE+
`BoostedConstrainedKMeans`  many quick k-means vote. Pairs that one violates come first in the next
`ActiveClustering`          asks somebody about well-chosen pairs, block by block, and clusters with the answers
`OddOneOutClustering`       asks somebody which of three samples is the odd one out, and clusters by the answers
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

New samples get the flat cluster of the fitted samples nearest to them, so parameters can be chosen by cross-validation.
It hands `fit` a part of X, but all of the triplets. So give triplets by label. Give X as a pandas DataFrame with the
labels as its index (not 0..n-1), or the labels as ``fit(..., sample_names=)``, which is cut as X is.
``missing_samples="ignore"`` leaves out triplets on samples outside the part.

>>> import pandas as pd
>>> from sklearn.datasets import load_iris
>>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
>>> from tripletree import sample_class_triplets
>>> X, y = load_iris(return_X_y=True)
>>> X = pd.DataFrame(X, index=[f"flower {i}" for i in range(150)])
>>> triplets = sample_class_triplets(y, 300, leaves=X.index, samples=range(0, 150, 5), random_state=0)
>>> search = GridSearchCV(ReCon(3, missing_samples="ignore"), {"cut": ["merge_order", "auto"]},
...                       scoring="adjusted_rand_score", cv=StratifiedKFold(5)).fit(X, y, triplets=triplets)
>>> search.best_params_, search.best_estimator_.n_triplets_
({'cut': 'auto'}, 300)

Three things to know about cross-validation. A list or array of as many triplets as samples is cut as if it were sample
weights: repeat one triplet, as repeats count once. In ``triplets_from_classes`` the first member of each class is in
every triplet of it, so a part without that member has no triplet of the class. Random triplets on few samples, as here,
lose less. And ``clone`` unfits a transformer given as the metric: wrap it in ``sklearn.frozen.FrozenEstimator``.
A row number would mean another sample in a part of X. It is refused if it lies outside, and a `TripletSet` over all
rows always is, but tuples of low row numbers cannot be recognised.

**Large data** (``micro_clusters``): more than 200,000 samples in no triplet are gathered into micro-clusters first.
Exact: all triplets hold, and every merge above the micro-clusters is the closest compatible one, at its true distance.
Not exact: which samples share a micro-cluster.

**Wrong triplets** (``penalty``) hurt far more than missing ones, and most sets of about as many random triplets as
samples are consistent whatever is wrong in them. Under a penalty triplets may be violated at a price. "auto" costs
little if all triplets are right and loses little if a fifth of them is wrong
(``benchmarks/results/wrong_triplets.md``).

**Tables**: triplets name rows of a pandas DataFrame by the labels of its index. polars has no index: triplets then hold
row numbers, as for an array. The names of features are taken from both.

**Does it help?** ``fit(..., validate=True)`` of `ReCon` and `DivisiveReCon` hides the knowledge about some samples in
turn, warns if results without knowledge place them better, and names a better setting. ``validation_`` has the figures.

How the algorithms work is explained in ``docs/algorithms.md``.
"""

from __future__ import annotations

from tripletree.cluster.active.clustering import ActiveClustering
from tripletree.cluster.active.oracle import labels_oracle
from tripletree.cluster.agglomerative.complete_link import ConstrainedCompleteLink
from tripletree.cluster.agglomerative.recon import ReCon
from tripletree.cluster.agglomerative.rejected_merges import RejectedMerge, rejected_merges, why_rejected
from tripletree.cluster.agglomerative.representatives import (
    MicroClusterFit,
    MicroClusters,
    fit_micro_clusters,
    merge_micro_clusters,
    micro_cluster_centres,
    micro_clusters,
)
from tripletree.cluster.agreement import NameAgreement
from tripletree.cluster.divisive.estimator import DivisiveReCon
from tripletree.cluster.kmeans.boosted import BoostedConstrainedKMeans
from tripletree.cluster.kmeans.cop_kmeans import COPKMeans
from tripletree.cluster.kmeans.cvqe import CVQE
from tripletree.cluster.kmeans.geometry import SegmentCentres
from tripletree.cluster.kmeans.mpck_means import MPCKMeans
from tripletree.cluster.kmeans.pck_means import PCKMeans
from tripletree.cluster.odd_one_out.clustering import OddOneOutClustering
from tripletree.cluster.posterior import Mixing
from tripletree.cluster.prediction import TaxonPredictions
from tripletree.cluster.temporal.chain import Snapshot
from tripletree.cluster.temporal.clustering import TemporalClustering, stack_snapshots
from tripletree.cluster.temporal.matching import match_clusters
from tripletree.cluster.validation import ValidationReport

__all__ = [
    "ActiveClustering",
    "BoostedConstrainedKMeans",
    "COPKMeans",
    "CVQE",
    "ConstrainedCompleteLink",
    "DivisiveReCon",
    "MPCKMeans",
    "MicroClusterFit",
    "MicroClusters",
    "Mixing",
    "NameAgreement",
    "OddOneOutClustering",
    "PCKMeans",
    "ReCon",
    "RejectedMerge",
    "SegmentCentres",
    "Snapshot",
    "TaxonPredictions",
    "TemporalClustering",
    "ValidationReport",
    "fit_micro_clusters",
    "labels_oracle",
    "match_clusters",
    "merge_micro_clusters",
    "micro_cluster_centres",
    "micro_clusters",
    "rejected_merges",
    "stack_snapshots",
    "why_rejected",
]
