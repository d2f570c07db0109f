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
# # 6. An expert answers a hundred questions. Which ones should they be?
#
# Whether two samples belong together can often be told by somebody who looks at them, and looking costs time. This
# notebook asks an expert 100 questions about tumours: drawn at random, and chosen at the border between clusters.
# It compares where the questions lie and what each is worth, tries the other strategies, and ends with an expert who
# errs and one who leaves in the middle.

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import ActiveClustering, CVQE, labels_oracle

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "0.55"
X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
X.shape

# %% [markdown]
# ## One hundred questions, ten at a time
#
# `ActiveClustering` clusters, asks a block of ten questions, hands the answers on to near neighbours with less weight,
# and clusters again from the centres it had. The expert is a function of two samples; here one that knows the
# diagnoses. A function that asks a person would be
# `lambda a, b: input(f"{a} and {b} the same? ") == "y"`.

# %%
expert = labels_oracle(y)


def ask(strategy, seed, **how):
    model = ActiveClustering(CVQE(2, n_init=5), strategy, n_queries=100, random_state=seed, keep_labels=True, **how)
    return model.fit(X, oracle=expert)


def curve(model):
    """The agreement with the diagnoses after each block."""
    return [normalized_mutual_info_score(y, r.labels) for r in model.history_]


runs = {name: [ask(name, seed) for seed in range(5)] for name in ("border", "random")}
fig, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
asked = [r.n_asked for r in runs["border"][0].history_]
for (name, models), colour, mark in zip(runs.items(), (BLUE, ORANGE), "os", strict=True):
    scores = np.array([curve(m) for m in models])
    mean, spread = scores.mean(axis=0), scores.std(axis=0)
    ax.fill_between(asked, mean - spread, mean + spread, color=colour, alpha=0.15, lw=0)
    ax.plot(asked, mean, color=colour, marker=mark, ms=5)
    ax.annotate(
        f"{name} questions", (asked[-1], mean[-1]), (6, 0), textcoords="offset points", va="center", color=colour
    )
ax.set(xlabel="questions answered", ylabel="NMI with the diagnoses", xlim=(-2, 135), ylim=(0.5, 1))
ax.set_xticks(range(0, 101, 20))
ax.set_title("The same number of answers, mean and deviation of five runs")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## Where the questions lie
#
# In the plane of the two main components: each line is a question, solid where the answer was "together". Random
# questions span the whole cloud, and most of their answers the clusters could have given themselves. Those of
# `border` have their ends where the clusters meet, and every second answer is news.

# %%
plane = PCA(2).fit_transform(X)
fig, axes = plt.subplots(1, 2, figsize=(11, 4.4), sharex=True, sharey=True, layout="constrained")
for ax, (name, models) in zip(axes, runs.items(), strict=True):
    model = models[0]
    start = model.history_[0].labels
    for cluster, mark in enumerate("o^"):
        ax.scatter(*plane[start == cluster].T, s=14, marker=mark, color="0.82", lw=0)
    for a, b, together in model.queries_:
        ax.plot(*plane[[a, b]].T, color=BLUE if together else ORANGE, ls="-" if together else (0, (2, 1)), lw=1.2)
    wrong = sum((start[a] == start[b]) != together for a, b, together in model.queries_)
    ax.set_title(f"{name}: {wrong} of 100 answers say other than the first clusters")
    ax.set(xticks=[], yticks=[], xlim=(-6, 13), ylim=(-8, 9))
axes[0].plot([], [], color=BLUE, label="together")
axes[0].plot([], [], color=ORANGE, ls=(0, (2, 1)), label="apart")
axes[0].legend(loc="upper right", frameon=False)
plt.show()

# %% [markdown]
# ## Other strategies
#
# `explore` first looks for one sample of each cluster and then places samples in these neighbourhoods, `minmax` places
# the sample that is hardest to tell, `npu` the one a random forest is least sure of, `huang` the one whose cluster
# is least sure. A strategy of your own needs one method, `query(state, n)`, that returns pairs of row numbers.

# %%
rows = []
for name in ("random", "explore", "minmax", "huang", "border"):
    found = [ask(name, seed) for seed in range(3)]
    at = {m: np.mean([curve(model)[m // 10] for model in found]) for m in (0, 20, 50, 100)}
    rows.append({"strategy": name, **{f"NMI, {m} asked": round(v, 3) for m, v in at.items()}})
print(pd.DataFrame(rows).to_string(index=False))

# %% [markdown]
# ## An expert who errs
#
# Ten percent of the answers are wrong. Contradictions among them are found as soon as they arise, and reported with the
# answers that clash; the answers stay, as `CVQE` takes each pair for a price and not for a law. Strategies that ask
# only what does not follow yet cannot catch an error: no answer of theirs contradicts another. Random ones can.

# %%
rng = np.random.default_rng(0)


def tired(a, b):
    return expert(a, b) != (rng.random() < 0.1)


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    few = X[:40]
    model = ActiveClustering(CVQE(2), "random", n_queries=100, random_state=0).fit(few, oracle=tired)
print(len(model.contradictions_), "contradictions; the first:")
print(model.contradictions_[0])
print("violated in the end:", tt.evaluation.violated_pairs(model.labels_, model.pairs_))

# %% [markdown]
# ## An expert who leaves
#
# After 37 answers the telephone rings. The answers are on the estimator, and the next fit goes on from there.

# %%
left = iter(range(37))


def busy(a, b):
    if next(left, None) is None:
        raise KeyboardInterrupt
    return expert(a, b)


model = ActiveClustering(CVQE(2, n_init=5), n_queries=100, random_state=0)
try:
    model.fit(X, oracle=busy)
except KeyboardInterrupt:
    print(len(model.queries_), "answers kept")
model.set_params(n_queries=63).fit(X, pairs=model.pairs_, oracle=expert)
print(len(model.pairs_), "pairs known, NMI", round(normalized_mutual_info_score(y, model.labels_), 3))

# %% [markdown]
# ## What to take home
#
# - An answer is worth the more, the less the clusters could have given it themselves: questions at the border are.
# - Which strategy is best depends on the data ([benchmarks](../benchmarks/README.md) has five sets); all beat no
#   questions, and a good one needs a fraction of the random ones.
# - `ConstrainedCompleteLink(n_queries=...)` asks in its own way, at the last merges of a hierarchy, and keeps every answer.
