"""A random walk on the neighbour graph that ends at answered samples or dies on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tripletree.cluster.odd_one_out.neighbours import NeighbourGraph

#: The chance that a walk goes on at each step, and the share of steps that go to any node, so that all are reachable.
LIFE, ANYWHERE = 0.99, 1e-3

#: Each sample hangs at its node by an edge 10,000 times as strong as the mean degree. A node may have several samples.
TIE = 1e4

#: Columns of the inverse that are computed at a time.
COLUMNS = 256


class AbsorbingWalk:
    """The walk before any sample absorbs it.

    Parameters
    ----------
    graph : NeighbourGraph

    Attributes
    ----------
    green : ndarray of float64, shape (r, r)
        The inverse of D - `LIFE` W. W has the weights and a little between all nodes, and D has the sums of its rows.
        The matrix is symmetric. A walk from i is expected to visit j ``green[i, j] * degree[j]`` times. It never
        changes, so one walk serves all answers.
    mass : ndarray of float64, shape (r,)
        The number of samples that belong to each node.

    Notes
    -----
    Time O(r^3) once, memory O(r^2).
    """

    def __init__(self, graph: NeighbourGraph) -> None:
        from scipy.linalg import cho_factor, cho_solve

        r = graph.sample.size
        weights = graph.weights.toarray()
        mean = weights.sum() / r
        weights += ANYWHERE * mean / r if mean > 0 else 1.0
        degree = weights.sum(axis=1)
        weights *= -LIFE
        weights[np.diag_indices(r)] += degree
        factor = cho_factor(weights, lower=True, overwrite_a=True)
        self.green = np.eye(r)
        for start in range(0, r, COLUMNS):  # Ctrl-C works between two blocks
            block = self.green[:, start : start + COLUMNS]
            block[:] = cho_solve(factor, block)
        self.tie = 1.0 / (TIE * degree.mean())
        self.mass = graph.mass
        self.visits = self.mass @ self.green

    def absorbed_at(self, nodes: np.ndarray) -> Absorption:
        """Let samples absorb the walk.

        Parameters
        ----------
        nodes : ndarray of int, shape (a,)
            The node of each sample. Several samples may be at one node.
        """
        return Absorption(self, nodes)


@dataclass(eq=False)
class Absorption:
    """The walk with some absorbing samples, and the places where it ends.

    Attributes
    ----------
    walk : AbsorbingWalk
    nodes : ndarray of int, shape (a,)
        The nodes of the absorbing samples.
    """

    walk: AbsorbingWalk
    nodes: np.ndarray

    @cached_property
    def precision(self) -> np.ndarray:
        """The inverse of `green` on the absorbing samples: ndarray of float64, shape (a, a)."""
        block = self.walk.green[np.ix_(self.nodes, self.nodes)]
        block[np.diag_indices(self.nodes.size)] += self.walk.tie
        return np.linalg.inv(block)

    @cached_property
    def without_itself(self) -> np.ndarray:
        """The chances of where a walk from each absorbing sample ends if this sample alone did not absorb, (a, a)."""
        out = -self.precision / np.diag(self.precision)[:, None]
        np.fill_diagonal(out, 0.0)
        return np.maximum(out, 0.0)

    @cached_property
    def hits(self) -> np.ndarray:
        """The chance that a walk from a node ends at a sample (ndarray of float64, shape (r, a)). The rest dies."""
        return np.maximum(self.walk.green[:, self.nodes] @ self.precision, 0.0)

    @cached_property
    def reach(self) -> np.ndarray:
        """The number of samples that would come to each node if it absorbed, too (ndarray of float64, shape (r,))."""
        green = self.walk.green
        rest = np.diagonal(green) - np.einsum("xa,ax->x", self.hits, green[self.nodes])
        come = self.walk.visits - (self.walk.mass @ self.hits) @ green[self.nodes]
        free = rest > 1e-9 * np.diagonal(green)
        free[self.nodes] = False
        return np.divide(np.maximum(come, 0.0), rest, out=np.zeros(rest.size), where=free)

    def bonds(self, x: int, others: np.ndarray) -> np.ndarray:
        """Return the chance that a walk from x passes each other node, or the reverse, whichever is greater."""
        green, at = self.walk.green, self.nodes
        between = green[x, others] - self.hits[x] @ green[np.ix_(at, others)]
        own = green[x, x] - self.hits[x] @ green[at, x]
        theirs = green[others, others] - np.einsum("oa,ao->o", self.hits[others], green[np.ix_(at, others)])
        return np.clip(between / np.maximum(np.minimum(own, theirs), 1e-300), 0.0, 1.0)

    def centres(self, where: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
        """Choose centres one after the other: each time the node that most walks come to if it absorbs, too.

        Parameters
        ----------
        where : ndarray of bool, shape (r,)
            The nodes that may be a centre.
        least : float
            The least reach of a centre, as a share of the reach of the first.

        Returns
        -------
        nodes : ndarray of int, shape (v,)
            The centres.
        hits : ndarray of float64, shape (r, v)
            The chance that a walk from each node ends at each centre.
        """
        green = self.walk.green
        rest = np.diagonal(green) - np.einsum("xa,ax->x", self.hits, green[self.nodes])
        come = self.walk.visits - (self.walk.mass @ self.hits) @ green[self.nodes]
        free = where & (rest > 1e-9 * np.diagonal(green))
        free[self.nodes] = False
        nodes: list[int] = []
        visits, steps = np.empty((free.size, 0)), np.empty((free.size, 0))
        first = 0.0
        while free.any():
            reach = np.divide(come, rest, out=np.zeros(free.size), where=free)
            x = int(reach.argmax())
            first = max(first, reach[x])
            if reach[x] < max(least * first, 1e-9):
                break
            # a step of Cholesky's method on the walk that the others already absorb
            column = green[:, x] - self.hits @ green[self.nodes, x]
            step = column - steps @ steps[x]
            step /= np.sqrt(step[x])
            rest, come = rest - step**2, come - (self.walk.mass @ step) * step
            visits, steps = np.column_stack([visits, column]), np.column_stack([steps, step])
            nodes.append(x)
            free &= rest > 1e-9 * np.diagonal(green)
            free[x] = False
        if not nodes:
            return np.array(nodes, np.int64), visits
        return np.array(nodes), np.linalg.solve(visits[nodes].T, visits.T).T

    def without(self, some: np.ndarray) -> np.ndarray:
        """Return the chances of where walks from some absorbing samples end if they did not absorb, (len(some), a)."""
        rest = np.setdiff1d(np.arange(self.nodes.size), some)
        out = np.zeros((some.size, self.nodes.size))
        if rest.size:
            out[:, rest] = -np.linalg.solve(self.precision[np.ix_(some, some)], self.precision[np.ix_(some, rest)])
        return np.maximum(out, 0.0)
