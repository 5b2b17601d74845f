"""Position on the board of the page Analyse, read from the fields in its address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from simgin.analysis.analysis import DEFAULT_WORLDS, MAX_WORLDS, Budget
from simgin.analysis.analysis_request import AnalysisRequest
from simgin.analysis.position import Position, PositionError
from simgin.analysis.position_parts import NO_DIE, Die, parse_pile, parse_score_pair
from simgin.analysis.position_text import BLIND_WORD
from simgin.rules.variants import Variant
from simgin.strategy.cast import strong_player
from simgin.text.amounts import parse_count
from simgin.text.messages import SimginError, quote_text
from simgin.text.notation import cards_to_mask, format_card, format_hand, parse_cards, split_cards
from simgin.text.shell import join_command
from simgin.web.names import read_seed, read_strategy_name, read_variant_name
from simgin.web.pages import Form, choose_value

DEFAULT_SEED = 1
MAX_TEXT_LENGTH = 1000  # characters in a list of cards
HAND_SIZES = {"draw": 10, "discard": 11}
DEALERS = {"": None, "me": "me", "opponent": "other"}  # values of --dealer
OWNERS = {"nobody": "nobody", "me": "me", "opponent": "other"}  # values of --owner
# Numbers that the opponent offers, by decision about the die
DIE_DECISIONS = {"": 0, "offer": 0} | {str(number): number for number in range(2, 8)}
# Fields that can contradict the cards
OPTIONAL_FIELDS = ("score", "dealer", "stock")


@dataclass(frozen=True)
class BoardPosition:
    """Position on the analysis board, in which cards can be missing.

    Attributes:
        variant: Rules.
        cards: Cards of the hand; the card drawn last is the last one.
        to_move: `draw` or `discard`.
        pile: Discard pile as in `simgin analyze --pile`.
        known: Cards that the opponent took and still holds.
        score: Match score, or None for a single deal.
        dealer: `me`, `other`, or None to infer the dealer from the pile.
        stock: Number of cards in the stock, or None to infer it from the pile.
        die: State of the die.
        is_blind: True if the player has not seen the cards.
        strategy: Spec of the strategy that continues for the player.
        opponent: Spec of the strategy that continues for the opponent; empty in solitaire games.
        worlds: Maximum number of worlds.
        seed: Seed of the worlds.
    """

    variant: Variant
    cards: list[int]
    to_move: str
    pile: str
    known: list[int]
    score: str | None
    dealer: str | None
    stock: int | None
    die: Die
    is_blind: bool
    strategy: str
    opponent: str
    worlds: int
    seed: int

    @classmethod
    def read(cls, form: Form, given: tuple[str, ...]) -> BoardPosition:
        """Read the fields of the board's form."""
        variant = form.read("variant", read_variant_name, "standard")
        cards = form.read("hand", _read_cards, "")
        die = NO_DIE if variant.params["die"] == "off" else _read_die(form)
        is_draw = die.is_decision or len(cards) == HAND_SIZES["draw"]
        move = form.read("to_move", _read_move, "draw" if is_draw else "discard")

        def read_player(name: str) -> str:
            best = strong_player(variant)
            return form.read(name, lambda spec: read_strategy_name(spec, given), best).spec

        return cls(
            variant=variant,
            cards=cards,
            to_move="draw" if die.is_decision else move,
            pile=form.read("pile", _read_pile, ""),
            known=form.read("known", _read_cards, ""),
            score=form.read("score", _read_score, ""),
            dealer=form.read("dealer", lambda text: choose_value("dealer", text, DEALERS), ""),
            stock=form.read("stock", _read_stock, ""),
            die=die,
            is_blind=die != NO_DIE and form.values.get("blind") == "yes",
            strategy=read_player("strategy"),
            opponent="" if variant.params["players"] == 1 else read_player("opponent"),
            worlds=form.read("worlds", _read_worlds, str(DEFAULT_WORLDS)),
            seed=form.read("seed", read_seed, str(DEFAULT_SEED)),
        )

    @property
    def is_complete(self) -> bool:
        """True if the hand and the pile have enough cards for an analysis."""
        n = len(self.cards)
        # Before the draw, the top card of the pile is offered.
        needs_pile = n == HAND_SIZES["draw"] and not self.is_solo
        is_ready = n >= HAND_SIZES[self.to_move] and bool(self.pile or not needs_pile)
        return self.is_blind or is_ready

    @property
    def is_solo(self) -> bool:
        """True if the game is a solitaire game."""
        return self.variant.params["players"] == 1

    @property
    def _hand(self) -> str:
        return BLIND_WORD if self.is_blind else " ".join(map(format_card, self.cards))

    @property
    def command(self) -> str:
        """Command that analyses the same position as the page."""
        options = {
            "--variant": self.variant.spec,
            "--pile": None if self.is_blind else self.pile or None,
            "--stock": self.stock,
            "--stake": self.die.stake if self.die.stake > 1 else None,
            "--owner": self.die.owner if self.die.stake > 1 else None,
            "--offered": self.die.offered or None,
            "--dealer": self.dealer,
            "--score": self.score,
            "--as": self.strategy,
            "--against": self.opponent or None,
            "--worlds": self.worlds,
            "--seed": self.seed,
        }
        words = ["simgin", "analyze", *self._hand.split()]
        words += ["--offer"] * self.die.is_offering
        for name, value in options.items():
            words += [] if value is None else [name, str(value)]
        return join_command(words)

    def find_request(self, form: Form) -> AnalysisRequest | None:
        """Return the request for the analysis, or None if the position is not ready.

        If the position is impossible, the form receives an error message.
        """
        is_supported = self.variant.goal.other is None
        if form.errors or (is_supported and not self.is_complete):
            return None
        try:
            request = self._to_request()
        except SimginError as error:
            form.errors[self._find_wrong_field()] = _without_options(str(error))
            return None
        assert isinstance(request.source, Position), "the board has a position"
        unexplained = cards_to_mask(self.known) & ~int(request.source.view.known)
        if unexplained:
            form.errors["known"] = (
                f"The pile does not show that the opponent holds {format_hand(unexplained)}. Add "
                "each taken card with a * to the pile, followed by the opponent's discard."
            )
            return None
        return request

    def _to_request(self) -> AnalysisRequest:
        """Return the request, or raise SimginError if the position is impossible."""
        n = len(self.cards)
        if not self.is_solo and not self.is_blind and self.to_move == "draw" and n > 10:
            raise PositionError(
                f"before the draw, a hand has ten cards, not {n}. Remove a card, or choose the "
                "discard."
            )
        return AnalysisRequest.read(
            self._hand,
            "" if self.is_blind else self.pile,
            self.variant,
            Budget(self.worlds, seed=self.seed),
            score=self.score,
            dealer=self.dealer,
            stock=self.stock,
            die=self.die,
            strategy=self.strategy,
            opponent=self.opponent or None,
        )

    def _find_wrong_field(self) -> str:
        """Return the field whose removal makes the position possible, else the pile or the hand."""
        if self.variant.goal.other is not None:
            return "variant"
        if any(self.die.find_errors(self.variant, self.is_blind)):
            return "die"
        for name in OPTIONAL_FIELDS:
            if getattr(self, name) is None:
                continue
            without: dict[str, Any] = {name: None}
            try:
                replace(self, **without)._to_request()
            except SimginError:
                continue
            return name
        return "pile" if len(self.cards) == HAND_SIZES[self.to_move] else "hand"


