"""Deals branched at one question, against deals played again from the start by other means."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from simgin.core import sums
from simgin.core.record import DEAL
from simgin.core.view import VIEW
from simgin.play import kernel
from simgin.play.branches import branch_deals
from simgin.play.matchup import parse_matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.strategy import Policy, discard, knock, loader, take

RESULT = [name for name in DEAL.names if name != "outcome"]  # that of the match is not written


@discard
def any_discard(view, rules, params):
    return view.legal


@take
def any_take(view, rules, params):
    return view.legal


@knock
def either(view, rules, params):
    return 3


@discard
def two_best(view, rules, params):
    lowest = view.best & -view.best
    rest = view.best ^ lowest
    return lowest | rest & -rest


@discard
def not_in_hand(view, rules, params):
    return ((1 << 52) - 1) & ~view.hand


@discard
def nothing(view, rules, params):
    return 63


@knock(noise=True)
def seldom(view, rules, params):
    return view.noise & 7 == 0


SLOTS = {"discard": any_discard, "take": any_take, "knock": either}


def question_of(view, questions, slot):
    """The place among A's questions of a slot of the one whose view this is."""
    own = [q for q in questions if q.seat == 0 and q.slot == slot]
    return next(i for i, q in enumerate(own) if same(q.view, view))


def same(view, other):
    return all(np.array_equal(view[name], other[name]) for name in VIEW.names)


def played_again(matchup, unit, view, slot, answer):
    """The deal once more, with a policy in Python that answers one question otherwise."""
    usual = matchup.a.policy(slot)

    def forced(now, rules, params):
        here = (int(now.turn), int(now.hand), int(now.phase), int(now.ending_card))
        there = (int(view.turn), int(view.hand), int(view.phase), int(view.ending_card))
        return answer if here == there else usual.function(now, rules, params)

    policy = Policy(slot, "forced", forced, usual.params, usual.noise, usual.weights)
    fields = {name: matchup.a.policy(name) for name in ("take", "discard", "knock")}
    fields[slot] = policy
    deal = watch_deal(replace(matchup, a=replace(matchup.a, **fields)), unit)
    return int(deal.state.score[0] - deal.state.score[1]), deal.kind


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("pair", [("gold", "simple"), ("random", "gold")])
def test_the_answer_that_was_given_leads_to_the_deal_that_was_played(slot, pair):
    assert as_played(parse_matchup(*pair, "standard", 5, "deal"), slot, 300) >= 3


@pytest.mark.parametrize("name", variants.names())
def test_every_variant_can_be_branched(name):
    alone = variants.find(name).row["players"] == 1
    pair = ("gold", None) if alone else ("dice-player" if "dice" in name else "gold", "simple")
    slots = ("discard", "knock") if alone else SLOTS
    matchup = parse_matchup(*pair, name, 5, "deal")
    assert max(as_played(matchup, slot, 60) for slot in slots) >= 20


def as_played(matchup, slot, units):
    """How many questions were branched; one branch of each is the deal as it was played."""
    branches = branch_deals(matchup, SLOTS[slot], 0, units, 11)
    _, records = kernel.play_recorded(matchup, 0, units)
    whole = {int(row["unit"]): row for row in records[records["half"] == 0]}
    for view, answers, rows in zip(branches.views, branches.answers, branches.records, strict=True):
        unit = int(rows[0]["unit"])
        questions = watch_deal(matchup, unit).questions
        own = [question for question in questions if (question.seat, question.slot) == (0, slot)]
        place = list(answers).index(own[question_of(view, questions, slot)].answer)
        assert [rows[place][name] for name in RESULT] == [whole[unit][name] for name in RESULT]
    return len(branches.views)


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize(
    ("pair", "name"),
    [
        (("gold", "gold-early"), "standard"),
        (("solo-greedy", None), "solitaire-gin-knock"),
        (("solo-greedy", None), "gin-solitaire"),
    ],
)
def test_other_answers_lead_where_a_policy_that_gives_them_leads(slot, pair, name):
    if slot == "take" and pair[1] is None:
        return
    matchup = parse_matchup(*pair, name, 8, "deal")
    branches = branch_deals(matchup, SLOTS[slot], 0, 8, 4)
    assert len(branches.views) >= 3
    for view, answers, rows in zip(branches.views, branches.answers, branches.records, strict=True):
        for answer, row in zip(answers, rows, strict=True):
            if answer >= 0:
                led = played_again(matchup, int(row["unit"]), view, slot, int(answer))
                assert led == (row["points_a"] - row["points_b"], sums.KINDS[row["kind"]])


