"""Matchups of one or two strategies, prepared for a variant and a seed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from simgin.core.matchup_key import MatchupKey, UnitType
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.strategy import Strategy, loader
from simgin.strategy.strategy_spec import parse_spec
from simgin.text import shell
from simgin.text.files import has_suffix
from simgin.text.messages import SimginError

PERSON_NAME = "you"  # strategy name that represents a human player
# directory of a policy file or weights file, as in +knock=a/b.py and champion@a/b.npy
SPEC_FOLDER_PATTERN = re.compile(r"(?<==)[^=+#@]*/(?=[^/=+#]*\.(?i:py)\b)|(?<=@).*/(?=[^/]*$)")


class PlayerCountError(SimginError):
    """Error raised if the number of strategies is wrong for the variant."""


@dataclass(frozen=True)
class Matchup:
    """One or two strategies that play a variant, with a seed and the unit `deal` or `match`.

    Attributes:
        variant: Rules of the game.
        a: Strategy A.
        b: Strategy B, or None in solitaire variants.
        seed: Seed of the shuffles, 0 to 2**64 - 1.
        unit: Type of game, "deal" or "match".
    """

    variant: Variant
    a: Strategy
    b: Strategy | None
    seed: int
    unit: UnitType

    @property
    def players(self) -> tuple[Strategy, ...]:
        """Strategies of the matchup, with strategy A first."""
        return (self.a,) if self.b is None else (self.a, self.b)

    @property
    def opponent(self) -> str:
        """Name of strategy B, or "" in solitaire variants."""
        return "" if self.b is None else self.b.spec

    @property
    def goal_text(self) -> str:
        """Condition for winning the match, or "" if the game consists of one deal."""
        goal = self.variant.goal
        is_one_deal = self.unit == "deal" or goal.is_one_deal
        return "" if is_one_deal else goal.win_condition.format(**self.variant.params)

    @property
    def key(self) -> MatchupKey:
        """Key of the matchup, which contains only strings and numbers."""
        return MatchupKey(self.variant.spec, self.a.spec, self.opponent, self.seed, self.unit)

    @property
    def title(self) -> str:
        """Title that contains the names of the players, as in `gold v simple`."""
        return self.key.title

    @property
    def is_mirrored(self) -> bool:
        """True if each shuffle is played a second time with the seats swapped."""
        return self.key.is_mirrored

    @property
    def batch_size(self) -> int:
        """Number of units in each batch row."""
        return self.key.batch_size

    def make_replay_command(self, unit: int, half: int, deal: int) -> str:
        """Return the shell command that replays a deal of the matchup.

        For a live strategy, which exists only in the current process, the command is a Python call.

        Args:
            unit: Number of the unit.
            half: Mirrored game of the unit, 0 or 1.
            deal: Number of the deal in a match.
        """
        names = [player.spec for player in self.players]
        numbers = {"seed": self.seed, "unit": unit}
        if self.b is not None:
            numbers["half"] = half
        if self.unit == "match":
            numbers["deal"] = deal
        if any(policy.pickle_bytes for player in self.players for policy in player.policies):
            keyword_arguments = ", ".join(f"{name}={number}" for name, number in numbers.items())
            name_list = ", ".join(map(repr, names))
            return f"simgin.show({name_list}, variant={self.variant.spec!r}, {keyword_arguments})"
        command_words = ["simgin", "show", *names, "-v", self.variant.spec]
        for name, number in numbers.items():
            command_words += [f"--{name}", str(number)]
        return shell.join_command(command_words)

    def count_units(self, n_games: int) -> int:
        """Return the number of units in a given number of deals or matches.

        A mirrored pair counts as one unit.
        """
        return self.key.count_units(n_games)


def parse_matchup(
    a: str, b: str | None, variant: str | Variant, seed: int, unit: UnitType
) -> Matchup:
    """Parse the specs of the strategies and of the variant of a matchup.

    Args:
        a: Spec of strategy A.
        b: Spec of strategy B. The default is `simple` in two-player variants.
        variant: Variant object, or variant spec.
        seed: Seed of the shuffles.
        unit: "deal" or "match".

    Raises:
        PlayerCountError: If two strategies are specified for a solitaire variant.
        VariantError: If the variant is not valid.
        StrategyError: If a strategy is not valid.
    """
    game = variants.find_variant(variant)
    if game.params["players"] == 2:
        strategy_a = loader.find_strategy(a)
        return Matchup(
            game, strategy_a, loader.find_strategy("simple" if b is None else b), seed, unit
        )
    if b is not None:
        raise PlayerCountError(
            f"{game.spec} is a solitaire game. Specify one strategy instead of {a} and {b}."
        )
    return Matchup(game, loader.find_strategy(a), None, seed, unit)


# Short names of strategies from files


def make_short_names(matchups: Iterable[Matchup]) -> dict[str, str]:
    """Return short display names for all strategies that were loaded from files.

    For example, `some/where/patient.py:k=7` becomes `patient-gold:k=7` if the file declares the
    name `patient-gold`. If two strategies would have the same name, the end of the file path that
    distinguishes them is added in parentheses. The file name is always added if a strategy from a
    file has the name of a built-in strategy.

    Returns:
        Dictionary that maps full strategy names to short names.
    """
    return make_short_strategy_names(
        strategy for matchup in matchups for strategy in matchup.players
    )


def make_short_strategy_names(strategy_list: Iterable[Strategy]) -> dict[str, str]:
    """Return the names that `make_short_names` returns, for a list of strategies."""
    strategies = {strategy.spec: strategy for strategy in strategy_list}
    names_by_spec = {spec: make_short_name(strategy) for spec, strategy in strategies.items()}
    names = {spec: name for spec, name in names_by_spec.items() if name != spec}
    for spec, name in names.items():
        namesakes = [
            other_spec
            for other_spec in names_by_spec
            if names_by_spec[other_spec] == name and other_spec != spec
        ]
        if namesakes or _has_built_in_name(strategies[spec]):
            names[spec] = f"{name} ({_find_distinguishing_path(spec, namesakes)})"
    return names


def _has_built_in_name(strategy: Strategy) -> bool:
    """Return True if a strategy from a file has the name of a built-in strategy."""
    file = parse_spec(strategy.spec).strategy.name.partition("#")[0]
    return has_suffix(file, ".py") and loader.is_built_in_name(strategy.name)


def _find_strategy_file(spec_text: str) -> PurePath:
    """Return the weights file of a strategy, or its source file if it has no weights file."""
    spec = parse_spec(spec_text)
    return PurePath(spec.file if spec.has_weights else spec.strategy.name.partition("#")[0])


def make_short_name(strategy: Strategy) -> str:
    """Return the declared name of a strategy, followed by its changed parameters and policies."""
    short_name = strategy.spec
    name = parse_spec(short_name).strategy.name
    if has_suffix(name.partition("#")[0], ".py"):
        short_name = strategy.name + short_name.removeprefix(name)
    return SPEC_FOLDER_PATTERN.sub("", short_name)


def _find_distinguishing_path(spec: str, same_name_specs: Iterable[str]) -> str:
    """Return the shortest path suffix that distinguishes a file from others of the same name."""
    path_parts = _find_strategy_file(spec).parts
    other_paths = [_find_strategy_file(namesake).parts for namesake in same_name_specs]
    for n_parts in range(1, len(path_parts) + 1):
        path_suffix = path_parts[-n_parts:]
        if path_suffix not in [path[-n_parts:] for path in other_paths]:
            return str(PurePath(*path_suffix))
    return spec


def make_short_player_names(matchup: Matchup) -> list[str]:
    """Return the short names of a matchup's players, with A first.

    In self-play, (A) and (B) follow the names.
    """
    names_by_spec = make_short_names([matchup])
    names = [names_by_spec.get(player.spec, player.spec) for player in matchup.players]
    if len(names) == 2 and names[0] == names[1]:
        return [f"{names[0]} (A)", f"{names[0]} (B)"]
    return names
