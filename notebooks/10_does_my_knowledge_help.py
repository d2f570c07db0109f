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
# # 10. Does my knowledge help?
#
# The more you know, the better the clustering should be, and never worse than without. Is it? This notebook draws the
# curves on two data sets of different kinds, one table with classes and one simulated phylogeny, for three methods: plain
# Ward linkage, which uses no knowledge, `ReCon`, which merges the closest clusters that keep every triplet possible, and
# `DivisiveReCon`, which splits from the top by the votes of all triplets. Then it asks what can be asked without the
# truth.

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon

warnings.filterwarnings("ignore", category=UserWarning)  # ReCon warns where triplets are few: this is what we look at

# %% [markdown]
# ## Two sets
#
# The table: 178 wines, of which we use six measurements, so that the classes are not obvious. Its triplets are of the three
# cultivars.
#
# The phylogeny: 150 species come from one by random splits (Yule's model). Four traits take a random step on each branch, and
# are measured with some noise. Its triplets are of the tree; its classes are the eight oldest clades.


# %%
def yule(n, n_traits, noise, rng):
    """A random tree of n leaves, traits that moved along its branches, and the eight oldest clades."""
    parent, traits, tips, eight = [-1], [np.zeros(n_traits)], [0], None
    while len(tips) < n:
        node = tips.pop(rng.integers(len(tips)))
        for _ in range(2):
            parent.append(node)
            traits.append(traits[node] + rng.normal(size=n_traits))
            tips.append(len(parent) - 1)
        if len(tips) == 8:
            eight = list(tips)
    X = np.array([traits[tip] for tip in tips]) + rng.normal(scale=noise, size=(n, n_traits))
    children = {}
    for node, above in enumerate(parent):
        children.setdefault(above, []).append(node)
    text, clade = {}, {}
    for node in reversed(range(len(parent))):
        below = children.get(node, [])
        text[node] = f"({','.join(text[c] for c in below)})" if below else str(tips.index(node))
    for node in range(len(parent)):
        clade[node] = eight.index(node) if node in eight else clade.get(parent[node], -1)
    return X, tt.parse_newick(text[0] + ";"), np.array([clade[tip] for tip in tips])


X, y = load_wine(return_X_y=True)
sets = {"178 wines, three cultivars": (StandardScaler().fit_transform(X)[:, :6], None, y)}
sets["150 simulated species"] = yule(150, 4, 1.0, np.random.default_rng(0))

# %% [markdown]
# ## Curves against the truth
#
# Triplets are drawn at random from the truth, from none up to three for each sample; in the lower two rows, 10 % of them are wrong
# (c stands where b should). *Agreement* is the share of 2,000 other true triplets that the hierarchy displays, *purity* the
# dendrogram purity of the classes. Two draws each; lines are their means. The dotted line is plain linkage, where both
# other methods start.


# %%
def draw(truth, y, m, seed):
    """Triplets of the truth by row numbers, in random order."""
    if truth is None:
        rows = tt.sample_class_triplets(y, m, random_state=seed).rows
    else:
        rows = np.array([[int(x) for x in t] for t in tt.sample_triplets(truth, m, random_state=seed)])
    return np.random.default_rng(seed).permutation(rows)


def with_errors(rows, share, seed):
    wrong = np.random.default_rng(seed).random(len(rows)) < share
    rows = rows.copy()
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return rows


methods = {
    "ReCon": lambda X, t: ReCon(linkage="ward", on_conflict="repair").fit(X, triplets=t),
    "DivisiveReCon": lambda X, t: DivisiveReCon().fit(X, triplets=t),
}
amounts, draws = (0, 0.1, 0.3, 1, 3), range(2)


