# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 1. What does a taxonomy say, in triplets, and what does a clustering do with it?
#
# A taxonomy is a drawing of what belongs together. A clustering has no use for a drawing: it needs
# single statements that it can keep or break. Rooted triplets are such statements. This notebook
# takes a classification of animals apart into triplets and puts it together again, finds a
# contradiction between it and a fact of evolution, and then lets triplets steer the clustering of
# 178 wines.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree import datasets
from tripletree.cluster import ReCon

# %% [markdown]
# ## A triplet
#
# `ab|c` says: a and b are closer to each other than either is to c. In a hierarchy it means that a
# and b meet below the place where they meet c. Three leaves allow four hierarchies; each of the
# first three *displays* one triplet, and the star displays none. Marked is what becomes of
# human chimp | gorilla in each.

# %%
human_chimp = tt.TripletSet.from_labels([("human", "chimp", "gorilla")])
four = {
    "human chimp | gorilla": [("human", "chimp"), "gorilla"],
    "human gorilla | chimp": [("human", "gorilla"), "chimp"],
    "chimp gorilla | human": [("chimp", "gorilla"), "human"],
    "the star": ["human", "chimp", "gorilla"],
}
figure, axes = plt.subplots(2, 2, figsize=(9, 5), layout="constrained")
for ax, (name, nested) in zip(axes.flat, four.items(), strict=True):
    h = tt.Hierarchy.from_nested(nested)
    tt.plot_dendrogram(h, ax=ax, orientation="top", triplets=human_chimp, title=name)
    ax.set_axis_off()
plt.show()

# %% [markdown]
# ## A taxonomy
#
# `animals` is a classification by rank. Two things set it apart from a phylogeny. A taxon with only one
# member in the list is a node with a single child (*unary*). And a taxon with more than two
# members says nothing of the order among them (a *polytomy*).

# %%
animals = datasets.load_hierarchy("animals")
print(animals)
print()
print(f"{'rank':<9}{'taxa':>6}{'one child':>11}{'three or more':>15}{'most':>6}")
ranks = ["kingdom", "phylum", "class", "order", "family", "genus", "species"]
for depth, rank in enumerate(ranks[:-1]):
    children = animals.n_children[animals.depth == depth]
    unary, many = np.sum(children == 1), np.sum(children > 2)
    print(f"{rank:<9}{children.size:>6}{unary:>11}{many:>15}{children.max():>6}")

# %% [markdown]
# The vertebrates and their kin among them. Every level is a rank, so all lines are equally long;
# where a line runs on without a fork, there are unary nodes.

# %%
chordata = animals.n_leaves + animals.names.index("Chordata")
species = animals.clade(chordata)
classes = {}
for u in animals.children(chordata):
    classes |= dict.fromkeys(animals.clade(u), animals.label(u))
ax = tt.plot_dendrogram(animals.restrict(species, keep_unary=True), classes=classes, title="Chordata, by rank")
ax.set_xticks(range(7), ranks[::-1])
ax.set_xlabel("rank")
plt.show()

# %% [markdown]
# ## What it says
#
# Of three species the taxonomy says something, or nothing. Primates, rodents and even-toed
# ungulates are three orders of one class; which two of them are closer, it leaves open.

# %%
asked = [
    ("Homo_sapiens", "Pan_paniscus", "Mus_musculus"),
    ("Homo_sapiens", "Mus_musculus", "Gallus_gallus"),
    ("Homo_sapiens", "Mus_musculus", "Bos_taurus"),
]
for triple, answer in zip(asked, tt.induce(animals, asked), strict=True):
    print(", ".join(triple), "->", "unresolved" if answer is None else "{} {} | {}".format(*answer))

n = animals.n_leaves
resolved, topology = tt.count_triplets(animals), animals.suppress_unary()
print(f"\nof all {n * (n - 1) * (n - 2) // 6:,} triples it resolves {resolved:,}")
print(f"without its unary nodes: {tt.count_triplets(topology):,}")

# %% [markdown]
# Unary nodes carry names, but no triplet. A phylogeny of mammals knows 13 of these species too, and
# so the two can be compared. It agrees with everything that the taxonomy says of them, and says
# more.

# %%
mammals = datasets.load_hierarchy("mammals")
shared = [x for x in animals.leaves if x in mammals.leaves]
by_rank = tt.algorithms.all_triplets(animals.restrict(shared))
by_descent = tt.algorithms.all_triplets(mammals.restrict(shared))
print(f"{len(shared)} species: {len(by_rank)} triplets by rank, {len(by_descent)} by descent")
print(f"of those by rank the phylogeny displays {tt.displays(mammals, by_rank).sum()}")

# %% [markdown]
# ## The least that says the same
#
# `decompose` gives a smallest set of triplets, under one of two guarantees.
#
# - `"identify"` (the default): every hierarchy that displays the set refines the taxonomy. It may
#   resolve a polytomy, but no taxon is torn apart.
# - `"rebuild"`: `one_tree` gives the taxonomy back. Nothing is promised of other hierarchies.

