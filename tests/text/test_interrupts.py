"""Tests of interrupts during calls of LLVM."""

import subprocess
import sys

import pytest

# Interrupts the N-th call of a function that numba calls while it uses LLVM.
INTERRUPTED_COMPILATION = """
import itertools, signal, sys
from simgin.text.interrupts import install_interrupt_handler
signal.signal(signal.SIGINT, signal.default_int_handler)  # A process in the background ignores it.
install_interrupt_handler()
from llvmlite.binding.ffi import ObjectRef
from numba import njit
from numba.core.codegen import JITCodeLibrary
function, counter = {function}, itertools.count(1)
def interrupt_and_call(*args):
    if next(counter) == {n}:
        signal.raise_signal(signal.SIGINT)
    return function(*args)
{function} = interrupt_and_call
try:
    for i in itertools.count():
        njit(lambda x: x + i)(1)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize(
    "function",
    ["JITCodeLibrary._object_getbuffer_hook", "ObjectRef.detach"],
    ids=["callback", "finalizer"],
)
def test_interrupt_while_numba_uses_llvm_ends_the_program_later(function, n):
    """Without the handler, the interrupt is lost, or Python crashes."""
    code = INTERRUPTED_COMPILATION.format(function=function, n=n)
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (130, "")


def test_ignored_interrupts_stay_ignored():
    command = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from simgin.text.interrupts import install_interrupt_handler\n"
        "install_interrupt_handler(); signal.raise_signal(signal.SIGINT)"
    )
    assert subprocess.run([sys.executable, "-c", command]).returncode == 0
