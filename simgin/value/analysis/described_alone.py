"""A position of a single player as the player has it: the own cards and the own discards.

They tell everything else: how many cards have been drawn, and so how many are left in the deck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simgin.core.answers import PHASE_STOP, PHASE_TURN
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.match import target
from simgin.core.rules import DISCARD_FIRST, NO_JOKER, PENALTY
from simgin.core.solo import JOKER, PLAYER
from simgin.core.view import FROM_DEAL, FROM_STOCK, new_view
from simgin.play.worlds import legal_actions
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.text.notation import card_text, hand_mask
from simgin.value.analysis.pile import Laid, Pile
from simgin.value.analysis.position import Position, PositionError

IN_PACK = 52  # cards, without a joker


def read_alone(
    cards: Sequence[int], pile: Pile, variant: Variant, stock: int | None = None
) -> Position:
    """The position of a single player with these cards, ten or eleven; of eleven the last is drawn.

    pile: the discards in their order, some of them forgotten. stock: the cards left in the deck,
    the joker with them, where the pile does not tell. Raises PositionError for a position that
    cannot come about, or in which nothing is to be decided.
    """
    rules = build_rules(variant)
    in_deck = IN_PACK + (rules.joker != NO_JOKER) - len(cards)
    left = in_deck - len(pile.laid)
    if left < 0:
        raise PositionError("more cards are given than the pack has.")
    laid = pile.whole(left, stock, "deck")
    _check_taken(laid, variant)
    thrown = [card.card for card in laid]
    draws = _draws(cards, thrown, rules)
    _check_cards(cards, thrown)
    _check_draws(cards, draws, variant)
    view = _view(cards, thrown, draws, rules)
    if view.phase == PHASE_STOP:
        _check_stop(view, draws, rules)
    return Position(variant, view, legal_actions(view, rules), False)


def _dealt(rules: Any) -> int:
    return 11 if rules.first_turn == DISCARD_FIRST else 10


def _check_taken(laid: Sequence[Laid], variant: Variant) -> None:
    if any(card.taken for card in laid):
        raise PositionError(f"in {variant.text} discards cannot be taken: leave out the *.")


def _draws(cards: Sequence[int], thrown: Sequence[int], rules: Any) -> int:
    """How many cards have been drawn."""
    seen = len(cards) + len(thrown)
    return seen - _dealt(rules)


def _check_cards(cards: Sequence[int], thrown: Sequence[int]) -> None:
    """Ten or eleven cards, and each of them and of the discards once."""
    seen = set(cards)
    for card in thrown:
        if card in cards:
            raise PositionError(f"{card_text(card)} is among your cards, but was thrown.")
        if card in seen and card >= 0:
            raise PositionError(f"{card_text(card)} was thrown twice.")
        seen.add(card)
    n = len(cards)
    if n not in (10, 11):
        given = "1 card was" if n == 1 else f"{n} cards were"
        raise PositionError(f"{given} given; a hand has ten cards, or eleven before a discard.")


def _check_draws(cards: Sequence[int], draws: int, variant: Variant) -> None:
    rules = build_rules(variant)
    if draws < 0:
        raise PositionError(
            f"in {variant.text} eleven cards are dealt and one is thrown before the first draw: "
            "give the discard as well, as in --pile KC."
        )
    if 0 <= rules.max_draws < draws:
        raise PositionError(
            f"the deal is over: it ends after {rules.max_draws} draws, and these cards need "
            f"{draws}."
        )


def _check_stop(view: Any, draws: int, rules: Any) -> None:
    """With ten cards there is something to decide only if the deal may be ended."""
    if rules.deal_scoring == PENALTY:
        raise PositionError(
            "with ten cards nothing is decided here: gin ends the deal by itself. Give eleven, the "
            "card just drawn last."
        )
    if view.count > rules.knock_limit:
        limit = f"{rules.knock_limit} or less" if rules.knock_limit else "gin"
        raise PositionError(
            f"with ten cards and a deadwood of {view.count} you have to draw: only {limit} ends "
            "the deal. Give eleven cards, the one just drawn last."
        )
    if draws == 0 and not rules.stop_before_draw:
        raise PositionError("before the first draw the deal cannot be ended.")


def _view(cards: Sequence[int], thrown: Sequence[int], draws: int, rules: Any) -> Any:
    """What the player sees."""
    view = new_view()
    eleven = len(cards) == 11
    drawn = cards[-1] if eleven and draws else -1
    held = cards[:-1] if drawn >= 0 else cards
    ten = hand_mask(held)
    view.hand = hand_mask(cards)
    view.count = deadwood(ten, rules)
    remembered = [card for card in thrown if card >= 0]
    view.pile = hand_mask(remembered)
    view.unseen = PACK & ~(view.hand | view.pile)
    has_joker = rules.joker != NO_JOKER
    view.deck_left = IN_PACK + has_joker - len(cards) - len(thrown)
    view.stock = view.deck_left
    view.turns = len(thrown)
    view.turn = view.turns + 1
    view.own_turn = view.turn
    view.seat = PLAYER
    view.dealer = JOKER
    view.limit = rules.knock_limit
    view.multiplier = 1
    view.goal = rules.goal
    view.target = target(rules, PLAYER)
    view.stake = 1
    view.owner = -1
    view.upcard = -1
    view.taken = -1
    view.taken_offer = -1
    view.drawn = drawn
    view.phase = PHASE_TURN if eleven else PHASE_STOP
    _write_history(view, thrown, rules)
    return view


def _write_history(view: Any, thrown: Sequence[int], rules: Any) -> None:
    """The turns: where their card came from, but not which it was, and what was thrown."""
    source = FROM_DEAL if _dealt(rules) == 11 else FROM_STOCK
    for turn, card in enumerate(thrown):
        view.history[turn] = PLAYER, source, -1, card
        source = FROM_STOCK
