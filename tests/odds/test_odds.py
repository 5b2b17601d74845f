"""Compare odds with single deals, exact identities, published results, known laws and V."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from simgin.core import batch_columns
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.view import FROM_STOCK
from simgin.match_value import match_value, outcomes
from simgin.odds import solo_deals, solo_odds, two_player_odds
from simgin.odds.odds import Odds, build_odds
from simgin.odds.odds_report import build_odds_tables, iter_verdict_sentences
from simgin.odds.solo_deals import DEAL_COLUMNS, SoloDeals
from simgin.play import kernel
from simgin.play.matchup import PlayerCountError, parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.report.numbers import format_estimate
from simgin.rules import variants
from simgin.runs import runner
from simgin.stats import batches
from simgin.stats.table import list_output_columns
from simgin.strategy.cast import list_odds_players
from support.sentence_checks import list_errors

NO_OUTCOMES = outcomes.Outcomes(
    np.zeros((0, len(outcomes.OUTCOME_COLUMNS)), np.int64),
    np.zeros((outcomes.N_GROUPS, 0), np.int64),
)
GIN, JOKER, LIMIT = (DEAL_RESULTS.index(kind) for kind in ("gin", "joker", "limit"))
JOKER_GAMES = ("solitaire-gin", "solitaire-gin-scored", "solitaire-gin-knock", "gin-solitaire")
JOKER_IN_MATCHES = "solitary-gin+joker=before_deal+joker_in_hand=redeal"
SOLO_GAMES = (*JOKER_GAMES, "solitary-gin")


def make_deals(rows, variant="solitaire-gin"):
    """Return deals that were never played."""
    return SoloDeals(
        solo_deals.make_solo_matchup("solo-greedy", variant, 1),
        np.array(rows, np.int32).reshape(-1, len(DEAL_COLUMNS)),
        NO_OUTCOMES,
        False,
    )


def simulate(strategy, variant, n, seed=1, workers=None):
    """Play deals without the cache."""
    matchup = solo_deals.make_solo_matchup(strategy, variant, seed)
    kernel.compile_matchup(matchup)
    found = solo_deals.compute_solo_tables(
        matchup, n // 5 if matchup.unit == "match" else n, workers
    )
    counted = outcomes.Outcomes(found["outcomes"], found["counts"])
    return SoloDeals(matchup, found["rows"], counted, bool(found["by_score"]))


def find_row(frame, **wanted):
    """Return the only row of a frame with these values."""
    matching = frame[(frame[[*wanted]] == [*wanted.values()]).all(axis=1)]
    (found,) = matching.to_dict("records")
    return found


HUNDRED_DEALS = make_deals(
    [[u, 30, 4, GIN, 1, 1, 0] for u in range(40)]  # gin on the fourth draw
    + [[u, 2, 3, JOKER, 0, -1, 1] for u in range(40, 70)]  # the joker on the third
    + [[u, 20, 9, GIN, 1, 1, 0] for u in range(70, 100)]  # gin on the ninth
)


@pytest.mark.parametrize(("q", "name"), [(0.1, "q10"), (0.5, "q50"), (0.9, "q90")])
def test_limits_of_a_quantile_are_order_statistics(q, name):
    """With gin on draw 1 to 1,000, bounds are ranks that follow the binomial law."""
    frame = solo_odds.compute_gin_draw_statistics(
        make_deals([[u, 42, u + 1, GIN, 1, 1, 0] for u in range(1_000)])
    )
    found = find_row(frame, statistic=name)
    assert found["value"] == 1_000 * q
    below, above = (binom.cdf(found[end] - 1, 1_000, q) for end in ("low", "high"))
    assert 0.945 < above - below < 0.965


def test_totals_of_a_hundred_matches():
    rows = [
        [u, -1, 15, LIMIT, 0, 10 if deal else (-20, 0)[u % 4 == 0], 0]
        for u in range(100)
        for deal in range(5)
    ]
    frame = solo_odds.compute_match_total_odds(make_deals(rows, "solitary-gin"))
    assert frame[["total", "value", "n"]].to_numpy().tolist() == [[20, 0.75, 100], [40, 0.25, 100]]
    assert solo_odds.compute_match_total_odds(HUNDRED_DEALS).empty


def test_the_difference_of_two_strategies_on_a_hundred_packs():
    """The paired difference is 0 or 1, with variance .24 n / (n - 1)."""
    rows = HUNDRED_DEALS.rows.copy()
    rows[:40, DEAL_COLUMNS.index("won")] = 0
    found = find_row(
        solo_odds.compute_skill_gap(replace(HUNDRED_DEALS, rows=rows), HUNDRED_DEALS), metric="win"
    )
    assert found["value"] == pytest.approx(0.4)
    assert found["high"] - 0.4 == pytest.approx(1.96 * np.sqrt(0.24 / 99))
    assert found["same_packs"] == pytest.approx(2.8**2 * 0.24 * 100 / 99 / 0.16)
    assert found["own_packs"] == pytest.approx(2.8**2 * (0.21 + 0.21) * 100 / 99 / 0.16)
    assert found["same_packs_low"] < found["same_packs"] < found["same_packs_high"]
    assert (
        solo_odds.compute_skill_gap(HUNDRED_DEALS, HUNDRED_DEALS)["value"].isna().all()
    )  # no difference has no error
    rows = HUNDRED_DEALS.rows.copy()
    rows[[0, 50], DEAL_COLUMNS.index("won")] = [0, 1]
    even = find_row(
        solo_odds.compute_skill_gap(replace(HUNDRED_DEALS, rows=rows), HUNDRED_DEALS), metric="win"
    )
    assert even["low"] < 0 < even["high"]
    assert np.isinf(even["own_packs_high"])
    assert even["own_packs_low"] > 100


@pytest.mark.parametrize(
    ("variant", "seed"),
    [
        *((variant, 1) for variant in SOLO_GAMES),
        ("solitaire-gin+joker_in_hand=lose", 1),
        ("gin-solitaire", 2**64 - 1),
        (JOKER_IN_MATCHES, 1),
    ],
)
def test_every_column_agrees_with_single_deals(variant, seed):
    """Replays agree: the deck contains the joker's position, and turns count draws."""
    found = simulate("gold", variant, 300, seed)
    where = 0
    for unit in range(60):
        for deal in range(5 if found.matchup.unit == "match" else 1):
            seen = trace_deal(found.matchup, unit, 0, deal)
            state, dealt = seen.state, 11 if variant == "gin-solitaire" else 10
            draws = sum(turn[1] == FROM_STOCK for turn in seen.turns)
            joker = seen.kind == "joker" and state.joker >= dealt
            place = state.joker - dealt if state.joker >= dealt else -1
            want = [unit, place, draws + joker, DEAL_RESULTS.index(seen.kind), state.winner == 0]
            want.append(state.score[0] - state.score[1])
            assert found.rows[where, :6].tolist() == want, f"unit {unit}, deal {deal}"
            where += 1


