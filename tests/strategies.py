"""Hypothesis strategies for labels, hierarchies and triplet sets."""

from hypothesis import strategies as st

from tripletree.core.hierarchy import Hierarchy
from tripletree.core.triplets import TripletSet

labels = st.text(min_size=1, max_size=6)


@st.composite
def nested(draw, min_leaves=1, max_leaves=12, unary=False):
    """Nested tuples over the leaves 0..n-1."""
    n = draw(st.integers(min_leaves, max_leaves))
    nodes = list(draw(st.permutations(range(n))))
    while len(nodes) > 1:
        k = draw(st.integers(2, len(nodes)))
        node = tuple(nodes[:k])
        nodes = [*nodes[k:], (node,) if unary and draw(st.booleans()) else node]
    return nodes[0]


@st.composite
def hierarchies(draw, min_leaves=1, max_leaves=12, unary=False):
    """Hierarchies over the leaves 0..n-1 in any leaf order."""
    return Hierarchy.from_nested(draw(nested(min_leaves, max_leaves, unary)))


@st.composite
def triplet_rows(draw, n_leaves, max_size=20):
    """Lists of tuples of three different leaves."""
    one = st.permutations(range(n_leaves)).map(lambda p: tuple(p[:3]))
    return draw(st.lists(one, max_size=max_size))


@st.composite
def triplet_sets(draw, min_leaves=3, max_leaves=8, max_size=20):
    """Any triplet sets, consistent or not."""
    n = draw(st.integers(min_leaves, max_leaves))
    return TripletSet.from_labels(draw(triplet_rows(n, max_size)), leaves=range(n))
