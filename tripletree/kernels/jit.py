"""Kernels: loops over arrays, written as plain Python functions and compiled by numba if that pays.

Callers see a `Kernel`. It holds one function in two versions: `Kernel.plain` runs the function as Python, and
`Kernel.fast` runs the machine code that numba makes of it. Both give the same bits. A call of the kernel itself picks
one of them. The choice follows ``TRIPLETREE_JIT``:

"auto" (the default)
    A call is compiled if its arrays have more than `SMALL` entries, or if the kernel is loaded already. Other calls run
    as plain Python, so small inputs never wait for the compiler. This ends in two cases (`Kernel.pays`). Compiled code
    is loaded from the cache once plain Python has taken as long as loading takes. A kernel is compiled once plain
    Python has taken half as long as compiling takes.
"1"
    Every call is compiled. The tests run so.
"0"
    Every call is plain Python. numba is never imported, which helps coverage and debugging.

Bounds checking is numba's own switch: ``NUMBA_BOUNDSCHECK=1`` with a ``NUMBA_CACHE_DIR`` of its own.

Compiled code is kept in the user's cache folder, or in ``NUMBA_CACHE_DIR`` if that is set (`_folder`). numba's default
is a folder beside the sources. Such a folder would outlive the package, since pip only removes files that it installed.

numba compiles a part once for each kind of integer that it is called with: int32, int64, and every constant of
Python's. So kernels hand over int64, such as ``np.int64(tree[u, PARENT])`` or ``np.int64(0)``.

Switches of numba that its documentation does not describe are used in `njit`, `in_place`, `inner`, `inlined` and
`pointer`, and nowhere else: ``no_cpython_wrapper``, ``no_cfunc_wrapper``, ``forceinline`` and ``_nrt``. They save time.
Results and tests are the same without them.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from threading import RLock, local
from time import thread_time
from types import FunctionType
from typing import Annotated, Any, get_type_hints
from zlib import crc32

import numpy as np

from tripletree.errors import warn_user
from tripletree.interrupts import in_thread
from tripletree.kernels.first_use import alone, said

#: "auto", "always" or "never".
MODE: str = {
    "auto": "auto",
    **dict.fromkeys(("1", "on", "true"), "always"),
    **dict.fromkeys(("0", "off", "false"), "never"),
}.get(os.environ.get("TRIPLETREE_JIT", "auto").strip().lower(), "")
if not MODE:
    _MESSAGE = (
        f"TRIPLETREE_JIT is {os.environ['TRIPLETREE_JIT']!r}; set it to auto (compile the kernels where it pays, the "
        "default), 1 (compile all) or 0 (plain Python)"
    )
    raise ValueError(_MESSAGE)
if MODE != "never" and find_spec("numba") is None:  # a small installation, or a Python that numba does not know yet
    MODE = "never"
    warn_user(
        "numba is not installed, so kernels run as plain Python: the same results, but inputs of some thousand leaves "
        "or samples take a hundred times as long. Install numba, or set TRIPLETREE_JIT=0 if this is on purpose",
        RuntimeWarning,
    )

# ---------------------------------------------------------------------- state

# The state of a kernel is a NamedTuple of arrays (or of such tuples). Its fields name the types of their arrays, for
# kernels that are compiled for given types (`Pointer`): the type of the entries and the number of dimensions. "real" is
# float32 or float64, whichever the samples are.
Integers = Annotated[np.ndarray, "int64", 1]
IntegerTable = Annotated[np.ndarray, "int64", 2]
Bits = Annotated[np.ndarray, "uint64", 1]
BitTable = Annotated[np.ndarray, "uint64", 2]
Reals = Annotated[np.ndarray, "real", 1]
RealTable = Annotated[np.ndarray, "real", 2]
RealBlocks = Annotated[np.ndarray, "real", 3]


def _numba_type(kind: Any, real: str) -> Any:
    """The numba type for the name of a number type, a tuple of these, an annotated array, or a NamedTuple of arrays."""
    from numba import types

    if isinstance(kind, str):
        return getattr(types, real if kind == "real" else kind)
    if isinstance(kind, tuple):
        return types.Tuple([_numba_type(part, real) for part in kind])
    if hasattr(kind, "__metadata__"):
        entry, n_dimensions = kind.__metadata__
        return types.Array(_numba_type(entry, real), n_dimensions, "C")
    fields = get_type_hints(kind, include_extras=True).values()
    return types.BaseTuple.from_types([_numba_type(field, real) for field in fields], kind)


def total_size(value: Any) -> int:
    """The number of entries of an array, or of all arrays in a tuple."""
    return sum(map(total_size, value)) if isinstance(value, tuple) else getattr(value, "size", 0)


# ---------------------------------------------------------------------- kernels


def njit(function: FunctionType) -> Kernel:
    """Make a kernel that Python can call. It needs no Python objects and gives up the GIL."""
    return Kernel(function, nogil=True, no_cfunc_wrapper=True, _nrt=True)


def in_place(function: FunctionType) -> Kernel:
    """Make a kernel that neither creates nor returns arrays, so that numba need not count references to them.

    Parts that it calls may create arrays. Counting references to a state of a hundred arrays is half of the code.
    """
    return Kernel(function, nogil=True, no_cfunc_wrapper=True, _nrt=False)


def inner(function: FunctionType) -> Any:
    """Mark a part of kernels that Python never calls and that neither creates nor returns arrays.

    It needs no entry for Python or C, which would take long to compile. References to arrays are not counted. Each
    count is an atomic operation, and all of them were 40 % of the time of ReCon.
    """
    return _part(function, _nrt=False)


def inlined(function: FunctionType) -> Any:
    """Mark an `inner` part that is compiled into its callers, for one with a wide state and one or two callers.

    A real call hands over seven words for each array of the state. This was 15 % of an addition to a changing tree.
    Small parts are marked, too, if they are called for each end of a triplet: 40 % of the time of ReCon with triplets.
    """
    return _part(function, _nrt=False, forceinline=True)


def allocating(function: FunctionType) -> Any:
    """Mark a part of kernels that Python never calls and that creates arrays.

    It counts references even if its caller does not: without the switch, numba would take over the caller's choice.
    """
    return _part(function, _nrt=True)


def _part(function: FunctionType, **options: Any) -> Any:
    options = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    function.kernel_options = options  # type: ignore[attr-defined]
    return function


#: Calls with at most so many entries in all arrays run as plain Python at first.
SMALL = 50_000
#: A kernel is compiled after so many seconds of plain Python that are also this share of the seconds to compile it.
#: Later sessions gain by compiled code, too.
PATIENCE, SHARE = 0.1, 0.5
#: Seconds of plain Python, of all kernels, after which numba is started to load compiled code: starting takes about as
#: long. Once numba runs, loading one kernel takes about as long as `LOADING` seconds of it as plain Python.
STARTING, LOADING = 0.5, 0.02

_seconds_plain = 0.0
_in_plain = local()  # its `kernel` is the kernel that runs as plain Python in this thread


def _loading_pays(seconds: float) -> bool:
    """Whether loading compiled code, if there is some, takes less time than so many seconds of plain Python."""
    if "numba" in sys.modules:
        return seconds > LOADING
    return _seconds_plain + seconds > STARTING


class Kernel:
    """One loop in two versions, plain Python and compiled.

    Parameters
    ----------
    source : function
        Takes arrays, numbers, and tuples of these.
    **options
        Options of ``numba.njit``.
    """

    def __init__(self, source: FunctionType, **options: Any) -> None:
        self.source, self.kernel_options = source, options
        self.__name__, self.__doc__, self.__module__ = source.__name__, source.__doc__, source.__module__
        self.__wrapped__ = source
        self.seconds_plain = 0.0  #: that its plain version has taken in this session
        self._numba: Any = None  # the compiled function, once it is loaded
        self._loaded: set[tuple] = set()  # the kinds of the arguments that `fast` has seen
        self._is_kept: bool | None = None  # whether it lies in the cache, None before anybody has looked

    def __call__(self, *arguments: Any) -> Any:
        """Run the version that takes less time, see the head of this module."""
        if self._numba is None or MODE == "never":
            if getattr(_in_plain, "kernel", None) is not None:  # called by a kernel that runs as plain Python
                return self.source(*arguments)
            if not (self.pays(0.0, *arguments) or (MODE == "auto" and total_size(arguments) > SMALL)):
                return self.plain(*arguments)
            self._load(arguments)
        return self._run(*arguments)

    def plain(self, *arguments: Any) -> Any:
        """Run it as plain Python, as silent about infinities and overflows as compiled code is."""
        global _seconds_plain
        before, _in_plain.kernel = getattr(_in_plain, "kernel", None), self
        begin = thread_time()
        try:
            with np.errstate(all="ignore"):
                return self.source(*arguments)
        finally:
            seconds = thread_time() - begin
            _in_plain.kernel = before
            _seconds_plain += seconds
            self.seconds_plain += seconds

    def fast(self, *arguments: Any) -> Any:
        """Run it compiled, whatever the input. If nothing is compiled, run it as plain Python."""
        if MODE == "never":
            return self.plain(*arguments)
        import_numba()
        kinds = tuple(map(_kind, arguments))
        if kinds not in self._loaded:
            self._load(arguments)
            self._loaded.add(kinds)
        return self._run(*arguments)

    def version(self, is_fast: bool) -> Callable[..., Any]:
        """`fast` or `plain`."""
        return self.fast if is_fast else self.plain

    def pays(self, seconds: float, *arguments: Any) -> bool:
        """Whether to run it compiled for a call that takes about so many seconds as plain Python.

        Pointers among the arguments are compiled with it.
        """
        if MODE != "auto":
            return MODE == "always"
        if self._numba is not None:
            return True
        spent = self.seconds_plain + seconds
        pointers = [x for x in arguments if isinstance(x, Pointer)]
        if spent >= PATIENCE and spent >= SHARE * sum(map(seconds_to_compile, (self, *pointers))):
            return True
        if not _loading_pays(spent):
            return False
        if self._is_kept is None:
            self._is_kept = all(_is_kept(x) for x in (self, *pointers))
        return self._is_kept

    def _run(self, *arguments: Any) -> Any:
        try:
            return self._numba(*arguments)
        except OSError as error:  # numba has compiled it for further types, and cannot keep that
            _go_on_without_cache(error)
            self._numba = None
            self._load(arguments)
            return self._numba(*arguments)

    def _load(self, arguments: tuple) -> None:
        """Compile it for the types of some arguments, or load it from the cache. Ctrl-C is heard meanwhile."""
        import_numba()
        in_thread(self._load_here, _types(arguments))

    def _load_here(self, types: tuple) -> None:
        from numba.core.errors import NumbaError

        name, folder = _name(self), folder_of_cache()
        once = alone(folder, name) if folder else nullcontext()
        seconds = 0.0 if _is_kept(self, types) else seconds_to_compile(self)
        with _lock, said(name, seconds), once, _without_garbage_collector():
            kernel = self._numba or _compiled(self)
            try:
                kernel.compile(types)
            except NumbaError:
                raise
            except Exception as error:  # a full disk, a damaged file: reading one can raise anything
                _go_on_without_cache(error)
                kernel = _compiled(self)
                kernel.compile(types)
            self._numba = kernel
            _note_as_kept(self, types)


class Pointer:
    """A kernel that is compiled by itself and passed to other kernels, which call it by its address.

    A kernel that calls another one by name takes in all of its code and optimises it once more. Along a chain of large
    kernels this is most of the time to compile.

    Parameters
    ----------
    source : Kernel or function
        A kernel or an `inner` part.
    result : str or tuple
        The type of its result: a number type, or a tuple of these.
    *arguments : str or class
        The types of its arguments: number types, or classes of NamedTuples with annotated fields.
    real : {"float64", "float32"}
        The type that "real" stands for.
    """

    def __init__(self, source: Any, result: Any, *arguments: Any, real: str = "float64") -> None:
        self.source, self._types = getattr(source, "source", source), (result, arguments, real)
        self.__name__, self.__module__ = source.__name__, source.__module__
        self._numba: Any = None  # the compiled function, once it is loaded

    def __call__(self, *arguments: Any) -> Any:
        """Run it as plain Python."""
        return self.source(*arguments)

    def version(self, is_fast: bool) -> Any:
        """The arguments for `Kernel.fast` or for `Kernel.plain`."""
        if not is_fast or MODE == "never":
            return self
        if self._numba is None:
            import_numba()
            self._numba = in_thread(self._compiled)
        return self._numba

    def _compiled(self) -> Any:
        result, arguments, real = self._types
        with _lock:
            signature = _numba_type(result, real)(*(_numba_type(kind, real) for kind in arguments))
            name, folder = _name(self), folder_of_cache()
            once = alone(folder, name) if folder else nullcontext()
            seconds = 0.0 if _is_kept(self, signature.args) else seconds_to_compile(self)
            with said(name, seconds), once, _without_garbage_collector():
                compiled = _compiled(self, signature)
            _note_as_kept(self, signature.args)
            return compiled


# ---------------------------------------------------------------------- compilation


@cache
def _digest() -> str:
    """A fingerprint of all kernel sources.

    numba renews a cached kernel when its own file changes, but not when the file of a kernel that it calls does. With
    the fingerprint in its name, every kernel is renewed when any file changes.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


