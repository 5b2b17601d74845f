"""Every shipped strategy goes out with gin, in every variant that it can play.

The packs are stacked so that gin is common. Which hands could go out is found by the deadwood.
"""

import random
from typing import NamedTuple

import numpy as np
import pytest

from simgin.core.deadwood import each_deadwood
from simgin.core.rules import STOPPER
from simgin.play.matchup import Matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader
from support import hands
from support.variant_lists import ONE_PLAYER, TWO_PLAYER, strategy

DEALS = 4  # in every variant
# Words of the docstring by which a strategy says that it does not go out with every gin
SAYS_SO = {
    "random": "ends half the deals that it can",
    "stubborn": "never ends a deal, not even with gin",
    "exp710": "now and then it breaks up gin",
    "hein": "now and then it breaks up gin",
}
OPPONENT = "gin-only"
SLOW = {"mc": "mc:n=1"}  # one world, and two deals in every variant


class Eleven(NamedTuple):
    """A hand of eleven cards in a turn of a watched deal, and whether the deal went on."""

    cards: int
    taken: int
    drawn: int
    went_on: bool


def elevens(played, seat):
    """Every hand of eleven of a seat that ended its turn with a discard."""
    row = played.matchup.variant.row
    hand = played.hands[seat]
    last = len(played.turns) - 1
    for number, (who, source, card, thrown) in enumerate(played.turns):
        if who != seat:
            continue
        hand |= 1 << card if card >= 0 else 0
        ended = number == last and played.state.stopper == seat
        may_end = row["players"] == 2 or card >= 0 or row["stop_before_draw"]
        if thrown >= 0 and may_end:
            taken, drawn = (card, -1) if source == 1 else (-1, card)
            yield Eleven(hand, taken, drawn, not ended)
        hand &= ~(1 << thrown) if thrown >= 0 else hand


def gin_discards(eleven, row):
    """The tens that a legal discard leaves, to be looked up."""
    banned = {eleven.taken} if row["discard_ban"] != "none" else set()
    if row["discard_ban"] == "drawn":
        banned.add(eleven.drawn)
    if row["take_to_knock"] == "melded":
        banned.add(eleven.taken)
    return [eleven.cards & ~(1 << x) for x in hands.members(eleven.cards) if x not in banned]


def could_go_out(found, variant):
    """Of some hands of eleven, those that some legal discard makes gin."""
    owners, tens = [], []
    for place, eleven in enumerate(found):
        for ten in gin_discards(eleven, variant.row):
            owners.append(place)
            tens.append(ten)
    counts = np.zeros(len(tens), np.int64)
    each_deadwood(np.array(tens, np.int64), build_rules(variant), STOPPER, counts)
    with_gin = {owner for owner, count in zip(owners, counts, strict=True) if count == 0}
    return [found[place] for place in sorted(with_gin)]


def packs(variant, seed, n):
    """Stacked packs, the joker's place in each, and the seat of the strategy."""
    rng = random.Random(seed)
    row = variant.row
    for number in range(n):
        if row["players"] == 2:
            yield hands.stacked(rng, row, 0), -1, number % 2
            continue
        dealt = 11 if row["first_turn"] == "discard_first" else 10
        pack = hands.stacked_alone(rng, row)
        yield pack, rng.randrange(dealt, 53) if row["joker"] != "none" else -1, 0


def gins_of(name, text, n):
    """The hands of eleven of a strategy that could go out with gin."""
    variant, found = variants.find(text), []
    opponent = loader.find(OPPONENT) if variant.row["players"] == 2 else None
    game = Matchup(variant, strategy(name), opponent, 1, "deal")
    for number, (pack, joker, dealer) in enumerate(packs(variant, f"{name} {text}", n)):
        played = watch_deal(game, number, pack=pack, joker=joker, dealer=dealer)
        assert not played.fault, played.fault
        found += elevens(played, 0)
    return could_go_out(found, variant)


@pytest.mark.parametrize("name", [name for name in loader.built_in() if name not in SAYS_SO])
def test_no_gin_is_declined(name):
    seen = 0
    for text in (*TWO_PLAYER, *ONE_PLAYER):
        gins = gins_of(SLOW.get(name, name), text, 2 if name in SLOW else DEALS)
        went_on = [hands.names(eleven.cards) for eleven in gins if eleven.went_on]
        assert not went_on, (text, went_on)
        seen += len(gins)
    assert seen > 10


@pytest.mark.parametrize("name", SAYS_SO)
def test_a_strategy_that_declines_gin_says_so(name):
    about = " ".join(loader.find(name).about.split())
    assert SAYS_SO[name] in about
    gins = [eleven for text in TWO_PLAYER for eleven in gins_of(name, text, 10)]
    assert any(eleven.went_on for eleven in gins)
