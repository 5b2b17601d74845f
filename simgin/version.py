"""The installed version, and how it is cited: by `simgin cite`, pages, and CITATION.cff."""

from contextlib import suppress

UNKNOWN = "0+source"
TITLE = "simgin: a Monte Carlo simulator for Gin Rummy and its variants"
AUTHORS = "The developers of simgin"
LICENSE = "MIT"


def version() -> str:
    """The version that is installed, `0+source` where there is none, as in a bare source tree."""
    from importlib import metadata

    with suppress(Exception):  # metadata can be missing, or damaged
        return metadata.version("simgin") or UNKNOWN
    return UNKNOWN


def bibtex() -> str:
    """The citation as an entry for BibTeX."""
    return "\n".join(
        (
            "@software{simgin,",
            f"  author  = {{{{{AUTHORS}}}}},",
            f"  title   = {{{TITLE}}},",
            f"  version = {{{version()}}},",
            f"  license = {{{LICENSE}}},",
            "}",
        )
    )
