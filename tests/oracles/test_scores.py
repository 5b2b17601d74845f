"""Compare points and match scores with the reference implementation, without cards.

Played deals rarely reach a target exactly, or end in a shot against an empty hand.
"""

import itertools
import random

import pytest

from oracles import reference
from simgin.core import match, scoring
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.codes import ENDING_BIG_GIN, ENDING_KNOCK, ENDING_SHOT
from simgin.core.state import create_state
from simgin.rules.build import build_rules_from_params
from support.worked_examples import VARIANT_PARAMS

RULE_FLAGS = ("layoff_on_gin", "shot_deducts", "rush_premium", "rush_on_gin")
WINNER_CODES = {"knocker": 1, "defender": -1, None: 0}
ENDINGS = [
    *(("knock", ENDING_KNOCK, own) for own in range(1, 5)),
    *(("shot", ENDING_SHOT, own) for own in range(4)),
    ("gin", ENDING_KNOCK, 0),
    ("big_gin", ENDING_BIG_GIN, 0),
]
GOAL_RULE_VALUES = {
    "single": {},
    "points": {"shutout": ("none", "double_points", "double_all", "flat_100"), "box_bonus": (0, 3)},
    "columns": {
        "columns": (1, 2, 3, 5),
        "column_entry": ("absolute", "next_open"),
        "shutout": ("none", "double_points", "double_all", "flat_100"),
        "box_bonus": (0, 1),
        "game_bonus": (0, 2),
    },
    "games": {
        "games_target": (1, 2, 5),
        "game_table": ([[2, 3], [9, 1]], [[0, 2], [3, 1], [9, 4]]),
    },
    "race": {"race_points_seat": (0, 1), "deals_target": (1, 3), "deal_count_gin": (1, 2)},
    "twofold": {"deals_target": (1, 3), "deal_count_undercut": (1, 2)},
    "deals": {"deals_target": (3, 6), "deal_count_gin": (1, 2), "deal_count_undercut": (1, 3)},
}


@pytest.mark.parametrize("undercut_on_tie", [False, True, "knocker"])
@pytest.mark.parametrize("flags", [*itertools.product((False, True), repeat=len(RULE_FLAGS))])
def test_showdown_points_agree_with_reference(flags, undercut_on_tie):
    params = {
        **VARIANT_PARAMS["standard"],
        **dict(zip(RULE_FLAGS, flags, strict=True)),
        "big_gin_bonus": 31,
    }
    params["undercut_on_tie"] = undercut_on_tie
    rules = build_rules_from_params(params)
    for (how, ending, own), other, stock, factor in itertools.product(
        ENDINGS, range(6), (0, 7), (1, 2)
    ):
        kind, won, lost, who = scoring.score_deal(ending, own, other, stock, factor, rules)
        expected = reference.score_deal(params, how, own, other, stock, factor)
        want = (
            expected.outcome,
            expected.knocker_points,
            expected.defender_points,
            WINNER_CODES[expected.winner],
        )
        assert (DEAL_RESULTS[kind], won, lost, who) == want, (how, own, other, stock, factor)


def make_random_result(params, rng):
    """Return a random result of a deal with few points."""
    kinds = ["knock", "gin", "undercut", "even", "void"] + ["refused"] * (params["die"] != "off")
    kind = rng.choice(kinds)
    if kind in ("even", "void"):
        return reference.DealResult(kind)
    winner = rng.randrange(2)
    points = [0, 0]
    points[winner] = 0 if kind == "refused" else rng.randrange(4)
    return reference.DealResult(kind, winner=winner, points=points, stake=rng.randint(1, 3))


def apply_result_to_engine(state, rules, result, n_deals):
    """Record a deal in the engine's match state, and return the outcome of the match."""
    state.kind = DEAL_RESULTS.index(result.outcome)
    state.winner = -1 if result.winner is None else result.winner
    state.score[:] = result.points
    state.stake = state.pays = result.stake
    return match.apply_deal_result(state, rules, n_deals)


@pytest.mark.parametrize("goal", GOAL_RULE_VALUES)
def test_match_scores_agree_with_reference(goal):
    rng = random.Random(20)
    exact = drawn = 0
    for _ in range(15):
        params = {**VARIANT_PARAMS["standard"], "goal": goal, "max_deals": 30}
        params["points_target"] = rng.randint(2, 5)
        params |= {name: rng.choice(values) for name, values in GOAL_RULE_VALUES[goal].items()}
        params["die"] = rng.choice(("off", "deal")) if goal in ("deals", "games") else "off"
        params["start_points"] = [rng.randrange(2), rng.randrange(2)]
        params["next_dealer"] = rng.choice(("winner", "loser", "alternate"))
        params["void_dealer"] = rng.choice(("same", "other"))
        rules = build_rules_from_params(params)  # takes longer than the matches
        for _ in range(40):
            outcome, is_exact = compare_match(params, rules, rng)
            exact += is_exact
            drawn += outcome == match.MATCH_DRAWN
    assert exact > 20 or goal not in ("points", "race", "twofold", "columns")
    assert drawn or goal != "columns"


def compare_match(params, rules, rng):
    """Score a match with both engines; return the outcome and True if a score is the target."""
    state, reference_match, dealer = create_state(0), reference.Match(params, 0), 0
    match.start_match(state, rules)
    while not reference_match.is_over:
        played = make_random_result(params, rng)
        outcome = apply_result_to_engine(state, rules, played, reference_match.n_deals + 1)
        reference_match.record_deal(played)
        dealer = match.choose_next_dealer(dealer, state.winner, rules)
        assert dealer == reference_match.dealer
        assert outcome == get_expected_outcome(reference_match)
    points = reference_match.points
    if params["goal"] == "columns":
        points = list(itertools.chain(*reference_match.goal.columns))
        closed = [-1 if side is None else side for side in reference_match.goal.closed_by]
        assert state.column_winner[: params["columns"]].tolist() == closed
        assert state.column_points[:, : params["columns"]].T.ravel().tolist() == points
    elif params["goal"] == "games":
        assert state.games.tolist() == reference_match.goal.games
    else:
        assert state.points.tolist() == points
    if match.has_settlement(rules, outcome) and reference_match.winner is not None:
        sign = 1 if reference_match.winner == 0 else -1
        assert match.compute_settlement(state, rules, outcome) == sign * reference_match.settlement
    return outcome, params["points_target"] in points


def get_expected_outcome(reference_match):
    if reference_match.goal.is_over:
        return match.MATCH_DRAWN if reference_match.winner is None else reference_match.winner
    return match.MATCH_UNFINISHED if reference_match.is_unfinished else match.MATCH_UNDECIDED
