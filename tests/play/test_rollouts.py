"""Compare rollouts from one decision or position with replayed deals."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.core import codes as core_answers
from simgin.core.cards import ALL_CARDS
from simgin.core.deadwood import deadwood
from simgin.core.deal_record import DEAL_RECORD, write_deal_record
from simgin.core.position_rollouts import (
    ACTION_ACCEPT,
    ACTION_DISCARD,
    ACTION_END,
    ACTION_LEAVE,
    ACTION_OFFER,
    ACTION_REFUSE,
)
from simgin.core.rules_record import FIRST_TURN_UPCARD_PASS
from simgin.core.shuffle import deal_next_card
from simgin.core.solo_position_rollouts import JOKER_CARD
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import (
    Action,
    Worlds,
    list_die_actions,
    list_legal_actions,
    roll_out_deals,
    roll_out_worlds,
)
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import Policy, discard, knock, loader, take
from simgin.strategy.compiler import make_parameter_vector
from simgin.text.notation import cards_to_mask
from simgin.toolkit import bernoulli, is_gin_or_better

RESULT = [
    name for name in DEAL_RECORD.names if name != "outcome"
]  # the score of the match is not written


@discard
def any_discard(view, rules, params):
    return view.legal


@take
def any_take(view, rules, params):
    return view.legal


@knock
def allow_two_actions(view, rules, params):
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
def discard_card_63(view, rules, params):
    return 63


@knock(noise=True)
def knock_seldom(view, rules, params):
    return view.noise & 7 == 0


@knock(noise=True)
def knock_often(view, rules, params):
    """Knock with gin, else with probability 0.4, as champion's training does before the rollout."""
    return is_gin_or_better(view) or bernoulli(0.4, view.noise)


SLOTS = {"discard": any_discard, "take": any_take, "knock": allow_two_actions}


def decision_index(view, questions, slot):
    """Return the index of the decision with this view among A's decisions in a slot."""
    return [q.view == view for q in questions if q.seat == 0 and q.slot == slot].index(True)


@cache
def force_action(usual):
    """Return a policy that is forced at one decision; its parameters precede the usual ones."""

    def choose_forced_action(now, rules, params):
        here = (now.turn, now.hand, now.phase, now.ending_card)
        return int(params[4]) if here == tuple(params[:4]) else usual(now, rules, params[5:])

    return choose_forced_action


def replay_with_action(matchup, unit, view, slot, answer):
    """Trace the deal again with a Python policy that chooses another action at one decision."""
    usual = matchup.a.policy(slot)
    numbers = [
        view.turn,
        view.hand,
        view.phase,
        view.ending_card,
        answer,
        *make_parameter_vector(usual, build_rules(matchup.variant)),
    ]
    choose_forced_action = force_action(usual.function)
    policy = Policy(
        slot, "forced", choose_forced_action, {}, usual.noise, np.array(numbers, np.float64)
    )
    fields = {name: matchup.a.policy(name) for name in ("take", "discard", "knock")}
    fields[slot] = policy
    deal = trace_deal(replace(matchup, a=replace(matchup.a, **fields)), unit)
    return int(deal.state.score[0] - deal.state.score[1]), deal.kind


@pytest.mark.parametrize("name", variants.variant_names())
def test_the_chosen_action_leads_to_the_played_deal(name):
    alone = variants.find_variant(name).is_solo
    pair = ("gold", None) if alone else ("dice-player" if "dice" in name else "gold", "simple")
    slots = ("discard", "knock") if alone else SLOTS
    matchup = parse_matchup(*pair, name, 5, "deal")
    assert max(as_played(matchup, slot, 30) for slot in slots) >= 10


