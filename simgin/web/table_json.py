"""State of a game for the browser: the card table and the end of a deal."""

from __future__ import annotations

from typing import Any

from simgin.core import codes
from simgin.core.match import MATCH_UNDECIDED
from simgin.core.rules_record import DIE_OFF
from simgin.play import table_text
from simgin.play.hand_analysis import choose_shown_melding, format_meld, sort_melds
from simgin.play.pile import format_pile
from simgin.play.played_game import PlayedGame
from simgin.play.replay import (
    Replay,
    SoloReplay,
    copy_state_after_deal,
    format_score,
    has_score,
    make_replay,
)
from simgin.play.traced_deal import Decision, TracedDeal
from simgin.rules.variants import Variant
from simgin.text.messages import capitalize_first
from simgin.text.notation import format_card, mask_to_cards
from simgin.web.opponents import get_display_name

JsonObject = dict[str, Any]
# sentence for each ending, with placeholders for the player who ended the deal and the other player
ENDING_SENTENCES = {
    "knock": "{} knocked",
    "gin": "{} went gin",
    "big_gin": "{} went big gin",
    "shot": "{} ended the deal with a shot",
    "undercut": "{} knocked, and {} won with an undercut",
    "even": "{} knocked, and neither side won",
}
SOLO_ENDING_SENTENCES = {
    "undercut": "You knocked, and the joker won with an undercut",
    "joker": "You drew the joker",
    "limit": "You used all draws without going gin",
}
HIDDEN_HAND_SIZE = 10  # number of face-down cards of the opponent


def make_game_version(game: PlayedGame) -> str:
    """Return a version string of a game that changes with every action."""
    return f"{len(game.deals)}.{len(game.table.actions)}.{game.n_undone}"


def game_to_json(game: PlayedGame) -> JsonObject:
    """Return the state of a game as a JSON object for the browser."""
    state = game.table.state
    deal = game.deals[-1] if game.table.is_over else game.table.get_traced_deal()
    decision = game.decision
    return {
        "version": make_game_version(game),
        "opponent": get_display_name(game.opponent),
        "deal": int(state.deal) + 1,
        "dealer": _find_dealer_name(game),
        "scores": _format_scores(game, state),
        "goal": game.matchup.goal_text,
        "undone": game.n_undone,
        "can_undo": bool(game.prompts),
        "is_over": game.table.is_over,
        "history": table_text.format_turn_lines(deal, game.seat),
        "table": None if decision is None else _table_to_json(game, decision),
        "result": None if decision is not None else _result_to_json(game, deal),
    }


def _find_dealer_name(game: PlayedGame) -> str:
    """Return "you", the name of the opponent or, in solitaire games, ""."""
    if not game.opponent:
        return ""
    return "you" if int(game.table.state.dealer) == game.seat else get_display_name(game.opponent)


def _format_scores(game: PlayedGame, state: Any) -> list[str]:
    """Format the scores of the user and of the opponent or joker, or return [] for one deal."""
    if not game.matchup.goal_text:
        return []
    seats = [seat for seat in (game.seat, 1 - game.seat) if has_score(game.matchup, seat)]
    return [format_score(state, game.matchup.variant.params, seat) for seat in seats]


# The current decision


def _table_to_json(game: PlayedGame, decision: Decision) -> JsonObject:
    """Return the cards that the user sees and the possible actions as a JSON object."""
    view, rules = decision.view, game.table.rules
    hand = int(view.hand)
    is_solo = not game.opponent
    is_dealt = view.phase != codes.PHASE_BLIND
    known_cards = mask_to_cards(int(view.known))
    events = list(table_text.format_opponent_lines(view, get_display_name(game.opponent)))
    return {
        "choices": _choices_to_json(table_text.list_choices(decision, rules)),
        "events": [game.matchup.variant.about] if is_solo else events,
        "hand": _group_cards(hand, choose_shown_melding(hand, rules)[1]) if is_dealt else [],
        "count": table_text.format_deadwood_line(view),
        "new_card": _format_card(view.drawn if view.drawn >= 0 else view.taken),
        "offered_card": _format_card(view.taken_offer),
        "pile": format_pile(view, rules, is_solo) if is_dealt else [],
        "stock": int(view.deck_left if is_solo else view.stock),
        "known": [*map(format_card, known_cards)],
        "hidden": 0 if is_solo or not is_dealt else HIDDEN_HAND_SIZE - len(known_cards),
        "die": [] if rules.die == DIE_OFF else [_describe_die(view, game.matchup.variant)],
    }