def _require_short(text: str) -> str:
    """Return a list of cards, or raise PositionError if it is much longer than a deck."""
    if len(text) > MAX_TEXT_LENGTH:
        raise PositionError(f"{quote_text(text)} is too long. Enter at most 52 cards.")
    return text


def _read_cards(text: str) -> list[int]:
    return parse_cards(_require_short(text)) if text.strip() else []


def _read_pile(text: str) -> str:
    parse_pile(_require_short(text))
    return " ".join(split_cards(text))


def _read_die(form: Form) -> Die:
    """Return the state of the die, and the decision about it."""
    stake = form.read("stake", _read_integer, "1")
    owner = form.read("owner", lambda text: choose_value("owner", text, OWNERS), "nobody")
    offered = form.read("die", lambda text: choose_value("decision", text, DIE_DECISIONS), "")
    return Die(stake, owner, form.values.get("die") == "offer", offered)


def _read_score(text: str) -> str | None:
    return "-".join(map(str, parse_score_pair(text))) if text else None


def _read_move(text: str) -> str:
    choose_value("move", text, HAND_SIZES)
    return text


def _read_stock(text: str) -> int | None:
    return _read_integer(text) if text else None


def _read_integer(text: str) -> int:
    """Return an integer of at most 20 digits, or raise PositionError."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 20):
        raise PositionError(f"{quote_text(text)} is not a whole number. Use a number such as 1.")
    return int(text)


def _read_worlds(text: str) -> int:
    worlds = parse_count(text)
    if worlds > MAX_WORLDS:
        raise PositionError(
            f"{worlds:,} worlds do not fit into memory. Use at most {MAX_WORLDS:,} worlds."
        )
    return worlds


def _without_options(message: str) -> str:
    """Return an error message in which option names are replaced by field names."""
    text = message.replace("--stock", "a stock of").replace("--pile ", "")
    return text[:1].upper() + text[1:]
