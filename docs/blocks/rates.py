"""Blocks about error rates: what every strategy gives up a deal, and how that ranks the roster."""

from math import atanh, sqrt, tanh

import pandas as pd
from scipy.stats import spearmanr

from blocks.markdown import table as markdown_table
from blocks.reference import csv
from simgin.report import numbers
from simgin.stats.estimate import Z95

RESULT = "error-rates"
VARIANT = "eaai"
KINDS = {
    "all": "all",
    "upcard": "first upcard",
    "draw": "pile or stock",
    "discard": "discard",
    "knock": "end or play on",
}
MISTAKES = {
    ("draw", "took the card"): "took the card",
    ("draw", "left the card"): "left it",
    ("discard", "kept more deadwood"): "kept more deadwood",
    ("discard", "kept as much deadwood"): "as much",
    ("discard", "kept less deadwood"): "less",
    ("knock", "ended the deal"): "ended the deal",
    ("knock", "played on"): "played on",
}
Place = tuple[str, str]  # a kind of decision, and a mistake or nothing


def rates(which: str) -> str:
    """What every strategy gives up a deal, by `kinds` of decisions or by `mistakes`."""
    places = {(kind, ""): title for kind, title in KINDS.items()}
    if which == "mistakes":
        places = MISTAKES
    frame = csv(RESULT, "rates").fillna({"mistake": ""})
    rows = frame.set_index(["strategy", "kind", "mistake"])
    elo = _elo()
    lines = []
    for _, whole in ranked(frame).iterrows():
        name = whole["strategy"]
        cells = [_cell(rows, name, place) for place in places]
        lines.append((f"`{name}`", elo.get(name, ""), _lead(whole), *cells))
    head = ("strategy", "Elo", "champion's lead", *places.values())
    return f"{markdown_table(head, lines)}\n\n{_note(frame)}"


def ranked(frame: pd.DataFrame) -> pd.DataFrame:
    """The rates of all decisions together, the least first."""
    return frame[frame["kind"] == "all"].sort_values("points", kind="stable")


def rank_correlation(frame: pd.DataFrame, strength: pd.Series) -> str:
    """Spearman's, of few points given up with a great strength, with its interval in words.

    strength: by strategy. The interval is Bonett and Wright's, Psychometrika 2000.
    """
    both = ranked(frame).set_index("strategy")[["points"]].join(strength, how="inner")
    value = float(spearmanr(-both["points"], both[strength.name]).statistic)
    half = Z95 * sqrt((1 + value**2 / 2) / (len(both) - 3))
    low, high = tanh(atanh(value) - half), tanh(atanh(value) + half)
    return f"{value:.2f} ({low:.2f} to {high:.2f}) over {len(both)} strategies"


def _note(frame: pd.DataFrame) -> str:
    """How many deals were judged, and how the rates rank the roster."""
    league, cross = csv("league", "league"), csv("league", "cross")
    elo = league[league["variant"] == VARIANT].set_index("strategy")["elo"]
    met = (cross["variant"] == VARIANT) & (cross["opponent"] == "champion")
    won = cross[met].set_index("strategy")["share"]
    deals = frame["deals"]
    judged = f"{deals.min():,}"
    if deals.min() < deals.max():
        judged += f" to {deals.max():,}"
    return (
        f"Points given up a deal under {VARIANT}, {judged} deals a strategy. "
        f"Rank correlation with Elo: {rank_correlation(frame, elo)}; with matches won against "
        f"`champion` in the league: {rank_correlation(frame, won)}."
    )


def _elo() -> dict[str, str]:
    league = csv("league", "league")
    rows = league[league["variant"] == VARIANT]
    return {row["strategy"]: f"{row['elo']:.0f}" for _, row in rows.iterrows()}


def _lead(whole: pd.Series) -> str:
    """What the judge scores more, points a deal."""
    half = Z95 * whole["lead_se"]
    return numbers.estimate(whole["lead"], whole["lead"] - half, whole["lead"] + half)


def _cell(rows: pd.DataFrame, name: str, place: Place) -> str:
    """An error rate, or nothing where no such mistake was made."""
    if (name, *place) not in rows.index:
        return "0"
    row = rows.loc[(name, *place)]
    return numbers.estimate(row["points"], row["low"], row["high"])
