"""Recorded deals, read from the JSON output of `simgin show --json` or from logs of other engines.

A file may contain a complete deal or only the beginning of one, from a single deal, a match or a
solitaire game. The engine replays the deal from its pack and its actions without calling a policy,
so the strategies are not needed. It rejects actions that do not follow from the cards and earlier
decisions. Logs of other engines are read by simgin.analysis.foreign_logs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simgin.analysis.game_logs import read_log, replayed
from simgin.analysis.position import PositionError
from simgin.core.cards import PACK
from simgin.core.state import MAX_QUESTIONS
from simgin.play import replay, replay_rows
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.watch import WatchedDeal, cut_short, watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.strategy.cast import strong_player
from simgin.text.files import parse_json, read_text
from simgin.text.messages import quoted, shown
from simgin.text.notation import cards_in, parse_cards

Row = Mapping[str, Any]
MOST = 1 << 24
BOUNDS = replay.BOUNDS | {"dealer": 2, "joker": 53, "answer": 64}
MOST_POINTS = 1_000_000
# Fields of a decision that must follow from earlier decisions
SHOWN = ("turn", "seat", "slot", "hand", "offered", "taken", "drawn", "stake", "owner", "answer")


@dataclass(frozen=True)
class Told:
    """Recorded deal of a file.

    Attributes:
        path: Path of the file.
        deal: The deal, with side A at seat 0.
        names: Names of the players by seat.
        seat_of_a: Seat of side A in the file.
        engine: Engine that logged the deal, if it was not simgin.
    """

    path: str
    deal: WatchedDeal
    names: tuple[str, ...]
    first: int = 0
    engine: str = ""


def read_file(path: str | Path) -> Told:
    """Read the deal of a file; it is truncated if the file ends before the deal.

    Raises:
        PositionError: If the file does not contain a deal.
        OSError: If the file cannot be opened.
    """
    text = read_text(Path(path), MOST, errors="replace")
    try:
        log = read_log(text)
        if log is not None:
            deal = replayed(log)
            best = strong_player(deal.matchup.variant)  # the real players are unknown
            matchup = parse_matchup(best, best, log.variant, 1, "deal")
            return Told(str(path), replace(deal, matchup=matchup), log.names, engine=log.engine)
        answer = parse_json(text)
        first = answer["rows"][0]
        names = tuple(map(_name, first["strategies"]))
        return Told(str(path), _played(answer), names, _number(first, "half"))
    except (KeyError, TypeError, AttributeError, IndexError):
        reason = "something is missing that `simgin show ... --json` prints"
    except json.JSONDecodeError:
        reason = (
            "it is neither what `simgin show ... --json > deal.json` prints nor a log of "
            "OpenSpiel's, Kaggle's or RLCard's gin rummy"
        )
    except ValueError as error:
        reason = str(error).rstrip(".")
    raise _error(path, reason)


def _name(name: str) -> str:
    """Remove the suffix that distinguishes a strategy from itself."""
    return str(name).removesuffix(" (A)").removesuffix(" (B)")


def _error(path: str | Path, reason: str) -> PositionError:
    return PositionError(f"{quoted(str(path))} cannot be read as a deal: {reason}.")


def _played(answer: Row) -> WatchedDeal:
    """Replay the deal."""
    first, *rows = answer["rows"]
    decisions = [row for row in rows if row["event"] == "decision"]
    variant = variants.find(first["variant"])
    if variant.row["die"] == "game" and decisions and decisions[0]["stake"] != 1:
        raise PositionError(
            "it tells of a die that was turned in an earlier deal: name the deal by --seed, --unit "
            "and --deal instead"
        )
    pack = parse_cards(first["pack"])
    script = _script(decisions)
    played = watch_deal(
        _matchup(answer, first, variant),
        _number(first, "unit"),
        pack=[*pack, *(card for card in cards_in(PACK) if card not in pack)],
        joker=-1 if first["joker"] is None else _number(first, "joker"),
        dealer=0 if first["dealer"] is None else _number(first, "dealer"),
        points=_pair(first["points"]),
        script=script,
    )
    _check(played, decisions)
    if played.fault or played.state.logged > len(script):
        drawn = played.state.log[len(script)].drawn
        played = cut_short(played, len(script), bool(drawn < 0 or drawn in pack))
    if first["in_match"]:
        _enter_standing(played, first)
        return replace(played, matchup=replace(played.matchup, unit="match"))
    return played


def _matchup(answer: Row, first: Row, variant: Variant) -> Matchup:
    """Return the strategies by seat, with the strongest one in place of unavailable ones."""
    players = int(str(variant.row["players"]))
    names = [_name(name) for name in first["strategies"]]
    if len(names) != players or (first["dealer"] is None) != (players == 1):
        raise PositionError(f"{variant.text} is for {players}, and its players are others")
    stand_in = strong_player(variant)
    a, b = (*(_known(name, stand_in) for name in names), None)[:2]
    return parse_matchup(str(a), b, variant.text, _number(answer, "seed"), "deal")


def _known(name: str, stand_in: str) -> str:
    """Return the name of a strategy if it can be loaded safely, otherwise that of the substitute.

    A file may come from an untrusted source, so no Python file that it names is executed.
    """
    if ".py" in name.lower():
        return stand_in
    try:
        return loader.find(name).text
    except (ValueError, OSError):
        return stand_in


def _script(decisions: Sequence[Row]) -> list[int]:
    """Return the actions up to the first missing one."""
    script: list[int] = []
    for row in decisions:
        if row["answer"] is None:
            break
        if row["slot"] == "discard":
            script += parse_cards(row["answer"])
        else:
            script.append(_number(row, "answer"))
    if len(script) > MAX_QUESTIONS:
        raise PositionError("it has more decisions than any deal")
    return script


def _number(row: Row, name: str) -> int:
    """Return an integer of a row; it must be from 0 to below its bound."""
    number = row[name]
    if not isinstance(number, int) or not 0 <= number < BOUNDS[name]:
        raise PositionError(f"{name} is a number from 0 to {BOUNDS[name] - 1}")
    return int(number)


def _pair(numbers: Sequence[Any]) -> tuple[int, int]:
    """Return the integers of both seats."""
    own, other = numbers
    if not all(isinstance(number, int) and abs(number) < MOST_POINTS for number in numbers):
        raise PositionError(f"{shown(own)} and {shown(other)} are no scores")
    return own, other


def _check(played: WatchedDeal, decisions: Sequence[Row]) -> None:
    """Raise PositionError if a decision does not follow from earlier ones."""
    asked = replay_rows.rows(replay.make_replay(played))[1:-1]
    for number, told in enumerate(decisions):
        row = asked[number] if number < len(asked) else {}
        wrong = [name for name in SHOWN if name not in row or row[name] != told[name]]
        if told["answer"] is None and wrong == ["answer"]:
            return  # the last recorded decision
        if wrong:
            raise PositionError(
                f"decision {number + 1}, turn {told['turn']}, {told['slot']}, does not follow from "
                f"the cards and decisions before it ({wrong[0]})"
            )


def _enter_standing(played: WatchedDeal, first: Row) -> None:
    """Write the state of the match to the views of the deal, which was replayed on its own."""
    deal = _number(first, "deal")
    target = int(build_rules(played.matchup.variant).points_target)
    columns = [
        [_pair((points, 0))[0] for points in first["columns"][seat]]
        for seat in range(2 if first["columns"] else 0)
    ]
    for view in played.state.log[: played.state.logged + 1]:
        seat = int(view["seat"])
        view["deal"] = deal
        for told, name in (("points", "points"), ("won_deals", "deals"), ("games", "games")):
            both = _pair(first[told])
            view[f"own_{name}"], view[f"other_{name}"] = both[seat], both[1 - seat]
        for whose, points in zip(("own", "other"), (columns[seat:] + columns[:seat]), strict=False):
            view[f"{whose}_columns"][: len(points)] = points
            view[f"{whose}_opened"] = max(
                (place for place, score in enumerate(points, 1) if score), default=0
            )
        for place, scores in enumerate(zip(*columns, strict=True)):
            view["closed"] |= (max(scores) >= target) << place
