"""Search for the strongest player under a rule set by means of pilot matches.

The default strong player, `champion`, adapts its play to most rules. Under rules that its training
did not cover, another strategy can be stronger.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from simgin.learn import adapt
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import ProgressCallback
from simgin.rules import variants
from simgin.runs.runner import run_matchup, run_matchups
from simgin.runs.stopping import SequentialTest
from simgin.stats import metrics, paired_estimate
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import CHALLENGER_STRATEGIES, CHAMPION_STRATEGY, FAST_SOLO_STRATEGY

# critical value of a two-sided 5 % test, corrected for three challengers
CHALLENGER_CRITICAL_VALUE = 2.39
PILOT_MATCHES = 2_000
PILOT_SEED_OFFSET = 0x7261696C  # so that pilot matches and reviews use different deals
# Elo lead of a challenger that counts as clearly stronger than `champion`, because it wins 52.9 %
# of matches
CLEAR_ELO_LEAD = 20


@dataclass(frozen=True)
class EliminationTest(SequentialTest):
    """Sequential test that stops only if it finds that strategy A is not stronger.

    If A is stronger by at least `elo1`, the test stops with a probability of at most 5 %. The test
    never stops in favour of A, so a fixed-sample test of all results remains valid.
    """

    def check_totals(self, totals: np.ndarray) -> str | None:
        """Return the reason for stopping if A is not stronger, or None if the test continues."""
        return super().check_totals(totals) if self.compute_llr(totals) < 0 else None


def find_strongest_player(variant: str, seed: int, workers: int | None) -> str:
    """Return the strongest challenger in pilot matches, or `champion` if none is stronger.

    A challenger must win significantly more than half of the matches. The significance level of 5 %
    applies to all challengers together. If `champion` has weights for exactly these rules, there
    are no pilot matches, because it beats all challengers (results/reference/champion-variants).
    """
    rules = variants.find_variant(variant)
    if rules.is_solo:
        return FAST_SOLO_STRATEGY
    if adapt.has_own_weights(rules):
        return CHAMPION_STRATEGY
    best_name, best_win_rate = CHAMPION_STRATEGY, 0.5
    for name, win_rate in play_pilot_matches(variant, seed, workers).items():
        if (
            win_rate.value - CHALLENGER_CRITICAL_VALUE * win_rate.se > 0.5
            and win_rate.value > best_win_rate
        ):
            best_name, best_win_rate = name, win_rate.value
    return best_name


def play_pilot_matches(variant: str, seed: int, workers: int | None) -> dict[str, PairedEstimate]:
    """Play pilot matches, and return each challenger's win rate against `champion`.

    The pilot matches use a separate seed.

    A challenger is eliminated as soon as a sequential test finds that it is not stronger than
    `champion`. All other challengers play all pilot matches.
    """
    pilot_seed = (seed + PILOT_SEED_OFFSET) % 2**64
    matchup_arguments = [
        (name, CHAMPION_STRATEGY, variant, pilot_seed) for name in CHALLENGER_STRATEGIES
    ]
    matchups = [parse_matchup(*arguments, "match") for arguments in matchup_arguments]
    tests = [EliminationTest(0, CLEAR_ELO_LEAD)] * len(matchups)
    rows_by_matchup = run_matchups(matchups, PILOT_MATCHES, workers, stopping_rules=tests)
    win_metric = metrics.METRICS_BY_NAME["match_win"]
    win_rates = [
        paired_estimate.estimate_metric_by_batch(rows, win_metric) for rows in rows_by_matchup
    ]
    return dict(zip(CHALLENGER_STRATEGIES, win_rates, strict=True))


@functools.lru_cache(maxsize=64)
def play_matches(
    a: str, b: str, variant: str, seed: int, workers: int | None, matches: int
) -> np.ndarray:
    """Play matches and return their batch rows, which are cached in memory."""
    return run_matchup(parse_matchup(a, b, variant, seed, "match"), matches, workers)


def load_or_find_strongest(variant: str, seed: int, workers: int | None) -> str:
    """Load the strongest player for a rule set, or find it in pilot matches."""
    is_two_player = variants.find_variant(variant).params["players"] == 2
    trained_champion = adapt.load_adapted_champion(variant) if is_two_player else None
    return _choose_player(trained_champion, variant, seed, workers)


def train_or_find_strongest(
    variant: str, seed: int, workers: int | None, progress: ProgressCallback | None
) -> str:
    """Train `champion` for a rule set, and return the strongest player.

    If `champion` already has weights for exactly these rules, further training would not help.
    """
    if adapt.has_own_weights(variants.find_variant(variant)):
        return load_or_find_strongest(variant, seed, workers)
    trained_champion = adapt.adapt_champion(variant, workers=workers, progress=progress)
    return _choose_player(trained_champion, variant, seed, workers)


def _choose_player(
    trained_champion: adapt.AdaptedChampion | None, variant: str, seed: int, workers: int | None
) -> str:
    """Return the trained player if it is strongest, otherwise the strongest in pilot matches."""
    if trained_champion is not None and trained_champion.is_strongest:
        return trained_champion.player
    return find_strongest_player(variant, seed, workers)
