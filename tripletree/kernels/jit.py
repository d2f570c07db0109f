"""How kernels are compiled, and when: the marks on their sources, and what numba makes of them.

A kernel is a plain function that carries a mark. ``TRIPLETREE_JIT`` says what is called in its place:

"auto" (the default)
    Small inputs run as plain Python until that has taken as long as loading compiled code takes; from then on what
    lies compiled in the cache is used for them, too. What does not is compiled, once on a machine, for larger inputs,
    and after plain Python has taken half the time that compiling takes: who looks at some hundred samples does
    not wait for the compiler.
"1"
    Always the compiled one (the tests run so).
"0"
    Always plain Python; numba is never imported (for coverage and debugging, and where it is not installed).

Both give the same results, to the bit. Bounds checking is numba's own switch: ``NUMBA_BOUNDSCHECK=1`` with a
``NUMBA_CACHE_DIR`` of its own.

Compiled code is kept in the user's folder for caches, or in the one that numba is told to use (`_folder`). numba by
itself keeps it beside the sources. There it would outlive the package: pip leaves files that it did not install, and
their folders then stand for the package in the place of an editable installation.
"""

from __future__ import annotations

import gc
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from threading import RLock
from time import thread_time
from types import FunctionType, ModuleType
from typing import Annotated, Any, get_type_hints

import numpy as np

from tripletree.errors import warn_user
from tripletree.interrupts import ctrl_c_waits
from tripletree.kernels.first_use import alone, said

__all__ = [
    "MODE",
    "BitTable",
    "Bits",
    "Dispatcher",
    "IntegerTable",
    "Integers",
    "KernelModule",
    "RealBlocks",
    "RealTable",
    "Reals",
    "allocating",
    "compiled",
    "compiling_pays",
    "total_size",
    "in_place",
    "inlined",
    "inner",
    "is_kept",
    "is_marked",
    "loading_pays",
    "n_compiled",
    "njit",
    "plainly",
    "pointer",
]

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

# The state of a kernel is a NamedTuple of arrays (or of such tuples). Its fields carry the numba types of their arrays,
# for kernels that are compiled by signature; "real" is float32 or float64, whichever the samples are.
Integers = Annotated[np.ndarray, "int64[::1]"]
IntegerTable = Annotated[np.ndarray, "int64[:, ::1]"]
Bits = Annotated[np.ndarray, "uint64[::1]"]
BitTable = Annotated[np.ndarray, "uint64[:, ::1]"]
Reals = Annotated[np.ndarray, "real[::1]"]
RealTable = Annotated[np.ndarray, "real[:, ::1]"]
RealBlocks = Annotated[np.ndarray, "real[:, :, ::1]"]


def _numba_type(kind: Any, real: str) -> Any:
    """The numba type of a string, or of a class of NamedTuples with annotated fields."""
    from numba import types
    from numba.core.sigutils import normalize_signature

    if isinstance(kind, str):
        return normalize_signature(f"({kind.replace('real', real)},)")[0][0]
    fields = get_type_hints(kind, include_extras=True).values()
    parts = [field.__metadata__[0] if hasattr(field, "__metadata__") else field for field in fields]
    return types.BaseTuple.from_types([_numba_type(part, real) for part in parts], kind)


def _pointer_type(function: Any) -> Any:
    """The numba type of a `pointer`."""
    from numba import types

    result, arguments, real = function.kernel_options["signature"]
    return types.FunctionType(_numba_type(result, real)(*(_numba_type(kind, real) for kind in arguments)))


def total_size(value: Any) -> int:
    """The number of entries of an array, or of all arrays in a tuple."""
    return sum(map(total_size, value)) if isinstance(value, tuple) else getattr(value, "size", 0)


# ---------------------------------------------------------------------- marks


def njit(function: FunctionType) -> Any:
    """Mark a kernel: no Python objects, no GIL, kept on disk between processes. C never calls it: see `pointer`."""
    return _marked(function, nogil=True, no_cfunc_wrapper=True, _nrt=True)


def in_place(function: FunctionType) -> Any:
    """Mark a kernel as `njit` does, but one that neither makes nor returns arrays: it counts no references to them.

    What it calls may make arrays. With a state of a hundred arrays, counting is half of the code.
    """
    return _marked(function, nogil=True, no_cfunc_wrapper=True, _nrt=False)


