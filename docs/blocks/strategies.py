"""Documentation blocks about strategies, odds and speed, based on the committed results."""

import math

import pandas as pd

from blocks.markdown import format_table
from blocks.reference import (
    PROJECT_ROOT,
    read_benchmark_rows,
    read_result_csv,
    read_summary_section,
    read_tidy_rows,
)
from simgin.core.view import VIEW_FIELDS
from simgin.odds.odds import OddsRequest, run_odds
from simgin.odds.odds_report import build_odds_tables, iter_verdict_sentences
from simgin.report import numbers
from simgin.stats import table
from simgin.strategy import catalogue, loader

CATALOGUE_PATH = PROJECT_ROOT / "simgin" / "strategy" / "catalogue.toml"
VIEW_ARRAY_DESCRIPTIONS = (
    (
        "own_columns",
        "`own_columns[c]` contains the player's points in column `c`, for the goal `columns`",
    ),
    (
        "other_columns",
        "`other_columns[c]` contains the opponent's points in column `c`, for the goal `columns`",
    ),
    (
        "meldings",
        "`meldings[i]` contains the masks of the three melds (0 if missing) that action `i` of a "
        "`show` policy lays down",
    ),
    (
        "history",
        "`history[i]` is `(seat, source, drawn card, discarded card)` of turn `i < view.turns`. "
        "The source is 0 for the stock and 1 for the pile or the first upcard, and an unknown or "
        "missing card is -1. A pass is not a turn. To find the last card that the opponent took "
        "from the pile, look for the last row with the opponent's seat and source 1.",
    ),
)
MAIN_METRIC_COLUMNS = (
    ("deal_win", "deals won %", 100),
    ("margin", "points per deal", 1),
    ("score", "score per deal", 1),
    ("match_win", "matches won %", 100),
)


def render_view() -> str:
    """Return a table that describes all fields of the view."""
    lines = [(f"`{name}`", about) for name, about in (*VIEW_FIELDS, *VIEW_ARRAY_DESCRIPTIONS)]
    return format_table(("field", "meaning"), lines)


def render_strategies() -> str:
    """Return a table of the built-in strategies by strength, two-player strategies first."""
    rates = {
        row["figure"].partition(",")[0]: _round_to_two_digits(row["per_second"])
        for row in read_benchmark_rows()
    }
    lines = []
    for strategy in catalogue.sort_by_strength(
        [loader.find_strategy(name) for name in loader.list_built_in_strategies()]
    ):
        name = strategy.name
        rate = f"{rates[name]:,.0f}" if name in rates else ""
        lines.append(
            (
                f"`{name}`",
                catalogue.format_strength(name),
                rate,
                catalogue.extract_first_sentence(strategy),
            )
        )
    return format_table(
        ("strategy", "Elo, matches won against `simple`", "deals per second", "idea"), lines
    )


def render_benchmark() -> str:
    """Return a table of benchmark rates, each compared with a calibration benchmark."""
    strategies = {f"{name}, eaai deals" for name in loader.list_built_in_strategies()}
    lines = []
    for row in read_benchmark_rows():
        if row["figure"] not in strategies and " of " not in row["figure"]:
            ratio = f"{row['ratio']:,.0f}" if row["ratio"] >= 100 else f"{row['ratio']:.3g}"
            rate = f"{row['per_second']:,.0f}"
            lines.append((row["figure"], str(row["threads"]), rate, ratio))
    return format_table(
        ("benchmark", "threads", "rate per second", "ratio to the calibration kernel"), lines
    )


def render_odds(*variants: str) -> str:
    """Return the verdict and the tables of `simgin odds` for the given variants."""
    result = run_odds(OddsRequest.read(variants, include_details=bool(variants)))
    parts = ["\n".join(f"* {line}" for line in iter_verdict_sentences(result))]
    for odds_table in build_odds_tables(result):
        parts += [f"**{odds_table.title}**", format_table(odds_table.headings, odds_table.rows)]
        parts += [odds_table.note] if odds_table.note else []
    return "\n\n".join(parts)


def render_reference_results(result: str, *title_words: str) -> str:
    """Return the main metrics of a reference result, or one section of its summary."""
    if title_words:
        return read_summary_section(result, " ".join(title_words))
    return render_main_metrics(read_tidy_rows(result))


def render_main_metrics(results: pd.DataFrame) -> str:
    """Return a table of the main metrics, with a row for each matchup."""
    lines = []
    for (variant, a, b), rows in table.iterate_matchups(results):
        cells = [
            numbers.format_estimate(*table.find_interval(rows, metric), factor)
            for metric, _, factor in MAIN_METRIC_COLUMNS
        ]
        lines.append((variant, f"`{a}`", f"`{b}`" if b else "", *cells))
    headings = ("game", "A", "B", *(title for _, title, _ in MAIN_METRIC_COLUMNS))
    columns = zip(*lines, strict=True)
    nonempty = [i for i, cells in enumerate(columns) if set(cells) - {"", numbers.EN_DASH}]
    return format_table(
        [headings[i] for i in nonempty], [[line[i] for i in nonempty] for line in lines]
    )


