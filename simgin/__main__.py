"""Entry point of the commands `simgin` and `python -m simgin`."""

import os
import sys

import simgin.text.settings  # noqa: F401  must be imported before numba
from simgin.text.interrupts import install_interrupt_handler

INTERRUPTED_EXIT_CODE = 130  # exit code after Ctrl-C


def main() -> None:
    """Run the command-line interface, and print a short message after Ctrl-C."""
    install_interrupt_handler()
    try:
        from simgin.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("simgin: interrupted.", file=sys.stderr, flush=True)
        # Without this handler, a signal that arrives during an exec call would kill Python.
        os._exit(INTERRUPTED_EXIT_CODE)


if __name__ == "__main__":
    main()
