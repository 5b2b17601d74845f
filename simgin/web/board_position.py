"""Position on the analysis board, read from query parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from simgin.analysis.analysis import DEFAULT_WORLDS, MAX_WORLDS, AnalysisBudget
from simgin.analysis.analysis_request import AnalysisRequest
from simgin.analysis.position import Position, PositionError
from simgin.analysis.position_parts import NO_DIE, Die, parse_pile, parse_score_pair
from simgin.analysis.position_text import UNSEEN_HAND_WORD
from simgin.rules.variants import Variant
from simgin.strategy.cast import find_strong_player
from simgin.text.amounts import parse_count
from simgin.text.messages import SimginError, quote_text
from simgin.text.notation import cards_to_mask, format_card, format_hand, parse_cards, split_cards
from simgin.text.shell import join_command
from simgin.web.pages import Form
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant, parse_seed_field

DEFAULT_SEED = 1
MAX_CARD_LIST_LENGTH = 1000  # maximum length of a list of cards, in characters
HAND_SIZE_BY_MOVE = {"draw": 10, "discard": 11}
DEALER_OPTION_VALUES = {"": None, "me": "me", "opponent": "other"}  # values of the option --dealer
# values of the option --owner
OWNER_OPTION_VALUES = {"nobody": "nobody", "me": "me", "opponent": "other"}
# number that the opponent offers, by decision about the die
OFFERED_NUMBER_BY_DECISION = {"": 0, "offer": 0} | {str(number): number for number in range(2, 8)}
# fields that can contradict the cards
OPTIONAL_FIELDS = ("score", "dealer", "stock")


@dataclass(frozen=True)
class BoardPosition:
    """Position that a user enters on the analysis board, possibly incomplete.

    Attributes:
        variant: Rules.
        hand_cards: Cards of the hand. The card that was drawn last comes last.
        next_move: `draw` or `discard`.
        pile: Discard pile in the format of `simgin analyze --pile`.
        known_opponent_cards: Cards that the opponent took and still holds.
        score: Match score, or None for a single deal.
        dealer: `me`, `other`, or None to infer the dealer from the pile.
        stock: Number of cards in the stock, or None to infer it from the pile.
        die: State of the die.
        is_blind: True if the player has not seen the cards.
        strategy: Spec of the strategy that plays the rest of each deal for the player.
        opponent: Spec of the strategy that plays the rest of each deal for the opponent, or empty
            in solitaire games.
        max_worlds: Maximum number of simulations.
        seed: Seed of the simulations.
    """

    variant: Variant
    hand_cards: list[int]
    next_move: str
    pile: str
    known_opponent_cards: list[int]
    score: str | None
    dealer: str | None
    stock: int | None
    die: Die
    is_blind: bool
    strategy: str
    opponent: str
    max_worlds: int
    seed: int

    @classmethod
    def read(cls, form: Form, extra_specs: tuple[str, ...]) -> BoardPosition:
        """Read a position from the form of the analysis board."""
        variant = form.read("variant", find_allowed_variant, "standard")
        cards = form.read("hand", _parse_cards, "")
        die_state = NO_DIE if variant.params["die"] == "off" else _read_die(form)
        is_draw = die_state.is_die_decision or len(cards) == HAND_SIZE_BY_MOVE["draw"]
        to_move = form.read_choice("to_move", HAND_SIZE_BY_MOVE, "draw" if is_draw else "discard")

        def read_strategy_field(field_name: str) -> str:
            default_spec = find_strong_player(variant)
            return form.read(
                field_name, lambda spec: find_allowed_strategy(spec, extra_specs), default_spec
            ).spec

        return cls(
            variant=variant,
            hand_cards=cards,
            next_move="draw" if die_state.is_die_decision else to_move,
            pile=form.read("pile", _parse_pile, ""),
            known_opponent_cards=form.read("known", _parse_cards, ""),
            score=form.read("score", _parse_score, ""),
            dealer=DEALER_OPTION_VALUES[form.read_choice("dealer", DEALER_OPTION_VALUES, "")],
            stock=form.read("stock", _parse_stock, ""),
            die=die_state,
            is_blind=die_state != NO_DIE and form.values.get("blind") == "yes",
            strategy=read_strategy_field("strategy"),
            opponent="" if variant.is_solo else read_strategy_field("opponent"),
            max_worlds=form.read("worlds", _parse_worlds, str(DEFAULT_WORLDS)),
            seed=form.read("seed", parse_seed_field, str(DEFAULT_SEED)),
        )

    @property
    def is_complete(self) -> bool:
        """True if the hand and the pile contain enough cards for an analysis."""
        n_cards = len(self.hand_cards)
        # Before the draw, the player can take the top card of the pile.
        needs_pile = n_cards == HAND_SIZE_BY_MOVE["draw"] and not self.variant.is_solo
        is_ready = n_cards >= HAND_SIZE_BY_MOVE[self.next_move] and bool(
            self.pile or not needs_pile
        )
        return self.is_blind or is_ready

    @property
    def _hand_text(self) -> str:
        return UNSEEN_HAND_WORD if self.is_blind else " ".join(map(format_card, self.hand_cards))

    @property
    def command(self) -> str:
        """Command that analyses the position on the board."""
        options = {
            "--variant": self.variant.spec,
            "--pile": None if self.is_blind else self.pile or None,
            "--stock": self.stock,
            "--stake": self.die.stake if self.die.stake > 1 else None,
            "--owner": self.die.owner if self.die.stake > 1 else None,
            "--offered": self.die.offered_stake or None,
            "--dealer": self.dealer,
            "--score": self.score,
            "--as": self.strategy,
            "--against": self.opponent or None,
            "--worlds": self.max_worlds,
            "--seed": self.seed,
        }
        arguments = ["simgin", "analyze", *self._hand_text.split()]
        arguments += ["--offer"] * self.die.is_offering
        for name, value in options.items():
            arguments += [] if value is None else [name, str(value)]
        return join_command(arguments)

    def make_request(self, form: Form) -> AnalysisRequest | None:
        """Return the analysis request, or None if the position is incomplete or impossible.

        If the position is impossible, an error message is added to the form.
        """
        is_supported = self.variant.goal.other_side_goal is None
        if form.errors or (is_supported and not self.is_complete):
            return None
        try:
            request = self._build_request()
        except SimginError as error:
            form.add_error(self._find_wrong_field(), error)
            return None
        assert isinstance(request.position_or_deal, Position), "the board has a position"
        cards = cards_to_mask(self.known_opponent_cards) & ~int(request.position_or_deal.view.known)
        if cards:
            form.errors["known"] = (
                f"The pile does not show that the opponent holds {format_hand(cards)}. "
                "Add each taken card with a * to the pile, followed by the opponent's discard."
            )
            return None
        return request

    def _build_request(self) -> AnalysisRequest:
        """Return the analysis request, or raise SimginError if the position is impossible."""
        n_cards = len(self.hand_cards)
        if (
            not self.variant.is_solo
            and not self.is_blind
            and self.next_move == "draw"
            and n_cards > 10
        ):
            raise PositionError(
                f"before the draw, a hand has ten cards, not {n_cards}. Remove a card, or choose "
                "the discard."
            )
        return AnalysisRequest.read(
            self._hand_text,
            "" if self.is_blind else self.pile,
            self.variant,
            AnalysisBudget(self.max_worlds, seed=self.seed),
            score=self.score,
            dealer=self.dealer,
            stock=self.stock,
            die=self.die,
            strategy=self.strategy,
            opponent=self.opponent or None,
        )

    def _find_wrong_field(self) -> str:
        """Return the name of the form field that makes the position impossible."""
        if self.variant.goal.other_side_goal is not None:
            return "variant"
        if any(self.die.find_errors(self.variant, self.is_blind)):
            return "die"
        for name in OPTIONAL_FIELDS:
            if getattr(self, name) is None:
                continue
            replacement: dict[str, Any] = {name: None}
            try:
                replace(self, **replacement)._build_request()
            except SimginError:
                continue
            return name
        return "pile" if len(self.hand_cards) == HAND_SIZE_BY_MOVE[self.next_move] else "hand"


def _check_card_list_length(text: str) -> str:
    """Return a list of cards unchanged, or raise PositionError if the string is too long."""
    if len(text) > MAX_CARD_LIST_LENGTH:
        raise PositionError(f"{quote_text(text)} is too long. Enter at most 52 cards.")
    return text


def _parse_cards(text: str) -> list[int]:
    """Parse a list of cards, which can be empty."""
    return parse_cards(_check_card_list_length(text)) if text.strip() else []


def _parse_pile(text: str) -> str:
    parse_pile(_check_card_list_length(text))
    return " ".join(split_cards(text))


def _read_die(form: Form) -> Die:
    """Read the state of the die, and the player's decision about it, from a form."""
    stake = form.read("stake", _parse_integer, "1")
    owner = OWNER_OPTION_VALUES[form.read_choice("owner", OWNER_OPTION_VALUES, "nobody")]
    decision = form.read_choice("die", OFFERED_NUMBER_BY_DECISION, "")
    return Die(stake, owner, decision == "offer", OFFERED_NUMBER_BY_DECISION[decision])


def _parse_score(text: str) -> str | None:
    return "-".join(map(str, parse_score_pair(text))) if text else None


def _parse_stock(text: str) -> int | None:
    return _parse_integer(text) if text else None


def _parse_integer(text: str) -> int:
    """Parse an integer of at most 20 digits, or raise PositionError."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 20):
        raise PositionError(f"{quote_text(text)} is not a whole number. Use a number such as 1.")
    return int(text)


def _parse_worlds(text: str) -> int:
    """Parse a number of simulations, or raise PositionError if it is too large."""
    worlds = parse_count(text)
    if worlds > MAX_WORLDS:
        raise PositionError(
            f"{worlds:,} worlds do not fit into memory. Use at most {MAX_WORLDS:,} worlds."
        )
    return worlds
