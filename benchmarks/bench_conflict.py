"""Finding what clashes, small conflicts exactly: beside the time in which tralda's Build says that something does."""

import numpy as np
from _harness import Table, cpu_seconds
from examples import yule
from tralda.supertree import Build

import tripletree as tt

rng = np.random.default_rng(1)
#: Leaves, triplets (0 for the smallest set of the tree), and the size of the cycle planted (0: one triplet flipped).
CASES = [
    (100_000, 0, 3),
    (100_000, 0, 10),
    (10_000, 100_000, 2),
    (10_000, 100_000, 3),
    (10_000, 100_000, 4),
    (10_000, 100_000, 5),
    (10_000, 100_000, 0),
    (3_000, 100_000, 0),
    (1_000, 100_000, 0),
]


def clashing(n, m, planted):
    """Triplets of a random tree, and some that clash with them."""
    h = yule(n, rng)
    t = tt.sample_triplets(h, m, random_state=0) if m else tt.decompose(h, random_state=0)
    if planted:
        x = rng.permutation(n)[: planted + 1]
        return t | tt.TripletSet([[x[i], x[i + 1], x[(i + 2) % (planted + 1)]] for i in range(planted)], n)
    flipped = tt.TripletSet(t.rows[:1, [0, 2, 1]], n)
    return (t - t.subset([0])) | flipped


def main():
    columns = [("n", 8), ("m", 8), ("planted", 9), ("max_size", 8), ("found", 6), ("proved", 8), ("seconds", 9)]
    table = Table("Conflicts", [*columns, ("one_tree s", 10), ("tralda s", 9), ("ratio", 7)])
    tt.find_conflict(clashing(300, 3_000, 0))
    for n, m, planted in CASES:
        t = clashing(n, m, planted)
        fails, _ = cpu_seconds(lambda t=t: tt.is_consistent(t))
        peer = None
        if n <= 10_000:
            rows = t.rows.tolist()
            peer, _ = cpu_seconds(lambda rows=rows, n=n: Build(rows, range(n)).build_tree(), repeat=1)
        for size in (0, 4, 5):
            seconds, found = cpu_seconds(lambda t=t, size=size: tt.find_conflict(t, max_size=size))
            proved = f">= {found.at_least}" if found else "-"
            name = f"cycle of {planted}" if planted else "1 flipped"
            ratio = None if peer is None else peer / seconds
            table.add(n, len(t), name, size, len(found) if found else None, proved, seconds, fails, peer, ratio)
    table.done()


if __name__ == "__main__":
    main()
