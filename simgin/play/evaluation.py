"""What ten or eleven cards are worth under a variant: deadwood, meldings, discards, endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simgin.core import answers, endings
from simgin.core.deadwood import best_discards, deadwood_of
from simgin.core.rules import STOPPER
from simgin.play.melds import Melding, all_meldings, meld_text, melding_text, shown_melding
from simgin.rules.build import build_rules
from simgin.rules.validation import NO_UPCARD
from simgin.rules.variants import Variant
from simgin.text import notation

MAX_LISTED = 8  # of the optimal meldings, in text
HIGHEST_LIMIT = 10  # that an upcard can set


class HandError(ValueError):
    """A hand, or an option of the question, that is not possible; the message is a sentence."""


@dataclass(frozen=True)
class Ending:
    """One way to end the deal."""

    how: str  # knock, gin, shot or big gin
    discard: int  # a card 0..51; -1 if there is none
    count: int

    @property
    def text(self) -> str:
        """The ending in words, as in `knock with 9`."""
        return self.how if self.how == "gin" else f"{self.how} with {self.count}"


@dataclass(frozen=True)
class HandAnalysis:
    """Everything that is known of a hand."""

    variant: Variant
    cards: int  # a mask of ten or eleven cards
    deadwood: int
    melding: Melding  # the one that the automatic rule shows
    meldings: list[Melding]  # all that leave the least deadwood
    limit: int | None  # the knock limit; None if it depends on an upcard that is not given
    demanded: list[int] | None  # ranks 1..9 a shot must leave; None: no shots, or no score given
    leaves: dict[int, int]  # eleven cards: discard -> deadwood it leaves
    endings: list[Ending]

    @property
    def best(self) -> list[int]:
        """The discards that leave the least deadwood."""
        least = min(self.leaves.values(), default=0)
        return [card for card, left in self.leaves.items() if left == least]


def analyse(
    variant: Variant, cards: Sequence[int], *, upcard: int | None = None, score: int | None = None
) -> HandAnalysis:
    """What is known of ten cards (after the discard) or eleven (before it).

    upcard: the first upcard, which sets the knock limit of some variants; score: the player's
    points before the deal, which decide what a shot must leave. Raises HandError for another
    number of cards, an upcard where none is turned, and a score where there are no shots.
    """
    _check(variant, cards, upcard, score)
    rules = build_rules(variant)
    hand = notation.hand_mask(cards)
    limit = _knock_limit(upcard, rules)
    points = score if rules.shot else None
    eleven = len(cards) == 11
    ways = _big_gin(hand, rules) if eleven else []
    for discard, kept in _kept(hand, len(cards)).items():
        ways += _endings(discard, kept, limit, points, rules)
    _, melding = shown_melding(hand, rules)
    return HandAnalysis(
        variant=variant,
        cards=hand,
        deadwood=int(deadwood_of(hand, rules, STOPPER)),
        melding=melding,
        meldings=all_meldings(hand, rules),
        limit=limit,
        demanded=None if points is None else demanded_ranks(points),
        leaves=_leaves(hand, rules) if eleven else {},
        endings=ways,
    )


def _knock_limit(upcard: int | None, rules: Any) -> int | None:
    """The knock limit; None if it depends on an upcard that is not given."""
    if upcard is None:
        if rules.knock_by_upcard:
            return None
        upcard = -1
    return int(endings.knock_limit(upcard, rules))


def demanded_ranks(points: int) -> list[int]:
    """The ranks 1..9 that a shot must leave at a score, rising (rules.md 3.6); none: no shot."""
    code = int(endings.demanded_by(points))
    ranks = []
    for rank in range(13):
        copies = code >> 3 * rank & 7
        ranks += [rank + 1] * copies
    return ranks


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


def _kept(hand: int, size: int) -> dict[int, int]:
    """The ten cards kept after each discard; of a hand of ten the hand itself, under -1."""
    if size == 10:
        return {-1: hand}
    kept = {}
    for card in notation.cards_in(hand):
        kept[card] = hand & ~(1 << card)
    return kept


def _leaves(hand: int, rules: Any) -> dict[int, int]:
    """Discard -> deadwood it leaves, least first; ties: the dearest card, then by number."""
    value = rules.value[STOPPER]
    ranked = []
    for card, kept in _kept(hand, 11).items():
        left = int(deadwood_of(kept, rules, STOPPER))
        ranked.append((left, -value[card % 13], card))
    ranked.sort()
    leaves = {}
    for left, _, card in ranked:
        leaves[card] = left
    return leaves


def _big_gin(hand: int, rules: Any) -> list[Ending]:
    least, best = best_discards(hand, hand, rules)
    how, _, count = endings.best_ending(hand, hand, -1, -1, 0, least, best, rules)
    if how != answers.BIG_GIN:
        return []
    return [Ending("big gin", -1, int(count))]


def _endings(
    discard: int, kept: int, limit: int | None, points: int | None, rules: Any
) -> list[Ending]:
    """The endings that ten cards permit, if the discard was not taken from the pile this turn."""
    ways = []
    count = int(endings.count_declared(kept, -1, rules))
    if count <= (limit or 0):
        how = "knock" if count else "gin"
        ways.append(Ending(how, discard, count))
    if points is not None and endings.is_shot(kept, -1, points, rules):
        ways.append(_shot(discard, kept, points, rules))
    return ways


def _shot(discard: int, kept: int, points: int, rules: Any) -> Ending:
    thrown = 1 << discard if discard >= 0 else 0
    demanded = int(endings.demanded_by(points))
    left, _ = shown_melding(kept, rules, discard=thrown, demanded=demanded)
    return Ending("shot", discard, left)


# As text


def lines(hand: HandAnalysis) -> list[str]:
    """The text of `simgin hand`, each line at most 80 columns wide."""
    head = [
        f"{notation.hand_text(hand.cards)}    {hand.variant.text}",
        _line("deadwood", _deadwood_text(hand)),
        _line("melds", _melds_text(hand)),
        *_other_meldings(hand),
        _line("knock limit", _limit_text(hand)),
    ]
    if hand.variant.row["shot"]:
        head.append(_line("shot", _shot_text(hand)))
    if hand.leaves:
        return head + _discard_lines(hand)
    return [*head, _ending_line(hand)]


def _line(label: str, text: str) -> str:
    return f"{label:<12}{text}"


def _deadwood_text(hand: HandAnalysis) -> str:
    """The deadwood, and the cards that make it."""
    loose = notation.hand_text(hand.cards & ~sum(hand.melding))
    return f"{hand.deadwood} ({loose})" if loose else str(hand.deadwood)


def _melds_text(hand: HandAnalysis) -> str:
    melds = melding_text(hand.melding)
    return f"{melds}  (of all eleven)" if hand.leaves else melds


def _other_meldings(hand: HandAnalysis) -> list[str]:
    """The other meldings that leave as little deadwood."""
    others = [melding for melding in hand.meldings if melding != hand.melding]
    listed = []
    label = "or"
    for melding in others[:MAX_LISTED]:
        listed.append(_line(label, melding_text(melding)))
        label = ""
    more = len(others) - MAX_LISTED
    if more > 0:
        listed.append(_line("", f"and {more} more"))
    return listed


def _limit_text(hand: HandAnalysis) -> str:
    if hand.limit is None:
        return "set by the first upcard: give it with --upcard"
    if hand.limit == 0:
        return "0 (gin only)"
    return str(hand.limit)


def _shot_text(hand: HandAnalysis) -> str:
    if hand.demanded is None:
        return "depends on your score: give it with --score"
    if not hand.demanded:
        return "none at this score"
    ranks = ["A" if rank == 1 else str(rank) for rank in hand.demanded]
    return f"must leave {' and '.join(ranks)}"


def _heading(hand: HandAnalysis) -> str:
    """What a player may do: end the deal, or, alone, stop; with penalties a deal ends by itself."""
    params = hand.variant.row
    if params["players"] == 2:
        return "may end"
    if params["deal_scoring"] == "penalty":
        return "ends"
    return "may stop"


def _knock_if(hand: HandAnalysis, deadwood: int) -> list[str]:
    """The knock that depends on a limit that is not known."""
    if hand.limit is None and 0 < deadwood <= HIGHEST_LIMIT:
        return [f"knock if the limit is {deadwood} or more"]
    return []


def _ending_line(hand: HandAnalysis) -> str:
    """How ten cards may end the deal."""
    ways = [ending.text for ending in hand.endings]
    ways += _knock_if(hand, hand.deadwood)
    text = " or ".join(ways) or "no"
    if ways and hand.variant.row["stop_before_draw"] is False:
        text += " (not before the first draw)"
    return _line(_heading(hand), text)


def _discard_lines(hand: HandAnalysis) -> list[str]:
    """What each of eleven discards leaves, and how the deal may end with it."""
    preposition = "with" if hand.variant.row["players"] == 2 else "after"
    rows = [f"{'discard':<12}{'leaves':>6}  {_heading(hand)} {preposition} it"]
    for card, left in hand.leaves.items():
        rows.append(_discard_line(hand, card, left))
    rows.append("  * least deadwood")
    if hand.variant.row["take_to_knock"] == "melded":
        rows.append("  a card just taken from the discard pile must be in a meld to end the deal")
    if any(ending.how == "big gin" for ending in hand.endings):
        rows.append(_line("big gin", "all eleven cards are melded: no discard is needed"))
    return rows


def _discard_line(hand: HandAnalysis, card: int, left: int) -> str:
    ways = [ending.text for ending in hand.endings if ending.discard == card]
    ways += _knock_if(hand, left)
    ways_text = " or ".join(ways) or "-"
    mark = "*" if card in hand.best else " "
    return f"  {notation.card_text(card)} {mark:<7}{left:>6}  {ways_text}"


def row(hand: HandAnalysis) -> dict[str, Any]:
    """The analysis as one object for `--json`."""
    discards = {}
    for card, left in hand.leaves.items():
        discards[notation.card_text(card)] = left
    return {
        "cards": notation.hand_text(hand.cards),
        "variant": hand.variant.text,
        "deadwood": hand.deadwood,
        "melding": _meld_texts(hand.melding),
        "meldings": [_meld_texts(melding) for melding in hand.meldings],
        "limit": hand.limit,
        "shot_leaves": hand.demanded,
        "discards": discards,
        "best_discards": [notation.card_text(card) for card in hand.best],
        "endings": [_ending_row(ending) for ending in hand.endings],
    }


def _meld_texts(melding: Melding) -> list[str]:
    return [meld_text(meld) for meld in melding]


def _ending_row(ending: Ending) -> dict[str, Any]:
    return {
        "ending": ending.how.replace(" ", "_"),
        "discard": notation.card_text(ending.discard) if ending.discard >= 0 else None,
        "count": ending.count,
    }
