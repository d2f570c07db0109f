"""Slow definitions of active queries: border scores, uncertainties, pairs, inheritance, and implied answers."""

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np


def distance(X, i, j):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(X[i], X[j], strict=True)))


def neighbours_definition(X, i, k):
    """The k nearest other samples. Only for X in which no two are equally far."""
    others = sorted((j for j in range(len(X)) if j != i), key=lambda j: distance(X, i, j))
    return others[:k]


def weight_at(pairs, i):
    """(must, cannot) weight at a sample of weighted pairs [(a, b, together, weight)]."""
    return tuple(sum(w for a, b, t, w in pairs if t is kind and i in (a, b)) for kind in (True, False))


def border_definition(X, labels, centers, pairs, i):
    """Eq. 3: how near to the border a sample is, less if much is known of it, and the centre that it faces."""
    own = sum((X[i] - centers[labels[i]]) ** 2)
    others = [(sum((X[i] - centers[c]) ** 2), c) for c in range(len(centers)) if c != labels[i]]
    if not others:
        return 0.0, labels[i]
    far, facing = min(others)
    ratio = 1.0 if own >= far else own / far
    must, cannot = weight_at(pairs, i)
    return ratio / ((1 + must) * (1 + cannot)), facing


def uncertainty_definition(X, labels, pairs, i, mu, alpha):
    """Eq. 4: entropy of the labels around a sample, and the violated part of the pairs there."""
    around = [i, *neighbours_definition(X, i, mu)]
    share = [c / len(around) for c in Counter(labels[j] for j in around).values()]
    entropy = -sum(p * math.log(p) for p in share)
    most = math.log(min(len(around), max(max(labels) + 1, 2))) if len(around) > 1 else 1.0
    total = bad = 0.0
    for j in around:
        for a, b, together, w in pairs:
            if j in (a, b):
                total += w
                bad += w * ((labels[a] == labels[b]) is not together)
    return alpha * entropy / most + (1 - alpha) * (bad / total if total else 0.0)


def pair_score_definition(unsure, pairs, i, j):
    """Eq. 5, for two samples of known uncertainty."""
    return (unsure[i] + unsure[j]) / ((1 + sum(weight_at(pairs, i))) * (1 + sum(weight_at(pairs, j))))


def mai_border_definition(X, labels, centers, pairs, i):
    """Eq. 3 as it is printed."""
    own = sum((X[i] - centers[labels[i]]) ** 2)
    others = [sum((X[i] - centers[c]) ** 2) for c in range(len(centers)) if c != labels[i]]
    must, cannot = weight_at(pairs, i)
    return own / (min(others) * (1 + must) * (1 + cannot)) if others else 0.0


def mai_candidates_definition(labels, scores, factor, most):
    """For each cluster (those that are taken for sure, those of the last bin, how many of these)."""
    n, found = len(labels), {}
    m = min(math.ceil(factor * math.sqrt(n)), most, n)
    for c in set(labels):
        members = [i for i in range(n) if labels[i] == c]
        bins, left = math.ceil(math.sqrt(len(members))), math.ceil(m * len(members) / n)
        low, high = min(scores[i] for i in members), max(scores[i] for i in members)
        edges = [low + (high - low) * b / bins for b in range(bins + 1)]
        sure, pool = set(), set()
        for b in reversed(range(bins)):
            inside = {i for i in members if edges[b] <= scores[i] and (scores[i] < edges[b + 1] or b == bins - 1)}
            if len(inside) > left:
                pool = inside
                break
            sure |= inside
            left -= len(inside)
        found[c] = sure, pool, left if pool else 0
    return found


def mai_uncertainty_definition(X, labels, pairs, i, mu):
    """Eq. 4 as it is printed."""
    near = neighbours_definition(X, i, mu)
    share = [c / len(near) for c in Counter(labels[j] for j in near).values()]
    mine = [(labels[a] == labels[b], together, w) for a, b, together, w in pairs if i in (a, b)]
    violated = sum(w for same, together, w in mine if same is not together)
    return -sum(p * math.log(p) for p in share) + violated / (sum(w for *_, w in mine) + 1)


