"""Reference counts left out of functions that only use the arrays they are given.

numba counts the references to every array, with two atomic additions wherever one is named: a third
of the time of a policy that passes small arrays around. A function that neither makes arrays nor
returns any need not count: its caller holds what it uses until it is done. Whatever is not known to
be harmless keeps the counts.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typed_passes import NoPythonSupportedFeatureValidation

# What names an array, or part of one, that is there already
_GIVEN = (ir.Arg, ir.Var, ir.Const, ir.Global, ir.FreeVar)
_PARTS = ("getattr", "static_getitem", "getitem", "build_tuple", "exhaust_iter", "cast", "phi")
_PLAIN = (ir.Del, ir.Jump, ir.Branch, ir.StaticRaise)


@register_pass(mutates_CFG=False, analysis_only=False)
class WithoutCounts(FunctionPass):  # type: ignore[misc]
    """The pass that looks at a function whose types are known, before it becomes LLVM's code."""

    _name = "simgin_without_counts"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Choose a context without counts if the function needs none."""
        if _needs_none(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return True


def leave_out_counts(passes: list[PassManager]) -> list[PassManager]:
    """The passes of a compilation, with the one above."""
    for manager in passes:
        manager.add_pass_after(WithoutCounts, NoPythonSupportedFeatureValidation)
        manager.finalize()
    return passes


def _needs_none(state: Any) -> bool:
    """Whether every statement of a function is known to make and to return no array."""
    function = _Function(state)
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if not function.is_harmless(statement):
                return False
    return True


class _Function:
    """A function whose variables have types."""

    def __init__(self, state: Any) -> None:
        self._types = state.typemap
        self._models = state.targetctx.data_model_manager

    def is_harmless(self, statement: Any) -> bool:
        """Whether a statement makes no array, copies none and returns none."""
        if isinstance(statement, ir.Assign):
            return self._is_given(statement.value, statement.target)
        if isinstance(statement, ir.SetItem):
            return not self._counted(statement.value, statement.index)
        if isinstance(statement, ir.StaticSetItem | ir.SetAttr | ir.Return):
            return not self._counted(statement.value)
        return isinstance(statement, _PLAIN)

    def _counted(self, *variables: Any) -> bool:
        """Whether one of some variables holds what numba counts."""
        for variable in variables:
            if self._models[self._types[variable.name]].contains_nrt_meminfo():
                return True
        return False

    def _is_given(self, value: Any, target: Any) -> bool:
        """Whether what is assigned was there already, or is a plain number."""
        if isinstance(value, _GIVEN):
            return True
        if value.op == "call":
            return not self._counted(target) and self._passes_on(value)
        if value.op == "getitem":
            return not self._counted(value.index)
        return value.op in _PARTS or not self._counted(target, *value.list_vars())

    def _passes_on(self, call: Any) -> bool:
        """Whether what is called takes no arrays, was compiled for itself, or is `len`."""
        called = self._types[call.func.name]
        known = isinstance(called, types.Dispatcher) or getattr(called, "typing_key", None) is len
        return known or not self._counted(*call.args)
