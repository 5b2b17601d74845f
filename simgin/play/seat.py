"""Text of the table for a human player: lines of up to 80 columns, choices and their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from simgin.core import answers
from simgin.core.rules import DIE_OFF
from simgin.core.view import FROM_PILE
from simgin.play.hand import cards_text, in_text_order, shown_melding
from simgin.play.pile import pile_label, pile_words
from simgin.play.replay import wrapped
from simgin.play.watch import Question
from simgin.text.notation import card_text, cards_in, hand_text

YES, NO = 1, 0
Choices = Mapping[str, tuple[list[int], str]]  # key -> (actions, description)


def choices(question: Question) -> Choices:
    """Return the choices for a decision. A card typed instead of an ending discards that card."""
    view = question.view
    if question.slot == "take":
        return _draws(view)
    if question.slot == "discard":
        return {card_text(card): ([card], "throw it") for card in cards_in(int(view.legal))}
    if question.slot == "knock":
        return _endings(view)
    if question.slot == "offer":
        raised = [number for number in range(1, 8) if int(view.legal) >> number & 1]
        higher = {str(number): ([number], f"offer {number}") for number in raised}
        return {"n": ([NO], f"leave the die at {view.stake}")} | higher
    if question.slot == "answer":
        refused = "refuse, and lose the deal"
        return {"a": ([YES], f"accept {view.offered}, and own the die"), "r": ([NO], refused)}
    numbers = [number for number in range(64) if int(view.legal) >> number & 1]
    return {str(number): ([number], _melding(view, number)) for number in numbers}


def _melding(view: Any, number: int) -> str:
    return "show " + cards_text(in_text_order(view.meldings[number]), int(view.hand))


def _draws(view: Any) -> Choices:
    found = {"t": ([answers.TAKE], f"take {card_text(int(view.taken_offer))}")}
    can_pass = int(view.legal) >> answers.PASS & 1
    if view.phase == answers.PHASE_UPCARD and not can_pass:
        return found | {"p": ([answers.STOCK], "pass")}
    found["s"] = ([answers.STOCK], "draw from the stock")
    return found | ({"p": ([answers.PASS], "pass")} if can_pass else {})


def _endings(view: Any) -> Choices:
    key, name = (
        ("g", "go gin") if not view.ending_count else ("k", f"knock with {view.ending_count}")
    )
    if view.ending > answers.KNOCK:
        key, name = ("b", "big gin") if view.ending_card < 0 else ("h", "shoot")
    thrown = f", throwing {card_text(int(view.ending_card))}" if view.ending_card >= 0 else ""
    if view.phase == answers.PHASE_LAST:
        return {key: ([YES], f"take the last card and {name}{thrown}"), "n": ([NO], "leave it")}
    found = {key: ([YES], name + thrown)}
    if view.phase == answers.PHASE_STOP:
        return found | {"n": ([NO], "draw another card")}
    return found | {card_text(card): ([NO, card], "throw it") for card in cards_in(int(view.hand))}


def prompt(question: Question) -> str:
    """Return the prompt for a decision, with the keys."""
    if question.slot == "show":
        return "Which melding do you show? Its number, or ? for the list"
    offered = choices(question)
    cards = [key for key in offered if len(key) == 2]
    keys = [f"{key} = {does}" for key, (_, does) in offered.items() if len(key) == 1]
    if cards:
        keys.insert(0, f"the card to throw, written like {cards[-1]}")
    return "; ".join(keys)


def table_lines(question: Question, rules: Any, opponent: str) -> Iterator[str]:
    """Yield the lines of the table as the player sees it."""
    view = question.view
    yield from _news(view, opponent)
    if rules.die != DIE_OFF:
        owner = {-1: "nobody owns", int(view.seat): "you own"}.get(
            int(view.owner), "your opponent owns"
        )
        offered = f"; your opponent offers {view.offered}" if view.offered else ""
        yield f"Die      {view.stake}, {owner} it{offered}"
    if view.phase == answers.PHASE_BLIND:
        yield "The cards are not dealt yet."
        return
    if opponent:
        known = int(view.known)
        held = f"holds {hand_text(known)} and {10 - known.bit_count()} you have not seen"
        yield from wrapped(f"{opponent} {held}" if known else f"{opponent} holds ten cards")
        left = f"{view.stock} cards"
    else:
        left = f"{view.deck_left} cards" + (", the joker may be among them" if rules.joker else "")
    yield f"Stock    {left}"
    pile = " ".join(pile_words(view, rules, not opponent)) or "none"
    yield from wrapped(f"{pile_label(not opponent)}  {pile}")
    yield ""
    yield from _hand(view, rules)


def _news(view: Any, opponent: str) -> Iterator[str]:
    """Yield the opponent's actions since the player's last turn."""
    turns = view.history[: view.turns].tolist()
    for _, source, card, thrown in takewhile(lambda turn: turn[0] != view.seat, turns[::-1]):
        came = f"took {card_text(card)}" if source == FROM_PILE else "drew from the stock"
        yield f"{opponent} {came} and threw {card_text(thrown)}"
    if view.phase == answers.PHASE_UPCARD and view.shed and opponent:
        yield f"{opponent} passed {hand_text(int(view.shed))}"


def _hand(view: Any, rules: Any) -> Iterator[str]:
    """Yield the player's hand in melds, and its deadwood."""
    hand = int(view.hand)
    came = int(view.drawn if view.drawn >= 0 else view.taken)
    if came >= 0:
        yield f"You {'drew' if view.drawn >= 0 else 'took'} {card_text(came)}"
    _, melds = shown_melding(hand, rules)
    yield f"Hand     {cards_text(melds, hand)}"
    count = int(view.least if view.least >= 0 else view.count)
    limit = f"knock with {view.limit} or less" if view.limit else "gin only"
    after = " after the best discard" if view.least >= 0 else ""
    yield f"Deadwood {count}{after}; {limit}"
