"""Transcript of a deal in 80 columns, with every decision, the player's view and the result."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np

from simgin.core import codes, layoff, match
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.match import MATCH_UNDECIDED
from simgin.core.matchup_key import UnitType
from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules_record import DEFENDER, DIE_OFF, FIRST_TURN_DISCARD, JOKER_NONE
from simgin.core.solo_deal import PLAYER_SEAT
from simgin.play.hand_analysis import (
    Melding,
    choose_shown_melding,
    find_best_meldings,
    format_melded_hand,
    sort_melds,
)
from simgin.play.matchup import PERSON_NAME, Matchup, make_short_names, parse_matchup
from simgin.play.traced_deal import Decision, TracedDeal, trace_deal
from simgin.rules.build import build_rules
from simgin.rules.parameters import find_match_goal, load_rule_parameters
from simgin.text.messages import SimginError, conjugate, format_value
from simgin.text.notation import format_card, format_hand

LINE_WIDTH = 80
# Exclusive upper bounds of the numbers that identify a deal
DEAL_NUMBER_BOUNDS = {"seed": 2**64, "unit": 2**48, "half": 2, "deal": 2**16}
NO_ACTION_TEXT = "returns no legal action"
DIE_SLOTS = ("offer", "answer")
ENDING_PHRASES = {
    codes.ENDING_BIG_GIN: ("declare big gin", "declares big gin"),
    codes.ENDING_SHOT: ("shoot", "shoots"),
}
# progress towards a target in a score
SCORE_PROGRESS_PATTERN = re.compile(r"(\d+) of (\d+)( won deals| games)?")
JOKER_NAME = "joker"  # name of the opponent in solitaire games
# parameter and description of the bonus for each ending
BONUS_BY_ENDING = {
    "gin": ("gin_bonus", "for gin"),
    "big_gin": ("big_gin_bonus", "for big gin"),
    "shot": ("gin_bonus", "for the shot"),
    "undercut": ("undercut_bonus", "for the undercut"),
}
UNDECIDED_MATCH_TEXTS = {
    match.MATCH_DRAWN: "The match is drawn",
    match.MATCH_UNFINISHED: "The match ended at its limit without a winner",
}


class ReplayError(SimginError):
    """Error raised if a deal cannot be replayed."""


def trace_numbered_deal(
    a: str, b: str | None, variant: str, seed: int, unit: int, half: int, deal: int | None
) -> TracedDeal:
    """Play and trace a single deal, or one deal of a match.

    Args:
        a: Spec of strategy A.
        b: Spec of strategy B. The default is `simple` in two-player variants.
        variant: Variant spec.
        seed: Seed of the shuffles.
        unit: Number of the unit.
        half: Mirrored game of the unit, 0 or 1.
        deal: Number of the deal in its match, or None for a single deal.

    Raises:
        ReplayError: If the deal does not exist.
        DealNotFoundError: If the match ended before the deal.
    """
    unit_type: UnitType = "deal" if deal is None else "match"
    matchup = parse_matchup(a, b, variant, seed, unit_type)
    _check_deal_numbers(matchup, unit, half, deal)
    trace = trace_deal(matchup, unit, half, deal or 0)
    if trace.error and not trace.state.log_mode:
        raise ReplayError(f"the match stopped before this deal. {trace.error}") from trace.exception
    return trace


def _check_deal_numbers(matchup: Matchup, unit: int, half: int, deal: int | None) -> None:
    """Raise ReplayError if the matchup has no deal with the given numbers."""
    numbers = {"seed": matchup.seed, "unit": unit, "half": half, "deal": deal or 0}
    for name, number in numbers.items():
        if not isinstance(number, Integral) or not 0 <= number < DEAL_NUMBER_BOUNDS[name]:
            raise ReplayError(
                f"{name} {format_value(number)} is out of range. Use an integer from 0 to "
                f"{DEAL_NUMBER_BOUNDS[name] - 1}."
            )
    if half == 1 and not matchup.is_mirrored:
        text = "a solitaire game" if matchup.b is None else f"{matchup.a.spec} against itself"
        raise ReplayError(f"half 1 is not available, because {text} is not mirrored. Use half 0.")


class Replay:
    """Transcript of a traced two-player deal."""

    def __init__(self, traced_deal: TracedDeal) -> None:
        variant = traced_deal.matchup.variant
        self.traced = traced_deal
        self.state = traced_deal.state
        self.params = variant.params
        self.goal = variant.goal
        self.rules = build_rules(variant)
        specs = [player.spec for player in traced_deal.matchup.players]
        names_by_spec = make_short_names([traced_deal.matchup])
        # strategy specs and display names, by seat
        self.specs = self._sort_names_by_seat(specs)
        self.names = self._sort_names_by_seat([names_by_spec.get(spec, spec) for spec in specs])
        self.has_person = PERSON_NAME in specs

    def _sort_names_by_seat(self, names: Sequence[str]) -> tuple[str, str]:
        """Return both names in seat order, or with the labels (A) and (B) if they are equal."""
        name_a, name_b = names
        if name_a == name_b:
            return f"{name_a} (A)", f"{name_b} (B)"
        return (name_a, name_b) if self.state.half == 0 else (name_b, name_a)

    @property
    def has_dealt_cards(self) -> bool:
        """True if cards were dealt, which a refused offer before the deal prevents."""
        return bool(self.state.phase != codes.PHASE_BLIND)

    def iter_lines(self) -> Iterator[str]:
        """Yield all lines up to the result, or up to the decision at which a policy failed."""
        yield from (*wrap_line(self.title), *wrap_line(self.summary), "")
        yield from self.iter_body_lines()

    @property
    def summary(self) -> str:
        """Result of the deal in one line."""
        if self.traced.error:
            return "The deal was not finished"
        return f"{self.ending_heading}. {self.format_points()}"

    def iter_body_lines(self) -> Iterator[str]:
        """Yield all lines below the title."""
        if self.rules.die != DIE_OFF:
            yield from self._format_offers_before_deal()
        if self.has_dealt_cards:
            yield from self._format_deal_start()
        formatter_by_phase = {
            codes.PHASE_UPCARD: self._format_upcard_phase,
            codes.PHASE_LAST: self._format_last_discard,
        }
        for _, turn in groupby(self.traced.decisions, key=self._make_turn_key):
            decisions = list(turn)
            phase = int(decisions[0].view.phase)
            if phase != codes.PHASE_BLIND:
                yield ""
                yield from formatter_by_phase.get(phase, self._format_turn)(decisions)
        yield from self._format_final_draw()
        yield ""
        if self.traced.error:
            yield "The deal stops here"
            yield from wrap_line(f"  {self.traced.error}")
        else:
            yield from self._format_result()

    def _make_turn_key(self, decision: Decision) -> tuple[int, int]:
        """Return the key by which the transcript groups decisions: the turn and the phase."""
        return int(decision.view.turns), int(decision.view.phase)

    # Events before the first turn

    @property
    def title(self) -> str:
        """Title of the transcript, with the variant and the numbers that identify the deal."""
        matchup = self.traced.matchup
        deal_numbers = f"seed {matchup.seed}, unit {self.state.unit}"
        if matchup.b is not None:
            deal_numbers += f", half {self.state.half}"
        if matchup.unit == "match":
            deal_numbers += f", deal {self.state.deal}"
        return f"{matchup.variant.spec}: {deal_numbers}"

    def _format_offers_before_deal(self) -> Iterator[str]:
        """Yield the lines that describe the die and the offers before the deal."""
        decisions = [
            offer for offer in self.traced.decisions if offer.view.phase == codes.PHASE_BLIND
        ]
        first_view = decisions[0].view if decisions else self.state
        die = f"the die shows {first_view.stake}"
        if first_view.owner >= 0:
            die += f", owned by {self._get_player_name(first_view.owner)}"
        yield ""
        yield f"Before the players see their cards, {die}"
        if not self.has_dealt_cards:
            for seat in self._find_nondealer_and_dealer():
                yield from wrap_line(f"  {self._format_role_and_score(seat)}")
        for decision in decisions:
            yield from self._format_offer(decision)

    def _format_offer(self, decision: Decision) -> list[str]:
        """Return the lines that describe a die offer or a response to an offer."""
        return wrap_line(f"  {self._get_player_name(decision.seat)} {format_decision(decision)}")

    def _find_nondealer_and_dealer(self) -> tuple[int, int]:
        """Return the seat of the nondealer and the seat of the dealer."""
        dealer = int(self.state.dealer)
        return 1 - dealer, dealer

    def _format_role_and_score(self, seat: int) -> str:
        role = "dealer" if seat == self.state.dealer else "nondealer, plays first"
        score = format_score(self.state, self.params, seat)
        return f"{self._get_player_name(seat)}, {role}, {score}"

    def _format_deal_start(self) -> Iterator[str]:
        """Yield the lines that describe the knock limit, the upcard and the dealt hands."""
        state = self.state
        if self.rules.die != DIE_OFF:
            yield ""
        deal_terms = f"Knock limit {state.limit}"
        if state.limit == 0:
            deal_terms += " (gin only)"
        if state.multiplier != 1:
            deal_terms += f", all points times {state.multiplier}"
        if state.upcard >= 0:
            deal_terms += f", upcard {_format_card(state.upcard)}"
        yield deal_terms
        for seat in self._find_nondealer_and_dealer():
            yield ""
            yield from wrap_line(self._format_role_and_score(seat))
            yield f"  is dealt {self._format_hand(self.traced.hands[seat])}"

    def _get_player_name(self, seat: int) -> str:
        """Return the name of a player, followed by the seat if two strategies play."""
        return self.names[seat] if self.has_person else f"{self.names[seat]} (seat {seat})"

    def _format_subject(self, seat: int, verb: str) -> str:
        """Return a player and a verb, such as `gold (seat 0) shows` or `you show`."""
        return f"{self._get_player_name(seat)} {conjugate(verb, self.names[seat])}"

    def _format_hand(self, hand: int) -> str:
        deadwood, melds = choose_shown_melding(hand, self.rules)
        return f"{format_melded_hand(melds, hand)}, deadwood {deadwood}"

    # Turns

    def _format_upcard_phase(self, decisions: list[Decision]) -> Iterator[str]:
        """Yield the lines that describe the decisions about the first upcard."""
        if self.state.upcard >= 0:
            yield f"The upcard is {_format_card(self.state.upcard)}"
        else:
            yield "Before the first turn"
        for decision in decisions:
            if decision.slot in DIE_SLOTS:
                yield from self._format_offer(decision)
                continue
            hand = self._format_hand(int(decision.view.hand))
            choice = _format_upcard_decision(decision)
            yield from wrap_line(f"  {self._get_player_name(decision.seat)} holds {hand}: {choice}")

    def _format_turn(self, decisions: list[Decision]) -> Iterator[str]:
        """Yield the lines that describe one turn of the deal.

        A forced draw is read from the view of the next decision.
        """
        seat = decisions[0].seat
        own_decisions = [own_decision for own_decision in decisions if own_decision.seat == seat]
        yield from self._format_known_cards(seat, own_decisions[0].view)
        for decision in decisions:
            if decision.slot in DIE_SLOTS:
                yield from self._format_offer(decision)
        for decision in own_decisions:
            if decision.slot == "take" and decision.action != codes.ACTION_TAKE:
                yield f"  {_format_declined_discard(decision)}"
        yield from self._format_draw(own_decisions[-1].view)
        for decision in own_decisions:
            if decision.slot not in ("take", *DIE_SLOTS):
                yield from format_decision_lines(decision)

    def _format_known_cards(self, seat: int, view: Any) -> Iterator[str]:
        """Yield the lines that describe the stock, the hand and the opponent's known cards."""
        stock = int(view.stock) + (view.drawn >= 0)
        yield from wrap_line(
            f"Turn {view.turn}, {self._get_player_name(seat)}, {stock} cards in the stock"
        )
        if known_cards := format_hand(int(view.known)):
            yield from wrap_line(f"  knows that {self.names[1 - seat]} holds {known_cards}")
        hand = int(view.hand)
        for card in (view.drawn, view.taken):
            if card >= 0:
                hand &= ~(1 << int(card))
        yield f"  holds {self._format_hand(hand)}"

    def _format_draw(self, view: Any) -> Iterator[str]:
        """Yield the line that describes the card taken or drawn, given the last view of a turn.

        A draw that ends the deal follows the last decision, so only the state contains the drawn
        card.
        """
        drawn_card = view.drawn
        if view.turns == self.state.turns and not self.traced.error:
            drawn_card = self.state.drawn
        if view.taken >= 0:
            yield f"  takes {_format_card(view.taken)}"
        elif drawn_card >= 0:
            yield f"  draws {_format_card(drawn_card)}"

    def _format_final_draw(self) -> Iterator[str]:
        """Yield the line that describes the last draw if the draw itself ends the deal."""
        state = self.state
        if self.traced.error or state.drawn < 0 or state.knocker >= 0:
            return
        for last_decision in self.traced.decisions[-1:]:
            if last_decision.view.turns == state.turns:
                return
            yield ""
            yield f"Turn {state.turns + 1}, {self._get_player_name(1 - last_decision.seat)}"
            yield f"  draws {_format_card(state.drawn)}"

    def _format_last_discard(self, decisions: list[Decision]) -> Iterator[str]:
        """Yield the lines that describe the decision about the last discard (50th-card rule)."""
        first_decision = decisions[0]
        view = first_decision.view
        yield from wrap_line(f"The last discard, {self._get_player_name(first_decision.seat)}")
        yield f"  holds {self._format_hand(int(view.hand))}"
        yield f"  can take {_format_card(view.taken_offer)} to end the deal"
        for decision in decisions:
            yield from format_decision_lines(decision)

    # End of the deal

    def _format_result(self) -> Iterator[str]:
        """Yield the lines that describe the end of the deal and the points."""
        if self.state.knocker < 0:
            yield from self._format_ending_without_knock()
        else:
            yield from self._format_showdown()
        if self.rules.die != DIE_OFF and self.traced.ending != "refused":
            yield f"The die shows {self.state.stake}"
        if self.traced.ending != "refused" or not self.has_person:
            yield from wrap_line(self.format_points())
        if self.traced.matchup.unit == "match":
            yield from self.iter_match_lines()

    def format_points(self) -> str:
        """Format the points of both sides, with the deadwood and bonuses that they consist of."""
        name_a, name_b = self.names
        points = f"Points: {name_a} {self.state.score[0]}, {name_b} {self.state.score[1]}"
        terms = _format_terms(self._list_point_terms())
        if self.state.multiplier > 1 and terms:
            terms += ", doubled for the spade upcard"
        return f"{points} ({terms})" if " " in terms else points

    def _list_point_terms(self) -> list[tuple[int, str]]:
        """Return the terms that add up to the winner's points before doubling, each with a reason.

        The first term, which is the deadwood that counts, has no reason. The points that no bonus
        accounts for are the premium for the stock.
        """
        state, ending = self.state, self.traced.ending
        is_showdown = state.knocker >= 0 and self.params["deal_scoring"] in ("versus", "joker")
        if not is_showdown or state.winner < 0:
            return []
        counts_own_deadwood = ending != "shot" or self.rules.shot_deducts
        deadwood = int(state.defender_deadwood - counts_own_deadwood * state.knocker_deadwood)
        deadwood = -deadwood if ending == "undercut" else deadwood
        bonus_name, reason = BONUS_BY_ENDING.get(ending, ("", ""))
        bonus = int(getattr(self.rules, bonus_name, 0))
        premium = int(state.score[state.winner]) // int(state.multiplier) - deadwood - bonus
        return [(deadwood, ""), (bonus, reason), (premium, "for the cards left in the stock")]

    def iter_match_lines(self) -> Iterator[str]:
        """Yield the lines that describe the score and, for a finished match, the winner."""
        state_after, outcome = copy_state_after_deal(self.state, self.rules)
        scores = self._format_scores(state_after)
        if scores:
            yield from wrap_line(scores if self.has_person else f"Match: {scores}")
        if outcome in UNDECIDED_MATCH_TEXTS:
            yield from wrap_line(UNDECIDED_MATCH_TEXTS[outcome])
        elif outcome != MATCH_UNDECIDED:
            yield from self._format_settlement(state_after, outcome)
            yield from wrap_line(self._format_winner(outcome))

    def _format_scores(self, state: Any) -> str:
        """Format the match score of each side that has a score."""
        separator = ": " if self.has_person else ", "
        return format_scores(state, self.traced.matchup, dict(enumerate(self.names)), separator)

    def _format_settlement(self, state: Any, winner: int) -> Iterator[str]:
        """Yield the line that describes the settlement if a match has bonuses."""
        rules = self.rules
        has_bonus = rules.game_bonus or rules.box_bonus or rules.shutout
        if not has_bonus or not match.has_settlement(rules, winner):
            return
        sign = 1 if winner == 0 else -1
        settlement = sign * int(match.compute_settlement(state, rules, winner))
        terms = _format_terms(self._list_settlement_terms(state, winner, settlement))
        subject = self._format_subject(winner, "receives")
        yield from wrap_line(f"Settlement: {subject} {settlement} points ({terms})")

    def _list_settlement_terms(
        self, state: Any, winner: int, settlement: int
    ) -> list[tuple[int, str]]:
        """Return the terms that add up to a settlement, each with a reason.

        The points that the lead and the bonuses do not account for are the bonus for a shut-out.
        """
        if self.goal.score_unit != "points":
            return [(settlement, "over all columns")]
        lead = int(state.points[winner] - state.points[1 - winner])
        boxes = int(self.rules.box_bonus * (state.deals_won[winner] - state.deals_won[1 - winner]))
        game_bonus = int(self.rules.game_bonus)
        return [
            (lead, "for the lead"),
            (game_bonus, "for the game"),
            (boxes, "for won deals"),
            (settlement - lead - game_bonus - boxes, "for the shut-out"),
        ]

    def _format_winner(self, seat: int) -> str:
        name = self.names[seat]
        return f"{name} {conjugate('wins', name)} the match"

    def _format_ending_without_knock(self) -> Iterator[str]:
        """Yield the lines that describe the end of a deal without a knock or gin."""
        if self.traced.ending == "stalled":
            yield f"Stalled after {self.state.turns} turns"
        elif self.traced.ending == "refused" and self.has_person:
            yield from wrap_line(self.describe_refusal())
        elif self.traced.ending == "refused":
            yield "Refused"
            winner = self._get_player_name(int(self.state.winner))
            yield from wrap_line(f"  {winner} gets {self._format_payment()}")
        else:
            yield f"Dead hand with {self.state.stock} cards left in the stock"

    def describe_refusal(self) -> str:
        """Return sentences that state who declined an offer of the die, and the payment."""
        winner = int(self.state.winner)
        names = [
            "You" if spec == PERSON_NAME else self.names[seat]
            for seat, spec in enumerate(self.specs)
        ]
        offerer, decliner = names[winner], names[1 - winner]
        owner = "your" if offerer == "You" else f"{offerer}'s"
        payment = self._format_payment().replace("won ", "")
        return (
            f"{decliner} declined {owner} offer. {offerer} {conjugate('wins', offerer)} {payment}."
        )

    def _format_payment(self) -> str:
        """Return the payment for a declined offer, such as `1 won deal`."""
        payment = int(self.state.pays)
        return f"{payment} {self.goal.payment_unit}{'s' if payment > 1 else ''}"

    @property
    def ending_heading(self) -> str:
        """Heading that states how the deal ended."""
        ending = DEAL_RESULTS[int(self.state.kind)]
        return "Dead hand" if ending == "void" else ending.replace("_", " ").capitalize()

    def _format_showdown(self) -> Iterator[str]:
        """Yield the lines that describe the hands of the knocker and the defender."""
        state = self.state
        knocker = int(state.knocker)
        defender = 1 - knocker
        melded_hand = format_melded_hand(sort_melds(state.melds), int(state.hand[knocker]))
        laid_off, melds = self.find_defender_layoffs()
        held_cards = format_melded_hand(melds, int(state.hand[defender]) & ~laid_off)
        yield self.ending_heading
        yield from wrap_line(
            f"  {self._format_subject(knocker, 'shows')} {melded_hand}, "
            f"count {state.knocker_deadwood}"
        )
        yield from wrap_line(
            f"  {self._format_subject(defender, 'has')} {held_cards}, "
            f"count {state.defender_deadwood}"
        )
        if laid_off:
            yield f"    laid off {format_hand(laid_off)}, count before: {state.defender_before}"

    def find_defender_layoffs(self) -> tuple[int, Melding]:
        """Return the cards that the defender laid off, and the melding of the remaining cards."""
        hand = int(self.state.hand[1 - int(self.state.knocker)])
        laid_off = 0
        if self.state.laid_off:
            options = np.zeros((3, layoff.MAX_LAYOFF_OPTIONS), np.int64)
            chains = np.zeros((2, 16), np.int64)
            _, laid_off = layoff.lay_off(hand, self.state.melds, self.rules, options, chains)
        return int(laid_off), find_best_meldings(hand & ~int(laid_off), self.rules, DEFENDER)[0]


