"""A deal played by a script: `N pass`, `D take`, `D throw TC`, `N stock`, `N stop 2D`, `N big gin`.

The policy is a pure function of view and parameters like any other; its parameters are the script.
Where the script has no answer to a question, it gives one that is never legal, so that the deal
stops there. What was played is then compared with the script, action by action: the first that
differs was not possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simgin.core import endings
from simgin.core.answers import PHASE_LAST, PHASE_STOP, PHASE_TURN, PHASE_UPCARD
from simgin.core.rules import OPPONENT_MAY_TAKE, UPCARD_STOCK_OR_PASS
from simgin.core.view import FROM_PILE, FROM_STOCK
from simgin.play.deal import WatchedDeal, watch_deal
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.strategy.author import Param, Policy, Strategy, helper
from simgin.text import notation

SEATS = "ND"  # the nondealer sits at seat 0
DEALER = 1
STOCK, TAKE, PASS, THROW, STOP, BIG_GIN = range(6)
STOCK_CARDS = 31  # at the start
WORDS = ("stock", "take", "pass", "throw", "stop", "big gin")


class ScriptError(ValueError):
    """A script or a pack that cannot be read; the message is a sentence."""


class NotPlayable(ValueError):
    """A script that the rules allow but the engine cannot play; the message is a sentence."""


@dataclass(frozen=True)
class Action:
    """One action of a script; card -1 where it names none."""

    seat: int
    what: int
    card: int = -1

    def __str__(self) -> str:
        card = f" {notation.card_text(self.card)}" if self.card >= 0 else ""
        return f"{SEATS[self.seat]} {WORDS[self.what]}{card}"


def action(text: str) -> Action:
    """The action that a text means; ScriptError otherwise."""
    seat, _, rest = text.strip().partition(" ")
    for what, word in enumerate(WORDS):
        head, _, tail = rest.strip().partition(word)
        if (
            head == ""
            and rest.strip().startswith(word)
            and seat in tuple(SEATS)
            and bool(tail.strip()) == (what in (THROW, STOP))
        ):
            return Action(seat == "D", what, notation.parse_card(tail) if tail.strip() else -1)
    raise ScriptError(
        f"{text!r} is no action: write N or D, then pass, take, stock, throw CARD, stop CARD or "
        "big gin."
    )


# The policy


def _coded(script: Sequence[Action]) -> list[int]:
    """The script as numbers, each with its turn: a turn ends with a discard or an ending."""
    codes, turn = [], 0
    for action in script:
        codes.append(
            ((turn << 1 | action.seat) << 3 | action.what) << 6 | action.card & 63
        )  # 63, no card at all, where it names none
        turn += action.what >= THROW
    return codes


@helper
def _draw(params, turn, seat, nth):  # type: ignore[no-untyped-def]
    """The nth action of a seat at the start of a turn: stock, take or pass; -1 if there is none."""
    for i in range(params.shape[0]):
        code = int(params[i])
        own_turn = code >> 10 == turn and code >> 9 & 1 == seat
        if own_turn and code >> 6 & 7 <= PASS:
            if nth == 0:
                return code >> 6 & 7
            nth -= 1
    return -1


@helper
def _close(params, turn, seat):  # type: ignore[no-untyped-def]
    """How a seat ends a turn: throw, stop or big gin, and the card; -1, -1 if not in the script."""
    for i in range(params.shape[0]):
        code = int(params[i])
        own_turn = code >> 10 == turn and code >> 9 & 1 == seat
        if own_turn and code >> 6 & 7 >= THROW:
            return code >> 6 & 7, code & 63
    return -1, -1


@helper
def _last(draw, close, card, proposed):  # type: ignore[no-untyped-def]
    """Answer to the 50th-card question: pass, or take and stop with the card proposed."""
    if draw == PASS:
        return 0
    return 1 if draw == TAKE and close == STOP and card == proposed else -1


def _read_aloud(view, rules, params):  # type: ignore[no-untyped-def]
    """The script's answer to any question of the engine; -1, never legal, where it has none."""
    close, card = _close(params, view.turns, view.seat)
    if view.phase == PHASE_LAST:
        return _last(_draw(params, view.turns, view.seat, 0), close, card, view.ending_card)
    if view.phase == PHASE_STOP:
        draws = _draw(params, view.turns, view.seat, 0) == STOCK
        return 0 if draws else 1 if close == STOP else -1
    if view.ending:
        return int(close == (BIG_GIN if view.ending_card < 0 else STOP))
    if view.taken_offer < 0:
        return card if close in (THROW, STOP) else -1
    second = (
        view.turns == 0 and view.phase == PHASE_TURN and rules.first_turn == UPCARD_STOCK_OR_PASS
    )
    draw = _draw(params, view.turns, view.seat, int(second))
    if (
        view.phase == PHASE_UPCARD and not view.legal & 4
    ):  # here 0 is the pass, and the stock no choice
        return 0 if draw == PASS else 1 if draw == TAKE else -1
    return draw


def _default(view, rules, params):  # type: ignore[no-untyped-def]
    """No offer, no acceptance, the automatic melding: scripts contain none of these."""
    return 0


