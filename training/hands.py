"""Fit how likely the opponent is to hold ten cards, by what he did; writes strategies/hands.npy.

    python training/hands.py                     # as committed: about four minutes of one core
    python training/hands.py --deals 300 --out x.npy

At one question of each deal the opponent's hand is set against the same hand with one to three
cards exchanged for other unseen ones. If hands are as likely as the exponential of their fitness,
the odds of the true one are the exponential of the difference, whatever the exchange: a logistic
regression without a constant finds the weights (simgin.toolkit.worlds). Opponents who knock at once
and those who wait for gin are fitted apart, and the stages of the deal as well.

The question is drawn from all of a finished deal and not yet weighted by how many there were
(docs/explanation/decisions/0056-weights-of-drawn-decisions.md).

Prints how well the fit tells hands of deals that were not used from hands with exchanged cards.
"""

import argparse
from pathlib import Path

import numpy as np

from simgin.core.bits import popcount
from simgin.core.cards import PACK
from simgin.core.jit import jit
from simgin.core.view import VIEW
from simgin.play.matchup import Matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader
from simgin.toolkit import worlds as model
from simgin.toolkit.beliefs import N_STAGES

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
VARIANT = "eaai"
WAITING = ("champion", "gold-early", "gin-only", "marjj", "tonic-like")
HASTY = ("simple", "gold", "wary")
DEALS, SEED = 20_000, 20261123  # of each kind
EXCHANGES = 12  # for each hand
RIDGE = 5.0  # penalty on squared weights
STEPS = 12  # Newton steps


def positions(opponents: tuple[str, ...], n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Questions drawn by lot, one a deal, and the opponent's hands: VIEW (n,), int64 (n,)."""
    lots = np.random.default_rng(seed)
    players = [loader.find(name) for name in WAITING + HASTY]
    others = [loader.find(name) for name in opponents]
    views, hands = [], []
    for unit in range(n):
        own = players[lots.integers(len(players))]
        other = others[lots.integers(len(others))]
        deal = watch_deal(Matchup(variants.find(VARIANT), own, other, seed, "deal"), unit)
        state = deal.state
        log = state.log[: state.logged]
        asked = np.flatnonzero((log["seat"] == 0) & (log["turns"] > 0))
        if len(asked):
            view = log[lots.choice(asked)]
            views.append(view.copy())
            hands.append(hidden_hand(view, state.pack))
    return np.array(views, VIEW), np.array(hands)


def hidden_hand(view: np.record, pack: np.ndarray) -> int:
    """What the opponent holds: whatever is not seen and not in the stock."""
    stock = sum(1 << int(card) for card in pack[52 - int(view.stock) :])
    return PACK & ~(int(view.hand) | int(view.pile) | stock)


@jit
def write_differences(views, hands, rules, exchanges, stages, out):
    """Write the numbers of each hand less those with cards exchanged: float64 (n, exchanges, SIZE).

    stages: int64 (n,), the stage of the deal by the opponent's turns.
    """
    true, other = np.zeros(model.SIZE), np.zeros(model.SIZE)
    for i in range(len(views)):
        view, hand = views[i], hands[i]
        stages[i] = model.stage(view.turns - view.own_turn + 1)
        declined, thrown = model.answered(view)
        model.describe_theirs(true, hand, declined, thrown, view, rules)
        hidden = hand & ~view.known
        rest = view.unseen & ~hand
        stream = np.zeros(33, np.int64)
        for k in range(exchanges):
            n = min(1 + k % 3, popcount(hidden), popcount(rest))
            away = model.some_of(hidden, n, i, stream)
            tried = hand ^ away | model.some_of(rest, n, i, stream)
            model.describe_theirs(other, tried, declined, thrown, view, rules)
            for j in range(model.SIZE):
                out[i, k, j] = true[j] - other[j]


def differences(views: np.ndarray, hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the regression by question, and the stage of each question."""
    out = np.zeros((len(views), EXCHANGES, model.SIZE))
    stages = np.zeros(len(views), np.int64)
    rules = build_rules(variants.find(VARIANT))
    write_differences(views, hands, rules, EXCHANGES, stages, out)
    return out, stages


def fit(rows: np.ndarray) -> np.ndarray:
    """Ridge-penalised weights under which the true hands are likeliest, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (1 - p) - RIDGE * weights
        curvature = rows.T @ (rows * (p * (1 - p))[:, None]) + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curvature, gradient)
    return weights


def fit_stages(rows: np.ndarray, stages: np.ndarray) -> np.ndarray:
    """Weights of every stage: float64 (N_STAGES, SIZE)."""
    found = []
    for stage in range(N_STAGES):
        of_stage = rows[stages == stage]
        found.append(fit(of_stage.reshape(-1, model.SIZE)))
    return np.array(found)


def loss(weights: np.ndarray, rows: np.ndarray, stages: np.ndarray) -> float:
    """Mean log-loss in nats of telling a true hand from one with cards exchanged; a guess: 0.69."""
    odds = (rows * weights[stages][:, None, :]).sum(axis=2)
    return float(np.log1p(np.exp(-odds)).mean())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=DEALS, help="deals of each kind of opponent")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES / "hands.npy")
    args = parser.parse_args()
    found = []
    for kind, opponents in (("waiting", WAITING), ("hasty", HASTY)):
        rows, stages = differences(*positions(opponents, args.deals, args.seed))
        weights = fit_stages(rows, stages)
        found.append(weights)
        fresh = differences(*positions(opponents, max(50, args.deals // 10), args.seed + 1))
        known, new = loss(weights, rows, stages), loss(weights, *fresh)
        print(f"{kind}: log-loss {known:.4f}, of deals not used {new:.4f}", flush=True)
    np.save(args.out, np.round(np.array(found), 5).ravel())


if __name__ == "__main__":
    main()
