"""`time_limit`: every kind of long work is cut short by it, and a later call gives the same result as without."""

# ruff: noqa: PT012 (the blocks are tested)

import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from examples import caterpillar, yule
from hypothesis import given, settings
from hypothesis import strategies as st

import tripletree as tt
from tripletree import cluster, interrupts
from tripletree.core.checks import described
from tripletree.interrupts import check_time

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(tt.__file__).parents[1])}


def forever():
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass


def clock_watched():
    """Work that looks at the clock, as the core does in any thread."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        check_time()
        time.sleep(0.001)


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    yield
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)  # an alarm too many would end the next test, too
    assert interrupts._limits() == []


#: Between the opening of a file and its ``with`` an interrupt leaves the file to the collector, as Ctrl-C does.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    # a limit that strikes in a finaliser comes again: Python drops the first error and says so
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

# ---------------------------------------------------------------------- work that ends


def test_time_limit__what_is_done_in_time_is_as_without():
    triplets = tt.TripletSet.from_labels([("a", "b", "c")])
    with tt.time_limit(1000):
        found = tt.one_tree(triplets)
    assert found == tt.one_tree(triplets)


def long_fits(rng):
    X = rng.normal(size=(4000, 4))
    y = np.arange(4000) % 50
    pairs = tt.sample_class_pairs(y, 4000, random_state=0)
    triplets = tt.sample_class_triplets(y, 20_000, random_state=0)
    return {
        "ReCon": lambda: cluster.ReCon(linkage="average").fit(X, triplets=triplets),
        "ReCon with a price": lambda: cluster.ReCon(penalty=0.1).fit(X, triplets=triplets),
        "DivisiveReCon": lambda: cluster.DivisiveReCon(10).fit(X, triplets=triplets),
        "COPKMeans": lambda: cluster.COPKMeans(50, n_init=50).fit(X, pairs=pairs),
        "PCKMeans": lambda: cluster.PCKMeans(50, n_init=50).fit(X, pairs=pairs),
        "CVQE": lambda: cluster.CVQE(50, n_init=50).fit(X, pairs=pairs),
        "ConstrainedCompleteLink": lambda: cluster.ConstrainedCompleteLink(on_infeasible="violate").fit(X, pairs=pairs),
        "repair": lambda: tt.repair(tt.TripletSet(rng.permuted(triplets.rows, axis=1)[:3000], triplets.leaves)),
        "describe": lambda: tt.describe(triplets),
        "another package": lambda: np.linalg.svd(rng.normal(size=(100, 100))) and forever(),
        "the machine": lambda: time.sleep(30),
    }


@pytest.mark.parametrize("name", list(long_fits(np.random.default_rng(0))))
def test_time_limit__ends_long_work(rng, name):
    work = long_fits(rng)[name]
    with pytest.raises(tt.TimeLimitError) as caught, tt.time_limit(0.02):
        for _ in range(100):  # some of it is quick on a quick machine
            work()
    assert isinstance(caught.value, TimeoutError)
    assert caught.value.seconds == 0.02


def test_time_limit__a_later_fit_is_as_without(rng):
    """Wherever a fit was cut short."""
    y = np.arange(600) % 5
    X = rng.normal(size=(600, 3)) + y[:, None]
    triplets = tt.sample_class_triplets(y, 1000, random_state=0)
    model = cluster.ReCon(n_clusters=5, linkage="average")
    before, ended, named = X.copy(), 0, set()
    for seconds in (0.001, 0.003, 0.005, 0.01, 0.02, 0.04, 0.08):
        try:
            with tt.time_limit(seconds):
                for _ in range(3):
                    model.fit(X, triplets=triplets)
        except tt.TimeLimitError as error:
            ended += 1
            named.add(error.what)
    assert ended > 0
    assert named <= {"ReCon.fit", None}
    assert np.array_equal(X, before)
    fresh = cluster.ReCon(n_clusters=5, linkage="average").fit(X, triplets=triplets)
    assert np.array_equal(model.fit(X, triplets=triplets).labels_, fresh.labels_)
    assert np.array_equal(model.linkage_, fresh.linkage_)


AGAIN_AND_AGAIN = """
import sys
import numpy as np, tripletree as tt
X = np.random.default_rng(0).normal(size=(300, 3))
ended = 0
for k in range(200):
    try:
        with tt.time_limit(0.02 * 1.7**k):
            from tripletree.cluster import ReCon
            labels = ReCon(3, linkage="average").fit(X, triplets=[(0, 1, 2), (5, 6, 7)]).labels_
        break
    except tt.TimeLimitError:
        ended += 1