# Solitaire games against the joker or a limit on draws


class SoloReplay(Replay):
    """Transcript of a traced solitaire deal."""

    def _sort_names_by_seat(self, names: Sequence[str]) -> tuple[str, str]:
        return names[0], JOKER_NAME

    def _get_player_name(self, seat: int) -> str:
        return self.names[seat]

    @property
    def has_joker(self) -> bool:
        """True if the deck contains a joker."""
        return bool(self.rules.joker != JOKER_NONE)

    @property
    def deck_size(self) -> int:
        """Number of cards in the deck after the hand has been dealt, including the joker."""
        hand_size = 11 if self.rules.first_turn == FIRST_TURN_DISCARD else 10
        return 52 - hand_size + self.has_joker

    # Events before the first turn

    def _format_deal_start(self) -> Iterator[str]:
        limit = self.state.limit
        deal_terms = f"Knock limit {limit}" if limit else "Gin only"
        deal_terms += f", deck of {self.deck_size} cards"
        if self.has_joker and self.state.above >= 0:
            deal_terms += " including the joker"
        if self.rules.max_draws >= 0:
            deal_terms += f", at most {self.rules.max_draws} draws"
        yield deal_terms
        yield ""
        yield from wrap_line(self._format_scores(self.state) or self.names[PLAYER_SEAT])
        yield f"  is dealt {self._format_hand(self.traced.hands[PLAYER_SEAT])}"

    # Turns

    def _make_turn_key(self, decision: Decision) -> tuple[int, int]:
        """Return the key by which the transcript groups decisions: the turn.

        The decision to stop after a turn belongs to that turn. The decision before the first draw
        forms a separate group.
        """
        return int(decision.view.turns) - int(decision.view.phase == codes.PHASE_STOP), 0

    def _format_turn(self, decisions: list[Decision]) -> Iterator[str]:
        view = decisions[0].view
        if view.phase == codes.PHASE_STOP:
            yield "Before the first draw"
        else:
            yield from self._format_hand_and_draw(view)
        for decision in decisions:
            yield from format_decision_lines(decision)

    def _format_hand_and_draw(self, view: Any) -> Iterator[str]:
        """Yield the lines that describe the hand at the start of a turn and the drawn card."""
        drawn_card = int(view.drawn)
        hand = int(view.hand)
        if drawn_card >= 0:
            hand &= ~(1 << drawn_card)
        yield f"Turn {view.turn}"
        yield f"  holds {self._format_hand(hand)}"
        if drawn_card >= 0:
            yield f"  draws {format_card(drawn_card)}, {view.deck_left} left in the deck"

    def _format_final_draw(self) -> Iterator[str]:
        yield from ()

    # End of the deal

    def _format_ending_without_knock(self) -> Iterator[str]:
        """Yield the lines for a deal ended by the joker, the last draw or the turn limit."""
        state = self.state
        draws = state.draws[PLAYER_SEAT]
        is_stalled = self.traced.ending == "stalled"
        if is_stalled:
            yield f"Stalled after {state.turns} turns"
        elif self.traced.ending == "limit":
            yield f"Limit: all {draws} draws have been used"
        elif state.above < 0:
            yield "Joker: dealt with the hand"
        else:
            yield f"Joker: card {draws + 1} of the {self.deck_size} in the deck"
        hand = self._format_hand(int(state.hand[PLAYER_SEAT]))
        yield from wrap_line(f"  {self._format_subject(PLAYER_SEAT, 'holds')} {hand}")
        if is_stalled and self.has_joker:
            yield f"  {self.describe_joker_position()}"

    def _format_showdown(self) -> Iterator[str]:
        state = self.state
        melded_hand = format_melded_hand(sort_melds(state.melds), int(state.hand[PLAYER_SEAT]))
        yield self.ending_heading
        deadwood_points = state.knocker_deadwood
        yield from wrap_line(
            f"  {self._format_subject(PLAYER_SEAT, 'shows')} {melded_hand}, count {deadwood_points}"
        )
        if self.has_joker:
            yield f"  {self.describe_joker_position()}"

    def describe_joker_position(self) -> str:
        """Describe how many cards are above the joker and, after a knock, the joker's count."""
        n_cards_above = int(self.state.above)
        position_text = (
            "1 card is above the joker"
            if n_cards_above == 1
            else f"{n_cards_above} cards are above the joker"
        )
        if self.params["deal_scoring"] == "joker" and self.state.knocker >= 0:
            position_text += f", so the joker's count is {self.state.defender_deadwood}"
        return position_text

    def format_points(self) -> str:
        """Format the points of both sides, or the penalty."""
        if self.params["deal_scoring"] == "penalty":
            return f"Penalty: {self.names[PLAYER_SEAT]} {self.state.score[PLAYER_SEAT]}"
        return super().format_points()

    def _format_winner(self, seat: int) -> str:
        if not self.goal.low_total_wins:
            is_joker = seat != PLAYER_SEAT
            return "The joker wins the match" if is_joker else super()._format_winner(seat)
        result = "won" if seat == PLAYER_SEAT else "lost"
        won_by = self.goal.win_condition.format(**self.params)
        return f"The match is {result}: the goal was {won_by}"


