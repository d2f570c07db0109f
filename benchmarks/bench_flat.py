"""Flat clusters from hierarchies with triplets: rules of `cut`, number of clusters, cluster of held-out samples.

Adjusted Rand index against the classes. The form of rule="auto" was chosen among some forty on nearly these kinds, with
other trees and draws: no kind is held out. Trees: DivisiveReCon (soft) where it is in the package, and ReCon with ward
linkage, whose triplets hold where they are consistent and have a price where not. Phylogenies have their 8 top
clades as classes.

    python benchmarks/bench_flat.py [seeds]
    python benchmarks/bench_flat.py levels [seeds]   triplets of all levels: the estimators' own clusters
"""

import sys
import warnings
from functools import partial
from itertools import product

import numpy as np
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import scale

import tripletree as tt
from tripletree import cluster

RATIOS = (0.1, 0.3, 1, 3)
WRONG = (0, 0.1)
RULES = ("plain", "size", "support", "auto", "strict", "found k")


def phylogeny(shape, noise, seed, n=400, d=4, k=8):
    """Brownian traits on a random binary tree, with noise: samples, the tree, its k top clades."""
    rng = np.random.default_rng(seed)
    live, height, rows, now, size = list(range(n)), np.zeros(2 * n - 1), [], 0.0, [1] * n
    for step in range(n - 1):
        m = n - step
        now += rng.exponential(2 / (m * (m - 1)) if shape == "coalescent" else 1 / m)
        i, j = sorted(rng.choice(m, 2, replace=False))
        b, a = live.pop(j), live.pop(i)
        size.append(size[a] + size[b])
        rows.append([a, b, now, size[-1]])
        live.append(n + step)
        height[n + step] = now
    tree = tt.from_linkage(np.array(rows))
    place = np.zeros((2 * n - 1, d))
    for u in range(2 * n - 3, -1, -1):
        up = tree.parent[u]
        place[u] = place[up] + rng.normal(0, np.sqrt(height[up] - height[u]), d)
    X = place[:n] + rng.normal(0, noise * np.sqrt(now) / 4, (n, d))
    return X, tt.cut(tree, k, rule="merge_order"), tree


def nested_groups(seed, n=500, d=8):
    """Gaussian groups at three levels, 4 x 3 x 4, of uneven sizes: samples, the middle level, the tree of all three."""
    rng = np.random.default_rng(seed)
    centre = sum(
        np.repeat(rng.normal(0, spread, (count, d)), 48 // count, axis=0)
        for count, spread in ((4, 4), (12, 2.2), (48, 1.2))
    )
    group = np.sort(rng.choice(48, n, p=rng.dirichlet(np.ones(48))))
    X = centre[group] + rng.normal(0, 1.6, (n, d))
    levels = [np.unique(group // size, return_inverse=True)[1] for size in (4, 12)]
    inner = np.unique(group, return_inverse=True)[1]
    parents = [inner + n]
    count = n + inner.max() + 1
    for below, above in ((inner, levels[0]), (levels[0], levels[1])):
        first = np.unique(below, return_index=True)[1]
        parents.append(above[first] + count)
        count += above.max() + 1
    parents.append(np.full(levels[1].max() + 1, count))
    parent = np.concatenate([*parents, [-1]])
    return X, levels[0], tt.Hierarchy(parent)


def table(name, some=slice(None)):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X, y = X[some], y[some]
    return scale(X[:, X.std(axis=0) > 0]), y, None


def old_groups(distance, k, seed, groups=20, n=400, d=10):
    """Gaussian groups in a tree of their centres: samples, its k oldest clades, the tree."""
    rng = np.random.default_rng(seed + 7)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, n - groups)])
    centre = rng.normal(size=(groups, d)) * distance
    merges = linkage(centre, "average")
    above = tt.from_linkage(merges).parent
    tree = tt.Hierarchy(np.concatenate([group + n, np.where(above >= 0, above + n, -1)]))
    return centre[group] + rng.normal(size=(n, d)), cut_tree(merges, k)[:, 0][group], tree


KINDS = {
    "iris": lambda seed: table("iris"),
    "digits": lambda seed: table("digits", np.random.default_rng(0).permutation(1797)[:600]),
    "coalescent": lambda seed: phylogeny("coalescent", 1, seed),
    "groups": nested_groups,
    "wine": lambda seed: table("wine"),
    "breast cancer": lambda seed: table("breast_cancer"),
    "Yule": lambda seed: phylogeny("yule", 1, seed),
    "coalescent, noisy": lambda seed: phylogeny("coalescent", 2.5, seed + 10),
}


def given(y, tree, m, wrong, seed):
    """M triplets of the classes, or of the tree, some turned round."""
    n = len(y)
    t = (
        tt.sample_class_triplets(y, m, random_state=seed)
        if tree is None
        else tt.sample_triplets(tree, m, random_state=seed)
    )
    rows = t.rows.copy()
    turned = np.random.default_rng(seed).random(len(rows)) < wrong
    rows[turned] = rows[turned][:, [0, 2, 1]]
    return tt.TripletSet(rows, n)


def hierarchies(X, t):
    """Name and hierarchy of each method."""
    if hasattr(cluster, "DivisiveReCon"):
        yield "DivisiveReCon", cluster.DivisiveReCon(constraints="soft").fit(X, triplets=t).hierarchy_
    penalty = None if tt.is_consistent(t) else "auto"
    yield "ReCon", cluster.ReCon(linkage="ward", penalty=penalty).fit(X, triplets=t).hierarchy_


