"""Tests of error rates, which must add up and must not depend on luck."""

from dataclasses import replace

import numpy as np
import pytest

from simgin.analysis.decision_evaluator import (
    MISTAKES_BY_DECISION_KIND,
    DecisionEvaluator,
    _find_hidden_hand,
    iter_evaluator_actions,
    iter_positions_of_a,
)
from simgin.analysis.error_rates import (
    MIN_DEALS,
    MIN_RELIABLE_WORLDS,
    ErrorRates,
    EvaluationTask,
    build_rates_table,
    estimate_error_rates,
    evaluate_units,
)
from simgin.core.cards import ALL_CARDS
from simgin.core.position_rollouts import ACTION_END_DEAL
from simgin.core.shuffle import deal_next_card
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal

pytestmark = pytest.mark.usefixtures("few_metropolis_steps")


def mark_case_as_slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


# A, B and the evaluator, different enough for few deals. jdh8-heuristic and exp710 discard before
# they decide about ending the deal
OFFERING_PLAYER = "gold+offer=strong:blind=yes+answer=brave"
DIFFERENCE_LEMMA_PLAYERS = [
    ("stock-greedy", "simple", "standard", "gold-early"),
    ("gold+knock=never", "gold-early", "oklahoma", "jdh8-heuristic"),
    ("stubborn", "exp710", "eaai", "gold"),
    ("stock-greedy+answer=random", OFFERING_PLAYER, "dice", "gold-early+answer=brave"),
    ("solo-greedy", None, "solitaire-gin", "solo-dp"),
    ("solo-greedy", None, "gin-solitaire", "solo-dp"),
    ("solo-greedy", None, "solitary-gin", "solo-dp"),
]
# A game with a die, and the solitaire game in which the evaluator leads by most standard errors
DIFFERENCE_LEMMA_CASES = [
    (*players, 40) for players in DIFFERENCE_LEMMA_PLAYERS if players[2] in ("dice", "solitary-gin")
]
DIFFERENCE_LEMMA_CASES += [
    mark_case_as_slow(*players, n_deals)
    for players in DIFFERENCE_LEMMA_PLAYERS
    for n_deals in (80, 300)
]


@pytest.mark.parametrize(("a", "b", "variant", "evaluator", "n_deals"), DIFFERENCE_LEMMA_CASES)
def test_decision_gains_add_up_to_the_lead_of_the_evaluator(a, b, variant, evaluator, n_deals):
    """Check an equation of the performance difference lemma (Kakade and Langford 2002)."""
    task = EvaluationTask.read(a, b, variant, evaluator, MIN_DEALS, worlds=0, seed=3)
    rates = estimate_error_rates(replace(task, n_deals=n_deals))
    error = np.hypot(
        rates.gains_per_unit.std(ddof=1) / np.sqrt(len(rates.gains_per_unit)),
        rates.evaluator_lead.se,
    )
    assert abs(rates.gains_per_unit.mean() - rates.evaluator_lead.value) < 3 * error
    assert rates.evaluator_lead.value > 4 * error
    assert rates.total_loss.value == pytest.approx(rates.evaluator_lead.value)


# The first of a pair decides about the ending before the discard, the second after it
@pytest.mark.parametrize("players", [("champion", "jdh8-heuristic"), ("exp710", "gold-early")])
@pytest.mark.parametrize("variant", ["standard", "standard-50th", "shot", "dice", "big-gin"])
def test_evaluator_chooses_the_actions_that_it_played(variant, players):
    matchup = parse_matchup(*players, variant, 5, "deal")
    kinds = set()
    for unit in range(4):
        deal = trace_deal(matchup, unit, unit % 2)
        for position, action in iter_evaluator_actions(matchup, deal):
            assert action == position.recorded_action
            kinds.add(position.recorded_action.type)
    assert ACTION_END_DEAL in kinds and len(kinds) > 3


@pytest.mark.parametrize("variant", ["solitaire-gin-knock", "gin-solitaire", "solitary-gin"])
def test_evaluator_disagrees_with_another_strategy(variant):
    matchup = parse_matchup("solo-greedy+knock=never", None, variant, 5, "deal")
    evaluator = parse_matchup("solo-dp", None, variant, 5, "deal")
    n_different = 0
    for unit in range(6):
        deal = trace_deal(matchup, unit)
        for position, action in iter_evaluator_actions(evaluator, deal):
            assert action in position.actions
            n_different += action != position.recorded_action
    assert n_different > 5


def make_small_task(n_worlds):
    """Return a task to evaluate 30 deals, which is fewer than users can request."""
    task = EvaluationTask.read("gold", "gold-early", "eaai", "gold-early", MIN_DEALS, n_worlds, 2)
    return replace(task, n_deals=30)


@pytest.fixture(scope="module")
def rates() -> ErrorRates:
    return estimate_error_rates(make_small_task(n_worlds=20))


