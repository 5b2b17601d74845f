"""Policies that make and answer offers of the die in Gin Dice.

`strong` and `brave` depend only on the deadwood of the hand. The policies `strong` and `brave` are
predictable without a table, so the tests of the die use them.

`dead` looks up the probabilities W of winning and L of losing the deal by the player's turn and
deadwood. The table of these probabilities was estimated from self-play of `gold`
(training/stake.py). The value of a deal is the number on the die. Refusing loses the old stake s,
and accepting n has the value n (W - L), so `dead` accepts if W - L >= -s/n.

`by-value` replaces this linear value with the probability V of winning the match. The policy takes
into account that deals won beyond the target have no value, and that a player far behind has little
to lose. V is computed for two equal players who make offers and answers according to V before they
see their cards, without raises during play. The winner deals.

Assumptions of this project: An offer carries no information about the hand, except through
`caution`. If one die applies to a whole game (Gin Dice with Gin Pro), the probability of winning
the game is a linear function of the lead in points. It is 0.5 without a lead, and 1 if the lead
equals the points target.

Source: This project; J. E. Keeler and J. Spencer, "Optimal Doubling in Backgammon", 1975, for the
idea.
"""

from simgin.core.rules_record import DIE_GAME, GOAL_GAMES, REFUSAL_PAYS_NEW
from simgin.strategy import PHASE_BLIND, answer, flag, helper, offer, param
from simgin.toolkit import bernoulli, pick_random

# The axes of stake.npy are the number of the player's turns and bands of five points of deadwood.
# The last index of turns includes all later turns.
N_TABLE_TURNS, N_DEADWOOD_BANDS, DEADWOOD_BAND_WIDTH = 16, 16, 5
OWN_TURN_INDEX, OPPONENT_TURN_INDEX = 0, 1
MAX_WINS_NEEDED = 21
MATCH_VALUES_OFFSET = 2 * N_TABLE_TURNS * N_DEADWOOD_BANDS * 2  # offset of V in stake.npy


@offer(name="none")
def offer_nothing(view, rules, params):
    """Offer 0, which leaves the die unchanged."""
    return 0


@answer(name="never")
def refuse_every_offer(view, rules, params):
    """Refuse every offer."""
    return 0


@offer(name="random", noise=True, p_offer=param(0.2, 0.0, 1.0, "probability of an offer if legal"))
def offer_at_random(view, rules, params):
    """Offer a random number with probability `p_offer`."""
    return (
        pick_random(view.legal & ~1, view.noise)
        if (view.noise & 0xFFFFF) < params[0] * 0x100000
        else 0
    )


@answer(noise=True, name="random", p_accept=param(0.5, 0.0, 1.0, "probability of accepting"))
def accept_at_random(view, rules, params):
    """Accept an offer with probability `p_accept`."""
    return bernoulli(params[0], view.noise)


@offer(
    name="strong",
    count=param(20, 0, 99, "maximum deadwood for an offer"),
    turn=param(6, 1, 500, "last own turn for an offer"),
    blind=flag(False, "also make an offer before the cards are seen"),
)
def offer_with_low_deadwood(view, rules, params):
    """Offer one more than the number on the die if the deadwood is low in the first turns."""
    if view.phase == PHASE_BLIND:
        return view.stake + 1 if params[2] else 0
    return view.stake + 1 if view.count <= params[0] and view.own_turn <= params[1] else 0


@answer(
    name="brave",
    count=param(35, 0, 99, "maximum deadwood to accept an offer"),
    blind=flag(True, "accept offers before the cards are seen"),
)
def accept_with_low_deadwood(view, rules, params):
    """Accept with low deadwood, or before the deal if the parameter `blind` is set."""
    return params[1] > 0 if view.phase == PHASE_BLIND else view.count <= params[0]


@offer(
    name="dead",
    w2=param(0.6, 0.0, 1.1, "minimum probability of winning the deal to offer 2"),
    w3=param(0.6, 0.0, 1.1, "minimum probability of winning the deal to offer 3"),
    w4=param(0.6, 0.0, 1.1, "minimum probability of winning the deal to offer 4"),
    w5=param(0.6, 0.0, 1.1, "minimum probability of winning the deal to offer 5"),
    w6=param(0.6, 0.0, 1.1, "minimum probability of winning the deal to offer 6 or more"),
    weights="stake.npy",
)
def offer_by_win_probability(view, rules, params):
    """Offer the largest number for which the probability of winning the deal is high enough."""
    p_win = _look_up_deal_probabilities(view, rules, params[5:], OWN_TURN_INDEX)[0]
    for n in range(rules.die_cap, view.stake, -1):
        if p_win >= params[min(n, 6) - 2]:
            return n
    return 0


@answer(
    name="dead",
    caution=param(0.0, -2.0, 2.0, "assumed decrease of W - L if the opponent makes an offer"),
    weights="stake.npy",
)
def accept_by_expected_result(view, rules, params):
    """Accept unless a refusal gives a better expected result."""
    p_win, p_loss = _look_up_deal_probabilities(view, rules, params[1:], OPPONENT_TURN_INDEX)
    shift = 0.0 if view.phase == PHASE_BLIND else params[0]
    payment = view.offered if rules.die_refusal_pays == REFUSAL_PAYS_NEW else view.stake
    return p_win - p_loss - shift >= -payment / view.offered