def make_replay(traced_deal: TracedDeal) -> Replay:
    """Return the transcript of a traced deal of one or two players."""
    return SoloReplay(traced_deal) if traced_deal.matchup.b is None else Replay(traced_deal)


# Phrases that describe a decision after the name of the player


def _format_upcard_decision(decision: Decision) -> str:
    """Return the phrase that describes a decision about the first upcard."""
    if decision.action is None:
        return NO_ACTION_TEXT
    if decision.action == codes.ACTION_TAKE:
        return "takes it"
    view = decision.view
    must_pass = view.phase == codes.PHASE_UPCARD and not view.legal & 1 << codes.ACTION_PASS
    if decision.action == codes.ACTION_PASS or must_pass:
        return "passes"
    return "draws from the stock"


def _format_card(card: Any) -> str:
    return format_card(int(card))


def _format_declined_discard(decision: Decision) -> str:
    """Return the phrase that describes the top discard if the player declined it."""
    card = _format_card(decision.view.taken_offer)
    if decision.action is None:
        return f"can take {card}, but {NO_ACTION_TEXT}"
    return f"declines {card}"


def _format_melding_choice(decision: Decision) -> str:
    """Return the phrase that describes which melding a player chose to show."""
    view = decision.view
    n_meldings = (int(view.legal) & (1 << MAX_MELDINGS) - 1).bit_count()
    if decision.action is None:
        return f"can show {n_meldings} meldings, but {NO_ACTION_TEXT}"
    melded_hand = format_melded_hand(sort_melds(view.meldings[decision.action]), int(view.hand))
    return f"shows melding {decision.action} of 0..{n_meldings - 1}: {melded_hand}"


