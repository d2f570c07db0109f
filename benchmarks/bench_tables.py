"""Reading taxdumps, lineages and tables of edges beside plain splitting, taxopy, pandas with networkx, and scikit-bio.

Each reader runs in a process of its own: seconds are CPU seconds of the call, memory is the peak of the process.
"""

import tempfile
from pathlib import Path

import numpy as np
from _harness import Table, measured

OURS = "import tripletree as tt; tt.Hierarchy([2, 2, -1]).depth; from tripletree.io import {function}"
SPLIT = """
def split(folder):
    parent, rank, name = {}, {}, {}
    with open(folder + '/nodes.dmp', encoding='utf-8') as file:
        for line in file:
            fields = line.split('\\t|\\t')
            parent[fields[0]], rank[fields[0]] = fields[1], fields[2]
    with open(folder + '/names.dmp', encoding='utf-8') as file:
        for line in file:
            fields = line.rstrip('\\t|\\n').split('\\t|\\t')
            if fields[3] == 'scientific name':
                name[fields[0]] = fields[1]
    return parent
"""
GRAPH = """
import networkx as nx, pandas as pd
def graph(path):
    return nx.from_pandas_edgelist(pd.read_csv(path, dtype=str), 'parent', 'child', create_using=nx.DiGraph)
"""
BIO = """
from skbio import TreeNode
def bio(path):
    with open(path, encoding='utf-8') as file:
        pairs = [line.rstrip('\\n').split('\\t') for line in file]
    return TreeNode.from_taxonomy([(id, path.split('; ')) for id, path in pairs])
"""


def parents(n, rng):
    """A tree of n nodes of which nine in ten are leaves, the inner ones as in a random recursive tree."""
    inner = max(n // 10, 2)
    up = np.zeros(n, int)
    up[1:inner] = (rng.random(inner - 1) * np.arange(1, inner)).astype(int)
    up[inner:] = rng.integers(0, inner, n - inner)
    return up


def write_taxdump(folder, up, rng):
    ids = np.concatenate([[1], np.sort(rng.choice(2 * up.size, up.size - 1, replace=False)) + 2]).tolist()
    ranks = rng.choice(["species", "genus", "family", "no rank", "clade", "strain"], up.size).tolist()
    rest = "\t|\t".join(["", "8", *"0100000", "", ""])
    with open(folder / "nodes.dmp", "w") as nodes, open(folder / "names.dmp", "w") as names:
        for k, (p, id, rank) in enumerate(zip(up.tolist(), ids, ranks, strict=True)):
            nodes.write(f"{id}\t|\t{ids[p]}\t|\t{rank}\t|\t{rest}\t|\n")
            names.write(f"{id}\t|\tGenus{p} species sp. {k}\t|\t\t|\tscientific name\t|\n")
            names.write(f"{id}\t|\tcommon name {k}\t|\t\t|\tsynonym\t|\n")


def write_edges(path, up):
    with open(path, "w") as file:
        file.write("child,parent\n")
        file.writelines(f"taxon{k},taxon{p}\n" for k, p in enumerate(up.tolist()) if k)


def write_lineages(path, n, rng):
    ranks = "kpcofgs"
    sizes = [2, 40, 100, 300, 1_000, 5_000, 20_000]
    with open(path, "w") as file:
        for k, last in enumerate(rng.integers(0, sizes[-1], n).tolist()):
            taxon = "; ".join(f"{r}__{r}{last * size // sizes[-1]}" for r, size in zip(ranks, sizes, strict=True))
            file.write(f"feature{k}\t{taxon}\n")


def main():
    columns = [("file", 14), ("n", 9), ("reader", 22), ("s", 8), ("peak MB", 8), ("nodes", 9)]
    table = Table("Taxdumps, edges, lineages", columns)
    rng = np.random.default_rng(1)
    n = 2_000_000 if table.options.large else 100_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        up = parents(n, rng)
        write_taxdump(folder, up, rng)
        write_edges(folder / "edges.csv", up)
        write_lineages(folder / "lineages.tsv", n, rng)
        runs = [
            ("taxdump", "names", OURS.format(function="read_taxdump"), f"read_taxdump({name!r})"),
            ("taxdump", "ids", OURS.format(function="read_taxdump"), f"read_taxdump({name!r}, labels='id')"),
            ("taxdump", "plain splitting", SPLIT, f"split({name!r})"),
            (
                "taxdump",
                "taxopy",
                "import taxopy",
                f"taxopy.TaxDb(nodes_dmp={name + '/nodes.dmp'!r}, names_dmp={name + '/names.dmp'!r})",
            ),
            ("edges", "ours", OURS.format(function="read_edges"), f"read_edges({name + '/edges.csv'!r})"),
            ("edges", "pandas + networkx", GRAPH, f"graph({name + '/edges.csv'!r})"),
            ("lineages", "ours", OURS.format(function="read_lineages"), f"read_lineages({name + '/lineages.tsv'!r})"),
            ("lineages", "scikit-bio", BIO, f"bio({name + '/lineages.tsv'!r})"),
        ]
        sizes = {
            "plain splitting": "len(result)",
            "taxopy": "len(result.taxid2parent)",
            "pandas + networkx": "len(result)",
        }
        sizes["scikit-bio"] = "result.count()"
        for kind, reader, setup, call in runs:
            took, peak, nodes = measured(setup, call, sizes.get(reader, "result.n_nodes"))
            table.add(kind, n, reader, took, peak, nodes)
    table.done()


if __name__ == "__main__":
    main()
