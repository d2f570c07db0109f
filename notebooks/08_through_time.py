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
# # 8. The same patients, year after year. Which clusters last, and who changes sides?
#
# Patients are measured at every visit, new ones come, some leave. Clustering each year by itself gives clusters unrelated
# to the clusters of the year before: their numbers mean nothing, and noise moves people around. This
# notebook follows clusters through time: windows over a table of visits, a price on clusters that move, what an
# expert says handed on to later years, and a picture of who goes where. The patients are made up, so that the truth
# is known.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import tripletree as tt
from tripletree.cluster import TemporalClustering

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "0.55"


def visits(seed=0, n=160, years=range(2016, 2024)):
    """Visits of n patients: three groups that drift, one patient in thirty changes sides in a year."""
    rng = np.random.default_rng(seed)
    centre = np.array([[24.0, 8.0], [29.0, 20.0], [36.0, 34.0]])  # body mass, pauses of breath an hour
    drift = np.array([[0.1, 0.4], [0.25, -0.8], [-0.3, -1.2]])
    group, joined = rng.integers(0, 3, n), rng.integers(years[0], years[-1], n) - rng.integers(0, 4, n)
    rows = []
    for year in years:
        moves = rng.random(n) < 1 / 30
        group = np.where(moves, rng.integers(0, 3, n), group)
        for i in np.flatnonzero((joined <= year) & (year < joined + 6)):
            for _ in range(rng.integers(1, 4)):
                day = pd.Timestamp(f"{year}-01-01") + pd.Timedelta(days=int(rng.integers(365)))
                body, pauses = centre[group[i]] + (year - years[0]) * drift[group[i]] + rng.normal(size=2) * [2.4, 5.5]
                rows.append((day, f"p{i:03}", body, pauses, group[i]))
    return pd.DataFrame(rows, columns=["date", "patient", "bmi", "pauses", "truth"])


table = visits()
truth = table.pop("truth")
scaled = table.assign(**{c: (table[c] - table[c].mean()) / table[c].std() for c in ("bmi", "pauses")})
print(table.head().to_string())
print(len(table), "visits of", table.patient.nunique(), "patients")

# %% [markdown]
# ## Windows of a year
#
# The table goes in as it is, with the names of the columns that hold the time and the patient. Several visits in a
# window count as their mean. Windows can overlap (`step`), which smooths as well.

# %%
model = TemporalClustering(3, window="365D", random_state=0).fit(scaled, times="date", objects="patient")
for snapshot in model.snapshots_:
    print(snapshot)

# %%
fig, ax = plt.subplots(figsize=(11, 4.6), layout="constrained")
tt.plot_transitions(model, ax=ax)
ax.set_title("Patients by cluster, from year to year")
plt.show()

# %% [markdown]
# A cluster keeps its number and its colour. Bands are patients who go on, stubs that fade are patients who come or leave.
# `transitions_` has the numbers; the last row and column stand for "not there":

# %%
names = [*(f"to {i}" for i in range(3)), "gone"]
print(pd.DataFrame(model.transitions_[3], index=["from 0", "from 1", "from 2", "new"], columns=names).to_string())

# %% [markdown]
# ## What the memory is worth
#
# Each year by itself, numbered by the patients it shares with the year before (`alpha=0`), against a price on centres
# that move. Too little memory follows the noise, too much of it misses that the groups do move. The agreement with the
# true groups is over all visits at once, so clusters that lose their numbers count as wrong.

# %%
alphas = (0.0, 0.2, 0.5, 0.8, 0.95)
rows = []
for alpha in alphas:
    scores, ways = [], []
    for seed in range(5):
        t = visits(seed)
        y = t.pop("truth")
        t[["bmi", "pauses"]] = (t[["bmi", "pauses"]] - t[["bmi", "pauses"]].mean()) / t[["bmi", "pauses"]].std()
        m = TemporalClustering(3, window="365D", alpha=alpha, random_state=0).fit(t, times="date", objects="patient")
        scores.append(adjusted_rand_score(y, m.labels_))
        ways.append(np.linalg.norm(np.diff(m.cluster_centers_, axis=0), axis=2).mean())
    rows.append({"alpha": alpha, "Rand index, adjusted": np.mean(scores), "way of a centre, a year": np.mean(ways)})
