"""Clustering and scoring of data that no machine holds, on Dask: on one computer, or on a cluster of them.

`ReCon` takes dask arrays and data frames. Each partition gathers its samples at thousands of centres; the results are
added up, and ReCon merges the centres and all samples that triplets name. `displays` and `triplet_score` read tables of
triplets from Parquet, a row group at a time, in parallel.

>>> import dask.array
>>> from tripletree.dask import ReCon
>>> X = dask.array.from_array(np.array([[0.0], [1.0], [5.0], [6.0], [7.0]]), chunks=(2, 1))
>>> model = ReCon(n_clusters=2).fit(X, triplets=[(0, 3, 2)])
>>> model.labels_
dask.array<concatenate, shape=(5,), dtype=int64, chunksize=(2,), chunktype=numpy.ndarray>
>>> model.labels_.compute().tolist()
[0, 0, 1, 0, 1]

All of it runs on whatever scheduler Dask uses: threads by default, a ``distributed.Client`` if there is one. The
extra ``[dask]`` installs the libraries. `docs/questions/large.md` tells the cost, and how the functions below it
(`tripletree.cluster.micro_clusters` and others) run on other engines.
"""

from __future__ import annotations

from tripletree.dask.recon import ReCon
from tripletree.dask.tables import displays, triplet_score

__all__ = ["ReCon", "displays", "triplet_score"]
