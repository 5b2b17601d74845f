"""Directory for data that simgin stores for the user, such as played deals."""

from __future__ import annotations

import os
from pathlib import Path


def find_user_data_directory() -> Path:
    """Return the directory for simgin's user data, which SIMGIN_DATA_DIR can override."""
    if directory := os.environ.get("SIMGIN_DATA_DIR"):
        return Path(directory).absolute()
    import platformdirs

    return platformdirs.user_data_path("simgin")