print(pd.DataFrame(rows).round(3).to_string(index=False))

# %% [markdown]
# ## What an expert says, handed on
#
# A doctor answers twelve questions a year about pairs of patients near the border. The windows are calendar years now:
# the year itself is the time (`table.date.dt.to_period("Y")` would do as well), and each different one is a snapshot.
# An answer is a must-link or a cannot-link from that year on, and counts half as much each year later: groups change,
# and old answers with them. In its own year, near neighbours inherit it, with less weight.

# %%
years = table.date.dt.year.to_numpy()
group_of = {(who, year): g for who, year, g in zip(table.patient, years.tolist(), truth, strict=True)}


def doctor(a, b, year):
    return group_of[a, year] == group_of[b, year]


data = {"times": years, "objects": table.patient}
X = scaled[["bmi", "pauses"]]
rows = []
for name, how in (
    ("nothing asked", {}),
    ("asked, forgotten", {"n_queries": 12, "fading": 0.0}),
    ("asked, fading by half", {"n_queries": 12}),
    ("asked, never fading", {"n_queries": 12, "fading": 1.0}),
    ("asked, fading, also backward", {"n_queries": 12, "backward": True}),
):
    scores = []
    for seed in range(3):
        m = TemporalClustering(3, random_state=seed, **how)
        m.fit(X, oracle=doctor if how else None, **data)
        scores.append(adjusted_rand_score(truth, m.labels_))
    pairs = np.mean([len(s.pairs) for s in m.snapshots_])
    rows.append({"doctor": name, "Rand index, adjusted": round(np.mean(scores), 3), "pairs a year": round(pairs, 1)})
print(pd.DataFrame(rows).to_string(index=False))

# %% [markdown]
# Answers are dear, and not lost: `answers_` holds them by year, also after a fit that was interrupted, and goes back in
# as `pairs`, into the same snapshots.

# %%
again = TemporalClustering(3, backward=True, random_state=0).fit(X, pairs=m.answers_, **data)
print(sum(map(len, m.answers_.values())), "answers,", [len(s.pairs) for s in again.snapshots_], "pairs a year")

# %% [markdown]
# The pairs that count in a year are in `snapshots_`: answers, old ones with what is left of their weight, and what
# neighbours inherited; and the ones that the clusters violate all the same:

# %%
last = m.snapshots_[-1]
print(last.pairs)
print(last.violated_pairs)
print([round(float(x), 3) for x in sorted(set(last.pairs.must_weights), reverse=True)[:4]])

# %% [markdown]
# ## Where the clusters went
#
# The centres of all years, dark to light, over the visits of the last one.

# %%
fig, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
final = years == years.max()
for cluster, (colour, mark) in enumerate(zip((BLUE, ORANGE, GREEN), "os^", strict=True)):
    rows = final & (m.labels_ == cluster)
    ax.scatter(X.bmi[rows], X.pauses[rows], s=14, marker=mark, color=colour, alpha=0.35, lw=0)
    way = m.cluster_centers_[:, cluster]
    ax.plot(*way.T, color=colour, lw=1.5)
    for t, place in enumerate(way):
        ax.plot(*place, mark, color=colour, ms=9, alpha=0.3 + 0.7 * t / len(way), mec="white")
    ax.annotate(str(int(years.min())), way[0], (7, 5), textcoords="offset points", fontsize=8)
ax.set(xlabel="body mass, scaled", ylabel="pauses of breath, scaled", title="Centres from the first year to the last")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What to take home
#
# - `alpha` is the price on change: 0 is each window by itself; .5, the default, weighs past and present alike.
# - Clusters keep their numbers, so a label means the same in every snapshot, and `transitions_` can be read.
# - Pairs are handed on with `fading`. What is said to hold for ever needs `fading=1`; what is known late can also be
#   used for earlier windows (`backward=True`).
