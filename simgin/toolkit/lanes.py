"""Scratch arrays on the stack, for loops over a few hands that become vector code.

A loop over `LANES` places of such arrays is as fast as what it does for one or two hands: LLVM
knows that they overlap with nothing, and does four places at a time.
"""

import numpy as np
from numba import float64, int64, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from simgin.core.jit import interpreted

LANES = 12  # room for every card of eleven; a multiple of four

if interpreted():

    def whole_lanes():
        """The function below, for interpreted play."""
        return np.zeros(LANES, np.int64)

    def real_lanes():
        """The function below, for interpreted play."""
        return np.zeros(LANES)

else:

    def _on_stack(kind):
        """Code that makes an array of zeros of a numba type."""
        made = types.Array(kind, 1, "C")

        def code(context, builder, signature, arguments):
            array = context.make_array(made)(context, builder)
            place = context.get_value_type(kind)
            data = cgutils.alloca_once(builder, place, size=LANES)
            size = context.get_abi_sizeof(place)
            cgutils.memset(builder, data, context.get_constant(types.intp, LANES * size), 0)
            populate_array(
                array,
                data=data,
                shape=[context.get_constant(types.intp, LANES)],
                strides=[context.get_constant(types.intp, size)],
                itemsize=context.get_constant(types.intp, size),
                meminfo=None,
            )
            return array._getvalue()

        return made(), code

    @intrinsic
    def whole_lanes(typing_context):
        """int64[LANES], all 0, that lives until the function that called this returns."""
        return _on_stack(int64)

    @intrinsic
    def real_lanes(typing_context):
        """float64[LANES], all 0, that lives until the function that called this returns."""
        return _on_stack(float64)
