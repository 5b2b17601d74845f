"""Who plays a review: kinds of player, called by what they do, and the strong player of a rule set.

Who plays matters more than anything, so figures are given for every kind, and never averaged over
them. The figure quoted as the game's own is that of the strong player.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simgin.odds import solo_odds
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats import metrics, quantity
from simgin.stats.quantity import Quantity
from simgin.strategy import loader
from simgin.tune import adapted

STRONG = "strong"


class Kind(NamedTuple):
    """A kind of player. name: what it does. strategy: the canonical text of who plays it."""

    name: str
    strategy: str


AT_ONCE = Kind("knocks at once", "simple")
FOR_GIN = Kind("plays for gin", "gin-only")
KINDS = (AT_ONCE, Kind("knocks early, then plays for gin", "gold-early"), FOR_GIN)
ALONE = (Kind("naive", solo_odds.NAIVE), Kind("careful", "solo-lookahead"))

SIMPLE_KNOCKS_WITH = 10  # deadwood, unless its k says otherwise
CHAMPION = "champion"
# Who may be stronger than champion where its weights were learned under other rules
CHALLENGERS = ("marjj-early", "mishra-uniform", "gold-early")
CLEARLY = 2.39  # standard errors: 5 % shared among three, two-sided
TRIED = 2_000  # matches of a trial, on packs of its own
TRIAL_SEED = 0x7261696C  # added to the seed of a review


def usual_kinds(named: Sequence[Variant]) -> tuple[Kind, ...]:
    """The weaker kinds for these rules: who knocks at once does so with all that they allow."""
    if named[0].row["players"] == 1:
        return ALONE
    limit = max(int(str(variant.row["knock_limit"])) for variant in named)
    if limit <= SIMPLE_KNOCKS_WITH:
        return KINDS
    return (Kind(AT_ONCE.name, loader.find(f"{AT_ONCE.strategy}:k={limit}").text), *KINDS[1:])


def strong_player(variant: str, seed: int, workers: int | None) -> str:
    """The strongest player of a rule set: champion, or whom it loses to in a short trial.

    A challenger has to win clearly: at 5 %, shared among all of them.
    """
    rules = variants.find(variant)
    if rules.row["players"] == 1:
        return solo_odds.quick_ladder(rules)[-1]
    best, most = CHAMPION, 0.5
    for name in CHALLENGERS:
        won = trial(name, CHAMPION, variant, seed, workers, "match_win")
        if won.value - CLEARLY * won.se > 0.5 and won.value > most:
            best, most = name, won.value
    return best


def turns_per_match(player: str, variant: str, seed: int, workers: int | None) -> float:
    """How many turns a match takes between two of one player, from a trial."""
    turns = trial(player, player, variant, seed, workers, "turns")
    deals = trial(player, player, variant, seed, workers, "deals_per_match")
    return turns.value * deals.value


def trial(a: str, b: str, variant: str, seed: int, workers: int | None, metric: str) -> Quantity:
    """A metric of a against b, in matches on packs that the review does not play."""
    rows = _trial_rows(a, b, variant, (seed + TRIAL_SEED) % 2**64, workers)
    return quantity.ratio(rows, metrics.BY_NAME[metric])


@functools.lru_cache(maxsize=256)
def _trial_rows(a: str, b: str, variant: str, seed: int, workers: int | None) -> np.ndarray:
    return batch_rows(parse_matchup(a, b, variant, seed, "match"), TRIED, workers)


def batch_rows(matchup: Matchup, n: int, workers: int | None) -> np.ndarray:
    """Batch rows of so many deals or matches."""
    kernel.prepare(matchup)
    parts: Sequence[np.ndarray] = over_units(
        functools.partial(kernel.play, matchup), matchup.units(n), matchup.batch, workers
    )
    return np.concatenate(parts)


def kept_or_strongest(variant: str, seed: int, workers: int | None) -> str:
    """A player that was learned for a rule set before, or else the strongest there is."""
    if variants.find(variant).row["players"] == 2:
        found = adapted.kept(variant)
        if found is not None and found.better:
            return found.player
    return strong_player(variant, seed, workers)


def learned(variant: str, seed: int, workers: int | None, progress: Progress | None) -> str:
    """The player that training makes for a rule set; the strongest there is if not better."""
    found = adapted.adapt(variant, workers=workers, progress=progress)
    return found.player if found.better else strong_player(variant, seed, workers)
