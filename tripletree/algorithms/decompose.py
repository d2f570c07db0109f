"""Decomposition: a smallest set of triplets that determines a hierarchy, under either of two guarantees."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletree._core import engine
from tripletree.algorithms.copies import Species, merge_copies
from tripletree.algorithms.induce import checked
from tripletree.core.certain import CertainTriplets
from tripletree.core.checks import check_choice, check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.ontology import Ontology
from tripletree.core.random import distinct_integers, generator
from tripletree.core.triplets import TripletSet
from tripletree.errors import LimitExceededError

#: Rows of a decomposition at most, unless `max_triplets` is given (12 bytes a row, four times that meanwhile).
DEFAULT_LIMIT = 50_000_000
_GUARANTEES = ("identify", "rebuild")


def decompose(
    hierarchy: Hierarchy | Ontology,
    *,
    guarantee: str = "identify",
    species: Species | None = None,
    max_triplets: int | None = None,
    random_state: Any = None,
) -> TripletSet:
    """Decompose a hierarchy into a smallest set of triplets that determines it.

    Parameters
    ----------
    hierarchy : Hierarchy or Ontology
        Nodes with one child make no triplet and are skipped. For an Ontology, or with open nodes: certain triplets that
        imply all others (as few as possible for a tree, elsewhere not always). Only ``guarantee="identify"``.
    species : mapping or callable, optional
        For a tree of genes: the species of each leaf; a species may have several leaves. The triplets are of species,
        and hold whichever copies are meant (`algorithms.merge_copies`).
    guarantee : {"identify", "rebuild"}
        - ``"identify"``: every hierarchy that displays the set refines `hierarchy`. The set has the sum over inner
          edges (u, w) of (children of u - 1)(children of w - 1) triplets: n - 2 for a binary hierarchy.
        - ``"rebuild"``: weaker and smaller. `one_tree` returns `hierarchy`, though other hierarchies that do not
          refine it may display the set, too. n - (children of the root) triplets. Whatever rows of it are changed to
          another triplet on the same leaves, such a set stays consistent, so it can reveal no error. (A set of the
          first kind often reveals none either: where errors must show, use more triplets than the fewest.)

        For a binary hierarchy the two are equal. Both are the fewest with their guarantee.
    max_triplets : int, optional
        If the set is larger, return exactly this many of it. They start with the ``"rebuild"`` triplets, so from
        n - (children of the root) on `one_tree` still returns `hierarchy`. The rest is a random part of the others. For
        an Ontology: a random part.
    random_state : None, int, Generator or RandomState
        With None the first leaf below a child represents it, and parts are drawn with a fixed seed. Otherwise random
        leaves represent it.

    Returns
    -------
    TripletSet
        Over all leaves of the hierarchy.

    Raises
    ------
    LimitExceededError
        If the set has more than 50 million triplets and `max_triplets` is not given. For an Ontology even if it is.

    See Also
    --------
    one_tree : the inverse: ``one_tree(decompose(h)) == h`` for every h without nodes of one child.

    Notes
    -----
    For each inner node w but the root, with parent u: the children of w are joined by a star of triplets ab|c with
    a, b below different children of w and c below a sibling of w. ``"identify"`` does so for every sibling,
    ``"rebuild"`` for one. The triplets are numbered and written straight from their numbers, linear in the number of
    nodes and triplets on every shape. The first is smallest by [1]_. These are the informative constraints of [2]_
    (section 4.3).

    With open nodes, c is not always below a sibling of w: let p be the lowest node at or above w that has a sibling
    which is not open. There is one c for each such sibling, or, if p itself is open, each leaf below such siblings is a
    c, as no certain triplet joins two of them against a leaf of p.

    References
    ----------
    .. [1] Grünewald, Steel, Swenson (2007), Closure operations in phylogenetics, Mathematical Biosciences 208,
       521-537.
    .. [2] Liu, Zhang, Wang (2011), Clustering with relative constraints, KDD 2011, 947-955.

    Examples
    --------
    >>> h = Hierarchy.from_nested([("a", "b"), ("c", "d", "e"), "f"])
    >>> len(decompose(h)), len(decompose(h, guarantee="rebuild"))
    (6, 3)
    >>> list(decompose(h, guarantee="rebuild"))
    [('a', 'b', 'f'), ('c', 'd', 'f'), ('c', 'e', 'f')]
    """
    if max_triplets is not None:
        max_triplets = check_count(max_triplets, "max_triplets")
    hierarchy = checked(hierarchy if species is None else merge_copies(hierarchy, species))  # type: ignore[arg-type]
    if isinstance(hierarchy, Ontology):
        _check_identify(guarantee)
        return _decompose_ontology(hierarchy, max_triplets, random_state)
    edges = _InnerEdges(hierarchy.suppress_unary(), guarantee)
    counts = edges.counts(guarantee)
    total = int(counts.sum())
    if max_triplets is None and total > DEFAULT_LIMIT:
        msg = (
            f"the smallest set that identifies this hierarchy has {total:,} triplets, more than {DEFAULT_LIMIT:,}; "
            "give max_triplets, or use guarantee='rebuild'"
        )
        raise LimitExceededError(msg, size=total, limit=DEFAULT_LIMIT)
    rng = None if random_state is None else generator(random_state)
    # numbered by edge, then sibling, then join. Within an edge the triplets of its first sibling come first
    if max_triplets is None or max_triplets >= total:
        edge = np.repeat(np.arange(counts.size), counts)
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    else:
        edge, within = _part(edges.joins, counts, max_triplets, generator(0) if rng is None else rng)
    return TripletSet(edges.rows(edge, within, rng), hierarchy.leaves)


def decomposition_size(hierarchy: Hierarchy | Ontology, *, guarantee: str = "identify") -> int:
    """Count the triplets of `decompose` without listing them.

    Examples
    --------
    >>> decomposition_size(Hierarchy.from_nested([("a", "b"), ("c", "d", "e"), "f"]))
    6
    """
    hierarchy = checked(hierarchy)
    if isinstance(hierarchy, Ontology):
        _check_identify(guarantee)
        return int(_EntailedStars(hierarchy).counts().sum())
    return int(_InnerEdges(hierarchy.suppress_unary(), guarantee).counts(guarantee).sum())


def _check_identify(guarantee: str) -> None:
    if guarantee != "identify":
        msg = (
            f"guarantee is {guarantee!r}; for an Ontology only 'identify' is possible; for a smaller set, make it a "
            "tree first with to_hierarchy(parent='deepest')"
        )
        raise ValueError(msg)


def _part(joins: np.ndarray, counts: np.ndarray, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Edge and number within it of `size` triplets: of the first siblings, then a random part of the rest."""
    base = np.cumsum(joins)
    first = np.arange(base[-1]) if size >= base[-1] else np.sort(distinct_integers(rng, int(base[-1]), size))
    edge = np.searchsorted(base, first, side="right")
    within = first - (base - joins)[edge]
    if size <= base[-1]:
        return edge, within
    others = np.cumsum(counts - joins)
    rest = np.sort(distinct_integers(rng, int(others[-1]), size - int(base[-1])))
    more = np.searchsorted(others, rest, side="right")
    beyond = rest - (others - (counts - joins))[more] + joins[more]
    return np.concatenate([edge, more]), np.concatenate([within, beyond])


