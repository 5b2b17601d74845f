"""Compare V with closed forms, plain recursion, the engine's records and played matches."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.match import UNDECIDED
from simgin.match_value import boards, match_value, outcomes
from simgin.match_value.outcomes import N_GROUPS, Outcomes, compute_jackknife_se
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import parse_matchup
from simgin.rules.variants import find_variant, variant_names

KNOCK, GIN, UNDERCUT, VOID = (
    DEAL_RESULTS.index(kind) for kind in ("knock", "gin", "undercut", "void")
)


def make_outcomes(weights_by_outcome, scale=1000):
    """Return outcomes with these weights, the same in every group."""
    rows = np.array(sorted((*key, 1) for key in weights_by_outcome))
    weights = [weights_by_outcome[tuple(row[:4])] * scale for row in rows.tolist()]
    return Outcomes(rows, np.tile(np.array(weights, np.int64), (N_GROUPS, 1)))


def make_value(variant, weights_by_outcome, seat=0):
    matchup = parse_matchup("gold", "simple", variant, 1, "deal")
    return match_value.make_value_from_outcomes(matchup, make_outcomes(weights_by_outcome), seat)


def test_the_bound_on_long_matches():
    """Two fair deals of ten points decide a match to 20.

    Half of the matches take two deals, half three; drawn deals add a factor of 4/3.
    """
    weights_by_outcome = {
        (d, w, k, pts): n
        for d in (0, 1)
        for w, k, pts, n in ((0, KNOCK, 10, 3), (1, KNOCK, 10, 3), (-1, VOID, 0, 2))
    }
    v = make_value("standard+points_target=20", weights_by_outcome)
    for n in (20, 40, 100):
        truth = stats.nbinom.sf(n - 2, 2, 0.75) / 2 + stats.nbinom.sf(n - 3, 3, 0.75) / 2
        one_deal = (
            0.75 * 1.5 / (1 - 0.25 * 1.5)
        )  # mean of 1.5 ** N, where N is the number of deals until one is won
        chernoff = (one_deal**2 + one_deal**3) / 2 / 1.5**n
        assert v.bound_longer_matches(n) == pytest.approx(chernoff)
        assert truth < chernoff


def test_totals_agree_with_every_way_to_score():
    penalties, limit = {-20: 3, 0: 1, 10: 4, 25: 2}, DEAL_RESULTS.index("limit")
    weights_by_outcome = {
        (1, -1, limit, points): n for points, n in penalties.items() if points >= 0
    }
    weights_by_outcome[1, 0, GIN, -20] = penalties[-20]
    matchup = parse_matchup("gold", None, "solitary-gin+deals_in_match=4+total_goal=5", 1, "deal")
    v = match_value.make_value_from_outcomes(matchup, make_outcomes(weights_by_outcome))
    for left, total in itertools.product(range(5), (-40, -5, 0, 5, 6, 30)):
        ways = itertools.product(penalties.items(), repeat=left)
        good = [way for way in ways if total + sum(p for p, _ in way) <= 5]
        truth = sum(math.prod(n for _, n in way) for way in good) / 10**left
        assert v.win_probability([left, total]) == pytest.approx(truth)
    assert v.win_probability([3, 1000]) == 0
    assert v.at_start().value == v.win_probability([4, 0])


# Plain recursion


FEW_OUTCOMES = {(0, 0, KNOCK, 3): 4, (0, 0, GIN, 5): 2, (0, 1, KNOCK, 2): 3, (0, 1, UNDERCUT, 4): 2}
FEW_OUTCOMES |= {
    (0, -1, VOID, 0): 3,
    (0, 1, KNOCK, 0): 2,
    (1, 0, KNOCK, 1): 5,
    (1, 0, UNDERCUT, 7): 1,
}
FEW_OUTCOMES |= {(1, 1, GIN, 6): 4, (1, 1, KNOCK, 2): 3, (1, -1, VOID, 0): 1, (1, 0, KNOCK, 0): 1}


def next_scores(game, state, dealer, winner, kind, points):
    """Return both sides' scores after a deal as dictionaries, or 1.0 or 0.0 after the match."""
    sides = [dict(side) for side in state]
    if winner >= 0:
        side, other = sides[winner], sides[1 - winner]
        side["points"] += points
        by_kind = {GIN: game["deal_count_gin"], UNDERCUT: game["deal_count_undercut"]}
        side["deals"] += by_kind.get(kind, 1)
        if game["goal"] == "games" and side["points"] >= game["points_target"]:
            table = game["game_table"]
            side["games"] += next(games for most, games in table if other["points"] <= most)
            side["points"] = other["points"] = 0
        reached = {name: score >= game[f"{name}_target"] for name, score in side.items()}
        reached["twofold"] = reached["points"] and reached["deals"]
        reached["race"] = reached["points" if winner == game["points_side"] else "deals"]
        if reached[game["goal"]]:
            return 1.0 - winner
    if winner < 0:
        dealer = 1 - dealer if game["void_dealer"] == "other" else dealer
    else:
        next_dealers = {"winner": winner, "loser": 1 - winner, "alternate": 1 - dealer}
        dealer = next_dealers[game["next_dealer"]]
    return tuple(
        tuple(relevant_score(game, one, side).items()) for one, side in enumerate(sides)
    ), dealer