def _format_draw_decision(decision: Decision) -> str:
    """Return the phrase that describes a draw from the pile, a draw from the stock or a pass."""
    if decision.action != codes.ACTION_TAKE:
        return _format_upcard_decision(decision)
    return f"takes {_format_card(decision.view.taken_offer)}"


def format_decision(decision: Decision) -> str:
    """Return the phrase that describes a decision, as in `discards KS`."""
    view, action = decision.view, decision.action
    match decision.slot:
        case "take":
            return _format_draw_decision(decision)
        case "discard":
            return NO_ACTION_TEXT if action is None else f"discards {format_card(action)}"
        case "show":
            return _format_melding_choice(decision)
        case "offer":
            prompt, accept_text = f"can offer more than {view.stake}", f"offers {action}"
            decline_text = f"leaves the die at {view.stake}"
        case "answer":
            prompt = f"is offered {view.offered}"
            accept_text = f"accepts {view.offered} and owns the die"
            decline_text = f"refuses {view.offered}"
        case _:
            infinitive, accept_text = _format_ending(view)
            prompt = f"can {infinitive}"
            decline_text = f"can {infinitive}, but plays on"
    if action is None:
        return f"{prompt}, but {NO_ACTION_TEXT}"
    return accept_text if action else decline_text


def _format_ending(view: Any) -> tuple[str, str]:
    """Return two verb phrases for an ending, such as `knock with 4` and `knocks with 4`."""
    gin_or_knock = ("knock", "knocks") if view.ending_count else ("go gin", "goes gin")
    infinitive, verb = ENDING_PHRASES.get(int(view.ending), gin_or_knock)
    count_phrase = f" with {view.ending_count}" if view.ending_count else ""
    if view.ending_card >= 0:
        count_phrase += f", discarding {_format_card(view.ending_card)}"
    return infinitive + count_phrase, verb + count_phrase