@pytest.mark.parametrize("variant", SOLO_GAMES)
def test_frames_agree_with_counting(variant):
    """Count the proportions at every draw in plain Python."""
    found = simulate("gold", variant, 2_000)
    each = [dict(zip(DEAL_COLUMNS, map(int, one), strict=True)) for one in found.rows]
    for deal in each:
        deal["kind"], deal["win"] = DEAL_RESULTS[deal["kind"]], deal["won"]
        deal["gin"] = deal["kind"] in solo_odds.ENDING_GROUPS["gin"]
    for one in solo_odds.compute_odds_by_draws(found).itertuples():
        kinds = solo_odds.ENDING_GROUPS[one.kind]
        ended = sum(d["kind"] in kinds and d["drawn"] <= one.draws for d in each)
        assert one.value == ended / 2_000
    left = solo_odds.compute_odds_by_cards_left(found)
    assert len(left) > 20
    for one in left.itertuples():
        on = [d for d in each if d["drawn"] > found.deck_size - one.left]
        assert one.n == len(on)
        mean = sum(d[one.metric] for d in on) / len(on)
        assert one.value == pytest.approx(mean, abs=1e-12)


def test_a_deal_is_won_if_gin_comes_before_the_joker():
    """For each deck, a player that ignores the joker wins if gin comes first."""
    found = simulate("solo-greedy", "solitaire-gin", 2_000)
    rules = "solitary-gin+ace_runs=low+pip_values=face+ace_value=1+max_draws=42"
    endless = simulate("solo-greedy", rules, 10_000)
    first = endless.rows[::5]
    gin = first[:, DEAL_COLUMNS.index("kind")] == GIN
    wins = gin & (first[:, DEAL_COLUMNS.index("drawn")] <= found.column("place"))
    assert np.array_equal(found.column("won"), wins) and 900 < wins.sum() < 1_100
    assert np.array_equal(found.column("drawn")[wins], first[wins, DEAL_COLUMNS.index("drawn")])


