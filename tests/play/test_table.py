"""Tests that a game table has the decisions of the engine and plays the same games."""

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
from support.variant_lists import ONE_PLAYER

VARIANTS = [*variants.variant_names(), "standard+first_turn=discard_first+big_gin=yes"]
VARIANTS += ["standard-50th", "tedesco+melding=choice"]
LEGAL = range(64)
RESULT = "dealer pack kind knocker winner score points deals_won games column_points".split()
RESULT += ["stake", "turns"]


def make_matchup(variant, unit="match", seed=3):
    alone = variants.find_variant(variant).is_solo
    players = ("solo-greedy", None) if alone else ("gold", "simple+stake=random")
    return parse_matchup(*players, variant, seed, unit)


def view_bytes(question):
    return [question.view[name].tobytes() for name in question.view.dtype.names]


def random_action(rng, question):
    """Return a random legal action that mostly declines endings, so that deals are long."""
    if question.slot in ("knock", "offer") and rng.random() < 0.8:
        return 0
    return rng.choice([answer for answer in LEGAL if int(question.view.legal) >> answer & 1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_at_the_table_is_the_engines(variant):
    rng = random.Random(variant)
    matchup = make_matchup(variant)
    table = GameTable(matchup, unit=2)
    script = []
    for deal in range(3):
        while table.decision is not None:
            question = table.decision
            assert question.seat == 0 and question.action is None
            table.act(random_action(rng, question))
        told = table.trace()
        script += table.actions
        engine = trace_deal(matchup, 2, 0, deal, script=script)
        assert not engine.error
        for name in RESULT:
            assert told.state[name].tolist() == engine.state[name].tolist(), name
        rows = replay_json.replay_to_json(replay.make_replay(told))
        if deal == 0:  # the engine logs the decisions of later deals after the complete script
            assert rows == replay_json.replay_to_json(replay.make_replay(engine))
        table.close_deal()
        assert table.is_over == rows[-1]["match"]["over"]
        if table.is_over:
            break


@pytest.mark.parametrize("variant", ["standard", "dice", *ONE_PLAYER[:2]])
def test_strategies_at_the_table_play_as_in_a_run(variant):
    matchup = make_matchup(variant, "deal")
    _, records = kernel.play_with_records(matchup, 0, 100)
    firsts = records[:: 2 if matchup.is_mirrored else 1]
    for unit, record in enumerate(firsts[:20]):
        table = GameTable(matchup, external_seats=(), unit=unit)
        assert table.is_deal_over
        assert table.state.score.tolist() == [record["points_a"], record["points_b"]]
        assert (table.state.kind, table.state.turns) == (record["kind"], record["turns"])


def test_the_turns_end_with_the_knock_and_the_prompt_names_an_unmatched_card():
    table = GameTable(parse_matchup("gold", "gold", "standard", 1, "deal"), (0,))
    prompts = []
    while not table.is_deal_over:
        decision = table.decision
        if decision.slot == "discard":
            example = re.search("such as (..)[,.]", format_prompt(decision, table.rules))[1]
            _, melds = choose_shown_melding(int(decision.view.hand), table.rules)
            assert not cards_to_mask(parse_cards(example)) & sum(melds)
            prompts.append(example)
        # Take the best discard in this hand, and end the deal as soon as possible.
        action = int(decision.view.best).bit_length() - 1 if decision.slot == "discard" else 1
        table.act(action if int(decision.view.legal) >> action & 1 else 0)
    assert len(set(prompts)) > 2
    deal = table.trace()
    name = ("you", "gold")[int(deal.state.knocker)]
    ending = (
        f"knocked with {deal.state.knocker_deadwood}" if deal.state.knocker_deadwood else "went gin"
    )
    assert format_turn_lines(deal, 0)[-1].strip() == f"{name} {ending}"
    assert format_turn_lines(deal, 1)[-1].strip() != f"{name} {ending}"  # "you" is the other seat


def test_undoing_leads_to_the_same_decisions():
    rng = random.Random(5)
    table = GameTable(make_matchup("standard"))
    seen = []
    while table.decision is not None:
        answer = random_action(rng, table.decision)
        seen.append((len(table.actions), view_bytes(table.decision), answer))
        table.act(answer)
    answers, result = table.actions, table.state.score.tolist()
    for length, view, _ in reversed(seen):
        table.undo_to(length)
        assert view_bytes(table.decision) == view
    for _, view, answer in seen:
        assert view_bytes(table.decision) == view
        table.act(answer)
    assert (table.actions, table.state.score.tolist()) == (answers, result)
    again = GameTable(make_matchup("standard"))
    again.replay(answers)
    assert again.is_deal_over and again.state.score.tolist() == result


def test_an_illegal_action_changes_nothing():
    table = GameTable(make_matchup("standard"))
    before = view_bytes(table.decision)
    for answer in (-1, 64, 40):
        with pytest.raises(IllegalMoveError):
            table.act(answer)
    assert view_bytes(table.decision) == before
    while not table.is_deal_over:
        table.act(random_action(random.Random(1), table.decision))
    answers = table.actions
    with pytest.raises(IllegalMoveError):
        table.act(0)
    assert table.actions == answers


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_action_can_be_typed_and_lines_fit_the_screen(variant):
    rng = random.Random(variant)
    table = GameTable(make_matchup(variant, "deal"))
    while table.decision is not None:
        question = table.decision
        typed = list_choices(question, table.rules)
        firsts = {answers[0] for answers, _ in typed.values()}
        legal = {answer for answer in LEGAL if int(question.view.legal) >> answer & 1}
        assert firsts == legal
        lines = list(format_table_lines(question, table.rules, "simple"))
        assert all(len(line) <= 80 for line in lines) and format_prompt(question, table.rules)
        table.act(random_action(rng, question))
