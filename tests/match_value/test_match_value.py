"""Compare match values with formulas, a plain recursion, enumerated results and played matches."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.match import MATCH_UNDECIDED
from simgin.match_value import boards, match_value, outcomes
from simgin.match_value.outcomes import N_JACKKNIFE_GROUPS, Outcomes, compute_jackknife_se
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import parse_matchup
from simgin.rules.variants import find_variant, variant_names

KNOCK_INDEX, GIN_INDEX, UNDERCUT_INDEX, DRAWN_DEAL_INDEX = (
    DEAL_RESULTS.index(kind) for kind in ("knock", "gin", "undercut", "void")
)


def make_outcomes(weights_by_outcome, scale=1000):
    """Return outcomes with the given weights in every group."""
    rows = np.array(sorted((*key, 1) for key in weights_by_outcome))
    weights = [weights_by_outcome[tuple(row[:4])] * scale for row in rows.tolist()]
    return Outcomes(rows, np.tile(np.array(weights, np.int64), (N_JACKKNIFE_GROUPS, 1)))


def make_match_value(variant, weights_by_outcome, seat=0):
    matchup = parse_matchup("gold", "simple", variant, 1, "deal")
    return match_value.make_value_from_outcomes(matchup, make_outcomes(weights_by_outcome), seat)


def test_chernoff_bound_limits_the_match_length():
    """Use matches to 20 points in which every won deal scores ten points.

    Half of the matches take two deals, half three; drawn deals add a factor of 4/3.
    """
    weights_by_outcome = {
        (dealer, winner, kind, points): n_deals
        for dealer in (0, 1)
        for winner, kind, points, n_deals in (
            (0, KNOCK_INDEX, 10, 3),
            (1, KNOCK_INDEX, 10, 3),
            (-1, DRAWN_DEAL_INDEX, 0, 2),
        )
    }
    v = make_match_value("standard+points_target=20", weights_by_outcome)
    for n_deals in (20, 40, 100):
        probability = (
            stats.nbinom.sf(n_deals - 2, 2, 0.75) / 2 + stats.nbinom.sf(n_deals - 3, 3, 0.75) / 2
        )
        one_deal_moment = (
            0.75 * 1.5 / (1 - 0.25 * 1.5)
        )  # mean of 1.5 ** N, where N is the number of deals until one is won
        chernoff = (one_deal_moment**2 + one_deal_moment**3) / 2 / 1.5**n_deals
        assert v.bound_longer_matches(n_deals) == pytest.approx(chernoff)
        assert probability < chernoff


def test_match_total_probabilities_agree_with_enumeration():
    penalties, limit = {-20: 3, 0: 1, 10: 4, 25: 2}, DEAL_RESULTS.index("limit")
    weights_by_outcome = {
        (1, -1, limit, points): n for points, n in penalties.items() if points >= 0
    }
    weights_by_outcome[1, 0, GIN_INDEX, -20] = penalties[-20]
    matchup = parse_matchup("gold", None, "solitary-gin+deals_in_match=4+total_goal=5", 1, "deal")
    v = match_value.make_value_from_outcomes(matchup, make_outcomes(weights_by_outcome))
    for deals_left, total in itertools.product(range(5), (-40, -5, 0, 5, 6, 30)):
        sequences = itertools.product(penalties.items(), repeat=deals_left)
        winning_sequences = [
            sequence
            for sequence in sequences
            if total + sum(points_of_deal for points_of_deal, _ in sequence) <= 5
        ]
        expected = (
            sum(math.prod(n for _, n in sequence) for sequence in winning_sequences)
            / 10**deals_left
        )
        assert v.win_probability([deals_left, total]) == pytest.approx(expected)
    assert v.win_probability([3, 1000]) == 0
    assert v.at_start().value == v.win_probability([4, 0])


# Plain recursion


OUTCOME_WEIGHTS = {
    (0, 0, KNOCK_INDEX, 3): 4,
    (0, 0, GIN_INDEX, 5): 2,
    (0, 1, KNOCK_INDEX, 2): 3,
    (0, 1, UNDERCUT_INDEX, 4): 2,
}
OUTCOME_WEIGHTS |= {
    (0, -1, DRAWN_DEAL_INDEX, 0): 3,
    (0, 1, KNOCK_INDEX, 0): 2,
    (1, 0, KNOCK_INDEX, 1): 5,
    (1, 0, UNDERCUT_INDEX, 7): 1,
}
OUTCOME_WEIGHTS |= {
    (1, 1, GIN_INDEX, 6): 4,
    (1, 1, KNOCK_INDEX, 2): 3,
    (1, -1, DRAWN_DEAL_INDEX, 0): 1,
    (1, 0, KNOCK_INDEX, 0): 1,
}


def find_next_state(params, state, dealer, winner, result_index, points):
    """Return the match state after a deal, or 1.0 or 0.0 if the match is won or lost."""
    sides = [dict(side) for side in state]
    if winner >= 0:
        side, other_side = sides[winner], sides[1 - winner]
        side["points"] += points
        by_kind = {
            GIN_INDEX: params["deal_count_gin"],
            UNDERCUT_INDEX: params["deal_count_undercut"],
        }
        side["deals"] += by_kind.get(result_index, 1)
        if params["goal"] == "games" and side["points"] >= params["points_target"]:
            table = params["game_table"]
            side["games"] += next(
                games for max_points, games in table if other_side["points"] <= max_points
            )
            side["points"] = other_side["points"] = 0
        is_reached = {name: score >= params[f"{name}_target"] for name, score in side.items()}
        is_reached["twofold"] = is_reached["points"] and is_reached["deals"]
        is_reached["race"] = is_reached["points" if winner == params["points_side"] else "deals"]
        if is_reached[params["goal"]]:
            return 1.0 - winner
    if winner < 0:
        dealer = 1 - dealer if params["void_dealer"] == "other" else dealer
    else:
        next_dealers = {"winner": winner, "loser": 1 - winner, "alternate": 1 - dealer}
        dealer = next_dealers[params["next_dealer"]]
    return tuple(
        tuple(find_relevant_score(params, side_index, side).items())
        for side_index, side in enumerate(sides)
    ), dealer


def find_relevant_score(params, side_index, side):
    """Return the part of a side's score that matters for the match goal.

    With the whole score, the plain recursion would not end.
    """
    names = {"points": ["points"], "deals": ["deals"], "twofold": ["points", "deals"]}
    names |= {"race": ["points" if side_index == params["points_side"] else "deals"]}
    names |= {"games": ["points", "games"]}
    relevant_names = names[params["goal"]]
    return {
        name: min(score, params[f"{name}_target"]) if name in relevant_names else 0
        for name, score in side.items()
    }


def iterate_values(params, find_probabilities):
    """Compute the match values of all reachable states by iteration until convergence.

    `find_probabilities` returns the probabilities of the outcomes in a match state.
    """
    empty_score = tuple({"points": 0, "deals": 0, "games": 0}.items())
    transitions, open_states = (
        {},
        [((empty_score, empty_score), 0), ((empty_score, empty_score), 1)],
    )
    while open_states:
        state = open_states.pop()
        if state not in transitions:
            transitions[state] = [
                (probability, find_next_state(params, *state, *key[1:]))
                for key, probability in find_probabilities(state[0]).items()
                if key[0] == state[1]
            ]
            open_states += [
                next_state
                for _, next_state in transitions[state]
                if not isinstance(next_state, float)
            ]
    values = dict.fromkeys(transitions, 0.5)
    for _ in range(100):
        for state, next_states in transitions.items():
            values[state] = sum(
                weight * values.get(next_state, next_state) for weight, next_state in next_states
            )
    return values


TOTAL_WEIGHT_BY_DEALER = {
    d: sum(n for key, n in OUTCOME_WEIGHTS.items() if key[0] == d) for d in (0, 1)
}
OUTCOME_PROBABILITIES = {
    key: n / TOTAL_WEIGHT_BY_DEALER[key[0]] for key, n in OUTCOME_WEIGHTS.items()
}


def select_score_parts(side, fields):
    """Return the given fields of a side's score, as a number if there is only one field."""
    names = {"score": "points", "deals": "deals", "games": "games"}
    numbers = [dict(side)[names[name]] for name in fields]
    return numbers if len(numbers) > 1 else numbers[0]