@pytest.mark.parametrize(
    ("player", "game", "match", "error"),
    [
        ("solo-greedy", "solitaire-gin-knock", 0.7652, 0.0026),
        ("solo-greedy", "solitaire-gin-scored", 0.2323, 0.0026),
        ("solo-switch", "solitary-gin", 0.7519, 0.0060),
    ],
)
def test_the_chance_to_win_a_match_agrees_with_matches_played(player, game, match, error):
    """Within four standard errors of both (docs/reference/strategies/solo.md)."""
    deals = solo_deals.play_solo_deals(player, game, 25_000)
    found = find_row(solo_odds.compute_odds_by_strategy([deals]), metric="match")
    own = (found["high"] - found["low"]) / 2
    assert abs(found["value"] - match) < 2 * np.hypot(own, error)
    if game == "solitary-gin":
        assert found["n"] == 5_000
        totals = solo_odds.compute_match_total_odds(deals)
        met = totals[totals["total"] <= 30]["value"].sum()
        assert met == pytest.approx(found["value"], abs=1e-12)


def test_the_deals_do_not_depend_on_workers():
    pair = ("solo-greedy", "solitary-gin", 12_000)
    one, three = (simulate(*pair, workers=workers) for workers in (1, 3))
    assert np.array_equal(one.rows, three.rows)
    assert np.array_equal(one.outcomes.counts, three.outcomes.counts)
    assert solo_odds.compute_odds_by_strategy([one]).equals(
        solo_odds.compute_odds_by_strategy([three])
    )
    other = simulate(*pair, seed=2)
    assert not np.array_equal(one.rows, other.rows)


def test_bad_requests_are_rejected():
    with pytest.raises(PlayerCountError, match="is a two-player variant"):
        solo_deals.play_solo_deals("gold", "standard", 1_000)
    with pytest.raises(outcomes.OutcomeError, match="at least 1,000"):
        solo_deals.play_solo_deals("gold", "solitaire-gin", 999)
    looking = replace(simulate("gold", "solitaire-gin-scored", 1_000), depends_on_score=True)
    assert "simgin match" in solo_odds.find_match_unavailable_reason(looking)
    assert set(solo_odds.compute_odds_by_strategy([looking])["metric"]) == {"win", "gin", "score"}


# Gin would come on draw T and the joker lies below P cards, both random: gin if T <= P.
# Gin scores 10 and the cards above the joker; otherwise X is lost.
# Of T = 4, 8, 12 ... draws
DRAW_PROBABILITIES = np.array(
    [0.02, 0.03, 0.05, 0.08, 0.1, 0.12, 0.1, 0.1, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02]
)
DRAW_PROBABILITIES /= DRAW_PROBABILITIES.sum()
LOST_COUNTS = np.array([2, 9, 30])


def end_deals(needed, place, lost):
    """Return draws, wins and scores of deals, from the draw of gin and the joker's position."""
    won = needed <= place
    drawn = np.where(won, needed, place + 1)
    return drawn, won, np.where(won, 10 + place - needed, -lost)


def random_deals(rng, n):
    """Return deals from the distribution NEEDED of draws to gin, with a random joker."""
    needed = 4 * rng.choice(len(DRAW_PROBABILITIES), n, p=DRAW_PROBABILITIES) + 4
    place, lost = rng.integers(0, 43, n), rng.choice(LOST_COUNTS, n)
    drawn, won, score = end_deals(needed, place, lost)
    kind = np.where(won, GIN, JOKER)
    return make_deals(np.stack([np.arange(n), place, drawn, kind, won, score, ~won], axis=1))


