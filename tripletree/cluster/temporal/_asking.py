"""Questions about pairs of objects in one snapshot after the other, and what was answered."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from inspect import signature
from typing import Any

import numpy as np

from tripletree.cluster.active import ActiveClustering
from tripletree.cluster.cvqe import CVQEPlus
from tripletree.leaves import LeafIndex
from tripletree.pairs import PairwiseConstraints

__all__ = ["Inquiry", "TimedOracle"]

#: Called with two objects and the start of a snapshot; True: they belong together then, False, None: not known.
TimedOracle = Callable[[Hashable, Hashable, Any], bool | None]


class Inquiry:
    """Whom to ask, how, and what has been said so far.

    Attributes
    ----------
    queries : list of (time, label, label, answer)
        In order.
    answers : dict of time to PairwiseConstraints
        Over all objects.
    """

    def __init__(self, oracle: TimedOracle, leaves: LeafIndex, **how: Any) -> None:
        if not callable(oracle):
            msg = (
                "oracle must be a function of two objects and a time that returns True (together), False or None, not "
                f"{type(oracle).__name__}"
            )
            raise TypeError(msg)
        _check_signature(oracle)
        self._oracle, self._leaves, self._how = oracle, leaves, how
        self.queries: list[tuple[Any, Hashable, Hashable, bool | None]] = []
        self.answers: dict[Any, PairwiseConstraints] = {}

    def ask(
        self,
        samples: np.ndarray,
        objects: np.ndarray,
        when: Any,
        pairs: PairwiseConstraints,
        model: CVQEPlus,
        rng: np.random.Generator,
    ) -> PairwiseConstraints:
        """Ask about a snapshot; what is answered is kept even if the oracle fails.

        Parameters
        ----------
        samples : ndarray of float64, shape (n, d)
        objects : ndarray of int64, shape (n,)
            Numbers of the objects, increasing.
        when : number, datetime64 or str
            Start of the snapshot.
        pairs : PairwiseConstraints
            What counts already, over the n samples by row number.
        model : CVQEPlus
            What clusters, between questions.
        rng : Generator
            Seeds the strategy.

        Returns
        -------
        PairwiseConstraints
            The answers, over all objects.
        """
        names = [self._leaves[i] for i in objects.tolist()]
        active = ActiveClustering(model, random_state=int(rng.integers(2**31 - 1)), **self._how)

        def oracle(i: Any, j: Any) -> bool | None:
            return self._oracle(names[i], names[j], when)

        try:
            active.fit(samples, oracle=oracle, pairs=pairs)
        finally:
            asked: list[Any] = getattr(active, "queries_", [])
            self.queries += [(when, names[i], names[j], said) for i, j, said in asked]
            links: dict[bool | None, list] = {True: [], False: [], None: []}
            for i, j, said in asked:
                links[said].append((int(objects[i]), int(objects[j])))
            self.answers[when] = PairwiseConstraints(links[True], links[False], self._leaves)
        return self.answers[when]


def _check_signature(oracle: TimedOracle) -> None:
    """Refuse functions that cannot be called with two objects and a time, before anything is clustered."""
    try:
        takes = signature(oracle)
    except (TypeError, ValueError):  # of some functions in C it cannot be told
        return
    try:
        takes.bind(0, 1, 2)
    except TypeError:
        msg = (
            f"oracle(a, b, time) is wanted, a function of two objects and the start of a snapshot; this one takes "
            f"{takes}. Where time does not matter: lambda a, b, time: oracle(a, b)"
        )
        raise TypeError(msg) from None
