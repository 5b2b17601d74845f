"""Tests that built-in strategies do not decline gin in any variant.

The decks are stacked so that gin is common. The deadwood shows which hands are gin.
"""

import random

import pytest

from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import loader
from support import hands
from support.variant_lists import ONE_PLAYER_VARIANTS, TWO_PLAYER_VARIANTS, find_test_strategy

DEALS_PER_VARIANT = 3
# Phrase of the docstring that documents when a strategy declines gin
DOCUMENTATION_BY_DECLINING_STRATEGY = {
    "random": "ends the deal with probability 0.5 when possible",
    "stubborn": "never ends a deal, not even with gin",
    "exp710": "sometimes breaks up gin",
    "hein": "sometimes breaks up gin",
}
OPPONENT = "gin-only"
# Strategies that are compiled in 10 to 23 s, with few worlds
SLOW_SPECS = {"mc": "mc:n=1", "champion-mc": "champion-mc:n=8"}
STRATEGY_NAMES = [
    name
    for name in loader.list_built_in_strategies()
    if name not in (*DOCUMENTATION_BY_DECLINING_STRATEGY, *SLOW_SPECS)
]


def iter_stacked_decks(variant, seed, n_decks):
    """Yield stacked decks, the joker's position in each, and the seat of the dealer."""
    rng = random.Random(seed)
    params = variant.params
    for index in range(n_decks):
        if params["players"] == 2:
            yield hands.stack_pack(rng, params, 0), -1, index % 2
            continue
        n_dealt = 11 if params["first_turn"] == "discard_first" else 10
        pack = hands.stack_solo_pack(rng, params)
        yield pack, rng.randrange(n_dealt, 53) if params["joker"] != "none" else -1, 0


def find_declined_gins(name, variant_name, n_deals):
    """Return a list with True for each declined gin and False for each accepted gin."""
    variant = variants.find_variant(variant_name)
    params, declined = variant.params, []
    opponent = loader.find_strategy(OPPONENT) if params["players"] == 2 else None
    matchup = Matchup(variant, find_test_strategy(name), opponent, 1, "deal")
    for index, (pack, joker, dealer) in enumerate(
        iter_stacked_decks(variant, f"{name} {variant_name}", n_deals)
    ):
        deal = trace_deal(matchup, index, pack=pack, joker=joker, dealer=dealer)
        assert not deal.error, deal.error
        for decision in (decision for decision in deal.decisions if decision.seat == 0):
            view = decision.view
            if decision.slot == "knock" and (view.ending_count == 0 or view.ending == 3):
                declined.append(not decision.action)
            elif (
                decision.slot == "discard" and view.least == 0 and params["take_to_knock"] == "any"
            ):
                is_ended = deal.state.knocker == 0 and view.turns == len(deal.turns) - 1
                declined.append(not is_ended and not view.best >> decision.action & 1)
    return declined


@pytest.mark.parametrize(
    "name", [*STRATEGY_NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_SPECS)]
)
def test_gin_is_never_declined(name):
    is_slow = name in SLOW_SPECS
    variant_names = [*TWO_PLAYER_VARIANTS, *ONE_PLAYER_VARIANTS]
    declined_by_variant = {
        variant_name: find_declined_gins(
            SLOW_SPECS.get(name, name), variant_name, 2 if is_slow else DEALS_PER_VARIANT
        )
        for variant_name in variant_names
    }
    assert not [
        variant_name for variant_name, declined in declined_by_variant.items() if any(declined)
    ]
    assert sum(map(len, declined_by_variant.values())) > 10


@pytest.mark.parametrize("name", DOCUMENTATION_BY_DECLINING_STRATEGY)
def test_strategy_that_declines_gin_documents_it(name):
    assert DOCUMENTATION_BY_DECLINING_STRATEGY[name] in " ".join(
        loader.find_strategy(name).about.split()
    )
    assert any(
        any(find_declined_gins(name, variant_name, 10)) for variant_name in TWO_PLAYER_VARIANTS
    )