def strategy(script: Sequence[Action]) -> Strategy:
    """A strategy for both seats that plays a script and nothing else."""
    params = {
        f"action{i}": Param(code, 0, 1 << 52, "", "integer")
        for i, code in enumerate(_coded(script))
    }
    take, discard, knock = (
        Policy(slot, "script", _read_aloud, params) for slot in ("take", "discard", "knock")
    )
    offer, answer, show = (
        Policy(slot, "default", _default, {}) for slot in ("offer", "answer", "show")
    )
    return Strategy(
        "script", take, discard, knock, offer, answer, show, ending="same", text="script"
    )


# The deal


@dataclass(frozen=True)
class Played:
    """A script as far as the engine played it; `illegal`: place of the first impossible action."""

    deal: WatchedDeal
    script: list[Action]
    actions: list[Action]
    illegal: int


def pack(
    nondealer: Sequence[int], dealer: Sequence[int], upcard: int | None, stock: Sequence[int]
) -> list[int]:
    """The 52 cards in dealing order, nondealer first.

    An eleventh card of the nondealer takes the place of the upcard.
    """
    turned = [*nondealer[10:], *([] if upcard is None else [upcard])]
    cards = (
        [card for two in zip(nondealer[:10], dealer, strict=False) for card in two]
        + turned
        + list(stock)
    )
    sizes = (len(nondealer[:10]), len(dealer), len(turned), len(stock))
    if sizes != (10, 10, 1, STOCK_CARDS):
        raise ScriptError(
            "a deal is ten cards each, an upcard (or an eleventh card for the nondealer) and a "
            "stock of 31."
        )
    if twice := [card for card in range(52) if cards.count(card) > 1]:
        raise ScriptError(f"{' '.join(map(notation.card_text, twice))} can be in one place only.")
    return cards


def play(variant: Variant, cards: Sequence[int], script: list[Action]) -> Played:
    """Play a script on a pack as far as possible.

    NotPlayable for a script that the rules allow but the engine cannot play.
    """
    both = strategy(script)
    deal = watch_deal(Matchup(variant, both, both, 0, "deal"), pack=cards, dealer=DEALER)
    actions = actions_of(deal, variant)
    place = first_difference(script, actions)
    if place >= 0:
        _check_last(deal, variant, script[place])
    return Played(deal, script, actions, place)


def first_difference(script: Sequence[object], played: Sequence[object]) -> int:
    """The place of the first element of a script that was not played; -1 if all were."""
    for place, wanted in enumerate(script):
        if place >= len(played) or played[place] != wanted:
            return place
    return -1


def actions_of(deal: WatchedDeal, variant: Variant) -> list[Action]:
    """The actions played, from the history, and for passes and last draws from the questions."""
    first = [
        q
        for q in deal.questions
        if q.slot == "take" and q.view.phase == PHASE_UPCARD and q.answer is not None
    ]
    done = []
    for question in first:
        passed = 2 if question.view.legal & 4 else 0
        if question.answer == passed:
            done.append(Action(question.seat, PASS))
    for number, (seat, source, _, card) in enumerate(deal.turns):
        if source in (FROM_STOCK, FROM_PILE):
            done.append(Action(seat, TAKE if source == FROM_PILE else STOCK))
        ended = number == deal.state.turns - 1 and deal.state.stopper >= 0
        done.append(
            Action(seat, STOP if ended and card >= 0 else BIG_GIN if ended else THROW, card)
        )
    return done + _unfinished(deal, variant)


def _unfinished(deal: WatchedDeal, variant: Variant) -> list[Action]:
    """What followed the last complete turn: a draw, or an answer to the 50th-card question."""
    last = deal.questions[-1] if deal.questions else None
    if (
        last is not None and last.answer is None and last.slot != "take"
    ):  # the script fell silent with eleven cards in hand
        taken = last.view.taken >= 0 or last.view.phase == PHASE_LAST
        return (
            [Action(last.seat, TAKE if taken else STOCK)] if taken or last.view.drawn >= 0 else []
        )
    if deal.kind != "void":
        return []
    turn = 1 - deal.turns[-1][0] if deal.turns else 0
    if deal.state.drawn >= 0:  # void at the draw
        return [Action(turn, STOCK)]
    # A player who does not end the deal with the last discard passes; one who cannot is not asked
    return [Action(turn, PASS)] if build_rules(variant).stock_end == OPPONENT_MAY_TAKE else []


def _check_last(deal: WatchedDeal, variant: Variant, wanted: Action) -> None:
    """NotPlayable for a legal ending with the last discard that the engine does not propose."""
    asked = deal.questions[-1] if deal.questions else None
    if (
        asked is None
        or asked.answer is not None
        or asked.view.phase != PHASE_LAST
        or (wanted.what, wanted.seat) != (STOP, asked.seat)
    ):
        return
    own_rules, view = build_rules(variant), asked.view
    eleven = int(view.hand) | 1 << int(view.taken_offer)
    must = int(endings.must_be_melded(view.taken_offer, own_rules))
    if not endings.legal_discards(eleven, view.taken_offer, -1, own_rules) >> wanted.card & 1:
        return
    ten = eleven & ~(1 << wanted.card)
    shot = own_rules.shot and endings.is_shot(ten, must, view.own_points, own_rules)
    if shot or endings.count_declared(ten, must, own_rules) <= view.limit:
        raise NotPlayable(
            "with the last discard of the 50th-card rule the engine proposes the best ending only"
        )
