"""Writes the blocks of the pages that come from the rows of the games, from the table of metrics, and from play: python docs/make.py.

A block stands between a comment that says what it is and one that ends it:

    <!-- rows: NAME -->                      the parameters of a game that differ from `standard`
    <!-- games -->                           one row for every game
    <!-- metrics: UNIT -->                   the metrics per deal, or per match
    <!-- traits: PLAYERS -->                 the metrics that a review tells of games for so many players
    <!-- plots -->                           the pictures that simgin.plots draws, and of what
    <!-- table: EXPERIMENT VARIANT... -->    what an experiment measured in these variants (none named: in all of them)
    <!-- roster -->                          every strategy with its idea, source and strength
    <!-- speed -->                           what the reference bench measured, without the line for every strategy
    <!-- odds -->                            what `simgin odds` prints of every game for one
    <!-- quoted: NAME [TITLE] -->            of results/reference/NAME who won what; or the section of its summary with that title

Writes simgin/strategy/catalogue.toml too, from the league and the bench in results/reference, and draws the league's heat maps from its tables.
The same seed gives the same bytes, on any machine and any number of cores; a few minutes of two cores are enough.
"""

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

import simgin
from simgin import plots
from simgin.core import sums
from simgin.odds import report, sample, solo
from simgin.report import numbers
from simgin.review import frames as portrait
from simgin.review import rule_metrics, solo_metrics
from simgin.review.rule_metrics import Trait
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats import metrics, table
from simgin.stats.metrics import Metric
from simgin.strategy import catalogue as known
from simgin.strategy import loader
from simgin.value import drama

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TWO, ALONE = "experiments/games.toml", "alone"
MATCHES_ALONE = "100k"
ODDS_DEALS = 40_000  # as in `simgin odds`
SEED = 1  # of the experiments that results/reference was made by
REFERENCE = ROOT / "results" / "reference"
WITH_BLOCKS = (
    "reference/metrics",
    "reference/rule-metrics",
    "reference/plots",
    "how-to/odds",
    "findings",
    "explanation/scaling",
)
KINDS = (
    "rows",
    "games",
    "metrics",
    "traits",
    "plots",
    "table",
    "roster",
    "speed",
    "odds",
    "quoted",
)
BLOCK = re.compile(rf"(<!-- ({'|'.join(KINDS)})(?:: ([^>]*))? -->\n).*?(<!-- end -->)", re.S)

SECTIONS = {
    "deal": "the deal",
    "meld": "melds and values",
    "score": "scoring",
    "match": "the match",
    "stake": "the die",
}
UNDECIDED = ("joker", "limit", "void")  # how a deal ends when nobody who plays has ended it

# Metric, what the page calls it, and what the numbers are multiplied by.
ENDINGS = "knock gin big_gin shot undercut even void stalled joker limit refused".split()
LINES = (
    ("deal_win", "deals won %", 100),
    ("margin", "points per deal, own less the opponent's", 1),
    ("score", "score per deal", 1),
    *((kind, f"ended by {kind.replace('_', ' ')} %", 100) for kind in ENDINGS),
    ("turns", "turns per deal", 1),
    ("deals_per_match", "deals per match", 1),
    ("match_win", "matches won %", 100),
    ("settlement", "settlement per match, with bonuses", 1),
)

# What is counted, in words; "it" is the strategy that the row is about. Kinds of ending are their own words.
COUNTED = {
    "deals": "deals",
    "decided": "deals that somebody won",
    "showdowns": "deals of kind `knock`, `undercut` or `even`",
    "points_scored": "points of both sides in deals that somebody won",
    "turns": "turns of both players",
    "first_player_win": "deals won by the nondealer",
    "upcard_first": "deals whose first upcard the nondealer took",
    "upcard_second": "deals whose first upcard the dealer took",
    "upcard_none": "deals whose first upcard both declined",
    "knock_count": "the knocker's deadwood, over those deals",
    "defender_count": "the defender's deadwood after laying off, over those deals",
    "defender_before": "the defender's deadwood before laying off, over those deals",
    "laid_off": "cards laid off in those deals",
    "laid_off_any": "those deals with a card laid off",
    "tie": "those deals with equal counts",
    "a_deal_win": "deals it won",
    "b_deal_win": "deals the other side won",
    "a_points": "its points",
    "b_points": "the other side's points",
    "a_margin": "its points less the other side's",
    "a_takes": "upcards and discards it took",
    "a_draws": "its draws of both kinds",
    "matches": "matches",
    "matches_decided": "matches that somebody won",
    "a_match_win": "matches it won, and half of those drawn or broken off",
    "match_drawn": "drawn matches",
    "unfinished": "matches broken off by the guard",
    "a_match_margin": "its final score less the other side's",
    "winner_score": "final scores of winners",
    "loser_score": "final scores of losers",
    "loser_zero": "those matches with a loser at 0",
    "settled": "matches that are settled: to points or in columns, not broken off",
    "a_settlement": "what it receives for them",
    "totals": "matches of penalties, not broken off",
    "goal_met": "those whose total met the goal",
}

