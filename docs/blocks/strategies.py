"""Blocks about strategies, the league and speed, from the committed results; and the catalogue."""

from blocks.markdown import table as markdown_table
from blocks.reference import ROOT, bench, csv, summary_section, tidy_rows
from simgin.core.view import VIEW_FIELDS
from simgin.odds.odds import OddsRequest, run_odds
from simgin.odds.odds_report import odds_tables, odds_verdict
from simgin.report import numbers
from simgin.stats import table
from simgin.strategy import catalogue as known
from simgin.strategy import loader

CATALOGUE = ROOT / "simgin" / "strategy" / "catalogue.toml"
VIEW_ARRAYS = (
    ("own_columns", "goal columns: own points in each column"),
    ("other_columns", "the opponent's"),
    (
        "meldings",
        "`meldings[i]` = up to three melds (0: none) that answer `i` of the slot `show` lays down",
    ),
    (
        "history",
        "`history[i] = (seat, source, card drawn or -1 if hidden, card discarded or -1)` "
        "for `i < view.turns`; source 0 stock, 1 pile",
    ),
)
HEADLINES = (
    ("deal_win", "deals won %", 100),
    ("margin", "points per deal", 1),
    ("score", "score per deal", 1),
    ("match_win", "matches won %", 100),
)


def view() -> str:
    """Return a table of the fields of the view."""
    lines = [(f"`{name}`", about) for name, about in (*VIEW_FIELDS, *VIEW_ARRAYS)]
    return markdown_table(("field", "meaning"), lines)


def strategy_table() -> str:
    """Return a table of the built-in strategies; two-player strategies by strength."""
    rates = {row["figure"].partition(",")[0]: _two_digits(row["per_second"]) for row in bench()}
    lines = []
    for strategy in known.sort_by_strength(
        [loader.find_strategy(name) for name in loader.list_built_in()]
    ):
        name = strategy.name
        rate = f"{rates[name]:,.0f}" if name in rates else ""
        lines.append(
            (
                f"`{name}`",
                known.format_strength(name),
                rate,
                known.extract_idea(strategy),
                strategy.source,
            )
        )
    return markdown_table(
        ("strategy", "Elo, matches won v `simple`", "deals/s", "idea", "source"), lines
    )


def speed() -> str:
    """Return the bench as a table: threads, rate, ratio to the calibration kernel."""
    strategies = {f"{name}, eaai deals" for name in loader.list_built_in()}
    lines = []
    for row in bench():
        if row["figure"] not in strategies:
            ratio = f"{row['ratio']:,.0f}" if row["ratio"] >= 100 else f"{row['ratio']:.3g}"
            rate = f"{row['per_second']:,.0f}"
            lines.append((row["figure"], str(row["threads"]), rate, ratio))
    return markdown_table(("", "threads", "per second", "ratio to the calibration kernel"), lines)


def odds(*games: str) -> str:
    """Return the sentences and tables of `simgin odds` for games, or all solitaire games."""
    found = run_odds(OddsRequest.read(games, complete=bool(games)))
    parts = ["\n".join(f"* {line}" for line in odds_verdict(found))]
    for own in odds_tables(found):
        parts += [f"**{own.title}**", markdown_table(own.headings, own.rows)]
        parts += [own.note] if own.note else []
    return "\n\n".join(parts)


def quoted(result: str, *title: str) -> str:
    """Return a table of a reference result by matchup, or a section of its summary."""
    if title:
        return summary_section(result, " ".join(title))
    lines = []
    for (variant, a, b), rows in table.iterate_matchups(tidy_rows(result)):
        cells = [
            numbers.format_estimate(*table.find_interval(rows, metric), factor)
            for metric, _, factor in HEADLINES
        ]
        lines.append((variant, f"`{a}`", f"`{b}`" if b else "", *cells))
    head = ("game", "A", "B", *(title for _, title, _ in HEADLINES))
    columns = zip(*lines, strict=True)
    filled = [i for i, cells in enumerate(columns) if set(cells) - {"", numbers.EN_DASH}]
    return markdown_table([head[i] for i in filled], [[line[i] for i in filled] for line in lines])