print(ended > 0, ReCon.__name__, *labels)
"""


def test_time_limit__a_new_session_survives_limits_while_it_imports_and_loads():
    done = subprocess.run(
        [sys.executable, "-c", AGAIN_AND_AGAIN], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    X = np.random.default_rng(0).normal(size=(300, 3))
    wanted = cluster.ReCon(3, linkage="average").fit(X, triplets=[(0, 1, 2), (5, 6, 7)]).labels_
    assert (done.stdout.split(), done.stderr) == (["True", "ReCon", *map(str, wanted)], "")


def test_time_limit__leaves_no_half_written_file(tmp_path, rng):
    tree = yule(60_000, rng)
    path = tmp_path / "tree.nwk"
    path.write_text("(a,b);\n")
    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        while True:
            tt.write_newick(tree, tmp_path / "other.nwk")
            (tmp_path / "other.nwk").unlink()
    assert {x.name for x in tmp_path.iterdir()} <= {"tree.nwk", "other.nwk"}
    assert path.read_text() == "(a,b);\n"


def test_time_limit__does_not_name_what_users_do_not_know():
    with pytest.raises(tt.TimeLimitError, match="0.05 s was reached; raise it") as caught, tt.time_limit(0.05):
        while True:
            described(range(1000))
    assert caught.value.what is None


def test_time_limit__says_what_was_running(rng):
    tree = caterpillar(3000)
    told = "limit of 0.05 s was reached in decompose; raise it"
    with pytest.raises(tt.TimeLimitError, match=told) as caught, tt.time_limit(0.05):
        while True:
            tt.decompose(tree)
    assert caught.value.what == "decompose"
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.seconds, copy.what) == (str(caught.value), 0.05, "decompose")
    cause = pickle.loads(pickle.dumps(caught.value.__context__))  # Dask sends it along
    assert str(cause) == "the time limit of 0.05 s was reached"


def test_time_limit__nobody_takes_it_for_a_failure():
    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        try:
            forever()
        except Exception:  # noqa: BLE001
            pytest.fail("taken for a failure")


def test_time_limit__is_told_even_if_somebody_swallows_it():
    def deaf():
        try:
            forever()
        except BaseException:  # noqa: BLE001
            return

    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        deaf()

    def clumsy():
        try:
            forever()
        except BaseException as error:
            msg = "something else"
            raise TypeError(msg) from error

    with pytest.raises(tt.TimeLimitError) as caught, tt.time_limit(0.02):
        clumsy()
    assert isinstance(caught.value.__cause__, TypeError)


def test_time_limit__comes_again_after_a_callback_and_later_in_an_import(tmp_path, monkeypatch):
    """Python drops an error that comes up in a callback from C."""
    reached = []

    def callback():
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            pass

    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        ctypes.CFUNCTYPE(None)(callback)()
        reached.append("callback")
        forever()
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(.1)\nwhole = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        import slow_to_import

        reached.append("import")
        forever()
    assert reached == ["callback", "import"]
    assert slow_to_import.whole


def test_time_limit__works_in_a_module_that_is_being_imported(tmp_path, monkeypatch):
    (tmp_path / "limited.py").write_text(
        "import time, tripletree as tt\ntry:\n    with tt.time_limit(.02):\n        time.sleep(30)\n"
        "except TimeoutError:\n    ended = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import limited

    assert limited.ended


# ---------------------------------------------------------------------- several


@settings(max_examples=20)
@given(st.lists(st.sampled_from([0.03, 0.09, 0.2, 5.0, 7.0]), min_size=1, max_size=4, unique=True))
def test_time_limit__the_nearest_of_several_ends_it(limits):
    if min(limits) > 1:
        limits = [*limits, 0.03]
    found = []
    with pytest.raises(tt.TimeLimitError) as caught, ExitStack() as stack:
        for seconds in limits:
            stack.enter_context(tt.time_limit(seconds))
        try:
            forever()
        finally:
            found.append("ended")
    assert caught.value.seconds == min(limits)
    assert found == ["ended"]


def test_time_limit__after_an_inner_one_the_outer_one_still_counts():
    with pytest.raises(tt.TimeLimitError) as caught, tt.time_limit(0.2):
        while True:
            with pytest.raises(tt.TimeLimitError) as inner, tt.time_limit(0.01):
                forever()
            if inner.value.seconds != 0.01:  # pragma: no cover (the outer one goes through)
                break
    assert caught.value.seconds == 0.2


def test_time_limit__one_object_is_for_one_block_at_a_time():
    limit = tt.time_limit(0.02)
    for _ in range(2):
        with pytest.raises(tt.TimeLimitError), limit:
            forever()
    limit = tt.time_limit(10)
    with pytest.raises(RuntimeError, match="this limit is in use"), limit, limit:
        pass


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), np.float64(-0.5)])
def test_time_limit__must_be_positive(seconds):
    with pytest.raises(ValueError, match="finite number of seconds above 0, not"):
        tt.time_limit(seconds)


@pytest.mark.parametrize("seconds", ["60", None, True, [1], 1j])
def test_time_limit__must_be_a_number(seconds):
    with pytest.raises(TypeError, match="number of seconds above 0, not"):
        tt.time_limit(seconds)


@pytest.mark.parametrize("seconds", [1e-300, np.float32(1e-9), 1e300, 10**400])
def test_time_limit__extreme_numbers(seconds):
    if seconds < 1:
        with pytest.raises(tt.TimeLimitError), tt.time_limit(seconds):
            forever()
    else:
        with tt.time_limit(seconds):
            time.sleep(0.01)


# ---------------------------------------------------------------------- threads, Ctrl-C


def test_time_limit__other_threads_look_at_the_clock():
    def limited(seconds):
        try:
            with tt.time_limit(1000), tt.time_limit(seconds):
                clock_watched()
        except tt.TimeLimitError as error:
            return error.seconds

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(limited, [0.02, 0.1, 0.05])) == [0.02, 0.1, 0.05]


@pytest.mark.parametrize("name", list(long_fits(np.random.default_rng(0)))[:-2])
def test_time_limit__ends_long_work_in_other_threads(rng, name):
    work = long_fits(rng)[name]

    def limited():
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
            for _ in range(100):
                work()
        return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(limited).result()


def test_time_limit__of_one_thread_is_no_matter_of_others():
    with ThreadPoolExecutor(1) as pool, pytest.raises(tt.TimeLimitError), tt.time_limit(0.05):
        other = pool.submit(lambda: [check_time() for _ in range(100) if time.sleep(0.002) is None])
        forever()
    assert len(other.result()) == 100


@pytest.mark.slow
def test_time_limit__in_workers_of_joblib():
    joblib = pytest.importorskip("joblib")
    tasks = [joblib.delayed(worker)(x) for x in (0.02, 1000)]
    assert joblib.Parallel(2)(tasks) == [0.02, None]


def worker(seconds):
    try:
        with tt.time_limit(seconds):
            if seconds < 1:
                time.sleep(30)
    except tt.TimeLimitError as error:
        return error.seconds


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_time_limit__ctrl_c_is_still_ctrl_c():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), tt.time_limit(1000), tt.time_limit(2000):
        forever()
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.3):
            forever()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [True]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_time_limit__where_ctrl_c_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.1):
            signal.raise_signal(signal.SIGINT)
            forever()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_time_limit__no_signal_comes_late():
    """Blocks that end at the very moment of their limits."""
    rng, ended = np.random.default_rng(0), 0
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # threads take turns that often
    for wait in rng.uniform(0.0, 0.003, 500):
        try:
            with tt.time_limit(0.0015):
                end = time.perf_counter() + wait
                while time.perf_counter() < end:
                    pass
        except tt.TimeLimitError:
            ended += 1
    sys.setswitchinterval(before)
    time.sleep(0.1)
    assert 0 < ended < 500


def test_time_limit__ends_a_loop_without_a_call():
    """From Python 3.13 on it leaves the function without the end of the block, and perhaps without this ``except``."""

    def count(limit):
        number = 0
        try:
            with limit:
                while number >= 0:
                    number += 1
        except tt.TimeLimitError as error:
            return error.seconds

    with tt.time_limit(60):
        try:
            found = count(tt.time_limit(0.01))
        except tt.TimeLimitError as error:
            found = error.seconds
    assert found == 0.01


def test_time_limit__the_outer_one_may_end_first():
    outer, inner = tt.time_limit(60), tt.time_limit(0.05)
    outer.__enter__()
    with pytest.raises(tt.TimeLimitError), inner:
        outer.__exit__(None, None, None)
        forever()


@pytest.mark.skipif(os.name == "nt", reason="needs SIGINT")
def test_time_limit__ctrl_c_in_a_loop_without_a_call():
    def count():
        number = 0
        with tt.time_limit(60), tt.time_limit(50):
            while number >= 0:
                number += 1

    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        count()


def test_time_limit__waits_for_the_end_of_a_collection_of_garbage(monkeypatch):
    """Python drops the errors of callbacks of the collector, and says so on the screen."""
    met, dropped, before = [], [], list(gc.callbacks)
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)

    def callback(phase, info):
        if not met:
            met.append(phase)
            time.sleep(0.1)

    class Ring:
        def __init__(self):
            self.itself = self

    ring = Ring()
    finaliser = weakref.finalize(ring, lambda: [met.append("finaliser"), time.sleep(0.1)])
    del ring

    gc.callbacks.append(callback)
    try:
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
            gc.collect()
            met.append("collected")
            forever()
    finally:
        gc.callbacks.remove(callback)
    assert (met, dropped) == (["start", "finaliser", "collected"], [])
    assert not finaliser.alive
    assert gc.callbacks == before


def test_time_limit__other_callbacks_of_the_collector():
    """One that removes itself makes Python leave out the next one. Others may remove all."""

    def once(phase, info):
        if phase == "stop":
            gc.callbacks.remove(once)

    gc.callbacks.insert(0, once)
    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        gc.collect()
        forever()
    before = gc.callbacks[:]
    try:
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
            gc.callbacks.clear()
            forever()
    finally:
        gc.callbacks[:] = before


def test_time_limit__ends_while_another_thread_collects_garbage():
    """The next limit strikes all the same."""
    begun, ended = threading.Event(), threading.Event()

    class Ring:
        def __init__(self):
            self.itself = self

    ring = Ring()
    weakref.finalize(ring, lambda: [begun.set(), ended.wait(10)])
    del ring
    other = threading.Thread(target=gc.collect)
    with tt.time_limit(60):
        other.start()
        assert begun.wait(10)
    ended.set()
    other.join()
    with pytest.raises(tt.TimeLimitError), tt.time_limit(0.02):
        forever()


def test_time_limit__puts_back_the_alarm_of_others():
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(tt.TimeLimitError), tt.time_limit(0.05):
            forever()
        assert heard == []
        assert 0.0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.3
        end = time.monotonic() + 20
        while not heard and time.monotonic() < end:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heard == [True]


def test_time_limit__no_limit_strikes_while_another_does(monkeypatch):
    named = interrupts._named

    def slow(frames):
        time.sleep(0.1)
        return named(frames)

    monkeypatch.setattr(interrupts, "_named", slow)
    found = []
    with pytest.raises(tt.TimeLimitError) as outer, tt.time_limit(0.05):
        try:
            with tt.time_limit(0.02):
                forever()
        except tt.TimeLimitError as error:
            found.append(error.seconds)
        forever()
    assert (found, outer.value.seconds) == ([0.02], 0.05)