# %%
identify = tt.decompose(animals)
rebuild = tt.decompose(animals, guarantee="rebuild")
for name, triplets in [("identify", identify), ("rebuild", rebuild)]:
    back = tt.one_tree(triplets)
    print(f"{name:<9}{len(triplets):>4} of {resolved:,} triplets", end="; one_tree gives back ")
    print(f"the taxonomy: {back == animals}, its topology: {back == topology}")

# %% [markdown]
# The taxonomy itself does not come back, as no triplet tells of a unary node: names and ranks are
# lost. Its topology does, exactly.
#
# What `"rebuild"` does not promise takes four leaves to show. Both hierarchies below display its
# one triplet, but the second has no clade {a, b}. Of the two triplets of `"identify"`, marked in
# the picture, it breaks one.

# %%
small = tt.Hierarchy.from_nested([("a", "b"), "c", "d"])
other = tt.Hierarchy.from_nested([[("a", "d"), "b"], "c"])
figure, axes = plt.subplots(1, 2, figsize=(10, 2.8), layout="constrained")
for ax, h, name in zip(axes, [small, other], ["small", "other"], strict=True):
    for guarantee in ["rebuild", "identify"]:
        triplets = tt.decompose(small, guarantee=guarantee)
        shown = dict(zip(triplets, tt.displays(h, triplets).tolist(), strict=True))
        print(f"{name} displays of {guarantee:<9}{shown}")
    tt.plot_dendrogram(h, ax=ax, triplets=triplets, title=name)
plt.show()

# %% [markdown]
# ## A contradiction, found and named
#
# The taxonomy is a traditional one: reptiles are a class, birds another. By descent crocodiles are
# closer to birds than to lizards. That is one triplet. Added to the set that identifies the
# taxonomy, it cannot hold, and `find_conflict` says with what it clashes: a few triplets that
# cannot hold together, while dropping any one of them is enough.

# %%
descent = tt.TripletSet.from_labels([("Crocodylus_niloticus", "Corvus_corax", "Varanus_komodoensis")], animals.leaves)
print("consistent:", tt.is_consistent(identify | descent))
conflict = tt.find_conflict(identify | descent)
for k, (a, b, c) in enumerate(conflict):
    rest = conflict.triplets.subset(np.arange(len(conflict)) != k)
    source = "descent" if (a, b, c) in descent else "taxonomy"
    print(f"{a} {b} | {c} ({source}); consistent without it: {tt.is_consistent(rest)}")

# %% [markdown]
# The smaller set has nothing to hold against it. It takes the triplet in, and the two classes are
# gone without a word. This is the price of the weaker guarantee: use it to store a hierarchy, not
# to check answers against one.

# %%
mixed = tt.one_tree(rebuild | descent)
for name in ["Reptilia", "Aves"]:
    members = animals.clade(animals.n_leaves + animals.names.index(name))
    together = mixed.clade(mixed.common_ancestor(members))
    extra = sorted(set(together) - set(members))
    print(f"{name}: {len(members)} species; in the new hierarchy with {len(extra)} others: {extra}")

# %% [markdown]
# ## A clustering
#
# Triplets need not come from a taxonomy. Here are 178 wines of three cultivars with 13 measures
# each. Say the cultivar of 36 of them is known, drawn at random, and nothing of the other 142. The
# known ones give triplets: two wines of one cultivar, against one of another.
#
# `ReCon` merges the closest clusters, as any agglomerative clustering does, but only where the
# triplets can still all hold afterwards. Without triplets it is plain complete linkage.

# %%
X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)


def draw(share, seed):
    """Which wines the cultivar is known of."""
    known = np.zeros(y.size, bool)
    known[np.random.default_rng(seed).permutation(y.size)[: round(share * y.size)]] = True
    return known


known = draw(0.2, seed=0)
given = tt.triplets_from_classes(y, samples=known)
without = ReCon(n_clusters=3, linkage="complete").fit(X)
informed = ReCon(n_clusters=3, linkage="complete").fit(X, triplets=given)
print(f"{known.sum()} wines known, {len(given)} triplets")
print(f"displayed without them: {tt.triplet_score(without.hierarchy_, given):.3f}")
print(f"displayed with them:    {tt.triplet_score(informed.hierarchy_, given):.3f}")

# %%
cultivar = [f"cultivar {c}" for c in y]
figure, axes = plt.subplots(1, 2, figsize=(13, 12), layout="constrained")
for ax, model, title in zip(axes, [without, informed], ["without", "with"], strict=True):
    tt.plot_dendrogram(model, ax=ax, triplets=given, classes=cultivar, labels=False, title=f"{title} triplets")
plt.show()

# %% [markdown]
# Dots are triplets that hold, larger where more of them meet; the cross at the root on the left is where
# the triplets that fail come together. There three known wines stand in a wrong cluster: two of
# cultivar 1 among wines of cultivar 0, and one the other way round. On the right each has to meet
# its own kind first, and neighbours about which nothing is known come along.
#
# ## What changed

