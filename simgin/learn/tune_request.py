"""Requests for parameter searches and for training."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from simgin.play.matchup import Matchup, PlayerCountError, make_short_names
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.manifest import build_identity
from simgin.stats import metrics
from simgin.stats.metrics import Metric
from simgin.strategy import Param, Policy, Strategy, loader
from simgin.text.amounts import N_SEEDS, AmountError, parse_count, parse_seed
from simgin.text.messages import SimginError, join_words, quote_text, suggest_spelling

# metric by objective
OBJECTIVE_METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}
SEARCH_GENERATIONS = 20
CANDIDATE_MATCHES = 4_000  # number of matches per candidate and opponent
# number of matches per opponent for the confirmation
CONFIRMATION_MATCHES = 40_000
# Minimum number of matches. Standard errors require several batches of 200 matches.
MIN_SEARCH_MATCHES = 1_000
GENERATION_SEED_STRIDE = 2**32  # difference between the seeds of successive generations
# Maximum number of parameters. More parameters would require larger generations.
MAX_TUNED_PARAMETERS = 60

ParameterValues = tuple[float, ...]  # one value per tunable parameter


@dataclass(frozen=True)
class TuneRequest:
    """Request for a parameter search.

    Attributes:
        strategy: Strategy to tune.
        variant: Rules.
        opponents: Opponents.
        parameters: Parameters to tune.
        objective: "matches", "points" or "worst".
        n_generations: Number of generations.
        n_matches: Number of matches per candidate and opponent.
        confirmation_matches: Number of matches per opponent for the confirmation.
        seed: Seed of the deals.
        training_description: Description of the training, or "" if the strategy is tuned.
    """

    strategy: Strategy
    variant: Variant
    opponents: tuple[Strategy, ...]
    parameters: tuple[TunableParameter, ...]
    objective: str = "matches"
    n_generations: int = SEARCH_GENERATIONS
    n_matches: int = CANDIDATE_MATCHES
    confirmation_matches: int = CONFIRMATION_MATCHES
    seed: int = 1
    training_description: str = ""

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
        matches: float | str = CANDIDATE_MATCHES,
        confirmation_matches: float | str = CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> TuneRequest:
        """Parse the arguments of a request for a parameter search.

        Args:
            strategy: Strategy spec.
            variant: Variant spec.
            against: Opponents (default: `simple`).
            parameters: Parameters to tune, such as `k,share` or `k=0..12`. By default, all
                parameters are tuned.
            objective: "matches", "points" or "worst".
            generations: Number of generations.
            matches: Number of matches per candidate and opponent.
            confirmation_matches: Number of matches per opponent for the confirmation.
            seed: Seed of the deals.

        Raises:
            TuneError: If the objective or a parameter is not valid.
            PlayerCountError: If the variant is a solitaire game.
            AmountError: If a number is out of range.
        """
        player, parsed_variant, opponents = read_players(strategy, variant, against)
        if objective not in OBJECTIVE_METRICS:
            raise TuneError(
                f"{objective!r} is not a valid objective. Choose one of "
                f"{', '.join(OBJECTIVE_METRICS)}."
            )
        n_matches, n_confirmation = parse_n_matches(matches), parse_n_matches(confirmation_matches)
        tunable_parameters = read_tunable_parameters(player, parsed_variant, parameters)
        if len(tunable_parameters) > MAX_TUNED_PARAMETERS:
            raise TuneError(
                f"{player.spec} has {len(tunable_parameters)} numeric parameters, but a search can "
                f"tune at most {MAX_TUNED_PARAMETERS}. Select fewer parameters with --parameters."
            )
        sizes = (generations, n_matches, n_confirmation, parse_seed(seed))
        return cls(player, parsed_variant, opponents, tunable_parameters, objective, *sizes)

    @property
    def metric(self) -> Metric:
        """Metric on which the objective is based."""
        return metrics.METRICS_BY_NAME[OBJECTIVE_METRICS[self.objective]]

    @property
    def short_names(self) -> dict[str, str]:
        """Short names of the strategy and its opponents, keyed by canonical name."""
        names_by_spec = make_short_names(self.make_matchups(self.strategy, self.seed))
        specs = [strategy.spec for strategy in (self.strategy, *self.opponents)]
        return {spec: names_by_spec.get(spec, spec) for spec in specs}

    @property
    def opponents_text(self) -> str:
        """Names of the opponents as text, such as `simple, gold and marjj`."""
        return join_words([self.short_names[opponent.spec] for opponent in self.opponents])

    @property
    def n_candidates(self) -> int:
        """Number of candidates per generation, as recommended for CMA-ES."""
        return 4 + math.floor(3 * math.log(max(2, len(self.parameters))))

    @property
    def generations_text(self) -> str:
        """Number of generations as text, such as `20 generations`."""
        return f"{self.n_generations} generation{'s' * (self.n_generations != 1)}"

    @property
    def default_values(self) -> ParameterValues:
        """Default values of the tuned parameters."""
        return tuple(parameter.declaration.default for parameter in self.parameters)

    def with_values(self, values: ParameterValues) -> Strategy:
        """Return a copy of the strategy with new parameter values."""
        if values == self.default_values:
            return self.strategy
        return loader.set_values_by_slot(
            self.strategy, group_values_by_slot(self.parameters, values)
        )

    def make_matchup(self, strategy: Strategy, opponent: Strategy, seed: int) -> Matchup:
        """Return the matchup of two strategies in mirrored matches."""
        return Matchup(self.variant, strategy, opponent, seed, "match")

    def make_matchups(self, strategy: Strategy, seed: int) -> list[Matchup]:
        """Return the matchups of a strategy against every opponent."""
        return [self.make_matchup(strategy, opponent, seed) for opponent in self.opponents]

    def compute_generation_seed(self, number: int) -> int:
        """Return the seed of a generation, which differs from the confirmation's seed.

        The first generation has number 1.
        """
        return (self.seed + number * GENERATION_SEED_STRIDE) % N_SEEDS

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Entries of `manifest.json` that identify the search and allow resuming it."""
        texts = [
            f"{parameter.name}={parameter.low:g}..{parameter.high:g}"
            for parameter in self.parameters
        ]
        search_text = f"{', '.join(texts)} for {self.objective}, {self.n_matches} matches each"
        search_text = self.training_description or search_text
        return build_identity(self.make_matchups(self.strategy, self.seed), search=search_text)


