"""Matches of worked examples: results of deals, entered one by one in the engine's match."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from simgin.checks.examples import schema
from simgin.checks.examples.cards import Answer
from simgin.checks.examples.schema import Example
from simgin.core import match, sums
from simgin.core.state import new_state
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import did_you_mean, shown

NAMES = ("player", "joker")  # of the two sides of a game for one; the joker is the other one
SIDES = {0: 0, 1: 1, "player": 0, "joker": 1, None: -1}
NOBODY = ("void", "even", "stalled", "limit")  # how deals without a winner end


@dataclass(frozen=True)
class Entry:
    """The result of a deal: winning seat or -1, points of the seats, outcome and stake."""

    winner: int
    points: tuple[int, int]
    how: str = "knock"
    stake: int = 1


@dataclass(frozen=True)
class Standing:
    """The engine's record of a match after some deals; outcome as in simgin.core.match."""

    state: Any
    rules: Any
    outcome: int
    deals: int

    @property
    def winner(self) -> int | None:
        """The seat that has won, if one has."""
        return self.outcome if self.outcome >= 0 else None


def follow(variant: Variant, entries: Iterable[Entry]) -> Standing:
    """Enter deals in a match until it is decided; those that come after that are not played."""
    own_rules, state = build_rules(variant), new_state(0)
    match.start_match(state, own_rules)
    outcome, deals = match.UNDECIDED, 0
    for entry in entries:
        if outcome != match.UNDECIDED:
            break
        state.winner, state.score[:], state.kind = (
            entry.winner,
            entry.points,
            sums.KINDS.index(entry.how),
        )
        state.stake = state.pays = entry.stake
        deals += 1
        outcome = int(match.enter(state, own_rules, deals))
    return Standing(state, own_rules, outcome, deals)


def won(winner: int, points: int, how: str = "knock", stake: int = 1) -> Entry:
    """A deal won by a seat; by nobody if that is -1."""
    return Entry(
        winner,
        (points if winner == 0 else 0, points if winner == 1 else 0),
        how if winner >= 0 else "void",
        stake,
    )


# Matches to points and won deals


def match_points(example: Example) -> Answer:
    """A match to so many points."""
    target = schema.number(example, "input.target", schema.need(example, "target"), 1, 10**5)
    standing = follow(
        schema.variant(example, "events", "target", goal="points", points_target=target),
        _events(example),
    )
    named = isinstance(example.expect.get("scores"), dict)
    scores = _two(standing.state.points)
    winner = standing.winner
    return {
        "scores": dict(zip(NAMES, scores, strict=True)) if named else scores,
        "winner": NAMES[winner] if named and winner is not None else winner,
        "deals": standing.deals,
    }


def race(example: Example) -> Answer:
    """Points for one seat against won deals for the other."""
    seat = schema.number(
        example, "input.points_player", schema.need(example, "points_player"), 0, 1
    )
    variant = schema.variant(
        example, "events", "points_player", base="race", goal="race", race_points_seat=seat
    )
    standing = follow(variant, _events(example))
    points = standing.state.points[seat]
    deals = standing.state.deals_won[1 - seat]
    return {
        "points": int(points),
        "deals_won": int(deals),
        "winner": standing.winner,
        "deals": standing.deals,
    }


def twofold(example: Example) -> Answer:
    """Points and won deals for both."""
    standing = follow(
        schema.variant(example, "events", base="twofold", goal="twofold"), _events(example)
    )
    points = _two(standing.state.points)
    deals = _two(standing.state.deals_won)
    return {
        "points": points,
        "deals_won": deals,
        "winner": standing.winner,
        "deals": standing.deals,
    }


def die_round(example: Example) -> Answer:
    """Won deals, each at the stake that the die showed."""
    goal = schema.number(example, "input.goal", schema.need(example, "goal"), 1, 1000)
    variant = schema.variant(example, "deals", "goal", base="dice", goal="deals", deals_target=goal)
    deals = _pairs(example, "deals", 1, _whole(variant, "die_cap"))
    standing = follow(variant, [won(winner, 0, stake=stake) for winner, stake in deals])
    return {
        "won_deals": _two(standing.state.deals_won),
        "winner": standing.winner,
        "deals": standing.deals,
    }


def total_match(example: Example) -> Answer:
    """The scores of a single player, added up."""
    goal = schema.number(example, "input.goal", schema.need(example, "goal"), -1000, 10**5)
    variant = schema.variant(
        example, "deal_scores", "goal", base="solitary-gin", goal="total", total_goal=goal
    )
    scores = schema.need(example, "deal_scores")
    if not isinstance(scores, list):
        raise example.error(
            f"input.deal_scores must be a list of numbers, not {shown(str(scores))}."
        )
    entries = [
        Entry(-1, (schema.number(example, "input.deal_scores", score, -1000, 1000), 0), "limit")
        for score in scores
    ]
    standing = follow(variant, entries)
    over = standing.outcome not in (match.UNDECIDED, match.UNFINISHED)
    return {"total": int(standing.state.points[0]), "won": standing.outcome == 0 if over else None}


# Games of a round


def pro_games(example: Example) -> Answer:
    """Games won by the loser's points."""
    variant = schema.variant(example, "loser_score", base="pro", goal="games")
    loser = _loser(example, variant, "input.loser_score", schema.need(example, "loser_score"))
    return {"games": int(follow(variant, _game(variant, 0, loser)).state.games[0])}