VARIANT_BY_GOAL = {
    "points": "standard+points_target=9",
    "deals": "standard+goal=deals+deals_target=4+deal_count_gin=2",
    "race": "race+points_target=9+deals_target=4",
    "race, A for deals": "race+points_target=9+deals_target=4",
    "twofold": "twofold+points_target=8+deals_target=3",
    "games": "pro+points_target=7+games_target=3+game_table=2:3/4:2/6:1",
}


@pytest.mark.parametrize("void_dealer", ["same", "other"])
@pytest.mark.parametrize("next_dealer", ["winner", "loser", "alternate"])
@pytest.mark.parametrize("goal", VARIANT_BY_GOAL)
def test_match_value_agrees_with_plain_recursion(goal, next_dealer, void_dealer):
    variant = f"{VARIANT_BY_GOAL[goal]}+next_dealer={next_dealer}+void_dealer={void_dealer}"
    seat = int("A for" in goal)
    v = make_match_value(variant, OUTCOME_WEIGHTS, seat)
    variant_params = find_variant(variant).params
    params = {**variant_params, "points_side": seat ^ (variant_params["race_points_seat"] or 0)}
    expected = iterate_values(params, lambda state: OUTCOME_PROBABILITIES)
    assert len(expected) >= 20
    for (state, dealer), probability in expected.items():
        scores = [
            select_score_parts(side, fields)
            for side, fields in zip(state, v.board.score_fields, strict=True)
        ]
        assert v.win_probability(*scores, dealer) == pytest.approx(probability, abs=1e-9)


