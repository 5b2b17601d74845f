"""The request of a search: which strategy, against whom, by which measure, how much is played."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simgin.play.matchup import Matchup, SeatError, own_names
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.manifest import run_identity
from simgin.stats import metrics
from simgin.stats.metrics import Metric
from simgin.strategy import Strategy, loader
from simgin.text.amounts import SEEDS, AmountError, parse_count, parse_seed
from simgin.tune.knobs import Knob, TuneError, read_knobs, slot_values

METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}  # by objective
GENERATIONS = 20
MATCHES = 4_000  # of a candidate against each opponent
CONFIRMED = 40_000  # matches of the tuned strategy, and of the default, against each opponent
LEAST = 1_000  # matches: errors come from batches of 200
APART = 2**32  # between the seeds of two generations
MOST_KNOBS = 60  # more are learned too slowly from so few numbers a generation

Values = tuple[float, ...]  # one for every knob


@dataclass(frozen=True)
class TuneRequest:
    """A search before it begins. matches: of a candidate against each opponent."""

    strategy: Strategy
    variant: Variant
    pool: tuple[Strategy, ...]
    knobs: tuple[Knob, ...]
    objective: str = "matches"
    generations: int = GENERATIONS
    matches: int = MATCHES
    confirmed: int = CONFIRMED
    seed: int = 1

    @property
    def metric(self) -> Metric:
        """What the objective counts."""
        return metrics.BY_NAME[METRICS[self.objective]]

    @property
    def names(self) -> dict[str, str]:
        """What the strategy and its opponents are called, by their texts."""
        shown = own_names(self.matchups(self.strategy, self.seed))
        texts = [strategy.text for strategy in (self.strategy, *self.pool)]
        return {text: shown.get(text, text) for text in texts}

    @property
    def opponents(self) -> str:
        """The opponents by their own names: `simple, gold and marjj`."""
        *first, last = [self.names[opponent.text] for opponent in self.pool]
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def candidates(self) -> int:
        """Strategies tried in a generation, as CMA-ES proposes."""
        return 4 + math.floor(3 * math.log(max(2, len(self.knobs))))

    @property
    def defaults(self) -> Values:
        """The strategy's own values."""
        return tuple(knob.param.default for knob in self.knobs)

    def candidate(self, values: Values) -> Strategy:
        """The strategy with other values."""
        if values == self.defaults:
            return self.strategy
        return loader.set_slots(self.strategy, slot_values(self.knobs, values))

    def matchup(self, strategy: Strategy, opponent: Strategy, seed: int) -> Matchup:
        """Matches of two strategies."""
        return Matchup(self.variant, strategy, opponent, seed, "match")

    def matchups(self, strategy: Strategy, seed: int) -> list[Matchup]:
        """A strategy against everyone of the pool."""
        return [self.matchup(strategy, opponent, seed) for opponent in self.pool]

    def generation_seed(self, number: int) -> int:
        """The seed of the packs of a generation, counted from 1; the confirmation has `seed`."""
        return (self.seed + number * APART) % SEEDS

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What may not change when a search is continued."""
        moved = [f"{knob.name}={knob.low:g}..{knob.high:g}" for knob in self.knobs]
        search = f"{', '.join(moved)} for {self.objective}, {self.matches} matches each"
        return run_identity(self.matchups(self.strategy, self.seed), search=search)


def read_request(
    strategy: str,
    variant: str,
    against: Sequence[str] = (),
    parameters: str | None = None,
    *,
    objective: str = "matches",
    generations: int = GENERATIONS,
    matches: int | str = MATCHES,
    confirmed: int | str = CONFIRMED,
    seed: int = 1,
) -> TuneRequest:
    """The request that texts name; against: the pool, by default simple.

    Raises TuneError, SeatError, AmountError and what the loaders of variants and strategies raise.
    """
    player, rules, pool = read_players(strategy, variant, against)
    if objective not in METRICS:
        raise TuneError(f"the objective is one of {', '.join(METRICS)}, not {objective!r}.")
    tried, confirming = read_matches(matches), read_matches(confirmed)
    knobs = read_knobs(player, rules, parameters)
    if len(knobs) > MOST_KNOBS:
        raise TuneError(
            f"{player.text} has {len(knobs)} numbers, and at most {MOST_KNOBS} are tuned at once; "
            "name some of them with --parameters."
        )
    number = parse_seed(seed)
    return TuneRequest(
        player, rules, pool, knobs, objective, generations, tried, confirming, number
    )


def read_players(
    strategy: str, variant: str, against: Sequence[str]
) -> tuple[Strategy, Variant, tuple[Strategy, ...]]:
    """A strategy, a variant for two, and the opponents, by default simple; each of them once."""
    rules = variants.find(variant)
    if rules.row["players"] == 1:
        raise SeatError(
            f"{rules.text} is for one player, and strategies are tuned against others; name a "
            "variant for two."
        )
    player = loader.find(strategy)
    pool = {found.text: found for found in map(loader.find, against or ["simple"])}
    return player, rules, tuple(pool.values())


def read_matches(text: int | str) -> int:
    """A number of matches; AmountError for fewer than tell anything."""
    n = parse_count(text)
    if n < LEAST:
        raise AmountError(f"{n} matches are too few to tell strategies apart; play {LEAST:,}.")
    return n
