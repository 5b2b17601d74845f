"""What can be said of ten or eleven cards under a variant: count, meldings, best discards, and how the deal may be ended with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from simgin.core import answers, endings, meldings
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import STOPPER
from simgin.rules import record
from simgin.rules.validation import NO_UPCARD
from simgin.rules.variants import Variant
from simgin.text import notation

MAX_LISTED = 8  # of the optimal meldings, in text
Melding = tuple[int, ...]  # disjoint melds as masks, in the order of their texts


class HandError(ValueError):
    """Cards, or something said about them, of which nothing can be told; the message is a sentence."""


# Melds and meldings


def meld_text(meld: int) -> str:
    """A meld as RULES.md 3.5 writes it: sets in suit order, sequences upward, round the corner from the card after the gap."""
    ranks = meldings.ranks_of(meld)
    start = 0 if ranks == 0x1FFF else int(meldings.first_rank(ranks))
    ordered = sorted(notation.members(meld), key=lambda card: ((card % 13 - start) % 13, card))
    return " ".join(notation.text(card) for card in ordered)


def melding_text(melding: Sequence[int]) -> str:
    """A melding on one line; a word where there is no meld."""
    return " | ".join(map(meld_text, melding)) or "no meld"


def in_text_order(melds: Iterable[int]) -> Melding:
    """The melds of a melding (0 is no meld) in the ASCII order of their texts."""
    return tuple(sorted((int(meld) for meld in melds if meld), key=meld_text))


def all_meldings(hand: int, own_rules: Any, side: int = STOPPER) -> list[Melding]:
    """Every melding of up to eleven cards that leaves the least deadwood in the values of a side, in the order of their texts."""
    found = np.zeros(meldings.MAX_MELDS, np.int64)
    melds = [int(meld) for meld in found[: meldings.melds_in(hand, own_rules, found)]]
    value = [int(v) for v in own_rules.value[side]]
    worth = {meld: sum(value[card % 13] for card in notation.members(meld)) for meld in melds}
    goal = sum(value[card % 13] for card in notation.members(hand)) - int(
        deadwood_of(hand, own_rules, side)
    )
    best = [
        in_text_order(family)
        for family in _disjoint(melds)
        if sum(worth[meld] for meld in family) == goal
    ]
    return sorted(best, key=lambda melding: [meld_text(meld) for meld in melding])


def _disjoint(melds: list[int]) -> Iterator[Melding]:
    """Every family of at most three disjoint melds, the empty one included; eleven cards hold no more."""
    yield ()
    yield from ((meld,) for meld in melds)
    for a, b in combinations(melds, 2):
        if a & b == 0:
            yield a, b
    yield from _threes(melds)


def _threes(melds: list[int]) -> Iterator[Melding]:
    for i, a in enumerate(melds):
        apart = [meld for meld in melds[i + 1 :] if a & meld == 0]
        yield from ((a, b, c) for b, c in combinations(apart, 2) if b & c == 0)


def shown(
    hand: int, own_rules: Any, *, discard: int = 0, must: int = -1, demanded: int = -1
) -> tuple[int, Melding]:
    """(points left over, melds) of the melding that the automatic rule shows (RULES.md 3.5); see `core.meldings.melding_shown`."""
    found, keys, rows = (
        np.zeros(meldings.MAX_MELDS, np.int64),
        np.zeros((1, 3), np.int64),
        np.zeros((1, 3), np.int64),
    )
    left = meldings.melding_shown(hand, discard, must, demanded, own_rules, found, keys, rows)
    return int(left), in_text_order(rows[0])


# What can be said


@dataclass(frozen=True)
class Ending:
    """One way to end the deal: knock, gin, shot or big gin; the discard (a card, or -1 where there is none) and the count."""

    how: str
    discard: int
    count: int


@dataclass(frozen=True)
class Said:
    """Everything that is said of a hand. `limit` is None where it hangs on an upcard that was not named."""

    variant: Variant
    cards: int
    deadwood: int
    melding: Melding
    meldings: list[Melding]
    limit: int | None
    demanded: (
        list[int] | None
    )  # ranks 1..9 that a shot must leave; None where there is no shot, or no score was named
    leaves: dict[int, int]  # eleven cards: discard -> deadwood it leaves
    endings: list[Ending]

    @property
    def best(self) -> list[int]:
        """The discards that leave least."""
        return [card for card, left in self.leaves.items() if left == min(self.leaves.values())]


def say(
    variant: Variant, cards: Sequence[int], *, upcard: int | None = None, score: int | None = None
) -> Said:
    """What can be said of ten cards (kept after the discard) or of eleven (before it).

    upcard: the first upcard, which some variants take the knock limit from; score: one's own points before the deal, which a shot
    spells. HandError for another number of cards, an upcard where none is turned, or a score where no shot is played.
    """
    own_rules = record.build(variant)
    _check(variant, cards, upcard, score)
    hand = notation.mask(cards)
    limit = (
        None
        if upcard is None and own_rules.knock_by_upcard
        else int(endings.knock_limit(-1 if upcard is None else upcard, own_rules))
    )
    points = score if own_rules.shot else None
    kept = _kept(hand) if len(cards) == 11 else {-1: hand}
    return Said(
        variant,
        hand,
        int(deadwood_of(hand, own_rules, STOPPER)),
        shown(hand, own_rules)[1],
        all_meldings(hand, own_rules),
        limit,
        None if points is None else demanded_ranks(points),
        _leaves(hand, own_rules) if len(cards) == 11 else {},
        _big_gin(hand, len(cards), own_rules)
        + [e for card, ten in kept.items() for e in _endings(card, ten, limit, points, own_rules)],
    )


def demanded_ranks(points: int) -> list[int]:
    """The ranks 1..9 that a shot leaves over with a score, rising; none: there is no shot (RULES.md 3.6)."""
    code = int(endings.demanded_by(points))
    return [rank + 1 for rank in range(13) for _ in range(code >> 3 * rank & 7)]


def _check(variant: Variant, cards: Sequence[int], upcard: int | None, score: int | None) -> None:
    if len(cards) not in (10, 11):
        raise HandError(
            f"{len(cards)} {'card was' if len(cards) == 1 else 'cards were'} given; a hand has ten cards, or eleven before the discard."
        )
    if upcard is not None and variant.row["first_turn"] in NO_UPCARD:
        raise HandError(
            f"{variant.text} has no upcard, so none says anything about a hand: leave --upcard out."
        )
    if score is not None and not variant.row["shot"]:
        raise HandError(
            f"{variant.text} has no shot, so a score says nothing about a hand: leave --score out, or add +shot to the variant."
        )
    if score is not None and score < 0:
        raise HandError(f"a score is 0 or more, not {score}.")


def _kept(hand: int) -> dict[int, int]:
    """For each discard of a hand the cards kept."""
    return {card: hand & ~(1 << card) for card in notation.members(hand)}


def _leaves(hand: int, own_rules: Any) -> dict[int, int]:
    """For each discard the deadwood it leaves, the best first; of equals the dearest first, then by card number."""
    left = {card: int(deadwood_of(ten, own_rules, STOPPER)) for card, ten in _kept(hand).items()}
    value = own_rules.value[STOPPER]
    return dict(sorted(left.items(), key=lambda item: (item[1], -value[item[0] % 13], item[0])))


def _big_gin(hand: int, size: int, own_rules: Any) -> list[Ending]:
    if size < 11:
        return []
    how, _, count = endings.best_ending(hand, hand, -1, -1, 0, own_rules)
    return [Ending("big gin", -1, int(count))] if how == answers.BIG_GIN else []


def _endings(
    discard: int, ten: int, limit: int | None, points: int | None, own_rules: Any
) -> list[Ending]:
    """The endings that ten cards permit, the discard being one drawn from the stock or long held."""
    count = int(endings.count_declared(ten, -1, own_rules))
    found = []
    if count <= (0 if limit is None else limit):
        found.append(Ending("knock" if count else "gin", discard, count))
    if points is not None and endings.is_shot(ten, -1, points, own_rules):
        left, _ = shown(
            ten,
            own_rules,
            discard=1 << discard if discard >= 0 else 0,
            demanded=int(endings.demanded_by(points)),
        )
        found.append(Ending("shot", discard, left))
    return found


# As text


def lines(said: Said) -> list[str]:
    """The answer of `simgin hand`, line by line, each at most 80 columns wide."""
    ten = not said.leaves
    left = said.cards & ~sum(said.melding)
    head = [
        f"{notation.show(said.cards)}    {said.variant.text}",
        f"deadwood    {said.deadwood}{f' ({notation.show(left)})' if left else ''}",
        f"melding     {melding_text(said.melding)}{'' if ten else '  (all eleven cards)'}",
    ]
    return (
        head
        + _others(said)
        + [_limit_line(said), *_shot_lines(said)]
        + (_ten_lines(said) if ten else _eleven_lines(said))
    )


def _others(said: Said) -> list[str]:
    """The other meldings that leave as little, if there are any."""
    others = [melding for melding in said.meldings if melding != said.melding]
    more = [f"            and {len(others) - MAX_LISTED} more"] if len(others) > MAX_LISTED else []
    listed = [
        f"{'or' if i == 0 else '':<12}{melding_text(melding)}"
        for i, melding in enumerate(others[:MAX_LISTED])
    ]
    return listed + more


def _limit_line(said: Said) -> str:
    if said.limit is None:
        return "knock limit the value of the first upcard, which was not named: see --upcard"
    return f"knock limit {said.limit}{' (gin only)' if said.limit == 0 else ''}"


def _shot_lines(said: Said) -> list[str]:
    if not said.variant.row["shot"]:
        return []
    if said.demanded is None:
        return ["shot        spells your own score, which was not named: see --score"]
    ranks = " and ".join("A" if rank == 1 else str(rank) for rank in said.demanded)
    return [f"shot        {f'leaves {ranks} over' if ranks else 'none with this score'}"]


def _ends(said: Said) -> str:
    """What a player does to the deal: two end it with a discard; one stops it with ten cards, where it does not end by itself."""
    row = said.variant.row
    return (
        "may end"
        if row["players"] == 2
        else "ends"
        if row["deal_scoring"] == "penalty"
        else "may stop"
    )


def _ten_lines(said: Said) -> list[str]:
    how = {ending.how for ending in said.endings}
    told = [
        ending.how + ("" if ending.how == "gin" else f" with {ending.count}")
        for ending in said.endings
    ]
    if said.limit is None and "gin" not in how:
        told.append(f"knock if the limit is {said.deadwood} or more" if said.deadwood <= 10 else "")
    later = said.variant.row["stop_before_draw"] is False and bool(told)
    return [
        f"{_ends(said):<12}{' or '.join(filter(None, told)) or 'no'}{' (not before the first draw)' if later else ''}"
    ]


def _eleven_lines(said: Said) -> list[str]:
    rows = [
        f"{'discard':<12}{'leaves':>6}  {_ends(said)} {'with' if said.variant.row['players'] == 2 else 'after'} it"
    ]
    for card, left in said.leaves.items():
        ends = [
            e.how + ("" if e.how == "gin" else f" with {e.count}")
            for e in said.endings
            if e.discard == card
        ]
        if said.limit is None and 0 < left <= 10:
            ends.append(f"knock if the limit is {left} or more")
        best = "*" if card in said.best else " "
        rows.append(f"  {notation.text(card)} {best:<7}{left:>6}  {' or '.join(ends) or '-'}")
    big = any(ending.how == "big gin" for ending in said.endings)
    notes = ["  * best"]
    if said.variant.row["take_to_knock"] == "melded":
        notes.append("  a card just taken from the discard pile must be in a meld to end the deal")
    return [
        *rows,
        *notes,
        *(["big gin     all eleven cards are melded: no discard is needed"] if big else []),
    ]


def row(said: Said) -> dict[str, Any]:
    """The same as one object for `--json`."""
    return {
        "cards": notation.show(said.cards),
        "variant": said.variant.text,
        "deadwood": said.deadwood,
        "melding": [meld_text(meld) for meld in said.melding],
        "meldings": [[meld_text(meld) for meld in melding] for melding in said.meldings],
        "limit": said.limit,
        "shot_leaves": said.demanded,
        "discards": {notation.text(card): left for card, left in said.leaves.items()},
        "best_discards": [notation.text(card) for card in said.best] if said.leaves else [],
        "endings": [
            {
                "ending": e.how.replace(" ", "_"),
                "discard": notation.text(e.discard) if e.discard >= 0 else None,
                "count": e.count,
            }
            for e in said.endings
        ],
    }
