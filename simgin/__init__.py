"""Monte Carlo simulator for Gin Rummy and its variants.

`simgin --help` lists the commands. Every command has a corresponding Python function:

    import simgin

    result = simgin.match("gold", "simple", "eaai", deals="200k", seed=7)
    print(result)  # the answer and a table; in a notebook, `result` is enough
    result.frame  # a DataFrame with the rows of table.csv
    result.save("results/gold")  # the HTML report, tables and plots
    results = simgin.run("demo")  # or an experiment file
    review = simgin.review_rules(["oklahoma"], against="standard")  # review.metrics, .differences
    odds = simgin.compute_odds("solitaire-gin")
    simgin.plots.skill(odds.frames()["bracket"])  # a matplotlib figure
    simgin.tune_strategy("mine.py", against=["simple", "gold-early"]).table  # better parameters
    simgin.train("champion", "straight").table  # weights trained for a variant
    print(simgin.show("gold", "simple", "eaai", seed=7, unit=3))  # replay of a deal
    simgin.hand("5S 6S 7S 9H 9D 9C KS QD 2C AH").melds  # also deadwood and best discards
    simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", pile="QD TS 9D* QH")  # best discard
    simgin.analyze_deal("gold", "simple", unit=3, turn=5)  # costs of the actions in a turn
    simgin.error_rates("gold", deals=1000)  # points per deal that a strategy loses
    simgin.find("gold", "simple", where="undercut, lost")  # deals that meet conditions
    simgin.strategies()  # a DataFrame of the built-in strategies; simgin.variants() is similar
    simgin.find_strategy("gold-early:k=7").spec
    simgin.find_variant("oklahoma+gin_bonus=20").params["gin_bonus"]

Modules are imported on first use.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # Editors and type checkers need these imports.
    from simgin import plots, strategy, toolkit
    from simgin.api import (
        analyze,
        analyze_deal,
        compute_chart,
        compute_odds,
        error_rates,
        find,
        grade,
        hand,
        league,
        match,
        review_rules,
        run,
        show,
        strategies,
        train,
        tune_strategy,
        variants,
    )
    from simgin.rules.variants import find_variant
    from simgin.strategy.loader import find_strategy

    __version__: str

# Modules that define the public functions outside simgin.api
_MODULE_BY_PUBLIC_NAME = {
    "find_strategy": "simgin.strategy.loader",
    "find_variant": "simgin.rules.variants",
}
# Modules that are also available as attributes of simgin
_SUBMODULES = ("plots", "strategy", "toolkit")

__all__ = [
    "__version__",
    "analyze",
    "analyze_deal",
    "compute_chart",
    "compute_odds",
    "error_rates",
    "find",
    "find_strategy",
    "find_variant",
    "grade",
    "hand",
    "league",
    "match",
    "plots",
    "review_rules",
    "run",
    "show",
    "strategies",
    "strategy",
    "toolkit",
    "train",
    "tune_strategy",
    "variants",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    import importlib

    if name == "__version__":
        from simgin.version import get_version

        return get_version()
    if name in _SUBMODULES:
        return importlib.import_module(f"simgin.{name}")
    if name not in __all__:
        from simgin.renamed import make_missing_name_error

        raise make_missing_name_error(__name__, name, __all__)
    return getattr(importlib.import_module(_MODULE_BY_PUBLIC_NAME.get(name, "simgin.api")), name)


def __dir__() -> list[str]:
    return sorted(__all__)
