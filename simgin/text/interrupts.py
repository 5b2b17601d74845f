"""Interrupts with Ctrl-C, which must not end a call of LLVM."""

import _thread
import signal
import threading
from types import FrameType

RETRY_SECONDS = 0.1  # time in seconds after which a postponed interrupt is repeated
# Modules whose functions must not be interrupted, because they manage objects of LLVM
LLVM_MODULE_PREFIXES = ("llvmlite.", "numba.core.codegen")


def install_interrupt_handler() -> None:
    """Install `raise_or_postpone_interrupt`, unless the process ignores interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, raise_or_postpone_interrupt)


def raise_or_postpone_interrupt(signal_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or postpone the interrupt while a function uses LLVM.

    An exception in such a function can be lost, because ctypes and finalizers suppress exceptions.
    It can also crash the process, because objects of LLVM are left without an owner or with two.
    """
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith(LLVM_MODULE_PREFIXES):
            threading.Timer(RETRY_SECONDS, _thread.interrupt_main).start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