def exact_values():
    """Compute the estimated quantities from the exact probabilities."""
    needed, place, lost = (
        every.reshape(-1)
        for every in np.meshgrid(np.arange(len(DRAW_PROBABILITIES)), np.arange(43), LOST_COUNTS)
    )
    p = DRAW_PROBABILITIES[needed] / 43 / len(LOST_COUNTS)
    drawn, won, score = end_deals(4 * needed + 4, place, lost)
    gin, on = p * won, p * (drawn > 15)
    by_draw = np.bincount(drawn, gin).cumsum()

    def between_group_share(result):
        """Return the proportion of the variance that the joker's position explains."""
        cells = [p[place == at] @ result[place == at] * 43 for at in range(43)]
        return np.var(cells) / (p @ (result - p @ result) ** 2)

    return {
        "win": gin.sum(),
        "score": p @ score,
        "gin by 16": gin[drawn <= 16].sum(),
        "joker by 16": (p - gin)[drawn <= 16].sum(),
        "win at 28": on @ won / on.sum(),
        "score at 28": on @ score / on.sum(),
        "mean draw": gin @ drawn / gin.sum(),
        "median draw": np.searchsorted(by_draw, gin.sum() / 2),
        "joker, win": between_group_share(won),
        "joker, score": between_group_share(score),
    }


def estimate_all(one):
    strength, draws = (
        solo_odds.compute_odds_by_strategy([one]),
        solo_odds.compute_odds_by_draws(one),
    )
    left, gin = (
        solo_odds.compute_odds_by_cards_left(one),
        solo_odds.compute_gin_draw_statistics(one),
    )
    joker = solo_odds.compute_joker_variance_share(one)
    return {
        "win": find_row(strength, metric="win"),
        "score": find_row(strength, metric="score"),
        "gin by 16": find_row(draws, kind="gin", draws=16),
        "joker by 16": find_row(draws, kind="joker", draws=16),
        "win at 28": find_row(left, left=28, metric="win"),
        "score at 28": find_row(left, left=28, metric="score"),
        "mean draw": find_row(gin, statistic="mean"),
        "median draw": find_row(gin, statistic="q50"),
        "joker, win": find_row(joker, metric="win"),
        "joker, score": find_row(joker, metric="score"),
    }


@pytest.mark.parametrize(
    ("runs", "least"), [(60, 51), pytest.param(200, 179, marks=pytest.mark.slow)]
)
def test_intervals_have_nominal_coverage(runs, least):
    """False alarms: fewer than 179 of 200 in one of 2,100 runs, or 51 of 60 in one of 1,400."""
    rng = np.random.default_rng(2311)
    want, held = exact_values(), dict.fromkeys(exact_values(), 0)
    for _ in range(runs):
        for name, found in estimate_all(random_deals(rng, 1_500)).items():
            held[name] += found["low"] <= want[name] <= found["high"]
    assert all(least <= times for times in held.values()), held


def test_the_jokers_share_is_unbiased_for_few_deals():
    """With 300 deals and 43 positions, the naive proportion of an irrelevant position is 14 %."""
    rng, found = np.random.default_rng(5), []
    for _ in range(100):
        deals = random_deals(rng, 300)
        rows = deals.rows.copy()
        rows[:, DEAL_COLUMNS.index("place")] = rng.integers(0, 43, 300)
        frame = solo_odds.compute_joker_variance_share(replace(deals, rows=rows))
        found.append(find_row(frame, metric="win")["value"])
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(100)


def test_the_jokers_share_of_a_player_who_never_wins_is_undefined():
    """Without gin, there is no draw of gin, and the joker has no influence on winning."""
    never = make_deals([[u, u % 43, u % 43 + 1, JOKER, 0, -1, 1] for u in range(1_000)])
    assert (
        solo_odds.compute_gin_draw_statistics(never).empty
        and solo_odds.compute_joker_variance_share(never).empty
    )
    win = find_row(solo_odds.compute_odds_by_strategy([never]), metric="win")
    assert win["value"] == 0 < win["high"] < 0.005


# Two-player odds by seat and score compared with sums and V, and their sentences


DEALS = 20_000


@pytest.fixture(scope="module")
def standard():
    return two_player_odds.simulate_self_play("gold", "standard", DEALS)


def rows_by_seat(frame, metric):
    return frame[frame["metric"] == metric].set_index("seat")


