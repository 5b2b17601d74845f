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
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import Worlds, legal_actions, play_in
from simgin.play.watch import watch_deal
from support.hands import game, members

STRATEGIES = Path(__file__).resolve().parents[2] / "strategies"
RULES, _ = game("eaai")
PARAMS = np.concatenate(
    [[64.0, 2.5, 7.5], np.load(STRATEGIES / "champion-mc.npy").astype(np.float64)]
)


def test_its_numbers_are_those_of_the_parts():
    at = looking.CHAMPION
    for part, begins in (("champion", at), ("hands", looking.HANDS), ("mc", looking.VALUES)):
        numbers = np.load(STRATEGIES / f"{part}.npy").ravel()
        assert (PARAMS[begins : begins + len(numbers)] == numbers).all()
        at += len(numbers)
    assert at == len(PARAMS)
    assert len(np.load(STRATEGIES / "champion.npy")) == looking.HANDS - looking.CHAMPION


@jit
def one_world(view, hand, stock, actions, cards, waits, rules, params, values, turns):
    states, views = np.empty(1, STATE), np.zeros(2, VIEW)
    looking.seat_champions(states[0], params, 1)
    if not waits:
        states[0].lengths[1, KNOCK] = 0
    alive = (1 << len(actions)) - 1
    looking.play_world(
        states, views, hand, stock, actions, cards, alive, 0, values, turns, view, rules, params
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
    for unit in range(4):
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
            values, turns = np.zeros((len(actions), 1)), np.zeros(len(actions))
            one_world(view, hand, stock, kinds, discards, waits, RULES, PARAMS, values, turns)
            world = Worlds(np.array([hand]), stock.astype(np.int8)[None])
            rows = play_in(matchup, view, actions, world)[0]
            assert (turns == rows["turns"] - view.turns).all()
            for value, row in zip(values[:, 0], rows, strict=True):
                own, other = 70 + row["points_a"], 45 + row["points_b"]
                won = 1.0 if own >= 100 else 0.0 if other >= 100 else table[own, other]
                assert value == pytest.approx(180 * won)
                ended += row["points_b"] > 0
    assert ended > 15


def test_weights_and_worlds_are_joined_by_their_errors():
    """The variance in one world starts from 33 squared, as if 16 worlds had shown that."""
    lots = np.random.default_rng(1)
    values = lots.normal(0, 20, (3, 40))
    values[2] += 4
    for n in (8, 40):
        gain = values[2, :n] - values[0, :n]
        each = (n * gain.var() + 16 * 33**2) / (n + 16)
        seen = each / n
        for before, spread in ((-1.0, 1.5), (0.0, 5.0)):
            known = spread**2
            joined = (gain.mean() / seen + before / known) / (1 / seen + 1 / known)
            assert looking.estimate(values, 2, n, before, spread) == pytest.approx((joined, each))
            variance = looking.variance_after(n, each, spread)
            assert variance == pytest.approx(1 / (1 / seen + 1 / known))
    assert looking.estimate(values, 2, 0, -1.5, 2.5) == pytest.approx((-1.5, 33**2))


@pytest.mark.parametrize("n", [0, 4, 40, 200])
@pytest.mark.parametrize("spread", [2.5, 7.5])
def test_more_worlds_are_drawn_if_they_promise_more_than_they_cost(n, spread):
    """What they promise: how far the estimate overtakes on average, found by lot."""
    each, more = 30.0**2, max(n, 32 - n)
    known, later = (1 / (1 / spread**2 + worlds / each) for worlds in (n, n + more))
    moves = (known - later) ** 0.5
    lots = moves * np.random.default_rng(4).normal(size=400_000)
    for behind in np.linspace(0, 4 * moves, 9):
        promised = np.maximum(0, lots - behind).mean()
        doubt = 0.01 * moves  # of the formula and of the lots
        assert looking.is_worth_more(behind, n, each, spread, (promised - doubt) / more)
        assert not looking.is_worth_more(behind, n, each, spread, (promised + doubt) / more)


def looked(values, before, price, turns=10.0):
    """What is still in question after all worlds of a table, and the best."""
    k, n = values.shape
    played = np.full(k, turns * n)
    return looking.still_in_question(values, played, (1 << k) - 1, n, np.array(before), 2.5, price)


def test_what_promises_too_little_is_left_and_what_is_clearly_best_is_done():
    noise = np.random.default_rng(1).normal(0, 6, (3, 64))
    noise -= noise.mean(axis=1, keepdims=True)
    close = [0.0, -0.1, -0.1]
    assert looked(noise, close, 1e-6) == (0b110, 0)
    assert looked(noise, close, 1.0) == (0, 0)
    assert looked(noise - np.array([[0], [9], [0]]), close, 1e-4) == (0b100, 0)
    assert looked(noise + np.array([[0], [30], [0]]), close, 1e-4) == (0, 1)
    assert looked(noise + np.array([[0], [3], [3]]), [0.0, 0.0, -0.1], 1e-4) == (0b110, 1)
    assert looked(noise, [0.0, -9.0, -0.1], 1e-4) == (0b100, 0)
    dear = looked(noise, close, 1e-4, turns=1000.0)
    assert dear == (0, 0)
    none = looking.still_in_question(
        noise, np.zeros(3), 0b111, 0, np.array([0.0, -0.5, -3.0]), 2.5, 1e-4
    )
    assert none == (0b010, 0)


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
                assert (before > -player.TOO_HIGH).all()
                lengths.add(len(few))
    assert min(lengths) < 4 and max(lengths) == 4


@pytest.mark.slow
def test_it_beats_champion():
    """16,000 deals: 1.8 points a deal, with an error of 0.23."""
    matchup = parse_matchup("champion-mc", "champion", "eaai", 606, "deal")
    _, records = kernel.play_recorded(matchup, 0, 8000)
    margin = (records["points_a"] - records["points_b"]).reshape(-1, 2).mean(axis=1)
    assert margin.mean() > 2.6 * margin.std() / np.sqrt(len(margin))
