"""Deals of the twin, with given hands or played at random, and what must hold for all of them."""

from oracles import twin
from support.worked_examples import STANDARD

NONDEALER, DEALER = 0, 1


def cards(text):
    return text.split()


def planted(nondealer, dealer, drawn, points=(0, 0), **more):
    """A deal in which the nondealer, seat 0, has just drawn `drawn` as the first stock card."""
    nondealer, dealer = cards(nondealer), cards(dealer)
    rest = [card for card in twin.PACK if card not in [*nondealer, *dealer, drawn]]
    pack = [card for pair in zip(nondealer, dealer, strict=True) for card in pair] + [
        rest[0],
        drawn,
        *rest[1:],
    ]
    deal = twin.Deal({**STANDARD, **more}, pack, dealer=DEALER, points=points)
    for action in (("pass",), ("pass",), ("stock",)):
        deal.act(action)
    return deal


def choose(deal, rng):
    """A random action that prefers discards that leave little, so that deals end in every way."""
    options = sorted(deal.options(), key=str)
    throws = [action for action in options if action[0] == "throw"]
    endings = [action for action in options if action[0] == "end"]
    if endings and (not throws or rng.random() < 0.5):
        return rng.choice(endings)
    if throws and rng.random() < 0.8:
        hand = deal.hands[deal.to_move]
        return min(
            throws, key=lambda act: twin.deadwood([c for c in hand if c != act[1]], deal.row)
        )
    return rng.choice(throws or options)


def check_cards(deal):
    assert sorted([*deal.hands[0], *deal.hands[1], *deal.stock, *deal.pile]) == sorted(twin.PACK)


def check_result(deal):
    result = deal.result
    assert min(result.points) == 0 or deal.row["shot_deducts"]
    scorers = [seat for seat in (0, 1) if result.points[seat] != 0]
    assert scorers in ([], [result.winner])
    assert (result.winner is None) == (result.kind in ("void", "stalled", "even") or scorers == [])
    assert sum(result.draws) == (31 - result.stock_left)
    assert result.turns <= deal.row["max_turns"] + 1
    first = 1 if deal.row["first_turn"] == "discard_first" else 0
    broken_off = 1 if result.kind == "void" and deal.row["stock_end"] == "at_draw" else 0
    assert result.turns == sum(result.draws) + sum(result.takes) + first - broken_off
    if result.stopper is not None:
        assert result.other_count <= result.other_before
        assert result.other_before == twin.deadwood(
            deal.hands[1 - result.stopper], deal.row, "defender"
        )
