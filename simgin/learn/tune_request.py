"""Requests for parameter searches and for training."""

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
from simgin.text.messages import SimginError, did_you_mean, join_words, quote_text

# Metric by objective
OBJECTIVE_METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}
SEARCH_GENERATIONS = 20
CANDIDATE_MATCHES = 4_000  # number of matches per candidate and opponent
# Number of matches per opponent that confirm the result
CONFIRMATION_MATCHES = 40_000
# Minimum number of matches for standard errors from batches of 200 matches
MIN_SEARCH_MATCHES = 1_000
SEED_STRIDE = 2**32  # difference between the seeds of successive generations
# Maximum number of parameters; more parameters would need larger generations
MAX_TUNED_PARAMETERS = 60

ParameterValues = tuple[float, ...]  # one value per tunable parameter


@dataclass(frozen=True)
class TuneRequest:
    """Request for a parameter search, with the opponents and the size of the search.

    Attributes:
        strategy: Strategy to tune.
        variant: Rules.
        pool: Opponents.
        parameters: Parameters to tune.
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Matches per candidate and opponent.
        confirmation_matches: Matches per opponent that confirm the result.
        seed: Seed of the deals.
        training: Description of the training that replaces the search, as part of the identity.
    """

    strategy: Strategy
    variant: Variant
    pool: tuple[Strategy, ...]
    parameters: tuple[TunableParameter, ...]
    objective: str = "matches"
    generations: int = SEARCH_GENERATIONS
    matches: int = CANDIDATE_MATCHES
    confirmation_matches: int = CONFIRMATION_MATCHES
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
        confirmation_matches: int | str = CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> TuneRequest:
        """Parse the arguments of a request.

        Args:
            strategy: Strategy spec.
            variant: Variant spec.
            against: Opponents (default: `simple`).
            parameters: Parameters to tune, such as `k,share` or `k=0..12` (default: all
                parameters).
            objective: "matches", "points" or "worst".
            generations: Number of generations.
            matches: Matches per candidate and opponent.
            confirmation_matches: Matches per opponent that confirm the result.
            seed: Seed of the deals.

        Raises:
            TuneError: If the objective or the parameters are not valid.
            PlayerCountError: If the variant is a solitaire variant.
            AmountError: If a number is out of range.
        """
        player, rules, pool = read_players(strategy, variant, against)
        if objective not in OBJECTIVE_METRICS:
            raise TuneError(
                f"{objective!r} is not a valid objective. Choose one of "
                f"{', '.join(OBJECTIVE_METRICS)}."
            )
        n_matches, n_confirmation = read_matches(matches), read_matches(confirmation_matches)
        params = read_tunable_parameters(player, rules, parameters)
        if len(params) > MAX_TUNED_PARAMETERS:
            raise TuneError(
                f"{player.spec} has {len(params)} numeric parameters, but a search can tune at "
                f"most {MAX_TUNED_PARAMETERS}. Select fewer parameters with --parameters."
            )
        sizes = (generations, n_matches, n_confirmation, parse_seed(seed))
        return cls(player, rules, pool, params, objective, *sizes)

    @property
    def metric(self) -> Metric:
        """Metric on which the objective is based."""
        return metrics.METRICS_BY_NAME[OBJECTIVE_METRICS[self.objective]]

    @property
    def short_names(self) -> dict[str, str]:
        """Short names of the strategy and of its opponents, by canonical name."""
        names_by_spec = short_names(self.matchups(self.strategy, self.seed))
        texts = [strategy.spec for strategy in (self.strategy, *self.pool)]
        return {text: names_by_spec.get(text, text) for text in texts}

    @property
    def opponent_list(self) -> str:
        """Names of the opponents in one phrase, such as `simple, gold and marjj`."""
        return join_words([self.short_names[opponent.spec] for opponent in self.pool])

    @property
    def n_candidates(self) -> int:
        """Number of candidates per generation, as recommended for CMA-ES."""
        return 4 + math.floor(3 * math.log(max(2, len(self.parameters))))

    @property
    def generation_count(self) -> str:
        """Number of generations as text, such as `20 generations`."""
        return f"{self.generations} generation{'s' * (self.generations != 1)}"

    @property
    def default_values(self) -> ParameterValues:
        """Default values of the parameters to be tuned."""
        return tuple(tunable.param.default for tunable in self.parameters)

    def with_values(self, values: ParameterValues) -> Strategy:
        """Return a copy of the strategy with other parameter values."""
        if values == self.default_values:
            return self.strategy
        return loader.set_values_by_slot(self.strategy, slot_values(self.parameters, values))

    def matchup(self, strategy: Strategy, opponent: Strategy, seed: int) -> Matchup:
        """Return the mirrored matchup of two strategies that play matches."""
        return Matchup(self.variant, strategy, opponent, seed, "match")

    def matchups(self, strategy: Strategy, seed: int) -> list[Matchup]:
        """Return the matchups of a strategy against every opponent of the pool."""
        return [self.matchup(strategy, opponent, seed) for opponent in self.pool]

    def generation_seed(self, number: int) -> int:
        """Return the seed of a generation (1, 2, ...); `seed` is reserved for the confirmation."""
        return (self.seed + number * SEED_STRIDE) % N_SEEDS

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Identity of the search, which must stay the same when the search is resumed."""
        ranges = [
            f"{tunable.name}={tunable.low:g}..{tunable.high:g}" for tunable in self.parameters
        ]
        search = f"{', '.join(ranges)} for {self.objective}, {self.matches} matches each"
        search = self.training or search
        return build_identity(self.matchups(self.strategy, self.seed), search=search)


@dataclass(frozen=True)
class TrainingRequest:
    """Base class for requests to train weights in rounds.

    Attributes:
        match: Strategy before the training, opponents and size of the confirmation.
        rounds: Number of rounds, per type of opponent if there are several.
        deals: Deals per round.
    """

    match: TuneRequest
    rounds: int
    deals: int

    @property
    def round_count(self) -> str:
        """Number of rounds as text, such as `8 rounds`."""
        return f"{self.rounds} round{'s' * (self.rounds != 1)}"

    @property
    def identity(self) -> dict[str, Any]:
        """Identity of the training, which does not include the number of rounds."""
        return self.match.identity


def read_players(
    strategy: str, variant: str, against: Sequence[str]
) -> tuple[Strategy, Variant, tuple[Strategy, ...]]:
    """Parse the strategy, the two-player variant and the distinct opponents of a request.

    Raises:
        PlayerCountError: If the variant is a solitaire variant.
    """
    rules = variants.find_variant(variant)
    if rules.params["players"] == 1:
        raise PlayerCountError(
            f"{rules.spec} is a solitaire variant, but tuning and training require an opponent. "
            "Choose a two-player variant."
        )
    player = loader.find_strategy(strategy)
    pool = {rival.spec: rival for rival in map(loader.find_strategy, against or ["simple"])}
    return player, rules, tuple(pool.values())


def read_matches(text: int | str) -> int:
    """Parse a number of matches, as in `20k`.

    Raises:
        AmountError: If the number is too small for standard errors.
    """
    n = parse_count(text)
    if n < MIN_SEARCH_MATCHES:
        raise AmountError(
            f"{n} matches are too few to compare strategies. Use at least {MIN_SEARCH_MATCHES:,} "
            "matches."
        )
    return n


# Parameters


ORDERED_KINDS = ("number", "integer", "bool")  # kinds of parameters with an order, unlike choices
VALUE_DIGITS = 2  # significant digits of a value beyond the first digit of its step
_LIMIT_PATTERN = r"-?(?:\d+(?:\.\d+)?|\.\d+)"
_PARAMETER_PATTERN = re.compile(rf"([\w.]+)\s*(?:=\s*({_LIMIT_PATTERN})\.\.({_LIMIT_PATTERN}))?")


class TuneError(SimginError):
    """Exception for an invalid request for a search or for training."""


@dataclass(frozen=True)
class TunableParameter:
    """Numeric parameter of a strategy, with the range of the search.

    Attributes:
        name: Displayed name.
        key: Name in the policies.
        slots: Slots that share the parameter. Slots with different declarations are separate
            parameters, and `name` includes the slot.
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
        """Initial value of the search: the default value, clipped to the range."""
        return min(max(self.param.default, self.low), self.high)

    @property
    def is_integer(self) -> bool:
        """True if the search tries only integers (booleans count as 0 and 1)."""
        return self.param.kind != "number"

    @property
    def initial_deviation(self) -> float:
        """Initial standard deviation of the candidates' values.

        It is a quarter of the range, but at most half of the default (or 1 if that is larger),
        because limits are often much wider than sensible values.
        """
        sensible = max(abs(self.start) / 2, 1)
        span = self.high - self.low
        return min(span / 4, sensible)

    def round_value(self, number: float) -> float:
        """Round a number to a valid value, clipped to the range."""
        decimals = 0
        if not self.is_integer:
            decimals = max(0, VALUE_DIGITS - math.floor(math.log10(self.initial_deviation)))
        value = round(number, decimals) + 0.0  # Adding 0.0 turns minus zero into zero.
        return min(max(value, self.low), self.high)

    def format_value(self, value: float) -> str:
        """Format a value in the notation of canonical strategy names."""
        return self.param.format(value)


