"""Where numba compiles kernels otherwise than it would by itself, to take less time; the code does the same.

All of this stands on what numba does not promise to keep. `quicker` is empty where it is not found, and kernels are
then compiled as usual; where it is, tests compile, keep and load kernels by it.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["compared_flags", "quicker", "uncollected"]

#: What is used of numba's classes, beside what its own documentation names.
_USED = {
    "codegen.JITCodeLibrary": ("_finalize_dynamic_globals", "_optimize_final_module", "_verify_declare_only_symbols"),
    "lowering.Lower": ("_find_singly_assigned_variable", "lower_getitem", "lower_setitem"),
    "typed_passes.NativeLowering": ("lowering_class",),
}


def quicker(is_part: bool) -> dict[str, Any]:
    """Options of ``numba.njit`` for a kernel, or for a part of others that Python never calls."""
    pipelines = _pipelines()
    return {"pipeline_class": pipelines[is_part]} if pipelines else {}


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for cycles meanwhile: a tenth of the time to compile, and next to none are found."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@cache
def compared_flags() -> Any:
    """The class of the options of a kernel, which are compared by what is set.

    numba looks up types by a copy of them at every operation, and takes a tenth of its time to see, by 40 properties,
    that two copies are equal.
    """
    from numba.core.compiler import Flags

    hash_of_all = hash(Flags())  # it is made of the names of the options alone

    class ComparedFlags(Flags):
        def __eq__(self, other: object) -> Any:
            return self._values == other._values if isinstance(other, ComparedFlags) else super().__eq__(other)

        def __hash__(self) -> int:
            return hash_of_all

    ComparedFlags.__name__ = Flags.__name__  # it is a part of the names of functions
    return ComparedFlags


def _is_known_numba() -> bool:
    """Whether numba has all that is used of it."""
    for path, names in _USED.items():
        module, _, kind = path.rpartition(".")
        try:
            found = getattr(import_module(f"numba.core.{module}"), kind)
        except (ImportError, AttributeError):
            return False
        if not all(hasattr(found, name) for name in names):
            return False
    return True


@cache
def _pipelines() -> tuple[Any, Any] | None:
    """The pipelines of numba's compiler for whole kernels and for parts."""
    if not _is_known_numba():
        return None
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.typed_passes import NativeLowering

    lowering = _lowering()

    class WholeCompiler(Compiler):
        def compile_extra(self, function: Any) -> Any:
            self.state.flags = compared_flags()(self.state.flags)
            return super().compile_extra(function)

        def define_pipelines(self) -> Any:
            pipelines = super().define_pipelines()
            for pipeline in pipelines:
                pipeline.passes = [(lowering if x is NativeLowering else x, text) for x, text in pipeline.passes]
                pipeline.finalize()
            return pipelines

    class PartLibrary(JITCodeLibrary):
        """The code of a part, as it was before LLVM's work on the whole of it.

        numba makes machine code of every function and of all that it calls, and takes all of it in again where it is
        called: along a chain of four, the last one is compiled four times. A part never runs by itself, so that it is
        left to be compiled in what calls it. Machine code is made of its environments only, the variables that numba
        sets when it loads it.
        """

        def _optimize_final_module(self) -> None:
            import llvmlite.binding

            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            whole = self._final_module
            for function in whole.functions:
                if not function.is_declaration and function.linkage == llvmlite.binding.Linkage.external:
                    function.linkage = "linkonce_odr"  # as in numba's `_get_module_for_linking`
            environments = [str(x) for x in whole.global_variables if x.name.startswith("_ZN08NumbaEnv")]
            empty = str(self._codegen._create_empty_module(self.name))
            self._final_module = llvmlite.binding.parse_assembly("\n".join([empty, *environments]))
            self._final_module.name = whole.name
            self._shared_module = whole

    class PartCompiler(WholeCompiler):
        def compile_extra(self, function: Any) -> Any:
            self.state.library = PartLibrary(self.state.targetctx.codegen(), function.__qualname__)
            self.state.library.enable_object_caching()
            return super().compile_extra(function)

    return WholeCompiler, PartCompiler


@cache
def _lowering() -> Any:
    """Make numba's pass from its own code to LLVM's, with fewer variables in memory, and short ways to arrays.

    numba keeps each variable that is used in several blocks in memory, and reads all of it at every use. LLVM takes
    such reads of a wide state to pieces, one by one: a twentieth of the time to compile. What is set once, in the first
    block, needs no memory. Where references are counted it does, to note that one has been given back.

    For each entry that is read or set, numba looks up once more what does that, and puts the array into memory, to take
    out its address and its shape: a quarter of all instructions, and a tenth of the time to compile.
    """
    from numba.core import cgutils, types
    from numba.core.analysis import compute_use_defs
    from numba.core.compiler_machinery import register_pass
    from numba.core.ir import Assign
    from numba.core.lowering import Lower
    from numba.core.typed_passes import NativeLowering

    class Lowering(Lower):
        def _find_singly_assigned_variable(self) -> None:
            super()._find_singly_assigned_variable()
            if self.context.enable_nrt:
                return
            first = min(self.blocks)
            set_at = [(x.target.name, i) for i, block in self.blocks.items() for x in block.find_insts(Assign)]
            times = Counter(name for name, _ in set_at)
            used_before = compute_use_defs(self.blocks).usemap[first]
            once = {name for name, i in set_at if i == first and times[name] == 1}
            self._singly_assigned_vars |= once - used_before

        def lower_getitem(self, kind: Any, expression: Any, array: Any, index: Any, signature: Any) -> Any:
            place = self._place(array, index)
            if place is None:
                return super().lower_getitem(kind, expression, array, index, signature)
            entry = self.typeof(array.name).dtype
            return self.context.cast(self.builder, self.context.unpack_value(self.builder, entry, place), entry, kind)

        def lower_setitem(self, array: Any, index: Any, value: Any, signature: Any) -> Any:
            kind = self.typeof(value.name)
            place = self._place(array, index) if isinstance(kind, (types.Number, types.Boolean)) else None
            if place is None:
                return super().lower_setitem(array, index, value, signature)
            entry = self.typeof(array.name).dtype
            new = self.context.cast(self.builder, self.loadvar(value.name), kind, entry)
            return self.context.pack_value(self.builder, entry, new, place)

        def _place(self, array: Any, index: Any) -> Any:
            """The address of one entry of a contiguous array; None for anything else, which is left to numba."""
            context, builder = self.context, self.builder
            kind, index_kind = self.typeof(array.name), self.typeof(index.name)
            several = isinstance(index_kind, types.BaseTuple)
            kinds = index_kind.types if several else (index_kind,)
            if not (isinstance(kind, types.Array) and kind.layout == "C" and kind.aligned and kind.ndim == len(kinds)):
                return None
            if context.enable_boundscheck or not all(isinstance(x, types.Integer) and x.signed for x in kinds):
                return None
            array, index = self.loadvar(array.name), self.loadvar(index.name)
            fields = context.data_model_manager[kind]
            data, shape = (fields.get(builder, array, name) for name in ("data", "shape"))
            shape = cgutils.unpack_tuple(builder, shape)
            indices = cgutils.unpack_tuple(builder, index) if several else [index]
            indices = [context.cast(builder, *x, types.intp) for x in zip(indices, kinds, strict=True)]
            return cgutils.get_item_pointer2(context, builder, data, shape, None, "C", indices, wraparound=True)

    @register_pass(mutates_CFG=True, analysis_only=False)
    class LoweringWithFewVariables(NativeLowering):
        _name = "tripletree_lowering"
        lowering_class = Lowering

    return LoweringWithFewVariables
