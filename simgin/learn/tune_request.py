"""The request of a parameter search: strategy, opponents, objective and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from simgin.play.matchup import Matchup, PlayerCountError, short_names
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.manifest import build_identity
from simgin.stats import metrics
from simgin.stats.metrics import Metric
from simgin.strategy import Param, Policy, Strategy, loader
from simgin.text.amounts import N_SEEDS, AmountError, parse_count, parse_seed
from simgin.text.messages import did_you_mean, quote_text

# Metric by objective
OBJECTIVE_METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}
SEARCH_GENERATIONS = 20
CANDIDATE_MATCHES = 4_000  # matches of a candidate against each opponent
# Matches of the tuned strategy and of the default against each opponent
CONFIRMATION_MATCHES = 40_000
MIN_SEARCH_MATCHES = 1_000  # matches; standard errors are computed from batches of 200
SEED_STRIDE = 2**32  # difference between the seeds of two generations
MAX_TUNED_PARAMETERS = 60  # parameters; a generation has too few candidates for more

ParameterValues = tuple[float, ...]  # one per tunable parameter


@dataclass(frozen=True)
class TuneRequest:
    """A parameter search.

    Attributes:
        strategy: Strategy to tune.
        variant: Rules.
        pool: Opponents.
        parameters: Parameters to tune.
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Matches of a candidate against each opponent.
        confirmed: Matches of the confirmation against each opponent.
        seed: Seed of the deals.
        training: Description of a training that replaces the search, for the identity.
    """

    strategy: Strategy
    variant: Variant
    pool: tuple[Strategy, ...]
    parameters: tuple[TunableParameter, ...]
    objective: str = "matches"
    generations: int = SEARCH_GENERATIONS
    matches: int = CANDIDATE_MATCHES
    confirmed: int = CONFIRMATION_MATCHES
    seed: int = 1
    training: str = ""

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        parameters: str | None = None,
        *,
        objective: str = "matches",
        generations: int = SEARCH_GENERATIONS,
        matches: int | str = CANDIDATE_MATCHES,
        confirmed: int | str = CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> TuneRequest:
        """Read a request from names and numbers. The opponents are by default `simple`.

        Raises:
            TuneError: If the strategy has no such numbers.
            PlayerCountError: If the variant is for one player.
            AmountError: If a number is out of range.
        """
        player, rules, pool = read_players(strategy, variant, against)
        if objective not in OBJECTIVE_METRICS:
            raise TuneError(
                f"the objective is one of {', '.join(OBJECTIVE_METRICS)}, not {objective!r}."
            )
        tried, confirming = read_matches(matches), read_matches(confirmed)
        knobs = read_tunable_parameters(player, rules, parameters)
        if len(knobs) > MAX_TUNED_PARAMETERS:
            raise TuneError(
                f"{player.spec} has {len(knobs)} numbers, and at most {MAX_TUNED_PARAMETERS} are "
                "tuned at once; name some of them with --parameters."
            )
        sizes = (generations, tried, confirming, parse_seed(seed))
        return cls(player, rules, pool, knobs, objective, *sizes)

    @property
    def metric(self) -> Metric:
        """The metric of the objective."""
        return metrics.METRICS_BY_NAME[OBJECTIVE_METRICS[self.objective]]

    @property
    def short_names(self) -> dict[str, str]:
        """Short names of the strategy and its opponents, by canonical name."""
        shown = short_names(self.matchups(self.strategy, self.seed))
        texts = [strategy.spec for strategy in (self.strategy, *self.pool)]
        return {text: shown.get(text, text) for text in texts}

    @property
    def opponent_list(self) -> str:
        """The opponents as text: `simple, gold and marjj`."""
        *first, last = [self.short_names[opponent.spec] for opponent in self.pool]
        return f"{', '.join(first)} and {last}" if first else last

    @property
    def n_candidates(self) -> int:
        """The number of strategies per generation, as recommended for CMA-ES."""
        return 4 + math.floor(3 * math.log(max(2, len(self.parameters))))

    @property
    def default_values(self) -> ParameterValues:
        """The parameter values of the strategy."""
        return tuple(knob.param.default for knob in self.parameters)

    def with_values(self, values: ParameterValues) -> Strategy:
        """Return the strategy with other parameter values."""
        if values == self.default_values:
            return self.strategy
        return loader.set_values_by_slot(self.strategy, slot_values(self.parameters, values))

    def matchup(self, strategy: Strategy, opponent: Strategy, seed: int) -> Matchup:
        """Return matches between two strategies."""
        return Matchup(self.variant, strategy, opponent, seed, "match")

    def matchups(self, strategy: Strategy, seed: int) -> list[Matchup]:
        """Return matches of a strategy against every opponent of the pool."""
        return [self.matchup(strategy, opponent, seed) for opponent in self.pool]

    def generation_seed(self, number: int) -> int:
        """Return the seed of a generation, counted from 1; the confirmation uses `seed`."""
        return (self.seed + number * SEED_STRIDE) % N_SEEDS

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that must not change when a search is resumed."""
        moved = [f"{knob.name}={knob.low:g}..{knob.high:g}" for knob in self.parameters]
        search = f"{', '.join(moved)} for {self.objective}, {self.matches} matches each"
        search = self.training or search
        return build_identity(self.matchups(self.strategy, self.seed), search=search)


