"""Fast helpers for the authors of strategies, to be called inside a policy. Cards are 0..51 (13 * suit + rank), sets of cards 52-bit masks.

From the core: `deadwood(cards, rules)` of up to eleven cards; `best_discards(hand, legal, rules)` -> (count, mask of all discards that
reach it); `deadwood_with(cards, card, rules)` the least deadwood with that card melded; `meldable(cards, rules)` the cards that lie in a
meld; `dearest(cards, rules)` -> (the dearest of them, their value); `popcount`, `lowest`, `nth` on masks; `rank`, `suit`, `of_rank`.

`hand` asks about one's own cards, `opponent` and `beliefs` about the other's, `answers` says what is decided.
"""

from simgin.core.bits import lowest, nth, popcount
from simgin.core.cards import PACK, bit, lane, of_rank, rank, suit
from simgin.core.deadwood import best_discards, deadwood, deadwood_with, dearest, meldable
from simgin.toolkit.answers import chance, pick, take_if
from simgin.toolkit.beliefs import believe, meld_chance
from simgin.toolkit.hand import (
    best_discard,
    count_after,
    deadwood_of_melding,
    extensions,
    hits,
    in_best_melding,
    live_extensions,
    loose,
    makes_meld,
    three_card_melds,
    value,
)
from simgin.toolkit.opponent import believe_alike, chance_held, danger, expected_count, melds_through, near

__all__ = [
    "PACK",
    "believe",
    "believe_alike",
    "best_discard",
    "best_discards",
    "bit",
    "chance",
    "chance_held",
    "count_after",
    "danger",
    "deadwood",
    "deadwood_of_melding",
    "deadwood_with",
    "dearest",
    "expected_count",
    "extensions",
    "hits",
    "in_best_melding",
    "lane",
    "live_extensions",
    "loose",
    "lowest",
    "makes_meld",
    "meld_chance",
    "meldable",
    "melds_through",
    "near",
    "nth",
    "of_rank",
    "pick",
    "popcount",
    "rank",
    "suit",
    "take_if",
    "three_card_melds",
    "value",
]  # fmt: skip
