"""Fast helper functions to call inside the policies of a strategy.

Cards are 0..51 (13 * suit + rank); sets of cards are 52-bit masks. All functions that take `rules`
apply the rules in force, for example to card values and runs.

Modules by subject: `hand` for your own cards as they are, `prospects` for what they can become,
`opponent` and `beliefs` for the opponent's cards, `penalties` for discards by cost,
`legal_actions` for actions and random choices. docs/how-to/writing-a-strategy.md lists all
functions.

Example:
    A strategy that takes cards which lower its deadwood and discards its highest unmatched card::

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

from simgin.core.bits import lowest, nth, popcount
from simgin.core.cards import PACK, bit, lane, of_rank, rank, suit
from simgin.core.deadwood import best_discards, deadwood, deadwood_with, dearest, meldable
from simgin.core.planes import ranks_of
from simgin.core.rng import below
from simgin.toolkit.answers import chance, gin_or_better, legal_discards, pick, random_word, take_if
from simgin.toolkit.beliefs import believe, meld_chance
from simgin.toolkit.hand import (
    best_discard,
    count_after,
    deadwood_of_melding,
    discards_leaving,
    extensions,
    highest,
    in_best_melding,
    left_over,
    live_extensions,
    loose,
    lowers,
    makes_meld,
    of_ranks,
    points,
    value,
)
from simgin.toolkit.opponent import (
    believe_alike,
    chance_held,
    danger,
    expected_count,
    last_thrown,
    left_lying,
    near,
    near_any,
    thrown,
    touching,
)
from simgin.toolkit.prices import cheapest, priced, priced_each
from simgin.toolkit.prospects import (
    completers,
    gin_draws,
    hits,
    linked,
    live_completers,
    mean_of_least,
    melds_through,
    next_counts,
    next_tally,
    outs,
    paired,
    partners,
    run_pairs,
    sum_of_least,
    three_card_melds,
    three_card_runs,
    worth_holding,
)

__all__ = [
    "PACK",
    "believe",
    "believe_alike",
    "below",
    "best_discard",
    "best_discards",
    "bit",
    "chance",
    "chance_held",
    "cheapest",
    "completers",
    "count_after",
    "danger",
    "deadwood",
    "deadwood_of_melding",
    "deadwood_with",
    "dearest",
    "discards_leaving",
    "expected_count",
    "extensions",
    "gin_draws",
    "gin_or_better",
    "highest",
    "hits",
    "in_best_melding",
    "lane",
    "last_thrown",
    "left_lying",
    "left_over",
    "legal_discards",
    "linked",
    "live_completers",
    "live_extensions",
    "loose",
    "lowers",
    "lowest",
    "makes_meld",
    "mean_of_least",
    "meld_chance",
    "meldable",
    "melds_through",
    "near",
    "near_any",
    "next_counts",
    "next_tally",
    "nth",
    "of_rank",
    "of_ranks",
    "outs",
    "paired",
    "partners",
    "pick",
    "points",
    "popcount",
    "priced",
    "priced_each",
    "random_word",
    "rank",
    "ranks_of",
    "run_pairs",
    "suit",
    "sum_of_least",
    "take_if",
    "three_card_melds",
    "three_card_runs",
    "thrown",
    "touching",
    "value",
    "worth_holding",
]  # fmt: skip