FRAMES = {"odds": "draws"}  # of simgin.review.frames, where they are not named like the picture

# What a review tells, in words, by the number of players; those of metrics and of drama have them with their code.
BY_GIN = "A dash where only gin ends a deal."
MEANT = {
    2: {
        "turns_10": "Turns that a tenth of the deals take at most; limits are where those of the share cross a tenth (Woodruff).",
        "turns_50": "Turns that half of the deals take at most, likewise.",
        "turns_90": "Turns that nine deals in ten take at most, likewise.",
        "turns_sd": "Standard deviation of the turns of a deal.",
        "completion": "Share of deals that somebody wins: all but void, stalled and even ones.",
        "points": "Points of whoever scored, per decided deal.",
        "points_sd": "Standard deviation of the points of a decided deal.",
        "seat": "Share of decided deals won by the nondealer, who has the first turn, less one half.",
        "final": "Final score of the winner less that of the loser, over the points to play to. Of matches to points.",
        "shut_out": "Share of decided matches whose loser has nothing. Of matches to points or to won deals.",
        "best_k": "The knock limit k with which gold makes most of all the others, in points, or in matches where those are not won by "
        "points; in brackets the least and the largest k that "
        f"cannot be told from it. Chosen on the even batches, judged on the odd ones, with Holm. {BY_GIN}",
        "patience": f"Points per deal of gold that waits for gin against gold that knocks as soon as it may, M(0, 10). {BY_GIN}",
        "early": f"Points per deal of `gold-early`, which knocks in its first five turns and then waits, against `gold`. {BY_GIN}",
        "break_even": "The undercut bonus at which waiting and knocking at once are worth the same: the root of the line of least squares "
        f"through M(0, 10) at bonuses of 10, 15, 20 and 25. {BY_GIN}",
        "elo_spread": "Standard deviation (n - 1) of the ratings fitted to the matches that the field's players won of each other.",
        "verdict": "Matches, in mirrored pairs, that tell `gold-early` from `gold` at 5 % in four runs of five: 2 (2.8 sd / lead)², sd "
        "that of a pair's share; limits are those of the lead. A dash where they are not told apart.",
        "marjj": "What `marjj` wins of matches against `simple`, as a difference in Elo: 400 log10(s / (1 - s)).",
        "chain": "Steps of the longest chain of players of whom each takes 60 % of the matches from the next by the lower limit of that "
        "share; the larger number in brackets counts by the upper limits.",
        "decisiveness_threshold": "What the highest chance of a side that did not win stays below in 95 % of the matches.",
        "snowball": "Correlation of what two consecutive deals of a match bring a side.",
        "decision_factor": "Share of turns with more than one action that differs: equal deadwood and equal danger are one action.",
        "actions": "Mean number of such actions in a turn.",
        "real_decision_factor": "As turns with a choice, without discards that another beats in both deadwood and danger.",
        "real_actions": "Mean number of actions in a turn, likewise.",
        "luck": "1 - rho of the points of a deal of `gold-early` against `gold`, every pack played twice: the share of the variance of a "
        "result that belongs to the cards.",
        **{
            slot: f"Share of matches that `gold-early` that {words} (`{slot}`) wins against `gold-early`."
            for slot, words in rule_metrics.RESTRICTED.items()
        },
    },
    1: {
        "win_gap": "Share of deals that the best player wins, less that of the naive one, on the same packs.",
        "score_gap": "Score of a deal of the best player less that of the naive one, on the same packs.",
        "penalty": "Points that a deal costs the best player; a dash where penalties are not counted.",
        "penalty_gap": "Penalty of a deal of the naive player less that of the best one, on the same packs.",
        "gin_draw": "The draw on which the best player's gin was gone: the mean of the deals that ended so.",
        "joker_share": "Share of the variance of winning a deal that the joker's place decides, as of `simgin odds`.",
    },
}

