"""Analysis of a hand of ten or eleven cards: its melds, meldings, deadwood and endings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from simgin.core import answers, endings, meldings, planes
from simgin.core.deadwood import best_discards, deadwood_of
from simgin.core.rules import STOPPER
from simgin.rules.build import build_rules
from simgin.rules.validation import NO_UPCARD
from simgin.rules.variants import Variant
from simgin.text import notation

ALL_RANKS = 0x1FFF
Melding = tuple[int, ...]  # disjoint melds as masks, sorted by text


def meld_text(meld: int) -> str:
    """Format a meld (rules.md 3.5): sets in the order of suits, runs in the order of ranks.

    A run round the corner starts after its gap, as in `QS KS AS`.
    """
    ranks = planes.ranks_of(meld)
    start = 0 if ranks == ALL_RANKS else int(meldings.first_rank(ranks))

    def place(card: int) -> tuple[int, int]:
        return (card % 13 - start) % 13, card

    return " ".join(map(notation.card_text, sorted(notation.cards_in(meld), key=place)))


def melding_text(melding: Sequence[int]) -> str:
    """Format the melds of a melding on one line."""
    return " | ".join(meld_texts(melding)) or "no meld"


def cards_text(melds: Melding, hand: int) -> str:
    """Format a hand with its melds first, as in `7S 7H 7D | 8C 9C TC | 4H AC`."""
    rest = notation.hand_text(hand & ~sum(melds))
    return " | ".join([*meld_texts(melds), rest] if rest else meld_texts(melds))


def in_text_order(melds: Iterable[int]) -> Melding:
    """Return the melds of a melding (0 is no meld), sorted by their strings in ASCII order."""
    return tuple(sorted((int(meld) for meld in melds if meld), key=meld_text))


def all_meldings(hand: int, rules: Any, side: int = STOPPER) -> list[Melding]:
    """Return every melding that leaves the least deadwood, sorted by text.

    Args:
        hand: Mask of up to eleven cards.
        rules: Rules record.
        side: STOPPER or DEFENDER, which decides the values of the cards.
    """
    room = np.zeros(meldings.MAX_MELDS, np.int64)
    melds = room[: meldings.melds_in(hand, rules, room)].tolist()
    least = int(deadwood_of(hand, rules, side))
    best = []
    for family in _disjoint(melds):
        left = notation.cards_in(hand & ~sum(family))
        if sum(rules.value[side, card % 13] for card in left) == least:
            best.append(in_text_order(family))
    return sorted(best, key=meld_texts)


def meld_texts(melding: Sequence[int]) -> list[str]:
    """Format the melds of a melding, one string each."""
    return [meld_text(meld) for meld in melding]


def _disjoint(melds: list[int]) -> Iterator[Melding]:
    """Yield every family of up to three disjoint melds, including the empty one.

    Eleven cards hold at most three melds.
    """
    for n in range(4):
        for family in combinations(melds, n):
            if sum(family).bit_count() == sum(map(int.bit_count, family)):
                yield family


def shown_melding(
    hand: int, rules: Any, *, discard: int = 0, must: int = -1, demanded: int = -1
) -> tuple[int, Melding]:
    """Return the melding that the automatic rule shows (rules.md 3.5).

    Args:
        hand: Mask of the cards.
        rules: Rules record.
        discard: Mask of the discard; see `core.meldings.find_shown_melding`, also for the next two.
        must: Card that has to be melded; -1 for none.
        demanded: Code of the ranks that a shot must leave; -1 for no shot.

    Returns:
        (points left over, melds).
    """
    melds = np.zeros(meldings.MAX_MELDS, np.int64)
    keys = np.zeros((1, 3), np.int64)
    rows = np.zeros((1, 3), np.int64)
    left = meldings.melding_shown(hand, discard, must, demanded, rules, melds, keys, rows)
    return int(left), in_text_order(rows[0])


# Analysis of a hand


class HandError(ValueError):
    """Error for an impossible hand, or an option that does not apply to the variant."""


@dataclass(frozen=True)
class Ending:
    """One way to end the deal.

    Attributes:
        kind: knock, gin, shot or big gin.
        discard: Card 0..51; -1 for none.
        count: Deadwood after the discard.
    """

    how: str
    discard: int
    count: int

    @property
    def text(self) -> str:
        """Name of the ending, as in `knock with 9`."""
        return self.how if self.how == "gin" else f"{self.how} with {self.count}"


@dataclass(frozen=True)
class HandAnalysis:
    """Analysis of a hand under a variant.

    Attributes:
        variant: Rules.
        cards: Mask of ten or eleven cards.
        deadwood: Least deadwood.
        melding: Melding that the automatic rule shows.
        meldings: All meldings that leave the least deadwood.
        knock_limit: Knock limit; None if it depends on an upcard that is not given.
        shot_ranks: Ranks 1..9 that a shot must leave; None without shots or without a score.
        deadwood_by_discard: Deadwood that each discard leaves; empty for ten cards.
        endings: Possible endings.
    """

    variant: Variant
    cards: int
    deadwood: int
    melding: Melding
    meldings: list[Melding]
    limit: int | None
    demanded: list[int] | None
    leaves: dict[int, int]
    endings: list[Ending]

    @property
    def best(self) -> list[int]:
        """Discards that leave the least deadwood."""
        least = min(self.leaves.values(), default=0)
        return [card for card, left in self.leaves.items() if left == least]


def analyse(
    variant: Variant, cards: Sequence[int], *, upcard: int | None = None, score: int | None = None
) -> HandAnalysis:
    """Analyse ten cards (after the discard) or eleven cards (before it).

    Args:
        variant: Rules.
        cards: Ten or eleven cards, 0..51.
        upcard: First upcard, which sets the knock limit of some variants.
        score: The player's points before the deal, which decide what a shot must leave.

    Raises:
        HandError: The number of cards is wrong, or the variant has no upcard or no shots.
    """
    _check(variant, cards, upcard, score)
    rules = build_rules(variant)
    hand = notation.hand_mask(cards)
    limit = None
    if upcard is not None or not rules.knock_by_upcard:
        limit = int(endings.knock_limit(-1 if upcard is None else upcard, rules))
    points = score if rules.shot else None
    eleven = len(cards) == 11
    kept = {card: hand & ~(1 << card) for card in notation.cards_in(hand)} if eleven else {-1: hand}
    ways = []
    if eleven:
        least, best = best_discards(hand, hand, rules)
        how, _, count = endings.best_ending(hand, hand, -1, -1, 0, least, best, rules)
        if how == answers.BIG_GIN:
            ways.append(Ending("big gin", -1, int(count)))
    for discard, ten in kept.items():
        ways += _endings(discard, ten, limit, points, rules)
    deadwood, melding = shown_melding(hand, rules)
    return HandAnalysis(
        variant=variant,
        cards=hand,
        deadwood=deadwood,
        melding=melding,
        meldings=all_meldings(hand, rules),
        limit=limit,
        demanded=None if points is None else demanded_ranks(points),
        leaves=_leaves(kept, rules) if eleven else {},
        endings=ways,
    )


def demanded_ranks(points: int) -> list[int]:
    """Return the ranks that a shot must leave at a score (rules.md 3.6).

    Returns:
        Ranks 1..9 in ascending order; empty if no shot is possible.
    """
    code = int(endings.demanded_by(points))
    return [rank + 1 for rank in range(13) for _ in range(code >> 3 * rank & 7)]


def _check(variant: Variant, cards: Sequence[int], upcard: int | None, score: int | None) -> None:
    if len(cards) not in (10, 11):
        given = "1 card was" if len(cards) == 1 else f"{len(cards)} cards were"
        raise HandError(f"{given} given; a hand has ten cards, or eleven before the discard.")
    if upcard is not None and variant.row["first_turn"] in NO_UPCARD:
        raise HandError(f"{variant.text} has no upcard: leave --upcard out.")
    if score is not None and not variant.row["shot"]:
        raise HandError(
            f"{variant.text} has no shots, so the score does not matter: leave --score out, "
            "or add +shot to the variant."
        )
    if score is not None and score < 0:
        raise HandError(f"a score is 0 or more, not {score}.")


def _leaves(kept: dict[int, int], rules: Any) -> dict[int, int]:
    """Return the deadwood that each discard leaves, least first.

    Ties are ordered by the value of the discard, highest first, then by card number.
    """
    value = rules.value[STOPPER]
    leaves = {card: int(deadwood_of(ten, rules, STOPPER)) for card, ten in kept.items()}
    ranked = sorted(leaves, key=lambda card: (leaves[card], -value[card % 13], card))
    return {card: leaves[card] for card in ranked}


def _endings(
    discard: int, kept: int, limit: int | None, points: int | None, rules: Any
) -> list[Ending]:
    """Return the endings that ten cards permit if the discard was not taken this turn."""
    ways = []
    count = int(endings.count_declared(kept, -1, rules))
    if count <= (limit or 0):
        how = "knock" if count else "gin"
        ways.append(Ending(how, discard, count))
    if points is not None and endings.is_shot(kept, -1, points, rules):
        thrown = 1 << discard if discard >= 0 else 0
        demanded = int(endings.demanded_by(points))
        left, _ = shown_melding(kept, rules, discard=thrown, demanded=demanded)
        ways.append(Ending("shot", discard, left))
    return ways


def row(hand: HandAnalysis) -> dict[str, Any]:
    """Return the analysis as an object for `--json`."""
    return {
        "cards": notation.hand_text(hand.cards),
        "variant": hand.variant.text,
        "deadwood": hand.deadwood,
        "melding": meld_texts(hand.melding),
        "meldings": [meld_texts(melding) for melding in hand.meldings],
        "limit": hand.limit,
        "shot_leaves": hand.demanded,
        "discards": {notation.card_text(card): left for card, left in hand.leaves.items()},
        "best_discards": [notation.card_text(card) for card in hand.best],
        "endings": [
            {
                "ending": ending.how.replace(" ", "_"),
                "discard": notation.card_text(ending.discard) if ending.discard >= 0 else None,
                "count": ending.count,
            }
            for ending in hand.endings
        ],
    }
