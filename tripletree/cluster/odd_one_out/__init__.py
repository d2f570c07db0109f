"""Clustering by odd-one-out questions: a neighbour graph, a walk on it, beliefs about groups and trees, questions."""
