"""Write the generated blocks of all pages, or some kinds: python docs/make.py [metrics commands].

A block is between a comment with its kind and a comment that ends it:

    <!-- rows: NAME -->                      the parameters of a variant that differ from `standard`
    <!-- games -->                           one row for every variant
    <!-- table: EXPERIMENT VARIANT... -->    results of an experiment, in these variants or all
    <!-- metrics: UNIT -->                   the metrics per deal, or per match
    <!-- kinds -->                           the player types of a review
    <!-- reviewed: NAME -->                  verdicts and scorecard of a review in results/reference
    <!-- charted: NAME -->                   the summary of a chart in results/reference
    <!-- types: VARIANT -->                 the player types of a game
    <!-- columns: outputs|names -->       the output files, or what their columns mean
    <!-- scorecard -->                       the rows of a review's scorecard
    <!-- plots -->                           the plots of simgin.plots
    <!-- view -->                           the fields of the view that a policy is given
    <!-- strategies -->                      every strategy with its idea, source and strength
    <!-- speed -->                           the results of the reference bench
    <!-- odds: GAME -->                      the output of `simgin odds` (default: solitaire games)
    <!-- commands -->                       the help of every command
    <!-- api: MODULE [NAME...] -->          the public functions of a module
    <!-- screen: COMMAND -->                the output of a command, without its last line
    <!-- graded: A B N -->                  the output of `simgin grade` for N deals of A against B
    <!-- learned: PAGE OPTIONS -->          the output of `simgin train` for the strategy of a page
    <!-- cards -->                          the findings, from docs/findings.toml
    <!-- packages -->                       the packages of simgin and what they import
    <!-- quoted: NAME [TITLE] -->            the results in results/reference/NAME, or a section

Without a kind it also writes simgin/strategy/catalogue.toml, from results/reference. The
same seed gives the same bytes on any machine.
Most kinds take seconds; screen, graded, learned and odds play, ten minutes of one core in all.
"""

import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from blocks import api, cards, commands, games, metrics, packages, strategies  # noqa: E402

BLOCKS: dict[str, Callable[..., str]] = {
    "rows": games.parameters,
    "games": games.index,
    "table": games.measured,
    "metrics": metrics.of_unit,
    "kinds": metrics.kinds_of_player,
    "types": metrics.player_types,
    "columns": metrics.columns,
    "scorecard": metrics.of_reviews,
    "reviewed": metrics.of_review,
    "charted": metrics.of_chart,
    "plots": metrics.pictures,
    "view": strategies.view,
    "strategies": strategies.strategy_table,
    "speed": strategies.speed,
    "odds": strategies.odds,
    "commands": commands.reference,
    "api": api.api,
    "screen": commands.screen,
    "graded": commands.graded,
    "learned": commands.learned,
    "packages": packages.package_diagram,
    "cards": cards.cards,
    "quoted": strategies.quoted,
    "hardest": strategies.hardest,
}
BLOCK = re.compile(rf"(<!-- ({'|'.join(BLOCKS)})(?:: ([^>]*))? -->\n).*?(<!-- end -->)", re.S)


def main(kinds: Collection[str]) -> None:
    """Write the catalogue, and pages whose blocks have changed."""
    if unknown := set(kinds) - set(BLOCKS):
        sys.exit(f"{', '.join(sorted(unknown))}: no such block; there are {', '.join(BLOCKS)}.")
    if not kinds:
        strategies.CATALOGUE.write_text(strategies.catalogue())
    for page in pages():
        name = page.relative_to(HERE.parent)
        print(f"{name} ...", end="\r", flush=True)
        old, new = page.read_text(), filled(page, kinds or BLOCKS)
        if new != old:
            page.write_text(new)
        print(f"{name}{': written' if new != old else '    '}")


def pages() -> list[Path]:
    """Return the pages with generated blocks."""
    every = [HERE.parent / "README.md", *sorted(HERE.rglob("*.md"))]
    return [page for page in every if BLOCK.search(page.read_text())]


def filled(page: Path, kinds: Collection[str]) -> str:
    """Return the text of a page with its blocks of these kinds regenerated."""

    def block(match: re.Match[str]) -> str:
        start, kind, words, end = match.groups()
        if kind not in kinds:
            return match[0]
        return f"{start}\n{BLOCKS[kind](*(words or '').split())}\n\n{end}"

    return BLOCK.sub(block, page.read_text())


if __name__ == "__main__":
    main(sys.argv[1:])
