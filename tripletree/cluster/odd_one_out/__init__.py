"""Clustering by odd-one-out questions: a neighbour graph, a walk on it, what the answers mean, and what to ask next."""
