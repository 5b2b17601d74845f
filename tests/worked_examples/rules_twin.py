"""The answers of the slow, obvious twin to worked examples, in the form of `engine`."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from oracles import twin
from simgin.rules.variants import Variant
from simgin.text.notation import card_text, parse_card
from worked_examples import actions
from worked_examples.actions import (
    ACCEPT,
    BIG_GIN,
    DEALER,
    OFFER,
    PASS,
    REFUSE,
    STOCK,
    STOP,
    TAKE,
    THROW,
    Action,
    Illegal,
)
from worked_examples.cards import texts
from worked_examples.matches import Entry, Standing
from worked_examples.schema import Impossible

Row = dict[str, Any]

# Cards, counts and points


def _melds(melding: Iterable[Iterable[str]]) -> list[str]:
    return [" ".join(meld) for meld in melding]


def deadwood(row: Row, hand: list[int]) -> tuple[int, list[list[str]], list[str]]:
    """Least deadwood, all meldings that reach it, and the one shown."""
    cards = texts(hand)
    every = [_melds(melding) for melding in twin.optimal_meldings(cards, row)]
    return twin.deadwood(cards, row, "defender"), every, _melds(twin.shown(cards, None, row) or [])


def knock_options(
    row: Row, hand: list[int], limit: int, taken: int, drawn: int, points: int
) -> tuple[dict[str, int], list[str], bool]:
    """Discards that permit a knock, with the count declared; that permit a shot; big gin or not."""
    from_pile = card_text(taken) if taken >= 0 else None
    from_stock = card_text(drawn) if drawn >= 0 else from_pile
    banned = {"taken": from_pile, "drawn": from_stock, "none": None}[row["discard_ban"]]
    ends = twin.legal_endings(
        texts(hand), row, limit, taken=from_pile, banned=banned, own_points=points
    )
    knock = {end.card: end.count for end in ends if end.how in ("knock", "gin")}
    shot = [end.card for end in ends if end.how == "shot"]
    return knock, shot, any(end.how == "big_gin" for end in ends)


def lay_off(
    row: Row, hand: list[int], melds: list[list[int]]
) -> tuple[int, list[str], list[str], int]:
    """The defender's count, a way to it, and the count if the own melds are fixed first."""
    cards, shown = texts(hand), [texts(meld) for meld in melds]
    way = twin.defender_count(shown, cards, row)
    loose = []
    for melding in twin.optimal_meldings(cards, row, "defender"):
        melded = {card for meld in melding for card in meld}
        loose.append([card for card in cards if card not in melded])
    fixed = min(twin.defender_count(shown, rest, row).count for rest in loose)
    laid = [card for extra in way.laid_off for card in extra]
    return way.count, _melds(way.melds), laid, fixed


def deal_points(
    row: Row, stop: str, own: int, other: int, left: int, factor: int
) -> tuple[int, int]:
    """Points of the stopper and of the other side."""
    score = twin.deal_points(
        row, "gin" if own == 0 and stop == "knock" else stop, own, other, left, factor
    )
    return score.stopper, score.other


def showdown(
    row: Row,
    how: str,
    hand: list[int],
    defender: list[int],
    limit: int,
    points: int,
    thrown: int,
    taken: int,
    left: int,
    factor: int,
) -> tuple[int, int, int, int, list[str]]:
    """Counts of stopper and defender, their points, and the stopper's melds."""
    try:
        end = twin.showdown(
            row,
            how,
            texts(hand),
            card_text(thrown) if thrown >= 0 else None,
            texts(defender),
            limit=limit,
            taken=card_text(taken) if taken >= 0 else None,
            own_points=points,
            stock_left=left,
            factor=factor,
        )
    except ValueError:
        raise Impossible(f"no melding permits this {how.replace('_', ' ')}") from None
    counts = end.stopper_count, end.other_count
    return *counts, end.stopper_points, end.other_points, _melds(end.melds)


def knock_limit(row: Row, upcard: int) -> tuple[int, int]:
    """Knock limit and factor of a deal with this upcard."""
    return twin.knock_limit(row, card_text(upcard)), twin.multiplier(row, card_text(upcard))


def shot_digits(score: int) -> list[int]:
    """The ranks that a score demands."""
    return [twin.RANKS.index(rank) + 1 for rank in twin.shot_ranks(score)]


def all_melds(row: Row) -> set[int]:
    """Every meld of the pack, as masks."""
    return {sum(1 << parse_card(card) for card in meld) for meld in twin.all_melds(row)}


def gin_hands(row: Row, hands: np.ndarray) -> int:
    """How many of these hands, unions of melds, have no deadwood: all."""
    return len(hands)


# Deals


