"""What files mean: small files as other packages read them, and samples that are known to an inner taxon only.

Nothing is timed. ``python benchmarks/bench_meaning.py peers`` or ``coarse``.
"""

import io
import sys
import tempfile
import warnings
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the files are the tests'

import numpy as np
import pandas as pd
from readings import DUMPS, LINEAGES, ONTOLOGIES, TREES

import tripletree as tt
from tripletree.cluster import DivisiveReCon


class Unrooted(Exception):
    """The package says that the tree has no root."""


# ---------------------------------------------------------------------- what a tree says: leaves, and clades as sets


def with_ours(reading):
    """Return leaves and triplets as tripletree has them."""
    with tempfile.TemporaryDirectory() as folder:
        read = tt.read_ontology if reading.ontology else tt.read_hierarchy
        h = read(reading.written(Path(folder)), **reading.options)
    if not getattr(h, "rooted", True):
        raise Unrooted
    leaves = list(map(str, h.leaves))
    said = [(a, b, c) for t in combinations(leaves, 3) for c in t for a, b in [[x for x in t if x != c]]]
    return leaves, {triplet for triplet, yes in zip(said, tt.displays(h, said), strict=True) if yes}


def by_clades(read):
    """Turn a function that reads leaves and clades into one that reads leaves and triplets."""

    def triplets(reading):
        leaves, clades = read(reading)
        found = set()
        for clade in clades:
            inside = [x for x in leaves if x in clade]
            outside = [x for x in leaves if x not in clade]
            found |= {(a, b, c) for a, b in combinations(inside, 2) for c in outside}
        return leaves, found

    return triplets


@by_clades
def ete3_tree(reading):
    import ete3

    tree = ete3.Tree(reading.text, format=1)
    return tree.get_leaf_names(), [{x.name for x in node} for node in tree.traverse()]


@by_clades
def dendropy_tree(reading):
    import dendropy

    kind = "nexus" if reading.name.endswith(".nex") else "newick"
    trees = dendropy.TreeList.get(data=reading.text, schema=kind)
    if len(trees) > 1:
        raise ValueError(f"{len(trees)} trees")
    if trees[0].is_rooted is False:
        raise Unrooted
    label = lambda node: node.taxon.label  # noqa: E731
    clades = [{label(x) for x in node.leaf_iter()} for node in trees[0].preorder_node_iter()]
    return [label(x) for x in trees[0].leaf_node_iter()], clades


@by_clades
def biopython_tree(reading):
    from Bio import Phylo

    tree = Phylo.read(io.StringIO(reading.text), "nexus" if reading.name.endswith(".nex") else "newick")
    if tree.rooted is False and "[&U]" in reading.text:
        raise Unrooted
    clades = [{x.name for x in clade.get_terminals()} for clade in tree.find_clades()]
    return [x.name for x in tree.get_terminals()], clades


@by_clades
def skbio_tree(reading):
    import skbio

    tree = skbio.TreeNode.read(io.StringIO(reading.text), format="newick", convert_underscores=False)
    clades = [{x.name for x in node.tips(include_self=True)} for node in tree.traverse()]
    return [x.name for x in tree.tips()], clades


@by_clades
def skbio_lineages(reading):
    import skbio

    lines = [line.split("\t") for line in reading.text.splitlines() if not line.startswith("Feature ID")]
    lineages = [(name, [x.strip() for x in path.split(";") if x.strip()]) for name, path in lines]
    tree = skbio.TreeNode.from_taxonomy(lineages)
    clades = [{x.name for x in node.tips(include_self=True)} for node in tree.traverse()]
    return [x.name for x in tree.tips()], clades


@by_clades
def pronto_terms(reading):
    import pronto

    ontology = pronto.Ontology(io.BytesIO(reading.text.encode()))
    below = {x.id: {y.id for y in x.subclasses() if y.is_leaf()} for x in ontology.terms()}
    return [x.id for x in ontology.terms() if x.is_leaf()], list(below.values())


@by_clades
def networkx_edges(reading):
    import networkx as nx

    rows = [line.split(",") for line in reading.text.splitlines()[1:]]
    graph = nx.DiGraph((parent, child) for child, parent in rows)
    leaves = [x for x in graph if not graph.out_degree(x)]
    if not nx.is_arborescence(graph):
        raise ValueError("no tree")
    return leaves, [nx.descendants(graph, x) & set(leaves) for x in graph]


@by_clades
def taxopy_dump(reading):
    import taxopy

    with tempfile.TemporaryDirectory() as folder:
        path = reading.written(Path(folder))
        parts = {f"{x}_dmp": str(path / f"{x}.dmp") for x in ("nodes", "names", "merged")}
        db = taxopy.TaxDb(taxdb_dir=folder, **parts)
        inner = {*db.taxid2parent.values(), *(db.oldtaxid2newtaxid or ())}  # old ids are no leaves
        leaves = [x for x in db.taxid2parent if x not in inner]
        above = {x: set(taxopy.Taxon(x, db).taxid_lineage) for x in leaves}
    return list(map(str, leaves)), [{str(x) for x in leaves if k in above[x]} for k in db.taxid2parent]


# ---------------------------------------------------------------------- the table