def as_played(matchup, slot, units):
    """Check that one rollout of each decision is the original deal; return their number."""
    branches = roll_out_deals(matchup, SLOTS[slot], 0, units, 11)
    _, records = kernel.play_with_records(matchup, 0, units)
    whole = {int(row["unit"]): row for row in records[records["half"] == 0]}
    drawn = zip(branches.weights, branches.views, branches.actions, branches.records, strict=True)
    for weight, view, answers, rows in drawn:
        unit = int(rows[0]["unit"])
        questions = trace_deal(matchup, unit).decisions
        own = [question for question in questions if (question.seat, question.slot) == (0, slot)]
        assert weight == len(own)
        place = list(answers).index(own[decision_index(view, questions, slot)].action)
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
def test_other_actions_agree_with_a_policy_that_chooses_them(slot, pair, name):
    if slot == "take" and pair[1] is None:
        return
    matchup = parse_matchup(*pair, name, 8, "deal")
    branches = roll_out_deals(matchup, SLOTS[slot], 0, 5, 3)
    assert len(branches.views) >= 3
    for view, answers, rows in zip(branches.views, branches.actions, branches.records, strict=True):
        for answer, row in zip(answers, rows, strict=True):
            if answer >= 0:
                led = replay_with_action(matchup, int(row["unit"]), view, slot, int(answer))
                assert led == (
                    row["points_a"] - row["points_b"],
                    batch_columns.DEAL_RESULTS[row["kind"]],
                )


def test_decisions_are_sampled_uniformly_and_weighted_by_their_number():
    matchup = parse_matchup("gold", "gold", "standard", 3, "deal")
    branches = roll_out_deals(matchup, any_discard, 0, 1500, 2)
    places = Counter()
    expected = Counter()
    drawn = zip(branches.views, branches.weights, branches.records[:, 0], strict=True)
    for view, weight, row in drawn:
        questions = trace_deal(matchup, int(row["unit"])).decisions
        n = sum(q.seat == 0 and q.slot == "discard" for q in questions)
        assert weight == n
        if n == 4:
            places[decision_index(view, questions, "discard")] += 1
            expected[n] += 1
    counts = np.array([places[i] for i in range(4)])
    even = counts.sum() / 4
    assert counts.sum() > 80
    assert ((counts - even) ** 2 / even).sum() < 16.3  # chi-square of 3: 1 in 1,000


@pytest.mark.parametrize("slot", SLOTS)
def test_the_first_decision_is_rolled_out_without_sampling(slot):
    matchup = parse_matchup("gold-early", "gold", "standard", 3, "deal")
    branches = roll_out_deals(matchup, SLOTS[slot], 0, 300, 2, first_only=True)
    first = {}
    for unit in range(300):
        questions = trace_deal(matchup, unit).decisions
        own = [q for q in questions if q.seat == 0 and q.slot == slot]
        if own and int(own[0].view.legal).bit_count() > 1:
            first[unit] = own[0].view
    units = branches.records[:, 0]["unit"].tolist()
    assert units == list(first) and len(units) > 100
    assert all(view == first[unit] for unit, view in zip(units, branches.views, strict=True))
    assert (branches.weights == 1).all()


@pytest.mark.parametrize(
    ("slot", "explore"), [("knock", None), ("knock", knock_often), ("take", None)]
)
def test_weighted_decisions_represent_all_decisions_of_their_deals(slot, explore):
    """Compare the decisions of a training with all decisions of the same deals.

    The statistic is the mean number of remaining turns from the third own turn on.
    Only the sample differs, so a weighted mean is off by 4 SE once in 16,000 cases.
    Without weights, short deals count too much.
    """
    matchup = parse_matchup("gold-early", "gold", "standard", 4, "deal")
    plays = replace(matchup, a=replace(matchup.a, knock=explore or matchup.a.knock))
    units = 1000

    def count_turns_left(view, unit):
        return turns[unit] - int(view.turns)

    turns, every = {}, {}
    for unit in range(units):
        deal = trace_deal(plays, unit)
        own = [q.view for q in deal.decisions if q.seat == 0 and q.slot == slot]
        turns[unit] = int(deal.state.turns)
        every[unit] = [count_turns_left(view, unit) for view in own if view.own_turn > 2]
    true = np.mean([left for of in every.values() for left in of])
    found = roll_out_deals(matchup, SLOTS[slot], 0, units, 2, None, explore)
    missed, plain = {unit: -sum(left - true for left in of) for unit, of in every.items()}, []
    for view, weight, row in zip(found.views, found.weights, found.records[:, 0], strict=True):
        if view.own_turn > 2:
            over = count_turns_left(view, int(row["unit"])) - true
            plain.append(over)
            missed[int(row["unit"])] += int(weight) * over
    assert abs(z_score(list(missed.values()))) < 4
    assert z_score(plain) < -4