def format_decision_lines(decision: Decision) -> list[str]:
    """Return the output lines that describe a decision within a turn."""
    return wrap_line(f"  {format_decision(decision)}")


def wrap_line(line: str) -> list[str]:
    """Wrap a line at 80 columns, and indent the continuation lines further."""
    indent = len(line) - len(line.lstrip()) + 2
    return textwrap.wrap(line, LINE_WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)


# Terms of a sum, and score of a match


def _format_terms(terms: Sequence[tuple[int, str]]) -> str:
    """Format the terms of a sum, as in `32 + 24 for the cards left in the stock`."""
    term_texts = [f"{number} {reason}".rstrip() for number, reason in terms[:1]]
    for number, reason in terms[1:]:
        if number:
            term_texts.append(f"{'+' if number > 0 else '-'} {abs(number)} {reason}")
    return " ".join(term_texts)


def format_score(state: Any, params: Mapping[str, Any], seat: int) -> str:
    """Format the match score of a seat."""
    side = find_match_goal(params).get_side_goal(params, seat)
    results = {-1: "", seat: " (won)", 1 - seat: " (lost)"}
    columns = [
        f"{state.column_points[seat, column]}{results[int(state.column_winner[column])]}"
        for column in range(_count_hollywood_columns(params))
    ]
    score = side.score_format.format(
        score=state.points[seat],
        deals=state.deals_won[seat],
        games=state.games[seat],
        by_column=", ".join(columns),
        **params,
    )
    return SCORE_PROGRESS_PATTERN.sub(_describe_progress, score)