def read_tunable_parameters(
    strategy: Strategy, variant: Variant, selection: str | None = None
) -> tuple[TunableParameter, ...]:
    """Return the parameters of a strategy that a search can tune.

    Args:
        strategy: Strategy to tune.
        variant: Variant. Policies that are never called in this variant are ignored.
        selection: Parameters to tune, such as `k,share` or `k=0..12` (default: all parameters).

    Raises:
        TuneError: If the strategy has no such parameters.
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
    selected = [_select_parameter(strategy, text, known, owners) for text in selection.split(",")]
    return tuple({tunable.name: tunable for tunable in selected}.values())


def slot_values(
    parameters: Sequence[TunableParameter], values: Sequence[float]
) -> dict[str, dict[str, str]]:
    """Return parameter values as strings, by policy slot and parameter name."""
    by_slot: dict[str, dict[str, str]] = {}
    for tunable, value in zip(parameters, values, strict=True):
        text = tunable.format_value(value)
        for slot in tunable.slots:
            by_slot.setdefault(slot, {})[tunable.key] = text
    return by_slot


def _policies_by_parameter(strategy: Strategy, variant: Variant) -> dict[str, list[Policy]]:
    """Return the policies that declare each parameter, `k`, or `knock.k` if definitions differ."""
    used_policies = [policy for policy in strategy.policies if _is_used(policy, variant)]
    by_key: dict[str, list[Policy]] = {}
    for policy in used_policies:
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
    """Return True if the engine can call a policy under the rules of a variant."""
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
    """Return the parameter and the range in a selection such as `k` or `k=0..12`."""
    match = _PARAMETER_PATTERN.fullmatch(text.strip())
    if match is None:
        raise TuneError(
            f"--parameters: {quote_text(text)} is not a valid parameter. Use NAME or "
            "NAME=LOW..HIGH."
        )
    name, low, high = match.groups()
    if name in owners and name not in known:
        raise TuneError(
            f"--parameters: the parameter {name} of {strategy.spec} is not numeric and cannot be "
            "tuned. Run a separate search for each value."
        )
    if name not in known:
        valid_names = ", ".join(known) or "none"
        hint = did_you_mean(name, known)
        raise TuneError(
            f"--parameters: {strategy.spec} has no numeric parameter {quote_text(name)}{hint} "
            f"Choose from: {valid_names}."
        )
    tunable = known[name]
    if low is None:
        return tunable
    quoted = quote_text(text.strip())
    try:
        least, most = tunable.param.encode(low), tunable.param.encode(high)
    except ValueError as error:
        raise TuneError(
            f"--parameters {quoted} is not a valid range, because a limit {error}."
        ) from None
    if not least < most:
        raise TuneError(
            f"--parameters {quoted}: the lower limit must be below the upper limit. Use "
            "NAME=LOW..HIGH."
        )
    return replace(tunable, low=least, high=most)


def _no_parameters_message(strategy: Strategy) -> str:
    """Return the error message for a strategy that has no numeric parameters."""
    weights = [policy for policy in strategy.policies if policy.weights is not None]
    hint = "Declare parameters, for example @knock(k=param(5, 0, 20))"
    if any(policy.describe for policy in weights):
        return (
            f"{strategy.spec} has weights, but no numeric parameters. Train its weights with "
            "`simgin train`."
        )
    if weights:
        return (
            f"{strategy.spec} has weights, which `simgin tune` cannot tune, but no numeric "
            f"parameters. {hint}."
        )
    return f"{strategy.spec} has no numeric parameters. {hint}."