class _InnerEdges:
    """The edges between inner nodes of a hierarchy without unary nodes and their parents, as parallel arrays.

    Attributes
    ----------
    node : int array
        The lower node w of each edge, whose children are joined.
    beside : int array
        The node p whose siblings have the third leaves: w itself, with open nodes one at or above it.
    joins : int array
        Edges of a star over the children of w. 0 if there is no third leaf.
    thirds : int array
        How many third leaves there are.
    """

    def __init__(self, hierarchy: Hierarchy, guarantee: str) -> None:
        n, up = hierarchy.n_leaves, hierarchy.parent
        self.hierarchy = hierarchy
        self.node = np.arange(n, hierarchy.root)
        degree = hierarchy.n_children
        self.joins = degree[self.node] - 1
        self.opened = hierarchy.incertae_sedis
        if self.opened is None:
            self.beside = self.node
            self.thirds = degree[up[self.node]] - 1
            return
        if guarantee != "identify":
            msg = (
                f"guarantee is {guarantee!r}; for a hierarchy with open nodes only 'identify' is possible, as no tree "
                "displays their certain triplets and no others"
            )
            raise ValueError(msg)
        certain = CertainTriplets(hierarchy)
        self.closed, self.certain = certain.closed, certain
        # the lowest node at or above each one that has closed siblings, the root where there is none
        beside = np.where(self.closed.total > 0, np.arange(up.size), up)
        beside[-1] = hierarchy.root
        while True:
            above = beside[beside]
            if np.array_equal(above, beside):
                break
            beside = above
        self.beside = beside[self.node]
        p = self.beside
        self.thirds = np.where(self.opened[p], certain.leaves.total[p], self.closed.total[p])
        self.joins = np.where(self.thirds > 0, self.joins, 0)

    def counts(self, guarantee: str) -> np.ndarray:
        """How many triplets each edge has."""
        check_choice(guarantee, "guarantee", _GUARANTEES)
        return self.joins * (self.thirds if guarantee == "identify" else np.minimum(self.thirds, 1))

    def rows(self, edge: np.ndarray, within: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        """Triplets (a, b, c): a, b below the first and another child of w, c the third leaf of that number."""
        start, child = self.hierarchy._children
        w = self.node[edge]
        third, join = np.divmod(within, self.joins[edge])
        a, b = self._leaf(child[start[w]], rng), self._leaf(child[start[w] + join + 1], rng)
        return np.stack([a, b, self._third(self.beside[edge], third, rng)], axis=1)

    def _third(self, node: np.ndarray, k: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        """Return the k-th third leaf beside each node: one of each closed sibling, any below them for an open node."""
        if self.opened is None:  # every sibling counts once: the k-th is found by its place
            start, child = self.hierarchy._children
            up = self.hierarchy.parent
            place = np.empty(child.size, np.int64)
            place[child] = np.arange(child.size) - start[up[child]]
            return self._leaf(child[start[up[node]] + k + (k >= place[node])], rng)
        leaf = np.empty(node.size, np.int32)
        every = self.opened[node]
        leaf[every] = self.certain.leaf_beside(node[every], k[every])
        leaf[~every] = self._leaf(self.closed.nth(node[~every], k[~every])[0], rng)
        return leaf

    def _leaf(self, node: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        """The leaf that represents each node: its first one, or a random one."""
        start, stop, order = self.hierarchy.leaf_intervals
        return order[start[node] if rng is None else rng.integers(start[node], stop[node])]


def _decompose_ontology(ontology: Ontology, max_triplets: int | None, random_state: Any) -> TripletSet:
    """Entailed triplets that imply all others, or a random part of them."""
    stars = _EntailedStars(ontology)
    total = int(stars.counts().sum())
    if max_triplets is None or max_triplets >= total:
        ranks = np.arange(total, dtype=np.int64)
    else:
        ranks = np.sort(distinct_integers(generator(0 if random_state is None else random_state), total, max_triplets))
    return TripletSet(stars.rows(ranks), ontology.leaves)


class _EntailedStars:
    """Entailed triplets of an ontology that imply all others: as small as can be on a tree, elsewhere not always.

    In the hierarchy that dominators make of the leaf terms, take each inner node d. Let w be the nearest node above d
    that has a leaf not below d. A star of triplets ab|c joins the children of d, with one c from every child of w that
    is not below d, and from all else that is below w and not below d. If such a c is in a clade above d, every part
    of the clade that is not above d gives one. The triplets with c outside w follow, by way of the leaf below w.
    """

    def __init__(self, ontology: Ontology) -> None:
        d = self.dominance = ontology.dominance
        child_start, child = engine.rooted_tree.child_lists(d.parent)
        degree = np.diff(child_start).astype(np.int64)
        # edges of a star over the children of each inner node
        self.joins = degree[d.n :] - 1
        self.child_start, self.child = child_start, child
        w, inside = d.reach.enclosing(d.parent)
        _check_size(int(np.dot(self.joins, np.where(w >= 0, degree[w] - inside, 0))))
        self.first, self.third = d.reach.thirds(d.parent, w, d.order, DEFAULT_LIMIT)
        _check_size(int(self.counts().sum()))

    def counts(self) -> np.ndarray:
        """How many triplets each inner node has."""
        return np.diff(self.first) * self.joins

    def rows(self, ranks: np.ndarray) -> np.ndarray:
        """The triplets with the given numbers. They are numbered by node, then by c, then by edge of the star."""
        d, counts = self.dominance, self.counts()
        end = np.cumsum(counts)
        k = np.searchsorted(end, ranks, side="right")
        c, join = np.divmod(ranks - (end - counts)[k], self.joins[k])
        other = self.child[self.child_start[d.n + k] + join + 1]
        a, b = d.order[d.left[d.n + k]], d.order[d.left[other]]
        return np.stack([a, b, self.third[self.first[k] + c]], axis=1)


def _check_size(size: int) -> None:
    if size > DEFAULT_LIMIT:
        msg = (
            f"it takes {size:,} triplets or more to imply all that are certain, more than the limit of "
            f"{DEFAULT_LIMIT:,}; draw some with sample_triplets, or restrict the ontology to fewer items"
        )
        raise LimitExceededError(msg, size=size, limit=DEFAULT_LIMIT)
