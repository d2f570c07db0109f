"""`compare_methods`: methods on data sets with the same draws of knowledge. Means, errors, ranks and failures."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tripletree.algorithms.supervision import sample_class_pairs, sample_class_triplets
from tripletree.core.checks import check_choice, check_count, counted, described, row_count
from tripletree.core.labels import label_codes
from tripletree.core.leaves import LeafIndex
from tripletree.core.progress import progress_bar
from tripletree.errors import ParseError, TimeLimitError
from tripletree.evaluation.scores import pairwise_f_score
from tripletree.interrupts import time_limit as limit_of_time
from tripletree.io.appending import end_of
from tripletree.knowledge import Knowledge

#: Kinds of knowledge that can be drawn from the classes.
KNOWLEDGE = ("pairs", "triplets", "classes")

#: Most characters of the reason of a failure.
_LONGEST = 120


class MethodRun(NamedTuple):
    """The input of a method in `compare_methods`.

    Attributes
    ----------
    X : ndarray, shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
        The classes, numbered from 0: for methods that ask, and for scores.
    knowledge : dict
        The knowledge drawn, by the argument of ``fit`` that takes it, such as ``{"pairs": PairwiseConstraints}``.
    n_clusters : int
        The number of classes.
    seed : int
        The same for all methods, and different in each draw.
    """

    X: np.ndarray
    y: np.ndarray
    knowledge: dict[str, Any]
    n_clusters: int
    seed: int


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """The result of `compare_methods`.

    Attributes
    ----------
    runs : tuple of dict
        One for each data set, method and draw: "data", "method", "draw", each score by its name, "seconds" (CPU time of
        the fit) and "failure" (the reason, or None).
    scores : tuple of str
        Names of the scores. Ranks go by the first.
    data_sets, methods : tuple of str
    baseline : str or None
    maximize : bool
        True if a greater first score is better.
    """

    runs: tuple[dict[str, Any], ...]
    scores: tuple[str, ...]
    data_sets: tuple[str, ...]
    methods: tuple[str, ...]
    baseline: str | None
    maximize: bool

    def _values(self, data: str, method: str, score: str) -> dict[int, float]:
        """The score of each draw that did not fail."""
        return {
            run["draw"]: run[score]
            for run in self.runs
            if run["data"] == data and run["method"] == method and run["failure"] is None
        }

    def table(self) -> list[dict[str, Any]]:
        """Return one record for each data set and method.

        "data", "method". For each score "<name>" (mean), "<name>_error" (standard error of the mean, None for a single
        draw) and "<name>_deviation" (standard deviation of the draws). "rank" on this data set by the first score, from
        1, ties shared, failures last. "failed" and "reason": how many draws failed, and why the first. "seconds". With
        a baseline "gain" and "gain_error": the mean paired difference of the first score with it, over the draws that
        both have.
        """
        rows = []
        for data in self.data_sets:
            means = [self._mean(data, method) for method in self.methods]
            ranks = _ranks(means, self.maximize)
            for method, rank in zip(self.methods, ranks, strict=True):
                runs = [x for x in self.runs if x["data"] == data and x["method"] == method]
                failures = [x["failure"] for x in runs if x["failure"] is not None]
                row: dict[str, Any] = {"data": data, "method": method}
                for score in self.scores:
                    values = np.array(list(self._values(data, method, score).values()))
                    row[score] = float(values.mean()) if values.size else None
                    row[f"{score}_error"] = _error(values)
                    row[f"{score}_deviation"] = float(values.std()) if values.size else None
                row |= {"rank": rank, "failed": len(failures), "reason": failures[0] if failures else None}
                done = [x["seconds"] for x in runs if x["failure"] is None]
                row["seconds"] = float(np.mean(done)) if done else None
                if self.baseline is not None:
                    row["gain"], row["gain_error"] = self._gain(data, method)
                rows.append(row)
        return rows

    def _mean(self, data: str, method: str) -> float | None:
        values = list(self._values(data, method, self.scores[0]).values())
        return float(np.mean(values)) if values else None

    def _gain(self, data: str, method: str) -> tuple[float | None, float | None]:
        assert self.baseline is not None
        mine, base = (self._values(data, x, self.scores[0]) for x in (method, self.baseline))
        difference = np.array([mine[k] - base[k] for k in mine if k in base])
        return (float(difference.mean()), _error(difference)) if difference.size else (None, None)

    def ranks(self) -> list[dict[str, Any]]:
        """Return one record for each method, the best first.

        "method", "rank" (mean over the data sets), "rank_error" (its standard error, None for a single data set),
        "score" (mean of the first score over the data sets if it has one), "best" (on how many data sets no other
        is better), "failed" (draws, of all).
        """
        rows = self.table()
        found = []
        for method in self.methods:
            mine = [x for x in rows if x["method"] == method]
            rank = np.array([x["rank"] for x in mine])
            scored = [x[self.scores[0]] for x in mine if x[self.scores[0]] is not None]
            best = sum(
                x["rank"] == min(y["rank"] for y in rows if y["data"] == x["data"]) and x[self.scores[0]] is not None
                for x in mine
            )
            found.append(
                {
                    "method": method,
                    "rank": float(rank.mean()),
                    "rank_error": _error(rank),
                    "score": float(np.mean(scored)) if scored else None,
                    "best": int(best),
                    "failed": sum(x["failed"] for x in mine),
                }
            )
        return sorted(found, key=lambda x: x["rank"])

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Return the least difference of mean ranks that tells two methods apart (Nemenyi's test, as in Demšar 2006).

        It takes data sets for independent, and is wide if they are few: with ten methods on five data sets it is 6.1
        of at most 9.
        """
        from scipy.stats import studentized_range

        k, n = len(self.methods), len(self.data_sets)
        if k < 2 or not 0 < alpha < 1:
            msg = f"expected two methods or more and alpha between 0 and 1, got {k} and {alpha!r}"
            raise ValueError(msg)
        return float(studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)))

    def to_frame(self) -> Any:
        """Return `table` as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def __str__(self) -> str:
        """Ranks, best first, in aligned columns. Failures follow, with their reasons."""
        rows = [
            (
                x["method"],
                f"{x['rank']:.2f}",
                "" if x["rank_error"] is None else f"+-{x['rank_error']:.2f}",
                "-" if x["score"] is None else f"{x['score']:.3f}",
                str(x["best"]),
                str(x["failed"]),
            )
            for x in self.ranks()
        ]
        head = ("method", "mean rank", "", self.scores[0], "best on", "failed")
        width = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join([row[0].ljust(width[0]), *(x.rjust(w) for x, w in zip(row[1:], width[1:], strict=True))]).rstrip()
            for row in (head, *rows)
        ]
        draws = len({x["draw"] for x in self.runs})
        title = f"{counted(len(self.methods), 'method')}, {counted(len(self.data_sets), 'data set')}, "
        title += f"{counted(draws, 'draw')} each"
        return "\n".join([title, *lines, *self._failures()])

    def _failures(self, most: int = 5) -> list[str]:
        """The failures, with their reasons."""
        failed = [
            f"{x['method']} failed in {counted(x['failed'], 'draw')} on {x['data']}: {x['reason']}"
            for x in self.table()
            if x["failed"]
        ]
        return failed[:most] + ([f"and {len(failed) - most} more, see table()"] if len(failed) > most else [])


def _error(values: np.ndarray) -> float | None:
    """The standard error of a mean. None of a single value."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None