@dataclass(frozen=True)
class TrainingRequest:
    """Base class for requests to train weights in rounds.

    Attributes:
        match_request: Strategy before the training, opponents and size of the confirmation.
        n_rounds: Number of rounds in total, or per opponent type if there are several types.
        deals_per_round: Number of deals per round.
    """

    match_request: TuneRequest
    n_rounds: int
    deals_per_round: int

    @staticmethod
    def read_match_request(
        players: tuple[Strategy, Variant, tuple[Strategy, ...]],
        confirmation_matches: int | str,
        seed: int,
        training_description: str,
    ) -> TuneRequest:
        """Parse the arguments that specify the matches for confirming the gain.

        Args:
            players: Strategy, variant and opponents (see `read_players`).
            confirmation_matches: Number of matches per opponent.
            seed: Seed of the deals.
            training_description: Description of the training.
        """
        n_matches = parse_n_matches(confirmation_matches)
        return TuneRequest(
            *players,
            (),
            confirmation_matches=n_matches,
            seed=parse_seed(seed),
            training_description=training_description,
        )

    @property
    def rounds_text(self) -> str:
        """Number of rounds as text, such as `8 rounds`."""
        return f"{self.n_rounds} round{'s' * (self.n_rounds != 1)}"

    @property
    def identity(self) -> dict[str, Any]:
        """Entries of `manifest.json` that identify the training, without the number of rounds."""
        return self.match_request.identity


def read_players(
    strategy: str, variant: str, against: Sequence[str]
) -> tuple[Strategy, Variant, tuple[Strategy, ...]]:
    """Parse the strategy, the two-player variant and the opponents of a request.

    Raises:
        PlayerCountError: If the variant is a solitaire game.
    """
    parsed_variant = variants.find_variant(variant)
    if parsed_variant.params["players"] == 1:
        raise PlayerCountError(
            f"{parsed_variant.spec} is a solitaire variant, but tuning and training require an "
            "opponent. Choose a two-player variant."
        )
    player = loader.find_strategy(strategy)
    opponents_by_spec = {
        opponent.spec: opponent for opponent in map(loader.find_strategy, against or ["simple"])
    }
    return player, parsed_variant, tuple(opponents_by_spec.values())


