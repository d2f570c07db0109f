"""Triplets one at a time, beside OneTree from scratch after each (timed on some, reckoned for all).

``one by one`` goes through `try_add`, ``rows`` through `try_add_rows`; ``from scratch`` is `is_consistent` of what is
held and the new one, at 20 moments spread over the additions, times their number. Rows that are consistent altogether
are taken at once; one by one the tree follows every addition.
"""

import time

import numpy as np
from _harness import Table, cpu_seconds
from examples import caterpillar, uniform_binary, yule

import tripletree as tt
from tripletree.algorithms.dynamic import TripletBuilder

N, M, MOMENTS = 10_000, 100_000, 20
rng = np.random.default_rng(1)


def random_rows(h, size):
    return rng.permutation(tt.sample_triplets(h, size, random_state=0).rows)


def with_errors(rows, share):
    rows = rows.copy()
    wrong = rng.random(len(rows)) < share
    rows[wrong] = rows[wrong][:, [1, 2, 0]]
    return rows


def ladder(n, order):
    """The n - 2 triplets of close neighbours of a caterpillar, leaves renamed at random."""
    k = np.arange(n - 2)
    k = {"up": k, "down": k[::-1], "mixed": rng.permutation(k)}[order]
    return rng.permutation(n)[np.stack([k, k + 1, k + 2], axis=1)]


def one_by_one(n, rows):
    builder = TripletBuilder(n)
    for a, b, c in rows.tolist():
        builder.try_add((a, b, c))
    return builder


def at_once(n, rows):
    builder = TripletBuilder(n)
    return builder, builder.try_add_rows(rows)


def from_scratch(n, rows, told):
    """CPU seconds for a test from scratch at each addition, from some of them."""
    spent = 0.0
    moments = np.linspace(0, len(rows) - 1, MOMENTS).astype(int)
    for k in moments.tolist():
        held = tt.TripletSet(np.concatenate([rows[:k][told[:k]], rows[k : k + 1]]), n)
        begin = time.process_time()
        tt.is_consistent(held)
        spent += time.process_time() - begin
    return spent / MOMENTS * len(rows)


def main():
    columns = [("triplets", 22), ("n", 8), ("m", 8), ("taken", 7), ("depth", 7), ("one by one", 11), ("rows", 8)]
    table = Table("TripletBuilder", [*columns, ("us/row", 8), ("from scratch", 13), ("ratio", 9)])
    shapes = {"yule": yule(N, rng), "uniform": uniform_binary(N, rng), "caterpillar": caterpillar(N)}
    cases = {name: (N, random_rows(h, M)) for name, h in shapes.items()}
    cases |= {f"{name}, 10 % wrong": (N, with_errors(rows, 0.1)) for name, (_, rows) in cases.items()}
    cases |= {f"ladder, {order}": (100_000, ladder(100_000, order)) for order in ("up", "down")}
    cases["ladder, mixed"] = 10_000, ladder(10_000, "mixed")
    if table.options.large:
        cases["ladder, mixed, large"] = 100_000, ladder(100_000, "mixed")
    one_by_one(300, random_rows(caterpillar(300), 3_000))  # compile
    at_once(300, ladder(300, "mixed"))
    for name, (n, rows) in cases.items():
        single, other = cpu_seconds(lambda n=n, rows=rows: one_by_one(n, rows), repeat=1)
        seconds, (builder, told) = cpu_seconds(lambda n=n, rows=rows: at_once(n, rows))
        assert builder.hierarchy == other.hierarchy == tt.one_tree(builder.triplets)
        scratch = from_scratch(n, rows, told)
        depth = int(builder.hierarchy.depth.max())
        per_row = 1e6 * seconds / len(rows)
        taken = float(told.mean())
        table.add(name, n, len(rows), taken, depth, single, seconds, per_row, scratch, scratch / single)
    table.done()


if __name__ == "__main__":
    main()
