"""Fast helper functions for the policies of a strategy.

Cards are numbers 0 to 51 (13 * suit + rank). Sets of cards are 52-bit masks. Functions with the
argument `rules` apply the rules of the variant, for example to card values and runs.

The modules are `hand` for the player's cards, `prospects` for future draws, `opponent` and
`beliefs` for the opponent's cards, `penalties` for discards by cost, and `legal_actions` for
actions and random choices. docs/how-to/writing-a-strategy.md lists all functions.

Example:
    Take cards that lower the deadwood, and discard the highest unmatched card::

        from simgin.strategy import Strategy, discard, take
        from simgin.toolkit import highest_card, lowers_deadwood, take_if, unmatched_cards

        @take
        def lower(view, rules, params):
            return take_if(lowers_deadwood(view, rules), view.legal)

        @discard
        def highest(view, rules, params):
            cards = unmatched_cards(view.hand, rules) & view.legal
            return highest_card(cards if cards else view.legal)

        STRATEGY = Strategy("mine", take=lower, discard=highest)
"""

from simgin import renamed
from simgin.core.bitboard import ranks_of
from simgin.core.bits import lowest_bit, nth_bit, popcount
from simgin.core.cards import ALL_CARDS, card_mask, cards_of_rank, rank, suit, suit_lane
from simgin.core.deadwood import (
    best_discards,
    cards_in_melds,
    deadwood,
    deadwood_with_melded,
    highest_value_cards,
)
from simgin.core.rng import random_below
from simgin.toolkit.beliefs import estimate_holdings, meld_probability
from simgin.toolkit.hand import (
    best_discard,
    card_value,
    cards_of_ranks,
    count_extensions,
    deadwood_after_taking,
    deadwood_of_melding,
    discards_leaving,
    extension_cards,
    highest_card,
    is_in_best_melding,
    leftover_cards,
    lowers_deadwood,
    makes_meld,
    total_points,
    unmatched_cards,
)
from simgin.toolkit.legal_actions import (
    bernoulli,
    is_gin_or_better,
    legal_discards,
    next_random_word,
    pick_random,
    take_if,
)
from simgin.toolkit.opponent import (
    declined_card,
    discard_danger,
    estimate_holdings_uniformly,
    expected_deadwood,
    first_discards,
    holding_probability,
    last_opponent_discard,
    neighbours,
    neighbours_of_any,
    touching_cards,
)
from simgin.toolkit.penalties import (
    discard_with_card_penalties,
    discard_with_penalty,
    lowest_cost_card,
)
from simgin.toolkit.prospects import (
    cards_with_partner,
    cards_worth_holding,
    completers,
    count_gin_draws,
    count_live_completers,
    count_outs,
    count_possible_melds,
    count_run_pairs,
    count_three_card_melds,
    count_three_card_runs,
    deadwood_after_draws,
    mean_of_smallest,
    outs,
    partners,
    partners_by_rank_and_suit,
    sum_of_smallest,
    tally_deadwood_after_draws,
)

__all__ = [
    "ALL_CARDS",
    "bernoulli",
    "best_discard",
    "best_discards",
    "card_mask",
    "card_value",
    "cards_in_melds",
    "cards_of_rank",
    "cards_of_ranks",
    "cards_with_partner",
    "cards_worth_holding",
    "completers",
    "count_extensions",
    "count_gin_draws",
    "count_live_completers",
    "count_outs",
    "count_possible_melds",
    "count_run_pairs",
    "count_three_card_melds",
    "count_three_card_runs",
    "deadwood",
    "deadwood_after_draws",
    "deadwood_after_taking",
    "deadwood_of_melding",
    "deadwood_with_melded",
    "declined_card",
    "discard_danger",
    "discard_with_card_penalties",
    "discard_with_penalty",
    "discards_leaving",
    "estimate_holdings",
    "estimate_holdings_uniformly",
    "expected_deadwood",
    "extension_cards",
    "first_discards",
    "highest_card",
    "highest_value_cards",
    "holding_probability",
    "is_gin_or_better",
    "is_in_best_melding",
    "last_opponent_discard",
    "leftover_cards",
    "legal_discards",
    "lowers_deadwood",
    "lowest_bit",
    "lowest_cost_card",
    "makes_meld",
    "mean_of_smallest",
    "meld_probability",
    "neighbours",
    "neighbours_of_any",
    "next_random_word",
    "nth_bit",
    "outs",
    "partners",
    "partners_by_rank_and_suit",
    "pick_random",
    "popcount",
    "random_below",
    "rank",
    "ranks_of",
    "suit",
    "suit_lane",
    "sum_of_smallest",
    "take_if",
    "tally_deadwood_after_draws",
    "total_points",
    "touching_cards",
    "unmatched_cards",
]  # fmt: skip

__getattr__ = renamed.make_getattr(__name__)
