"""Ways up in a tree that changes: last common ancestors, children towards a leaf, leaves below a node.

Ways are climbed while they are short. Once one was long, the tree is also held as paths, each in a splay tree by depth,
that change with the questions (Sleator and Tarjan 1983, 1985): every question, link and cut then takes O(log n)
amortised, however deep the tree is.

    path : int64[N, 5]  for each node its parent in its splay tree (at the root of one: the node above the path), left
                        and right child there, leaves below the nodes of its splay subtree, and those of them that are
                        below no later node of its path
"""

from __future__ import annotations

import numpy as np

from tripletree._kernels._jit import inner

__all__ = ["cut", "is_leaf", "lay_paths", "leaves_below", "link", "meeting", "number_leaves", "reset_path", "toward"]

UP, FIRST, NEXT, PREV, KIDS, LEAVES, HELD, SHELF = range(8)
TOUCHED, SET, BLOCKS, HIT, HITS, LARGEST, GROUP, CURRENT_AT, NUMBERED, LOW, HIGH = range(11)
FREE, STAMP, RESTS, DEEP, LONG, EPOCH, SLOW = range(7)
OVER, LEFT, RIGHT, SUM, OWN = range(5)

#: Steps up after which the tree counts as deep, and those that are climbed before the paths are asked then.
_LONG_WAY, _SHORT_WAY = 128, 12
#: Inner children of a node that are looked through for a leaf.
_MANY = 8


@inner
def is_leaf(tree, u):
    return 2 * u + 2 < tree.shape[0]


@inner
def lay_paths(tree, path):
    """Make every node a path of its own."""
    for u in range(tree.shape[0]):
        path[u, OVER] = tree[u, UP]
        path[u, LEFT] = path[u, RIGHT] = -1
        path[u, SUM] = path[u, OWN] = tree[u, LEAVES]


@inner
def reset_path(path, u):
    path[u, OVER] = path[u, LEFT] = path[u, RIGHT] = -1
    path[u, SUM] = path[u, OWN] = 0


@inner
def _add_up(path, u):
    total = path[u, OWN]
    if path[u, LEFT] >= 0:
        total += path[path[u, LEFT], SUM]
    if path[u, RIGHT] >= 0:
        total += path[path[u, RIGHT], SUM]
    path[u, SUM] = total


@inner
def _rotate(path, u):
    """Bring u above its splay parent p."""
    p = path[u, OVER]
    g = path[p, OVER]
    side = LEFT if path[p, LEFT] == u else RIGHT
    other = LEFT + RIGHT - side
    child = path[u, other]
    path[p, side] = child
    if child >= 0:
        path[child, OVER] = p
    path[u, other] = p
    path[p, OVER] = u
    path[u, OVER] = g
    if g >= 0:
        if path[g, LEFT] == p:
            path[g, LEFT] = u
        elif path[g, RIGHT] == p:
            path[g, RIGHT] = u
    _add_up(path, p)


@inner
def _splay(path, u):
    """Make u the root of its splay tree."""
    while True:
        p = path[u, OVER]
        if p < 0 or (path[p, LEFT] != u and path[p, RIGHT] != u):
            break
        g = path[p, OVER]
        if g >= 0 and (path[g, LEFT] == p or path[g, RIGHT] == p):
            _rotate(path, p if (path[g, LEFT] == p) == (path[p, LEFT] == u) else u)
        _rotate(path, u)
    _add_up(path, u)


@inner
def _expose(path, u):
    """Make the way from the top to u one path that ends there. Returns where the former path from the top was left."""
    last = np.int64(-1)
    y = u
    while y >= 0:
        _splay(path, y)
        if path[y, RIGHT] >= 0:
            path[y, OWN] += path[path[y, RIGHT], SUM]
        if last >= 0:
            path[y, OWN] -= path[last, SUM]
        path[y, RIGHT] = last
        _add_up(path, y)
        last = y
        y = path[y, OVER]
    _splay(path, u)
    return last


