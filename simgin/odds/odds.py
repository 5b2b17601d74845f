"""The odds of some variants: frames by name, and the player they are mostly about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.odds import seats, solo_luck, solo_odds
from simgin.odds.sample import Deals
from simgin.odds.seats import Table
from simgin.stats import table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Odds:
    """Frames by name.

    strongest: the player whom the odds by draws are about, by variant. refused: sentences on what
    cannot be had.
    """

    seed: int
    frames: dict[str, pd.DataFrame]
    strongest: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def records(self) -> list[dict[str, Any]]:
        """Every row of every frame for JSON, with the name of its table.

        What is undefined or without bound is None.
        """
        records = []
        for name, frame in self.frames.items():
            for row in table.records(frame.replace([np.inf, -np.inf], np.nan)):
                records.append({"table": name, **row})
        return records

    def csv_files(self) -> dict[str, str]:
        """Every frame as CSV, by the name of its file."""
        return {f"{name}.csv": table.csv(frame) for name, frame in self.frames.items()}

    def by_variant(self, name: str) -> Iterator[tuple[str, pd.DataFrame]]:
        """The rows of a frame, variant by variant; nothing if there is no such frame."""
        frame = self.frames.get(name)
        if frame is None:
            return
        for variant, rows in frame.groupby("variant", sort=False):
            yield str(variant), rows

    def of_strongest(self, name: str, variant: str) -> pd.DataFrame:
        """The rows of a frame about the strongest player of a variant; none if it has no frame."""
        frame = self.frames.get(name)
        if frame is None:
            return self.frames["strength"].head(0)
        is_strongest = frame["strategy"] == self.strongest[variant]
        return frame[(frame["variant"] == variant) & is_strongest]


def build_odds(
    samples: Sequence[Sequence[Deals]],
    tables: Sequence[Table],
    seed: int,
    *,
    thresholds: Sequence[pd.DataFrame] = (),
    counts: Sequence[pd.DataFrame] = (),
) -> Odds:
    """The odds of solitaire variants (for each its players, weak to strong) and of two players.

    thresholds: `solo.by_threshold` of variants with a knock. counts: `simgin.value.turns.counts`.
    Frames without rows are left out.
    """
    every = list(chain.from_iterable(samples))
    parts: dict[str, list[pd.DataFrame]] = {
        "strength": [],
        "odds": [solo_odds.by_draws(deals) for deals in every],
        "left": [solo_odds.by_cards_left(deals) for deals in every],
        "gin": [solo_odds.gin_draws(deals) for deals in every],
        "totals": [solo_odds.totals(deals) for deals in every],
        "gap": _gaps(samples),
        "joker": [solo_luck.jokers_share(deals) for deals in every],
        "threshold": list(thresholds),
        "counts": list(counts),
        "seats": [seats.by_seat(table) for table in tables],
        "scores": [seats.by_score(table) for table in tables],
    }
    if every:
        parts["strength"].append(solo_odds.by_strength(every))
    strongest = {}
    for players in samples:
        best = players[-1]
        strongest[best.variant] = best.strategy
    reasons = [table.refused for table in tables]
    reasons += [solo_odds.refusal(deals) for deals in every]
    refused = [sentence for sentence in reasons if sentence]
    return Odds(seed, dict(_filled(parts)), strongest, refused)


def _gaps(samples: Sequence[Sequence[Deals]]) -> list[pd.DataFrame]:
    """The gap between the weakest and the strongest player of every variant that has two."""
    return [solo_luck.gap(players[0], players[-1]) for players in samples if len(players) > 1]


def _filled(parts: dict[str, list[pd.DataFrame]]) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    for name, frames in parts.items():
        filled = [frame for frame in frames if len(frame)]
        if filled:
            yield name, pd.concat(filled, ignore_index=True)
