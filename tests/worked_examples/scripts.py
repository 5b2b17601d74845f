"""Solve worked examples that play a deal by a script."""

import re

from simgin.text import notation
from worked_examples import actions
from worked_examples.actions import SEAT_LETTERS, SOLO_DRAW_ACTION, STOCK, STOP, THROW, Action
from worked_examples.schema import ImpossibleActionError

UNFINISHED_SCRIPT = "the script ends before the deal"

# Two players


def solve_play_script_example(example, implementation):
    """Return the result of a two-player deal played by a script."""
    piles = ("nondealer", "dealer", "upcard", "stock_top_first")
    upcard = example.read_card("upcard")
    nondealer, dealer, stock = (example.read_hand(key) for key in piles if key != "upcard")
    variant = example.read_variant(*piles, "actions")
    script = [actions.parse_action(text) for text in example.input["actions"]]
    pack = actions.build_pack(nondealer, dealer, None if upcard < 0 else upcard, stock)
    deal = implementation.Deal(variant, pack)
    position = actions.find_illegal_action(deal, script)
    if position >= 0:
        return {"illegal": _describe_illegal_action(example, position)}
    deal.play_forced_actions()
    return _describe_deal(deal, script)


def _describe_deal(deal, script):
    """Return the result of a two-player deal in the format of an example."""
    if not deal.outcome:
        drawn = sum(action.kind == STOCK for action in script)
        return {"illegal": None, "how": UNFINISHED_SCRIPT, "stock": actions.N_STOCK_CARDS - drawn}
    result = deal.result
    answer = {"illegal": None, "how": deal.outcome}
    answer |= {"stock": result["stock_left"], "turns": result["turns"]}
    answer["points"] = dict(zip(SEAT_LETTERS, result["points"], strict=True))
    for key, name in (("winner", "winner"), ("stopper", "knocker")):
        answer[key] = None if result[name] is None else SEAT_LETTERS[result[name]]
    if result["knocker"] is not None:
        answer |= {"own": result["knocker_deadwood"], "other": result["defender_deadwood"]}
    return answer


def _describe_illegal_action(example, position):
    """Return an illegal action as a string, with its number if ambiguous."""
    texts = example.input["actions"]
    text = texts[position]
    if "illegal" not in example.expect:
        raise ImpossibleActionError(f"{text} (action {position + 1}) is not possible")
    repeated = text == texts[-1] and position != len(texts) - 1
    return f"{text}, as action {position + 1}" if repeated else text


# One player


def solve_solo_script_example(example, implementation):
    """Return the result of a solitaire deal played by a script.

    The script contains draws that are the only legal action. If gin ends the deal automatically
    (deal_scoring = penalty), the script may contain a stop.
    """
    variant = example.read_variant("deck_top_first", "actions", base=example.get_base_spec())
    example.require_solo(variant, f"kind {example.kind}")
    script = [actions.parse_solo_action(text) for text in example.input["actions"]]
    pack, joker, known = _read_solo_pack(example, variant)
    if script.count(SOLO_DRAW_ACTION) > known:
        raise example.make_error(
            f"input.deck_top_first has fewer cards ({known}) than the actions draw "
            f"({script.count(SOLO_DRAW_ACTION)})."
        )
    deal = implementation.Deal(variant, pack, joker)
    if deal.outcome == "redeal":
        return {"illegal": None, "how": "redeal"}
    # With the joker in the hand, the deal is over before the first action
    in_hand = 0 <= joker < actions.count_dealt_cards(variant.params)
    position = -1 if in_hand else actions.find_illegal_action(deal, script)
    if position >= 0:
        return {"illegal": _explain_illegal_action(example, deal, script, position)}
    return _describe_solo_deal(deal, script)


def _read_solo_pack(example, variant):
    """Return the pack, the joker's position, and the number of cards in the deck."""
    hand, in_hand = _read_cards_and_joker(example, "hand")
    deck, in_deck = _read_cards_and_joker(example, "deck_top_first")
    joker = in_hand if in_hand >= 0 or in_deck < 0 else len(hand) + in_deck
    _check_joker_and_hand(example, variant.params, len(hand), in_hand >= 0, in_deck >= 0)
    known = [*hand, *deck]
    if len(known) > len({*known}):
        raise example.make_error("input: a card can be in one place only.")
    rest = [card for card in range(52) if card not in known]
    return known + rest, joker, len(deck) + (in_deck >= 0)


def _read_cards_and_joker(example, key):
    """Return the cards of an input key, and the position of the joker X or -1."""
    first, *rest = map(notation.parse_cards, re.split(r"\bX\b", example.input[key], flags=re.I))
    if len(rest) > 1:
        raise example.make_error(f"input.{key}: there is one joker.")
    return [*first, *(rest[0] if rest else [])], len(first) if rest else -1


def _check_joker_and_hand(example, params, n_held, is_joker_in_hand, is_joker_in_deck):
    """Raise ExampleError for a hand of the wrong size or a misplaced joker."""
    if is_joker_in_hand + is_joker_in_deck != (params["joker"] != "none"):
        raise example.make_error("input: the joker X must be in one place if there is one.")
    if params["joker"] == "after_deal" and is_joker_in_hand:
        raise example.make_error("input: the joker is shuffled in after the deal.")
    if n_held + is_joker_in_hand != actions.count_dealt_cards(params):
        raise example.make_error(f"input.hand must have {actions.count_dealt_cards(params)} cards.")


def _describe_solo_deal(deal, script):
    """Return the result of a solitaire deal in the format of an example."""
    penalty = deal.params["deal_scoring"] == "penalty"
    if not deal.outcome or deal.unscripted_actions not in (
        [],
        [Action(0, STOP)] if penalty else [],
    ):
        return {"illegal": None, "how": UNFINISHED_SCRIPT, "draws": script.count(SOLO_DRAW_ACTION)}
    score, joker = deal.result["points"]
    answer = {"illegal": None, "how": deal.outcome, "draws": deal.result["draws"][0]}
    return answer | ({"score": score} if penalty else {"player": score, "joker": joker})


def _explain_illegal_action(example, deal, script, position):
    """Return the reason for an illegal action, or else the action as a string."""
    action = script[position]
    text = actions.format_solo_action(action)
    if "illegal" not in example.expect:
        raise ImpossibleActionError(f"{text} (action {position + 1}) is not possible")
    holds_ten = (
        script[position - 1].kind == THROW
        if position
        else actions.count_dealt_cards(deal.params) == 10
    )
    if deal.outcome and not deal.unscripted_actions:
        text = "the deal is over"
    elif action.kind == STOP and holds_ten:
        deadwood, limit = deal.result["deadwood"], deal.result["limit"]
        over = f"deadwood {deadwood} exceeds the limit"
        text = over if deadwood > limit else "no stop before the first draw"
    return text if position == len(script) - 1 else f"{text}, as action {position + 1}"
