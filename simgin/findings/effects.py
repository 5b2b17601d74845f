"""Effects of changes by field: what a change of strategy gains against what the others play.

A *field* is what the others play, with the player who tries the changes against them. Where that
player is one of the others, the base of a comparison would play itself: it wins one half and no
points, so the effect is the result of the changed strategy. Elsewhere it is a difference on the
same packs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.runs.experiment import Effect
from simgin.stats import batches
from simgin.stats.batches import Played
from simgin.stats.differences import differences
from simgin.stats.estimate import two_sided
from simgin.stats.metrics import BY_NAME
from simgin.stats.ratios import estimate_metric

if TYPE_CHECKING:
    import pandas as pd

EFFECT_COLUMNS = (
    *("variant", "change", "field", "strategy", "base_strategy", "opponent"),
    *("unit", "metric", "difference", "se", "low", "high", "p", "p_holm", "n", "kind"),
)
# What a strategy has against itself, by the metrics that effects are measured in
EVEN = {"margin": 0.0, "match_win": 0.5}


def measure(effect: Effect, played: Played, base: Played | None) -> pd.DataFrame:
    """An effect in points per deal and, if matches were played, in matches won.

    base: without the change; None if it would play itself. EFFECT_COLUMNS but for p_holm, which
    belongs to the whole family.
    """
    names = ["margin"]
    if played.cell.unit == "match":
        names.append("match_win")
    frame = differences([(played, base)], names) if base else _beyond_even(played, names)
    frame = frame.assign(
        change=effect.change, field=effect.field, base_strategy=effect.base, kind="effect"
    )
    return frame[[name for name in EFFECT_COLUMNS if name != "p_holm"]]


def _beyond_even(played: Played, names: list[str]) -> pd.DataFrame:
    """What a strategy has beyond what it would have against itself, a row per metric."""
    import pandas as pd

    rows = []
    total = batches.total(played.rows)
    for name in names:
        metric = BY_NAME[name]
        found = estimate_metric(total, metric, played.as_b, played.multiplier)
        even = EVEN[name]
        difference = found.value - even
        row = {
            "variant": played.cell.variant,
            "strategy": played.strategy,
            "opponent": played.opponent,
            "unit": metric.unit,
            "metric": name,
            "difference": difference,
            "se": found.se,
            "low": found.low - even,
            "high": found.high - even,
            "p": two_sided(difference, found.se, found.n),
            "n": batches.count_played(played.rows, metric.unit),
        }
        if played.multiplier is not None:
            row["p"] = np.nan  # the limits of a run that looked at its results are wider instead
        rows.append(row)
    return pd.DataFrame(rows)