def _ranks(means: list[float | None], maximize: bool) -> list[float]:
    """Return ranks from 1, ties shared. Methods without a mean are last, and tied."""
    from scipy.stats import rankdata

    worst = -np.inf
    keys = [worst if x is None else x if maximize else -x for x in means]
    return rankdata([-x for x in keys]).tolist()


# ---------------------------------------------------------------------- one run


class _Task(NamedTuple):
    """One run to be done, with its key in a file."""

    key: dict[str, Any]
    method: Any
    X: np.ndarray
    y: np.ndarray
    n_clusters: int
    seed: int
    knowledge: Any
    amount: int
    scores: Mapping[str, Callable[..., Any]]


def _named(knowledge: Any, amount: int) -> str:
    """What tells this knowledge from other in a file."""
    if isinstance(knowledge, Knowledge):
        return f"{knowledge} {hashlib.sha256(pickle.dumps(knowledge)).hexdigest()[:16]}"
    return f"{amount} {getattr(knowledge, '__qualname__', knowledge)}"


def _drawn(knowledge: Any, y: np.ndarray, amount: int, seed: int) -> dict[str, Any]:
    """The knowledge of one draw, as arguments of ``fit``."""
    if knowledge is None:
        return {}
    if isinstance(knowledge, Knowledge):
        if knowledge.leaves != LeafIndex(y.size):
            msg = f"knowledge must be about the rows 0 to {y.size - 1}: Knowledge.of({y.size}, ...) makes one"
            raise ValueError(msg)
        return knowledge.arguments()
    if knowledge == "pairs":
        return {"pairs": sample_class_pairs(y, amount, random_state=seed)}
    if knowledge == "triplets":
        return {"triplets": sample_class_triplets(y, amount, random_state=seed)}
    if knowledge == "classes":
        known = np.random.default_rng(seed).permutation(y.size)[:amount]
        classes: list[Any] = [None] * y.size
        for i in known.tolist():
            classes[i] = int(y[i])
        return {"classes": classes}
    found = knowledge(y, seed)
    if not isinstance(found, Mapping):
        msg = f"knowledge must return arguments of fit, such as {{'pairs': ...}}, not {described(found)}"
        raise TypeError(msg)
    return dict(found)


