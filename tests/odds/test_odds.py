"""Compare odds with single deals, exact identities and published results."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from scipy.stats import binom

from simgin.core import batch_columns
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.view import FROM_STOCK
from simgin.match_value import match_value, outcomes
from simgin.odds import solo_deals, solo_odds, two_player_odds
from simgin.odds.odds import Odds, OddsRequest, build_odds, run_odds
from simgin.odds.odds_report import build_odds_tables, iter_odds_plots, iter_verdict_sentences
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
from support.sentence_checks import find_sentence_errors

EMPTY_OUTCOMES = outcomes.Outcomes(
    np.zeros((0, len(outcomes.OUTCOME_COLUMNS)), np.int64),
    np.zeros((outcomes.N_JACKKNIFE_GROUPS, 0), np.int64),
)
GIN_INDEX, JOKER_INDEX, LIMIT_INDEX = (
    DEAL_RESULTS.index(kind) for kind in ("gin", "joker", "limit")
)
JOKER_VARIANTS = ("solitaire-gin", "solitaire-gin-scored", "solitaire-gin-knock", "gin-solitaire")
JOKER_MATCH_VARIANT = "solitary-gin+joker=before_deal+joker_in_hand=redeal"
SOLO_VARIANTS = (*JOKER_VARIANTS, "solitary-gin")


def make_solo_deals(rows, variant="solitaire-gin"):
    """Return solitaire deals with these rows, without outcomes."""
    return SoloDeals(
        solo_deals.make_solo_matchup("solo-greedy", variant, 1),
        np.array(rows, np.int32).reshape(-1, len(DEAL_COLUMNS)),
        EMPTY_OUTCOMES,
        False,
    )


def simulate_solo_deals(strategy, variant, n, seed=1, workers=None):
    """Play solitaire deals without the cache."""
    matchup = solo_deals.make_solo_matchup(strategy, variant, seed)
    kernel.compile_matchup(matchup)
    tables = solo_deals.compute_solo_arrays(
        matchup, n // 5 if matchup.unit == "match" else n, workers
    )
    deal_outcomes = outcomes.Outcomes(tables["outcomes"], tables["counts"])
    return SoloDeals(matchup, tables["rows"], deal_outcomes, bool(tables["by_score"]))


def find_only_row(frame, **values):
    """Return the only row of a DataFrame with these values."""
    matching = frame[(frame[[*values]] == [*values.values()]).all(axis=1)]
    (row,) = matching.to_dict("records")
    return row


HUNDRED_DEALS = make_solo_deals(
    [[u, 30, 4, GIN_INDEX, 1, 1, 0] for u in range(40)]  # gin on the fourth draw
    + [[u, 2, 3, JOKER_INDEX, 0, -1, 1] for u in range(40, 70)]  # the joker on the third
    + [[u, 20, 9, GIN_INDEX, 1, 1, 0] for u in range(70, 100)]  # gin on the ninth
)


@pytest.mark.parametrize(("level", "name"), [(0.1, "q10"), (0.5, "q50"), (0.9, "q90")])
def test_quantile_interval_consists_of_order_statistics(level, name):
    """Compute quantiles of the numbers 1 to 1,000, whose bounds follow from the binomial law."""
    frame = solo_odds.compute_gin_draw_statistics(
        make_solo_deals([[unit, 42, unit + 1, GIN_INDEX, 1, 1, 0] for unit in range(1_000)])
    )
    row = find_only_row(frame, statistic=name)
    assert row["value"] == 1_000 * level
    below, above = (binom.cdf(row[bound] - 1, 1_000, level) for bound in ("low", "high"))
    assert 0.945 < above - below < 0.965


def test_match_totals_are_counted():
    rows = [
        [unit, -1, 15, LIMIT_INDEX, 0, 10 if deal else (-20, 0)[unit % 4 == 0], 0]
        for unit in range(100)
        for deal in range(5)
    ]
    frame = solo_odds.compute_match_total_odds(make_solo_deals(rows, "solitary-gin"))
    assert frame[["total", "value", "n"]].to_numpy().tolist() == [[20, 0.75, 100], [40, 0.25, 100]]
    assert solo_odds.compute_match_total_odds(HUNDRED_DEALS).empty


def test_skill_gap_is_a_paired_difference():
    """Compare with the exact mean and variance of differences that are all 0 or 1."""
    rows = HUNDRED_DEALS.rows.copy()
    rows[:40, DEAL_COLUMNS.index("won")] = 0
    gap = find_only_row(
        solo_odds.compute_skill_gap(replace(HUNDRED_DEALS, rows=rows), HUNDRED_DEALS), metric="win"
    )
    assert gap["value"] == pytest.approx(0.4)
    assert gap["high"] - 0.4 == pytest.approx(1.96 * np.sqrt(0.24 / 99))
    assert gap["same_packs"] == pytest.approx(2.8**2 * 0.24 * 100 / 99 / 0.16)
    assert gap["own_packs"] == pytest.approx(2.8**2 * (0.21 + 0.21) * 100 / 99 / 0.16)
    assert gap["same_packs_low"] < gap["same_packs"] < gap["same_packs_high"]
    assert (
        solo_odds.compute_skill_gap(HUNDRED_DEALS, HUNDRED_DEALS)["value"].isna().all()
    )  # no difference has no error
    rows = HUNDRED_DEALS.rows.copy()
    rows[[0, 50], DEAL_COLUMNS.index("won")] = [0, 1]
    even_gap = find_only_row(
        solo_odds.compute_skill_gap(replace(HUNDRED_DEALS, rows=rows), HUNDRED_DEALS), metric="win"
    )
    assert even_gap["low"] < 0 < even_gap["high"]
    assert np.isinf(even_gap["own_packs_high"])
    assert even_gap["own_packs_low"] > 100


@pytest.mark.parametrize(
    ("variant", "seed"),
    [
        *((variant, 1) for variant in SOLO_VARIANTS),
        ("solitaire-gin+joker_in_hand=lose", 1),
        ("gin-solitaire", 2**64 - 1),
        (JOKER_MATCH_VARIANT, 1),
    ],
)
def test_deal_columns_agree_with_traced_deals(variant, seed):
    """Trace the same deals, and compare the joker's position, the draws and the result."""
    deals = simulate_solo_deals("gold", variant, 300, seed)
    row_index = 0
    for unit in range(60):
        for deal in range(5 if deals.matchup.unit == "match" else 1):
            traced = trace_deal(deals.matchup, unit, 0, deal)
            state, n_dealt = traced.state, 11 if variant == "gin-solitaire" else 10
            draws = sum(turn[1] == FROM_STOCK for turn in traced.turns)
            drew_joker = traced.ending == "joker" and state.joker >= n_dealt
            joker_position = state.joker - n_dealt if state.joker >= n_dealt else -1
            expected = [
                unit,
                joker_position,
                draws + drew_joker,
                DEAL_RESULTS.index(traced.ending),
                state.winner == 0,
            ]
            expected.append(state.score[0] - state.score[1])
            assert deals.rows[row_index, :6].tolist() == expected, f"unit {unit}, deal {deal}"
            row_index += 1