WON = (
    ("deal_win", "deals won %", 100),
    ("margin", "points per deal", 1),
    ("score", "score per deal", 1),
    ("match_win", "matches won %", 100),
)
CATALOGUE = ROOT / "simgin" / "strategy" / "catalogue.toml"

Seen = tuple[tuple[str, str, str], pd.DataFrame]  # (variant, A, B) and the rows seen by A


def main() -> None:
    """Write the catalogue, the pictures of the league, and every page whose blocks have changed."""
    CATALOGUE.write_text(catalogue())
    league_pictures()
    for page in pages():
        old, new = page.read_text(), filled(page, KINDS)
        if new != old:
            page.write_text(new)
            print(f"Written: {page.relative_to(ROOT)}")


def league_pictures() -> None:
    """The heat maps of the league in results/reference, from its tables."""
    folder = REFERENCE / "league"
    standings, cross = (pd.read_csv(folder / f"{name}.csv") for name in ("league", "cross"))
    for variant, rows in standings.groupby("variant", sort=False):
        figure = plots.league(rows, cross[cross["variant"] == variant], unit="match", seed=SEED)
        (folder / "plots" / f"league-{variant}.png").write_bytes(plots.png(figure))


def pages() -> list[Path]:
    """The pages with blocks: those named like the games, those of the strategies, and some more."""
    folders = [
        page
        for folder in ("games", "strategies")
        for page in sorted((HERE / "reference" / folder).glob("*.md"))
    ]
    return [*folders, *(HERE / f"{name}.md" for name in WITH_BLOCKS)]


def filled(page: Path, kinds: Sequence[str]) -> str:
    """The text of a page with its blocks of these kinds made anew."""
    makers = {
        "rows": rows,
        "games": games,
        "metrics": defined,
        "traits": told_of_rules,
        "plots": drawn,
        "table": measured,
        "roster": roster,
        "speed": speed,
        "odds": odds_alone,
        "quoted": quoted,
    }

    def block(match: re.Match[str]) -> str:
        start, kind, words, end = match.groups()
        return (
            f"{start}\n{makers[kind](*(words or '').split())}\n\n{end}"
            if kind in kinds
            else match[0]
        )

    return BLOCK.sub(block, page.read_text())


def rows(name: str) -> str:
    """What a game has in place of the parameters of `standard`; the parameters of `standard` itself, group by group."""
    here, base = variants.find(name), variants.find("standard")
    changed = [
        (parameter, value)
        for parameter, _, value in variants.difference(base, here)
        if value is not None
    ]
    if name == base.text:
        return _groups(base)
    lines = [
        (f"`{parameter}`", _written(here, parameter), _written(base, parameter))
        for parameter, _ in changed
    ]
    return _table(("parameter", "here", "`standard`"), lines)


def games() -> str:
    """All games at a glance, with three figures of each."""
    head = (
        "game",
        "players",
        "what is special",
        "a match is won by",
        "turns per deal",
        "void, joker or limit %",
        "gin %",
    )
    return _table(
        head, [(*facts(variants.find(name)), *_figures(name)) for name in variants.names()]
    )


def facts(variant: Variant) -> tuple[str, ...]:
    """The cells of the index that come from a row."""
    link = f"[{variant.title}]({variant.text}.md) `{variant.text}`"
    return (
        link,
        str(variant.row["players"]),
        variant.about,
        variant.goal.won_by.format(**variant.row),
    )


def defined(unit: str) -> str:
    """What every metric of a unit is, and from what its number and its error are made."""
    head = ("metric", "players", "what it is", "numerator", "denominator", "share", "error over")
    return _table(head, [_definition(metric) for metric in metrics.METRICS if metric.unit == unit])


