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
# # 4. I have an ontology and measurements of my samples. Which clustering respects both?
#
# The samples are the twenty amino acids, with four textbook measures each. What chemists say about them is an
# ontology: classes such as *aromatic* and *positively charged*, some of them within others, and an amino acid may
# belong to several. This notebook reads the ontology, hangs the samples under it, looks at what it is certain of,
# asks whether the measures agree, and clusters so that the ontology holds.

# %%
import io

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import ReCon

# %% [markdown]
# ## The ontology
#
# Ontologies come as OBO or OWL files (`tt.read_ontology("go.obo")`); this one is small enough to be written here. A
# term can have several parents: *aromatic* is here both below *large* and below *hydrophobic*.

# %%
TERMS = {
    "residue": [],
    "hydrophobic": ["residue"], "polar": ["residue"], "large": ["residue"],
    "aliphatic": ["hydrophobic"], "aromatic": ["hydrophobic", "large"], "sulphur": ["hydrophobic"],
    "charged": ["polar"], "uncharged": ["polar"], "small": ["uncharged"],
    "positive": ["charged", "large"], "negative": ["charged"], "amide": ["uncharged"], "hydroxyl": ["uncharged"],
}  # fmt: skip
text = "format-version: 1.2\n" + "".join(
    f"\n[Term]\nid: AA:{name}\nname: {name}\n" + "".join(f"is_a: AA:{parent}\n" for parent in parents)
    for name, parents in TERMS.items()
)
chemistry = tt.read_ontology(io.StringIO(text))
print(chemistry)
print(chemistry.parents("AA:aromatic"))

# %% [markdown]
# ## The samples hang under its terms
#
# The annotations are a table as databases give them: a sample, a term, and as many lines for a sample as it has terms.
# Tyrosine is aromatic and carries a hydroxyl group; histidine is aromatic and positive; so they get two.

# %%
CLASSES = {
    "aliphatic": "Ala Val Leu Ile", "aromatic": "Phe Tyr Trp His", "sulphur": "Cys Met", "positive": "Lys Arg His",
    "negative": "Asp Glu", "amide": "Asn Gln", "hydroxyl": "Ser Thr Tyr", "small": "Gly Ser Cys",
}  # fmt: skip
lines = [f"{who}\tAA:{name}" for name, members in CLASSES.items() for who in members.split()]
annotations = tt.read_annotations(io.StringIO("\n".join(lines)))
residues = chemistry.attach(annotations).restrict(annotations)
print(len(lines), "annotations of", len(annotations), "samples")
print(residues)

# %% [markdown]
# ## What is certain, and what depends on a choice
#
# With several parents a triplet can hold along one path and fail along another. The certain ones hold whichever parent
# is chosen. Choosing one parent for each term gives a tree, which says more, but part of it is the choice.

# %%
for reading, share in residues.resolution().items():
    print(f"{reading:<10}{share:.0%} of all triples of amino acids")
for a, b, c in [("Lys", "Arg", "Leu"), ("Tyr", "Phe", "Ser"), ("His", "Lys", "Phe")]:
    found = list(tt.induce(residues, [(a, b, c)]))[0]
    print(f"{a}, {b}, {c}:", "not certain" if found is None else "{} {} | {}".format(*found))

# %% [markdown]
# Tyrosine may go with phenylalanine (both aromatic) or with serine (both with a hydroxyl group), so nothing is
# certain about the three. `decompose` gives a smallest set of triplets that says all that is certain:

# %%
known = tt.decompose(residues)
print(known, "of", tt.count_triplets(residues), "certain triplets")
ax = tt.plot_dendrogram(tt.one_tree(known), title="What is certain, as a hierarchy", heights="level")
plt.show()

# %% [markdown]
# ## Do the measures agree?
#
# Volume of the residue in cubic ångström (Zamyatnin 1972), hydropathy (Kyte and Doolittle 1982), isoelectric point, and
# whether there is a ring. `describe` holds every triplet against the distances:

