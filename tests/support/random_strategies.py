"""Random strategies for tests, sensible enough for deals to end in every way."""

from simgin_strategies.take import take_at_random

from simgin.strategy import Strategy, answer, discard, helper, knock, offer, param, show, take
from simgin.toolkit import bernoulli, best_discards, cards_of_rank, lowest_bit, pick_random, take_if


@discard(noise=True, p=param(0.1, 0.0, 1.0, "chance of any card"))
def discard_with_errors(view, rules, params):
    """Discard a random card that leaves the least deadwood, or sometimes any card."""
    if (view.noise & 0xFFFFF) < params[0] * 0x100000:
        return pick_random(view.legal, view.noise)
    return pick_random(best_discards(view.hand, view.legal, rules)[1], view.noise)


@helper
def _find_shot_cards(hand, points):
    """Return the cards that a shot at this score must leave, one for each digit."""
    kept = 0
    for digit in (points // 10 % 10, points % 10):
        cards = hand & ~kept & cards_of_rank(digit - 1) if digit else 0
        kept |= cards & -cards
    return kept


@discard(noise=True)
def keep_shot_cards(view, rules, params):
    """Keep the cards that a shot must leave and meld the rest."""
    kept = _find_shot_cards(view.hand, view.own_points)
    legal = view.legal & ~kept
    if legal == 0:
        return lowest_bit(view.legal)
    return pick_random(best_discards(view.hand & ~kept, legal, rules)[1], view.noise)


@take(turn=param(100, 0, 500, "last turn of both players on which it takes"))
def take_until_turn(view, rules, params):
    """Take every card except the first upcard up to some turn, and none later."""
    return take_if(view.phase == 1 and view.turn <= params[0], view.legal)


@knock(
    noise=True,
    before=param(0.02, 0.0, 1.0, "chance of ending before"),
    least=param(0, 0, 3, "least kind of ending"),
)
def end_late(view, rules, params):
    """End the deal at the 50th card or with at least a given ending, and otherwise rarely."""
    wanted = params[1] > 0 and view.ending >= params[1]
    return view.phase == 2 or wanted or bernoulli(params[0], view.noise)


@offer(noise=True, p=param(0.15, 0.0, 1.0, "chance of an offer"))
def offer_random_stake(view, rules, params):
    """Offer a random legal stake with a given probability."""
    if (view.noise & 0xFFFFF) < params[0] * 0x100000:
        return pick_random(view.legal & ~1, view.noise)
    return 0


@answer(noise=True, p=param(0.7, 0.0, 1.0, "chance of accepting"))
def accept_at_random(view, rules, params):
    """Accept an offer of the die with a given probability."""
    return bernoulli(params[0], view.noise)


@show(noise=True)
def show_random_melding(view, rules, params):
    """Show a random legal melding."""
    return pick_random(view.legal & 0x7FFFFFFFFFFFFFFF, view.noise)


@show
def show_last_melding(view, rules, params):
    """Show the last legal melding, which usually has the most deadwood."""
    last = 0
    while last < 63 and view.legal >> (last + 1) & 1:
        last += 1
    return last


DIE_POLICIES = {"offer": offer_random_stake, "answer": accept_at_random}
STRAY_STRATEGY = Strategy(
    "stray",
    take=take_at_random,
    discard=discard_with_errors,
    knock=end_late(before=0.5),
    show=show_random_melding,
    **DIE_POLICIES,
)
SAME_ENDING_OPTIONS = {"take": take_at_random, "ending": "same"}
STRAY_SAME_STRATEGY = Strategy(
    "stray-same",
    discard=discard_with_errors,
    knock=end_late(before=0.5),
    show=show_last_melding,
    **SAME_ENDING_OPTIONS,
    **DIE_POLICIES,
)
LATE_STRATEGY = Strategy(
    "late", discard=discard_with_errors, knock=end_late, show=show_last_melding
)
LAST_STRATEGY = Strategy(
    "last", take=take_until_turn, discard=discard_with_errors, knock=end_late(before=0)
)
SHOT_POLICIES = {
    "discard": keep_shot_cards,
    "knock": end_late(before=0.05, least=2),
    "show": show_random_melding,
}
SHOOTER_STRATEGY = Strategy("shooter", **SHOT_POLICIES)
SHOOTER_SAME_STRATEGY = Strategy("shooter-same", **SHOT_POLICIES, **SAME_ENDING_OPTIONS)
GAMBLER_STRATEGY = Strategy(
    "gambler", discard=discard_with_errors(p=0), show=show_random_melding, **DIE_POLICIES
)
