"""Simulated crowds: people who know a hierarchy and lapse, who answer at random, who go by another hierarchy.

And people who choose by likeness, which no hierarchy tells in full.
"""

import numpy as np

from tripletree._core import engine
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
    return engine.rooted_tree.induced_odd(rows, *hierarchy.ancestor_table)


def simulate_crowd(rng, n, *, n_good=4, n_random=1, n_other=1, n_answers=60, overlap=3, lapses=0.1):
    """A crowd over n samples: the true hierarchy, and the answers. Each question goes to `overlap` people or so."""
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


def asked_of(rng, n, n_people, n_answers, overlap):
    """Questions, each to `overlap` people or so: the items of each answer, and who gives it."""
    n_questions = -(-n_answers // overlap)
    questions = np.sort(np.argsort(rng.random((n_questions, n)), axis=1)[:, :3], axis=1).astype(np.int32)
    return questions[rng.permutation(np.resize(np.arange(n_questions), n_answers))], np.arange(n_answers) % n_people


def simulate_choices(rng, n, *, n_people=10, n_answers=1000, overlap=1, sharpness=1.0, dimension=3, guessing=0.1):
    """Forced choices of things that are points: the items, the answers and who gave them.

    The chance that two of three are chosen as alike is proportional to exp(-s d^2), with d their distance and s the
    sharpness of the person, which varies by a factor of 1.5 or so, and is 0 for one in ten.
    """
    points = rng.normal(size=(n, dimension))
    square = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    rows, who = asked_of(rng, n, n_people, n_answers, overlap)
    sharp = sharpness * np.exp(0.4 * rng.normal(size=n_people)) * (rng.random(n_people) >= guessing)
    a, b, c = rows.T
    strength = -np.stack([square[b, c], square[a, c], square[a, b]], axis=1) * sharp[who][:, None]
    replies = (strength + rng.gumbel(size=strength.shape)).argmax(axis=1)  # draws by the softmax
    return rows, replies, who


def predicted(hierarchy, rows, replies):
    """For each answer 1 if a hierarchy displays it, 0 if it displays another, 1/3 where it displays none."""
    odd = odd_of(hierarchy, rows)
    return np.where(odd < 0, 1 / 3, odd == replies)
