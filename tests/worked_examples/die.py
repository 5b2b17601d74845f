"""The die of worked examples: a deal in which two players make the offers of a script.

Otherwise they draw and discard; near the end, the winner knocks with a prepared hand.
"""

from dataclasses import dataclass, replace

from simgin.text import notation
from worked_examples.actions import Action, Illegal
from worked_examples.schema import Impossible, NotSupported
from worked_examples.scripts import UNFINISHED

SILENT = ""  # an offer without a response
REPLIES = ("accept", "refuse")
PHASES = ("play", "before")  # before the cards are seen

# The hand with one unmatched card: only cards of the other hand make it gin
KNOCKS = notation.parse_cards("3S 4S 5S 9H 9D 9C QS QH QD AC")
WAITS = notation.parse_cards("2S 6S 9S QC KH JC 8D 7H TD 5C")
REST = [card for card in range(52) if card not in KNOCKS and card not in WAITS]


@dataclass(frozen=True)
class Bid:
    """An offer and its result; blind: before the cards are seen."""

    blind: bool
    seat: int
    number: int
    reply: str = SILENT

    def __str__(self):
        return f"{PHASES[self.blind]}: seat {self.seat} offers {self.number}"


def die(example, subject):
    own_keys = ("events", "deal_winner")
    variant = example.rules(*own_keys, base="dice", goal="deals", die="deal")
    bids = _bids(example)
    winner = example.given.get("deal_winner")
    winner = -1 if winner is None else example.number("input.deal_winner", winner, 0, 1)
    deal = _deal(variant, winner, subject)
    for place, bid in enumerate(bids, start=1):
        if why := _impossible(deal, bid, winner):
            if "illegal" not in example.expect:
                raise Impossible(f"{bid} (offer {place}) is not possible")
            return {"illegal": why if place == len(bids) else f"{why}, as offer {place}"}
    if bids and bids[-1].reply == SILENT:
        return {"illegal": None, "ended_by": UNFINISHED}
    while not deal.kind:
        _go_on(deal, winner)
    return _outcome(deal, winner)


def _deal(variant, winner, subject):
    hands = (WAITS, KNOCKS) if winner == 1 else (KNOCKS, WAITS)
    pack = [card for two in zip(*hands, strict=True) for card in two] + REST
    return subject.Deal(variant, pack)


def _impossible(deal, bid, winner):
    while not deal.kind and (deal.blind_offer, deal.seat) != (bid.blind, bid.seat):
        _go_on(deal, winner)
    try:
        deal.apply_action(Action(bid.seat, "offer", bid.number))
    except Illegal:
        return _why(deal, bid)
    if bid.reply != SILENT:
        deal.apply_action(Action(1 - bid.seat, bid.reply))
    return ""


def _why(deal, bid):
    """Return why an offer was impossible, from the state of the die at that time."""
    owner, stake = deal.result["owner"], deal.result["stake"]
    cap = deal.row["die_cap"]
    if not deal.kind or (owner == bid.seat and stake == cap):
        return f"the new number must exceed the present one and be at most {cap}"
    if owner is None and not bid.blind:
        return "the die in the centre may be offered only before the cards are seen"
    return "only the owner of the die may offer" if owner != bid.seat else str(bid)


def _go_on(deal, winner):
    """Offer nothing, pass, draw, throw the card drawn; the winner knocks near the end."""
    seat = deal.seat
    if deal.blind_offer is not None:
        return deal.apply_action(Action(seat, "offer", 0))
    cards = [deal.drawn] * (deal.drawn >= 0) + list(range(52))
    ways = [Action(seat, "pass"), Action(seat, "stock")]
    if seat == winner and deal.result["stock_left"] <= deal.row["stock_reserve"] + 2:
        ways += [Action(seat, "stop", card) for card in cards]
    ways += [Action(seat, "throw", card) for card in cards]
    for way in ways:
        try:
            return deal.apply_action(way)
        except Illegal:
            continue
    raise AssertionError("a player can always pass, draw or throw a card")


def _outcome(deal, winner):
    result = deal.result
    ended = deal.kind, -1 if result["winner"] is None else result["winner"]
    if deal.kind != "refused" and ended != ("void" if winner < 0 else "knock", winner):
        raise NotSupported(
            "the deal of a die is won by a knock, or void, and these rules do not let it end so."
        )
    answer = {name: result[name] for name in ("winner", "stake", "owner")}
    answer["won_deals"] = 0 if result["winner"] is None else deal.won_deals()
    answer["ended_by"] = {"refused": "refusal", "void": "void"}.get(deal.kind, "play")
    return {"illegal": None, **answer}


def _bids(example):
    """Return the offers of an example, each with its answer."""
    bids = []
    for when, what, seat, number in example.given["events"]:
        example.number("input.events: a seat", seat, 0, 1)
        blind = PHASES.index(when) == 1
        if what == "offer":
            offered = example.number("input.events: an offer", number, 1, 63)
            bids.append(Bid(blind, seat, offered))
        elif what in REPLIES and bids and bids[-1] == Bid(blind, 1 - seat, bids[-1].number):
            bids[-1] = replace(bids[-1], reply=what)
        else:
            raise example.error("input.events: an answer follows an offer of the other seat.")
    if any(bid.reply == SILENT for bid in bids[:-1]):
        raise example.error("input.events: an offer is answered before the next one.")
    return bids