def _describe_die(view: Any, variant: Variant) -> str:
    """Return sentences about the die, an accepted offer and the stake."""
    sentences = [table_text.describe_die(view)]
    if view.owner == 1 - view.seat:
        sentences.append("The opponent accepted your offer.")
    if variant.goal.score_unit == "deals":
        deals_text = "one won deal" if view.stake == 1 else f"{view.stake} won deals"
        sentences.append(f"The stake of this deal is {deals_text}.")
    return " ".join(sentences)


def _choices_to_json(choices: table_text.ChoicesByKey) -> list[JsonObject]:
    """Return the keys and descriptions of the possible actions as JSON objects."""
    return [
        {"key": key, "text": capitalize_first(text), "is_discard": text == "discard it"}
        for key, (_, text) in choices.items()
    ]


def _group_cards(hand: int, melds: tuple[int, ...]) -> list[list[str]]:
    """Return the melds of a hand, followed by its unmatched cards."""
    unmatched_cards = sorted(mask_to_cards(hand & ~sum(melds)), key=lambda card: (card % 13, card))
    return [*(format_meld(meld).split() for meld in melds), [*map(format_card, unmatched_cards)]]


def _format_card(card: int) -> str | None:
    return format_card(int(card)) if card >= 0 else None


# The end of a deal


def _result_to_json(game: PlayedGame, deal: TracedDeal) -> JsonObject:
    """Return the result of a finished deal, with all hands, as a JSON object."""
    replay, is_match = make_replay(deal), game.matchup.unit == "match"
    # In solitaire games, the second name is the name of the joker.
    opponent_name = get_display_name(game.opponent) or replay.names[1]
    replay.names = ("You", opponent_name) if game.seat == 0 else (opponent_name, "You")
    state_after, outcome = copy_state_after_deal(deal.state, replay.rules)
    lines = "\n".join(replay.iter_match_lines()).replace("\n  ", " ") if is_match else ""
    winner = int(deal.state.winner)
    return {
        "summary": _summarise_deal(replay),
        "winner": "" if winner < 0 else "you" if winner == game.seat else "opponent",
        "hands": [
            _find_final_hand(replay, seat)
            for seat in range(len(game.matchup.players))
            if replay.has_dealt_cards
        ],
        "match": lines.splitlines(),
        "is_last": not is_match or outcome != MATCH_UNDECIDED,
        "scores": _format_scores(game, state_after),
        "pile": _find_final_pile(game, deal, replay.rules) if replay.has_dealt_cards else [],
    }


def _summarise_deal(replay: Replay) -> str:
    """Return sentences about the ending of a deal and about its points."""
    if replay.traced.ending == "refused":
        return replay.describe_refusal()
    sentences = [_describe_ending(replay), replay.format_points()]
    if isinstance(replay, SoloReplay) and replay.has_joker and replay.state.knocker >= 0:
        sentences.insert(1, replay.describe_joker_position())
    return " ".join(f"{sentence}." for sentence in sentences)


def _describe_ending(replay: Replay) -> str:
    """Return a sentence about how a deal ended, without its full stop."""
    ending, ending_seat = replay.traced.ending, int(replay.state.knocker)
    if ending == "joker" and replay.state.above < 0:
        return "You were dealt the joker"
    if isinstance(replay, SoloReplay) and ending in SOLO_ENDING_SENTENCES:
        return SOLO_ENDING_SENTENCES[ending]
    if ending not in ENDING_SENTENCES:
        return replay.ending_heading
    other_name = replay.names[ending_seat - 1].replace("You", "you")
    return ENDING_SENTENCES[ending].format(replay.names[ending_seat], other_name)


def _find_final_pile(game: PlayedGame, deal: TracedDeal, rules: Any) -> list[str]:
    """Return the pile after the last turn of a deal."""
    view = deal.views[game.seat].copy()
    view.turns, view.taken = deal.state.turns, -1
    return format_pile(view, rules, not game.opponent)


def _find_final_hand(replay: Replay, seat: int) -> JsonObject:
    """Return the final hand of a seat, with its melds, lay-offs and deadwood."""
    state = replay.traced.state
    hand, ending_seat = int(state.hand[seat]), int(state.knocker)
    laid_off_cards = 0
    if seat == ending_seat:
        melds, deadwood_points = sort_melds(state.melds), int(state.knocker_deadwood)
    elif ending_seat >= 0:
        laid_off_cards, melds = replay.find_defender_layoffs()
        deadwood_points = int(state.defender_deadwood)
    else:
        deadwood_points, melds = choose_shown_melding(hand, replay.rules)
    return {
        "name": replay.names[seat],
        "groups": _group_cards(hand & ~laid_off_cards, melds) if hand else [],
        "laid_off": [*map(format_card, mask_to_cards(laid_off_cards))],
        "count": deadwood_points,
    }
