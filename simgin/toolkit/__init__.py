"""Fast helpers for the authors of strategies, to be called inside a policy.

Cards are 0..51 (13 * suit + rank), sets of cards 52-bit masks.

From the core: `deadwood(cards, rules)` of up to eleven cards; `best_discards(hand, legal, rules)`
-> (least deadwood, mask of all discards that reach it); `deadwood_with(cards, card, rules)`, the
least deadwood with that card melded; `meldable(cards, rules)`, the cards that lie in a meld;
`dearest(cards, rules)` -> (the highest of them, their value); `popcount`, `lowest`, `nth` on masks;
`rank`, `suit`, `of_rank`.

`hand` is about your own cards as they are, `prospects` about what they may become; `opponent` and
`beliefs` are about the other player's cards; `prices` chooses a discard; `answers` has what
policies answer with. docs/how-to/writing-a-strategy.md has a line for each helper.
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