#: Bytes of bytecode that are compiled in a second: kernels of ReCon took one for 1,100 to 2,000 each.
BYTES_A_SECOND = 1500

_lock = RLock()
_scopes: dict[str, dict[str, Any]] = {}
_of_numba: dict[Any, Any] = {}
_all_of_numba: list[Any] = []


@cache
def import_numba() -> None:
    """Import numba in a thread, as Ctrl-C in the midst of it would leave half of it for the rest of the session."""
    in_thread(__import__, "numba")


def _types(arguments: tuple) -> tuple:
    import numba

    return tuple(map(numba.typeof, arguments))


def _kind(value: Any) -> Any:
    """Stands for the numba type of an argument. Equal kinds have equal types, and a kind takes a tenth of the time."""
    if isinstance(value, tuple):
        return type(value), *map(_kind, value)
    if isinstance(value, np.ndarray):
        flags = value.flags
        return value.dtype, value.ndim, flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
    if isinstance(value, (bool, float, np.generic)):
        return type(value)
    return _types((value,))


def _name(kernel: Any) -> str:
    return f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"


def _is_marked(value: Any) -> bool:
    return isinstance(value, Kernel) or isinstance(value, FunctionType) and hasattr(value, "kernel_options")


def _compiled(kernel: Any, signature: Any = None) -> Any:
    """The numba function of a kernel or a part, which is compiled when first called. A `Pointer` has a signature."""
    key = kernel if signature is None else (kernel, signature)
    if key not in _of_numba:
        _of_numba[key] = _with_numba(kernel, signature)
        _all_of_numba.append(_of_numba[key])
    return _of_numba[key]


