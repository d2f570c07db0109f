"""Agglomerative clustering under constraints.

`recon` holds ReCon. In the order of its `fit`: `plan` decides how samples are merged, for which `constraints` combines
triplets and pairs, and selects an engine: `grouped_merges` (samples, or must-linked groups), `micro_clusters` (large
data) or `penalty` (triplets at a price). The first two are built on `merges`, which calls the core. `paired_cut`
finds flat clusters that keep all pairs. `rejected_merges` explains why a
hierarchy differs from the one of the distances alone.

`complete_link` holds ConstrainedCompleteLink, which looks ahead with a `colouring`.
"""