def test_match_value_with_outcomes_by_score_agrees_with_plain_recursion():
    """Change some of the deal outcomes at the scores 3:2 and 0:4."""
    score_changes = [(3, 2, 1, 1, 0, 2), (3, 2, -1, 1, 1, 6)] * 2
    score_changes += [(0, 4, 1, 0, -1, 0), (0, 4, -1, 0, 0, 3)]
    changes = [
        (a, b, group, *change)
        for group in range(N_JACKKNIFE_GROUPS)
        for a, b, *change in score_changes
    ]
    v = match_value.solve_value(
        parse_matchup("gold", "simple", "shot+points_target=9", 1, "deal"),
        outcomes.ScoreOutcomes(
            make_outcomes(OUTCOME_WEIGHTS, scale=10), np.array(changes), 16 * N_JACKKNIFE_GROUPS
        ),
        boards.PerScoreBoard,
        0,
    )

    def find_probabilities(state):
        probabilities = dict(OUTCOME_PROBABILITIES)
        match [dict(side)["points"] for side in state]:
            case [3, 2]:
                probabilities[1, 1, GIN_INDEX, 6] -= 2 / 16
                probabilities[1, 0, KNOCK_INDEX, 2] = 2 / 16
            case [0, 4]:
                probabilities[0, 0, KNOCK_INDEX, 3] -= 1 / 16
                probabilities[0, -1, DRAWN_DEAL_INDEX, 0] += 1 / 16
        return probabilities

    expected = iterate_values(
        {**find_variant("shot+points_target=9").params, "points_side": 0}, find_probabilities
    )
    scores = {tuple(dict(side)["points"] for side in state) for state, _ in expected}
    assert {(3, 2), (0, 4)} < scores
    for ((a, b), dealer), probability in expected.items():
        points = dict(a)["points"], dict(b)["points"]
        assert v.win_probability(*points, dealer) == pytest.approx(probability, abs=1e-9)


