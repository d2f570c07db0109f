"""Every function of the core refuses wrong input by an error, whatever it is, and never ends the process.

The functions are found in the core's modules. They are given the arguments of real calls, which some fits make, with
one or two things wrong, and where no fit calls a function, numbers of the types that it names. `make test-sanitized`
runs this under AddressSanitizer, which ends the process at the first read or write outside an array.
"""

import copy
import os
import re
import types
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from examples import yule

import tripletree as tt
from tripletree import cluster
from tripletree._core import engine
from tripletree.algorithms import dynamic
from tripletree.core import Answer, AnswerSet

REFUSALS = (TypeError, ValueError, RuntimeError, IndexError, OverflowError, MemoryError, tt.errors.TimeLimitError)
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")  # then more memory than there is ends the process
BAD_ENTRIES = [-1, 0, 1, 2, 7, 100, 2**31 - 1, -(2**31)]
BAD_NUMBERS = [-1, 0, 1, 2, 7, 100, 1000 if SANITIZED else 2**31 - 1, -(2**31), 2**40]
BAD_REALS = [0.0, -1.0, 0.5, 1e300, -1e300, np.inf, -np.inf, np.nan]
CALLS, KEPT = 120, 4  # calls of each function, and real calls of it that are kept


def found(module=engine):
    """(module, name, function or class) of the core."""
    out = []
    for name in dir(module):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            out += found(value)
        elif callable(value) and not name.startswith("__"):
            out.append((module, name, value))
    return out


def label_of(module, name):
    return f"{module.__name__.rpartition('engine')[2].lstrip('.')}.{name}".lstrip(".")


ALL = {label_of(module, name): (module, name, value) for module, name, value in found()}
FUNCTIONS = [label for label, (_, _, value) in ALL.items() if not isinstance(value, type)]
CLASSES = [label for label, (_, _, value) in ALL.items() if isinstance(value, type)]


# ---------------------------------------------------------------------- real calls


def some_work():
    """Fits and questions that call as much of the core as takes few seconds."""
    rng = np.random.default_rng(0)
    n = 24
    X, y = rng.normal(size=(n, 3)), np.arange(n) % 3
    X += 3 * y[:, None]
    rows = tt.sample_class_triplets(y, n, random_state=0).rows
    wrong = rows.copy()
    wrong[:3] = wrong[:3, [1, 2, 0]]
    pairs = [(0, 3), (3, 6)], [(0, 1), (1, 2)]
    for linkage in ("ward", "average", "complete", "single", "centroid"):
        cluster.ReCon(3, linkage=linkage).fit(X, triplets=rows)
    cluster.ReCon(3).fit(X.astype(np.float32), triplets=rows, pairs=pairs)
    for constraints in ("hard", "soft"):
        cluster.DivisiveReCon(3, constraints=constraints, effort=0.01).fit(
            X, triplets=wrong if constraints == "soft" else rows
        )
    distances = np.abs(X[:, None] - X[None]).sum(axis=2)
    cluster.DivisiveReCon(3, constraints="soft", metric="precomputed", effort=0.01).fit(distances, triplets=wrong)
    cluster.DivisiveReCon(3).fit(X, classes=np.where(y == 0, "a", "b"))
    for kind in (cluster.COPKMeans, cluster.PCKMeans, cluster.MPCKMeans, cluster.CVQE):
        kind(3, n_init=1, random_state=0).fit(X, pairs=pairs)
    cluster.CVQE(3, variant="lcvqe", n_init=1, random_state=0).fit(X, pairs=pairs)
    cluster.COPKMeans(3, n_init=1, min_size=4, max_size=12, random_state=0).fit(X)
    cluster.BoostedConstrainedKMeans(3, n_rounds=3, n_init=1, random_state=0).fit(X, pairs=pairs)
    cluster.ConstrainedCompleteLink(3).fit(X, pairs=pairs)
    cluster.ReCon(3, penalty=0.1).fit(X, triplets=wrong)
    cluster.ReCon(3, linkage="average", penalty=0.1).fit(X, triplets=wrong)
    tree, other = yule(n, rng), yule(n, rng)
    builder = tt.TripletBuilder(n, rows[:5].tolist())
    builder.try_add_rows(wrong)
    builder.remove([tuple(rows[0].tolist())])
    triplets, bad = tt.sample_triplets(tree, 60, random_state=0), tt.TripletSet(wrong, n)
    tt.one_tree(triplets)
    tt.decompose(tree)
    tt.closure(triplets)
    tt.irredundant(triplets)
    tt.find_conflict(bad)
    tt.find_conflict(tt.TripletSet([(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 0)], 5), max_size=5)
    for method in ("exact", "search", "greedy"):
        tt.repair(bad, method=method, random_state=0)
    tt.supertree([tree, other], random_state=0)
    tt.triplet_distance(tree, other)
    tt.robinson_foulds(tree, other)
    tt.cut(tree, 3, triplets=triplets)
    trios = rng.permuted(np.tile(np.arange(6), (30, 1)), axis=1)[:, :3].tolist()
    tt.aggregate_answers(AnswerSet([Answer(tuple(trio), "odd", trio[0]) for trio in trios]), random_state=0)