@pytest.fixture(scope="module")
def rates_without_worlds() -> ErrorRates:
    return estimate_error_rates(make_small_task(n_worlds=0), workers=3)


def test_costs_by_kind_and_mistake_add_up(rates):
    frame = rates.frame
    totals = frame[frame["mistake"] == ""].set_index("kind")
    groups = frame[frame["mistake"] != ""].groupby("kind")
    for column in ("points", "per_deal"):
        assert totals.loc["all", column] == pytest.approx(totals[column].drop("all").sum())
        for kind, total in groups[column].sum().items():
            assert totals.loc[kind, column] == pytest.approx(total)
    for unit in rates.decisions:
        for decision in unit:
            assert (decision.mistake == "") == (decision.chosen_action == decision.best_action)
            assert decision.mistake in ("", *MISTAKES_BY_DECISION_KIND[decision.decision_kind])
            assert decision.mistake or decision.cost == 0


def test_rates_do_not_depend_on_the_number_of_workers(rates_without_worlds):
    single_worker = estimate_error_rates(rates_without_worlds.task, workers=1)
    assert single_worker.decisions == rates_without_worlds.decisions
    assert single_worker.frame.equals(rates_without_worlds.frame)


def test_worlds_find_better_actions_without_selection_bias(rates, rates_without_worlds):
    """Measure gains with the actual hidden cards, which did not influence the chosen actions."""
    assert rates.total_loss.value > rates_without_worlds.total_loss.value
    mistakes = [decision for unit in rates.decisions for decision in unit if decision.mistake]
    assert np.mean([decision.cost for decision in mistakes]) < np.mean(
        [decision.best_gain_lower_bound for decision in mistakes]
    )
    task = EvaluationTask.read("gold", "simple", "standard", "gold", MIN_DEALS, 0, 1)
    self_rates = estimate_error_rates(replace(task, n_deals=20))
    assert self_rates.evaluator_lead.value == self_rates.total_loss.value == 0
    assert not any(decision.mistake for unit in self_rates.decisions for decision in unit)


def test_few_worlds_add_a_note_about_underestimation(rates):
    note = build_rates_table(rates, "gold-early").note
    assert "With fewer than 100 worlds" in note and "underestimates the loss" in note
    enough = replace(rates, task=replace(rates.task, n_worlds=100))
    assert "fewer than" not in build_rates_table(enough, "gold-early").note


@pytest.mark.slow
def test_rates_are_stable_with_enough_worlds():
    """Compare the rates from 20, 100 and 400 worlds, with a tolerance of 3 standard errors."""
    task = EvaluationTask.read("gold", "gold-early", "eaai", "gold-early", MIN_DEALS, 0, 2)
    costs = {}
    for n_worlds in (20, MIN_RELIABLE_WORLDS, 400):
        decisions_by_unit = evaluate_units(replace(task, n_worlds=n_worlds), 0, 150)
        costs[n_worlds] = (
            np.array([sum(decision.cost for decision in unit) for unit in decisions_by_unit]) / 2
        )
    increase, change = costs[100] - costs[20], costs[400] - costs[100]
    errors = [values.std(ddof=1) / np.sqrt(len(values)) for values in (increase, change)]
    print("20, 100, 400 worlds:", *(values.mean().round(2) for values in costs.values()), errors)
    assert increase.mean() > 0
    assert abs(change.mean()) < 3 * errors[1]


@pytest.mark.parametrize(
    ("variant", "player", "expected"),
    [
        ("eaai", "random", ("champion", "champion")),
        ("solitaire-gin", "solo-greedy", ("solo-champion", "")),
    ],
)
def test_default_evaluator_and_opponent_are_the_strongest_strategy(variant, player, expected):
    task = EvaluationTask.read(player, None, variant, None, MIN_DEALS, 0, 1)
    assert task.evaluator.a.spec == expected[0]
    assert task.matchup.opponent == task.evaluator.opponent == expected[1]
    if variant == "solitaire-gin":  # points do not count
        task = EvaluationTask.read(player, None, variant, player, MIN_DEALS, 0, 1)
        rates = estimate_error_rates(replace(task, n_deals=10))
        assert rates.unit == "% of deals" and set(rates.frame["counted"]) == {"% of deals"}


def test_hidden_hand_excludes_player_pile_and_stock(rates):
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


def test_costliest_decisions_agree_with_other_worlds(rates):
    costliest = rates.find_costliest(5)
    values = [lead.value for _, lead in costliest]
    assert values == sorted(values, reverse=True)
    assert len(costliest) == 5
    decision, lead = costliest[0]
    deal = trace_deal(rates.task.matchup, decision.unit_number, decision.mirrored_game)
    (position,) = [
        candidate
        for candidate in iter_positions_of_a(deal)
        if candidate.label == decision.position_label
    ]
    evaluator = DecisionEvaluator(rates.task.evaluator, 0)
    leads = evaluator.sample_gains_over_chosen(position, decision.best_action, 4000)
    assert abs(leads.mean() - lead.value) < 4 * lead.se
