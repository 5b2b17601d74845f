"""What a strategy would do, against what it did where it was asked."""

import pytest

from simgin.play.answers import Adviser
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.analysis.position import positions_in

ONE_PLAYER = [name for name in variants.names() if variants.find(name).row["players"] == 1]
TWO_PLAYERS = [name for name in variants.names() if variants.find(name).row["players"] == 2]
# The first of a pair asks for the ending before the discard, the second behind it
PAIRS = [("champion", "jdh8-heuristic"), ("gold-early", "exp710")]


@pytest.mark.parametrize("name", TWO_PLAYERS)
@pytest.mark.parametrize("pair", PAIRS)
def test_a_strategy_would_do_what_it_did(name, pair):
    matchup = parse_matchup(*pair, name, 5, "deal")
    advisers = [Adviser(player, build_rules(matchup.variant)) for player in matchup.players]
    endings = 0
    for unit in range(6):
        for half in range(2):
            deal = watch_deal(matchup, unit, half)
            for position in positions_in(deal):
                adviser = advisers[int(position.view.seat != half)]
                advise = adviser.die_action if position.is_about_die else adviser.action
                assert advise(position.view) == position.done
                endings += position.text(position.done).startswith(("knock", "gin", "big"))
    assert endings > 2


@pytest.mark.parametrize("name", ONE_PLAYER)
@pytest.mark.parametrize("player", ["solo-dp", "solo-greedy+knock=never"])
def test_a_single_player_would_do_what_it_did(name, player):
    matchup = parse_matchup(player, None, name, 5, "deal")
    adviser = Adviser(matchup.a, build_rules(matchup.variant))
    asked = 0
    for unit in range(12):
        for position in positions_in(watch_deal(matchup, unit)):
            assert adviser.action(position.view) == position.done
            asked += 1
    assert asked > 50
