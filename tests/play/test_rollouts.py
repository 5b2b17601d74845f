"""Compare rollouts from one decision or position with replayed deals."""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.core import codes as core_answers
from simgin.core.cards import ALL_CARDS
from simgin.core.codes import SLOTS
from simgin.core.deadwood import deadwood
from simgin.core.deal_record import DEAL_RECORD_DTYPE, write_deal_record
from simgin.core.position_rollouts import (
    ACTION_ACCEPT,
    ACTION_DISCARD,
    ACTION_END_DEAL,
    ACTION_LEAVE_DISCARD,
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
from support import variant_lists
from support.slow_cases import mark_slow_except

RESULT_FIELDS = [
    name for name in DEAL_RECORD_DTYPE.names if name != "outcome"
]  # the score of the match is not written


@discard
def propose_every_discard(view, rules, params):
    return view.legal


@take
def propose_every_draw(view, rules, params):
    return view.legal


@knock
def propose_both_endings(view, rules, params):
    return 3


@discard
def propose_two_best_discards(view, rules, params):
    lowest = view.best & -view.best
    rest = view.best ^ lowest
    return lowest | rest & -rest


@discard
def propose_cards_not_in_hand(view, rules, params):
    return ((1 << 52) - 1) & ~view.hand


@discard
def discard_card_63(view, rules, params):
    return 63


@knock(noise=True)
def knock_seldom(view, rules, params):
    return view.noise & 7 == 0


@knock(noise=True)
def knock_often(view, rules, params):
    """Go gin whenever possible, and knock with a probability of 40 %."""
    return is_gin_or_better(view) or bernoulli(0.4, view.noise)


PROPOSAL_BY_SLOT = {
    "discard": propose_every_discard,
    "take": propose_every_draw,
    "knock": propose_both_endings,
}


def find_decision_index(view, decisions, slot):
    """Return the position of the decision with a given view among A's decisions in a slot."""
    # Most turns differ, and comparing whole views is slow
    return [
        decision.view.turn == view.turn and decision.view == view
        for decision in decisions
        if decision.seat == 0 and decision.slot == slot
    ].index(True)


@cache
def make_forced_policy(usual_policy):
    """Return a policy that takes a given action at one decision, which its parameters identify."""

    def choose_forced_action(view, rules, params):
        decision_key = (view.turn, view.hand, view.phase, view.ending_card)
        return (
            int(params[4])
            if decision_key == tuple(params[:4])
            else usual_policy(view, rules, params[5:])
        )

    return choose_forced_action


def replay_with_action(matchup, unit, view, slot, action):
    """Return the result of a deal that is replayed with another action at one decision."""
    usual_policy = matchup.a.policy(slot)
    params = [
        view.turn,
        view.hand,
        view.phase,
        view.ending_card,
        action,
        *make_parameter_vector(usual_policy, build_rules(matchup.variant)),
    ]
    choose_forced_action = make_forced_policy(usual_policy.function)
    policy = Policy(
        slot, "forced", choose_forced_action, {}, usual_policy.noise, np.array(params, np.float64)
    )
    fields = {name: matchup.a.policy(name) for name in ("take", "discard", "knock")}
    fields[slot] = policy
    deal = trace_deal(replace(matchup, a=replace(matchup.a, **fields)), unit)
    return int(deal.state.score[0] - deal.state.score[1]), deal.ending


@pytest.mark.parametrize("variant", variants.variant_names())
def test_rollout_of_the_chosen_action_is_the_played_deal(variant):
    is_solo = variants.find_variant(variant).is_solo
    players = (
        ("gold", None) if is_solo else ("dice-player" if "dice" in variant else "gold", "simple")
    )
    slots = ("discard", "knock") if is_solo else PROPOSAL_BY_SLOT
    matchup = parse_matchup(*players, variant, 5, "deal")
    n_units = 15
    _, records = kernel.play_with_records(matchup, 0, n_units)
    records = records[records["half"] == 0]
    decisions_by_unit = [trace_deal(matchup, unit).decisions for unit in range(n_units)]
    assert (
        max(check_and_count_rollouts(matchup, slot, records, decisions_by_unit) for slot in slots)
        >= 10
    )


def check_and_count_rollouts(matchup, slot, deal_records, decisions_by_unit):
    """Check that rollouts of the played actions repeat the deals, and count the decisions."""
    rollouts = roll_out_deals(matchup, PROPOSAL_BY_SLOT[slot], 0, len(decisions_by_unit), 11)
    record_by_unit = {int(row["unit"]): row for row in deal_records}
    samples = zip(rollouts.weights, rollouts.views, rollouts.actions, rollouts.records, strict=True)
    for weight, view, actions, rows in samples:
        unit = int(rows[0]["unit"])
        decisions = decisions_by_unit[unit]
        slot_decisions = [
            decision for decision in decisions if (decision.seat, decision.slot) == (0, slot)
        ]
        assert weight == len(slot_decisions)
        action_index = list(actions).index(
            slot_decisions[find_decision_index(view, decisions, slot)].action
        )
        assert [rows[action_index][field] for field in RESULT_FIELDS] == [
            record_by_unit[unit][field] for field in RESULT_FIELDS
        ]
    return len(rollouts.views)


@pytest.mark.parametrize("slot", PROPOSAL_BY_SLOT)
@pytest.mark.parametrize(
    ("players", "variant"),
    [
        (("gold", "gold-early"), "standard"),
        (("solo-greedy", None), "solitaire-gin-knock"),
        (("solo-greedy", None), "gin-solitaire"),
    ],
)
def test_rollouts_agree_with_a_policy_that_chooses_the_action(slot, players, variant):
    if slot == "take" and players[1] is None:
        return
    matchup = parse_matchup(*players, variant, 8, "deal")
    rollouts = roll_out_deals(matchup, PROPOSAL_BY_SLOT[slot], 0, 5, 3)
    assert len(rollouts.views) >= 3
    for view, actions, rows in zip(rollouts.views, rollouts.actions, rollouts.records, strict=True):
        for action, row in zip(actions, rows, strict=True):
            if action >= 0:
                replayed = replay_with_action(matchup, int(row["unit"]), view, slot, int(action))
                assert replayed == (
                    row["points_a"] - row["points_b"],
                    batch_columns.DEAL_RESULTS[row["kind"]],
                )


def test_decisions_of_a_deal_are_sampled_uniformly():
    matchup = parse_matchup("gold", "gold", "standard", 3, "deal")
    rollouts = roll_out_deals(matchup, propose_every_discard, 0, 1500, 2)
    index_counts = Counter()
    expected = Counter()
    samples = zip(rollouts.views, rollouts.weights, rollouts.records[:, 0], strict=True)
    for view, weight, row in samples:
        decisions = trace_deal(matchup, int(row["unit"])).decisions
        n = sum(decision.seat == 0 and decision.slot == "discard" for decision in decisions)
        assert weight == n
        if n == 4:
            index_counts[find_decision_index(view, decisions, "discard")] += 1
            expected[n] += 1
    counts = np.array([index_counts[i] for i in range(4)])
    expected_count = counts.sum() / 4
    assert counts.sum() > 80
    assert (
        (counts - expected_count) ** 2 / expected_count
    ).sum() < 16.3  # chi-square of 3: 1 in 1,000


@pytest.mark.parametrize("slot", PROPOSAL_BY_SLOT)
def test_first_decision_can_be_rolled_out_without_sampling(slot):
    matchup = parse_matchup("gold-early", "gold", "standard", 3, "deal")
    rollouts = roll_out_deals(matchup, PROPOSAL_BY_SLOT[slot], 0, 300, 2, use_first_decision=True)
    first_views = {}
    for unit in range(300):
        decisions = trace_deal(matchup, unit).decisions
        slot_decisions = [
            decision for decision in decisions if decision.seat == 0 and decision.slot == slot
        ]
        if slot_decisions and int(slot_decisions[0].view.legal).bit_count() > 1:
            first_views[unit] = slot_decisions[0].view
    units = rollouts.records[:, 0]["unit"].tolist()
    assert units == list(first_views) and len(units) > 100
    assert all(view == first_views[unit] for unit, view in zip(units, rollouts.views, strict=True))
    assert (rollouts.weights == 1).all()


@pytest.mark.parametrize(
    ("slots", "explore"), [(("knock", "take"), None), (("knock",), knock_often)]
)
def test_weighted_decisions_represent_all_decisions_of_their_deals(slots, explore):
    """Compare the weighted mean of sampled decisions with the mean of all decisions.

    The statistic is the mean number of remaining turns from the third own turn on.
    Only the sample differs, so a weighted mean is off by 4 SE once in 16,000 cases.
    Without weights, short deals count too much.
    """
    matchup = parse_matchup("gold-early", "gold", "standard", 4, "deal")
    explored_matchup = replace(matchup, a=replace(matchup.a, knock=explore or matchup.a.knock))
    n_turns, turns_left_by_slot = [], {slot: [] for slot in slots}
    for unit in range(1000):
        state = trace_deal(explored_matchup, unit).state
        n_turns.append(int(state.turns))
        for slot in slots:
            turns_left_by_slot[slot].append(list_turns_left(state, slot))
    for slot, turns_left_by_unit in turns_left_by_slot.items():
        rollouts = roll_out_deals(
            matchup, PROPOSAL_BY_SLOT[slot], 0, len(n_turns), 2, None, explore
        )
        mean_turns_left = np.concatenate(turns_left_by_unit).mean()
        unit_deviations = [
            -(turns_left - mean_turns_left).sum() for turns_left in turns_left_by_unit
        ]
        unweighted_deviations = []
        for view, weight, row in zip(
            rollouts.views, rollouts.weights, rollouts.records[:, 0], strict=True
        ):
            if view.own_turn > 2:
                unit = int(row["unit"])
                deviation = n_turns[unit] - int(view.turns) - mean_turns_left
                unweighted_deviations.append(deviation)
                unit_deviations[unit] += int(weight) * deviation
        assert abs(compute_z_score(unit_deviations)) < 4, slot
        assert compute_z_score(unweighted_deviations) < -4, slot


def list_turns_left(state, slot):
    """Return the remaining turns at A's decisions in a slot, from A's third turn on."""
    views, slots = state.log[: state.n_logged], state.slots[: state.n_logged]
    is_counted = (views["seat"] == 0) & (slots == SLOTS.index(slot)) & (views["own_turn"] > 2)
    return state.turns - views["turns"][is_counted]


def compute_z_score(values):
    """Return a sum divided by its standard error."""
    return sum(values) / np.sqrt(sum(value**2 for value in values))


def test_only_proposed_legal_actions_are_tried():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    assert len(roll_out_deals(matchup, propose_cards_not_in_hand, 0, 50, 5).views) == 0
    rollouts = roll_out_deals(matchup, propose_two_best_discards, 0, 400, 5)
    assert 20 < len(rollouts.views) < 400
    assert (rollouts.actions[:, 2:] == -1).all()
    assert rollouts.rolled_out_mask.sum(axis=1).tolist() == [2] * len(rollouts.views)
    limited = roll_out_deals(matchup, propose_every_discard, 0, 50, 3)
    assert (limited.rolled_out_mask.sum(axis=1) == 3).all()
    for view, actions in zip(limited.views, limited.actions, strict=True):
        lowest = [card for card in range(52) if int(view.legal) >> card & 1][:3]
        assert actions.tolist() == lowest


def test_error_names_the_failed_policy():
    matchup = parse_matchup("gold", "simple", "standard", 4, "deal")
    illegal_matchup = replace(matchup, a=replace(matchup.a, discard=discard_card_63))
    with pytest.raises(
        kernel.PolicyCallError, match="the discard policy 'discard-card-63' discarded 63"
    ):
        roll_out_deals(illegal_matchup, propose_every_draw, 0, 5, 3)


def test_players_see_the_given_score():
    matchup = parse_matchup("gold", "simple", "eaai", 4, "deal")
    scores = np.array([[10 * i, 90 - 10 * i, i % 3, 2] for i in range(9)])
    rollouts = roll_out_deals(matchup, propose_every_discard, 0, 9, 2, scores)
    for view, score in zip(rollouts.views, rollouts.scores, strict=True):
        view_score = view.own_points, view.other_points, view.own_deals, view.other_deals
        assert list(view_score) == score.tolist()
    assert (rollouts.records["score_a"][:, 0] == rollouts.scores[:, 0]).all()


def test_exploration_policy_plays_up_to_the_decision():
    """Use an exploration policy that knocks later than gold, so that decisions occur later."""
    matchup = parse_matchup("gold", "gold-early", "standard", 6, "deal")
    rollouts = roll_out_deals(matchup, propose_both_endings, 0, 2000, 2)
    explored = roll_out_deals(
        matchup, propose_both_endings, 0, 2000, 2, exploration_policy=knock_seldom
    )
    assert len(rollouts.views) > 100
    assert explored.views["own_turn"].mean() > rollouts.views["own_turn"].mean() + 1
    repeated = roll_out_deals(
        matchup, propose_both_endings, 0, 2000, 2, exploration_policy=knock_seldom
    )
    assert repeated.records.tobytes() == explored.records.tobytes()


def test_weights_can_be_passed_as_an_array():
    """Expect the same results with an array of weights as with the weights file."""
    champion = loader.find_strategy("champion")
    weights = np.load(champion.discard.weights)
    policies = {slot: replace(champion.policy(slot), weights=weights) for slot in PROPOSAL_BY_SLOT}
    matchup = parse_matchup("champion", "gold", "eaai", 1, "deal")
    as_array = replace(matchup, a=replace(champion, **policies))
    assert (
        kernel.play_batches(as_array, 0, 64).tobytes()
        == kernel.play_batches(matchup, 0, 64).tobytes()
    )


# Rollouts from positions


SOLO_VARIANTS = variant_lists.ONE_PLAYER_VARIANTS
TWO_PLAYER_VARIANTS = variant_lists.TWO_PLAYER_VARIANTS
# A deal that was played from its start has a longer history than a position
UNCOMPARED_FIELDS = ("unit", "half", "deal", "outcome", "dealt_a", "dealt_b", "upcard_to")
COMPARED_FIELDS = [name for name in DEAL_RECORD_DTYPE.names if name not in UNCOMPARED_FIELDS]


def make_true_world(deal, view):
    """Return the world that contains the real hidden cards of a deal."""
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


def find_chosen_action(deal, decision, rules):
    """Return the player's choice at a decision as an action."""
    view, chosen = decision.view, decision.action
    if decision.slot == "offer":
        return Action(ACTION_OFFER, chosen)
    if decision.slot == "answer":
        return Action(ACTION_ACCEPT if chosen else ACTION_REFUSE)
    if view.phase == core_answers.PHASE_STOP:
        return Action(ACTION_END_DEAL) if chosen else Action(core_answers.ACTION_STOCK)
    if view.phase == core_answers.PHASE_LAST:
        return (
            Action(ACTION_END_DEAL, int(view.ending_card))
            if chosen
            else Action(ACTION_LEAVE_DISCARD)
        )
    if decision.slot == "take":
        is_pass = (
            view.phase == core_answers.PHASE_UPCARD and rules.first_turn == FIRST_TURN_UPCARD_PASS
        )
        return Action(core_answers.ACTION_PASS if is_pass and chosen == 0 else chosen)
    turn_decisions = [
        turn_decision
        for turn_decision in deal.decisions
        if turn_decision.seat == decision.seat and turn_decision.view.turn == view.turn
    ]
    if deal.matchup.b is None:
        turn_decisions = [
            turn_decision
            for turn_decision in turn_decisions
            if turn_decision.view.phase == view.phase
        ]
    for turn_decision in turn_decisions:
        if turn_decision.slot == "knock" and turn_decision.action:
            return Action(ACTION_END_DEAL, int(turn_decision.view.ending_card))
    return Action(
        ACTION_DISCARD,
        next(
            turn_decision.action
            for turn_decision in turn_decisions
            if turn_decision.slot == "discard"
        ),
    )


def iter_decisions(matchup, n_deals):
    """Yield every decision in the first deals of a matchup, each with its deal."""
    for unit in range(n_deals):
        for half in range(2 if matchup.is_mirrored else 1):
            deal = trace_deal(matchup, unit, half)
            yield from ((deal, decision) for decision in deal.decisions)


UNOWNED_DIE_VARIANT = "dice+die_centre_in_play=yes"
DIE_VARIANTS = (
    *(
        "dice",
        "dice-pro",
        UNOWNED_DIE_VARIANT,
        f"{UNOWNED_DIE_VARIANT}+first_turn=free+die_refusal_pays=new",
    ),
    *(
        f"{UNOWNED_DIE_VARIANT}+first_turn={first}"
        for first in ("discard_first", "upcard_stock_or_pass")
    ),
)
OFFERING_PLAYERS = (
    "champion+offer=strong:count=60,turn=9+answer=brave",
    "gold+offer=strong:count=40,turn=9,blind=yes+answer=brave:count=25",
)
STOPPING_PLAYERS = ("solo-lookahead+knock=at:k=6", None)
CARD_ACTIONS = {core_answers.ACTION_STOCK, ACTION_DISCARD}
TRUE_WORLD_CASES = [  # variant, players, units, required actions
    *(
        (name, ("gold", "gold-early"), 1, CARD_ACTIONS)
        for name in TWO_PLAYER_VARIANTS
        if "dice" not in name
    ),
    *(
        (name, ("champion", "tonic-like"), 1, CARD_ACTIONS)
        for name in TWO_PLAYER_VARIANTS
        if "dice" not in name
    ),
    *(
        (name, OFFERING_PLAYERS, 4, {ACTION_OFFER, ACTION_ACCEPT, ACTION_REFUSE, *CARD_ACTIONS})
        for name in DIE_VARIANTS
    ),
    *((name, STOPPING_PLAYERS, 6, {ACTION_DISCARD, ACTION_END_DEAL}) for name in SOLO_VARIANTS),
    *(
        (name, ("solo-switch", None), 6, {ACTION_DISCARD, ACTION_END_DEAL})
        for name in SOLO_VARIANTS
    ),
]


DISTINCT_DEALS = variant_lists.select_distinct_deals(TWO_PLAYER_VARIANTS)
# Other variants differ only in matches. Gold plays them, too.
FAST_TRUE_WORLD_CASES = [
    case
    for case in TRUE_WORLD_CASES
    if case[1][0] != "champion" or variant_lists.to_single_deal_variant(case[0]) in DISTINCT_DEALS
]


@pytest.mark.parametrize(
    ("variant", "players", "n_units", "required_actions"),
    mark_slow_except(FAST_TRUE_WORLD_CASES, TRUE_WORLD_CASES),
)
def test_rollout_in_the_true_world_is_the_played_deal(variant, players, n_units, required_actions):
    matchup = parse_matchup(*players, variant, 5, "deal")
    rules = build_rules(matchup.variant)
    seen_actions = set()
    for deal, decision in iter_decisions(matchup, n_units):
        view = decision.view
        action = find_chosen_action(deal, decision, rules)
        if action.type in (ACTION_OFFER, ACTION_ACCEPT, ACTION_REFUSE):
            assert action in list_die_actions(view, rules)
        else:
            assert action in list_legal_actions(view, rules)
        seat_matchup = matchup
        if view.seat != deal.state.half:
            seat_matchup = replace(matchup, a=matchup.b, b=matchup.a)
        record = roll_out_worlds(seat_matchup, view, [action], make_true_world(deal, view))[0, 0]
        expected = np.zeros(1, DEAL_RECORD_DTYPE)[0]
        write_deal_record(deal.state, expected, view.seat)
        assert {variant: record[variant] for variant in COMPARED_FIELDS} == {
            variant: expected[variant] for variant in COMPARED_FIELDS
        }
        seen_actions.add((int(view.phase), action.type))
    assert required_actions <= {kind for _, kind in seen_actions}
    if players == OFFERING_PLAYERS:
        blind, turn = core_answers.PHASE_BLIND, core_answers.PHASE_TURN
        assert {(blind, ACTION_OFFER), (blind, ACTION_ACCEPT), (turn, ACTION_OFFER)} <= seen_actions
    if rules.knock_limit and not players[1]:
        assert (
            core_answers.PHASE_STOP,
            ACTION_END_DEAL if players == STOPPING_PLAYERS else core_answers.ACTION_STOCK,
        ) in seen_actions


@pytest.mark.parametrize("variant", ["standard", "oklahoma-spades", "hollywood", *SOLO_VARIANTS])
def test_position_rollouts_agree_with_deal_rollouts(variant):
    is_solo = variant in SOLO_VARIANTS
    players = ("solo-lookahead+knock=at:k=4", None) if is_solo else ("champion", "gold")
    matchup = parse_matchup(*players, variant, 3, "deal")
    rollouts = roll_out_deals(matchup, propose_every_discard, 0, 40 if is_solo else 20, 11)
    assert len(rollouts.views) >= 20
    for view, cards, rows in zip(rollouts.views, rollouts.actions, rollouts.records, strict=True):
        deal = trace_deal(matchup, int(rows[0]["unit"]))
        actions = [Action(ACTION_DISCARD, int(card)) for card in cards if card >= 0]
        records = roll_out_worlds(matchup, view, actions, make_true_world(deal, view))[0]
        assert (records[COMPARED_FIELDS] == rows[: len(actions)][COMPARED_FIELDS]).all()


def test_legal_actions_include_every_discard_and_ending():
    matchup = parse_matchup("gold", "gold-early", "standard", 9, "deal")
    rules = build_rules(matchup.variant)
    n_endings = 0
    for _, decision in iter_decisions(matchup, 20):
        actions = list_legal_actions(decision.view, rules)
        if decision.slot == "take":
            assert len(actions) == 2
            continue
        discards = [action.card for action in actions if action.type == ACTION_DISCARD]
        knock_discards = [action.card for action in actions if action.type == ACTION_END_DEAL]
        if decision.slot == "discard":
            assert sum(1 << card for card in discards) == decision.view.legal
        for card in discards:
            remaining_deadwood = deadwood(int(decision.view.hand) & ~(1 << card), rules)
            assert (card in knock_discards) == (remaining_deadwood <= rules.knock_limit)
        n_endings += len(knock_discards)
    assert n_endings > 20