@dataclass(frozen=True)
class TrainingRequest:
    """A training in rounds.

    Attributes:
        match: Strategy before the training, opponents and confirmation.
        rounds: Number of rounds, for each type of opponent if there are several.
        deals: Deals per round.
    """

    match: TuneRequest
    rounds: int
    deals: int

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the weights depend on, except for the number of rounds."""
        return self.match.identity


def read_players(
    strategy: str, variant: str, against: Sequence[str]
) -> tuple[Strategy, Variant, tuple[Strategy, ...]]:
    """Return a strategy, a two-player variant and the distinct opponents, by default `simple`.

    Raises:
        PlayerCountError: The variant is a solitaire game.
    """
    rules = variants.find_variant(variant)
    if rules.params["players"] == 1:
        raise PlayerCountError(
            f"{rules.spec} is for one player, and strategies are tuned against others; name a "
            "variant for two."
        )
    player = loader.find_strategy(strategy)
    pool = {found.spec: found for found in map(loader.find_strategy, against or ["simple"])}
    return player, rules, tuple(pool.values())


def read_matches(text: int | str) -> int:
    """Return a number of matches.

    Raises:
        AmountError: The number is too small for standard errors.
    """
    n = parse_count(text)
    if n < MIN_SEARCH_MATCHES:
        raise AmountError(
            f"{n} matches are too few to tell strategies apart; play {MIN_SEARCH_MATCHES:,}."
        )
    return n


# Parameters


ORDERED_KINDS = ("number", "integer", "bool")  # kinds of parameters with an order; words have none
VALUE_DIGITS = 2  # digits of a value after the first digit of its step
_LIMIT_PATTERN = r"-?(?:\d+(?:\.\d+)?|\.\d+)"
_PARAMETER_PATTERN = re.compile(rf"([\w.]+)\s*(?:=\s*({_LIMIT_PATTERN})\.\.({_LIMIT_PATTERN}))?")


class TuneError(ValueError):
    """A search or training request that is not valid; the message includes the fix."""


@dataclass(frozen=True)
class TunableParameter:
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
    def is_integer(self) -> bool:
        """True if only integers are tried, including booleans (1 and 0)."""
        return self.param.kind != "number"

    @property
    def initial_deviation(self) -> float:
        """Initial standard deviation of the candidates.

        It is a quarter of the range, but at most half of the default or 1, because limits are often
        much wider than sensible values.
        """
        sensible = max(abs(self.start) / 2, 1)
        span = self.high - self.low
        return min(span / 4, sensible)

    def round_value(self, number: float) -> float:
        """Return a number as it is played: within the limits and rounded."""
        decimals = 0
        if not self.is_integer:
            decimals = max(0, VALUE_DIGITS - math.floor(math.log10(self.initial_deviation)))
        rounded = round(number, decimals) + 0.0  # the sum turns minus zero into zero
        return min(max(rounded, self.low), self.high)

    def format_value(self, value: float) -> str:
        """Return a value as written in the canonical name of a strategy."""
        return self.param.format(value)


def read_tunable_parameters(
    strategy: Strategy, variant: Variant, selection: str | None = None
) -> tuple[TunableParameter, ...]:
    """Return the parameters of a strategy that a search tunes.

    Args:
        strategy: Strategy to tune.
        variant: Rules; only policies that decide under them are tuned.
        selection: Parameters to tune, such as `k,share` or `k=0..12`; all by default.

    Raises:
        TuneError: There are no such parameters.
    """
    owners = _policies_by_parameter(strategy, variant)
    known = {}
    for name, policies in owners.items():
        key = name.rpartition(".")[2]
        param = policies[0].params[key]
        if param.kind in ORDERED_KINDS and param.low < param.high:
            slots = tuple(policy.slot for policy in policies)
            known[name] = TunableParameter(name, key, slots, param, param.low, param.high)
    if selection is None:
        if not known:
            raise TuneError(_no_parameters_message(strategy))
        return tuple(known.values())
    found = [_select_parameter(strategy, text, known, owners) for text in selection.split(",")]
    return tuple({knob.name: knob for knob in found}.values())


def slot_values(
    parameters: Sequence[TunableParameter], values: Sequence[float]
) -> dict[str, dict[str, str]]:
    """Return parameter values as strings, by slot and key."""
    by_slot: dict[str, dict[str, str]] = {}
    for knob, value in zip(parameters, values, strict=True):
        text = knob.format_value(value)
        for slot in knob.slots:
            by_slot.setdefault(slot, {})[knob.key] = text
    return by_slot


def _policies_by_parameter(strategy: Strategy, variant: Variant) -> dict[str, list[Policy]]:
    """Return the policies in use by parameter: `k`, or `knock.k` if two declarations differ."""
    asked = [policy for policy in strategy.policies if _is_used(policy, variant)]
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


def _is_used(policy: Policy, variant: Variant) -> bool:
    """Return True if a policy can be called under a variant."""
    if policy.slot in ("offer", "answer"):
        return variant.params["die"] != "off"
    if policy.slot == "show":
        return variant.params["melding"] == "choice"
    return True


def _select_parameter(
    strategy: Strategy,
    text: str,
    known: Mapping[str, TunableParameter],
    owners: Mapping[str, object],
) -> TunableParameter:
    """Return the parameter that a string names, with the limits of the string."""
    match = _PARAMETER_PATTERN.fullmatch(text.strip())
    if match is None:
        raise TuneError(f"{quote_text(text)} is not of the form parameter or parameter=low..high.")
    name, low, high = match.groups()
    if name in owners and name not in known:
        raise TuneError(
            f"{name} of {strategy.spec} is not a number, and a search needs an order; play the "
            "strategy once with each of its words."
        )
    if name not in known:
        listed = ", ".join(known) or "none"
        near = did_you_mean(name, known)
        raise TuneError(f"{strategy.spec} has no number {quote_text(name)}; it has {listed}{near}")
    knob = known[name]
    if low is None:
        return knob
    given = quote_text(text.strip())
    try:
        least, most = knob.param.encode(low), knob.param.encode(high)
    except ValueError as error:
        raise TuneError(f"{given}: a limit of {name} {error}.") from None
    if not least < most:
        raise TuneError(f"{given}: the first limit must lie below the second.")
    return replace(knob, low=least, high=most)


def _no_parameters_message(strategy: Strategy) -> str:
    """Return a message on why a strategy cannot be tuned."""
    weights = [policy for policy in strategy.policies if policy.weights is not None]
    remedy = "write numbers that matter as parameters, such as @knock(k=param(5, 0, 20))"
    if any(policy.describe for policy in weights):
        return (
            f"{strategy.spec} has no parameter that is a number, but weights: `simgin train` "
            "learns those."
        )
    if weights:
        return (
            f"{strategy.spec} has no parameter that is a number: what it knows is in its weights, "
            f"which a search of this kind is not made for; {remedy}."
        )
    return f"{strategy.spec} has no parameter that is a number; {remedy}."
