"""The die of worked examples: a deal in which two players make the offers of a script.

Otherwise they pass, draw and throw what they drew; near the end of the stock the winner of the
example knocks, with a hand made for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simgin.checks.examples import schema
from simgin.checks.examples.cards import Answer
from simgin.checks.examples.deal_script import DEALER, first_difference
from simgin.checks.examples.schema import Example, Impossible, NotSupported
from simgin.core import match
from simgin.core.answers import PHASE_BLIND
from simgin.play.deal import WatchedDeal, watch_deal
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.strategy.author import Param, Policy, Strategy
from simgin.text import notation
from simgin.text.messages import shown

SILENT, ACCEPT, REFUSE = range(3)
REPLIES = {"accept": ACCEPT, "refuse": REFUSE}
PHASES = ("play", "before")  # before the cards are seen
EVENT = (
    "each event must be [before or play, offer, seat, number] or [the same phase, accept or "
    "refuse, the other seat, null]"
)

KNOCKS = notation.parse_cards(
    "3S 4S 5S 9H 9D 9C QS QH QD AC"
)  # with one, from first to last: no single card makes it gin but the other hand's
WAITS = notation.parse_cards("2S 6S 9S QC KH JC 8D 7H TD 5C")
REST = [card for card in range(52) if card not in KNOCKS and card not in WAITS]


@dataclass(frozen=True)
class Bid:
    """An offer and what became of it; blind: before the cards are seen."""

    blind: bool
    seat: int
    number: int
    reply: int = SILENT

    def __str__(self) -> str:
        return f"{PHASES[self.blind]}: seat {self.seat} offers {self.number}"


# The policies


def _bid(view, rules, params):  # type: ignore[no-untyped-def]
    """The script's offer or answer; the stake, which only rises, shows what has been accepted."""
    i = 0
    if view.stake > 1:
        while i < params.shape[0] and int(params[i]) >> 2 & 63 != view.stake:
            i += 1
        i += 1
    code = int(params[i]) if i < params.shape[0] else 0
    if view.offered:
        reply = code & 3
        return (
            1 if reply == 1 else 0 if reply == 2 else -1
        )  # which is never legal: the script has no answer
    own_turn = code >> 8 & 1 == view.seat
    right_phase = code >> 9 == (view.phase == PHASE_BLIND)
    return code >> 2 & 63 if own_turn and right_phase else 0


def _sit(view, rules, params):  # type: ignore[no-untyped-def]
    """Pass, draw, throw the card drawn; the winner (params[0]) knocks near the end."""
    if view.ending:
        return int(view.seat == params[0] and view.stock <= rules.stock_reserve + 2)
    if view.taken_offer >= 0:
        return 2 if view.legal & 4 else 0
    if view.drawn >= 0 and view.legal >> view.drawn & 1:
        return view.drawn
    card = 0
    while not view.legal >> card & 1:
        card += 1
    return card


def _show(view, rules, params):  # type: ignore[no-untyped-def]
    """The melding of the automatic rule."""
    return 0


def strategy(bids: Sequence[Bid], winner: int) -> Strategy:
    """A strategy for both seats that makes these bids, and knocks in the winner's seat."""
    codes = []
    for bid in bids:
        place = bid.blind << 1 | bid.seat
        codes.append((place << 6 | bid.number) << 2 | bid.reply)
    script = {}
    for i, code in enumerate(codes):
        script[f"bid{i}"] = Param(code, 0, 1 << 10, "", "integer")
    seat = {"winner": Param(winner, -1, 1, "", "integer")}
    take, discard, knock = (
        Policy(slot, "sit", _sit, seat) for slot in ("take", "discard", "knock")
    )
    offer, answer = (Policy(slot, "bid", _bid, script) for slot in ("offer", "answer"))
    return Strategy(
        "bids", take, discard, knock, offer, answer, Policy("show", "show", _show, {}), text="bids"
    )


# The deal


def play(variant: Variant, bids: Sequence[Bid], winner: int) -> WatchedDeal:
    """Play a deal with these bids and winner (-1: nobody); it stops at an illegal bid."""
    hands = (WAITS, KNOCKS) if winner == 1 else (KNOCKS, WAITS)
    pack = [card for two in zip(*hands, strict=True) for card in two] + REST
    both = strategy(bids, winner)
    return watch_deal(Matchup(variant, both, both, 0, "deal"), pack=pack, dealer=DEALER)