def curves(X, truth, y, share):
    """Agreement and purity: methods x amounts, means over the draws."""
    found = np.zeros((2, len(methods), len(amounts), len(draws)))
    for s in draws:
        most = draw(truth, y, round(amounts[-1] * len(y)) + 2000, s)
        unseen = tt.TripletSet(most[-2000:], len(y))
        given = with_errors(most[:-2000], share, s)
        for i, amount in enumerate(amounts):
            known = tt.TripletSet(given[: round(amount * len(y))], len(y))
            for j, fit in enumerate(methods.values()):
                tree = fit(X, known).hierarchy_
                found[:, j, i, s] = tt.displays(tree, unseen).mean(), tt.dendrogram_purity(tree, y)
    return found.mean(axis=3)


found = {(name, share): curves(*data, share) for name, data in sets.items() for share in (0, 0.1)}

# %%
fig, axes = plt.subplots(4, 2, figsize=(9, 12), layout="constrained", sharex=True)
styles = {"ReCon": ("#d55e00", "s"), "DivisiveReCon": ("#0072b2", "o")}
x = range(len(amounts))
for row, (share, measure) in enumerate([(0, 0), (0, 1), (0.1, 0), (0.1, 1)]):
    for ax, name in zip(axes[row], sets, strict=True):
        ax.axhline(found[name, share][measure, 0, 0], color="0.4", linestyle=":", label="plain Ward linkage")
        for j, method in enumerate(methods):
            color, marker = styles[method]
            ax.plot(x, found[name, share][measure, j], color=color, marker=marker, label=method)
        errors = "right triplets" if share == 0 else "10 % wrong"
        ax.set_title(f"{name}: {errors}", fontsize=10)
        ax.set_ylabel(("agreement", "purity")[measure])
        ax.set_ylim(0.1, 1.02)
        ax.grid(alpha=0.3)
for ax in axes[-1]:
    ax.set_xticks(x, amounts)
    ax.set_xlabel("triplets for each sample")
axes[0, 0].legend(loc="lower right")
plt.show()

# %% [markdown]
# - **Few triplets do not help `ReCon`.** On the wines, a tenth or a third of a triplet for each sample makes the tree worse than
#   none, although every one of them is right. It gains where the knowledge is nearly complete.
# - **Wrong triplets hurt it most in the middle:** at one for each sample they seldom contradict the others, so
#   repair finds few of them, and the rest are obeyed.
# - **`DivisiveReCon` starts to gain sooner** and is not below the plain tree anywhere in these pictures.
# - **Little knowledge is little.** The traits of the species say hardly anything (agreement .37 without knowledge, and chance is
#   .33). A tenth of a triplet for each species changes next to nothing there.
#
# ## Without the truth
#
# At home there is no truth. But knowledge can be hidden: `evaluate_knowledge` hides what is known of a fifth of the samples in
# turn, makes hierarchies with what is known of none, some and all of the others, and counts how many triplets on the hidden
# samples they display. The control is the same after hidden samples have exchanged their names. Here with one triplet for each
# sample, 10 % wrong: so are the hidden ones, and no hierarchy can be expected to display more than nine tenths of them.

# %%
for name, (X, truth, y) in sets.items():
    rows = with_errors(draw(truth, y, len(y), 0), 0.1, 0)
    report = tt.evaluate_knowledge(X, triplets=tt.TripletSet(rows, len(y)))
    print(f"{name}: {report.verdict}.\n{report}\n")

# %% [markdown]
# For another method, give it: `evaluate_knowledge(X, triplets=..., estimator=ReCon(linkage="ward", on_conflict="repair"))`.

# %%
for name, (X, truth, y) in sets.items():
    rows = with_errors(draw(truth, y, len(y), 0), 0.1, 0)
    model = ReCon(linkage="ward", on_conflict="repair")
    report = tt.evaluate_knowledge(X, triplets=tt.TripletSet(rows, len(y)), estimator=model)
    print(f"{name}: {report.verdict}, gain {report.gain:+.0%} (+-{report.gain_error:.0%})")

# %% [markdown]
# Triplets on hidden samples show without the truth what the curves above show with it: where a gain is small, the answer is
# that there is no clear difference.
