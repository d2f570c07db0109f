"""Reading and writing Newick and triplet files, beside scikit-bio and DendroPy; the cost of importing the package."""

import io
import subprocess
import sys
import tempfile
from pathlib import Path

import dendropy
import numpy as np
import pyarrow
from _harness import Table, cpu_seconds
from examples import caterpillar, yule
from skbio import TreeNode

import tripletree as tt

rng = np.random.default_rng(1)


def skbio_read(text):
    return TreeNode.read(io.StringIO(text), convert_underscores=False)


def newick_rows(table, sizes):
    for shape, make in (("yule", lambda n: yule(n, rng)), ("caterpillar", caterpillar)):
        for n in sizes:
            h = make(n)
            h = tt.Hierarchy(h.parent, [f"leaf_{i}" for i in range(n)])
            write, text = cpu_seconds(lambda h=h: tt.write_newick(h))
            read, again = cpu_seconds(lambda text=text: tt.parse_newick(text))
            assert again == h
            bio = dendro = None
            if n <= 100_000:
                bio, _ = cpu_seconds(lambda text=text: skbio_read(text), repeat=1)
                if shape != "caterpillar":  # DendroPy recurses
                    dendro, _ = cpu_seconds(lambda text=text: dendropy.Tree.get(data=text, schema="newick"), repeat=1)
            ratios = [None if peer is None else peer / read for peer in (bio, dendro)]
            table.add(f"newick {shape}", n, read, write, bio, ratios[0], dendro, ratios[1])


def triplet_rows(table, m):
    h = yule(10_000, rng)
    t = tt.sample_triplets(tt.Hierarchy(h.parent, [f"leaf_{i}" for i in range(10_000)]), m, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".txt", ".csv", ".parquet"):
            path = Path(folder) / f"triplets{suffix}"
            write, _ = cpu_seconds(lambda path=path: tt.write_triplets(t, path), repeat=1)
            read, again = cpu_seconds(lambda path=path: tt.read_triplets(path), repeat=1)
            assert len(again) == len(t)
            table.add(f"triplets {suffix}", m, read, write, None, None, None, None)


def table_rows(table, m):
    """Whole numbers in Parquet, Arrow and pandas: read by whole columns, and in batches that are scored one by one."""
    n = 100_000
    leaves = np.stack([rng.integers(n, size=m), rng.integers(n, size=m), rng.integers(n, size=m)], axis=1)
    leaves = leaves[(leaves[:, 0] != leaves[:, 1]) & (leaves[:, 0] != leaves[:, 2]) & (leaves[:, 1] != leaves[:, 2])]
    arrow = pyarrow.table({x: leaves[:, k] for k, x in enumerate("abc")})
    h = yule(n, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.parquet"
        t = tt.read_triplets(arrow)
        write, _ = cpu_seconds(lambda: tt.write_triplets(t, path), repeat=1)
        sources = {"Parquet": path, "Arrow": arrow, "pandas": arrow.to_pandas()}
        for name, source in sources.items():
            read, again = cpu_seconds(lambda source=source: tt.read_triplets(source), repeat=1)
            assert again == t
            table.add(f"numbers, {name}", m, read, write if name == "Parquet" else None, None, None, None, None)
        score, share = cpu_seconds(lambda: tt.triplet_score(h, tt.io.read_triplet_batches(path)), repeat=1)
        assert share == tt.triplet_score(h, t)
        table.add("scored in batches", m, score, None, None, None, None, None)


def import_seconds(module):
    """Wall seconds of a warm interpreter that imports a module, the least of five."""
    code = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5))


def main():
    columns = [("file", 20), ("n", 9), ("read s", 8), ("write s", 8), ("skbio s", 8), ("ratio", 6), ("dendropy s", 10)]
    table = Table("Files", [*columns, ("ratio", 6)])
    newick_rows(table, [1_000, 100_000] + ([1_000_000] if table.options.large else []))
    triplet_rows(table, 1_000_000 if table.options.large else 100_000)
    table_rows(table, 5_000_000 if table.options.large else 100_000)
    table.done()
    numpy, ours = import_seconds("numpy"), import_seconds("tripletree")
    print(f"import numpy {numpy:.3f} s, import tripletree {ours:.3f} s, more by {ours - numpy:.3f} s")


if __name__ == "__main__":
    main()