def inner(function: FunctionType) -> Any:
    """Mark a part of a kernel that Python never calls and that neither makes nor returns arrays (else: `allocating`).

    It comes without the wrappers, which take long to compile, and without counting references to the arrays that it is
    given: each count is an atomic operation, and they were 40 % of ReCon's time.
    """
    return _marked(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


def inlined(function: FunctionType) -> Any:
    """Mark an `inner` part that is compiled into what calls it, for one with a wide state and one or two callers.

    A call that is left as one hands over each array of the state in some seven words: that was 15 % of an addition to a
    changing tree.
    """
    return _marked(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)


def allocating(function: FunctionType) -> Any:
    """Mark a part of a kernel that Python never calls and that makes arrays."""
    return _marked(function, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True)


def pointer(kernel: Any, result: str, *arguments: Any, real: str = "float64") -> Any:
    """Mark a kernel that is compiled by itself, to be passed to other kernels, which call it by its address.

    What calls a kernel by name takes in all of its code and optimises it once more; along a chain of large kernels that
    is most of the time to compile.

    Parameters
    ----------
    kernel : marked function
    result : str
        numba type of what it returns.
    *arguments : str or class
        numba types of its arguments, or classes of NamedTuples with annotated fields.
    real : {"float64", "float32"}
        What "real" stands for in these types.
    """
    # a function of its own: in numba's cache it must not stand for the kernel that Python can call
    function = FunctionType(kernel.__code__, kernel.__globals__, kernel.__name__)
    function.__module__, function.__qualname__ = kernel.__module__, f"{kernel.__qualname__}_by_address"
    return _marked(function, signature=(result, arguments, real), _nrt=False)


def _marked(function: FunctionType, **options: Any) -> FunctionType:
    function.kernel_options = options  # type: ignore[attr-defined]
    return function


def is_marked(value: Any) -> bool:
    """Whether a value is a kernel, or a part of one."""
    return hasattr(value, "kernel_options")


# ---------------------------------------------------------------------- compilation

#: Bytes of bytecode that are compiled in a second: kernels of ReCon took one for 1,300 to 2,300 each, 1,800 in all.
BYTES_A_SECOND = 1800

_n_compiled = 0

_lock = RLock()
_compiled: dict[FunctionType, Any] = {}
_scopes: dict[str, dict[str, Any]] = {}


def compiled(function: Any) -> Any:
    """What numba makes of a marked function; the same object at every call. It is compiled when first called."""
    with _lock:
        if function not in _compiled:
            with ctrl_c_waits():
                _compiled[function] = _with_numba(function)
        return _compiled[function]


@cache
def _load_numba() -> None:
    """Import numba, and what it imports when it first compiles or loads a kernel: all of it, or a session is lost."""
    with ctrl_c_waits():
        from numba.core.registry import cpu_target

        cpu_target.target_context.refresh()
        cpu_target.typing_context.refresh()


def _with_numba(function: Any) -> Any:
    _load_numba()
    import numba
    from numba.core.ccallback import CFunc

    options = {**function.kernel_options}
    signature = options.pop("signature", None)
    twin = FunctionType(function.__code__, _scope(function.__module__), function.__name__, function.__defaults__)
    twin.__module__, twin.__qualname__ = function.__module__, f"{function.__qualname__}_{_digest()}"
    twin.__doc__ = function.__doc__
    options["error_model"] = "numpy"  # kernels never raise: a check at each division would keep loops from vectorising
    kernel: Any
    if signature is None:
        kernel = numba.njit(**options)(twin)
    else:
        by_address = _pointer_type(function).signature
        types = by_address.args, by_address.return_type
        kernel = CFunc(twin, types, {}, {"nopython": True, **options})
    _keep(kernel)
    kernel.compile = partial(_compile, kernel, kernel.compile, function)
    if signature is not None:
        kernel.compile()  # here and now: callers ask for its address
    else:
        kernel.get_call_template = partial(_called, kernel.get_call_template)
    return kernel


def _called(get_call_template: Callable[..., Any], arguments: tuple, named: dict) -> Any:
    """What another kernel calls: integers are handed over as int64.

    numba would compile a kernel once for int32, once for int64, and once more for every constant.
    """
    return get_call_template(tuple(map(_widest, arguments)), named)


def _widest(kind: Any) -> Any:
    from numba import types

    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind


def _compile(kernel: Any, compile_kernel: Callable[..., Any], function: Any, *signature: Any) -> Any:
    """Let numba compile or load a kernel for a signature; one process at a time, and a terminal hears of it.

    A `pointer` has one signature, which is not given.
    """
    from numba.core.compiler_lock import global_compiler_lock

    global _n_compiled
    key = signature[0] if signature else kernel._sig
    if signature and key in kernel.overloads or _lies_in_cache(kernel, key):
        return compile_kernel(*signature)
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    folder = kernel._cache.cache_path
    once = alone(Path(folder), name) if folder else nullcontext()
    with global_compiler_lock, ctrl_c_waits(), said(name, _seconds_to_compile(function)), once, _uncollected():
        if not _lies_in_cache(kernel, key):  # by now, after others were waited for
            _n_compiled += 1
        return compile_kernel(*signature)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Switch the garbage collector off: the compiler makes few cycles, and searching them takes a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def n_compiled() -> int:
    """How many kernels this process has compiled, parts of others included."""
    return _n_compiled


def _lies_in_cache(kernel: Any, signature: Any) -> bool:
    from numba.core.registry import cpu_target

    cache = kernel._cache
    codegen = cpu_target.target_context.codegen()
    try:
        return cache._index_key(signature, codegen) in cache._cache_file._load_index()
    except Exception:  # no cache, or a damaged one
        return False


@cache
def _seconds_to_compile(function: Any) -> float:
    """About how long a kernel takes to compile, from the length of all code that it calls by name."""
    seen, waiting = {function}, [function]
    while waiting:
        scope = waiting.pop()
        for name in scope.__code__.co_names:
            called = scope.__globals__.get(name)
            if is_marked(called) and "signature" not in called.kernel_options and called not in seen:
                seen.add(called)
                waiting.append(called)
    return sum(len(x.__code__.co_code) for x in seen) / BYTES_A_SECOND


@cache
def _folder() -> Path | None:
    """The folder for compiled code: numba's where one is set, else the user's; None where it cannot be written."""
    import numba
    from platformdirs import user_cache_path

    # numba reads the variable when it is imported, which may have been before the variable was set
    set_for_numba = numba.config.CACHE_DIR or os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(set_for_numba or user_cache_path("tripletree", appauthor=False)).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        _warn_of_cache(error, folder)
        return None
    return folder


def _keep(kernel: Any) -> None:
    """Let numba load and keep a kernel's code in the folder for it, and nowhere else."""
    folder, nothing = _folder(), kernel._cache
    if folder is None:
        return
    try:
        with _numba_keeps_in(folder):
            kernel.enable_caching()
    except RuntimeError as error:  # it has found no folder
        _warn_of_cache(error, folder)
        return
    if folder in Path(kernel._cache.cache_path).parents:
        kernel._cache = _ForgivingCache(kernel._cache, folder)
    else:  # it cannot write there, and has taken the folder of the sources
        kernel._cache = nothing
        _warn_of_cache(PermissionError("a folder in it cannot be written"), folder)


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


class _ForgivingCache:
    """numba's cache of one kernel; when it fails, the kernel is compiled, and nothing else happens.

    numba itself lets a full disk, a quota and a file that was cut off end the run, and every later run.
    """

    def __init__(self, cache: Any, folder: Path) -> None:
        self._cache, self._folder = cache, folder

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return self._cache.load_overload(*arguments)
        except Exception as error:  # unpickling a damaged file can raise anything
            _warn_of_cache(error, self._folder)
            with suppress(Exception):
                self._cache.flush()  # an empty index, so that the next run finds a sound one
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            self._cache.save_overload(*arguments)
        except Exception as error:
            _warn_of_cache(error, self._folder)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)


