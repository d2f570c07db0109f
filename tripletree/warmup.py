"""Compile the kernels before they are needed: in parallel, once on a machine (``tripletree warmup``).

Each job makes calls of one kind on little data, with every kernel compiled. Each process does one job at a time.
If two need the same kernel, one of them compiles it and the other one waits (``kernels/first_use.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np

from tripletree import kernels
from tripletree.core.progress import progress_bar
from tripletree.errors import TripletreeError


def warm_up(what: Iterable[str] | None = None, *, n_jobs: int = -1, verbose: bool | int = True) -> int:
    """Compile the kernels of this installation, so that nothing later waits for the compiler.

    Parameters
    ----------
    what : iterable of str, optional
        For which kinds of calls. By default for all: "builder", "cannot-links" (many, in k-means), "complete-link",
        "conflicts", "cvqe" (and boosted k-means), "divisive", "hierarchies", "inference", "kmeans", "long-hierarchies",
        "ontology", "recon", "recon-distances" (average linkage and the like), "recon-sparse", "repair", "supertree".
    n_jobs : int
        Processes. -1 for one a core.
    verbose : bool or int
        If True, show progress.

    Returns
    -------
    n_compiled : int
        How many kernels were compiled. 0 if all were before.

    Notes
    -----
    Compiled kernels lie in the user's folder for caches (on Linux ``~/.cache/tripletree``), or in ``NUMBA_CACHE_DIR``
    where that is set. It holds for one processor, one version of Python and of numba, and one installation of the
    package. The folder can be deleted at any time.

    Examples
    --------
    >>> import tripletree as tt
    >>> n_compiled = tt.warm_up(["hierarchies"], verbose=False)
    """
    import warnings

    from joblib import cpu_count
    from joblib.externals.loky import FIRST_COMPLETED, ProcessPoolExecutor, wait

    names = list(JOBS if what is None else dict.fromkeys(what))
    unknown = [x for x in names if x not in JOBS]
    if unknown:
        msg = f"there is nothing called {unknown[0]!r} to compile; there are {', '.join(sorted(JOBS))}"
        raise ValueError(msg)
    if n_jobs == 0 or n_jobs < -1:
        msg = f"n_jobs is {n_jobs}; give a number of processes, or -1 for one a core"
        raise ValueError(msg)
    if kernels.MODE == "never":
        msg = "kernels are not compiled here (TRIPLETREE_JIT=0, or numba is not installed), so nothing can be"
        raise TripletreeError(msg)
    folder = kernels.folder_of_cache()
    if folder is None:
        msg = "no folder can be written to keep compiled kernels; set NUMBA_CACHE_DIR to one that can"
        raise TripletreeError(msg)
    workers = min(cpu_count() if n_jobs == -1 else n_jobs, max(len(names), 1))
    environment = {"TRIPLETREE_JIT": "1", "OMP_NUM_THREADS": "1", "NUMBA_CACHE_DIR": str(folder)}
    pool = ProcessPoolExecutor(workers, env=environment)
    n_compiled, done = 0, False
    try:
        with warnings.catch_warnings(), progress_bar(verbose, len(names), "compiling", "jobs") as moved:
            warnings.filterwarnings("ignore", message="A worker stopped")  # for another one, as it had grown large
            waiting, running = names[::-1], set[Any]()
            while waiting or running:
                while waiting and len(running) < workers:  # no more: loky stumbles over those left when it is stopped
                    running.add(pool.submit(do_job, waiting.pop()))
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                n_compiled += sum(x.result() for x in ended)
                if moved is not None:
                    moved(len(ended))
        done = True
    finally:
        pool.shutdown(kill_workers=not done)
    return n_compiled


def do_job(name: str) -> int:
    """Make the calls of a job. Return how many kernels were compiled for it."""
    import warnings

    before = kernels.n_compiled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about data that nobody has asked for
        JOBS[name](import_module("tripletree"))
    return kernels.n_compiled() - before


# ---------------------------------------------------------------------- the jobs

_TREES = (
    "((((a,b),c),(d,e)),((f,g),(h,i,j)));",
    "((((a,c),b),(d,f)),((e,g),((h,i),j)));",
    "((((b,c),a),(d,f)),((e,h),((g,i),j)));",
)


def _data() -> tuple[np.ndarray, np.ndarray]:
    """Samples of three classes."""
    classes = np.repeat(np.arange(3), 10)
    return np.random.default_rng(0).normal(size=(30, 3)) + 2 * classes[:, None], classes


def _contradictory(tt: Any) -> Any:
    return tt.decompose(tt.parse_newick(_TREES[0])) | tt.decompose(tt.parse_newick(_TREES[1]))


def _many_cannot_links(tt: Any) -> None:
    """Cannot-links that greedy choices do not hold, so that they are searched for."""
    from tripletree.cluster import COPKMeans

    X, _ = _data()
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 3, 30)
    apart = [(i, j) for i in range(30) for j in range(i) if hidden[i] != hidden[j] and rng.random() < 0.35]
    COPKMeans(3, n_init=1, random_state=0).fit(X, pairs=tt.PairwiseConstraints([], apart, leaves=range(30)))


def _constraints(tt: Any) -> tuple[Any, Any]:
    """Triplets and pairs from the classes of `_data`."""
    _, classes = _data()
    return tt.sample_class_triplets(classes, 30, random_state=0), tt.sample_class_pairs(classes, 20, random_state=0)


def _hierarchies(tt: Any) -> None:
    first, second, _ = map(tt.parse_newick, _TREES)
    triplets = tt.decompose(first)
    tt.one_tree(tt.sample_triplets(first, 20, random_state=0))
    tt.decompose(first, guarantee="rebuild")
    tt.displays(second, triplets)
    tt.compare_triplets(first, second)
    tt.robinson_foulds(first, second)
    tt.satisfies(np.arange(10) // 3, triplets)
    tt.cut(first, 3)
    tt.dendrogram_purity(first, np.arange(10) // 4)


def _long_hierarchy(tt: Any) -> None:
    """A caterpillar, on which BUILD goes on with its second kernel."""
    newick = "x0"
    for i in range(1, 200):
        newick = f"({newick},x{i}:1):1"
    caterpillar = tt.parse_newick(f"{newick};")
    tt.one_tree(tt.decompose(caterpillar))
    caterpillar.restrict([f"x{i}" for i in range(100)])
    _ = caterpillar.depth, caterpillar.height
    tt.from_linkage(tt.to_linkage(tt.parse_newick("(((a,b),c),d);"), monotone=True))


def _inference(tt: Any) -> None:
    triplets = tt.decompose(tt.parse_newick(_TREES[0]))
    tt.closure(triplets)
    tt.minimal(triplets)
    tt.implies(triplets, triplets)


def _builder(tt: Any) -> None:
    triplets = _contradictory(tt)
    builder = tt.TripletBuilder(triplets.leaves)
    for triplet in triplets:
        builder.try_add(triplet)
    builder.remove(next(iter(builder.triplets)))
    builder.undo()
    builder.try_add_rows(triplets.rows)
    builder.can_add(next(iter(triplets)))


def _conflicts(tt: Any) -> None:
    triplets = _contradictory(tt)
    tt.find_conflict(triplets)
    tt.find_conflicts(triplets, 3)


def _repair(tt: Any) -> None:
    triplets = _contradictory(tt)
    for method in ("auto", "exact", "search", "greedy"):
        tt.repair(triplets, method=method, random_state=0)


def _supertree(tt: Any) -> None:
    hierarchies = [tt.parse_newick(x) for x in _TREES]
    for votes in ("triplet", "tree"):
        tt.supertree(hierarchies, votes=votes, random_state=0)


def _ontology(tt: Any) -> None:
    ontology = tt.Ontology(list("rabcxyzw"), [(1, 0), (2, 0), (3, 2), (4, 1), (5, 1), (5, 2), (6, 2), (6, 3), (7, 3)])
    tt.decompose(ontology)
    tt.count_triplets(ontology)
    tt.sample_triplets(ontology, 1, random_state=0)
    for parent in ("deepest", "smallest"):
        ontology.to_hierarchy(parent=parent)
    ontology.ancestors("x")
    ontology.descendants("a")


def _recon(tt: Any, linkage: str, **settings: Any) -> None:
    from tripletree.cluster import ReCon

    X, _ = _data()
    triplets, pairs = _constraints(tt)
    ReCon(3, linkage=linkage, **settings).fit(X, triplets=triplets).predict(X)
    if not settings:
        for cut in ("merge_order", "constraints", "support"):
            ReCon(3, linkage=linkage, cut=cut).fit(X, triplets=triplets, pairs=pairs)


def _recon_on_centres(tt: Any) -> None:
    _recon(tt, "centroid")
    _recon(tt, "ward")


def _recon_on_distances(tt: Any) -> None:
    _recon(tt, "average")
    _recon(tt, "average", penalty=1.0)


def _recon_on_sparse_samples(tt: Any) -> None:
    from scipy.sparse import csr_array

    from tripletree.cluster import ReCon

    X, _ = _data()
    ReCon(3).fit(csr_array(X), triplets=_constraints(tt)[0])


def _complete_link(tt: Any) -> None:
    from tripletree.cluster import ConstrainedCompleteLink

    ConstrainedCompleteLink(3).fit(_data()[0], pairs=_constraints(tt)[1])


def _divisive(tt: Any) -> None:
    from tripletree.cluster import DivisiveReCon

    X, classes = _data()
    triplets, _ = _constraints(tt)
    for constraints in ("hard", "soft"):
        DivisiveReCon(3, constraints=constraints).fit(X, triplets=triplets)
    DivisiveReCon(3, metric="cosine").fit(X, triplets=triplets)
    DivisiveReCon(3).fit(X, classes=np.where(np.arange(30) % 3, -1, classes))


def _kmeans(tt: Any) -> None:
    from tripletree.cluster import COPKMeans, MPCKMeans, PCKMeans

    X, _ = _data()
    _, pairs = _constraints(tt)
    COPKMeans(3, n_init=1, random_state=0).fit(X, pairs=pairs)
    COPKMeans(3, n_init=1, min_size=8, random_state=0).fit(np.concatenate([X[:22], X[-2:]]))
    PCKMeans(3, n_init=1, random_state=0).fit(X, pairs=pairs)
    for metric in ("full", "diagonal"):
        MPCKMeans(3, metric=metric, n_init=1, random_state=0).fit(X, pairs=pairs)


def _cvqe(tt: Any) -> None:
    from tripletree.cluster import CVQE, BoostedConstrainedKMeans

    X, _ = _data()
    _, pairs = _constraints(tt)
    for variant in ("cvqe", "cvqe+", "lcvqe"):
        CVQE(3, variant=variant, n_init=1, random_state=0).fit(X, pairs=pairs)
    BoostedConstrainedKMeans(3, random_state=0).fit(X, pairs=pairs)


#: The longest comes first, so that no process is left alone with it at the end. Others of ReCon come late, when most of
#: their kernels are compiled. At once with the first, a second process waited for it a third of the time.
JOBS: dict[str, Callable[[Any], None]] = {
    "divisive": _divisive,
    "builder": _builder,
    "supertree": _supertree,
    "inference": _inference,
    "repair": _repair,
    "kmeans": _kmeans,
    "cvqe": _cvqe,
    "ontology": _ontology,
    "cannot-links": _many_cannot_links,
    "recon-distances": _recon_on_distances,
    "recon": _recon_on_centres,
    "recon-sparse": _recon_on_sparse_samples,
    "conflicts": _conflicts,
    "complete-link": _complete_link,
    "hierarchies": _hierarchies,
    "long-hierarchies": _long_hierarchy,
}
