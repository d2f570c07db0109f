"""k-means under pairwise constraints: COP-KMeans, PCKMeans, MPCKMeans, CVQE, boosting, over one Lloyd loop."""