def hardest(result: str) -> str:
    """Return a table of the opponent against which A wins the fewest matches, by variant."""
    head, _, *lines = [
        line.strip("| ").split(" | ")
        for line in summary_section(result, "Results").splitlines()
        if line.startswith("|")
    ]
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    hardest_of: dict[str, dict[str, str]] = {}
    for row in rows:
        won = hardest_of.setdefault(row["variant"], row)["matches won %"]
        if float(row["matches won %"].split()[0]) < float(won.split()[0]):
            hardest_of[row["variant"]] = row
    told = [
        (variant, f"`{row['B']}`", row["points/deal"], row["matches won %"])
        for variant, row in hardest_of.items()
    ]
    return markdown_table(("game", "hardest opponent", "points per deal", "matches won %"), told)


def catalogue() -> str:
    """Return the catalogue of strategies as TOML, from the reference results."""
    parts = [
        "# Written by docs/make.py from results/reference: "
        "league, champion-mc, mc, dice, solo-players, solo-champion and bench.json.\n"
    ]
    for name, entries in {**_in_the_league(), **_elsewhere()}.items():
        parts.append(f"[{name}]\n" + "".join(f"{key} = {text}\n" for key, text in entries.items()))
    return "\n".join(parts)


def _in_the_league() -> dict[str, dict[str, str]]:
    """Return Elo under eaai with its error, matches won against simple (%) and speed."""
    league, cross = csv("league", "league"), csv("league", "cross")
    of_simple = cross[(cross["variant"] == "eaai") & (cross["opponent"] == "simple")]
    shares = of_simple.set_index("strategy")["value"]
    entries = {}
    for _, row in league[league["variant"] == "eaai"].iterrows():
        name = row["strategy"]
        entries[name] = {
            "elo": f"{row['elo']:.0f}",
            "elo_error": f"{(row['elo_high'] - row['elo_low']) / 2:.0f}",
            "won": f"{100 * shares.get(name, 0.5):.1f}",
            **_speed(name),
        }
    return entries


def _elsewhere() -> dict[str, dict[str, str]]:
    """Return the entries of strategies that have not played in the league."""
    mc = _value("mc", "eaai", "mc", "simple", "match_win")
    looking = _value("champion-mc", "eaai", "champion-mc", "simple", "match_win")
    dice = csv("dice", "cross").set_index(["variant", "strategy"])["value"]
    won = 100 * dice["dice", "dice-player"]
    entries = {
        "champion-mc": {"result": f'"{100 * looking:.0f} % v simple"', **_speed("champion-mc")},
        "mc": {"result": f'"{100 * mc:.0f} % v simple"', **_speed("mc")},
        "dice-player": {
            "result": f'"{won.min():.0f} to {won.max():.0f} % of dice"',
            **_speed("dice-player"),
        },
    }
    for name in filter(known.is_solo_strategy, loader.list_built_in()):
        result = "solo-champion" if name == "solo-champion" else "solo-players"
        wins = _value(result, "solitaire-gin", name, "", "win")
        penalty = _value(result, "solitary-gin", name, "", "score")
        entries[name] = {"result": f'"wins {100 * wins:.0f} %, penalty {penalty:.2f}"'}
    return entries


def _value(result: str, variant: str, a: str, b: str, metric: str) -> float:
    keys = ["variant", "strategy", "opponent", "metric"]
    return float(tidy_rows(result).set_index(keys)["value"].loc[[(variant, a, b, metric)]].iloc[0])


def _speed(name: str) -> dict[str, str]:
    rates = {row["figure"]: row["per_second"] for row in bench()}
    if f"{name}, eaai deals" not in rates:
        return {}
    return {"deals_per_second": f"{_two_digits(rates[f'{name}, eaai deals']):.0f}"}


def _two_digits(number: float) -> float:
    return float(format(number, ".2g"))
