"""Text of the card table for a human player, in lines of up to 80 columns, with the valid keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile, zip_longest
from math import ceil
from typing import Any

from simgin.core import codes
from simgin.core.position_rollouts import ACTION_DISCARD
from simgin.core.rules_record import DIE_OFF
from simgin.core.view import FROM_PILE, FROM_STOCK
from simgin.play import hand_analysis
from simgin.play.pile import format_pile, format_pile_label
from simgin.play.replay import wrap_line
from simgin.play.rollouts import list_legal_actions
from simgin.play.traced_deal import Decision, TracedDeal
from simgin.text.notation import format_card, format_hand, mask_to_cards

ACTION_YES, ACTION_NO = 1, 0
MAX_HISTORY_ROWS = 12  # maximum number of rows in a column of the history
HISTORY_COLUMN_WIDTH = 40  # width of a column of the history, in characters
DRAW_SOURCE_VERBS = {FROM_STOCK: "drew", FROM_PILE: "took"}
ENDING_VERBS = {"gin": "went gin", "big_gin": "declared big gin", "shot": "shot"}
MAX_NAME_WIDTH = 12  # maximum length of the opponent's name in the history, in characters
ChoicesByKey = Mapping[str, tuple[list[int], str]]  # actions and a description for each key


def list_choices(decision: Decision, rules: Any) -> ChoicesByKey:
    """Return the choices that a player has at a decision.

    If the key is a card, the choice is to discard the card and continue.

    Args:
        decision: Decision of the player.
        rules: Rules record of the variant.
    """
    view = decision.view
    if decision.slot == "take":
        return _list_draw_choices(view)
    if decision.slot == "discard":
        return {
            format_card(card): ([card], "discard it") for card in mask_to_cards(int(view.legal))
        }
    if decision.slot == "knock":
        return _list_ending_choices(view, rules)
    if decision.slot == "offer":
        legal_numbers = [number for number in range(1, 8) if int(view.legal) >> number & 1]
        higher_numbers = {str(number): ([number], f"offer {number}") for number in legal_numbers}
        return {"n": ([ACTION_NO], f"leave the die at {view.stake}")} | higher_numbers
    if decision.slot == "answer":
        refusal_text = "refuse it and lose the deal"
        return {
            "a": ([ACTION_YES], f"accept {view.offered} and own the die"),
            "r": ([ACTION_NO], refusal_text),
        }
    melding_numbers = [number for number in range(64) if int(view.legal) >> number & 1]
    return {
        str(number): ([number], _format_show_choice(view, number)) for number in melding_numbers
    }


def _format_show_choice(view: Any, melding_number: int) -> str:
    return "show " + hand_analysis.format_melded_hand(
        hand_analysis.sort_melds(view.meldings[melding_number]), int(view.hand)
    )


def _list_draw_choices(view: Any) -> ChoicesByKey:
    """Return the choices of a player who chooses the draw source."""
    draw_choices = {"t": ([codes.ACTION_TAKE], f"take {format_card(int(view.taken_offer))}")}
    can_pass = int(view.legal) >> codes.ACTION_PASS & 1
    if view.phase == codes.PHASE_UPCARD and not can_pass:
        return draw_choices | {"p": ([codes.ACTION_STOCK], "pass")}
    draw_choices["s"] = ([codes.ACTION_STOCK], "draw from the stock")
    return draw_choices | ({"p": ([codes.ACTION_PASS], "pass")} if can_pass else {})


def _list_ending_choices(view: Any, rules: Any) -> ChoicesByKey:
    """Return the choices of a player who can end the deal."""
    key, ending_text = (
        ("g", "go gin") if not view.ending_count else ("k", f"knock with {view.ending_count}")
    )
    if view.ending > codes.ENDING_KNOCK:
        key, ending_text = ("b", "declare big gin") if view.ending_card < 0 else ("h", "shoot")
    card = int(view.ending_card)
    discarded = f", discarding {format_card(card)}" if card >= 0 else ""
    if view.phase == codes.PHASE_LAST:
        return {
            key: ([ACTION_YES], f"take the last card and {ending_text}{discarded}"),
            "n": ([ACTION_NO], "leave the card"),
        }
    ending_choices = {key: ([ACTION_YES], ending_text + discarded)}
    if view.phase == codes.PHASE_STOP:
        return ending_choices | {"n": ([ACTION_NO], "draw another card")}
    cards = [
        action.card for action in list_legal_actions(view, rules) if action.type == ACTION_DISCARD
    ]
    return ending_choices | {format_card(card): ([ACTION_NO, card], "discard it") for card in cards}


def format_prompt(decision: Decision, rules: Any) -> str:
    """Return the prompt for a decision, which lists the key for each choice."""
    if decision.slot == "show":
        return "To arrange your melds, type the number of an arrangement, or ? for a list."
    choices = list_choices(decision, rules)
    cards = [key for key in choices if len(key) == 2]
    key_descriptions = [
        f"{key} to {description}" for key, (_, description) in choices.items() if len(key) == 1
    ]
    if cards:
        example = _suggest_discard(decision, rules, cards)
        key_descriptions.insert(0, f"a card to discard it, such as {example}")
    *first_descriptions, last_description = key_descriptions
    return (
        f"Type {', '.join(first_descriptions)}, or {last_description}."
        if first_descriptions
        else f"Type {last_description}."
    )


def _suggest_discard(decision: Decision, rules: Any, cards: Sequence[str]) -> str:
    """Return the highest unmatched card that can be discarded, or any card if there is none."""
    hand = int(decision.view.hand)
    _, melds = hand_analysis.choose_shown_melding(hand, rules)
    unmatched = sorted(mask_to_cards(hand & ~sum(melds)), key=lambda card: card % 13)
    return next((card for card in map(format_card, unmatched[::-1]) if card in cards), cards[0])


def format_table_lines(decision: Decision, rules: Any, opponent: str) -> Iterator[str]:
    """Yield the lines that show the card table from the player's point of view."""
    view = decision.view
    yield from format_opponent_lines(view, opponent)
    if rules.die != DIE_OFF:
        yield describe_die(view)
    if view.phase == codes.PHASE_BLIND:
        yield from format_hand_lines(view, rules)
        return
    if opponent:
        cards = int(view.known)
        unseen = 10 - cards.bit_count()
        n_hidden = "1 unseen card" if unseen == 1 else f"{unseen} unseen cards"
        n_held = f"{format_hand(cards)} and {n_hidden}" if cards and unseen else format_hand(cards)
        yield from wrap_line(f"{opponent} holds {n_held or n_hidden}")
        stock_text = f"{view.stock} cards"
    else:
        stock_text = f"{view.deck_left} cards" + (
            ", possibly including the joker" if rules.joker else ""
        )
    yield f"Stock    {stock_text}"
    pile = " ".join(format_pile(view, rules, not opponent)) or "none"
    yield from wrap_line(f"{format_pile_label(not opponent)}  {pile}")
    yield ""
    yield from format_hand_lines(view, rules)


