"""The die as a player has it: its number, who owns it, and what is to be decided about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simgin.core.answers import PHASE_BLIND
from simgin.core.cards import PACK
from simgin.core.match import target
from simgin.core.view import new_view
from simgin.play.worlds import die_actions
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.value.analysis.position import Position, PositionError

ME, OTHER, NOBODY = 0, 1, -1  # seats
SEATS = {"me": ME, "other": OTHER}
OWNERS = {**SEATS, "nobody": NOBODY}
CARDS_IN_STOCK = 31  # after the deal


@dataclass(frozen=True)
class Die:
    """The die in a position.

    stake: its number. owner: me, other or nobody. offer: whether to decide about an offer of one's
    own. offered: the number that the opponent offers, to be accepted or refused; 0 for none.
    """

    stake: int = 1
    owner: str = "nobody"
    offer: bool = False
    offered: int = 0

    @property
    def is_asked(self) -> bool:
        """Whether the decision is about the die."""
        return self.offer or self.offered > 0

    @property
    def offerer(self) -> int:
        """Who offers it, if the decision is about the die, and whose turn it is in any case."""
        return OTHER if self.offered else ME

    def check(self, variant: Variant, blind: bool) -> None:
        """Raise PositionError for a die that cannot be so; blind: before the cards are seen."""
        if variant.row["die"] == "off":
            if self != Die():
                raise PositionError(
                    f"{variant.text} has no die: leave out its stake, its owner and offers."
                )
            return
        rules = build_rules(variant)
        self._check_stake(int(rules.die_cap))
        if self.offer and self.offered:
            raise PositionError("either you offer the die or the opponent does: decide about one.")
        if self.is_asked:
            self._check_offer(int(rules.die_cap))
            if self.owner == "nobody" and not blind and not rules.die_centre_in_play:
                raise PositionError(
                    f"in {variant.text} a die that nobody owns is offered only before the cards "
                    "are seen."
                )
        elif blind:
            raise PositionError(
                "before the cards are seen only the die is decided about: say what is offered."
            )
        if blind and variant.row["die"] == "deal" and self.stake > 1:
            raise PositionError(f"in {variant.text} the die shows 1 when a deal begins.")

    def _check_stake(self, cap: int) -> None:
        if self.owner not in OWNERS:
            raise PositionError(f"{self.owner!r} owns no die: write me, other or nobody.")
        if not 1 <= self.stake <= cap:
            raise PositionError(f"the die shows 1 to {cap}, not {self.stake}.")
        if self.stake == 1 and self.owner != "nobody":
            raise PositionError(
                "a die that shows 1 belongs to nobody: it goes to whoever accepts an offer."
            )
        if self.stake > 1 and self.owner == "nobody":
            raise PositionError(
                f"a die that shows {self.stake} belongs to whoever accepted it: name its owner."
            )

    def _check_offer(self, cap: int) -> None:
        """The owner offers, and more than the die shows."""
        if self.stake == cap:
            raise PositionError(f"the die shows {cap}, and cannot be raised.")
        owner = OWNERS[self.owner]
        if owner not in (NOBODY, self.offerer):
            whose = "you own" if owner == ME else "the opponent owns"
            raise PositionError(f"{whose} the die, so nobody else may offer it.")
        if self.offered and not self.stake < self.offered <= cap:
            raise PositionError(
                f"{self.offered} cannot be offered: the die shows {self.stake}, and an offer is "
                f"more than that, up to {cap}."
            )

    def write(self, view: Any) -> None:
        """Enter the die in a view."""
        view.stake = self.stake
        view.owner = OWNERS[self.owner]
        view.offered = self.offered


def write_standing(view: Any, variant: Variant, score: tuple[int, int]) -> None:
    """Enter the match before the deal in a view: points, or won deals where they are the score."""
    rules = build_rules(variant)
    view.goal = rules.goal
    view.target = target(rules, ME)
    if variant.goal.score == "deals":
        view.own_deals, view.other_deals = score
    else:
        view.own_points, view.other_points = score


def read_blind(
    die: Die, variant: Variant, score: tuple[int, int] | None, dealer: str | None
) -> Position:
    """The position of a player who has not looked at the cards yet.

    dealer: `me` or `other`; by default the opponent of who offers. Raises PositionError.
    """
    die.check(variant, blind=True)
    rules = build_rules(variant)
    view = new_view()
    view.phase = PHASE_BLIND
    view.unseen = PACK
    view.stock = CARDS_IN_STOCK
    view.deck_left = -1
    view.turn = view.own_turn = 1
    view.dealer = 1 - die.offerer if dealer is None else SEATS[dealer]
    view.limit = -1 if rules.knock_by_upcard else rules.knock_limit
    view.multiplier = 1
    for name in ("upcard", "taken", "drawn", "taken_offer", "ending_card", "ending_count", "least"):
        view[name] = -1
    write_standing(view, variant, score or (0, 0))
    die.write(view)
    return Position(variant, view, die_actions(view, rules), score is not None)