def verdict(reading, read):
    """Return a cell: right, or what is said and does not follow."""
    try:
        leaves, said = read(reading)
    except Unrooted:
        return "right" if not reading.certain and not reading.refused else "unrooted"
    except Exception:  # a refusal, in whatever words
        if reading.refused:
            return "refused"
        return "no NEXUS" if read in (ete3_tree, skbio_tree) and reading.name.endswith(".nex") else "cannot read it"
    wanted = set(reading.leaves.split())
    if wanted and set(leaves) != wanted:
        return f"{len(leaves)} leaves"
    same = {(frozenset(x.split(" | ")[0].split()), x.split(" | ")[1]) for x in reading.certain}
    found = {(frozenset([a, b]), c) for a, b, c in said}
    if reading.refused:
        return f"leaves {' '.join(leaves)}"
    false, missing = len(found - same), len(same - found)
    parts = [f"{false} false" if false else "", f"{missing} missing" if missing else ""]
    return ", ".join(x for x in parts if x) or "right"


def table(title, readings, peers):
    """Print a Markdown table."""
    print(f"| {title} | follows | {' | '.join(peers)} |\n|{'---|' * (len(peers) + 2)}")
    for reading in readings:
        follows = "refused" if reading.refused else f"{len(reading.certain)} triplet{'s' * (len(reading.certain) != 1)}"
        cells = [verdict(reading, read) for read in peers.values()]
        print(f"| {reading.kind} | {follows} | {' | '.join(cells)} |")
    print()


def peers():
    """Print what each package says of each file."""
    theirs = {"ete3": ete3_tree, "DendroPy": dendropy_tree, "Biopython": biopython_tree, "scikit-bio": skbio_tree}
    plain = [x for x in TREES if not x.options]  # what a file is, without anybody's help
    table("tree", plain, {"tripletree": with_ours, **theirs})
    table("lineages", LINEAGES, {"tripletree": with_ours, "scikit-bio": skbio_lineages})
    table("taxdump", DUMPS, {"tripletree": with_ours, "taxopy": taxopy_dump})
    obo = [x for x in ONTOLOGIES if x.name.endswith(".obo")]
    table("ontology", obo, {"tripletree": with_ours, "pronto": pronto_terms})
    rest = [x for x in ONTOLOGIES if x.name.endswith(".csv")]
    table("edges", rest, {"tripletree": with_ours, "networkx": networkx_edges})


# ---------------------------------------------------------------------- samples that are known to an inner taxon only

TAXONOMIES = {
    "plants": ("((robur,rubra)Quercus,(rubrum,saccharum)Acer)plants;", 40),
    "cells": (
        "((((CD4,CD8)T,NK)T_or_NK,(naive,memory)B)lymphoid,((classical,nonclassical)monocyte,(cDC,pDC)DC)myeloid)blood;",
        135,
    ),
    "shop": ("((shirt,trousers,socks)clothes,(pan,pot,knife)kitchen,((novel,poem)fiction,atlas)books)shop;", 135),
}


def samples(text, n, seed, coarse=0.3, spread=0.8):
    """Draw samples around means that walk down a taxonomy, and their labels, of which a share is those of parents."""
    rng = np.random.default_rng(seed)
    h = tt.parse_newick(text)
    mean, depth = np.zeros((h.n_nodes, 4)), np.zeros(h.n_nodes, int)
    for v in range(h.n_nodes - 2, -1, -1):
        depth[v] = depth[h.parent[v]] + 1
        mean[v] = mean[h.parent[v]] + rng.normal(size=4) * 3 * 0.6 ** depth[v]
    true = np.arange(n) % len(h.leaves)
    names = [f"x{i}" for i in range(n)]
    X = pd.DataFrame(mean[true] + rng.normal(size=(n, 4)) * spread, index=names)
    parents = [h.names[h.parent[i] - len(h.leaves)] for i in true]
    whose = set(rng.permutation(n)[: int(coarse * n)].tolist())
    labels = {x: parents[i] if i in whose else h.leaves[true[i]] for i, x in enumerate(names)}
    fine = {x: label for i, (x, label) in enumerate(labels.items()) if i not in whose}
    exchanged = dict(zip(labels, rng.permutation(list(labels.values())).tolist(), strict=True))
    return h, X, true, labels, fine, exchanged


def coarse(seeds=range(100, 112)):
    """Print F with nothing known, without the coarse labels, with them (open and as if exact), and exchanged."""
    columns = ("taxonomy", "nothing known", "without coarse labels", "with them", "as if exact", "exchanged")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, (text, n) in TAXONOMIES.items():
        rows = []
        for seed in seeds:
            h, X, true, labels, fine, exchanged = samples(text, n, seed)
            known = [None, h.attach(fine), h.attach(labels), h.attach(labels, exact=True), h.attach(exchanged)]
            models = [DivisiveReCon(len(h.leaves)).fit(X, hierarchy=k) for k in known]
            rows.append([tt.pairwise_f_score(true, model.labels_) for model in models])
        mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
        print(f"| {name} | " + " | ".join(f"{m:.3f}({e * 1000:.0f})" for m, e in zip(mean, error, strict=True)) + " |")


def main():
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or ["peers", "coarse"]:
        {"peers": peers, "coarse": coarse}[part]()


if __name__ == "__main__":
    main()
