"""Reader for recorded deals from `simgin show --json` and from logs of other engines.

A file contains a complete deal or only its beginning. The deal can be a single deal, part of a
match, or a solitaire game. The engine replays the deal from the shuffle and the actions. The engine
does not call any policies, so the strategies are not needed. The engine rejects actions that
contradict the cards or earlier decisions. See simgin.analysis.foreign_logs for the logs of other
engines.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simgin.analysis.foreign_logs import parse_log, replay_log
from simgin.analysis.position import PositionError
from simgin.core.cards import ALL_CARDS
from simgin.core.state import MAX_DECISIONS
from simgin.play import replay, replay_json
from simgin.play.matchup import PERSON_NAME, Matchup, parse_matchup
from simgin.play.traced_deal import TracedDeal, trace_deal, truncate_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.cast import find_strong_player
from simgin.text.files import parse_json, read_text
from simgin.text.messages import format_value, quote_text
from simgin.text.notation import mask_to_cards, parse_cards

JsonRow = Mapping[str, Any]
MAX_FILE_BYTES = 1 << 24
# exclusive bounds of integer fields, which start at 0
FIELD_UPPER_BOUNDS = replay.DEAL_NUMBER_BOUNDS | {"dealer": 2, "joker": 53, "answer": 64}
MAX_ABS_SCORE = 1_000_000
# Fields of a decision that are determined by earlier decisions
COMPARED_ROW_FIELDS = "turn seat slot hand offered taken drawn stake owner answer".split()


@dataclass(frozen=True)
class RecordedDeal:
    """Deal that was read from a file.

    Attributes:
        path: Path of the file.
        deal: Recorded deal, with side A at seat 0.
        player_names: Names of the players by seat.
        seat_of_a: Seat of side A in the file.
        engine: Engine that logged the deal, or an empty string for simgin.
        replaced_names: Names of strategies in the file that are not available, or that are Python
            files.
    """

    path: str
    deal: TracedDeal
    player_names: tuple[str, ...]
    seat_of_a: int = 0
    engine: str = ""
    replaced_names: tuple[str, ...] = ()


def read_deal_file(path: str | Path) -> RecordedDeal:
    """Read a deal from a file, and mark an incomplete deal as truncated.

    Raises:
        PositionError: If the file cannot be read or does not contain a deal.
    """
    try:
        text = read_text(Path(path), MAX_FILE_BYTES, errors="replace")
    except OSError as error:
        raise PositionError(f"{path} cannot be read ({error.strerror}). Check the path.") from None
    return parse_deal_file(text, str(path))


def parse_deal_file(
    text: str,
    path: str,
    find_variant: Callable[[str], Variant] = variants.find_variant,
    find_strategy: Callable[[str], Strategy] = loader.find_strategy,
) -> RecordedDeal:
    """Parse the contents of a deal file.

    Args:
        text: Contents of the file.
        path: Path or name of the file, for error messages.
        find_variant: Function that converts the spec in the file to a variant.
        find_strategy: Function that converts a spec in the file to a strategy.

    Raises:
        PositionError: If the file does not contain a deal.
    """
    try:
        log = parse_log(text)
        if log is not None:
            deal = replay_log(log)
            # The players who played the deal are unknown.
            strongest_strategy = find_strong_player(deal.matchup.variant)
            matchup = parse_matchup(strongest_strategy, strongest_strategy, log.variant, 1, "deal")
            return RecordedDeal(path, replace(deal, matchup=matchup), log.names, engine=log.engine)
        content = parse_json(text)
        first_row = content["rows"][0]
        names = tuple(map(_strip_side_suffix, first_row["strategies"]))
        deal = _replay_deal(content, find_variant(first_row["variant"]), find_strategy)
        replaced_names = tuple(
            name
            for name in names
            if name != PERSON_NAME and _find_available_spec(name, find_strategy) is None
        )
        half = _read_integer(first_row, "half")
        return RecordedDeal(path, deal, names, half, replaced_names=replaced_names)
    except (KeyError, TypeError, AttributeError, IndexError):
        reason = "the file lacks fields that `simgin show --json` prints"
    except json.JSONDecodeError:
        reason = (
            "the file is neither the output of `simgin show --json` nor a Gin Rummy log of "
            "OpenSpiel, Kaggle or RLCard"
        )
    except ValueError as error:
        reason = str(error).rstrip(".")
    raise PositionError(f"{quote_text(path)} is not a valid deal file: {reason}.")


def _strip_side_suffix(name: str) -> str:
    """Remove the suffix ` (A)` or ` (B)` that distinguishes the strategies in self-play."""
    return str(name).removesuffix(" (A)").removesuffix(" (B)")


def _replay_deal(
    content: JsonRow, variant: Variant, find_strategy: Callable[[str], Strategy]
) -> TracedDeal:
    """Replay the deal that the rows of a deal file describe."""
    first_row, *rows = content["rows"]
    decisions = [row for row in rows if row["event"] == "decision"]
    if variant.params["die"] == "game" and decisions and decisions[0]["stake"] != 1:
        raise PositionError(
            "the value of the die was changed in an earlier deal, and the file does not contain "
            "that deal. Use --seed, --unit and --deal instead of the file"
        )
    pack = parse_cards(first_row["pack"])
    script = _read_actions(decisions)
    deal = trace_deal(
        _read_matchup(content, first_row, variant, find_strategy),
        _read_integer(first_row, "unit"),
        pack=[*pack, *(card for card in mask_to_cards(ALL_CARDS) if card not in pack)],
        joker=-1 if first_row["joker"] is None else _read_integer(first_row, "joker"),
        dealer=0 if first_row["dealer"] is None else _read_integer(first_row, "dealer"),
        points=_read_seat_scores(first_row["points"]),
        script=script,
    )
    _check_decisions(deal, decisions)
    if deal.error or deal.state.n_logged > len(script):
        drawn_card = deal.state.log[len(script)].drawn
        deal = truncate_deal(deal, len(script), bool(drawn_card < 0 or drawn_card in pack))
    if first_row["in_match"]:
        _restore_match_score(deal, first_row)
        return replace(deal, matchup=replace(deal.matchup, unit="match"))
    return deal


def _read_matchup(
    content: JsonRow, first_row: JsonRow, variant: Variant, find_strategy: Callable[[str], Strategy]
) -> Matchup:
    """Return the matchup in a deal file, replacing unavailable strategies with a strong one."""
    n_players = 1 if variant.is_solo else 2
    names = [_strip_side_suffix(name) for name in first_row["strategies"]]
    if len(names) != n_players or (first_row["dealer"] is None) != (n_players == 1):
        raise PositionError(
            f"the number of players does not match {variant.spec}, which requires {n_players}"
        )
    substitute = find_strong_player(variant)
    specs = [_find_available_spec(name, find_strategy) or substitute for name in names]
    a, b = (*specs, None)[:2]
    return parse_matchup(str(a), b, variant.spec, _read_integer(content, "seed"), "deal")


def _find_available_spec(name: str, find_strategy: Callable[[str], Strategy]) -> str | None:
    """Return the spec of a strategy if it is available and safe to load, otherwise None.

    simgin does not execute Python files named in a deal file, because a deal file can come from
    an untrusted source.
    """
    if ".py" in name.lower():
        return None
    try:
        return find_strategy(name).spec
    except (ValueError, OSError):
        return None


def _read_actions(decisions: Sequence[JsonRow]) -> list[int]:
    """Return the recorded actions before the first decision without an action."""
    actions: list[int] = []
    for row in decisions:
        if row["answer"] is None:
            break
        if row["slot"] == "discard":
            actions += parse_cards(row["answer"])
        else:
            actions.append(_read_integer(row, "answer"))
    if len(actions) > MAX_DECISIONS:
        raise PositionError("the file contains more decisions than a deal can have")
    return actions


def _read_integer(row: JsonRow, name: str) -> int:
    """Return an integer field of a row, or raise PositionError if it is out of range."""
    value = row[name]
    if not isinstance(value, int) or not 0 <= value < FIELD_UPPER_BOUNDS[name]:
        raise PositionError(f"{name} must be an integer from 0 to {FIELD_UPPER_BOUNDS[name] - 1}")
    return int(value)


def _read_seat_scores(scores: Sequence[Any]) -> tuple[int, int]:
    """Validate and return the scores of both seats."""
    score_0, score_1 = scores
    if not all(isinstance(number, int) and abs(number) < MAX_ABS_SCORE for number in scores):
        raise PositionError(
            f"{format_value(score_0)} and {format_value(score_1)} are not valid scores"
        )
    return score_0, score_1


def _check_decisions(replayed_deal: TracedDeal, recorded_decisions: Sequence[JsonRow]) -> None:
    """Raise PositionError if a recorded decision differs from the replayed deal."""
    expected_rows = replay_json.replay_to_json(replay.make_replay(replayed_deal))[1:-1]
    for index, decision in enumerate(recorded_decisions):
        expected_row = expected_rows[index] if index < len(expected_rows) else {}
        wrong_fields = [
            name
            for name in COMPARED_ROW_FIELDS
            if name not in expected_row or expected_row[name] != decision[name]
        ]
        if decision["answer"] is None and wrong_fields == ["answer"]:
            return  # The recorded decisions end here.
        if wrong_fields:
            raise PositionError(
                f"decision {index + 1} (turn {decision['turn']}, {decision['slot']}, field "
                f"{wrong_fields[0]}) is inconsistent with earlier cards and decisions"
            )


def _restore_match_score(replayed_deal: TracedDeal, first_row: JsonRow) -> None:
    """Write the recorded match score to all views of a replayed deal."""
    deal_number = _read_integer(first_row, "deal")
    target = int(build_rules(replayed_deal.matchup.variant).points_target)
    columns = [
        [_read_seat_scores((points, 0))[0] for points in first_row["columns"][seat]]
        for seat in range(2 if first_row["columns"] else 0)
    ]
    for view in replayed_deal.state.log[: replayed_deal.state.n_logged + 1]:
        seat = int(view["seat"])
        view["deal"] = deal_number
        for key, name in (("points", "points"), ("won_deals", "deals"), ("games", "games")):
            seat_scores = _read_seat_scores(first_row[key])
            view[f"own_{name}"], view[f"other_{name}"] = seat_scores[seat], seat_scores[1 - seat]
        for side, points in zip(("own", "other"), (columns[seat:] + columns[:seat]), strict=False):
            view[f"{side}_columns"][: len(points)] = points
            view[f"{side}_opened"] = max(
                (index for index, score in enumerate(points, 1) if score), default=0
            )
        for index, scores in enumerate(zip(*columns, strict=True)):
            view["closed"] |= (max(scores) >= target) << index
