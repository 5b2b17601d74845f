"""Process of a job, which runs a command of simgin until its standard input is closed.

The server holds the other end of standard input. It closes this end to cancel a job, and the system
closes it if the server is killed. In both cases, the command ends as on Ctrl-C.
"""

import os
import runpy
import signal
import threading

STDIN = 0  # file descriptor


def _interrupt_at_end_of_input(thread: int) -> None:
    """Interrupt a thread when standard input is closed."""
    while os.read(STDIN, 1):
        pass
    signal.pthread_kill(thread, signal.SIGINT)


if __name__ == "__main__":
    # A shell script that starts the server in the background makes its processes ignore SIGINT.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main_thread = [threading.get_ident()]
    threading.Thread(target=_interrupt_at_end_of_input, args=main_thread, daemon=True).start()
    runpy.run_module("simgin", run_name="__main__", alter_sys=True)
