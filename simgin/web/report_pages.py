"""Odds and charts pages, which have forms for `simgin odds` and `simgin chart`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from simgin.charts.chart import ChartRequest
from simgin.charts.chart_kinds import CHART_KINDS
from simgin.match_value.outcomes import MIN_OUTCOME_DEALS
from simgin.odds.odds import DEFAULT_SOLO_DEALS, DEFAULT_TWO_PLAYER_DEALS
from simgin.odds.solo_deals import MIN_SOLO_DEALS
from simgin.text.amounts import AmountError, parse_count
from simgin.text.messages import SimginError
from simgin.web.command_pages import CommandDraft, CommandPage
from simgin.web.pages import Form
from simgin.web.request_values import find_allowed_variant
from simgin.web.review_page import list_variants

if TYPE_CHECKING:
    from simgin.web.app import Site

CHART_PAGE_TITLES = {
    "knock": "When to knock",
    "upcard": "Which upcard to take",
    "discard": "What to discard first",
}
# CPU time per deal of a two-player variant, in seconds, summed over all players
CPU_SECONDS_PER_DEAL = 2e-4


def read_odds_form(form: Form, site: Site) -> CommandDraft:
    """Return the command for the odds that a form requests, and record errors in the form."""
    variant = form.read("variant", find_allowed_variant, "solitaire-gin")
    default_deals = DEFAULT_SOLO_DEALS if variant.is_solo else DEFAULT_TWO_PLAYER_DEALS
    min_deals = MIN_SOLO_DEALS if variant.is_solo else MIN_OUTCOME_DEALS
    deals = form.read("deals", partial(_parse_deals, min_deals), str(default_deals))
    return CommandDraft(
        ["odds", variant.spec, *_make_size_arguments(deals, default_deals)],
        f"Odds for {variant.spec}",
        f"odds-{variant.spec}",
        None if variant.is_solo else deals * CPU_SECONDS_PER_DEAL,
    )


def read_chart_form(form: Form, site: Site) -> CommandDraft:
    """Return the command that draws the chart in a form, and record the form's errors."""
    kind = form.read_choice("kind", CHART_PAGE_TITLES, "knock")
    variant = form.read("variant", find_allowed_variant, "standard").spec
    score = form.values.get("score", "").strip()
    default_deals = CHART_KINDS[kind].default_deals
    deals = form.read("deals", partial(_parse_deals, MIN_SOLO_DEALS), str(default_deals))
    try:
        ChartRequest.read(kind, variant)
        form.read("score", lambda text: ChartRequest.read(kind, variant, score=text or None), "")
    except SimginError as error:
        form.add_error("variant", error)
    return CommandDraft(
        ["chart", kind, "-v", variant, *([f"--score={score}"] * bool(score))]
        + _make_size_arguments(deals, default_deals),
        f"{CHART_PAGE_TITLES[kind]}, {variant}",
        f"chart-{kind}-{variant}",
        deals * CPU_SECONDS_PER_DEAL,
    )


def _parse_deals(min_deals: int, text: str) -> int:
    """Parse a number of deals, or raise AmountError if it is too small."""
    deals = parse_count(text)
    if deals < min_deals:
        raise AmountError(f"{deals:,} deals are too few. Use at least {min_deals:,} deals.")
    return deals


def _make_size_arguments(deals: int, default_deals: int) -> list[str]:
    """Return the option `--deals` with its value, or [] for the default value."""
    return [] if deals == default_deals else ["--deals", str(deals)]


def _make_template_variables(site: Site) -> dict[str, Any]:
    """Return the variants and charts that the pages offer for selection."""
    return {"variants": list_variants(), "charts": list(CHART_PAGE_TITLES.items())}


ODDS_PAGE = CommandPage("odds", read_odds_form, _make_template_variables)
CHARTS_PAGE = CommandPage("charts", read_chart_form, _make_template_variables)