@pytest.fixture(autouse=True)
def little_memory():
    """Let a number of leaves that is far too great be refused by a MemoryError at worst."""
    resource = pytest.importorskip("resource")
    if SANITIZED or not Path("/proc/self/status").exists():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(re.search(r"VmSize:\s*(\d+)", Path("/proc/self/status").read_text())[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def kept(value):
    return value.copy() if isinstance(value, np.ndarray) else value


@pytest.fixture(scope="module")
def real():
    """The arguments of real calls, for each function and class."""
    calls = {label: [] for label in ALL}
    with pytest.MonkeyPatch.context() as patch:

        def recorder(label, value):
            def call(*arguments, **named):
                if not named and len(calls[label]) < KEPT:
                    calls[label].append(tuple(map(kept, arguments)))
                return value(*arguments, **named)

            return call

        for label, (module, name, value) in ALL.items():
            patch.setattr(module, name, recorder(label, value))
        patch.setattr(dynamic, "AhoTree", engine.AhoTree)
        some_work()
    return calls


# ---------------------------------------------------------------------- wrong arguments


def invented(kind, rng, n):
    """A value of the kind that a signature names, of a size about n."""
    array = re.match(r"ndarray\[dtype=(\w+), shape=\(([^)]*)\)", kind)
    if array is None:
        if kind == "int":
            return int(rng.choice([n, n, n - 1, 1, *BAD_NUMBERS]))
        if kind == "float":
            return float(rng.choice([0.1, 1.0, *BAD_REALS]))
        return bool(rng.integers(2)) if kind == "bool" else None
    wide = [n, n, n, n - 1, n + 1, 2 * n - 1, n * (n - 1) // 2]
    shape = [int(x) if x.strip().isdigit() else max(int(rng.choice(wide)), 0) for x in array[2].split(",") if x.strip()]
    size = int(np.prod(shape))
    if array[1] == "bool":
        return (rng.random(size) < 0.5).reshape(shape)
    if "float" in array[1]:
        return rng.choice([rng.random(size), rng.normal(size=size), np.ones(size)]).astype(array[1]).reshape(shape)
    up = np.minimum(n + np.arange(size) // 2, size - 1)  # a binary tree's parents
    values = [
        up,
        np.arange(size),
        np.arange(size) * 2,
        rng.integers(0, max(n, 1), size),
        np.zeros(size),
        rng.permutation(size),
    ]
    return values[rng.integers(len(values))].astype(array[1]).reshape(shape)


def spoilt(value, rng):
    """The value with something wrong, and whether the result has to be the same if it is not refused."""
    if isinstance(value, (bool, np.bool_)):
        return not value, False
    if isinstance(value, int):
        return int(rng.choice([*BAD_NUMBERS, value - 1, value + 1])), False
    if isinstance(value, float):
        return float(rng.choice(BAD_REALS)), False
    if not isinstance(value, np.ndarray):
        return rng.choice(np.array([None, "text", 3, 0.5], object)), False
    way = rng.integers(10)
    if way == 0:
        with np.errstate(all="ignore"):
            other = rng.choice(np.array(["int64", "float32", "float64", "bool", "object", "U3", "uint8"]))
            return value.astype(other), False
    if way == 1:
        return value[None] if rng.random() < 0.5 else value.ravel(), False
    if way == 2:
        return value[: len(value) // 2] if rng.random() < 0.5 else np.concatenate([value, value[:1]]), False
    if way in (3, 4) and value.size:
        out = value.copy()
        bad = BAD_REALS if value.dtype.kind == "f" else [*BAD_ENTRIES, len(value)]
        with suppress(OverflowError):
            out.flat[rng.integers(out.size)] = rng.choice(bad)
        return out, False
    if way == 5:
        return value[:0], False
    if way == 6:
        out = value.copy()
        out.setflags(write=False)
        return out, True
    if way == 7:  # the same entries in another order of memory
        wide = np.empty((*value.shape, 2), value.dtype)
        wide[..., 0] = value
        return wide[..., 0], True
    if way == 8:
        return rng.permutation(value.ravel()).reshape(value.shape), False
    return np.zeros_like(value), False


def called(function, arguments):
    """The result, or None if it was refused."""
    try:
        with tt.time_limit(2):
            return function(*arguments)
    except REFUSALS:
        return None


def same(one, other):
    if isinstance(one, (tuple, list)):
        return all(map(same, one, other))
    return not isinstance(one, (np.ndarray, float, int)) or np.array_equal(
        one, other, equal_nan=np.asarray(one).dtype.kind == "f"
    )


def kinds_of(function):
    """The kinds of the arguments, from each signature that a function has."""
    out = []
    for signature, *_ in function.__nb_signature__:
        inside = re.search(r"\((.*)\) ->", signature, re.DOTALL)[1]
        named = re.findall(r"(\w+): (ndarray\[[^\]]*\]|[\w.]+)", inside)
        out.append([kind for name, kind in named if name != "self"])
    return out


def arguments_for(function, calls, rng):
    """Arguments with something wrong, those that they are made of, and whether the result has to be the same."""
    if calls and rng.random() < 0.8:
        right = calls[rng.integers(len(calls))]
        given, is_same = list(map(kept, right)), True
        for _ in range(rng.integers(1, 3)):
            if given:
                k = rng.integers(len(given))
                given[k], still = spoilt(given[k], rng)
                is_same &= still
        return given, right, is_same
    kinds = kinds_of(function)
    n = int(rng.choice([0, 1, 2, 3, 5, 9]))
    return [invented(kind, rng, n) for kind in kinds[rng.integers(len(kinds))]], None, False


@pytest.mark.parametrize("label", FUNCTIONS)
def test_binding__wrong_arguments_are_refused_or_harmless(label, real):
    _, _, function = ALL[label]
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    for _ in range(CALLS):
        given, right, is_same = arguments_for(function, real[label], rng)
        result = called(function, given)
        if result is not None and is_same:
            assert same(function(*map(kept, right)), result)
    for given in ((), (None,), ("text",) * 3, (object(),) * 12):
        called(function, given)


@pytest.mark.parametrize("label", CLASSES)
def test_binding__objects_refuse_wrong_arguments(label, real):
    _, _, kind = ALL[label]
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    methods = [
        x for x in dir(kind) if hasattr(getattr(kind, x), "__nb_signature__") and x not in ("__init__", "__new__")
    ]
    made = 0
    for _ in range(CALLS):
        calls = real[label]
        given, right, _ = arguments_for(kind.__init__, calls, rng)
        one = called(kind, given if rng.random() < 0.5 or right is None else map(kept, right))
        if one is None:
            continue
        made += 1
        for name in rng.choice(methods, 8):
            arguments = [invented(x, rng, int(rng.choice([1, 3, 8]))) for x in kinds_of(getattr(kind, name))[0]]
            called(getattr(one, name), arguments)
            if rng.random() < 0.2:
                called(copy.copy, (one,))
    assert made or not real[label]


def test_binding__real_calls_reach_most_of_the_core(real):
    reached = {label for label, calls in real.items() if calls}
    assert len(reached) > len(ALL) / 3, sorted(set(ALL) - reached)