# %%
print("wines of cultivar   0   1   2")
for name, model in [("without", without), ("with", informed)]:
    for cluster in range(3):
        counts = np.bincount(y[model.labels_ == cluster], minlength=3)
        print(f"{name:<8} cluster {cluster}", "".join(f"{x:>4}" for x in counts))

# %% [markdown]
# The pairwise F score compares the three clusters with the cultivars. Over all wines it is
# flattered: it counts the 36 that were given. What matters is the score over the 142 others. Beside
# it stands what a nearest-neighbour classifier makes of the same 36 labels.

# %%
draws = 20


def scores(linkage, known):
    """F of the clusterings and of the classifier."""
    given = tt.triplets_from_classes(y, samples=known)
    plain = ReCon(n_clusters=3, linkage=linkage).fit_predict(X)
    fitted = ReCon(n_clusters=3, linkage=linkage).fit(X, triplets=given)
    model, last = fitted.labels_, tt.cut(fitted.hierarchy_, 3, rule="merge_order")
    guess = KNeighborsClassifier(1).fit(X[known], y[known]).predict(X[~known])
    return {
        "all, without": tt.pairwise_f_score(y, plain),
        "all, with": tt.pairwise_f_score(y, model),
        "without": tt.pairwise_f_score(y[~known], plain[~known]),
        "with": tt.pairwise_f_score(y[~known], model[~known]),
        "neighbour": tt.pairwise_f_score(y[~known], guess),
        "last merges": tt.pairwise_f_score(y[~known], last[~known]),
    }


one = scores("complete", known)
print(f"{'':<20}{'without':>9}{'with':>8}{'neighbour':>12}")
print(f"{'all 178 wines':<20}{one['all, without']:>9.3f}{one['all, with']:>8.3f}{'-':>12}")
print(f"{'the 142 not known':<20}{one['without']:>9.3f}{one['with']:>8.3f}{one['neighbour']:>12.3f}")

# %% [markdown]
# One draw is one draw, and this was a lucky one. Below are 20 for each share of known wines and
# each of three linkages, scored over the wines that are not known: the mean as a line, the middle
# 80 % as a band. *Last merges* is the same hierarchy with triplets, cut by undoing the last two
# merges, as other agglomerative methods do.

# %%
shares = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), sharey=True, layout="constrained")
print("linkage   share known   without    with   with better   last merges")
for ax, linkage in zip(axes, ["average", "complete", "ward"], strict=True):
    runs = [[scores(linkage, draw(share, seed)) for seed in range(draws)] for share in shares]
    of = {name: np.array([[run[name] for run in row] for row in runs]) for name in one}
    for name, colour in [("without", "0.5"), ("with", "C0")]:
        low, high = np.quantile(of[name], [0.1, 0.9], axis=1)
        ax.fill_between(shares, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(shares, of[name].mean(axis=1), "o-", color=colour, label=f"{name} triplets")
    ax.plot(shares, of["neighbour"].mean(axis=1), "k:", label="nearest neighbour")
    ax.set(title=f"{linkage} linkage", xlabel="share of wines known")
    for k in (2, 6):
        means = f"{of['without'][k].mean():>10.3f}{of['with'][k].mean():>8.3f}"
        better, last = np.sum(of["with"][k] > of["without"][k]), of["last merges"][k].mean()
        print(f"{linkage:<10}{shares[k]:>11.0%}{means}{better:>8} of {draws}{last:>14.3f}")
axes[0].set_ylabel("pairwise F, wines not known")
axes[2].legend(loc="lower right")
plt.show()

# %% [markdown]
# ## What this does not show
#
# - **That triplets always help.** Here they do, in the mean of the draws, for each share and
#   linkage. But a known wine that lies among wines of another cultivar takes its neighbours along in
#   the hierarchy. The clusters do better, because `ReCon` moves single wines of them to nearer means,
#   as far as all triplets hold.
# - **That flat clusters keep what the hierarchy keeps.** A triplet speaks of the hierarchy. `ReCon`
#   cuts it where most triplets keep *a* and *b* in one cluster and *c* in another, and small branches
#   join a cluster beside them (`tt.cut`). Then single wines move, so the clusters above are no clades.
#   To undo the last two merges is a worse cut: where one of them was made inside a cultivar, the two
#   other cultivars stay together.
# - **That this is the way to use class labels.** Where labels of the very classes are at hand, a
#   classifier may do better with less. Triplets are for what it cannot use: a taxonomy deeper than
#   two levels, answers to "which is the odd one out?", classes that are known in part.
# - **What wrong triplets do.** All of these were true. `find_conflict` sees contradictions only:
#   where nothing is said twice, a wrong triplet contradicts nothing.
# - **Anything about other data.** This is one small data set. The linkages were not chosen by their
#   scores, and three of the seven are shown.