def parse_n_matches(text: float | str) -> int:
    """Parse a number of matches, such as `20k`.

    Raises:
        AmountError: If the number is too small for standard errors.
    """
    n_matches = parse_count(text)
    if n_matches < MIN_SEARCH_MATCHES:
        raise AmountError(
            f"{n_matches} matches are too few to compare strategies. Use at least "
            f"{MIN_SEARCH_MATCHES:,} matches."
        )
    return n_matches


# Parameters


TUNABLE_PARAMETER_KINDS = (
    "number",
    "integer",
    "bool",
)  # kinds of parameters whose values have an order
EXTRA_VALUE_DECIMALS = 2  # number of decimals after the first significant digit of the step
_RANGE_LIMIT_PATTERN = r"-?(?:\d+(?:\.\d+)?|\.\d+)"
_PARAMETER_PATTERN = re.compile(
    rf"([\w.]+)\s*(?:=\s*({_RANGE_LIMIT_PATTERN})\.\.({_RANGE_LIMIT_PATTERN}))?"
)


class TuneError(SimginError):
    """Error raised if a request for a search or training is not valid."""


@dataclass(frozen=True)
class TunableParameter:
    """Numeric strategy parameter with its search range.

    Attributes:
        name: Display name of the parameter.
        name_in_policy: Name of the parameter in the policies.
        slots: Slots that share the parameter. If slots have different declarations, the parameters
            are separate and `name` includes the slot.
        declaration: Declaration of the parameter.
        low: Lower limit of the search range.
        high: Upper limit of the search range.
    """

    name: str
    name_in_policy: str
    slots: tuple[str, ...]
    declaration: Param
    low: float
    high: float

    @property
    def initial_value(self) -> float:
        """Initial value of the search: the default value clipped to the range."""
        return min(max(self.declaration.default, self.low), self.high)

    @property
    def is_integer(self) -> bool:
        """True if the search tries only integers (0 and 1 for booleans)."""
        return self.declaration.kind != "number"

    @property
    def initial_deviation(self) -> float:
        """Initial standard deviation of the candidates.

        The deviation is a quarter of the range, but at most the larger of 1 and half of the default
        value. Ranges often extend far beyond sensible values.
        """
        sensible_deviation = max(abs(self.initial_value) / 2, 1)
        range_width = self.high - self.low
        return min(range_width / 4, sensible_deviation)

    def round_value(self, number: float) -> float:
        """Round a number to a valid value and clip it to the range."""
        decimals = 0
        if not self.is_integer:
            decimals = max(0, EXTRA_VALUE_DECIMALS - math.floor(math.log10(self.initial_deviation)))
        value = round(number, decimals) + 0.0  # Adding 0.0 replaces -0.0 with 0.0.
        return min(max(value, self.low), self.high)

    def format_value(self, value: float) -> str:
        """Format a value in the notation of canonical strategy names."""
        return self.declaration.format(value)


def read_tunable_parameters(
    strategy: Strategy, variant: Variant, selection: str | None = None
) -> tuple[TunableParameter, ...]:
    """Return the parameters of a strategy that a search can tune.

    Args:
        strategy: Strategy to tune.
        variant: Variant of the search. Policies that are never called in this variant are ignored.
        selection: Parameters to tune, such as `k,share` or `k=0..12`. By default, all parameters
            are tuned.

    Raises:
        TuneError: If the strategy has no such parameters.
    """
    policies_by_parameter = _group_policies_by_parameter(strategy, variant)
    parameters_by_name = {}
    for name, policies in policies_by_parameter.items():
        name_in_policy = name.rpartition(".")[2]
        declaration = policies[0].params[name_in_policy]
        if declaration.kind in TUNABLE_PARAMETER_KINDS and declaration.low < declaration.high:
            slots = tuple(policy.slot for policy in policies)
            parameters_by_name[name] = TunableParameter(
                name, name_in_policy, slots, declaration, declaration.low, declaration.high
            )
    if selection is None:
        if not parameters_by_name:
            raise TuneError(_format_no_parameters_message(strategy))
        return tuple(parameters_by_name.values())
    selected_parameters = [
        _select_parameter(strategy, parameter_selection, parameters_by_name, policies_by_parameter)
        for parameter_selection in selection.split(",")
    ]
    return tuple({parameter.name: parameter for parameter in selected_parameters}.values())