@inner
def link(path, p, u):
    """Hang u, the top of a tree, below p."""
    _splay(path, u)
    _expose(path, p)
    path[u, OVER] = p
    path[p, OWN] += path[u, SUM]
    path[p, SUM] += path[u, SUM]


@inner
def cut(path, u):
    """Take u from below its parent."""
    _expose(path, u)
    path[path[u, LEFT], OVER] = -1
    path[u, LEFT] = -1
    _add_up(path, u)


@inner
def leaves_below(tree, path, var, u):
    if not var[DEEP]:
        return tree[u, LEAVES]
    _expose(path, u)
    return path[u, OWN]


@inner
def _climb(tree, mark, var, i, j, most):
    """Last common ancestor of two nodes, if there are at most so many steps to it: both climb by turns. -1 if not."""
    mine, other = var[STAMP] + 1, var[STAMP] + 2
    var[STAMP] += 2
    u, w = i, j
    for _ in range(most):
        if u >= 0:
            if mark[u, TOUCHED] == other:
                return u
            mark[u, TOUCHED] = mine
            u = tree[u, UP]
        if w >= 0:
            if mark[w, TOUCHED] == mine:
                return w
            mark[w, TOUCHED] = other
            w = tree[w, UP]
    return np.int64(-1)


@inner
def meeting(tree, mark, path, var, i, j):
    """Last common ancestor of two nodes of one tree."""
    if not var[DEEP]:
        v = _climb(tree, mark, var, i, j, _LONG_WAY)
        if v < 0:
            var[LONG] = 1
            v = _climb(tree, mark, var, i, j, tree.shape[0])
        return v
    v = _climb(tree, mark, var, i, j, _SHORT_WAY)
    if v < 0:
        _expose(path, i)
        v = _expose(path, j)
    return v


@inner
def number_leaves(tree, mark, var):
    """Number the leaves in depth-first order, so that those below a node are a range until its leaves change."""
    var[EPOCH] += 1
    var[SLOW] = 0
    root = tree.shape[0] - 1
    count, u = np.int64(0), root
    while True:
        mark[u, NUMBERED], mark[u, LOW] = var[EPOCH], count
        if not is_leaf(tree, u):
            u = tree[u, FIRST]
            continue
        count += 1
        while u != root and tree[u, NEXT] < 0:
            u = tree[u, UP]
            mark[u, HIGH] = count
        if u == root:
            break
        u = tree[u, NEXT]


@inner
def toward(tree, mark, path, var, v, x):
    """The child of v that holds the leaf x, which is below v."""
    if tree[x, UP] == v:
        return x
    u = tree[v, FIRST]
    if tree[u, NEXT] < 0 or is_leaf(tree, tree[u, NEXT]):
        return u  # the only inner child
    if mark[x, NUMBERED] == var[EPOCH]:
        place, unknown = mark[x, LOW], np.int64(-1)
        for _ in range(_MANY):
            if u < 0 or is_leaf(tree, u):
                return unknown
            if mark[u, NUMBERED] == var[EPOCH]:
                if mark[u, LOW] <= place < mark[u, HIGH]:
                    return u
            elif unknown >= 0:
                break
            else:
                unknown = u
            u = tree[u, NEXT]
    u = tree[x, UP]
    for _ in range(_SHORT_WAY):
        if tree[u, UP] == v:
            return u
        u = tree[u, UP]
    if not var[DEEP]:
        var[SLOW] += 4
        steps = _SHORT_WAY
        while tree[u, UP] != v:
            u = tree[u, UP]
            steps += 1
        if steps > _LONG_WAY:
            var[LONG] = 1
        return u
    var[SLOW] += 24
    _expose(path, x)
    _splay(path, v)
    u = path[v, RIGHT]
    while path[u, LEFT] >= 0:
        u = path[u, LEFT]
    _splay(path, u)
    return u