def _definition(metric: Metric) -> tuple[str, ...]:
    players = " or ".join(map(str, metric.players))
    over = "all units" if metric.always else "units that hold any"
    return (
        f"`{metric.name}`",
        players,
        metric.meaning,
        _counted(metric.own),
        _counted(metric.denominator),
        "yes" if metric.share else "no",
        over,
    )


def told_of_rules(players: str) -> str:
    """What a review tells of games for so many players, a row a metric."""
    told = solo_metrics.TRAITS if players == "1" else rule_metrics.TRAITS
    lines = [
        (
            one.title,
            f"`{one.key}`",
            meaning(one, int(players)),
            "yes" if one.deep else "",
            _notable(one),
        )
        for one in told
    ]
    return _table(("metric", "in `metrics.csv`", "what it is", "`--deep`", "said from"), lines)


def meaning(trait: Trait, players: int) -> str:
    """A trait in words: its own, or those of the metric or the measure of drama that has its name."""
    if trait.key in MEANT[players]:
        return MEANT[players][trait.key]
    if trait.key in drama.METRICS:
        return _flat(drama.METRICS[trait.key])
    return metrics.BY_NAME[trait.key].meaning


def _notable(trait: Trait) -> str:
    return f"{trait.factor * trait.notable:g}" if trait.said else ""


def drawn() -> str:
    """The pictures: a row for each with its columns, and the function of simgin.review.frames that makes such a frame of a review."""
    drawing = [(name, getattr(plots, name)) for name in plots.__all__ if name not in ("png", "svg")]
    frames = {name: FRAMES.get(name, name) for name, _ in drawing}
    made = {
        name: f"`portrait.{frame}`"
        for name, frame in frames.items()
        if inspect.isfunction(getattr(portrait, frame, None))
    }
    lines = [(f"`{name}`", _flat(one), made.get(name, "")) for name, one in drawing]
    return _table(("`simgin.plots`", "what it draws", "frame of a review"), lines)


def _flat(function: object) -> str:
    """The docstring of a function in one line of a table."""
    return " ".join((inspect.getdoc(function) or "").split()).replace("|", "\\|")


def _counted(fact: str) -> str:
    """A fact of `simgin.core.sums` in words."""
    if fact in COUNTED:
        return COUNTED[fact]
    kind = fact.removeprefix("a_won_").removeprefix("points_")
    assert kind in sums.KINDS, f"{fact} has no words: add them to COUNTED"
    before = (
        "deals it won, of kind"
        if fact.startswith("a_won_")
        else "deals of kind"
        if fact == kind
        else "points of both in deals of kind"
    )
    return f"{before} `{kind}`"


def measured(source: str, *names: str) -> str:
    """A table of what was measured: a line for every metric that says something, a column for every strategy in every variant."""
    found = [
        (key, rows) for key, rows in table.matchups(played(source)) if not names or key[0] in names
    ]
    found.sort(key=lambda one: names.index(one[0][0]) if names else 0)
    order = list(dict.fromkeys(a for (_, a, _), _ in found))
    found.sort(key=lambda one: order.index(one[0][1]))
    several = len({variant for (variant, _, _), _ in found}) > 1
    head = [f"`{a}`" + (f" in `{variant}`" if several else "") for (variant, a, _), _ in found]
    return "\n\n".join(
        [
            _caption(found),
            _table(("", *head), _lines([rows for _, rows in found])),
            _commands(source, found),
        ]
    )


@cache
def played(source: str) -> pd.DataFrame:
    """The tidy rows of an experiment file, or of the games for one player."""
    if source != ALONE:
        return simgin.run(ROOT / source)
    alone = [(one, a) for one in _games_alone() for a in _alone(variants.find(one))]
    return pd.concat(
        [simgin.match(a, variant=one, matches=MATCHES_ALONE) for one, a in alone], ignore_index=True
    )


def _games_alone() -> list[str]:
    return [name for name in variants.names() if variants.find(name).row["players"] == 1]


def _alone(variant: Variant) -> list[str]:
    """Who plays a game for one: how long to wait is the question where one may knock, what to keep where one may not."""
    if variant.row["knock_limit"]:
        return ["gold", "gold+knock=at:k=5", "gold+knock=at:k=0"]
    return ["gold", "gold+discard=hits:keep_pairs=yes"]