@pytest.mark.parametrize("variant", SOLO_VARIANTS)
def test_odds_agree_with_counting_in_plain_python(variant):
    deals = simulate_solo_deals("gold", variant, 2_000)
    deal_dicts = [dict(zip(DEAL_COLUMNS, map(int, row), strict=True)) for row in deals.rows]
    for deal in deal_dicts:
        deal["kind"], deal["win"] = DEAL_RESULTS[deal["kind"]], deal["won"]
        deal["gin"] = deal["kind"] in solo_odds.ENDING_GROUPS["gin"]
    for row in solo_odds.compute_odds_by_draws(deals).itertuples():
        kinds = solo_odds.ENDING_GROUPS[row.kind]
        n_ended = sum(
            deal_dict["kind"] in kinds and deal_dict["drawn"] <= row.draws
            for deal_dict in deal_dicts
        )
        assert row.value == n_ended / 2_000
    by_cards_left = solo_odds.compute_odds_by_cards_left(deals)
    assert len(by_cards_left) > 20
    for row in by_cards_left.itertuples():
        continuing = [
            deal_dict for deal_dict in deal_dicts if deal_dict["drawn"] > deals.deck_size - row.left
        ]
        assert row.n == len(continuing)
        mean = sum(deal_dict[row.metric] for deal_dict in continuing) / len(continuing)
        assert row.value == pytest.approx(mean, abs=1e-12)


