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
# # 2. Can my constraints hold at all? And if not, which of them clash, and why?
#
# Constraints come from people, and people err. Before anything is clustered it is worth asking whether a hierarchy exists
# that displays all triplets. This notebook takes ten statements about animals that contradict each other,
# finds out which, explains it, draws it, mends the set, and shows how to refuse a contradiction the moment it is said.

# %%
import io

import matplotlib.pyplot as plt
import networkx as nx

import tripletree as tt
from tripletree.interop import to_networkx, to_tree
from tripletree.plots import aho_graph

# %% [markdown]
# ## Ten statements about animals
#
# `dolphin cow | herring` says that dolphin and cow are closer to each other than either is to the
# herring. Ten such lines, as somebody may have written them down:

# %%
text = """\
# who is close to whom
dolphin cow | herring
dolphin tuna | cow
tuna herring | seal
seal wolf | tuna
wolf cow | frog
frog mouse | herring
mouse wolf | frog
cow wolf | tuna
herring tuna | frog
frog wolf | herring
"""
given = tt.read_triplets(io.StringIO(text))
tt.is_consistent(given)

# %% [markdown]
# No hierarchy displays all ten. `find_conflict` looks for as few of them as possible that cannot
# hold together, and says why, with the lines of the file:

# %%
conflict = tt.find_conflict(given)
print(conflict)

# %% [markdown]
# That is as short as it gets here (`conflict.smallest` is true). The picture shows the same: each
# line between two animals is a triplet that keeps them together, with the third one beside it. A
# first split of these animals would have to cut one of the lines, and none may be cut.

# %%
ax = tt.plot_conflict(conflict)
plt.show()

# %% [markdown]
# There may be more than one conflict. Conflicts that share no triplet are independent: at least one
# triplet of each has to go.

# %%
for clash in tt.find_conflicts(given, 10):
    print(len(clash), "triplets,", clash.places)

# %% [markdown]
# Which one to drop is for the author to say: that the dolphin goes with the tuna, in line 3, was
# said by somebody who looked at fins. Where nobody can be asked, `repair` drops as little as it
# can; on sets as small as this it is exact.

# %%
mended = tt.repair(given)
print(mended)
for k, (a, b, c) in enumerate(mended.dropped):
    print(f"dropped: {a} {b} | {c}, {mended.dropped.origins[k]}")

# %%
ax = tt.plot_dendrogram(mended.hierarchy, triplets=given, title="What is left, and what it does not display")
plt.show()

# %% [markdown]
# `TripletBuilder` takes triplets one at a time and refuses a contradiction the moment it is said.
# A form that asks people would use it:

# %%
builder = tt.TripletBuilder(given.leaves)
for line, (a, b, c) in enumerate(
    [("cow", "dolphin", "herring"), ("dolphin", "tuna", "cow"), ("cow", "tuna", "dolphin")], 1
):
    print(f"answer {line}: {a} {b} | {c}:", "taken" if builder.try_add((a, b, c)) else "contradicts the others")

# %% [markdown]
# ## Why a set can hold
#
# The same graph shows why a set is consistent. Leaves are tied where a triplet keeps them together; the parts that are
# left apart are the first split of the hierarchy, and each part is split again. Below, the graph of all that was kept
# at the root, and the one inside its largest part:

# %%
kept = mended.kept
fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
tt.plot_aho_graph(kept, ax=axes[0])
axes[0].set_title("All animals: two parts")
root = mended.hierarchy
parts = sorted((root.clade(c) for c in root.children(root.root)), key=len)
tt.plot_aho_graph(kept, parts[-1], ax=axes[1])
axes[1].set_title("Within the larger part")
plt.show()

# %% [markdown]
# ## From ete3 and networkx, and back
#
# `to_tree` makes a tree of ete3 (or of ete4, DendroPy, scikit-bio, Biopython) of a hierarchy or a fitted model. The
# other way needs no call: wherever a hierarchy is taken, such a tree is taken as it is, and a directed graph of networkx
# as well. Here ete3 prunes the tree, and we ask the rest of it for its triplets:

# %%
tree = to_tree(mended.hierarchy)
print(tree)
tree.prune(["cow", "dolphin", "tuna", "herring"])
print()
for a, b, c in tt.decompose(tree):
    print(f"{a} {b} | {c}")

# %%
graph = to_networkx(mended.hierarchy, keys="label")
print(f"{graph}. It displays {tt.displays(graph, given).sum()} of {len(given)} triplets")

# %% [markdown]
# The Aho graph is a graph of networkx, too, so all that networkx has is at hand. Its connected components are the parts
# of the first split:

# %%
aho = aho_graph(kept)
print([sorted(part) for part in nx.connected_components(aho)])

# %% [markdown]
# ete3 draws by Qt, which it does not install: `pip install PyQt5`. Without it `from ete3 import TreeStyle` fails, and
# without a screen Qt ends the process unless the environment has `QT_QPA_PLATFORM=offscreen`.
# `tt.plot_dendrogram` needs neither.

# %% [markdown]
# ## What to take home
#
# - **Ask first whether they can hold**: `is_consistent`, or `tripletree check my_triplets.txt`.
# - Small conflicts explain themselves, with their lines: `find_conflict`, `tripletree explain my_triplets.txt`.
# - Which statement is wrong is for their author to say. `repair` drops as little as can be; weights say whom you trust
#   more.
# - Take answers one at a time with `TripletBuilder`, and nothing ever clashes.
# - Hundreds of noisy answers clash in ways that nobody can read: [07](07_noise_and_repair.ipynb) is about them.