def _figures(name: str) -> Iterator[str]:
    source = ALONE if variants.find(name).row["players"] == 1 else TWO
    found = next(
        rows
        for (variant, a, _), rows in table.matchups(played(source))
        if (variant, a) == (name, "gold")
    )
    undecided = next(kind for kind in UNDECIDED if kind == "void" or found.loc[kind, "value"] > 0)
    for metric, factor in (("turns", 1), (undecided, 100), ("gin", 100)):
        yield numbers.estimate(*table.cell(found, metric), factor)


def roster() -> str:
    """Every strategy that comes with simgin, those for two players strongest first."""
    every = known.ordered([loader.find(name) for name in loader.shipped()])
    rates = {
        row["figure"].partition(",")[0]: f"{float(format(row['per_second'], '.2g')):,.0f}"
        for row in _bench()
    }
    lines = [
        (
            f"`{one.name}`",
            known.strength(one.name),
            rates.get(one.name, ""),
            known.idea(one),
            one.source,
        )
        for one in every
    ]
    return _table(("strategy", "Elo, matches won v `simple`", "deals/s", "idea", "source"), lines)


def speed() -> str:
    """Figures of the bench: threads, how many a second, and the ratio to the calibration kernel in three digits."""
    named = {f"{name}, eaai deals" for name in loader.shipped()}
    rows = [row for row in _bench() if row["figure"] not in named]
    lines = [
        (row["figure"], str(row["threads"]), f"{row['per_second']:,.0f}", _digits(row["ratio"]))
        for row in rows
    ]
    return _table(("", "threads", "per second", "ratio to the calibration kernel"), lines)


def odds_alone() -> str:
    """The sheets of `simgin odds`, as tables under their titles."""
    alone = [
        [sample.of(player, game, ODDS_DEALS) for player in solo.ladder(variants.find(game))]
        for game in _games_alone()
    ]
    sheets = report.of(alone, [], 1).sheets()
    return "\n\n".join(
        "\n\n".join(
            [f"**{one.title}**", _table(one.headings, list(one.rows)), *filter(None, [one.note])]
        )
        for one in sheets
    )


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def _bench() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((REFERENCE / "bench.json").read_text())["rows"]
    return rows


def quoted(name: str, *title: str) -> str:
    """Who won what in a reference result, every matchup a line; or a section of its summary, tables and notes, by its title."""
    if title:
        text = (REFERENCE / name / "summary.md").read_text()
        return text.split(f"## {' '.join(title)}\n", 1)[1].partition("\n## ")[0].strip()
    lines = [
        (
            variant,
            f"`{a}`",
            f"`{b}`" if b else "",
            *(numbers.estimate(*table.cell(rows, metric), factor) for metric, _, factor in WON),
        )
        for (variant, a, b), rows in table.matchups(table.read(REFERENCE / name / "table.csv"))
    ]
    told = [
        i for i, cells in enumerate(zip(*lines, strict=True)) if set(cells) - {"", numbers.DASH}
    ]
    head = ("game", "A", "B", *(heading for _, heading, _ in WON))
    return _table([head[i] for i in told], [tuple(line[i] for i in told) for line in lines])


def catalogue() -> str:
    """What is known of every strategy from the reference results, as TOML."""
    figures = {**_in_the_league(), **_elsewhere()}
    head = "# Written by docs/make.py from results/reference: league, mc, dice, solo-players and bench.json.\n"
    return "\n".join(
        [
            head,
            *(
                f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in some.items())
                for name, some in figures.items()
            ),
        ]
    )


def _in_the_league() -> dict[str, dict[str, str]]:
    """Elo under eaai with its error, matches won against simple in per cent, and speed, by strategy."""
    league, cross = (
        pd.read_csv(REFERENCE / "league" / name) for name in ("league.csv", "cross.csv")
    )
    against = cross[(cross["variant"] == "eaai") & (cross["opponent"] == "simple")].set_index(
        "strategy"
    )["share"]
    return {
        row["strategy"]: {
            "elo": f"{row['elo']:.0f}",
            "elo_error": f"{(row['elo_high'] - row['elo_low']) / 2:.0f}",
            "won": f"{100 * against.get(row['strategy'], 0.5):.1f}",
            **_speed(row["strategy"]),
        }
        for _, row in league[league["variant"] == "eaai"].iterrows()
    }


