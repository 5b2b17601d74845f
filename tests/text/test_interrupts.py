"""Tests of interrupts while LLVM waits for a callback."""

import subprocess
import sys

import pytest

# Interrupts the N-th callback in which LLVM asks numba for cached machine code.
INTERRUPTED_COMPILATION = """
import itertools, signal, sys
from simgin.text.interrupts import install_interrupt_handler
signal.signal(signal.SIGINT, signal.default_int_handler)  # A process in the background ignores it.
install_interrupt_handler()
from numba import njit
from numba.core.codegen import JITCodeLibrary
get_buffer, counter = JITCodeLibrary._object_getbuffer_hook, itertools.count(1)
def interrupt_and_get_buffer(ll_module):
    if next(counter) == {n}:
        signal.raise_signal(signal.SIGINT)
    return get_buffer(ll_module)
JITCodeLibrary._object_getbuffer_hook = interrupt_and_get_buffer
try:
    for i in itertools.count():
        njit(lambda x: x + i)(1)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("n", [1, 2, 3])
def test_interrupt_in_a_callback_of_llvm_ends_the_program_later(n):
    """Without the handler, the interrupt is lost, or Python crashes."""
    command = [sys.executable, "-c", INTERRUPTED_COMPILATION.format(n=n)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (130, "")


def test_ignored_interrupts_stay_ignored():
    command = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from simgin.text.interrupts import install_interrupt_handler\n"
        "install_interrupt_handler(); signal.raise_signal(signal.SIGINT)"
    )
    assert subprocess.run([sys.executable, "-c", command]).returncode == 0