def test_deal_is_won_if_gin_comes_before_the_joker():
    """Compare with the same decks without a joker."""
    deals = simulate_solo_deals("solo-greedy", "solitaire-gin", 2_000)
    rules = "solitary-gin+ace_runs=low+pip_values=face+ace_value=1+max_draws=42"
    without_joker = simulate_solo_deals("solo-greedy", rules, 10_000)
    first_deals = without_joker.rows[::5]
    is_gin = first_deals[:, DEAL_COLUMNS.index("kind")] == GIN_INDEX
    is_won = is_gin & (first_deals[:, DEAL_COLUMNS.index("drawn")] <= deals.get_column("place"))
    assert np.array_equal(deals.get_column("won"), is_won) and 900 < is_won.sum() < 1_100
    assert np.array_equal(
        deals.get_column("drawn")[is_won], first_deals[is_won, DEAL_COLUMNS.index("drawn")]
    )


@pytest.mark.parametrize(
    ("player", "variant", "published", "error"),
    [
        ("solo-greedy", "solitaire-gin-knock", 0.7652, 0.0026),
        ("solo-greedy", "solitaire-gin-scored", 0.2323, 0.0026),
        ("solo-switch", "solitary-gin", 0.7519, 0.0060),
    ],
)
def test_match_win_probability_agrees_with_published_matches(player, variant, published, error):
    """Compare with docs/reference/strategies/solo.md, with a tolerance of 4 standard errors."""
    deals = solo_deals.play_solo_deals(player, variant, 25_000)
    row = find_only_row(solo_odds.compute_odds_by_strategy([deals]), metric="match")
    half_width = (row["high"] - row["low"]) / 2
    assert abs(row["value"] - published) < 2 * np.hypot(half_width, error)
    if variant == "solitary-gin":
        assert row["n"] == 5_000
        totals = solo_odds.compute_match_total_odds(deals)
        probability = totals[totals["total"] <= 30]["value"].sum()
        assert probability == pytest.approx(row["value"], abs=1e-12)


def test_deals_do_not_depend_on_the_number_of_workers():
    arguments = ("solo-greedy", "solitary-gin", 12_000)
    one_worker, three_workers = (
        simulate_solo_deals(*arguments, workers=workers) for workers in (1, 3)
    )
    assert np.array_equal(one_worker.rows, three_workers.rows)
    assert np.array_equal(one_worker.outcomes.counts, three_workers.outcomes.counts)
    assert solo_odds.compute_odds_by_strategy([one_worker]).equals(
        solo_odds.compute_odds_by_strategy([three_workers])
    )
    other_seed = simulate_solo_deals(*arguments, seed=2)
    assert not np.array_equal(one_worker.rows, other_seed.rows)


def test_invalid_solitaire_odds_are_rejected():
    with pytest.raises(PlayerCountError, match="is a two-player variant"):
        solo_deals.play_solo_deals("gold", "standard", 1_000)
    with pytest.raises(outcomes.OutcomeError, match="at least 1,000"):
        solo_deals.play_solo_deals("gold", "solitaire-gin", 999)
    score_dependent = replace(
        simulate_solo_deals("gold", "solitaire-gin-scored", 1_000), depends_on_score=True
    )
    assert "simgin match" in solo_odds.find_match_unavailable_reason(score_dependent)
    assert set(solo_odds.compute_odds_by_strategy([score_dependent])["metric"]) == {
        "win",
        "gin",
        "score",
    }


# Gin would come on draw T and the joker lies below P cards, both random: gin if T <= P.
# Gin scores 10 and the cards above the joker; otherwise X is lost.
# Of T = 4, 8, 12 ... draws
GIN_DRAW_PROBABILITIES = np.array(
    [0.02, 0.03, 0.05, 0.08, 0.1, 0.12, 0.1, 0.1, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02]
)
GIN_DRAW_PROBABILITIES /= GIN_DRAW_PROBABILITIES.sum()
LOST_POINTS = np.array([2, 9, 30])