def _fitted(method: Any, run: MethodRun) -> Any:
    """A copy of an estimator, fitted with the knowledge that its ``fit`` takes."""
    from sklearn.base import clone

    model = clone(method)
    names = model.get_params(deep=False)
    settings = {"n_clusters": run.n_clusters, "random_state": run.seed}
    model.set_params(**{name: value for name, value in settings.items() if name in names})
    taken = inspect.signature(model.fit).parameters
    return model.fit(run.X, **{name: value for name, value in run.knowledge.items() if name in taken})


def _flat_f(run: MethodRun, result: Any) -> float:
    """The default score: pairwise F of the flat clusters."""
    return pairwise_f_score(run.y, np.asarray(getattr(result, "labels_", result)))


def _one(task: _Task) -> dict[str, Any]:
    """Fit and score. An exception of the method is its failure."""
    record: dict[str, Any] = {**task.key, "failure": None, "seconds": None}
    drawn = _drawn(task.knowledge, task.y, task.amount, task.seed)
    run = MethodRun(task.X, task.y, drawn, task.n_clusters, task.seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()
            result = _fitted(task.method, run) if hasattr(task.method, "fit") else task.method(run)
            record["seconds"] = time.process_time() - start
            for name, score in task.scores.items():
                record[name] = float(score(run, result))
    except Exception as error:  # noqa: BLE001 (whatever a method raises is its failure)
        record["failure"] = f"{type(error).__name__}: {error}".split("\n")[0][:_LONGEST]
    return record


class _Processes:
    """A process for each thread, for runs with a limit. They end with the comparison."""

    def __init__(self) -> None:
        self._of_thread = threading.local()
        self._pools: list[Any] = []

    def own(self) -> Any:
        """The process of this thread, as a pool of one."""
        from joblib.externals.loky import ProcessPoolExecutor

        pool = getattr(self._of_thread, "pool", None)
        if pool is None:
            pool = self._of_thread.pool = ProcessPoolExecutor(max_workers=1)
            self._pools.append(pool)
            pool.submit(_ready).result()
        return pool

    def kill_own(self) -> None:
        """End the process of this thread, whatever it is doing. The next one is new."""
        pool, self._of_thread.pool = self._of_thread.pool, None
        self._pools.remove(pool)
        pool.shutdown(kill_workers=True, wait=False)

    def end(self, *, kill: bool) -> None:
        """End all of them."""
        for pool in self._pools:
            pool.shutdown(kill_workers=kill)


def _ready() -> None:
    """Load the modules that nearly every run needs, before the clock of the first one starts."""
    from tripletree import cluster  # noqa: F401


#: Seconds after its limit for which a run is waited for: one that goes on is in a long call that hears of nothing.
_GRACE = 2.0


def _timed(task: _Task, limit: float) -> dict[str, Any]:
    try:
        with limit_of_time(limit):
            return _one(task)
    except TimeLimitError:
        return _over(task, limit)


def _over(task: _Task, limit: float) -> dict[str, Any]:
    return {**task.key, "failure": f"over {limit:g} s", "seconds": None}


def _limited(task: _Task, limit: float, processes: _Processes) -> dict[str, Any]:
    """The same in a process of its own, which is ended if the run does not end in time."""
    from concurrent.futures import TimeoutError as TimeIsOverError

    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        return processes.own().submit(_timed, task, limit).result(limit + _GRACE)
    except (TimeIsOverError, BrokenProcessPool) as error:
        processes.kill_own()
        if isinstance(error, TimeIsOverError):
            return _over(task, limit)
        return {**task.key, "failure": "its process has ended (out of memory?)", "seconds": None}


def _all_done(tasks: list[_Task], n_jobs: int | None, limit: float | None) -> Iterator[dict[str, Any]]:
    """The records, as they come."""
    if n_jobs in (None, 1) and limit is None:
        yield from map(_one, tasks)
        return
    from joblib import Parallel, delayed

    if limit is None:
        yield from Parallel(n_jobs, return_as="generator_unordered")(delayed(_one)(x) for x in tasks)
        return
    threads = Parallel(n_jobs, backend="threading", return_as="generator_unordered")
    processes, done = _Processes(), False
    try:
        yield from threads(delayed(_limited)(x, limit, processes) for x in tasks)
        done = True
    finally:
        processes.end(kill=not done)


# ---------------------------------------------------------------------- the file


def _identity(record: Mapping[str, Any]) -> str:
    return json.dumps([record.get(x) for x in _KEY])


_KEY = ("data", "content", "method", "settings", "knowledge", "draw", "seed", "scores")


def _read_runs(path: str) -> dict[str, dict[str, Any]]:
    """The runs that a file holds. A last line that was cut off is dropped."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return {}
    whole = content[: content.rfind(b"\n") + 1]
    found = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = json.loads(line)
            found[_identity(record)] = record
            complete = set(_KEY) <= record.keys() and "failure" in record
        except (ValueError, AttributeError):
            complete = False
        if not complete:
            msg = "no run of compare_methods; give another path, or delete the file to start anew"
            raise ParseError(msg, path=path, line=number)
    return found


def _appender(path: str | None) -> Callable[[dict[str, Any]], None]:
    """A function that adds a record to a file, on disk when it returns."""
    if path is None:
        return lambda record: None
    with end_of(path):  # a file that cannot be written is told before the first run
        pass

    def append(record: dict[str, Any]) -> None:
        with end_of(path) as end:
            end.cut(end.last_line()[0])  # a line that was cut off
            end.add(f"{json.dumps(record)}\n".encode())

    return append


def _content(X: np.ndarray, y: np.ndarray) -> str:
    """A fingerprint of a data set."""
    digest = hashlib.sha256(str(X.shape).encode())
    for array in (X, y):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


# ---------------------------------------------------------------------- the whole


def compare_methods(
    methods: Mapping[str, Any],
    data_sets: Mapping[str, Any] | Iterable[tuple[str, Any, Any]],
    *,
    knowledge: Any = "pairs",
    amount: int = 200,
    n_draws: int = 5,
    scores: Mapping[str, Callable[[MethodRun, Any], float]] | None = None,
    maximize: bool = True,
    baseline: str | None = None,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    path: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    verbose: bool | int = False,
) -> MethodComparison:
    """Run methods on data sets of known classes, each with the same draws of knowledge, and compare them.

    Parameters
    ----------
    methods : mapping of str to estimator or callable
        An estimator is cloned. It gets the number of classes as ``n_clusters`` and the seed as ``random_state`` if it
        has these parameters, and the knowledge if its ``fit`` takes it. So a plain ``KMeans`` is a baseline. A callable
        is given a `MethodRun`, and returns labels, or whatever `scores` take.
    data_sets : mapping of str to (X, y), or iterable of (name, X, y)
        Samples and their classes.
    knowledge : {"pairs", "triplets", "classes"}, Knowledge, callable or None
        The knowledge to draw: pairs or triplets of the classes, or the classes of some samples, or ``f(y, seed)`` that
        returns arguments of ``fit``. A `Knowledge` about the rows is the same in each draw.
    amount : int
        How many pairs, triplets or labelled samples.
    n_draws : int
        Draw k has the seed ``random_state + k``, for the knowledge and the methods.
    scores : mapping of str to callable, optional
        ``f(run, result)`` with a MethodRun and the fitted estimator, or the value that the callable returned. The first
        one ranks. By default ``{"F": ...}``, the pairwise F of the flat clusters.
    maximize : bool
        True if a greater first score is better.
    baseline : str, optional
        One of the methods, with which the others are compared draw by draw.
    time_limit : float, optional
        Seconds for one run, as of `time_limit`. A longer run has failed. Runs are then done in processes of their
        own, so that a run that crashes, or hears of no limit, has failed, too.
    n_jobs : int or None
        Runs at the same time, by joblib: None is 1, -1 all processors.
    path : path, optional
        A file of JSON lines to which each run is added when it is done. Runs in it are not repeated: a comparison
        that was interrupted goes on, and one with more methods, data sets or draws does only these. Runs of data or
        estimators that have changed are done anew. Only the name of a callable is known. Failures are kept: delete
        their lines to try again.
    random_state : int
        Seed of the first draw.
    verbose : bool or int
        If True, show a progress bar.

    Returns
    -------
    MethodComparison
        ``print`` shows ranks, ``.table()`` has means, standard errors and failures,
        `tripletree.plots.plot_methods` draws them.

    See Also
    --------
    evaluate_knowledge : whether knowledge helps if no classes are known.

    Notes
    -----
    Standard errors are over the draws of one data set: they say how sure the mean is for this data set, not whether a
    method is better on others. For that look at the ranks over many data sets, and at
    ``MethodComparison.critical_difference`` [1]_.

    References
    ----------
    .. [1] Demšar (2006), Statistical comparisons of classifiers over multiple data sets, J. Mach. Learn. Res. 7, 1-30.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.datasets import load_iris
    >>> from tripletree.cluster import COPKMeans
    >>> found = compare_methods(
    ...     {"k-means": KMeans(n_init=3), "COP-KMeans": COPKMeans()},
    ...     {"iris": load_iris(return_X_y=True)}, amount=100, n_draws=2, baseline="k-means")
    >>> best = found.ranks()[0]
    >>> best["method"], best["failed"]
    ('COP-KMeans', 0)
    >>> bool(found.table()[1]["gain"] > 0)
    True
    """
    names, sets = _checked_methods(methods, baseline), _checked_sets(data_sets)
    if isinstance(knowledge, str):
        check_choice(knowledge, "knowledge", KNOWLEDGE)
    elif knowledge is not None and not callable(knowledge) and not isinstance(knowledge, Knowledge):
        some = f"{', '.join(map(repr, KNOWLEDGE))}, None, a Knowledge, or f(y, seed)"
        msg = f"knowledge must be {some}, not {described(knowledge)}"
        raise TypeError(msg)
    check_count(amount, "amount", 1)
    draws = check_count(n_draws, "n_draws", 1)
    random_state = check_count(random_state, "random_state")
    if time_limit is not None:
        limit_of_time(time_limit)
    given = {"F": _flat_f} if scores is None else dict(scores)
    if not given or {"data", "method", "draw", "seconds", "failure", *_KEY} & given.keys():
        msg = f"scores must have names of their own, at least one of them; got {', '.join(map(repr, given)) or 'none'}"
        raise ValueError(msg)
    tasks = []
    for data, (X, y, k) in sets.items():
        try:
            _drawn(knowledge, y, amount, random_state)
        except ValueError as error:
            msg = f"data set {data!r}: {error}"
            raise ValueError(msg) from None
        content = _content(X, y)
        for method, model in names.items():
            for draw in range(draws):
                key = {
                    "data": data,
                    "content": content,
                    "method": method,
                    "settings": repr(sorted(model.get_params().items())) if hasattr(model, "get_params") else None,
                    "knowledge": _named(knowledge, amount),
                    "draw": draw,
                    "seed": random_state + draw,
                    "scores": list(given),
                }
                tasks.append(_Task(key, model, X, y, k, random_state + draw, knowledge, amount, given))
    file = None if path is None else os.fspath(path)
    done = {} if file is None else _read_runs(file)
    todo = [x for x in tasks if _identity(x.key) not in done]
    append = _appender(file if todo else None)
    with progress_bar(verbose, len(todo), "compare_methods", "runs") as tell:
        for record in _all_done(todo, n_jobs, time_limit):
            append(record)
            done[_identity(record)] = record
            tell(1)
    runs = []
    for task in tasks:
        record = done[_identity(task.key)]
        values = {score: record.get(score) for score in given}
        runs.append(
            {x: record[x] for x in ("data", "method", "draw")} | values | {x: record[x] for x in ("seconds", "failure")}
        )
    return MethodComparison(tuple(runs), tuple(given), tuple(sets), tuple(names), baseline, bool(maximize))


def _checked_methods(methods: Any, baseline: str | None) -> dict[str, Any]:
    if not isinstance(methods, Mapping) or not methods:
        msg = f"methods must be a mapping {{name: estimator}} with at least one, not {described(methods)}"
        raise ValueError(msg) if isinstance(methods, Mapping) else TypeError(msg)
    for name, method in methods.items():
        if isinstance(method, type) or not (hasattr(method, "fit") or callable(method)):
            msg = f"method {name!r} must be an estimator such as COPKMeans(), or a function, not {described(method)}"
            raise TypeError(msg)
    if baseline is not None and baseline not in methods:
        msg = f"baseline={baseline!r} is none of the methods: {', '.join(map(repr, methods))}"
        raise ValueError(msg)
    return {str(name): method for name, method in methods.items()}


def _triples(data_sets: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Names, samples and classes of data sets that are given in either way."""
    if isinstance(data_sets, (str, bytes)) or not isinstance(data_sets, Iterable):
        msg = f"data_sets must be a mapping {{name: (X, y)}} or a list of (name, X, y), not {described(data_sets)}"
        raise TypeError(msg)
    is_mapping = isinstance(data_sets, Mapping)
    for k, entry in enumerate(data_sets.items() if isinstance(data_sets, Mapping) else data_sets):
        given = entry[1] if is_mapping else entry
        if not isinstance(given, (tuple, list)) or len(given) != (2 if is_mapping else 3):
            where, wanted = (f"data set {entry[0]!r}", "(X, y)") if is_mapping else (f"data_sets[{k}]", "(name, X, y)")
            msg = f"{where} must be {wanted}, samples and their classes, not {described(given)}"
            raise TypeError(msg)
        yield (entry[0], *given) if is_mapping else tuple(given)


def _checked_sets(data_sets: Any) -> dict[str, tuple[np.ndarray, np.ndarray, int]]:
    found: dict[str, tuple[np.ndarray, np.ndarray, int]] = {}
    for name, X, y in _triples(data_sets):
        n_rows = row_count(X)
        try:
            points = np.asarray(X)
        except (TypeError, ValueError):  # rows of different lengths, columns of times
            points = np.empty(0)
        if points.ndim != 2 or points.dtype.kind not in "biufO":
            msg = f"data set {name!r} must be a dense table of numbers, a row for each sample, not {described(X)}"
            raise ValueError(msg)
        codes, known = label_codes(y, f"the classes of {name!r}")
        if len(codes) != n_rows:
            samples = counted(n_rows, "sample")
            msg = f"data set {name!r} has {samples}, but y has {len(codes)}: give a class for each sample"
            raise ValueError(msg)
        if len(known) < 2 or (codes < 0).any():
            msg = (
                f"data set {name!r} has {counted(len(known), 'class', 'classes')}, and {int((codes < 0).sum())} of its "
                f"{counted(len(points), 'sample')} have none: each sample needs a class, and two classes are the fewest"
            )
            raise ValueError(msg)
        if str(name) in found:
            msg = f"two data sets are called {name!r}; each needs a name of its own"
            raise ValueError(msg)
        found[str(name)] = points, codes, len(known)
    if not found:
        msg = "data_sets is empty; give at least one, {name: (X, y)}"
        raise ValueError(msg)
    return found
