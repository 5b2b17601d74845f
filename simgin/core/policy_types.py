"""Type of all compiled policies, which have the signature policy(view, rules, params) -> int64.

Policies are passed by address, as separate arguments, to a loop that is compiled once. This design
avoids compilation for each pair of strategies, allows caching, and propagates exceptions. Tuples of
functions, closures and dispatchers lack at least one of these advantages. A first-class function of
numba consists of three addresses, and a call first tests which of them is valid.
"""

import ctypes
from typing import Any

import numpy as np
from numba import from_dtype, int64, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typeconv import Conversion
from numba.extending import NativeValue, intrinsic, lower_builtin, models, register_model, unbox

from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.core.jit import is_interpreted
from simgin.core.rules_record import RULES_DTYPE
from simgin.core.state import STATE_DTYPE
from simgin.core.view import VIEW_DTYPE

VIEW_TYPE = from_dtype(VIEW_DTYPE)
RULES_TYPE = from_dtype(RULES_DTYPE)
STATE_TYPE = from_dtype(STATE_DTYPE)
RECORDS_TYPE = types.Array(from_dtype(DEAL_RECORD_DTYPE), 1, "C")
PARAMS_TYPE = types.Array(types.float64, 1, "C", readonly=True)
POLICY_ARGUMENTS = (VIEW_TYPE, RULES_TYPE, PARAMS_TYPE)
POLICY_SIGNATURE = int64(*POLICY_ARGUMENTS)


class PolicyType(types.Callable):  # type: ignore[misc]
    """Numba type of a policy, which is represented by the address of its machine code."""

    def __init__(self) -> None:
        super().__init__("policy")

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a policy call, in which the policy is the receiver."""
        return POLICY_SIGNATURE.replace(recvr=self)

    def get_call_signatures(self) -> Any:
        """Return the signature that all policies share, and False because no policy is generic."""
        return [POLICY_SIGNATURE], False

    def get_impl_key(self, sig: Any) -> Any:
        """Return the key under which `_generate_policy_call` is registered."""
        return type(self)

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """Allow Python callers to pass a compiled policy."""
        return Conversion.safe if isinstance(other, types.Dispatcher) else None


POLICY_TYPE = PolicyType()
register_model(PolicyType)(models.OpaqueModel)


@unbox(PolicyType)
def _unbox_policy(policy_type: Any, policy: Any, c: Any) -> NativeValue:
    """Return the address of a compiled policy that Python passes to a compiled function."""
    address_object = c.pyapi.object_getattr_string(policy, "code_address")
    address = c.pyapi.long_as_voidptr(address_object)
    c.pyapi.decref(address_object)
    return NativeValue(address, is_error=c.pyapi.c_api_error())


@lower_builtin(PolicyType, types.VarArg(types.Any))
def _generate_policy_call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generate code that calls a policy and propagates its exceptions."""
    address, *arguments = arguments
    convention, result = context.call_conv, POLICY_SIGNATURE.return_type
    code_type = convention.get_function_type(result, POLICY_ARGUMENTS).as_pointer()
    code = builder.bitcast(address, code_type)
    status, action = convention.call_function(builder, code, result, POLICY_ARGUMENTS, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return action


if is_interpreted():

    def get_params_at(address, length):
        """Return the parameter vector at a memory address, in interpreted mode."""
        vector = (
            np.ctypeslib.as_array((ctypes.c_double * int(length)).from_address(int(address)))
            if length
            else np.zeros(0)
        )
        vector.flags.writeable = False
        return vector

    def as_policy(function):
        """Return the policy function unchanged, in interpreted mode."""
        return function

else:

    @intrinsic
    def get_params_at(typing_context, address, length):
        """Return the parameter vector at a memory address as a read-only float64 array.

        The array has no reference count.

        Parameter vectors outlive the kernel, so reference counts are unnecessary. An array argument
        would take seven words per call. Reference counting would take two atomic additions per
        decision, at an address that threads can share.
        """

        def codegen(context, builder, signature, arguments):
            # Import the function here, because the import takes 0.04 s and cached code does not
            # need it.
            from numba.np.arrayobj import populate_array

            array = context.make_array(PARAMS_TYPE)(context, builder)
            item_size = context.get_constant(types.intp, 8)
            populate_array(
                array,
                data=builder.inttoptr(arguments[0], array.data.type),
                shape=[arguments[1]],
                strides=[item_size],
                itemsize=item_size,
                meminfo=None,
            )
            return array._getvalue()

        return PARAMS_TYPE(types.int64, types.int64), codegen

    @intrinsic
    def as_policy(typing_context, function):
        """Return a global compiled function as a policy that can be passed to another function.

        numba would pass the address of a Python object, which prevents caching of the caller on
        disk. Instead, this function passes the address of the machine code.
        """
        version = function.dispatcher.get_compile_result(POLICY_SIGNATURE)
        return_type = version.signature.return_type
        if return_type != POLICY_SIGNATURE.return_type:
            raise TypingError(f"a policy must return int64, not {return_type}.")

        def codegen(context, builder, signature, arguments):
            entry = context.declare_function(builder.module, version.fndesc)
            context.active_code_library.add_linking_library(version.library)
            return builder.bitcast(entry, context.get_value_type(POLICY_TYPE))

        return POLICY_TYPE(function), codegen


@intrinsic
def get_record_address(typing_context, record):
    """Return the memory address of a record as an int64.

    A policy that runs in Python receives the address instead of a copy of the record.
    """

    def codegen(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], context.get_value_type(types.int64))

    return types.int64(record), codegen
