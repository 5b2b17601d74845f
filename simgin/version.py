"""Installed version and citation of simgin."""

from contextlib import suppress
from functools import cache

UNKNOWN_VERSION = "0+source"
TITLE = "simgin: a Monte Carlo simulator for Gin Rummy and its variants"
AUTHORS = "The developers of simgin"
LICENSE = "MIT"
RELEASE_YEAR = 2026  # release date of this version


@cache
def get_version() -> str:
    """Return the installed version, or `0+source` if simgin is not installed."""
    from importlib import metadata

    with suppress(Exception):  # The metadata can be missing or corrupt.
        return metadata.version("simgin") or UNKNOWN_VERSION
    return UNKNOWN_VERSION


def format_bibtex() -> str:
    """Return the citation as a BibTeX entry."""
    return "\n".join(
        (
            "@software{simgin,",
            f"  author  = {{{{{AUTHORS}}}}},",
            f"  title   = {{{TITLE}}},",
            f"  year    = {{{RELEASE_YEAR}}},",
            f"  version = {{{get_version()}}},",
            f"  license = {{{LICENSE}}},",
            "}",
        )
    )
