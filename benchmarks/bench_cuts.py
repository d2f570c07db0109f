"""Rules of `cut` on hierarchies of ReCon: pairwise F against the classes, beside methods without a hierarchy.

Everything is chosen without a look at the classes, but for the number of clusters and the triplets. The tables after
the first are means over all cells (data set x linkage x number of triplets), each a mean over draws.
"""

import warnings
from collections import defaultdict

import numpy as np
from _data import load, load_seeds, standardized
from _harness import Table, cpu_seconds
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.mixture import GaussianMixture

import tripletree as tt
from tripletree._core import engine
from tripletree.algorithms.cut import chooser
from tripletree.cluster import ReCon
from tripletree.core.arrays import freeze

LINKAGES = ("ward", "centroid", "average")
RATIOS = (0, 0.1, 0.5, 1, 2, "all")  # triplets over samples; all: the informative ones
RULES = ("merge_order", "size", "support", "constraints")
SHARES = (0.05, 0.1, 0.2, 0.5, 1)
DRAWS = 3


def data_sets():
    """Names, standardized samples and classes."""
    rng = np.random.default_rng(0)
    for name in ("iris", "wine", "ionosphere", "glass", "sonar", "ecoli", "balance.scale", "segment"):
        yield name, *load(name)
    yield "wdbc", *load_breast_cancer(return_X_y=True)
    yield "seeds", *load_seeds()
    for name, label, some in (("pendigits", "digits 389", "389"), ("letter", "letters IJLT", "IJLT")):
        X, y = load(name)
        yield label, X[np.isin(y, list(some))], y[np.isin(y, list(some))]
        rows = rng.permutation(len(X))[:3000]
        yield f"{name} 3000", X[rows], y[rows]
    X, y = load("optdigits")
    rows = rng.permutation(len(X))[:3000]
    yield "optdigits 3000", X[rows], y[rows]


def triplet_sets(y, ratio):
    """Draws of random triplets of the classes; none, or all informative ones, are one draw."""
    if ratio == "all":
        return [tt.triplets_from_classes(y)]
    draws = DRAWS if ratio else 1
    return [tt.sample_class_triplets(y, int(ratio * len(y)), random_state=draw) for draw in range(draws)]


