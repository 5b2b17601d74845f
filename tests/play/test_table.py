"""A table asks what the engine asks, and a game at it is the one that the engine plays."""

import random

import pytest

from simgin.play import kernel, replay, replay_rows
from simgin.play.matchup import parse_matchup
from simgin.play.seat import choices, prompt, table_lines
from simgin.play.table import IllegalMove, Table
from simgin.play.watch import watch_deal
from simgin.rules import variants
from support.variant_lists import ONE_PLAYER

VARIANTS = [*variants.names(), "standard+first_turn=discard_first+big_gin=yes"]
VARIANTS += ["standard-50th", "tedesco+melding=choice"]
LEGAL = range(64)
RESULT = "dealer pack kind stopper winner score points deals_won games column_points".split()
RESULT += ["stake", "turns"]


def seated(variant, unit="match", seed=3):
    alone = variants.find(variant).row["players"] == 1
    players = ("solo-greedy", None) if alone else ("gold", "simple+stake=random")
    return parse_matchup(*players, variant, seed, unit)


def shown(question):
    return [question.view[name].tobytes() for name in question.view.dtype.names]


def any_answer(rng, question):
    """A legal answer; endings are mostly declined, so that deals grow long."""
    if question.slot in ("knock", "offer") and rng.random() < 0.8:
        return 0
    return rng.choice([answer for answer in LEGAL if int(question.view.legal) >> answer & 1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_at_the_table_is_the_engines(variant):
    rng = random.Random(variant)
    matchup = seated(variant)
    table = Table(matchup, unit=2)
    script = []
    for deal in range(3):
        while table.question is not None:
            question = table.question
            assert question.seat == 0 and question.answer is None
            table.answer(any_answer(rng, question))
        told = table.watched()
        script += table.answers
        engine = watch_deal(matchup, 2, 0, deal, script=script)
        assert not engine.fault
        for name in RESULT:
            assert told.state[name].tolist() == engine.state[name].tolist(), name
        rows = replay_rows.rows(replay.make_replay(told))
        if deal == 0:  # the engine logs the questions of later deals behind the whole script
            assert rows == replay_rows.rows(replay.make_replay(engine))
        table.close_deal()
        assert table.is_over == rows[-1]["match"]["over"]
        if table.is_over:
            break


@pytest.mark.parametrize("variant", ["standard", "dice", *ONE_PLAYER[:2]])
def test_strategies_at_the_table_play_as_in_a_run(variant):
    matchup = seated(variant, "deal")
    _, records = kernel.play_recorded(matchup, 0, 100)
    firsts = records[:: 2 if matchup.mirrored else 1]
    for unit, record in enumerate(firsts[:20]):
        table = Table(matchup, outside=(), unit=unit)
        assert table.is_deal_over
        assert table.state.score.tolist() == [record["points_a"], record["points_b"]]
        assert (table.state.kind, table.state.turns) == (record["kind"], record["turns"])


def test_going_back_leads_to_the_same_questions():
    rng = random.Random(5)
    table = Table(seated("standard"))
    seen = []
    while table.question is not None:
        answer = any_answer(rng, table.question)
        seen.append((len(table.answers), shown(table.question), answer))
        table.answer(answer)
    answers, result = table.answers, table.state.score.tolist()
    for length, view, _ in reversed(seen):
        table.go_back(length)
        assert shown(table.question) == view
    for _, view, answer in seen:
        assert shown(table.question) == view
        table.answer(answer)
    assert (table.answers, table.state.score.tolist()) == (answers, result)
    again = Table(seated("standard"))
    again.repeat(answers)
    assert again.is_deal_over and again.state.score.tolist() == result


def test_an_illegal_answer_changes_nothing():
    table = Table(seated("standard"))
    before = shown(table.question)
    for answer in (-1, 64, 40):
        with pytest.raises(IllegalMove):
            table.answer(answer)
    assert shown(table.question) == before
    while not table.is_deal_over:
        table.answer(any_answer(random.Random(1), table.question))
    answers = table.answers
    with pytest.raises(IllegalMove):
        table.answer(0)
    assert table.answers == answers


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_legal_answer_can_be_typed_and_lines_fit_the_screen(variant):
    rng = random.Random(variant)
    table = Table(seated(variant, "deal"))
    while table.question is not None:
        question = table.question
        typed = choices(question)
        firsts = {answers[0] for answers, _ in typed.values()}
        legal = {answer for answer in LEGAL if int(question.view.legal) >> answer & 1}
        assert firsts == legal
        lines = list(table_lines(question, table.rules, "simple"))
        assert all(len(line) <= 80 for line in lines) and prompt(question)
        table.answer(any_answer(rng, question))
