"""Import of numba and matplotlib that ignores configuration files in the working directory.

Every process imports this module before numba and matplotlib, because configuration files in an
untrusted folder could affect the compiler and the plots. The processes of `simgin strategies check`
and the workers of `--scheduler local:N` do the same.
"""

import contextlib
import os

SETTINGS_FILES = (".numba_config.yaml", "matplotlibrc")


def _import_without_local_settings() -> None:
    """Import numba and matplotlib, and ignore configuration files in the working directory."""
    if not any(map(os.path.lexists, SETTINGS_FILES)):
        return
    with contextlib.chdir(os.path.dirname(__file__)):
        import matplotlib  # noqa: F401
        from numba.core import config

        # numba reads the configuration file again before it compiles.
        config._config_fname = os.devnull


_import_without_local_settings()
