"""`simgin`, and `python -m simgin`, which is the same.

Every process of a command imports this module before numba and matplotlib: the program itself, what
`simgin strategies check` starts, and the workers of `--scheduler local:N`.
"""

import contextlib
import os
import sys

INTERRUPTED = 130  # exit code
SETTINGS = (".numba_config.yaml", "matplotlibrc")  # that libraries read in the working directory


def _ignore_settings() -> None:
    """Import the libraries that read settings of the working directory, from another directory.

    The file can be anybody's there, and would change what simgin compiles and draws.
    """
    if not any(map(os.path.lexists, SETTINGS)):
        return
    with contextlib.chdir(os.path.dirname(__file__)):
        import matplotlib  # noqa: F401
        from numba.core import config

        config._config_fname = os.devnull  # numba looks again before it compiles


_ignore_settings()


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