def made(deal: WatchedDeal) -> list[Bid]:
    """The bids that were really made and answered, or made and not answered."""
    found: list[Bid] = []
    for asked in deal.questions:
        if asked.slot == "offer" and asked.answer:
            found.append(Bid(asked.view.phase == PHASE_BLIND, asked.seat, asked.answer))
        elif asked.slot == "answer" and asked.answer is not None:
            found[-1] = replace(found[-1], reply=ACCEPT if asked.answer else REFUSE)
    return found


# The worked examples


def die(example: Example) -> Answer:
    """What offers and answers make of a deal."""
    variant = schema.variant(
        example, "events", "deal_winner", base="dice", goal="deals", die="deal"
    )
    bids = _bids(example)
    winner = example.given.get("deal_winner")
    winner = -1 if winner is None else schema.number(example, "input.deal_winner", winner, 0, 1)
    deal = play(variant, bids, winner)
    done = made(deal)
    place = first_difference(bids, done)
    if place >= 0:
        if "illegal" not in example.expect:
            raise Impossible(f"{bids[place]} (offer {place + 1}) is not possible")
        return {
            "illegal": _why(deal, bids[place])
            + ("" if place == len(bids) - 1 else f", as offer {place + 1}")
        }
    return _outcome(deal, winner)


def _outcome(deal: WatchedDeal, winner: int) -> Answer:
    """The won deals of a deal that went as the script says."""
    if not deal.kind:
        return {"illegal": None, "ended_by": "the script ends before the deal"}
    if deal.kind not in ("refused", "void" if winner < 0 else "knock") or (
        deal.kind == "knock" and deal.state.winner != winner
    ):
        raise NotSupported(
            "the deal of a die is won by a knock, or void, and these rules do not let it end so."
        )
    state = deal.state
    match.enter(state, build_rules(deal.matchup.variant), 1)
    return {
        "illegal": None,
        "winner": int(state.winner) if state.winner >= 0 else None,
        "won_deals": int(state.deals_won[state.winner]) if state.winner >= 0 else 0,
        "stake": int(state.stake),
        "owner": int(state.owner) if state.owner >= 0 else None,
        "ended_by": {"refused": "refusal", "void": "void"}.get(deal.kind, "play"),
    }


def _why(deal: WatchedDeal, bid: Bid) -> str:
    """Why an offer was not possible, from the state of the die when the deal passed it."""
    state = deal.state
    cap = deal.matchup.variant.row["die_cap"]
    stopped = not deal.kind and deal.questions[-1].slot == "offer"
    if stopped or (state.owner == bid.seat and state.stake == cap):
        return f"the new number must exceed the present one and be at most {cap}"
    if state.owner < 0 and not bid.blind:
        return "the die in the centre may be offered only before the cards are seen"
    return "only the owner of the die may offer" if state.owner != bid.seat else str(bid)


def _bids(example: Example) -> list[Bid]:
    """The offers of an example, each with the answer that follows it."""
    events = schema.need(example, "events")
    if not isinstance(events, list) or not all(
        isinstance(event, list) and len(event) == 4 for event in events
    ):
        raise example.error(f"input.events must be a list: {EVENT}.")
    bids: list[Bid] = []
    for when, what, seat, number in events:
        if when not in PHASES or what not in ("offer", *REPLIES):
            raise example.error(f"input.events: {shown(f'{when} {what}')} is no event; {EVENT}.")
        schema.number(example, "input.events: a seat", seat, 0, 1)
        if what == "offer":
            bids.append(
                Bid(
                    when == "before",
                    seat,
                    schema.number(example, "input.events: an offer", number, 1, 63),
                )
            )
        else:
            _answered(example, bids, Bid(when == "before", seat, 0, REPLIES[what]))
    if any(bid.reply == SILENT for bid in bids[:-1]):
        raise example.error("input.events: an offer is answered before the next one.")
    return bids


def _answered(example: Example, bids: list[Bid], reply: Bid) -> None:
    """Join an answer to the offer before it."""
    last = bids[-1] if bids else reply
    answers_last = last.blind == reply.blind and last.seat == 1 - reply.seat
    if last.reply != SILENT or not answers_last:
        raise example.error(
            "input.events: an answer follows an offer of the other seat, in the same phase."
        )
    bids[-1] = replace(last, reply=reply.reply)
