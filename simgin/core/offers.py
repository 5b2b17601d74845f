"""The opponent's offers of the die in sampled worlds of a position."""

from simgin.core.ask import ask_apart, forget
from simgin.core.position import set_position, set_view
from simgin.core.state import OFFER


def ask_offers(
    state, rules, view0, view1, views, hands, stocks, first, offers,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Call the opponent's offer policy in each world of a decision about an offer.

    `views`, `hands`, `stocks` and `first_world` are as in `run_world_rollouts`. `offers` is
    (n_worlds,) int64, overwritten with the numbers offered, 0 for none.
    """
    seat = 1 - views[0].seat
    theirs = view0 if seat == 0 else view1
    higher = (1 << (rules.die_cap + 1)) - (1 << (views[0].stake + 1))
    for w in range(len(hands)):
        state.unit = first + w
        view = views[w % len(views)]
        forget(theirs, state.turns)
        set_position(state, rules, view, hands[w], stocks[w])
        set_view(state, rules, view, theirs, seat)
        offers[w] = ask_apart(state, rules, theirs, seat, OFFER, higher | 1, offer_b)
