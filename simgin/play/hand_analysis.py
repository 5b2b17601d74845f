"""Analysis of a hand of ten or eleven cards: melds, meldings, deadwood and endings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from simgin.core import bitboard, codes, endings, meldings
from simgin.core.cards import ALL_RANKS
from simgin.core.deadwood import best_discards, compute_deadwood_for_role
from simgin.core.rules_record import KNOCKER
from simgin.rules.build import build_rules
from simgin.rules.validation import OPENINGS_WITHOUT_UPCARD
from simgin.rules.variants import Variant
from simgin.text import notation
from simgin.text.messages import SimginError

Melding = tuple[int, ...]  # disjoint melds as masks, sorted by name


def format_meld(meld: int) -> str:
    """Format the cards of a meld as text, such as `7S 7H 7D` (rules.md 3.5).

    The cards of a set are ordered by suit, and the cards of a run by rank.

    A round-the-corner run is written in ascending order, as in `QS KS AS`.
    """
    ranks = bitboard.ranks_of(meld)
    start = 0 if ranks == ALL_RANKS else int(meldings.find_sequence_start(ranks))

    def make_sort_key(card: int) -> tuple[int, int]:
        return (card % 13 - start) % 13, card

    return " ".join(
        map(notation.format_card, sorted(notation.mask_to_cards(meld), key=make_sort_key))
    )


def format_melding(melding: Sequence[int]) -> str:
    """Format the melds of a melding on one line."""
    return " | ".join(list_meld_names(melding)) or "no meld"


def format_melded_hand(melds: Melding, hand: int) -> str:
    """Format a hand with the melds first, as in `7S 7H 7D | 8C 9C TC | 4H AC`."""
    unmatched = notation.format_hand(hand & ~sum(melds))
    return " | ".join([*list_meld_names(melds), unmatched] if unmatched else list_meld_names(melds))


def sort_melds(melds: Iterable[int]) -> Melding:
    """Return the nonempty melds of a melding, sorted by their names in ASCII order."""
    return tuple(sorted((int(meld) for meld in melds if meld), key=format_meld))


def find_best_meldings(hand: int, rules: Any, side: int = KNOCKER) -> list[Melding]:
    """Return all meldings that leave the least deadwood, sorted by name.

    Args:
        hand: Mask of up to eleven cards.
        rules: Rules record.
        side: KNOCKER or DEFENDER. Card values can differ between the sides.
    """
    buffer = np.zeros(meldings.MAX_MELDS, np.int64)
    melds = buffer[: meldings.find_melds(hand, rules, buffer)].tolist()
    min_deadwood = int(compute_deadwood_for_role(hand, rules, side))
    best_combinations = []
    for combination in _iterate_disjoint_melds(melds):
        unmatched = notation.mask_to_cards(hand & ~sum(combination))
        if sum(rules.value[side, card % 13] for card in unmatched) == min_deadwood:
            best_combinations.append(sort_melds(combination))
    return sorted(best_combinations, key=list_meld_names)


def list_meld_names(melding: Sequence[int]) -> list[str]:
    """Return the melds of a melding as a list of strings."""
    return [format_meld(meld) for meld in melding]


def _iterate_disjoint_melds(melds: list[int]) -> Iterator[Melding]:
    """Yield every combination of up to three disjoint melds, including the empty combination.

    Eleven cards contain at most three melds.
    """
    for n_melds in range(4):
        for combination in combinations(melds, n_melds):
            if sum(combination).bit_count() == sum(map(int.bit_count, combination)):
                yield combination


def choose_shown_melding(
    hand: int, rules: Any, *, discard: int = 0, required_card: int = -1, unmatched_ranks: int = -1
) -> tuple[int, Melding]:
    """Return the melding that a player shows under the automatic rule (rules.md 3.5).

    Args:
        hand: Mask of the cards.
        rules: Rules record.
        discard: Mask of the discard (see `core.meldings.find_shown_melding`).
        required_card: Card that must be melded, or -1 for none.
        unmatched_ranks: Code of the ranks that a shot must leave unmatched, or -1 if the
            ending is not a shot.

    Returns:
        Deadwood in points, and the melds.
    """
    melds = np.zeros(meldings.MAX_MELDS, np.int64)
    keys = np.zeros((1, 3), np.int64)
    rows = np.zeros((1, 3), np.int64)
    deadwood = meldings.find_shown_melding(
        hand, discard, required_card, unmatched_ranks, rules, melds, keys, rows
    )
    return int(deadwood), sort_melds(rows[0])


# Analysis of a hand


class HandError(SimginError):
    """Error raised if a hand is impossible or if an option does not apply to the variant."""


@dataclass(frozen=True)
class Ending:
    """Possible ending of the deal, with the discard and the deadwood.

    Attributes:
        name: Name of the ending (knock, gin, shot or big gin).
        discard: Card that is discarded, 0 to 51, or -1 for none.
        deadwood: Deadwood after the discard, in points.
    """

    name: str
    discard: int
    deadwood: int

    @property
    def text(self) -> str:
        """Name of the ending with its deadwood, as in `knock with 9`."""
        return self.name if self.name == "gin" else f"{self.name} with {self.deadwood}"


@dataclass(frozen=True)
class HandAnalysis:
    """Melds, deadwood and possible endings of a hand under a variant.

    Attributes:
        variant: Rules of the game.
        cards: Mask of ten or eleven cards.
        deadwood: Least deadwood, in points.
        shown_melding: Melding that the automatic rule shows.
        best_meldings: All meldings that leave the least deadwood.
        knock_limit: Knock limit in points, or None if it depends on an upcard that is not
            specified.
        required_shot_ranks: Ranks 1 to 9 that a shot must leave unmatched, or None if the variant
            has no shots or the score is unknown.
        deadwood_by_discard: Deadwood after each discard, in points, or an empty dictionary for ten
            cards.
        endings: Possible endings.
    """

    variant: Variant
    cards: int
    deadwood: int
    shown_melding: Melding
    best_meldings: list[Melding]
    knock_limit: int | None
    required_shot_ranks: list[int] | None
    deadwood_by_discard: dict[int, int]
    endings: list[Ending]

    @property
    def best_discards(self) -> list[int]:
        """Discards that leave the least deadwood, as card numbers."""
        min_deadwood = min(self.deadwood_by_discard.values(), default=0)
        return [card for card, points in self.deadwood_by_discard.items() if points == min_deadwood]


def analyze_hand(
    variant: Variant, cards: Sequence[int], *, upcard: int | None = None, score: int | None = None
) -> HandAnalysis:
    """Analyse a hand of ten cards (after the discard) or eleven cards (before the discard).

    Args:
        variant: Rules of the game.
        cards: Ten or eleven cards, 0 to 51.
        upcard: First upcard, which sets the knock limit of some variants.
        score: The player's points before the deal, which determine the ranks that a shot must leave
            unmatched.

    Raises:
        HandError: If the number of cards is wrong, or if `upcard` or `score` is given but the
            variant has no upcard or no shots, respectively.
    """
    _check_arguments(variant, cards, upcard, score)
    rules = build_rules(variant)
    hand = notation.cards_to_mask(cards)
    knock_limit = None
    if upcard is not None or not rules.knock_by_upcard:
        knock_limit = int(endings.compute_knock_limit(-1 if upcard is None else upcard, rules))
    points = score if rules.shot else None
    eleven_cards = len(cards) == 11
    hands = (
        {card: hand & ~(1 << card) for card in notation.mask_to_cards(hand)}
        if eleven_cards
        else {-1: hand}
    )
    found_endings = []
    if eleven_cards:
        min_deadwood, best_cards = best_discards(hand, hand, rules)
        ending, _, deadwood_points = endings.find_best_ending(
            hand, hand, -1, -1, 0, min_deadwood, best_cards, rules
        )
        if ending == codes.ENDING_BIG_GIN:
            found_endings.append(Ending("big gin", -1, int(deadwood_points)))
    for discard, ten_cards in hands.items():
        found_endings += _find_possible_endings(discard, ten_cards, knock_limit, points, rules)
    deadwood, melding = choose_shown_melding(hand, rules)
    return HandAnalysis(
        variant=variant,
        cards=hand,
        deadwood=deadwood,
        shown_melding=melding,
        best_meldings=find_best_meldings(hand, rules),
        knock_limit=knock_limit,
        required_shot_ranks=None if points is None else find_required_shot_ranks(points),
        deadwood_by_discard=_compute_deadwood_by_discard(hands, rules) if eleven_cards else {},
        endings=found_endings,
    )


def find_required_shot_ranks(points: int) -> list[int]:
    """Return the ranks that a shot must leave unmatched at a match score (rules.md 3.6).

    Returns:
        Ranks 1 to 9 in ascending order. The list is empty if no shot is possible.
    """
    code = int(endings.find_shot_ranks(points))
    return [rank + 1 for rank in range(13) for _ in range(code >> 3 * rank & 7)]


def _check_arguments(
    variant: Variant, cards: Sequence[int], upcard: int | None, score: int | None
) -> None:
    """Raise HandError if the hand is impossible or an option does not apply."""
    if len(cards) not in (10, 11):
        cards_text = "1 card" if len(cards) == 1 else f"{len(cards)} cards"
        raise HandError(
            f"a hand cannot have {cards_text}. Enter ten cards, or eleven before the discard."
        )
    if upcard is not None and variant.params["first_turn"] in OPENINGS_WITHOUT_UPCARD:
        raise HandError(f"{variant.spec} has no upcard. Omit --upcard.")
    if score is not None and not variant.params["shot"]:
        raise HandError(
            f"the score has no effect in {variant.spec}, which has no shots. Omit --score, or add "
            "+shot to the variant."
        )
    if score is not None and score < 0:
        raise HandError(f"{score} is not a valid score. Use 0 or a positive number.")


def _compute_deadwood_by_discard(hand_by_discard: dict[int, int], rules: Any) -> dict[int, int]:
    """Return the deadwood after each possible discard, in ascending order.

    Ties are sorted by the value of the discard in descending order, then by card number.
    """
    card_values = rules.value[KNOCKER]
    deadwood_by_card = {
        card: int(compute_deadwood_for_role(ten_cards, rules, KNOCKER))
        for card, ten_cards in hand_by_discard.items()
    }
    sorted_cards = sorted(
        deadwood_by_card, key=lambda card: (deadwood_by_card[card], -card_values[card % 13], card)
    )
    return {card: deadwood_by_card[card] for card in sorted_cards}


def _find_possible_endings(
    discard: int, ten_cards: int, knock_limit: int | None, points: int | None, rules: Any
) -> list[Ending]:
    """Return all endings that are available to a player with ten cards.

    The function assumes that the discard was not taken from the pile in this turn.
    """
    found_endings = []
    deadwood_points = int(endings.compute_declared_deadwood(ten_cards, -1, rules))
    if deadwood_points <= (knock_limit or 0):
        ending_type = "knock" if deadwood_points else "gin"
        found_endings.append(Ending(ending_type, discard, deadwood_points))
    if points is not None and endings.is_shot(ten_cards, -1, points, rules):
        discard_mask = 1 << discard if discard >= 0 else 0
        required_ranks = int(endings.find_shot_ranks(points))
        deadwood, _ = choose_shown_melding(
            ten_cards, rules, discard=discard_mask, unmatched_ranks=required_ranks
        )
        found_endings.append(Ending("shot", discard, deadwood))
    return found_endings


def hand_to_json(hand: HandAnalysis) -> dict[str, Any]:
    """Return the analysis of a hand as a JSON object for `--json`."""
    return {
        "cards": notation.format_hand(hand.cards),
        "variant": hand.variant.spec,
        "deadwood": hand.deadwood,
        "melding": list_meld_names(hand.shown_melding),
        "meldings": [list_meld_names(melding) for melding in hand.best_meldings],
        "limit": hand.knock_limit,
        "shot_leaves": hand.required_shot_ranks,
        "discards": {
            notation.format_card(card): points for card, points in hand.deadwood_by_discard.items()
        },
        "best_discards": [notation.format_card(card) for card in hand.best_discards],
        "endings": [
            {
                "ending": ending.name.replace(" ", "_"),
                "discard": notation.format_card(ending.discard) if ending.discard >= 0 else None,
                "count": ending.deadwood,
            }
            for ending in hand.endings
        ],
    }
