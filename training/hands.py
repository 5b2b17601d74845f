"""Fit a model of which hands an opponent probably holds, and write strategies/hands.npy.

    python training/hands.py                     # committed file: about four minutes on one core
    python training/hands.py --deals 300 --out x.npy

At one decision per deal, the opponent's hand is compared with hands in which one to three cards are
exchanged for other unseen cards. If the likelihood of a hand is proportional to the exponential of
a score, the odds of the true hand are the exponential of the difference in score. A logistic
regression without an intercept therefore estimates the weights (simgin.toolkit.hand_sampling).
Separate weights are fitted for each stage of a deal and for two types of opponents: opponents that
knock immediately, and opponents that wait for gin.

The decision is sampled from all decisions of a finished deal, and all samples have the same weight
(docs/explanation/decisions/0009-learning.md).

The script prints how well the fit distinguishes true hands in held-out deals from hands in which
cards were exchanged.
"""

import argparse
from pathlib import Path

import numpy as np

from simgin.core.bits import popcount
from simgin.core.cards import ALL_CARDS
from simgin.core.jit import jit
from simgin.core.view import VIEW_DTYPE
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader
from simgin.toolkit import hand_sampling as model
from simgin.toolkit.beliefs import N_STAGES

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
VARIANT = "eaai"
PLAYERS_WAITING_FOR_GIN = ("champion", "gold-early", "gin-only", "marjj", "tonic-like")
IMMEDIATE_KNOCKERS = ("simple", "gold", "wary")
N_DEALS, SEED = 20_000, 20261123  # number of deals per type of opponent, and seed
N_CARD_EXCHANGES_PER_HAND = 12
RIDGE_PENALTY = 5.0  # penalty on squared weights
NEWTON_STEPS = 12