def compute_deal_results(gin_draw, joker_position, lost_points):
    """Return draws, wins and scores of deals, from the draw of gin and the joker's position."""
    is_won = gin_draw <= joker_position
    n_draws = np.where(is_won, gin_draw, joker_position + 1)
    return n_draws, is_won, np.where(is_won, 10 + joker_position - gin_draw, -lost_points)


def sample_deals(rng, n):
    """Sample deals with the draw of gin from GIN_DRAW_PROBABILITIES and a random joker position."""
    gin_draw = 4 * rng.choice(len(GIN_DRAW_PROBABILITIES), n, p=GIN_DRAW_PROBABILITIES) + 4
    joker_position, lost_points = rng.integers(0, 43, n), rng.choice(LOST_POINTS, n)
    n_draws, won, score = compute_deal_results(gin_draw, joker_position, lost_points)
    kind = np.where(won, GIN_INDEX, JOKER_INDEX)
    return make_solo_deals(
        np.stack([np.arange(n), joker_position, n_draws, kind, won, score, ~won], axis=1)
    )


def compute_exact_values():
    """Compute the exact values of the quantities that `estimate_quantities` estimates."""
    gin_index, joker_position, lost_points = (
        grid.reshape(-1)
        for grid in np.meshgrid(np.arange(len(GIN_DRAW_PROBABILITIES)), np.arange(43), LOST_POINTS)
    )
    probabilities = GIN_DRAW_PROBABILITIES[gin_index] / 43 / len(LOST_POINTS)
    n_draws, won, score = compute_deal_results(4 * gin_index + 4, joker_position, lost_points)
    gin_probabilities, continuing = probabilities * won, probabilities * (n_draws > 15)
    by_draw = np.bincount(n_draws, gin_probabilities).cumsum()

    def compute_joker_share(result):
        """Return the proportion of the variance that the joker's position explains."""
        group_means = [
            probabilities[joker_position == position] @ result[joker_position == position] * 43
            for position in range(43)
        ]
        return np.var(group_means) / (probabilities @ (result - probabilities @ result) ** 2)

    return {
        "win": gin_probabilities.sum(),
        "score": probabilities @ score,
        "gin by 16": gin_probabilities[n_draws <= 16].sum(),
        "joker by 16": (probabilities - gin_probabilities)[n_draws <= 16].sum(),
        "win at 28": continuing @ won / continuing.sum(),
        "score at 28": continuing @ score / continuing.sum(),
        "mean draw": gin_probabilities @ n_draws / gin_probabilities.sum(),
        "median draw": np.searchsorted(by_draw, gin_probabilities.sum() / 2),
        "joker, win": compute_joker_share(won),
        "joker, score": compute_joker_share(score),
    }


def estimate_quantities(deals):
    """Estimate the quantities of `compute_exact_values` from sampled deals."""
    strength, by_draws = (
        solo_odds.compute_odds_by_strategy([deals]),
        solo_odds.compute_odds_by_draws(deals),
    )
    by_cards_left, gin_draws = (
        solo_odds.compute_odds_by_cards_left(deals),
        solo_odds.compute_gin_draw_statistics(deals),
    )
    joker = solo_odds.compute_joker_variance_share(deals)
    return {
        "win": find_only_row(strength, metric="win"),
        "score": find_only_row(strength, metric="score"),
        "gin by 16": find_only_row(by_draws, kind="gin", draws=16),
        "joker by 16": find_only_row(by_draws, kind="joker", draws=16),
        "win at 28": find_only_row(by_cards_left, left=28, metric="win"),
        "score at 28": find_only_row(by_cards_left, left=28, metric="score"),
        "mean draw": find_only_row(gin_draws, statistic="mean"),
        "median draw": find_only_row(gin_draws, statistic="q50"),
        "joker, win": find_only_row(joker, metric="win"),
        "joker, score": find_only_row(joker, metric="score"),
    }


@pytest.mark.parametrize(
    ("n_runs", "min_covered"), [(60, 51), pytest.param(200, 179, marks=pytest.mark.slow)]
)
def test_intervals_have_nominal_coverage(n_runs, min_covered):
    """Count the intervals that cover the exact values in samples of 1,500 deals."""
    rng = np.random.default_rng(2311)
    expected, n_covered = compute_exact_values(), dict.fromkeys(compute_exact_values(), 0)
    for _ in range(n_runs):
        for name, row in estimate_quantities(sample_deals(rng, 1_500)).items():
            n_covered[name] += row["low"] <= expected[name] <= row["high"]
    assert all(min_covered <= count for count in n_covered.values()), n_covered


