"""Temporary arrays on the stack for vectorised loops over several hands.

A loop over `STACK_ARRAY_LENGTH` elements takes as long as a loop over one or two hands. Because
LLVM knows that the arrays do not overlap with other memory, it processes four elements at a time.
"""

import numpy as np
from numba import float64, int64, types
from numba.core import cgutils
from numba.extending import intrinsic

from simgin.core.jit import is_interpreted

STACK_ARRAY_LENGTH = 12  # length of the arrays, which is at least eleven and a multiple of four

if is_interpreted():

    def int_stack_array():
        """Return an array of zeros, (STACK_ARRAY_LENGTH,) int64, in interpreted mode."""
        return np.zeros(STACK_ARRAY_LENGTH, np.int64)

    def float_stack_array():
        """Return an array of zeros, (STACK_ARRAY_LENGTH,) float64, in interpreted mode."""
        return np.zeros(STACK_ARRAY_LENGTH)

else:

    def _make_stack_array_codegen(dtype):
        """Return the type and the code generator of an array of zeros with a numba dtype."""
        array_type = types.Array(dtype, 1, "C")

        def codegen(context, builder, signature, arguments):
            # Import the function here, because the import takes 0.04 s and cached code does not
            # need it.
            from numba.np.arrayobj import populate_array

            array = context.make_array(array_type)(context, builder)
            item_type = context.get_value_type(dtype)
            data_pointer = cgutils.alloca_once(builder, item_type, size=STACK_ARRAY_LENGTH)
            item_size = context.get_abi_sizeof(item_type)
            cgutils.memset(
                builder,
                data_pointer,
                context.get_constant(types.intp, STACK_ARRAY_LENGTH * item_size),
                0,
            )
            populate_array(
                array,
                data=data_pointer,
                shape=[context.get_constant(types.intp, STACK_ARRAY_LENGTH)],
                strides=[context.get_constant(types.intp, item_size)],
                itemsize=context.get_constant(types.intp, item_size),
                meminfo=None,
            )
            return array._getvalue()

        return array_type(), codegen

    @intrinsic
    def int_stack_array(typing_context):
        """Return zeros, (STACK_ARRAY_LENGTH,) int64, that are valid until the caller returns."""
        return _make_stack_array_codegen(int64)

    @intrinsic
    def float_stack_array(typing_context):
        """Return zeros, (STACK_ARRAY_LENGTH,) float64, that are valid until the caller returns."""
        return _make_stack_array_codegen(float64)