def _with_numba(kernel: Any, signature: Any) -> Any:
    from numba.core.errors import NumbaError

    folder = folder_of_cache()
    if folder is None:
        return _decorated(kernel, signature)
    try:
        with _numba_keeps_in(folder):
            made = _decorated(kernel, signature, cache=True)
        if signature is not None or folder in Path(made.stats.cache_path).parents:
            return made
        error: Exception = PermissionError("a folder in it cannot be written")  # numba would write beside the sources
    except NumbaError:
        raise
    except Exception as caught:  # a full disk, no folder to write to, a damaged file: reading one can raise anything
        error = caught
    _go_on_without_cache(error)
    return _decorated(kernel, signature)


def _decorated(kernel: Any, signature: Any, **options: Any) -> Any:
    import numba

    function = getattr(kernel, "source", kernel)
    # a function of its own: in numba's cache a pointer must not stand for the part that other kernels call by name
    suffix = _digest() if signature is None else f"by_address_{_digest()}"
    twin = FunctionType(function.__code__, _scope(function.__module__), function.__name__, function.__defaults__)
    twin.__module__, twin.__qualname__ = function.__module__, f"{function.__qualname__}_{suffix}"
    options["error_model"] = "numpy"  # kernels never raise: a check at each division would keep loops from vectorising
    if signature is None:
        return numba.njit(**kernel.kernel_options, **options)(twin)
    return numba.cfunc(signature, nopython=True, _nrt=False, **options)(twin)