_cache_has_failed = False


def _warn_of_cache(error: Exception, folder: Path) -> None:
    """Warn of the first failure only: where one kernel cannot be kept, hardly any can."""
    global _cache_has_failed
    if not _cache_has_failed:
        _cache_has_failed = True
        warn_user(
            f"the cache of compiled kernels in {folder} failed ({type(error).__name__}: {error}); kernels are compiled "
            "again in this run. Free space there, delete the folder, or set NUMBA_CACHE_DIR to another one",
            RuntimeWarning,
        )


def _scope(module: str) -> dict[str, Any]:
    """The globals of a module's compiled functions: those of the module, with the compiled ones in their places."""
    if module not in _scopes:
        scope = _scopes[module] = dict(vars(sys.modules[module]))
        for name, value in vars(sys.modules[module]).items():
            if is_marked(value) and "signature" not in value.kernel_options:
                scope[name] = compiled(value)
    return _scopes[module]


@cache
def _digest() -> str:
    """A fingerprint of all kernel sources.

    numba renews a cached kernel when its own file changes, but not when the file of a kernel that it calls does: it
    would go on with the old one. With the fingerprint in its name, every kernel is renewed when any of them changes.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


# ---------------------------------------------------------------------- dispatch

#: A kernel runs as plain Python while its arrays have so few entries in all, and until that has taken so many seconds,
#: and this share of what compiling takes: later sessions gain by compiled code, too.
SMALL, PATIENCE, SHARE = 50_000, 0.1, 0.5
#: Seconds of plain Python, of all kernels, after which numba is started to load compiled code: about what that takes.
#: Once it runs, loading one kernel takes about as long as `LOADING` seconds of it as plain Python.
STARTING, LOADING = 0.5, 0.02

_seconds_plain = 0.0
_spent: dict[Any, float] = {}  # of that, by kernel


def loading_pays(seconds: float) -> bool:
    """Whether loading compiled code, where there is some, takes less time than so many seconds of plain Python."""
    if "numba" in sys.modules:
        return seconds > LOADING
    return _seconds_plain + seconds > STARTING


def compiling_pays(kernel: Any, seconds: float, *arguments: Any) -> bool:
    """Whether so many seconds of a marked kernel as plain Python, after those so far, are too many not to compile.

    Pointers among the arguments are compiled with it.
    """
    spent = _spent.get(kernel, 0.0) + seconds
    if spent < PATIENCE:
        return False
    return spent >= SHARE * sum(map(_seconds_to_compile, (kernel, *filter(is_marked, arguments))))


def is_kept(kernel: Any, *arguments: Any) -> bool:
    """Whether compiled code of a marked kernel for such arguments is loaded or lies in the cache.

    Pointers among the arguments are the marked ones.
    """
    fast = compiled(kernel)
    kinds = tuple(_pointer_type(x) if is_marked(x) else fast.typeof_pyval(x) for x in arguments)
    return kinds in fast.overloads or _lies_in_cache(fast, kinds)


class Dispatcher:
    """A kernel that runs as plain Python while its inputs are small and it has taken little time, then compiled."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self.plain = plain
        self.__doc__, self.__name__ = plain.__doc__, plain.__name__
        self._fast: Callable[..., Any] | None = None
        self._sought = False

    def __call__(self, *arguments: Any) -> Any:
        if self._fast is None:
            if self._stays_plain(arguments):
                return run_plain(self.plain, *arguments)
            self._fast = compiled(self.plain)
        return self._fast(*arguments)

    def _stays_plain(self, arguments: tuple) -> bool:
        if total_size(arguments) > SMALL or compiling_pays(self.plain, 0.0, *arguments):
            return False
        spent = _spent.get(self.plain, 0.0)
        if self._sought or spent <= LOADING or not loading_pays(spent):
            return True
        self._sought = True
        return not is_kept(self.plain, *arguments)


def run_plain(kernel: Callable[..., Any], *arguments: Any) -> Any:
    """Run a kernel as plain Python, as silent about infinities and overflows as compiled code is."""
    global _seconds_plain
    begin = thread_time()
    try:
        with np.errstate(all="ignore"):
            return kernel(*arguments)
    finally:
        seconds = thread_time() - begin
        _seconds_plain += seconds
        _spent[kernel] = _spent.get(kernel, 0.0) + seconds


def plainly(kernel: Any) -> Any:
    """A marked kernel to be called as plain Python; a pointer, which other kernels call, as it is."""
    return kernel if "signature" in kernel.kernel_options else partial(run_plain, kernel)


class KernelModule:
    """A module of kernels as its callers see it: constants unchanged, each kernel in the version to call.

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
