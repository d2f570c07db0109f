"""Simulated crowds: people who know a hierarchy and lapse, who answer at random, who go by another hierarchy."""

import numpy as np

from tripletree import kernels
from tripletree.core import AnswerSet
from tripletree.core.hierarchy import Hierarchy


def random_hierarchy(rng, n):
    """A random binary hierarchy over 0..n-1: pairs of nodes are joined at random."""
    nodes = rng.permutation(n).tolist()
    while len(nodes) > 1:
        i, j = sorted(rng.choice(len(nodes), 2, replace=False).tolist())
        right = nodes.pop(j)
        nodes.append((nodes.pop(i), right))
    return Hierarchy.from_nested(nodes[0]).reindex(range(n))


def odd_of(hierarchy, rows):
    return kernels.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table)


def simulate_crowd(rng, n, *, n_good=4, n_random=1, n_other=1, n_answers=60, overlap=3, lapses=0.1):
    """A crowd over n samples: the true hierarchy, and the answers; each question goes to `overlap` people or so."""
    kinds = ["good"] * n_good + ["random"] * n_random + ["other"] * n_other
    true, other = random_hierarchy(rng, n), random_hierarchy(rng, n)
    n_questions = -(-len(kinds) * n_answers // overlap)
    questions = np.sort(np.argsort(rng.random((n_questions, n)), axis=1)[:, :3], axis=1).astype(np.int32)
    asked = rng.permutation(np.resize(np.arange(n_questions), len(kinds) * n_answers)).reshape(len(kinds), n_answers)
    rows, replies, who = [], [], []
    for k, kind in enumerate(kinds):
        mine = questions[asked[k]]
        said = odd_of(other if kind == "other" else true, mine).astype(np.int64)
        lapse = rng.random(n_answers) < (1.0 if kind == "random" else lapses)
        said[lapse] = rng.integers(0, 3, int(lapse.sum()))
        rows.append(mine)
        replies.append(said)
        who += [f"{kind} {k}"] * n_answers
    return true, AnswerSet.from_columns(np.concatenate(rows), np.concatenate(replies), n, who=who)
