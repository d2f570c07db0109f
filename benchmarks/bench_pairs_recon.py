"""ReCon with n/10 pairs of classes beside ReCon without any: seconds, their ratio, and what becomes of the clusters."""

import warnings

import numpy as np
from _data import load
from _harness import Table, cpu_seconds

from tripletree.cluster import ReCon
from tripletree.pairs.classes import sample_class_pairs
from tripletree.score import pairwise_f_score
from tripletree.supervision import sample_class_triplets


def main():
    columns = [("set", 12), ("linkage", 9), ("n", 6), ("pairs", 6), ("triplets", 8), ("none s", 7), ("pairs s", 7)]
    columns += [("ratio", 6), ("fewest", 6), ("F none", 6), ("F pairs", 7)]
    table = Table("ReCon with n/10 random pairs, beside the same without them", columns)
    warnings.filterwarnings("ignore", "[0-9]+ triplets that look drawn at random")
    rng = np.random.default_rng(0)
    X, y = load("pendigits")
    some = rng.permutation(len(X))[:3000]
    sets = [("digits", X[some], y[some]), ("digits 389", *(z[np.isin(y, list("389"))] for z in (X, y)))]
    ReCon(2).fit(X[:600], pairs=sample_class_pairs(y[:600], 60, random_state=0))  # compile
    for name, Z, c in sets:
        n, k = len(Z), len(set(c.tolist()))
        pairs = sample_class_pairs(c, n // 10, random_state=0)
        for linkage in ("centroid", "ward", "average", "complete"):
            for m in (0, n):
                triplets = sample_class_triplets(c, m, random_state=0) if m else None
                model = ReCon(k, linkage=linkage)
                none, _ = cpu_seconds(lambda model=model, Z=Z, t=triplets: model.fit(Z, triplets=t))
                before = pairwise_f_score(c, model.labels_)
                took, _ = cpu_seconds(lambda model=model, Z=Z, t=triplets, p=pairs: model.fit(Z, triplets=t, pairs=p))
                after = pairwise_f_score(c, model.labels_)
                fewest = model.fewest_clusters_
                table.add(name, linkage, n, len(pairs), m, none, took, took / none, fewest, before, after)
    table.done()


if __name__ == "__main__":
    main()