def mai_value_definition(X, labels, pairs, unsure, x, y):
    """val(x, y), inside of clusters or between them."""
    square = sum((X[x] - X[y]) ** 2)
    weight = (1 + sum(weight_at(pairs, x))) * (1 + sum(weight_at(pairs, y)))
    doubt = (1 + unsure[x]) * (1 + unsure[y])
    return square * doubt / weight if labels[x] == labels[y] else square * weight / doubt


def mai_pairs_definition(labels, value, left, n):
    """Half of the pairs inside with the largest values, and half between with the smallest. None overlaps another."""
    chosen = []
    for inside, sign, most in ((True, -1, math.ceil(n / 2)), (False, 1, n)):
        some = [p for p in left if (labels[p[0]] == labels[p[1]]) is inside]
        for p in sorted(some, key=lambda p, sign=sign: sign * value[p]):
            if len(chosen) < most and not any(set(p) & set(q) for q in chosen):
                chosen.append(p)
    return chosen


def kernel_definition(X, i, mu):
    """The triangular kernel, as wide as the mu-th neighbour is far: {sample: weight} of i and its neighbours."""
    near = neighbours_definition(X, i, mu)
    width = distance(X, i, near[-1])
    return {i: 1.0, **{j: 1.0 - distance(X, i, j) / width for j in near if distance(X, i, j) < width}}


def inherited_definition(X, answers, mu, nonconfident=()):
    """Eqs. 5 and 6: {(i, j): signed weight} of answers [(a, b, together)] and the pairs that neighbours inherit.

    Non-confident pairs [(a, b, together, weight)] have no offspring, and meet inherited pairs by Eq. 6.
    """
    best = {True: {}, False: {}}

    def add(x, y, together, w):
        key = (min(x, y), max(x, y))
        best[together][key] = max(best[together].get(key, 0.0), w)

    for a, b, together in answers:
        for (x, u), (y, v) in itertools.product(
            kernel_definition(X, a, mu).items(), kernel_definition(X, b, mu).items()
        ):
            if x != y:
                add(x, y, together, u * v)
    for a, b, together, w in nonconfident:
        add(a, b, together, w)
    result = {(min(a, b), max(a, b)): 1.0 if together else -1.0 for a, b, together in answers}
    for key in best[True].keys() | best[False].keys():
        left = best[True].get(key, 0.0) - best[False].get(key, 0.0)
        follows = says_definition(len(X), answers, *key)
        if key not in result and left and not (follows is not None and follows is not (left > 0)):
            result[key] = left
    return result


@cache
def partitions(n):
    """All partitions of 0..n-1, as tuples of block numbers."""
    found = [()]
    for _ in range(n):
        found = [(*p, b) for p in found for b in range(max(p, default=-1) + 2)]
    return found


def says_definition(n, answers, i, j):
    """The answer for i and j that consistent answers imply, by chains of them."""
    group = list(range(n))
    for _ in range(n):
        for a, b, together in answers:
            if together:
                group = [group[a] if g == group[b] else g for g in group]
    if group[i] == group[j]:
        return True
    apart = any(not t and {group[a], group[b]} == {group[i], group[j]} for a, b, t in answers)
    return False if apart else None


def says_by_partitions(n, answers, i, j):
    """The same over all partitions that fit."""
    fit = [p for p in partitions(n) if all((p[a] == p[b]) is t for a, b, t in answers)]
    said = {p[i] == p[j] for p in fit}
    return said.pop() if len(said) == 1 else None


def random_answers(rng, y, m):
    """m answers about random pairs of samples with classes y."""
    rows = [rng.choice(len(y), 2, replace=False).tolist() for _ in range(m)]
    return [(a, b, bool(y[a] == y[b])) for a, b in rows]


def as_rows(answers):
    return tuple(np.array([(a, b) for a, b, t in answers if t is kind], int).reshape(-1, 2) for kind in (True, False))
