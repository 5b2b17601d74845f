"""Compare deals turn by turn with the replay and the reference implementation.

Statistics of turns are checked against plain loops.
"""

import numpy as np
import pytest

from oracles import reference
from simgin.match_value import hands_by_turn
from simgin.play.kernel import play_with_records
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from support import hands
from support.reference_replay import match_before, replay_deal

GAMES = (
    ("standard", "gold", "simple"),
    ("standard-50th+big-gin", "gold-early", "gold-early"),
    ("standard+first_turn=discard_first+discard_ban=none", "simple", "gold"),
    ("tedesco", "random:p=0.3", "gold"),
    ("standard+stock_end=at_draw+stock_reserve=8", "gin-only", "simple"),
    ("dice+deals_target=3", "gold+offer=strong:blind=yes", "simple"),
    ("solitary-gin", "gold", None),
    ("solitaire-gin", "gold", None),
)
UNITS = 6


def reference_turns(turn_records):
    """Return the turns of a replayed deal as `hands_by_turn.TURN_DTYPE`, without the deal."""
    row = dict(turn_records.matchup.variant.params)
    held = [set(hands.names(hand)) for hand in turn_records.hands]
    own, found = [0, 0], []
    for number, (seat, _, card, thrown) in enumerate(turn_records.turns, start=1):
        held[seat] |= set() if card < 0 else set(hands.names(1 << card))
        held[seat] -= set() if thrown < 0 else set(hands.names(1 << thrown))
        own[seat] += 1
        side = seat ^ int(turn_records.state.half)
        found.append((number, own[seat], side, reference.compute_deadwood(held[seat], row)))
    return found


@pytest.mark.parametrize("game", GAMES, ids=lambda game: " ".join(map(str, game)))
def test_every_turn_agrees_with_the_reference(game):
    variant, a, b = game
    matchup = parse_matchup(a, b, variant, 3, "deal")
    found = hands_by_turn.simulate_hands_by_turn(matchup, UNITS, workers=1)
    assert np.array_equal(found.records, play_with_records(matchup, 0, UNITS)[1])
    for i, record in enumerate(found.records):
        shown = trace_deal(matchup, int(record["unit"]), int(record["half"]))
        replay_deal(shown, match_before(shown))
        of_deal = found.rows[found.column("deal") == i]
        assert [row[1:] for row in of_deal.tolist()] == reference_turns(shown)


def test_turns_do_not_depend_on_parts_or_threads(monkeypatch):
    matchup = parse_matchup("gold", "simple", "standard", 5, "deal")
    whole = hands_by_turn.simulate_hands_by_turn(matchup, 60, workers=1)
    monkeypatch.setattr(hands_by_turn, "RETRACED_DEALS_PER_CALL", 7)
    parts = hands_by_turn.simulate_hands_by_turn(matchup, 60, workers=3)
    assert np.array_equal(whole.rows, parts.rows) and np.array_equal(whole.records, parts.records)


@pytest.fixture(scope="module")
def turn_records():
    return hands_by_turn.simulate_hands_by_turn(
        parse_matchup("gold", "simple", "standard", 9, "deal"), 300, workers=1
    )


def test_chances_by_count_agree_with_plain_loops(turn_records):
    frame = hands_by_turn.compute_win_rate_by_deadwood(turn_records)
    went = (turn_records.column("side") == 0) & (
        turn_records.column("turn") < turn_records.record_column("turns")
    )
    for line in frame[frame["turn"] > 0].itertuples():
        cell = went & (turn_records.column("own_turn") == line.turn)
        cell &= turn_records.column("count") // 5 * 5 == line.count
        won = turn_records.record_column("winner")[cell] == 0
        assert (line.n, line.value) == (cell.sum(), pytest.approx(won.mean()))
        assert 0 <= line.low <= line.value <= line.high <= 1
        units = turn_records.record_column("unit")[cell]
        apart = won - won.mean()
        squares = [apart[units == unit].sum() ** 2 for unit in np.unique(units)]
        se = np.sqrt(len(squares) / (len(squares) - 1) * np.sum(squares)) / cell.sum()
        assert line.se == pytest.approx(se)
