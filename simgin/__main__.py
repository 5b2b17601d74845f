"""`simgin`, and `python -m simgin`, which is the same."""

import os
import sys

import simgin.text.settings  # noqa: F401  before numba

INTERRUPTED = 130  # exit code


def main() -> None:
    """Entry point of the console script: Ctrl-C ends it in a word, also while it is loaded."""
    try:
        from simgin.cli.main import main as run

        run()
    except KeyboardInterrupt:
        print("simgin: interrupted.", file=sys.stderr, flush=True)
        os._exit(INTERRUPTED)  # Python would end by the signal where it came in the text of an exec


if __name__ == "__main__":
    main()