def sample_decisions(
    opponents: tuple[str, ...], n_deals: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the view of one random decision per deal, VIEW_DTYPE (n,), and the opponent's hand."""
    rng = np.random.default_rng(seed)
    players = [loader.find_strategy(name) for name in PLAYERS_WAITING_FOR_GIN + IMMEDIATE_KNOCKERS]
    opponent_strategies = [loader.find_strategy(name) for name in opponents]
    views, hands = [], []
    for unit in range(n_deals):
        player = players[rng.integers(len(players))]
        opponent = opponent_strategies[rng.integers(len(opponent_strategies))]
        deal = trace_deal(
            Matchup(variants.find_variant(VARIANT), player, opponent, seed, "deal"), unit
        )
        state = deal.state
        log = state.log[: state.n_logged]
        own_decisions = np.flatnonzero((log["seat"] == 0) & (log["turns"] > 0))
        if len(own_decisions):
            view = log[rng.choice(own_decisions)]
            views.append(view.copy())
            hands.append(find_hidden_hand(view, state.pack))
    return np.array(views, VIEW_DTYPE), np.array(hands)


def find_hidden_hand(view: np.record, pack: np.ndarray) -> int:
    """Return the opponent's hand: all unseen cards that are not in the stock."""
    stock = sum(1 << int(card) for card in pack[52 - int(view.stock) :])
    return ALL_CARDS & ~(int(view.hand) | int(view.pile) | stock)


@jit
def write_feature_differences(views, hands, rules, exchanges, stages, out):
    """Write how the features change if cards are exchanged between hand and stock.

    Args:
        views: Views of the decisions, VIEW_DTYPE (n,).
        hands: Opponent's hands as masks, (n,) int64.
        rules: Compiled rules.
        exchanges: Number of exchanges per hand.
        stages: Output: stage of the deal at each decision, (n,) int64.
        out: Output: feature differences, (n, n_exchanges, N_LIKELIHOOD_FEATURES) float64.
    """
    true_features = np.zeros(model.N_LIKELIHOOD_FEATURES)
    exchanged_features = np.zeros(model.N_LIKELIHOOD_FEATURES)
    for i in range(len(views)):
        view, hand = views[i], hands[i]
        stages[i] = model.find_deal_stage(view.turns - view.own_turn + 1)
        declined, discarded = model.find_declined_and_discarded(view)
        model.write_hand_features(true_features, hand, declined, discarded, view, rules)
        hidden_cards = hand & ~view.known
        stock_cards = view.unseen & ~hand
        random_stream = np.zeros(33, np.int64)
        for k in range(exchanges):
            n = min(1 + k % 3, popcount(hidden_cards), popcount(stock_cards))
            removed_cards = model.sample_cards(hidden_cards, n, i, random_stream)
            exchanged_hand = hand ^ removed_cards | model.sample_cards(
                stock_cards, n, i, random_stream
            )
            model.write_hand_features(
                exchanged_features, exchanged_hand, declined, discarded, view, rules
            )
            for j in range(model.N_LIKELIHOOD_FEATURES):
                out[i, k, j] = true_features[j] - exchanged_features[j]


def compute_feature_differences(
    views: np.ndarray, hands: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature differences and the stage of each decision."""
    out = np.zeros((len(views), N_CARD_EXCHANGES_PER_HAND, model.N_LIKELIHOOD_FEATURES))
    stages = np.zeros(len(views), np.int64)
    rules = build_rules(variants.find_variant(VARIANT))
    write_feature_differences(views, hands, rules, N_CARD_EXCHANGES_PER_HAND, stages, out)
    return out, stages


def fit_stage_weights(differences: np.ndarray) -> np.ndarray:
    """Fit the weights of one stage by maximising the penalised likelihood of the true hands."""
    weights = np.zeros(differences.shape[1])
    for _ in range(NEWTON_STEPS):
        p = 1 / (1 + np.exp(-differences @ weights))
        gradient = differences.T @ (1 - p) - RIDGE_PENALTY * weights
        hessian = differences.T @ (differences * (p * (1 - p))[:, None])
        hessian += RIDGE_PENALTY * np.eye(len(weights))
        weights += np.linalg.solve(hessian, gradient)
    return weights


def fit_all_stages(differences: np.ndarray, stages: np.ndarray) -> np.ndarray:
    """Fit the weights of all stages, (N_STAGES, N_LIKELIHOOD_FEATURES) float64."""
    weights = []
    for stage in range(N_STAGES):
        stage_rows = differences[stages == stage]
        weights.append(fit_stage_weights(stage_rows.reshape(-1, model.N_LIKELIHOOD_FEATURES)))
    return np.array(weights)


def compute_log_loss(weights: np.ndarray, differences: np.ndarray, stages: np.ndarray) -> float:
    """Return the mean log-loss, in nats, of distinguishing true hands from exchanged hands."""
    odds = (differences * weights[stages][:, None, :]).sum(axis=2)
    return float(np.log1p(np.exp(-odds)).mean())


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=N_DEALS, help="deals per type of opponent")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY / "hands.npy")
    args = parser.parse_args()
    weights_by_type = []
    for opponent_type, opponents in (
        ("waiting", PLAYERS_WAITING_FOR_GIN),
        ("hasty", IMMEDIATE_KNOCKERS),
    ):
        rows, stages = compute_feature_differences(
            *sample_decisions(opponents, args.deals, args.seed)
        )
        weights = fit_all_stages(rows, stages)
        weights_by_type.append(weights)
        held_out_data = compute_feature_differences(
            *sample_decisions(opponents, max(50, args.deals // 10), args.seed + 1)
        )
        training_loss = compute_log_loss(weights, rows, stages)
        held_out_loss = compute_log_loss(weights, *held_out_data)
        print(
            f"{opponent_type}: log-loss {training_loss:.4f}, in held-out deals {held_out_loss:.4f}",
            flush=True,
        )
    np.save(args.out, np.round(np.array(weights_by_type), 5).ravel())


if __name__ == "__main__":
    main()
