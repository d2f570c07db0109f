"""A stand-in for OddOneOutClustering that asks at random: the least that the page needs, and quick."""

import numpy as np

from tripletree.algorithms.cut import cut
from tripletree.algorithms.linkage import from_linkage
from tripletree.core.answers import Answer, AnswerSet
from tripletree.core.leaves import LeafIndex


class RandomQuestions:
    """Questions come from the number of answers, the clusters from a linkage cut finer with every third answer."""

    gain_, n_questions = 7.3, 100

    def start(self, X, *, sample_names=None, answers=None):
        from scipy.cluster.hierarchy import linkage

        self.X = np.asarray(X, float)
        self.names = LeafIndex(range(len(self.X)) if sample_names is None else sample_names)
        self.tree = from_linkage(linkage(self.X, "average"), self.names)
        self.given, self.released = list(answers or []), []
        return self

    def next_question(self, who=None):
        rng = np.random.default_rng([len(self.given), *(who or "").encode()])
        return tuple(self.names[i] for i in rng.choice(len(self.names), 3, replace=False).tolist())

    def answer(self, reply, question=None, who=None, when=None):
        assert isinstance(reply, Answer)
        self.given.append(reply)

    def undo(self, who=None):
        k = max(k for k, x in enumerate(self.given) if x.who == who)
        return self.given.pop(k)

    @property
    def answers_(self):
        return AnswerSet(self.given, self.names)

    def release(self, who=None):
        self.released.append(who)

    def defer_hierarchy(self):
        return lambda: self.tree

    hierarchy_ = property(lambda self: self.tree)
    doubted_answers_ = property(lambda self: self.answers_[:2])
    labels_ = property(lambda self: cut(self.tree, min(2 + len(self.given) // 3, 9), rule="merge_order"))
    uncertainty_ = property(lambda self: np.linspace(0, 1, len(self.names)))

    @property
    def cluster_uncertainty_(self):
        return np.linspace(0.05, 0.6, self.labels_.max() + 1) / (1 + len(self.given) / 10)
