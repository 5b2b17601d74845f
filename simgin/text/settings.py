"""Libraries that read settings of the working directory, imported without them.

Every process of a command imports this module before numba and matplotlib: `simgin` itself, what
`simgin strategies check` starts, and the workers of `--scheduler local:N`. Settings that
come with a foreign folder would change what simgin compiles and draws.
"""

import contextlib
import os

FILES = (".numba_config.yaml", "matplotlibrc")


def _import_elsewhere() -> None:
    """Import the libraries from another directory if there are settings in this one."""
    if not any(map(os.path.lexists, FILES)):
        return
    with contextlib.chdir(os.path.dirname(__file__)):
        import matplotlib  # noqa: F401
        from numba.core import config

        config._config_fname = os.devnull  # numba looks again before it compiles


_import_elsewhere()
