"""What becomes of triplets that contradict each other, before anything is clustered."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np

from tripletree.onetree import is_consistent
from tripletree.repairs import repair
from tripletree.triplets import TripletSet

__all__ = ["mended", "weight_of"]


def mended(triplets: TripletSet, on_conflict: str, random_state: Any) -> tuple[TripletSet, TripletSet]:
    """The triplets to use, and those dropped; a warning says how many.

    Parameters
    ----------
    triplets : TripletSet
    on_conflict : {"raise", "repair"}
        "repair" keeps a consistent part that weighs as much as `repair` can find, "raise" leaves them as they are.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    kept, dropped : TripletSet

    Warns
    -----
    UserWarning
        If any are dropped.
    """
    nothing = triplets.subset(np.empty(0, np.int64))
    if on_conflict == "raise" or is_consistent(triplets):
        return triplets, nothing
    done = repair(triplets, random_state=random_state)
    weighed = "" if triplets.weights is None else f", of weight {done.weight_lost:.6g} of {done.weight:.6g},"
    msg = (
        f"{len(done.dropped):,} of {len(triplets):,} triplets{weighed} contradict others and were dropped, see "
        "dropped_triplets_. What was kept is consistent, but may be wrong all the same: penalty='auto' is much less "
        "hurt by wrong triplets"
    )
    warn(msg, UserWarning, stacklevel=3)
    return done.kept, done.dropped


def weight_of(triplets: TripletSet) -> float:
    """The weight of all of them; their number where there are no weights."""
    return float(len(triplets)) if triplets.weights is None else float(triplets.weights.sum())
