"""How much a kernel may do: a limit of its steps that another thread can lower while it runs.

A kernel that may take long has a `Budget` as its last argument, and asks `spend` each some thousand steps. If the
answer is no, it returns at once, and its result is void. ``kernels.interruptible`` ends kernels in this way on Ctrl-C.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletree.kernels.jit import Integers, inner

_WITHOUT_LIMIT = 2**63 - 1


class Budget(NamedTuple):
    """Two counters of one entry each."""

    most: Integers  #: steps after which the kernel ends. -1 ends it now
    spent: Integers  #: steps done, in all calls with this budget


def new_budget(most=_WITHOUT_LIMIT):
    """A budget of which nothing is spent."""
    return Budget(np.array([most], np.int64), np.zeros(1, np.int64))


@inner
def spend(budget, steps):
    """Count some steps, and tell whether there may be more."""
    budget.spent[0] += steps
    return budget.spent[0] <= budget.most[0]