def test_joker_variance_share_is_unbiased_for_few_deals():
    """Use results that do not depend on the joker, for which the naive estimate is 14 %."""
    rng, shares = np.random.default_rng(5), []
    for _ in range(100):
        deals = sample_deals(rng, 300)
        rows = deals.rows.copy()
        rows[:, DEAL_COLUMNS.index("place")] = rng.integers(0, 43, 300)
        frame = solo_odds.compute_joker_variance_share(replace(deals, rows=rows))
        shares.append(find_only_row(frame, metric="win")["value"])
    assert abs(np.mean(shares)) < 4 * np.std(shares) / np.sqrt(100)


def test_joker_variance_share_is_undefined_without_wins():
    lost_deals = make_solo_deals(
        [[u, u % 43, u % 43 + 1, JOKER_INDEX, 0, -1, 1] for u in range(1_000)]
    )
    assert (
        solo_odds.compute_gin_draw_statistics(lost_deals).empty
        and solo_odds.compute_joker_variance_share(lost_deals).empty
    )
    win = find_only_row(solo_odds.compute_odds_by_strategy([lost_deals]), metric="win")
    assert win["value"] == 0 < win["high"] < 0.005


# Two-player odds by seat and score compared with sums and V, and their sentences


N_DEALS = 20_000


@pytest.fixture(scope="module")
def standard_self_play():
    return two_player_odds.simulate_self_play("gold", "standard", N_DEALS)


def select_rows_by_seat(frame, metric):
    return frame[frame["metric"] == metric].set_index("seat")


def test_odds_by_seat_agree_with_the_engine_sums(standard_self_play):
    """Compare with the statistics that the engine records for the same deals."""
    matchup = parse_matchup("gold", "gold", "standard", 1, "deal")
    total = batches.sum_rows(runner.run_matchup(matchup, N_DEALS))
    sums = {
        name: int(total[batch_columns.SUMS_START + index])
        for name, index in batch_columns.STATISTIC_INDEX.items()
    }
    won = select_rows_by_seat(two_player_odds.compute_odds_by_seat(standard_self_play), "win")
    assert won.loc["nondealer", "value"] == sums["first_player_win"] / N_DEALS
    assert won.loc["dealer", "value"] == (sums["decided"] - sums["first_player_win"]) / N_DEALS
    drawn = select_rows_by_seat(two_player_odds.compute_odds_by_seat(standard_self_play), "nobody")
    assert set(drawn["value"]) == {(N_DEALS - sums["decided"]) / N_DEALS}
    assert set(drawn["n"]) == {N_DEALS}
    assert (won["low"] < won["value"]).all() and (won["value"] < won["high"]).all()


def test_match_odds_by_seat_equal_the_initial_match_value(standard_self_play):
    match = select_rows_by_seat(two_player_odds.compute_odds_by_seat(standard_self_play), "match")
    v = match_value.compute_value("standard", "gold", "gold", deals=N_DEALS)
    assert match.loc["dealer", "value"] == v.win_probability(0, 0, 0)
    assert match.loc["nondealer", "value"] == v.win_probability(0, 0, 1)
    assert match["value"].sum() == pytest.approx(1)
    half_width = match.loc["dealer", "high"] - match.loc["dealer", "value"]
    assert half_width == pytest.approx(2.093 * v.standard_error(0, 0, 0), rel=1e-3)


def test_odds_by_score_are_symmetric(standard_self_play):
    frame = two_player_odds.compute_odds_by_score(standard_self_play)
    assert tuple(frame.columns) == list_output_columns("scores")
    assert len(frame) == 100 * 100 * 2 == len(frame.drop_duplicates(["a", "b", "dealer"]))
    win_probability = frame.set_index(["a", "b", "dealer"])["value"]
    for a, b in [(0, 0), (10, 90), (99, 98), (50, 25)]:
        assert win_probability[a, b, 0] + win_probability[b, a, 1] == pytest.approx(1)
    assert win_probability[90, 10, 0] > win_probability[50, 50, 0] > win_probability[10, 90, 0]
    columns = [0, *(frame[name] for name in ("low", "value", "high")), 1]
    assert all((low <= high).all() for low, high in itertools.pairwise(map(np.asarray, columns)))


