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
# # 9. Which method, when?
#
# It depends on what you know (triplets or pairs), on whether it is certain, on whether somebody can be asked, and on the
# data. This notebook does not run a contest: it reads the table that the benchmarks wrote
# ([how it was made](../benchmarks/results/rivals.md)), looks for the pattern in it, and tries the advice on one data set that
# had no part in it.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

import tripletree as tt
from tripletree.cluster import (
    ActiveClustering,
    BoostedConstrainedKMeans,
    ConstrainedCompleteLink,
    COPKMeans,
    CVQE,
    MPCKMeans,
    PCKMeans,
    ReCon,
    labels_oracle,
)

folder = next(p for p in (Path("benchmarks"), Path("../benchmarks")) if (p / "rivals.csv").exists())
table = pd.read_csv(folder / "rivals.csv")
F = table.pivot(index="method", columns="data", values="F").loc[table.method.unique(), table.data.unique()]

# %% [markdown]
# ## The same 200 pairs for everybody
#
# Pairwise F, mean of five draws, one setting for all. Methods that ask (below the line) were given 200 answers to questions of
# their own instead. Darker is better; a cross is a method that failed each time. A framed cell is within .02 of the
# best of its group.

# %%
asks = F.index.str.contains("asks|Active")
order = [*F.index[~asks], *F.index[asks]]
values = F.loc[order].to_numpy()
fig, ax = plt.subplots(figsize=(9.5, 7.2), layout="constrained")
ax.imshow(values, cmap="Blues", vmin=0.4, vmax=1.15, aspect="auto")
groups = (np.flatnonzero(~asks[np.argsort(asks, kind="stable")]), np.flatnonzero(asks[np.argsort(asks, kind="stable")]))
for rows in groups:
    best = np.nanmax(values[rows], axis=0)
    for i in rows:
        for j, v in enumerate(values[i]):
            ax.text(j, i, "×" if np.isnan(v) else f"{v:.2f}", ha="center", va="center", fontsize=9)
            if v >= best[j] - 0.02:
                ax.add_patch(plt.Rectangle((j - 0.46, i - 0.44), 0.92, 0.88, fill=False, lw=1.6))
ax.axhline(len(groups[0]) - 0.5, color="black", lw=2)
ax.set_xticks(range(F.shape[1]), F.columns, fontsize=9)
ax.set_yticks(range(len(order)), order, fontsize=9)
ax.tick_params(length=0)
ax.set_title("Pairwise F with 200 pairs, or 200 questions")
plt.show()

# %% [markdown]
# Four patterns:
#
# - **With pairs, learn a metric.** `MPCKMeans` is the best or near it on five of six:
#   features differ in what they say of the classes, and pairs tell which.
# - **Ionosphere is different**: one of its classes is scattered all around the other. No metric helps; complete linkage,
#   which hands cannot-links on to neighbours, does.
# - **Ask, if you can.** 200 chosen answers are worth far more than 200 random ones.
# - **Letters are many small clusters of one class**: whoever must end with four clusters has a hard time, and COBRAS, which
#   keeps as many as it finds, has not.
#
# ## Whether pairs hold
#
# Pairs broken, of 200. `COPKMeans`, `ReCon` and `ConstrainedCompleteLink` never break one; where they are wrong, that is
# the wrong property, and a price is better.

# %%
given = table[~table.method.str.contains("asks|Active|nothing")]
broken = given.pivot(index="method", columns="data", values="broken").loc[given.method.unique(), table.data.unique()]
print(broken.round(1).to_string())

# %% [markdown]
# ## The advice, tried
#
# The 8 x 8 digits of scikit-learn had no part in the table. Five of them, 900 samples, on twenty principal components; what is
# known is the same for all: the answers to 150 random questions, or as many chosen ones.

# %%
X, y = load_digits(n_class=5, return_X_y=True)
X = PCA(20).fit_transform(X)
k, seeds = 5, range(3)


def pairs(seed):
    return tt.sample_class_pairs(y, 150, random_state=seed)


ways = {
    "KMeans, nothing known": lambda s: KMeans(k, n_init=10, random_state=s).fit(X),
    "ReCon, average": lambda s: ReCon(k, linkage="average").fit(X, pairs=pairs(s)),
    "ConstrainedCompleteLink": lambda s: ConstrainedCompleteLink(k).fit(X, pairs=pairs(s)),
    "COPKMeans": lambda s: COPKMeans(k, random_state=s).fit(X, pairs=pairs(s)),
    "PCKMeans": lambda s: PCKMeans(k, random_state=s).fit(X, pairs=pairs(s)),
    "MPCKMeans": lambda s: MPCKMeans(k, random_state=s).fit(X, pairs=pairs(s)),
    "BoostedConstrainedKMeans": lambda s: BoostedConstrainedKMeans(k, random_state=s).fit(X, pairs=pairs(s)),
    "asks: ActiveClustering, CVQE": lambda s: ActiveClustering(CVQE(k), n_queries=150, random_state=s).fit(
        X, oracle=labels_oracle(y)
    ),
    "asks: ConstrainedCompleteLink": lambda s: ConstrainedCompleteLink(k, n_queries=150).fit(
        X, oracle=labels_oracle(y)
    ),
}
rows = {name: [tt.pairwise_f_score(y, way(s).labels_) for s in seeds] for name, way in ways.items()}
print(
    pd.DataFrame({"F": {n: np.mean(v) for n, v in rows.items()}, "least": {n: min(v) for n, v in rows.items()}})
    .round(3)
    .to_string()
)

# %% [markdown]
# ## Triplets instead
#
# The same samples with one and a half times as many triplets as samples, drawn at random (fewer often hurt, and
# `ReCon` warns): the clustering that keeps them, and k-means on a metric that was learned from them.

# %%
from tripletree.metrics import MahalanobisMetric

rows = []
for s in seeds:
    known = tt.sample_class_triplets(y, 3 * len(y) // 2, random_state=s)
    metric = MahalanobisMetric().fit(X, triplets=known)
    rows.append(
        {
            "ReCon": tt.pairwise_f_score(y, ReCon(k, linkage="average").fit(X, triplets=known).labels_),
            "k-means, learned metric": tt.pairwise_f_score(
                y, KMeans(k, n_init=10, random_state=s).fit(metric.transform(X)).labels_
            ),
        }
    )
print(pd.DataFrame(rows).mean().round(3).to_string())

# %% [markdown]
# ## In short
#
# | I have | take |
# |---|---|
# | a taxonomy, or triplets that are right | `DivisiveReCon(constraints="hard")`: all of them hold, and a hierarchy comes out; `ReCon` where they are complete |
# | triplets, some of them wrong | `DivisiveReCon(constraints="soft")`, or k-means on `MahalanobisMetric` |
# | class labels of some samples | `DivisiveReCon`, `MPCKMeans` |
# | doubts whether any of it helps | `evaluate_knowledge` ([notebook 10](10_does_my_knowledge_help.ipynb)) |
# | pairs that are right, clusters around centres | `MPCKMeans`; `COPKMeans` where none may be broken |
# | pairs that are right, clusters of any shape | `ReCon(linkage="single")` or `"average"`, `ConstrainedCompleteLink` |
# | pairs, some of them wrong | `PCKMeans`, `MPCKMeans`, `CVQE`, `BoostedConstrainedKMeans` |
# | somebody to ask | `ConstrainedCompleteLink(n_queries=...)`; `ActiveClustering` for large data and for clusters around centres |
# | the same objects again and again | `TemporalClustering` |
# | nothing but the data | scikit-learn |
