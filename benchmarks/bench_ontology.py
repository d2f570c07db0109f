"""Ontologies: reading triplets off graphs, their dominators, one tree of them; beside networkx.

Gene Ontology and WordNet are looked for where Debian puts them (r-bioc-go.db, wordnet-base) and in TRIPLETREE_DATA.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import networkx as nx
import numpy as np
from _harness import Table, cpu_seconds

import tripletree as tt
from tripletree.core.ontology import Ontology

WANTED = 300_000


def place(name, installed):
    places = [Path(installed), Path(os.environ.get("TRIPLETREE_DATA", ".")) / name]
    return next((path for path in places if path.is_file()), None)


def gene_ontology(part, relations):
    path = place("GO.sqlite", "/usr/lib/R/site-library/GO.db/extdata/GO.sqlite")
    if path is None:
        return None
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        rows = db.execute(f"select _id, _parent_id, relationship_type from go_{part}_parents").fetchall()
    at = {}
    edges = [(at.setdefault(a, len(at)), at.setdefault(b, len(at))) for a, b, _ in rows]
    return Ontology(at, edges, relations=[kind for *_, kind in rows]).select(relations=relations)


def wordnet():
    path = place("data.noun", "/usr/share/wordnet/data.noun")
    if path is None:
        return None
    at, found = {}, []
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith("  "):
            continue
        words = line.split(" | ")[0].split()
        at[words[0]] = len(at)
        first = 5 + 2 * int(words[3], 16)
        found += [(words[0], words[k + 1]) for k in range(first, len(words), 4) if words[k] in ("@", "@i")]
    return Ontology(at, [(at[a], at[b]) for a, b in found])


def random_ontology(n, several, rng):
    """A random recursive tree of n terms, with a second parent, close to the first, for a share of them."""
    child = np.arange(1, n)
    first = rng.integers(0, child)
    edges = np.stack([child, first], axis=1)
    more = child[rng.random(n - 1) < several]
    second = np.maximum(first[more - 1] - rng.integers(1, 50, more.size), 0)
    return Ontology(range(n), np.concatenate([edges, np.stack([more, second], axis=1)]))


def rows_of(table, name, o):
    edges, kinds = o.edges.copy(), o.relations
    graph = nx.DiGraph()
    graph.add_edges_from((p, c) for c, p in edges.tolist())
    graph.add_edges_from(("above all", o.terms.index(x)) for x in o.roots)
    repeat = 3 if o.n_terms < 500_000 else 1
    build, _ = cpu_seconds(lambda: Ontology(o.terms, edges, relations=kinds), repeat=repeat)
    peer = None
    if o.n_terms < 500_000:
        peer, _ = cpu_seconds(lambda: list(nx.topological_sort(graph)), repeat=1)
    table.add(name, o.n_terms, "construct", build, peer, None if peer is None else peer / build, len(edges))

    def fresh():
        o.__dict__.pop("_dominance", None)
        return o._dominance.reach

    seconds, reach = cpu_seconds(fresh, repeat=repeat)
    if o.n_terms < 500_000:
        peer, _ = cpu_seconds(lambda: nx.immediate_dominators(graph, "above all"), repeat=1)
    table.add(name, o.n_terms, "dominators, what is below", seconds, peer, peer and peer / seconds, len(reach[1]))
    rng = np.random.default_rng(0)
    triples = rng.integers(0, len(o.leaves), (WANTED, 3), dtype=np.int32)
    a, b, c = triples.T
    triples = triples[(a != b) & (a != c) & (b != c)]
    seconds, found = cpu_seconds(lambda: tt.induce(o, triples), repeat=repeat)
    table.add(name, o.n_terms, "induce 300,000", seconds, None, None, int(found.resolved.sum()))
    seconds, share = cpu_seconds(o.resolution, repeat=repeat)
    table.add(name, o.n_terms, "resolution, certain", seconds, None, None, f"{share['certain']:.2%}")
    size = min(100_000, tt.count_triplets(o))
    seconds, found = cpu_seconds(lambda: tt.sample_triplets(o, size, random_state=0), repeat=repeat)
    table.add(name, o.n_terms, "sample 100,000", seconds, None, None, len(found))
    for parent in ("first", "deepest", "smallest"):
        seconds, _ = cpu_seconds(lambda parent=parent: o.to_hierarchy(parent=parent), repeat=repeat)
        table.add(name, o.n_terms, f"one tree, {parent}", seconds, None, None, f"{share[parent]:.2%}")
    try:
        seconds, size = cpu_seconds(lambda: tt.algorithms.decomposition_size(o), repeat=1)
        table.add(name, o.n_terms, "decomposition size", seconds, None, None, size)
    except tt.errors.LimitExceededError:
        table.add(name, o.n_terms, "decomposition size", None, None, None, "over 50 million")


def main():
    columns = [
        ("ontology", 22),
        ("terms", 9),
        ("what", 26),
        ("seconds", 9),
        ("networkx", 9),
        ("times", 7),
        ("found", 12),
    ]
    table = Table("Ontologies", columns)
    real = {
        "GO-BP is_a": lambda: gene_ontology("bp", ["isa"]),
        "GO-BP is_a, part_of": lambda: gene_ontology("bp", ["isa", "part of"]),
        "GO-MF is_a": lambda: gene_ontology("mf", ["isa"]),
        "GO-CC is_a": lambda: gene_ontology("cc", ["isa"]),
        "WordNet nouns": wordnet,
    }
    for name, read in real.items():
        o = read()
        if o is None:
            print(f"{name}: no file, left out")
        else:
            rows_of(table, name, o)
    rng = np.random.default_rng(0)
    rows_of(table, "random, 5 % several", random_ontology(200_000, 0.05, rng))
    if table.options.large:
        rows_of(table, "random, 1 % several", random_ontology(2_000_000, 0.01, rng))
        rows_of(table, "random tree", random_ontology(2_000_000, 0.0, rng))
    table.done()


if __name__ == "__main__":
    main()