def z_score(values):
    """Divide a sum by its standard error."""
    return sum(values) / np.sqrt(sum(value**2 for value in values))


def test_only_the_requested_actions_are_tried():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    assert len(roll_out_deals(matchup, not_in_hand, 0, 50, 5).views) == 0
    branches = roll_out_deals(matchup, two_best, 0, 400, 5)
    assert 20 < len(branches.views) < 400
    assert (branches.actions[:, 2:] == -1).all()
    assert branches.is_rolled_out.sum(axis=1).tolist() == [2] * len(branches.views)
    most = roll_out_deals(matchup, any_discard, 0, 50, 3)
    assert (most.is_rolled_out.sum(axis=1) == 3).all()
    for view, answers in zip(most.views, most.actions, strict=True):
        lowest = [card for card in range(52) if int(view.legal) >> card & 1][:3]
        assert answers.tolist() == lowest


def test_a_policy_that_fails_is_named():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    fails = replace(matchup, a=replace(matchup.a, discard=discard_card_63))
    with pytest.raises(
        kernel.PolicyCallError, match="the discard policy 'discard-card-63' discarded 63"
    ):
        roll_out_deals(fails, any_take, 0, 5, 3)


def test_players_see_the_given_score():
    matchup = parse_matchup("gold", "simple", "eaai", 4, "deal")
    standings = np.array([[10 * i, 90 - 10 * i, i % 3, 2] for i in range(9)])
    branches = roll_out_deals(matchup, any_discard, 0, 9, 2, standings)
    for view, standing in zip(branches.views, branches.scores, strict=True):
        shown = view.own_points, view.other_points, view.own_deals, view.other_deals
        assert list(shown) == standing.tolist()
    assert (branches.records["score_a"][:, 0] == branches.scores[:, 0]).all()


def test_another_policy_can_play_up_to_the_decision():
    """Gold knocks at its first chance, so only other players have a later one."""
    matchup = parse_matchup("gold", "gold-early", "standard", 6, "deal")
    own = roll_out_deals(matchup, allow_two_actions, 0, 2000, 2)
    others = roll_out_deals(matchup, allow_two_actions, 0, 2000, 2, exploration_policy=knock_seldom)
    assert len(own.views) > 100
    assert others.views["own_turn"].mean() > own.views["own_turn"].mean() + 1
    again = roll_out_deals(matchup, allow_two_actions, 0, 2000, 2, exploration_policy=knock_seldom)
    assert again.records.tobytes() == others.records.tobytes()


def test_weights_can_be_passed_as_an_array():
    """Check that an array of weights counts in the same way as a file of weights."""
    champion = loader.find_strategy("champion")
    numbers = np.load(champion.discard.weights)
    given = {slot: replace(champion.policy(slot), weights=numbers) for slot in SLOTS}
    matchup = parse_matchup("champion", "gold", "eaai", 1, "deal")
    as_array = replace(matchup, a=replace(champion, **given))
    assert (
        kernel.play_batches(as_array, 0, 64).tobytes()
        == kernel.play_batches(matchup, 0, 64).tobytes()
    )


# Rollouts from positions


SOLO_VARIANTS = [name for name in variants.variant_names() if variants.find_variant(name).is_solo]
TWO_PLAYERS = [name for name in variants.variant_names() if not variants.find_variant(name).is_solo]
# A deal that was played from its start has a longer history than a position
UNCOMPARED_FIELDS = ("unit", "half", "deal", "outcome", "dealt_a", "dealt_b", "upcard_to")
COMPARED_FIELDS = [name for name in DEAL_RECORD.names if name not in UNCOMPARED_FIELDS]


