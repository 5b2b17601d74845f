"""Import of third-party libraries without the settings files of the working directory.

Every process of a command imports this module before numba and matplotlib: `simgin` itself, the
processes that `simgin strategies check` starts, and the workers of `--scheduler local:N`. Settings
in an untrusted folder could change what simgin compiles and draws.
"""

import contextlib
import os

SETTINGS_FILES = (".numba_config.yaml", "matplotlibrc")


def _import_without_local_settings() -> None:
    """Import the libraries from another directory if this one has settings files for them."""
    if not any(map(os.path.lexists, SETTINGS_FILES)):
        return
    with contextlib.chdir(os.path.dirname(__file__)):
        import matplotlib  # noqa: F401
        from numba.core import config

        config._config_fname = os.devnull  # numba reads it again before it compiles


_import_without_local_settings()
