"""Shared by the tests of all converters: hierarchies dressed with everything, and the test of a round trip."""

import numpy as np
from examples import caterpillar, yule
from hypothesis import strategies as st
from strategies import hierarchies

from tripletree.core.hierarchy import Hierarchy

numbers = st.floats(-1e300, 1e300)
texts = st.text(max_size=5) | st.sampled_from(
    ['"', "it's", "a b", "a\\", "\\N", "<b>", "&amp;", "ß\n", "\r", "node", "0"]
)
odd_labels = texts | st.integers() | st.tuples(st.integers(0, 3), st.text(max_size=2))


@st.composite
def dressed(draw, labels=odd_labels):
    """Hierarchies with unary nodes, odd labels, repeated names, missing lengths, heights of any kind, ranks."""
    bare = draw(hierarchies(max_leaves=9, unary=True))
    n, N = bare.n_leaves, bare.n_nodes
    values = {}
    kind = draw(st.sampled_from(["bare", "lengths", "gaps", "heights", "level heights"]))
    if kind in ("lengths", "gaps"):
        one = numbers if kind == "lengths" else numbers | st.none()
        given = draw(st.lists(one, min_size=N, max_size=N))
        values["length"] = [np.nan if x is None else x for x in given]
    elif kind == "heights":
        values["height"] = draw(st.lists(st.floats(-1e6, 1e6), min_size=N, max_size=N))
    elif kind == "level heights":
        values["height"] = bare.depth.max() - bare.depth.astype(float)
    names = st.sampled_from([None, "clade", "a b", "it's"])
    values["names"] = draw(st.lists(names, min_size=N - n, max_size=N - n))
    if draw(st.booleans()):
        values["ranks"] = draw(st.lists(st.sampled_from([None, "genus", "no rank"]), min_size=N, max_size=N))
    given = draw(st.lists(labels, min_size=n, max_size=n, unique=True))
    return Hierarchy(bare.parent, given, **values)


def optional(values, N):
    return [None] * N if values is None else [None if x != x else x for x in values.tolist()]


def everything(h):
    """All that is said of each clade, whatever the numbers: {leaves: [(name, length, height, rank), ...] upwards}."""
    N = h.n_nodes
    said = zip(optional(h.length, N), optional(h.height, N), h.ranks or [None] * N, strict=True)
    found = {}
    for u, values in enumerate(said):
        found.setdefault(frozenset(h.clade(u)), []).append((h.label(u), *values))
    return found


def exactly(h):
    """All that is said of each node by its number."""
    N = h.n_nodes
    labels = [(type(x), x) for x in h.leaves]
    return h.parent.tolist(), labels, h.names, optional(h.length, N), optional(h.height, N), h.ranks


def large(n=2_000):
    """Pairs (name, hierarchy): a ladder deeper than Python's stack, and a bush."""
    rng = np.random.default_rng(3)
    return [
        (name, Hierarchy(h.parent, [f"leaf {i}" for i in range(n)], length=rng.random(h.n_nodes)))
        for name, h in (("ladder", caterpillar(n)), ("bush", yule(n, rng)))
    ]
