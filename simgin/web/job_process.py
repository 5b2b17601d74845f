"""Process of a job, which runs a simgin command until its standard input is closed.

To cancel the job, the server closes its end of the standard input. If the server is killed, the
operating system closes the pipe. In both cases, the command ends as it would after Ctrl-C.
"""

import os
import runpy
import signal
import threading

STDIN_DESCRIPTOR = 0  # file descriptor of the standard input


def _interrupt_at_end_of_input(thread_id: int) -> None:
    """Interrupt a thread when standard input is closed."""
    while os.read(STDIN_DESCRIPTOR, 1):
        pass
    signal.pthread_kill(thread_id, signal.SIGINT)


if __name__ == "__main__":
    # If a shell script starts the server in the background, its processes ignore SIGINT by default.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main_thread = [threading.get_ident()]
    threading.Thread(target=_interrupt_at_end_of_input, args=main_thread, daemon=True).start()
    runpy.run_module("simgin", run_name="__main__", alter_sys=True)
