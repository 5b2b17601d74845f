"""The installed version."""

from contextlib import suppress

UNKNOWN = "0+source"


def version() -> str:
    """The version that is installed, `0+source` where there is none, as in a bare source tree."""
    from importlib import metadata

    with suppress(Exception):  # metadata can be missing, or damaged
        return metadata.version("simgin") or UNKNOWN
    return UNKNOWN