def test_the_question_is_drawn_evenly():
    matchup = parse_matchup("gold", "gold", "standard", 3, "deal")
    branches = branch_deals(matchup, any_discard, 0, 1500, 2)
    places = Counter()
    expected = Counter()
    for view, row in zip(branches.views, branches.records[:, 0], strict=True):
        questions = watch_deal(matchup, int(row["unit"])).questions
        n = sum(q.seat == 0 and q.slot == "discard" for q in questions)
        if n == 4:
            places[question_of(view, questions, "discard")] += 1
            expected[n] += 1
    counts = np.array([places[i] for i in range(4)])
    even = counts.sum() / 4
    assert counts.sum() > 80
    assert ((counts - even) ** 2 / even).sum() < 16.3  # chi-square of 3: 1 in 1,000


def test_only_the_answers_worth_trying_are_tried():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    assert len(branch_deals(matchup, not_in_hand, 0, 50, 5).views) == 0
    branches = branch_deals(matchup, two_best, 0, 400, 5)
    assert 20 < len(branches.views) < 400
    assert (branches.answers[:, 2:] == -1).all()
    assert branches.tried.sum(axis=1).tolist() == [2] * len(branches.views)
    most = branch_deals(matchup, any_discard, 0, 50, 3)
    assert (most.tried.sum(axis=1) == 3).all()
    for view, answers in zip(most.views, most.answers, strict=True):
        lowest = [card for card in range(52) if int(view.legal) >> card & 1][:3]
        assert answers.tolist() == lowest


def test_a_policy_that_fails_is_named():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    fails = replace(matchup, a=replace(matchup.a, discard=nothing))
    with pytest.raises(kernel.PolicyFailure, match="the discard policy 'nothing' discarded 63"):
        branch_deals(fails, any_take, 0, 5, 3)


def test_what_cannot_be_branched_is_refused():
    alone = parse_matchup("gold", None, "solitaire-gin", 1, "deal")
    with pytest.raises(ValueError, match="take cannot be branched; these can: discard, knock"):
        branch_deals(alone, any_take, 0, 5, 3)
    two = parse_matchup("gold", "simple", "dice", 1, "deal")
    with pytest.raises(ValueError, match="the slot offer cannot be branched"):
        branch_deals(two, loader.find("dice-player").offer, 0, 5, 3)


def test_the_standing_is_what_the_players_see():
    matchup = parse_matchup("gold", "simple", "eaai", 4, "deal")
    standings = np.array([[10 * i, 90 - 10 * i, i % 3, 2] for i in range(9)])
    branches = branch_deals(matchup, any_discard, 0, 9, 2, standings)
    for view, standing in zip(branches.views, branches.standings, strict=True):
        shown = view.own_points, view.other_points, view.own_deals, view.other_deals
        assert list(shown) == standing.tolist()
    assert (branches.records["score_a"][:, 0] == branches.standings[:, 0]).all()


def test_another_policy_may_play_up_to_the_question():
    """Gold knocks at its first chance, so only somebody else meets a later one."""
    matchup = parse_matchup("gold", "gold-early", "standard", 6, "deal")
    own = branch_deals(matchup, either, 0, 2000, 2)
    others = branch_deals(matchup, either, 0, 2000, 2, explore=seldom)
    assert len(own.views) > 100
    assert others.views["own_turn"].mean() > own.views["own_turn"].mean() + 1
    again = branch_deals(matchup, either, 0, 2000, 2, explore=seldom)
    assert again.records.tobytes() == others.records.tobytes()


def test_numbers_may_be_given_as_an_array():
    """They count as those of a file do."""
    champion = loader.find("champion")
    numbers = np.load(champion.discard.weights)
    given = {slot: replace(champion.policy(slot), weights=numbers) for slot in SLOTS}
    matchup = parse_matchup("champion", "gold", "eaai", 1, "deal")
    as_array = replace(matchup, a=replace(champion, **given))
    assert kernel.play(as_array, 0, 64).tobytes() == kernel.play(matchup, 0, 64).tobytes()
