"""Some random small worlds for each public function, and those that failed once (tests/differential.py)."""

import dataclasses

import differential
import numpy as np
import pytest

import tripletree as tt

#: Worlds of each target: a second or two in all.
MANY, FEW = 25, 3
SLOW = {"divisive", "soft_pairs", "pairs", "repair", "builder", "inference"}


@pytest.mark.parametrize("name", differential.TARGETS)
def test_differential__random_worlds_are_what_the_definitions_say(name):
    for seed in range(FEW if name in SLOW else MANY):
        differential.check(name, seed)


def test_differential__worlds_that_failed_once_fail_no_more():
    for name, seed in differential.kept_worlds():
        differential.check(name, seed)


def wrong(function, change):
    """The function with a result that is changed."""
    return lambda *given, **named: change(function(*given, **named))


@pytest.mark.parametrize(
    ("target", "function", "change"),
    [
        ("consistency", "is_consistent", lambda x: True),
        ("conflicts", "find_conflict", lambda x: None),
        ("inference", "closure", lambda x: type(x)(x.rows[: len(x) // 2], x.leaves)),
        ("repair", "repair", lambda x: type(x)(x.dropped, x.kept, x.hierarchy, x.method)),
        ("hierarchies", "robinson_foulds", lambda x: x + (x > 2)),
        ("clusters", "satisfies", lambda x: np.ones_like(x)),
        ("pairs", "find_contradictions", lambda x: []),
        ("induced", "count_triplets", lambda x: x + (x == 0)),
        ("classes", "dendrogram_purity", lambda x: 1.0),
        ("cuts", "cut", lambda x: np.where(x == 1, 0, x)),
        ("cuts", "compare_triplets", lambda x: dataclasses.replace(x, alike=x.alike + x.different, different=0)),
        (
            "reduced_pairs",
            "reduce_pairs",
            lambda x: dataclasses.replace(x, triplets=type(x.triplets)(x.triplets.rows[1:], x.triplets.leaves)),
        ),
        ("reduced_pairs", "constrained_rand_index", lambda x: min(1.0, x + 0.1)),
    ],
)
def test_differential__a_planted_fault_is_found(monkeypatch, target, function, change):
    place = tt if hasattr(tt, function) else differential
    monkeypatch.setattr(place, function, wrong(getattr(place, function), change))
    count, failed, why = differential.search(target, 30, 0)
    assert failed is not None, f"{count} worlds passed"
    assert "AssertionError" in why
    with pytest.raises(AssertionError):
        differential.check(target, failed)
