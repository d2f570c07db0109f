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
# term can have several parents: the *negative* ones are charged, and also acids or amides of acids.

# %%
TERMS = {
    "residue": [],
    "hydrophobic": ["residue"], "polar": ["residue"], "tiny": ["residue"],
    "aliphatic": ["hydrophobic"], "aromatic": ["hydrophobic"],
    "charged": ["polar"], "acid_or_amide": ["polar"], "hydroxyl": ["polar"],
    "positive": ["charged"], "negative": ["charged", "acid_or_amide"], "amide": ["acid_or_amide"],
}  # fmt: skip
text = "format-version: 1.2\n" + "".join(
    f"\n[Term]\nid: AA:{name}\nname: {name}\n" + "".join(f"is_a: AA:{parent}\n" for parent in parents)
    for name, parents in TERMS.items()
)
chemistry = tt.read_ontology(io.StringIO(text))
print(chemistry)
print(chemistry.parents("AA:negative"))

# %% [markdown]
# ## The samples hang under its terms
#
# The annotations are a table as databases give them: a sample, a term, and as many lines for a sample as it has terms.
# Tyrosine is aromatic and carries a hydroxyl group; histidine is aromatic and positive; so they get two.

# %%
CLASSES = {
    "aliphatic": "Val Leu Ile Met", "aromatic": "Phe Tyr Trp His", "positive": "Lys Arg His", "negative": "Asp Glu",
    "amide": "Asn Gln", "hydroxyl": "Ser Thr Tyr", "tiny": "Gly Ala Ser Thr",
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
for a, b, c in [("Lys", "Arg", "Leu"), ("Tyr", "Phe", "Thr"), ("His", "Lys", "Phe")]:
    found = list(tt.induce(residues, [(a, b, c)]))[0]
    print(f"{a}, {b}, {c}:", "not certain" if found is None else "{} {} | {}".format(*found))

# %% [markdown]
# Tyrosine may go with phenylalanine (both aromatic) or with threonine (both with a hydroxyl group), so nothing is
# certain about the three. `decompose` gives a smallest set of triplets that says all that is certain:

# %%
known = tt.decompose(residues)
print(known, "of", tt.count_triplets(residues), "certain triplets")
ax = tt.plot_dendrogram(tt.one_tree(known), title="What is certain, as a hierarchy", heights="level")
plt.show()

# %% [markdown]
# ## Do the measures agree?
#
# Two are at hand: the volume of the residue in cubic ångström (Zamyatnin 1972), and its hydropathy, high for amino acids that
# shun water (Kyte and Doolittle 1982). `describe` holds every triplet against the distances:

# %%
rows = """\
Ala 88.6 1.8 6.00;Arg 173.4 -4.5 10.76;Asn 114.1 -3.5 5.41;Asp 111.1 -3.5 2.77;Cys 108.5 2.5 5.07
Gln 143.8 -3.5 5.65;Glu 138.4 -3.5 3.22;Gly 60.1 -0.4 5.97;His 153.2 -3.2 7.59;Ile 166.7 4.5 6.02
Leu 166.7 3.8 5.98;Lys 168.6 -3.9 9.74;Met 162.9 1.9 5.74;Phe 189.9 2.8 5.48;Pro 112.7 -1.6 6.30
Ser 89.0 -0.8 5.68;Thr 116.1 -0.7 5.60;Trp 227.8 -0.9 5.89;Tyr 193.6 -1.3 5.66;Val 140.0 4.2 5.96"""
cells = [row.split() for row in rows.replace("\n", ";").split(";")]
table = pd.DataFrame([x[1:] for x in cells], index=[x[0] for x in cells], dtype=float)
table.columns = ["volume", "hydropathy", "isoelectric point"]
scaled = pd.DataFrame(StandardScaler().fit_transform(table), index=table.index, columns=table.columns)
X = scaled[["volume", "hydropathy"]]
print(tt.describe(known, X))

# %% [markdown]
# Cysteine and proline are in the table and in no class of the ontology. That does no harm: triplets name samples by
# their label, and a sample that none of them names is clustered by its measures alone.
#
# ## Clustering
#
# `ReCon` takes the closest merge that leaves all triplets satisfiable. Below, without and with what chemists say; the
# dots are triplets where they are satisfied, the crosses where they are not.

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
# Dayhoff (1978) grouped amino acids by how often evolution puts one in the place of another: six groups, made from
# neither the measures nor the ontology. How well do six clusters agree with them?

# %%
GROUPS = ["Ala Gly Pro Ser Thr", "Asp Glu Asn Gln", "His Lys Arg", "Ile Leu Met Val", "Phe Trp Tyr", "Cys"]
group_of = {who: k for k, group in enumerate(GROUPS) for who in group.split()}
truth = [group_of[who] for who in X.index]


def agreement(measures, triplets, linkage):
    """Pairwise F of six clusters, and the purity of the whole hierarchy."""
    m = ReCon(6, linkage=linkage).fit(measures, triplets=triplets)
    return tt.pairwise_f_score(truth, m.labels_), tt.dendrogram_purity(m.hierarchy_, truth)


rows = {}
for measures, many in ((X, "two measures"), (scaled, "and the isoelectric point")):
    for linkage in ("average", "ward", "complete", "centroid"):
        found = [x for triplets in (None, known) for x in agreement(measures, triplets, linkage)]
        rows[many, linkage] = dict(
            zip(("F alone", "purity alone", "F, ontology", "purity, ontology"), found, strict=True)
        )
print(pd.DataFrame(rows).T.round(2).to_string())

# %% [markdown]
# With two measures the ontology turns a poor clustering into a good one. With the isoelectric point as well it does not,
# but for complete linkage: where the data and the ontology disagree nothing tells who is right, and that a triplet
# holds does not make the rest of the hierarchy better. So compare, where there is something to compare with.
#
# ## Only a part of the ontology
#
# Large ontologies say far more than anybody wants to impose. A part of it is a branch (`read_ontology(root=...)`), a
# random sample of triplets, or the triplets that the plain clustering breaks. Here the last are enough for the others
# to hold as well; in general they need not be:

# %%
some = tt.sample_triplets(residues, 30, random_state=0)
m = ReCon(6, linkage="average").fit(X, triplets=some)
print("30 at random:", f"{tt.triplet_score(m.hierarchy_, known):.0%} of all", len(known), "hold")
broken = known.subset(~tt.displays(plain.hierarchy_, known))
m = ReCon(6, linkage="average").fit(X, triplets=broken)
print(len(broken), "that the plain clustering breaks:", f"{tt.triplet_score(m.hierarchy_, known):.0%} hold")

# %% [markdown]
# ## What to take home
#
# - `read_ontology`, `attach`, `decompose`, `ReCon`: four calls from an ontology and a table to a clustering that
#   respects it. Labels do the matching; samples without annotations are welcome.
# - Where terms have several parents, take what is certain, or choose a parent in the open (`to_hierarchy(parent=...)`).
# - Look first whether the data agree (`describe`). What contradicts them changes the clustering, for better or worse.
