"""Solve worked examples about the die, in which a script makes the offers.

Otherwise they draw and discard; near the end, the winner knocks with a prepared hand.
"""

from dataclasses import dataclass, replace

from simgin.text import notation
from worked_examples.actions import Action, IllegalActionError
from worked_examples.schema import ImpossibleActionError, NotSupportedError
from worked_examples.scripts import UNFINISHED_SCRIPT

NO_REPLY = ""  # an offer without a response
REPLIES = ("accept", "refuse")
OFFER_PHASES = ("play", "before")  # before the cards are seen

# Hand with one unmatched card, which only cards of the other hand complete to gin
KNOCKING_HAND = notation.parse_cards("3S 4S 5S 9H 9D 9C QS QH QD AC")
WAITING_HAND = notation.parse_cards("2S 6S 9S QC KH JC 8D 7H TD 5C")
REMAINING_CARDS = [
    card for card in range(52) if card not in KNOCKING_HAND and card not in WAITING_HAND
]


@dataclass(frozen=True)
class Offer:
    """Offer of the die, with the reply of the opponent."""

    is_blind: bool  # before the cards are seen
    seat: int
    stake: int
    reply: str = NO_REPLY

    def __str__(self):
        return f"{OFFER_PHASES[self.is_blind]}: seat {self.seat} offers {self.stake}"


def solve_die_example(example, implementation):
    """Return the result of a deal in which the players make scripted offers of the die."""
    own_keys = ("events", "deal_winner")
    variant = example.read_variant(*own_keys, base="dice", goal="deals", die="deal")
    offers = _read_offers(example)
    winner = example.input.get("deal_winner")
    winner = -1 if winner is None else example.check_int("input.deal_winner", winner, 0, 1)
    deal = _start_deal(variant, winner, implementation)
    for number, offer in enumerate(offers, start=1):
        if reason := _try_offer(deal, offer, winner):
            if "illegal" not in example.expect:
                raise ImpossibleActionError(f"{offer} (offer {number}) is not possible")
            return {"illegal": reason if number == len(offers) else f"{reason}, as offer {number}"}
    if offers and offers[-1].reply == NO_REPLY:
        return {"illegal": None, "ended_by": UNFINISHED_SCRIPT}
    while not deal.outcome:
        _advance_deal(deal, winner)
    return _describe_outcome(deal, winner)


def _start_deal(variant, winner, implementation):
    """Start a deal in which the winner holds a hand that can knock."""
    hands = (WAITING_HAND, KNOCKING_HAND) if winner == 1 else (KNOCKING_HAND, WAITING_HAND)
    pack = [card for two in zip(*hands, strict=True) for card in two] + REMAINING_CARDS
    return implementation.Deal(variant, pack)


def _try_offer(deal, offer, winner):
    """Make an offer when it is due. Return the reason if the offer is illegal, else ""."""
    while not deal.outcome and (deal.blind_offer, deal.seat_to_move) != (
        offer.is_blind,
        offer.seat,
    ):
        _advance_deal(deal, winner)
    try:
        deal.apply_action(Action(offer.seat, "offer", offer.stake))
    except IllegalActionError:
        return _explain_illegal_offer(deal, offer)
    if offer.reply != NO_REPLY:
        deal.apply_action(Action(1 - offer.seat, offer.reply))
    return ""


def _explain_illegal_offer(deal, offer):
    """Return the reason why an offer is illegal in the current state of the die."""
    owner, stake = deal.result["owner"], deal.result["stake"]
    cap = deal.params["die_cap"]
    if not deal.outcome or (owner == offer.seat and stake == cap):
        return f"the new number must exceed the present one and be at most {cap}"
    if owner is None and not offer.is_blind:
        return "the die in the centre may be offered only before the cards are seen"
    return "only the owner of the die may offer" if owner != offer.seat else str(offer)


def _advance_deal(deal, winner):
    """Play one action other than an offer. The winner knocks near the end of the stock."""
    seat = deal.seat_to_move
    if deal.blind_offer is not None:
        return deal.apply_action(Action(seat, "offer", 0))
    cards = [deal.drawn_card] * (deal.drawn_card >= 0) + list(range(52))
    actions = [Action(seat, "pass"), Action(seat, "stock")]
    if seat == winner and deal.result["stock_left"] <= deal.params["stock_reserve"] + 2:
        actions += [Action(seat, "stop", card) for card in cards]
    actions += [Action(seat, "throw", card) for card in cards]
    for action in actions:
        try:
            return deal.apply_action(action)
        except IllegalActionError:
            continue
    raise AssertionError("a player can always pass, draw or throw a card")


def _describe_outcome(deal, winner):
    """Return the result of the deal in the format of an example."""
    result = deal.result
    ended = deal.outcome, -1 if result["winner"] is None else result["winner"]
    if deal.outcome != "refused" and ended != ("void" if winner < 0 else "knock", winner):
        raise NotSupportedError(
            "the deal of a die is won by a knock, or void, and these rules do not let it end so."
        )
    answer = {name: result[name] for name in ("winner", "stake", "owner")}
    answer["won_deals"] = 0 if result["winner"] is None else deal.count_won_deals()
    answer["ended_by"] = {"refused": "refusal", "void": "void"}.get(deal.outcome, "play")
    return {"illegal": None, **answer}


def _read_offers(example):
    """Return the offers of the example, each with its reply."""
    offers = []
    for phase, event, seat, number in example.input["events"]:
        example.check_int("input.events: a seat", seat, 0, 1)
        blind = OFFER_PHASES.index(phase) == 1
        if event == "offer":
            offered = example.check_int("input.events: an offer", number, 1, 63)
            offers.append(Offer(blind, seat, offered))
        elif event in REPLIES and offers and offers[-1] == Offer(blind, 1 - seat, offers[-1].stake):
            offers[-1] = replace(offers[-1], reply=event)
        else:
            raise example.make_error("input.events: an answer follows an offer of the other seat.")
    if any(offer.reply == NO_REPLY for offer in offers[:-1]):
        raise example.make_error("input.events: an offer is answered before the next one.")
    return offers