def references(X, y, k):
    """F of methods that know no triplets and make no hierarchy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        means = KMeans(k, n_init=10, random_state=0).fit_predict(X)
        mixture = GaussianMixture(k, covariance_type="diag", n_init=3, reg_covar=1e-3, random_state=0).fit_predict(X)
    return tt.pairwise_f_score(y, means), tt.pairwise_f_score(y, mixture)


def with_share(hierarchy, k, share, **more):
    """A cut whose small branches have less than a share of the mean cluster, halved until there are k others."""
    least = max(1, int(np.ceil(share * hierarchy.n_leaves / k)))
    while True:
        try:
            return tt.cut(hierarchy, k, min_size=least, **more), least
        except tt.errors.ClusterCountError:
            least //= 2


def joined_to_any(hierarchy, k, least, samples):
    """The cut by size whose small branches join the nearest of all clusters, not of those beside them."""
    start, stop, leaf = hierarchy.leaf_intervals
    split = freeze(chooser(hierarchy, "size", None)(k, least))
    head = engine.cut.branch_heads(hierarchy.parent, split, hierarchy.n_leaves)
    branches, of = np.unique(head, return_inverse=True)
    centres = np.array([samples[leaf[start[u] : stop[u]]].mean(axis=0) for u in branches])
    large = np.flatnonzero((stop - start)[branches] >= least)
    nearest = large[((centres[:, None] - centres[large]) ** 2).sum(axis=2).argmin(axis=1)]
    nearest[large] = large
    return nearest[of]


def scores(hierarchy, X, y, k, t, purity):
    """F of every rule and setting on one hierarchy: (what, setting) -> F."""
    found = {("purity", ""): tt.dendrogram_purity(hierarchy, y) if purity else np.nan}
    for rule in RULES:
        if len(t) or rule != "constraints":
            found["rule", rule] = tt.cut(hierarchy, k, rule=rule, triplets=t, samples=X)
    for rule in ("size", "support"):
        for share in SHARES:
            found[rule, share], _ = with_share(hierarchy, k, share, rule=rule, triplets=t, samples=X)
        found[rule, "default"] = found["rule", rule]
        found[rule, "no outliers"] = tt.cut(hierarchy, k, rule=rule, triplets=t, min_size=1)
    _, least = with_share(hierarchy, k, 0.5, rule="size")
    found["outliers to", "nearest beside"] = found["size", 0.5]
    found["outliers to", "largest beside"] = tt.cut(hierarchy, k, rule="size", min_size=least)
    found["outliers to", "nearest of all"] = joined_to_any(hierarchy, k, least, X)
    return {key: tt.pairwise_f_score(y, x) if isinstance(x, np.ndarray) else x for key, x in found.items()}


def mean(values):
    values = [x for x in values if not np.isnan(x)]
    return float(np.mean(values)) if values else None


def run(table):
    """All cells: (data set, linkage, ratio) -> (what, setting) -> mean F over the draws."""
    cells = defaultdict(dict)
    for name, X, y in data_sets():
        X, k = standardized(X), len(set(y))
        refs = references(X, y, k)
        for ratio in RATIOS:
            for linkage in LINKAGES:
                drawn = defaultdict(list)
                for t in triplet_sets(y, ratio):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", UserWarning)  # that so few triplets may hurt
                        hierarchy = ReCon(k, linkage=linkage).fit(X, triplets=t).hierarchy_
                    for key, value in scores(hierarchy, X, y, k, t, purity=len(y) < 1000).items():
                        drawn[key].append(value)
                cells[name, linkage, ratio] = {key: float(np.mean(x)) for key, x in drawn.items()}
            seconds, _ = cpu_seconds(lambda: tt.cut(hierarchy, k, rule="support", triplets=t, samples=X), repeat=2)  # noqa: B023
            row = [
                mean(cells[name, linkage, ratio].get(key, np.nan) for linkage in LINKAGES)
                for key in [("purity", ""), *(("rule", rule) for rule in RULES)]
            ]
            table.add(name, len(y), k, str(ratio), *refs, *row, seconds)
    return cells


def summary(title, cells, keys):
    """Mean F by the number of triplets, and over all; wins, ties and losses of the first setting against the others."""
    print(f"\n{title}\n{'':32}" + "".join(f"{ratio!s:>8}" for ratio in RATIOS) + f"{'mean':>8}   wins-ties-losses")
    first = keys[0]
    for key in keys:
        by_ratio = [mean(c.get(key, np.nan) for (_, _, r), c in cells.items() if r == ratio) for ratio in RATIOS]
        overall = mean(c.get(key, np.nan) for (_, _, r), c in cells.items() if r not in (0, "all"))
        pairs = [(c[first], c[key]) for (_, _, r), c in cells.items() if r != 0 and first in c and key in c]
        against = [sum(sign * (a - b) > 1e-9 for a, b in pairs) for sign in (1, -1)]
        text = f"{against[0]}-{len(pairs) - sum(against)}-{against[1]}" if key != first else ""
        shown = "".join("       -" if x is None else f"{x:8.3f}" for x in [*by_ratio, overall])
        print(f"{key[0] + ' ' + str(key[1]):32}{shown}   {text}")


def main():
    columns = [("set", 14), ("n", 5), ("k", 3), ("m/n", 4), ("k-means", 7), ("mixture", 7), ("purity", 7)]
    columns += [(rule, max(7, len(rule))) for rule in RULES]
    table = Table("Cuts: pairwise F, mean of three linkages", [*columns, ("cut s", 8)])
    cells = run(table)
    rules = [("rule", rule) for rule in ("support", "merge_order", "size", "constraints")]
    summary("Rules (mean F by triplets per sample; the mean leaves out 0 and all)", cells, rules)
    for linkage in LINKAGES:
        summary(f"Rules, {linkage}", {x: c for x, c in cells.items() if x[1] == linkage}, rules)
    for rule in ("support", "size"):
        keys = [(rule, x) for x in ("default", "no outliers", *SHARES)]
        summary(f"min_size as a share of n / k, rule {rule}", cells, keys)
    keys = [("outliers to", x) for x in ("nearest beside", "largest beside", "nearest of all")]
    summary("Outliers, rule size, min_size 0.5 n / k", cells, keys)
    table.done()


if __name__ == "__main__":
    main()
