"""How simgin is cited: one text for `simgin cite`, the foot of pages, and CITATION.cff."""

from __future__ import annotations

from simgin.version import version

TITLE = "simgin: a Monte Carlo simulator for Gin Rummy and its variants"
AUTHORS = "The developers of simgin"
LICENSE = "MIT"


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