def scores(X, y, t, plain, tree):
    k = len(set(y.tolist()))
    labels = {
        "plain": plain,
        "size": tt.cut(tree, k, rule="size", samples=X),
        "support": tt.cut(tree, k, rule="support", triplets=t, samples=X, strict=False),
        "auto": tt.cut(tree, k, triplets=t, samples=X, strict=False),
        "found k": tt.cut(tree, triplets=t, samples=X, strict=False),
    }
    labels["strict"] = tt.cut(tree, k, triplets=t, samples=X, strict=True) if tt.is_consistent(t) else labels["auto"]
    broken = {name: int((~tt.satisfies(x, t)).sum()) for name, x in labels.items()}
    return {name: adjusted_rand_score(y, x) for name, x in labels.items()}, broken


def held_out(X, y, t, seed):
    """ARI on half of the samples of clusters fitted on the other half with its triplets: ways to predict."""
    rng = np.random.default_rng(seed)
    train = np.sort(rng.permutation(len(X))[: len(X) // 2])
    test = np.setdiff1d(np.arange(len(X)), train)
    known = t.restrict(train.tolist())
    known = tt.TripletSet(known.rows, len(train))
    penalty = None if tt.is_consistent(known) else "auto"
    model = cluster.ReCon(len(set(y.tolist())), linkage="ward", penalty=penalty).fit(X[train], triplets=known)
    ways = {"predict": model, "5 neighbours": KNeighborsClassifier(5), "nearest centre": NearestCentroid()}
    for name, way in ways.items():
        if name != "predict":
            way.fit(X[train], model.labels_)
        yield name, adjusted_rand_score(y[test], way.predict(X[test]))


def line(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*cells):
    line(*cells)
    line(*["---"] * len(cells))


def main(seeds=2):
    warnings.simplefilter("ignore")
    found, broken, predicted = {}, {}, {}
    for (kind, make), seed in product(KINDS.items(), range(seeds)):
        X, y, truth = make(seed)
        k = len(set(y.tolist()))
        plain = cluster.ReCon(k, linkage="ward").fit(X).labels_
        for ratio, wrong in product(RATIOS, WRONG):
            t = given(y, truth, int(ratio * len(y)), wrong, seed)
            for method, tree in hierarchies(X, t):
                one, some = scores(X, y, t, plain, tree)
                found[method, kind, ratio, wrong, seed] = one
                broken[method, kind, ratio, wrong, seed] = some
            for name, score in held_out(X, y, t, seed):
                predicted.setdefault((kind, name), []).append(score)
    for method in dict.fromkeys(key[0] for key in found):
        mine = {key: x for key, x in found.items() if key[0] == method}
        print(f"\n{method}: mean ARI over m/n = {', '.join(map(str, RATIOS))}, clean and 10 % wrong, {seeds} seeds\n")
        head("kind", *RULES)
        for kind in KINDS:
            line(kind, *(f"{np.mean([x[r] for key, x in mine.items() if key[1] == kind]):.3f}" for r in RULES))
        for name, those in (
            ("mean", lambda key: True),
            ("clean", lambda key: not key[3]),
            ("10 % wrong", lambda key: key[3]),
        ):
            line(name, *(f"{np.mean([x[r] for key, x in mine.items() if those(key)]):.3f}" for r in RULES))
        worse = [sum(x[r] < x["plain"] - 0.02 for x in mine.values()) for r in RULES]
        line(f"cells of {len(mine)} below plain by > .02", *map(str, worse))
        some = [sum(x[r] for key, x in broken.items() if key[0] == method and not key[3]) for r in RULES]
        line("clean triplets broken", *map(str, some))
    print("\nHeld-out half of the samples, clusters of ReCon on the other half: mean ARI\n")
    ways = list(dict.fromkeys(name for _, name in predicted))
    head("kind", *ways)
    for kind in KINDS:
        line(kind, *(f"{np.mean(predicted[kind, name]):.3f}" for name in ways))


def levels(seeds=2):
    """Adjusted Rand index of the estimators' own clusters, as triplets of all levels are known."""
    warnings.simplefilter("ignore")
    kinds = {name: KINDS[name] for name in ("coalescent", "groups", "Yule", "coalescent, noisy")}
    for distance, k in product((1, 2, 3), (4, 20)):
        kinds[f"20 groups at distance {distance}, {k} classes"] = partial(old_groups, distance, k)
    ways = {
        "nothing known": (cluster.ReCon(linkage="ward"), 0),
        "ReCon, ward": (cluster.ReCon(linkage="ward"), 0),
        "ReCon, average": (cluster.ReCon(linkage="average"), 0),
        "hard": (cluster.DivisiveReCon(constraints="hard", effort=0), 0),
        "soft": (cluster.DivisiveReCon(constraints="soft", effort=0), 0),
        "soft, 10 % wrong": (cluster.DivisiveReCon(constraints="soft", effort=0), 0.1),
    }
    head("kind", *ways)
    every = []
    for kind, make in kinds.items():
        found = []
        for ratio, seed in product((0.3, 1, 3), range(seeds)):
            X, y, tree = make(seed)
            row = []
            for name, (model, wrong) in ways.items():
                t = None if name == "nothing known" else given(y, tree, int(ratio * len(y)), wrong, seed)
                model.set_params(n_clusters=len(set(y.tolist())), random_state=seed)
                row.append(adjusted_rand_score(y, model.fit(X, triplets=t).labels_))
            found.append(row)
        every.append(np.mean(found, axis=0))
        line(kind, *(f"{x:.3f}" for x in every[-1]))
    line("mean", *(f"{x:.3f}" for x in np.mean(every, axis=0)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["levels"]:
        levels(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