@contextmanager
def _numba_keeps_in(folder: Path) -> Iterator[None]:
    """Set numba's folder meanwhile: functions of others are kept where they were."""
    import numba

    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _scope(module: str) -> dict[str, Any]:
    """The globals of a module for compiled functions, with numba's version of kernels and parts in their places."""
    if module not in _scopes:
        scope = _scopes[module] = dict(vars(sys.modules[module]))
        for name, value in vars(sys.modules[module]).items():
            if _is_marked(value):
                scope[name] = _compiled(value)
    return _scopes[module]


@contextmanager
def _without_garbage_collector() -> Iterator[None]:
    """Switch the garbage collector off. The compiler makes few cycles, and looking for them is a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def n_compiled() -> int:
    """How many functions this process has compiled, parts of kernels included."""
    kernels = [x for x in _all_of_numba if hasattr(x, "stats")]
    pointers = [x for x in _all_of_numba if not hasattr(x, "stats")]
    return sum(sum(x.stats.cache_misses.values()) for x in kernels) + sum(x.cache_hits == 0 for x in pointers)


@cache
def seconds_to_compile(kernel: Any) -> float:
    """About how long a kernel takes to compile, from the length of all code that it calls by name."""
    seen, waiting = {kernel}, [kernel]
    while waiting:
        kernel = waiting.pop()
        function = getattr(kernel, "source", kernel)
        called = [function.__globals__.get(name) for name in function.__code__.co_names]
        new = {x for x in called if _is_marked(x)} - seen
        seen |= new
        waiting.extend(new)
    return sum(len(getattr(x, "source", x).__code__.co_code) for x in seen) / BYTES_A_SECOND


# ---------------------------------------------------------------------- the cache on disk

_cache_has_failed = False


def folder_of_cache() -> Path | None:
    """The folder for compiled code, None if it cannot be written, or has failed in this session."""
    return None if _cache_has_failed else _folder()


@cache
def _folder() -> Path | None:
    """Numba's folder if one is set, else the user's."""
    from platformdirs import user_cache_path

    # numba reads the variable when it is imported, which may have been before the variable was set; another thread may
    # be importing it now, and then it has no settings yet
    settings = getattr(sys.modules.get("numba"), "config", None)
    set_for_numba = getattr(settings, "CACHE_DIR", None) or os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(set_for_numba or user_cache_path("tripletree", appauthor=False)).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        _warn_of_cache(error, folder)
        return None
    return folder


def _warn_of_cache(error: Exception, folder: Path) -> None:
    """Warn of the first failure only: if one kernel cannot be kept, hardly any can."""
    global _cache_has_failed
    if not _cache_has_failed:
        _cache_has_failed = True
        warn_user(
            f"the cache of compiled kernels in {folder} failed ({type(error).__name__}: {error}); kernels are compiled "
            "again in this run. Free space there, delete the folder, or set NUMBA_CACHE_DIR to another one",
            RuntimeWarning,
        )


def _go_on_without_cache(error: Exception) -> None:
    """Compile kernels in this session without keeping them. Damaged files are removed, so that the next one has none.

    By itself numba lets a full disk, a quota and a file that was cut off end the run, and every later run.
    """
    folder = folder_of_cache()
    if folder is None:
        return
    if not isinstance(error, OSError):
        for path in {Path(x.stats.cache_path) for x in _all_of_numba if hasattr(x, "stats") and x.stats.cache_path}:
            if folder in path.parents:
                shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(folder / _KEPT, ignore_errors=True)
    _warn_of_cache(error, folder)
    _of_numba.clear()
    _scopes.clear()


#: In this folder of the cache a file for each kernel names the types that it was compiled for: its existence says,
#: without an import of numba, that compiled code can be loaded.
_KEPT = "kept"


def _note_of(kernel: Any) -> Path | None:
    folder = folder_of_cache()
    if folder is None:
        return None
    kind = "_by_address" if isinstance(kernel, Pointer) else ""
    name = f"{_name(kernel)}{kind}_{_digest()}_numba-{version('numba')}_{sys.implementation.cache_tag}"
    return folder / _KEPT / name


def _is_kept(kernel: Any, types: tuple | None = None) -> bool:
    """Whether compiled code of a kernel for some types, or for any, lies in the cache."""
    note = _note_of(kernel)
    if note is None or not note.exists():
        return False
    return types is None or str(crc32(str(types).encode())) in note.read_text().split()


def _note_as_kept(kernel: Any, types: tuple) -> None:
    note = _note_of(kernel)
    if note is None or _is_kept(kernel, types):
        return
    with suppress(OSError):  # then a small input does not know of it, and nothing else happens
        note.parent.mkdir(exist_ok=True)
        with note.open("a") as file:
            file.write(f"{crc32(str(types).encode())}\n")