def group_values_by_slot(
    parameters: Sequence[TunableParameter], values: Sequence[float]
) -> dict[str, dict[str, str]]:
    """Return parameter values as strings, keyed by policy slot and parameter name."""
    values_by_slot: dict[str, dict[str, str]] = {}
    for parameter, value in zip(parameters, values, strict=True):
        value_text = parameter.format_value(value)
        for slot in parameter.slots:
            values_by_slot.setdefault(slot, {})[parameter.name_in_policy] = value_text
    return values_by_slot


def _group_policies_by_parameter(strategy: Strategy, variant: Variant) -> dict[str, list[Policy]]:
    """Group policies by parameter, such as `k` or, if the name is ambiguous, `knock.k`."""
    used_policies = [policy for policy in strategy.policies if _is_policy_used(policy, variant)]
    policies_by_key: dict[str, list[Policy]] = {}
    for policy in used_policies:
        for name in policy.params:
            policies_by_key.setdefault(name, []).append(policy)
    policies_by_name = {}
    for name, policies in policies_by_key.items():
        if len({policy.params[name] for policy in policies}) == 1:
            policies_by_name[name] = policies
            continue
        for policy in policies:
            policies_by_name[f"{policy.slot}.{name}"] = [policy]
    return policies_by_name


def _is_policy_used(policy: Policy, variant: Variant) -> bool:
    """Return True if a policy can be called in a variant."""
    if policy.slot in ("offer", "answer"):
        return variant.params["die"] != "off"
    if policy.slot == "show":
        return variant.params["melding"] == "choice"
    return True


def _select_parameter(
    strategy: Strategy,
    selection: str,
    parameters_by_name: Mapping[str, TunableParameter],
    policies_by_parameter: Mapping[str, object],
) -> TunableParameter:
    """Parse a parameter with an optional range, such as `k` or `k=0..12`."""
    match = _PARAMETER_PATTERN.fullmatch(selection.strip())
    if match is None:
        raise TuneError(
            f"--parameters: {quote_text(selection)} is not a valid parameter. Use NAME or "
            "NAME=LOW..HIGH."
        )
    name, low, high = match.groups()
    if name in policies_by_parameter and name not in parameters_by_name:
        raise TuneError(
            f"--parameters: the parameter {name} of {strategy.spec} is not numeric and cannot be "
            "tuned. Run a separate search for each value."
        )
    if name not in parameters_by_name:
        valid_names = ", ".join(parameters_by_name) or "none"
        suggestion = suggest_spelling(name, parameters_by_name)
        raise TuneError(
            f"--parameters: {strategy.spec} has no numeric parameter "
            f"{quote_text(name)}{suggestion} Choose from: {valid_names}."
        )
    parameter = parameters_by_name[name]
    if low is None:
        return parameter
    quoted_text = quote_text(selection.strip())
    try:
        min_value, max_value = parameter.declaration.encode(low), parameter.declaration.encode(high)
    except ValueError as error:
        raise TuneError(
            f"--parameters {quoted_text} is not a valid range, because a limit {error}."
        ) from None
    if not min_value < max_value:
        raise TuneError(
            f"--parameters {quoted_text}: the lower limit must be below the upper limit. Use "
            "NAME=LOW..HIGH."
        )
    return replace(parameter, low=min_value, high=max_value)


def _format_no_parameters_message(strategy: Strategy) -> str:
    """Return the error message for a strategy without numeric parameters."""
    weight_policies = [policy for policy in strategy.policies if policy.weights is not None]
    hint = "Declare parameters, for example @knock(k=param(5, 0, 20))"
    if any(policy.describe for policy in weight_policies):
        return (
            f"{strategy.spec} has weights, but no numeric parameters. Train its weights with "
            "`simgin train`."
        )
    if weight_policies:
        return (
            f"{strategy.spec} has weights, which `simgin tune` cannot tune, but no numeric "
            f"parameters. {hint}."
        )
    return f"{strategy.spec} has no numeric parameters. {hint}."