def dice_pro(example: Example) -> Answer:
    """Games won by stake and loser's points, or by a refusal."""
    variant = schema.variant(
        example,
        "stake",
        "loser_score",
        "refused",
        base="dice-pro",
        goal="games",
        die="game",
        die_refusal_pays="old",
    )
    stake = schema.number(
        example, "input.stake", schema.need(example, "stake"), 1, _whole(variant, "die_cap")
    )
    loser = _loser(example, variant, "input.loser_score", schema.need(example, "loser_score"))
    refused = schema.need(example, "refused")
    if not isinstance(refused, bool):
        raise example.error(f"input.refused must be true or false, not {shown(str(refused))}.")
    return {
        "games": int(
            follow(
                variant, _game(variant, 0, loser, "refused" if refused else "knock", stake)
            ).state.games[0]
        )
    }


def pro_round(example: Example) -> Answer:
    """A round of games, each told by its winner and the loser's points."""
    goal = schema.number(example, "input.goal", schema.need(example, "goal"), 1, 1000)
    variant = schema.variant(example, "games", "goal", base="pro", goal="games", games_target=goal)
    games = _pairs(example, "games", 0, _whole(variant, "points_target") - 1)
    if any(winner < 0 for winner, _ in games):
        raise example.error("input.games: every game has a winner, 0 or 1.")
    standing = follow(
        variant, [entry for winner, loser in games for entry in _game(variant, winner, loser)]
    )
    return {
        "games": _two(standing.state.games),
        "winner": standing.winner,
        "played": standing.deals // 2,
    }


def _game(
    variant: Variant, winner: int, loser: int, how: str = "knock", stake: int = 1
) -> list[Entry]:
    """A game of two deals: the loser's points, then what the winner needs (0 after a refusal)."""
    needed = 0 if how == "refused" else _whole(variant, "points_target")
    return [won(1 - winner, loser, stake=stake), won(winner, needed, how, stake)]


def _loser(example: Example, variant: Variant, key: str, value: Any) -> int:
    """Points that lose a game."""
    return schema.number(example, key, value, 0, _whole(variant, "points_target") - 1)


# Columns


def hollywood(example: Example) -> Answer:
    """A match in columns: points, entries, who closed each, and what seat 0 receives."""
    variant = schema.variant(example, "wins", base="hollywood", goal="columns")
    wins = _pairs(example, "wins", 0, 10**6)
    standing = follow(variant, [won(*pair) for pair in wins])
    state = standing.state
    own_rules = standing.rules
    columns = range(_whole(variant, "columns"))
    closed = [int(state.column_winner[c]) for c in columns]
    total = None
    if min(closed) >= 0:
        total = int(match.settlement(state, own_rules, standing.outcome))
    return {
        "columns": [_two(state.column_points[:, c]) for c in columns],
        "boxes": [_two(state.column_wins[:, c]) for c in columns],
        "closed_by": [seat if seat >= 0 else None for seat in closed],
        "settlement": [
            int(match.column_settlement(state, own_rules, c)) if closed[c] >= 0 else None
            for c in columns
        ],
        "total": total,
        "winner": standing.winner,
        "deals": standing.deals,
    }


# Reading


def _whole(variant: Variant, name: str) -> int:
    """A number of a variant's row."""
    return int(variant.row[name])  # type: ignore[arg-type]


def _two(values: Any) -> list[int]:
    return [int(value) for value in values]


def _events(example: Example) -> list[Entry]:
    """The deals of a match, told by winner, points and how they ended."""
    events = schema.need(example, "events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise example.error("input.events must be a list of objects with winner, points and how.")
    return [_event(example, event) for event in events]


def _event(example: Example, event: dict[str, Any]) -> Entry:
    winner = event.get("winner")
    if (
        isinstance(winner, bool | float | list | dict)
        or winner not in SIDES
        or event.keys() - {"winner", "points", "how"}
    ):
        raise example.error(
            f"input.events: {shown(str(event))} is no event; it has winner (0, 1, player, joker or "
            "null), points and how."
        )
    points = schema.number(
        example,
        "input.events: points",
        event.get("points", 0 if winner is None else None),
        0,
        10**6,
    )
    if points and winner is None:
        raise example.error("input.events: a deal without a winner has no points.")
    how = event.get("how", "void" if winner is None else "knock")
    if how not in sums.KINDS:
        raise example.error(
            f"input.events: there is no ending {shown(str(how))}"
            f"{did_you_mean(str(how), sums.KINDS)}"
        )
    if how in NOBODY and winner is not None:
        raise example.error(f"input.events: a deal that ends as {how} has no winner.")
    return won(SIDES[winner], points, how)


def _pairs(example: Example, key: str, low: int, high: int) -> list[tuple[int, int]]:
    """A list of winners, 0, 1 or null (-1), each with a number; nobody has 0."""
    pairs = schema.need(example, key)
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 for pair in pairs
    ):
        raise example.error(
            f"input.{key} must be a list of pairs, a winner (0, 1 or null) and a number each."
        )
    return [_pair(example, key, winner, number, low, high) for winner, number in pairs]


def _pair(
    example: Example, key: str, winner: Any, number: Any, low: int, high: int
) -> tuple[int, int]:
    if winner is None:
        return -1, schema.number(
            example, f"input.{key}: the number of a deal without a winner", number, 0, 0
        )
    seat = schema.number(example, f"input.{key}: a winner", winner, 0, 1)
    return seat, schema.number(
        example, f"input.{key}: the number beside a winner", number, low, high
    )
