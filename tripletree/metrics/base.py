"""The base class of the learned metrics, with the check for degenerate outcomes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions

from tripletree.cluster.base import CheckedEstimator
from tripletree.errors import warn_user


class LearnedMetric(TransformerMixin, CheckedEstimator):
    """Base of the transformers that learn a metric from statements on distances."""

    _shared_constraints: ClassVar[dict] = {
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "on_degenerate": [StrOptions({"raise", "euclidean"})],
        "missing_samples": [StrOptions({"raise", "ignore"})],
    }

    on_degenerate: str

    def _stays_euclidean(self, samples: np.ndarray, pairs: np.ndarray, count: int, zero: Any, less: str) -> bool:
        """Tell whether a metric cannot be learned. Warns or raises with the reason.

        Parameters
        ----------
        samples : ndarray of float64, shape (n, d)
        pairs : ndarray of int, shape (p, 2)
            The pairs of samples in the statements.
        count : int
            Number of statements.
        zero : callable
            Without arguments: whether the best metric is 0 everywhere.
        less : str
            Advice in that case.

        Raises
        ------
        ValueError
            If the best metric is 0, unless ``on_degenerate="euclidean"``.
        """
        if count == 0:
            msg = "no triplets or comparisons were given, so nothing is learned: the metric stays Euclidean"
            warn_user(f"{msg}; give fit(X, triplets=...) or comparisons=")
            return True
        if not (samples[pairs[:, 0]] != samples[pairs[:, 1]]).any():
            why = "all samples in the statements are equal in every feature"
            what = "check for a missing feature, or for constant columns"
        elif zero():
            why = (
                "the best metric is 0 everywhere, so all samples coincide: over all "
                f"{count} statements, the near pairs are not nearer than the far ones in any feature"
            )
            what = f"check whether near and far are interchanged, {less}"
        else:
            return False
        msg = f"nothing can be learned: {why}; {what}"
        if self.on_degenerate == "raise":
            raise ValueError(f"{msg}; on_degenerate='euclidean' keeps the features as they are")
        warn_user(f"{msg}; the metric stays Euclidean")
        return True