# Starts and tables


def test_start_value_uses_the_start_score_and_dealer():
    variant = "standard+points_target=9+start_points=3/6+first_dealer=1"
    first_seat, second_seat = (make_match_value(variant, OUTCOME_WEIGHTS, seat) for seat in (0, 1))
    assert first_seat.at_start().value == first_seat.win_probability(3, 6, 1)
    assert second_seat.at_start().value == second_seat.win_probability(6, 3, 0)


def test_value_table_has_every_state():
    v = make_match_value(VARIANT_BY_GOAL["twofold"], OUTCOME_WEIGHTS)
    table = v.table()
    assert list(table) == ["score_a", "deals_a", "score_b", "deals_b", "dealer", "value", "se"]
    assert len(table) == 2 * (9 * 4 - 1) ** 2
    row = table.iloc[777]
    state = row[["score_a", "deals_a"]], row[["score_b", "deals_b"]], int(row["dealer"])
    assert row["value"] == v.win_probability(*state)
    assert table["value"].between(0, 1).all()


# Errors


def test_standard_errors_agree_with_repeated_counting():
    """Check the standard error with 400 sets of counts from a known distribution.

    (V - truth) / se has the variance 19/17 of t(19), within five of its standard errors.
    """
    true_value, rng = (
        make_match_value("standard+points_target=20", OUTCOME_WEIGHTS),
        np.random.default_rng(9),
    )
    rows = make_outcomes(OUTCOME_WEIGHTS).rows
    weights = np.array([OUTCOME_WEIGHTS[tuple(row[:4])] for row in rows.tolist()], float)
    states = [(0, 0, 0), (15, 3, 1), (4, 12, 0)]
    z = []
    for _ in range(400):
        draws = np.zeros((N_JACKKNIFE_GROUPS, len(rows)), np.int64)
        for dealer in (0, 1):
            is_dealer = rows[:, 0] == dealer
            draws[:, is_dealer] = rng.multinomial(
                200, weights[is_dealer] / weights[is_dealer].sum(), size=N_JACKKNIFE_GROUPS
            )
        v = match_value.make_value_from_outcomes(true_value.matchup, Outcomes(rows, draws))
        z.append(
            [
                (v.win_probability(*state) - true_value.win_probability(*state))
                / v.standard_error(*state)
                for state in states
            ]
        )
    left_out = [table[4, 12, 0] for table in v.jackknife_tables()]
    assert v.standard_error(4, 12, 0) == pytest.approx(compute_jackknife_se(np.array(left_out)))
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < 5 / np.sqrt(400)
    assert np.abs(z.var(axis=0) - 19 / 17).max() < 5 * 19 / 17 * np.sqrt(2.5 / 400)


def test_match_value_of_a_strategy_against_itself_is_one_half():
    v = match_value.compute_value("standard", "gold", "gold", deals=10_000)
    assert v.at_start().value == pytest.approx(0.5, abs=1e-12)
    a, b = np.indices((100, 100))
    assert np.allclose(v.win_probability(a, b, 0) + v.win_probability(b, a, 1), 1, atol=1e-12)
    assert 0.001 < v.standard_error(0, 0, 0) < 0.01


# Rejected input


@pytest.mark.parametrize(
    "variant", ["race", "standard+first_dealer=1", "standard+start_points=9/0"]
)
def test_seat_is_required_if_the_rules_distinguish_the_seats(variant):
    with pytest.raises(match_value.ValueUnavailableError, match="Set `seat` to 0 or 1"):
        match_value.compute_value(variant, "gold", deals=10_000)
    starts = [
        match_value.compute_value(variant, "gold", deals=10_000, seat=seat).at_start().value
        for seat in (0, 1)
    ]
    assert starts[0] != starts[1]


