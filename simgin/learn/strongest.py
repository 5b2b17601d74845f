"""Search for the strongest player under a rule set with pilot matches.

The default strong player, `champion`, was trained for a few rule sets. Under other rules, another
strategy can be stronger.
"""

from __future__ import annotations

import functools

import numpy as np

from simgin.learn import adapt
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import Progress
from simgin.rules import variants
from simgin.runs.runner import run_matchup
from simgin.stats import metrics, paired_estimate
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import CHALLENGERS, CHAMPION, FAST_SOLO

# Number of standard errors for a two-sided 5 % test, corrected for three challengers
CRITICAL_VALUE = 2.39
PILOT_MATCHES = 2_000
PILOT_SEED = 0x7261696C  # offset of the seed, so that pilot matches and reviews use different deals


def find_strongest_player(variant: str, seed: int, workers: int | None) -> str:
    """Return the strongest challenger in pilot matches, or champion if none is stronger.

    A challenger must win significantly more than half of the matches. The significance level of
    5 % is shared by all challengers.
    """
    if variants.find_variant(variant).params["players"] == 1:
        return FAST_SOLO
    best, highest = CHAMPION, 0.5
    for name in CHALLENGERS:
        win_rate = run_pilot_match(name, CHAMPION, variant, seed, workers, "match_win")
        if win_rate.value - CRITICAL_VALUE * win_rate.se > 0.5 and win_rate.value > highest:
            best, highest = name, win_rate.value
    return best


def run_pilot_match(
    a: str, b: str, variant: str, seed: int, workers: int | None, metric: str
) -> PairedEstimate:
    """Estimate a metric of a against b on deals that a review with the same seed does not play."""
    rows = play_matches(a, b, variant, (seed + PILOT_SEED) % 2**64, workers, PILOT_MATCHES)
    return paired_estimate.compute_ratio(rows, metrics.METRICS_BY_NAME[metric])


@functools.lru_cache(maxsize=64)
def play_matches(
    a: str, b: str, variant: str, seed: int, workers: int | None, matches: int
) -> np.ndarray:
    """Return the batch rows of matches; the last 64 results are cached."""
    return run_matchup(parse_matchup(a, b, variant, seed, "match"), matches, workers)


def load_or_find_strongest(variant: str, seed: int, workers: int | None) -> str:
    """Return the cached player trained for a rule set, or find the strongest in pilot matches."""
    if variants.find_variant(variant).params["players"] == 2:
        adapted = adapt.load_adapted(variant)
        if adapted is not None and adapted.is_better:
            return adapted.player
    return find_strongest_player(variant, seed, workers)


def train_or_find_strongest(
    variant: str, seed: int, workers: int | None, progress: Progress | None
) -> str:
    """Train champion for a rule set; without a gain, find the strongest in pilot matches."""
    adapted = adapt.adapt_champion(variant, workers=workers, progress=progress)
    return adapted.player if adapted.is_better else find_strongest_player(variant, seed, workers)
