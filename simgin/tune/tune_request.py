"""The request of a parameter search: strategy, opponents, objective and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from simgin.play.matchup import Matchup, SeatError, own_names
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.manifest import run_identity
from simgin.stats import metrics
from simgin.stats.metrics import Metric
from simgin.strategy import Param, Policy, Strategy, loader
from simgin.text.amounts import SEEDS, AmountError, parse_count, parse_seed
from simgin.text.messages import did_you_mean, quoted

METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}  # metric by objective
GENERATIONS = 20
MATCHES = 4_000  # matches of a candidate against each opponent
CONFIRMED = 40_000  # matches of the tuned strategy and of the default against each opponent
LEAST = 1_000  # matches; standard errors are computed from batches of 200
APART = 2**32  # difference between the seeds of two generations
MOST_KNOBS = 60  # parameters; a generation has too few candidates for more

Values = tuple[float, ...]  # one per tunable parameter


@dataclass(frozen=True)
class TuneRequest:
    """A parameter search.

    Attributes:
        strategy: Strategy to tune.
        variant: Rules.
        pool: Opponents.
        knobs: Parameters to tune.
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Matches of a candidate against each opponent.
        confirmed: Matches of the confirmation against each opponent.
        seed: Seed of the deals.
    """

    strategy: Strategy
    variant: Variant
    pool: tuple[Strategy, ...]
    knobs: tuple[Knob, ...]
    objective: str = "matches"
    generations: int = GENERATIONS
    matches: int = MATCHES
    confirmed: int = CONFIRMED
    seed: int = 1

    @classmethod
    def read(
        cls,
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
        """Read a request from names and numbers. The opponents are by default `simple`.

        Raises:
            TuneError: If the strategy has no such numbers.
            SeatError: If the variant is for one player.
            AmountError: If a number is out of range.
        """
        player, rules, pool = read_players(strategy, variant, against)
        if objective not in METRICS:
            raise TuneError(f"the objective is one of {', '.join(METRICS)}, not {objective!r}.")
        tried, confirming = read_matches(matches), read_matches(confirmed)
        knobs = read_knobs(player, rules, parameters)
        if len(knobs) > MOST_KNOBS:
            raise TuneError(
                f"{player.text} has {len(knobs)} numbers, and at most {MOST_KNOBS} are tuned at "
                "once; name some of them with --parameters."
            )
        sizes = (generations, tried, confirming, parse_seed(seed))
        return cls(player, rules, pool, knobs, objective, *sizes)

    @property
    def metric(self) -> Metric:
        """The metric of the objective."""
        return metrics.BY_NAME[METRICS[self.objective]]

    @property
    def names(self) -> dict[str, str]:
        """Short names of the strategy and its opponents, by canonical name."""
        shown = own_names(self.matchups(self.strategy, self.seed))
        texts = [strategy.text for strategy in (self.strategy, *self.pool)]
        return {text: shown.get(text, text) for text in texts}

    @property
    def opponents(self) -> str:
        """The opponents as text: `simple, gold and marjj`."""
        *first, last = [self.names[opponent.text] for opponent in self.pool]
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def candidates(self) -> int:
        """The number of strategies per generation, as recommended for CMA-ES."""
        return 4 + math.floor(3 * math.log(max(2, len(self.knobs))))

    @property
    def defaults(self) -> Values:
        """The parameter values of the strategy."""
        return tuple(knob.param.default for knob in self.knobs)

    def candidate(self, values: Values) -> Strategy:
        """Return the strategy with other parameter values."""
        if values == self.defaults:
            return self.strategy
        return loader.set_slots(self.strategy, slot_values(self.knobs, values))

    def matchup(self, strategy: Strategy, opponent: Strategy, seed: int) -> Matchup:
        """Return matches between two strategies."""
        return Matchup(self.variant, strategy, opponent, seed, "match")

    def matchups(self, strategy: Strategy, seed: int) -> list[Matchup]:
        """Return matches of a strategy against every opponent of the pool."""
        return [self.matchup(strategy, opponent, seed) for opponent in self.pool]

    def generation_seed(self, number: int) -> int:
        """Return the seed of a generation, counted from 1; the confirmation uses `seed`."""
        return (self.seed + number * APART) % SEEDS

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that must not change when a search is resumed."""
        moved = [f"{knob.name}={knob.low:g}..{knob.high:g}" for knob in self.knobs]
        search = f"{', '.join(moved)} for {self.objective}, {self.matches} matches each"
        return run_identity(self.matchups(self.strategy, self.seed), search=search)


def read_players(
    strategy: str, variant: str, against: Sequence[str]
) -> tuple[Strategy, Variant, tuple[Strategy, ...]]:
    """Return a strategy, a two-player variant and the distinct opponents, by default `simple`.

    Raises:
        SeatError: The variant is a solitaire game.
    """
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
    """Return a number of matches.

    Raises:
        AmountError: The number is too small for standard errors.
    """
    n = parse_count(text)
    if n < LEAST:
        raise AmountError(f"{n} matches are too few to tell strategies apart; play {LEAST:,}.")
    return n


# Parameters


ORDERED = ("number", "integer", "bool")  # kinds of parameters with an order; words have none
DIGITS = 2  # digits of a value after the first digit of its step
_LIMIT = r"-?(?:\d+(?:\.\d+)?|\.\d+)"
_CHOSEN = re.compile(rf"([\w.]+)\s*(?:=\s*({_LIMIT})\.\.({_LIMIT}))?")


class TuneError(ValueError):
    """A search or training request that is not valid; the message includes the fix."""