def relevant_score(game, one, side):
    """Return the part of a side's score that matters.

    Otherwise the plain recursion would not end.
    """
    names = {"points": ["points"], "deals": ["deals"], "twofold": ["points", "deals"]}
    names |= {"race": ["points" if one == game["points_side"] else "deals"]}
    names |= {"games": ["points", "games"]}
    here = names[game["goal"]]
    return {n: min(x, game[f"{n}_target"]) if n in here else 0 for n, x in side.items()}


def iterate_values(game, shares_at):
    """Compute V of every reachable state by iterating the recursion until nothing changes.

    shares_at: Function that returns the proportions of outcomes in a match state.
    """
    nothing = tuple({"points": 0, "deals": 0, "games": 0}.items())
    leads, new = {}, [((nothing, nothing), 0), ((nothing, nothing), 1)]
    while new:
        here = new.pop()
        if here not in leads:
            leads[here] = [
                (share, next_scores(game, *here, *key[1:]))
                for key, share in shares_at(here[0]).items()
                if key[0] == here[1]
            ]
            new += [there for _, there in leads[here] if not isinstance(there, float)]
    found = dict.fromkeys(leads, 0.5)
    for _ in range(100):
        for here, ways in leads.items():
            found[here] = sum(p * found.get(there, there) for p, there in ways)
    return found


WEIGHT = {d: sum(n for key, n in FEW_OUTCOMES.items() if key[0] == d) for d in (0, 1)}
SHARES = {key: n / WEIGHT[key[0]] for key, n in FEW_OUTCOMES.items()}


def state_score(side, fields):
    names = {"score": "points", "deals": "deals", "games": "games"}
    numbers = [dict(side)[names[name]] for name in fields]
    return numbers if len(numbers) > 1 else numbers[0]


GOALS = {
    "points": "standard+points_target=9",
    "deals": "standard+goal=deals+deals_target=4+deal_count_gin=2",
    "race": "race+points_target=9+deals_target=4",
    "race, A for deals": "race+points_target=9+deals_target=4",
    "twofold": "twofold+points_target=8+deals_target=3",
    "games": "pro+points_target=7+games_target=3+game_table=2:3/4:2/6:1",
}


