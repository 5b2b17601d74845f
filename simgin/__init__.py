"""Monte Carlo simulator for Gin Rummy and its variants.

`simgin --help` is a tour of the command line. The same from Python; modules are imported on first
use:

    import simgin

    frame = simgin.match("gold", "simple", "eaai", deals="200k", seed=7)  # rows of table.csv
    frame = simgin.run("demo")  # or a file of your own
    review = simgin.review_of(["oklahoma"], against="standard")  # review.metrics, .differences
    frames = simgin.odds_of("solitaire-gin")  # frames["strength"], frames["bracket"], ...
    simgin.plots.skill(frames["bracket"])  # a matplotlib figure
    simgin.tuned("mine.py", against=["simple", "gold-early"]).table  # better numbers, confirmed
    print(simgin.show("gold", "simple", "eaai", seed=7, unit=3))  # one deal in words
    simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", pile="QD TS 9D* QH")  # what to discard?
    simgin.analyze_deal("gold", "simple", unit=3, turn=5)  # what was best, and what was done
    simgin.error_rates("gold", deals=1000)  # the points that a strategy gives up a deal
    simgin.find("gold", "simple", where="undercut, lost")  # deals worth looking at
    simgin.find_strategy("gold-early:k=7").text
    simgin.find_variant("oklahoma+gin_bonus=20").row["gin_bonus"]
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what editors and type checkers see
    from simgin import plots, strategy, toolkit
    from simgin.api import (
        analyze,
        analyze_deal,
        error_rates,
        find,
        findings_of,
        forest,
        match,
        odds_of,
        review_of,
        run,
        show,
        tuned,
    )
    from simgin.rules.variants import find as find_variant
    from simgin.strategy.loader import find as find_strategy

    __version__: str

# Public names that are other ones where they come from: module and name there
_RENAMED = {
    "find_strategy": ("simgin.strategy.loader", "find"),
    "find_variant": ("simgin.rules.variants", "find"),
}
# Modules that need no import of their own
_MODULES = ("plots", "strategy", "toolkit")

__all__ = [
    "__version__",
    "analyze",
    "analyze_deal",
    "error_rates",
    "find",
    "find_strategy",
    "find_variant",
    "findings_of",
    "forest",
    "match",
    "odds_of",
    "plots",
    "review_of",
    "run",
    "show",
    "strategy",
    "toolkit",
    "tuned",
]


def __getattr__(name: str) -> Any:
    """A public name, imported on first use."""
    import importlib

    if name == "__version__":
        from simgin.version import version

        return version()
    if name in _MODULES:
        return importlib.import_module(f"simgin.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, inner = _RENAMED.get(name, ("simgin.api", name))
    return getattr(importlib.import_module(module), inner)


def __dir__() -> list[str]:
    return sorted(__all__)
