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
# # 6. Which of these three is the odd one out? A person answers, and clusters come of it
#
# Whether things belong together can often be told by somebody who looks at them, and looking costs time. This notebook
# asks a simulated person about pictures of handwritten digits, three at a time. It compares what the answers are worth
# with doing nothing and with other questions, has the person err and leave in the middle, and ends with five people, two
# of them unreliable.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import tripletree as tt
from tripletree.cluster import CVQE, ActiveClustering, OddOneOutClustering, labels_oracle
from tripletree.io import append_answer

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "0.55"
X, y = load_digits(return_X_y=True)
X, y = X[:500], y[:500]
X.shape

# %% [markdown]
# ## One hundred questions
#
# `OddOneOutClustering` shows the three samples whose answer it expects to change most. The person is a function of
# the three that returns the odd one, "alike" if all belong together, "different" if no two do, or None for "cannot
# say". This one knows the digits. Nobody says how many clusters there are.


# %%
def person(a, b, c):
    digits = [y[a], y[b], y[c]]
    if len(set(digits)) != 2:
        return "alike" if len(set(digits)) == 1 else "different"
    return next(x for x in (a, b, c) if digits.count(y[x]) == 1)


model = OddOneOutClustering(n_questions=100).fit(X, oracle=person)
print(f"{model.n_clusters_} clusters of {len(np.unique(y))} digits")
print("kinds of answers:", pd.Series([answer.kind for answer in model.answers_]).value_counts().to_dict())


