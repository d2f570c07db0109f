"""What triplets imply: `implies`, `closure_size`, `irredundant` and `redundant`, beside the literal definition.

"decomposed" are the triplets of `decompose`, none of which is redundant; "sampled" are three per leaf, drawn from the
hierarchy at random. The definition runs BUILD twice a query: ab|c is implied if the set with ac|b is inconsistent and
the set with bc|a is. It is asked for some queries, `implies` for 10,000 at once; half of them are displayed by the
hierarchy, half have their leaves in another order. "listed" is `closure`, every implied triplet, of few leaves.
"""

import numpy as np
from _harness import Table, cpu_seconds, exponent
from examples import balanced, caterpillar, contracted, uniform_binary, yule

import tripletree as tt
from tripletree.algorithms.infer import closure_size, redundant

ASKED, BY_DEFINITION, FEW_LEAVES = 10_000, 20, 200
rng = np.random.default_rng(1)
SHAPES = {
    "caterpillar": caterpillar,
    "balanced": balanced,
    "random": lambda n: uniform_binary(n, rng),
    "bushy": lambda n: contracted(yule(n, rng), 0.5, rng),
}


def given(shape, kind, n):
    """The triplets, and queries."""
    h = SHAPES[shape](n)
    rows = tt.sample_triplets(h, min(ASKED, 100 * n), random_state=1).rows.copy()
    other = rng.random(len(rows)) < 0.5
    rows[other] = rows[other][:, [0, 2, 1]]
    triplets = tt.decompose(h) if kind == "decomposed" else tt.sample_triplets(h, 3 * n, random_state=0)
    return triplets, tt.TripletSet(rows, triplets.leaves)


def implied_by_definition(triplets, query):
    """Whether each other resolution of the query contradicts the triplets."""
    a, b, c = query
    both = (np.concatenate([triplets.rows, [row]]) for row in ((a, c, b), (b, c, a)))
    return not any(tt.is_consistent(tt.TripletSet(rows, triplets.leaves)) for rows in both)


def seconds_to_list(shape, kind):
    triplets, _ = given(shape, kind, FEW_LEAVES)
    return cpu_seconds(lambda: tt.closure(triplets))[0]


def measured(shape, kind, n):
    """Seconds of `closure_size`, `irredundant`, `redundant`; microseconds a query, by definition, their ratio; m."""
    triplets, query = given(shape, kind, n)
    size, _ = cpu_seconds(lambda: closure_size(triplets, max_steps=None))
    fewest, kept = cpu_seconds(lambda: tt.irredundant(triplets, max_steps=None))
    assert kind == "sampled" or len(kept) == len(triplets)
    spare, _ = cpu_seconds(lambda: redundant(triplets, max_steps=None))
    asking, told = cpu_seconds(lambda: tt.implies(triplets, query, max_steps=None))
    few = query.rows[:BY_DEFINITION].tolist()
    literal, wanted = cpu_seconds(lambda: [implied_by_definition(triplets, q) for q in few], repeat=1)
    assert wanted == told[:BY_DEFINITION].tolist()
    each, literally = 1e6 * asking / len(query), 1e6 * literal / len(few)
    return (size, fewest, spare, each, literally, literally / each), len(triplets)


def main():
    columns = [("shape", 11), ("triplets", 10), ("n", 7), ("m", 7), ("closure_size", 12), ("exp", 5), ("minimal", 8)]
    columns += [("exp", 5), ("redundant", 9), ("implies, us", 11), ("definition, us", 14), ("ratio", 7), ("listed", 7)]
    table = Table("Inference", columns)
    sizes = {"decomposed": (1_000, 10_000, 100_000), "sampled": (1_000, 3_000, 10_000)}
    if table.options.large:
        sizes = {"decomposed": (*sizes["decomposed"], 1_000_000), "sampled": (*sizes["sampled"], 30_000)}
    for kind in sizes:  # compile
        triplets, query = given("random", kind, 300)
        closure_size(triplets), tt.irredundant(triplets), redundant(triplets), tt.implies(triplets, query)
        tt.closure(given("random", kind, 50)[0])
    for kind, steps in sizes.items():
        for shape in SHAPES:
            last = None
            for n in steps:
                times, size = measured(shape, kind, n)
                growth = (
                    [None, None] if last is None else [exponent((last[0], last[k]), (n, times[k - 1])) for k in (1, 2)]
                )
                listed = None if last else seconds_to_list(shape, kind)
                table.add(shape, kind, n, size, times[0], growth[0], times[1], growth[1], *times[2:], listed)
                last = n, *times
    table.done()


if __name__ == "__main__":
    main()
