"""Literal, slow definitions of active queries: border scores, uncertainties, pairs, inheritance, and what follows."""

import itertools
import math
from collections import Counter

import numpy as np


def distance(X, i, j):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(X[i], X[j], strict=True)))


def neighbours_definition(X, i, k):
    """The k nearest other samples; only for X in which no two are equally far."""
    others = sorted((j for j in range(len(X)) if j != i), key=lambda j: distance(X, i, j))
    return others[:k]


def strength_at(pairs, i):
    """(must, cannot) strength at a sample of weighted pairs [(a, b, together, strength)]."""
    return tuple(sum(w for a, b, t, w in pairs if t is kind and i in (a, b)) for kind in (True, False))


def border_definition(X, labels, centers, pairs, i):
    """Eq. 3: how near to the border a sample is, less where much is known of it; and the centre that it faces."""
    own = sum((X[i] - centers[labels[i]]) ** 2)
    others = [(sum((X[i] - centers[c]) ** 2), c) for c in range(len(centers)) if c != labels[i]]
    if not others:
        return 0.0, labels[i]
    far, facing = min(others)
    ratio = 1.0 if own >= far else own / far
    must, cannot = strength_at(pairs, i)
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
    return (unsure[i] + unsure[j]) / ((1 + sum(strength_at(pairs, i))) * (1 + sum(strength_at(pairs, j))))


def kernel_definition(X, i, mu):
    """The triangular kernel: {sample: weight} of i and its mu neighbours."""
    near = neighbours_definition(X, i, mu + 1)
    width = distance(X, i, near[mu]) if len(near) > mu else 2 * distance(X, i, near[-1])
    return {i: 1.0, **{j: 1.0 - distance(X, i, j) / width for j in near[:mu]}}


def inherited_definition(X, answers, mu):
    """Eq. 6: {(i, j): signed strength} of answers [(a, b, together)] and what neighbours inherit."""
    best = {True: {}, False: {}}
    for a, b, together in answers:
        for (x, u), (y, v) in itertools.product(
            kernel_definition(X, a, mu).items(), kernel_definition(X, b, mu).items()
        ):
            if x != y:
                key = (min(x, y), max(x, y))
                best[together][key] = max(best[together].get(key, 0.0), u * v)
    result = {(min(a, b), max(a, b)): 1.0 if together else -1.0 for a, b, together in answers}
    for key in best[True].keys() | best[False].keys():
        left = best[True].get(key, 0.0) - best[False].get(key, 0.0)
        follows = says_definition(len(X), answers, *key)
        if key not in result and left and not (follows is not None and follows is not (left > 0)):
            result[key] = left
    return result


def partitions(n):
    """All partitions of 0..n-1, as tuples of block numbers."""
    found = [()]
    for _ in range(n):
        found = [(*p, b) for p in found for b in range(max(p, default=-1) + 2)]
    return found


def says_definition(n, answers, i, j):
    """What follows for i and j from consistent answers, by the chains of them."""
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
