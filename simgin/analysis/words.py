"""A position in words, as its player would tell it."""

import re
from collections.abc import Iterator
from typing import Any

from simgin.analysis.position import Position
from simgin.analysis.written import FORGOTTEN, SOME, TAKEN
from simgin.core.answers import PHASE_BLIND
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import DISCARD_FIRST, STOPPER
from simgin.core.view import FROM_PILE
from simgin.play.hand import cards_text, shown_melding
from simgin.rules.build import build_rules
from simgin.text.notation import card_text, hand_text

_MANY = re.compile(r"\?( \?){3,}")  # forgotten cards that are told as one


def lines(position: Position) -> Iterator[str]:
    """The cards held, what the opponent is known to have done, and the score."""
    view = position.view
    if view.phase == PHASE_BLIND:
        yield f"The cards are not seen yet; the {die(view)}"
        yield f"{_score(position)}, {_dealer(view)}"
        return
    rules = build_rules(position.variant)
    _, melds = shown_melding(int(view.hand), rules)
    deadwood = int(deadwood_of(int(view.hand), rules, STOPPER))
    yield f"You hold {cards_text(melds, int(view.hand))}, deadwood {deadwood}{_arrived(view)}"
    laid = pile(position)
    alone = position.variant.row["players"] == 1
    label = "Thrown  " if alone else "Pile    "
    text = " ".join(laid) or "none"
    yield label + _MANY.sub(SOME[0], text)
    if missing := sum(word.startswith(FORGOTTEN) for word in laid):
        cards = "1 card" if missing == 1 else f"{missing} cards"
        yield f"{cards} forgotten, and drawn with the others that you do not see"
    if alone:
        yield _deck(position)
        return
    if known := hand_text(int(view.known)):
        yield f"The opponent took and holds {known}"
    if position.variant.row["die"] != "off":
        yield f"The {die(view)}"
    stock = f"{view.stock} cards in the stock"
    yield f"{stock}, {_dealer(view)}, {_score(position)}, knock limit {view.limit}"


def better(done: str, best: str) -> str:
    """The best beside what was done: a discard in place of an ending plays on."""
    plays_on = best.startswith("discard") and not done.startswith("discard")
    return best.replace("discard", "play on, discarding") if plays_on else best


def _dealer(view: Any) -> str:
    return "you deal" if view.dealer == view.seat else "the opponent deals"


def _score(position: Position) -> str:
    """The match before the deal."""
    view = position.view
    if position.variant.goal.score == "deals":
        return f"{view.own_deals}-{view.other_deals} of {view.target} won deals"
    return f"score {view.own_points}-{view.other_points}"


def die(view: Any) -> str:
    """What the die shows, whose it is, and what is offered."""
    owner = "you own" if view.owner == view.seat else "the opponent owns"
    if view.owner < 0:
        owner = "nobody owns"
    shown = f"die shows {view.stake}, {owner} it"
    return f"{shown}, the opponent offers {view.offered}" if view.offered else shown


def _deck(position: Position) -> str:
    """What is left to draw from, and for how long."""
    view = position.view
    row = position.variant.row
    cards = "1 card" if view.deck_left == 1 else f"{view.deck_left} cards"
    joker = ", the joker among them" if row["joker"] != "none" else ""
    knock = f", knock limit {view.limit}" if view.limit else ""
    turns = f", turn {view.turn} of {row['max_draws']}" if row["max_draws"] is not None else ""
    return f"{cards} left in the deck{joker}{knock}{turns}"


def _arrived(view: Any) -> str:
    """The card in question."""
    if view.taken >= 0:
        return f", just took {card_text(int(view.taken))}"
    if view.drawn >= 0:
        return f", just drew {card_text(int(view.drawn))}"
    if view.taken_offer >= 0:
        return f", {card_text(int(view.taken_offer))} is offered"
    return ""


def pile(position: Position) -> list[str]:
    """The pile as it grew, a mark after each card that was taken: as `--pile` reads it."""
    view = position.view
    first = build_rules(position.variant).first_turn
    turns_up = position.variant.row["players"] == 2 and first != DISCARD_FIRST
    words = [_laid(view.upcard)] if turns_up else []
    for _, source, _, thrown in view.history[: view.turns]:
        if source == FROM_PILE:
            words[-1] += TAKEN
        words.append(_laid(thrown))
    if view.taken >= 0:
        words[-1] += TAKEN
    return words


def _laid(card: int) -> str:
    return card_text(int(card)) if card >= 0 else FORGOTTEN
