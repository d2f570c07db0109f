"""One textbook problem a file, from value to value.

============== ====================================================================================================
build          BUILD (OneTree): the hierarchy that displays a set of triplets, or the reason why there is none
aho            the Aho graph and its components: what `build`, `conflict` and others split leaves by
conflict       why a set is inconsistent: minimal conflicts
dynamic        BUILD for triplets that come and go one at a time
infer          what a set implies: closure, redundancy
count          how many hierarchies display a set
induce         the triplets that a hierarchy or an ontology displays
decompose      a smallest set of triplets that says the same as a hierarchy
repair         a consistent part of a noisy set
supertree      one hierarchy from many
compare        distances between hierarchies
cut, linkage   flat clusters, and scipy's linkage matrices
supervision    labels and odd-one-out answers as triplets and pairs
============== ====================================================================================================

Law: value to value. No file, no estimator, no picture.
"""
