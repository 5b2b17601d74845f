"""Die offers that the opponent would make in sampled worlds."""

from simgin.core.position_rollouts import fill_seat_view, set_position
from simgin.core.query import clear_history, query_policy_noinline
from simgin.core.state import SLOT_OFFER


def query_world_offers(
    state, rules, view0, view1, views, hands, stocks, first_world, offers,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Call the opponent's offer policy in each sampled world of a decision about a die offer.

    For `views`, `hands`, `stocks` and `first_world`, see `run_world_rollouts`. `offers`,
    (n_worlds,) int64, is overwritten with the numbers offered, with 0 for no offer.
    """
    seat = 1 - views[0].seat
    opponent_view = view0 if seat == 0 else view1
    legal_offers = (1 << (rules.die_cap + 1)) - (1 << (views[0].stake + 1))
    for world in range(len(hands)):
        state.unit = first_world + world
        view = views[world % len(views)]
        clear_history(opponent_view, state.turns)
        set_position(state, rules, view, hands[world], stocks[world])
        fill_seat_view(state, rules, view, opponent_view, seat)
        offers[world] = query_policy_noinline(
            state, rules, opponent_view, seat, SLOT_OFFER, legal_offers | 1, offer_b
        )
