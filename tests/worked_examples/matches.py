"""Matches of worked examples: results of deals are entered one by one."""

from dataclasses import dataclass

from simgin.core import batch_columns
from simgin.text.messages import did_you_mean, format_value

NAMES = ("player", "joker")  # sides of a solitaire game; the joker is the other side
SIDES = {0: 0, 1: 1, "player": 0, "joker": 1, None: -1}
NOBODY = ("void", "even", "stalled", "limit")  # endings of deals without a winner


@dataclass(frozen=True)
class Entry:
    """The result of a deal: winning seat or -1, points of both seats, outcome and stake."""

    winner: int
    points: tuple[int, int]
    how: str = "knock"
    stake: int = 1


@dataclass(frozen=True)
class Standing:
    """State of a match after some deals: values by seat or column, and payments to seat 0."""

    points: list[int]
    deals_won: list[int]
    games: list[int]
    winner: int | None
    over: bool  # decided, not interrupted
    deals: int
    columns: list[list[int]] | None = None
    boxes: list[list[int]] | None = None
    closed_by: list[int | None] | None = None
    settlement: list[int | None] | None = None
    total: int | None = None

    def of(self, *names):
        return {name: getattr(self, name) for name in names}


def won(winner, points, how="knock", stake=1):
    """Return a deal won by a seat, or by neither side if `winner` is -1."""
    scored = (points if winner == 0 else 0, points if winner == 1 else 0)
    return Entry(winner, scored, how if winner >= 0 else "void", stake)


# Matches to points and won deals


def match_points(example, subject):
    target = example.whole("target", 1, 10**5)
    own_keys = ("events", "target")
    variant = example.rules(*own_keys, goal="points", points_target=target)
    standing = subject.follow(variant, _events(example))
    if not isinstance(example.expect.get("scores"), dict):
        return standing.of("winner", "deals") | {"scores": standing.points}
    winner = None if standing.winner is None else NAMES[standing.winner]
    scores = dict(zip(NAMES, standing.points, strict=True))
    return {"scores": scores, "winner": winner, "deals": standing.deals}


def race(example, subject):
    seat = example.whole("points_player", 0, 1)
    fixed = {"goal": "race", "race_points_seat": seat}
    variant = example.rules("events", "points_player", base="race", **fixed)
    standing = subject.follow(variant, _events(example))
    tallies = {"points": standing.points[seat], "deals_won": standing.deals_won[1 - seat]}
    return tallies | standing.of("winner", "deals")


def twofold(example, subject):
    variant = example.rules("events", base="twofold", goal="twofold")
    standing = subject.follow(variant, _events(example))
    return standing.of("points", "deals_won", "winner", "deals")


def die_round(example, subject):
    goal = example.whole("goal", 1, 1000)
    variant = example.rules("deals", "goal", base="dice", goal="deals", deals_target=goal)
    deals = _pairs(example, "deals", 1, variant.params["die_cap"])
    standing = subject.follow(variant, [won(winner, 0, stake=stake) for winner, stake in deals])
    return standing.of("winner", "deals") | {"won_deals": standing.deals_won}


def total_match(example, subject):
    goal = example.whole("goal", -1000, 10**5)
    fixed = {"goal": "total", "total_goal": goal}
    variant = example.rules("deal_scores", "goal", base="solitary-gin", **fixed)
    told = example.given["deal_scores"]
    scores = [example.number("input.deal_scores", score, -1000, 1000) for score in told]
    standing = subject.follow(variant, [Entry(-1, (score, 0), "limit") for score in scores])
    return {"total": standing.points[0], "won": standing.winner == 0 if standing.over else None}


def hollywood(example, subject):
    """Play a match in columns: points, entries, who closed each, and the payment to seat 0."""
    variant = example.rules("wins", base="hollywood", goal="columns")
    wins = _pairs(example, "wins", 0, 10**6)
    standing = subject.follow(variant, [won(*pair) for pair in wins])
    told = ("columns", "boxes", "closed_by", "settlement", "total", "winner", "deals")
    return standing.of(*told)


# Games of a round


def pro_games(example, subject):
    variant = example.rules("loser_score", base="pro", goal="games")
    game = _game(variant, 0, _loser(example, variant))
    return {"games": subject.follow(variant, game).games[0]}


def dice_pro(example, subject):
    own_keys = ("stake", "loser_score", "refused")
    fixed = {"goal": "games", "die": "game", "die_refusal_pays": "old"}
    variant = example.rules(*own_keys, base="dice-pro", **fixed)
    stake = example.whole("stake", 1, variant.params["die_cap"])
    loser = _loser(example, variant)
    how = "refused" if example.word("refused", False, True) else "knock"
    game = _game(variant, 0, loser, how, stake)
    return {"games": subject.follow(variant, game).games[0]}


def pro_round(example, subject):
    """Play a round of games, each given by its winner and the loser's points."""
    goal = example.whole("goal", 1, 1000)
    variant = example.rules("games", "goal", base="pro", goal="games", games_target=goal)
    games = _pairs(example, "games", 0, variant.params["points_target"] - 1)
    if any(winner < 0 for winner, _ in games):
        raise example.error("input.games: every game has a winner, 0 or 1.")
    entries = [entry for winner, loser in games for entry in _game(variant, winner, loser)]
    standing = subject.follow(variant, entries)
    return standing.of("games", "winner") | {"played": standing.deals // 2}


def _game(variant, winner, loser, how="knock", stake=1):
    """Return a game of two deals: the loser's points, then those that the winner needs."""
    needed = 0 if how == "refused" else variant.params["points_target"]
    return [won(1 - winner, loser, stake=stake), won(winner, needed, how, stake)]


def _loser(example, variant):
    return example.whole("loser_score", 0, variant.params["points_target"] - 1)


# Reading


def _events(example):
    """Return the deals of a match, given by winner, points and ending."""
    return [_event(example, **event) for event in example.given["events"]]


def _event(example, winner=None, points=None, how=None):
    nobody = winner is None
    points = example.number("input.events: points", 0 if nobody and points is None else points)
    how = how or ("void" if nobody else "knock")
    if how not in batch_columns.DEAL_RESULTS:
        near = did_you_mean(str(how), batch_columns.DEAL_RESULTS)
        raise example.error(f"input.events: there is no ending {format_value(str(how))}{near}")
    if points if nobody else how in NOBODY:
        raise example.error("input.events: a deal without a winner has no points, others have one.")
    return won(SIDES[winner], points, how)


def _pairs(example, key, low, high):
    """Return a list of winners, 0, 1 or null (-1), each with a number, which is 0 for null."""
    return [_pair(example, f"input.{key}", *pair, low, high) for pair in example.given[key]]


def _pair(example, key, winner, number, low, high):
    if winner is None:
        return -1, example.number(f"{key}: the number without a winner", number, 0, 0)
    seat = example.number(f"{key}: a winner", winner, 0, 1)
    return seat, example.number(f"{key}: the number beside a winner", number, low, high)
