"""Compiler pass that removes reference counting from functions that cannot need it.

numba counts the references to every array, with two atomic additions for each use of its name. In
policies that pass small arrays around, this takes a third of the time. A function that neither
creates nor returns arrays does not need the counts, because its caller holds the arrays until it
returns. A function keeps its counts unless every statement is known to be safe.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typed_passes import NoPythonSupportedFeatureValidation

# Expressions that refer to an existing array or to a part of one
_GIVEN = (ir.Arg, ir.Var, ir.Const, ir.Global, ir.FreeVar)
_PARTS = ("getattr", "static_getitem", "getitem", "build_tuple", "exhaust_iter", "cast", "phi")
_PLAIN = (ir.Del, ir.Jump, ir.Branch, ir.StaticRaise)


@register_pass(mutates_CFG=False, analysis_only=False)
class WithoutCounts(FunctionPass):  # type: ignore[misc]
    """Pass that inspects a function after type inference and before LLVM code is generated."""

    _name = "simgin_without_counts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Use a target context without reference counting if the function does not need it."""
        if _needs_none(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return True


def leave_out_counts(passes: list[PassManager]) -> list[PassManager]:
    """Add RefcountElisionPass to the passes of a compilation and return them."""
    for manager in passes:
        manager.add_pass_after(WithoutCounts, NoPythonSupportedFeatureValidation)
        manager.finalize()
    return passes


def _needs_none(state: Any) -> bool:
    """Return True if no statement of a function creates or returns an array."""
    function = _Function(state)
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if not function.is_harmless(statement):
                return False
    return True


class _Function:
    """Function whose variables have inferred types."""

    def __init__(self, state: Any) -> None:
        self._types = state.typemap
        self._models = state.targetctx.data_model_manager

    def is_harmless(self, statement: Any) -> bool:
        """Return True if a statement creates, copies and returns no array."""
        if isinstance(statement, ir.Assign):
            return self._is_given(statement.value, statement.target)
        if isinstance(statement, ir.SetItem):
            return not self._counted(statement.value, statement.index)
        if isinstance(statement, ir.StaticSetItem | ir.SetAttr | ir.Return):
            return not self._counted(statement.value)
        return isinstance(statement, _PLAIN)

    def _counted(self, *variables: Any) -> bool:
        """Return True if numba counts references to the value of one of the variables."""
        for variable in variables:
            if self._models[self._types[variable.name]].contains_nrt_meminfo():
                return True
        return False

    def _is_given(self, value: Any, target: Any) -> bool:
        """Return True if an assigned value already existed or is a plain number."""
        if isinstance(value, _GIVEN):
            return True
        if value.op == "call":
            return not self._counted(target) and self._passes_on(value)
        if value.op == "getitem":
            return not self._counted(value.index)
        return value.op in _PARTS or not self._counted(target, *value.list_vars())

    def _passes_on(self, call: Any) -> bool:
        """Return True if a call passes no arrays or calls `len` or a compiled function."""
        called = self._types[call.func.name]
        known = isinstance(called, types.Dispatcher) or getattr(called, "typing_key", None) is len
        return known or not self._counted(*call.args)
