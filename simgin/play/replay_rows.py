"""JSON objects of a traced deal: one for the deal, one per decision, one for the result."""

from typing import Any

from simgin.core.match import UNDECIDED
from simgin.core.solo import FAR, PLAYER
from simgin.play.hand import in_text_order, meld_texts
from simgin.play.replay import Replay, SoloReplay, enter_deal, standing_numbers
from simgin.play.watch import Question
from simgin.text.notation import card_text, hand_text

Row = dict[str, Any]


def rows(replay: Replay) -> list[Row]:
    """Return the objects of `simgin show --json`, which `event` distinguishes."""
    first = _deal_row(replay)
    last = _result_row(replay)
    if isinstance(replay, SoloReplay):
        first["deck"] = replay.deck
        last |= _solo_result(replay)
    decisions = [_decision_row(replay, question) for question in replay.watched.questions]
    return [first, *decisions, last]


def _deal_row(replay: Replay) -> Row:
    watched = replay.watched
    state = replay.state
    players = len(watched.matchup.players)
    hands = [hand_text(hand) for hand in watched.hands[:players]]
    return {
        "event": "deal",
        "variant": watched.matchup.variant.text,
        "unit": int(state.unit),
        "half": int(state.half),
        "deal": int(state.deal),
        "strategies": list(replay.names[:players]),
        "dealer": int(state.dealer) if players == 2 else None,
        **standing_numbers(state, replay.params),
        "limit": int(state.limit) if replay.dealt else None,
        "multiplier": int(state.multiplier) if replay.dealt else None,
        "upcard": _card(state.upcard) if replay.dealt else None,
        "hands": hands if replay.dealt else [],
        "pack": " ".join(card_text(int(card)) for card in state.pack[: state.dealt]),
        "joker": _natural(state.joker) if players == 1 else None,
        "in_match": watched.matchup.unit == "match",
    }


def _decision_row(replay: Replay, question: Question) -> Row:
    view = question.view
    return {
        "event": "decision",
        "turn": int(view.turn),
        "seat": question.seat,
        "strategy": replay.names[question.seat],
        "slot": question.slot,
        "hand": hand_text(int(view.hand)),
        "count": int(view.count),
        "offered": _card(view.taken_offer),
        "taken": _card(view.taken),
        "drawn": _card(view.drawn),
        "known": hand_text(int(view.known)),
        "stock": int(view.stock),
        "deck_left": _natural(view.deck_left),
        "stake": int(view.stake),
        "owner": _natural(view.owner),
        "stake_offered": int(view.offered) or None,
        "ending": int(view.ending),
        "ending_card": _card(view.ending_card),
        "ending_count": int(view.ending_count) if view.ending else None,
        "answer": _answer(question),
    }


def _answer(question: Question) -> int | str | None:
    """Return the action as an integer, or as a card for a discard; None if there was none."""
    if question.slot == "discard" and question.answer is not None:
        return card_text(question.answer)
    return question.answer


def _result_row(replay: Replay) -> Row:
    state = replay.state
    kind = replay.watched.kind
    shown = state.stopper >= 0
    laid, melds = replay.defence() if shown else (0, ())
    return {
        "event": "result",
        "kind": kind or None,
        "stopper": _natural(state.stopper),
        "winner": _natural(state.winner),
        "score": [int(points) for points in state.score],
        "turns": int(state.turns),
        "stock": int(state.stock),
        "discard": _card(state.discard),
        "melds": meld_texts(in_text_order(state.melds)) if shown else [],
        "stopper_count": int(state.stopper_count) if shown else None,
        "defender_melds": meld_texts(melds),
        "laid_off": hand_text(laid),
        "defender_count": int(state.other_count) if shown else None,
        "stake": int(state.stake),
        "paid_for_refusal": int(state.pays) if kind == "refused" else None,
        "match": _match_row(replay),
        "fault": replay.watched.fault or None,
    }


def _match_row(replay: Replay) -> Row | None:
    """Return the match score after the deal; None for a single deal or after an error."""
    if replay.watched.matchup.unit == "deal" or replay.watched.fault:
        return None
    after, outcome = enter_deal(replay.state, replay.rules)
    numbers = standing_numbers(after, replay.params)
    return numbers | {"over": outcome != UNDECIDED, "winner": _natural(outcome)}


def _solo_result(replay: SoloReplay) -> Row:
    """Return the additional result fields of a solitaire deal."""
    state = replay.state
    known = replay.has_joker and 0 <= state.above < FAR and not replay.watched.fault
    return {
        "held": hand_text(int(state.hand[PLAYER])),
        "held_count": int(state.count[PLAYER]),
        "above_joker": int(state.above) if known else None,
    }


def _card(card: int) -> str | None:
    return card_text(int(card)) if card >= 0 else None


def _natural(number: int) -> int | None:
    """Return a number, or None for -1."""
    return int(number) if number >= 0 else None