fig = plt.figure(figsize=(8.5, 2.6))
shown = fig.subplots(2, 11, width_ratios=[1, 1, 1, 0.5, 1, 1, 1, 0.5, 1, 1, 1])
for ax in shown.flat:
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
for place, number in enumerate((0, 1, 20, 40, 60, 80)):
    answer = model.answers_[number]
    cards = shown[place // 3, 4 * (place % 3) :][:3]
    cards[1].set_title(f"{number + 1}: {answer.kind}", fontsize=10)
    for ax, x in zip(cards, answer.items, strict=True):
        ax.imshow(X[x].reshape(8, 8), cmap="Greys")
        if x == answer.odd:
            ax.spines[:].set(visible=True, color=ORANGE, linewidth=2.5)
plt.show()

# %% [markdown]
# ## What the answers are worth
#
# Beside them: doing nothing, which is k-means, told that there are ten clusters; trios drawn at random, with the same
# replies and the same method; pairs ("do these two belong together?") chosen by the same method; and pairs at the
# border between clusters, `ActiveClustering` with `CVQE`, told that there are ten. What is compared is the adjusted
# Rand index with the digits: 1 for the same clusters, 0 for chance.

# %%
asked = (0, 10, 25, 50, 75, 100)


def agree(labels):
    return adjusted_rand_score(y, labels)


def curve(model, oracle, choose=None):
    """Ask 100 questions one by one; the agreement with the digits and the number of clusters at some of them."""
    model.start(X)
    found = [(agree(model.labels_), model.n_clusters_)]
    for number in range(1, 101):
        question = choose() if choose else model.next_question()
        model.answer(oracle(*question), question)
        if number in asked:
            found.append((agree(model.labels_), model.n_clusters_))
    return pd.DataFrame(found, index=asked, columns=["agreement", "clusters"])


rng = np.random.default_rng(0)
pair_answer = labels_oracle(y)
curves = {
    "odd one out": curve(OddOneOutClustering(), person),
    "the same, pairs": curve(OddOneOutClustering(questions="pairs"), pair_answer),
    "random trios": curve(OddOneOutClustering(), person, lambda: rng.choice(len(X), 3, replace=False).tolist()),
}
border = ActiveClustering(CVQE(10), "border", n_queries=100, block_size=25, keep_labels=True, random_state=0)
border.fit(X, oracle=pair_answer)
nothing = np.mean([agree(KMeans(10, n_init=10, random_state=seed).fit_predict(X)) for seed in range(10)])
table = pd.DataFrame({name: found.agreement for name, found in curves.items()})
table["border pairs"] = pd.Series({r.n_asked: agree(r.labels) for r in border.history_})
print(f"k-means: {nothing:.3f}")
print(table.round(3).to_string(na_rep=""))
print("clusters of odd one out:", curves["odd one out"].clusters.to_dict())

# %%
fig, ax = plt.subplots(figsize=(6.8, 3.8), layout="constrained")
ax.axhline(nothing, color=GREY, ls=(0, (1, 2)))
ax.annotate("k-means, nothing asked", (100, nothing), (8, -2), textcoords="offset points", va="top", color=GREY)
for (name, scores), colour, mark in zip(table.items(), (BLUE, ORANGE, "#CC79A7", GREEN), "osv^", strict=True):
    scores = scores.dropna()
    ax.plot(scores.index, scores, color=colour, marker=mark, ms=5)
    ax.annotate(name, (100, scores.iloc[-1]), (8, 0), textcoords="offset points", va="center", color=colour)
ax.set(xlabel="questions answered", ylabel="adjusted Rand index", xlim=(-2, 145), ylim=(0.45, 1.02))
ax.set_xticks(range(0, 101, 25))
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# After 25 answers the odd ones out are ahead of everything else here after 100, but for pairs by the same method, which
# need two to three times as many questions. Before the first answer, clusters are groups of the features, as good as
# k-means here. After ten answers none of the three curves of `OddOneOutClustering` is higher. If you have only ten
# questions, ask none. Random trios are not worth asking here: after 100 they are hardly above the start.
#
# Are only those placed well that the person saw? Here are the others alone.

# %%
seen = {x for answer in model.answers_ for x in answer.items}
unseen = [x for x in range(len(X)) if x not in seen]
print(f"{len(seen)} of {len(X)} pictures shown")
print(f"the {len(unseen)} others: {adjusted_rand_score(y[unseen], model.labels_[unseen]):.3f}")

# %% [markdown]
# ## A person who errs
#
# Ten percent of the replies are wrong: any of the other four, each as likely.

# %%
rng = np.random.default_rng(0)


def tired(a, b, c):
    true = person(a, b, c)
    if rng.random() >= 0.1:
        return true
    others = [reply for reply in (a, b, c, "alike", "different") if reply != true]
    return others[rng.integers(len(others))]


model = OddOneOutClustering()
print(curve(model, tired).round(3).to_string())


def is_wrong(answer):
    return (answer.odd if answer.kind == "odd" else answer.kind) != person(*answer.items)


doubted = model.doubted_answers_
print(f"wrong answers: {sum(map(is_wrong, model.answers_))}; share assumed: {model.noise_:.3f}")
print(f"doubted: {len(doubted)}, of which wrong: {sum(map(is_wrong, doubted))}")

# %% [markdown]
# ## A person who leaves
#
# The answers are the whole state. `append_answer` puts each on the disk as it comes; `read_answers` reads them, and
# `start` or `fit` go on from there, with the same question that would have come next.

# %%
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "answers.jsonl"
    model = OddOneOutClustering().start(X)
    for _ in range(37):
        model.answer(person(*model.next_question("anna")), who="anna")
        append_answer(path, model.answers_[-1])
    print(path.read_text().splitlines()[1])
    again = OddOneOutClustering(n_questions=63).start(X, answers=tt.read_answers(path))
    print("same next question:", again.next_question("anna") == model.next_question("anna"))
    again.fit(X, oracle=person, answers=tt.read_answers(path))
print(f"{len(again.answers_)} answers, adjusted Rand index {agree(again.labels_):.3f}")

# %% [markdown]
# ## A real person
#
# Functions are for trials. For people there are two ways, and both write the file above, so that you can read it with
# `read_answers` whoever made it:
#
# - `tripletree ask digits.csv --images folder --who anna` opens a page in the browser with three cards, one key for
#   each answer. Several people can answer at once.
# - `tripletree.ask.widget(OddOneOutClustering(), X, answers="answers.jsonl", who="anna")` shows the same cards in a
#   notebook.
#
# Both need `pip install 'tripletree[ask]'`.
#
# ## A small crowd
#
# Five people sort animals, 60 trios each. Anna, Ben and Cleo go by kind, and one answer of ten is a slip. Dan does not
# look. Eve goes by where the animals live. Their answers are a table, as such studies leave it; `read_answers` takes a
# file or a data frame.

# %%
kind = tt.parse_newick("(((cow,dolphin),(hen,penguin)),((bee,beetle),(crab,shrimp)));")
home = tt.parse_newick("(((cow,hen),(bee,beetle)),((dolphin,penguin),(crab,shrimp)));")
rng = np.random.default_rng(0)
rows = []
for who in ("anna", "ben", "cleo", "dan", "eve"):
    for _ in range(60):
        trio = rng.choice(kind.leaves.labels, 3, replace=False).tolist()
        ((_, _, odd),) = tt.induce(home if who == "eve" else kind, [trio]).triplets
        if who == "dan" or rng.random() < 0.1:
            odd = rng.choice(trio)
        rows.append((who, *trio, odd))
answers = tt.read_answers(pd.DataFrame(rows, columns=["who", "a", "b", "c", "odd"]))
print(answers)
print("one hierarchy for all of them:", tt.is_consistent(answers.triplets()))

# %% [markdown]
# Whom can you believe? `agreement` holds each person against the others, against trees of the others' answers,
# and against the rest of the same person's answers.

# %%
found = tt.agreement(answers)
print(found)
print(found.to_frame()[["who", "with_others", "with_consensus", "with_own_hierarchy"]].round(2).to_string(index=False))

# %% [markdown]
# Dan is not far from chance, a third. Nor is Eve, but her answers predict each other: she has a criterion
# of her own. `aggregate_answers` finds the hierarchy together with a weight for each person.

# %%
common = tt.aggregate_answers(answers)
print(common)
print("weights:", dict(zip(common.people, common.weights.round(1).tolist(), strict=True)))
print("distance to the kinds:", tt.robinson_foulds(common.hierarchy, kind))
ax = tt.plot_dendrogram(common.named(), node_labels="names", title="Probability of each clade, %")
plt.show()

# %% [markdown]
# The weights of Dan and Eve are small, and the hierarchy is that of the kinds, whose clades nearly all sampled trees have.
#
# ## What to take home
#
# - Choose the questions: on these digits 25 chosen trios are worth more than 100 random ones.
# - Wrong answers cost little in the end, and most of those doubted are wrong: look at `doubted_answers_`.
# - This is one set; [benchmarks](../benchmarks/results/questions_asked.md) has twenty, with COBRAS beside it.
# - Keep the answers, with who gave them. `agreement` tells who guesses and who goes by another criterion.