def format_mean_win_rate(v, a, b):
    """Format the win rate averaged over dealers, with the mean of their half-widths."""
    value = sum(v.win_probability(a, b, dealer) for dealer in (0, 1)) / 2
    half_width = 2.093 * sum(v.standard_error(a, b, dealer) for dealer in (0, 1)) / 2
    bounds = (value - half_width, value + half_width)
    return format_estimate(100 * value, *(100 * bound for bound in bounds))


def test_reported_odds_by_score_are_averaged_over_dealers(standard_self_play):
    frame = two_player_odds.compute_odds_by_score(standard_self_play)
    odds = Odds(
        1,
        {"scores": frame, "seats": two_player_odds.compute_odds_by_seat(standard_self_play)},
        {"standard": "gold"},
    )
    v = standard_self_play.match_values
    ahead, early = (format_mean_win_rate(v, *scores) for scores in ((75, 50), (50, 0)))
    first, second = iter_verdict_sentences(odds)
    assert first == (
        f"Against an equal opponent, you win {ahead} % of matches with a lead of 75 to 50, "
        f"and {early} % with a lead of 50 to 0."
    )
    scores, by_seat = build_odds_tables(odds)
    dealer_rate, nondealer_rate = (row[2] for row in by_seat.rows)
    assert "±" in dealer_rate and second == (
        f"Between strong players, the dealer wins {dealer_rate} % of deals and the nondealer "
        f"wins {nondealer_rate} %."
    )
    assert "For each dealer, the value differs from the mean shown by up to " in scores.note
    tens = [str(ten) for ten in range(0, 100, 10)]
    assert scores.headings == ("your points", *tens) and [row[0] for row in scores.rows] == tens
    assert (
        scores.rows[7][6]
        == f"{50 * (v.win_probability(70, 50, 0) + v.win_probability(70, 50, 1)):.0f}"
    )
    assert [row[1] for row in by_seat.rows] == ["dealer", "nondealer"]


@pytest.mark.parametrize(
    ("half_width", "note"),
    [(0.01, "A dash (–) marks win rates"), (0.1, "Every interval is wider than ± 5 perc")],
)
def test_note_on_deadwood_explains_missing_win_rates(half_width, note):
    row = {"variant": "standard", "strategy": "gold", "turn": 4, "count": 20, "value": 0.5}
    row |= {"low": 0.5 - half_width, "high": 0.5 + half_width}
    frames = {
        "counts": pd.DataFrame([row]),
        "seats": pd.DataFrame([{**row, "metric": "win", "seat": "dealer"}]),
    }
    tables = build_odds_tables(Odds(1, frames, {"standard": "gold"}))
    assert tables[0].note.startswith(note) and bool(tables[0].rows) == (half_width < 0.05)


def test_missing_match_value_is_explained():
    """Use Hollywood Gin, which has no match value, and Gin Race, whose seats differ."""
    self_play = two_player_odds.simulate_self_play("gold", "hollywood", N_DEALS)
    assert (
        "columns" in self_play.unavailable_reason and "simgin match" in self_play.unavailable_reason
    )
    assert (
        set(two_player_odds.compute_odds_by_seat(self_play)["metric"]) == {"win", "nobody"}
        and two_player_odds.compute_odds_by_score(self_play).empty
    )
    self_play = two_player_odds.simulate_self_play("gold", "race", N_DEALS)
    match = select_rows_by_seat(two_player_odds.compute_odds_by_seat(self_play), "match")
    assert list(match.index) == ["seat 0", "seat 1"] and match["value"].sum() == pytest.approx(1)
    assert two_player_odds.compute_odds_by_score(self_play).empty
    odds = build_odds([], [self_play, self_play], 1)
    assert odds.unavailable_reasons == [
        "Win probabilities by score are computed only for matches to a number of points, not for "
        "race."
    ]
    with pytest.raises(PlayerCountError, match="is a solitaire game"):
        two_player_odds.simulate_self_play("gold", "solitaire-gin", N_DEALS)


