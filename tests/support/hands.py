"""Random test hands, as masks for the engine and as strings for the reference implementation."""

import random
from collections.abc import Iterable
from functools import cache
from typing import Any

from oracles import reference
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text import notation

ALL_CARDS_MASK = (1 << 52) - 1
ACE_RUNS_VALUES = ("low", "high_or_low", "corner")
MELD_VARIANTS = tuple(
    f"standard+ace_runs={ace}+rainbow={rainbow}"
    for ace in ACE_RUNS_VALUES
    for rainbow in ("no", "yes")
)
# Card values of standard, of Tedesco's defender and of Solitary Gin
CARD_VALUE_SETTINGS = ("", "+defender_ace_value=15", "+pip_values=five_ten+ace_value=15")


@cache
def build_both_rules(spec: str) -> tuple[Any, dict[str, Any]]:
    """Return the rules of a variant for the engine and for the reference."""
    variant = variants.find_variant(spec)
    return build_rules(variant), dict(variant.params)


CARD_NAMES = [notation.format_card(card) for card in range(52)]
CARD_BITS = {name: 1 << card for card, name in enumerate(CARD_NAMES)}


def list_card_names(hand: int) -> list[str]:
    """Return the cards of a mask as strings, such as "5S"."""
    return [CARD_NAMES[card] for card in list_cards(hand)]


def format_cards(cards: Iterable[int]) -> list[str]:
    return [CARD_NAMES[int(card)] for card in cards]


def to_mask(card_names: Iterable[str]) -> int:
    return sum(CARD_BITS[card] for card in card_names)


def list_cards(hand: int) -> list[int]:
    return notation.mask_to_cards(hand)


@cache
def list_meld_masks(ace_runs: str) -> tuple[int, ...]:
    """Return the mask of every meld of up to five cards, including rainbows."""
    melds = reference.list_all_melds({"ace_runs": ace_runs, "rainbow": True})
    return tuple(sorted(to_mask(meld) for meld in melds if len(meld) <= 5))


def deal_hand(rng: random.Random, size: int, pack: Iterable[int] = range(52)) -> int:
    """Return the mask of random cards from a pack."""
    return sum(1 << card for card in rng.sample(list(pack), size))


def deal_neighbouring_ranks(rng: random.Random, size: int) -> int:
    """Return a random hand from a few neighbouring ranks, which form runs as well as sets."""
    width = rng.randint(-(-size // 4) + (size % 4 == 0), 5)
    first = rng.randrange(13)
    ranks = [(first + i) % 13 for i in range(width)]
    return deal_hand(rng, size, [13 * suit + rank for suit in range(4) for rank in ranks])


def deal_melds(rng: random.Random, size: int, ace_runs: str, excluded: int = 0) -> int:
    """Return a hand of random melds without the excluded cards, cut or filled to a size."""
    melds = [meld for meld in rng.sample(list_meld_masks(ace_runs), 24) if not meld & excluded]
    hand = 0
    while hand.bit_count() < size and melds and rng.random() < 0.9:
        hand |= melds.pop()
    spare = [card for card in range(52) if not (hand | excluded) >> card & 1]
    while hand.bit_count() < size:
        hand |= 1 << spare.pop(rng.randrange(len(spare)))
    while hand.bit_count() > size:
        hand ^= 1 << rng.choice(list_cards(hand))
    return hand


def deal_meld_rich_hand(rng: random.Random, size: int, ace_runs: str) -> int:
    """Return a hand with many melds, most of which overlap."""
    return (
        deal_neighbouring_ranks(rng, size)
        if rng.random() < 0.5
        else deal_melds(rng, size, ace_runs)
    )


def stack_pack(rng, params, nondealer_points):
    """Return a pack that deals two hands full of melds. The first can be close to a shot."""
    hand = deal_meld_rich_hand(rng, 10, params["ace_runs"])
    if params["shot"] and rng.random() < 0.5:
        unmatched = to_mask(
            rank + rng.choice(reference.SUITS)
            for rank in reference.get_shot_ranks(nondealer_points)
        )
        hand = unmatched | deal_melds(
            rng, 10 - unmatched.bit_count(), params["ace_runs"], unmatched
        )
    other = deal_melds(rng, 10, params["ace_runs"], hand)
    rest = [card for card in range(52) if not (hand | other) >> card & 1]
    rng.shuffle(rest)
    first, second = list_cards(hand), list_cards(other)
    rng.shuffle(first)
    rng.shuffle(second)
    return [card for two in zip(first, second, strict=True) for card in two] + rest


def stack_solo_pack(rng, params):
    """Return a pack whose first eleven cards, a hand and a draw, are full of melds."""
    hand = list_cards(deal_meld_rich_hand(rng, 11, params["ace_runs"]))
    rest = [card for card in range(52) if card not in hand]
    rng.shuffle(hand)
    rng.shuffle(rest)
    return hand + rest


def choose_random_scores(rng, params):
    """Return random scores of both seats, most of which allow a shot."""
    return tuple(
        rng.choice([0, 1, 3, 10, 12, 25, 30, 33, 42, 99]) % params["points_target"]
        for _ in range(2)
    )
