"""Tests that a game table offers the decisions of the engine and plays the same games."""

import random
import re

import pytest

from simgin.play import kernel, replay, replay_json
from simgin.play.game_table import GameTable, IllegalMoveError
from simgin.play.hand_analysis import choose_shown_melding
from simgin.play.matchup import parse_matchup
from simgin.play.table_text import (
    format_prompt,
    format_table_lines,
    format_turn_lines,
    list_choices,
)
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.text.notation import cards_to_mask, parse_cards
from support.variant_lists import ONE_PLAYER_VARIANTS

VARIANTS = [*variants.variant_names(), "standard+first_turn=discard_first+big_gin=yes"]
VARIANTS += ["standard-50th", "tedesco+melding=choice"]
ACTION_CODES = range(64)
RESULT_FIELDS = "dealer pack kind knocker winner score points deals_won games column_points".split()
RESULT_FIELDS += ["stake", "turns"]


def make_matchup(variant, unit="match", seed=3):
    is_solo = variants.find_variant(variant).is_solo
    players = ("solo-greedy", None) if is_solo else ("gold", "simple+stake=random")
    return parse_matchup(*players, variant, seed, unit)


def serialize_view(decision):
    return [decision.view[name].tobytes() for name in decision.view.dtype.names]


def choose_random_action(rng, decision):
    """Choose a random legal action that mostly declines endings, so that deals are long."""
    if decision.slot in ("knock", "offer") and rng.random() < 0.8:
        return 0
    return rng.choice([action for action in ACTION_CODES if int(decision.view.legal) >> action & 1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_game_at_the_table_agrees_with_the_engine(variant):
    rng = random.Random(variant)
    matchup = make_matchup(variant)
    table = GameTable(matchup, unit=2)
    script = []
    for deal_index in range(3):
        while table.decision is not None:
            decision = table.decision
            assert decision.seat == 0 and decision.action is None
            table.act(choose_random_action(rng, decision))
        traced = table.get_traced_deal()
        script += table.actions
        replayed = trace_deal(matchup, 2, 0, deal_index, script=script)
        assert not replayed.error
        for name in RESULT_FIELDS:
            assert traced.state[name].tolist() == replayed.state[name].tolist(), name
        rows = replay_json.replay_to_json(replay.make_replay(traced))
        if (
            deal_index == 0
        ):  # the engine logs the decisions of later deals after the complete script
            assert rows == replay_json.replay_to_json(replay.make_replay(replayed))
        table.close_deal()
        assert table.is_over == rows[-1]["match"]["over"]
        if table.is_over:
            break


@pytest.mark.parametrize("variant", ["standard", "dice", *ONE_PLAYER_VARIANTS[:2]])
def test_strategies_at_the_table_play_like_the_kernel(variant):
    matchup = make_matchup(variant, "deal")
    _, records = kernel.play_with_records(matchup, 0, 100)
    first_halves = records[:: 2 if matchup.is_mirrored else 1]
    for unit, record in enumerate(first_halves[:20]):
        table = GameTable(matchup, external_seats=(), unit=unit)
        assert table.is_deal_over
        assert table.state.score.tolist() == [record["points_a"], record["points_b"]]
        assert (table.state.kind, table.state.turns) == (record["kind"], record["turns"])


def test_discard_prompt_suggests_an_unmatched_card():
    table = GameTable(parse_matchup("gold", "gold", "standard", 1, "deal"), (0,))
    examples = []
    while not table.is_deal_over:
        decision = table.decision
        if decision.slot == "discard":
            example = re.search("such as (..)[,.]", format_prompt(decision, table.rules))[1]
            _, melds = choose_shown_melding(int(decision.view.hand), table.rules)
            assert not cards_to_mask(parse_cards(example)) & sum(melds)
            examples.append(example)
        # Take the best discard in this hand, and end the deal as soon as possible.
        action = int(decision.view.best).bit_length() - 1 if decision.slot == "discard" else 1
        table.act(action if int(decision.view.legal) >> action & 1 else 0)
    assert len(set(examples)) > 2
    deal = table.get_traced_deal()
    name = ("you", "gold")[int(deal.state.knocker)]
    ending = (
        f"knocked with {deal.state.knocker_deadwood}" if deal.state.knocker_deadwood else "went gin"
    )
    assert format_turn_lines(deal, 0)[-1].strip() == f"{name} {ending}"
    assert format_turn_lines(deal, 1)[-1].strip() != f"{name} {ending}"  # "you" is the other seat


def test_undo_restores_earlier_decisions():
    rng = random.Random(5)
    table = GameTable(make_matchup("standard"))
    steps = []
    while table.decision is not None:
        action = choose_random_action(rng, table.decision)
        steps.append((len(table.actions), serialize_view(table.decision), action))
        table.act(action)
    actions, result = table.actions, table.state.score.tolist()
    for length, view, _ in reversed(steps):
        table.undo_to(length)
        assert serialize_view(table.decision) == view
    for _, view, action in steps:
        assert serialize_view(table.decision) == view
        table.act(action)
    assert (table.actions, table.state.score.tolist()) == (actions, result)
    repeated = GameTable(make_matchup("standard"))
    repeated.replay(actions)
    assert repeated.is_deal_over and repeated.state.score.tolist() == result


def test_illegal_action_does_not_change_the_table():
    table = GameTable(make_matchup("standard"))
    before = serialize_view(table.decision)
    for action in (-1, 64, 40):
        with pytest.raises(IllegalMoveError):
            table.act(action)
    assert serialize_view(table.decision) == before
    while not table.is_deal_over:
        table.act(choose_random_action(random.Random(1), table.decision))
    actions = table.actions
    with pytest.raises(IllegalMoveError):
        table.act(0)
    assert table.actions == actions


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_action_can_be_typed(variant):
    rng = random.Random(variant)
    table = GameTable(make_matchup(variant, "deal"))
    while table.decision is not None:
        decision = table.decision
        choices = list_choices(decision, table.rules)
        typed_actions = {actions[0] for actions, _ in choices.values()}
        legal = {action for action in ACTION_CODES if int(decision.view.legal) >> action & 1}
        assert typed_actions == legal
        lines = list(format_table_lines(decision, table.rules, "simple"))
        assert all(len(line) <= 80 for line in lines) and format_prompt(decision, table.rules)
        table.act(choose_random_action(rng, decision))
