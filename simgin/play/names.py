"""What strategies from files are called where space is short: by their own names, not by paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from simgin.play.matchup import Matchup
from simgin.strategy import Strategy
from simgin.strategy.text_form import parse

# Of the file of a policy or of weights, as in +knock=a/b.py and champion@a/b.npy
FOLDERS = re.compile(r"(?<==)[^=+#@]*/(?=[^/=+#]*\.py\b)|(?<=@).*/(?=[^/]*$)")


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
    return PurePath(form.weights or form.strategy.name.partition("#")[0])


def _own_name(strategy: Strategy) -> str:
    """The own name with the values and policies that follow the file in the text."""
    text = strategy.text
    name = parse(text).strategy.name
    if PurePath(name.partition("#")[0]).suffix == ".py":
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
