"""The findings page agrees with the committed results."""

import re
from pathlib import Path

import pandas as pd
import pytest

from simgin.runs import experiment
from simgin.strategy import catalogue, loader
from support.pages_script import strategies

ROOT = Path(__file__).resolve().parents[2]
DOCS, REFERENCE = ROOT / "docs", ROOT / "results" / "reference"
FINDINGS = (DOCS / "findings.md").read_text()
FIELDS = "advice-fields"  # smaller: hundreds of effects, of which a tenth of a point is enough
ADVICE = sorted(
    path.stem for path in (ROOT / "experiments").glob("advice-*.toml") if path.stem != FIELDS
)


def test_the_catalogue_agrees_with_league_and_bench() -> None:
    assert strategies.catalogue() == catalogue.FILE.read_text()


@pytest.mark.parametrize("name", ADVICE)
def test_every_question_is_settled_on_two_million_deals_at_both_undercut_bonuses(name: str) -> None:
    table = pd.read_csv(REFERENCE / name / "table.csv")
    assert set(table["variant"]) == {"standard", "standard+undercut_bonus=10"}
    assert table.loc[table["metric"] == "margin", "n"].min() >= 2_000_000
    assert f"`simgin run experiments/{name}.toml`" in FINDINGS
    tasks = experiment.tasks(experiment.read(ROOT / "experiments" / f"{name}.toml"))
    played = set(table[["variant", "strategy", "opponent"]].itertuples(index=False, name=None))
    asked = [task.matchup for task in tasks]
    assert {(one.variant.text, one.a.text, one.opponent) for one in asked} <= played


def test_every_figure_in_the_text_stands_in_a_table() -> None:
    """Every figure with an error bar is in a quoted table or on a strategy page, up to its sign."""
    quoted = re.compile(r"<!-- (?:quoted|worst|rates).*?<!-- end -->", re.S)
    pages = (DOCS / "reference" / "strategies").glob("*.md")
    known = "".join([*quoted.findall(FINDINGS), *(page.read_text() for page in pages)])
    own = quoted.sub("", FINDINGS).partition("## Published figures")[0]
    before, _, rest = own.partition("## The rule of fourteen")
    figures = re.findall(r"\d+\.\d+ ± \d+\.\d+", before + rest.partition("## ")[2])
    assert len(figures) >= 25
    assert [figure for figure in figures if figure not in known] == []


def test_the_undercut_bonus_moves_knock_policies_only() -> None:
    """Others move by less than a tenth; undercuts end fewer than one of their deals in 100."""
    table = pd.concat(pd.read_csv(REFERENCE / name / "table.csv") for name in ("advice", *ADVICE))
    names = ["variant", "strategy", "opponent"]
    margins = table[table["metric"] == "margin"].drop_duplicates(names)
    by_bonus = margins.pivot(index=["strategy", "opponent"], columns="variant", values="value")
    moved = (by_bonus["standard"] - by_bonus["standard+undercut_bonus=10"]).abs()
    knocks = [any("knock=" in name or ":k=" in name for name in pair) for pair in moved.index]
    others = [not knock for knock in knocks]
    assert moved[others].max() < 0.1 < moved[knocks].max()
    undercuts = table[table["metric"] == "undercut"].set_index(["strategy", "opponent"])["value"]
    assert undercuts.loc[list(moved[others].index)].max() < 0.01


def test_against_simple_the_bonus_turns_high_first_round() -> None:
    """It loses where an undercut costs 25 and gains where it costs 10, beyond every doubt."""
    frame = pd.read_csv(REFERENCE / FIELDS / "effects.csv")
    is_asked = (frame["change"] == "discard=high-first") & (frame["metric"] == "match_win")
    of_early = frame[is_asked & (frame["field"] == "gold-early v simple")]
    dear, cheap = (row for _, row in of_early.iterrows())
    assert dear["high"] < 0 < cheap["low"]


def test_eight_turns_lose_to_nobody_at_25_and_twelve_at_10() -> None:
    """Significantly, in matches won; five turns lose to some at either bonus."""
    cross = pd.read_csv(REFERENCE / "knock-rules" / "cross.csv")
    assert len(cross) == 2 * 15 * 14
    beaten = cross[cross["high"] < 0.5].groupby("variant")["strategy"].agg(set)
    dear, cheap = beaten["standard"], beaten["standard+undercut_bonus=10"]
    assert "gold-early:k=8" not in dear and "gold-early:k=12" not in cheap
    assert "gold-early" in dear & cheap and "gold-early:k=12" in dear and "gold-early:k=8" in cheap


def test_the_fields_are_those_that_their_experiment_plays() -> None:
    asked = experiment.read(ROOT / "experiments" / f"{FIELDS}.toml")
    frame = pd.read_csv(REFERENCE / FIELDS / "effects.csv")
    told = set(zip(frame["change"], frame["field"], strict=True))
    assert told == {(effect.change, effect.field) for effect in asked.effects}
    assert len(set(frame["field"])) == 8
    assert f"`simgin run experiments/{FIELDS}.toml`" in FINDINGS


def test_every_two_player_strategy_is_in_the_league_or_excused() -> None:
    """Two are too slow and have experiments of their own; dice-player is gold without a die."""
    asked = experiment.read(ROOT / "experiments" / "league.toml")
    league = {cell.matchup.a.text for cell in experiment.tasks(asked)}
    league |= {cell.matchup.opponent for cell in experiment.tasks(asked)}
    missing = {name for name in loader.built_in() if not catalogue.alone(name)} - league
    assert missing == {"mc", "champion-mc", "dice-player"}
    assert set(pd.read_csv(REFERENCE / "league" / "league.csv")["strategy"]) <= league


def test_the_catalogue_describes_every_strategy_in_words() -> None:
    assert catalogue.strength("simple").startswith("+0 ± 0, 50")
    assert catalogue.strength("nobody") == "–"
    tiers = {"gold": "fast", "marjj": "thorough", "mc": "searching", "nobody": ""}
    assert {name: catalogue.speed(name) for name in tiers} == tiers
    for name in loader.built_in():
        strategy = loader.find(name)
        idea = catalogue.idea(strategy)
        assert strategy.source and idea[0].isupper(), name
        assert not idea.lower().startswith(f"{name}:")
    ordered = catalogue.ordered([loader.find(name) for name in ("random", "mc", "gold", "marjj")])
    assert [strategy.name for strategy in ordered] == ["marjj", "gold", "random", "mc"]


RATES = pd.read_csv(REFERENCE / "error-rates" / "rates.csv")


def test_the_rank_correlation_of_error_rates_with_the_league_is_right() -> None:
    """Spearman's: the correlation of ranks, where no two are tied."""
    points = RATES[RATES["kind"] == "all"].set_index("strategy")["points"]
    league = pd.read_csv(REFERENCE / "league" / "league.csv").set_index("strategy")
    elo = league[(league["variant"] == "eaai") & (league["metric"] == "elo")]["value"]
    value = elo.rank().corr(-points[elo.index].rank())
    assert value > 0
    assert f"Rank correlation with Elo: {value:.2f} (" in FINDINGS
    assert set(points.index) == {*elo.index, "mc", "champion-mc"}


def test_the_costliest_mistake_is_counted() -> None:
    mistakes = RATES[RATES["mistake"].notna()]
    costliest = mistakes.loc[mistakes.groupby("strategy")["points"].idxmax(), "mistake"]
    greedy = (costliest == "kept less deadwood").sum()
    said = f"For {greedy} of the {len(costliest)} strategies this is the costliest kind of mistake"
    assert said in " ".join(FINDINGS.split())
