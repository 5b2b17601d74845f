"""Solve worked examples about matches, from the results of their deals."""

from dataclasses import dataclass

from simgin.core import batch_columns
from simgin.text.messages import format_value, suggest_spelling

SOLO_SIDE_NAMES = ("player", "joker")  # the two sides of a solitaire game
SEAT_BY_NAME = {0: 0, 1: 1, "player": 0, "joker": 1, None: -1}
DRAWN_ENDINGS = ("void", "even", "stalled", "limit")  # endings of deals without a winner


@dataclass(frozen=True)
class DealEntry:
    """Result of a deal that is recorded in a match."""

    winner: int  # seat, or -1 if neither player won
    points: tuple[int, int]  # of both seats
    ending: str = "knock"
    stake: int = 1


@dataclass(frozen=True)
class MatchState:
    """State of a match after some deals. Settlements are payments to seat 0."""

    points: list[int]
    deals_won: list[int]
    games: list[int]
    winner: int | None
    is_over: bool  # decided, not interrupted
    deals: int
    columns: list[list[int]] | None = None
    boxes: list[list[int]] | None = None
    closed_by: list[int | None] | None = None
    settlement: list[int | None] | None = None
    total: int | None = None

    def select(self, *names):
        """Return the fields with these names as a dict."""
        return {name: getattr(self, name) for name in names}


def make_won_deal(winner, points, ending="knock", stake=1):
    """Return a deal won by a seat, or a dead hand if `winner` is -1."""
    scored = (points if winner == 0 else 0, points if winner == 1 else 0)
    return DealEntry(winner, scored, ending if winner >= 0 else "void", stake)


# Matches to points and won deals


def solve_match_points_example(example, implementation):
    """Return the winner and the scores of a match to a number of points."""
    target = example.read_int("target", 1, 10**5)
    own_keys = ("events", "target")
    variant = example.read_variant(*own_keys, goal="points", points_target=target)
    state = implementation.play_match(variant, _read_deals(example))
    if not isinstance(example.expect.get("scores"), dict):
        return state.select("winner", "deals") | {"scores": state.points}
    winner = None if state.winner is None else SOLO_SIDE_NAMES[state.winner]
    scores = dict(zip(SOLO_SIDE_NAMES, state.points, strict=True))
    return {"scores": scores, "winner": winner, "deals": state.deals}


def solve_race_example(example, implementation):
    """Return the winner and the scores of a race between points and won deals."""
    seat = example.read_int("points_player", 0, 1)
    fixed = {"goal": "race", "race_points_seat": seat}
    variant = example.read_variant("events", "points_player", base="race", **fixed)
    state = implementation.play_match(variant, _read_deals(example))
    tallies = {"points": state.points[seat], "deals_won": state.deals_won[1 - seat]}
    return tallies | state.select("winner", "deals")


def solve_twofold_example(example, implementation):
    """Return the winner and the scores of a match that needs points and won deals."""
    variant = example.read_variant("events", base="twofold", goal="twofold")
    state = implementation.play_match(variant, _read_deals(example))
    return state.select("points", "deals_won", "winner", "deals")


def solve_die_round_example(example, implementation):
    """Return the winner of a match to a number of won deals with given stakes."""
    goal = example.read_int("goal", 1, 1000)
    variant = example.read_variant("deals", "goal", base="dice", goal="deals", deals_target=goal)
    deals = _read_winners(example, "deals", 1, variant.params["die_cap"])
    state = implementation.play_match(
        variant, [make_won_deal(winner, 0, stake=stake) for winner, stake in deals]
    )
    return state.select("winner", "deals") | {"won_deals": state.deals_won}


def solve_total_match_example(example, implementation):
    """Return the total of a solitaire match with penalties, and whether it is won."""
    goal = example.read_int("goal", -1000, 10**5)
    fixed = {"goal": "total", "total_goal": goal}
    variant = example.read_variant("deal_scores", "goal", base="solitary-gin", **fixed)
    values = example.input["deal_scores"]
    scores = [example.check_int("input.deal_scores", value, -1000, 1000) for value in values]
    state = implementation.play_match(
        variant, [DealEntry(-1, (score, 0), "limit") for score in scores]
    )
    return {"total": state.points[0], "won": state.winner == 0 if state.is_over else None}


