"""Tests of error rates: sums that must add up, and luck that must not count as skill."""

from dataclasses import replace

import numpy as np
import pytest

from simgin.analysis.decision_evaluator import (
    MISTAKES,
    DecisionEvaluator,
    _find_hidden_hand,
    iter_evaluator_actions,
    iter_positions_of_a,
)
from simgin.analysis.error_rates import (
    MIN_DEALS,
    MIN_RELIABLE_WORLDS,
    ErrorRates,
    RatingTask,
    build_rates_table,
    evaluate_units,
    run_error_rates,
)
from simgin.core.cards import ALL_CARDS
from simgin.core.position_rollouts import ACTION_END
from simgin.core.shuffle import deal_next_card
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal


def slow_case(*case):
    return pytest.param(*case, marks=pytest.mark.slow)


# A, B and the evaluator, different enough for few deals. jdh8-heuristic and exp710 discard before
# they decide about ending the deal
OFFERS = "gold+offer=strong:blind=yes+answer=brave"
LEMMA_CASES = [
    slow_case("stock-greedy", "simple", "standard", "gold-early"),
    slow_case("gold+knock=never", "gold-early", "oklahoma", "jdh8-heuristic"),
    slow_case("stubborn", "exp710", "eaai", "gold"),
    ("stock-greedy+answer=random", OFFERS, "dice", "gold-early+answer=brave"),
    slow_case("solo-greedy", None, "solitaire-gin", "solo-dp"),
    ("solo-greedy", None, "gin-solitaire", "solo-dp"),
    slow_case("solo-greedy", None, "solitary-gin", "solo-dp"),
]


@pytest.mark.parametrize("deals", [80, slow_case(300)])
@pytest.mark.parametrize(("a", "b", "variant", "judge"), LEMMA_CASES)
def test_gains_of_the_evaluator_add_up_to_its_higher_score(a, b, variant, judge, deals):
    """Apply the performance difference lemma (Kakade and Langford 2002) to a better evaluator."""
    trial = RatingTask.read(a, b, variant, judge, MIN_DEALS, worlds=0, seed=3)
    rates = run_error_rates(replace(trial, n_deals=deals))
    error = np.hypot(
        rates.evaluator_gains.std(ddof=1) / np.sqrt(len(rates.evaluator_gains)), rates.lead.se
    )
    assert abs(rates.evaluator_gains.mean() - rates.lead.value) < 3 * error
    assert rates.lead.value > 4 * error
    assert rates.total.value == pytest.approx(rates.lead.value)


# The first of a pair decides about the ending before the discard, the second after it
@pytest.mark.parametrize("pair", [("champion", "jdh8-heuristic"), ("exp710", "gold-early")])
@pytest.mark.parametrize("name", ["standard", "standard-50th", "shot", "dice", "big-gin"])
def test_the_evaluator_chooses_the_actions_that_it_played(name, pair):
    matchup = parse_matchup(*pair, name, 5, "deal")
    kinds = set()
    for unit in range(4):
        deal = trace_deal(matchup, unit, unit % 2)
        for position, action in iter_evaluator_actions(matchup, deal):
            assert action == position.chosen
            kinds.add(position.chosen.kind)
    assert ACTION_END in kinds and len(kinds) > 3


@pytest.mark.parametrize("name", ["solitaire-gin-knock", "gin-solitaire", "solitary-gin"])
def test_the_evaluator_decides_for_itself_in_deals_of_another_strategy(name):
    matchup = parse_matchup("solo-greedy+knock=never", None, name, 5, "deal")
    judge = parse_matchup("solo-dp", None, name, 5, "deal")
    other = 0
    for unit in range(6):
        deal = trace_deal(matchup, unit)
        for position, action in iter_evaluator_actions(judge, deal):
            assert action in position.actions
            other += action != position.chosen
    assert other > 5


def make_small_task(worlds):
    """Return a task with fewer deals than a user may request."""
    trial = RatingTask.read("gold", "gold-early", "eaai", "gold-early", MIN_DEALS, worlds, 2)
    return replace(trial, n_deals=30)


@pytest.fixture(scope="module")
def rates() -> ErrorRates:
    return run_error_rates(make_small_task(worlds=20))


@pytest.fixture(scope="module")
def without_worlds() -> ErrorRates:
    return run_error_rates(make_small_task(worlds=0), workers=3)


def test_kinds_and_mistakes_add_up(rates):
    frame = rates.frame
    whole = frame[frame["mistake"] == ""].set_index("kind")
    parts = frame[frame["mistake"] != ""].groupby("kind")
    for column in ("points", "per_deal"):
        assert whole.loc["all", column] == pytest.approx(whole[column].drop("all").sum())
        for kind, total in parts[column].sum().items():
            assert whole.loc[kind, column] == pytest.approx(total)
    for unit in rates.decisions:
        for judged in unit:
            assert (judged.mistake == "") == (judged.chosen == judged.best)
            assert judged.mistake in ("", *MISTAKES[judged.kind])
            assert judged.mistake or judged.cost == 0


