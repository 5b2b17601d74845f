"""What odds say, in sentences: how often a deal is won, by whom, and how soon gin comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simgin.odds.odds import Odds
from simgin.report import numbers

if TYPE_CHECKING:
    import pandas as pd


def odds_sentences(odds: Odds) -> list[str]:
    """Everything that the odds say, solitaire first."""
    return [*winners(odds), *gin_by_draw(odds), *jokers(odds), *seats_won(odds)]


def winners(odds: Odds) -> Iterator[str]:
    """How many deals the strongest player of every solitaire variant wins, and the weakest."""
    for variant, rows in odds.by_variant("strength"):
        deals_won = rows[rows["metric"] == "win"]
        best = odds.strongest[variant]
        shares = {str(row["strategy"]): _percent(row) for _, row in deals_won.iterrows()}
        weakest = next(iter(shares))
        sentence = f"{variant}: {best} wins {shares[best]} of deals"
        if weakest != best:
            sentence += f", {weakest} {shares[weakest]}"
        yield f"{sentence}."


def gin_by_draw(odds: Odds) -> Iterator[str]:
    """On which draw the strongest player of every solitaire variant goes gin."""
    for variant, best in odds.strongest.items():
        rows = odds.of_strongest("gin", variant)
        if not len(rows):
            continue
        draws = rows.set_index("statistic")["value"]
        yield (
            f"{variant}: half of the gins of {best} have come by draw {draws['q50']:.0f}, "
            f"the middle 80 % on draws {draws['q10']:.0f} to {draws['q90']:.0f}."
        )


def jokers(odds: Odds) -> Iterator[str]:
    """How much of the result of a deal is luck of the joker's place."""
    for variant in odds.strongest:
        rows = odds.of_strongest("joker", variant)
        of_win = rows[rows["metric"] == "win"] if len(rows) else rows
        if len(of_win):
            share = _percent(of_win.iloc[0])
            yield f"{variant}: the joker's place decides {share} of the variance of winning."


def seats_won(odds: Odds) -> Iterator[str]:
    """How many deals each seat wins, by variant and strategy."""
    for variant, rows in odds.by_variant("seats"):
        for strategy, own in rows[rows["metric"] == "win"].groupby("strategy", sort=False):
            by_seat = {str(row["seat"]): _percent(row) for _, row in own.iterrows()}
            listed = ", ".join(f"the {seat} {share}" for seat, share in by_seat.items())
            yield f"{variant}, {strategy} against itself: deals won by {listed}."


def _percent(row: pd.Series) -> str:
    """A share with its limits."""
    text = numbers.estimate(float(row["value"]), float(row["low"]), float(row["high"]), 100)
    return f"{text} %"
