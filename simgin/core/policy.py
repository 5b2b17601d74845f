"""The type of every policy's compiled function: hook(view, rules, params) -> int64.

First-class functions of one fixed signature are passed side by side into a loop that is compiled
once: no compilation per pair of strategies, a valid cache, and exceptions that propagate. Passed as
a tuple of functions, as closures or as dispatchers, they lose one of these.
"""

import ctypes

import numpy as np
from numba import from_dtype, int64, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from simgin.core.jit import interpreted
from simgin.core.record import DEAL
from simgin.core.rules import RULES
from simgin.core.state import STATE
from simgin.core.view import VIEW

VIEW_TYPE = from_dtype(VIEW)
RULES_TYPE = from_dtype(RULES)
STATE_TYPE = from_dtype(STATE)
RECORDS_TYPE = types.Array(from_dtype(DEAL), 1, "C")
PARAMS_TYPE = types.Array(types.float64, 1, "C", readonly=True)
HOOK_ARGUMENTS = (VIEW_TYPE, RULES_TYPE, PARAMS_TYPE)
HOOK = int64(*HOOK_ARGUMENTS)
HOOK_TYPE = types.FunctionType(HOOK)


if interpreted():

    def vector_at(address, n):
        """The function below, for interpreted play."""
        vector = (
            np.ctypeslib.as_array((ctypes.c_double * int(n)).from_address(int(address)))
            if n
            else np.zeros(0)
        )
        vector.flags.writeable = False
        return vector

else:

    @intrinsic
    def vector_at(typing_context, address, n):
        """The read-only vector of n float64 at an address, without reference counting.

        Parameter vectors outlive the kernel, so nothing needs to be counted. Passed as arrays they
        would cost seven words a call, and counting would cost two atomic additions a question on
        an address that threads may share.
        """

        def code(context, builder, signature, arguments):
            array = context.make_array(PARAMS_TYPE)(context, builder)
            size = context.get_constant(types.intp, 8)
            populate_array(
                array,
                data=builder.inttoptr(arguments[0], array.data.type),
                shape=[arguments[1]],
                strides=[size],
                itemsize=size,
                meminfo=None,
            )
            return array._getvalue()

        return PARAMS_TYPE(types.int64, types.int64), code


@intrinsic
def address_of(typing_context, record):
    """The address of a record, as an int64.

    A policy that runs in Python gets it instead of a copy of the record.
    """

    def code(context, builder, signature, arguments):
        return builder.ptrtoint(arguments[0], context.get_value_type(types.int64))

    return types.int64(record), code