def describe_die(view: Any) -> str:
    """Describe the die, its owner and the opponent's offer in sentences."""
    owner = {-1: "neither player owns", int(view.seat): "you own"}.get(
        int(view.owner), "the opponent owns"
    )
    offer_sentence = f" The opponent offers {view.offered}." if view.offered else ""
    return f"The die shows {view.stake}, and {owner} it.{offer_sentence}"


def format_opponent_lines(view: Any, opponent: str) -> Iterator[str]:
    """Yield the lines that describe the opponent's actions since the player's last turn.

    Args:
        view: View of the player.
        opponent: Name of the opponent, or an empty string in solitaire games.
    """
    turns = view.history[: view.turns].tolist()
    for _, source, card, discarded in takewhile(lambda turn: turn[0] != view.seat, turns[::-1]):
        source_text = f"took {format_card(card)}" if source == FROM_PILE else "drew from the stock"
        yield f"{opponent} {source_text} and discarded {format_card(discarded)}"
    if view.phase == codes.PHASE_UPCARD and view.shed and opponent:
        yield f"{opponent} declined {format_hand(int(view.shed))}"


def format_hand_lines(view: Any, rules: Any) -> Iterator[str]:
    """Yield the lines that show the player's hand, with melds in brackets, and its deadwood."""
    if view.phase == codes.PHASE_BLIND:
        yield format_deadwood_line(view)
        return
    hand = int(view.hand)
    new_card = int(view.drawn if view.drawn >= 0 else view.taken)
    if new_card >= 0:
        yield f"You {'drew' if view.drawn >= 0 else 'took'} {format_card(new_card)}"
    _, melds = hand_analysis.choose_shown_melding(hand, rules)
    groups = [f"[{meld}]" for meld in hand_analysis.list_meld_names(melds)]
    yield f"Hand     {' '.join([*groups, format_hand(hand & ~sum(melds))]).rstrip()}"
    yield format_deadwood_line(view)


