"""Parser for positions that users enter: the hand, the pile, the score and the dealer.

simgin infers all other information from the pile. Players discard in turn, so the pile shows who
discarded, took and declined each card, and how many cards are in the stock. To create the view of
the player, simgin deals a pack that fits the pile, and replays the decisions of both players.
Finally, simgin removes information that the user did not specify: the forgotten cards, and the
turns in which the cards in the hand were drawn.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from simgin.analysis.deal_reconstruction import DealReconstruction
from simgin.analysis.position import Position, PositionError
from simgin.analysis.position_parts import (
    NO_DIE,
    OWNER_WORDS,
    PACK_SIZE,
    PLAYER_SEAT,
    SEAT_WORDS,
    Die,
    PileCard,
    fill_pile_gap,
    find_hand_size_errors,
    parse_pile,
)
from simgin.core.cards import ALL_CARDS
from simgin.core.deadwood import deadwood
from simgin.core.match import get_match_target
from simgin.core.rules_record import FIRST_TURN_DISCARD, JOKER_NONE, SCORING_PENALTY
from simgin.core.view import FROM_STOCK
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import list_die_actions, list_legal_actions
from simgin.play.traced_deal import ScriptedAction, trace_to_decision
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import format_value
from simgin.text.notation import cards_to_mask, format_card, mask_to_cards, parse_cards

UNSEEN_HAND_WORD = "blind"  # word that replaces the cards if the player has not seen them
SCORE_LIMIT = 10**9  # exclusive maximum of a score that the user enters
# Strategies for the replay, which do not affect the view
DUMMY_PLAYER, DUMMY_PLAYER_SOLO = ("simple", "solo-greedy")


def parse_position(
    cards: str,
    pile: str,
    variant: Variant,
    *,
    score: tuple[int, int] | None = None,
    dealer: str | None = None,
    stock: int | None = None,
    die: Die = NO_DIE,
) -> Position:
    """Parse the position of a player from user input.

    Args:
        cards: Ten or eleven cards of the player, or `blind` if the player has not seen them. With
            eleven cards, the last card is the card just drawn.
        pile: Discard pile, starting with the first upcard (see `parse_pile`). A mark after the last
            card means that the player has just taken that card. If the pile is empty and the player
            has eleven cards, the pile is unknown. In solitaire games, the pile contains the
            player's own discards.
        variant: Variant of the deal.
        score: Points of the player and the opponent, or the numbers of deals won if the score
            counts deals. If a score is given, the goal is to win the match.
        dealer: `me` or `other`. By default, simgin infers the dealer from the pile.
        stock: Number of cards in the stock, which is required if the pile has a gap.
        die: State of the die. A decision about the die comes before the draw.

    Raises:
        PositionError: If the position is impossible.
        CardError: If a card is not valid.
    """
    if dealer is not None and dealer not in SEAT_WORDS:
        raise PositionError(f"{dealer!r} is not a valid dealer. Use `me` or `other`.")
    seat = None if dealer is None else SEAT_WORDS[dealer]
    if variant.is_solo:
        if score is not None or dealer is not None:
            raise PositionError(
                f"{variant.spec} is a solitaire game. Omit the score and the dealer."
            )
        _raise_first_error(die.find_errors(variant))
        view = _make_solo_view(parse_cards(cards), pile, variant, stock)
    elif cards.strip() == UNSEEN_HAND_WORD:
        if pile or stock is not None:
            raise PositionError("a blind position cannot have a pile. Omit the pile and the stock.")
        view = _make_blind_view(die, variant, seat)
    else:
        view = _make_view(parse_cards(cards), pile, variant, seat, stock, die)
    if score is not None:
        _write_score(view, score, variant)
    find_actions = list_die_actions if die.is_die_decision else list_legal_actions
    actions = find_actions(view, build_rules(variant))
    return Position(variant, view, actions, is_in_match=score is not None)


def _raise_first_error(errors: Iterator[str]) -> None:
    """Raise PositionError with the first error message, or return if there are no errors."""
    for reason in errors:
        raise PositionError(reason)


def _write_score(view: Any, score: tuple[int, int], variant: Variant) -> None:
    """Write the match score before the deal to a view."""
    is_pair = isinstance(score, tuple | list) and len(score) == 2
    if not is_pair or not all(
        isinstance(n_won, int) and 0 <= n_won < SCORE_LIMIT for n_won in score
    ):
        raise PositionError(
            f"{format_value(score)} is not a valid score. Use a pair (your points, the "
            "opponent's points), such as (30, 45)."
        )
    if variant.goal.score_unit and max(score) >= get_match_target(
        build_rules(variant), PLAYER_SEAT
    ):
        target = int(get_match_target(build_rules(variant), PLAYER_SEAT))
        raise PositionError(
            f"{score[0]}-{score[1]} is not a valid score in a match to {target} points. Use scores "
            f"below {target}."
        )
    score_type = "deals" if variant.goal.score_unit == "deals" else "points"
    view[f"own_{score_type}"], view[f"other_{score_type}"] = score


def _make_blind_view(die: Die, variant: Variant, dealer: int | None) -> Any:
    """Return the view of a player who has not seen any cards."""
    _raise_first_error(die.find_errors(variant, is_blind=True))
    dealer_seat = 1 - die.active_seat if dealer is None else dealer
    view = _replay_view(
        variant, range(PACK_SIZE), die.iter_pending_offer(), {die.slot}, 0, dealer=dealer_seat
    )
    assert view is not None, "The first decision of every deal is about the die."
    # The stake was set in an earlier deal.
    view.stake, view.owner = die.stake, OWNER_WORDS[die.owner]
    return view


def _replay_view(
    variant: Variant,
    pack: Sequence[int],
    decisions: Iterable[ScriptedAction],
    accepted_slots: Collection[str],
    hand: int,
    **deal_options: int,
) -> Any:
    """Replay decisions, and return the player's view at the next decision with the given hand.

    If there is no such decision, return None.

    Args:
        variant: Variant of the deal.
        pack: Cards in dealing order.
        decisions: Decisions of both players, in the order of play.
        accepted_slots: Accepted slots of the policy call.
        hand: Mask of the player's cards at the policy call.
        **deal_options: Dealer and position of the joker.
    """
    opponent = None if variant.is_solo else DUMMY_PLAYER
    strategy = opponent or DUMMY_PLAYER_SOLO
    trace = trace_to_decision(
        parse_matchup(strategy, opponent, variant, 1, "deal"),
        list(decisions),
        lambda policy_call: (
            policy_call.seat == PLAYER_SEAT
            and policy_call.slot in accepted_slots
            and policy_call.view.hand == hand
        ),
        pack=pack,
        points=(0, 0),
        **deal_options,
    )
    return None if trace is None else trace[0].get_decision(trace[1]).view


def _add_placeholders(
    pile: Sequence[PileCard], cards: Sequence[int], rotation: int = 0
) -> tuple[list[PileCard], list[int]]:
    """Replace forgotten cards with unseen cards, and return the pile and the other unseen cards."""
    known_cards = {card.card for card in pile if card.card >= 0}
    unseen_cards = mask_to_cards(ALL_CARDS & ~cards_to_mask([*cards, *known_cards]))
    if sum(card.card < 0 for card in pile) > len(unseen_cards):
        raise PositionError("the position contains more cards than the deck. Remove some cards.")
    unseen_cards = unseen_cards[rotation:] + unseen_cards[:rotation]
    full_pile = [
        replace(card, card=unseen_cards.pop(0)) if card.card < 0 else card for card in pile
    ]
    return full_pile, unseen_cards


def _remove_placeholders(view: Any, pile: Sequence[PileCard], full_pile: Sequence[PileCard]) -> Any:
    """Hide placeholder cards and cards that were drawn from the stock in a view."""
    placeholders = [
        filled_card.card for filled_card, card in zip(full_pile, pile, strict=True) if card.card < 0
    ]
    placeholder_mask = cards_to_mask(placeholders)
    for name in ("pile", "known", "shed"):
        view[name] &= ~placeholder_mask
    view.unseen |= placeholder_mask
    if view.upcard in placeholders:
        view.upcard = -1
    for turn in view.history[: view.turns]:
        if turn[1] == FROM_STOCK or turn[2] in placeholders:
            turn[2] = -1
        if turn[3] in placeholders:
            turn[3] = -1
    return view


# Solitaire games


def _make_solo_view(cards: list[int], pile: str, variant: Variant, stock: int | None) -> Any:
    """Return the view of a solitaire player with certain cards and discards."""
    has_joker = bool(build_rules(variant).joker != JOKER_NONE)
    entered_pile, gap_index = parse_pile(pile)
    max_stock_size = PACK_SIZE + has_joker - len(cards) - len(entered_pile)
    if max_stock_size < 0:
        raise PositionError("the position contains more cards than the deck. Remove some cards.")
    known_pile = fill_pile_gap(entered_pile, gap_index, max_stock_size, stock, "deck")
    _raise_first_error(_find_solo_errors(cards, [card.card for card in known_pile], variant))
    _raise_first_error(
        f"discards cannot be taken in {variant.spec}. Omit the * marks."
        for card in known_pile
        if card.is_taken
    )
    slots = ("discard", "knock") if len(cards) == 11 else ("knock",)
    joker = PACK_SIZE if has_joker else -1
    for rotation in range(10):  # Try other orders in case gin ends the replayed deal too early.
        full_pile, unseen_cards = _add_placeholders(known_pile, cards, rotation)
        discards = [card.card for card in full_pile]
        # Deal the discards first, in order, and the card that was drawn last at the end.
        pack = [*discards, *cards[rotation:10], *cards[:rotation], *cards[10:], *unseen_cards]
        decisions = [ScriptedAction(PLAYER_SEAT, "discard", card) for card in discards]
        view = _replay_view(variant, pack, decisions, slots, cards_to_mask(cards), joker=joker)
        if view is not None:
            return _remove_placeholders(view, known_pile, full_pile)
    raise PositionError(
        f"these cards and discards cannot occur in {variant.spec}. Check the cards and the "
        "discards."
    )


def _find_solo_errors(
    cards: Sequence[int], discards: Sequence[int], variant: Variant
) -> Iterator[str]:
    """Yield an error message if a solitaire position is impossible or requires no decision."""
    rules = build_rules(variant)
    for card in discards:
        if card in cards:
            yield (
                f"{format_card(card)} cannot be both in your hand and discarded. Check your "
                "entries."
            )
        if card >= 0 and discards.count(card) > 1:
            yield f"{format_card(card)} cannot be discarded twice. Remove one copy."
    yield from find_hand_size_errors(cards)
    n_draws = len(discards) + len(cards) - (11 if rules.first_turn == FIRST_TURN_DISCARD else 10)
    if n_draws < 0:
        yield (
            f"in {variant.spec}, players discard one of eleven cards before the first draw. Add "
            "the discard, for example --pile KC."
        )
    if len(cards) == 11:
        return
    if rules.deal_scoring == SCORING_PENALTY:
        yield (
            "a hand of ten cards requires no decision, because gin ends the deal automatically. "
            "Enter eleven cards, with the card just drawn last."
        )
    deadwood_points = int(deadwood(cards_to_mask(cards), rules))
    if deadwood_points > rules.knock_limit:
        limit = f"{rules.knock_limit} or less" if rules.knock_limit else "gin"
        yield (
            f"ten cards with {deadwood_points} points of deadwood cannot end the deal, which needs "
            f"{limit}. "
            "Enter eleven cards, with the card just drawn last."
        )


# Two-player games


def _make_view(
    cards: list[int], pile: str, variant: Variant, dealer: int | None, stock: int | None, die: Die
) -> Any:
    """Return the view of a player in a two-player game.

    Args:
        cards: Cards of the player.
        pile: Discard pile as entered by the user.
        variant: Variant of the deal.
        dealer: Seat of the dealer, or None to infer the dealer from the pile.
        stock: Number of cards in the stock, or None if it was not specified.
        die: State of the die.
    """
    spec = variant.spec
    if variant.goal.other_side_goal is not None:
        raise PositionError(
            f"a position cannot be analysed in {spec}, because the match result depends on "
            "both points and deals won. Analyse a recorded deal instead."
        )
    _raise_first_error(die.find_errors(variant))
    pile_cards, gap_index = parse_pile(pile)
    # For an unknown pile, assume as few cards as possible.
    if not pile.strip() and len(cards) == 11:
        if stock is not None:
            gap_index = 0
        elif build_rules(variant).first_turn != FIRST_TURN_DISCARD:
            pile_cards = [PileCard(-1)]
    elif gap_index == len(pile_cards) or (pile_cards and pile_cards[-1].card < 0):
        raise PositionError(
            "the top card of the pile must be known. Enter the top card as the last card of the "
            "pile."
        )
    known_pile = fill_pile_gap(
        pile_cards,
        gap_index,
        DealReconstruction(cards, pile_cards, variant, dealer, die).stock_size,
        stock,
    )
    _raise_first_error(DealReconstruction(cards, known_pile, variant, dealer, die).find_errors())
    full_pile, unseen_cards = _add_placeholders(known_pile, cards)
    reconstruction = DealReconstruction(cards, full_pile, variant, dealer, die)
    decisions = [
        *die.iter_past_decisions(),
        *reconstruction.iter_decisions(),
        *die.iter_pending_offer(),
    ]
    pack = reconstruction.make_pack(unseen_cards)
    view = _replay_view(
        variant,
        pack,
        decisions,
        reconstruction.current_slots,
        cards_to_mask(cards),
        dealer=reconstruction.dealer,
    )
    if view is None:
        raise PositionError(
            f"these cards and this pile cannot occur in {spec}. Check the cards and the pile."
        )
    return _remove_placeholders(view, known_pile, full_pile)
