"""The steps of a builder: what was done, what is kept to take it back, and what is set right if one is broken off."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from tripletree.builder._held import Held
from tripletree.builder._incoming import Key
from tripletree.errors import InvalidTripletError

__all__ = ["Before", "Step", "Steps"]

#: The weights that changed triplets had before a step.
Before = dict[Key, float | None]
#: What was done: keys added, keys removed, weights before.
Step = tuple[Sequence[Key], Sequence[Key], Before]
#: Where all weights together are less, no sum of them is infinite; else they are added up.
_SAFE_WEIGHT = 1e300


class Steps(Held):
    """Consistent triplets with the steps that led to them."""

    _history: list[Step]
    _most_weight: float

    def _weighed(self, keys: Sequence[Key], told: Sequence[float], fresh: set[Key]) -> dict[Key, float]:
        """The weights of triplets when those told are added; refused where one, or all together, are infinite."""
        held = self._weights
        after = {
            key: weight if key in fresh else held.get(key, 1.0) + weight for key, weight in zip(keys, told, strict=True)
        }
        most = self._most_weight + sum(after.values())
        if most > _SAFE_WEIGHT and not isfinite(sum({**held, **after}.values())):
            msg = "with these weights all weights of the builder add up to infinity: give smaller ones"
            raise InvalidTripletError(msg)
        self._most_weight = most
        return after

    def _reset(self, steps: int, added: Sequence[Key], removed: Sequence[Key], before: Before) -> None:
        """Be as before a step that was broken off somewhere, with so many steps to take back."""
        self._state.settle(removed, added)
        self._forget(steps, before)

    def _forget(self, steps: int, before: Before) -> None:
        """Leave so many steps to take back, and the weights as they were."""
        del self._history[steps:]
        for key, weight in before.items():
            if weight is None:
                self._weights.pop(key, None)
            else:
                self._weights[key] = weight
        self._triplets = self._hierarchy = None

    def _done(self, added: Sequence[Key], removed: Sequence[Key], before: Before) -> None:
        self._history.append((added, removed, before))
        self._triplets = None
        if added or removed:
            self._hierarchy = None