def format_deadwood_line(view: Any) -> str:
    """Return a line that states the player's deadwood, the knock limit and any points factor."""
    if view.phase == codes.PHASE_BLIND:
        return "The cards have not been dealt yet."
    deadwood_points = int(view.least if view.least >= 0 else view.count)
    limit = f"knock limit {view.limit}" if view.limit else "gin only"
    factor = f", points times {view.multiplier}" if view.multiplier > 1 else ""
    suffix = " after the best discard" if view.least >= 0 else ""
    return f"Deadwood {deadwood_points}{suffix} ({limit}{factor})"


def format_history_lines(deal: TracedDeal, page: int) -> list[str]:
    """Return a page of the past turns, as seen by the player at seat 0.

    If there are many turns, the lines form two columns. Longer deals have several pages.

    Args:
        deal: Deal, which can be unfinished.
        page: Number of the page. Page 0 shows the latest turns. Page numbers wrap around after the
            last page.
    """
    lines = format_turn_lines(deal, 0)
    n_rows, header = MAX_HISTORY_ROWS, []
    if len(lines) > 2 * n_rows:
        n_rows -= 1  # The header takes a line.
        header = ["Type l again to see the other turns."]
        end_index = len(lines) - page % ceil(len(lines) / (2 * n_rows)) * 2 * n_rows
        lines = lines[max(0, end_index - 2 * n_rows) : end_index]
    pairs = zip_longest(lines[:n_rows], lines[n_rows:], fillvalue="")
    return header + [f"{left:<{HISTORY_COLUMN_WIDTH}}{right}".rstrip() for left, right in pairs]


def format_turn_lines(deal: TracedDeal, person_seat: int) -> list[str]:
    """Return one line per past turn and one for the ending, as seen from a player's seat.

    Args:
        deal: Deal, which can be unfinished.
        person_seat: Seat of the player.
    """
    names = [player.spec for player in deal.matchup.players]
    names = [name if len(name) <= MAX_NAME_WIDTH else "opponent" for name in names]
    names[person_seat] = "you"
    turns = deal.views[person_seat].history[: deal.state.turns].tolist()
    lines = []
    for number, (seat, source, card, discarded) in enumerate(turns, 1):
        drawn_card = f" {format_card(card)}" if card >= 0 else ""
        texts = [f"{DRAW_SOURCE_VERBS[source]}{drawn_card}"] if source in DRAW_SOURCE_VERBS else []
        texts += [f"discarded {format_card(discarded)}"] if discarded >= 0 else []
        lines.append(f"{number:>2} {names[seat]} {', '.join(texts)}")
    if deal.state.knocker >= 0:
        ending = ENDING_VERBS.get(deal.ending, f"knocked with {deal.state.knocker_deadwood}")
        lines.append(f"   {names[deal.state.knocker]} {ending}")
    return lines