def _elsewhere() -> dict[str, dict[str, str]]:
    """What is told of those who are too slow for the league, or made for another game."""
    won = _value("mc", "eaai", "mc", "simple", "match_win")
    dice = pd.read_csv(REFERENCE / "dice" / "league.csv").set_index(["variant", "strategy"])[
        "match_win"
    ]
    found = {
        "mc": {"told": f'"{100 * won:.0f} % v simple"', **_speed("mc")},
        "dice-player": {
            "told": f'"{100 * dice["dice", "dice-player"]:.0f} % of dice"',
            **_speed("dice-player"),
        },
    }
    for name in (name for name in loader.shipped() if known.alone(name)):
        wins, penalty = (
            _value("solo-players", "solitaire-gin", name, "", "win"),
            _value("solo-players", "solitary-gin", name, "", "score"),
        )
        found[name] = {"told": f'"wins {100 * wins:.0f} %, penalty {penalty:.2f}"'}
    return found


def _value(result: str, variant: str, a: str, b: str, metric: str) -> float:
    rows = table.read(REFERENCE / result / "table.csv")
    seen = rows[
        (rows["variant"] == variant)
        & (rows["strategy"] == a)
        & (rows["opponent"] == b)
        & (rows["metric"] == metric)
    ]
    return float(seen["value"].iloc[0])


def _speed(name: str) -> dict[str, str]:
    rates = {row["figure"]: row["per_second"] for row in _bench()}
    return {"deals_per_second": f"{float(format(rates[f'{name}, eaai deals'], '.2g')):.0f}"}


def _caption(found: Sequence[Seen]) -> str:
    opponents = {b for (_, _, b), _ in found}
    against = f" against `{opponents.pop()}`" if opponents != {""} else ""
    return f"{_matches(found):,} matches a column{against} ([who they are](README.md#who-plays)); ± and brackets are 95 % intervals."


def _commands(source: str, found: Sequence[Seen]) -> str:
    (variant, a, b), _ = found[0]
    players = f"{a} {b}".strip()
    one = f"`simgin match {players} -v {variant} --matches {_matches(found)}`"
    return (
        f"One column: {one}."
        if source == ALONE
        else f"Command: `simgin run {source}`; the first column alone: {one}."
    )


def _matches(found: Sequence[Seen]) -> int:
    return int(found[0][1].loc["match_win", "n"])


def _lines(found: Sequence[pd.DataFrame]) -> Iterator[tuple[str, ...]]:
    for metric, title, factor in LINES:
        if _says_something(metric, found):
            yield (
                title,
                *(
                    numbers.estimate(*table.cell(rows, metric), factor)
                    if metric in rows.index
                    else ""
                    for rows in found
                ),
            )


def _says_something(metric: str, found: Sequence[pd.DataFrame]) -> bool:
    """Not what a game does not have, an ending that did not happen, matches of one deal, a settlement without bonuses."""
    there = [rows for rows in found if metric in rows.index]
    if metric == "margin" and any("score" in rows.index for rows in found):
        return False
    if metric in ("deals_per_match", "match_win"):
        return any(rows.loc["deals_per_match", "value"] > 1 for rows in there)
    if metric == "settlement":
        return any(
            abs(rows.loc[metric, "value"] - rows.loc["match_margin", "value"]) > 1e-9
            for rows in there
        )
    return (
        any(rows.loc[metric, "value"] > 0 for rows in there) if metric in ENDINGS else bool(there)
    )


def _groups(variant: Variant) -> str:
    acting = [
        p
        for p in variants.parameters().values()
        if p.acts(variant.row) and p.status != "descriptive"
    ]
    acting = [p for p in acting if variant.row[p.name] is not None]
    grouped = groupby(acting, key=lambda p: p.section)
    lines = [
        (SECTIONS[section], ", ".join(f"`{p.name}` {_written(variant, p.name)}" for p in some))
        for section, some in grouped
    ]
    return _table(("", "parameters that have an effect"), lines)


def _written(variant: Variant, name: str) -> str:
    return variants.parameters()[name].write(variant.row[name])


def _table(head: Sequence[str], lines: Sequence[Sequence[str]] | Iterator[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *lines))


if __name__ == "__main__":
    main()
