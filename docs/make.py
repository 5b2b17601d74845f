"""Regenerate the generated blocks in the documentation: python docs/make.py [KIND...].

Without a kind, the script regenerates all blocks. A block starts with one of these comments and
ends with `<!-- end -->`:

    <!-- rows: NAME -->                  the parameters of a variant that differ from `standard`
    <!-- parameters -->                  all parameters of the rules
    <!-- games -->                       an index of all variants
    <!-- table: EXPERIMENT [VARIANT] --> results of an experiment, in one variant or in all
    <!-- metrics: UNIT -->               the metrics per deal, or per match
    <!-- kinds -->                       the player types of reviews and their strategies
    <!-- reviewed: NAME -->              verdicts and scorecard of a review in results/reference
    <!-- charted: NAME -->               the verdict on a chart in results/reference
    <!-- types: VARIANT -->              the player types of a game
    <!-- columns: outputs|names|deals --> the output files, or what their columns mean
    <!-- scorecard -->                   the rows of a review's scorecard
    <!-- plots -->                       the plots of simgin.plots
    <!-- view -->                        the fields of the view of a policy
    <!-- strategies -->                  every strategy with its strength, speed and idea; this kind
                                         also writes simgin/strategy/catalogue.toml
    <!-- speed -->                       the reference benchmark
    <!-- odds: GAME -->                  the output of `simgin odds` for a game, or solitaire
    <!-- commands -->                    the help of every command
    <!-- api: MODULE [NAME...] -->       the public functions of a module
    <!-- screen: COMMAND -->             the output of a command, without the command
    <!-- graded: A B N -->               the output of `simgin grade` for N deals of A against B
    <!-- learned: PAGE OPTIONS -->       the output of `simgin train` for the strategy in a page
    <!-- cards -->                       the findings, from docs/findings.toml
    <!-- packages -->                    the packages of simgin and what they import
    <!-- quoted: NAME [TITLE] -->        the main metrics of a result, or a section of its summary

The output is the same on every machine. Most kinds take seconds. The kinds screen, graded, learned
and odds play games, which takes ten minutes on one core.
"""

import re
import sys
from collections.abc import Callable, Collection
from pathlib import Path

DOCS_DIRECTORY = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS_DIRECTORY))

from blocks import api, cards, commands, games, metrics, packages, strategies  # noqa: E402

BLOCK_RENDERERS: dict[str, Callable[..., str]] = {
    "rows": games.render_parameter_differences,
    "parameters": games.render_parameter_definitions,
    "games": games.render_variant_index,
    "table": games.render_results,
    "metrics": metrics.render_metrics,
    "kinds": metrics.render_review_players,
    "types": metrics.render_player_types,
    "columns": metrics.render_columns,
    "scorecard": metrics.render_scorecard,
    "reviewed": metrics.render_review,
    "charted": metrics.render_chart,
    "plots": metrics.render_plots,
    "view": strategies.render_view,
    "strategies": strategies.render_strategies,
    "speed": strategies.render_benchmark,
    "odds": strategies.render_odds,
    "commands": commands.render_commands,
    "api": api.render_api,
    "screen": commands.render_command_output,
    "graded": commands.render_grade_output,
    "learned": commands.render_training_output,
    "packages": packages.render_packages,
    "cards": cards.render_cards,
    "quoted": strategies.render_reference_results,
}
GENERATED_BLOCK_PATTERN = re.compile(
    rf"(<!-- ({'|'.join(BLOCK_RENDERERS)})(?:: ([^>]*))? -->\n).*?(<!-- end -->)", re.S
)


def main(block_kinds: Collection[str]) -> None:
    """Regenerate the blocks of the given kinds on all pages, or all blocks."""
    if unknown := set(block_kinds) - set(BLOCK_RENDERERS):
        known = ", ".join(BLOCK_RENDERERS)
        sys.exit(f"Unknown kinds: {', '.join(sorted(unknown))}. Choose from: {known}.")
    if not block_kinds or "strategies" in block_kinds:
        strategies.CATALOGUE_PATH.write_text(strategies.format_catalogue())
    for page in find_pages():
        name = page.relative_to(DOCS_DIRECTORY.parent)
        print(f"{name} ...", end="\r", flush=True)
        old, new = page.read_text(), render_page(page, block_kinds or BLOCK_RENDERERS)
        if new != old:
            page.write_text(new)
        print(f"{name}{': written' if new != old else '    '}")


def find_pages() -> list[Path]:
    """Return the pages that contain generated blocks."""
    paths = [DOCS_DIRECTORY.parent / "README.md", *sorted(DOCS_DIRECTORY.rglob("*.md"))]
    return [page for page in paths if GENERATED_BLOCK_PATTERN.search(page.read_text())]


def render_page(page: Path, block_kinds: Collection[str]) -> str:
    """Return the text of a page in which the blocks of the given kinds are regenerated."""

    def render_block(match: re.Match[str]) -> str:
        start, kind, arguments, end = match.groups()
        if kind not in block_kinds:
            return match[0]
        return f"{start}\n{BLOCK_RENDERERS[kind](*(arguments or '').split())}\n\n{end}"

    return GENERATED_BLOCK_PATTERN.sub(render_block, page.read_text())


if __name__ == "__main__":
    main(sys.argv[1:])