def true_world(deal, view):
    """Return the real hidden cards, including undealt cards and the joker."""
    while deal.state.dealt < 52:
        deal_next_card(deal.state)
    pack = [int(card) for card in deal.state.pack]
    if view.phase == core_answers.PHASE_BLIND:
        return Worlds(np.zeros(1, np.int64), np.array([pack], np.int8))
    if deal.matchup.b is None:
        deck = pack[52 - int(view.unseen).bit_count() :]
        if deal.matchup.variant.params["joker"] != "none":
            drawn_since = view.deck_left - deal.state.stock
            deck.insert(int(deal.state.above + drawn_since), JOKER_CARD)
        assert len(deck) == view.deck_left
        return Worlds(np.zeros(1, np.int64), np.array([deck], np.int8))
    stock = pack[52 - int(view.stock) :]
    hand = ALL_CARDS & ~(int(view.hand) | int(view.pile) | cards_to_mask(stock))
    return Worlds(np.array([hand]), np.array([stock], np.int8))


def chosen_action(deal, question, rules):
    """Return the player's choice at a decision as an action."""
    view, answer = question.view, question.action
    if question.slot == "offer":
        return Action(ACTION_OFFER, answer)
    if question.slot == "answer":
        return Action(ACTION_ACCEPT if answer else ACTION_REFUSE)
    if view.phase == core_answers.PHASE_STOP:
        return Action(ACTION_END) if answer else Action(core_answers.ACTION_STOCK)
    if view.phase == core_answers.PHASE_LAST:
        return Action(ACTION_END, int(view.ending_card)) if answer else Action(ACTION_LEAVE)
    if question.slot == "take":
        passing = (
            view.phase == core_answers.PHASE_UPCARD and rules.first_turn == FIRST_TURN_UPCARD_PASS
        )
        return Action(core_answers.ACTION_PASS if passing and answer == 0 else answer)
    turn = [q for q in deal.decisions if q.seat == question.seat and q.view.turn == view.turn]
    if deal.matchup.b is None:
        turn = [q for q in turn if q.view.phase == view.phase]
    for q in turn:
        if q.slot == "knock" and q.action:
            return Action(ACTION_END, int(q.view.ending_card))
    return Action(ACTION_DISCARD, next(q.action for q in turn if q.slot == "discard"))


def positions(matchup, deals):
    """Return (deal, decision) of every decision of some deals."""
    for unit in range(deals):
        for half in range(2 if matchup.is_mirrored else 1):
            deal = trace_deal(matchup, unit, half)
            yield from ((deal, question) for question in deal.decisions)


UNOWNED_DIE = "dice+die_centre_in_play=yes"
WITH_DIE = (
    *("dice", "dice-pro", UNOWNED_DIE, f"{UNOWNED_DIE}+first_turn=free+die_refusal_pays=new"),
    *(f"{UNOWNED_DIE}+first_turn={first}" for first in ("discard_first", "upcard_stock_or_pass")),
)
OFFERING_PLAYERS = (
    "champion+offer=strong:count=60,turn=9+answer=brave",
    "gold+offer=strong:count=40,turn=9,blind=yes+answer=brave:count=25",
)
STOPPING_PLAYERS = ("solo-lookahead+knock=at:k=6", None)
USUAL_ACTIONS = {core_answers.ACTION_STOCK, ACTION_DISCARD}
CASES = [  # variant, players, units, required actions
    *(
        (name, ("gold", "gold-early"), 1, USUAL_ACTIONS)
        for name in TWO_PLAYERS
        if "dice" not in name
    ),
    *(
        (name, ("champion", "tonic-like"), 1, USUAL_ACTIONS)
        for name in TWO_PLAYERS
        if "dice" not in name
    ),
    *(
        (name, OFFERING_PLAYERS, 12, {ACTION_OFFER, ACTION_ACCEPT, ACTION_REFUSE, *USUAL_ACTIONS})
        for name in WITH_DIE
    ),
    *((name, STOPPING_PLAYERS, 15, {ACTION_DISCARD, ACTION_END}) for name in SOLO_VARIANTS),
    *((name, ("solo-switch", None), 15, {ACTION_DISCARD, ACTION_END}) for name in SOLO_VARIANTS),
]


