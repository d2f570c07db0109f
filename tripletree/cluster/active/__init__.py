"""Active queries: an oracle that answers, strategies that choose pairs to ask about, and consequences of answers.

====================  ==================================================================================
`labels_oracle`       an oracle that answers from known classes, for trials
`Questions`           an oracle, its budget, and the answers so far
`QueryState`          the input of a strategy
`inherited_pairs`     pairs of neighbours of the samples in an answer, with smaller weights
`AnswerClosure`       consequences of the answers so far, and contradictions among them
`Border`              asks about samples at the borders of clusters, where the neighbours disagree
`MaiBorder`           the same with the formulas of the original paper
`ExploreConsolidate`  finds a sample of each cluster, then asks where other samples belong
`MinMax`              the same, but then asks about the samples farthest from all samples already placed
`NPU`                 asks about the samples that a random forest is least certain about
`Huang`               asks about the pair of a sample and a neighbourhood that is least certain
`RandomWalk`          asks about the pair whose answer would change the clusters of most samples
`RandomPairs`         asks about random pairs
====================  ==================================================================================

A strategy is any object with ``query(state, n)``, which returns at most n pairs of row numbers. `ActiveClustering`
takes one, or its name in `STRATEGIES`.

>>> sorted(STRATEGIES)
['border', 'explore', 'huang', 'mai-border', 'minmax', 'npu', 'random', 'random-walk']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tripletree.cluster.active.border import Border, MaiBorder
from tripletree.cluster.active.closure import AnswerClosure
from tripletree.cluster.active.inheritance import Neighbours, inherited_pairs
from tripletree.cluster.active.neighbourhoods import NPU, ExploreConsolidate, Huang, MinMax, RandomPairs
from tripletree.cluster.active.oracle import Oracle, Questions, labels_oracle
from tripletree.cluster.active.random_walk import RandomWalk
from tripletree.cluster.active.state import QueryState, QueryStrategy

__all__ = [
    "Border",
    "ExploreConsolidate",
    "Huang",
    "AnswerClosure",
    "MaiBorder",
    "MinMax",
    "NPU",
    "Neighbours",
    "Oracle",
    "QueryState",
    "QueryStrategy",
    "Questions",
    "RandomPairs",
    "RandomWalk",
    "STRATEGIES",
    "as_strategy",
    "inherited_pairs",
    "labels_oracle",
]

#: Strategies by name.
STRATEGIES: dict[str, Callable[[], QueryStrategy]] = {
    "border": Border,
    "explore": ExploreConsolidate,
    "huang": Huang,
    "mai-border": MaiBorder,
    "minmax": MinMax,
    "npu": NPU,
    "random": RandomPairs,
    "random-walk": RandomWalk,
}


def as_strategy(strategy: Any) -> QueryStrategy:
    """Return a strategy by its name, or the given one.

    Parameters
    ----------
    strategy : str or object with ``query(state, n)``

    Returns
    -------
    QueryStrategy

    Examples
    --------
    >>> as_strategy("border")
    Border(4, alpha=0.5, n_candidates=None)
    """
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            msg = f"strategy must be one of {', '.join(sorted(STRATEGIES))}, or an object with query(state, n); "
            raise ValueError(msg + f"got {strategy!r}")
        return STRATEGIES[strategy]()
    if isinstance(strategy, type) or not callable(getattr(strategy, "query", None)):
        hint = f"; give an instance, {strategy.__name__}()" if isinstance(strategy, type) else ""
        msg = f"strategy must be a name or an object with query(state, n); got {strategy!r:.80}{hint}"
        raise TypeError(msg)
    return strategy
