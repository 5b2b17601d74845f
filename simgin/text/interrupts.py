"""Interrupts with Ctrl-C, which must not end a callback of LLVM."""

import _thread
import signal
import threading
from types import FrameType

RETRY_SECONDS = 0.1  # time in seconds after which a postponed interrupt is repeated
LLVM_CALLBACK_PREFIX = "_raw_object_cache_"  # start of the names of llvmlite's callbacks


def install_interrupt_handler() -> None:
    """Install `raise_or_postpone_interrupt`, unless the process ignores interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, raise_or_postpone_interrupt)


def raise_or_postpone_interrupt(signal_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or postpone the interrupt while LLVM waits for a callback.

    ctypes suppresses exceptions in a callback. LLVM would then use the missing result, and the
    process would crash.
    """
    while frame is not None:
        if frame.f_code.co_name.startswith(LLVM_CALLBACK_PREFIX):
            threading.Timer(RETRY_SECONDS, _thread.interrupt_main).start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
