"""A matchup: two strategies, or one, ready to play a variant with a seed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from simgin.core.cell import Cell, Unit
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.strategy import Strategy, loader
from simgin.strategy.text_form import parse
from simgin.text import shell
from simgin.text.files import has_ending

# Of the file of a policy or of weights, as in +knock=a/b.py and champion@a/b.npy
FOLDERS = re.compile(r"(?<==)[^=+#@]*/(?=[^/=+#]*\.(?i:py)\b)|(?<=@).*/(?=[^/]*$)")


class SeatError(ValueError):
    """The number of strategies does not fit the number of players of a variant."""


@dataclass(frozen=True)
class Matchup:
    """Who plays whom, under which rules, and with which packs. One-player variants have no B."""

    variant: Variant
    a: Strategy
    b: Strategy | None
    seed: int  # 0..2^64 - 1
    unit: Unit

    @property
    def players(self) -> tuple[Strategy, ...]:
        """The strategies, A first."""
        return (self.a,) if self.b is None else (self.a, self.b)

    @property
    def opponent(self) -> str:
        """The text of B; empty if there is one player."""
        return "" if self.b is None else self.b.text

    @property
    def cell(self) -> Cell:
        """The matchup in texts."""
        return Cell(self.variant.text, self.a.text, self.opponent, self.seed, self.unit)

    @property
    def title(self) -> str:
        """The players, as in `gold v simple`."""
        return self.cell.title

    @property
    def mirrored(self) -> bool:
        """Whether every pack is played twice with the seats exchanged, so that a unit is a pair."""
        return self.cell.mirrored

    @property
    def batch(self) -> int:
        """Units per batch row."""
        return self.cell.batch

    def replay(self, unit: int, half: int, deal: int) -> str:
        """The command that replays one of its deals; `deal` counts in a match.

        Strategies that were taken live are known in their own process alone: a call of Python.
        """
        names = [player.text for player in self.players]
        numbers = {"seed": self.seed, "unit": unit}
        if self.b is not None:
            numbers["half"] = half
        if self.unit == "match":
            numbers["deal"] = deal
        if any(policy.live for player in self.players for policy in player.policies):
            where = ", ".join(f"{name}={number}" for name, number in numbers.items())
            listed = ", ".join(map(repr, names))
            return f"simgin.show({listed}, variant={self.variant.text!r}, {where})"
        words = ["simgin", "show", *names, "-v", self.variant.text]
        for name, number in numbers.items():
            words += [f"--{name}", str(number)]
        return shell.join(words)

    def units(self, n: int) -> int:
        """Units that hold n deals or matches: half as many if mirrored, rounded up."""
        return self.cell.units(n)


def parse_matchup(a: str, b: str | None, variant: str | Variant, seed: int, unit: Unit) -> Matchup:
    """The matchup that text forms name. With two players, B is `simple` by default.

    Raises SeatError if a one-player variant is given two strategies, and what the loaders of
    variants and strategies raise.
    """
    parsed = variants.find(variant)
    if parsed.row["players"] == 2:
        first = loader.find(a)
        return Matchup(parsed, first, loader.find("simple" if b is None else b), seed, unit)
    if b is not None:
        raise SeatError(f"{parsed.text} is for one player: name one strategy, not {a} and {b}.")
    return Matchup(parsed, loader.find(a), None, seed, unit)


# What strategies from files are called where space is short: by their own names, not by paths


def own_names(matchups: Iterable[Matchup]) -> dict[str, str]:
    """The short name of every strategy in these matchups that a file declares, by its text.

    `some/where/patient.py:k=7` is `patient-gold:k=7` if the file calls it so. Where two would have
    one name, the file follows in brackets, with as much of its path as tells them apart.
    """
    players = [strategy for matchup in matchups for strategy in matchup.players]
    shown = {strategy.text: _own_name(strategy) for strategy in players}
    names = {text: name for text, name in shown.items() if name != text}
    for text, name in names.items():
        namesakes = [other for other in shown if shown[other] == name and other != text]
        if namesakes:
            names[text] = f"{name} ({_shortest_path(text, namesakes)})"
    return names


def _path(text: str) -> PurePath:
    """The file that tells a strategy apart: of its weights, or that declares it."""
    form = parse(text)
    return PurePath(form.file if form.has_weights else form.strategy.name.partition("#")[0])


def _own_name(strategy: Strategy) -> str:
    """The own name with the values and policies that follow the file in the text."""
    text = strategy.text
    name = parse(text).strategy.name
    if has_ending(name.partition("#")[0], ".py"):
        text = strategy.name + text.removeprefix(name)
    return FOLDERS.sub("", text)


def _shortest_path(text: str, namesakes: Iterable[str]) -> str:
    """The last parts of a file's path, as many as no namesake's file ends in."""
    own = _path(text).parts
    paths = [_path(namesake).parts for namesake in namesakes]
    for length in range(1, len(own)):
        end = own[-length:]
        if end not in [path[-length:] for path in paths]:
            return "/".join(end)
    return text


def side_names(matchup: Matchup) -> list[str]:
    """The players of one matchup in short, A first; one who plays itself is told apart."""
    short = own_names([matchup])
    names = [short.get(player.text, player.text) for player in matchup.players]
    if len(names) == 2 and names[0] == names[1]:
        return [f"{names[0]} (A)", f"{names[0]} (B)"]
    return names
