"""Where the leaves of an Aho graph stand, and their names: parts packed side by side, names clear of lines."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from networkx import Graph

__all__ = ["name_sides", "positions"]

#: Leaves of a part up to which networkx places them (Kamada and Kawai), steps that place those of larger ones.
FEW, STEPS = 150, 60
#: Directions in which a name can stand off its leaf: to the right and left, up and down.
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))


def positions(graph: Graph) -> dict[Hashable, np.ndarray]:
    """Where the leaves stand, about one unit from each other: larger parts first, smaller ones beside and below."""
    import networkx as nx

    placed = []
    for part in nx.connected_components(graph):
        places = _part_positions(graph.subgraph(part))
        points = np.array(list(places.values()))
        low, high = points.min(axis=0) - 0.8, points.max(axis=0) + 0.8
        placed.append((high - low, low, places))
    placed.sort(key=lambda x: (-float(x[0].max()), min(map(str, x[2]))))
    area = sum(float(size.prod()) for size, _, _ in placed)
    most = max((1.6 * area) ** 0.5 * 1.2, *(float(size[0]) for size, _, _ in placed), 0.0) if placed else 0.0
    at: dict[Hashable, np.ndarray] = {}
    x = y = column = wide = tall = 0.0  # corner of the shelf's next column, what it has, its width, the shelf's height
    for size, low, places in placed:
        if column and column + size[1] > tall:  # a new column on this shelf
            x, column, wide = x + wide, 0.0, 0.0
        if x and not column and x + size[0] > most:  # a new shelf
            x, y, tall = 0.0, y - tall, 0.0
        corner = np.array([x, y - column - size[1]])
        at |= {leaf: corner + (place - low) for leaf, place in places.items()}
        column, wide, tall = column + size[1], max(wide, float(size[0])), max(tall, float(size[1]))
    return at


def _part_positions(part: Graph) -> dict[Hashable, np.ndarray]:
    """A connected part around the origin, about one unit from leaf to leaf: a path on an open circle."""
    import networkx as nx

    k = part.number_of_nodes()
    ends = [x for x, degree in part.degree if degree == 1]
    if len(ends) == 2 and part.number_of_edges() == k - 1:
        walk = list(nx.dfs_preorder_nodes(part, min(ends, key=str)))
        turn = np.linspace(np.pi, -np.pi, k + 1)[:k] if k > 2 else np.array([np.pi, 0.0])
        radius = max(0.6, k / (2 * np.pi)) * (1.3 if k > 2 else 1.0)
        return {x: radius * np.array([np.cos(t), np.sin(t)]) for x, t in zip(walk, turn, strict=True)}
    own = nx.Graph()  # its order decides where leaves come to stand
    own.add_nodes_from(sorted(part, key=str))
    own.add_edges_from(part.edges)
    if k > FEW:
        places = dict(zip(own, _by_stress(nx.to_scipy_sparse_array(own, weight=None)), strict=True))
    else:
        places = nx.kamada_kawai_layout(own)
    return {x: 1.1 * (k**0.5 - 1) * np.asarray(place) for x, place in places.items()}


def _by_stress(adjacent: Any) -> np.ndarray:
    """Places in the square from -1 to 1, as far apart as paths are long, the near ones above all.

    Stress majorization (Gansner, Koren, North 2004, Graph Drawing, 239-250), from the two main axes of the distances.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path

    D = shortest_path(adjacent, unweighted=True)
    n = D.shape[0]
    square = -0.5 * D**2
    square -= square.mean(axis=0) + square.mean(axis=1)[:, None] - square.mean()
    _, axes = np.linalg.eigh(square)
    X = axes[:, -2:] * np.where(axes[np.abs(axes[:, -2:]).argmax(axis=0), [-2, -1]] < 0, -1, 1) * D.max()
    X = X + 1e-3 * np.stack([np.cos(np.arange(n)), np.sin(np.arange(n))], axis=1)  # no two at one place
    np.fill_diagonal(D, 1.0)
    weight = D**-2.0
    np.fill_diagonal(weight, 0.0)
    factor = cho_factor((np.diag(weight.sum(axis=1)) - weight)[1:, 1:])  # the first stands still
    for _ in range(STEPS):
        apart = np.maximum(np.linalg.norm(X[:, None] - X[None], axis=2), 1e-9)
        pull = weight * D / apart
        wanted = pull.sum(axis=1)[:, None] * X - pull @ X
        X = np.concatenate([np.zeros((1, 2)), cho_solve(factor, wanted[1:])])
    X -= (X.max(axis=0) + X.min(axis=0)) / 2
    return X / np.abs(X).max()


def name_sides(points: np.ndarray, edges: np.ndarray, sizes: np.ndarray, gap: float, k: int) -> np.ndarray:
    """The side on which each name stands: where it covers the fewest lines, leaves and names before it.

    points : float64[K, 2], pixels, of k leaves and then of notes; edges : int[m, 2]; sizes : float64[K, 2], of names
    and notes; gap : pixels from leaf to name
    Returns middle : float64[K, 2], of each name and note.
    """
    s = np.linspace(0.03, 0.97, 24)[:, None, None]
    lines = (points[edges[:, 0]] * (1 - s) + points[edges[:, 1]] * s).reshape(-1, 2) if len(edges) else points[:0]
    middle = np.full(points.shape, np.nan)
    middle[k:], leaves = points[k:], points[:k]
    for i in np.argsort(leaves[:, 1], kind="stable").tolist():
        best = np.inf
        half = sizes[i] / 2
        for rank, side in enumerate(SIDES):
            away = np.where(np.array(side) == 0, 0.0, half + gap if 0 in side else half + 0.6 * gap) * side
            place = points[i] + away
            on_lines = (np.abs(lines - place) < half).all(axis=1).sum()
            on_leaves = (np.abs(leaves - place) < half + 0.8 * gap).all(axis=1).sum() - (0 not in side)
            on_names = (np.abs(middle - place) < half + sizes / 2).all(axis=1).sum()
            cost = on_lines + 6 * max(on_leaves, 0) + 12 * on_names + 0.1 * rank
            if cost < best:
                best, middle[i] = cost, place
                chosen = place.copy()
            middle[i] = np.nan
        middle[i] = chosen
    return middle