def solve_hollywood_example(example, implementation):
    """Return the columns and the settlement of a Hollywood match, given the deals won."""
    variant = example.read_variant("wins", base="hollywood", goal="columns")
    wins = _read_winners(example, "wins", 0, 10**6)
    state = implementation.play_match(variant, [make_won_deal(*pair) for pair in wins])
    names = ("columns", "boxes", "closed_by", "settlement", "total", "winner", "deals")
    return state.select(*names)


# Games of a round


def solve_pro_games_example(example, implementation):
    """Return the number of games that the winner of a game scores."""
    variant = example.read_variant("loser_score", base="pro", goal="games")
    game = _make_game(variant, 0, _read_loser_score(example, variant))
    return {"games": implementation.play_match(variant, game).games[0]}


def solve_dice_pro_example(example, implementation):
    """Return the number of games that the winner of a game with a die scores."""
    own_keys = ("stake", "loser_score", "refused")
    fixed = {"goal": "games", "die": "game", "die_refusal_pays": "old"}
    variant = example.read_variant(*own_keys, base="dice-pro", **fixed)
    stake = example.read_int("stake", 1, variant.params["die_cap"])
    loser = _read_loser_score(example, variant)
    ending = "refused" if example.read_choice("refused", False, True) else "knock"
    game = _make_game(variant, 0, loser, ending, stake)
    return {"games": implementation.play_match(variant, game).games[0]}


def solve_pro_round_example(example, implementation):
    """Return the winner of a round, given the winner and the loser's points of each game."""
    goal = example.read_int("goal", 1, 1000)
    variant = example.read_variant("games", "goal", base="pro", goal="games", games_target=goal)
    games = _read_winners(example, "games", 0, variant.params["points_target"] - 1)
    if any(winner < 0 for winner, _ in games):
        raise example.make_error("input.games: every game has a winner, 0 or 1.")
    entries = [entry for winner, loser in games for entry in _make_game(variant, winner, loser)]
    state = implementation.play_match(variant, entries)
    return state.select("games", "winner") | {"played": state.deals // 2}


def _make_game(variant, winner, loser_points, ending="knock", stake=1):
    """Return the deals of a game: one in which the loser scores, and one that ends the game."""
    needed = 0 if ending == "refused" else variant.params["points_target"]
    return [
        make_won_deal(1 - winner, loser_points, stake=stake),
        make_won_deal(winner, needed, ending, stake),
    ]


def _read_loser_score(example, variant):
    """Return the points of the loser, which are below the target."""
    return example.read_int("loser_score", 0, variant.params["points_target"] - 1)


# Reading


def _read_deals(example):
    """Return the deals of the example, each with winner, points and ending."""
    return [_read_deal(example, **event) for event in example.input["events"]]


def _read_deal(example, winner=None, points=None, how=None):
    """Return one deal of the example. Raise ExampleError if it is invalid."""
    is_drawn = winner is None
    points = example.check_int("input.events: points", 0 if is_drawn and points is None else points)
    ending = how or ("void" if is_drawn else "knock")
    if ending not in batch_columns.DEAL_RESULTS:
        near = suggest_spelling(str(ending), batch_columns.DEAL_RESULTS)
        raise example.make_error(
            f"input.events: there is no ending {format_value(str(ending))}{near}"
        )
    if points if is_drawn else ending in DRAWN_ENDINGS:
        raise example.make_error(
            "input.events: a deal without a winner has no points, others have one."
        )
    return make_won_deal(SEAT_BY_NAME[winner], points, ending)


def _read_winners(example, key, low, high):
    """Return (winner, number) pairs. The winner is -1 if there is none."""
    return [_read_winner(example, f"input.{key}", *pair, low, high) for pair in example.input[key]]


def _read_winner(example, key, winner, number, low, high):
    """Return a (winner, number) pair. Raise ExampleError if it is invalid."""
    if winner is None:
        return -1, example.check_int(f"{key}: the number without a winner", number, 0, 0)
    seat = example.check_int(f"{key}: a winner", winner, 0, 1)
    return seat, example.check_int(f"{key}: the number beside a winner", number, low, high)
