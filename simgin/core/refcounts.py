"""Compiler pass that removes reference counting from functions that do not need it.

numba counts the references to every array, with two atomic additions for each use of its name. In
policies that pass small arrays to helpers, counting takes a third of the time. A function that
neither creates nor returns arrays does not need the counts, because its caller keeps the arrays
alive. The pass removes reference counting only if every statement is known to be safe without it.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typed_passes import NoPythonSupportedFeatureValidation

# Expressions that return an existing array or a part of an array
_EXISTING_VALUE_NODES = (ir.Arg, ir.Var, ir.Const, ir.Global, ir.FreeVar)
_NON_ALLOCATING_OPS = (
    "getattr",
    "static_getitem",
    "getitem",
    "build_tuple",
    "exhaust_iter",
    "cast",
    "phi",
)
_CONTROL_FLOW_STATEMENTS = (ir.Del, ir.Jump, ir.Branch, ir.StaticRaise)


@register_pass(mutates_CFG=False, analysis_only=False)
class RefcountElisionPass(FunctionPass):  # type: ignore[misc]
    """Compiler pass that disables reference counting in functions that do not need it."""

    _name = "simgin_without_counts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Disable reference counting if the function does not need it."""
        if _needs_no_refcounts(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return True


def add_refcount_elision(passes: list[PassManager]) -> list[PassManager]:
    """Add RefcountElisionPass to a list of compilation passes, and return the list."""
    for manager in passes:
        manager.add_pass_after(RefcountElisionPass, NoPythonSupportedFeatureValidation)
        manager.finalize()
    return passes


def _needs_no_refcounts(state: Any) -> bool:
    """Return True if no statement of a function creates or returns an array."""
    function = _TypedFunction(state)
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if not function.is_refcount_free(statement):
                return False
    return True


class _TypedFunction:
    """Numba function together with the inferred types of its variables."""

    def __init__(self, state: Any) -> None:
        self._types = state.typemap
        self._models = state.targetctx.data_model_manager

    def is_refcount_free(self, statement: Any) -> bool:
        """Return True if a statement does not create, copy or return an array."""
        if isinstance(statement, ir.Assign):
            return self._is_existing_value(statement.value, statement.target)
        if isinstance(statement, ir.SetItem):
            return not self._has_refcounts(statement.value, statement.index)
        if isinstance(statement, ir.StaticSetItem | ir.SetAttr | ir.Return):
            return not self._has_refcounts(statement.value)
        return isinstance(statement, _CONTROL_FLOW_STATEMENTS)

    def _has_refcounts(self, *variables: Any) -> bool:
        """Return True if numba counts references to at least one of the given variables."""
        for variable in variables:
            if self._models[self._types[variable.name]].contains_nrt_meminfo():
                return True
        return False

    def _is_existing_value(self, value: Any, target: Any) -> bool:
        """Return True if an assigned value is a number or an existing array."""
        if isinstance(value, _EXISTING_VALUE_NODES):
            return True
        if value.op == "call":
            return not self._has_refcounts(target) and self._is_safe_call(value)
        if value.op == "getitem":
            return not self._has_refcounts(value.index)
        return value.op in _NON_ALLOCATING_OPS or not self._has_refcounts(
            target, *value.list_vars()
        )

    def _is_safe_call(self, call: Any) -> bool:
        """Return True if a call neither creates nor copies an array.

        Calls without arrays, calls to `len` and calls to compiled functions are safe.
        """
        function_type = self._types[call.func.name]
        is_known = (
            isinstance(function_type, types.Dispatcher)
            or getattr(function_type, "typing_key", None) is len
        )
        return is_known or not self._has_refcounts(*call.args)