@pytest.mark.parametrize("void_dealer", ["same", "other"])
@pytest.mark.parametrize("next_dealer", ["winner", "loser", "alternate"])
@pytest.mark.parametrize("goal", GOALS)
def test_v_of_every_state_agrees_with_plain_recursion(goal, next_dealer, void_dealer):
    text = f"{GOALS[goal]}+next_dealer={next_dealer}+void_dealer={void_dealer}"
    seat = int("A for" in goal)
    v = make_value(text, FEW_OUTCOMES, seat)
    row = find_variant(text).params
    game = {**row, "points_side": seat ^ (row["race_points_seat"] or 0)}
    truth = iterate_values(game, lambda state: SHARES)
    assert len(truth) >= 20
    for (state, dealer), chance in truth.items():
        place = [
            state_score(side, fields) for side, fields in zip(state, v.board.fields, strict=True)
        ]
        assert v.win_probability(*place, dealer) == pytest.approx(chance, abs=1e-9)


def test_v_with_outcomes_by_score_agrees_with_plain_recursion():
    """At 3:2, a gin in B's deal becomes a knock of A; at 0:4, one knock in four is void."""
    turned = [(3, 2, 1, 1, 0, 2), (3, 2, -1, 1, 1, 6)] * 2
    turned += [(0, 4, 1, 0, -1, 0), (0, 4, -1, 0, 0, 3)]
    changes = [(a, b, group, *way) for group in range(N_GROUPS) for a, b, *way in turned]
    v = match_value.solve_value(
        parse_matchup("gold", "simple", "shot+points_target=9", 1, "deal"),
        outcomes.ScoreOutcomes(
            make_outcomes(FEW_OUTCOMES, scale=10), np.array(changes), 16 * N_GROUPS
        ),
        boards.PerScoreBoard,
        0,
    )

    def shares_at(state):
        found = dict(SHARES)
        match [dict(side)["points"] for side in state]:
            case [3, 2]:
                found[1, 1, GIN, 6] -= 2 / 16
                found[1, 0, KNOCK, 2] = 2 / 16
            case [0, 4]:
                found[0, 0, KNOCK, 3] -= 1 / 16
                found[0, -1, VOID, 0] += 1 / 16
        return found

    truth = iterate_values(
        {**find_variant("shot+points_target=9").params, "points_side": 0}, shares_at
    )
    scores = {tuple(dict(side)["points"] for side in state) for state, _ in truth}
    assert {(3, 2), (0, 4)} < scores
    for ((a, b), dealer), chance in truth.items():
        points = dict(a)["points"], dict(b)["points"]
        assert v.win_probability(*points, dealer) == pytest.approx(chance, abs=1e-9)


# Starts and tables


def test_v_begins_at_the_start_of_the_match():
    text = "standard+points_target=9+start_points=3/6+first_dealer=1"
    own, other = (make_value(text, FEW_OUTCOMES, seat) for seat in (0, 1))
    assert own.at_start().value == own.win_probability(3, 6, 1)
    assert other.at_start().value == other.win_probability(6, 3, 0)


def test_a_table_has_every_state():
    v = make_value(GOALS["twofold"], FEW_OUTCOMES)
    table = v.table()
    assert list(table) == ["score_a", "deals_a", "score_b", "deals_b", "dealer", "value", "se"]
    assert len(table) == 2 * (9 * 4 - 1) ** 2
    row = table.iloc[777]
    state = row[["score_a", "deals_a"]], row[["score_b", "deals_b"]], int(row["dealer"])
    assert row["value"] == v.win_probability(*state)
    assert table["value"].between(0, 1).all()


# Errors


def test_errors_agree_with_repeated_counting():
    """Check the standard error with 400 sets of counts from a known distribution.

    (V - truth) / se has the variance 19/17 of t(19), within five of its standard errors.
    """
    truth, rng = make_value("standard+points_target=20", FEW_OUTCOMES), np.random.default_rng(9)
    rows = make_outcomes(FEW_OUTCOMES).rows
    weights = np.array([FEW_OUTCOMES[tuple(row[:4])] for row in rows.tolist()], float)
    states = [(0, 0, 0), (15, 3, 1), (4, 12, 0)]
    z = []
    for _ in range(400):
        draws = np.zeros((N_GROUPS, len(rows)), np.int64)
        for d in (0, 1):
            mine = rows[:, 0] == d
            draws[:, mine] = rng.multinomial(
                200, weights[mine] / weights[mine].sum(), size=N_GROUPS
            )
        v = match_value.make_value_from_outcomes(truth.matchup, Outcomes(rows, draws))
        z.append(
            [
                (v.win_probability(*state) - truth.win_probability(*state)) / v.se(*state)
                for state in states
            ]
        )
    left_out = [table[4, 12, 0] for table in v.jackknife_tables()]
    assert v.se(4, 12, 0) == pytest.approx(compute_jackknife_se(np.array(left_out)))
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < 5 / np.sqrt(400)
    assert np.abs(z.var(axis=0) - 19 / 17).max() < 5 * 19 / 17 * np.sqrt(2.5 / 400)