@pytest.mark.usefixtures("few_decks")
def test_headings_of_plots_differ_from_the_titles_in_the_plots():
    players = ["solo-greedy", "gold+discard=hits"]
    solo_names = ["solitaire-gin-knock", "solitary-gin"]
    odds = (
        run_odds(OddsRequest.read(solo_names, players, deals=2_000)),
        run_odds(OddsRequest.read(["standard"], ["gold"], deals=10_000)),
    )
    for plot in itertools.chain(*map(iter_odds_plots, odds)):
        texts = [text.get_text() for text in plot.figure.findobj(Text)]
        assert plot.title.endswith("?") and any(texts)
        assert not [text for text in texts if text.startswith(plot.title)]
        assert "?" not in plot.alt


def make_player_ladder(*gin_counts):
    """Return 400 deals for each player, weakest player first, with given numbers of gins."""
    naive_player = list_odds_players(variants.find_variant("solitaire-gin"))[0]
    names = (naive_player, "solo-greedy", "solo-dp")[-len(gin_counts) :]
    samples = []
    for name, n_gins in zip(names, gin_counts, strict=True):
        rows = [[u, u % 43, 8, JOKER_INDEX, 0, 1, 1] for u in range(400)]
        rows[:n_gins] = [[u, u % 43, 8, GIN_INDEX, 1, 1, 0] for u in range(n_gins)]
        samples.append(
            replace(
                make_solo_deals(rows),
                matchup=solo_deals.make_solo_matchup(name, "solitaire-gin", 1),
            )
        )
    return samples


@pytest.mark.parametrize(
    ("gin_counts", "expected"),
    [((100, 220, 200), (100, 220)), ((100, 150, 200), (100, 200)), ((200,), (200,))],
)
def test_best_possible_player_is_between_best_strategy_and_hindsight(
    gin_counts, expected, monkeypatch
):
    """Include a case in which the strongest player does not have the highest gin rate."""
    monkeypatch.setattr(solo_odds, "N_HINDSIGHT_DECKS", 1_000)
    odds = build_odds([make_player_ladder(*gin_counts)], [], 1)
    bracket = odds.tables["bracket"]
    assert bracket["value"][:-1].tolist() == [won / 400 for won in expected]
    bound = bracket.iloc[-1]
    probabilities = solo_odds.compute_hindsight_gin_probability(
        variants.find_variant("solitaire-gin"), solo_odds.N_HINDSIGHT_DECKS, 1
    )
    assert (bound["strategy"], bound["value"]) == (solo_odds.HINDSIGHT_PLAYER, probabilities.mean())
    low, high = bracket["low"].iloc[-2], bound["high"]
    first, *others = iter_verdict_sentences(odds)
    best, lower_bound = bracket["strategy"].iloc[-2], math.floor(100 * low)
    bounds = f"{lower_bound} to {math.ceil(100 * high)} % of deals"
    assert first.endswith(f". With 95 % confidence, the best possible player wins {bounds}.")
    rates = [
        format_estimate(*row, 100)
        for row in bracket[["value", "low", "high"]].itertuples(index=False)
    ]
    sentence = f"{best} wins {rates[-2]} % of deals"
    if len(gin_counts) > 1:
        strong = f"a strong player ({best})"
        sentence = f"A naive player wins {rates[0]} % of deals, and {strong} wins {rates[1]} %"
    assert first.startswith(f"{sentence}. ") and "±" in first
    assert others == [
        f"When {odds.strongest_players['solitaire-gin']} goes gin, the median number of draws is "
        "8. In 80 % of these deals, the number is between 8 and 8."
    ]
    assert [
        error for line in iter_verdict_sentences(odds) for error in find_sentence_errors(line)
    ] == []


@pytest.mark.parametrize("players", [("gold", "solo-greedy"), ("gold",)])
def test_headline_states_the_deals_won_if_knocking_is_possible(players):
    samples = [simulate_solo_deals(player, "gin-solitaire", 2_000) for player in players]
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
    row = dict(zip(table.headings, table.rows[0], strict=True))
    assert (row["strong: deals won %"], row["strong: gin %"]) == (won[-1], gin[-2])
    assert ("naive: deals won %" in row) == (len(players) > 1)