def test_odds_by_seat_agree_with_a_run(standard):
    """The sums agree with the engine's sums of the same deals."""
    matchup = parse_matchup("gold", "gold", "standard", 1, "deal")
    total = batches.sum_rows(runner.run_matchup(matchup, DEALS))
    fact = {
        name: int(total[batch_columns.COL_SUM + place])
        for name, place in batch_columns.STATISTIC_INDEX.items()
    }
    won = rows_by_seat(two_player_odds.compute_odds_by_seat(standard), "win")
    assert won.loc["nondealer", "value"] == fact["first_player_win"] / DEALS
    assert won.loc["dealer", "value"] == (fact["decided"] - fact["first_player_win"]) / DEALS
    nobody = rows_by_seat(two_player_odds.compute_odds_by_seat(standard), "nobody")
    assert set(nobody["value"]) == {(DEALS - fact["decided"]) / DEALS}
    assert set(nobody["n"]) == {DEALS}
    assert (won["low"] < won["value"]).all() and (won["value"] < won["high"]).all()


def test_the_match_odds_by_seat_are_v_at_the_start(standard):
    match = rows_by_seat(two_player_odds.compute_odds_by_seat(standard), "match")
    v = match_value.compute_value("standard", "gold", "gold", deals=DEALS)
    assert match.loc["dealer", "value"] == v.win_probability(0, 0, 0)
    assert match.loc["nondealer", "value"] == v.win_probability(0, 0, 1)
    assert match["value"].sum() == pytest.approx(1)
    half = match.loc["dealer", "high"] - match.loc["dealer", "value"]
    assert half == pytest.approx(2.093 * v.se(0, 0, 0), rel=1e-3)


def test_every_score_occurs_once_and_both_sides_agree(standard):
    frame = two_player_odds.compute_odds_by_score(standard)
    assert tuple(frame.columns) == list_output_columns("scores")
    assert len(frame) == 100 * 100 * 2 == len(frame.drop_duplicates(["a", "b", "dealer"]))
    at = frame.set_index(["a", "b", "dealer"])["value"]
    for a, b in [(0, 0), (10, 90), (99, 98), (50, 25)]:
        assert at[a, b, 0] + at[b, a, 1] == pytest.approx(1)
    assert at[90, 10, 0] > at[50, 50, 0] > at[10, 90, 0]
    limits = [0, *(frame[name] for name in ("low", "value", "high")), 1]
    assert all((low <= high).all() for low, high in itertools.pairwise(map(np.asarray, limits)))


def test_the_first_sentence_and_the_table_are_averaged_over_dealers(standard):
    """The sentence on 75 to 50 and the table both show the mean over the dealers."""
    frame = two_player_odds.compute_odds_by_score(standard)
    odds = Odds(
        1,
        {"scores": frame, "seats": two_player_odds.compute_odds_by_seat(standard)},
        {"standard": "gold"},
    )
    v = standard.match_values
    ahead = f"{50 * (v.win_probability(75, 50, 0) + v.win_probability(75, 50, 1)):.0f}"
    early = f"{50 * (v.win_probability(50, 0, 0) + v.win_probability(50, 0, 1)):.0f}"
    first, second = iter_verdict_sentences(odds)
    assert first == (
        f"Against an equal opponent, you win {ahead} % of matches with a lead of 75 to 50, "
        f"and {early} % with a lead of 50 to 0."
    )
    assert second.startswith("Between strong players, the dealer wins ")
    scores, by_seat = build_odds_tables(odds)
    tens = [str(ten) for ten in range(0, 100, 10)]
    assert scores.headings == ("your points", *tens) and [row[0] for row in scores.rows] == tens
    assert (
        scores.rows[7][6]
        == f"{50 * (v.win_probability(70, 50, 0) + v.win_probability(70, 50, 1)):.0f}"
    )
    assert [row[1] for row in by_seat.rows] == ["dealer", "nondealer"]


def test_games_without_match_values_or_seats_are_reported():
    """Hollywood has no V; in a race one side counts points and the other deals."""
    table = two_player_odds.simulate_self_play("gold", "hollywood", DEALS)
    assert "columns" in table.unavailable_reason and "simgin match" in table.unavailable_reason
    assert (
        set(two_player_odds.compute_odds_by_seat(table)["metric"]) == {"win", "nobody"}
        and two_player_odds.compute_odds_by_score(table).empty
    )
    table = two_player_odds.simulate_self_play("gold", "race", DEALS)
    match = rows_by_seat(two_player_odds.compute_odds_by_seat(table), "match")
    assert list(match.index) == ["seat 0", "seat 1"] and match["value"].sum() == pytest.approx(1)
    assert two_player_odds.compute_odds_by_score(table).empty
    with pytest.raises(PlayerCountError, match="is a solitaire game"):
        two_player_odds.simulate_self_play("gold", "solitaire-gin", DEALS)