class Deal:
    """A deal of the twin, action by action, as `engine.Deal` is."""

    def __init__(self, variant: Variant, pack: Sequence[int], joker: int = -1) -> None:
        """pack: 52 cards in dealing order; joker: its place among the 53 cards, or -1."""
        self.row = row = {**variant.row}
        self.alone = row["players"] == 1
        self.deal: Any
        if self.alone:
            place = joker - (actions.dealt(row) if row["joker"] == "after_deal" else 0)
            self.deal = twin.SoloDeal(row, texts(pack), None if joker < 0 else place)
        else:
            self.deal = twin.Deal(row, texts(pack), DEALER, tuple(row["start_points"]))
        self.untold_stop = self._has_gone_out()
        self.over_before = self.kind == "joker"

    def copy(self) -> Deal:
        """The deal as it stands, to be gone on with in another way."""
        return copy.deepcopy(self)

    # What there is

    def _has_gone_out(self) -> bool:
        """With penalties gin ends the deal by itself, and the script may stop it or not."""
        return self.row["deal_scoring"] == "penalty" and self.kind == "gin"

    @property
    def left(self) -> list[Action]:
        """What has been played ahead of the script."""
        return [Action(0, STOP)] if self.untold_stop else []

    @property
    def kind(self) -> str:
        """How the deal ended; empty while it lasts."""
        return self.deal.result.kind if self.deal.result else ""

    @property
    def seat(self) -> int:
        """Who is to move."""
        return -1 if self.deal.to_move is None else self.deal.to_move

    @property
    def blind_offer(self) -> bool | None:
        """Whether an offer of the die is asked for before the cards are seen; None: it is not."""
        if ("no offer",) not in self.deal.options():
            return None
        return not self.deal._seen

    @property
    def drawn(self) -> int:
        """The card just drawn from the stock, or -1."""
        return parse_card(self.deal._drawn) if self.deal._drawn else -1

    @property
    def result(self) -> dict[str, Any]:
        """What is known of the deal: seats or None, points and draws by seat."""
        end = self.deal.result
        hand = self.deal.hands[0]
        answer: dict[str, Any] = {
            "count": twin.deadwood(hand, self.row),
            "limit": self.row["knock_limit"],
            "stock": end.stock_left
            if end
            else len(self.deal.deck if self.alone else self.deal.stock),
        }
        if not self.alone:
            answer |= {"stake": self.deal.die.stake, "owner": self.deal.die.owner}
        if end is None:
            return answer
        return answer | {
            "winner": end.winner,
            "stopper": end.stopper,
            "points": end.points,
            "draws": end.draws,
            "own": end.stopper_count,
            "other": end.other_count,
            "turns": end.turns,
        }

    def won_deals(self) -> int:
        """How many won deals the winner of the deal gets for it."""
        return twin.deals_counted(self.row, self.deal.result)

    # What is done

    def act(self, action: Action) -> None:
        """Play one action. Raises Illegal, and leaves the deal as it was."""
        if self.left == [action]:
            self.untold_stop = False
            return
        if self.seat != action.seat:
            raise Illegal
        before = copy.deepcopy(self.deal) if self.blind_offer is not None else self.deal
        if self.blind_offer is not None and action.what != OFFER:
            self.deal.act(("no offer",))
        try:
            self.deal.act(self._theirs(action))
        except ValueError:
            self.deal = before
            raise Illegal from None
        if ways := [one for one in self.deal.options() if one[0] == "show"]:
            melding = tuple(twin.texts(self.deal.meldings[0]))
            self.deal.act(("show", melding) if ways else ())
        self.untold_stop = self._has_gone_out()

    def _theirs(self, action: Action) -> tuple:
        """The twin's words for an action; an ending is the one that the cards permit."""
        if action.what in (STOP, BIG_GIN):
            card = card_text(action.card) if action.card >= 0 else None
            ways = [way for way in self.deal.options() if way[:2] == ("end", card)]
            ways = [way for way in ways if (way[2] == "big_gin") == (action.what == BIG_GIN)]
            return min(ways, default=("end", card, "knock"))
        words = {STOCK: "stock", TAKE: "take", PASS: "pass", ACCEPT: "accept", REFUSE: "refuse"}
        if action.what == THROW:
            return "throw", card_text(action.card)
        if action.what == OFFER:
            return ("offer", action.card) if action.card else ("no offer",)
        return (words[action.what],)

    def run_out(self) -> None:
        """Draw and pass where nothing else is legal, as the engine does unasked."""
        while len(self.deal.options()) == 1 and self.deal.options() <= {("stock",), ("pass",)}:
            self.deal.act(self.deal.options().pop())


# Matches


def follow(variant: Variant, entries: Iterable[Entry]) -> Standing:
    """Enter deals in a match until it is decided; those that come after that are not played."""
    row = {**variant.row}
    game = twin.Match(row, first_dealer=None if row["players"] == 1 else 0)
    for entry in entries:
        if not game.over:
            winner = entry.winner if entry.winner >= 0 else None
            points = list(entry.points)
            game.enter(twin.Result(entry.how, winner=winner, points=points, stake=entry.stake))
    goal = game.goal
    columns = {}
    if isinstance(goal, twin.GOALS["columns"]):
        paid = dict(
            zip(
                [c for c, seat in enumerate(goal.closed_by) if seat is not None],
                goal.settlements(),
                strict=True,
            )
        )
        columns = {
            "columns": goal.columns,
            "boxes": goal.boxes,
            "closed_by": goal.closed_by,
            "settlement": [paid.get(c) for c in range(len(goal.columns))],
            "total": None if None in goal.closed_by else sum(paid.values()),
        }
    games = getattr(goal, "games", [0, 0])
    return Standing(goal.points, goal.tally, games, game.winner, goal.over, game.deals, **columns)
