"""Deals turn by turn, against the same deals from the replay and the twin.

Statistics of turns are checked against plain loops.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from oracles import twin
from simgin.play.kernel import play_recorded
from simgin.play.matchup import parse_matchup
from simgin.play.watch import watch_deal
from simgin.stats import observations
from simgin.value import turns
from support import hands
from support.twin_replay import match_of, replayed

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


@cache
def triples(variant):
    """Every three-card meld of a variant, by the twin."""
    row = hands.game(variant)[1]
    return [
        set(three)
        for three in combinations(twin.PACK, 3)
        if (three[0][0] == three[1][0]) + (three[0][1] == three[1][1])
        and twin.deadwood(three, row) == 0
    ]


def outs(ten, others, variant):
    """The cards among others that lie in a meld with cards of ten, rainbows apart."""
    return {c for c in others if any(c in meld and meld - {c} <= ten for meld in triples(variant))}


def turns_of(played):
    """The turns of a replayed deal as `turns.TURN`, without the number of the deal."""
    variant, state = played.matchup.variant.text, played.state
    row = dict(played.matchup.variant.row)
    held = [set(hands.names(hand)) for hand in played.hands]
    pile = [] if state.upcard < 0 else hands.names(1 << int(state.upcard))
    own, found, alone = [0, 0], [], played.matchup.b is None
    for number, (seat, source, card, thrown) in enumerate(played.turns, start=1):
        before = twin.deadwood(held[seat], row)
        takes = False
        if not alone and pile and source in (0, 1):
            eleven = held[seat] | {pile[-1]}
            takes = min(twin.deadwood(eleven - {c}, row) for c in held[seat]) < before
        drawn = set() if card < 0 else set(hands.names(1 << card))
        if source == 1:
            pile.pop()
        held[seat] |= drawn
        bans = {"none": (), "drawn": (0, 1)}.get(row["discard_ban"], (1,))
        banned = drawn if source in bans else set()
        others = set(twin.PACK) - held[seat] - set(pile)
        choices = set()
        for c in held[seat] - banned:
            kept = held[seat] - {c}
            danger = (
                -len(outs(kept, others, variant))
                if alone
                else sum(c in m and m - {c} <= others for m in triples(variant))
            )
            choices.add((twin.deadwood(kept, row), danger))
        unbeaten = sum(
            not any(o != choice and o[0] <= choice[0] and o[1] <= choice[1] for o in choices)
            for choice in choices
        )
        if thrown >= 0:
            held[seat] -= set(hands.names(1 << thrown))
            pile += hands.names(1 << thrown)
        own[seat] += 1
        other = -1 if alone else twin.deadwood(held[1 - seat], row)
        where = (number, own[seat], seat ^ int(state.half), int(not alone and seat == state.dealer))
        actions = takes + unbeaten + (min(left for left, _ in choices) <= state.limit)
        found.append((*where, twin.deadwood(held[seat], row), other, actions))
    return found


@pytest.mark.parametrize("game", GAMES, ids=lambda game: " ".join(map(str, game)))
def test_every_turn_agrees_with_the_twin(game):
    variant, a, b = game
    matchup = parse_matchup(a, b, variant, 3, "deal")
    found = turns.play(matchup, UNITS, workers=1)
    assert np.array_equal(found.records, play_recorded(matchup, 0, UNITS)[1])
    for i, record in enumerate(found.records):
        shown = watch_deal(matchup, int(record["unit"]), int(record["half"]))
        replayed(shown, match_of(shown))
        of_deal = found.rows[found.column("deal") == i]
        assert [row[1:] for row in of_deal.tolist()] == turns_of(shown)


def test_turns_do_not_depend_on_parts_or_threads(monkeypatch):
    matchup = parse_matchup("gold", "simple", "standard", 5, "deal")
    whole = turns.play(matchup, 60, workers=1)
    monkeypatch.setattr(turns, "CALL_DEALS", 7)
    parts = turns.play(matchup, 60, workers=3)
    assert np.array_equal(whole.rows, parts.rows) and np.array_equal(whole.records, parts.records)


@pytest.fixture(scope="module")
def played():
    return turns.play(parse_matchup("gold", "simple", "standard", 9, "deal"), 300, workers=1)


def test_deadwood_by_turn_agrees_with_plain_loops(played):
    """The turn that ends a deal is not a turn after which the deal went on."""
    frame = turns.deadwood(played)
    assert set(frame["side"]) == {"nondealer", "dealer"}
    assert (frame[["variant", "strategy", "opponent"]].nunique() == 1).all()
    for line in frame.itertuples():
        held = []
        for i, record in enumerate(played.records):
            if (record["dealer"] == 0) != (line.side == "dealer"):
                continue
            if line.turn == 0:
                held.append(record["dealt_a"])
            for row in played.rows[played.column("deal") == i] if line.turn else ():
                went_on = row["turn"] < record["turns"]
                if row["side"] == 0 and row["own_turn"] == line.turn and went_on:
                    held.append(row["count"])
        assert line.n == len(held)
        assert [line.q10, line.q50, line.q90] == np.quantile(held, (0.1, 0.5, 0.9)).tolist()
        assert line.low <= line.q50 <= line.high


def test_chances_by_count_agree_with_plain_loops(played):
    frame = turns.counts(played)
    went = (played.column("side") == 0) & ~played.last
    for line in frame[frame["turn"] > 0].itertuples():
        cell = went & (played.column("own_turn") == line.turn)
        cell &= played.column("count") // 5 * 5 == line.count
        won = played.record("winner")[cell] == 0
        assert (line.n, line.value) == (cell.sum(), pytest.approx(won.mean()))
        assert 0 <= line.low <= line.value <= line.high <= 1
        assert line.se == pytest.approx(observations.mean(won, played.record("unit")[cell]).se)
    found = turns.share_with_choice(played)
    want = observations.mean(played.column("actions") > 1, played.record("unit"))
    assert (found.value, found.se) == (want.value, want.se) and 0.5 < found.value < 1


def test_intervals_of_a_median_of_pairs_have_nominal_coverage():
    """400 experiments of 200 pairs whose halves share a common part.

    The interval covers the true median, 0, in 92 to 98.5 % of them. Binomial: 0.95 +- 3.29 sqrt(.95
    .05 / 400) is .914 to .986. Limits that treat the halves as independent would cover about 90 %.
    """
    stream = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        pack = stream.normal(size=200)
        x = (np.sqrt(0.8) * pack[:, None] + np.sqrt(0.2) * stream.normal(size=(200, 2))).reshape(-1)
        low, high = observations.median_limits(x, np.repeat(np.arange(200), 2))
        held += low <= 0 <= high
    assert 0.914 <= held / 400 <= 0.986


def test_the_error_of_a_ratio_is_the_delta_method():
    """Of 40 units 30 give 1 over 2, and 10 give 3 over 2."""
    x = np.array([1.0] * 30 + [3.0] * 10)
    found = observations.ratio(x, 2, np.arange(40))
    # value 60/80 = .75; residuals -.5 (30 times) and 1.5 (10 times), whose squares sum to 30
    assert found.value == 0.75 and found.se == pytest.approx(np.sqrt(40 / 39 * 30) / 80)
    assert np.isnan(observations.ratio(x[:29], 2, np.arange(29)).value)
