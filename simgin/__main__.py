"""Entry point of `simgin` and `python -m simgin`."""

import os
import sys

import simgin.text.settings  # noqa: F401  must be imported before numba

INTERRUPTED_EXIT_CODE = 130  # exit code after an interruption


def main() -> None:
    """Run the command-line interface, and exit with a short message if Ctrl-C is pressed."""
    try:
        from simgin.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("simgin: interrupted.", file=sys.stderr, flush=True)
        # Without this handler, a signal that arrives during an exec call would kill Python.
        os._exit(INTERRUPTED_EXIT_CODE)


if __name__ == "__main__":
    main()