@offer(
    name="by-value",
    edge=param(0.0, 0.0, 1.0, "minimum gain in match win probability"),
    weights="stake.npy",
)
def offer_by_match_value(view, rules, params):
    """Make the offer with the highest match win probability if the opponent responds optimally.

    If several offers are equally good, make the largest of these offers.
    """
    p_win, p_loss = _look_up_deal_probabilities(view, rules, params[1:], OWN_TURN_INDEX)
    best_offer, best_value = (
        0,
        _evaluate_without_offer(view, rules, p_win, p_loss, params[1:]) + params[0],
    )
    for n in range(view.stake + 1, rules.die_cap + 1):
        if_refused = _evaluate_after_wins(
            view, n if rules.die_refusal_pays == REFUSAL_PAYS_NEW else view.stake, 0, params[1:]
        )
        value = min(if_refused, _evaluate_stake(view, n, p_win, p_loss, params[1:]))
        if value > best_value or (best_offer and value == best_value):
            best_offer, best_value = n, value
    return best_offer


@answer(
    name="by-value",
    caution=param(0.0, -1.0, 1.0, "assumed decrease of W if the opponent makes an offer"),
    weights="stake.npy",
)
def accept_by_match_value(view, rules, params):
    """Accept unless a refusal gives a higher match win probability."""
    p_win, p_loss = _look_up_deal_probabilities(view, rules, params[1:], OPPONENT_TURN_INDEX)
    shift = 0.0 if view.phase == PHASE_BLIND else min(params[0], p_win)
    payment = view.offered if rules.die_refusal_pays == REFUSAL_PAYS_NEW else view.stake
    return _evaluate_stake(
        view, view.offered, p_win - shift, p_loss + shift, params[1:]
    ) >= _evaluate_after_wins(view, 0, payment, params[1:])


@helper
def _look_up_deal_probabilities(view, rules, table, turn_owner_index):
    """Return the probabilities of winning and of losing the deal's stake.

    Before the cards are seen, both probabilities are 0.5. Later, they are looked up in the table by
    the player's turn and deadwood.
    """
    if rules.die == DIE_GAME:
        p_win = min(
            1.0,
            max(
                0.0, 0.5 + (view.own_points - view.other_points) / (2 * max(1, rules.points_target))
            ),
        )
        return p_win, 1 - p_win
    if view.phase == PHASE_BLIND:
        return 0.5, 0.5
    cell = (
        turn_owner_index * N_TABLE_TURNS + min(N_TABLE_TURNS, view.own_turn) - 1
    ) * N_DEADWOOD_BANDS + min(N_DEADWOOD_BANDS - 1, view.count // DEADWOOD_BAND_WIDTH)
    return table[2 * cell], table[2 * cell + 1]


@helper
def _evaluate_without_offer(view, rules, p_win, p_loss, table):
    """Return the probability of winning the match without an offer.

    Before the cards are seen, the dealer can still make an offer after the nondealer.
    """
    value = _evaluate_stake(view, view.stake, p_win, p_loss, table)
    if view.phase == PHASE_BLIND and view.seat != view.dealer:
        for n in range(view.stake + 1, rules.die_cap + 1):
            if_refused = _evaluate_after_wins(
                view, 0, n if rules.die_refusal_pays == REFUSAL_PAYS_NEW else view.stake, table
            )
            value = min(value, max(if_refused, _evaluate_stake(view, n, p_win, p_loss, table)))
    return value


@helper
def _evaluate_stake(view, stake, p_win, p_loss, table):
    """Return the probability of winning the match if the deal is played for a stake."""
    p_draw = max(0.0, 1 - p_win - p_loss)
    return (
        p_win * _evaluate_after_wins(view, stake, 0, table)
        + p_loss * _evaluate_after_wins(view, 0, stake, table)
        + p_draw * _evaluate_after_wins(view, 0, 0, table)
    )


@helper
def _evaluate_after_wins(view, own_wins, opponent_wins, table):
    """Return the match win probability after each player has won further deals or games.

    The winner of a deal deals next, so the opponent makes the first decision about the die.
    """
    own_needed, opponent_needed = (
        (view.own_games, view.other_games)
        if view.goal == GOAL_GAMES
        else (view.own_deals, view.other_deals)
    )
    dealer = int(
        own_wins > opponent_wins or (own_wins == opponent_wins and view.dealer == view.seat)
    )
    return look_up_match_value(
        view.target - own_needed - own_wins,
        view.target - opponent_needed - opponent_wins,
        dealer,
        table,
    )


@helper
def look_up_match_value(own_wins_needed, opponent_wins_needed, dealer, table):
    """Return the match win probability V, given the number of wins that each player still needs.

    `dealer` is 1 if the player deals next, otherwise 0.
    """
    if own_wins_needed <= 0:
        return 1.0
    if opponent_wins_needed <= 0:
        return 0.0
    row = min(own_wins_needed, MAX_WINS_NEEDED) - 1
    return table[
        MATCH_VALUES_OFFSET
        + (dealer * MAX_WINS_NEEDED + row) * MAX_WINS_NEEDED
        + min(opponent_wins_needed, MAX_WINS_NEEDED)
        - 1
    ]
