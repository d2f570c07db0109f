"""ReCon under a penalty at 10,000 to 100,000 samples (--large): seconds, peak memory, and what it violates.

Random triplets of the classes, of which a tenth is flipped. Each row is a process of its own; its peak is that of all.
"""

from _harness import Table, measured

SETUP = """
import numpy as np
import tripletree as tt
from bench_noise import flipped
from tripletree.cluster import ReCon
def data(name, n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 30, n)
    if name == "blobs":
        return rng.normal(size=(30, 16))[y] + rng.normal(size=(n, 16)) * 0.5, y
    if name == "nothing":
        return rng.normal(size=(n, 16)), y
    from _data import load
    X, y = load("letter")
    pick = rng.permutation(len(X))[:n] if n <= len(X) else rng.integers(0, len(X), n)
    return X[pick] + rng.normal(scale=0.3 * (n > len(X)), size=(n, 16)), y[pick]
def case(name, n, share):
    X, y = data(name, n)
    return X, *flipped(tt.sample_class_triplets(y, round(share * n), random_state=1), 0.1, 0)
X, triplets, _ = case("blobs", 1000, 1)
ReCon(2, linkage={linkage!r}, penalty="auto", dtype={dtype!r}).fit(X, triplets=triplets)  # compile
X, triplets, wrong = case({name!r}, {n}, {share})
model = ReCon(30, linkage={linkage!r}, penalty="auto", dtype={dtype!r})
"""

CALL = "model.fit(X, triplets=triplets)"
FOUND = "[float((~tt.displays(result.hierarchy_, triplets))[x].mean()) for x in (wrong, ~wrong)]"
PATIENCE = 600

USUAL = [("letters", "centroid", 20_000, 1, "float64"), ("letters", "average", 10_000, 1, "float64")]
LARGE = [
    *(("letters", "centroid", n, 1, "float64") for n in (50_000, 100_000)),
    ("letters", "centroid", 20_000, 10, "float64"),
    ("letters", "ward", 20_000, 1, "float64"),
    ("blobs", "centroid", 100_000, 1, "float64"),
    ("letters", "average", 20_000, 1, "float32"),
]


def main():
    columns = [("set", 8), ("linkage", 9), ("n", 7), ("m/n", 4), ("dtype", 8), ("seconds", 8), ("peak MB", 8)]
    columns += [("wrong violated", 14), ("right violated", 14)]
    table = Table("ReCon(penalty='auto'), 16 features, a tenth of the triplets wrong", columns)
    for name, linkage, n, share, dtype in USUAL + (LARGE if table.options.large else []):
        setup = SETUP.format(name=name, linkage=linkage, n=n, share=share, dtype=dtype)
        seconds, peak, found = measured(setup, CALL, FOUND, PATIENCE)
        table.add(name, linkage, n, share, dtype, seconds, peak, *(found if isinstance(found, list) else (found, None)))
    table.done()


if __name__ == "__main__":
    main()
