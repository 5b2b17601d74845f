"""Champion-mc: its numbers, what it counts in a world, how it compares actions, its strength."""

from pathlib import Path

import numpy as np
import pytest
from simgin_strategies import _champion_worlds as looking
from simgin_strategies import champion as player

from simgin.core.jit import jit
from simgin.core.state import KNOCK, STATE
from simgin.core.view import VIEW
from simgin.play import kernel
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.play.worlds import Worlds, legal_actions, play_in
from simgin.rules import variants
from support.hands import game, members

STRATEGIES = Path(__file__).resolve().parents[2] / "strategies"
RULES, _ = game("eaai")
PARAMS = np.concatenate(
    [[64.0, 1.5, 5.0, 2.0], np.load(STRATEGIES / "champion-mc.npy").astype(np.float64)]
)
TWO_PLAYERS = [name for name in variants.names() if variants.find(name).row["players"] == 2]


def test_its_numbers_are_those_of_the_parts():
    at = looking.CHAMPION
    for part, begins in (("champion", at), ("hands", looking.HANDS), ("mc", looking.VALUES)):
        numbers = np.load(STRATEGIES / f"{part}.npy").ravel()
        assert (PARAMS[begins : begins + len(numbers)] == numbers).all()
        at += len(numbers)
    assert at == len(PARAMS)
    assert len(np.load(STRATEGIES / "champion.npy")) == looking.HANDS - looking.CHAMPION


@jit
def one_world(view, hand, stock, actions, cards, waits, rules, params, values):
    states, views = np.empty(1, STATE), np.zeros(2, VIEW)
    looking.seat_champions(states[0], params, 1)
    if not waits:
        states[0].lengths[1, KNOCK] = 0
    alive = (1 << len(actions)) - 1
    looking.play_world(
        states, views, hand, stock, actions, cards, alive, 0, values, view, rules, params
    )


@pytest.mark.parametrize("waits", [True, False])
def test_in_a_world_two_champions_play_on(waits):
    """The opponent knocks as champion does, or at once; the worth is that of the score after it."""
    matchup = parse_matchup(
        "champion", "champion" if waits else "champion+knock=at", "eaai", 4, "deal"
    )
    table = np.load(STRATEGIES / "mc.npy").reshape(100, 100)
    lots = np.random.default_rng(2)
    ended = 0
    for unit in range(12):
        for question in watch_deal(matchup, unit).questions:
            if question.seat != 0 or question.slot not in ("take", "discard"):
                continue
            view = question.view.copy()
            view.own_points, view.other_points = 70, 45
            cards = lots.permutation(members(int(view.unseen)))
            stock = cards[: int(view.stock)]
            hand = int(view.known) | sum(1 << int(card) for card in cards[int(view.stock) :])
            actions = legal_actions(view, RULES)
            kinds, discards = np.array(actions).T.copy()
            values = np.zeros((len(actions), 1))
            one_world(view, hand, stock, kinds, discards, waits, RULES, PARAMS, values)
            world = Worlds(np.array([hand]), stock.astype(np.int8)[None])
            for value, row in zip(
                values[:, 0], play_in(matchup, view, actions, world)[0], strict=True
            ):
                own, other = 70 + row["points_a"], 45 + row["points_b"]
                won = 1.0 if own >= 100 else 0.0 if other >= 100 else table[own, other]
                assert value == pytest.approx(180 * won)
                ended += row["points_b"] > 0
    assert ended > 50


def test_weights_and_worlds_are_joined_by_their_errors():
    lots = np.random.default_rng(1)
    values = lots.normal(0, 20, (3, 40))
    values[2] += 4
    for n in (8, 40):
        gain = values[2, :n] - values[0, :n]
        seen = max(gain.var(), looking.LEAST_ERROR**2) / n
        for before, spread in ((-1.0, 1.5), (0.0, 5.0)):
            known = spread**2
            joined = (gain.mean() / seen + before / known) / (1 / seen + 1 / known)
            found = looking.estimate(values, 2, n, before, spread)
            assert found == pytest.approx((joined, (1 / seen + 1 / known) ** -0.5))


def test_what_is_clearly_worse_is_left_and_what_is_clearly_best_is_done():
    lots = np.random.default_rng(1)
    noise = lots.normal(0, 6, (3, 64))
    before = np.array([0.0, -0.5, -0.5])
    level = looking.still_in_question(noise, 0b111, 64, before, 1.5, 2.0)
    assert level[0] == 0b111
    worse = noise - np.array([[0], [9], [0]])
    assert looking.still_in_question(worse, 0b111, 64, before, 1.5, 2.0)[0] == 0b101
    better = noise + np.array([[0], [30], [0]])
    assert looking.still_in_question(better, 0b111, 64, before, 1.5, 2.0) == (0b010, 1)
    assert looking.still_in_question(noise, 0b001, 64, before, 1.5, 2.0) == (0b001, 0)


def test_the_discards_tried_are_the_cheapest(monkeypatch):
    numbers = PARAMS[looking.CHAMPION : looking.HANDS]
    from simgin_strategies import champion_mc

    matchup = parse_matchup("champion", "gold-early", "eaai", 6, "deal")
    lengths = set()
    for unit in range(12):
        for question in watch_deal(matchup, unit).questions:
            if question.seat == 0 and question.slot == "discard":
                view = question.view
                few, before = champion_mc.cheapest_few(view.legal, view, RULES, PARAMS)
                assert few[0] == question.answer
                assert few[0] == player.cheapest(view.legal, view, RULES, numbers)
                assert before[0] == 0 and (np.diff(before) <= 0).all()
                assert (before >= -2.5 * 1.5).all()
                lengths.add(len(few))
    assert 1 in lengths and 4 in lengths


@pytest.mark.parametrize("name", TWO_PLAYERS)
def test_it_plays_every_variant_for_two(name):
    mixed = "dice-player+take=champion-mc+discard=champion-mc+knock=champion-mc"
    a = mixed if "dice" in name else "champion-mc:n=8"
    matchup = parse_matchup(a, "gold", name, 3, "deal")
    rows = kernel.play(matchup, 0, 3)
    assert (rows == kernel.play(matchup, 0, 3)).all()


@pytest.mark.slow
def test_it_beats_champion():
    """6,000 deals: about 1.8 points a deal, with an error of 0.36."""
    matchup = parse_matchup("champion-mc", "champion", "eaai", 606, "deal")
    _, records = kernel.play_recorded(matchup, 0, 3000)
    margin = (records["points_a"] - records["points_b"]).reshape(-1, 2).mean(axis=1)
    assert margin.mean() > 2.6 * margin.std() / np.sqrt(len(margin))
