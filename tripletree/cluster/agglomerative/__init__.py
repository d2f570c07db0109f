"""Agglomerative clustering under constraints.

`recon` holds ReCon: `plan` decides what its merges are made under, `constraints` combines triplets and pairs, `merges`
is the engine for samples, `grouped_merges` the one for must-linked groups and `micro_clusters`, `penalty` the one for
triplets at a price; `paired_cut` finds flat clusters that keep all pairs. `complete_link` holds
ConstrainedCompleteLink, which looks ahead with a `colouring`. `rejected_merges` explains why a hierarchy differs from
that of the distances alone.
"""