def test_v_of_a_strategy_against_itself_is_one_half():
    v = match_value.compute_value("standard", "gold", "gold", deals=10_000)
    assert v.at_start().value == pytest.approx(0.5, abs=1e-12)
    a, b = np.indices((100, 100))
    assert np.allclose(v.win_probability(a, b, 0) + v.win_probability(b, a, 1), 1, atol=1e-12)
    assert 0.001 < v.se(0, 0, 0) < 0.01


# Rejected input


@pytest.mark.parametrize(
    "variant", ["race", "standard+first_dealer=1", "standard+start_points=9/0"]
)
def test_the_seat_is_required_if_the_rules_distinguish_the_seats(variant):
    with pytest.raises(match_value.ValueUnavailableError, match="Set `seat` to 0 or 1"):
        match_value.compute_value(variant, "gold", deals=10_000)
    starts = [
        match_value.compute_value(variant, "gold", deals=10_000, seat=s).at_start().value
        for s in (0, 1)
    ]
    assert starts[0] != starts[1]


@pytest.mark.parametrize(
    ("variant", "a", "says"),
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
def test_bad_requests_are_rejected_with_a_suggestion(variant, a, says):
    b = a if a == "stubborn" else "simple"
    with pytest.raises(match_value.ValueUnavailableError, match=says) as refused:
        match_value.compute_value(variant, a, b, deals=10_000)
    assert f"simgin match {a} {b} -v {variant} --matches" in str(refused.value)


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

SHORT_GAMES = {name: f"{name}+games_target=2" for name in ("pro", "dice-pro")}
SHORT_GAMES |= {
    "twofold": "twofold+points_target=40+deals_target=3",
    "shot": "shot+points_target=30",
}
ROWS = [name for name in variant_names() if name != "hollywood"]


def opponent(variant):
    return None if find_variant(variant).is_solo else "gold-early"


def assert_believable(v, matches, seed):
    """Check |z| < 4.5 for the win rate in new matches: one false alarm in 150,000 variants."""
    matchup = dataclasses.replace(v.matchup, seed=seed, unit="match")
    compile_matchup(matchup)
    _, records = play_with_records(matchup, 0, matchup.count_units(matches))
    mine = v.is_seat_symmetric | (records["half"] == v.seat)
    ends = records["outcome"][mine & (records["outcome"] != UNDECIDED)]
    won = np.select([ends == 0, ends == 1], [1.0, 0.0], 0.5)
    start = v.at_start()
    error = np.hypot(start.se, np.sqrt(start.value * (1 - start.value) / len(won)))
    assert abs(won.mean() - start.value) < 4.5 * error


@pytest.mark.parametrize("variant", ROWS)
def test_v_agrees_with_matches_played(variant):
    seat = 0 if variant == "race" else None
    how, smaller = ({"deals": 10_000, "seed": 21, "seat": seat}, SHORT_GAMES.get(variant, variant))
    v = match_value.compute_value(smaller, "gold", opponent(variant), **how)
    assert_believable(v, 600, seed=22)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "seat"), [*((name, 0) for name in ROWS), ("race", 1)])
def test_v_agrees_with_many_matches_played(variant, seat):
    v = match_value.compute_value(
        variant, "gold", opponent(variant), deals=1_000_000, seed=23, seat=seat
    )
    assert_believable(v, 20_000, seed=24)
