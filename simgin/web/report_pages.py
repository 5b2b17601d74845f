"""Odds and charts pages, which have forms for `simgin odds` and `simgin chart`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simgin.charts.chart import ChartRequest
from simgin.charts.chart_kinds import CHART_KINDS
from simgin.odds.odds import PAIR_DEALS, SOLO_DEALS
from simgin.odds.solo_deals import MIN_SOLO_DEALS
from simgin.text.amounts import AmountError, parse_count
from simgin.text.messages import SimginError
from simgin.web.command_pages import CommandPage, Draft
from simgin.web.names import read_variant_name
from simgin.web.pages import Form
from simgin.web.review_page import list_variants

if TYPE_CHECKING:
    from simgin.web.app import Site

CHARTS = {
    "knock": "When to knock",
    "upcard": "Which upcard to take",
    "discard": "What to discard first",
}
# CPU time per deal of a two-player variant, in seconds, summed over all players
SECONDS_PER_DEAL = 2e-4


def read_odds(form: Form, site: Site) -> Draft:
    """Read the form of the odds page and record its errors."""
    variant = form.read("variant", read_variant_name, "solitaire-gin")
    default_deals = SOLO_DEALS if variant.is_solo else PAIR_DEALS
    deals = form.read("deals", _read_deals, str(default_deals))
    return Draft(
        ["odds", variant.spec, *_size_arguments(deals, default_deals)],
        f"Odds of {variant.spec}",
        f"odds-{variant.spec}",
        None if variant.is_solo else deals * SECONDS_PER_DEAL,
    )


def read_chart(form: Form, site: Site) -> Draft:
    """Read the form of the chart page and record its errors."""
    kind = form.values.get("kind", "knock")
    kind = kind if kind in CHARTS else "knock"
    variant = form.read("variant", read_variant_name, "standard").spec
    score = form.values.get("score", "").strip()
    default_deals = CHART_KINDS[kind].default_deals
    deals = form.read("deals", _read_deals, str(default_deals))
    try:
        ChartRequest.read(kind, variant)
        form.read("score", lambda text: ChartRequest.read(kind, variant, score=text or None), "")
    except SimginError as error:
        form.errors.setdefault("variant", str(error))
    return Draft(
        ["chart", kind, "-v", variant, *([f"--score={score}"] * bool(score))]
        + _size_arguments(deals, default_deals),
        f"{CHARTS[kind]}, {variant}",
        f"chart-{kind}-{variant}",
        deals * SECONDS_PER_DEAL,
    )


def _read_deals(text: str) -> int:
    deals = parse_count(text)
    if deals < MIN_SOLO_DEALS:
        raise AmountError(
            f"{deals} deals are too few to estimate odds. Use at least {MIN_SOLO_DEALS} deals."
        )
    return deals


def _size_arguments(deals: int, default_deals: int) -> list[str]:
    return [] if deals == default_deals else ["--deals", str(deals)]


def _list_options(site: Site) -> dict[str, Any]:
    return {"variants": list_variants(), "charts": list(CHARTS.items())}


ODDS_PAGE = CommandPage("odds", read_odds, _list_options)
CHARTS_PAGE = CommandPage("charts", read_chart, _list_options)