# %%
rows = """\
Ala 88.6 1.8 6.00 0;Arg 173.4 -4.5 10.76 0;Asn 114.1 -3.5 5.41 0;Asp 111.1 -3.5 2.77 0;Cys 108.5 2.5 5.07 0
Gln 143.8 -3.5 5.65 0;Glu 138.4 -3.5 3.22 0;Gly 60.1 -0.4 5.97 0;His 153.2 -3.2 7.59 1;Ile 166.7 4.5 6.02 0
Leu 166.7 3.8 5.98 0;Lys 168.6 -3.9 9.74 0;Met 162.9 1.9 5.74 0;Phe 189.9 2.8 5.48 1;Pro 112.7 -1.6 6.30 1
Ser 89.0 -0.8 5.68 0;Thr 116.1 -0.7 5.60 0;Trp 227.8 -0.9 5.89 1;Tyr 193.6 -1.3 5.66 1;Val 140.0 4.2 5.96 0"""
cells = [row.split() for row in rows.replace("\n", ";").split(";")]
measures = pd.DataFrame([x[1:] for x in cells], index=[x[0] for x in cells], dtype=float)
measures.columns = ["volume", "hydropathy", "pI", "ring"]
X = pd.DataFrame(StandardScaler().fit_transform(measures), index=measures.index, columns=measures.columns)
print(tt.describe(known, X))

# %% [markdown]
# Proline is in the table and in no class of the ontology. That is no obstacle: triplets name samples by their label, and a
# sample that none of them names is clustered by its measures alone.
#
# ## Clustering
#
# `ReCon` takes the closest merge that leaves all triplets satisfiable. Below, without and with what chemists say; the
# dots are triplets where they are satisfied, the crosses those that are not.

# %%
plain = ReCon(6, linkage="average").fit(X)
model = ReCon(6, linkage="average").fit(X, triplets=known)
fig, axes = plt.subplots(1, 2, figsize=(11, 5.4), layout="constrained")
for ax, m, name in zip(axes, (plain, model), ("the measures alone", "the measures and the ontology"), strict=True):
    tt.plot_dendrogram(m, triplets=known, ax=ax, heights="order")
    ax.set_title(f"{name}: {tt.triplet_score(m.hierarchy_, known):.0%} of {len(known)} triplets hold")
plt.show()

# %% [markdown]
# ## Was it worth it?
#
# Dayhoff (1978) grouped amino acids by how often evolution puts one in the place of another: six groups, found in
# neither the measures nor the ontology. How well do six clusters agree with them?

# %%
dayhoff = {who: k for k, group in enumerate(["AlaGlyProSerThr", "AspGluAsnGln", "HisLysArg", "IleLeuMetVal", "PheTrpTyr", "Cys"])
           for who in (group[i : i + 3] for i in range(0, len(group), 3))}  # fmt: skip
truth = [dayhoff[who] for who in X.index]
rows = []
for linkage in ("average", "ward", "complete", "centroid"):
    for name, triplets in (("measures", None), ("and ontology", known)):
        m = ReCon(6, linkage=linkage).fit(X, triplets=triplets)
        score = tt.pairwise_f_score(truth, m.labels_)
        purity = tt.dendrogram_purity(m.hierarchy_, truth)
        rows.append({"linkage": linkage, "from": name, "F of six clusters": score, "purity of the tree": purity})
print(pd.DataFrame(rows).round(2).to_string(index=False))

# %% [markdown]
# ## Only a part of the ontology
#
# Large ontologies say far more than anybody wants to impose. A part of it is a branch (`read_ontology(root=...)`), a
# random sample of triplets, or those that the measures contradict the most, which are the ones that change something:

# %%
some = tt.sample_triplets(residues, 30, random_state=0)
m = ReCon(6, linkage="average").fit(X, triplets=some)
print("30 at random:", f"{tt.triplet_score(m.hierarchy_, known):.0%} of all", len(known), "hold")
doubtful = known.subset(tt.suspects(known, X) > 0.5)
m = ReCon(6, linkage="average").fit(X, triplets=doubtful)
print(len(doubtful), "that the measures contradict:", f"{tt.triplet_score(m.hierarchy_, known):.0%} hold")

# %% [markdown]
# ## What to take home
#
# - `read_ontology`, `attach`, `decompose`, `ReCon`: four calls from an ontology and a table to a clustering that
#   respects it. Labels do the matching; samples without annotations are welcome.
# - Where terms have several parents, take what is certain, or choose a parent in the open (`to_hierarchy(parent=...)`).
# - Look first whether the data agree (`describe`). What contradicts them changes the clustering, for better or worse.