@dataclass(frozen=True)
class Knob:
    """A numeric parameter of a strategy with its search range.

    Attributes:
        name: Displayed name.
        key: Name in the policies.
        slots: All slots with the parameter if they declare it equally; otherwise one, which `name`
            includes.
        param: Declaration of the parameter.
        low: Lower limit of the search.
        high: Upper limit of the search.
    """

    name: str
    key: str
    slots: tuple[str, ...]
    param: Param
    low: float
    high: float

    @property
    def start(self) -> float:
        """First value of the search: the default, or the limit next to it."""
        return min(max(self.param.default, self.low), self.high)

    @property
    def whole(self) -> bool:
        """True if only integers are tried, including booleans (1 and 0)."""
        return self.param.kind != "number"

    @property
    def step(self) -> float:
        """Initial standard deviation of the candidates.

        It is a quarter of the range, but at most half of the default or 1, because limits are often
        much wider than sensible values.
        """
        sensible = max(abs(self.start) / 2, 1)
        span = self.high - self.low
        return min(span / 4, sensible)

    def value(self, number: float) -> float:
        """Return a number as it is played: within the limits and rounded."""
        decimals = 0
        if not self.whole:
            decimals = max(0, DIGITS - math.floor(math.log10(self.step)))
        rounded = round(number, decimals) + 0.0  # the sum turns minus zero into zero
        return min(max(rounded, self.low), self.high)

    def text(self, value: float) -> str:
        """Return a value as written in the canonical name of a strategy."""
        return self.param.text(value)


def read_knobs(strategy: Strategy, variant: Variant, chosen: str | None = None) -> tuple[Knob, ...]:
    """Return the parameters of a strategy that a search tunes.

    Args:
        strategy: Strategy to tune.
        variant: Rules; only policies that decide under them are tuned.
        chosen: Parameters to tune, such as `k,share` or `k=0..12`; all by default.

    Raises:
        TuneError: There are no such parameters.
    """
    owners = _owners(strategy, variant)
    known = {}
    for name, policies in owners.items():
        key = name.rpartition(".")[2]
        param = policies[0].params[key]
        if param.kind in ORDERED and param.low < param.high:
            slots = tuple(policy.slot for policy in policies)
            known[name] = Knob(name, key, slots, param, param.low, param.high)
    if chosen is None:
        if not known:
            raise TuneError(_no_numbers(strategy))
        return tuple(known.values())
    found = [_chosen(strategy, text, known, owners) for text in chosen.split(",")]
    return tuple({knob.name: knob for knob in found}.values())


def slot_values(knobs: Sequence[Knob], values: Sequence[float]) -> dict[str, dict[str, str]]:
    """Return parameter values as strings, by slot and key."""
    by_slot: dict[str, dict[str, str]] = {}
    for knob, value in zip(knobs, values, strict=True):
        text = knob.text(value)
        for slot in knob.slots:
            by_slot.setdefault(slot, {})[knob.key] = text
    return by_slot


def _owners(strategy: Strategy, variant: Variant) -> dict[str, list[Policy]]:
    """Return the policies in use by parameter: `k`, or `knock.k` if two declarations differ."""
    asked = [policy for policy in strategy.policies if _is_asked(policy, variant)]
    by_key: dict[str, list[Policy]] = {}
    for policy in asked:
        for key in policy.params:
            by_key.setdefault(key, []).append(policy)
    owners = {}
    for key, policies in by_key.items():
        if len({policy.params[key] for policy in policies}) == 1:
            owners[key] = policies
            continue
        for policy in policies:
            owners[f"{policy.slot}.{key}"] = [policy]
    return owners


def _is_asked(policy: Policy, variant: Variant) -> bool:
    """Return True if a policy can be called under a variant."""
    if policy.slot in ("offer", "answer"):
        return variant.row["die"] != "off"
    if policy.slot == "show":
        return variant.row["melding"] == "choice"
    return True


def _chosen(
    strategy: Strategy, text: str, known: Mapping[str, Knob], owners: Mapping[str, object]
) -> Knob:
    """Return the parameter that a string names, with the limits of the string."""
    match = _CHOSEN.fullmatch(text.strip())
    if match is None:
        raise TuneError(f"{quoted(text)} is not of the form parameter or parameter=low..high.")
    name, low, high = match.groups()
    if name in owners and name not in known:
        raise TuneError(
            f"{name} of {strategy.text} is not a number, and a search needs an order; play the "
            "strategy once with each of its words."
        )
    if name not in known:
        listed = ", ".join(known) or "none"
        near = did_you_mean(name, known)
        raise TuneError(f"{strategy.text} has no number {quoted(name)}; it has {listed}{near}")
    knob = known[name]
    if low is None:
        return knob
    given = quoted(text.strip())
    try:
        least, most = knob.param.code(low), knob.param.code(high)
    except ValueError as error:
        raise TuneError(f"{given}: a limit of {name} {error}.") from None
    if not least < most:
        raise TuneError(f"{given}: the first limit must lie below the second.")
    return replace(knob, low=least, high=most)


def _no_numbers(strategy: Strategy) -> str:
    """Return a message on why a strategy cannot be tuned."""
    weights = [policy for policy in strategy.policies if policy.weights is not None]
    remedy = "write numbers that matter as parameters, such as @knock(k=param(5, 0, 20))"
    if any(policy.describe for policy in weights):
        return (
            f"{strategy.text} has no parameter that is a number, but weights: `simgin train` "
            "learns those."
        )
    if weights:
        return (
            f"{strategy.text} has no parameter that is a number: what it knows is in its weights, "
            f"which a search of this kind is not made for; {remedy}."
        )
    return f"{strategy.text} has no parameter that is a number; {remedy}."
