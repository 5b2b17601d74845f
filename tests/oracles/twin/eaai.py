"""The showdown of the EAAI framework: random families, forced lay-offs, first fit."""

import random
from collections.abc import Iterable

from .melds import RANKS, card_values, extends, left_over, optimal_meldings

EAAI_SUITS = "CHSD"  # the framework's order: clubs, hearts, spades, diamonds
EAAI_ROW = {"ace_runs": "low", "rainbow": False, "pip_values": "face"}
EAAI_ROW |= {"ace_value": 1, "defender_ace_value": 1}


def card_order(card: str) -> tuple[int, int]:
    """Suit first, then rank, as in the framework."""
    return EAAI_SUITS.index(card[1]), RANKS.index(card[0])


def _list_order(meld: Iterable[str]) -> tuple:
    """The framework's order: runs by suit, start and length; then sets by rank, triples first."""
    cards = sorted(meld, key=card_order)
    is_set = cards[0][0] == cards[1][0]
    if is_set:
        return 1, RANKS.index(cards[0][0]), len(cards), 0
    return 0, *card_order(cards[0]), len(cards)


def _family(hand: list[str], rng: random.Random) -> list[list[str]]:
    """A random family of least deadwood, all equally likely; its melds in list order."""
    family = rng.choice(optimal_meldings(hand, EAAI_ROW))
    return sorted(family, key=_list_order)


def _first_fit(melds: list[list[str]], loose: list[str]) -> tuple[int, str] | None:
    for card in sorted(loose, key=card_order):
        for number, meld in enumerate(melds):
            if extends(meld, [card], EAAI_ROW):
                return number, card
    return None


def eaai_showdown(
    stopper_ten: Iterable[str], defender_ten: Iterable[str], rng: random.Random
) -> tuple[int, int, list[str]]:
    """(stopper's deadwood, defender's deadwood after lay-offs, cards laid off in order)."""
    stopper_ten, defender_ten = list(stopper_ten), list(defender_ten)
    values = card_values(EAAI_ROW)
    melds = _family(stopper_ten, rng)
    own = sum(values[card] for card in left_over(stopper_ten, melds))
    loose = left_over(defender_ten, _family(defender_ten, rng))
    laid_off: list[str] = []
    # As in the framework: lay-offs only if the knocker's deadwood is above 0; restart after each.
    while own > 0 and (fit := _first_fit(melds, loose)) is not None:
        number, card = fit
        melds[number] = [*melds[number], card]
        loose.remove(card)
        laid_off.append(card)
    return own, sum(values[card] for card in loose), laid_off
