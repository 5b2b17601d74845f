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
from support.reference_replay import replay_deal, start_match

MATCHUP_NAMES = (
    ("standard", "gold", "simple"),
    ("standard-50th+big-gin", "gold-early", "gold-early"),
    ("standard+first_turn=discard_first+discard_ban=none", "simple", "gold"),
    ("tedesco", "random:p=0.3", "gold"),
    ("standard+stock_end=at_draw+stock_reserve=8", "gin-only", "simple"),
    ("dice+deals_target=3", "gold+offer=strong:blind=yes", "simple"),
    ("solitary-gin", "gold", None),
    ("solitaire-gin", "gold", None),
)
N_UNITS = 6


def find_reference_turns(deal):
    """Return the turns of a deal as `hands_by_turn.TURN_DTYPE`, without the deal index."""
    row = dict(deal.matchup.variant.params)
    hands_by_seat = [set(hands.list_card_names(hand)) for hand in deal.hands]
    own_turns, turns = [0, 0], []
    for number, (seat, _, card, discard) in enumerate(deal.turns, start=1):
        hands_by_seat[seat] |= set() if card < 0 else set(hands.list_card_names(1 << card))
        hands_by_seat[seat] -= set() if discard < 0 else set(hands.list_card_names(1 << discard))
        own_turns[seat] += 1
        side = seat ^ int(deal.state.half)
        turns.append(
            (number, own_turns[seat], side, reference.compute_deadwood(hands_by_seat[seat], row))
        )
    return turns


@pytest.mark.parametrize(
    "matchup_names", MATCHUP_NAMES, ids=lambda matchup_names: " ".join(map(str, matchup_names))
)
def test_every_turn_agrees_with_the_reference(matchup_names):
    variant, a, b = matchup_names
    matchup = parse_matchup(a, b, variant, 3, "deal")
    result = hands_by_turn.simulate_hands_by_turn(matchup, N_UNITS, workers=1)
    assert np.array_equal(result.deal_records, play_with_records(matchup, 0, N_UNITS)[1])
    for i, record in enumerate(result.deal_records):
        deal = trace_deal(matchup, int(record["unit"]), int(record["half"]))
        replay_deal(deal, start_match(deal))
        deal_rows = result.turn_records[result.get_turn_column("deal") == i]
        assert [row[1:] for row in deal_rows.tolist()] == find_reference_turns(deal)


def test_turns_do_not_depend_on_blocks_or_threads(monkeypatch):
    matchup = parse_matchup("gold", "simple", "standard", 5, "deal")
    single_block = hands_by_turn.simulate_hands_by_turn(matchup, 60, workers=1)
    monkeypatch.setattr(hands_by_turn, "REPLAYED_DEALS_PER_CALL", 7)
    several_blocks = hands_by_turn.simulate_hands_by_turn(matchup, 60, workers=3)
    assert np.array_equal(
        single_block.turn_records, several_blocks.turn_records
    ) and np.array_equal(single_block.deal_records, several_blocks.deal_records)


@pytest.fixture(scope="module")
def turn_records():
    return hands_by_turn.simulate_hands_by_turn(
        parse_matchup("gold", "simple", "standard", 9, "deal"), 300, workers=1
    )


def test_win_rates_by_deadwood_agree_with_plain_loops(turn_records):
    frame = hands_by_turn.compute_win_rate_by_deadwood(turn_records)
    is_continued = (turn_records.get_turn_column("side") == 0) & (
        turn_records.get_turn_column("turn") < turn_records.get_deal_column("turns")
    )
    for row in frame[frame["turn"] > 0].itertuples():
        is_cell = is_continued & (turn_records.get_turn_column("own_turn") == row.turn)
        is_cell &= turn_records.get_turn_column("count") // 5 * 5 == row.count
        won = turn_records.get_deal_column("winner")[is_cell] == 0
        assert (row.n, row.value) == (is_cell.sum(), pytest.approx(won.mean()))
        assert 0 <= row.low <= row.value <= row.high <= 1
        units = turn_records.get_deal_column("unit")[is_cell]
        deviations = won - won.mean()
        squares = [deviations[units == unit].sum() ** 2 for unit in np.unique(units)]
        se = np.sqrt(len(squares) / (len(squares) - 1) * np.sum(squares)) / is_cell.sum()
        assert row.se == pytest.approx(se)