@pytest.mark.parametrize(
    ("variant", "a", "message"),
    [
        ("hollywood", "gold", "goal = columns"),
        ("pro+shot=yes", "gold", "two-player variants with goal = points"),
        ("dice-pro", "gold+offer=random+answer=random", "die = game"),
        ("dice+die_refusal_pays=new", "gold+offer=random+answer=random", "die_refusal_pays = new"),
        ("standard+max_deals=20", "gold", "max_deals = 20"),
        ("twofold+points_target=1000+deals_target=100", "gold", "states"),
        ("standard", "stubborn", "neither side won any"),
    ],
)
def test_unavailable_match_value_is_reported_with_a_suggestion(variant, a, message):
    b = a if a == "stubborn" else "simple"
    with pytest.raises(match_value.ValueUnavailableError, match=message) as error:
        match_value.compute_value(variant, a, b, deals=10_000)
    assert f"simgin match {a} {b} -v {variant} --matches" in str(error.value)


@pytest.mark.parametrize(
    ("variant", "a", "depends"),
    [
        ("standard", "gold", False),
        ("shot", "gold", True),
        ("standard", "gold+knock=lead", True),
        ("standard", "gold+knock=count", True),
        ("dice", "gold+stake=random", False),
        ("solitary-gin", "gold", False),
    ],
)
def test_dependence_on_the_score_is_detected(variant, a, depends):
    assert match_value.depends_on_score(parse_matchup(a, None, variant, 1, "deal")) is depends


# Compared with played matches: clustered by unit, with a jackknife error of V

SHORT_SPEC_BY_VARIANT = {name: f"{name}+games_target=2" for name in ("pro", "dice-pro")}
SHORT_SPEC_BY_VARIANT |= {
    "twofold": "twofold+points_target=40+deals_target=3",
    "shot": "shot+points_target=20",
}
VARIANTS_WITH_VALUE = [name for name in variant_names() if name != "hollywood"]


def choose_opponent(variant):
    return None if find_variant(variant).is_solo else "gold-early"


def assert_agrees_with_matches(match_values, n_matches, seed):
    """Check that the win rate in new matches is within 4.5 standard errors of the match value."""
    matchup = dataclasses.replace(match_values.matchup, seed=seed, unit="match")
    compile_matchup(matchup)
    _, records = play_with_records(matchup, 0, matchup.count_units(n_matches))
    is_side = match_values.is_seat_symmetric | (records["half"] == match_values.seat)
    match_outcomes = records["outcome"][is_side & (records["outcome"] != MATCH_UNDECIDED)]
    won = np.select([match_outcomes == 0, match_outcomes == 1], [1.0, 0.0], 0.5)
    start = match_values.at_start()
    error = np.hypot(start.se, np.sqrt(start.value * (1 - start.value) / len(won)))
    assert abs(won.mean() - start.value) < 4.5 * error


# Variants with the match rules of standard and ordinary scores. The slow test includes them.
SIMILAR_VARIANTS = """basic standard-50th straight oklahoma rush rainbow tedesco big-gin""".split()


@pytest.mark.parametrize(
    "variant", [name for name in VARIANTS_WITH_VALUE if name not in SIMILAR_VARIANTS]
)
def test_match_value_agrees_with_played_matches(variant):
    seat = 0 if variant == "race" else None
    options, short_variant = (
        {"deals": 10_000, "seed": 21, "seat": seat},
        SHORT_SPEC_BY_VARIANT.get(variant, variant),
    )
    v = match_value.compute_value(short_variant, "gold", choose_opponent(variant), **options)
    assert_agrees_with_matches(v, 600, seed=22)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "seat"), [*((name, 0) for name in VARIANTS_WITH_VALUE), ("race", 1)]
)
def test_match_value_agrees_with_many_played_matches(variant, seat):
    v = match_value.compute_value(
        variant, "gold", choose_opponent(variant), deals=1_000_000, seed=23, seat=seat
    )
    assert_agrees_with_matches(v, 20_000, seed=24)
