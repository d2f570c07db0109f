"""A fit of `BoostedConstrainedKMeans`, round after round, with a result at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tripletree._random import generator
from tripletree.cluster._base import aligned_pairs, checked_samples, refuse_truth_values
from tripletree.cluster._distances import check_spread
from tripletree.cluster._lloyd import Points
from tripletree.cluster.boosted._consensus import Consensus, Votes, consensus
from tripletree.cluster.boosted._rounds import Boosting, Pairs, Rules
from tripletree.errors import ClusterCountError
from tripletree.pairs import PairwiseConstraints

__all__ = ["Fit", "rounds_bar"]


@dataclass
class Fit:
    """Rounds and what they agree on.

    Attributes
    ----------
    boosting : Boosting
    pairs : PairwiseConstraints
        Over the samples.
    seed : int
        Of the kernel k-means: the same after each round.
    n_init : int
    patience : int or None
        How many rounds in a row may leave the result as it is.
    """

    boosting: Boosting
    pairs: PairwiseConstraints
    seed: int
    n_init: int
    patience: int | None
    _last: np.ndarray | None = None
    _unchanged: int = 0
    _found: tuple[int, Consensus] | None = None

    @classmethod
    def of(cls, estimator: Any, X: Any, pairs: Any) -> Fit:
        """Check parameters, samples and pairs; no round yet."""
        estimator._validate_params()
        refuse_truth_values(estimator)
        samples = checked_samples(estimator, X, reset=True)
        n, k = samples.shape[0], estimator.n_clusters
        aligned = aligned_pairs(X, pairs, n, missing_samples=estimator.missing_samples)
        if n < k:
            msg = f"n_clusters={k} but n_samples={n}: there cannot be more clusters than samples"
            raise ClusterCountError(msg, n_clusters=k, nearest=(n,))
        check_spread(samples)
        rng = generator(estimator.random_state)
        seed = int(rng.integers(2**62))
        rules = Rules(
            n_clusters=k,
            n_rounds=1 if estimator.priorities == "none" else estimator.n_rounds,
            priorities=estimator.priorities,
            perfect_importance=estimator.perfect_importance,
            max_error=estimator.max_error,
            stop_when_perfect=estimator.stop_when_perfect,
            init=estimator.init,
            max_iter=estimator.max_iter,
        )
        boosting = Boosting(Points.of(samples), Pairs.of(aligned), rules, rng)
        return cls(boosting, aligned, seed, estimator.n_init, estimator.n_rounds_no_change)

    @property
    def stopped(self) -> str:
        """Why it has ended; empty while it has not."""
        if self.patience is not None and self._unchanged >= self.patience and not self.boosting.stopped:
            return "no change"
        return self.boosting.stopped

    def step(self) -> None:
        """One round more."""
        self.boosting.step()
        if self.patience is not None:
            labels, last = self.result().labels, self._last
            same = last is not None and np.array_equal(labels, last)
            self._unchanged = self._unchanged + 1 if same else 0
            self._last = labels

    def result(self) -> Consensus:
        """The clusters by the rounds so far."""
        rounds, done = self.boosting.counted, len(self.boosting.errors)
        if self._found is None or self._found[0] != done:
            k = self.boosting.rules.n_clusters
            votes = Votes.of([x.labels for x in rounds], np.array([x.importance for x in rounds]), k)
            self._found = done, consensus(votes, k, np.random.default_rng(self.seed), n_init=self.n_init)
        return self._found[1]

    def report(self, estimator: Any) -> None:
        """Set the attributes of the estimator to what there is by now."""
        result, pairs, boosting = self.result(), self.pairs, self.boosting
        label = estimator.labels_ = result.labels
        (a, b), (c, d) = pairs.must_link.T, pairs.cannot_link.T
        estimator.violated_pairs_ = pairs.subset(must_link=label[a] != label[b], cannot_link=label[c] == label[d])
        estimator.violation_cost_ = float(boosting.pairs.strength[boosting.pairs.violated(label)].sum())
        estimator.pair_weights_ = PairwiseConstraints(
            pairs.must_link,
            pairs.cannot_link,
            pairs.leaves,
            must_strength=boosting.weights[: pairs.n_must],
            cannot_strength=boosting.weights[pairs.n_must :],
            must_origins=pairs.must_origins,
            cannot_origins=pairs.cannot_origins,
        )
        estimator.n_iter_ = len(boosting.errors)
        estimator.errors_ = np.array(boosting.errors)
        estimator.importances_ = np.array([done.importance for done in boosting.counted])
        estimator.inertia_ = result.inertia
        estimator.stop_reason_ = self.stopped
        estimator._rounds, estimator._share, estimator._seed = list(boosting.counted), result.share, self.seed

    def warn(self, estimator: Any) -> None:
        """Warn of a result that is not what was asked for."""
        if not self.boosting.rounds:
            msg = (
                f"no round had an error below max_error={estimator.max_error:g}, so that there is nothing to boost: "
                f"the result is one round of error {self.boosting.counted[0].error:.3g}. Do the pairs contradict each "
                "other, or is n_clusters wrong?"
            )
            warn(msg, ConvergenceWarning, stacklevel=3)
        wanted, held = self.boosting.rules.n_clusters, self.result().share.shape[2]
        if held < wanted:
            msg = f"{held} of n_clusters={wanted} clusters have samples: the rounds part no more of them"
            warn(msg, ConvergenceWarning, stacklevel=3)


@contextmanager
def rounds_bar(verbose: Any, total: int) -> Iterator[Callable[[float], Any]]:
    """A function that tells a bar of a round and its error; no bar where none is wanted, and none outlives an error."""
    if not verbose:
        yield lambda error: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, desc="BoostedConstrainedKMeans", unit=" rounds") as bar:

        def told(error: float) -> None:
            bar.set_postfix(error=f"{error:.3f}", refresh=False)
            bar.update()

        try:
            yield told
        except BaseException:
            bar.leave = False
            raise