def format_catalogue() -> str:
    """Return the catalogue of strategies in TOML, computed from the reference results.

    Two-player strategies come first, strongest first.
    """
    parts = [
        "# Written by docs/make.py from results/reference: "
        "league, champion-eaai, champion-mc, mc, dice, solo-champion and bench.json.\n"
    ]
    league_entries = _make_league_entries()
    elos = {name: float(entry["elo"]) for name, entry in league_entries.items()}
    elos["dice-player"] = elos["gold"]  # They differ only in games with a die.
    for name, opponent in (
        ("champion-mc", "champion"),
        ("champion-eaai", "champion"),
        ("mc", "simple"),
    ):
        win_rate = _read_metric(name, "eaai", name, opponent, "match_win")
        elos[name] = elos[opponent] + 400 * math.log10(win_rate / (1 - win_rate))
    catalogue_entries = {**_make_unrated_entries(), **league_entries}
    for name in sorted(catalogue_entries, key=lambda name: -elos.get(name, -math.inf)):
        entries = catalogue_entries[name]
        parts.append(f"[{name}]\n" + "".join(f"{key} = {text}\n" for key, text in entries.items()))
    return "\n".join(parts)


def _make_league_entries() -> dict[str, dict[str, str]]:
    """Return the Elo ratings, win rates and speeds of the strategies in the league."""
    league, cross = read_result_csv("league", "league"), read_result_csv("league", "cross")
    against_simple = cross[(cross["variant"] == "eaai") & (cross["opponent"] == "simple")]
    win_rates = against_simple.set_index("strategy")["value"]
    entries = {}
    for _, row in league[league["variant"] == "eaai"].iterrows():
        name = row["strategy"]
        entries[name] = {
            "elo": f"{row['elo']:.0f}",
            "elo_error": f"{(row['elo_high'] - row['elo_low']) / 2:.0f}",
            "won": f"{100 * win_rates.get(name, 0.5):.1f}",
            **_make_speed_entry(name),
        }
    return entries


def _make_unrated_entries() -> dict[str, dict[str, str]]:
    """Return the results and speeds of the strategies outside the league."""
    mc = _read_metric("mc", "eaai", "mc", "simple", "match_win")
    champion_eaai, champion_mc = (
        _read_metric(name, "eaai", name, "simple", "match_win")
        for name in ("champion-eaai", "champion-mc")
    )
    dice = read_result_csv("dice", "cross").set_index(["variant", "strategy"])["value"]
    won = 100 * dice["dice", "dice-player"]
    entries = {
        "champion-eaai": {
            "result": f'"{100 * champion_eaai:.1f} % v simple"',
            **_make_speed_entry("champion-eaai"),
        },
        "champion-mc": {
            "result": f'"{100 * champion_mc:.0f} % v simple"',
            **_make_speed_entry("champion-mc"),
        },
        "mc": {"result": f'"{100 * mc:.0f} % v simple"', **_make_speed_entry("mc")},
        "dice-player": {
            "result": f'"{won.min():.0f} to {won.max():.0f} % of matches won in `dice`"',
            **_make_speed_entry("dice-player"),
        },
    }
    for name in filter(catalogue.is_solo_strategy, loader.list_built_in_strategies()):
        wins = _read_metric("solo-champion", "solitaire-gin", name, "", "win")
        penalty = _read_metric("solo-champion", "solitary-gin", name, "", "score")
        entries[name] = {"result": f'"wins {100 * wins:.0f} %, penalty {penalty:.2f}"'}
    return entries


def _read_metric(result: str, variant: str, strategy: str, opponent: str, metric: str) -> float:
    """Return the value of a metric for one matchup in a reference result."""
    keys = ["variant", "strategy", "opponent", "metric"]
    values = read_tidy_rows(result).set_index(keys)["value"]
    return float(values.loc[[(variant, strategy, opponent, metric)]].iloc[0])


def _make_speed_entry(strategy: str) -> dict[str, str]:
    """Return the deals per second of a strategy as a catalogue entry, if measured."""
    rates = {row["figure"]: row["per_second"] for row in read_benchmark_rows()}
    if f"{strategy}, eaai deals" not in rates:
        return {}
    rate = _round_to_two_digits(rates[f"{strategy}, eaai deals"])
    return {"deals_per_second": f"{rate:.0f}"}


def _round_to_two_digits(number: float) -> float:
    return float(format(number, ".2g"))
