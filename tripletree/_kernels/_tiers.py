"""Which version of a kernel is called: its plain source, or what is compiled from it."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from tripletree._kernels._jit import MODE, compiled, is_marked

__all__ = ["Room", "Tiered"]

#: Entries of all arrays that a call as plain Python may have, and seconds that such calls of a kernel may take in all.
SMALL, PATIENCE = 50_000, 0.1


class Tiered:
    """A kernel that runs as plain Python while its inputs are small and it has taken little time, then compiled."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self.plain = plain
        self.__doc__, self.__name__ = plain.__doc__, plain.__name__
        self._fast: Callable[..., Any] | None = None
        self._spent = 0.0

    def __call__(self, *arguments: Any) -> Any:
        if self._fast is None:
            if self._spent < PATIENCE and sum(getattr(x, "size", 0) for x in arguments) <= SMALL:
                begin = perf_counter()
                try:
                    return run_plain(self.plain, *arguments)
                finally:
                    self._spent += perf_counter() - begin
            self._fast = compiled(self.plain)
        return self._fast(*arguments)


def run_plain(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Run a kernel as plain Python, as silent about infinities and overflows as compiled code is."""
    with np.errstate(all="ignore"):
        return kernel(*arguments)


class Room:
    """A module of kernels as its users see it: constants as they are, kernels in the version that is to be called.

    Parameters
    ----------
    module : module
        Of plain sources.
    choose : callable
        Plain kernel -> what to call in its place.
    """

    def __init__(self, module: ModuleType, choose: Callable[[Any], Any]) -> None:
        self._module, self._choose = module, choose
        self.__name__ = module.__name__

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if is_marked(value):
            value = self._choose(value)
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"<kernels of {self.__name__}, {MODE}>"