@pytest.mark.parametrize(("name", "pair", "units", "least"), CASES)
def test_the_chosen_action_in_the_actual_world_leads_to_the_played_deal(name, pair, units, least):
    matchup = parse_matchup(*pair, name, 5, "deal")
    rules = build_rules(matchup.variant)
    seen = set()
    for deal, question in positions(matchup, units):
        view = question.view
        action = chosen_action(deal, question, rules)
        if action.kind in (ACTION_OFFER, ACTION_ACCEPT, ACTION_REFUSE):
            assert action in list_die_actions(view, rules)
        else:
            assert action in list_legal_actions(view, rules)
        here = matchup
        if view.seat != deal.state.half:
            here = replace(matchup, a=matchup.b, b=matchup.a)
        found = roll_out_worlds(here, view, [action], true_world(deal, view))[0, 0]
        expected = np.zeros(1, DEAL_RECORD)[0]
        write_deal_record(deal.state, expected, view.seat)
        assert {name: found[name] for name in COMPARED_FIELDS} == {
            name: expected[name] for name in COMPARED_FIELDS
        }
        seen.add((int(view.phase), action.kind))
    assert least <= {kind for _, kind in seen}
    if pair == OFFERING_PLAYERS:
        blind, turn = core_answers.PHASE_BLIND, core_answers.PHASE_TURN
        assert {(blind, ACTION_OFFER), (blind, ACTION_ACCEPT), (turn, ACTION_OFFER)} <= seen
    if rules.knock_limit and not pair[1]:
        assert (
            core_answers.PHASE_STOP,
            ACTION_END if pair == STOPPING_PLAYERS else core_answers.ACTION_STOCK,
        ) in seen


@pytest.mark.parametrize("name", ["standard", "oklahoma-spades", "hollywood", *SOLO_VARIANTS])
def test_other_discards_agree_with_the_rollouts_of_the_deal(name):
    alone = name in SOLO_VARIANTS
    pair = ("solo-lookahead+knock=at:k=4", None) if alone else ("champion", "gold")
    matchup = parse_matchup(*pair, name, 3, "deal")
    branches = roll_out_deals(matchup, any_discard, 0, 40 if alone else 20, 11)
    assert len(branches.views) >= 20
    for view, answers, rows in zip(branches.views, branches.actions, branches.records, strict=True):
        deal = trace_deal(matchup, int(rows[0]["unit"]))
        actions = [Action(ACTION_DISCARD, int(card)) for card in answers if card >= 0]
        found = roll_out_worlds(matchup, view, actions, true_world(deal, view))[0]
        assert (found[COMPARED_FIELDS] == rows[: len(actions)][COMPARED_FIELDS]).all()


def test_every_legal_action_is_listed():
    matchup = parse_matchup("gold", "gold-early", "standard", 9, "deal")
    rules = build_rules(matchup.variant)
    endings = 0
    for _, question in positions(matchup, 20):
        actions = list_legal_actions(question.view, rules)
        if question.slot == "take":
            assert len(actions) == 2
            continue
        thrown = [action.card for action in actions if action.kind == ACTION_DISCARD]
        ended = [action.card for action in actions if action.kind == ACTION_END]
        if question.slot == "discard":
            assert sum(1 << card for card in thrown) == question.view.legal
        for card in thrown:
            left = deadwood(int(question.view.hand) & ~(1 << card), rules)
            assert (card in ended) == (left <= rules.knock_limit)
        endings += len(ended)
    assert endings > 20
