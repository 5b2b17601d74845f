"""Description of a traced deal as a list of JSON objects.

The list contains one object for the deal, one per decision, and one for the result.
"""

from typing import Any

from simgin.core.match import MATCH_UNDECIDED
from simgin.core.solo_deal import CARDS_ABOVE_ABSENT_JOKER, PLAYER_SEAT
from simgin.play.hand_analysis import list_meld_names, sort_melds
from simgin.play.replay import Replay, SoloReplay, copy_state_after_deal, score_to_json
from simgin.play.traced_deal import Decision
from simgin.text.notation import format_card, format_hand

JsonObject = dict[str, Any]


def replay_to_json(replay: Replay) -> list[JsonObject]:
    """Return a replayed deal as the list of objects that `simgin show --json` prints.

    The key `event` specifies the type of an object.
    """
    deal_row = _make_deal_object(replay)
    result_row = _make_result_object(replay)
    if isinstance(replay, SoloReplay):
        deal_row["deck"] = replay.deck_size
        result_row |= _make_solo_result_fields(replay)
    decisions = [_make_decision_object(replay, decision) for decision in replay.traced.decisions]
    return [deal_row, *decisions, result_row]


def _make_deal_object(replay: Replay) -> JsonObject:
    """Return the cards and the settings of a deal as a JSON object."""
    deal_trace = replay.traced
    state = replay.state
    n_players = len(deal_trace.matchup.players)
    hands = [format_hand(hand) for hand in deal_trace.hands[:n_players]]
    return {
        "event": "deal",
        "variant": deal_trace.matchup.variant.spec,
        "unit": int(state.unit),
        "half": int(state.half),
        "deal": int(state.deal),
        "strategies": list(replay.specs[:n_players]),
        "dealer": int(state.dealer) if n_players == 2 else None,
        **score_to_json(state, replay.params),
        "limit": int(state.limit) if replay.has_dealt_cards else None,
        "multiplier": int(state.multiplier) if replay.has_dealt_cards else None,
        "upcard": _format_optional_card(state.upcard) if replay.has_dealt_cards else None,
        "hands": hands if replay.has_dealt_cards else [],
        "pack": " ".join(format_card(int(card)) for card in state.pack[: state.dealt]),
        "joker": _encode_optional_number(state.joker) if n_players == 1 else None,
        "in_match": deal_trace.matchup.unit == "match",
    }


def _make_decision_object(replay: Replay, decision: Decision) -> JsonObject:
    """Return a decision as a JSON object."""
    view = decision.view
    return {
        "event": "decision",
        "turn": int(view.turn),
        "seat": decision.seat,
        "strategy": replay.specs[decision.seat],
        "slot": decision.slot,
        "hand": format_hand(int(view.hand)),
        "count": int(view.count),
        "offered": _format_optional_card(view.taken_offer),
        "taken": _format_optional_card(view.taken),
        "drawn": _format_optional_card(view.drawn),
        "known": format_hand(int(view.known)),
        "stock": int(view.stock),
        "deck_left": _encode_optional_number(view.deck_left),
        "stake": int(view.stake),
        "owner": _encode_optional_number(view.owner),
        "stake_offered": int(view.offered) or None,
        "ending": int(view.ending),
        "ending_card": _format_optional_card(view.ending_card),
        "ending_count": int(view.ending_count) if view.ending else None,
        "answer": _encode_action(decision),
    }


def _encode_action(decision: Decision) -> int | str | None:
    """Return an action as an integer, or as a card name if the action is a discard.

    If there is no action, the result is None.
    """
    if decision.slot == "discard" and decision.action is not None:
        return format_card(decision.action)
    return decision.action


def _make_result_object(replay: Replay) -> JsonObject:
    """Return the result of a deal as a JSON object."""
    state = replay.state
    ending = replay.traced.ending
    has_showdown = state.knocker >= 0
    laid_off, melds = replay.find_defender_layoffs() if has_showdown else (0, ())
    return {
        "event": "result",
        "kind": ending or None,
        "stopper": _encode_optional_number(state.knocker),
        "winner": _encode_optional_number(state.winner),
        "score": [int(points) for points in state.score],
        "turns": int(state.turns),
        "stock": int(state.stock),
        "discard": _format_optional_card(state.discard),
        "melds": list_meld_names(sort_melds(state.melds)) if has_showdown else [],
        "stopper_count": int(state.knocker_deadwood) if has_showdown else None,
        "defender_melds": list_meld_names(melds),
        "laid_off": format_hand(laid_off),
        "defender_count": int(state.defender_deadwood) if has_showdown else None,
        "stake": int(state.stake),
        "paid_for_refusal": int(state.pays) if ending == "refused" else None,
        "match": _make_match_object(replay),
        "fault": replay.traced.error or None,
    }


def _make_match_object(replay: Replay) -> JsonObject | None:
    """Return the match score after the deal as a JSON object.

    For a single deal or after an error, the result is None.
    """
    if replay.traced.matchup.unit == "deal" or replay.traced.error:
        return None
    state_after, outcome = copy_state_after_deal(replay.state, replay.rules)
    numbers = score_to_json(state_after, replay.params)
    return numbers | {
        "over": outcome != MATCH_UNDECIDED,
        "winner": _encode_optional_number(outcome),
    }


def _make_solo_result_fields(replay: SoloReplay) -> JsonObject:
    """Return the result fields that only solitaire deals have."""
    state = replay.state
    is_known = (
        replay.has_joker and 0 <= state.above < CARDS_ABOVE_ABSENT_JOKER and not replay.traced.error
    )
    return {
        "held": format_hand(int(state.hand[PLAYER_SEAT])),
        "held_count": int(state.count[PLAYER_SEAT]),
        "above_joker": int(state.above) if is_known else None,
    }


def _format_optional_card(card: int) -> str | None:
    return format_card(int(card)) if card >= 0 else None


def _encode_optional_number(number: int) -> int | None:
    """Return a number, or None if the number is -1."""
    return int(number) if number >= 0 else None