def make_ladder(*wins):
    """Return deals of players with these numbers of gins in 400 deals, weakest first."""
    naive = list_odds_players(variants.find_variant("solitaire-gin"))[0]
    names = (naive, "solo-greedy", "solo-dp")[-len(wins) :]
    found = []
    for name, won in zip(names, wins, strict=True):
        rows = [[u, u % 43, 8, JOKER, 0, 1, 1] for u in range(400)]
        rows[:won] = [[u, u % 43, 8, GIN, 1, 1, 0] for u in range(won)]
        found.append(
            replace(
                make_deals(rows), matchup=solo_deals.make_solo_matchup(name, "solitaire-gin", 1)
            )
        )
    return found


@pytest.mark.parametrize(
    ("wins", "ends"),
    [((100, 220, 200), (100, 220)), ((100, 150, 200), (100, 200)), ((200,), (200,))],
)
def test_the_best_possible_player_is_between_the_best_strategy_and_hindsight(wins, ends):
    """The strongest player by score does not always go gin most often."""
    odds = build_odds([make_ladder(*wins)], [], 1)
    found = odds.tables["bracket"]
    assert found["value"][:-1].tolist() == [won / 400 for won in ends]
    bound = found.iloc[-1]
    chances = solo_odds.compute_hindsight_gin_probability(
        variants.find_variant("solitaire-gin"), solo_odds.N_HINDSIGHT_DECKS, 1
    )
    assert (bound["strategy"], bound["value"]) == (solo_odds.HINDSIGHT_PLAYER, chances.mean())
    low, high = found["low"].iloc[-2], bound["high"]
    first, *others = iter_verdict_sentences(odds)
    best, least = found["strategy"].iloc[-2], math.floor(100 * low)
    bounds = f"{least} to {math.ceil(100 * high)} % of deals"
    assert first.endswith(f". With 95 % confidence, the best possible player wins {bounds}.")
    rates = [
        format_estimate(*row, 100)
        for row in found[["value", "low", "high"]].itertuples(index=False)
    ]
    shares = f"{best} wins {rates[-2]} % of deals"
    if len(wins) > 1:
        strong = f"a strong player ({best})"
        shares = f"A naive player wins {rates[0]} % of deals, and {strong} wins {rates[1]} %"
    assert first.startswith(f"{shares}. ") and "±" in first
    assert others == [
        "When a strong player goes gin, the median number of draws is 8. "
        "In 80 % of these deals, the number is between 8 and 8."
    ]
    assert [fault for line in iter_verdict_sentences(odds) for fault in list_errors(line)] == []


@pytest.mark.parametrize("players", [("gold", "solo-greedy"), ("gold",)])
def test_with_knocking_the_headline_states_the_deals_won(players):
    samples = [simulate(player, "gin-solitaire", 2_000) for player in players]
    odds = build_odds([samples], [], 1)
    won, gin = (
        [format_estimate(*row, 100) for row in rows[["value", "low", "high"]].to_numpy()]
        for rows in (
            odds.select_rows("strength", "gin-solitaire", metric="win"),
            odds.select_rows("bracket", "gin-solitaire"),
        )
    )
    assert won != gin[:-1]
    verdict = list(iter_verdict_sentences(odds))
    first, *others = [f"{player} wins {rate} %" for player, rate in zip(players, won, strict=True)]
    assert verdict[0] == f"{first} of deals{''.join(f', and {other}' for other in others)}."
    assert verdict[1].startswith(f"{players[0]} goes gin in {gin[0]} % of deals")
    table = build_odds_tables(odds)[0]
    shown = dict(zip(table.headings, table.rows[0], strict=True))
    assert (shown["strong: deals won %"], shown["strong: gin %"]) == (won[-1], gin[-2])
    assert ("naive: deals won %" in shown) == (len(players) > 1)