def _describe_progress(progress: re.Match[str]) -> str:
    """Replace a score that exceeds its target, such as `8 of 7`, with `8 (7 needed)`."""
    number, target, unit = progress.groups("")
    is_exceeded = int(number) > int(target)
    return f"{number}{unit} ({target} needed)" if is_exceeded else progress[0]


def format_scores(
    state: Any, matchup: Matchup, names: Mapping[int, str], separator: str = ": "
) -> str:
    """Format the score of each side that has a score, as in `you: score 0; joker: score 29`.

    Args:
        state: State of the match.
        matchup: Matchup of one or two players.
        names: Names by seat, in the order of the text.
        separator: Text between a name and its score.
    """
    params = matchup.variant.params
    return "; ".join(
        f"{name}{separator}{format_score(state, params, seat)}"
        for seat, name in names.items()
        if has_score(matchup, seat)
    )


def has_score(matchup: Matchup, seat: int) -> bool:
    """Return True if a seat has a match score.

    A match of a single deal has no score. The joker has a score only in matches for points.
    """
    goal = matchup.variant.goal
    has_two_sides = matchup.b is not None or goal.score_unit == "points"
    return not goal.is_one_deal and (has_two_sides or seat == PLAYER_SEAT)


def _count_hollywood_columns(params: Mapping[str, Any]) -> int:
    """Return the number of Hollywood columns, or 0 if the match goal has no columns."""
    if load_rule_parameters()["columns"].has_effect(params):
        return int(params["columns"])
    return 0


def score_to_json(state: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the match score of each seat as a JSON object.

    `columns` is None for goals without columns.
    """
    n_columns = _count_hollywood_columns(params)
    return {
        "points": state.points.tolist(),
        "won_deals": state.deals_won.tolist(),
        "games": state.games.tolist(),
        "columns": state.column_points[:2, :n_columns].tolist() if n_columns else None,
    }


def copy_state_after_deal(state: Any, rules: Any) -> tuple[Any, int]:
    """Return a copy of the engine state in which the finished deal counts in the match score.

    Returns:
        New state, and outcome of the match (see `core.match`).
    """
    state_after = state.copy()
    return state_after, int(match.apply_deal_result(state_after, rules, int(state.deal) + 1))