def test_workers_do_not_change_the_rates(without_worlds):
    alone = run_error_rates(without_worlds.task, workers=1)
    assert alone.decisions == without_worlds.decisions
    assert alone.frame.equals(without_worlds.frame)


def test_worlds_find_better_actions_without_selection_bias(rates, without_worlds):
    """Compare gains in the actual cards, which the evaluator does not know."""
    assert rates.total.value > without_worlds.total.value
    changed = [judged for unit in rates.decisions for judged in unit if judged.mistake]
    assert np.mean([one.cost for one in changed]) < np.mean([one.selection_lead for one in changed])
    task = RatingTask.read("gold", "simple", "standard", "gold", MIN_DEALS, 0, 1)
    itself = run_error_rates(replace(task, n_deals=20))
    assert itself.lead.value == itself.total.value == 0
    assert not any(judged.mistake for unit in itself.decisions for judged in unit)


def test_few_worlds_print_a_note_about_low_rates(rates):
    note = build_rates_table(rates, "gold-early").note
    assert "With fewer than 100 worlds" in note and "underestimates the loss" in note
    enough = replace(rates, task=replace(rates.task, n_worlds=100))
    assert "fewer than" not in build_rates_table(enough, "gold-early").note


@pytest.mark.slow
def test_rates_are_stable_with_enough_worlds():
    """Compare 20, 100 and 400 worlds in 300 deals within 3 SE: one false alarm in 370."""
    trial = RatingTask.read("gold", "gold-early", "eaai", "gold-early", MIN_DEALS, 0, 2)
    costs = {}
    for worlds in (20, MIN_RELIABLE_WORLDS, 400):
        judged = evaluate_units(replace(trial, n_worlds=worlds), 0, 150)
        costs[worlds] = np.array([sum(one.cost for one in unit) for unit in judged]) / 2
    lost, level = costs[100] - costs[20], costs[400] - costs[100]
    errors = [of.std(ddof=1) / np.sqrt(len(of)) for of in (lost, level)]
    print("20, 100, 400 worlds:", *(of.mean().round(2) for of in costs.values()), errors)
    assert lost.mean() > 0
    assert abs(level.mean()) < 3 * errors[1]


@pytest.mark.parametrize(
    ("variant", "own", "players"),
    [
        ("eaai", "random", ("champion", "champion")),
        ("solitaire-gin", "solo-greedy", ("solo-champion", "")),
    ],
)
def test_the_strongest_strategy_is_evaluator_and_opponent(variant, own, players):
    trial = RatingTask.read(own, None, variant, None, MIN_DEALS, 0, 1)
    assert trial.evaluator.a.spec == players[0]
    assert trial.matchup.opponent == trial.evaluator.opponent == players[1]
    if variant == "solitaire-gin":  # points do not count
        task = RatingTask.read(own, None, variant, own, MIN_DEALS, 0, 1)
        rates = run_error_rates(replace(task, n_deals=10))
        assert rates.unit == "% of deals" and set(rates.frame["counted"]) == {"% of deals"}


def test_the_hidden_hand_agrees_with_the_deal(rates):
    """Compare with the cards that are in neither the hand, the pile nor the stock."""
    matchup = rates.task.matchup
    for unit in range(20):
        deal = trace_deal(matchup, unit, unit % 2)
        hands = [
            (position, _find_hidden_hand(deal, position.view))
            for position in iter_positions_of_a(deal)
        ]
        while deal.state.dealt < 52:
            deal_next_card(deal.state)
        for position, hand in hands:
            view = position.view
            stock = sum(1 << int(card) for card in deal.state.pack[52 - int(view.stock) :])
            assert hand == ALL_CARDS & ~(int(view.hand) | int(view.pile) | stock)


def test_costliest_decisions_come_from_other_worlds(rates):
    costliest = rates.find_costliest(5)
    values = [lead.value for _, lead in costliest]
    assert values == sorted(values, reverse=True)
    assert len(costliest) == 5
    judged, lead = costliest[0]
    deal = trace_deal(rates.task.matchup, judged.unit, judged.mirrored_game)
    (position,) = [own for own in iter_positions_of_a(deal) if own.label == judged.label]
    judge = DecisionEvaluator(rates.task.evaluator, 0)
    many = judge.sample_lead(position, judged.best, 4000)
    assert abs(many.mean() - lead.value) < 4 * lead.se
