"""Tests that every built-in strategy goes gin in every variant that it can play.

The decks are stacked so that gin is common. The deadwood shows which hands are gin.
"""

import random

import pytest

from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import loader
from support import hands
from support.variant_lists import ONE_PLAYER, TWO_PLAYER, strategy

DEALS = 3  # in every variant
# Phrase of the docstring that documents when a strategy declines gin
DECLINES_GIN = {
    "random": "ends the deal with probability 0.5 when possible",
    "stubborn": "never ends a deal, not even with gin",
    "exp710": "sometimes breaks up gin",
    "hein": "sometimes breaks up gin",
}
OPPONENT = "gin-only"
# Strategies that are compiled in 10 to 23 s, with few worlds
SLOW = {"mc": "mc:n=1", "champion-mc": "champion-mc:n=8"}
NAMES = [name for name in loader.list_built_in() if name not in (*DECLINES_GIN, *SLOW)]


def packs(variant, seed, n):
    """Return stacked decks, the joker's position in each, and the seat of the strategy."""
    rng = random.Random(seed)
    row = variant.params
    for number in range(n):
        if row["players"] == 2:
            yield hands.stacked_pack(rng, row, 0), -1, number % 2
            continue
        dealt = 11 if row["first_turn"] == "discard_first" else 10
        pack = hands.stacked_pack_solo(rng, row)
        yield pack, rng.randrange(dealt, 53) if row["joker"] != "none" else -1, 0


def gins_of(name, text, n):
    """Return for each gin in some deals whether it was declined or broken up."""
    variant = variants.find_variant(text)
    row, declined = variant.params, []
    opponent = loader.find_strategy(OPPONENT) if row["players"] == 2 else None
    game = Matchup(variant, strategy(name), opponent, 1, "deal")
    for number, (pack, joker, dealer) in enumerate(packs(variant, f"{name} {text}", n)):
        played = trace_deal(game, number, pack=pack, joker=joker, dealer=dealer)
        assert not played.error, played.error
        for asked in (asked for asked in played.decisions if asked.seat == 0):
            view = asked.view
            if asked.slot == "knock" and (view.ending_count == 0 or view.ending == 3):
                declined.append(not asked.action)
            elif asked.slot == "discard" and view.least == 0 and row["take_to_knock"] == "any":
                ended = played.state.knocker == 0 and view.turns == len(played.turns) - 1
                declined.append(not ended and not view.best >> asked.action & 1)
    return declined


@pytest.mark.parametrize(
    "name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_gin_is_never_declined(name):
    slow = name in SLOW
    texts = [*TWO_PLAYER, *ONE_PLAYER]
    gins = {text: gins_of(SLOW.get(name, name), text, 2 if slow else DEALS) for text in texts}
    assert not [text for text, declined in gins.items() if any(declined)]
    assert sum(map(len, gins.values())) > 10


@pytest.mark.parametrize("name", DECLINES_GIN)
def test_a_strategy_that_declines_gin_documents_it(name):
    assert DECLINES_GIN[name] in " ".join(loader.find_strategy(name).about.split())
    assert any(any(gins_of(name, text, 10)) for text in TWO_PLAYER)
